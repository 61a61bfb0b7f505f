package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

func TestRunAllowed(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	r := f.python("print(1)")
	if r.IsError || r.Meta.Result.Status != "ok" || r.text() != "1" {
		t.Errorf("result = %+v", r)
	}
	records := f.log.all()
	if len(records) != 2 {
		t.Fatalf("%d records, want a decision and an end", len(records))
	}
	if got := records[0].Caller; got.Client != "tester/1.0" || got.Tool != "run_python_code" || got.Session == "" {
		t.Errorf("caller = %+v", got)
	}
}

// The tools are the only thing in the server that can reach a sandbox, and a
// denial must not.
func TestDenialTeaches(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	r := f.python("import os\nos.system('id')\n")
	text := r.Content[0].Text
	for _, want := range []string{"nothing ran", "line 2", "os.system", "Instead:", "Do not retry the same code"} {
		if !strings.Contains(text, want) {
			t.Errorf("the denial does not say %q:\n%s", want, text)
		}
	}
	if !r.IsError || r.Meta.Result.Status != "denied" || len(r.Meta.Result.Findings) == 0 {
		t.Errorf("result = %+v", r)
	}
	if len(text) > 1200 {
		t.Errorf("the denial has %d bytes, too long for a model", len(text))
	}
	if len(f.backend.specs) != 0 {
		t.Error("denied code reached the sandbox")
	}
}

// A syntax error is told as well as an interpreter would: place, line, mark and
// cause. What does not show in the program is shown by its code point.
func TestSyntaxErrorIsSaid(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	const want = "Syntax error; nothing ran, and no rule was asked.\n" +
		"line 2, column 10: ':' is missing at the end of this line\n" +
		"   2 | if x == 1\n" +
		"     |          ^\n" +
		"Mend it, and send the whole program again."
	r := f.python("x = 1\nif x == 1\n    print(x)\n")
	if !r.IsError || r.Meta.Result.Status != "denied" || r.Meta.Result.Reason != "syntax_error" || r.Content[0].Text != want {
		t.Errorf("result = %+v\nwant %s", r, want)
	}
	if len(r.Meta.Result.Findings) != 1 || r.Meta.Result.Findings[0].Rule != "analysis.syntax" || r.Meta.Result.Findings[0].Column != 10 {
		t.Errorf("findings = %+v", r.Meta.Result.Findings)
	}
	r = f.python("x = 'a\u200b' 1\nx = [x 'b\u200b\u2060c']\n")
	if text := r.Content[0].Text; strings.ContainsAny(text, "\u200b\u2060") || !strings.Contains(text, "<U+200B>") {
		t.Errorf("what does not show is sent as it is:\n%q", text)
	}
	if len(f.backend.specs) != 0 {
		t.Error("a program that does not parse reached the sandbox")
	}
}

func TestManyFindingsStayShort(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	r := f.python("import os\n" + strings.Repeat("os.system('id')\nimport socket\neval(input())\n", 100))
	if n := len(r.Content[0].Text); n > 6000 {
		t.Errorf("%d bytes:\n%s", n, r.Content[0].Text)
	}
	if len(r.Meta.Result.Findings) > maxFindings {
		t.Errorf("%d findings", len(r.Meta.Result.Findings))
	}
}

func TestEndings(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	for how, want := range map[string]struct{ status, text string }{
		"reason timeout":   {"stopped", "longer than it may"},
		"reason cpu":       {"stopped", "processor time"},
		"reason memory":    {"stopped", "more memory"},
		"reason pids":      {"stopped", "processes or threads"},
		"reason output":    {"stopped", "printed more"},
		"reason disk":      {"stopped", "disk"},
		"reason killed":    {"failed", "signal"},
		"reason cancelled": {"stopped", "cancelled"},
		"reason mismatch":  {"denied", "eval<U+202E>"},
		"reason new":       {"error", "not known"},
		"fail":             {"failed", "exit code 1"},
		"broken":           {"error", "says nothing about the code"},
	} {
		t.Run(how, func(t *testing.T) {
			r := f.python("# " + how + "\nprint(1)")
			if !r.IsError || r.Meta.Result.Status != want.status || !strings.Contains(r.Content[0].Text, want.text) {
				t.Errorf("result = %+v", r)
			}
		})
	}
	if !strings.Contains(f.logs.String(), "/root/secret/place") {
		t.Error("the operator's log does not say what went wrong")
	}
}

// Nothing of the host may be in what a client gets.
func TestNoHostDetail(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	for _, code := range []string{"# broken\nprint(1)", "# fail\nprint(1)"} {
		f.send(call("1", "run_python_code", `{"code":`+quote(code)+`}`))
		if m := f.answer("1"); strings.Contains(string(m.Result), "/root/") {
			t.Errorf("%s: the result names a place of the host: %s", code, m.Result)
		}
	}
}

func TestTracebackIsTrimmed(t *testing.T) {
	for _, tt := range []struct{ name, language, in, want string }{
		{"python", "python", strings.ReplaceAll(traceback, "/opt/python/lib/python3.11", "<python>"), `Traceback (most recent call last):
  File "/workspace/main.py", line 3, in <module>
    json.loads("{")
  [2 frames of libraries left out]
json.decoder.JSONDecodeError: Expecting property name
`},
		{"own frames after library frames", "python", `before
Traceback (most recent call last):
  File "<python>/runpy.py", line 1, in run
    run()
  File "/workspace/helper.py", line 2, in f
    g()
  File "<frozen importlib._bootstrap>", line 1, in h
ValueError: x
  File "<python>/kept.py", line 9, not a frame
`, `before
Traceback (most recent call last):
  [1 frames of libraries left out]
  File "/workspace/helper.py", line 2, in f
    g()
  [1 frames of libraries left out]
ValueError: x
  File "<python>/kept.py", line 9, not a frame
`},
		{"no traceback", "python", "  File \"<python>/x.py\", line 1\n", "  File \"<python>/x.py\", line 1\n"},
		{"node", "javascript", "Error: x\n    at f (/workspace/main.js:1:2)\n    at node:internal/main:1:1\n    at g (node:fs:1:1)\n\nNode.js v20.1.0\n",
			"Error: x\n    at f (/workspace/main.js:1:2)\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(trimTraceback(tt.language, []byte(tt.in)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestArtifacts(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	r := f.python("# files\nprint(1)")
	var kinds []string
	for _, c := range r.Content {
		kinds = append(kinds, c.Type)
	}
	if diff := cmp.Diff([]string{"text", "image", "resource", "resource_link"}, kinds); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if b, _ := base64.StdEncoding.DecodeString(r.Content[1].Data); string(b) != "\x89PNG fake" || r.Content[1].MIMEType != "image/png" {
		t.Errorf("picture = %+v", r.Content[1])
	}
	if r.Content[2].Resource.Text != "a,b\n1,2\n" {
		t.Errorf("text file = %+v", r.Content[2])
	}
	if !strings.Contains(r.Content[0].Text, "2 files were left behind") {
		t.Errorf("text = %s", r.Content[0].Text)
	}
	f.send(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":` + quote(r.Content[3].URI) + `}}`)
	if m := f.answer("7"); !strings.Contains(string(m.Result), base64.StdEncoding.EncodeToString([]byte{0xff, 0xff, 0xff})) {
		t.Errorf("the linked file is not served: %.200s %+v", m.Result, m.Error)
	}
	f.send(`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"sallyport://runs/decision-1/files/../../etc/passwd"}}`)
	if m := f.answer("8"); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("a file that is not there: %+v %s", m.Error, m.Result)
	}
}

// A client of an old protocol knows no links; it must not get one.
func TestOldClientGetsNoLinks(t *testing.T) {
	f := newFixture(t)
	f.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},` + clientName + `}}`)
	f.answer(`"init"`)
	r := f.python("# files\nprint(1)")
	for _, c := range r.Content {
		if c.Type == "resource_link" {
			t.Error("a link for a client of 2024-11-05")
		}
	}
	if !strings.Contains(r.Content[0].Text, "sallyport://runs/decision-1/files/big%20file.bin") {
		t.Errorf("the text does not name the file's address: %s", r.Content[0].Text)
	}
}

func TestStoreForgetsTheOldest(t *testing.T) {
	s := &store{}
	for _, id := range []string{"a", "b", "c"} {
		s.add(&keptRun{id: id, size: maxKept/2 - 1})
	}
	if _, ok := s.find("", "a"); ok {
		t.Error("the oldest run is still kept")
	}
	if _, ok := s.find("", "c"); !ok || s.all > maxKept {
		t.Errorf("kept %d bytes, newest there: %v", s.all, ok)
	}
}

// What is kept for one is not there for another, and one who keeps much costs
// the others nothing.
func TestStoreKeepsOwnersApart(t *testing.T) {
	s := &store{}
	s.add(&keptRun{owner: "modest", id: "1", size: 1})
	for i := range 100 {
		s.add(&keptRun{owner: fmt.Sprint("greedy ", i%5), id: fmt.Sprint(i), size: maxKept / 2})
	}
	if _, ok := s.find("modest", "1"); !ok || s.all > maxKeptAll {
		t.Errorf("the modest one's run is there: %v; %d bytes are kept", ok, s.all)
	}
	for _, owner := range []string{"", "greedy 0", "modest "} {
		if _, ok := s.find(owner, "1"); ok {
			t.Errorf("%q finds the run of another", owner)
		}
	}
}

// A question is answered by whoever was asked, once.
func TestQuestionsAreTheirOwners(t *testing.T) {
	var q questions
	id := q.put("a", "hash", "id")
	for i := range maxQuestionsAll {
		q.put(fmt.Sprint("b", i%3), "other", fmt.Sprint(i))
	}
	if got := q.take("b1", id); got != "" {
		t.Errorf("another one answers a question about %q", got)
	}
	if got := q.take("a", id); got != "hash" {
		t.Errorf("the question was about %q", got)
	}
	if got := q.take("a", id); got != "" {
		t.Error("a question was answered twice")
	}
}

func TestLongOutputIsCut(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	r := f.python("# repeat\nprint(1)")
	if !r.Meta.Result.Truncated || len(r.text()) > defaultShown+300 || !strings.Contains(r.text(), "bytes left out") {
		t.Fatalf("stdout has %d bytes, truncated %v", len(r.text()), r.Meta.Result.Truncated)
	}
	if !strings.Contains(r.Content[0].Text, "sallyport://runs/decision-1/stdout") {
		t.Error("the text does not say where the rest is")
	}
	f.send(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"sallyport://runs/decision-1/stdout"}}`)
	if m := f.answer("7"); len(m.Result) < 1<<18 {
		t.Errorf("the whole output has %d bytes", len(m.Result))
	}
}

func TestLimitsOnlyTighten(t *testing.T) {
	f := newFixture(t, func(o *gate.Options) { o.Ceilings = sandbox.Limits{Wall: 5e9, Memory: 100 << 20} },
		func(o *Options) { o.Limits = sandbox.Limits{Wall: 5e9, Memory: 100 << 20} })
	f.initialize()
	r := f.call("run_python_code", map[string]any{"code": "print(1)", "timeout_seconds": 600, "memory_mb": 4096})
	if l := f.backend.specs[0].Limits; l.Wall != 5e9 || l.Memory != 100<<20 {
		t.Errorf("limits = %+v", l)
	}
	if strings.Count(r.text(), "\nNote: ") != 2 {
		t.Errorf("notes: %q", r.text())
	}
	f.call("run_python_code", map[string]any{"code": "print(1)", "timeout_seconds": 0.5, "memory_mb": 64})
	if l := f.backend.specs[1].Limits; l.Wall != 5e8 || l.Memory != 64<<20 {
		t.Errorf("limits = %+v", l)
	}
}

func TestInputsReachTheSandbox(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	f.call("run_javascript_code", map[string]any{
		"code": "console.log(1)", "stdin": "in", "args": []string{"-v", "x"},
		"files": []map[string]any{{"path": "a/b.txt", "content": "hi"}, {"path": "c", "content": "AAE=", "encoding": "base64"}},
	})
	s := f.backend.specs[0]
	if s.Language != "javascript" || string(s.Stdin) != "in" || cmp.Diff([]string{"-v", "x"}, s.Args) != "" {
		t.Errorf("spec = %+v", s)
	}
	want := []sandbox.File{{Path: "a/b.txt", Data: []byte("hi")}, {Path: "c", Data: []byte{0, 1}}}
	if diff := cmp.Diff(want, s.Files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	const key = "s3cret-value"
	f := newFixture(t,
		func(o *gate.Options) {
			o.Environments = map[string]gate.Environment{"default": {Secrets: map[string]string{"API_KEY": key}}}
		})
	f.initialize()
	f.send(`{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"info"}}`)
	f.answer("5")
	f.send(call("6", "run_python_code", `{"code":"# print my key: `+key+`, 1\nprint(1)"}`))
	for {
		line := f.line()
		if strings.Contains(line, key) {
			t.Fatalf("the secret is in: %s", line)
		}
		if strings.Contains(line, `"id":6`) {
			if !strings.Contains(line, "[secret API_KEY], 1") {
				t.Errorf("answer = %s", line)
			}
			break
		}
	}
	if r := f.python("# env\nprint(1)"); r.text() != "API_KEY=[secret API_KEY]" {
		t.Errorf("the program did not get its variable: %q", r.text())
	}
}

func TestUnknownEnvironment(t *testing.T) {
	f := newFixture(t, func(o *gate.Options) { o.Environments = map[string]gate.Environment{"data": {}} },
		func(o *Options) { o.Environments = answer.Environments{{Name: "data"}} })
	f.initialize()
	r := f.call("run_python_code", map[string]any{"code": "print(1)", "environment": "prod"})
	if r.Meta.Result.Reason != "environment" || !strings.Contains(r.Content[0].Text, "default, data") {
		t.Errorf("result = %+v", r)
	}
	if r := f.call("run_python_code", map[string]any{"code": "print(1)", "environment": "data"}); r.IsError {
		t.Errorf("result = %+v", r)
	}
}

func TestCheckRunsNothing(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	if r := f.call("check_code", map[string]any{"language": "python", "code": "print(1)"}); !r.Meta.Result.Allowed || r.IsError {
		t.Errorf("result = %+v", r)
	}
	r := f.call("check_code", map[string]any{"language": "javascript", "code": "require('child_process').execSync('id')"})
	if r.Meta.Result.Allowed || r.Meta.Result.Effect != "deny" || r.IsError || len(r.Meta.Result.Findings) == 0 {
		t.Errorf("result = %+v", r)
	}
	if len(f.backend.specs) != 0 {
		t.Error("a check ran code")
	}
}

// A denial that is about the installation says so, and no more than that.
func TestInstallationFaultsAreNotDetailed(t *testing.T) {
	for _, reason := range []policy.Reason{policy.ReasonError, policy.ReasonTimeout, policy.ReasonUndefined,
		policy.ReasonMalformed, policy.ReasonEmpty, policy.ReasonUnauditable, policy.ReasonUnenforced} {
		d := policy.Decision{Effect: policy.Deny, Reason: reason, Detail: "loading /etc/sallyport/secret.rego"}
		r := (&Server{}).deniedResult(gate.Answer{Decision: d}, "")
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "/etc/") || !strings.Contains(string(b), "Tell your user") {
			t.Errorf("%s: %s", reason, b)
		}
	}
}

// TypeScript is JavaScript's when it is said to be; a place is that of what was
// written.
func TestTypeScript(t *testing.T) {
	f := newFixture(t)
	f.initialize()
	const code = "type A =\n  string;\nconst run = (c: A): string => eval(c as string);"
	r := f.call("run_javascript_code", map[string]any{"typescript": true, "code": code})
	if r.Meta.Result.Reason != "policy" || r.Meta.Result.Findings[0].Line != 3 || r.Meta.Result.Findings[0].Column != 31 {
		t.Errorf("result = %+v", r.Meta)
	}
	r = f.call("run_javascript_code", map[string]any{"code": code})
	if r.Meta.Result.Reason != "syntax_error" || !strings.Contains(r.Content[0].Text, "TypeScript; say that it is") {
		t.Errorf("result = %+v", r)
	}
	f.call("run_javascript_code", map[string]any{"typescript": true, "code": "const x: number = 1; f(x)"})
	if n := len(f.backend.specs); n != 1 || f.backend.specs[0].Language != "javascript" || string(f.backend.specs[0].Code) != "const x         = 1; f(x)" {
		t.Errorf("what runs: %+v", f.backend.specs)
	}
}
