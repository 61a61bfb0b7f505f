package gvisor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestSoak runs programs eight at a time while sandboxes and the pool's own
// processes are killed at random: every run answers or says why, and nothing
// is left. SOAK is the number of runs.
func TestSoak(t *testing.T) {
	runs := 48
	if n, err := strconv.Atoi(os.Getenv("SOAK")); err == nil {
		runs = n
	}
	tmp, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	t.Setenv("TMPDIR", tmp)
	state := filepath.Join(tmp, "s")
	descriptors, begun := openDescriptors(t), time.Now()
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH"), Warm: 3, WarmKinds: 2})
	if err != nil {
		t.Fatal(err)
	}
	quit, killed := make(chan struct{}), 0
	var killer, workers sync.WaitGroup
	killer.Go(func() { killed = killAtRandom(b.dir, quit) })
	var next, answered, broken atomic.Int64
	for range 8 {
		workers.Go(func() {
			for n := next.Add(1); n <= int64(runs); n = next.Add(1) {
				if n%500 == 0 {
					t.Logf("%d begun after %s", n, time.Since(begun).Round(time.Second))
				}
				s := soakSpec(int(n))
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				res, err := b.Run(ctx, s)
				cancel()
				switch want := fmt.Sprintln(n); {
				case err != nil && !strings.Contains(err.Error(), "removing"), res.Reason == sandbox.Killed:
					broken.Add(1)
				case err != nil || res.Reason == sandbox.Cancelled:
					t.Errorf("run %d: %v, %s", n, err, res.Reason)
				case res.Reason == sandbox.Exited && string(res.Stdout) == want, res.Reason == sandbox.TimedOut && n%7 == 0:
					answered.Add(1)
				default:
					t.Errorf("run %d: %s %d, %q, %s", n, res.Reason, res.Exit, res.Stdout, res.Stderr)
				}
			}
		})
	}
	workers.Wait()
	close(quit)
	killer.Wait()
	if err := b.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	t.Logf("%d answered, %d said why not, %d processes killed, %s", answered.Load(), broken.Load(), killed, time.Since(begun).Round(time.Second))
	if answered.Load() == 0 {
		t.Error("nothing was answered")
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
	for dir, shared := range map[string][]string{tmp: {"s"}, state: {"lock", "root-*", "interpreters.json"}} {
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

// soakSpec is a run of one of a few kinds; every seventh never ends.
func soakSpec(n int) sandbox.Spec {
	language, code := "python", fmt.Sprintf("print(%d)", n)
	if n%3 == 0 {
		language, code = "javascript", fmt.Sprintf("console.log(%d)", n)
	}
	if n%7 == 0 {
		language, code = "python", "while True: pass"
	}
	s := sandboxtest.Spec(language, code)
	s.Limits.Wall = 20 * time.Second
	if n%7 == 0 {
		s.Limits.Wall = time.Second / 2
	}
	return s
}

// killAtRandom kills runsc processes below dir until quit is closed.
func killAtRandom(dir string, quit <-chan struct{}) (killed int) {
	for {
		select {
		case <-quit:
			return killed
		case <-time.After(time.Duration(300+rand.IntN(900)) * time.Millisecond):
		}
		for p := range marked(dir) { // in no particular order
			if p.alive() && syscall.Kill(p.pid, syscall.SIGKILL) == nil {
				killed++
			}
			break
		}
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
