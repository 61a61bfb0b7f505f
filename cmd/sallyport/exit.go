package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/report"
	"sallyport/policy"
	"sallyport/sandbox"
)

// exitStatus is one row of the table of exit codes: the only place where they
// are decided. The codes do not depend on the output format.
type exitStatus struct {
	code    int
	err     error // the error that leads to it; nil for success
	meaning string
}

var (
	errDenied      = errors.New("denied")
	errGuest       = errors.New("the program failed")
	errPolicy      = errors.New("the policy failed its tests")
	errInterrupted = errors.New("interrupted")
)

func exitTable() []exitStatus {
	return []exitStatus{
		{0, nil, "allowed; the program ran and exited with 0"},
		{1, nil, "sallyport itself failed: nothing can be said about the program"},
		{2, hint.ErrUsage, "wrong usage: flags, arguments, a file that cannot be read"},
		{3, errDenied, "denied: at least one program may not run"},
		{4, errGuest, "the program failed, timed out, hit a limit or was killed"},
		{5, errPolicy, "a policy failed its tests, or lint found something to mend"},
		{130, errInterrupted, "interrupted (Ctrl-C); nothing is left running"},
	}
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	for _, s := range exitTable() {
		if s.err != nil && errors.Is(err, s.err) {
			return s.code
		}
	}
	return 1
}

func exitCodesText() string {
	var b strings.Builder
	for _, s := range exitTable() {
		fmt.Fprintf(&b, "  %3d  %s\n", s.code, s.meaning)
	}
	return b.String()
}

func newExitCodesHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long:  "Exit codes, the same for every output format:\n\n" + exitCodesText(),
	}
}

// marked is an error of a kind that its own text does not name.
type marked struct {
	kind error
	error
}

func (m marked) Is(target error) bool { return target == m.kind }
func (m marked) Unwrap() error        { return m.error }

// report prints an error, with what to do about it. Outcomes that a verb has
// already shown print nothing.
func (tell *speech) report(err error, otherwise ...string) {
	if err == nil || errors.As(err, new(shown)) {
		return
	}
	var le *policy.LoadError
	if errors.As(err, &le) {
		for _, i := range le.Issues {
			tell.reportLine(report.Red, "error:", "loading policy: "+i.Place()+": "+i.Message)
			tell.hint(i.Hint)
		}
		return
	}
	what, fix := inWords(err)
	tell.reportLine(report.Red, "error:", what)
	tell.hint(cmp.Or(fix, strings.Join(otherwise, "")))
}

// hint says what to do, where there is something.
func (tell *speech) hint(fix string) {
	if fix != "" {
		tell.reportLine(report.Bold, "hint:", fix)
	}
}

func (tell *speech) reportLine(style, kind, text string) {
	r := tell.text(tell.stderr)
	r.Say("%s %s", r.Paint(style, kind), r.Wrap(len("sallyport:  ")+len(kind), answer.OneLine(text)))
}

// inWords says what is wrong and what mends it. An error's own hint comes first;
// an error without one gets that of its kind.
func inWords(err error) (what, fix string) {
	what, fix = answer.OneLine(hint.System(err).Error()), hint.Fix(err)
	switch {
	case fix != "":
	case errors.Is(err, gate.ErrNotRecorded):
		fix = "nothing runs without a record: make room for it, or set audit.dir in sallyport.yaml"
	case noRoom(err):
		fix = "sandboxes are made below $XDG_STATE_HOME, else ~/.local/state: make room there, or name another place"
	case errors.Is(err, sandbox.ErrUnavailable):
		fix = "sallyport doctor says what works here, and what keeps the rest from it"
	}
	return what, fix
}

// noRoom tells whether a sandbox could not be made where they are made.
func noRoom(err error) bool {
	return (errors.Is(err, sandbox.ErrUnavailable) || errors.Is(err, gate.ErrSandboxFailed)) && (errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC))
}

// lastHint is the hint for an error that ends a verb and has none.
func lastHint(verb string, err error) string {
	switch {
	case (errors.Is(err, hint.ErrUsage) || errors.Is(err, gate.ErrReference)) && verb != "":
		return verb + " --help"
	case errors.Is(err, hint.ErrUsage), errors.Is(err, errDenied), errors.Is(err, syscall.EPIPE), errors.Is(err, errOutputGone), errors.Is(err, errInterrupted):
		return ""
	}
	return "sallyport doctor examines this installation"
}

// unread is the error of an answer that could not be written. A reader who stops
// early, such as head, is told nothing: they have what they wanted. A judgement
// that nobody read is always an error.
func unread(verb string, err error) error {
	judging := []string{"sallyport run", "sallyport check", "sallyport explain"}
	if errors.Is(err, syscall.EPIPE) && !slices.Contains(judging, verb) {
		return shown{err}
	}
	return hint.While(err, "writing the answer")
}

// shown marks an outcome that needs no further message.
type shown struct{ error }

func (s shown) Unwrap() error { return s.error }
