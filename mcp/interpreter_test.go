package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sallyport/audit"
	"sallyport/gate"
	"sallyport/internal/turns"
	"sallyport/sandbox"
)

// keeper is a fakeBackend that keeps sessions. The first line of a cell says
// how it ends, as for programs.
type keeper struct {
	*fakeBackend
	open atomic.Int64
}

func withSessions(o *gate.Options) {
	b, ok := o.Backend.(*fakeBackend)
	if !ok {
		panic("the fixture has another backend")
	}
	o.Backend, o.Sessions = &keeper{fakeBackend: b}, &gate.SessionLimits{Max: 2}
}

func (k *keeper) Begin(context.Context, sandbox.Spec) (sandbox.Session, error) {
	k.open.Add(1)
	return &keptSession{keeper: k}, nil
}

type keptSession struct {
	*keeper
	history string
	ended   atomic.Bool
}

func (s *keptSession) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if err := spec.CheckCell(s.history); err != nil {
		return sandbox.Result{}, err
	}
	s.mu.Lock()
	s.specs = append(s.specs, spec)
	s.running++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}()
	first, _, _ := strings.Cut(spec.Cell(), "\n")
	how, arg, _ := strings.Cut(strings.TrimLeft(first, "#/ "), " ")
	r, err := s.end(ctx, spec, how, arg)
	if err == nil && r.Reason != sandbox.Mismatch {
		s.history = spec.Code
		s.ended.Store(r.Reason != sandbox.Exited)
	}
	return r, err
}

func (s *keptSession) Ended() bool { return s.ended.Load() }

func (s *keptSession) Close() error {
	s.ended.Store(true)
	s.open.Add(-1)
	return nil
}

// sessionFixture is a fixture whose sandboxes of sessions are counted.
func sessionFixture(t *testing.T, edits ...any) (*fixture, *keeper) {
	var k *keeper
	f := newFixture(t, append([]any{func(o *gate.Options) { withSessions(o); k, _ = o.Backend.(*keeper) }}, edits...)...)
	f.initialize()
	return f, k
}

func cell(session, code string) map[string]any {
	return map[string]any{"session": session, "code": code}
}

func TestSessionsAreOffByDefault(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	if r := f.call("run_python_code", cell("a", "1")); r.Meta.Result.Reason != "arguments" || !strings.Contains(r.Content[0].Text, `unknown argument "session"`) {
		t.Errorf("%+v", r)
	}
	f.send(call("2", "end_session", `{"session":"a"}`))
	if m := f.answer("2"); m.Error == nil {
		t.Errorf("end_session: %+v", m)
	}
}

func TestSessionGoesOn(t *testing.T) {
	f, k := sessionFixture(t)
	for _, code := range []string{"x = 1", "x += 1", "x"} {
		if r := f.call("run_python_code", cell("a", code)); r.IsError || r.Meta.Result.Status != "ok" {
			t.Fatalf("%q: %+v", code, r)
		}
	}
	if k.open.Load() != 1 || len(f.backend.specs) != 3 || f.backend.specs[2].Code != "x = 1\nx += 1\nx\n" {
		t.Errorf("%d sandboxes, specs %+v", k.open.Load(), f.backend.specs)
	}
	f.in.Close()
	f.ended()
	if k.open.Load() != 0 {
		t.Errorf("%d sandboxes are left", k.open.Load())
	}
	records := f.log.all()
	if last := records[len(records)-1]; last.Event != audit.EventSession || last.Note != gate.EndClosed || last.Cell.Name != "a" || last.Cell.Number != 3 {
		t.Errorf("last record %+v", last)
	}
}

func TestSessionArguments(t *testing.T) {
	f, _ := sessionFixture(t)
	f.call("run_python_code", cell("a", "1"))
	for _, tt := range []struct {
		edit string
		args map[string]any
		want string
	}{
		{"empty", cell("", "1"), "1 to 32"},
		{"odd", cell("a b", "1"), "1 to 32"},
		{"path", cell("../a", "1"), "1 to 32"},
		{"long", cell(strings.Repeat("a", 33), "1"), "1 to 32"},
		{"number", map[string]any{"session": 1, "code": "1"}, "must be a string"},
		{"stdin", map[string]any{"session": "a", "code": "1", "stdin": "x"}, "no stdin"},
		{"args", map[string]any{"session": "a", "code": "1", "args": []string{"x"}}, "no args"},
		{"memory", map[string]any{"session": "a", "code": "1", "memory_mb": 64}, "chosen when it began"},
		{"environment", map[string]any{"session": "a", "code": "1", "environment": "default"}, "chosen when it began"},
		{"no such environment", map[string]any{"session": "b", "code": "1", "environment": "other"}, "there is no environment"},
	} {
		if r := f.call("run_python_code", tt.args); r.Meta.Result.Status != "refused" || !strings.Contains(r.Content[0].Text, tt.want) {
			t.Errorf("%s: %+v", tt.edit, r)
		}
	}
	if r := f.call("run_python_code", cell("a", "2")); r.Meta.Result.Status != "ok" {
		t.Errorf("the session after it: %+v", r)
	}
}

func TestTooManySessions(t *testing.T) {
	f, k := sessionFixture(t)
	f.call("run_python_code", cell("a", "1"))
	f.call("run_python_code", cell("b", "1"))
	r := f.call("run_python_code", cell("c", "1"))
	if r.Meta.Result.Reason != "too_many_sessions" || !strings.Contains(r.Content[0].Text, "a, b") || k.open.Load() != 2 {
		t.Errorf("%+v", r)
	}
	f.call("end_session", map[string]any{"session": "a"})
	if r := f.call("run_python_code", cell("c", "1")); r.Meta.Result.Status != "ok" {
		t.Errorf("%+v", r)
	}
	// A first cell that is denied takes no place.
	f.call("end_session", map[string]any{"session": "b"})
	for range 3 {
		if r := f.call("run_python_code", cell("new", "import os; os.fork()")); r.Meta.Result.Status != "denied" {
			t.Errorf("%+v", r)
		}
	}
	if r := f.call("run_python_code", cell("d", "1")); r.Meta.Result.Status != "ok" {
		t.Errorf("%+v", r)
	}
}

// That a session has ended is said before code runs that may count on it.
func TestEndedSessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, k := sessionFixture(t)
		f.call("run_python_code", cell("a", "x = 1"))
		time.Sleep(f.server.opts.Gate.SessionLimits().Idle + time.Second)
		if n := k.open.Load(); n != 0 {
			t.Errorf("%d sandboxes are left", n)
		}
		r := f.call("run_python_code", cell("a", "x"))
		if r.Meta.Result.Reason != "session_ended" || !strings.Contains(r.Content[0].Text, "not used for too long") || len(f.backend.specs) != 1 {
			t.Errorf("%+v", r)
		}
		if r := f.call("run_python_code", cell("a", "x = 2")); r.Meta.Result.Status != "ok" || f.backend.specs[1].Code != "x = 2\n" {
			t.Errorf("anew: %+v", r)
		}
		f.in.Close()
		f.ended()
	})
}

func TestCancelEndsTheSession(t *testing.T) {
	f, k := sessionFixture(t)
	f.call("run_python_code", cell("a", "x = 1"))
	f.send(call(`"slow"`, "run_python_code", `{"session":"a","code":"# hold\n1"}`))
	f.waitRunning(1)
	f.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	f.waitRunning(0)
	for k.open.Load() != 0 {
		time.Sleep(time.Millisecond)
	}
	if k.open.Load() != 0 {
		t.Error("the sandbox is left")
	}
	// Nobody has read that it ended, so the next call is told.
	if r := f.call("run_python_code", cell("a", "x")); r.Meta.Result.Reason != "session_ended" {
		t.Errorf("the call after it: %+v", r)
	}
}

// Cells of one session run in the order of their calls; they take one place
// among the runs, however many wait.
func TestCellsInOrder(t *testing.T) {
	f, _ := sessionFixture(t, func(o *Options) { o.Parallel = 2 })
	f.call("run_python_code", cell("a", "x = 0"))
	f.send(call("10", "run_python_code", `{"session":"a","code":"# hold\nx"}`))
	f.waitRunning(1)
	const sent = 80
	for i := range sent { // at once: no answer and no sign of one before is waited for
		f.send(call(fmt.Sprint(11+i), "run_python_code", fmt.Sprintf(`{"session":"a","code":"# print %d\nx"}`, 11+i)))
	}
	for waitingCells(f, "a") != sent {
		time.Sleep(time.Millisecond)
	}
	if r := f.call("run_python_code", map[string]any{"code": "print(1)"}); r.Meta.Result.Status != "ok" {
		t.Errorf("a program beside them: %+v", r)
	}
	close(f.backend.release)
	for range sent + 1 {
		f.next()
	}
	var cells []string
	for _, s := range f.backend.specs {
		if s.Earlier > 0 {
			cells = append(cells, s.Cell())
		}
	}
	if len(cells) != sent+1 || !slices.IsSorted(cells[1:]) {
		t.Errorf("cells in the order %q", cells)
	}
}

// The first calls of a session are sent at once: the first of them begins it. One
// that is refused, or cancelled before its turn, holds nobody up, and the queue
// is as long as the operator said.
func TestFirstCellsAtOnce(t *testing.T) {
	f, k := sessionFixture(t, func(o *Options) { o.Queue = 2 })
	f.send(call("10", "run_python_code", `{"session":"a","code":"# hold\nx"}`))
	f.send(call("11", "run_python_code", `{"session":"a","code":"# print 11\nx","stdin":"none"}`))
	f.send(call("12", "run_python_code", `{"session":"a","code":"# print 12\nx"}`))
	f.send(call("13", "run_python_code", `{"session":"a","code":"# print 13\nx"}`))
	f.send(call("14", "run_python_code", `{"session":"a","code":"# print 14\nx"}`))
	reasons := map[string]string{}
	for range 2 {
		m := f.next()
		reasons[string(m.ID)] = f.result(m).Meta.Result.Reason
	}
	if reasons["11"] != "arguments" || reasons["14"] != "busy" {
		t.Errorf("refused: %v", reasons)
	}
	f.waitRunning(1)
	close(f.backend.release)
	for range 3 {
		f.next()
	}
	var cells []string
	for _, s := range k.specs {
		cells = append(cells, s.Cell())
	}
	if want := []string{"# hold\nx\n", "# print 12\nx\n", "# print 13\nx\n"}; !slices.Equal(cells, want) {
		t.Errorf("cells %q, want %q", cells, want)
	}
}

func waitingCells(f *fixture, session string) int {
	in := &f.server.interpreters
	in.mu.Lock()
	defer in.mu.Unlock()
	var q *turns.Turnstile
	for h, it := range in.named {
		if h.name == session {
			q = it.queue
		}
	}
	return q.Now().Waiting
}

func TestSignalEndsSessions(t *testing.T) {
	f, k := sessionFixture(t)
	f.call("run_python_code", cell("a", "x = 1"))
	f.call("run_javascript_code", cell("b", "let x = 1"))
	f.send(call("5", "run_python_code", `{"session":"a","code":"# hold\n1"}`))
	f.waitRunning(1)
	f.stop()
	f.ended()
	if k.open.Load() != 0 {
		t.Errorf("%d sandboxes are left", k.open.Load())
	}
}

// taken are names that another replica has; what is taken here and dropped is noted.
type taken struct {
	elsewhere map[string]string
	here      []string
	fails     error
}

func (n *taken) Take(_ context.Context, _, name string, until time.Time) (string, error) {
	if !until.After(time.Now()) {
		return "", errors.New("it is over already")
	}
	if n.fails != nil || n.elsewhere[name] != "" {
		return n.elsewhere[name], n.fails
	}
	n.here = append(n.here, name)
	return "", nil
}

func (n *taken) Drop(_ context.Context, _, name string) error {
	n.here = slices.DeleteFunc(n.here, func(one string) bool { return one == name })
	return nil
}

// A session that is of another replica is refused, so that no code runs on the
// belief that its state is here; a name is dropped with the session it stood for.
func TestSessionsElsewhere(t *testing.T) {
	names := &taken{elsewhere: map[string]string{"a": "east-1", "s1": "east-1", "s2": "east-2"}}
	f, k := sessionFixture(t, func(o *Options) { o.Names = names })
	here := func(want ...string) {
		t.Helper()
		if !slices.Equal(names.here, want) {
			t.Errorf("names taken here are %q, want %q", names.here, want)
		}
	}
	r := f.call("run_python_code", cell("a", "x"))
	if r.Meta.Result.Reason != "session_elsewhere" || !strings.Contains(r.Content[0].Text, "replica east-1") || k.open.Load() != 0 || len(f.backend.specs) != 0 {
		t.Errorf("%+v", r)
	}
	if r := f.call("run_python_code", cell("new", "x = 1")); r.Meta.Result.Status != "ok" || !strings.Contains(r.Content[0].Text, `began session "s3"`) {
		t.Errorf("new: %+v", r)
	}
	f.call("run_python_code", cell("s3", "x"))
	here("s3")
	f.call("run_python_code", cell("b", "x = 1"))
	here("s3", "b")
	if r := f.call("run_python_code", cell("c", "x")); r.Meta.Result.Reason != "too_many_sessions" {
		t.Errorf("%+v", r)
	}
	here("s3", "b")
	f.call("end_session", map[string]any{"session": "b"})
	here("s3")
	f.call("run_python_code", cell("d", "import os; os.fork()"))
	here("s3")

	names.fails = gate.ErrAway
	if r := f.call("run_python_code", cell("e", "x")); r.Meta.Result.Reason != "away" {
		t.Errorf("while nobody knows: %+v", r)
	}
	if r := f.call("run_python_code", cell("s3", "x")); r.Meta.Result.Status != "ok" {
		t.Errorf("what is here goes on: %+v", r)
	}
	names.fails = gate.ErrTooManySessions
	if r := f.call("run_python_code", cell("e", "x")); r.Meta.Result.Reason != "too_many_sessions" {
		t.Errorf("%+v", r)
	}
}
