package python

import (
	"slices"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonAggregates holds that what names methods is told from the data beside it.
func TestPythonAggregates(t *testing.T) {
	t.Parallel()
	const head = "import pandas as pd, sys\nd = pd.read_csv('a.csv')\n"
	accusesNone(t,
		head+"pd.crosstab(d['a'], d['b'] > 2)",
		head+"pd.crosstab(d['a'], d['b'], d['c'], None, None, 'sum')",
		head+"pd.pivot_table(d, values='v', index=['a'], aggfunc=['mean', 'sum'])",
		head+"d.pivot_table(d.columns[0], 'a', 'b', 'mean')",
	)
	reports(t,
		head+"pd.crosstab(d['a'], d['b'], d['c'], None, None, sys.argv[1])",
		head+"pd.crosstab(d['a'], d['b'], aggfunc=sys.argv[1])",
		head+"pd.pivot_table(d, values='v', index=['a'], aggfunc=[sys.argv[1]])",
		head+"pd.pivot_table(d, 'v', 'a', 'b', sys.argv[1])",
		head+"d.pivot_table('v', 'a', 'b', sys.argv[1])",
		head+"d.pivot_table(*sys.argv)",
		head+"d.pivot_table(**d)",
	)
}

// TestPythonMethodsOfEstimators holds that a path of attributes and names of methods that sklearn gets of an
// estimator are known to be its own.
func TestPythonMethodsOfEstimators(t *testing.T) {
	t.Parallel()
	const head = "from sklearn.feature_selection import RFE, SelectFromModel\nfrom sklearn.model_selection import GridSearchCV\nfrom sklearn.metrics import make_scorer\nclass E:\n    def fit(self): pass\n"
	const getter, method = "sklearn.feature_selection._base.importance_getter", "sklearn.utils.validation.response_method"
	for code, want := range map[string]string{
		"SelectFromModel(E(), importance_getter='fit.__globals__')": getter, "RFE(E(), importance_getter=input())": getter, "RFE(E(), **input())": getter,
		"RFE(E()).set_params(importance_getter='fit.f_globals')": getter, "RFE(E(), importance_getter='e_' + input())": getter,
		"GridSearchCV(RFE(E()), {'importance_getter': [input()]})": getter, "make_scorer(print)._response_method = [input()]": method,
		"make_scorer(print, response_method=[input()])": method, "make_scorer(print, response_method=('__reduce_ex__',))": method, "make_scorer(print, **input())": method,
		"RFE(E(), importance_getter='named_steps.E.coef_')": "", "RFE(E(), importance_getter=lambda e: e.a)": "", "SelectFromModel(E(), importance_getter='auto')": "",
		"make_scorer(print, response_method=('decision_function', 'predict_proba'))": "", "make_scorer(print, response_method='predict')": "", "make_scorer(print)": "",
	} {
		names := analyzetest.Facts(t, Reader(), head+code).Names
		for _, name := range []string{getter, method} {
			if slices.Contains(names, name) != (name == want) {
				t.Errorf("names %q: %s", names, code)
			}
		}
	}
}

// TestPythonOptionsOfFiles holds that options by which libraries open files of their own, make names of files of data or
// load modules are seen, and plain ones are not.
func TestPythonOptionsOfFiles(t *testing.T) {
	t.Parallel()
	const head = "import pandas as pd, matplotlib.pyplot as plt\nfrom scipy.optimize import linprog, milp\nfrom scipy.spatial import ConvexHull, Delaunay\nd = pd.read_csv('a.csv')\n"
	const hull, solver, parts, template, packed, workbook = "scipy.spatial._qhull.options", "scipy.optimize._highspy.options", "pandas.io.parquet.partition_cols",
		"pandas.io.parquet.basename_template", "pandas.io.common.compression", "pandas.io.excel.ExcelFile.book"
	const machine, tex, image, style, table = "pandas.core._numba", "matplotlib.text.usetex", "matplotlib.image.AxesImage.write_png", "pandas.io.formats.style.Styler.env", "pandas.io.xarray.Dataset.to_netcdf"
	all := []string{hull, solver, parts, template, packed, workbook, machine, tex, image, style, table}
	for code, want := range map[string]string{
		"ConvexHull(d, qhull_options='TI /etc/passwd')": hull, "ConvexHull(d, False, 'Qt TO x')": hull, "Delaunay(d, qhull_options=input())": hull, "Delaunay(d, **input())": hull,
		"ConvexHull(d, qhull_options=b'TI x')": hull, "list(map(ConvexHull, d, d, d))": hull,
		"ConvexHull(d, *input())": hull, "class C(ConvexHull): pass\nC(d, False, 'TI x')": hull, "class C(ConvexHull):\n  def __init__(self, *a): super().__init__(*a)": hull,
		"class C(ConvexHull):\n  def __init__(self): super().__init__(d, False, 'TI x')":                               hull,
		"class M:\n  def __init__(self): super().__init__(d, False, 'TI x')\nclass C(M, ConvexHull): pass":             hull,
		"class C(ConvexHull):\n  def __init__(self): ConvexHull.__init__(self, d, False, 'TI x')":                      hull,
		"class C(ConvexHull):\n  def __init__(self): super().__init__(d, False, 'Qt')\nf(d, 1, 'TI'); C(1, 2, 'TI x')": "",
		"ConvexHull(d)": "", "ConvexHull(d, qhull_options='Qt Pp QJ')": "",
		"milp(d, options={'solution_file': 'x'})": solver, "milp(d, options=input())": solver, "milp(d, options={input(): 1})": solver, "o = {}\nmilp(d, options=o)": solver,
		"linprog(d, options={'log_file': 'x'})": solver, "milp(d, **input())": solver, "milp(d, options={'disp': True, **input()})": solver,
		"milp(d)": "", "milp(d, options={'disp': True, 'time_limit': 5})": "", "linprog(d, options=None)": "",
		"d.to_parquet('o', partition_cols=['../x'])": parts, "d.to_parquet('o', partition_cols=list(d))": parts, "d.to_parquet('o', **{'partition_cols': d})": parts, "l = ['a']\nd.to_parquet('o', partition_cols=l)": parts,
		"d.to_parquet('o', partition_cols=['a', 'b c'])": "", "d.to_parquet('o', partition_cols=None)": "",
		"d.to_parquet('o', basename_template='m{i}.py')": template, "d.to_parquet('o', basename_template='m{i}.parquet')": "",
		"d.to_csv('o', compression={'method': 'tar', 'mode': 'w'})": packed, "d.to_csv('o', compression={'method': 'tar', 'tarinfo': d})": packed, "d.to_csv('o', compression=input())": packed,
		"d.to_csv('o', compression={'method': 'gzip', 'compresslevel': 1})": "", "d.to_csv('o', compression='gzip')": "", "d.to_csv('o', compression=None)": "",
		"w = pd.ExcelWriter('a.xlsx')\nl.append(w)\nl[0].book.save('x')": workbook,
		"d.rolling(2).mean(engine='numba')":                              machine, "pd.read_csv('a', engine='python')": "", "pd.read_csv('a', engine=input())": "",
		"plt.setp(d, 'color', 'r', 'usetex', True)": tex, "plt.setp(d, 'color', 'r')": "",
		"plt.imshow(d).write_png('x.py')": image, "d.style.env.from_string('x')": style, "class A:\n    def f(self): return self.env": "", "d.to_xarray().to_netcdf('x')": table,
	} {
		names := analyzetest.Facts(t, Reader(), head+code).Names
		for _, name := range all {
			if slices.Contains(names, name) != (name == want) {
				t.Errorf("names %q: %s", names, code)
			}
		}
	}
}

// TestPythonNamesOfData holds that what a library gets of its objects by names that come with data is seen, and modules
// that it loads because a class says that it is of them.
func TestPythonNamesOfData(t *testing.T) {
	t.Parallel()
	const head = "import pandas as pd, ast, matplotlib.colors as c\nd = pd.read_csv('a.csv')\n"
	accusesNone(t,
		head+"ast.literal_eval('1')",
		head+"d.groupby('a').filter(lambda g: len(g) > 1)", head+"d.groupby('a').filter(len)", "import pandas as pd\nd = pd.read_csv('a.csv')\nd.filter(list(d))",
		"from sklearn.preprocessing import StandardScaler as S\nS().transform(input())",
		head+"if __name__ == '__main__': print(__name__)", "__name__ = 'a'\nclass A: pass",
		head+"class A:\n    __name__ = 'a'", head+"class N(c.Normalize): pass", head+"c.LogNorm()",
		head+"class A:\n    def __array_ufunc__(self, *a, **k): return 1",
	)
	reports(t,
		head+"list(ast.iter_fields(d))", head+"ast.walk(d)", head+"class V(ast.NodeVisitor): pass", "from ast import dump\nimport numpy\ndump(numpy.rec.array([]))",
		head+"d.a.groupby('a').filter(input())", head+"d.a.groupby('a').filter(func=input())", head+"d.a.groupby('a').filter(*input())",
		"from sklearn.datasets import load_iris\nload_iris(as_frame=True).frame.transform(input())", "from sklearn.decomposition import PCA\nPCA().set_output(transform='pandas').fit_transform(1).transform(input())",
		head+"__name__ = 'this'", head+"def f():\n    global __name__\n    __name__ += 'x'", head+"for __name__ in d: pass", head+"import json as __name__", head+"def __name__(): pass",
		head+"class N(c.LogNorm): pass", head+"class M(c.SymLogNorm): pass\nclass N(M): pass",
		head+"class A:\n    def __array_function__(self, f, types, a, k): return 1",
	)
}

// TestPythonPlainYAML holds that only what reads plain data is taken for that.
func TestPythonPlainYAML(t *testing.T) {
	t.Parallel()
	names := func(code string) []string {
		return analyzetest.Facts(t, Reader(), "import yaml, sys\nfrom yaml import SafeLoader\n"+code).Names
	}
	for _, code := range []string{
		"yaml.load('a: 1', Loader=yaml.SafeLoader)", "yaml.load('a: 1', SafeLoader)", "yaml.load_all('a: 1', Loader=yaml.CSafeLoader)", "L = yaml.BaseLoader\nyaml.load('', L)",
	} {
		if got := names(code); slices.Contains(got, "yaml.load") || slices.Contains(got, "yaml.load_all") {
			t.Errorf("%s: %q", code, got)
		}
	}
	for _, code := range []string{
		"yaml.load('a: 1')", "yaml.load('a: 1', Loader=yaml.Loader)", "yaml.load('a: 1', Loader=yaml.SafeLoader if sys.argv else yaml.Loader)",
		"class L(yaml.SafeLoader): pass\nyaml.load('', L)", "yaml.load(*sys.argv)", "f = yaml.load\nlist(map(f, [''], [yaml.SafeLoader]))",
		"def f(l): yaml.load('', l)\nf(yaml.SafeLoader)", "yaml.load('', Loader=None)",
	} {
		if got := names(code); !slices.Contains(got, "yaml.load") {
			t.Errorf("%s: %q", code, got)
		}
	}
}
