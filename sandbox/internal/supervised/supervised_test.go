package supervised

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/supervised/wire"
)

// TestIdentityOnce: nothing that comes later can pass for the interpreter.
func TestIdentityOnce(t *testing.T) {
	c := &Conversation{}
	say := func(body string) error { return c.take(wire.Identity, int64(len(body)), strings.NewReader(body)) }
	if err := say(`{"path":"/usr/bin/python3.11","version":"Python 3.11.2"}`); err != nil {
		t.Fatal(err)
	}
	if err := say(`{"path":"/evil","version":"Python 9"}`); err == nil {
		t.Error("a second word on the interpreter was taken")
	}
	if got := (sandbox.RuntimeUsed{Interpreter: "/usr/bin/python3.11", Version: "3.11.2"}); c.Used() != got {
		t.Errorf("Used() = %+v, want %+v", c.Used(), got)
	}
	if err := (&Conversation{}).take(wire.Identity, maxIdentity+1, strings.NewReader("")); err == nil {
		t.Error("a word without end was taken")
	}
}

// TestZeroSpecIsTightest: a spec that grants nothing lets nothing through.
func TestZeroSpecIsTightest(t *testing.T) {
	if got := Start(sandbox.Spec{Language: "python"}, "python3", Outside{}).Guard; got.AllowProcess {
		t.Error("a spec without a grant may start processes")
	}
	if got := Start(sandbox.Spec{Language: "python", Grant: sandbox.Grant{sandbox.CapabilityProcess}}, "python3", Outside{}).Guard; !got.AllowProcess {
		t.Error("a spec that grants it may not start processes")
	}
}

// TestPathsAreTheHosts: the supervisor does not know package sandbox.
func TestPathsAreTheHosts(t *testing.T) {
	if wire.MaxPath != sandbox.MaxPath {
		t.Errorf("the supervisor sends paths of %d bytes, the host takes %d", wire.MaxPath, sandbox.MaxPath)
	}
}

// TestEarly: whoever ended before its program came says why, as far as it can.
func TestEarly(t *testing.T) {
	for want, c := range map[string]*Conversation{
		"its supervisor ended without a word: EOF": {err: io.EOF},
		"a way out: address already in use":        {final: &wire.Final{Error: "a way out: address already in use"}},
		"it was killed by signal 31":               {final: &wire.Final{Signal: 31}},
		"it ended with exit code 127":              {final: &wire.Final{Exit: 127}},
	} {
		c.answers = make(chan string)
		close(c.answers)
		if _, err := c.answer(t.Context(), time.Hour); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestStopped: a run that was stopped from outside is told from one that we ended
// at the same time.
func TestStopped(t *testing.T) {
	c := &Conversation{box: noBox{}, o: Options{Backend: sandbox.Description{Name: "docker"}}, final: &wire.Final{Signal: 9, Limit: wire.Stopped}, answers: make(chan string), files: evidence.NewFiles(sandbox.Limits{})}
	close(c.answers)
	if _, err := c.result(t.Context(), sandbox.Spec{}, "", 0); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("stopped from outside: %v", err)
	}
	if r, err := c.result(t.Context(), sandbox.Spec{}, sandbox.TimedOut, 0); err != nil || r.Reason != sandbox.TimedOut {
		t.Errorf("ended by us: %+v, %v", r, err)
	}
}

func TestEnding(t *testing.T) {
	l := sandbox.Limits{}.WithDefaults()
	for _, tt := range []struct {
		name   string
		final  wire.Final
		reason sandbox.Reason
		exit   int
		signal int
	}{
		{"exit", wire.Final{Exit: 3}, sandbox.Exited, 3, 0},
		{"signal", wire.Final{Signal: 6}, sandbox.Killed, 0, 6},
		{"aborted at the heap's limit", wire.Final{Signal: 6, PeakMemory: l.Memory}, sandbox.Memory, 0, 0},
		{"killed by itself", wire.Final{Signal: 9}, sandbox.Killed, 0, 9},
		{"killed for memory", wire.Final{Signal: 9, OOMKills: 1}, sandbox.Memory, 0, 0},
		{"survived a child killed for memory", wire.Final{Exit: 0, OOMKills: 1}, sandbox.Exited, 0, 0},
		{"claims to be out of CPU", wire.Final{Signal: 24}, sandbox.Killed, 0, 24},
		{"out of CPU", wire.Final{Signal: 24, CPUMicros: l.CPU.Microseconds()}, sandbox.CPU, 0, 0},
		{"watched limit", wire.Final{Signal: 9, Limit: "pids"}, sandbox.Pids, 0, 0},
		{"too many threads", wire.Final{Exit: 1, ForksDenied: 4}, sandbox.Pids, 1, 0},
		{"too many threads and fine", wire.Final{ForksDenied: 4}, sandbox.Exited, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reason, exit, signal := ending(tt.final, l, "javascript")
			if reason != tt.reason || exit != tt.exit || signal != tt.signal {
				t.Errorf("ending() = %s %d %d, want %s %d %d", reason, exit, signal, tt.reason, tt.exit, tt.signal)
			}
		})
	}
}
