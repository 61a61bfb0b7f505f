package gvisor

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
)

// nobody is the user and group inside. It owns nothing of the host.
const nobody = 65534

const (
	workDir   = "/work"
	runnerDir = "/.sallyport" // in the root file system, see rootfs.go

	openFiles = 1024 // descriptors of a process; enough for any honest program
)

// ociSpec is the whole isolation posture of a run: a pure function, pinned by
// golden files. root is the prepared root file system.
func ociSpec(root string, in interpreter, s sandbox.Spec) *specs.Spec {
	l := s.Limits.WithDefaults()
	return &specs.Spec{
		Version:  "1.0.2",
		Hostname: "sandbox",
		Root:     &specs.Root{Path: root, Readonly: true},
		Process: &specs.Process{
			User:            specs.User{UID: nobody, GID: nobody},
			Args:            argv(in, s, l),
			Env:             environment(s),
			Cwd:             workDir,
			Capabilities:    &specs.LinuxCapabilities{},
			NoNewPrivileges: true,
			Rlimits:         rlimits(in, l),
		},
		Mounts: mounts(in, s, l),
		Linux: &specs.Linux{
			Seccomp: seccompProfile(s),
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
				{Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
			},
		},
	}
}

func argv(in interpreter, s sandbox.Spec, l sandbox.Limits) []string {
	if s.Language == "javascript" {
		heap := strconv.FormatInt(max(l.Memory>>20*3/4, 16), 10)
		return []string{in.Executable, "--max-old-space-size=" + heap, "-r", runnerDir + "/hook.cjs", "main.js"}
	}
	// Not -I: the program's own directory must be importable, as it is for
	// everybody who types `python3 main.py`; the work directory holds nothing
	// but the program and its files. -s leaves out a home's packages, the
	// interpreter's own site-packages stay.
	return []string{in.Executable, "-B", "-s", "-X", "utf8", "main.py"}
}

// addressRoom is what a process may map beyond its memory limit: interpreters
// and numeric libraries reserve address space for threads that they never
// touch. What is touched is watched; this only turns one absurd allocation
// into an error that the program sees.
const addressRoom = 1 << 30

// environment is fixed but for what the operator adds; nothing of the host's
// is ever in it.
func environment(s sandbox.Spec) []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=/tmp",
		"LANG=C.UTF-8",
	}
	if s.Language == "python" {
		env = append(env, "PYTHONPATH="+runnerDir, "MPLBACKEND=module://sallyport_figures", "MPLCONFIGDIR=/tmp")
	}
	return append(env, s.Runtime.Env...)
}

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
	out := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc"},
		scratch(workDir, l.DiskBytes/2),
		scratch("/tmp", l.DiskBytes/8*3),
		scratch("/dev/shm", l.DiskBytes/8),
	}
	binds := in.Mounts
	if !deniedProcess(s) {
		binds = outermost(append(slices.Clone(binds), "/usr/bin"))
	}
	for _, p := range binds {
		out = append(out, specs.Mount{
			Destination: p, Type: "bind", Source: p,
			Options: []string{"rbind", "ro", "nosuid", "nodev"},
		})
	}
	for _, m := range s.Runtime.Mounts {
		out = append(out, specs.Mount{
			Destination: m.Target, Type: "bind", Source: m.Source,
			Options: []string{"rbind", "ro", "nosuid", "nodev", "noexec"},
		})
	}
	// A directory must be there before what is mounted inside of it.
	slices.SortStableFunc(out, func(a, b specs.Mount) int { return depth(a.Destination) - depth(b.Destination) })
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
			fmt.Sprintf("size=%d", min(max(size, 1<<16), math.MaxInt64))},
	}
}

// preload is the variable that tells the runner what to import before a
// program is there. Importing it must change nothing but the time it takes.
func preload(language string, more []string) string {
	names := []string{
		"abc", "base64", "bisect", "collections", "collections.abc", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal",
		"enum", "fractions", "functools", "heapq", "io", "itertools", "json", "linecache", "math", "numbers", "operator", "pathlib",
		"random", "re", "statistics", "string", "struct", "textwrap", "threading", "time", "traceback", "types", "typing", "warnings",
	}
	if language == "javascript" {
		names, more = []string{"assert", "crypto", "events", "fs/promises", "os", "perf_hooks", "querystring", "readline", "stream",
			"string_decoder", "timers/promises", "url", "util", "zlib"}, nil
	}
	return "SALLYPORT_PRELOAD=" + strings.Join(append(names, more...), ",")
}
