package python

import (
	"maps"
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

func (p *python) evalAttribute(i int, u usage) value {
	t := p.unit.tree
	object, name := t.Child(i, objectField), t.Child(i, attributeField)
	if t.Kind(i) == kindMemberType {
		object, name = t.FirstNamed(i), p.lastNamed(i)
	}
	if object == analyze.NoNode || name == analyze.NoNode {
		return anything()
	}
	return p.memberRead(i, name, p.eval(object, usage{}), u)
}

// evalDotted evaluates a dotted name in a pattern.
func (p *python) evalDotted(i int, u usage) value {
	t := p.unit.tree
	c := t.FirstNamed(i)
	if c == analyze.NoNode {
		return anything()
	}
	v := p.variable(c)
	if t.NextNamed(c) == analyze.NoNode {
		p.mention(i, v, u)
	}
	for name := t.NextNamed(c); name != analyze.NoNode; name = t.NextNamed(name) {
		use := u
		if t.NextNamed(name) != analyze.NoNode {
			use = usage{}
		}
		v = p.memberRead(name, name, v, use)
	}
	return v
}

// memberRead evaluates the attribute named at name of receiver, which is read at i.
func (p *python) memberRead(i, name int, receiver value, u usage) value {
	t := p.unit.tree
	v := p.attribute(name, receiver, p.identifier(name))
	p.mention(i, v, u)
	p.checkNamespaceUse(i, v)
	for _, a := range receiver.atoms {
		if _, path := p.pathProperty(a, p.identifier(name)); path && a.kind == atomInstance && p.pathText(a) != "" {
			continue // it is a path that is known, or open already
		}
		if a.constant() || a.kind == atomContainer || a.kind == atomNamespace || a.kind == atomInstance {
			if a.kind == atomNamespace && t.Field(i) != functionField {
				p.namespaceAsData(i, a)
			}
			v = v.with(open)
		}
	}
	p.methodAsValue(receiver)
	p.formatAsValue(i, receiver, p.identifier(name))
	if u.how == analyze.HowReference {
		p.readAside(i, p.identifier(name))
	}
	return v
}

// readAside looks at a method of anything that is read at i and not called there: whoever
// has it calls it with what is not seen.
func (p *python) readAside(i int, name string) {
	p.makesActions(name)
	p.putsLogger(name)
	p.handedUp(i, name, &arguments{splat: true})
	p.parsedInto(i, name, &arguments{splat: true})
	p.contextual(i, name, &arguments{splat: true, rest: anything()})
	p.reported(i, name, &arguments{splat: true, rest: anything()})
	p.setsFormatter(i, name, &arguments{splat: true, rest: anything()})
	p.moved(i, name, &arguments{splat: true, rest: anything()})
	p.looksUpClass(name, &arguments{splat: true})
	if p.dispatches && name == "register" {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// methodAsValue notes that a method of v is not called on the spot: whoever
// gets it may put anything into a container.
func (p *python) methodAsValue(v value) {
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			p.escape(one(a))
		}
	}
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

// variableAt returns the variable that identifier i reads or binds.
func (p *python) variableAt(i int) int {
	if id := p.unit.vars[i]; id >= 0 {
		return int(id)
	}
	id := p.lookup(p.identifier(i), p.scope)
	p.unit.vars[i] = int32(id)
	return id
}

// variable evaluates a name.
func (p *python) variable(i int) value {
	v := p.binding(i)
	if p.vars[p.variableAt(i)].name == annotations {
		v = v.join(p.annotationsOf(i)) // every module and class body has it
	}
	if t := p.unit.tree; t.Field(i) != functionField || t.Kind(t.Parent(i)) != kindCall {
		p.hand(v)
	}
	p.takesName(i, v)
	return v
}

// binding is everything that the name at i may mean.
func (p *python) binding(i int) value {
	id := p.variableAt(i)
	v := p.vars[id].value
	s := p.vars[id].scope
	if s.kind == classScope && s.parent != nil {
		// Where the class has not bound it yet, the name is the module's, or a builtin.
		outer := p.variableIn(outOfClass(p.vars[id].name, s), p.module)
		v = v.join(p.vars[outer].value).join(p.free(outer, i))
	} else if s == p.module {
		v = v.join(p.free(id, i))
	}
	if p.boundByClass(p.vars[id].name) || p.misnamed(p.vars[id].name) {
		v = v.with(open)
	}
	return v
}

// misnamed tells whether a name is private to a class where it stands among type parameters or what goes with
// them: of which class that is, versions of the interpreter do not agree.
func (p *python) misnamed(name string) bool {
	if !strings.HasPrefix(name, "_") || strings.HasSuffix(name, "__") || !strings.Contains(name[1:], "__") && !strings.HasPrefix(name, "__") {
		return false
	}
	for s := p.scope; s != nil; s = s.parent {
		if s.types {
			return true
		}
	}
	return false
}

// boundByClass tells whether the interpreter itself binds a name in the body of the class that is being
// read, or in a function of one.
func (p *python) boundByClass(name string) bool {
	switch name {
	case "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__type_params__", "__classdict__", "__classcell__", "__conditional_annotations__":
		return p.scope.kind == classScope
	case "__class__":
		return p.scope.class() != nil
	}
	return false
}

// free evaluates what a name of the module can be besides what the program
// binds to it: a builtin, or something from a star import.
func (p *python) free(id, i int) value {
	x := p.vars[id]
	if x.scope != p.module {
		return value{}
	}
	var v value
	builtin, unknown := p.stdlib.builtins[x.name], 0
	for _, module := range p.stars {
		set := len(p.members) > 0 && !p.members[module+"."+x.name].nothing() // by the program
		if !set && !p.stdlib.exported(module, x.name) {
			if p.stdlib.modules[module] || x.bound || builtin {
				continue
			}
			if unknown++; unknown > maxAtoms {
				v = v.with(open)
				continue
			}
		}
		v = v.join(p.memberOf(module, x.name))
	}
	switch {
	case builtin && !p.definite(id, i):
		v = v.join(p.builtin(x.name))
		if x.name == "__loader__" || x.name == "__spec__" {
			p.dynamicAt(analyze.DynamicImport, i)
		}
	case x.name == "get_ipython" && p.Source.FromNotebook() && !p.definite(id, i):
		v = v.join(symbol("IPython.get_ipython"))
	case !builtin && !x.bound && v.nothing():
		v = anything()
	case x.bound && boundByModule(x.name) && !p.definite(id, i):
		v = v.with(open)
	}
	return v
}

// boundByModule tells whether the interpreter itself binds a name in a module, before the program does or meanwhile.
func boundByModule(name string) bool {
	switch name {
	case "__name__", "__doc__", "__file__", "__package__", "__cached__", "__loader__", "__spec__", "__annotations__", "__annotate__", "__conditional_annotations__", "__warningregistry__":
		return true
	}
	return false
}

func (p *python) builtin(name string) value {
	if name == "__builtins__" {
		return symbol("builtins").join(one(atom{kind: atomNamespace, text: "builtins"}))
	}
	return symbol("builtins." + name).join(p.members["builtins."+name])
}

// definite tells whether name id is bound for sure when identifier i is read,
// so that it cannot mean the builtin.
func (p *python) definite(id, i int) bool {
	bound := p.vars[id].boundAt
	if bound < 0 || p.unit.fixed != nil {
		return false
	}
	t := p.unit.tree
	if !p.Source.SameCell(bound-1, t.Start(i)) {
		return false // the cell that binds it may have stopped before
	}
	if p.scope == p.module {
		return bound <= t.Start(i)
	}
	return bound <= p.statementStart(i) || p.Source.Cells() == nil && (p.isBefore(bound) || p.ofItself(i, bound))
}

// ofItself tells whether i stands in the function or class that is bound at bound, which
// does nothing that could call it before it has its name.
func (p *python) ofItself(i, bound int) bool {
	t := p.unit.tree
	for t.Parent(i) > 0 {
		i = t.Parent(i)
	}
	return t.End(i) == bound && (t.Kind(i) == kindFunctionDefinition || t.Kind(i) == kindClassDefinition) && p.firstAct(i) == t.After(i)
}

// isBefore tells whether an offset comes before all that may do more than bind names and
// load modules: nothing of the program is there by then that could call a function. Later a
// thread may, a signal, and the end of an object, which comes when the collector of garbage runs.
func (p *python) isBefore(offset int) bool {
	t := p.units[0].tree
	return p.opens >= t.Len() || offset <= t.Start(p.opens)
}

// firstAct returns the first node of a statement that is not known to be inert, and
// what comes after the statement when there is none. Operators, conditions and class
// definitions with bases may call a function defined before, through methods.
func (p *python) firstAct(statement int) int {
	t := p.units[0].tree
	for n := statement; n < t.After(statement); n++ {
		if !t.Named(n) {
			continue
		}
		switch k := t.Kind(n); k {
		case kindCall:
			if !p.compiles(n) {
				return n
			}
			n = t.After(n) - 1
		case kindBlock, kindLambda:
			if k == kindLambda || t.Kind(t.Parent(n)) == kindFunctionDefinition {
				n = t.After(n) - 1
			}
		case kindFunctionDefinition, kindClassDefinition, kindParameters, kindDefaultParameter, kindTypedParameter, kindTypedDefaultParameter, kindListSplatPattern,
			kindDictionarySplatPattern, kindPositionalSeparator, kindKeywordSeparator, kindType, kindExpressionStatement, kindAssignment, kindIdentifier, kindString,
			kindStringStart, kindStringContent, kindStringEnd, kindEscapeSequence, kindInteger, kindFloat, kindTrue, kindFalse, kindNone, kindEllipsis, kindList, kindTuple,
			kindImportStatement, kindImportFromStatement, kindFutureImportStatement, kindDottedName, kindAliasedImport, kindRelativeImport, kindImportPrefix,
			kindTryStatement, kindExceptClause, kindElseClause, kindFinallyClause, kindPassStatement:
		default:
			if !t.Extra(n) {
				return n
			}
		}
	}
	return t.After(statement)
}

// compiles tells whether the call at i makes a regular expression of what is written out.
func (p *python) compiles(i int) bool {
	t := p.units[0].tree
	id, ok := p.module.vars["re"]
	for up := t.Parent(i); up > 0; up = t.Parent(up) {
		if t.Kind(up) == kindClassDefinition { // which may have a name of its own
			return false
		}
	}
	if !ok || p.vars[id].again || identifierText(t.Source(t.Child(i, functionField))) != "re.compile" {
		return false
	}
	for c := t.FirstNamed(0); c != analyze.NoNode && t.End(c) <= p.vars[id].boundAt; c = t.NextNamed(c) {
		if t.End(c) == p.vars[id].boundAt && (t.Kind(c) != kindImportStatement || p.importsAs(c)) {
			return false
		}
	}
	for n := i + 1; n < t.After(i); n++ {
		switch t.Kind(n) {
		case kindIdentifier:
			if identifierText(t.Source(n)) != "re" && t.Field(n) != attributeField {
				return false
			}
		case kindCall, kindInterpolation, kindLambda, kindNamedExpression, kindSubscript:
			return false
		}
	}
	return p.vars[id].boundAt >= 0
}

// importsAs tells whether the import at i gives a module another name.
func (p *python) importsAs(i int) bool {
	t := p.units[0].tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindAliasedImport {
			return true
		}
	}
	return false
}

// opening returns the first node of the source that may do more than bind names
// and load modules. Python 3.15 puts off loading what __lazy_modules__ names.
func (p *python) opening() int {
	t := p.units[0].tree
	for c := t.FirstNamed(0); c != analyze.NoNode; c = t.NextNamed(c) {
		end := p.firstAct(c)
		for n := c; n < end; n++ {
			if t.Kind(n) == kindIdentifier && identifierText(t.Source(n)) == "__lazy_modules__" {
				return n
			}
		}
		if end < t.After(c) {
			return end
		}
	}
	return t.Len()
}

// early tells whether what is loaded at node i is loaded before the program does
// anything. The cells of a notebook are run in any order, and again.
func (p *python) early(i int) bool {
	if p.unit != p.units[0] || i >= p.opens || p.Source.FromNotebook() {
		return false
	}
	t := p.unit.tree
	for n := i; n != analyze.NoNode; n = t.Parent(n) {
		if k := t.Kind(n); k == kindFunctionDefinition || k == kindLambda {
			return false
		}
	}
	return true
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
		p.handedOut(a.text)
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

// attribute evaluates attribute name of v; i is where it is named.
func (p *python) attribute(i int, v value, name string) value {
	p.noteAttribute(i, name, v)
	p.unwrapped(name)
	p.registersAs(name, v)
	if name == annotations {
		return p.annotationsOf(i)
	}
	if name == "__traceback__" && (v.isCaught() || !p.own["__getattr__"]) {
		return one(traceback)
	}
	if name == "__name__" {
		if names, ok := p.namesOf(v); ok {
			return names
		}
	}
	var out value
	unknown := v.open()
	p.rebuilt(i, name, v)
	p.handsNames(i, name, v)
	p.keepsSignals(i, name, v)
	if name == "__class__" {
		out = p.classOf(v)
	}
	for _, a := range v.atoms {
		switch a.kind {
		case atomSymbol:
			p.borrows(i, a.text, name)
			p.readsMaker(i, a.text, name)
			out = out.join(p.member(i, a.text, name))
			p.privateOf(i, a.text, name)
		case atomInstance:
			if a == action && name == "__call__" {
				p.dynamicAt(analyze.DynamicAttribute, i)
			}
			if to, ok := p.pathProperty(a, name); ok {
				if name == "parents" {
					to = p.bag(i, to)
				}
				out = out.join(to)
				break
			}
			if name == "name" && a.text == "tempfile.TemporaryDirectory" {
				out = out.join(p.entered(one(a)))
				break
			}
			if a.isOpened() {
				p.disguises(name)
				unknown = unknown || a.text == excelWriter // which hands out what does more than compute
			}
			out = out.join(one(atom{kind: atomSymbol, text: a.text + "." + name, n: a.n})).join(p.fields[name]).join(p.escapedMember(name))
			p.privateOf(i, a.text, name)
			p.private(i, name)
		case atomFunction, atomException, atomClass, atomGetter:
			unknown = true
			if a.kind == atomClass {
				p.lendsOwn(i, int(a.n), name)
				p.lendsWritten(i, int(a.n), name)
			}
		}
		if a.kind == atomException && name == "obj" {
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	}
	out = out.with(v.flags & (reached | walked))
	if v.flags&missed != 0 {
		out = out.join(p.memberOfImported(name))
	}
	if name == "obj" && unknown && !p.asksOwn(i, p.ofOwn(i, name)) {
		out = out.with(missed)
	}
	if v.flags&ofObject != 0 && ofWith(name) {
		p.dynamicAt(analyze.DynamicAttribute, i) // of whatever it is given in the place of the object
	}
	if v.flags&ofObject != 0 {
		p.borrowsUnseen(i, name)
	}
	p.remadeFlag(i, v, name)
	p.keepsSetter(i, name)
	p.lendsSuper(i, v, name)
	if name == "parser" && unknown && p.imported["configparser"] { // of a section
		out = out.join(one(atom{kind: atomInstance, text: configParser}))
	}
	if name == "parser" && unknown && p.imported["pathlib"] && p.asksSystem(i) { // of a class of paths
		out = out.join(symbol("os.path"))
	}
	if unknown && len(p.askers) > 0 {
		p.offClass(i, name, v)
	}
	if v.open() {
		p.offWritten(i, name, v)
	}
	if name == "__call__" {
		out = out.with(v.flags & ofObject)
	}
	if unknown {
		p.lentFile(i, name)
		p.handMember(name)
		p.private(i, name)
		p.keepsEnter(i, name)
		if name == "__aexit__" && !p.isCalled(i) {
			p.tellsOfEnd(i, name, &arguments{splat: true, rest: anything()})
		}
		p.remadeUnseen(i, name)
		if name == "format" || name == "format_map" {
			out = out.join(one(formatOfAnything))
		}
		out = out.join(p.fields[name]).join(p.special(name)).join(p.escapedMember(name)).join(p.methodOf(i, name)).with(open)
	}
	return out
}

// asksSystem tells whether what is read at i is asked on the spot for a function of os.path that looks
// at more than text.
func (p *python) asksSystem(i int) bool {
	t, of := p.unit.tree, p.attributeNamed(i)
	if of == analyze.NoNode {
		return false
	}
	asked := t.Parent(of)
	if asked == analyze.NoNode || t.Kind(asked) != kindAttribute || t.Child(asked, objectField) != of {
		return false
	}
	switch p.identifier(t.Child(asked, attributeField)) {
	case "exists", "expanduser", "expandvars", "getatime", "getctime", "getmtime", "getsize", "isdevdrive", "isdir", "isfile",
		"isjunction", "islink", "ismount", "lexists", "realpath", "samefile":
		return true
	}
	return false
}

// methodOf evaluates a method that an object of an imported module is likely
// to be asked for, wherever the object came from.
func (p *python) methodOf(i int, name string) value {
	if s := p.means(name); s != "" && p.tables.meant[name].read {
		return symbol(s)
	}
	var out value
	switch name {
	case "write", "write_c14n", "parse":
		if slices.Contains(p.strayed, xmlTree) {
			out = symbol(xmlTree + "." + name)
		}
	case "home": // which objects of the program may have, as data
		if slices.Contains(p.strayed, pathClass) && (p.isCalled(i) || p.fields[name].nothing()) {
			out = symbol(pathClass + "." + name)
		}
	case "owner", "walk", "resolve":
		if slices.Contains(p.strayed, pathClass) {
			out = symbol(pathClass + "." + name)
		}
	case "group": // which a match of re has, too
		if slices.Contains(p.strayed, pathClass) && !p.imported["re"] {
			out = symbol(pathClass + "." + name)
		}
	}
	full, ok := p.tables.methods[name]
	if module, _, _ := strings.Cut(full, "."); !ok || !p.atHand(module) {
		return out
	}
	return out.join(symbol(full))
}

// noteAttribute records an attribute name of v, and what kind of door it is.
func (p *python) noteAttribute(i int, name string, v value) {
	if p.quiet > 0 || name == "" {
		return
	}
	p.Attr(name, p.span(i))
	if name == "copy" || name == "decode" || name == "encode" || name == "run_in_executor" || name == "addFilter" || name == "default_factory" {
		p.asked[name] = true
	}
	p.seesRecords(name)
	p.asksSupplied(i, name)
	p.marks(&p.slotsRead, name == "__slots__")
	if name == "__setitem__" && !p.ofSuper(i) {
		p.setsItems(i)
	}
	p.asked["%"] = p.asked["%"] || name == "__mod__" || name == "mod" || name == "imod"
	if kind := p.tables.attributes[name]; kind != "" {
		if p.listsOwnClasses(i, name, v) {
			kind = analyze.DynamicClass
		}
		p.dynamicAt(kind, i)
	}
}

// listsOwnClasses tells whether attribute name of v is called for the classes below a class of
// the program, which has made them all. A class that comes from type has the method of all
// classes, which is then called with one of them.
func (p *python) listsOwnClasses(i int, name string, v value) bool {
	a, ok := v.single()
	if !ok || a.kind != atomClass || name != "__subclasses__" || !p.isCalled(i) || !p.isClassAsWritten() {
		return false
	}
	t := p.unit.tree
	call := t.Parent(t.Bracketed(t.Parent(i), kindParenthesizedExpression))
	return t.FirstNamed(t.Child(call, argumentsField)) == analyze.NoNode
}

// special evaluates attributes that lead out of any object.
func (p *python) special(name string) value {
	switch name {
	case "__builtins__":
		return p.builtin(name)
	case "f_builtins":
		return one(atom{kind: atomNamespace, text: "builtins"})
	case "f_globals", "f_locals", "__globals__", "gi_globals":
		return one(atom{kind: atomNamespace})
	case "__import__":
		return symbol("builtins.__import__")
	case "__self__":
		return symbol("builtins") // where the method is a function of the interpreter
	}
	return value{}
}

// isClassAsWritten tells whether what the name of a class is bound to is that class: no metaclass, of
// the program or not known, may have made something else in its place or have such a name for something
// else, and no test put something else there by its name.
func (p *python) isClassAsWritten() bool {
	if p.imported["unittest"] || p.imported["mock"] || p.imported["pytest"] || p.imported["__main__"] {
		return false
	}
	return !slices.ContainsFunc(p.classes, func(c class) bool {
		return c.bases.open() || c.meta.open() || slices.ContainsFunc(c.meta.atoms, func(a atom) bool { return a.kind != atomSymbol })
	})
}

// member evaluates a member of an outside symbol and notes a module that is
// reached that way.
func (p *python) member(i int, owner, name string) value {
	v := p.memberOf(owner, name)
	for _, a := range v.atoms {
		if a.kind == atomSymbol && a.text != owner+"."+name && a.text != owner && p.stdlib.modules[a.text] {
			p.importModuleAt(a.text, i)
		}
	}
	return v
}

// memberOf evaluates a member of an outside symbol.
func (p *python) memberOf(owner, name string) value {
	switch name {
	case "__dict__":
		return one(atom{kind: atomNamespace, text: owner})
	case "__builtins__":
		return p.builtin(name)
	case "__call__", "__wrapped__", "__func__":
		return symbol(owner)
	case "__self__":
		return symbol(p.stdlib.moduleOf(owner))
	case "__globals__":
		return one(atom{kind: atomNamespace, text: p.stdlib.moduleOf(owner)})
	case "__class__", "__base__", "__bases__", "__mro__":
		return anything().with(ofObject)
	}
	if len(owner)+len(name) > analyze.MaxName {
		return anything()
	}
	full := p.stdlib.member(owner, name)
	if strings.Count(full, ".") > maxDots {
		return anything()
	}
	if same := p.sameAs(owner, name); same != "" {
		return symbol(same).join(p.members[full])
	}
	if v := p.ofProgram(owner, name); !v.nothing() {
		return v.join(p.members[full])
	}
	return symbol(full).join(p.members[full])
}

// maxDots bounds a qualified name: x = x.next in a loop makes longer and
// longer ones.
const maxDots = 7

// setField adds to the attribute name of the objects of this program. Reading
// one is never exact, so its constants do not matter.
func (p *python) setField(name string, v value) {
	p.ownName(name)
	if v.open() && p.quiet == 0 && !p.unknownOwn[name] {
		p.unknownOwn[name], p.changed = true, true
	}
	kept := value{atoms: v.atoms, flags: v.flags & (ofObject | missed | aClass)}
	for k, a := range v.atoms {
		if a.constant() {
			kept.atoms = slices.DeleteFunc(append(v.atoms[:k:k], v.atoms[k:]...), atom.constant)
			break
		}
	}
	p.escape(kept)
	p.handsTo(value{atoms: v.atoms})
	old := p.fields[name]
	if len(kept.atoms) == 0 && kept.flags == 0 || p.quiet > 0 {
		return
	}
	p.grow(&old, kept)
	p.fields[name] = old
}

// ownName notes that the program itself defines an attribute of that name.
func (p *python) ownName(name string) {
	p.marks(&p.sums, name == "__radd__")
	if p.owns(name) {
		p.handedOut(p.tables.methods[name]) // what the library then calls in the place of its own
	}
}

// owns notes that something of the program has an attribute of that name, and tells whether that is new.
func (p *python) owns(name string) bool {
	if p.own[name] || p.quiet > 0 {
		return false
	}
	p.own[name], p.changed = true, true
	return true
}

// setAttribute assigns v to an attribute.
func (p *python) setAttribute(i int, object value, name string, v value) {
	p.noteAttribute(i, name, value{})
	p.stored(i, name, v)
	p.optionOf(i, name, v)
	p.textual(i, name, v)
	p.hooks(i, name, v)
	p.putsTaker(i, name)
	p.putsOnClass(i, object, v)
	p.keepsPlace(i, object, name, v)
	p.keepsMeasure(i, name)
	p.keepsWeak(i, name)
	if object.open() || len(object.atoms) > 0 {
		p.puts(i, object, name)
	}
	switch name {
	case "default":
		p.begins(v)
	case "parse", "exceptions": // as if the class had it
		if name == "parse" && p.formatting && object.open() || slices.ContainsFunc(p.classes, func(c class) bool {
			return p.isBelow(c.scope.owner, func(class string) bool {
				return name == "parse" && class == "string.Formatter" || name == "exceptions" && strings.HasSuffix(class, "ExceptionGroup")
			})
		}) {
			p.dynamicAt(analyze.DynamicFormat, i)
		}
	case "dest":
		p.destinedAnew(i, object, v)
	case "__match_args__":
		p.dynamicAt(analyze.DynamicMember, i) // which attributes patterns read
	case "__doc__", "__test__":
		p.documented(i, v)
	}
	for _, a := range object.atoms {
		switch a.kind {
		case atomSymbol:
			p.setMember(i, a.text, name, v)
		case atomInstance:
			p.mention(i, symbol(a.text+"."+name), usage{how: analyze.HowAssign})
		case atomClass: // as if it stood in its body
			p.rewrites(i, name, v)
		}
	}
	if object.open() {
		p.lentFile(i, name)
		p.given(i, name, v)
	}
	if object.open() || len(object.atoms) > 0 {
		p.setField(name, v)
		p.overridden(i, name, v)
	}
}

// setMember assigns v to a member of an outside symbol: of a module it changes
// what other code finds there.
func (p *python) setMember(i int, owner, name string, v value) {
	full := p.stdlib.member(owner, name)
	p.mention(i, symbol(full), usage{how: analyze.HowAssign})
	top, _, _ := strings.Cut(owner, ".")
	module := p.stdlib.modules[owner] || !p.stdlib.modules[top] && owner == top
	if module && !p.tables.assignable[full] {
		p.dynamicAt(analyze.DynamicPatch, i)
	}
	p.putMember(full, v)
}

// putMember adds to what a member of the library may be.
func (p *python) putMember(full string, v value) {
	old := p.members[full]
	p.grow(&old, v)
	if p.quiet == 0 {
		p.members[full] = old
	}
}

// escape notes that v goes where the analysis does not follow: whatever is not
// known may be v again, so the members of modules in it count wherever they
// are named.
func (p *python) escape(v value) {
	if p.quiet > 0 {
		return
	}
	p.goesAstray(v.flags)
	if v.flags&missed != 0 {
		for module := range p.imported {
			p.escapeSymbol(atom{kind: atomSymbol, text: module})
		}
	}
	var held []int64 // containers that go with it: a list, because they may be nested as deeply as the source is long
	for atoms := v.atoms; ; held = held[:len(held)-1] {
		for _, a := range atoms {
			switch a.kind {
			case atomSymbol, atomNamespace:
				p.escapeSymbol(a)
			case atomFunction:
				p.hand(one(a))
				if f := &p.functions[a.n]; !f.strayed {
					f.strayed, p.changed = true, true
				}
			case atomClass:
				c := &p.classes[a.n]
				if !c.strayed {
					c.strayed, p.changed = true, true
				}
				if c.strayedIn > p.round { // what a round finds above a class is there in the next
					break
				}
				c.strayedIn = p.round + 1
				for _, above := range p.doerAbove(int(a.n)).atoms {
					p.strays(above.text)
				}
			case atomInstance:
				if a == action {
					p.acting()
				}
				p.strays(a.text)
				if a.text == "tempfile.TemporaryDirectory" && !p.lent {
					p.lent, p.changed = true, true
				}
				if a == formatOfAnything && !p.formats {
					p.formats, p.changed = true, true
				}
			case atomContainer:
				if c := &p.containers[a.n]; !c.escaped {
					c.escaped, c.moved = true, true
					p.changed = true
					held = append(held, a.n)
				}
			}
		}
		if len(held) == 0 {
			return
		}
		all := p.containers[held[len(held)-1]].all
		p.goesAstray(all.flags)
		atoms = all.atoms
	}
}

func (p *python) escapeSymbol(a atom) {
	if strings.HasPrefix(a.text, "builtins.") && !p.loose {
		p.loose, p.changed = true, true
	}
	module := a.text
	if a.kind == atomNamespace && module == "" {
		module = "builtins" // the program's namespace holds it
	}
	if p.stdlib.modules[module] && !p.escaped[module] {
		p.escaped[module] = true
		p.escapedMembers = map[string]value{}
		p.changed = true
	}
}

// memberOfImported evaluates name as a member of any module that is imported.
func (p *python) memberOfImported(name string) (v value) {
	for _, module := range slices.Sorted(maps.Keys(p.imported)) {
		if p.stdlib.has(module, name) {
			v = v.join(p.memberOf(module, name))
		}
	}
	return v
}

// escapedMember evaluates name as a member of the modules that escaped.
func (p *python) escapedMember(name string) value {
	if len(p.escaped) == 0 {
		return value{}
	}
	v, ok := p.escapedMembers[name]
	if !ok {
		for _, module := range slices.Sorted(maps.Keys(p.escaped)) {
			if p.stdlib.has(module, name) {
				v = v.join(symbol(p.stdlib.member(module, name)))
			}
		}
		p.escapedMembers[name] = v
	}
	for _, a := range v.atoms {
		v = v.join(p.members[a.text])
	}
	return v
}
