package approvals

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/docker/go-units"

	"sallyport/answer"
	"sallyport/policy"
)

// Line is a question in one line, fit to be shown.
func (v View) Line() string {
	rules := v.rules(func(policy.Finding) bool { return true })
	return answer.Visible(fmt.Sprintf("%s  %s  until %s  %s  %s  %s", v.ID, v.State, v.Until.Format("15:04:05Z"), v.Requester.ID, v.Language, strings.Join(rules, ",")))
}

// rules are the findings' that count, each once.
func (v View) rules(counts func(policy.Finding) bool) []string {
	all := []string{}
	for _, f := range v.Findings {
		if counts(f) && !slices.Contains(all, f.Rule) {
			all = append(all, f.Rule)
		}
	}
	return all
}

// Text is all of a question for a person. Whatever is the program's, or who asks
// chose, is quoted, or stands behind the number of its line.
func (v View) Text() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, answer.Visible(fmt.Sprintf(format, args...)))
	}
	row("question", "%s, %s, until %s", v.ID, v.State, v.Until.Format(time.RFC3339))
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
	row("limits", "%s", limits(v.Limits))
	row("policy", "%s %s, exceptions %q", v.PolicyDigest, v.Revision, v.Exceptions)
	b.WriteString("\n")
	for i, l := range strings.Split(strings.TrimRight(v.Code, "\n"), "\n") {
		fmt.Fprintf(&b, "%4d | %s\n", i+1, answer.Visible(l))
	}
	return b.String()
}

// limits are those of a run in words.
func limits(l policy.Limits) string {
	var all []string
	add := func(n int64, format string, arg any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, arg))
		}
	}
	add(l.WallMillis, "%s", answer.Duration(time.Duration(l.WallMillis)*time.Millisecond))
	add(l.CPUMillis, "%s of processor time", answer.Duration(time.Duration(l.CPUMillis)*time.Millisecond))
	add(l.MemoryBytes, "%s of memory", units.BytesSize(float64(l.MemoryBytes)))
	add(l.Processes, "%d processes and threads", l.Processes)
	add(l.OutputBytes, "%s of output", units.BytesSize(float64(l.OutputBytes)))
	add(l.DiskBytes, "%s on disk", units.BytesSize(float64(l.DiskBytes)))
	add(l.FileBytes, "%s in one file", units.BytesSize(float64(l.FileBytes)))
	add(l.ArtifactCount, "%d files out", l.ArtifactCount)
	add(l.ArtifactBytes, "%s of files out", units.BytesSize(float64(l.ArtifactBytes)))
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

// Done says what came of answering a question.
func (v View) Done() string {
	if v.State != approved.String() {
		return answer.Visible(fmt.Sprintf("declined %s: %q does not run it", v.ID, v.Requester.ID))
	}
	return answer.Visible(fmt.Sprintf("approved %s: %q may run it once, until %s", v.ID, v.Requester.ID, v.Until.Format(time.RFC3339)))
}

// List are questions as JSON has them.
type List struct {
	Approvals []View `json:"approvals"`
}

// WriteJSON writes a View or a List so that nothing of a program's can be taken
// for something else: whatever is no plain ASCII is escaped.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	if err := answer.WriteJSON(&b, v); err != nil {
		return err
	}
	_, err := io.WriteString(w, ascii(b.String()))
	return err
}

// ascii is a JSON text in which only strings have other characters, without them.
func ascii(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c < 0x7f:
			b.WriteRune(c)
		default:
			for _, unit := range utf16.AppendRune(nil, c) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
