package python

import (
	"strings"
	"testing"
)

// TestPythonNamesPutTogether holds that what the program answers where the library puts a text before a name is seen:
// the name of a class that is visited or shown, and of a converter.
func TestPythonNamesPutTogether(t *testing.T) {
	t.Parallel()
	const answer = "class S(str):\n    def __radd__(self, o): return input()\n"
	const named = "class N(str): pass\nN.__name__ = S('x')\ndef f(): pass\nf.generic_visit = None\n"
	for _, way := range []string{
		"import ast\nast.NodeVisitor.visit(f, N('a'))", "import ast as a\nclass V(a.NodeVisitor): pass\nV().visit(N('a'))", "from ast import *\nlist(map(NodeVisitor.visit, [f], [N('a')]))",
		"from ast import NodeTransformer as T\nT().visit(N('a'))", "import ast\nast.unparse(N('a'))", "import reprlib\nreprlib.Repr().repr1(N('a'), f)", "from reprlib import aRepr\naRepr.repr1(N('a'), f)",
		"import reprlib\nreprlib.repr(N('a'))",
	} {
		reports(t, answer+named+way)
	}
	const visit = "\nimport ast\nast.NodeVisitor().visit(N('a'))"
	reports(t,
		"class S(str): pass\nS.__radd__ = lambda self, o: input()\n"+named+visit,
		"S = type('S', (str,), {'__radd__': lambda self, o: input()})\n"+named+visit,
		"class R:\n    def __radd__(self, o): return input()\nclass S(R, str): pass\n"+named+visit,
		"class S([int, str][1]):\n    def __radd__(self, o): return input()\n"+named+visit,
		"import collections\nclass S(collections.UserString, str):\n    def __new__(c, x): return str.__new__(c, input())\n"+named+visit,
		"import collections\nclass S(collections.UserList, str):\n    def __new__(c, x): return str.__new__(c, input())\n"+named+visit,
		"import collections\nS = type('S', (collections.UserString, str), {'__new__': lambda c, x: str.__new__(c, input())})\n"+named+visit,
		answer+"N = type(S('x'), (str,), {})"+visit,
		"class S:\n    def __radd__(self, o): return input()\nclass M(type): __name__ = S()\nclass N(str, metaclass=M): pass"+visit,
		"class S:\n    def __radd__(self, o): return input()\nclass M(type):\n    @property\n    def __name__(c): return S()\nclass N(str, metaclass=M): pass"+visit,
	)
	const converters = "def f(): pass\nf.converters = [S('a')]\nimport configparser\n"
	for _, way := range []string{
		"configparser.SectionProxy(f, 'a')", "list(map(configparser.SectionProxy, [f], ['a']))", "class P(configparser.SectionProxy): pass\nP(f, 'a')", "from configparser import SectionProxy as P\nP(f, 'a')",
	} {
		reports(t, answer+converters+way)
	}
	for _, way := range []string{
		"configparser.ConfigParser(converters={S('a'): print})", "configparser.RawConfigParser(**{input(): {S('a'): print}})", "p = configparser.ConfigParser()\np.converters[S('a')] = print",
		"class P(configparser.ConfigParser): converters = [S('a')]\nP()", "class P(configparser.ConfigParser):\n    def __init__(self): super().__init__(converters={S('a'): print})\nP()",
		"p = configparser.ConfigParser()\nmatch p:\n    case object(converters=c): c[S('a')] = print",
	} {
		reports(t, answer+"import configparser\n"+way)
	}
	reports(t, "class S(str):\n    def __rmod__(self, o): return input()\nimport argparse\nargparse.ArgumentParser(conflict_handler=S('a'))")
	const sum = "class Money:\n    def __init__(self, n): self.n = n\n    def __radd__(self, o): return self\n    def __add__(self, o): return self\n"
	accusesNone(t,
		sum+"import ast\nclass V(ast.NodeVisitor):\n    def visit_Name(self, n): print(n.id)\nV().visit(ast.parse('a'))\nprint(sum([Money(1)]))",
		sum+"import configparser\np = configparser.ConfigParser()\np['a'] = {'b': '1'}\nprint(p['a']['b'], sum([Money(1)]))",
		sum+"import statistics, reprlib\nprint(statistics.mean([1, 2]), reprlib.repr([1]), sum([Money(1)]))",
		"import ast, enum\nclass Kind(str, enum.Enum): A = 'a'\nclass V(ast.NodeVisitor):\n    def generic_visit(self, n): super().generic_visit(n)\nV().visit(ast.parse('a'))",
		"import configparser\np = configparser.ConfigParser(converters={'list': lambda s: s.split(',')})\np.read_string('[a]\\nb=1,2')\nprint(p['a'].getlist('b'))",
		"import collections, ast, enum, configparser, argparse\nargparse.ArgumentParser()\nclass T(collections.UserString): pass\nclass K(str, enum.Enum): A = 'a'\nclass V(ast.NodeVisitor): pass\nV().visit(ast.parse('a'))\nconfigparser.ConfigParser(converters={'k': K})",
		"import collections, ast\nclass T(collections.UserString): pass\nprint('a' + T('b'), ast.unparse(ast.parse('1')))",
	)
}

// TestPythonClassOfElement holds that the class of what the library counts together is seen: it is called with the result.
func TestPythonClassOfElement(t *testing.T) {
	t.Parallel()
	const sum = "thing = open('a')\nclass N:\n    def __radd__(self, o): return self\n    def is_finite(self): return False\n    def __truediv__(self, n): return thing\n"
	for _, way := range []string{
		"class A: as_integer_ratio = staticmethod(lambda: (N(), None))\nimport statistics\nstatistics.mean([A])", "class A: numerator, denominator = N(), None\nfrom statistics import mean as m\nm([A])",
		"thing.as_integer_ratio = lambda: (N(), None)\nimport statistics\nlist(map(statistics.pvariance, [[thing]]))", "class A: pass\nsetattr(A, 'as_integer_ratio', lambda: (N(), None))\nfrom statistics import *\nharmonic_mean([A])",
		"import types, functools, statistics\nfunctools.update_wrapper(thing, types.SimpleNamespace(**{input(): lambda: (N(), None)}))\nstatistics.mean([thing])",
	} {
		reports(t, sum+way)
	}
	reports(t, "thing = open('a')\nimport collections, statistics\nclass N(collections.UserString):\n    def is_finite(self): return False\n    def __truediv__(self, n): return thing\nclass A: as_integer_ratio = staticmethod(lambda: (N('a'), None))\nstatistics.mean([A])")
	accusesNone(t, "class V:\n    def __radd__(self, o): return o\nimport statistics, fractions\nprint(statistics.mean([fractions.Fraction(1, 2), 0.5]), statistics.mean([1, 2]).as_integer_ratio(), fractions.Fraction(1, 2).denominator)",
		"class R:\n    def as_integer_ratio(self): return 1, 2\nimport statistics\nprint(statistics.mean([R(), R()]))")
}

// TestPythonClassOfWhatHappened holds that the class of what an event loop is told has happened is seen: handlers of
// logging are given it.
func TestPythonClassOfWhatHappened(t *testing.T) {
	t.Parallel()
	const told = "import asyncio, logging\nthing = open('a')\nG = []\nclass A(Exception): pass\nclass F(logging.Formatter):\n    def formatException(self, e): G.append(e)\n"
	const use = "\nG[0][0](thing)(input())\n"
	for _, way := range []string{
		"asyncio.new_event_loop().call_exception_handler({'exception': A})", "asyncio.Runner().get_loop().default_exception_handler({'exception': A})", "h = asyncio.new_event_loop().call_exception_handler\nh({'exception': A})",
		"match asyncio.new_event_loop():\n    case object(call_exception_handler=h): h({'exception': A})", "class L(asyncio.SelectorEventLoop):\n    def go(self): super().default_exception_handler({'exception': A})\nL().go()",
	} {
		reports(t, told+way+use)
	}
	accusesNone(t, "import asyncio\nasync def main():\n    try: print(1)\n    except OSError as e: asyncio.get_running_loop().call_exception_handler({'message': 'a', 'exception': e})\nasyncio.run(main())")
}

// TestPythonClassOfEnd holds that the class of what an exit stack is told of is seen: what it calls is told, from CPython
// 3.12 on.
func TestPythonClassOfEnd(t *testing.T) {
	t.Parallel()
	const stack = "import contextlib\nthing = open('a')\nG = []\nclass A(Exception): pass\ns = contextlib.ExitStack()\ns.push(lambda t, v, b: G.append(t))\n"
	const use = "\nG[0](thing)(input())\n"
	for _, way := range []string{
		"s.__exit__(None, A, None)", "def go(x, *a): x.__exit__(*a)\ngo(s, None, A, None)", "s.__exit__(None, exc=A, tb=None)",
		"class W:\n    def __enter__(self): pass\n    def __exit__(self, t, v, b): s.__exit__(t, v, b)\nW().__exit__(None, A, None)", "class W:\n    def __exit__(self, t, v, b):\n        v = A\n        s.__exit__(t, v, b)",
		"async def main():\n    await contextlib.AsyncExitStack().__aexit__(None, A, None)", "async def main():\n    await contextlib.AsyncExitStack.__aexit__(contextlib.AsyncExitStack(), None, A, None)", "async def main():\n    end = contextlib.AsyncExitStack().__aexit__\n    await end(None, A, None)",
		"class W:\n    def __exit__(self, t=None, v=A, b=None): s.__exit__(t, v, b)\nW().__exit__()", "class W:\n    def __exit__(self, *a): s.__exit__(*a)\n    end = __exit__\nW().end(None, A, None)",
		"def d(f):\n    G.append(f)\n    return f\nclass W:\n    @d\n    def __exit__(self, t, v, b): s.__exit__(t, v, b)\nG.pop()(W(), None, A, None)",
		"class S(contextlib.ExitStack):\n    def end(self): super().__exit__(None, A, None)\nS().end()",
	} {
		reports(t, stack+way+use)
	}
	accusesNone(t,
		"import contextlib\nclass W:\n    def __enter__(self):\n        self.s = contextlib.ExitStack()\n        return self\n    def __exit__(self, *end): return self.s.__exit__(*end)\nwith W() as w: print([f(1) for f in (str, print)])",
		"import contextlib\nclass W:\n    def __exit__(self, t, v, b):\n        self.s.__exit__(t, v, b)\n        self.s.__exit__(None, None, None)\n    async def __aexit__(self, t, v, b): await self.s.__aexit__(t, v, b)\nprint([f(1) for f in (str, print)])",
		"import contextlib\nclass B:\n    def __exit__(self, t, v, b): return self.s.__exit__(t, v, b)\nclass W(B):\n    def __exit__(self, *end):\n        print(1)\n        return super().__exit__(*end)\ndef stop(other): other.__exit__(None, None, None)\nprint([f(1) for f in (str, print)])",
		"import contextlib\ndef run(s):\n    try: print(s)\n    except OSError as e: s.__exit__(type(e), e, e.__traceback__)\nprint([f(1) for f in (str, print)])",
	)
}

// TestPythonMethodsInPatterns holds that a method which a pattern of a class captures is seen as one that is read aside.
func TestPythonMethodsInPatterns(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		"import argparse, copy\nX = argparse.ArgumentParser()\nMATCH add_argument\nQ(input(), type=lambda s: print)\ncopy.copy(X)", "import argparse\nX = argparse.ArgumentParser()\ndef f(): pass\nMATCH parse_args\nQ([], f)",
		"import functools\n@functools.singledispatch\ndef X(x): pass\ndef g(x): pass\ng.__annotations__ = {'x': 'print(1)'}\nMATCH register\nQ(g)", "X = '{.__globals__}'\ndef f(): pass\nMATCH format\nprint(Q(f))",
		"import asyncio\nX = asyncio.new_event_loop()\nMATCH call_exception_handler\nQ({'exception': 1})", "import unittest\nX = unittest.TestCase()\nthing = open('a')\nG = []\nMATCH addTypeEqualityFunc\nQ(G, print)\nG[0](thing)",
	} {
		start, name, _ := strings.Cut(way, "MATCH ")
		name, rest, _ := strings.Cut(name, "\n")
		for _, pattern := range []string{"match X:\n    case object(NAME=Q): pass\n", "match X:\n    case int(NAME=Q) | object(NAME=Q): pass\n", "match [X]:\n    case [object(NAME=_ as q)] if (Q := q): pass\n"} {
			reports(t, start+strings.ReplaceAll(pattern, "NAME", name)+rest)
		}
	}
	accusesNone(t, "class P:\n    x = 1\n    register = 2\nmatch P():\n    case P(x=1, register=r): print(r)")
}
