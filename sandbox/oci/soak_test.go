package oci

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestSoak runs programs through the pool, eight at a time, while supervisors,
// interpreters and runtimes are killed at random: every run answers or says
// why, and nothing is left. SOAK is the number of runs.
func TestSoak(t *testing.T) {
	before := len(entries(t, "/proc/self/fd"))
	t.Run("of", soakEach) // returns when the runtimes are done, which run beside each other
	if now := len(entries(t, "/proc/self/fd")); now > before {
		t.Errorf("%d descriptors open, %d before", now, before)
	}
}

func soakEach(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		o.Warm, o.WarmKinds = 3, 2
		b, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		sandboxtest.Soak(t, b, os.Getenv("SOAK"), func() bool {
			all := inside(o.StateDir) // supervisors, interpreters, and runtimes that are about to start them
			return len(all) > 0 && syscall.Kill(all[rand.IntN(len(all))], syscall.SIGKILL) == nil
		})
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		nothingLeft(t, o.StateDir, []string{b.dir})
		for _, name := range entries(t, o.StateDir) {
			if !slices.ContainsFunc([]string{"lock", "root-*", "interpreters.json", "runtime-*.json"}, func(p string) bool { ok, _ := filepath.Match(p, name); return ok }) {
				t.Errorf("%s was left", name)
			}
		}
	})
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
