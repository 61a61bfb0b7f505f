package sandboxtest

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// NewRoot makes a small root file system with both languages of this machine's
// own files, as images/ does it inside of a container, and a few programs that
// nobody should be able to start.
func NewRoot(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	for _, program := range []string{"python3", "node"} {
		requireProgram(t, "/usr/bin/"+program)
		cmd := exec.Command("sh", cmp.Or(os.Getenv("COLLECT"), "../../images/collect.sh"), program, dir)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("collecting %s: %v\n%s", program, err, out)
		}
	}
	for _, p := range []string{"usr/bin/true", "usr/local/bin/true", "opt/tools/true", "true"} {
		CopyProgram(t, "/usr/bin/true", filepath.Join(dir, p))
	}
	if err := os.WriteFile(filepath.Join(dir, "etc", "passwd"), []byte("stranger:x:1000:1000::/:\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// CopyProgram copies a program that is to be started. Another process writes it:
// one that this process starts meanwhile would hold the file open, and no program
// starts that somebody may write to.
func CopyProgram(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("install", "-D", "-m", "755", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// requireProgram skips what needs a program of the system that is not there.
func requireProgram(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	if os.Getenv("REQUIRE_PYTHON") == "1" && os.Getenv("REQUIRE_NODE") == "1" {
		t.Fatalf("REQUIRE_PYTHON=1, REQUIRE_NODE=1: no %s", path)
	}
	t.Skipf("requires %s: apt-get install -y python3 nodejs", path)
}

// Saved packs a root file system as `docker save` would.
func Saved(t testing.TB, root string) string {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	if err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		to, _ := os.Readlink(p) // "" for what is no link
		h, err := tar.FileInfoHeader(info, to)
		if err != nil {
			return err
		}
		if h.Name, err = filepath.Rel(root, p); err != nil {
			return err
		}
		if err := w.WriteHeader(h); err != nil || h.Typeflag != tar.TypeReg {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(layer.Bytes())
	config, err := json.Marshal(map[string]any{
		"os": "linux", "architecture": runtime.GOARCH,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w = tar.NewWriter(f)
	for name, data := range map[string][]byte{"manifest.json": []byte(`[{"Config":"c.json","Layers":["l.tar"]}]`), "c.json": config, "l.tar": layer.Bytes()} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return "docker-archive:" + file
}
