package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// The floor is what holds where the rounds are wrong about a value. It follows none: one walk over
// the tree looks at how each expression is used that names what leads to all else, by the names of
// leads.go. Such an expression may be used where it stands, for a member whose name stands there,
// to be called, to be compared; whatever else is done with it moves it to where only the rounds
// would know of it, and is reported as DynamicMoved.

// floor walks one tree.
type floor struct {
	*namer
	classes map[*variable]bool // what onlyClasses found
}

// reportMoved reports what leads to all else and is used otherwise than on the spot.
func (j *javascript) reportMoved() {
	f := &floor{newNamer(j), map[*variable]bool{}}
	for i := 0; i < j.tree.Len() && !j.losesThis; i++ {
		j.losesThis = j.tree.Kind(i) == kindThis && f.handsThis(i)
	}
	for i := range j.tree.Len() {
		if f.moves(i) {
			j.Dynamic(analyze.DynamicMoved, j.At(j.tree, i))
		}
	}
}

// moves tells whether node i lets something travel that leads to all else.
func (f *floor) moves(i int) bool {
	t := f.tree
	if f.handsPrototype(i) {
		return true
	}
	switch t.Kind(i) {
	case kindIdentifier:
		if f.isTarget(i) {
			return false
		}
	case kindShorthandPropertyIdentifier:
		if showsCallers(f.identifierText(i)) {
			return true
		}
	case kindAwaitExpression, kindAssignmentExpression, kindMetaProperty:
	case kindMemberExpression:
		if f.handsChanger(i) || f.takesFromGlobal(i) {
			return true
		}
	case kindSubscriptExpression:
		if f.takesFromGlobal(i) || f.takesAny(i) || f.putsAny(i) || f.handsChanger(i) {
			return true
		}
	case kindCallExpression, kindNewExpression:
		if f.loadsAny(i) || f.changesOutside(i) || f.derivesOther(i) {
			return true
		}
	case kindPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
		return showsCallers(f.identifierText(i)) || t.Kind(i) == kindShorthandPropertyIdentifierPattern && f.patternTakesFromGlobal(i)
	case kindString:
		return showsCallers(f.stringText(i))
	case kindThis:
		if f.leavesFunction(i) {
			return true
		}
	case kindPairPattern:
		return f.patternTakesAny(i) || f.patternTakesFromGlobal(i)
	case kindNamespaceExport, kindExportSpecifier:
		return f.exports(i)
	default:
		return false
	}
	name := f.named(i)
	return leads(name) && !f.isTarget(i) && !f.onTheSpot(i, name)
}

// onTheSpot tells whether what node i names is used where it stands.
func (f *floor) onTheSpot(i int, name string) bool {
	t, p := f.tree, f.tree.Parent(i)
	if p == analyze.NoNode || name == anyOfSeveral {
		return false
	}
	switch t.Kind(p) {
	case kindParenthesizedExpression:
		return f.onTheSpot(p, name)
	case kindMemberExpression, kindSubscriptExpression:
		key, known := f.memberName(p)
		return known && t.Field(i) == objectField && f.letsTake(p, name, key)
	case kindCallExpression:
		return t.Field(i) == functionField
	case kindNewExpression:
		return t.Field(i) == constructorField
	case kindVariableDeclarator:
		return t.Kind(f.above(p, 2)) != kindExportStatement && f.takes(t.Child(p, nameField), name)
	case kindAssignmentExpression:
		return f.takes(t.Child(p, leftField), name)
	case kindAwaitExpression:
		return isAwaited(name)
	}
	return f.told(i)
}

// told tells whether of what node i yields only is taken whether it is there, what kind it is of,
// or whether it is the same as something.
func (f *floor) told(i int) bool {
	t, p := f.tree, f.tree.Parent(i)
	switch t.Kind(p) {
	case kindParenthesizedExpression:
		return f.told(p)
	case kindUnaryExpression, kindIfStatement, kindWhileStatement, kindDoStatement:
		return true
	case kindExpressionStatement:
		return f.mode == programCode && !f.cells // others give what their last statement comes to
	case kindTernaryExpression:
		return t.Field(i) == conditionField
	case kindForInStatement:
		of := t.Child(p, operatorField)
		return t.Field(i) == rightField && of != analyze.NoNode && t.Source(of) == "in"
	case kindBinaryExpression:
		operator := t.Child(p, operatorField)
		if operator == analyze.NoNode {
			return false
		}
		switch t.Source(operator) {
		case "===", "!==", "==", "!=", "in":
			return true
		case "&&":
			return t.Field(i) == leftField // where it is there, the other side counts
		case "instanceof":
			return t.Field(i) == rightField // the other side may be handed to a method of the program
		}
	}
	return false
}

// letsTake tells whether the member that node i takes of what has a name leaves that where it is.
// What calls or binds a function gives it something else to be called of, and arguments nobody
// looks at.
func (f *floor) letsTake(i int, name, key string) bool {
	switch {
	case isAwaited(name):
		return f.waits(i, name, key)
	case key == "call", key == "apply", key == "bind":
		return !isCallable(name)
	case name == modulePaths:
		return key == "length" || key == "join" || key == "includes" || key == "indexOf"
	}
	return true
}

// waits tells whether node i, a member of what import() gives, is called at once, and then with a
// function that stands there and puts what it gets nowhere else. It has to be an arrow function:
// others have a list of all their arguments besides.
func (f *floor) waits(i int, name, key string) bool {
	t, p := f.tree, f.tree.Parent(i)
	switch {
	case t.Kind(p) != kindCallExpression || t.Field(i) != functionField:
		return false
	case key == "catch", key == "finally":
		return true
	case key != "then":
		return false
	}
	function := f.argument(p)
	if function == analyze.NoNode || t.Kind(function) != kindArrowFunction {
		return false
	}
	first := t.Child(function, parameterField)
	if parameters := t.Child(function, parametersField); parameters != analyze.NoNode {
		if first = t.FirstNamed(parameters); first == analyze.NoNode {
			return true
		}
	}
	return f.takes(first, strings.TrimPrefix(name, awaitedPrefix))
}

// takes tells whether a pattern puts what has a name, and what it takes out of it, only into
// variables that have no other value that leads to all else.
func (f *floor) takes(pattern int, name string) bool {
	t, pattern := f.tree, f.bare(pattern)
	if pattern == analyze.NoNode {
		return false
	}
	switch t.Kind(pattern) {
	case kindIdentifier, kindShorthandPropertyIdentifierPattern:
		return f.onlyNames(pattern, name)
	case kindAssignmentPattern, kindObjectAssignmentPattern:
		return f.takes(t.Child(pattern, leftField), name)
	case kindObjectPattern:
	default:
		return false
	}
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		key, known := f.patternName(c)
		if !known || isAwaited(name) {
			return false
		}
		to := c
		if t.Kind(c) == kindPairPattern {
			to = t.Child(c, valueField)
		}
		if member := f.member(name, key); leads(member) && !f.takes(to, member) {
			return false
		}
	}
	return true
}

// onlyNames tells whether the name at node i stands for what has a name, and for nothing else that
// leads to all else.
func (f *floor) onlyNames(i int, name string) bool {
	found, _ := f.resolve(i)
	return len(found) > 0 && f.named(i) == name
}

// exports tells whether node i gives away what leads to all else, straight from its module.
func (f *floor) exports(i int) bool {
	t, p := f.tree, f.tree.Parent(i)
	if t.Kind(i) == kindNamespaceExport {
		return leads(f.named(p))
	}
	name := t.Child(i, nameField)
	return name != analyze.NoNode && leads(f.member(f.named(t.Parent(p)), f.exportName(name)))
}

// loadsAny tells whether node i loads a module whose name is not written there.
func (f *floor) loadsAny(i int) bool {
	t := f.tree
	function := f.called(i)
	if function == analyze.NoNode || !imports(t, function) && !isLoader(f.named(function)) {
		return false
	}
	if arguments := t.Child(i, argumentsField); arguments != analyze.NoNode && t.Kind(arguments) == kindTemplateString {
		return true
	}
	a := f.argument(i)
	return a != analyze.NoNode && !f.isConstant(a)
}

// isConstant tells whether node i is text that stands there: pieces of it, or the name of a constant.
func (f *floor) isConstant(i int) bool {
	t := f.tree
	switch i = f.bare(i); t.Kind(i) {
	case kindString:
		return true
	case kindTemplateString:
		_, plain := f.text(i)
		return plain
	case kindBinaryExpression:
		operator, a, b := t.Child(i, operatorField), t.Child(i, leftField), t.Child(i, rightField)
		return operator != analyze.NoNode && t.Source(operator) == "+" && a != analyze.NoNode && b != analyze.NoNode && f.isConstant(a) && f.isConstant(b)
	case kindIdentifier:
		return f.isConstantName(i)
	}
	return false
}

// isConstantName tells whether the name at node i is that of a constant, and its text stands at its declaration.
func (f *floor) isConstantName(i int) bool {
	found, global := f.resolve(i)
	if len(found) != 1 || global || len(f.given[found[0]]) != 1 {
		return false
	}
	t := f.tree
	declarator := t.Parent(int(f.given[found[0]][0]))
	kind, value := t.Child(t.Parent(declarator), kindField), t.Child(declarator, valueField)
	return t.Kind(declarator) == kindVariableDeclarator && kind != analyze.NoNode && t.Source(kind) == "const" && value != analyze.NoNode && t.Kind(value) == kindString
}

// changesOutside tells whether node i puts members that it need not name on what the language or Node has.
func (f *floor) changesOutside(i int) bool {
	function := f.called(i)
	if function == analyze.NoNode || !f.isChanger(function) {
		return false
	}
	a := f.argument(i)
	return a != analyze.NoNode && f.isOutside(a)
}

// handsChanger tells whether node i is a function that puts members on what it is given, and is given
// away, or called by another name than its own. Old programs ask whether there is one and keep it.
func (f *floor) handsChanger(i int) bool {
	if !f.isChanger(i) {
		return false
	}
	i = f.tree.Bracketed(i, kindParenthesizedExpression)
	switch p := f.tree.Parent(i); f.tree.Kind(p) {
	case kindArguments, kindArray, kindPair, kindMemberExpression, kindSubscriptExpression:
		return true
	}
	return false
}

// isChanger tells whether node i is a function of Object that puts members on what it is given.
func (f *floor) isChanger(i int) bool {
	if k := f.tree.Kind(i); k != kindMemberExpression && k != kindSubscriptExpression {
		return false
	}
	owner := f.named(f.tree.Child(i, objectField))
	key, known := f.memberName(i)
	return known && owner == "globalThis.Object" && isChanger(owner+"."+key)
}

// putsAny tells whether node i, to which something is assigned, is a member of what the language or
// Node has, by a name that does not stand there.
func (f *floor) putsAny(i int) bool {
	o, x := f.tree.Child(i, objectField), f.tree.Child(i, indexField)
	return f.isTarget(i) && o != analyze.NoNode && x != analyze.NoNode && !f.isKey(x) && f.isOutside(f.bare(o))
}

// isOutside tells whether node i is something of the language or of Node, or a member of that. What
// a module exports is the program's, and the environment is there to be set.
func (f *floor) isOutside(i int) bool {
	for t := f.tree; i != analyze.NoNode; i = f.bare(t.Child(i, objectField)) {
		switch name := f.named(i); {
		case name == "globalThis.module.exports", name == "globalThis.exports", name == "globalThis.process.env":
			return false
		case name != "":
			return true
		case t.Kind(i) != kindMemberExpression && t.Kind(i) != kindSubscriptExpression:
			return false
		}
	}
	return false
}

// takesAny tells whether node i takes a member of a function by a name that does not stand there,
// and somebody has it then: it may be what makes functions of text. So may be a member of a member
// of any value, and a member of that what all objects inherit from.
func (f *floor) takesAny(i int) bool {
	o, x := f.tree.Child(i, objectField), f.tree.Child(i, indexField)
	return o != analyze.NoNode && x != analyze.NoNode && (f.isFunctionHere(o) || f.isAnyOfValue(o)) && !f.isKey(x) && !f.told(i) && !f.isTarget(i)
}

// isAnyOfValue tells whether node i is an object that is made there, or a member, by a name that does
// not stand there, of such an object or of text.
func (f *floor) isAnyOfValue(i int) bool {
	i = f.bare(i)
	o, x := f.tree.Child(i, objectField), f.tree.Child(i, indexField)
	switch f.tree.Kind(i) {
	case kindNewExpression:
		return true
	case kindSubscriptExpression:
		return o != analyze.NoNode && x != analyze.NoNode && !f.isKey(x) && f.isValueHere(o)
	}
	return false
}

// isValueHere tells whether node i is a value that stands there and is no list or table of others.
func (f *floor) isValueHere(i int) bool {
	switch f.tree.Kind(f.bare(i)) {
	case kindString, kindTemplateString, kindNumber, kindTrue, kindFalse, kindRegex, kindNewExpression:
		return true
	}
	return false
}

// patternTakesAny is takesAny for what a pattern takes of the function that it is given.
func (f *floor) patternTakesAny(i int) bool {
	t := f.tree
	if _, known := f.patternName(i); known {
		return false
	}
	p := f.above(i, 2)
	switch t.Kind(p) {
	case kindVariableDeclarator, kindAssignmentExpression:
		value := t.Child(p, valueField)
		if value == analyze.NoNode {
			value = t.Child(p, rightField)
		}
		return value != analyze.NoNode && f.isFunctionHere(value)
	}
	return false
}

// isKey tells whether node i, the index of a member, names it there or is a number.
func (f *floor) isKey(i int) bool {
	t := f.tree
	switch i = f.bare(i); t.Kind(i) {
	case kindNumber, kindUpdateExpression:
		return true
	case kindUnaryExpression:
		operator := t.Child(i, operatorField)
		return operator != analyze.NoNode && slices.Contains([]string{"-", "+", "~"}, t.Source(operator))
	case kindBinaryExpression:
		operator := t.Child(i, operatorField)
		return operator != analyze.NoNode && slices.Contains([]string{"-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"}, t.Source(operator))
	}
	_, plain := f.text(i)
	return plain
}

// isFunctionHere tells whether node i is a function, class or regular expression by what stands
// there, or by the name that it is declared under.
func (f *floor) isFunctionHere(i int) bool {
	t := f.tree
	switch i = f.bare(i); t.Kind(i) {
	case kindArrowFunction, kindFunctionExpression, kindGeneratorFunction, kindClass, kindRegex:
		return true
	case kindIdentifier:
		found, global := f.resolve(i)
		return slices.ContainsFunc(found, func(v *variable) bool { return f.functions[v] }) || global && f.isClassOfLanguage(i)
	case kindMemberExpression:
		o := f.bare(t.Child(i, objectField))
		key, known := f.memberName(i)
		if o == analyze.NoNode || !known || key == "length" || key == prototypeKey {
			return false
		}
		switch t.Kind(o) {
		case kindArray, kindString, kindTemplateString, kindNumber, kindRegex, kindArrowFunction, kindFunctionExpression:
			return true
		case kindIdentifier:
			return f.isClassOfLanguage(o) || isPlainObject(f.named(o)) && isBuiltinGlobal(f.identifierText(o))
		}
	}
	return false
}

// isClassOfLanguage tells whether node i is the name of a function or class that the language has.
func (f *floor) isClassOfLanguage(i int) bool {
	name, text := f.named(i), f.identifierText(i)
	return name == "globalThis."+text && isBuiltinGlobal(text) && isFunction(name)
}

// showsCallers is true for the names of what makes functions of those that called.
func showsCallers(key string) bool {
	switch key {
	case "getFunction", "getThis", "prepareStackTrace":
		return true
	}
	return false
}

// leavesFunction tells whether node i, this, may be the global object and is asked for what leads
// from there, or from the process, to all else.
func (f *floor) leavesFunction(i int) bool {
	t := f.tree
	i = t.Bracketed(i, kindParenthesizedExpression)
	p := t.Parent(i)
	if t.Kind(p) != kindMemberExpression && t.Kind(p) != kindSubscriptExpression || t.Field(i) != objectField || f.isTarget(p) {
		return false
	}
	key, known := f.memberName(p)
	return known && key != "arguments" && (leads(memberSymbol("globalThis", key)) || leads(memberSymbol("globalThis.process", key))) && f.mayBeGlobal(i, key)
}

// handsThis tells whether this at node i may be the global object and goes where the floor does not follow it.
func (f *floor) handsThis(i int) bool {
	t := f.tree
	i = t.Bracketed(i, kindParenthesizedExpression)
	p := t.Parent(i)
	if k := t.Kind(p); (k == kindMemberExpression || k == kindSubscriptExpression) && t.Field(i) == objectField {
		key, known := f.memberName(p)
		return known && key == "valueOf" && f.mayBeGlobal(i, key)
	}
	return !f.told(i) && f.inFunction(i) && f.mayBeGlobal(i, "")
}

// takesFromGlobal tells whether node i takes what leads to all else, by the name that it has in the
// global object, from what may be that because some function handed its this on.
func (f *floor) takesFromGlobal(i int) bool {
	if !f.losesThis || f.isTarget(i) || f.told(i) {
		return false
	}
	key, known := f.memberName(i)
	if !known || !leadsFromGlobal(key) || f.named(f.tree.Child(i, objectField)) != "" {
		return false
	}
	o := f.bare(f.tree.Child(i, objectField))
	if o != analyze.NoNode && f.tree.Kind(o) == kindThis { // see leavesFunction
		return false
	}
	called := f.tree.Bracketed(i, kindParenthesizedExpression)
	return isCallable(memberSymbol("globalThis", key)) || f.tree.Kind(f.tree.Parent(called)) != kindCallExpression || f.tree.Field(called) != functionField
}

// patternTakesFromGlobal is takesFromGlobal for what a pattern takes.
func (f *floor) patternTakesFromGlobal(i int) bool {
	key, known := f.patternName(i)
	return f.losesThis && known && leadsFromGlobal(key) && f.named(f.tree.Parent(i)) == ""
}

// leadsFromGlobal is true for the names by which the global object has what leads to all else.
func leadsFromGlobal(key string) bool {
	return !isModuleVariable(key) && leads(memberSymbol("globalThis", key))
}

// mayBeGlobal tells whether this at node i may be the global object: the code is not strict from the
// top, and it stands in no object that has a member of that name itself.
func (f *floor) mayBeGlobal(i int, key string) bool {
	t := f.tree
	if f.topStrict {
		return false
	}
	for p := t.Parent(i); p != analyze.NoNode; p = t.Parent(p) {
		switch t.Kind(p) {
		case kindClassBody:
			return false
		case kindFunctionDeclaration, kindFunctionExpression, kindMethodDefinition, kindGeneratorFunction, kindGeneratorFunctionDeclaration, kindArrowFunction:
			if body := t.Child(p, bodyField); body != analyze.NoNode && t.Kind(body) == kindStatementBlock && f.directive(body) {
				return false
			}
		case kindObject:
			for c := t.FirstNamed(p); c != analyze.NoNode; c = t.NextNamed(c) {
				if !f.work(1) {
					return true
				}
				if own := f.ownKey(c); own != "" && own == key {
					return false
				}
			}
		}
	}
	return true
}

// ownKey returns the name that part i of an object has, or "".
func (f *floor) ownKey(i int) string {
	k := f.tree.Child(i, keyField)
	if f.tree.Kind(i) == kindMethodDefinition {
		k = f.tree.Child(i, nameField)
	}
	if k == analyze.NoNode || f.tree.Kind(k) == kindComputedPropertyName {
		return ""
	}
	return f.keyText(k)
}
