package gate

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/typescript"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/policy"
	"sallyport/sandbox"
)

// sessionBackend is a fakeBackend that keeps sessions. The first line of a
// cell, a comment, says how it ends.
type sessionBackend struct {
	fakeBackend
	open int
}

func (b *sessionBackend) Begin(_ context.Context, s sandbox.Spec) (sandbox.Session, error) {
	if err := s.CheckCell(""); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	return &fakeSession{b: b}, nil
}

type fakeSession struct {
	b       *sessionBackend
	history string

	mu    sync.Mutex
	ended bool
}

func (f *fakeSession) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if f.b.edit != nil {
		f.b.edit(&s)
	}
	if err := s.CheckCell(f.history); err != nil {
		return sandbox.Result{}, err
	}
	f.b.mu.Lock()
	f.b.specs = append(f.b.specs, s)
	f.b.mu.Unlock()
	r := sandbox.Result{Reason: sandbox.Exited}
	switch first, _, _ := strings.Cut(s.Cell(), "\n"); first {
	case "# mismatch":
		return sandbox.Result{Reason: sandbox.Mismatch}, nil
	case "# broken":
		return r, errors.New("broken")
	case "# timeout":
		r.Reason = sandbox.TimedOut
	case "# hold":
		<-ctx.Done()
		r.Reason = sandbox.Cancelled
	}
	f.history = s.Code
	if r.Reason != sandbox.Exited {
		f.end()
	}
	return r, nil
}

func (f *fakeSession) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
}

func (f *fakeSession) Ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

func (f *fakeSession) Close() error {
	f.end()
	f.b.mu.Lock()
	defer f.b.mu.Unlock()
	f.b.open--
	return nil
}

type sessionFixture struct {
	t       *testing.T
	backend *sessionBackend
	log     *memoryLog
	gate    *Gate
}

func newSessionFixture(t *testing.T, l SessionLimits) sessionFixture {
	t.Helper()
	f := sessionFixture{t: t, backend: &sessionBackend{}, log: &memoryLog{}}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine(t), Log: f.log, Backend: f.backend, Sessions: &l})
	if err != nil {
		t.Fatal(err)
	}
	f.gate = g
	return f
}

func (f sessionFixture) begin(lang analyze.Language) *Session {
	f.t.Helper()
	s, err := f.gate.Begin(Request{Name: "calc", Language: lang, Tool: "test"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.t.Error(err)
		}
		if f.backend.open != 0 {
			f.t.Errorf("%d sandboxes are open", f.backend.open)
		}
	})
	return s
}

func (f sessionFixture) say(s *Session, cell string) Answer {
	f.t.Helper()
	a, err := s.Run(context.Background(), Request{Source: []byte(cell)})
	if err != nil {
		f.t.Fatalf("cell %q: %v", cell, err)
	}
	return a
}

// TestSplitOverCells says what policy denies in pieces, each harmless in
// itself. The last one is denied, nothing of it runs, and the session goes on.
func TestSplitOverCells(t *testing.T) {
	for _, tt := range []struct {
		lang  analyze.Language
		rule  string
		cells []string
	}{
		{analyze.Python, "process", []string{"import os as o, math", "name = 'sys' + 'tem'", "getattr(o, name)('id')"}},
		{analyze.Python, "process", []string{"import os, math", "m = math", "def f():\n    return m.system('id')", "m = os\nf()"}},
		{analyze.Python, "code-eval", []string{"1/0\ndef exec(s): pass", "exec('1')"}},
		{analyze.Python, "process", []string{"import math as os", "class A:\n    run = staticmethod(lambda: os.system('id'))", "import os\nA.run()"}},
		{analyze.Python, "process", []string{"import os, threading, math\nm = math", "def later():\n    m.fork()", "t = threading.Timer(1, later)", "m = os"}},
		{analyze.JavaScript, "process", []string{"const a = 'child_'", "const b = 'process'", "require(a + b)"}},
		{analyze.JavaScript, "native-code", []string{"const f = () => this", "f().process.binding('spawn_sync')"}},
		{analyze.JavaScript, "code-eval", []string{"function eval(x) {}\nlet z = 1\nlet z = 2", "eval('1')"}},
	} {
		f := newSessionFixture(t, SessionLimits{})
		s := f.begin(tt.lang)
		last := len(tt.cells) - 1
		for _, cell := range tt.cells[:last] {
			if a := f.say(s, cell); a.Decision.Effect != policy.Allow {
				t.Fatalf("%q: %q is denied by itself: %+v", tt.cells, cell, a.Decision)
			}
		}
		for range 2 { // and denied again: it is not part of the session now
			a := f.say(s, tt.cells[last])
			if a.Decision.Effect != policy.Deny || len(a.Decision.Findings) == 0 || a.Decision.Findings[0].Rule != tt.rule || a.Result != nil {
				t.Errorf("%q: %s %+v", tt.cells, a.Decision.Effect, a.Decision.Findings)
			}
			if a.Cell.Number != last+1 || a.Cell.Ended != "" {
				t.Errorf("%q: cell %+v", tt.cells, a.Cell)
			}
		}
		if a := f.say(s, "1"); a.Decision.Effect != policy.Allow || a.Cell.Number != last+1 {
			t.Errorf("%q: the session after it: %+v %+v", tt.cells, a.Decision, a.Cell)
		}
		if n := len(f.backend.specs); n != last+1 {
			t.Errorf("%q: %d cells ran, want %d", tt.cells, n, last+1)
		}
	}
}

// TestFindingsArePlaced looks where findings are: in the cell that was sent, or
// in one before, in words.
func TestFindingsArePlaced(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s := f.begin(analyze.Python)
	f.say(s, "import os, math\nm = math\n\ndef f():\n    return m.system('id')")
	a := f.say(s, "x = 1\nos.system('id')")
	if got := a.Decision.Findings[0]; got.Span.Line != 2 || got.Span.Column != 1 || got.Span.EndLine != 2 {
		t.Errorf("finding %+v", got)
	}
	a = f.say(s, "m = os")
	if got := a.Decision.Findings[0]; got.Span.Line != 0 || !strings.Contains(got.Message, "line 5 of cell 1") {
		t.Errorf("finding %+v", got)
	}
	if rec := f.log.records[len(f.log.records)-1]; rec.Verdict.Findings[0].Message != a.Decision.Findings[0].Message || rec.Cell.Number != 2 {
		t.Errorf("record %+v", rec)
	}
	a = f.say(s, "if")
	if got := a.Decision.Findings; a.Decision.Reason != policy.ReasonSyntax || len(got) == 0 || got[0].Span.Line != 1 {
		t.Errorf("a cell that is no program: %+v", a.Decision)
	}
}

func TestCellsAreRecorded(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s := f.begin(analyze.Python)
	first, second := f.say(s, "x = 1"), f.say(s, "x")
	f.say(s, "import ctypes; ctypes.CDLL(None)")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := f.log.events(), "decision end decision end decision session"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	r := f.log.records
	if r[0].Cell.SHA256 != digest([]byte("x = 1\n")) || r[2].Cell.SHA256 != digest([]byte("x\n")) || r[2].Source.SHA256 != digest([]byte("x = 1\nx\n")) {
		t.Errorf("hashes: %+v %+v %+v", r[0].Cell, r[2].Cell, r[2].Source)
	}
	if r[3].Cell.Number != 2 || r[3].Cell.Session != first.Cell.ID || second.Source.SHA256 != r[2].Source.SHA256 {
		t.Errorf("end %+v, answer %+v", r[3].Cell, second)
	}
	if end := r[5]; end.Note != EndClosed || end.Cell.Number != 2 || end.Cell.Session != first.Cell.ID || end.Source.SHA256 != r[2].Source.SHA256 {
		t.Errorf("end of the session %+v %+v", end, end.Cell)
	}
}

// TestCellBytes attacks between the doors: what was judged is what runs.
func TestCellBytes(t *testing.T) {
	for name, edit := range map[string]func(*sandbox.Spec){
		"other code":        func(s *sandbox.Spec) { s.Code += "#" },
		"code and hash":     func(s *sandbox.Spec) { *s = respec(*s, s.Code+"#\n") },
		"another beginning": func(s *sandbox.Spec) { *s = respec(*s, "y"+s.Code[1:]) },
		"a smaller cell":    func(s *sandbox.Spec) { s.Earlier++ },
	} {
		f := newSessionFixture(t, SessionLimits{})
		s := f.begin(analyze.Python)
		f.say(s, "x = 1")
		f.backend.edit = edit
		a, err := s.Run(context.Background(), Request{Source: []byte("x + 1")})
		if !errors.Is(err, sandbox.ErrRefused) || a.Result != nil || len(f.backend.specs) != 1 {
			t.Errorf("%s: %v, ran %d", name, err, len(f.backend.specs))
		}
		if s.Ended() != EndFailure {
			t.Errorf("%s: the session has ended: %q", name, s.Ended())
		}
	}
}

// The clock of this test goes on where everything waits, and nowhere else.
func TestSessionEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		cell string
		then func(stop func()) // once the cell waits, or has ended
		want string
	}{
		{"timeout", "# timeout\n1", nil, "timeout"},
		{"cancelled", "# hold\n1", func(stop func()) { stop() }, "cancelled"},
		{"failure", "# broken\n1", nil, EndFailure},
		{"idle", "1", func(func()) { time.Sleep(11 * time.Minute) }, EndIdle},
		{"total", "# hold\n1", func(func()) { time.Sleep(61 * time.Minute) }, EndTotal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newSessionFixture(t, SessionLimits{})
				s := f.begin(analyze.Python)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan error, 1)
				go func() {
					_, err := s.Run(ctx, Request{Source: []byte(tt.cell)})
					done <- err
				}()
				synctest.Wait()
				if tt.then != nil {
					if ended := s.Ended(); ended != "" {
						t.Errorf("it ended by itself: %s", ended)
					}
					tt.then(cancel)
				}
				if err := <-done; (err != nil) != (tt.want == EndFailure) {
					t.Errorf("error %v", err)
				}
				if s.Ended() != tt.want {
					t.Errorf("ended %q, want %q", s.Ended(), tt.want)
				}
				if _, err := s.Run(context.Background(), Request{Source: []byte("1")}); !errors.Is(err, ErrSessionEnded) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("a cell after the end: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if last := f.log.records[len(f.log.records)-1]; last.Event != audit.EventSession || last.Note != tt.want {
					t.Errorf("last record %+v", last)
				}
			})
		})
	}
}

// A cell that the other parser reads differently is no part of the session.
func TestMismatchedCell(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s := f.begin(analyze.Python)
	f.say(s, "x = 1")
	if a := f.say(s, "# mismatch\ny = 2"); a.Result.Reason != sandbox.Mismatch || a.Cell.Ended != "" {
		t.Errorf("%+v", a)
	}
	f.say(s, "x")
	if got := f.backend.specs[2]; got.Code != "x = 1\nx\n" || got.Earlier != 6 {
		t.Errorf("spec %+v", got)
	}
}

// TestCellIdentifiers holds that the parser is told what is in the cell alone:
// a name that an earlier cell mentions may not turn up in one that hides it.
func TestCellIdentifiers(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s := f.begin(analyze.Python)
	f.say(s, "class A:\n    system = 1")
	f.say(s, "x = 1")
	if got := strings.Join(f.backend.specs[1].Identifiers, " "); got != "x" {
		t.Errorf("identifiers %q", got)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{Max: 2})
	a, _ := f.begin(analyze.Python), f.begin(analyze.JavaScript)
	if _, err := f.gate.Begin(Request{Language: analyze.Python}); !errors.Is(err, ErrTooManySessions) {
		t.Errorf("a third session: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	f.begin(analyze.Python)
	if _, err := f.gate.Begin(Request{Environment: "none"}); !errors.Is(err, ErrEnvironment) {
		t.Errorf("an environment that is none: %v", err)
	}
}

func TestSessionsAreOptIn(t *testing.T) {
	f := newFixture(t)
	if _, err := f.gate.Begin(Request{Language: analyze.Python}); !errors.Is(err, ErrNoSessions) {
		t.Errorf("Begin: %v", err)
	}
	opts := Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine(t), Log: &memoryLog{}, Backend: f.backend, Sessions: &SessionLimits{}}
	if _, err := New(opts); err == nil || !strings.Contains(err.Error(), "fake keeps no sessions") {
		t.Errorf("a backend without sessions: %v", err)
	}
	opts.Backend, opts.Sessions = &sessionBackend{}, &SessionLimits{Idle: -1}
	if _, err := New(opts); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("a negative limit: %v", err)
	}
}

// TestSessionFilesLoadedLater brings a file along that a later cell loads.
func TestSessionFilesLoadedLater(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s := f.begin(analyze.JavaScript)
	data := []sandbox.File{{Path: "data.txt", Data: []byte("require('child_process')")}}
	if a, err := s.Run(context.Background(), Request{Source: []byte("1"), Files: data}); err != nil || a.Decision.Effect != policy.Allow {
		t.Fatalf("%v %+v", err, a.Decision)
	}
	if a := f.say(s, "require('./data.txt')"); a.Decision.Effect != policy.Deny {
		t.Errorf("%+v", a.Decision)
	}
}

// Nothing runs unrecorded, in a session either.
func TestUnrecordedCell(t *testing.T) {
	f := newSessionFixture(t, SessionLimits{})
	s, err := f.gate.Begin(Request{Name: "calc", Language: analyze.Python})
	if err != nil {
		t.Fatal(err)
	}
	f.log.failAt = 1
	if a, err := s.Run(context.Background(), Request{Source: []byte("1")}); !errors.Is(err, errFull) || a.Decision.Effect != policy.Deny || len(f.backend.specs) != 0 {
		t.Errorf("%v %+v", err, a)
	}
	if err := s.Close(); !errors.Is(err, errFull) {
		t.Errorf("the end that cannot be recorded: %v", err)
	}
}
