package main

import (
	"math"
	"os"
	"runtime/debug"
	"slices"
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

// heapAtStart is what a sandbox may hold until its program starts before it
// collects garbage all the same.
const heapAtStart = 64 << 20

// tidy collects garbage as Go does by default, from now on.
func tidy() {
	debug.SetMemoryLimit(math.MaxInt64)
	debug.SetGCPercent(100)
}

// restAfter is how long a sandbox waits until it gives back what its start took.
// Where programs come often, none waits that long, and none pays for it.
const restAfter = time.Second

// rest gives back the memory that a start took and a wait does not need. A
// sandbox whose program has begun has begun to collect garbage, too.
func rest() {
	if !slices.Contains(os.Args, "boot") || debug.SetMemoryLimit(-1) == heapAtStart {
		debug.FreeOSMemory()
	}
}
