package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What an expression names is told by what stands there: a global, a module that is loaded by its
// name, a member of these, and a variable that is given nothing else of that sort.

// namer tells what expressions of one tree name.
type namer struct {
	*javascript
	names     []string              // what nodes name, each once
	numbers   map[string]int32      // where in names
	namedAt   []int32               // by node: two more than the index in names; 1 for nothing, 0 if nobody asked
	given     map[*variable][]int32 // where a variable is given something: the nodes of its name
	leadingTo map[*variable]string  // what of all that leads to all else
	functions map[*variable]bool    // what is declared as a function or class, or given one that stands there
}

func newNamer(j *javascript) *namer {
	m := &namer{
		javascript: j, numbers: map[string]int32{}, namedAt: make([]int32, j.tree.Len()),
		given: map[*variable][]int32{}, leadingTo: map[*variable]string{}, functions: map[*variable]bool{},
	}
	m.collect()
	return m
}

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
	return name == anyOfSeveral || name == importMeta || name == modulePaths || isNamespace(strings.TrimPrefix(name, awaitedPrefix)) || isCallable(name)
}

// isCallable is true for what loads modules, makes functions of text, changes what objects are, or makes
// streams that take memory away.
func isCallable(name string) bool {
	switch name {
	case "globalThis.Function", "globalThis.AsyncFunction", "globalThis.GeneratorFunction", "globalThis.AsyncGeneratorFunction", "globalThis.eval",
		"globalThis.Proxy", "globalThis.ReadableStream", "globalThis.Response", "globalThis.Request", "globalThis.process.binding", "globalThis.process._linkedBinding", "globalThis.process.dlopen", deriver:
		return true
	}
	return isLoader(name) || isRequireMaker(name)
}

// deriver is the function that puts the prototype of one class below that of another.
const deriver = "node:util.inherits"

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
func (m *namer) collect() {
	t := m.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindIdentifier, kindShorthandPropertyIdentifierPattern:
		default:
			continue
		}
		if !m.isTarget(i) {
			continue
		}
		for _, v := range m.targets(i) {
			m.given[v] = append(m.given[v], int32(i))
			if m.isFunctionName(i) {
				m.functions[v] = true
			}
		}
	}
}

// targets returns the variables that the name at node i is put into. That of a declared class is one
// inside of the class, too, and that of a function may be a parameter's as well.
func (m *namer) targets(i int) []*variable {
	found, _ := m.resolve(i)
	switch p := m.tree.Parent(i); m.tree.Kind(p) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindClassDeclaration:
		outside, _ := m.lookup(m.identifierText(i), int(m.scopeIn[p]))
		return slices.Concat(found, outside)
	}
	return found
}

// isFunctionName tells whether the name at node i is given a function or class that stands there.
func (m *namer) isFunctionName(i int) bool {
	t, p := m.tree, m.tree.Parent(i)
	value := analyze.NoNode
	switch t.Kind(p) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindFunctionExpression, kindGeneratorFunction, kindClass, kindClassDeclaration:
		return true
	case kindVariableDeclarator:
		value = t.Child(p, valueField)
	case kindAssignmentExpression:
		value = t.Child(p, rightField)
	}
	if value = m.bare(value); value == analyze.NoNode {
		return false
	}
	switch t.Kind(value) {
	case kindArrowFunction, kindFunctionExpression, kindGeneratorFunction, kindClass, kindRegex:
		return true
	case kindAssignmentExpression: // var f = module.exports = function () {}
		left := m.bare(t.Child(value, leftField))
		return left != analyze.NoNode && m.isFunctionName(left)
	}
	return false
}

// named returns what node i names, or "".
func (m *namer) named(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	if m.namedAt[i] == 0 {
		m.namedAt[i] = 1 // a circle names nothing
		m.remember(i, m.name(i))
	}
	if n := m.namedAt[i]; n > 1 {
		return m.names[n-2]
	}
	return ""
}

// remember notes what node i names.
func (m *namer) remember(i int, name string) {
	if name == "" {
		return
	}
	n, ok := m.numbers[name]
	if !ok {
		n = int32(len(m.names))
		m.numbers[name], m.names = n, append(m.names, name)
	}
	m.namedAt[i] = n + 2
}

func (m *namer) name(i int) string {
	t := m.tree
	switch t.Kind(i) {
	case kindIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern:
		return m.variableName(i)
	case kindParenthesizedExpression:
		return m.named(t.FirstNamed(i))
	case kindMemberExpression, kindSubscriptExpression:
		if o := t.Child(i, objectField); o != analyze.NoNode && t.Kind(o) == kindImport {
			return importMeta
		}
		if key, known := m.memberName(i); known {
			return m.member(m.named(t.Child(i, objectField)), key)
		}
	case kindAwaitExpression:
		name, waited := strings.CutPrefix(m.named(t.FirstNamed(i)), awaitedPrefix)
		if waited {
			return name
		}
	case kindAssignmentExpression:
		return m.named(t.Child(i, rightField))
	case kindCallExpression, kindNewExpression:
		return m.resultName(i)
	case kindImportStatement, kindExportStatement:
		return m.module(t.Child(i, sourceField))
	case kindObjectPattern:
		return m.givenName(i)
	case kindMetaProperty:
		if strings.HasPrefix(t.Source(i), "import") {
			return importMeta
		}
	case kindThis:
		if m.isListener(i) {
			return "globalThis.process"
		}
	}
	return ""
}

// isListener tells whether this at node i is what a listener of the process is called of.
func (m *namer) isListener(i int) bool {
	t := m.tree
	for i = m.functionAround(i); i != analyze.NoNode && t.Kind(i) == kindArrowFunction; {
		i = m.functionAround(i)
	}
	if i == analyze.NoNode || t.Kind(i) != kindFunctionExpression || t.Kind(t.Parent(i)) != kindArguments {
		return false
	}
	owner, _ := m.method(m.above(i, 2))
	return owner == "globalThis.process"
}

// variableName returns what the name at node i stands for.
func (m *namer) variableName(i int) string {
	found, global := m.resolve(i)
	name := ""
	for _, v := range found {
		name = either(name, m.standsFor(v))
	}
	if !global {
		return name
	}
	text := m.identifierText(i)
	outside := memberSymbol("globalThis", text)
	if !isNodeGlobal(text) && !isCallable(outside) || text == "arguments" && m.inFunction(i) {
		return name
	}
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
func (m *namer) inFunction(i int) bool {
	for i = m.functionAround(i); i != analyze.NoNode; i = m.functionAround(i) {
		if m.tree.Kind(i) != kindArrowFunction {
			return true
		}
	}
	return false
}

// standsFor returns what a variable stands for that leads to all else: it is given that where it is
// declared, and nothing else anywhere. Globals have no other names but those that a module gives them.
func (m *namer) standsFor(v *variable) string {
	name, known := m.leadingTo[v]
	if known || len(m.given[v]) != 1 {
		return name
	}
	m.leadingTo[v] = "" // for a circle
	at := int(m.given[v][0])
	if given := m.givenName(at); leads(given) && (!strings.HasPrefix(given, "globalThis") || m.isLoaded(at)) {
		m.leadingTo[v] = given
	}
	return m.leadingTo[v]
}

// isLoaded tells whether the name at node i is given what a call or an import loads, and no other member of that.
func (m *namer) isLoaded(i int) bool {
	t, p := m.tree, m.tree.Parent(i)
	switch t.Kind(p) {
	case kindImportClause, kindNamespaceImport, kindImportSpecifier, kindArrowFunction, kindFormalParameters:
		return true
	case kindVariableDeclarator:
		value := m.bare(t.Child(p, valueField))
		if value == analyze.NoNode || t.Kind(value) != kindCallExpression {
			return value != analyze.NoNode && t.Kind(value) == kindAwaitExpression
		}
		function := m.named(t.Child(value, functionField))
		return isLoader(function) || isRequireMaker(function)
	}
	return false
}

// givenName returns what the name or pattern at node i is given.
func (m *namer) givenName(i int) string {
	t, p := m.tree, m.tree.Parent(i)
	switch t.Kind(p) {
	case kindParenthesizedExpression, kindAssignmentPattern, kindObjectAssignmentPattern:
		return m.givenName(p)
	case kindVariableDeclarator:
		return m.named(t.Child(p, valueField))
	case kindPairPattern:
		if key, known := m.patternName(p); known {
			return m.member(m.named(t.Parent(p)), key)
		}
	case kindObjectPattern:
		if key, known := m.patternName(i); known {
			return m.member(m.named(p), key)
		}
	case kindArrowFunction:
		return m.handedName(p)
	case kindFormalParameters:
		if t.FirstNamed(p) == i && t.Kind(t.Parent(p)) == kindArrowFunction {
			return m.handedName(t.Parent(p))
		}
	case kindImportClause:
		return m.member(m.named(t.Parent(p)), "default")
	case kindNamespaceImport:
		return m.named(m.above(p, 2))
	case kindImportSpecifier:
		if name := t.Child(p, nameField); name != analyze.NoNode {
			return m.member(m.named(m.above(p, 3)), m.exportName(name))
		}
	}
	return ""
}

// handedName returns what the first parameter of arrow function i gets, where import() gives it.
func (m *namer) handedName(i int) string {
	t := m.tree
	p := t.Parent(t.Bracketed(i, kindParenthesizedExpression))
	if t.Kind(p) != kindArguments || m.argument(t.Parent(p)) != i {
		return ""
	}
	owner, key := m.method(t.Parent(p))
	if name, waited := strings.CutPrefix(owner, awaitedPrefix); waited && key == "then" {
		return name
	}
	return ""
}

// method returns what call i is called of, and the name of the method.
func (m *namer) method(i int) (owner, key string) {
	t := m.tree
	function := m.bare(t.Child(i, functionField))
	if function == analyze.NoNode || t.Kind(function) != kindMemberExpression && t.Kind(function) != kindSubscriptExpression {
		return "", ""
	}
	key, _ = m.memberName(function)
	return m.named(t.Child(function, objectField)), key
}

// resultName returns what call i gives: a module, or what it is called of.
func (m *namer) resultName(i int) string {
	function := m.called(i)
	if function == analyze.NoNode {
		return ""
	}
	if imports(m.tree, function) {
		if name := m.module(m.argument(i)); name != "" {
			return awaitedPrefix + name
		}
		return ""
	}
	switch name := m.named(function); {
	case isLoader(name):
		return m.module(m.argument(i))
	case isRequireMaker(name):
		return "globalThis.require"
	}
	owner, key := m.method(i)
	switch {
	case !leads(owner):
		return ""
	case isAwaited(owner):
		if key == "catch" || key == "finally" {
			return owner
		}
		return ""
	case key == "valueOf", owner == "globalThis.process" && givesItself(key):
		return owner
	}
	return ""
}

// givesItself is true for the methods of an emitter that return it.
func givesItself(key string) bool {
	switch key {
	case "addListener", "off", "on", "once", "prependListener", "prependOnceListener", "removeAllListeners", "removeListener", "setMaxListeners":
		return true
	}
	return false
}

// module returns the module that the text at node i names, or "".
func (m *namer) module(i int) string {
	if i == analyze.NoNode {
		return ""
	}
	const longest = 64 // of the names of Node's modules, and more
	if text, plain := m.text(i); plain && len(text) <= longest {
		return moduleSymbol(nodeModule(text))
	}
	return ""
}

// text returns the text that stands at node i; plain is false where none does.
func (m *namer) text(i int) (text string, plain bool) {
	t := m.tree
	switch i = m.bare(i); t.Kind(i) {
	case kindString:
		return m.stringText(i), true
	case kindTemplateString:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindTemplateSubstitution {
				return "", false
			}
		}
		return m.stringText(i), true
	}
	return "", false
}

// member returns the name of a member of what has a name. Of what leads nowhere, none is asked for.
func (m *namer) member(owner, key string) string {
	switch {
	case !leads(owner), isAwaited(owner):
		return ""
	case owner == anyOfSeveral, owner == "globalThis.process" && key == "default": // of the module of that name
		return owner
	}
	return memberSymbol(owner, key)
}

// memberName returns the name of the member that node i takes; known is false where it does not stand there.
func (m *namer) memberName(i int) (key string, known bool) {
	t := m.tree
	if t.Kind(i) == kindSubscriptExpression {
		if x := t.Child(i, indexField); x != analyze.NoNode {
			return m.text(x)
		}
		return "", false
	}
	p := t.Child(i, propertyField)
	if p == analyze.NoNode || t.Kind(p) != kindPropertyIdentifier {
		return "", false
	}
	return m.identifierText(p), true
}

// patternName is memberName for what a part of a pattern takes.
func (m *namer) patternName(i int) (key string, known bool) {
	t := m.tree
	switch t.Kind(i) {
	case kindShorthandPropertyIdentifierPattern:
		return m.identifierText(i), true
	case kindObjectAssignmentPattern:
		if left := t.Child(i, leftField); left != analyze.NoNode {
			return m.patternName(left)
		}
	case kindPairPattern:
		k := t.Child(i, keyField)
		switch {
		case k == analyze.NoNode:
		case t.Kind(k) == kindComputedPropertyName:
			if x := t.FirstNamed(k); x != analyze.NoNode {
				return m.text(x)
			}
		default:
			return m.keyText(k), true
		}
	}
	return "", false
}

// isTarget tells whether node i is where something is put: a name that is declared, what is assigned to.
func (m *namer) isTarget(i int) bool {
	t, p := m.tree, m.tree.Parent(i)
	if p == analyze.NoNode {
		return false
	}
	switch t.Kind(p) {
	case kindParenthesizedExpression:
		return m.isTarget(p)
	case kindArrayPattern, kindObjectPattern, kindRestPattern, kindFormalParameters, kindImportClause, kindImportSpecifier, kindNamespaceImport,
		kindNamespaceExport, kindUpdateExpression:
		return true
	case kindAssignmentPattern, kindObjectAssignmentPattern, kindAssignmentExpression, kindAugmentedAssignmentExpression, kindForInStatement:
		return t.Field(i) == leftField
	case kindPairPattern:
		return t.Field(i) == valueField
	case kindArrowFunction, kindCatchClause:
		return t.Field(i) == parameterField
	case kindVariableDeclarator, kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindFunctionExpression, kindGeneratorFunction,
		kindClass, kindClassDeclaration:
		return t.Field(i) == nameField
	case kindExportSpecifier:
		return t.Field(i) == aliasField || t.Child(m.above(p, 2), sourceField) != analyze.NoNode
	}
	return false
}

// above returns the node n levels above node i, or the root.
func (m *namer) above(i, n int) int {
	for ; n > 0 && i > 0; n-- {
		i = m.tree.Parent(i)
	}
	return i
}

// called returns what node i calls or makes an object with, or NoNode.
func (m *namer) called(i int) int {
	if m.tree.Kind(i) == kindNewExpression {
		return m.bare(m.tree.Child(i, constructorField))
	}
	return m.bare(m.tree.Child(i, functionField))
}

// argument returns the first argument of call i, or NoNode.
func (m *namer) argument(i int) int {
	arguments := m.tree.Child(i, argumentsField)
	if arguments == analyze.NoNode || m.tree.Kind(arguments) != kindArguments {
		return analyze.NoNode
	}
	return m.bare(m.tree.FirstNamed(arguments))
}
