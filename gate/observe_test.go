package gate

import (
	"context"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
	"sallyport/telemetry"
	"sallyport/telemetry/telemetrytest"
)

// observed makes the gate of a fixture tell a collector about its requests.
func observed(t *testing.T, f fixture) (*telemetrytest.Collector, func()) {
	t.Helper()
	c := telemetrytest.New(t)
	tel, err := telemetry.New(telemetry.Options{OTLP: telemetry.OTLP{Endpoint: c.URL}})
	if err != nil {
		t.Fatal(err)
	}
	f.gate.opts.Observe = tel.Observe
	flush := func() {
		if err := tel.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	return c, flush
}

// Whatever a program, its files, its arguments or its output hold, telemetry
// does not.
func TestTelemetryNeverHoldsTheCode(t *testing.T) {
	const leak = "xq7sVhA0secret4711"
	f := newFixture(t)
	f.backend.res = sandbox.Result{
		Reason: sandbox.Exited, Stdout: []byte(leak), Stderr: []byte(leak), Warm: true,
		Artifacts:  []sandbox.File{{Path: leak, Data: []byte(leak)}},
		Violations: []sandbox.Violation{{Capability: "process", Detail: leak}},
	}
	f.gate.opts.Environments = map[string]Environment{"default": {Env: map[string]string{"E": leak}, Secrets: map[string]string{"S": leak}}}
	c, flush := observed(t, f)
	sources := []string{
		leak + " = '" + leak + "'\nprint(" + leak + ") # " + leak + "\n", // runs
		"import os\nos.system('" + leak + "')\n",                         // denied
		"import " + leak + "\n" + leak + ".x()\n",
		"def " + leak + " (:\n", // no program
		"'" + leak + "\x00'",    // refused
	}
	for _, code := range sources {
		req := py(code)
		req.Name, req.Client, req.Session = leak+".py", leak, leak
		req.Labels = map[string]string{leak: leak}
		req.Args, req.Stdin = []string{leak}, []byte(leak)
		req.Files = []sandbox.File{{Path: leak + ".py", Data: []byte("import os; os.system('" + leak + "')")}, {Path: leak + ".txt", Data: []byte(leak)}}
		for _, files := range [][]sandbox.File{nil, req.Files} {
			req.Files = files
			if _, err := f.gate.Run(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
		req.Language = analyze.Language(leak)
		if _, err := f.gate.Check(context.Background(), req); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	raw := string(c.Raw())
	if strings.Contains(raw, leak) {
		t.Errorf("what the program holds got out:\n%q", raw)
	}
	if n := len(c.Spans()); n < 3*len(sources)*3 {
		t.Errorf("only %d spans arrived: the test looks at too little", n)
	}
	for _, want := range []string{"sallyport.denials", "process", "warm", "source_refused", "syntax_error", "exited"} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %q arrived", want)
		}
	}
}

// What is counted is what happened.
func TestTelemetryOfARun(t *testing.T) {
	f := newFixture(t)
	c, flush := observed(t, f)
	ans, err := f.gate.Run(context.Background(), py("print(1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	flush()
	var names []string
	for _, s := range c.Spans() {
		names = append(names, strings.TrimPrefix(s.Name, "sallyport."))
	}
	if got := strings.Join(names, " "); got != "request judge record run end" {
		t.Errorf("spans %q", got)
	}
	if !strings.Contains(string(c.Raw()), ans.ID) {
		t.Error("the trace does not name its decision in the audit log")
	}
	h := c.Metric("sallyport.run.duration").GetHistogram()
	if h == nil || h.DataPoints[0].Count != 1 {
		t.Errorf("run.duration = %v", h)
	}
	if m := c.Metric("sallyport.audit.duration").GetHistogram(); m == nil || len(m.DataPoints) != 2 {
		t.Errorf("audit.duration = %v, want one for the decision and one for the end", m)
	}
}

// A program that does not parse is counted and recorded as that, and not as what
// a rule denied.
func TestSyntaxErrorIsNoDenialOfARule(t *testing.T) {
	f := newFixture(t)
	var seen []telemetry.Request
	f.gate.opts.Observe = func(r telemetry.Request) { seen = append(seen, r) }
	for _, code := range []string{"if x\n", "import os\nos.system('id')\n"} {
		if _, err := f.gate.Run(context.Background(), py(code)); err != nil {
			t.Fatal(err)
		}
	}
	if r := seen[0]; r.Effect != "deny" || r.Reason != "syntax_error" || len(r.Denied) != 0 {
		t.Errorf("counted as %+v", r)
	}
	if r := seen[1]; r.Reason != "policy" || len(r.Denied) == 0 {
		t.Errorf("a denial is counted as %+v", r)
	}
	if v := f.log.records[0].Verdict; v.Reason != "syntax_error" || len(v.Findings) != 1 || v.Findings[0].Line != 1 || v.Findings[0].Column != 5 {
		t.Errorf("recorded as %+v", v)
	}

	// Where rules deny the program, a file that does not parse does not hide it.
	req := py("import os\nos.system('id')\n")
	req.Files = []sandbox.File{{Path: "helper.py", Data: []byte("if x\n")}}
	if a, err := f.gate.Run(context.Background(), req); err != nil || a.Decision.Reason != policy.ReasonPolicy || len(a.Decision.Findings) < 2 {
		t.Errorf("%+v, %v", a.Decision, err)
	}
	req = py("import helper\n")
	req.Files = []sandbox.File{{Path: "helper.py", Data: []byte("if x\n")}}
	if a, err := f.gate.Run(context.Background(), req); err != nil || a.Decision.Reason != policy.ReasonSyntax || a.Result != nil {
		t.Errorf("%+v, %v", a.Decision, err)
	}
}
