package gate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/typescript"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// fakeBackend stands in for a sandbox: it checks the Spec as every backend
// must, notes it, and answers. The real ones have their own tests.
type fakeBackend struct {
	mu    sync.Mutex
	specs []sandbox.Spec
	res   sandbox.Result
	err   error
	edit  func(*sandbox.Spec) // an attack between the doors
}

func (f *fakeBackend) Describe() sandbox.Description {
	return sandbox.Description{Name: "fake", Controls: map[sandbox.Control]string{sandbox.ControlNetwork: "fake"}}
}

func (f *fakeBackend) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if f.edit != nil {
		f.edit(&s)
	}
	if err := s.Check(); err != nil {
		return sandbox.Result{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.specs = append(f.specs, s)
	if s.Output != nil {
		s.Output(sandbox.Stdout, f.res.Stdout)
	}
	return f.res, f.err
}

// memoryLog is a Recorder that can be told to fail at the nth record.
type memoryLog struct {
	mu      sync.Mutex
	records []audit.Record
	failAt  int // 1 is the first
}

var errFull = errors.New("no space left on device")

func (l *memoryLog) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failAt == len(l.records)+1 {
		return r, errFull
	}
	r.ID = strings.Repeat("x", len(l.records)+1)
	l.records = append(l.records, r)
	return r, nil
}

func (l *memoryLog) events() string {
	var out []string
	for _, r := range l.records {
		out = append(out, string(r.Event))
	}
	return strings.Join(out, " ")
}

func engine(t testing.TB) *policy.Engine {
	t.Helper()
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type fixture struct {
	backend *fakeBackend
	log     *memoryLog
	gate    *Gate
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	f := fixture{
		backend: &fakeBackend{res: sandbox.Result{Reason: sandbox.Exited, Stdout: []byte("42\n")}},
		log:     &memoryLog{},
	}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine(t), Log: f.log, Backend: f.backend, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	f.gate = g
	return f
}

func py(source string) Request {
	return Request{Name: "main.py", Language: analyze.Python, Source: []byte(source), Tool: "test"}
}

func TestRunAllowed(t *testing.T) {
	f := newFixture(t)
	ans, err := f.gate.Run(context.Background(), py("print(6*7)\n"))
	if err != nil || ans.Decision.Effect != policy.Allow || ans.Result == nil {
		t.Fatalf("Run() = %+v, %v; want an allowed run", ans, err)
	}
	if got := f.log.events(); got != "decision end" {
		t.Errorf("records %q, want decision before end", got)
	}
	if d := f.log.records[1].Decision; d != ans.ID || d == "" {
		t.Errorf("the end belongs to decision %q, want %q", d, ans.ID)
	}
	s := f.backend.specs[0]
	if s.Code != "print(6*7)\n" || s.SHA256 != ans.Source.SHA256 {
		t.Errorf("ran %q with hash %s, judged %s", s.Code, s.SHA256, ans.Source.SHA256)
	}
}

func TestRunDenied(t *testing.T) {
	f := newFixture(t)
	ans, err := f.gate.Run(context.Background(), py("import os as o\no.system('id')\n"))
	if err != nil || ans.Decision.Effect != policy.Deny || ans.Result != nil {
		t.Fatalf("Run() = %+v, %v; want a denial", ans, err)
	}
	if len(f.backend.specs) != 0 {
		t.Fatal("denied code reached the sandbox")
	}
	if got := f.log.events(); got != "decision" {
		t.Errorf("records %q, want one decision", got)
	}
	if len(ans.Decision.Findings) == 0 || ans.Decision.Findings[0].Span.Line != 2 {
		t.Errorf("findings %+v, want the first on line 2", ans.Decision.Findings)
	}
}

// The bytes judged are the bytes run: whatever is changed between the doors,
// the second one stays shut.
func TestBytesJudgedAreBytesRun(t *testing.T) {
	for name, edit := range map[string]func(*sandbox.Spec){
		"one byte":        func(s *sandbox.Spec) { s.Code = strings.Replace(s.Code, "6", "9", 1) },
		"code and hash":   func(s *sandbox.Spec) { *s = respec(*s, "import os\n") },
		"no permit":       func(s *sandbox.Spec) { s.Permit = nil },
		"zero permit":     func(s *sandbox.Spec) { s.Permit = policy.Permit{} },
		"unknown goal":    func(s *sandbox.Spec) { s.Goal = "" },
		"unknown grammar": func(s *sandbox.Spec) { s.Language = "perl" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.backend.edit = edit
			ans, err := f.gate.Run(context.Background(), py("print(6*7)\n"))
			if !errors.Is(err, sandbox.ErrRefused) || ans.Result != nil || len(f.backend.specs) != 0 {
				t.Errorf("Run() = %+v, %v; want ErrRefused and nothing run", ans.Result, err)
			}
			if r := f.log.records[1].Run; r == nil || r.Reason != "error" {
				t.Errorf("the end record is %+v, want reason error", r)
			}
		})
	}
}

func respec(s sandbox.Spec, code string) sandbox.Spec {
	s.Code, s.SHA256 = code, digest([]byte(code))
	return s
}

// A fault at each step: nothing runs unjudged or unrecorded.
func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		edit   func(*fixture)
		source string
		reason policy.Reason
		err    error
		ran    int
		events string
	}{
		{"decision not recorded", func(f *fixture) { f.log.failAt = 1 }, "print(1)\n", policy.ReasonUnauditable, errFull, 0, ""},
		{"end not recorded", func(f *fixture) { f.log.failAt = 2 }, "print(1)\n", policy.ReasonPolicy, errFull, 1, "decision"},
		{"sandbox fails", func(f *fixture) { f.backend.err = broken }, "print(1)\n", policy.ReasonPolicy, broken, 1, "decision end"},
		{"syntax error", func(*fixture) {}, "def (:\n", policy.ReasonSyntax, nil, 0, "decision"},
		{"not text", func(*fixture) {}, "print('\x00')\n", policy.ReasonSource, nil, 0, "decision"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.edit(&f)
			ans, err := f.gate.Run(context.Background(), py(tt.source))
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if ans.Decision.Reason != tt.reason {
				t.Errorf("reason %q, want %q", ans.Decision.Reason, tt.reason)
			}
			if len(f.backend.specs) != tt.ran {
				t.Errorf("%d runs, want %d", len(f.backend.specs), tt.ran)
			}
			if got := f.log.events(); got != tt.events {
				t.Errorf("records %q, want %q", got, tt.events)
			}
		})
	}
}

// An unknown language has no reading, and so no permit.
func TestUnknownLanguage(t *testing.T) {
	f := newFixture(t)
	req := py("print(1)\n")
	req.Language = "perl"
	ans, err := f.gate.Run(context.Background(), req)
	if err != nil || ans.Decision.Effect != policy.Deny || len(f.backend.specs) != 0 {
		t.Errorf("Run() = %+v, %v; want a denial", ans.Decision, err)
	}
}

// A caller can only tighten.
func TestLimitsOnlyTighten(t *testing.T) {
	f := newFixture(t)
	ceiling := sandbox.Limits{}.WithDefaults()
	for _, tt := range []struct {
		name      string
		ask, want time.Duration
	}{
		{"nothing asked", 0, ceiling.Wall},
		{"less asked", time.Second, time.Second},
		{"more asked", time.Hour, ceiling.Wall},
	} {
		req := py("print(1)\n")
		req.Limits.Wall = tt.ask
		if _, err := f.gate.Run(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		if got := f.backend.specs[len(f.backend.specs)-1].Limits.Wall; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestEnvironmentsAreTheOperators(t *testing.T) {
	f := newFixture(t)
	req := py("print(1)\n")
	req.Environment = "../../evil"
	if _, err := f.gate.Run(context.Background(), req); !errors.Is(err, ErrEnvironment) {
		t.Errorf("Run() = %v, want ErrEnvironment", err)
	}
	if len(f.log.records) != 0 || len(f.backend.specs) != 0 {
		t.Error("something happened for an environment that does not exist")
	}
}

// The end of a run is recorded also when the caller has given up.
func TestEndRecordedAfterCancel(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	req := py("print(1)\n")
	req.Stage = func(s string) {
		if s == "started" {
			cancel()
		}
	}
	if _, err := f.gate.Run(ctx, req); err != nil {
		t.Fatal(err)
	}
	if got := f.log.events(); got != "decision end" {
		t.Errorf("records %q, want decision end", got)
	}
}

func TestNewRefusesIncompleteOptions(t *testing.T) {
	valid := Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine(t), Log: &memoryLog{}}
	if _, err := New(valid); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Options){
		"analyzer":  func(o *Options) { o.Analyzer = nil },
		"policy":    func(o *Options) { o.Policy = nil },
		"audit log": func(o *Options) { o.Log = nil },
		"retention": func(o *Options) { o.KeepCode = "some" },
		"record":    func(o *Options) { o.Log, o.Backend = Discard{}, &fakeBackend{} },
	} {
		o := valid
		edit(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New without %s: %v", name, err)
		}
	}
}

func TestCodeRetention(t *testing.T) {
	for _, tt := range []struct {
		keep   Retention
		source string
		kept   bool
	}{
		{KeepNone, "import os; os.system('x')\n", false},
		{KeepDenied, "import os; os.system('x')\n", true},
		{KeepDenied, "print(1)\n", false},
		{KeepAll, "print(1)\n", true},
	} {
		f := newFixture(t)
		f.gate.opts.KeepCode = tt.keep
		if _, err := f.gate.Check(context.Background(), py(tt.source)); err != nil {
			t.Fatal(err)
		}
		if got := f.log.records[0].Source.Code; (got != "") != tt.kept {
			t.Errorf("keep %s of %q: %q in the record", tt.keep, tt.source, got)
		}
	}
}

// The real log on a real directory: when it cannot be written, nothing runs.
func TestRealLogFailsClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(audit.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeBackend{res: sandbox.Result{Reason: sandbox.Exited}}
	g, err := New(Options{Analyzer: analyze.New(python.Reader(), javascript.Reader(), typescript.Reader()), Policy: engine(t), Log: log, Backend: b})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(context.Background(), py("print(1)\n")); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ans, err := g.Run(context.Background(), py("print(2)\n"))
	if err == nil || ans.Decision.Effect == policy.Allow || len(b.specs) != 1 {
		t.Errorf("Run() = %+v, %v after %d runs; want an error and no second run", ans.Decision, err, len(b.specs))
	}
}
