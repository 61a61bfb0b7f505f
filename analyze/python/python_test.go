package python

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/internal/yardstick"
)

// TestPythonShows holds, construct by construct, what must be named however it
// is reached. Every program reaches os.system or what else is said.
func TestPythonShows(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"import os as o\no.system('x')", "os.system"},
		{"from os import (system as s,)\ns('x')", "os.system"},
		{"import os\na = b = os\nb.system", "os.system"},
		{"import os\n(a, b), c = (1, os), 2\nb.system", "os.system"},
		{"import os\na: object = os\na.system", "os.system"},
		{"import os\nfor m in (1, os): m.system", "os.system"},
		{"import os\nwith os as m: m.system", "os.system"},
		{"import os\nclass A:\n  m = os\n  x = m.system", "os.system"},
		{"import os\ndef f(m=os): m.system", "os.system"},
		{"import os\ndef f(m): m.system\nf(os)", "os.system"},
		{"import os\ndef f(*, m): m.system\nf(m=os)", "os.system"},
		{"import os\ndef f(*m): m[0].system\nf(os)", "os.system"},
		{"import os\ndef f(**m): m['a'].system\nf(a=os)", "os.system"},
		{"import os\ndef f(): return os\nf().system", "os.system"},
		{"import os\nf = lambda: os\nf().system", "os.system"},
		{"import os\ndef f():\n  yield os\nfor m in f(): m.system", "os.system"},
		{"import os\n[m.system for m in [os]]", "os.system"},
		{"import os\nx = {'a': os}\nx['a'].system", "os.system"},
		{"import os\nx = {}\nx['a'] = os\nx[k].system", "os.system"},
		{"import os\nx = []\nx += [os]\nx[0].system", "os.system"},
		{"import os\nprint((m := os).system)", "os.system"},
		{"def f():\n  global m\n  import os as m\nf()\nm.system", "os.system"},
		{"def g():\n  m.system\nimport os as m", "os.system"},
		{"import os\n(1 and os).system", "os.system"},
		{"import os\n(os if x else 1).system", "os.system"},
		{"import os\nmatch os:\n  case m: m.system", "os.system"},
		{"import os\nmatch x:\n  case os.system: pass", "os.system"},
		{"import os\n@os.system\ndef f(): pass", "os.system"},
		{"import os\ndel os.system", "os.system"},
		{"import os\nx: os.system", "os.system"},
		{"import os\ndef f(a: os.system) -> os.popen: pass", "os.popen"},
		{"import os\nf'{1:{os.system}}'", "os.system"},
		{"import os\nlambda x=os.system: x", "os.system"},
		{"import os\nclass A(B, metaclass=os.system): pass", "os.system"},
		{"import os\nasync def f():\n  async with os.system() as x: pass", "os.system"},
		{"import os\nassert os.system, os.popen", "os.popen"},
		{"import os\nraise ValueError from os.system", "os.system"},
		{"import os\nprint >>os.system, x", "os.system"},
		{"type X = __import__('os').system", "os.system"},
		{"def f[T: __import__('os').system](x: T): pass", "os.system"},
		{"from os import *\nsystem('x')", "os.system"},
		{"from os import *\nopen('x')", "os.open"},
		{"from os import *\nopen('x')", "builtins.open"},
		{"from numpy import *\nsave('x')", "numpy.save"},
		{"exec('import os as q')\nq.system", "os.system"},
		{"import os\nexec('''def f():\\n  os.system()''')", "os.system"},
		{"import os\neval('os').system", "os.system"},
		{"x = 'sys' + 'tem'\nimport os\ngetattr(os, x)", "os.system"},
		{"import os\ngetattr(os, 'x' if y else 'system')", "os.system"},
		{"globals()['__builtins__'].eval", "builtins.eval"},
		{"__builtins__['eval']", "builtins.eval"},
		{"vars()['__builtins__']['eval']", "builtins.eval"},
		{"import re\nre.sys.modules['os'].system", "os.system"},
		{"import pathlib\npathlib.Path('x').joinpath('y').write_text('z')", "pathlib.Path.write_text"},
		{"from pathlib import Path\np = Path('x') / 'y'\np.unlink()", "pathlib.Path.unlink"},
		{"from pathlib import Path\nclass P(Path): pass\nP('x').unlink()", "pathlib.Path.unlink"},
		{"import xml.dom.minidom as m\nm.parse(x)", "xml.dom.minidom.parse"},
		{"from . import secret\nsecret.run()", ".secret.run"},
		{"from ..a.b import secret as s\ns()", "..a.b.secret"},
		{"import ｏｓ\nos.ｓystem", "os.system"},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		if !slices.Contains(f.Names, tt.want) {
			t.Errorf("%q: names %q, want %s", tt.code, f.Names, tt.want)
		}
		if !f.Complete {
			t.Errorf("%q: not complete: %v", tt.code, f.Syntax)
		}
	}
}

// TestPythonLocalNamesWin holds what must not be named: a program's own names
// are not the builtins or modules that are called the same.
func TestPythonLocalNamesWin(t *testing.T) {
	for _, tt := range []struct{ code, not string }{
		{"def exec(x): pass\nexec('1')", "builtins.exec"},
		{"class A:\n  def eval(self): pass\nA().eval()", "builtins.eval"},
		{"def f(eval): return eval(1)", "builtins.eval"},
		{"def f():\n  exec = 1\n  return exec", "builtins.exec"},
		{"def main():\n  compile(1)\ndef compile(x): pass\nmain()", "builtins.compile"},
		{"def main():\n  compile(1)\nimport re\nX = ['a', 1]\nclass C:\n  'doc'\n  def f(self): g()\ndef compile(x): pass\nmain()", "builtins.compile"},
		{"[eval for eval in x]", "builtins.eval"},
		{"import re\nre.compile('x')", "builtins.compile"},
		{"x.eval('1')", "builtins.eval"},
		{"os = x\nos.system('1')", "os.system"},
		{"def f(os): os.system('1')", "os.system"},
		{"import torch\nm = torch.nn.Linear(1, 1)\nm.eval()", "builtins.eval"},
		{"'os.system'", "os.system"},
		{"# os.system()\nx = 1", "os.system"},
		{"from myos import system\nsystem('x')", "os.system"},
		{"from math import *\nopen('x')", "math.open"},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		if slices.Contains(f.Names, tt.not) {
			t.Errorf("%q: names %q, must not have %s", tt.code, f.Names, tt.not)
		}
	}
}

// TestPythonShadowsThatAreNone holds that a binding that may not have happened
// does not hide the builtin.
func TestPythonShadowsThatAreNone(t *testing.T) {
	for _, code := range []string{
		"if x:\n  exec = 1\nexec('1')",
		"exec('1')\ndef exec(x): pass",
		"exec = 1\ndel exec\nexec('1')",
		"for exec in (): pass\nexec('1')",
		"while x:\n  exec = 1\nexec('1')",
		"try:\n  exec = f()\nexcept E: pass\nexec('1')",
		"def f(): exec = 1\nexec('1')",
		"class A:\n  exec = 1\nexec('1')",
		"class A:\n  if x: exec = 1\n  exec('1')",
		"def f(): exec('1')\nf()\ndef exec(x): pass",
		"def f(): exec('1')\n@f\ndef g(): pass\nexec = 1",
		"class A:\n  def __neg__(self): f()\na = A()\ndef f(): exec('1')\n-a\ndef exec(x): pass",
		"class A:\n  def __init_subclass__(c): f()\ndef f(): exec('1')\nclass B(A): pass\ndef exec(x): pass",
		"def f(): exec('1')\nfor x in a: pass\ndef exec(x): pass",
		"def f(): exec('1')\nx, y = a\ndef exec(x): pass",
		"exec: int\nexec('1')",
		"with f():\n  exec = 1\nexec('1')",
		"def f():\n  global exec\n  exec = 1\nexec('1')",
		"[exec for exec in x]\nexec('1')",
		"x = (exec := 1) if y else 2\nexec('1')",
		"exec = exec\nexec('1')",
		"from x import *\nexec('1')",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "builtins.exec") {
			t.Errorf("%q: names %q, want builtins.exec", code, f.Names)
		}
	}
}

// TestPythonGlobalAtTheTop holds that a declaration which means nothing there
// does no harm.
func TestPythonGlobalAtTheTop(t *testing.T) {
	for _, code := range []string{
		"global x\nx = 1\nprint(x)",
		"if x:\n    global exec\nexec('import os; os.system(c)')",
		"exec('global y\\ny = 1\\nprint(y)')",
		"class A:\n    global z\n    z = 1\nprint(z)",
		"def f():\n    nonlocal w\n    w = 1\nnonlocal w",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !f.Complete {
			t.Errorf("%q: not complete: %v", code, f.Syntax)
		}
	}
}

func TestPythonDynamic(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"exec(x)", analyze.DynamicCode},
		{"exec('x = = 1')", analyze.DynamicCode},
		{"exec('# a\\rimport os')", analyze.DynamicCode},
		{"eval('a' + x)", analyze.DynamicCode},
		{"f = eval", analyze.DynamicCode},
		{"__import__(x)", analyze.DynamicImport},
		{"import importlib\nimportlib.import_module('a' + x)", analyze.DynamicImport},
		{"import os\ngetattr(os, x)", analyze.DynamicMember},
		{"import os\ngetattr(os, '_' + x)", analyze.DynamicMember},
		{"getattr(x, y)", analyze.DynamicAttribute},
		{"getattr(x, f'_{y}')", analyze.DynamicAttribute},
		{"from thing import *", analyze.DynamicStar},
		{"x.__traceback__.tb_frame", analyze.DynamicFrame},
		{"try: pass\nexcept E as e: e.obj", analyze.DynamicFrame},
		{"().__class__.__base__", analyze.DynamicSubclass},
		{"'{0.__class__}'.format(x)", analyze.DynamicFormat},
		{"'{0:{1.__class__}}'.format(x, y)", analyze.DynamicFormat},
		{"def f(): pass\nx.format(f)", analyze.DynamicFormat},
		{"f.__code__ = g", analyze.DynamicBytecode},
		{"import json\njson.loads = x", analyze.DynamicPatch},
		{"import sys\nsys.modules['a'] = x", analyze.DynamicPatch},
		{"globals()['a'] = x", analyze.DynamicPatch},
		{"import os\nf(os.__dict__)", analyze.DynamicMember},
		{"f(globals())", analyze.DynamicNamespace},
		{"globals()[x]", analyze.DynamicNamespace},
		{"import os\nvars(os).items()", analyze.DynamicMember},
		{"globals().items()", analyze.DynamicNamespace},
		{"globals().pop('eval')", analyze.DynamicPatch},
		{"def f(): pass\ngetattr(f, x)", analyze.DynamicMember},
		{"getattr(getattr(x, a), b)['exec'](c)", analyze.DynamicMember},
		{"f.__globals__", analyze.DynamicFrame},
		{"class M(type): __match_args__ = x\nmatch f:\n    case M(g): pass", analyze.DynamicMember},
		{"import doctest\nf.__doc__ = x", analyze.DynamicCode},
		{"import timeit, functools\ntimeit.timeit(functools.partial(print), x)", analyze.DynamicCode},
		{"import timeit, functools\ndef partial(x): return x\ntimeit.timeit(partial(x))", analyze.DynamicCode},
	} {
		if f := analyzetest.Facts(t, Reader(), tt.code); len(f.Dynamic[tt.want]) == 0 {
			t.Errorf("%q: dynamic %v, want %s", tt.code, f.Dynamic, tt.want)
		}
	}
	for _, code := range []string{
		"x = getattr(self, 'visit_' + name)",
		"x = getattr(self, f'do_{name}')",
		"'{a.name}'.format(a=x)",
		"vars(args)",
		"self.__dict__.update(a=1)",
		"import sys\nsys.stdout = x",
		"x.__class__.__name__",
		"from math import *",
		"exec('x = 1')",
		"getattr(x, 'name', None)",
		"from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nmatch p:\n    case P(1): pass",
		"import timeit, functools\ntimeit.timeit(functools.partial(print, 1), number=2)\ntimeit.repeat(number=2, stmt=functools.partial(f, 1))",
		"import doctest\ndef f():\n    \"\"\"\n    >>> f()\n    1\n    \"\"\"\ndoctest.testmod()",
	} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Dynamic) > 0 {
			t.Errorf("%q: dynamic %v, want none", code, f.Dynamic)
		}
	}
}

func TestPythonUses(t *testing.T) {
	f := analyzetest.Facts(t, Reader(), "import subprocess as s\n\nclass A:\n    def é(self):\n        x = 'ö'; s.run('ls', shell=True, *a)\n")
	uses := f.Uses["subprocess.run"]
	if len(uses) != 1 {
		t.Fatalf("uses %+v, want one", uses)
	}
	u := uses[0]
	if u.How != analyze.HowCall || u.Certainty != analyze.Exact || u.Scope != "A.é" || !u.Splat || u.Span != (analyze.Span{Line: 5, Column: 18, EndLine: 5, EndColumn: 23}) {
		t.Errorf("use %+v", u)
	}
	if len(u.Args) != 2 || u.Args[0].Value != "ls" || !u.Args[0].Known || u.Args[1].Name != "shell" || u.Args[1].Value != true {
		t.Errorf("args %+v", u.Args)
	}
	if f := analyzetest.Facts(t, Reader(), "import os\nm = os\nm = x\nm.system('y')\n"); f.Uses["os.system"][0].Certainty != analyze.Possible {
		t.Errorf("one of two bindings is %+v, want possible", f.Uses["os.system"])
	}
}

func TestPythonFolds(t *testing.T) {
	for _, tt := range []struct{ expression, want string }{
		{`"sys" "tem"`, "system"},
		{`"metsys"[::-1]`, "system"},
		{`"xsystemx"[1:-1]`, "system"},
		{`"".join(["s", "ystem"])`, "system"},
		{`"%s%c%s" % ("sys", 116, "em")`, "system"},
		{`"{}{x}".format("sys", x="tem")`, "system"},
		{`f"{'sys'}tem"`, "system"},
		{`"\x73\171\u0073\N{LATIN SMALL LETTER T}em"`, "system"},
		{`"\
system"`, "system"},
		{`rb"system".decode()`, "system"},
		{`"".join(chr(ord(c) - 1) for c in "tztufn")`, "system"},
		{`"".join(map(chr, (115, 121, 115, 116, 101, 109)))`, "system"},
		{`bytes.fromhex("73797374656d").decode()`, "system"},
		{`__import__("codecs").decode("flfgrz", "rot13")`, "system"},
		{`__import__("base64").b64decode("c3lzdGVt").decode()`, "system"},
		{`__import__("urllib.parse").parse.unquote_plus("a+%73ystem").split(" ")[1]`, "system"},
		{`"a,system".split(",")[1]`, "system"},
		{`("sy" * 1 + "stem" * 1)`, "system"},
		{`{"k": "system"}["k"]`, "system"},
		{`"".join(reversed("metsys"))`, "system"},
		{`(lambda s: s)("system")`, "system"},
		{`-1 * "x" + "system"`, "system"},
		{`(r"\\" "system")[2:]`, "system"},
		{`(rf"\\" "system")[2:]`, "system"},
		{"(r'''\\\n'''f'system')[2:]", "system"},
	} {
		f := analyzetest.Facts(t, Reader(), "import os\ngetattr(os, "+tt.expression+")")
		if !slices.Contains(f.Names, "os."+tt.want) {
			t.Errorf("%s: names %q, dynamic %v", tt.expression, f.Names, f.Dynamic)
		}
	}
}

// TestPythonRefuses holds the places where the grammar accepts what no CPython
// accepts, or reads differently.
func TestPythonRefuses(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"# coding: latin-1\nx = 1", analyze.RefusedCookie},
		{"#!/usr/bin/python\n# vim: set fileencoding=utf-7 :\nx = 1", analyze.RefusedCookie},
		{"\n# -*- coding:unicode_escape -*-", analyze.RefusedCookie},
		{"if x:\n \fy = 1", analyze.RefusedControl},
		{"print 'x'", analyze.ProblemSyntax},
		{"exec 'x'", analyze.ProblemSyntax},
		{"if x:\ny = 1", analyze.ProblemSyntax},
		{"f'{1:{{x}}}'", analyze.ProblemIndent},
		{"f'{1:{x}{{(eval:=x)}}}'", analyze.ProblemIndent},
		{"f'{1:=^{{x: y}[x]}}'", analyze.ProblemIndent},
		{"match [a]:\n    case [x]:\n        f(x)", analyze.ProblemIndent},
		{"match [a]: # \\\n    case [x]:\n        f(x)", analyze.ProblemIndent},
		{"match [a][0].b:\n    case [x]:\n        f(x)", analyze.ProblemIndent},
		{"if x:\n  \ty = 1", analyze.ProblemIndent},
		{"if x:\n   \\\n  y = 1", analyze.ProblemIndent},
		{"(x): a[1:2].print(y)(z)", analyze.ProblemIndent},
		{"x: a[b:=1].print(y)", analyze.ProblemIndent},
		{"x = *y, print(z)\n[a, b] = c", analyze.ProblemIndent},
		{"type (x)\n(a, b) = c", analyze.ProblemIndent},
		{"type(x) # \\\n[a] = c", analyze.ProblemIndent},
		{"x[*lambda: (eval := 1)]", analyze.ProblemIndent},
		{"x[y, *lambda: y if z else w]", analyze.ProblemIndent},
		{"x\u2060 = 1", analyze.ProblemHidden},
		{"x = 1\u00a0+ 2", analyze.ProblemHidden},
		{"x = (1\u3000)", analyze.ProblemHidden},
	} {
		a := analyze.New(Reader())
		src, err := a.Canonical(analyze.Python, "", []byte(tt.code))
		if r, ok := err.(*analyze.Refusal); ok {
			if r.Code != tt.want || r.Span.Line == 0 {
				t.Errorf("%q: %v %+v, want %s with a place", tt.code, r.Code, r.Span, tt.want)
			}
			continue
		}
		f, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(f.Syntax, func(p analyze.Problem) bool {
			return p.Code == tt.want || p.Code == analyze.ProblemSyntax && tt.want == analyze.ProblemHidden
		})
		if f.Complete || !found {
			t.Errorf("%q: complete %v, syntax %v, want %s", tt.code, f.Complete, f.Syntax, tt.want)
		}
	}
	for _, code := range []string{
		"# coding: utf-8\nx = 1", "# -*- coding: UTF_8 -*-\nx = 1", "x = 1\n\n# coding: latin-1", "\f\nx = 1", "x = 'é \u200d עברית'", "x = \\\n  1", "x = (1,\n \t2)", "x = '''\n \t'''",
		"if x: y; z\nelse: w", "@f\n@g\ndef h(): pass", "x = 1; y\n# c \\\nz;", "x = '''\n''' \\\n + y", "f'''{\nx}'''\ny", "match x:\n    case 1: y\n    case _:\n        z", "print(x)\n[y] = z", "class C: x = 1; y = 2",
		"try: x\nexcept E: y\nfinally: z", "with (a as b,\n c as d): pass", "lambda: {\n1: 2}\nx",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !f.Complete {
			t.Errorf("%q: %v", code, f.Syntax)
		}
	}
}

// TestPythonDifferentials holds that programs which the grammar and CPython
// read differently are refused, or show what they hide.
func TestPythonDifferentials(t *testing.T) {
	files, err := filepath.Glob(pythonCorpus + "differential/*.py")
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := analyze.New(Reader())
		src, err := a.Canonical(analyze.Python, "", raw)
		if err != nil {
			continue
		}
		f, err := a.Facts(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		if f.Complete && !pythonShows(f)["process"] {
			t.Errorf("%s: complete, and shows only %q", filepath.Base(file), f.Names)
		}
	}
}

// TestPythonBounds holds that hostile input ends soon. The times are far above
// what it takes, for slow machines.
func TestPythonBounds(t *testing.T) {
	const n = 200_000
	var forward, backward, double, deep, superior, wide strings.Builder
	forward.WriteString("import os\nv0 = os\n")
	double.WriteString("v0 = 'aaaaaaaa'\n")
	for i := range 5000 {
		k, next := strconv.Itoa(i), strconv.Itoa(i+1)
		forward.WriteString("v" + next + " = v" + k + "\n")
		backward.WriteString("v" + k + " = v" + next + "\n")
		double.WriteString("v" + next + " = v" + k + " + v" + k + "\n")
		superior.WriteString("class C" + next + "(C" + k + "):\n    def __init__(self, **k): super().__init__(**k)\n")
	}
	for i := range 1500 {
		deep.WriteString("class C" + strconv.Itoa(i+1) + "(C" + strconv.Itoa(i) + "):\n    def m(self): return self.m()\n")
	}
	for i := range 400 {
		wide.WriteString("class C" + strconv.Itoa(i+1) + "(enum.Enum")
		for k := range min(i+1, 25) {
			wide.WriteString(", C" + strconv.Itoa(i-k))
		}
		wide.WriteString("):\n    def m(self): return self.m().x\n")
	}
	var stars, keys, merged, elements, generators strings.Builder
	for i := range 4000 {
		if i < 1500 {
			stars.WriteString("from m" + strconv.Itoa(i) + " import *\n")
		}
		if i < 1200 {
			generators.WriteString("def g" + strconv.Itoa(i) + "():\n    with W(): yield from g" + strconv.Itoa(i+1) + "()\nx" + strconv.Itoa(i) + " = g" + strconv.Itoa(i) + "()\n")
		}
		keys.WriteString("'k" + strconv.Itoa(i) + "': 1, ")
		elements.WriteString("'k" + strconv.Itoa(i) + "', ")
		merged.WriteString("d" + strconv.Itoa(i+1) + " = {**d" + strconv.Itoa(i) + "}\n")
	}
	for i := range 4000 {
		stars.WriteString("a" + strconv.Itoa(i) + "(b" + strconv.Itoa(i) + ")\n")
	}
	for name, code := range map[string]string{
		"generators":  "class W:\n    def __exit__(self, *a): self.x = 1\n" + generators.String(),
		"stars":       stars.String(),
		"merged":      "d0 = {" + keys.String() + "}\n" + merged.String(),
		"splats":      "l = [" + elements.String() + "]\ndef f(*a): return a\n" + strings.Repeat("f(*l)\n", 7000),
		"spread":      "d = {" + keys.String() + "}\ndef f(**k): return k\n" + strings.Repeat("f(**d)\n", 7000),
		"parentheses": strings.Repeat("(", n),
		"closed":      strings.Repeat("(", n/2) + strings.Repeat(")", n/2),
		"attributes":  "a" + strings.Repeat(".a", n/2),
		"plus":        strings.Repeat(`"x"+`, n/4) + `"x"`,
		"strings":     "x = (" + strings.Repeat(`"x" `, n/4) + ")",
		"list":        "x = [" + strings.Repeat("1,", n/2) + "]",
		"tuple":       strings.Repeat("x,", n/2),
		"assignments": strings.Repeat("a=", n/2) + "1",
		"calls":       "f" + strings.Repeat("()", n/2),
		"lambdas":     strings.Repeat("lambda:", n/7) + "1",
		"nots":        strings.Repeat("not ", n/4) + "x",
		"f-strings":   strings.Repeat(`f"{`, n/3),
		"statements":  strings.Repeat("x=1\n", n/4),
		"garbage":     strings.Repeat("$%^&", n/4),
		"partials":    "import functools\np = q = print\nfor i in x:\n  p = functools.partial(p, q, 1)\n  q = functools.partial(q, p)\n  p(q)\n",
		"getters":     "import operator\nclass A: pass\nA.f = operator.methodcaller('f')\nA.f(A)\n",
		"own element": "import logging.config as c\nx = [1, 'a']\nx.append(x)\ny = [" + strings.Repeat("x, y, ", 1000) + "]\ny.append(y)\nc.dictConfig({'class': y})\n",
		"quotes":      strings.Repeat("'", n),
		"forward":     forward.String(),
		"backward":    backward.String() + "import os\nv5000 = os\n",
		"double":      double.String(),
		"exec":        "exec(" + strings.Repeat(`"exec(" + repr(`, 50) + `"1"` + strings.Repeat(")", 51),
		"levels":      "import logging\ndef f(a):\n" + strings.Repeat("    getattr(logging, a.upper())\n", 20_000),
		"repeat":      "x = 'a' * 10 ** 9\ny = 10 ** 10 ** 10\nz = 1 << 10 ** 9\n" + strings.Repeat("x = x * 1000\n", 1000),
		"any base":    strings.Repeat("class C(*y): pass\nf(x)\n", 2000),
		"any bases":   strings.Repeat("class C: pass\n", 30) + strings.Repeat("class C(C): pass\n", 10_000),
		"deep bases":  "class C0: pass\n" + superior.String(),
		"any call":    "class C(lambda: x, *y): pass\n" + strings.Repeat("f"+strings.Repeat("()", 200)+"\n", 20),
		"classes":     "class C0: pass\n" + deep.String(),
		"bases":       "import enum\nclass C0: pass\n" + wide.String(),
		"fold":        "import os\ngetattr(os, " + strings.Repeat(`"".join(c for c in `, 30) + `"` + strings.Repeat("x", 4000) + `"` + strings.Repeat(")", 31),
	} {
		a := analyze.New(Reader())
		src, err := a.Canonical(analyze.Python, "", []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		var f analyze.Facts
		yardstick.Within(t, 15*time.Second, name, func() { f, err = a.Facts(context.Background(), src) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !f.Complete && len(f.Syntax) == 0 {
			t.Errorf("%s: incomplete without a reason", name)
		}
	}
}

func TestPythonNestedCode(t *testing.T) {
	code := "import os; os.system('x')"
	for range 3 {
		code = "exec(" + quotePython(code) + ")"
	}
	if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "os.system") || !f.Complete {
		t.Errorf("three levels: names %q, %v", f.Names, f.Syntax)
	}
	f := analyzetest.Facts(t, Reader(), "exec("+quotePython(code)+")")
	if f.Complete || f.Syntax[0].Code != analyze.ProblemNesting {
		t.Errorf("four levels: complete %v, %v", f.Complete, f.Syntax)
	}
}

func quotePython(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestFactsLimit(t *testing.T) {
	lim := analyze.DefaultLimits()
	lim.Facts = 5
	a := analyze.NewLimited(lim, Reader())
	src, err := a.Canonical(analyze.Python, "", []byte("import a, b, c, d, e, f\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil || f.Complete || f.Syntax[0].Code != analyze.ProblemFacts || len(f.Imports) > 5 {
		t.Errorf("%v, complete %v, %v, imports %q", err, f.Complete, f.Syntax, f.Imports)
	}
}

// TestPythonKinds holds that every named node of the grammar has a kind: one
// without is a problem at run time.
func TestPythonKinds(t *testing.T) {
	g := Reader().Grammar
	for k, name := range kindNames() {
		if name != "" && !g.HasKind(analyze.Kind(k)) {
			t.Errorf("the grammar has no %q", name)
		}
	}
	for f, name := range fieldNames() {
		if name != "" && !g.HasField(analyze.Field(f)) {
			t.Errorf("the grammar has no field %q", name)
		}
	}
}

func TestPythonHygiene(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"x = 1  # nosec", analyze.OddSuppression},
		{"x = 1  # type: ignore[attr]", analyze.OddSuppression},
		{"x = '" + strings.Repeat("word ", 300) + "'", analyze.OddLine},
		{"p\u0430yload = 1", analyze.OddScripts},
		{"\uff45xec = 1", analyze.OddSpelling},
		{"x = 'a\u200bb'", analyze.OddInvisible},
		{"# a\u2060b\nx = 1", analyze.OddInvisible},
		{"x = '" + strings.Repeat("QUJD", 80) + "'", analyze.OddBlob},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		if !slices.ContainsFunc(f.Hygiene, func(p analyze.Problem) bool { return p.Code == tt.want && p.Span.Line > 0 }) {
			t.Errorf("%q: hygiene %v, want %s", tt.code, f.Hygiene, tt.want)
		}
		if !f.Complete {
			t.Errorf("%q: %v", tt.code, f.Syntax)
		}
	}
	for _, code := range []string{"größe = 1  # a comment", "имя = 'привет'", "x = '👩\u200d👧'", "x = '" + strings.Repeat("word ", 100) + "'"} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Hygiene) > 0 {
			t.Errorf("%q: hygiene %v, want none", code, f.Hygiene)
		}
	}
}

// TestPythonOrder holds that the same source has the same facts, also where
// more keys come together than are told apart.
func TestPythonOrder(t *testing.T) {
	var code strings.Builder
	code.WriteString("import os\nd = {'x': os.remove")
	for i := range maxElements {
		fmt.Fprintf(&code, ", 'k%d': len", i)
	}
	code.WriteString("}\ne = {**d, **d}\ne['x']('a')\nfor k in e: getattr(os, k)\n")
	want := analyzetest.Encode(t, analyzetest.Facts(t, Reader(), code.String()))
	for range 10 {
		if got := analyzetest.Encode(t, analyzetest.Facts(t, Reader(), code.String())); got != want {
			t.Fatalf("%d and %d bytes of facts", len(got), len(want))
		}
	}
}
