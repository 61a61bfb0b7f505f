package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sallyport/policy"
	"sallyport/sandbox/supervised"
)

// exitStatus is one row of the table of exit codes: the only place where they
// are decided. The codes do not depend on the output format.
type exitStatus struct {
	code    int
	err     error // the error that leads to it; nil for success
	meaning string
}

var (
	errUsage       = errors.New("usage")
	errDenied      = errors.New("denied")
	errGuest       = errors.New("the program failed")
	errPolicy      = errors.New("the policy failed its tests")
	errInterrupted = errors.New("interrupted")
)

func exitTable() []exitStatus {
	return []exitStatus{
		{0, nil, "allowed; the program ran and exited with 0"},
		{1, nil, "sallyport itself failed: nothing can be said about the program"},
		{2, errUsage, "wrong usage: flags, arguments, a file that cannot be read"},
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

// hinted is an error with a line that says what to do about it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

func withHint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}

// usagef is an error of the caller's: its text and exit code 2.
func usagef(format string, args ...any) error {
	return fmt.Errorf("%w%w", silent{errUsage}, fmt.Errorf(format, args...))
}

// silent keeps an error in the chain without adding to its text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// report prints an error once, with its hint. Outcomes that a command has
// already shown print nothing.
func (a *app) report(err error) {
	if err == nil || errors.As(err, new(shown)) {
		return
	}
	var le *policy.LoadError
	if errors.As(err, &le) {
		a.reportIssues(le)
		return
	}
	what, fix := mended(err)
	if t := (*supervised.Trouble)(nil); errors.As(err, &t) {
		// What stands before it says which backend it is about.
		what = strings.Replace(err.Error(), t.Error(), what, 1)
	}
	a.complain(what)
	if fix != "" {
		a.hint(fix)
	}
}

// unread is the error of an answer that could not be written. Whoever looks at
// the beginning of a list has seen what they wanted, and is told nothing; of a
// judgement nothing is lost without a word.
func (a *app) unread(err error) error {
	judging := []string{"sallyport run", "sallyport check", "sallyport explain"}
	if errors.Is(err, syscall.EPIPE) && !slices.Contains(judging, a.verb) {
		return shown{err}
	}
	return fmt.Errorf("writing the answer: %w", err)
}

// withLastHint gives an error that ends a verb a hint, when nobody had a better
// one.
func (a *app) withLastHint(err error) error {
	if err == nil || errors.As(err, new(shown)) || errors.As(err, new(*policy.LoadError)) || errors.Is(err, errInterrupted) {
		return err
	}
	switch _, fix := mended(err); {
	case fix != "":
		return err
	case errors.Is(err, errUsage) && a.verb != "":
		return withHint(err, "%s --help", a.verb)
	case errors.Is(err, errUsage), errors.Is(err, errDenied), errors.Is(err, syscall.EPIPE), errors.Is(err, errOutputGone):
		return err
	}
	return withHint(err, "sallyport doctor examines this installation")
}

// complain and hint write the two lines of an error: what is wrong and why,
// and what to do about it.
func (a *app) complain(what string) { a.line(red, "error:", what) }
func (a *app) hint(what string)     { a.line(bold, "hint:", what) }

func (a *app) line(style, kind, text string) {
	r := a.renderer(a.stderr)
	r.printf("sallyport: %s %s\n", r.paint(style, kind), r.wrap(len("sallyport:  ")+len(kind), safe(oneLine(text))))
}

// reportIssues prints each place where a policy is wrong.
func (a *app) reportIssues(le *policy.LoadError) {
	for _, i := range le.Issues {
		place := i.File
		if i.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, i.Line)
		}
		a.complain(fmt.Sprintf("loading policy: %s: %s", place, i.Message))
		if i.Hint != "" {
			a.hint(i.Hint)
		}
	}
}

// shown marks an outcome that needs no further message.
type shown struct{ error }

func (s shown) Unwrap() error { return s.error }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
