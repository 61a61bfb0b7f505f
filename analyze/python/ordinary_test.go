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
		"import hashlib\nprint(getattr(hashlib, input())(b'a').hexdigest())\n", "import errno, token\nprint({n: getattr(errno, n) for n in dir(errno)}, getattr(token, input()))\n", "print(getattr(int, input())(1, 2))\n", "import sys\nclass P:\n    def __getattr__(self, name): return getattr(sys.stdout, name)\n",
		"from operator import attrgetter\nclass K:\n    keys = ('a', 'b')\n    def __lt__(s, o): return attrgetter(*s.keys)(s) < attrgetter(*s.keys)(o)\n",
		"from operator import methodcaller\ndef run(s, name, *args): return methodcaller(name, *args)(s)\nprint(run('a', *input().split()))\n", "import operator\nOPS = {s: getattr(operator, n) for s, n in dict([input().split()]).items()}\nprint(OPS['+'](*input().split()))\n",
		"def run(value, names):\n    for name in names: value = getattr(value, name)\n    return value() if callable(value) else value\n",
		"def kept(f):\n    def g(self): return getattr(self, f'_kept_{f.__name__}')\n    g(kept)\n    return g\n",
	}
	passes(t, computing...)
	reports(t, computing...)
	fails(t, analyze.DynamicMember,
		"import math\ngetattr(getattr(math, input()), input())('id')\n", "import operator\nd = dict(vars(operator))\n", "import string\ngetattr(string, input())\n", "import operator, os\nfor m in (operator, os): getattr(m, input())('id')\n",
		"import math\ngetattr(math.sqrt, input())\n", "x = ()\nfor n in input().split(): x = getattr(x, n)\nprint(x()[100]('id'))\n", "x = ()\nfor n in input().split(): x = getattr(x, n)\nfor k in x(): k('id')\n",
		"from operator import methodcaller\nimport os\nmethodcaller(input(), *['id'])(os)\n", "from operator import attrgetter\nimport os\nattrgetter(*input().split())(os)\n",
		"from operator import attrgetter\nimport os\nprint(*map(attrgetter(*input().split()), [os]))\n",
		"def f(): pass\ngetattr(f, f'_{input()}')\n", "def f(): pass\ngetattr(f, '_' + '_' + input())\n",
		"from operator import methodcaller\ns = 'a'\nfor name, *args in [input().split()]: s = methodcaller(name, *args)(s)\n", "from operator import attrgetter\nattrgetter(input())('')('id')\n",
		"import hashlib\ngetattr(hashlib, input())[input()]('1')\n", "import hashlib\n{**getattr(hashlib, input())}['eval']('1')\n", "import operator\nfor v in getattr(operator, input()).values(): v('1')\n",
		"import hashlib, types\ntypes.SimpleNamespace(**getattr(hashlib, input())).eval('1')\n", "import hashlib, collections\ncollections.ChainMap(getattr(hashlib, input()))['eval']('1')\n", "import hashlib\n(getattr(hashlib, input()) | {})['eval']('1')\n",
		"import hashlib\nmatch getattr(hashlib, input()):\n    case {'eval': f}: f('1')\n", "import operator\nd = {'a': getattr(operator, input())}\nfor k in d['a'](input())(())(): k('id')\n",
		"import operator\nd = {n: getattr(operator, n) for n in dir(operator)}\nd['__builtins__'][input()]('1')\n", "import operator\ngetattr(operator, input())(input())(object)\n",
		far+"for k in x(): getattr(k, input())('id')\n", far+"vars(x())['a']('id')\n")
}

// far is something that two names which are not known led to.
const far = "x = getattr(getattr('', input()), input())\n"

// TestPythonCallsWalked holds that what a call without arguments of something walked to gives may be shown, returned and
// walked on, and goes nowhere where it is not followed.
func TestPythonCallsWalked(t *testing.T) {
	t.Parallel()
	passes(t, far+"print(x())\n", far+"y = x() or x\nprint(f'{y}')\n", "def run(value, names):\n    for name in names:\n        value = getattr(value, name)\n        if callable(value): value = value()\n    return value\n")
	fails(t, analyze.DynamicMember,
		far+"class A: pass\na = A()\na.x = x()\na.x('id')\n", far+"class A(x()): pass\nA('id')\n", far+"sorted(['id'], key=x())\n", far+"import threading\nthreading.Thread(target=x(), args=('id',)).start()\n",
		far+"import queue\nq = queue.Queue()\nq.put(x())\nq.get()('id')\n", far+"class A(metaclass=x()): pass\n", far+"try: raise ValueError(x())\nexcept ValueError as e: e.args[0]('id')\n")
}

// TestPythonPartialPatched holds that what a test puts in the place of functools.partial makes text.
func TestPythonPartialPatched(t *testing.T) {
	t.Parallel()
	const head = "import functools, timeit\n"
	passes(t, head+"timeit.timeit(functools.partial(print, 1))\n")
	fails(t, analyze.DynamicCode, head+"from unittest import mock\nwith mock.patch('functools.partial', str): timeit.timeit(functools.partial(input()))\n")
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
		"class B: pass\nx = B.__subclasses__()\nx.append(object)\nfor c in x: print(c.__subclasses__())\n", "class B:\n    @classmethod\n    def all(cls): return cls.__base__.__subclasses__()\n",
		classes+"import inspect\ninspect.unwrap(vars(B)['all'])(object)\n", classes+"import weakref\nweakref.WeakMethod(B.all)._func_ref()(object)\n", classes+"import queue\nq = queue.Queue()\nq.put(B.all)\ngetattr(q.get(), input())(object)\n",
		classes+"for v in vars(B).values(): getattr(v, input())(object)\n", classes+"for v in B.__dict__.values(): getattr(v, input())(object)\n", classes+"import inspect\nfor n, v in inspect.getmembers(B): getattr(v, input())(object)\n", classes+"getattr(B, 'all')\n",
		"import inspect\nclass B:\n    @inspect.unwrap\n    @classmethod\n    def all(cls): return cls.__subclasses__()\nB.all(object)\n", "def d(f): return f\nclass B:\n    @d\n    @classmethod\n    def all(cls): return cls.__subclasses__()\n",
		"class B:\n    @classmethod\n    def all(cls): return cls.__subclasses__()\n    f = all\n")
}

// TestPythonTypesAsked holds that a program may ask for types, and that a text which is no annotation of its source is none.
func TestPythonTypesAsked(t *testing.T) {
	t.Parallel()
	const asks, unknown = "import dataclasses, typing\n", "s = input()\n"
	for _, code := range []string{
		"def f(a: int, b: 'list[str] | None' = None) -> typing.Optional['A']: pass\nclass A: pass\nprint(typing.get_type_hints(f))\n",
		"@typing.runtime_checkable\nclass P(typing.Protocol): pass\nclass A:\n    def __init__(self, p: P, q: 'P', *r: typing.Callable[[int], str]): pass\ndef made(c): return typing.get_type_hints(c.__init__)\nprint(made(A))\n",
		"@dataclasses.dataclass\nclass A:\n    x: typing.Annotated[int, 1]\n    y: typing.Literal['a'] = 'a'\nprint(typing.get_type_hints(A))\n",
	} {
		passes(t, asks+code)
		reports(t, asks+code)
	}
	const given = "def deco(c): return s\n"
	for _, code := range []string{
		"class B: pass\nB.C = s\nclass f: x: 'B.C'\n", "class B: C = s\nclass f: x: 'B.C'\n", "class M(type):\n    def __getattr__(c, n): return s\nclass B(metaclass=M): pass\nclass f: x: 'list[B.C]'\n", "class B:\n    def __class_getitem__(c, n): return s\nclass f: x: 'B[0]'\n",
		"class M(type):\n    def __or__(c, n): return s\nclass B(metaclass=M): pass\nclass f: x: 'B | None'\n", "class M(type):\n    def __new__(c, *a): return s\nclass B(metaclass=M): pass\nclass f: x: B\n", "def m(*a): return s\nclass B(metaclass=m): pass\nclass f: x: 'B'\n",
		given + "@deco\nclass B: pass\nclass f: x: B\n", given + "@deco\nclass B: pass\nclass f: x: 'B'\n", "from unittest import mock\nclass B: pass\nmock.patch('__main__.B', s).start()\nclass f: x: 'B'\n", "class f:\n    g = s\n    x: 'g'\n",
		"class f:\n    __module__ = 'os'\n    x: 'system'\n", "class f: x: 'system'\nf.__module__ = 'os'\n", "import functools, os\n@functools.wraps(os.walk, assigned=(), updated=())\ndef f(x: 'system'): pass\n",
		"class A:\n    def __getattr__(self, n): return {'a': s}\nf = A()\n", "class M(type):\n    def __prepare__(*a): return {s: {'a': s}}\nclass f(metaclass=M): pass\n", "f = type('f', (), {s: {'a': s}})\n", "import types\nf = types.new_class('f', (), {}, lambda ns: ns.update({s: {'a': s}}))\n",
		"class A: pass\nf = A()\nsetattr(f, s, {'a': s})\n", "class f: pass\nsetattr(f, s, {'a': s})\n", "def f(): pass\nsetattr(f, s, {'a': s})\n", "import queue\nclass f: pass\nq = queue.Queue()\nq.put(f)\nsetattr(q.get(), s, {'a': s})\n", "class f:\n    @classmethod\n    def put(cls, v): setattr(cls, s, v)\nf.put({'a': s})\n", "class A: pass\nf = A()\nf.__dict__.update({s: {'a': s}})\n", "f = typing.TypedDict('f', **{'a': s})\n",
		"def f(a: s): pass\n", "class f: a: s\n", "def f(a: 's'): pass\n", "def f(a: 'typing.Optional[s]'): pass\n", "class f: x: \"list['print(1)']\"\n", `class f: x: "list['print\\x281)']"` + "\n", "def f(a: typing.List[s]): pass\n", "T = typing.Optional[s]\ndef f(a: T): pass\n", "f = typing.NamedTuple('f', [('a', s)])\n",
		"f = typing.TypedDict('f', {'a': s})\n", "def f(): pass\nf.__annotations__ = {'a': s}\n", "class f: __annotations__ = dict(a=s)\n", "class f: locals()['__annotations__']['a'] = s\n", "f = type('f', (), {'__annotations__': {'a': s}})\n",
		"f = dataclasses.make_dataclass('f', [('a', s)])\n", "def m(s):\n    def f(a: s): pass\n    return f\nf = m(s)\n", "import types\nf = types.SimpleNamespace(__annotations__={'a': s})\n", "def f(a: typing.TypeVar('T', bound=s)): pass\n",
	} {
		fails(t, analyze.DynamicCode, asks+unknown+code+"typing.get_type_hints(f)\n", asks+unknown+code+"def g(x): return typing.get_type_hints(x)\ng(f)\n")
	}
	fails(t, analyze.DynamicCode, asks+unknown+"class M(type):\n    def put(self, k, v): setattr(self, k, v)\nclass f(metaclass=M):\n    @classmethod\n    def types(cls): return typing.get_type_hints(cls)\nf.put(s, {'a': s})\nf.types()\n")
	fails(t, analyze.DynamicCode, asks+unknown+"def f(a: 'x'): pass\ntyping.get_type_hints(f, {'x': s})\n", unknown+"import inspect\ndef f(a: s): pass\ninspect.get_annotations(f, eval_str=True)\n",
		unknown+"import inspect\ndef f(a: s): pass\ninspect.signature(f, eval_str=True)\n")
}

// TestPythonTypesNamed holds that what the text of an annotation names counts as named where the program asks for types.
func TestPythonTypesNamed(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"def f(x: 'os.system'): pass\n", "def f(x: 'list[os.system]'): pass\n", "from os import system\nclass f: x: 'system | None'\n"} {
		if f := analyzetest.Facts(t, Reader(), "import os, typing\n"+code+"typing.get_type_hints(f)['x']('id')\n"); len(f.Uses["os.system"]) == 0 {
			t.Errorf("nobody names os.system:\n%s", code)
		}
	}
	passes(t, "import typing\nclass F:\n    def __set__(self, o, v): o.__dict__[self.name] = v\nclass B:\n    def __init_subclass__(cls):\n        for n in cls.fields(): setattr(cls, n, F())\n    def __init__(self, **k):\n        for n in k: setattr(self, n, k[n])\n    @classmethod\n    def fields(cls): return typing.get_type_hints(cls)\n",
		"import dataclasses, typing\ndef register(c): return c\n@register\nclass A: pass\n@dataclasses.dataclass\nclass B:\n    a: 'A'\n    b: 'typing.Optional[B]'\n    c: 'dict[str, list[A]] | None'\nprint(typing.get_type_hints(B))\n",
		"import typing, datetime as dt\nclass A:\n    def f(self, d: 'dt.datetime', e: 'A'): self.__dict__.get('a')\nprint(typing.get_type_hints(A.f))\n")
}

// TestPythonDataclassesOfLists holds that fields which stand in a list that is given on the spot are known.
func TestPythonDataclassesOfLists(t *testing.T) {
	t.Parallel()
	const made = "import dataclasses\nclass A: pass\n"
	passes(t, made+"print(dataclasses.make_dataclass('P', [('x', int), ('y', int, dataclasses.field(default=0)), 'z'], bases=(A,)))\n")
	fails(t, analyze.DynamicCode, made+"dataclasses.make_dataclass('P', [input()])\n", made+"f = ['x']\n[A][0](f)\ndataclasses.make_dataclass('P', f)\n", made+"dataclasses.make_dataclass('P', [(input(), int)])\n")
}

// TestPythonNamesItsOwnModule holds that a program may find its own module by its own name, and patch what it has in it.
func TestPythonNamesItsOwnModule(t *testing.T) {
	t.Parallel()
	const head = "import os, sys\nfrom unittest import mock\ndef f(): pass\n"
	passes(t, head+"with mock.patch(f'{__name__}.f', return_value=1): f()\n", head+"@mock.patch.object(sys.modules[__name__], 'f')\ndef test(m): f()\n", head+"with mock.patch.dict({'a': 1}, {'b': 2}) as d: print(d)\n")
	fails(t, analyze.DynamicImport, head+"mock.patch.dict(input(), {})\n", head+"mock.patch(f'{input()}.f')\n", head+"__name__ = input()\nmock.patch(f'{__name__}.f')\n")
	fails(t, analyze.DynamicMember, head+"getattr(sys.modules[__name__], input())\n", head+"sys.modules[__name__].__dict__[input()]\n")
	fails(t, analyze.DynamicPatch, head+"setattr(sys.modules[__name__], input(), 1)\n")
	for _, code := range []string{
		"__name__ = 'os'\nsys.modules[__name__].system('id')\n", "def g(__name__): sys.modules[__name__].system('id')\ng('os')\n", "mock.patch.object(sys.modules[__name__], '__name__', 'os').start()\nsys.modules[__name__].system('id')\n",
		"mock.patch('__main__.__name__', 'os').start()\nsys.modules[__name__].system('id')\n", "globals()['__name__'] = 'os'\nsys.modules[__name__].system('id')\n", "setattr(sys.modules[__name__], '__name__', 'os')\nsys.modules[__name__].system('id')\n",
	} {
		if f := analyzetest.Facts(t, Reader(), head+code); !slices.Contains(f.Names, "sys.modules") {
			t.Errorf("sys.modules is not seen:\n%s", code)
		}
	}
	if f := analyzetest.Facts(t, Reader(), head+"mock.patch(f'{__name__}.f', eval).start()\nf('1')\n"); len(f.Uses["builtins.eval"]) < 2 {
		t.Error("a call of what a test puts under a name is not seen")
	}
}

// TestPythonShowsWhatHappened holds that what may be a traceback may be shown, unless objects of the program pass for one.
func TestPythonShowsWhatHappened(t *testing.T) {
	t.Parallel()
	shown := []string{
		"import logging\nclass F(logging.Formatter):\n    def format(self, record): return self.formatException(record.exc_info)\n", "import logging, traceback\nclass H(logging.Handler):\n    def emit(self, r): print(traceback.format_exception(*r.exc_info))\n",
		"import traceback\nclass A:\n    def __exit__(self, t, e, tb): traceback.print_exception(t, e, tb)\n", "import logging\ndef fail(e): logging.error('a', exc_info=e)\n",
	}
	passes(t, shown...)
	reports(t, shown...)
	fails(t, analyze.DynamicFrame,
		"import traceback\nclass T: tb_frame = tb_next = None\ndef show(t): print(traceback.format_tb(t))\n[show][0](T())\n", "import traceback\nclass A:\n    def __getattr__(self, n): return A()\ndef show(t): print(traceback.format_tb(t))\n[show][0](A())\n",
		"import traceback\nfrom unittest.mock import Mock\ndef show(t): print(traceback.format_tb(t))\n[show][0](Mock())\n", "import traceback, types\ndef show(t): print(traceback.format_tb(t))\n[show][0](types.SimpleNamespace(**{'tb_frame': 1}))\n",
		"import traceback, collections\ndef show(t): print(traceback.format_tb(t))\n[show][0](collections.namedtuple('T', 'tb_frame tb_next')(1, 2))\n", "import logging\nclass T: pass\nlogging.error('a', exc_info=(1, 2, T()))\n")
}

// TestPythonLoggingIsMade holds that what a configuration of logging calls is seen as called.
func TestPythonLoggingIsMade(t *testing.T) {
	t.Parallel()
	const head = "import json, logging, logging.config, os\nclass F(logging.Filter): pass\n"
	configured := func(maker string) string {
		return head + "logging.config.dictConfig({'version': 1, 'filters': {'a': {'()': " + maker + ", 'command': 'id'}}})\n"
	}
	passes(t, configured("F"), configured("F, 'x': 'b'"), head+"logging.config.dictConfig({'version': 1, 'handlers': {'a': {'class': 'logging.StreamHandler', 'level': input()}}})\n")
	for _, maker := range []string{"os.system", "'os.system'", "'ext://os.system'"} {
		f := analyzetest.Facts(t, Reader(), configured(maker))
		if !slices.ContainsFunc(f.Uses["os.system"], func(u analyze.Use) bool { return u.How == analyze.HowCall }) {
			t.Errorf("%s is not called", maker)
		}
	}
	fails(t, analyze.DynamicImport, configured("input()"), configured("'cfg://b'"), configured("F, 'x': input()"), configured("F, 'x': ['a', {'b': input()}]"), configured("F, 'x': 'cfg://b'"), configured("lambda f, command: f(command), 'f': f'{input()}'"),
		head+"import collections\nlogging.config.dictConfig({'filters': {'a': collections.OrderedDict([('()', input())])}})\n", head+"class D(dict): pass\nlogging.config.dictConfig({'filters': {'a': D(input())}})\n", head+"logging.config.dictConfig({'filters': input()})\n", head+"logging.config.dictConfig(json.load(open('a')))\n", head+"logging.config.dictConfig({'filters': {'a': {input(): input()}}})\n")
}
