package oci

import (
	"path/filepath"
	"testing"

	"sallyport/internal/golden"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/sandboxtest"
)

// TestPosture pins everything that the runtime and the supervisor are asked to
// do. A change of these files is a change of the isolation.
func TestPosture(t *testing.T) {
	python := rootfs.Interpreter{Language: "python", Executable: "/opt/python/bin/python3.12", Root: "/root-fs", Mounts: []string{"/opt/python", "/usr/lib"}}
	node := rootfs.Interpreter{Language: "javascript", Executable: "/usr/bin/node", Root: "/root-fs", Mounts: []string{"/usr/bin/node", "/usr/lib"}}
	boxed := rootfs.Interpreter{Language: "python", Executable: "/usr/bin/python3.12", Root: "/root-of-image",
		Binds: []rootfs.Graft{{Source: "/cache/root/usr/lib", Target: "/usr/lib"}, {Source: "/cache/root/usr/bin/python3.12", Target: "/usr/bin/python3.12"}}}
	for _, tt := range []struct {
		name string
		in   rootfs.Interpreter
		edit func(*sandbox.Spec, *posture)
	}{
		{"python", python, func(*sandbox.Spec, *posture) {}},
		{"javascript", node, func(*sandbox.Spec, *posture) {}},
		{"image", boxed, func(*sandbox.Spec, *posture) {}},
		{"process", python, func(s *sandbox.Spec, _ *posture) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }},
		{"watched", python, func(_ *sandbox.Spec, p *posture) { p.Cgroup = false }},
		{"egress", python, func(s *sandbox.Spec, _ *posture) {
			s.Grant, s.Egress = sandbox.Grant{sandbox.CapabilityNetwork}, &sandbox.Egress{CA: []byte("whom to trust"), Ports: []int{80, 443, 8443}}
		}},
		{"rootless", python, func(_ *sandbox.Spec, p *posture) {
			p.Cgroup, p.Mapping = false, []ids{{0, 1000, 1000}, {runner.Nobody, 100000, 200000}}
		}},
		{"limits", node, func(s *sandbox.Spec, p *posture) {
			p.CPUs = 0.5
			s.Limits = sandbox.Limits{Memory: 64 << 20, Pids: 3, FileBytes: 1000, DiskBytes: 8 << 20}
			s.Runtime.Env = []string{"TZ=UTC"}
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/srv/data", Target: "/data"}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, p := sandboxtest.Spec(tt.in.Language, "1"), posture{Guest: "/usr/bin/sallyport-guest", CPUs: 1, Cgroup: true}
			s.Limits = sandbox.Limits{}
			tt.edit(&s, &p)
			golden.HoldJSON(t, filepath.Join("testdata", tt.name+".json"),
				map[string]any{"spec": ociSpec(tt.in, s, p), "start": start(tt.in, s, p), "rules": supervised.Rules(s)})
		})
	}
}
