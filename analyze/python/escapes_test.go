package python

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// leads holds that a list is known to hold what is put into it by way of each expression that
// comes to it. Statements and expression are a pair.
func leads(t *testing.T, ways [][2]string) {
	t.Helper()
	for _, way := range ways {
		code := "import glob\nK = []\n" + way[0] + "\n" + way[1] + ".append(glob)\nK[0].os.system('id')\n"
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "os.system") && !reported(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
}

// TestPythonArgumentsPassedOver holds that what a function of the library is given under a
// name, behind others or by a splat may be what comes out somewhere else.
func TestPythonArgumentsPassedOver(t *testing.T) {
	t.Parallel()
	const second = "class A:\n    def __radd__(self, x):\n        self.x = x\n        return self\n    def __mul__(self, x):\n        self.x = x\n        return ''\na = A()"
	const below = "class B:\n    def __init_subclass__(cls, **k): B.k = k['z']\n"
	leads(t, [][2]string{
		{"import collections", "collections.deque(iterable=[K])[0]"}, {"import collections", "[*collections.deque(iterable=[K])][0]"}, {"import collections\nd = collections.deque(iterable=[K], maxlen=1)", "d.pop()"},
		{"import copy", "copy.copy(x=[K])[0]"}, {"import copy", "copy.deepcopy(x=[K])[0]"}, {"import copy\nQ = []\nQ.append([K])", "copy.copy(*Q)[0]"},
		{"import typing", "typing.cast(typ=int, val=K)"}, {"import contextlib\nwith contextlib.nullcontext(enter_result=K) as x: pass", "x"},
		{"import random", "random.choice(seq=[K])"}, {"", "next(enumerate(iterable=[K]))[1]"}, {"Q = []\nQ.append(K)\ndef f(o):\n    f.o = o\n    return 0\nmax(*Q, Q, key=f)", "f.o"}, {"Q = []\nQ.append([K])", "[*zip(*Q)][0][0]"}, {"Q = []\nQ.append([[K]])\nimport itertools", "next(itertools.chain(*Q))[0]"},
		{"def f(): pass\nclass E:\n    def __eq__(self, x):\n        E.x = x\n        return True\nfor _ in iter(E, K): pass", "E.x"},
		{second + "\nsum([K, a], 0)", "a.x"}, {second + "\nsum([K, a], start=0)", "a.x"}, {second + "\nimport xml.etree.ElementTree as ET\nET.indent(ET.Element('a'), a, K)", "a.x"},
		{below + "type('X', (B,), {}, z=K)", "B.k"}, {below + "import abc\nabc.ABCMeta('X', (B,), {}, z=K)", "B.k"}, {below + "import types\ntypes.new_class('X', (B,), {'z': K})", "B.k"},
		{below + "import types\ntypes.new_class('X', (B,), kwds=dict(z=K))", "B.k"}, {below + "type.__new__(type, 'X', (B,), {}, z=K)", "B.k"},
		{"import logging", "logging.Formatter('a', K).datefmt"},
		{"import types", "types.SimpleNamespace({'a': K}).a"},
		{"class D(dict):\n    def __setitem__(self, k, v): D.v = v\nd = D() if input() else {}\ndict.__setitem__(d, 'a', K)", "D.v"},
	})
	accusesNone(t,
		"def f(): pass\nfor n in sorted(['a', 'b'], key=len): getattr(f, n)",
		"import collections\nd = collections.deque(['a', 'b'], maxlen=2)\nfor k, n in enumerate(d, start=1): print(k, n, *zip(d, d, strict=True))",
		"import random\nnames = ['a', 'b']\nprint(random.choice(seq=names), max(names, key=len), sum([[1], [2]], []))",
		"import xml.etree.ElementTree as ET\nroot = ET.Element('a')\nET.indent(root, space='  ')\nprint(ET.tostring(root))",
		"d = dict(a='b', c=['d'])\ndef f(): pass\ngetattr(f, d['a'])\ngetattr(f, d['c'][0])",
	)
}

// TestPythonMakingObjects holds that all that takes part in the making of an object is given
// what the class is called with, also where that has an __init__ of its own.
func TestPythonMakingObjects(t *testing.T) {
	t.Parallel()
	const init = "\n    def __init__(self, *a, **k): pass\n"
	leads(t, [][2]string{
		{"class A:\n    def __new__(cls, x): A.x = x" + init + "A(K)", "A.x"}, {"class A:\n    def __new__(cls, *, x): A.x = x" + init + "A(x=K)", "A.x"}, {"class A:\n    def __new__(cls, *a): A.x = a[0]" + init + "l = []\nl.append(K)\nA(*l)", "A.x"},
		{"class B:\n    def __new__(cls, x): B.x = x\nclass A(B):" + init + "A(K)", "B.x"}, {"class A: " + init + "A.__new__ = lambda c, x: setattr(A, 'x', x)\nA(K)", "A.x"},
		{"class M(type):\n    def __call__(cls, x): cls.x = x\nclass A(metaclass=M):" + init + "A(K)", "A.x"}, {"class M(type):\n    def __call__(cls, **k): cls.x = k['x']\nclass B(metaclass=M): pass\nclass A(B):" + init + "A(x=K)", "A.x"},
		{"class A(Exception):" + init, "A(K).args[0]"}, {"class A(Exception):" + init + "try:\n    raise A(K)\nexcept A as e:\n    x = e.args[0]", "x"}, {"class A(BaseExceptionGroup):" + init, "A('', [ValueError(K)]).exceptions[0].args[0]"},
		{"class A(tuple):" + init, "A([K])[0]"}, {"class A(map):" + init, "next(A(lambda x: x, [K]))"}, {"class A(zip):" + init, "next(A([K]))[0]"}, {"class A(filter):" + init, "next(A(None, [[K]]))[0]"},
		{"import functools\nclass A(functools.partial):" + init, "A(lambda x: x, K)()"}, {"import collections\nclass A(collections.namedtuple('N', 'x')):" + init, "A(x=K).x"}, {"import typing\nclass N(typing.NamedTuple):\n    x: list\nclass A(N):" + init, "A(K)[0]"},
		{"class A:\n    def __new__(cls, x): A.x = x" + init + "list(map(A, [K]))", "A.x"},
	})
	accusesNone(t,
		"class A:\n    def __init__(self, names, n): self.names, self.n = names, n\na = A(['a', 'b'], n={'c': 1})\nprint(a.names, a.n['c'])",
		"class E(Exception):\n    def __init__(self, message, code=0):\n        super().__init__(message)\n        self.code = code\ntry:\n    raise E('a', code=1)\nexcept E as e:\n    print(e, e.args)",
		"names = ['a', 'b']\nclass A:\n    def __init__(self, x): pass\nA(tuple(names))\ndef f(): pass\ngetattr(f, names[0])",
	)
}

// TestPythonItemsOfOthers holds that what is put under a key of something that is no container
// of the program's may come out of that.
func TestPythonItemsOfOthers(t *testing.T) {
	t.Parallel()
	const meta = "class M(type):\n    def __setitem__(cls, k, v): M.v = v\nclass A(metaclass=M): pass\n"
	leads(t, [][2]string{
		{meta + "A[0] = K", "M.v"}, {meta + "import operator\noperator.setitem(A, 0, K)", "M.v"}, {meta + "for A[0] in [K]: pass", "M.v"}, {meta + "A[0], y = K, 1", "M.v"}, {meta + "A[0] += K", "M.v"}, {meta + "for x in [A, {}]: x[0] = K", "M.v"},
		{"import keyword\nkeyword.kwlist[0] = K", "keyword.kwlist[0]"}, {"import keyword\nkeyword.kwlist[:1] = [K]", "keyword.kwlist[0]"}, {"import sys\nsys.argv[0] = K", "sys.argv[0]"},
		{"import errno\nerrno.errorcode[0] = K", "errno.errorcode[0]"}, {"import mimetypes\nmimetypes.types_map['a'] = K", "mimetypes.types_map['a']"}, {"import keyword\nkeyword.kwlist.append(K)", "keyword.kwlist[-1]"},
		{"import keyword, operator\noperator.setitem(keyword.kwlist, 0, K)", "keyword.kwlist[0]"}, {"def f(): pass\nf.__dict__['x'] = K", "f.x"},
	})
	accusesNone(t, "names = ['a']\nrows = {}\nrows['a'] = names\ndef f(): pass\ngetattr(f, names[0])", "import collections\nd = collections.defaultdict(list)\nd['a'] = ['b']\nd['a'].append('c')\nprint(d)")
}

// TestPythonMethodsOfContainers holds that what a list or dictionary hands to what it holds, by
// a method of its own that is called by name, is not lost.
func TestPythonMethodsOfContainers(t *testing.T) {
	t.Parallel()
	const own = "class A:\n    def __eq__(self, x):\n        A.x = x\n        return True\n    __lt__ = __gt__ = __eq__\na = A()\n"
	leads(t, [][2]string{
		{own + "[a].__eq__([K])", "A.x"}, {own + "[a].__ne__([K])", "A.x"}, {own + "(a,).__lt__((K,))", "A.x"}, {own + "[a].__ge__([K])", "A.x"}, {own + "{'a': a}.__eq__({'a': K})", "A.x"}, {own + "list.__eq__([a], [K])", "A.x"}, {own + "dict.__eq__({'a': a}, {'a': K})", "A.x"},
		{own + "getattr([a], '__eq__')([K])", "A.x"}, {own + "import operator\noperator.methodcaller('__eq__', [K])([a])", "A.x"}, {own + "Q = []\nQ.append([K])\n[a].__eq__(*Q)", "A.x"}, {own + "x = [a].__eq__\nx([K])", "A.x"},
		{"", "[].__add__([K])[0]"}, {"l = []\nl.__iadd__([K])", "l[0]"}, {"d = {}\nd.__ior__({'a': K})", "d['a']"}, {"", "{}.__or__({'a': K})['a']"},
	})
	accusesNone(t, "a = ['b']\nc = ['d']\nprint(a == c, a.__eq__(['d']), a.__len__(), {1}.union({2}))\ndef f(): pass\ngetattr(f, c[0])")
}

// TestPythonDumps holds that what json.dumps is given goes to the functions and methods of the
// program that take part in it.
func TestPythonDumps(t *testing.T) {
	t.Parallel()
	const f = "def f(x):\n    f.x = x\n    return 0\nimport json, collections\n"
	const key = "import json\nclass A:\n    def __eq__(self, x): return True\n    def __hash__(self): return id(self)\n    def __gt__(self, x):\n        A.x = x\n        return False\na = A()\n"
	leads(t, [][2]string{
		{f + "json.dumps(collections.deque([K]), default=f)", "f.x[0]"}, {f + "json.dumps([iter([K])], default=f)", "next(f.x)"}, {f + "json.dumps({'a': {'b': K}.values()}, default=f)", "[*f.x][0]"}, {f + "json.dumps(obj=iter([K]), default=f)", "next(f.x)"},
		{f + "json.dumps(iter([K]), **{'default': f})", "next(f.x)"}, {f + "k = {}\nk.update(default=f)\njson.dumps(iter([K]), **k)", "next(f.x)"}, {f + "class E(json.JSONEncoder):\n    def default(self, x): return f(x)\njson.dumps(iter([K]), cls=E)", "next(f.x)"},
		{key + "try: json.dumps({a: K, A(): a}, sort_keys=True)\nexcept TypeError: pass", "A.x"},
	})
	accusesNone(t, "import json\nrows = [{'a': 'b'}]\nprint(json.dumps(rows, indent=2, sort_keys=True, ensure_ascii=False))\ngetattr(json.JSONEncoder(), rows[0]['a'])", "import json, datetime\nprint(json.dumps({'a': datetime.date.today()}, default=str))")
}

// TestPythonOtherSelf holds that a private name which the library has, too, is reported where
// what a method asks for it may be another object than that of the class.
func TestPythonOtherSelf(t *testing.T) {
	t.Parallel()
	const class = "import warnings, contextlib\nclass O:\n    def __new__(cls, x=None): return x\nclass A:\n    _module = None\n    def __iadd__(self, x): return x\n    __isub__ = __ior__ = __imatmul__ = __ipow__ = __iadd__\n"
	const use = "\n        return self._module\nA().m(warnings.catch_warnings()).sys.modules['os']"
	for _, way := range []string{
		"self += x", "self -= x", "self |= x", "self @= x", "self **= x", "def g():\n            nonlocal self\n            self += x\n        g()", "def g():\n            nonlocal self\n            for self in [x]: pass\n        g()",
		"match x:\n            case self: pass", "match x:\n            case (self): pass", "match x:\n            case self if True: pass", "match {1: x}:\n            case {1: self}: pass", "match {1: x}:\n            case {**self}: pass",
		"match ([x]):\n            case [self]: pass", "match ([x]):\n            case [*self]: pass", "match x:\n            case object() as self: pass", "match x:\n            case O(_module=self): pass",
		"with contextlib.nullcontext(x) as self: pass", "with contextlib.nullcontext(x) as (self): pass", "with contextlib.nullcontext([x]) as [self]: pass", "(self) = x", "[self] = [x]", "*self, = [x]", "(self := x)", "self: O = x", "for (self) in [x]: pass", "for self, in [[x]]: pass",
		"import warnings as self", "from warnings import sys as self", "def self(): pass", "class self: pass", "try: raise x\n        except O as self: pass", "[self := x for _ in [1]]",
	} {
		reports(t, class+"    def m(self, x):\n        "+way+use)
	}
	for _, way := range []string{"self = O.__new__(O, x)", "self = O.__new__(this, x)", "self = x.__new__(this)", "self = object.__new__(x)", "self = this.__new__(O, x)", "self = super().__new__(x)"} {
		reports(t, class+"    def m(this, x):\n        "+way+use)
	}
	reports(t, "import warnings\nclass B:\n    def __new__(cls, x): return x\nclass A(B):\n    _module = None\n    def __new__(cls, x):\n        self = super().__new__(cls, x)\n        return self._module\nA(warnings.catch_warnings())")
	accusesNone(t,
		"import warnings\nclass A:\n    _module = None\n    def m(self, x):\n        y = self\n        for z in [self]: x += 1\n        return [self._module for _ in (self, x)]\nA().m(1)",
		"import warnings\nclass A:\n    def __new__(cls, x):\n        self = super().__new__(cls)\n        self._module = x\n        return self\nA(1)",
		"import warnings\nclass A(int):\n    _module = 1\n    def __new__(cls, x):\n        self = int.__new__(cls, x)\n        print(self._module)\n        return self\nA(1)",
	)
}

// TestPythonBodiesByObjects holds that a class is reported whose metaclass is an object that may
// answer for __prepare__: names in its body mean what that gives out.
func TestPythonBodiesByObjects(t *testing.T) {
	t.Parallel()
	const body = ":\n    M.os"
	for _, way := range []string{
		"class P:\n    def __getattr__(self, n): return lambda *a, **k: NS()\n    def __call__(self, *a): pass\nclass C(metaclass=P())", "import weakref\nclass P:\n    def __getattr__(self, n): return NS\n    def __call__(self, *a): pass\np = P()\nclass C(metaclass=weakref.proxy(p))",
		"class P:\n    def __getattr__(self, n): return NS\n    def __call__(self, *a): pass\nk = {'metaclass': P()}\nclass C(**k)", "import types\nclass P(types.SimpleNamespace):\n    def __call__(self, *a): pass\nclass C(metaclass=P(__prepare__=lambda *a: NS()))",
		"import types\nclass P(types.SimpleNamespace):\n    def __init__(self, **k): super().__init__(**k)\n    def __call__(self, *a): pass\nclass C(metaclass=P(__prepare__=lambda *a: NS()))",
		"import types\nclass P(types.SimpleNamespace):\n    def __call__(self, *a): pass\nk = {}\nk.update(dict.fromkeys(['__prepare__'], lambda *a: NS()))\nclass C(metaclass=P(**k))",
		"class P:\n    def __call__(self, *a): pass\np = P()\np.__prepare__ = lambda *a: NS()\nclass C(metaclass=p)",
	} {
		reports(t, "import glob\nclass NS(dict):\n    def __missing__(self, k): return {'M': glob}[k]\nM = ''\n"+way+body)
	}
	accusesNone(t,
		"import abc\nclass A:\n    def __getattr__(self, n): return n\nclass M(type):\n    def __call__(cls, *a): return super().__call__(*a)\nclass B(metaclass=M): pass\nclass C(abc.ABC): pass\nclass D(metaclass=abc.ABCMeta): pass\nprint(A().x, B())",
		"def m(name, bases, d): return name\nclass A(metaclass=m): pass",
	)
}

// TestPythonCopiedByOwn holds that what says how to copy an object is seen where it comes to the
// object under a name that stands in a call, or that nobody sees.
func TestPythonCopiedByOwn(t *testing.T) {
	t.Parallel()
	const made = "import copy, types, argparse, functools, pathlib\nt = pathlib.Path('a')\nf = lambda p: (lambda: t, (), (None, {'_str': 'b'}))\np = argparse.ArgumentParser()\n"
	for _, way := range []string{
		"types.SimpleNamespace(__reduce_ex__=f)", "types.SimpleNamespace(__reduce__=f)", "argparse.Namespace(__reduce_ex__=f)", "types.SimpleNamespace(**dict(__reduce_ex__=f))", "types.SimpleNamespace(**{'__reduce' + '_ex__': f})", "functools.partial(types.SimpleNamespace, __reduce_ex__=f)()",
		"types.SimpleNamespace(**dict.fromkeys(['__reduce_ex__'], f))", "types.SimpleNamespace(**{k: f for k in ['__reduce_ex__']})", "(d := {}, d.setdefault('__reduce_ex__', f), types.SimpleNamespace(**d))[2]", "argparse.Namespace(**dict(zip(['__reduce_ex__'], [f])))",
	} {
		reports(t, made+"copy.copy("+way+")")
	}
	for _, way := range []string{"'-a', dest='__reduce_ex__', type=lambda s: f", "'--__reduce-ex__', type=lambda s: f", "'__reduce_ex__', type=lambda s: f", "'--' + input(), type=lambda s: f"} {
		reports(t, made+"p.add_argument("+way+")\ncopy.copy(p.parse_args([]))")
	}
	accusesNone(t,
		"import copy, types, argparse\no = types.SimpleNamespace(a=1, b=[2])\nprint(copy.deepcopy(o), copy.copy(argparse.Namespace(c=3)))",
		"import types\nprint(types.SimpleNamespace(**{input(): 1}))",
		"import argparse, copy\np = argparse.ArgumentParser()\np.add_argument('--a-b', type=int, dest='c')\nfor n in input(): p.add_argument('--' + n)\nprint(copy.copy(p.parse_args()))",
	)
}

// TestPythonRedirected holds that a stream of sys counts as what the program puts in its place.
func TestPythonRedirected(t *testing.T) {
	t.Parallel()
	const made = "import sys, contextlib, typing\nr = typing.get_args(typing.List['a()'])[0]\n"
	reports(t,
		made+"contextlib.redirect_stderr(r).__enter__()\nsys.stderr._evaluate({}, {}, frozenset())",
		made+"contextlib.redirect_stdout(new_target=r).__enter__()\nsys.stdout._evaluate({}, {}, frozenset())",
		made+"s = contextlib.ExitStack()\ns.enter_context(contextlib.redirect_stdout(r))\nfrom sys import stdout\nstdout._evaluate({}, {}, frozenset())",
		made+"with contextlib.redirect_stderr(r):\n    for x in [sys.stderr]: x._evaluate({}, {}, frozenset())",
		made+"class R(contextlib.redirect_stderr): pass\nwith R(r): sys.stderr._evaluate({}, {}, frozenset())",
	)
	accusesNone(t, "import sys, io, contextlib\nbuf = io.StringIO()\nwith contextlib.redirect_stdout(buf), contextlib.redirect_stderr(buf):\n    print('a')\n    sys.stderr.write('b')\nsys.stdout.write(buf.getvalue())\nprint('c', file=sys.stderr)")
}

// TestPythonEnumOfFunctions holds that functions are seen which a call of a class of enumerations makes
// methods, under names that nobody sees or that mean something.
func TestPythonEnumOfFunctions(t *testing.T) {
	t.Parallel()
	const start = "import enum, zoneinfo\nf = lambda s, o: '/../../lib/a'\nk = ''.join(['__radd', '__'])\n"
	const use = "\nzoneinfo.ZoneInfo(E.A)"
	reports(t,
		start+"E = enum.StrEnum('E', {'A': 'UTC', '__radd__': f})"+use, start+"E = enum.StrEnum('E', {'A': 'UTC', k: f})", start+"E = enum.Enum('E', [('A', 'UTC'), ('__radd__', f)], type=str)"+use,
		start+"E = enum.Enum('E', [('A', 'UTC'), (k, f)], type=str)", start+"E = enum.Enum(value='E', names={k: f}, type=str)", start+"E = enum.StrEnum('E', zip(['A', k], ['UTC', f]))", start+"d = {}\nd[k] = f\nE = enum.IntEnum('E', d)",
		start+"def g(): yield k, f\nE = enum.Flag('E', g())", start+"x = ['E', {k: f}]\nE = enum.StrEnum(*x)", start+"x = {'names': {k: f}}\nE = enum.IntFlag('E', **x)", start+"class B(str, enum.Enum): pass\nE = B('E', {k: f})")
	accusesNone(t,
		"import enum\nE = enum.Enum('E', 'A B')\nF = enum.Flag('F', ['A', 'B'])\nG = enum.Enum('G', {'A': 1, 'B': 'x'}, module=__name__)\nH = enum.IntEnum('H', [('A', 1), ('B', 2)])\nI = enum.Enum('I', names=['A'])\nprint(E.A, F.A, G(1), H(2), I.A)",
		"import enum\nx, y = map(int, input().split())\nclass C(enum.Enum):\n    A = 1, 2\n    def f(self): return self\nprint(C((x, y)).f(), C(x))")
}

// TestPythonObjectsThatDo holds that an object of the library which does something in methods that
// others call on what they are given counts as used so where it goes out of sight.
func TestPythonObjectsThatDo(t *testing.T) {
	t.Parallel()
	const tree, config = "import xml.etree.ElementTree as ET\nT = ET.ElementTree()\n", "import configparser, codecs\nC = configparser.ConfigParser()\n"
	const dump = "import contextlib, sys, xml.etree.ElementTree as E\ne = E.Element('a')\n"
	const class = "class C:\n    def __eq__(self, o): return o\n    __lt__ = __contains__ = __getitem__ = __setitem__ = __delitem__ = __radd__ = __class_getitem__ = __hash__ = __eq__\n"
	for name, programs := range map[string][]string{
		"xml.etree.ElementTree.ElementTree.write": {
			tree + "print('a', file=T)", tree + "print(*a, **{'file': T})", tree + "d = {'file': T}\nd.update(b)\nprint('a', **d)", tree + "import sys\nsys.stdout = T", tree + "import csv\ncsv.writer(T)", tree + "import logging\nlogging.StreamHandler(T)",
			tree + "import logging\nh = logging.StreamHandler()\nh.stream = T", tree + "import contextlib\ncontextlib.redirect_stdout(T)", tree + "import pprint\npprint.pprint(1, stream=T)", tree + "def f(): yield T", tree + "class W:\n    out = T",
			"import xml.etree.ElementTree as ET\nprint('a', file=ET.parse('a.xml'))", tree + "def f(): return T\nlist(map(f, a))", tree + "import functools\n@functools.cache\ndef f(): return T", tree + "class A:\n    def f(self): return T", tree + "f = lambda: T",
			tree + class + "T == C()", tree + class + "C() == T", tree + class + "T < C()", tree + class + "T in C()", tree + class + "[C()].count(T)", tree + class + "T in [C()]", tree + class + "C()[T]", tree + class + "C()[T:1]", tree + class + "C()[T] = 1", tree + class + "del C()[T]",
			tree + class + "T + C()", tree + class + "c = C()\nc += T", tree + class + "sum([T], C())", tree + class + "match T:\n    case K.c: pass", tree + class + "C[T]", tree + class + "{T: 1}.get(C())", tree + "class M(type):\n    def __instancecheck__(c, o): pass\nclass C(metaclass=M): pass\nisinstance(T, C)",
			tree + "class B:\n    def __init_subclass__(c, t): pass\nclass C(B, t=T): pass", tree + "assert 0, T", tree + "def f(a: T): pass", tree + "def f(a: list[ET.ElementTree()]): pass", tree + "l = [T]\nl.sort(key=f)", tree + "import operator\nmap(operator.methodcaller('m', T), a)",
			dump + "sys.stdout = 'a.py'\nE.dump(e)", dump + "f = E.dump\nf(e)\nsys.stdout = 'a.py'", dump + "for sys.stdout in a: list(map(E.dump, e))", dump + "with contextlib.redirect_stdout('a.py'): E.dump(e)",
			dump + "class R(contextlib.redirect_stdout):\n    def __init__(self): super().__init__('a.py')\nwith R(): E.dump(e)",
		},
		"configparser.ConfigParser.read": {
			config + "codecs.getreader('utf-8')(C)", config + "codecs.getreader('utf-8')(C['a'].parser)", config + "codecs.getreader('utf-8')(a.parser)", config + "K = [configparser.ConfigParser]\nK[0]()", config + "list(map(configparser.ConfigParser, a))",
			"import configparser\nclass A(configparser.ConfigParser): pass\nclass B(A): pass\nprint(1, file=B())", "import configparser, threading\nclass A(threading.Thread, configparser.ConfigParser): pass\nprint(1, file=A())", "import configparser\nclass A(configparser.ConfigParser): pass\nprint(1, file=next(map(A, a)))", "import configparser\nclass A(configparser.ConfigParser): pass\nf(A)", "import configparser\nclass A(configparser.ConfigParser):\n    def m(self): print(1, file=self)",
			"import configparser\nclass A(configparser.ConfigParser):\n    def m(self): print(1, file=super())", config + "class I(configparser.BasicInterpolation):\n    def before_get(self, parser, s, o, v, d): print(1, file=parser)",
		},
		"configparser.RawConfigParser.read": {"import configparser\nprint(1, file=configparser.RawConfigParser())"},
		"mimetypes.MimeTypes.read":          {"import mimetypes\nprint(1, file=mimetypes.MimeTypes())"},
		"pathlib.Path.home":                 {"import pathlib\nclass C:\n    def __lt__(self, o): return o.home()\npathlib.Path('a') > C()"},
		"tempfile.TemporaryDirectory.name":  {"import tempfile\nclass C:\n    def __eq__(self, o): o.name = 'a'\ntempfile.TemporaryDirectory() == C()"},
	} {
		for _, code := range programs {
			if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, name) {
				t.Errorf("%s is not seen:\n%s", name, code)
			}
		}
	}
	for _, code := range []string{
		tree + "ET.indent(T)\nprint(T.getroot(), T)\nfor e in T.iter(): print(e.tag)\nET.dump(T)", dump + "sys.stderr = f\nf = E.dump\nf(e)", dump + "sys.stdout = f\nprint(E.tostring(e))", tree + "def f(t): return t.getroot()\nf(T)", "import xml.etree.ElementTree as ET\ndef f():\n    return ET.parse('a.xml')\ntree = f()\ntree.getroot()",
		tree + "assert T, 'a'\nif T is None or isinstance(T, ET.ElementTree): pass", tree + "class C:\n    def __eq__(self, o): return o\nT == None\n'a' == C()",
		config + "C['a'] = {'b': 'c'}\nprint('a' in C, dict(C['a']), len(C), list(C), *[s for s in C])", config + "with open('a.ini', 'w') as f: C.write(f)", config + "def f(c: configparser.ConfigParser) -> configparser.ConfigParser: return c\nf(C).get('a', 'b')",
		"import configparser\nclass A(configparser.ConfigParser):\n    def optionxform(self, s): return s\nA().read_string('')",
	} {
		f := analyzetest.Facts(t, Reader(), code)
		for _, name := range f.Names {
			if name == xmlTree+".write" || name == configParser+".read" {
				t.Errorf("%s is seen:\n%s", name, code)
			}
		}
	}
}

// TestPythonFormatters holds that what formats the records of logging is a formatter, and no text
// whose fields lead on.
func TestPythonFormatters(t *testing.T) {
	t.Parallel()
	const handler, text = "import logging\nh = logging.StreamHandler()\n", "'{0.__init__.__globals__}'"
	for _, code := range []string{
		handler + "h.setFormatter(" + text + ")", handler + "h.setFormatter(fmt=" + text + ")", handler + "h.setFormatter(input())", handler + "import collections\nh.setFormatter(collections.UserString('a'))", handler + "h.formatter = " + text, handler + "h.formatter = input()",
		handler + "setattr(h, 'formatter', input())", handler + "class H(logging.StreamHandler):\n    formatter = " + text, handler + "class M:\n    formatter = input()\nclass H(M, logging.StreamHandler): pass", handler + "class H(logging.StreamHandler):\n    @property\n    def formatter(self): return a",
		handler + "list(map(h.setFormatter, a))", handler + "f = h.setFormatter", handler + "getattr(h, 'setFormatter')(a)", handler + "logging.Handler.setFormatter(h, " + text + ")", handler + "logging.BufferingFormatter(" + text + ")", handler + "logging.BufferingFormatter(linefmt=input())",
		handler + "class F(logging.Formatter):\n    def __new__(cls): return a\nh.setFormatter(F())", handler + "class M(type):\n    def __call__(cls): return a\nclass F(logging.Formatter, metaclass=M): pass\nh.setFormatter(F())", handler + "class F(str): pass\nh.setFormatter(F(a))",
		handler + "f = logging.Formatter()\nf = input()\nh.setFormatter(f)", handler + "h.setFormatter(*a)",
	} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Dynamic[analyze.DynamicTemplate])+len(f.Dynamic[analyze.DynamicFormat]) == 0 {
			t.Errorf("not reported:\n%s", code)
		}
	}
	accusesNone(t,
		handler+"h.setFormatter(logging.Formatter('%(message)s'))\nh.setFormatter(None)",
		handler+"class F(logging.Formatter):\n    def format(self, record): return record.getMessage()\nf = F('%(message)s')\nh.setFormatter(fmt=f)",
		handler+"def f(formatter): h.setFormatter(formatter)\nf(logging.Formatter())",
		"import logging\nclass A:\n    def __init__(self, formatter): self.formatter = formatter\n    def show(self): return self.formatter.render()",
		"class A:\n    def setFormatter(self, f): self.f = f\nA().setFormatter('a')",
	)
}

// TestPythonSignatures holds that a class has no text that inspect takes for how it is called, and
// evaluates.
func TestPythonSignatures(t *testing.T) {
	t.Parallel()
	const text = `"B(x=sys.executable)\n--\n\n"`
	for _, code := range []string{
		"class B:\n    " + text, "class B:\n    __doc__ = " + text, "class B:\n    __doc__ = ''.join(['B(x=sys.executable)\\n-', '-\\n\\n'])", "class B:\n    __doc__ = input()", "type('B', (), {'__doc__': input()})", "class B:\n    __doc__ = 'B(' + input()",
		"class B:\n    __signature__ = '(x=sys.executable)'", "class M(type):\n    __text_signature__ = '(x=sys.executable)'", "class B:\n    '''B(x=sys.executable)\n--\n\n'''",
	} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Dynamic[analyze.DynamicCode]) == 0 {
			t.Errorf("not reported:\n%s", code)
		}
	}
	accusesNone(t, "class B:\n    '''B(x)\n\n    --\n\n    A class.'''", "class B:\n    __doc__ = 'A class.'", "def f():\n    'f(x)'\ndef g(): pass\ng.__doc__ = f.__doc__")
}

// TestPythonFramesOfLoops holds that what an event loop tells of an exception counts for what shows
// lines of files.
func TestPythonFramesOfLoops(t *testing.T) {
	t.Parallel()
	const shows = "\n        for x in c['source_traceback']: x.filename = 'a'\n"
	for _, code := range []string{
		"import asyncio\nasync def m():\n    def f(l, c):" + shows + "    asyncio.get_running_loop().set_exception_handler(f)", "import asyncio\ndef m(loop):\n    def f(l, c):" + shows + "    loop.set_exception_handler(f)",
		"import asyncio\nclass L(asyncio.SelectorEventLoop):\n    def call_exception_handler(self, c):" + shows,
	} {
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "traceback.FrameSummary.filename") {
			t.Errorf("not seen:\n%s", code)
		}
	}
	if f := analyzetest.Facts(t, Reader(), "import asyncio\nclass A:\n    def __init__(self, n): self.filename = n\nasync def m(): print(A('a').filename)\nasyncio.run(m())"); slices.Contains(f.Names, "traceback.FrameSummary.filename") {
		t.Error("a file name of the program's own counts for one of a frame")
	}
}

// TestPythonTuplesAsKeys holds that what stands between brackets with others is part of a
// tuple, which whoever asks for the keys has.
func TestPythonTuplesAsKeys(t *testing.T) {
	t.Parallel()
	leads(t, [][2]string{
		{"d = {}\nd[K:1, 2] = 0", "[*d][0][0].start"}, {"d = {}\nd[K:1] = 0", "[*d][0].start"}, {"d = {}\nd[0, 1:K] = 0", "[*d][0][1].stop"},
		{"class D:\n    def __getitem__(self, k): D.k = k\nD()[1:2, K:3]", "D.k[1].start"}, {"class D:\n    def __setitem__(self, k, v): D.k = k\nD()[K:3, 1] = 0", "D.k[0].start"},
	})
	for _, code := range []string{
		"d = {}\nd['__globals__', 'a'] = 1\nfor k in d: getattr(f, k[0])", "d = {'a': '__name__', ('a',): '__globals__'}\ngetattr(f, d[*'a'])",
	} {
		if facts := analyzetest.Facts(t, Reader(), "def f(): pass\n"+code+"\n"); !reported(facts) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	accusesNone(t, "d = {}\nd[1, 'a'] = 2\nfor k in d: print(k[0], d[k])", "import json\nrows = [[1, 2], [3]]\nprint(rows[0][0:1], rows[-1], json.dumps(rows[::2]))")
}

// TestPythonYieldsFrom holds that what a generator gives of another thing is seen however its two
// words are set apart, and that a comment is none of them.
func TestPythonYieldsFrom(t *testing.T) {
	t.Parallel()
	for yields, want := range map[string]bool{
		"yield from {§: 1}": true, "yield\tfrom {§: 1}": true, "yield \\\n        from {§: 1}": true, "(yield # c\n    from {§: 1})": true,
		"(yield # from\n    {§: 1})": false,
	} {
		code := "import pathlib\ndef g():\n    " + strings.ReplaceAll(yields, "§", "pathlib.Path('a')") + "\nfor p in g(): print(p.home())\n"
		if got := slices.Contains(analyzetest.Facts(t, Reader(), code).Names, "pathlib.Path.home"); got != want {
			t.Errorf("a path is asked for the home directory: %v, want %v, in:\n%s", got, want, code)
		}
	}
}
