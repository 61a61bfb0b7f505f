package rootfs

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
)

// A Python finds the runner's modules compiled: they are what is in this binary, and it
// loads them without a look at their text. Those of another binary are not believed.
func TestCompiled(t *testing.T) {
	t.Parallel()
	newFinder := func(dir string) *Finder {
		return New(Options{Dir: dir, Scratch: t.TempDir(), Python: "/usr/bin/python3", Node: "/bin/true"})
	}
	dir := t.TempDir()
	f := newFinder(dir)
	in, err := f.Find(t.Context(), sandbox.Spec{Language: "python"}, false)
	if err != nil {
		if os.Getenv("REQUIRE_PYTHON") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no Python of the system: %v", err)
	}
	if len(in.Compiled) != len(runner.Modules("python")) {
		t.Fatalf("compiled are %d modules", len(in.Compiled))
	}
	at := filepath.Join(in.Root, runner.Dir)
	same := `import marshal, sys
for name in sys.argv[2:]:
    data = open("%s/__pycache__/%s.%s.pyc" % (sys.argv[1], name, sys.implementation.cache_tag), "rb").read()
    assert marshal.loads(data[16:]) == compile(open("%s/%s.py" % (sys.argv[1], name)).read(), "` + runner.Dir + `/%s.py" % name, "exec"), name`
	args := []string{"-I", "-c", same, at}
	for name := range runner.Modules("python") {
		args = append(args, strings.TrimSuffix(name, ".py"))
	}
	if out, err := exec.Command(in.Executable, args...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	cmd := exec.Command(in.Executable, "-v", "-S", "-c", "import sallyport_inside, sallyport_site")
	cmd.Env = []string{"PYTHONPATH=" + at}
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "# code object from '"+at+"/__pycache__/sallyport_") != 2 {
		t.Errorf("%v: %s", err, out)
	}

	other := newFinder(dir)
	if _, ok := other.cache["python /usr/bin/python3"]; !ok {
		t.Fatalf("the cache has %v", other.cache)
	}
	other.modules = "another binary"
	entry := other.cache["python /usr/bin/python3"]
	entry.Found.Compiled = map[string][]byte{"__pycache__/sitecustomize.cpython-313.pyc": []byte("old")}
	other.cache["python /usr/bin/python3"] = entry
	if in, err := other.Find(t.Context(), sandbox.Spec{Language: "python"}, false); err != nil || len(in.Compiled) != len(runner.Modules("python")) {
		t.Errorf("%v, believed %v", err, in.Compiled)
	}
}

// A Python that keeps nothing compiled, or does not say what it is to, is used as it is.
func TestNotCompiled(t *testing.T) {
	t.Parallel()
	if all, err := (told{Compiled: map[string]string{"sitecustomize.py": "00"}}).compiled("python"); err != nil || all != nil {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := (told{Tag: "cpython-313", Compiled: map[string]string{"sitecustomize.py": "00"}}).compiled("python"); err == nil {
		t.Error("what is missing was not missed")
	}
}

// A Node finds the hooks and its parser compiled, as V8 itself says, each time the same, and believes it
// under the switches of a sandbox; without them it compiles their text.
func TestCompiledForNode(t *testing.T) {
	t.Parallel()
	find := func() Interpreter {
		in, err := New(Options{Dir: t.TempDir(), Scratch: t.TempDir(), Path: os.Getenv("PATH")}).Find(t.Context(), sandbox.Spec{Language: "javascript"}, false)
		if err != nil {
			if os.Getenv("REQUIRE_NODE") == "1" {
				t.Fatal(err)
			}
			t.Skipf("no Node: %v", err)
		}
		return in
	}
	in, again := find(), find()
	if len(in.Compiled) != len(runner.Modules("javascript")) || !maps.EqualFunc(in.Compiled, again.Compiled, bytes.Equal) {
		t.Fatalf("compiled are %d and %d modules, or they differ", len(in.Compiled), len(again.Compiled))
	}
	inside := "const {Script} = require('vm'); require('vm').Script = class extends Script { constructor(text, o) { super(text, o); console.log(!!o.cachedData, this.cachedDataRejected); } };" +
		"const inside = require(process.argv[1] + '/inside.cjs'); inside.plain(); inside.hooks(); inside.parser()"
	for _, flags := range [][]string{{}, runner.Argv("", sandbox.Spec{Language: "javascript"})[1:4]} {
		cmd := exec.Command(in.Executable, append(flags, "-e", inside, filepath.Join(in.Root, runner.Dir))...)
		cmd.Env = []string{}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "true false\ntrue false\n" {
			t.Errorf("%v: %v, %s", flags, err, out)
		}
	}
}
