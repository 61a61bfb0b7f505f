package mcp

import (
	"context"
	"errors"
	"sync"
)

// errBusy says that the queue is full.
var errBusy = errors.New("busy")

// turnstile lets a number of calls through at a time and the next ones in the
// order in which they came, up to a queue's length.
type turnstile struct {
	slots chan struct{} // blocked senders of a channel are served in order
	most  int

	mu      sync.Mutex // guards waiting
	waiting int
}

func newTurnstile(parallel, queue int) *turnstile {
	return &turnstile{slots: make(chan struct{}, parallel), most: queue}
}

// enter waits for a place and returns how to give it back. The error is
// errBusy, or the cause of ctx's end.
func (t *turnstile) enter(ctx context.Context) (leave func(), err error) {
	if err := t.wait(ctx); err != nil {
		return nil, err
	}
	return func() { <-t.slots }, nil
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
