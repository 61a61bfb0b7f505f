package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"sallyport/telemetry"
)

// errBusy says that the queue is full.
var errBusy = errors.New("busy")

// turnstile lets a number of calls through at a time and the next ones in the
// order in which they came, up to a queue's length.
type turnstile struct {
	name           string
	parallel, most int                   // places, and calls that may wait for one
	observe        func(telemetry.Queue) // nil: nobody wants to know

	mu      sync.Mutex // guards the fields below
	running int
	waiting []chan struct{} // each is closed when its call is given a place
}

func newTurnstile(name string, parallel, queue int, observe func(telemetry.Queue)) *turnstile {
	return &turnstile{name: name, parallel: parallel, most: queue, observe: observe}
}

// enter waits for a place and returns how to give it back. The error is
// errBusy, or the cause of ctx's end.
func (t *turnstile) enter(ctx context.Context) (leave func(), err error) {
	came := time.Now()
	if err := t.wait(ctx); err != nil {
		t.tell(0)
		return nil, err
	}
	t.tell(time.Since(came))
	return func() {
		t.free()
		t.tell(0)
	}, nil
}

// tell says how the queue stands, and how long a call waited for its turn.
func (t *turnstile) tell(waited time.Duration) {
	if t.observe == nil {
		return
	}
	t.mu.Lock()
	q := telemetry.Queue{Name: t.name, Waiting: len(t.waiting), Running: t.running, Waited: waited}
	t.mu.Unlock()
	t.observe(q)
}

func (t *turnstile) wait(ctx context.Context) error {
	turn, err := t.queue()
	if turn == nil {
		return err
	}
	t.tell(0)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		t.giveUp(turn)
		return context.Cause(ctx)
	}
}

// queue takes a place, or one in the queue: then the channel is closed when it
// is this call's turn.
func (t *turnstile) queue() (chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.running < t.parallel:
		t.running++
		return nil, nil
	case len(t.waiting) >= t.most:
		return nil, errBusy
	}
	turn := make(chan struct{})
	t.waiting = append(t.waiting, turn)
	return turn, nil
}

// free gives a place to the call that has waited for longest.
func (t *turnstile) free() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.running--
		return
	}
	close(t.waiting[0])
	t.waiting = t.waiting[1:]
}

// giveUp takes a call out of the queue. One whose turn has come has a place to
// give back.
func (t *turnstile) giveUp(turn chan struct{}) {
	t.mu.Lock()
	i := slices.Index(t.waiting, turn)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.free()
	}
}
