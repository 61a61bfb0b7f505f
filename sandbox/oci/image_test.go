package oci

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/image"
	"sallyport/sandbox/sandboxtest"
)

// TestImage runs programs in an image that is unpacked once, and in a plain
// directory: of either the result says what ran, and nothing is made in them.
func TestImage(t *testing.T) {
	t.Parallel()
	root := sandboxtest.NewRoot(t)
	saved := sandboxtest.Saved(t, root)
	each(t, func(t *testing.T, o Options) {
		images, err := image.NewStore(image.Options{Dir: filepath.Join(o.StateDir, "images")})
		if err != nil {
			t.Fatal(err)
		}
		o.Images = images
		b := open(t, o)
		for language, code := range map[string]string{
			"python":     "import sys, os; print('%d.%d.%d' % sys.version_info[:3], sys.executable, os.path.exists('/usr/bin/true'))",
			"javascript": "console.log(process.versions.node, process.execPath, require('fs').existsSync('/usr/bin/true') ? 'True' : 'False')",
		} {
			for _, name := range []string{saved, "dir:" + root} {
				s := sandboxtest.Spec(language, code)
				s.Runtime.Image = name
				r := run(t, b, s)
				if want := r.Runtime.Version + " " + r.Runtime.Interpreter + " False\n"; string(r.Stdout) != want || len(r.Runtime.SHA256) != 64 {
					t.Errorf("%.20s: %q, want %q; %+v %s", name, r.Stdout, want, r.Runtime, r.Stderr)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(root, ".sallyport")); err == nil {
			t.Error("something was made in the directory")
		}
		var rows []string
		for _, r := range sandboxtest.Rows() {
			switch r.Control {
			case sandbox.ControlHostFiles, sandbox.ControlReadOnly, sandbox.ControlProcess, sandbox.ControlUser:
				if !r.Within {
					rows = append(rows, r.Name) // what a root file system has a part in
				}
			}
		}
		sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{Runtime: sandbox.Runtime{Image: saved}, Only: rows})
		sandboxtest.Egress(t, b, sandboxtest.Options{Runtime: sandbox.Runtime{Image: saved}, Only: []string{"allowed", "whom it trusts", "names"}}, sandboxtest.WaySupervised)

		s := sandboxtest.Spec("python", "print(1)")
		s.Runtime.Image, s.Runtime.Interpreter = "dir:"+root, "/usr/bin/true"
		if _, err := b.Run(t.Context(), s); !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "it does not start") {
			t.Errorf("a program that is no interpreter: %v", err)
		}
	})
}

// TestMount wants an operator's directory there to be read and not to be
// written, also inside of the work directory.
func TestMount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(filepath.Join(dir, "in.csv"), []byte("a,b"), 0o666)); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, o Options) {
		b := open(t, o)
		for _, target := range []string{"/data", "/workspace/data"} {
			s := sandboxtest.Spec("python", `
import sys
print(open(sys.argv[1] + "/in.csv").read())
for mode in ("a", "x"):
    try:
        open(sys.argv[1] + ("/in.csv" if mode == "a" else "/new"), mode)
        print("opened for", mode)
    except OSError:
        pass`)
			s.Args, s.Seen.Paths = []string{target}, []string{target}
			s.Runtime.Mounts = []sandbox.Mount{{Source: dir, Target: target}}
			if r := run(t, b, s); string(r.Stdout) != "a,b\n" {
				t.Errorf("%s: %q, artifacts %v, %s", target, r.Stdout, r.Artifacts, r.Stderr)
			}
		}
	})
}
