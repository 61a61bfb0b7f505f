package javascript

import "sallyport/analyze"

// statements walks the children of a block.
func (j *javascript) statements(i int) {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		j.statement(c)
	}
}

// statement walks a statement, or an expression whose value nobody uses.
func (j *javascript) statement(i int) {
	if !j.step() {
		return
	}
	t := j.tree
	switch t.Kind(i) {
	case kindFunctionDeclaration, kindGeneratorFunctionDeclaration:
		f := j.definition(i)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			scope := int(j.scopeIn[i])
			if k := t.Kind(t.Parent(i)); k == kindIfStatement || k == kindElseClause { // of which it is the body, without a block
				f = j.maybe(f)
			}
			j.declareValue(scope, name, f)
			if outer := j.functionScopeOf(scope); outer != scope { // which gets what the name stands for in the block, when that is reached
				own := j.bindings[scopedName{scope, j.identifierText(name)}]
				j.reads(&own.readBy)
				j.declareValue(outer, name, j.maybe(own.values))
			}
		}
	case kindClassDeclaration:
		c := j.classDefinition(i)
		if name := t.Child(i, nameField); name != analyze.NoNode {
			j.declareValue(int(j.scopeIn[i]), name, c)
		}
	case kindVariableDeclarator:
		j.declarator(i)
	case kindImportStatement:
		j.importStatement(i)
	case kindExportStatement:
		j.exportStatement(i)
	case kindForInStatement:
		j.forIn(i)
	case kindReturnStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			s := j.load(e)
			if j.function != nil {
				j.grow(&j.function.gives, &j.function.ret, s)
			} else {
				j.escape(s, e)
			}
		} else if j.function != nil {
			j.function.bare = true
		}
	case kindThrowStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			s := j.load(e)
			j.learnedOf(&j.thrown, s)
			j.handBack(s, i) // who catches it may be a promise, or a listener of the process
			j.shown(s, i)
		}
	case kindCatchClause:
		if p := t.Child(i, parameterField); p != analyze.NoNode {
			j.bindPattern(p, j.join(j.known(&j.thrown), anything()), p)
		}
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statement(b)
		}
	case kindWithStatement:
		j.withStatement(i)
	case kindLabeledStatement:
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statement(b)
		}
	case kindExpressionStatement:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.discard(e)
		}
	case kindComment, kindHashBangLine, kindHtmlComment, kindEmptyStatement, kindBreakStatement, kindContinueStatement, kindDebuggerStatement,
		kindStatementIdentifier, kindImportAttribute:
	case kindProgram, kindVariableDeclaration, kindLexicalDeclaration, kindStatementBlock, kindElseClause, kindIfStatement, kindSwitchStatement,
		kindForStatement, kindWhileStatement, kindDoStatement, kindTryStatement, kindSwitchBody, kindSwitchCase, kindSwitchDefault, kindFinallyClause:
		j.statements(i)
	default:
		j.discard(i)
	}
}

// discard evaluates an expression for what it does.
func (j *javascript) discard(i int) {
	j.load(i)
}

func (j *javascript) functionScopeOf(scope int) int {
	return functionScopeOf(j.scopes, scope)
}

// declareValue gives the name at node i, declared in scope, a value.
func (j *javascript) declareValue(scope, i int, s value) {
	if b := j.bindings[scopedName{scope, j.identifierText(i)}]; b != nil {
		j.grow(&b.readBy, &b.values, s)
	}
}

func (j *javascript) declarator(i int) {
	t := j.tree
	name, value := t.Child(i, nameField), t.Child(i, valueField)
	if name == analyze.NoNode {
		return
	}
	if t.Kind(t.Parent(i)) == kindVariableDeclaration {
		j.unsetBehindCatch(name)
	}
	s := ofKind(atomUndefined)
	if value != analyze.NoNode {
		s = j.source(name, value)
	} else if t.Kind(name) == kindIdentifier && j.setNext(i, name) {
		return // the value is what is assigned then
	}
	j.bindPattern(name, s, i)
	if value != analyze.NoNode && t.Kind(t.Parent(i)) == kindVariableDeclaration {
		j.unsetOutside(name, i, j.blockOf(i))
	}
}

// source evaluates what a pattern takes apart. Taking named members of a
// symbol mentions those, not the symbol.
func (j *javascript) source(pattern, value int) value {
	t := j.tree
	if t.Kind(pattern) != kindObjectPattern {
		return j.load(value)
	}
	for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindRestPattern {
			return j.load(value)
		}
	}
	return j.eval(value)
}

// forIn walks for (… of …) and for (… in …).
func (j *javascript) forIn(i int) {
	t := j.tree
	left, right := t.Child(i, leftField), t.Child(i, rightField)
	operator := t.Child(i, operatorField)
	if v := t.Child(i, valueField); v != analyze.NoNode && left != analyze.NoNode {
		j.bindPattern(left, j.load(v), left)
	}
	if left != analyze.NoNode && right != analyze.NoNode {
		s := ofKind(atomAnyString)
		if operator != analyze.NoNode && t.Source(operator) == "of" {
			s = j.elements(j.load(right), right)
			if isForAwait(t, i) {
				j.convertsAll(s)
				s = j.awaited(s)
			}
		} else {
			s = j.join(s, j.keysOf(j.eval(right)))
			s = j.join(s, anything())
		}
		if t.Child(i, kindField) != analyze.NoNode {
			j.bindPattern(left, s, left)
			if t.Source(t.Child(i, kindField)) == "var" {
				j.unsetBehindCatch(left)
				j.unsetOutside(left, left, i)
			}
		} else {
			j.assign(left, s)
		}
	}
	if b := t.Child(i, bodyField); b != analyze.NoNode {
		j.statement(b)
	}
}

func (j *javascript) withStatement(i int) {
	t := j.tree
	j.dynamicAt(analyze.DynamicNamespace, i)
	o, b := t.Child(i, objectField), t.Child(i, bodyField)
	if o == analyze.NoNode || b == analyze.NoNode {
		return
	}
	j.with = append(j.with, j.load(o))
	j.statement(b)
	j.with = j.with[:len(j.with)-1]
}
