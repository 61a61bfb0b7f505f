package main

import (
	"runtime"
	"runtime/debug"
)

// #include <malloc.h>
//
// // Parsers allocate in C, from as many arenas as there are threads; what they
// // leave in them stays resident. Two are enough, and take half the memory.
// static void few_arenas(void) {
// #ifdef M_ARENA_MAX
// 	mallopt(M_ARENA_MAX, 2);
// #endif
// }
import "C"

// softMemory is from where on the garbage collector works harder rather than
// let this process grow. What clients can make it hold is bounded elsewhere.
const softMemory = 1 << 30

// firstGarbage has the first collection come at 32 MiB, where Go has it at 4: most
// commands end before. From then on memory is collected as Go does by default.
const firstGarbage = 800 // per cent of 4 MiB

// limitMemory bounds what this process keeps for itself. The soft limit and how
// often garbage is collected are the operator's to set otherwise.
func limitMemory(env func(string) (string, bool)) {
	C.few_arenas()
	if _, ok := env("GOMEMLIMIT"); !ok {
		debug.SetMemoryLimit(softMemory)
	}
	if _, ok := env("GOGC"); !ok {
		debug.SetGCPercent(firstGarbage)
		runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, 100)
	}
}
