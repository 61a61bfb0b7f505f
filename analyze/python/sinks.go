package python

import (
	"slices"
	"strings"
	"unicode"

	"sallyport/analyze"
)

// A value may become a name or code in more places than the ones that say so:
// in annotations, which typing, inspect and functools evaluate; in the names of
// fields, which dataclasses pastes into text; in what update_wrapper copies; in
// what unittest is asked to run. Each is here, and each holds the same rule: what
// is known is followed, what is not known is reported.

// annotations is the name under which every class, function and module keeps text
// that others evaluate.
const annotations = "__annotations__"

// stored looks at a value that the program puts under a name, wherever: an
// attribute, a key of a dictionary, a variable.
func (p *python) stored(i int, name string, v value) {
	if name == annotations {
		p.annotated(i, v)
	}
	p.tells(i, name, v)
	p.disguises(name)
}

// storedKey is stored for what may be several names.
func (p *python) storedKey(i int, key, v value) {
	for _, a := range key.atoms {
		if a.kind == atomString {
			p.stored(i, a.text, v)
			p.optionKey(i, a.text, v)
			p.textual(i, a.text, v)
		}
		if a.kind == atomString && strings.HasPrefix(a.text, "__") {
			p.rewrites(i, a.text, v) // the dictionary may become the attributes of a class
		}
	}
}

// annotated reads a dictionary of annotations. Its keys may be pasted into code,
// its texts evaluated. That of another object may be copied.
func (p *python) annotated(i int, v value) {
	if v.open() {
		p.dynamicAt(analyze.DynamicCode, i)
	}
	for _, a := range v.atoms {
		if a.kind != atomContainer {
			continue
		}
		c := p.containers[a.n]
		for _, key := range c.keyed {
			p.annotatedAs(i, one(key), c.dict[key])
		}
		p.annotatedAs(i, c.keys, c.rest)
	}
}

func (p *python) annotatedAs(i int, key, v value) {
	for _, a := range key.atoms {
		if a.kind != atomString || !isIdentifier(a.text) {
			p.dynamicAt(analyze.DynamicCode, i)
		} else {
			p.getsFromAnything(i, []value{one(a)}) // as a field
		}
	}
	for _, a := range v.atoms {
		switch {
		case a.kind == atomString && becomesCode(a.text):
			p.runText(i, a.text, true)
		case a.kind == atomPrefix:
			p.dynamicAt(analyze.DynamicCode, i)
		}
	}
	if key.open() || v.open() {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// becomesCode tells whether the text of an annotation can do more than name a type.
func becomesCode(s string) bool { return strings.Contains(s, "(") || strings.Contains(s, "__") }

func isIdentifier(s string) bool {
	for k, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (k == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// annotationsOf is what reading __annotations__ of anything yields: one dictionary
// for all, so that what is put into it by whatever way is found where it is read.
func (p *python) annotationsOf(i int) value {
	if p.annotationsMade == 0 {
		if p.quiet > 0 {
			return anything()
		}
		p.containers = append(p.containers, container{kind: mapping, code: true, moved: true, round: p.round})
		p.annotationsMade = len(p.containers)
		p.changed = true
	}
	v := containerValue(p.annotationsMade - 1)
	p.annotated(i, v)
	return v
}

// makeDataclass evaluates dataclasses.make_dataclass. That a name is an identifier
// is asked of the name itself, which a class of the program may answer.
func (p *python) makeDataclass(i int, args *arguments) value {
	fields, _ := args.get(1, "fields")
	names := p.elements(fields)
	for _, a := range names.atoms {
		if a.kind == atomContainer {
			names = names.join(p.containers[a.n].get(intValue(0)))
		}
	}
	if names.open() || hasPrefixAtom(names) || args.splat {
		kind := analyze.DynamicAttribute
		if len(p.classes) > 0 {
			kind = analyze.DynamicCode
		}
		p.dynamicAt(kind, i)
	}
	p.namesFields(i, fields)
	p.typesOfFields(i, fields)
	p.calledByWritten()
	p.escape(args.arg(0))
	p.escape(p.held(fields, true)) // they show their types; the list itself is only read
	p.passedOver(0, args.after(2))
	if bases, ok := args.get(-1, "bases"); ok && !p.elements(bases).nothing() {
		p.getsFromAnything(i, []value{names.texts()})
		p.madeBelow(i, bases)
	}
	if namespace, ok := args.get(-1, "namespace"); ok {
		p.classNamespace(i, namespace)
	}
	return anything()
}

// dataclass evaluates dataclasses.dataclass, which pastes the names among the annotations
// of a class into text: one that stands in the program has those that stand there.
func (p *python) dataclass(i int, args *arguments) value {
	const name = "dataclasses.dataclass"
	cls, given := args.get(0, "cls")
	flags := p.asksOfDataclass(args)
	if !given || cls.isNone() {
		t := p.unit.tree
		if up := t.Parent(i); up != analyze.NoNode && t.Kind(up) != kindDecorator && (t.Kind(up) != kindCall || t.Child(up, functionField) != i) {
			p.dynamicAt(analyze.DynamicCode, i) // somebody decorates with it later
		}
		n := p.getterAt(i)
		p.getters[n] = getter{kind: callPartial, names: []value{symbol(name)}, args: &arguments{}}
		return one(atom{kind: atomGetter, n: int64(n)}).with(flags)
	}
	if cls.open() || len(cls.atoms) == 0 || slices.ContainsFunc(cls.atoms, func(a atom) bool { return a.kind != atomClass }) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
	for _, a := range cls.atoms {
		switch a.kind {
		case atomClass:
			p.writesFor(i, int(a.n), false)
		case atomNone: // then what decorates comes back, and not the class
			flags |= open
		}
	}
	return cls.with(flags)
}

// asksOfDataclass looks at what a dataclass shall be like. Constants leave the class what it is,
// but for those of which the class is made anew.
func (p *python) asksOfDataclass(args *arguments) (flags valueFlags) {
	for _, v := range args.positional[min(1, len(args.positional)):] {
		p.escape(v)
	}
	p.escape(args.rest)
	for _, named := range args.named {
		p.escape(named.value)
		if a, ok := named.value.constant(); (named.name == "slots" || named.name == "weakref_slot" || !ok) && !(ok && a.kind == atomBool && a.n == 0) {
			flags = open
		}
	}
	if args.splat || args.spread {
		flags = open
	}
	return flags
}

// classNamespace looks at a dictionary that becomes the attributes of a class.
func (p *python) classNamespace(i int, v value) {
	for _, a := range v.atoms {
		if a.kind != atomContainer {
			continue
		}
		c := p.containers[a.n]
		p.setFields(c)
		for _, key := range c.keyed {
			p.namesAttribute(i, key.text, c.dict[key])
		}
		if !c.keys.nothing() || p.leaky(int(a.n)) != 0 {
			p.dynamicAt(analyze.DynamicAttribute, i)
			p.marks(&p.putsUnseen, true)
		}
	}
	if v.open() {
		p.dynamicAt(analyze.DynamicAttribute, i)
		p.marks(&p.putsUnseen, true)
	}
}

// makeEnum evaluates the call of a class of enumerations, which makes one below it of names, or of names
// and values. A function among the values is a method, whatever its name.
func (p *python) makeEnum(i int, args *arguments) value {
	names, given := args.get(1, "names")
	p.enumNamespace(i, names)
	p.namesFields(i, names)
	if args.spread && !given {
		p.spreads()
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	for _, v := range args.all() {
		p.escape(p.held(v, given)) // the names themselves are only read
	}
	return anything()
}

// held are the values in what an enumeration is made of, and in pairs there.
func (p *python) held(v value, deep bool) value {
	out := value{flags: v.flags}
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			inner := p.containers[a.n].all
			if deep {
				inner = p.held(inner, false)
			}
			out = out.join(inner)
			continue
		}
		out = out.join(one(a))
	}
	return out
}

// enumNamespace notes the members that a class of enumerations is made with, at node i: of a dictionary, or
// of pairs.
func (p *python) enumNamespace(i int, names value) {
	pairs := value{flags: names.flags}
	for _, a := range names.atoms {
		if a.kind != atomContainer {
			if !a.constant() { // an iterator, or an object of the program's
				pairs = pairs.with(open)
			}
			continue
		}
		c := p.containers[a.n]
		if c.kind == mapping && mayBeMethod(c.all.with(p.leaky(int(a.n)))) {
			p.classNamespace(i, one(a))
		}
		if c.kind != mapping {
			pairs = pairs.join(c.all.with(p.leaky(int(a.n))))
		}
	}
	if pairs.open() {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	for _, a := range pairs.atoms {
		if a.kind != atomContainer || p.containers[a.n].kind == mapping || !mayBeMethod(p.containers[a.n].all.with(p.leaky(int(a.n)))) {
			continue
		}
		key := p.containers[a.n].get(intValue(0))
		if _, one := key.constant(); !one || key.open() {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
		for _, b := range key.atoms {
			p.namesAttribute(i, b.text, p.containers[a.n].get(intValue(1)))
		}
	}
}

// mayBeMethod tells whether a value may be a function.
func mayBeMethod(v value) bool {
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() })
}

// namesAttribute notes an attribute of a class that stands in no class.
func (p *python) namesAttribute(i int, name string, v value) {
	p.stored(i, name, v)
	p.ownName(name)
	p.namesSpecial(i, name)
	p.rewrites(i, name, v)
	if p.isPrivate(name) && p.stdlib.Private[name] != nil {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// madeClass evaluates type(name, bases, namespace).
func (p *python) madeClass(i int, args *arguments) value {
	if len(args.positional) == 3 {
		p.classNamespace(i, args.arg(2))
		p.madeBelow(i, args.arg(1))
		return anything()
	}
	return p.classOf(args.arg(0))
}

// classOf is the class of an object. Called, it makes what the program may name
// nowhere: the class of a file opens files. What the program itself makes is not
// told apart from what it was given, but for its own exceptions and constants.
func (p *python) classOf(v value) value {
	for _, a := range v.atoms {
		if a.kind == atomClass && len(v.atoms) == 1 && !v.open() {
			return symbol("builtins.type").with(open)
		}
		if a.kind == atomSymbol || a.kind == atomInstance || a.kind == atomNamespace || a.kind == atomFunction || a.kind == atomGetter {
			return anything().with(ofObject)
		}
	}
	if v.flags&^caught != 0 {
		return anything().with(ofObject)
	}
	return anything()
}

// newClass evaluates types.new_class, whose body fills a namespace in.
func (p *python) newClass(i int, args *arguments) value {
	if bases, ok := args.get(1, "bases"); ok {
		p.madeBelow(i, bases)
	}
	if body, ok := args.get(3, "exec_body"); ok {
		p.mention(i, body, usage{how: analyze.HowCall, args: &arguments{}})
		p.call(i, body, &arguments{positional: []value{anything()}})
		p.dynamicAt(analyze.DynamicAttribute, i)
		p.marks(&p.putsUnseen, true)
	}
	return anything()
}

// wrapped evaluates functools.update_wrapper and wraps: they copy the attributes
// that are asked for from one object to another.
func wrapped(wrapper, original, assigned int) intrinsic {
	return func(p *python, i int, args *arguments) value {
		from, _ := args.get(original, "wrapped")
		var to value
		if wrapper >= 0 {
			to, _ = args.get(wrapper, "wrapper")
			for _, a := range to.atoms {
				if a.kind == atomSymbol && p.stdlib.Modules[a.text] {
					p.dynamicAt(analyze.DynamicPatch, i)
				}
			}
		}
		p.copiesAttributes(i, from, to)
		for k, keyword := range []string{"assigned", "updated"} {
			names, given := args.get(assigned+k, keyword)
			if !given {
				continue
			}
			each := p.elements(names)
			for _, a := range each.atoms {
				if a.kind == atomString {
					v := p.attribute(i, from, a.text)
					p.mention(i, v, usage{how: analyze.HowReference})
					p.setAttribute(i, to.with(open), a.text, v.with(open))
				}
			}
			if p.unknownName(each) {
				p.dynamicAt(analyze.DynamicMember, i)
			}
		}
		return identity(p, i, args)
	}
}

// namesMember evaluates the making of an object that calls the method of its own which it
// is given the name of.
func namesMember(position int, keyword string) intrinsic {
	return func(p *python, i int, args *arguments) value {
		name, given := args.get(position, keyword)
		if given && p.unknownName(name) || args.splat {
			p.dynamicAt(analyze.DynamicMember, i)
		}
		for _, v := range args.all() {
			p.escape(v)
		}
		return anything()
	}
}

// testsNamed evaluates what runs tests that it is given the names of.
func (p *python) testsNamed(i int, names value, given bool) {
	if !given {
		names = p.members["sys.argv"]
		if p.arguedWith {
			p.dynamicAt(analyze.DynamicImport, i)
		}
		if names.nothing() {
			return
		}
	}
	each := p.elements(names)
	for _, a := range each.atoms {
		if a.kind == atomString && !strings.HasPrefix(a.text, "-") {
			p.named(i, a.text)
		}
		if a.kind == atomString && (strings.HasPrefix(a.text, "-c") || strings.HasPrefix(a.text, "--c")) { // --catch
			p.mention(i, symbol("unittest.installHandler"), usage{how: analyze.HowCall, args: &arguments{}})
		}
		if a.kind == atomString && strings.HasPrefix(a.text, "--l") { // --locals
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	}
	if p.unknownName(each) {
		p.dynamicAt(analyze.DynamicImport, i)
	}
}

// runTests evaluates unittest.main.
func (p *python) runTests(i int, args *arguments) value {
	if v, ok := args.get(0, "module"); ok && !v.isOnly(atom{kind: atomString, text: "__main__"}, atom{kind: atomNone}) {
		p.importNamed(i, v, analyze.DynamicImport)
	}
	if v, ok := args.get(1, "defaultTest"); ok {
		if !v.isNone() {
			p.testsNamed(i, v.join(p.bag(i, v)), true)
		}
	}
	argv, given := args.get(2, "argv")
	if argv.isNone() {
		given = false
	}
	if given {
		if items, exact := p.sequence(argv); exact && len(items) > 0 {
			argv = p.sequenceOf(beside(2, i), items[1:]) // the first is the program's name
		}
	}
	p.testsNamed(i, argv, given)
	if v, ok := args.get(8, "catchbreak"); ok && !v.isOnly(atom{kind: atomNone}, atom{kind: atomBool}) {
		p.mention(i, symbol("unittest.installHandler"), usage{how: analyze.HowCall, args: &arguments{}})
	}
	if _, own := args.get(4, "testLoader"); (own || args.splat) && p.answers() {
		p.dynamicAt(analyze.DynamicNamespace, i) // it may answer to loadTestsFromModule
	}
	for k, v := range args.positional {
		if k != 2 {
			p.escape(v)
		}
	}
	for _, v := range args.named {
		if v.name != "argv" { // which nobody changes
			p.escape(v.value)
		}
	}
	p.escape(args.rest)
	return anything()
}

// basicConfig evaluates logging.basicConfig, which opens a file when it is asked to.
func (p *python) basicConfig(i int, args *arguments) value {
	if v, given := args.get(-1, "filename"); given && !v.isNone() {
		opened := &arguments{positional: []value{v}, splat: args.splat, rest: args.rest}
		p.mention(i, symbol("logging.FileHandler"), usage{how: analyze.HowCall, args: opened})
	}
	p.logFormat(i, args, -3, "format", false)
	for _, v := range args.all() {
		p.escape(v)
	}
	return one(atom{kind: atomNone})
}

// allMembers evaluates inspect.getmembers: of a module it gives each of its members.
func (p *python) allMembers(i int, args *arguments) value {
	object := args.arg(0)
	for _, a := range object.atoms {
		if a.kind == atomSymbol || a.kind == atomNamespace {
			p.unknownMember(i, object, anything())
		}
	}
	p.escape(object)
	return anything()
}

// findSpec evaluates importlib.util.find_spec, which imports what is above the module.
func (p *python) findSpec(i int, args *arguments) value {
	name, _ := args.get(0, "name")
	for _, a := range name.atoms {
		if dot := strings.LastIndexByte(a.text, '.'); a.kind == atomString && dot > 0 {
			p.importModuleAt(a.text[:dot], i)
		}
	}
	if p.unknownName(name) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	return anything()
}

// byName evaluates methods that call other methods of the same object, which they
// may be given by name: df.agg("mean"), df.agg({"price": ["min", "max"]}).
func (p *python) byName(i int, args *arguments) value {
	for _, v := range args.all() {
		p.escape(v)
		p.namedWithin(i, v, 3)
	}
	p.namesNumpy(i, args)
	return anything()
}

// aggregates evaluates what is given data, and at a place the names of such methods.
func aggregates(place int) intrinsic {
	return func(p *python, i int, args *arguments) value {
		if args.splat {
			return p.byName(i, args)
		}
		if v, given := args.get(place, "aggfunc"); given {
			p.namedWithin(i, v, 3)
		}
		return p.byKnownName(i, args)
	}
}

// transforms evaluates a method of that name, which objects of sklearn have, too, and give data.
func (p *python) transforms(i int, args *arguments) value {
	if p.imported["pandas"] || p.framed {
		return p.byName(i, args)
	}
	return p.byKnownName(i, args)
}

// filters evaluates a method of that name, which groups of a column have, too: they ask each group for a method.
func (p *python) filters(i int, args *arguments) value {
	if v, given := args.get(0, "func"); given && p.asked["groupby"] && (p.imported["pandas"] || p.framed) {
		p.namedWithin(i, v, 3)
	}
	return p.byKnownName(i, args)
}

// byKnownName takes texts that are known for names, where most that is given is data.
func (p *python) byKnownName(i int, args *arguments) value {
	for _, v := range args.all() {
		p.escape(v)
		names := value{atoms: v.texts().atoms}
		for _, a := range v.atoms {
			if a.kind == atomContainer {
				names = names.join(value{atoms: p.containers[a.n].all.texts().atoms})
			}
		}
		p.getsFromAnything(i, []value{names})
	}
	return anything()
}

// namedWithin takes every text in v for the name of a method of what is not known.
func (p *python) namedWithin(i int, v value, depth int) {
	p.getsFromAnything(i, []value{v.texts()})
	for _, a := range v.atoms {
		if a.kind != atomContainer {
			continue
		}
		if depth == 0 {
			p.dynamicAt(analyze.DynamicAttribute, i)
			continue
		}
		p.namedWithin(i, p.containers[a.n].all, depth-1)
	}
}

// texts is the part of v that can be text: functions and containers are none.
func (v value) texts() value {
	out := value{flags: v.flags}
	for _, a := range v.atoms {
		if a.kind == atomString || a.kind == atomPrefix {
			out.atoms = append(out.atoms, a)
		}
	}
	return out
}
