package python

import (
	"strings"

	"sallyport/analyze"
)

// Programs let their caller say what logging shall tell: getattr(logging, name.upper()). In capitals
// logging has levels and texts, and no module or function, so such a name needs not be known.

// levelOnly tells whether what the call at i reads of a module is a level of logging or a text: its
// name comes from a method upper, which can only be that of a text.
func (p *python) levelOnly(i int, object value) bool {
	t := p.unit.tree
	if a, ok := object.single(); !ok || a != (atom{kind: atomSymbol, text: "logging"}) || t.Kind(i) != kindCall {
		return false
	}
	list := t.Child(i, argumentsField)
	name := t.NextNamed(t.FirstNamed(list))
	if name == analyze.NoNode || !p.callsUpper(name) || p.answersText("upper") || p.own["__getattr__"] || p.own["__getattribute__"] || len(p.units) > 1 {
		return false
	}
	if !p.step(t.Len()) {
		return false
	}
	for n := range t.Len() { // a keyword, a field or a text may give the name to an object, too
		switch t.Kind(n) {
		case kindIdentifier:
			if p.identifier(n) == "upper" && !p.callsUpper(t.Parent(t.Parent(n))) {
				return false
			}
		case kindString:
			if strings.Contains(t.Source(n), "upper") {
				return false
			}
		}
	}
	return true
}

// callsUpper tells whether what stands at i is a call of a method upper, with nothing.
func (p *python) callsUpper(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindCall {
		return false
	}
	fn := t.Child(i, functionField)
	return t.Kind(fn) == kindAttribute && p.identifier(t.Child(fn, attributeField)) == "upper" && t.FirstNamed(t.Child(i, argumentsField)) == analyze.NoNode
}
