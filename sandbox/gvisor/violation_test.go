package gvisor

import (
	"context"
	"slices"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

func TestViolations(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	for _, tt := range []struct {
		name, language, code string
		want                 []sandbox.Violation
	}{
		{"python", "python", `
import os, subprocess, socket
for f in (lambda: os.system("id"), lambda: subprocess.run(["id"]), os.fork, socket.socket, socket.socket):
    try: f()
    except OSError: pass`, []sandbox.Violation{{Capability: "process", Detail: "os.system"}, {Capability: "process", Detail: "subprocess.Popen"},
			{Capability: "process", Detail: "os.fork"}, {Capability: "network", Detail: "socket.__new__"}}},
		{"javascript", "javascript", `
const cp = require("child_process"), net = require("net");
try { cp.execSync("id") } catch {}
try { cp.spawn("id") } catch {}
net.connect(80, "127.0.0.1").on("error", () => {});
require("dns").lookup("example.com", () => {});`, []sandbox.Violation{{Capability: "process", Detail: "child_process.spawnSync"},
			{Capability: "process", Detail: "child_process.spawn"}, {Capability: "network", Detail: "tcp.connect"}, {Capability: "network", Detail: "dns.lookup"}}},
		{"by system call", "python", `
import ctypes, os, platform
libc = ctypes.CDLL(None)
x86 = platform.machine() == "x86_64"
for n in range(50):
    libc.syscall(59 if x86 else 221, b"/bin/true", 0, 0)
    libc.syscall(56 if x86 else 220, 17, 0, 0, 0, 0)
    libc.syscall(41 if x86 else 198, 2, 1, 0)
    libc.syscall(41 if x86 else 198, 17, 3, 0)
    libc.syscall(101 if x86 else 117, 0, 0, 0, 0)
os._exit(0)`, []sandbox.Violation{{Capability: "process", Detail: "execve"}, {Capability: "process", Detail: "clone"}, {Capability: "process", Detail: "ptrace"},
			{Capability: "network", Detail: "socket(AF_INET)"}, {Capability: "network", Detail: "socket(AF_PACKET)"}}},
		{"innocent of sockets", "python", "import pwd, asyncio, socket, threading, concurrent.futures as c\npwd.getpwnam('root')\nsocket.socketpair()\nasyncio.run(asyncio.sleep(0))\nc.ThreadPoolExecutor(4).submit(print).result()", nil},
		{"innocent of processes, javascript", "javascript", "new (require('worker_threads').Worker)('1', {eval: true}); require('os').userInfo(); require('fs').promises.readFile(__filename)", nil},
		{"innocent", "python", "import asyncio, threading\nasyncio.run(asyncio.sleep(0))\nprint(open('/etc/hosts').read())", nil},
		{"innocent, javascript", "javascript", "require('fs').readFile(__filename, () => setTimeout(() => {}, 1))", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sandboxtest.Spec(tt.language, tt.code)
			s.Observe = tt.want != nil // what is attacked is below the hooks
			s.Grant = slices.DeleteFunc(sandbox.Capabilities(), func(c sandbox.Capability) bool {
				return c == sandbox.CapabilityNetwork || c == sandbox.CapabilityProcess
			})
			res, err := b.Run(context.Background(), s)
			if err != nil || res.Reason != sandbox.Exited || res.Exit != 0 {
				t.Fatalf("%v, %s %d, %s", err, res.Reason, res.Exit, res.Stderr)
			}
			for i := range res.Violations {
				res.Violations[i].Line = 0 // where it was is not what is looked for here
			}
			for _, v := range tt.want {
				if !slices.Contains(res.Violations, v) {
					t.Errorf("%v is not among %v", v, res.Violations)
				}
			}
			if tt.want == nil && len(res.Violations) > 0 {
				t.Errorf("violations of an innocent program: %v", res.Violations)
			}
		})
	}
}
