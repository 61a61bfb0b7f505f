package oci

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

// TestSoak runs programs through the pool, eight at a time, while supervisors,
// interpreters and runtimes are killed at random: every run answers or says
// why, and nothing is left. SOAK is the number of runs.
func TestSoak(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		runs := 40
		if n, err := strconv.Atoi(os.Getenv("SOAK")); err == nil {
			runs = n
		}
		o.Warm, o.WarmKinds = 3, 2
		descriptors := entries(t, "/proc/self/fd")
		b, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		quit, killed := make(chan struct{}), 0
		var killer, workers sync.WaitGroup
		killer.Go(func() { killed = killAtRandom(o.StateDir, quit) })
		var next, answered, broken atomic.Int64
		for range 8 {
			workers.Go(func() {
				for n := next.Add(1); n <= int64(runs); n = next.Add(1) {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					res, err := b.Run(ctx, soakSpec(int(n)))
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
		t.Logf("%d answered, %d said why not, %d processes killed", answered.Load(), broken.Load(), killed)
		if answered.Load() == 0 || int(broken.Load()) > runs/2 {
			t.Errorf("of %d runs %d answered", runs, answered.Load())
		}
		nothingLeft(t, o.StateDir, []string{b.dir})
		if now := entries(t, "/proc/self/fd"); len(now) > len(descriptors) {
			t.Errorf("%d descriptors open, %d before", len(now), len(descriptors))
		}
		for _, name := range entries(t, o.StateDir) {
			if !slices.ContainsFunc([]string{"lock", "root-*", "interpreters.json", "runtime-*.json"}, func(p string) bool { ok, _ := filepath.Match(p, name); return ok }) {
				t.Errorf("%s was left", name)
			}
		}
	})
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
	s.Limits.Wall = 30 * time.Second
	if n%7 == 0 {
		s.Limits.Wall = time.Second / 2
	}
	return s
}

// killAtRandom kills processes of containers until quit is closed: supervisors,
// interpreters, and runtimes that are about to start them.
func killAtRandom(state string, quit <-chan struct{}) (killed int) {
	for {
		select {
		case <-quit:
			return killed
		case <-time.After(time.Duration(300+rand.IntN(900)) * time.Millisecond):
		}
		if all := inside(state); len(all) > 0 && syscall.Kill(all[rand.IntN(len(all))], syscall.SIGKILL) == nil {
			killed++
		}
	}
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
