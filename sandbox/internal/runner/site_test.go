package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// TestFound starts an environment whose .pth files hold a path, how editable
// installs are found, and a line that has nothing to do with modules.
func TestFound(t *testing.T) {
	t.Parallel()
	env := filepath.Join(t.TempDir(), "env")
	if out, err := exec.Command(requireInterpreter(t, "python"), "-m", "venv", "--without-pip", env).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	site, _ := filepath.Glob(filepath.Join(env, "lib/python3*/site-packages"))
	if len(site) != 1 {
		t.Fatalf("site-packages: %q", site)
	}
	for name, text := range map[string]string{
		"beside.pth":         "# import nothing\n\n../beside\n",
		"../beside/lib_a.py": "name = 'a'\n",
		"other.pth":          "import os; os.ran = 1\r\nimport os;exec('os.' + 'ran = 2')\n",
		"__editable__b.pth":  "import __editable___b_finder; __editable___b_finder.install()",
		"__editable___b_finder.py": `import importlib.machinery, sys, types
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, Finder) if name == "lib_b" else None
    create_module = staticmethod(lambda spec: None)
    exec_module = staticmethod(lambda module: setattr(module, "name", "b"))
def install():
    sys.meta_path.append(Finder)
`,
		"c-nspkg.pth": "import sys, types, os;p = os.path.join(sys._getframe(1).f_locals['sitedir'], *('lib_c',));" +
			"m = sys.modules.setdefault('lib_c', types.ModuleType('lib_c'));m.__path__ = [p]\n",
		"lib_c/d.py": "name = 'd'\n",
	} {
		path := filepath.Join(site[0], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := `import io, os, sys, warnings, lib_a, lib_b, lib_c.d
left = [n for n in sys.modules if "sallyport" in n] + sys.warnoptions + [f for f in warnings.filters if "Line" in str(f[2])]
print(lib_a.name, lib_b.name, lib_c.d.name, getattr(os, "ran", None), type(io.open_code).__name__, left)`
	for found, want := range map[bool]string{true: "a b d None", false: "a b d 2"} {
		b := newBare(t, nil)
		b.executable, b.chosen = filepath.Join(env, "bin", "python3"), !found
		s := sandboxtest.Spec("python", program)
		s.Grant = sandboxtest.Interpreter() // the environment is where programs write, too
		res := b.run(t, s)
		if got := strings.TrimSpace(string(res.Stdout)); got != want+" builtin_function_or_method []" || len(res.Stderr) > 0 {
			t.Errorf("found %v: %q %q %+v, want %q", found, got, res.Stderr, res.Violations, want)
		}
	}
	if argv := runner.Found([]string{"node"}, "javascript"); len(argv) != 1 {
		t.Errorf("node: %q", argv)
	}
}
