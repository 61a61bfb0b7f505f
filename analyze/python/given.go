package python

import (
	"slices"
	"strings"
)

// Anybody may call a function, with anything: so a parameter is more than what the calls
// give to it that are seen. Where a function is nowhere but behind its own name, and that
// is only called, no other calls are there, and a few questions count on it: whether a
// connection can be one of sqlite3 alone, and what text comes to that is made of names.

// notSeen is what calls that are not seen give to a parameter of function n.
func notSeen(n int) value {
	return one(atom{kind: atomGiven, n: int64(n)}).with(given)
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

// survey notes that the names of the program are reached in ways that are not seen.
func (p *python) survey() {
	if !p.surveyed {
		p.surveyed, p.changed = true, true
	}
}

// callers are libraries that call functions of a program which nobody gives to them.
func (p *python) callers() bool {
	return p.imported["pytest"] || p.imported["fire"] || p.imported["nose"]
}

// allSeen tells whether every call of function n is seen. What stands in a class is not
// only behind its name: setField lets it escape.
func (p *python) allSeen(n int64) bool {
	f := p.functions[n]
	t := f.unit.tree
	if f.handed || p.surveyed || p.callers() || t.Kind(f.node) != kindFunctionDefinition || t.Kind(t.Parent(f.node)) == kindDecoratedDefinition {
		return false
	}
	name := t.Source(t.Child(f.node, nameField))
	return !strings.HasPrefix(name, "__") // the interpreter calls those of a module
}

// settled is v without what calls give that are not seen, where there are no such calls,
// and there are others.
func (p *python) settled(v value) value {
	if v.flags&given == 0 || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomGiven && !p.allSeen(a.n) }) {
		return v
	}
	out := value{flags: v.flags &^ given}
	for _, a := range v.atoms {
		if a.kind != atomGiven {
			out.atoms = append(out.atoms, a)
		}
	}
	if out.nothing() {
		return v
	}
	return out
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
