package python

import "testing"

// TestPythonKept holds that what an object of the library keeps for itself is seen where it
// is given to the program, and a method of the library that makes another object of a class.
func TestPythonKept(t *testing.T) {
	t.Parallel()
	const held, use = "import warnings, copy\nG = []\n", "\nG[0].sys\n"
	for _, way := range []string{
		"class A(warnings.catch_warnings):\n    def __setattr__(self, n, v): G.append(v)\nA()",
		"class M:\n    def __setattr__(self, n, v): G.append(v)\nclass A(M, warnings.catch_warnings): pass\nA()",
		"class A(warnings.catch_warnings): pass\nA.__setattr__ = lambda self, n, v: G.append(v)\nA()",
		"warnings.catch_warnings.__setattr__ = lambda self, n, v: G.append(v)\nwarnings.catch_warnings()",
		"class A:\n    def __setattr__(self, n, v): G.append(v)\nwarnings.catch_warnings.__init__(A())",
		"class A(warnings.catch_warnings):\n    def __setstate__(self, s): G.extend(s.values())\ncopy.copy(A())",
		"class M(dict):\n    def get(self, k, d=None): return d\n    def __getitem__(self, k): return G\ncopy.deepcopy(warnings.catch_warnings(), M())",
		"class M(dict):\n    def __getitem__(self, k): return G\nclass A:\n    def __deepcopy__(self, memo):\n        memo = M()\n        return copy.deepcopy(warnings.catch_warnings(), memo)",
		"import functools\nclass A:\n    @property\n    def __dict__(self): return G\nfunctools.update_wrapper(A(), warnings.catch_warnings())",
		"import collections\nr = open('a').buffer.raw\nr.data = input()\nG.append(collections.UserString.strip(r))",
		"import collections\nclass A:\n    a = collections.UserString.strip\nG.append(A.a(open('a')))",
		"import collections\nclass A(collections.UserString): pass\nG.append(A.strip(open('a')))",
		"import collections\nclass A(collections.UserString):\n    @classmethod\n    def a(cls, r): return cls.strip(r)",
		"import collections\nclass A:\n    a = collections.ChainMap.parents",
		"class A(warnings.catch_warnings): pass\nsetattr(A, '_module', property(print, lambda s, v: G.append(v)))\nA()",
		"import queue\nq = queue.Queue()\nq.put(warnings.catch_warnings)\nclass A(q.get()):\n    def __setattr__(self, n, v): G.append(v)\nA()",
		"import queue\nclass M(dict):\n    def __getitem__(self, k): return G\nq = queue.Queue()\nq.put(copy.deepcopy)\nq.get()(warnings.catch_warnings(), M())",
		"import collections, queue\nq = queue.Queue()\nq.put(collections.UserString)\nG.append(q.get().strip(open('a')))",
		"import collections\nG.extend(map(collections.ChainMap.new_child, [open('a')], [input()]))",
	} {
		reports(t, held+way+use)
	}
	reports(t, "import unittest\nclass A:\n    _module = None\nwith unittest.TestCase().assertWarns(UserWarning) as c: c.warnings_manager._module.sys")
	accusesNone(t,
		"class A(dict):\n    def __setattr__(self, n, v): self[n] = v\na = A()\na.b = 1",
		"class A:\n    def __setstate__(self, s): self.s = s\nprint(A())",
		"import copy\nclass A:\n    def __init__(self): self.x = []\n    def __deepcopy__(self, memo):\n        a = A()\n        a.x = copy.deepcopy(self.x, memo)\n        return a\nprint(copy.deepcopy(A()), copy.deepcopy([1], {}))",
		"import threading\nclass T(threading.Thread):\n    def __init__(self): threading.Thread.__init__(self)\nT().start()",
		"import collections\nclass C(collections.ChainMap):\n    def new_child(self, m=None): return collections.ChainMap.new_child(self, m)\nclass D(collections.UserString):\n    def lower(self): return super().lower()\nprint(collections.ChainMap.fromkeys('ab'), C({}).copy(), D('a'), collections.defaultdict(collections.Counter))",
	)
}
