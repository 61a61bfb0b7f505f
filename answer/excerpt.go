package answer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sallyport/policy"
)

// Excerpt is a line of a program with a mark below the place that is meant, both
// fit to be shown.
type Excerpt struct {
	Number     int
	Text       string // of the line, or the part of it around the place
	Indent     string // what stands before the mark in the line below
	Mark       string // one ^ for each column
	LineMargin string // with which the line begins: its number
	MarkMargin string // with which the line below begins
}

// ExcerptWidth bounds the part of a line that is shown, and ExcerptMargin is
// what stands before it.
const (
	ExcerptWidth  = 160
	ExcerptMargin = len("1234 | ")
)

// NewExcerpt is the line of a source that a place names, at most width columns of
// it. It is false when the source has no such place.
func NewExcerpt(source string, s policy.Span, width int) (Excerpt, bool) {
	if s.Line < 1 {
		return Excerpt{}, false
	}
	lines := strings.SplitN(strings.TrimPrefix(source, "\ufeff"), "\n", s.Line+1)
	if s.Line > len(lines) {
		return Excerpt{}, false
	}
	line := []rune(strings.ToValidUTF8(strings.TrimRight(lines[s.Line-1], "\r"), "\uFFFD"))
	from := s.Column - 1
	if from < 0 || from > len(line) {
		return Excerpt{}, false
	}
	to := len(line)
	if s.EndLine == s.Line && s.EndColumn-1 < to {
		to = s.EndColumn - 1
	}
	shift := 0
	if to > width {
		shift = min(from, max(0, from-width/4))
	}
	line = line[shift:min(len(line), shift+width)]
	from, to = from-shift, min(to-shift, len(line))
	columns := func(part []rune) int { return utf8.RuneCountInString(Visible(string(part))) }
	number := fmt.Sprintf("%4d |", s.Line)
	return Excerpt{
		Number: s.Line, Text: Visible(string(line)),
		Indent: strings.Repeat(" ", columns(line[:from])), Mark: strings.Repeat("^", max(1, columns(line[from:max(from, to)]))),
		LineMargin: number, MarkMargin: strings.Repeat(" ", len(number)-1) + "|",
	}, true
}

// String is the excerpt as two lines.
func (x Excerpt) String() string {
	return fmt.Sprintf("%s %s\n%s %s%s", x.LineMargin, x.Text, x.MarkMargin, x.Indent, x.Mark)
}
