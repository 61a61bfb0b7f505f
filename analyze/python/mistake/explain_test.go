package mistake_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/analyze/python"
	"sallyport/analyze/python/mistake"
)

// What a broken program is told: the place, and a likely cause. No cause is
// looked for in a program that parses.
func TestPythonSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code   string
		line, column int
		cause        string
	}{
		{"colon", "x = 1\nif x == 1\n    print(x)\n", 2, 10, "':' is missing at the end of this line"},
		{"colon of a function", "def f(a, b)\n    return a\n", 1, 12, "':' is missing"},
		{"colon of else", "if 1:\n    pass\nelse\n    pass\n", 3, 5, "':' is missing"},
		{"colon, not that of a slice or lambda", "while f(x[1:2], lambda: 1)\n    pass\n", 1, 27, "':' is missing"},
		{"colon before a statement", "for i in range(3) print(i)\n", 1, 18, "':' is missing here"},
		{"colon before a later bracket", "if x\n    y = (1\n", 1, 5, "':' is missing"},
		{"bracket", "a = 1\nx = (1,\n2\nprint(x)\n", 2, 5, "'(' is never closed"},
		{"inner bracket", "x = foo(bar[1)\n", 1, 14, "')' does not close the '['"},
		{"bracket in a function", "def f():\n    x = {'a': [1, 2}\n    return x\n", 2, 20, "'}' does not close the '[' that is open since line 2"},
		{"closing bracket alone", "print(1))\n", 1, 9, "')' closes nothing"},
		{"quote", "s = \"abc\nprint(s)\n", 1, 5, "a \" is missing before the end of the line"},
		{"quote in a call", "x = 2\nprint('it's')\n", 2, 12, "string is never closed"},
		{"three quotes", "x = 1\ns = \"\"\"abc\nprint(s)\n", 2, 5, "its \"\"\" is missing"},
		{"f-string", "x = 1\nprint(f\"{x)\n", 2, 8, "string is never closed"},
		{"Python 2", "print \"hello\"\n", 1, 1, "Python 2"},
		{"Python 2, name", "x = 1\nprint x\n", 2, 1, "Python 2"},
		{"Python 2, exec", "exec \"x = 1\"\n", 1, 1, "Python 2"},
		{"Python 2, octal", "import os\nx = [0755, 1 2]\n", 2, 6, "an octal number begins with 0o"},
		{"Python 2, unequal", "if 1 <> 2\n    pass\n", 1, 6, "write !="},
		{"magic", "%matplotlib inline\nimport os\n", 1, 1, "notebook magic (%)"},
		{"magic, shell", "import os\n!pip install pandas\n", 2, 1, "notebook magic (!)"},
		{"magic, cell", "%%time\nx = 1\n", 1, 1, "notebook magic"},
		{"fence", "```python\nprint(1)\n```\n", 1, 1, "Markdown"},
		{"prompt", ">>> x = 1\n>>> print(x)\n", 1, 1, "interactive session"},
		{"block", "def f():\nreturn 1\n", 2, 1, "an indented block is missing: 'def' in line 1"},
		{"block at the end", "x = 1\nfor i in x:\n", 2, 12, "an indented block is missing: 'for' in line 2"},
		{"comparison", "x = 1\nif x = 1:\n    pass\n", 2, 6, "'==' compares"},
		{"comma", "x = [1, 2 3]\n", 1, 11, "a comma or an operator is missing"},
		{"comma in a call", "x = 1\nprint(\"a\" x)\n", 2, 11, "a comma or an operator is missing"},
		{"two statements", "x = 1 y = 2\n", 1, 7, "the end of a line, is missing"},
		{"value", "x = 1\ny = x +\n", 2, 8, "something is missing behind '+'"},
		{"word of the language", "class = 1\n", 1, 1, "no name"},
		{"typographic quote", "print(“hello”)\n", 1, 7, "typographic quotation mark"},
		{"no-break space", "x =\u00a01\n", 1, 4, "U+00A0"},
		{"else if", "if 1:\n    pass\nelse if 2:\n    pass\n", 3, 1, "elif"},
		{"and", "if 1 && 2:\n    pass\n", 1, 6, "'and'"},
		{"JavaScript", "const x = 1;\nconsole.log(x)\n", 1, 1, "JavaScript"},
		{"JavaScript, function", "function f() {\n  return 1\n}\n", 1, 1, "JavaScript"},
		{"JavaScript, block", "x = 1\nif (x) {\n  print(x)\n}\n", 2, 8, "JavaScript"},
		{"increment", "x = 1\nx++\n", 2, 2, "write += 1"},
		{"star before a bracket", "a = (1,)\nb = 2, *(a), 3\n", 2, 8, "only inside of brackets"},
		{"star before a bracket, at first", "def f(a):\n    yield *[a], 1\n", 2, 11, "only inside of brackets"},
		{"code points, not bytes", "s = f('äöü' 'ß' x y)\n", 1, 17, "is missing before this"},
	} {
		f := analyzetest.Facts(t, python.Reader(), tt.code)
		if f.Complete || len(f.Syntax) != 1 {
			t.Errorf("%s: complete %v, %d problems: %+v", tt.name, f.Complete, len(f.Syntax), f.Syntax)
			continue
		}
		p := f.Syntax[0]
		if p.Code != analyze.ProblemSyntax || p.Span.Line != tt.line || p.Span.Column != tt.column || !strings.Contains(p.Message, tt.cause) {
			t.Errorf("%s: %s at %d:%d: %s, want %d:%d: %s", tt.name, p.Code, p.Span.Line, p.Span.Column, p.Message, tt.line, tt.column, tt.cause)
		}
	}
}

// Programs that parse have no cause, although it would see some in a few of them.
func TestPythonNoSyntaxError(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"print(1)\n", "match = 1\nmatch x:\n    case 1:\n        pass\n", "x = lambda a: a\nif (lambda: 1)(): pass\n",
		"print(f\"{x!r:>{w}} {d['a']} {{}}\")\n", "type X = int\n", "a = 1 if b else 2\nasync def f():\n    async with x as y, z as w:\n        await y\n",
		"x = [i for i in y if i not in z]\n", "if x:\n\ty = 1\n\tz = 2\n", "s = u'a' 'b'\n", "x = [1, *(2, 3)]\nf(*(1, 2))\ny = (1, *[2])\nz = 2 *(3)\nw = 1, *x\n", "x = 1_000j + 0b1 + 0o7 + 1e-5 + .5\n", "x: int = 1\ndef f(a, /, *, b: int = 2) -> int: ...\n",
	} {
		if f := analyzetest.Facts(t, python.Reader(), code); f.Complete {
			if c := mistake.Explain(code, 0); c != nil {
				t.Errorf("%q: %s at %d", code, c.Message, c.Start)
			}
		}
	}
}

// Whatever the text: an answer, within it.
func FuzzPythonExplain(f *testing.F) {
	for _, s := range []string{"", "if x\n", "f\"{a{b}\"", "'''", "((]", "x\\", "0", "\t\n ", "“", "async", "def", "f'{'", "else if"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c := mistake.Explain(s, 0); utf8.ValidString(s) && c != nil && (c.Start < 0 || c.Start > c.End || c.End > len(s)) {
			t.Errorf("%q: %+v", s, c)
		}
	})
}
