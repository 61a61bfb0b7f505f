package python

import (
	"path"
	"slices"
	"strings"

	"sallyport/analyze"
)

// walkedList stands for the list of directories that os.walk hands out and goes on with: what a program puts
// into it is listed next, wherever it is. It is followed as a value is; where it comes back from what nobody
// follows, the hooks end what is listed elsewhere.
const walkedList = "os.walk.directories"

func isWalked(a atom) bool   { return a.kind == atomSymbol && a.text == walkedList }
func hasWalked(v value) bool { return slices.ContainsFunc(v.atoms, isWalked) }

// walking evaluates os.walk and its like, which give tuples of a directory, those below it, files, and of
// os.fwalk a descriptor.
func walking(length int) intrinsic {
	return func(p *python, i int, _ *arguments) value {
		each := slices.Repeat([]value{anything()}, length)
		each[1] = symbol(walkedList).with(open)
		return p.bag(i, p.tuple(i, each...).with(open)).with(open)
	}
}

// ofWalk looks at a place where that list, or a method of it, comes up, and tells whether it did.
func (p *python) ofWalk(i int, name string, u usage) bool {
	method, ok := strings.CutPrefix(name, walkedList)
	switch {
	case !ok:
		return false
	case method != "":
		p.growsWalk(i, method[1:], u)
	case u.how == analyze.HowReference && slices.Contains(putting, p.givenTo(i)):
		p.walksOff(i)
	}
	return true
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
var putting = []string{"builtins.list.append", "builtins.list.extend", "builtins.list.insert", "builtins.list.__setitem__", "builtins.list.__iadd__", "bisect.insort", "bisect.insort_left", "bisect.insort_right", "heapq.heappush", "heapq.heappushpop", "heapq.heapreplace", "operator.iadd", "operator.iconcat", "operator.setitem"}

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

// addsToWalk looks at before += v at i, and is v for what that gives: the list of a walk stays where it is.
func (p *python) addsToWalk(i int, before, v value) value {
	if hasWalked(before) {
		p.putInWalk(i, p.elements(v), false)
	}
	if !hasWalked(v) {
		return v
	}
	v.atoms = slices.DeleteFunc(slices.Clone(v.atoms), isWalked)
	return v
}

// setInWalk looks at receiver[key] = v at i.
func (p *python) setInWalk(i int, receiver, key, v value) {
	if !hasWalked(receiver) {
		return
	}
	if _, exact := key.constant(); exact {
		p.putInWalk(i, v, false)
	} else {
		p.putInWalk(i, p.elements(v).join(v), true)
	}
}

// walksOff notes that a walk goes on where nobody sees.
func (p *python) walksOff(i int) {
	p.mentions = append(p.mentions, mention{"os.walk", analyze.HowCall, analyze.Possible, &arguments{splat: true}, p.span(i), p.scope.path, ""})
}
