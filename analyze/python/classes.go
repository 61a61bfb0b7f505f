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

// givenClassOf looks at what a class has under the name of such a hook: a function gets the
// class as its last parameter, and what else is there may do anything with it.
func (p *python) givenClassOf(name string, v value) {
	if !hookOfClass(name) || p.quiet > 0 {
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
	if !ok || a.kind != atomSymbol || !p.stdlib.modules[top] || p.stdlib.modules[a.text] || !namesClass(a.text) {
		return
	}
	plain := !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() && a.kind != atomFunction && a.kind != atomContainer })
	if !plain {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}
