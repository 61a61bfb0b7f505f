package gvisor

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// requireMatplotlib returns a Python that has matplotlib.
func requireMatplotlib(t *testing.T) string {
	t.Helper()
	p := os.Getenv("MATPLOTLIB_PYTHON")
	if p == "" {
		p = "/usr/bin/python3"
	}
	if err := exec.Command(p, "-c", "import matplotlib").Run(); err != nil {
		if os.Getenv("REQUIRE_MATPLOTLIB") == "1" {
			t.Fatalf("REQUIRE_MATPLOTLIB=1: %s: %v", p, err)
		}
		t.Skipf("no matplotlib: %v", err)
	}
	return p
}

func TestFigures(t *testing.T) {
	t.Parallel()
	python := requireMatplotlib(t)
	b := newTestBackend(t)
	s := sandboxtest.Spec("python", `
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]); plt.show()
plt.figure(); plt.bar([1], [2]); plt.figure(); plt.show()
plt.plot([1]); plt.savefig("own.png")
print("drawn")`)
	s.Runtime.Interpreter = python
	s.Limits.Wall = 2 * time.Minute
	res, err := b.Run(context.Background(), s)
	if err != nil || res.Reason != sandbox.Exited || string(res.Stdout) != "drawn\n" {
		t.Fatalf("%v, %s %d, %q, %s", err, res.Reason, res.Exit, res.Stdout, res.Stderr)
	}
	got := map[string]bool{}
	for _, f := range res.Artifacts {
		if f.MediaType != "image/png" || !bytes.HasPrefix(f.Data, []byte("\x89PNG")) {
			t.Errorf("%s is %s", f.Path, f.MediaType)
		}
		got[f.Path] = true
	}
	for _, want := range []string{"figure-1.png", "figure-2.png", "figure-3.png", "own.png"} {
		if !got[want] {
			t.Errorf("no %s among %v; stderr %s", want, got, res.Stderr)
		}
	}
}
