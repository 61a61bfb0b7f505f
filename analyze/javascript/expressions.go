package javascript

import (
	"slices"
	"strconv"
	"strings"

	"sallyport/analyze"
)

// bare returns what stands at node i without the brackets around it.
func (j *javascript) bare(i int) int { return j.tree.Bare(i, kindParenthesizedExpression) }

// load evaluates an expression whose value is used, and reports the outside
// symbols that it yields by name.
func (j *javascript) load(i int) value {
	s := j.eval(i)
	if j.reports() {
		switch j.tree.Kind(i) {
		case kindIdentifier, kindMemberExpression, kindSubscriptExpression, kindThis, kindShorthandPropertyIdentifier:
			j.mentionAll(s, i, analyze.HowReference)
		}
	}
	return s
}

// eval evaluates an expression; what the whole of it names is not reported,
// because the caller knows better what happens to it.
func (j *javascript) eval(i int) value {
	if i == analyze.NoNode || !j.step() {
		return anything()
	}
	j.here = i
	t := j.tree
	switch t.Kind(i) {
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifier:
		return j.variable(i)
	case kindThis:
		j.asksInside(i)
		return j.this
	case kindSuper:
		return j.join(j.super, anything())
	case kindString:
		r := j.remembered(i)
		text := j.stringText(i)
		if r.set == nil {
			r.set = literal(text)
		}
		j.constant(text)
		return r.set
	case kindNumber:
		r := j.remembered(i)
		if r.set == nil {
			r.set = numberValue(numberText(t.Source(i)))
		}
		return r.set
	case kindTrue:
		return boolValue(true)
	case kindFalse:
		return boolValue(false)
	case kindNull:
		return ofKind(atomNull)
	case kindTemplateString:
		return j.template(i)
	case kindRegex:
		return objectValue(j.regex(i))
	case kindParenthesizedExpression:
		return j.eval(t.FirstNamed(i))
	case kindSequenceExpression:
		var s value
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			s = j.load(c)
		}
		return s
	case kindMemberExpression:
		return j.optional(i, j.member(i))
	case kindSubscriptExpression:
		return j.optional(i, j.subscript(i))
	case kindCallExpression:
		return j.optional(i, j.call(i))
	case kindNewExpression:
		return j.newCall(i)
	case kindAssignmentExpression:
		return j.assignment(i)
	case kindAugmentedAssignmentExpression:
		return j.augmented(i)
	case kindObject:
		return j.object(i)
	case kindArray:
		return j.array(i)
	case kindFunctionExpression, kindGeneratorFunction, kindArrowFunction:
		s := j.definition(i)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeOf[i]), name, s)
		}
		return s
	case kindClass:
		return j.classDefinition(i)
	case kindMetaProperty:
		if strings.HasPrefix(t.Source(i), "new") {
			return j.target()
		}
		return symbol(importMeta)
	}
	return j.operator(i)
}

// operator evaluates the expressions that combine others.
func (j *javascript) operator(i int) value {
	t := j.tree
	switch t.Kind(i) {
	case kindAwaitExpression:
		v := j.load(t.FirstNamed(i))
		j.convertsAll(v)
		return j.awaited(v)
	case kindSpreadElement:
		return j.load(t.FirstNamed(i))
	case kindYieldExpression:
		e := t.FirstNamed(i)
		if e == analyze.NoNode {
			return anything()
		}
		s, sent := j.load(e), anything()
		if hasWord(t, i, "*") {
			s = j.elements(s, e)
			sent = j.join(sent, s) // what the other generator returned
		}
		if j.function != nil {
			j.grow(&j.function.gives, &j.function.ret, s)
		}
		return sent
	case kindTernaryExpression:
		if c := t.Child(i, conditionField); c != analyze.NoNode {
			j.load(c)
		}
		return j.join(j.load(t.Child(i, consequenceField)), j.load(t.Child(i, alternativeField)))
	case kindBinaryExpression:
		return j.binary(i)
	case kindUnaryExpression:
		return j.unary(i)
	case kindUpdateExpression:
		if a := t.Child(i, argumentField); a != analyze.NoNode {
			for _, v := range j.load(a) { // and a number from then on
				j.converts(v)
			}
			j.assign(a, ofKind(atomAnyNumber))
		}
		return ofKind(atomAnyNumber)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		j.statement(c)
	}
	return anything()
}

// awaited is what waiting for s yields: what a thenable gives is not known.
func (j *javascript) awaited(s value) value {
	if s.any(atomObject) || s.any(atomBytes) {
		return j.join(s, anything())
	}
	return s
}

// constant reports a string constant.
func (j *javascript) constant(s string) {
	if s != "" {
		j.event(eventString, s, 0)
	}
}

// variable evaluates an identifier.
func (j *javascript) variable(i int) value {
	found, global := j.resolve(i)
	var s value
	for _, b := range found {
		j.reads(&b.readBy)
		s = j.join(s, b.values)
	}
	if global {
		s = j.join(s, j.global(j.identifierText(i), i))
	}
	for _, o := range j.with {
		s = j.join(s, j.memberOf(o, j.identifierText(i), i))
	}
	return s
}

// global evaluates a name that nothing declares.
func (j *javascript) global(name string, i int) value {
	switch name {
	case "undefined":
		return ofKind(atomUndefined)
	case "NaN":
		return ofKind(atomAnyNumber)
	case "Infinity":
		return ofKind(atomAnyNumber)
	case "global", "globalThis":
		return symbol("globalThis")
	case "arguments":
		if f := j.argumentsOwner(); f != nil {
			return j.argumentsOf(f)
		}
		if j.class != nil {
			return anything()
		}
	case "exports":
		if j.mode == programCode && j.goal == analyze.Script {
			return j.firstExports()
		}
	}
	r := j.remembered(i)
	if r.set == nil {
		r.set = symbol("globalThis." + name)
	}
	s := r.set
	if p := j.implicit[name]; p != nil {
		if isBuiltinGlobal(name) {
			return j.join(s, j.known(p))
		}
		return j.join(j.known(p), anything())
	}
	return s
}

// firstExports is what exports is, and this at the top: what module.exports was at first, whatever
// it is made later. exports may be assigned as any name.
func (j *javascript) firstExports() value {
	s := objectValue(j.objectFor(0, 1))
	if p := j.implicit["exports"]; p != nil {
		s = j.join(s, j.known(p))
	}
	return s
}

// target evaluates new.target: the function that asks, or a class below it.
func (j *javascript) target() value {
	f := j.argumentsOwner()
	if f == nil {
		return anything()
	}
	made := j.objectAt(f.node)
	if j.class != nil && j.class.constructor == made {
		made = j.class
	}
	return j.join(j.withHeirs(objectValue(made)), anything())
}

// argumentsOf is the arguments object of a function.
func (j *javascript) argumentsOf(f *function) value {
	o := j.objectFor(f.node, 2)
	o.array, o.arguments = true, true
	j.reads(&f.given)
	j.grow(&o.readBy, &o.rest, f.all)
	if f.outside || f.asked {
		j.grow(&o.readBy, &o.rest, anything())
	}
	j.argumentsWritten(f, o)
	return objectValue(o)
}

// showsArguments is true for a function that has its arguments as a member, while it runs.
func (f *function) showsArguments() bool {
	return f != nil && !f.strict && !f.arrow && !f.method && !f.generator && !f.async
}

// argumentsWritten joins the arguments object with the parameters, which it is
// another name for in sloppy code: what is put into one is in the others.
func (j *javascript) argumentsWritten(f *function, o *object) {
	if f.strict {
		return
	}
	if list := j.tree.Child(f.node, parametersField); list != analyze.NoNode {
		for p := j.tree.FirstNamed(list); p != analyze.NoNode; p = j.tree.NextNamed(p) {
			if j.tree.Kind(p) != kindIdentifier {
				continue
			}
			found, _ := j.resolve(p)
			for _, b := range found {
				j.reads(&b.readBy)
				j.grow(&o.readBy, &o.rest, b.values)
			}
		}
	}
	if !o.mutable && !o.escaped {
		return
	}
	s := j.held(o)
	if o.escaped {
		s = j.join(s, anything())
	}
	for len(f.params) < f.arity {
		f.params = append(f.params, nil)
	}
	for k := range f.params {
		j.grow(&f.given, &f.params[k], s)
	}
}

// argumentsOwner returns the function whose arguments object is in reach.
func (j *javascript) argumentsOwner() *function {
	for f := j.function; f != nil; f = f.outer {
		if !f.arrow {
			return f
		}
	}
	return nil
}

func (j *javascript) template(i int) value {
	t := j.tree
	parts := []value{}
	text := t.Source(i)
	at, end := t.Start(i)+1, t.End(i)-1
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) != kindTemplateSubstitution {
			continue
		}
		parts = append(parts, literal(decodeEscapes(t.Text[at:t.Start(c)])))
		parts = append(parts, j.load(t.FirstNamed(c)))
		at = t.End(c)
	}
	if len(text) >= 2 && at <= end {
		parts = append(parts, literal(decodeEscapes(t.Text[at:end])))
	}
	s := stringValue("")
	for _, p := range parts {
		if text, ok := p.str(); ok {
			j.constant(text)
		}
		s = j.concat(s, j.toStrings(p))
	}
	if text, ok := s.str(); ok {
		j.constant(text)
	}
	return s
}

// regex returns the object of a regular expression; its source is a constant.
func (j *javascript) regex(i int) *object {
	o := j.objectAt(i)
	if p := j.tree.Child(i, patternField); p != analyze.NoNode {
		j.grow(&o.readBy, o.prop("source"), stringValue(j.tree.Source(p)))
	}
	j.below(o, symbol("globalThis.RegExp.prototype"))
	return o
}

// objectOf evaluates the object of a member expression and reports the symbols
// that a mention of a member does not speak for.
func (j *javascript) objectOf(i int) value {
	s := j.eval(i)
	j.mentionOwners(s, i)
	return s
}

func (j *javascript) mentionOwners(s value, i int) {
	if !j.reports() {
		return
	}
	for _, v := range s {
		if v.kind == atomSymbol && !isQuietOwner(v.text) && !j.asksPrototype(v, i) {
			j.mention(v.text, i, analyze.HowReference, s.single(), nil, false)
		}
	}
}

func (j *javascript) member(i int) value {
	t := j.tree
	o, p := t.Child(i, objectField), t.Child(i, propertyField)
	if o == analyze.NoNode || p == analyze.NoNode {
		return anything()
	}
	if t.Kind(o) == kindImport {
		return symbol(importMeta)
	}
	owner := j.objectOf(o)
	key := j.memberKey(p)
	if key == "constructor" && j.onlyTells(i) {
		return anything()
	}
	if !isPrivate(key) && !ownConstructor(key, owner) {
		j.property(key, p)
	}
	if t.Kind(o) == kindSuper {
		return j.join(j.memberOfSuper(key, i), anything())
	}
	if key == "pipe" { // and does not call it
		j.mayRemember(key)
	}
	return j.memberOf(owner, key, i)
}

// memberOfSuper evaluates super.key, of which a getter is told that it was asked of this.
func (j *javascript) memberOfSuper(key string, at int) value {
	var out value
	for _, v := range j.super {
		if v.kind == atomObject {
			out = j.join(out, j.localMember(v.obj, key, j.this, at))
		} else {
			out = j.join(out, j.memberOfValue(v, key, at))
			j.showsMemory(key)
		}
	}
	if len(out) == 0 {
		return j.memberOf(j.super, key, at)
	}
	return out
}

func (j *javascript) subscript(i int) value {
	t := j.tree
	o, x := t.Child(i, objectField), t.Child(i, indexField)
	if o == analyze.NoNode || x == analyze.NoNode {
		return anything()
	}
	owner := j.objectOf(o)
	keys := j.load(x)
	j.keyProperties(keys, x)
	out := j.members(owner, keys, i)
	if t.Kind(o) == kindSuper {
		out = j.join(out, j.membersOfSuper(keys, i))
	}
	return out
}

// membersOfSuper evaluates super[keys]: of a key that is not known every getter may be what is asked.
func (j *javascript) membersOfSuper(keys value, at int) value {
	var out value
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			out = j.join(out, j.memberOfSuper(key, at))
			continue
		}
		for _, v := range j.super {
			if v.kind == atomObject {
				out = j.join(out, j.gettersOf(v.obj, j.this))
			}
		}
	}
	return out
}

// gettersOf is what the getters of an object give, and those that it inherits, when they are called of this.
func (j *javascript) gettersOf(o *object, this value) value {
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		for _, k := range from.keys {
			if strings.HasPrefix(k, getPrefix) {
				out = j.join(out, j.invoke(*from.props[k], this))
			}
		}
	}
	return out
}

// property reports a property name.
func (j *javascript) property(key string, i int) {
	if key != "" {
		j.event(eventAttr, key, i)
	}
}

// keyProperties reports the computed keys that are known. The floor knows of a prototype, and of
// what the global object leads to, by the name alone.
func (j *javascript) keyProperties(keys value, i int) {
	for _, k := range keys {
		if k.kind != atomString {
			continue
		}
		j.property(k.text, i)
		if (k.text == prototypeKey || j.losesThis && leadsFromGlobal(k.text)) && j.tree.Kind(j.bare(i)) != kindString {
			j.dynamicAt(analyze.DynamicMoved, i)
		}
	}
}

// ownConstructor is true for the constructor of what can only be an instance
// of the program's own classes.
func ownConstructor(key string, owner value) bool {
	if key != "constructor" {
		return false
	}
	for _, v := range owner.present() {
		if v.kind != atomObject || v.obj.instanceOf == nil {
			return false
		}
	}
	return len(owner) > 0
}

// onlyTells is true where .constructor can only tell what class something is:
// its name is asked for, or it is compared.
func (j *javascript) onlyTells(i int) bool {
	t := j.tree
	i = t.Bracketed(i, kindParenthesizedExpression)
	p := t.Parent(i)
	switch t.Kind(p) {
	case kindMemberExpression:
		name := t.Child(p, propertyField)
		return t.Field(i) == objectField && name != analyze.NoNode && j.identifierText(name) == "name"
	case kindBinaryExpression:
		if op := t.Child(p, operatorField); op != analyze.NoNode {
			switch t.Source(op) {
			case "==", "===", "!=", "!==":
				return true
			case "instanceof":
				return !j.hasInstances || t.Field(i) == rightField // what is on the right may be told
			}
		}
	}
	return false
}

func (j *javascript) assignment(i int) value {
	t := j.tree
	left, right := t.Child(i, leftField), t.Child(i, rightField)
	if left == analyze.NoNode || right == analyze.NoNode {
		return anything()
	}
	s := j.source(left, right)
	if j.copiesMember(left, right) {
		j.assign(left, s.unshared())
	} else {
		j.assign(left, s)
	}
	return s
}

// copiesMember tells whether t[p] = s[p] copies a member, under a name that a loop for (p in …) gives and nothing
// else: what s then inherits under that name as all objects do, t has there, too.
func (j *javascript) copiesMember(left, right int) bool {
	t := j.tree
	left, right = j.bare(left), j.bare(right)
	if t.Kind(left) != kindSubscriptExpression || t.Kind(right) != kindSubscriptExpression {
		return false
	}
	a, b := t.Child(left, indexField), t.Child(right, indexField)
	if a == analyze.NoNode || b == analyze.NoNode || t.Kind(a) != kindIdentifier || t.Kind(b) != kindIdentifier || j.identifierText(a) != j.identifierText(b) {
		return false
	}
	return j.isLoopKey(a)
}

// loopKey is a variable, and the function in which that is asked for.
type loopKey struct {
	variable *variable
	around   int
}

// isLoopKey tells whether the variable at node i is declared in the function around it, where loops over the
// keys of something, and nothing else, give it values: then it is a text that stays while an expression is evaluated.
func (j *javascript) isLoopKey(i int) bool {
	around := j.functionAround(i)
	found, global := j.resolve(i)
	if len(found) != 1 || global || len(j.with) > 0 {
		return false
	}
	key := loopKey{found[0], around}
	is, known := j.loopKeys[key]
	if !known {
		if j.loopKeys == nil {
			j.loopKeys = map[loopKey]bool{}
		}
		is = j.getsLoopKeys(i, around)
		j.loopKeys[key] = is
	}
	return is
}

// getsLoopKeys is isLoopKey for a variable that is asked for the first time in the function at node around.
func (j *javascript) getsLoopKeys(i, around int) bool {
	t := j.tree
	for _, at := range j.identifiersOf(j.identifierText(i)) {
		k := int(at)
		if !j.sameName(k, i) {
			continue
		}
		p, here := t.Parent(k), j.functionAround(k) == around
		switch t.Kind(p) {
		case kindForInStatement:
			if of := t.Child(p, operatorField); t.Field(k) != leftField && t.Field(k) != rightField || !here || of == analyze.NoNode || t.Source(of) != "in" {
				return false
			}
		case kindVariableDeclarator:
			if t.Field(k) != nameField && t.Field(k) != valueField || t.Field(k) == nameField && (t.Child(p, valueField) != analyze.NoNode || !here) {
				return false
			}
		case kindMemberExpression, kindSubscriptExpression, kindBinaryExpression, kindUnaryExpression, kindTemplateSubstitution, kindArguments, kindReturnStatement:
		default:
			return false
		}
	}
	return true
}

func (j *javascript) augmented(i int) value {
	t := j.tree
	left, right, op := t.Child(i, leftField), t.Child(i, rightField), t.Child(i, operatorField)
	if left == analyze.NoNode || right == analyze.NoNode || op == analyze.NoNode {
		return anything()
	}
	left = j.bare(left)
	if t.Kind(left) != kindIdentifier {
		s := j.load(right)
		switch t.Source(op) {
		case "+=":
			s = j.plus(j.load(left), s)
		case "&&=", "||=", "??=": // which yield what is there already
			s = j.join(j.join(j.load(left), s), anything())
		default:
			s = ofKind(atomAnyNumber)
		}
		j.assign(left, s)
		return s
	}
	before, after := j.load(left), j.load(right)
	var s value
	switch t.Source(op) {
	case "+=":
		s = j.plus(before, after)
	case "&&=", "||=", "??=":
		j.assignName(left, after)
		return j.join(before, after)
	default:
		s = ofKind(atomAnyNumber)
	}
	j.assignName(left, s)
	return s
}

func (j *javascript) binary(i int) value {
	t := j.tree
	left, right, op := t.Child(i, leftField), t.Child(i, rightField), t.Child(i, operatorField)
	if left == analyze.NoNode || right == analyze.NoNode || op == analyze.NoNode {
		return anything()
	}
	switch operator := t.Source(op); operator {
	case "==", "===", "!=", "!==", "instanceof", "in":
		a, b := j.compared(left), j.compared(right)
		switch {
		case operator == "in":
			j.keyProperties(a, left)
			j.convertsAll(a)
		case (operator == "==" || operator == "!=") && !a.isNothing() && !b.isNothing():
			j.convertsAll(a)
			j.convertsAll(b)
		}
		if operator == "instanceof" {
			j.instanceTold(a, b, i)
		}
		return ofKind(atomUnknown)
	case "&&", "||", "??":
		a, b := j.load(left), j.load(right)
		return j.join(passing(operator, a), b)
	case "+":
		s := j.plus(j.load(left), j.load(right))
		if text, ok := s.str(); ok {
			j.constant(text)
		}
		return s
	default:
		a, b := j.load(left), j.load(right)
		j.convertsAll(a)
		j.convertsAll(b)
		return arithmetic(operator, a, b)
	}
}

// isNothing is true for null and undefined.
func (s value) isNothing() bool {
	return s.single() && (s[0].kind == atomNull || s[0].kind == atomUndefined)
}

const hasInstance = symbolPrefix + "hasInstance"

// instanceTold evaluates "a instanceof b" at a node, of which what b has for that is told a: a bound
// function asks what it is bound to, and what is not known may be any of the program's.
func (j *javascript) instanceTold(a, b value, at int) {
	for n, held := 0, slices.Clip(b); n < len(held) && j.step(); n++ {
		switch v := held[n]; v.kind {
		case atomObject:
			j.converts(v)
			j.invoke(j.ownOrLoose(v.obj, hasInstance), objectValue(v.obj), a)
			if j.hasInstances && j.belowOthers(v.obj) {
				j.escape(a, at)
			}
			for _, f := range v.obj.bound {
				if !slices.Contains(held, f) {
					held = append(held, f)
				}
			}
		case atomUnknown, atomComputed:
			j.invoke(j.stored(hasInstance), one(v), a)
			if j.hasInstances {
				j.escape(a, at)
			}
		}
	}
}

// passing returns what a && b, a || b and a ?? b may yield of a: what is there
// is never the value of &&, and what is not there never that of the others.
func passing(operator string, a value) value {
	var out value
	for _, v := range a {
		nothing := v.kind == atomNull || v.kind == atomUndefined
		falsy := nothing || (v.kind == atomBool || v.kind == atomNumber) && v.num == 0 || v.kind == atomString && v.text == ""
		switch operator {
		case "&&":
			switch {
			case falsy, v.kind == atomAnyNumber, v.kind == atomAnyString:
				out = append(out, v)
			case (v.kind == atomUnknown || v.kind == atomComputed) && !out.has(falseValue[0]): // and no more of it than that
				out = append(out, atom{kind: atomUndefined}, falseValue[0], atom{kind: atomNull}, atom{kind: atomNumber}, atom{kind: atomString})
			case (v.kind == atomSymbol || v.kind == atomNative) && !out.has(atom{kind: atomAnyNumber}): // which may be none, or have that value
				out = append(out, atom{kind: atomUndefined}, falseValue[0], atom{kind: atomAnyNumber}, atom{kind: atomString})
			}
		case "||":
			if !falsy {
				out = append(out, v)
			}
		default:
			if !nothing {
				out = append(out, v)
			}
		}
	}
	return out
}

// asksPrototype tells whether node i is Function, asked for its prototype: that makes no code, nor does what it has.
func (j *javascript) asksPrototype(v atom, i int) bool {
	up := j.tree.Parent(i)
	return v.text == "globalThis.Function" && j.tree.Kind(up) == kindMemberExpression && j.memberKey(j.tree.Child(up, propertyField)) == prototypeKey
}

// compared evaluates one side of a comparison. That something is the main
// module, or a function, may be asked without mentioning module or Function.
func (j *javascript) compared(i int) value {
	s := j.eval(i)
	for _, v := range s {
		if v.kind == atomSymbol && v.text != "globalThis.module" && v.text != "globalThis.Function" {
			j.mention(v.text, i, analyze.HowReference, s.single(), nil, false)
		}
	}
	return s
}

func (j *javascript) unary(i int) value {
	t := j.tree
	arg, op := t.Child(i, argumentField), t.Child(i, operatorField)
	if arg == analyze.NoNode || op == analyze.NoNode {
		return anything()
	}
	switch t.Source(op) {
	case "typeof":
		if t.Kind(arg) == kindIdentifier {
			j.eval(arg) // asking for a type mentions nothing
		} else {
			j.load(arg)
		}
		return ofKind(atomAnyString)
	case "delete":
		return j.deleted(arg)
	case "void":
		j.load(arg)
		return ofKind(atomUndefined)
	case "!":
		return negated(j.load(arg))
	}
	s := j.load(arg)
	j.convertsAll(s)
	if operator := t.Source(op); operator == "-" || operator == "+" {
		return j.signed(operator, s)
	}
	return ofKind(atomAnyNumber)
}

// deleted is a write to what is deleted.
func (j *javascript) deleted(i int) value {
	i = j.bare(i)
	switch j.tree.Kind(i) {
	case kindMemberExpression, kindSubscriptExpression:
		j.assign(i, ofKind(atomUndefined))
	default:
		j.load(i)
		if j.tree.Kind(i) == kindIdentifier {
			j.assignWith(i, ofKind(atomUndefined))
		}
	}
	return ofKind(atomUnknown)
}

// objectText is the text of what all objects inherit from. As the name of a member it stands for those of the functions
// there as well, so that nobody knows whether an object has it.
const objectText = "[object Object]"

// oneText is the name that members are kept under by a text: of these texts it is one.
func oneText(key string) string {
	if strings.HasPrefix(key, "function ") && strings.HasSuffix(key, "() { [native code] }") {
		return objectText
	}
	return key
}

// propertyKey returns the property name that a value stands for.
func propertyKey(v atom) (string, bool) {
	switch v.kind {
	case atomComputed: // the text of a function, or of what all objects inherit from
		return objectText, v == tableAtom
	case atomString:
		return oneText(v.text), !strings.HasPrefix(v.text, reserved) || isPrivate(v.text)
	case atomNumber:
		return formatNumber(v.num), true
	case atomBool:
		return strconv.FormatBool(v.num != 0), true
	case atomNull:
		return "null", true
	case atomUndefined:
		return "undefined", true
	case atomOnce:
		return v.text, true
	case atomSymbol:
		switch name, _ := strings.CutPrefix(v.text, "globalThis.Symbol."); name {
		case "asyncIterator", "hasInstance", "isConcatSpreadable", "iterator", "match", "matchAll", "replace", "search", "species", "split",
			"toPrimitive", "toStringTag", "unscopables", "asyncDispose", "dispose":
			return symbolPrefix + name, true
		}
	}
	return "", false
}

// numeric is true when a value can only be a number: an index, not a name.
func (v atom) numeric() bool { return v.kind == atomNumber || v.kind == atomAnyNumber }
