package python

import (
	"slices"

	"sallyport/analyze"
)

// Who asks isinstance before calling a method knows of what class the object is, wherever it came from: what stands
// below "if isinstance(x, dict)" is done with a dictionary alone, so that x.items() only lists it. What it gives is as
// far away as the object itself.

// ofData are methods of plain data that call nothing they are given and look nothing up by name, each of every
// class of plainData that has it. sort is none of them, because it calls its key, and neither are format and format_map.
var ofData = setOf("items", "keys", "values", "get", "copy", "pop", "popitem", "clear", "count", "index", "append", "insert", "remove", "reverse", "extend", "add", "discard",
	"union", "intersection", "difference", "issubset", "issuperset", "isdisjoint",
	"lower", "upper", "title", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "join", "replace", "startswith", "endswith", "find", "rfind", "isdigit", "isalpha", "isupper",
	"islower", "isspace", "isnumeric", "isidentifier", "capitalize", "casefold", "center", "ljust", "rjust", "zfill", "partition", "rpartition", "removeprefix", "removesuffix", "encode",
	"decode", "hex", "bit_length", "is_integer", "as_integer_ratio", "conjugate",
	"isoformat", "timestamp", "date", "time", "weekday", "isoweekday", "toordinal", "total_seconds", "timetuple", "utcoffset", "as_tuple", "quantize", "limit_denominator")

// plainData are the classes of which they are.
var plainData = setOf("builtins.dict", "builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.str", "builtins.bytes", "builtins.bytearray", "builtins.int",
	"builtins.float", "builtins.complex", "builtins.bool", "datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "decimal.Decimal", "fractions.Fraction", "uuid.UUID")

// ofKnownData tells whether call i is of a method of plain data, of an object that was asked for its class, or of the
// dictionary that vars gives.
func (p *python) ofKnownData(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindCall {
		return false
	}
	called := t.Child(i, functionField)
	if called == analyze.NoNode || t.Kind(called) != kindAttribute {
		return false
	}
	name := p.identifier(t.Child(called, attributeField))
	if !ofData[name] || p.mayHaveOwn(name) {
		return false
	}
	of := t.Child(called, objectField)
	if t.Kind(of) == kindCall {
		return p.isBuiltin(t.Child(of, functionField), "vars") && !p.own["__dict__"]
	}
	return t.Kind(of) == kindIdentifier && p.isGuarded(of)
}

// mayHaveOwn tells whether an object that isinstance says is plain data may have an attribute of its own under a name: of
// its class, which may be far below that of the data, its own (dictionaries of the library have some), or one by which
// it says that it is of another class.
func (p *python) mayHaveOwn(name string) bool {
	return p.own[name] || p.own["__class__"] || slices.Contains(p.fieldsMade, name) || p.answers() || p.putsUnseen || p.mocks()
}

// mocks tells whether the program has what makes objects that pass for others, and puts them in the place of others.
func (p *python) mocks() bool { return p.imported["unittest"] || p.imported["mock"] }

// What is looked at for one call: nodes of what is done where a test holds, and statements at the beginning of a block.
const (
	mostGuarded = 4000
	mostBefore  = 40
)

// isGuarded tells whether what stands around identifier i is done only where isinstance says that it is plain data, and
// nothing is bound to it there. What no other function binds can be looked at so.
func (p *python) isGuarded(i int) bool {
	t, id := p.unit.tree, p.variableAt(i)
	x := p.vars[id]
	if x.shared || x.scope.kind != functionScope && x.scope.kind != comprehensionScope {
		return false
	}
	lasting := p.isParameter(id) // it is the same in functions inside, whenever they run
	for inner, up := i, t.Parent(i); up >= 0; inner, up = up, t.Parent(up) {
		if k := t.Kind(up); k == kindFunctionDefinition || k == kindLambda || k == kindClassDefinition {
			if !lasting || p.functionAt(up) == x.scope.owner {
				return false
			}
			continue
		}
		if t.Kind(up) == kindGeneratorExpression && !lasting && p.unit.scopes[up] != x.scope { // which goes on later
			return false
		}
		if test := testOf(t, up, inner); test != analyze.NoNode && p.saysData(test, id) && !p.bindsIn(test, t.After(test), id) && !p.bindsIn(inner, t.After(inner), id) || p.leftBefore(up, inner, id) {
			return true
		}
	}
	return false
}

// functionAt is the function that node i makes, or -1.
func (p *python) functionAt(i int) int {
	if s := p.unit.scopes[i]; s != nil && s.kind == functionScope {
		return s.owner
	}
	return -1
}

// testOf is what is true where inner is evaluated, a part of up.
func testOf(t *analyze.Tree, up, inner int) int {
	switch t.Kind(up) {
	case kindIfStatement, kindElifClause:
		if t.Field(inner) == consequenceField {
			return t.Child(up, conditionField)
		}
	case kindConditionalExpression:
		if t.FirstNamed(up) == inner {
			return t.NextNamed(inner)
		}
	case kindBooleanOperator:
		if left := t.FirstNamed(up); left != inner && t.Source(t.Next(left)) == "and" {
			return left
		}
	case kindListComprehension, kindSetComprehension, kindDictionaryComprehension, kindGeneratorExpression:
		if t.Field(inner) == bodyField {
			for c := t.NextNamed(inner); c != analyze.NoNode; c = t.NextNamed(c) {
				if t.Kind(c) == kindIfClause && t.NextNamed(c) == analyze.NoNode {
					return t.FirstNamed(c)
				}
			}
		}
	}
	return analyze.NoNode
}

// saysData tells whether test is false where variable id is anything but plain data.
func (p *python) saysData(test, id int) bool {
	t := p.unit.tree
	test = t.Bare(test, kindParenthesizedExpression)
	switch t.Kind(test) {
	case kindBooleanOperator:
		left := t.FirstNamed(test)
		return t.Source(t.Next(left)) == "and" && (p.saysData(left, id) || p.saysData(t.NextNamed(left), id))
	case kindCall:
		if !p.isBuiltin(t.Child(test, functionField), "isinstance") {
			return false
		}
		object := t.FirstNamed(t.Child(test, argumentsField))
		if object == analyze.NoNode || t.Kind(object) != kindIdentifier || p.variableAt(object) != id {
			return false
		}
		class := t.NextNamed(object)
		return class != analyze.NoNode && t.NextNamed(class) == analyze.NoNode && p.isPlainData(class)
	}
	return false
}

// isPlainData tells whether a class of plain data stands at i, or several, in brackets.
func (p *python) isPlainData(i int) bool {
	t := p.unit.tree
	if t.Kind(i) != kindTuple {
		return plainData[p.symbolAt(i)]
	}
	n := t.FirstNamed(i)
	for c := n; c != analyze.NoNode; c = t.NextNamed(c) {
		if !plainData[p.symbolAt(c)] {
			return false
		}
	}
	return n != analyze.NoNode
}

// bindsIn tells whether something between two nodes binds variable id, or may, where there is much between them.
func (p *python) bindsIn(from, to, id int) bool {
	if to-from > mostGuarded {
		return true
	}
	for n := from; n < to; n++ {
		if p.unit.binding[n] && int(p.unit.vars[n]) == id {
			return true
		}
	}
	return false
}

// leftBefore tells whether a statement before inner in block up leaves it where variable id is anything but plain data, and
// nothing is bound to it from there on.
func (p *python) leftBefore(up, inner, id int) bool {
	t := p.unit.tree
	if t.Kind(up) != kindBlock {
		return false
	}
	looked := 0
	for s := t.FirstNamed(up); s != analyze.NoNode && s != inner && looked < mostBefore; s = t.NextNamed(s) {
		looked++
		if t.Kind(s) != kindIfStatement || !endsIn(t, t.Child(s, consequenceField)) {
			continue
		}
		test := t.Bare(t.Child(s, conditionField), kindParenthesizedExpression)
		if t.Kind(test) == kindNotOperator && p.saysData(t.FirstNamed(test), id) && !p.bindsIn(s, t.After(inner), id) {
			return true
		}
	}
	return false
}

// endsIn tells whether block i ends in a statement behind which nothing is done.
func endsIn(t *analyze.Tree, i int) bool {
	last := analyze.NoNode
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		last = c
	}
	return last != analyze.NoNode && slices.Contains([]analyze.Kind{kindReturnStatement, kindRaiseStatement, kindContinueStatement, kindBreakStatement}, t.Kind(last))
}
