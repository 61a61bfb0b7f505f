package gvisor

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// requireMatplotlib returns a Python that has matplotlib.
func requireMatplotlib(t testing.TB) string {
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
		t.Fatalf("%v, %s %d, %q, %s, %v", err, res.Reason, res.Exit, res.Stdout, res.Stderr, res.Violations)
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

// TestFiguresOfCells has figures and tables come back that a cell of a session
// comes to, or has drawn.
func TestFiguresOfCells(t *testing.T) {
	t.Parallel()
	python := requireMatplotlib(t)
	c := sandboxtest.Converse(t, newTestBackend(t), "python")
	c.Edit = func(s *sandbox.Spec) { s.Runtime.Interpreter, s.Limits.Memory = python, 1<<30 }
	says := func(cell, stdout string, files ...string) {
		t.Helper()
		res := c.Say(cell)
		var got []string
		for _, f := range res.Artifacts {
			got = append(got, f.Path+" "+f.MediaType)
		}
		if string(res.Stdout) != stdout || !slices.Equal(got, files) || res.Exit != 0 {
			t.Errorf("cell %q: %q, %q %s", cell, res.Stdout, got, res.Stderr)
		}
	}
	says("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nNone", "", "figure-1.png image/png")
	says("fig", "", "figure-2.png image/png")
	says("plt.figure()", "", "figure-3.png image/png")
	says("plt.plot([1]); plt.show()", "", "figure-4.png image/png")
	if exec.Command(python, "-c", "import pandas").Run() == nil {
		says("import pandas as pd\npd.DataFrame({c * 30: [1] for c in 'abcd'})", "   "+strings.Join([]string{strings.Repeat("a", 30), strings.Repeat("b", 30), strings.Repeat("c", 30), strings.Repeat("d", 30)}, "  ")+
			"\n0"+strings.Repeat(strings.Repeat(" ", 31)+"1", 4)+"\n")
	}
	if exec.Command(python, "-c", "import plotly").Run() == nil {
		says("import plotly.graph_objects as go\np = go.Figure(go.Bar(y=[1, 2]))\np", "", "plotly-1.html text/html; charset=utf-8")
		says("p.show()", "", "plotly-2.html text/html; charset=utf-8")
	}
}
