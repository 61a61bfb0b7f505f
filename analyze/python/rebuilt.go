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
	class = origin(class)
	switch class {
	case "collections.OrderedDict", "collections.deque", "collections.defaultdict", "functools.partial", "builtins.bytearray", "builtins.memoryview",
		"asyncio.Future", "asyncio.Task", "queue.SimpleQueue", "builtins.UnicodeDecodeError", "builtins.UnicodeEncodeError", "builtins.UnicodeTranslateError",
		"scipy.spatial.ConvexHull", "scipy.spatial.Delaunay", "scipy.spatial.HalfspaceIntersection", "scipy.spatial.Voronoi":
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
	such := func(class string) bool { return one(origin(class)) }
	return slices.ContainsFunc(p.madeBases, such) || slices.ContainsFunc(p.classes, func(c class) bool { return p.isBelow(c.scope.owner, such) })
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
	if p.scope.parent.kind != classScope || f.wrapped || name == analyze.NoNode || p.identifier(name) != "__init__" {
		return false
	}
	if call := t.Child(t.Parent(i), objectField); p.ofSuper(i) {
		list := t.Child(call, argumentsField)
		if last := t.FirstNamed(list); last != analyze.NoNode && (t.NextNamed(last) == analyze.NoNode || !p.ownSelf(t.NextNamed(last))) {
			return false
		}
	}
	for n := f.node; n < t.After(f.node); n++ {
		if t.Kind(n) == kindAttribute && n != t.Parent(i) && t.Child(n, attributeField) != analyze.NoNode && p.identifier(t.Child(n, attributeField)) == "__init__" {
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

// givesAgain reports functions that stand for __new__ of a class of those that are laid out, and
// may give an object that is there already: what called it makes that anew.
func (p *python) givesAgain() {
	if !p.hasBelow(laidOut) {
		return
	}
	for _, a := range p.fields["__new__"].atoms {
		if a.kind != atomFunction {
			continue
		}
		f := p.functions[a.n]
		if s := f.scope.parent; s != nil && s.kind == classScope && !slices.ContainsFunc(p.classes, func(c class) bool {
			return slices.Contains(p.chain(c.scope.owner), s.owner) && p.isBelow(c.scope.owner, laidOut)
		}) {
			continue
		}
		if f.wrapped || f.scope.parent == nil || f.scope.parent.kind != classScope || !p.givesNew(int(a.n)) {
			p.Dynamic(analyze.DynamicClass, f.unit.tree.Span(f.node))
		}
	}
}

// givesNew tells whether all that function n returns are objects that it has made on the spot.
func (p *python) givesNew(n int) bool {
	f := p.functions[n]
	unit, scope := p.unit, p.scope
	p.unit, p.scope = f.unit, f.scope
	defer func() { p.unit, p.scope = unit, scope }()
	t := p.unit.tree
	made := func(v int) bool {
		if v == analyze.NoNode || t.Kind(v) != kindCall {
			return false
		}
		fn := t.Child(v, functionField)
		return fn != analyze.NoNode && t.Kind(fn) == kindAttribute && p.identifier(t.Child(fn, attributeField)) == "__new__"
	}
	names := map[string]bool{} // that are assigned, and whether nothing else is
	for i := f.node; i < t.After(f.node); i++ {
		if left := t.Child(i, leftField); t.Kind(i) == kindAssignment && left != analyze.NoNode && t.Kind(left) == kindIdentifier {
			name := p.identifier(left)
			plain, before := names[name]
			names[name] = (plain || !before) && made(t.Child(i, rightField))
		}
	}
	for i := f.node; i < t.After(f.node); i++ {
		if t.Kind(i) != kindReturnStatement || t.FirstNamed(i) == analyze.NoNode {
			continue
		}
		v := t.FirstNamed(i)
		if t.Kind(v) == kindIdentifier && p.vars[p.variableAt(v)].scope == p.scope && names[p.identifier(v)] {
			continue
		}
		if !made(v) {
			return false
		}
	}
	return !f.generator
}

// alsoNamed tells whether the method of scope s has another name in its class.
func (p *python) alsoNamed(s *scope) bool {
	return slices.ContainsFunc(s.parent.ids, func(id int) bool {
		return p.vars[id].name != "__init__" && p.vars[id].value.has(atom{kind: atomFunction, n: int64(s.owner)})
	})
}
