package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/analyze/python/stdlib"
)

func intrinsics() map[string]intrinsic {
	imported := func(p *python, i int, args *arguments) value {
		name, _ := args.get(0, "name")
		return p.importNamed(i, name, analyze.DynamicImport)
	}
	leveled := func(p *python, i int, args *arguments) value {
		name, _ := args.get(0, "name")
		if level, given := args.get(4, "level"); given {
			name = p.atLevel(name, level, args)
		}
		return p.importNamed(i, name, analyze.DynamicImport)
	}
	located := func(position int, keyword string) intrinsic {
		return func(p *python, i int, args *arguments) value {
			name, _ := args.get(position, keyword)
			return p.locate(i, name)
		}
	}
	run := func(expression bool) intrinsic {
		return func(p *python, i int, args *arguments) value {
			code, _ := args.get(0, "source")
			if code.nothing() && len(args.positional) == 0 && !args.splat {
				return value{}
			}
			return p.runValue(i, code, expression)
		}
	}
	return map[string]intrinsic{
		"builtins.getattr": func(p *python, i int, args *arguments) value {
			v := p.getattr(i, args.arg(0), args.arg(1))
			if def, ok := args.get(2, ""); ok {
				v = v.join(def)
			}
			return v
		},
		"inspect.getattr_static":                          func(p *python, i int, args *arguments) value { return p.getattr(i, args.arg(0), args.arg(1)) },
		"builtins.setattr":                                func(p *python, i int, args *arguments) value { return p.setattr(i, args) },
		"builtins.delattr":                                func(p *python, i int, args *arguments) value { return p.setattr(i, args) },
		"builtins.vars":                                   func(p *python, i int, args *arguments) value { return p.namespace(i, args) },
		"builtins.globals":                                func(p *python, i int, args *arguments) value { return p.programNamespace(i) },
		"builtins.locals":                                 func(p *python, i int, args *arguments) value { return p.locals(i) },
		"builtins.__import__":                             leveled,
		"importlib.__import__":                            leveled,
		"importlib.import_module":                         (*python).importBelow,
		"importlib._bootstrap._gcd_import":                imported,
		"importlib.util.resolve_name":                     func(p *python, i int, args *arguments) value { return args.arg(0) },
		"importlib.machinery.BuiltinImporter.load_module": imported,
		"os.walk":                                 walking(3),
		"os.fwalk":                                walking(4),
		"pathlib.Path.walk":                       walking(3),
		"unittest.mock._importer":                 located(0, "target"),
		"unittest.mock._get_target":               located(0, "target"),
		"unittest.mock.patch":                     located(0, "target"),
		"unittest.mock.patch.dict":                located(0, "in_dict"),
		"unittest.mock.patch.multiple":            located(0, "target"),
		"unittest.mock._patch_multiple":           located(0, "target"),
		"unittest.mock._patch_dict":               located(0, "in_dict"),
		"logging.config.BaseConfigurator.resolve": located(0, "s"),
		"xml.sax.make_parser": func(p *python, i int, args *arguments) value {
			if v, ok := args.get(0, "parser_list"); ok {
				p.importNamed(i, p.elements(v), analyze.DynamicImport)
			}
			return anything()
		},
		"unittest.TestCase":                namesMember(0, "methodName"),
		"unittest.IsolatedAsyncioTestCase": namesMember(0, "methodName"),
		"unittest.main":                    (*python).runTests,
		"xml.etree.ElementTree.indent":     func(*python, int, *arguments) value { return anything() },
		"unittest.TestProgram":             (*python).runTests,
		"unittest.main.TestProgram":        (*python).runTests,
		"dataclasses.make_dataclass":       (*python).makeDataclass,
		"types.new_class":                  (*python).newClass,
		"dataclasses.dataclass":            (*python).dataclass,
		"functools.singledispatch":         dispatching,
		"functools.singledispatchmethod":   dispatching,
		"abc.ABCMeta":                      (*python).madeClass,
		"enum.EnumMeta":                    (*python).madeClass,
		"enum.EnumType":                    (*python).madeClass,
		"functools.update_wrapper":         wrapped(0, 1, 2),
		"logging.basicConfig":              (*python).basicConfig,
		"logging.Formatter": func(p *python, i int, args *arguments) value {
			p.logFormat(i, args, 0, "fmt", false)
			return one(atom{kind: atomInstance, text: logFormatter})
		},
		"logging.BufferingFormatter": func(p *python, i int, args *arguments) value {
			if v, given := args.get(0, "linefmt"); given {
				p.formatsRecords(i, v)
			}
			return anything()
		},
		"logging.StrFormatStyle": func(p *python, i int, args *arguments) value {
			p.logFormat(i, args, 0, "fmt", true)
			return anything()
		},
		sqliteConnect:               (*python).sqliteConnection,
		"io.BytesIO":                opener("io.BytesIO"),
		"io.StringIO":               opener("io.StringIO"),
		excelWriter:                 opener(excelWriter),
		"string.Formatter.format":   (*python).formatter,
		"inspect.getmembers":        (*python).allMembers,
		"inspect.getmembers_static": (*python).allMembers,
		"importlib.util.find_spec":  (*python).findSpec,
		"pkgutil.resolve_name":      located(0, "name"),
		"pydoc.locate":              located(0, "path"),
		"pydoc.resolve":             located(0, "thing"),
		"logging.config._resolve":   located(0, "name"),
		"logging.config.dictConfig": (*python).dictConfig,
		"builtins.exec":             run(false),
		"builtins.eval":             run(true),
		"builtins.compile": func(p *python, i int, args *arguments) value {
			code, _ := args.get(0, "source")
			p.runValue(i, code, true)
			return one(atom{kind: atomInstance, text: "types.CodeType"})
		},
		"traceback.TracebackException.from_exception": shows(0, -1, "exc_traceback"),
		"traceback.print_stack":                       showsStack,
		"traceback.format_stack":                      showsStack,
		"collections.namedtuple":                      namesFieldsOf(1, "field_names"),
		"typing.NamedTuple":                           namesFieldsOf(1, "fields"),
		"typing.TypedDict": func(p *python, i int, args *arguments) value {
			fields, _ := args.get(1, "fields")
			p.annotated(i, fields)
			for _, given := range args.named {
				if p.quiet == 0 && given.name != "fields" && given.name != "total" && !p.plainTypes(i, given.value, 4) {
					p.dynamicAt(p.textOfType(), i)
				}
			}
			return anything()
		},
		"enum.Enum":     (*python).makeEnum,
		"enum.StrEnum":  (*python).makeEnum,
		"enum.IntEnum":  (*python).makeEnum,
		"enum.ReprEnum": (*python).makeEnum,
		"enum.Flag":     (*python).makeEnum,
		"enum.IntFlag":  (*python).makeEnum,
		"logging.setLogRecordFactory": func(p *python, i int, args *arguments) value {
			p.recording()
			if p.answers() {
				p.dynamicAt(analyze.DynamicFrame, i) // to what has happened, too
			}
			p.escape(args.arg(0))
			return one(atom{kind: atomNone})
		},
		"logging.getLogRecordFactory": func(p *python, i int, _ *arguments) value {
			if p.answers() {
				p.dynamicAt(analyze.DynamicFrame, i) // which takes what has happened by its place
			}
			return anything()
		},
		"logging.makeLogRecord": func(p *python, i int, args *arguments) value {
			p.seesRecords("makeLogRecord")
			p.recordsOf(i, args.arg(0))
			p.escape(args.arg(0))
			return anything()
		},
		"logging.LoggerAdapter": func(p *python, i int, args *arguments) value {
			if extra, ok := args.get(1, "extra"); ok {
				p.recordsOf(i, extra)
			}
			return anything()
		},
		"logging.LogRecord":            recorded(6),
		"sys.exc_info":                 happened,
		"traceback.print_tb":           shows(-1, 0, "tb"),
		"traceback.format_tb":          shows(-1, 0, "tb"),
		"traceback.extract_tb":         shows(-1, 0, "tb"),
		"traceback.print_exception":    shows(1, 2, "tb"),
		"traceback.format_exception":   shows(1, 2, "tb"),
		"traceback.TracebackException": shows(1, 2, "exc_traceback"),
		"functools.partial":            (*python).partial,
		"functools.partialmethod":      (*python).partial,
		"functools.reduce":             (*python).reduce,
		"builtins.map":                 (*python).mapCall,
		"builtins.filter":              (*python).filterCall,
		"itertools.starmap":            (*python).starmap,
		"operator.attrgetter":          makeGetter(getAttribute),
		"operator.itemgetter":          makeGetter(getItem),
		"operator.methodcaller":        makeGetter(callMethod),
		"operator.getitem": func(p *python, i int, args *arguments) value {
			p.givesUnseen(i, args.arg(0), args.arg(1))
			return p.item(i, args.arg(0), args.arg(1))
		},
		"operator.setitem": func(p *python, i int, args *arguments) value {
			p.setKey(i, args.arg(0), args.arg(1), args.arg(2))
			return value{}
		},
		"operator.call": func(p *python, i int, args *arguments) value {
			p.mention(i, args.arg(0), usage{how: analyze.HowCall, args: args.after(1)})
			return p.call(i, args.arg(0), args.after(1))
		},
		"operator.concat": func(p *python, i int, args *arguments) value { return p.binary(i, args.arg(0), args.arg(1), kindPlus) },
		"operator.add":    func(p *python, i int, args *arguments) value { return p.binary(i, args.arg(0), args.arg(1), kindPlus) },
		"operator.mod": func(p *python, i int, args *arguments) value {
			return p.binary(i, args.arg(0), args.arg(1), kindPercent)
		},
		"operator.truediv":  divided,
		"operator.itruediv": divided,
		"operator.xor":      func(p *python, i int, args *arguments) value { return p.binary(i, args.arg(0), args.arg(1), kindCaret) },
		"builtins.sum":      summed,
		"builtins.type":     (*python).madeClass,
		"types.SimpleNamespace": func(p *python, i int, args *arguments) value {
			for _, v := range args.named {
				p.setField(v.name, v.value)
			}
			return anything()
		},
		"pathlib.Path": (*python).newPath, "pathlib.PosixPath": (*python).newPath,
		"pathlib.Path.cwd":            func(p *python, i int, args *arguments) value { return p.pathValue([]string{workPath}) },
		"pathlib.Path.home":           func(p *python, i int, args *arguments) value { return p.pathValue([]string{homePath}) },
		"contextlib.redirect_stdout":  redirects("sys.stdout"),
		"contextlib.redirect_stderr":  redirects("sys.stderr"),
		"tempfile.mkdtemp":            temporaryDirectory(true),
		"tempfile.TemporaryDirectory": temporaryDirectory(false),
		"pandas.DataFrame.agg":        (*python).byName, "pandas.DataFrame.aggregate": (*python).byName, "pandas.DataFrame.apply": (*python).byName,
		"pandas.DataFrame.transform": (*python).transforms, "pandas.DataFrame.filter": (*python).filters, "pandas.DataFrame.pivot_table": aggregates(3), "pandas.pivot_table": aggregates(4),
		"pandas.crosstab": aggregates(5),
		"builtins.dict":   (*python).makeDict,
		"builtins.list":   copySequence, "builtins.tuple": copySequence, "builtins.set": lined, "builtins.frozenset": lined,
		"builtins.sorted": shuffled, "builtins.iter": (*python).iterator, "collections.deque": lined, "builtins.enumerate": numbered, "builtins.zip": zipped,
		"itertools.chain": inPairs, "itertools.cycle": shuffled, "itertools.islice": shuffled,
		"builtins.reversed": (*python).reversed,
		"builtins.next": func(p *python, i int, args *arguments) value {
			v := p.elements(args.arg(0))
			if def, ok := args.get(1, ""); ok {
				v = v.join(def)
			}
			return v.with(open)
		},
		"builtins.max": anyOf, "builtins.min": anyOf, "random.choice": anyOf, "copy.copy": identity, "copy.deepcopy": copied,
		"builtins.range":        counted,
		"builtins.staticmethod": classMethodOf, "builtins.classmethod": classMethodOf, "builtins.super": superOf, "builtins.property": identity, "functools.lru_cache": identity,
		"functools.cache": identity, "functools.wraps": wrapped(-1, 0, 1), "functools.cached_property": identity, "asyncio.run": identity, "contextlib.closing": identity,
		"contextlib.nullcontext": identity, "typing.cast": func(p *python, i int, args *arguments) value { return args.arg(1).with(open) },
		"weakref.proxy": identity, "weakref.ref": identity, "types.MethodType": identity, "types.MappingProxyType": identity,
	}
}

// follows says how many positional arguments an intrinsic follows, where it does any. The
// others escape, and so does what is named.
func follows() map[string]int {
	out := map[string]int{}
	for count, names := range map[int][]string{
		everything: {"builtins.dict", "builtins.map", "builtins.zip", "itertools.chain", "operator.call",
			"unittest.main", "unittest.TestProgram", "unittest.main.TestProgram", "dataclasses.dataclass", "dataclasses.make_dataclass",
			"enum.Enum", "enum.StrEnum", "enum.IntEnum", "enum.ReprEnum", "enum.Flag", "enum.IntFlag"},
		3: {"builtins.getattr", "builtins.setattr", "builtins.delattr", "builtins.type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType", "functools.reduce", "operator.setitem"},
		2: {"inspect.getattr_static", "types.new_class", "builtins.filter", "builtins.next", "builtins.sum", "builtins.super", "itertools.starmap", "typing.cast", "operator.getitem", "operator.concat", "operator.add",
			"operator.mod", "operator.truediv", "operator.itruediv", "operator.xor"},
		1: {"builtins.vars", "builtins.exec", "builtins.eval", "builtins.compile", "functools.partial", "functools.partialmethod", "builtins.list", "builtins.tuple", "builtins.set",
			"xml.etree.ElementTree.indent", "builtins.frozenset", "builtins.sorted", "builtins.iter", "builtins.reversed", "builtins.enumerate", "collections.deque", "itertools.cycle", "itertools.islice"},
	} {
		for _, name := range names {
			out[name] = count
		}
	}
	return out
}

// redirects evaluates what puts an object in the place of a stream of sys.
func redirects(stream string) intrinsic {
	return func(p *python, i int, args *arguments) value {
		if p.quiet == 0 && !p.redirectsOnce(i) { // which evaluates what stands around i, and would again on trial
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
		v, _ := args.get(0, "new_target")
		if stream == "sys.stderr" && p.quiet == 0 && p.unit.tree.Kind(i) == kindCall && p.makesOwn(p.unit.tree.FirstNamed(p.unit.tree.Child(i, argumentsField))) && p.mayStir("write", newLooking(true)) {
			p.dynamicAt(analyze.DynamicAttribute, i) // to which the interpreter tells what goes wrong when an object goes away
		}
		p.putMember(stream, v.with(open))
		return one(atom{kind: atomInstance, text: "contextlib.redirect_" + strings.TrimPrefix(stream, "sys.")}).with(open)
	}
}

// divided is the operator / as a function, which joins paths.
func divided(p *python, i int, args *arguments) value {
	p.compares(args.arg(0), args.arg(1))
	if left, right := args.arg(0), args.arg(1); slices.ContainsFunc(left.join(right).atoms, atom.isPath) {
		return p.dividedPath(left, right)
	}
	return anything()
}

// identity stands for functions that give back what they get, or something
// that acts like it.
func identity(p *python, i int, args *arguments) value {
	var v value
	for _, a := range args.positional {
		v = v.join(a)
	}
	if v.sqlite() {
		return v
	}
	return v.with(open)
}

// anyOf stands for functions that give back one of the things they get.
func anyOf(p *python, i int, args *arguments) value {
	v := anything()
	for _, a := range args.positional {
		v = v.join(a).join(p.elements(a))
	}
	if other, ok := args.get(-1, "default"); ok {
		v = v.join(other)
	}
	return v
}

// counted evaluates range, of which the elements are numbers. What it counts from is added up as that says.
func counted(p *python, i int, args *arguments) value {
	for _, v := range args.all() {
		if !v.numeric() && !v.nothing() {
			return anything()
		}
	}
	return p.bag(i, value{flags: manyNumbers})
}

// numbered evaluates enumerate, which gives pairs of a number and an element.
func numbered(p *python, i int, args *arguments) value {
	from, _ := args.get(1, "start")
	if args.splat || !from.numeric() && !from.nothing() {
		return inPairs(p, i, args)
	}
	return p.bag(i, p.tuple(i, value{flags: manyNumbers}, p.elements(args.arg(0))))
}

// zipped evaluates zip, which gives tuples of an element of each argument.
func zipped(p *python, i int, args *arguments) value {
	if args.splat || len(args.positional) == 0 {
		return inPairs(p, i, args)
	}
	each := make([]value, len(args.positional))
	for k, v := range args.positional {
		each[k] = p.elements(v)
	}
	return p.bag(i, p.tuple(i, each...))
}

// lined evaluates what gives out the same elements, one after the other, in an order or
// number that is its own.
func lined(p *python, i int, args *arguments) value {
	if items, exact, _ := p.workable(args.arg(0)); exact {
		return p.looseOf(i, items)
	}
	return shuffled(p, i, args)
}

func copySequence(p *python, i int, args *arguments) value {
	items, exact, loose := p.workable(args.arg(0))
	if exact && loose {
		return p.looseOf(i, items)
	}
	if exact {
		return p.sequenceOf(i, items)
	}
	return shuffled(p, i, args)
}

// shuffled is a sequence of the same elements in an unknown order.
func shuffled(p *python, i int, args *arguments) value {
	n := p.containerAt(i, sequence)
	p.escape(p.elements(args.arg(0))) // a key function may get them
	p.put(n, -1, p.elements(args.arg(0)))
	return containerValue(n)
}

// inPairs is a sequence of elements, and of sequences of elements, of all the
// arguments.
func inPairs(p *python, i int, args *arguments) value {
	n := p.containerAt(i, sequence)
	for _, a := range append(args.positional[:len(args.positional):len(args.positional)], args.rest) {
		p.put(n, -1, p.elements(a))
	}
	p.put(n, -1, containerValue(n)) // a pair holds what the sequence holds
	return containerValue(n).with(open)
}

// iterator evaluates iter: an object may give out itself, or what its method says.
func (p *python) iterator(i int, args *arguments) value {
	return lined(p, i, args).with(args.arg(0).answered())
}

// answered is what else an operation on v comes to, as its operand or as the other one:
// whatever a method of it says, unless v is nothing but containers and constants.
func (v value) answered() valueFlags {
	if v.flags&^(worked|manyStrings|manyNumbers) == 0 && !slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomContainer && !a.constant() }) {
		return 0
	}
	return open
}

// reversed evaluates reversed, which an object may answer, too.
func (p *python) reversed(i int, args *arguments) value {
	items, exact, _ := p.workable(args.arg(0))
	if !exact {
		return shuffled(p, i, args).with(args.arg(0).answered())
	}
	out := make([]value, len(items))
	for k, v := range items {
		out[len(items)-1-k] = v
	}
	return p.looseOf(i, workedOut(out))
}

func (p *python) makeDict(i int, args *arguments) value {
	n, sure := p.containerAt(i, mapping), map[atom]bool{}
	for _, v := range args.positional {
		p.merge(n, v)
		p.surelyOf(v, sure)
		p.putRest(n, p.elements(p.elements(v)), p.elements(p.elements(v)))
	}
	for _, v := range args.named {
		p.stored(i, v.name, v.value)
		p.putKey(n, stringValue(v.name), v.value)
		sure[atom{kind: atomString, text: v.name}] = !v.value.open()
	}
	p.madeWith(n, sure)
	if args.splat { // of which nobody sees the keys
		p.putRest(n, args.rest.with(open), anything())
	}
	return containerValue(n)
}

func (p *python) setFields(c container) {
	for _, a := range c.keyed {
		if a.kind == atomString {
			p.setField(a.text, c.dict[a])
		}
	}
}

func makeGetter(kind getterKind) intrinsic {
	return func(p *python, i int, args *arguments) value {
		n := p.getterAt(i)
		g := getter{kind: kind, names: args.positional, args: args}
		if kind == callMethod && len(args.positional) > 0 {
			g.names, g.args = args.positional[:1], args.after(1)
			if g.names[0].has(atom{kind: atomString, text: "__setattr__"}) {
				p.method(i, anything(), "__setattr__", g.args) // of whatever it is called with
			}
		}
		if (kind == getItem || kind == getAttribute) && args.splat {
			g.names = append(slices.Clone(g.names), args.rest.with(open))
		}
		p.getters[n] = g
		if kind != getAttribute { // a method of the program's may be given them
			for _, v := range args.all() {
				p.escape(v)
			}
		}
		if kind != getItem {
			p.getsFromAnything(i, g.names)
			switch {
			case args.splat && kind == callMethod && len(args.positional) == 0: // which may be a name
				p.dynamicAt(analyze.DynamicMember, i)
			case args.splat:
				p.dynamicAt(analyze.DynamicAttribute, i)
			}
		}
		return one(atom{kind: atomGetter, n: int64(n)})
	}
}

// getsFromAnything evaluates a getter that is handed to code which calls it
// with anything.
func (p *python) getsFromAnything(i int, names []value) {
	for _, name := range names {
		for _, a := range name.atoms {
			if a.kind != atomString {
				continue
			}
			v := anything()
			for part := range strings.SplitSeq(a.text, ".") {
				v = p.attribute(i, v, part)
				p.readAside(i, part)
			}
			p.mention(i, v, usage{how: analyze.HowReference})
			p.escape(value{flags: v.flags & missed})
		}
		if p.unknownName(name) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// partial evaluates functools.partial: whoever gets the result may call it, so
// it is taken as called here, with the arguments that are known.
func (p *python) partial(i int, args *arguments) value {
	f := args.arg(0)
	p.mention(i, f, usage{how: analyze.HowCall, args: args.after(1)})
	for _, a := range f.atoms {
		if a.kind == atomFunction {
			p.callFunction(i, int(a.n), args.after(1))
		}
		p.namesOn(i, args.after(1), func(one func(class string) bool) bool {
			return a.kind == atomSymbol && one(initOf(a.text)) || a.kind == atomClass && p.isBelow(int(a.n), one)
		})
	}
	n := p.getterAt(i)
	p.getters[n] = getter{kind: callPartial, names: []value{f}, args: args.after(1)}
	return one(atom{kind: atomGetter, n: int64(n)}).with(open)
}

// getterAt returns the getter that node i makes.
func (p *python) getterAt(i int) int {
	key := unitNode{p.unit, i}
	n, ok := p.getterOf[key]
	if !ok {
		n = len(p.getters)
		p.getters = append(p.getters, getter{})
		p.getterOf[key] = n
	}
	return n
}

// callPartial calls f with the arguments of a partial and then its own.
func (p *python) callPartial(i int, g getter, args *arguments) value {
	all := &arguments{
		positional: append(g.args.positional[:len(g.args.positional):len(g.args.positional)], args.positional...),
		named:      append(g.args.named[:len(g.args.named):len(g.args.named)], args.named...),
		splat:      g.args.splat || args.splat,
		rest:       g.args.rest.join(args.rest),
		spread:     g.args.spread || args.spread,
	}
	p.mention(i, g.names[0], usage{how: analyze.HowCall, args: all})
	return p.call(i, g.names[0], all)
}

// reduce evaluates functools.reduce over a known sequence step by step.
func (p *python) reduce(i int, args *arguments) value {
	f, seq := args.arg(0), args.arg(1)
	items, exact, loose := p.workable(seq)
	start, given := args.get(2, "")
	if !exact || len(items) > 64 {
		all := start.join(p.elements(seq)).with(open)
		p.mention(i, f, usage{how: analyze.HowCall, args: &arguments{positional: []value{all, all}}})
		return p.call(i, f, &arguments{positional: []value{all, p.elements(seq)}}).with(open)
	}
	if !given && len(items) > 0 {
		start, items = items[0], items[1:]
	}
	for _, item := range items {
		start = p.call(i, f, &arguments{positional: []value{start, item}})
	}
	if loose {
		return workedOut([]value{start})[0]
	}
	return start
}

// mapCall evaluates map: element by element where that folds.
func (p *python) mapCall(i int, args *arguments) value {
	f, seq := args.arg(0), args.arg(1)
	if items, exact, _ := p.workable(seq); exact && len(args.positional) == 2 {
		if folded, ok := p.mapEach(i, f, items); ok {
			return p.looseOf(i, workedOut(folded))
		}
	}
	var each []value
	for _, v := range args.after(1).positional {
		each = append(each, p.elements(v))
	}
	call := &arguments{positional: each, splat: args.splat, rest: args.rest}
	p.mention(i, f, usage{how: analyze.HowCall, args: call})
	n := p.containerAt(i, sequence)
	p.put(n, -1, p.call(i, f, call))
	return containerValue(n).with(open)
}

// starmap evaluates itertools.starmap: a call for each list of arguments.
func (p *python) starmap(i int, args *arguments) value {
	f, each := args.arg(0), p.elements(args.arg(1))
	call := &arguments{splat: true, rest: p.elements(each)}
	p.mention(i, f, usage{how: analyze.HowCall, args: call})
	n := p.containerAt(i, sequence)
	p.put(n, -1, p.call(i, f, call))
	return containerValue(n).with(open)
}

// summed evaluates sum, which also joins lists.
func summed(p *python, _ int, args *arguments) value {
	out := anything()
	start, _ := args.get(1, "start")
	each := p.elements(args.arg(0))
	p.compares(each, each.join(start))
	for _, v := range []value{each, start} {
		for _, a := range v.atoms {
			if !a.constant() {
				out = out.join(one(a))
			}
		}
		out = out.with(v.flags)
	}
	return out
}

// mapEach applies a pure builtin or a lambda to each of the items.
func (p *python) mapEach(i int, f value, items []value) ([]value, bool) {
	a, ok := f.single()
	if !ok {
		return nil, false
	}
	if a.kind == atomFunction {
		fn := p.functions[a.n]
		body := fn.unit.tree.Child(fn.node, bodyField)
		if fn.unit != p.unit || fn.unit.tree.Kind(fn.node) != kindLambda || len(fn.params) != 1 || body == analyze.NoNode {
			return nil, false
		}
		var out []value
		p.within(fn.scope, func() {
			out, ok = p.foldOver(fn.params[0].variable, items, func() value { return p.load(body) })
		})
		return out, ok
	}
	out := make([]value, 0, len(items))
	for _, item := range items {
		v, ok := p.foldCall(a.text, &arguments{positional: []value{item}})
		if a.kind != atomSymbol || !ok || !p.step(1) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func (p *python) filterCall(i int, args *arguments) value {
	f, seq := args.arg(0), args.arg(1)
	call := &arguments{positional: []value{p.elements(seq)}}
	p.mention(i, f, usage{how: analyze.HowCall, args: call})
	p.call(i, f, call)
	return shuffled(p, i, args.after(1))
}

// getattr evaluates getattr(object, name).
func (p *python) getattr(i int, object, name value) value {
	var out value
	for _, a := range name.atoms {
		if a.kind == atomString {
			out = out.join(p.attribute(i, object, identifierText(a.text)))
			p.formatAsValue(i, object, a.text)
		}
	}
	for _, a := range name.atoms {
		if a.kind == atomString {
			p.readAside(i, a.text)
		}
	}
	if p.unknownName(name) {
		known, waits := p.settled(name)
		switch {
		case waits:
			return out
		case !p.unknownName(known): // each call of the function around gives it a text, which strict is not content with
			if p.quiet == 0 {
				p.Dynamic(analyze.DynamicAttribute, p.span(i))
			}
			p.methodAsValue(object)
			return out.with(open)
		case p.levelOnly(i, object):
			p.dynamicAt(analyze.DynamicAttribute, i)
		default:
			p.unknownMember(i, object, name)
		}
		out = out.with(open | reached)
		if object.flags&(reached|walked) != 0 {
			out = out.with(walked)
		}
		out = out.with(object.flags & strange).join(p.behindModule(object, name))
	}
	if object.open() || len(object.atoms) > 0 && (name.open() || out.nothing()) {
		out = out.with(open)
	}
	p.methodAsValue(object)
	return out
}

// unknownName tells whether a name could be that of any attribute. How it starts
// says little of where it leads (tb_frame, f_globals, create_subprocess_exec), but
// where nothing in the library starts so, as with "visit_", it is the program's own.
func (p *python) unknownName(name value) bool {
	for _, a := range name.atoms {
		switch {
		case a.kind == atomPrefix && (!strings.HasSuffix(a.text, "_") || a.text[0] == '_' || p.stdlib.Starts[a.text] || p.tables.starts[a.text]),
			a.kind == atomBytes, a.kind == atomSymbol, a.kind == atomContainer, a.kind == atomInstance:
			return true
		}
	}
	return name.open()
}

// unknownMember reports an attribute whose name is not known.
func (p *python) unknownMember(i int, object, name value) {
	p.marks(&p.classByName, object.flags&aClass != 0 || slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind == atomClass }))
	for _, a := range object.atoms {
		switch a.kind {
		case atomSymbol, atomNamespace, atomInstance, atomFunction: // a function has its globals
			if p.tables.onlyComputes[a.text] || a.kind == atomFunction && isOrdinaryName(name) {
				continue
			}
			p.dynamicAt(analyze.DynamicMember, i)
			return
		}
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
}

// isOrdinaryName tells whether a name begins as no special one does: all that a function has of the interpreter's is special.
func isOrdinaryName(name value) bool {
	return !name.open() && !slices.ContainsFunc(name.atoms, func(a atom) bool {
		return a.kind != atomString && a.kind != atomPrefix || a.text == "" || a.text == "_" || strings.HasPrefix(a.text, "__")
	})
}

// What a module that only computes has under a name that is not known: the builtins, where it is written in Python,
// and in operator what gets attributes by names.
var (
	behindName = atom{kind: atomInstance, text: "builtins.__dict__"}
	ofOperator = atom{kind: atomInstance, text: "operator"}
)

// behindModule is what getattr of object with a name that is not known may give besides what only computes.
func (p *python) behindModule(object, name value) (out value) {
	for _, a := range object.atoms {
		if a.kind != atomSymbol || !p.tables.onlyComputes[a.text] || !p.stdlib.Modules[a.text] || isOrdinaryName(name) {
			continue
		}
		if !stdlib.BuiltIn(a.text) {
			out = out.join(one(behindName))
		}
		if a.text == "operator" {
			out = out.join(one(ofOperator))
		}
	}
	return out
}

// takesBehind looks at values that are taken for dictionaries, or copied: what else is behind such a name is only called.
func (p *python) takesBehind(i int, values ...value) {
	if slices.ContainsFunc(values, func(v value) bool { return v.has(behindName) }) {
		p.dynamicAt(analyze.DynamicMember, i)
	}
}

// callsOperator is what a function of operator gives of which the name is not known: it may get attributes by its arguments.
func (p *python) callsOperator(i int, args *arguments) value {
	n, names := p.getterAt(i), anything()
	for _, v := range args.all() {
		names = names.join(v)
	}
	p.getters[n] = getter{kind: getAttribute, names: []value{names}, args: args}
	return one(atom{kind: atomGetter, n: int64(n)}).with(open)
}

// setattr evaluates setattr and delattr.
func (p *python) setattr(i int, args *arguments) value {
	object, name, v := args.arg(0), args.arg(1), args.arg(2)
	for _, a := range name.atoms {
		if a.kind == atomString {
			p.setAttribute(i, object, identifierText(a.text), v)
		}
	}
	if p.unknownName(name) {
		kind := analyze.DynamicAttribute
		for _, a := range object.atoms {
			if a.kind == atomSymbol && !p.isFixed(a.text) || a.kind == atomNamespace {
				kind = analyze.DynamicPatch
			}
		}
		p.dynamicAt(kind, i)
		p.marks(&p.putsUnseen, true)
		p.marks(&p.refilled, slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind == atomFunction }))
		p.annotatesUnseen(i, object, v)
		p.escape(v)
	}
	return value{}
}

// isFixed tells whether a class is one on which nobody can put anything: int, and others of the language.
func (p *python) isFixed(class string) bool {
	return p.tables.onlyComputes[class] && strings.HasPrefix(class, "builtins.")
}

// namespace evaluates vars(x).
func (p *python) namespace(i int, args *arguments) value {
	if len(args.positional) == 0 {
		return p.locals(i)
	}
	var out value
	for _, a := range args.arg(0).atoms {
		if a.kind == atomSymbol {
			out = out.join(one(atom{kind: atomNamespace, text: a.text}))
		} else {
			out = out.with(open)
		}
	}
	if v := args.arg(0); v.open() {
		p.survey()
		out = out.with(open | v.flags&(walked|strange))
	}
	p.marks(&p.putsUnseen, out.open() && p.putsAttributes(i))
	p.checkNamespaceUse(i, out)
	return out
}

// locals evaluates locals(). That of a function is a dictionary of what its names are
// bound to, which is the same for all calls in older versions of Python; changing it binds
// nothing. Text that runs in the function may add to it.
func (p *python) locals(i int) value {
	s := p.scope
	for s != nil && s.kind == comprehensionScope {
		s = s.parent
	}
	if s == nil || s.kind != functionScope {
		return p.programNamespace(i)
	}
	if s.locals == 0 {
		if p.quiet > 0 {
			return anything()
		}
		p.containers = append(p.containers, container{kind: mapping, moved: true, round: p.round})
		s.locals, p.changed = len(p.containers), true
	}
	n := s.locals - 1
	for from := p.scope; from != nil && from != p.module; from = from.parent {
		if from.kind == classScope {
			p.putRest(n, anything(), value{}) // a method may have the class
			continue
		}
		for _, id := range from.ids {
			p.putKey(n, stringValue(p.vars[id].name), p.vars[id].value)
		}
	}
	for _, u := range p.units {
		if u.root.parent == nil {
			continue
		}
		for _, id := range p.module.ids { // where text binds its names
			p.putRest(n, p.vars[id].value, value{})
		}
		break
	}
	return containerValue(n)
}

// programNamespace evaluates globals(), and locals() outside of functions.
func (p *python) programNamespace(i int) value {
	v := one(atom{kind: atomNamespace})
	if p.unit.among != "" {
		v = v.join(one(atom{kind: atomNamespace, text: p.unit.among}))
	}
	p.checkNamespaceUse(i, v)
	return v
}

// checkNamespaceUse reports a namespace that is not asked for a key on the
// spot: what happens to it then is not followed.
func (p *python) checkNamespaceUse(i int, v value) {
	t := p.unit.tree
	up := t.Parent(i)
	if up >= 0 && (t.Kind(up) == kindSubscript && t.Child(up, valueField) == i || t.Kind(up) == kindAttribute) {
		return
	}
	for _, a := range v.atoms {
		if a.kind == atomNamespace {
			p.namespaceAsData(i, a)
			if !p.runsIn(i) && !p.onlyReads(i) {
				p.givesNames(a)
			}
		}
	}
}

// namespaceAsData reports a namespace of which any name may be used. That of a
// module is like a member whose name is not known; that of the program holds
// what the program made itself, and the builtins.
func (p *python) namespaceAsData(i int, a atom) {
	p.escape(one(a))
	if p.tables.onlyComputes[a.text] && stdlib.BuiltIn(a.text) { // which has no __builtins__
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	if p.stdlib.Modules[a.text] || a.text != "" && !strings.Contains(a.text, ".") {
		p.dynamicAt(analyze.DynamicMember, i)
		return
	}
	if p.quiet == 0 && p.runsIn(i) {
		p.Dynamic(analyze.DynamicNamespace, p.span(i))
		return
	}
	p.dynamicAt(analyze.DynamicNamespace, i)
}

// givesNames notes that who has namespace a may put names into the module that the program is.
func (p *python) givesNames(a atom) {
	if a.text == "" && p.quiet == 0 && !p.namesAway {
		p.namesAway, p.changed = true, true
	}
}

// onlyReads tells whether what gets the namespace at i reads its names: a comparison, a loop, functions of the language
// that copy or show it, __import__, and a function of the program's own package, which is judged by itself.
func (p *python) onlyReads(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	switch {
	case up < 0:
		return false
	case t.Kind(up) == kindComparisonOperator, (t.Kind(up) == kindForStatement || t.Kind(up) == kindForInClause) && t.Field(i) == rightField:
		return true
	case t.Kind(t.Parent(up)) != kindCall:
		return false
	}
	a, ok := p.glance(t.Child(t.Parent(up), functionField)).single()
	if !ok || a.kind != atomSymbol {
		return false
	}
	switch strings.TrimPrefix(a.text, "builtins.") {
	case "__import__", "dict", "len", "list", "print", "set", "sorted", "tuple":
		return true
	}
	return strings.HasPrefix(a.text, ".")
}

// importBelow evaluates the import of a module whose name may begin with points: it is below the package that
// stands second. Where that is the program's own, it is told as it is written.
func (p *python) importBelow(i int, args *arguments) value {
	name, _ := args.get(0, "name")
	below, _ := args.get(1, "package")
	if !slices.ContainsFunc(name.atoms, func(a atom) bool { return a.kind == atomString && strings.HasPrefix(a.text, ".") }) || p.givesOwnPackage(i) {
		return p.importNamed(i, name, analyze.DynamicImport)
	}
	text, known := name.str()
	above, knownAbove := below.str()
	if !known || !knownAbove {
		return p.importNamed(i, anything(), analyze.DynamicImport)
	}
	rest := strings.TrimLeft(text, ".")
	for range len(text) - len(rest) - 1 {
		above = above[:max(0, strings.LastIndexByte(above, '.'))]
	}
	if rest != "" {
		above += "." + rest
	}
	return p.importNamed(i, stringValue(above), analyze.DynamicImport)
}

// atLevel is the name of a module that __import__ finds at a level: below the package that its second argument names,
// which is the program's own where that is the namespace of the program.
func (p *python) atLevel(name, level value, args *arguments) value {
	n, known := level.integer()
	if known && n == 0 {
		return name
	}
	namespace, _ := args.get(1, "globals")
	text, plain := name.str()
	if !known || n < 0 || n > maxDots || !plain || !namespace.isOnly(atom{kind: atomNamespace}) || !p.keepsPackage() {
		return anything()
	}
	return stringValue(strings.Repeat(".", int(n)) + text)
}

// givesOwnPackage tells whether the call at i gives the package that the program is in as its second argument.
func (p *python) givesOwnPackage(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return false
	}
	for c, k := t.FirstNamed(t.Child(i, argumentsField)), 0; c != analyze.NoNode; c, k = t.NextNamed(c), k+1 {
		named := t.Kind(c) == kindKeywordArgument
		if named && p.identifier(t.Child(c, nameField)) != "package" || !named && k != 1 {
			continue
		}
		if named {
			c = t.Child(c, valueField)
		}
		own := t.Kind(c) == kindIdentifier && (p.identifier(c) == "__package__" || p.identifier(c) == "__name__")
		return own && p.keepsPackage() && p.vars[p.variableAt(c)].scope == p.module
	}
	return false
}

// keepsPackage tells whether the program leaves alone by what the interpreter tells in which package it is. Text that
// is run may be given names of its own, and who has the namespace of the program, or its module, may put any name there.
func (p *python) keepsPackage() bool {
	return !p.imported["__main__"] && p.keepsNames("__package__", "__name__", "__spec__", "__path__")
}

// keepsNames tells whether the program binds none of some names of its module.
func (p *python) keepsNames(names ...string) bool {
	if p.namesAway || p.unit != p.units[0] {
		return false
	}
	for _, name := range names {
		if id, ok := p.module.vars[name]; ok && p.vars[id].bound {
			return false
		}
	}
	return true
}

// importNamed evaluates the import of a module whose name is a value.
func (p *python) importNamed(i int, name value, unknown string) value {
	var out value
	for _, a := range name.atoms {
		if a.kind != atomString {
			continue
		}
		module := p.ModuleName(a.text, p.span(i))
		p.importModuleAt(module, i)
		out = out.join(symbol(module))
		if top, _, nested := strings.Cut(module, "."); nested && top != "" {
			out = out.join(symbol(top))
		}
	}
	if name.open() || len(name.atoms) > 0 && out.nothing() {
		p.dynamicAt(unknown, i)
		out = out.with(open)
	}
	return out
}

// locate evaluates functions that find a symbol by its dotted name, such as
// pkgutil.resolve_name("os:system").
func (p *python) locate(i int, name value) value {
	var out value
	mappings := 0 // which patch.dict changes as they are
	for _, a := range name.atoms {
		if a.kind == atomContainer {
			mappings++
		}
		if a.kind != atomString {
			continue
		}
		out = out.join(p.named(i, strings.ReplaceAll(a.text, ":", ".")))
	}
	if name.open() || len(name.atoms) > mappings && out.nothing() {
		p.dynamicAt(analyze.DynamicImport, i)
		out = out.with(open)
	}
	return out
}

// named evaluates a dotted name in data.
func (p *python) named(i int, dotted string) value {
	module, rest, _ := strings.Cut(dotted, ".")
	if !isDotted(dotted) {
		return anything()
	}
	p.importModuleAt(module, i)
	v := symbol(module)
	for part := range strings.SplitSeq(rest, ".") {
		if part != "" {
			v = p.attribute(i, v, part)
		}
	}
	p.mention(i, v, usage{how: analyze.HowReference})
	return v
}

func isDotted(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsAny(part, " \t\n()[]{}'\"/\\-+*%,;:") {
			return false
		}
	}
	return true
}

// dictConfig evaluates logging.config.dictConfig: the data names what it calls.
func (p *python) dictConfig(i int, args *arguments) value {
	v, _ := args.get(0, "config")
	if v.open() || len(v.atoms) == 0 {
		p.dynamicAt(analyze.DynamicImport, i)
	}
	p.namedInData(i, v, false, map[visit]bool{}, 0)
	return anything()
}

// visit is a container as namedInData has seen it.
type visit struct {
	container int64
	named     bool
}

// namedInData follows the dotted names in configuration data: what a key such
// as "class" or "()" holds, and what starts with "ext://" or the like.
func (p *python) namedInData(i int, v value, named bool, seen map[visit]bool, depth int) {
	const deepest = 100 // data is built step by step, and may be as deep as the source is long
	if depth > deepest {
		p.dynamicAt(analyze.DynamicImport, i)
		return
	}
	entry := named || depth <= 2 // the data, its parts and what they list are dictionaries, or numbers and texts that are there
	for _, a := range v.atoms {
		switch a.kind {
		case atomClass, atomInstance:
			if depth <= 2 && !named { // which may say itself what it holds
				p.dynamicAt(analyze.DynamicImport, i)
			}
		case atomString:
			if how, rest, ok := strings.Cut(a.text, "://"); ok && how == "cfg" && named { // something else in the data
				p.dynamicAt(analyze.DynamicImport, i)
			} else if ok {
				p.named(i, rest)
			} else if named {
				p.named(i, a.text)
			}
		case atomPrefix:
			if named {
				p.dynamicAt(analyze.DynamicImport, i)
			}
		case atomContainer:
			if seen[visit{a.n, named}] {
				continue
			}
			seen[visit{a.n, named}] = true
			c := p.containers[a.n]
			for _, e := range c.list {
				p.namedInData(i, e, named, seen, depth+1)
			}
			p.madeByData(i, c)
			for _, key := range c.keyed {
				p.namedInData(i, c.dict[key], key.text == "()" || key.text == "class" || key.text == "func" || key.text == "factory", seen, depth+1)
			}
			p.namedInData(i, c.rest, true, seen, depth+1)
		}
	}
	if entry && v.open() {
		p.dynamicAt(analyze.DynamicImport, i)
	}
}

// madeByData evaluates the call that a dictionary asks for by its key "()", with the others as arguments by name.
func (p *python) madeByData(i int, c container) {
	maker, asked := c.dict[atom{kind: atomString, text: "()"}]
	if !asked {
		return
	}
	args := &arguments{splat: !c.rest.nothing() || !c.keys.nothing(), rest: c.rest}
	args.spread = args.splat
	for _, key := range c.keyed {
		if key.kind == atomString && isIdentifier(key.text) {
			args.named = append(args.named, namedValue{key.text, c.dict[key]})
		}
	}
	for _, a := range maker.atoms {
		v := one(a)
		if a.kind == atomString {
			v = p.named(i, strings.TrimPrefix(a.text, "ext://"))
		}
		if v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomSymbol }) && slices.ContainsFunc(args.all(), func(v value) bool { return p.mayName(v, 4) }) {
			p.dynamicAt(analyze.DynamicImport, i)
		}
		p.mention(i, v, usage{how: analyze.HowCall, args: args})
		p.call(i, v, args)
	}
}

// mayName tells whether v, which what the program has is given for data, may be a text that stands for something else: in
// the data, or in any module.
func (p *python) mayName(v value, deepest int) bool {
	return v.open() || deepest == 0 || slices.ContainsFunc(v.atoms, func(a atom) bool {
		switch a.kind {
		case atomString:
			return strings.HasPrefix(a.text, "cfg://")
		case atomPrefix:
			return strings.HasPrefix("ext://", a.text) || strings.HasPrefix("cfg://", a.text) || strings.Contains(a.text, "://")
		case atomContainer:
			return p.leaky(int(a.n)) != 0 || p.mayName(p.containers[a.n].all, deepest-1)
		}
		return false
	})
}
