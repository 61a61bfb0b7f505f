package javascript

import (
	"slices"

	"sallyport/analyze"
)

// A name or member that is assigned somewhere may be asked for where it is not assigned: then it
// is undefined, which is a text of its own in a text, and no receiver for a function that is called
// of it. What is surely assigned before it is asked for is told by where it stands. What a function
// asks for counts where it may be called before that: see runsBefore and quiet.

// identifiersOf returns the nodes at which a name stands, in order.
func (j *javascript) identifiersOf(name string) []int32 {
	if j.identifiers == nil {
		t := j.tree
		j.identifiers = map[string][]int32{}
		for i := range t.Len() {
			switch t.Kind(i) {
			case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
				name := j.identifierText(i)
				j.identifiers[name] = append(j.identifiers[name], int32(i))
			}
		}
	}
	return j.identifiers[name]
}

// within returns those of nodes, which are in order, that stand from node from on and before node to.
func within(nodes []int32, from, to int) []int32 {
	a, _ := slices.BinarySearch(nodes, int32(from))
	b, _ := slices.BinarySearch(nodes[a:], int32(to))
	return nodes[a : a+b]
}

// setNext tells whether what comes next of a name that is declared without a value is a statement
// beside the declaration that assigns it, and no function asks for the name before that.
func (j *javascript) setNext(declarator, name int) bool {
	t := j.tree
	if j.leftForOther(declarator, j.identifierText(name)) {
		return false
	}
	block := t.Parent(t.Parent(declarator))
	if t.Kind(t.Parent(declarator)) == kindVariableDeclaration {
		if j.seenUnset(declarator, name, j.blockOf(declarator)) {
			return false
		}
		block = j.varScope(declarator)
	}
	text := j.identifierText(name)
	all := j.identifiersOf(text)
	at, _ := slices.BinarySearch(all, int32(t.After(declarator)))
	p := declarator
	if at < len(all) {
		p = t.Parent(int(all[at]))
		if t.Kind(p) != kindAssignmentExpression || t.Child(p, leftField) != int(all[at]) || t.Kind(t.Parent(p)) != kindExpressionStatement {
			return false
		}
		if at+1 < len(all) && int(all[at+1]) < t.After(p) {
			return false // it may ask for itself
		}
		if in := t.Parent(t.Parent(p)); in != t.Parent(t.Parent(declarator)) || t.Kind(in) == kindForStatement { // whose body may never be reached
			return false
		}
	}
	for _, at := range within(all, block, t.After(block)) {
		k := int(at)
		early := k < declarator && j.calledLater(k, p) || k > p && j.runsBefore(k, p)
		if early && j.sameName(k, name) && (k > p || p == declarator || !j.quiet(t.After(declarator), t.After(p), p, text)) {
			return false
		}
	}
	return true
}

// blockOf returns the node in which what var declares at node i is surely assigned behind that.
func (j *javascript) blockOf(i int) int {
	t := j.tree
	around := j.varScope(i)
	for i = t.Parent(i); ; i = t.Parent(i) {
		block := t.Parent(i)
		switch k := t.Kind(block); {
		case k == kindForStatement && t.Field(i) != bodyField, k == kindExportStatement, k == kindLabeledStatement:
		case block == around, k == kindStatementBlock && t.Parent(block) == around:
			return around
		case k == kindStatementBlock, k == kindSwitchCase, k == kindSwitchDefault:
			return block
		default: // of which it may be one of two bodies
			return i
		}
	}
}

// varScope is the node of the function, or program, that has what var declares at node i.
func (j *javascript) varScope(i int) int {
	return j.scopes[functionScopeOf(j.scopes, int(j.scopeIn[i]))].node
}

// unsetOutside says that the names of a pattern which var declares may be undefined, where they
// are asked for before node i or outside of the block.
func (j *javascript) unsetOutside(pattern, i, block int) {
	namesIn(j.tree, pattern, func(name int) {
		if !j.seenUnset(i, name, block) {
			return
		}
		found, _ := j.resolve(name)
		for _, b := range found {
			j.reads(&b.readBy)
			j.grow(&b.readBy, &b.values, ofKind(atomUndefined))
		}
	})
}

// unsetBehindCatch says that the names of a pattern which var declares are undefined outside of the catch that has a
// name as well: that is given what is assigned.
func (j *javascript) unsetBehindCatch(pattern int) {
	namesIn(j.tree, pattern, func(name int) {
		found, _ := j.resolve(name)
		outside := j.bindings[scopedName{functionScopeOf(j.scopes, int(j.scopeIn[name])), j.identifierText(name)}]
		if outside != nil && !slices.Contains(found, outside) {
			j.grow(&outside.readBy, &outside.values, ofKind(atomUndefined))
		}
	})
}

// seenUnset tells whether a variable that var declares stands before node i, at which it is
// assigned, or outside of the block, or what makes its value may ask for it.
func (j *javascript) seenUnset(i, name, block int) bool {
	around := j.varScope(i)
	given := j.givenAt(i)
	if j.leftForOther(i, j.identifierText(name)) {
		return true
	}
	for _, at := range within(j.identifiersOf(j.identifierText(name)), around, j.tree.After(around)) {
		k := int(at)
		asked := k != name && k < given && (!j.calledLater(k, i) || !j.quiet(i+1, given, analyze.NoNode, j.identifierText(name)))
		if (k < i || asked || k >= j.tree.After(block) || j.runsBefore(k, i)) && j.sameName(k, name) {
			return true
		}
	}
	return false
}

// leftForOther tells whether node i stands in a cell of a session, which may stop before that, and another cell may
// ask for what has one of the names: it does, or a function does that it may call.
func (j *javascript) leftForOther(i int, names ...string) bool {
	cells := j.Source.Cells()
	if len(cells) < 2 || j.functionAround(i) != analyze.NoNode {
		return false
	}
	start := j.tree.Start(i)
	for _, name := range names {
		for _, at := range j.identifiersOf(name) {
			k := int(at)
			if !j.Source.SameCell(start, j.tree.Start(k)) || start < cells[len(cells)-1] && j.functionAround(k) != analyze.NoNode {
				return true
			}
		}
	}
	return false
}

// runsBefore tells whether node k, which stands behind node i, is in a function that is declared beside it
// and may be called before what node i assigns is there: by what is assigned, too, or by another such function.
func (j *javascript) runsBefore(k, i int) bool {
	declared := j.declaredAround(k, j.functionAround(i))
	return declared > i && j.calledFrom(declared) < j.givenAt(i)
}

// givenAt returns the node before which what is assigned at node i comes to be.
func (j *javascript) givenAt(i int) int {
	t, p := j.tree, j.tree.Parent(i)
	switch t.Kind(p) {
	case kindAssignmentExpression:
		return t.After(p)
	case kindForInStatement:
		if body := t.Child(p, bodyField); body != analyze.NoNode {
			return body
		}
	}
	return t.After(i)
}

// declaredAround returns the function around node k that is declared in the function at node around, or NoNode.
func (j *javascript) declaredAround(k, around int) int {
	f := j.outermost(k, around)
	if f != analyze.NoNode && j.tree.Kind(f) != kindFunctionDeclaration && j.tree.Kind(f) != kindGeneratorFunctionDeclaration {
		return analyze.NoNode
	}
	return f
}

// maxCallers bounds how many functions are followed that name each other. Behind it one may be called early.
const maxCallers = 256

// calledFrom returns the first node at which the function that is declared at node i may be called: where it
// is named, or where another is that names it and is declared beside it.
func (j *javascript) calledFrom(i int) int {
	if first, known := j.firstCalls[i]; known {
		return first
	}
	first, around, callers := j.tree.Len(), j.functionAround(i), []int{i}
	for n := 0; n < len(callers); n++ {
		named, last := j.identifiersOf(j.functionName(callers[n])), analyze.NoNode
		for _, at := range named {
			first = min(first, int(at))
			f := j.declaredAround(int(at), around)
			if f != last && f != analyze.NoNode && !slices.Contains(callers, f) {
				callers = append(callers, f)
			}
			if last = f; len(callers) > maxCallers {
				break
			}
		}
		if len(callers) > maxCallers || !j.work(len(callers)+len(named)/16) {
			first = 0
			break
		}
	}
	if j.firstCalls == nil {
		j.firstCalls = map[int]int{}
	}
	j.firstCalls[i] = first
	return first
}

// outermost returns the function around node k that stands in the function at node around, with no other
// between, or NoNode.
func (j *javascript) outermost(k, around int) int {
	out := analyze.NoNode
	for f := j.functionAround(k); f != analyze.NoNode && f != around; f = j.functionAround(f) {
		out = f
	}
	return out
}

// calledLater tells whether node k, which stands before node i, is in a function of its own: that may be called
// behind it.
func (j *javascript) calledLater(k, i int) bool {
	return j.outermost(k, j.functionAround(i)) != analyze.NoNode
}

// maxQuiet bounds how many nodes are looked at for that.
const maxQuiet = 4096

// quiet tells whether no code of the program is called from node from on and before node to, and nothing ends it by
// an error: only values that stand there, or are there already, are given to names, and to members of what has that
// name. Node at is such a gift itself: one that is a call asks accessors.
func (j *javascript) quiet(from, to, at int, name string) bool {
	t := j.tree
	if to-from > maxQuiet {
		return false
	}
	for k := from; k < to; k++ {
		kind := t.Kind(k)
		switch {
		case isFunctionKind(kind) && !(kind == kindMethodDefinition && (j.hasComputedName(k) || at != analyze.NoNode && t.Kind(at) == kindCallExpression && j.accessor(k) != "")):
			k = t.After(k) - 1
			continue
		case k == at, !t.Named(k):
			continue
		}
		switch kind {
		case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifier:
			if p := t.Parent(k); t.Kind(p) == kindArguments && t.Parent(p) == at && j.identifierText(k) != name || j.mayFail(k) { // a call may ask it for more than is seen
				return false
			}
		case kindArray, kindObject, kindRegex: // which may be more than there is room for, where functions call each other
			if (kind == kindRegex || t.FirstNamed(k) != analyze.NoNode) && j.functionAround(k) != analyze.NoNode {
				return false
			}
		case kindPropertyIdentifier, kindString, kindStringFragment, kindEscapeSequence, kindNumber, kindTrue, kindFalse,
			kindNull, kindRegexPattern, kindRegexFlags, kindTemplateString, kindLexicalDeclaration, kindVariableDeclaration, kindVariableDeclarator, kindExpressionStatement,
			kindAssignmentExpression, kindParenthesizedExpression, kindPair, kindComment, kindEmptyStatement, kindArguments:
		case kindMemberExpression:
			o := t.Child(k, objectField)
			if t.Parent(k) != at && (o == analyze.NoNode || t.Kind(o) != kindIdentifier || j.identifierText(o) != name) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// mayFail tells whether the name at node k may be asked for, or assigned to, in vain: nothing declares it, it stays what it
// is, or what declares it is not reached yet.
func (j *javascript) mayFail(k int) bool {
	t, p := j.tree, j.tree.Parent(k)
	assigned := t.Kind(p) == kindAssignmentExpression && t.Field(k) == leftField
	if t.Kind(p) == kindVariableDeclarator && t.Field(k) == nameField {
		return false
	}
	found, global := j.resolve(k)
	switch {
	case global:
		name := j.identifierText(k) // of the global object's not each version has all, and some have accessors
		return assigned || t.Kind(k) != kindUndefined && name != "Object" && !(j.goal == analyze.Script && isModuleVariable(name))
	case assigned && slices.ContainsFunc(found, func(b *variable) bool { return b.fixed }):
		return true
	}
	return slices.ContainsFunc(found, func(b *variable) bool { return b.node != 0 && !j.declaredBefore(k, b) })
}

// declaredBefore tells whether node k is reached behind what declares a variable: that stands above it in one block, or
// above the function that it is in, which is not called before.
func (j *javascript) declaredBefore(k int, b *variable) bool {
	t, statement := j.tree, b.node
	if t.Kind(statement) == kindVariableDeclarator {
		statement = t.Parent(statement)
	}
	if in := t.Kind(t.Parent(statement)); in == kindSwitchCase || in == kindSwitchDefault || k < t.After(b.node) {
		return false
	}
	f := j.declaredAround(k, j.functionAround(b.node))
	return f == analyze.NoNode || j.calledFrom(f) >= t.After(b.node)
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
				return j.join(s, ofKind(atomUndefined))
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

// several tells whether s may be one of several things that have members: what is written to a member
// of it is then hardly in each.
func (s value) several() bool {
	n := 0
	for _, v := range s {
		if v.kind != atomUndefined && v.kind != atomNull {
			n++
		}
	}
	return n > 1
}

// ofThis tells whether node i is a member of this: whatever a constructor is called for has that.
func (j *javascript) ofThis(i int) bool {
	t := j.tree
	switch t.Kind(i) {
	case kindMemberExpression, kindSubscriptExpression:
		o := t.Child(i, objectField)
		return o != analyze.NoNode && (t.Kind(j.bare(o)) == kindThis || t.Kind(o) == kindSuper)
	}
	return false
}

// mayLack tells whether an object may be without a member that is assigned at node i, because it is
// assigned to either of several, or not always. Who assigned it first answers the same in each round.
func (j *javascript) mayLack(o *object, key string, either bool, i int) bool {
	if o.props[key] == nil {
		if o.firstSet == nil {
			o.firstSet = map[string]int{}
		}
		o.firstSet[key] = i
	}
	return o.firstSet[key] == i && (either || !j.setAlways(o, i) || j.askedBefore(o, key, i))
}

// setAlways tells whether a member that is assigned at node i is there for whoever has the
// object: it is assigned where that is made, or by its constructor, whatever happens.
func (j *javascript) setAlways(o *object, i int) bool {
	t := j.tree
	around := j.functionAround(i)
	for k, p := i, t.Parent(i); p != around && p != analyze.NoNode; k, p = p, t.Parent(p) {
		switch t.Kind(p) {
		case kindProgram, kindStatementBlock, kindExpressionStatement, kindLexicalDeclaration, kindVariableDeclaration, kindVariableDeclarator,
			kindAssignmentExpression, kindParenthesizedExpression, kindSequenceExpression, kindReturnStatement, kindObjectPattern, kindArrayPattern, kindPairPattern,
			kindClassBody, kindClass, kindClassDeclaration, kindExportStatement:
		case kindAssignmentPattern:
			if t.Field(k) != leftField {
				return false
			}
		default:
			return false
		}
	}
	if j.leftBefore(o, around, i) {
		return false
	}
	switch {
	case around != analyze.NoNode && (t.Kind(around) == kindClassStaticBlock || t.Kind(around) == kindFieldDefinition):
		return j.setByClass(o, around)
	case o.instanceOf == nil:
		return around == j.functionAround(o.node) && !j.askedAbove(o.node) && !j.leftForOther(i, j.knownAs(o)...)
	case o.instanceOf.class == nil:
		return around == o.instanceOf.node
	case around == analyze.NoNode || t.Kind(around) != kindMethodDefinition:
		return false
	}
	name := t.Child(around, nameField)
	return name != analyze.NoNode && j.identifierText(name) == "constructor" && t.Parent(t.Parent(around)) == o.instanceOf.node && !hasWord(t, around, "static")
}

// setByClass is setAlways for what the static block or field at node i assigns: a class runs these of
// its own where it stands, and the others for each of its instances.
func (j *javascript) setByClass(o *object, i int) bool {
	t := j.tree
	class := t.Parent(t.Parent(i))
	switch {
	case o.instanceOf != nil:
		return o.instanceOf.node == class && t.Kind(i) == kindFieldDefinition && !hasWord(t, i, "static")
	case o.node == class:
		return t.Kind(i) == kindClassStaticBlock || hasWord(t, i, "static")
	case i == j.functionAround(o.node):
		return !j.askedAbove(o.node)
	}
	return (t.Kind(i) == kindClassStaticBlock || hasWord(t, i, "static")) && j.setAlways(o, class)
}

// knownAs returns the names that an object has where it is made: what a module gives has two.
func (j *javascript) knownAs(o *object) []string {
	if o.node == 0 {
		return []string{"exports", "module"}
	}
	if name := j.nameOf(o); name != analyze.NoNode {
		return []string{j.identifierText(name)}
	}
	return nil
}

// askedAbove tells whether node i declares a function that stands above it by its name.
func (j *javascript) askedAbove(i int) bool {
	if k := j.tree.Kind(i); k != kindFunctionDeclaration && k != kindGeneratorFunctionDeclaration {
		return false
	}
	all := j.identifiersOf(j.functionName(i))
	return len(all) > 0 && int(all[0]) < i
}

// leftBefore tells whether the function at node around may end, or wait, between where the object
// is made, or the function begins, and node i.
func (j *javascript) leftBefore(o *object, around, i int) bool {
	t := j.tree
	if j.leaving == nil {
		j.leaving = map[int][]int32{}
		for k := range t.Len() {
			switch t.Kind(k) {
			case kindReturnStatement, kindYieldExpression, kindAwaitExpression:
				f := j.functionAround(k)
				j.leaving[f] = append(j.leaving[f], int32(k))
			}
		}
	}
	from := max(around, 0)
	if o.instanceOf == nil {
		from = o.node
	}
	all := j.leaving[around]
	n, _ := slices.BinarySearch(all, int32(from))
	return n < len(all) && t.After(int(all[n])) <= i
}
