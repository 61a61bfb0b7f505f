package gvisor

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/runner"
)

// nobody is the user and group inside. It owns nothing of the host.
const nobody = 65534

const (
	openFiles = 1024  // descriptors of a process; enough for any honest program
	inodes    = 20000 // of each writable mount: files without content are files, too
)

// ociSpec is the whole isolation posture of a run: a pure function, pinned by
// golden files. root is the prepared root file system for the host's files.
func ociSpec(root string, in interpreter, s sandbox.Spec) *specs.Spec {
	l := s.Limits.WithDefaults()
	root = cmp.Or(in.Root, root)
	return &specs.Spec{
		Version:  "1.0.2",
		Hostname: "sandbox",
		Root:     &specs.Root{Path: root, Readonly: true},
		Process: &specs.Process{
			User:            specs.User{UID: nobody, GID: nobody},
			Args:            runner.Argv(in.Executable, s),
			Env:             runner.Env(s),
			Cwd:             runner.WorkDir,
			Capabilities:    &specs.LinuxCapabilities{},
			NoNewPrivileges: true,
			Rlimits:         rlimits(in, l),
		},
		Mounts:      mounts(in, s, l),
		Annotations: annotations(s, l),
		Linux: &specs.Linux{
			Seccomp: seccompProfile(s),
			// Not for runsc: for the control group that it is started in.
			Resources: &specs.LinuxResources{Memory: &specs.LinuxMemory{Limit: new(l.Memory + sentryMemory)}},
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
				{Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
			},
		},
	}
}

// addressRoom is what a process may map beyond its memory limit: interpreters
// and numeric libraries reserve address space for threads that they never
// touch. What is touched is watched; this only turns one absurd allocation
// into an error that the program sees.
const addressRoom = 1 << 30

func rlimits(in interpreter, l sandbox.Limits) []specs.POSIXRlimit {
	lim := func(name string, n int64) specs.POSIXRlimit {
		return specs.POSIXRlimit{Type: name, Soft: uint64(n), Hard: uint64(n)}
	}
	out := []specs.POSIXRlimit{
		lim("RLIMIT_CORE", 0),
		lim("RLIMIT_FSIZE", l.FileBytes),
		lim("RLIMIT_NOFILE", openFiles),
		lim("RLIMIT_NPROC", l.Pids),
	}
	if in.Language == "python" {
		// Node reserves far more address space than it uses; its heap is
		// bounded by a flag instead.
		out = append(out, lim("RLIMIT_AS", l.Memory+addressRoom))
	}
	return out
}

func mounts(in interpreter, s sandbox.Spec, l sandbox.Limits) []specs.Mount {
	work := l.DiskBytes / 2
	if writable(s) {
		work /= 2 // the other half is for what changes in the mounts
	}
	out := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc"},
		scratch(runner.WorkDir, work),
		scratch("/tmp", l.DiskBytes/8*3),
		scratch("/dev/shm", l.DiskBytes/8),
	}
	for _, b := range binds(in, s) {
		out = append(out, specs.Mount{
			Destination: b.Target, Type: "bind", Source: b.Source,
			Options: []string{"rbind", "ro", "nosuid", "nodev"},
		})
	}
	for _, m := range s.Runtime.Mounts {
		options := []string{"rbind", "ro", "nosuid", "nodev", "noexec"}
		if m.Writable {
			options[1] = "rw" // a copy, below an overlay
		}
		out = append(out, specs.Mount{Destination: m.Target, Type: "bind", Source: m.Source, Options: options})
	}
	// A directory must be there before what is mounted inside of it.
	slices.SortStableFunc(out, func(a, b specs.Mount) int { return depth(a.Destination) - depth(b.Destination) })
	return out
}

// binds are the parts of the root file system: of the host's, or of an image.
func binds(in interpreter, s sandbox.Spec) []graft {
	if in.Root != "" {
		return in.Binds
	}
	paths := in.Mounts
	if !runner.DeniesProcess(s) {
		paths = outermost(append(slices.Clone(paths), "/usr/bin"))
	}
	var out []graft
	for _, p := range paths {
		out = append(out, graft{Source: p, Target: p})
	}
	return out
}

func depth(p string) int {
	n := 0
	for ; p != "/" && p != "."; p = path.Dir(p) {
		n++
	}
	return n
}

func scratch(dir string, size int64) specs.Mount {
	return specs.Mount{
		Destination: dir, Type: "tmpfs", Source: "tmpfs",
		Options: []string{"nosuid", "nodev", "noexec", "mode=0700",
			fmt.Sprintf("uid=%d", nobody), fmt.Sprintf("gid=%d", nobody),
			fmt.Sprintf("size=%d", min(max(size, 1<<16), math.MaxInt64)),
			// A runsc that is not sallyport's own passes this one over.
			fmt.Sprintf("nr_inodes=%d", inodes)},
	}
}
