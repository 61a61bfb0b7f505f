package supervised

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
)

const maxGuest = 64 << 20 // bytes

// Guest is the supervisor.
type Guest struct {
	Data []byte
	Arch string // as Go names it
}

// ReadGuest reads the supervisor, and refuses what is none.
func ReadGuest(path string) (Guest, error) {
	fix := "build it with `make`, which puts it beside sallyport"
	if path == "" {
		return Guest{}, Fault(nil, fix, "no supervisor binary is configured")
	}
	f, err := os.Open(path)
	if err != nil {
		return Guest{}, Fault(err, fix, "there is no supervisor binary")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGuest))
	if err != nil {
		return Guest{}, fmt.Errorf("the supervisor binary: %v", err)
	}
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return Guest{}, Fault(nil, fix, "the supervisor binary %s is no Linux program", path)
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			return Guest{}, Fault(nil, "build it with CGO_ENABLED=0", "the supervisor binary %s is not static, no image has what it needs", path)
		}
	}
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[e.Machine]
	return Guest{Data: data, Arch: arch}, nil
}
