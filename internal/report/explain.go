package report

import (
	"slices"
	"strings"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/policy"
)

// Explanation is how rules saw a program, explain/v1.
type Explanation struct {
	Version string `json:"version"`
	Name    string `json:"name"`
	gate.Explained
}

// Explanation shows it: all of the rules on demand, also those that did not come
// near. What the analysis itself found belongs to no rule, and is left out when
// one is asked about.
func (t *Text) Explanation(e Explanation, source string, all, one bool) {
	for _, f := range e.Decision.Findings {
		if !one && !slices.ContainsFunc(e.Rules, func(x policy.RuleExplanation) bool { return x.ID == f.Rule }) {
			t.Finding(e.Name, answer.TextOf(e.Notebook, source, f), f)
		}
	}
	t.ruleOutcomes(e.Name, e.Notebook, source, e.Rules, all || one)
	for _, id := range e.Decision.Exceptions {
		t.Printf("exception %s was used\n", id)
	}
	for _, l := range e.Decision.Loosened {
		t.Printf("loosened: %s\n", l)
	}
	t.Verdict(e.Name, e.Decision)
	if e.Trace != "" {
		t.Printf("\n%s", Lines(e.Trace))
	}
}

// RequestExplanation is what explain --request shows.
type RequestExplanation struct {
	Version string `json:"version"`
	Name    string `json:"name"`
	gate.RequestAnswer
}

// RequestExplanation shows it.
func (t *Text) RequestExplanation(e RequestExplanation, all bool) {
	t.ruleOutcomes(e.Name, nil, "", e.Rules, all)
	if e.Trace != "" {
		t.Printf("%s\n", Lines(e.Trace))
	}
	q := e.Request.Method + " " + e.Request.URL()
	switch d := e.Decision; {
	case e.Refused != "":
		t.Printf("%s: %s: %s\n", q, t.Paint(Red, "denied"), e.Refused)
	case d.Effect == policy.Allow:
		t.Printf("%s: %s by rule %s of egress.allow\n", q, t.Paint(Green, "allowed"), e.Request.Rule)
	case d.Effect == policy.Ask:
		t.Printf("%s: %s %s\n", q, t.Paint(Yellow, "ask:"), answer.MustApprove)
	case d.Reason == policy.ReasonPolicy:
		t.Printf("%s: %s by a rule about requests\n", q, t.Paint(Red, "denied"))
	default:
		t.Printf("%s: %s (%s): %s\n", q, t.Paint(Red, "denied"), d.Reason, d.Detail)
	}
}

// ruleOutcomes says how far each rule came, those that came nowhere below the rest.
func (t *Text) ruleOutcomes(name string, notebook []string, source string, rules []policy.RuleExplanation, all bool) {
	nowhere := func(x policy.RuleExplanation) bool {
		return x.Outcome != policy.OutcomeFired && x.Outcome != policy.OutcomeAlmost
	}
	for _, x := range rules {
		if !nowhere(x) {
			t.ruleOutcome(name, notebook, source, x)
		}
	}
	silent := slices.DeleteFunc(slices.Clone(rules), func(x policy.RuleExplanation) bool { return !nowhere(x) })
	if len(silent) > 0 && !all {
		t.Printf("%s did not come near; --all names them\n", answer.Count(len(silent), "rule"))
		return
	}
	for _, x := range silent {
		t.Printf("%s did not come near: %s:%d\n", x.ID, x.File, x.Line)
	}
}

// ruleOutcome says how far a rule came that fired, or almost did.
func (t *Text) ruleOutcome(name string, notebook []string, source string, x policy.RuleExplanation) {
	switch x.Outcome {
	case policy.OutcomeFired:
		for _, f := range x.Findings {
			t.Finding(name, answer.TextOf(notebook, source, f), f)
		}
		on := "" // the class of symbols that a rule looks for
		if x.Capability != "" {
			on = ", on what the catalog calls " + x.Capability
		}
		t.Printf("      %s %s:%d%s\n", t.Paint(Dim, "written in"), x.File, x.Line, on)
		if why := standsFor(x); why != "" {
			t.Printf("      %s %s\n", t.Paint(Dim, "control:"), why)
		}
	case policy.OutcomeAlmost:
		t.Printf("%s almost: %s:%d did not hold: %s\n", t.Paint(Bold, x.ID), x.StopFile, x.StopLine, answer.OneLine(x.Condition))
	}
}

// standsFor names the weakness and the controls that a rule stands for.
func standsFor(x policy.RuleExplanation) string {
	all := append([]string{x.CWE}, x.Controls...)
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
}
