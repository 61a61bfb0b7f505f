package docker

import (
	"fmt"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/strslice"
	"github.com/docker/go-units"

	"sallyport/sandbox"
	"sallyport/sandbox/docker/wire"
	"sallyport/sandbox/runner"
)

// nobody is the user and group inside.
const nobody = "65534"

const (
	openFiles = 512   // descriptors of a process; enough for any honest program
	inodes    = 20000 // of each writable mount

	// supervisorTasks are the threads that the supervisor itself may have:
	// the pids cgroup counts them.
	supervisorTasks = 16

	// sentryMemory and sentryTasks are what gVisor needs for itself inside
	// the container's cgroup, which counts its kernel together with the code.
	sentryMemory = 96 << 20
	sentryTasks  = 512
)

// posture is what the isolation depends on besides the spec.
type posture struct {
	Image        string // ID
	Runtime      string // "" is the engine's default
	Gvisor       bool   // Runtime is gVisor
	CPUs         float64
	CgroupMemory bool // the engine enforces it
	CgroupPids   bool
	CgroupCPU    bool
	Labels       map[string]string
}

// config and hostConfig are pure: their golden files are the whole isolation
// posture that the engine is asked for. start is what the supervisor adds.
func config(p posture) *container.Config {
	return &container.Config{
		Hostname:        "sandbox",
		User:            nobody + ":" + nobody,
		AttachStdin:     true,
		AttachStdout:    true,
		AttachStderr:    true,
		OpenStdin:       true,
		StdinOnce:       true, // the end of our connection is the end of the run
		NetworkDisabled: true,
		Image:           p.Image,
		Entrypoint:      strslice.StrSlice{guestPath},
		Cmd:             strslice.StrSlice{},
		Env:             []string{"GOMAXPROCS=2", "GODEBUG="},
		WorkingDir:      runner.WorkDir,
		StopSignal:      "SIGKILL",
		Healthcheck:     &container.HealthConfig{Test: []string{"NONE"}},
		Labels:          p.Labels,
	}
}

func hostConfig(s sandbox.Spec, p posture) *container.HostConfig {
	l := s.Limits.WithDefaults()
	no := false
	h := &container.HostConfig{
		NetworkMode:    "none",
		IpcMode:        container.IPCModeNone,
		CgroupnsMode:   container.CgroupnsModePrivate,
		ReadonlyRootfs: true,
		CapDrop:        strslice.StrSlice{"ALL"},
		SecurityOpt:    []string{"no-new-privileges"},
		Init:           &no, // the supervisor is one
		RestartPolicy:  container.RestartPolicy{Name: container.RestartPolicyDisabled},
		LogConfig:      container.LogConfig{Type: "none"}, // output goes to us alone, not to the engine's disk
		// The engine would copy the host's own resolver settings inside.
		DNS:       []string{"127.0.0.1"},
		DNSSearch: []string{"."},
		Runtime:   p.Runtime,
		Tmpfs: map[string]string{
			runner.WorkDir: scratch(l.DiskBytes / 2),
			"/tmp":         scratch(l.DiskBytes / 8 * 3),
			"/dev/shm":     scratch(l.DiskBytes / 8),
		},
		Mounts: mounts(s.Runtime.Mounts),
		Resources: container.Resources{
			// No limit is above what an ordinary process of the host has:
			// raising a hard limit takes a capability that many hosts lack.
			Ulimits: []*units.Ulimit{
				{Name: "core", Soft: 0, Hard: 0},
				{Name: "fsize", Soft: l.FileBytes, Hard: l.FileBytes},
				{Name: "nofile", Soft: openFiles, Hard: openFiles},
			},
		},
	}
	if p.CgroupMemory {
		h.Memory = l.Memory
		if p.Gvisor {
			h.Memory += sentryMemory
		}
		h.MemorySwap = h.Memory
	}
	if p.CgroupPids {
		n := l.Pids + supervisorTasks
		if p.Gvisor {
			n += sentryTasks
		}
		h.PidsLimit = &n
	}
	if p.CgroupCPU {
		h.NanoCPUs = int64(p.CPUs * 1e9)
	}
	return h
}

func scratch(size int64) string {
	return fmt.Sprintf("rw,noexec,nosuid,nodev,mode=0700,uid=%s,gid=%s,size=%d,nr_inodes=%d", nobody, nobody, max(size, 1<<16), inodes)
}

func mounts(in []sandbox.Mount) []mount.Mount {
	var out []mount.Mount
	for _, m := range in {
		out = append(out, mount.Mount{
			Type: mount.TypeBind, Source: m.Source, Target: m.Target, ReadOnly: true,
			BindOptions: &mount.BindOptions{Propagation: mount.PropagationRPrivate},
		})
	}
	return out
}

// start is what the supervisor puts the interpreter under.
func start(s sandbox.Spec, p posture) wire.Start {
	l := s.Limits.WithDefaults()
	exe := s.Runtime.Interpreter
	if exe == "" {
		exe = map[string]string{"python": "python3", "javascript": "node"}[s.Language]
	}
	st := wire.Start{
		Argv:        runner.Argv(exe, s),
		Env:         runner.Env(s),
		Dir:         runner.WorkDir,
		OutputBytes: l.OutputBytes,
		Guard: wire.Guard{
			AllowProcess: !denies(s, "process"),
			OpenFiles:    openFiles,
			FileBytes:    uint64(l.FileBytes),
		},
		Watch: wire.Watch{
			CPUMillis:  l.CPU.Milliseconds(),
			WallMillis: (l.Wall + killLimit).Milliseconds(),
		},
		Out: wire.ArtifactRules{Bytes: l.ArtifactBytes, Count: l.ArtifactCount, Skip: inputs(s)},
	}
	// Where no cgroup says so, or one that counts more than the code, the
	// supervisor watches.
	if !p.CgroupMemory || p.Gvisor {
		st.Watch.Memory = l.Memory
	}
	if !p.CgroupPids || p.Gvisor {
		st.Watch.Pids = l.Pids
	}
	return st
}

// inputs are the files that are no artifacts because the caller sent them.
func inputs(s sandbox.Spec) []string {
	out := []string{runner.MainName(s.Language, s.Goal)}
	for _, f := range s.Files {
		out = append(out, f.Path)
	}
	return out
}

// denies is true unless the spec leaves the capability out on purpose: a spec
// without any denial is the tightest one, not the loosest.
func denies(s sandbox.Spec, capability string) bool {
	if s.Deny == nil {
		return true
	}
	for _, d := range s.Deny {
		if d == capability {
			return true
		}
	}
	return false
}
