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

// TestPythonMemoryOfStillMethods holds that a method does not count as still which asks, by way of
// the library, for something that stirs.
func TestPythonMemoryOfStillMethods(t *testing.T) {
	t.Parallel()
	const start, end = "from collections import OrderedDict\nd = OrderedDict()\ndef act(*a): d.clear()\nclass W:\n    def write(self, s): act()\nclass Z:\n    def __set_name__(self, o, n): act()\nclass B:\n    def __init_subclass__(c): act()\n" +
		"class P:\n    @property\n    def z(self): return act()\n", "\nclass K:\n    def __hash__(self): return 1\n    def __eq__(self, o): return "
	const zone = "import datetime\nclass T(datetime.tzinfo):\n    def utcoffset(self, d): act()\nq = datetime.datetime(2020, 1, 1, tzinfo=T())"
	const fraction = "import fractions\nclass F(fractions.Fraction):\n    @property\n    def numerator(self): return act()\nq = F(1, 2)"
	for _, row := range [][2]string{
		{"", "type('T', (B,), {})"}, {"", "type('T', (), {'a': Z()})"}, {"w = W()", "print('', file=w)"}, {"w = W()", "print('', flush=True)"},
		{"import contextlib\nwith contextlib.redirect_stdout(W()): pass", "print('')"}, {"import sys\nsys.stdout = W()", "print('')"},
		{zone, "q == q"}, {zone, "q - q"}, {zone, "str(q)"}, {zone, "q.isoformat()"}, {fraction, "float(q)"}, {fraction, "q + 1"},
		{"import functools\nq = functools.cmp_to_key(act)(1)", "q < q"}, {"import typing\n@typing.runtime_checkable\nclass R(typing.Protocol):\n    z: int\nq = P()", "isinstance(q, R)"},
		{"import collections\nclass M(collections.UserDict):\n    def __missing__(self, k): act()\nq = M()", "q.get(5)"},
	} {
		reports(t, start+row[0]+end+row[1]+"\nd[K()] = 1\n")
	}
	accusesNone(t,
		"import datetime\nfrom collections import OrderedDict, deque\nclass T(datetime.tzinfo):\n    def utcoffset(self, d): return datetime.timedelta(hours=1)\n    def tzname(self, d): return 'T'\nq = deque([datetime.datetime(2020, 1, 1, tzinfo=T())])\nprint(q, OrderedDict())",
		"from collections import deque\nfrom functools import cmp_to_key\ndef order(a, b): return a - b\nclass P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, o): return isinstance(o, P) and self.x == o.x\nprint(sorted(deque([1]), key=cmp_to_key(order)), P(1))")
}

// TestPythonMemoryOfMore holds that what strict does not let pass for the sake of the
// interpreter's memory is seen, and that what is like it, and ordinary, is not.
func TestPythonMemoryOfMore(t *testing.T) {
	t.Parallel()
	const wipes = "held = []\nclass E:\n    def __eq__(self, o): held.clear()\n    def __next__(self): return next(held[0])\n    def __iter__(self): return self\n    def __add__(self, o): held.clear()\n    def write(self, b): held.clear()\n    def __repr__(self): return held.pop()\n" +
		"    def __getstate__(self): held.clear()\n"
	reports(t,
		wipes+"import contextvars\nprint(contextvars.Context() == contextvars.Context())", wipes+"from collections import deque\ndeque([E()]).index(E())", wipes+"iter(E(), 1)",
		wipes+"import itertools\nz = itertools.zip_longest(E())", wipes+"import itertools\nz = itertools.accumulate(E())", wipes+"import itertools\nz = itertools.chain.from_iterable(E())", wipes+"import csv\nr = csv.reader(E())",
		wipes+"import io\nio.TextIOWrapper(E())", wipes+"b = bytearray(b'%a')\nprint(b % E())", wipes+"b = bytearray(b'%a')\nprint((b # c\n  % E()))", wipes+"import xml.etree.ElementTree as x\nx.Element('a')",
		"import asyncio\nclass L(asyncio.BaseEventLoop):\n    def get_debug(self): return held.pop()\nasyncio.Future(loop=L())",
		"import array, fractions\nclass F(fractions.Fraction):\n    @property\n    def denominator(self): return a.pop()\na = array.array('d', [1.0])\na[0] = F(1, 2)",
		"import array, numbers\nclass N(numbers.Integral):\n    def __int__(self): return a.pop()\na = array.array('i', [1])\na[0] = N()",
		"import functools\nk = functools.cmp_to_key(divmod)(1)\nk.obj = None", "import functools\nK = functools.cmp_to_key(divmod)\nsetattr(K(1), 'obj', None)")
	for _, method := range []string{"__radd__", "__getattribute__", "startswith", "split", "rsplit", "rpartition"} {
		reports(t, "import zoneinfo\nclass S(str):\n    def "+method+"(self, *a): return a\nzoneinfo.ZoneInfo(S('UTC'))\n")
	}
	accusesNone(t, "import zoneinfo\nclass S(str):\n    def __getattr__(self, name): return name\n    def lower(self): return self\nzoneinfo.ZoneInfo(S('UTC'))\nprint(len('a b'.split()))\n")
	const items = "class S:\n    def __getitem__(self, i):\n        held.clear()\n        raise IndexError\n"
	for _, keeps := range []string{"it = iter(s)", "it = zip(s)", "it = map(str, s)", "it = enumerate(s)", "it = filter(None, s)", "import itertools\nit = itertools.chain(s)", "it = [iter(s)]", "def f(): return iter(s)", "for x in [iter(s)]: pass"} {
		reports(t, items+"s = S()\n"+keeps+"\n")
	}
	accusesNone(t,
		items+"s = S()\nfor i, x in enumerate(s): print(list(zip(s, s)), sum(map(int, s)), dict(zip(s, enumerate(s))), [x for x in reversed(s)], list(s))",
		items+"    def __iter__(self): return iter(held)\nit = iter(S())", "class D(dict):\n    def __getitem__(self, k): return super().__getitem__(k.lower())\nit = iter(D())",
		"class V:\n    def __init__(self, x): self.x = x\n    def __getitem__(self, i): return self.x[i]\nit = iter(V([1]))",
		"import itertools\nclass C:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n        if self.n > 3: raise StopIteration\n        return self.n\nprint(list(itertools.chain(C(), C())))")
}

// TestPythonMemoryOfSlices holds that an assignment to every second element is seen which does
// not stand there with two colons, and one to some of an element tree.
func TestPythonMemoryOfSlices(t *testing.T) {
	t.Parallel()
	const start = "def g():\n    l.clear()\n    yield 1\nclass X:\n    def __radd__(self, o): return g()\nl = list(range(9))\n"
	for _, use := range []string{
		"s = slice(None, None, 2)\nl[s] = g()", "l[slice(0, 9, 2)] = g()", "s = slice(None, None, 2)\nfor l[s] in [g()]: pass", "s = slice(None, None, 2)\n(l[s], q) = (g(), 1)", "def f(a, b, c): a[b] = c\nf(l, slice(None, None, 2), g())",
		"l.__setitem__(slice(None, None, 2), g())", "import operator\noperator.setitem(l, slice(None, None, 2), g())", "l[::2] += X()", "l[::2] = [1] + X()", "m = map(slice, [0], [9], [2])\nl[next(m)] = g()",
		"class K:\n    def __getitem__(self, k): return k\nl[K()[::2]] = g()", "class K:\n    def __getitem__(self, k): return g()\nl[::2] = K()[1:]",
	} {
		reports(t, start+use+"\n")
	}
	reports(t, "import xml.etree.ElementTree as x\ne = x.Element('a')\ne[1:9] = (e.clear() for i in range(9))\n",
		"import weakref\nl = [1] * 9\nr = weakref.ref(l.pop(), print)\nl[::2] = zip(range(5))\n", "l = [1] * 9\nclass D:\n    def __del__(self): print(1)\nl[::2] = zip(range(5))\n")
	accusesNone(t,
		"def g(): yield 1\nl = [1] * 9\nd = {}\nfor k in range(9):\n    l[k] = g()\n    d[str(k)] = g\n    l[k + 1] = max(g())\nl[1:3] = g()\nl[::2] += [1]\n",
		"def g(): yield 1\nclass K:\n    def __init__(self): self.l = [1]\n    def __getitem__(self, k): return K() if isinstance(k, slice) else self.l[k]\n    def __setitem__(self, k, v): self.l[k] = v\nK()[1] = g()\n",
		"def g(): yield 1\ns = slice(1, 3)\nl = [1] * 9\nl[s] = g()\n")
}

// TestPythonMemoryOfObjects holds that assignments are seen to what the interpreter measures by,
// other streams while it writes to one, and functions that change something when an object goes.
func TestPythonMemoryOfObjects(t *testing.T) {
	t.Parallel()
	reports(t, "import time\ntime.struct_time.n_fields = 5000", "import time\nc = time.struct_time\nc.n_sequence_fields = 9", "import time\nsetattr(time.struct_time, 'n_fields', 5000)", "import time\ntype(time.localtime()).n_unnamed_fields = 5")
	const e = "e = UnicodeDecodeError('x', b'abc', 0, 1, 'r')\n"
	reports(t, e+"e.start = -5", e+"e.end = int('-5')", e+"for e.start in [-5]: pass", e+"setattr(e, 'start', -5)", "UnicodeDecodeError('x', b'abc', -5, -4, 'r')", "def f(n): return UnicodeTranslateError('abc', n, n + 1, 'r')",
		"E = UnicodeEncodeError\nraise E('x', 'abc', 0, -1, 'r')", "try:\n    b'a'.decode()\nexcept ValueError as x:\n    x.start = -5", "import codecs\ndef h(x):\n    x.start = -5\n    return '', 0\ncodecs.register_error('h', h)",
		"class E(UnicodeDecodeError):\n    def f(self): self.start = -5\nE('x', b'abc', 0, 1, 'r').f()", "class E(UnicodeDecodeError): pass\nE('x', b'abc', -5, -4, 'r')", "class A: pass\nclass E(A, UnicodeEncodeError): pass\n",
		"try:\n    b'a'.decode()\nexcept ValueError as x:\n    type(x)('x', b'abc', -5, -4, 'r')", "try:\n    b'a'.decode()\nexcept ValueError as x:\n    T = type(x)\n    T('x', b'abc', -5, -4, 'r')", "import copy\ntry:\n    b'a'.decode()\nexcept ValueError as x:\n    x.args = ('x', b'abc', -5, -4, 'r')\n    copy.copy(x)")
	const streams = "from contextlib import redirect_stdout, redirect_stderr\nclass W:\n    def write(self, s): pass\n"
	reports(t, streams+"redirect_stdout(W()).__enter__()", streams+"r = redirect_stderr(W())", streams+"class R(redirect_stdout): pass\nR(W()).__enter__()", streams+"class E:\n    def __str__(self):\n        with redirect_stdout(W()):\n            return ''\n")
	for _, act := range []string{"l.clear()", "f()", "self.f()", "l.append(self)", "global l\n        l = []", "self.g.clear()"} {
		reports(t, "l = []\ndef f(): l.clear()\nclass D:\n    def __del__(self):\n        "+act+"\n")
	}
	reports(t, "import weakref\nl = []\nr = weakref.ref(set(), lambda r: l.clear())", "import weakref\nl = []\ndef f(): l.clear()\nweakref.finalize(set(), f)", "import weakref\nl = []\nr = weakref.proxy(set(), l.remove)")
	accusesNone(t,
		"class N:\n    def __init__(self, a, b): self.start, self.end, self.n_fields, self.obj = a, b, 1, 2\nn = N(1, 2)\nn.start = n.end - 9\n", "try:\n    b'a'.decode()\nexcept UnicodeDecodeError as e:\n    print(e.start, e.end)\n    raise UnicodeError('no')",
		"raise UnicodeDecodeError('x', b'abc', 0, 1, 'r')", "import io\nfrom contextlib import redirect_stdout\ndef f():\n    with redirect_stdout(io.StringIO()) as s:\n        print(1)\n    return s.getvalue()\nwith redirect_stdout(io.StringIO()): f()\n",
		"class D:\n    def __init__(self): self.f = None\n    def __del__(self):\n        try:\n            self.f.close()\n        except Exception:\n            pass\n        self.f = None\n", "class D:\n    def __del__(self): print(f'{self.name} is gone')\n",
		"class D:\n    def close(self): self.open = False\n    def __del__(self): self.close()\n", "import weakref\nclass N: pass\nn = N()\nr = weakref.ref(n)\nprint(r(), weakref.WeakValueDictionary())\nweakref.finalize(n, print, 'gone')\n")
}

// TestPythonMemoryOfLibrary holds that a method does not count as still which has the library, or the
// language, ask the program for something by another name.
func TestPythonMemoryOfLibrary(t *testing.T) {
	t.Parallel()
	const start, end = "from collections import OrderedDict\nd = OrderedDict()\ndef act(*a): d.clear()\n", "\nclass K:\n    def __hash__(self): return 1\n    def __eq__(self, o): return "
	const registered = "class N:\n    denominator = 1\n    @property\n    def numerator(self): return act()\nimport numbers\nnumbers.Rational.register(N)\nq = N()\n"
	for _, row := range [][2]string{
		{"import collections\nclass C(collections.Counter):\n    def __missing__(self, k): act()\nq = C()", "q == q"},
		{"import collections\nclass C(collections.Counter):\n    def items(self): act()\nq = C()", "q + q"},
		{"import collections\nclass U(collections.UserList):\n    def __init__(self, *a): act()\nq = U()", "q[0:1]"},
		{"from collections import abc\nclass S(abc.Set):\n    def __len__(self): act()\n    def __iter__(self): return iter(())\n    def __contains__(self, x): return True\nq = S()", "q == q"},
		{"import typing\nclass S(typing.Mapping):\n    def __len__(self): return 1\n    def __iter__(self): act()\n    def __getitem__(self, x): return 1\nq = S()", "q == q"},
		{"import datetime\nclass D(datetime.date):\n    def strftime(self, f): act()\nq = D(2020, 1, 1)", "f'{q:%Y}'"},
		{"import enum\nclass F(enum.Flag):\n    A = 1\n    @classmethod\n    def _missing_(cls, v): act()\nq = F.A", "q | q"},
		{"import queue\nclass Q(queue.Queue):\n    def _get(self): act()\nq = Q()", "q.get()"},
		{"import datetime\nclass R(float):\n    def as_integer_ratio(self): act()\nq = datetime.timedelta(1) * R(1)\nr = R(1)", "q * r"},
		{registered + "import decimal\nr = decimal.Decimal(1)", "r == q"}, {registered + "import fractions\nr = fractions.Fraction(1)", "r == q"},
		{"import ipaddress\nclass A:\n    @property\n    def _ip(self): act()\nq = A()\nr = ipaddress.ip_address('1.1.1.1')", "r == q"},
		{"import operator\nclass P:\n    z = property(operator.methodcaller('go'))\n    def go(self): act()\nq = P()", "q.z"},
		{"import functools\nclass P:\n    z = property(functools.partial(act))\nq = P()", "q.z"}, {"import types\nclass P:\n    z = types.DynamicClassAttribute(act)\nq = P()", "q.z"},
		{"import collections\nq = collections.defaultdict(lambda: act())", "q[self.v]"}, {"import collections\nq = collections.defaultdict(int)\nq.default_factory = act", "q[self.v]"},
		{"class M(dict):\n    def __missing__(self, k): act()\nq = M()", "'%(a)s' % q"}, {"class Z:\n    def __class_getitem__(cls, k): act()", "Z[1]"},
		{"import codecs\ncodecs.register_error('h', act)\nq = b'a'", "str(q, 'ascii', 'h')"},
		{"class E(Exception):\n    def __init__(self): act()", "1\n    def __ne__(self, o): raise E"},
	} {
		reports(t, start+row[0]+end+row[1]+"\nd[K()] = 1\n")
	}
	const key = "class K:\n    def __init__(self, v): self.v = v\n    def __hash__(self): return hash(self.v)\n    def __eq__(self, o): return self.v == o.v\n"
	for _, other := range []string{"import threading\nthreading.Thread(target=d.clear).start()\n", "import concurrent.futures as f\nf.ThreadPoolExecutor().submit(d.clear)\n", "from threading import Timer\nTimer(1, d.clear).start()\n"} {
		reports(t, "from collections import OrderedDict\nd = OrderedDict()\n"+key+other+"d[K(1)] = 1\n")
	}
	const clears = "class K:\n    def __hash__(self): return 1\n    def __eq__(self, o): d.clear()\n"
	reports(t, clears+"import typing\nd = typing.OrderedDict()", clears+"from typing import OrderedDict as O\nd = O()", clears+"import typing\nclass O(typing.OrderedDict[object, int]): pass\nd = O()", clears+"from typing import Deque\nDeque([K()]).index(K())")
	accusesNone(t,
		"from collections import Counter, OrderedDict, defaultdict\nimport threading\n"+key+"class C(Counter):\n    def top(self):\n        for x in self.most_common(): print(x)\nl = threading.Lock()\ng = defaultdict(list)\nh = defaultdict(lambda: 0)\nd = OrderedDict()\nwith l: d[K(1)] = 1\n",
		"from collections import OrderedDict\nimport enum\nclass Color(enum.Enum):\n    RED = 1\n    def __init__(self, v): print(v)\nclass E(Exception): pass\nclass P:\n    @property\n    def x(self): return 1\n    def __eq__(self, o):\n        if o is None: raise E\n        return self.x == o.x\nd = OrderedDict()\n")
}

// TestPythonMemoryOfEndings holds that whatever the interpreter runs when an object goes away is seen.
func TestPythonMemoryOfEndings(t *testing.T) {
	t.Parallel()
	const start = "l = []\ndef act(*a): l.clear()\n"
	for _, way := range []string{
		"import io\nclass D(io.StringIO):\n    def close(self): act()\n", "import io\nclass D(io.IOBase):\n    def flush(self): act()\n", "import io\nclass T:\n    def close(self): act()\nclass S(io.StringIO):\n    def close(self): super().close()\nclass X(S, T): pass\n", "import io\nclass D(io.RawIOBase):\n    @property\n    def closed(self): act()\n",
		"import io\nclass W:\n    def close(self): act()\nio.TextIOWrapper(W())\n", "import weakref\nclass R(weakref.ref): pass\nR(set(), act)\n", "import weakref\nclass F(weakref.finalize): pass\nF(set(), act)\n",
		"import weakref\nclass M(dict):\n    def __delitem__(self, k): act()\nw = weakref.WeakKeyDictionary()\nw.data = M()\n", "import weakref\nclass M(set):\n    def discard(self, k): act()\nw = weakref.WeakSet()\nsetattr(w, 'data', M())\n",
		"import functools\nclass D:\n    __del__ = functools.partialmethod(act)\n", "class M(type):\n    def __new__(m, n, b, d): return super().__new__(m, n, b, {**d, '__del__': d['go']})\nclass D(metaclass=M):\n    def go(self): act()\n",
		"class E(Exception):\n    def __init__(self): act()\nclass D:\n    def __del__(self): raise E\n", "class E(Exception):\n    def __str__(self): return act()\ne = E()\nclass D:\n    def __del__(self): raise e\n",
		"import logging\nclass H(logging.Handler):\n    def emit(self, r): act()\nlog = logging.getLogger()\nlog.addHandler(H())\nclass D:\n    def __del__(self): log.info('x')\n",
		"import logging\nlog = logging.getLogger()\nlog.addFilter(act)\nclass D:\n    def __del__(self): log.info('x')\n",
		"import contextlib\nclass D:\n    def __init__(self):\n        self.s = contextlib.ExitStack()\n        self.s.callback(act)\n    def __del__(self): self.s.close()\n",
		"def g():\n    try:\n        yield\n    finally:\n        act()\nclass D:\n    def __init__(self): self.s = self.t(g)\n    def __del__(self): self.s.close()\n",
		"import collections\nq = collections.defaultdict(lambda: act())\nclass D:\n    def __del__(self): q[1]\n",
		"import asyncio\nloop = asyncio.new_event_loop()\nloop.set_exception_handler(act)\nloop.create_future()\n",
		"import contextlib\nclass W:\n    def write(self, s): act()\nwith contextlib.redirect_stderr(W()): l = l + l\n",
	} {
		reports(t, start+way)
	}
	const unwinds = "    try:\n        yield 1\n    finally:\n        act()\n"
	for _, way := range []string{
		"def g():\n" + unwinds + "x = g()\n", "def g():\n" + unwinds + "x = [g()]\n", "def g():\n" + unwinds + "def f(): return g()\n", "class C:\n    def g(self):\n        try:\n            yield\n        finally:\n            act()\nx = C().g()\n",
		"def g():\n    try:\n        yield\n    except GeneratorExit:\n        act()\nx = g()\n", "def g():\n    try:\n        yield\n    except:\n        act()\nx = g()\n",
		"class C:\n    def __enter__(self): pass\n    def __exit__(self, *a): act()\ndef g():\n    with C():\n        yield\nx = g()\n",
		"import contextlib\n@contextlib.contextmanager\ndef g():\n" + unwinds + "x = g()\nx.__enter__()\n", "async def g():\n" + unwinds + "x = g()\n",
		"def g():\n" + unwinds + "def f():\n    for y in g(): yield y\nx = f()\n", "def g():\n" + unwinds + "def f(): yield from g()\nx = f()\n", "def g():\n" + unwinds + "x = (y for y in g())\n", "def g():\n" + unwinds + "x = zip(g(), g())\n",
	} {
		reports(t, start+way)
	}
	accusesNone(t,
		start+"import contextlib\n@contextlib.contextmanager\ndef g():\n"+unwinds+"with g() as a, g(): pass\nwith contextlib.ExitStack() as s: s.enter_context(g())\n",
		start+"def g():\n"+unwinds+"for x in g(): print(x)\nprint(list(g()), [y for y in g()], sum(enumerate(g())), next(g()), ','.join(g()))\n",
		"def lines(name):\n    with open('a.txt') as f:\n        for x in f: yield x\ndef safe():\n    try:\n        yield 1\n    except ValueError:\n        l.append(1)\nl = [lines('a'), safe()]\nx = lines('b')\ny = safe()\n",
		"import io\nclass S(io.StringIO):\n    def close(self):\n        self.done = True\n        super().close()\nclass T:\n    def close(self): self.l.clear()\n",
		"import logging\nlog = logging.getLogger()\nclass D:\n    def __del__(self):\n        log.warning('gone')\n        self.f.close()\n")
}
