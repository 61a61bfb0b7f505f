package python

import "testing"

// TestPythonTypeTexts holds that text which typing compiles is seen, and that types are not.
func TestPythonTypeTexts(t *testing.T) {
	t.Parallel()
	const start = "import functools, operator, queue, typing\nfrom typing import List as L\nT = typing.TypeVar('T')\nV = typing.List[int]\nG = typing.Set\nclass B(typing.Generic[T]): pass\n" +
		"def through(g):\n    q = queue.Queue()\n    q.put(g)\n    return q.get()\nt = input()\n"
	for _, way := range []string{
		"typing.List[t]", "typing.Optional[t]", "typing.Union[int, t]", "typing.Callable[[t], int]", "typing.Callable[[int], t]", "typing.Annotated[t, 1]", "typing.Tuple[t, ...]",
		"typing.List[typing.Set[t]]", "typing.List['a' + t]", "typing.List[f'{t}']", "typing.List[str(t)]", "typing.List[[t][0]]", "typing.List[t if t else int]", "typing.Union[(int, t)]",
		"L[t]", "G[t]", "B[t]", "[typing.List][0][t]", "through(typing.List)[t]", "getattr(typing, 'List')[t]", "(lambda g: g[t])(typing.List)",
		"operator.getitem(typing.List, t)", "operator.itemgetter(t)(typing.List)", "typing.List.__getitem__(t)", "list(map(typing.List.__getitem__, [t]))",
		"typing.Any | t", "t | typing.Any", "typing.List[int] | t", "V | t", "T | t", "operator.or_(V, t)",
		"typing.TypeVar('T', bound=t)", "typing.TypeVar('T', int, t)", "typing.ParamSpec('P', bound=t)", "typing.NamedTuple('N', [('a', t)])",
		"def f(a: typing.List[t]): pass", "def f(a) -> B[t]: pass", "a: typing.List[t] = 1", "class N(typing.NamedTuple):\n    a: t", "class N(typing.TypedDict):\n    a: t",
		"typing.List['print(__import__)']", "typing.List[T][t]", "A = typing.List[T]\nA[t]", "A = typing.Dict[T, int]\nB2 = A[T]\nB2[t]", "typing.TypedDict('N', a=t)",
	} {
		reports(t, start+way+"\n")
	}
	const asked = "import collections, operator, types\nclass E:\n    def __getattr__(self, n): return [1]\nx = E()\n"
	reports(t, asked+"list[x]", asked+"collections.deque[x]", asked+"dict[str, x]", asked+"operator.getitem(list, x)", asked+"types.GenericAlias(list, (x,))")
	accusesNone(t,
		"from typing import Any, Callable, Dict, Generic, List, NamedTuple, Optional, TypeVar, Union\nT = TypeVar('T')\nF = TypeVar('F', bound=Callable[..., Any])\nN = TypeVar('N', int, float)\n"+
			"Vec = List[float]\nMat = List[Vec]\nJSON = Union[Dict[str, 'JSON'], List['JSON'], str, None]\nclass Box(Generic[T]):\n    def __init__(self, v: Optional[T] = None): self.v = v\n"+
			"class Pt(NamedTuple):\n    x: int\n    y: Optional[float] = None\n    z: 'Box[int]' = None\ndef f(a: Mat, b: Optional['Box[int]'], c: Box[Vec]) -> Union[T, None]: return None\n"+
			"b: Box[int] = Box(1)\nP2 = NamedTuple('P2', [('x', int), ('y', Optional[Vec])])\nprint(Box[int](3))",
		"from string import digits\nimport typing\nx = digits\nx = x[1:]\ny = x[input()]\nx = x[input()]\nP = typing.TypedDict('P', {'a': int}, total=False)\n",
		"import typing as t\nclass Node(t.Generic[t.TypeVar('K')]):\n    kids: t.List['Node']\n",
		"from typing import Annotated, Literal, NewType, Optional\nMode = Literal['r', 'w(x)']\nx: Annotated[Optional[int], 'meta', len('a')] = 1\nId = NewType('Id', int)\ndef f(m: Mode | None, i: Optional[Id]): return m\n",
		"from typing import List\nd = {'a': 1}\nk = input()\ndef f(rows: List[dict]): return rows[len(k)]\nprint(d.get(k), f([]))\ntext = '(a b)'\nprint(text)",
		"class E:\n    def __getattr__(self, n): return n\ndef f(a: list[int], b: dict[str, list[str]]): return a\n",
		"from typing import Any, List, Optional\nclass C:\n    def __getitem__(self, k) -> Optional[List[Any]]: return None\n",
		"import enum\nclass C(enum.Enum):\n    A = 1\nprint(C[input()])")
}
