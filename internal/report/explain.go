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
	silent := 0
	for _, x := range e.Rules {
		if !t.ruleOutcome(e.Name, e.Notebook, source, x, all || one) {
			silent++
		}
	}
	if silent > 0 {
		t.Printf("%s did not come near; --all names them\n", answer.Count(silent, "rule"))
	}
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
	silent := 0
	for _, x := range e.Rules {
		if !t.ruleOutcome(e.Name, nil, "", x, all) {
			silent++
		}
	}
	if silent > 0 {
		t.Printf("%s did not come near; --all names them\n", answer.Count(silent, "rule"))
	}
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

// ruleOutcome says how far a rule came; false when that was not worth a word.
func (t *Text) ruleOutcome(name string, notebook []string, source string, x policy.RuleExplanation, all bool) bool {
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
	default:
		if !all {
			return false
		}
		t.Printf("%s did not come near: %s:%d\n", x.ID, x.File, x.Line)
	}
	return true
}

// standsFor names the weakness and the controls that a rule stands for.
func standsFor(x policy.RuleExplanation) string {
	all := append([]string{x.CWE}, x.Controls...)
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
}
