package python

import (
	"slices"

	"sallyport/analyze"
)

// Programs let their caller say what logging shall tell: getattr(logging, name). Whatever member of
// logging that is, a level of logging does nothing with it but compare it, so such a use needs no name.

// levelOnly tells whether what the call at i reads of a module is a level and nothing else: it is given
// to logging on the spot, or has a name that stands nowhere but there.
func (p *python) levelOnly(i int, object value) bool {
	t := p.unit.tree
	if a, ok := object.single(); !ok || a != (atom{kind: atomSymbol, text: "logging"}) || t.Kind(i) != kindCall || len(p.units) > 1 {
		return false
	}
	if p.answersText("setLevel") || p.answers() || p.pretends() || p.imported["mock"] || p.imported["__main__"] || p.callers() {
		return false // a logger may be what the program makes of it
	}
	name := ""
	if !p.takenAsLevel(i) {
		up := t.Parent(i)
		if t.Kind(up) != kindAssignment || t.Child(up, rightField) != i || t.Kind(t.Child(up, leftField)) != kindIdentifier || p.scope.kind == classScope {
			return false
		}
		name = p.identifier(t.Child(up, leftField))
	}
	for n := range t.Len() {
		if t.Kind(n) != kindIdentifier {
			continue
		}
		switch p.identifier(n) {
		case "globals", "locals", "vars", "setattr", "setLoggerClass", "loggerClass", "__dict__", "__class__", "__setattr__":
			return false // by which the name can be read, or a logger changed
		case name:
			if !p.namesLevel(n) {
				return false
			}
		}
	}
	return true
}

// namesLevel tells whether the name at n is bound there, or used as a level is.
func (p *python) namesLevel(n int) bool {
	t := p.unit.tree
	up := t.Parent(n)
	switch t.Kind(up) {
	case kindAssignment:
		return t.Child(up, leftField) == n && t.Kind(t.Parent(up)) == kindExpressionStatement
	case kindKeywordArgument:
		if t.Child(up, nameField) == n {
			return true
		}
	case kindComparisonOperator:
		for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
			if c != n && t.Kind(c) != kindNone && t.Kind(c) != kindInteger {
				return false
			}
		}
		return true
	case kindParameters, kindTypedParameter, kindDefaultParameter, kindTypedDefaultParameter:
		return t.FirstNamed(up) == n || t.Kind(up) == kindParameters
	case kindAttribute: // that of another object, or one of the text that it was before
		return t.Child(up, attributeField) == n || slices.Contains([]string{"upper", "strip"}, p.identifier(t.Child(up, attributeField)))
	}
	return p.takenAsLevel(n)
}

// takenAsLevel tells whether what stands at i is an argument of a function that takes a level.
func (p *python) takenAsLevel(i int) bool {
	t := p.unit.tree
	list, named := t.Parent(i), ""
	if t.Kind(list) == kindKeywordArgument {
		named = p.identifier(t.Child(list, nameField))
		list = t.Parent(list)
	}
	call := t.Parent(list)
	if t.Kind(list) != kindArgumentList || t.Kind(call) != kindCall {
		return false
	}
	fn := t.Child(call, functionField)
	if t.Kind(fn) == kindAttribute && p.identifier(t.Child(fn, attributeField)) == "setLevel" {
		logger := t.Child(fn, objectField)
		return t.Kind(logger) == kindCall && p.symbolAt(t.Child(logger, functionField)) == "logging.getLogger"
	}
	switch p.symbolAt(fn) {
	case "logging.basicConfig":
		return named == "level"
	case "logging.root.setLevel", "logging.getLevelName", "logging.disable":
		return true
	case "builtins.isinstance":
		return t.FirstNamed(list) == i && p.symbolAt(t.NextNamed(i)) == "builtins.int"
	}
	return false
}
