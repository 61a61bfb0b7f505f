package python

import "testing"

// TestPythonSpecials holds that special names which programs have no reason to define are seen in
// classes and what becomes one, and that the others are not.
func TestPythonSpecials(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"__typing_subst__", "__parameters__", "__args__", "__origin__", "__class__", "__buffer__", "__fspath__", "__mro_entries__", "__module__",
		"__wrapped__", "__conform__", "__array_interface__", "__handlers__"} {
		reports(t,
			"class E:\n    "+name+" = 1\n",
			"class E:\n    def "+name+"(self): return 1\n",
			"class E:\n    @property\n    def "+name+"(self): return 1\n",
			"class E(type):\n    from os import path as "+name+"\n",
			"class E:\n    for "+name+" in [1]: pass\n",
			"class E:\n    class "+name+": pass\n",
			"E = type('E', (), {'"+name+"': 1})\n",
			"E = type('E', (), dict("+name+"=1))\n",
			"import types\nE = types.SimpleNamespace("+name+"=1)\n",
			"import types\nE = types.SimpleNamespace(**{'"+name+"': 1})\n",
			"import dataclasses\nE = dataclasses.make_dataclass('E', [], namespace={'"+name+"': 1})\n",
			"import copy\nclass E:\n    def __getstate__(self): return {'"+name+"': 1}\ncopy.copy(E())\n",
			"import copy\nclass E:\n    __slots__ = ('a',)\n    def __getstate__(self): return (None, {'"+name+"': 1})\ncopy.copy(E())\n",
			"import logging\nr = logging.makeLogRecord({'"+name+"': 1})\nlist[r][int]\n", "import logging, weakref\nr = logging.makeLogRecord({'"+name+"': 1})\nweakref.ref[r][int]\n",
			"import logging\nr = logging.makeLogRecord({'"+name+"': 1})\nclass C(list): pass\nC[r][int]\n")
	}
	reports(t, "class F:\n    _asyncio_future_blocking = True\n", "class F: pass\nF._is_protocol = True\n", "import types\ntypes.SimpleNamespace(_asyncio_future_blocking=True)\n")
	accusesNone(t,
		"class E:\n    __slots__ = ('a',)\n    def __init__(self): self.a = 1\n    def __iter__(self): yield self.a\n    def __index__(self): return 1\n    def __class_getitem__(cls, k): return cls\n",
		"class M(type):\n    def __instancecheck__(cls, o): return False\n    def __call__(cls): return 1\n",
		"d = {'__class__': 'a', '__args__': [1]}\nd['__type__'] = 'b'\nprint(d)",
		"class E:\n    __version__ = '1'\n    __private = 2\n    _missing_ = 3\n")
}
