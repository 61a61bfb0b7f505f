package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What an expression names is told by what stands there: a global, a module that is loaded by its
// name, a member of these, and a variable that is given nothing else of that sort.

// anyOfSeveral is what a variable names that is given several things that lead to all else.
const anyOfSeveral = "?"

// awaitedPrefix stands before the name of a module that import() will give.
const awaitedPrefix = "await "

func isAwaited(name string) bool { return strings.HasPrefix(name, awaitedPrefix) }

// leads is true for what leads to all else: namespaces, and what loads modules or makes functions of text.
func leads(name string) bool {
	if name == "" {
		return false
	}
	return name == anyOfSeveral || isNamespace(strings.TrimPrefix(name, awaitedPrefix)) || isCallable(name)
}

// isCallable is true for what loads modules, makes functions of text, or changes what objects are.
func isCallable(name string) bool {
	switch name {
	case "globalThis.Function", "globalThis.AsyncFunction", "globalThis.GeneratorFunction", "globalThis.AsyncGeneratorFunction", "globalThis.eval",
		"globalThis.Proxy", "globalThis.process.binding", "globalThis.process._linkedBinding", "globalThis.process.dlopen":
		return true
	}
	return isLoader(name) || isRequireMaker(name)
}

// isLoader is true for functions that give the module whose name they get.
func isLoader(name string) bool {
	switch name {
	case "globalThis.require", "globalThis.process.getBuiltinModule", "node:module._load":
		return true
	}
	return false
}

func isRequireMaker(name string) bool {
	return name == "node:module.createRequire" || name == "node:module.createRequireFromPath"
}

// collect notes where variables are given something, and which are functions.
func (f *floor) collect() {
	t := f.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindIdentifier, kindShorthandPropertyIdentifierPattern:
		default:
			continue
		}
		if !f.isTarget(i) {
			continue
		}
		for _, v := range f.targets(i) {
			f.given[v] = append(f.given[v], int32(i))
			if f.isFunctionName(i) {
				f.functions[v] = true
			}
		}
	}
}

// targets returns the variables that the name at node i is put into. That of a declared class is one
// inside of the class, too, and that of a function may be a parameter's as well.
func (f *floor) targets(i int) []*variable {
	found, _ := f.resolve(i)
	switch p := f.tree.Parent(i); f.tree.Kind(p) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindClassDeclaration:
		outside, _ := f.lookup(f.identifierText(i), int(f.scopeIn[p]))
		return slices.Concat(found, outside)
	}
	return found
}

// isFunctionName tells whether the name at node i is given a function or class that stands there.
func (f *floor) isFunctionName(i int) bool {
	t, p := f.tree, f.tree.Parent(i)
	value := analyze.NoNode
	switch t.Kind(p) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindFunctionExpression, kindGeneratorFunction, kindClass, kindClassDeclaration:
		return true
	case kindVariableDeclarator:
		value = t.Child(p, valueField)
	case kindAssignmentExpression:
		value = t.Child(p, rightField)
	}
	if value = f.bare(value); value == analyze.NoNode {
		return false
	}
	switch t.Kind(value) {
	case kindArrowFunction, kindFunctionExpression, kindGeneratorFunction, kindClass, kindRegex:
		return true
	}
	return false
}

// named returns what node i names, or "".
func (f *floor) named(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	if f.namedAt[i] == 0 {
		f.namedAt[i] = 1 // a circle names nothing
		f.remember(i, f.name(i))
	}
	if n := f.namedAt[i]; n > 1 {
		return f.names[n-2]
	}
	return ""
}

// remember notes what node i names.
func (f *floor) remember(i int, name string) {
	if name == "" {
		return
	}
	n, ok := f.numbers[name]
	if !ok {
		n = int32(len(f.names))
		f.numbers[name], f.names = n, append(f.names, name)
	}
	f.namedAt[i] = n + 2
}

func (f *floor) name(i int) string {
	t := f.tree
	switch t.Kind(i) {
	case kindIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
		return f.variableName(i)
	case kindParenthesizedExpression:
		return f.named(t.FirstNamed(i))
	case kindMemberExpression, kindSubscriptExpression:
		if key, known := f.memberName(i); known {
			return f.member(f.named(t.Child(i, objectField)), key)
		}
	case kindAwaitExpression:
		name, waited := strings.CutPrefix(f.named(t.FirstNamed(i)), awaitedPrefix)
		if waited {
			return name
		}
	case kindAssignmentExpression:
		return f.named(t.Child(i, rightField))
	case kindCallExpression, kindNewExpression:
		return f.resultName(i)
	case kindImportStatement, kindExportStatement:
		return f.module(t.Child(i, sourceField))
	case kindObjectPattern:
		return f.givenName(i)
	case kindThis:
		if f.isListener(i) {
			return "globalThis.process"
		}
	}
	return ""
}

// isListener tells whether this at node i is what a listener of the process is called of.
func (f *floor) isListener(i int) bool {
	t := f.tree
	for i = f.functionAround(i); i != analyze.NoNode && t.Kind(i) == kindArrowFunction; {
		i = f.functionAround(i)
	}
	if i == analyze.NoNode || t.Kind(i) != kindFunctionExpression || t.Kind(t.Parent(i)) != kindArguments {
		return false
	}
	owner, _ := f.method(f.above(i, 2))
	return owner == "globalThis.process"
}

// variableName returns what the name at node i stands for.
func (f *floor) variableName(i int) string {
	found, global := f.resolve(i)
	name := ""
	for _, v := range found {
		name = either(name, f.leadsTo(v))
	}
	if !global {
		return name
	}
	text := f.identifierText(i)
	if !isNodeGlobal(text) || text == "arguments" && f.inFunction(i) {
		return name
	}
	outside := memberSymbol("globalThis", text)
	if name == "" || leads(outside) {
		return either(name, outside)
	}
	return name
}

// either joins what a variable may name.
func either(a, b string) string {
	switch {
	case a == "", a == b:
		return b
	case b == "":
		return a
	}
	return anyOfSeveral
}

// inFunction tells whether node i stands in a function that has arguments of its own.
func (f *floor) inFunction(i int) bool {
	for i = f.functionAround(i); i != analyze.NoNode; i = f.functionAround(i) {
		if f.tree.Kind(i) != kindArrowFunction {
			return true
		}
	}
	return false
}

// leadsTo returns what a variable stands for that leads to all else: it is given that where it is
// declared, and nothing else anywhere. Globals have no other names but those that a module gives them.
func (f *floor) leadsTo(v *variable) string {
	name, known := f.leadingTo[v]
	if known || len(f.given[v]) != 1 {
		return name
	}
	f.leadingTo[v] = "" // for a circle
	at := int(f.given[v][0])
	if given := f.givenName(at); leads(given) && (!strings.HasPrefix(given, "globalThis") || f.isLoaded(at)) {
		f.leadingTo[v] = given
	}
	return f.leadingTo[v]
}

// isLoaded tells whether the name at node i is given what a call or an import loads, and no other member of that.
func (f *floor) isLoaded(i int) bool {
	t, p := f.tree, f.tree.Parent(i)
	switch t.Kind(p) {
	case kindImportClause, kindNamespaceImport, kindImportSpecifier, kindArrowFunction, kindFormalParameters:
		return true
	case kindVariableDeclarator:
		value := f.bare(t.Child(p, valueField))
		if value == analyze.NoNode || t.Kind(value) != kindCallExpression {
			return value != analyze.NoNode && t.Kind(value) == kindAwaitExpression
		}
		function := f.named(t.Child(value, functionField))
		return isLoader(function) || isRequireMaker(function)
	}
	return false
}

// givenName returns what the name or pattern at node i is given.
func (f *floor) givenName(i int) string {
	t, p := f.tree, f.tree.Parent(i)
	switch t.Kind(p) {
	case kindParenthesizedExpression, kindAssignmentPattern, kindObjectAssignmentPattern:
		return f.givenName(p)
	case kindVariableDeclarator:
		return f.named(t.Child(p, valueField))
	case kindPairPattern:
		if key, known := f.patternName(p); known {
			return f.member(f.named(t.Parent(p)), key)
		}
	case kindObjectPattern:
		if key, known := f.patternName(i); known {
			return f.member(f.named(p), key)
		}
	case kindArrowFunction:
		return f.handedName(p)
	case kindFormalParameters:
		if t.FirstNamed(p) == i && t.Kind(t.Parent(p)) == kindArrowFunction {
			return f.handedName(t.Parent(p))
		}
	case kindImportClause:
		return f.member(f.named(t.Parent(p)), "default")
	case kindNamespaceImport:
		return f.named(f.above(p, 2))
	case kindImportSpecifier:
		if name := t.Child(p, nameField); name != analyze.NoNode {
			return f.member(f.named(f.above(p, 3)), f.exportName(name))
		}
	}
	return ""
}

// handedName returns what the first parameter of arrow function i gets, where import() gives it.
func (f *floor) handedName(i int) string {
	t, p := f.tree, f.tree.Parent(i)
	for t.Kind(p) == kindParenthesizedExpression {
		p = t.Parent(p)
	}
	if t.Kind(p) != kindArguments || f.argument(t.Parent(p)) != i {
		return ""
	}
	owner, key := f.method(t.Parent(p))
	if name, waited := strings.CutPrefix(owner, awaitedPrefix); waited && key == "then" {
		return name
	}
	return ""
}

// method returns what call i is called of, and the name of the method.
func (f *floor) method(i int) (owner, key string) {
	t := f.tree
	function := f.bare(t.Child(i, functionField))
	if function == analyze.NoNode || t.Kind(function) != kindMemberExpression && t.Kind(function) != kindSubscriptExpression {
		return "", ""
	}
	key, _ = f.memberName(function)
	return f.named(t.Child(function, objectField)), key
}

// resultName returns what call i gives: a module, or what it is called of.
func (f *floor) resultName(i int) string {
	function := f.called(i)
	if function == analyze.NoNode {
		return ""
	}
	if f.tree.Kind(function) == kindImport {
		if name := f.module(f.argument(i)); name != "" {
			return awaitedPrefix + name
		}
		return ""
	}
	switch name := f.named(function); {
	case isLoader(name):
		return f.module(f.argument(i))
	case isRequireMaker(name):
		return "globalThis.require"
	}
	owner, key := f.method(i)
	switch {
	case !leads(owner):
		return ""
	case isAwaited(owner):
		if key == "catch" || key == "finally" {
			return owner
		}
		return ""
	case key == "valueOf", owner == "globalThis.process" && keepsToItself(key):
		return owner
	}
	return ""
}

// module returns the module that the text at node i names, or "".
func (f *floor) module(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	const longest = 64 // of the names of Node's modules, and more
	if text, plain := f.text(i); plain && len(text) <= longest {
		return moduleSymbol(nodeModule(text))
	}
	return ""
}

// text returns the text that stands at node i; plain is false where none does.
func (f *floor) text(i int) (text string, plain bool) {
	t := f.tree
	switch i = f.bare(i); t.Kind(i) {
	case kindString:
		return f.stringText(i), true
	case kindTemplateString:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindTemplateSubstitution {
				return "", false
			}
		}
		return f.stringText(i), true
	}
	return "", false
}

// member returns the name of a member of what has a name. Of what leads nowhere, none is asked for.
func (f *floor) member(owner, key string) string {
	switch {
	case !leads(owner), isAwaited(owner):
		return ""
	case owner == anyOfSeveral, owner == "globalThis.process" && key == "default": // of the module of that name
		return owner
	}
	return memberSymbol(owner, key)
}

// memberName returns the name of the member that node i takes; known is false where it does not stand there.
func (f *floor) memberName(i int) (key string, known bool) {
	t := f.tree
	if t.Kind(i) == kindSubscriptExpression {
		if x := t.Child(i, indexField); x != analyze.NoNode {
			return f.text(x)
		}
		return "", false
	}
	p := t.Child(i, propertyField)
	if p == analyze.NoNode || t.Kind(p) != kindPropertyIdentifier {
		return "", false
	}
	return f.identifierText(p), true
}

// patternName is memberName for what a part of a pattern takes.
func (f *floor) patternName(i int) (key string, known bool) {
	t := f.tree
	switch t.Kind(i) {
	case kindShorthandPropertyIdentifierPattern:
		return f.identifierText(i), true
	case kindObjectAssignmentPattern:
		if left := t.Child(i, leftField); left != analyze.NoNode {
			return f.patternName(left)
		}
	case kindPairPattern:
		k := t.Child(i, keyField)
		switch {
		case k == analyze.NoNode:
		case t.Kind(k) == kindComputedPropertyName:
			if x := t.FirstNamed(k); x != analyze.NoNode {
				return f.text(x)
			}
		default:
			return f.keyText(k), true
		}
	}
	return "", false
}
