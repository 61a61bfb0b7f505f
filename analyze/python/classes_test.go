package python

import (
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// reports holds that each of some programs is reported.
func reports(t *testing.T, programs ...string) {
	t.Helper()
	for _, code := range programs {
		if f := analyzetest.Facts(t, Reader(), code); !reported(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
}

// accusesNone holds that none of some programs is reported.
func accusesNone(t *testing.T, programs ...string) {
	t.Helper()
	for _, code := range programs {
		if f := analyzetest.Facts(t, Reader(), code); reported(f) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}

// TestPythonFlowsOfClasses holds that what tells the class of an object is seen wherever a
// program takes it before it is called.
func TestPythonFlowsOfClasses(t *testing.T) {
	t.Parallel()
	for _, way := range flows(t) {
		fill := strings.NewReplacer("{v}", "type", "{n}", "1")
		reports(t, "thing = open('a')\n"+fill.Replace(way.statements)+"\nprint(("+fill.Replace(way.expression)+")(thing)(input()))\n")
	}
}

// TestPythonClassesGiven holds that the class of an object is seen where the interpreter or
// the library gives it to the program.
func TestPythonClassesGiven(t *testing.T) {
	t.Parallel()
	const held, use = "G = []\nthing = open('a')\n", "\nprint(G[0](input()))\n"
	for _, way := range []string{
		"import abc\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, C):\n        G.append(C)\n        return False\nisinstance(thing, A)",
		"import abc\nclass A(abc.ABC):\n    __subclasshook__ = classmethod(lambda cls, C: G.append(C))\nisinstance(thing, A)",
		"import abc\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(*a): G.extend(a)\nisinstance(thing, A)",
		"import abc\nclass M(abc.ABCMeta):\n    __subclasscheck__ = G.append\nclass A(metaclass=M): pass\nisinstance(thing, A)",
		"import abc\nclass M(abc.ABCMeta):\n    def __subclasscheck__(cls, C): G.append(C)\nclass A(metaclass=M): pass\nmatch thing:\n    case A(): pass",
		"import functools\nclass M(type):\n    def __subclasscheck__(cls, C): G.append(C)\nclass A(metaclass=M): pass\n@functools.singledispatch\ndef f(x): pass\nf.register(A, print)\nf(thing)",
		"import abc\nA = abc.ABCMeta('A', (), {'__subclasshook__': classmethod(lambda cls, C: G.append(C))})\nisinstance(thing, A)",
		"import functools\nclass D:\n    def dispatch(self, C): G.append(C)\ns = functools.singledispatchmethod(print)\ns.dispatcher = D()",
		"import types\nG.append(types.prepare_class('A', (thing,))[0])",
		"from types import prepare_class as p\nG.extend(map(p, ['A'], [(thing,)]))",
		"import io\nio.BufferedIOBase.a = classmethod(lambda cls: G.append(cls))",
		"import io\nclass D:\n    def __get__(self, o, C): G.append(C)\nio.BufferedIOBase.a = D()",
		"import typing\nG.append(typing.get_origin(typing.Type[int])(thing))",
		"import typing\nG.append(typing.get_args(typing.Annotated[int, type(thing)])[1])",
		"def f(a: type(thing)): pass\nG.append(f.__annotations__['a'])",
		"class A:\n    def __class_getitem__(cls, C): G.append(C)\nA[type(thing)]",
		"import collections\nd = collections.defaultdict(int)\nd[type(thing)] += 1\nG.extend(d)",
		"import statistics\nclass M(type):\n    def __eq__(cls, C): G.append(C)\nclass A(metaclass=M):\n    def as_integer_ratio(self): return 1, 1\nstatistics.mean([A(), thing])",
		"class N:\n    def __ne__(cls, C): G.append(C)\nclass M(N, type): pass\nclass A(metaclass=M): pass\nthing.__class__ != A",
		"import abc\nclass M(abc.ABCMeta):\n    __eq__ = lambda cls, C: G.append(C)\n    def __hash__(cls): return hash(type(thing))\nclass A(metaclass=M): pass\nisinstance(thing, A)",
		"class M(type):\n    @property\n    def __eq__(cls): return lambda C: G.append(C)\nclass A(metaclass=M): pass\ntype(thing) == A",
		"class M(type): pass\nM.__eq__ = lambda cls, C: G.append(C)\nclass A(metaclass=M): pass\nimport functools\n@functools.singledispatch\ndef f(x): pass\nf.register(A, print)\nf(thing)",
		"M = type('M', (type,), {'__eq__': lambda cls, C: G.append(C)})\nclass A(metaclass=M): pass\nimport functools\n@functools.singledispatch\ndef f(x): pass\nf.register(A, print)\nf(thing)",
		"import unittest\nclass K:\n    def __hash__(self): return hash(type(thing))\n    def __eq__(self, C): G.append(C)\nt = unittest.TestCase()\nt.addTypeEqualityFunc(K(), print)\nt.assertEqual(thing, thing)",
		"import unittest\nclass K:\n    def __eq__(self, C): G.append(C)\nt = unittest.TestCase()\nadd = t.addTypeEqualityFunc\nadd(K(), print)\nt.assertEqual(thing, thing)",
		"import functools\ndef f(a): pass\nf.dispatch = lambda C: G.append(C)\nclass A: m = functools.singledispatchmethod(f)\nA().m(thing)",
		"import functools\ndef f(a): pass\nsetattr(f, 'dispatch', G.append)\nclass A: m = functools.singledispatchmethod(f)\nA().m(thing)",
		"import functools\ns = functools.singledispatchmethod(print)\ns.dispatcher.dispatch = G.append\nclass A: m = s\nA().m(thing)",
		"import functools\nclass K:\n    def __call__(self, a): pass\n    def dispatch(self, C): G.append(C)\nclass A: m = functools.singledispatchmethod(K())\nA().m(thing)",
		"import functools, types\nclass K(types.SimpleNamespace):\n    def __call__(self, a): pass\nclass A: m = functools.singledispatchmethod(K(dispatch=G.append))\nA().m(thing)",
		"import functools, types\ndef f(a): pass\nfunctools.update_wrapper(f, types.SimpleNamespace(**{input(): G.append}))\nclass A: m = functools.singledispatchmethod(f)\nA().m(thing)",
	} {
		reports(t, held+way+use)
	}
	accusesNone(t,
		"import functools\nclass Bus:\n    def __init__(self):\n        self.known, self.dispatch_table = {}, {}\n    def dispatch(self, event):\n        for f in self.known.get(event, []): f(event)\nclass A:\n    @functools.singledispatchmethod\n    def m(self, x): return x\n    @m.register\n    def _(self, x: int): return -x\nBus().dispatch('a')\nprint(A().m(1))",
		"class M(type):\n    def __eq__(cls, other): return isinstance(other, M) and cls.__name__ == other.__name__\n    def __hash__(cls): return hash(cls.__name__)\nclass A(metaclass=M): pass\nprint(A == int, [f(1) for f in (str, print)])",
		"import unittest\nclass A: pass\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.addTypeEqualityFunc(A, self.same)\n        self.addTypeEqualityFunc(str, 'assertMultiLineEqual')\n    def same(self, a, b, msg=None): print(a, b)",
		"import abc\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, C):\n        return hasattr(C, 'quack')\nprint(isinstance(input(), A), print('a'))",
		"def same(a, b): return type(a) is type(b) and isinstance(a, type)\nprint(same(1, 2), list(map(type, [1, 'a'])), type(input()).__name__)",
		"import typing\ndef make(of: typing.Type[int], other: type = None) -> type: return of\nprint(make(int)('1'))",
		"names = {int: 'a', str: 'b'}\nprint(names[type(input())], names.get(type(1)))",
		"import json, unittest\nclass T(unittest.TestCase):\n    maxDiff = None\nunittest.TestCase.maxDiff = None\njson.JSONEncoder.default = lambda self, x: str(x)\nprint(input().upper().replace('a', 'b'))",
		"class Loop:\n    def __init__(self, d): self.dispatcher = d\nprint(Loop(print).dispatcher('a'))",
	)
}

// TestPythonRemakes holds that methods which make another object of the class of what they are
// given are seen, whoever has their own class.
func TestPythonRemakes(t *testing.T) {
	t.Parallel()
	const held = "import collections, sys\nraw = sys.stdin.buffer.raw\nraw.data = input()\n"
	for _, way := range []string{
		"collections.UserList.__mul__(raw, 1)", "collections.UserList.__getitem__(raw, slice(9))", "collections.UserDict.__or__(raw, {})", "collections.UserString.__mod__(raw, ())", "m = collections.UserList.__add__",
		"[collections.UserList][0].__mul__(raw, 1)", "type(collections.UserList()).__mul__(raw, 1)", "collections.UserList().__class__.__mul__(raw, 1)", "class L(collections.UserList): pass\nL.__mul__(raw, 1)",
		"import enum\nenum.property.setter(raw, 'w')", "import enum\nf = enum.property.getter", "import enum\nenum.Flag.__or__(raw, raw)", "import enum\nclass F(enum.IntFlag): A = 1\nF.__xor__(raw, raw)", "import enum\nf = [enum.Flag][0].__and__",
		"class L(collections.ChainMap):\n    def child(self, m): return collections.ChainMap.new_child(self, m)\nL.child(raw, input())", "class L(collections.ChainMap):\n    def child(self, m): return collections.ChainMap.new_child(self, m)\nraw.child = L.child\nm = raw.child\nm(raw, input())",
		"import enum\nclass F(enum.Flag):\n    def both(self, o): return enum.Flag.__or__(self, o)\nlist(map(F.both, [raw], [raw]))", "import types\nclass P(types.DynamicClassAttribute):\n    def again(self, f): return types.DynamicClassAttribute.setter(self, f)\nP.again(raw, 'w')", "import pathlib\npathlib.PurePath.with_segments(raw, input())", "import pathlib\ntype(pathlib.PurePath()).with_segments(raw, input())", "import pathlib\nclass P(pathlib.Path): pass\nP.with_segments(raw, input())",
		"import pathlib\np = pathlib.Path('a.txt')\np.__init__(input())",
	} {
		reports(t, held+way)
	}
	accusesNone(t,
		"import collections\nclass L(collections.UserList):\n    def __add__(self, other): return super().__add__(other)\n    def __getitem__(self, k): return collections.UserList.__getitem__(self, k)\nL([1])[0]",
		"import collections\nKINDS = (list, collections.UserList)\ndef f(x): return isinstance(x, KINDS) and x.copy()",
		"import enum\nclass F(enum.Flag):\n    A = 1\n    B = 2\n    def __or__(self, other): return super().__or__(other)\n    @enum.property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): pass\nprint(F.A | F.B, F.A & ~F.B, F.A.x)",
		"import pathlib\nprint(pathlib.Path('a').joinpath('b'), pathlib.Path.cwd())",
	)
}
