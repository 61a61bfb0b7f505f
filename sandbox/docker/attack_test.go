package docker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// engineOptions are those of every engine and runtime.
func engineOptions() map[string]func(testing.TB) Options {
	return map[string]func(testing.TB) Options{"docker": requireDocker, "gvisor": requireGvisor, "podman": requirePodman}
}

// engines runs a test on every engine and runtime that is there.
func engines(t *testing.T, test func(t *testing.T, b *Backend)) {
	for name, options := range engineOptions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, options(t)))
		})
	}
}

// TestForgery: a program cannot pass for the supervisor, stop it, or read it, neither by
// a signal nor by what sends one.
func TestForgery(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", `
import fcntl, os, resource, signal, socket, struct, sys
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
    if pid > os.getpid():
        print("above the program's number:", pid)
    for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
        for who in (pid, 0):
            try:
                if (which, who) != (os.PRIO_PROCESS, 0):
                    os.setpriority(which, who, 19)
                    print("gave another rank to", which, who)
            except OSError:
                pass
for path in ("/proc/1", "/proc/%d" % os.getppid()):
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    for n in range(1, 65):
        try:
            signal.pidfd_send_signal(directory, n)
            print("signalled", path)
        except OSError:
            pass
for pid in [1, -1] + [int(t) for t in os.listdir("/proc/1/task")]:
    for n in range(1, 65):
        for own in ("SETOWN", "SETOWN_EX", "FIOSETOWN", "SIOCSPGRP"):
            r, w = (s.detach() for s in socket.socketpair())
            try:
                if own == "SETOWN":
                    fcntl.fcntl(r, fcntl.F_SETOWN, pid)
                elif own == "SETOWN_EX":
                    fcntl.fcntl(r, 15, struct.pack("ii", 1 if pid == 1 else 2 if pid < 0 else 0, abs(pid)))
                else:
                    fcntl.ioctl(r, 0x8901 if own == "FIOSETOWN" else 0x8902, struct.pack("i", pid))
                print(own, pid)
            except OSError:
                pass
            try:
                fcntl.fcntl(r, fcntl.F_SETSIG, n)
                fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
                os.write(w, b"x")
            except OSError:
                pass
            os.close(r)
            os.close(w)
os.write(1, frame)
os.write(2, frame)
sys.exit(9)`)
		s.Grant = sandboxtest.Interpreter()
		r := run(t, b, s)
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
	t.Parallel()
	b := open(t, requireDocker(t))
	s := sandboxtest.Spec("python", `
import os, socket, ctypes
for attempt in (lambda: os.fork(), lambda: os.execv("/bin/true", ["true"]), lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
        lambda: socket.socket(), lambda: socket.socket(socket.AF_UNIX)):
    try:
        attempt()
        print("worked")
    except PermissionError:
        pass
ctypes.CDLL(None).ptrace(0, 0, 0, 0)`)
	s.Observe = true // what is tried is seen below the hooks, too
	r := run(t, b, s)
	var got []string
	for _, v := range r.Violations {
		if !strings.Contains(v.Detail, ".") { // an event of the interpreter's
			got = append(got, v.Capability+" "+v.Detail)
		}
	}
	slices.Sort(got)
	want := []string{"kernel ptrace", "network socket(AF_INET)", "network socket(AF_UNIX)", "process clone", "process execve"}
	if diff := gocmp.Diff(want, slices.DeleteFunc(got, func(s string) bool { return s == "process vfork" || s == "process fork" })); diff != "" {
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
	t.Parallel()
	engines(t, func(t *testing.T, b *Backend) {
		s := sandboxtest.Spec("python", `
import os, time
open("report.csv", "w").write("a,b\n1,2\n")
os.makedirs("plots")
open("plots/p.png", "wb").write(b"\x89PNG\r\n\x1a\n" + bytes(20))
open("changed", "a").write("!")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "linked")
os.mkfifo("fifo")
os.link("report.csv", "twice")
open("huge", "wb").write(bytes(2000))
print("there", flush=True)
while True:
    time.sleep(1)`)
		s.Files = []sandbox.File{{Path: "same", Data: []byte("as it was")}, {Path: "changed", Data: []byte("was")}}
		s.Limits = sandbox.Limits{Wall: time.Second, ArtifactBytes: 1000}
		r, err := sandboxtest.RunStopped(t.Context(), b, s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range r.Artifacts {
			got = append(got, fmt.Sprintf("%s %d %s", a.Path, len(a.Data), a.MediaType))
		}
		want := []string{
			"changed 4 text/plain; charset=utf-8", "plots/p.png 28 image/png",
			"report.csv 8 text/csv; charset=utf-8", "twice 8 text/plain; charset=utf-8",
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("artifacts (-want +got):\n%s", diff)
		}
		if r.ArtifactsDropped != 4 || r.Reason != sandbox.TimedOut {
			t.Errorf("%d dropped and %s, want 4 and timeout; stderr %s", r.ArtifactsDropped, r.Reason, r.Stderr)
		}
	})
}

// TestLimits: each limit ends a run with its own reason, also where the rows of
// the suite let more than one pass.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code string
		limits     sandbox.Limits
		process    bool // allowed
		reasons    []sandbox.Reason
	}{
		{"cpu of children", "import os\nfor _ in range(3): os.fork()\nwhile True: pass", sandbox.Limits{CPU: time.Second}, true, []sandbox.Reason{sandbox.CPU}},
		{"memory at once", "x = bytearray(b'x') * (4 << 30)", sandbox.Limits{Memory: 128 << 20}, false, []sandbox.Reason{sandbox.Memory}},
		{"fork bomb", "import os, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.1)", sandbox.Limits{Pids: 20, Wall: time.Second}, true,
			[]sandbox.Reason{sandbox.Pids, sandbox.TimedOut, sandbox.CPU, sandbox.Memory}},
		{"threads", "import threading, time\nfor _ in range(500): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()",
			sandbox.Limits{Pids: 20}, false, []sandbox.Reason{sandbox.Pids}},
		{"many files", "import time\nfor n in range(20001): open('/tmp/%d' % n, 'w').close()\ntime.sleep(60)", sandbox.Limits{}, false,
			[]sandbox.Reason{sandbox.Disk, sandbox.Exited}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engines(t, func(t *testing.T, b *Backend) {
				if tt.name == "many files" && b.eng.gvisor {
					return // which counts them itself, and the suite fills it
				}
				s := sandboxtest.Spec("python", tt.code)
				s.Limits = tt.limits
				s.Limits.Wall = cmp.Or(s.Limits.Wall, sandboxtest.Patient)
				s.Limits.CPU = cmp.Or(s.Limits.CPU, sandboxtest.Patient)
				if tt.process {
					s.Grant = sandbox.Grant{sandbox.CapabilityProcess}
				}
				r := run(t, b, s)
				// In gVisor nothing counts refused threads, and a program that
				// gives up at the first one may end between two looks at it.
				held := tt.name == "threads" && b.eng.gvisor && r.Exit == 1 && strings.Contains(string(r.Stderr), "can't start new thread")
				if !held && !slices.Contains(tt.reasons, r.Reason) {
					t.Errorf("ended with %s, exit %d, signal %d, want one of %v; usage %+v; stderr %.300s", r.Reason, r.Exit, r.Signal, tt.reasons, r.Usage, r.Stderr)
				}
				if tt.name == "many files" && !strings.Contains(string(r.Stderr), "No space left") && r.Reason != sandbox.Disk {
					t.Errorf("20,001 files are fine; stderr %.300s", r.Stderr)
				}
			})
		})
	}
}
