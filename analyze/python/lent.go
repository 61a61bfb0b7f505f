package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// A class of the library that does what the attributes of its objects tell it does so with
// any object that one of its methods is given in the place of its own. Whoever has the
// class instead of an object of it has such methods: who names the class, a method of the
// class's own (through cls and super()), a metaclass, a descriptor. Each is here.

// lender tells whether class is one of those that do what the attributes of an object tell
// them: a method of one, with an object of the program's in the place of its own, does what
// the program says.
func (p *python) lender(class string) bool {
	top, name, _ := strings.Cut(class, ".")
	return p.stdlib.Inner[class] != "" && p.stdlib.Lent[top] != "" && !strings.HasPrefix(name, "Abstract") && name[0] != '_' // which do nothing, or nobody names
}

// borrowsUnseen looks at a method that is read by name at i of the class of an object that is
// not known: it may be one of those.
func (p *python) borrowsUnseen(i int, name string) {
	if p.quiet > 0 {
		return
	}
	if name == segments && p.atHand("pathlib") || strings.HasPrefix(name, "__") && remaking(name) && p.atHand("collections") && !p.ofOwnClass(i, name) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	for module, names := range p.stdlib.Lent {
		if p.atHand(module) && strings.Contains(names, " "+name+" ") && !p.ofOwnClass(i, name) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
}

// ofOwnClass tells whether the attribute named at i is asked of the class of self, where
// that has it from the program and none above it lends.
func (p *python) ofOwnClass(i int, name string) bool {
	t := p.unit.tree
	self := t.Child(t.Parent(i), objectField)
	switch {
	case self == analyze.NoNode:
		return false
	case t.Kind(self) == kindCall && p.isBuiltin(t.Child(self, functionField), "type"):
		self = t.FirstNamed(t.Child(self, argumentsField))
	case t.Kind(self) == kindAttribute && p.identifier(t.Child(self, attributeField)) == "__class__":
		self = t.Child(self, objectField)
	}
	s := p.scope.class()
	if s == nil || self == analyze.NoNode || t.Kind(self) != kindIdentifier || !p.ownSelf(self) || p.classes[s.owner].bases.open() || p.isBelow(s.owner, p.lender) || !p.has(s.owner, name) {
		return false
	}
	n := p.vars[p.variableAt(self)].scope.owner
	p.asks(n)
	return !p.taken(n)
}

// borrows looks at a method that is read from a class of the library instead of from an
// object of it.
func (p *python) borrows(i int, class, name string) {
	if p.quiet > 0 || name == "__name__" || name == "__doc__" || name == "__qualname__" {
		return
	}
	if lentByLibrary(class, name) && !p.staysOwn(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	if (remakes(class) && remaking(name) || strings.HasPrefix(class, "pathlib.") && name == segments) && !p.givesOwn(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	if !p.lender(class) && (name != "__init__" || p.stdlib.Inner[class] == "") {
		return
	}
	top, _, _ := strings.Cut(class, ".")
	if class != "argparse.Namespace" && (top == "argparse" || name == "__init__") {
		if s := p.scope.class(); s != nil && p.isBelow(s.owner, func(above string) bool { return sameFamily(above, class) }) {
			return
		}
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
}

// sameFamily tells whether two classes of the library are the same, or both of those that
// format help, of which one is made of the other.
func sameFamily(a, b string) bool {
	return a == b || strings.HasSuffix(a, "HelpFormatter") && strings.HasSuffix(b, "HelpFormatter")
}

// lendsOwn looks at a method that is read from class n of the program: of a class of the
// library above it, or one that assigns to what the library keeps for itself.
func (p *python) lendsOwn(i, n int, name string) {
	if p.quiet > 0 || name == "__name__" || name == "__doc__" || name == "__qualname__" {
		return
	}
	if !p.has(n, name) {
		if p.classes[n].bases.open() {
			p.offClass(i, name, value{flags: aClass})
		}
		if p.isBelow(n, func(class string) bool {
			p.borrows(i, class, name)
			return false
		}) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
		return
	}
	for _, k := range p.chain(n) {
		if id, ok := p.classes[k].scope.vars[name]; ok && slices.ContainsFunc(p.vars[id].value.atoms, func(a atom) bool {
			asks := a.kind == atomFunction && slices.Contains(p.askers, int(a.n)) && !p.ofClassMethod(int(a.n)) && !p.staysOwn(i)
			if asks {
				p.marks(&p.functions[a.n].read, true)
			}
			return asks
		}) {
			p.dynamicAt(analyze.DynamicAttribute, i)
			return
		}
	}
	puts := slices.ContainsFunc(p.classes[n].puts, func(name string) bool {
		return slices.ContainsFunc(p.stdlib.Private[name], func(module string) bool { return p.atHand(module) })
	})
	if !puts {
		return
	}
	if s := p.scope.class(); s != nil && slices.Contains(p.chain(s.owner), n) {
		return
	}
	if id, ok := p.classes[n].scope.vars[name]; ok && slices.ContainsFunc(p.vars[id].value.atoms, func(a atom) bool { return a.kind == atomFunction }) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// givesSelf tells whether the method that is named at i is called on the spot, with the
// object of the method around.
func (p *python) givesSelf(i int) bool {
	t := p.unit.tree
	read := t.Parent(i)
	call := t.Parent(read)
	if t.Kind(read) != kindAttribute || t.Kind(call) != kindCall || t.Child(call, functionField) != read {
		return false
	}
	first := t.FirstNamed(t.Child(call, argumentsField))
	return first != analyze.NoNode && t.Kind(first) == kindIdentifier && p.identifier(first) == "self" && p.ownSelf(first)
}

// givesOwn tells the same where the method around is never called with an object of somebody else: it is one that
// nobody may read from its class.
func (p *python) givesOwn(i int) bool {
	n := p.asksAround(i)
	return n >= 0 && !p.taken(n)
}

// staysOwn tells the same, and that nobody was seen to read the method around from its class.
func (p *python) staysOwn(i int) bool {
	n := p.asksAround(i)
	return n >= 0 && !p.readOff(n)
}

// asksAround notes that the method around asks as the one does that is named at i, where it gives self to that: it is that
// method, else -1.
func (p *python) asksAround(i int) int {
	if !p.givesSelf(i) {
		return -1
	}
	t := p.unit.tree
	n, _ := p.methodWith(p.variableAt(t.FirstNamed(t.Child(t.Parent(t.Parent(i)), argumentsField))))
	p.asks(n)
	return n
}

// ofClassMethod tells whether function n stands in a class as a class method, which nobody
// gives another object to.
func (p *python) ofClassMethod(n int) bool {
	f := p.functions[n]
	t := p.unit.tree
	if f.unit != p.unit {
		return false
	}
	up := t.Parent(f.node)
	if up == analyze.NoNode || t.Kind(up) != kindDecoratedDefinition {
		return false
	}
	last := value{}
	for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindDecorator {
			last = p.glance(t.FirstNamed(c))
		}
	}
	a, ok := last.single()
	return ok && a == atom{kind: atomSymbol, text: "builtins.classmethod"}
}

// lendsBelow notes of class n, where it comes from one of the library that lends, and of all
// classes above it: what these find as their own class may be it.
func (p *python) lendsBelow(n int) {
	if p.quiet > 0 || !p.isBelow(n, func(class string) bool { return p.lender(class) || remakes(class) || remakesSelf(class) }) {
		return
	}
	above := p.chain(n)
	if before := p.classes[n].lentTo; before < len(p.classes) { // else it is noted of all there are
		for _, k := range above {
			if c := &p.classes[k]; before == 0 || !slices.Contains(c.lending, n) {
				c.lending, p.changed = append(c.lending, n), true
			}
		}
		p.classes[n].lentTo = len(above)
	}
	if !slices.Contains(p.lenders, n) {
		p.lenders, p.changed = append(p.lenders, n), true
	}
}

// getsClass notes that function n is called with a class in place of an object: that
// which it stands in, or one below it.
func (p *python) getsClass(n int) {
	f := &p.functions[n]
	if p.quiet > 0 {
		return
	}
	if !f.ofClass {
		f.ofClass, p.changed = true, true
	}
	lenders := p.lenders
	if s := f.scope.parent; s != nil && s.kind == classScope {
		lenders = p.classes[s.owner].lending
	}
	p.isGiven(n, 0, lenders)
}

// isGiven notes that parameter k of function n is a class: it may be one of some.
func (p *python) isGiven(n, k int, classes []int) {
	if params := p.functions[n].params; k < len(params) {
		p.assign(params[k].variable, value{flags: aClass})
	}
	for _, below := range classes {
		if params := p.functions[n].params; k < len(params) {
			p.assign(params[k].variable, one(atom{kind: atomClass, n: int64(below)}))
		}
	}
}

// givenClass looks at what class c has by a name: the interpreter gives classes to methods
// of some names, and to all methods of a class of classes.
func (p *python) givenClass(c int, name string, v value) {
	for _, a := range v.atoms {
		if a.kind != atomFunction {
			continue
		}
		switch name {
		case "__new__", "__init_subclass__", "__class_getitem__":
			p.getsClass(int(a.n))
		case "__get__":
			p.isGiven(int(a.n), 2, p.lenders)
		case "__set_name__":
			p.isGiven(int(a.n), 1, p.lenders)
		}
		if p.makesClasses(c) {
			p.isGiven(int(a.n), 0, p.lenders)
		}
	}
}

// classMethodOf evaluates classmethod and staticmethod.
func classMethodOf(p *python, i int, args *arguments) value {
	for _, a := range args.arg(0).atoms {
		if a.kind == atomFunction {
			p.getsClass(int(a.n))
		}
	}
	return identity(p, i, args)
}

// superOf evaluates super. Of a class, or with one in the place of an object, it leads to
// the methods of the class above, which then take any object.
func superOf(p *python, i int, args *arguments) value {
	s := p.scope
	for s.kind == comprehensionScope {
		s = s.parent
	}
	if p.onObject(i, s, args) {
		return p.doerAbove(s.parent.owner).with(open)
	}
	if len(p.lenders) == 0 {
		return anything().with(aClass)
	}
	first := args.arg(0)
	lending := first.open() || slices.ContainsFunc(first.atoms, func(a atom) bool {
		return a.kind == atomClass && len(p.classes[a.n].lending) > 0
	})
	for around := s; around != nil; around = around.parent {
		lending = lending || around.kind == classScope && len(p.classes[around.owner].lending) > 0
	}
	if lending {
		return anything().with(lent | aClass)
	}
	return anything().with(aClass)
}

// onObject tells whether the call of super at i, in function scope s, is on what a method
// is called with, and that is an object.
func (p *python) onObject(i int, s *scope, args *arguments) bool {
	if s.kind != functionScope || s.parent == nil || s.parent.kind != classScope || args.splat {
		return false
	}
	f := p.functions[s.owner]
	if f.ofClass || len(f.params) == 0 {
		return false
	}
	self := p.vars[f.params[0].variable].value
	if self.flags&ofObject != 0 || slices.ContainsFunc(self.atoms, func(a atom) bool {
		return a.kind == atomClass && slices.Contains(p.chain(int(a.n)), s.parent.owner)
	}) {
		return false
	}
	if len(args.positional) == 0 {
		return true
	}
	t := p.unit.tree
	if t.Kind(i) != kindCall || len(args.positional) != 2 {
		return false
	}
	second := t.NextNamed(t.FirstNamed(t.Child(i, argumentsField)))
	return second != analyze.NoNode && t.Kind(second) == kindIdentifier && p.variableAt(second) == f.params[0].variable && p.ownSelf(second)
}

// lendsSuper looks at an attribute of what super gave where it is not on an object. The
// methods that are given a class anyway lead no further.
func (p *python) lendsSuper(i int, v value, name string) {
	switch name {
	case "__new__", "__init_subclass__", "__class_getitem__", "__name__", "__qualname__", "__doc__":
	default:
		if v.flags&lent != 0 {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

// ofWith tells whether name is that of a method which a with statement calls.
func ofWith(name string) bool { return name == "__enter__" || name == "__exit__" }

// keepsEnter looks at a method of with that is read at i of anything: whoever gets it, if
// it is a class's, may call it with another object.
func (p *python) keepsEnter(i int, name string) {
	if ofWith(name) && !p.isCalled(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// keepsSetter looks at the method that assigns to an attribute, where it is read at i and not
// called: whoever gets it assigns under a name that nobody sees.
func (p *python) keepsSetter(i int, name string) {
	if name == "__setattr__" && !p.isCalled(i) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// isCalled tells whether i is the name of a method in a call of it.
func (p *python) isCalled(i int) bool {
	t, fn := p.unit.tree, p.attributeNamed(i)
	if fn == analyze.NoNode {
		return false
	}
	call := t.Parent(fn)
	return t.Kind(call) == kindCall && t.Child(call, functionField) == fn
}

// attributeNamed is the expression, in its brackets, that reads the attribute whose name i is; NoNode where i is none.
func (p *python) attributeNamed(i int) int {
	t := p.unit.tree
	of := t.Parent(i)
	if of == analyze.NoNode || t.Kind(of) != kindAttribute || t.Child(of, attributeField) != i {
		return analyze.NoNode
	}
	return t.Bracketed(of, kindParenthesizedExpression)
}

// enters looks at a call of a method of with on anything.
func (p *python) enters(i int, name string, args *arguments) {
	most := 0
	if name == "__exit__" {
		most = 3
	}
	if ofWith(name) && (len(args.positional) > most || len(args.named) > 0 || args.splat && !p.handsExit(i, name, args)) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// handsExit tells whether the call at i is __exit__(*rest), where rest is what the
// __exit__ around it got besides its object.
func (p *python) handsExit(i int, name string, args *arguments) bool {
	t, s := p.unit.tree, p.scope
	if t.Kind(i) != kindCall || name != "__exit__" || s.kind != functionScope || len(args.positional) > 0 {
		return false
	}
	f, given := p.functions[s.owner], t.FirstNamed(t.Child(i, argumentsField))
	if f.unit != p.unit || given == analyze.NoNode || t.Kind(given) != kindListSplat || t.NextNamed(given) != analyze.NoNode {
		return false
	}
	own, last := t.Child(f.node, nameField), len(f.params)-1
	if own == analyze.NoNode || p.identifier(own) != "__exit__" && p.identifier(own) != "__aexit__" || last < 0 || f.params[last].form != listParameter {
		return false
	}
	for j := f.node; j < t.After(f.node); j++ { // nobody gives it other things
		if t.Kind(j) == kindIdentifier && p.identifier(j) == f.params[last].name {
			switch t.Kind(t.Parent(j)) {
			case kindListSplatPattern, kindTypedParameter, kindListSplat, kindArgumentList, kindSubscript:
			default:
				return false
			}
		}
	}
	rest := t.FirstNamed(given)
	return t.Kind(rest) == kindIdentifier && p.variableAt(rest) == f.params[last].variable
}

// fillsAnother looks at super().__init__ below argparse.Namespace, which takes names alone:
// anything else takes the place of the object.
func (p *python) fillsAnother(i int, name string) {
	if name != "__init__" || !p.superMethod(i) {
		return
	}
	t, other := p.unit.tree, false
	for c := t.FirstNamed(t.Child(i, argumentsField)); c != analyze.NoNode; c = t.NextNamed(c) {
		other = other || t.Kind(c) != kindKeywordArgument && t.Kind(c) != kindDictionarySplat && t.Kind(c) != kindComment
	}
	for s := p.scope; s != nil && other; s = s.parent {
		if s.kind == classScope && p.isBelow(s.owner, func(class string) bool { return class == "argparse.Namespace" }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}
