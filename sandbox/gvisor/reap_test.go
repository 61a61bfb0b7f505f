package gvisor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox/sandboxtest"
)

// TestVictim is not a test of its own: TestReap starts it in a process of its
// own, and kills that in the middle of the run.
func TestVictim(t *testing.T) {
	state := os.Getenv("VICTIM_STATE")
	if state == "" {
		return
	}
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.BeVictim(t, b, nil)
}

// startVictim returns a process in the middle of a run.
func startVictim(t *testing.T, state string) *exec.Cmd {
	t.Helper()
	return sandboxtest.Victim(t, "VICTIM_STATE="+state, "RUNSC="+requireRunsc(t))
}

func TestReap(t *testing.T) {
	t.Parallel()
	state := sandboxtest.ShortDir(t)
	living, dying := startVictim(t, state), startVictim(t, state)
	if n := len(marked(state)); n < 6 {
		t.Fatalf("%d processes of two sandboxes", n)
	}
	if err := dying.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	dying.Wait()

	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	live, err := filepath.Glob(filepath.Join(state, "live-*"))
	if err != nil || len(live) != 2 {
		t.Errorf("instances left: %q, want that of the living and the new one", live)
	}
	if n := len(marked(state)); n < 3 {
		t.Errorf("%d processes: the living sandbox was reaped", n)
	}
	living.Process.Kill()
	living.Wait()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH")}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, state)
}

// nothingLeft wants no process, mount or file of any instance.
func nothingLeft(t *testing.T, state string) {
	t.Helper()
	for deadline := time.Now().Add(sandboxtest.Patient); len(marked(state)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("processes left: %v", marked(state))
		}
	}
	if live, err := filepath.Glob(filepath.Join(state, "live-*")); err != nil || len(live) > 0 {
		t.Errorf("instances left: %q", live)
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), state) {
		t.Errorf("mounts left: %s", mounts)
	}
}
