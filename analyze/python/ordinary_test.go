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

// TestPythonMembersThatCompute holds that members without a name are no matter where none of them leads further, and are
// one of anything else.
func TestPythonMembersThatCompute(t *testing.T) {
	t.Parallel()
	computing := []string{
		"import math\nf = getattr(math, input())\nprint(f(2))\n", "import math\nd = {}\nd.update(vars(math))\n", "import operator\nOPS = {s: getattr(operator, n) for s, n in dict([input().split()]).items()}\nprint(OPS['+'](1, 2))\n",
		"import hashlib\nprint(getattr(hashlib, input())(b'a').hexdigest())\n", "print(getattr(int, input())(1, 2))\n", "import sys\nclass P:\n    def __getattr__(self, name): return getattr(sys.stdout, name)\n",
		"from operator import methodcaller\ndef run(s, steps):\n    for name, *args in steps: s = methodcaller(name, *args)(s)\n    return s\nprint(run('a', [input().split()]))\n",
		"def run(value, names):\n    for name in names: value = getattr(value, name)\n    return value() if callable(value) else value\n",
		"def kept(f):\n    def g(self): return getattr(self, f'_kept_{f.__name__}')\n    g(kept)\n    return g\n",
	}
	passes(t, computing...)
	reports(t, computing...)
	fails(t, analyze.DynamicMember,
		"import math\ngetattr(getattr(math, input()), input())('id')\n", "import operator\nd = dict(vars(operator))\n", "import string\ngetattr(string, input())\n", "import operator, os\nfor m in (operator, os): getattr(m, input())('id')\n",
		"import math\ngetattr(math.sqrt, input())\n", "x = ()\nfor n in input().split(): x = getattr(x, n)\nprint(x()[100]('id'))\n", "x = ()\nfor n in input().split(): x = getattr(x, n)\nfor k in x(): k('id')\n",
		"from operator import methodcaller\nimport os\nmethodcaller(input(), *['id'])(os)\n", "from operator import attrgetter\nattrgetter(*input().split())\n",
		"def f(): pass\ngetattr(f, f'_{input()}')\n", "def f(): pass\ngetattr(f, '_' + '_' + input())\n")
}

// TestPythonClassesBelow holds that a class of the program may be asked for those below it by a class method, and by a
// function that gets no other.
func TestPythonClassesBelow(t *testing.T) {
	t.Parallel()
	const classes = "class B:\n    @classmethod\n    def all(cls): return [c.__name__ for c in cls.__subclasses__()]\nclass A(B): pass\n"
	passes(t, classes+"print(B.all())\n", "class B: pass\nclass A(B): pass\ndef below(c):\n    out = []\n    for k in c.__subclasses__(): out += [k, *below(k)]\n    return out\nprint(below(B))\n")
	reports(t, classes)
	fails(t, analyze.DynamicSubclass,
		"class B:\n    @classmethod\n    def all(cls, o): return o.__subclasses__()\n", "class B:\n    @classmethod\n    def all(cls, o):\n        cls = o\n        return cls.__subclasses__()\n", "class B:\n    def all(self): return self.__subclasses__()\n",
		"def d(f): return lambda c: f(object)\nclass B:\n    @classmethod\n    @d\n    def all(cls): return cls.__subclasses__()\n", "def classmethod(f): return lambda: f(object)\nclass B:\n    @classmethod\n    def all(cls): return cls.__subclasses__()\n",
		"class M(type):\n    def __getattribute__(cls, n): return lambda: object\nclass B(metaclass=M):\n    @classmethod\n    def all(cls): return cls.__subclasses__()\n", "class B:\n    def all(cls): return cls.__subclasses__()\n    a = classmethod(all)\n",
		"class B: pass\ndef below(c): return c.__subclasses__()\nprint(below(B), below(object))\n", "class B: pass\ndef below(c): return c.__subclasses__()\nprint(below(B), [below][0](object))\n",
		"class B: pass\nx = B.__subclasses__()\nx.append(object)\nfor c in x: print(c.__subclasses__())\n", "class B:\n    @classmethod\n    def all(cls): return cls.__base__.__subclasses__()\n")
}
