package python

import (
	"maps"
	"slices"
	"strings"
)

// escape notes that v goes where the analysis does not follow: whatever is not
// known may be v again, so the members of modules in it count wherever they
// are named.
func (p *python) escape(v value) {
	if p.quiet > 0 {
		return
	}
	p.goesAstray(v.flags)
	if v.flags&missed != 0 {
		for module := range p.imported {
			p.escapeSymbol(atom{kind: atomSymbol, text: module})
		}
	}
	var held []int64 // containers that go with it: a list, because they may be nested as deeply as the source is long
	for atoms := v.atoms; ; held = held[:len(held)-1] {
		for _, a := range atoms {
			switch a.kind {
			case atomSymbol, atomNamespace:
				p.escapeSymbol(a)
			case atomFunction:
				p.hand(one(a))
				if f := &p.functions[a.n]; !f.strayed {
					f.strayed, p.changed = true, true
				}
			case atomClass:
				c := &p.classes[a.n]
				if !c.strayed {
					c.strayed, p.changed = true, true
				}
				if c.strayedIn > p.round { // what a round finds above a class is there in the next
					break
				}
				c.strayedIn = p.round + 1
				for _, above := range p.doerAbove(int(a.n)).atoms {
					p.strays(above.text)
				}
			case atomInstance:
				if a == action {
					p.acting()
				}
				p.strays(a.text)
				if a.text == "tempfile.TemporaryDirectory" && !p.lent {
					p.lent, p.changed = true, true
				}
				if a == formatOfAnything && !p.formats {
					p.formats, p.changed = true, true
				}
			case atomContainer:
				if c := &p.containers[a.n]; !c.escaped {
					c.escaped, c.moved = true, c.moved || !c.tuple
					p.changed = true
					held = append(held, a.n)
				}
			}
		}
		if len(held) == 0 {
			return
		}
		all := p.containers[held[len(held)-1]].all
		p.goesAstray(all.flags)
		atoms = all.atoms
	}
}

func (p *python) escapeSymbol(a atom) {
	if strings.HasPrefix(a.text, "builtins.") && !p.loose {
		p.loose, p.changed = true, true
	}
	module := a.text
	if a.kind == atomNamespace && module == "" {
		module = "builtins" // the program's namespace holds it
	}
	if p.stdlib.Modules[module] && !p.escaped[module] {
		p.escaped[module] = true
		p.escapedMembers = map[string]value{}
		p.changed = true
	}
}

// memberOfImported evaluates name as a member of any module that is imported.
func (p *python) memberOfImported(name string) (v value) {
	for _, module := range slices.Sorted(maps.Keys(p.imported)) {
		if p.stdlib.Has(module, name) {
			v = v.join(p.memberOf(module, name))
		}
	}
	return v
}

// escapedMember evaluates name as a member of the modules that escaped.
func (p *python) escapedMember(name string) value {
	if len(p.escaped) == 0 {
		return value{}
	}
	v, ok := p.escapedMembers[name]
	if !ok {
		for _, module := range slices.Sorted(maps.Keys(p.escaped)) {
			if p.stdlib.Has(module, name) {
				v = v.join(symbol(p.stdlib.Member(module, name)))
			}
		}
		p.escapedMembers[name] = v
	}
	for _, a := range v.atoms {
		v = v.join(p.members[a.text])
	}
	return v
}
