// Package gvisor runs code in gVisor: a kernel in user space between the code
// and the host's kernel, started by the runsc helper binary, as root or as an
// ordinary user, without a daemon.
//
// A sandbox is one runsc process with one interpreter inside, which waits for
// a job on a pipe, runs it natively as `python3 main.py` or `node main.js`
// would, and is destroyed. The program never touches the host's disk.
package gvisor

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/internal/cgroup"
	"sallyport/sandbox/internal/instance"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

// refillPause is how long a program that took a waiting sandbox has the machine
// for itself before the next one is started, which takes a processor for some
// tenths of a second.
const refillPause = 30 * time.Millisecond

// maxSocket is the longest path of a Unix socket.
const maxSocket = 107

// MaxStateDir is the length of the longest path that Options.StateDir may
// have: below it are sockets.
const MaxStateDir = maxSocket - len("/live-0123456789/runsc/runsc-0123456789abcdef.sock")

// Options says where a Backend finds what it needs.
type Options struct {
	Runsc    string // path of the runsc binary
	StateDir string // private to the user; shared by all their instances

	Path   string // search path for interpreters, as in $PATH
	Python string // absolute path; "" searches Path
	Node   string // absolute path; "" searches Path

	// Warm is how many sandboxes with a started interpreter wait for each
	// kind of run at least: the same language, limits, grant and environment.
	// Zero keeps none, for a process that runs one program. WarmKinds bounds the
	// kinds kept, zero means 4. Of all kinds together WarmMost wait when calls
	// come in bursts; zero keeps to Warm. A waiting sandbox takes about 25 MB.
	Warm, WarmKinds, WarmMost int

	// Ahead is for a process that runs one program, and has no Warm: a sandbox that
	// Ahead starts is that of the next run, if it is as that run asks for.
	Ahead bool

	// Images is where runs find the images that they name. Nil has none.
	Images *image.Store
}

// Backend is a sandbox.Backend. It is safe for concurrent use; Close ends it.
type Backend struct {
	opts     Options
	rootless bool
	version  string
	own      bool     // runsc is sallyport's own, with a witness in it
	cgroups  *cgroups // nil where there are none to be had
	dir      string   // of this instance
	alive    *os.File // locked while this instance lives

	unsure *atomic.Int64 // boxes of which something may be left

	roots *rootfs.Finder
	boxes *live.Keeper[*box]
}

// New returns a backend that works here, or an error wrapping
// sandbox.ErrUnavailable that says what would mend it. It first removes what
// dead processes left behind in the state directory. The caller closes it.
func New(o Options) (*Backend, error) {
	b, err := newBackend(o)
	if err != nil {
		return nil, &sandbox.Unavailable{Backend: "gvisor", Cause: err}
	}
	return b, nil
}

func newBackend(o Options) (*Backend, error) {
	if !filepath.IsAbs(o.StateDir) {
		return nil, fmt.Errorf("state directory %q is not an absolute path", o.StateDir)
	}
	if o.Runsc != "" && !filepath.IsAbs(o.Runsc) {
		return nil, fmt.Errorf("runsc %q is not an absolute path", o.Runsc)
	}
	version, err := Version(o.Runsc)
	if err != nil {
		return nil, err
	}
	b := &Backend{opts: o, rootless: os.Geteuid() != 0, version: version, own: hasWitness(o.Runsc), unsure: new(atomic.Int64)}
	b.boxes = newKeeper(b, o)
	if b.dir, b.alive, err = instance.New(o.StateDir, destroy); err != nil {
		return nil, err
	}
	if err := os.Mkdir(b.runscRoot(), 0o700); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if n := len(socketPath(b.runscRoot(), strings.Repeat("0", 16))); n > maxSocket {
		return nil, errors.Join(fmt.Errorf("state directory %q is too long a path by %d bytes for a socket: choose a shorter one", o.StateDir, n-maxSocket), b.Close())
	}
	b.roots = rootfs.New(rootfs.Options{Dir: o.StateDir, Scratch: b.dir, Path: o.Path, Python: o.Python, Node: o.Node, Images: o.Images, Version: b.versionOf})
	if b.cgroups = findCgroups("", func(dir string) error { return os.Mkdir(dir, 0o755) }); b.cgroups != nil {
		if err := cgroup.Note(b.dir, b.cgroups.parents()); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	if b.own {
		for file, config := range map[string][]byte{b.witnessFile(): witnessConfig(false), b.forwarderFile(): witnessConfig(true)} {
			if err := os.WriteFile(file, config, 0o600); err != nil {
				return nil, errors.Join(err, b.Close())
			}
		}
	}
	return b, nil
}

func newKeeper(b *Backend, o Options) *live.Keeper[*box] {
	return live.New(live.Options[*box]{Start: b.startWaiting, Warm: o.Warm, Once: o.Ahead, Kinds: o.WarmKinds, Most: o.WarmMost, Heavy: runner.Preloads, Plain: runner.Plain, Pause: refillPause})
}

// Close ends the waiting sandboxes and returns when nothing of this instance
// is left. No Run may be under way.
func (b *Backend) Close() error {
	err := b.boxes.Close()
	if b.roots != nil {
		err = errors.Join(err, b.roots.Close())
	}
	if b.unsure.Load() > 0 {
		err = errors.Join(err, killAll(b.dir, proc.GoneLimit))
	}
	return errors.Join(err, clearAway(b.dir), b.alive.Close())
}

func (b *Backend) runscRoot() string { return filepath.Join(b.dir, "runsc") }

// runscFlags are the flags of every runsc process; see spec.go for the rest
// of the isolation.
func (b *Backend) runscFlags() []string {
	flags := []string{
		"--root=" + b.runscRoot(),
		"--platform=systrap",
		"--network=none",
		"--gofer-network-namespace=new",
		"--host-settings=ignore",
		"--host-uds=none",
		"--host-fifo=none",
		"--overlay2=none",
		"--oci-seccomp",
		"--ignore-cgroups",
	}
	if b.rootless {
		flags = append(flags, "--rootless")
	}
	if b.own {
		flags = append(flags, "--pod-init-config="+b.witnessFile())
	}
	return flags
}

// Describe implements sandbox.Backend.
func (b *Backend) Describe() sandbox.Description {
	mode := "root"
	if b.rootless {
		mode = "rootless"
	}
	disk := "size of each tmpfs, RLIMIT_FSIZE; empty files count as memory"
	if b.own {
		disk = fmt.Sprintf("size and %d files of each tmpfs, RLIMIT_FSIZE", live.Inodes)
	}
	group := ""
	if b.cgroups != nil {
		group = b.cgroups.String() + ", "
	}
	d := sandbox.Description{
		Name: "gvisor", Version: b.version, Mode: mode, Copies: !b.own,
		Controls: runner.Controls(map[sandbox.Control]string{
			sandbox.ControlNetwork:   "no interface, no sockets",
			sandbox.ControlProcess:   "seccomp in gVisor's kernel",
			sandbox.ControlHostFiles: "the interpreter's files alone, read-only",
			sandbox.ControlReadOnly:  "read-only root, bounded noexec tmpfs",
			sandbox.ControlWall:      "timer",
			sandbox.ControlOutput:    "capped pipes",
			sandbox.ControlMemory:    group + "watchdog outside, address space and heap limits inside",
			sandbox.ControlCPU:       group + "watchdog outside",
			sandbox.ControlPids:      "RLIMIT_NPROC in gVisor's kernel",
			sandbox.ControlDisk:      disk,
			sandbox.ControlUser:      runner.User,
			sandbox.ControlKernel:    "gVisor systrap",
			sandbox.ControlSecond:    "the interpreter's own parser, before the program",
		}),
	}
	if b.own {
		d.Controls[sandbox.ControlEgress] = "forwarder in gVisor's kernel, one socket"
	}
	return d
}

// Version returns the version of gVisor that a runsc binary was built from. It
// is read from the binary, which is not started; a binary that does not carry
// it, as those of gVisor's own releases, is asked.
func Version(path string) (string, error) {
	if path == "" {
		return "", errors.New("no runsc binary is configured: build it with make, which puts it beside sallyport")
	}
	if info, err := buildinfo.ReadFile(path); err == nil {
		for _, d := range info.Deps {
			if d.Path == "gvisor.dev/gvisor" {
				return d.Version, nil
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), live.StartLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("runsc at %s: %v: build it with make, which puts it beside sallyport", path, err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimPrefix(version, "runsc version "), nil
}
