package oci

import (
	"testing"

	"sallyport/sandbox/sandboxtest"
)

// TestEgress: programs that reach hosts reach those of their rules, with every
// runtime.
func TestEgress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o Options) {
		sandboxtest.Egress(t, open(t, o), sandboxtest.Options{Share: part(o, sandboxtest.WaySupervised.Share, 3)}, sandboxtest.WaySupervised)
	})
}

func TestEgressWarm(t *testing.T) {
	t.Parallel()
	o := options(t, runtimes[0])
	o.Warm = 1
	sandboxtest.WarmEgress(t, open(t, o))
}
