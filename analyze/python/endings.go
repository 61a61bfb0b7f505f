package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// endings are the functions that the interpreter calls when an object goes away, at any moment.
func (p *python) endings() []int {
	out := slices.Clone(p.finalizers)
	for _, a := range p.fields["__del__"].atoms {
		if a.kind == atomFunction {
			out = append(out, int(a.n))
		}
	}
	wrapped := p.names("io.TextIOWrapper") // closes what it is given
	for _, c := range p.classes {
		if !wrapped && !p.isBelow(c.scope.owner, closesItself) {
			continue
		}
		for _, k := range p.chain(c.scope.owner) {
			for _, name := range []string{"close", "flush", "closed"} {
				id, ok := p.classes[k].scope.vars[name]
				if !ok {
					continue
				}
				for _, a := range p.vars[id].value.atoms {
					if a.kind == atomFunction && !slices.Contains(out, int(a.n)) {
						out = append(out, int(a.n))
					}
				}
			}
		}
	}
	return out
}

// closesItself tells whether objects of a class of the library close themselves when they go away.
func closesItself(class string) bool {
	switch top, _, _ := strings.Cut(class, "."); top {
	case "io", "gzip", "bz2", "lzma", "tempfile":
		return true
	}
	return false
}

// keptCall is the call of a generator of the program which somebody may keep, in the midst of what
// it does.
type keptCall struct {
	function int
	span     analyze.Span
}

// keepsGenerator notes the call at i of generator n, but where all of it is asked for on the spot, or
// it goes away as soon as somebody has asked.
func (p *python) keepsGenerator(i, n int) {
	t := p.unit.tree
	if p.quiet > 0 || t.Kind(i) != kindCall {
		return
	}
	for at, up := i, t.Parent(i); ; at, up = up, t.Parent(up) {
		switch t.Kind(up) {
		case kindForStatement, kindWithItem, kindAsPattern, kindExpressionStatement, kindYield:
			return
		case kindForInClause:
			if t.Kind(t.Parent(up)) != kindGeneratorExpression { // which somebody may keep, too
				return
			}
			continue
		case kindParenthesizedExpression, kindListSplat, kindArgumentList, kindAwait, kindGeneratorExpression:
			continue
		case kindCall:
			fn := t.Child(up, functionField)
			if fn == at || fn == analyze.NoNode {
				break
			}
			if t.Kind(fn) == kindAttribute && slices.Contains(strings.Fields("join extend update writelines enter_context enter_async_context"), p.identifier(t.Child(fn, attributeField))) {
				return
			}
			switch name := p.symbolAt(fn); {
			case iterates(name):
				continue
			case asksForAll(name) || name == "builtins.next":
				return
			}
		}
		break
	}
	p.keptCalls = append(p.keptCalls, keptCall{n, p.span(i)})
}

// suspends tells whether the program has a generator or coroutine which does more than
// compute when it is let go in the midst of what it does.
func (p *python) suspends(seen looking) bool {
	return slices.ContainsFunc(p.functions, func(f function) bool { return f.generator && !f.wrapped && p.unwinds(f, seen) })
}

// unwinds tells whether generator f does more than compute when it is let go: in what stands
// around a yield and runs then, which is an except or finally clause, or a with statement.
func (p *python) unwinds(f function, seen looking) bool {
	unit, scope := p.unit, p.scope
	p.unit, p.scope = f.unit, f.scope
	defer func() { p.unit, p.scope = unit, scope }()
	t := p.unit.tree
	for i := f.node; i < t.After(f.node); i++ {
		if k := t.Kind(i); k != kindYield && k != kindAwait {
			continue
		}
		if t.Kind(i) == kindYield && p.yieldsFrom(i) && p.holdsOther(f, seen) {
			return true
		}
		for up := t.Parent(i); up != f.node && up != analyze.NoNode; up = t.Parent(up) {
			switch t.Kind(up) {
			case kindWithStatement:
				if p.anyStirs(seen, "__exit__", "__aexit__") || p.holdsOther(f, seen) {
					return true
				}
			case kindForStatement:
				if p.holdsOther(f, seen) {
					return true
				}
			case kindTryStatement:
				for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
					if k := t.Kind(c); (k == kindExceptClause && p.catchesEnd(c) || k == kindFinallyClause) && !p.stillFrom(c, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}

// catchesEnd tells whether the except at i may be for what a generator is let go with.
func (p *python) catchesEnd(i int) bool {
	t := p.unit.tree
	c := t.FirstNamed(i)
	if c == analyze.NoNode || t.Kind(c) == kindBlock || p.names("builtins.GeneratorExit") || p.names("builtins.BaseException") {
		return true
	}
	return false
}

// holdsOther tells whether there is another generator that f may be in the midst of, which unwinds.
func (p *python) holdsOther(f function, seen looking) bool {
	if !seen.generators.listed {
		seen.generators.listed = true
		for n, g := range p.functions {
			if g.generator {
				seen.generators.left = append(seen.generators.left, n)
			}
		}
	}
	for k := 0; k < len(seen.generators.left); {
		n := seen.generators.left[k]
		g := p.functions[n]
		if g.node == f.node && g.unit == f.unit {
			k++
			continue
		}
		seen.generators.left = slices.Delete(seen.generators.left, k, k+1)
		if !seen.functions[n] {
			seen.functions[n] = true
			if p.unwinds(g, seen) {
				return true
			}
			k = 0 // it has looked at others
		}
	}
	return false
}

// stillFrom tells whether all that stands at i, and in it, changes nothing.
func (p *python) stillFrom(i int, seen looking) bool {
	t := p.unit.tree
	for n := i; n < t.After(i); n++ {
		if t.Named(n) && (!p.step(1) || !p.stillNode(n, seen)) {
			return false
		}
	}
	return true
}

// endsBy tells whether objects of a class of the library have a function called when another is gone.
func endsBy(class string) bool {
	switch class {
	case "weakref.ref", "weakref.ReferenceType", "weakref.KeyedRef", "weakref.WeakMethod", "weakref.finalize", "weakref.proxy":
		return true
	}
	return false
}

// finalizes looks at the call at i that has the interpreter call a function when an object is gone.
func (p *python) finalizes(i int, name string, args *arguments) {
	if p.quiet > 0 || !endsBy(name) {
		return
	}
	if !args.splat && len(args.positional) < 2 && len(args.named) == 0 {
		return
	}
	v, _ := args.get(1, "callback")
	p.callsAtEnd(i, v)
	if args.splat {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// callsAtEnd looks at v, given to the call at i, which is called when an object goes away.
func (p *python) callsAtEnd(i int, v value) {
	for _, a := range v.atoms {
		switch {
		case a.kind == atomFunction:
			if !slices.Contains(p.finalizers, int(a.n)) {
				p.finalizers = append(p.finalizers, int(a.n))
			}
		case a.kind == atomNone, a.text == "builtins.print" && p.members["sys.stdout"].nothing():
		default:
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
	if v.open() {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// handlesEnds looks at a method by which a loop of asyncio is told what to do about futures that
// nobody has asked: it does that when they go away.
func (p *python) handlesEnds(i int, name string, args *arguments) {
	if p.quiet == 0 && name == "set_exception_handler" && p.atHand("asyncio") {
		p.callsAtEnd(i, args.arg(0))
	}
}

// keepsWeak looks at the data of a weak dictionary or set that the program puts another in the place
// of: it takes out what has gone away.
func (p *python) keepsWeak(i int, name string) {
	if name == "data" && p.quiet == 0 && (p.names("weakref.WeakKeyDictionary") || p.names("weakref.WeakSet")) {
		t := p.unit.tree
		if t.Kind(i) != kindAttribute || !p.ownSelf(t.Child(i, objectField)) || p.hasBelow(func(class string) bool { return strings.HasPrefix(class, "weakref.") }) {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}
