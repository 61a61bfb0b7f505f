package docker

import (
	"fmt"
	"path"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/strslice"
	"github.com/docker/go-units"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

const (
	// userTasks bounds the threads of all runs of an engine together.
	userTasks = 4096

	// sentryTasks is what gVisor needs for itself inside the container's cgroup,
	// which counts its kernel together with the code.
	sentryTasks = 512
)

// posture is what the isolation depends on besides the spec.
type posture struct {
	Image        string // ID
	Runtime      string // "" is the engine's default
	Gvisor       bool   // Runtime is gVisor
	Podman       bool
	CPUs         float64
	CgroupMemory bool // the engine enforces it
	CgroupPids   bool
	CgroupCPU    bool
	Labels       map[string]string
}

// asked is what a container is made from: what the engine is asked for, and what
// the supervisor puts the interpreter under.
type asked struct {
	config *container.Config
	host   *container.HostConfig
	start  wire.Start
}

// asking is ask, or ask and a little more.
type asking func(sandbox.Spec, posture) asked

func ask(s sandbox.Spec, p posture) asked { return asked{config(p), hostConfig(s, p), start(s, p)} }

// config and hostConfig are pure: their golden files are the whole isolation
// posture that the engine is asked for. start is what the supervisor adds.
func config(p posture) *container.Config {
	stopSeconds := 10 // Podman leaves none to one that does not say
	c := &container.Config{
		Hostname:        "sandbox",
		User:            fmt.Sprintf("%d:%d", runner.Nobody, runner.Nobody),
		AttachStdin:     true,
		AttachStdout:    true,
		AttachStderr:    true,
		OpenStdin:       true,
		StdinOnce:       true, // the end of our connection is the end of the run
		NetworkDisabled: true,
		Image:           p.Image,
		Entrypoint:      strslice.StrSlice{supervised.GuestPath},
		Cmd:             strslice.StrSlice{},
		Env:             supervised.Environment(),
		WorkingDir:      runner.WorkDir,
		StopSignal:      "SIGTERM", // which the supervisor understands
		StopTimeout:     &stopSeconds,
		Labels:          p.Labels,
	}
	if !p.Podman { // there an image with a check is refused: it cannot be taken from it
		c.Healthcheck = &container.HealthConfig{Test: []string{"NONE"}}
	}
	return c
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
			runner.WorkDir: scratch(p, l.DiskBytes/2),
			"/tmp":         scratch(p, l.DiskBytes/8*3),
			"/dev/shm":     scratch(p, l.DiskBytes/8),
		},
		Mounts: mounts(s.Runtime.Mounts),
		Resources: container.Resources{
			// No limit is above what an ordinary process of the host has:
			// raising a hard limit takes a capability that many hosts lack.
			Ulimits: []*units.Ulimit{
				{Name: "core", Soft: 0, Hard: 0},
				{Name: "fsize", Soft: l.FileBytes, Hard: l.FileBytes},
				{Name: "nofile", Soft: supervised.OpenFiles, Hard: supervised.OpenFiles},
			},
		},
	}
	if s.Egress != nil {
		h.Tmpfs[path.Dir(runner.CAFile)] = scratch(p, 0) // for whom clients trust, and no other one
		h.Sysctls = supervised.Sysctls()
	}
	if p.Podman {
		// It makes /run and /var/tmp writable without bounds, unless they are
		// something else already.
		for _, dir := range []string{"/run", "/var/tmp"} {
			h.Tmpfs[dir] = "ro,noexec,nosuid,nodev,size=4096,mode=0555,notmpcopyup"
		}
		// It would ask for more than a host without CAP_SYS_RESOURCE gives. The
		// kernel counts every process of the user: no limit for one run.
		h.Ulimits = append(h.Ulimits, &units.Ulimit{Name: "nproc", Soft: userTasks, Hard: userTasks})
	}
	if p.CgroupMemory {
		h.Memory = l.Memory
		if p.Gvisor {
			h.Memory += live.SentryMemory
		}
		h.MemorySwap = h.Memory
	}
	if p.CgroupPids {
		n := l.Pids + supervised.Tasks
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

// scratch is a writable mount. Podman knows no owner and no count of inodes
// for it; the mode opens it to the one user inside, the supervisor counts.
func scratch(p posture, size int64) string {
	o := fmt.Sprintf("rw,noexec,nosuid,nodev,size=%d", max(size, 1<<16))
	if p.Podman {
		return o + ",mode=1777,notmpcopyup"
	}
	return o + fmt.Sprintf(",mode=0700,uid=%d,gid=%d,nr_inodes=%d", runner.Nobody, runner.Nobody, live.Inodes)
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
	exe := s.Runtime.Interpreter
	if exe == "" {
		exe = map[string]string{"python": "python3", "javascript": "node"}[s.Language]
	}
	// Where no cgroup says so, or one that counts more than the code, the
	// supervisor watches; the mounts hold unless the engine knows no count of
	// inodes, or its runtime passes it over.
	st := supervised.Start(s, exe, supervised.Outside{
		Memory:       p.CgroupMemory && !p.Gvisor,
		Pids:         p.CgroupPids && !p.Gvisor,
		Inodes:       !p.Podman && !p.Gvisor,
		Disk:         true,
		NotStartable: true,
	})
	if st.Egress != nil {
		st.Egress.CA, st.Egress.CAFile = s.Egress.CA, runner.CAFile
	}
	if p.Gvisor {
		st.Guard.Tasks = uint64(s.Limits.WithDefaults().Pids) + supervised.Tasks
	}
	return st
}
