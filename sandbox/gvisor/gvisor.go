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
	"sync"
	"syscall"
	"time"

	"sallyport/sandbox"
)

// startLimit bounds the start of a sandbox up to an interpreter that waits.
const startLimit = 20 * time.Second

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
}

// Backend is a sandbox.Backend. It is safe for concurrent use; Close ends it.
type Backend struct {
	opts     Options
	rootless bool
	version  string
	root     string   // prepared root file system
	dir      string   // of this instance
	alive    *os.File // locked while this instance lives

	mu    sync.Mutex // guards cache
	cache map[string]cached
}

// New returns a backend that works here, or an error wrapping
// sandbox.ErrUnavailable that says what would mend it. It first removes what
// dead processes left behind in the state directory. The caller closes it.
func New(o Options) (*Backend, error) {
	b, err := newBackend(o)
	if err != nil {
		return nil, fmt.Errorf("%w: gvisor: %v", sandbox.ErrUnavailable, err)
	}
	return b, nil
}

func newBackend(o Options) (*Backend, error) {
	if !filepath.IsAbs(o.StateDir) {
		return nil, fmt.Errorf("state directory %q is not an absolute path", o.StateDir)
	}
	version, err := Version(o.Runsc)
	if err != nil {
		return nil, err
	}
	b := &Backend{opts: o, rootless: os.Geteuid() != 0, version: version}
	if b.dir, b.alive, err = newInstance(o.StateDir); err != nil {
		return nil, err
	}
	if n := len(socketPath(b.runscRoot(), strings.Repeat("0", 16))); n > maxSocket {
		return nil, errors.Join(fmt.Errorf("state directory %q is too long a path by %d bytes for a socket: choose a shorter one", o.StateDir, n-maxSocket), b.Close())
	}
	if b.root, err = prepareRoot(o.StateDir); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.cache = loadCache(b.cacheFile())
	return b, nil
}

// Close destroys what is left of this instance. No Run may be under way.
func (b *Backend) Close() error {
	return errors.Join(destroy(b.dir), b.alive.Close())
}

func (b *Backend) runscRoot() string { return filepath.Join(b.dir, "runsc") }
func (b *Backend) cacheFile() string { return filepath.Join(b.opts.StateDir, "interpreters.json") }

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
	return flags
}

// Describe implements sandbox.Backend.
func (b *Backend) Describe() sandbox.Description {
	mode := "root"
	if b.rootless {
		mode = "rootless"
	}
	return sandbox.Description{
		Name: "gvisor", Version: b.version, Mode: mode,
		Controls: map[sandbox.Control]string{
			sandbox.ControlNetwork:   "no interface, no sockets",
			sandbox.ControlProcess:   "seccomp in gVisor's kernel",
			sandbox.ControlHostFiles: "read-only mounts of the interpreter alone",
			sandbox.ControlReadOnly:  "read-only root, bounded noexec tmpfs",
			sandbox.ControlWall:      "timer",
			sandbox.ControlOutput:    "capped pipes",
			sandbox.ControlDisk:      "tmpfs size",
			sandbox.ControlUser:      "uid 65534, no capabilities, no new privileges",
			sandbox.ControlKernel:    "gVisor systrap",
			sandbox.ControlSecond:    "the interpreter's own parser, before the program",
		},
	}
}

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := b.check(s); err != nil {
		return sandbox.Result{}, err
	}
	chosen := s.Runtime.Interpreter
	if chosen == "" {
		chosen = map[string]string{"python": b.opts.Python, "javascript": b.opts.Node}[s.Language]
	}
	in, err := b.find(ctx, s.Language, chosen)
	if err != nil {
		return sandbox.Result{}, err
	}
	g, err := b.start(ociSpec(b.root, in, s))
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("starting a sandbox: %w", err)
	}
	res, err := g.run(ctx, s)
	if rerr := g.remove(); rerr != nil {
		err = errors.Join(err, fmt.Errorf("removing a sandbox: %w", rerr))
	}
	res.Enforced = b.Describe().Controls
	res.Runtime = sandbox.RuntimeUsed{Interpreter: in.Executable, Version: in.Version, SHA256: in.SHA256}
	return res, err
}

func (b *Backend) check(s sandbox.Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.CheckControls(b.Describe()); err != nil {
		return err
	}
	if s.Runtime.Image != "" || len(s.Runtime.Mounts) > 0 {
		return fmt.Errorf("%w: gvisor runs the host's interpreters without further mounts", sandbox.ErrRefused)
	}
	return checkFiles(s)
}

// run hands the job over and watches the program until it has ended.
func (g *guest) run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	limits := s.Limits.WithDefaults()
	startCtx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := g.ready(startCtx); err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, nil
		}
		return sandbox.Result{}, err
	}
	begin := time.Now()
	end := g.watch(ctx, limits)
	out := &output{stream: sandbox.Stdout, limit: limits.OutputBytes, emit: s.Output, flood: func() { end.stop(sandbox.Output) }}
	errOut := &output{stream: sandbox.Stderr, limit: limits.OutputBytes, emit: s.Output, flood: func() { end.stop(sandbox.Output) }}
	var io sync.WaitGroup
	io.Go(func() { out.copy(g.stdout) })
	io.Go(func() { errOut.copy(g.stderr) })
	io.Go(func() { feed(g.stdin, s.Stdin) })
	io.Go(func() { feed(g.job, encodeJob(s)) })
	answer, answerErr := readAnswer(g.report)
	mismatch, unknown, badAnswer := verdict(answer)
	status, waitErr := g.ctl.wait()
	reason := end.finish()
	wall := time.Since(begin)
	err := g.kill()
	g.stdin.Close()
	g.job.Close()
	io.Wait()

	res := sandbox.Result{
		Reason: reason,
		Stdout: out.data, StdoutTruncated: out.truncated,
		Stderr: errOut.data, StderrTruncated: errOut.truncated,
		Usage: sandbox.Usage{Wall: wall},
	}
	switch {
	case err != nil:
		return sandbox.Result{}, err
	case reason != "":
		return res, nil
	case answerErr != nil:
		return sandbox.Result{}, fmt.Errorf("the runner did not answer: %v%s", answerErr, g.complaint())
	case badAnswer != nil:
		return sandbox.Result{}, badAnswer
	case mismatch:
		res.Reason, res.UnknownIdentifiers = sandbox.Mismatch, unknown
	case waitErr != nil:
		return sandbox.Result{}, fmt.Errorf("the sandbox broke down: %v%s", waitErr, g.complaint())
	case status.Signaled():
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
	default:
		res.Reason, res.Exit = sandbox.Exited, status.ExitStatus()
	}
	return res, nil
}

// feed writes data to a program that may not want it, and closes.
func feed(f *os.File, data []byte) {
	_, _ = f.Write(data)
	_ = f.Close()
}

// ending is why a run was stopped from outside; the first reason counts.
type ending struct {
	g      *guest
	mu     sync.Mutex
	reason sandbox.Reason
	done   bool
	timers []func() bool
}

// watch stops the program at its wall-clock limit or when ctx is done.
func (g *guest) watch(ctx context.Context, l sandbox.Limits) *ending {
	e := &ending{g: g}
	timer := time.AfterFunc(l.Wall, func() { e.stop(sandbox.TimedOut) })
	e.timers = []func() bool{timer.Stop, context.AfterFunc(ctx, func() { e.stop(sandbox.Cancelled) })}
	return e
}

// stop kills the program, for the given reason unless there is one already.
func (e *ending) stop(r sandbox.Reason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done || e.reason != "" {
		return
	}
	e.reason = r
	_ = syscall.Kill(e.g.pid, syscall.SIGKILL)
}

// finish ends the watch and returns the reason for which the program was
// stopped, "" if it ended by itself.
func (e *ending) finish() sandbox.Reason {
	for _, stop := range e.timers {
		stop()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = true
	return e.reason
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
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
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
