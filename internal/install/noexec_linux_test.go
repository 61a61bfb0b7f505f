package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test does its work in a mount namespace, as a process of its own.
func TestNoexec(t *testing.T) {
	if dir := os.Getenv("TEST_NOEXEC"); dir != "" {
		if err := startable(filepath.Join(dir, "not", "there")); err == nil || !strings.Contains(err.Error(), "mounted noexec") {
			t.Errorf("a directory below a file system that is mounted noexec: %v", err)
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	if err := startable(filepath.Join(dir, "not", "there")); err != nil {
		t.Errorf("an ordinary directory: %v", err)
	}
	if os.Getuid() != 0 {
		if os.Getenv("REQUIRE_ROOT") == "1" {
			t.Fatal("not root")
		}
		t.Skip("only root can mount")
	}
	const script = `mount -t tmpfs -o noexec none "$1" && TEST_NOEXEC=$1 exec "$0" -test.run '^TestNoexec$' -test.v`
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", script, os.Args[0], dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestNoexec") {
		t.Errorf("%v\n%s", err, out)
	}
}
