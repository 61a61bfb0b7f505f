package python

import (
	"strings"

	"sallyport/analyze"
)

// The settings of matplotlib are a dictionary, of which some say what is loaded or started. What is
// read and what is set in it is told as calls of the methods that do so, with the key.

// isSettings tells whether a symbol is that dictionary.
func isSettings(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "Default"), "Orig")
	return name == "matplotlib.rcParams" || name == "matplotlib.pyplot.rcParams"
}

// ofSettings tells whether the dictionary stands at i only for one of its settings.
func (p *python) ofSettings(i int, name string, u usage) bool {
	if !isSettings(name) || u.how != analyze.HowAssign && u.how != analyze.HowReference {
		return false
	}
	t := p.unit.tree
	up := t.Parent(i)
	return t.Kind(up) == kindSubscript && t.Child(up, valueField) == i
}

// setting tells of a setting that is read, or set where a value is given.
func (p *python) setting(i int, receiver, key value, v ...value) {
	for _, a := range receiver.atoms {
		if a.kind == atomSymbol && isSettings(a.text) {
			p.tellSetting(i, a.text, key, v...)
		}
	}
}

func (p *python) tellSetting(i int, name string, key value, v ...value) {
	method := ".__setitem__"
	if len(v) == 0 {
		method = ".__getitem__"
	}
	p.mention(i, symbol(name+method), usage{how: analyze.HowCall, args: &arguments{positional: append([]value{key}, v...)}})
}

// setsSettings looks at a call of what sets several of them, and tells whether it is one. It keeps
// nothing of the dictionary that it is given; where another keeps it, or a method of it, that one may
// put more into it.
func (p *python) setsSettings(i int, name string, args *arguments) bool {
	var v value
	owner, updates := strings.CutSuffix(name, ".update")
	switch {
	case updates && isSettings(owner):
		v, _ = args.get(0, "")
		for _, named := range args.named {
			p.tellSetting(i, owner, stringValue(named.name), named.value)
		}
	case name == "matplotlib.rc_context" || name == "matplotlib.pyplot.rc_context":
		owner = "matplotlib.rcParams"
		v, _ = args.get(0, "rc")
		if !p.isEntered(i) {
			p.escape(v) // what is entered later has it until then
		}
	default:
		return false
	}
	for _, a := range v.atoms {
		switch {
		case a.kind == atomContainer && p.containers[a.n].kind == mapping:
			c := &p.containers[a.n]
			for _, key := range c.keyed {
				p.tellSetting(i, owner, one(key), c.dict[key])
			}
			if !c.keys.nothing() || !c.rest.nothing() || c.moved || p.leaky(int(a.n)) != 0 {
				p.tellSetting(i, owner, anything(), c.rest)
			}
			p.escape(c.all)
			p.escape(c.keys)
		case a.kind != atomNone:
			p.tellSetting(i, owner, anything(), anything())
			p.escape(one(a))
		}
	}
	if v.open() || args.splat {
		p.tellSetting(i, owner, anything(), anything())
	}
	for _, named := range args.named {
		if updates {
			p.escape(named.value)
		}
	}
	for _, other := range args.positional[min(1, len(args.positional)):] {
		p.escape(other)
	}
	p.escape(args.rest)
	return true
}

// isEntered tells whether the call at i is all that a with statement enters, or is around a function.
func (p *python) isEntered(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) == kindAsPattern {
		up = t.Parent(up)
	}
	return t.Kind(up) == kindWithItem || t.Kind(up) == kindDecorator
}
