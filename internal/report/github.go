package report

import (
	"fmt"
	"io"
	"strings"

	"sallyport/answer"
	"sallyport/policy"
)

// githubReport writes workflow commands, which GitHub shows as annotations in
// the changed files.
type githubReport struct {
	w io.Writer
	Options
}

func (g *githubReport) File(f File) error {
	if f.Err != nil {
		return g.command("error", f.Name, policy.Span{}, "sallyport", f.Err.Error())
	}
	if g.Quiet && !g.FailOn.Fails(f.Answer.Decision) {
		return nil
	}
	for _, r := range answer.Spots(Reasons(f.Answer.Decision), policy.ActionDeny, policy.ActionAsk, policy.ActionWarn) {
		level := "warning"
		if r.Action == policy.ActionDeny {
			level = "error"
		}
		message := r.Message
		if r.Remediation != "" {
			message += "\ninstead: " + r.Remediation
		}
		if len(r.Also) > 0 {
			message += "\nalso: " + strings.Join(r.Also, ", ")
		}
		span := r.Span
		if r.Cell > 0 { // lines of a cell are none of the file
			message, span = answer.Place(f.Name, r.Finding)+": "+message, policy.Span{}
		}
		if err := g.command(level, f.Name, span, "sallyport: "+r.Rule, message); err != nil {
			return err
		}
	}
	return nil
}

func (g *githubReport) command(level, file string, s policy.Span, title, message string) error {
	place := "file=" + githubProperty(file)
	if s.Line > 0 {
		place += fmt.Sprintf(",line=%d,endLine=%d", s.Line, s.EndLine)
		if s.Line == s.EndLine {
			place += fmt.Sprintf(",col=%d,endColumn=%d", s.Column, s.EndColumn)
		}
	}
	_, err := fmt.Fprintf(g.w, "::%s %s,title=%s::%s\n", level, place, githubProperty(title), githubData(message))
	return err
}

func (g *githubReport) End(s Summary) error {
	if g.Quiet {
		return nil
	}
	_, err := fmt.Fprintln(g.w, s)
	return err
}

// githubData escapes the text of a workflow command, so that nothing in it can
// begin another one; githubProperty does the same for one of its properties.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\n", "%0A").Replace(answer.VisibleLines(s))
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
