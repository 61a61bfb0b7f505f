package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/internal/executable"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/sandboxtest"
)

// TestEachControlMatters takes one control away at a time: the suite, which
// passes with all of them, must notice each, or it attacks nothing.
func TestEachControlMatters(t *testing.T) {
	t.Parallel()
	w := sandboxtest.NewWorld(t)
	rows := map[string]sandboxtest.Row{}
	for _, r := range sandboxtest.Rows() {
		rows[r.Name] = r
	}
	shared := newTestBackend(t)
	for _, tt := range withoutCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			row, ok := rows[tt.row]
			if !ok {
				t.Fatalf("there is no row %q", tt.row)
			}
			if tt.name == "address space" {
				row.Want = nil // the watch would end the program, too
			}
			if bad := row.Attempt(variant{Backend: shared, removal: tt.removal}, w, sandboxtest.Options{Removed: true}); len(bad) == 0 {
				t.Errorf("%q does not notice", tt.row)
			} else {
				t.Logf("noticed: %.300q", bad)
			}
		})
	}
}

// variant runs each program in a box of its own, which it starts as the backend
// does: from what the backend asks for, but for what is taken away. With warm it
// is a box as the pool keeps them.
type variant struct {
	*Backend
	warm bool
	removal
}

// removal takes a control away.
type removal struct {
	spec        func(*specs.Spec)     // of what runsc is asked for
	hostNetwork bool                  // of runsc's flags
	limits      func(*sandbox.Limits) // of the watch outside
	job         func(*sandbox.Spec)   // of what the runner is told
}

func (v variant) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := v.check(s); err != nil {
		return sandbox.Result{}, err
	}
	in, err := v.interpreter(ctx, s)
	if err != nil {
		return sandbox.Result{}, err
	}
	if v.warm {
		s = sandboxtest.Preloaded(s)
	}
	oci, err := v.asked(in, s, v.warm)
	if err != nil {
		return sandbox.Result{}, err
	}
	if v.spec != nil {
		v.spec(oci)
	}
	config, err := marshal(oci)
	if err != nil {
		return sandbox.Result{}, err
	}
	b := *v.Backend
	if v.hostNetwork {
		if b.opts.Runsc, err = withHostNetwork(b.dir, b.opts.Runsc); err != nil {
			return sandbox.Result{}, err
		}
	}
	c, err := b.startReady(ctx, config, live.Ready(s))
	if err != nil {
		return sandbox.Result{}, err
	}
	if v.limits != nil {
		s.Limits = s.Limits.WithDefaults()
		v.limits(&s.Limits)
	}
	if v.job != nil {
		v.job(&s)
	}
	res, err := c.Run(ctx, s)
	res.SettleViolations()
	res.Runtime = sandbox.RuntimeUsed{Interpreter: in.Executable, Version: in.Version, SHA256: in.SHA256}
	return res, errors.Join(err, c.Close())
}

// withHostNetwork is a program that becomes runsc, with the host's network.
func withHostNetwork(dir, runsc string) (string, error) {
	own, err := os.MkdirTemp(dir, "runsc-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(own, "runsc")
	return path, executable.Write(path, fmt.Appendf(nil, `#!/bin/sh
for flag do
	shift
	[ "$flag" = --network=none ] && flag=--network=host
	set -- "$@" "$flag"
done
exec '%s' "$@"
`, runsc))
}

type withoutCase struct {
	name, row string
	removal   removal
}

func withoutCases() []withoutCase {
	spec := func(name, row string, edit func(*specs.Spec)) withoutCase {
		return withoutCase{name, row, removal{spec: edit}}
	}
	limit := func(name, row string, edit func(*sandbox.Limits)) withoutCase {
		return withoutCase{name, row, removal{limits: edit}}
	}
	return []withoutCase{
		spec("user", "identity", func(s *specs.Spec) { s.Process.User = specs.User{} }),
		spec("group", "identity", func(s *specs.Spec) { s.Process.User.GID = 0 }),
		spec("no capabilities", "identity", func(s *specs.Spec) {
			caps := []string{"CAP_SYS_ADMIN", "CAP_NET_RAW"}
			s.Process.Capabilities = &specs.LinuxCapabilities{Bounding: caps, Effective: caps, Permitted: caps}
		}),
		spec("no new privileges", "identity", func(s *specs.Spec) { s.Process.NoNewPrivileges = false }),
		spec("empty environment", "host environment", func(s *specs.Spec) { s.Process.Env = append(s.Process.Env, os.Environ()...) }),
		spec("own accounts", "host accounts", func(s *specs.Spec) { bind(s, "/etc") }),
		spec("no host files", "host files", func(s *specs.Spec) { bind(s, "/var/lib") }),
		spec("read-only root", "mount options", func(s *specs.Spec) { s.Root.Readonly = false }),
		spec("read-only mounts", "mount options", func(s *specs.Spec) { options(s, "ro") }),
		spec("noexec scratch", "mount options", func(s *specs.Spec) { options(s, "noexec") }),
		spec("nothing written is executed", "written program", func(s *specs.Spec) { options(s, "noexec") }),
		spec("no set-user scratch", "mount options", func(s *specs.Spec) { options(s, "nosuid") }),
		spec("number of files", "more files than there may be", func(s *specs.Spec) { options(s, "nr_inodes=") }),
		spec("core dumps", "core dumps", func(s *specs.Spec) { rlimit(s, "RLIMIT_CORE") }),
		spec("unprivileged user", "set user", func(s *specs.Spec) {
			caps := []string{"CAP_SETUID", "CAP_SETGID"}
			s.Process.Capabilities = &specs.LinuxCapabilities{Bounding: caps, Effective: caps, Permitted: caps, Inheritable: caps, Ambient: caps}
		}),
		{"second opinion", "second opinion: lone carriage return", removal{job: func(s *sandbox.Spec) { s.Identifiers = sandboxtest.Words(s.Code) }}},
		spec("scratch size", "disk filling", func(s *specs.Spec) { options(s, "size=") }),
		spec("file size", "file size", func(s *specs.Spec) { rlimit(s, "RLIMIT_FSIZE") }),
		spec("open files", "open files", func(s *specs.Spec) { rlimit(s, "RLIMIT_NOFILE") }),
		spec("processes", "fork bomb", func(s *specs.Spec) { rlimit(s, "RLIMIT_NPROC") }),
		spec("address space", "memory, at once", func(s *specs.Spec) { rlimit(s, "RLIMIT_AS") }),
		spec("seccomp of execve", "process", func(s *specs.Spec) { unfiltered(s, "execve") }),
		spec("seccomp of fork", "process by system call", func(s *specs.Spec) { unfiltered(s, "fork") }),
		spec("seccomp of vfork", "process by system call", func(s *specs.Spec) { unfiltered(s, "vfork") }),
		spec("seccomp of clone", "process", func(s *specs.Spec) { unfiltered(s, "clone") }),
		spec("seccomp of clone3", "process by system call", func(s *specs.Spec) { unfiltered(s, "clone3") }),
		spec("seccomp of sockets", "kernel interfaces", func(s *specs.Spec) { unfiltered(s, "socket") }),
		spec("seccomp of kernel interfaces", "kernel interfaces", func(s *specs.Spec) { unfiltered(s, "ptrace") }),
		{"no network", "interfaces", removal{hostNetwork: true, spec: networkNamespace}},
		{"no network and no sockets", "host loopback", removal{hostNetwork: true, spec: func(s *specs.Spec) {
			networkNamespace(s)
			unfiltered(s, "socket")
		}}},
		{"memory watch", "memory, little by little", removal{limits: func(l *sandbox.Limits) { l.Memory *= 5 }, spec: func(s *specs.Spec) { s.Linux.Resources = nil }}},
		limit("processor watch", "processor time", func(l *sandbox.Limits) { l.CPU *= 1000; l.Wall = time.Second }),
		limit("wall clock", "endless loop", func(l *sandbox.Limits) { l.Wall *= 1000; l.CPU = time.Second }),
		limit("output cap", "long output is cut and said to be", func(l *sandbox.Limits) { l.OutputBytes *= 1000 }),
	}
}

func networkNamespace(s *specs.Spec) {
	s.Linux.Namespaces = slices.DeleteFunc(s.Linux.Namespaces, func(n specs.LinuxNamespace) bool { return n.Type == specs.NetworkNamespace })
}

func bind(s *specs.Spec, dir string) {
	s.Mounts = append(s.Mounts, specs.Mount{Destination: dir, Type: "bind", Source: dir, Options: []string{"rbind", "ro"}})
}

// options takes the mount options away that start with prefix.
func options(s *specs.Spec, prefix string) {
	for i := range s.Mounts {
		s.Mounts[i].Options = slices.DeleteFunc(slices.Clone(s.Mounts[i].Options), func(o string) bool { return strings.HasPrefix(o, prefix) })
	}
}

func rlimit(s *specs.Spec, name string) {
	s.Process.Rlimits = slices.DeleteFunc(s.Process.Rlimits, func(r specs.POSIXRlimit) bool { return r.Type == name })
}

func unfiltered(s *specs.Spec, name string) {
	for i := range s.Linux.Seccomp.Syscalls {
		c := &s.Linux.Seccomp.Syscalls[i]
		c.Names = slices.DeleteFunc(slices.Clone(c.Names), func(n string) bool { return n == name })
	}
	s.Linux.Seccomp.Syscalls = slices.DeleteFunc(s.Linux.Seccomp.Syscalls, func(c specs.LinuxSyscall) bool { return len(c.Names) == 0 })
}
