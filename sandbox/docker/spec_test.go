package docker

import (
	"path/filepath"
	"testing"
	"time"

	"sallyport/internal/golden"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/sandboxtest"
)

// full is an engine that enforces everything.
func full() posture {
	return posture{
		Image: "sha256:0123", CPUs: 1, CgroupMemory: true, CgroupPids: true, CgroupCPU: true,
		Labels: map[string]string{labelOwner: "1@2"},
	}
}

// TestPosture pins everything that the engine and the supervisor are asked to
// do. A change of these files is a change of the isolation.
func TestPosture(t *testing.T) {
	for _, tt := range []struct {
		name     string
		language string
		edit     func(*sandbox.Spec, *posture)
	}{
		{"python", "python", func(*sandbox.Spec, *posture) {}},
		{"javascript", "javascript", func(*sandbox.Spec, *posture) {}},
		{"process", "python", func(s *sandbox.Spec, _ *posture) { s.Grant = sandbox.Grant{sandbox.CapabilityProcess} }},
		{"limits", "python", func(s *sandbox.Spec, p *posture) {
			p.CPUs = 0.5
			s.Limits = sandbox.Limits{Wall: time.Second, CPU: 2 * time.Second, Memory: 64 << 20, Pids: 7, OutputBytes: 8, FileBytes: 9, DiskBytes: 1 << 20, ArtifactBytes: 11, ArtifactCount: 12}
		}},
		{"gvisor", "python", func(_ *sandbox.Spec, p *posture) { p.Runtime, p.Gvisor = "runsc", true }},
		{"podman", "python", func(_ *sandbox.Spec, p *posture) { p.Podman = true }},
		{"rootless", "python", func(_ *sandbox.Spec, p *posture) {
			p.Podman, p.CgroupMemory, p.CgroupPids, p.CgroupCPU = true, false, false, false
		}},
		{"egress", "python", func(s *sandbox.Spec, _ *posture) {
			s.Grant, s.Egress = sandbox.Grant{sandbox.CapabilityNetwork}, &sandbox.Egress{CA: []byte("whom to trust"), Ports: []int{80, 443, 8443}}
		}},
		{"mounts", "python", func(s *sandbox.Spec, _ *posture) {
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/srv/data", Target: "/data"}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, p := sandboxtest.Spec(tt.language, "code"), full()
			s.Limits = sandbox.Limits{}
			tt.edit(&s, &p)
			golden.HoldJSON(t, filepath.Join("testdata", tt.name+".json"), map[string]any{
				"config": config(p), "host_config": hostConfig(s, p), "start": start(s, p), "rules": supervised.Rules(s),
			})
		})
	}
}
