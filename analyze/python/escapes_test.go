package python

import (
	"slices"
	"testing"

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
