package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// slow starts a sandbox in a second of time that costs nothing, and fails where
// the world does.
func (w *world) slow(ctx context.Context, kind string) (*fake, error) {
	select {
	case <-time.After(time.Second):
		return w.start(ctx, kind)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// took is what a call got, and how long after the test began to have it.
type took struct {
	item  *fake
	after time.Duration
}

// asks makes a call in the background, once a sandbox is on its way.
func asks(ctx context.Context, p *Pool[*fake], kind string, began time.Time) <-chan took {
	synctest.Wait()
	got := make(chan took, 1)
	go func() {
		f, _ := p.Take(ctx, kind)
		got <- took{f, time.Since(began)}
	}()
	synctest.Wait()
	return got
}

// TestAwaited has a call get the sandbox that was on its way when it asked, and
// not one of those that the pool starts behind it.
func TestAwaited(t *testing.T) {
	for name, row := range map[string]struct {
		kinds, others int                                               // and who asks in the very moment it is there
		meanwhile     func(p *Pool[*fake], w *world, gone func()) error // half-way
		want          bool
		after         time.Duration
	}{
		"the pool is empty":               {kinds: 1, want: true, after: time.Second},
		"others ask as it comes":          {kinds: 1, others: 50, want: true, after: time.Second},
		"the call is gone":                {kinds: 1, meanwhile: func(_ *Pool[*fake], _ *world, gone func()) error { gone(); return nil }, after: time.Second / 2},
		"it does not start":               {kinds: 1, meanwhile: func(_ *Pool[*fake], w *world, _ func()) error { w.fail.Store(true); return nil }, after: time.Second},
		"its kind is not kept any longer": {kinds: 1, meanwhile: func(p *Pool[*fake], _ *world, _ func()) error { p.Take(context.Background(), "b"); return nil }, after: time.Second / 2},
		"the pool is closed":              {kinds: 1, meanwhile: func(p *Pool[*fake], _ *world, _ func()) error { return p.Close() }, after: time.Second / 2},
		"its kind is one of two":          {kinds: 2, meanwhile: func(p *Pool[*fake], _ *world, _ func()) error { p.Take(context.Background(), "b"); return nil }, want: true, after: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w world
				p := New(Options[*fake]{Start: w.slow, PerKind: 4, Kinds: row.kinds})
				began := time.Now()
				if _, ok := p.Take(t.Context(), "a"); ok {
					t.Fatal("a sandbox from nowhere")
				}
				ctx, gone := context.WithCancel(t.Context())
				defer gone()
				got := asks(ctx, p, "a", began)
				for range row.others {
					go func() {
						time.Sleep(time.Second)
						if f, ok := p.Take(t.Context(), "a"); ok {
							_ = f.Close()
						}
					}()
				}
				time.Sleep(time.Second / 2)
				if row.meanwhile != nil {
					if err := row.meanwhile(p, &w, gone); err != nil {
						t.Fatal(err)
					}
				}
				had := <-got
				if (had.item != nil) != row.want || had.after != row.after {
					t.Errorf("got one: %v, after %v; want %v, after %v", had.item != nil, had.after, row.want, row.after)
				}
				if had.item != nil {
					_ = had.item.Close()
				}
				if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if n := w.open.Load(); n != 0 {
					t.Errorf("%d sandboxes left", n)
				}
			})
		})
	}
}

// TestGoneAsItComes has calls go in the moment in which their sandbox is there:
// it is theirs or it waits, and is never lost.
func TestGoneAsItComes(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			var w world
			p := New(Options[*fake]{Start: w.slow, PerKind: 1, Kinds: 1})
			began := time.Now()
			p.Take(t.Context(), "a")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			had := <-asks(ctx, p, "a", began)
			synctest.Wait()
			if had.item == nil {
				f, ok := p.Take(t.Context(), "a")
				if !ok || time.Since(began) != time.Second {
					t.Fatal("the sandbox of a call that went does not wait")
				}
				had.item = f
			}
			_ = had.item.Close()
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if n := w.open.Load(); n != 0 {
				t.Errorf("%d sandboxes left", n)
			}
		})
	}
}

// TestPauseIsOfPrograms has calls for which nothing waits come faster than pauses
// end: they have no program that needs the machine, and keep nothing from starting.
func TestPauseIsOfPrograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		p := New(Options[*fake]{Start: w.slow, PerKind: 1, Kinds: 1, Pause: 30 * time.Millisecond})
		began := time.Now()
		for time.Since(began) < time.Minute && w.started.Load() == 0 {
			go func() {
				if f, ok := p.Take(t.Context(), "a"); ok {
					_ = f.Close()
				}
			}()
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the first sandbox is there after %v", took)
		}
		if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// TestOtherKindFails has a sandbox start of a kind that works while the pool waits
// to try another kind again, which does not.
func TestOtherKindFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w world
		p := New(Options[*fake]{PerKind: 1, Kinds: 2, Start: func(ctx context.Context, kind string) (*fake, error) {
			if kind == "broken" {
				return nil, errors.New("no room")
			}
			return w.slow(ctx, kind)
		}})
		p.Take(t.Context(), "broken")
		time.Sleep(time.Minute) // by now it is tried every ten seconds
		p.Take(t.Context(), "a")
		began := time.Now()
		if err := p.Wait(t.Context(), "a"); err != nil || time.Since(began) > time.Second {
			t.Errorf("Wait = %v, after %v", err, time.Since(began))
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("%d sandboxes left", n)
		}
	})
}
