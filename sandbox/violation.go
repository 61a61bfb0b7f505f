package sandbox

import (
	"slices"
	"strings"
)

// Violation is something that the run tried although policy denied it. All of
// it is from sets that are ours: nothing in it is a program's word.
type Violation struct {
	Capability string // "process", "network", …
	Detail     string // the event of the interpreter or the system call: "os.system", "execve", "socket(AF_INET)"

	// Line is where the program was, by the word of its interpreter; 0 where
	// nobody knows.
	Line int

	// Library says that a library asked by itself, by the word of the interpreter:
	// one that is known to try such things and to do without. It was refused.
	Library bool

	// Stopped says that the run was ended for it: its Reason is Policy.
	Stopped bool
}

// Stopped returns the violation for which the run was ended, if any was.
func (r Result) Stopped() (Violation, bool) {
	if r.Reason != Policy {
		return Violation{}, false
	}
	for _, v := range r.Violations {
		if v.Stopped {
			return v, true
		}
	}
	return Violation{}, false
}

// policySignal is the one by which the hooks of an interpreter end a run, and
// nothing else does: SIGSYS. Where it is late, lastSignal comes after it: SIGKILL.
const policySignal, lastSignal = 31, 9

// SettleViolations says whether policy ended the run. That shows in how the
// program ended, for no program can catch it; what it did before may have kept
// its interpreter from saying at what. The last signal has other senders: it is
// policy's where a hook has said that it ends the run.
func (r *Result) SettleViolations() {
	said := slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Stopped })
	if r.Reason != Killed || r.Signal != policySignal && !(r.Signal == lastSignal && said) {
		for i := range r.Violations {
			r.Violations[i].Stopped = false
		}
		return
	}
	r.Reason, r.Signal = Policy, 0
	if !said {
		r.Violations = append(r.Violations, Violation{Capability: "unknown", Detail: "unsaid", Stopped: true})
	}
}

// HookedBy names, in the result of a run, what held back the capabilities that
// the kernel does not know of, by the word of the runner before the program: the
// hook that it found, and what that hook can see in this language.
func (r *Result) HookedBy(how string, s Spec) {
	if r.Enforced == nil {
		r.Enforced = map[Control]string{}
	}
	none := how == "" || s.Observe
	if none {
		delete(r.Enforced, ControlHook)
	} else {
		r.Enforced[ControlHook] = how
	}
	for _, c := range s.Grant.Denied() {
		switch kernel := c == CapabilityProcess || c == CapabilityNetwork; {
		case none && !kernel:
			delete(r.Enforced, Control(c))
		case !none && !kernel:
			r.Enforced[Control(c)] = how
		case !none:
			r.Enforced[Control(c)] += "; " + how
		}
	}
	for c := range s.Narrowed() {
		if !none {
			r.Enforced[Control(c)] = how + ", but for " + strings.Join(s.Only[c], ", ")
		}
	}
}
