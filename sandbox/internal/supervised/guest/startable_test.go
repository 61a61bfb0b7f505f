//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"sallyport/internal/executable"
)

// TestNotStartable: what is below a writable directory cannot be started, by its
// own name or through a link; everything beside it can.
func TestNotStartable(t *testing.T) {
	if !landlocks() {
		if os.Getenv("REQUIRE_LANDLOCK") == "1" {
			t.Fatal("REQUIRE_LANDLOCK=1: this kernel has no Landlock")
		}
		t.Skip("this kernel has no Landlock")
	}
	dir, beside := t.TempDir(), t.TempDir()
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	written, other, link := filepath.Join(dir, "x"), filepath.Join(beside, "x"), filepath.Join(beside, "link")
	for _, path := range []string{written, other} {
		if err := executable.Write(path, program); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(written, link); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	started := func(path string) error { return exec.Command(path).Run() }
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the rule
		defer close(errs)
		errs <- started(written)
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Error(err)
		}
		if err := notStartable([]string{dir}); err != nil {
			t.Error(err)
		}
		for _, path := range []string{written, link, other, "/bin/true"} {
			errs <- started(path)
		}
	}()
	for _, want := range []bool{true, false, false, true, true} {
		if err := <-errs; (err == nil) != want || !want && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("started: %v; want %t", err, want)
		}
	}
}

// Others may take away what stands beside a writable directory while we look.
func TestGoneMeanwhile(t *testing.T) {
	if err := permit(-1, filepath.Join(t.TempDir(), "gone")); err != nil {
		t.Error(err)
	}
}

// The address that a cluster gives its pods is tried, whatever the host knows.
func TestService(t *testing.T) {
	env := map[string]string{"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
	if got := service(func(name string) string { return env[name] }); len(got) != 1 || got[0] != "[fd00::1]:443" {
		t.Errorf("%q", got)
	}
	if got := service(func(string) string { return "" }); got != nil {
		t.Errorf("%q", got)
	}
}
