package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Modules of the library that are in Python do more with what they are supplied with than call its methods: they make
// another object of the class of an element, tell a handler the class of what they were told of, and put a text before a
// name and get the attribute that this comes to. What the program makes answers there in the place of numbers,
// exceptions and text. Each way is here.

// answersBehind tells whether something of the program may answer what a text, or a number, and itself come to, where it
// stands behind.
func (p *python) answersBehind() bool {
	return p.sums || p.renamesMembers || p.hasBelow(addsItself)
}

// addsItself tells whether objects of what is below a class of the library answer so with another object of their class.
func addsItself(class string) bool {
	return class == "collections.UserString" || class == "collections.UserList"
}

// joinsAsText tells whether a text of the program may answer so, or what is the name of a class.
func (p *python) joinsAsText() bool {
	return slices.ContainsFunc(p.classes, func(c class) bool {
		return p.mayBeText(c) && (p.sums || p.renamesMembers || p.isBelow(c.scope.owner, addsItself) || c.bases.open() && p.own["__radd__"])
	}) || p.answersBehind() && (p.own["__name__"] || p.renamesMembers || slices.Contains(p.madeBases, "builtins.str"))
}

// mayBeText tells whether objects of a class of the program may be text.
func (p *python) mayBeText(c class) bool {
	return c.bases.open() || p.isBelow(c.scope.owner, func(class string) bool {
		return class == "builtins.str" || class == "enum.StrEnum" || class == "numpy.str_"
	})
}

// namesByClass tells whether what has a name in the library gets attributes by what a text and the name of a class come to.
func namesByClass(name string) bool {
	if method, ok := strings.CutPrefix(name, "ast."); ok {
		class, _, _ := strings.Cut(method, ".")
		return class == "NodeVisitor" || class == "NodeTransformer" || class == "unparse"
	}
	return strings.HasPrefix(name, "reprlib.") && name != "reprlib.recursive_repr"
}

// fieldReader tells whether what has a name in the library gets attributes by the names that _fields of an object holds.
func fieldReader(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(name, "ast."), ".")
	switch top {
	case "NodeTransformer", "NodeVisitor", "copy_location", "dump", "fix_missing_locations", "increment_lineno", "iter_child_nodes", "iter_fields", "unparse", "walk":
		return strings.HasPrefix(name, "ast.")
	}
	return false
}

// supplies looks at what is named at i and does such things with what it is given.
func (p *python) supplies(i int, name string, u usage) {
	if fieldReader(name) && p.beyond() { // objects of libraries have attributes that come with data
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	if p.looksUpText(name, u) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	p.marks(&p.laidOver, name == "numpy.memmap")
	switch {
	case getsByText(name):
		if p.answersBehind() || p.joinsAsText() {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	case namesByClass(name):
		if p.joinsAsText() {
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case name == sectionProxy || strings.HasPrefix(name, sectionProxy+"."):
		p.converts(i)
	case strings.HasPrefix(name, "configparser."):
		if p.own["converters"] || u.args != nil && (u.args.spread || slices.ContainsFunc(u.args.named, func(v namedValue) bool { return v.name == "converters" })) {
			p.converts(i)
		}
	case strings.HasPrefix(name, "argparse."):
		// What is done about a conflict has a name that is put into a text.
		if slices.ContainsFunc(p.classes, func(c class) bool {
			return p.mayBeText(c) && (p.has(c.scope.owner, "__rmod__") || p.isBelow(c.scope.owner, addsItself))
		}) {
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case strings.HasPrefix(name, "statistics."):
		// An element says by itself what it is as a fraction, and sums of these answer what the class of the element is called with.
		if p.answersBehind() && (p.own["as_integer_ratio"] || p.own["denominator"] || p.spread) {
			p.dynamicAt(analyze.DynamicClass, i)
		}
	}
}

const sectionProxy = "configparser.SectionProxy"

// converts looks at names of converters of a configuration: a section gets attributes of its parser by what a text and
// such a name come to.
func (p *python) converts(i int) {
	if p.sums || p.joinsAsText() {
		p.dynamicAt(analyze.DynamicMember, i)
	}
}

// asksSupplied looks at an attribute that is read at i: one by which such things are done.
func (p *python) asksSupplied(i int, name string) {
	if name == "base" && p.laidOver { // what has the memory of an array, and can give it away
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	if name == "converters" && p.atHand("configparser") {
		p.converts(i)
	}
}

// tellsOfEnd looks at a call at i of a method by which with ends: what has others to call tells them the class of
// what it is given. That is an exception which was caught, or what the method of that name around the call got.
func (p *python) tellsOfEnd(i int, name string, args *arguments) {
	if name != "__exit__" && name != "__aexit__" || p.quiet > 0 || !p.atHand("contextlib") {
		return
	}
	v, ok := args.get(1, "exc")
	if !ok && len(args.named) > 0 || len(args.positional) > 3 { // of the class, with the object before
		v = anything()
	}
	if v.isNone() || v.isCaught() || v.nothing() && !args.splat || p.handsEnd(i) {
		return
	}
	p.letGo()
}

// handsEnd tells whether the call at i is in a method by which with ends, and is given what that got.
func (p *python) handsEnd(i int) bool {
	t, s := p.unit.tree, p.scope
	for s.kind == comprehensionScope {
		s = s.parent
	}
	if t.Kind(i) != kindCall || s.kind != functionScope || s.parent == nil || s.parent.kind != classScope {
		return false
	}
	f := p.functions[s.owner]
	name := t.Child(f.node, nameField)
	if f.unit != p.unit || f.wrapped || name == analyze.NoNode || p.identifier(name) != "__exit__" && p.identifier(name) != "__aexit__" || p.taken(s.owner) || p.namedElsewhere(f.node, name) {
		return false
	}
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		given := c
		if t.Kind(c) == kindListSplat {
			given = t.FirstNamed(c)
		}
		if t.Kind(given) != kindNone && (t.Kind(given) != kindIdentifier || !p.onlyParameter(f, given)) {
			return false
		}
	}
	return true
}

// onlyParameter tells whether the name at i is a parameter of f, to which nobody gives anything in sight.
func (p *python) onlyParameter(f function, i int) bool {
	id := p.variableAt(i)
	return slices.ContainsFunc(f.params, func(param parameter) bool { return param.variable == id }) && !p.vars[id].again && !p.givenAny(p.vars[id].value)
}

// givenAny tells whether v may be more than what calls that are not seen give.
func (p *python) givenAny(v value) bool {
	return slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomNone && a.kind != atomException && a.kind != atomGiven && (a.kind != atomContainer || p.givenAny(p.containers[a.n].all) || p.givenAny(p.containers[a.n].rest))
	})
}

// namedElsewhere tells whether the class around the method at i has it under another name, too.
func (p *python) namedElsewhere(i, name int) bool {
	t := p.unit.tree
	class := t.Parent(i)
	for class > 0 && t.Kind(class) != kindClassDefinition {
		class = t.Parent(class)
	}
	for n := class; n >= 0 && n < t.After(class); n++ {
		if n != name && t.Kind(n) == kindIdentifier && t.Field(n) != attributeField && t.Field(n) != nameField && p.identifier(n) == p.identifier(name) {
			return true
		}
	}
	return false
}

// toldOfErrors tells whether something of the program may be told what else logging is told of.
func (p *python) toldOfErrors() bool {
	return p.recordsSeen() || p.answers() || slices.ContainsFunc([]string{"error", "_log", "log", "makeRecord", "formatException"}, func(name string) bool { return p.own[name] })
}
