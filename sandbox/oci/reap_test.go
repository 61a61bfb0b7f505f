package oci

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/sandboxtest"
)

// TestVictim is not a test of its own: TestReap starts it in a process of its
// own, and kills that in the middle of the run.
func TestVictim(t *testing.T) {
	state := os.Getenv("VICTIM_STATE")
	if state == "" {
		return
	}
	b, err := New(Options{Runtime: os.Getenv("VICTIM_RUNTIME"), Guest: guest, StateDir: state, Path: os.Getenv("PATH"), Warm: 1})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.BeVictim(t, b, b.Warm)
}

// startVictim returns a process in the middle of a run.
func startVictim(t *testing.T, o Options) *exec.Cmd {
	t.Helper()
	return sandboxtest.Victim(t, "VICTIM_STATE="+o.StateDir, "VICTIM_RUNTIME="+o.Runtime, "SALLYPORT_TEST_GUEST="+o.Guest)
}

// TestReap: the containers of an instance that was killed end by themselves,
// because their supervisors hear nothing more; the next instance takes away what
// is left of them, and nothing of one that lives.
func TestReap(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		living, dying := startVictim(t, o), startVictim(t, o)
		if err := dying.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		dying.Wait()
		b, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		live, err := filepath.Glob(filepath.Join(o.StateDir, "live-*"))
		for deadline := time.Now().Add(sandboxtest.Patient); len(live) > 2 && time.Now().Before(deadline); {
			// A process that it was just about to start held its lock a moment
			// longer than itself.
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			if b, err = New(o); err != nil {
				t.Fatal(err)
			}
			live, err = filepath.Glob(filepath.Join(o.StateDir, "live-*"))
		}
		if err != nil || len(live) != 2 {
			t.Errorf("instances left: %q, want that of the living and the new one", live)
		}
		if n := len(inside(o.StateDir)); n < 3 {
			t.Errorf("%d processes: the living containers were reaped", n)
		}
		living.Process.Kill()
		living.Wait()
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if b, err = New(o); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, o.StateDir, live)
	})
}

// TestStopLeavesNothing wants no process of a run when Run returns, however it
// was stopped.
func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		b := open(t, o)
		sandboxtest.StopLeavesNothing(t, b, func(stopped sandbox.Reason) {
			if left := inside(o.StateDir); len(left) > 0 {
				t.Errorf("after %s: processes left: %v", stopped, left)
			}
			if files, _ := filepath.Glob(filepath.Join(b.dir, "sallyport-*")); len(files) > 0 {
				t.Errorf("after %s: bundles left: %q", stopped, files)
			}
		})
	})
}

// TestGivenUpWhileStarting: a runtime that is killed at any moment of a start
// leaves nothing that is waited for, and nothing behind.
func TestGivenUpWhileStarting(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		b, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := sandboxtest.Spec("python", "print(1)")
		run(t, b, s)
		for delay := time.Duration(0); delay < 80*time.Millisecond; delay += 4 * time.Millisecond {
			ctx, cancel := context.WithTimeout(context.Background(), delay)
			res, err := b.Run(ctx, s)
			cancel()
			if err != nil {
				t.Errorf("given up after %s: %s, %v", delay, res.Reason, err)
			}
		}
		b.boxes.Settled()
		if left, _ := filepath.Glob(filepath.Join(b.dir, "runtime", "*")); len(left) > 0 {
			t.Errorf("containers left: %q", left)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		nothingLeft(t, o.StateDir, []string{b.dir})
	})
}

// inside are the processes whose files are below a state directory.
func inside(state string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	for _, path := range all {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		data, rerr := os.ReadFile(path)
		if errors.Join(err, rerr) == nil && strings.Contains(string(data), state+"/root-") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// nothingLeft wants no process, mount, control group or file of instances.
func nothingLeft(t *testing.T, state string, instances []string) {
	t.Helper()
	for deadline := time.Now().Add(sandboxtest.Patient); len(inside(state)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("processes left: %v", inside(state))
		}
	}
	if live, err := filepath.Glob(filepath.Join(state, "live-*")); err != nil || len(live) > 0 {
		t.Errorf("instances left: %q", live)
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), state) {
		t.Errorf("mounts left: %s", mounts)
	}
	for _, dir := range instances {
		left, err := filepath.Glob("/sys/fs/cgroup/*/" + cgroup.Prefix(dir) + "*")
		deeper, derr := filepath.Glob("/sys/fs/cgroup/*/*/*/" + cgroup.Prefix(dir) + "*")
		if left = append(left, deeper...); errors.Join(err, derr) != nil || len(left) > 0 {
			t.Errorf("control groups left: %q", left)
		}
	}
}
