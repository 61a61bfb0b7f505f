package approvals

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"sallyport/gate"
	"sallyport/internal/shared"
)

// Notes are what replicas leave for each other in the database that they share.
type Notes = shared.Notes

const (
	looksEvery = 250 * time.Millisecond // at what happens elsewhere
	awayEvery  = 2 * time.Second        // while the database is away
	grantsIn   = 10 * time.Second       // a replica that has a yes; else it is gone
	clocksMay  = time.Minute            // be apart, and an answer take to be recorded
)

// replicas has questions where all replicas of a service see them. The database is
// trusted with none of it. What it has is sealed, and a yes is not in it: that stays
// in the replica at which it was given, and is granted from there to one call, once,
// whatever the database says, or says again.
//
// A call at another replica claims a yes by a word that nobody knew before; the
// replica that has the yes grants it to that word, and forgets it; whoever claimed
// takes a grant to that word alone.
type replicas struct {
	notes   *Notes
	now     func() time.Time
	name    string // of this replica's host
	process string // this one, and no other
	grants  time.Duration
	log     func(format string, args ...any)

	end  context.CancelFunc
	busy sync.WaitGroup

	mu      sync.Mutex               // guards the fields below
	yes     map[string]gate.Approval // given here and not used, by the question's ID
	watched map[string]watched       // questions whose answer is awaited here
}

type watched struct {
	until    time.Time
	answered chan struct{}
}

// status is the state of a question as it is left for other replicas.
type status struct {
	State   state
	Answer  gate.Approval // of one that was declined, or is granted
	Process string        // that answers, or has the yes
	Claim   string        // the word of who claims, or is granted
	Since   time.Time     // of one that is being answered, or claimed
}

func newReplicas(o Options) *replicas {
	r := &replicas{
		notes: o.Notes, now: o.Now, name: o.Replica, process: rand.Text(), grants: grantsIn, log: o.Log,
		yes: map[string]gate.Approval{}, watched: map[string]watched{},
	}
	ctx, end := context.WithCancel(context.Background())
	r.end = end
	r.busy.Go(func() { r.looks(ctx) })
	return r
}

func (r *replicas) close() {
	r.end()
	r.busy.Wait()
}

// stands is a note and what it says.
type stands struct {
	note shared.Note
	status
}

func (r *replicas) ask(ctx context.Context, q question) (open, bool, error) {
	q.Replica, q.Process = r.name, r.process
	text, err := json.Marshal(q)
	if err != nil {
		return open{}, false, err
	}
	state, err := json.Marshal(status{})
	if err != nil {
		return open{}, false, err
	}
	note := shared.Note{ID: q.View.ID, Of: q.Who.ID(), About: q.View.Binding, Until: q.View.Until, Text: text, State: state}
	for range 3 {
		there, err := r.notes.Put(ctx, r.now(), note, maxOf, maxAll)
		switch {
		case errors.Is(err, shared.ErrMany):
			return open{}, false, errMany
		case err != nil:
			return open{}, false, err
		}
		one, err := r.find(ctx, cmp.Or(there, note.ID)) // which may be about something else: the index is the database's
		switch {
		case err == nil && one.View.Binding == q.View.Binding && !r.stuck(one):
			one.answered = r.watch(one)
			return one, there == "", nil
		case err != nil && !errors.Is(err, ErrNone):
			return open{}, false, err
		}
		// What is there is over, is stuck, or none of a replica's.
		if err := r.notes.Drop(ctx, cmp.Or(there, note.ID)); err != nil {
			return open{}, false, err
		}
	}
	return open{}, false, shared.ErrOdd
}

// stuck reports whether a yes was claimed, and whoever did has gone.
func (r *replicas) stuck(one open) bool {
	s := one.at.(stands)
	return (s.State == claimed || s.State == granted) && r.old(s.status)
}

func (r *replicas) old(s status) bool { return r.now().Sub(s.Since) > clocksMay }

func (r *replicas) all(ctx context.Context) ([]open, error) {
	ids, err := r.notes.IDs(ctx, r.now())
	if err != nil {
		return nil, err
	}
	return r.read(ctx, ids...)
}

func (r *replicas) find(ctx context.Context, id string) (open, error) {
	list, err := r.read(ctx, id)
	if err == nil && len(list) == 0 {
		err = ErrNone
	}
	if err != nil {
		return open{}, err
	}
	return list[0], nil
}

// read leaves out what is over, or is none of a replica's.
func (r *replicas) read(ctx context.Context, ids ...string) ([]open, error) {
	notes, err := r.notes.Read(ctx, ids...)
	if err != nil {
		return nil, err
	}
	list := []open{}
	for _, n := range notes {
		one, s := open{}, stands{note: n}
		if json.Unmarshal(n.Text, &one.question) != nil || json.Unmarshal(n.State, &s.status) != nil || !r.now().Before(one.View.Until) {
			continue
		}
		one.state, one.answer, one.at = s.State, s.Answer, s
		if one.Process != r.process {
			one.asked = gate.Elsewhere{Replica: one.Replica, Record: one.View.Decision}
		}
		if s.Process == r.process {
			one.answer.Answered = gate.Elsewhere{} // it is in this log
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b open) int { return a.View.Asked.Compare(b.View.Asked) })
	return list, nil
}

// move gives a question another state, unless it is no longer as it was read.
func (r *replicas) move(ctx context.Context, one open, to status) (open, bool, error) {
	text, err := json.Marshal(to)
	if err != nil {
		return one, false, err
	}
	note, ok, err := r.notes.Change(ctx, one.at.(stands).note, text)
	if err != nil || !ok {
		return one, false, err
	}
	one.state, one.answer, one.at = to.State, to.Answer, stands{note, to}
	return one, true, nil
}

// take may take what another replica has kept for so long that it must be gone.
func (r *replicas) take(ctx context.Context, one open) (open, error) {
	s := one.at.(stands)
	if s.State != waiting && (s.State != answering || !r.old(s.status)) {
		return one, ErrAnswered
	}
	one, ok, err := r.move(ctx, one, status{State: answering, Process: r.process, Since: r.now()})
	if err == nil && !ok {
		err = ErrAnswered
	}
	return one, err
}

func (r *replicas) giveBack(ctx context.Context, one open) {
	_, _, _ = r.move(context.WithoutCancel(ctx), one, status{}) // else somebody may take it later
}

func (r *replicas) settle(ctx context.Context, one open, ap gate.Approval, record string) error {
	ap.Answered = gate.Elsewhere{Replica: r.name, Record: record}
	to := status{State: answeredBy(ap), Process: r.process}
	if ap.Yes {
		r.mu.Lock()
		r.yes[one.View.ID] = ap
		r.mu.Unlock()
	} else {
		to.Answer = ap
	}
	_, ok, err := r.move(context.WithoutCancel(ctx), one, to)
	if err == nil && !ok {
		err = ErrAnswered
	}
	if err != nil {
		_, _ = r.spend(one.View.ID)
		return err
	}
	r.wake(one.View.ID)
	return nil
}

// spend is the one place at which a yes that was given here is had, and it is gone then.
func (r *replicas) spend(id string) (gate.Approval, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ap, ok := r.yes[id]
	delete(r.yes, id)
	return ap, ok && r.now().Before(ap.Until)
}

func (r *replicas) use(ctx context.Context, one open) (gate.Approval, bool, error) {
	if one.at.(stands).Process != r.process {
		return r.claim(ctx, one)
	}
	if err := r.notes.Drop(ctx, one.View.ID); err != nil { // also where the yes is gone: it is asked anew
		return gate.Approval{}, false, err
	}
	ap, ok := r.spend(one.View.ID)
	ap.Answered = gate.Elsewhere{} // it is in this log
	return ap, ok, nil
}

// claim has another replica grant the yes that it has.
func (r *replicas) claim(ctx context.Context, one open) (gate.Approval, bool, error) {
	word := rand.Text()
	one, ok, err := r.move(ctx, one, status{State: claimed, Process: one.at.(stands).Process, Claim: word, Since: r.now()})
	if err != nil || !ok {
		return gate.Approval{}, false, err
	}
	// Nobody else can use what is left of it.
	defer func() { _ = r.notes.Drop(context.WithoutCancel(ctx), one.View.ID) }()
	wait, cancel := context.WithTimeout(ctx, r.grants)
	defer cancel()
	tick := time.NewTicker(looksEvery)
	defer tick.Stop()
	for again := true; again; {
		select {
		case <-tick.C:
		case <-wait.Done():
			again = false // but for a last look
		}
		var notes []shared.Note
		if notes, err = r.notes.States(ctx, one.View.ID); err != nil {
			continue
		}
		var s status
		switch {
		case notes[0].State == nil || json.Unmarshal(notes[0].State, &s) != nil || s.Claim != word:
			return gate.Approval{}, false, nil
		case s.State == granted:
			return s.Answer, true, nil
		}
	}
	if err = errors.Join(err, ctx.Err()); err == nil {
		r.log("the yes to the question %s is of a replica that is gone: it is asked anew", one.View.ID)
	}
	return gate.Approval{}, false, err
}

// watch returns what is closed when a question that waits is answered, or gone.
func (r *replicas) watch(one open) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, ok := r.watched[one.View.ID]
	if !ok {
		w = watched{one.View.Until, make(chan struct{})}
		r.watched[one.View.ID] = w
	}
	return w.answered
}

// looks sees again and again what became of questions that are awaited here, and who
// claims a yes that was given here.
func (r *replicas) looks(ctx context.Context) {
	for {
		every := looksEvery
		if r.look(ctx) != nil { // whoever asks next is told
			every = awayEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

func (r *replicas) look(ctx context.Context) error {
	now := r.now()
	r.mu.Lock()
	maps.DeleteFunc(r.yes, func(_ string, ap gate.Approval) bool { return !now.Before(ap.Until) })
	maps.DeleteFunc(r.watched, func(_ string, w watched) bool { return !now.Before(w.until) })
	ids := slices.AppendSeq(slices.Collect(maps.Keys(r.yes)), maps.Keys(r.watched))
	r.mu.Unlock()
	slices.Sort(ids)
	ids = slices.Compact(ids)
	notes, err := r.notes.States(ctx, ids...)
	if err != nil {
		return err
	}
	for i, n := range notes {
		var s status
		gone := n.State == nil || json.Unmarshal(n.State, &s) != nil
		if gone || s.State == approved || s.State == declined {
			r.wake(ids[i])
		}
		if !gone && s.State == claimed && s.Process == r.process {
			r.grant(ctx, n, s)
		}
	}
	return nil
}

func (r *replicas) wake(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, ok := r.watched[id]; ok {
		close(w.answered)
		delete(r.watched, id)
	}
}

// grant gives a yes of this replica to who claimed it.
func (r *replicas) grant(ctx context.Context, n shared.Note, s status) {
	ap, ok := r.spend(n.ID)
	if !ok {
		return
	}
	s.State, s.Answer = granted, ap
	if _, ok, err := r.move(ctx, open{at: stands{note: n}}, s); err != nil || !ok {
		r.log("the yes to the question %s is lost: it is asked anew", n.ID)
	}
}
