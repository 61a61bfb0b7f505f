package javascript

import (
	"slices"
	"strconv"
	"strings"

	"sallyport/analyze"
)

// expr evaluates an expression whose value is used, and reports the outside
// symbols that it yields by name.
func (j *jsWalk) expr(i int) jsSet {
	s := j.ref(i)
	if j.emit {
		switch j.tree.Kind(i) {
		case jsIdentifier, jsMemberExpression, jsSubscriptExpression, jsThis, jsShorthandPropertyIdentifier:
			j.mentionSet(s, i, analyze.HowReference)
		}
	}
	return s
}

// ref evaluates an expression; what the whole of it names is not reported,
// because the caller knows better what happens to it.
func (j *jsWalk) ref(i int) jsSet {
	if i == analyze.NoNode || !j.step() {
		return unknownSet()
	}
	j.here = i
	t := j.tree
	switch t.Kind(i) {
	case jsIdentifier, jsUndefined, jsShorthandPropertyIdentifier:
		return j.name(i)
	case jsThis:
		return j.this
	case jsSuper:
		return j.union(j.super, unknownSet())
	case jsString:
		r := j.remembered(i)
		if r.set == nil {
			r.set = stringSet(j.stringText(i))
		}
		j.constant(r.set[0].text)
		return r.set
	case jsNumber:
		r := j.remembered(i)
		if r.set == nil {
			r.set = numberSet(numberText(t.Source(i)))
		}
		return r.set
	case jsTrue:
		return boolSet(true)
	case jsFalse:
		return boolSet(false)
	case jsNull:
		return kindSet(jsConstNull)
	case jsTemplateString:
		return j.template(i)
	case jsRegex:
		return localSet(j.regex(i))
	case jsParenthesizedExpression:
		return j.ref(t.FirstNamed(i))
	case jsSequenceExpression:
		var s jsSet
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			s = j.expr(c)
		}
		return s
	case jsMemberExpression:
		return j.member(i)
	case jsSubscriptExpression:
		return j.subscript(i)
	case jsCallExpression:
		return j.call(i)
	case jsNewExpression:
		return j.newCall(i)
	case jsAssignmentExpression:
		return j.assignment(i)
	case jsAugmentedAssignmentExpression:
		return j.augmented(i)
	case jsObject:
		return j.object(i)
	case jsArray:
		return j.array(i)
	case jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		s := j.functionValue(i)
		if name := t.Child(i, jsNameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeOf[i]), name, s)
		}
		return s
	case jsClass:
		return j.classValue(i)
	case jsMetaProperty:
		return kindSet(jsUnknown)
	}
	return j.operator(i)
}

// operator evaluates the expressions that combine others.
func (j *jsWalk) operator(i int) jsSet {
	t := j.tree
	switch t.Kind(i) {
	case jsAwaitExpression, jsSpreadElement:
		return j.expr(t.FirstNamed(i))
	case jsYieldExpression:
		e := t.FirstNamed(i)
		if e == analyze.NoNode {
			return unknownSet()
		}
		s := j.expr(e)
		if hasWord(t, i, "*") {
			s = j.elements(s, e)
		}
		if j.function != nil {
			j.add(&j.function.ret, s)
		}
		return unknownSet()
	case jsTernaryExpression:
		if c := t.Child(i, jsConditionField); c != analyze.NoNode {
			j.expr(c)
		}
		return j.union(j.expr(t.Child(i, jsConsequenceField)), j.expr(t.Child(i, jsAlternativeField)))
	case jsBinaryExpression:
		return j.binary(i)
	case jsUnaryExpression:
		return j.unary(i)
	case jsUpdateExpression:
		if a := t.Child(i, jsArgumentField); a != analyze.NoNode {
			j.expr(a)
			j.assignNumber(a)
		}
		return kindSet(jsAnyNumber)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		j.visit(c)
	}
	return unknownSet()
}

// assignNumber is assign for ++ and --, whose operand is evaluated already.
func (j *jsWalk) assignNumber(i int) {
	for j.tree.Kind(i) == jsParenthesizedExpression {
		i = j.tree.FirstNamed(i)
	}
	if k := j.tree.Kind(i); k == jsIdentifier {
		j.assignName(i, kindSet(jsAnyNumber))
	}
}

// constant reports a string constant.
func (j *jsWalk) constant(s string) {
	if s != "" {
		j.event(jsEventString, s, 0)
	}
}

// name evaluates an identifier.
func (j *jsWalk) name(i int) jsSet {
	found, global := j.resolve(i)
	var s jsSet
	for _, b := range found {
		s = j.union(s, b.values)
	}
	if global {
		s = j.union(s, j.global(j.identifierText(i), i))
	}
	for _, o := range j.with {
		s = j.union(s, j.memberOf(o, j.identifierText(i), i))
	}
	return s
}

// global evaluates a name that nothing declares.
func (j *jsWalk) global(name string, i int) jsSet {
	switch name {
	case "undefined":
		return kindSet(jsConstUndefined)
	case "NaN":
		return kindSet(jsAnyNumber)
	case "Infinity":
		return kindSet(jsAnyNumber)
	case "global", "globalThis":
		return symbolSet("globalThis")
	case "arguments":
		if f := j.argumentsOwner(); f != nil {
			o := j.objectFor(f.node, 2)
			o.array, o.mutable = true, true
			j.add(&o.rest, f.all)
			if f.outside {
				j.add(&o.rest, unknownSet())
			}
			j.argumentsWritten(f, o)
			return localSet(o)
		}
		if j.class != nil {
			return unknownSet()
		}
	case "exports":
		if j.mode == jsProgramCode && j.goal == analyze.Script {
			return j.exports
		}
	}
	r := j.remembered(i)
	if r.set == nil {
		r.set = symbolSet("globalThis." + name)
	}
	s := r.set
	if p := j.implicit[name]; p != nil {
		if isBuiltinGlobal(name) {
			return j.union(s, *p)
		}
		return j.union(*p, unknownSet())
	}
	return s
}

// argumentsWritten hands what was put into the arguments object on to the
// parameters, which it is another name for in sloppy code.
func (j *jsWalk) argumentsWritten(f *jsFunction, o *jsEntity) {
	var s jsSet
	for _, v := range j.held(o) {
		if !slices.Contains(f.all, v) {
			s = append(s, v)
		}
	}
	if o.escaped {
		s = j.union(s, unknownSet())
	}
	if len(s) == 0 {
		return
	}
	for k := range f.params {
		j.add(&f.params[k], s)
	}
}

// argumentsOwner returns the function whose arguments object is in reach.
func (j *jsWalk) argumentsOwner() *jsFunction {
	for f := j.function; f != nil; f = f.outer {
		if !f.arrow {
			return f
		}
	}
	return nil
}

func (j *jsWalk) template(i int) jsSet {
	t := j.tree
	parts := []jsSet{}
	text := t.Source(i)
	at, end := t.Start(i)+1, t.End(i)-1
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) != jsTemplateSubstitution {
			continue
		}
		parts = append(parts, stringSet(decodeEscapes(t.Text[at:t.Start(c)])))
		parts = append(parts, j.expr(t.FirstNamed(c)))
		at = t.End(c)
	}
	if len(text) >= 2 && at <= end {
		parts = append(parts, stringSet(decodeEscapes(t.Text[at:end])))
	}
	s := stringSet("")
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
func (j *jsWalk) regex(i int) *jsEntity {
	o := j.objectAt(i)
	if p := j.tree.Child(i, jsPatternField); p != analyze.NoNode {
		j.add(o.prop("source"), stringSet(j.tree.Source(p)))
	}
	j.add(&o.proto, symbolSet("globalThis.RegExp.prototype"))
	return o
}

// objectOf evaluates the object of a member expression and reports the symbols
// that a mention of a member does not speak for.
func (j *jsWalk) objectOf(i int) jsSet {
	s := j.ref(i)
	j.mentionOwners(s, i)
	return s
}

func (j *jsWalk) mentionOwners(s jsSet, i int) {
	if !j.emit {
		return
	}
	for _, v := range s {
		if v.kind == jsSymbol && !isQuietOwner(v.text) {
			j.mention(v.text, i, analyze.HowReference, s.single(), nil, false)
		}
	}
}

func (j *jsWalk) member(i int) jsSet {
	t := j.tree
	o, p := t.Child(i, jsObjectField), t.Child(i, jsPropertyField)
	if o == analyze.NoNode || p == analyze.NoNode {
		return unknownSet()
	}
	if t.Kind(o) == jsImport {
		return unknownSet() // import.meta
	}
	owner := j.objectOf(o)
	key := j.identifierText(p)
	if key == "constructor" && j.onlyTells(i) {
		return unknownSet()
	}
	if t.Kind(p) != jsPrivatePropertyIdentifier && !ownConstructor(key, owner) {
		j.property(key, p)
	}
	return j.memberOf(owner, key, i)
}

func (j *jsWalk) subscript(i int) jsSet {
	t := j.tree
	o, x := t.Child(i, jsObjectField), t.Child(i, jsIndexField)
	if o == analyze.NoNode || x == analyze.NoNode {
		return unknownSet()
	}
	owner := j.objectOf(o)
	keys := j.expr(x)
	j.keyProperties(keys, x)
	return j.members(owner, keys, i)
}

// property reports a property name.
func (j *jsWalk) property(key string, i int) {
	if key != "" {
		j.event(jsEventAttr, key, i)
	}
}

// keyProperties reports the computed keys that are known.
func (j *jsWalk) keyProperties(keys jsSet, i int) {
	for _, k := range keys {
		if k.kind == jsConstString {
			j.property(k.text, i)
		}
	}
}

// ownConstructor is true for the constructor of what can only be an instance
// of the program's own classes.
func ownConstructor(key string, owner jsSet) bool {
	if key != "constructor" {
		return false
	}
	for _, v := range owner {
		if v.kind != jsLocal || v.obj.instanceOf == nil {
			return false
		}
	}
	return len(owner) > 0
}

// onlyTells is true where .constructor can only tell what class something is:
// its name is asked for, or it is compared.
func (j *jsWalk) onlyTells(i int) bool {
	t := j.tree
	p := t.Parent(i)
	for t.Kind(p) == jsParenthesizedExpression {
		i, p = p, t.Parent(p)
	}
	switch t.Kind(p) {
	case jsMemberExpression:
		name := t.Child(p, jsPropertyField)
		return t.Field(i) == jsObjectField && name != analyze.NoNode && t.Source(name) == "name"
	case jsBinaryExpression:
		if op := t.Child(p, jsOperatorField); op != analyze.NoNode {
			switch t.Source(op) {
			case "==", "===", "!=", "!==", "instanceof":
				return true
			}
		}
	}
	return false
}

func (j *jsWalk) assignment(i int) jsSet {
	t := j.tree
	left, right := t.Child(i, jsLeftField), t.Child(i, jsRightField)
	if left == analyze.NoNode || right == analyze.NoNode {
		return unknownSet()
	}
	s := j.source(left, right)
	j.assign(left, s)
	return s
}

func (j *jsWalk) augmented(i int) jsSet {
	t := j.tree
	left, right, op := t.Child(i, jsLeftField), t.Child(i, jsRightField), t.Child(i, jsOperatorField)
	if left == analyze.NoNode || right == analyze.NoNode || op == analyze.NoNode {
		return unknownSet()
	}
	for t.Kind(left) == jsParenthesizedExpression {
		left = t.FirstNamed(left)
	}
	if t.Kind(left) != jsIdentifier {
		s := j.expr(right)
		switch t.Source(op) {
		case "+=":
			s = kindSet(jsUnknown)
			j.expr(left)
		case "&&=", "||=", "??=":
			s = j.union(s, unknownSet())
		default:
			s = kindSet(jsAnyNumber)
		}
		j.assign(left, s)
		return s
	}
	before, after := j.expr(left), j.expr(right)
	var s jsSet
	switch t.Source(op) {
	case "+=":
		s = j.plus(before, after)
	case "&&=", "||=", "??=":
		j.assignName(left, after)
		return j.union(before, after)
	default:
		s = kindSet(jsAnyNumber)
	}
	j.assignName(left, s)
	return s
}

func (j *jsWalk) binary(i int) jsSet {
	t := j.tree
	left, right, op := t.Child(i, jsLeftField), t.Child(i, jsRightField), t.Child(i, jsOperatorField)
	if left == analyze.NoNode || right == analyze.NoNode || op == analyze.NoNode {
		return unknownSet()
	}
	switch operator := t.Source(op); operator {
	case "==", "===", "!=", "!==", "instanceof", "in":
		a, b := j.compared(left), j.compared(right)
		if operator == "in" {
			j.keyProperties(a, left)
		}
		if operator == "instanceof" {
			for _, v := range b {
				if v.kind == jsLocal {
					j.returns(j.own(v.obj, "@@hasInstance", 0), localSet(v.obj), a)
				}
			}
		}
		return kindSet(jsUnknown)
	case "&&", "||", "??":
		a, b := j.expr(left), j.expr(right)
		return j.union(passing(operator, a), b)
	case "+":
		s := j.plus(j.expr(left), j.expr(right))
		if text, ok := s.str(); ok {
			j.constant(text)
		}
		return s
	default:
		return arithmetic(operator, j.expr(left), j.expr(right))
	}
}

// passing returns what a && b, a || b and a ?? b may yield of a: what is there
// is never the value of &&, and what is not there never that of the others.
func passing(operator string, a jsSet) jsSet {
	var out jsSet
	for _, v := range a {
		nothing := v.kind == jsConstNull || v.kind == jsConstUndefined
		falsy := nothing || (v.kind == jsConstBool || v.kind == jsConstNumber) && v.num == 0 || v.kind == jsConstString && v.text == ""
		switch operator {
		case "&&":
			if falsy || v.kind == jsAnyNumber || v.kind == jsAnyString {
				out = append(out, v)
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

// compared evaluates one side of a comparison. That something is the main
// module, or a function, may be asked without mentioning module or Function.
func (j *jsWalk) compared(i int) jsSet {
	s := j.ref(i)
	for _, v := range s {
		if v.kind == jsSymbol && v.text != "globalThis.module" && v.text != "globalThis.Function" {
			j.mention(v.text, i, analyze.HowReference, s.single(), nil, false)
		}
	}
	return s
}

func (j *jsWalk) unary(i int) jsSet {
	t := j.tree
	arg, op := t.Child(i, jsArgumentField), t.Child(i, jsOperatorField)
	if arg == analyze.NoNode || op == analyze.NoNode {
		return unknownSet()
	}
	switch t.Source(op) {
	case "typeof":
		if t.Kind(arg) == jsIdentifier {
			j.ref(arg) // asking for a type mentions nothing
		} else {
			j.expr(arg)
		}
		return kindSet(jsAnyString)
	case "delete":
		return j.deleted(arg)
	case "void":
		j.expr(arg)
		return kindSet(jsConstUndefined)
	case "!":
		return negated(j.expr(arg))
	case "-", "+":
		return j.signed(t.Source(op), j.expr(arg))
	}
	j.expr(arg)
	return kindSet(jsAnyNumber)
}

// deleted is a write to what is deleted.
func (j *jsWalk) deleted(i int) jsSet {
	for j.tree.Kind(i) == jsParenthesizedExpression {
		i = j.tree.FirstNamed(i)
	}
	switch j.tree.Kind(i) {
	case jsMemberExpression, jsSubscriptExpression:
		j.assign(i, kindSet(jsConstUndefined))
	default:
		j.expr(i)
	}
	return kindSet(jsUnknown)
}

// propertyKey returns the property name that a value stands for.
func propertyKey(v jsValue) (string, bool) {
	switch v.kind {
	case jsConstString:
		return v.text, true
	case jsConstNumber:
		return formatNumber(v.num), true
	case jsConstBool:
		return strconv.FormatBool(v.num != 0), true
	case jsConstNull:
		return "null", true
	case jsConstUndefined:
		return "undefined", true
	case jsSymbol:
		if strings.HasPrefix(v.text, "globalThis.Symbol.") {
			return "@@" + strings.TrimPrefix(v.text, "globalThis.Symbol."), true
		}
	}
	return "", false
}

// numeric is true when a value can only be a number: an index, not a name.
func (v jsValue) numeric() bool { return v.kind == jsConstNumber || v.kind == jsAnyNumber }
