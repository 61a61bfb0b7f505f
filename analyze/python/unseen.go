package python

import (
	"slices"
	"strings"
	"unicode"

	"sallyport/analyze"
)

// The library puts attributes on objects under names that stand nowhere beside them (what
// a copy restores, keywords, what a parser was told to fill in), and reads attributes by
// names that the program keeps somewhere (fields of records and of trees, slots, format
// fields). With such a name a program reaches what it may not name. Each way is here.

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

// mixes looks at a class as a whole: what it has from the library, with what it adds.
func (p *python) mixes(i, n int) {
	c := p.classes[n]
	p.lendsBelow(n)
	p.keepsFor(i, n)
	p.comparedBy(n)
	p.namedByMaker(i, n)
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
	p.sharesPrivate(i, n)
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
	if p.quiet > 0 || !p.isPrivate(name) || p.stdlib.private[name] == nil {
		return
	}
	if slices.ContainsFunc(object.atoms, func(a atom) bool {
		return a.kind == atomInstance && strings.Contains(p.stdlib.inner[a.text], " "+name+" ")
	}) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	if slices.ContainsFunc(p.strayed, func(class string) bool { return strings.Contains(p.stdlib.inner[class], " "+name+" ") }) {
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
			p.privates = append(p.privates, privateName{name, p.span(i), slices.ContainsFunc(p.stdlib.private[name], func(module string) bool { return p.atHand(module) })})
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
	for _, k := range p.chain(n) {
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
		if slices.ContainsFunc(names, func(name string) bool { return p.isPrivate(name) && p.fromLibrary(n, name) }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
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
	for _, a := range p.elements(bases).atoms {
		if a.kind == atomSymbol && p.quiet == 0 && !slices.Contains(p.madeBases, a.text) {
			p.madeBases, p.changed = append(p.madeBases, a.text), true
		}
		if a.kind == atomSymbol && !abstract(a.text) || a.kind == atomClass && p.outside(int(a.n), func(string) bool { return false }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// fills looks at the name under which a parser puts on an object what it finds, and what a
// function of the program made of that.
func (p *python) fills(i int, args *arguments) {
	names := args.positional
	if dest, ok := args.get(-1, "dest"); ok {
		names = append(names[:len(names):len(names)], dest)
	}
	if args.splat {
		p.spreads()
	}
	for _, v := range names {
		p.destined(i, v)
	}
	p.copied(i, names, args)
}

// copied looks at names of arguments whose values the program makes, by a type or an action: copy may ask
// for what is under one that nobody sees, as for __reduce_ex__.
func (p *python) copied(i int, names []value, args *arguments) {
	_, typ := args.get(-1, "type")
	_, acts := args.get(-1, "action")
	if (p.atHand("ast") || (typ || acts) && p.atHand("copy")) && slices.ContainsFunc(names, p.unknownName) {
		p.dynamicAt(analyze.DynamicAttribute, i) // as _fields, say
	}
}

// destinations are the names of attributes that a parser may make of the name of an argument: it
// takes off what the program says options begin with, which is a minus where it says nothing.
func destinations(name string) []string {
	out := []string{name}
	for end, r := range name {
		if !strings.ContainsRune(name[:end], r) && (end > 0 || ofName(r)) {
			out = append(out, strings.ReplaceAll(name[end:], "-", "_"))
		}
		if ofName(r) {
			break
		}
	}
	return out
}

// ofName tells whether a sign may stand in a name.
func ofName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// beginsOptions looks at the signs by which options begin: such as may stand in a name are taken
// off what it begins with, and what is left nobody sees.
func (p *python) beginsOptions(i int, v value) {
	if !p.atHand("argparse") || v.isNone() {
		return
	}
	if v.open() || v.flags&worked != 0 || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomString || strings.ContainsFunc(a.text, ofName)
	}) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// destined looks at names under which a parser puts values on an object.
func (p *python) destined(i int, names value) {
	made := value{flags: names.flags}
	for _, a := range names.atoms {
		if a.kind == atomString {
			p.destinedSpecial(i, a.text)
		}
		for _, name := range destinations(a.text) {
			a.text = name
			made.atoms = append(made.atoms, a)
			if a.kind != atomString {
				continue
			}
			p.telling(i, name)
			if name == "_fields" || name == "_attributes" {
				p.tells(i, name, anything())
			}
		}
	}
	answered := slices.ContainsFunc(names.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomGetter || a.kind == atomClass })
	if answered && p.atHand("ast") {
		p.dynamicAt(analyze.DynamicMember, i) // as _fields
	}
	if answered || p.unknownName(made) || names.flags&worked != 0 {
		p.spreads()
	}
}

// destinedAnew looks at the name under which an action of a parser puts a value, put there once it is made:
// what the value is, its type has said elsewhere.
func (p *python) destinedAnew(i int, object, names value) {
	t := p.unit.tree
	if !p.atHand("argparse") || !p.atHand("copy") || !object.has(action) && !object.open() {
		return
	}
	if t.Kind(i) == kindAttribute && p.ofSelf(t.Child(i, attributeField), "dest") {
		return
	}
	if p.unknownName(names) || names.flags&worked != 0 {
		p.dynamicAt(analyze.DynamicAttribute, i) // as __reduce_ex__, for which copy asks
	}
}

// makesActions notes that what makes actions of a parser is handed on.
func (p *python) makesActions(name string) {
	if (name == "add_argument" || name == "add_subparsers") && p.atHand("argparse") {
		p.acting()
		p.marks(&p.appends, true)
		p.marks(&p.begun, true)
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
		return key.kind == atomString && (p.isPrivate(key.text) && p.stdlib.private[key.text] != nil || p.tables.meant[key.text].symbol != "" || p.isSpecial(key.text))
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
	for _, a := range from.atoms {
		last := a.text[strings.LastIndexByte(a.text, '.')+1:]
		if a.kind == atomNamespace || a.kind == atomSymbol && (p.stdlib.modules[a.text] || last != "" && last[0] >= 'A' && last[0] <= 'Z') {
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

// action is what a parser of arguments keeps for each of them: called, it puts a value
// under the name that the program chose on the object that the program gives it.
var action = atom{kind: atomInstance, text: "argparse.Action"}

// acting notes that an action of a parser may be anywhere.
func (p *python) acting() {
	if p.quiet == 0 && !p.acts {
		p.acts, p.changed = true, true
	}
}

// acted looks at a call of callee, which may be an action, and of name, which may call one.
func (p *python) acted(i int, callee value, args *arguments) {
	if callee.has(action) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	own := slices.ContainsFunc(callee.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomClass })
	if callee.open() && !own && !p.superMethod(i) {
		p.handsAction(i, "", args)
	}
	known := len(args.positional)
	for _, v := range args.named {
		if v.name == "parser" || v.name == "namespace" || v.name == "values" {
			known++
		}
	}
	if !p.acts || !callee.open() || known < 3 && !args.splat || own || slices.ContainsFunc(callee.atoms, func(a atom) bool { return strings.HasSuffix(a.text, ".add_argument") }) {
		return
	}
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return
	}
	fn := t.Child(i, functionField)
	if fn != analyze.NoNode && t.Kind(fn) == kindAttribute && t.Child(fn, attributeField) != analyze.NoNode && p.identifier(t.Child(fn, attributeField)) != "__call__" {
		return
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
}

// superMethod tells whether the call at i is that of a method of super().
func (p *python) superMethod(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return false
	}
	fn := t.Child(i, functionField)
	return fn != analyze.NoNode && t.Kind(fn) == kindAttribute && t.Child(fn, attributeField) != analyze.NoNode && p.ofSuper(t.Child(fn, attributeField))
}

// fillsElsewhere looks at what the call at i is given, where what makes actions of a parser was handed
// on: whatever is called may be that, or call it.
func (p *python) fillsElsewhere(i int, args *arguments) {
	if !p.acts || p.quiet > 0 {
		return
	}
	for _, v := range args.all() {
		for _, each := range []value{v, p.elements(v), p.elements(p.elements(v))} {
			for _, a := range each.atoms {
				if a.kind == atomString {
					p.destinedSpecial(i, a.text)
				}
			}
		}
	}
	p.copied(i, args.positional, args)
}

// destinedSpecial looks at the special names that a parser may make of the name of an argument.
func (p *python) destinedSpecial(i int, argument string) {
	for _, name := range destinations(argument) {
		if strings.HasPrefix(name, "__") {
			p.namesSpecial(i, name)
			p.rewrites(i, name, anything())
		}
	}
}

// handsAction looks at what a function of the library is given: it may call it.
func (p *python) handsAction(i int, name string, args *arguments) {
	if strings.HasPrefix(name, "argparse.") || p.tables.pure[name] || p.tables.onlyHolds[name] && name != "builtins.Exception" || name == "builtins.map" || name == "builtins.filter" || name == "builtins.setattr" {
		return
	}
	for _, v := range args.all() {
		held := slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomContainer && p.containers[a.n].all.has(action) })
		if v.has(action) || held {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
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

// recording notes that the program says what a record of logging is.
func (p *python) recording() {
	if p.quiet == 0 && !p.records {
		p.records, p.changed = true, true
	}
}

// madeOf looks at a call of what is not known with three arguments: type makes a class of
// a name, other classes and a dictionary.
func (p *python) madeOf(i int, args *arguments) {
	if len(args.positional) != 3 {
		return
	}
	bases := p.elements(args.arg(1))
	p.madeBelow(i, args.arg(1))
	if p.makerAway || slices.ContainsFunc(bases.atoms, func(a atom) bool { return a.kind == atomSymbol || a.kind == atomClass }) {
		p.classNamespace(i, args.arg(2))
	}
}

// makesClass tells whether a is type, or a class below it.
func (p *python) makesClass(a atom) bool {
	return a.kind == atomSymbol && (a.text == "builtins.type" || a.text == "abc.ABCMeta" || a.text == "enum.EnumMeta" || a.text == "enum.EnumType") ||
		a.kind == atomClass && p.makesClasses(int(a.n))
}

// inMaker tells whether what is looked at stands in a class that makes classes: which get
// what stands in their bodies.
func (p *python) inMaker() bool {
	s := p.scope.class()
	return s != nil && p.makesClasses(s.owner)
}

// rebases looks at a call of __new__ at i in what makes classes: unless it hands on the bases
// that it was given, the class has others.
func (p *python) rebases(i int) {
	if p.quiet > 0 || p.rebased || !p.inMaker() {
		return
	}
	t, k := p.unit.tree, 0
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		given := c
		if t.Kind(c) == kindListSplat {
			given = t.FirstNamed(c)
		} else if k++; k != 3 {
			continue
		}
		if t.Kind(given) != kindIdentifier || !p.isParameter(p.variableAt(given)) {
			p.rebased, p.changed = true, true
		}
	}
}

// isParameter tells whether a variable is what a function was given, and nothing else.
func (p *python) isParameter(id int) bool {
	x := p.vars[id]
	return x.scope.kind == functionScope && !x.again && slices.ContainsFunc(p.functions[x.scope.owner].params, func(q parameter) bool { return q.variable == id })
}

// handsMaker looks at a call that is given what makes classes, with arguments for it behind:
// as they are, or lists of each.
func (p *python) handsMaker(i int, args *arguments) {
	for k, v := range args.positional {
		if !slices.ContainsFunc(v.atoms, p.makesClass) {
			continue
		}
		if rest := args.positional[k+1:]; len(rest) >= 3 {
			p.madeBelow(i, rest[1].join(p.elements(rest[1])))
			p.classNamespace(i, value{atoms: rest[2].atoms}.join(p.elements(rest[2])))
		} else if args.splat {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// putsMaker notes of what is read at i that it makes classes, where whoever has it may call it.
func (p *python) putsMaker(i int, a atom) {
	t := p.unit.tree
	if a.text != "typing.Type" && !p.makesClass(a) {
		return
	}
	switch up := t.Parent(i); t.Kind(up) {
	case kindComparisonOperator:
		if p.own["__eq__"] || p.own["__ne__"] || p.own["__contains__"] || p.own["__lt__"] || p.own["__gt__"] || p.own["__le__"] || p.own["__ge__"] {
			p.asksForClass(a)
		}
		return
	case kindDecorator:
		return
	case kindArgumentList:
		if call := t.Parent(up); t.Kind(call) == kindCall && (p.isBuiltin(t.Child(call, functionField), "map") || p.isBuiltin(t.Child(call, functionField), "super")) {
			return // it is called there
		}
	}
	p.asksForClass(a)
	if !p.makerAway && a.text != "typing.Type" {
		p.makerAway, p.changed = true, true
	}
}

// spreadInto looks at keywords whose names are not known, for what is one of the classes.
func (p *python) spreadInto(i int, is func(one func(class string) bool) bool) {
	if is(namesAttributes) || is(remakesFields) && p.hasBelow(namespaceLike) {
		p.spreads()
		if p.asksByName() {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
	if is(func(class string) bool {
		return class == "builtins.ImportError" || class == "builtins.ModuleNotFoundError"
	}) {
		p.dynamicAt(analyze.DynamicImport, i) // name_from
	}
	if is(func(class string) bool {
		return strings.HasPrefix(class, "unittest.") && (strings.HasSuffix(class, "TestRunner") || strings.HasSuffix(class, "TestProgram") || strings.HasSuffix(class, ".main"))
	}) {
		p.dynamicAt(analyze.DynamicFrame, i) // tb_locals
	}
}

// putsAway notes what is read without being called and means something by the names of
// its keywords: whoever has it may call it with names that nobody sees.
func (p *python) putsAway(i int, v value) {
	if p.quiet > 0 || p.namesType() || p.catches(i) {
		return
	}
	for _, a := range v.atoms {
		p.putsMaker(i, a)
		p.keptAside(i, a)
		switch a.kind {
		case atomSymbol:
			if class := initOf(a.text); takesNames(class) {
				p.putsNames(i, class)
			}
		case atomClass:
			p.isBelow(int(a.n), func(class string) bool {
				if takesNames(class) {
					p.putsNames(i, class)
				}
				return false
			})
		}
	}
}

func (p *python) putAway(name string) {
	if p.quiet == 0 && !slices.Contains(p.away, name) {
		p.away, p.changed = append(p.away, name), true
	}
}

// putsLogger notes a method of a logger that is read without being called.
func (p *python) putsLogger(name string) {
	switch name {
	case "debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log":
		p.putAway(ofLogger)
	}
}

// ofLogger stands for a method of a logger.
const ofLogger = "logging.Logger.log"

// takesNames tells whether spreadInto looks at a class.
func takesNames(class string) bool {
	return namesAttributes(class) || remakesFields(class) || class == "builtins.ImportError" || class == "builtins.ModuleNotFoundError" ||
		strings.HasPrefix(class, "unittest.") && strings.HasSuffix(class, "TestRunner")
}

// catches tells whether what is read at i is what an except clause catches.
func (p *python) catches(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	for k := t.Kind(up); k == kindTuple || k == kindAsPattern || k == kindParenthesizedExpression; k = t.Kind(up) {
		up = t.Parent(up)
	}
	return t.Kind(up) == kindExceptClause
}

// spreadUnseen looks at keywords whose names are not known, for what is not known either: it
// may be anything that was put away.
func (p *python) spreadUnseen(i int, args *arguments) {
	if args.spread && len(p.away) > 0 {
		p.spreadInto(i, func(one func(class string) bool) bool { return slices.ContainsFunc(p.away, one) })
		if p.atHand("logging") && slices.Contains(p.away, ofLogger) && (p.answers() || p.records) { // exc_info, or extra
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	}
}

// strays notes that an object of a class went where it is not followed, which does what
// its attributes say, or what methods of it do that others call.
func (p *python) strays(class string) {
	switch class {
	case "contextlib.redirect_stdout", "contextlib.redirect_stderr", "shlex.shlex", "tempfile.TemporaryDirectory", pathClass:
	default:
		if p.tables.doers[class] == nil {
			return
		}
	}
	if !slices.Contains(p.strayed, class) {
		p.strayed, p.changed = append(p.strayed, class), true
	}
}

// doers are the classes of the library whose objects do what rules are about in methods of
// such names as the library calls on what it is given: print calls write, readers call read.
func doers() map[string][]string {
	reads := []string{"read"}
	return map[string][]string{
		xmlTree:                         {"write", "write_c14n", "parse"},
		configParser:                    reads,
		"configparser.RawConfigParser":  reads,
		"configparser.SafeConfigParser": reads,
		"mimetypes.MimeTypes":           {"read", "readfp"},
	}
}

const configParser = "configparser.ConfigParser"

// dumps looks at what writes a tree to the standard output and is named at i: where the program put
// something else there, that may be a text, which is then the name of a file.
func (p *python) dumps(i int, name string, how analyze.How) {
	to := p.members["sys.stdout"]
	if name != "xml.etree.ElementTree.dump" || to.nothing() || how == analyze.HowImport {
		return
	}
	p.mention(i, symbol(xmlTree+".write"), usage{how: analyze.HowCall, args: &arguments{positional: []value{to}}})
}

// does looks at what gives an object of such a class, and is named at i. Where one went where it
// is not followed, whoever has it may call those methods; and it does where the class itself goes.
func (p *python) does(i int, name string, how analyze.How) {
	class := p.tables.returns[name]
	if p.tables.doers[class] == nil {
		return
	}
	if how == analyze.HowReference && !p.namesType() {
		p.strays(class)
	}
	if slices.Contains(p.strayed, class) {
		for _, method := range p.tables.doers[class] {
			p.mention(i, symbol(class+"."+method), usage{how: analyze.HowReference})
		}
	}
}

// tellsDoer tells the methods of class n of the program that their object is one of those, and those
// that replace values of a configuration that they are given one.
func (p *python) tellsDoer(n int) {
	object, at := p.doerAbove(n), 0
	if p.isBelow(n, func(class string) bool {
		return strings.HasPrefix(class, "configparser.") && strings.HasSuffix(class, "Interpolation")
	}) {
		object, at = one(atom{kind: atomInstance, text: configParser}), 1
	}
	if object.nothing() {
		return
	}
	for _, id := range p.classes[n].scope.ids {
		for _, a := range p.vars[id].value.atoms {
			if a.kind == atomFunction && at < len(p.functions[a.n].params) {
				p.assign(p.functions[a.n].params[at].variable, object)
			}
		}
	}
}

// doerAbove is what an object of class n of the program is, too, of those that do something.
func (p *python) doerAbove(n int) value {
	object := p.typesAbove(n)
	object.atoms = slices.DeleteFunc(object.atoms, func(a atom) bool { return p.tables.doers[a.text] == nil })
	return object
}

// typesAbove is what an object of class n of the program is, too: one of each class of the library
// above that the analysis knows.
func (p *python) typesAbove(n int) value {
	var object value
	p.isBelow(n, func(class string) bool {
		if a := (atom{kind: atomInstance, text: p.tables.returns[class]}); a.text != "" && !object.has(a) {
			object.atoms = append(object.atoms, a)
		}
		return false
	})
	return object
}
