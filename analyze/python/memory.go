package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Some parts of the interpreter that are written in C hold memory while they ask an object
// of the program for something, and go on with it although the program has made it smaller,
// let it go or kept it. What they write then lands in whatever is there by now, which may be
// the interpreter's list of hooks. Those parts, and what they ask for, are here: a program has
// one or the other.
func remembered() []remembering {
	number := []string{"__index__", "__float__", "__buffer__"}
	stream := []string{"readinto", "readinto1", "write", "__getattr__", "__getattribute__"}
	equal := []string{"__eq__", "__ne__", "__hash__"}
	return []remembering{
		{module: "array", answers: number, mocked: true},
		{module: "builtins", names: []string{"bytearray", "memoryview"}, answers: number},
		{module: "io", names: []string{"BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}, answers: stream, mocked: true},
		{module: "io", names: []string{"RawIOBase"}, answers: []string{"readinto"}},
		{module: "struct", answers: append(number, "__bool__"), stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: equal, stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: []string{"__getitem__", "__setitem__", "__delitem__", "__missing__", "__contains__"}, stirs: true,
			below: "collections.OrderedDict", asked: "copy"},
		{module: "itertools", names: []string{"groupby"}, answers: equal, stirs: true},
		{module: "zoneinfo", answers: equal, stirs: true},
		{module: "asyncio", answers: append(equal, "call_soon"), stirs: true},
		{module: "xml", answers: append(equal, "__deepcopy__"), stirs: true},
	}
}

// remembering are names of a module, or all of it, of which objects hold memory, and the
// methods by which an object answers them. A mock answers all that it is asked: which
// programs seldom have beside those, mocked says. What programs have beside them as a matter of
// course counts only where it stirs (still.go), or where the program has a class below one and
// reads an attribute under the name that asks.
type remembering struct {
	module  string
	names   []string
	answers []string
	mocked  bool
	stirs   bool
	below   string
	asked   string
}

// answersBy tells whether the program answers those by a method.
func (p *python) answersBy(r remembering, method string) bool {
	if !p.own[method] || r.stirs && !p.stirs(method) || r.asked != "" && !p.asked[r.asked] {
		return false
	}
	return r.below == "" || p.hasBelow(func(class string) bool { return class == r.below })
}

// has tells whether a symbol is, or leads to, one of those.
func (r remembering) has(symbol string) bool {
	module, name, _ := strings.Cut(symbol, ".")
	name, _, _ = strings.Cut(name, ".")
	return module == r.module && (name == "" || r.names == nil || slices.Contains(r.names, name))
}

// overwrites reports where a program uses a part of the library that it may have write to
// memory which is no longer that part's.
func (p *python) overwrites() {
	mocks := slices.ContainsFunc(p.mentions, func(m mention) bool { return strings.HasPrefix(m.name, "unittest.mock") })
	for _, r := range remembered() {
		if !slices.ContainsFunc(p.mentions, func(m mention) bool { return r.has(m.name) }) || !(r.mocked && mocks) && !slices.ContainsFunc(r.answers, func(method string) bool { return p.answersBy(r, method) }) {
			continue
		}
		for _, m := range p.mentions {
			if r.has(m.name) {
				p.Dynamic(analyze.DynamicBytecode, m.span)
			}
		}
	}
	if len(p.stepped) > 0 && p.runsWhileListed() {
		for _, span := range p.stepped {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	if p.stirs("__bool__") || p.stirs("__len__") { // of what is put there
		for _, span := range p.signals {
			p.Dynamic(analyze.DynamicBytecode, span)
		}
	}
}

// runsNothing tells whether what stands at i is a name, or of the library, which runs nothing where it is read.
func (p *python) runsNothing(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.NextNamed(i) != analyze.NoNode || t.Kind(i) != kindAttribute {
		return i != analyze.NoNode && t.Kind(i) == kindIdentifier
	}
	p.quiet++
	a, ok := p.load(i).single()
	p.quiet--
	return ok && a.kind == atomSymbol
}

// listsWhile looks at an assignment to the subscript at i. For every second or further element of
// a list the interpreter measures the list, has the new elements listed, and stores them by what
// it has measured: what lists them may have made the list smaller. Elements that are there, and
// those of builtins that give them at once, do not.
func (p *python) listsWhile(i int, v value) {
	t := p.unit.tree
	step := func(c int) bool { // two colons, and something behind the second
		colons := 0
		for d := c + 1; d < t.After(c); d++ {
			if t.Parent(d) == c && t.Source(d) == ":" {
				colons++
			}
			if t.Parent(d) == c && colons == 2 && t.Named(d) && t.Source(d) != "1" {
				return true
			}
		}
		return false
	}
	steps := false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		steps = steps || t.Kind(c) == kindSlice && step(c)
	}
	up := t.Parent(i)
	if p.quiet > 0 || !steps || t.Kind(up) == kindAugmentedAssignment {
		return
	}
	right := analyze.NoNode
	if t.Kind(up) == kindAssignment && t.Child(up, leftField) == i {
		right = t.Child(up, rightField)
	}
	if right == analyze.NoNode || !p.listed(right, v) {
		p.stepped = append(p.stepped, p.span(i))
	}
}

// listed tells whether what stands at i has its elements, or is no list of any.
func (p *python) listed(i int, v value) bool {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindList, kindTuple, kindExpressionList, kindListComprehension, kindString, kindConcatenatedString, kindInteger, kindFloat, kindTrue, kindFalse, kindNone,
		kindUnaryOperator:
		return true
	case kindBinaryOperator:
		return p.listed(t.Child(i, leftField), v) || p.listed(t.Child(i, rightField), v)
	case kindParenthesizedExpression:
		return p.listed(t.FirstNamed(i), v)
	case kindSubscript:
		return t.Kind(p.lastNamed(i)) == kindSlice
	case kindCall:
		fn := t.Child(i, functionField)
		p.quiet++
		a, ok := p.load(fn).single()
		p.quiet--
		if !ok || a.kind != atomSymbol {
			return false
		}
		switch strings.TrimPrefix(a.text, "builtins.") {
		case "list", "tuple", "sorted", "bytes", "bytearray", "range", "str", "len", "set", "frozenset":
			return true
		}
		return !p.stdlib.of(a.text)
	}
	return false
}

// runsWhileListed tells whether the program has anything that lists its elements one by one, by
// what is written there. It is asked when the rounds are over.
func (p *python) runsWhileListed() bool {
	if p.lists == nil {
		runs := p.own["__iter__"] || p.own["__next__"] || p.own["__getitem__"] || p.own["__len__"] || p.own["__length_hint__"] ||
			slices.ContainsFunc(p.functions, func(f function) bool { return f.generator }) || slices.ContainsFunc(p.units, generates) ||
			slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.name == "builtins.map" || m.name == "builtins.filter" || m.name == "builtins.iter" || strings.HasPrefix(m.name, "itertools.")
			})
		p.lists = &runs
	}
	return *p.lists
}

// generates tells whether there is a generator expression in u.
func generates(u *unit) bool {
	for i := range u.tree.Len() {
		if u.tree.Kind(i) == kindGeneratorExpression {
			return true
		}
	}
	return false
}

// keepsSignals looks at the flags and traps of what may be a context of decimal, read by name at
// i: they are a part of it, and know nothing of its end. Asked on the spot they are as usual.
func (p *python) keepsSignals(i int, name string, v value) {
	if p.quiet > 0 || name != "traps" && name != "flags" || !p.imported["decimal"] || !v.open() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return (a.kind == atomSymbol || a.kind == atomInstance) && strings.HasPrefix(a.text, "decimal")
	}) {
		return
	}
	below := func(class string) bool { return strings.HasPrefix(class, "decimal.") }
	if s := p.scope.class(); s != nil && p.ofSelf(i, name) && !p.isBelow(s.owner, below) {
		return
	}
	t := p.unit.tree
	read := t.Parent(i)
	switch up := t.Parent(read); {
	case t.Kind(read) == kindAttribute && t.Kind(up) == kindSubscript && t.Child(up, valueField) == read && t.Kind(t.Parent(up)) != kindAugmentedAssignment && p.runsNothing(t.NextNamed(read)):
		p.signals = append(p.signals, p.span(i))
	case t.Kind(read) == kindAttribute && t.Kind(up) == kindArgumentList && (p.isBuiltin(t.Child(t.Parent(up), functionField), "print") || p.isBuiltin(t.Child(t.Parent(up), functionField), "dict")):
	default:
		p.dynamicAt(analyze.DynamicBytecode, i)
	}
}
