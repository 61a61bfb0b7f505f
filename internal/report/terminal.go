package report

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"sallyport/answer"
)

// Text writes for people. Whatever is written with it is fit for a terminal:
// Printf makes every value visible, and only the format is taken as it is.
// Colour is only ever an addition: every word is there without it. A Text keeps
// the first error of its writer and writes nothing after it.
type Text struct {
	w        io.Writer
	style    Style
	openLine bool
	err      error
}

// Style is how a Text looks. The zero value is for files and pipes.
type Style struct {
	Color bool
	Width int // of the terminal; 0: lines are not broken, so that programs can read them
}

// NewText returns a Text that writes to w.
func NewText(w io.Writer, s Style) *Text { return &Text{w: w, style: s} }

// Err is the first error of the writer.
func (t *Text) Err() error { return t.err }

// OpenLine says that others have left a line without its end: what is written
// first starts a new one.
func (t *Text) OpenLine() { t.openLine = true }

// Ready is text that is fit for a terminal as it is.
type Ready string

// Printf writes values that others may have chosen in a format that is ours. A
// value that is Ready stays as it is.
func (t *Text) Printf(format string, values ...any) {
	if t.openLine {
		t.openLine = false
		format = "\n" + format
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.w, string(Format(format, values...)))
	}
}

// Format is what Printf writes.
func Format(format string, values ...any) Ready {
	values = slices.Clone(values)
	for i, v := range values {
		values[i] = fit(v)
	}
	return Ready(fmt.Sprintf(format, values...))
}

// fit leaves what cannot carry text of others', and makes text of the rest.
func fit(v any) any {
	if ready, ok := v.(Ready); ok {
		return string(ready)
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return v
	}
	return answer.Visible(fmt.Sprint(v))
}

// Lines makes a text of several lines ready.
func Lines(s string) Ready { return Ready(answer.VisibleLines(s)) }

// The styles of Paint.
const (
	Red    = "31;1"
	Yellow = "33;1"
	Green  = "32"
	Bold   = "1"
	Dim    = "2"
)

// Paint gives a value a style where there are colours.
func (t *Text) Paint(style string, v any) Ready {
	text := Format("%s", v)
	if !t.style.Color {
		return text
	}
	return "\x1b[" + Ready(style) + "m" + text + "\x1b[0m"
}

// hang is where the lines after a broken one begin.
const hang = "      "

// Wrap breaks a text between words, where it would run over the edge of the
// terminal behind what takes up the first columns of its first line.
func (t *Text) Wrap(taken int, text string) Ready {
	text = answer.Visible(text)
	if t.style.Width == 0 {
		return Ready(text)
	}
	var b strings.Builder
	at := taken
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > t.style.Width:
			b.WriteString("\n" + hang)
			at = len(hang)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return Ready(b.String())
}
