package analyze_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
)

// joinCells judges cells one after the other, as a session does, and returns
// the facts of the last one joined with those before.
func joinCells(t *testing.T, lang analyze.Language, cells ...string) (analyze.Facts, analyze.Facts) {
	t.Helper()
	a := analyze.New(python.Reader(), javascript.Reader())
	var cell, joined analyze.Source
	for _, text := range cells {
		var err error
		if cell, joined, err = a.Cell(joined, lang, []byte(text)); err != nil {
			t.Fatalf("cell %q: %v", text, err)
		}
	}
	alone, err := a.Facts(context.Background(), cell)
	if err != nil {
		t.Fatal(err)
	}
	all, err := a.Facts(context.Background(), joined)
	if err != nil {
		t.Fatal(err)
	}
	return alone, all
}

// What a cell does can be said in pieces over several cells. Each row names
// the symbol that the pieces come to; with a * the kind of Dynamic.
func TestCellsAreReadTogether(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lang  analyze.Language
		cells []string
		want  string
	}{
		{"alias, then call", analyze.Python, []string{"import os as o", "f = o.system", "f('id')"}, "os.system"},
		{"import, then getattr", analyze.Python, []string{"import os", "k = 'sys'", "k += 'tem'", "getattr(os, k)('id')"}, "*member"},
		{"pieces of a name", analyze.Python, []string{"import os", "a = 'sys'", "b = 'tem'", "getattr(os, a + b)('id')"}, "os.system"},
		{"a function's global changed later", analyze.Python, []string{"import os, math", "m = math", "def f(): return m.system('id')", "m = os", "f()"}, "os.system"},
		{"a builtin that a cell which stops shadows", analyze.Python, []string{"1/0\ndef exec(s): pass", "exec('import os')"}, "builtins.exec"},
		{"a builtin shadowed where the cell may not compile", analyze.Python, []string{"def exec(s): pass\nreturn", "exec('import os')"}, "builtins.exec"},
		{"a function above a name that is never bound", analyze.Python, []string{"def f(): exec('import os')\nnowhere\ndef exec(s): pass", "f()"}, "builtins.exec"},
		{"a name that was harmless", analyze.Python, []string{"import os, math", "os = math", "os.system('id')"}, "os.system"},
		{"a name that another cell binds by what it begins with", analyze.Python, []string{"import os\n__doc__ = 'sep'\ndef f(): return getattr(os, __doc__)", "'system'\nf()('id')"}, "*member"},
		{"a list filled before", analyze.Python, []string{"import os", "x = [os]", "x[0].system('id')"}, "os.system"},
		{"alias, then call", analyze.JavaScript, []string{"const p = process", "p.binding('spawn_sync')"}, "globalThis.process.binding"},
		{"require in pieces", analyze.JavaScript, []string{"const a = 'child_'", "const b = 'process'", "require(a + b)"}, "node:child_process"},
		{"this is the global object", analyze.JavaScript, []string{"this.process.binding('spawn_sync')"}, "globalThis.process.binding"},
		{"this in an arrow function", analyze.JavaScript, []string{"const f = () => this", "f().process.binding('x')"}, "globalThis.process.binding"},
		{"strict cells do not make others strict", analyze.JavaScript, []string{"'use strict'; 1", "function f() { return this }", "f().process.binding('x')"}, "globalThis.process.binding"},
		{"a declaration is a property of the global object", analyze.JavaScript, []string{"var p = process", "globalThis.p.binding('x')"}, "globalThis.process.binding"},
		{"a property of the global object is a declared name", analyze.JavaScript, []string{"var p = {}", "globalThis.p = process", "p.binding('x')"}, "globalThis.process.binding"},
		{"a global shadowed where the cell may not compile", analyze.JavaScript, []string{"function eval(x) {}\nlet z = 1\nlet z = 2", "eval('1')"}, "globalThis.eval"},
		{"a global shadowed by what throws", analyze.JavaScript, []string{"let eval = (() => { throw 1 })()", "eval('1')"}, "globalThis.eval"},
		{"a global overwritten where it may not be shadowed", analyze.JavaScript, []string{"let process = 1; let process = 2", "process = {}"}, "*patch"},
		{"a member that is not there where the cell stops", analyze.JavaScript, []string{"const o = {}", "null.q; o.p = 'a'", "const m = { xundefined: process }; m['x' + o.p].binding('x')"}, "globalThis.process.binding"},
		{"a member of what the same cell makes", analyze.JavaScript, []string{"const o = {}; null.q; o.p = 'a'", "const m = { xundefined: process }; m['x' + o.p].binding('x')"}, "globalThis.process.binding"},
		{"a member of what a function gives that the cell declares", analyze.JavaScript, []string{"const o = {}; null.q; o.p = 'a'; function g() { return o }", "const m = { xundefined: process }; m['x' + g().p].binding('x')"}, "globalThis.process.binding"},
		{"a member of what a module gives", analyze.JavaScript, []string{"exports.q = 1; null.q; exports.p = 'a'", "const m = { xundefined: process }; m['x' + exports.p].binding('x')"}, "globalThis.process.binding"},
		{"a member of what a module gives, by its other name", analyze.JavaScript, []string{"module.exports.q = 1", "null.q; module.exports.p = 'a'", "const m = { xundefined: process }; m['x' + module.exports.p].binding('x')"}, "globalThis.process.binding"},
		{"a name that is not assigned where the cell stops", analyze.JavaScript, []string{"let v", "null.q; v = 'a'", "const m = { xundefined: process }; m['x' + v].binding('x')"}, "globalThis.process.binding"},
		{"a var behind where the cell stops", analyze.JavaScript, []string{"null.q; var v = 'a'", "const m = { xundefined: process }; m['x' + v].binding('x')"}, "globalThis.process.binding"},
		{"a var behind what the cell waits for", analyze.JavaScript, []string{"await null.q; var [v] = ['a']", "const m = { xundefined: process }; m['x' + v].binding('x')"}, "globalThis.process.binding"},
		{"the same after an await", analyze.JavaScript, []string{"await 1", "this.process.binding('x')"}, "globalThis.process.binding"},
	} {
		t.Run(string(tt.lang)+" "+tt.name, func(t *testing.T) {
			alone, all := joinCells(t, tt.lang, tt.cells...)
			if !alone.Complete || !all.Complete {
				t.Fatalf("not complete: %v %v", alone.Syntax, all.Syntax)
			}
			has := func(f analyze.Facts) bool {
				if kind, ok := strings.CutPrefix(tt.want, "*"); ok {
					return len(f.Dynamic[kind]) > 0
				}
				return slices.Contains(f.Names, tt.want) || slices.Contains(f.Imports, tt.want)
			}
			if !has(all) {
				t.Errorf("names %q, dynamic %v: no %s", all.Names, all.Dynamic, tt.want)
			}
		})
	}
}

// What sessions are for must not look odd to the analysis.
func TestOrdinaryCells(t *testing.T) {
	for _, tt := range []struct {
		lang  analyze.Language
		cells []string
	}{
		{analyze.Python, []string{"import math", "def area(r):\n    return math.pi * r ** 2", "\n# a comment\narea(2)", "x = [area(i) for i in range(3)]\nx", "if x:\n    print(x)\nelse:\n    print(0)\n"}},
		{analyze.Python, []string{"class A:\n    def f(self):\n        return 1\n    # the end", "# next\nA().f()", "# only a comment", "x = '''\n# a text\n'''\n\n\n", "x"}},
		{analyze.Python, []string{"def f():\n    pass\n\n    # about nothing\n", "    # indented\nf()"}},
		{analyze.JavaScript, []string{"let a = 1", "(function () { return a })()", "[1, 2].map((x) => x + a)", "`${a}`", "/x/.test('x')", "// only a comment", "const { b } = await Promise.resolve({ b: a })", "b"}},
		{analyze.JavaScript, []string{"function f() { return 1 }", "const util = require('util')", "class A { x = f() }\nnew A().x", "for await (const x of [1]) console.log(x)"}},
	} {
		_, all := joinCells(t, tt.lang, tt.cells...)
		if !all.Complete || len(all.Dynamic) > 0 {
			t.Errorf("%s %q: syntax %v, dynamic %v", tt.lang, tt.cells, all.Syntax, all.Dynamic)
		}
	}
}

// What a cell assigns is known in that cell, whatever others there are.
func TestCellsKnowTheirOwn(t *testing.T) {
	for _, cell := range []string{"const o = {}; o.p = 'a'; require('fs').readFileSync(o.p + 'b')", "let v; v = 'a'; require('fs').readFileSync(v + 'b')", "var v = 'a'; require('fs').readFileSync(v + 'b')"} {
		_, all := joinCells(t, analyze.JavaScript, "const x = 1", cell, "console.log(x)")
		if uses := all.Uses["node:fs.readFileSync"]; len(uses) != 1 || !uses[0].Args[0].Known {
			t.Errorf("%q: not known", cell)
		}
	}
}

// A cell that would run into the next one is refused: the interpreter reads
// each by itself.
func TestSeams(t *testing.T) {
	for _, cells := range [][]string{
		{"import os\nz = [[1]]\nq = z \\", "[os][0].system('id')"},
		{"if 1:\n  a = 1", "  b = 2"},
		{"try:\n  a = 1\nfinally:\n  b = 1", "  c = 2"},
	} {
		alone, all := joinCells(t, analyze.Python, cells...)
		if alone.Complete && all.Complete {
			t.Errorf("%q: taken for whole cells", cells)
		}
	}
	for _, cells := range [][]string{
		{"let a = b", "(c)"}, {"let a = b", "[c]"}, {"let a = b", "`c`"}, {"a", "++b"}, {"x => x", "(c)"}, {"async", "x => x"},
	} {
		_, all := joinCells(t, analyze.JavaScript, cells...)
		if !all.Complete {
			continue // refused is as good as apart
		}
		if slices.ContainsFunc(all.Uses["globalThis.b"], func(u analyze.Use) bool { return u.How == analyze.HowCall }) {
			t.Errorf("%q: one cell became part of the other", cells)
		}
	}
}

func TestCellBounds(t *testing.T) {
	a := analyze.New(python.Reader(), javascript.Reader())
	var refusal *analyze.Refusal
	_, joined, err := a.Cell(analyze.Source{}, analyze.Python, []byte("x = 1"))
	if err != nil || joined.Text() != "x = 1\n" {
		t.Fatalf("joined %q, %v", joined.Text(), err)
	}
	if _, _, err := a.Cell(joined, analyze.JavaScript, []byte("x")); !errors.As(err, &refusal) || refusal.Code != analyze.RefusedLanguage {
		t.Errorf("another language: %v", err)
	}
	big := "#" + strings.Repeat("x", analyze.MaxSourceBytes-4)
	if _, _, err := a.Cell(analyze.Source{}, analyze.Python, []byte(big)); err != nil {
		t.Errorf("a large cell: %v", err)
	}
	if _, _, err := a.Cell(joined, analyze.Python, []byte(big)); !errors.As(err, &refusal) || refusal.Code != analyze.RefusedSize {
		t.Errorf("too much together: %v", err)
	}
	_, two, err := a.Cell(joined, analyze.Python, []byte("\n\ny = 2\n\n"))
	if err != nil || two.Text() != "x = 1\n\n\ny = 2\n" || !slices.Equal(two.Cells(), []int{0, 6}) {
		t.Errorf("joined %q at %v, %v", two.Text(), two.Cells(), err)
	}
	// One beginning may have several continuations; none may see another one.
	_, other, err := a.Cell(joined, analyze.Python, []byte("z = 3"))
	if err != nil || two.Text() == other.Text() || !slices.Equal(two.Cells(), other.Cells()) {
		t.Errorf("%q at %v and %q at %v, %v", two.Text(), two.Cells(), other.Text(), other.Cells(), err)
	}
}
