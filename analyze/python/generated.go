package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Dataclasses and their like write methods for a class that stand nowhere, and __match_args__:
// by these the fields of the class are read and stored. Of an object of the class they are what
// the program put there. Of another one they are whatever the library has under such a name.
// A method gets another object where it is taken out of its class, a pattern where an object
// only says that it is of the class. Each way is here.

// writtenMethods are those that are written for a class, or may be.
func writtenMethods() map[string]bool {
	return setOf("__init__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__", "__str__", "__hash__", "__setattr__", "__delattr__",
		"__getstate__", "__setstate__")
}

// writesFor notes that methods are written for class n, by what finds the fields in names that
// are annotated, or in all that the class has.
func (p *python) writesFor(i, n int, all bool) {
	c := &p.classes[n]
	if p.quiet == 0 && !c.written {
		c.written, p.changed = true, true
	}
	p.calledByWritten()
	p.hasFields(i, n)
	if !all {
		return
	}
	for _, id := range c.scope.ids {
		name := p.vars[id].name
		if !strings.HasPrefix(name, "__") && !slices.ContainsFunc(p.vars[id].value.atoms, func(a atom) bool { return a.kind == atomFunction }) {
			p.isField(i, n, name)
		}
	}
}

// calledByWritten lets go what has the name of a builtin that written methods call: they look for it in the
// module of the class.
func (p *python) calledByWritten() {
	for _, name := range []string{"hash", "object", "super", "type", "NotImplemented"} {
		if id, ok := p.module.vars[name]; ok {
			p.hand(p.vars[id].value)
			p.escape(p.vars[id].value)
		}
	}
}

// hasFields notes that the names which are annotated in class n are fields.
func (p *python) hasFields(i, n int) {
	for _, name := range p.classes[n].annotated {
		p.isField(i, n, name)
	}
}

// fieldsOf looks at the fields of class n as a whole.
func (p *python) fieldsOf(i, n int) {
	if p.isBelow(n, func(class string) bool { return class == "typing.NamedTuple" }) {
		p.hasFields(i, n)
	}
	p.comparesFields(i, n)
}

// allFields are those of all classes.
func (p *python) allFields() []string {
	out := slices.Clone(p.fieldsMade)
	for _, c := range p.classes {
		out = append(out, c.fields...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isField notes a field of class n.
func (p *python) isField(i, n int, name string) {
	c := &p.classes[n]
	if p.quiet > 0 {
		return
	}
	if !slices.Contains(c.fields, name) {
		c.fields, p.changed = append(c.fields, name), true
	}
	p.fielded(i, name)
}

// fielded looks at the name of a field: the library asks objects for some, and what is special
// to the interpreter is there without the program.
func (p *python) fielded(i int, name string) {
	p.telling(i, name)
	if strings.HasPrefix(name, "__") {
		p.noteAttribute(i, name, value{})
	}
	if name == "_fields" || name == "_attributes" {
		p.tells(i, name, anything())
	}
}

// namesField notes a field of a class that a call makes, which is nowhere among those of the program.
func (p *python) namesField(i int, name string) {
	p.fielded(i, name)
	if p.quiet == 0 && isIdentifier(name) && !slices.Contains(p.fieldsMade, name) {
		p.fieldsMade, p.changed = append(p.fieldsMade, name), true
	}
}

// decoratedBy looks at a decorator of the classes in v: one of a library beyond the standard
// one, or that is not known, may write methods for them.
func (p *python) decoratedBy(i int, decorator, v value) {
	foreign := decorator.open() || slices.ContainsFunc(decorator.atoms, func(a atom) bool { return a.kind == atomSymbol && !p.stdlib.Of(a.text) })
	for _, a := range v.atoms {
		if foreign && a.kind == atomClass {
			p.writesFor(i, int(a.n), true)
		}
	}
}

// lendsWritten looks at a method that is read by name at i from class n of the program, where
// that was written for it: unless it gets an object of the class, it reads and stores the
// fields of whatever it gets.
func (p *python) lendsWritten(i, n int, name string) {
	if !p.tables.written[name] || p.ownMethod(n, name) || p.onlyNamed(i) {
		return
	}
	for _, k := range p.chain(n) {
		if p.classes[k].written && !p.ownMethod(k, name) && !p.staysBelow(i, k, name) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			p.readsFields(i, name, p.classes[k].fields)
		}
	}
}

// ownMethod tells whether class n has a method in its body, and that is not one of another class.
func (p *python) ownMethod(n int, name string) bool {
	id, ok := p.classes[n].scope.vars[name]
	return ok && !p.vars[id].value.open()
}

// onlyNamed tells whether the method that is named at i is shown or asked what it is, and goes nowhere.
func (p *python) onlyNamed(i int) bool {
	t := p.unit.tree
	read := t.Parent(i)
	if t.Kind(read) != kindAttribute {
		return false
	}
	switch up := t.Parent(read); t.Kind(up) {
	case kindAttribute:
		switch p.identifier(t.Child(up, attributeField)) {
		case "__name__", "__qualname__", "__doc__", "__module__", annotations:
			return true
		}
	case kindComparisonOperator:
		return strings.HasPrefix(t.Source(t.Child(up, operatorsField)), "is")
	}
	return false
}

// staysBelow tells whether the method of class n that is named at i is another name of it in a
// class below, or is called there with the object of the method around.
func (p *python) staysBelow(i, n int, name string) bool {
	s := p.scope.class()
	if s == nil || !slices.Contains(p.chain(s.owner), n) {
		return false
	}
	if !p.givesSelf(i) {
		return p.scope == s && p.isAlso(p.unit.tree.Parent(i))
	}
	if name == "__init__" { // as if it stored them itself
		for _, field := range p.classes[n].fields {
			if p.isPrivate(field) {
				p.keepsPut(s.owner, field)
			}
		}
	}
	return p.staysOwn(i)
}

// isAlso tells whether what is read at i becomes nothing but a method of the class around that is
// looked at in the same way.
func (p *python) isAlso(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) != kindAssignment || t.Kind(t.Parent(up)) != kindExpressionStatement {
		return false
	}
	left := t.Child(up, leftField)
	return left != analyze.NoNode && t.Kind(left) == kindIdentifier && p.tables.written[p.identifier(left)]
}

// offWritten looks at a method that is read by name at i of v, which may be a class for which
// methods are written, and any class at that.
func (p *python) offWritten(i int, name string, v value) {
	if p.quiet > 0 || p.readsWritten || !p.tables.written[name] || p.staysOwn(i) {
		return
	}
	if class := v.flags&(ofObject|aClass) != 0; !class && (p.ofSuper(i) || !p.givesMore(i, name)) {
		return
	}
	p.readsFields(i, name, p.patterns().fields)
}

// givesMore tells whether the method that is named at i may get more than it takes besides its object.
func (p *python) givesMore(i int, name string) bool {
	if name == "__init__" || name == "__setattr__" || name == "__delattr__" { // which are looked at, whatever they get
		return false
	}
	if !p.isCalled(i) {
		return true
	}
	t, takes := p.unit.tree, 1
	switch name {
	case "__repr__", "__str__", "__hash__", "__getstate__":
		takes = 0
	}
	call := t.Parent(t.Bracketed(t.Parent(i), kindParenthesizedExpression))
	for c := t.FirstNamed(t.Child(call, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindListSplat, kindDictionarySplat, kindParenthesizedListSplat:
			return true
		default:
			takes--
		}
	}
	return takes < 0
}

// readsFields looks at the fields that a method which is named at i reads, or stores, of an
// object that is not known.
func (p *python) readsFields(i int, method string, fields []string) {
	t, at := p.unit.tree, i
	for range 2 { // to where no object is asked in sight
		if up := t.Parent(at); up > 0 {
			at = up
		}
	}
	if !p.step(len(fields)) {
		p.dynamicAt(analyze.DynamicMember, i)
		return
	}
	p.readsWritten = true // or a field by the name of such a method would be looked at for ever
	for _, name := range fields {
		if method == "__init__" || method == "__setstate__" {
			p.setAttribute(at, anything(), name, anything())
		} else {
			p.getsFromAnything(at, []value{stringValue(name)})
		}
	}
	p.readsWritten = false
}

// pretends tells whether an object may say by itself that it is of a class that it is not of.
// Mocks say what they are told.
func (p *python) pretends() bool { return p.own["__class__"] || p.atHand("unittest") }

// claims tells whether an object may pass for one of class n that it is not of: it says so
// itself, or the class does.
func (p *python) claims(n int) bool {
	if p.pretends() {
		return true
	}
	asked := p.admits || p.own["__subclasshook__"] || p.own["__instancecheck__"] || p.own["__subclasscheck__"]
	return slices.ContainsFunc(p.chain(n), func(k int) bool {
		c := p.classes[k]
		return asked && (!c.meta.nothing() || c.bases.open()) || slices.ContainsFunc(c.bases.atoms, func(a atom) bool {
			return a.kind != atomClass && (a.text == "typing.Protocol" || asked && !plainBase(a.text))
		})
	})
}

// plainBase tells whether a class of the library is made by type itself, which asks nobody.
func plainBase(class string) bool {
	return strings.HasPrefix(class, "builtins.") || class == "typing.NamedTuple" || class == "typing.Generic"
}

// registersAs looks at an attribute of v by which a class takes objects of others for its own.
func (p *python) registersAs(name string, v value) {
	a, ok := v.single()
	if name == "register" && !(ok && p.stdlib.Modules[a.text]) && !p.admits && p.quiet == 0 {
		p.admits, p.changed = true, true
	}
}

// comparesFields looks at class n where an object of another may pass for one of it: a method
// that is written for n gives the fields of both to each other.
func (p *python) comparesFields(i, n int) {
	if p.classes[n].written && p.own["__class__"] {
		for _, name := range p.classes[n].fields {
			p.getsFromAnything(i, []value{stringValue(name)})
		}
	}
}

// captured evaluates what a pattern captures of v under the name of an attribute.
func (p *python) captured(i int, v value, name string) value {
	attribute := p.attribute(i, v, name)
	p.mention(i, attribute, usage{how: analyze.HowReference})
	p.methodAsValue(v)
	p.formatAsValue(i, v, name)
	p.readAside(i, name)
	return attribute.with(open)
}

// capturesFields evaluates what a positional pattern of a class at i captures of a subject that
// may only say that it is of the class: any field.
func (p *python) capturesFields(i int, class, subject value) (out value) {
	for _, a := range class.atoms {
		if a.kind != atomClass || !p.claims(int(a.n)) {
			continue
		}
		fields := p.fieldsAbove(int(a.n))
		if !p.step(len(fields)) {
			p.dynamicAt(analyze.DynamicMember, i)
			return anything()
		}
		for _, name := range fields {
			out = out.join(p.captured(i, subject, name))
		}
	}
	return out
}

// fieldsAbove are the fields of class n and those above it.
func (p *python) fieldsAbove(n int) (out []string) {
	for _, k := range p.chain(n) {
		out = append(out, p.classes[k].fields...)
		if p.classes[k].bases.open() {
			out = append(out, p.fieldsMade...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// namesTuple notes the name that the call at i gives to a named tuple of these fields.
func (p *python) namesTuple(i int, fields value) {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) != kindAssignment || t.Child(up, rightField) != i || p.scope != p.module {
		return
	}
	left := t.Child(up, leftField)
	if left == analyze.NoNode || t.Kind(left) != kindIdentifier {
		return
	}
	p.quiet++
	maker, ok := p.load(t.Child(i, functionField)).single()
	known := ok && maker.text == "collections.namedtuple" && p.standThere(i, fields)
	p.quiet--
	id := p.variableAt(left)
	p.tuples[id] = known && !p.vars[id].again
}

// standThere tells whether the names of fields that the call at i gets are a text that is known, or
// a list of such that stands there.
func (p *python) standThere(i int, fields value) bool {
	if a, ok := fields.single(); ok && a.kind == atomString {
		return true
	}
	t := p.unit.tree
	first := t.FirstNamed(t.Child(i, argumentsField))
	if name, ok := p.load(first).single(); !ok || name.kind != atomString {
		return false
	}
	list := t.NextNamed(first)
	if list == analyze.NoNode || t.Kind(list) != kindList && t.Kind(list) != kindTuple {
		return false
	}
	for c := t.FirstNamed(list); c != analyze.NoNode; c = t.NextNamed(c) {
		if a, ok := p.load(c).single(); !ok || a.kind != atomString {
			return false
		}
	}
	return true
}

// isTuple tells whether the class that a pattern names at i is such a named tuple, and no object
// says by itself that it is one.
func (p *python) isTuple(i int) bool {
	t := p.unit.tree
	name := t.FirstNamed(i)
	return name != analyze.NoNode && t.NextNamed(name) == analyze.NoNode && p.tuples[p.variableAt(name)] && len(p.stars) == 0 && !p.pretends()
}
