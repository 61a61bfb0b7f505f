package oci

import (
	"os/exec"
	"path/filepath"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestSameAsBare runs programs in a container that waited and bare, and wants
// the same output, errors and exit codes.
func TestSameAsBare(t *testing.T) {
	t.Parallel()
	o := options(t, "runc")
	b := open(t, o)
	sandboxtest.Same(t, 1, func(t *testing.T, s sandbox.Spec) sandboxtest.Bare {
		in, err := b.roots.Find(t.Context(), s, s.Grant.Has(sandbox.CapabilityProcess))
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return sandboxtest.Bare{Cmd: exec.Command(in.Executable), Outside: dir, Inside: dir}
	}, variant{Backend: b, warm: true})
}

// TestConformanceWarm runs the suite on containers that waited, but for limits: they
// have the same supervisor and the same bundle.
func TestConformanceWarm(t *testing.T) {
	t.Parallel()
	b := open(t, options(t, "runc"))
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return variant{Backend: b, warm: true} }, sandboxtest.Options{Only: sandboxtest.Unlimited(), Share: sandboxtest.Supervisor.Warm()})
	if r := run(t, b, sandboxtest.Spec("python", "print(1)")); r.Runtime.Version == "" || r.Runtime.SHA256 == "" {
		t.Errorf("runtime %+v", r.Runtime)
	}
}
