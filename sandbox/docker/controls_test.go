package docker

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised/wire"
	"sallyport/sandbox/sandboxtest"
)

// kinds of engines that controls are taken from, and the checks of the
// examination that cannot tell there.
var controlEngines = []struct {
	name    string
	options func(testing.TB) Options
	blind   string
}{
	{"docker", requireDocker, ""},
	// gVisor shows neither cgroups nor nodev, knows no device but its own, and
	// counts no inodes: the limits are attacked below.
	{"gvisor", requireGvisor, "our seccomp,cgroup namespace,memory,pids,cpu,inodes,devices"},
	// Podman takes no count of inodes for a tmpfs (the supervisor counts), and
	// gives no cgroup namespace under version 1.
	{"podman", requirePodman, "inodes,cgroup namespace"},
	// An ordinary user gets no part of the version 1 hierarchy, and his Podman
	// sets no limits of processes: the supervisor's own hold.
	{"rootless", requireRootless, "inodes,cgroup namespace,memory,pids,cpu,open files,file size,core"},
}

type (
	inside = container.Config
	host   = container.HostConfig
	begin  = wire.Start
)

// removal takes one control away. The examination, which finds nothing amiss
// otherwise, must then name it, or the row of the suite must fail.
type removal struct {
	name   string
	row    string // "" is the examination
	loosen func(*inside, *host, *begin)

	// held says where the control is enforced a second time, so that nothing
	// shows, and by what; refused, where an engine does not start a container
	// without it, and what it says then.
	held, refused map[string]string
}

var removals = []removal{
	{name: "network", loosen: func(c *inside, h *host, _ *begin) { c.NetworkDisabled, h.NetworkMode = false, "host" },
		held: map[string]string{"gvisor": "the runtime is registered with --network=none"}},
	{name: "ipc", loosen: func(_ *inside, h *host, _ *begin) { h.IpcMode = "host" },
		held:    map[string]string{"gvisor": "the IPC of gVisor's kernel is never the host's"},
		refused: map[string]string{"rootless": "/dev/mqueue"}},
	{name: "cgroup namespace", loosen: func(_ *inside, h *host, _ *begin) { h.CgroupnsMode = "host" }},
	{name: "read-only root", loosen: func(_ *inside, h *host, _ *begin) { h.ReadonlyRootfs = false }},
	{name: "capabilities", loosen: func(_ *inside, h *host, _ *begin) { h.CapDrop = nil }},
	{name: "no new privileges", loosen: func(_ *inside, h *host, _ *begin) { h.SecurityOpt = nil }},
	{name: "outer seccomp", loosen: func(_ *inside, h *host, _ *begin) { h.SecurityOpt = append(h.SecurityOpt, "seccomp=unconfined") }},
	{name: "user", loosen: func(c *inside, _ *host, _ *begin) { c.User = "1000:1000" },
		refused: map[string]string{"gvisor": "chdir /workspace: permission denied"}},
	{name: "memory", loosen: func(_ *inside, h *host, _ *begin) { h.Memory, h.MemorySwap = 0, 0 }},
	{name: "pids", loosen: func(_ *inside, h *host, _ *begin) { h.PidsLimit = nil }},
	{name: "cpu", loosen: func(_ *inside, h *host, _ *begin) { h.NanoCPUs = 0 }},
	{name: "open files", loosen: func(_ *inside, h *host, _ *begin) {
		h.Ulimits = append(without(h.Ulimits, "nofile"), &container.Ulimit{Name: "nofile", Soft: 1024, Hard: 1024})
	}},
	{name: "file size", loosen: func(_ *inside, h *host, _ *begin) { h.Ulimits = without(h.Ulimits, "fsize") }},
	{name: "core", loosen: func(_ *inside, h *host, _ *begin) { h.Ulimits = without(h.Ulimits, "core") }},
	{name: "noexec", loosen: replaceTmpfs("noexec,", "exec,")},
	{name: "devices", loosen: replaceTmpfs("nodev,", "dev,")},
	{name: "disk", loosen: replaceTmpfs(",size=67108864", "")},
	{name: "inodes", loosen: replaceTmpfs(",nr_inodes=20000", "")},
	{name: "resolver", loosen: func(c *inside, h *host, _ *begin) {
		c.NetworkDisabled, h.DNS, h.DNSSearch = false, []string{"192.0.2.53"}, nil
	}, held: map[string]string{"podman": "without a network it makes no resolv.conf", "rootless": "the same"}},
	{name: "fork", loosen: func(_ *inside, _ *host, s *begin) { s.Guard.AllowProcess = true }},
	{name: "own file size", loosen: func(_ *inside, h *host, s *begin) { h.Ulimits = without(h.Ulimits, "fsize"); s.Guard.FileBytes *= 2 }},
	{name: "own open files", loosen: func(_ *inside, _ *host, s *begin) { s.Guard.OpenFiles /= 2 }},

	// What is enforced in more than one way is taken away in all of them, and
	// attacked.
	{name: "memory, wherever", row: "memory, little by little", loosen: func(_ *inside, h *host, s *begin) {
		h.Memory, h.MemorySwap, s.Watch.Memory = 0, 0, 0
	}},
	{name: "pids, wherever", row: "thread bomb", loosen: func(_ *inside, h *host, s *begin) {
		h.PidsLimit, s.Watch.Pids, s.Guard.Tasks = nil, 0, 0
	}, held: map[string]string{"gvisor": "threads use up the memory limit first"}},
	{name: "processor time", row: "processor time", loosen: func(_ *inside, _ *host, s *begin) { s.Watch.CPUMillis *= 1000; s.Watch.WallMillis = 1000 }},
	{name: "files, wherever", row: "more files than there may be", loosen: func(_ *inside, h *host, s *begin) {
		replaceTmpfs(",nr_inodes=20000", ",nr_inodes=0")(nil, h, nil)
		h.Memory, h.MemorySwap, s.Watch.Memory, s.Watch.Inodes = 0, 0, 0, 0
	}},
	{name: "disk, wherever", row: "disk filling", loosen: func(_ *inside, h *host, _ *begin) {
		for path := range h.Tmpfs {
			h.Tmpfs[path] = "rw,mode=1777"
		}
	}},
	{name: "nothing of the host", row: "host files", loosen: func(_ *inside, h *host, _ *begin) {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeBind, Source: "/var/lib", Target: "/var/lib", ReadOnly: true})
	}},
	{name: "own environment", row: "host environment", loosen: func(_ *inside, _ *host, s *begin) { s.Env = append(s.Env, os.Environ()...) }},
	{name: "process", row: "process", loosen: func(_ *inside, _ *host, s *begin) { s.Guard.AllowProcess = true }},
	{name: "output", row: "long output is cut and said to be", loosen: func(_ *inside, _ *host, s *begin) { s.OutputBytes *= 1000 }},
}

// also are the checks that miss something besides what was taken away.
func also() map[string][]string {
	return map[string][]string{"own file size": {"file size"}, "fork": {"exec"}}
}

// TestEachControl takes each control away, on every engine: what the examination
// looks at some at a time, and of those it must name each; what a row of the suite
// attacks, what is held a second time and what is refused one by one; from a
// container that waited for its program, all together.
func TestEachControl(t *testing.T) {
	t.Parallel()
	ipc, err := os.Readlink("/proc/self/ns/ipc")
	if err != nil {
		t.Fatal(err)
	}
	w := sandboxtest.NewWorld(t)
	rows := map[string]sandboxtest.Row{}
	for _, r := range sandboxtest.Rows() {
		rows[r.Name] = r
	}
	for _, e := range controlEngines {
		t.Run(e.name, func(t *testing.T) {
			o := e.options(t)
			full, examination := open(t, o), sandboxtest.Examination(ipc, e.blind)
			for name, way := range map[string]sandbox.Backend{"cold": full, "warm": variant{Backend: full, warm: true}} {
				if bad := examination.Attempt(way, w, sandboxtest.Options{}); len(bad) > 0 {
					t.Fatalf("%s: with every control in place, missing: %q", name, bad)
				}
			}
			without := func(gone func(removal) bool) variant {
				return variant{Backend: full, loosen: func(c *inside, h *host, s *begin) {
					for _, r := range removals {
						if r.examined(e.blind) && gone(r) {
							r.loosen(c, h, s)
						}
					}
				}}
			}
			all := without(func(r removal) bool { return r.refused[e.name] == "" })
			all.warm = true
			together := examination.Attempt(all, w, sandboxtest.Options{})
			var examined []string
			for _, r := range removals {
				alone := r.held[e.name]+r.refused[e.name] != ""
				if r.examined(e.blind) && !alone && !slices.Contains(together, r.name) {
					t.Errorf("warm: with every control taken away, %s is not among what is missing: %q", r.name, together)
				}
				switch {
				case r.examined(e.blind) && !alone:
					examined = append(examined, r.name)
				case r.examined(e.blind), r.row != "":
					t.Run(r.name, func(t *testing.T) {
						t.Parallel()
						row := examination
						if r.row != "" {
							row = rows[r.row]
						}
						r.judge(t, e.name, row.Attempt(variant{Backend: full, loosen: r.loosen}, w, sandboxtest.Options{Removed: true}))
					})
				}
			}
			sandboxtest.EachMissed(t, examined, also(), func(t *testing.T, gone func(string) bool) []string {
				return examination.Attempt(without(func(r removal) bool { return gone(r.name) }), w, sandboxtest.Options{})
			})
		})
	}
}

// examined reports whether the examination can tell that the control is gone.
func (r removal) examined(blind string) bool {
	return r.row == "" && !slices.Contains(strings.Split(blind, ","), r.name)
}

// judge wants the removal to be noticed, and nothing else in its place.
func (r removal) judge(t *testing.T, engine string, noticed []string) {
	t.Helper()
	if second := r.held[engine]; second != "" {
		if len(noticed) > 0 {
			t.Errorf("%s should hold a second time (%s), but: %q", r.name, second, noticed)
		}
		return
	}
	if answer := r.refused[engine]; answer != "" {
		if len(noticed) != 1 || !strings.Contains(noticed[0], answer) {
			t.Errorf("without %s the engine should refuse with %q, but: %q", r.name, answer, noticed)
		}
		return
	}
	if len(noticed) == 0 {
		t.Errorf("with %s taken away, nothing is noticed", r.name)
	}
}

// variant runs each program in a container of its own, which it starts as the
// backend does: from what the backend asks for, but for what is taken away. With
// warm it is a container as the pool keeps them.
type variant struct {
	*Backend
	warm   bool
	loosen func(*inside, *host, *begin)
}

func (v variant) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s, err := runner.Copied(s)
	if err != nil {
		return sandbox.Result{}, err
	}
	idle, usual := time.Duration(0), asking(ask)
	if v.warm {
		idle, usual = maxIdle, v.askWaiting
		s = sandboxtest.Preloaded(s)
	}
	c, err := v.startReady(ctx, s, idle, func(s sandbox.Spec, p posture) asked {
		a := usual(s, p)
		if v.loosen != nil {
			v.loosen(a.config, a.host, &a.start)
		}
		return a
	})
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := c.Run(ctx, s)
	return res, errors.Join(err, c.remove(ctx))
}

func without(all []*container.Ulimit, name string) (kept []*container.Ulimit) {
	for _, u := range all {
		if u.Name != name {
			kept = append(kept, u)
		}
	}
	return kept
}

func replaceTmpfs(from, to string) func(*container.Config, *container.HostConfig, *wire.Start) {
	return func(_ *container.Config, h *container.HostConfig, _ *wire.Start) {
		for path, options := range h.Tmpfs {
			h.Tmpfs[path] = strings.Replace(options, from, to, 1)
		}
	}
}
