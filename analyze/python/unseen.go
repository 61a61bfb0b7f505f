package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// The library puts attributes on objects under names that stand nowhere beside them (what
// a copy restores, keywords, what a parser was told to fill in), and reads attributes by
// names that the program keeps somewhere (fields of records and of trees, slots, format
// fields). With such a name a program reaches what it may not name. The ways are here, and in
// parsers.go, makers.go, putaway.go and doers.go.

// abstract tells whether a class of the library says only what its subclasses are, and
// has nothing in it that a program could get hold of.
func abstract(class string) bool {
	switch top, _, _ := strings.Cut(class, "."); top {
	case "abc", "typing", "enum", "builtins", "collections", "numbers", "types":
		return class != "types.SimpleNamespace"
	}
	return false
}

// outside tells whether class n comes from a class of the library that is more than
// abstract, and is none of those that are passed over.
func (p *python) outside(n int, but func(class string) bool) bool {
	return p.isBelow(n, func(class string) bool { return !abstract(class) && !but(class) })
}

// namespaceLike tells whether objects of a class of the library take any attributes as
// keywords.
func namespaceLike(class string) bool {
	return class == "argparse.Namespace" || class == "types.SimpleNamespace" || strings.HasPrefix(class, "ast.")
}

// restored tells whether objects of a class get their attributes from a document.
func restored(class string) bool { return class == "yaml.YAMLObject" }

func ofEstimator(class string) bool { return strings.HasPrefix(class, "sklearn.") }

// keyed tells whether an object of a class is a dictionary whose keys are attributes.
func keyed(class string) bool { return class == "scipy.optimize.OptimizeResult" }

// has tells whether class n, or one of the program's above it, has a name in its body.
func (p *python) has(n int, name string) bool {
	return slices.ContainsFunc(p.chain(n), func(k int) bool {
		_, ok := p.classes[k].scope.vars[name]
		return ok
	})
}

// answers tells whether objects of the program may have attributes that nobody sees.
func (p *python) answers() bool {
	return p.spread || p.own["__getattr__"] || p.own["__getattribute__"]
}

// spreads notes that the program makes objects whose attributes have names of which not
// all are seen.
func (p *python) spreads() {
	if p.quiet == 0 && !p.spread {
		p.spread, p.changed = true, true
	}
}

// putsAttributes tells whether the dictionary of attributes that node i gives is more than read there.
func (p *python) putsAttributes(i int) bool {
	t := p.unit.tree
	if up := t.Parent(i); up != analyze.NoNode && t.Kind(up) == kindAttribute && t.Child(up, attributeField) == i {
		i = up
	}
	up := t.Parent(i)
	switch t.Kind(up) {
	case kindAttribute:
		switch p.identifier(t.Child(up, attributeField)) {
		case "items", "keys", "values", "get", "copy", "pop":
			return false
		}
		return true
	case kindSubscript:
		over := t.Parent(up)
		return t.Child(up, valueField) == i && (t.Kind(over) == kindAssignment || t.Kind(over) == kindAugmentedAssignment) && t.Child(over, leftField) == up
	case kindComparisonOperator, kindDictionarySplat, kindInterpolation, kindReturnStatement, kindForStatement, kindForInClause, kindIfStatement, kindNotOperator, kindBooleanOperator:
		return false
	case kindArgumentList:
		fn := p.look(t.Child(t.Parent(up), functionField))
		return !slices.ContainsFunc(fn.atoms, func(a atom) bool {
			return a.text == "builtins.dict" || a.text == "builtins.list" || a.text == "builtins.sorted" || p.tables.pure[a.text]
		})
	}
	return true
}

// mixes looks at a class as a whole: what it has from the library, with what it adds.
func (p *python) mixes(i, n int) {
	c := p.classes[n]
	p.lendsBelow(n)
	p.keepsFor(i, n)
	p.comparedBy(n)
	p.namedByMaker(i, n)
	p.sharesPrivate(i, n)
	if p.foreign(n) {
		p.bringsAnswers()
	}
	if p.isBelow(n, namespaceLike) && (c.bases.open() || p.outside(n, namespaceLike) || p.isBelow(n, doesAsTold)) {
		p.dynamicAt(analyze.DynamicAttribute, i) // its keywords are attributes of the other
	}
	if p.isBelow(n, keyed) {
		p.spreads()
	}
	if p.isBelow(n, ofEstimator) && p.outside(n, ofEstimator) { // set_params puts what it is given on the other
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	if p.isBelow(n, restored) { // a document says which attributes its objects have
		p.spreads()
		if c.bases.open() || p.outside(n, restored) || p.atHand("numpy") { // which asks an object where its memory is
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
	if p.has(n, "parse") && (p.isBelow(n, func(class string) bool { return class == "string.Formatter" }) || c.bases.open() && p.formatting) {
		p.dynamicAt(analyze.DynamicFormat, i) // which attributes its fields read
	}
	if p.has(n, "__getattr__") && p.isBelow(n, func(class string) bool { return class == "argparse.ArgumentParser" }) {
		p.dynamicAt(analyze.DynamicAttribute, i) // by what options begin
	}
	if p.has(n, "process") && p.answers() && p.isBelow(n, func(class string) bool { return class == "logging.LoggerAdapter" }) {
		p.dynamicAt(analyze.DynamicFrame, i) // it says what has happened
	}
	if p.has(n, "exceptions") && p.isBelow(n, func(class string) bool { return strings.HasSuffix(class, "ExceptionGroup") }) {
		p.dynamicAt(analyze.DynamicFrame, i) // where they have been, they say themselves
	}
	if p.has(n, "__set_name__") && p.isBelow(n, func(class string) bool { return class == "functools.cached_property" || class == "enum.property" }) {
		p.dynamicAt(analyze.DynamicAttribute, i) // which says under what name it keeps what it found
	}
	if p.isBelow(n, ofCodec) || p.isBelow(n, endsBy) {
		p.dynamicAt(analyze.DynamicAttribute, i) // its objects are made with whatever is given, which nobody sees as that
	}
	if p.isBelow(n, func(class string) bool {
		return class == "argparse.ArgumentParser" || strings.HasSuffix(class, "HelpFormatter")
	}) {
		p.acting()
		for _, id := range c.scope.ids { // its methods are given actions
			for _, a := range p.vars[id].value.atoms {
				if a.kind != atomFunction {
					continue
				}
				for k, param := range p.functions[a.n].params {
					if k > 0 && param.form == plainParameter {
						p.assign(param.variable, one(action))
					}
				}
			}
		}
	}
	if p.isBelow(n, func(class string) bool {
		return class == "builtins.ImportError" || class == "builtins.ModuleNotFoundError"
	}) && !p.missing && p.quiet == 0 {
		p.missing, p.changed = true, true
	}
	for _, a := range c.meta.atoms { // dataclasses asks classes for fields
		if a.kind == atomClass && p.atHand("dataclasses") && (p.has(int(a.n), "__getattr__") || p.has(int(a.n), "__getattribute__")) {
			p.dynamicAt(analyze.DynamicCode, i)
		}
	}
	if p.isBelow(n, func(class string) bool { return class == "builtins.str" || class == "collections.UserString" }) && slices.ContainsFunc(p.chain(n), func(k int) bool {
		return slices.Contains(p.classes[k].annotated, "format") || slices.Contains(p.classes[k].annotated, "format_map")
	}) {
		p.dynamicAt(analyze.DynamicTemplate, i) // as a field, which is the method
	}
	if !p.outside(n, func(string) bool { return false }) {
		return
	}
	if c.bases.open() { // a named tuple, of which the fields are read, or what takes keywords
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	if p.atHand("copy") && p.has(n, "__getattr__") { // which older versions of Python ask for __getstate__
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	p.fieldsRead(i, n)
}

// annotates notes a name that is annotated in the body of a class.
func (p *python) annotates(i int) {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindIdentifier || p.scope == nil || p.scope.kind != classScope {
		return
	}
	c, name := &p.classes[p.scope.owner], p.identifier(i)
	if name == keyOfMemory {
		p.optioned(i, name, anything())
	}
	if p.quiet == 0 && !slices.Contains(c.annotated, name) {
		c.annotated, p.changed = append(c.annotated, name), true
	}
}

// puts looks at an attribute that is assigned to: a private one is the library's where it
// has one of that name, and the object is not plainly the program's own.
func (p *python) puts(i int, object value, name string) {
	if p.quiet > 0 || !p.isPrivate(name) || p.stdlib.Private[name] == nil {
		return
	}
	if slices.ContainsFunc(object.atoms, func(a atom) bool {
		return a.kind == atomInstance && strings.Contains(p.stdlib.Inner[a.text], " "+name+" ")
	}) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	if slices.ContainsFunc(p.strayed, func(class string) bool { return strings.Contains(p.stdlib.Inner[class], " "+name+" ") }) {
		p.dynamicAt(analyze.DynamicAttribute, i) // the object may be that one
		return
	}
	t := p.unit.tree
	at := analyze.NoNode
	if t.Kind(i) == kindAttribute {
		at = t.Child(i, attributeField)
	}
	if at == analyze.NoNode || !p.ofSelf(at, name) {
		for _, a := range object.atoms {
			if a.kind == atomClass {
				p.keepsPut(int(a.n), name)
			}
			if a.kind == atomClass && p.fromLibrary(int(a.n), name) {
				p.dynamicAt(analyze.DynamicAttribute, i)
			}
		}
		if slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind != atomClass }) || object.open() {
			p.privates = append(p.privates, privateName{name, p.span(i), slices.ContainsFunc(p.stdlib.Private[name], func(module string) bool { return p.atHand(module) })})
		}
		return
	}
	if s := p.scope.class(); s != nil {
		p.keepsPut(s.owner, name)
	}
}

// keepsPut notes a private name that is assigned to on class n or its objects.
func (p *python) keepsPut(n int, name string) {
	if c := &p.classes[n]; !slices.Contains(c.puts, name) {
		c.puts, p.changed = append(c.puts, name), true
	}
}

// sharesPrivate looks at a class that comes from one of the library and from others of the
// program: what these assign to may be what the library keeps for itself.
func (p *python) sharesPrivate(i, n int) {
	above := p.chain(n)
	hidden := slices.ContainsFunc(above, func(k int) bool { return p.classes[k].bases.open() }) // it may come from any class
	asks := slices.ContainsFunc(above, func(k int) bool { return p.classes[k].asks })
	for name := range p.askedOfSelf {
		if asks && (p.fromLibrary(n, name) || hidden && p.libraryHas(name)) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
	for _, k := range above {
		if k == n {
			continue
		}
		names := slices.Clone(p.classes[k].puts)
		names = append(names, p.classes[k].annotated...)
		for _, id := range p.classes[k].scope.ids {
			if a, ok := p.vars[id].value.single(); !ok || a.kind != atomFunction {
				names = append(names, p.vars[id].name)
			}
			names = append(names, p.slots(id)...)
		}
		if slices.ContainsFunc(names, func(name string) bool {
			return p.isPrivate(name) && (p.fromLibrary(n, name) || hidden && p.libraryHas(name))
		}) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
}

// libraryHas tells whether a class of the library that may be at hand has a private name.
func (p *python) libraryHas(name string) bool {
	return slices.ContainsFunc(p.stdlib.Private[name], p.atHand)
}

// slots are the names in __slots__, where variable id is that.
func (p *python) slots(id int) (names []string) {
	if p.vars[id].name != "__slots__" {
		return nil
	}
	for _, a := range p.elements(p.vars[id].value).atoms {
		names = append(names, a.text)
	}
	return names
}

// madeBelow looks at the bases of a class that is made by a call: what the class adds to
// one of the library is not looked at as a whole.
func (p *python) madeBelow(i int, bases value) {
	p.marks(&p.madeOfOthers, p.elements(bases).open())
	for _, a := range p.elements(bases).atoms {
		if a.kind == atomSymbol && p.quiet == 0 && !slices.Contains(p.madeBases, a.text) {
			p.madeBases, p.changed = append(p.madeBases, a.text), true
		}
		if p.beyond() && (a == atom{kind: atomSymbol, text: "builtins.str"} || a.kind == atomClass && p.mayBeText(p.classes[a.n])) {
			p.dynamicAt(analyze.DynamicAttribute, i) // it may have methods by which it passes for another text
		}
		if a.kind == atomSymbol && !abstract(a.text) || a.kind == atomClass && p.outside(int(a.n), func(string) bool { return false }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// fieldsRead looks at names that are annotated in class n and those above it: dataclasses,
// patterns and functions of ast read them, and may find what the library has there.
func (p *python) fieldsRead(i, n int) {
	for _, k := range p.chain(n) {
		for _, name := range p.classes[k].annotated {
			p.getsFromAnything(i, []value{stringValue(name)})
		}
	}
}

// states tells whether what __getstate__ returns holds nothing but names that are seen
// and mean nothing to the library.
func (p *python) states(v value, deep int) bool {
	if deep == 0 || v.open() {
		return false
	}
	for _, a := range v.atoms {
		switch {
		case a.kind == atomFunction:
			if !p.states(p.functions[a.n].result, deep-1) {
				return false
			}
		case a.kind == atomContainer && p.containers[a.n].kind == mapping:
			if !p.plainKeys(a.n) {
				return false
			}
		case a.kind == atomContainer:
			for _, item := range append(slices.Clone(p.containers[a.n].list), p.containers[a.n].rest) {
				held := value{flags: item.flags &^ worked}
				for _, b := range item.atoms {
					if b.kind == atomContainer {
						held.atoms = append(held.atoms, b)
					}
				}
				if !p.states(held, deep-1) {
					return false
				}
			}
		case !a.constant():
			return false
		}
	}
	return true
}

// plainKeys tells whether container n is a dictionary of which all keys are seen, and
// none is private, or special otherwise than those of a class may be.
func (p *python) plainKeys(n int64) bool {
	c := p.containers[n]
	if c.kind != mapping || !c.rest.nothing() || !c.keys.nothing() || c.escaped && c.code {
		return false
	}
	return !slices.ContainsFunc(c.keyed, func(key atom) bool {
		return key.kind == atomString && (p.isPrivate(key.text) && p.stdlib.Private[key.text] != nil || p.tables.meant[key.text].symbol != "" || p.isSpecial(key.text))
	})
}

// hooks looks at a name of a class, or of an object, by which the library does something
// with others.
func (p *python) hooks(i int, name string, v value) {
	switch name {
	case "__getstate__":
		if s := p.unit.scopes[i]; s != nil && s.kind == classScope && p.has(s.owner, "__setstate__") {
			return // it is data to the program itself
		}
		if len(v.atoms) == 0 || !p.states(value{atoms: v.atoms}, 4) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	case "__slots__":
		p.slotted(i, v)
	case "__getattribute__":
		p.dynamicAt(analyze.DynamicAttribute, i) // it answers before all that is there
	case "formatter":
		p.keepsFormatter(i, v)
	case "makeRecord":
		p.givesRecord(i, v)
	case "filter":
		s := p.unit.scopes[i]
		if p.asked["addFilter"] || s != nil && s.kind == classScope && p.isBelow(s.owner, func(class string) bool { return strings.HasPrefix(class, "logging.") }) {
			p.givesRecord(i, v)
		}
	case "__prepare__":
		p.dynamicAt(analyze.DynamicAttribute, i) // it chooses what a class has, whatever its body says
	case "help":
		if p.atHand("argparse") && p.own["__mod__"] && v.open() {
			p.dynamicAt(analyze.DynamicAttribute, i) // it gets all that the object has
		}
	case "attrname":
		if p.atHand("functools") { // of a cached property: what it finds in the dictionary of an object
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case "dispatcher":
		if p.dispatches { // of a method that dispatches: what it asks by the class of an object
			p.dynamicAt(analyze.DynamicClass, i)
		}
	}
}

// telling are names by which an object says what the library takes it for: a frame, the
// fields of a class, the slots of which a copy is made, the module that an exception
// misses, which is imported again to see what it has, and what finds the tests of a module.
func (p *python) telling(i int, name string) {
	switch name {
	case "co_filename", "f_code", "tb_frame":
		p.dynamicAt(analyze.DynamicFrame, i)
	case "__slotnames__":
		p.dynamicAt(analyze.DynamicMember, i)
	case "__dataclass_fields__", "__dataclass_params__":
		p.dynamicAt(analyze.DynamicCode, i)
	case "_asyncio_future_blocking", "_is_protocol": // a future, and a protocol
		p.dynamicAt(analyze.DynamicAttribute, i)
	case "name_from":
		p.dynamicAt(analyze.DynamicImport, i)
	case "loadTestsFromModule", "loadTestsFromName", "loadTestsFromNames":
		if p.atHand("unittest") { // which gives it the module that the program is
			p.dynamicAt(analyze.DynamicNamespace, i)
		}
	}
}

// namesFields looks at what namedtuple and its like are given as the names of fields.
func (p *python) namesFields(i int, names value) {
	if names.open() || hasPrefixAtom(names) || names.flags != 0 {
		p.spreads()
	}
	for _, a := range names.atoms {
		switch a.kind {
		case atomString:
			for name := range strings.FieldsFuncSeq(a.text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
				p.namesField(i, name)
			}
		case atomContainer:
			each := p.elements(one(a))
			if each.open() || hasPrefixAtom(each) {
				p.spreads()
			}
			for _, b := range each.atoms {
				switch b.kind {
				case atomString:
					p.namesField(i, b.text)
				case atomContainer: // a name and a type
					first := p.containers[b.n].get(intValue(0))
					if first.flags != 0 {
						p.spreads()
					}
					for _, c := range first.atoms {
						p.namesField(i, c.text)
					}
				}
			}
		}
	}
}

// namesFieldsOf evaluates what makes a class of the names of its fields.
func namesFieldsOf(position int, keyword string) intrinsic {
	return func(p *python, i int, args *arguments) value {
		names, given := args.get(position, keyword)
		p.namesFields(i, names)
		p.namesTuple(i, names)
		for _, v := range args.named { // of typing.NamedTuple, a field each
			p.namesField(i, v.name)
		}
		if args.spread && !given {
			p.spreads()
		}
		for _, v := range args.all() {
			p.escape(v)
		}
		return anything()
	}
}

// wrapsOther tells whether a function of the library gives one object what another is called,
// and makes the other its own.
func wrapsOther(name string) bool {
	return name == "functools.wraps" || name == "functools.update_wrapper"
}

// copiesAttributes looks at what functools.update_wrapper and wraps copy without being
// asked to: all that one object has in its own dictionary.
func (p *python) copiesAttributes(i int, from, to value) {
	p.marks(&p.typedElsewhere, slices.ContainsFunc(from.atoms, func(a atom) bool { return a.kind == atomSymbol }))
	for _, a := range from.atoms {
		last := a.text[strings.LastIndexByte(a.text, '.')+1:]
		if a.kind == atomNamespace || a.kind == atomSymbol && (p.stdlib.Modules[a.text] || last != "" && last[0] >= 'A' && last[0] <= 'Z') {
			p.dynamicAt(analyze.DynamicMember, i)
			return
		}
	}
	if a, ok := to.single(); ok && a.kind == atomFunction || p.decoratesFunction(i) {
		return
	}
	if from.open() && (len(p.escaped) > 0 || p.answers()) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	for _, a := range from.atoms {
		if a.kind != atomFunction && a.kind != atomClass && a.kind != atomNone && a.kind != atomGiven {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
}

// decoratesFunction tells whether the call at i decorates a function of the program.
func (p *python) decoratesFunction(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	return up != analyze.NoNode && t.Kind(up) == kindDecorator && t.Child(t.Parent(up), definitionField) != analyze.NoNode &&
		t.Kind(t.Child(t.Parent(up), definitionField)) == kindFunctionDefinition
}

// recordsOf looks at dictionaries of which the entries become attributes of a record of
// logging, or of what a function of the program says is one.
func (p *python) recordsOf(i int, v value) {
	if p.plainMapping(v) {
		return
	}
	p.spreads()
	if p.records || p.recordsSeen() && (p.asking || p.appends && p.begun) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// showsStack evaluates traceback.print_stack and format_stack: a frame that they are
// given says itself which file it is of.
func showsStack(p *python, i int, args *arguments) value {
	if f, ok := args.get(0, "f"); ok && !f.isNone() {
		p.dynamicAt(analyze.DynamicFrame, i)
	}
	for _, v := range args.all() {
		p.escape(v)
	}
	return anything()
}

// contextual looks at what a loop of asyncio is told of an exception: it shows where that
// has been, and lists of lines of files besides.
func (p *python) contextual(i int, name string, args *arguments) {
	if name != "call_exception_handler" && name != "default_exception_handler" || !p.atHand("asyncio") {
		return
	}
	v := value{}
	for _, given := range args.all() {
		v = v.join(given)
	}
	for _, a := range v.atoms {
		if a.kind != atomContainer {
			continue
		}
		if !p.plainKeys(a.n) {
			p.dynamicAt(analyze.DynamicFrame, i)
			return
		}
		for _, key := range p.containers[a.n].keyed {
			held := p.containers[a.n].dict[key]
			if strings.HasSuffix(key.text, "_traceback") || key.text == "exception" && !held.isCaught() && p.answers() {
				p.dynamicAt(analyze.DynamicFrame, i)
			}
			if key.text == "exception" && !held.isCaught() && p.toldOfErrors() {
				p.letGo() // its class
			}
		}
	}
	if v.open() && !p.handsContext(i) {
		p.dynamicAt(analyze.DynamicFrame, i)
	}
}

// handsContext tells whether the call at i hands on the context that asyncio gave to a
// handler of the program, which only reads it.
func (p *python) handsContext(i int) bool {
	t, s := p.unit.tree, p.scope
	if t.Kind(i) != kindCall || s == nil || s.kind != functionScope || p.functions[s.owner].called {
		return false
	}
	f := p.functions[s.owner]
	given := t.FirstNamed(t.Child(i, argumentsField))
	if f.unit != p.unit || given == analyze.NoNode || t.Kind(given) != kindIdentifier || t.NextNamed(given) != analyze.NoNode || len(f.params) == 0 {
		return false
	}
	last := f.params[len(f.params)-1].variable
	return p.variableAt(given) == last && p.onlyAsked(f.node, last)
}

// onlyAsked tells whether the parameter of function node is used for nothing but get,
// constant keys and as an argument.
func (p *python) onlyAsked(node, parameter int) bool {
	t := p.unit.tree
	for j := node; j < t.After(node); j++ {
		if t.Kind(j) != kindIdentifier || p.identifier(j) != p.vars[parameter].name {
			continue
		}
		switch up := t.Parent(j); t.Kind(up) {
		case kindParameters, kindTypedParameter, kindArgumentList, kindInterpolation:
		case kindAttribute:
			if t.Child(up, attributeField) == analyze.NoNode || p.identifier(t.Child(up, attributeField)) != "get" && t.Child(up, attributeField) != j {
				return false
			}
		case kindSubscript:
			if k := t.Kind(t.Parent(up)); (k == kindAssignment || k == kindAugmentedAssignment || k == kindDeleteStatement) && t.Child(t.Parent(up), rightField) != up {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// givesRecord looks at functions in v, of which logging takes what they give for a record where it is no truth value: one that
// answers any name says what has happened, and where.
func (p *python) givesRecord(i int, v value) {
	if p.quiet > 0 || !p.atHand("logging") || !p.answers() {
		return
	}
	for _, a := range v.atoms {
		if a.kind != atomFunction {
			continue
		}
		result := p.functions[a.n].result
		if result.flags&^given != 0 || slices.ContainsFunc(result.atoms, func(a atom) bool {
			return a.kind != atomGiven && a.kind != atomNone && a.kind != atomBool && !a.number()
		}) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// recording notes that the program says what a record of logging is.
func (p *python) recording() {
	if p.quiet == 0 && !p.records {
		p.records, p.changed = true, true
	}
}
