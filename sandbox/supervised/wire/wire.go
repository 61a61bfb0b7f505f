// Package wire is what a backend and the supervisor inside of its sandbox say to
// each other: frames of one kind byte, a 32-bit length and the payload, over the
// stdin and stdout of the first process. The code under test never holds either
// end: the supervisor gives it pipes of its own.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Kind is the meaning of a frame.
type Kind byte

const (
	// From the host.
	Setup Kind = 'S' // JSON of Start; starts the interpreter
	Rules Kind = 'F' // JSON of ArtifactRules, before the job
	Job   Kind = 'J' // for the runner's job descriptor, as it is
	Stdin Kind = 'I' // the program's whole standard input
	Kill  Kind = 'K' // end everything now; the end of the stream means the same

	// From the supervisor.
	Identity Kind = 'V' // JSON of Interpreter, before the interpreter starts, where the start asks for it
	Report   Kind = 'R' // the runner's answer, as it is
	Stdout   Kind = 'O' // a chunk of the program's output
	Stderr   Kind = 'E'
	Artifact Kind = 'A' // a file: its path, a zero byte, its bytes
	End      Kind = 'X' // JSON of Final; nothing comes after it
)

// The descriptors on which the runner in the interpreter gets its job and
// gives its answers. A test holds them against package runner.
const (
	JobFD      = 100
	ReportFD   = 101
	ArtifactFD = 102 // goes nowhere: the supervisor sends them itself, also after a kill
)

// MaxFrame bounds a frame, so that a length field is never an allocation of
// four gigabytes. It is above every limit of a run.
const MaxFrame = 1 << 30

// ErrTooLarge is the error of a frame above MaxFrame.
var ErrTooLarge = errors.New("frame too large")

// Start is what the supervisor needs to start the interpreter.
type Start struct {
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Dir   string   `json:"dir"`
	Guard Guard    `json:"guard"`
	Watch Watch    `json:"watch"`

	OutputBytes int64 `json:"output_bytes"` // of each stream, forwarded

	// Identify asks for an Identity frame: what an image has for an
	// interpreter is the same every time, so that asking once is enough.
	Identify bool `json:"identify,omitempty"`
}

// Interpreter is what an image has to run programs with.
type Interpreter struct {
	Path    string `json:"path"`    // with every link followed
	Version string `json:"version"` // as it says itself
}

// Guard is what the interpreter's own process is put under before it starts.
type Guard struct {
	AllowProcess bool   `json:"allow_process"` // exec and fork stay possible
	OpenFiles    uint64 `json:"open_files"`
	FileBytes    uint64 `json:"file_bytes"`
	Tasks        uint64 `json:"tasks,omitempty"` // of the user; only where no other sandbox's count (gVisor)
}

// Watch is what the supervisor itself measures and ends the run for. Memory
// and Pids are zero where a cgroup enforces them, Inodes where the mount does.
type Watch struct {
	CPUMillis  int64 `json:"cpu_ms"`
	Memory     int64 `json:"memory,omitempty"`
	Pids       int64 `json:"pids,omitempty"`
	Inodes     int64 `json:"inodes,omitempty"` // of each writable mount
	Reserve    int   `json:"reserve"`          // threads that the supervisor has itself
	WallMillis int64 `json:"wall_ms"`          // last resort, when the host has gone silent
}

// ArtifactRules says which files are sent after the run.
type ArtifactRules struct {
	Bytes  int64             `json:"bytes"`
	Count  int64             `json:"count"`
	Inputs map[string]string `json:"inputs"` // SHA-256 by path: no artifact unless changed
}

// Final is how the run ended, as the supervisor saw it.
type Final struct {
	Exit   int    `json:"exit"`
	Signal int    `json:"signal,omitempty"`
	Limit  string `json:"limit,omitempty"` // the sandbox.Reason of the limit it was ended for
	Error  string `json:"error,omitempty"` // the supervisor's own failure; nothing else counts then

	OOMKills    int64 `json:"oom_kills,omitempty"`
	ForksDenied int64 `json:"forks_denied,omitempty"` // by the pids cgroup

	CPUMicros  int64 `json:"cpu_us"`
	PeakMemory int64 `json:"peak_memory"`

	Violations []Violation `json:"violations,omitempty"`
	Listener   bool        `json:"listener"` // whether attempts could be observed at all
	Dropped    int         `json:"dropped,omitempty"`

	StdoutBytes int64 `json:"stdout_bytes"` // written by the program, forwarded or not
	StderrBytes int64 `json:"stderr_bytes"`
}

// Violation is one denied system call that was tried.
type Violation struct {
	Capability string `json:"capability"`
	Detail     string `json:"detail"`
}

// Write sends one frame with a single Write. w must serialise its callers.
func Write(w io.Writer, k Kind, payload ...[]byte) error {
	n := 0
	for _, p := range payload {
		n += len(p)
	}
	if n > MaxFrame {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, n)
	}
	b := make([]byte, 5, 5+n)
	b[0] = byte(k)
	binary.BigEndian.PutUint32(b[1:], uint32(n))
	for _, p := range payload {
		b = append(b, p...)
	}
	_, err := w.Write(b)
	return err
}

// WriteJSON sends v as the payload of one frame.
func WriteJSON(w io.Writer, k Kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return Write(w, k, b)
}

// ReadHeader reads a frame's kind and length; its payload follows in r.
func ReadHeader(r io.Reader) (Kind, int64, error) {
	var h [5]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, 0, err
	}
	n := int64(binary.BigEndian.Uint32(h[1:]))
	if n > MaxFrame {
		return 0, 0, fmt.Errorf("%w: %d bytes", ErrTooLarge, n)
	}
	return Kind(h[0]), n, nil
}

// ReadPayload reads the n bytes that follow a header. It allocates as they
// come, not as they are announced.
func ReadPayload(r io.Reader, n, limit int64) ([]byte, error) {
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, limit)
	}
	b, err := io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(b)) != n {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
