package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// A method may ask self for what the library keeps for itself (obj, a private attribute),
// because self is an object of the program's. That holds as long as every call of it goes
// through an object. Who takes it out of its class as that is made (a decorator, a list, a
// metaclass), or reads it from what may be the class, calls it with any object. Each is here.

// asks notes that method n asks self for such an attribute.
func (p *python) asks(n int) {
	if p.quiet > 0 || slices.Contains(p.askers, n) {
		return
	}
	p.askers, p.changed = append(p.askers, n), true
	if s := p.functions[n].scope.parent; s != nil && s.kind == classScope {
		p.classes[s.owner].asks = true
	}
}

// asksFor notes the private name that a method asks self for.
func (p *python) asksFor(name string) {
	if p.quiet == 0 && !p.askedOfSelf[name] {
		p.askedOfSelf[name], p.changed = true, true
	}
}

// taken tells whether somebody may have method n without an object.
func (p *python) taken(n int) bool {
	f := p.functions[n]
	return f.taken || f.wrapped && p.unwraps
}

// readOff tells whether method n is read from what may be its class, or is one of a property or its like, of which somebody
// asks for the function.
func (p *python) readOff(n int) bool {
	f := p.functions[n]
	return p.taken(n) || f.read || (f.wrapped || f.inProperty) && p.unpacks
}

// unwrapped notes that the attribute is read by which a decorated method gives the one below, or a property its function.
func (p *python) unwrapped(name string) {
	switch name {
	case "__wrapped__":
		p.marks(&p.unwraps, true)
	case "fget", "fset", "fdel", "func":
		p.marks(&p.unpacks, true)
	}
}

// takes notes that the methods in v go where they are not followed, while their class is made.
func (p *python) takes(v value) {
	for _, a := range v.atoms {
		if a.kind == atomFunction && p.quiet == 0 && !p.functions[a.n].taken {
			p.functions[a.n].taken, p.changed = true, true
		}
	}
}

// takesName looks at a name that is read at i, where it may be that of a method in the body
// of its class.
func (p *python) takesName(i int, v value) {
	if p.vars[p.variableAt(i)].scope.kind != classScope {
		return
	}
	if !p.staysIn(i) {
		p.takes(v)
	}
	if t := p.unit.tree; t.Kind(t.Parent(i)) == kindAssignment {
		return
	}
	for _, a := range v.atoms {
		if a.kind == atomFunction {
			p.marks(&p.functions[a.n].inProperty, true)
		}
	}
}

// staysIn tells whether the method that is read at i becomes nothing but another name of the
// class, or a property there.
func (p *python) staysIn(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) == kindAttribute && t.Kind(t.Parent(up)) == kindDecorator {
		switch p.identifier(t.Child(up, attributeField)) {
		case "setter", "getter", "deleter":
			return true
		}
		return false
	}
	if t.Kind(up) == kindKeywordArgument {
		up = t.Parent(up)
	}
	if t.Kind(up) == kindArgumentList && p.isBuiltin(t.Child(t.Parent(up), functionField), "property") {
		up = t.Parent(t.Parent(up))
	}
	if t.Kind(up) != kindAssignment {
		return false
	}
	for ; t.Kind(up) == kindAssignment; up = t.Parent(up) {
		left := t.Child(up, leftField)
		if left == analyze.NoNode || t.Kind(left) != kindIdentifier || p.vars[p.variableAt(left)].scope.kind != classScope {
			return false
		}
	}
	return true
}

// isBuiltin tells whether the name at i is sure to be a builtin.
func (p *python) isBuiltin(i int, name string) bool {
	if i == analyze.NoNode || p.unit.tree.Kind(i) != kindIdentifier {
		return false
	}
	a, ok := p.binding(i).single()
	return ok && a == atom{kind: atomSymbol, text: "builtins." + name}
}

// takesDefined looks at definition i of v in the body of a class: its name may be one of
// outside.
func (p *python) takesDefined(i int, v value) {
	n := p.unit.tree.Child(i, nameField)
	if p.scope.kind == classScope && n != analyze.NoNode && p.unit.vars[n] >= 0 && p.vars[p.unit.vars[n]].scope != p.scope {
		p.takes(v)
	}
}

// takesDecorated looks at decorator e of the method v, which comes to what is called with it.
func (p *python) takesDecorated(e int, decorator, v value) {
	if p.scope.kind != classScope || p.quiet > 0 {
		return
	}
	for _, a := range v.atoms {
		if a.kind == atomFunction && !p.functions[a.n].wrapped {
			p.functions[a.n].wrapped, p.changed = true, true
		}
	}
	static := decorator.has(atom{kind: atomSymbol, text: "builtins.staticmethod"}) && !strings.Contains(p.unit.tree.Source(e), "staticmethod") // by another name
	if static || !p.onlyWraps(e, decorator) {
		p.takes(v)
	}
}

// onlyWraps tells whether a decorator gives a method to nobody but what stands in its place.
func (p *python) onlyWraps(e int, decorator value) bool {
	t := p.unit.tree
	switch t.Kind(e) {
	case kindAttribute:
		if name := t.Child(e, attributeField); name != analyze.NoNode && p.staysIn(t.Child(e, objectField)) {
			return true
		}
	case kindCall:
		if p.wraps(p.glance(t.Child(e, functionField))) {
			return true
		}
	}
	if p.wraps(decorator) {
		return true
	}
	known := len(decorator.atoms) > 0 && !decorator.open()
	for _, a := range decorator.atoms {
		known = known && a.kind == atomFunction && p.handsBack(int(a.n))
	}
	return known
}

// wraps tells whether v is a decorator of the library that keeps what it gets to itself.
func (p *python) wraps(v value) bool {
	return len(v.atoms) > 0 && !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomSymbol || !p.tables.wrappers[a.text]
	})
}

// handsBack tells whether function n of the program, a decorator, does nothing with what it
// is given but to call it, with the object that the call got, and gives nobody else what
// does that.
func (p *python) handsBack(n int) bool {
	f := p.functions[n]
	if f.unit != p.unit || len(f.params) != 1 {
		return false
	}
	t := p.unit.tree
	names := map[string]bool{f.params[0].name: true}
	for j := f.node + 1; j < t.After(f.node); j++ {
		if name := t.Child(j, nameField); t.Kind(j) == kindFunctionDefinition && name != analyze.NoNode {
			names[p.identifier(name)] = true
		}
	}
	for j := f.node; j < t.After(f.node); j++ {
		if t.Kind(j) == kindIdentifier && names[p.identifier(j)] && !p.onlyPasses(j) {
			return false
		}
	}
	return true
}

// onlyPasses tells whether the name at i, of a method or of what calls it, is only defined,
// given back, asked how it is called, or called with the object of the call around.
func (p *python) onlyPasses(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	switch t.Kind(up) {
	case kindFunctionDefinition, kindParameters, kindTypedParameter, kindReturnStatement:
		return true
	case kindAttribute:
		name := p.identifier(t.Child(up, attributeField))
		return name == "__name__" || name == "__qualname__" || name == "__doc__" || t.Child(up, objectField) != i
	case kindArgumentList:
		call := t.Parent(up)
		if t.Kind(call) != kindCall {
			return false
		}
		a, ok := p.glance(t.Child(call, functionField)).single()
		return ok && wrapsOther(a.text)
	case kindCall:
		return t.Child(up, functionField) == i && p.passesObject(up)
	}
	return false
}

// passesObject tells whether a call gives on the first thing that the function around it was
// called with, which nobody has changed.
func (p *python) passesObject(call int) bool {
	t := p.unit.tree
	around := t.Parent(call)
	for around != analyze.NoNode && t.Kind(around) != kindFunctionDefinition && t.Kind(around) != kindLambda {
		around = t.Parent(around)
	}
	first := t.FirstNamed(t.Child(call, argumentsField))
	if around == analyze.NoNode || p.unit.scopes[around] == nil || first == analyze.NoNode {
		return false
	}
	f := p.functions[p.unit.scopes[around].owner]
	if t.Kind(first) == kindListSplat {
		first = t.FirstNamed(first)
	}
	if len(f.params) == 0 || t.Kind(first) != kindIdentifier || p.identifier(first) != f.params[0].name {
		return false
	}
	for j := around; j < t.After(around); j++ {
		if t.Kind(j) != kindIdentifier || p.identifier(j) != f.params[0].name {
			continue
		}
		switch t.Kind(t.Parent(j)) {
		case kindParameters, kindTypedParameter, kindListSplatPattern, kindListSplat, kindArgumentList, kindAttribute, kindInterpolation, kindSubscript:
		default:
			return false
		}
	}
	return true
}

// takesByMeta looks at class n: its metaclass is given what stands in its body.
func (p *python) takesByMeta(n int) {
	for _, k := range p.chain(n) {
		for _, a := range p.classes[k].meta.atoms {
			if a.kind == atomFunction || a.kind == atomClass && (p.has(int(a.n), "__new__") || p.has(int(a.n), "__init__")) {
				for _, id := range p.classes[n].scope.ids {
					p.takes(p.vars[id].value)
				}
			}
		}
	}
}

// offClass looks at a method that is read by name at i of v, which may be a class of the
// program: one that asks self may be given another object then.
func (p *python) offClass(i int, name string, v value) {
	if p.quiet > 0 {
		return
	}
	class := v.flags&(ofObject|aClass|lent) != 0
	for _, n := range p.askers {
		s := p.functions[n].scope.parent
		id, ok := s.vars[name]
		if !ok || !p.vars[id].value.has(atom{kind: atomFunction, n: int64(n)}) || p.ofClassMethod(n) || !class && p.ofProperty(n) && !p.isCalled(i) {
			continue
		}
		if class && !p.staysOwn(i) || !class && v.open() && !p.ofOwnSelf(i) && p.astray(s.owner) && p.mayGiveSelf(i, n) && !p.staysOwn(i) {
			p.marks(&p.functions[n].read, true)
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
}

// ofProperty tells whether method n is one of a property, which gives it by other names.
func (p *python) ofProperty(n int) bool {
	f := p.functions[n]
	t := f.unit.tree
	up := t.Parent(f.node)
	if f.inProperty {
		return true
	}
	if t.Kind(up) != kindDecoratedDefinition {
		return false
	}
	text := t.Source(t.FirstNamed(up))
	return strings.HasSuffix(text, "property") || strings.HasSuffix(text, ".setter") || strings.HasSuffix(text, ".getter") || strings.HasSuffix(text, ".deleter")
}

// ofOwnSelf tells whether the attribute named at i is asked of what a method has for its object, itself or by super().
func (p *python) ofOwnSelf(i int) bool {
	if p.ofSuper(i) {
		return true
	}
	t := p.unit.tree
	of := t.Child(t.Parent(i), objectField)
	return of != analyze.NoNode && t.Kind(of) == kindIdentifier && p.identifier(of) == "self" && p.ownSelf(of)
}

// astray tells whether class n of the program, or one below it, went where it is not followed, was read as a value, or named as
// a type, which who asks for types gives back.
func (p *python) astray(n int) bool {
	return p.classStrays || p.classGone || slices.ContainsFunc(p.classes, func(c class) bool {
		return (c.strayed || c.handed || c.given && p.unpacks || c.typed && p.handsTypes()) && slices.Contains(p.chain(c.scope.owner), n)
	})
}

// handsTypes tells whether the program uses something that gives the classes which annotations name.
func (p *python) handsTypes() bool {
	return p.annotationsMade > 0 || p.dispatches || p.typesAsked || p.made["dataclasses.fields"]
}

// mayGiveSelf tells whether a call of the method that is named at i may fill in all that
// method n must have, its object among it: of an object, one argument less does.
func (p *python) mayGiveSelf(i, n int) bool {
	if !p.isCalled(i) || p.functions[n].params[0].filled {
		return true
	}
	t := p.unit.tree
	required := p.required(n)
	call := t.Parent(t.Bracketed(t.Parent(i), kindParenthesizedExpression))
	given, first := 0, false
	for c := t.FirstNamed(t.Child(call, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindComment:
		case kindListSplat, kindDictionarySplat, kindParenthesizedListSplat:
			return true
		case kindKeywordArgument:
			name := p.identifier(t.Child(c, nameField))
			first = first || len(required) > 0 && name == required[0]
			if slices.Contains(required, name) {
				given++
			}
		default:
			first = true
			given++
		}
	}
	return first && given >= len(required)
}

// required are the parameters of function n that a call must fill in, with that for the object.
func (p *python) required(n int) (names []string) {
	f := p.functions[n]
	list := f.unit.tree.Child(f.node, parametersField)
	if list == analyze.NoNode {
		return nil
	}
	for k, c := 0, f.unit.tree.FirstNamed(list); c != analyze.NoNode && k < len(f.params); c = f.unit.tree.NextNamed(c) {
		if f.params[k].form == plainParameter && (k == 0 || f.unit.tree.Child(c, valueField) == analyze.NoNode) {
			names = append(names, f.params[k].name)
		}
		k++
	}
	return names
}
