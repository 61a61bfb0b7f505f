package sallyport.rules.strict_test

not_known := {"name": "", "value": null, "known": false}

test_back_end if {
	with_use("matplotlib.use", {"args": [option("", "Agg")]}) == set()
	with_use("matplotlib.use", {"args": [option("", "module://os")]}) == {"strict-backend"}
	with_use("matplotlib.use", {"args": [{"name": "", "value": null, "known": false}]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "display.width"), option("", 120)]}) == set()
	with_use("pandas.set_option", {"args": [option("", "plotting.backend"), option("", "this")]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "compute.use_numexpr"), option("", false)]}) == set()
	with_use("pandas.set_option", {"args": [option("", "compute.use_numba"), option("", true)]}) == {"strict-backend"}
	with_use("pandas.set_option", {"how": "import"}) == set()
	with_use("pandas.set_option", {"args": [option("", "display.float_format"), not_known]}) == set()
	with_use("pandas.set_option", {"args": [option("", "mode.copy_on_write"), not_known]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "display.x|plotting.backend"), not_known]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "plotting.b"), option("", "this")]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [not_known, option("", "this")]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "styler.format.precision"), option("", 2)]}) == set()
	with_use("pandas.set_option", {"args": [option("", "styler.html.mathjax"), option("", false)]}) == set()
	with_use("pandas.set_option", {"args": [option("", "styler.format.formatter"), option("", "{0.a}")]}) == {"strict-backend"}
	with_use("pandas.set_option", {"args": [option("", "styler.f...at.f"), option("", "{0.a}")]}) == {"strict-backend"}
	with_use("pandas.options.d", {}) == {"strict-backend"}
	with_use("pandas.options.display.d.clear", {}) == {"strict-backend"}
	with_use("pandas.options.display.date_dayfirst", {}) == set()
	with_use("matplotlib.pyplot.switch_backend", {"args": [option("", "svg")]}) == set()
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
	"strict-backend" in with_use("matplotlib.pyplot.savefig", {"args": [object.union(not_known, {"path": "a*.pgf"})]})
	not "strict-backend" in with_use("matplotlib.pyplot.savefig", {"args": [option("", "a.png"), option("dpi", 100)]})
}

test_settings[name] if {
	some name in ["matplotlib.rcParams", "matplotlib.pyplot.rcParamsDefault"]
	item := concat("", [name, ".__setitem__"])
	with_use(item, {"args": [option("", "figure.figsize"), not_known]}) == set()
	with_use(item, {"args": [option("", "axes.spines.top"), option("", false)]}) == set()
	with_use(concat("", [name, ".__getitem__"]), {"args": [option("", "font.size")]}) == set()
	with_use(concat("", [name, ".update"]), {"args": [not_known]}) == set()
	with_use(concat("", [name, ".update"]), {"how": "reference"}) == {"strict-backend"}
	with_use(item, {"args": [option("", "figure.hooks"), not_known]}) == {"strict-backend"}
	with_use(item, {"args": [not_known, not_known]}) == {"strict-backend"}
	with_use(item, {"args": [option("", "savefig.format"), option("", "png")]}) == {"strict-backend"}
	with_use(item, {"args": [option("", "image.cmap"), option("", "pgf")]}) == {"strict-backend"}
	with_use(item, {"args": [option("", "axes.prop_cycle"), not_known]}) == {"strict-backend"}
	with_use(item, {"how": "reference"}) == {"strict-backend"}
}

test_settings_for_a_while if {
	with_use("matplotlib.pyplot.rc_context", {"args": [not_known]}) == set()
	with_use("matplotlib.rc_context", {"args": [option("rc", null)]}) == set()
	with_use("matplotlib.rc_context", {"args": [option("fname", "x")]}) == {"strict-backend"}
	with_use("matplotlib.rc_context", {"args": [not_known, not_known]}) == {"strict-backend"}
	with_use("matplotlib.rc_context", {"splat": true}) == {"strict-backend"}
}

test_styles if {
	with_use("matplotlib.pyplot.style.use", {"args": [option("", "ggplot")]}) == set()
	with_use("matplotlib.style.context", {"args": [option("", "ggplot"), option("after_reset", true)]}) == set()
	with_use("matplotlib.pyplot.style.use", {"args": [option("", "mine")]}) == {"strict-backend"}
	with_use("matplotlib.pyplot.style.use", {"args": [not_known]}) == {"strict-backend"}
	with_use("matplotlib.pyplot.style.use", {"how": "reference"}) == {"strict-backend"}
}
