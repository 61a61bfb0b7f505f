package policies_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sallyport/policies"
	"sallyport/policy"
)

// TestBaseline judges single symbols by the embedded baseline pack.
func TestBaseline(t *testing.T) {
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ language, name, rule string }{
		{"python", "os.system", "process"},
		{"python", "subprocess.run", "process"},
		{"python", "socket.socket", "network"},
		{"python", "builtins.exec", "code-eval"},
		{"python", "builtins.print", ""},
		{"python", "os.path.join", ""},
		{"javascript", "node:child_process.exec", "process"},
		{"javascript", "globalThis.eval", "code-eval"},
		{"javascript", "globalThis.fetch", "network"},
		{"javascript", "globalThis.console.log", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			span := policy.Span{Line: 3, Column: 1, EndLine: 3, EndColumn: 4}
			d := e.Decide(context.Background(), policy.Input{Source: policy.Source{
				Version: policy.FactsVersion, Language: tt.language, SHA256: strings.Repeat("a", 64), Complete: true,
				Names: []string{tt.name}, Uses: map[string][]policy.Use{tt.name: {{How: "call", Span: span}}},
			}})
			if tt.rule == "" {
				if d.Effect != policy.Allow {
					t.Errorf("not allowed: %+v", d)
				}
				return
			}
			if d.Effect != policy.Deny || len(d.Findings) != 1 || d.Findings[0].Rule != tt.rule || d.Findings[0].Span != span {
				t.Errorf("want a denial by rule %s, got %+v", tt.rule, d)
			}
			if !slices.Contains(d.Deny, d.Findings[0].Capability) {
				t.Errorf("%s is denied, but not at run time: %v", d.Findings[0].Capability, d.Deny)
			}
		})
	}
}

// TestPacksLoad holds that every pack compiles on its own and together.
func TestPacksLoad(t *testing.T) {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range packs {
		all = append(all, p.Name)
		if p.Title == "" || p.Description == "" {
			t.Errorf("pack %s does not say what it is", p.Name)
		}
		e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{p.Name}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Rules() {
			if r.Description == "" || (r.Action != policy.ActionLog && r.Remediation == "" && r.ID != "hygiene") {
				t.Errorf("rule %s lacks a description or a remediation", r.ID)
			}
			if p.Name == "observe" && r.Effective != policy.ActionLog {
				t.Errorf("observe: rule %s may %s", r.ID, r.Effective)
			}
		}
	}
	if want := []string{"baseline", "data-science", "observe", "strict"}; !slices.Equal(all, want) {
		t.Errorf("packs %v, want %v", all, want)
	}
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: all})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rules() {
		if r.ID == "process" && r.Effective != policy.ActionDeny {
			t.Errorf("observe beside baseline makes rule %s milder: %s", r.ID, r.Effective)
		}
	}
}

// TestRego runs the tests beside the rules and holds their coverage.
func TestRego(t *testing.T) {
	report, err := policy.Test(context.Background(), policy.Options{FS: policies.FS, Packs: []string{"baseline", "strict", "data-science", "observe"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if !r.Passed {
			t.Errorf("%s:%d: %s failed %s", r.File, r.Line, r.Name, r.Detail)
		}
	}
	if !report.Passed() {
		t.Errorf("of %d tests not all passed", len(report.Results))
	}
	if report.Coverage < 95 {
		t.Errorf("the tests reach %.1f %% of the lines, want 95", report.Coverage)
	}
	for _, f := range report.Files {
		t.Logf("%s: %d lines covered, missing %v", f.File, f.Covered, f.Missing)
	}
}
