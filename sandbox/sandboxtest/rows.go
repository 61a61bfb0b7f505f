package sandboxtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sallyport/sandbox"
)

// held wants an attack that ran to its end and got at nothing.
func held(r sandbox.Result) []string { return prints("held\n")(r) }

// prints wants a program that ended well with exactly this output.
func prints(want string) func(sandbox.Result) []string {
	return func(r sandbox.Result) (bad []string) {
		if r.Reason != sandbox.Exited || r.Exit != 0 {
			bad = append(bad, fmt.Sprintf("ended with %s for %v, exit %d, signal %d, unknown %q", r.Reason, r.Violations, r.Exit, r.Signal, r.UnknownIdentifiers))
		}
		if got := string(r.Stdout); got != want {
			bad = append(bad, fmt.Sprintf("stdout %.600q, want %.600q", got, want))
		}
		if len(bad) > 0 {
			bad = append(bad, fmt.Sprintf("stderr %.2000s", r.Stderr))
		}
		return bad
	}
}

// Companies of rows, by what their programs ask for.
const (
	ordinary   = "an ordinary Python"
	ordinaryJS = "an ordinary JavaScript"
	forking    = "a Python that may start processes"
	bareOfAll  = "a Python of which nothing is said"
)

// ends wants a program that was ended for this reason.
func ends(reasons ...sandbox.Reason) func(sandbox.Result) []string {
	return func(r sandbox.Result) []string {
		for _, want := range reasons {
			if r.Reason == want {
				return nil
			}
		}
		return []string{fmt.Sprintf("ended with %q, want one of %q (exit %d, stdout %.200q, stderr %.500q)", r.Reason, reasons, r.Exit, r.Stdout, r.Stderr)}
	}
}

// soon is the limit of a program that computes until it is stopped.
const soon = 500 * time.Millisecond

func wall(d time.Duration) func(*sandbox.Spec) {
	return func(s *sandbox.Spec) { s.Limits.Wall = d }
}

// Rows returns the suite.
func Rows() []Row {
	var rows []Row
	for _, part := range [][]Row{works(), secondRows(), hostRows(), networkRows(), processRows(), grantRows(), loads(), evidenceRows(), hookRows(), limitRows(), resourceRows(), fileRows()} {
		rows = append(rows, part...)
	}
	return rows
}

// works are ordinary programs.
func works() []Row {
	return []Row{
		{Name: "python runs", Company: ordinary, Language: "python", Code: "print(6*7)", Want: prints("42\n")},
		{Name: "javascript runs", Company: ordinaryJS, Language: "javascript", Code: "console.log(6*7)", Want: prints("42\n")},
		{Name: "es module runs", Within: true, Language: "javascript", Code: "import fs from 'fs'; console.log(await 42, typeof fs.readFileSync)",
			Edit: func(s *sandbox.Spec) { s.Goal = "module" }, Want: prints("42 function\n")},
		{Name: "exit code", Within: true, Language: "python", Code: "import sys; sys.exit(7)", Want: func(r sandbox.Result) []string {
			if r.Reason != sandbox.Exited || r.Exit != 7 {
				return []string{fmt.Sprintf("ended with %s %d, want exited 7", r.Reason, r.Exit)}
			}
			return nil
		}},
		{Name: "exception, javascript", Within: true, Language: "javascript", Code: "process.on('exit', c => console.log('exit', c)); throw new Error('oops')", Want: func(r sandbox.Result) []string {
			if r.Reason != sandbox.Exited || r.Exit != 1 || string(r.Stdout) != "exit 1\n" || !strings.Contains(string(r.Stderr), "Error: oops\n    at Object.<anonymous> (/workspace/main.js:1:") {
				return []string{fmt.Sprintf("ended with %s %d, %q, %s", r.Reason, r.Exit, r.Stdout, r.Stderr)}
			}
			return nil
		}},
		{Name: "arguments, input and files", Language: "python",
			Code: "import sys, helper\nprint(sys.argv, sys.stdin.read(), helper.x, open('data/in.txt').read())",
			Edit: func(s *sandbox.Spec) {
				s.Args, s.Stdin = []string{"one", "two words"}, []byte("typed")
				s.Files = []sandbox.File{{Path: "helper.py", Data: []byte("x = 5"), Judged: true}, {Path: "data/in.txt", Data: []byte("read")}}
			}, Want: prints("['main.py', 'one', 'two words'] typed 5 read\n")},
		{Name: "own modules with known names", Within: true, Language: "python", Code: "import csv, statistics\nprint(csv.mine, statistics.mine)",
			Edit: func(s *sandbox.Spec) {
				s.Files = []sandbox.File{{Path: "csv.py", Data: []byte("mine = 1"), Judged: true}, {Path: "statistics/__init__.py", Data: []byte("mine = 2"), Judged: true}}
			}, Want: prints("1 2\n")},
		{Name: "scratch space", Company: ordinary, Language: "python", Code: `
import os, tempfile
open("here", "w").write("x")
with tempfile.NamedTemporaryFile() as f:
    f.write(b"y")
print("held" if os.path.exists("here") else "lost")`},
	}
}

// mismatch wants a run that ended before anything of the code ran, because of
// these identifiers.
func mismatch(unknown ...string) func(sandbox.Result) []string {
	return func(r sandbox.Result) (bad []string) {
		if r.Reason != sandbox.Mismatch || !slices.Equal(r.UnknownIdentifiers, unknown) {
			bad = append(bad, fmt.Sprintf("ended with %q, unknown %q, want mismatch, %q; stderr %.500s", r.Reason, r.UnknownIdentifiers, unknown, r.Stderr))
		}
		if len(r.Stdout) > 0 {
			bad = append(bad, fmt.Sprintf("something ran: %q", r.Stdout))
		}
		return bad
	}
}

func knows(names ...string) func(*sandbox.Spec) {
	return func(s *sandbox.Spec) { s.Identifiers = names }
}

// secondRows are programs of which the analysis did not see everything.
func secondRows() []Row {
	second := func(name, language, code string, known []string, want func(sandbox.Result) []string) Row {
		return Row{Name: "second opinion: " + name, Control: sandbox.ControlSecond, Language: language, Code: code, Edit: knows(known...), Want: want, Within: true}
	}
	const py, js = "python", "javascript"
	return []Row{
		second("nothing known", py, "print(1)", nil, mismatch("print")),
		second("nothing known, javascript", js, "console.log(1)", nil, mismatch("console", "log")),
		second("lone carriage return", py, "print(1) # x\rimport os", []string{"print"}, mismatch("os")),
		second("nested code", py, "def f():\n  return [lambda a: a.b for q in ()]\nprint(1)", []string{"f", "print", "a", "q"}, mismatch("b")),
		second("dotted import", py, "import os.path as p\nprint(1)", []string{"p", "print", "os"}, mismatch("path")),
		second("utf-7 cookie", py, "# coding: utf-7\nprint(1)\n#+AAo-import os", []string{"print"}, mismatch("os")),
		second("private names", py, "class _C:\n  __x = 42\n  def f(self):\n    return self.__x\nprint(_C().f())", []string{"_C", "__x", "f", "self", "print"}, prints("42\n")),
		second("compiler's names", py, "class A:\n  'doc'\n  x: int = 1\n  def f(self):\n    return super().__repr__()\nassert True\nprint([i for i in range(3)], A.x)\nf'"+strings.Repeat("{A.x} ", 20)+"'",
			[]string{"A", "x", "int", "f", "self", "super", "__repr__", "i", "range", "print"}, prints("[0, 1, 2] 1\n")),
		second("compatibility characters", py, "ſum = 1\nprint(sum)", []string{"ſum", "print"}, prints("1\n")),
		second("escaped", js, "console.log(proce\\u0073s.pid > 0)", []string{"console", "log", "pid"}, mismatch("process")),
		second("html comment", js, "console.log(1)\n<!-- console.log(2)\n--> x()", []string{"console", "log"}, prints("1\n")),
		second("html comment in a module", js, "let x = 1, y = 2, hidden = 1\nconsole.log(y\n<!--hidden)", []string{"x", "y", "console", "log"}, mismatch("hidden")),
		second("pattern", js, "const {constructor: {constructor: F}} = ''; console.log(typeof F)", []string{"F", "console", "log"}, mismatch("constructor")),
		second("own words", js, "class A { static #p = 1; get v() { return A.#p } }\nexport default A; console.log(new A().v, import.meta.url)",
			[]string{"A", "p", "v", "console", "log", "url"}, prints("1 file:///workspace/main.mjs\n")).module(),
		second("syntax error", py, "print(1)\nreturn", []string{"print"}, fails("SyntaxError: 'return' outside function")),
		second("syntax error, javascript", js, "console.log(1)\nlet let = 1", []string{"console", "log"}, fails("SyntaxError")),
		second("syntax error, module", js, "console.log(1)\nwith (x) {}", []string{"console", "log"}, fails("SyntaxError")).module(),
	}
}

// fails wants a program that ended with exit code 1, no output and these words
// on standard error.
func fails(words string) func(sandbox.Result) []string {
	return func(r sandbox.Result) []string {
		if r.Reason != sandbox.Exited || r.Exit != 1 || len(r.Stdout) > 0 || !strings.Contains(string(r.Stderr), words) {
			return []string{fmt.Sprintf("ended with %s %d, stdout %q, stderr %s, want exit 1 and %q", r.Reason, r.Exit, r.Stdout, r.Stderr, words)}
		}
		return nil
	}
}

func hostRows() []Row {
	return []Row{
		{Name: "host files", Company: ordinary, Control: sandbox.ControlHostFiles, Language: "python", Code: `
import sys, os
for p in [sys.argv[1], "/etc/shadow", "/etc/ssh", "/var/log", "/var/lib", "/run/docker.sock", "/home", "/boot", "/mnt", "/srv", "/sys/firmware/dmi"]:
    try:
        print("read", p, os.listdir(p) if os.path.isdir(p) else open(p).read(80))
    except OSError:
        continue
print("held")`, Want: emptyDirsHeld},
		{Name: "host accounts", Company: ordinary, Control: sandbox.ControlHostFiles, Language: "python", Code: `
for line in open("/etc/passwd"):
    if line.split(":")[0] not in ("root", "nobody"):
        print("account", line.strip())
print("held")`},
		{Name: "home of root", Company: ordinary, Control: sandbox.ControlHostFiles, Language: "python", Code: `
import os, sys
for top, dirs, files in os.walk("/root"):
    # The interpreter's own prefix is all there may be, on the way to it nothing.
    inside = sys.base_prefix.startswith(top) or top.startswith(sys.base_prefix)
    if top.startswith(sys.base_prefix):
        dirs[:] = []
        continue
    if files or not inside:
        print("in", top, files)
print("held")`},
		{Name: "host environment", Company: ordinary, Control: sandbox.ControlHostFiles, Language: "python", Code: `
import os, sys
if "SALLYPORT_CANARY" in os.environ:
    print("environment", os.environ)
for pid in os.listdir("/proc"):
    try:
        if sys.argv[3].encode() in open("/proc/%s/environ" % pid, "rb").read():
            print("environment of", pid)
    except OSError:
        pass
print("held")`},
		{Name: "host environment, javascript", Company: ordinaryJS, Within: true, Control: sandbox.ControlHostFiles, Language: "javascript", Code: `
if (process.env.SALLYPORT_CANARY) console.log("environment");
console.log("held")`},
		{Name: "other processes", Company: ordinary, Control: sandbox.ControlHostFiles, Language: "python", Code: `
import os
pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
if len(pids) > 3 or os.getpid() > 40:
    print("processes", pids)
def threads():
    return {int(t) for p in pids for t in os.listdir("/proc/%d/task" % p)}
def met(pid):
    try:
        os.kill(pid, 0)
        return "signal reaches"
    except PermissionError:
        return "there is a process"
    except ProcessLookupError:
        return ""
seen = threads()
hidden = [pid for pid in range(1, 3000) if pid not in seen and met(pid)]
begun = threads() if hidden else ()  # the supervisor may start one meanwhile
for pid in hidden:
    if pid not in begun and met(pid):
        print(met(pid), pid)
print("held")`},
		{Name: "writes", Company: ordinary, Control: sandbox.ControlReadOnly, Language: "python", Code: `
import os
allowed = ("/workspace", "/tmp", "/dev/shm")
tried = 0
for top, dirs, files in os.walk("/"):
    if top.startswith(allowed) or top.startswith("/proc/") or top.startswith("/sys/") or top.count("/") > 4:
        dirs[:] = []
        continue
    tried += 1
    try:
        with open(os.path.join(top, "written"), "w") as f:
            f.write("x")
        print("wrote in", top)
    except OSError:
        pass
for p in ["/etc/passwd", "/etc/hosts", os.__file__, "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/dev/mem", "/dev/kmsg", "/dev/sda"]:
    try:
        open(p, "r+").write("x")
        print("wrote", p)
    except OSError:
        pass
print("held" if tried > 5 else "tried nothing")`},
		{Name: "identity", Company: ordinary, Control: sandbox.ControlUser, Language: "python", Code: `
import os
if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()) or 0 in os.getgroups():
    print("root", os.getuid(), os.getgid(), os.getgroups())
for line in open("/proc/self/status"):
    k, _, v = line.partition(":")
    if k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb") and int(v, 16):
        print(k, v)
    if k == "NoNewPrivs" and v.strip() != "1":
        print(k, v)
for f in (os.setuid, os.setgid):
    try:
        f(0)
        print("became root")
    except OSError:
        pass
print("held")`},
		{Name: "set user", Company: forking, Control: sandbox.ControlUser, Language: "python", Code: `
import ctypes, os, shutil, stat, subprocess, sys
me = (os.getresuid(), os.getresgid(), os.getgroups())
for f, args in [(os.setuid, (0,)), (os.setgid, (0,)), (os.seteuid, (0,)), (os.setegid, (0,)), (os.setreuid, (0, 0)), (os.setregid, (0, 0)),
        (os.setresuid, (0, 0, 0)), (os.setresgid, (0, 0, 0)), (os.setgroups, ([0],)), (os.initgroups, ("root", 0))]:
    try:
        f(*args)
        print("allowed", f.__name__)
    except OSError:
        pass
libc = ctypes.CDLL(None, use_errno=True)
libc.setfsuid(0)
libc.setfsgid(0)
if libc.setfsuid(-1) == 0 or libc.setfsgid(-1) == 0:
    print("file system user 0")
if (os.getresuid(), os.getresgid(), os.getgroups()) != me:
    print("became", os.getresuid(), os.getresgid(), os.getgroups())
tell = ["-c", "import os; print(os.geteuid(), os.getegid())"]
want = "%d %d" % (os.geteuid(), os.getegid())
def user(program):
    try:
        return subprocess.run([program] + tell, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
for d in ("/workspace", "/tmp", "/dev/shm"):
    p = d + "/set"
    shutil.copyfile(os.path.realpath(sys.executable), p)
    try:
        os.chown(p, 0, 0)
        print("gave away", p)
    except OSError:
        pass
    try:
        os.chmod(p, 0o6755)
    except OSError:
        pass
    if user(p) not in ("", want):
        print("executed", p, "as", user(p))
# A program of the root's that bears the bit must not use it.
for d in ("/bin", "/usr/bin", "/usr/sbin"):
    try:
        names = os.listdir(d)
    except OSError:
        continue
    for p in [os.path.join(d, n) for n in names]:
        try:
            bearing = os.stat(p).st_mode & (stat.S_ISUID | stat.S_ISGID)
        except OSError:
            continue
        if not bearing:
            continue
        try:
            child = subprocess.Popen([p], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            continue
        try:
            ids = [l.split()[1:] for l in open("/proc/%d/status" % child.pid) if l.startswith(("Uid:", "Gid:"))]
        except OSError:
            ids = []
        child.kill()
        child.wait()
        if any("0" in i for i in ids):
            print("root by", p, ids)
print("held")`, Edit: allowProcess},
		{Name: "core dumps", Company: forking, Control: sandbox.ControlDisk, Language: "python", Code: `
import os, resource
if resource.getrlimit(resource.RLIMIT_CORE) != (0, 0):
    print("core", resource.getrlimit(resource.RLIMIT_CORE))
try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    print("raised it")
except (OSError, ValueError):
    pass
if os.fork() == 0:
    os.abort()
os.wait()
print([f for f in os.listdir(".") if f.startswith("core")] or "held")`, Edit: allowProcess},
	}
}

// emptyDirsHeld accepts directories that are there and empty: mount points.
func emptyDirsHeld(r sandbox.Result) []string {
	var lines []string
	for _, line := range strings.SplitAfter(string(r.Stdout), "\n") {
		if !strings.HasSuffix(line, " []\n") {
			lines = append(lines, line)
		}
	}
	r.Stdout = []byte(strings.Join(lines, ""))
	return held(r)
}

func networkRows() []Row {
	return []Row{
		{Name: "host loopback", Company: ordinary, Control: sandbox.ControlNetwork, Language: "python", Code: `
import socket, sys
try:
    s = socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2)
    print("connected", s.recv(100))
except OSError:
    pass
print("held")`},
		{Name: "addresses", Company: ordinary, Control: sandbox.ControlNetwork, Language: "python", Code: `
import socket
for host, port in [("169.254.169.254", 80), ("172.17.0.1", 2375), ("192.168.65.7", 2375), ("10.0.0.1", 53), ("8.8.8.8", 53), ("1.1.1.1", 443)]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            s = socket.socket(socket.AF_INET, kind)
            s.settimeout(1)
            s.connect((host, port))
            s.send(b"x")
            print("reached", host, port, kind)
        except OSError:
            pass
try:
    print("resolved", socket.getaddrinfo("example.com", 80))
except OSError:
    pass
print("held")`},
		{Name: "interfaces", Company: ordinary, Control: sandbox.ControlNetwork, Language: "python", Code: `
import os
try:
    names = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
except OSError:
    names = []
try:
    names += os.listdir("/sys/class/net")
except OSError:
    pass
names = [n for n in names if n != "lo"]
print(names or "held")`},
		{Name: "abstract sockets", Company: ordinary, Control: sandbox.ControlNetwork, Language: "python", Code: `
import os, socket, sys
names = ["\0" + sys.argv[4]]
try:
    names += ["\0" + line.split("@", 1)[1].strip() for line in open("/proc/net/unix") if "@" in line]
except OSError:
    pass
for name in names + ["/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/nscd/socket"]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        try:
            s = socket.socket(socket.AF_UNIX, kind)
            s.settimeout(1)
            s.connect(name)
            print("connected to", name.encode(), s.recv(100))
        except OSError:
            pass
print("held")`},
		{Name: "nothing of a way out", Company: ordinary, Control: sandbox.ControlNetwork, Language: "python", Code: `
import os
for name in ("tcp", "udp", "tcp6", "udp6"):
    try:
        with open("/proc/net/" + name) as sockets:
            if listening := sockets.readlines()[1:]:
                print(name, listening)
    except OSError:
        pass
print("".join(v + "\n" for v in os.environ if "CERT" in v or "CA_" in v), end="")
with open("/proc/mounts") as mounts:
    for place in (line.split()[1] for line in mounts):
        if place.startswith("/etc/ssl/") or place == "/etc/nsswitch.conf":
            print(place)
print("held")`},
		{Name: "host loopback, javascript", Company: ordinaryJS, Control: sandbox.ControlNetwork, Language: "javascript", Code: `
const net = require("net");
let said = false;
const end = () => { if (!said) { said = true; console.log("held"); } };
try {
  const s = net.connect(+process.argv[3], "127.0.0.1");
  s.on("data", d => console.log("connected", String(d)));
  s.on("error", end);
} catch (e) { end(); }`},
	}
}

// processes tries every way of the standard library to start one.
const processes = `
import os, subprocess, sys
def os_system(): return os.system("true") == 0 or None
def popen(): return subprocess.run(["/bin/true"])
def itself(): return subprocess.run([sys.executable, "-c", "1"])
def spawn(): return os.posix_spawn(sys.executable, ["x", "-c", "1"], {})
def fork(): return os.fork()
def forkpty(): return os.forkpty()
def execv(): return os.execv(sys.executable, ["x", "-c", "print('executed')"])
def low(): return __import__("_posixsubprocess").fork_exec
for f in (os_system, popen, itself, spawn, fork, forkpty, execv):
    try:
        r = f()
        if r is not None:
            print(f.__name__, r)
            os._exit(0)
    except OSError:
        pass
print("held")`

func allowProcess(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }

func processRows() []Row {
	return []Row{
		{Name: "process", Company: ordinary, Control: sandbox.ControlProcess, Language: "python", Code: processes},
		{Name: "process by system call", Company: ordinary, Control: sandbox.ControlProcess, Language: "python", Code: `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
calls = {"x86_64": (56, 57, 58, 59, 322, 435), "aarch64": (220, None, None, 221, 281, 435)}[platform.machine()]
me = os.getpid()
for number, args in zip(calls, [(17, 0, 0, 0, 0), (), (), (b"/usr/bin/true", 0, 0), (-100, b"/usr/bin/true", 0, 0, 0), (ctypes.create_string_buffer(88), 88)]):
    if number is None:
        continue
    r = libc.syscall(number, *args)
    if r == 0 or os.getpid() != me:
        os._exit(9)
    if r != -1:
        print("system call", number, r)
print("held")`},
		{Name: "process, javascript", Company: ordinaryJS, Control: sandbox.ControlProcess, Language: "javascript", Code: `
const cp = require("child_process");
for (const f of [() => cp.execSync("true"), () => cp.execFileSync(process.execPath, ["-e", "1"])]) {
  try { f(); console.log("ran"); } catch {}
}
try { cp.spawn("true").on("spawn", () => console.log("spawned")).on("error", () => {}); } catch {}
setTimeout(() => console.log("held"), 100);`},
		{Name: "written program", Company: forking, Control: sandbox.ControlProcess, Language: "python", Code: `
import os, subprocess, shutil, sys
for d in ("/workspace", "/tmp", "/dev/shm"):
    p = d + "/x"
    shutil.copyfile(os.path.realpath(sys.executable), p)
    os.chmod(p, 0o755)
    try:
        print("executed", subprocess.run([p, "-c", "1"]))
    except OSError:
        pass
print("held")`, Edit: allowProcess},
		{Name: "process allowed", Language: "python", Code: `
import subprocess, multiprocessing, os, sys
def f(x): return x * x
print(subprocess.run([sys.executable, "-c", "print('hello')"], capture_output=True).stdout)
pid = os.fork()
if pid == 0: os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
with multiprocessing.Pool(2) as p: print(p.map(f, [1, 2, 3]))`, Edit: allowProcess, Want: prints("b'hello\\n'\n3\n[1, 4, 9]\n")},
		{Name: "threads", Company: ordinary, Language: "python", Code: `
import threading, asyncio, concurrent.futures as c
async def main():
    await asyncio.sleep(0.01)
    return await asyncio.get_running_loop().run_in_executor(None, lambda: 1)
t = threading.Thread(target=lambda: print("thread"))
t.start(); t.join()
print(asyncio.run(main()), list(c.ThreadPoolExecutor(4).map(abs, [-1, -2])))`, Want: prints("thread\n1 [1, 2]\n")},
		{Name: "workers", Company: ordinaryJS, Within: true, Language: "javascript", Code: `
const { Worker } = require("worker_threads");
new Worker("require('worker_threads').parentPort.postMessage(42)", { eval: true }).on("message", m => {
  console.log(m);
  require("fs").readFile(__filename, () => require("zlib").gzip("x", () => console.log("pool")));
});`, Want: prints("42\npool\n")},
		{Name: "kernel interfaces", Company: ordinary, Control: sandbox.ControlKernel, Language: "python", Code: `
import ctypes, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
# ptrace TRACEME, mount, unshare of user and mount namespaces, keyctl, bpf,
# perf_event_open, chroot, setns, init_module, kexec_load, reboot, swapon
attempts = [("ptrace", 101, 117, (0, 0, 0, 0)), ("mount", 165, 40, (b"none", b"/tmp", b"tmpfs", 0, 0)),
    ("unshare", 272, 97, (0x10020000,)), ("keyctl", 250, 219, (0, -3, 1)), ("bpf", 321, 280, (0, ctypes.create_string_buffer(128), 128)),
    ("perf", 298, 241, (ctypes.create_string_buffer(128), 0, -1, -1, 0)), ("chroot", 161, 51, (b"/tmp",)),
    ("setns", 308, 268, (0, 0)), ("init_module", 175, 105, (0, 0, b"")), ("reboot", 169, 142, (0xfee1dead, 672274793, 0, 0)),
    ("swapon", 167, 224, (b"/tmp/x", 0)), ("userfaultfd", 323, 282, (0,)), ("io_uring", 425, 425, (8, ctypes.create_string_buffer(120)))]
for name, n86, narm, args in attempts:
    if libc.syscall(n86 if x86 else narm, *args) != -1:
        print("allowed", name)
for family, kind in [(socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW), (16, socket.SOCK_RAW), (40, socket.SOCK_STREAM)]:
    try:
        socket.socket(family, kind)
        print("socket", family)
    except OSError:
        pass
print("held")`},
		{Name: "signals", Company: ordinary, Control: sandbox.ControlUser, Language: "python", Code: `
import os
for pid in (1, -1, 0):
    try:
        os.kill(pid, 0)
    except OSError:
        pass
print("held")`},
		{Name: "mount options", Company: ordinary, Control: sandbox.ControlUser, Language: "python", Code: `
for line in open("/proc/mounts"):
    f = line.split()
    options = set(f[3].split(","))
    if f[1] in ("/workspace", "/tmp", "/dev/shm") and not {"noexec", "nosuid"} <= options:
        print(line)
    if (f[1] == "/" or f[1].startswith(("/usr", "/lib", "/opt", "/root"))) and "ro" not in options:
        print(line)
print("held")`},
	}
}

func limitRows() []Row {
	return []Row{
		{Name: "endless loop", Stopped: true, Control: sandbox.ControlWall, Language: "python", Code: "print('there', flush=True)\nwhile True: pass",
			Edit: wall(soon), Want: ends(sandbox.TimedOut)},
		{Name: "endless loop, javascript", Within: true, Stopped: true, Control: sandbox.ControlWall, Language: "javascript", Code: "console.log('there'); for(;;);",
			Edit: wall(soon), Want: ends(sandbox.TimedOut)},
		{Name: "endless loop deaf to signals", Within: true, Stopped: true, Control: sandbox.ControlWall, Language: "python", Code: `
import signal
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("there", flush=True)
while True:
    signal.pause()`, Edit: wall(soon), Want: ends(sandbox.TimedOut)},
		{Name: "endless output", Control: sandbox.ControlOutput, Language: "python", Code: `
for _ in range(20000):
    print("x" * 4000)`, Edit: func(s *sandbox.Spec) { s.Limits.OutputBytes = 1 << 16 }, Want: func(r sandbox.Result) []string {
			if len(r.Stdout) > 1<<16 || !r.StdoutTruncated {
				return []string{fmt.Sprintf("%d bytes, truncated %v", len(r.Stdout), r.StdoutTruncated)}
			}
			return ends(sandbox.Output)(r)
		}},
		{Name: "long output is cut and said to be", Control: sandbox.ControlOutput, Language: "python", Code: `
import sys
sys.stderr.write("e" * 100000)
print("x" * 100000)`, Edit: func(s *sandbox.Spec) { s.Limits.OutputBytes = 1000 }, Want: func(r sandbox.Result) []string {
			if len(r.Stdout) != 1000 || len(r.Stderr) != 1000 || !r.StdoutTruncated || !r.StderrTruncated || r.Reason != sandbox.Exited {
				return []string{fmt.Sprintf("%d and %d bytes, truncated %v %v, %s", len(r.Stdout), len(r.Stderr), r.StdoutTruncated, r.StderrTruncated, r.Reason)}
			}
			return nil
		}},
		{Name: "disk filling", Control: sandbox.ControlDisk, Language: "python", Code: `
import os
total = 0
for d in ["/workspace", "/tmp", "/dev/shm"]:
    for n in range(8):
        try:
            with open("%s/fill%d" % (d, n), "wb") as f:
                for _ in range(16):
                    f.write(b"x" * (1 << 20))
                    total += 1 << 20
        except OSError:
            break
print("held" if total <= 64 << 20 else "wrote %d" % total)`, Edit: func(s *sandbox.Spec) { s.Limits.DiskBytes = 64 << 20 }, Want: endsOrHeld(sandbox.Disk)},
	}
}
