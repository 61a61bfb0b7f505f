package supervised

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"

	"sallyport/internal/hint"
)

const maxGuest = 64 << 20 // bytes

// Guest is the supervisor's binary.
type Guest struct {
	Data []byte
	Arch string // as Go names it
}

// ReadGuest reads the supervisor's binary. It refuses a file that is not a static
// Linux program.
func ReadGuest(path string) (Guest, error) {
	fix := "build it with `make`, which puts it beside sallyport"
	if path == "" {
		return Guest{}, hint.New(nil, fix, "no supervisor binary is configured")
	}
	f, err := os.Open(path)
	if err != nil {
		return Guest{}, hint.New(err, fix, "there is no supervisor binary")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGuest))
	if err != nil {
		return Guest{}, fmt.Errorf("the supervisor binary: %v", err)
	}
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return Guest{}, hint.New(nil, fix, "the supervisor binary %s is no Linux program", path)
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			return Guest{}, hint.New(nil, "build it with CGO_ENABLED=0", "the supervisor binary %s is not static, no image has what it needs", path)
		}
	}
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[e.Machine]
	return Guest{Data: data, Arch: arch}, nil
}
