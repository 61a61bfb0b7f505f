package javascript

import (
	"slices"

	"sallyport/analyze"
)

// What stands on the prototype of a class of the language, or of Node, all code has: also functions
// that the analysis takes to be the language's own, and options that nobody gave. So the floor lets
// the prototype of a class travel, or be written to, only where that class is a function or class
// of the program, by the name that it is declared under.

// handsPrototype tells whether node i takes the prototype of what may be a class of others, and
// does something else with it than to look a member up.
func (f *floor) handsPrototype(i int) bool {
	switch f.tree.Kind(i) {
	case kindMemberExpression, kindSubscriptExpression:
		key, known := f.memberName(i)
		return known && key == prototypeKey && !f.isOwnClass(f.tree.Child(i, objectField)) && !f.looksUp(i)
	case kindShorthandPropertyIdentifierPattern, kindPairPattern:
		key, known := f.patternName(i)
		return known && key == prototypeKey && !f.isOwnClass(f.patternOf(i))
	}
	return false
}

const prototypeKey = "prototype"

// patternOf returns the node of what the pattern with part i takes apart, or NoNode.
func (f *floor) patternOf(i int) int {
	p := f.above(i, 2)
	switch f.tree.Kind(p) {
	case kindVariableDeclarator:
		return f.tree.Child(p, valueField)
	case kindAssignmentExpression:
		return f.tree.Child(p, rightField)
	}
	return analyze.NoNode
}

// isOwnClass tells whether node i is a function or class of the program: one that stands there, or
// a name that is given nothing else.
func (f *floor) isOwnClass(i int) bool {
	if i == analyze.NoNode {
		return false
	}
	i = f.bare(i)
	switch t := f.tree; t.Kind(i) {
	case kindFunctionExpression, kindGeneratorFunction, kindClass, kindArrowFunction:
		return true
	case kindAssignmentExpression:
		return f.isOwnClass(t.Child(i, rightField))
	case kindIdentifier:
		found, global := f.resolve(i)
		return !global && len(found) > 0 && !slices.ContainsFunc(found, func(v *variable) bool { return !f.onlyClasses(v) })
	}
	return false
}

// onlyClasses tells whether a variable is given functions and classes that stand there, and nothing else.
func (f *floor) onlyClasses(v *variable) bool {
	only, known := f.classes[v]
	if !known {
		only = len(f.given[v]) > 0 && !slices.ContainsFunc(f.given[v], func(at int32) bool { return !f.isFunctionName(int(at)) || f.isParameterToo(int(at)) })
		f.classes[v] = only
	}
	return only
}

// isParameterToo tells whether the name at node i is that of a function which stands in the place of a
// parameter: it is given what is assigned to an element of arguments.
func (f *floor) isParameterToo(i int) bool {
	p := f.tree.Parent(i)
	around := f.functionAround(p)
	if k := f.tree.Kind(p); k != kindFunctionDeclaration && k != kindGeneratorFunctionDeclaration || around == analyze.NoNode {
		return false
	}
	v := f.bindings[scopedName{int(f.scopeOf[around]), f.identifierText(i)}]
	return v != nil && (!f.work(len(f.given[v])) || slices.ContainsFunc(f.given[v], func(at int32) bool { return !f.isFunctionName(int(at)) }))
}

// derivesOther tells whether node i is a call of util.inherits that changes what is no class of the program.
func (f *floor) derivesOther(i int) bool {
	function := f.called(i)
	if function == analyze.NoNode || f.named(function) != deriver {
		return false
	}
	a := f.argument(i)
	return a != analyze.NoNode && !f.isOwnClass(a)
}

// looksUp tells whether of the prototype at node i a member is looked up where it stands, or less.
func (f *floor) looksUp(i int) bool {
	t, p := f.tree, f.tree.Parent(i)
	switch t.Kind(p) {
	case kindParenthesizedExpression:
		return f.looksUp(p)
	case kindMemberExpression, kindSubscriptExpression:
		return t.Field(i) == objectField && f.asks(p)
	case kindArguments:
		return f.onlyReads(t.Parent(p), i)
	case kindVariableDeclarator:
		return t.Field(i) == valueField && f.takesNamed(t.Child(p, nameField))
	case kindAssignmentExpression:
		return t.Field(i) == rightField && f.takesNamed(t.Child(p, leftField)) && f.told(p)
	}
	return f.told(i)
}

// asks tells whether node i, a member of a prototype, is only looked at, or called of something else.
func (f *floor) asks(i int) bool {
	t := f.tree
	b := t.Bracketed(i, kindParenthesizedExpression)
	if t.Kind(t.Parent(b)) == kindCallExpression && t.Field(b) == functionField {
		key, known := f.memberName(i)
		return known && tells(key)
	}
	return !f.isChanged(i)
}

// isChanged tells whether node i, or a member of it, is put or deleted.
func (f *floor) isChanged(i int) bool {
	t := f.tree
	if f.isTarget(i) || !f.work(1) {
		return true
	}
	b := t.Bracketed(i, kindParenthesizedExpression)
	switch p := t.Parent(b); t.Kind(p) {
	case kindMemberExpression, kindSubscriptExpression:
		return t.Field(b) == objectField && f.isChanged(p)
	case kindUnaryExpression:
		operator := t.Child(p, operatorField)
		return operator != analyze.NoNode && t.Source(operator) == "delete"
	}
	return false
}

// tells is true for methods that give nothing of what they are called of.
func tells(key string) bool {
	switch key {
	case "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toString":
		return true
	}
	return false
}

// takesNamed tells whether a pattern takes members by names that stand there, and not the whole.
func (f *floor) takesNamed(pattern int) bool {
	t := f.tree
	if pattern = f.bare(pattern); pattern == analyze.NoNode || t.Kind(pattern) != kindObjectPattern {
		return false
	}
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		if _, known := f.patternName(c); !known {
			return false
		}
	}
	return true
}

// onlyReads tells whether call i makes an object below the prototype that is its argument, or reads members of it.
func (f *floor) onlyReads(i, argument int) bool {
	owner, key := f.method(i)
	if owner != "globalThis.Object" {
		return false
	}
	first := f.argument(i)
	switch key {
	case "create":
		return first == f.bare(argument)
	case "assign":
		return first != f.bare(argument) && f.tree.Kind(first) != kindSpreadElement
	case "getOwnPropertyNames", "getOwnPropertySymbols", "hasOwn", "is", "keys":
		return true
	}
	return false
}
