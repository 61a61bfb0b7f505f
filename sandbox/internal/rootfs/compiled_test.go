package rootfs

import (
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
	if len(in.Compiled) != len(runner.Modules()) {
		t.Fatalf("compiled are %d modules", len(in.Compiled))
	}
	at := filepath.Join(in.Root, runner.Dir)
	same := `import marshal, sys
for name in sys.argv[2:]:
    data = open("%s/__pycache__/%s.%s.pyc" % (sys.argv[1], name, sys.implementation.cache_tag), "rb").read()
    assert marshal.loads(data[16:]) == compile(open("%s/%s.py" % (sys.argv[1], name)).read(), "` + runner.Dir + `/%s.py" % name, "exec"), name`
	args := []string{"-I", "-c", same, at}
	for name := range runner.Modules() {
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
	if in, err := other.Find(t.Context(), sandbox.Spec{Language: "python"}, false); err != nil || len(in.Compiled) != len(runner.Modules()) {
		t.Errorf("%v, believed %v", err, in.Compiled)
	}
}

// A Python that keeps nothing compiled, or does not say what it is to, is used as it is.
func TestNotCompiled(t *testing.T) {
	t.Parallel()
	if all, err := (told{Compiled: map[string]string{"sitecustomize.py": "00"}}).compiled(); err != nil || all != nil {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := (told{Tag: "cpython-313", Compiled: map[string]string{"sitecustomize.py": "00"}}).compiled(); err == nil {
		t.Error("what is missing was not missed")
	}
}
