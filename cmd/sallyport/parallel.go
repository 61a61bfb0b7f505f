package main

import (
	"context"
	"io"
	"iter"
	"sync"

	"sallyport/internal/hint"
)

// inOrder does work on items in parallel and hands the results to emit one by
// one, in the order of the items. Only a few results wait for their turn, so
// that memory does not grow with the number of items. An error of emit, or the
// end of ctx, stops the rest; every goroutine has ended when inOrder returns.
func inOrder[T, R any](ctx context.Context, items []T, workers int, work func(context.Context, T) R, emit func(R) error) error {
	type job struct {
		item T
		done chan R
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	todo := make(chan job)
	turn := make(chan job, 4*workers)
	wg.Go(func() {
		defer close(todo)
		defer close(turn)
		for _, it := range items {
			j := job{it, make(chan R, 1)}
			select {
			case turn <- j:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- j:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		wg.Go(func() {
			for j := range todo {
				j.done <- work(ctx, j.item)
			}
		})
	}
	for j := range turn {
		select {
		case r := <-j.done:
			if err := emit(r); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// interruptible does a work that cannot be stopped, and stops waiting for it
// when somebody interrupts. The work must leave nothing behind that counts: it
// ends with the process.
func interruptible[R any](ctx context.Context, work func() (R, error)) (R, error) {
	type outcome struct {
		result R
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := work()
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none R
		return none, ctx.Err()
	}
}

// untilInterrupted passes on what seq yields, and an error when ctx ends.
func untilInterrupted[V any](ctx context.Context, seq iter.Seq2[V, error]) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for v, err := range seq {
			if ctx.Err() != nil {
				v, err = *new(V), ctx.Err()
			}
			if !yield(v, err) || ctx.Err() != nil {
				return
			}
		}
	}
}

// readAll reads up to limit bytes of standard input, which may never end.
func readAll(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	b, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(r, limit)) })
	if err != nil && ctx.Err() == nil {
		return nil, hint.With(hint.Usage("cannot read standard input: %s", hint.Reason(err)), "give it something to read: a pipe, or <FILE")
	}
	return b, err
}
