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
		"pandas", "pandas.api.types", "pandas.offsets", "pandas.tseries.offsets",
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
	"mpl_toolkits": {"distribution": "matplotlib", "modules": {"mpl_toolkits.mplot3d"}},
	"yaml": {"distribution": "pyyaml", "modules": {"yaml"}},
}

# What these modules have among their names besides: other modules, of which a program that
# hands one on could ask for anything, what opens files, what loads modules or runs tests of
# them, and what the standard library has under another name.
insides := {
	"matplotlib": {
		"MutableMapping", "Parameter", "Path", "animation", "artist", "atexit", "axis", "backend_bases",
		"backend_managers", "backend_tools", "backends", "bezier", "category", "cbook", "collections", "colorbar",
		"colorizer", "container", "contextlib", "contour", "dviread", "font_manager", "ft2font", "functools",
		"hatch", "image", "importlib", "inset", "inspect", "layout_engine", "legend", "legend_handler", "locale",
		"logging", "markers", "mathtext", "mlab", "namedtuple", "offsetbox", "os", "parse_version", "path",
		"patheffects", "pprint", "projections", "pylab", "quiver", "rcsetup", "re", "sankey", "scale", "shutil",
		"sphinxext", "spines", "stackplot", "streamplot", "style", "subprocess", "sys", "table", "tempfile",
		"testing", "texmanager", "text", "textpath", "transforms", "tri", "typing", "units", "widgets",
	},
	"matplotlib.cm": {"colors", "mpl"},
	"matplotlib.colors": {
		"ABC", "Image", "Mapping", "Sequence", "abstractmethod", "base64", "cbook", "functools", "importlib",
		"inspect", "io", "itertools", "make_norm_from_scale", "mpl", "np", "re", "scale",
	},
	"matplotlib.dates": {"cbook", "datetime", "dateutil", "functools", "logging", "mpl", "np", "re", "ticker", "units"},
	"matplotlib.figure": {
		"ExitStack", "backend_bases", "cbar", "cbook", "functools", "inspect", "itertools", "logging", "mimage",
		"mlegend", "mpl", "np", "projections", "threading",
	},
	"matplotlib.gridspec": {"copy", "logging", "mpl", "np"},
	"matplotlib.lines": {"cbook", "copy", "logging", "mcolors", "mpl", "np"},
	"matplotlib.patches": {
		"SimpleNamespace", "artist", "cbook", "colors", "functools", "inspect", "math", "mhatch", "mlines", "mpl",
		"namedtuple", "np", "textwrap", "transforms",
	},
	"matplotlib.pyplot": {
		"AbstractContextManager", "Enum", "ExitStack", "available_backends", "backend_registry", "cbook",
		"functools", "importlib", "inspect", "logging", "matplotlib", "mlab", "np", "rcsetup", "style", "sys",
		"threading", "time",
	},
	"matplotlib.ticker": {"cbook", "itertools", "locale", "logging", "math", "mpl", "mtransforms", "np", "string"},
	"mpl_toolkits.mplot3d": {"art3d", "axes3d", "axis3d", "proj3d"},
	"numpy": {
		"core", "ctypeslib", "distutils", "doc", "dtypes", "emath", "exceptions", "f2py", "lib", "matlib",
		"matrixlib", "testing", "version",
	},
	"numpy.fft": {"test"},
	"numpy.linalg": {"lapack_lite", "test"},
	"numpy.ma": {"core", "extras", "mrecords", "test", "testutils"},
	"numpy.polynomial": {"chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils", "test"},
	"numpy.random": {"bit_generator", "lib", "mtrand", "test"},
	"numpy.typing": {"mypy_plugin", "test"},
	"pandas": {"arrays", "compat", "core", "io", "offsets", "pandas", "plotting", "testing", "util"},
	"pandas.errors": {"abc", "cow", "ctypes"},
	"scipy": {"datasets", "differentiate", "fftpack", "io", "misc", "odr", "version"},
	"scipy.cluster.hierarchy": {"bisect", "deque", "distance", "np", "warnings", "xpx"},
	"scipy.cluster.vq": {"deque", "np", "warnings", "xpx"},
	"scipy.constants": {"codata", "constants", "test"},
	"scipy.fft": {"test"},
	"scipy.integrate": {"dop", "lsoda", "odepack", "quadpack", "test", "vode"},
	"scipy.interpolate": {
		"dfitpack", "fitpack", "fitpack2", "interpnd", "interpolate", "ndgriddata", "polyint", "rbf", "test",
	},
	"scipy.linalg": {
		"basic", "blas", "cython_blas", "cython_lapack", "decomp", "decomp_cholesky", "decomp_lu", "decomp_qr",
		"decomp_schur", "decomp_svd", "interpolative", "lapack", "matfuncs", "misc", "special_matrices", "test",
	},
	"scipy.ndimage": {"filters", "fourier", "interpolation", "measurements", "morphology", "test"},
	"scipy.optimize": {
		"cobyla", "cython_optimize", "elementwise", "lbfgsb", "linesearch", "minpack", "minpack2", "moduleTNC",
		"nonlin", "optimize", "slsqp", "test", "tnc", "zeros",
	},
	"scipy.signal": {
		"bsplines", "filter_design", "fir_filter_design", "lti_conversion", "ltisys", "signaltools", "spectral",
		"spline", "test", "waveforms", "wavelets", "windows",
	},
	"scipy.sparse": {
		"base", "bsr", "compressed", "construct", "coo", "csc", "csr", "data", "dia", "dok", "extract", "lil",
		"sparsetools", "spfuncs", "sputils", "test",
	},
	"scipy.sparse.csgraph": {"test"},
	"scipy.sparse.linalg": {"dsolve", "eigen", "interface", "isolve", "matfuncs", "test"},
	"scipy.spatial": {"ckdtree", "kdtree", "qhull", "qhull_src", "test", "transform"},
	"scipy.spatial.distance": {"dataclasses", "math", "np", "partial", "warnings", "xpx"},
	"scipy.special": {
		"add_newdocs", "basic", "cython_special", "orthogonal", "sf_error", "specfun", "spfun_stats", "test",
	},
	"scipy.stats": {
		"biasedurn", "contingency", "distributions", "kde", "morestats", "mstats", "mstats_basic", "mstats_extras",
		"mvn", "qmc", "sampling", "stats", "test",
	},
	"sklearn": {
		"callback", "exceptions", "experimental", "externals", "frozen", "kernel_approximation", "kernel_ridge",
		"utils",
	},
	"sklearn.base": {"copy", "defaultdict", "functools", "inspect", "np", "numbers", "platform", "re", "warnings"},
	"sklearn.calibration": {"Parallel", "minimize", "minimize_scalar", "np", "signature", "warnings", "xpx"},
	"sklearn.datasets": {"data", "descr", "images", "textwrap"},
	"sklearn.discriminant_analysis": {"linalg", "np", "scipy", "warnings"},
	"sklearn.dummy": {"np", "sp", "warnings"},
	"sklearn.feature_extraction": {"image"},
	"sklearn.feature_extraction.text": {
		"array", "defaultdict", "itemgetter", "metadata_routing", "np", "partial", "re", "sp", "unicodedata",
		"warnings",
	},
	"sklearn.gaussian_process.kernels": {
		"ABCMeta", "abstractmethod", "inspect", "lru_cache", "math", "namedtuple", "np", "signature", "warnings",
	},
	"sklearn.impute": {"typing"},
	"sklearn.isotonic": {"interpolate", "math", "metadata_routing", "np", "optimize", "warnings"},
	"sklearn.metrics": {"cluster"},
	"sklearn.metrics.pairwise": {"distance", "effective_n_jobs", "itertools", "math", "np", "partial", "warnings"},
	"sklearn.model_selection": {"typing"},
	"sklearn.multiclass": {"array", "itertools", "np", "sp", "warnings"},
	"sklearn.multioutput": {"ABCMeta", "abstractmethod", "np", "sp"},
	"sklearn.naive_bayes": {"ABCMeta", "abstractmethod", "np", "warnings", "xpx"},
	"sklearn.pipeline": {
		"Bunch", "Counter", "chain", "check_memory", "copy", "deepcopy", "defaultdict", "islice", "np", "sparse",
	},
	"sklearn.random_projection": {"ABCMeta", "abstractmethod", "linalg", "np", "sp", "warnings"},
	"sklearn.svm": {"src"},
	"yaml": {
		"composer", "constructor", "cyaml", "dumper", "emitter", "error", "events", "io", "loader", "nodes",
		"parser", "reader", "representer", "resolver", "scanner", "serializer", "tokens",
	},
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
	some name, library in library_of
	not public(name, library.modules)
}

# METADATA
# title: Hands about a module of a library
# description: |
#   Whoever has a module may ask it for anything that it has among its names.
# custom:
#   id: strict-module
#   severity: high
#   cwe: CWE-829
#   controls: [NIST 800-53 CM-7(5)]
#   remediation: Ask the module for a function where it is named, and hand on the function.
deny contains {
	"rule": "strict-module",
	"symbol": name,
	"span": use.span,
	"message": sprintf("%s is a module that is handed on or kept, where it should be asked for a named member", [name]),
} if {
	input.source.language == "python"
	some name, library in library_of
	some module in library.modules
	is_module(name, module)
	some use in input.source.uses[name]
	use.how == "reference"
}

# What the program names of each of them.
library_of[name] := library if {
	some name in input.source.names
	contains(name, ".")
	library := libraries[split(name, ".")[0]]
}

is_module(name, module) if name == module

is_module(name, module) if startswith(module, concat("", [name, "."]))

public(name, modules) if name in modules

# A function or class of a module, or a member of a class or of what computes
# element by element.
public(name, modules) if {
	parts := split(name, ".")
	every part in parts {
		not private(part)
	}
	some n in numbers.range(1, count(parts) - 1)
	module := concat(".", array.slice(parts, 0, n))
	module in modules
	member(array.slice(parts, n, count(parts)))
	not parts[n] in object.get(insides, module, set())
}

public(name, modules) if {
	some module in modules
	regex.match(`^\.rcParams(Default|Orig)?\.(update|__[gs]etitem__)$`, trim_prefix(name, module))
}

# A distribution is asked for what computes of it.
public(name, modules) if {
	"scipy.stats" in modules
	regex.match(`^scipy\.stats\.[a-z][a-z0-9_]*\.[a-z]+$`, name)
	parts := split(name, ".")
	not parts[2] in insides["scipy.stats"]
	parts[3] in of_distributions
}

public(name, modules) if {
	some module in modules
	name in {concat("", [module, ".style.", use]) | some use in {"use", "context"}}
}

of_distributions := {
	"cdf", "entropy", "expect", "fit", "interval", "isf", "logcdf", "logpdf", "logpmf", "logsf", "mean",
	"median", "moment", "pdf", "pmf", "ppf", "rvs", "sf", "stats", "std", "support", "var",
}

private(part) if {
	startswith(part, "_")
	part != "__name__"
}

member(rest) if count(rest) == 1

# What a function is called, as text.
member(rest) if {
	count(rest) == 2
	rest[1] == "__name__"
}

member(rest) if {
	count(rest) > 1
	regex.match(`^([A-Z]|(options|rcParams|cm|add|subtract|multiply|maximum|minimum|logical_and|logical_or|r_|c_)$)`, rest[0])
}
