package gvisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/sandboxtest"
)

// newImageBackend is a backend with a cache of images.
func newImageBackend(t testing.TB) *Backend {
	t.Helper()
	return newBackendWith(t, func(o *Options) {
		images, err := image.NewStore(image.Options{Dir: filepath.Join(o.StateDir, "images")})
		if err != nil {
			t.Fatal(err)
		}
		o.Images = images
	})
}

// TestImage runs what needs an image, with one that is made once. The suite is part
// of it, but for limits, which know nothing of a root file system.
func TestImage(t *testing.T) {
	t.Parallel()
	root := sandboxtest.NewRoot(t)
	name := sandboxtest.Saved(t, root)
	b := newImageBackend(t)
	t.Run("Conformance", func(t *testing.T) {
		sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Runtime: sandbox.Runtime{Image: name}, Only: sandboxtest.Unlimited(), Share: share(1)})
	})
	t.Run("Egress", func(t *testing.T) {
		sandboxtest.Egress(t, b, sandboxtest.Options{Runtime: sandbox.Runtime{Image: name}, Only: []string{"allowed", "whom it trusts", "names"}}, sandboxtest.WayInKernel)
	})
	t.Run("Directory", func(t *testing.T) { testDirectory(t, b, root) })
	t.Run("Runtime", func(t *testing.T) { testImageRuntime(t, b, root, name) })
	t.Run("Warm", func(t *testing.T) { testImageWarm(t, b, name) })
	t.Run("HidesPrograms", func(t *testing.T) { testHidesPrograms(t, b, name) })
	t.Run("Mount", func(t *testing.T) { testImageMount(t, b, root) })
	t.Run("Refused", func(t *testing.T) { testImageRefused(t, b, root) })
	t.Run("VirtualEnvironment", func(t *testing.T) { testVirtualEnvironment(t, b, root) }) // adds to root
}

// TestImageRootless runs the parts as an ordinary user that users have a part
// in.
func TestImageRootless(t *testing.T) {
	t.Parallel()
	unprivileged(t, "^TestImage$/^(Runtime|Warm|HidesPrograms|Mount)$")
}

// testDirectory runs a part of the suite with a plain directory as root file
// system, and wants it unchanged after that.
func testDirectory(t *testing.T, b *Backend, root string) {
	before := listing(t, root)
	var rows []string
	for _, r := range sandboxtest.Rows() {
		switch r.Control {
		case sandbox.ControlHostFiles, sandbox.ControlReadOnly, sandbox.ControlProcess, sandbox.ControlUser:
			if !r.Within {
				rows = append(rows, r.Name) // what a root file system has a part in
			}
		}
	}
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Runtime: sandbox.Runtime{Image: "dir:" + root}, Only: rows})
	if after := listing(t, root); !slices.Equal(before, after) {
		t.Errorf("the directory was changed: %d entries before, %d after", len(before), len(after))
	}
}

func listing(t *testing.T, root string) (out []string) {
	t.Helper()
	if err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		out = append(out, fmt.Sprint(p, info.Mode(), info.Size()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// testImageRuntime wants the result to say what ran: the digest of the image,
// and the version that its interpreter gives.
func testImageRuntime(t *testing.T, b *Backend, root, name string) {
	for language, code := range map[string]string{
		"python":     "import sys; print('%d.%d.%d' % sys.version_info[:3], sys.executable)",
		"javascript": "console.log(process.versions.node, process.execPath)",
	} {
		s := sandboxtest.Spec(language, code)
		for _, image := range []string{name, "dir:" + root} {
			s.Runtime.Image = image
			res, err := b.Run(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := res.Runtime.Version+" "+res.Runtime.Interpreter+"\n", string(res.Stdout); got != want || len(res.Runtime.SHA256) != 64 {
				t.Errorf("%s: runtime %+v, the program says %q %s", image, res.Runtime, want, res.Stderr)
			}
			data, err := os.ReadFile(filepath.Join(root, res.Runtime.Interpreter))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			file := hex.EncodeToString(sum[:])
			if isDir := strings.HasPrefix(image, "dir:"); isDir != (res.Runtime.SHA256 == file) {
				t.Errorf("%s: hash %s, that of the file is %s", image, res.Runtime.SHA256, file)
			}
		}
	}
}

// testImageWarm wants sandboxes of an image that wait.
func testImageWarm(t *testing.T, b *Backend, name string) {
	b.opts.Warm = 1
	b.boxes = newKeeper(b, b.opts)
	defer func() {
		if err := b.boxes.Close(); err != nil {
			t.Error(err)
		}
		b.opts.Warm = 0
		b.boxes = newKeeper(b, b.opts)
	}()
	s := sandboxtest.Spec("python", "import json; print(json.dumps([1]))")
	s.Runtime.Image = name
	for range 2 {
		if err := b.Warm(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		in, err := b.interpreter(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		config, err := b.config(in, s, true)
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := b.boxes.Take(context.Background(), config, func(context.Context) (*box, error) {
			return nil, errors.New("none waits for what the run asks for")
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Warm(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		res, err := b.Run(context.Background(), s)
		if err != nil || string(res.Stdout) != "[1]\n" {
			t.Errorf("%v: %q %s", err, res.Stdout, res.Stderr)
		}
	}
}

// hiddenPrograms looks for programs to start, and starts them.
const hiddenPrograms = `
import os, subprocess, sys
for p in ("/usr/bin/true", "/usr/local/bin/true", "/bin/true", "/true"):
    try:
        print("started", p, subprocess.run([p]).returncode)
    except OSError:
        pass
for d in ("/usr/bin", "/bin", "/usr/local/bin"):
    for name in os.listdir(d) if os.path.isdir(d) else []:
        if not os.path.join(d, name).endswith(os.path.basename(sys.executable)):
            print("there is", d, name)
print("held")`

// testHidesPrograms wants no other program of an image in sight where
// none may be started: also without the filter that refuses to start one.
func testHidesPrograms(t *testing.T, b *Backend, name string) {
	weak := variant{Backend: b, removal: removal{spec: func(s *specs.Spec) {
		for _, name := range []string{"execve", "fork", "vfork", "clone", "clone3"} {
			unfiltered(s, name)
		}
	}}}
	s := sandboxtest.Spec("python", hiddenPrograms)
	s.Observe = true // what is below the hooks is looked at
	s.Runtime.Image = name
	res, err := weak.Run(context.Background(), s)
	if err != nil || string(res.Stdout) != "held\n" {
		t.Errorf("%v: %s%s", err, res.Stdout, res.Stderr)
	}
	s.Grant = sandbox.Grant{sandbox.CapabilityProcess}
	res, err = weak.Run(context.Background(), s)
	for _, want := range []string{"started /usr/bin/true 0\n", "started /usr/local/bin/true 0\n", "started /true 0\n"} {
		if err != nil || !strings.Contains(string(res.Stdout), want) {
			t.Errorf("where processes are allowed, no %q: %v: %s%s", want, err, res.Stdout, res.Stderr)
		}
	}
}

// testVirtualEnvironment wants an interpreter that was named by its link
// in a virtual environment to be that of the environment.
func testVirtualEnvironment(t *testing.T, b *Backend, root string) {
	python, err := filepath.EvalSymlinks(filepath.Join(root, "usr/bin/python3"))
	if err != nil {
		t.Fatal(err)
	}
	inside := "/usr/bin/" + filepath.Base(python)
	site := filepath.Join(root, "opt/venv/lib", filepath.Base(python), "site-packages")
	if err := errors.Join(
		os.MkdirAll(site, 0o755), os.MkdirAll(filepath.Join(root, "opt/venv/bin"), 0o755),
		os.WriteFile(filepath.Join(site, "mine.py"), []byte("x = 42"), 0o644),
		os.WriteFile(filepath.Join(root, "opt/venv/pyvenv.cfg"), []byte("home = /usr/bin\n"), 0o644),
		os.Symlink(inside, filepath.Join(root, "opt/venv/bin/python3")),
	); err != nil {
		t.Fatal(err)
	}
	for _, grant := range []sandbox.Grant{nil, {sandbox.CapabilityProcess}} {
		s := sandboxtest.Spec("python", "import mine, sys; print(mine.x, sys.prefix)")
		s.Runtime = sandbox.Runtime{Image: "dir:" + root, Interpreter: "/opt/venv/bin/python3"}
		s.Grant = grant
		res, err := b.Run(context.Background(), s)
		if err != nil || string(res.Stdout) != "42 /opt/venv\n" || res.Runtime.Interpreter != "/opt/venv/bin/python3" {
			t.Errorf("%v: %+v %s%s", err, res.Runtime, res.Stdout, res.Stderr)
		}
	}
}

// testImageMount wants the operator's directories beside an image's own, and
// nothing made inside of the image for them.
func testImageMount(t *testing.T, b *Backend, root string) {
	data := t.TempDir()
	if err := errors.Join(os.Chmod(data, 0o755), os.WriteFile(filepath.Join(data, "in.csv"), []byte("a,b"), 0o644)); err != nil {
		t.Fatal(err)
	}
	s := sandboxtest.Spec("python", "import sys; print(open(sys.argv[1] + '/in.csv').read())")
	for target, want := range map[string]string{"/data": "", "/opt/tools": "", "/opt/new": "nothing is made inside of an image"} {
		s.Args, s.Seen.Paths = []string{target}, []string{target}
		s.Runtime = sandbox.Runtime{Image: "dir:" + root, Mounts: []sandbox.Mount{{Source: data, Target: target}}}
		res, err := b.Run(context.Background(), s)
		if want == "" && (err != nil || string(res.Stdout) != "a,b\n") || want != "" && (!errors.Is(err, sandbox.ErrRefused) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v: %s%s", target, err, res.Stdout, res.Stderr)
		}
	}
}

// testImageRefused wants a root file system refused for one reason each.
func testImageRefused(t *testing.T, b *Backend, root string) {
	file := filepath.Join(root, "usr/file")
	open := filepath.Join(t.TempDir(), "open")
	link := filepath.Join(t.TempDir(), "link")
	empty := t.TempDir()
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.MkdirAll(filepath.Join(open, "root"), 0o755), os.Chmod(open, 0o777), os.Symlink(root, link)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, image, interpreter string
		want                     error
		words                    string
	}{
		{"tag", "python:3.12", "", sandbox.ErrRefused, "named by a tag"},
		{"not fetched", "python@sha256:" + strings.Repeat("0", 64), "", image.ErrAbsent, "has not been fetched"},
		{"no such archive", "docker-archive:/nosuch.tar", "", sandbox.ErrUnavailable, "no such file"},
		{"relative directory", "dir:root", "", sandbox.ErrRefused, "not a clean absolute path"},
		{"root of the host", "dir:/", "", sandbox.ErrRefused, "not a clean absolute path"},
		{"no such directory", "dir:/nosuch", "", sandbox.ErrRefused, "no such file"},
		{"file", "dir:" + file, "", sandbox.ErrRefused, "is not a directory"},
		{"link", "dir:" + link, "", sandbox.ErrRefused, "is not a directory"},
		{"others can write", "dir:" + open, "", sandbox.ErrRefused, "anybody can write to"},
		{"others can write above", "dir:" + open + "/root", "", sandbox.ErrRefused, "anybody can write to"},
		{"no interpreter", "dir:" + empty, "", sandbox.ErrUnavailable, "there is no python on its search path"},
		{"no such interpreter", "dir:" + root, "/usr/bin/nosuch", sandbox.ErrUnavailable, "is not a program that everybody may start"},
		{"interpreter of the host", "dir:" + root, "/../../../../../../usr/bin/apt-get", sandbox.ErrUnavailable, "is not a program"},
		{"no interpreter but a program", "dir:" + root, "/usr/bin/true", sandbox.ErrUnavailable, "it does not start"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sandboxtest.Spec("python", "print(1)")
			s.Runtime = sandbox.Runtime{Image: tt.image, Interpreter: tt.interpreter}
			if _, err := b.Run(context.Background(), s); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("Run = %v, want %v, %q", err, tt.want, tt.words)
			}
		})
	}
	t.Run("no cache", func(t *testing.T) {
		s := sandboxtest.Spec("python", "print(1)")
		s.Runtime.Image = sandboxtest.Saved(t, empty)
		if _, err := newTestBackend(t).Run(context.Background(), s); !errors.Is(err, sandbox.ErrRefused) {
			t.Errorf("Run = %v, want ErrRefused", err)
		}
	})
}
