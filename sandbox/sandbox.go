// Package sandbox is the second door: it runs source that policy allowed, with
// no network, hard limits and nothing of the host. The contract is here; each
// backend is a package below, and sandboxtest attacks every one the same way.
//
// Only package gate may call a Backend.
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Backend runs code in a sandbox that serves one run and is then destroyed.
// Implementations are safe for concurrent use.
type Backend interface {
	// Describe says what this backend is and which controls it enforces here.
	// It is cheap and does not change during the life of the backend.
	Describe() Description

	// Run runs spec and returns when every process of the program is gone; a
	// backend may still be clearing away the empty sandbox of a program that
	// ended by itself, and waits for that when it is closed. The code
	// failing, timing out or hitting a limit is a Result, not an error; an
	// error means that sallyport itself could not do its work, and that the
	// outcome must not be taken for the code's. A spec that fails Check, or
	// that asks for what the backend cannot enforce, is refused with an error
	// wrapping ErrRefused before anything starts.
	Run(ctx context.Context, spec Spec) (Result, error)
}

// Description is what a backend publishes about itself.
type Description struct {
	Name     string             // gvisor, docker, podman, oci, kubernetes
	Version  string             // of the runtime, as it reports it; with its name where there is more than one
	Mode     string             // "root", "rootless", "" where that means nothing
	Controls map[Control]string // each control it enforces, and how: {"memory": "cgroup v1"}
	Copies   bool               // a Reference is copied into the sandbox, within its limits, and not read in place
}

// Control names one thing that a backend enforces.
type Control string

const (
	ControlNetwork   Control = "network"   // no interface, no sockets out
	ControlEgress    Control = "egress"    // in place of the former: nothing gets out but what Spec.Egress is handed
	ControlProcess   Control = "process"   // no exec, no fork, unless granted
	ControlHostFiles Control = "hostfiles" // nothing of the host but the interpreter, read-only
	ControlReadOnly  Control = "readonly"  // root read-only, writable mounts bounded
	ControlWall      Control = "wall"
	ControlCPU       Control = "cpu"
	ControlMemory    Control = "memory"
	ControlPids      Control = "pids"
	ControlOutput    Control = "output"
	ControlDisk      Control = "disk"
	ControlUser      Control = "user" // not root inside, no capabilities, no new privileges
	ControlKernel    Control = "kernel"
	ControlSecond    Control = "second_opinion"
	ControlHook      Control = "hook" // what a Grant denies ends the run, by a hook that no program can reach
)

// ErrRefused is wrapped by the error of a Spec that was not run because it is
// not valid, not permitted, or asks for what the backend cannot enforce.
var ErrRefused = errors.New("sandbox refused the run")

// ErrUnavailable is wrapped by the error of a backend that cannot work here;
// its text says why and what would mend it.
var ErrUnavailable = errors.New("sandbox not available")

// Unavailable is the ErrUnavailable of one backend.
type Unavailable struct {
	Backend string
	Cause   error
}

func (u *Unavailable) Error() string {
	return ErrUnavailable.Error() + ": " + u.Backend + ": " + u.Cause.Error()
}
func (u *Unavailable) Is(target error) bool { return target == ErrUnavailable }
func (u *Unavailable) Unwrap() error        { return u.Cause }

// ErrUnreadable is wrapped by the error of a run whose program may have run, but
// what it did cannot be made out.
var ErrUnreadable = errors.New("the result of the run cannot be read")

// Permit says that policy allowed a source, by its hash. policy.Permit is the
// only implementation outside of tests, and a test holds that.
type Permit interface {
	Permits(sha256 string) error
}

// WorkDir is the program's directory inside every sandbox.
const WorkDir = "/workspace"

// Spec is one run. The zero value of each field is its tightest setting; a
// Spec without a Permit for exactly Code is refused.
type Spec struct {
	Permit Permit

	Language string // "python" or "javascript"
	Goal     string // "script" or "module"
	Code     string // canonical source

	// Earlier is how many bytes of Code a session has run already: what runs
	// is the cell behind them. Only a Session takes anything but zero.
	Earlier int

	SHA256 string // of Code, lower-case hex

	// Identifiers are those the analysis knows. The interpreter's own parser
	// must not find another one; nil skips nothing: every identifier is new.
	Identifiers []string

	// Seen is what the analysis saw that the program reaches.
	Seen Seen

	Args  []string // after the program's name
	Stdin []byte
	Files []File // put into the work directory before the run

	// References are files that stay where they are.
	References []Reference

	// Grant is what the program may do; everything else that is a Capability
	// must be impossible for it.
	Grant Grant

	// Only narrows the Grant: of a capability in it, only these symbols of the
	// language were let through. What the interpreter's hooks can tell from them
	// they go on refusing; the kernel cannot tell.
	Only map[Capability][]string

	// Egress is where the program's connections go. Nil, the network that
	// Grant has to say nothing of, lets none out.
	Egress *Egress

	// Observe has the interpreter's hooks tell what they would have stopped, and
	// stop nothing. What the kernel refuses it refuses all the same.
	Observe bool

	// Require lists controls without which the run must not start.
	Require []Control

	Limits  Limits
	Runtime Runtime

	// Output, when not nil, is called with each chunk of output as it comes,
	// within the output limit. It must not block.
	Output func(stream Stream, chunk []byte)
}

// Seen is what a program reaches by names that stand in its text. Where a Grant has
// not CapabilityFiles, CapabilityWrites or CapabilityCodeLoad, a hook ends a program that
// reaches anything else of the kind. In the zero Seen is nothing.
type Seen struct {
	// Paths are absolute and clean: each is a file, or a directory with all below it. One
	// that ends in * is all that begins so. Places where the program can write are not
	// among them, nor need they be.
	Paths []string

	// Writes are what it makes, changes or takes away where it can write: how each path
	// begins, absolute and clean, with * for any signs but slashes.
	Writes []string

	// Modules are those of Node itself, without "node:".
	Modules []string
}

// Egress takes the connections of a program to other hosts, which the sandbox
// itself has no way to.
type Egress struct {
	// CA is a certificate in PEM that the program's clients are to trust, and
	// no other one.
	CA []byte

	// Ports are those on which hosts are asked. A backend that cannot take the
	// connections to every address and port takes those by name to one of these.
	Ports []int

	// Accept is handed each TCP connection of the program while it runs, and
	// closes it. It must not wait. A connection begins with the IPv4 address
	// and the port, big-endian, that the program connected to; every name is
	// answered with 127.53.0.1.
	Accept func(net.Conn)
}

// Runtime is the operator's choice of interpreter. The zero value is the
// host's own, found by the backend.
type Runtime struct {
	Interpreter string   // absolute path on the host, or inside Image
	Image       string   // digest reference; "" means the host's files
	Env         []string // KEY=value, added to the small fixed environment
	Mounts      []Mount

	// Preload names modules that a waiting Python has imported already. No program
	// has any of them before it imports it.
	Preload []string
}

// Mount is an operator's directory inside the sandbox.
type Mount struct {
	Source   string
	Target   string
	Writable bool // into a copy that is thrown away; the source is never written
}

// File is an input or an artifact, by value. Path is relative to the work
// directory, slash-separated and clean.
type File struct {
	Path      string
	Data      []byte
	MediaType string // artifacts only, sniffed
	Judged    bool   // inputs only: policy allowed it as code, so that it may be loaded

	// AtLimit is of artifacts only: the file is as large as Limits.FileBytes lets one
	// be. The system takes of a write what has room, so that a file which was to be
	// larger, and was written from its beginning on, has exactly that size.
	AtLimit bool
}

// Reference is an input that a program reads in place: a file of the host, at
// Path below the work directory. The program cannot change it and does not
// learn where it is; nothing loads it as code, whatever it is called.
type Reference struct {
	Path  string
	File  *os.File // regular, open for reading alone; the caller's to close
	Bytes int64

	// Dir is where File is a directory: what is there is read in place, too.
	// A backend that copies refuses it.
	Dir string
}

// Stream is one of the two outputs of a program.
type Stream int

const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// Limits bounds a run. Zero and less mean the default; there is no "unlimited".
type Limits struct {
	Wall          time.Duration
	CPU           time.Duration
	Memory        int64 // bytes
	Pids          int64
	OutputBytes   int64 // stdout and stderr, each
	FileBytes     int64 // largest file
	DiskBytes     int64 // all writable space together
	ArtifactBytes int64 // all artifacts together
	ArtifactCount int64
}

// defaultLimits is what a zero field of Limits means.
var defaultLimits = Limits{
	Wall:          30 * time.Second,
	CPU:           20 * time.Second,
	Memory:        512 << 20,
	Pids:          64,
	OutputBytes:   1 << 20,
	FileBytes:     64 << 20,
	DiskBytes:     128 << 20,
	ArtifactBytes: 16 << 20,
	ArtifactCount: 64,
}

// WithDefaults returns l with the defaults in the fields that are not set.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Wall:          set(l.Wall, defaultLimits.Wall),
		CPU:           set(l.CPU, defaultLimits.CPU),
		Memory:        set(l.Memory, defaultLimits.Memory),
		Pids:          set(l.Pids, defaultLimits.Pids),
		OutputBytes:   set(l.OutputBytes, defaultLimits.OutputBytes),
		FileBytes:     set(l.FileBytes, defaultLimits.FileBytes),
		DiskBytes:     set(l.DiskBytes, defaultLimits.DiskBytes),
		ArtifactBytes: set(l.ArtifactBytes, defaultLimits.ArtifactBytes),
		ArtifactCount: set(l.ArtifactCount, defaultLimits.ArtifactCount),
	}
}

// set is a bound, or the default of one that is not set.
func set[T ~int64](bound, otherwise T) T {
	if bound <= 0 {
		return otherwise
	}
	return bound
}

// Reason says how a run ended. The zero value is not a valid end.
type Reason string

const (
	Exited    Reason = "exited"    // by itself; Exit is its code
	TimedOut  Reason = "timeout"   // wall clock
	CPU       Reason = "cpu"       // CPU seconds
	Memory    Reason = "memory"    // killed for memory
	Pids      Reason = "pids"      // too many processes
	Output    Reason = "output"    // killed for output that would not end
	Disk      Reason = "disk"      // writable space used up, where that kills
	Files     Reason = "files"     // failed for want of file descriptors, where that can be told
	Killed    Reason = "killed"    // by a signal; Signal says which
	Cancelled Reason = "cancelled" // the caller gave up
	Policy    Reason = "policy"    // stopped at what policy denied; the Violation that was Stopped says at what
	Mismatch  Reason = "mismatch"  // second opinion: nothing of the code ran
)

// Result is how a run ended and what it left.
type Result struct {
	Reason Reason
	Exit   int // the code's own, meaningful for Exited
	Signal int // for Killed

	Stdout, Stderr                   []byte // capped
	StdoutTruncated, StderrTruncated bool

	Artifacts          []File
	ArtifactsDropped   int      // left behind because of caps or kind
	ArtifactsLeft      []string // some of these, by their paths
	ArtifactsMissing   bool     // files may be missing: the run ended before all had been collected
	Usage              Usage
	Violations         []Violation
	UnknownIdentifiers []string           // for Mismatch
	Enforced           map[Control]string // how each control was enforced in this run
	Runtime            RuntimeUsed
	Warm               bool     // the sandbox had been waiting for a program
	Preloaded          []string // what it had imported meanwhile by the operator's choice
}

// Usage is what a run consumed. Zero fields were not measured.
type Usage struct {
	Wall       time.Duration
	CPU        time.Duration
	PeakMemory int64
}

// RuntimeUsed identifies what executed the code.
type RuntimeUsed struct {
	Interpreter string // path
	Version     string
	SHA256      string // of the interpreter, or the image digest
}

// Check refuses, with an error wrapping ErrRefused, a Spec that no backend may
// run. Every backend calls it first.
func (s Spec) Check() error {
	if s.Earlier != 0 {
		return fmt.Errorf("%w: a part of a program runs in its session alone", ErrRefused)
	}
	return s.check()
}

func (s Spec) check() error {
	if s.Permit == nil {
		return fmt.Errorf("%w: no permit", ErrRefused)
	}
	sum := sha256.Sum256([]byte(s.Code))
	if got := hex.EncodeToString(sum[:]); got != s.SHA256 {
		return fmt.Errorf("%w: the code is not the code that was hashed", ErrRefused)
	}
	if err := s.Permit.Permits(s.SHA256); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	switch s.Language {
	case "python", "javascript":
	default:
		return fmt.Errorf("%w: unknown language %q", ErrRefused, s.Language)
	}
	switch s.Goal {
	case "script", "module":
	default:
		return fmt.Errorf("%w: unknown goal %q", ErrRefused, s.Goal)
	}
	if s.Grant.Has(CapabilityNetwork) != (s.Egress != nil) {
		return fmt.Errorf("%w: a network is granted with a way out of the sandbox, and only then", ErrRefused)
	}
	if err := s.CheckFiles(); err != nil {
		return fmt.Errorf("%w: file %w", ErrRefused, err)
	}
	return s.Grant.check()
}

// CheckControls refuses, with an error wrapping ErrRefused, a Spec that
// requires a control which d does not enforce.
func (s Spec) CheckControls(d Description) error {
	if s.Egress != nil && d.Controls[ControlEgress] == "" {
		return fmt.Errorf("%w: backend %s cannot let programs reach hosts here", ErrRefused, d.Name)
	}
	for _, c := range s.Require {
		if d.Controls[c] == "" {
			return fmt.Errorf("%w: backend %s cannot enforce %q here", ErrRefused, d.Name, c)
		}
	}
	return nil
}
