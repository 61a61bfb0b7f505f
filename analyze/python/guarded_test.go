package python

import (
	"testing"

	"sallyport/analyze"
)

// TestPythonAskedForItsClass holds that a method of plain data is called where isinstance says that the object is such
// data, wherever the object came from, and that nothing else is called there which nobody knows.
func TestPythonAskedForItsClass(t *testing.T) {
	t.Parallel()
	const far = "import json\ndef w(): return getattr(getattr(json.loads(input()), input()), input())\n"
	passes(t,
		"import dataclasses, datetime as dt\ndef enc(o):\n    if dataclasses.is_dataclass(o): return {f.name: enc(getattr(o, f.name)) for f in dataclasses.fields(o)}\n    if isinstance(o, dt.datetime): return o.isoformat()\n"+
			"    if isinstance(o, dict): return {k: enc(v) for k, v in o.items()}\n    return o\nprint(enc(input()))\n",
		"def tree(o):\n    if hasattr(o, '__dict__'):\n        for k, v in sorted(vars(o).items()): tree(v)\n    for n in dir(o): tree(getattr(o, n))\ntree(input())\n")
	for _, asks := range []string{
		"if isinstance(o, str): print(o.split(','))", "if isinstance(o, (str, bytes)): o.split(',')", "if o and isinstance(o, str): o.split(',')", "if isinstance(o, str) and o.split(','): pass",
		"print(o.split(',') if isinstance(o, str) else o)", "if not o: pass\n    elif isinstance(o, str): o.split(',')", "if not isinstance(o, str): return o\n    return o.split(',')",
		"if isinstance(o, str):\n        for part in [1]: print(lambda: o.split(','))", "for v in [o]:\n        if isinstance(v, str): v.split(',')", "print([v.split(',') for v in [o] if isinstance(v, str)])",
		"if (isinstance(o, str)):\n        if input(): o.split(',')", "for n in [1]:\n        v = w()\n        if n: v = w()\n        if isinstance(v, str): print(v.split(','))", "while o:\n        if not isinstance(o, str): break\n        o.split(',')\n        input()",
		"o = w()\n    if isinstance(o, str): print([part for part in o.split(',')])",
	} {
		passes(t, far+"def t(o):\n    "+asks+"\nt(w())\n")
	}
	passes(t, far+"class D(dict): pass\ndef t(o):\n    if isinstance(o, str): o.split(',')\nt(w())\n")
	for _, asks := range []string{
		"o.split('a')", "if isinstance(o, str): o('a')", "if isinstance(o, str): o.run('a')", "if isinstance(o, str):\n        o = w()\n        o.split('a')", "isinstance = lambda *a: True\n    if isinstance(o, str): o.split('a')",
		"str = object\n    if isinstance(o, str): o.split('a')", "if not isinstance(o, str): o.split('a')", "if isinstance(o, str) or True: o.split('a')", "if isinstance(o, str): pass\n    else: o.split('a')",
		"if isinstance(o, object): o.split('a')", "if isinstance(o, (str, object)): o.split('a')", "if isinstance(o, ()): o.split('a')", "q = 1\n    if isinstance(q, str): o.split('a')", "if isinstance(o, str): o.split('a')[0]('id')",
		"if isinstance(o, str):\n        f = o.split('a')\n        f('id')", "def g():\n        nonlocal o\n        o = w()\n    if isinstance(o, str):\n        g()\n        o.split('a')", "if isinstance(o, str): o.format('a')",
		"if isinstance(o, list): o.sort(key=print)", "if isinstance(o, str): pass\n    elif True: o.split('a')", "if not isinstance(o, str): pass\n    o.split('a')", "if input():\n        if not isinstance(o, str): return\n    o.split('a')",
		"if not isinstance(o, str):\n        if input(): return\n    o.split('a')", "if isinstance(o, str):\n        for o in [w()]: o.split('a')", "[o.split('a') for y in [1] if isinstance(y, str)]", "if isinstance(o, str):\n        [o.split('a') for o in [w()]]",
		"if isinstance(o, str) and (o := w()): o.split('a')", "if isinstance(o, str) is None: o.split('a')", "if isinstance([o], str): o.split('a')", "x = isinstance(o, str)\n    if x: o.split('a')", "if isinstance(o, str):\n        def g(o=w()): o.split('a')\n        g()",
		"for _ in range(2):\n        if isinstance(v, str):\n            for v in [o]: v.split('a')\n        else: v = ''", "for v in [o, '']:\n        if isinstance(v, str): k = lambda: v.split('a')",
		"if isinstance(o, str):\n        while True:\n            o.split('a')\n            o = w()", "if not isinstance(o, str): return\n    for _ in [1, 2]:\n        o.split('a')\n        o = w()", "if isinstance(o, str):\n        o += w()\n        o.split('a')",
		"if isinstance(o, str) and [o := w() for _ in [1]]: o.split('a')", "if isinstance(o, str):\n        import o\n        o.split('a')", "if isinstance(o, str):\n        with w() as (o, x): o.split('a')", "if isinstance(o, str):\n        match w():\n            case [o, *_]: o.split('a')",
		"if isinstance(o, str):\n        try: raise w()\n        except Exception as o: o.split('a')", "if isinstance(o, str):\n        def o(): pass\n        o.split('a')", "if isinstance(o, str):\n        class o: pass\n        o.split('a')", "if isinstance(o, str):\n        [o] = w()\n        o.split('a')",
		"def g():\n        nonlocal v\n        v = w()\n    v = o\n    if isinstance(v, str):\n        g()\n        v.split('a')", "v = o\n    if isinstance(v, str): k = lambda: v.split('a')\n    v = w()\n    k()", "v = o\n    if isinstance(v, str): (v.split('a') for _ in [1])\n    v = 1",
	} {
		fails(t, analyze.DynamicMember, far+"def t(o):\n    "+asks+"\nt(w())\n")
	}
	fails(t, analyze.DynamicMember, far+"o = w()\nif isinstance(o, str): o.split('a')\n", far+"def vars(x): return x\ndef t(o): vars(o).split('a')\nt(w())\n",
		far+"class E:\n    @property\n    def __dict__(self): return w()\ndef t(o): vars(o).pop('a')\nt(w())\n")
	for _, below := range []string{"class D:\n    __class__ = str\n    def __init__(self): self.split = w()", "class D(str): split = w()", "class D(str): pass\nD.split = w()", "class D(str): pass\nsetattr(D, input(), w())", "D = type('D', (str,), {'split': w()})", "class D(str):\n    def __getattr__(self, n): return w()"} {
		fails(t, analyze.DynamicMember, far+"def t(o):\n    if isinstance(o, str): o.split('a')\n"+below+"\nt(w())\n")
	}
	for _, own := range []string{
		"import collections\nclass D(collections.Counter): pop = w()", "import collections\nclass D(collections.OrderedDict): pass\nsetattr(D, input(), w())", "class D({}.__class__): pop = w()", "D = type('D', (*[dict],), {'pop': w()})",
		"import collections\nc = collections.Counter()\nc.pop = w()", "import collections\nc = collections.Counter()\nvars(c)[input()] = w()", "import collections\nc = collections.OrderedDict()\nc.__dict__.update({input(): w()})",
		"import http.cookies\nvars(http.cookies.SimpleCookie()).update({input(): w()})", "from unittest import mock\nm = mock.NonCallableMock(spec=dict, **{input(): w()})", "from unittest import mock\nm = mock.create_autospec({})\nm.pop.side_effect = w()",
		"class A: pass\nsetattr(A, input(), property(lambda s: dict))\nA.pop = w()", "class A:\n    pop = w()\n    def __getattribute__(self, n): return dict", "import weakref\nclass A: pop = w()\na = weakref.proxy(A())",
	} {
		fails(t, analyze.DynamicMember, far+"def t(o):\n    if isinstance(o, dict): o.pop('a')\n"+own+"\nt(w())\n")
	}
	for _, fields := range []string{"T = collections.namedtuple('T', 'count x')", "T = collections.namedtuple('T', 'cou' + 'nt')", "T = collections.namedtuple('T', ['count'])", "T = collections.namedtuple('T', input())", "class T(typing.NamedTuple): count: object", "T = typing.NamedTuple('T', [('count', object)])"} {
		fails(t, analyze.DynamicMember, far+"import collections, typing\ndef t(o):\n    if isinstance(o, tuple): o.count('a')\n"+fields+"\nt(w())\n")
	}
	passes(t, far+"import collections\nT = collections.namedtuple('T', 'x y')\nprint(vars(T).items(), {**vars(T)})\nclass D(collections.Counter): pass\ndef t(o):\n    if isinstance(o, tuple): o.count('a')\nt(w())\n")
}

// TestPythonNamesOfCalls holds that a name which each call of a function gives is known where all calls are seen, and
// that strict hears of it anyway.
func TestPythonNamesOfCalls(t *testing.T) {
	t.Parallel()
	const looks = "import shutil\ndef b(name, *x):\n    return getattr(shutil, name)\n"
	passes(t, looks+"b('copy')\n", looks+"for n in ['copy', 'move']: print(b(n, 1))\n", looks+"def c(n): return b(n)\nc('copy')\n")
	fails(t, analyze.DynamicAttribute, looks+"b('copy')\n")
	fails(t, analyze.DynamicMember, looks, looks+"b('copy')\nb(input())\n", looks+"b('copy')\nf = b\nf(input())\n", looks+"b('copy')\n[b][0](input())\n", looks+"b('copy')\nlist(map(b, [input()]))\n", looks+"b('copy')\nglobals()['b'](input())\n",
		looks+"b('copy')\nb.__call__(input())\n", looks+"b('copy')\nb(*[input()])\n", looks+"b('copy')\nb(**{'name': input()})\n", looks+"b('copy')\nimport sys\nsys.modules['__main__'].b(input())\n", looks+"b('copy')\nclass K: go = b\nK.go(input())\n",
		looks+"def c(n): return b(n)\nc('copy')\nd = c\nd(input())\n", "import shutil\ndef b(name='copy'):\n    return getattr(shutil, name)\nb()\nb.__defaults__ = (input(),)\n", "import shutil\ndef b(name):\n    name = input()\n    return getattr(shutil, name)\nb('copy')\n",
		"import shutil, functools\n@functools.cache\ndef b(name):\n    return getattr(shutil, name)\nb('copy')\n", "import shutil\nclass A:\n    def b(self, name): return getattr(shutil, name)\nA().b('copy')\n", "import shutil\nb = lambda name: getattr(shutil, name)\nb('copy')\n")
	reports(t, "import os\ndef b(name):\n    return getattr(os, name)\nb('system')('id')\n")
}

// TestPythonPlacesAndSignatures holds that going from one place of a traceback to the next is no matter, nor is what the
// code of a function says of its parameters, and that frames and code are.
func TestPythonPlacesAndSignatures(t *testing.T) {
	t.Parallel()
	const caught = "try: 1 / 0\nexcept Exception as e: tb = e.__traceback__\n"
	passes(t, caught+"while tb.tb_next: tb = tb.tb_next\nprint(tb.tb_lineno)\n", caught+"print(tb.tb_next is None, tb.tb_next == tb)\n")
	fails(t, analyze.DynamicFrame, caught+"tb.tb_next = input()\n", caught+"tb.tb_next, x = 1, 2\n", caught+"del tb.tb_next\n", caught+"for tb.tb_next in [1]: pass\n", caught+"print(tb.tb_next.tb_frame)\n", caught+"getattr(tb, 'tb_next')\n", "class T: tb_frame = tb_next = None\n")
	const f = "def f(a): pass\n"
	passes(t, f+"print(f.__code__.co_argcount, (f.__code__).co_varnames[:f.__code__.co_argcount], f.__code__.co_name.upper())\n", "def fire(h, *args): return h(*args[:h.__code__.co_argcount - 1])\nfire(print)\n")
	fails(t, analyze.DynamicAttribute, f+"f.__code__.co_argcount\n")
	fails(t, analyze.DynamicBytecode, f+"c = f.__code__\n", f+"print(f.__code__)\n", f+"f.__code__ = 1\n", f+"f.__code__.co_consts\n", f+"f.__code__.replace(co_name='x')\n", f+"getattr(f, '__code__').co_argcount\n", f+"(c := f.__code__).co_argcount\n",
		f+"f.__code__.co_argcount = 3\n", f+"for f.__code__.co_name in [1]: pass\n", f+"f.__code__.co_lines()\n", f+"f.__code__.co_argcount, f.__code__\n", "class A: __code__ = property(print)\nA().__code__.co_argcount\n", f+"f.gi_code.co_name\n", f+"f.__code__.co_filename\n")
}
