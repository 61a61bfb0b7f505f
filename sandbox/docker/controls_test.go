package docker

import (
	"os"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"

	"sallyport/sandbox/docker/wire"
	"sallyport/sandbox/sandboxtest"
)

// examination looks at a container from inside and prints every control that
// it misses. Several controls stand behind one another; an attack meets only
// the first, so that each is looked at by itself.
const examination = `
import os, resource, socket, sys
def read(path):
    try:
        return open(path).read()
    except OSError:
        return ""
def status(pid, key):
    for line in read("/proc/%s/status" % pid).splitlines():
        if line.startswith(key + ":"):
            return line.split()[1]
def cgroup(v1, v2):
    return read("/sys/fs/cgroup/" + v1).strip() or read("/sys/fs/cgroup/" + v2).strip()
def mounted(path):
    return [l.split()[3].split(",") for l in read("/proc/mounts").splitlines() if l.split()[1] == path][-1]
def refused(f):
    try:
        f()
    except OSError as e:
        return isinstance(e, PermissionError)
    return False
def fork():
    if os.fork() == 0:
        os._exit(0)
limits = {l[:26].strip(): l[26:].split()[:2] for l in read("/proc/1/limits").splitlines()}
checks = {
    "network": os.listdir("/sys/class/net") == ["lo"],
    "ipc": os.readlink("/proc/self/ns/ipc") != sys.argv[1],
    "cgroup namespace": all(l.endswith(":/") for l in read("/proc/self/cgroup").splitlines()),
    "read-only root": "ro" in mounted("/"),
    "capabilities": int(status("1", "CapBnd"), 16) == 0,
    "no new privileges": status("1", "NoNewPrivs") == "1",
    "engine's seccomp": status("1", "Seccomp") == "2",
    "our seccomp": int(status("self", "Seccomp_filters")) > int(status("1", "Seccomp_filters")),
    "user": os.getresuid() == (65534,) * 3 and os.getresgid() == (65534,) * 3,
    "memory": cgroup("memory/memory.limit_in_bytes", "memory.max") == str(512 << 20),
    "pids": cgroup("pids/pids.max", "pids.max") == "88",
    "cpu": cgroup("cpu/cpu.cfs_quota_us", "cpu.max").split()[0] == "100000",
    "open files": limits["Max open files"] == ["512", "512"],
    "file size": limits["Max file size"] == [str(64 << 20)] * 2,
    "core": limits["Max core file size"] == ["0", "0"],
    "own open files": resource.getrlimit(resource.RLIMIT_NOFILE) == (512, 512),
    "own file size": resource.getrlimit(resource.RLIMIT_FSIZE) == (64 << 20,) * 2,
    "noexec": all({"noexec", "nosuid", "nodev"} <= set(mounted(p)) for p in ("/workspace", "/tmp", "/dev/shm")),
    "disk": os.statvfs("/workspace").f_blocks * os.statvfs("/workspace").f_frsize == 64 << 20,
    "inodes": os.statvfs("/workspace").f_files == 20000,
    "resolver": all(l.split()[1] == "127.0.0.1" for l in read("/etc/resolv.conf").splitlines() if l.startswith("nameserver")),
    "sockets": refused(socket.socket),
    "fork": refused(fork),
    "exec": refused(lambda: os.execv("/nowhere", ["x"])),
}
for name, held in checks.items():
    if not held:
        print(name)
`

// TestEachControl takes each control away in turn: the examination, which
// finds nothing amiss otherwise, must then name it.
func TestEachControl(t *testing.T) {
	ipc, err := os.Readlink("/proc/self/ns/ipc")
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, requireDocker(t))
	missing := func(t *testing.T) string {
		s := sandboxtest.Spec("python", examination)
		s.Args = []string{ipc}
		r := run(t, b, s)
		if r.Exit != 0 || len(r.Stderr) > 0 {
			t.Errorf("exit %d: %s", r.Exit, r.Stderr)
		}
		return string(r.Stdout)
	}
	if got := missing(t); got != "" {
		t.Fatalf("with every control in place, missing: %q", got)
	}
	type (
		config = container.Config
		host   = container.HostConfig
		start  = wire.Start
	)
	for name, loosen := range map[string]func(*config, *host, *start){
		"network":           func(c *config, h *host, _ *start) { c.NetworkDisabled, h.NetworkMode = false, "host" },
		"ipc":               func(_ *config, h *host, _ *start) { h.IpcMode = "host" },
		"cgroup namespace":  func(_ *config, h *host, _ *start) { h.CgroupnsMode = "host" },
		"read-only root":    func(_ *config, h *host, _ *start) { h.ReadonlyRootfs = false },
		"capabilities":      func(_ *config, h *host, _ *start) { h.CapDrop = nil },
		"no new privileges": func(_ *config, h *host, _ *start) { h.SecurityOpt = nil },
		"engine's seccomp":  func(_ *config, h *host, _ *start) { h.SecurityOpt = append(h.SecurityOpt, "seccomp=unconfined") },
		"user":              func(c *config, _ *host, _ *start) { c.User = "1000:1000" },
		"memory":            func(_ *config, h *host, _ *start) { h.Memory, h.MemorySwap = 0, 0 },
		"pids":              func(_ *config, h *host, _ *start) { h.PidsLimit = nil },
		"cpu":               func(_ *config, h *host, _ *start) { h.NanoCPUs = 0 },
		"open files":        func(_ *config, h *host, _ *start) { h.Ulimits = without(h.Ulimits, "nofile") },
		"file size":         func(_ *config, h *host, _ *start) { h.Ulimits = without(h.Ulimits, "fsize") },
		"core":              func(_ *config, h *host, _ *start) { h.Ulimits = without(h.Ulimits, "core") },
		"noexec":            replaceTmpfs("noexec,", "exec,"),
		"disk":              replaceTmpfs(",size=67108864", ""),
		"inodes":            replaceTmpfs(",nr_inodes=20000", ""),
		"resolver": func(c *config, h *host, _ *start) {
			c.NetworkDisabled, h.DNS, h.DNSSearch = false, []string{"192.0.2.53"}, nil
		},
		"fork":           func(_ *config, _ *host, s *start) { s.Guard.AllowProcess = true },
		"own file size":  func(_ *config, h *host, s *start) { h.Ulimits = without(h.Ulimits, "fsize"); s.Guard.FileBytes *= 2 },
		"own open files": func(_ *config, h *host, s *start) { s.Guard.OpenFiles /= 2 },
	} {
		t.Run(name, func(t *testing.T) {
			b.loosen = loosen
			defer func() { b.loosen = nil }()
			if got := missing(t); !strings.Contains("\n"+got, "\n"+name+"\n") {
				t.Errorf("with %s taken away the examination found %q", name, got)
			}
		})
	}
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
