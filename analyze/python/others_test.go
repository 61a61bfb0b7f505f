package python

import (
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPythonMethodsOfOthers holds that a method which asks self for what the library keeps for itself is seen wherever it may
// get an object of the library instead: its class went away or came back, it has no object, or another method gives it on.
func TestPythonMethodsOfOthers(t *testing.T) {
	t.Parallel()
	const held = "import dataclasses, functools, pathlib, queue, types, typing\nq = queue.Queue()\nq.put(pathlib.Path('a'))\nclass A:\n    _flavour = None\n    def g(self): return self._flavour\n"
	for _, way := range []string{
		"type('Z', (A,), {}).g(q.get())",
		"type('Z', (A,), {}).g(*[q.get()])",
		"types.new_class('Z', (A,)).g(q.get())",
		"def f(x: A): pass\nf.__annotations__['x'].g(q.get())",
		"@dataclasses.dataclass\nclass D: a: A\ndataclasses.fields(D)[0].type.g(q.get())",
		"typing.get_args(list[A])[0].g(q.get())",
		"typing.Annotated[A, 1].g(q.get())",
		"typing.get_args(A | int)[0].g(q.get())",
		"@functools.singledispatch\ndef h(x): pass\n@h.register\ndef _(x: A): pass\n[k for k in h.registry][0].g(q.get())",
		"functools.partial(A).func.g(q.get())",
		"({A} - {1}).pop().g(q.get())",
		"class M:\n    def __matmul__(s, o): return o.g(q.get())\nM() @ A",
		"class P:\n    @property\n    def z(self): return self._flavour\n({P} - {1}).pop().z.fget(q.get())",
		"class P:\n    def s(self): return self._flavour\n    z = property(s)\n({P} - {1}).pop().z.fget(q.get())",
		"o = q.get()\nclass P:\n    def h(self=o): return self._flavour\n({P} - {1}).pop().h()",
		"S = staticmethod\nclass P:\n    @S\n    def h(self): return self._flavour\nP().h(q.get())",
		"class P:\n    h = staticmethod(lambda self: self._flavour)\nP().h(q.get())",
		"class P:\n    def h(self): return A.g(self)\nP.h(q.get())",
		"class P(A):\n    def h(self): return A.g(self)\nlist(map(P.h, [q.get()]))",
		"class M(type):\n    _flavour: int\n    def h(self): return self._flavour\nclass P(pathlib.PurePosixPath, metaclass=M): pass",
		"q.put(pathlib.PurePosixPath)\nclass P(q.get(), A): pass",
		"class P(type('Z', (A,), {})): pass\nP.g(q.get())",
		"q.put(pathlib.PurePosixPath)\nclass P(q.get()):\n    def h(self): return self._flavour",
		"class P:\n    def h(self): return self._flavour\nclass R(P, pathlib.PurePosixPath): pass",
		"class P:\n    def h(self): return A.g(self)\nclass R(P, pathlib.PurePosixPath): pass",
		"@dataclasses.dataclass(init=False)\nclass D: _flavour: object\nclass P(q.get(), D): pass",
		"class P(pathlib.PurePosixPath): __match_args__ = ('_flavour',)\nmatch P('a'):\n    case P(f): pass",
	} {
		reports(t, held+way+"\n")
	}
	accusesNone(t, held+"A().g()\n", held+"class P(A):\n    def h(self): return self.g()\nq.put(A())\nq.get().g()\nP().h()\n", held+"def f(x: A): return x.g()\nf(A())\n",
		held+"class P(A):\n    def g(self): return A.g(self)\nP().g()\n", held+"class P(A):\n    def g(self): return super().g()\nP().g()\n", held+"print(isinstance(q.get(), A))\nclass R(pathlib.PurePosixPath): pass\n")
	const data = "import collections\nf = open('a.txt', 'wb', buffering=0)\nclass U(collections.UserString):\n    def g(self): return collections.UserString.lower(self)\n"
	reports(t, data+"({U} - {1}).pop().g(f)\n", data+"class P:\n    def h(self): return U.g(self)\nP.h(f)\n")
	accusesNone(t, data+"print(U('a').g())\n")
}

// fieldNamed are the uses by which a program names a field of a dataclass.
func fieldNamed(t *testing.T, code string) int {
	t.Helper()
	return len(analyzetest.Facts(t, Reader(), code).Uses["dataclasses.Field.name"])
}

// TestPythonFieldsOfOthers holds that who names a field of a dataclass is seen wherever a field may have come from, and not where
// an object of the program's own is named.
func TestPythonFieldsOfOthers(t *testing.T) {
	t.Parallel()
	_ = analyze.HowAssign
	const made = "import dataclasses, enum, typing\nfrom dataclasses import dataclass, field\n"
	for _, way := range []string{
		"@dataclass\nclass D:\n    _: dataclasses.KW_ONLY = field(default=1)\nD._.name = input()",
		"@dataclass\nclass D:\n    _: 'dataclasses.KW_ONLY' = field(default=1)\nD._.name = input()",
		"K = dataclasses.KW_ONLY\n@dataclass\nclass D:\n    _: K = field(default=1)\nD._.name = input()",
		"@dataclass\nclass D(typing.NamedTuple):\n    x: int = field(default=1)\nD()[0].name = input()",
		"@dataclass\nclass D(enum.Enum):\n    x: int = field(default=1)\nD.x.value.name = input()",
		"class V:\n    def __get__(self, o, c): c.x.name = input()\n@dataclass\nclass D:\n    x: int = field(default=1)\n    y: int = V()",
		"@dataclass\nclass D:\n    x: int = field(default=1)\n    y: int\n    @classmethod\n    @property\n    def y(cls): cls.x.name = input()",
		"@dataclass\nclass D:\n    x: int = field(default=1)\n    y: int = classmethod(property(lambda cls: setattr(cls.x, 'name', input())))",
		"@dataclass\nclass D:\n    x: int = field(default=1)\nfor v in vars(D).values():\n    for f in v.values(): f.name = input()",
		"import inspect\n@dataclass\nclass D:\n    x: int = field(default=1)\nfor n, v in inspect.getmembers(D): v['x'].name = input()",
		"@dataclass\nclass D:\n    x: int = field(default=1)\ngetattr(D, input())['x'].name = input()",
		"L = locals\n@dataclass\nclass D:\n    x: int = field(default=1)\n    g = L()['x']\nD.g.name = input()",
		"class B: pass\ntry:\n    @dataclass\n    class D(B):\n        x: int = field(default=1)\n        y: list = []\nexcept ValueError: B.__subclasses__()[0].x.name = input()",
	} {
		if fieldNamed(t, made+way+"\n") == 0 {
			t.Errorf("seen by nobody:\n%s", way)
		}
	}
	const own = made + "class A:\n    def put(self, name): self.name = name\n@dataclass\nclass B: x: int = 1\nf = dataclasses.fields(B)[0]\n"
	for _, way := range []string{
		"A.__dict__['put'](f, input())", "vars(A)['put'](f, input())", "getattr(A, input())(f, input())", "type(A()).put(f, input())", "A().__class__.put(f, input())", "A().put.__func__(f, input())",
		"class Z(A): pass\nsuper(Z, Z).put(f, input())", "class Z(A):\n    @classmethod\n    def go(cls): cls.put(f, input())", "class Z(A):\n    @classmethod\n    def go(cls): super().put(f, input())",
		"import queue\nq = queue.Queue()\nq.put(A)\nq.get().put(f, input())", "for K in A.__subclasses__(): K.put(f, input())", "type('Z', (A,), {}).put(f, input())", "typing.get_args(list[A])[0].put(f, input())",
		"class Z(A):\n    def __init_subclass__(cls): cls.put(f, input())", "class M(type):\n    def go(cls): cls.put(f, input())\nclass Z(A, metaclass=M): pass", "import inspect\nfor n, v in inspect.getmembers(A): v(f, input())",
		"class Z:\n    def go(self, name): A.put(self, name)\nZ.go(f, input())", "class Z:\n    __slots__ = f.__slots__\n    def put(self, name): self.name = name\nf.__class__ = Z\nf.put(input())",
		"class Z:\n    @property\n    def z(self): return 1\n    @z.setter\n    def z(self, name): self.name = name\n({Z} - {1}).pop().z.fset(f, input())",
		"Z = type('Z', (A, type(f)), {})\n", "import pathlib\nf.name = '_flavour'", "f.name = 'tb_frame'",
		"@dataclass\nclass K: name: str\nclass Z(K):\n    def go(self, name): K.__init__(self, name)\nZ.go(f, input())",
	} {
		if fieldNamed(t, own+way+"\n") == 0 {
			t.Errorf("seen by nobody:\n%s", way)
		}
	}
	for _, way := range []string{"A().put(input())", "for o in [A()]: o.put(input())", "class Z(A):\n    def __init__(self, name): self.put(name)\nZ(input())", "class Z(A):\n    def put(self, name): super().put(name)\nZ().put(input())",
		"class Z(A):\n    def put(self, name): A.put(self, name)\nZ().put(input())", "print([getattr(B(), f.name) for f in dataclasses.fields(B)])", "f.name = 'y'"} {
		if fieldNamed(t, own+way+"\n") > 0 {
			t.Errorf("named:\n%s", way)
		}
	}
}

// TestPythonPutUnseen holds that what went under a name that nobody sees is seen where it comes back: in the body of a class, in
// what is looked up far away, and in what a method need not be given.
func TestPythonPutUnseen(t *testing.T) {
	t.Parallel()
	const far = "class H:\n    def m(self): pass\nn, o, c = input().split()\nfar = getattr(getattr(H(), n), o)\ndef f(x): return x\n"
	fails(t, analyze.DynamicPatch,
		far+"class A:\n    locals()[n] = far['eval']\n    f(c)\n", far+"class A: vars().update({n: far['eval']})\n", far+"class A: vars().update(far)\n", far+"class A: vars().update(**{n: far['eval']})\n",
		"from dataclasses import dataclass\n@dataclass\nclass A: locals()[input()] = {'a': int}\n")
	fails(t, analyze.DynamicMember, far+"class A:\n    locals().update({'f': far['eval']})\n    f(c)\n",
		far+"h = H()\nh.f = far.get('eval')\nh.f(c)\n", far+"import queue\nq = queue.Queue()\nq.put(far.get('eval'))\nq.get()(c)\n", far+"try: raise ValueError(far.get('eval'))\nexcept ValueError as e: e.args[0](c)\n")
	if f := analyzetest.Facts(t, Reader(), "import io\nn = input()\ndef f(x): return x\nclass A:\n    locals()[n] = io.open\n    f('a')\n"); len(f.Uses["io.open"]) < 2 && len(f.Uses["builtins.open"]) == 0 {
		t.Errorf("what is called in the body of a class: %v", f.Uses)
	}
	passes(t, far+"print(far.get('a'))\n", "class A:\n    for n in input().split(): locals()[n] = property(print)\n    del n\n")
	const method = "import os\nfrom unittest import mock\nclass C:\n    def m(self, name): return getattr(self, input())\n"
	fails(t, analyze.DynamicMember, method+"setattr(C.m, input(), ('a',))\nC.m(os)\n", method+"mock.patch.object(C.m, '__defaults__', ('a',)).start()\nC.m(os)\n",
		"import os\nclass D:\n    def __init__(self, f): self.f = f\n    def __call__(self, o): return self.f(o, 1)\nclass C:\n    def m(self, name): return getattr(self, input())\n    m = D(m)\nC.m(os)\n",
		"import os\nprint(super(type(os), os).__getattribute__(input()))\n")
	passes(t, method+"C().m(os)\n")
}
