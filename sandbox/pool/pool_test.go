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
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
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
		f, ok := p.Take("a")
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
	if _, ok := p.Take("a"); ok {
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
	f, ok := p.Take("a")
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
	if _, ok := p.Take("a"); ok {
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
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
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
				if f, ok := p.Take(fmt.Sprint((i + j) % 4)); ok {
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
