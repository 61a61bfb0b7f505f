package oci

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
	"sallyport/sandbox/supervised"
)

// TestSameAsBare runs programs in a container that waited and bare, and wants
// the same output, errors and exit codes.
func TestSameAsBare(t *testing.T) {
	o := options(t, "runc")
	o.Warm = 2
	b := open(t, o)
	sandboxtest.Same(t, warm{b}, func(t *testing.T, s sandbox.Spec) sandboxtest.Bare {
		in, err := b.roots.Find(t.Context(), s, !supervised.DeniesProcess(s))
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return sandboxtest.Bare{Cmd: exec.Command(in.Executable), Outside: dir, Inside: dir}
	})
}

// warm waits for a container that waits, so that the run is a warm one.
type warm struct{ *Backend }

func (w warm) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := w.Warm(ctx, s); err != nil {
		return sandbox.Result{}, err
	}
	return w.Backend.Run(ctx, s)
}

// TestConformanceWarm runs the suite on containers that waited.
func TestConformanceWarm(t *testing.T) {
	o := options(t, "runc")
	o.Warm = 1
	b := open(t, o)
	var rows []string
	for _, r := range sandboxtest.Rows() {
		switch r.Control {
		case sandbox.ControlWall, sandbox.ControlCPU, sandbox.ControlMemory, sandbox.ControlPids, sandbox.ControlDisk:
			// The same supervisor and the same bundle as without waiting.
		default:
			rows = append(rows, r.Name)
		}
	}
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return warm{b} }, sandboxtest.Options{Only: rows})
	if r := run(t, b, sandboxtest.Spec("python", "print(1)")); r.Runtime.Version == "" || r.Runtime.SHA256 == "" {
		t.Errorf("runtime %+v", r.Runtime)
	}
}
