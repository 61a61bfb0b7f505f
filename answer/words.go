package answer

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

// Status says in a word what came of a program that policy let run.
type Status string

// The ways in which a run ends.
const (
	OK      Status = "ok"      // it exited with 0
	Failed  Status = "failed"  // it exited otherwise, or was killed
	Stopped Status = "stopped" // it hit a limit, or was cancelled
	Denied  Status = "denied"  // the interpreter's own parser disagreed: nothing ran
	Unknown Status = "error"   // nobody can say
)

// Ending is how a run came to its end. The clauses are in lower case and without
// a full stop; Sentence makes a sentence of one.
type Ending struct {
	Status Status
	Clause string // "the program was stopped: it used more memory than it may"
	Why    string // of one that was stopped or denied: what stands behind the colon
}

// Ending says how the run of an Answer that has a Result ended.
func (a Answer) Ending() Ending {
	r := a.Result
	switch sandbox.Reason(r.Reason) {
	case sandbox.Exited:
		if r.Exit == 0 {
			return Ending{Status: OK, Clause: "the program ran"}
		}
		clause := fmt.Sprintf("the program failed with exit code %d", r.Exit)
		if outOfMemory(r.Stderr.Text) {
			clause += ": it asked for more memory than limits.memory_mb allows"
		}
		return Ending{Status: Failed, Clause: clause}
	case sandbox.Killed:
		return Ending{Status: Failed, Clause: fmt.Sprintf("the program was killed by signal %d", r.Signal)}
	case sandbox.TimedOut:
		return stopped("it ran longer than it may (" + Duration(time.Duration(a.Durations.Run)*time.Microsecond) + "; limits.timeout and the call say how long)")
	case sandbox.CPU:
		return stopped("it used more processor time than limits.cpu allows")
	case sandbox.Memory:
		return stopped("it used more memory than limits.memory_mb allows")
	case sandbox.Pids:
		return stopped("it started more processes or threads than limits.pids allows")
	case sandbox.Output:
		return stopped("it printed more than limits.output_kb allows")
	case sandbox.Disk:
		return stopped("it wrote more than limits.disk_mb, or into one file than limits.file_mb, allows")
	case sandbox.Files:
		return stopped("it opened more files at once than it may")
	case sandbox.Cancelled:
		return stopped("the call was cancelled")
	case sandbox.Policy:
		for _, v := range r.Violations {
			if v.Stopped {
				return stopped("policy denies what it did: " + v.String())
			}
		}
		return stopped("policy denies what it did")
	case sandbox.Mismatch:
		why := "the interpreter's own parser sees names in this code that the analysis does not: " + Visible(strings.Join(r.UnknownIdentifiers, ", "))
		return Ending{Denied, "nothing ran: " + why, why}
	}
	return Ending{Status: Unknown, Clause: "the program ended in a way that is not known"}
}

var lastError = regexp.MustCompile(`(?m)^(?:[\w.]*MemoryError\b|RangeError: (?:Array buffer allocation failed|Invalid string length)).*\n?\z`)

// outOfMemory says whether the last word of a program was that it got none.
func outOfMemory(stderr string) bool { return lastError.MatchString(strings.TrimRight(stderr, "\n")) }

// Incomplete says that something of what the program printed or left is not in
// the result, or may be half of what it was to be.
func (a Answer) Incomplete() bool {
	r := a.Result
	return r.Stdout.Truncated || r.Stderr.Truncated || r.ArtifactsDropped > 0 || r.ArtifactsMissing || a.Ending().Status == Stopped ||
		slices.ContainsFunc(r.Artifacts, func(f Artifact) bool { return f.AtLimit })
}

func stopped(why string) Ending { return Ending{Stopped, "the program was stopped: " + why, why} }

// MustApprove is said of a program that policy asks about.
const MustApprove = "a person must approve it"

// Lost says in clauses which files that the program left are not in the answer, or
// may not be whole in it.
func (r *Result) Lost() []string {
	var clauses []string
	if n := r.ArtifactsDropped; n > 0 {
		which := ""
		if len(r.ArtifactsLeft) > 0 {
			which = ", such as " + Visible(strings.Join(r.ArtifactsLeft, ", "))
		}
		clauses = append(clauses, Count(n, "file was", "files were")+" left behind"+which+": more than limits.artifacts or limits.artifacts_mb lets out, or no regular files")
	}
	if r.ArtifactsMissing && sandbox.Reason(r.Reason) != sandbox.Cancelled {
		clauses = append(clauses, "the run ended before all files that it left could be collected")
	}
	for _, f := range r.Artifacts {
		if f.AtLimit {
			clauses = append(clauses, Visible(f.Path)+" is as large as limits.file_mb lets a file be, and may be half of what it was to be")
		}
	}
	return clauses
}

// String is what was tried: its capability, and what exactly.
func (v Violation) String() string {
	text := Visible(v.Capability + ": " + v.Detail)
	if v.Line > 0 {
		text += fmt.Sprintf(", line %d", v.Line)
	}
	if v.Library {
		text += ", by a library"
	}
	return text
}

// Tried says who tried it.
func (v Violation) Tried() string {
	if v.Library {
		v.Library = false
		return "a library tried by itself what policy denies, and was refused: " + v.String()
	}
	return "the program tried what policy denies: " + v.String()
}

// Sentence makes a sentence of a clause.
func Sentence(clause string) string {
	first, n := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + strings.TrimRight(clause[n:], ".") + "."
}

// Count is a number of things: "1 file", "2 files". The plural is the regular
// one, or given.
func Count(n int, thing string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case len(plural) > 0:
		return fmt.Sprintf("%d %s", n, plural[0])
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Duration is a length of time as people say it: "10 minutes", "1.5 s".
func Duration(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.length && d%unit.length == 0 {
			return Count(int(d/unit.length), unit.name)
		}
	}
	switch {
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.3g minutes", d.Minutes())
	case d >= time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d.Microseconds())/1000)
}

// Failure is a way in which sallyport itself can fail: a code that does not
// change, and a sentence that names nothing of the host.
type Failure struct{ Reason, Text string }

// FailureOf says what may be told of an error of a gate to somebody who must
// not see it. The error itself is the operator's.
func FailureOf(err error) Failure {
	for _, known := range []struct {
		err error
		Failure
	}{
		{gate.ErrEndNotRecorded, Failure{"end_not_recorded", "The program ran, but how it ended could not be recorded, so its result is withheld. The reason is in the operator's log."}},
		{gate.ErrNotRecorded, Failure{string(policy.ReasonUnauditable), "The decision could not be recorded, and nothing runs without a record. The reason is in the operator's log."}},
		{sandbox.ErrUnreadable, Failure{"result_unreadable", "The program may have run, but what it did cannot be made out. The reason is in the operator's log."}},
		{sandbox.ErrUnavailable, Failure{"sandbox_unavailable", "The sandbox is not available on this machine. Nothing ran. The operator finds the reason with: sallyport doctor."}},
		{gate.ErrPanicked, Failure{"panicked", "sallyport failed in the middle of the call, for a reason of its own that is in the operator's log. The program may have run."}},
		{gate.ErrSandboxFailed, Failure{"sandbox_failed", "The sandbox failed in the middle of the run, for a reason that is in the operator's log. It says nothing about the code."}},
		{sandbox.ErrRefused, Failure{"sandbox_refused", "The sandbox refused the run. Nothing ran. The reason is in the operator's log."}},
	} {
		if errors.Is(err, known.err) {
			return known.Failure
		}
	}
	return Failure{"internal", "sallyport could not run the code, for a reason of its own that is in the operator's log. It says nothing about the code."}
}
