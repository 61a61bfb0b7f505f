// Package turns has the calls of servers wait for their turn.
package turns

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sallyport/telemetry"
)

// ErrBusy says that the queue is full.
var ErrBusy = errors.New("busy")

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

// New returns turns for a number of calls at a time.
func New(parallel int) *Turns { return &Turns{most: parallel} }

// Most is how many calls there may be at a time.
func (s *Turns) Most() int { return s.most }

// Options are those of a Turnstile.
type Options struct {
	Name    string
	Turns   *Turns                // nil: turns of its own
	Most    int                   // at a time
	Each    int                   // of one owner; 0: no fewer than Most
	Queue   int                   // its length
	Observe func(telemetry.Queue) // nil: nobody wants to know
	Lease   Lease                 // nil: nothing bounds calls but what is here
}

// Turnstile is where the calls of one server come to have their turn.
type Turnstile struct {
	Options

	share   // guarded by Turns.mu, as are the fields below
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
	at    *Turnstile
	owner *share
	turn  chan struct{} // closed when it is this one's
}

// NewTurnstile returns a turnstile.
func NewTurnstile(o Options) *Turnstile {
	if o.Turns == nil {
		o.Turns = New(o.Most)
	}
	t := &Turnstile{Options: o, owners: map[string]*share{}}
	t.tell(0) // who scales by it has to know of a service that nobody has called
	return t
}

// Enter waits for a turn of the owner's and returns how to give it back. The
// error is ErrBusy, or the cause of ctx's end.
func (t *Turnstile) Enter(ctx context.Context, owner string) (leave func(), err error) {
	return t.Line(ctx, owner, func() {})
}

// Line is Enter that says when it has its place in the queue, or none.
func (t *Turnstile) Line(ctx context.Context, owner string, placed func()) (leave func(), err error) {
	came := time.Now()
	k, err := t.queue(owner)
	placed()
	if err != nil {
		if t.Observe != nil {
			t.Observe(telemetry.Queue{Name: t.Name, Refused: err.Error()})
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
		if t.Lease == nil {
			end = func() {}
			break
		}
		var each bool
		if end, each, err = t.Lease(ctx, owner); err != nil {
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
func (t *Turnstile) again(k *ticket, each bool) {
	s := t.Turns
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

// Turn is a call's place among those that are served.
type Turn struct {
	Leave func() // gives it back
	enter func() (leave func(), err error)
}

// Take is Enter for a call that gives its turn to others while it waits.
func (t *Turnstile) Take(ctx context.Context, owner string) (*Turn, error) {
	k := &Turn{enter: func() (func(), error) { return t.Enter(ctx, owner) }}
	leave, err := k.enter()
	k.Leave = leave
	return k, err
}

// Aside waits without the turn, and has one again when it returns nil.
func (k *Turn) Aside(wait func()) error {
	k.Leave()
	wait()
	leave, err := k.enter()
	if err == nil {
		k.Leave = leave
	}
	return err
}

// queue is the owner's new place, at whose turn it may be already.
func (t *Turnstile) queue(owner string) (*ticket, error) {
	s := t.Turns
	s.mu.Lock()
	defer s.mu.Unlock()
	own := t.owners[owner]
	if own == nil {
		own = &share{}
	}
	k := &ticket{t, own, make(chan struct{})}
	if t.waiting >= t.Queue && (s.busy >= s.most || !k.may()) {
		return nil, ErrBusy
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
	return k.owner.held == 0 && k.at.held == 0 && k.at.busy < k.at.Most && (k.at.Each == 0 || k.owner.busy < k.at.Each)
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

func (t *Turnstile) leave(own *share, owner string) {
	t.Turns.mu.Lock()
	defer t.Turns.mu.Unlock()
	t.Turns.busy--
	t.busy--
	own.busy--
	t.gone(own, owner)
	t.Turns.next()
}

// giveUp takes a call out that waits no longer, also one whose turn has just
// come.
func (t *Turnstile) giveUp(k *ticket, owner string) {
	t.Turns.mu.Lock()
	i := slices.Index(t.Turns.waiting, k)
	if i >= 0 {
		t.Turns.waiting = slices.Delete(t.Turns.waiting, i, i+1)
		t.waiting--
		t.gone(k.owner, owner)
	}
	t.Turns.mu.Unlock()
	if i < 0 {
		t.leave(k.owner, owner)
	}
}

// gone forgets an owner without calls. The caller holds the lock.
func (t *Turnstile) gone(own *share, owner string) {
	if own.calls--; own.calls == 0 {
		delete(t.owners, owner)
	}
}

// tell says how the queue stands, and how long a call waited for its turn.
func (t *Turnstile) tell(waited time.Duration) {
	if t.Observe == nil {
		return
	}
	q := t.Now()
	q.Waited = waited
	t.Observe(q)
}

// Now is how the queue stands.
func (t *Turnstile) Now() telemetry.Queue {
	t.Turns.mu.Lock()
	defer t.Turns.mu.Unlock()
	return telemetry.Queue{Name: t.Name, Waiting: t.waiting, Running: t.busy}
}
