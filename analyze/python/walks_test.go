package python

import (
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPythonWalks holds that what is put into the directories that os.walk goes on with is seen, and that
// programs leave some of them out as a matter of course.
func TestPythonWalks(t *testing.T) {
	t.Parallel()
	off := func(code string) bool {
		uses := analyzetest.Facts(t, Reader(), "import os, pathlib, heapq\n"+code).Uses["os.walk"]
		return slices.ContainsFunc(uses, func(u analyze.Use) bool { return u.Splat })
	}
	const each = "for r, d, f in os.walk('.'): "
	for _, code := range []string{
		each + "d.append('/usr')", each + "d.append(input())", each + "d += ['../a']", each + "d.append(os.pardir)", each + "d[:] = [os.path.sep]", each + "d[:0] = '/'", each + "d[:] = ['/usr']", each + "d[0] = '/usr'", each + "d.extend(input())",
		each + "list(map(d.append, ['/usr']))", each + "heapq.heappush(d, '/usr')", each + "getattr(d, 'insert')(0, b'/usr')", each + "d.__iadd__(['/usr'])",
		each + "list.append(d, '/usr')",
		"def put(l): l.append('/usr')\n" + each + "put(d)",
		"for t in os.walk('.'): t[1].append('/usr')", "for r, d, f, fd in os.fwalk('.'): d.append('/usr')", "for r, d, f in pathlib.Path('.').walk(): d.append('/usr')",
		"for t in os.walk('.'): t[-2].append('/usr')", "for t in os.fwalk('.'): t[-3].append('/usr')",
		"class A: pass\na = A()\nfor r, a.d, f in os.walk('.'): a.d += ['/usr']", "k = [0]\nfor r, k[0], f in os.walk('.'): k[0] += ['/usr']",
		"w = os.walk('.')\nnext(w)[1].insert(0, '/usr')", "[d.append('/usr') for r, d, f in os.walk('.')]",
	} {
		if !off(code) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{
		each + "d[:] = [x for x in d if not x.startswith('.')]", each + "d[:] = sorted(set(d) - {'a'})", each + "d[:] = []", each + "d.remove('a')", each + "d.sort()", each + "del d[:]",
		"class L(list):\n    def append(self, x): super().append(x)\n    def go(self): list.append(self, 1)\n" + each + "L().append(r)",
		"class A:\n    def __init__(self): self.all, self.d = [], []\n    def go(self):\n        for r, d, f in os.walk('.'):\n            self.d += d\n            self.d.extend(d)\n            self.all.append(r)\n            self.all += [r + '/a']\n            self.all.append('a')\n            d[:] = [x for x in d if x != 'a']\nA().go()",
		"class A:\n    def __init__(self): self.d = []\n    def go(self):\n        " + each + "self.d += d\n        self.d.append(input())\nA().go()", "class A(input()):\n    def __init__(self):\n        super().__init__('/a')\n        input().__init__(self, '../a')\n" + each + "A()", "s = input()\n" + each + "s += '/usr'",
		each + "print(len(d), d + f, [os.path.join(r, x) for x in d])", each + "d.append('sub')", "x = []\n" + each + "x.extend(d)\nprint(list(os.walk('.')), next(os.walk('.'))[1])",
	} {
		if off(code) {
			t.Errorf("an ordinary walk:\n%s", code)
		}
	}
}
