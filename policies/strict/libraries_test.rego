package sallyport.rules.strict_test

import data.sallyport.rules.strict

using_library(packages, names) := {[f.rule, f.symbol] | some f in found} if {
	found := strict.deny with input.source.language as "python"
		with input.source.imports as ["numpy"]
		with input.source.names as names
		with input.source.uses as {}
		with input.request.packages as packages
}

test_library_of_the_environment if {
	using_library(["numpy==2.4.6"], ["numpy", "numpy.array"]) == set()
	using_library(["NumPy==2.4.6"], []) == set()
	using_library([], []) == {["module-not-listed", "numpy"]}
	using_library(["numpy@1.0.0"], []) == {["module-not-listed", "numpy"]}
	using_library(["pandas==2.3.1"], []) == {["module-not-listed", "numpy"]}
}

test_function_of_a_listed_module[name] if {
	some name in [
		"numpy.random.default_rng", "pandas.DataFrame.from_dict", "pandas.options.display.width",
		"numpy.add.reduce", "sklearn.svm.SVC", "matplotlib.pyplot.cm.viridis", "pandas",
		"scipy.stats.norm.cdf", "numpy.sin.__name__",
	]
	using_library(["numpy==1"], [name]) == set()
}

test_inside_of_a_library[name] if {
	some name in [
		"numpy._core.multiarray.array", "pandas.io.common.urlopen",
		"pandas.core.computation.eval.eval", "matplotlib.cbook.open_file_cm", "sklearn.utils.parallel",
		"numpy.lib.npyio.load", "yaml.loader", "matplotlib.ticker.mpl", "matplotlib.Path", "sklearn.pipeline.check_memory",
		"scipy.stats.norm._ppf", "scipy.stats.distributions.cdf", "scipy.stats.norm.freeze", "numpy.sin.__doc__",
	]
	using_library(["numpy==1"], [name]) == {["strict-library", name]}
}

test_what_is_of_others[name] if {
	some name in [
		"matplotlib.pyplot.backend_registry", "sklearn.naive_bayes.ABCMeta", "sklearn.pipeline.deepcopy",
		"matplotlib.patches.SimpleNamespace", "sklearn.calibration.signature", "numpy.fft.test", "scipy.stats.test",
		"matplotlib.colors.make_norm_from_scale",
	]
	["strict-library", name] in using_library(["numpy==1"], [name])
}

test_module_that_is_handed_on[name] if {
	some name in ["numpy.linalg", "pandas.tseries", "scipy.cluster"]
	"strict-module" in with_use(name, {"how": "reference"})
	not "strict-module" in with_use(name, {"how": "import"})
}

test_function_that_is_handed_on if {
	not "strict-module" in with_use("numpy.linalg.norm", {"how": "reference"})
}

with_use(name, use) := {f.rule | some f in found} if {
	found := strict.deny with input.source.language as "python"
		with input.source.imports as []
		with input.source.names as [name]
		with input.source.uses as {name: [object.union({"how": "call", "splat": false, "args": [], "span": {"line": 1}}, use)]}
}

test_gives_text if {
	of_method("pandas.DataFrame.to_json", {"args": [option("orient", "records")]}) == set()
	of_method("pandas.DataFrame.to_csv", {"args": [option("", "out.csv")]}) == set()
	of_method("pandas.DataFrame.to_csv", {"args": [option("", "/etc/x")]}) == {"strict-write"}
	of_method("pandas.DataFrame.to_pickle", {"args": [option("", "out.pkl")]}) == {"strict-write"}
}
