package python

import (
	"fmt"
	"strings"

	"sallyport/analyze"
)

// canonical refuses what CPython and the grammar read differently.
func canonical(goal analyze.Goal, text string) (string, analyze.Goal, *analyze.Refusal) {
	if goal != "" && goal != analyze.Script {
		return "", "", &analyze.Refusal{Code: analyze.RefusedLanguage, Message: fmt.Sprintf("Python has no goal %q", goal)}
	}
	if r := refuseCookie(text); r != nil {
		return "", "", r
	}
	if r := refuseFormFeed(text); r != nil {
		return "", "", r
	}
	return text, analyze.Script, nil
}

// refuseCookie refuses an encoding declaration in the first two lines (PEP
// 263) other than UTF-8: it would change what the bytes mean. Wherever the
// interpreter may look for one it is looked for here: CPython accepts it in
// any comment line, with anything before "coding".
func refuseCookie(text string) *analyze.Refusal {
	offset := 0
	for range 2 {
		line, _, more := strings.Cut(text[offset:], "\n")
		if name, at := cookie(line); name != "" {
			switch normal := strings.ReplaceAll(strings.ToLower(name), "_", "-"); {
			case normal == "utf-8", normal == "utf8", normal == "ascii", normal == "us-ascii":
			default:
				return analyze.Refuse(text, offset+at, analyze.RefusedCookie, "an encoding declaration other than UTF-8")
			}
		}
		if !more {
			break
		}
		offset += len(line) + 1
	}
	return nil
}

// cookie finds what an encoding declaration in a line names. It is broader
// than the interpreter, which wants a comment alone on its line: a "#" inside
// a string counts here too, but only with a name behind it.
func cookie(line string) (name string, at int) {
	hash := strings.IndexByte(line, '#')
	if hash < 0 {
		return "", 0
	}
	for rest := hash; ; {
		k := strings.Index(line[rest:], "coding")
		if k < 0 {
			return "", 0
		}
		rest += k + len("coding")
		if rest >= len(line) || line[rest] != ':' && line[rest] != '=' {
			continue
		}
		value := strings.TrimLeft(line[rest+1:], " \t\f")
		end := 0
		for end < len(value) && (value[end] == '-' || value[end] == '_' || value[end] == '.' || isAlphanumeric(value[end])) {
			end++
		}
		if end > 0 {
			return value[:end], len(line) - len(value)
		}
	}
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// refuseFormFeed refuses a form feed that stands before code on its line: it
// resets the indentation for CPython and not for the grammar. On a line of its
// own it separates pages, and that is common.
func refuseFormFeed(text string) *analyze.Refusal {
	for from := 0; ; {
		k := strings.IndexByte(text[from:], '\f')
		if k < 0 {
			return nil
		}
		k += from
		start := strings.LastIndexByte(text[:k], '\n') + 1
		line, _, _ := strings.Cut(text[start:], "\n")
		if strings.TrimLeft(text[start:k], " \t\f") == "" && strings.TrimLeft(line, " \t\f") != "" {
			return analyze.Refuse(text, k, analyze.RefusedControl, "a form feed before code changes the indentation")
		}
		from = k + 1
	}
}

// checkTokens reports what the grammar accepts and no CPython reads that way.
func (p *python) checkTokens() {
	t := p.Tree
	p.OddLines(t)
	if t.IsWhole() {
		checkLines(t, func(at analyze.Span) {
			p.Problem(analyze.ProblemIndent, "this is one statement for some readers and two for others", at)
		})
		checkWords(t, func(what string, at analyze.Span) {
			p.Problem(analyze.ProblemIndent, "this is "+what+" for some readers and none for others", at)
		})
	}
	covered := 0 // end of what the tree has accounted for
	for i := 0; i < t.Len(); i++ {
		switch k := t.Kind(i); k {
		case kindPrintStatement:
			if c := t.FirstNamed(i); c == analyze.NoNode || t.Kind(c) != kindChevron {
				p.Problem(analyze.ProblemSyntax, "print is a function: this is Python 2", t.Span(i))
			}
		case kindComment:
			p.OddComment(t.Source(i), func() analyze.Span { return t.Span(i) })
			p.OddText(t.Source(i), func() analyze.Span { return t.Span(i) })
		case kindStringContent:
			p.OddText(t.Source(i), func() analyze.Span { return t.Span(i) })
		case kindIdentifier:
			p.OddName(t.Source(i), identifierText(t.Source(i)), func() analyze.Span { return t.Span(i) })
		case kindExecStatement:
			p.Problem(analyze.ProblemSyntax, "exec is a function: this is Python 2", t.Span(i))
		case kindType:
			p.checkAnnotation(i)
		case kindBlock:
			if t.FirstNamed(i) == analyze.NoNode {
				p.Problem(analyze.ProblemSyntax, "an indented block is missing", t.Span(i))
			}
		}
		if t.IsError(i) {
			covered = max(covered, t.End(i)) // reported already
			i = t.After(i) - 1
			continue
		}
		leaf := t.After(i) == i+1
		whole := t.Kind(i) == kindStringContent || t.Kind(i) == kindFormatSpecifier
		if !leaf && !whole {
			continue
		}
		p.checkGap(covered, t.Start(i))
		p.checkIndent(i)
		covered = max(covered, t.End(i))
	}
	p.checkGap(covered, len(t.Text))
}

// checkLines reports statements that the grammar ends, or goes on with, otherwise than the
// interpreter: "x: a[1:2].print (y)" is two for it, and a line that begins with a bracket belongs to the
// one before where that reads like print or type in another version of the language.
func checkLines(t *analyze.Tree, report func(at analyze.Span)) {
	statement := make([]int32, t.Len()) // by node, which it is in
	last, depth, covered, ended := analyze.NoNode, 0, 0, false
	for i := 0; i < t.Len(); i++ {
		up := t.Parent(i)
		if up < 0 || t.Kind(up) == kindModule || t.Kind(up) == kindBlock || t.Kind(up) == kindDecoratedDefinition {
			statement[i] = int32(i)
		} else {
			statement[i] = statement[up]
		}
		token := i
		if t.Kind(i) == kindString {
			i = t.After(i) - 1
		} else if t.After(i) > i+1 {
			continue
		}
		if covered < t.Start(token) {
			ended = ended || strings.Contains(strings.ReplaceAll(t.Text[covered:t.Start(token)], "\\\n", ""), "\n")
		}
		covered = max(covered, t.End(token))
		if t.Extra(token) || t.Start(token) == t.End(token) {
			continue
		}
		if last != analyze.NoNode && depth == 0 && ended == (statement[last] == statement[token]) && !separates(t, last, token, int(statement[token])) {
			report(t.Between(t.Start(last), t.End(token)))
		}
		switch t.Source(token) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		last, ended = token, false
	}
}

// checkWords reports words of the language that the grammar takes for names: what is a function to the
// interpreter in "x[*lambda: (y := z)]", with names of its own, is a slice from one to another. And a ":="
// that was read as the beginning of a format and is in none, and two braces in a format, which are text
// for some interpreters and a set for others.
func checkWords(t *analyze.Tree, report func(what string, at analyze.Span)) {
	for i := range t.Len() {
		s := t.Source(i)
		switch t.Kind(i) {
		case kindIdentifier:
			if isWord(s) || strings.HasPrefix(s, "=") {
				report("a name", t.Span(i))
			}
		case kindFormatExpression:
			if strings.HasPrefix(s, "{{") {
				report("a set", t.Span(i))
			}
		}
	}
}

// isWord tells whether s is a word that is no name anywhere.
func isWord(s string) bool {
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
		"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}

// separates tells whether what stands at token a or b ends a statement on the line of the next
// one, which is s.
func separates(t *analyze.Tree, a, b, s int) bool {
	if t.Source(a) == ";" || t.Source(b) == ";" {
		return true
	}
	block := t.Parent(s)
	return block >= 0 && t.Kind(block) == kindBlock && t.Source(a) == ":" && t.Parent(a) == t.Parent(block)
}

// checkAnnotation reports an annotation that begins on another line: the grammar
// reads "match [x]:" and what follows as one.
func (p *python) checkAnnotation(i int) {
	t := p.Tree
	if t.Kind(t.Parent(i)) != kindAssignment {
		return
	}
	colon := t.Start(i)
	for c := t.First(t.Parent(i)); c != i; c = t.Next(c) {
		if !t.Extra(c) {
			colon = t.End(c)
		}
	}
	if strings.ContainsAny(strings.ReplaceAll(t.Text[colon:t.Start(i)], "\\\n", ""), "\n#") {
		p.Problem(analyze.ProblemIndent, "this reads like an annotation: put what match looks at in round brackets", t.Span(t.Parent(i)))
	}
}

// checkGap reports text that is in no token and is not plain white space: the
// grammar skips characters that the interpreter does not.
func (p *python) checkGap(from, to int) {
	if from >= to {
		return
	}
	gap := p.Tree.Text[from:to]
	for k := 0; k < len(gap); k++ {
		switch c := gap[k]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\f':
		case c == '\\' && k+1 < len(gap) && gap[k+1] == '\n':
		default:
			p.Problem(analyze.ProblemHidden, "this is in no token of the language", p.Tree.Between(from+k, from+k+1))
			return
		}
	}
}

// checkIndent reports a statement whose indentation has a tab behind a space,
// or goes on from a line that holds only a backslash: the grammar and the
// interpreter may then disagree on the block it is in.
func (p *python) checkIndent(i int) {
	t := p.Tree
	start := t.Start(i)
	if start == 0 || t.Text[start-1] != ' ' && t.Text[start-1] != '\t' {
		return
	}
	line := t.LineStart(start)
	indent := t.Text[line:start]
	if strings.TrimLeft(indent, " \t") != "" {
		return
	}
	continued := line >= 2 && t.Text[line-2] == '\\' && strings.TrimLeft(t.Text[t.LineStart(line-1):line-2], " \t") == ""
	if !strings.Contains(indent, " \t") && !continued {
		return
	}
	for up := i; up > 0; up = t.Parent(up) {
		if k := t.Kind(t.Parent(up)); (k == kindBlock || k == kindModule) && t.Start(up) == start && t.Kind(up) != kindComment {
			p.Problem(analyze.ProblemIndent, "a tab behind a space, or a backslash alone, in the indentation", t.Span(i))
			return
		}
	}
}
