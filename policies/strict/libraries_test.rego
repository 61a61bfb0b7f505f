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
	]
	using_library(["numpy==1"], [name]) == set()
}

test_inside_of_a_library[name] if {
	some name in [
		"numpy._core.multiarray.array", "pandas.io.common.urlopen",
		"pandas.core.computation.eval.eval", "matplotlib.cbook.open_file_cm", "sklearn.utils.parallel",
		"numpy.lib.npyio.load", "yaml.loader", "matplotlib.ticker.mpl", "matplotlib.Path", "sklearn.pipeline.check_memory",
	]
	using_library(["numpy==1"], [name]) == {["strict-library", name]}
}

with_use(name, use) := {f.rule | some f in found} if {
	found := strict.deny with input.source.language as "python"
		with input.source.imports as []
		with input.source.names as [name]
		with input.source.uses as {name: [object.union({"how": "call", "splat": false, "args": [], "span": {"line": 1}}, use)]}
}

test_back_end if {
	with_use("matplotlib.use", {"args": [option("", "Agg")]}) == set()
	with_use("matplotlib.use", {"args": [option("", "module://os")]}) == {"strict-backend"}
	with_use("matplotlib.use", {"args": [{"name": "", "value": null, "known": false}]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "display.width"), option("", 120)]}) == set()
	with_use("pandas.set_option", {"args": [option("", "plotting.backend"), option("", "this")]}) == {"strict-backend"}
	with_use("pandas.set_option", {"how": "import"}) == set()
	with_use("pandas.options.plotting.backend", {}) == {"strict-backend"}
	with_use("matplotlib.pyplot.rcParams", {}) == {"strict-backend"}
	with_use("pandas.DataFrame.plot", {"args": [option("backend", "this")]}) == {"strict-backend"}
	with_use("pandas.DataFrame.plot", {"args": [option("kind", "bar")]}) == set()
	with_use("pandas.DataFrame.boxplot", {"args": [option("", null) | some _ in numbers.range(0, 9)]}) == {"strict-backend"}
}

test_module_by_name if {
	with_use("numpy.info", {"args": [option("", "mean")]}) == set()
	with_use("numpy.info", {"args": [option("", "mean"), option("toplevel", "this")]}) == {"strict-backend"}
	with_use("numpy.info", {"args": [option("", null) | some _ in numbers.range(0, 3)]}) == {"strict-backend"}
	with_use("numpy.info", {"splat": true}) == {"strict-backend"}
	with_use("numpy.info", {"how": "reference"}) == {"strict-backend"}
	with_use("numpy.info", {"how": "import"}) == set()
	with_use("numpy.lookfor", {}) == {"strict-backend"}
}

test_functions_called_with_figures if {
	with_use("matplotlib.rc", {"args": [option("", "font"), option("size", 12)]}) == set()
	with_use("matplotlib.rc", {"args": [option("", "font")], "splat": true}) == set()
	with_use("matplotlib.rc", {"args": [option("", "figure")], "splat": true}) == {"strict-backend"}
	with_use("matplotlib.rc", {"splat": true}) == {"strict-backend"}
	with_use("matplotlib.pyplot.rc", {"how": "reference"}) == {"strict-backend"}
}

test_tex if {
	with_use("matplotlib.use", {"args": [option("", "pgf")]}) == {"strict-backend"}
	"strict-backend" in with_use("matplotlib.pyplot.savefig", {"args": [option("", "a.PGF")]})
	not "strict-backend" in with_use("matplotlib.pyplot.savefig", {"args": [option("", "a.png"), option("dpi", 100)]})
}

test_gives_text if {
	of_method("pandas.DataFrame.to_json", {"args": [option("orient", "records")]}) == set()
	of_method("pandas.DataFrame.to_csv", {"args": [option("", "out.csv")]}) == set()
	of_method("pandas.DataFrame.to_csv", {"args": [option("", "/etc/x")]}) == {"strict-write"}
	of_method("pandas.DataFrame.to_pickle", {"args": [option("", "out.pkl")]}) == {"strict-write"}
}
