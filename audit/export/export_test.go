package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/audit"
)

var day = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// sample is one record of each kind, with what a hostile caller would put in
// the fields it controls.
func sample() []audit.Record {
	caller := audit.Caller{User: "ana", Host: "ws1", PID: 7, Tool: "run_python_code", Client: "claude-code/2.1", Session: "s|1=\n2", Program: "sallyport/1.2.3"}
	source := &audit.Source{Name: `=cmd|' /C calc'!A0`, Language: "python", SHA256: strings.Repeat("ab", 32), Bytes: 41, Code: "<script>alert(1)</script>"}
	return []audit.Record{
		{Event: audit.EventDecision, Caller: caller, Source: source, Verdict: &audit.Verdict{Effect: "deny", Reason: "policy", Packs: []string{"baseline"}, PolicyDigest: strings.Repeat("cd", 32), Micros: 1500,
			Findings: []audit.Finding{{Rule: "py.process", Action: "deny", Severity: "high", Message: "starts a process | \\ = \n</script>", Line: 2, Column: 1}}}},
		{Event: audit.EventDecision, Caller: caller, Source: source, Verdict: &audit.Verdict{Effect: "ask", Reason: "policy", Packs: []string{"baseline"}, Findings: []audit.Finding{{Rule: "acme.write", Action: "ask", Severity: "medium", Message: "writes"}}}},
		{Event: audit.EventApproval, Caller: caller, Answer: "declined"},
		{Event: audit.EventDecision, Caller: audit.Caller{Program: "sallyport/1.2.3"}, Source: source, Verdict: &audit.Verdict{Effect: "allow", Reason: "policy", Packs: []string{"baseline"}, Findings: []audit.Finding{}}},
		{Event: audit.EventEnd, Caller: caller, Run: &audit.Run{Backend: "gvisor", Reason: "timeout", Exit: 137, WallMicros: 2_000_000}},
		{Event: audit.EventNote, Note: "of the log itself"},
		{Event: audit.EventEgress, Caller: caller, Egress: &audit.Egress{Number: 1, Method: "PATCH", Scheme: "https", Host: "evil.example", Port: 443, Path: "/a|b=\n", Status: 403, Reason: "host is not allowed"}},
		{Event: audit.EventEgress, Caller: caller, Egress: &audit.Egress{Number: 2, Rule: "api", Method: "GET", Scheme: "https", Host: "api.example", Port: 443, Path: "/v1", Allowed: true}},
		{Event: audit.EventEgressEnd, Caller: caller, Egress: &audit.Egress{Number: 2, Rule: "api", Method: "GET", Scheme: "https", Host: "api.example", Port: 443, Path: "/v1", Allowed: true, Status: 200, SentBytes: 3, ReceivedBytes: 5, Address: "192.0.2.1:443", Micros: 2500}},
		{Event: audit.EventEgress, Caller: caller, Egress: &audit.Egress{Number: 3, Scheme: "https", Port: 443, Reason: "TLS handshake failed"}},
	}
}

// entries writes the sample to a log and reads it back.
func entries(t *testing.T) (string, iter.Seq2[audit.Entry, error]) {
	t.Helper()
	dir := t.TempDir()
	now := day
	l, err := audit.Open(audit.Options{Dir: dir, Now: func() time.Time { now = now.Add(time.Second); return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var last string
	for i, rec := range sample() {
		if rec.Event == audit.EventApproval || rec.Event == audit.EventEnd || rec.Egress != nil {
			rec.Decision = last
		}
		if rec.Event == audit.EventDecision {
			rec.ID = "0190b3b0-0000-7000-8000-00000000000" + string(rune('0'+i))
			last = rec.ID
		}
		if _, err := l.Append(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
	return dir, audit.Select(dir, audit.Filter{})
}

func export(t *testing.T, f Format) string {
	t.Helper()
	_, seq := entries(t)
	var b bytes.Buffer
	if err := Write(&b, f, seq); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func jsonLines(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, v)
	}
	return list
}

func TestJSONLIsTheLogItself(t *testing.T) {
	dir, seq := entries(t)
	var b, want bytes.Buffer
	if err := Write(&b, JSONL, seq); err != nil {
		t.Fatal(err)
	}
	for e := range audit.Select(dir, audit.Filter{}) {
		want.Write(append(e.Raw, '\n'))
	}
	if diff := cmp.Diff(want.String(), b.String()); diff != "" || b.Len() == 0 {
		t.Error(diff)
	}
}

func TestOCSFFollowsTheSchema(t *testing.T) {
	schema := loadSchema(t)
	events := jsonLines(t, export(t, OCSF))
	if len(events) != len(sample()) {
		t.Fatalf("%d events, want one for each of %d records", len(events), len(sample()))
	}
	var classes []float64
	for i, e := range events {
		for _, problem := range schema.validate(e) {
			t.Errorf("event %d: %s", i, problem)
		}
		classes = append(classes, e["class_uid"].(float64))
	}
	if diff := cmp.Diff([]float64{2004, 2004, 6003, 6003, 6003, 6003, 4002, 6003, 4002, 6003}, classes); diff != "" {
		t.Error(diff)
	}
	refused, answered := events[6], events[8]
	if refused["action_id"] != 2.0 || refused["activity_id"] != 99.0 || answered["activity_id"] != 3.0 || answered["traffic"].(map[string]any)["bytes_in"] != 5.0 || answered["dst_endpoint"].(map[string]any)["ip"] != "192.0.2.1" {
		t.Errorf("refused %v\nanswered %v", refused, answered)
	}
	if events[0]["severity_id"] != 4.0 || events[0]["disposition_id"] != 2.0 || events[4]["status_id"] != 2.0 {
		t.Errorf("severity %v, disposition %v of the denial, status %v of the timeout", events[0]["severity_id"], events[0]["disposition_id"], events[4]["status_id"])
	}
}

func TestSchemaCheckFindsFaults(t *testing.T) {
	schema := loadSchema(t)
	faults := map[string]func(e map[string]any){
		"required":   func(e map[string]any) { delete(e, "time") },
		"nested":     func(e map[string]any) { delete(e["finding_info"].(map[string]any), "uid") },
		"unknown":    func(e map[string]any) { e["tool"] = "x" },
		"type":       func(e map[string]any) { e["time"] = "now" },
		"enum":       func(e map[string]any) { e["severity_id"] = 12.0 },
		"class":      func(e map[string]any) { e["class_uid"] = 1.0 },
		"type_uid":   func(e map[string]any) { e["type_uid"] = 200402.0 },
		"constraint": func(e map[string]any) { e["evidences"] = []any{map[string]any{}} },
	}
	for name, damage := range faults {
		e := jsonLines(t, export(t, OCSF))[0]
		if p := schema.validate(e); len(p) > 0 {
			t.Fatalf("not valid before: %v", p)
		}
		damage(e)
		if p := schema.validate(e); len(p) == 0 {
			t.Errorf("%s: the fault is not found", name)
		}
	}
}

func TestOPAHasDecisionsOnly(t *testing.T) {
	events := jsonLines(t, export(t, OPA))
	if len(events) != 3 {
		t.Fatalf("%d events, want the three decisions", len(events))
	}
	e := events[0]
	for _, key := range []string{"labels", "decision_id", "path", "input", "result", "timestamp", "bundles", "requested_by", "metrics"} {
		if e[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	if e["requested_by"] != "claude-code/2.1" || e["result"].(map[string]any)["effect"] != "deny" {
		t.Errorf("event = %v", e)
	}
}

func TestCEF(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(export(t, CEF), "\n"), "\n")
	if len(lines) != len(sample()) {
		t.Fatalf("%d lines, want %d: a value broke one", len(lines), len(sample()))
	}
	const head = `CEF:0|sallyport|sallyport|1.2.3|decision.deny|python code: deny by py.process: starts a process \| \\ = </script>|8|rt=`
	text := strings.ReplaceAll(lines[0], "  ", " ")
	if !strings.HasPrefix(text, head) {
		t.Errorf("line 1 = %s\nwant       %s", text, head)
	}
	for i, part := range map[int]string{6: `request=https://evil.example:443/a|b\=\n requestMethod=PATCH dhost=evil.example dpt=443 reason=host is not allowed outcome=refused`, 8: `outcome=200 out=3 in=5`, 9: `reason=TLS handshake failed outcome=refused`} {
		if !strings.Contains(lines[i], part) {
			t.Errorf("line %d = %s", i, lines[i])
		}
	}
	for _, part := range []string{`suser=ana`, `fname=\=cmd|' /C calc'!A0`, `outcome=deny`, `cs3=py.process`, `msg=python code: deny by py.process: starts a process | \\ \= \n</script>`} {
		if !strings.Contains(lines[0], part) {
			t.Errorf("line 1 lacks %s", part)
		}
	}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(export(t, CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(sample())+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
				t.Errorf("a spreadsheet would calculate %q", c)
			}
		}
	}
	if rows[9][24] != "GET https://api.example:443/v1" || rows[9][26] != "200" || rows[9][28] != "5" || rows[7][25] != "host is not allowed" {
		t.Errorf("rows = %v", rows[7:10])
	}
	if rows[0][0] != "seq" || rows[1][14] != "deny" || rows[1][11] != `'=cmd|' /C calc'!A0` {
		t.Errorf("rows = %v", rows[:2])
	}
}

func TestWriteFails(t *testing.T) {
	_, seq := entries(t)
	if err := Write(&bytes.Buffer{}, "xml", seq); err == nil {
		t.Error("Write() accepts an unknown format")
	}
	broken := errors.New("unreadable")
	for _, f := range Formats() {
		err := Write(&bytes.Buffer{}, f, func(yield func(audit.Entry, error) bool) { yield(audit.Entry{}, broken) })
		if !errors.Is(err, broken) {
			t.Errorf("%s: Write() = %v, want the reader's error", f, err)
		}
		_, seq := entries(t)
		if err := Write(failing{}, f, seq); err == nil {
			t.Errorf("%s: Write() says nothing of a writer that fails", f)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }
