package sallyport.rules.strict

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

names_backend(name) if regex.match(`^pandas\.options\.(plotting|([a-z_]+\.)*d(\.|$))|^matplotlib\.(backends|(pyplot\.)?rcParams(Default|Orig)?$)`, name)

names_backend(name) if {
	regex.match(`^matplotlib\.(pyplot\.)?rcParams(Default|Orig)?\.`, name)
	some use in input.source.uses[name]
	not plain_setting(name, use)
}

# Styles that come with it. One of another name is a file.
names_backend(name) if {
	regex.match(`^matplotlib\.(pyplot\.)?style\.(use|context)$`, name)
	some use in input.source.uses[name]
	use.how != "import"
	not plain_style(use)
}

names_backend(name) if {
	name in {
		"matplotlib.use", "matplotlib.rc_context", "matplotlib.pyplot.rc_context",
		"matplotlib.pyplot.switch_backend", "pandas.set_option", "pandas.option_context",
	}
	some use in input.source.uses[name]
	use.how != "import"
	not plain_option(name, use)
}

# They look in a module of that name.
names_backend("numpy.info") if {
	some use in input.source.uses["numpy.info"]
	some i, arg in use.args
	{i >= 3, object.get(arg, "name", "") == "toplevel"} & {true} == {true}
}

names_backend("numpy.info") if {
	some use in input.source.uses["numpy.info"]
	use.splat
}

names_backend(name) if name in {"numpy.add_newdoc", "numpy.lookfor"}

# Among the options of figures are functions that are called with each.
names_backend(name) if {
	name in {"matplotlib.rc", "matplotlib.pyplot.rc"}
	some use in input.source.uses[name]
	use.splat
	not named_group(use)
}

# Who calls them later decides what they are given.
names_backend(name) if {
	name in {"matplotlib.rc", "matplotlib.pyplot.rc", "numpy.info", "sklearn.base.BaseEstimator.set_params"}
	some use in input.source.uses[name]
	not use.how in {"call", "import"}
}

# TeX is another program.
names_backend(name) if {
	name in {"matplotlib.pyplot.savefig", "matplotlib.figure.Figure.savefig"}
	some use in input.source.uses[name]
	some arg in use.args
	some file in [object.get(arg, "value", ""), object.get(arg, "path", "")]
	is_string(file)
	regex.match(`(?i)\.pgf$`, file)
}

names_backend(name) if {
	startswith(name, "pandas.DataFrame.")
	some use in input.source.uses[name]
	some i, arg in use.args
	says_backend(name, i, object.get(arg, "name", ""))
}

# The analysis tells of each setting that this sets.
plain_setting(name, use) if {
	regex.match(`\.rcParams(Default|Orig)?\.update$`, name)
	use.how == "call"
}

# Settings of how things look.
plain_setting(name, use) if {
	regex.match(`\.rcParams(Default|Orig)?\.__[gs]etitem__$`, name)
	use.how == "call"
	not use.splat
	key := use.args[0].value
	is_string(key)
	regex.match(concat("", ["^(", concat("|", looks), ")$"]), key)
	every arg in use.args {
		not names_module(arg.value)
	}
}

looks := [
	`font\.[a-z-]+`,
	`axes\.(axisbelow|edgecolor|facecolor|grid|grid\.(axis|which)|label(color|pad|size|weight)|linewidth|(x|y|z)?margin)`,
	`axes\.(spines\.(bottom|left|right|top)|title(color|location|pad|size|weight|y)|formatter\.[a-z_]+|unicode_minus)`,
	`(axes3d|polaraxes)\.grid`,
	`figure\.(autolayout|constrained_layout\.[a-z_]+|dpi|edgecolor|facecolor|figsize|frameon|label(size|weight))`,
	`figure\.(max_open_warning|subplot\.[a-z]+|title(size|weight))`,
	`(boxplot|contour|errorbar|grid|hatch|hist|image|legend|lines|patch|scatter|xaxis|xtick|yaxis|ytick)\.[a-z_.]+`,
	`savefig\.(bbox|dpi|edgecolor|facecolor|orientation|pad_inches|transparent)`,
	`(mathtext|text)\.(antialiased|color|default|fallback|fontset)`,
	`(pdf|ps|svg)\.(fonttype|compression)`,
]

plain_style(use) if {
	use.how == "call"
	not use.splat
	every i, arg in use.args {
		names_style(i, arg)
	}
}

names_style(0, arg) if {
	object.get(arg, "name", "") in {"", "style"}
	arg.value in styles
}

names_style(_, arg) if object.get(arg, "name", "") == "after_reset"

styles := {
	"Solarize_Light2", "bmh", "classic", "dark_background", "default", "fast", "fivethirtyeight", "ggplot",
	"grayscale", "seaborn-v0_8", "seaborn-v0_8-bright", "seaborn-v0_8-colorblind", "seaborn-v0_8-dark",
	"seaborn-v0_8-dark-palette", "seaborn-v0_8-darkgrid", "seaborn-v0_8-deep", "seaborn-v0_8-muted",
	"seaborn-v0_8-notebook", "seaborn-v0_8-paper", "seaborn-v0_8-pastel", "seaborn-v0_8-poster",
	"seaborn-v0_8-talk", "seaborn-v0_8-ticks", "seaborn-v0_8-white", "seaborn-v0_8-whitegrid",
	"tableau-colorblind10",
}

says_backend(_, _, "backend")

# Or by its place, of a table or a column.
says_backend(name, i, "") if {
	name in {"pandas.DataFrame.hist", "pandas.DataFrame.boxplot"}
	i > 8
}

named_group(use) if {
	use.args[0].known
	is_string(use.args[0].value)
	use.args[0].value != "figure"
}

# The analysis tells of each setting that this sets.
plain_option(name, use) if {
	endswith(name, ".rc_context")
	use.how == "call"
	not use.splat
	count(use.args) < 2
	every arg in use.args {
		object.get(arg, "name", "") in {"", "rc"}
	}
}

# An option of pandas is looked up by an expression.
plain_option(name, use) if {
	startswith(name, "pandas.")
	use.how == "call"
	not use.splat
	every i, arg in use.args {
		plain_of_pandas(i, arg, use.args)
	}
}

plain_option(name, use) if {
	endswith(name, "use")
	plain_back_end(use)
}

plain_option(name, use) if {
	endswith(name, "switch_backend")
	plain_back_end(use)
}

plain_of_pandas(i, arg, _) if {
	i % 2 == 0
	is_string(arg.value)
	regex.match(concat("", ["^(", concat("|", plain_options), ")$"]), arg.value)
}

plain_of_pandas(i, arg, _) if {
	i % 2 == 1
	arg.known
}

plain_of_pandas(i, _, args) if {
	i % 2 == 1
	is_string(args[i - 1].value)
	startswith(args[i - 1].value, "display.")
}

# Among those of what a table looks like is a text with fields.
plain_options := [
	`(display|future|io|mode)\.[a-z_.]+`,
	`compute\.use_(bottleneck|numexpr)`,
	`styler\.(html|latex|render|sparse)\.[a-z_.]+`,
	`styler\.format\.(decimal|escape|na_rep|precision|thousands)`,
]

plain_back_end(use) if {
	use.how == "call"
	not use.splat
	every arg in use.args {
		arg.known
		not names_module(arg.value)
	}
}

names_module(text) if {
	is_string(text)
	regex.match(`module:|backend|^(?i:pgf)$`, text)
}
