package instance

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestManyAtOnce makes and removes instances in one state directory: whoever
// looks for what the dead left behind is in nobody's way.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				dir, alive, err := New(state, Remove)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
					t.Errorf("a living instance was removed: %v", err)
				}
				if err := Remove(dir); err != nil {
					t.Errorf("Remove: %v", err)
				}
				alive.Close()
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(filepath.Join(state, "live-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestDead removes what a dead process left, at whatever point it died.
func TestDead(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for dir, files := range map[string][]string{"live-1": nil, "live-2": {"lock"}, "live-3": {"lock", "file"}} {
		if err := os.Mkdir(filepath.Join(state, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(state, dir, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	living, alive, err := New(state, Remove)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	_, second, err := New(state, Remove)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if _, err := os.Stat(living); err != nil {
		t.Errorf("a living instance was removed: %v", err)
	}
	for _, dead := range []string{"live-1", "live-2", "live-3"} {
		if _, err := os.Stat(filepath.Join(state, dead)); err == nil {
			t.Errorf("%s was left", dead)
		}
	}
}
