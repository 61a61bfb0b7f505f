package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fake is a sandbox without walls.
type fake struct {
	kind   string
	sick   atomic.Bool
	closed atomic.Bool
	world  *world
}

func (f *fake) Healthy() bool { return !f.sick.Load() }

func (f *fake) Close() error {
	if f.closed.Swap(true) {
		return errors.New("closed twice")
	}
	f.world.open.Add(-1)
	return nil
}

// world counts the fakes there are.
type world struct {
	open, started atomic.Int64
	fail          atomic.Bool
}

func (w *world) start(_ context.Context, kind string) (*fake, error) {
	if w.fail.Load() {
		return nil, errors.New("no room")
	}
	w.open.Add(1)
	w.started.Add(1)
	return &fake{kind: kind, world: w}, nil
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestTakeRefills(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start, PerKind: 2, Kinds: 2})
	if err := p.Wait(testContext(t), "a"); err != nil {
		t.Fatal(err)
	}
	seen := map[*fake]bool{}
	for range 5 {
		f, ok := p.Take(t.Context(), "a")
		if !ok || f.kind != "a" || seen[f] {
			t.Fatalf("Take = %v, %v, seen %v", f, ok, seen[f])
		}
		seen[f] = true
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(testContext(t), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := w.open.Load(); n != 0 {
		t.Errorf("%d sandboxes left after Close", n)
	}
	if _, ok := p.Take(t.Context(), "a"); ok {
		t.Error("Take succeeds after Close")
	}
}

func TestUnhealthyIsNotHandedOut(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start, PerKind: 2, Kinds: 1})
	defer p.Close()
	if err := p.Wait(testContext(t), "a"); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	sick := p.kinds["a"].items[0]
	p.mu.Unlock()
	sick.sick.Store(true)
	f, ok := p.Take(t.Context(), "a")
	if !ok || f == sick {
		t.Errorf("Take = %v, %v, want the healthy one", f, ok)
	}
	f.Close()
}

func TestKindsAreBounded(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start, PerKind: 2, Kinds: 3})
	for i := range 10 {
		if err := p.Wait(testContext(t), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.kinds); n != 3 {
		t.Errorf("%d kinds", n)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := w.open.Load(); n != 0 {
		t.Errorf("%d sandboxes left", n)
	}
}

func TestNothingKept(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start})
	if _, ok := p.Take(t.Context(), "a"); ok {
		t.Error("Take from a pool that keeps nothing")
	}
	if err := p.Close(); err != nil || w.started.Load() != 0 {
		t.Errorf("Close = %v, %d started", err, w.started.Load())
	}
}

func TestStartFails(t *testing.T) {
	var w world
	w.fail.Store(true)
	p := New(Options[*fake]{Start: w.start, PerKind: 1, Kinds: 1})
	defer p.Close()
	if err := p.Wait(testContext(t), "a"); err == nil || err.Error() != "no room" {
		t.Errorf("Wait = %v", err)
	}
	w.fail.Store(false)
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if err := p.Wait(testContext(t), "a"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the pool did not recover")
		}
	}
}

func TestConcurrent(t *testing.T) {
	var w world
	p := New(Options[*fake]{Start: w.start, PerKind: 3, Kinds: 2})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 500 {
				if f, ok := p.Take(t.Context(), fmt.Sprint((i+j)%4)); ok {
					if err := f.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if n := w.open.Load(); n != 0 {
		t.Errorf("%d sandboxes left", n)
	}
}

// TestPause has the pool leave the machine to the program that asked.
func TestPause(t *testing.T) {
	var w world
	const pause = 200 * time.Millisecond
	p := New(Options[*fake]{Start: w.start, PerKind: 2, Kinds: 1, Pause: pause})
	defer p.Close()
	if err := p.Wait(testContext(t), "a"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f, ok := p.Take(t.Context(), "a")
	if !ok {
		t.Fatal("nothing to take")
	}
	defer f.Close()
	if err := p.Wait(testContext(t), "a"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < pause {
		t.Errorf("another one is there after %v, before the pause of %v is over", took, pause)
	}
}

// TestTake has one caller wait for the sandbox that is on its way, and
// sends the next one away to start its own.
func TestTake(t *testing.T) {
	var w world
	begun, finish := make(chan struct{}), make(chan struct{})
	p := New(Options[*fake]{PerKind: 1, Kinds: 1, Start: func(ctx context.Context, kind string) (*fake, error) {
		select {
		case begun <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case <-finish:
			return w.start(ctx, kind)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	defer p.Close()
	if _, ok := p.Take(testContext(t), "a"); ok {
		t.Fatal("a sandbox from nowhere")
	}
	<-begun
	got := make(chan bool)
	go func() {
		f, ok := p.Take(testContext(t), "a")
		if ok {
			defer f.Close()
		}
		got <- ok
	}()
	for awaited := false; !awaited; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		awaited = p.kinds["a"].caller != nil
		p.mu.Unlock()
	}
	if _, ok := p.Take(testContext(t), "a"); ok {
		t.Error("two for one")
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := p.Take(gone, "a"); ok {
		t.Error("a sandbox for a caller that is gone")
	}
	finish <- struct{}{}
	if !<-got {
		t.Error("the sandbox that was awaited went elsewhere")
	}
}
