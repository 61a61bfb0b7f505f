package python

import (
	"path"
	"slices"
	"strings"

	"sallyport/analyze"
)

// walkedList stands for the list of directories that os.walk hands out and goes on with: what a program puts
// into it is listed next, wherever it is.
const walkedList = "os.walk.directories"

func isWalked(a atom) bool   { return a.kind == atomSymbol && a.text == walkedList }
func hasWalked(v value) bool { return slices.ContainsFunc(v.atoms, isWalked) }

// walking evaluates os.walk and its like, which give tuples of a directory, those below it, files, and of
// os.fwalk a descriptor.
func walking(length int) intrinsic {
	return func(p *python, i int, _ *arguments) value {
		if !p.walks {
			p.walks, p.changed = true, true
		}
		each := p.containerAt(-4-2*i, sequence)
		p.put(each, 0, anything())
		p.put(each, 1, symbol(walkedList).with(open))
		for at := 2; at < length; at++ {
			p.put(each, at, anything())
		}
		return p.bag(i, containerValue(each).with(open)).with(open)
	}
}

// perhapsWalked stands before the name of a method which puts something into a list that nobody knows,
// in a program that walks: it may be the list of a walk, which comes back from anything that gives tuples on.
const perhapsWalked = "os.walk.perhaps."

// growing tells whether a method puts something into a list.
func growing(method string) bool {
	switch method {
	case "append", "extend", "insert", "__init__", "__iadd__", "__setitem__":
		return true
	}
	return false
}

// ofWalk looks at a place where that list, or a method of it, comes up, and tells whether it did.
func (p *python) ofWalk(i int, name string, u usage) bool {
	if !p.walks {
		return false
	}
	dot := max(strings.LastIndexByte(name, '.'), 0)
	owner, method := name[:dot], strings.TrimPrefix(name[dot:], ".")
	called, grows := u.how == analyze.HowCall, growing(method)
	switch {
	case name == walkedList:
		if u.how == analyze.HowReference && slices.Contains(putting, p.givenTo(i)) {
			p.walksOff(i)
		}
	case owner == walkedList:
		p.growsWalk(i, method, u)
	case owner == "builtins.list" && grows, slices.Contains(putting, name):
		if grows && (!called || slices.ContainsFunc(u.args.all(), hasWalked)) {
			p.walksOff(i)
		}
		if called && u.args.arg(0).open() {
			for _, v := range u.args.all() {
				p.maybeInWalk(i, v)
			}
		}
	case called && grows && growsOther(owner):
		for _, v := range u.args.all() {
			if method == "__init__" { // which other objects have, too
				p.changesWalk(i, anything(), v)
			} else {
				p.maybeInWalk(i, v)
			}
		}
	}
	return strings.HasPrefix(name, walkedList) || strings.HasPrefix(name, perhapsWalked)
}

// growsWalk looks at a method of that list, called or read at i.
func (p *python) growsWalk(i int, method string, u usage) {
	switch method {
	case "append", "insert", "extend":
		if u.how != analyze.HowCall || u.args.splat || len(u.args.named) > 0 {
			p.walksOff(i)
			return
		}
		for _, v := range u.args.positional {
			p.putInWalk(i, v, false)
			p.putInWalk(i, p.elements(v), true)
		}
	case "__setitem__", "__iadd__":
		p.walksOff(i)
	}
}

// putting are functions that put something into a list which they are given.
var putting = []string{"bisect.insort", "bisect.insort_left", "bisect.insort_right", "heapq.heappush", "heapq.heappushpop", "heapq.heapreplace", "operator.iadd", "operator.iconcat", "operator.setitem"}

// givenTo is the function of the library that is given what stands at i, by its place.
func (p *python) givenTo(i int) string {
	t := p.unit.tree
	up := t.Parent(i)
	if t.Kind(up) != kindArgumentList || t.Kind(t.Parent(up)) != kindCall {
		return ""
	}
	for _, a := range p.look(t.Child(t.Parent(up), functionField)).atoms {
		if a.kind == atomSymbol {
			return a.text
		}
	}
	return ""
}

// putInWalk looks at what is put into the list at i: names that stand there and lead nowhere else are below the
// directory that it is of. What is not known is, where it takes the place of others (maybe), mostly some of these.
func (p *python) putInWalk(i int, v value, maybe bool) {
	for _, a := range v.atoms {
		if text, ok := a.pythonStr(); a.kind == atomString || a.kind == atomBytes {
			if !ok {
				text = a.text
			}
			if path.IsAbs(text) || slices.Contains(strings.Split(text, "/"), "..") {
				p.walksOff(i)
			}
			continue
		}
		if a.kind == atomSymbol && (strings.HasSuffix(a.text, ".pardir") || strings.HasSuffix(a.text, ".sep")) {
			p.walksOff(i)
		}
		maybe = maybe || a.number() || a.kind == atomContainer // where it is put, or what is looked into
	}
	if !maybe && v.open() {
		p.walksOff(i)
	}
}

// growsOther tells whether a method of what is called so puts something into a list that others have, too.
func growsOther(class string) bool {
	return class+"." == perhapsWalked || class == "collections.UserList" || strings.HasPrefix(class, "collections.abc.")
}

// maybeInWalk looks at what is put into a list at i that may be that of a walk: no text that leads elsewhere.
func (p *python) maybeInWalk(i int, v value) {
	known := v
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			known = known.join(p.elements(one(a)))
		}
	}
	p.putInWalk(i, known, true)
}

// addsToWalk looks at before += v at i, and is v for what that gives: the list of a walk stays where it is.
func (p *python) addsToWalk(i int, before, v value) value {
	if !p.walks {
		return v
	}
	if hasWalked(before) {
		p.putInWalk(i, p.elements(v), false)
	} else {
		p.changesWalk(i, before, v)
	}
	v.atoms = slices.DeleteFunc(slices.Clone(v.atoms), isWalked)
	return v
}

// setInWalk looks at receiver[key] = v at i.
func (p *python) setInWalk(i int, receiver, key, v value) {
	if !p.walks {
		return
	}
	_, exact := key.constant()
	switch walked := hasWalked(receiver); {
	case walked && exact:
		p.putInWalk(i, v, false)
	case walked:
		p.putInWalk(i, p.elements(v).join(v), true)
	case !exact:
		p.changesWalk(i, receiver, v)
	}
}

// changesWalk looks at what all that is in v is put into at i, where that is a list that may be of a walk.
func (p *python) changesWalk(i int, before, v value) {
	if !before.open() {
		return
	}
	for _, a := range v.atoms {
		if a.kind == atomContainer { // and no text that is added to one
			p.putInWalk(i, p.elements(one(a)), true)
		}
	}
}

// walksOff notes that a walk goes on where nobody sees.
func (p *python) walksOff(i int) {
	p.mentions = append(p.mentions, mention{"os.walk", analyze.HowCall, analyze.Possible, &arguments{splat: true}, p.span(i), p.scope.path, ""})
}
