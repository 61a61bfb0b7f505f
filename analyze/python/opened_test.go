package python

import (
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// pathsGiven are what the first argument names in each use of a function: a path, or a constant.
func pathsGiven(t *testing.T, source, function string) []string {
	t.Helper()
	var out []string
	for _, u := range analyzetest.Facts(t, Reader(), source).Uses[function] {
		if len(u.Args) > 0 {
			text, _ := u.Args[0].Value.(string)
			out = append(out, text+u.Args[0].Path)
		}
	}
	return out
}

// TestPythonOpened tells what is open already from what may be a name, or may be told by the program
// which file it is.
func TestPythonOpened(t *testing.T) {
	t.Parallel()
	const head = "import io, sys, numpy as np, pandas as pd\nfrom pathlib import Path\n"
	const saves = "def save(b): np.save(b, 1)\n"
	for _, code := range []string{
		"np.save(io.BytesIO(), 1)",
		"b = io.BytesIO()\nb.seek(0)\nnp.save(b, 1)\nprint(b.getvalue())",
		"with io.StringIO('a') as b: np.save(b, 1)",
		saves + "save(io.BytesIO())",
		saves + "for b in [io.BytesIO(), io.StringIO()]: save(b)",
		"class C:\n    def close(self): pass\nnp.save(io.BytesIO(), 1)",
	} {
		if got := pathsGiven(t, head+code, "numpy.save"); !slices.Equal(got, []string{openedPath}) {
			t.Errorf("%s: %q", code, got)
		}
	}
	for _, code := range []string{
		"b = io.BytesIO()\nif len(sys.argv): b = sys.argv[1]\nnp.save(b, 1)",
		saves + "save(io.BytesIO())\nsave(sys.argv[1])",
		saves + "save(io.BytesIO())\nlist(map(save, sys.argv))",
		"io.BytesIO = lambda: sys.argv[1]\nnp.save(io.BytesIO(), 1)",
		"setattr(io, 'BytesIO', lambda: sys.argv[1])\nnp.save(io.BytesIO(), 1)",
		"pd.ExcelWriter = lambda x: sys.argv[1]\nnp.save(pd.ExcelWriter('a'), 1)",
		"class B(io.BytesIO): pass\nnp.save(B(), 1)",
		"b = io.BytesIO()\nb.fileno = lambda: 3\nnp.save(b, 1)",
		"b = io.BytesIO()\nvars(b)['fileno'] = lambda: 3\nnp.save(b, 1)",
		"b = io.BytesIO()\nb.__dict__.update(a=1)\nnp.save(b, 1)",
		"b = io.BytesIO()\nb.__setstate__(a)\nnp.save(b, 1)",
		"import functools\nclass C:\n    def fileno(self): return 3\nb = io.BytesIO()\nfunctools.update_wrapper(b, C)\nnp.save(b, 1)",
		"w = pd.ExcelWriter('a.xlsx')\nnp.save(w, 1)",
		"b = io.BytesIO()\nb.name = c\nwith pd.ExcelWriter(b) as w: np.save(w, 1)",
		"for b in [io.BytesIO(), pd.ExcelWriter('a.xlsx')]: np.save(b, 1)",
		"np.save(Path('<workbook>'), 1)",
		"np.save(Path('<opened>'), 1)",
		"np.save(Path('<opened>').resolve(), 1)",
		"np.save(Path.cwd() / '<opened>', 1)",
		"np.save(str(Path.cwd() / '<opened>'), 1)",
	} {
		if got := pathsGiven(t, head+code, "numpy.save"); len(got) == 0 || slices.Contains(got, openedPath) {
			t.Errorf("%s: %q", code, got)
		}
	}
	for _, code := range []string{"w = pd.ExcelWriter('a.xlsx')\nnp.save(w, 1)", "with pd.ExcelWriter(io.BytesIO()) as w: np.save(w, 1)"} {
		if got := pathsGiven(t, head+code, "numpy.save"); !slices.Equal(got, []string{workbookPath}) {
			t.Errorf("%s: %q", code, got)
		}
	}
}

// TestPythonWays holds that a call with one of several known texts is one with each of them.
func TestPythonWays(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		"for f in ['a', 'b']: open(f)":                                     {"a", "b"},
		"for f in 'a', 'b': open(f, 'w')":                                  {"a", "b"},
		"open('a' if c else 'b')":                                          {"a", "b"},
		"for f in [Path('a'), Path('b')]: open(f)":                         {"a", "b"},
		"def f(x): open(x)\nf('a')\nf('b')":                                {"a", "b"},
		"l = ['a', 'b']\nl.append(c)\nfor f in l: open(f)":                 {""},
		"l = ['a', 'b']\ndef g(m): m.append(c)\ng(l)\nfor f in l: open(f)": {""},
		"f = 'a'\nfor _ in c:\n  f += 'b'\nopen(f)":                        {""},
		"for f in ['a', b'b']: open(f)":                                    {""},
		"for f in 'abcdefghi': open(f)":                                    {""},
	} {
		if got := pathsGiven(t, "from pathlib import Path\nc = input()\n"+code, "builtins.open"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestPythonSettings holds that each setting of matplotlib is told of that a program reads or sets, and the
// whole of them where they go somewhere.
func TestPythonSettings(t *testing.T) {
	t.Parallel()
	const known, unknown = true, false
	for code, want := range map[string]bool{
		"plt.rcParams['a'] = 1":                                                    known,
		"print(plt.rcParams['a'])":                                                 known,
		"plt.rcParams['a'] += [1]":                                                 known,
		"for plt.rcParams['a'] in [1]: pass":                                       known,
		"plt.rcParams.update({'a': 1})":                                            known,
		"plt.rcParams.update(a=1)":                                                 known,
		"d = {'a': 1}\nd['a'] = 2\nplt.rcParams.update(d)":                         known,
		"with plt.rc_context({'a': 1}): pass":                                      known,
		"d = {'a': 1}\nprint(d['a'], len(d))\nplt.rcParams.update(d)":              known,
		"@plt.rc_context({'a': 1})\ndef f(): pass":                                 known,
		"d = {}\nu = d.update\nu({'b': 1})\nplt.rcParams.update(d)":                unknown,
		"import queue\nd = {'a': 1}\nqueue.Queue().put(d)\nplt.rcParams.update(d)": unknown,
		"d = {'a': 1}\nwith plt.rc_context(d): pass\nmax([d], key=c)":              unknown,
		"d = {'a': 1}\ne = plt.rc_context(d)\nwith e: pass":                        unknown,
		"plt.rcParams[c] = 1":                                                      unknown,
		"plt.rcParams.update(c)":                                                   unknown,
		"plt.rcParams.update({c: 1})":                                              unknown,
		"plt.rcParams.update(**c)":                                                 unknown,
		"plt.rcParams.update([('a', 1)])":                                          unknown,
		"d = {'a': 1}\nd[c] = 2\nplt.rcParams.update(d)":                           unknown,
		"d = {'a': 1}\ndef f(e): e[c] = 2\nf(d)\nplt.rcParams.update(d)":           unknown,
		"with plt.rc_context(rc=c): pass":                                          unknown,
		"d = plt.rcParams\nd['a'] = 1":                                             unknown,
		"plt.rcParams |= {'a': 1}":                                                 unknown,
		"def f(d): d['a'] = 1\nf(plt.rcParams)":                                    unknown,
		"f = plt.rcParams.update\nf({'a': 1})":                                     unknown,
		"plt.rcParams.setdefault('a', 1)":                                          unknown,
		"match plt.rcParams:\n  case {'a': b}: pass":                               unknown,
		"import operator\noperator.setitem(plt.rcParams, 'a', 1)":                  unknown,
		"setattr(plt, 'rcParams', {'a': 1})\nplt.rcParams['a'] = plt.ioff()":       unknown,
	} {
		facts := analyzetest.Facts(t, Reader(), "import matplotlib.pyplot as plt\nc = input()\n"+code)
		got, seen := known, 0
		for name, uses := range facts.Uses {
			for _, u := range uses {
				switch name {
				case "matplotlib.pyplot.rcParams.__setitem__", "matplotlib.pyplot.rcParams.__getitem__", "matplotlib.rcParams.__setitem__":
					seen++
					got = got && u.How == analyze.HowCall && u.Args[0].Value == "a"
				case "matplotlib.pyplot.rcParams.update":
					got = got && u.How == analyze.HowCall
				case "matplotlib.pyplot.rcParams", "matplotlib.pyplot.rcParams.setdefault":
					got = unknown
				}
			}
		}
		if got != want || want == known && seen == 0 {
			t.Errorf("%s: known is %v, %d seen", code, got, seen)
		}
	}
}
