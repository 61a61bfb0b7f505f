package python

import (
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonFloor holds that what leads to all else is reported wherever it is used otherwise than
// on the spot, and that plain use is not.
func TestPythonFloor(t *testing.T) {
	t.Parallel()
	const file = "f = open('a.txt')\n"
	const data = "@dataclass\nclass P:\n    x: int\n"
	for _, rule := range []struct {
		name          string
		moved, passes []string
	}{
		{"builtins are called where they are named",
			[]string{"K = [getattr]", "def g(h=eval): pass", "x = (exec)", "list(map(setattr, a, b, c))", "@open\ndef g(): pass", "class C:\n    open = 1\n    m = open", "print(open)\nopen = 1",
				"def g(): return vars\ng()\nvars = 1", "[x for x in super]", "match a:\n    case {__import__: x}: pass", "with open as f: pass", "del [getattr][0]", "f(key=compile)",
				"open |= O()", "class C:\n    getattr += O()", "def g():\n    global eval\n    (eval) @= O()", "def g[T: (lambda: open)](open): pass"},
			[]string{"getattr(a, 'b')", "(open)('a.txt')", "def g(open): return [open]", "def compile(x): pass\nK = [compile]", "a.open\na.exec", "f(open=1, compile=2)", "match a:\n    case C(open=x): pass",
				"[open for open in a]", "def g():\n    eval = 1\n    eval += 1\n    return eval", "class C:\n    def exec(self): return self.exec", "super().x", "class C:\n    open: str\n    def m(self): return self.open"}},
		{"modules are asked for what they have",
			[]string{"import glob\nK = [glob]", "import glob\ngetattr(glob, 'x')", "import json as j\nf(j)", "def f():\n    import random\n    return random", "import a.b\nx = a", "from glob import os\nK = os",
				"import glob\nmatch a:\n    case {'a': 1} if glob: pass", "import helper\nx = helper", "from . import helper\nf(helper)", "import random\nclass C:\n    random = random", "from collections import abc\n[abc]", "import glob\n(g := glob)",
				"import glob\nglob **= O()", "import glob\ndef f():\n    global glob\n    (glob) -= O()",
				"class C:\n    import glob", "class C:\n    import os.path as p", "class C:\n    from glob import os as x"},
			[]string{"import glob\nglob.glob('a')", "import math\nf(math)", "import random\n(random).choice(a)", "from random import choice\nK = [choice]", "import random\ndef f(random): return random", "import helper\nhelper.f()",
				"import random\nf(random=1)", "import datetime\ndef f(x: datetime.date) -> datetime.date: pass", "import glob\nglob.glob = 1",
				"class C:\n    import math\n    from glob import glob", "class C:\n    global glob\n    import glob", "class C:\n    def m(self):\n        import glob\n        return glob.glob('a')"}},
		{"some attributes lead on, of whatever",
			[]string{"a.os", "a.b().sys.path", "match a:\n    case {b.os.c: x}: pass", "match a:\n    case C(_module=x): pass", "a._evaluate({}, {})", "a.builtins", "a.ｏｓ", "getattr(a, 'os')", "getattr(a, 's' 'ys')", "for n in ('a', 'sys'): getattr(o, n)"},
			[]string{"a.oslo\na.system\na.s", "class C:\n    os = 'linux'\nC(os=1)", "os = 1", "f(sys=1)"}},
		{"names stand there",
			[]string{"getattr(a, b)", "getattr(a, 'a' + b)", "n = 'a'\nn = f()\ngetattr(a, n)", "n = ['a']\nn.append(b)\ngetattr(a, n[0])", "for n in l: getattr(a, n)", "getattr(a, *b)", "getattr(*a)", "setattr(a, f'{n}', 1)", "setattr(a, f'create_{n}', 1)",
				"n = 'a'\nclass C:\n    getattr(a, n)\n    n = 'b'", "from helper import *\nn = 'a'\ngetattr(b, n)", "from operator import attrgetter\nattrgetter(n)", "import operator as o\no.methodcaller(f())", "import operator as o\nclass C:\n    o.attrgetter(n)\n    o = 1", "from operator import attrgetter\nclass C:\n    attrgetter(n)\n    attrgetter = 1",
				"if a: __doc__ = 'b'\ngetattr(a, __doc__)", "try: __file__ = 'b'\nfinally: getattr(a, __file__)", "delattr(a, f())", "def f(n): getattr(a, n)",
				"def m(self, n): getattr(self, n)", "class C:\n    @staticmethod\n    def m(self, n): getattr(self, n)", "class C:\n    @ｓtaticmethod\n    def m(self, n): getattr(self, n)", "class C:\n    @(staticmethod)\n    def m(self, n): getattr(self, n)",
				"import builtins as b\nclass C:\n    @b.staticmethod\n    def m(self, n): getattr(self, n)", "class C:\n    def m(self, n):\n        self |= n\n        getattr(self, n)", "getattr(a, 'x_y' 'z_' + b)", "getattr(a, ''' '\"a_''' + b)",
				"class S(str):\n    def __radd__(self, o): return 'os'\ngetattr(a, 'visit_' + S())", "class S(str): pass\nsetattr(S, '__rmod__', f)\ngetattr(a, 'visit_%s' % S())",
				"import collections\nclass S(collections.UserString, str): pass\ngetattr(a, 'visit_' + S())", "import numpy as np\nclass S(np.ndarray): pass\ngetattr(a, 'visit_' + S())"},
			[]string{"getattr(a, 'b', None)", "N = 'b'\ndef f(): return getattr(a, N)", "for n in ('a', \"b\"): setattr(o, n, 1)", "[getattr(a, n) for n in ['a', 'b']]", "getattr(a, 'visit_' + b)", "getattr(a, f'do_{b}')", "getattr(a, 'do_%s' % b)", "class C:\n    def m(self, n): return getattr(self, n)",
				"import operator\noperator.attrgetter('a')", "from operator import attrgetter\nsorted(a, key=attrgetter('b'))", "getattr(a, ('b'))"}},
		{"the class of an object is compared, named and shown",
			[]string{file + "type(f)('b')", file + "t = type(f)", file + "f.__class__('b')", file + "K = [f.__class__]", file + "type('C', (f,), {})", file + "type('C', *a, b=1)", file + "list(map(type, a))", file + "type(f) == O()", file + "O() in (1, type(f))", file + "O(' is ') == type(f)",
				file + "x = int\nx = O()\ntype(f) == x", file + "def g(): print(type(f))\ndef print(x): pass", file + "class C:\n    def m(self):\n        self = f\n        return type(self)('b')", file + "def m(self): return type(self)('b')",
				file + "isinstance(0, (int, (T := (type,))))", file + "class D:\n    def __class_getitem__(c, k): k(f)\ndef g() -> D[type]: pass", file + "a[type]", "import pathlib\ntype(pathlib.Path('a'))('b')", file + "type(*a)", file + "type(f).__call__('b')",
				file + "type(f) in C\nclass C: pass", file + "type(f) > int", file + "class M(type):\n    def __instancecheck__(c, o): o('b')\nclass C(metaclass=M): pass\nisinstance(type(f), C)", file + "setattr(M, '__instancecheck__', g)\nisinstance(f.__class__, C)",
				file + "isinstance(a, O() | type)", file + "class C(metaclass=M): pass\nisinstance(a, C | type)", file + "type == O()", file + "B = O()\nclass A:\n    type(f) == B\n    class B: pass", file + "B = O()\nclass A:\n    type(f) == B\n    from a import B",
				file + "e = f\nclass A:\n    try: pass\n    except E as e: pass\n    type(e)('b')"},
			[]string{file + "print(type(f))", file + "type(f).__name__", file + "f'{type(f)}'", file + "type(f) == type(a)", file + "type(f) is O()", file + "type(f) in (int, str)", file + "type(f) not in [int]", file + "isinstance(type(f), type)", file + "class M(type):\n    def __instancecheck__(c, o): return isinstance(o, type(c))", file + "class C: pass\ntype(f) is not C\ntype(f) != C", file + "class C:\n    def m(self): return type(self)(1)",
				file + "try: pass\nexcept ValueError as e: g(type(e), e)", file + "class M(type): pass", file + "isinstance(a, type)", file + "def g(x: type, y: type[int]) -> list[type]: pass", file + "isinstance(a, type(b))", "type(x)(1)", file + "class C:\n    def m(self): return self.__class__.__name__",
				file + "class C:\n    def __eq__(self, other): return self.__class__ == other.__class__", file + "type = 1\nprint(type)",
				file + "isinstance(a, (int, type)) or isinstance(a, int | type)", file + "def g(x: Callable[[type, str], int] | type): pass", file + "type(1) is type", file + "class C: pass\ntype('D', (C, int), {'a': 1})",
				file + "class C:\n    def m(self): return type(self).n(self)"}},
		{"methods that are written for a class get an object of it",
			[]string{data + "P.__init__(a, 1)", data + "K = [P.__eq__]", data + "r = (P).__repr__", data + "f(key=P.__hash__)", data + "P.__lt__ == O()", data + "class C:\n    def m(self): return P.__repr__(*self)"},
			[]string{data + "class C(P):\n    def __init__(self): P.__init__(self, 1)\n    __hash__ = P.__hash__", data + "P(1).__repr__()", data + "P.__init__.__doc__", data + "P.__eq__ is object.__eq__", "class P: pass\nK = [P.__init__]",
				"@dataclass\nclass P:\n    def __eq__(self, o): return True\nK = [P.__eq__]"}},
		{"text that names fields is called where it is read",
			[]string{"K = [str.format]", "K = [str.ｆormat]", "f(str.format_map)", "(str.format)"},
			[]string{"str.format('a', 1)", "'{}'.format(1)", "str.join"}},
	} {
		for _, code := range rule.moved {
			if len(analyzetest.Floor(t, Reader(), code)) == 0 {
				t.Errorf("%s: not reported:\n%s", rule.name, code)
			}
		}
		for _, code := range rule.passes {
			if spans := analyzetest.Floor(t, Reader(), code); len(spans) > 0 {
				t.Errorf("%s: reported at %v:\n%s", rule.name, spans, code)
			}
		}
	}
}
