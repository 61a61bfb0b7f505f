package python

import (
	"fmt"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// firstOpened returns what a program gives to open where it first does.
func firstOpened(t *testing.T, code string) analyze.Arg {
	t.Helper()
	uses := analyzetest.Facts(t, Reader(), code).Uses["builtins.open"]
	if len(uses) == 0 || len(uses[0].Args) == 0 {
		t.Fatalf("%s: %+v", code, uses)
	}
	return uses[0].Args[0]
}

// TestPythonShownPaths wants to know which file a function is given where that is
// no constant.
func TestPythonShownPaths(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"open(f'/home/{x}/f')":                   "/home/*",
		"open('/srv/part%d.csv' % x)":            "/srv/*",
		"open('/srv/' + x)":                      "/srv/*",
		"open('../out' + x)":                     "../*",
		"open(f'out/{x}')":                       "",
		"open(f'/{x}')":                          "",
		"open(f'/t{x}')":                         "",
		"open(x)":                                "",
		"open(os.path.expanduser('~/.aws/key'))": "~/.aws/*",
		"open(os.path.join(os.path.expanduser('~'), 'key'))": "~/*",
		"def f(p):\n  open(p)\nf('/etc/shadow')\nf(x)":       "/etc/shadow",
		"for p in ['/tmp/a', '/etc/shadow', x]:\n  open(p)":  "/etc/shadow",
		"for p in ['a', 'b']:\n  open(p)":                    "",
		"open(os.path.expanduser('~/a').replace('a', 'b'))":  "",
		"open(['a', '/etc/shadow'])":                         "/etc/shadow", // as configparser reads
		"open(('a', 'b'))":                                   "",
		"open({'/etc/shadow': 'a'})":                         "",
	} {
		if got := firstOpened(t, "import os\nx = input()\n"+code+"\n").MayBe; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestPythonNumberedFiles wants to know which file a text names in which numbers of a loop stand, and
// not where something else may stand there.
func TestPythonNumberedFiles(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"for i in range(3): open(f'a{i}.csv')":                                      "a*.csv",
		"for i in range(2, n, -1): open(f'a{i}.csv')":                               "",
		"for i in range(len(x)): open(f'a{i + 1}.csv')":                             "a*.csv",
		"for i in range(3): open(f'{i:02d}_{i * 2 % 5:3}.csv')":                     "*_*.csv",
		"for i in range(3):\n  for j in range(3): open(f'{i}/{j}.csv')":             "*/*.csv",
		"for i, _ in enumerate(x): open(f'a{i}.csv')":                               "a*.csv",
		"for i, _ in enumerate(x, start=1): open(f'a{i:03}.csv')":                   "a*.csv",
		"k = 0\nwhile x:\n  k += 1\n  open(f'a{k}.csv')":                            "a*.csv",
		"k = 0\nwhile x:\n  k = k + 1\n  open(f'a{k}.csv')":                         "a*.csv",
		"for i in range(3): open('out/' + f'a{i}.csv')":                             "out/a*.csv",
		"for i in range(3): open(os.path.join('out', f'a{i}.csv'))":                 "out/a*.csv",
		"for i in range(3): open(Path('out') / f'a{i}.csv')":                        "out/a*.csv",
		"[open(f'a{i}.csv') for i in range(3)]":                                     "a*.csv",
		"def f(i): open(f'a{i}.csv')\nfor i in range(3): f(i)":                      "a*.csv",
		"for i in range(3): open(f'a{i:x}.csv')":                                    "",
		"for i in range(3): open(f'a{i:{n}}.csv')":                                  "",
		"for i in range(3): open(f'a{i:>30}.csv')":                                  "",
		"for i in range(3): open(f'a{i!r}.csv')":                                    "",
		"for i in range(3): open(f'a{i!s:02}.csv')":                                 "",
		"for i in range(3): open(f'a{i!s}.csv')":                                    "a*.csv",
		"for i in range(3): open(f'a{i / 2}.csv')":                                  "",
		"for i in range(3): open(f'a{x}{i}.csv')":                                   "",
		"for i in range(3):\n  open(f'a{i}.csv')\n  i = x":                          "",
		"for i in range(3):\n  open(f'a{i}.csv')\n  i += x":                         "",
		"k = 0\nk += x\nopen(f'a{k}.csv')":                                          "",
		"k = 0\nk *= 'x'\nopen(f'a{k}.csv')":                                        "",
		"k = x\nk += 1\nopen(f'a{k}.csv')":                                          "",
		"for i in range(3): open(f'a{str(i)}.csv')":                                 "",
		"for i in range(x): open(f'a{i}.csv')":                                      "",
		"class N(int): pass\nfor i in range(N(2**70), N(2**71)): open(f'a{i}.csv')": "",
		"class N(int): pass\nfor i, _ in enumerate(x, N(2**70)): open(f'a{i}.csv')": "",
		"def range(n): return x\nfor i in range(3): open(f'a{i}.csv')":              "",
		"def enumerate(n): return x\nfor i, _ in enumerate([3]): open(f'a{i}.csv')": "",
		"for i, y in enumerate(x): open(f'a{y}.csv')":                               "",
		"for y in enumerate(x): open(f'a{y}.csv')":                                  "",
		"for *i, y in enumerate(x): open(f'a{i}.csv')":                              "",
		"for i, _ in zip(range(3), x): open(f'a{i}.csv')":                           "a*.csv",
		"def f(i): open(f'a{i}.csv')\nfor i in range(3): f(i)\nf(x)":                "",
		"def f(i): open(f'a{i}.csv')\nfor i in range(3): f(i)\nprint(f)":            "",
		"for i in range(3): open(t'a{i}.csv')":                                      "",
	} {
		if got := firstOpened(t, "import os\nfrom pathlib import Path\nx = input()\nn = input()\n"+code+"\n").Path; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestPythonPairs wants to know which file a text names that stands at its own place in what zip, enumerate and
// items give, and not where it may stand at another.
func TestPythonPairs(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]any{
		"for k, v in {'a.csv': x}.items(): open(k)":                                                         "a.csv",
		"for v, k in zip(x, ['a.csv']): open(k)":                                                            "a.csv",
		"for i, k in enumerate(['a.csv']): open(k)":                                                         "a.csv",
		"for i, (k, v) in enumerate({'a.csv': x}.items()): open(k)":                                         "a.csv",
		"for (i, v), k in zip(enumerate(x), ('a.csv', 'a.csv')): open(k)":                                   "a.csv",
		"[open(k) for k, _ in zip(['a.csv'], x, strict=True)]":                                              "a.csv",
		"for k, v in {'a.csv': x}.items(): open(v)":                                                         nil,
		"for v, k in {'a.csv': x}.items(): open(k)":                                                         nil,
		"for k, v in {'a.csv': x, x: 1}.items(): open(k)":                                                   nil,
		"d = {'a.csv': x}\nd[x] = 1\nfor k, v in d.items(): open(k)":                                        nil,
		"d = {'a.csv': x}\nprint(x(d))\nfor k, v in d.items(): open(k)":                                     nil,
		"l = ['a.csv']\nl.append(x)\nfor v, k in zip(x, l): open(k)":                                        nil,
		"l = ['a.csv']\nx(l)\nfor v, k in zip(x, l): open(k)":                                               nil,
		"for *k, v in zip(['a.csv'], x): open(v)":                                                           nil,
		"for v, *k in zip(['a.csv'], x): open(k[0])":                                                        nil,
		"for k in zip(['a.csv'], x): open(k[-1])":                                                           nil,
		"for k in zip(['a.csv'], x): open(k[n])":                                                            nil,
		"for k in zip(['a.csv'], x):\n  for e in k: open(e)":                                                nil,
		"for k, v in zip(*[['a.csv'], x]): open(k)":                                                         "a.csv",
		"for k, v in reversed(list(zip(['a.csv'], x))): open(v)":                                            nil,
		"l = [list(e) for e in zip(['a.csv'], x)]\nfor e in l:\n  e.reverse()\n  open(e[0])":                nil,
		"for k, v in sorted(zip(x, ['a.csv'])): open(k)":                                                    nil,
		"def zip(a, b): return [(b, a)]\nfor k, v in zip(['a.csv'], [x]): open(k)":                          nil,
		"class D(dict):\n  def items(self): return [(x, 1)]\nfor k, v in D({'a.csv': 1}).items(): open(k)":  nil,
		"d = {'a.csv': 1}\nd.setdefault(x)\nfor k, v in d.items(): open(k)":                                 nil,
		"d = {'a.csv': 1}\nd.setdefault('a.csv')\nfor k, v in d.items(): open(k)":                           "a.csv",
		"import mimetypes\nd = {'a.csv': 1, **mimetypes.types_map}\nfor k, v in d.items(): open(k)":         nil,
		"import mimetypes\nd = {'a.csv': 'b.csv', **mimetypes.types_map}\nopen(d['a.csv'])":                 nil,
		"match {'q': 1, x: 2}:\n  case {'q': _, **r}: pass\nfor k, v in {'a.csv': 1, **r}.items(): open(k)": nil,
		"match [{'q': 1, x: 2}]:\n  case [{**r}]: pass\nfor k, v in {'a.csv': 1, **r}.items(): open(k)":     nil,
		"match ['q', x]:\n  case [_, *r]: pass\nfor i, k in enumerate(['a.csv', *r]): open(k)":              nil,
	} {
		if got := firstOpened(t, "x = input()\nn = input()\n"+code+"\n").Value; got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
}

// TestPythonPairsBesideParameters holds that what a call gives in pairs and what a parameter takes in are apart,
// whatever the numbers of the call and of the parameter are.
func TestPythonPairsBesideParameters(t *testing.T) {
	t.Parallel()
	for n := range 100 {
		params := ""
		for k := range n {
			params += fmt.Sprintf("v%d=0, ", k)
		}
		f := analyzetest.Facts(t, Reader(), "[[open(k) for k, v in zip(['a.csv'], 'b')] for _ in [(lambda "+params+"**r: r)(main=1)]]\n")
		if got := f.Uses["builtins.open"][0].Args[0].Value; got != "a.csv" {
			t.Errorf("with %d parameters: %v", n, got)
		}
	}
}

// TestPythonHomeward wants paths known as pathlib makes them, which then begin with the name
// of a home directory.
func TestPythonHomeward(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"pathlib.Path('./~/.profile')":                   "~/.profile",
		"pathlib.Path('.//./~root')":                     "~root",
		"(pathlib.Path('a').parent / '~' / 'x')":         "~/x",
		"pathlib.Path('./a~')":                           "a~",
		"pathlib.Path('a/~')":                            "a/~",
		"pathlib.Path('a.txt').with_name('b')":           "b",
		"[p for p in pathlib.Path('.').iterdir()][0]":    "",
		"pathlib.Path('/tmp/~')":                         "/tmp/~",
		"[p for p in pathlib.Path('.').glob('?a.t')][0]": "",
	} {
		f := analyzetest.Facts(t, Reader(), "import pathlib\n"+code+".expanduser().read_text()\n")
		uses := f.Uses["pathlib.Path.read_text"]
		if len(uses) == 0 {
			t.Fatalf("%s: not seen", code)
		}
		if got := uses[0].Path; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
