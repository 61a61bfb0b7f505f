package sandboxtest

import (
	"slices"
	"testing"
)

// TestShare holds that of the rows that backends share each runs once under each
// watcher, once in a sandbox that starts for it and once in one that waited, and that
// every other row runs everywhere, but for limits where sandboxes waited.
func TestShare(t *testing.T) {
	t.Setenv("ROWS_ALL", "")
	type way struct {
		watcher Watcher
		warm    bool
	}
	ran := map[string]map[way]int{}
	run := func(w way, o Options) {
		for _, r := range o.rows() {
			if ran[r.Name] == nil {
				ran[r.Name] = map[way]int{}
			}
			ran[r.Name][w]++
		}
	}
	for watcher, n := range backends {
		for part := range n {
			run(way{watcher, false}, Options{Share: watcher.Cold(part)})
		}
		run(way{watcher, true}, Options{Share: watcher.Warm(), Only: Unlimited()})
	}
	within := 0
	for _, r := range Rows() {
		got := map[way]int{}
		for _, w := range []Watcher{Supervisor, Witness} {
			for _, warm := range []bool{false, true} {
				got[way{w, warm}] = ran[r.Name][way{w, warm}]
			}
		}
		cold := func(w Watcher) int { return got[way{w, false}] }
		warm := func(w Watcher) int { return got[way{w, true}] }
		if r.Within {
			within++
			for _, w := range []Watcher{Supervisor, Witness} {
				if cold(w)+warm(w) != 1 {
					t.Errorf("%q runs %d times under watcher %d, want once", r.Name, cold(w)+warm(w), w)
				}
			}
			if cold(Supervisor)+cold(Witness) != 1 {
				t.Errorf("%q runs %d times cold, want once", r.Name, cold(Supervisor)+cold(Witness))
			}
			continue
		}
		waited := 0
		if slices.Contains(Unlimited(), r.Name) {
			waited = 1
		}
		for w, n := range backends {
			if cold(w) != n || warm(w) != waited {
				t.Errorf("%q runs %d times cold and %d warm under watcher %d, want %d and %d", r.Name, cold(w), warm(w), w, n, waited)
			}
		}
	}
	if within == 0 {
		t.Error("no row is shared")
	}
	for _, all := range []func() Share{
		func() Share { return Share{} },
		func() Share { t.Setenv("ROWS_ALL", "1"); return Supervisor.Cold(1) },
	} {
		if got := all().of(Rows()); !slices.EqualFunc(got, Rows(), func(a, b Row) bool { return a.Name == b.Name }) {
			t.Errorf("%d rows, want all of them", len(got))
		}
	}
}
