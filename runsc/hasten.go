package main

import (
	"math"
	"os"
	"runtime/debug"
	"slices"
)

// hasten has a process of gVisor start with less work: its filter is compiled
// already, and it collects little garbage while it makes little.
func hasten() {
	debug.SetGCPercent(400)
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
