package gvisor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/internal/executable"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// systemPython has few enough files for an image, whatever else is installed.
const systemPython = "/usr/bin/python3"

// newPacker returns a backend that packs interpreters into images, which it does only
// where the disk has room.
func newPacker(t *testing.T, python string) *Backend {
	t.Helper()
	b := newBackendWith(t, func(o *Options) { o.Warm, o.Python = 1, python })
	var disk unix.Statfs_t
	if err := unix.Statfs(b.dir, &disk); err != nil {
		t.Fatal(err)
	}
	if free := int64(disk.Bavail) * disk.Bsize; free < 2<<30 {
		t.Fatalf("%d MiB are free in %s, too few for an image of an interpreter", free>>20, b.dir)
	}
	return b
}

// TestPacked runs programs from an image of their interpreter, where nothing else of
// the host's is to be seen, and from mounts where something is.
func TestPacked(t *testing.T) {
	t.Parallel()
	b := newPacker(t, systemPython)
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		edit func(*sandbox.Spec)
		want bool
	}{
		"nothing granted": {func(*sandbox.Spec) {}, true},
		"code from text":  {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityCodeEval} }, true},
		"processes":       {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }, false},
		"native code":     {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityNative} }, false},
		"observed":        {func(s *sandbox.Spec) { s.Observe = true }, false},
		"a mount":         {func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: dir, Target: "/data"}} }, false},
		"Python":          {func(s *sandbox.Spec) { s.Language = "python" }, true},
	} {
		s := sandboxtest.Spec("javascript", "1")
		tt.edit(&s)
		in, err := b.interpreter(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Image != ""; got != tt.want {
			t.Errorf("%s: from an image: %v, want %v", name, got, tt.want)
		}
	}
}

// TestPackedHasNoGofer: no process of gVisor's serves files to a sandbox that needs
// none of the host's.
func TestPackedHasNoGofer(t *testing.T) {
	t.Parallel()
	b := newPacker(t, systemPython)
	for language, want := range map[string]int{"javascript": 0, "python": 0} {
		s := sandboxtest.Spec(language, "")
		in, err := b.interpreter(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.fresh(t.Context(), in, s)
		if err != nil {
			t.Fatal(err)
		}
		gofers := 0
		for p := range marked(c.id) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
			if strings.HasPrefix(string(line), "runsc-gofer\x00") {
				gofers++
			}
		}
		if gofers != want {
			t.Errorf("%s has %d gofers, want %d", language, gofers, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPackedSeesTheSame runs a program from an image and with everything mounted: the
// same modules come, and the same files are there but for other libraries of the system.
func TestPackedSeesTheSame(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Spec("python", `
import importlib.util, locale, os, platform, sys, warnings, zoneinfo
warnings.simplefilter("ignore")
failed = []
for name in sorted(sys.stdlib_module_names - {"antigravity", "this", "idlelib", "turtledemo"}):
    try:
        __import__(name)
    except BaseException as e:
        failed.append(name + ": " + type(e).__name__)
print(failed)
print(sys.path, [len(os.listdir(p)) for p in sys.path if os.path.isdir(p)])
print(len(zoneinfo.available_timezones()), platform.freedesktop_os_release()["ID"], locale.setlocale(locale.LC_ALL, "C.UTF-8"))
compiled = open(importlib.util.cache_from_source(platform.__file__), "rb").read(12)
print(int(os.stat(platform.__file__).st_mtime) == int.from_bytes(compiled[8:], "little"))`)
	s.Grant = sandbox.Grant{sandbox.CapabilityCodeLoad, sandbox.CapabilityCodeEval, sandbox.CapabilityIntrospection, sandbox.CapabilityEnvironment, sandbox.CapabilityFiles}
	s.Limits.Wall = 2 * time.Minute
	said := map[bool]string{}
	for _, b := range []*Backend{newBackendWith(t, func(o *Options) { o.Python = systemPython }), newPacker(t, systemPython)} {
		in, err := b.interpreter(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		res, err := b.Run(t.Context(), s)
		if err != nil || res.Reason != sandbox.Exited || res.Exit != 0 {
			t.Fatalf("%v, %+v", err, res)
		}
		said[in.Image != ""] = string(res.Stdout)
	}
	if said[true] == "" || said[true] != said[false] {
		t.Errorf("from an image:\n%s\nmounted:\n%s", said[true], said[false])
	}
}

// TestUpgradedInService changes an interpreter while sandboxes with it wait: the
// next program runs in the new one.
func TestUpgradedInService(t *testing.T) {
	t.Parallel()
	b := newPacker(t, "")
	found, err := b.interpreter(t.Context(), sandboxtest.Spec("javascript", ""))
	if err != nil {
		t.Fatal(err)
	}
	dir := sharedDir(t)
	node := filepath.Join(dir, "bin", "node")
	program, err := os.ReadFile(found.Executable)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(node), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"", "newer"} {
		program = append(program, version...)
		if err := errors.Join(executable.Write(node+".new", program), os.Rename(node+".new", node)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second in a sandbox that waited
			s := sandboxtest.Spec("javascript", `console.log(require("fs").statSync(process.execPath).size)`)
			s.Runtime.Interpreter = node
			if err := b.Warm(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			wantFromImage(t, b, s, fmt.Sprintln(len(program)))
		}
	}
}

// TestEditedInService changes a module of an environment while sandboxes with it wait.
func TestEditedInService(t *testing.T) {
	t.Parallel()
	b := newPacker(t, "")
	dir := sharedDir(t)
	if out, err := exec.Command(systemPython, "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lib, err := filepath.Glob(dir + "/lib/python3*/site-packages")
	if err != nil || len(lib) != 1 {
		t.Fatal(lib, err)
	}
	s := sandboxtest.Spec("python", "import edited; print(edited.text)")
	s.Runtime.Interpreter = dir + "/bin/python3"
	for _, text := range []string{"first", "second"} {
		if err := os.WriteFile(lib[0]+"/edited.py", []byte(fmt.Sprintf("text = %q", text)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []bool{false, true} {
			if wait {
				if err := b.Warm(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			wantFromImage(t, b, s, text+"\n")
		}
	}
}

// wantFromImage wants a program to start from an image, and to print what is wanted.
func wantFromImage(t *testing.T, b *Backend, s sandbox.Spec, want string) {
	t.Helper()
	in, err := b.interpreter(t.Context(), s)
	if err != nil || in.Image == "" {
		t.Fatalf("from an image: %q, %v", in.Image, err)
	}
	res, err := b.Run(t.Context(), s)
	if err != nil || string(res.Stdout) != want {
		t.Errorf("%v, %s, %q, want %q; %s", err, res.Reason, res.Stdout, want, res.Stderr)
	}
}

// sharedDir is a directory that programs can see: a sandbox has a /tmp of its own.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
