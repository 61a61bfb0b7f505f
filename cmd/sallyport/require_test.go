package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// requireRunsc reports whether runsc is on PATH. Where it is not, the tests
// that need it are left out, unless REQUIRE_RUNSC says that this is a failure.
func requireRunsc(t testing.TB) bool {
	t.Helper()
	_, err := exec.LookPath("runsc")
	if err != nil && os.Getenv("REQUIRE_RUNSC") != "" {
		t.Fatal("REQUIRE_RUNSC is set and there is no runsc on PATH: make build")
	}
	return err == nil
}

// requireOCI is the path of the supervisor on PATH, where there is runc beside
// it; without either "", unless REQUIRE_OCI says that this is a failure.
func requireOCI(t testing.TB) string {
	t.Helper()
	_, rerr := exec.LookPath("runc")
	guest, gerr := exec.LookPath("sallyport-guest")
	mounts, merr := os.ReadFile("/proc/self/mountinfo")
	if merr == nil && !strings.Contains(string(mounts), " - cgroup") {
		merr = errors.New("no control groups are mounted, without which runc starts nothing")
	}
	if err := errors.Join(rerr, gerr, merr); err != nil {
		if os.Getenv("REQUIRE_OCI") != "" {
			t.Fatalf("REQUIRE_OCI is set: %v: make build, scripts/need test", err)
		}
		return ""
	}
	return guest
}

// requireRoot reports whether the test runs as root.
func requireRoot(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_ROOT") != "" {
		t.Fatal("REQUIRE_ROOT is set and this is not root")
	}
	return os.Geteuid() == 0
}

func mustAbs(t *testing.T, p string) string {
	t.Helper()
	abs, err := filepath.Abs(p)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func asExit(err error, target **exec.ExitError) bool { return errors.As(err, target) }

func itoa(n int) string { return strconv.Itoa(n) }

// requirePython reports whether there is a python3 to run scripts with.
func requirePython(t *testing.T) bool {
	t.Helper()
	_, err := exec.LookPath("python3")
	if err != nil && os.Getenv("REQUIRE_PYTHON") != "" {
		t.Fatal("REQUIRE_PYTHON is set and there is no python3 on PATH")
	}
	return err == nil
}
