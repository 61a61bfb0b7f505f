package javascript

import "sallyport/analyze"

// statements walks the children of a block.
func (j *jsWalk) statements(i int) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		j.visit(c)
	}
}

// visit walks a statement, or an expression whose value nobody uses.
func (j *jsWalk) visit(i int) {
	if !j.step() {
		return
	}
	t := j.tree
	switch t.Kind(i) {
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration:
		f := j.functionValue(i)
		if name := t.Child(i, jsNameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeIn[i]), name, f)
			if outer := j.functionScopeOf(int(j.scopeIn[i])); outer != int(j.scopeIn[i]) {
				j.declareValue(outer, name, f)
			}
		}
	case jsClassDeclaration:
		c := j.classValue(i)
		if name := t.Child(i, jsNameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeIn[i]), name, c)
		}
	case jsVariableDeclarator:
		j.declarator(i)
	case jsImportStatement:
		j.importStatement(i)
	case jsExportStatement:
		j.exportStatement(i)
	case jsForInStatement:
		j.forIn(i)
	case jsReturnStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			s := j.expr(e)
			if j.function != nil {
				j.add(&j.function.ret, s)
			} else {
				j.escape(s, e)
			}
		}
	case jsThrowStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.add(j.slot("throw"), j.expr(e))
		}
	case jsCatchClause:
		if p := t.Child(i, jsParameterField); p != analyze.NoNode {
			j.bindPattern(p, j.union(*j.slot("throw"), unknownSet()), p)
		}
		if b := t.Child(i, jsBodyField); b != analyze.NoNode {
			j.visit(b)
		}
	case jsWithStatement:
		j.withStatement(i)
	case jsLabeledStatement:
		if b := t.Child(i, jsBodyField); b != analyze.NoNode {
			j.visit(b)
		}
	case jsExpressionStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.discard(e)
		}
	case jsComment, jsHashBangLine, jsHtmlComment, jsEmptyStatement, jsBreakStatement, jsContinueStatement, jsDebuggerStatement,
		jsStatementIdentifier, jsImportAttribute:
	case jsProgram, jsVariableDeclaration, jsLexicalDeclaration, jsStatementBlock, jsElseClause, jsIfStatement, jsSwitchStatement,
		jsForStatement, jsWhileStatement, jsDoStatement, jsTryStatement, jsSwitchBody, jsSwitchCase, jsSwitchDefault, jsFinallyClause:
		j.statements(i)
	default:
		j.discard(i)
	}
}

// discard evaluates an expression for what it does.
func (j *jsWalk) discard(i int) {
	j.expr(i)
}

// slot returns a set of the whole program that has no name in it.
func (j *jsWalk) slot(name string) *jsSet {
	p := j.implicit[" "+name]
	if p == nil {
		p = new(jsSet)
		j.implicit[" "+name] = p
	}
	return p
}

func (j *jsWalk) functionScopeOf(scope int) int {
	return functionScopeOf(j.scopes, scope)
}

// declareValue gives the name at node i, declared in scope, a value.
func (j *jsWalk) declareValue(scope, i int, s jsSet) {
	if b := j.bindings[jsName{scope, j.identifierText(i)}]; b != nil {
		j.add(&b.values, s)
	}
}

func (j *jsWalk) declarator(i int) {
	t := j.tree
	name, value := t.Child(i, jsNameField), t.Child(i, jsValueField)
	if name == analyze.NoNode {
		return
	}
	s := kindSet(jsConstUndefined)
	if value != analyze.NoNode {
		s = j.source(name, value)
	} else if t.Kind(name) == jsIdentifier {
		return // the value is what is assigned later
	}
	j.bindPattern(name, s, i)
}

// source evaluates what a pattern takes apart. Taking named members of a
// symbol mentions those, not the symbol.
func (j *jsWalk) source(pattern, value int) jsSet {
	t := j.tree
	if t.Kind(pattern) != jsObjectPattern {
		return j.expr(value)
	}
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == jsRestPattern {
			return j.expr(value)
		}
	}
	return j.ref(value)
}

// forIn walks for (… of …) and for (… in …).
func (j *jsWalk) forIn(i int) {
	t := j.tree
	left, right := t.Child(i, jsLeftField), t.Child(i, jsRightField)
	operator := t.Child(i, jsOperatorField)
	if v := t.Child(i, jsValueField); v != analyze.NoNode && left != analyze.NoNode {
		j.bindPattern(left, j.expr(v), left)
	}
	if left != analyze.NoNode && right != analyze.NoNode {
		s := kindSet(jsAnyString)
		if operator != analyze.NoNode && t.Source(operator) == "of" {
			s = j.elements(j.expr(right), right)
		} else {
			s = j.union(s, j.keysOf(j.ref(right)))
			s = j.union(s, unknownSet())
		}
		if t.Child(i, jsKindField) != analyze.NoNode {
			j.bindPattern(left, s, left)
		} else {
			j.assign(left, s)
		}
	}
	if b := t.Child(i, jsBodyField); b != analyze.NoNode {
		j.visit(b)
	}
}

func (j *jsWalk) withStatement(i int) {
	t := j.tree
	j.unresolved(analyze.DynamicNamespace, i)
	o, b := t.Child(i, jsObjectField), t.Child(i, jsBodyField)
	if o == analyze.NoNode || b == analyze.NoNode {
		return
	}
	j.with = append(j.with, j.expr(o))
	j.visit(b)
	j.with = j.with[:len(j.with)-1]
}

// importStatement walks import … from ….
func (j *jsWalk) importStatement(i int) {
	t := j.tree
	src := t.Child(i, jsSourceField)
	if src == analyze.NoNode {
		return
	}
	module := j.load(j.stringText(src), src)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == jsImportClause {
			j.importClause(c, module)
		}
	}
}

func (j *jsWalk) importClause(i int, module jsSet) {
	t, scope := j.tree, int(j.scopeIn[i])
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case jsIdentifier:
			j.declareValue(scope, c, module)
		case jsNamespaceImport:
			if name := t.FirstNamed(c); name != analyze.NoNode {
				j.declareValue(scope, name, module)
			}
		case jsNamedImports:
			for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
				name, alias := t.Child(s, jsNameField), t.Child(s, jsAliasField)
				if name == analyze.NoNode {
					continue
				}
				if alias == analyze.NoNode {
					alias = name
				}
				member := j.memberOf(module, j.exportName(name), name)
				j.mentionSet(member, name, analyze.HowImport)
				j.declareValue(scope, alias, member)
			}
		}
	}
}

// exportName returns the text of the identifier or string that names an export.
func (j *jsWalk) exportName(i int) string {
	if j.tree.Kind(i) == jsString {
		return j.stringText(i)
	}
	return j.identifierText(i)
}

func (j *jsWalk) exportStatement(i int) {
	t := j.tree
	src := t.Child(i, jsSourceField)
	if src == analyze.NoNode {
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch t.Kind(c) {
			case jsExportClause:
				for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
					if name := t.Child(s, jsNameField); name != analyze.NoNode && t.Kind(name) == jsIdentifier {
						j.mentionSet(j.ref(name), name, analyze.HowReference)
					}
				}
			default:
				j.visit(c)
			}
		}
		return
	}
	module := j.load(j.stringText(src), src)
	named := false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != jsExportClause {
			continue
		}
		named = true
		for s := t.FirstNamed(c); s != analyze.NoNode; s = t.NextNamed(s) {
			if name := t.Child(s, jsNameField); name != analyze.NoNode {
				j.mentionSet(j.memberOf(module, j.exportName(name), name), name, analyze.HowImport)
			}
		}
	}
	if !named {
		j.unresolved(analyze.DynamicStar, i)
	}
}

// bindPattern gives the names of a declaring pattern their values.
func (j *jsWalk) bindPattern(i int, s jsSet, at int) {
	t := j.tree
	switch t.Kind(i) {
	case jsIdentifier, jsUndefined, jsShorthandPropertyIdentifierPattern:
		j.assignName(i, s)
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		left, right := t.Child(i, jsLeftField), t.Child(i, jsRightField)
		if right != analyze.NoNode {
			s = j.union(s, j.source(left, right))
		}
		if left != analyze.NoNode {
			j.bindPattern(left, s, at)
		}
	case jsObjectPattern:
		j.objectPattern(i, s)
	case jsArrayPattern:
		j.arrayPattern(i, s)
	case jsRestPattern:
		if c := t.FirstNamed(i); c != analyze.NoNode {
			j.bindPattern(c, s, at)
		}
	default:
		j.assign(i, s)
	}
}

func (j *jsWalk) objectPattern(i int, s jsSet) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case jsShorthandPropertyIdentifierPattern:
			j.bindPattern(c, j.taken(s, j.identifierText(c), c), c)
		case jsObjectAssignmentPattern:
			left := t.Child(c, jsLeftField)
			if left != analyze.NoNode {
				j.bindPattern(c, j.taken(s, j.identifierText(left), left), c)
			}
		case jsPairPattern:
			j.pairPattern(c, s)
		case jsRestPattern:
			if n := t.FirstNamed(c); n != analyze.NoNode {
				j.bindPattern(n, s, c) // the rest is as good as the whole
			}
		}
	}
}

// taken is the member of s that a pattern takes out.
func (j *jsWalk) taken(s jsSet, key string, at int) jsSet {
	m := j.memberOf(s, key, at)
	j.property(key, at)
	j.mentionSet(m, at, analyze.HowReference)
	return m
}

func (j *jsWalk) pairPattern(i int, s jsSet) {
	t := j.tree
	key, value := t.Child(i, jsKeyField), t.Child(i, jsValueField)
	if key == analyze.NoNode || value == analyze.NoNode {
		return
	}
	var m jsSet
	if t.Kind(key) == jsComputedPropertyName {
		k := j.expr(t.FirstNamed(key))
		m = j.members(s, k, key)
	} else {
		m = j.memberOf(s, j.keyText(key), key)
		j.property(j.keyText(key), key)
	}
	target := value
	if t.Kind(value) == jsAssignmentPattern {
		target = t.Child(value, jsLeftField)
	}
	if target == analyze.NoNode || t.Kind(target) != jsObjectPattern {
		j.mentionSet(m, key, analyze.HowReference)
	} else {
		j.mentionOwners(m, key)
	}
	j.bindPattern(value, m, i)
}

func (j *jsWalk) arrayPattern(i int, s jsSet) {
	t, n := j.tree, 0
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if !t.Named(c) {
			if t.Source(c) == "," {
				n++
			}
			continue
		}
		switch t.Kind(c) {
		case jsComment:
		case jsRestPattern:
			rest := j.objectAt(c)
			rest.array, rest.mutable = true, true
			j.add(&rest.rest, j.elements(s, c))
			if e := t.FirstNamed(c); e != analyze.NoNode {
				j.bindPattern(e, localSet(rest), c)
			}
		default:
			m := j.members(s, numberSet(float64(n)), c)
			for _, v := range s {
				if v.kind == jsLocal && (!v.obj.array || v.obj.collection || v.obj.iterator) {
					m = j.union(m, j.elements(oneOf(v), c))
				}
			}
			j.bindPattern(c, m, c)
		}
	}
}

// keyText returns the text of a property name that is not computed.
func (j *jsWalk) keyText(i int) string {
	switch j.tree.Kind(i) {
	case jsString:
		return j.stringText(i)
	case jsNumber:
		return formatNumber(numberText(j.tree.Source(i)))
	}
	return j.identifierText(i)
}

// assignName assigns to the name at node i.
func (j *jsWalk) assignName(i int, s jsSet) {
	found, global := j.resolve(i)
	if len(found) > 0 {
		for _, b := range found {
			j.add(&b.values, s)
		}
		if !global || !j.cells {
			return
		}
	}
	name := j.identifierText(i)
	if global && (isBuiltinGlobal(name) || isModuleVariable(name)) {
		j.mention("globalThis."+name, i, analyze.HowAssign, true, nil, false)
		j.unresolved(analyze.DynamicPatch, i)
		j.escape(s, i)
	}
	p := j.implicit[name]
	if p == nil {
		p = new(jsSet)
		j.implicit[name] = p
		j.changed = true
	}
	j.add(p, s)
}

// assign assigns to an expression: a name, a member or a pattern.
func (j *jsWalk) assign(i int, s jsSet) {
	t := j.tree
	switch t.Kind(i) {
	case jsParenthesizedExpression:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.assign(e, s)
		}
	case jsMemberExpression:
		o, p := t.Child(i, jsObjectField), t.Child(i, jsPropertyField)
		if o == analyze.NoNode || p == analyze.NoNode {
			return
		}
		key := j.identifierText(p)
		if t.Kind(p) != jsPrivatePropertyIdentifier {
			j.property(key, p)
		}
		j.assignMember(j.objectOf(o), stringSet(key), s, i)
	case jsSubscriptExpression:
		o, x := t.Child(i, jsObjectField), t.Child(i, jsIndexField)
		if o == analyze.NoNode || x == analyze.NoNode {
			return
		}
		owner := j.objectOf(o)
		keys := j.expr(x)
		j.keyProperties(keys, x)
		j.assignMember(owner, keys, s, i)
	case jsIdentifier, jsUndefined, jsShorthandPropertyIdentifierPattern, jsAssignmentPattern, jsObjectAssignmentPattern,
		jsObjectPattern, jsArrayPattern, jsRestPattern:
		j.bindPattern(i, s, i)
	default:
		j.visit(i)
		j.escape(s, i)
	}
}

// assignMember assigns to members of what an expression yields.
func (j *jsWalk) assignMember(owner, keys, s jsSet, at int) {
	for _, o := range owner {
		switch o.kind {
		case jsSymbol:
			j.assignSymbol(o.text, keys, s, at, owner.single())
		case jsLocal:
			o.obj.mutable = true
			for _, k := range keys {
				if key, ok := propertyKey(k); ok {
					if set := j.own(o.obj, "set "+key, 0); len(set) > 0 {
						j.returns(set, localSet(o.obj), s)
					}
					j.put(o.obj, key, s)
					if key == "__proto__" {
						j.add(&o.obj.proto, s)
					}
				} else {
					j.add(&o.obj.rest, s)
				}
			}
			if o.obj.escaped {
				j.escape(s, at)
			}
		default:
			j.escape(s, at)
		}
	}
	if len(owner) == 0 {
		j.escape(s, at)
	}
}

// assignSymbol assigns to members of an outside object.
func (j *jsWalk) assignSymbol(owner string, keys, s jsSet, at int, sure bool) {
	for _, k := range keys {
		key, ok := propertyKey(k)
		if !ok {
			j.mention(owner, at, analyze.HowAssign, false, nil, false)
			if isNamespace(owner) || owner == "globalThis.Object.prototype" {
				j.unresolved(analyze.DynamicPatch, at)
			}
			j.escape(s, at)
			continue
		}
		if owner == "globalThis.module" && key == "exports" {
			j.add(&j.exports, s)
			continue
		}
		if owner == "globalThis" && !isBuiltinGlobal(key) {
			p := j.implicit[key]
			if p == nil {
				p = new(jsSet)
				j.implicit[key] = p
				j.changed = true
			}
			j.add(p, s)
			if b := j.bindings[jsName{1, key}]; j.cells && b != nil {
				j.add(&b.values, s)
			}
			continue
		}
		name := owner + "." + key
		j.mention(name, at, analyze.HowAssign, sure && keys.single(), nil, false)
		if isPatch(owner, key) {
			j.unresolved(analyze.DynamicPatch, at)
		}
		j.add(j.slot(name), s)
		j.escape(s, at)
	}
}
