package answer

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible makes a line of text that others chose fit to be shown: what a
// terminal would obey, what turns the direction of writing and what nobody can
// see is replaced by its code point, and a tab by a space.
func Visible(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\t':
			b.WriteByte(' ')
		case shows(c):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "<U+%04X>", c)
		}
	}
	return b.String()
}

// shows reports whether a character can be seen and does nothing else. Some
// that count as letters and marks cannot: text can be hidden in them.
func shows(c rune) bool {
	return unicode.IsPrint(c) && !unicode.Is(unicode.Variation_Selector, c) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c)
}

// VisibleLines is Visible for a text of several lines, whose ends stay.
func VisibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// OneLine joins the words of a text by single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip shortens a text to a number of bytes, and shows that it did.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// IsPlain reports whether each part of a path is a name and nothing else: no
// option, no hidden file that a shell, an editor or git would obey, and no
// character that hides what it is called.
func IsPlain(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || Visible(part) != part {
			return false
		}
	}
	return true
}
