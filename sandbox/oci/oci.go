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

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/internal/instance"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
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
	// kind of run at least; zero keeps none. WarmKinds bounds the kinds, zero
	// means 4. Of all kinds together WarmMost wait when calls come in bursts;
	// zero keeps to Warm.
	Warm, WarmKinds, WarmMost int

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
	boxes *live.Keeper[*box]
}

var _ sandbox.Backend = (*Backend)(nil)

// New returns a backend that works here, or an error wrapping
// sandbox.ErrUnavailable that says what would mend it. It first removes what
// dead instances left behind in the state directory. The caller closes it.
func New(o Options) (*Backend, error) {
	o.CPUs = cmp.Or(o.CPUs, 1)
	b := &Backend{opts: o}
	b.boxes = live.New(live.Options[*box]{Start: b.startWarm, Warm: o.Warm, Kinds: o.WarmKinds, Most: o.WarmMost, Heavy: supervised.Preloads})
	if err := b.open(); err != nil {
		if b.alive != nil {
			err = errors.Join(err, b.Close())
		}
		return nil, &sandbox.Unavailable{Backend: "oci", Cause: err}
	}
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
	b.roots = rootfs.New(rootfs.Options{Dir: o.StateDir, Path: o.Path, Python: o.Python, Node: o.Node, Images: o.Images, Version: b.versionOf})
	return b.settleOn()
}

// Close ends the waiting containers and returns when nothing of this instance
// is left. No Run may be under way.
func (b *Backend) Close() error {
	err := b.boxes.Close()
	if b.roots != nil {
		err = errors.Join(err, b.roots.Close())
	}
	return errors.Join(err, destroy(b.dir), b.alive.Close())
}

// Describe implements sandbox.Backend.
func (b *Backend) Describe() sandbox.Description {
	mode, user := "root", runner.User
	if b.posture.Mapping != nil {
		mode, user = "rootless", user+", a user namespace"
	}
	watched := "watched every 20 ms: " + b.rt.name + " gets no cgroup here"
	return sandbox.Description{
		Name: "oci", Version: b.rt.name + " " + b.rt.version, Mode: mode, Copies: true,
		Controls: runner.Controls(map[sandbox.Control]string{
			sandbox.ControlNetwork:   "no interface; seccomp refuses sockets",
			sandbox.ControlEgress:    supervised.Egress,
			sandbox.ControlProcess:   "seccomp refuses exec and fork",
			sandbox.ControlHostFiles: "read-only mounts of the interpreter alone",
			sandbox.ControlReadOnly:  "read-only root, bounded noexec tmpfs",
			sandbox.ControlWall:      "timer; killed through the runtime",
			sandbox.ControlCPU:       b.held("watched, RLIMIT_CPU; rate by "+b.group, "watched, RLIMIT_CPU"),
			sandbox.ControlMemory:    b.held(b.group, watched),
			sandbox.ControlPids:      b.held(b.group, watched),
			sandbox.ControlOutput:    "capped streams",
			sandbox.ControlDisk:      fmt.Sprintf("size and %d files of each tmpfs, RLIMIT_FSIZE", live.Inodes),
			sandbox.ControlUser:      user,
			sandbox.ControlKernel:    "the host's kernel behind seccomp",
			sandbox.ControlSecond:    "the interpreter's own parser, before the program",
		}),
	}
}

func (b *Backend) held(how, otherwise string) string {
	if b.posture.Cgroup {
		return how
	}
	return otherwise
}

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s, err := runner.Copied(s)
	if err == nil {
		err = b.check(s)
	}
	if err != nil {
		return sandbox.Result{}, err
	}
	return b.boxes.Run(ctx, s, supervised.Kind(s), func(ctx context.Context) (*box, error) { return b.startReady(ctx, s, nil) })
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
	return nil
}

// Warm starts the waiting containers for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	return b.boxes.Wait(ctx, supervised.Kind(s))
}

func (b *Backend) startWarm(ctx context.Context, kind string) (*box, error) {
	s, err := supervised.OfKind(kind)
	if err != nil {
		return nil, err
	}
	return b.startReady(ctx, s, []string{runner.Preload(s)})
}

// startReady starts a container and waits for its interpreter, which gets these
// variables besides its usual ones.
func (b *Backend) startReady(ctx context.Context, s sandbox.Spec, env []string) (*box, error) {
	in, err := b.roots.Find(ctx, s, s.Grant.Has(sandbox.CapabilityProcess))
	if err != nil {
		return nil, err
	}
	return b.startIn(ctx, in, s, env)
}

func (b *Backend) startIn(ctx context.Context, in rootfs.Interpreter, s sandbox.Spec, env []string) (*box, error) {
	a, err := b.ask(in, s, env)
	if err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	return b.startFrom(ctx, in, s, a)
}

// asked is what a container is made from: what the runtime is asked for, and
// what the supervisor puts the interpreter under.
type asked struct {
	spec  *specs.Spec
	start wire.Start
}

func (b *Backend) ask(in rootfs.Interpreter, s sandbox.Spec, env []string) (asked, error) {
	a := asked{ociSpec(in, s, b.posture), start(in, s, b.posture)}
	a.start.Env = append(a.start.Env, env...)
	if s.Egress == nil {
		return a, nil
	}
	files, err := rootfs.WayOut(b.dir, s.Egress)
	a.spec.Mounts = append(a.spec.Mounts, files...)
	return a, err
}

func (b *Backend) startFrom(ctx context.Context, in rootfs.Interpreter, s sandbox.Spec, a asked) (*box, error) {
	c, err := b.start(ctx, in, a.spec)
	if err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	c.converse(in, s)
	if err = c.Start(a.start); err == nil {
		err = c.Ready(ctx, live.Ready(s))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting a sandbox: %w", err), c.Close())
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
	return version, errors.Join(rootfs.CheckVersion(in.Language, version), c.Close())
}
