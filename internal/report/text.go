package report

import (
	"strings"
	"unicode/utf8"

	"sallyport/answer"
	"sallyport/policy"
)

// textReport is for people.
type textReport struct {
	*Text
	Options
}

func (t *textReport) File(f File) error {
	d := f.Answer.Decision
	switch {
	case f.Err != nil:
	case t.Quiet && !t.FailOn.Fails(d):
	default:
		t.Findings(f.Answer, f.Source, t.Verbose)
		if d.Effect != policy.Allow || f.Named || t.Verbose {
			t.Verdict(f.Answer.Name, d)
		}
	}
	return t.err
}

func (t *textReport) End(s Summary) error {
	if s.Many && !t.Quiet {
		t.Printf("%s\n", s)
	}
	if t.Verbose && s.SkippedDirs > 0 {
		t.Printf("%s skipped: hidden, node_modules or virtual environments\n", answer.Count(s.SkippedDirs, "directory was", "directories were"))
	}
	return t.err
}

// Findings shows what the rules found in a source: what there is to mend, place by
// place, or in full, with what is only logged.
func (t *Text) Findings(a answer.Answer, source string, full bool) {
	if full {
		for _, f := range a.Decision.Findings {
			t.Finding(a.Name, a.Text(source, f), f)
		}
		return
	}
	for _, s := range answer.Spots(a.Decision.Findings, policy.ActionDeny, policy.ActionAsk, policy.ActionWarn) {
		t.Finding(a.Name, a.Text(source, s.Finding), s.Finding)
		if len(s.Also) > 0 {
			t.Printf("%s%s %s\n", hang, t.Paint(Dim, "also:"), t.Wrap(len(hang+"also: "), strings.Join(s.Also, ", ")))
		}
	}
}

// Verdict says in a line what was decided.
func (t *Text) Verdict(name string, d policy.Decision) {
	switch {
	case d.Effect == policy.Allow && len(d.Exceptions) > 0:
		t.Printf("%s: %s, by exception %s\n", name, t.Paint(Green, "allowed"), strings.Join(d.Exceptions, ", "))
	case d.Effect == policy.Allow:
		t.Printf("%s: %s\n", name, t.Paint(Green, "allowed"))
	case d.Effect == policy.Ask:
		t.Printf("%s: %s %s\n", name, t.Paint(Yellow, "ask:"), answer.MustApprove)
	case d.Reason == policy.ReasonSyntax:
		t.Printf("%s: %s; nothing was judged, and nothing runs\n", name, t.Paint(Red, "syntax error"))
	case d.Reason == policy.ReasonPolicy:
		t.Printf("%s: %s by policy %s\n", name, t.Paint(Red, "denied"), strings.Join(d.Packs, "+"))
	case len(d.Findings) > 0:
		t.Printf("%s: %s (%s)\n", name, t.Paint(Red, "denied"), d.Reason)
	default:
		t.Printf("%s: %s (%s): %s\n", name, t.Paint(Red, "denied"), d.Reason, d.Detail)
	}
}

// Finding shows one finding: place, rule and message, the line with a caret
// under the place, and what to do instead.
func (t *Text) Finding(name, source string, f policy.Finding) {
	place := Format("%s", answer.Place(name, f))
	style := Yellow
	switch f.Action {
	case policy.ActionDeny:
		style = Red
	case policy.ActionLog:
		style = Dim
	}
	if f.IsSyntaxError() {
		t.Printf("%s: %s: %s\n", t.Paint(Bold, place), t.Paint(Red, "syntax error"), t.Wrap(utf8.RuneCountInString(string(place))+len(": syntax error: "), f.Message))
		t.frame(source, f.Span)
		return
	}
	taken := utf8.RuneCountInString(string(place + Format("%s%s:  : ", f.Action, f.Rule)))
	t.Printf("%s: %s %s: %s\n", t.Paint(Bold, place), t.Paint(style, f.Action), f.Rule, t.Wrap(taken, f.Message))
	t.frame(source, f.Span)
	if f.Remediation != "" {
		t.Printf("%s%s %s\n", hang, t.Paint(Dim, "instead:"), t.Wrap(len(hang+"instead: "), f.Remediation))
	}
}

func (t *Text) frame(source string, s policy.Span) {
	width := answer.ExcerptWidth
	if t.style.Width > 0 {
		width = min(width, t.style.Width-answer.ExcerptMargin)
	}
	if x, ok := answer.NewExcerpt(source, s, width); ok {
		t.Printf("%s %s\n%s %s%s\n", t.Paint(Dim, x.LineMargin), x.Text, t.Paint(Dim, x.MarkMargin), x.Indent, t.Paint(Red, x.Mark))
	}
}

// Ran says what the program's own output does not: how its run ended, when that
// is not plain success, and what it tried.
func (t *Text) Ran(a answer.Answer) {
	switch end := a.Ending(); {
	case end.Status == answer.OK:
	case end.Why != "":
		t.Say("%s %s", t.Paint(Red, end.Status+":"), end.Why)
	default:
		t.Say("%s", end.Clause)
	}
	if a.Result.Stdout.Truncated || a.Result.Stderr.Truncated {
		t.Say("output was cut: more than limits.output_kb lets out")
	}
	for _, v := range a.Result.Violations {
		t.Say("%s", v.Tried())
	}
}

// Say writes a line of sallyport's own among those of a program.
func (t *Text) Say(format string, values ...any) { t.Printf("sallyport: "+format+"\n", values...) }
