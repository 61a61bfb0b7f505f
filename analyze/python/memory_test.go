package python

import "testing"

// TestPythonMemory holds that a program is seen that has the library ask an object of its own
// for something, in the midst of what it does to memory.
func TestPythonMemory(t *testing.T) {
	t.Parallel()
	const empties = "def f(self):\n    del a[:]\n    return 0\n"
	for _, way := range []string{
		"class E:\n    def __index__(self):\n        del a[:]\n        return 0\n",
		"class E:\n    def __float__(self):\n        del a[:]\n        return 0.0\n",
		"class E:\n    pass\n" + empties + "E.__index__ = f\n",
		"class E:\n    pass\n" + empties + "setattr(E, '__ind' + 'ex__', f)\n",
		empties + "E = type('E', (), {'__index__': f})\n",
		empties + "E = type('E', (), dict(__index__=f))\n",
		empties + "class E:\n    __index__ = f\n",
		empties + "class E:\n    vars()['__index__'] = f\n",
		"class E:\n    for __index__ in [lambda self: a.pop()]: pass\n",
		"import types\n" + empties + "E = types.new_class('E', (), {}, lambda d: d.update(__index__=f))\n",
		"import dataclasses\n" + empties + "E = dataclasses.make_dataclass('E', [], namespace={'__index__': f})\n",
	} {
		reports(t,
			"import array\na = array.array('Q', [1, 2])\n"+way+"a[0] = E()\n",
			"from array import array as g\na = g('Q', [1, 2])\n"+way+"a.append(E())\n",
			"import array, queue\nq = queue.Queue()\nq.put(array)\na = q.get().array('Q', [1, 2])\n"+way+"a.insert(0, E())\n",
			"a = bytearray(8)\n"+way+"a[0] = E()\n",
			"b = bytearray(8)\na = memoryview(b)\n"+way+"a[0] = E()\n")
	}
	const mocks = "from unittest.mock import MagicMock\nE = MagicMock()\nE.__index__.side_effect = lambda: a.pop()\n"
	reports(t, "import array\na = array.array('Q', [1, 2])\n"+mocks+"a[0] = E", mocks+"from array import *\na = array('Q', [1, 2])\na[0] = E")
	const keep, use = "held = []\ndef f(self, b):\n    held.append(b)\n    return 0\n", "\nio.BufferedReader(R()).read(1)\nio.BufferedWriter(R()).write(b'a')\n"
	reports(t,
		"import io\n"+keep+"class R(io.RawIOBase):\n    readinto = f"+use,
		"import io\nheld = []\nclass R:\n    closed = False\n    def write(self, b): held.append(b)"+use,
		"from io import BufferedRWPair as P\n"+keep+"class R: pass\nR.readinto = f\nP(R(), R())",
		"import io, types\n"+keep+"R = lambda: types.SimpleNamespace(readinto=lambda b: f(0, b))"+use,
		"import io\n"+keep+"class R:\n    def __getattr__(self, n): return lambda b: f(0, b)"+use,
		"import io\nfrom unittest import mock\nR = mock.Mock(side_effect=print)"+use,
		"import io\nclass B(io.BufferedReader):\n    pass\nclass R(io.RawIOBase):\n    def readinto(self, b): return b\nB(R())")
	accusesNone(t,
		"import array\na = array.array('d', [1.5])\na[0] = 2.5\nprint(a.tolist(), bytearray(b'a'), memoryview(b'a')[0])",
		"class N:\n    def __index__(self): return 1\n    def __float__(self): return 1.0\nprint([1, 2][N()], float(N()), range(N()))",
		"import io\nprint(io.BufferedReader(io.BytesIO(b'a')).read())",
		"from unittest.mock import Mock\nb = bytearray(2)\nb[0] = 1\nprint(Mock(), b)",
		"import io\nclass W:\n    def write(self, text): return len(text)\nio.StringIO('a').read()\nprint('a', file=W())")
}

// TestPythonMemoryOfMethods holds that methods which stir, in the midst of what the library does,
// are seen beside what has memory in hand, and that ordinary methods are not.
func TestPythonMemoryOfMethods(t *testing.T) {
	t.Parallel()
	const start, end = "from collections import OrderedDict\nd = OrderedDict()\ndef gen():\n    d.clear()\n    yield 1\nit = gen()\ndef go(*a): d.clear()\nclass E:\n    ", "\nd[E()] = 1\nprint(d == d)\n"
	for _, method := range []string{
		"def __eq__(self, o): d.clear()", "def __eq__(self, o):\n        del d[1]", "def __eq__(self, o): return self.f()\n    def f(self): d.clear()", "def __eq__(self, o): return go()", "__eq__ = go",
		"def __eq__(self, o): return self.f\n    @property\n    def f(self): d.clear()", "def __eq__(self, o): return f'{o}' == 'a'\n    def __format__(self, s): d.clear()",
		"def __eq__(self, o): return o + 1\n    def __radd__(self, o): d.clear()", "def __eq__(self, o): return o[1]\n    def __getitem__(self, o): d.clear()", "def __eq__(self, o): return not o\n    def __bool__(self): d.clear()",
		"def __eq__(self, o): return [x for x in it]", "def __eq__(self, o): return o in it", "def __eq__(self, o): return max(it)", "def __eq__(self, o): return next(it)", "def __eq__(self, o): d.x = 1",
		"def __eq__(self, o):\n        self.x = 1\n    def __del__(self): d.clear()", "def __eq__(self, o): return self.any\n    def __getattr__(self, n): d.clear()", "__eq__ = lambda s, o: d.clear()",
		"def __eq__(self, o): return hash(o)\n    def __hash__(self): return d.clear()", "def __eq__(self, o): return self.C()\n    class C:\n        def __init__(self): d.clear()",
		"def __eq__(self, o):\n        global d\n        d = None", "def __eq__(self, o):\n        self.v = 1\n    def __setattr__(self, n, x): d.clear()",
	} {
		reports(t, start+method+end)
	}
	const wipes = "class E:\n    def __eq__(self, o): held.clear()\n    def __index__(self): return held.pop()\nheld = []\n"
	reports(t,
		wipes+"import itertools\nlist(itertools.groupby([E()]))", wipes+"import zoneinfo\nzoneinfo.ZoneInfo(E())", wipes+"import asyncio\nasyncio.Future().remove_done_callback(E())",
		wipes+"import xml.etree.ElementTree as x\nx.Element('a').remove(E())", wipes+"import struct\nstruct.Struct('Q').pack(E())",
		"import io\nclass R(io.RawIOBase):\n    def readinto(self, b): return 4096\nio.RawIOBase.read(R(), 4)")
	const copied = "from collections import OrderedDict\n"
	for _, class := range []string{
		"class O(OrderedDict):\n    def __getitem__(self, k): self.clear()\n", "class O(OrderedDict): pass\nO.__getitem__ = lambda s, k: s.clear()\n",
		"O = type('O', (OrderedDict,), {'__getitem__': lambda s, k: s.clear()})\n", "class B:\n    def __setitem__(self, k, v): self.clear()\nclass O(B, OrderedDict): pass\n",
	} {
		reports(t, copied+class+"O().copy()", copied+class+"OrderedDict.copy(O())", copied+class+"f = O().copy", copied+class+"import operator\noperator.methodcaller('copy')(O())")
	}
	const point = "class P:\n    def __init__(self, x, y): self.x, self.y = x, y\n    def key(self): return (self.x, self.y)\n    def __eq__(self, o):\n        if not isinstance(o, P):\n            return NotImplemented\n" +
		"        return self.key() == o.key()\n    def __hash__(self): return hash((self.x, self.y))\n    def __index__(self): return self.x\n"
	accusesNone(t,
		copied+point+"d = OrderedDict()\nd[P(1, 2)] = 3\nprint(d.copy() == d)", "import asyncio, itertools\n"+point+"print(list(itertools.groupby([P(1, 2)])))", "import struct\n"+point+"print(struct.pack('<I', P(1, 2)))",
		"import itertools\nclass N:\n    def __init__(self, m): self.m = m\n    def __add__(self, o): return N(self.m + o.m)\n    def __eq__(self, o): return isinstance(o, N) and self.m == o.m\nprint(list(itertools.groupby([N(1)])))",
		copied+"class Last(OrderedDict):\n    def __getitem__(self, k):\n        self.move_to_end(k)\n        return super().__getitem__(k)\nl = Last()\nl['a'] = 1\nprint(l['a'])")
}

// TestPythonMemoryOfLists holds that an assignment to every second element of a list is seen
// where what lists the new ones is the program's.
func TestPythonMemoryOfLists(t *testing.T) {
	t.Parallel()
	for _, lists := range []string{"def g():\n    l.clear()\n    yield 1\n", "class g:\n    def __iter__(self): return iter([l.clear()])\n", "g = lambda: map(lambda x: l.clear(), [1])\n", "g = lambda: (l.clear() for x in [1])\n"} {
		for _, use := range []string{"l[::2] = g()", "l[::-1] = g()", "x = g()\nl[::2] = x", "l[::2], y = g(), 1", "for l[::2] in [g()]: pass", "l[::2] = [g()][0]", "l[::2] = iter(g())", "a = l[::2] = g()"} {
			reports(t, "l = list(range(9))\n"+lists+use+"\n")
		}
	}
	accusesNone(t,
		"def sieve(n):\n    s = [True] * n\n    for i in range(2, n):\n        s[i * i :: i] = [False] * len(s[i * i :: i])\n        yield i\n",
		"def sieve(n):\n    s = bytearray(n)\n    s[4::2] = bytes(len(range(4, n, 2)))\n    yield s\n",
		"def g(): yield 1\nl = list(range(9))\nl[::2] = l[1::2] + [9]\nl[1:3] = g()\nl[::1] = g()\nl[::2] = sorted(g())\n", "l = list(range(9))\nm = input()\nl[::3] = m\n")
}

// TestPythonSignals holds that the traps and flags of a context of decimal are seen that may
// outlive it.
func TestPythonSignals(t *testing.T) {
	t.Parallel()
	const start = "import decimal\nc = decimal.Context()\ndef f():\n    global c\n    c = None\n    return decimal.Inexact\n"
	for _, way := range []string{"t = c.traps", "t = c.flags", "t = getattr(c, 'traps')", "import operator\nt = operator.attrgetter('traps')(c)", "t, = [x.traps for x in [c]]", "def g(): return c.traps",
		"match c:\n    case decimal.Context(traps=t): pass", "(t := c.traps)", "t = decimal.Context().traps.items()", "c.traps[f()] = True", "c.traps[decimal.Inexact] |= f()", "print(c.flags[(f())])",
		"class E:\n    def __bool__(self): return f()\nc.traps[decimal.Inexact] = E()"} {
		reports(t, start+way+"\n")
	}
	accusesNone(t,
		"import decimal\ndecimal.getcontext().traps[decimal.FloatOperation] = True\nwith decimal.localcontext() as c:\n    c.traps[decimal.Inexact] = False\n    print(c.flags[decimal.Inexact])\nprint(decimal.getcontext().flags)",
		"from decimal import Decimal\nclass M:\n    def __init__(self): self.flags = []\n    def add(self, f): return self.flags + [f]\n", "import re\nt = re.compile('a').flags")
}
