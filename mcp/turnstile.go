package mcp

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sallyport/gate"
	"sallyport/telemetry"
)

// errBusy says that the queue is full.
var errBusy = errors.New("busy")

// Turns lets a number of calls through at a time, and says who is next. Several
// servers, of a tenant each, can share them: then the next one is a call of the
// tenant of which fewest are being served, and in it of the principal of which
// fewest are, and of those the one that was served longest ago. So whoever sends
// many waits behind their own calls, and everybody else for one that is served
// to end. The calls of one principal keep their order.
type Turns struct {
	most int // at a time

	mu      sync.Mutex // guards the fields below
	busy    int
	served  int // so far
	waiting []*ticket
}

// NewTurns returns turns for a number of calls at a time; 0 means what a Server
// of its own would have.
func NewTurns(parallel int) *Turns { return &Turns{most: cmp.Or(parallel, DefaultParallel())} }

// turnstile is where the calls of one server come to have their turn.
type turnstile struct {
	name    string
	turns   *Turns
	most    int                   // at a time
	each    int                   // of one owner; 0: no fewer than most
	length  int                   // of the queue
	observe func(telemetry.Queue) // nil: nobody wants to know
	lease   Lease                 // nil: nothing bounds runs but what is here

	share   // guarded by turns.mu, as are the fields below
	waiting int
	owners  map[string]*share // that wait or are served
}

// share is what somebody has of the turns.
type share struct {
	calls int // that wait or are served
	busy  int // that are served
	held  int // that were told to come again
	last  int // when one was served last, counted in calls
}

// ticket is a call that waits.
type ticket struct {
	at    *turnstile
	owner *share
	turn  chan struct{} // closed when it is this one's
}

// newTurnstile returns a turnstile to turns, or to turns of its own for nil.
func newTurnstile(name string, turns *Turns, parallel, queue int, observe func(telemetry.Queue)) *turnstile {
	if turns == nil {
		turns = NewTurns(parallel)
	}
	t := &turnstile{name: name, turns: turns, most: parallel, length: queue, observe: observe, owners: map[string]*share{}}
	t.tell(0) // who scales by it has to know of a service that nobody has called
	return t
}

// enter waits for a turn of the owner's and returns how to give it back. The
// error is errBusy, or the cause of ctx's end.
func (t *turnstile) enter(ctx context.Context, owner string) (leave func(), err error) {
	return t.line(ctx, owner, func() {})
}

// line is enter that says when it has its place in the queue, or none.
func (t *turnstile) line(ctx context.Context, owner string, placed func()) (leave func(), err error) {
	came := time.Now()
	k, err := t.queue(owner)
	placed()
	if err != nil {
		if t.observe != nil {
			t.observe(telemetry.Queue{Name: t.name, Refused: err.Error()})
		}
		return nil, err
	}
	t.tell(0)
	var end func()
	for end == nil {
		select {
		case <-k.turn:
		case <-ctx.Done():
			t.giveUp(k, owner)
			t.tell(0)
			return nil, context.Cause(ctx)
		}
		if t.lease == nil {
			end = func() {}
			break
		}
		var each bool
		if end, each, err = t.lease(ctx, owner); err != nil {
			t.leave(k.owner, owner)
			t.tell(0)
			return nil, err
		}
		if end == nil {
			t.again(k, each)
		}
	}
	t.tell(time.Since(came))
	return sync.OnceFunc(func() {
		end()
		t.leave(k.owner, owner)
		t.tell(0)
	}), nil
}

// Lease lets a run of an owner's begin that has its turn here, among all who share
// what bounds them. End is how to say that it is over, and nil where there are as many
// as may be: of the owner's own, where each is true.
type Lease func(ctx context.Context, owner string) (end func(), each bool, err error)

// again puts a call back whose turn has come while there are as many elsewhere as may
// be. It is the first one again, and nobody is told when one ends elsewhere: after a
// moment there is another look. Until then those wait whom the same limit holds.
func (t *turnstile) again(k *ticket, each bool) {
	s := t.turns
	s.mu.Lock()
	defer s.mu.Unlock()
	held := &t.share
	if each {
		held = k.owner
	}
	s.busy--
	t.busy--
	k.owner.busy--
	held.held++
	t.waiting++
	k.turn = make(chan struct{})
	s.waiting = slices.Insert(s.waiting, 0, k)
	time.AfterFunc(lookAgain+rand.N(lookAgain), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		held.held--
		s.next()
	})
	s.next()
}

// lookAgain is how soon, at least, it is seen that a run has ended elsewhere.
const lookAgain = 100 * time.Millisecond

// turn is a call's place among those that are served.
type turn struct {
	enter func() (leave func(), err error)
	leave func()
}

// take is enter for a call that gives its turn to others while it waits.
func (t *turnstile) take(ctx context.Context, owner string) (*turn, error) {
	k := &turn{enter: func() (func(), error) { return t.enter(ctx, owner) }}
	leave, err := k.enter()
	k.leave = leave
	return k, err
}

// aside waits without the turn, and has one again when it returns nil.
func (k *turn) aside(wait func()) error {
	k.leave()
	wait()
	leave, err := k.enter()
	if err == nil {
		k.leave = leave
	}
	return err
}

// queue is the owner's new place, at whose turn it may be already.
func (t *turnstile) queue(owner string) (*ticket, error) {
	s := t.turns
	s.mu.Lock()
	defer s.mu.Unlock()
	own := t.owners[owner]
	if own == nil {
		own = &share{}
	}
	k := &ticket{t, own, make(chan struct{})}
	if t.waiting >= t.length && (s.busy >= s.most || !k.may()) {
		return nil, errBusy
	}
	t.owners[owner] = own
	own.calls++
	t.waiting++
	s.waiting = append(s.waiting, k)
	s.next()
	return k, nil
}

// next gives turns to calls that wait, as long as there are any. The caller
// holds the lock.
func (s *Turns) next() {
	for s.busy < s.most {
		var first *ticket
		for _, k := range s.waiting {
			if k.may() && (first == nil || k.before(first)) {
				first = k
			}
		}
		if first == nil {
			return
		}
		s.waiting = slices.DeleteFunc(s.waiting, func(k *ticket) bool { return k == first })
		s.served++
		s.busy++
		first.at.waiting--
		for _, of := range []*share{&first.at.share, first.owner} {
			of.busy++
			of.last = s.served
		}
		close(first.turn)
	}
}

// may says whether a call is held by no limit but that of all turns.
func (k *ticket) may() bool {
	return k.owner.held == 0 && k.at.held == 0 && k.at.busy < k.at.most && (k.at.each == 0 || k.owner.busy < k.at.each)
}

// before says whether a call has its turn before another that came earlier.
func (k *ticket) before(other *ticket) bool {
	for _, by := range [][2]*share{{&k.at.share, &other.at.share}, {k.owner, other.owner}} {
		if a, b := by[0], by[1]; a.busy != b.busy {
			return a.busy < b.busy
		} else if a.last != b.last {
			return a.last < b.last
		}
	}
	return false
}

func (t *turnstile) leave(own *share, owner string) {
	t.turns.mu.Lock()
	defer t.turns.mu.Unlock()
	t.turns.busy--
	t.busy--
	own.busy--
	t.gone(own, owner)
	t.turns.next()
}

// giveUp takes a call out that waits no longer, also one whose turn has just
// come.
func (t *turnstile) giveUp(k *ticket, owner string) {
	t.turns.mu.Lock()
	i := slices.Index(t.turns.waiting, k)
	if i >= 0 {
		t.turns.waiting = slices.Delete(t.turns.waiting, i, i+1)
		t.waiting--
		t.gone(k.owner, owner)
	}
	t.turns.mu.Unlock()
	if i < 0 {
		t.leave(k.owner, owner)
	}
}

// gone forgets an owner without calls. The caller holds the lock.
func (t *turnstile) gone(own *share, owner string) {
	if own.calls--; own.calls == 0 {
		delete(t.owners, owner)
	}
}

// tell says how the queue stands, and how long a call waited for its turn.
func (t *turnstile) tell(waited time.Duration) {
	if t.observe == nil {
		return
	}
	t.turns.mu.Lock()
	q := telemetry.Queue{Name: t.name, Waiting: t.waiting, Running: t.busy, Waited: waited}
	t.turns.mu.Unlock()
	t.observe(q)
}

// turnedAway counts a call that was refused for what a queue, or a quota, holds.
func (s *Server) turnedAway(queue, why string) {
	if s.opts.ObserveQueue != nil {
		s.opts.ObserveQueue(telemetry.Queue{Name: queue, Refused: why})
	}
}

// TurnedAway puts on record, and counts, that a call of who's was refused before
// it came to this server: it came too often, or beside too many.
func (s *Server) TurnedAway(ctx context.Context, who gate.Principal, address, asked, why string) error {
	s.turnedAway("calls", "quota")
	return s.opts.Gate.Refused(ctx, who, address, asked, why)
}
