package docker

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"
	"github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/sandboxtest"
)

// everyEngine is engines and the engine of an ordinary user.
func everyEngine(t *testing.T, test func(t *testing.T, b *Backend)) {
	engines(t, test)
	t.Run("rootless", func(t *testing.T) { test(t, open(t, requireRootless(t))) })
}

// TestRequire: what an engine publishes can be required, and nothing else: a
// program that needs more is refused by the name of what is missing.
func TestRequire(t *testing.T) {
	t.Parallel()
	everyEngine(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", "print(1)")
		s.Require = slices.Sorted(maps.Keys(b.Describe().Controls))
		if r := run(t, b, s); string(r.Stdout) != "1\n" {
			t.Errorf("with all of %q: %s %s", s.Require, r.Reason, r.Stderr)
		}
		s.Require = append(s.Require, "teleport")
		if _, err := b.Run(context.Background(), s); !errors.Is(err, sandbox.ErrRefused) || !strings.Contains(err.Error(), `cannot enforce "teleport"`) {
			t.Errorf("an unknown control: %v", err)
		}
		s = sandboxtest.Spec("python", "print(1)")
		s.Runtime.Mounts = []sandbox.Mount{{Source: "/srv", Target: "/srv", Writable: true}}
		if _, err := b.Run(context.Background(), s); !errors.Is(err, sandbox.ErrRefused) || !strings.Contains(err.Error(), "mount /srv") {
			t.Errorf("a writable mount: %v", err)
		}
	})
}

// TestPublished: what is published is what the engine said it can do; an
// engine that cannot limit by cgroup is watched, and says so.
func TestPublished(t *testing.T) {
	able := system.Info{OSType: "linux", Architecture: "x86_64", CgroupVersion: "2", MemoryLimit: true, SwapLimit: true, PidsLimit: true, CPUCfsQuota: true,
		SecurityOptions: []string{"name=seccomp,profile=default"}, DefaultRuntime: "runc", Runtimes: map[string]system.RuntimeWithStatus{"runc": {}}}
	for _, tt := range []struct {
		name    string
		edit    func(*system.Info, *Options)
		control sandbox.Control
		want    string
		posture func(posture) bool // must hold
	}{
		{"memory", func(*system.Info, *Options) {}, sandbox.ControlMemory, "cgroup v2", func(p posture) bool { return p.CgroupMemory }},
		{"no memory cgroup", func(i *system.Info, _ *Options) { i.MemoryLimit = false }, sandbox.ControlMemory, "watched", func(p posture) bool { return !p.CgroupMemory }},
		{"no limit of swap", func(i *system.Info, _ *Options) { i.SwapLimit = false }, sandbox.ControlMemory, "watched", func(p posture) bool { return !p.CgroupMemory }},
		{"no pids cgroup", func(i *system.Info, _ *Options) { i.PidsLimit = false }, sandbox.ControlPids, "watched", func(p posture) bool { return !p.CgroupPids }},
		{"no quota", func(i *system.Info, _ *Options) { i.CPUCfsQuota = false }, sandbox.ControlCPU, "watched, RLIMIT_CPU", func(p posture) bool { return !p.CgroupCPU }},
		{"rootless on version 1", func(i *system.Info, _ *Options) {
			i.CgroupVersion = "1"
			i.SecurityOptions = append(i.SecurityOptions, "name=rootless")
		}, sandbox.ControlMemory, "watched", func(p posture) bool { return !p.CgroupMemory && !p.CgroupPids && !p.CgroupCPU }},
		{"no seccomp", func(i *system.Info, _ *Options) { i.SecurityOptions = nil }, sandbox.ControlKernel, "no profile of its own", nil},
		{"seccomp unconfined", func(i *system.Info, _ *Options) { i.SecurityOptions = []string{"name=seccomp,profile=unconfined"} }, sandbox.ControlKernel, "no profile of its own", nil},
		{"gVisor", func(i *system.Info, o *Options) {
			i.Runtimes["runsc"] = system.RuntimeWithStatus{}
			o.Runtime = "runsc"
		}, sandbox.ControlKernel, "gVisor", func(p posture) bool { return p.Gvisor && p.Runtime == "runsc" }},
		{"Kata, missing and not required", func(_ *system.Info, o *Options) { o.Runtime = "kata" }, sandbox.ControlUser, "runtime kata is missing, the engine's default stands in", func(p posture) bool { return p.Runtime == "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info, o := able, Options{}
			info.Runtimes, info.SecurityOptions = maps.Clone(able.Runtimes), slices.Clone(able.SecurityOptions)
			tt.edit(&info, &o)
			e, err := understand(info).choose(info, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.controls()[tt.control]; !strings.Contains(got, tt.want) || tt.want == "watched, RLIMIT_CPU" && got != tt.want {
				t.Errorf("%s is published as %q, want %q", tt.control, got, tt.want)
			}
			if p := (&Backend{eng: e}).posture(""); tt.posture != nil && !tt.posture(p) {
				t.Errorf("posture %+v", p)
			}
		})
	}
	info := able
	if _, err := understand(info).choose(info, Options{Runtime: "kata", RequireRuntime: true}); err == nil || !strings.Contains(err.Error(), `no runtime "kata"`) {
		t.Errorf("a required runtime that is missing: %v", err)
	}
}

// TestTaken: what the engine was asked for is what it says it has set.
func TestTaken(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]func(testing.TB) Options{"docker": requireDocker, "podman": requirePodman} {
		t.Run(name, func(t *testing.T) {
			b := open(t, options(t))
			ctx := context.Background()
			s := sandboxtest.Spec("python", "")
			c, err := b.startReady(ctx, s, 0, ask)
			if err != nil {
				t.Fatal(err)
			}
			defer c.remove(ctx)
			in, err := b.api.ContainerInspect(ctx, c.id)
			if err != nil {
				t.Fatal(err)
			}
			h := in.HostConfig
			got := map[string]any{
				"memory": h.Memory, "swap": h.MemorySwap, "pids": *h.PidsLimit, "ipc": string(h.IpcMode), "network": string(h.NetworkMode),
				"read-only": h.ReadonlyRootfs, "privileged": h.Privileged, "devices": len(h.Devices), "binds": len(h.Binds), "caps": len(h.CapAdd),
				"user": in.Config.User, "labels": in.Config.Labels[labelOwner], "pid": h.PidMode != "host", "auto": h.AutoRemove,
			}
			want := map[string]any{
				"memory": int64(512 << 20), "swap": int64(512 << 20), "pids": int64(64 + supervised.Tasks), "ipc": "none", "network": "none",
				"read-only": true, "privileged": false, "devices": 0, "binds": 0, "caps": 0,
				"user": "65534:65534", "labels": b.self.process, "pid": true, "auto": false,
			}
			if b.eng.podman { // version 4 calls every namespace so that is not the host's
				want["ipc"] = "shareable"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the engine's view of the container (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDropped: an engine that says it will leave a limit out runs nothing.
func TestDropped(t *testing.T) {
	if got := droppedControls([]string{"Your kernel does not support swap limit capabilities. Limitation discarded.", "hello"}); !strings.Contains(got, "swap limit") || strings.Contains(got, "hello") {
		t.Errorf("droppedControls() = %q", got)
	}
	b := open(t, requireDocker(t))
	weight := "/sys/fs/cgroup/blkio/blkio.weight"
	if _, err := os.Stat(weight); err == nil {
		return // this kernel can do what is asked for below
	}
	unknown := variant{Backend: b, loosen: func(_ *inside, h *host, _ *begin) { h.BlkioWeight = 500 }}
	_, err := unknown.Run(context.Background(), sandboxtest.Spec("python", "print(1)"))
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "would leave out a control") {
		t.Errorf("a limit that the kernel does not know: %v", err)
	}
	left, err := b.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: ofThis(b)})
	if err != nil || slices.ContainsFunc(left, func(c container.Summary) bool {
		return c.State == "created" && time.Since(time.Unix(c.Created, 0)) < time.Minute
	}) {
		t.Errorf("left behind: %v %v", left, err)
	}
}
