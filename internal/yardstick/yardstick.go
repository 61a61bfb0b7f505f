//go:build unix

// Package yardstick is the one place where a test may say that something must not
// take long. What else is going on on the machine does not count, and neither how
// fast the machine is: only processor time does, in units of a piece of work of
// known size. What measures time for its own sake is a benchmark.
package yardstick

import (
	"crypto/sha256"
	"sync"
	"syscall"
	"testing"
	"time"
)

// endless is how many times its limit work may take before it is taken for work
// that does not end.
const endless = 60

// Within runs work and fails the test where it took more than limit of the
// processor time of this process, on a machine on which unit takes a millisecond.
// Work that does not end is a panic, of which a fuzzer keeps the input.
func Within(t testing.TB, limit time.Duration, what string, work func()) {
	t.Helper()
	ended := make(chan struct{})
	var guard sync.WaitGroup
	guard.Go(func() {
		for begun, look := used(), time.NewTicker(limit); ; {
			select {
			case <-look.C:
				if used()-begun > endless*limit {
					panic(what + " does not end")
				}
			case <-ended:
				look.Stop()
				return
			}
		}
	})
	took := spent(work)
	close(ended)
	guard.Wait()
	if took <= limit {
		return
	}
	const units = 100
	one := spent(func() {
		for range units {
			unit()
		}
	}) / units
	if most := time.Duration(float64(limit) * float64(one) / float64(time.Millisecond)); took > most {
		t.Errorf("%s took %s of processor time, at most %s are right on this machine", what, took, most)
	}
}

// unit takes something like a millisecond.
func unit() {
	var block [64 << 10]byte
	for range 8 {
		sum := sha256.Sum256(block[:])
		copy(block[:], sum[:])
	}
}

// spent is the processor time that this process took meanwhile.
func spent(work func()) time.Duration {
	before := used()
	work()
	return used() - before
}

func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // never of the own process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
