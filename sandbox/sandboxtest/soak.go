package sandboxtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sallyport/sandbox"
)

// fewRuns are for every test run; a soak proper is asked for.
const fewRuns = 40

// Soak runs programs in b eight at a time, while kill is called at random to
// kill one of b's sandboxes or processes and to report whether it did: every
// run answers or says why not. runs is a number of runs, "" for a few. What is
// left when b is closed is the caller's to look at.
func Soak(t *testing.T, b sandbox.Backend, runs string, kill func() bool) {
	t.Helper()
	total, err := fewRuns, error(nil)
	if runs != "" {
		if total, err = strconv.Atoi(runs); err != nil {
			t.Fatal(err)
		}
	}
	quit, killed := make(chan struct{}), 0
	var killer, workers sync.WaitGroup
	begun := time.Now()
	var next, answered, broken atomic.Int64
	killer.Go(func() {
		killed = killAtRandom(kill, quit, func() int64 { return answered.Load() + broken.Load() })
	})
	for range 8 {
		workers.Go(func() {
			for n := int(next.Add(1)); n <= total; n = int(next.Add(1)) {
				if n%500 == 0 {
					t.Logf("%d begun after %s", n, time.Since(begun).Round(time.Second))
				}
				switch ok, err := soakRun(b, n); {
				case err != nil:
					t.Errorf("run %d: %v", n, err)
				case ok:
					answered.Add(1)
				default:
					broken.Add(1)
				}
			}
		})
	}
	workers.Wait()
	close(quit)
	killer.Wait()
	t.Logf("%d answered, %d said why not, %d kills, %s", answered.Load(), broken.Load(), killed, time.Since(begun).Round(time.Second))
	if answered.Load() < int64(total)/2 {
		t.Errorf("of %d runs %d were answered", total, answered.Load())
	}
}

// soakRun reports whether a run answered, or said why not. Anything else is an
// error.
func soakRun(b sandbox.Backend, n int) (answered bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*Patient)
	defer cancel()
	res, err := b.Run(ctx, soakSpec(n))
	switch {
	case err != nil && (ctx.Err() != nil || strings.Contains(err.Error(), "removing")):
		return false, err
	case err != nil || res.Reason == sandbox.Killed:
		return false, nil
	case res.Reason == sandbox.Exited && string(res.Stdout) == fmt.Sprintln(n), res.Reason == sandbox.TimedOut && n%7 == 0:
		return true, nil
	}
	return false, fmt.Errorf("%s %d, %q, %s", res.Reason, res.Exit, res.Stdout, res.Stderr)
}

// soakSpec is a run of one of a few kinds; every seventh never ends.
func soakSpec(n int) sandbox.Spec {
	language, code, wall := "python", fmt.Sprintf("print(%d)", n), Patient
	switch {
	case n%7 == 0:
		code, wall = "import time\ntime.sleep(3600)", time.Second/2
	case n%3 == 0:
		language, code = "javascript", fmt.Sprintf("console.log(%d)", n)
	}
	s := Spec(language, code)
	s.Limits.Wall = wall
	return s
}

// killAtRandom kills at random moments, but once in four runs at most, however
// long they take.
func killAtRandom(kill func() bool, quit <-chan struct{}, ended func() int64) (killed int) {
	for {
		select {
		case <-quit:
			return killed
		case <-time.After(time.Duration(100+rand.IntN(900)) * time.Millisecond):
		}
		if int64(killed)*4 <= ended() && kill() {
			killed++
		}
	}
}
