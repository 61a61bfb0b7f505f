package mistake_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/mistake"
)

// What a broken program is told: the place, and a likely cause.
func TestJavaScriptSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code   string
		line, column int
		cause        string
	}{
		{"brace", "function f() {\n  console.log('a')\n", 1, 14, "'{' is never closed"},
		{"parenthesis", "let x = 1\nif (x > 0 {\n  f()\n}\n", 2, 4, "'(' is never closed"},
		{"wrong bracket", "f([1, 2)\n", 1, 8, "')' does not close the '['"},
		{"closing brace alone", "f()\n}\n", 2, 1, "'}' closes nothing"},
		{"quote", "let s = \"abc\nconsole.log(s)\n", 1, 9, "a \" is missing before the end of the line"},
		{"quote in a call", "let x\nf('it's')\n", 2, 8, "string is never closed"},
		{"template", "let x\nf(`a ${x} b)\n", 2, 3, "template is never closed"},
		{"substitution", "let x\nf(`a ${x b`)\n", 2, 11, "template is never closed"},
		{"comment", "f()\n/* abc\n", 2, 1, "comment is never closed"},
		{"TypeScript, variable", "const x: number = 1;\nconsole.log(x)\n", 1, 8, "TypeScript"},
		{"TypeScript, interface", "interface A { b: string }\nf(1)\n", 1, 1, "TypeScript"},
		{"TypeScript, type", "f()\ntype A = string | number;\n", 2, 1, "TypeScript"},
		{"TypeScript, enum", "enum Color { Red, Green }\n", 1, 1, "TypeScript"},
		{"TypeScript, parameter", "function f(a: number, b) { return a }\n", 1, 13, "TypeScript"},
		{"TypeScript, arrow", "const f = (a: string) => a\n", 1, 13, "TypeScript"},
		{"TypeScript, result", "function f(a): string { return a }\n", 1, 14, "TypeScript"},
		{"TypeScript, as", "const x = JSON.parse(s) as Foo;\n", 1, 25, "TypeScript"},
		{"TypeScript, modifier", "class A {\n  private x = 1\n}\n", 2, 3, "TypeScript"},
		{"TypeScript, import", "import type { A } from 'a'\n", 1, 1, "TypeScript"},
		{"JSX", "const x = <div>hello</div>;\n", 1, 11, "JSX"},
		{"fence", "```js\nf(`a`) + \n```\n", 1, 1, "Markdown"},
		{"Python", "def f(x):\n    return x\n", 1, 1, "Python"},
		{"Python, import", "import os\nprint(1)\n", 1, 1, "Python"},
		{"Python, comment", "let x = 1\n# a comment\nf(x)\n", 2, 1, "write //"},
		{"comma", "f([1, 2 3])\n", 1, 9, "a comma or an operator is missing"},
		{"value", "let x = ;\n", 1, 8, "something is missing behind '='"},
		{"value at the end", "let x\nx = x +\n", 2, 8, "something is missing behind '+'"},
		{"two values", "const x 5;\n", 1, 9, "is missing before this"},
		{"typographic quote", "f(“hello world”)\n", 1, 3, "typographic quotation mark"},
	} {
		f := analyzetest.Facts(t, javascript.Reader(), tt.code)
		if f.Complete {
			t.Errorf("%s: parses", tt.name)
			continue
		}
		p := f.Syntax[0]
		if p.Code != analyze.ProblemSyntax || p.Span.Line != tt.line || p.Span.Column != tt.column || !strings.Contains(p.Message, tt.cause) {
			t.Errorf("%s: %s at %d:%d: %s, want %d:%d: %s (of %d)", tt.name, p.Code, p.Span.Line, p.Span.Column, p.Message, tt.line, tt.column, tt.cause, len(f.Syntax))
		}
	}
}

// Whatever the text: an answer, within it.
func FuzzJavaScriptExplain(f *testing.F) {
	for _, s := range []string{"", "/*", "`${", "`\\", "'\\", "/[", "((]", "a:b", "interface A", "type", "${`}", "“", "<", "x as", "import"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c := mistake.Explain(s, 0); utf8.ValidString(s) && c != nil && (c.Start < 0 || c.Start > c.End || c.End > len(s)) {
			t.Errorf("%q: %+v", s, c)
		}
	})
}
