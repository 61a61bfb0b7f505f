package gvisor

import (
	"context"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestReasons wants each limit to have a reason of its own, with what was used,
// and the same program to end by itself where the limit leaves room.
func TestReasons(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	roomy := sandbox.Limits{Wall: sandboxtest.Patient, CPU: sandboxtest.Patient, Memory: 1 << 30, Pids: 256, DiskBytes: 512 << 20, FileBytes: 256 << 20}
	for _, tt := range []struct {
		name, language, code string
		tight                func(*sandbox.Limits)
		want                 sandbox.Reason
	}{
		{"wall", "python", "import time\ntime.sleep(2)", func(l *sandbox.Limits) { l.Wall = time.Second }, sandbox.TimedOut},
		// Inside, the clock also counts what a busy machine gives to others.
		{"processor time", "python", "import time\nwhile time.process_time() < 3: pass", func(l *sandbox.Limits) { l.CPU = time.Second / 5 }, sandbox.CPU},
		{"memory", "python", "x = bytearray(b'x') * (300 << 20)\nimport time\ntime.sleep(1)", func(l *sandbox.Limits) { l.Memory = 128 << 20 }, sandbox.Memory},
		{"memory, javascript", "javascript", "const x = []; for (let i = 0; i < 300; i++) x.push(Buffer.alloc(1 << 20, 1)); setTimeout(() => {}, 1000)", func(l *sandbox.Limits) { l.Memory = 128 << 20 }, sandbox.Memory},
		{"threads", "python", "import threading\nend = threading.Event()\ntry:\n    for _ in range(100): threading.Thread(target=end.wait).start()\nfinally: end.set()", func(l *sandbox.Limits) { l.Pids = 20 }, sandbox.Pids},
		{"processes", "python", "import os\nwait, end = os.pipe()\nfor _ in range(100):\n    if os.fork() == 0:\n        os.close(end)\n        os.read(wait, 1)\n        os._exit(0)\nos.close(end)\nfor _ in range(100): os.wait()", func(l *sandbox.Limits) { l.Pids = 20 }, sandbox.Pids},
		{"disk", "python", "for i in range(80): open(str(i), 'wb').write(b'x' * (1 << 20))", func(l *sandbox.Limits) { l.DiskBytes = 64 << 20 }, sandbox.Disk},
		{"disk, javascript", "javascript", "for (let i = 0; i < 80; i++) require('fs').writeFileSync(String(i), Buffer.alloc(1 << 20))", func(l *sandbox.Limits) { l.DiskBytes = 64 << 20 }, sandbox.Disk},
		{"file size", "python", "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen('big', 'wb').write(b'x' * (8 << 20))", func(l *sandbox.Limits) { l.FileBytes = 4 << 20 }, sandbox.Disk},
		{"file size, left", "python", "open('big', 'wb').write(b'x' * (8 << 20))", func(l *sandbox.Limits) { l.FileBytes = 4 << 20 }, sandbox.Disk},
		{"file size, not left", "python", "open('/tmp/big', 'wb').write(b'x' * (8 << 20))", func(l *sandbox.Limits) { l.FileBytes = 4 << 20 }, sandbox.Disk},
		{"file size, kept quiet", "python", "import sys\ntry: open('big', 'wb', buffering=0).write(b'x' * (8 << 20))\nexcept OSError: pass\nimport os\nsys.exit(os.stat('big').st_size < 8 << 20)", func(l *sandbox.Limits) { l.FileBytes = 4 << 20 }, sandbox.Disk},
		{"file size, javascript", "javascript", "require('fs').writeFileSync('/tmp/big', Buffer.alloc(8 << 20))", func(l *sandbox.Limits) { l.FileBytes = 4 << 20 }, sandbox.Disk},
		{"output", "python", "import sys\nfor _ in range(70): sys.stdout.write('x' * (1 << 20))", func(l *sandbox.Limits) { l.OutputBytes = 1 << 16 }, sandbox.Output},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandboxtest.Spec(tt.language, tt.code)
			s.Grant = sandbox.Grant{sandbox.CapabilityProcess, sandbox.CapabilitySignals}
			s.Limits = roomy
			if tt.want == sandbox.Output {
				s.Limits.OutputBytes = 128 << 20
			}
			res, err := b.Run(context.Background(), s)
			if err != nil || res.Reason != sandbox.Exited || res.Exit != 0 {
				t.Errorf("with room: %v, %s %d, %.500s", err, res.Reason, res.Exit, res.Stderr)
			}
			tt.tight(&s.Limits)
			res, err = b.Run(context.Background(), s)
			if err != nil || res.Reason != tt.want {
				t.Errorf("without: %v, %s %d, want %s, %.500s", err, res.Reason, res.Exit, tt.want, res.Stderr)
			}
			if u := res.Usage; u.Wall <= 0 || u.PeakMemory <= 0 || tt.want == sandbox.CPU && u.CPU < time.Second/5 {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

// TestOpenFiles wants a program that fails for want of descriptors to be told
// from one that fails, and from one that gets along.
func TestOpenFiles(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	for _, tt := range []struct {
		name, language, code string
		want                 sandbox.Reason
	}{
		{"fails", "python", "files = [open('/dev/null') for _ in range(2000)]", sandbox.Files},
		{"fails, javascript", "javascript", "for (let i = 0; i < 2000; i++) require('fs').openSync('/dev/null')", sandbox.Files},
		{"fails, beside a thread that takes what the hooks keep", "javascript", `
const fs = require('fs'), threads = require('worker_threads');
const open = () => { try { fs.openSync('/dev/null'); } catch (e) { if (e.code !== 'EMFILE') throw e; } };
if (threads.isMainThread) {
  new threads.Worker(__filename);
  for (let i = 0; i < 5000; i++) open();
  fs.openSync('/dev/null');
} else for (;;) open();`, sandbox.Files},
		{"fails otherwise", "python", "files = [open('/dev/null') for _ in range(900)]\n1 / 0", sandbox.Exited},
		{"gets along", "python", "files = []\ntry:\n    while True: files.append(open('/dev/null'))\nexcept OSError: pass", sandbox.Exited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := b.Run(context.Background(), sandboxtest.Spec(tt.language, tt.code))
			if err != nil || res.Reason != tt.want {
				t.Errorf("%v, %s %d, %v, want %s, %.500s", err, res.Reason, res.Exit, res.Violations, tt.want, res.Stderr)
			}
		})
	}
}
