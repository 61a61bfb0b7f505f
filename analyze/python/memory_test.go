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
