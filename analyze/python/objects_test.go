package python

import (
	"testing"

	"sallyport/analyze"
)

// TestMethodsNeedObjects holds that a method which is called with too few arguments for one of them to be its object has
// what it was found on, and that any other call may give it one.
func TestMethodsNeedObjects(t *testing.T) {
	t.Parallel()
	const class = "import os\nclass C:\n    def m(self, name): return getattr(self, input())\nc = [C][0]\n"
	alone := []string{"c().m(os)", "c().m(name=os)", "for k in [C]: k().m(os)"}
	for k := range alone {
		alone[k] = class + alone[k] + "\n"
	}
	passes(t, alone...)
	reports(t, alone...)
	for _, call := range []string{
		"C.m(os, 'a')", "c.m(os, 'a')", "c.m(self=os, name='a')", "c.m(*[os, 'a'])", "c.m(**{'self': os, 'name': 'a'})", "m = C.m\nm(os, 'a')", "C.put = C.m\nc.put(os, 'a')",
		"C.m.__defaults__ = ('a',)\nc.m(os)", "setattr(C.m, '__defaults__', ('a',))\nc.m(os)", "import functools\nfunctools.partial(C.m, os)('a')", "import functools\nC.n = functools.partial(C.m, name='a')\nc.n(os)",
	} {
		fails(t, analyze.DynamicMember, class+call+"\n")
	}
	for _, params := range []string{"self, name='a'", "self, *name", "self, **name"} {
		fails(t, analyze.DynamicMember, "import os\nclass C:\n    def m("+params+"): return getattr(self, input())\nc = [C][0]\nc.m(os)\n")
	}
	fails(t, analyze.DynamicMember, "import os\nfrom unittest import mock\nclass C:\n    @mock.patch('os.sep')\n    def m(self, sep): return getattr(self, input())\n[C][0].m(os)\n",
		"import os\nclass C:\n    def m(name): return getattr(name, input())\n    m = staticmethod(m)\n[C][0].m(os)\n")
}

// TestAskedPlainly holds that what classes do which answer for their attributes themselves is like getattr, and that all
// else is a member that is not known.
func TestAskedPlainly(t *testing.T) {
	t.Parallel()
	plain := []string{
		"class C:\n    def __getattribute__(self, name): return object.__getattribute__(self, name)\n",
		"class C:\n    def __getattribute__(self, name): return super().__getattribute__(name)\n",
		"class C:\n    def __getattribute__(self, name): return (object.__getattribute__)(self, '_kept')[name]\n",
	}
	passes(t, plain...)
	reports(t, plain...)
	fails(t, analyze.DynamicMember, "import os\nobject.__getattribute__(os, input())\n", "object.__getattribute__(*[print, input()])\n", "f = object.__getattribute__\n", "def f(x): return x.__getattribute__(input())\n",
		"class C:\n    def f(self): return super().__getattribute__(*input().split())\n", "class C:\n    def f(self): return super().__getattribute__\n", "type.__getattribute__(int, input())\n",
		"class object: pass\nobject.__getattribute__(print, input())\n")
	deep := []string{
		"def f(x, path):\n    for p in path: x = x.get(p, 0) if isinstance(x, dict) else getattr(x, p)\n    return x\n", "def f(x, fs):\n    for n in fs: x = getattr(x, n)\n    return x.__class__(1)\n",
	}
	passes(t, deep...)
	reports(t, deep...)
	fails(t, analyze.DynamicMember, "def f(x, path):\n    for p in path: x = getattr(x, p)\n    return x.get('a')('id')\n", "def f(x, path):\n    for p in path: x = getattr(x, p)\n    return x.pop('a')\n",
		"def f(x, path):\n    for p in path: x = getattr(x, p)\n    return x.__class__(1)\nprint(f(f, 'ab')(2))\nfor p in f: f = getattr(f, p)\nf('id')\n")
}
