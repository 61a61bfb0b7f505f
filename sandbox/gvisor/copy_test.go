package gvisor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// vandal does to a mount whatever can be done to it.
const vandal = `
import os, sys
top = sys.argv[1]
print(open(top + "/deep/in.txt").read())
for link in ("out", "absolute", "up", "deep/root"):
    try:
        print("read", link, open(os.path.join(top, link)).read())
    except OSError:
        pass
    try:
        open(os.path.join(top, link), "w").write("vandal")
    except OSError:
        pass
def change(f, *args):
    try:
        f(*args)
    except OSError as e:
        print(f.__name__, e)
def write(path, mode):
    with open(path, mode) as f:
        f.write("vandal")
change(write, top + "/locked.txt", "w")
change(write, top + "/deep/in.txt", "a")
change(write, top + "/deep/new.txt", "x")
change(os.truncate, top + "/deep/long.txt", 1)
change(os.rename, top + "/deep/long.txt", top + "/deep/moved.txt")
change(os.chmod, top + "/deep/new.txt", 0o600)
change(os.mkdir, top + "/dir")
change(os.unlink, top + "/gone.txt")
print(open(top + "/deep/in.txt").read(), os.path.exists(top + "/gone.txt"))
n = 0
try:
    for i in range(100):
        with open(top + "/fill%d" % i, "wb") as f:
            f.write(b"x" * (1 << 20))
        n += 1
except OSError:
    pass
print("held" if n < 40 else n)`

// TestWritableMount lets a program do what it wants in its copy, and wants the
// operator's directory as it was.
func TestWritableMount(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	outside := filepath.Join(b.opts.StateDir, "outside.txt")
	dir := filepath.Join(b.opts.StateDir, "project")
	err := errors.Join(os.WriteFile(outside, []byte("outside"), 0o666), os.MkdirAll(filepath.Join(dir, "deep"), 0o755),
		os.WriteFile(filepath.Join(dir, "deep/in.txt"), []byte("in"), 0o644), os.WriteFile(filepath.Join(dir, "locked.txt"), []byte("locked"), 0o400),
		os.WriteFile(filepath.Join(dir, "deep/long.txt"), []byte("long"), 0o644), os.WriteFile(filepath.Join(dir, "gone.txt"), nil, 0o644),
		os.Symlink("../outside.txt", filepath.Join(dir, "out")), os.Symlink(outside, filepath.Join(dir, "absolute")),
		os.Symlink("..", filepath.Join(dir, "up")), os.Symlink("/", filepath.Join(dir, "deep/root")), unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, b.opts.StateDir)
	for _, target := range []string{"/project", "/workspace/project"} {
		s := sandboxtest.Spec("python", vandal)
		s.Args, s.Grant = []string{target}, sandbox.Grant{sandbox.CapabilityFiles} // where its links lead, too
		s.Limits.DiskBytes = 64 << 20
		s.Runtime.Mounts = []sandbox.Mount{{Source: dir, Target: target, Writable: true}}
		res, err := b.Run(context.Background(), s)
		if want := "in\ninvandal False\nheld\n"; err != nil || string(res.Stdout) != want || slices.ContainsFunc(res.Artifacts, func(f sandbox.File) bool { return f.Path != "outside.txt" }) {
			t.Errorf("%s: %v, %q, want %q, artifacts %v, %s", target, err, res.Stdout, want, res.Artifacts, res.Stderr)
		}
	}
	b.boxes.Settled()
	if diff := cmp.Diff(before, snapshot(t, b.opts.StateDir)); diff != "" {
		t.Errorf("the directory was changed, or something was left: %s", diff)
	}
}

// snapshot returns what is in a directory, but for what all sandboxes share.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if strings.HasPrefix(name, "root-") || name == "interpreters.json" {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		}
		found[name] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
