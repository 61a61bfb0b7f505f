package main

import (
	"math"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// hasten has a process of gVisor start with less work: its filter is compiled
// already, and it collects little garbage while it makes little.
func hasten() {
	debug.SetGCPercent(400)
	time.AfterFunc(restAfter, rest)
	switch {
	case slices.Contains(os.Args, "boot"):
		giveFilters("sentry")
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(heapAtStart)
	case slices.Contains(os.Args, "gofer"):
		giveFilters("gofer")
	}
}

// heapAtStart is what a sandbox may hold before it collects garbage all the same,
// until its program has run for a while: most end before a collection would.
const heapAtStart = 64 << 20

// tidyAfter is how long a program runs until its sandbox collects garbage as Go
// does by default.
const tidyAfter = time.Second

// begun is set when the program begins.
var begun atomic.Bool

// begin has the sandbox tidy up soon.
func begin() {
	if !begun.Swap(true) {
		time.AfterFunc(tidyAfter, func() {
			debug.SetMemoryLimit(math.MaxInt64)
			debug.SetGCPercent(100)
		})
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
