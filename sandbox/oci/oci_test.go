package oci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// guest is the supervisor under test, built once.
var guest string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if guest = os.Getenv("SALLYPORT_TEST_GUEST"); guest != "" { // a test's own process
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	guest = filepath.Join(dir, "guest")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", guest, "../internal/supervised/guest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the supervisor: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// runtimes are those that scripts/need installs for the tests.
var runtimes = []string{"runc", "crun"}

// requireRuntime is the path of a runtime. Without it, or where no control groups
// are mounted at all, without which none starts, the test is skipped, or fails
// when REQUIRE_OCI is 1.
func requireRuntime(t testing.TB, name string) string {
	t.Helper()
	missing := "no " + name + ": apt-get install -y " + name
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			continue
		}
		if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), " - cgroup") {
			return filepath.Join(dir, name)
		}
		missing = "no control groups are mounted"
	}
	if os.Getenv("REQUIRE_OCI") == "1" {
		t.Fatal("REQUIRE_OCI=1: " + missing)
	}
	t.Skip("requires an OCI runtime: " + missing)
	return ""
}

// each runs a test with every runtime that works for this user.
func each(t *testing.T, test func(t *testing.T, o Options)) {
	for _, name := range runtimes {
		t.Run(name, func(t *testing.T) {
			o := options(t, name)
			if _, err := os.Stat(unified); name == "crun" && err == nil && os.Geteuid() != 0 {
				if _, err := New(o); err == nil || !strings.Contains(err.Error(), "both versions of control groups") {
					t.Errorf("New = %v, want crun refused beside both versions of control groups", err)
				}
				return
			}
			t.Parallel()
			test(t, o)
		})
	}
}

func options(t testing.TB, name string) Options {
	t.Helper()
	requireUser(t)
	return Options{Runtime: requireRuntime(t, name), Guest: guest, StateDir: sandboxtest.ShortDir(t), Path: os.Getenv("PATH")}
}

// requireUser skips what an ordinary user without a subordinate one cannot do,
// or fails when REQUIRE_OCI is 1.
func requireUser(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if _, err := mapping(); err != nil {
		if os.Getenv("REQUIRE_OCI") == "1" {
			t.Fatalf("REQUIRE_OCI=1: %v", err)
		}
		t.Skipf("requires a subordinate user: %v", err)
	}
}

func open(t testing.TB, o Options) *Backend {
	t.Helper()
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

func run(t testing.TB, b *Backend, s sandbox.Spec) sandbox.Result {
	t.Helper()
	r, err := b.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHello(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		b := open(t, o)
		t.Log(b.Describe())
		for language, code := range map[string]string{"python": "print(6*7)", "javascript": "console.log(6*7)"} {
			r := run(t, b, sandboxtest.Spec(language, code))
			if string(r.Stdout) != "42\n" || r.Reason != sandbox.Exited || r.Exit != 0 {
				t.Errorf("%s: %s %d %q %s", language, r.Reason, r.Exit, r.Stdout, r.Stderr)
			}
			t.Log(language, r.Usage, r.Runtime, r.Enforced)
		}
	})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		b := open(t, o)
		sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Share: share(o)})
	})
}

// share is a part of the rows that the runtimes and an ordinary user share, also
// with the four engines of package docker.
func share(o Options) sandboxtest.Share { return part(o, sandboxtest.Supervisor.Cold, 4) }

// part is that of a runtime or an ordinary user in what parts make; the first is root's
// first runtime.
func part(o Options, of func(int) sandboxtest.Share, first int) sandboxtest.Share {
	switch {
	case os.Geteuid() == 0:
		return of(first + slices.Index(runtimes, filepath.Base(o.Runtime)))
	case os.Getenv("SALLYPORT_TEST_GUEST") != "": // beside root's tests
		return of(first + len(runtimes))
	}
	return sandboxtest.Share{} // nobody runs the others
}
