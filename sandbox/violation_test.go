package sandbox

import "testing"

// TestSettleViolations: policy ended a run that its signal ended, and one that
// the last signal ended after a hook had said so; no other.
func TestSettleViolations(t *testing.T) {
	told := func(stopped bool) []Violation {
		return []Violation{{Capability: "code.eval", Detail: "vm", Stopped: stopped}}
	}
	for _, tt := range []struct {
		name   string
		in     Result
		want   Reason
		detail string // of what stopped it
	}{
		{"its signal, told", Result{Reason: Killed, Signal: policySignal, Violations: told(true)}, Policy, "vm"},
		{"its signal, untold", Result{Reason: Killed, Signal: policySignal}, Policy, "unsaid"},
		{"its signal, something else told", Result{Reason: Killed, Signal: policySignal, Violations: told(false)}, Policy, "unsaid"},
		{"the last signal, told", Result{Reason: Killed, Signal: lastSignal, Violations: told(true)}, Policy, "vm"},
		{"the last signal, untold", Result{Reason: Killed, Signal: lastSignal}, Killed, ""},
		{"the last signal, something else told", Result{Reason: Killed, Signal: lastSignal, Violations: told(false)}, Killed, ""},
		{"another signal, told", Result{Reason: Killed, Signal: 15, Violations: told(true)}, Killed, ""},
		{"an end, told", Result{Reason: Exited, Violations: told(true)}, Exited, ""},
		{"a limit, told", Result{Reason: Memory, Signal: lastSignal, Violations: told(true)}, Memory, ""},
	} {
		r := tt.in
		r.SettleViolations()
		if v, _ := r.Stopped(); r.Reason != tt.want || v.Detail != tt.detail {
			t.Errorf("%s: ended with %s for %q, want %s for %q", tt.name, r.Reason, v.Detail, tt.want, tt.detail)
		}
		for _, v := range r.Violations {
			if v.Stopped && r.Reason != Policy {
				t.Errorf("%s: %v is said to have stopped it", tt.name, v)
			}
		}
	}
}
