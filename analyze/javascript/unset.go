package javascript

import (
	"slices"

	"sallyport/analyze"
)

// A name or member that is assigned somewhere may be asked for where it is not assigned: then it
// is undefined, which is a text of its own in a text, and no receiver for a function that is called
// of it. What is surely assigned before it is asked for is told by where it stands. Who calls a
// function before that is not looked at.

// identifiersOf returns the nodes at which a name stands, in order.
func (j *javascript) identifiersOf(name string) []int32 {
	if j.identifiers == nil {
		t := j.tree
		j.identifiers = map[string][]int32{}
		for i := range t.Len() {
			switch t.Kind(i) {
			case kindIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
				name := j.identifierText(i)
				j.identifiers[name] = append(j.identifiers[name], int32(i))
			}
		}
	}
	return j.identifiers[name]
}

// setNext tells whether what comes next of a name that is declared without a value is a statement
// beside the declaration that assigns it.
func (j *javascript) setNext(declarator, name int) bool {
	t := j.tree
	all := j.identifiersOf(j.identifierText(name))
	at, _ := slices.BinarySearch(all, int32(t.After(declarator)))
	if at == len(all) {
		return true // nobody asks
	}
	p := t.Parent(int(all[at]))
	if t.Kind(p) != kindAssignmentExpression || t.Child(p, leftField) != int(all[at]) || t.Kind(t.Parent(p)) != kindExpressionStatement {
		return false
	}
	return t.Parent(t.Parent(p)) == t.Parent(t.Parent(declarator))
}

// seenUnset tells whether a variable that var declares, with a value, stands before that or
// outside of the block in which it is declared.
func (j *javascript) seenUnset(declarator, name int) bool {
	t := j.tree
	around := j.scopes[functionScopeOf(j.scopes, int(j.scopeIn[declarator]))].node
	block := t.Parent(t.Parent(declarator))
	if t.Kind(block) == kindForStatement {
		block = t.Parent(block)
	}
	if block == around || block != analyze.NoNode && t.Parent(block) == around {
		block = around
	}
	all := j.identifiersOf(j.identifierText(name))
	from, _ := slices.BinarySearch(all, int32(around))
	for _, i := range all[from:] {
		k := int(i)
		if k >= t.After(around) {
			break
		}
		if (k < declarator || k >= t.After(block)) && j.sameName(k, name) {
			return true
		}
	}
	return false
}

// sameName tells whether two nodes of one name may mean the same variable.
func (j *javascript) sameName(i, k int) bool {
	a, _ := j.resolve(i)
	b, _ := j.resolve(k)
	return slices.ContainsFunc(a, func(v *variable) bool { return slices.Contains(b, v) })
}

// optional returns s, which is what node i yields: undefined where what comes before ?. is not there.
func (j *javascript) optional(i int, s value) value {
	t := j.tree
	for k := i; j.optionals; {
		for c := t.First(k); c != analyze.NoNode; c = t.Next(c) {
			if t.Kind(c) == kindOptionalChain {
				return j.maybe(s)
			}
		}
		switch t.Kind(k) {
		case kindMemberExpression, kindSubscriptExpression:
			k = t.Child(k, objectField)
		case kindCallExpression:
			k = t.Child(k, functionField)
		default:
			return s
		}
		if k == analyze.NoNode {
			return s
		}
	}
	return s
}

// setAlways tells whether a member that is assigned at node i is there for whoever has the
// object: it is assigned where that is made, or by its constructor, whatever happens.
func (j *javascript) setAlways(o *object, i int) bool {
	t := j.tree
	around := j.functionAround(i)
	for p := i; p != around && p != analyze.NoNode; p = t.Parent(p) {
		switch t.Kind(p) {
		case kindIfStatement, kindForStatement, kindForInStatement, kindWhileStatement, kindDoStatement, kindSwitchStatement, kindTryStatement,
			kindTernaryExpression, kindBinaryExpression:
			return false
		}
	}
	switch {
	case around != analyze.NoNode && (t.Kind(around) == kindClassStaticBlock || t.Kind(around) == kindFieldDefinition):
		return true
	case o.instanceOf == nil:
		return around == j.functionAround(o.node)
	case o.instanceOf.class == nil:
		return around == o.instanceOf.node
	case around == analyze.NoNode || t.Kind(around) != kindMethodDefinition:
		return false
	}
	name := t.Child(around, nameField)
	return name != analyze.NoNode && t.Source(name) == "constructor" && t.Parent(t.Parent(around)) == o.instanceOf.node && !hasWord(t, around, "static")
}
