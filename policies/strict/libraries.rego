package sallyport.rules.strict

# What strict takes of libraries that the operator installed: public modules, by
# name, whose functions compute. What they do beyond that has lines of its own in
# the catalogs. A library that is not here makes code of text wherever it is given
# some (sympy, formulas of statsmodels), or starts what it is not asked to.
libraries := {
	"numpy": {"distribution": "numpy", "modules": {
		"numpy", "numpy.linalg", "numpy.random", "numpy.fft",
		"numpy.ma", "numpy.polynomial", "numpy.typing", "numpy.char", "numpy.strings", "numpy.rec",
	}},
	"pandas": {"distribution": "pandas", "modules": {
		"pandas", "pandas.api.types", "pandas.tseries.offsets",
		"pandas.errors",
	}},
	"scipy": {"distribution": "scipy", "modules": {
		"scipy", "scipy.cluster.hierarchy", "scipy.cluster.vq", "scipy.constants", "scipy.fft", "scipy.integrate",
		"scipy.interpolate", "scipy.linalg", "scipy.ndimage",
		"scipy.optimize", "scipy.signal", "scipy.sparse", "scipy.sparse.csgraph", "scipy.sparse.linalg",
		"scipy.spatial", "scipy.spatial.distance", "scipy.special", "scipy.stats",
	}},
	"sklearn": {"distribution": "scikit-learn", "modules": {
		"sklearn", "sklearn.base", "sklearn.calibration", "sklearn.cluster", "sklearn.compose",
		"sklearn.covariance", "sklearn.cross_decomposition", "sklearn.datasets", "sklearn.decomposition",
		"sklearn.discriminant_analysis", "sklearn.dummy", "sklearn.ensemble", "sklearn.feature_extraction",
		"sklearn.feature_extraction.text", "sklearn.feature_selection",
		"sklearn.gaussian_process", "sklearn.gaussian_process.kernels", "sklearn.impute", "sklearn.inspection",
		"sklearn.isotonic", "sklearn.linear_model", "sklearn.manifold", "sklearn.metrics",
		"sklearn.metrics.pairwise", "sklearn.mixture", "sklearn.model_selection", "sklearn.multiclass",
		"sklearn.multioutput", "sklearn.naive_bayes", "sklearn.neighbors",
		"sklearn.neural_network", "sklearn.pipeline", "sklearn.preprocessing", "sklearn.random_projection",
		"sklearn.semi_supervised", "sklearn.svm", "sklearn.tree",
	}},
	"matplotlib": {"distribution": "matplotlib", "modules": {
		"matplotlib", "matplotlib.pyplot", "matplotlib.axes", "matplotlib.cm", "matplotlib.figure", "matplotlib.colors", "matplotlib.dates",
		"matplotlib.gridspec", "matplotlib.lines", "matplotlib.patches", "matplotlib.ticker",
	}},
	"yaml": {"distribution": "pyyaml", "modules": {"yaml"}},
}

# The distributions of the environment, by the name before the version.
installed contains name if {
	some each in input.request.packages
	contains(each, "==")
	name := replace(lower(split(each, "==")[0]), "_", "-")
}

# The modules that strict takes besides those of the standard library.
of_libraries contains module if {
	input.source.language == "python"
	some library in libraries
	library.distribution in installed
	some module in library.modules
}

# METADATA
# title: Uses the inside of a library
# description: |
#   Of libraries, strict knows the functions of the listed modules, and the methods of their classes.
# custom:
#   id: strict-library
#   severity: high
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7(5)]
#   remediation: Use a function of a listed module of the library.
deny contains {
	"rule": "strict-library",
	"symbol": name,
	"message": sprintf("%s is not a function or class of a listed module", [name]),
} if {
	input.source.language == "python"
	some name in input.source.names
	some top, library in libraries
	startswith(name, concat("", [top, "."]))
	not public(name, library.modules)
}

# METADATA
# title: Has a library load a module by name
# description: |
#   The back ends of plotting libraries are modules that are named by text.
# custom:
#   id: strict-backend
#   severity: high
#   capability: code.load
#   cwe: CWE-470
#   controls: [NIST 800-53 SI-10]
#   remediation: Leave the back end to the environment, or name one that comes with the library.
deny contains {
	"rule": "strict-backend",
	"symbol": name,
	"message": sprintf("%s can load a module by its name", [name]),
} if {
	input.source.language == "python"
	some name in input.source.names
	names_backend(name)
}

public(name, modules) if name in modules

# A function or class of a module, or a member of a class or of what computes
# element by element.
public(name, modules) if {
	parts := split(name, ".")
	every part in parts {
		not startswith(part, "_")
	}
	some n in numbers.range(1, count(parts) - 1)
	concat(".", array.slice(parts, 0, n)) in modules
	member(array.slice(parts, n, count(parts)))
}

member(rest) if count(rest) == 1

member(rest) if {
	count(rest) > 1
	regex.match(`^([A-Z]|(options|rcParams|cm|add|subtract|multiply|maximum|minimum|logical_and|logical_or|r_|c_)$)`, rest[0])
}

names_backend(name) if regex.match(`^pandas\.options\.plotting|^matplotlib\.(backends|(pyplot\.)?rcParams)`, name)

names_backend(name) if {
	name in {
		"matplotlib.use", "matplotlib.rc_context", "matplotlib.pyplot.rc_context",
		"matplotlib.pyplot.switch_backend", "pandas.set_option", "pandas.option_context",
	}
	some use in input.source.uses[name]
	use.how != "import"
	not plain_option(use)
}

names_backend(name) if {
	startswith(name, "pandas.DataFrame.")
	some use in input.source.uses[name]
	some i, arg in use.args
	says_backend(name, i, object.get(arg, "name", ""))
}

says_backend(_, _, "backend")

# Or by its place, of a table or a column.
says_backend(name, i, "") if {
	name in {"pandas.DataFrame.hist", "pandas.DataFrame.boxplot"}
	i > 8
}

plain_option(use) if {
	use.how == "call"
	not use.splat
	every arg in use.args {
		arg.known
		not names_module(arg.value)
	}
}

names_module(text) if {
	is_string(text)
	regex.match(`module:|backend`, text)
}
