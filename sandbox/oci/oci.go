// Package oci runs code with an OCI runtime that the operator names (runc,
// crun), as root or as an ordinary user, without a daemon and without images:
// the root file system is that of package rootfs, the host's interpreter or an
// unpacked image.
//
// A container has the supervisor of package supervised for its first process,
// which starts the interpreter under a system call filter. Unlike gVisor there
// is no second kernel: the code meets the host's own, behind that filter.
package oci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/instance"
	"sallyport/sandbox/pool"
	"sallyport/sandbox/rootfs"
	"sallyport/sandbox/runner"
	"sallyport/sandbox/supervised"
	"sallyport/sandbox/supervised/wire"
)

const (
	startLimit = 30 * time.Second // a container up to an interpreter that waits
	goneLimit  = 10 * time.Second // for killed processes to be gone
)

// Options says where a Backend finds what it needs.
type Options struct {
	Runtime  string // absolute path of an OCI runtime
	Guest    string // absolute path of the supervisor, a static binary
	StateDir string // private to the user; shared by all their instances of this backend alone

	Path   string // search path for interpreters, as in $PATH
	Python string // absolute path; "" searches Path
	Node   string // absolute path; "" searches Path

	// Images is where runs find the images that they name. Nil has none.
	Images *image.Store

	// Warm is how many containers with a started interpreter wait for each
	// kind of run; zero keeps none. WarmKinds bounds the kinds, zero means 4.
	// Preload names modules that a waiting Python has imported already,
	// besides the usual ones.
	Warm, WarmKinds int
	Preload         []string

	// CPUs bounds how many processors a run may use at a time; 0 means 1.
	CPUs float64
}

// Backend is a sandbox.Backend. It is safe for concurrent use; Close ends it.
type Backend struct {
	opts    Options
	rt      runtime
	posture posture
	group   string // the kind of control group that containers get, "" for none

	roots *rootfs.Finder
	dir   string   // of this instance
	alive *os.File // locked while this instance lives
	pool  *pool.Pool[*box]

	removing sync.WaitGroup // of containers whose program has ended

	// loosen, for tests alone, takes a control out of what a container is
	// made from, to see that its absence shows.
	loosen func(*specs.Spec, *wire.Start)

	mu   sync.Mutex // guards what follows
	errs []error    // of containers that nobody waited for
}

var _ sandbox.Backend = (*Backend)(nil)

// New returns a backend that works here, or an error wrapping
// sandbox.ErrUnavailable that says what would mend it. It first removes what
// dead instances left behind in the state directory. The caller closes it.
func New(o Options) (*Backend, error) {
	o.CPUs = cmp.Or(o.CPUs, 1)
	b := &Backend{opts: o}
	if err := b.open(); err != nil {
		if b.alive != nil {
			err = errors.Join(err, b.Close())
		}
		return nil, fmt.Errorf("%w: oci: %w", sandbox.ErrUnavailable, err)
	}
	b.pool = pool.New(pool.Options[*box]{Start: b.startWarm, PerKind: o.Warm, Kinds: cmp.Or(o.WarmKinds, 4)})
	return b, nil
}

func (b *Backend) open() (err error) {
	o := b.opts
	for what, path := range map[string]string{"state directory": o.StateDir, "supervisor": o.Guest} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("%s %q is not an absolute path", what, path)
		}
	}
	if _, err := supervised.ReadGuest(o.Guest); err != nil {
		return err
	}
	b.rt = runtime{path: o.Runtime}
	if b.rt.name, b.rt.version, err = examine(o.Runtime); err != nil {
		return err
	}
	b.posture = posture{Guest: o.Guest, CPUs: o.CPUs}
	if os.Geteuid() != 0 {
		if b.posture.Mapping, err = mapping(); err != nil {
			return err
		}
	}
	if b.dir, b.alive, err = instance.New(o.StateDir, destroy); err != nil {
		return err
	}
	b.rt.root = runtimeRoot(b.dir)
	if err := b.rt.note(b.dir); err != nil {
		return err
	}
	if b.roots, err = rootfs.New(rootfs.Options{Dir: o.StateDir, Path: o.Path, Python: o.Python, Node: o.Node, Images: o.Images, Version: b.versionOf}); err != nil {
		return err
	}
	return b.settleOn()
}

// Close ends the waiting containers and returns when nothing of this instance
// is left. No Run may be under way.
func (b *Backend) Close() error {
	var err error
	if b.pool != nil {
		err = b.pool.Close()
	}
	b.removing.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.roots != nil {
		err = errors.Join(err, b.roots.Close())
	}
	return errors.Join(err, errors.Join(b.errs...), destroy(b.dir), b.alive.Close())
}

// Describe implements sandbox.Backend.
func (b *Backend) Describe() sandbox.Description {
	mode, user := "root", "uid 65534, no capabilities, no new privileges"
	if b.posture.Mapping != nil {
		mode, user = "rootless", user+", a user namespace"
	}
	watched := "watched every 20 ms: " + b.rt.name + " gets no cgroup here"
	return sandbox.Description{
		Name: "oci", Version: b.rt.name + " " + b.rt.version, Mode: mode,
		Controls: map[sandbox.Control]string{
			sandbox.ControlNetwork:   "no interface; seccomp refuses sockets",
			sandbox.ControlProcess:   "seccomp refuses exec and fork",
			sandbox.ControlHostFiles: "read-only mounts of the interpreter alone",
			sandbox.ControlReadOnly:  "read-only root, bounded noexec tmpfs",
			sandbox.ControlWall:      "timer; killed through the runtime",
			sandbox.ControlCPU:       b.held("watched, RLIMIT_CPU; rate by "+b.group, "watched, RLIMIT_CPU"),
			sandbox.ControlMemory:    b.held(b.group, watched),
			sandbox.ControlPids:      b.held(b.group, watched),
			sandbox.ControlOutput:    "capped streams",
			sandbox.ControlDisk:      fmt.Sprintf("size and %d files of each tmpfs, RLIMIT_FSIZE", supervised.Inodes),
			sandbox.ControlUser:      user,
			sandbox.ControlKernel:    "the host's kernel behind seccomp",
			sandbox.ControlSecond:    "the interpreter's own parser, before the program",
		},
	}
}

func (b *Backend) held(how, otherwise string) string {
	if b.posture.Cgroup {
		return how
	}
	return otherwise
}

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (res sandbox.Result, err error) {
	if err := b.check(s); err != nil {
		return sandbox.Result{}, err
	}
	c, err := b.box(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, nil
		}
		return sandbox.Result{}, err
	}
	res, err = c.Run(ctx, s)
	if err == nil && res.Reason == sandbox.Exited {
		// The supervisor says that the program and all it started are gone; the
		// empty container need not be waited for.
		b.removing.Go(func() { b.note(c.remove()) })
	} else if rerr := c.remove(); rerr != nil {
		err = errors.Join(err, fmt.Errorf("removing a sandbox: %w", rerr))
	}
	res.Warm = c.warm
	return res, err
}

// note keeps the error of something that nobody waits for until Close.
func (b *Backend) note(err error) {
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.errs = append(b.errs, err)
	}
}

func (b *Backend) check(s sandbox.Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.CheckControls(b.Describe()); err != nil {
		return err
	}
	for _, m := range s.Runtime.Mounts {
		if m.Writable {
			return fmt.Errorf("%w: mount %s: oci gives read-only mounts only, a writable copy is what gvisor can make", sandbox.ErrRefused, m.Target)
		}
		if err := rootfs.CheckMount(m); err != nil {
			return fmt.Errorf("%w: mount of %q at %q: %v", sandbox.ErrRefused, m.Source, m.Target, err)
		}
	}
	return runner.CheckFiles(s)
}

// Warm starts the waiting containers for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	return b.pool.Wait(ctx, supervised.Kind(s))
}

// box returns a container whose interpreter waits for a job, which is the
// caller's to remove.
func (b *Backend) box(ctx context.Context, s sandbox.Spec) (*box, error) {
	if b.opts.Warm > 0 {
		if c, ok := b.pool.Take(supervised.Kind(s)); ok {
			return c, nil
		}
	}
	return b.startReady(ctx, s, nil)
}

func (b *Backend) startWarm(ctx context.Context, kind string) (*box, error) {
	s, err := supervised.OfKind(kind)
	if err != nil {
		return nil, err
	}
	c, err := b.startReady(ctx, s, []string{runner.Preload(s.Language, b.opts.Preload)})
	if err != nil {
		return nil, err
	}
	c.warm = true
	return c, nil
}

// startReady starts a container and waits for its interpreter, which gets these
// variables besides its usual ones.
func (b *Backend) startReady(ctx context.Context, s sandbox.Spec, env []string) (*box, error) {
	in, err := b.roots.Find(ctx, s, !supervised.DeniesProcess(s))
	if err != nil {
		return nil, err
	}
	return b.startIn(ctx, in, s, env)
}

func (b *Backend) startIn(ctx context.Context, in rootfs.Interpreter, s sandbox.Spec, env []string) (*box, error) {
	st := start(in, s, b.posture)
	st.Env = append(st.Env, env...)
	spec := ociSpec(in, s, b.posture)
	if b.loosen != nil {
		b.loosen(spec, &st)
	}
	c, err := b.start(ctx, in, spec)
	if err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	c.converse(in, s.Limits)
	if err = c.Start(st); err == nil {
		err = c.Ready(ctx, startLimit)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting a sandbox: %w", err), c.remove())
	}
	return c, nil
}

// versionOf asks an interpreter of an image for its version, inside of a
// container that is made for that.
func (b *Backend) versionOf(ctx context.Context, in rootfs.Interpreter) (string, error) {
	c, err := b.startIn(ctx, in, sandbox.Spec{Language: in.Language}, nil)
	if err != nil {
		return "", fmt.Errorf("it does not start: %w", err)
	}
	version := c.Used().Version
	return version, errors.Join(rootfs.CheckVersion(in.Language, version), c.remove())
}
