package report

import (
	"fmt"

	"sallyport/policy"
)

// Summary counts the outcomes of a check.
type Summary struct {
	Checked     int `json:"checked"`
	Allowed     int `json:"allowed"`
	Denied      int `json:"denied"`
	Syntax      int `json:"syntax_errors"` // of the denied, those that are no programs
	Ask         int `json:"ask"`
	Warned      int `json:"warned"` // of the allowed, those with a warning
	Unreadable  int `json:"unreadable"`
	Empty       int `json:"empty"`
	SkippedDirs int `json:"skipped_directories"`
	Failed      int `json:"failed"` // what FailOn makes fail

	Many bool `json:"-"` // a line for the sum is worth while
}

// Add counts one more outcome.
func (s *Summary) Add(f File, on FailOn) {
	if f.Err != nil {
		s.Unreadable++
		return
	}
	s.Checked++
	switch f.Answer.Decision.Effect {
	case policy.Allow:
		s.Allowed++
		if Warned(f.Answer.Decision) {
			s.Warned++
		}
	case policy.Ask:
		s.Ask++
	default:
		s.Denied++
		if f.Answer.Decision.Reason == policy.ReasonSyntax {
			s.Syntax++
		}
	}
	if on.Fails(f.Answer.Decision) {
		s.Failed++
	}
}

// String is the summary as a line for people.
func (s Summary) String() string {
	line := fmt.Sprintf("%d checked, %d allowed, %d denied", s.Checked, s.Allowed, s.Denied-s.Syntax)
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Syntax, "with syntax errors"},
		{s.Ask, "to be approved"},
		{s.Warned, "with warnings"},
		{s.Unreadable, "could not be read"},
		{s.Empty, "empty"},
	} {
		if part.n > 0 {
			line += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return line
}

// FailOn is the mildest finding that makes a check fail: "warn", "ask" or
// "deny". A denial always does.
type FailOn string

// Fails reports whether a decision makes the check fail.
func (on FailOn) Fails(d policy.Decision) bool {
	switch d.Effect {
	case policy.Allow:
		return on == "warn" && Warned(d)
	case policy.Ask:
		return on != "deny"
	}
	return true
}

// Warned reports whether a program may run and a rule warns of it all the same.
func Warned(d policy.Decision) bool {
	for _, f := range d.Findings {
		if f.Action == policy.ActionWarn {
			return true
		}
	}
	return false
}

// Reasons is what a report shows of a decision: its findings and, where none
// of them stops the program, why it may not run all the same.
func Reasons(d policy.Decision) []policy.Finding {
	stopped := d.Effect == policy.Allow
	for _, f := range d.Findings {
		stopped = stopped || f.Action == policy.ActionDeny || f.Action == policy.ActionAsk
	}
	if stopped {
		return d.Findings
	}
	return append([]policy.Finding{{
		Rule: "decision." + string(d.Reason), Title: "No decision to allow", Message: d.Detail, Severity: "high", Action: policy.ActionDeny,
	}}, d.Findings...)
}
