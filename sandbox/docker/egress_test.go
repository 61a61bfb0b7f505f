package docker

import (
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestEgress: programs that reach hosts reach those of their rules, on every
// engine and runtime.
func TestEgress(t *testing.T) {
	t.Parallel()
	all := engineOptions()
	all["rootless"] = requireRootless
	for name, options := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			way := sandboxtest.WaySupervised
			if name == "gvisor" { // which has no listener for the supervisor
				way = sandboxtest.WaySupervisedBlind
			}
			sandboxtest.Egress(t, open(t, options(t)), sandboxtest.Options{}, way)
		})
	}
}

func TestEgressWarm(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	o.Warm = 1
	sandboxtest.WarmEgress(t, open(t, o))
}
