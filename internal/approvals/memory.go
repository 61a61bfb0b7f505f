package approvals

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"sallyport/gate"
)

// store is where questions wait. Of what is done to one at a time one thing happens.
type store interface {
	// ask returns what is open about the binding of q, and whether that is q itself,
	// which was put there.
	ask(ctx context.Context, q question) (one open, isNew bool, err error)
	all(ctx context.Context) ([]open, error)
	find(ctx context.Context, id string) (open, error) // ErrNone: there is none

	// take keeps a question for whoever answers it now, and giveBack gives it up; settle
	// is the answer, with its record. They say ErrAnswered where somebody else was first.
	take(ctx context.Context, one open) (open, error)
	giveBack(ctx context.Context, one open)
	settle(ctx context.Context, one open, ap gate.Approval, record string) error

	// use takes the yes to a question for one run, and says false where it is used, or
	// cannot be had any more.
	use(ctx context.Context, one open) (gate.Approval, bool, error)
}

// question is what somebody asks, and never changes.
type question struct {
	View    View // without its state
	Who     gate.Principal
	Replica string // that asked, by the name of its host
	Process string // of it, which has a log
}

// open is a question as it stands.
type open struct {
	question
	state    state
	answer   gate.Approval
	answered <-chan struct{} // closed when it is, or is gone
	asked    gate.Elsewhere  // where this replica has not

	at any // by which its store knows what was read
}

// errMany is of a question that is one too many.
var errMany = errors.New("too many questions wait")

// memory has questions in this process, and they are gone with it.
type memory struct {
	now func() time.Time

	mu   sync.Mutex // guards all, and what it has
	kept []*kept
}

type kept struct {
	question
	state    state
	answer   gate.Approval
	answered chan struct{}
}

func (k *kept) open() open {
	return open{question: k.question, state: k.state, answer: k.answer, answered: k.answered, at: k}
}

// expire forgets what is over. The caller holds the lock.
func (m *memory) expire() {
	now := m.now()
	m.kept = slices.DeleteFunc(m.kept, func(k *kept) bool { return !now.Before(k.View.Until) })
}

func (m *memory) ask(_ context.Context, q question) (open, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	own := 0
	for _, k := range m.kept {
		if k.View.Binding == q.View.Binding {
			return k.open(), false, nil
		}
		if k.Who.ID() == q.Who.ID() {
			own++
		}
	}
	if own >= maxOf || len(m.kept) >= maxAll {
		return open{}, false, errMany
	}
	k := &kept{question: q, answered: make(chan struct{})}
	m.kept = append(m.kept, k)
	return k.open(), true, nil
}

func (m *memory) all(context.Context) ([]open, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	list := []open{}
	for _, k := range m.kept {
		list = append(list, k.open())
	}
	return list, nil
}

func (m *memory) find(ctx context.Context, id string) (open, error) {
	list, err := m.all(ctx)
	i := slices.IndexFunc(list, func(o open) bool { return o.View.ID == id })
	if i < 0 {
		return open{}, errors.Join(err, ErrNone)
	}
	return list[i], nil
}

func (m *memory) take(_ context.Context, one open) (open, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := one.at.(*kept)
	if k.state != waiting {
		return one, ErrAnswered
	}
	k.state = answering
	return k.open(), nil
}

func (m *memory) giveBack(_ context.Context, one open) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one.at.(*kept).state = waiting
}

func (m *memory) settle(_ context.Context, one open, ap gate.Approval, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := one.at.(*kept)
	k.state, k.answer = answeredBy(ap), ap
	close(k.answered)
	return nil
}

func (m *memory) use(_ context.Context, one open) (gate.Approval, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.kept, one.at.(*kept))
	if i < 0 {
		return gate.Approval{}, false, nil
	}
	m.kept = slices.Delete(m.kept, i, i+1)
	return one.answer, true, nil
}
