package runner_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// TestPreloadedIsNotThere has programs look for what a waiting interpreter has
// imported: they find what they would find without it, before and after they
// import it themselves. Policy denies nothing, so that they may look.
func TestPreloadedIsNotThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code string
		files      []sandbox.File
	}{
		{"before and after", `
import sys, importlib, logging
names = ("asyncio", "ctypes", "socket", "subprocess", "wave", "importlib.metadata", "urllib.request", "pickle", "logging.handlers")
print([n for n in names if n in sys.modules], hasattr(importlib, "metadata"), hasattr(logging, "handlers"))
import urllib.request
print([n for n in names if n in sys.modules and n not in ("asyncio", "wave")])
import wave, importlib.metadata, logging.handlers
print(hasattr(importlib, "metadata"), hasattr(logging, "handlers"), importlib.metadata.__name__, "asyncio" in sys.modules)
for m in (wave, urllib.request, sys.modules["socket"]):
    s = m.__spec__
    print(m.__name__, s.name, s.loader is m.__loader__, type(s.loader).__name__, s.origin == m.__file__, m.__package__)
from urllib.request import Request
import pickle
print(importlib.import_module("wave") is wave, pickle.loads(pickle.dumps(Request)) is Request)`, nil},
		{"by many, and once more", `
import threading, sys, importlib
seen = []
def look():
    import urllib.request, subprocess, asyncio
    seen.append((urllib.request, subprocess, asyncio, sys.modules["socket"]))
all = [threading.Thread(target=look) for _ in range(8)]
for t in all: t.start()
for t in all: t.join()
print(len(seen), len(set(map(id, (m for s in seen for m in s)))))
import wave
one = wave.Wave_read
again = importlib.reload(wave)
print(again is wave, wave.Wave_read is one)
del sys.modules["wave"]
import wave as other
print(other is again)
try:
    import nothing_of_this_name
except ModuleNotFoundError as e:
    print(e)`, nil},
		{"own modules win", `
import wave, inspect
print(wave.mine, inspect.mine)
import subprocess, pickle
print(subprocess.Popen.__name__, pickle.loads.__name__)`, []sandbox.File{
			{Path: "wave.py", Data: []byte("mine = 1"), Judged: true}, {Path: "inspect/__init__.py", Data: []byte("mine = 2"), Judged: true},
			{Path: "pickle.csv", Data: []byte("1")}, {Path: "subprocess/data.txt", Data: []byte("1")},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandboxtest.Preloaded(sandboxtest.Spec("python", tt.code))
			s.Runtime.Preload = append(s.Runtime.Preload, "nothing_of_this_name", "logging.nothing")
			s.Grant, s.Files = sandbox.Grant(sandbox.Capabilities()), tt.files
			cold, waited := newBare(t, nil), newBare(t, nil)
			waited.env = []string{runner.Preload(s)}
			want, got := cold.run(t, s), waited.run(t, s)
			if string(got.Stdout) != string(want.Stdout) || want.Exit != 0 || len(got.Stderr) > 0 {
				t.Errorf("cold: %d, %s%s\nwaited: %d, %s%s", want.Exit, want.Stdout, want.Stderr, got.Exit, got.Stdout, got.Stderr)
			}
		})
	}
}

// TestPrepared has what was built with an environment be where libraries look.
func TestPrepared(t *testing.T) {
	t.Parallel()
	env := filepath.Join(t.TempDir(), "env")
	if out, err := exec.Command(requireInterpreter(t, "python"), "-I", "-m", "venv", "--without-pip", env).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	place, err := os.MkdirTemp("/tmp", "sallyport-prepared-") // a name that nobody else has
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(place)
	dir := filepath.Join(env, "prepared", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	if err := os.WriteFile(filepath.Join(dir, "list.json"), []byte("fonts"), 0o444); err != nil {
		t.Fatal(err)
	}
	b := newBare(t, nil)
	b.executable, b.chosen = filepath.Join(env, "bin", "python3"), true
	s := sandboxtest.Spec("python", "print(open('/tmp/"+name+"/list.json').read())")
	if res := b.run(t, s); string(res.Stdout) != "fonts\n" {
		t.Errorf("%q %s", res.Stdout, res.Stderr)
	}
}

// TestPreloadIsNoGrant has programs reach for a preloaded module that nobody saw
// them name. Each is stopped, and would not be if the modules were not put away.
func TestPreloadIsNoGrant(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"print(__import__(''.join(['w', 'ave'])).__name__)",
		"import sys\nprint(sys.modules.get(''.join(['w', 'ave'])).__name__)",
		"import importlib\nprint(getattr(importlib, 'meta' + 'data').__name__)",
	} {
		for _, away := range []bool{true, false} {
			t.Run(code, func(t *testing.T) {
				t.Parallel()
				b := newBare(t, func(files map[string]string) {
					if !away {
						files["sitecustomize.py"] = strings.Replace(files["sitecustomize.py"], "        _put_away(before | _preloaded, needs)\n", "        pass\n", 1)
					}
				})
				s := sandboxtest.Preloaded(sandboxtest.Spec("python", code))
				b.env = []string{runner.Preload(s)}
				if res := b.run(t, s); (len(res.Stdout) == 0) != away {
					t.Errorf("put away %v: %s %d %q %v", away, res.Reason, res.Exit, res.Stdout, res.Violations)
				}
			})
		}
	}
}

// TestPreloadIsSame has programs load modules by names that they make, in each way
// that there is: an interpreter that has preloaded them stops what any other stops,
// and no more.
func TestPreloadIsSame(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		"import importlib\nload = importlib.import_module",
		"import importlib._bootstrap as b\nload = b._gcd_import",
		"import pkgutil\nload = pkgutil.resolve_name",
		"load = __import__",
	} {
		for _, name := range []string{"['w', 'ave']", "['ct', 'ypes']", "['mars', 'hal']"} {
			t.Run(way+name, func(t *testing.T) {
				t.Parallel()
				s := sandboxtest.Spec("python", way+"\nprint(load(''.join("+name+")).__name__)")
				b := newBare(t, nil)
				cold := b.run(t, s)
				s = sandboxtest.Preloaded(s)
				b.env = []string{runner.Preload(s)}
				waited := b.run(t, s)
				if cold.Reason != waited.Reason || string(cold.Stdout) != string(waited.Stdout) || !slices.Equal(cold.Violations, waited.Violations) {
					t.Errorf("cold %s %q %v, preloaded %s %q %v", cold.Reason, cold.Stdout, cold.Violations, waited.Reason, waited.Stdout, waited.Violations)
				}
			})
		}
	}
}

// TestPreloads tells a configuration with modules of an operator's choice from
// those without: it counts for more of the memory that waiting sandboxes may take.
func TestPreloads(t *testing.T) {
	config := func(s sandbox.Spec) string {
		text, err := json.Marshal(map[string]any{"env": []string{"A=1", runner.Preload(s), "B=;"}, "z": ";"})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, language := range []string{"python", "javascript"} {
		usual := config(sandboxtest.Spec(language, ""))
		if runner.Preloads(usual) {
			t.Errorf("%s: nobody chose anything", language)
		}
		if plain := runner.Plain(usual); plain != `{"env":["A=1","SALLYPORT_PRELOAD=","B=;"],"z":";"}` {
			t.Errorf("%s without what is imported in advance: %s", language, plain)
		}
	}
	chosen := config(sandboxtest.Preloaded(sandboxtest.Spec("python", "")))
	if !runner.Preloads(chosen) {
		t.Error("modules were chosen")
	}
	if runner.Plain(chosen) != chosen || runner.Plain("{}") != "{}" {
		t.Error("what was chosen is taken away, or what was not there")
	}
}

// TestRehearsalLeavesNothingToDo has a module end by an error in an interpreter that waited: what the
// rehearsal wrote is over and done with, so that nothing of it is in the stack.
func TestRehearsalLeavesNothingToDo(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Spec("javascript", "await Promise.reject(new Error('rejected'))")
	s.Goal = "module"
	r := newBare(t, nil)
	r.env = []string{runner.Preload(s)}
	res := r.run(t, s)
	if said := string(res.Stderr); res.Exit != 1 || !strings.Contains(said, "Error: rejected") || strings.Contains(said, "processTicks") {
		t.Errorf("%d %s", res.Exit, said)
	}
}
