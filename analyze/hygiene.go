package analyze

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Codes of a Problem in Facts.Hygiene.
const (
	OddSuppression = "suppression" // a comment that would silence another tool; here it changes nothing
	OddLine        = "long-line"   // a line that nobody reads to its end
	OddScripts     = "homoglyph"   // a name that mixes letters of several alphabets
	OddSpelling    = "spelling"    // a name that the language reads as another spelling
	OddInvisible   = "invisible"   // a character that does not show
	OddBlob        = "blob"        // a long string without words
)

const (
	longLine = 1000 // code points
	longBlob = 256  // bytes
)

// OddLines reports lines that are too long to read.
func (c *Collector) OddLines(t *Tree) {
	l := t.lines
	for n, start := range l.starts {
		end := len(l.text)
		if n+1 < len(l.starts) {
			end = l.starts[n+1] - 1
		}
		if end-start > longLine && l.before(end)-l.before(start) > longLine {
			c.odd(OddLine, fmt.Sprintf("the line has more than %d characters", longLine), l.span(start, end))
		}
	}
}

// OddName reports an identifier as it is written and as the language reads it.
func (c *Collector) OddName(written, read string, at func() Span) {
	if written == read && strings.IndexFunc(written, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return
	}
	if written != read {
		c.odd(OddSpelling, "the language reads this name in another spelling", at())
	}
	if mixedScripts(read) {
		c.odd(OddScripts, "the name mixes letters of several alphabets", at())
	}
}

// OddComment reports a comment that would silence another tool.
func (c *Collector) OddComment(text string, at func() Span) {
	for _, mark := range []string{"nosec", "noqa", "type: ignore", "nosem", "pylint: disable", "eslint-disable", "@ts-ignore", "@ts-nocheck", "nolint", "pragma: no"} {
		if strings.Contains(text, mark) {
			c.odd(OddSuppression, "a comment meant to silence a checker", at())
			return
		}
	}
}

// OddText reports the text of a string or comment that hides something.
func (c *Collector) OddText(text string, at func() Span) {
	for _, r := range text {
		if r == 0x00ad || r == 0x180e || r >= 0x200b && r <= 0x200f && r != 0x200d || r >= 0x2060 && r <= 0x2064 || r == 0x115f || r == 0x3164 {
			c.odd(OddInvisible, "a character that does not show", at())
			break
		}
	}
	if len(text) >= longBlob && isBlob(text) {
		c.odd(OddBlob, "a long string without words", at())
	}
}

// isBlob tells whether text could be encoded data: one long word of letters,
// digits and the signs of the usual encodings.
func isBlob(text string) bool {
	word := 0
	for i := range len(text) {
		switch b := text[i]; {
		case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '+', b == '/', b == '=', b == '-', b == '_', b == '\\':
			if word++; word >= longBlob {
				return true
			}
		default:
			word = 0
		}
	}
	return false
}

// mixedScripts tells whether a name has letters of more than one of the
// alphabets whose letters look alike.
func mixedScripts(name string) bool {
	found := 0
	for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee} {
		if strings.IndexFunc(name, func(r rune) bool { return unicode.Is(script, r) }) >= 0 {
			found++
		}
	}
	return found > 1
}
