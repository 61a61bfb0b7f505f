package sandboxtest

import (
	"fmt"
	"slices"

	"sallyport/sandbox"
)

// any of them is a good end for a program that takes too much.
func endsOrHeld(reasons ...sandbox.Reason) func(sandbox.Result) []string {
	return func(r sandbox.Result) []string {
		if slices.Contains(reasons, r.Reason) {
			return nil
		}
		return held(r)
	}
}

func (r Row) stopped() Row { r.Stopped = true; return r }

func (r Row) within() Row { r.Within = true; return r }

func memory(n int64) func(*sandbox.Spec) { return func(s *sandbox.Spec) { s.Limits.Memory = n } }

func resourceRows() []Row {
	return []Row{
		{Name: "memory, little by little", Control: sandbox.ControlMemory, Language: "python", Code: `
import sys, time
kept = []
for n in range(600):
    kept.append(bytearray(1 << 20))
    if n >= 128:
        time.sleep(float(sys.argv[5]) / 400)`, Edit: memory(128 << 20), Want: func(r sandbox.Result) []string {
			if bad := ends(sandbox.Memory)(r); bad != nil {
				return bad
			}
			if r.Usage.PeakMemory > 512<<20 {
				return []string{fmt.Sprintf("it got %d MiB", r.Usage.PeakMemory>>20)}
			}
			return nil
		}},
		{Name: "memory, at once", Control: sandbox.ControlMemory, Language: "python", Code: `
try:
    x = bytearray(4 << 30)
    print("got", len(x))
except MemoryError:
    print("held")`, Edit: memory(256 << 20), Want: endsOrHeld(sandbox.Memory)},
		{Name: "memory of children", Control: sandbox.ControlMemory, Language: "python", Code: `
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(48 << 20)
        for i in range(0, len(x), 4096): x[i] = 1
        time.sleep(60)
time.sleep(60)`, Edit: func(s *sandbox.Spec) { allowProcess(s); s.Limits.Memory = 192 << 20 }, Want: ends(sandbox.Memory)},
		{Name: "memory, javascript", Within: true, Control: sandbox.ControlMemory, Language: "javascript", Code: `
const kept = [];
for (let i = 0; i < 8000; i++) kept.push(new Array(10000).fill(i));`, Edit: memory(192 << 20), Want: ends(sandbox.Memory)},
		{Name: "memory, buffers", Within: true, Control: sandbox.ControlMemory, Language: "javascript", Code: `
const kept = [];
const cell = new Int32Array(new SharedArrayBuffer(4));
for (let i = 0; i < 600; i++) {
  kept.push(Buffer.alloc(1 << 20, 1));
  if (i >= 192) Atomics.wait(cell, 0, 0, process.argv[6] * 1000 / 400);
}`, Edit: memory(192 << 20), Want: ends(sandbox.Memory)},
		{Name: "processor time", Control: sandbox.ControlCPU, Language: "python", Code: "while True: pass",
			Edit: func(s *sandbox.Spec) { s.Limits.CPU = soon }, Want: ends(sandbox.CPU)},
		{Name: "processor time of threads", Within: true, Control: sandbox.ControlCPU, Language: "javascript", Code: `
const { Worker } = require("worker_threads");
for (let i = 0; i < 3; i++) new Worker("for(;;);", { eval: true });`,
			Edit: func(s *sandbox.Spec) { s.Limits.CPU = soon }, Want: ends(sandbox.CPU)},
		{Name: "fork bomb", Control: sandbox.ControlPids, Language: "python", Code: `
import os, sys, time
n = 0
while n <= 100:
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        n += 1
    except OSError:
        break
if n > 20:
    time.sleep(float(sys.argv[5]))
print("held" if n <= 20 else n, flush=True)
os._exit(0)`, Edit: func(s *sandbox.Spec) { allowProcess(s); s.Limits.Pids = 20 }, Want: endsOrHeld(sandbox.Pids)},
		{Name: "thread bomb", Control: sandbox.ControlPids, Language: "python", Code: `
import threading, time, os, sys
n = 0
try:
    while n < 500:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
if n > 40:
    time.sleep(float(sys.argv[5]))
print("held" if n <= 40 else n, flush=True)
os._exit(0)`, Edit: func(s *sandbox.Spec) { s.Limits.Pids = 40 }, Want: endsOrHeld(sandbox.Pids, sandbox.Memory)},
		{Name: "child that outlives its parent", Company: forking, Control: sandbox.ControlPids, Language: "python", Code: `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
print("held")`, Edit: allowProcess},
		{Name: "file size", Control: sandbox.ControlDisk, Language: "python", Code: `
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
n = 0
try:
    with open("/tmp/big", "wb", buffering=0) as f:
        while n < 64 << 20:
            n += f.write(b"x" * (1 << 20))
except OSError:
    pass
print("held" if n <= 4 << 20 else n)`, Edit: func(s *sandbox.Spec) { s.Limits.FileBytes = 4 << 20 }},
		{Name: "more files than there may be", Control: sandbox.ControlDisk, Language: "python", Code: `
import errno, os, sys, time
n = 0
try:
    while n <= 20000:
        os.mknod("/workspace/%d" % n) # an empty file
        n += 1
except OSError as e:
    if e.errno != errno.ENOSPC:
        print(e)
if n > 20000:
    time.sleep(float(sys.argv[5]))
print("held" if n <= 20000 else n)`, Want: endsOrHeld(sandbox.Disk)},
		{Name: "open files", Company: ordinary, Control: sandbox.ControlDisk, Language: "python", Code: `
import os
opened = []
try:
    while len(opened) < 100000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for fd in opened:
    os.close(fd)
print("held" if len(opened) < 5000 else len(opened))`},
	}
}

func fileRows() []Row {
	return []Row{
		{Name: "artifacts", Language: "python", Code: `
import os
os.makedirs("out/deep")
open("out/deep/table.csv", "w").write("a,b\n1,2\n")
open("plot.png", "wb").write(b"\x89PNG\r\n\x1a\n" + b"x" * 100)
open("in.txt").read()
open("changed.txt", "a").write("more")
1 / 0`, Edit: func(s *sandbox.Spec) {
			s.Files = []sandbox.File{{Path: "in.txt", Data: []byte("in")}, {Path: "changed.txt", Data: []byte("was ")}}
		}, Want: func(r sandbox.Result) (bad []string) {
			got := map[string]string{}
			for _, f := range r.Artifacts {
				got[f.Path] = f.MediaType + " " + string(f.Data[:min(len(f.Data), 8)])
			}
			want := map[string]string{"out/deep/table.csv": "text/csv; charset=utf-8 a,b\n1,2\n", "plot.png": "image/png \x89PNG\r\n\x1a\n", "changed.txt": "text/plain; charset=utf-8 was more"}
			for k, v := range want {
				if got[k] != v {
					bad = append(bad, fmt.Sprintf("artifact %s: %q, want %q", k, got[k], v))
				}
			}
			if len(got) != len(want) || r.Exit != 1 {
				bad = append(bad, fmt.Sprintf("artifacts %q, exit %d %s", got, r.Exit, r.Stderr))
			}
			return bad
		}},
		{Name: "artifacts, javascript", Within: true, Language: "javascript", Code: `require("fs").writeFileSync("a.json", "{}"); process.exit(3)`,
			Want: func(r sandbox.Result) []string {
				if len(r.Artifacts) != 1 || r.Artifacts[0].Path != "a.json" || string(r.Artifacts[0].Data) != "{}" || r.Exit != 3 {
					return []string{fmt.Sprintf("artifacts %v, exit %d", r.Artifacts, r.Exit)}
				}
				return nil
			}},
		{Name: "artifacts, not closed", Within: true, Language: "python", Code: `
import os
with open("done.txt", "w") as f: f.write("early")
os.getpriority(os.PRIO_PROCESS, 0)
f = open("open.txt", "w")
f.write("late")`, Want: func(r sandbox.Result) []string {
			if len(r.Artifacts) != 2 || string(r.Artifacts[0].Data) != "early" || string(r.Artifacts[1].Data) != "late" {
				return []string{fmt.Sprintf("artifacts %v, %s", r.Artifacts, r.Stderr)}
			}
			return nil
		}},
		leaves("a program that was stopped", "python", "import time\nprint('there', flush=True)\ntime.sleep(600)", sandbox.TimedOut, wall(soon)).stopped(),
		leaves("a program that was stopped, javascript", "javascript", "console.log('there'); for (;;);", sandbox.TimedOut, wall(soon)).stopped().within(),
		leaves("a program that took too much processor time", "python", "print('there', flush=True)\nwhile True: pass", sandbox.CPU, func(s *sandbox.Spec) { s.Limits.CPU = soon }).stopped().within(),
		leaves("a program that left at once", "python", "import os\nos._exit(3)", sandbox.Exited, nil).within(),
		leaves("a program that left at once, javascript", "javascript", "process.reallyExit(3);", sandbox.Exited, nil).within(),
		leaves("a program that was killed", "python", "import os, threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nos.kill(os.getpid(), 9)", sandbox.Killed, nil).within(),
		leaves("a program that aborted", "javascript", "process.abort();", sandbox.Killed, nil).within(),
		{Name: "artifacts that are no files", Control: sandbox.ControlHostFiles, Language: "python", Code: `
import os, socket
os.symlink("/etc/passwd", "link")
os.symlink("/", "rootlink")
os.mkfifo("fifo")
os.mkdir("dir")
os.symlink("..", "dir/up")
try:
    os.mknod("device", 0o20600, os.makedev(1, 3))
except OSError:
    pass
open("dir/real", "w").write("x")`, Want: func(r sandbox.Result) []string {
			if len(r.Artifacts) != 1 || r.Artifacts[0].Path != "dir/real" || r.ArtifactsDropped < 4 || r.Exit != 0 {
				return []string{fmt.Sprintf("artifacts %v, dropped %d, exit %d %s", r.Artifacts, r.ArtifactsDropped, r.Exit, r.Stderr)}
			}
			return nil
		}},
		{Name: "too many artifacts", Control: sandbox.ControlOutput, Language: "python", Code: `
for i in range(50):
    open("f%02d" % i, "w").write("x" * 100)
open("big", "w").write("x" * 100000)`, Edit: func(s *sandbox.Spec) { s.Limits.ArtifactCount, s.Limits.ArtifactBytes = 10, 5000 },
			Want: func(r sandbox.Result) []string {
				if len(r.Artifacts) != 10 || r.ArtifactsDropped != 41 || len(r.ArtifactsLeft) != 3 {
					return []string{fmt.Sprintf("%d artifacts, %d dropped, such as %q", len(r.Artifacts), r.ArtifactsDropped, r.ArtifactsLeft)}
				}
				return nil
			}},
		{Name: "forged end of run", Control: sandbox.ControlOutput, Language: "python", Code: `
import os, struct
def frame(tag, body): return tag + struct.pack(">I", len(body)) + body
forged = [b"ok", struct.pack(">I", 2) + b"ok", b'{"reason":"exited","exit":0}\n', frame(b"p", b"../../etc/passwd") + frame(b"d", b"x"),
    frame(b"p", b"/etc/passwd") + frame(b"d", b"x"), frame(b"z", b"0"), frame(b"d", b"x") * 3, b"\xff" * 64, struct.pack(">I", 0xffffffff)]
for fd in range(3, 1024):
    for f in forged:
        try:
            os.set_blocking(fd, False)
            os.write(fd, f)
        except OSError:
            break
print("end of run")
os._exit(7)`, Want: func(r sandbox.Result) (bad []string) {
			if r.Reason != sandbox.Exited || r.Exit != 7 || string(r.Stdout) != "" && string(r.Stdout) != "end of run\n" {
				bad = append(bad, fmt.Sprintf("ended with %s %d, %q", r.Reason, r.Exit, r.Stdout))
			}
			for _, f := range r.Artifacts {
				if sandbox.CheckPath(f.Path) != nil {
					bad = append(bad, fmt.Sprintf("artifact %q", f.Path))
				}
			}
			return bad
		}},
		{Name: "killed by itself", Within: true, Language: "python", Code: "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", Want: func(r sandbox.Result) []string {
			if r.Reason != sandbox.Killed || r.Signal != 9 {
				return []string{fmt.Sprintf("ended with %s, signal %d, exit %d", r.Reason, r.Signal, r.Exit)}
			}
			return nil
		}},
	}
}

// leaves writes a file before it comes to its end, and wants that back, and
// nothing that was given.
func leaves(what, language, end string, reason sandbox.Reason, edit func(*sandbox.Spec)) Row {
	write := map[string]string{
		"python":     "import os\nos.mkdir('d')\nopen('d/left.txt', 'w').write('left')\nos.symlink('/etc/passwd', 'link')\n",
		"javascript": "const fs = require('fs');\nfs.mkdirSync('d');\nfs.writeFileSync('d/left.txt', 'left');\nfs.symlinkSync('/etc/passwd', 'link');\n",
	}[language]
	return Row{Name: "artifacts of " + what, Language: language, Code: write + end,
		Edit: func(s *sandbox.Spec) {
			s.Files = []sandbox.File{{Path: "given/in.txt", Data: []byte("given")}}
			if edit != nil {
				edit(s)
			}
		}, Want: func(r sandbox.Result) []string {
			bad := ends(reason)(r)
			if len(r.Artifacts) != 1 || r.Artifacts[0].Path != "d/left.txt" || string(r.Artifacts[0].Data) != "left" || r.ArtifactsMissing || r.ArtifactsDropped != 1 {
				bad = append(bad, fmt.Sprintf("artifacts %v, dropped %d, missing %v", r.Artifacts, r.ArtifactsDropped, r.ArtifactsMissing))
			}
			return bad
		}}
}
