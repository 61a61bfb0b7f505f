package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What copies an object asks it for methods by their names, also for such as the object alone has and no class, and
// ast reads of an object what its _fields name. What puts attributes under names that nobody sees on an object may so
// say how it is copied: what is made in its place, and what that has under any name. So does what says which attributes
// are copied, and under which name a property keeps what it found.

// doesAsTold tells whether methods of a class of the library that is otherwise abstract do what attributes of
// their object say: such as find an attribute, or make a copy.
func doesAsTold(class string) bool {
	top, name, _ := strings.Cut(class, ".")
	return top == "enum" || top == "types" && !namespaceLike(class) || top == "collections" && !strings.HasPrefix(name, "abc.")
}

// initOf is the class that a name is the __init__ of, and any other name as it is.
func initOf(name string) string { return strings.TrimSuffix(name, ".__init__") }

// namesAttributes tells whether what is called by a name of the library puts its keywords on an object: a class of
// namespaces, and what makes another of an object that may be one.
func namesAttributes(name string) bool { return namespaceLike(name) || name == "copy.replace" }

// remakesFields tells whether a function of the library makes another object of the class of one with fields.
func remakesFields(name string) bool { return name == "dataclasses.replace" }

// takesPairs tells whether objects of a class take what a dictionary, or pairs, have, too.
func takesPairs(class string) bool { return class == "types.SimpleNamespace" }

// copies tells whether the program, or the library for it, may copy an object.
func (p *python) copies() bool {
	return p.atHand("copy") || p.appends && p.begun || p.copiesItself
}

// asksByName tells whether an object may be asked for what the program put there under a name that nobody sees: by what
// copies it, or by ast, which reads what _fields of an object names, of a function, too, that functools.wraps gave it to.
func (p *python) asksByName() bool { return p.copies() || p.readsTrees() }

// readsTrees tells whether the program has a function of ast: it imports that, or names it as a member of a module which
// does, as inspect. What such a module does with ast itself is about text that it has parsed.
func (p *python) readsTrees() bool { return p.imported["ast"] || p.trees }

// asksBy notes what the program uses of what copies objects and reads fields.
func (p *python) asksBy(v value) {
	for _, a := range v.atoms {
		if a.kind == atomSymbol && origin(a.text) == "collections.UserDict" { // its method copies, also what is below it
			p.marks(&p.copiesItself, true)
		}
		p.marks(&p.trees, a.kind == atomSymbol && (a.text == "ast" || strings.HasPrefix(a.text, "ast.")))
		if a.kind == atomSymbol && (strings.HasPrefix(a.text, "copy.") || strings.HasPrefix(a.text, "ast.") || a.text == "dataclasses.asdict" || a.text == "dataclasses.astuple") {
			p.marks(&p.asking, true)
		}
	}
}

// namesOn looks at what the call at i makes attributes of on an object of the class that is looked for, and at its
// options.
func (p *python) namesOn(i int, args *arguments, is func(one func(class string) bool) bool) {
	p.optionsByPlace(i, args, is)
	if args.spread {
		p.spreadInto(i, is)
	}
	if !is(takesPairs) {
		return
	}
	if args.splat || len(args.positional) > 0 && !p.plainMapping(args.positional[0]) {
		p.spreadInto(i, is)
	}
}

// plainMapping tells whether v is nothing but dictionaries whose keys are seen and mean nothing to the library.
func (p *python) plainMapping(v value) bool {
	return !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomNone && (a.kind != atomContainer || !p.plainKeys(a.n))
	})
}

// namedAnew looks at a call of __init__ of a class of the program, or by super, for the attributes that it makes.
func (p *python) namedAnew(i int, receiver value, name string, args *arguments) {
	if name != "__init__" {
		return
	}
	if s := p.scope.class(); s != nil && p.superMethod(i) {
		if p.handsKeywords(i) { // which were looked at where they were given
			args = args.seen()
		}
		p.namesOn(i, args, func(one func(class string) bool) bool { return p.mixed(s.owner, one) })
		return
	}
	for _, a := range receiver.atoms {
		if a.kind == atomClass {
			p.namesOn(i, args.after(1), func(one func(class string) bool) bool { return p.isBelow(int(a.n), one) })
		}
	}
}

// mixed tells whether class n, or one of the program below it, comes from a class of the library.
func (p *python) mixed(n int, one func(class string) bool) bool {
	for k := range p.classes {
		if p.isBelow(k, one) && slices.Contains(p.chain(k), n) {
			return true
		}
	}
	return false
}

// handsKeywords tells whether the call at i, in __init__ of a class, is given the keywords of that as they are.
func (p *python) handsKeywords(i int) bool {
	if p.scope.kind != functionScope || p.scope.parent.kind != classScope {
		return false
	}
	t, f := p.unit.tree, p.functions[p.scope.owner]
	name, keywords := t.Child(f.node, nameField), ""
	if name == analyze.NoNode || p.identifier(name) != "__init__" {
		return false
	}
	for _, param := range f.params {
		if param.form == dictionaryParameter {
			keywords = p.vars[param.variable].name
		}
	}
	for n := f.node; n < t.After(f.node); n++ {
		if t.Kind(n) != kindIdentifier || p.identifier(n) != keywords {
			continue
		}
		switch up := t.Parent(n); t.Kind(up) {
		case kindDictionarySplat, kindDictionarySplatPattern:
		case kindAttribute:
			if called := t.Child(up, attributeField); called == analyze.NoNode || called == n || p.identifier(called) != "get" && p.identifier(called) != "pop" {
				return false
			}
		default:
			return false
		}
	}
	for n := t.FirstNamed(t.Child(i, argumentsField)); n != analyze.NoNode; n = t.NextNamed(n) {
		switch t.Kind(n) {
		case kindListSplat:
			return false
		case kindDictionarySplat:
			if given := t.FirstNamed(n); t.Kind(given) != kindIdentifier || p.identifier(given) != keywords {
				return false
			}
		}
	}
	return keywords != ""
}

// handsNames notes what is read at i without being called, and names attributes: __init__ of a class below one of
// those, which whoever has it calls with what nobody sees, and of a property what says where it keeps what it found.
func (p *python) handsNames(i int, name string, v value) {
	if p.quiet > 0 || p.isCalled(i) {
		return
	}
	switch name {
	case "__set_name__":
		p.dynamicAt(analyze.DynamicAttribute, i)
	case "__init__":
		away := func(n int) {
			p.isBelow(n, func(class string) bool {
				if takesNames(class) {
					p.putsNames(i, class)
				}
				return false
			})
		}
		if s := p.scope.class(); s != nil && p.ofSuper(i) {
			away(s.owner)
		}
		for _, a := range v.atoms {
			if a.kind == atomClass {
				away(int(a.n))
			}
		}
	}
}

// putsNames notes that a class, or what makes its objects, is read at i and not called. Of what takes pairs
// nobody need give it keywords.
func (p *python) putsNames(i int, class string) {
	p.putAway(class)
	if t := p.unit.tree; takesPairs(class) && p.asksByName() && t.Kind(t.Parent(i)) != kindComparisonOperator {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// slotted looks at what stands in __slots__ of a class: what copies an object reads the names there when it does so,
// and the interpreter did when it made the class. In between nobody may have put another there.
func (p *python) slotted(i int, v value) {
	if p.quiet > 0 || !p.copies() || p.fixedSlots(i) {
		return
	}
	if v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomString && (a.kind != atomContainer || !p.containers[a.n].tuple || p.namesUnseen(p.containers[a.n].all))
	}) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// namesUnseen tells whether among names are such as nobody sees, or special ones that a slot does not have.
func (p *python) namesUnseen(v value) bool {
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomString || strings.HasPrefix(a.text, "__") && strings.HasSuffix(a.text, "__") && a.text != "__dict__" && a.text != "__weakref__"
	})
}

// fixedSlots tells whether all that the class at i has as __slots__ is made where that stands, so that nobody else has it:
// where the program asks no class for it, and otherwise where it is text or a tuple. A text of a class below str may
// answer that it is another.
func (p *python) fixedSlots(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindClassDefinition || p.hasBelow(func(class string) bool { return class == "builtins.str" }) {
		return false
	}
	for n := i; n < t.After(i); n++ {
		if t.Kind(n) != kindIdentifier || p.identifier(n) != "__slots__" {
			continue
		}
		up := t.Parent(n)
		if t.Kind(up) == kindAttribute && t.Child(up, attributeField) == n {
			continue
		}
		if t.Kind(up) != kindAssignment || t.Child(up, leftField) != n || !p.madeThere(t.Child(up, rightField)) {
			return false
		}
	}
	return true
}

// madeThere tells whether what stands at i is made there, and is a tuple or text where the program reads __slots__.
func (p *python) madeThere(i int) bool {
	t := p.unit.tree
	for i != analyze.NoNode && t.Kind(i) == kindParenthesizedExpression {
		i = t.FirstNamed(i)
	}
	if i == analyze.NoNode {
		return false
	}
	switch t.Kind(i) {
	case kindTuple, kindExpressionList, kindString, kindConcatenatedString:
		return true
	case kindList, kindSet, kindDictionary, kindListComprehension, kindSetComprehension, kindDictionaryComprehension:
		return !p.slotsRead
	case kindBinaryOperator: // of two lists it makes a third
		left, right := t.Child(i, leftField), t.Child(i, rightField)
		return p.operator(i) == kindPlus && (!p.slotsRead || p.madeThere(left) || p.madeThere(right)) && !p.own["__add__"] && !p.own["__radd__"]
	case kindCall:
		f := t.Child(i, functionField)
		return p.isBuiltin(f, "tuple") || !p.slotsRead && (p.isBuiltin(f, "list") || p.isBuiltin(f, "sorted"))
	}
	return false
}

// collects notes an argument of a command line whose values a parser collects: it copies what is there before.
func (p *python) collects(args *arguments) {
	for _, keyword := range []string{"default", "const"} {
		if v, ok := args.get(-1, keyword); ok {
			p.begins(v)
		}
	}
	if typ, ok := args.get(-1, "type"); ok { // what it makes may be under the name of another argument
		p.marks(&p.begun, typ.open() || slices.ContainsFunc(typ.atoms, func(a atom) bool { return a.kind != atomSymbol && a.kind != atomNone }))
	}
	action, ok := args.get(-1, "action")
	several := args.spread || action.open() || slices.ContainsFunc(action.atoms, func(a atom) bool {
		return a.kind != atomNone && (a.kind != atomString || a.text == "append" || a.text == "append_const" || a.text == "extend")
	})
	if ok || args.spread {
		p.marks(&p.appends, several)
	}
	if args.spread {
		p.begins(anything())
	}
}

// begins notes what a parser finds where it collects: of constants, lists and functions nothing comes when they are copied.
func (p *python) begins(v value) {
	p.marks(&p.begun, v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return !a.constant() && a.kind != atomContainer && a.kind != atomFunction && a.kind != atomClass && !strings.HasPrefix(a.text, "builtins.")
	}))
}

// beginsWith looks at what a parser is told to put wherever there is nothing.
func (p *python) beginsWith(name string, args *arguments) {
	for _, v := range args.named {
		if v.name == "argument_default" {
			p.begins(v.value)
		}
	}
	if args.spread && (name == "add_parser" || name == "argparse.ArgumentParser") {
		p.begins(anything())
	}
}

func (p *python) marks(what *bool, holds bool) {
	if holds && p.quiet == 0 && !*what {
		*what, p.changed = true, true
	}
}

// recordsSeen tells whether records of logging come to the program: because it makes or collects them, or to methods of
// its own by names that logging calls with them.
func (p *python) recordsSeen() bool {
	return p.recorded || slices.ContainsFunc([]string{
		"filter", "handle", "emit", "handleError", "callHandlers", "format", "_format", "formatMessage", "formatTime", "usesTime",
	}, func(name string) bool { return p.own[name] })
}

// seesRecords notes attributes by which a record comes to the program.
func (p *python) seesRecords(name string) {
	switch name {
	case "makeLogRecord", "makeRecord", "addFilter", "filters", "records", "setLogRecordFactory", "getLogRecordFactory":
		p.marks(&p.recorded, true)
	}
}

// namesForClass looks at what __new__ of what makes classes is called with at i as the members of a class:
// what copies an object, and ast, ask its class for those under any name, too.
func (p *python) namesForClass(i int, receiver value, args *arguments) {
	if p.quiet > 0 || len(args.positional) < 4 && !args.splat || !p.inMaker() && !slices.ContainsFunc(receiver.atoms, p.makesClass) {
		return
	}
	t, k := p.unit.tree, 0
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		spread := t.Kind(c) == kindListSplat
		if k++; k != 4 && !spread || t.Kind(c) == kindKeywordArgument {
			continue
		}
		given := c
		if spread || t.Kind(c) == kindCall && p.isBuiltin(t.Child(c, functionField), "dict") {
			if spread {
				given = t.FirstNamed(c)
			} else if only := t.FirstNamed(t.Child(c, argumentsField)); only != analyze.NoNode && t.NextNamed(only) == analyze.NoNode {
				given = only
			}
		}
		if t.Kind(given) == kindIdentifier && p.isParameter(p.variableAt(given)) {
			if p.membersSeen(given, spread) {
				return
			}
		} else if !spread && len(args.positional) > 3 && p.plainMapping(args.positional[3]) {
			return
		}
		break
	}
	p.marks(&p.renamesMembers, true)
	if p.asksByName() {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// membersSeen tells whether the members of a class that the parameter of __new__ at i stands for, or that are among
// what it stands for, are what stands in the class, and what is put there under names that are seen.
func (p *python) membersSeen(i int, among bool) bool {
	t, id := p.unit.tree, p.variableAt(i)
	f := p.functions[p.vars[id].scope.owner]
	if name := t.Child(f.node, nameField); f.unit != p.unit || name == analyze.NoNode || p.identifier(name) != "__new__" {
		return false
	}
	for j := f.node; j < t.After(f.node); j++ {
		if t.Kind(j) != kindIdentifier || t.Field(j) == attributeField || p.identifier(j) != p.vars[id].name {
			continue
		}
		if k := t.Kind(t.Parent(j)); among && k != kindListSplat && k != kindListSplatPattern || !p.readsMembers(j) {
			return false
		}
	}
	return true
}

// readsMembers tells whether the name at i, of a dictionary, is read there, or something is put into that under names
// that are seen.
func (p *python) readsMembers(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	switch t.Kind(up) {
	case kindParameters, kindTypedParameter, kindListSplatPattern, kindListSplat, kindInterpolation, kindForStatement, kindForInClause, kindDictionarySplat:
		return true
	case kindComparisonOperator:
		return !p.own["__eq__"] && !p.own["__ne__"] && !p.own["__contains__"]
	case kindArgumentList:
		call := t.Child(t.Parent(up), functionField)
		if call != analyze.NoNode && t.Kind(call) == kindAttribute {
			name := t.Child(call, attributeField)
			return name != analyze.NoNode && (p.identifier(name) == "__new__" || p.identifier(name) == "__init__")
		}
		return slices.ContainsFunc([]string{"len", "dict", "list", "tuple", "set", "sorted", "print", "isinstance", "any", "all"}, func(name string) bool { return p.isBuiltin(call, name) })
	case kindAttribute:
		name := t.Child(up, attributeField)
		call := t.Parent(up)
		if name == analyze.NoNode || t.Kind(call) != kindCall || t.Child(call, functionField) != up {
			return false
		}
		switch p.identifier(name) {
		case "get", "items", "keys", "values", "pop", "copy":
			return true
		case "setdefault":
			return p.keySeen(t.FirstNamed(t.Child(call, argumentsField)), analyze.NoNode)
		case "update":
			first := t.FirstNamed(t.Child(call, argumentsField))
			return first != analyze.NoNode && t.NextNamed(first) == analyze.NoNode && t.Kind(first) != kindDictionarySplat && t.Kind(first) != kindKeywordArgument && p.plainMapping(p.glance(first))
		}
		return false
	case kindSubscript:
		if t.FirstNamed(up) != i {
			return true
		}
		outer := t.Parent(up)
		switch k := t.Kind(outer); {
		case k == kindAssignment && t.Child(outer, leftField) == up:
			return p.keySeen(t.NextNamed(i), t.Child(outer, rightField))
		case k == kindAugmentedAssignment && t.Child(outer, leftField) == up, k == kindDeleteStatement:
			return p.keySeen(t.NextNamed(i), analyze.NoNode)
		case k == kindPatternList || k == kindTuplePattern || k == kindListPattern || k == kindForStatement || k == kindForInClause || k == kindAsPattern || k == kindAsPatternTarget || k == kindListSplatPattern:
			return false
		}
		return true
	}
	return false
}

// keySeen tells whether the key at i is seen and means nothing to what makes copies. What it is the name of stands at v.
func (p *python) keySeen(i, v int) bool {
	if i == analyze.NoNode {
		return false
	}
	key := p.glance(i)
	if key.open() || len(key.atoms) == 0 || key.flags&worked != 0 {
		return false
	}
	for _, a := range key.atoms {
		if a.kind != atomString || a.text == "__reduce__" || a.text == "__reduce_ex__" || p.isSpecial(a.text) || p.isPrivate(a.text) && p.stdlib.Private[a.text] != nil {
			return false
		}
		if v != analyze.NoNode {
			p.namesAttribute(i, a.text, p.glance(v))
		}
	}
	return true
}

// namedByMaker looks at a class that comes from one of the library that does more than say what others are, where what
// makes it puts members into it that nobody sees.
func (p *python) namedByMaker(i, n int) {
	if !p.renamesMembers || !p.isBelow(n, func(class string) bool {
		return !abstract(class) || class == "enum.property" || class == "types.DynamicClassAttribute"
	}) {
		return
	}
	for _, k := range p.chain(n) {
		meta := p.classes[k].meta
		if meta.open() || slices.ContainsFunc(meta.atoms, func(a atom) bool { return a.kind == atomClass }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
}
