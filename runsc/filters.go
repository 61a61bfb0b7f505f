package main

import (
	"encoding/binary"
	"encoding/json"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sync"
	_ "gvisor.dev/gvisor/runsc/boot/filter"
	_ "gvisor.dev/gvisor/runsc/fsgofer/filter"
)

// gVisor confines its own processes with a filter of system calls. It looks for
// one that is compiled, and compiles it where it finds none: its Go module has
// none. These are the places where it looks.

//go:linkname sentryFilters gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var sentryFilters map[string]precompiledseccomp.Program

//go:linkname sentryFiltersOnce gvisor.dev/gvisor/runsc/boot/filter.registerPrecompiledProgramsOnce
var sentryFiltersOnce sync.Once

//go:linkname goferFilters gvisor.dev/gvisor/runsc/fsgofer/filter.precompiledPrograms
var goferFilters map[string]precompiledseccomp.Program

//go:linkname goferFiltersOnce gvisor.dev/gvisor/runsc/fsgofer/filter.registerPrecompiledProgramsOnce
var goferFiltersOnce sync.Once

// giveFilters has gVisor find the filters of a process, "sentry" or "gofer".
// One that is for other options than the process has is not found: it compiles
// its own.
func giveFilters(process string) {
	var all map[string][]struct {
		Name string
		Code []byte
		Vars map[string][]int
	}
	if json.Unmarshal(compiled, &all) != nil {
		return
	}
	programs := map[string]precompiledseccomp.Program{}
	for _, f := range all[process] {
		p := precompiledseccomp.Program{Name: f.Name, VarOffsets: f.Vars}
		for i := 0; i+4 <= len(f.Code); i += 4 {
			p.Bytecode32 = append(p.Bytecode32, binary.LittleEndian.Uint32(f.Code[i:]))
		}
		programs[f.Name] = p
	}
	switch process {
	case "sentry":
		sentryFiltersOnce.Do(func() { sentryFilters = programs })
	case "gofer":
		goferFiltersOnce.Do(func() { goferFilters = programs })
	}
}
