package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sallyport/answer"
	"sallyport/policy"
)

// hostile is text that tries to break out of every format.
const hostile = "a<b>&\"']]>\n::error file=x::owned\r\n\x1b]0;t\a\x00\u202e%0A{0} [x](y)\xff"

// hostileOutcomes are checks whose every text is the adversary's.
func hostileOutcomes() []File {
	finding := policy.Finding{
		Rule: "process", Title: hostile, Message: hostile, Severity: "high", Action: policy.ActionDeny,
		Span: policy.Span{Line: 2, Column: 3, EndLine: 2, EndColumn: 9}, Symbol: hostile, Capability: "process", Remediation: hostile,
	}
	warn := finding
	warn.Action, warn.Rule, warn.Exception = policy.ActionWarn, "careful", hostile
	judged := func(effect policy.Effect, fs ...policy.Finding) answer.Answer {
		return answer.Answer{Name: hostile, Decision: policy.Decision{Effect: effect, Reason: policy.ReasonPolicy, Findings: fs}}
	}
	timeout := answer.Answer{Decision: policy.Decision{Effect: policy.Deny, Reason: policy.ReasonTimeout, Detail: "the rules took too long"}}
	return []File{
		{Name: hostile, Answer: judged(policy.Deny, finding, finding)},
		{Name: "dir/with: colon, and %.py", Answer: judged(policy.Allow, warn)},
		{Name: "c:olon.py", Answer: timeout},
		{Name: "/abs/ok.py", Answer: judged(policy.Allow)},
		{Name: "gone.py", Err: errors.New("no such file: " + hostile)},
	}
}

func render(t *testing.T, rep Handler, out *bytes.Buffer) string {
	t.Helper()
	var sum Summary
	for _, c := range hostileOutcomes() {
		sum.Add(c, "ask")
		if err := rep.File(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := rep.End(sum); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestJSONReport(t *testing.T) {
	var out bytes.Buffer
	var doc struct {
		Version string
		Answers []answer.Answer
		Errors  []FileError
		Summary Summary
	}
	dec := json.NewDecoder(strings.NewReader(render(t, &jsonReport{w: &out}, &out)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	want := Summary{Checked: 4, Allowed: 2, Denied: 2, Warned: 1, Unreadable: 1, Failed: 2}
	if doc.Version != "check/v1" || len(doc.Answers) != 4 || len(doc.Errors) != 1 || doc.Summary != want {
		t.Errorf("got %d answers, %d errors, summary %+v", len(doc.Answers), len(doc.Errors), doc.Summary)
	}
}

func TestJUnitReport(t *testing.T) {
	var out bytes.Buffer
	text := render(t, &junitReport{w: &out, failOn: "ask"}, &out)
	var doc junitSuites
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("not well-formed: %v", err)
	}
	s := doc.Suites[0]
	if s.Tests != 5 || len(s.Cases) != 5 || s.Failures != 2 || s.Errors != 1 {
		t.Errorf("tests %d, cases %d, failures %d, errors %d; want 5, 5, 2, 1", s.Tests, len(s.Cases), s.Failures, s.Errors)
	}
	if f := s.Cases[0].Failure; f == nil || !strings.Contains(f.Text, "a<b>&\"']]>") {
		t.Errorf("the message did not survive: %+v", f)
	}
	if s.Cases[1].Failure != nil || s.Cases[4].Error == nil {
		t.Error("a warning fails, or an unreadable file does not")
	}
}

// Nothing that the adversary writes begins a workflow command of its own.
func TestGitHubReport(t *testing.T) {
	var out bytes.Buffer
	lines := strings.Split(strings.TrimSpace(render(t, &githubReport{&out, Options{}}, &out)), "\n")
	want := []string{"::error ", "::warning ", "::error ", "::error ", "4 checked"} // the two findings of the first are one place
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, l := range lines {
		if !strings.HasPrefix(l, want[i]) {
			t.Errorf("line %d is %q, want %s…", i, l, want[i])
		}
		if strings.ContainsAny(l, "\r\x1b\x00") {
			t.Errorf("line %d has control characters: %q", i, l)
		}
	}
	if !strings.Contains(lines[1], "file=dir/with%3A colon%2C and %25.py,line=2,endLine=2,col=3,endColumn=9,title=") {
		t.Errorf("properties not escaped: %s", lines[1])
	}
}

// sarifKeys are the properties of the standard that we use, by object, all of
// which close their schema: any other key would make the log invalid.
func sarifKeys() map[string][]string {
	return map[string][]string{
		"":                 {"$schema", "version", "runs"},
		"runs":             {"tool", "invocations", "columnKind", "results"},
		"tool":             {"driver"},
		"driver":           {"name", "semanticVersion", "rules"},
		"rules":            {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
		"shortDescription": {"text"}, "fullDescription": {"text"}, "help": {"text"}, "message": {"text"},
		"defaultConfiguration":       {"level"},
		"invocations":                {"executionSuccessful", "toolExecutionNotifications"},
		"toolExecutionNotifications": {"level", "message", "locations"},
		"results":                    {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "suppressions", "properties"},
		"suppressions":               {"kind", "status", "justification"},
		"locations":                  {"physicalLocation"},
		"physicalLocation":           {"artifactLocation", "region"},
		"artifactLocation":           {"uri", "uriBaseId"},
		"region":                     {"startLine", "startColumn", "endLine", "endColumn"},
	}
}

// checkSARIFKeys walks the log as plain JSON.
func checkSARIFKeys(t *testing.T, at string, v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			checkSARIFKeys(t, at, x)
		}
	case map[string]any:
		keys, ok := sarifKeys()[at]
		if at == "properties" || at == "partialFingerprints" {
			return // open by the standard
		}
		if !ok {
			t.Errorf("no object may stand at %q", at)
		}
		for k, x := range v {
			if !slices.Contains(keys, k) {
				t.Errorf("the standard has no %s.%s", at, k)
			}
			checkSARIFKeys(t, k, x)
		}
	}
}

func TestSARIFReport(t *testing.T) {
	var out bytes.Buffer
	rules := []policy.RuleInfo{{ID: "process", Title: "Starts", Description: hostile, Severity: "critical", Effective: policy.ActionDeny, CWE: "CWE-78", Capability: "process"}}
	text := render(t, newSARIF(&out, Options{Rules: rules}), &out)
	var plain any
	if err := json.Unmarshal([]byte(text), &plain); err != nil {
		t.Fatal(err)
	}
	checkSARIFKeys(t, "", plain)
	var doc sarifLog
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != "2.1.0" || len(doc.Runs) != 1 || doc.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("not a log of version 2.1.0 with one run: %s", text)
	}
	run := doc.Runs[0]
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if ids[r.ID] || r.ID == "" || r.Short.Text == "" || !slices.Contains([]string{"error", "warning", "note"}, r.Default.Level) {
			t.Errorf("rule %+v is listed twice or incomplete", r)
		}
		ids[r.ID] = true
	}
	if len(run.Results) != 4 {
		t.Fatalf("%d results, want 4", len(run.Results))
	}
	if sup := run.Results[2].Suppressions; len(sup) != 1 || sup[0].Kind != "external" || sup[0].Status != "accepted" {
		t.Errorf("suppressions %+v, want the exception", sup)
	}
	prints := map[string]bool{}
	for _, r := range run.Results {
		checkSARIFResult(t, run, r)
		p := r.Fingerprints["sallyport/v1"]
		if p == "" || prints[p] {
			t.Errorf("fingerprint %q is empty or not the result's own", p)
		}
		prints[p] = true
	}
	inv := run.Invocations
	if len(inv) != 1 || inv[0].Successful || len(inv[0].Notifications) != 1 {
		t.Errorf("invocations %+v, want one that failed on one file", inv)
	}
}

func checkSARIFResult(t *testing.T, run sarifRun, r sarifResult) {
	t.Helper()
	if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
		t.Errorf("result of rule %s points to rule %d", r.RuleID, r.RuleIndex)
	}
	if r.Message.Text == "" || strings.Contains(strings.NewReplacer("{{", "", "}}", "").Replace(r.Message.Text), "{") {
		t.Errorf("message %q is empty or has a placeholder", r.Message.Text)
	}
	for _, l := range r.Locations {
		u, err := url.Parse(l.Physical.Artifact.URI)
		if err != nil || u.Scheme != "" && u.Scheme != "file" {
			t.Errorf("uri %q: %v", l.Physical.Artifact.URI, err)
		}
		if g := l.Physical.Region; g != nil && (g.StartLine < 1 || g.StartColumn < 1 || g.EndLine < g.StartLine || g.EndLine == g.StartLine && g.EndColumn < g.StartColumn) {
			t.Errorf("region %+v", *g)
		}
	}
}

// A finding keeps its fingerprint when lines are put above it.
func TestSARIFFingerprintSurvivesMovedLines(t *testing.T) {
	print := func(source string, line int) string {
		f := policy.Finding{Rule: "r", Symbol: "os.system", Span: policy.Span{Line: line}}
		return newSARIF(nil, Options{}).fingerprint(File{Name: "a.py", Source: source}, f)
	}
	if a, b := print("os.system(x)\n", 1), print("# new\n  os.system(x)\n", 2); a != b {
		t.Errorf("%s became %s", a, b)
	}
	if a, b := print("os.system(x)\n", 1), print("os.system(y)\n", 1); a == b {
		t.Error("two lines, one fingerprint")
	}
}

// FuzzReports holds that no text of the adversary's breaks out of a format.
func FuzzReports(f *testing.F) {
	f.Add(hostile, hostile)
	f.Add("a.py", "fine")
	f.Add("::error::x", "##[error]\u2028\u0085")
	f.Fuzz(func(t *testing.T, name, message string) {
		c := File{Name: name, Source: message, Answer: answer.Answer{Decision: policy.Decision{
			Effect: policy.Deny, Reason: policy.ReasonPolicy, Findings: []policy.Finding{{
				Rule: message, Title: message, Message: message, Action: policy.ActionDeny, Symbol: name,
				Span: policy.Span{Line: 1, Column: 1, EndLine: 1, EndColumn: 2},
			}},
		}}}
		write := func(rep Handler) {
			if err := rep.File(c); err != nil {
				t.Fatal(err)
			}
			if err := rep.End(Summary{}); err != nil {
				t.Fatal(err)
			}
		}
		var sarif, junit, github, text bytes.Buffer
		write(newSARIF(&sarif, Options{}))
		if !json.Valid(sarif.Bytes()) {
			t.Errorf("not JSON: %s", sarif.String())
		}
		write(&junitReport{w: &junit, failOn: "ask"})
		if err := xml.Unmarshal(junit.Bytes(), new(junitSuites)); err != nil {
			t.Errorf("not XML: %v", err)
		}
		write(&githubReport{&github, Options{}})
		if n := strings.Count(github.String(), "\n"); n != 2 {
			t.Errorf("%d lines, want one command and the summary: %q", n, github.String())
		}
		write(&textReport{NewText(&text, Style{}), Options{}})
		if strings.ContainsAny(github.String()+text.String(), "\x1b\r\x00\u2028\u202e") {
			t.Errorf("control characters: %q", text.String())
		}
	})
}
