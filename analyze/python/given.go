package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Anybody may call a function, with anything: so a parameter is more than what the calls
// give to it that are seen. Where a function is nowhere but behind its own name, and that
// is only called, no other calls are there, and a few questions count on it: whether a
// connection can be one of sqlite3 alone, and what text comes to that is made of names.

// goesOn marks an atomPrefix that goes on with what is given to function n.
const goesOn = 1 << 62

// notSeen is what calls that are not seen give to a parameter of function n.
func notSeen(n int) value {
	return one(atom{kind: atomGiven, n: int64(n)}).with(given)
}

// givenTo returns the function of which the calls that are not seen make a: by what they
// give to it, or by what an f-string makes of that.
func (a atom) givenTo() (n int64, ok bool) {
	return a.n &^ goesOn, a.kind == atomGiven || a.kind == atomPrefix && a.n&goesOn != 0
}

// hand notes that the functions in v are read where they are not called: whoever gets
// them may call them with anything.
func (p *python) hand(v value) {
	for _, a := range v.atoms {
		if a.kind == atomFunction && !p.functions[a.n].handed {
			p.functions[a.n].handed, p.changed = true, true
		}
	}
}

// handMember notes that a member of what is not known is read, which may be the module
// that the program is.
func (p *python) handMember(name string) {
	if name == "__dict__" {
		p.survey()
	}
	if id, ok := p.module.vars[name]; ok {
		p.hand(p.vars[id].value)
	}
}

// survey notes that the names of the program are reached in ways that are not seen.
func (p *python) survey() {
	if !p.surveyed {
		p.surveyed, p.changed = true, true
	}
}

// callers are libraries that call functions of a program which nobody gives to them, and
// main, which a program finds as a module when it runs: itself, once more.
func (p *python) callers() bool {
	return p.imported["main"] || p.imported["pytest"] || p.imported["fire"] || p.imported["nose"]
}

// allSeen tells whether every call of function n is seen. What stands in a class is not
// only behind its name: setField lets it escape.
func (p *python) allSeen(n int64) bool {
	f := p.functions[n]
	t := f.unit.tree
	if f.handed || p.surveyed || p.callers() || t.Kind(f.node) != kindFunctionDefinition || t.Kind(t.Parent(f.node)) == kindDecoratedDefinition {
		return false
	}
	name := identifierText(t.Source(t.Child(f.node, nameField)))
	return !strings.HasPrefix(name, "__") && name != "load_tests" // which the interpreter calls in a module, and unittest
}

// settled is v without what calls give that are not seen, where there are no such calls.
// It waits where no call was seen yet: what is asked of v has no answer then. When all is
// walked and still none was seen, the call may be in a file that imports this one.
func (p *python) settled(v value) (out value, waits bool) {
	out = value{flags: v.flags &^ given}
	for _, a := range v.atoms {
		n, ok := a.givenTo()
		if ok && !p.allSeen(n) {
			return v, false
		}
		if !ok {
			out.atoms = append(out.atoms, a)
		}
	}
	if !out.nothing() || v.nothing() {
		return out, false
	}
	p.waited = true
	return v, !p.late
}

// ofProgram evaluates a name of the module that the program is.
func (p *python) ofProgram(owner, name string) value {
	if owner != "__main__" {
		return value{}
	}
	v := p.vars[p.lookup(name, p.module)].value
	p.hand(v)
	return v
}

// isOwnModule tells whether the subscript at i asks sys.modules for the module that the program is.
func (p *python) isOwnModule(i int) bool {
	t := p.unit.tree
	object := t.Child(i, valueField)
	key := t.NextNamed(object)
	return t.Kind(object) == kindAttribute && key != analyze.NoNode && t.NextNamed(key) == analyze.NoNode && t.Field(i) != leftField &&
		t.Kind(t.Parent(i)) != kindDeleteStatement && p.isOwnName(key) && p.symbolAt(object) == "sys.modules"
}

// ownModule evaluates such a subscript. What else there is in sys.modules goes to nobody.
func (p *python) ownModule(i int) value {
	t := p.unit.tree
	p.eval(t.Child(t.Child(i, valueField), objectField), usage{})
	p.load(t.NextNamed(t.Child(i, valueField)))
	p.importModuleAt("__main__", i)
	p.dynamicAt(analyze.DynamicAttribute, i)
	return symbol("__main__")
}

// isOwnName tells whether the name of the module that the program is stands at i, and nothing gives it another: who has
// that module may.
func (p *python) isOwnName(i int) bool {
	if p.unit.tree.Kind(i) != kindIdentifier || p.identifier(i) != "__name__" || !p.keepsNames("__name__") || p.own["__name__"] {
		return false
	}
	v := p.vars[p.variableAt(i)]
	return v.scope == p.module && v.value.nothing()
}

// belowOwnName is the text of an f-string that names something in the module that the program is.
func (p *python) belowOwnName(i int) (text string, ok bool) {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindString {
		return "", false
	}
	c := t.FirstNamed(i)
	if c != analyze.NoNode && t.Kind(c) == kindStringStart {
		c = t.NextNamed(c)
	}
	if c == analyze.NoNode || t.Kind(c) != kindInterpolation || t.NextNamed(t.FirstNamed(c)) != analyze.NoNode || !p.isOwnName(t.FirstNamed(c)) {
		return "", false
	}
	rest := t.NextNamed(c)
	if rest == analyze.NoNode || t.Kind(rest) != kindStringContent {
		return "", false
	}
	end := t.NextNamed(rest)
	text = t.Source(rest)
	return "__main__" + text, strings.HasPrefix(text, ".") && isDotted(text[1:]) && (end == analyze.NoNode || t.Kind(end) == kindStringEnd)
}

// namesItself is args of the call at i of something of unittest.mock where its first argument names something in the
// module that the program is by __name__.
func (p *python) namesItself(i int, name string, args *arguments) *arguments {
	if !strings.HasPrefix(name, "unittest.mock.patch") || len(args.positional) == 0 {
		return args
	}
	text, ok := p.belowOwnName(p.argumentAt(i, ""))
	if !ok {
		return args
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
	return args.after(1).behind(stringValue(text))
}

// patchesProgram binds what patch of unittest.mock puts under names of the module that the program is.
func (p *python) patchesProgram(name string, args *arguments) {
	how, ok := strings.CutPrefix(strings.Replace(name, "._patch_", ".patch.", 1), "unittest.mock.patch")
	made := name == "unittest.mock._patch"
	target, _ := args.get(0, "target")
	begins := slices.ContainsFunc(target.atoms, func(a atom) bool { return a.kind == atomPrefix && strings.HasPrefix(a.text, "__main__.") })
	if !ok && !made || !p.imported["__main__"] && !begins {
		return
	}
	if begins {
		p.givesNames(atom{kind: atomNamespace})
	}
	if made || begins || p.own["attribute"] || p.own["getter"] { // by which a patch keeps where it puts something
		p.putUnder(anything(), anything())
	}
	program := target.open() || target.has(atom{kind: atomSymbol, text: "__main__"}) || target.has(atom{kind: atomString, text: "__main__"})
	switch {
	case how == "":
		put, _ := args.get(1, "new")
		for _, a := range target.atoms {
			if attribute, ok := strings.CutPrefix(a.text, "__main__."); ok && a.kind == atomString {
				p.putUnder(stringValue(attribute), put)
			}
		}
	case how == ".object" && program:
		attribute, _ := args.get(1, "attribute")
		put, _ := args.get(2, "new")
		p.putUnder(attribute, put)
	case how == ".multiple" && program:
		for _, a := range args.named {
			p.putUnder(stringValue(a.name), a.value)
		}
		if args.spread {
			p.putUnder(anything(), anything())
		}
	}
}

// putUnder binds a name of the module that the program is, besides what the program does: any where it is not known.
func (p *python) putUnder(name, v value) {
	if p.unknownName(name) {
		for _, id := range p.module.ids {
			p.assign(id, v.with(open))
		}
	}
	for _, a := range name.atoms {
		if id, ok := p.module.vars[identifierText(a.text)]; ok && a.kind == atomString {
			p.assign(id, v.with(open))
		}
	}
}

// namesOf returns the names of the functions in v, where it is nothing else and nobody gave
// them others: what changes attributes by name has the functions, or the survey, and what
// gives the name of one to another (renames) may get them in ways that are not followed.
func (p *python) namesOf(v value) (value, bool) {
	var out value
	v, waits := p.settled(v)
	if waits {
		return v, true
	}
	if p.surveyed || p.renames || p.own["__name__"] || v.nothing() || v.open() {
		return out, false
	}
	for _, a := range v.atoms {
		if a.kind != atomFunction || p.functions[a.n].strayed {
			return out, false
		}
		f := p.functions[a.n]
		name := f.unit.tree.Child(f.node, nameField)
		if name == analyze.NoNode { // a lambda
			return out, false
		}
		out = out.join(stringValue(identifierText(f.unit.tree.Source(name))))
	}
	return out, true
}

// runsIn tells whether what stands at i is the namespace in which a function of the library
// runs text, which is read as code of this program.
func (p *python) runsIn(i int) bool {
	t := p.unit.tree
	named := t.Parent(i)
	if named == analyze.NoNode || t.Kind(named) != kindKeywordArgument || p.identifier(t.Child(named, nameField)) != "globals" {
		return false
	}
	call := t.Parent(t.Parent(named))
	if t.Kind(call) != kindCall {
		return false
	}
	a, ok := p.glance(t.Child(call, functionField)).single()
	_, runs := p.tables.runners[a.text]
	return ok && a.kind == atomSymbol && runs
}
