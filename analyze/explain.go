package analyze

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Explainer is what the readers of text that does not parse have in common,
// whatever its language: where they are, and the first cause that they find.
type Explainer struct {
	Text  string
	At    int
	Cause *Cause
	Open  []int // offsets of brackets that are open
}

// Blame says what is wrong at a place; the first cause counts.
func (e *Explainer) Blame(start, length int, message string) {
	if e.Cause == nil {
		e.Cause = &Cause{Start: start, End: start + length, Message: message}
	}
}

// Line is the number of the line that an offset is in.
func (e *Explainer) Line(offset int) int { return 1 + strings.Count(e.Text[:offset], "\n") }

// Unclosed blames the bracket that is open, if there is one.
func (e *Explainer) Unclosed() {
	if e.Cause == nil && len(e.Open) > 0 {
		at := e.Open[len(e.Open)-1]
		e.Blame(at, 1, fmt.Sprintf("this '%c' is never closed", e.Text[at]))
	}
}

// Close takes in a closing bracket, and reports whether it closes the one that
// is open.
func (e *Explainer) Close() bool {
	c := e.Text[e.At]
	if len(e.Open) == 0 {
		e.Blame(e.At, 1, fmt.Sprintf("this '%c' closes nothing: no bracket is open here", c))
		return false
	}
	opened := e.Open[len(e.Open)-1]
	if e.Open = e.Open[:len(e.Open)-1]; closing(e.Text[opened]) != c {
		e.Blame(e.At, 1, fmt.Sprintf("this '%c' does not close the '%c' that is open since line %d", c, e.Text[opened], e.Line(opened)))
		return false
	}
	return true
}

func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// Unknown blames a character that is in no name of the language.
func (e *Explainer) Unknown(from, to int, language string) {
	for i, c := range e.Text[from:to] {
		switch {
		case c < utf8.RuneSelf || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.M, c) || unicode.Is(unicode.Pc, c):
		case strings.ContainsRune("“”„‟‘’‚‛«»", c):
			e.Blame(from+i, utf8.RuneLen(c), "this is a typographic quotation mark: write \" or '")
		case strings.ContainsRune("–—−", c):
			e.Blame(from+i, utf8.RuneLen(c), "this is a typographic dash: write -")
		case unicode.IsSpace(c) || unicode.Is(unicode.Cf, c):
			e.Blame(from+i, utf8.RuneLen(c), fmt.Sprintf("this is U+%04X, a space or a mark that does not show: write a plain space or nothing", c))
		default:
			e.Blame(from+i, utf8.RuneLen(c), fmt.Sprintf("the character U+%04X is in no word or sign of %s", c, language))
		}
	}
}

// LineLength is the length of the first line.
func LineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}
