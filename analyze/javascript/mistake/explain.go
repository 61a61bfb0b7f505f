// Package mistake says what is wrong with text that is no JavaScript, or no TypeScript.
package mistake

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// Explain names the likely cause of text that is no JavaScript, from an offset
// on. It reads words, strings and brackets, and knows no grammar: first what no
// reader gets over, then what looks like another language, then the rest.
func Explain(text string, from int) *analyze.Cause {
	e := &explainer{Explainer: analyze.Explainer{Text: text, At: from}}
	if e.fence(); e.Cause != nil {
		return e.Cause
	}
	broken := e.broken()
	e.Cause = nil
	for i := 0; i < len(e.tokens) && e.Cause == nil; i++ {
		e.checkLanguage(i)
	}
	if e.Cause != nil && (broken == nil || e.Cause.Start < broken.Start) {
		return e.Cause
	}
	if e.Cause = broken; broken == nil {
		for i := 0; i < len(e.tokens) && e.Cause == nil; i++ {
			e.checkToken(i)
		}
	}
	return e.Cause
}

// Broken names what no reader gets over, in text of TypeScript, too.
func Broken(text string, from int) *analyze.Cause {
	e := &explainer{Explainer: analyze.Explainer{Text: text, At: from}}
	return e.broken()
}

// broken reads all tokens, and names what no reader gets over: a string or a
// bracket that is open.
func (e *explainer) broken() *analyze.Cause {
	for e.Cause == nil && e.At < len(e.Text) {
		e.token()
	}
	e.Unclosed()
	return e.Cause
}

type explainer struct {
	analyze.Explainer

	tokens    []token
	began     bool // the line has a token
	templates int  // that stand in each other
}

type token struct {
	kind       byte // n: name or key word, d: number, s: string, template or regular expression, o: operator or bracket
	start, end int
	depth      int  // brackets around it
	first      bool // of its line
}

// near is how far is looked around a place, so that no text takes long.
const near = 200

// fence blames a Markdown fence around the program, which reads as a template.
func (e *explainer) fence() {
	rest := e.Text[e.At:]
	blank := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	if strings.HasPrefix(rest[blank:], "```") {
		e.Blame(e.At+blank, analyze.LineLength(rest[blank:]), "this is the fence of a Markdown block: leave it out")
	}
}

// token reads the next one, white space and comments included.
func (e *explainer) token() {
	start, rest := e.At, e.Text[e.At:]
	kind, began := byte('o'), e.began
	e.began = true
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\n':
		e.began = began && c != '\n'
		e.At++
		return
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#!") && start == 0:
		e.At += analyze.LineLength(rest)
		e.began = began
		return
	case strings.HasPrefix(rest, "/*"):
		k := strings.Index(rest[2:], "*/")
		if k < 0 {
			e.Blame(start, 2, "this comment is never closed: its */ is missing")
			return
		}
		e.began = began && !strings.Contains(rest[:k+2], "\n")
		e.At += k + 4
		return
	case c >= '0' && c <= '9':
		kind = 'd'
		for e.At < len(e.Text) && (isNameByte(e.Text[e.At]) || e.Text[e.At] == '.') {
			e.At++
		}
	case c == '"' || c == '\'':
		kind = 's'
		e.quoted(c)
	case c == '`':
		kind = 's'
		e.template()
	case c == '/' && !e.endsValue(len(e.tokens)-1):
		kind = 's'
		e.expression()
	case isNameByte(c) || c == '#' && len(rest) > 1 && isNameByte(rest[1]) && e.previous() != "":
		kind = 'n'
		e.At++
		for e.At < len(e.Text) && isNameByte(e.Text[e.At]) {
			e.At++
		}
		e.Unknown(start, e.At, "JavaScript")
	default:
		e.operator()
	}
	depth := len(e.Open)
	if e.At == start+1 && strings.IndexByte("([{", rest[0]) >= 0 {
		depth-- // it stands outside of itself
	}
	e.tokens = append(e.tokens, token{kind, start, min(e.At, len(e.Text)), depth, !began})
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '\\' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (e *explainer) quoted(quote byte) {
	start := e.At
	for e.At++; e.At < len(e.Text); e.At++ {
		switch e.Text[e.At] {
		case quote:
			e.At++
			return
		case '\\':
			e.At++
		case '\n':
			e.Blame(start, e.At-start, fmt.Sprintf("this string is never closed: a %c is missing before the end of the line", quote))
			return
		}
	}
	e.At = len(e.Text)
	e.Blame(start, e.At-start, fmt.Sprintf("this string is never closed: a %c is missing", quote))
}

// template reads a template, and what stands in its substitutions.
func (e *explainer) template() {
	start := e.At
	if e.templates++; e.templates > near {
		e.Blame(start, 1, "templates stand in each other too deeply")
		return
	}
	defer func() { e.templates-- }()
	for e.At++; e.At < len(e.Text) && e.Cause == nil; {
		switch rest := e.Text[e.At:]; {
		case rest[0] == '`':
			e.At++
			return
		case rest[0] == '\\':
			e.At += 2
		case strings.HasPrefix(rest, "${"):
			e.At += 2
			e.Open = append(e.Open, e.At-1)
			for depth := len(e.Open); e.Cause == nil && len(e.Open) >= depth && e.At < len(e.Text); {
				e.token()
			}
		default:
			e.At++
		}
	}
	if e.Cause == nil && e.At >= len(e.Text) {
		e.At = len(e.Text)
		if len(e.Open) > 0 && e.Open[len(e.Open)-1] > start {
			e.Blame(e.Open[len(e.Open)-1], 1, "this '{' of a template is never closed")
		}
		e.Blame(start, 1, "this template is never closed: its ` is missing")
	}
}

// expression reads a regular expression.
func (e *explainer) expression() {
	start, class := e.At, false
	for e.At++; e.At < len(e.Text); e.At++ {
		switch c := e.Text[e.At]; {
		case c == '\\':
			e.At++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for e.At++; e.At < len(e.Text) && isNameByte(e.Text[e.At]); e.At++ {
			}
			return
		case c == '\n':
			e.Blame(start, 1, "a value is missing before this '/', or a regular expression is never closed")
			return
		}
	}
	e.At = len(e.Text)
	e.Blame(start, 1, "a value is missing before this '/', or a regular expression is never closed")
}

func (e *explainer) operator() {
	rest := e.Text[e.At:]
	for _, sign := range []string{">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"} {
		if strings.HasPrefix(rest, sign) {
			e.At += len(sign)
			return
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		e.Open = append(e.Open, e.At)
	case ')', ']', '}':
		if !e.Close() {
			return
		}
	case '#':
		e.Blame(e.At, 1, "this begins no comment in JavaScript: write //")
		return
	}
	e.At++
}

// word is the text of a token, "" where there is none.
func (e *explainer) word(i int) string {
	if i < 0 || i >= len(e.tokens) {
		return ""
	}
	return e.Text[e.tokens[i].start:e.tokens[i].end]
}

func (e *explainer) previous() string { return e.word(len(e.tokens) - 1) }

// Words behind which a value may begin, and words that end none.
var (
	joins    = strings.Fields("return typeof instanceof in of new delete void throw case do else yield await async get set static import export default extends from as let const var function class if for while switch try catch finally with break continue")
	notNames = slices.DeleteFunc(slices.Clone(joins), func(w string) bool {
		return slices.Contains([]string{"of", "async", "get", "set", "from", "as", "static", "await", "yield", "let"}, w)
	})
)

func (e *explainer) isName(i int) bool {
	return i >= 0 && i < len(e.tokens) && e.tokens[i].kind == 'n' && !slices.Contains(notNames, e.word(i))
}

func (e *explainer) endsValue(i int) bool {
	if i < 0 {
		return false
	}
	switch t := e.tokens[i]; t.kind {
	case 's', 'd':
		return true
	case 'n':
		return !slices.Contains(joins, e.word(i))
	}
	w := e.word(i)
	return w == ")" || w == "]" || w == "}" || w == "++" || w == "--"
}

// checkLanguage blames what looks like another language.
func (e *explainer) checkLanguage(i int) {
	t, w, next := e.tokens[i], e.word(i), e.word(i+1)
	length := t.end - t.start
	starts := t.first || i == 0 || slices.Contains([]string{";", "}", "{", "export"}, e.word(i-1))
	typescript := func(what string) {
		e.Blame(t.start, length, what+": this looks like TypeScript; say that it is, and it runs")
	}
	switch {
	case starts && (w == "interface" || w == "namespace" || w == "enum") && e.isName(i+1) && e.word(i+2) != "=",
		starts && w == "type" && e.isName(i+1) && (e.word(i+2) == "=" || e.word(i+2) == "<"),
		starts && (w == "declare" || w == "abstract") && slices.Contains([]string{"const", "let", "var", "function", "class", "module", "global", "namespace"}, next),
		w == "import" && next == "type":
		typescript(fmt.Sprintf("'%s' declares nothing in JavaScript", w))
	case (w == "const" || w == "let" || w == "var") && e.isName(i+1) && e.word(i+2) == ":":
		t, length = e.tokens[i+2], 1
		typescript("a variable has no type in JavaScript")
	case w == ")" && next == ":" && e.isName(i+2) && slices.Contains([]string{"{", "=>", "<", "[", "|"}, e.word(i+3)) && !e.inTernary(i+1):
		t, length = e.tokens[i+1], 1
		typescript("a function has no type in JavaScript")
	case e.isName(i) && (e.word(i-1) == "(" || e.word(i-1) == ",") && (next == ":" || next == "?" && e.word(i+2) == ":") && e.inParameters(i):
		t, length = e.tokens[i+1], 1
		typescript("a parameter has no type in JavaScript")
	case (w == "as" || w == "satisfies") && !t.first && e.endsValue(i-1) && (e.isName(i+1) || next == "const") && e.word(i-1) != "*" && !e.inImport(i):
		typescript(fmt.Sprintf("a value has no '%s' in JavaScript", w))
	case (w == "private" || w == "public" || w == "protected" || w == "readonly") && (e.isName(i+1) || next == "static") && next != "":
		typescript(fmt.Sprintf("there is no '%s' in JavaScript", w))
	case w == "implements" && e.isName(i-1):
		typescript("there is no 'implements' in JavaScript")
	case t.kind == 'o' && w == "<" && !e.endsValue(i-1) && (e.isName(i+1) || next == ">") && e.word(i-1) != "class":
		e.Blame(t.start, 1, "this looks like JSX, which no Node reads: make the text with strings, or call functions")
	case starts && t.first && w == "def" && e.isName(i+1), starts && w == "elif", starts && w == "print" && e.tokens[min(i+1, len(e.tokens)-1)].kind == 's':
		e.Blame(t.start, length, fmt.Sprintf("'%s' begins nothing in JavaScript: this looks like Python", w))
	case starts && w == "import" && e.isName(i+1) && (e.word(i+2) == "as" || e.tokens[min(i+2, len(e.tokens)-1)].first),
		starts && w == "from" && e.isName(i+1) && e.word(i+2) == "import":
		e.Blame(t.start, length, "this looks like Python: JavaScript imports by import NAME from \"MODULE\"")
	}
}

// inTernary reports whether a colon belongs to a question mark before it, in
// the same brackets.
func (e *explainer) inTernary(colon int) bool {
	for i := colon - 1; i >= max(0, colon-near) && e.tokens[i].depth >= e.tokens[colon].depth; i-- {
		if e.tokens[i].depth > e.tokens[colon].depth {
			continue
		}
		if w := e.word(i); w == "?" || w == "case" {
			return true
		} else if w == ";" || w == "," || w == "{" {
			return false
		}
	}
	return false
}

// inParameters reports whether a token stands in the parentheses of a function.
func (e *explainer) inParameters(i int) bool {
	depth := e.tokens[i].depth
	open, closed := i, i
	for open >= max(0, i-near) && e.tokens[open].depth >= depth {
		open--
	}
	for closed < min(len(e.tokens), i+near) && e.tokens[closed].depth >= depth {
		closed++
	}
	if e.word(open) != "(" {
		return false
	}
	after := e.word(closed + 1)
	return e.word(open-1) == "function" || e.word(open-2) == "function" || after == "=>" || after == "{" || after == ":"
}

// inImport reports whether a token belongs to the names of an import or export.
func (e *explainer) inImport(i int) bool {
	for n := 0; n < near && i > 0 && e.word(i) != ";"; n++ {
		i--
		if w := e.word(i); w == "import" || w == "export" {
			return true
		}
	}
	return false
}

// checkToken blames values that stand side by side, and what is missing.
func (e *explainer) checkToken(i int) {
	t, w, before := e.tokens[i], e.word(i), e.word(i-1)
	length := analyze.LineLength(e.Text[t.start:t.end])
	value := t.kind == 'd' || t.kind == 's' && e.Text[t.start] != '`' || e.isName(i) && !slices.Contains([]string{"of", "as", "from", "async", "get", "set", "static"}, w)
	switch {
	case i == 0:
	case value && !t.first && e.endsValue(i-1) && before != "}" && before != ")" && before != "async" && t.depth > 0 && e.bracket(i) != '{':
		e.Blame(t.start, length, "a comma or an operator is missing before this")
	case value && !t.first && e.endsValue(i-1) && before != "}" && before != ")" && !slices.Contains([]string{"async", "get", "set", "static", "of", "await", "yield", "let"}, before):
		e.Blame(t.start, length, "an operator, or the end of a statement, is missing before this")
	case slices.Contains([]string{"=", "+", "*", "%", "&&", "||", "??", "===", "==", "!==", "!=", ".", "=>", "+=", "-="}, before) && slices.Contains([]string{")", "]", "}", ";", ","}, w):
		e.Blame(e.tokens[i-1].end, 0, fmt.Sprintf("something is missing behind '%s'", before))
	}
	if i == len(e.tokens)-1 && t.kind == 'o' && !slices.Contains([]string{")", "]", "}", ";", "++", "--"}, w) {
		e.Blame(t.end, 0, fmt.Sprintf("something is missing behind '%s'", w))
	}
}

// bracket is the bracket that a token stands in.
func (e *explainer) bracket(i int) byte {
	depth := e.tokens[i].depth
	for n := 0; n < near && i > 0; n++ {
		i--
		if e.tokens[i].depth < depth {
			return e.Text[e.tokens[i].start]
		}
	}
	return 0
}
