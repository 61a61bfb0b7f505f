package python

import (
	"slices"
	"strings"
	"unicode"

	"sallyport/analyze"
)

// What the classes of the library keep for themselves is in no catalog: their private
// attributes, what builds an object anew, and the classes of objects that the program
// did not make.

// privateName is a place where a private attribute is read.
type privateName struct {
	name  string
	span  analyze.Span
	taken bool // a class of the library has it, too, and the object is not plainly the program's own
}

// isPrivate tells whether a name says that only its class uses it.
func (p *python) isPrivate(name string) bool {
	return len(name) > 1 && name[0] == '_' && !strings.HasPrefix(name, "__") && !p.tables.openPrivate[name]
}

// private notes a private attribute of an object that is not known. It is reported
// when the program has nothing by that name itself, or when the library has it, too.
func (p *python) private(i int, name string) {
	if p.quiet > 0 || !p.isPrivate(name) {
		return
	}
	library := slices.ContainsFunc(p.stdlib.Private[name], func(module string) bool { return p.atHand(module) })
	own := library && p.asksOwn(i, p.ofSelf(i, name))
	if own {
		p.asksFor(name)
		own = !p.readOff(p.vars[p.variableAt(p.unit.tree.Child(p.unit.tree.Parent(i), objectField))].scope.owner)
	}
	p.privates = append(p.privates, privateName{name, p.span(i), library && !own})
}

// privateOf notes a private attribute of a class of the library, or of an object of one.
func (p *python) privateOf(i int, owner, name string) {
	top, _, _ := strings.Cut(owner, ".")
	if !p.stdlib.Modules[owner] && p.isPrivate(name) && slices.Contains(p.stdlib.Private[name], top) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// ofSelf tells whether the attribute named at i is asked of self or cls in a class that
// does not have it from the library.
func (p *python) ofSelf(i int, name string) bool {
	t := p.unit.tree
	object := t.Child(t.Parent(i), objectField)
	if object == analyze.NoNode || t.Kind(object) != kindIdentifier {
		return false
	}
	if text := p.identifier(object); text != "self" && text != "cls" || !p.ownSelf(object) {
		return false
	}
	s := p.scope.class()
	if s == nil {
		return false
	}
	if p.makesClasses(s.owner) && p.stdlib.Private[name] != nil { // self is a class, which may come from the library
		return false
	}
	_, own := s.vars[name]
	return own || !p.fromLibrary(s.owner, name)
}

// asksOwn notes of the method around that it asks self for the attribute named at i, where
// that is one of the program's own. What takes the method off its class is looked at then.
func (p *python) asksOwn(i int, own bool) bool {
	if own && p.quiet == 0 {
		t := p.unit.tree
		n := p.vars[p.variableAt(t.Child(t.Parent(i), objectField))].scope.owner
		p.asks(n)
		own = !p.taken(n)
	}
	return own
}

// ofOwn tells whether the attribute named at i is asked of self or cls in a class that
// is below none of the library that has anything to get hold of.
func (p *python) ofOwn(i int, name string) bool {
	if !p.ofSelf(i, name) {
		return false
	}
	s := p.scope.class()
	return s != nil && !p.classes[s.owner].bases.open() && !p.outside(s.owner, func(string) bool { return false }) &&
		!p.isBelow(s.owner, func(class string) bool { return strings.HasPrefix(class, "builtins.") && class != "builtins.object" })
}

// ownSelf tells whether the name at i is what a method gets that stands in a class, or what
// __new__ there has made.
func (p *python) ownSelf(i int) bool {
	id := p.variableAt(i)
	n, ok := p.methodWith(id)
	return ok && !p.vars[id].again && (p.functions[n].params[0].variable == id || p.makes(n, id)) // nobody gives it another
}

// methodWith is the function of this unit that stands in a class, has variable id, and is given
// an object or a class first.
func (p *python) methodWith(id int) (n int, ok bool) {
	s := p.vars[id].scope
	if s.kind != functionScope || s.parent == nil || s.parent.kind != classScope {
		return 0, false
	}
	t, f := p.unit.tree, p.functions[s.owner]
	if f.unit != p.unit || len(f.params) == 0 || t.Kind(f.node) == kindLambda && !p.becomesMethod(f.node) {
		return 0, false
	}
	if up := t.Parent(f.node); up != analyze.NoNode && t.Kind(up) == kindDecoratedDefinition {
		for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindDecorator && strings.Contains(p.identifier(c), "staticmethod") {
				return 0, false
			}
		}
	}
	return s.owner, true
}

// becomesMethod tells whether the lambda at i becomes a method of the class around, or one of a property there.
func (p *python) becomesMethod(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) == kindKeywordArgument {
		up = t.Parent(up)
	}
	return t.Kind(up) == kindAssignment || t.Kind(up) == kindArgumentList && p.isBuiltin(t.Child(t.Parent(up), functionField), "property")
}

// makes tells whether function n makes what variable id is: by __new__, of the class that it is
// called with, where the program has no other __new__ that may give anything.
func (p *python) makes(n, id int) bool {
	t, f := p.unit.tree, p.functions[n]
	if len(f.params) == 0 || p.vars[f.params[0].variable].again || slices.ContainsFunc(p.fields["__new__"].atoms, func(a atom) bool { return a.kind != atomFunction || a.n != int64(n) }) {
		return false
	}
	cls := func(j int) bool {
		return j != analyze.NoNode && t.Kind(j) == kindIdentifier && p.variableAt(j) == f.params[0].variable
	}
	for j := f.node; j < t.After(f.node); j++ {
		up := t.Parent(j)
		if t.Kind(j) != kindIdentifier || t.Kind(up) != kindAssignment || t.Child(up, leftField) != j || p.variableAt(j) != id {
			continue
		}
		right := t.Child(up, rightField)
		if right == analyze.NoNode || t.Kind(right) != kindCall || !cls(t.FirstNamed(t.Child(right, argumentsField))) {
			return false
		}
		fn := t.Child(right, functionField)
		if t.Kind(fn) != kindAttribute || p.identifier(t.Child(fn, attributeField)) != "__new__" {
			return false
		}
		of, _ := p.glance(t.Child(fn, objectField)).single()
		return cls(t.Child(fn, objectField)) || p.ofSuper(t.Child(fn, attributeField)) || of.kind == atomClass || of.kind == atomSymbol && strings.HasPrefix(of.text, "builtins.")
	}
	return false
}

// fromLibrary tells whether class n of the program has a private name from a class of
// the library above it.
func (p *python) fromLibrary(n int, name string) bool {
	return p.isBelow(n, func(class string) bool { return strings.Contains(p.stdlib.Inner[class], " "+name+" ") })
}

// hidesBases looks at the bases of class n: what is unpacked there, what an object of the
// program gives for itself, and what a metaclass puts in their place or in the order of the
// class are too many to be looked at.
func (p *python) hidesBases(n int, args *arguments) {
	bases := p.classes[n].bases
	meta := bases.open() || slices.ContainsFunc(p.chain(n), func(k int) bool { return !p.classes[k].meta.nothing() })
	if args.splat || bases.open() && p.own["__mro_entries__"] || meta && (p.rebased || p.own["mro"]) {
		p.escape(args.rest)
		p.growBases(n, value{flags: open | manyAtoms})
	}
}

// growBases adds to the bases of class n, which are as many as the program writes.
func (p *python) growBases(n int, v value) {
	set := &p.classes[n].bases
	joined := set.join(v)
	if p.quiet == 0 && (joined.flags != set.flags || len(joined.atoms) != len(set.atoms)) {
		*set, p.changed = joined, true
		p.classes[n].basesGrown++
		p.basesGrown++
	}
}

// overridden looks at a value that a class, or an object of it, keeps under a private
// name: where a class of the library above has it, the library uses what is there. A
// method that takes the place of another is what classes are for.
func (p *python) overridden(i int, name string, v value) {
	if !p.isPrivate(name) || p.stdlib.Private[name] == nil {
		return
	}
	if a, ok := v.single(); ok && a.kind == atomFunction {
		return
	}
	if s := p.scope.class(); s != nil && p.fromLibrary(s.owner, name) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// ofSuper tells whether the attribute named at i is asked of super().
func (p *python) ofSuper(i int) bool {
	t := p.unit.tree
	object := t.Child(t.Parent(i), objectField)
	if object == analyze.NoNode || t.Kind(object) != kindCall {
		return false
	}
	f := t.Child(object, functionField)
	if f == analyze.NoNode || t.Kind(f) != kindIdentifier {
		return false
	}
	a, ok := p.variable(f).single()
	return ok && a == atom{kind: atomSymbol, text: "builtins.super"}
}

// handsOnClass looks at a call whose arguments hold the class of an object that is not
// known: who gets it can call it. method is the name of a method that is called, or "".
func (p *python) handsOnClass(i int, callee value, method string, args *arguments) {
	if p.quiet > 0 || !p.holdsClass(args) {
		return
	}
	for _, v := range args.all() { // logging makes attributes of a record of it
		if a, ok := v.single(); ok && a.kind == atomContainer && p.containers[a.n].kind == mapping && p.atHand("logging") && p.isClass(v) {
			p.dynamicAt(analyze.DynamicClass, i)
		}
	}
	for _, a := range callee.atoms {
		if a.kind == atomSymbol && !p.tables.pure[a.text] && !p.tables.onlyHolds[a.text] && !strings.HasPrefix(a.text, "logging.") {
			p.dynamicAt(analyze.DynamicClass, i)
		}
	}
	if callee.open() && !p.tables.onlyHolds["."+method] && !strings.HasPrefix(method, "assert") {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}

// givesClass looks at what a function returns or yields: who calls it may be anybody.
func (p *python) givesClass(i int, v value) {
	if v.flags&ofObject != 0 {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}

// letGo notes that the class of an object which is not known went where it is not
// followed: what is not known may be it from then on.
func (p *python) letGo() {
	if !p.classGone {
		p.classGone, p.changed = true, true
	}
}

// goesAstray notes that what has these flags went where it is not followed.
func (p *python) goesAstray(flags valueFlags) {
	p.marks(&p.strangeAway, flags&strange != 0)
	if flags&ofObject != 0 {
		p.letGo()
	}
	if flags&aClass != 0 && !p.classStrays {
		p.classStrays, p.changed = true, true
	}
}

// onlyHolds tells whether the call at i is that of a method which calls nothing, and which
// no class of the program has.
func (p *python) onlyHolds(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return false
	}
	fn := t.Child(i, functionField)
	if fn == analyze.NoNode || t.Kind(fn) != kindAttribute || t.Child(fn, attributeField) == analyze.NoNode {
		return false
	}
	name := p.identifier(t.Child(fn, attributeField))
	return p.tables.onlyHolds["."+name] && !p.own[name]
}

func (p *python) holdsClass(args *arguments) bool {
	return slices.ContainsFunc(args.all(), p.isClass)
}

// isClass tells whether v is, or a container of it holds, the class of an object that
// is not known.
func (p *python) isClass(v value) bool {
	return v.flags&ofObject != 0 || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind == atomContainer && p.containers[a.n].all.flags&ofObject != 0
	})
}

// keepsClass looks at what a class has: classes above it make of it what they like, as
// enum an object that has it as its value.
func (p *python) keepsClass(i int, v value) {
	if p.scope == nil || p.scope.kind != classScope || !p.isClass(v) {
		return
	}
	if c := p.classes[p.scope.owner]; !c.bases.nothing() || !c.meta.nothing() {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}

// moved looks at rename, replace, copy and move of what is not known: of a path they have one
// argument, of text, a date or a table another number, or names for them.
func (p *python) moved(i int, name string, args *arguments) {
	_, target := (&arguments{named: args.named}).get(-1, "target")
	one := len(args.positional) == 1 && len(args.named) == 0 || target || args.splat && slices.Contains(p.strayed, pathClass)
	if (name == "rename" || name == "replace" || name == "copy" || name == "move") && one && p.atHand("pathlib") {
		p.mention(i, symbol("pathlib.Path."+name), usage{how: analyze.HowCall, args: args})
	}
}

// rewrites looks at what a class has under names by which the library asks how to copy
// an object, and which annotations it has.
func (p *python) rewrites(i int, name string, v value) {
	p.offered(i, name, v)
	p.hooks(i, name, v)
	p.givenClassOf(i, name, v)
	if slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomFunction }) {
		p.tells(i, name, v) // what is assigned was seen when it was
	}
	switch name {
	case "__del__":
		if v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomFunction && a.kind != atomNone }) {
			p.dynamicAt(analyze.DynamicAttribute, i) // which is called at any moment
		}
	case "__traceback__", "__cause__", "__context__": // where an exception has been, as it says itself
		p.dynamicAt(analyze.DynamicFrame, i)
	case "__getattr__":
		if p.readsTrees() { // whose functions ask for _fields
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case "__module__":
		p.marks(&p.typedElsewhere, true)
	case "__wrapped__":
		p.marks(&p.typedElsewhere, slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomSymbol }))
	case "__dict__":
		p.dynamicAt(analyze.DynamicAttribute, i) // functools.update_wrapper puts another object's into it
	case "__signature__", "__text_signature__":
		p.dynamicAt(analyze.DynamicCode, i) // text, which inspect evaluates
	case "__doc__":
		p.signs(i, v)
		if v.open() || hasPrefixAtom(v) {
			p.dynamicAt(analyze.DynamicCode, i)
		}
	case "__reduce__", "__reduce_ex__":
		p.dynamicAt(analyze.DynamicAttribute, i) // a copy is what they say, with the attributes they say
	case annotations, "__annotate__":
		if v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomContainer }) {
			p.dynamicAt(analyze.DynamicCode, i) // a decorator or a metaclass may have made a dictionary of a class
		}
		p.annotated(i, v)
	case "__new__", "__init__":
		if s := p.unit.scopes[i]; s != nil && p.atHand("dataclasses") && p.makesClasses(s.owner) {
			p.dynamicAt(analyze.DynamicCode, i) // a dataclass of it pastes what it put among the annotations into text
		}
	}
}

// makesClasses tells whether objects of class n of the program are classes.
func (p *python) makesClasses(n int) bool {
	return p.isBelow(n, makesClass)
}

// makesClass tells whether objects of a class of the library are classes.
func makesClass(class string) bool {
	return class == "builtins.type" || strings.HasSuffix(class, "Meta") || class == "enum.EnumType"
}

// madeBy looks at a metaclass that is a function: it can change what the class has.
func (p *python) madeBy(i int, meta value) {
	if p.atHand("dataclasses") && (meta.open() || slices.ContainsFunc(meta.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomGetter })) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// prepares looks at a metaclass that is an object: asked for __prepare__, it may have an answer
// that nobody sees, and names in the body of the class mean what that says.
func (p *python) prepares(i int, meta value) {
	if meta.open() && p.answers() {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// dispatching evaluates functools.singledispatch: what is registered with it says by
// its annotations for which class it is, and text among them is evaluated.
func dispatching(p *python, i int, args *arguments) value {
	if !p.dispatches && p.quiet == 0 {
		p.dispatches, p.changed = true, true
	}
	if p.dispatchesMethods && p.spread && p.quiet == 0 {
		p.letGo() // by an attribute under a name that nobody sees, as dispatch
	}
	return identity(p, i, args)
}

// registered looks at what register is given without a class: a function whose
// annotations stand in front of it, as a decorator gets one, and name types, is known.
func (p *python) registered(i int, name string, args *arguments, decorator bool) {
	if name != "register" || !p.dispatches || len(args.positional) > 1 {
		return
	}
	v := args.arg(0)
	known := len(v.atoms) > 0 && !v.open()
	for _, a := range v.atoms {
		known = known && (a.kind == atomClass || a.kind == atomSymbol || a.kind == atomFunction && decorator && p.typed(p.functions[a.n]))
	}
	if !known && !p.asksType(i) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// typed tells whether every annotation of f is made of nothing but names of types: what
// else comes to text is evaluated, and so is what that comes to.
func (p *python) typed(f function) bool {
	t := p.unit.tree
	if f.unit != p.unit {
		return false
	}
	if typ := t.Child(f.node, returnTypeField); typ != analyze.NoNode && !p.namesTypes(typ) {
		return false
	}
	list := t.Child(f.node, parametersField)
	if list == analyze.NoNode {
		return true
	}
	for c := t.FirstNamed(list); c != analyze.NoNode; c = t.NextNamed(c) {
		if typ := t.Child(c, typeField); typ != analyze.NoNode && !p.namesTypes(typ) {
			return false
		}
	}
	return true
}

// namesTypes tells whether an annotation is made of nothing but names of types.
func (p *python) namesTypes(i int) bool {
	return p.madeOfTypes(i, func(i int) bool {
		t := p.unit.tree
		switch t.Kind(i) {
		case kindString, kindConcatenatedString:
			text, ok := p.literal(i).str()
			v := p.runText(i, text, true)
			return ok && (v.nothing() || isType(v)) // nothing until it is walked
		case kindIdentifier, kindAttribute, kindMemberType:
			return isType(p.glance(i))
		case kindSubscript, kindGenericType:
			return !p.own["__class_getitem__"] && !p.own["__getitem__"] && p.allBelow(i, p.namesTypes)
		}
		return false
	})
}

// isType tells whether v is nothing but classes of the program, and what has the name of
// a class in the library.
func isType(v value) bool {
	return !v.open() && !v.nothing() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomClass && a.kind != atomNone && (a.kind != atomSymbol || !namesClass(a.text))
	})
}

// namesClass tells whether a symbol is named as a class is. A constant, such as those of
// asyncio, may be text, which names whatever the program calls so.
func namesClass(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch last {
	case "int", "float", "complex", "bool", "str", "bytes", "bytearray", "memoryview", "list", "tuple", "dict", "set", "frozenset", "range", "slice", "type", "object",
		"date", "datetime", "time", "timedelta", "tzinfo", "timezone", "deque", "defaultdict", "array", "ndarray", "partial", "UUID", "ABC":
		return true
	}
	return last != "" && unicode.IsUpper(rune(last[0])) && strings.ToUpper(last) != last
}

// asksType tells whether the first argument of call i is type(x).
func (p *python) asksType(i int) bool {
	t := p.unit.tree
	list := t.Child(i, argumentsField)
	if t.Kind(i) != kindCall || list == analyze.NoNode {
		return false
	}
	c := t.FirstNamed(list)
	if c == analyze.NoNode || t.Kind(c) != kindCall {
		return false
	}
	f := t.Child(c, functionField)
	if f == analyze.NoNode || t.Kind(f) != kindIdentifier {
		return false
	}
	a, ok := p.variable(f).single()
	return ok && a == atom{kind: atomSymbol, text: "builtins.type"}
}

// parsedInto looks at the object that argparse gives attributes to, by the names of
// arguments: one of its own as a rule.
func (p *python) parsedInto(i int, name string, args *arguments) {
	if !p.atHand("argparse") || !strings.HasPrefix(name, "parse_") || !strings.HasSuffix(name, "_args") {
		return
	}
	if into, ok := args.get(1, "namespace"); ok && !into.isNone() {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}
