package gvisor

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestSameAsBare runs programs in a sandbox that waited and bare, and wants
// the same output, errors and exit codes.
func TestSameAsBare(t *testing.T) {
	t.Parallel()
	b := newTestBackend(t)
	sandboxtest.Same(t, 2, func(t *testing.T, s sandbox.Spec) sandboxtest.Bare {
		in, err := b.interpreter(context.Background(), s)
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
