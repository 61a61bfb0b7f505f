package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
	"sallyport/telemetry"
)

// faulty is what the tests put into a gate: a log and a backend that keep what
// they got, and whatever a fault makes of them.
type faulty struct {
	mu     sync.Mutex // guards the fields below
	events []audit.Event
	ends   []string // reasons of end records
	ran    int

	failAt audit.Event // the log refuses such a record
	result sandbox.Result
	err    error
	panics string
}

func (f *faulty) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Event == f.failAt {
		return audit.Record{}, fmt.Errorf("%w: no space left on device", audit.ErrNotRecorded)
	}
	f.events = append(f.events, r.Event)
	if r.Run != nil {
		f.ends = append(f.ends, r.Run.Reason)
	}
	r.ID = "0190a7c0-0000-7000-8000-000000000001"
	return r, nil
}

func (f *faulty) Describe() sandbox.Description { return sandbox.Description{Name: "faulty"} }

func (f *faulty) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := s.Check(); err != nil {
		return sandbox.Result{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) == 0 || f.events[0] != audit.EventDecision {
		panic("a run before its decision was recorded")
	}
	f.ran++
	if f.panics != "" {
		panic(f.panics)
	}
	return f.result, f.err
}

// reader is the reader of Python with one of its parts broken.
func reader(breakIt func(*analyze.Reader)) *analyze.Analyzer {
	r := *python.Reader()
	breakIt(&r)
	return analyze.New(&r)
}

func mustEngine(t *testing.T, o policy.Options) *policy.Engine {
	t.Helper()
	e, err := policy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ownPack makes an engine of one rule; a rule without an end has a short time.
func ownPack(t *testing.T, verb, body string, limit time.Duration) *policy.Engine {
	t.Helper()
	text := fmt.Sprintf("package sallyport.rules.acme\n\n# METADATA\n# title: Test\n# custom:\n#   id: acme/test\n%s contains {\"rule\": \"acme/test\", \"message\": \"m\"} if %s\n", verb, body)
	p, err := policy.LoadDir(fstest.MapFS{"a.rego": {Data: []byte(text)}}, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return mustEngine(t, policy.Options{FS: policies.FS, Packs: []string{"observe"}, Policies: []*policy.Policy{p}, Timeout: limit})
}

// withoutCatalog takes from an engine what it cannot work without.
func withoutCatalog(e *policy.Engine) *policy.Engine {
	f := reflect.ValueOf(e).Elem().FieldByName("catalog")
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().SetZero()
	return e
}

func yes(context.Context, gate.Question) (gate.Approval, error) {
	return gate.Approval{Yes: true, Answer: "accepted"}, nil
}

// fault is one part that breaks, and what each way in says of it.
type fault struct {
	name   string
	apply  func(*testing.T, *faulty, *gate.Options)
	reason string // of the decision
	ran    int
	events []audit.Event
	end    string // reason of the end record
	err    error  // of the Go API
	exit   int    // of the command line
	mcp    string // status and reason
}

func faults() []fault {
	const asks = `input.source.bytes > 0`
	type edit = func(*testing.T, *faulty, *gate.Options)
	decision, approval, end := audit.EventDecision, audit.EventApproval, audit.EventEnd
	broken := errors.New("runsc at /root/secret: exit status 128")
	unavailable := fmt.Errorf("%w: no /dev/null", sandbox.ErrUnavailable)
	analyzer := func(breakIt func(*analyze.Reader)) edit {
		return func(_ *testing.T, _ *faulty, o *gate.Options) { o.Analyzer = reader(breakIt) }
	}
	backend := func(edit func(*faulty)) edit {
		return func(_ *testing.T, f *faulty, _ *gate.Options) { edit(f) }
	}
	judged, ended := []audit.Event{decision}, []audit.Event{decision, end}
	return []fault{
		{"nothing", backend(func(*faulty) {}), "policy", 1, ended, "exited", nil, 0, "ok exited"},
		{"making the source canonical panics", analyzer(func(r *analyze.Reader) {
			r.Canonical = func(analyze.Goal, string) (string, analyze.Goal, *analyze.Refusal) { panic("canonical") }
		}), "analysis_incomplete", 0, judged, "", nil, 3, "denied analysis_incomplete"},
		{"the analysis panics", analyzer(func(r *analyze.Reader) { r.Walk = func(*analyze.Walk) { panic("walk") } }),
			"analysis_incomplete", 0, judged, "", nil, 3, "denied analysis_incomplete"},
		{"the policy panics", func(_ *testing.T, _ *faulty, o *gate.Options) { o.Policy = withoutCatalog(o.Policy) },
			"policy_error", 0, judged, "", nil, 3, "denied policy_error"},
		{"the policy takes too long", func(t *testing.T, _ *faulty, o *gate.Options) {
			o.Policy = ownPack(t, "deny", `count([1 | some a in numbers.range(1, 100000); some b in numbers.range(1, 100000); a * b == -1]) < 0`, 50*time.Millisecond)
		}, "policy_timeout", 0, judged, "", nil, 3, "denied policy_timeout"},
		{"the policy is no policy", func(_ *testing.T, _ *faulty, o *gate.Options) { o.Policy = &policy.Engine{} },
			"policy_empty", 0, judged, "", nil, 3, "denied policy_empty"},
		{"the decision is not recorded", backend(func(f *faulty) { f.failAt = decision }),
			"audit_failed", 0, nil, "", gate.ErrNotRecorded, 1, "error audit_failed"},
		{"asking panics", func(t *testing.T, _ *faulty, o *gate.Options) {
			o.Policy = ownPack(t, "ask", asks, 5*time.Minute)
			o.Approve = func(context.Context, gate.Question) (gate.Approval, error) { panic("ask") }
		}, "refused", 0, []audit.Event{decision, approval}, "", nil, 3, "denied refused"},
		{"the approval is not recorded", func(t *testing.T, f *faulty, o *gate.Options) {
			o.Policy, o.Approve, f.failAt = ownPack(t, "ask", asks, 5*time.Minute), yes, approval
		}, "audit_failed", 0, judged, "", gate.ErrNotRecorded, 1, "error audit_failed"},
		{"the sandbox does not start", backend(func(f *faulty) { f.err = unavailable }),
			"policy", 1, ended, "error", sandbox.ErrUnavailable, 1, "error sandbox_unavailable"},
		{"the sandbox fails in the middle", backend(func(f *faulty) { f.err = broken }), "policy", 1, ended, "error", gate.ErrSandboxFailed, 1, "error sandbox_failed"},
		{"the result cannot be read", backend(func(f *faulty) {
			f.result.Stdout, f.err = []byte("half of i"), fmt.Errorf("%w: half of it", sandbox.ErrUnreadable)
		}),
			"policy", 1, ended, "error", sandbox.ErrUnreadable, 1, "error result_unreadable"},
		{"who runs the sandbox goes away in the middle", backend(func(f *faulty) { f.err = fmt.Errorf("%w: %w", sandbox.ErrUnreadable, unavailable) }),
			"policy", 1, ended, "error", sandbox.ErrUnreadable, 1, "error result_unreadable"},
		{"the sandbox panics", backend(func(f *faulty) { f.panics = "backend" }), "policy", 1, ended, "error", gate.ErrPanicked, 1, "error panicked"},
		{"the end is not recorded", backend(func(f *faulty) { f.failAt = end }),
			"policy", 1, judged, "", gate.ErrEndNotRecorded, 1, "error end_not_recorded"},
		{"telemetry panics", func(_ *testing.T, _ *faulty, o *gate.Options) {
			o.Observe = func(telemetry.Request) { panic("telemetry") }
		}, "policy", 1, ended, "exited", nil, 0, "ok exited"},
	}
}

// options are those of a gate with the fault in it.
func (tt fault) options(t *testing.T) (*faulty, func(*gate.Options)) {
	f := &faulty{result: sandbox.Result{Reason: sandbox.Exited, Stdout: []byte("1\n")}}
	return f, func(o *gate.Options) {
		o.Analyzer = analyze.New(python.Reader())
		o.Policy = mustEngine(t, policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
		o.Log, o.Backend, o.Approve, o.Environments = f, f, nil, nil
		tt.apply(t, f, o)
	}
}

// verify holds what does not depend on the way in: nothing runs unjudged or
// unrecorded.
func (tt fault) verify(t *testing.T, f *faulty) {
	t.Helper()
	if f.ran != tt.ran || !slices.Equal(f.events, tt.events) {
		t.Errorf("%d runs, records %v; want %d, %v", f.ran, f.events, tt.ran, tt.events)
	}
	if got := strings.Join(f.ends, " "); got != tt.end {
		t.Errorf("end records %q, want %q", got, tt.end)
	}
}

// A fault at each step, from each way in: nothing runs that was not judged and
// recorded, and each fault has a reason of its own.
func TestFaults(t *testing.T) {
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	for _, tt := range faults() {
		t.Run(tt.name, func(t *testing.T) {
			t.Run("Go", func(t *testing.T) { faultInGo(t, tt) })
			t.Run("run", func(t *testing.T) { faultInRun(t, tt) })
			t.Run("mcp", func(t *testing.T) { faultInMCP(t, tt) })
		})
	}
}

func faultInGo(t *testing.T, tt fault) {
	f, edit := tt.options(t)
	var o gate.Options
	edit(&o)
	g, err := gate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ans, err := g.Run(t.Context(), gate.Request{Language: analyze.Python, Source: []byte("print(1)\n")})
	if !errors.Is(err, tt.err) {
		t.Errorf("error %v, want %v", err, tt.err)
	}
	if got := string(ans.Decision.Reason); got != tt.reason {
		t.Errorf("reason %q, want %q", got, tt.reason)
	}
	if allowed := ans.Decision.Effect == policy.Allow; allowed != (tt.ran > 0) {
		t.Errorf("effect %q after %d runs", ans.Decision.Effect, f.ran)
	}
	if ans.Result != nil && (err != nil && !errors.Is(err, gate.ErrEndNotRecorded)) {
		t.Errorf("a result, %q, beside the error %v", ans.Result.Stdout, err)
	}
	tt.verify(t, f)
}

// app is the program with the fault in it.
func (tt fault) app(t *testing.T, stdin io.Reader) (*faulty, *app, *bytes.Buffer, *bytes.Buffer) {
	dir := sandboxtest.ShortDir(t)
	var out, errs bytes.Buffer
	f, edit := tt.options(t)
	env := map[string]string{"HOME": dir, "XDG_STATE_HOME": dir, "PATH": os.Getenv("PATH")}
	a := newApp(stdin, &outWriter{w: &out}, &errs, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	a.inject = edit
	return f, a, &out, &errs
}

func execute(ctx context.Context, a *app, args ...string) int {
	root := rootCommand(a)
	root.SetArgs(args)
	return exitCode(root.ExecuteContext(ctx))
}

func faultInRun(t *testing.T, tt fault) {
	path := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(path, []byte("print(1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, a, out, errs := tt.app(t, nil)
	if got := execute(t.Context(), a, "run", "--format", "json", path); got != tt.exit {
		t.Errorf("exit %d, want %d\n%s", got, tt.exit, errs)
	}
	var ans struct {
		Decision struct{ Reason string }
		Error    string
	}
	if err := json.Unmarshal(out.Bytes(), &ans); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if ans.Decision.Reason != tt.reason || (ans.Error != "") != (tt.err != nil) {
		t.Errorf("reason %q, error %q; want %q, %v", ans.Decision.Reason, ans.Error, tt.reason, tt.err)
	}
	tt.verify(t, f)
}

func faultInMCP(t *testing.T, tt fault) {
	input := mcpInitialize + "\n" + strings.Replace(mcpHello, "print('hello')", "print(1)", 1) + "\n"
	f, a, out, errs := tt.app(t, strings.NewReader(input))
	// The server moves the process's own standard output away; here the
	// answers go into a buffer.
	if got := execute(t.Context(), a, "mcp", "--warm", "0"); got != 0 {
		t.Fatalf("exit %d\n%s", got, errs)
	}
	var got string
	for r := bufio.NewScanner(out); r.Scan(); {
		var m struct {
			ID     int
			Result struct {
				Meta struct {
					Told struct{ Status, Reason string } `json:"sallyport/result"`
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal(r.Bytes(), &m); err != nil {
			t.Fatalf("%v: %s", err, r.Bytes())
		}
		if s := m.Result.Meta.Told; m.ID == 2 {
			got = s.Status + " " + s.Reason
			if strings.Contains(r.Text(), "secret") || strings.Contains(r.Text(), "space left") {
				t.Errorf("the client sees what is the operator's: %s", r.Text())
			}
		}
	}
	if got != tt.mcp {
		t.Errorf("%q, want %q\n%s", got, tt.mcp, errs)
	}
	tt.verify(t, f)
}
