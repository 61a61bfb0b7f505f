package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestInOrder(t *testing.T) {
	const workers = 4
	var ahead, most atomic.Int64
	var got []int
	work := func(_ context.Context, n int) int {
		if a := ahead.Add(1); a > most.Load() {
			most.Store(a)
		}
		if n%7 == 0 {
			time.Sleep(time.Millisecond) // later ones overtake
		}
		return n
	}
	emit := func(n int) error {
		ahead.Add(-1)
		got = append(got, n)
		return nil
	}
	if err := inOrder(context.Background(), numbers(500), workers, work, emit); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, numbers(500)) {
		t.Errorf("order %v", got)
	}
	if most.Load() > 6*workers {
		t.Errorf("%d results waited at once", most.Load())
	}
}

func TestInOrderStops(t *testing.T) {
	stop := errors.New("stop")
	var started, ended atomic.Int64
	work := func(_ context.Context, n int) int {
		started.Add(1)
		defer ended.Add(1)
		time.Sleep(100 * time.Microsecond)
		return n
	}
	err := inOrder(context.Background(), numbers(10000), 4, work, func(n int) error {
		if n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("inOrder() = %v, want the error of emit", err)
	}
	if s := started.Load(); s > 100 || s != ended.Load() {
		t.Errorf("%d started, %d ended: work went on", s, ended.Load())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := inOrder(ctx, numbers(10), 2, work, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("inOrder() with a done context = %v", err)
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b, total: 4}
	now := time.Unix(1000, 0)
	p.step(now)
	p.step(now.Add(progressEvery / 2))
	p.step(now.Add(2 * progressEvery))
	p.clear()
	p.clear()
	if got := b.String(); strings.Count(got, "checking [") != 2 || !strings.Contains(got, "3/4") || !strings.HasSuffix(got, "\r\x1b[K") || strings.HasSuffix(got, "\r\x1b[K\r\x1b[K") {
		t.Errorf("progress wrote %q", got)
	}
	// What is written to the same terminal takes the line away first.
	b.Reset()
	out := &outWriter{w: &b, before: p.clear}
	p.step(now.Add(9 * progressEvery))
	if _, err := out.Write([]byte("x")); err != nil || !strings.HasSuffix(b.String(), "4/4\r\x1b[Kx") {
		t.Errorf("on one terminal: %q, %v", b.String(), err)
	}
	tell := &speech{stderr: &b, env: func(string) (string, bool) { return "", false }}
	if tell.newProgress(100).w != nil {
		t.Error("progress on something that is no terminal")
	}
}
