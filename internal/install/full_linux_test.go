package install

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/config"
	"sallyport/internal/hint"
)

// A build that finds no room says so, whichever of its steps meets that, and
// leaves nothing. It works in a mount namespace, as a process of its own.
func TestBuildOnFullDisk(t *testing.T) {
	if dir := os.Getenv("TEST_FULL"); dir != "" {
		buildOnFullDisk(t, dir, os.Getenv("TEST_LOCK"))
		return
	}
	t.Parallel()
	if os.Getuid() != 0 {
		if os.Getenv("REQUIRE_ROOT") == "1" {
			t.Fatal("not root")
		}
		t.Skip("only root can mount")
	}
	if err := exec.Command("python3", "-I", "-m", "pip", "--version").Run(); err != nil {
		if os.Getenv("REQUIRE_PYTHON") == "1" {
			t.Fatalf("python3 has no pip: %v", err)
		}
		t.Skip("requires python3 with pip")
	}
	for _, tt := range []struct{ step, options, says string }{
		{"its directory", "nr_inodes=1", "no space left on device"},
		{"the virtual environment", "size=4k", "the disk is full"},
		{"the packages", "size=256k", "pip: the disk is full"},
		{"what is compiled", "size=1m", "compiling the packages: the disk is full"},
		{"nothing", "size=8m", ""},
	} {
		t.Run(tt.step, func(t *testing.T) {
			t.Parallel()
			const script = `mount -t tmpfs -o "$2" none "$1" && TEST_FULL=$1 exec "$0" -test.run '^TestBuildOnFullDisk$' -test.v`
			cmd := exec.Command("unshare", "--mount", "sh", "-c", script, os.Args[0], t.TempDir(), tt.options)
			cmd.Env = append(os.Environ(), "TEST_LOCK="+bigLock(t), "TEST_SAYS="+tt.says)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestBuildOnFullDisk") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func buildOnFullDisk(t *testing.T, dir, lock string) {
	store := filepath.Join(dir, "sallyport", "env")
	environments := map[string]config.Environment{"big": {Python: config.Toolchain{Lock: lock}}}
	s := With(config.Config{Environments: environments}, Options{Output: io.Discard, Env: func(name string) (string, bool) {
		if name == "XDG_DATA_HOME" {
			return dir, true
		}
		return os.LookupEnv(name)
	}})
	err := s.buildOne(t.Context(), store, "big", "python", environments["big"].Python)
	says := os.Getenv("TEST_SAYS")
	if says == "" {
		if err != nil {
			t.Errorf("with room enough: %v", err)
		}
		return
	}
	err = fullDisk(err, store)
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(hint.Fix(err), "make room below "+store) {
		t.Errorf("%v (%s), want %q", err, hint.Fix(err), says)
	}
	if left, _ := os.ReadDir(store); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// bigLock is the lock of a package of half a megabyte, which is as large again
// when it is compiled.
func bigLock(t *testing.T) string {
	dir := t.TempDir()
	path := filepath.Join(dir, "big-1.0-py3-none-any.whl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, sum := zip.NewWriter(f), sha256.New()
	for _, file := range [][2]string{
		{"big.py", "X = '" + strings.Repeat("x", 512<<10) + "'\n"},
		{"big-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: big\nVersion: 1.0\n"},
		{"big-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"big-1.0.dist-info/RECORD", "big.py,,\n"},
	} {
		w, err := z.Create(file[0])
		if err == nil {
			_, err = io.WriteString(w, file[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "big.lock")
	text := fmt.Sprintf("--no-index\n--find-links %s\nbig==1.0 --hash=sha256:%x\n", dir, sum.Sum(nil))
	if err := os.WriteFile(lock, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return lock
}
