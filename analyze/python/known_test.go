package python

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// opensKnown tells whether all that open is given somewhere in the facts counts as known.
func opensKnown(f analyze.Facts) bool {
	seen := map[analyze.Span]bool{}
	return f.Complete && !slices.ContainsFunc(f.Uses["builtins.open"], func(u analyze.Use) bool {
		again := seen[u.Span] // which tells of one of several
		seen[u.Span] = true
		return again || u.Splat || len(u.Args) == 0 || slices.ContainsFunc(u.Args, func(a analyze.Arg) bool { return !a.Known && a.Path == "" })
	})
}

// TestPythonGivenAgain holds that what ** of a dictionary brings is not known where keys that nobody knows
// may have put another in its place.
func TestPythonGivenAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"open('a', **{'mode': 'r', **dict(zip(['mode'], 'w'))})", "d = {'mode': 'r'}\nd.update(zip(['mode'], 'w'))\nopen('a', **d)", "d = {'mode': 'r'}\nd['mode' or c] = 'w'\nopen('a', **d)",
		"d = {'mode': 'r', **dict([('mode', 'w')])}\nopen('a', **d)", "d = {'mode': 'r'} | dict(zip(['mode'], 'w'))\nopen('a', **{'mode': 'r', **d})",
	} {
		for _, u := range analyzetest.Facts(t, Reader(), code).Uses["builtins.open"] {
			for _, a := range u.Args {
				if a.Name == "mode" && a.Known {
					t.Errorf("mode seems known, %v:\n%s", a.Value, code)
				}
			}
		}
	}
}

// TestPythonOnlySeemsKnown holds that a text does not count as known which is another one when the
// program runs.
func TestPythonOnlySeemsKnown(t *testing.T) {
	t.Parallel()
	const thrown = "class E(Exception): pass\ntry: raise E(o)\nexcept E as e: e.args[0][k] = input()\n"
	for _, code := range []string{
		// The grammar groups otherwise than the interpreter.
		"(x := 'a' if c else input())\nopen(x)",
		"f(x := 'a' if c else input())\nopen(x)",
		"(x := 'a' if c else 'b' if d else input())\nopen(x)",
		"import os, tempfile\nclass W:\n    def __enter__(self): return input()\nwith (W() if c else tempfile.TemporaryDirectory() as d): open(os.path.join(d, 'a'))",
		"open('abcdef'[1 ^ 1 & 0:])", "open('abcdef'[1 & 1 ^ 1:])", "open('abcdef'[3 & 1 ^ 1 & 3:])",
		"x = 'a'\nopen(f'{x:=5}'[0])",
		"class W:\n    def __rand__(self, o): o[0] = input()\nz = ['a']\n0 ^ z & W()\nopen(z[0])",
		// A function that ends without a return gives None.
		"def g():\n    if c: return 'a'\nopen(f'{g()}')",
		"def g():\n    if c: return\n    return 'a'\nopen(f'{g()}')",
		"def g():\n    if c: return 2\nopen('abcdef'[g():])",
		"def g(): pass\nx = g() and 'a'\nopen(f'{x}')",
		"def g():\n    for i in c: return 'a'\nopen(f'{g()}')",
		"def g():\n    while c: return 'a'\nopen(f'{g()}')",
		"def g():\n    while True:\n        if c: break\n        return 'a'\nopen(f'{g()}')",
		"def g():\n    with c: return 'a'\nopen(f'{g()}')",
		"def g():\n    try: return 'a'\n    except E: pass\nopen(f'{g()}')",
		"def g():\n    try: c()\n    except E: return 'a'\nopen(f'{g()}')",
		"def g():\n    if c: return 'a'\n    elif d: return 'a'\nopen(f'{g()}')",
		"async def g(): return 'a'\nopen(f'{g()}')",
		// The interpreter binds names of its own in classes.
		"__doc__ = 'a'\nclass C:\n    '/b'\n    open(__doc__)",
		"__qualname__ = 'a'\nclass C: open(__qualname__)",
		"__module__ = 'a'\nclass C: open(__module__)",
		"__class__ = 'a'\nclass C:\n    def f(self): open(f'{__class__}')",
		"'/b'\nif c: __doc__ = 'a'\nopen(__doc__)", "'/b'\ndef f():\n    global __doc__\n    __doc__ = 'a'\nopen(f'{__doc__}')", "try: __name__ = c() or 'a'\nfinally: open(__name__)", "class C:\n    open(__file__)\n    __file__ = 'a'",
		"if 0: __warningregistry__ = [['a']]\nfor k in __warningregistry__: open(k[0])",
		"d = {'b': 'a'}\n__annotations__ = d\nx: input() = 1\nfor v in d.values(): open(v)", "d = {'a': 1}\n(__annotations__ := d)\nx: int = 1\nfor k in d: open(k)", "d = {'a': 1}\ndef f():\n    global __annotations__\n    for __annotations__ in [d]: pass\nf()\nx: int = 1\nfor k in d: open(k)",
		// Methods that are written for a class call what has the name of a builtin in its module.
		"import dataclasses\ndef super(c, t): open(f'{t}')\nsuper(1, 'a')\n@dataclasses.dataclass(frozen=True, init=False)\nclass C(str): 'b'", "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass C: x: int\ndef type(t): open(f'{t}')\ntype('a')",
		"from dataclasses import make_dataclass\ndef hash(t): open(f'{t}')\nhash('a')\nmake_dataclass('C', ['x'], frozen=True)",
		"import warnings\n__warningregistry__ = {'a': 1}\nwarnings.warn(input())\nfor k in __warningregistry__: open(k[0])", "import warnings\nd = {'a': 1}\nclass C:\n    global __warningregistry__\n    __warningregistry__ = d\nwarnings.warn(input())\nfor k in d: open(k[0])",
		// A name in brackets with a type and no value is not bound, one of an argument is another in a class.
		"x = input()\ndef f():\n    (x): str\n    open(x or 'a')",
		"x = 'a'\ndef f():\n    x = input()\n    class C:\n        (x): str\n        open(x)",
		"class C:\n    def m(self):\n        def f(__x='a'): open(f'{__x}')\n        f(_C__x=input())",
		"l = ['a']\ntype A = l\nA.__value__.append(input())\nopen(l[-1])", "l = ['a']\ntype A[T] = (int, [l])\nA.__value__[1][0].append(input())\nopen(l[-1])",
		// Who makes a class has what stands for its bases.
		"def m(n, b, d): b[0].append(input())\nl = ['a']\nclass C(l, metaclass=m): pass\nopen(l[-1])", "class M:\n    def __call__(s, n, b, d): b[0][0].append(input())\nl = ['a']\nclass C([*[l]], metaclass=M()): pass\nopen(l[-1])",
		"l = ['a']\nclass C(*(1, l), **{'metaclass': lambda n, b, d: b[1].append(input())}): pass\nopen(l[-1])", "class M:\n    def __prepare__(s, n, b): b[0]['k'].append(input())\nl = ['a']\nclass C({'k': l}, metaclass=M()): pass\nopen(l[-1])",
		// Type parameters are names of what stands in a class, and of what goes with them.
		"x = 'a'\nclass C[x]:\n    def m(self): open(f'{x}')", "x = 'a'\nclass C[*x]:\n    class D: open(f'{x}')", "x = 'a'\nclass C[x]: l = [open(f'{x}') for i in c]",
		"x = 'a'\nclass C[x](B, k=open(f'{x}')): pass", "x = 'a'\nclass C[x](B[lambda: open(f'{x}')]): pass", "x = 'a'\ndef f[x](p: open(f'{x}')): pass", "x = 'a'\ndef f[x](p) -> open(f'{x}'): pass",
		"_C__x = 'a'\nclass C:\n    class D[T](B, k=open(__x)): pass", "_C__x = 'a'\nclass C[__x]:\n    def m(self): open(__x)",
		// What match looks at is a tuple, and parts of a pattern are for its elements.
		"match 'a',:\n    case x: open(f'{x}')",
		"l = ['a']\nmatch l,:\n    case q: q[0].append(input())\nopen(l[-1])",
		"l = ['a']\nmatch [l]:\n    case q,: q.append(input())\nopen(l[-1])",
		// Places in lists move, also in the last look at the program, and are counted from the end.
		"l = ['a', input()]\ndef g(): open(l[0])\ndef f(m): del m[0]\nf(l)\ng()",
		"l = ['a', input()]\ndef g(): open(l[0])\ndef f(m): del m[0]\ndef h(m): f(m)\nh(l)\ng()",
		"r = [input(), 'a'] if c else [input()]\nopen(r[:][-1])",
		"r = ('a', 'b') if c else ('z',)\nu = r[0:]\nx = [*u, 'q']\nopen(x[1])",
		"w, x = {'ab' if c else 'ac', 'zz'}\nopen(w[0])",
		"w, x = {*['a', 'b']}\nopen(w)",
		"x = [*{'a', a}, 'q', input()]\nopen(x[2])",
		"i = iter(['a', 'b'])\nnext(i)\nx = [*i, 'q', input()]\nopen(x[2])", "i = reversed(['a', 'b'])\nnext(i)\nx = [*i, 'q', input()]\nopen(x[2])",
		"i = (x for x in ['a', 'b'])\nnext(i)\nx = [*i, 'q', input()]\nopen(x[2])", "i = map(lambda x: x, ['a', 'b'])\nnext(i)\nx = [*i, 'q', input()]\nopen(x[2])",
		"i = iter([f, g])\nnext(i)\nx = [*list(i), 'q', input()]\nopen(x[2])",
		"i = iter(['a', 'b'])\nnext(i)\nx = [*[k for k in i], 'q', input()]\nopen(x[2])", "import collections\nx = [*collections.deque([f, g], maxlen=1), 'q', input()]\nopen(x[2])",
		"i = iter(['aX' if c else 'aY', input()])\nnext(i)\nx = [*i]\nopen(x[0][0])",
		// Others have what is taken apart or handed on.
		"o, k = {'file': 'a'}, 'file'\n" + thrown + "open(**o)",
		"o, k = {'file': 'a'}, 'file'\n" + thrown + "d = {**o}\nopen(d['file'])",
		"o, k = {'file': 'a'}, 'file'\n" + thrown + "d = {}\nd.update(**o)\nopen(d['file'])",
		"o, k = {'x': 'a'}, 'x'\n" + thrown + "def f(x): open(f'{x}')\nf(**o)",
		"o, k = ['a'], 0\n" + thrown + "open(o[0:][0])",
		"d = {'file': 'a'}\nd.__init__(file=input())\nopen(**d)",
		// What is taken out of a dictionary, or is perhaps not put in, is perhaps not given.
		"d = {'mode': 'r'}\nd.pop('mode')\nopen('a', **d)", "d = {'mode': 'r'}\ndel d['mode']\nopen('a', **d)", "d = {'mode': 'r'}\nd.popitem()\nopen('a', **d)", "d = {'mode': 'r'}\nd.clear()\nopen('a', **d)",
		"d = {}\nif c: d['mode'] = 'r'\nopen('a', **d)", "d = {}\nif c: d.update(mode='r')\nopen('a', **d)", "d = {}\nif c: d.setdefault('mode', 'r')\nopen('a', **d)", "d = {}\nif c: d |= {'mode': 'r'}\nopen('a', **d)",
		"def f(**k): open('a', **k)\nf(mode='r')\nf()", "d = {'mode': 'r'} if c else {}\nopen('a', **{**d})", "d = {k: 'r' for k in ['mode'] if c}\nopen('a', **d)",
		"d = {'mode': 'r'}\nd.pop('mode')\nopen('a', **{'newline': '', **d})", "d = {'mode': 'r'}\nd.pop('mode')\nopen('a', **dict(d))", "d = {'mode': 'r'}\nd.pop('mode')\nopen('a', **dict(**d))",
		"d = {'mode': 'r'}\ndef g(): open('a', **d)\ndef f(m): del m['mode']\nf(d)\ng()", "d = {'mode': 'r'}\ne = {**d}\ndef g(): open('a', **e)\ndef f(m): del m['mode']\nf(e)\ng()",
	} {
		if f := analyzetest.Facts(t, Reader(), code); opensKnown(f) {
			t.Errorf("it seems known:\n%s", code)
		}
	}
	for _, code := range []string{
		"(x := 'a')\nopen(x)", "open(f'{(x := 1)}')", "open(f'{[x := 1][0]}')",
		"open('abcdef'[1 ^ (1 & 0):])", "open('abcdef'[1 | 1 & 0:])",
		"def g(): return 'a'\nopen(f'{g()}')",
		"def g():\n    if c: return 'a'\n    else: return 'a'\nopen(f'{g()}')",
		"def g():\n    if c: return 'a'\n    elif d: raise E\n    else: return 'a'\nopen(f'{g()}')",
		"def g():\n    try: return 'a'\n    except E: raise\n    finally: c()\nopen(f'{g()}')",
		"def g():\n    try: c()\n    except E: return 'a'\n    else: return 'a'\nopen(f'{g()}')",
		"def g():\n    try: c()\n    finally: return 'a'\nopen(f'{g()}')",
		"def g():\n    while True:\n        if c: return 'a'\nopen(f'{g()}')",
		"async def g(): return 'a'\nasync def h(): open(f'{await g()}')",
		"class C:\n    x = 'a'\n    def f(self):\n        x = 'a'\n        open(x)",
		"def f():\n    x: str\n    x = 'a'\n    open(x)",
		"x = 'a'\nclass C[T]:\n    def m(self): open(x)", "x = 'a'\ndef f[x](p=open(x)): pass", "class D:\n    x = 'a'\n    class C[T](B, k=open(x)): pass\nx = 'a'", "class D:\n    x = 'a'\n    def f[T](p: open(x)): pass\nx = 'a'",
		"d = {'a': 1}\n__all__ = d\nfor k in d: open(k)", "def type(t): open(f'{t}')\ntype('a')\nclass C: x: int", "import dataclasses\n@dataclasses.dataclass\nclass C: x: int\ndef load(t): open(f'{t}')\nload('a')", "__doc__ = 'a'\nopen(__doc__)", "'b'\n__doc__ = 'a'\ndef f(): open(__doc__)",
		"match 'a':\n    case x: open(f'{x}')",
		"l = ['a', 'b']\nopen(l[1:][-1])",
		"open(**{'file': 'a'})", "d = {'mode': 'r'}\nd['mode'] = 'r'\nopen('a', **d)", "d = {'mode': 'r'}\nopen('a', **{**d, 'newline': ''})", "open('a', **dict(mode='r'))",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !opensKnown(f) {
			t.Errorf("it is known, but %v %v:\n%s", f.Uses["builtins.open"], f.Syntax, code)
		}
	}
}

// TestPythonNamespaceOfOthers holds that a dictionary which others have is not taken for what stands in
// it where it becomes a class.
func TestPythonNamespaceOfOthers(t *testing.T) {
	t.Parallel()
	reports(t, "class E(Exception): pass\no = {'a': 1}\ntry: raise E(o)\nexcept E as e: e.args[0][input()] = len\ntype('C', (), o)")
	accusesNone(t, "type('C', (), {'a': 1})")
}

// TestPythonLooksEnd holds that no look at what stands around a call begins with that call again: without
// an end, or once more for each call in it.
func TestPythonLooksEnd(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"try: x = '' f'{f(x)}'(1)\nfinally: pass", "f" + strings.Repeat("()", 60)} {
		if f := analyzetest.Facts(t, Reader(), code+"\nclass C(lambda: x, *y): pass"); !f.Complete {
			t.Errorf("%v:\n%s", f.Syntax, code)
		}
	}
}
