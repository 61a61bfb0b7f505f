package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sallyport/config"
	"sallyport/gate"
)

// What every part opened is closed, the last first, whichever of them fails,
// and where the gate itself cannot be made.
func TestClosesWhatPartsOpened(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	const parts = 4
	for failing := range parts + 2 { // the last two: the gate fails, nothing does
		var open []int
		var list []func(*Opened, *gate.Options) error
		for i := range parts {
			list = append(list, func(o *Opened, _ *gate.Options) error {
				if i == failing {
					return broken
				}
				open = append(open, i)
				o.closers = append(o.closers, func() error {
					if open[len(open)-1] != i {
						t.Errorf("part %d is closed before %d", i, open[len(open)-1])
					}
					open = open[:len(open)-1]
					return nil
				})
				return nil
			})
		}
		s := With(config.Config{}, Options{})
		if failing > parts {
			list = append(list, s.openPolicy, discard)
		}
		o, err := s.open(nil, list...)
		switch {
		case failing < parts && !errors.Is(err, broken), (err == nil) != (failing > parts):
			t.Errorf("part %d fails: %v", failing, err)
		case err == nil:
			if len(open) != parts {
				t.Errorf("%d parts are open, want %d", len(open), parts)
			}
			if err := errors.Join(o.Close(), o.Close()); err != nil {
				t.Error(err)
			}
		}
		if len(open) > 0 {
			t.Errorf("part %d fails: %v stay open", failing, open)
		}
	}
}

// A closer that fails keeps none of the others from closing.
func TestClosesBehindAnError(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	var closed, warned int
	one := func(err error) func() error { return func() error { closed++; return err } }
	o := &Opened{closers: []func() error{one(first), one(nil), one(second)}, warn: func(string, ...any) { warned++ }}
	if err := o.Close(); !errors.Is(err, first) || !errors.Is(err, second) || closed != 3 || warned != 2 {
		t.Errorf("%v; %d closed, %d warnings", err, closed, warned)
	}
}

// TestNothingStaysOpen opens the real parts, breaks them one at a time, and
// looks at the process: at its files, and at the goroutines of telemetry. It
// looks at the whole of it, so that it runs alone.
func TestNothingStaysOpen(t *testing.T) {
	noFile := func(c *config.Config, dir string) { c.Audit.Dir = filepath.Join(dir, "no-directory", "log") }
	for _, way := range []struct {
		name    string
		open    func(*Setup, ...Edit) (*Opened, error)
		sandbox bool
		breaks  func(c *config.Config, dir string)
		edit    Edit
	}{
		{name: "look", open: (*Setup).Look},
		{name: "judge", open: (*Setup).Judge},
		{name: "run", open: (*Setup).Run, sandbox: true},
		{name: "look without a gate", open: (*Setup).Look, edit: func(g *gate.Options) { g.Policy = nil }},
		{name: "judge without a gate", open: (*Setup).Judge, edit: func(g *gate.Options) { g.Policy = nil }},
		{name: "run without a gate", open: (*Setup).Run, sandbox: true, edit: func(g *gate.Options) { g.Policy = nil }},
		{name: "no policy", open: (*Setup).Run, breaks: func(c *config.Config, _ string) { c.Policy.Packs = []string{"nowhere"} }},
		{name: "no collector", open: (*Setup).Run, breaks: func(c *config.Config, _ string) { c.Telemetry.OTLP.Endpoint = "nowhere" }},
		{name: "no backend", open: (*Setup).Run, breaks: func(c *config.Config, _ string) { c.Sandbox.Backend = "nowhere" }},
		{name: "no environment", open: (*Setup).Run, sandbox: true, breaks: func(c *config.Config, dir string) {
			c.Environments = map[string]config.Environment{"default": {Python: config.Toolchain{Lock: filepath.Join(dir, "no.lock")}}}
		}},
		{name: "judge without a log", open: (*Setup).Judge, breaks: noFile},
		{name: "run without a log", open: (*Setup).Run, sandbox: true, breaks: noFile},
	} {
		t.Run(way.name, func(t *testing.T) {
			dir := shortDir(t)
			cfg := config.Config{}
			cfg.Telemetry.OTLP.Endpoint = "http://127.0.0.1:1"
			if way.sandbox {
				cfg.Sandbox.Runsc = requireRunsc(t)
			}
			if err := os.WriteFile(filepath.Join(dir, "no-directory"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if way.breaks != nil {
				way.breaks(&cfg, dir)
			}
			s := With(cfg, Options{Env: func(name string) (string, bool) {
				v, ok := map[string]string{"HOME": dir, "XDG_STATE_HOME": dir, "PATH": os.Getenv("PATH")}[name]
				return v, ok
			}})
			o, err := way.open(s, way.edit)
			if wants := way.breaks == nil && way.edit == nil; (err == nil) != wants {
				t.Fatalf("opened with %v", err)
			}
			if err == nil {
				if o.Telemetry == nil || way.name != "look" && held(t, dir) == nil {
					t.Error("nothing is open: this test sees nothing")
				}
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}
			if left := held(t, dir); left != nil {
				t.Errorf("stay open: %s", left)
			}
		})
	}
}

// held is what this process holds: files below a directory, and telemetry, as
// far as its goroutine has begun; what one row leaves the next one sees.
func held(t *testing.T, dir string) (held []string) {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir) {
			held = append(held, to)
		}
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if strings.Contains(string(stacks), "sallyport/telemetry.") {
		held = append(held, "telemetry")
	}
	slices.Sort(held)
	return held
}

// shortDir is a directory whose name leaves room for the paths of sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "sp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func requireRunsc(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("runsc")
	if err != nil {
		if os.Getenv("REQUIRE_RUNSC") != "" {
			t.Fatal("REQUIRE_RUNSC is set and there is no runsc on PATH: make build")
		}
		t.Skip(fmt.Sprint("no runsc: ", err))
	}
	return path
}
