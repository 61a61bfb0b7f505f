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
