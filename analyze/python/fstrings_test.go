package python

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestTextOfAlternatives judges code in an f-string for each of the texts that it can be.
func TestTextOfAlternatives(t *testing.T) {
	t.Parallel()
	unseen := func(source string) bool {
		return len(analyzetest.Facts(t, Reader(), source).Dynamic[analyze.DynamicCode]) > 0
	}
	const head = "from timeit import timeit\ndef one(x): return x\ndef two(x): return x\n"
	for _, body := range []string{
		"for name in ('one', 'two'): timeit(f'{name}(3)', setup=f'from __main__ import {name}')",
		"for name in ['one', 'two']: timeit(f'{name}(3)', globals=globals())",
		"for f in (one, two): timeit(f'{f.__name__}(3)', setup=f'from __main__ import {f.__name__}')",
		"all = (one, two)\ndef bench():\n  for f in all:\n    name = f.__name__\n    timeit(f'{name}(3)', globals=globals())\nbench()",
		"def bench(f, n):\n  call = f'{f.__name__}({n})'\n  timeit(f'__main__.{call}', setup='import __main__')\nfor n in (3, 5, 2 ** 70):\n  for f in (one, two): bench(f, n)",
		"def bench(f, n):\n  timeit(f'z.{f.__name__}({n}, x=[{n}])', setup='import __main__ as z')\nfor n in range(15):\n  for f in (one, two): bench(f, n)",
		"def bench(text): timeit(text)\nbench('one(1)')\nbench('two(2)')",
		"def bench(name, k=1): timeit(f'{name}({k})')\nbench('one')\nbench('two', k=2)",
	} {
		if unseen(head + body) {
			t.Errorf("code that is not known in:\n%s", body)
		}
	}
	for _, body := range []string{ // the same, with something that is not seen
		"for name in ('one', input()): timeit(f'{name}(3)')",
		"for name in ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'): timeit(f'{name}(3)')",
		"for a in ('a', 'b', 'c'):\n  for b in ('d', 'e', 'f'): timeit(f'{a}({b})')",
		"for name in ('one', 'two'): timeit(f'{name:>30}(3)')",
		"for name in ('one', 'two'): timeit(f'{name!r}(3)')",
		"for n in (1, 2): timeit(f'one{n}(3)')",
		"for n in (1, 2): timeit(f'one(x{n})')",
		"for n in (1, 2): timeit(f'one(x.{n})')",
		"for n in (1, 2): timeit(f'one({n}.x)')",
		"for n in (1, 2): timeit(f'one({n}{n})')",
		"for n in (1, 2): timeit(f'eval(chr({n}))')",
		"for n in (1, 2): timeit(f'\\x00{n}')",
		"for n in (157, 163): timeit(f'one(\\'\\\\{n}s\\')')", // an octal escape
		"for n in range(100, 200): timeit(f'__import__(\\'\\\\{n}\\' \\'s\\').system(1)')",
		"for n in range(100, 200): timeit(f\"d['{n}']()\")",
		"for n in (1, 2): timeit(f'exec(\"import os; os.system({n})\")')",
		"def bench(name): timeit(f'{name}(3)')",
		"def bench(name): timeit(f'{name}(3)')\nbench(input())",
		"def bench(name): timeit(f'{name}(3)')\nbench('one')\nprint(map(bench, input()))",
		"def load_tests(name, a, b): timeit(f'{name}(3)')\nload_tests('one', 1, 2)",
		"def ｌoad_tests(name, a, b): timeit(f'{name}(3)')\nload_tests('one', 1, 2)",
		"def bench(name): timeit(name)",
		"def bench(name): timeit(name)\nbench('one(1)')\nbench(input())",
		"one.__name__ = input()\nfor f in (one, two): timeit(f'{f.__name__}(3)')",
		"setattr(one, input(), input())\nfor f in (one, two): timeit(f'{f.__name__}(3)')",
		"import functools\nfunctools.update_wrapper(one, two)\nfor f in (one, two): timeit(f'{f.__name__}(3)')",
		"from unittest import mock\nmock.patch.object(one, '__na' + input(), input()).start()\nfor f in (one, two): timeit(f'{f.__name__}(3)')",
		"from unittest import mock\nmock.patch.object(globals()[input()], '__na' + input(), input()).start()\nfor f in (one, two): timeit(f'{f.__name__}(3)')",
		"for f in (one, lambda x: x): timeit(f'{f.__name__}(3)')",
		"for f in (one, input()): timeit(f'{f.__name__}(3)')",
		"class one: __name__ = input()\nfor f in (one(), two): timeit(f'{f.__name__}(3)')",
	} {
		if !unseen(head + body) {
			t.Errorf("all code is known in:\n%s", body)
		}
	}
	for _, body := range []string{
		"for name in ('one', 'os.system'): timeit(f'{name}(\"id\")', setup='import os')",
		"for name in ('one', 'two'): timeit(f'{name}(3)', setup=f'from os import system as {name}')",
		"from os import system\nfor name in ('one', 'system'): timeit(f'{name}(\"id\")', globals=globals())",
		"def bench(name): timeit(f'{name}(\"id\")', setup='import os')\nbench('one')\nbench('os.system')",
		"def bench(n): timeit(f'os.system({n})', setup='import os')\nfor n in (3, 5): bench(n)",
		"from os import system\ndef bench(f): timeit(f'{f.__name__}(3)', globals=globals())\nfor f in (one, two): bench(f)\nfor two in (system,): pass",
		"t = ['1', '__import__(\"os\").system(\"id\")']\nfor n in (0, 1): timeit(f'eval(t[{n}])')",
	} {
		if names := analyzetest.Facts(t, Reader(), head+body).Names; !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".system") }) {
			t.Errorf("no os.system among %v in:\n%s", names, body)
		}
	}
}
