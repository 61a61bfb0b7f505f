package gvisor

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestPacked runs programs from an image of their interpreter, where nothing else of
// the host's is to be seen, and from mounts where something is.
func TestPacked(t *testing.T) {
	t.Parallel()
	b := newBackendWith(t, func(o *Options) { o.Warm = 1 })
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		edit func(*sandbox.Spec)
		want bool
	}{
		"nothing granted":    {func(*sandbox.Spec) {}, true},
		"code from text":     {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityCodeEval} }, true},
		"processes":          {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }, false},
		"native code":        {func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityNative} }, false},
		"observed":           {func(s *sandbox.Spec) { s.Observe = true }, false},
		"a mount":            {func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: dir, Target: "/data"}} }, false},
		"Python, with files": {func(s *sandbox.Spec) { s.Language = "python" }, false},
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
	b := newBackendWith(t, func(o *Options) { o.Warm = 1 })
	for language, want := range map[string]int{"javascript": 0, "python": 1} {
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

// TestUpgradedInService changes an interpreter while sandboxes with it wait: the
// next program runs in the new one.
func TestUpgradedInService(t *testing.T) {
	t.Parallel()
	b := newBackendWith(t, func(o *Options) { o.Warm = 1 })
	found, err := b.interpreter(t.Context(), sandboxtest.Spec("javascript", ""))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/var/tmp", "node") // a sandbox has a /tmp of its own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(dir, "bin", "node")
	install := func(more string) int64 {
		t.Helper()
		from, err := os.Open(found.Executable)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		if err := os.MkdirAll(filepath.Dir(node), 0o755); err != nil {
			t.Fatal(err)
		}
		to, err := os.OpenFile(node+".new", os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		if _, err := io.Copy(to, from); err != nil {
			t.Fatal(err)
		}
		if _, err := to.WriteString(more); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(node+".new", node); err != nil {
			t.Fatal(err)
		}
		info, err := to.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	for _, version := range []string{"", "newer"} {
		size := install(version)
		for range 2 { // the second in a sandbox that waited
			s := sandboxtest.Spec("javascript", `console.log(require("fs").statSync(process.execPath).size)`)
			s.Runtime.Interpreter = node
			if err := b.Warm(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			in, err := b.interpreter(t.Context(), s)
			if err != nil || in.Image == "" {
				t.Fatalf("from an image: %q, %v", in.Image, err)
			}
			res, err := b.Run(t.Context(), s)
			if err != nil || strings.TrimSpace(string(res.Stdout)) != fmt.Sprint(size) {
				t.Errorf("version %q: %v, %s, %q, want %d; %s", version, err, res.Reason, res.Stdout, size, res.Stderr)
			}
		}
	}
}
