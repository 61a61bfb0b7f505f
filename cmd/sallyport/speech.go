package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"sallyport/answer"
	"sallyport/audit"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policy"
	"sallyport/telemetry"
)

// speech writes what the program says. Answers go to standard output; what the
// methods below say goes to standard error. Every verb has the flags that say how
// much, and in which colours.
type speech struct {
	stdout, stderr io.Writer
	env            lookup

	quiet   bool // results, warnings and errors alone
	verbose bool // also what is loaded and done, and how long that took
	color   string
}

// flags adds the flags to those of every verb.
func (tell *speech) flags(pf *pflag.FlagSet) {
	pf.BoolVarP(&tell.quiet, "quiet", "q", false, "say only results, warnings and errors")
	pf.BoolVarP(&tell.verbose, "verbose", "v", false, "say more, and on standard error what is loaded and done, and how long it takes")
	pf.Var(newChoice(&tell.color, "auto", "always", "never"), "color",
		"colours `WHEN`: auto (on terminals, unless NO_COLOR is set), always or never")
}

// agree refuses flags that contradict each other.
func (tell *speech) agree() error {
	if tell.quiet && tell.verbose {
		return hint.With(hint.Usage("--quiet and --verbose cannot go together"), "leave one of them out")
	}
	return nil
}

// say tells how long work goes on, unless the user wants quiet.
func (tell *speech) say(format string, args ...any) {
	if !tell.quiet {
		tell.sayTo("", format, args...)
	}
}

// note tells what is loaded and done, where the user asked for that.
func (tell *speech) note(format string, args ...any) {
	if tell.verbose {
		tell.sayTo("", format, args...)
	}
}

// warn tells what is wrong and does not stop the work.
func (tell *speech) warn(format string, args ...any) { tell.sayTo("warning: ", format, args...) }

func (tell *speech) sayTo(kind, format string, args ...any) {
	tell.text(tell.stderr).Say("%s%s", kind, answer.OneLine(fmt.Sprintf(format, args...)))
}

// noteRequest tells how one request went, step by step.
func (tell *speech) noteRequest(r telemetry.Request) {
	steps := make([]string, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = fmt.Sprintf("%s %s", s.Step, install.Spent(s.Took))
	}
	end := ""
	if r.Ran {
		end = fmt.Sprintf(", %s from %s", r.Ended, cmp.Or(r.Start, "an unknown start"))
	}
	tell.note("%s %s: %s%s (%s)", r.Language, cmp.Or(r.Decision, "not recorded"), r.Effect, end, strings.Join(steps, ", "))
}

// noteExchange tells what became of a request of a program to a host.
func (tell *speech) noteExchange(rec audit.Record) {
	if line := report.RequestLine(rec); line != "" {
		tell.note("%s", line)
	}
}

// pointOn says where a denial is explained further: in how the rules saw the
// program in that environment, and in what the first that stopped it says about itself.
func (tell *speech) pointOn(e *policy.Engine, by, environment, name string, d policy.Decision) {
	at := slices.IndexFunc(d.Findings, func(f policy.Finding) bool {
		_, err := e.Rule(f.Rule)
		return err == nil && (f.Action == policy.ActionDeny || f.Action == policy.ActionAsk)
	})
	if at < 0 || tell.quiet {
		return
	}
	text := "the rule: sallyport policy show" + by + " " + d.Findings[at].Rule
	if name != "-" {
		if environment != "" {
			by += " --environment " + environment
		}
		text = "why: sallyport explain" + by + " " + name + "; " + text
	}
	tell.hint(text)
}

// judgedBy returns the flags that chose the policy, to be given again.
func judgedBy(said install.Options) string {
	var flags string
	for _, p := range said.Packs {
		flags += " --pack " + p
	}
	for _, p := range said.Policies {
		flags += " --policy " + p
	}
	if said.File != "" {
		flags += " --config " + said.File
	}
	return flags
}

// since is how long something took, short enough to be read.
func since(start time.Time) string { return install.Spent(time.Since(start)) }

// colored reports whether what is written to w may have colours.
func (tell *speech) colored(w io.Writer) bool {
	switch tell.color {
	case "always":
		return true
	case "never":
		return false
	}
	no, _ := tell.env("NO_COLOR")
	term, _ := tell.env("TERM")
	return no == "" && term != "dumb" && isTerminal(w)
}

// answer writes for people to standard output.
func (tell *speech) answer() *report.Text { return tell.text(tell.stdout) }

// text writes for people to a stream of ours.
func (tell *speech) text(w io.Writer) *report.Text { return report.NewText(w, tell.style(w)) }

// show writes a document to standard output, as JSON or as text.
func (tell *speech) show(format string, doc any, text func(*report.Text)) error {
	if format == "json" {
		return answer.WriteJSON(tell.stdout, doc)
	}
	t := tell.answer()
	text(t)
	return t.Err()
}

// style is how text looks on a stream of ours.
func (tell *speech) style(w io.Writer) report.Style {
	return report.Style{Color: tell.colored(w), Width: columns(w)}
}

// columns is how wide a terminal is, 0 for what is none.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	f, _ := fileOf[*os.File](w)
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		return 0
	}
	return width
}

// isTerminal reports whether a stream of ours, to read or to write, is one.
func isTerminal(stream any) bool {
	if o, ok := stream.(*outWriter); ok {
		stream = o.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress is one line on a terminal that says how far a long work has come.
// It is gone when the work is done; off a terminal, in CI and under --quiet
// there is none.
type progress struct {
	w     io.Writer // nil: show nothing
	total int
	done  int
	last  time.Time
	shown bool
}

// progressEvery keeps the line from costing more than the work.
const progressEvery = 100 * time.Millisecond

func (tell *speech) newProgress(total int) *progress {
	term, _ := tell.env("TERM")
	_, ci := tell.env("CI")
	if tell.quiet || total < 2 || ci || term == "dumb" || !isTerminal(tell.stderr) {
		return &progress{}
	}
	p := &progress{w: tell.stderr, total: total}
	if out, ok := tell.stdout.(*outWriter); ok && isTerminal(out) {
		out.before = p.clear // both stand on one terminal
	}
	return p
}

// step counts one more and shows the line when it is time.
func (p *progress) step(now time.Time) {
	p.done++
	if p.w == nil || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	const width = 24
	full := width * p.done / p.total
	fmt.Fprintf(p.w, "\r\x1b[Kchecking [%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat(".", width-full), p.done, p.total)
}

// clear takes the line away, before anything else is written.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
