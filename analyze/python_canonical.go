package analyze

import (
	"fmt"
	"strings"
)

// canonicalPython refuses what CPython and the grammar read differently.
func canonicalPython(goal Goal, text string) (string, Goal, *Refusal) {
	if goal != "" && goal != Script {
		return "", "", &Refusal{Code: RefusedLanguage, Message: fmt.Sprintf("Python has no goal %q", goal)}
	}
	if r := refuseCookie(text); r != nil {
		return "", "", r
	}
	if r := refuseFormFeed(text); r != nil {
		return "", "", r
	}
	return text, Script, nil
}

// refuseCookie refuses an encoding declaration in the first two lines (PEP
// 263) other than UTF-8: it would change what the bytes mean. Wherever the
// interpreter may look for one it is looked for here: CPython accepts it in
// any comment line, with anything before "coding".
func refuseCookie(text string) *Refusal {
	offset := 0
	for range 2 {
		line, _, more := strings.Cut(text[offset:], "\n")
		if name, at := cookie(line); name != "" {
			switch normal := strings.ReplaceAll(strings.ToLower(name), "_", "-"); {
			case normal == "utf-8", normal == "utf8", normal == "ascii", normal == "us-ascii":
			default:
				return refusal(text, offset+at, RefusedCookie, "an encoding declaration other than UTF-8")
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
func refuseFormFeed(text string) *Refusal {
	for from := 0; ; {
		k := strings.IndexByte(text[from:], '\f')
		if k < 0 {
			return nil
		}
		k += from
		start := strings.LastIndexByte(text[:k], '\n') + 1
		line, _, _ := strings.Cut(text[start:], "\n")
		if strings.TrimLeft(text[start:k], " \t\f") == "" && strings.TrimLeft(line, " \t\f") != "" {
			return refusal(text, k, RefusedControl, "a form feed before code changes the indentation")
		}
		from = k + 1
	}
}

// checkTokens reports what the grammar accepts and no CPython reads that way.
func (p *python) checkTokens() {
	t := p.tree
	p.oddLines(t.lines)
	covered := 0 // end of what the tree has accounted for
	for i := 0; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		switch k := t.kind(i); k {
		case pyPrintStatement:
			if c := t.firstNamed(i); c == noNode || t.kind(c) != pyChevron {
				p.problem(ProblemSyntax, "print is a function: this is Python 2", t.span(i))
			}
		case pyComment:
			p.oddComment(t.source(i), func() Span { return t.span(i) })
			p.oddText(t.source(i), func() Span { return t.span(i) })
		case pyStringContent:
			p.oddText(t.source(i), func() Span { return t.span(i) })
		case pyIdentifier:
			p.oddName(t.source(i), identifierText(t.source(i)), func() Span { return t.span(i) })
		case pyExecStatement:
			p.problem(ProblemSyntax, "exec is a function: this is Python 2", t.span(i))
		case pyBlock:
			if t.firstNamed(i) == noNode {
				p.problem(ProblemSyntax, "an indented block is missing", t.span(i))
			}
		}
		if n.flags&flagError != 0 {
			covered = max(covered, int(n.end)) // reported already
			i = int(n.next) - 1
			continue
		}
		leaf := int(n.next) == i+1
		whole := t.kind(i) == pyStringContent || t.kind(i) == pyFormatSpecifier
		if !leaf && !whole {
			continue
		}
		p.checkGap(covered, int(n.start))
		p.checkIndent(i)
		covered = max(covered, int(n.end))
	}
	p.checkGap(covered, len(t.text))
}

// checkGap reports text that is in no token and is not plain white space: the
// grammar skips characters that the interpreter does not.
func (p *python) checkGap(from, to int) {
	if from >= to {
		return
	}
	gap := p.tree.text[from:to]
	for k := 0; k < len(gap); k++ {
		switch c := gap[k]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\f':
		case c == '\\' && k+1 < len(gap) && gap[k+1] == '\n':
		default:
			p.problem(ProblemHidden, "this is in no token of the language", p.tree.lines.span(from+k, from+k+1))
			return
		}
	}
}

// checkIndent reports a statement whose indentation has a tab behind a space,
// or goes on from a line that holds only a backslash: the grammar and the
// interpreter may then disagree on the block it is in.
func (p *python) checkIndent(i int) {
	t := p.tree
	start := t.start(i)
	if start == 0 || t.text[start-1] != ' ' && t.text[start-1] != '\t' {
		return
	}
	line := t.lines.lineStart(start)
	indent := t.text[line:start]
	if strings.TrimLeft(indent, " \t") != "" {
		return
	}
	continued := line >= 2 && t.text[line-2] == '\\' && strings.TrimLeft(t.text[t.lines.lineStart(line-1):line-2], " \t") == ""
	if !strings.Contains(indent, " \t") && !continued {
		return
	}
	for up := i; up > 0; up = t.parent(up) {
		if k := t.kind(t.parent(up)); (k == pyBlock || k == pyModule) && t.start(up) == start && t.kind(up) != pyComment {
			p.problem(ProblemIndent, "a tab behind a space, or a backslash alone, in the indentation", t.span(i))
			return
		}
	}
}
