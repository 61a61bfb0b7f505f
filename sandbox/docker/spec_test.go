package docker

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/docker/wire"
	"sallyport/sandbox/runner"
	"sallyport/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "write the golden files")

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
		{"process", "python", func(s *sandbox.Spec, _ *posture) { s.Deny = []string{"network"} }},
		{"limits", "python", func(s *sandbox.Spec, p *posture) {
			p.CPUs = 0.5
			s.Limits = sandbox.Limits{Wall: time.Second, CPU: 2 * time.Second, Memory: 64 << 20, Pids: 7, OutputBytes: 8, FileBytes: 9, DiskBytes: 1 << 20, ArtifactBytes: 11, ArtifactCount: 12}
		}},
		{"gvisor", "python", func(_ *sandbox.Spec, p *posture) { p.Runtime, p.Gvisor = "runsc", true }},
		{"podman", "python", func(_ *sandbox.Spec, p *posture) { p.Podman = true }},
		{"rootless", "python", func(_ *sandbox.Spec, p *posture) {
			p.Podman, p.CgroupMemory, p.CgroupPids, p.CgroupCPU = true, false, false, false
		}},
		{"mounts", "python", func(s *sandbox.Spec, _ *posture) {
			s.Runtime.Mounts = []sandbox.Mount{{Source: "/srv/data", Target: "/data"}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, p := sandboxtest.Spec(tt.language, "code"), full()
			tt.edit(&s, &p)
			got, err := json.MarshalIndent(map[string]any{
				"config": config(p), "host_config": hostConfig(s, p), "start": start(s, p), "rules": rules(s),
			}, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".json", append(got, '\n'))
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), accept with -update:\n%s", path, diff)
	}
}

// TestZeroSpecIsTightest: a spec that names no denial gets every one.
func TestZeroSpecIsTightest(t *testing.T) {
	if got := start(sandbox.Spec{Language: "python"}, full()).Guard; got.AllowProcess {
		t.Error("a spec without Deny may start processes")
	}
	if got := start(sandbox.Spec{Language: "python", Deny: []string{"network"}}, full()).Guard; !got.AllowProcess {
		t.Error("a spec that leaves process out may not start processes")
	}
}

func TestDescriptorsAreTheRunners(t *testing.T) {
	if wire.JobFD != runner.JobFD || wire.ReportFD != runner.ReportFD {
		t.Errorf("the supervisor hands over descriptors %d and %d, the runner takes %d and %d", wire.JobFD, wire.ReportFD, runner.JobFD, runner.ReportFD)
	}
}

func TestEnding(t *testing.T) {
	l := sandbox.Limits{}.WithDefaults()
	for _, tt := range []struct {
		name   string
		final  wire.Final
		reason sandbox.Reason
		exit   int
		signal int
	}{
		{"exit", wire.Final{Exit: 3}, sandbox.Exited, 3, 0},
		{"signal", wire.Final{Signal: 6}, sandbox.Killed, 0, 6},
		{"aborted at the heap's limit", wire.Final{Signal: 6, PeakMemory: l.Memory}, sandbox.Memory, 0, 0},
		{"killed by itself", wire.Final{Signal: 9}, sandbox.Killed, 0, 9},
		{"killed for memory", wire.Final{Signal: 9, OOMKills: 1}, sandbox.Memory, 0, 0},
		{"survived a child killed for memory", wire.Final{Exit: 0, OOMKills: 1}, sandbox.Exited, 0, 0},
		{"claims to be out of CPU", wire.Final{Signal: 24}, sandbox.Killed, 0, 24},
		{"out of CPU", wire.Final{Signal: 24, CPUMicros: l.CPU.Microseconds()}, sandbox.CPU, 0, 0},
		{"watched limit", wire.Final{Signal: 9, Limit: "pids"}, sandbox.Pids, 0, 0},
		{"too many threads", wire.Final{Exit: 1, ForksDenied: 4}, sandbox.Pids, 1, 0},
		{"too many threads and fine", wire.Final{ForksDenied: 4}, sandbox.Exited, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reason, exit, signal := ending(tt.final, l, "javascript")
			if reason != tt.reason || exit != tt.exit || signal != tt.signal {
				t.Errorf("ending() = %s %d %d, want %s %d %d", reason, exit, signal, tt.reason, tt.exit, tt.signal)
			}
		})
	}
}
