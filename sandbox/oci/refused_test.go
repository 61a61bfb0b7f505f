package oci

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/internal/executable"
	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestRuntimeRefused: what is no runtime that can be used is refused when the
// backend is made, for one reason each, with what would mend it.
func TestRuntimeRefused(t *testing.T) {
	script := func(name, body string) func(*testing.T) string {
		return func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), name)
			if err := executable.Write(path, []byte("#!/bin/sh\n"+body+"\n")); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	for _, tt := range []struct {
		name    string
		runtime func(*testing.T) string
		want    []string
	}{
		{"none", func(*testing.T) string { return "" }, []string{"no OCI runtime is configured", "sandbox.runtime"}},
		{"relative", func(*testing.T) string { return "bin/runc" }, []string{"not an absolute path"}},
		{"missing", func(*testing.T) string { return "/nosuch/runc" }, []string{"does not say its version", "no such file"}},
		{"shim of containerd", script("containerd-shim-kata-v2", "exit 0"), []string{"a shim of containerd", "sandbox.engine.runtime", "backend docker"}},
		{"Kata Containers 2", script("kata-runtime", `[ "$1" = --version ] && { echo "kata-runtime  : 3.2.0"; exit 0; }; echo "No help topic for run" >&2; exit 3`),
			[]string{"kata-runtime 3.2.0", "has no command that runs a bundle", "sandbox.engine.runtime"}},
		{"gVisor", script("runsc", "echo runsc version release-20260101.0"), []string{"gVisor, which has a backend of its own"}},
		{"silent", script("quiet", "exit 0"), []string{"is no OCI runtime"}},
		{"fails", script("fails", "echo broken >&2; exit 1"), []string{"does not say its version", "broken"}},
		{"starts nothing", script("lies", `case "$1" in --version) echo lies version 1;; run) echo "--bundle";; *) echo "cannot start" >&2; exit 1;; esac`),
			[]string{"lies 1 starts no container here", "cannot start"}},
		{"says that it started", script("claims", `case "$1" in --version) echo claims version 1;; run) echo "--bundle";; esac`),
			[]string{"claims 1 starts no container here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			requireUser(t)
			dir := t.TempDir()
			_, err := New(Options{Runtime: tt.runtime(t), Guest: guest, StateDir: dir})
			if !errors.Is(err, sandbox.ErrUnavailable) {
				t.Fatalf("New = %v, want ErrUnavailable", err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error()+": "+hint.Fix(err), w) {
					t.Errorf("New = %v: %s, want %q", err, hint.Fix(err), w)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "live-*")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// TestGuestRefused: a supervisor that is none.
func TestGuestRefused(t *testing.T) {
	for _, path := range []string{"", "sallyport-guest", "/nosuch", "/etc/passwd"} {
		o := options(t, "runc")
		o.Guest = path
		if _, err := New(o); !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "supervisor") {
			t.Errorf("%q: New = %v", path, err)
		}
	}
}

// TestRefused wants a spec refused before anything starts, for one reason each.
func TestRefused(t *testing.T) {
	b := open(t, options(t, "runc"))
	for name, edit := range map[string]func(*sandbox.Spec){
		"no permit":     func(s *sandbox.Spec) { s.Permit = nil },
		"other code":    func(s *sandbox.Spec) { s.Code += " " },
		"language":      func(s *sandbox.Spec) { s.Language = "perl" },
		"goal":          func(s *sandbox.Spec) { s.Goal = "" },
		"control":       func(s *sandbox.Spec) { s.Require = []sandbox.Control{"gravity"} },
		"file outside":  func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "../x"}} },
		"file for main": func(s *sandbox.Spec) { s.Files = []sandbox.File{{Path: "main.py"}} },
		"writable mount": func(s *sandbox.Spec) {
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/srv", Target: "/data", Writable: true}}
		},
		"mount of ours":  func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/usr", Target: "/etc"}} },
		"no such mount":  func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/nosuch", Target: "/data"}} },
		"no image cache": func(s *sandbox.Spec) { s.Runtime.Image = "python@sha256:" + strings.Repeat("0", 64) },
	} {
		t.Run(name, func(t *testing.T) {
			s := sandboxtest.Spec("python", "print(1)")
			edit(&s)
			if _, err := b.Run(t.Context(), s); !errors.Is(err, sandbox.ErrRefused) {
				t.Errorf("Run = %v, want ErrRefused", err)
			}
		})
	}
	s := sandboxtest.Spec("python", "print(1)")
	s.Require = slices.Sorted(maps.Keys(b.Describe().Controls))
	if r := run(t, b, s); string(r.Stdout) != "1\n" {
		t.Errorf("with all of %q: %s %s", s.Require, r.Reason, r.Stderr)
	}
}
