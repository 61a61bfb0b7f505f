package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// The class of an object opens files where the object is a file. A program comes by it
// without asking for it in sight: the interpreter gives it to hooks of the program's, and the
// library calls type for whoever hands it on. Each way is here.

// hookOfClass tells whether a method of that name is given the class of whatever isinstance,
// a pattern or a dispatching function is asked of.
func hookOfClass(name string) bool {
	return name == "__subclasshook__" || name == "__subclasscheck__"
}

// comparesClasses tells whether a method of that name, of what makes classes, is given what a class is
// compared with: the library compares classes of objects by itself, as statistics and unittest do, and
// where it looks one up.
func comparesClasses(name string) bool { return name == "__eq__" || name == "__ne__" }

// hookOfClasses tells whether what a class has under a name may be given the class of an object.
func (p *python) hookOfClasses(name string) bool {
	return hookOfClass(name) || comparesClasses(name) && p.hasBelow(makesClass)
}

// comparedBy looks at the methods of class n and those above it, where it makes classes.
func (p *python) comparedBy(n int) {
	if !p.makesClasses(n) {
		return
	}
	for _, k := range p.chain(n) {
		for _, id := range p.classes[k].scope.ids {
			if comparesClasses(p.vars[id].name) {
				p.comesTo(p.vars[id].value)
			}
		}
	}
}

// looksUpClass looks at a call, on what is not known, of the method by which a test is told how to compare
// objects of a class: it looks up the class of an object among what it was told, and what is no class there
// is given that.
func (p *python) looksUpClass(name string, args *arguments) {
	if name != "addTypeEqualityFunc" || !p.atHand("unittest") || p.quiet > 0 {
		return
	}
	of, ok := args.get(0, "typeobj")
	if args.splat || !ok || of.open() || slices.ContainsFunc(of.atoms, func(a atom) bool { return a.kind != atomClass && a.kind != atomSymbol }) {
		p.letGo()
	}
}

// asksForImpl looks at what is under the name dispatch: what a function has there, or what else is called, takes the
// place of what singledispatchmethod makes of it, and is asked for the function for a class. Objects of a class that
// stands by itself are not called.
func (p *python) asksForImpl(i int, v value) {
	if !p.dispatchesMethods || p.quiet > 0 {
		return
	}
	if s := p.unit.scopes[i]; s != nil && s.kind == classScope && p.classes[s.owner].bases.nothing() && !p.own["__call__"] && !p.own["__get__"] {
		return
	}
	v.atoms = slices.DeleteFunc(slices.Clone(v.atoms), func(a atom) bool { return a.constant() || a.kind == atomContainer })
	if len(v.atoms) > 0 || v.open() {
		p.comesTo(v)
	}
}

// givenClassOf looks at what a class has under the name of such a hook.
func (p *python) givenClassOf(i int, name string, v value) {
	inClass := false
	if t := p.unit.tree; comparesClasses(name) {
		s := p.unit.scopes[i]
		inClass = s != nil && s.kind == classScope || t.Kind(i) == kindClassDefinition // which comparedBy looks at
	}
	if !inClass && p.hookOfClasses(name) {
		p.comesTo(v)
	}
}

// comesTo gives v the class of an object: a function gets it as its last parameter, and what else is
// there may do anything with it.
func (p *python) comesTo(v value) {
	if p.quiet > 0 {
		return
	}
	if len(v.atoms) == 0 {
		p.letGo()
	}
	for _, a := range v.atoms {
		if a.kind != atomFunction {
			p.letGo()
			continue
		}
		if p.standsFor(int(a.n)) {
			p.letGo()
		}
		params := p.functions[a.n].params
		for k, param := range params {
			switch {
			case param.form != plainParameter:
				p.letGo()
			case k > 0 || len(params) == 1:
				p.assign(param.variable, value{flags: ofObject})
			}
		}
	}
}

// standsFor tells whether what decorates function n may have put something else in the place of it, as a property does.
func (p *python) standsFor(n int) bool {
	f := p.functions[n]
	t := f.unit.tree
	up := t.Parent(f.node)
	if up == analyze.NoNode || t.Kind(up) != kindDecoratedDefinition {
		return false
	}
	for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindDecorator && (f.unit != p.unit || !p.isBuiltin(t.FirstNamed(c), "classmethod") && !p.isBuiltin(t.FirstNamed(c), "staticmethod")) {
			return true
		}
	}
	return false
}

// asksForClass notes of what is read at i, and not called there, that it gives the class of
// an object to whoever has it.
func (p *python) asksForClass(a atom) {
	if a.kind == atomSymbol && (a.text == "builtins.type" || a.text == "typing.Type") {
		p.letGo()
	}
}

// keyed looks at a key that is the class of an object: what has such a key may be asked for it.
func (p *python) keyed(receiver, key value) {
	if p.quiet > 0 || key.flags&ofObject == 0 {
		return
	}
	if receiver.open() || slices.ContainsFunc(receiver.atoms, func(a atom) bool { return a.kind != atomContainer }) {
		p.letGo()
	}
}

// putsOnClass looks at what is put on a class of the library: what is more than a function is
// given the classes below it.
func (p *python) putsOnClass(i int, object, v value) {
	a, ok := object.single()
	top, _, _ := strings.Cut(a.text, ".")
	if !ok || a.kind != atomSymbol || !p.stdlib.Modules[top] || p.stdlib.Modules[a.text] || !namesClass(a.text) {
		return
	}
	plain := !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() && a.kind != atomFunction && a.kind != atomContainer })
	if !plain {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}
