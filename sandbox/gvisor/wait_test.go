package gvisor

import (
	"bytes"
	"context"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestEndings compares what the two ways tell of a program's end: the witness
// and, where it is silent, the control socket.
func TestEndings(t *testing.T) {
	t.Parallel()
	silent := newTestBackend(t)
	silent.own = false
	told := newTestBackend(t)
	for _, tt := range []struct {
		name, code, out string
		exit, signal    int
	}{
		{name: "end", code: "print(1)", out: "1\n"},
		{name: "status", code: "import sys; sys.exit(7)", exit: 7},
		{name: "status of nine bits", code: "import os; os._exit(300)", exit: 44},
		{name: "signal", code: "import os; os.kill(os.getpid(), 9)", signal: 9},
		{name: "signal's number as status", code: "import os; os._exit(137)", exit: 137},
		{name: "another thread ends it", exit: 5, out: "1\n",
			code: "import os, threading, time\nprint(1, flush=True)\nthreading.Thread(target=os._exit, args=(5,)).start()\ntime.sleep(60)"},
		{name: "the first thread leaves before the last", exit: 6, out: "late\n",
			code: "import ctypes, os, platform, threading, time\ndef late():\n    time.sleep(.3)\n    os.write(1, b'late\\n')\n    os._exit(6)\nthreading.Thread(target=late).start()\nctypes.CDLL(None).syscall(60 if platform.machine() == 'x86_64' else 93, 3)"},
		{name: "a child's end is not the program's", exit: 3, out: "child\nparent\n",
			code: "import os\nif os.fork() == 0:\n    os.write(1, b'child\\n')\n    os._exit(9)\nos.wait()\nos.write(1, b'parent\\n')\nos._exit(3)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, b := range map[string]*Backend{"told": told, "silent": silent} {
				s := sandboxtest.Spec("python", tt.code)
				s.Observe = true // some end themselves by a system call
				s.Grant = sandbox.Grant{sandbox.CapabilityProcess}
				res, err := b.Run(context.Background(), s)
				if err != nil {
					t.Fatal(name, err)
				}
				want := sandbox.Exited
				if tt.signal != 0 {
					want = sandbox.Killed
				}
				if name == "silent" && tt.exit > 128 && res.Reason == sandbox.Killed && res.Signal == tt.exit-128 {
					continue // the sandbox went before it answered: see lastWord
				}
				if res.Reason != want || res.Exit != tt.exit || res.Signal != tt.signal || string(res.Stdout) != tt.out {
					t.Errorf("%s: %s, exit %d, signal %d, output %q, errors %q; want %s, %d, %d, %q",
						name, res.Reason, res.Exit, res.Signal, res.Stdout, res.Stderr, want, tt.exit, tt.signal, tt.out)
				}
			}
		})
	}
}

// TestWitnessAlone takes the control socket away: the witness is enough.
func TestWitnessAlone(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	if !b.own {
		t.Fatal("runsc was built without the witness")
	}
	s := sandboxtest.Spec("python", "import sys; sys.exit(7)")
	in, err := b.interpreter(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.fresh(context.Background(), in, s)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.ctl.answer = nil
	res, err := g.Run(context.Background(), s)
	if err != nil || res.Reason != sandbox.Exited || res.Exit != 7 {
		t.Errorf("%s %d, %v", res.Reason, res.Exit, err)
	}
}

// TestLargeJob hands over more than a pipe or one read takes.
func TestLargeJob(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	big := bytes.Repeat([]byte("0123456789abcde\n"), 20_000)
	for language, code := range map[string]string{
		"python":     "print(open('big').read().count('\\n'), len(open('small').read()))",
		"javascript": "const {readFileSync: r} = require('fs'); console.log(r('big', 'utf8').split('\\n').length - 1, r('small').length)",
	} {
		s := sandboxtest.Spec(language, code)
		s.Files = []sandbox.File{{Path: "small", Data: big[:4096]}, {Path: "big", Data: big}}
		res, err := b.Run(context.Background(), s)
		if err != nil || string(res.Stdout) != "20000 4096\n" || len(res.Artifacts) != 0 {
			t.Errorf("%s: %q, %q, %d artifacts, %v", language, res.Stdout, res.Stderr, len(res.Artifacts), err)
		}
	}
}
