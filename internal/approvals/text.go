package approvals

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sallyport/answer"
)

// Line is a question in one line, fit to be shown.
func (v View) Line() string {
	rules := []string{}
	for _, f := range v.Findings {
		rules = append(rules, f.Rule)
	}
	return answer.Visible(fmt.Sprintf("%s  %s  until %s  %s  %s  %s", v.ID, v.State, v.Until.Format("15:04:05Z"), v.Requester.ID, v.Language, strings.Join(rules, ",")))
}

// Text is all of a question for a person. Whatever is the program's, or who asks
// chose, is quoted, or stands behind the number of its line.
func (v View) Text() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, answer.Visible(fmt.Sprintf(format, args...)))
	}
	row("question", "%s, %s, until %s", v.ID, v.State, v.Until.Format("2006-01-02 15:04:05Z"))
	row("asked by", "%q, named %q, by %s, groups %q, with %s and client %q", v.Requester.ID, v.Requester.Name, v.Requester.How, v.Requester.Groups, v.Tool, v.Client)
	row("program", "%s, sha256 %s", v.Language, v.SHA256)
	if v.Session != "" {
		row("session", "%q, cell %d; those before it have run", v.Session, v.Cell)
	}
	for _, f := range v.Findings {
		row("rule", "%s %s, line %d: %q", f.Action, f.Rule, f.Span.Line, f.Message)
	}
	for _, key := range slices.Sorted(maps.Keys(v.Labels)) {
		row("label", "%q = %q", key, v.Labels[key])
	}
	for _, a := range v.Args {
		row("argument", "%q", a)
	}
	if v.Stdin != nil {
		row("input", "%d bytes, sha256 %s", v.Stdin.Bytes, v.Stdin.SHA256)
	}
	for _, f := range v.Files {
		row("file", "%q, %d bytes, sha256 %s", f.Path, f.Bytes, f.SHA256)
		if f.From != "" {
			row("", "read where it is: %q", f.From)
		}
	}
	row("environment", "%q", v.Environment)
	row("limits", "%+v", v.Limits)
	row("policy", "%s %s, exceptions %q", v.PolicyDigest, v.Revision, v.Exceptions)
	b.WriteString("\n")
	for i, l := range strings.Split(strings.TrimRight(v.Code, "\n"), "\n") {
		fmt.Fprintf(&b, "%4d | %s\n", i+1, answer.Visible(l))
	}
	return b.String()
}
