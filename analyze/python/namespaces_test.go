package python

import (
	"strings"
	"testing"
)

// unseenNames is a dictionary of one name that nobody sees, and of what copies an object if the name says so.
const unseenNames = "import types, functools\nf = lambda *a: (object, ())\nh = dict([(input(), f)])\nb = types.SimpleNamespace()\n"

// TestPythonNamedByOthers holds that attributes under names that nobody sees are noticed where something copies objects,
// or reads what _fields names, by whatever they come to be there.
func TestPythonNamedByOthers(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		// A namespace takes what a dictionary, or pairs, have, since CPython 3.13.
		"b = types.SimpleNamespace(h)", "b = types.SimpleNamespace([(input(), f)])", "b = types.SimpleNamespace(zip([input()], [f]))", "b = types.SimpleNamespace(*[h])",
		"class D:\n    def keys(self): return [input()]\n    def __getitem__(self, k): return f\nb = types.SimpleNamespace(D())",
		"b = functools.partial(types.SimpleNamespace, h)()", "b = next(map(types.SimpleNamespace, [h]))", "b = [types.SimpleNamespace][0](h)", "class N(types.SimpleNamespace): pass\nb = N(h)",
		"class N(types.SimpleNamespace): pass\nb = {'n': N}['n'](h)", "class N(types.SimpleNamespace):\n    def __init__(self, d): super().__init__(d)\nb = N(h)",
		// Its __init__, called of the class.
		"types.SimpleNamespace.__init__(b, **h)", "functools.partial(types.SimpleNamespace.__init__, b)(**h)", "types.MethodType(types.SimpleNamespace.__init__, b)(**h)",
		"def g(f): f(b, **h)\ng(types.SimpleNamespace.__init__)", "class N(types.SimpleNamespace): pass\nb = N()\nN.__init__(b, **h)", "class N(types.SimpleNamespace): pass\nb = N()\n(lambda g: g(b, **h))(N.__init__)",
		"class N(types.SimpleNamespace):\n    def __init__(self, d): super().__init__(**d)\nb = N(h)", "class N(types.SimpleNamespace):\n    def put(self, d): super().__init__(**d)\nb = N()\nb.put(h)",
		"class M:\n    def __init__(self, d): super().__init__(**d)\nclass N(M, types.SimpleNamespace): pass\nb = N(h)", "class N(types.SimpleNamespace):\n    def __init__(self, d, **k):\n        k |= d\n        super().__init__(**k)\nb = N(h)",
		"class N(types.SimpleNamespace):\n    def __init__(self, d):\n        g = super().__init__\n        g(**d)\nb = N(h)", "class N(types.SimpleNamespace):\n    @classmethod\n    def of(cls, d): return cls(**d)\nb = N.of(h)",
		// What makes another of an object with other fields.
		"import dataclasses\n@dataclasses.dataclass(init=False)\nclass N(types.SimpleNamespace):\n    a: int = 1\nb = dataclasses.replace(N(a=1), **h)",
		// Records of logging.
		"import logging\nb = logging.makeLogRecord(h)", "import logging\nb = logging.getLogger('a').makeRecord('a', 1, 'p', 1, 'm', (), None, extra=h)",
		"import logging\nl = logging.getLogger('a')\nclass E(logging.Handler):\n    def emit(self, r): print(r)\nl.warning('x', extra=h)", "import logging\nl = logging.getLogger('a')\nl.filters.append(print)\nl.warning('x', extra=h)",
		"import logging\nl = logging.getLogger('a')\nl.handle = print\nl.warning('x', extra=h)", "import logging\nclass E:\n    def format(self, r): print(r)\nlogging.LoggerAdapter(logging.getLogger('a'), h).warning('x')",
	} {
		reports(t, "import copy\n"+unseenNames+way+"\ncopy.copy(b)\n", "import ast\n"+unseenNames+way+"\nprint(ast.dump(b))\n")
	}
	reports(t,
		"import copy, types\nb = copy.replace(types.SimpleNamespace(), **dict([(input(), print)]))\n", "import copy, types\nr = [copy.replace]\nb = r[0](types.SimpleNamespace(), **dict([(input(), print)]))\n",
		"import copy, functools, sys\nb = functools.partial(copy.replace, sys.implementation, **dict([(input(), print)]))()\n",
		"import ast, argparse\np = argparse.ArgumentParser()\np.set_defaults(**dict([(input(), 1)]))\n", "import ast, argparse\np = argparse.ArgumentParser()\np.add_argument('--a', dest=input())\n",
		"import ast, functools, types\ndef g(): pass\nfunctools.update_wrapper(g, types.SimpleNamespace(**dict([(input(), 1)])))\nprint(list(ast.iter_fields(g)))\n")
	accusesNone(t,
		unseenNames+"b = types.SimpleNamespace(h)\n", // which nothing copies
		"import copy, types\nclass N(types.SimpleNamespace):\n    def __init__(self, **k):\n        k.pop('x', None)\n        super().__init__(**k)\nprint(copy.deepcopy(N(a=1)))\n",
		"import copy, types\nclass N(types.SimpleNamespace): pass\ndef g(x: types.SimpleNamespace): return isinstance(x, types.SimpleNamespace) or type(x) is types.SimpleNamespace\nprint(g(copy.deepcopy(N(a=1))), types.SimpleNamespace({'a': 1}))\n",
		"import copy, dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\nprint(copy.replace(P(1), x=2), dataclasses.replace(P(1), **{input(): 2}))\n",
		"import copy, logging\nclass F(logging.Handler):\n    def emit(self, r): print(copy.copy(r))\nlogging.warning('a', extra={'user': input()})\n",
		"import dataclasses, json, logging\nclass E(logging.Handler):\n    def emit(self, r): print(r)\nlogging.warning('a', extra=json.loads(input()))\n", // of which nothing is copied
		"import copy, logging\ndef g(m, d): logging.warning(m, extra=d)\nprint(copy.copy([1]))\n")
}

// TestPythonParsersCopy holds that a parser of arguments is seen as what copies an object: what is there before it collects values.
func TestPythonParsersCopy(t *testing.T) {
	t.Parallel()
	const made = "import argparse\nb = argparse.Namespace(**dict([(input(), print)]))\np = argparse.ArgumentParser()\n"
	for _, way := range []string{
		"p.add_argument('-a', action='append', default=b)", "p.add_argument('-a', action='append_const', const=1, default=b)", "p.add_argument('-a', action='extend', nargs='+', default=b)", "p.add_argument('-a', action=input(), default=b)",
		"p.add_argument('-a', **dict([('action', 'append'), ('default', b)]))", "a = p.add_argument\na('-a', action='append', default=b)", "p.add_argument('-a', action='append').default = b",
		"p.set_defaults(a=b)\np.add_argument('-a', action='append')", "p.add_argument('-a', action='append')\np.parse_args([], b)", "p.add_argument('-a', action='append')\np.parse_known_args([], namespace=b)",
		"p = argparse.ArgumentParser(argument_default=b)\np.add_argument('-a', action='append')", "p.add_argument('-b', dest='a', action='store_const', const=b)\np.add_argument('-a', action='append')",
		"p.add_argument('a', type=lambda s: b)\np.add_argument('-a', action='append')", "q = p.add_subparsers().add_parser('x', argument_default=b)\nq.add_argument('-a', action='append')",
	} {
		reports(t, made+way+"\n")
	}
	accusesNone(t, made+"p.add_argument('-a', action='append', default=['x'])\np.add_argument('-b', type=int, default=1)\np.set_defaults(run=print)\nprint(p.parse_args())\n",
		made+"p.add_argument('-a', default=b)\nprint(p.parse_args([]))\n")
}

// TestPythonNamesOfProperties holds that what says under which name a property keeps what it found is seen.
func TestPythonNamesOfProperties(t *testing.T) {
	t.Parallel()
	reports(t,
		"import functools\nclass C(functools.cached_property):\n    def __set_name__(self, o, n): super().__set_name__(o, input())\n", "import functools\nclass M:\n    def __set_name__(self, o, n): super().__set_name__(o, input())\nclass C(M, functools.cached_property): pass\n",
		"import functools\nc = functools.cached_property(print)\nlist(map(c.__set_name__, [None], [input()]))\n", "import functools\nc = functools.cached_property(print)\ns = c.__set_name__\ns(None, input())\n")
	accusesNone(t, "class D:\n    def __set_name__(self, o, n): self.n = '_' + n\n    def __get__(self, o, c): return 1\nclass A: x = D()\n",
		"import functools\nclass A:\n    @functools.cached_property\n    def x(self): return 1\n")
}

// TestPythonSlotsOfOthers holds that names in __slots__ are seen which come there after the interpreter has made the class.
func TestPythonSlotsOfOthers(t *testing.T) {
	t.Parallel()
	const copied = "    def __setstate__(self, s): print(s)\n"
	ways := []string{
		"S = ['a']\nclass K:\n    __slots__ = S\n{copied}S.append(input())", "S = ['a']\nclass K:\n    __slots__ = S\n{copied}S += [input()]", "S = ['a']\nclass K:\n    __slots__ = S\n{copied}list(map(lambda l: l.append(input()), [S]))",
		"S = {'a': 1}\nclass K:\n    __slots__ = S\n{copied}S.setdefault(input())", "S = ['a']\nclass M: __slots__ = S\nclass K(M):\n{copied}S.append(input())", "class K:\n    __slots__ = ['a']\n{copied}K.__slots__.append(input())",
		"class K:\n    __slots__ = S = ['a']\n{copied}K.S.append(input())", "class K:\n    __slots__ = ['a']\n    __slots__.append\n{copied}", "class K:\n{copied}K.__slots__ = [input()]", "class K:\n{copied}K.__slots__ = ('__getattribute__',)",
		"class K:\n{copied}setattr(K, '__slots__', [input()])", "class I:\n    def __iter__(self): return iter([input()])\nclass K:\n    __slots__ = I()\n{copied}", "class T(str):\n    def __eq__(self, o): return True\n    __hash__ = str.__hash__\nclass K:\n    __slots__ = (T('a'),)\n{copied}",
	}
	for _, way := range ways {
		reports(t, "import copy\n"+strings.ReplaceAll(way, "{copied}", copied)+"\ncopy.copy(K())\n")
	}
	accusesNone(t, "import copy\nF = ('a', 'b')\nclass A: __slots__ = F\nclass B: __slots__ = F + ('c',)\nclass C: __slots__ = ['x', 'y']\nclass D: __slots__ = {'a': 'what it is'}\nclass E: __slots__ = tuple(f for f in F)\nclass G: __slots__ = [f'x{i}' for i in range(3)]\nclass H: __slots__ = 'one'\nclass J: __slots__ = 'one', 'two'\nclass I:\n    __slots__ = ()\n    __slots__: tuple = ('a', '__dict__')\n",
		"import copy\nclass A: __slots__ = ('a',)\nclass B(A):\n    __slots__ = A.__slots__ + ('b',)\n    def size(self): return len(self.__slots__)\n", strings.ReplaceAll(ways[0], "{copied}", copied))
}
