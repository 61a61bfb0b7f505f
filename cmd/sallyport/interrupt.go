package main

import (
	"context"
	"io"
	"iter"
)

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
		return nil, withHint(usagef("cannot read standard input: %s", plain(err)), "give it something to read: a pipe, or <FILE")
	}
	return b, err
}
