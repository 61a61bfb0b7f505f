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

// walking evaluates os.walk and its like, which give tuples of a directory, those below it, and files.
func walking(p *python, i int, _ *arguments) value {
	if !p.walks {
		p.walks, p.changed = true, true
	}
	each := p.containerAt(-4-2*i, sequence)
	p.put(each, 0, anything())
	p.put(each, 1, symbol(walkedList).with(open))
	p.put(each, 2, anything())
	p.put(each, 3, anything()) // a descriptor
	return p.bag(i, containerValue(each).with(open)).with(open)
}

// ofWalk looks at a place where that list, or a method of it, comes up, and tells whether it did.
func (p *python) ofWalk(i int, name string, u usage) bool {
	if method, ok := strings.CutPrefix(name, "builtins.list."); ok && p.walks {
		switch method {
		case "append", "extend", "insert", "__init__", "__iadd__", "__setitem__":
			isWalked := func(v value) bool { return v.has(atom{kind: atomSymbol, text: walkedList}) }
			if u.how != analyze.HowCall || slices.ContainsFunc(u.args.all(), isWalked) {
				p.walksOff(i)
			}
		}
	}
	rest, ok := strings.CutPrefix(name, walkedList)
	switch rest {
	case ".append", ".insert", ".extend":
		if u.how != analyze.HowCall || u.args.splat || len(u.args.named) > 0 {
			p.walksOff(i)
			break
		}
		for _, v := range u.args.positional {
			p.putInWalk(i, v, false)
			p.putInWalk(i, p.elements(v), true)
		}
	case ".__setitem__", ".__iadd__":
		p.walksOff(i)
	case "":
		if fn := p.givenTo(i); ok && u.how == analyze.HowReference && slices.Contains(putting, fn) {
			p.walksOff(i)
		}
	}
	return ok
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
		maybe = maybe || a.number() || a.kind == atomContainer // where it is put, or what is looked into
	}
	if !maybe && v.open() {
		p.walksOff(i)
	}
}

// walksOff notes that a walk goes on where nobody sees.
func (p *python) walksOff(i int) {
	p.mentions = append(p.mentions, mention{"os.walk", analyze.HowCall, analyze.Possible, &arguments{splat: true}, p.span(i), p.scope.path, ""})
}
