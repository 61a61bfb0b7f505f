package main

import (
	"context"
	"sync"
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
