package python

import (
	"math"
	"slices"
	"strings"

	"sallyport/analyze"
)

// arguments are the evaluated arguments of a call.
type arguments struct {
	positional []value
	named      []namedValue
	splat      bool  // more come from a splat that is not known
	rest       value // what that splat can hold
	spread     bool  // some are named, and their names are not known
	ofMember   bool  // they stand in a call of a member: nothing puts others before or behind them
}

type namedValue struct {
	name  string
	value value
}

// get returns positional argument n, or the one of that name.
func (a *arguments) get(n int, name string) (value, bool) {
	if n >= 0 && n < len(a.positional) {
		return a.positional[n], true
	}
	for _, v := range a.named {
		if v.name == name && name != "" {
			return v.value, true
		}
	}
	if a.splat {
		return a.rest.with(open), true
	}
	return value{}, false
}

// arg is get for an argument that must be there.
func (a *arguments) arg(n int) value {
	v, ok := a.get(n, "")
	if !ok {
		return value{}
	}
	return v
}

// after returns the arguments behind the first n positional ones.
func (a *arguments) after(n int) *arguments {
	b := *a
	b.positional, b.ofMember = b.positional[min(n, len(b.positional)):], false
	return &b
}

// behind returns the arguments behind another one.
func (a *arguments) behind(v value) *arguments {
	return &arguments{positional: append([]value{v}, a.positional...), named: a.named, splat: a.splat, rest: a.rest, spread: a.spread}
}

// seen returns the arguments without those of a splat that is not known.
func (a *arguments) seen() *arguments {
	return &arguments{positional: a.positional, named: a.named}
}

// first returns the first n positional arguments.
func (a *arguments) first(n int) *arguments {
	return &arguments{positional: a.positional[:min(n, len(a.positional))], splat: a.splat}
}

// all returns the values of all arguments.
func (a *arguments) all() []value {
	out := append([]value{}, a.positional...)
	for _, v := range a.named {
		out = append(out, v.value)
	}
	return append(out, a.rest)
}

// ways are the calls that one call is whose first argument is one of several texts or paths, of
// which each is known.
func (a *arguments) ways(p *python) []*arguments {
	if len(a.positional) == 0 {
		return []*arguments{a}
	}
	first, waits := p.settled(a.positional[0])
	if waits || first.flags != 0 || len(first.atoms) < 2 || slices.ContainsFunc(first.atoms, func(a atom) bool {
		return !a.isText() && (!a.isPath() || a.n == 0)
	}) {
		return []*arguments{a}
	}
	out := make([]*arguments, len(first.atoms))
	for k, one := range first.atoms {
		way := *a
		way.positional = append([]value{{[]atom{one}, a.positional[0].flags}}, a.positional[1:]...)
		out[k] = &way
	}
	return out
}

// facts returns the arguments as a policy sees them.
func (a *arguments) facts(p *python) ([]analyze.Arg, bool) {
	out := make([]analyze.Arg, 0, len(a.positional)+len(a.named))
	add := func(name string, v value) {
		arg := analyze.Arg{Name: name, Path: p.argumentPath(v), MayBe: p.mayBe(v)}
		if c, ok := v.constant(); ok && v.flags&worked == 0 {
			arg.Value, arg.Known = c.plain()
			if text, ok := arg.Value.(string); ok {
				arg.Value = analyze.Clip(text)
			}
		}
		out = append(out, arg)
	}
	for _, v := range a.positional {
		add("", v)
	}
	for _, v := range a.named {
		add(v.name, v.value)
	}
	return out, a.splat
}

// beginnings returns texts among the arguments that facts cannot show: one of
// several, or the beginning of one.
func (a *arguments) beginnings() (out []analyze.Named) {
	add := func(key string, v value) {
		if _, shown := v.constant(); shown && v.flags&worked == 0 {
			return
		}
		for _, s := range v.atoms {
			if s.kind == atomString || s.kind == atomPrefix {
				out = append(out, analyze.Named{Key: key, Text: analyze.Clip(shownPath(s.text)), Whole: s.kind == atomString})
			}
		}
	}
	for _, v := range a.positional {
		add("", v)
	}
	for _, v := range a.named {
		add(v.name, v.value)
	}
	return out
}

// arguments evaluates an argument list, or the generator that stands for one.
func (p *python) arguments(i int) *arguments {
	t := p.unit.tree
	args := &arguments{}
	if i == analyze.NoNode {
		return args
	}
	if t.Kind(i) != kindArgumentList {
		args.positional = append(args.positional, p.load(i))
		return args
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindKeywordArgument:
			name := p.identifier(t.Child(c, nameField))
			asType := p.asType // a class's keywords are arguments of a call
			p.asType = asValue
			v := p.load(t.Child(c, valueField))
			p.asType = asType
			args.named = append(args.named, namedValue{name, v})
			p.namesArgument(c, name, v)
		case kindListSplat, kindParenthesizedListSplat:
			p.splatList(args, p.loadSplat(c))
		case kindDictionarySplat:
			p.splatDictionary(c, args, p.loadSplat(c))
		default:
			v := p.load(c)
			if args.splat {
				args.rest = args.rest.join(v)
			} else {
				args.positional = append(args.positional, v)
			}
		}
	}
	return args
}

func (p *python) splatList(args *arguments, v value) {
	items, exact := p.sequence(v)
	if exact && !args.splat {
		args.positional = append(args.positional, items...)
		return
	}
	args.splat = true
	args.rest = args.rest.join(p.elements(v))
}

// namesArgument looks at an argument under a name, which may become an attribute of that name.
func (p *python) namesArgument(i int, name string, v value) {
	p.tells(i, name, v)
	p.optioned(i, name, v)
	switch name {
	case "compression":
		p.keyedOptions(i, p.unit.tree.Child(i, valueField), compressionOptions, v, compressing)
	case partitions:
		p.partitioned(i, p.unit.tree.Child(i, valueField), v)
	case "mmap_mode":
		p.marks(&p.laidOver, true)
	case "as_frame", "transform_output":
		p.marks(&p.framed, true)
	}
	p.textual(i, name, v)
	p.namesFont(i, name, v)
	if strings.HasPrefix(name, "__") {
		p.namesSpecial(i, name)
		p.rewrites(i, name, v)
	}
}

func (p *python) splatDictionary(i int, args *arguments, v value) {
	p.takesBehind(i, v)
	if a, ok := v.single(); ok && a.kind == atomContainer && p.containers[a.n].kind == mapping && p.step(len(p.containers[a.n].keyed)) {
		c := p.containers[a.n]
		first := len(args.named)
		for _, key := range c.keyed {
			if key.kind == atomString {
				v := c.dict[key].with(p.leaky(int(a.n)))
				if !c.sure[key] || c.moved || !c.rest.nothing() || !c.keys.nothing() {
					v = v.with(open) // it is perhaps not given, or another one
				}
				args.named = append(args.named, namedValue{key.text, v})
				p.namesArgument(i, key.text, v)
			}
		}
		slices.SortFunc(args.named[first:], func(a, b namedValue) int { return strings.Compare(a.name, b.name) })
		if c.rest.nothing() && c.keys.nothing() && p.leaky(int(a.n)) == 0 {
			return
		}
	}
	args.splat, args.spread = true, true
	args.rest = args.rest.join(p.values(v))
}

// evalCall evaluates a call.
func (p *python) evalCall(i int) value {
	t := p.unit.tree
	fn := t.Child(i, functionField)
	asType := p.asType
	p.asType = p.asksClass(fn)
	args := p.arguments(t.Child(i, argumentsField))
	p.asType = asValue
	defer func() { p.asType = asType }()
	if fn == analyze.NoNode {
		return anything()
	}
	fn = p.bare(fn)
	if fn == analyze.NoNode {
		return anything()
	}
	if t.Kind(fn) != kindAttribute {
		callee := p.eval(fn, usage{how: analyze.HowCall, args: args})
		p.handsOnClass(i, callee, "", args)
		p.givesBounds(i, callee)
		return p.call(i, callee, args)
	}
	object, name := t.Child(fn, objectField), t.Child(fn, attributeField)
	if object == analyze.NoNode || name == analyze.NoNode {
		return anything()
	}
	receiver := p.eval(object, usage{})
	method := p.identifier(name)
	callee := p.attribute(name, receiver, method)
	args.ofMember = true
	p.mention(fn, callee, usage{how: analyze.HowCall, args: args})
	p.handsOnClass(i, callee, method, args)
	p.givesBounds(i, callee)
	if method == "get" && callee.flags&walked != 0 { // which looks something up: what that is, is as far away
		callee.flags &^= walked | strange
		return p.callsWalked(i, p.call(i, callee, args).join(p.method(i, receiver, method, args)).with(open), &arguments{})
	}
	if method == "update" && p.isClassBody(object) {
		for _, v := range args.named {
			p.putsInClass(i, stringValue(v.name), v.value)
		}
		for _, v := range append(args.positional, args.rest) {
			p.putsAllInClass(i, v)
		}
		return one(atom{kind: atomNone})
	}
	if p.listsOwnClasses(name, method, receiver) {
		return p.bag(i, value{flags: aClass})
	}
	if method == "__new__" {
		p.rebases(i)
		p.namesForClass(i, receiver, args)
	}
	return p.call(i, callee, args).join(p.method(i, receiver, method, args))
}

// call evaluates a call of callee at node i.
func (p *python) call(i int, callee value, args *arguments) value {
	var out value
	p.acted(i, callee, args)
	p.fillsElsewhere(i, args)
	for _, a := range callee.atoms {
		switch a.kind {
		case atomSymbol:
			if s := p.pathText(a); s != "" {
				p.namesFiles(i, a.text, args)
				if v, ok := p.pathMethod(i, a.text, s, args); ok {
					out = out.join(v)
					break
				}
			}
			out = out.join(p.callSymbol(i, a.text, args))
		case atomFunction:
			out = out.join(p.callFunction(i, int(a.n), args))
		case atomClass:
			out = out.join(p.callClass(i, int(a.n), args))
		case atomGetter:
			out = out.join(p.enterGetter(i, int(a.n), args))
		default:
			if a == ofOperator {
				out = out.join(p.callsOperator(i, args))
			}
			if a == formatOfAnything {
				p.checkFormatted(i, anything(), args)
				p.formatsCells(i, args)
			}
			out = out.with(open)
		}
	}
	if callee.open() {
		p.madeUnseen(i, args)
		if p.layered {
			p.laysOver(i, "numpy.ndarray", args)
		}
		p.makesPlacesUnseen(i, args)
		p.madeOf(i, args)
		p.handsMaker(i, args)
		p.spreadUnseen(i, args)
		if callee.flags&aClass != 0 {
			p.namesOn(i, args, p.hasBelow)
		}
		if args.spread && p.missing && p.superMethod(i) {
			p.dynamicAt(analyze.DynamicImport, i) // name_from of an ImportError
		}
		if p.classGone && len(args.positional)+len(args.named) > 0 && !p.onlyHolds(i) {
			p.dynamicAt(analyze.DynamicClass, i)
		}
		for _, v := range args.all() {
			p.escape(v)
			p.typingGoes(v)
		}
		out = out.with(open | callee.flags&reached)
	}
	if callee.flags&ofObject != 0 {
		p.dynamicAt(analyze.DynamicClass, i)
	}
	if callee.flags&(walked|strange) != 0 {
		out = p.callsWalked(i, out, args)
	}
	return out
}

// callsWalked looks at a call of what two names that are not known led to. Without arguments it is told nothing, and
// what it gives is as far away from what the program names, as long as that goes nowhere where it is not followed.
func (p *python) callsWalked(i int, out value, args *arguments) value {
	if p.ofKnownData(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return out.with(walked | strange)
	}
	if args.splat || args.spread || len(args.positional)+len(args.named) > 0 {
		p.dynamicAt(analyze.DynamicMember, i)
		return out
	}
	kind := analyze.DynamicAttribute
	if p.strangeAway {
		kind = analyze.DynamicMember
	}
	p.dynamicAt(kind, i)
	return out.with(walked | strange)
}

// callFunction binds the parameters of a function of the program. A method is
// called with and without its first parameter filled in: which it is depends
// on how it was found.
func (p *python) callFunction(i, n int, args *arguments) value {
	f := p.functions[n]
	if !f.called && p.quiet == 0 && !p.handsRecord(i, args) {
		p.functions[n].called, p.changed = true, true
	}
	method := f.scope.parent != nil && f.scope.parent.kind == classScope
	if !method || !p.needsObject(f, args) {
		p.bindParameters(f, args, 0)
	}
	if method {
		p.bindParameters(f, args, 1)
	}
	if f.generator {
		p.keepsGenerator(i, n)
		c := p.containerAt(i, sequence)
		p.put(c, -1, f.result)
		return containerValue(c).with(open)
	}
	if f.async && !p.awaited(i) {
		return f.result.with(open) // and what gives it when it is awaited
	}
	return f.result
}

// needsObject tells whether a method is called with too few arguments for one of them to be its object: the one that it
// was found on is, or the call fails before the method begins.
func (p *python) needsObject(f function, args *arguments) bool {
	if !args.ofMember || args.splat || args.spread || p.refilled || p.mayBeReplaced(f) || f.unit.tree.Kind(f.unit.tree.Parent(f.node)) == kindDecoratedDefinition {
		return false
	}
	given := len(args.positional)
	for _, param := range f.params {
		switch {
		case param.form == listParameter, param.form == dictionaryParameter, param.filled, args.names(outOfClass(param.name, f.scope)):
		case param.form == keywordParameter, given == 0:
			return true
		}
		if param.form == plainParameter && given > 0 {
			given--
		}
	}
	return false
}

// mayBeReplaced tells whether something else may be under the name of method f, which calls it with more, or whether its defaults may
// be changed.
func (p *python) mayBeReplaced(f function) bool {
	name := f.unit.tree.Child(f.node, nameField)
	if name == analyze.NoNode || slices.ContainsFunc(p.units, func(u *unit) bool {
		m := p.mentionsIn(u)
		return m.texts["__defaults__"] || m.texts["__kwdefaults__"]
	}) {
		return true
	}
	text := identifierText(f.unit.tree.Source(name))
	other := func(v value) bool {
		return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomFunction })
	}
	id, ok := f.scope.parent.vars[text]
	return ok && other(p.vars[id].value)
}

// awaited tells whether what node i gives is awaited on the spot.
func (p *python) awaited(i int) bool {
	t := p.unit.tree
	up := t.Parent(t.Bracketed(i, kindParenthesizedExpression))
	return up >= 0 && t.Kind(up) == kindAwait
}

func (p *python) bindParameters(f function, args *arguments, skip int) {
	k := 0
	for _, param := range f.params {
		switch param.form {
		case plainParameter:
			if skip > 0 {
				skip--
				continue
			}
			if k < len(args.positional) {
				p.assign(param.variable, args.positional[k])
				k++
			}
		case listParameter:
			p.assign(param.variable, p.restOf(f, param, args, k))
		case dictionaryParameter:
			n := p.containerAt(beside(0, param.variable), mapping)
			for _, v := range args.named {
				p.putKey(n, stringValue(v.name), v.value)
			}
			p.putRest(n, args.rest, value{})
			p.assign(param.variable, containerValue(n))
		}
		if args.splat && param.form != dictionaryParameter {
			p.assign(param.variable, args.rest)
		}
		for _, v := range args.named {
			if v.name == outOfClass(param.name, f.scope) {
				p.assign(param.variable, v.value)
			}
		}
	}
}

// restOf returns the tuple that *args is bound to.
func (p *python) restOf(f function, param parameter, args *arguments, from int) value {
	before := p.unit
	p.unit = f.unit
	defer func() { p.unit = before }()
	n := p.containerAt(beside(0, param.variable), sequence)
	for k := from; k < len(args.positional); k++ {
		p.put(n, k-from, args.positional[k])
	}
	p.putRest(n, args.rest, value{})
	return containerValue(n)
}

// callClass evaluates the making of an object of a class of the program.
func (p *python) callClass(i, n int, args *arguments) value {
	c := p.classes[n]
	if len(args.positional) == 3 && p.makesClasses(n) {
		p.classNamespace(i, args.arg(2))
	}
	if below := func(one func(class string) bool) bool { return p.isBelow(n, one) }; !p.has(n, "__init__") {
		p.namesOn(i, args, below)
	} else if args.spread {
		p.spreadInto(i, below)
	}
	if names, ok := args.get(1, "names"); ok && p.atHand("enum") && p.isBelow(n, func(class string) bool { return strings.HasPrefix(class, "enum.") }) {
		p.enumNamespace(i, names)
	}
	init, own := value{}, false
	if id, ok := c.scope.vars["__init__"]; ok {
		init, own = p.vars[id].value, true
	} else {
		init = p.fields["__init__"]
	}
	for _, a := range init.atoms {
		switch a.kind {
		case atomFunction:
			p.callFunction(i, int(a.n), args)
		case atomSymbol: // a method of the library that was put there
			p.callSymbol(i, a.text, args.behind(anything()))
		}
	}
	if p.atHand("unittest") && p.isBelow(n, func(class string) bool {
		return strings.HasPrefix(class, "unittest.") && strings.HasSuffix(class, "TestCase")
	}) {
		namesMember(0, "methodName")(p, i, args)
	}
	if !own {
		for _, name := range p.ruledAbove(n) {
			p.callSymbol(i, name, args)
		}
	}
	if !own { // a dataclass or a named tuple: arguments become fields
		for _, v := range args.named {
			p.setField(v.name, v.value)
		}
		for _, v := range args.positional {
			for _, id := range c.scope.ids {
				p.setField(p.vars[id].name, v)
			}
		}
	}
	p.isBelow(n, func(class string) bool {
		p.laysOver(i, class, args)
		return false
	})
	p.passedOver(0, args) // what makes the object, before __init__ or around it, is given them, too
	object := p.typesAbove(n)
	a, single := object.single()
	if single && a.text == logFormatter && !p.own["__new__"] && !slices.ContainsFunc(p.chain(n), func(k int) bool { return !p.classes[k].meta.nothing() }) {
		return object // and nothing else, such as text
	}
	return object.with(open)
}

// enterGetter calls a getter, which may call others and in the end itself: a
// partial of a partial in a loop. What it calls is mentioned on the way in.
func (p *python) enterGetter(i, n int, args *arguments) value {
	const deepest, price = 6, 50
	if p.getters[n].entered || p.depth >= deepest || !p.step(price) {
		return anything()
	}
	p.getters[n].entered = true
	p.depth++
	v := p.callGetter(i, p.getters[n], args)
	p.depth--
	p.getters[n].entered = false
	return v
}

// callGetter evaluates a call of what attrgetter, methodcaller or itemgetter made.
func (p *python) callGetter(i int, g getter, args *arguments) value {
	if g.kind == callPartial {
		return p.callPartial(i, g, args)
	}
	object := args.arg(0)
	var out value
	for _, names := range g.names {
		for _, a := range names.atoms {
			if g.kind == getItem {
				p.givesUnseen(i, object, one(a).with(names.flags))
				out = out.join(p.item(i, object, one(a).with(names.flags)))
				continue
			}
			if a.kind != atomString {
				continue
			}
			v := object
			for part := range strings.SplitSeq(a.text, ".") {
				v = p.attribute(i, v, part)
			}
			if g.kind == callMethod {
				p.mention(i, v, usage{how: analyze.HowCall, args: g.args})
				v = p.call(i, v, g.args).join(p.method(i, object, a.text, g.args))
			}
			if g.kind == getAttribute {
				p.methodAsValue(object)
				v = v.with(open)
			}
			out = out.join(v)
		}
		switch {
		case names.open() && g.kind == getItem:
			p.givesUnseen(i, object, anything())
			out = out.join(p.item(i, object, anything()))
		case names.open():
			p.unknownMember(i, object, names)
			out = out.join(p.gotUnseen(i, g, object))
		}
	}
	if several := g.kind == getAttribute && g.args.splat; len(g.names) > 1 || several {
		n := p.containerAt(i, sequence)
		p.put(n, -1, out)
		if !several {
			return containerValue(n)
		}
		out = out.join(containerValue(n)) // of one name, the attribute alone
	}
	return out
}

// gotUnseen is what getter g gives of an object by a name that is not known: one with points stands for several.
func (p *python) gotUnseen(i int, g getter, object value) value {
	out := value{flags: open | reached | object.flags&strange}
	switch {
	case g.kind == getAttribute:
		return out.with(walked)
	case object.flags&(reached|walked) != 0:
		return p.callsWalked(i, out, g.args)
	}
	return out
}

// callSymbol evaluates a call of an outside symbol.
func (p *python) callSymbol(i int, name string, args *arguments) value {
	p.keepsIterator(i, name)
	p.makesPlaces(i, name, args)
	p.finalizes(i, name, args)
	args = p.namesItself(i, name, args)
	if module, _, _ := strings.Cut(name, "."); module == "collections" || module == "copy" || module == "types" {
		p.takesBehind(i, args.all()...)
	}
	p.asksBehind(name, args)
	p.patchesProgram(name, args)
	if up := p.unit.tree.Parent(i); name == "functools.cmp_to_key" && (p.unit.tree.Kind(up) != kindKeywordArgument || p.identifier(p.unit.tree.Child(up, nameField)) != "key") {
		p.asked["cmp_to_key"] = true
	}
	p.handsAction(i, name, args)
	p.namesFiles(i, name, args)
	p.beginsWith(name, args)
	if p.setsSettings(i, name, args) {
		return anything()
	}
	p.asksVariables(i, name, args)
	if class := initOf(name); class != name {
		p.namesOn(i, args.after(1), func(one func(class string) bool) bool { return one(class) })
	} else {
		p.namesOn(i, args, func(one func(class string) bool) bool { return one(name) })
	}
	if f := p.tables.intrinsics[name]; f != nil {
		return f(p, i, args).with(p.passedOver(p.tables.follows[name], args))
	}
	p.granted(i, name, args)
	p.fillsFields(i, name, args)
	p.makesKeyed(name)
	p.laysOver(i, name, args)
	if r, ok := p.tables.runners[name]; ok {
		p.among = r.among
		v, given := args.get(r.position, r.keyword)
		switch {
		case given && p.makesPartial(p.argumentAt(i, r.keyword)): // of which timeit makes no code
			p.call(i, v, &arguments{})
		case given:
			p.runValue(i, v, r.expression)
		}
		if r.also != "" {
			if v, ok := args.get(r.position+1, r.also); ok {
				p.runValue(i, v, r.expression)
			}
		}
		p.among = ""
	}
	if kind := p.tables.calls[name]; kind != "" {
		p.dynamicAt(kind, i)
	}
	owner, method := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		owner, method = name[:dot], name[dot+1:]
	}
	switch method {
	case "mro", "getmro": // which give the class itself, too
		class, _ := args.get(0, "cls")
		if method == "mro" {
			class = class.join(symbol(owner))
		}
		return p.bag(i, class.join(anything().with(ofObject)))
	case "__getattribute__", "__getattr__":
		if len(args.positional) > 1 { // object.__getattribute__(x, "name")
			return p.getattr(i, args.arg(0), args.arg(1))
		}
		return p.getattr(i, symbol(owner), args.arg(0))
	case "__setattr__":
		if len(args.positional) > 2 {
			return p.setattr(i, args)
		}
		return p.setattr(i, &arguments{positional: append([]value{symbol(owner)}, args.positional...)})
	case "__init__", "__call__", "__new__":
		p.laysOver(i, owner, args.after(1))
		if method == "__new__" && p.makesClass(atom{kind: atomSymbol, text: owner}) && !p.inMaker() {
			return p.callSymbol(i, owner, args.after(1))
		}
		if p.ruled(owner) {
			return p.callSymbol(i, owner, args.after(1))
		}
	case "format", "format_map":
		if owner == "builtins.str" && len(args.positional) == 0 && args.splat {
			p.dynamicAt(analyze.DynamicTemplate, i)
		}
	}
	if path, ok := p.foldPath(name, args); ok {
		return path
	}
	if folded, ok := p.classMethod(name, args); ok {
		return folded
	}
	if folded, ok := p.foldCall(name, args); ok {
		return folded
	}
	switch owner {
	case "builtins.str", "builtins.bytes", "builtins.bytearray", "builtins.int", "builtins.list", "builtins.dict", "builtins.tuple":
		if len(args.positional) > 0 && method != "fromkeys" { // which is the class's
			if v := p.method(i, args.positional[0], method, args.after(1)); !v.nothing() {
				if args.positional[0].open() { // it may be the program's own method
					return v.with(p.passedOver(0, args)).with(open)
				}
				return v
			}
		}
	}
	if name == "builtins.isinstance" || name == "builtins.issubclass" {
		p.meets(args.arg(0), args.arg(1))
	}
	if !p.tables.pure[name] || name == "json.dumps" && p.dumpsByOwn(args) {
		for _, v := range args.all() {
			p.escape(v)
			if !isTyping(name) {
				p.typingGoes(v)
			}
		}
	} else {
		for _, v := range args.named { // print writes to what it is told
			p.escape(v.value)
		}
		if args.spread {
			p.escape(args.rest)
		}
	}
	if typ := p.tables.returns[name]; typ != "" {
		return one(atom{kind: atomInstance, text: typ}).with(open)
	}
	if name == "builtins.len" || name == "builtins.int" {
		return value{flags: manyNumbers | worked}
	}
	return anything()
}

// dumpsByOwn tells whether a call of json.dumps gives what it is given to functions or methods
// of the program: a class, what stands for what json does not know, or keys and values that are
// compared with each other.
func (p *python) dumpsByOwn(args *arguments) bool {
	for _, keyword := range []string{"cls", "default", "sort_keys"} {
		v, given := args.get(-1, keyword)
		if data, _ := args.get(0, "obj"); given && !v.isNone() && (keyword != "sort_keys" || p.mayAsk(data, maxAsked)) {
			return true
		}
	}
	return false
}

// everything is followed by what looks at all of its arguments.
const everything = math.MaxInt

// passedOver lets go of what an intrinsic is given and does not follow: all but so many
// positional arguments. Where it followed less than that, what comes of it is not known.
func (p *python) passedOver(followed int, args *arguments) valueFlags {
	if followed == everything {
		return 0
	}
	for _, v := range args.positional[min(followed, len(args.positional)):] {
		p.escape(v)
	}
	for _, v := range args.named {
		p.escape(v.value)
	}
	p.escape(args.rest)
	if len(args.positional) < followed && (len(args.named) > 0 || args.splat) {
		return open
	}
	return 0
}

// argumentAt is where the first argument of call i stands, or the one of that name.
func (p *python) argumentAt(i int, keyword string) int {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return analyze.NoNode
	}
	list := t.Child(i, argumentsField)
	if n := t.FirstNamed(list); n == analyze.NoNode || t.Kind(n) != kindKeywordArgument {
		return n
	}
	for n := t.FirstNamed(list); n != analyze.NoNode; n = t.NextNamed(n) {
		if t.Kind(n) == kindKeywordArgument && p.identifier(t.Child(n, nameField)) == keyword {
			return t.Child(n, valueField)
		}
	}
	return analyze.NoNode
}

// makesPartial tells whether node i is a call of functools.partial. A test may have put something else under that name.
func (p *python) makesPartial(i int) bool {
	t := p.unit.tree
	return !p.mocks() && i != analyze.NoNode && t.Kind(i) == kindCall && p.symbolAt(t.Child(i, functionField)) == "functools.partial"
}

// runValue analyses what is run as code.
func (p *python) runValue(i int, v value, expression bool) value {
	var out value
	known := true
	v, waits := p.settled(v)
	if waits {
		return v
	}
	for _, a := range v.atoms {
		switch {
		case a.gapped():
			text, ok := p.filled(p.gaps[a.n-1])
			if known = known && ok; ok {
				out = out.join(p.runText(i, text, expression))
			}
		case a.kind == atomString || a.kind == atomBytes:
			out = out.join(p.runText(i, a.text, expression))
		case a.kind == atomInstance && a.text == "types.CodeType":
			out = out.with(open)
		case a.kind == atomFunction:
			out = out.join(p.callFunction(i, int(a.n), &arguments{}))
		default:
			known = false
		}
	}
	if !known || v.open() && !v.has(atom{kind: atomInstance, text: "types.CodeType"}) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
	return out.with(open)
}

// runText makes text that is run as code part of the analysis. It returns the
// value of the expression that it may be.
func (p *python) runText(i int, text string, expression bool) value {
	if p.quiet > 0 {
		return anything()
	}
	if expression {
		text = strings.TrimLeft(text, " \t")
	}
	key := unitKey{text, p.scope}
	if u, ok := p.byText[key]; ok {
		if u == nil {
			p.dynamicAt(analyze.DynamicCode, i)
			return anything()
		}
		if u.among == "" && p.among != "" {
			u.among, p.changed = p.among, true
		}
		return u.result
	}
	p.byText[key] = nil
	if p.unit.depth >= p.Limits.Nested {
		p.Problem(analyze.ProblemNesting, "code in strings is nested too deeply", p.span(i))
		return anything()
	}
	t := p.readText(text)
	if t == nil || len(p.units) >= maxUnits {
		p.dynamicAt(analyze.DynamicCode, i)
		return anything()
	}
	at := p.span(i)
	root := &scope{kind: textScope, parent: p.scope, path: p.scope.path, vars: map[string]int{}, owner: -1}
	u := p.addUnit(t, root, p.unit.depth+1, &at)
	u.among = p.among
	p.byText[key] = u
	return u.result
}

// readText parses text that is run as code; nil when it cannot be read.
func (p *python) readText(text string) *analyze.Tree {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.TrimSpace(text) == "" || len(text) > analyze.MaxSourceBytes || analyze.RefuseCharacters(text) != nil {
		return nil
	}
	if _, _, refused := canonical(analyze.Script, text); refused != nil {
		return nil
	}
	t, problem := p.Parse(text)
	if problem != nil {
		return nil
	}
	whole := t.IsWhole()
	checkLines(t, func(analyze.Span) { whole = false })
	checkWords(t, func(string, analyze.Span) { whole = false })
	if !whole {
		return nil
	}
	return t
}
