package sandboxtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sallyport/sandbox"
)

// Examination is a row that looks at a container of a supervisor from inside
// and names every control that it misses, where others attack. Several controls
// stand behind one another; an attack meets only the first, so that each is
// looked at by itself. ipc is the host's IPC namespace; blind names, separated
// by commas, the checks that say nothing there. More is Python that adds to the
// dictionary checks.
func Examination(ipc, blind string, more ...string) Row {
	return Row{Name: "examination", Language: "python", Code: examination + strings.Join(more, "\n") + examine,
		Edit: func(s *sandbox.Spec) { s.Args = []string{ipc, blind} },
		Want: func(r sandbox.Result) []string {
			bad := strings.FieldsFunc(string(r.Stdout), func(c rune) bool { return c == '\n' })
			if r.Exit != 0 || len(r.Stderr) > 0 {
				bad = append(bad, fmt.Sprintf("%s %d: %s", r.Reason, r.Exit, r.Stderr))
			}
			return bad
		}}
}

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
def size(path):
    s = os.statvfs(path)
    return s.f_blocks * s.f_frsize
limits = {l[:26].strip(): l[26:].split()[:2] for l in read("/proc/1/limits").splitlines()}
checks = {
    "network": lambda: [l.split(":")[0].strip() for l in read("/proc/net/dev").splitlines() if ":" in l] in ([], ["lo"]),
    "ipc": lambda: os.readlink("/proc/self/ns/ipc") != sys.argv[1],
    "cgroup namespace": lambda: all(l.endswith(":/") for l in read("/proc/self/cgroup").splitlines()),
    "read-only root": lambda: "ro" in mounted("/"),
    "capabilities": lambda: int(status("1", "CapBnd"), 16) == 0,
    "no new privileges": lambda: status("1", "NoNewPrivs") == "1",
    "outer seccomp": lambda: status("1", "Seccomp") == "2",
    "our seccomp": lambda: int(status("self", "Seccomp_filters")) > int(status("1", "Seccomp_filters")),
    "user": lambda: os.getresuid() == (65534,) * 3 and os.getresgid() == (65534,) * 3,
    "memory": lambda: cgroup("memory/memory.limit_in_bytes", "memory.max") == str(512 << 20),
    "pids": lambda: cgroup("pids/pids.max", "pids.max") == "88",
    "cpu": lambda: cgroup("cpu/cpu.cfs_quota_us", "cpu.max").split()[0] == "100000",
    "open files": lambda: limits["Max open files"] == ["512", "512"],
    "file size": lambda: limits["Max file size"] == [str(64 << 20)] * 2,
    "core": lambda: limits["Max core file size"] == ["0", "0"],
    "own open files": lambda: resource.getrlimit(resource.RLIMIT_NOFILE) == (512, 512),
    "own file size": lambda: resource.getrlimit(resource.RLIMIT_FSIZE) == (64 << 20,) * 2,
    "own core": lambda: resource.getrlimit(resource.RLIMIT_CORE) == (0, 0),
    "noexec": lambda: all({"noexec", "nosuid"} <= set(mounted(p)) for p in ("/workspace", "/tmp", "/dev/shm")),
    "devices": lambda: all("nodev" in mounted(p) for p in ("/workspace", "/tmp", "/dev/shm")),
    "disk": lambda: size("/workspace") == 64 << 20 and size("/tmp") == 48 << 20 and size("/dev/shm") == 16 << 20,
    "inodes": lambda: os.statvfs("/workspace").f_files == 20000,
    "resolver": lambda: all(l.split()[1] == "127.0.0.1" for l in read("/etc/resolv.conf").splitlines() if l.startswith("nameserver")),
    "sockets": lambda: refused(socket.socket),
    "fork": lambda: refused(fork),
    "exec": lambda: refused(lambda: os.execv("/nowhere", ["x"])),
}
`

const examine = `
for name, held in checks.items():
    if name in sys.argv[2].split(","):
        continue
    try:
        if not held():
            print(name)
    except Exception as e:
        print(name, repr(e))
`

// EachMissed takes controls away, a third of all in one start, and wants each
// noticed where it is gone, and none where it is in place. Attempt returns what
// the examination names where the controls are gone for which gone reports true.
// Also lists, by the name of a control, those that show as missing without it.
func EachMissed(t *testing.T, controls []string, also map[string][]string, attempt func(t *testing.T, gone func(control string) bool) []string) {
	t.Helper()
	const parts = 3
	for part := range parts {
		t.Run(fmt.Sprintf("examination %d", part+1), func(t *testing.T) {
			t.Parallel()
			var away, shown []string
			for i, c := range controls {
				if i%parts == part {
					away, shown = append(away, c), append(append(shown, c), also[c]...)
				}
			}
			noticed := attempt(t, func(control string) bool { return slices.Contains(away, control) })
			for _, c := range away {
				if !slices.ContainsFunc(noticed, func(n string) bool { return names(n, c) }) {
					t.Errorf("with %s taken away, noticed: %q", c, noticed)
				}
			}
			for _, n := range noticed {
				if !slices.ContainsFunc(shown, func(c string) bool { return names(n, c) }) {
					t.Errorf("without %q, noticed as well: %s", away, n)
				}
			}
		})
	}
}

// names reports whether a line of the examination is about a control: its name,
// or that and how looking at it failed.
func names(line, control string) bool {
	return line == control || strings.HasPrefix(line, control+" ") && strings.HasSuffix(line, ")")
}
