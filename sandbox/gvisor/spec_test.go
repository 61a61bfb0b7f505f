package gvisor

import (
	"path/filepath"
	"testing"

	"sallyport/internal/golden"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/sandboxtest"
)

// TestSpecGolden pins the whole isolation posture.
func TestSpecGolden(t *testing.T) {
	python := rootfs.Interpreter{Root: "/root-fs", Language: "python", Executable: "/opt/python/bin/python3.12", Mounts: []string{"/opt/python", "/usr/lib"}}
	node := rootfs.Interpreter{Root: "/root-fs", Language: "javascript", Executable: "/usr/bin/node", Mounts: []string{"/usr/bin/node", "/usr/lib"}}
	packed := node
	packed.Image = "/state/image-of-node.erofs"
	boxed := rootfs.Interpreter{Language: "python", Executable: "/usr/bin/python3.12", Root: "/root-of-image",
		Binds: []rootfs.Graft{{Source: "/cache/root/usr/lib", Target: "/usr/lib"}, {Source: "/cache/root/usr/bin/python3.12", Target: "/usr/bin/python3.12"}}}
	for _, tt := range []struct {
		name string
		in   rootfs.Interpreter
		edit func(*sandbox.Spec)
	}{
		{"python", python, func(*sandbox.Spec) {}},
		{"image", boxed, func(*sandbox.Spec) {}},
		{"javascript", node, func(*sandbox.Spec) {}},
		{"packed", packed, func(*sandbox.Spec) {}},
		{"process", python, func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }},
		{"limits", node, func(s *sandbox.Spec) {
			s.Limits = sandbox.Limits{Memory: 64 << 20, Pids: 3, FileBytes: 1000, DiskBytes: 8 << 20}
			s.Runtime.Env = []string{"TZ=UTC"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sandboxtest.Spec(tt.in.Language, "1")
			s.Limits = sandbox.Limits{}
			tt.edit(&s)
			golden.HoldJSON(t, filepath.Join("testdata", tt.name+".json"), ociSpec(tt.in, s))
		})
	}
}
