package docker

import (
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestEgress: programs that reach hosts reach those of their rules, on every
// engine and runtime.
func TestEgress(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		options func(testing.TB) Options
		way     sandboxtest.Way
		part    int
	}{
		"docker":   {requireDocker, sandboxtest.WaySupervised, 0},
		"podman":   {requirePodman, sandboxtest.WaySupervised, 1},
		"rootless": {requireRootless, sandboxtest.WaySupervised, 2},
		"gvisor":   {requireGvisor, sandboxtest.WaySupervisedBlind, 0}, // it has no listener for the supervisor
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandboxtest.Egress(t, open(t, e.options(t)), sandboxtest.Options{Share: e.way.Share(e.part)}, e.way)
		})
	}
}

func TestEgressWarm(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	o.Warm = 1
	sandboxtest.WarmEgress(t, open(t, o))
}
