package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/shared/sharedtest"
	"sallyport/policy"
	"sallyport/policy/policytest"
	"sallyport/sandbox"
)

// asks is a policy that asks about chance. Its message is its revision.
func asks(t *testing.T, message string) *policy.Engine {
	t.Helper()
	e, err := policy.New(policy.Options{Packs: []string{"asking"}, FS: policytest.Asking(message)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fixture is a queue with a gate, a sandbox that notes what it runs, and a log.
type fixture struct {
	t       *testing.T
	queue   *Queue
	options gate.Options
	gate    *gate.Gate
	now     atomic.Int64 // the clock, which the test alone moves
	told    chan View

	mu      sync.Mutex // guards the fields below
	records []audit.Record
	ran     []string // what the program was given, and how many records there were
	full    bool     // the log
}

func (f *fixture) Describe() sandbox.Description { return sandbox.Description{Name: "fake"} }

func (f *fixture) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range s.References {
		if _, err := io.ReadAll(r.File); err != nil {
			return sandbox.Result{}, err
		}
	}
	f.ran = append(f.ran, fmt.Sprint(len(f.records)))
	return sandbox.Result{Reason: sandbox.Exited}, nil
}

func (f *fixture) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return r, errors.New("no space left on device")
	}
	r.ID = fmt.Sprint(len(f.records) + 1)
	f.records = append(f.records, r)
	return r, nil
}

func (f *fixture) runs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.ran)
}

func newFixture(t *testing.T, edits ...func(*gate.Options)) *fixture {
	t.Helper()
	return newFixtureWith(t, Options{}, edits...)
}

// onEach is a test of questions wherever they wait.
func onEach(t *testing.T, test func(t *testing.T, f *fixture), edits ...func(*gate.Options)) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, newFixture(t, edits...))
	})
	t.Run("replicas", func(t *testing.T) {
		t.Parallel()
		test(t, newReplica(t, sharedtest.Start(t), edits...))
	})
}

func newFixtureWith(t *testing.T, o Options, edits ...func(*gate.Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, told: make(chan View, 1000)}
	f.now.Store(time.Now().UnixNano())
	clock := func() time.Time { return time.Unix(0, f.now.Load()) }
	o.Ask, o.Now = config.Ask{By: []string{"group:approvers", "principal:token|bob"}}, clock
	o.Tell = func(v View, _ <-chan struct{}) { f.told <- v }
	f.queue = New(o)
	t.Cleanup(f.queue.Close)
	f.options = gate.Options{
		Analyzer: analyze.New(python.Reader()), Policy: asks(t, "random is used"), Log: f, Backend: f, Remote: true, Now: clock,
		Approve: f.queue.Approve, Environments: map[string]gate.Environment{"lab": {}},
	}
	for _, edit := range edits {
		edit(&f.options)
	}
	f.gate = f.with(f.options)
	return f
}

func (f *fixture) with(o gate.Options) *gate.Gate {
	f.t.Helper()
	g, err := gate.New(o)
	if err != nil {
		f.t.Fatal(err)
	}
	return g
}

func principal(name string, edits ...func(*gate.Principal)) gate.Principal {
	p := gate.Principal{Issuer: "https://login.example", Subject: "id-of-" + name, Name: name, Tenant: "acme", Scopes: []string{"run", "approve"}, How: "oauth"}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// bob may approve, by a group.
func bob(edits ...func(*gate.Principal)) gate.Principal {
	return principal("bob", append([]func(*gate.Principal){func(p *gate.Principal) { p.Groups = []string{"approvers"} }}, edits...)...)
}

// wanted is what ada asks for.
func wanted() gate.Request {
	return gate.Request{
		Principal: principal("ada"), Language: analyze.Python, Source: []byte("import random\nprint(1)\n"), Args: []string{"a", "b"}, Stdin: []byte("in"),
		Files: []sandbox.File{{Path: "data.csv", Data: []byte("1,2")}}, Labels: map[string]string{"ticket": "T-1"},
		Limits: sandbox.Limits{Wall: 5 * time.Second},
	}
}

func (f *fixture) run(req gate.Request) gate.Answer {
	f.t.Helper()
	a, err := f.gate.Run(f.t.Context(), req)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *fixture) answer(who gate.Principal, id, what string) error {
	_, err := f.queue.Answer(f.t.Context(), who, id, Given{what, "because"}, f.gate.Answered)
	return err
}

// pending runs a request that has to wait, and returns its question.
func (f *fixture) pending(req gate.Request) string {
	f.t.Helper()
	before := f.runs()
	a := f.run(req)
	if a.Approval.Answer != "pending" || a.Result != nil || f.runs() != before {
		f.t.Fatalf("it does not wait: %+v, %v", a.Approval, a.Result)
	}
	return a.Approval.ID
}

// A yes is one run, on record with who gave it before it begins.
func TestApprove(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.pending(wanted())
		if again := f.pending(wanted()); again != id {
			t.Errorf("the same request is another question: %s, %s", id, again)
		}
		v, err := f.queue.Show(t.Context(), bob(), id)
		if err != nil || v.Code != "import random\nprint(1)\n" || v.Requester.ID != "https://login.example|id-of-ada" || v.State != "waiting" || v.Own ||
			len(v.Findings) != 1 || v.Labels["ticket"] != "T-1" || v.Files[0].SHA256 == "" || v.Stdin.Bytes != 2 || strings.Join(v.Args, " ") != "a b" ||
			v.Environment != "default" || v.Limits.WallMillis != 5000 || v.PolicyDigest == "" || v.Binding == "" {
			t.Errorf("bob is shown %+v, %v", v, err)
		}
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		a := f.run(wanted())
		if a.Result == nil || f.runs() != 1 || a.Approval.By.Name != "bob" {
			t.Fatalf("approved, it does not run: %+v", a)
		}
		// decision, pending, decision, pending, bob's yes, decision, what came of it: then it runs.
		if f.ran[0] != "7" {
			t.Errorf("it ran when %s records were there, want 7", f.ran[0])
		}
		for _, n := range []int{4, 6} {
			r := f.records[n]
			if r.Event != audit.EventApproval || r.Answer != "accepted" || r.Approval.ID != id || r.Approval.By.Name != "bob" || r.Approval.Reason != "because" || r.Approval.Binding != v.Binding {
				t.Errorf("record %d is %+v with %+v", n, r, r.Approval)
			}
		}
		if r := f.records[4]; r.Caller.Principal.Name != "bob" || r.Decision != f.records[0].ID || r.Verdict != nil {
			t.Errorf("bob's answer is on record as %+v", r)
		}
		if r := f.records[6]; r.Caller.Principal.Name != "ada" || r.Decision != f.records[5].ID || r.Verdict.Effect != "allow" {
			t.Errorf("what came of it is on record as %+v", r)
		}
	})
}

// Each row is a request that was not approved, after one that was.
func TestApprovedAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		data := f.options.Directories["data"]
		write := func(text string) {
			if err := os.WriteFile(filepath.Join(data, "in.csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("1")
		other := f.options
		other.Policy = asks(t, "random is used!")
		rows := map[string]func(*gate.Request){
			"code":          func(r *gate.Request) { r.Source = []byte("import random\nprint(2)\n") },
			"one blank":     func(r *gate.Request) { r.Source = append(r.Source, ' ') },
			"an argument":   func(r *gate.Request) { r.Args = []string{"a", "c"} },
			"joined":        func(r *gate.Request) { r.Args = []string{"a b"} },
			"quoted":        func(r *gate.Request) { r.Args = []string{`a", "b`} },
			"no text":       func(r *gate.Request) { r.Args = []string{"a", "b\xff"} },
			"input":         func(r *gate.Request) { r.Stdin = []byte("IN") },
			"a file":        func(r *gate.Request) { r.Files[0].Data = []byte("1,3") },
			"its name":      func(r *gate.Request) { r.Files[0].Path = "data2.csv" },
			"one more file": func(r *gate.Request) { r.Files = append(r.Files, sandbox.File{Path: "x", Data: []byte("x")}) },
			"a reference":   func(r *gate.Request) { r.References = []gate.Reference{{From: "data:in.csv"}} },
			"a label":       func(r *gate.Request) { r.Labels = map[string]string{"ticket": "T-2"} },
			"environment":   func(r *gate.Request) { r.Environment = "lab" },
			"a limit":       func(r *gate.Request) { r.Limits.Wall = 6 * time.Second },
			"somebody else": func(r *gate.Request) { r.Principal = principal("eve") },
			"their tenant":  func(r *gate.Request) { r.Principal.Tenant = "globex" },
			"their issuer":  func(r *gate.Request) { r.Principal.Issuer = "https://other.example" },
		}
		id := f.pending(wanted())
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		for name, edit := range rows {
			req := wanted()
			edit(&req)
			if a := f.run(req); a.Approval.ID == id || a.Result != nil {
				t.Errorf("%s: it runs by another's yes: %+v", name, a.Approval)
			}
			f.forget(id) // few may wait
		}
		g := f.with(other)
		if a, err := g.Run(t.Context(), wanted()); err != nil || a.Approval.ID == id || a.Result != nil {
			t.Errorf("by another policy: %+v, %v", a.Approval, err)
		}
		if a := f.run(wanted()); a.Result == nil || a.Approval.ID != id {
			t.Fatalf("what was approved does not run: %+v", a.Approval)
		}

		// A file that stays where it is, and is another one later.
		req := wanted()
		rows["a reference"](&req)
		id = f.pending(req)
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		write("2")
		if a := f.run(req); a.Approval.ID == id || a.Result != nil {
			t.Errorf("with another file: %+v", a.Approval)
		}
		// And while the question waits.
		g = f.with(func() gate.Options {
			o := f.options
			o.Approve = func(context.Context, gate.Question) (gate.Approval, error) {
				write("33")
				return gate.Approval{Yes: true, Answer: "accepted", ID: "x"}, nil
			}
			return o
		}())
		before := f.runs()
		if a, err := g.Run(t.Context(), req); err != nil || a.Result != nil || a.Approval.Answer != "changed" || f.runs() != before {
			t.Errorf("with a file that was changed while it waited: %+v, %v", a.Approval, err)
		}
	}, func(o *gate.Options) { o.Directories = map[string]string{"data": t.TempDir()} })
}

// Each row is somebody who may not answer.
func TestWhoMayAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.pending(wanted())
		approver := func(p *gate.Principal) { p.Groups = []string{"approvers"} }
		for name, row := range map[string]struct {
			who  gate.Principal
			want error
		}{
			"the requester":           {principal("ada", approver), ErrOwn},
			"with a token":            {gate.Principal{Issuer: "token", Subject: "ada", Name: "ada", Tenant: "acme", How: "token", Groups: []string{"approvers"}}, ErrOwn},
			"in capitals":             {principal("ADA", approver, func(p *gate.Principal) { p.Subject = "7" }), ErrOwn},
			"by another issuer":       {principal("x", approver, func(p *gate.Principal) { p.Issuer, p.Subject = "https://other.example", "id-of-ada" }), ErrOwn},
			"no group":                {principal("bob"), ErrNotBy},
			"another group":           {principal("bob", func(p *gate.Principal) { p.Groups = []string{"approvers2", "Approvers"} }), ErrNotBy},
			"another's name":          {gate.Principal{Issuer: "token2", Subject: "bob", Tenant: "acme", How: "token"}, ErrNotBy},
			"a scope that is no name": {principal("bob", func(p *gate.Principal) { p.Scopes = []string{"approvers", "principal:token|bob"} }), ErrNotBy},
			"another tenant":          {bob(func(p *gate.Principal) { p.Tenant = "globex" }), ErrNone},
			"no tenant":               {bob(func(p *gate.Principal) { p.Tenant = "" }), ErrNone},
			"nobody":                  {gate.Principal{}, ErrNotBy},
		} {
			for _, what := range []string{"approve", "decline"} {
				if err := f.answer(row.who, id, what); !errors.Is(err, row.want) {
					t.Errorf("%s may %s: %v, want %v", name, what, err, row.want)
				}
			}
			if v, err := f.queue.Show(t.Context(), row.who, id); !errors.Is(row.want, ErrOwn) && err == nil || v.Own != errors.Is(row.want, ErrOwn) {
				t.Errorf("%s is shown %+v, %v", name, v, err)
			}
			if list, err := f.queue.List(t.Context(), row.who); err == nil && len(list) > 0 && !list[0].Own {
				t.Errorf("%s is shown %+v", name, list)
			}
		}
		f.pending(wanted())
		if err := f.answer(gate.Principal{Issuer: "token", Subject: "bob", Tenant: "acme", How: "token"}, id, "approve"); err != nil {
			t.Errorf("who is named: %v", err)
		}
	})
}

func TestAnsweredOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.pending(wanted())
		if err := f.answer(bob(), id, "decline"); err != nil {
			t.Fatal(err)
		}
		if err := f.answer(bob(), id, "approve"); !errors.Is(err, ErrAnswered) {
			t.Errorf("a yes after a no: %v", err)
		}
		for range 2 {
			if a := f.run(wanted()); a.Result != nil || a.Approval.Answer != "declined" || a.Approval.Reason != "because" {
				t.Errorf("declined: %+v", a.Approval)
			}
		}

		req := wanted()
		req.Args = nil
		id = f.pending(req)
		yes := f.all(func() error { return f.answer(bob(), id, "approve") })
		if yes != 1 {
			t.Errorf("%d of 8 say yes first", yes)
		}
		ran := f.all(func() error {
			if a, err := f.gate.Run(t.Context(), req); err != nil || a.Result == nil {
				return errors.Join(err, errors.New("it waits"))
			}
			return nil
		})
		if ran != 1 || f.runs() != 1 {
			t.Errorf("one yes is used %d times, and %d programs ran", ran, f.runs())
		}
		if err := f.answer(bob(), id, "approve"); !errors.Is(err, ErrNone) {
			t.Errorf("a yes to what was used: %v", err)
		}
		f.pending(req)
	})
}

// all does a thing eight times at once, and says how often there was no error.
func (f *fixture) all(do func() error) int {
	var n atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 8 {
		all.Go(func() {
			<-start
			if do() == nil {
				n.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	return int(n.Load())
}

func TestExpires(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.pending(wanted())
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		f.now.Add(int64(15 * time.Minute))
		late := f.pending(wanted())
		if late == id {
			t.Error("an old question is asked again")
		}
		f.now.Add(int64(15 * time.Minute))
		if err := f.answer(bob(), late, "approve"); !errors.Is(err, ErrNone) {
			t.Errorf("a late yes: %v", err)
		}
		if list, err := f.queue.List(t.Context(), bob()); err != nil || len(list) != 0 {
			t.Errorf("what is over is listed: %+v, %v", list, err)
		}
	})
}

// An answer that is not on record counts for nothing.
func TestUnrecordedAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.pending(wanted())
		f.full = true
		if err := f.answer(bob(), id, "approve"); !errors.Is(err, gate.ErrNotRecorded) {
			t.Errorf("an answer that is not on record: %v", err)
		}
		f.full = false
		f.pending(wanted())
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Error(err)
		}
		f.full = true
		if a, err := f.gate.Run(t.Context(), wanted()); err == nil || a.Result != nil || f.runs() != 0 {
			t.Errorf("with a full disk: %+v, %v", a, err)
		}
	})
}

// aside is how a call waits in tests: it says so first.
func aside(req gate.Request, waits chan<- struct{}) gate.Request {
	req.Patience = time.Hour
	req.Aside = func(wait func()) error { waits <- struct{}{}; wait(); return nil }
	return req
}

// A call that waits runs when somebody says yes, and ends by itself when nobody
// does. Of calls that wait for one yes, one runs.
func TestWait(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.queue.Hold(2)
		waits, answers := make(chan struct{}, 10), make(chan gate.Answer, 10)
		for range 2 {
			go func() {
				a, err := f.gate.Run(t.Context(), aside(wanted(), waits))
				if err != nil {
					t.Error(err)
				}
				answers <- a
			}()
			<-waits
		}
		id := (<-f.told).ID
		if again := f.pending(aside(wanted(), waits)); again != id { // a third one may not wait
			t.Errorf("%s is asked about, too", again)
		}
		if err := f.answer(bob(), id, "approve"); err != nil {
			t.Fatal(err)
		}
		if a := <-answers; a.Result == nil || f.runs() != 1 {
			t.Errorf("approved: %+v", a.Approval)
		}
		<-waits // the other one goes on waiting, for an answer of its own
		if next := <-f.told; next.ID == id {
			t.Error("it was asked by the same name")
		} else if err := f.answer(bob(), next.ID, "decline"); err != nil {
			t.Error(err)
		}
		if a := <-answers; a.Result != nil || a.Approval.Answer != "declined" || f.runs() != 1 {
			t.Errorf("declined: %+v", a.Approval)
		}

		// Gone: the question stays, and its answer is there for the next call.
		req := wanted()
		req.Args = nil
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan gate.Answer)
		go func() {
			a, _ := f.gate.Run(ctx, aside(req, waits))
			gone <- a
		}()
		<-waits
		cancel()
		if a := <-gone; a.Result != nil {
			t.Errorf("a call that has gone: %+v", a.Approval)
		}
		if err := f.answer(bob(), (<-f.told).ID, "approve"); err != nil {
			t.Error(err)
		}
		if a := f.run(req); a.Result == nil {
			t.Errorf("the next one: %+v", a.Approval)
		}

		// A yes that is late for the one who waits.
		req.Args = []string{"late"}
		go func() {
			a, _ := f.gate.Run(t.Context(), aside(req, waits))
			gone <- a
		}()
		<-waits
		late := <-f.told
		if err := f.answer(bob(), late.ID, "approve"); err != nil {
			t.Error(err)
		}
		if a := <-gone; a.Result == nil {
			t.Errorf("in time: %+v", a.Approval)
		}
		req.Args = []string{"too late"}
		req.Aside = func(wait func()) error {
			f.now.Add(int64(15 * time.Minute))
			go func() {
				f.wake()
			}()
			wait()
			return nil
		}
		req.Patience = time.Hour
		if a := f.run(req); a.Result != nil || a.Approval.Answer != "timeout" {
			t.Errorf("late: %+v", a.Approval)
		}
	})
}

// Who asks much fills no memory, and keeps nobody else from asking.
func TestBounds(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		req := wanted()
		for n := range maxOf {
			req.Args = []string{fmt.Sprint(n)}
			f.pending(req)
		}
		req.Args = []string{"one more"}
		if a := f.run(req); a.Approval.Answer != "too_many" || a.Result != nil {
			t.Errorf("one more: %+v", a.Approval)
		}
		req.Principal = principal("eve")
		f.pending(req)
		for n := range maxAll {
			req.Principal = principal(fmt.Sprint(n))
			a := f.run(req)
			if full := n >= maxAll-maxOf-1; full != (a.Approval.Answer == "too_many") || a.Result != nil {
				t.Fatalf("%d: %+v", n, a.Approval)
			}
		}
		f.now.Add(int64(15 * time.Minute))
		req.Source = append(req.Source, strings.Repeat("#", maxShown)...)
		if a := f.run(req); a.Approval.Answer != "unsupported" || a.Result != nil {
			t.Errorf("a program that nobody could read: %+v", a.Approval)
		}
	})
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"answer":"approve"}`:               "approve",
		`{"answer":"decline","reason":"no"}`: "decline",
		`{"answer":"yes"}`:                   "",
		`{"answer":true}`:                    "",
		`{"reason":"no"}`:                    "",
		`{"answer":"approve","id":"x"}`:      "",
		`{"answer":"approve"}{}`:             "",
		``:                                   "",
		`null`:                               "",
		`{"answer":"approve","reason":"` + strings.Repeat("x", maxReason+1) + `"}`: "",
	} {
		if g, err := ReadAnswer([]byte(text)); (err == nil) != (want != "") || err == nil && g.Answer != want {
			t.Errorf("%s is %+v, %v", text, g, err)
		}
	}
}

// Limits are said in words, and each of them.
func TestLimitsInWords(t *testing.T) {
	t.Parallel()
	v := View{Limits: policy.Limits{WallMillis: 1500, CPUMillis: 60_000, MemoryBytes: 512 << 20, Processes: 64, OutputBytes: 256 << 10, FileBytes: 16 << 20, DiskBytes: 1 << 30, ArtifactBytes: 8 << 20, ArtifactCount: 32}}
	const want = "limits       1.5 s, 1 minute of processor time, 512MiB of memory, 64 processes and threads, 256KiB of output, 1GiB on disk, 16MiB in one file, 32 files out, 8MiB of files out\n"
	if !strings.Contains(v.Text(), want) {
		t.Errorf("it is shown as\n%s", v.Text())
	}
	v.Limits = policy.Limits{}
	if text := v.Text(); !strings.Contains(text, "limits       none\n") {
		t.Errorf("without any it is shown as\n%s", text)
	}
}
