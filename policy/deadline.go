package policy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"
)

// hangTime is how long an evaluation may go on after it was told to stop: many
// times what it needs to come to the next place where it looks, also on a
// machine that is busy: a server ends for it.
const hangTime = 2 * time.Second

// errHung is the error of an evaluation that does not stop when it is told to.
var errHung = errors.New("the evaluation of a rule cannot be stopped")

// watchdog sees to it that a deadline is one. It is nil in no Engine of New.
type watchdog struct {
	hung func()

	mu   sync.Mutex
	bark bool // an evaluation hangs
}

// eval evaluates until ctx is done and little longer. An evaluation that goes on
// all the same is left alone, since nobody can end a goroutine: its engine
// evaluates nothing any more.
func (w *watchdog) eval(ctx context.Context, query rego.PreparedEvalQuery, opts ...rego.EvalOption) (rego.ResultSet, error) {
	if w.hangs() {
		return nil, errHung
	}
	type outcome struct {
		rs       rego.ResultSet
		err      error
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.rs, o.err = query.Eval(ctx, opts...)
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(hangTime)
		defer timer.Stop()
		select {
		case o = <-done:
		case <-timer.C:
			w.hang()
			return nil, errHung
		}
	}
	if o.panicked != nil {
		panic(o.panicked) // Decide makes a denial of it
	}
	return o.rs, o.err
}

func (w *watchdog) hangs() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bark
}

func (w *watchdog) hang() {
	w.mu.Lock()
	first := !w.bark
	w.bark = true
	w.mu.Unlock()
	if first && w.hung != nil {
		w.hung()
	}
}
