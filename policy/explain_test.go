package policy

import (
	"strings"
	"testing"
)

const rulesExplained = `package sallyport.rules.p

# METADATA
# title: Fires
# custom: {id: fires}
deny contains {"rule": "fires", "symbol": name, "message": "no"} if {
	some name in input.capabilities.process
}

# METADATA
# title: Nearly
# custom: {id: nearly}
deny contains {"rule": "nearly", "symbol": name, "message": "no"} if {
	some name in input.capabilities.process
	input.request.user == "root"
}

# METADATA
# title: Sleeps
# custom: {id: sleeps}
deny contains {"rule": "sleeps", "symbol": name, "message": "no"} if {
	some name in input.capabilities.network
	name != ""
}
`

func TestExplain(t *testing.T) {
	e := newEngine(t, rulesExplained)
	x := e.Explain(ctx, mentions(validInput(), "os.system"), true)
	if x.Decision.Effect != Deny || len(x.Rules) != 3 {
		t.Fatalf("%+v", x)
	}
	byID := map[string]RuleExplanation{}
	for _, r := range x.Rules {
		byID[r.ID] = r
	}
	if r := byID["fires"]; r.Outcome != OutcomeFired || len(r.Findings) != 1 || r.Findings[0].Symbol != "os.system" {
		t.Errorf("fires: %+v", r)
	}
	if r := byID["nearly"]; r.Outcome != OutcomeAlmost || r.StopLine != 15 || r.StopFile != "p/a.rego" || r.Condition != `input.request.user == "root"` {
		t.Errorf("nearly: %+v", r)
	}
	if r := byID["sleeps"]; r.Outcome != OutcomeSilent || r.Condition != "" {
		t.Errorf("sleeps: %+v", r)
	}
	if !strings.Contains(x.Trace, "p/a.rego:7") {
		t.Errorf("the trace does not show the rule that fired:\n%s", x.Trace)
	}
	if x := e.Explain(ctx, mentions(validInput(), "os.system"), false); x.Trace != "" {
		t.Error("a trace that nobody asked for")
	}
	var none *Engine
	if x := none.Explain(ctx, validInput(), true); x.Decision.Effect != Deny || x.Rules != nil {
		t.Errorf("no engine: %+v", x)
	}
}

func TestTest(t *testing.T) {
	test := `package sallyport.rules.p_test

test_denied if {
	count(data.sallyport.rules.p.deny) == 1 with input.capabilities.process as ["os.system"]
}

test_wrong if {
	print("seen")
	count(data.sallyport.rules.p.deny) == 1
}

todo_test_later if false
`
	own, err := LoadDir(dirFS(map[string]string{
		"rules.rego":      strings.ReplaceAll(rulesExplained, "sallyport.rules.p", "sallyport.rules.own"),
		"rules_test.rego": strings.ReplaceAll(test, "sallyport.rules.p", "sallyport.rules.own"),
	}), "own")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Test(ctx, Options{Policies: []*Policy{own}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Passed() || len(report.Results) != 3 {
		t.Fatalf("%+v", report)
	}
	ok, wrong, later := report.Results[0], report.Results[1], report.Results[2]
	if !ok.Passed || ok.Name != "sallyport.rules.own_test.test_denied" || ok.File != "own/rules_test.rego" || ok.Line != 3 {
		t.Errorf("%+v", ok)
	}
	if wrong.Passed || !strings.Contains(wrong.Detail, "seen") || !strings.Contains(wrong.Detail, "line 9 does not hold:\n") || !strings.Contains(wrong.Detail, "count(data.sallyport.rules.own.deny) == 1") {
		t.Errorf("%+v", wrong)
	}
	if later.Passed || !later.Skipped {
		t.Errorf("%+v", later)
	}
	if len(report.Files) != 1 || report.Files[0].File != "own/rules.rego" || report.Coverage <= 0 || report.Coverage >= 100 || len(report.Files[0].Missing) == 0 {
		t.Errorf("coverage %v: %+v", report.Coverage, report.Files)
	}
	if (TestReport{}).Passed() {
		t.Error("no tests at all pass")
	}
}
