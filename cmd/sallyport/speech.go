package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/policy"
	"sallyport/telemetry"
)

// speech is how much the program says and in which colours. Every verb has
// its flags, and they mean the same everywhere: what is asked for goes to
// standard output, everything below goes to standard error.
type speech struct {
	quiet   bool // results, warnings and errors alone
	verbose bool // also what is loaded and done, and how long that took
	color   string
}

// speechFlags adds the flags to the root, and so to every verb.
func (a *app) speechFlags(root *cobra.Command) {
	pf := root.PersistentFlags()
	pf.BoolVarP(&a.quiet, "quiet", "q", false, "say only results, warnings and errors")
	pf.BoolVarP(&a.verbose, "verbose", "v", false, "say more, and on standard error what is loaded and done, and how long it takes")
	pf.Var(newChoice(&a.color, "auto", "always", "never"), "color",
		"colours `WHEN`: auto (on terminals, unless NO_COLOR is set), always or never")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.verb = cmd.CommandPath()
		if a.quiet && a.verbose {
			return withHint(usagef("--quiet and --verbose cannot go together"), "leave one of them out")
		}
		return nil
	}
}

// say tells how a long work goes on, unless that is not wanted.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		a.sayTo("", format, args...)
	}
}

// note tells, on demand, what is loaded and done.
func (a *app) note(format string, args ...any) {
	if a.verbose {
		a.sayTo("", format, args...)
	}
}

// warn tells what is wrong and does not stop the work.
func (a *app) warn(format string, args ...any) { a.sayTo("warning: ", format, args...) }

func (a *app) sayTo(kind, format string, args ...any) {
	fmt.Fprintf(a.stderr, "sallyport: %s%s\n", kind, safe(oneLine(fmt.Sprintf(format, args...))))
}

// noteRequest tells how one request went, step by step.
func (a *app) noteRequest(r telemetry.Request) {
	steps := make([]string, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = fmt.Sprintf("%s %s", s.Step, spent(s.Took))
	}
	end := ""
	if r.Ran {
		end = fmt.Sprintf(", %s from %s", r.Ended, firstOf(r.Start, "an unknown start"))
	}
	a.note("%s %s: %s%s (%s)", r.Language, firstOf(r.Decision, "not recorded"), r.Effect, end, strings.Join(steps, ", "))
}

// pointOn says where a denial is explained further: in how the rules saw the
// program, and in what the first that stopped it says about itself.
func (a *app) pointOn(e *policy.Engine, name string, d policy.Decision) {
	at := slices.IndexFunc(d.Findings, func(f policy.Finding) bool {
		_, err := e.Rule(f.Rule)
		return err == nil && (f.Action == policy.ActionDeny || f.Action == policy.ActionAsk)
	})
	if at < 0 || a.quiet {
		return
	}
	text := "the rule: sallyport policy show" + a.judgedBy() + " " + d.Findings[at].Rule
	if name != "-" {
		text = "why: sallyport explain" + a.judgedBy() + " " + name + "; " + text
	}
	a.hint(text)
}

// judgedBy repeats the flags that say by what is judged.
func (a *app) judgedBy() string {
	var flags string
	for _, p := range a.packs {
		flags += " --pack " + p
	}
	for _, p := range a.policies {
		flags += " --policy " + p
	}
	if a.configPath != "" {
		flags += " --config " + a.configPath
	}
	return flags
}

// count is a number of things: "1 file", "2 files". The plural is the regular
// one, or given.
func count(n int, thing string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case len(plural) > 0:
		return fmt.Sprintf("%d %s", n, plural[0])
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// since is how long something took, short enough to be read.
func since(start time.Time) string { return spent(time.Since(start)) }

func spent(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// colored reports whether what is written to w may have colours.
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	no, _ := a.env("NO_COLOR")
	term, _ := a.env("TERM")
	return no == "" && term != "dumb" && isTerminal(w)
}
