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

// TestPythonLentByLibraries holds that libraries that call the class of an object, hand out what it has under names of the program's,
// or call functions by texts, are not given such objects, names and texts.
func TestPythonLentByLibraries(t *testing.T) {
	t.Parallel()
	const head = "import matplotlib.pyplot as plt, numpy as np, pandas as pd, sklearn.base, yaml\nfrom sklearn.base import BaseEstimator\nfrom numpy.polynomial import Polynomial\nf = open('a.txt')\nraw = f.buffer.raw\n"
	accusesNone(t,
		head+"class A(BaseEstimator):\n    def get_params(self, deep=True): return BaseEstimator.get_params(self, deep)",
		head+"Polynomial.fit([1], [2], 1).copy()", head+"Polynomial.basis(2)", head+"class P(Polynomial):\n    def f(self): return super().copy()\n    @classmethod\n    def g(cls): return cls([1])", head+"np.ma.MaskedArray([1]).sum()", head+"pd.Series([1]).index.identical(f)",
		head+"np.bmat([[f, f]])", head+"b = [f]\nnp.bmat(b)", head+"plt.getp(f, 'color')", head+"raw.base",
		head+"pd.Series([1]).agg({'test': 'sum', 'load': ['mean']})", head+"pd.Series([1]).groupby(f).agg(test=('load', 'sum'))", head+"pd.Series([1]).agg('mean')",
		head+"import enum\nclass C(str, enum.Enum):\n    A = 'a'\n    def __str__(self): return self.value\npd.Series([1]).index = f",
		"class S(str):\n    def replace(self, a, b): return 1", "class A: pass\nA().split = 1",
	)
	reports(t,
		head+"BaseEstimator.get_params(raw)", head+"g = sklearn.base.BaseEstimator.set_params", head+"pd.Index.identical(f, raw)", head+"Polynomial.copy(raw)",
		head+"class P(Polynomial): pass\nP.deriv(raw)", head+"list(map(np.ma.MaskedArray.copy, f))",
		head+"class P(Polynomial):\n    @classmethod\n    def f(cls, o): return cls.copy(o)\nP.f(raw)", head+"class P(Polynomial):\n    @classmethod\n    def f(cls, o): return super().copy(o)\nP.f(raw)",
		head+"import collections\nclass S(collections.UserString, str): pass",
		head+"np.bmat('A')", head+"np.bmat(input())", head+"list(map(np.bmat, f))",
		head+"class T:\n    def __radd__(self, o): return 'x'\nplt.getp(f, T())", head+"np.memmap('a', mode='r').base", head+"np.load('a', mmap_mode='r').base",
		head+"pd.Series([1]).agg('load', allow_pickle=True)", head+"pd.Series([1]).apply('nd' + 'array', args=(object, b''))", head+"pd.Series([1]).agg({'a': ['test']})",
		head+"pd.Series([1]).groupby(f).agg(a=('b', 'save'))", head+"pd.Series([1]).agg(func=['savez', 'sum'])",
		head+"class S(str):\n    def __eq__(self, o): return True", head+"class M:\n    def replace(self, a, b): return 1\nclass S(M, str): pass",
		head+"class S(str): pass\nS('a').split = print", head+"type('S', (str,), {'lower': print})", head+"import enum\nclass S(enum.StrEnum):\n    def startswith(self, x): return True",
	)
}

// TestPythonNamesForLibraries holds that names by which libraries get attributes, and options that have files written, are seen.
func TestPythonNamesForLibraries(t *testing.T) {
	t.Parallel()
	const head = "import pandas as pd, sklearn, yaml\nfrom sklearn.base import BaseEstimator\nfrom sklearn.ensemble import BaggingClassifier\nfrom sklearn.linear_model import QuantileRegressor\nd = pd.read_csv('a.csv')\n"
	const params, names, axis, own, rep, solver = "sklearn.base._clone_parametrized.get_params", "sklearn.base.BaseEstimator._get_param_names", "pandas.core.generic._info_axis_name",
		"sklearn.ensemble._base.estimator_params", "yaml.representer.yaml_representers", "scipy.optimize._highspy.options"
	const collector, visitor, skip = "pandas.io.parquet.metadata_collector", "pandas.io.parquet.file_visitor", "sklearn.utils._param_validation.skip"
	all := []string{params, names, axis, own, rep, solver, collector, visitor, skip}
	for code, want := range map[string]string{
		"d.get_params = print": params, "setattr(d, 'get_params', print)": params, "class A(BaseEstimator):\n    def get_params(self): return {}": "",
		"d._get_param_names = print": names, "class A(BaseEstimator):\n    @classmethod\n    def _get_param_names(cls): return ['__class__']": names, "class A:\n    _get_param_names = print": names,
		"class D(pd.DataFrame):\n    _info_axis_name = 'eval'":               axis,
		"class B(BaggingClassifier):\n    estimator_params = ('__class__',)": own, "class B(BaggingClassifier):\n    estimator_params = ('alpha',)": "",
		"class D(yaml.SafeDumper):\n    yaml_representers = d": rep, "yaml.SafeDumper.yaml_representers = d": rep, "class M:\n    yaml_representers = d\nclass D(M, yaml.SafeDumper): pass": rep, "yaml.SafeDumper.yaml_representers[int] = print": "",
		"QuantileRegressor(solver_options={'solution_file': 'x'})": solver, "QuantileRegressor().set_params(solver_options=d)": solver, "QuantileRegressor().solver_options = d": solver,
		"QuantileRegressor(**d)": solver, "GridSearchCV(d, {'solver_options': [d]})": solver, "QuantileRegressor(solver='highs')": "",
		"d.to_parquet('o', metadata_collector=[])": collector, "d.to_parquet('o', **{'file_visitor': print})": visitor,
		"sklearn.set_config(skip_parameter_validation=True)": skip, "sklearn.set_config(None, None, None, None, None, None, None, None, None, True)": skip, "sklearn.config_context(**d)": skip,
		"sklearn.set_config(skip_parameter_validation=False)": "", "sklearn.set_config(display='text')": "",
	} {
		got := analyzetest.Facts(t, Reader(), head+code).Names
		for _, name := range all {
			if slices.Contains(got, name) != (name == want) {
				t.Errorf("%q names %q: %s", name, got, code)
			}
		}
	}
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
