package javascript

import "sallyport/analyze"

// jsScope is where names are declared.
type jsScope struct {
	parent   int
	function bool // var declarations stop here
	node     int
}

// jsBinding is one declared name. A weak one may keep what an outer binding
// of the same name holds: "var require;" does not hide Node's own.
type jsBinding struct {
	values jsSet
	weak   bool
}

type jsName struct {
	scope int
	name  string
}

// jsDeclarer builds the scopes of a tree in one pass over its nodes.
type jsDeclarer struct {
	*jsWalk
}

// declare makes the scopes and bindings of the tree.
func (j *jsWalk) declare() {
	t := j.tree
	j.scopeIn = make([]int32, t.Len())
	j.scopeOf = make([]int32, t.Len())
	j.resolvedAt = make([]int32, t.Len())
	j.bindings = map[jsName]*jsBinding{}
	j.scopes = []jsScope{{parent: analyze.NoNode, function: true}, {parent: 0, function: true}}
	j.scopeOf[0] = 1
	d := jsDeclarer{jsWalk: j}
	for i := range t.Len() {
		if p := t.Parent(i); p != analyze.NoNode {
			j.scopeIn[i] = j.scopeIn[p]
			if own := j.scopeOf[p]; own != 0 && !isKeyOf(t, i, p) {
				j.scopeIn[i] = own
			}
		}
		d.node(i)
	}
}

// isKeyOf is true for the name of a method or field: a computed one is
// evaluated outside of it.
func isKeyOf(t *analyze.Tree, i, parent int) bool {
	switch t.Kind(parent) {
	case jsMethodDefinition:
		return t.Field(i) == jsNameField
	case jsFieldDefinition:
		return t.Field(i) == jsPropertyField
	}
	return false
}

func (d *jsDeclarer) node(i int) {
	t := d.tree
	switch k := t.Kind(i); k {
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration:
		d.open(i, false)
		d.declareFunction(i, t.Child(i, jsNameField))
	case jsFunctionExpression, jsGeneratorFunction:
		d.open(i, false)
		if name := t.Child(i, jsNameField); name != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), name, false)
		}
	case jsArrowFunction, jsMethodDefinition, jsForStatement, jsForInStatement, jsCatchClause, jsSwitchBody:
		d.open(i, false)
		d.heads(i, k)
	case jsStatementBlock, jsClassStaticBlock, jsFieldDefinition:
		d.open(i, k != jsStatementBlock || isFunctionKind(t.Kind(t.Parent(i))))
	case jsClass, jsClassDeclaration:
		d.open(i, false)
		if name := t.Child(i, jsNameField); name != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), name, false)
			if k == jsClassDeclaration {
				d.bind(int(d.scopeIn[i]), name, false)
			}
		}
	case jsVariableDeclaration, jsLexicalDeclaration:
		scope, weak := int(d.scopeIn[i]), false
		if k == jsVariableDeclaration {
			scope, weak = d.functionScope(scope), true
		}
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if name := t.Child(c, jsNameField); name != analyze.NoNode {
				d.pattern(name, scope, weak)
			}
		}
	case jsFormalParameters:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			d.pattern(c, int(d.scopeIn[i]), false)
		}
	case jsImportClause:
		d.importClause(i)
	}
}

// open gives node i a scope of its own.
func (d *jsDeclarer) open(i int, function bool) {
	d.scopeOf[i] = int32(len(d.scopes))
	d.scopes = append(d.scopes, jsScope{parent: int(d.scopeIn[i]), function: function, node: i})
}

// heads declares what stands in the head of a statement or arrow function.
func (d *jsDeclarer) heads(i int, k analyze.Kind) {
	t := d.tree
	switch k {
	case jsArrowFunction:
		if p := t.Child(i, jsParameterField); p != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), p, false)
		}
	case jsForInStatement:
		kindNode, left := t.Child(i, jsKindField), t.Child(i, jsLeftField)
		if kindNode == analyze.NoNode || left == analyze.NoNode {
			return
		}
		scope, weak := int(d.scopeOf[i]), false
		if t.Source(kindNode) == "var" {
			scope, weak = d.functionScope(scope), true
		}
		d.pattern(left, scope, weak)
	case jsCatchClause:
		if p := t.Child(i, jsParameterField); p != analyze.NoNode {
			d.pattern(p, int(d.scopeOf[i]), false)
		}
	}
}

func (d *jsDeclarer) functionScope(scope int) int { return functionScopeOf(d.scopes, scope) }

func functionScopeOf(scopes []jsScope, scope int) int {
	for !scopes[scope].function && scopes[scope].parent > 0 {
		scope = scopes[scope].parent
	}
	return scope
}

// declareFunction declares a function in its block and, as sloppy code does,
// weakly in the function around it.
func (d *jsDeclarer) declareFunction(i, name int) {
	if name == analyze.NoNode {
		return
	}
	scope := int(d.scopeIn[i])
	d.bind(scope, name, false)
	if outer := d.functionScope(scope); outer != scope {
		text := d.identifierText(name)
		if d.bindings[jsName{outer, text}] == nil {
			d.bindings[jsName{outer, text}] = &jsBinding{weak: true}
		}
	}
}

// pattern declares every name that a pattern binds.
func (d *jsDeclarer) pattern(i, scope int, weak bool) {
	t := d.tree
	switch t.Kind(i) {
	case jsIdentifier, jsUndefined, jsShorthandPropertyIdentifierPattern:
		d.bind(scope, i, weak)
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		if left := t.Child(i, jsLeftField); left != analyze.NoNode {
			d.pattern(left, scope, weak)
		}
	case jsPairPattern:
		if value := t.Child(i, jsValueField); value != analyze.NoNode {
			d.pattern(value, scope, weak)
		}
	case jsObjectPattern, jsArrayPattern, jsRestPattern:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			d.pattern(c, scope, weak)
		}
	}
}

func (d *jsDeclarer) importClause(i int) {
	t, scope := d.tree, int(d.scopeIn[i])
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case jsIdentifier:
			d.bind(scope, c, false)
		case jsNamespaceImport:
			if name := t.FirstNamed(c); name != analyze.NoNode {
				d.bind(scope, name, false)
			}
		case jsNamedImports:
			for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
				name := t.Child(s, jsAliasField)
				if name == analyze.NoNode {
					name = t.Child(s, jsNameField)
				}
				if name != analyze.NoNode {
					d.bind(scope, name, false)
				}
			}
		}
	}
}

// bind declares the name at node i. A strong declaration wins over a weak one.
func (d *jsDeclarer) bind(scope, i int, weak bool) {
	name := d.identifierText(i)
	d.declared[name] = true
	key := jsName{scope, name}
	b := d.bindings[key]
	weak = weak || d.cells && scope == 1
	switch {
	case b == nil:
		d.bindings[key] = &jsBinding{weak: weak && d.keepsOuter(scope, name)}
	case !weak:
		b.weak = false
	}
}

// keepsOuter is true for a var or a hoisted function that may show what stood
// under that name before: a parameter, one of Node's module variables, or, in
// code given to eval, anything global.
func (d *jsDeclarer) keepsOuter(scope int, name string) bool {
	if scope == 1 && d.cells {
		// A cell that does not compile, or stops before, declares nothing.
		return isNodeGlobal(name)
	}
	if scope == 1 {
		return d.mode != jsProgramCode || isModuleVariable(name)
	}
	if name == "arguments" {
		return true
	}
	parent := d.scopes[scope].parent
	_, parameter := d.bindings[jsName{parent, name}]
	return parameter
}

// lookup returns the bindings that name may mean in a scope, innermost first,
// and whether it may also be a global.
func (j *jsWalk) lookup(name string, scope int) (found []*jsBinding, global bool) {
	if !j.declared[name] {
		return nil, true
	}
	for s := scope; s > 0; s = j.scopes[s].parent {
		if b := j.bindings[jsName{s, name}]; b != nil {
			found = append(found, b)
			if !b.weak {
				return found, false
			}
		}
	}
	return found, true
}

// resolve is lookup for node i, remembered.
func (j *jsWalk) resolve(i int) ([]*jsBinding, bool) {
	r := j.remembered(i)
	if !r.done {
		r.found, r.global = j.lookup(j.identifierText(i), int(j.scopeIn[i]))
		r.done = true
	}
	return r.found, r.global
}

// jsResolution is what is known of a name or literal after the first pass.
type jsResolution struct {
	found  []*jsBinding
	global bool
	done   bool
	set    jsSet // of a literal, or of a global
}

// remembered returns the place for what is known of node i; it is valid until
// the next call.
func (j *jsWalk) remembered(i int) *jsResolution {
	if j.resolvedAt[i] == 0 {
		j.resolutions = append(j.resolutions, jsResolution{})
		j.resolvedAt[i] = int32(len(j.resolutions))
	}
	return &j.resolutions[j.resolvedAt[i]-1]
}

func isFunctionKind(k analyze.Kind) bool {
	switch k {
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, jsFunctionExpression, jsGeneratorFunction, jsArrowFunction, jsMethodDefinition:
		return true
	}
	return false
}
