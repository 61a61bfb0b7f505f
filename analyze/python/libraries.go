package python

import (
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
)

// Libraries beyond the standard one hand out objects of each other, and what they do may depend on one
// option of whatever is called, or of an object whose class nobody names.

// lenders says of which other libraries the objects are that a library hands out.
func lenders() map[string][]string {
	return map[string][]string{
		"matplotlib": {"numpy"}, "pandas": {"matplotlib", "numpy"}, "scipy": {"matplotlib", "numpy"}, "sklearn": {"matplotlib", "numpy", "pandas"},
		"seaborn": {"matplotlib", "numpy", "pandas"}, "statsmodels": {"matplotlib", "numpy", "pandas"}, "mpl_toolkits": {"matplotlib", "numpy"}, "yaml": {},
	}
}

// option is an argument or attribute with which a library does more than compute.
type option struct {
	library string
	symbol  string           // what giving it is, in the catalogs
	plain   func(value) bool // tells with what it does no more; none: with nothing
}

func libraryOptions() map[string]option {
	out := map[string]option{
		// Modules by name, and a function of one.
		"backend": {"matplotlib", "matplotlib.backends.registry", func(v value) bool {
			return v.isNoneOr(func(text string) bool { return !strings.Contains(text, "module:") && !strings.EqualFold(text, "pgf") })
		}},
		"hooks": {"matplotlib", "matplotlib.rcsetup.hooks", nil},
		// TeX, which is another program.
		"usetex": {"matplotlib", "matplotlib.text.usetex", value.isFalse},
		"format": {"matplotlib", "matplotlib.backends.backend_pgf", func(v value) bool {
			plain := func(text string) bool { return !strings.EqualFold(text, "pgf") }
			return v.isNoneOr(plain) || v.open() && value{atoms: v.texts().atoms}.isNoneOr(plain)
		}},
		// A program of its own, which makes another file of one.
		"usedistiller": {"matplotlib", "matplotlib.backends.backend_ps", func(v value) bool { return v.isNone() || v.isFalse() }},
		// Where results are kept, and read again.
		"memory": {"sklearn", "sklearn.utils.validation.check_memory", func(v value) bool {
			return !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() || a.kind == atomString || a.kind == atomPrefix })
		}},
		"out_file": {"sklearn", "sklearn.tree._export.out_file", value.isNone},
		// Attributes of an estimator by a path, and a method of one by its name.
		"importance_getter": {"sklearn", "sklearn.feature_selection._base.importance_getter", func(v value) bool { return v.isTextOnly(fitted.MatchString) }},
		"response_method":   {"sklearn", "sklearn.utils.validation.response_method", func(v value) bool { return v.isTextOnly(responses.MatchString) }},
		// A program of its own on what is read or written, which may ask for other files.
		"stylesheet": {"pandas", "pandas.io.xml.stylesheet", value.isNone},
		"as_json":    {"pandas", "pandas.util.show_versions", value.isFalse},
		// Whether what is given are names of files.
		"input": {"sklearn", "sklearn.feature_extraction.text.CountVectorizer.input", func(v value) bool {
			return v.isNoneOr(func(text string) bool { return text != "filename" })
		}},
		// Whether somebody looks at memory that shall be another.
		"refcheck": {"numpy", "numpy.ndarray.resize", func(v value) bool {
			a, ok := v.constant()
			return ok && a == atom{kind: atomBool, n: 1}
		}},
		keyOfMemory: {"numpy", "numpy.ndarray.buffer", nil},
		// Files that are opened in machine code, of which no hook knows.
		"qhull_options": {"scipy", "scipy.spatial._qhull.options", func(v value) bool {
			return v.isNoneOr(func(text string) bool { return !qhullFiles.MatchString(text) })
		}},
		solverOptions: {"scipy", "scipy.optimize._highspy.options", nil},
		// Names of files and directories that are made of data, and modes that are no longer the function's own.
		partitions:          {"pandas", "pandas.io.parquet.partition_cols", func(v value) bool { return v.isTextOnly(plainColumn.MatchString) }},
		"basename_template": {"pandas", "pandas.io.parquet.basename_template", func(v value) bool { return v.isTextOnly(plainTemplate.MatchString) }},
		compressionOptions:  {"pandas", "pandas.io.common.compression", nil},
		// Options of HiGHS that an estimator hands on, and what pyarrow gives of a file that it wrote: that writes others.
		"solver_options":     {"sklearn", "scipy.optimize._highspy.options", nil},
		"metadata_collector": {"pandas", "pandas.io.parquet.metadata_collector", nil},
		"file_visitor":       {"pandas", "pandas.io.parquet.file_visitor", nil},
		// Whether texts by which an attribute is got are looked at.
		"skip_parameter_validation": {"sklearn", "sklearn.utils._param_validation.skip", value.isOff},
		// Machine code that is made of what is called.
		"engine": {"pandas", "pandas.core._numba", func(v value) bool { return !v.has(atom{kind: atomString, text: "numba"}) }},
	}
	// What these libraries keep for themselves, and make code of or fill with anything: also where a class below
	// one of theirs has something else in its place.
	for _, name := range []string{"_parse_arg_template", "_construct_argparser", "_attach_argparser_methods"} {
		out[name] = option{"scipy", "scipy.stats._distn_infrastructure." + name, nil}
	}
	out["_response_method"] = out["response_method"]
	// Names of attributes that they get of an object and hand out, and functions that they look up by the class of one.
	out["_get_param_names"] = option{"sklearn", "sklearn.base.BaseEstimator._get_param_names", nil}
	out[askedParameters] = option{"sklearn", "sklearn.base._clone_parametrized.get_params", nil}
	out["_info_axis_name"] = option{"pandas", "pandas.core.generic._info_axis_name", nil}
	out["_comparables"] = option{"pandas", "pandas.core.indexes.base._comparables", nil}
	out["estimator_params"] = option{"sklearn", "sklearn.ensemble._base.estimator_params", func(v value) bool { return v.isTextOnly(plainParam.MatchString) }}
	for _, name := range []string{"yaml_representers", "yaml_multi_representers"} {
		out[name] = option{"yaml", "yaml.representer." + name, nil}
	}
	for _, name := range []string{"_doc_link_template", "_doc_link_url_param_generator", "_get_doc_link"} {
		out[name] = option{"sklearn", "sklearn.utils._repr_html." + name, nil}
	}
	return out
}

var (
	fitted    = regexp.MustCompile(`^(auto|([A-Za-z]\w*\.)*[A-Za-z]\w*_)$`) // what an estimator has once it is fitted
	responses = regexp.MustCompile(`^(auto|decision_function|predict(_(log_)?proba)?|score_samples|transform)$`)
)

// What stands for options of these functions, which are a dictionary whose keys are looked at.
const (
	solverOptions      = "options of a solver"
	compressionOptions = "options of a compression"

	partitions = "partition_cols"
)

var (
	qhullFiles    = regexp.MustCompile(`(^|\s)T`) // TI and TO, and what traces
	plainParam    = regexp.MustCompile(`^[A-Za-z]\w*$`)
	plainColumn   = regexp.MustCompile(`^\w[\w -]*$`)
	plainTemplate = regexp.MustCompile(`^\w[\w-]*\{i\}[\w-]*\.parquet$`)
	compressing   = regexp.MustCompile(`^(archive_name|compresslevel|level|method|mtime|preset)$`)
	solving       = regexp.MustCompile(`^(disp|presolve|node_limit|time_limit|mip_rel_gap|maxiter|autoscale|rr|rr_method|tol|(primal|dual)_feasibility_tolerance|ipm_optimality_tolerance|simplex_dual_edge_weight_strategy)$`)
)

// keyedOptions looks at options that are given at node given, for what the function says is harmless: a dictionary
// that stands there, so that nobody else has it, whose keys are known.
func (p *python) keyedOptions(i, given int, name string, v value, harmless *regexp.Regexp) {
	if v.isNoneOr(func(string) bool { return true }) {
		return
	}
	t := p.unit.tree
	if a, ok := v.single(); ok && a.kind == atomContainer && given != analyze.NoNode && t.Kind(p.bare(given)) == kindDictionary {
		if c := &p.containers[a.n]; c.rest.nothing() && c.keys.nothing() && !slices.ContainsFunc(c.keyed, func(key atom) bool { return !harmless.MatchString(key.text) }) {
			return
		}
	}
	p.optioned(i, name, anything())
}

// partitioned looks at the names of columns that become names of directories, which are given at node given: others may
// change a list that does not stand there.
func (p *python) partitioned(i, given int, v value) {
	if given != analyze.NoNode {
		if k := p.unit.tree.Kind(p.bare(given)); k == kindList || k == kindTuple || k == kindString {
			return // which were looked at as any option
		}
	}
	if v.isNone() {
		return
	}
	p.optioned(i, partitions, anything())
}

// givenAs is the argument of that name of the call at i; NoNode where none stands there.
func (p *python) givenAs(i int, name string) int {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return analyze.NoNode
	}
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindKeywordArgument && p.identifier(t.Child(c, nameField)) == name {
			return t.Child(c, valueField)
		}
	}
	return analyze.NoNode
}

// isTextOnly tells whether all text that v may be is known, and the function says of each that it is harmless.
func (v value) isTextOnly(harmless func(text string) bool) bool {
	return !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomPrefix || a.kind == atomString && !harmless(a.text) })
}

// optional are functions and classes that have one of these: by its place, if it has one.
func optional() map[string]taken {
	out := map[string]taken{
		"sklearn.tree.export_graphviz": {1, "out_file"}, "sklearn.set_config": {9, "skip_parameter_validation"}, "sklearn.config_context": {-1, "skip_parameter_validation"},
		"sklearn.linear_model.QuantileRegressor": {-1, "solver_options"}, "pandas.show_versions": {0, "as_json"},
		"scipy.spatial.ConvexHull": {2, "qhull_options"}, "scipy.spatial.Delaunay": {3, "qhull_options"}, "scipy.spatial.Voronoi": {3, "qhull_options"},
		"scipy.spatial.HalfspaceIntersection": {3, "qhull_options"}, "scipy.optimize.milp": {-1, solverOptions}, "scipy.optimize.linprog": {-1, solverOptions},
	}
	for name, keyword := range map[string]string{
		"feature_extraction.text.CountVectorizer": "input", "feature_extraction.text.HashingVectorizer": "input", "feature_extraction.text.TfidfVectorizer": "input",
		"pipeline.Pipeline": "memory", "pipeline.make_pipeline": "memory",
		"feature_selection.RFE": "importance_getter", "feature_selection.RFECV": "importance_getter", "feature_selection.SelectFromModel": "importance_getter",
		"metrics.make_scorer":             "response_method",
		"cluster.AgglomerativeClustering": "memory", "cluster.FeatureAgglomeration": "memory", "cluster.HDBSCAN": "memory", "cluster.OPTICS": "memory",
	} {
		out["sklearn."+name] = taken{-1, keyword}
	}
	return out
}

// optionsByPlace looks at the options that a call takes by their place, where it is one of what is looked for: a function, or a
// class, however that comes to be called.
func (p *python) optionsByPlace(i int, args *arguments, is func(one func(class string) bool) bool) {
	for name, f := range p.tables.optional {
		if f.position < 0 || !args.splat && len(args.positional) <= f.position || !p.atHand(p.tables.options[f.keyword].library) ||
			!is(func(class string) bool { return class == name }) {
			continue
		}
		v := anything()
		if !args.splat {
			v = args.positional[f.position]
		}
		p.optioned(i, f.keyword, v)
	}
}

// isOff tells whether v is nothing but None and False.
func (v value) isOff() bool {
	return !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomNone && a != atom{kind: atomBool} })
}

func (v value) isFalse() bool {
	a, ok := v.constant()
	return ok && a == atom{kind: atomBool}
}

// isNoneOr tells whether v is nothing but None, and text that the function says is harmless.
func (v value) isNoneOr(harmless func(text string) bool) bool {
	return !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomNone && (a.kind != atomString || !harmless(a.text))
	})
}

// sameAs returns what member name of a class of a library is, where other classes of it have the same.
func (p *python) sameAs(owner, name string) string {
	library, _, _ := strings.Cut(owner, ".")
	class := owner[strings.LastIndexByte(owner, '.')+1:]
	full := p.tables.methods[name]
	if full == "" || class == "" || class[0] < 'A' || class[0] > 'Z' || library == "numpy" || !strings.HasPrefix(full, library+".") || p.tables.lenders[library] == nil {
		return ""
	}
	return full
}

// keyOfMemory is the key of a dictionary by which numpy knows of what kind the elements are that an object has
// at an address. What the dictionary is made of may be texts, and the object one that answers any name.
const keyOfMemory = "typestr"

// tellsMemory looks at a text that stands at i for that key.
func (p *python) tellsMemory(i int, v value) {
	if a, ok := v.constant(); ok && a.kind == atomString && strings.Contains(a.text, keyOfMemory) && p.unit.tree.Kind(p.unit.tree.Parent(i)) != kindExpressionStatement {
		p.optioned(i, keyOfMemory, v)
	}
}

// optioned looks at an argument or an attribute of that name, of whatever it is.
func (p *python) optioned(i int, name string, v value) {
	if n := strings.LastIndex(name, "__"); n > 0 { // of a part of what is given it, in sklearn
		name = name[n+2:]
	}
	o, ok := p.tables.options[name]
	if !ok || !p.atHand(o.library) || p.quiet > 0 {
		return
	}
	if v, waits := p.settled(p.withHeld(v)); !waits && (o.plain == nil || !o.plain(v)) {
		p.mention(i, symbol(o.symbol), usage{how: analyze.HowAssign})
	}
}

// withHeld is v and what the containers in it hold.
func (p *python) withHeld(v value) value {
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			v = v.join(p.containers[a.n].all)
		}
	}
	return v
}

// optionKey looks at a key of a dictionary that may become such an option, or be among those that are tried.
func (p *python) optionKey(i int, name string, v value) {
	v = p.withHeld(v)
	if o := p.tables.options[name]; o.plain == nil || name == "importance_getter" || name == "response_method" { // whatever it is
		p.optioned(i, name, v)
		return
	}
	known := value{}
	for _, a := range v.atoms {
		if a.constant() && a.kind != atomPrefix {
			known.atoms = append(known.atoms, a)
		}
	}
	if !known.nothing() {
		p.optioned(i, name, known)
	}
}

// optionOf looks at an attribute of that name that is assigned to. What methods of the program's keep in
// their own object is none of a library, where no class is below one that computes.
func (p *python) optionOf(i int, name string, v value) {
	o, ok := p.tables.options[name]
	if !ok {
		return
	}
	t := p.unit.tree
	object := analyze.NoNode
	if t.Kind(i) == kindAttribute {
		object = t.Child(i, objectField)
	}
	if object != analyze.NoNode && t.Kind(object) == kindIdentifier && p.identifier(object) == "self" && !slices.ContainsFunc(p.classes, func(c class) bool {
		return p.isBelow(c.scope.owner, func(class string) bool {
			return strings.HasPrefix(class, o.library+".") && !strings.HasPrefix(class, "sklearn.base.")
		})
	}) {
		p.optionKey(i, name, v)
		return
	}
	p.optioned(i, name, v)
}

// optionAbove looks at what the body of class n has under such a name, where the class is one of the library
// or of what is not known. A class that is given to others above one may have what these ask for.
func (p *python) optionAbove(i, n int, name string, v value) {
	o, ok := p.tables.options[name]
	if ok && name != askedParameters && (o.plain == nil || p.isBelow(n, func(class string) bool { return strings.HasPrefix(class, o.library+".") })) {
		p.optioned(i, name, v)
	}
}

// textual looks at an argument or attribute of that name, which libraries take for a text with fields.
func (p *python) textual(i int, name string, v value) {
	switch name {
	case "fmt", "format", "formatter", "major_formatter", "minor_formatter", "float_format", "formatters":
		if p.atHand("matplotlib") || p.atHand("pandas") {
			p.leadsByFields(i, v)
		}
	}
}

// formatsCells looks at a call of what may be a method of a table's style.
func (p *python) formatsCells(i int, args *arguments) {
	if p.atHand("pandas") {
		for _, v := range args.all() {
			p.leadsByFields(i, v)
		}
	}
}

// leadsByFields looks at the texts in v for fields that lead from what they are filled with to something else.
func (p *python) leadsByFields(i int, v value) {
	for _, a := range p.withHeld(v).atoms { // a text for each column
		if a.kind != atomString {
			continue
		}
		fields, _ := parseFormat(a.text)
		for _, f := range fields {
			p.checkField(i, f, anything())
			if len(f.reads) > 0 {
				p.dynamicAt(analyze.DynamicFormat, i)
			}
		}
	}
}

// loadsOwn tells whether objects of a class, when they are copied, have the module loaded that their class says it is of.
func loadsOwn(class string) bool {
	switch class {
	case "matplotlib.colors.AsinhNorm", "matplotlib.colors.FuncNorm", "matplotlib.colors.LogNorm", "matplotlib.colors.SymLogNorm":
		return true
	}
	return false
}

// fieldFormatter is the class of what fills such a text with whatever it is called with.
const fieldFormatter = "matplotlib.ticker.StrMethodFormatter"

// fielded are functions that may take such a text by its place.
func fielded() map[string]bool {
	out := setOf(fieldFormatter, "matplotlib.axes.Axes.set_major_formatter", "matplotlib.axes.Axes.set_minor_formatter", "matplotlib.axes.Axes.legend_elements")
	for _, name := range writersOfPandas() {
		out["pandas.DataFrame."+name] = true
	}
	return out
}

// fillsFields looks at a call of one of those.
func (p *python) fillsFields(i int, name string, args *arguments) {
	if f, ok := p.tables.optional[name]; ok {
		if args.spread {
			p.optioned(i, f.keyword, anything())
		}
		if v, given := args.get(8, "options"); given && f.keyword == solverOptions {
			p.keyedOptions(i, p.givenAs(i, "options"), solverOptions, v, solving)
		}
	}
	if name == "matplotlib.pyplot.setp" { // names and values in turns
		for k, v := range args.positional {
			for _, a := range v.atoms {
				if a.kind == atomString && k > 0 {
					p.optionKey(i, a.text, args.arg(k+1))
				}
			}
		}
	}
	if !p.tables.fielded[name] {
		return
	}
	for _, v := range args.positional {
		p.leadsByFields(i, v)
	}
	if v, given := args.get(0, "fmt"); given && name == fieldFormatter {
		if v, waits := p.settled(v); !waits && v.open() {
			p.dynamicAt(analyze.DynamicTemplate, i)
		}
	}
}

// overMemory are functions and classes of numpy that make an array of memory which is there, by the place
// of what may say of what kind its elements are. Objects are not made of bytes.
func overMemory() map[string]int {
	return map[string]int{
		"numpy.ndarray": 1, "numpy.recarray": 1, "numpy.memmap": 1,
		"numpy.rec.array": 1, "numpy.rec.fromstring": 1, "numpy.rec.fromfile": 1, "numpy.rec.recarray": 1,
	}
}

// laysOver looks at a call of one of those. Bytes that stand there, or a file, are nobody else's; in other
// memory may be objects.
func (p *python) laysOver(i int, name string, args *arguments) {
	place, ok := p.tables.overMemory[name]
	if !ok || p.quiet > 0 {
		return
	}
	if data := args.arg(0); name == "numpy.rec.array" && !data.open() && !slices.ContainsFunc(data.atoms, func(a atom) bool { return a.kind != atomContainer }) {
		return // lists, whose elements are converted one by one
	}
	kind, given := args.get(place, "dtype")
	switch name {
	case "numpy.ndarray", "numpy.recarray", "numpy.rec.recarray":
		memory, over := args.get(2, "buffer")
		if buf, ok := args.get(-1, "buf"); ok {
			memory, over = memory.join(buf), true
		}
		if !over || memory.isNone() {
			return
		}
		given = true
		_, from := args.get(3, "offset")
		_, steps := args.get(4, "strides")
		if a, ok := memory.constant(); !ok || a.kind != atomBytes || from || steps {
			kind = kind.with(open)
		}
	}
	if formats, ok := args.get(-1, "formats"); ok {
		kind, given = kind.join(formats), true
	}
	if args.splat || given && p.maybeObjects(kind, 4) {
		p.mention(i, symbol("numpy.ndarray.buffer"), usage{how: analyze.HowAssign})
	}
}

// plainly returns the name of what does the same as a call of a function, and no more: yaml.load with
// a loader of plain data is yaml.safe_load.
func (p *python) plainly(name string, u usage) string {
	if name != "yaml.load" && name != "yaml.load_all" || u.how != analyze.HowCall || u.args.splat {
		return name
	}
	loader, _ := u.args.get(1, "Loader")
	if a, ok := loader.single(); ok && loader.flags == 0 && a.kind == atomSymbol {
		switch a.text {
		case "yaml.BaseLoader", "yaml.CBaseLoader", "yaml.CSafeLoader", "yaml.SafeLoader":
			return "yaml.safe_" + strings.TrimPrefix(name, "yaml.")
		}
	}
	return name
}

// makesKeyed notes a call of a class whose objects have attributes that nobody sees.
func (p *python) makesKeyed(name string) {
	if keyed(name) {
		p.spreads()
	}
}

// calledLater looks at one of them, or one with an option, that is given to somebody who may call it.
func (p *python) calledLater(i int, name string) {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) == kindKeywordArgument {
		up = t.Parent(up)
	}
	_, lays := p.tables.overMemory[name]
	f, takes := p.tables.optional[name]
	if !lays && !takes || t.Kind(up) != kindArgumentList {
		return
	}
	fn := t.Child(t.Parent(up), functionField)
	if fn == analyze.NoNode {
		return
	}
	switch t.Kind(fn) {
	case kindIdentifier:
		if a, ok := p.variable(fn).single(); ok && a.kind == atomFunction {
			return // which is followed
		}
	case kindAttribute:
		switch p.identifier(t.Child(fn, attributeField)) {
		case "register", "assertIsInstance", "assertNotIsInstance", "view":
			return
		}
	}
	if takes {
		p.optioned(i, f.keyword, anything())
		return
	}
	p.mention(i, symbol("numpy.ndarray.buffer"), usage{how: analyze.HowAssign})
}

// ofReferences are texts that say so of elements, or that they are texts of any length, which lie elsewhere.
var ofReferences = regexp.MustCompile(`(^|[^A-Za-z_])[OT]([^A-Za-z_]|$)|(?i:object|string)`)

// maybeObjects tells whether v may say that elements are objects, where numpy is told of what kind they are.
func (p *python) maybeObjects(v value, depth int) bool {
	return v.open() || depth == 0 || slices.ContainsFunc(v.atoms, func(a atom) bool {
		switch a.kind {
		case atomString:
			return ofReferences.MatchString(a.text)
		case atomContainer:
			c := p.containers[a.n]
			return p.leaky(int(a.n)) != 0 || p.maybeObjects(c.all, depth-1)
		case atomSymbol:
			return !slices.Contains([]string{"builtins.int", "builtins.float", "builtins.bool", "builtins.complex", "builtins.str", "builtins.bytes"}, a.text) &&
				!strings.HasPrefix(a.text, "numpy.") || strings.HasPrefix(a.text, "numpy.object")
		}
		return !a.constant()
	})
}
