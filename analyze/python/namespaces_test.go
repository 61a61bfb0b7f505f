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

// TestPythonCopiesItself holds that what is below collections.UserDict is seen as what copies an object: its method copy does.
func TestPythonCopiesItself(t *testing.T) {
	t.Parallel()
	reports(t,
		unseenNames+"import collections\nclass D(collections.UserDict, types.SimpleNamespace): pass\nb = D()\ntypes.SimpleNamespace.__init__(b, **h)\nb.copy()\n",
		unseenNames+"from collections import UserDict as U\nb = types.SimpleNamespace(**h)\nlist(map(U.copy, [b]))\n",
		unseenNames+"from collections import *\nclass D(UserDict): pass\nb = D()\nfunctools.update_wrapper(b, types.SimpleNamespace(**h))\n")
	accusesNone(t, unseenNames+"import collections\nb = types.SimpleNamespace(**h)\nprint(collections.Counter('a').copy())\n",
		"import collections, types\nclass D(collections.UserDict):\n    def half(self): return self.copy()\nprint(D(a=1).half(), types.SimpleNamespace(b=1))\n")
}

// TestPythonNamespacesMixed holds that a namespace is seen that is at the same time an object of the library which does what
// attributes of it say.
func TestPythonNamespacesMixed(t *testing.T) {
	t.Parallel()
	reports(t,
		unseenNames+"import enum\nclass P(enum.property, types.SimpleNamespace): pass\ntypes.SimpleNamespace.__init__(P(), **h)\n",
		unseenNames+"import enum, argparse\nclass P(enum.property, argparse.Namespace): pass\n",
		unseenNames+"class P(types.DynamicClassAttribute, types.SimpleNamespace): pass\n",
		unseenNames+"import enum\nclass Q(enum.property): pass\nclass P(Q, types.SimpleNamespace): pass\n")
	accusesNone(t, "import types, abc, collections.abc\nclass P(types.SimpleNamespace, collections.abc.Sized):\n    def __len__(self): return 1\nclass Q(types.SimpleNamespace, abc.ABC): pass\nprint(P(a=1), Q())\n")
}

// TestPythonMembersNamedByMaker holds that members are seen which what makes a class puts into it under names that nobody sees:
// where something copies objects, and where the class comes from one of the library.
func TestPythonMembersNamedByMaker(t *testing.T) {
	t.Parallel()
	const f = "f = lambda *a: (object, ())\n"
	for _, way := range []string{
		"        d[input()] = f\n        return super().__new__(m, n, b, d)", "        d.update({input(): f})\n        return super().__new__(m, n, b, d)", "        d |= {input(): f}\n        return super().__new__(m, n, b, d)",
		"        d.setdefault(input(), f)\n        return type.__new__(m, n, b, d)", "        return super().__new__(m, n, b, {**d, input(): f})", "        return super().__new__(m, n, b, {k + input(): v for k, v in d.items()})",
		"        d = dict(d)\n        d[input()] = f\n        return super().__new__(m, n, b, d)", "        e = d\n        e[input()] = f\n        return super().__new__(m, n, b, d)", "        fill(d)\n        return super().__new__(m, n, b, d)",
		"        d['__reduce_ex__'] = f\n        return super().__new__(m, n, b, d)", "        for d[input()] in [f]: pass\n        return super().__new__(m, n, b, d)", "        d.__setitem__(input(), f)\n        return super().__new__(m, n, b, d)",
		"        put = d.update\n        put({input(): f})\n        return super().__new__(m, n, b, d)", "        del d[input()]\n        return super().__new__(m, n, b, d)", "        (lambda: d)()[input()] = f\n        return super().__new__(m, n, b, d)",
		"        a = m, n, b, {input(): f}\n        return super().__new__(*a)",
	} {
		maker := f + "class M(type):\n    def __new__(m, n, b, d):\n" + way + "\n"
		reports(t, "import copy\n"+maker+"class C(metaclass=M): pass\ncopy.copy(C())\n", "import enum\n"+maker+"class C(enum.property, metaclass=M): pass\nclass D(C): pass\n")
	}
	reports(t, "import copy\n"+f+"class M(type):\n    def __new__(m, *a):\n        a[2][input()] = f\n        return super().__new__(m, *a)\nclass C(metaclass=M): pass\ncopy.copy(C())\n",
		"import copy\n"+f+"class M(type):\n    @classmethod\n    def made(m, d): return super().__new__(m, 'C', (), d)\ncopy.copy(M.made({input(): f})())\n",
		"import copy, abc\n"+f+"class M(abc.ABCMeta): pass\ncopy.copy(M.__new__(M, 'C', (), {input(): f})())\n")
	for _, way := range []string{
		"    def __new__(m, n, b, d, **k):\n        d['tag'] = n.lower()\n        d.setdefault('x', 1)\n        d.update({'y': 2})\n        kept = {a: c for a, c in d.items() if not a.startswith('_')}\n        d['kept'] = kept\n        if 'z' in d: del d['z']\n        for a in d: print(a, d[a], d.get(a))\n        return super().__new__(m, n, b, d, **k)",
		"    def __new__(m, *a, **k): return super().__new__(m, *a, **k)", "    def __new__(m, n, b, d): return super().__new__(m, n, b, dict(d))", "    def __call__(c, *a): return super().__call__(*a)", "    def __new__(m, n, b, d): return super().__new__(m, n, b, {'a': 1})",
	} {
		accusesNone(t, "import copy\nclass M(type):\n"+way+"\nclass C(metaclass=M): pass\ncopy.copy(C())\n")
	}
	accusesNone(t, "class M(type):\n    def __new__(m, n, b, d): return super().__new__(m, n, b, {k.upper(): v for k, v in d.items()})\nclass C(metaclass=M): x = 1\nprint(C.X)\n", // which nothing copies
		"import copy, collections\nclass P(collections.namedtuple('P', 'a b c')):\n    def __new__(cls, *a): return super().__new__(cls, a[0], *a[1:])\nclass Q(tuple):\n    def __new__(cls, a, b, c): return super().__new__(cls, (a, b, c))\ncopy.copy(P(1, 2, 3))\n")
}
