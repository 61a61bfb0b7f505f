package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"sallyport/telemetry"
)

// errBusy says that the queue is full.
var errBusy = errors.New("busy")

// turnstile lets a number of calls through at a time and the next ones in the
// order in which they came, up to a queue's length.
type turnstile struct {
	name    string
	slots   chan struct{} // blocked senders of a channel are served in order
	most    int
	observe func(telemetry.Queue) // nil: nobody wants to know

	mu      sync.Mutex // guards waiting
	waiting int
}

func newTurnstile(name string, parallel, queue int, observe func(telemetry.Queue)) *turnstile {
	return &turnstile{name: name, slots: make(chan struct{}, parallel), most: queue, observe: observe}
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
		<-t.slots
		t.tell(0)
	}, nil
}

// tell says how the queue stands, and how long a call waited for its turn.
func (t *turnstile) tell(waited time.Duration) {
	if t.observe == nil {
		return
	}
	t.mu.Lock()
	waiting := t.waiting
	t.mu.Unlock()
	t.observe(telemetry.Queue{Name: t.name, Waiting: waiting, Running: len(t.slots), Waited: waited})
}

func (t *turnstile) wait(ctx context.Context) error {
	select {
	case t.slots <- struct{}{}:
		return nil
	default:
	}
	if !t.queue(1) {
		return errBusy
	}
	defer t.queue(-1)
	t.tell(0)
	select {
	case t.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *turnstile) queue(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > 0 && t.waiting >= t.most {
		return false
	}
	t.waiting += n
	return true
}
