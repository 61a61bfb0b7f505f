package oci

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised/wire"
	"sallyport/sandbox/sandboxtest"
)

// blind are the checks of the examination that can tell nothing here: there is
// no second filter, no resolver, and nothing to see of control groups.
const blind = "outer seccomp,resolver,memory,pids,cpu"

// surroundings are checks of what an engine does by itself and here is asked for
// in the bundle.
const surroundings = `
mounts = [l.split() for l in open("/proc/mounts")]
def hidden(path):
    if not os.path.exists(path) or os.path.isdir(path) and not os.listdir(path):
        return True
    try:
        return not open(path, "rb").read(1)
    except OSError:
        return True
checks |= {
    "hostname": lambda: os.uname().nodename == "sandbox",
    "masked paths": lambda: all(hidden("/proc/" + p) for p in ("acpi", "interrupts", "kcore", "keys", "scsi", "timer_list")),
    "read-only paths": lambda: {"/proc/sys", "/proc/bus", "/proc/irq"} <= {m[1] for m in mounts if "ro" in m[3].split(",")},
    "no system directory": lambda: not os.path.exists("/sys/kernel") and not any(m[2] in ("sysfs", "cgroup", "cgroup2") for m in mounts),
    "read-only mounts": lambda: all("ro" in m[3].split(",") for m in mounts if m[1].startswith(("/usr", "/lib", "/opt", "/.sallyport", "/root"))),
    "processes of its own": lambda: {p for p in os.listdir("/proc") if p.isdigit()} == {"1", str(os.getpid())},
    "devices of its own": lambda: not set(os.listdir("/dev")) - {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "console", "core", "fd", "shm", "stdin", "stdout", "stderr"},
    "small device directory": lambda: os.statvfs("/dev").f_blocks * os.statvfs("/dev").f_frsize <= 65536,
    "users of its own": lambda: os.environ.get("ROOTLESS") != "1" or len(open("/proc/self/uid_map").readlines()) == 2,
}
`

// removal takes one control away. The examination, which finds nothing amiss
// otherwise, must then name it, or the row of the suite must fail.
type removal struct {
	name   string
	row    string // "" is the examination
	loosen func(*specs.Spec, *wire.Start)
}

func removals() []removal {
	spec := func(name, row string, edit func(*specs.Spec)) removal {
		return removal{name: name, row: row, loosen: func(c *specs.Spec, _ *wire.Start) { edit(c) }}
	}
	start := func(name, row string, edit func(*wire.Start)) removal {
		return removal{name: name, row: row, loosen: func(_ *specs.Spec, s *wire.Start) { edit(s) }}
	}
	return []removal{
		spec("network", "", func(c *specs.Spec) { namespace(c, specs.NetworkNamespace) }),
		spec("ipc", "", func(c *specs.Spec) { namespace(c, specs.IPCNamespace) }),
		spec("cgroup namespace", "", func(c *specs.Spec) { namespace(c, specs.CgroupNamespace) }),
		spec("hostname", "", func(c *specs.Spec) { c.Hostname = ""; namespace(c, specs.UTSNamespace) }),
		spec("read-only root", "", func(c *specs.Spec) { c.Root.Readonly = false }),
		spec("capabilities", "", func(c *specs.Spec) {
			c.Process.Capabilities = &specs.LinuxCapabilities{Bounding: []string{"CAP_NET_RAW"}}
		}),
		spec("user", "", func(c *specs.Spec) { c.Process.User.GID = 0 }),
		spec("user, root", "identity", func(c *specs.Spec) { c.Process.User = specs.User{} }),
		spec("open files", "", func(c *specs.Spec) { limit(c, "RLIMIT_NOFILE", 1024) }),
		spec("file size", "", func(c *specs.Spec) { limit(c, "RLIMIT_FSIZE", 1<<40) }),
		spec("core", "", func(c *specs.Spec) { limit(c, "RLIMIT_CORE", 1<<20) }),
		spec("noexec", "", func(c *specs.Spec) { scratch(c, "noexec", "exec") }),
		spec("devices", "", func(c *specs.Spec) { scratch(c, "nodev", "dev") }),
		spec("disk", "", func(c *specs.Spec) { scratch(c, "size=", "size=1g") }),
		spec("inodes", "", func(c *specs.Spec) { scratch(c, "nr_inodes=", "nr_inodes=20001") }),
		spec("masked paths", "", func(c *specs.Spec) { c.Linux.MaskedPaths = nil }),
		spec("read-only paths", "", func(c *specs.Spec) { c.Linux.ReadonlyPaths = nil }),
		spec("read-only mounts", "", func(c *specs.Spec) { everyOption(c, everywhere, "rw") }),
		spec("small device directory", "", func(c *specs.Spec) { everyOption(c, "size=65536", "size=1m") }),
		spec("no system directory", "", func(c *specs.Spec) {
			c.Mounts = append(c.Mounts, specs.Mount{Destination: "/sys", Type: "bind", Source: "/sys", Options: []string{"rbind", "ro"}})
		}),
		start("fork", "", func(s *wire.Start) { s.Guard.AllowProcess = true }),
		start("own file size", "", func(s *wire.Start) { s.Guard.FileBytes /= 2 }),
		start("own open files", "", func(s *wire.Start) { s.Guard.OpenFiles /= 2 }),

		// What nobody sees from inside, or what is enforced in more than one
		// way, is taken away in all of them, and attacked.
		spec("processes", "other processes", func(c *specs.Spec) {
			c.Mounts = slices.DeleteFunc(c.Mounts, func(m specs.Mount) bool { return m.Destination == "/proc" })
			c.Mounts = append(c.Mounts, specs.Mount{Destination: "/proc", Type: "bind", Source: "/proc", Options: []string{"rbind"}})
		}),
		{name: "memory, wherever", row: "memory, little by little", loosen: func(c *specs.Spec, s *wire.Start) {
			without(c, func(r *specs.LinuxResources) { r.Memory = nil })
			s.Watch.Memory = 0
		}},
		{name: "pids, wherever", row: "thread bomb", loosen: func(c *specs.Spec, s *wire.Start) {
			without(c, func(r *specs.LinuxResources) { r.Pids = nil })
			s.Watch.Pids = 0
		}},
		start("processor time", "processor time", func(s *wire.Start) { s.Watch.CPUMillis *= 1000; s.Watch.WallMillis = 1000 }),
		{name: "files, wherever", row: "more files than there may be", loosen: func(c *specs.Spec, s *wire.Start) {
			scratch(c, "nr_inodes=", "nr_inodes=0")
			without(c, func(r *specs.LinuxResources) { r.Memory = nil })
			s.Watch.Memory, s.Watch.Inodes = 0, 0
		}},
		spec("disk, wherever", "disk filling", func(c *specs.Spec) {
			scratch(c, "size=", "size=4g")
			without(c, func(r *specs.LinuxResources) { r.Memory = nil })
		}),
		spec("nothing of the host", "host files", func(c *specs.Spec) {
			c.Mounts = append(c.Mounts, specs.Mount{Destination: "/var/lib", Type: "bind", Source: "/var/lib", Options: []string{"rbind", "ro"}})
		}),
		start("own environment", "host environment", func(s *wire.Start) { s.Env = append(s.Env, os.Environ()...) }),
		start("process", "process", func(s *wire.Start) { s.Guard.AllowProcess = true }),
		start("output", "long output is cut and said to be", func(s *wire.Start) { s.OutputBytes *= 1000 }),
		spec("no new privileges", "", func(c *specs.Spec) { c.Process.NoNewPrivileges = false }),
	}
}

// also are the checks that miss something besides what was taken away.
func also() map[string][]string {
	return map[string][]string{"fork": {"exec", "processes of its own"}}
}

// TestEachControl takes each control away, with every runtime: what the
// examination looks at some at a time, and of those it must name each; what a row
// of the suite attacks one by one.
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
	examination := sandboxtest.Examination(ipc, blind, surroundings)
	each(t, func(t *testing.T, o Options) {
		full := open(t, o)
		for name, way := range map[string]sandbox.Backend{"cold": full, "warm": variant{Backend: full, warm: true}} {
			if bad := examination.Attempt(way, w, sandboxtest.Options{}); len(bad) > 0 {
				t.Fatalf("%s: with every control in place, missing: %q", name, bad)
			}
		}
		var examined []string
		for _, r := range removals() {
			if r.row == "" {
				examined = append(examined, r.name)
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				row, ok := rows[r.row]
				if !ok {
					t.Fatalf("there is no row %q", r.row)
				}
				if noticed := row.Attempt(variant{Backend: full, loosen: r.loosen}, w, sandboxtest.Options{Removed: true}); len(noticed) == 0 {
					t.Errorf("with %s taken away, nothing is noticed", r.name)
				}
			})
		}
		sandboxtest.EachMissed(t, examined, also(), func(t *testing.T, gone func(string) bool) []string {
			return examination.Attempt(variant{Backend: full, loosen: func(c *specs.Spec, s *wire.Start) {
				for _, r := range removals() {
					if r.row == "" && gone(r.name) {
						r.loosen(c, s)
					}
				}
			}}, w, sandboxtest.Options{})
		})
	})
}

// variant runs each program in a container of its own, which it starts as the
// backend does: from what the backend asks for, but for what is taken away. With
// warm it is a container as the pool keeps them.
type variant struct {
	*Backend
	warm   bool
	loosen func(*specs.Spec, *wire.Start)
}

func (v variant) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s, err := runner.Copied(s)
	if err != nil {
		return sandbox.Result{}, err
	}
	in, err := v.roots.Find(ctx, s, s.Grant.Has(sandbox.CapabilityProcess))
	if err != nil {
		return sandbox.Result{}, err
	}
	var env []string
	if v.warm {
		s = sandboxtest.Preloaded(s)
		env = []string{runner.Preload(s)}
	}
	a, err := v.ask(in, s, env)
	if err != nil {
		return sandbox.Result{}, err
	}
	if v.loosen != nil {
		v.loosen(a.spec, &a.start)
	}
	c, err := v.startFrom(ctx, in, s, a)
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := c.Run(ctx, s)
	return res, errors.Join(err, c.Close())
}

func namespace(c *specs.Spec, kind specs.LinuxNamespaceType) {
	c.Linux.Namespaces = slices.DeleteFunc(c.Linux.Namespaces, func(n specs.LinuxNamespace) bool { return n.Type == kind })
}

func limit(c *specs.Spec, name string, n uint64) {
	for i := range c.Process.Rlimits {
		if l := &c.Process.Rlimits[i]; l.Type == name {
			l.Soft, l.Hard = n, n
		}
	}
}

func without(c *specs.Spec, edit func(*specs.LinuxResources)) {
	if c.Linux.Resources != nil {
		edit(c.Linux.Resources)
	}
}

// everyOption replaces an option, given whole or up to its value, of every mount
// that has it, scratch of those that programs write to.
func everyOption(c *specs.Spec, from, to string) {
	replace(c, from, to, func(specs.Mount) bool { return true })
}

func scratch(c *specs.Spec, from, to string) {
	replace(c, from, to, func(m specs.Mount) bool { return m.Type == "tmpfs" && m.Destination != "/dev" })
}

func replace(c *specs.Spec, from, to string, which func(specs.Mount) bool) {
	for i, m := range c.Mounts {
		if !which(m) {
			continue
		}
		c.Mounts[i].Options = slices.Clone(m.Options)
		for j, o := range m.Options {
			if o == from || strings.HasSuffix(from, "=") && strings.HasPrefix(o, from) {
				c.Mounts[i].Options[j] = to
			}
		}
	}
}
