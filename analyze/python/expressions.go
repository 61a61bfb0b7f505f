package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// usage says how an expression is used where it stands. The zero usage is as
// the object of something else, which mentions nothing by itself.
type usage struct {
	how  analyze.How
	args *arguments
}

// bare returns what stands at node i without the brackets around it.
func (p *python) bare(i int) int { return p.unit.tree.Bare(i, kindParenthesizedExpression) }

// load evaluates an expression that is read.
func (p *python) load(i int) value {
	if i == analyze.NoNode {
		return value{}
	}
	return p.eval(i, usage{how: analyze.HowReference})
}

// look is load for what only wants to know what stands there: nothing is reported of it.
func (p *python) look(i int) value {
	p.quiet++
	defer func() { p.quiet-- }()
	return p.load(i)
}

// glance is look for what is not even read there.
func (p *python) glance(i int) value {
	p.quiet++
	defer func() { p.quiet-- }()
	return p.eval(i, usage{})
}

// symbolAt is the name of the thing outside of the program that stands at i, and of nothing else.
func (p *python) symbolAt(i int) string {
	a, ok := p.look(i).single()
	if !ok || a.kind != atomSymbol {
		return ""
	}
	return a.text
}

func (p *python) loadFirst(i int) value { return p.load(p.unit.tree.FirstNamed(i)) }

// eval evaluates node i and mentions the outside symbols it comes to.
func (p *python) eval(i int, u usage) value {
	t := p.unit.tree
	if as := p.asType; as != asValue && !p.namesWithin(i) {
		p.asType = asValue
		v := p.eval(i, u)
		p.asType = as
		return v
	}
	switch t.Kind(i) {
	case kindIdentifier:
		v := p.variable(i)
		p.mention(i, v, u)
		return v
	case kindAttribute, kindMemberType:
		return p.evalAttribute(i, u)
	case kindDottedName:
		return p.evalDotted(i, u)
	case kindSubscript:
		v := p.subscript(i)
		p.mention(i, v, u)
		return v
	case kindCall:
		v := p.evalCall(i)
		p.mention(i, v, u)
		return v
	case kindString, kindConcatenatedString:
		v := p.literal(i)
		p.docExamples(i, v)
		p.signs(i, v)
		p.tellsMemory(i, v)
		p.namesFileInText(i, v)
		return v
	case kindInteger, kindFloat:
		return p.number(i)
	case kindTrue, kindFalse:
		return boolValue(t.Kind(i) == kindTrue)
	case kindNone:
		return one(atom{kind: atomNone})
	case kindList, kindTuple, kindSet, kindExpressionList:
		return p.display(i)
	case kindDictionary:
		return p.dictionary(i)
	case kindListComprehension, kindSetComprehension, kindGeneratorExpression, kindDictionaryComprehension:
		return p.comprehension(i)
	case kindParenthesizedExpression, kindInterpolation, kindFormatExpression, kindAwait, kindType, kindListSplat, kindParenthesizedListSplat:
		return p.evalFirst(i, u)
	case kindBooleanOperator:
		return p.eval(t.Child(i, leftField), u).join(p.eval(t.Child(i, rightField), u))
	case kindConditionalExpression:
		return p.conditional(i, u)
	case kindNamedExpression:
		v := p.eval(t.Child(i, valueField), u)
		p.bind(t.Child(i, nameField), v)
		return v
	case kindBinaryOperator:
		left, right := t.Child(i, leftField), t.Child(i, rightField)
		if p.operator(i) == kindAmpersand && (p.isCaret(left) || p.isCaret(right)) {
			return p.andBefore(i)
		}
		v := p.binary(i, p.load(left), p.load(right), p.operator(i))
		p.asked["%"] = p.asked["%"] || t.Kind(left) != kindString && t.Kind(left) != kindConcatenatedString && p.operator(i) == kindPercent
		if p.operator(i) == kindPipe {
			p.joinsTypes(i, left, right)
		}
		return v
	case kindComparisonOperator:
		return p.comparison(i)
	case kindUnaryOperator:
		return p.unary(i)
	case kindLambda:
		return p.definition(i)
	case kindAssignment:
		return p.assignment(i)
	case kindAugmentedAssignment:
		return p.augmented(i)
	case kindAsPattern:
		v := p.entered(p.loadFirst(i))
		p.bind(t.Child(i, aliasField), v)
		return v
	case kindYield:
		v := p.loadFirst(i)
		if p.yieldsFrom(i) {
			v = p.elements(v)
		}
		p.givesClass(i, v)
		p.yields(v)
		return anything()
	case kindKeywordArgument:
		return p.load(t.Child(i, valueField))
	case kindPrintStatement:
		p.printStatement(i)
		return anything()
	}
	if t.Kind(i) == kindGenericType {
		return p.generic(i)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindBlock {
			p.statement(c)
		} else {
			p.load(c)
		}
	}
	return anything()
}

// isCaret tells whether ^ stands at i, without brackets around it.
func (p *python) isCaret(i int) bool {
	return i != analyze.NoNode && p.unit.tree.Kind(i) == kindBinaryOperator && p.operator(i) == kindCaret
}

// andBefore evaluates operands of & among which there are those of ^, which the grammar puts together
// before the interpreter does: any of them may be given to any other.
func (p *python) andBefore(i int) value {
	t := p.unit.tree
	var all value
	var each func(i int)
	each = func(i int) {
		if op := p.operator(i); t.Kind(i) == kindBinaryOperator && (op == kindAmpersand || op == kindCaret) {
			each(t.Child(i, leftField))
			each(t.Child(i, rightField))
			return
		}
		all = all.join(p.load(i))
	}
	each(i)
	p.compares(all, all)
	return anything()
}

// yieldsFrom tells whether the yield at i gives what another thing gives. A line end and a comment
// may stand between its two words.
func (p *python) yieldsFrom(i int) bool {
	t := p.unit.tree
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if !t.Named(c) && t.Source(c) == "from" {
			return true
		}
	}
	return false
}

// generic evaluates a[b] in an annotation.
func (p *python) generic(i int) value {
	t := p.unit.tree
	receiver := p.loadFirst(i)
	as := p.keysOf(receiver)
	for c := t.NextNamed(t.FirstNamed(i)); c != analyze.NoNode; c = t.NextNamed(c) {
		for d := t.FirstNamed(c); d != analyze.NoNode; d = t.NextNamed(d) {
			key := p.load(d)
			p.meets(key, receiver)
			p.keyed(receiver, key)
		}
	}
	p.asType = as
	p.givesTypes(i, receiver)
	return anything()
}

func (p *python) evalFirst(i int, u usage) value {
	t := p.unit.tree
	var v value
	for c, first := t.FirstNamed(i), true; c != analyze.NoNode; c, first = t.NextNamed(c), false {
		if first {
			v = p.eval(c, u)
		} else {
			p.load(c) // conversions and format specifications of an interpolation
		}
	}
	return v
}

func (p *python) conditional(i int, u usage) value {
	t := p.unit.tree
	var v value
	for c, k := t.FirstNamed(i), 0; c != analyze.NoNode; c, k = t.NextNamed(c), k+1 {
		if k == 1 {
			p.load(c)
		} else {
			v = v.join(p.eval(c, u))
		}
	}
	return v
}

func (p *python) yields(v value) {
	p.escape(v)
	for s := p.scope; s != nil; s = s.parent {
		if s.kind == functionScope {
			p.functions[s.owner].generator = true
			p.grow(&p.functions[s.owner].result, v)
			return
		}
	}
}

// meets notes that v is given to a special method of other, unless other is something
// that has none of the program's own.
func (p *python) meets(v, other value) {
	of := func(kind atomKind) bool {
		return slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == kind })
	}
	held, object := of(atomContainer), of(atomInstance)
	if !held && !object && v.flags&ofObject == 0 || !p.mayAsk(other, maxAsked) {
		return
	}
	asked := p.spread || p.ownOperators()
	if v.flags&ofObject != 0 && other.open() && other.flags&ofObject == 0 && p.ownOperators() {
		p.escape(v)
	}
	for _, a := range v.atoms {
		if a.kind == atomContainer || a.kind == atomInstance && asked {
			p.escape(one(a))
		}
	}
}

// maxAsked is how deep containers hold each other that are compared one by one.
const maxAsked = 4

// mayAsk tells whether v is something that may have special methods of the program's own,
// or holds it: containers give each element to the one that it is compared with.
func (p *python) mayAsk(v value, deep int) bool {
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool {
		if a.kind != atomContainer {
			return !a.constant()
		}
		c := &p.containers[a.n]
		return deep == 0 || p.mayAsk(c.all, deep-1) || p.mayAsk(c.keys, deep-1)
	})
}

// ownOperators tells whether a class of the program says itself what operators do.
func (p *python) ownOperators() bool {
	for name := range p.own {
		if strings.HasPrefix(name, "__") && name != "__init__" && name != "__str__" && name != "__repr__" && name != "__len__" {
			return true
		}
	}
	return false
}

// comparison evaluates what is compared. What is looked for in something may
// have a method of its own for each element of it.
func (p *python) comparison(i int) value {
	t := p.unit.tree
	var left value
	within := false
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Field(c) == operatorsField {
			within = strings.HasSuffix(t.Source(c), "in")
			continue
		}
		if !t.Named(c) || t.Extra(c) {
			continue
		}
		if within && p.asksIfLoaded(i, c) {
			return anything()
		}
		if p.isAskedWhose(i, c) {
			p.load(t.Child(c, objectField))
			left = anything()
			continue
		}
		right := p.load(c)
		p.meets(left, right)
		if within {
			if p.own["__eq__"] || p.spread { // of an element
				p.meets(left, p.elements(right))
			}
			p.meets(p.elements(right), left)
		} else {
			p.meets(right, left)
		}
		left = right
	}
	return anything()
}

// isAskedWhose tells whether the comparison at i asks no more of c than whether it is a method of an object: who compares
// by identity gives what he compares to nobody.
func (p *python) isAskedWhose(i, c int) bool {
	t := p.unit.tree
	if t.Kind(c) != kindAttribute || p.identifier(t.Child(c, attributeField)) != "__self__" {
		return false
	}
	for o := t.First(i); o != analyze.NoNode; o = t.Next(o) {
		if t.Field(o) == operatorsField && !strings.HasPrefix(t.Source(o), "is") {
			return false
		}
	}
	return true
}

// asksIfLoaded tells whether the comparison at i asks no more than whether sys.modules, which stands at
// c, has a key: nothing of what is in it is given to anybody.
func (p *python) asksIfLoaded(i, c int) bool {
	t := p.unit.tree
	if t.Kind(c) != kindAttribute || t.NextNamed(t.FirstNamed(i)) != c || t.NextNamed(c) != analyze.NoNode || p.symbolAt(c) != "sys.modules" {
		return false
	}
	p.eval(t.Child(c, objectField), usage{})
	if p.quiet == 0 {
		p.Dynamic(analyze.DynamicAttribute, p.span(c))
	}
	return true
}

// operator returns the kind of the operator of i.
func (p *python) operator(i int) analyze.Kind {
	if op := p.unit.tree.Child(i, operatorField); op != analyze.NoNode {
		return p.unit.tree.Kind(op)
	}
	return 0
}

func (p *python) assignment(i int) value {
	t := p.unit.tree
	right := t.Child(i, rightField)
	left := t.Child(i, leftField)
	if typ := t.Child(i, typeField); typ != analyze.NoNode {
		p.annotation(typ)
		p.givesField(typ)
		p.annotates(left)
		if p.scope.kind != functionScope { // which keeps none
			p.keepsType(typ)
		}
	}
	if right == analyze.NoNode {
		if left != analyze.NoNode && t.Kind(left) != kindIdentifier {
			p.load(left)
		}
		return value{}
	}
	v := p.load(right)
	p.namesTypeAt(left, right)
	p.bind(left, v)
	return v
}

// augmented walks x += y. In a loop the result has no bound, so only the
// outside symbols in it are followed, not the constants.
func (p *python) augmented(i int) value {
	t := p.unit.tree
	left, right := p.bare(t.Child(i, leftField)), t.Child(i, rightField)
	v := p.load(right)
	if left == analyze.NoNode {
		return v
	}
	before := p.load(left) // its operator is given to what v says comes of it, or it is changed in place
	p.meets(before, v)
	p.meets(v, before)
	p.appendAll(before, v)
	if t.Kind(left) != kindIdentifier {
		p.bind(left, p.addsToWalk(i, before, v).with(open))
		return v
	}
	if before.has(atom{kind: atomSymbol, text: "sys.argv"}) {
		p.argue()
	}
	p.addsToWalk(i, before, v)
	after := anything()
	if op := t.Source(t.Child(i, operatorField)); before.numeric() && v.numeric() && (op == "+=" || op == "-=") {
		after = value{flags: manyNumbers | (before.flags|v.flags)&worked}
	}
	p.shades(i, p.variableAt(left))
	p.assign(p.variableAt(left), after)
	if slices.ContainsFunc(before.join(v).atoms, atom.isPath) {
		p.assign(p.variableAt(left), somePath())
	}
	return anything()
}

// typeOf evaluates the annotation of a function. That of a field is told to who asks.
func (p *python) typeOf(i int) {
	p.asType = asAnnotation
	p.annotation(i)
	p.asType = asValue
	p.keepsType(i)
}

// annotation evaluates an annotation. One that is a string is code to whoever
// asks for the types; what cannot be code in it is left alone.
func (p *python) annotation(i int) {
	v := p.shown(i)
	t := p.unit.tree
	if c := t.FirstNamed(i); c != analyze.NoNode && (t.Kind(c) == kindString || t.Kind(c) == kindConcatenatedString) {
		v = p.load(c)
	}
	if s, ok := v.str(); ok && (strings.Contains(s, "(") || strings.Contains(s, "__")) {
		p.runText(i, s, true)
	}
}

// shown evaluates what stands for a type at i, which who has what it is for can ask for.
func (p *python) shown(i int) value {
	v := p.load(i)
	p.showsHeld(i)
	if v.flags&ofObject != 0 {
		p.letGo()
	}
	return v
}

// showsHeld lets containers go, and objects of the library, that an annotation names or makes:
// who asks for it has them.
func (p *python) showsHeld(i int) {
	t := p.unit.tree
	for n := i; n < t.After(i); n++ {
		if t.Kind(n) == kindCall {
			p.escape(value{atoms: p.glance(n).atoms})
		}
		if t.Kind(n) != kindIdentifier || t.Kind(t.Parent(n)) == kindAttribute && t.Child(t.Parent(n), objectField) != n {
			continue
		}
		for _, a := range p.vars[p.variableAt(n)].value.atoms {
			if a.kind == atomContainer || a.kind == atomInstance {
				p.escape(one(a))
			}
		}
	}
}

// mention records that the expression at i comes to outside symbols.
func (p *python) mention(i int, v value, u usage) {
	if u.how == "" || p.quiet > 0 {
		return
	}
	if u.how != analyze.HowCall {
		p.keepsFormat(i, v)
	}
	p.asksBy(v)
	if u.how == analyze.HowReference {
		p.grantsLater(i, v)
		p.putsAway(i, v)
		for _, a := range v.atoms {
			switch {
			case a.kind != atomSymbol:
			case strings.HasPrefix(a.text, "functools.singledispatch") && !p.dispatches:
				p.dispatches, p.changed = true, true
			case a.text == "logging.setLogRecordFactory":
				p.recording()
			}
		}
	}
	certainty := analyze.Exact
	if len(v.atoms) != 1 || v.flags != 0 {
		certainty = analyze.Possible
	}
	for _, a := range v.atoms {
		if a.kind != atomSymbol {
			continue
		}
		p.supplies(i, a.text, u)
		p.asksTypes(i, a.text, u.args)
		if p.ofWalk(i, a.text, u) || p.ofSettings(i, a.text, u) {
			continue
		}
		a.text = p.plainly(a.text, u)
		p.mentions = append(p.mentions, mention{a.text, u.how, certainty, u.args, p.span(i), p.scope.path, shownPath(p.pathText(a))})
		p.arguesWith(i, a.text, u)
		if a.text == "builtins.slice" && p.stepsBy(i, u) {
			p.asked["slice"] = true
		}
		if a.text == "operator.setitem" {
			p.setsItems(i)
		}
		if a.text == "builtins.slice" && !p.slices {
			p.slices, p.changed = true, true
		}
		if a.text == "string.Formatter" && !p.formatting {
			p.formatting, p.changed = true, true
		}
		if wrapsOther(a.text) && !p.renames {
			p.renames, p.changed = true, true
		}
		if a.text == "functools.singledispatchmethod" {
			p.marks(&p.dispatchesMethods, true)
		}
		p.replaces(a.text, u.how)
		p.lends(a.text)
		p.connects(i, a.text, certainty, u)
		if a.text != "dataclasses.field" || u.how != analyze.HowImport && (u.how != analyze.HowCall || !p.isDefaultOfField(i)) {
			p.handedOut(a.text)
		}
		p.marks(&p.keptFields, a.text == "dataclasses.field" && u.how == analyze.HowCall)
		if a.text == "types.GenericAlias" && p.answers() {
			p.dynamicAt(analyze.DynamicAttribute, i) // it asks what it is given for parameters
		}
		p.does(i, a.text, u.how)
		p.dumps(i, a.text, u.how)
		if class, ok := strings.CutPrefix(a.text, "collections."); ok && spellsAnswer(class) {
			p.bringsAnswers() // whoever has the class has them
		}
		if u.how != analyze.HowReference && u.how != analyze.HowDecorator {
			continue
		}
		if _, ok := p.tables.runners[a.text]; ok {
			p.dynamicAt(analyze.DynamicCode, i)
		}
		if kind := p.tables.references[a.text]; kind != "" && !p.namesType() && (u.how == analyze.HowReference || a.text != "dataclasses.dataclass") {
			p.dynamicAt(kind, i)
		}
		// A module that is more than the object of an attribute may go anywhere.
		p.escape(one(a))
	}
}
