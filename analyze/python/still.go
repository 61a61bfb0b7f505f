package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What an object of the program is asked for in the midst of something does no harm where it
// changes nothing: it compares, computes and gives back. Such a method is still. What it asks of
// others counts as its own: properties, functions of the program, and methods behind operators.

// looking holds what has been looked at, or is being.
type looking struct {
	functions map[int]bool
	names     map[string]bool
	ends      bool // an object goes away: what it has may be closed

	generators *generatorsLeft
}

// generatorsLeft are the generators that nobody has looked at, once somebody has listed them.
type generatorsLeft struct {
	listed bool
	left   []int
}

// newLooking begins to look, at what an object has that goes away, if ends says so.
func newLooking(ends bool) looking {
	return looking{functions: map[int]bool{}, names: map[string]bool{}, ends: ends, generators: &generatorsLeft{}}
}

// stirs tells whether a method of that name, of any class of the program, may change something
// while somebody is at work.
func (p *python) stirs(name string) bool {
	return p.mayStir(name, newLooking(false))
}

// mayStir is stirs while something is looked at. Objects below a class of the library ask methods
// of other names for their part.
func (p *python) mayStir(name string, seen looking) bool {
	others := p.kin()
	if p.atHand("ipaddress") { // which compares by them, whatever has them
		others = append(others, "_ip", "_version", "version", "_prefixlen", "network_address", "netmask")
	}
	return p.stirsItself(name, seen) || slices.ContainsFunc(others, func(other string) bool { return p.stirsItself(other, seen) }) ||
		len(seen.functions) > 0 && p.lentStir(seen)
}

// kin are the methods by which objects below classes of the library that the program has compare,
// compute and give themselves back.
func (p *python) kin() (out []string) {
	if p.hasBelow(func(class string) bool { return class == "datetime.tzinfo" }) {
		out = append(out, "utcoffset", "dst", "tzname")
	}
	if p.admits && (p.atHand("numbers") || p.atHand("fractions")) || p.hasBelow(func(class string) bool {
		return strings.HasPrefix(class, "fractions.") || strings.HasPrefix(class, "numbers.")
	}) {
		out = append(out, "numerator", "denominator", "real", "imag", "__int__", "__trunc__")
	}
	return out
}

// lentOperators tells whether an object of a class of the library, where it is compared, computed with
// or asked for an item, asks itself for its methods: its operators are written in Python, or make
// another of its class.
func lentOperators(class string) bool {
	switch top, _, _ := strings.Cut(origin(class), "."); top {
	case "collections", "datetime", "decimal", "enum", "fractions", "ipaddress", "numbers", "pathlib", "queue", "statistics", "string", "types", "uuid":
		return true
	}
	switch class {
	case "builtins.float", "builtins.int", "typing.Mapping", "typing.MutableMapping", "typing.Sequence", "typing.MutableSequence", "typing.AbstractSet", "typing.MutableSet", "typing.Collection":
		return true
	}
	return false
}

// behindOperators are methods that such operators ask for.
func behindOperators() []string {
	return strings.Fields("__init__ __new__ __iter__ __len__ __contains__ __getitem__ __missing__ __copy__ __str__ items keys values get copy update data _from_iterable " +
		"_missing_ _get _qsize parts as_integer_ratio as_tuple numerator denominator real imag utcoffset dst tzname fromutc strftime")
}

// lentStir tells whether one of those methods, of a class of the program below such a class, may
// change something.
func (p *python) lentStir(seen looking) bool {
	for _, c := range p.classes {
		if !p.isBelow(c.scope.owner, lentOperators) {
			continue
		}
		enum := p.isBelow(c.scope.owner, func(class string) bool { return strings.HasPrefix(class, "enum.") })
		for _, name := range behindOperators() {
			id, ok := c.scope.vars[name]
			if !ok || enum && name != "_missing_" { // which makes its objects once
				continue
			}
			for _, a := range p.vars[id].value.atoms {
				if a.kind == atomFunction && !p.still(int(a.n), seen) {
					return true
				}
			}
		}
	}
	return false
}

func (p *python) stirsItself(name string, seen looking) bool {
	if p.asked["cmp_to_key"] && slices.Contains(strings.Fields("__eq__ __ne__ __lt__ __gt__ __le__ __ge__"), name) {
		return true
	}
	if !p.own[name] || seen.names[name] {
		return false
	}
	seen.names[name] = true
	if p.unknownOwn[name] || p.own["__del__"] && !seen.ends || p.fields[name].flags&manyAtoms != 0 {
		return true
	}
	for _, a := range p.fields[name].atoms {
		switch {
		case a.kind == atomFunction && p.still(int(a.n), seen):
		case a.kind == atomSymbol && strings.HasPrefix(a.text, "builtins."), a.kind == atomInstance:
		default:
			return true
		}
	}
	return false
}

// anyStirs is mayStir of several names.
func (p *python) anyStirs(seen looking, names ...string) bool {
	for _, name := range names {
		if p.mayStir(name, seen) {
			return true
		}
	}
	return false
}

// still tells whether function n changes nothing but the names in it and attributes of its object.
func (p *python) still(n int, seen looking) bool {
	const most = 300 // nodes of one function, and functions that ask each other
	f := p.functions[n]
	if seen.functions[n] {
		return true // where it does not, that is found in what looks at it
	}
	seen.functions[n] = true
	t := f.unit.tree
	if len(seen.functions) > most || t.After(f.node)-f.node > most || f.generator || f.async {
		return false
	}
	unit, scope := p.unit, p.scope
	p.unit, p.scope = f.unit, f.scope
	defer func() { p.unit, p.scope = unit, scope }()
	body := t.Child(f.node, bodyField)
	for i := body; i < t.After(body); i++ {
		if t.Named(i) && (!p.step(1) || !p.stillNode(i, seen)) {
			return false
		}
	}
	return true
}

// stillNode looks at one node of a function, but for those below it.
func (p *python) stillNode(i int, seen looking) bool {
	t := p.unit.tree
	if k := t.Kind(i); seen.ends && (k == kindTryStatement || k == kindExceptClause || k == kindFinallyClause || k == kindAsPattern || k == kindAsPatternTarget) {
		return true
	}
	if t.Extra(i) { // a comment, or the end of a line that goes on
		return true
	}
	switch t.Kind(i) {
	case kindBlock, kindExpressionStatement, kindReturnStatement, kindPassStatement, kindElseClause,
		kindParenthesizedExpression, kindTuple, kindList, kindExpressionList, kindPatternList, kindArgumentList, kindKeywordArgument, kindPair, kindDictionary,
		kindIdentifier, kindNone, kindTrue, kindFalse, kindInteger, kindFloat, kindEllipsis, kindType,
		kindString, kindConcatenatedString, kindStringStart, kindStringContent, kindStringEnd, kindEscapeSequence, kindFormatSpecifier, kindFormatExpression:
		return true
	case kindIfStatement, kindElifClause, kindConditionalExpression, kindBooleanOperator, kindNotOperator:
		return !p.anyStirs(seen, "__bool__", "__len__")
	case kindComparisonOperator:
		return !(strings.HasSuffix(t.Source(t.Child(i, operatorsField)), "in") && p.runsWhileListed()) &&
			!p.anyStirs(seen, "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__hash__")
	case kindBinaryOperator, kindUnaryOperator: // % reads items, and | compares them
		return !p.anyStirs(seen, append(arithmetic(), "__getitem__", "__missing__", "__eq__", "__hash__")...)
	case kindSubscript, kindSlice:
		return !p.asked["default_factory"] && !p.anyStirs(seen, "__getitem__", "__missing__", "__class_getitem__", "__index__", "__eq__", "__hash__")
	case kindRaiseStatement:
		return p.stillRaise(i, seen)
	case kindInterpolation:
		return !p.anyStirs(seen, "__str__", "__repr__", "__format__")
	case kindAttribute:
		return p.stillAttribute(i, seen)
	case kindAssignment:
		left := t.Child(i, leftField)
		return left == analyze.NoNode || t.Kind(left) == kindIdentifier && p.vars[p.variableAt(left)].scope == p.scope ||
			t.Kind(left) == kindAttribute && p.ownSelf(t.Child(left, objectField)) && !p.own["__setattr__"] && !p.own["__set__"] && !p.atHand("weakref")
	case kindAugmentedAssignment: // by a number, which changes no list
		left, right := t.Child(i, leftField), t.Child(i, rightField)
		own := t.Kind(left) == kindAttribute && p.ownSelf(t.Child(left, objectField)) && !p.own["__setattr__"] && !p.own["__set__"] && !p.atHand("weakref")
		return t.Kind(right) == kindInteger && (own || t.Kind(left) == kindIdentifier && p.vars[p.variableAt(left)].scope == p.scope) && !p.own["__iadd__"] && !p.own["__isub__"] && p.operatesPlainly(i) && !p.anyStirs(seen, arithmetic()...)
	case kindCall:
		return p.stillCall(i, seen)
	}
	return false
}

// stillRaise tells whether the raise at i makes nothing but an exception that runs nothing. Where an
// object goes away the interpreter shows it, too.
func (p *python) stillRaise(i int, seen looking) bool {
	t := p.unit.tree
	if seen.ends && p.anyStirs(seen, "__str__", "__repr__", "__init__") {
		return false
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindIdentifier && slices.ContainsFunc(p.binding(c).atoms, func(a atom) bool { return a.kind == atomClass }) && p.anyStirs(seen, "__init__", "__new__") {
			return false
		}
	}
	return true
}

// operatesPlainly tells whether the assignment at i adds or takes away.
func (p *python) operatesPlainly(i int) bool {
	op := p.unit.tree.Source(p.unit.tree.Child(i, operatorField))
	return op == "+=" || op == "-="
}

// arithmetic are the methods behind operators.
func arithmetic() []string {
	out := []string{"__trunc__", "__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__", "__index__", "__complex__", "__round__", "__str__", "__repr__", "__format__"}
	for _, name := range strings.Fields("add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or") {
		out = append(out, "__"+name+"__", "__r"+name+"__")
	}
	return out
}

// stillAttribute looks at an attribute that is read: a property or method of the program under
// that name is still, or it is a method of the library that changes nothing.
func (p *python) stillAttribute(i int, seen looking) bool {
	t := p.unit.tree
	name := p.identifier(t.Child(i, attributeField))
	if s := p.scope.class(); seen.ends && (name == "close" || name == "flush") && s != nil && p.ofSuper(t.Child(i, attributeField)) && !p.inherits(s.owner, name) {
		return true // of the library
	}
	if p.own["__getattr__"] || p.own["__getattribute__"] || p.own["__get__"] || p.mayStirField(name, seen) {
		return false
	}
	up := t.Parent(i)
	if t.Kind(up) != kindCall || t.Child(up, functionField) != i {
		return true
	}
	if p.own[name] {
		return !p.unknownOwn[name] && len(p.fields[name].atoms) > 0 && !slices.ContainsFunc(p.fields[name].atoms, func(a atom) bool { return a.kind != atomFunction })
	}
	switch name {
	case "lower", "upper", "strip", "casefold", "startswith", "endswith", "total_seconds", "bit_length":
		return true
	case "debug", "info", "warning", "error":
		return seen.ends && !p.asked["addFilter"] && !p.names("logging.setLogRecordFactory") && !p.hasBelow(func(class string) bool { return strings.HasPrefix(class, "logging.") }) &&
			!p.anyStirs(seen, "__str__", "__repr__")
	case "close":
		return seen.ends && !p.names("contextlib.ExitStack") && !p.names("contextlib.AsyncExitStack") && !p.suspends(seen)
	case "closed", "stop", "cancel", "terminate", "release", "unlink", "shutdown", "cleanup", "write", "default_exception_handler":
		return seen.ends
	case "timedelta":
		return p.symbolAt(i) == "datetime.timedelta"
	case "isoformat", "get", "items", "keys", "values", "__eq__", "__hash__":
		return !p.anyStirs(seen, "__missing__", "__getitem__", "__contains__", "__eq__", "__hash__")
	}
	return false
}

// inherits tells whether class n of the program has a name from another of the program's above it.
func (p *python) inherits(n int, name string) bool {
	return p.classes[n].bases.open() || slices.ContainsFunc(p.chain(n), func(k int) bool {
		_, ok := p.classes[k].scope.vars[name]
		return ok && k != n
	})
}

// names tells whether the program names that of the library.
func (p *python) names(symbol string) bool {
	return slices.ContainsFunc(p.mentions, func(m mention) bool { return m.name == symbol })
}

// mayStirField is mayStir of what need not be a function.
func (p *python) mayStirField(name string, seen looking) bool {
	if p.asked["descriptor"] && slices.ContainsFunc(p.classes, func(c class) bool {
		id, ok := c.scope.vars[name]
		return ok && (p.vars[id].value.open() || slices.ContainsFunc(p.vars[id].value.atoms, func(a atom) bool { return a.kind != atomFunction && !a.constant() }))
	}) {
		return true
	}
	for _, a := range p.fields[name].atoms {
		if a.kind == atomFunction && !p.still(int(a.n), seen) {
			return true
		}
	}
	return false
}

// asksBehind notes the call of what has functions of the program called where a subscript or an
// attribute stands: factories of items, and properties that are no functions which are seen.
func (p *python) asksBehind(name string, args *arguments) {
	if p.quiet > 0 {
		return
	}
	functions := args.arg(0)
	plain := len(functions.atoms) > 0 && !functions.open()
	switch name {
	case "collections.defaultdict", "typing.DefaultDict":
		for _, a := range functions.atoms {
			builtin := a.kind == atomSymbol && strings.HasPrefix(a.text, "builtins.") || a.kind == atomNone
			plain = plain && (builtin || a.kind == atomFunction && p.still(int(a.n), newLooking(false)))
		}
		if !plain && len(args.positional) > 0 || args.splat {
			p.asked["default_factory"] = true
		}
	case "builtins.property", "functools.cached_property", "functools.partialmethod", "functools.singledispatchmethod", "types.DynamicClassAttribute", "enum.property", "abc.abstractproperty":
		if !plain || slices.ContainsFunc(functions.atoms, func(a atom) bool { return a.kind != atomFunction }) || strings.HasPrefix(name, "types.") || strings.HasPrefix(name, "enum.") {
			p.asked["descriptor"] = true
		}
	}
}

// stillCall looks at a call of what has a name: a builtin, or a function of the program.
func (p *python) stillCall(i int, seen looking) bool {
	t := p.unit.tree
	fn := t.Child(i, functionField)
	if fn == analyze.NoNode || t.Kind(fn) != kindIdentifier {
		return fn != analyze.NoNode && t.Kind(fn) == kindAttribute // which is looked at by itself
	}
	v := p.binding(fn)
	for _, a := range v.atoms {
		if a.kind == atomFunction && p.still(int(a.n), seen) {
			continue
		}
		name, builtin := strings.CutPrefix(a.text, "builtins.")
		asks, known := stillBuiltins[name]
		if a.kind != atomSymbol || !(builtin || strings.Contains(name, ".")) || !known || !p.stillArguments(i, name) || asks == lists && p.runsWhileListed() || p.anyStirs(seen, strings.Fields(asks)...) {
			return false
		}
	}
	return len(v.atoms) > 0 && !v.open()
}

// stillArguments tells whether the call at i of a builtin asks nobody but for what it is given:
// type makes no class, print writes to no object of the program, and isinstance looks for no
// attributes.
func (p *python) stillArguments(i int, name string) bool {
	t := p.unit.tree
	list := t.Child(i, argumentsField)
	first := t.FirstNamed(list)
	switch name {
	case "type":
		return first == analyze.NoNode || t.NextNamed(first) == analyze.NoNode
	case "isinstance", "issubclass":
		return !p.names("typing.runtime_checkable")
	case "str": // of bytes, as a codec that asks handlers of errors
		return first == analyze.NoNode || t.NextNamed(first) == analyze.NoNode || !p.names("codecs.register_error")
	case "print":
		for c := first; c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindKeywordArgument && p.identifier(t.Child(c, nameField)) != "end" && p.identifier(t.Child(c, nameField)) != "sep" {
				return false
			}
		}
		return p.members["sys.stdout"].nothing()
	}
	return true
}

// lists are the methods that a builtin asks for which goes through what it is given.
const lists = "__eq__ __lt__ __gt__ __hash__ __bool__"

// stillBuiltins are builtins, with the methods that they ask objects for.
var stillBuiltins = map[string]string{
	"isinstance": "__instancecheck__ __class__", "issubclass": "__subclasscheck__ __subclasshook__", "type": "", "id": "", "super": "", "hash": "__hash__", "len": "__len__", "bool": "__bool__ __len__",
	"str": "__str__ __repr__", "repr": "__repr__", "print": "__str__ __repr__", "format": "__format__ __str__ __repr__", "int": "__int__ __index__ __trunc__", "float": "__float__ __index__",
	"abs": "__abs__", "round": "__round__", "max": lists, "min": lists, "tuple": lists, "frozenset": lists,
	"datetime.timedelta": "__float__ __index__ __mul__ __rmul__ __add__ __radd__", "NotImplementedError": "", "TypeError": "", "ValueError": "", "IndexError": "", "KeyError": "", "AssertionError": "", "StopIteration": "",
}
