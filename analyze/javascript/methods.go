package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// builtinMethod calls a method of a built-in class, known by its name alone
// when the receiver is not known. It is false for other names.
func (j *javascript) builtinMethod(c callee, a arguments, i int) (value, bool) {
	var out, others, stored value
	if slices.ContainsFunc(c.receiver, func(v atom) bool { return v.kind != atomObject }) {
		stored = j.stored(c.key)
	}
	done := len(c.receiver) > 0
	for k, v := range c.receiver {
		switch {
		case v == tableAtom && len(c.receiver) > 1: // which has few methods, that give no more than this
			switch c.key {
			case "valueOf":
				out = j.join(out, one(v))
			case "toLocaleString", "toString":
				out = j.join(out, ofKind(atomAnyString))
			}
		case v.kind != atomObject && len(stored) > 0: // also a string or number may be an object that the program has changed
			if from := k - len(others); others.same(c.receiver[from:k]) { // one after the other, as most are
				others = c.receiver[from : k+1]
			} else {
				others = append(slices.Clip(others), v)
			}
		default:
			s, ok := j.methodOfKind(v, c, a, i)
			if !ok {
				done = false
				continue
			}
			if v.kind == atomObject && j.mayBeAnother(v.obj, c.key) {
				j.escapeArgs(a, i)
				s = j.join(s, anything())
			}
			out = j.join(out, s)
		}
	}
	if len(others) > 0 {
		out = j.join(out, j.join(j.methodStored(stored, others, c, a, i), anything()))
	}
	if done {
		return out, true
	}
	s, ok := j.methodOfUnknown(c, a, i)
	if !ok {
		return nil, false
	}
	return j.join(out, s), true
}

// methodBeside calls the method that a value has when what is stored under the name
// is of another object.
func (j *javascript) methodBeside(v atom, c callee, a arguments, i int) value {
	if s, ok := j.methodOfKind(v, c, a, i); ok {
		return s
	}
	if s, ok := j.methodOfUnknown(c, a, i); ok {
		return s
	}
	j.escapeArgs(a, i)
	return nil
}

// storing is a call of what the program has stored under the name of a method.
type storing struct {
	key              string
	stored, receiver value
	args             arguments
}

// given is what calling something gave.
type given struct {
	by atom
	is value
}

// methodStored calls what the program has stored under the name of a method.
// That may be the very method, or one of the same name that asks for what is
// stored again: then it is the language's own, and what it is given escapes. So it is
// where that goes on from one name to the next, of which there may be very many ways.
func (j *javascript) methodStored(stored, receiver value, c callee, a arguments, i int) value {
	var out value
	if j.isStoring(c.key) || len(j.storing) > 1 {
		j.askedAgain(stored, c.key, a, i)
		for _, v := range receiver {
			s, _ := j.methodOfKind(v, c, a, i)
			out = j.join(out, s)
		}
		return out
	}
	for _, v := range receiver {
		out = j.join(out, j.methodBeside(v, c, a, i))
	}
	if len(j.storing) == 0 {
		j.gave = j.gave[:0]
	} else if around := j.storing[0]; a.same(around.args) && slices.Equal(receiver, around.receiver) && subset(stored, around.stored) {
		for _, v := range stored { // which is called where that began
			if v.kind == atomNative {
				j.askedAgain(j.stored(v.text), v.text, a, j.here)
			}
		}
		return out
	}
	j.storing = append(j.storing, storing{c.key, stored, receiver, a})
	c = callee{node: j.here, functions: stored, receiver: receiver, member: true}
	a.at = j.here
	for _, v := range stored {
		out = j.join(out, j.callStored(v, c, a))
	}
	j.storing = j.storing[:len(j.storing)-1]
	return out
}

// isStoring tells whether what is stored under a name is being called.
func (j *javascript) isStoring(key string) bool {
	return slices.ContainsFunc(j.storing, func(s storing) bool { return s.key == key })
}

// askedAgain is a call, by a name, of what is stored under it, where that is not followed: what nobody has called yet
// escapes, and what it is given.
func (j *javascript) askedAgain(stored value, key string, a arguments, i int) {
	if !j.isStoring(key) {
		j.escape(stored, i)
	}
	j.escapeArgs(a, i)
}

// callStored calls something that is stored. Many names lead to what is stored under keys that are not known: it is
// called of the same, with the same, once.
func (j *javascript) callStored(v atom, c callee, a arguments) value {
	again := v.asksNothing() && (v != tableAtom || len(c.functions.functions()) == 0)
	if around := j.storing[0]; !again || !slices.Equal(c.receiver, around.receiver) || !a.same(around.args) {
		return j.invokeOne(v, c, a)
	}
	for _, g := range j.gave {
		if g.by == v {
			return g.is
		}
	}
	s := j.invokeOne(v, c, a)
	j.gave = append(j.gave, given{v, s})
	return s
}

// asksNothing is true for what does not ask for what is stored under a name when it is called.
func (v atom) asksNothing() bool {
	switch v.kind {
	case atomUnknown, atomComputed, atomConstructor:
		return true
	}
	return v.kind == atomObject && v.obj.code != nil && v.obj.bound == nil || v.uncallable()
}

// methodOfKind calls a method that the language itself gives to a value.
func (j *javascript) methodOfKind(v atom, c callee, a arguments, i int) (value, bool) {
	switch v.kind {
	case atomString, atomAnyString:
		for s := range a.all {
			if c.receiver.strings() {
				j.convertsAll(s)
			}
		}
		if c.key == "replace" || c.key == "replaceAll" {
			j.givenToCall(a.get(1), i)
			for _, f := range a.get(1) {
				if f.kind == atomSymbol || f.kind == atomObject {
					j.replacer(one(f), v, a.at)
				}
			}
		}
		matched := j.matched(v, c.key, a)
		if v.kind == atomString && len(matched) == 0 {
			if s, ok := j.foldString(v.text, c.key, a, i); ok {
				return s, true
			}
		}
		s, ok := stringMethod(c.key)
		return j.join(s, matched), ok || len(matched) > 0
	case atomNumber:
		return foldNumber(v.num, c.key, a)
	case atomBytes:
		s, ok := foldBytes(v.text, c.key, a)
		if ok && j.written {
			s = j.join(s, ofKind(atomAnyString))
		}
		return s, ok
	case atomObject:
		j.reads(&v.obj.readBy)
		if v.obj.callable() {
			return ofKind(atomAnyString), c.key == "toString"
		}
		if v.obj.iterator && (c.key == "next" || c.key == "return" || c.key == "throw") {
			j.escapeArgs(a, i)
			r := j.objectFor(i, 8)
			r.mutable = true
			j.grow(&r.readBy, r.prop("value"), j.join(v.obj.rest, ofKind(atomUndefined)))
			j.grow(&r.readBy, r.prop("done"), j.join(trueValue, falseValue))
			if c.key == "return" {
				j.grow(&r.readBy, r.prop("value"), j.join(a.get(0), anything()))
			}
			if v.obj.promises {
				return j.join(objectValue(r), anything()), true
			}
			return objectValue(r), true
		}
		if v.obj.collection {
			if s, ok := j.methodOfCollection(v.obj, c, a, i); ok {
				return s, true
			}
		}
		if v.obj.array {
			return j.methodOfArray(v.obj, c, a, i)
		}
	}
	return nil, false
}

// replacer calls what replace is given for what it finds: with the text that was found,
// what its groups hold, as many as there are, where it stood, and the whole text.
func (j *javascript) replacer(functions value, v atom, at int) {
	found := j.join(one(v), ofKind(atomAnyString))
	a := arguments{positional: []value{found, found}, splat: true, rest: j.join(found, anything()), at: at}
	for _, f := range functions {
		j.applyValue(f, callee{node: at, functions: one(f)}, a, at)
	}
}

// matched is what the methods of strings return that ask their argument to do the
// work, by Symbol.search and its like.
func (j *javascript) matched(v atom, key string, a arguments) value {
	switch key {
	case "search", "replace", "replaceAll", "split", "match", "matchAll":
	default:
		return nil
	}
	symbol := symbolPrefix + strings.TrimSuffix(key, "All")
	if key == "matchAll" {
		symbol = symbolPrefix + "matchAll"
	}
	var out value
	for _, m := range a.get(0) {
		switch {
		case m.kind == atomObject:
			j.converts(m)
			if f := j.own(m.obj, symbol); len(f) > 0 {
				out = j.join(out, j.invoke(f, one(m), one(v), a.get(1)))
			}
			if exec := j.join(j.own(m.obj, "exec"), j.own(m.obj, getPrefix+"exec")); len(exec) > 0 { // regular expressions ask for it
				j.escape(exec, a.at)
				out = j.join(out, anything())
			}
			if m.obj.escaped || len(m.obj.rest) > 0 {
				loose := j.looseFunctions(m.obj)
				out = j.join(j.join(out, anything()), j.gives(loose))
				if len(loose) > 0 && a.has(1) {
					out = j.join(out, j.invoke(loose, one(m), one(v), a.get(1)))
				}
			}
			if key == "matchAll" || key == "split" {
				j.matchesWith(m.obj, a.at)
			}
			out = j.join(out, j.builtBy(m.obj, a.at))
		case m.kind == atomUnknown || m.kind == atomComputed || m.kind == atomBytes:
			out = j.join(out, anything())
		}
	}
	return out
}

// matchesWith says that regular expressions which match again and again do so by another one, made with their class: that
// of the program may give anything in its place, of which members are set and exec is called.
func (j *javascript) matchesWith(o *object, at int) {
	if o.instanceOf == nil {
		return
	}
	made := j.instanceOf(o.instanceOf)
	for _, r := range j.construct(objectValue(o.instanceOf)[0], arguments{at: at, splat: true, rest: anything()}, at) {
		if r.kind != atomObject || r.obj != made {
			j.escape(one(r), at)
		}
	}
}

// builtBy says that what an object, or its class, has under a key that is not known may be what
// makes another of it: that is asked in its place, and what it gives comes back.
func (j *javascript) builtBy(o *object, at int) value {
	from := []*object{o}
	if o.instanceOf != nil {
		from = append(from, o.instanceOf)
	}
	var out value
	for _, o := range from {
		line, _ := j.lineage(o)
		for _, o := range line {
			if len(o.rest) > 0 && !o.array {
				j.escape(o.rest, at)
				out = anything()
			}
		}
	}
	return out
}

// stringMethod is what a method of an unknown string returns.
func stringMethod(key string) (value, bool) {
	switch key {
	case "at":
		return value{{kind: atomAnyString}, {kind: atomUndefined}}, true
	case "charAt", "concat", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "substr", "substring",
		"toLowerCase", "toUpperCase", "toString", "trim", "trimEnd", "trimStart", "toLocaleLowerCase", "toLocaleUpperCase", "valueOf":
		return ofKind(atomAnyString), true
	case "codePointAt":
		return value{{kind: atomAnyNumber}, {kind: atomUndefined}}, true
	case "charCodeAt", "indexOf", "lastIndexOf", "search", "localeCompare":
		return ofKind(atomAnyNumber), true
	}
	return nil, false
}

// methodOfUnknown calls a method whose receiver is not known, for what it may
// do to its arguments.
func (j *javascript) methodOfUnknown(c callee, a arguments, i int) (value, bool) {
	switch c.key {
	case "listeners", "rawListeners":
		return j.listeners("", c, a, i)
	case "after", "afterEach", "before", "beforeEach", "test":
		if j.contexts || c.receiver.has(contextAtom) {
			j.testsWith(a, i)
		}
	case "method", "getter", "setter":
		if j.tests && len(a.positional) > 1 {
			return j.mocked("", c, a, i)
		}
	case "connect":
		if (j.standard || c.receiver.has(streamAtom)) && j.emit {
			j.mention(connectOfStream, i, analyze.HowCall, false, a.facts(), a.splat, a.named()...)
		}
	case "then", "catch", "finally":
		s := j.join(c.receiver, anything())
		for n := range a.positional {
			s = j.join(s, j.settles(c, a.get(n), n > 0, i))
		}
		if a.splat {
			s = j.join(s, j.join(j.settles(c, a.rest, false, i), j.settles(c, a.rest, true, i)))
		}
		j.builtPromise(c.receiver, s, i)
		return s, true
	}
	return nil, false
}

// settles calls what a promise is given for the time when it is settled: with what it comes to, with a reason that
// nobody knows, or with nothing.
func (j *javascript) settles(c callee, functions value, rejected bool, i int) value {
	switch {
	case c.key == "finally":
		return j.callback(functions, i)
	case rejected || c.key == "catch":
		return j.callback(functions, i, j.join(c.receiver, anything()))
	}
	return j.callback(functions, i, c.receiver)
}

// builtPromise says that what a callback returned goes to what makes another promise, where the
// program has put that under a key which is not known.
func (j *javascript) builtPromise(promises, s value, at int) {
	for _, v := range promises {
		if v.kind == atomObject && v.obj.instanceOf != nil && len(j.builtBy(v.obj, at)) > 0 {
			j.escape(s, at)
		}
	}
	p := j.place(anyKey)
	j.reads(&p.readBy)
	if p.values.any(atomObject) {
		j.escape(s, at)
	}
}

// callback calls functions as built-in methods call theirs.
func (j *javascript) callback(functions value, at int, args ...value) value {
	return j.callbackWith(functions, at, arguments{positional: args})
}

// callbackWith is callback with arguments that may not be told apart.
func (j *javascript) callbackWith(functions value, at int, a arguments) value {
	return j.callbackOf(functions, nil, at, a)
}

// callbackOf is callbackWith, where functions are called of a receiver.
func (j *javascript) callbackOf(functions, receiver value, at int, a arguments) value {
	old := j.here
	j.here = at
	s := j.invokeWith(functions, receiver, a)
	j.here = old
	return s
}

// receives gives callbacks the receiver that was passed beside them.
func (j *javascript) receives(functions, this value, i int) {
	if len(this) == 0 {
		return
	}
	for _, f := range functions {
		if f.kind == atomComputed && f.text == ofStream && mayBeStream(this) {
			j.connects(i)
		}
		if f.kind == atomObject && f.obj.code != nil {
			j.grow(&f.obj.code.given, &f.obj.code.this, this)
		} else {
			j.escape(this, i)
		}
		if f.kind == atomSymbol && makesByThis(f.text) {
			j.makesByAny(this, i)
		}
	}
}

// each calls the callback of an array method with every element, and with the
// receiver that may follow it.
func (j *javascript) each(o *object, a arguments, i int) value {
	j.receives(a.get(0), a.get(1), i)
	given := arguments{positional: []value{j.all(o), ofKind(atomAnyNumber), j.listOf(o)}}
	if o.array && !o.iterator && len(o.noList) == 0 && !a.splat && a.surely(1) { // a list of the language calls it of that
		return j.callbackOf(a.get(0), a.get(1), i, given)
	}
	return j.callbackWith(a.get(0), i, given)
}

// listOf is the list that a callback gets behind an element. The methods of an iterator, which stands for a list
// here, have none to give.
func (j *javascript) listOf(o *object) value { return j.join(objectValue(o), o.noList) }

// andSo says of what a method of o gave that it is an iterator where o is one.
func (j *javascript) andSo(o *object, s value) value {
	if len(o.noList) > 0 {
		return j.iterates(s)
	}
	return s
}

// iterates says that what a method gave is an iterator.
func (j *javascript) iterates(s value) value {
	for _, v := range s {
		if v.kind == atomObject {
			j.grow(&v.obj.readBy, &v.obj.noList, ofKind(atomUndefined))
		}
	}
	return s
}

// all returns everything that an array holds.
func (j *javascript) all(o *object) value {
	return j.elements(objectValue(o), o.node)
}

func (j *javascript) methodOfArray(o *object, c callee, a arguments, i int) (value, bool) {
	switch c.key {
	case "unshift", "splice", "shift", "sort", "reverse", "copyWithin":
		if moves := c.key != "sort" && c.key != "reverse"; moves || !j.temporary(o, c) { // of which those two give another
			j.grow(&o.readBy, &o.rest, j.all(o)) // what was at one place is at another now
		}
	}
	switch c.key {
	case "pop", "shift", "splice":
		j.shrinks(o)
	}
	switch c.key {
	case "push", "unshift", "fill", "splice", "shift", "sort", "reverse", "copyWithin":
		if set := j.setters(o, "", false); len(set) > 0 {
			j.escapeArgs(a, i)
			j.invoke(set, objectValue(o), j.join(j.all(o), anything()))
		} else if j.belowOthers(o) {
			j.escapeArgs(a, i)
		}
	}
	j.builtElsewhere(o, c.key, a, i)
	switch c.key {
	case "push", "unshift", "fill", "splice":
		j.mutates(o)
		from := 0
		if c.key == "splice" {
			from = 2
		}
		for n := from; n < len(a.positional); n++ {
			j.grow(&o.readBy, &o.rest, a.positional[n])
		}
		if c.key == "fill" {
			j.grow(&o.readBy, &o.rest, a.given(0))
		}
		j.grow(&o.readBy, &o.rest, a.rest)
		if c.key == "push" || c.key == "unshift" {
			return ofKind(atomAnyNumber), true
		}
		return objectValue(o), true // splice gives another list, of what was in this one
	case "pop", "shift", "at":
		if c.key != "at" {
			j.mutates(o)
		}
		return j.maybe(j.all(o)), true
	case "find", "findLast":
		s := j.all(o)
		j.each(o, a, i)
		return j.join(s, ofKind(atomUndefined)), true
	case "forEach", "some", "every":
		j.each(o, a, i)
		return ofKind(atomUnknown), true
	case "findIndex", "findLastIndex":
		j.each(o, a, i)
		return o.index(), true
	case "sort":
		s := j.arraySubset(o, c, a, i)
		if !j.temporary(o, c) {
			s = objectValue(o)
		}
		return s, true
	case "values":
		return j.iterates(j.arraySubset(o, c, a, i)), true
	case "filter", "toSorted", "slice", "concat", "flat", "with", "toSpliced":
		return j.andSo(o, j.arraySubset(o, c, a, i)), true
	case "copyWithin":
		j.mutates(o)
		return objectValue(o), true
	case "reverse", "toReversed":
		if c.key == "reverse" && !j.temporary(o, c) {
			j.mutates(o)
			return objectValue(o), true
		}
		return j.reversed(o, i), true
	case "map", "flatMap":
		s := j.each(o, a, i)
		switch {
		case c.key == "flatMap":
			s = j.join(s, j.elements(s, i))
		case j.all(o).any(atomUndefined): // where nothing stands nothing is called, and nothing stands in the other
			s = j.maybe(s)
		}
		return j.andSo(o, j.arrayOf(i, 6, s)), true
	case "reduce", "reduceRight":
		return j.reduce(o, a, i), true
	case "join":
		return j.joined(o, a), true
	case "toString":
		return j.joined(o, arguments{}), true
	case "keys":
		return j.iterates(j.arrayOf(i, 6, ofKind(atomAnyNumber))), true
	case "entries":
		pair := j.objectFor(i, 7)
		pair.array = true
		j.grow(&pair.readBy, pair.prop("0"), ofKind(atomAnyNumber))
		j.grow(&pair.readBy, pair.prop("1"), j.all(o))
		return j.iterates(j.arrayOf(i, 6, objectValue(pair))), true
	case "indexOf", "lastIndexOf":
		return o.index(), true
	case "includes":
		return ofKind(atomUnknown), true
	}
	return nil, false
}

// builtElsewhere says that a method which makes another array may make it with what the program
// has put under a key that is not known: that is the constructor, perhaps, and gets all of it.
func (j *javascript) builtElsewhere(o *object, key string, a arguments, i int) {
	if len(o.loose) == 0 {
		return
	}
	switch key {
	case "concat", "filter", "flat", "flatMap", "map", "slice", "splice":
		j.convertsAll(o.loose)
		j.escape(j.all(o), i)
		j.escapeArgs(a, i)
	}
}

// index is what methods return that look for an element, but for those that somebody may
// have put in their place.
func (o *object) index() value {
	if o.escaped {
		return anything()
	}
	return ofKind(atomAnyNumber)
}

// arraySubset is what filter, sort, slice and concat return.
func (j *javascript) arraySubset(o *object, c callee, a arguments, i int) value {
	s := j.all(o)
	switch c.key {
	case "filter":
		j.each(o, a, i)
	case "sort", "toSorted":
		j.mutates(o)
		j.callback(a.get(0), i, s, s)
	case "slice":
		if t, ok := j.sliced(o, a, i); ok {
			return t
		}
	case "concat", "with", "toSpliced":
		for n := range a.positional {
			s = j.join(s, a.positional[n])
			s = j.join(s, j.elements(a.positional[n], i))
		}
		if a.splat {
			s = j.join(s, j.join(a.rest, j.elements(a.rest, i)))
		}
		if c.key == "with" {
			s = j.join(s, a.given(1))
		} else if c.key == "concat" && len(j.ownOrLoose(o, symbolPrefix+"isConcatSpreadable")) > 0 { // which says whether it is an element itself
			s = j.join(s, objectValue(o))
		}
	case "flat":
		s = j.flattened(s, a, i)
	}
	return j.arrayOf(i, 6, s)
}

// flattened is what an array holds, and what the arrays in it hold, as deep as flat goes.
func (j *javascript) flattened(s value, a arguments, i int) value {
	deep := len(a.positional) > 0 || a.splat
	for {
		next := j.join(s, j.elements(s, i))
		if !deep || subset(next, s) || !j.step() {
			return next
		}
		s = next
	}
}

// sliced is slice of an array whose elements are known one by one.
func (j *javascript) sliced(o *object, a arguments, i int) (value, bool) {
	if !j.listed(o) {
		return nil, false
	}
	from, to, ok := sliceBounds(len(o.keys), a)
	if !ok {
		return nil, false
	}
	elements := make([]value, 0, to-from)
	for k := from; k < to; k++ {
		elements = append(elements, *o.props[o.keys[k]])
	}
	return j.list(i, elements), true
}

// list returns an array that node i makes of elements, one by one. Where it makes another of others, they may
// be fewer.
func (j *javascript) list(i int, elements []value) value {
	o := j.objectFor(i, 9)
	if o.array && o.elements != len(elements) {
		j.mutates(o)
		j.grow(&o.readBy, &o.rest, ofKind(atomUndefined))
	}
	o.array, o.elements = true, len(elements)
	for n, s := range elements {
		j.grow(&o.readBy, o.prop(formatNumber(float64(n))), s)
	}
	return objectValue(o)
}

func (j *javascript) reversed(o *object, i int) value {
	n := len(o.keys)
	if !j.listed(o) {
		return j.arrayOf(i, 6, j.all(o))
	}
	elements := make([]value, n)
	for k := range n {
		elements[n-1-k] = *o.props[o.keys[k]]
	}
	return j.list(i, elements)
}

// temporary is true for an array that was made by the very expression that is
// the receiver of a call: nothing else has it when the call changes it.
func (j *javascript) temporary(o *object, c callee) bool {
	i := j.bare(j.tree.Child(c.node, objectField))
	return i != analyze.NoNode && i == o.node
}

// listMadeHere returns the list that is asked for a method by the very expression that made it, or nil: it has its
// elements, and nothing that the program puts on it later under a key that is not known.
func (j *javascript) listMadeHere(c callee) *object {
	o := c.receiver.local()
	if o == nil || !o.array || !j.temporary(o, c) || o.props[c.key] != nil || o.getter(c.key) != nil || isIndex(c.key) {
		return nil
	}
	if line, others := j.lineage(o); len(line) > 1 || len(others) > 0 {
		return nil
	}
	return o
}

func (j *javascript) reduce(o *object, a arguments, i int) value {
	s := j.all(o)
	acc := a.get(1)
	if len(a.positional) < 2 {
		acc = j.join(acc, s)
	}
	held := j.objectFor(i, 6)
	j.grow(&held.readBy, &held.rest, acc)
	r := j.callback(a.get(0), i, held.rest, s, ofKind(atomAnyNumber), j.listOf(o))
	j.grow(&held.readBy, &held.rest, r)
	return held.rest
}

// methodOfCollection calls a method of a Map or Set.
func (j *javascript) methodOfCollection(o *object, c callee, a arguments, i int) (value, bool) {
	switch c.key {
	case "get":
		return j.join(o.rest, anything()), true
	case "set":
		j.grow(&o.readBy, &o.mapKeys, a.given(0))
		j.grow(&o.readBy, &o.rest, a.given(1))
		return objectValue(o), true
	case "add":
		j.grow(&o.readBy, &o.rest, a.given(0))
		return objectValue(o), true
	case "has", "delete", "clear":
		return ofKind(atomUnknown), true
	case "forEach":
		j.receives(a.get(0), a.get(1), i)
		j.callback(a.get(0), i, j.inside(o, o.rest), j.indexes(o), objectValue(o))
		return ofKind(atomUnknown), true
	case "values":
		return j.iterates(j.arrayOf(i, 6, j.inside(o, o.rest))), true
	case "keys":
		return j.iterates(j.arrayOf(i, 6, j.indexes(o))), true
	case "entries":
		return j.iterates(j.arrayOf(i, 6, objectValue(j.pairOf(o, i)))), true
	case "getOrInsert", "getOrInsertComputed":
		added := a.given(1)
		if c.key == "getOrInsertComputed" {
			added = j.callback(a.get(1), i, a.given(0))
		}
		j.grow(&o.readBy, &o.mapKeys, a.given(0))
		j.grow(&o.readBy, &o.rest, added)
		return j.join(o.rest, anything()), true
	case "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom":
		j.comparesWith(a.get(0), j.inside(o, o.rest))
	default:
		if !isLanguageMethod(c.key) { // a newer one may put something into it
			j.grow(&o.readBy, &o.mapKeys, anything())
			j.grow(&o.readBy, &o.rest, anything())
		}
	}
	return nil, false
}

// comparesWith says that a Set with these elements asks another, which may be any object, whether it has them, and for its own.
func (j *javascript) comparesWith(other, elements value) {
	for _, v := range other {
		if v.kind == atomObject {
			j.invoke(j.own(v.obj, "has"), one(v), elements)
			j.invoke(j.own(v.obj, "keys"), one(v))
		}
	}
}

// inside is what was put into a Map or Set, and where others have it what they put into it.
func (j *javascript) inside(o *object, put value) value {
	if o.escaped {
		return j.join(put, anything())
	}
	return put
}

// indexes are the keys of a Map; a Set is its own.
func (j *javascript) indexes(o *object) value {
	if o.array {
		return j.inside(o, o.rest)
	}
	return j.inside(o, o.mapKeys)
}

// pairOf is what iterating over the entries of a Map or Set yields.
func (j *javascript) pairOf(o *object, i int) *object {
	pair := j.objectFor(i, 7)
	pair.array = true
	j.grow(&pair.readBy, pair.prop("0"), j.indexes(o))
	j.grow(&pair.readBy, pair.prop("1"), j.inside(o, o.rest))
	return pair
}
