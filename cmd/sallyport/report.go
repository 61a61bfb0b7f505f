package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sallyport/policy"
)

// reporter writes the outcome of a check in one format: each file in order,
// then the end. It keeps no source.
type reporter interface {
	file(c checked) error
	end(s checkSummary) error
}

func (a *app) reporter(w io.Writer, f checkFlags, rules []policy.RuleInfo) reporter {
	switch f.format {
	case "json":
		return &jsonReport{w: w}
	case "sarif":
		return newSARIF(w, rules)
	case "junit":
		return &junitReport{w: w, failOn: f.failOn}
	case "github":
		return &githubReport{w: w, failOn: f.failOn, quiet: a.quiet}
	}
	return &textReport{r: a.renderer(w), failOn: f.failOn, quiet: a.quiet, verbose: a.verbose}
}

// textReport is for people.
type textReport struct {
	r              *renderer
	failOn         string
	quiet, verbose bool
}

func (t *textReport) file(c checked) error {
	d := c.answer.Decision
	switch {
	case c.err != nil:
	case t.quiet && !fails(d, t.failOn):
	case d.Effect == policy.Allow && !c.named && !t.verbose:
		t.r.findings(c.answer, c.source, t.verbose)
	default:
		t.r.findings(c.answer, c.source, t.verbose)
		t.r.verdict(c.answer)
	}
	return t.r.err
}

func (t *textReport) end(s checkSummary) error {
	if s.many && !t.quiet {
		t.r.printf("%s\n", s.text())
	}
	if t.verbose && s.SkippedDirs > 0 {
		t.r.printf("%s skipped: hidden, node_modules or virtual environments\n", count(s.SkippedDirs, "directory was", "directories were"))
	}
	return t.r.err
}

// jsonReport writes one document, check/v1, piece by piece.
type jsonReport struct {
	w      io.Writer
	n      int
	errors []fileError
}

type fileError struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func (j *jsonReport) file(c checked) error {
	if c.err != nil {
		j.errors = append(j.errors, fileError{c.name, c.err.Error()})
		return nil
	}
	sep := ",\n    "
	if j.n++; j.n == 1 {
		sep = "{\n  \"version\": \"check/v1\",\n  \"answers\": [\n    "
	}
	return j.piece(sep, runJSON(c.answer, nil), "    ")
}

func (j *jsonReport) end(s checkSummary) error {
	head := "\n  ],\n  \"errors\": "
	if j.n == 0 {
		head = "{\n  \"version\": \"check/v1\",\n  \"answers\": [],\n  \"errors\": "
	}
	if j.errors == nil {
		j.errors = []fileError{}
	}
	if err := j.piece(head, j.errors, "  "); err != nil {
		return err
	}
	if err := j.piece(",\n  \"summary\": ", s, "  "); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, "\n}\n")
	return err
}

// piece writes a value inside the document, as far indented as it stands.
func (j *jsonReport) piece(before string, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, before+strings.TrimSuffix(b.String(), "\n"))
	return err
}

// githubReport writes workflow commands, which GitHub shows as annotations in
// the changed files.
type githubReport struct {
	w      io.Writer
	failOn string
	quiet  bool
}

func (g *githubReport) file(c checked) error {
	if c.err != nil {
		return g.command("error", c.name, policy.Span{}, "sallyport", c.err.Error())
	}
	if g.quiet && !fails(c.answer.Decision, g.failOn) {
		return nil
	}
	for _, f := range reasons(c.answer.Decision) {
		level := "notice"
		switch f.Action {
		case policy.ActionLog:
			continue
		case policy.ActionWarn, policy.ActionAsk:
			level = "warning"
		case policy.ActionDeny:
			level = "error"
		}
		message := f.Message
		if f.Remediation != "" {
			message += "\ninstead: " + f.Remediation
		}
		if err := g.command(level, c.name, f.Span, "sallyport: "+f.Rule, message); err != nil {
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

func (g *githubReport) end(s checkSummary) error {
	if g.quiet {
		return nil
	}
	_, err := fmt.Fprintln(g.w, s.text())
	return err
}

// githubData escapes the text of a workflow command, so that nothing in it can
// begin another one; githubProperty does the same for one of its properties.
func githubData(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(safe(lines[i]), "%", "%25")
	}
	return strings.Join(lines, "%0A")
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}

// reasons is what a report shows of a decision: its findings and, where none
// of them stops the program, why it may not run all the same.
func reasons(d policy.Decision) []policy.Finding {
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
