package docker

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestSameAsBare runs programs in containers, those that start for them and
// those that waited, and with the same images' interpreters bare.
func TestSameAsBare(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	roots := map[string]string{}
	for language, image := range o.Images {
		roots[language] = unpackImage(t, o, image)
	}
	bare := func(t *testing.T, s sandbox.Spec) sandboxtest.Bare {
		root := roots[s.Language]
		outside, err := os.MkdirTemp(filepath.Join(root, "tmp"), "program")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(outside, 0o777); err != nil {
			t.Fatal(err)
		}
		name := map[string]string{"python": "/usr/bin/python3", "javascript": "/usr/bin/node"}[s.Language]
		return sandboxtest.Bare{
			Cmd: &exec.Cmd{Path: name, Args: []string{name}, SysProcAttr: &syscall.SysProcAttr{
				Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534},
			}},
			Outside: outside, Inside: "/tmp/" + filepath.Base(outside),
		}
	}
	cold := open(t, o)
	sandboxtest.Same(t, 0, bare, cold, variant{Backend: cold, warm: true})
}

// unpackImage makes a directory of an image, with what every process expects.
func unpackImage(t *testing.T, o Options, image string) string {
	t.Helper()
	requireRoot(t)
	root, err := os.MkdirTemp("", "image")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Unmount(filepath.Join(root, "proc"), syscall.MNT_DETACH)
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	made := exec.Command("sh", "-c", `set -e
id=$(docker -H "$1" create --network=none "$2"); docker -H "$1" export "$id" | tar -x -C "$3"; docker -H "$1" rm "$id"`, "sh", o.Host, image, root)
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("unpacking %s: %v: %s", image, err, out)
	}
	null := filepath.Join(root, "dev", "null")
	err = errors.Join(
		os.MkdirAll(filepath.Join(root, "tmp"), 0o777), os.Chmod(filepath.Join(root, "tmp"), 0o777), os.Chmod(root, 0o755),
		os.MkdirAll(filepath.Join(root, "proc"), 0o755), os.MkdirAll(filepath.Join(root, "dev"), 0o755),
		syscall.Mount("proc", filepath.Join(root, "proc"), "proc", 0, ""),
		os.RemoveAll(null), syscall.Mknod(null, syscall.S_IFCHR|0o666, 1<<8|3), os.Chmod(null, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	return root
}
