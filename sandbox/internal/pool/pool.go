// Package pool keeps fresh sandboxes that wait for a program. Each serves one
// program and is destroyed; none ever comes back. Programs often come several at
// once: a pool that may grow has as many waiting as the largest burst of late had
// programs.
package pool

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// Item is a sandbox that waits for a program.
type Item interface {
	// Healthy reports, at once, whether the sandbox still waits.
	Healthy() bool
	// Close destroys it.
	Close() error
}

// Options says what a pool holds.
type Options[T Item] struct {
	// Start starts a sandbox of a kind and returns once it waits.
	Start func(ctx context.Context, kind string) (T, error)
	// PerKind is how many sandboxes of each kind wait at least; Kinds is how
	// many kinds there are at most. A further kind takes the place of the one
	// that was not asked for the longest. Zero of either keeps nothing.
	PerKind, Kinds int
	// Once is for a process that runs one program: in place of PerKind, one sandbox is
	// started of each kind that Keep names, and none after it.
	Once bool
	// Most is how many wait at most, of all kinds together, when bursts want
	// more than PerKind. Zero never grows.
	Most int
	// Plain is what is started in place of a kind while more callers come than may
	// find one waiting: it serves the same and prepares less. Nil is the kind itself.
	Plain func(kind string) string
	// Weigh is how many one of a kind counts for against Most; nil is one.
	Weigh func(kind string) int
	// Pause is how long no sandbox is begun to be started after one was handed
	// out: its program has the machine for itself, and is done by then if it is
	// like most. A call that got none has no program yet.
	Pause time.Duration
}

// Times between attempts to start a sandbox that would not start.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 10 * time.Second
)

// Requests that are not further apart are one burst; and how long a larger one is
// prepared for before the pool forgets half of it.
const (
	together = 250 * time.Millisecond
	memory   = 2 * time.Minute
)

// Pool is safe for concurrent use.
type Pool[T Item] struct {
	opts   Options[T]
	ctx    context.Context // of the sandboxes being started; done on Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex // guards what follows
	kinds   map[string]*shelf[T]
	clock   int64     // counts requests, to find the kind not asked for the longest
	hold    time.Time // nothing is begun before
	closed  bool
	filling bool
	forgets bool    // somebody looks whether bursts got smaller
	errs    []error // of closing items that nobody waited for
	changed chan struct{}

	asked chan struct{} // has one in it where who fills has to look again
}

// shelf holds the sandboxes of one kind.
type shelf[T Item] struct {
	items    []T
	want     int       // that wait
	burst    int       // requests of the one that is going on
	largest  int       // burst since the pool last forgot
	last     time.Time // request
	missed   time.Time // the last request for which none waited
	asked    int64
	starting bool   // one is on its way
	caller   chan T // of who waits for it; nil is nobody
	err      error  // of the last attempt to start one
	retry    time.Duration
	next     time.Time
}

// New returns an empty pool. The caller closes it.
func New[T Item](o Options[T]) *Pool[T] {
	ctx, cancel := context.WithCancel(context.Background())
	return &Pool[T]{opts: o, ctx: ctx, cancel: cancel, kinds: map[string]*shelf[T]{}, changed: make(chan struct{}), asked: make(chan struct{}, 1)}
}

// Take hands out a waiting sandbox of a kind, which is from then on the
// caller's to close, and has another one started in its place. It waits for one
// that is being started already, which will be there sooner than one that the
// caller starts beside it; where there is none, it reports false.
func (p *Pool[T]) Take(ctx context.Context, kind string) (item T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.shelf(kind)
	if s == nil {
		return item, false
	}
	p.learn(kind, s)
	item, ok = p.take(s)
	if ok || !p.comes(s) || s.caller != nil {
		return item, ok
	}
	mine := make(chan T, 1)
	s.caller = mine
	p.mu.Unlock()
	select {
	case item, ok = <-mine:
	case <-ctx.Done():
	}
	p.mu.Lock()
	if s.caller == mine {
		s.caller = nil // gone before it was there
	} else if !ok {
		item, ok = <-mine // it was there as the caller went
	}
	return item, ok
}

// take is Take of what waits now, for a caller that holds the lock.
func (p *Pool[T]) take(s *shelf[T]) (item T, ok bool) {
	for len(s.items) > 0 && !ok {
		item, s.items = s.items[0], s.items[1:]
		if ok = item.Healthy(); !ok {
			p.discard(item)
		}
	}
	if ok {
		p.hold = time.Now().Add(p.opts.Pause)
	} else {
		s.missed = time.Now()
	}
	p.fill()
	return item, ok
}

// Keep has a kind kept from now on.
func (p *Pool[T]) Keep(kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.shelf(kind); s != nil {
		if p.opts.Once {
			s.want = 1
		}
		p.fill()
	}
}

// comes reports whether one is being started, or will be next.
func (p *Pool[T]) comes(s *shelf[T]) bool { return s.starting || p.opts.Once && s.want > 0 }

// Wait has a kind kept from now on and returns when its sandboxes wait, or
// with the reason why they do not.
func (p *Pool[T]) Wait(ctx context.Context, kind string) error {
	for {
		p.mu.Lock()
		s := p.shelf(kind)
		if s == nil {
			p.mu.Unlock()
			return errors.New("the pool keeps nothing")
		}
		p.fill()
		full, err, changed := len(s.items) >= s.want, s.err, p.changed
		p.mu.Unlock()
		if full || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close destroys every sandbox that waits and returns when all are gone.
func (p *Pool[T]) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for kind := range p.kinds {
		p.drop(kind)
	}
	p.mu.Unlock()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.errs...)
}

// shelf finds or makes the shelf of a kind, nil where there is none. The
// caller holds the lock, as of every method below.
func (p *Pool[T]) shelf(kind string) *shelf[T] {
	if p.closed || p.opts.PerKind <= 0 && !p.opts.Once || p.opts.Kinds <= 0 {
		return nil
	}
	p.clock++
	s := p.kinds[kind]
	if s == nil {
		for len(p.kinds) >= p.opts.Kinds {
			oldest := ""
			for k, other := range p.kinds {
				if oldest == "" || other.asked < p.kinds[oldest].asked {
					oldest = k
				}
			}
			p.drop(oldest)
		}
		s = &shelf[T]{want: p.opts.PerKind}
		p.kinds[kind] = s
	}
	s.asked = p.clock
	return s
}

// learn counts a request of a kind, and has more wait where a burst wants more
// than there are.
func (p *Pool[T]) learn(kind string, s *shelf[T]) {
	now := time.Now()
	if now.Sub(s.last) > together {
		s.burst = 0
	}
	s.burst, s.last = s.burst+1, now
	s.largest = max(s.largest, s.burst)
	room := p.opts.Most
	for k, other := range p.kinds {
		room -= other.want * p.weight(k)
	}
	if s.burst > s.want && room >= p.weight(kind) {
		s.want++
		p.forget()
	}
}

func (p *Pool[T]) weight(kind string) int {
	if p.opts.Weigh == nil {
		return 1
	}
	return p.opts.Weigh(kind)
}

// forget sees to it that somebody looks, as long as more wait than PerKind,
// whether they are still wanted.
func (p *Pool[T]) forget() {
	if p.forgets || p.closed {
		return
	}
	p.forgets = true
	p.wg.Go(func() {
		for {
			select {
			case <-time.After(memory):
			case <-p.ctx.Done():
				return
			}
			if !p.forgetHalf() {
				return
			}
		}
	})
}

// forgetHalf has fewer wait of each kind whose bursts got smaller, by half at
// most, and reports whether there is more to forget.
func (p *Pool[T]) forgetHalf() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgets = false
	for _, s := range p.kinds {
		s.want = max(p.opts.PerKind, min(s.want, s.largest), s.want/2)
		s.largest = 0
		for len(s.items) > s.want {
			p.discard(s.items[0])
			s.items = s.items[1:]
		}
		p.forgets = p.forgets || s.want > p.opts.PerKind
	}
	return p.forgets
}

// arrived gives the sandbox that was on its way to who waits for it, before
// anybody who asks later, and else has it wait.
func (p *Pool[T]) arrived(s *shelf[T], item T) {
	if s.caller == nil {
		s.items = append(s.items, item)
		return
	}
	p.hold = time.Now().Add(p.opts.Pause)
	s.caller <- item // there is room for it
	s.caller = nil
}

// none tells who waits that there will be no sandbox.
func (s *shelf[T]) none() {
	if s.caller != nil {
		close(s.caller)
		s.caller = nil
	}
}

func (p *Pool[T]) drop(kind string) {
	p.kinds[kind].none()
	for _, item := range p.kinds[kind].items {
		p.discard(item)
	}
	delete(p.kinds, kind)
}

// discard destroys an item in the background; Close waits for it.
func (p *Pool[T]) discard(item T) {
	p.wg.Go(func() {
		if err := item.Close(); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.errs = append(p.errs, err)
		}
	})
}

// fill sees to it that somebody fills the shelves: one sandbox at a time, so
// that starting them leaves the machine to the programs that run.
func (p *Pool[T]) fill() {
	if p.closed {
		return
	}
	if p.filling {
		select {
		case p.asked <- struct{}{}: // it may wait for another kind, and for long
		default:
		}
		return
	}
	p.filling = true
	p.wg.Go(func() {
		for p.fillOne() {
		}
	})
}

// fillOne starts the sandbox that is missed most and reports whether there is
// more to do.
func (p *Pool[T]) fillOne() bool {
	p.mu.Lock()
	kind, wait, missing := p.missing()
	if !missing {
		p.filling = false
		p.mu.Unlock()
		return false
	}
	if wait > 0 {
		p.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-p.asked:
		case <-p.ctx.Done():
		}
		return true
	}
	s := p.kinds[kind]
	s.starting = true
	if p.opts.Once {
		s.want = 0
	}
	start := kind
	if p.opts.Plain != nil && s.burst > s.want && time.Since(s.missed) <= together {
		start = p.opts.Plain(kind)
	}
	p.mu.Unlock()
	item, err := p.opts.Start(p.ctx, start)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { close(p.changed); p.changed = make(chan struct{}) }()
	s.starting = false
	s = p.kinds[kind] // another one by now, or none
	switch {
	case err != nil && s != nil:
		s.err = err
		s.retry = min(max(2*s.retry, firstRetry), lastRetry)
		s.next = time.Now().Add(s.retry)
		s.none()
	case err != nil:
	case s == nil:
		p.discard(item)
	default:
		s.err, s.retry = nil, 0
		p.arrived(s, item)
	}
	return true
}

// missing returns the kind with the fewest sandboxes that may be started now,
// or how long to wait for the first that may.
func (p *Pool[T]) missing() (kind string, wait time.Duration, ok bool) {
	if p.closed {
		return "", 0, false
	}
	now := time.Now()
	fewest := math.MaxInt
	for k, s := range p.kinds {
		if len(s.items) >= s.want {
			continue
		}
		if w := max(s.next.Sub(now), p.hold.Sub(now)); w > 0 {
			if !ok || wait > 0 && w < wait {
				wait, ok = w, true
			}
			continue
		}
		if len(s.items) < fewest {
			kind, fewest, wait, ok = k, len(s.items), 0, true
		}
	}
	return kind, wait, ok
}
