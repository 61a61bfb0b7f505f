package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What an object of the library keeps for itself, such as the module that
// warnings.catch_warnings changes, reaches the program where it is stored: in a method of
// the program's that stores attributes, that takes the state of a copy, that stands for the
// dictionary of an object, or that remembers what was copied. Each is here.

// takesKept tells whether a method of that name is given what an object keeps.
func takesKept(name string) bool { return name == "__setattr__" || name == "__setstate__" }

// keepsFor looks at class n as a whole: with such a method it is given what a class of the
// library above it keeps.
func (p *python) keepsFor(i, n int) {
	if !p.has(n, "__setattr__") && !p.has(n, "__setstate__") {
		return
	}
	if p.isBelow(n, p.keeps) || p.classes[n].bases.open() && slices.ContainsFunc(p.away, p.keeps) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// keeps tells whether objects of a class of the library may keep something for themselves.
func (p *python) keeps(class string) bool {
	top, _, _ := strings.Cut(class, ".")
	return !abstract(class) && p.stdlib.Modules[top]
}

// keptAside looks at what is read at i and not called there: whoever has it calls it with
// what is not seen.
func (p *python) keptAside(i int, a atom) {
	switch {
	case a.kind != atomSymbol:
	case a.text == "collections.UserList" || a.text == "collections.UserDict":
		if !p.remakes {
			p.remakes, p.changed = true, true
		}
	case remakes(a.text), a.text == "copy.deepcopy" && p.own["__getitem__"]:
		p.dynamicAt(analyze.DynamicAttribute, i)
	case p.stdlib.Inner[a.text] != "" && p.keeps(a.text):
		p.putAway(a.text)
	}
}

// putsTaker looks at a name that is assigned to on a class, or an object.
func (p *python) putsTaker(i int, name string) {
	if takesKept(name) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// copied evaluates copy.deepcopy, which puts what it copies into the dictionary that it is
// given. The method __deepcopy__ hands on the one that it was given.
func copied(p *python, i int, args *arguments) value {
	memo, given := args.get(1, "memo")
	own := !memo.open() && !slices.ContainsFunc(memo.atoms, func(a atom) bool { return a.kind != atomContainer && a.kind != atomNone })
	if given && !own && !p.handsMemo(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
	return identity(p, i, args.first(1))
}

// handsMemo tells whether the call at i hands on what the method __deepcopy__ around it got.
func (p *python) handsMemo(i int) bool {
	t, s := p.unit.tree, p.scope
	for s.kind == comprehensionScope {
		s = s.parent
	}
	if t.Kind(i) != kindCall || s.kind != functionScope {
		return false
	}
	f := p.functions[s.owner]
	name := t.Child(f.node, nameField)
	if f.unit != p.unit || name == analyze.NoNode || p.identifier(name) != "__deepcopy__" || len(f.params) != 2 {
		return false
	}
	given := p.lastNamed(t.Child(i, argumentsField))
	if given != analyze.NoNode && t.Kind(given) == kindKeywordArgument {
		given = t.Child(given, valueField)
	}
	return given != analyze.NoNode && t.Kind(given) == kindIdentifier && p.variableAt(given) == f.params[1].variable && p.onlyRead(f.node, f.params[1].variable)
}

// remakes tells whether methods of a class of the library make another object of the class
// of the object that they are given, of what this has: of a file they open another.
func remakes(class string) bool {
	switch class {
	case "collections.UserString", "collections.UserList", "collections.UserDict", "collections.ChainMap", "types.DynamicClassAttribute", "enum.property":
		return true
	}
	return false
}

// remaking tells whether a method of that name may be one of those.
func remaking(name string) bool {
	switch name {
	case "__getitem__", "__add__", "__radd__", "__mul__", "__rmul__", "__mod__", "__rmod__", "__or__", "__ror__", "__copy__":
		return true
	}
	return name != "fromkeys" && !strings.HasPrefix(name, "__")
}

// remadeUnseen looks at a method that is read by name at i of what is not known, which may be
// such a class.
func (p *python) remadeUnseen(i int, name string) {
	if p.remakes && p.quiet == 0 && strings.HasPrefix(name, "__") && remaking(name) && !p.ofSuper(i) && !p.givesOwn(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// segments is the method of a path that makes another object of its class.
const segments = "with_segments"

// remadeFlag looks at an operator that is read by its name at i: those of enum.Flag make another object of the class
// of the one that they are given.
func (p *python) remadeFlag(i int, v value, name string) {
	switch name {
	case "__or__", "__and__", "__xor__", "__ror__", "__rand__", "__rxor__", "__invert__":
	default:
		return
	}
	flag := func(class string) bool { return class == "enum.Flag" || class == "enum.IntFlag" }
	mayBe := v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind == atomSymbol && flag(a.text) || a.kind == atomClass && p.isBelow(int(a.n), flag)
	})
	if mayBe && p.atHand("enum") && p.quiet == 0 && !p.ofSuper(i) && !p.givesOwn(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}
