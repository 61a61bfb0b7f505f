package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// An object of the library that is made anew while it is there is another one for whoever is at
// work on it: a file that is open becomes one of any other file, and memory that was measured for
// what it was becomes too small. What makes it is __init__. Called once, in __init__ of a class
// of the program, it is as usual.

// laidOut tells whether objects of a class of the library are memory that it lays out by what
// they are made of.
func laidOut(class string) bool {
	switch class {
	case "collections.OrderedDict", "collections.deque", "collections.defaultdict", "functools.partial", "builtins.bytearray", "builtins.memoryview",
		"asyncio.Future", "asyncio.Task", "queue.SimpleQueue":
		return true
	}
	top, _, _ := strings.Cut(class, ".")
	return slices.Contains([]string{"array", "bz2", "contextvars", "csv", "decimal", "io", "itertools", "lzma", "sqlite3", "struct", "weakref", "xml", "zlib", "zoneinfo"}, top)
}

// rebuilt looks at __init__ of v, which is read by name at i.
func (p *python) rebuilt(i int, name string, v value) {
	if name != "__init__" || p.quiet > 0 {
		return
	}
	super := p.ofSuper(i)
	object := v.open() && (!super || p.scope.class() == nil)
	for _, a := range v.atoms {
		object = object || a.isPath() || a.kind == atomContainer || a.kind == atomSymbol && strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(a.text, "sys."), "_"), "std") && strings.HasPrefix(a.text, "sys.")
	}
	laid := slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomSymbol && laidOut(a.text) })
	own := super || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomClass })
	if object || (laid || own && p.laysOut()) && !p.makesOnce(i) {
		p.dynamicAt(analyze.DynamicClass, i)
	}
}

// laysOut tells whether the program has a class below one of those.
func (p *python) laysOut() bool {
	if p.laidIn <= p.round {
		p.laidIn, p.laid = p.round+1, p.hasBelow(laidOut) // what a round finds out is there in the next
	}
	return p.laid
}

// hasBelow tells whether the program has a class, or makes one by a call, that comes from an
// outside class which is one of those that are looked for.
func (p *python) hasBelow(one func(class string) bool) bool {
	return slices.ContainsFunc(p.madeBases, one) || slices.ContainsFunc(p.classes, func(c class) bool { return p.isBelow(c.scope.owner, one) })
}

// makesOnce tells whether __init__ that is read at i is called on the spot, with the object of
// the __init__ around, which does so once.
func (p *python) makesOnce(i int) bool {
	t := p.unit.tree
	if p.scope.kind != functionScope || !p.isCalled(i) || !p.ofSuper(i) && !p.givesSelf(i) {
		return false
	}
	f := p.functions[p.scope.owner]
	name := t.Child(f.node, nameField)
	if p.scope.parent.kind != classScope || f.wrapped || name == analyze.NoNode || t.Source(name) != "__init__" {
		return false
	}
	if call := t.Child(t.Parent(i), objectField); p.ofSuper(i) {
		list := t.Child(call, argumentsField)
		if last := t.FirstNamed(list); last != analyze.NoNode && (t.NextNamed(last) == analyze.NoNode || !p.ownSelf(t.NextNamed(last))) {
			return false
		}
	}
	for n := f.node; n < t.After(f.node); n++ {
		if t.Kind(n) == kindAttribute && n != t.Parent(i) && t.Child(n, attributeField) != analyze.NoNode && t.Source(t.Child(n, attributeField)) == "__init__" {
			return false
		}
	}
	for n := t.Parent(i); n != f.node; n = t.Parent(n) {
		switch t.Kind(n) {
		case kindForStatement, kindWhileStatement, kindLambda, kindListComprehension, kindSetComprehension, kindGeneratorExpression, kindDictionaryComprehension:
			return false
		}
	}
	return !p.alsoNamed(p.scope)
}

// alsoNamed tells whether the method of scope s has another name in its class.
func (p *python) alsoNamed(s *scope) bool {
	return slices.ContainsFunc(s.parent.ids, func(id int) bool {
		return p.vars[id].name != "__init__" && p.vars[id].value.has(atom{kind: atomFunction, n: int64(s.owner)})
	})
}
