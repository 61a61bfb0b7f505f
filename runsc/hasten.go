package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname

	_ "gvisor.dev/gvisor/pkg/sentry/platform/systrap"
	gsync "gvisor.dev/gvisor/pkg/sync"
)

// hasten has a process of gVisor start with less work: its filter is compiled
// already, what nobody traces is not registered, and it collects little garbage
// while it makes little.
func hasten() {
	debug.SetGCPercent(400)
	time.AfterFunc(restAfter, rest)
	switch {
	case slices.Contains(os.Args, "boot"):
		giveFilters("sentry")
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(heapAtStart)
		if slices.ContainsFunc(os.Args, isTrace) { // there is a witness, which will say when
			givePoints()
			fastPathOnce.Do(func() {}) // not now
		}
	case slices.Contains(os.Args, "gofer"):
		giveFilters("gofer")
	}
}

// isTrace tells whether an argument of a sandbox is that with which it has a witness.
func isTrace(arg string) bool { return strings.HasPrefix(arg, "--pod-init-config-fd=") }

// heapAtStart is what a sandbox may hold before it collects garbage all the same,
// until its program has run for a while: most end before a collection would.
const heapAtStart = 64 << 20

// tidyAfter is how long a program runs until its sandbox collects garbage as Go
// does by default.
const tidyAfter = time.Second

// begun is set when the program begins.
var begun atomic.Bool

// begin has the sandbox tidy up and keep its threads at hand, soon.
func begin() {
	if !begun.Swap(true) {
		time.AfterFunc(spinAfter, spin)
		time.AfterFunc(tidyAfter, func() {
			debug.SetMemoryLimit(math.MaxInt64)
			debug.SetGCPercent(100)
		})
	}
}

// gVisor has threads look for work, for some microseconds, before they sleep: a
// system call takes half the time, and the processor has no rest. A program that
// calls often is served so; before it begins, and for one that ends at once, nobody
// would gain.

// spinAfter is how long a program runs until threads are kept at hand.
const spinAfter = 20 * time.Millisecond

// fastPathOnce is how gVisor's platform begins to decide, again and again, whether
// threads look for work.
//
//go:linkname fastPathOnce gvisor.dev/gvisor/pkg/sentry/platform/systrap.latencyMonitoring
var fastPathOnce gsync.Once

//go:linkname controlFastPath gvisor.dev/gvisor/pkg/sentry/platform/systrap.controlFastPath
func controlFastPath()

func spin() {
	if min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) > 1 { // else there is nobody to wait for
		controlFastPath()
	}
}

// restAfter is how long a sandbox waits until it gives back what its start took.
// Where programs come often, none waits that long, and none pays for it.
const restAfter = time.Second

// rest gives back the memory that a start took and a wait does not need. A
// sandbox whose program has begun will collect garbage anyway.
func rest() {
	if !begun.Load() {
		debug.FreeOSMemory()
	}
}
