package oci

import (
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

// posture is what the isolation depends on besides the run.
type posture struct {
	Guest   string // the supervisor, on the host
	CPUs    float64
	Cgroup  bool  // the runtime is to make a control group
	Mapping []ids // of an ordinary user, in a user namespace
}

// ids maps one user and group of the host to one inside.
type ids struct {
	Inside, User, Group uint32
}

// holds says what is enforced by something else than the supervisor.
func (p posture) holds() supervised.Outside {
	return supervised.Outside{Memory: p.Cgroup, Pids: p.Cgroup, Inodes: true, Disk: true, NotStartable: true}
}

// start is what the supervisor puts the interpreter under.
func start(in rootfs.Interpreter, s sandbox.Spec, p posture) wire.Start {
	st := supervised.Start(s, in.Executable, p.holds())
	st.Argv = in.Argv(s)
	return st
}

// ociSpec is what the runtime is asked for: a pure function, pinned by golden
// files. The first process is the supervisor, which puts the interpreter under
// the system call filter: a runtime would have to apply it before it starts its
// process, and so could not refuse to start one.
func ociSpec(in rootfs.Interpreter, s sandbox.Spec, p posture) *specs.Spec {
	l := s.Limits.WithDefaults()
	c := &specs.Spec{
		Version:  "1.0.2",
		Hostname: "sandbox",
		Root:     &specs.Root{Path: in.Root, Readonly: true},
		Process: &specs.Process{
			User:            specs.User{UID: runner.Nobody, GID: runner.Nobody},
			Args:            []string{supervised.GuestPath},
			Env:             supervised.Environment(),
			Cwd:             "/",
			Capabilities:    &specs.LinuxCapabilities{},
			NoNewPrivileges: true,
			Rlimits: []specs.POSIXRlimit{
				rlimit("RLIMIT_CORE", 0),
				rlimit("RLIMIT_FSIZE", l.FileBytes),
				rlimit("RLIMIT_NOFILE", supervised.OpenFiles),
			},
		},
		Mounts: mounts(in, s, p),
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
				{Type: specs.UTSNamespace}, {Type: specs.MountNamespace}, {Type: specs.CgroupNamespace},
			},
			MaskedPaths: []string{
				"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
				"/proc/scsi", "/proc/timer_list", "/proc/timer_stats",
			},
			ReadonlyPaths:     []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"},
			RootfsPropagation: "private",
		},
	}
	if s.Egress != nil {
		c.Linux.Sysctl = supervised.Sysctls()
	}
	if p.Cgroup {
		c.Linux.Resources = resources(l, p)
	}
	if p.Mapping != nil {
		c.Linux.Namespaces = append(c.Linux.Namespaces, specs.LinuxNamespace{Type: specs.UserNamespace})
		for _, m := range p.Mapping {
			c.Linux.UIDMappings = append(c.Linux.UIDMappings, specs.LinuxIDMapping{ContainerID: m.Inside, HostID: m.User, Size: 1})
			c.Linux.GIDMappings = append(c.Linux.GIDMappings, specs.LinuxIDMapping{ContainerID: m.Inside, HostID: m.Group, Size: 1})
		}
	}
	return c
}

func rlimit(name string, n int64) specs.POSIXRlimit {
	return specs.POSIXRlimit{Type: name, Soft: uint64(n), Hard: uint64(n)}
}

// period is that of the processor's rate, in microseconds: the kernel's own.
const period = 100_000

// resources are the limits of the control group. The pids among them count the
// supervisor's own threads too.
func resources(l sandbox.Limits, p posture) *specs.LinuxResources {
	return &specs.LinuxResources{
		Devices: []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}}, // but the harmless ones, which runtimes add
		Memory:  &specs.LinuxMemory{Limit: new(l.Memory), Swap: new(l.Memory)},
		Pids:    &specs.LinuxPids{Limit: l.Pids + supervised.Tasks},
		CPU:     &specs.LinuxCPU{Quota: new(int64(p.CPUs * period)), Period: new(uint64(period))},
	}
}

// everywhere makes a mount read-only with all that is mounted below it.
const everywhere = "rro"

// mounts are all there is to see; there is no /sys.
func mounts(in rootfs.Interpreter, s sandbox.Spec, p posture) []specs.Mount {
	l := s.Limits.WithDefaults()
	given := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "nodev", "noexec"}},
		{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "noexec", "mode=0755", "size=65536", "nr_inodes=64"}},
		rootfs.Scratch(runner.WorkDir, l.DiskBytes/2, live.Inodes),
		rootfs.Scratch("/tmp", l.DiskBytes/8*3, live.Inodes),
		rootfs.Scratch("/dev/shm", l.DiskBytes/8, live.Inodes),
		{Destination: supervised.GuestPath, Type: "bind", Source: p.Guest, Options: []string{"bind", "ro", "nosuid", "nodev"}},
	}
	return rootfs.Mounts(given, in, s, s.Grant.Has(sandbox.CapabilityProcess), everywhere)
}
