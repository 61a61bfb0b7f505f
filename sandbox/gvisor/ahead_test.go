package gvisor

import (
	"os"
	"path/filepath"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// A run takes the sandbox that was started ahead, if it is as the run asks for, and
// never another one: what that one lets through, the run does not get.
func TestAhead(t *testing.T) {
	t.Parallel()
	forks := sandboxtest.Spec("python", "import os\nprint('forked', os.fork() and 1)")
	forks.Grant = sandboxtest.Interpreter()
	loose := forks
	loose.Grant = sandbox.Capabilities()
	for _, tt := range []struct {
		name        string
		ahead, want sandbox.Spec
		left        int // boxes that nobody took
	}{
		{"alike", forks, forks, 0},
		{"looser", loose, forks, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBackendWith(t, func(o *Options) { o.Ahead = true })
			ahead := tt.ahead
			ahead.Code, ahead.SHA256, ahead.Permit = "", "", nil
			if err := b.Ahead(t.Context(), ahead); err != nil {
				t.Fatal(err)
			}
			res, err := b.Run(t.Context(), tt.want)
			if err != nil || res.Reason != sandbox.Policy || len(res.Stdout) > 0 || res.Warm {
				t.Errorf("%v, %s, %q, warm %v", err, res.Reason, res.Stdout, res.Warm)
			}
			b.boxes.Settled()
			if left, err := filepath.Glob(filepath.Join(b.dir, "*", "config.json")); err != nil || len(left) != tt.left {
				t.Errorf("%v, boxes %q, want %d", err, left, tt.left)
			}
		})
	}
}

// Close ends a box that nobody closed, also where each of the others is known to have
// left nothing.
func TestCloseOfForgotten(t *testing.T) {
	t.Parallel()
	state := sandboxtest.ShortDir(t)
	b, err := New(Options{Runsc: requireRunsc(t), StateDir: state, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	s := sandboxtest.Spec("python", "print(42)")
	if _, err := b.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	in, err := b.interpreter(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fresh(t.Context(), in, s); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := marked(b.dir); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}
