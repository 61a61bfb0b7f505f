package sandboxtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
)

// RunSessions is the suite of backends that keep sessions: what a notebook is
// expected to do, and what earlier cells can do to later ones, which is to be
// no more than spoil them. Open returns the backend under test, and is called
// from several goroutines.
func RunSessions(t *testing.T, open func(t *testing.T) sandbox.Sessions) {
	t.Run("rows", func(t *testing.T) {
		for _, row := range []struct {
			name string
			run  func(*testing.T, sandbox.Sessions)
		}{
			{"python keeps state", pythonKeepsState},
			{"javascript keeps state", javascriptKeepsState},
			{"a cell that fails leaves what it did", failedCells},
			{"files come and go", sessionFiles},
			{"the interpreter ends by itself", interpreterEnds},
			{"the code of another session is refused", wrongChain},
			{"a parser that no cell can reach", secondOpinionApart},
			{"a forged end of a cell", forgedEnd},
			{"files of a cell that is stopped", filesOfStopped},
			{"nothing goes on between cells", stillBetweenCells},
			{"a replaced runner", replacedRunner},
			{"a stolen cell", stolenCell},
			{"noise for an answer", noiseForAnAnswer},
			{"a closed answer", closedAnswer},
			{"wall time of each cell", wallOfEachCell},
			{"processor time of each cell", cpuOfEachCell},
			{"memory of all cells together", memoryOfAllCells},
			{"output of each cell", outputOfEachCell},
			{"what is denied stays denied", deniedLater},
			{"tighter than the sandbox is", tighterLater},
			{"closed while a cell runs", closedWhileRunning},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				row.run(t, open(t))
			})
		}
	})
}

func pythonKeepsState(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("import math\nx = 6", "")
	c.Expect("def f(y):\n    return x * y\nf(7)", "42\n")
	c.Expect("print('a'); [1, 'b']", "a\n[1, 'b']\n")
	c.Expect("x = 7; f(1)\n# the end", "7\n")
	c.Expect("None", "")
	c.Expect("__name__, math.floor(1.5)", "('__main__', 1)\n")
	c.Expect("from __future__ import annotations\nclass A:\n    b: nowhere = 1\nA().b", "1\n")
	c.Expect("try:\n    _\nexcept NameError:\n    print('held')", "held\n")
	c.Expect("import pickle; pickle.loads(pickle.dumps(A())).b", "1\n")
	c.Expect("class P:\n    def _repr_png_(self): raise ValueError\n    def __repr__(self): return 'text'\nP()", "text\n")
	res := c.Say("class Q:\n    def _repr_png_(self): return b'\\x89PNG\\r\\n\\x1a\\n'\nQ()")
	if len(res.Artifacts) != 1 || res.Artifacts[0].Path != "picture-1.png" || res.Artifacts[0].MediaType != "image/png" || len(res.Stdout) > 0 {
		t.Errorf("a picture: %+v, %q %s", res.Artifacts, res.Stdout, res.Stderr)
	}
}

func javascriptKeepsState(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "javascript")
	c.Expect("let x = 6", "")
	c.Expect("let x = 7; const f = (y) => x * y; f(6)", "42\n")
	c.Expect("const { y } = await Promise.resolve({ y: f(1) }); ({ y })", "{ y: 7 }\n")
	c.Expect("setTimeout(() => console.log('late'), 50); require('path').join('a', 'b')", "'a/b'\nlate\n")
	c.Expect("async function main() { await null; console.log('waited for') }\nmain()\nundefined", "waited for\n")
	c.Expect("[typeof globalThis.require, typeof require, typeof module, __dirname]", "[ 'undefined', 'function', 'object', '/workspace' ]\n")
	c.Expect("class A { z = 1n }\nnew A", "A { z: 1n }\n")
	c.Expect("-0", "-0\n")
}

func failedCells(t *testing.T, b sandbox.Sessions) {
	for language, tt := range map[string]struct{ fail, message, broken, show string }{
		"python":     {"a = 1\nnowhere\na = 2", "NameError", "a = (", "a"},
		"javascript": {"var a = 1\nnowhere\na = 2", "ReferenceError", "a = (", "a"},
	} {
		c := Converse(t, b, language)
		for _, cell := range []string{tt.fail, tt.broken} {
			res := c.Say(cell)
			if res.Reason != sandbox.Exited || res.Exit != 1 || !strings.Contains(string(res.Stderr), "Error") {
				t.Errorf("%s cell %q: %s %d %s", language, cell, res.Reason, res.Exit, res.Stderr)
			}
			if strings.Contains(string(res.Stderr), ".sallyport") || strings.Contains(string(res.Stderr), "node:") {
				t.Errorf("%s: about our own files: %s", language, res.Stderr)
			}
		}
		c.Expect(tt.show, "1\n")
		if res := c.Say(map[string]string{"python": "raise SystemExit(3)", "javascript": "Promise.reject(new Error('late')); 1"}[language]); res.Exit == 0 || c.Ended() {
			t.Errorf("%s: %+v, ended %v", language, res, c.Ended())
		}
		c.Expect(tt.show, "1\n")
	}
}

func sessionFiles(t *testing.T, b sandbox.Sessions) {
	for language, cells := range map[string][2]string{
		"python":     {"t = open('in.txt').read(); open('out/one', 'w').write(t + t) and None", "open('two', 'w').write(open('out/one').read()) and None"},
		"javascript": {"const fs = require('fs'), t = String(fs.readFileSync('in.txt')); fs.writeFileSync('out/one', t + t)", "fs.writeFileSync('two', fs.readFileSync('out/one'))"},
	} {
		c := Converse(t, b, language)
		s := c.Spec(cells[0])
		s.Files = []sandbox.File{{Path: "in.txt", Data: []byte("hi")}, {Path: "out/in.txt", Data: []byte("x")}}
		res, err := c.Try(s)
		if err != nil || len(res.Artifacts) != 1 || res.Artifacts[0].Path != "out/one" || string(res.Artifacts[0].Data) != "hihi" {
			t.Errorf("%s: %v, %+v, %s", language, err, res.Artifacts, res.Stderr)
		}
		if res := c.Say(cells[1]); len(res.Artifacts) != 1 || res.Artifacts[0].Path != "two" {
			t.Errorf("%s: only what a cell changes comes back: %+v %s", language, res.Artifacts, res.Stderr)
		}
	}
}

func interpreterEnds(t *testing.T, b sandbox.Sessions) {
	for language, cell := range map[string]string{"python": "import os; os._exit(7)", "javascript": "process.exit(7)"} {
		c := Converse(t, b, language)
		if res := c.Say(cell); res.Reason != sandbox.Exited || res.Exit != 7 || !c.Ended() {
			t.Errorf("%s: %s %d, ended %v", language, res.Reason, res.Exit, c.Ended())
		}
		if _, err := c.Try(c.Spec("1")); !errors.Is(err, sandbox.ErrRefused) {
			t.Errorf("%s: a cell after the end: %v", language, err)
		}
	}
}

// wrongChain holds that the bytes that were judged are those that run, and that
// the cells before are those that ran.
func wrongChain(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("x = 1", "")
	for name, edit := range map[string]func(*sandbox.Spec){
		"no permit":          func(s *sandbox.Spec) { s.Permit = nil },
		"other bytes":        func(s *sandbox.Spec) { s.Code += "#" },
		"another beginning":  func(s *sandbox.Spec) { s.Code = "y = 1\n" + s.Code[6:]; s.SHA256 = hash(s.Code) },
		"less is the cell":   func(s *sandbox.Spec) { s.Earlier += 2 },
		"more is the cell":   func(s *sandbox.Spec) { s.Earlier = 0 },
		"an empty cell":      func(s *sandbox.Spec) { s.Code = s.Code[:s.Earlier]; s.SHA256 = hash(s.Code) },
		"another language":   func(s *sandbox.Spec) { s.Language = "javascript" },
		"standard input":     func(s *sandbox.Spec) { s.Stdin = []byte("x") },
		"arguments":          func(s *sandbox.Spec) { s.Args = []string{"x"} },
		"a control too many": func(s *sandbox.Spec) { s.Require = []sandbox.Control{"none such"} },
	} {
		s := c.Spec("open('ran', 'w')")
		edit(&s)
		if res, err := c.Try(s); !errors.Is(err, sandbox.ErrRefused) {
			t.Errorf("%s: %v, %+v", name, err, res)
		}
	}
	c.Expect("import os; x, os.listdir()", "(1, [])\n")
	if backend, ok := b.(sandbox.Backend); ok {
		if _, err := backend.Run(t.Context(), c.Spec("1")); !errors.Is(err, sandbox.ErrRefused) {
			t.Errorf("a cell as a program of its own: %v", err)
		}
	}
}

// secondOpinionApart has a cell replace all that a parser in its interpreter
// would be made of, and then says what the analysis has not seen.
func secondOpinionApart(t *testing.T, b sandbox.Sessions) {
	for language, cells := range map[string][3]string{
		"python": {
			"import builtins, ast, sys\nkept = 1\nf = lambda *a, **k: None\nfor m in (builtins, ast):\n  for n in ('compile', 'parse', 'walk'):\n    if hasattr(m, n): setattr(m, n, f)\nsys.stdout.flush()",
			"open('ran', 'w')", "print(kept, __import__('os').path.exists('ran'))"},
		"javascript": {
			"var kept = 1; Set.prototype.has = () => true; JSON.parse = () => ({}); undefined",
			"require('fs').writeFileSync('ran', 'x')", "kept"},
	} {
		c := Converse(t, b, language)
		c.Say(cells[0])
		s := c.Spec(cells[1])
		s.Identifiers = []string{"require"}
		res, err := c.Try(s)
		if err != nil || res.Reason != sandbox.Mismatch || len(res.UnknownIdentifiers) == 0 {
			t.Errorf("%s: %v, %s %v %s", language, err, res.Reason, res.UnknownIdentifiers, res.Stderr)
		}
		if c.Ended() {
			t.Errorf("%s: a denied cell ended the session", language)
		}
	}
	// The denied cell is no part of the session, and nothing of it has run.
	c := Converse(t, b, "python")
	c.Expect("kept = 1", "")
	s := c.Spec("open('ran', 'w')")
	s.Identifiers = nil
	if res, err := c.Try(s); err != nil || res.Reason != sandbox.Mismatch {
		t.Errorf("%v, %+v", err, res)
	}
	c.Expect("import os\nkept, os.listdir()", "(1, [])\n")
}

const forge = "import os, threading, time\ndef say(text):\n  os.write(101, b'a' + len(text).to_bytes(4, 'big') + text)\n"

// forgedEnd says that a cell has ended which has not. The host believes it, and
// stops everything inside: the rest runs in the time of the next cell.
func forgedEnd(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	res := c.Say(forge + "say(b'done 0')\nn = 0\nwhile time.monotonic() < time.monotonic() + 1:\n  n += 1")
	if res.Reason != sandbox.Exited || res.Exit != 0 {
		t.Errorf("%s %d", res.Reason, res.Exit)
	}
	// The interpreter is still busy with the first cell: the next one waits for
	// it in vain and has its own limit.
	c.Edit = func(s *sandbox.Spec) { s.Limits.Wall = time.Second }
	if res := c.Say("print('reached')"); res.Reason != sandbox.TimedOut || !c.Ended() {
		t.Errorf("%s %q, ended %v", res.Reason, res.Stdout, c.Ended())
	}
}

// filesOfStopped has a cell stopped that wrote one of three files: the two of an earlier
// cell, of which it changed one, are no news of it.
func filesOfStopped(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("for name in 'old.txt', 'changed.txt':\n  with open(name, 'w') as f: n = f.write('1')", "")
	c.Expect("with open('old.txt', 'w') as f: n = f.write('1')", "")
	c.Edit = func(s *sandbox.Spec) { s.Limits.OutputBytes = 1000 }
	res := c.Say("for name in 'new.txt', 'changed.txt':\n  with open(name, 'w') as f: n = f.write('2')\nwhile True: print('x' * 1000)")
	var got []string
	for _, f := range res.Artifacts {
		got = append(got, f.Path)
	}
	slices.Sort(got)
	if res.Reason != sandbox.Output || !slices.Equal(got, []string{"changed.txt", "new.txt"}) {
		t.Errorf("%s, and it leaves %v", res.Reason, got)
	}
}

// stillBetweenCells leaves a clock behind that notes its longest pause, which
// cannot be shorter than the time in which no cell ran.
func stillBetweenCells(t *testing.T, b sandbox.Sessions) {
	for language, cells := range map[string][2]string{
		"python": {"import threading, time\npause, last = 0, time.monotonic()\ndef tick():\n  global pause, last\n  while True:\n    now = time.monotonic()\n    pause, last = max(pause, now - last), now\n    time.sleep(0.001)\nthreading.Thread(target=tick, daemon=True).start()",
			"seen = last\nwhile last == seen: time.sleep(0.001)\npause"},
		"javascript": {"let pause = 0, last = performance.now(); const tick = () => { const now = performance.now(); pause = Math.max(pause, now - last); last = now }; setInterval(tick, 1).unref(); undefined",
			"await new Promise(done => setTimeout(done, 10)); pause / 1000"},
	} {
		c := Converse(t, b, language)
		c.Expect(cells[0], "")
		const still = 500 * time.Millisecond
		time.Sleep(still)
		res := c.Say(cells[1])
		var pause float64
		if _, err := fmt.Sscan(string(res.Stdout), &pause); err != nil || pause < still.Seconds()*0.9 {
			t.Errorf("%s: the clock stood still for %q s, want %s: %v, %s", language, res.Stdout, still, err, res.Stderr)
		}
	}
}

// replacedRunner puts functions of its own in the place of those that run
// cells. What it gets is what it had: its own interpreter.
func replacedRunner(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("import sys\nf = sys._getframe()\nwhile '_serve' not in f.f_globals: f = f.f_back\nf.f_globals['_run'] = lambda code, name, ns: 'done 0'\nf.f_globals['_collect'] = lambda *a: None", "")
	c.Expect("print('never runs')", "")
	s := c.Spec("import nothing_known")
	s.Identifiers = nil
	if res, err := c.Try(s); err != nil || res.Reason != sandbox.Mismatch {
		t.Errorf("the other parser: %v, %+v", err, res)
	}
	j := Converse(t, b, "javascript")
	j.Expect("process.removeAllListeners('beforeExit'); undefined", "")
	if !j.Ended() { // the interpreter has nothing left to do and ends
		if res, err := j.Try(j.Spec("1")); err == nil && res.Reason == sandbox.Exited && res.Exit == 0 && string(res.Stdout) == "1\n" {
			t.Errorf("the replaced runner ran a cell: %+v", res)
		}
	}
}

// stolenCell reads the next cell before the runner does.
func stolenCell(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect(forge+"threading.Thread(target=lambda: os.read(100, 100000), daemon=True).start()\ntime.sleep(0.1)", "")
	c.Edit = func(s *sandbox.Spec) { s.Limits.Wall = time.Second }
	if res := c.Say("print('mine')"); res.Reason != sandbox.TimedOut && string(res.Stdout) != "mine\n" {
		t.Errorf("%s %q", res.Reason, res.Stdout)
	}
}

func noiseForAnAnswer(t *testing.T, b sandbox.Sessions) {
	for _, noise := range []string{`b'\xff' * 64`, `b'a\0\0\0\1x'`, `b'x\0\0\0\6done 0'`, `b'a\0\0\0\x08done 999'`, `b'a\0\0\0\7done -1'`, `b'a\0\0\0\0'`} {
		c := Converse(t, b, "python")
		if res := c.Say("import os, time; os.write(101, " + noise + "); time.sleep(600)"); res.Reason != sandbox.Killed || !c.Ended() {
			t.Errorf("%s: %s, ended %v", noise, res.Reason, c.Ended())
		}
		c.Close()
	}
	// Noise in place of files is left behind, and the next cell is heard again.
	c := Converse(t, b, "python")
	c.Expect("import os; os.write(102, b'\\xff' * 4096) and None", "")
	c.Expect("open('a', 'w').write('x') and None", "")
}

func closedAnswer(t *testing.T, b sandbox.Sessions) {
	for _, fd := range []string{"100", "101"} {
		c := Converse(t, b, "python")
		c.Edit = func(s *sandbox.Spec) { s.Limits.Wall = time.Second }
		res := c.Say("import os; os.close(" + fd + ")")
		if fd == "100" && !c.Ended() {
			res = c.Say("1")
		}
		if !c.Ended() {
			t.Errorf("descriptor %s closed: %s, and it has not ended", fd, res.Reason)
		}
		c.Close()
	}
}

// ofEachCell holds that a limit is that of a cell and not of all together: three
// cells take more than half of it each, the next one all. A busy machine may
// stop one of the three, too: that is tried again with a larger limit.
func ofEachCell(t *testing.T, b sandbox.Sessions, most sandbox.Reason, set func(*sandbox.Limits, time.Duration), take string) {
	for limit := soon; ; limit *= 2 {
		c := Converse(t, b, "python")
		c.Edit = func(s *sandbox.Spec) { set(&s.Limits, limit) }
		took := 0
		for ; took < 3; took++ {
			res := c.Say(fmt.Sprintf("import time\n"+take, 0.55*limit.Seconds()))
			if res.Reason == most && limit < Patient {
				break
			}
			if res.Reason != sandbox.Exited || res.Exit != 0 {
				t.Fatalf("cell %d with %s: %s %d, %s", took, limit, res.Reason, res.Exit, res.Stderr)
			}
		}
		if took < 3 {
			continue
		}
		if res := c.Say("while True: pass"); res.Reason != most || !c.Ended() {
			t.Errorf("%s, ended %v", res.Reason, c.Ended())
		}
		return
	}
}

func wallOfEachCell(t *testing.T, b sandbox.Sessions) {
	ofEachCell(t, b, sandbox.TimedOut, func(l *sandbox.Limits, d time.Duration) { l.Wall = d }, "time.sleep(%f)")
}

// cpuOfEachCell asks seldom what time it is: gVisor answers on another processor while the
// program waits on its own, and both count.
func cpuOfEachCell(t *testing.T, b sandbox.Sessions) {
	ofEachCell(t, b, sandbox.CPU, func(l *sandbox.Limits, d time.Duration) { l.CPU = d }, "end = time.process_time() + %f\nwhile time.process_time() < end: sum(range(20_000))")
}

func memoryOfAllCells(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	memory := int64(128 << 20)
	c.Edit = func(s *sandbox.Spec) { s.Limits.Memory = memory }
	c.Expect("a = bytearray(80 << 20)", "")
	memory = 512 << 20 // a later cell cannot have more than the session began with
	if res := c.Say("b = bytearray(80 << 20)"); res.Reason != sandbox.Memory && res.Exit == 0 {
		t.Errorf("%s %d", res.Reason, res.Exit)
	}
}

func outputOfEachCell(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Edit = func(s *sandbox.Spec) { s.Limits.OutputBytes = 1000 }
	for range 2 {
		if res := c.Say("print('x' * 5000)"); len(res.Stdout) != 1000 || !res.StdoutTruncated {
			t.Errorf("%d bytes, truncated %v", len(res.Stdout), res.StdoutTruncated)
		}
	}
	c.Expect("print(1)", "1\n")
	if res := c.Say("while True: print('x' * 1000000)"); res.Reason != sandbox.Output || !c.Ended() {
		t.Errorf("%s, ended %v", res.Reason, c.Ended())
	}
}

func deniedLater(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("import os, socket, subprocess", "")
	for _, cell := range []string{"os.fork()", "subprocess.run(['/bin/true'])", "socket.socket()"} {
		res := c.Say(cell)
		if res.Exit == 0 || len(res.Violations) == 0 {
			t.Errorf("%s: %d, violations %v, %s", cell, res.Exit, res.Violations, res.Stderr)
		}
	}
	c.Expect("1", "1\n")
}

// tighterLater holds that a sandbox which lets programs start processes does
// not go on for a cell that may not.
func tighterLater(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Edit = func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }
	c.Expect("x = 1", "")
	c.Edit = nil
	if _, err := c.Try(c.Spec("x")); !errors.Is(err, sandbox.ErrRefused) {
		t.Errorf("a cell that may not start processes, where it could: %v", err)
	}
}

func closedWhileRunning(t *testing.T, b sandbox.Sessions) {
	c := Converse(t, b, "python")
	c.Expect("import time", "")
	session := c.session
	closed := make(chan error, 1)
	c.Edit = func(s *sandbox.Spec) {
		s.Output = func(sandbox.Stream, []byte) { go func() { closed <- session.Close() }() }
	}
	if res := c.Say("print('on', flush=True); time.sleep(600)"); res.Reason != sandbox.Cancelled {
		t.Errorf("%s", res.Reason)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if !c.Ended() {
		t.Error("a closed session has not ended")
	}
}
