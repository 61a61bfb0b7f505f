package gvisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// requireRunsc returns the path of the runsc binary, which make builds.
func requireRunsc(t testing.TB) string {
	t.Helper()
	p := os.Getenv("RUNSC")
	if p == "" {
		p, _ = filepath.Abs("../../bin/runsc")
	}
	if _, err := os.Stat(p); err != nil {
		if os.Getenv("REQUIRE_RUNSC") == "1" {
			t.Fatalf("REQUIRE_RUNSC=1: %v", err)
		}
		t.Skipf("no runsc: %v", err)
	}
	return p
}

func newTestBackend(t testing.TB) *Backend { return newBackendWith(t, func(*Options) {}) }

// newBackendWith is a backend with options besides the usual ones.
func newBackendWith(t testing.TB, edit func(*Options)) *Backend {
	t.Helper()
	o := Options{Runsc: requireRunsc(t), StateDir: sandboxtest.ShortDir(t), Path: os.Getenv("PATH")}
	edit(&o)
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestHello(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	for _, tt := range []struct{ language, code, want string }{
		{"python", "print(6*7)", "42\n"},
		{"javascript", "console.log(6*7)", "42\n"},
	} {
		res, err := b.Run(context.Background(), sandboxtest.Spec(tt.language, tt.code))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(res.Stdout); got != tt.want || res.Reason != sandbox.Exited || res.Exit != 0 {
			t.Errorf("%s: %q %s %d, stderr %s", tt.language, got, res.Reason, res.Exit, res.Stderr)
		}
		t.Log(tt.language, res.Usage, res.Runtime)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Share: share(0)})
}

// share is a part of the rows that root, an image and an ordinary user share.
func share(part int) sandboxtest.Share { return beside(sandboxtest.Witness.Cold, part, 2) }

// beside is root's part of what parts make, or that of an ordinary user.
func beside(of func(int) sandboxtest.Share, root, user int) sandboxtest.Share {
	switch {
	case os.Geteuid() == 0:
		return of(root)
	case os.Getenv(besideRoot) != "":
		return of(user)
	}
	return sandboxtest.Share{} // nobody runs the others
}

// besideRoot says to a process of an ordinary user's that it is part of root's
// tests.
const besideRoot = "TEST_BESIDE_ROOT"

// TestConformanceWarm runs the suite on sandboxes that waited, but for limits: they
// have the same watch and the same OCI configuration. Their interpreters come from
// images.
func TestConformanceWarm(t *testing.T) {
	t.Parallel()
	b := newBackendWith(t, func(o *Options) { o.Warm, o.Python = 1, systemPython })
	for _, language := range []string{"python", "javascript"} {
		if in, err := b.interpreter(t.Context(), sandboxtest.Spec(language, "")); err != nil || in.Image == "" {
			t.Fatalf("%s has no image: %v", language, err)
		}
	}
	sandboxtest.Run(t, func(t *testing.T) sandbox.Backend { return variant{Backend: b, warm: true} }, sandboxtest.Options{Only: sandboxtest.Unlimited(), Share: sandboxtest.Witness.Warm()})
}

// TestStopLeavesNothing wants no process of a run when Run returns, however
// it was stopped.
func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	sandboxtest.StopLeavesNothing(t, b, func(stopped sandbox.Reason) {
		if left := marked(b.dir); len(left) > 0 {
			t.Errorf("after %s: processes left: %v", stopped, left)
		}
		if files, _ := filepath.Glob(filepath.Join(b.dir, "*", "*")); len(files) > 0 {
			t.Errorf("after %s: files left: %q", stopped, files)
		}
	})
}

// TestRefused wants a spec refused before anything starts, for one reason each.
func TestRefused(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	for name, edit := range map[string]func(*sandbox.Spec){
		"no permit":     func(s *sandbox.Spec) { s.Permit = nil },
		"other code":    func(s *sandbox.Spec) { s.Code += " " },
		"language":      func(s *sandbox.Spec) { s.Language = "perl" },
		"goal":          func(s *sandbox.Spec) { s.Goal = "" },
		"control":       func(s *sandbox.Spec) { s.Require = []sandbox.Control{"gravity"} },
		"file outside":  func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "../x"}} },
		"absolute file": func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "/etc/passwd"}} },
		"file for main": func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "main.py"}} },
		"the same file": func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "a"}, {Path: "a"}} },
		"writable mount": func(s *sandbox.Spec) {
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/etc/passwd", Target: "/data", Writable: true}}
		},
		"large writable mount": func(s *sandbox.Spec) {
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/usr/bin", Target: "/data", Writable: true}}
			s.Limits.DiskBytes = 1 << 20
		},
		"mount over ours": func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/usr", Target: "/etc"}} },
		"relative mount":  func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "usr", Target: "/data"}} },
		"no such mount":   func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/nosuch", Target: "/data"}} },
	} {
		t.Run(name, func(t *testing.T) {
			s := sandboxtest.Spec("python", "print(1)")
			edit(&s)
			if _, err := b.Run(context.Background(), s); !errors.Is(err, sandbox.ErrRefused) {
				t.Errorf("Run = %v, want ErrRefused", err)
			}
		})
	}
}

func TestMount(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	dir := filepath.Join(b.opts.StateDir, "data")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "in.csv"), []byte("a,b"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/data", "/workspace/data"} {
		s := sandboxtest.Spec("python", `
import sys
print(open(sys.argv[1] + "/in.csv").read())
for mode in ("a", "x"):
    try:
        open(sys.argv[1] + ("/in.csv" if mode == "a" else "/new"), mode)
        print("opened for", mode)
    except OSError:
        pass`)
		s.Args, s.Seen.Paths = []string{target}, []string{target}
		s.Runtime.Mounts = []sandbox.Mount{{Source: dir, Target: target}}
		res, err := b.Run(context.Background(), s)
		if err != nil || string(res.Stdout) != "a,b\n" || len(res.Artifacts) > 0 {
			t.Errorf("%s: %v, %q, artifacts %v, %s", target, err, res.Stdout, res.Artifacts, res.Stderr)
		}
	}
}

// TestRootless runs the tests of this package again as an ordinary user.
func TestRootless(t *testing.T) {
	t.Parallel()
	unprivileged(t, "^(TestHello|TestConformance|TestReap|TestViolations|TestVictim)$")
}

// unprivileged runs tests of this package as an ordinary user.
func unprivileged(t *testing.T, tests string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("already an ordinary user")
		return
	}
	programs := map[string]string{requireRunsc(t): "runsc", "../../images/collect.sh": "collect.sh"}
	sandboxtest.Again(t, runner.Nobody, runner.Nobody, tests, programs, func(dir string) []string {
		return []string{"PATH=" + os.Getenv("PATH"), "RUNSC=" + filepath.Join(dir, "runsc"), "REQUIRE_RUNSC=1", besideRoot + "=1", "ROWS_ALL=" + os.Getenv("ROWS_ALL"), "COLLECT=" + filepath.Join(dir, "collect.sh")}
	})
}

// TestRelativeRunsc holds that a path which would mean another file in the
// directory of a sandbox is refused when the backend is made.
func TestRelativeRunsc(t *testing.T) {
	_, err := New(Options{Runsc: "bin/runsc", StateDir: t.TempDir()})
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "not an absolute path") {
		t.Errorf("New = %v, want a refusal of the relative path", err)
	}
}

// The python3 of a virtual environment is a link to a link, such as Debian's
// /usr/bin/python3, in a directory that the sandbox does not have.
func TestVirtualEnvironmentOfLinks(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	host, err := b.interpreter(t.Context(), sandboxtest.Spec("python", ""))
	if err != nil {
		t.Fatal(err)
	}
	python, err := filepath.EvalSymlinks(host.Executable)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	linked, venv := filepath.Join(dir, "links", "python3"), filepath.Join(dir, "venv")
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(linked), 0o755), os.MkdirAll(filepath.Join(venv, "bin"), 0o755), os.Chmod(dir, 0o755),
		os.Symlink(python, linked), os.Symlink(linked, filepath.Join(venv, "bin", "python3")),
		os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), []byte("home = "+filepath.Dir(python)+"\n"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	current := filepath.Join(dir, "current") // as who changes environments often keeps them
	if err := os.Symlink("venv", current); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{venv, current} {
		s := sandboxtest.Spec("python", "import sys; print(sys.prefix)")
		s.Runtime.Interpreter = filepath.Join(at, "bin", "python3")
		res, err := b.Run(t.Context(), s)
		if err != nil || string(res.Stdout) != venv+"\n" {
			t.Errorf("%s: %v: %s%s", at, err, res.Stdout, res.Stderr)
		}
	}
}
