package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// A program of plain Python can have the interpreter write to or read memory that is gone:
// by what asks an object for something in the midst of it (remembered.go), by an object that
// goes away at any moment and has a function called then (endings.go), by one that is made a
// second time (rebuilt.go), and by what is here: iterators, slices, places in errors of codecs.
// Methods that change nothing do no harm (still.go).

// overwrites reports where a program uses a part of the library that it may have write to
// memory which is no longer that part's.
func (p *python) overwrites() {
	mocks := slices.ContainsFunc(p.mentions, func(m mention) bool { return strings.HasPrefix(m.name, "unittest.mock") })
	for _, r := range remembered() {
		if r.answers == nil {
			r.answers = []string{""}
		}
		if !slices.ContainsFunc(p.mentions, r.isAt) || !(r.mocked && mocks) && !slices.ContainsFunc(r.answers, func(method string) bool { return p.answersBy(r, method) }) {
			continue
		}
		kind := analyze.DynamicBytecode
		if r.strict {
			kind = analyze.DynamicAttribute
		}
		for _, m := range p.mentions {
			if r.isAt(m) {
				p.Dynamic(kind, m.span)
			}
		}
	}
	p.givesAgain()
	if len(p.stepped) > 0 && p.runsWhileListed() {
		for _, span := range p.stepped {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	if p.asksForItems() {
		for _, span := range p.iterators {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	if p.codecErrors() {
		for _, span := range p.places {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	for _, n := range p.endings() {
		if !p.still(n, newLooking(true)) {
			p.Dynamic(analyze.DynamicAttribute, p.functions[n].unit.tree.Span(p.functions[n].node))
		}
	}
	for _, c := range p.keptCalls {
		if f := p.functions[c.function]; f.generator && p.unwinds(f, newLooking(true)) {
			p.Dynamic(analyze.DynamicAttribute, c.span)
		}
	}
	if p.stirs("__bool__") || p.stirs("__len__") { // of what is put there
		for _, span := range p.signals {
			p.Dynamic(analyze.DynamicBytecode, span)
		}
	}
}

// runsNothing tells whether what stands at i is a name, or of the library, which runs nothing where it is read.
func (p *python) runsNothing(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.NextNamed(i) != analyze.NoNode || t.Kind(i) != kindAttribute {
		return i != analyze.NoNode && t.Kind(i) == kindIdentifier
	}
	return p.symbolAt(i) != ""
}

// hasStep tells whether the slice at c has two colons, and something behind the second.
func hasStep(t *analyze.Tree, c int) bool {
	colons := 0
	for d := c + 1; d < t.After(c); d++ {
		if t.Parent(d) == c && t.Source(d) == ":" {
			colons++
		}
		if t.Parent(d) == c && colons == 2 && t.Named(d) && t.Source(d) != "1" {
			return true
		}
	}
	return false
}

// listsWhile looks at an assignment to the subscript at i. For every second or further element of
// a list the interpreter measures the list, has the new elements listed, and stores them by what
// it has measured: what lists them may have made the list smaller. Elements that are there, and
// those of builtins that give them at once, do not.
func (p *python) listsWhile(i int, v value) {
	t := p.unit.tree
	steps, elements := false, false
	for c := t.NextNamed(t.FirstNamed(i)); c != analyze.NoNode; c = t.NextNamed(c) {
		slice := t.Kind(c) == kindSlice
		steps = steps || slice && hasStep(t, c) || !slice && p.maybeSlice(c)
		elements = elements || slice && p.atHand("xml")
	}
	up := t.Parent(i)
	if p.quiet > 0 || !steps && !elements {
		return
	}
	right := analyze.NoNode
	if k := t.Kind(up); (k == kindAssignment || k == kindAugmentedAssignment) && t.Child(up, leftField) == i {
		right = t.Child(up, rightField)
	}
	if t.Kind(up) == kindAugmentedAssignment && !p.operates() {
		return // a list is added to as a whole
	}
	if right == analyze.NoNode || !p.listed(right, v) {
		p.stepped = append(p.stepped, p.span(i))
	}
}

// operates tells whether the program has objects that say what an operator makes of them.
func (p *python) operates() bool {
	return p.own["__getitem__"] || slices.ContainsFunc(strings.Fields("add sub mul matmul truediv floordiv mod pow lshift rshift and xor or"), func(name string) bool {
		return p.own["__"+name+"__"] || p.own["__r"+name+"__"] || p.own["__i"+name+"__"]
	})
}

// maybeSlice tells whether the key at i may be a slice with a step: the program makes one, or is
// given one by a subscript of an object of its own.
func (p *python) maybeSlice(i int) bool {
	t := p.unit.tree
	if !p.slicesSteps() {
		return false
	}
	switch t.Kind(i) {
	case kindInteger, kindString, kindConcatenatedString, kindTuple, kindFloat, kindInterpolation, kindTrue, kindFalse, kindComparisonOperator:
		return false
	case kindBinaryOperator, kindUnaryOperator:
		return p.operates()
	}
	v := p.look(i)
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() && a.kind != atomContainer })
}

// slicesSteps tells whether there may be slices with a step that do not stand in brackets.
func (p *python) slicesSteps() bool {
	return p.asked["slice"] || p.asked["::"] && (p.own["__getitem__"] || p.own["__setitem__"] || p.own["__delitem__"] || p.own["__missing__"])
}

// stepsBy tells whether what stands at i makes slices with a step. Asked whether something is a
// slice it does not.
func (p *python) stepsBy(i int, u usage) bool {
	t := p.unit.tree
	if u.how == analyze.HowCall {
		return u.args == nil || u.args.splat || len(u.args.positional) == 3 && !u.args.positional[2].isNone()
	}
	up := t.Parent(i)
	for t.Kind(up) == kindTuple {
		up = t.Parent(up)
	}
	return t.Kind(up) != kindComparisonOperator && t.Kind(up) != kindType && !(t.Kind(up) == kindArgumentList && p.isBuiltin(t.Child(t.Parent(up), functionField), "isinstance"))
}

// keepsMeasure looks at an attribute of that name which is assigned at i: objects that
// cmp_to_key makes hold what they compare under it, and times and files are measured by it.
func (p *python) keepsMeasure(i int, name string) {
	own := p.unit.tree.Kind(i) == kindAttribute && p.ownSelf(p.unit.tree.Child(i, objectField))
	if !own && (name == "obj" && p.asked["cmp_to_key"] || name == "n_fields" || name == "n_sequence_fields" || name == "n_unnamed_fields") {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// setsItems notes a method, or a function of operator, at i that assigns to what is given to it.
func (p *python) setsItems(i int) {
	if p.quiet == 0 && p.slicesSteps() {
		p.stepped = append(p.stepped, p.span(i))
	}
}

// keepsIterator looks at the call at i of what goes through elements one by one. Where somebody
// else may have it, an object can have it go on while it is asked for the next.
func (p *python) keepsIterator(i int, name string) {
	if p.quiet > 0 || !iterates(name) {
		return
	}
	t := p.unit.tree
	for up := t.Parent(i); ; i, up = up, t.Parent(up) {
		switch t.Kind(up) {
		case kindForStatement, kindForInClause:
			return
		case kindArgumentList, kindParenthesizedExpression, kindListSplat:
			continue
		case kindCall:
			if t.Child(up, argumentsField) != i {
				break
			}
			switch name := p.symbolAt(t.Child(up, functionField)); {
			case iterates(name):
				continue
			case asksForAll(name):
				return
			}
		}
		break
	}
	p.iterators = append(p.iterators, p.span(i))
}

// asksForAll tells whether a function asks for all elements that it is given to go through, on the spot.
func asksForAll(name string) bool {
	return slices.Contains(strings.Fields("list tuple set frozenset dict sum max min any all sorted bytes bytearray"), strings.TrimPrefix(name, "builtins."))
}

func iterates(name string) bool {
	switch name {
	case "builtins.iter", "builtins.zip", "builtins.map", "builtins.filter", "builtins.enumerate", "builtins.reversed":
		return true
	}
	return strings.HasPrefix(name, "itertools.")
}

// asksForItems tells whether the program has objects that the interpreter goes through by asking
// for one item after the other, and which do something else then.
func (p *python) asksForItems() bool {
	inBody := false
	for n, c := range p.classes {
		if _, ok := c.scope.vars["__getitem__"]; !ok {
			continue
		}
		inBody = true
		if !p.has(n, "__iter__") && !p.isBelow(n, goesThrough) && p.stirs("__getitem__") {
			return true
		}
	}
	return !inBody && p.stirs("__getitem__")
}

// goesThrough tells whether a class of the library says itself how one goes through its objects.
func goesThrough(class string) bool {
	class = origin(class)
	switch class[strings.LastIndexByte(class, '.')+1:] {
	case "list", "tuple", "dict", "str", "set", "frozenset", "bytes", "bytearray", "OrderedDict", "defaultdict", "deque", "Counter", "ChainMap", "UserDict", "UserList", "UserString",
		"Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "MutableSet", "Iterable", "Iterator", "Collection", "Reversible", "NamedTuple", "TypedDict":
		return true
	}
	return false
}

// keepsPlace looks at what is put into the places of an error of a codec, which it reads memory
// by: numbers that stand there, from 0 on, do no harm.
func (p *python) keepsPlace(i int, object value, name string, v value) {
	t := p.unit.tree
	if p.quiet > 0 || name != "start" && name != "end" && !(name == "args" && p.atHand("copy")) || p.placed(v) || len(object.atoms) > 0 && !object.open() && !slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind != atomClass && a.kind != atomContainer }) {
		return
	}
	if t.Kind(i) == kindAttribute && p.ownSelf(t.Child(i, objectField)) && !p.hasBelow(ofCodec) {
		return
	}
	p.places = append(p.places, p.span(i))
}

func (p *python) placed(v value) bool {
	a, ok := v.single()
	return ok && a.kind == atomInt && a.n >= 0
}

func ofCodec(class string) bool {
	return class == "builtins.UnicodeDecodeError" || class == "builtins.UnicodeEncodeError" || class == "builtins.UnicodeTranslateError"
}

// makesPlaces is keepsPlace of the call at i that makes such an error.
func (p *python) makesPlaces(i int, name string, args *arguments) {
	if p.quiet > 0 || !ofCodec(name) {
		return
	}
	first := 2
	if name == "builtins.UnicodeTranslateError" {
		first = 1
	}
	if args.splat || len(args.positional) < first+2 || !p.placed(args.positional[first]) || !p.placed(args.positional[first+1]) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// makesPlacesUnseen is makesPlaces of the class of an object, which may be such an error.
func (p *python) makesPlacesUnseen(i int, args *arguments) {
	t := p.unit.tree
	if p.quiet > 0 || t.Kind(i) != kindCall || !args.splat && len(args.positional) < 4 || !p.names("builtins.type") {
		return
	}
	placed := !args.splat && p.placed(args.positional[1]) && p.placed(args.positional[2]) && (len(args.positional) == 4 || p.placed(args.positional[3]))
	if !placed && p.ofAskedClass(t.Child(i, functionField)) {
		p.places = append(p.places, p.span(i))
	}
}

// ofAskedClass tells whether what stands at i is a call of type, or a name that one is given to.
func (p *python) ofAskedClass(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) == kindCall {
		return i != analyze.NoNode && p.isBuiltin(t.Child(i, functionField), "type")
	}
	return p.assigned(i, func(right int) bool { return t.Kind(right) == kindCall && p.ofAskedClass(right) })
}

// makesOwn tells whether what stands at i makes an object of a class of the program, or is a name
// that one is given to.
func (p *python) makesOwn(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindCall {
		return i != analyze.NoNode && p.assigned(i, func(right int) bool { return t.Kind(right) == kindCall && p.makesOwn(right) })
	}
	return slices.ContainsFunc(p.look(t.Child(i, functionField)).atoms, func(a atom) bool { return a.kind == atomClass })
}

// assigned tells whether the name at i is assigned, in this text, something that is looked for.
func (p *python) assigned(i int, one func(right int) bool) bool {
	t := p.unit.tree
	if t.Kind(i) != kindIdentifier {
		return false
	}
	if p.unit.assigned == nil {
		p.unit.assigned = map[string][]int{}
		for n := range t.Len() {
			if t.Kind(n) != kindAssignment {
				continue
			}
			if left, right := t.Child(n, leftField), t.Child(n, rightField); right != analyze.NoNode && t.Kind(left) == kindIdentifier {
				name := p.identifier(left)
				p.unit.assigned[name] = append(p.unit.assigned[name], right)
			}
		}
	}
	return slices.ContainsFunc(p.unit.assigned[p.identifier(i)], one)
}

// codecErrors tells whether the program may have such an error in hand.
func (p *python) codecErrors() bool {
	return p.names("codecs.register_error") || slices.ContainsFunc(p.mentions, func(m mention) bool { return ofCodec(m.name) || m.name == "builtins.UnicodeError" }) ||
		p.asked["as"] && (p.asked["decode"] || p.asked["encode"] || p.names("builtins.str") || p.names("builtins.bytes") || p.names("builtins.bytearray") || p.atHand("codecs"))
}

// redirectsOnce tells whether the call at i, which puts another stream in the place of one, is all
// that a with statement does: then the one that was there is there again, and somebody has it.
func (p *python) redirectsOnce(i int) bool {
	t := p.unit.tree
	fn := t.Child(i, functionField)
	if t.Kind(i) == kindDecorator {
		fn = t.FirstNamed(i)
	}
	if fn != analyze.NoNode {
		v := p.look(fn)
		_, one := v.single()
		if !one && !slices.ContainsFunc(v.atoms, func(a atom) bool { return strings.HasPrefix(a.text, "contextlib.redirect_") }) || t.Kind(fn) == kindAttribute && p.ofSuper(t.Child(fn, attributeField)) {
			return true // of a class of the program, where that is called by its name
		}
	}
	up := t.Parent(i)
	if t.Kind(up) == kindAsPattern {
		up = t.Parent(up)
	}
	if t.Kind(up) != kindWithItem || p.scope.kind != functionScope {
		return t.Kind(up) == kindWithItem
	}
	name := t.Child(p.functions[p.scope.owner].node, nameField)
	return name == analyze.NoNode || !strings.HasPrefix(p.identifier(name), "__") || slices.Contains([]string{"__init__", "__call__", "__enter__"}, p.identifier(name))
}

// listed tells whether what stands at i has its elements, or is no list of any.
func (p *python) listed(i int, v value) bool {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindList, kindTuple, kindExpressionList, kindListComprehension, kindString, kindConcatenatedString, kindInteger, kindFloat, kindTrue, kindFalse, kindNone,
		kindUnaryOperator:
		return true
	case kindBinaryOperator:
		return !p.operates() && p.listed(t.Child(i, leftField), v) || !p.operates() && p.listed(t.Child(i, rightField), v)
	case kindParenthesizedExpression:
		return p.listed(t.FirstNamed(i), v)
	case kindSubscript:
		return t.Kind(p.lastNamed(i)) == kindSlice && !p.own["__getitem__"]
	case kindCall:
		fn := t.Child(i, functionField)
		name := p.symbolAt(fn)
		switch strings.TrimPrefix(name, "builtins.") {
		case "list", "tuple", "sorted", "bytes", "bytearray", "range", "str", "len", "set", "frozenset":
			return true
		}
		return name != "" && !p.stdlib.Of(name)
	}
	return false
}

// runsWhileListed tells whether the program has anything that lists its elements one by one, by
// what is written there. It is asked when the rounds are over.
func (p *python) runsWhileListed() bool {
	if p.lists == nil {
		runs := p.own["__iter__"] || p.own["__next__"] || p.own["__getitem__"] || p.own["__len__"] || p.own["__length_hint__"] || p.own["__del__"] || p.atHand("weakref") ||
			slices.ContainsFunc(p.functions, func(f function) bool { return f.generator }) || slices.ContainsFunc(p.units, generates) ||
			slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.name == "builtins.map" || m.name == "builtins.filter" || m.name == "builtins.iter" || strings.HasPrefix(m.name, "itertools.")
			})
		p.lists = &runs
	}
	return *p.lists
}

// generates tells whether there is a generator expression in u.
func generates(u *unit) bool {
	for i := range u.tree.Len() {
		if u.tree.Kind(i) == kindGeneratorExpression {
			return true
		}
	}
	return false
}

// keepsSignals looks at the flags and traps of what may be a context of decimal, read by name at
// i: they are a part of it, and know nothing of its end. Asked on the spot they are as usual.
func (p *python) keepsSignals(i int, name string, v value) {
	if p.quiet > 0 || name != "traps" && name != "flags" || !p.imported["decimal"] || !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return (a.kind == atomSymbol || a.kind == atomInstance) && strings.HasPrefix(a.text, "decimal")
	}) {
		return
	}
	below := func(class string) bool { return strings.HasPrefix(class, "decimal.") }
	if s := p.scope.class(); s != nil && p.ofSelf(i, name) && !p.isBelow(s.owner, below) {
		return
	}
	t := p.unit.tree
	read := t.Parent(i)
	switch up := t.Parent(read); {
	case t.Kind(read) == kindAttribute && t.Kind(up) == kindSubscript && t.Child(up, valueField) == read && t.Kind(t.Parent(up)) != kindAugmentedAssignment && p.runsNothing(t.NextNamed(read)):
		p.signals = append(p.signals, p.span(i))
	case t.Kind(read) == kindAttribute && t.Kind(up) == kindArgumentList && (p.isBuiltin(t.Child(t.Parent(up), functionField), "print") || p.isBuiltin(t.Child(t.Parent(up), functionField), "dict")):
	default:
		p.dynamicAt(analyze.DynamicBytecode, i)
	}
}
