package docker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// engines runs a test on every engine and runtime that is there.
func engines(t *testing.T, test func(t *testing.T, b *Backend)) {
	for name, options := range map[string]func(testing.TB) Options{
		"docker": requireDocker, "gvisor": requireGvisor, "podman": requirePodman,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, options(t))) })
	}
}

// TestForgery: a program cannot pass for the supervisor, stop it, or read it.
func TestForgery(t *testing.T) {
	engines(t, func(t *testing.T, b *Backend) {
		r := run(t, b, sandboxtest.Spec("python", `
import os, resource, signal, struct, sys
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
final = b'{"exit":0,"stdout_bytes":0,"listener":true}'
frame = b"X" + struct.pack(">I", len(final)) + final
for fd in range(300):
    if fd in (1, 2):
        continue
    try:
        os.write(fd, frame)
    except OSError:
        pass
for fd in range(10):
    for path in ("/proc/1/fd/%d" % fd, "/proc/%d/fd/%d" % (os.getppid(), fd)):
        try:
            os.write(os.open(path, os.O_WRONLY), frame)
            print("wrote to", path)
        except OSError:
            pass
for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/maps"):
    try:
        open(path, "rb").read(1)
        print("read", path)
    except OSError:
        pass
for pid in [1] + [int(t) for t in os.listdir("/proc/1/task")]:
    for n in range(1, 65):
        for target in (pid, -pid):
            try:
                if target != -1 or n not in (6, 9):
                    os.kill(target, n)
            except OSError:
                pass
    for limit in range(10):
        try:
            resource.prlimit(pid, limit, (0, 0))
        except OSError:
            pass
os.write(1, frame)
os.write(2, frame)
sys.exit(9)`))
		if r.Reason != sandbox.Exited || r.Exit != 9 {
			t.Errorf("ended with %s %d, want exited 9; stderr %s", r.Reason, r.Exit, r.Stderr)
		}
		if want := "X\x00\x00\x00\x2b" + `{"exit":0,"stdout_bytes":0,"listener":true}`; string(r.Stdout) != want {
			t.Errorf("stdout %q, want %q", r.Stdout, want)
		}
	})
}

// TestViolations: what a program tries in vain is reported.
func TestViolations(t *testing.T) {
	b := open(t, requireDocker(t))
	r := run(t, b, sandboxtest.Spec("python", `
import os, socket, ctypes
for attempt in (lambda: os.fork(), lambda: os.execv("/bin/true", ["true"]), lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
        lambda: socket.socket(), lambda: socket.socket(socket.AF_UNIX)):
    try:
        attempt()
        print("worked")
    except PermissionError:
        pass
ctypes.CDLL(None).ptrace(0, 0, 0, 0)`))
	var got []string
	for _, v := range r.Violations {
		got = append(got, v.Capability+" "+v.Detail)
	}
	slices.Sort(got)
	want := []string{"kernel ptrace", "network socket(AF_INET)", "network socket(AF_UNIX)", "process clone", "process execve(/bin/true)"}
	if diff := cmp.Diff(want, slices.DeleteFunc(got, func(s string) bool { return s == "process vfork" || s == "process fork" })); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if len(r.Stdout) > 0 || len(r.Stderr) > 0 {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	if quiet := run(t, b, sandboxtest.Spec("python", "print(1)")); len(quiet.Violations) > 0 {
		t.Errorf("an ordinary program has violations %v", quiet.Violations)
	}
}

func TestArtifacts(t *testing.T) {
	engines(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", `
import os
open("report.csv", "w").write("a,b\n1,2\n")
os.makedirs("plots")
open("plots/p.png", "wb").write(b"\x89PNG\r\n\x1a\n" + bytes(20))
open("changed", "a").write("!")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "linked")
os.mkfifo("fifo")
os.link("report.csv", "twice")
open("huge", "wb").write(bytes(2000))
while True:
    pass`)
		s.Files = []sandbox.File{{Path: "same", Data: []byte("as it was")}, {Path: "changed", Data: []byte("was")}}
		s.Limits = sandbox.Limits{Wall: 2 * time.Second, ArtifactBytes: 1000}
		r := run(t, b, s)
		var got []string
		for _, a := range r.Artifacts {
			got = append(got, fmt.Sprintf("%s %d %s", a.Path, len(a.Data), a.MediaType))
		}
		want := []string{
			"changed 4 text/plain; charset=utf-8", "plots/p.png 28 image/png",
			"report.csv 8 text/csv; charset=utf-8", "twice 8 text/plain; charset=utf-8",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("artifacts (-want +got):\n%s", diff)
		}
		if r.ArtifactsDropped != 4 || r.Reason != sandbox.TimedOut {
			t.Errorf("%d dropped and %s, want 4 and timeout; stderr %s", r.ArtifactsDropped, r.Reason, r.Stderr)
		}
	})
}

// TestLimits: each limit ends a run with its own reason.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name, code string
		limits     sandbox.Limits
		process    bool // allowed
		reasons    []sandbox.Reason
	}{
		{"cpu", "while True: pass", sandbox.Limits{CPU: time.Second}, false, []sandbox.Reason{sandbox.CPU}},
		{"cpu of children", "import os\nfor _ in range(3): os.fork()\nwhile True: pass", sandbox.Limits{CPU: time.Second}, true, []sandbox.Reason{sandbox.CPU}},
		{"memory", "x = []\nwhile True: x.append(bytearray(b'x') * (1 << 20))", sandbox.Limits{Memory: 128 << 20}, false, []sandbox.Reason{sandbox.Memory}},
		{"memory at once", "x = bytearray(b'x') * (4 << 30)", sandbox.Limits{Memory: 128 << 20}, false, []sandbox.Reason{sandbox.Memory}},
		{"fork bomb", "import os\nwhile True:\n try: os.fork()\n except OSError: pass", sandbox.Limits{Pids: 20, Wall: 5 * time.Second}, true,
			[]sandbox.Reason{sandbox.Pids, sandbox.TimedOut, sandbox.CPU, sandbox.Memory}},
		{"threads", "import threading, time\nfor _ in range(500): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()",
			sandbox.Limits{Pids: 20}, false, []sandbox.Reason{sandbox.Pids}},
		{"many files", "import os\nfor n in range(100000): open('/tmp/%d' % n, 'w').close()", sandbox.Limits{}, false,
			[]sandbox.Reason{sandbox.Disk, sandbox.Exited}},
		{"a child that stays", "import os, time\nif os.fork() == 0:\n time.sleep(100)", sandbox.Limits{}, true, []sandbox.Reason{sandbox.Exited}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engines(t, func(t *testing.T, b *Backend) {
				s := sandboxtest.Spec("python", tt.code)
				s.Limits = tt.limits
				if s.Limits.Wall == 0 {
					s.Limits.Wall = 15 * time.Second
				}
				if tt.process {
					s.Deny = []string{"network"}
				}
				begin := time.Now()
				r := run(t, b, s)
				// In gVisor nothing counts refused threads, and a program that
				// gives up at the first one may end between two looks at it.
				held := tt.name == "threads" && b.eng.gvisor && r.Exit == 1 && strings.Contains(string(r.Stderr), "can't start new thread")
				if !held && !slices.Contains(tt.reasons, r.Reason) {
					t.Errorf("ended with %s, exit %d, signal %d, want one of %v; usage %+v; stderr %.300s", r.Reason, r.Exit, r.Signal, tt.reasons, r.Usage, r.Stderr)
				}
				if took := time.Since(begin); took > s.Limits.Wall+10*time.Second {
					t.Errorf("took %s", took)
				}
				if tt.name == "many files" && !b.eng.gvisor && !strings.Contains(string(r.Stderr), "No space left") && r.Reason != sandbox.Disk {
					t.Errorf("100,000 files are fine; stderr %.300s", r.Stderr)
				}
			})
		})
	}
}
