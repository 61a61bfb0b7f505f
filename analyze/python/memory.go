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
	order := append([]string{"__lt__", "__gt__", "__le__", "__ge__"}, equal...)
	return []remembering{
		{module: "array", answers: number, mocked: true},
		{module: "builtins", names: []string{"bytearray", "memoryview"}, answers: number},
		{module: "io", names: []string{"BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}, answers: stream, mocked: true},
		{module: "io", names: []string{"RawIOBase"}, answers: []string{"readinto"}},
		{module: "struct", answers: append(number, "__bool__"), stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: equal, stirs: true},
		{module: "collections", names: []string{"OrderedDict"}, answers: []string{"__getitem__", "__setitem__", "__delitem__", "__missing__", "__contains__"}, stirs: true,
			below: ".OrderedDict", asked: "copy"},
		{module: "itertools", names: []string{"groupby"}, answers: equal, stirs: true},
		{module: "zoneinfo", answers: equal, stirs: true},
		{module: "asyncio", answers: append(equal, "call_soon"), stirs: true},
		{module: "xml", answers: append(equal, "__deepcopy__"), stirs: true},

		{module: "asyncio", below: "EventLoop", strict: true}, // whatever such a class has
		{module: "collections", names: []string{"OrderedDict"}, answers: equal, stirs: true, shared: true, strict: true},
		{module: "xml", answers: []string{"__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__setstate__", "__copy__"}, stirs: true, strict: true},
		{module: "contextvars", answers: equal, stirs: true, strict: true},
		{module: "collections", names: []string{"deque"}, answers: order, stirs: true, strict: true},
		{module: "builtins", names: []string{"iter"}, answers: equal, stirs: true, given: 2, strict: true},
		{module: "itertools", names: []string{"zip_longest", "chain", "islice"}, answers: []string{"__next__"}, stirs: true, strict: true},
		{module: "itertools", names: []string{"accumulate"}, answers: []string{"__next__", "__add__", "__radd__"}, stirs: true, strict: true},
		{module: "csv", answers: []string{"__next__"}, stirs: true, strict: true},
		{module: "io", names: []string{"TextIOWrapper"}, answers: []string{"write", "read", "read1", "flush", "closed", "detach"}, stirs: true, strict: true},
		{module: "builtins", names: []string{"bytearray"}, answers: []string{"__repr__", "__str__", "__bytes__", "__getitem__", "__missing__", "__float__", "__int__", "__index__"},
			stirs: true, asked: "%", strict: true},
	}
}

// remembering are names of a module, or all of it, of which objects hold memory, and the
// methods by which an object answers them. A mock answers all that it is asked: which
// programs seldom have beside those, mocked says. What programs have beside them as a matter of
// course counts only where it stirs (still.go), or where the program has a class below one and
// reads an attribute under the name that asks. given is with how many arguments a function does
// so. shared says that another thread may change it while a method is at work, whatever that does. What programs might have in earnest is reported so that only strict denies it.
type remembering struct {
	module  string
	names   []string
	answers []string
	mocked  bool
	stirs   bool
	below   string // the end of a name
	asked   string
	given   int
	shared  bool
	strict  bool
}

// answersBy tells whether the program answers those by a method.
func (p *python) answersBy(r remembering, method string) bool {
	if r.asked != "" && !p.asked[r.asked] || r.below != "" && !p.hasBelow(func(class string) bool {
		return strings.HasPrefix(class, r.module+".") && strings.HasSuffix(class, r.below)
	}) {
		return false
	}
	if method == "" {
		return true
	}
	if r.stirs {
		return p.stirs(method) || r.shared && p.own[method] && p.threads()
	}
	return p.own[method] || slices.ContainsFunc(p.kin(), func(name string) bool { return p.own[name] && strings.HasPrefix(method, "__") })
}

// threads tells whether the program may have other threads.
func (p *python) threads() bool {
	return p.asked["run_in_executor"] || slices.ContainsFunc(p.mentions, func(m mention) bool {
		return strings.HasPrefix(m.name, "threading.Thread") || strings.HasPrefix(m.name, "threading.Timer") || strings.HasPrefix(m.name, "concurrent.futures.ThreadPool") || m.name == "asyncio.to_thread"
	})
}

// has tells whether a symbol is, or leads to, one of those.
func (r remembering) has(symbol string) bool {
	module, name, _ := strings.Cut(origin(symbol), ".")
	name, _, _ = strings.Cut(name, ".")
	return module == r.module && (name == "" || r.names == nil || slices.Contains(r.names, name))
}

// origin is the name of what a name of typing makes when it is called, or has below it.
func origin(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "typing.")
	if !ok {
		return symbol
	}
	name, member, _ := strings.Cut(rest, ".")
	switch name {
	case "OrderedDict", "Counter", "ChainMap":
	case "Deque", "DefaultDict":
		name = strings.ToLower(name)
	default:
		return symbol
	}
	return strings.TrimSuffix("collections."+name+"."+member, ".")
}

// isAt tells whether one of those is mentioned there, as one that asks.
func (r remembering) isAt(m mention) bool {
	return r.has(m.name) && (r.given == 0 || m.how != analyze.HowCall || m.args == nil || m.args.splat || len(m.args.positional) == r.given)
}

// overwrites reports where a program uses a part of the library that it may have write to
// memory which is no longer that part's.
func (p *python) overwrites() {
	mocks := slices.ContainsFunc(p.mentions, func(m mention) bool { return strings.HasPrefix(m.name, "unittest.mock") })
	for _, r := range remembered() {
		if r.answers == nil {
			r.answers = []string{""}
		}
		if !slices.ContainsFunc(p.mentions, r.isAt) || !(r.mocked && mocks) && !slices.ContainsFunc(r.answers, func(method string) bool { return p.answersBy(r, method) }) {
			continue
		}
		kind := analyze.DynamicBytecode
		if r.strict {
			kind = analyze.DynamicAttribute
		}
		for _, m := range p.mentions {
			if r.isAt(m) {
				p.Dynamic(kind, m.span)
			}
		}
	}
	p.givesAgain()
	if len(p.stepped) > 0 && p.runsWhileListed() {
		for _, span := range p.stepped {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	if p.asksForItems() {
		for _, span := range p.iterators {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	if p.codecErrors() {
		for _, span := range p.places {
			p.Dynamic(analyze.DynamicAttribute, span)
		}
	}
	for _, n := range p.endings() {
		if !p.still(n, looking{functions: map[int]bool{}, names: map[string]bool{}, ends: true}) {
			p.Dynamic(analyze.DynamicAttribute, p.functions[n].unit.tree.Span(p.functions[n].node))
		}
	}
	for _, c := range p.keptCalls {
		if f := p.functions[c.function]; f.generator && p.unwinds(f, looking{functions: map[int]bool{}, names: map[string]bool{}, ends: true}) {
			p.Dynamic(analyze.DynamicAttribute, c.span)
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

// hasStep tells whether the slice at c has two colons, and something behind the second.
func hasStep(t *analyze.Tree, c int) bool {
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

// listsWhile looks at an assignment to the subscript at i. For every second or further element of
// a list the interpreter measures the list, has the new elements listed, and stores them by what
// it has measured: what lists them may have made the list smaller. Elements that are there, and
// those of builtins that give them at once, do not.
func (p *python) listsWhile(i int, v value) {
	t := p.unit.tree
	steps, elements := false, false
	for c := t.NextNamed(t.FirstNamed(i)); c != analyze.NoNode; c = t.NextNamed(c) {
		slice := t.Kind(c) == kindSlice
		steps = steps || slice && hasStep(t, c) || !slice && p.maybeSlice(c)
		elements = elements || slice && p.atHand("xml")
	}
	up := t.Parent(i)
	if p.quiet > 0 || !steps && !elements {
		return
	}
	right := analyze.NoNode
	if k := t.Kind(up); (k == kindAssignment || k == kindAugmentedAssignment) && t.Child(up, leftField) == i {
		right = t.Child(up, rightField)
	}
	if t.Kind(up) == kindAugmentedAssignment && !p.operates() {
		return // a list is added to as a whole
	}
	if right == analyze.NoNode || !p.listed(right, v) {
		p.stepped = append(p.stepped, p.span(i))
	}
}

// operates tells whether the program has objects that say what an operator makes of them.
func (p *python) operates() bool {
	return p.own["__getitem__"] || slices.ContainsFunc(strings.Fields("add sub mul matmul truediv floordiv mod pow lshift rshift and xor or"), func(name string) bool {
		return p.own["__"+name+"__"] || p.own["__r"+name+"__"] || p.own["__i"+name+"__"]
	})
}

// maybeSlice tells whether the key at i may be a slice with a step: the program makes one, or is
// given one by a subscript of an object of its own.
func (p *python) maybeSlice(i int) bool {
	t := p.unit.tree
	if !p.slicesSteps() {
		return false
	}
	switch t.Kind(i) {
	case kindInteger, kindString, kindConcatenatedString, kindTuple, kindFloat, kindInterpolation, kindTrue, kindFalse, kindComparisonOperator:
		return false
	case kindBinaryOperator, kindUnaryOperator:
		return p.operates()
	}
	p.quiet++
	v := p.load(i)
	p.quiet--
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.constant() && a.kind != atomContainer })
}

// slicesSteps tells whether there may be slices with a step that do not stand in brackets.
func (p *python) slicesSteps() bool {
	return p.asked["slice"] || p.asked["::"] && (p.own["__getitem__"] || p.own["__setitem__"] || p.own["__delitem__"] || p.own["__missing__"])
}

// stepsBy tells whether what stands at i makes slices with a step. Asked whether something is a
// slice it does not.
func (p *python) stepsBy(i int, u usage) bool {
	t := p.unit.tree
	if u.how == analyze.HowCall {
		return u.args == nil || u.args.splat || len(u.args.positional) == 3 && !u.args.positional[2].has(atom{kind: atomNone})
	}
	up := t.Parent(i)
	for t.Kind(up) == kindTuple {
		up = t.Parent(up)
	}
	return t.Kind(up) != kindComparisonOperator && t.Kind(up) != kindType && !(t.Kind(up) == kindArgumentList && p.isBuiltin(t.Child(t.Parent(up), functionField), "isinstance"))
}

// keepsMeasure looks at an attribute of that name which is assigned at i: objects that
// cmp_to_key makes hold what they compare under it, and times and files are measured by it.
func (p *python) keepsMeasure(i int, name string) {
	own := p.unit.tree.Kind(i) == kindAttribute && p.ownSelf(p.unit.tree.Child(i, objectField))
	if !own && (name == "obj" && p.asked["cmp_to_key"] || name == "n_fields" || name == "n_sequence_fields" || name == "n_unnamed_fields") {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// setsItems notes a method, or a function of operator, at i that assigns to what is given to it.
func (p *python) setsItems(i int) {
	if p.quiet == 0 && p.slicesSteps() {
		p.stepped = append(p.stepped, p.span(i))
	}
}

// keepsIterator looks at the call at i of what goes through elements one by one. Where somebody
// else may have it, an object can have it go on while it is asked for the next.
func (p *python) keepsIterator(i int, name string) {
	if p.quiet > 0 || !iterates(name) {
		return
	}
	t := p.unit.tree
	for up := t.Parent(i); ; i, up = up, t.Parent(up) {
		switch t.Kind(up) {
		case kindForStatement, kindForInClause:
			return
		case kindArgumentList, kindParenthesizedExpression, kindListSplat:
			continue
		case kindCall:
			if t.Child(up, argumentsField) != i {
				break
			}
			p.quiet++
			a, ok := p.load(t.Child(up, functionField)).single()
			p.quiet--
			switch {
			case !ok || a.kind != atomSymbol:
			case iterates(a.text):
				continue
			case slices.Contains(strings.Fields("list tuple set frozenset dict sum max min any all sorted bytes bytearray"), strings.TrimPrefix(a.text, "builtins.")):
				return
			}
		}
		break
	}
	p.iterators = append(p.iterators, p.span(i))
}

func iterates(name string) bool {
	switch name {
	case "builtins.iter", "builtins.zip", "builtins.map", "builtins.filter", "builtins.enumerate", "builtins.reversed":
		return true
	}
	return strings.HasPrefix(name, "itertools.")
}

// asksForItems tells whether the program has objects that the interpreter goes through by asking
// for one item after the other, and which do something else then.
func (p *python) asksForItems() bool {
	inBody := false
	for n, c := range p.classes {
		if _, ok := c.scope.vars["__getitem__"]; !ok {
			continue
		}
		inBody = true
		if !p.has(n, "__iter__") && !p.isBelow(n, goesThrough) && p.stirs("__getitem__") {
			return true
		}
	}
	return !inBody && p.stirs("__getitem__")
}

// goesThrough tells whether a class of the library says itself how one goes through its objects.
func goesThrough(class string) bool {
	class = origin(class)
	switch class[strings.LastIndexByte(class, '.')+1:] {
	case "list", "tuple", "dict", "str", "set", "frozenset", "bytes", "bytearray", "OrderedDict", "defaultdict", "deque", "Counter", "ChainMap", "UserDict", "UserList", "UserString",
		"Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "MutableSet", "Iterable", "Iterator", "Collection", "Reversible", "NamedTuple", "TypedDict":
		return true
	}
	return false
}

// keepsPlace looks at what is put into the places of an error of a codec, which it reads memory
// by: numbers that stand there, from 0 on, do no harm.
func (p *python) keepsPlace(i int, object value, name string, v value) {
	t := p.unit.tree
	if p.quiet > 0 || name != "start" && name != "end" && !(name == "args" && p.atHand("copy")) || p.placed(v) || len(object.atoms) > 0 && !object.open() && !slices.ContainsFunc(object.atoms, func(a atom) bool { return a.kind != atomClass && a.kind != atomContainer }) {
		return
	}
	if t.Kind(i) == kindAttribute && p.ownSelf(t.Child(i, objectField)) && !p.hasBelow(ofCodec) {
		return
	}
	p.places = append(p.places, p.span(i))
}

func (p *python) placed(v value) bool {
	a, ok := v.single()
	return ok && a.kind == atomInt && a.n >= 0
}

func ofCodec(class string) bool {
	return class == "builtins.UnicodeDecodeError" || class == "builtins.UnicodeEncodeError" || class == "builtins.UnicodeTranslateError"
}

// makesPlaces is keepsPlace of the call at i that makes such an error.
func (p *python) makesPlaces(i int, name string, args *arguments) {
	if p.quiet > 0 || !ofCodec(name) {
		return
	}
	first := 2
	if name == "builtins.UnicodeTranslateError" {
		first = 1
	}
	if args.splat || len(args.positional) < first+2 || !p.placed(args.positional[first]) || !p.placed(args.positional[first+1]) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// makesPlacesUnseen is makesPlaces of the class of an object, which may be such an error.
func (p *python) makesPlacesUnseen(i int, args *arguments) {
	t := p.unit.tree
	if p.quiet > 0 || t.Kind(i) != kindCall || !args.splat && len(args.positional) < 4 || !p.names("builtins.type") {
		return
	}
	placed := !args.splat && p.placed(args.positional[1]) && p.placed(args.positional[2]) && (len(args.positional) == 4 || p.placed(args.positional[3]))
	if !placed && p.ofAskedClass(t.Child(i, functionField)) {
		p.places = append(p.places, p.span(i))
	}
}

// ofAskedClass tells whether what stands at i is a call of type, or a name that one is given to.
func (p *python) ofAskedClass(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) == kindCall {
		return i != analyze.NoNode && p.isBuiltin(t.Child(i, functionField), "type")
	}
	return p.assigned(i, func(right int) bool { return t.Kind(right) == kindCall && p.ofAskedClass(right) })
}

// makesOwn tells whether what stands at i makes an object of a class of the program, or is a name
// that one is given to.
func (p *python) makesOwn(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindCall {
		return i != analyze.NoNode && p.assigned(i, func(right int) bool { return t.Kind(right) == kindCall && p.makesOwn(right) })
	}
	p.quiet++
	v := p.load(t.Child(i, functionField))
	p.quiet--
	return slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind == atomClass })
}

// assigned tells whether the name at i is assigned, in this text, something that is looked for.
func (p *python) assigned(i int, one func(right int) bool) bool {
	t := p.unit.tree
	if t.Kind(i) != kindIdentifier {
		return false
	}
	if p.unit.assigned == nil {
		p.unit.assigned = map[string][]int{}
		for n := range t.Len() {
			if t.Kind(n) != kindAssignment {
				continue
			}
			if left, right := t.Child(n, leftField), t.Child(n, rightField); right != analyze.NoNode && t.Kind(left) == kindIdentifier {
				name := identifierText(t.Source(left))
				p.unit.assigned[name] = append(p.unit.assigned[name], right)
			}
		}
	}
	return slices.ContainsFunc(p.unit.assigned[identifierText(t.Source(i))], one)
}

// codecErrors tells whether the program may have such an error in hand.
func (p *python) codecErrors() bool {
	return p.names("codecs.register_error") || slices.ContainsFunc(p.mentions, func(m mention) bool { return ofCodec(m.name) || m.name == "builtins.UnicodeError" }) ||
		p.asked["as"] && (p.asked["decode"] || p.asked["encode"] || p.names("builtins.str") || p.names("builtins.bytes") || p.names("builtins.bytearray") || p.atHand("codecs"))
}

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
			if t.Kind(fn) == kindAttribute && slices.Contains(strings.Fields("join extend update writelines enter_context enter_async_context"), t.Source(t.Child(fn, attributeField))) {
				return
			}
			p.quiet++
			a, ok := p.load(fn).single()
			p.quiet--
			switch {
			case !ok || a.kind != atomSymbol:
			case iterates(a.text):
				continue
			case slices.Contains(strings.Fields("list tuple set frozenset dict sum max min any all sorted bytes bytearray next"), strings.TrimPrefix(a.text, "builtins.")):
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
		if t.Kind(i) == kindYield && strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(t.Source(i), "yield")), "from") && p.holdsOther(f, seen) {
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
	for n, g := range p.functions {
		if g.generator && (g.node != f.node || g.unit != f.unit) && !seen.functions[n] {
			seen.functions[n] = true
			if p.unwinds(g, seen) {
				return true
			}
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

// redirectsOnce tells whether the call at i, which puts another stream in the place of one, is all
// that a with statement does: then the one that was there is there again, and somebody has it.
func (p *python) redirectsOnce(i int) bool {
	t := p.unit.tree
	fn := t.Child(i, functionField)
	if t.Kind(i) == kindDecorator {
		fn = t.FirstNamed(i)
	}
	if fn != analyze.NoNode {
		p.quiet++
		v := p.load(fn)
		p.quiet--
		_, one := v.single()
		if !one && !slices.ContainsFunc(v.atoms, func(a atom) bool { return strings.HasPrefix(a.text, "contextlib.redirect_") }) || t.Kind(fn) == kindAttribute && p.ofSuper(t.Child(fn, attributeField)) {
			return true // of a class of the program, where that is called by its name
		}
	}
	up := t.Parent(i)
	if t.Kind(up) == kindAsPattern {
		up = t.Parent(up)
	}
	if t.Kind(up) != kindWithItem || p.scope.kind != functionScope {
		return t.Kind(up) == kindWithItem
	}
	name := t.Child(p.functions[p.scope.owner].node, nameField)
	return name == analyze.NoNode || !strings.HasPrefix(t.Source(name), "__") || slices.Contains([]string{"__init__", "__call__", "__enter__"}, t.Source(name))
}

// listed tells whether what stands at i has its elements, or is no list of any.
func (p *python) listed(i int, v value) bool {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindList, kindTuple, kindExpressionList, kindListComprehension, kindString, kindConcatenatedString, kindInteger, kindFloat, kindTrue, kindFalse, kindNone,
		kindUnaryOperator:
		return true
	case kindBinaryOperator:
		return !p.operates() && p.listed(t.Child(i, leftField), v) || !p.operates() && p.listed(t.Child(i, rightField), v)
	case kindParenthesizedExpression:
		return p.listed(t.FirstNamed(i), v)
	case kindSubscript:
		return t.Kind(p.lastNamed(i)) == kindSlice && !p.own["__getitem__"]
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
		runs := p.own["__iter__"] || p.own["__next__"] || p.own["__getitem__"] || p.own["__len__"] || p.own["__length_hint__"] || p.own["__del__"] || p.atHand("weakref") ||
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
