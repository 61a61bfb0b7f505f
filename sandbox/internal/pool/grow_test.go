package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// burst takes n sandboxes of a kind at once, and has their programs end.
func burst(t *testing.T, p *Pool[*fake], kind string, n int) {
	t.Helper()
	for range n {
		if f, ok := p.Take(t.Context(), kind); ok {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestPoolFollowsDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		p := New(Options[*fake]{Start: w.start, PerKind: 1, Kinds: 2, Most: 6})
		waits := func(when string, want int64) {
			t.Helper()
			synctest.Wait()
			if got := w.open.Load(); got != want {
				t.Errorf("%s: %d sandboxes wait, want %d", when, got, want)
			}
		}
		for range 10 {
			burst(t, p, "a", 1)
			time.Sleep(2 * together)
		}
		waits("one call at a time", 1)
		burst(t, p, "a", 4)
		waits("a burst of four", 4)
		burst(t, p, "b", 100)
		waits("more of another kind than there is room for", 6)

		time.Sleep(memory - time.Second)
		burst(t, p, "a", 4)
		time.Sleep(2 * time.Second) // both bursts lie in what is remembered
		waits("a burst as large as before", 6)
		time.Sleep(memory)
		waits("a while after the last burst", 2+1)
		time.Sleep(memory)
		waits("long after it", 2)
		burst(t, p, "b", 3)
		waits("another burst", 1+3)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		waits("closed", 0)
	})
}

// TestPoolWeighs has kinds that count for more than one of the others.
func TestPoolWeighs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		weigh := func(kind string) int { return map[string]int{"light": 1, "heavy": 5}[kind] }
		p := New(Options[*fake]{Start: w.start, PerKind: 1, Kinds: 2, Most: 14, Weigh: weigh})
		burst(t, p, "heavy", 10)
		synctest.Wait()
		if n := w.open.Load(); n != 2 {
			t.Errorf("%d of five each wait where there is room for 14, want 2", n)
		}
		burst(t, p, "light", 10)
		synctest.Wait()
		if n := w.open.Load(); n != 2+4 {
			t.Errorf("%d wait, want 2 of five and 4 of one", n)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPoolThatMayNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		p := New(Options[*fake]{Start: w.start, PerKind: 2, Kinds: 2})
		burst(t, p, "a", 50)
		synctest.Wait()
		if n := w.open.Load(); n != 2 {
			t.Errorf("%d sandboxes wait, want 2", n)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPlainUnderLoad: sandboxes prepare nothing while calls come faster than those can
// be started, and do again for calls that come one at a time.
func TestPlainUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		kinds := map[string]int{}
		p := New(Options[*fake]{PerKind: 1, Kinds: 1, Plain: func(kind string) string { return "plain " + kind }, Start: func(ctx context.Context, kind string) (*fake, error) {
			kinds[kind]++ // one is started at a time
			return w.slow(ctx, kind)
		}})
		take := func() {
			if f, ok := p.Take(t.Context(), "a"); ok {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		for range 5 {
			take()
			time.Sleep(10 * time.Second)
		}
		if kinds["plain a"] > 0 || kinds["a"] == 0 {
			t.Errorf("calls one at a time: %v", kinds)
		}
		for range 20 {
			go take()
			time.Sleep(100 * time.Millisecond)
		}
		if kinds["plain a"] == 0 {
			t.Errorf("more calls than sandboxes: %v", kinds)
		}
		time.Sleep(10 * time.Second)
		clear(kinds)
		take()
		time.Sleep(10 * time.Second)
		if kinds["plain a"] > 0 || kinds["a"] == 0 {
			t.Errorf("afterwards: %v", kinds)
		}
		if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}
