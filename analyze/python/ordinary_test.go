package python

import (
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// weighed are the kinds of what is dynamic that the pack baseline denies.
var weighed = []string{analyze.DynamicCode, analyze.DynamicImport, analyze.DynamicMember, analyze.DynamicFrame, analyze.DynamicSubclass,
	analyze.DynamicFormat, analyze.DynamicBytecode, analyze.DynamicPatch}

// passes holds that strict alone hears of each of some programs, or nobody.
func passes(t *testing.T, programs ...string) {
	t.Helper()
	for _, code := range programs {
		if f := analyzetest.Facts(t, Reader(), code); slices.ContainsFunc(weighed, func(kind string) bool { return len(f.Dynamic[kind]) > 0 }) {
			t.Errorf("dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}

// fails holds that baseline hears of each of some programs as of one kind.
func fails(t *testing.T, kind string, programs ...string) {
	t.Helper()
	for _, code := range programs {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Dynamic[kind]) == 0 {
			t.Errorf("dynamic %v, and no %s:\n%s", f.Dynamic, kind, code)
		}
	}
}

// TestPythonTuplesStay holds that what is in a tuple which stands in the program is known whoever has it, and that what is
// in what it holds is not.
func TestPythonTuplesStay(t *testing.T) {
	t.Parallel()
	accusesNone(t,
		"import functools\ndef d(fn):\n    @functools.wraps(fn, assigned=('__doc__',), updated=())\n    def g(*a): return fn(*a)\n    return g\n",
		"class P:\n    __match_args__ = ('a',)\nmatch input():\n    case P(x): print(x)\n    case int(n) if n < 0: print(n)\n")
	fails(t, analyze.DynamicMember,
		"import functools\ndef f(): pass\nnames = ('__doc__',)\nnames += (input(),)\nfunctools.wraps(print, assigned=names, updated=())(f)\n", "import functools\ndef f(): pass\nnames = ['__doc__']\n[print][0](names)\nfunctools.wraps(print, assigned=names)(f)\n",
		"class P: __match_args__ = (*input().split(),)\nmatch print:\n    case P(x): x('id')\n", "class P: __match_args__ = ['a']\nmatch print:\n    case P(x): x('id')\n")
	reports(t, "t = ([],)\ndef g(x): x[0].append(print)\n[g][0](t)\ngetattr(1, t[0][0])\n")
}
