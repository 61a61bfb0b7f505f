package python

import "testing"

// TestPythonMadeAnew holds that a program is seen that makes an object of the library anew which
// is there already.
func TestPythonMadeAnew(t *testing.T) {
	t.Parallel()
	const object = "import struct\nclass X(struct.Struct): pass\ns = X('Q')\ni = s.iter_unpack(b'a' * 80)\n"
	for _, way := range []string{
		"struct.Struct.__init__(s, '4000s')", "s.__init__('4000s')", "type(s).__init__(s, '4000s')", "X.__init__(s, '4000s')", "super(X, s).__init__('4000s')",
		"f = struct.Struct.__init__\nf(s, '4000s')", "list(map(struct.Struct.__init__, [s], ['4000s']))", "getattr(struct.Struct, '__init__')(s, '4000s')",
		"import operator\noperator.methodcaller('__init__', '4000s')(s)", "import functools\nfunctools.partial(X.__init__, s)('4000s')",
		"(lambda c: c.__init__(s, '4000s'))(struct.Struct)",
		"class Y(X):\n    def again(self): super().__init__('4000s')",
		"class Y(X):\n    def again(self): struct.Struct.__init__(self, '4000s')",
		"class Y(X):\n    def again(self): self.__init__('4000s')",
		"class Y(X):\n    def __init__(self):\n        super().__init__('Q')\n        super().__init__('4000s')",
		"class Y(X):\n    def __init__(self):\n        for f in ('Q', '4000s'): super().__init__(f)",
		"class Y(X):\n    def __init__(self, f): super().__init__(f)\n    again = __init__",
		"class Y(X):\n    def __init__(self, f):\n        self.again = super().__init__\n        self.again(f)",
		"class Y(X):\n    def __init__(self, f):\n        def again(): super(Y, self).__init__('4000s')\n        again()",
		"class B:\n    def __init__(self, f): super().__init__(f)\nclass Y(B, struct.Struct): pass\ny = Y('Q')\nB.__init__(y, '4000s')",
		"def again(self): super(X, self).__init__('4000s')\nX.again = again",
	} {
		reports(t, object+way+"\n")
	}
	reports(t, "from scipy.spatial import ConvexHull\nclass C(ConvexHull): pass\nf = C.__init__\nf(o, p, False, 'TI x')\n")
	const again = "import struct, functools\nkept = []\n"
	reports(t, again+"class S(struct.Struct):\n    def __new__(cls, f): return kept[0] if kept else super().__new__(cls, f)\n", again+"class S(struct.Struct): pass\nS.__new__ = lambda cls, f: kept[0]\n",
		again+"class S(struct.Struct):\n    @functools.lru_cache\n    def __new__(cls, *f): return super().__new__(cls, 'b')\n", again+"class N:\n    def __new__(cls, f): return kept[0]\nclass S(N, struct.Struct): pass\n")
	accusesNone(t, "import decimal\nclass M(decimal.Decimal):\n    def __new__(cls, v):\n        self = super().__new__(cls, v)\n        return self\nclass One:\n    made = None\n    def __new__(cls):\n        if cls.made is None: cls.made = super().__new__(cls)\n        return cls.made\n",
		"import collections\nclass O(collections.OrderedDict):\n    def __new__(cls, *a): return collections.OrderedDict.__new__(cls)\n")
	reports(t, "[1].__init__([2])", "import struct\ns = struct.Struct('Q')\nsuper(struct.Struct, s).__init__()", "import decimal\nc = decimal.Context()\ndecimal.Context.__init__(c)", "import io\nb = io.BytesIO()\nio.BytesIO.__init__(b, b'a')")
	accusesNone(t,
		"import struct\nclass X(struct.Struct):\n    def __init__(self):\n        super().__init__('<I')\nprint(X().size)",
		"import struct\nclass X(struct.Struct):\n    def __init__(self):\n        struct.Struct.__init__(self, '<I')\nprint(X().size)",
		"import threading\nclass W(threading.Thread):\n    def again(self):\n        threading.Thread.__init__(self)\n",
		"class A:\n    def __init__(self): self.a = 1\nclass B(A):\n    def __init__(self):\n        A.__init__(self)\n",
		"import collections\nclass A:\n    def __init__(self): self.a = 1\nclass O(A, collections.OrderedDict):\n    def __init__(self):\n        super().__init__()\n")
}
