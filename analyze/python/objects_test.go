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
