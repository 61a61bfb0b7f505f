// Package mistake says what is wrong with text that is no Python.
package mistake

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// Explain names the likely cause of text that is no Python, from an offset on:
// the first one, as a reader from top to bottom would find it. It reads words,
// strings and brackets, and knows no grammar.
func Explain(text string, from int) *analyze.Cause {
	e := &explainer{Explainer: analyze.Explainer{Text: text, At: from}, indents: []int{0}}
	for e.Cause == nil && e.At < len(text) {
		e.logicalLine()
	}
	if e.Cause == nil && e.header != "" {
		e.Blame(len(strings.TrimRight(text, " \t\n")), 0, e.wantsBlock())
	}
	return e.Cause
}

type explainer struct {
	analyze.Explainer

	tokens []token // of the logical line

	indents  []int
	header   string // the word with which the line before began a block, "" for none
	headerAt int
}

type token struct {
	kind       byte // n: name or key word, d: number, s: string, o: operator or bracket
	start, end int
	depth      int // brackets around it
}

func (e *explainer) word(t token) string { return e.Text[t.start:t.end] }

// near is how far is looked around a place, so that no text takes long.
const near = 1000

// logicalLine reads a line, with those that brackets and backslashes join to it.
func (e *explainer) logicalLine() {
	start, column := e.At, 0
	for ; e.At < len(e.Text); e.At++ {
		switch e.Text[e.At] {
		case ' ':
			column++
			continue
		case '\t':
			column += 8 - column%8
			continue
		case '\f':
			column = 0
			continue
		}
		break
	}
	rest := e.Text[e.At:]
	switch {
	case rest == "":
		return
	case rest[0] == '\n':
		e.At++
		return
	case rest[0] == '#':
		e.At += analyze.LineLength(rest)
		return
	}
	e.begins(start, column, rest)
	e.tokens = e.tokens[:0]
	for e.Cause == nil && e.At < len(e.Text) {
		if e.Text[e.At] == '\n' && len(e.Open) == 0 {
			e.At++
			break
		}
		e.token()
	}
	e.Unclosed()
	if e.Cause == nil && len(e.tokens) > 0 {
		e.checkLine()
	}
}

// begins looks at how a line begins: its indentation, and what is no Python.
func (e *explainer) begins(start, column int, rest string) {
	length := len(strings.TrimRight(rest[:analyze.LineLength(rest)], " \t"))
	switch {
	case rest[0] == '%' || rest[0] == '!':
		e.Blame(e.At, length, fmt.Sprintf("this is a notebook magic (%c), which no Python program has: leave it out", rest[0]))
	case rest[0] == '?':
		e.Blame(e.At, length, "this is a question to a notebook (?), which no Python program has: leave it out")
	case strings.HasPrefix(rest, "```"):
		e.Blame(e.At, length, "this is the fence of a Markdown block: leave it out")
	case strings.HasPrefix(rest, ">>>"):
		e.Blame(e.At, 3, "this is the prompt of an interactive session: leave it out")
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		e.Blame(e.At, 2, "this begins no comment in Python: write #")
	}
	top := e.indents[len(e.indents)-1]
	switch {
	case e.header != "" && column <= top:
		e.Blame(e.At, length, e.wantsBlock())
	case e.header != "":
		e.indents = append(e.indents, column)
	case column > top:
		e.Blame(start, e.At-start, "unexpected indentation: no line before it begins a block")
	default:
		for column < e.indents[len(e.indents)-1] {
			e.indents = e.indents[:len(e.indents)-1]
		}
		if column != e.indents[len(e.indents)-1] {
			e.Blame(start, e.At-start, "this indentation is that of no block before it")
		}
	}
	e.header = ""
}

func (e *explainer) wantsBlock() string {
	return fmt.Sprintf("an indented block is missing: '%s' in line %d begins one", e.header, e.Line(e.headerAt))
}

// token reads the next one, white space and comments included.
func (e *explainer) token() {
	c := e.Text[e.At]
	start := e.At
	kind := byte('o')
	switch {
	case c == ' ' || c == '\t' || c == '\f' || c == '\n':
		e.At++
		return
	case c == '#':
		e.At += analyze.LineLength(e.Text[e.At:])
		return
	case c == '\\' && strings.HasPrefix(e.Text[e.At:], "\\\n"):
		e.At += 2
		return
	case c >= '0' && c <= '9' || c == '.' && e.At+1 < len(e.Text) && isDigit(e.Text[e.At+1]):
		kind = 'd'
		e.number()
	case c == '"' || c == '\'':
		kind = 's'
		e.quoted("")
	case isNameByte(c):
		kind = 'n'
		for e.At < len(e.Text) && isNameByte(e.Text[e.At]) {
			e.At++
		}
		e.Unknown(start, e.At, "Python")
		prefix := strings.ToLower(e.Text[start:e.At])
		if e.At < len(e.Text) && (e.Text[e.At] == '"' || e.Text[e.At] == '\'') && len(prefix) <= 2 && strings.Trim(prefix, "rbuft") == "" {
			kind = 's'
			e.quoted(prefix)
		}
	default:
		e.operator()
	}
	depth := len(e.Open)
	if e.At == start+1 && strings.IndexByte("([{", c) >= 0 {
		depth-- // it stands outside of itself
	}
	e.tokens = append(e.tokens, token{kind, start, e.At, depth})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c >= utf8.RuneSelf
}

func (e *explainer) number() {
	start := e.At
	for e.At < len(e.Text) {
		c := e.Text[e.At]
		sign := (c == '+' || c == '-') && strings.IndexByte("eE", e.Text[e.At-1]) >= 0 && !strings.HasPrefix(strings.ToLower(e.Text[start:]), "0x")
		if !isNameByte(c) && c != '.' && !sign || c >= utf8.RuneSelf {
			break
		}
		e.At++
	}
	word := strings.ToLower(e.Text[start:e.At])
	switch {
	case strings.Trim(strings.TrimSuffix(word, "l"), "0123456789") == "" && strings.HasSuffix(word, "l"):
		e.Blame(start, e.At-start, "this looks like Python 2: a number has no L behind it")
	case len(word) > 1 && word[0] == '0' && strings.Trim(word, "01234567") == "" && strings.Trim(word, "0") != "":
		e.Blame(start, e.At-start, "this looks like Python 2: an octal number begins with 0o")
	case strings.Trim(word, "0123456789.") != "" && strings.IndexAny(word, "abcdefghijklmnopqrstuvwxyz") > 0 && strings.Trim(word, "0123456789abcdefjox._+-") != "":
		e.Blame(start, e.At-start, "a name may not begin with a digit")
	}
}

// quoted reads a string, whose prefix has been read.
func (e *explainer) quoted(prefix string) {
	start, quote := e.At, e.Text[e.At:e.At+1]
	if strings.HasPrefix(e.Text[e.At:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	e.At += len(quote)
	for e.At < len(e.Text) {
		rest := e.Text[e.At:]
		switch {
		case strings.HasPrefix(rest, quote):
			e.At += len(quote)
			return
		case rest[0] == '\\' && len(rest) > 1:
			e.At += 2
		case rest[0] == '\n' && len(quote) == 1:
			e.Blame(start, len(e.Text[start:e.At]), fmt.Sprintf("this string is never closed: a %s is missing before the end of the line", quote))
			return
		case rest[0] == '{' && strings.ContainsAny(prefix, "ft"):
			if strings.HasPrefix(rest, "{{") {
				e.At += 2
				continue
			}
			e.field(quote)
		default:
			e.At++
		}
		if e.Cause != nil {
			return
		}
	}
	e.At = len(e.Text)
	if len(quote) == 3 {
		e.Blame(start, 3, fmt.Sprintf("this string is never closed: its %s is missing (it would reach from line %d to the end)", quote, e.Line(start)))
		return
	}
	e.Blame(start, e.At-start, fmt.Sprintf("this string is never closed: a %s is missing", quote))
}

// field skips a replacement field of an f-string, as far as it can be told:
// up to its closing brace, or to where the string ends.
func (e *explainer) field(quote string) {
	depth := 0
	for e.At < len(e.Text) {
		rest := e.Text[e.At:min(len(e.Text), e.At+near)]
		switch c := rest[0]; {
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				e.At++
				return
			}
		case c == '\n' && len(quote) == 1:
			return
		case strings.HasPrefix(rest, quote):
			// A nested string with the same quotes, if it is closed on its line.
			nested, after, ok := strings.Cut(rest[len(quote):max(len(quote), analyze.LineLength(rest))], quote)
			if !ok || !strings.Contains(after, "}") {
				return
			}
			e.At += 2*len(quote) + len(nested)
			continue
		case c == '"' || c == '\'':
			if k := strings.IndexByte(rest[1:analyze.LineLength(rest)], c); k >= 0 {
				e.At += k + 1
			}
		}
		e.At++
	}
}

func (e *explainer) operator() {
	rest := e.Text[e.At:]
	for _, m := range []struct{ sign, message string }{
		{"===", "Python compares with =="},
		{"!==", "Python compares with !="},
		{"&&", "Python writes 'and'"},
		{"||", "Python writes 'or'"},
		{"=>", "this looks like JavaScript: a function without a name is 'lambda x: …'"},
		{"<>", "this looks like Python 2: write !="},
		{"`", "this looks like Python 2: write repr(…)"},
		{"$", "'$' is in no word or sign of Python"},
		{"?", "'?' is in no expression of Python: write A if CONDITION else B"},
	} {
		if strings.HasPrefix(rest, m.sign) {
			e.Blame(e.At, len(m.sign), m.message)
			return
		}
	}
	for _, sign := range []string{"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "->", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^="} {
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
	case '!':
		e.Blame(e.At, 1, "Python writes 'not'")
		return
	case '\\':
		e.Blame(e.At, 1, "behind a backslash that joins lines nothing may stand, not even a space")
		return
	}
	e.At++
}

// Words with which a block begins, words that are operators or begin an
// expression, and all that cannot be names.
var (
	headers  = strings.Fields("if elif else for while def class try except finally with async match case")
	joins    = strings.Fields("and or not in is if else for as lambda await async yield from")
	values   = strings.Fields("None True False")
	reserved = append(append(strings.Fields("assert break class continue def del elif except finally global import nonlocal pass raise return try while with"), joins...), values...)
)

// checkLine looks at the tokens of a logical line.
func (e *explainer) checkLine() {
	first := e.word(e.tokens[0])
	e.checkOtherLanguages(first)
	if len(e.tokens) > 1 && e.word(e.tokens[1]) == "=" && slices.Contains(reserved, first) {
		e.Blame(e.tokens[0].start, len(first), fmt.Sprintf("'%s' is a word of the language, and no name", first))
	}
	if slices.Contains(headers, first) && e.tokens[0].kind == 'n' {
		e.checkHeader(first)
	}
	if e.Cause != nil {
		return
	}
	for i, t := range e.tokens {
		if e.Cause != nil {
			return
		}
		if i > 0 {
			e.checkPair(i)
			e.checkStar(i)
		}
		if t.kind == 'n' && i+1 < len(e.tokens) && e.word(e.tokens[i+1]) == "=" && slices.Contains(reserved, e.word(t)) {
			e.Blame(t.start, t.end-t.start, fmt.Sprintf("'%s' is a word of the language, and no name", e.word(t)))
		}
	}
	last := e.tokens[len(e.tokens)-1]
	word := e.word(last)
	switch {
	case last.kind == 'o' && (word == "++" || word == "+" || word == "-") && len(e.tokens) > 1 && e.word(e.tokens[len(e.tokens)-2]) == word:
		e.Blame(last.start-1, 2, fmt.Sprintf("Python has no %s%s: write %s= 1", word, word, word))
	case last.kind == 'o' && !strings.ContainsAny(word, ")]}:;,") && word != "..." || last.kind == 'n' && slices.Contains([]string{"and", "or", "not", "in", "is"}, word):
		e.Blame(last.end, 0, fmt.Sprintf("something is missing behind '%s'", word))
	}
}

// checkOtherLanguages knows what is often written where Python 3 is meant.
func (e *explainer) checkOtherLanguages(first string) {
	t := e.tokens
	if len(t) < 2 {
		return
	}
	second := e.word(t[1])
	operand := t[1].kind == 's' || t[1].kind == 'd' || t[1].kind == 'n' && !slices.Contains(joins, second)
	whole := t[len(t)-1].end - t[0].start
	switch {
	case first == "print" && (operand || second == ">>"):
		e.Blame(t[0].start, whole, "print is a function and needs parentheses, print(…): this looks like Python 2")
	case first == "exec" && operand:
		e.Blame(t[0].start, whole, "exec is a function and needs parentheses, exec(…): this looks like Python 2")
	case first == "raise" && e.find(",") >= 0 && e.find("from") < 0:
		e.Blame(t[e.find(",")].start, 1, "this looks like Python 2: write raise ERROR(MESSAGE)")
	case first == "except" && e.find(",") >= 0 && e.find(",") < max(e.find(":"), 0):
		e.Blame(t[e.find(",")].start, 1, "this looks like Python 2: write except ERROR as NAME")
	case (first == "const" || first == "let" || first == "var" || first == "function") && t[1].kind == 'n':
		e.Blame(t[0].start, t[0].end-t[0].start, fmt.Sprintf("'%s' begins nothing in Python: this looks like JavaScript", first))
	case first == "else" && second == "if":
		e.Blame(t[0].start, t[1].end-t[0].start, "Python writes 'elif'")
	}
}

// find returns the first token outside of brackets that is word, or -1. The
// colons of lambdas do not count.
func (e *explainer) find(word string) int {
	lambdas := 0
	for i, t := range e.tokens {
		switch w := e.word(t); {
		case t.depth > 0:
		case w == "lambda":
			lambdas++
		case w == ":" && word == ":" && lambdas > 0:
			lambdas--
		case w == word:
			return i
		}
	}
	return -1
}

// checkHeader looks at a line that begins a block.
func (e *explainer) checkHeader(first string) {
	t := e.tokens
	if first == "match" || first == "case" {
		if len(t) < 2 || t[1].kind == 'o' || e.find("=") >= 0 {
			return // a name
		}
	}
	colon := e.find(":")
	if first == "if" || first == "elif" || first == "while" {
		if i := e.find("="); i >= 0 && (colon < 0 || i < colon) {
			e.Blame(t[i].start, 1, "'=' gives a name to a value; '==' compares")
			return
		}
	}
	if colon < 0 {
		for i := 1; i < len(t); i++ {
			if e.word(t[i]) == "{" && t[i].depth == 0 && i > 1 && e.endsValue(i-1) {
				e.Blame(t[i].start, 1, "a block begins with ':' and is indented: this looks like JavaScript")
			} else if t[i].depth == 0 && e.endsValue(i-1) && e.beginsValue(i) && i > 2 {
				e.Blame(t[i-1].end, 0, "':' is missing here")
			}
		}
		e.Blame(t[len(t)-1].end, 0, "':' is missing at the end of this line")
		return
	}
	if first == "def" && len(t) > 2 && e.word(t[2]) == ":" {
		e.Blame(t[2].start, 1, "the parentheses of the parameters are missing: def NAME():")
	}
	if colon == len(t)-1 {
		e.header, e.headerAt = first, t[0].start
	}
}

func (e *explainer) endsValue(i int) bool {
	t, w := e.tokens[i], e.word(e.tokens[i])
	return t.kind == 's' || t.kind == 'd' || w == ")" || w == "]" || w == "}" ||
		t.kind == 'n' && (!slices.Contains(reserved, w) || slices.Contains(values, w))
}

func (e *explainer) beginsValue(i int) bool {
	t, w := e.tokens[i], e.word(e.tokens[i])
	return t.kind == 's' || t.kind == 'd' || t.kind == 'n' && (!slices.Contains(reserved, w) || slices.Contains(values, w))
}

// checkPair blames two values that stand side by side.
func (e *explainer) checkPair(i int) {
	before, t := e.tokens[i-1], e.tokens[i]
	if !e.endsValue(i-1) || !e.beginsValue(i) || before.kind == 's' && t.kind == 's' {
		return
	}
	if w := e.word(before); i == 1 && (w == "match" || w == "case" || w == "type") {
		return
	}
	length := analyze.LineLength(e.word(t))
	if t.depth > 0 {
		e.Blame(t.start, length, "a comma or an operator is missing before this")
		return
	}
	e.Blame(t.start, length, "an operator, or the end of a line, is missing before this")
}

// checkStar blames a star before a bracket in a list without brackets, which is Python and is read by nobody here.
func (e *explainer) checkStar(i int) {
	t := e.tokens[i]
	if e.word(t) != "*" || t.depth > 0 || i+1 == len(e.tokens) || !slices.Contains([]string{"(", "[", "{"}, e.word(e.tokens[i+1])) {
		return
	}
	if slices.Contains([]string{",", "=", "in", "return", "yield"}, e.word(e.tokens[i-1])) {
		e.Blame(t.start, 1, "a star before a bracket is read only inside of brackets: write (a, *(b, c)) in the place of a, *(b, c)")
	}
}
