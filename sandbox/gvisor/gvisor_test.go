package gvisor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"sallyport/sandbox"
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

func newTestBackend(t testing.TB) *Backend {
	t.Helper()
	dir, err := os.MkdirTemp("", "sp")
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: dir, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestHello(t *testing.T) {
	b := newTestBackend(t)
	for _, tt := range []struct{ language, code, want string }{
		{"python", "print(6*7)", "42\n"},
		{"javascript", "console.log(6*7)", "42\n"},
	} {
		for range 3 {
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
}

func TestConformance(t *testing.T) {
	b := newTestBackend(t)
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{})
}

// TestConformanceWarm runs the suite on sandboxes that waited.
func TestConformanceWarm(t *testing.T) {
	b := newTestBackend(t)
	b.opts.Warm = 1
	b.pool = newPool(b, b.opts)
	sandboxtest.Run(t, func(t *testing.T) sandbox.Backend { return warm{b, t} }, sandboxtest.Options{})
}

// warm waits for the pool before each run, so that the run is a warm one.
type warm struct {
	*Backend
	t *testing.T
}

func (w warm) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := w.Warm(ctx, s); err != nil {
		w.t.Fatal(err)
	}
	return w.Backend.Run(ctx, s)
}

// TestRootless runs the tests of this package again as an ordinary user.
func TestRootless(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("already an ordinary user")
		return
	}
	dir, err := os.MkdirTemp("", "unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{self: "test", requireRunsc(t): "runsc"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tmp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Mkdir(tmp, 0o700), os.Chown(tmp, nobody, nobody), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "test"), "-test.v", "-test.timeout=5m", "-test.run=^(TestHello|TestConformance|TestReap|TestViolations|TestVictim)$")
	cmd.Dir = tmp
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp, "RUNSC=" + filepath.Join(dir, "runsc"), "REQUIRE_RUNSC=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
