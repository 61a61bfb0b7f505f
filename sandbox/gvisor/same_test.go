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
	b := newTestBackend(t)
	b.opts.Warm = 2
	b.pool = newPool(b, b.opts)
	sandboxtest.Same(t, waited{b}, func(t *testing.T, s sandbox.Spec) sandboxtest.Bare {
		in, err := b.interpreter(context.Background(), s)
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

// warm waits for a sandbox that waits.
type waited struct{ *Backend }

func (w waited) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := w.Warm(ctx, s); err != nil {
		return sandbox.Result{}, err
	}
	return w.Backend.Run(ctx, s)
}
