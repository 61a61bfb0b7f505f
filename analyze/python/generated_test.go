package python

import (
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// fieldsImports stands before the programs of this file.
const fieldsImports = "import abc, collections, enum, functools, operator, pathlib, string\nfrom dataclasses import dataclass, field, make_dataclass\nfrom typing import NamedTuple, Protocol, runtime_checkable\n"

// readsFormat tells whether a program is seen to take the method format of text that is not known.
func readsFormat(t *testing.T, code string) bool {
	t.Helper()
	f := analyzetest.Facts(t, Reader(), fieldsImports+code)
	return len(f.Dynamic[analyze.DynamicTemplate]) > 0
}

// TestPythonFieldsInPatterns holds that a positional pattern reads the fields of a class, of whose
// objects the subject may only say that it is one, and that other patterns read nothing.
func TestPythonFieldsInPatterns(t *testing.T) {
	t.Parallel()
	const capture = "\nmatch ''.join(input()):\n    case P(g): print(g)"
	const data = "@dataclass\nclass P:\n    format: object\n"
	const below = "@dataclass\nclass P(abc.ABC):\n    format: object\n"
	for _, code := range []string{
		below + "P.register(str)", below + "@P.register\nclass S(str): pass", below + "r = P.register\nr(str)", below + "abc.ABCMeta.register(P, str)", below + "list(map(P.register, [str]))", below + "functools.partial(P.register, str)()",
		below + "getattr(P, 'register')(str)", below + "operator.methodcaller('register', str)(P)", below + "P.register(collections.abc.Hashable)", below + "class Q(P): pass\nQ.register(str)",
		"@dataclass\nclass P(metaclass=abc.ABCMeta):\n    format: object\nP.register(str)", "@dataclass\nclass P(collections.abc.Sized):\n    format: object\nP.register(str)", "B = abc.ABCMeta('B', (), {})\n@dataclass\nclass P(B):\n    format: object\nP.register(str)",
		"@dataclass\nclass B:\n    format: object\nclass P(B, abc.ABC): pass\nP.register(str)", "class P(abc.ABC):\n    format: object\nP = dataclass(P)\nP.register(str)", "@dataclass(slots=True)\nclass P(abc.ABC):\n    format: object\nP.register(str)",
		"def d(c): return dataclass(c)\n@d\nclass P(abc.ABC):\n    format: object\nP.register(str)", "import attr\n@attr.s\nclass P(abc.ABC):\n    format = attr.ib()\nP.register(str)", "import attr\n@attr.define\nclass P(abc.ABC):\n    format: object\nP.register(str)",
		"class P(collections.namedtuple('B', 'format'), abc.ABC): pass\nP.register(str)", "class P(collections.namedtuple('B', ['format']), abc.ABC): pass\nP.register(str)", "B = NamedTuple('B', [('format', object)])\nclass P(B, abc.ABC): pass\nP.register(str)",
		"class P(NamedTuple('B', format=object), abc.ABC): pass\nP.register(str)", "class B(NamedTuple):\n    format: object\nclass P(B, abc.ABC): pass\nP.register(str)", "class P(make_dataclass('B', ['format']), abc.ABC): pass\nP.register(str)",
		data + "class S(str):\n    __class__ = P", "class P(NamedTuple):\n    format: object\nclass S(str):\n    __class__ = P", data + "class S(str):\n    @property\n    def __class__(self): return P", data + "class S(str): pass\nsetattr(S, '__class__', P)", data + "S = type('S', (str,), {'__class__': P})",
		below + "    @classmethod\n    def __subclasshook__(cls, c): return True", "@dataclass\nclass P(Protocol):\n    format: object", data + "from unittest import mock\nmock.Mock(spec=P)",
		"@dataclass\nclass P(collections.UserString):\n    format: object",
	} {
		if !readsFormat(t, code+capture) {
			t.Errorf("not seen:\n%s", code)
		}
	}
	for _, code := range []string{
		data, below, below + "import atexit\natexit.register(print)", data + "class Q(abc.ABC): pass\nQ.register(str)", data + "class E(enum.Enum):\n    A = 1", "@dataclass\nclass P(abc.ABC):\n    fmt: object\nP.register(str)",
	} {
		if readsFormat(t, code+capture) {
			t.Errorf("seen without cause:\n%s", code)
		}
	}
}

// TestPythonTuplesInPatterns holds that a positional pattern of a named tuple is known where nothing
// but that can stand under its name, and no object says that it is one.
func TestPythonTuplesInPatterns(t *testing.T) {
	t.Parallel()
	const imports, capture = "import collections\nfrom collections import namedtuple\nfrom typing import NamedTuple\n", "\nmatch input():\n    case P(a, b): print(a)"
	const known = "P = namedtuple('P', 'x y')"
	for code, want := range map[string]bool{
		known: true, "P = namedtuple('P', ('x', 'y'))": true, "P = namedtuple('P', ['x', 'y'])": true, "l = ['x']\nl[0] = input()\nP = namedtuple('P', l)": false, "P = collections.namedtuple('P', 'x y', defaults=[1])": true,
		"P = NamedTuple('P', [('x', int)])": false, "P = namedtuple('P', input())": false, "P = namedtuple(*input(), ['x'])": false, "P = namedtuple(*input())": false, "P = namedtuple()": false, "P = namedtuple('P', [input()])": false,
		known + "\nP = input": false, known + "\nfor P in [input]: pass": false, known + "\nfrom ast import *": false,
		known + "\nclass S(str):\n    __class__ = P": false, "def f():\n    P = namedtuple('P', 'x')\n    return P\nP = f()": false,
		"P = input() and namedtuple('P', 'x')": false, "namedtuple = input\n" + known: false, known + "\nP.__match_args__ = input()": false,
		known + "\nsetattr(P, '__match_args__', input())": false, known + "\nP: type = input": false, known + "\ndel P": false, known + "\nP = namedtuple('P', 'z')": false,
	} {
		if f := analyzetest.Facts(t, Reader(), imports+code+capture); (len(f.Dynamic[analyze.DynamicMember]) == 0) != want {
			t.Errorf("%s: known is %v, want %v: %v", code, !want, want, f.Dynamic)
		}
	}
}

// TestPythonWrittenMethods holds that a method which is written for a class, and may get another
// object than one of it, reads and stores what that has under the names of the fields.
func TestPythonWrittenMethods(t *testing.T) {
	t.Parallel()
	const data = "@dataclass\nclass P:\n    vformat: object\nclass K(P): pass\n"
	for _, code := range []string{
		"P.__init__(x, 1)", "K.__init__(x, 1)", "P.__init__(self=x, vformat=1)", "P.__init__(*x)", "i = P.__init__\ni(x, 1)", "list(map(P.__init__, [x], [1]))", "functools.partial(P.__init__, x)(1)", "getattr(P, '__init__')(x, 1)", "operator.attrgetter('__init__')(P)(x, 1)",
		"def f(c): c.__repr__(x)\nf(K)", "P.__eq__(x, y)", "K.__lt__(x, y)", "P.__ge__(x, y)", "P.__repr__(x)", "sorted(x, key=P.__repr__)", "P.__hash__(x)", "P.__setstate__(x, y)",
		"class S(string.Formatter):\n    __eq__ = P.__eq__", "class S(string.Formatter):\n    def m(self): P.__init__(self, 1)", "class Q(P):\n    init = P.__init__\nQ.init(x, 1)", "class Q(P):\n    x = property(P.__init__)", "class Q(P):\n    __eq__ = P.__eq__\nQ.__eq__(x, y)",
		"class Q(P):\n    i = __init__ = P.__init__", "class Q(P):\n    def m(self, o): return P.__eq__(self, o)\nQ.m(x, y)", "class Q(P):\n    @classmethod\n    def m(cls): super().__eq__(x, y)", "super(K, K).__repr__(x)", "x.__eq__(y, z)", "type(P(1)).__repr__(x)", "f(x.__repr__)",
		"D = make_dataclass('D', ['vformat'])\nD.__eq__(x, y)", "class S(str):\n    __class__ = P\nP(1) == S()",
	} {
		f := analyzetest.Facts(t, Reader(), fieldsImports+data+code)
		if !slices.Contains(f.Attrs, "vformat") && len(f.Dynamic[analyze.DynamicAttribute]) == 0 {
			t.Errorf("not seen:\n%s", code)
		}
	}
	for _, code := range []string{
		"class Q(P):\n    def __init__(self): P.__init__(self, 1)\n    def __repr__(self): return P.__repr__(self) + super().__repr__()\n    def __eq__(self, o): return P.__eq__(self, o) and super().__eq__(o)\n    __hash__ = P.__hash__\nQ().__repr__()",
		"p = P(1)\nprint(p, p == P(2), p < P(3), hash(p), p.__repr__(), p.__eq__(p), P.__init__.__doc__, P.__eq__ is object.__eq__)",
		"@dataclass\nclass R:\n    vformat: object\n    def __eq__(self, o): return True\nclass Q(R): pass\nQ.__eq__(x, y)",
		"class Q(P):\n    def __init__(self, *a): super().__init__(*a)\n    def __eq__(self, o): return True\nQ.__eq__(x, y)",
	} {
		f := analyzetest.Facts(t, Reader(), fieldsImports+data+code)
		if slices.Contains(f.Attrs, "vformat") || reported(f) {
			t.Errorf("seen without cause, dynamic %v:\n%s", f.Dynamic, code)
		}
	}
}

// TestPythonNamesOfFields holds that a field has no name by which the interpreter, or a function
// of the library, means something.
func TestPythonNamesOfFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, code string }{
		{"__globals__", "@dataclass\nclass P:\n    __globals__: object"}, {"__self__", "@dataclass(frozen=True)\nclass P:\n    __self__: object = None"}, {"__closure__", "class P(NamedTuple):\n    __closure__: object"}, {"__builtins__", "P = make_dataclass('P', ['__builtins__'])"},
	} {
		if f := analyzetest.Facts(t, Reader(), fieldsImports+tt.code); !slices.Contains(f.Attrs, tt.name) {
			t.Errorf("not seen:\n%s", tt.code)
		}
	}
	for _, code := range []string{
		"import ast\n@dataclass\nclass P:\n    _fields: object", "import ast\n@dataclass\nclass P:\n    _attributes: tuple = ()", "import ast\nP = make_dataclass('P', [('_fields', object)])", "@dataclass\nclass P:\n    tb_frame: object",
	} {
		if f := analyzetest.Facts(t, Reader(), fieldsImports+code); !reported(f) {
			t.Errorf("not seen:\n%s", code)
		}
	}
	accusesNone(t, fieldsImports+"@dataclass\nclass P:\n    __slots__ = ('x', '_y')\n    x: int\n    _y: str\nprint(P(1, 'a'))", "import ast\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    fields: list\nP([])")
}

// TestPythonFieldsForEver holds that fields by the names of such methods are looked at once.
func TestPythonFieldsForEver(t *testing.T) {
	t.Parallel()
	analyzetest.Facts(t, Reader(), fieldsImports+"@dataclass\nclass P(abc.ABC):\n    __eq__: object\n    __repr__: object\nN = collections.namedtuple('N', 'a.__repr__ __lt__')\nclass K(N, abc.ABC): pass\nK.register(str)\ndef f(c, x): return c.__eq__(x, c), c.__repr__\nmatch f(P, 1):\n    case K(a): pass\n    case P(a, b): pass")
}
