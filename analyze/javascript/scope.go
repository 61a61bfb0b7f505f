package javascript

import "sallyport/analyze"

// scope is where names are declared.
type scope struct {
	parent   int
	function bool // var declarations stop here
	node     int
}

// variable is one declared name. A weak one may keep what an outer binding
// of the same name holds: "var require;" does not hide Node's own.
type variable struct {
	values value
	weak   bool
	fixed  bool         // nothing can be assigned to it
	node   int          // what declares it, if it is there only behind that
	alone  [1]*variable // this one, which is what most names mean
	readBy readBy
}

func newVariable(weak bool) *variable {
	b := &variable{weak: weak}
	b.alone[0] = b
	return b
}

type scopedName struct {
	scope int
	name  string
}

// declarer builds the scopes of a tree in one walk over its nodes.
type declarer struct {
	*javascript
}

// declare makes the scopes and bindings of the tree.
func (j *javascript) declare() {
	t := j.tree
	j.scopeIn = make([]int32, t.Len())
	j.scopeOf = make([]int32, t.Len())
	j.resolvedAt = make([]int32, t.Len())
	j.madeAt = make([]int32, t.Len())
	j.bindings = map[scopedName]*variable{}
	j.scopes = []scope{{parent: analyze.NoNode, function: true}, {parent: 0, function: true}}
	j.scopeOf[0] = 1
	d := declarer{javascript: j}
	for i := range t.Len() {
		if p := t.Parent(i); p != analyze.NoNode {
			j.scopeIn[i] = j.scopeIn[p]
			if own := j.scopeOf[p]; own != 0 && !isKeyOf(t, i, p) {
				j.scopeIn[i] = own
			}
		}
		d.node(i)
		j.optionals = j.optionals || t.Kind(i) == kindOptionalChain
	}
}

// isKeyOf is true for the name of a method or field: a computed one is
// evaluated outside of it.
func isKeyOf(t *analyze.Tree, i, parent int) bool {
	switch t.Kind(parent) {
	case kindMethodDefinition:
		return t.Field(i) == nameField
	case kindFieldDefinition:
		return t.Field(i) == propertyField
	}
	return false
}

func (d *declarer) node(i int) {
	t := d.tree
	switch k := t.Kind(i); k {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration:
		d.open(i, false)
		d.declareFunction(i, t.Child(i, nameField))
	case kindFunctionExpression, kindGeneratorFunction:
		d.open(i, false)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), name, false).fixed = true
		}
	case kindArrowFunction, kindMethodDefinition, kindForStatement, kindForInStatement, kindCatchClause, kindSwitchBody:
		d.open(i, false)
		d.heads(i, k)
	case kindStatementBlock, kindClassStaticBlock, kindFieldDefinition:
		d.open(i, k != kindStatementBlock || isFunctionKind(t.Kind(t.Parent(i))))
	case kindClass, kindClassDeclaration:
		d.open(i, false)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), name, false)
			d.lexical(name, int(d.scopeOf[i]), i, true)
			if k == kindClassDeclaration {
				d.bind(int(d.scopeIn[i]), name, false)
				d.lexical(name, int(d.scopeIn[i]), i, false)
			}
		}
	case kindVariableDeclaration, kindLexicalDeclaration:
		scope, weak := int(d.scopeIn[i]), false
		if k == kindVariableDeclaration {
			scope, weak = d.functionScope(scope), true
		}
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if name := t.Child(c, nameField); name != analyze.NoNode {
				d.pattern(name, scope, weak)
				if !weak {
					d.lexical(name, scope, c, t.Source(t.Child(i, kindField)) == "const")
				}
			}
		}
	case kindFormalParameters:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			d.pattern(c, int(d.scopeIn[i]), false)
			d.lexical(c, int(d.scopeIn[i]), c, false)
		}
	case kindImportClause:
		d.importClause(i)
	}
}

// open gives node i a scope of its own.
func (d *declarer) open(i int, function bool) {
	d.scopeOf[i] = int32(len(d.scopes))
	d.scopes = append(d.scopes, scope{parent: int(d.scopeIn[i]), function: function, node: i})
}

// heads declares what stands in the head of a statement or arrow function.
func (d *declarer) heads(i int, k analyze.Kind) {
	t := d.tree
	switch k {
	case kindArrowFunction:
		if p := t.Child(i, parameterField); p != analyze.NoNode {
			d.bind(int(d.scopeOf[i]), p, false)
		}
	case kindForInStatement:
		kindNode, left := t.Child(i, kindField), t.Child(i, leftField)
		if kindNode == analyze.NoNode || left == analyze.NoNode {
			return
		}
		scope, weak := int(d.scopeOf[i]), false
		if t.Source(kindNode) == "var" {
			scope, weak = d.functionScope(scope), true
		}
		d.pattern(left, scope, weak)
		if right := t.Child(i, rightField); !weak && right != analyze.NoNode {
			d.lexical(left, scope, right, t.Source(kindNode) == "const")
		}
	case kindCatchClause:
		if p := t.Child(i, parameterField); p != analyze.NoNode {
			d.pattern(p, int(d.scopeOf[i]), false)
		}
	}
}

func (d *declarer) functionScope(scope int) int { return functionScopeOf(d.scopes, scope) }

func functionScopeOf(scopes []scope, scope int) int {
	for !scopes[scope].function && scopes[scope].parent > 0 {
		scope = scopes[scope].parent
	}
	return scope
}

// declareFunction declares a function in its block and, as sloppy code does,
// weakly in the function around it.
func (d *declarer) declareFunction(i, name int) {
	if name == analyze.NoNode {
		return
	}
	scope := int(d.scopeIn[i])
	d.bind(scope, name, false)
	if outer := d.functionScope(scope); outer != scope {
		text := d.identifierText(name)
		if d.bindings[scopedName{outer, text}] == nil {
			d.bindings[scopedName{outer, text}] = newVariable(true)
		}
	}
}

// pattern declares every name that a pattern binds.
func (d *declarer) pattern(i, scope int, weak bool) {
	namesIn(d.tree, i, func(name int) { d.bind(scope, name, weak) })
}

// lexical says of what pattern i binds that it is there behind a node, and whether it stays what it is.
func (d *declarer) lexical(i, scope, node int, fixed bool) {
	namesIn(d.tree, i, func(name int) {
		if b := d.bindings[scopedName{scope, d.identifierText(name)}]; b != nil {
			b.node, b.fixed = node, fixed
		}
	})
}

// namesIn calls each with every name that pattern i binds.
func namesIn(t *analyze.Tree, i int, each func(name int)) {
	switch t.Kind(i) {
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifierPattern:
		each(i)
	case kindAssignmentPattern, kindObjectAssignmentPattern:
		if left := t.Child(i, leftField); left != analyze.NoNode {
			namesIn(t, left, each)
		}
	case kindPairPattern:
		if value := t.Child(i, valueField); value != analyze.NoNode {
			namesIn(t, value, each)
		}
	case kindObjectPattern, kindArrayPattern, kindRestPattern:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			namesIn(t, c, each)
		}
	}
}

func (d *declarer) importClause(i int) {
	t, scope := d.tree, int(d.scopeIn[i])
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindIdentifier:
			d.bind(scope, c, false).fixed = true
		case kindNamespaceImport:
			if name := t.FirstNamed(c); name != analyze.NoNode {
				d.bind(scope, name, false).fixed = true
			}
		case kindNamedImports:
			for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
				name := t.Child(s, aliasField)
				if name == analyze.NoNode {
					name = t.Child(s, nameField)
				}
				if name != analyze.NoNode {
					d.bind(scope, name, false).fixed = true
				}
			}
		}
	}
}

// bind declares the name at node i, and returns what it stands for. A strong declaration wins over a weak one.
func (d *declarer) bind(scope, i int, weak bool) *variable {
	name := d.identifierText(i)
	d.declared[name] = true
	key := scopedName{scope, name}
	b := d.bindings[key]
	weak = weak || d.cells && scope == 1
	switch {
	case b == nil:
		b = newVariable(weak && d.keepsOuter(scope, name))
		d.bindings[key] = b
	case !weak:
		b.weak = false
	}
	return b
}

// keepsOuter is true for a var or a hoisted function that may show what stood
// under that name before: a parameter, one of Node's module variables, or, in
// code given to eval, anything global.
func (d *declarer) keepsOuter(scope int, name string) bool {
	if scope == 1 && d.cells {
		// A cell that does not compile, or stops before, declares nothing.
		return isNodeGlobal(name)
	}
	if scope == 1 {
		return d.mode != programCode || isModuleVariable(name)
	}
	if name == "arguments" {
		return true
	}
	parent := d.scopes[scope].parent
	_, parameter := d.bindings[scopedName{parent, name}]
	return parameter
}

// lookup returns the bindings that name may mean in a scope, innermost first,
// and whether it may also be a global.
func (j *javascript) lookup(name string, scope int) (found []*variable, global bool) {
	if !j.declared[name] {
		return nil, true
	}
	for s := scope; s > 0; s = j.scopes[s].parent {
		b := j.bindings[scopedName{s, name}]
		switch {
		case b == nil:
		case b.weak:
			found = append(found, b)
		case found == nil:
			return b.alone[:], false
		default:
			return append(found, b), false
		}
	}
	return found, true
}

// resolve is lookup for node i, remembered.
func (j *javascript) resolve(i int) ([]*variable, bool) {
	r := j.remembered(i)
	if !r.done {
		r.found, r.global = j.lookup(j.identifierText(i), int(j.scopeIn[i]))
		r.done = true
	}
	return r.found, r.global
}

// resolution is what is known of a name or literal after the first round.
type resolution struct {
	found  []*variable
	global bool
	done   bool
	set    value // of a literal, or of a global
}

// remembered returns the place for what is known of node i; it is valid until
// the next call.
func (j *javascript) remembered(i int) *resolution {
	if j.resolvedAt[i] == 0 {
		j.resolutions = append(j.resolutions, resolution{})
		j.resolvedAt[i] = int32(len(j.resolutions))
	}
	return &j.resolutions[j.resolvedAt[i]-1]
}

func isFunctionKind(k analyze.Kind) bool {
	switch k {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration, kindFunctionExpression, kindGeneratorFunction, kindArrowFunction, kindMethodDefinition:
		return true
	}
	return false
}
