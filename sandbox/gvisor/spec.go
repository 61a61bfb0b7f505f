package gvisor

import (
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

const openFiles = 1024 // descriptors of a process; enough for any honest program

// ociSpec is the whole isolation posture of a run: a pure function, pinned by
// golden files.
func ociSpec(in rootfs.Interpreter, s sandbox.Spec) *specs.Spec {
	l := s.Limits.WithDefaults()
	return &specs.Spec{
		Version:  "1.0.2",
		Hostname: "sandbox",
		Root:     &specs.Root{Path: in.Root, Readonly: true},
		Process: &specs.Process{
			User:            specs.User{UID: runner.Nobody, GID: runner.Nobody},
			Args:            in.Argv(s),
			Env:             runner.Env(s),
			Cwd:             runner.WorkDir,
			Capabilities:    &specs.LinuxCapabilities{},
			NoNewPrivileges: true,
			Rlimits:         rlimits(in, l),
		},
		Mounts:      mounts(in, s, l),
		Annotations: annotations(in, s, l),
		Linux: &specs.Linux{
			Seccomp: seccompProfile(s),
			// Not for runsc: for the control group that it is started in.
			Resources: &specs.LinuxResources{Memory: &specs.LinuxMemory{Limit: new(l.Memory + live.SentryMemory)}},
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

func rlimits(in rootfs.Interpreter, l sandbox.Limits) []specs.POSIXRlimit {
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

// mounts are those of the root file system; a writable one is a copy, below an
// overlay, which takes half of the work directory's room.
func mounts(in rootfs.Interpreter, s sandbox.Spec, l sandbox.Limits) []specs.Mount {
	work := l.DiskBytes / 2
	if writable(s) {
		work /= 2
	}
	return rootfs.Mounts([]specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc"},
		// A runsc that is not sallyport's own passes the number of files over.
		rootfs.Scratch(runner.WorkDir, work, live.Inodes),
		rootfs.Scratch("/tmp", l.DiskBytes/8*3, live.Inodes),
		rootfs.Scratch("/dev/shm", l.DiskBytes/8, live.Inodes),
	}, in, s, s.Grant.Has(sandbox.CapabilityProcess), "ro")
}
