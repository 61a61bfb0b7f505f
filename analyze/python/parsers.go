package python

import (
	"slices"
	"strings"
	"unicode"

	"sallyport/analyze"
)

// A parser of arguments makes attributes of the names of arguments, and its actions put values under them.

// fills looks at the name under which a parser puts on an object what it finds, and what a
// function of the program made of that.
func (p *python) fills(i int, args *arguments) {
	names := args.positional
	if dest, ok := args.get(-1, "dest"); ok {
		names = append(names[:len(names):len(names)], dest)
	}
	if args.splat {
		p.spreads()
	}
	for _, v := range names {
		p.destined(i, v)
	}
	p.copied(i, names, args)
}

// copied looks at names of arguments whose values the program makes, by a type or an action: copy may ask
// for what is under one that nobody sees, as for __reduce_ex__.
func (p *python) copied(i int, names []value, args *arguments) {
	_, typ := args.get(-1, "type")
	_, acts := args.get(-1, "action")
	if (p.readsTrees() || (typ || acts) && p.atHand("copy")) && slices.ContainsFunc(names, p.unknownName) {
		p.dynamicAt(analyze.DynamicAttribute, i) // as _fields, say
	}
}

// destinations are the names of attributes that a parser may make of the name of an argument: it
// takes off what the program says options begin with, which is a minus where it says nothing.
func destinations(name string) []string {
	out := []string{name}
	for end, r := range name {
		if !strings.ContainsRune(name[:end], r) && (end > 0 || ofName(r)) {
			out = append(out, strings.ReplaceAll(name[end:], "-", "_"))
		}
		if ofName(r) {
			break
		}
	}
	return out
}

// ofName tells whether a sign may stand in a name.
func ofName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// beginsOptions looks at the signs by which options begin: such as may stand in a name are taken
// off what it begins with, and what is left nobody sees.
func (p *python) beginsOptions(i int, v value) {
	if !p.atHand("argparse") || v.isNone() {
		return
	}
	if v.open() || v.flags&worked != 0 || slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomString || strings.ContainsFunc(a.text, ofName)
	}) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// destined looks at names under which a parser puts values on an object.
func (p *python) destined(i int, names value) {
	made := value{flags: names.flags}
	for _, a := range names.atoms {
		if a.kind == atomString {
			p.destinedSpecial(i, a.text)
		}
		for _, name := range destinations(a.text) {
			a.text = name
			made.atoms = append(made.atoms, a)
			if a.kind != atomString {
				continue
			}
			p.telling(i, name)
			if name == "_fields" || name == "_attributes" {
				p.tells(i, name, anything())
			}
		}
	}
	answered := slices.ContainsFunc(names.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomGetter || a.kind == atomClass })
	if answered && p.readsTrees() {
		p.dynamicAt(analyze.DynamicMember, i) // as _fields
	}
	if answered || p.unknownName(made) || names.flags&worked != 0 {
		p.spreads()
	}
}

// destinedAnew looks at the name under which an action of a parser puts a value, put there once it is made:
// what the value is, its type has said elsewhere.
func (p *python) destinedAnew(i int, object, names value) {
	t := p.unit.tree
	if !p.atHand("argparse") || !p.atHand("copy") || !object.has(action) && !object.open() {
		return
	}
	if t.Kind(i) == kindAttribute && p.ofSelf(t.Child(i, attributeField), "dest") {
		return
	}
	if p.unknownName(names) || names.flags&worked != 0 {
		p.dynamicAt(analyze.DynamicAttribute, i) // as __reduce_ex__, for which copy asks
	}
}

// makesActions notes that what makes actions of a parser is handed on.
func (p *python) makesActions(name string) {
	if (name == "add_argument" || name == "add_subparsers") && p.atHand("argparse") {
		p.acting()
		p.marks(&p.appends, true)
		p.marks(&p.begun, true)
	}
}

// action is what a parser of arguments keeps for each of them: called, it puts a value
// under the name that the program chose on the object that the program gives it.
var action = atom{kind: atomInstance, text: "argparse.Action"}

// acting notes that an action of a parser may be anywhere.
func (p *python) acting() {
	if p.quiet == 0 && !p.acts {
		p.acts, p.changed = true, true
	}
}

// acted looks at a call of callee, which may be an action, and of name, which may call one.
func (p *python) acted(i int, callee value, args *arguments) {
	if callee.has(action) {
		p.dynamicAt(analyze.DynamicAttribute, i)
		return
	}
	own := slices.ContainsFunc(callee.atoms, func(a atom) bool { return a.kind == atomFunction || a.kind == atomClass })
	if callee.open() && !own && !p.superMethod(i) {
		p.handsAction(i, "", args)
	}
	known := len(args.positional)
	for _, v := range args.named {
		if v.name == "parser" || v.name == "namespace" || v.name == "values" {
			known++
		}
	}
	if !p.acts || !callee.open() || known < 3 && !args.splat || own || slices.ContainsFunc(callee.atoms, func(a atom) bool { return strings.HasSuffix(a.text, ".add_argument") }) {
		return
	}
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return
	}
	fn := t.Child(i, functionField)
	if fn != analyze.NoNode && t.Kind(fn) == kindAttribute && t.Child(fn, attributeField) != analyze.NoNode && p.identifier(t.Child(fn, attributeField)) != "__call__" {
		return
	}
	p.dynamicAt(analyze.DynamicAttribute, i)
}

// superMethod tells whether the call at i is that of a method of super().
func (p *python) superMethod(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return false
	}
	fn := t.Child(i, functionField)
	return fn != analyze.NoNode && t.Kind(fn) == kindAttribute && t.Child(fn, attributeField) != analyze.NoNode && p.ofSuper(t.Child(fn, attributeField))
}

// fillsElsewhere looks at what the call at i is given, where what makes actions of a parser was handed
// on: whatever is called may be that, or call it.
func (p *python) fillsElsewhere(i int, args *arguments) {
	if !p.acts || p.quiet > 0 {
		return
	}
	for _, v := range args.all() {
		for _, each := range []value{v, p.elements(v), p.elements(p.elements(v))} {
			for _, a := range each.atoms {
				if a.kind == atomString {
					p.destinedSpecial(i, a.text)
				}
			}
		}
	}
	p.copied(i, args.positional, args)
}

// destinedSpecial looks at the special names that a parser may make of the name of an argument.
func (p *python) destinedSpecial(i int, argument string) {
	for _, name := range destinations(argument) {
		if strings.HasPrefix(name, "__") {
			p.namesSpecial(i, name)
			p.rewrites(i, name, anything())
		}
	}
}

// handsAction looks at what a function of the library is given: it may call it.
func (p *python) handsAction(i int, name string, args *arguments) {
	if strings.HasPrefix(name, "argparse.") || p.tables.pure[name] || p.tables.onlyHolds[name] && name != "builtins.Exception" || name == "builtins.map" || name == "builtins.filter" || name == "builtins.setattr" {
		return
	}
	for _, v := range args.all() {
		held := slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomContainer && p.containers[a.n].all.has(action) })
		if v.has(action) || held {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}
