package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

// renderer writes answers for people. Colour is only ever an addition: every
// word is there without it.
type renderer struct {
	w        io.Writer
	color    bool
	width    int  // of the terminal; 0: lines are not broken, so that programs can read them
	openLine bool // what is written first starts a new line
	err      error
}

func (a *app) renderer(w io.Writer) *renderer {
	return &renderer{w: w, color: a.colored(w), width: columns(w)}
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

// hang is where the lines after a broken one begin.
const hang = "      "

// wrap breaks a text between words, where it would run over the edge of the
// terminal behind what takes up the first columns of its first line.
func (r *renderer) wrap(taken int, text string) string {
	if r.width == 0 {
		return text
	}
	var b strings.Builder
	at := taken
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > r.width:
			b.WriteString("\n" + hang)
			at = len(hang)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// isTerminal reports whether a stream of ours, to read or to write, is one.
func isTerminal(stream any) bool {
	if o, ok := stream.(*outWriter); ok {
		stream = o.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

const (
	red    = "31;1"
	yellow = "33;1"
	green  = "32"
	bold   = "1"
	dim    = "2"
)

func (r *renderer) paint(style, s string) string {
	if !r.color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (r *renderer) printf(format string, args ...any) {
	if r.openLine {
		r.openLine = false
		format = "\n" + format
	}
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

// decision shows what was decided about one source and why.
func (r *renderer) decision(a gate.Answer, source string) {
	r.findings(a, source, false)
	r.verdict(a)
}

// findings shows what the rules found; what is only logged when it is asked
// for.
func (r *renderer) findings(a gate.Answer, source string, logged bool) {
	for _, f := range a.Decision.Findings {
		if logged || f.Action != policy.ActionLog {
			r.finding(a.Name, source, f)
		}
	}
}

// verdict says in a line what was decided.
func (r *renderer) verdict(a gate.Answer) { r.decisionLine(a.Name, a.Decision) }

func (r *renderer) decisionLine(name string, d policy.Decision) {
	name = safe(name)
	switch {
	case d.Effect == policy.Allow && len(d.Exceptions) > 0:
		r.printf("%s: %s, by exception %s\n", name, r.paint(green, "allowed"), safe(strings.Join(d.Exceptions, ", ")))
	case d.Effect == policy.Allow:
		r.printf("%s: %s\n", name, r.paint(green, "allowed"))
	case d.Effect == policy.Ask:
		r.printf("%s: %s a person must approve it\n", name, r.paint(yellow, "ask:"))
	case d.Reason == policy.ReasonPolicy:
		r.printf("%s: %s by policy %s\n", name, r.paint(red, "denied"), strings.Join(d.Packs, "+"))
	case len(d.Findings) > 0:
		r.printf("%s: %s (%s)\n", name, r.paint(red, "denied"), d.Reason)
	default:
		r.printf("%s: %s (%s): %s\n", name, r.paint(red, "denied"), d.Reason, safe(d.Detail))
	}
}

// finding shows one finding: place, rule and message, the line with a caret
// under the place, and what to do instead.
func (r *renderer) finding(name, source string, f policy.Finding) {
	place := safe(name)
	if f.Span.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, f.Span.Line, f.Span.Column)
	}
	style := yellow
	switch f.Action {
	case policy.ActionDeny:
		style = red
	case policy.ActionLog:
		style = dim
	}
	taken := utf8.RuneCountInString(place + string(f.Action) + safe(f.Rule) + ":  : ")
	r.printf("%s: %s %s: %s\n", r.paint(bold, place), r.paint(style, string(f.Action)), safe(f.Rule), r.wrap(taken, safe(f.Message)))
	r.frame(source, f.Span)
	if f.Remediation != "" {
		r.printf("%s%s %s\n", hang, r.paint(dim, "instead:"), r.wrap(len(hang+"instead: "), safe(f.Remediation)))
	}
}

// frameWidth bounds the part of a source line that is shown where nothing
// else does, and frameMargin is what stands before it.
const (
	frameWidth  = 160
	frameMargin = len("1234 | ")
)

func (r *renderer) frame(source string, s policy.Span) {
	if s.Line < 1 {
		return
	}
	lines := strings.SplitN(source, "\n", s.Line+1)
	if s.Line > len(lines) {
		return
	}
	line := []rune(strings.ToValidUTF8(strings.TrimRight(lines[s.Line-1], "\r"), "\uFFFD"))
	from := s.Column - 1
	if from < 0 || from > len(line) {
		return
	}
	to := len(line)
	if s.EndLine == s.Line && s.EndColumn-1 < to {
		to = s.EndColumn - 1
	}
	shift, width := 0, frameWidth
	if r.width > 0 {
		width = min(width, r.width-frameMargin)
	}
	if to > width {
		shift = min(from, max(0, from-width/4))
	}
	line = line[shift:min(len(line), shift+width)]
	from, to = from-shift, min(to-shift, len(line))
	number := fmt.Sprintf("%4d", s.Line)
	r.printf("%s %s\n", r.paint(dim, number+" |"), safe(string(line)))
	pad := utf8.RuneCountInString(safe(string(line[:from])))
	caret := strings.Repeat("^", max(1, utf8.RuneCountInString(safe(string(line[from:max(from, to)])))))
	r.printf("%s %s%s\n", r.paint(dim, "     |"), strings.Repeat(" ", pad), r.paint(red, caret))
}

// safe makes text of the adversary's fit for a terminal: control and
// invisible characters are shown by their code point, tabs become a space.
func safe(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(c) || c == ' ':
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "<U+%04X>", c)
		}
	}
	return b.String()
}

// safeLines is safe for a text of many lines.
func safeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = safe(lines[i])
	}
	return strings.Join(lines, "\n")
}

// end says how a run ended when that is not plain success.
func (r *renderer) end(a gate.Answer) {
	res := a.Result
	limit := func(what string) { r.printf("sallyport: %s %s\n", r.paint(red, "stopped:"), what) }
	switch res.Reason {
	case sandbox.Exited:
		if res.Exit != 0 {
			r.printf("sallyport: the program exited with status %d\n", res.Exit)
		}
	case sandbox.TimedOut:
		limit(fmt.Sprintf("it ran longer than it may (%s)", a.Durations.Run.Round(1e7)))
	case sandbox.CPU:
		limit("it used more CPU time than it may")
	case sandbox.Memory:
		limit("it used more memory than it may")
	case sandbox.Pids:
		limit("it started more processes than it may")
	case sandbox.Output:
		limit("it wrote more output than it may")
	case sandbox.Disk:
		limit("it wrote more to its disk than it may")
	case sandbox.Files:
		limit("it opened more files at once than it may")
	case sandbox.Killed:
		r.printf("sallyport: the program was killed by signal %d\n", res.Signal)
	case sandbox.Cancelled:
		limit("interrupted")
	case sandbox.Mismatch:
		r.printf("sallyport: %s the interpreter's own parser sees names that the analysis did not: %s; nothing ran\n",
			r.paint(red, "denied:"), safe(strings.Join(res.UnknownIdentifiers, ", ")))
	default:
		limit("for an unknown reason")
	}
	if res.StdoutTruncated || res.StderrTruncated {
		r.printf("sallyport: output was cut at its limit\n")
	}
	for _, v := range res.Violations {
		r.printf("sallyport: the program tried what policy denies: %s (%s)\n", safe(v.Capability), safe(v.Detail))
	}
}
