package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// enclosing is what changes from function to function.
type enclosing struct {
	function    *function
	this, super value
	class       *object
	path        string
	strict      bool
}

func (j *javascript) save() enclosing {
	return enclosing{j.function, j.this, j.super, j.class, j.path, j.strict}
}

func (j *javascript) restore(c enclosing) {
	j.function, j.this, j.super, j.class, j.path, j.strict = c.function, c.this, c.super, c.class, c.path, c.strict
}

// definition evaluates a function and walks its body.
func (j *javascript) definition(i int) value {
	t, o := j.tree, j.objectAt(i)
	if o.code == nil {
		o.code = &function{node: i, arrow: t.Kind(i) == kindArrowFunction}
		o.code.generator = hasWord(t, i, "*")
		o.code.async = hasWord(t, i, "async")
		o.code.method = t.Kind(i) == kindMethodDefinition
	}
	f := o.code
	old := j.save()
	f.outer = old.function
	j.function = f
	body := t.Child(i, bodyField)
	if body != analyze.NoNode && t.Kind(body) == kindStatementBlock && !j.strict {
		j.strict = j.directive(body)
	}
	f.strict = j.strict
	if j.walksAgain(f, old) {
		j.body(o, old)
		j.leave()
	}
	j.restore(old)
	return objectValue(o)
}

// walksAgain begins to walk the body of a function; it is false where that can be left out.
func (j *javascript) walksAgain(f *function, around enclosing) bool {
	u := &f.unit
	if len(j.with) > 0 || !slices.Equal(u.this, around.this) || !slices.Equal(u.super, around.super) {
		u.stale = true
	}
	u.this, u.super = around.this, around.super
	return j.enter(u)
}

// body walks the body of a function.
func (j *javascript) body(o *object, around enclosing) {
	t, f := j.tree, o.code
	i := f.node
	body := t.Child(i, bodyField)
	if !f.arrow {
		waits := j.unit.waits
		j.this = j.thisOf(o, around)
		if len(j.receiversWithin(i, t.After(i))) == 0 { // nobody asks for it
			j.unit.waits = waits
		}
	}
	if j.emit {
		if f.path == "" {
			f.path = analyze.Path(j.path, j.functionName(i))
		}
		j.path = f.path
	}
	f.arity = j.arity(i)
	j.parameters(f)
	if body != analyze.NoNode {
		if t.Kind(body) == kindStatementBlock {
			j.statements(body)
			f.bare = f.bare || !j.leaves(body)
			if f.bare && !f.generator {
				j.grow(&f.gives, &f.ret, ofKind(atomUndefined))
			}
		} else {
			j.grow(&f.gives, &f.ret, j.load(body))
		}
	}
	j.reads(&f.given)
	if f.outside {
		j.reads(&f.gives)
		j.escape(f.ret, i)
		if j.asksArguments && f.showsArguments() {
			j.escape(f.all, i)
		}
	}
}

// leaves tells whether what comes after a statement is never reached.
func (j *javascript) leaves(i int) bool {
	t := j.tree
	switch t.Kind(i) {
	case kindReturnStatement, kindThrowStatement:
		return true
	case kindStatementBlock, kindElseClause, kindFinallyClause, kindCatchClause:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if j.leaves(c) {
				return true
			}
		}
	case kindIfStatement:
		then, otherwise := t.Child(i, consequenceField), t.Child(i, alternativeField)
		return then != analyze.NoNode && otherwise != analyze.NoNode && j.leaves(then) && j.leaves(otherwise)
	case kindTryStatement:
		all := true
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch ends := j.leaves(c); {
			case t.Kind(c) == kindFinallyClause && ends:
				return true
			case t.Kind(c) != kindFinallyClause && t.Kind(c) != kindComment:
				all = all && ends
			}
		}
		return all
	case kindSwitchStatement:
		return j.switchLeaves(i)
	case kindWhileStatement, kindDoStatement:
		c := t.Child(i, conditionField)
		return c != analyze.NoNode && strings.Trim(t.Source(c), "() ") == "true" && !j.breaks(i)
	case kindForStatement:
		c := t.Child(i, conditionField)
		return (c == analyze.NoNode || t.Kind(c) == kindEmptyStatement) && !j.breaks(i)
	}
	return false
}

// switchLeaves is leaves of a switch: it has a default, ends in what leaves, and has no break.
func (j *javascript) switchLeaves(i int) bool {
	t := j.tree
	body, last, fallback := t.Child(i, bodyField), analyze.NoNode, false
	if body == analyze.NoNode || j.breaks(i) {
		return false
	}
	for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindSwitchCase, kindSwitchDefault:
			last, fallback = c, fallback || t.Kind(c) == kindSwitchDefault
		}
	}
	if !fallback || last == analyze.NoNode {
		return false
	}
	for c := t.FirstNamed(last); c != analyze.NoNode; c = t.NextNamed(c) {
		if j.leaves(c) {
			return true
		}
	}
	return false
}

// breaks tells whether there is a break in node i, wherever it leads.
func (j *javascript) breaks(i int) bool {
	for k := i + 1; k < j.tree.After(i); k++ {
		if j.tree.Kind(k) == kindBreakStatement {
			return true
		}
	}
	return false
}

// thisOf returns what "this" is in a function that is no arrow function.
func (j *javascript) thisOf(o *object, outer enclosing) value {
	f := o.code
	j.reads(&f.given)
	s := f.this
	if f.method && outer.class != nil {
		s = j.join(s, outer.this)
	}
	if f.instance != nil {
		s = j.join(s, objectValue(f.instance))
	}
	if f.outside {
		s = j.join(s, j.join(anything(), j.known(&j.hearing)))
	}
	// Who calls without a receiver, or is the library, gives a function that is not
	// strict the global object. What a class holds is strict.
	switch {
	case (f.plain || f.away) && f.strict:
		s = j.maybe(s)
	case f.plain:
		s = j.join(s, symbol("globalThis"))
	case f.away:
		s = j.add(s, perhapsGlobal)
	}
	if j.unseen(s) {
		return anything()
	}
	if !f.strict {
		s = j.boxed(s, f.node)
	}
	return j.withHeirs(s)
}

// functionName returns the name that a reader would give a function.
func (j *javascript) functionName(i int) string {
	t := j.tree
	if name := t.Child(i, nameField); name != analyze.NoNode && t.Kind(name) != kindComputedPropertyName {
		return shown(j.keyText(name))
	}
	p := t.Parent(i)
	for _, f := range []analyze.Field{nameField, keyField, leftField, propertyField} {
		if name := t.Child(p, f); name != analyze.NoNode && (t.Kind(name) == kindIdentifier || t.Kind(name) == kindPropertyIdentifier) {
			return j.identifierText(name)
		}
	}
	return "<anonymous>"
}

// parameters binds the parameters to what the callers pass.
func (j *javascript) parameters(f *function) {
	t := j.tree
	if p := t.Child(f.node, parameterField); p != analyze.NoNode {
		j.bindPattern(p, j.parameter(f, 0), p)
		return
	}
	list, n := t.Child(f.node, parametersField), 0
	if list == analyze.NoNode {
		return
	}
	for p := t.FirstNamed(list); p != analyze.NoNode; p = t.NextNamed(p) {
		if t.Kind(p) != kindRestPattern {
			j.bindPattern(p, j.parameter(f, n), p)
			n++
			continue
		}
		rest := j.objectFor(p, 0)
		rest.array, rest.mutable = true, true
		j.grow(&rest.readBy, &rest.rest, f.all)
		if f.outside || f.asked {
			j.grow(&rest.readBy, &rest.rest, anything())
		}
		if e := t.FirstNamed(p); e != analyze.NoNode {
			j.bindPattern(e, objectValue(rest), p)
		}
	}
}

func (j *javascript) parameter(f *function, n int) value {
	j.reads(&f.given)
	var s value
	if n < len(f.params) {
		s = f.params[n]
	}
	if f.outside || f.asked {
		s = j.join(s, anything())
	}
	return s
}

// arity is the number of parameters of the function at node i.
func (j *javascript) arity(i int) int {
	if j.tree.Child(i, parameterField) != analyze.NoNode {
		return 1
	}
	n := 0
	if list := j.tree.Child(i, parametersField); list != analyze.NoNode {
		for p := j.tree.FirstNamed(list); p != analyze.NoNode; p = j.tree.NextNamed(p) {
			n++
		}
	}
	return n
}
