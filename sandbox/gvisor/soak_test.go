package gvisor

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestSoak runs programs eight at a time while sandboxes and the pool's own
// processes are killed at random: every run answers or says why, and nothing
// is left. SOAK is the number of runs.
func TestSoak(t *testing.T) {
	tmp := sandboxtest.ShortDir(t)
	t.Setenv("TMPDIR", tmp)
	state := filepath.Join(tmp, "s")
	descriptors := openDescriptors(t)
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH"), Warm: 3, WarmKinds: 2})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Soak(t, b, os.Getenv("SOAK"), func() bool {
		for p := range marked(b.dir) { // in no particular order
			return p.alive() && syscall.Kill(p.pid, syscall.SIGKILL) == nil
		}
		return false
	})
	if err := b.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	nothingLeft(t, state)
	if b.cgroups != nil {
		if left := groupsOf(b.cgroups, b.dir); len(left) > 0 {
			t.Errorf("control groups left: %q", left)
		}
	}
	if now := openDescriptors(t); now > descriptors {
		t.Errorf("%d descriptors open, %d before", now, descriptors)
	}
	onlyShared(t, tmp, state)
}

// onlyShared wants no file but those that all instances share, and no child.
func onlyShared(t *testing.T, tmp, state string) {
	t.Helper()
	for dir, shared := range map[string][]string{tmp: {"s"}, state: {"lock", "root-*", "image-*.erofs", "interpreters.json"}} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !slices.ContainsFunc(shared, func(p string) bool { ok, _ := filepath.Match(p, e.Name()); return ok }) {
				t.Errorf("%s was left in %s", e.Name(), dir)
			}
		}
	}
	if left := children(os.Getpid()); len(left) > 0 {
		t.Errorf("children left: %v", left)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	// Go opens what it waits with when it first needs it, and keeps that.
	if r, w, err := os.Pipe(); err == nil {
		closeAll(r, w)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
