package analyze

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Codes of a Refusal that are common to all languages.
const (
	RefusedLanguage = "language"      // no such language, or a goal it does not have
	RefusedEmpty    = "empty"         // nothing but white space
	RefusedSize     = "size"          // more than MaxSourceBytes
	RefusedEncoding = "encoding"      // not UTF-8
	RefusedControl  = "control"       // a control character
	RefusedReturn   = "lone-return"   // a carriage return that ends no line
	RefusedBidi     = "bidi"          // a bidirectional control: the code reads differently than it runs
	RefusedHidden   = "invisible"     // an invisible character that parsers disagree about
	RefusedMark     = "byte-mark"     // a byte order mark that is not the very first character
	RefusedCookie   = "coding-cookie" // an encoding declaration other than UTF-8

	RefusedSyntax     = "syntax"     // TypeScript that does not parse
	RefusedTypeScript = "typescript" // TypeScript of which no JavaScript is made
)

// Canonical makes raw the one text that is hashed, judged and run, or refuses
// it with a *Refusal when the parser and the interpreter could read it
// differently. It keeps no reference to raw. A leading byte order mark is
// dropped and CRLF becomes LF; nothing else changes.
func (a *Analyzer) Canonical(lang Language, goal Goal, raw []byte) (Source, error) {
	r := a.readers[lang]
	if r == nil {
		return Source{}, &Refusal{Code: RefusedLanguage, Message: fmt.Sprintf("there is no language %q", lang)}
	}
	if r.Cells != nil {
		return a.join(r, raw)
	}
	if len(raw) > MaxSourceBytes {
		return Source{}, &Refusal{Code: RefusedSize, Message: fmt.Sprintf("the source is larger than %d bytes", MaxSourceBytes)}
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	if r := RefuseCharacters(text); r != nil {
		return Source{}, r
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return Source{}, &Refusal{Code: RefusedEmpty, Message: "the source is empty"}
	}
	text, goal, refusal := r.Canonical(goal, text)
	if refusal != nil {
		return Source{}, refusal
	}
	if r.Erase != nil {
		return a.erase(r, goal, text)
	}
	return newSource(lang, goal, text), nil
}

// erase makes JavaScript of canonical TypeScript.
func (a *Analyzer) erase(r *Reader, goal Goal, text string) (Source, error) {
	t, problem := a.parse(context.Background(), r, text)
	if problem != nil {
		return Source{}, &Refusal{Code: problem.Code, Message: problem.Message, Span: problem.Span}
	}
	c := newCollector(a.limits)
	c.lines = t.lines
	t.reportMistakes(c)
	c.explain(t, Source{text: text}, r.Explain)
	for _, p := range sortedProblems(c.problems) {
		return Source{}, &Refusal{Code: RefusedSyntax, Message: p.Message, Span: p.Span}
	}
	javascript, refusal := r.Erase(t)
	if refusal != nil {
		return Source{}, refusal
	}
	if len(javascript) > MaxSourceBytes {
		return Source{}, &Refusal{Code: RefusedSize, Message: fmt.Sprintf("the JavaScript of it is larger than %d bytes", MaxSourceBytes)}
	}
	src := newSource(JavaScript, goal, javascript)
	src.original = newSource(TypeScript, goal, text).sha256
	return src, nil
}

// RefuseCharacters finds the first character that no canonical source has in
// any language, wherever it stands.
func RefuseCharacters(text string) *Refusal {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= ' ' && b < 0x7f || b == '\n' || b == '\t' {
			continue
		}
		switch {
		case b == '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				continue
			}
			return Refuse(text, i, RefusedReturn, "a carriage return without a line feed ends a line for the interpreter but not for the reader")
		case b == '\f':
			continue // the languages differ; each has its own rule
		case b < ' ' || b == 0x7f:
			return Refuse(text, i, RefusedControl, fmt.Sprintf("control character U+%04X", b))
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return Refuse(text, i, RefusedEncoding, fmt.Sprintf("byte 0x%02x is not valid UTF-8", b))
		}
		if code, what := refusedRune(r); code != "" {
			return Refuse(text, i, code, fmt.Sprintf("%s U+%04X", what, r))
		}
		i += size - 1
	}
	return nil
}

// refusedRune names the reason why r may not stand anywhere in a source, not
// even in a string or a comment.
func refusedRune(r rune) (code, what string) {
	switch {
	case r >= 0x80 && r < 0xa0:
		return RefusedControl, "control character"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return RefusedBidi, "bidirectional control character"
	case r == 0x2028 || r == 0x2029:
		return RefusedHidden, "line or paragraph separator"
	case r == 0xfeff:
		return RefusedMark, "byte order mark inside the text"
	case r >= 0xe0000 && r <= 0xe007f:
		return RefusedHidden, "invisible tag character"
	}
	return "", ""
}

// refusal places a Refusal at a byte offset of text.
func Refuse(text string, offset int, code, message string) *Refusal {
	line := 1 + strings.Count(text[:offset], "\n")
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	column := 1 + utf8.RuneCountInString(text[start:offset])
	return &Refusal{Code: code, Message: message, Span: Span{line, column, line, column + 1}}
}

// LanguageOf guesses the language and goal of a source from its file name or,
// failing that, from the shebang in its first bytes. Both are "" when neither
// tells.
func LanguageOf(name string, firstBytes []byte) (Language, Goal) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".py", ".pyw":
		return Python, Script
	case ".js":
		return JavaScript, ""
	case ".cjs":
		return JavaScript, Script
	case ".mjs":
		return JavaScript, Module
	case ".ts":
		return TypeScript, ""
	case ".mts":
		return TypeScript, Module
	case ".ipynb":
		return Notebook, Script
	}
	line, _, _ := strings.Cut(string(firstBytes[:min(len(firstBytes), 256)]), "\n")
	if !strings.HasPrefix(line, "#!") {
		return "", ""
	}
	for _, field := range strings.Fields(line[2:]) {
		switch program := filepath.Base(field); {
		case strings.HasPrefix(program, "python"):
			return Python, Script
		case program == "node" || program == "nodejs":
			return JavaScript, ""
		}
	}
	return "", ""
}
