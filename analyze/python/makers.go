package python

import (
	"slices"

	"sallyport/analyze"
)

// What makes classes: type, and the classes below it, which are given names, bases and what stands in the body.

// madeOf looks at a call of what is not known with three arguments: type makes a class of
// a name, other classes and a dictionary.
func (p *python) madeOf(i int, args *arguments) {
	if len(args.positional) != 3 {
		return
	}
	bases := p.elements(args.arg(1))
	p.madeBelow(i, args.arg(1))
	if p.makerAway || slices.ContainsFunc(bases.atoms, func(a atom) bool { return a.kind == atomSymbol || a.kind == atomClass }) {
		p.classNamespace(i, args.arg(2))
	}
}

// makesClass tells whether a is type, or a class below it.
func (p *python) makesClass(a atom) bool {
	return a.kind == atomSymbol && (a.text == "builtins.type" || a.text == "abc.ABCMeta" || a.text == "enum.EnumMeta" || a.text == "enum.EnumType") ||
		a.kind == atomClass && p.makesClasses(int(a.n))
}

// inMaker tells whether what is looked at stands in a class that makes classes: which get
// what stands in their bodies.
func (p *python) inMaker() bool {
	s := p.scope.class()
	return s != nil && p.makesClasses(s.owner)
}

// rebases looks at a call of __new__ at i in what makes classes: unless it hands on the bases
// that it was given, the class has others.
func (p *python) rebases(i int) {
	if p.quiet > 0 || p.rebased || !p.inMaker() {
		return
	}
	t, k := p.unit.tree, 0
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		given := c
		if t.Kind(c) == kindListSplat {
			given = t.FirstNamed(c)
		} else if k++; k != 3 {
			continue
		}
		if t.Kind(given) != kindIdentifier || !p.isParameter(p.variableAt(given)) {
			p.rebased, p.changed = true, true
		}
	}
}

// isParameter tells whether a variable is what a function was given, and nothing else.
func (p *python) isParameter(id int) bool {
	x := p.vars[id]
	return x.scope.kind == functionScope && !x.again && slices.ContainsFunc(p.functions[x.scope.owner].params, func(q parameter) bool { return q.variable == id })
}

// handsMaker looks at a call that is given what makes classes, with arguments for it behind:
// as they are, or lists of each.
func (p *python) handsMaker(i int, args *arguments) {
	for k, v := range args.positional {
		if !slices.ContainsFunc(v.atoms, p.makesClass) {
			continue
		}
		if rest := args.positional[k+1:]; len(rest) >= 3 {
			p.madeBelow(i, rest[1].join(p.elements(rest[1])))
			p.classNamespace(i, value{atoms: rest[2].atoms}.join(p.elements(rest[2])))
		} else if args.splat {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// putsMaker notes of what is read at i that it makes classes, where whoever has it may call it.
func (p *python) putsMaker(i int, a atom) {
	t := p.unit.tree
	if a.text != "typing.Type" && !p.makesClass(a) {
		return
	}
	switch up := t.Parent(i); t.Kind(up) {
	case kindComparisonOperator:
		if p.own["__eq__"] || p.own["__ne__"] || p.own["__contains__"] || p.own["__lt__"] || p.own["__gt__"] || p.own["__le__"] || p.own["__ge__"] {
			p.asksForClass(a)
		}
		return
	case kindDecorator:
		return
	case kindArgumentList:
		if call := t.Parent(up); t.Kind(call) == kindCall && (p.isBuiltin(t.Child(call, functionField), "map") || p.isBuiltin(t.Child(call, functionField), "super")) {
			return // it is called there
		}
	}
	p.asksForClass(a)
	if !p.makerAway && a.text != "typing.Type" {
		p.makerAway, p.changed = true, true
	}
}
