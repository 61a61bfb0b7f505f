package main

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/proc"
)

// TestWarmThreads wants a supervisor that has warmed its threads to start none
// later: such a one has a number that the program may aim at.
func TestWarmThreads(t *testing.T) {
	const total = 24
	if os.Getenv("WARM_THREADS") != "" {
		warmThreads(total)
		warm, err := proc.Of("self")
		if err != nil || warm.Threads < total {
			t.Fatalf("%d threads are warm, %v, want %d", warm.Threads, err, total)
		}
		var blocked sync.WaitGroup
		for range total / 2 {
			blocked.Go(func() { _, _ = unix.Poll(nil, 20) })
		}
		blocked.Wait()
		if now, err := proc.Of("self"); err != nil || now.Threads != warm.Threads {
			t.Fatalf("%d threads, %v, want the %d that were warm", now.Threads, err, warm.Threads)
		}
		return
	}
	for range 25 { // each in a process of its own, which has no threads yet
		cmd := exec.Command(os.Args[0], "-test.run", "^TestWarmThreads$")
		cmd.Env = append(os.Environ(), "WARM_THREADS=1", "GOMAXPROCS=2")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
}
