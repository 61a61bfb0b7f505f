package python

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPythonHiddenBuiltins holds that a builtin is seen where the program only seems to have
// bound its name before: the name is gone again, is another scope's, or is not bound yet
// when something is called that the program has not called.
func TestPythonHiddenBuiltins(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"eval = print\ntry:\n    1 / 0\nexcept ArithmeticError as eval: pass\neval(input())",
		"eval = print\ntry:\n    raise ExceptionGroup('', [])\nexcept* ValueError as eval: pass\neval(input())",
		"def eval(x): pass\ndef f():\n    global eval\n    try:\n        1 / 0\n    except ArithmeticError as eval: pass\nf()\neval(input())",
		"class A:\n    eval = print\n    class B:\n        eval(input())\n        eval = 1",
		"def f():\n    eval = print\n    class B:\n        eval(input())\n        eval = 1\nf()",
		"def f(eval):\n    class B:\n        eval = 1\n        del eval\n        eval(input())\nf(print)",
		"class D:\n    def __del__(self): f()\nd = D()\ndef f(): eval(input())\nd = 0\neval = print",
		"class D:\n    def __del__(self): f()\nd = D()\ndef f(): eval(input())\ndef d(): pass\neval = print",
		"class D:\n    def __del__(self): f()\nd = D()\ndef f(): eval(input())\nimport json as d\neval = print",
		"import sys\nclass D:\n    def write(self, s): f()\nsys.stderr = D()\ndef f(): eval(input())\nmissing\neval = print",
		"import sys\nclass D:\n    def write(self, s): f()\nsys.stderr = D()\ndef f(): eval(input())\nfrom math import sumprod\neval = print",
		"import a as re\nT = re.compile('a')\ndef f(x): return eval(x)\ndef eval(x): return x\nf(1)",
		"import a as\tre\nT = re.compile('a')\ndef f(x): return eval(x)\ndef eval(x): return x\nf(1)",
		"import a\tas\tre\nT = re.compile('a')\ndef f(x): return eval(x)\ndef eval(x): return x\nf(1)",
		"class C:\n    def __ror__(self, o): print(o('1'))\neval |= C()",
		"class C:\n    def __radd__(self, o): print(o('1'))\nclass D:\n    (eval) += C()",
		"def f[T: eval(input())](eval): pass",
		"def f[T: (eval(input()), 1)]():\n    eval = print",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "builtins.eval") {
			t.Errorf("names %q:\n%s", f.Names, code)
		}
	}
	for _, code := range []string{
		"def f(): eval('1')\ndef eval(x): return x\nf()",
		"import re\nT = re.compile('a')\ndef f(x): return eval(x)\nLIMIT = 3\nclass Node:\n    def __init__(self, x: int = 0):\n        x = x or 1\ndef eval(x): return x\nf(1)",
		"class A:\n    def eval(self): pass\ndef f():\n    eval = print\n    class B:\n        x = eval\n    return B\nf()",
		"def eval(x): return x\ntry:\n    eval(1)\nexcept ValueError as e: print(e)",
		"def f(eval):\n    eval += 1\n    return eval",
		"def f[eval: int](x: eval): pass",
	} {
		if f := analyzetest.Facts(t, Reader(), code); slices.Contains(f.Names, "builtins.eval") {
			t.Errorf("names %q:\n%s", f.Names, code)
		}
	}
}

// TestPythonScopesOfNames holds that what a name is bound to in another scope is found there:
// the text of a name counts as known nowhere else.
func TestPythonScopesOfNames(t *testing.T) {
	t.Parallel()
	const use = "getattr(f, n)"
	reports(t,
		"n = input()\ndef f():\n    n = 'a'\n    class C:\n        r = "+use+"\n        n = 1",
		"n = input()\ndef f(): pass\nclass A:\n    n = 'a'\n    class B:\n        r = "+use+"\n        n = 1",
		"def f():\n    n = 'a'\n    class C:\n        n = 'b'\n        def put(self):\n            nonlocal n\n            n = input()\n    C().put()\n    "+use,
		"def f():\n    n = 'a'\n    class A:\n        n = 'b'\n        class B:\n            nonlocal n\n            n = input()\n    "+use,
		"def f():\n    def put():\n        nonlocal n\n        for n in [input()]: pass\n    n = 'a'\n    put()\n    "+use,
		"def f():\n    def put():\n        nonlocal n\n        match input():\n            case n: pass\n    n = 'a'\n    put()\n    "+use,
		"def f():\n    def put():\n        nonlocal n\n        import os.path as n\n    n = 'a'\n    put()\n    "+use,
		"def f(): pass\n_C__n = 'a'\nclass C:\n    def m(self):\n        __n = input()\n        class D:\n            def g(self): return getattr(f, _C__n)\n",
		"def f(): pass\n_C__n = 'a'\nclass C:\n    def m(self, __n):\n        class D:\n            r = getattr(f, _C__n)\n",
		"import sys\nn = 'a'\nsys.ps1 = input()\ndef f(): pass\nps1 = 'a'\nfrom sys import *\ngetattr(f, ps1)",
	)
	accusesNone(t,
		"def f():\n    n = 'a'\n    class C:\n        r = "+use,
		"def f():\n    def put():\n        nonlocal n\n        n = 'b'\n    n = 'a'\n    put()\n    "+use,
	)
}

// TestPythonAddedFromBehind holds that how a text begins counts as known only where nothing
// that is added to it says what comes of that.
func TestPythonAddedFromBehind(t *testing.T) {
	t.Parallel()
	reports(t,
		"class R:\n    def __radd__(self, x): return input()\ngetattr(R, 'zz_' + R())",
		"class R(str):\n    def __rmod__(self, x): return input()\ngetattr(R, 'zz_%s' % R())",
		"import operator\nclass R:\n    def __radd__(self, x): return input()\ngetattr(R, operator.add('zz_', R()))",
		"class M(type):\n    def __radd__(self, x): return input()\nclass R(metaclass=M): pass\ngetattr(R, 'zz_' + R)",
		"class M(type):\n    def __new__(m, n, b, d):\n        d[input()] = input\n        return super().__new__(m, n, b, d)\nclass R(metaclass=M): pass\ngetattr(R, 'zz_' + R())",
		"def m(n, b, d): return type(n, b, {**d, '__radd__': input})\nclass R(metaclass=m): pass\ngetattr(R, 'zz_' + R())",
		"import collections\nclass R(collections.UserString, str): pass\ngetattr(R, 'zz_' + R())",
		"from collections import UserString as U\nclass R(U, str): pass\ngetattr(R, 'zz_%s' % R())",
		"import collections\nR = type('R', (collections.UserList,), {'__new__': input})\ngetattr(R, 'zz_' + R())",
		"import asyncio\nclass R(asyncio.base_events.collections.UserList): pass\ngetattr(R, 'zz_' + R())",
		"import numpy as np\nclass R(np.ndarray):\n    def __array_ufunc__(self, *a): return input()\ngetattr(R, 'zz_' + R())",
		"import numpy as np\nclass R(type(np.arange(1))): pass\nclass S(R): pass\ngetattr(R, 'zz_' + S())",
	)
	accusesNone(t, "import abc\nclass R(abc.ABC): pass\nclass S(metaclass=abc.ABCMeta): pass\ngetattr(R, 'zz_' + input())", "class R: pass\ngetattr(R, 'zz_%s' % input())",
		"import fractions, argparse, ast\nclass R(fractions.Fraction): pass\nclass E(Exception): pass\nclass V(ast.NodeVisitor): pass\ngetattr(R, 'zz_' + input())",
		"import numpy as np\nclass R: pass\nclass S(R, dict): pass\ngetattr(R, 'zz_' + input())",
		"import collections\nR = collections.namedtuple('R', 'a b')\nclass S(R): pass\ngetattr(R, 'zz_' + input())")
}

// TestPythonArgumentsSplat holds that what is in a container counts as not known once a call
// has given it something of which nobody sees where it went.
func TestPythonArgumentsSplat(t *testing.T) {
	t.Parallel()
	const made = "def m(x): return x\ndef f(): pass\n"
	for _, way := range []string{
		"l = dict(**m({'b': input()}))\ngetattr(f, l['b'])", "l = dict(a='c', **m({'b': input()}))\ngetattr(f, l['b'])", "l = dict(*m([{'b': input()}]))\ngetattr(f, l['b'])",
		"l = {'b': 'a'}\nl.update(**m({'b': input()}))\ngetattr(f, l['b'])", "l = {}\nl.update(*m([{'b': input()}]))\ngetattr(f, l['b'])", "l = []\nl.extend(*m([[input()]]))\ngetattr(f, l[0])",
		"import operator\ngetattr(f, operator.itemgetter(*m(['b']))({'a': 'c', 'b': input()}))", "l = {'b': 'a'}\ne = l\ne |= [('b', input())]\ngetattr(f, l['b'])",
	} {
		reports(t, made+way)
	}
	accusesNone(t, made+"l = dict(a='c', b='d')\ngetattr(f, l['b'])", made+"l = ['a', 'b']\nl.append('c')\ngetattr(f, l[1])\ngetattr(f, l[-1])", made+"l = {'a': 'c'}\nl |= {'b': 'd'}\nl.update(e='g')")
}

// TestPythonPartsOfLists holds that a part of a list is one, also where it is cut out by what
// nobody sees to be a slice.
func TestPythonPartsOfLists(t *testing.T) {
	t.Parallel()
	const made = "l = ['__globals__', 'a']\ndef f(): pass\n"
	reports(t,
		made+"getattr(f, l[slice(1)][0])", made+"s = slice(1)\ngetattr(f, l[s][-1])", made+"getattr(f, l.__getitem__(slice(0, 1))[0])",
		made+"import operator\ngetattr(f, operator.itemgetter(slice(1))(l)[0])", made+"import operator\ngetattr(f, operator.getitem(l, slice(1))[0])",
		made+"class S:\n    def __getitem__(self, k): return k\ngetattr(f, l[S()[0:1]][0])", made+"class S:\n    def __class_getitem__(c, k): return k\ngetattr(f, l[S[0:1]][0])",
	)
	for _, far := range []string{"'x'[-9223372036854775808::-1]", "'x'[:-9223372036854775808]", "'x'[1::-9223372036854775808][1:]", "'x'[1::9223372036854775807]", "'x'[1:1:-9223372036854775807]"} {
		reports(t, "def f(): pass\ngetattr(f, "+far+" + '__globals__')")
	}
	accusesNone(t, "l = ['b', 'a']\ndef f(): pass\ngetattr(f, l[int(input())])", "l = ['b', 'a']\ndef f(): pass\nclass S:\n    def __getitem__(self, k): return k\nfor k in range(2): getattr(f, l[k])")
}

// TestPythonTargetInBrackets holds that what is bound to a name in brackets is bound as it is: no
// comma stands there that would take it apart.
func TestPythonTargetInBrackets(t *testing.T) {
	t.Parallel()
	const made, use = "def f(): pass\nl = ['a']\n", "\ngetattr(f, l[-1])"
	for _, way := range []string{
		"(m) = [l]\nm[0].append(input())", "((m)) = k = [l]\nm[0].append(input())", "(m), k = [l], 1\nm[0].append(input())", "( # (m,)\nm) = [l]\nm[0].append(input())",
		"for (m) in [[l]]: m[0].append(input())", "[0 for (m) in [[l]] if m[0].append(input())]", "d = {}\n(d['b']) = [l]\nd['b'][0].append(input())",
		"m = l\n(m) += [input()]", "m = l\n((m)) += [input()]", "d = {'b': l}\n(d['b']) += [input()]",
	} {
		reports(t, made+way+use)
	}
	accusesNone(t, made+"(m,) = [l]\nm.append('b')"+use, made+"[m] = [l]\nm.append('b')"+use, made+"(m), (k) = l, 1\nm.append('b')"+use, made+"(n) = 'b'\nl.append(n)"+use)
}

// TestPythonImportInClass holds that what a class imports is put away: the class, what makes it, and what
// looks up methods give it to others.
func TestPythonImportInClass(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]analyze.How{
		"class C:\n    from io import open as __call__\nC()('a')":                                         analyze.HowReference,
		"def m(n, b, d): d['x']('a')\nclass C(metaclass=m):\n    if n:\n        from io import open as x": analyze.HowReference,
		"import enum\nclass E(enum.Enum):\n    from io import open as x\nfor e in E: print(e.value('a'))": analyze.HowReference,
		"class C:\n    global x\n    from io import open as x":                                            analyze.HowImport,
		"class C:\n    def m(self):\n        from io import open as x":                                    analyze.HowImport,
		"from io import open as x\nclass C: pass":                                                         analyze.HowImport,
	} {
		uses := analyzetest.Facts(t, Reader(), code).Uses["builtins.open"]
		if got := slices.ContainsFunc(uses, func(u analyze.Use) bool { return u.How == analyze.HowReference }); got != (want == analyze.HowReference) {
			t.Errorf("uses %+v:\n%s", uses, code)
		}
	}
}

// TestPythonTypeAsTarget holds that what the program binds to the name type is changed, or called, where the
// grammar reads the declaration of one.
func TestPythonTypeAsTarget(t *testing.T) {
	t.Parallel()
	const made, use = "def f(): pass\nl = ['a']\n", "\ngetattr(f, l[0])"
	for _, way := range []string{
		"type = l\ntype [0] = input()", "type = {'b': l}\ntype ['b'][0] = input()", "def g(type):\n    type [0] = input()\ng(l)", "class C:\n    type = l\n    type [0]: str = input()",
		"class K: pass\ndef type(x):\n    l[0] = x\n    return K\ntype (input()).n = 1", "def type(x): return x\ntype (l)[0] = input()",
	} {
		reports(t, made+way+use)
	}
	accusesNone(t, made+"class C:\n    def m(self): type(self).n = 1"+use, made+"type k[T] = int"+use)
}

// TestPythonFileOfSource holds that the file is seen of which ast.parse shows a line.
func TestPythonFileOfSource(t *testing.T) {
	t.Parallel()
	const name = "ast.parse.filename"
	for code, want := range map[string]bool{
		"import ast\nast.parse(input(), input())": true, "import ast\nast.parse(input(), filename=input())": true, "import ast\nast.parse(*input())": true,
		"import ast, functools\nfunctools.partial(ast.parse, input())(input())": true, "import ast\nlist(map(ast.parse, input(), input()))": true,
		"import ast, threading\nthreading.Thread(target=ast.parse, args=input())": true, "import ast\nprint([ast.parse][0](input(), input()))": true,
		"import ast\nparse = ast.parse\nparse(input())": false, "import ast\nparse = ast.parse\nparse(input(), input())": true,
		"import ast\nast.parse(input())": false, "import ast\nast.parse(input(), '<text>')": false, "import ast\nast.parse(input(), mode='eval')": false, "import ast\nlist(map(ast.parse, input()))": false,
	} {
		if f := analyzetest.Facts(t, Reader(), code); slices.Contains(f.Names, name) != want {
			t.Errorf("names %q:\n%s", f.Names, code)
		}
	}
}

// TestPythonPatternOfPath holds that a sign which may be one of several stands as a star in
// the path of what is found.
func TestPythonPatternOfPath(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{"*.[p]y": "*.*y", "?git/[!]a]b": "*git/*b", "**/a.txt": "**/a.txt", "a[": "a*", "a??.t": "a*.t", "": ""} {
		if got := anySigns(pattern); got != want {
			t.Errorf("%q is %q, want %q", pattern, got, want)
		}
	}
	f := analyzetest.Facts(t, Reader(), "import pathlib\nfor p in pathlib.Path('.').glob('*.?y'): p.write_text('')")
	uses := f.Uses["pathlib.Path.write_text"]
	if len(uses) != 1 || uses[0].Path != "*.*y" {
		t.Errorf("uses %+v", uses)
	}
}

// TestPythonAnswering holds that the library has no other classes than UserString and UserList
// that say themselves what a text and an object of theirs come to.
func TestPythonAnswering(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(requirePython(t), "-I", "-W", "ignore", "testdata/answering.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, classes := answers()
	slices.Sort(classes)
	if got := strings.Fields(string(out)); !slices.Equal(got, classes) {
		t.Errorf("they are %v, and the analysis knows %v", got, classes)
	}
}
