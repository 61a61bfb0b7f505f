package python

import (
	"slices"
	"strings"
	"unicode"

	"sallyport/analyze"
)

// A subscript of a name of typing takes a text for a type that is not there yet, and compiles it.
// So do fields of named tuples and bounds of type variables. What stands there is made of names of
// types, and of texts that stand there and are judged as annotations are, or it is reported. Of
// other classes of the library a subscript asks an object for its parameters.

// takesTypes tells whether a subscript of v does that.
func (p *python) takesTypes(v value) bool {
	return slices.ContainsFunc(v.atoms, func(a atom) bool {
		if a.kind == atomClass { // of its own parameters
			c := p.classes[a.n]
			if p.answers() && p.isBelow(int(a.n), func(class string) bool { return class != "builtins.object" && namesClass(class) }) {
				return true
			}
			return !p.own["__class_getitem__"] && c.meta.nothing() && (c.bases.open() || p.isBelow(int(a.n), isTyping))
		}
		return a.kind == atomSymbol && a.text != "typing.Literal" && (isTyping(a.text) || p.answers() && (namesClass(a.text) || takesParameters(a.text)))
	})
}

// takesParameters tells whether a class takes types which is named as a function is.
func takesParameters(symbol string) bool {
	switch symbol {
	case "weakref.ref", "itertools.chain", "builtins.enumerate", "functools.cached_property", "functools.partialmethod", "functools.singledispatchmethod":
		return true
	}
	return false
}

func isTyping(symbol string) bool { return strings.HasPrefix(symbol, "typing.") }

// asksTypes notes that the program uses what compiles each annotation which is text, and looks at what it asks: the names in such
// a text mean what they mean where the object says it was made, and its annotations may be any where it has attributes that nobody sees.
func (p *python) asksTypes(i int, name string, args *arguments) {
	asks := name == "typing.get_type_hints" || name == "inspect.get_annotations"
	told := strings.HasPrefix(name, "inspect.") && args != nil && (args.spread || args.names("eval_str"))
	p.marks(&p.typesAsked, asks || told)
	if args == nil || !asks && !told {
		return
	}
	saysMeaning := args.splat || args.spread || asks && len(args.positional) > 1 || args.names("globalns", "localns", "globals", "locals")
	unseen := p.classesAnnotated || args.arg(0).open() && !p.isClassOfMethod(p.argumentAt(p.callAround(i), "obj")) && (p.answers() || p.putsUnseen)
	if saysMeaning || unseen || p.typedElsewhere || p.own["__module__"] || p.own["__prepare__"] {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// callAround is the call of what stands at i.
func (p *python) callAround(i int) int {
	if up := p.unit.tree.Parent(i); p.unit.tree.Kind(i) != kindCall && up != analyze.NoNode {
		return up
	}
	return i
}

// annotatesUnseen looks at v, which is put on object under a name that nobody sees: where that is a class or a function, it may be
// its annotations, unless v is an object that the program makes there.
func (p *python) annotatesUnseen(i int, object, v value) {
	t, on := p.unit.tree, analyze.NoNode
	if p.quiet > 0 {
		return
	}
	if t.Kind(i) == kindCall {
		on = p.argumentAt(i, "")
	}
	if on == analyze.NoNode { // in the body of a class
		p.marks(&p.classesAnnotated, true)
		return
	}
	method, ofMethod := p.parameterOf(on)
	if ofMethod = ofMethod && !p.makesClasses(p.functions[method].scope.parent.owner); !p.isClassOfMethod(on) && !slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind == atomClass || a.kind == atomFunction }) &&
		(ofMethod || !object.open() || !slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomContainer })) {
		return
	}
	if name := t.NextNamed(on); name != analyze.NoNode {
		given := t.NextNamed(name)
		if given != analyze.NoNode && t.Kind(given) == kindCall {
			made, ok := p.look(t.Child(given, functionField)).single()
			if ok && made.kind == atomClass && !p.isBelow(int(made.n), func(string) bool { return true }) {
				return
			}
		}
	}
	p.marks(&p.classesAnnotated, v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomContainer }))
}

// isClassOfMethod tells whether what a class method is called with stands at i.
func (p *python) isClassOfMethod(i int) bool {
	n, ok := p.parameterOf(i)
	return ok && p.ofClassMethod(n)
}

// parameterOf is the method of which the first parameter stands at i.
func (p *python) parameterOf(i int) (n int, ok bool) {
	if i == analyze.NoNode || p.unit.tree.Kind(i) != kindIdentifier || p.vars[p.variableAt(i)].again {
		return 0, false
	}
	n, ok = p.methodWith(p.variableAt(i))
	return n, ok && p.functions[n].params[0].variable == p.variableAt(i)
}

// names tells whether an argument is given by one of some names.
func (a *arguments) names(names ...string) bool {
	return slices.ContainsFunc(a.named, func(v namedValue) bool { return slices.Contains(names, v.name) })
}

// textOfType is what a type that is not known may be: text, which becomes code where the program asks for types.
func (p *python) textOfType() string {
	if p.typesAsked {
		return analyze.DynamicCode
	}
	return analyze.DynamicAttribute
}

// keepsType looks at the annotation at i of what keeps it, where the program asks for types.
func (p *python) keepsType(i int) {
	if p.quiet == 0 && p.typesAsked && !p.plainType(i) {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// typesOfFields looks at the types in pairs of a name and a type of which a class is made, where the program asks for
// types.
func (p *python) typesOfFields(i int, fields value) {
	if !p.typesAsked {
		return
	}
	for _, a := range p.elements(fields).atoms {
		if a.kind == atomContainer && !p.plainTypes(i, p.containers[a.n].get(intValue(1)), 4) {
			p.dynamicAt(analyze.DynamicCode, i)
		}
	}
}

// isClassStatement tells whether a class statement binds variable id, and nothing else does: nothing that decorates the class but
// the library, and no metaclass of the program.
func (p *python) isClassStatement(id int) bool {
	v := p.vars[id]
	at := slices.IndexFunc(v.value.atoms, func(a atom) bool {
		return a.kind == atomClass && p.classes[a.n].scope.parent == v.scope && p.classes[a.n].scope.path == analyze.Path(v.scope.path, v.name)
	})
	if at < 0 || v.again {
		return false
	}
	n := int(v.value.atoms[at].n)
	other := func(a atom) bool { return a.kind != atomClass && a.kind != atomGiven }
	if slices.ContainsFunc(v.value.atoms, other) || v.value.flags&^given != 0 && (!p.classes[n].byLibrary || p.mocks()) {
		return false
	}
	return !p.mayBeOther(n)
}

// mayBeOther tells whether what decorates class n, or its metaclass, may have put something else in its place.
func (p *python) mayBeOther(n int) bool {
	return p.classes[n].disguised || slices.ContainsFunc(p.chain(n), func(n int) bool {
		meta := p.classes[n].meta
		return meta.open() || slices.ContainsFunc(meta.atoms, func(a atom) bool {
			return a.kind != atomSymbol && (a.kind != atomClass || p.has(int(a.n), "__new__"))
		})
	})
}

// textNamesTypes tells whether what the text of an annotation names is no text itself, which would be compiled in turn. Who
// asks for types gets hold of what it names.
func (p *python) textNamesTypes(i int, text string) bool {
	if strings.ContainsAny(text, `'"`) && becomesCode(text) || strings.Contains(text, `\`) || // in a text within
		strings.Contains(text, "|") && (p.own["__or__"] || p.own["__ror__"]) {
		return false
	}
	inName := func(r rune) bool { return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for rest := text; rest != ""; {
		from := strings.IndexFunc(rest, inName)
		if from < 0 {
			break
		}
		name, after := rest[from:], ""
		if to := strings.IndexFunc(name, func(r rune) bool { return !inName(r) }); to >= 0 {
			name, after = name[:to], name[to:]
		}
		if rest = after; !p.nameIsType(i, name, strings.HasPrefix(strings.TrimLeft(after, " "), "[")) {
			return false
		}
	}
	return true
}

// nameIsType tells whether a name with points, in the text of an annotation at i, means types, in the module and where the
// annotation stands. That of a class of the program has a meaning of its own in a subscript where it says so.
func (p *python) nameIsType(i int, name string, subscript bool) bool {
	first, below, dotted := strings.Cut(name, ".")
	first = identifierText(first)
	for _, s := range []*scope{p.module, p.scope} {
		id := p.lookup(first, s)
		v, means := p.vars[id].value, dotted || !p.typeNames[id] && !p.isClassStatement(id)
		if !p.vars[id].bound && p.stdlib.Builtins[first] {
			v = symbol("builtins." + first)
		} else if !p.vars[id].bound {
			continue
		}
		for part := range strings.SplitSeq(below, ".") {
			if dotted {
				v = p.attribute(i, v, part)
			}
		}
		p.mention(i, v, usage{how: analyze.HowReference})
		own := subscript && (p.own["__class_getitem__"] || p.own["__getitem__"])
		if means && !p.plainTypes(i, v, 4) || own && slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomSymbol }) {
			return false
		}
	}
	return true
}

// givesTypes looks at what the subscript at i gives to receiver.
func (p *python) givesTypes(i int, receiver value) {
	takes := p.takesTypes(receiver) || p.quiet == 0 && p.standsForTypes(p.unit.tree.FirstNamed(i), map[int]bool{})
	if p.quiet > 0 || !takes && !(p.typingAway && receiver.open()) {
		return
	}
	for _, c := range p.typesIn(i, receiver) {
		if !p.plainType(c) && (takes || p.maybeText(c)) {
			p.dynamicAt(p.textOfType(), c)
		}
	}
}

// standsForTypes tells whether what stands at i is a subscript of what takes types, or a name of one:
// another subscript of it gives it its parameters.
func (p *python) standsForTypes(i int, seen map[int]bool) bool {
	t := p.unit.tree
	if i == analyze.NoNode || seen[i] || !p.step(1) {
		return false
	}
	seen[i] = true
	if t.Kind(i) == kindSubscript {
		v := p.look(t.FirstNamed(i))
		return p.takesTypes(v) || p.standsForTypes(t.FirstNamed(i), seen)
	}
	return p.imported["typing"] && p.assigned(i, func(right int) bool { return t.Kind(right) == kindSubscript && p.standsForTypes(right, seen) })
}

// typesIn are what stands in the brackets of the subscript at i of receiver and is a type there.
func (p *python) typesIn(i int, receiver value) (out []int) {
	t := p.unit.tree
	a, _ := receiver.single()
	if a.text == "typing.Literal" {
		return nil
	}
	for c := t.NextNamed(t.FirstNamed(i)); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindTypeParameter {
			out = append(out, c)
			continue
		}
		for d := t.FirstNamed(c); d != analyze.NoNode; d = t.NextNamed(d) {
			out = append(out, d)
		}
	}
	if a.text == "typing.Annotated" { // the others are whatever the program likes
		return out[:min(1, len(out))]
	}
	return out
}

// maybeText tells whether the key at i may be a text that is not known.
func (p *python) maybeText(i int) bool {
	switch p.unit.tree.Kind(i) {
	case kindSlice, kindUnaryOperator, kindInteger:
		return false
	}
	v := p.look(i)
	return v.open() || hasPrefixAtom(v)
}

// madeOfTypes tells whether what stands at i writes types as the language has them, and part
// holds for all that they are made of: names, texts, calls and subscripts.
func (p *python) madeOfTypes(i int, part func(int) bool) bool {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindNone, kindEllipsis, kindComment:
		return true
	case kindBinaryOperator, kindUnionType:
		if p.own["__or__"] || p.own["__ror__"] || t.Kind(i) == kindBinaryOperator && p.operator(i) != kindPipe {
			return false
		}
	case kindType, kindTypeParameter, kindParenthesizedExpression, kindTuple, kindList, kindExpressionList:
	default:
		return part(i)
	}
	return p.allBelow(i, func(c int) bool { return p.madeOfTypes(c, part) })
}

// allBelow tells whether something holds for each part of node i.
func (p *python) allBelow(i int, holds func(int) bool) bool {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if !holds(c) {
			return false
		}
	}
	return true
}

// plainType tells whether what stands at i is made of names of types, and of texts that are
// judged here.
func (p *python) plainType(i int) bool {
	return p.madeOfTypes(i, func(i int) bool {
		t := p.unit.tree
		if !p.step(t.After(i) - i) {
			return false
		}
		switch t.Kind(i) {
		case kindString, kindConcatenatedString:
			return p.plainText(i, p.look(i))
		case kindIdentifier, kindAttribute, kindMemberType:
			return p.plainTypes(i, p.glance(i), 4) || t.Kind(i) == kindIdentifier && (p.typeNames[p.variableAt(i)] || p.typesAsked && p.isClassStatement(p.variableAt(i))) || p.ofParameters(i)
		case kindCall:
			return p.isBuiltin(t.Child(i, functionField), "type") || p.makesType(i)
		case kindSubscript, kindGenericType:
			return p.plainSubscript(i)
		}
		return false
	})
}

// ofParameters tells whether what stands at i is P.args or P.kwargs of what stands for the parameters of a function.
func (p *python) ofParameters(i int) bool {
	t := p.unit.tree
	of, name := t.Child(i, objectField), t.Child(i, attributeField)
	if of == analyze.NoNode || name == analyze.NoNode || t.Kind(of) != kindIdentifier {
		return false
	}
	id, member := p.variableAt(of), p.identifier(name)
	return p.typeNames[id] && p.paramSpecs[id] && (member == "args" || member == "kwargs") && !p.own[member] // which nobody puts on the class that it is of
}

// plainSubscript is plainType of a subscript: of a class of the library, or one of the program's
// which does not say itself what a subscript of it is.
func (p *python) plainSubscript(i int) bool {
	t := p.unit.tree
	of := t.FirstNamed(i)
	if of == analyze.NoNode || !p.plainType(of) {
		return false
	}
	v := p.look(of)
	a, ok := v.single()
	if own := p.own["__class_getitem__"] || p.own["__getitem__"]; ok && a.kind != atomSymbol && (a.kind != atomClass || own) || !ok && own {
		return false
	}
	return !slices.ContainsFunc(p.typesIn(i, v), func(c int) bool { return !p.plainType(c) })
}

// plainText tells whether v is a text that is known. It is judged as an annotation at i.
func (p *python) plainText(i int, v value) bool {
	text, ok := v.str()
	if ok && becomesCode(text) {
		p.runText(i, text, true)
	}
	return ok && !v.open() && (!p.typesAsked || p.textNamesTypes(i, text))
}

// plainTypes tells whether v is nothing but classes, names of the library and texts that are
// judged here, or containers of these.
func (p *python) plainTypes(i int, v value, deepest int) bool {
	if v.open() || hasPrefixAtom(v) || deepest == 0 {
		return false
	}
	for _, a := range v.atoms {
		last := a.text[strings.LastIndexByte(a.text, '.')+1:]
		switch a.kind {
		case atomNone, atomInt, atomBool:
		case atomClass:
			if p.typesAsked && p.mayBeOther(int(a.n)) {
				return false
			}
		case atomSymbol: // of which none but these gives what the program put there
			if strings.HasPrefix(last, "__") || strings.HasPrefix(a.text, "sys.") {
				return false
			}
		case atomString:
			if !p.plainText(i, one(a)) {
				return false
			}
		case atomContainer:
			if c := p.containers[a.n]; p.leaky(int(a.n)) != 0 || !p.plainTypes(i, c.all.join(c.keys), deepest-1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// namesTypeAt notes what the assignment at i gives to the name at left, where that is a type, or
// stands for one.
func (p *python) namesTypeAt(left, right int) {
	t := p.unit.tree
	if p.quiet > 0 || left == analyze.NoNode || t.Kind(left) != kindIdentifier {
		return
	}
	id := p.variableAt(left)
	is := false
	switch t.Kind(right) {
	case kindCall:
		is = p.makesType(right)
	case kindSubscript, kindBinaryOperator, kindIdentifier:
		is = p.plainType(right)
	}
	is = is && !p.vars[id].again
	if is && t.Kind(right) == kindCall && p.symbolAt(t.Child(right, functionField)) == "typing.ParamSpec" && !p.paramSpecs[id] {
		p.paramSpecs[id], p.changed = true, true
	}
	if p.typeNames[id] != is {
		p.typeNames[id], p.changed = is, true
	}
}

// makesType tells whether the call at i makes a type, or what stands for one.
func (p *python) makesType(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall || t.Child(i, functionField) == analyze.NoNode {
		return false
	}
	a, ok := p.look(t.Child(i, functionField)).single()
	switch a.text {
	case "typing.TypeVar", "typing.ParamSpec", "typing.TypeVarTuple", "typing.NewType", "typing.NamedTuple", "typing.TypedDict", "collections.namedtuple", "enum.Enum":
		return ok && a.kind == atomSymbol
	}
	return false
}

// givesBounds looks at the call at i of what makes a type variable or a named tuple, and of | as a
// function.
func (p *python) givesBounds(i int, callee value) {
	if callee.has(symbol("operator.or_").atoms[0]) || callee.has(symbol("operator.ior").atoms[0]) {
		if left := p.unit.tree.FirstNamed(p.unit.tree.Child(i, argumentsField)); left != analyze.NoNode && p.unit.tree.NextNamed(left) != analyze.NoNode {
			p.joinsTypes(i, left, p.unit.tree.NextNamed(left))
		}
	}
	variable, tuple := callee.has(symbol("typing.TypeVar").atoms[0]) || callee.has(symbol("typing.ParamSpec").atoms[0]), callee.has(symbol("typing.NamedTuple").atoms[0])
	dictionary := callee.has(symbol("typing.TypedDict").atoms[0])
	if p.quiet > 0 || !variable && !tuple && !dictionary {
		return
	}
	t := p.unit.tree
	list := t.Child(i, argumentsField)
	if t.Kind(list) != kindArgumentList {
		return
	}
	for c := t.NextNamed(t.FirstNamed(list)); c != analyze.NoNode; c = t.NextNamed(c) {
		given := c
		if t.Kind(c) == kindKeywordArgument {
			given = t.Child(c, valueField)
		}
		if k := t.Kind(given); k == kindTrue || k == kindFalse || t.Kind(c) == kindComment || dictionary && (t.Kind(c) != kindKeywordArgument || p.plainType(given)) {
			continue
		}
		if !(variable && p.plainType(given)) && !(tuple && p.plainFields(given)) {
			p.dynamicAt(p.textOfType(), c)
		}
	}
}

// plainFields tells whether the fields at i of a named tuple stand there, of plain types.
func (p *python) plainFields(i int) bool {
	t := p.unit.tree
	if k := t.Kind(i); k != kindList && k != kindTuple {
		return false
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindComment {
			continue
		}
		name := t.FirstNamed(c)
		if t.Kind(c) != kindTuple || name == analyze.NoNode || t.NextNamed(name) == analyze.NoNode || !p.plainType(t.NextNamed(name)) {
			return false
		}
	}
	return true
}

// givesField looks at the annotation at i in the body of a class, where that makes fields of it.
func (p *python) givesField(i int) {
	if p.quiet > 0 || p.scope.kind != classScope {
		return
	}
	makes := p.isBelow(p.scope.owner, func(class string) bool { return class == "typing.NamedTuple" || class == "typing.TypedDict" })
	if makes && !p.plainType(i) {
		p.dynamicAt(p.textOfType(), i)
	}
}

// givesUnseen is givesTypes where key does not stand in brackets.
func (p *python) givesUnseen(i int, receiver, key value) {
	if p.quiet == 0 && p.takesTypes(receiver) && !p.plainTypes(i, key, 4) {
		p.dynamicAt(p.textOfType(), i)
	}
}

// joinsTypes looks at left | right, which makes types of texts where one of both is of typing.
func (p *python) joinsTypes(i, left, right int) {
	if p.quiet == 0 && (p.ofTyping(left) && !p.plainType(right) || p.ofTyping(right) && !p.plainType(left)) {
		p.dynamicAt(p.textOfType(), i)
	}
}

// ofTyping tells whether what stands at i is, or is made of, a name of typing.
func (p *python) ofTyping(i int) bool {
	t := p.unit.tree
	if !p.imported["typing"] || !p.step(1) {
		return false
	}
	switch t.Kind(i) {
	case kindIdentifier, kindAttribute:
		v := p.glance(i)
		return t.Kind(i) == kindIdentifier && v.open() && p.typeNames[p.variableAt(i)] || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomSymbol && isTyping(a.text) })
	case kindSubscript, kindParenthesizedExpression:
		return p.ofTyping(t.FirstNamed(i))
	case kindBinaryOperator:
		return p.operator(i) == kindPipe && (p.ofTyping(t.Child(i, leftField)) || p.ofTyping(t.Child(i, rightField)))
	case kindCall:
		return p.makesType(i)
	}
	return false
}

// readsMaker looks at a method that is read of a name of typing: some make types of texts.
func (p *python) readsMaker(i int, owner, name string) {
	if isTyping(owner) && (name == "__getitem__" || name == "__class_getitem__" || name == "__or__" || name == "__ror__" || name == "copy_with") {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// typingGoes notes that a name of typing in v went where it is not followed.
func (p *python) typingGoes(v value) {
	if p.quiet == 0 && !p.typingAway && slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomSymbol && isTyping(a.text) && a.text != "typing.Any" }) {
		p.typingAway, p.changed = true, true
	}
}
