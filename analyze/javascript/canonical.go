package javascript

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"sallyport/analyze"
)

// Codes of the problems that only JavaScript has.
const (
	ProblemHTMLComment = "html-comment" // <!-- or --> outside of a string: a comment or an operator
	ProblemSpace       = "white-space"  // a space that parsers disagree about
	ProblemDecorator   = "decorator"    // no Node reads decorators
	ProblemEscape      = "escape"       // an identifier escape that is none
	ProblemSemicolon   = "semicolon"    // parsers disagree about where a statement ends
	ProblemTag         = "tag"          // parsers disagree about what new calls
	ProblemNumber      = "number"       // parsers disagree about where a number ends
)

// octal is how a number in digits of base 8 begins. To V8 it ends before a point, which asks it for a member.
var octal = regexp.MustCompile(`^0[0-7]+[.eE]`)

// Canonical refuses text that is not read alike by all, and leaves the rest as it is.
func Canonical(goal analyze.Goal, text string) (string, analyze.Goal, *analyze.Refusal) {
	if goal != "" && goal != analyze.Script && goal != analyze.Module {
		return "", "", &analyze.Refusal{Code: analyze.RefusedLanguage, Message: "JavaScript has no goal of that name"}
	}
	if i := strings.IndexByte(text, '\f'); i >= 0 {
		return "", "", analyze.Refuse(text, i, analyze.RefusedControl, "form feed")
	}
	return text, goal, nil
}

// checkText refuses what tree-sitter and V8 read differently. Both agree up to
// the first such place, so looking only outside of what the tree says are
// strings and comments is enough.
func (j *javascript) checkText() {
	j.checkCharacters()
	j.checkHTMLComments()
	j.checkNodes()
	j.checkAwait()
}

// quoted returns the node that text at offset stands in verbatim: part of a
// string, template, regular expression or comment; or NoNode.
func (j *javascript) quoted(offset int) int {
	t := j.tree
	i := sort.Search(t.Len(), func(i int) bool { return t.Start(i) > offset }) - 1
	for ; i >= 0; i = t.Parent(i) {
		if t.End(i) <= offset {
			continue
		}
		switch t.Kind(i) {
		case kindString, kindStringFragment, kindEscapeSequence, kindRegexPattern, kindComment, kindHashBangLine, kindHtmlComment:
			return i
		case kindTemplateString:
			return i // text of the template itself: a substitution would be found first
		case kindTemplateSubstitution:
			return analyze.NoNode
		}
	}
	return analyze.NoNode
}

func (j *javascript) checkCharacters() {
	text := j.tree.Text
	for i := 0; i < len(text); i++ {
		if text[i] < utf8.RuneSelf {
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		what := ""
		switch {
		case unicode.Is(unicode.Zs, r):
			what = "white space"
		case isInvisible(r):
			what = "invisible character"
		}
		if what != "" && j.quoted(i) == analyze.NoNode {
			j.Problem(ProblemSpace, fmt.Sprintf("%s U+%04X outside of a string", what, r), j.tree.Between(i, i+size))
		}
		i += size - 1
	}
}

// isInvisible is true for characters that show nothing but are not space.
func isInvisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return r == 0x2800 || r == 0x3164 || r == 0xffa0
}

// checkHTMLComments refuses the comments that browsers brought into scripts.
// "<!--" is one anywhere, "-->" at the start of a line; modules have neither.
func (j *javascript) checkHTMLComments() {
	text := j.tree.Text
	for _, mark := range []string{"<!--", "-->"} {
		for from := 0; ; {
			at := strings.Index(text[from:], mark)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			if j.quoted(at) != analyze.NoNode {
				continue
			}
			if mark == "-->" && !j.startsLine(at) {
				continue
			}
			j.Problem(ProblemHTMLComment, "an HTML-like comment: it hides code in a script", j.tree.Between(at, at+len(mark)))
		}
	}
}

// startsLine is true when only white space and comments stand between offset
// and a line end before it, or the start of the text.
func (j *javascript) startsLine(offset int) bool {
	text := j.tree.Text
	for i := offset - 1; i >= 0; i-- {
		switch text[i] {
		case '\n':
			return true
		case ' ', '\t':
			continue
		}
		q := j.quoted(i)
		if q == analyze.NoNode || j.tree.Kind(q) != kindComment {
			return false
		}
		if strings.Contains(j.tree.Source(q), "\n") {
			return true
		}
		i = j.tree.Start(q)
	}
	return true
}

// checkNodes refuses syntax that V8 does not have, and identifiers whose
// escapes the grammar does not check.
func (j *javascript) checkNodes() {
	t := j.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindHtmlComment:
			j.Problem(ProblemHTMLComment, "an HTML-like comment: it hides code in a script", t.Span(i))
		case kindDecorator:
			j.Problem(ProblemDecorator, "decorators are not part of JavaScript yet: call the function of what it decorates, as in A = decorate(A)", t.Span(i))
		case kindBinaryExpression, kindCallExpression, kindMemberExpression, kindSubscriptExpression, kindTernaryExpression, kindUpdateExpression:
			// To V8 a statement ends after the body of an arrow function, and after a++ before what is no operator.
			if k := t.Kind(i + 1); k == kindArrowFunction || k == kindUpdateExpression && t.Kind(i) != kindBinaryExpression && t.Kind(i) != kindTernaryExpression {
				j.checkedEnd(i + 1)
			}
			switch t.Kind(i) {
			case kindBinaryExpression:
				j.checkMixed(i)
			case kindCallExpression, kindMemberExpression, kindSubscriptExpression: // which to V8 is what new calls
				if t.Kind(i+1) == kindNewExpression && t.Child(i+1, argumentsField) == analyze.NoNode {
					j.Problem(ProblemTag, "new calls a tag or member for some readers and what it gives for others: parentheses are missing", t.Span(i))
				}
			}
		case kindExpressionStatement, kindVariableDeclaration, kindLexicalDeclaration, kindReturnStatement, kindThrowStatement, kindExportStatement,
			kindFieldDefinition:
			j.checkEnd(i)
			j.checkBegin(i)
			if t.Kind(i) == kindReturnStatement {
				j.checkWord(i)
			}
			if t.Kind(i) == kindFieldDefinition {
				j.checkField(i)
			}
		case kindArrowFunction:
			j.checkWord(i)
			if body := t.Child(i, bodyField); body != analyze.NoNode && t.Kind(body) != kindStatementBlock && t.Text[t.Start(body)] == '{' {
				j.checkedEnd(body)
			}
		case kindYieldExpression, kindBreakStatement, kindContinueStatement, kindMethodDefinition:
			j.checkWord(i)
		case kindForStatement: // in whose head no line ends anything to V8
			for _, part := range [...]analyze.Field{initializerField, conditionField} {
				if c := t.Child(i, part); c != analyze.NoNode && !strings.HasSuffix(t.Source(c), ";") {
					j.checkedEnd(c)
				}
			}
		case kindComment:
			j.checkComment(i)
		case kindNumber:
			if octal.MatchString(t.Source(i)) {
				j.Problem(ProblemNumber, "a number that begins with 0 ends before its point for some readers: write it without the 0", t.Span(i))
			}
		case kindIdentifier, kindPropertyIdentifier, kindPrivatePropertyIdentifier, kindShorthandPropertyIdentifier,
			kindShorthandPropertyIdentifierPattern, kindStatementIdentifier:
			if t.Kind(i) == kindIdentifier && isReserved(t.Source(i)) && !j.namesExport(i) {
				j.checkedEnd(i)
			}
			if s := t.Source(i); strings.IndexByte(s, '\\') >= 0 && !isIdentifierText(decodeEscapes(s)) {
				j.Problem(ProblemEscape, "an escape in a name stands for something that no name may hold", t.Span(i))
			}
		}
	}
}

// checkMixed refuses operators beside each other that V8 reads in parentheses alone.
func (j *javascript) checkMixed(i int) {
	t, operator := j.tree, j.operatorOf(i)
	for _, side := range [...]analyze.Field{leftField, rightField} {
		switch other := j.operatorOf(t.Child(i, side)); {
		case operator == "??" && (other == "||" || other == "&&"), other == "??" && (operator == "||" || operator == "&&"):
			j.Problem(analyze.ProblemSyntax, "?? beside || or && needs parentheses", t.Span(i))
		case operator == "**" && side == leftField && j.isUnary(t.Child(i, side)):
			j.Problem(analyze.ProblemSyntax, "what is raised to a power needs parentheses around its sign", t.Span(i))
		}
	}
}

// operatorOf returns the operator of the expression at node i, or "".
func (j *javascript) operatorOf(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	return j.sourceOf(j.tree.Child(i, operatorField))
}

func (j *javascript) isUnary(i int) bool {
	return i != analyze.NoNode && (j.tree.Kind(i) == kindUnaryExpression || j.tree.Kind(i) == kindAwaitExpression)
}

// checkEnd refuses a statement that the grammar ends without a semicolon where
// the next line goes on with it: a template then is a tag's, not a statement.
func (j *javascript) checkEnd(i int) {
	t := j.tree
	text, last := t.Source(i), t.FirstNamed(i)
	if last == analyze.NoNode || strings.HasSuffix(text, ";") {
		return
	}
	k := t.After(i)
	for k < t.Len() && t.Extra(k) {
		k = t.After(k)
	}
	if k >= t.Len() || t.Start(k) < t.End(i) || t.Start(k) >= len(t.Text) {
		return
	}
	next := t.Text[t.Start(k)]
	if strings.HasSuffix(text, "}") && next != '`' {
		return // a function or class: what follows is a statement of its own
	}
	if strings.IndexByte("`([.*%<>=,?^|&/", next) >= 0 {
		j.checkedEnd(i)
	}
}

// checkedEnd refuses node i, behind which a statement ends for some readers.
func (j *javascript) checkedEnd(i int) {
	t := j.tree
	j.Problem(ProblemSemicolon, "a statement ends here for some readers and goes on for others: a semicolon is missing", t.Between(t.End(i), t.End(i)))
}

// checkBegin refuses a statement that begins with a bracket, which is a block to V8, and one that declares a name
// where no declaration stands: to V8 that is let, and another statement.
func (j *javascript) checkBegin(i int) {
	t := j.tree
	switch t.Kind(i) {
	case kindExpressionStatement:
		if t.Text[t.Start(i)] == '{' {
			j.checkedEnd(i)
		}
	case kindExportStatement: // of a function or class: that is a declaration, behind which a statement begins
		if e := t.Child(i, valueField); e != analyze.NoNode && declares.MatchString(t.Source(e)) && !isFunctionKind(t.Kind(e)) && t.Kind(e) != kindClass {
			j.checkedEnd(e)
		}
	case kindLexicalDeclaration:
		switch t.Kind(t.Parent(i)) {
		case kindElseClause, kindLabeledStatement, kindIfStatement, kindWhileStatement, kindDoStatement, kindWithStatement:
			j.checkedEnd(i)
		case kindForStatement, kindForInStatement:
			if t.Field(i) == bodyField {
				j.checkedEnd(i)
			}
		}
	}
}

// declares is how a declaration begins that may have no name.
var declares = regexp.MustCompile(`^(?:async[ \t]+)?function\b|^class\b`)

// namesExport tells whether node i is what a module calls an export: that may be any word.
func (j *javascript) namesExport(i int) bool {
	switch j.tree.Kind(j.tree.Parent(i)) {
	case kindExportSpecifier, kindImportSpecifier, kindNamespaceExport:
		return true
	}
	return false
}

// isReserved is true for the words that are no names, and for let, which V8 takes for a declaration where a name follows.
func isReserved(name string) bool {
	switch name {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "export", "extends", "false",
		"finally", "for", "function", "if", "import", "in", "instanceof", "let", "new", "null", "return", "super", "switch", "this", "throw", "true",
		"try", "typeof", "var", "void", "while", "with":
		return true
	}
	return false
}

// checkComment refuses a comment of several lines between two words of one line, which to V8 is the end of a line and
// may end a statement, and one in a regular expression, which to V8 is two of them.
func (j *javascript) checkComment(i int) {
	t := j.tree
	if t.Kind(t.Parent(i)) == kindRegex {
		j.checkedEnd(i)
	}
	if !strings.Contains(t.Source(i), "\n") || j.startsLine(t.Start(i)) {
		return
	}
	before, after := strings.TrimRight(t.Text[:t.Start(i)], " \t"), t.End(i)
	for k := i + 1; ; k = t.After(k) {
		after += len(t.Text[after:]) - len(strings.TrimLeft(t.Text[after:], " \t"))
		if k >= t.Len() || t.Kind(k) != kindComment || t.Start(k) != after {
			break
		}
		if strings.HasPrefix(t.Source(k), "//") {
			return
		}
		after = t.End(k)
	}
	goesOn := strings.ContainsAny(before[len(before)-1:], "([{,;:=?&|") || after == len(t.Text) || strings.ContainsAny(t.Text[after:after+1], "\n,)]};:")
	if !goesOn {
		j.checkedEnd(i)
	}
}

// checkWord refuses node i where a word in it ends a line behind which V8 ends the statement or member: the grammar
// goes on where no semicolon can stand, or the next word begins as in does.
func (j *javascript) checkWord(i int) {
	t := j.tree
	for c := t.First(i); c != analyze.NoNode && !t.Named(c); c = t.Next(c) {
		next := t.Next(c)
		for next != analyze.NoNode && t.Extra(next) {
			next = t.Next(next)
		}
		if next == analyze.NoNode {
			return
		}
		words := strings.Fields(t.Source(c)) // static get is one
		switch word := words[len(words)-1]; word {
		case "return", "yield", "break", "continue", "async":
			if (t.Named(next) || word == "async") && strings.Contains(t.Text[t.End(c):t.Start(next)], "\n") {
				j.checkedEnd(c)
			}
		case "get", "set": // is a field of its own to V8
			if t.Source(next) == "*" {
				j.checkedEnd(c)
			}
		}
	}
}

// checkField refuses a field whose name is a word that says what follows it is: to V8 the
// next line is an accessor or a static member, and to the grammar one of its own.
func (j *javascript) checkField(i int) {
	t := j.tree
	name := t.Child(i, propertyField)
	if name == analyze.NoNode || t.Child(i, valueField) != analyze.NoNode {
		return
	}
	switch t.Source(name) {
	case "get", "set", "static":
	default:
		return
	}
	k := t.After(i)
	for k < t.Len() && t.Extra(k) {
		k = t.After(k)
	}
	if k < t.Len() && (t.Source(k) == ";" || t.Source(k) == "}") {
		return
	}
	j.Problem(ProblemSemicolon, "a member ends here for some readers and goes on for others: a semicolon is missing", t.Between(t.End(i), t.End(i)))
}

func isIdentifierText(s string) bool {
	s = strings.TrimPrefix(s, "#")
	for i, r := range s {
		letter := r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		other := unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Pc, r)
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}

// checkAwait reports await and yield where a script may mean identifiers: what
// follows is then a division to V8 and a regular expression to the grammar.
func (j *javascript) checkAwait() {
	t := j.tree
	for i := range t.Len() {
		word := ""
		switch t.Kind(i) {
		case kindAwaitExpression:
			word = "async"
		case kindForInStatement:
			if isForAwait(t, i) {
				word = "async"
			}
		case kindYieldExpression:
			word = "*"
		case kindIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern, kindStatementIdentifier:
			if s := j.identifierText(i); s == "await" || s == "yield" {
				j.Collector.Dynamic(analyze.DynamicAwait, j.At(t, i))
			}
		}
		if word == "" {
			continue
		}
		f := j.functionAround(i)
		if f == analyze.NoNode && word == "async" && (j.goal == analyze.Module || j.cells) {
			continue
		}
		if f == analyze.NoNode || !hasWord(t, f, word) {
			j.Collector.Dynamic(analyze.DynamicAwait, j.At(t, i))
		}
	}
}

// directive is true when the body at node i begins with "use strict".
func (j *javascript) directive(i int) bool {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindHashBangLine {
			continue
		}
		s := t.FirstNamed(c)
		if t.Kind(c) != kindExpressionStatement || s == analyze.NoNode || t.Kind(s) != kindString {
			return false
		}
		if text := t.Source(s); text == `"use strict"` || text == `'use strict'` {
			return true
		}
	}
	return false
}
