package javascript

import "sallyport/analyze"

// builtinMethod calls a method of a built-in class, known by its name alone
// when the receiver is not known. It is false for other names.
func (j *jsWalk) builtinMethod(c jsCallee, a jsArgs, i int) (jsSet, bool) {
	var out jsSet
	done := len(c.receiver) > 0
	for _, v := range c.receiver {
		s, ok := j.methodOfValue(v, c, a, i)
		if !ok {
			done = false
			continue
		}
		out = j.union(out, s)
	}
	if done {
		return out, true
	}
	s, ok := j.methodOfUnknown(c, a, i)
	if !ok {
		return nil, false
	}
	return j.union(out, s), true
}

func (j *jsWalk) methodOfValue(v jsValue, c jsCallee, a jsArgs, i int) (jsSet, bool) {
	switch v.kind {
	case jsConstString, jsAnyString:
		if c.key == "replace" || c.key == "replaceAll" {
			for _, f := range a.get(1) {
				if f.kind == jsSymbol || f.kind == jsLocal {
					j.callback(oneOf(f), a.at, oneOf(v), j.union(oneOf(v), kindSet(jsAnyString)))
				}
			}
		}
		if v.kind == jsConstString {
			if s, ok := j.foldString(v.text, c.key, a, i); ok {
				return s, true
			}
		}
		return stringMethod(c.key)
	case jsConstNumber:
		return foldNumber(v.num, c.key, a)
	case jsConstBytes:
		return foldBytes(v.text, c.key, a)
	case jsLocal:
		if v.obj.code != nil || v.obj.class != nil {
			return kindSet(jsAnyString), c.key == "toString"
		}
		if v.obj.iterator && (c.key == "next" || c.key == "return" || c.key == "throw") {
			j.escapeArgs(a, i)
			r := j.objectFor(i, 8)
			r.mutable = true
			j.add(r.prop("value"), v.obj.rest)
			return localSet(r), true
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

// stringMethod is what a method of an unknown string returns.
func stringMethod(key string) (jsSet, bool) {
	switch key {
	case "at", "charAt", "concat", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "substr", "substring",
		"toLowerCase", "toUpperCase", "toString", "trim", "trimEnd", "trimStart", "toLocaleLowerCase", "toLocaleUpperCase", "valueOf":
		return kindSet(jsAnyString), true
	case "charCodeAt", "codePointAt", "indexOf", "lastIndexOf", "search", "localeCompare":
		return kindSet(jsAnyNumber), true
	}
	return nil, false
}

// methodOfUnknown calls a method whose receiver is not known, for what it may
// do to its arguments.
func (j *jsWalk) methodOfUnknown(c jsCallee, a jsArgs, i int) (jsSet, bool) {
	switch c.key {
	case "then", "catch", "finally":
		s := j.union(c.receiver, unknownSet())
		for n := range a.sets {
			s = j.union(s, j.callback(a.get(n), i, c.receiver))
		}
		return s, true
	case "charCodeAt", "codePointAt", "indexOf", "lastIndexOf":
		return kindSet(jsAnyNumber), true
	}
	return nil, false
}

// callback calls functions as built-in methods call theirs.
func (j *jsWalk) callback(functions jsSet, at int, args ...jsSet) jsSet {
	old := j.here
	j.here = at
	s := j.returns(functions, nil, args...)
	j.here = old
	return s
}

// each calls the callback of an array method with every element, and with the
// receiver that may follow it.
func (j *jsWalk) each(o *jsEntity, a jsArgs, i int) jsSet {
	if this := a.get(1); len(this) > 0 {
		for _, f := range a.get(0) {
			if f.kind == jsLocal && f.obj.code != nil {
				j.add(&f.obj.code.this, this)
			} else {
				j.escape(this, i)
			}
		}
	}
	return j.callback(a.get(0), i, j.all(o), kindSet(jsAnyNumber), localSet(o))
}

// all returns everything that an array holds.
func (j *jsWalk) all(o *jsEntity) jsSet {
	return j.elements(localSet(o), o.node)
}

func (j *jsWalk) methodOfArray(o *jsEntity, c jsCallee, a jsArgs, i int) (jsSet, bool) {
	switch c.key {
	case "unshift", "splice", "shift", "sort", "reverse", "copyWithin":
		if !j.temporary(o, c) {
			j.add(&o.rest, j.all(o)) // what was at one place is at another now
		}
	}
	switch c.key {
	case "push", "unshift", "fill", "splice":
		o.mutable = true
		from := 0
		if c.key == "splice" {
			from = 2
		}
		for n := from; n < len(a.sets); n++ {
			j.add(&o.rest, a.sets[n])
		}
		j.add(&o.rest, a.rest)
		return j.union(localSet(o), kindSet(jsAnyNumber)), true
	case "pop", "shift", "at":
		o.mutable = o.mutable || c.key != "at"
		return j.all(o), true
	case "find", "findLast":
		s := j.all(o)
		j.each(o, a, i)
		return s, true
	case "forEach", "some", "every", "findIndex", "findLastIndex":
		j.each(o, a, i)
		return kindSet(jsUnknown), true
	case "filter", "sort", "toSorted", "slice", "concat", "flat", "with", "values", "toSpliced":
		return j.arraySubset(o, c, a, i), true
	case "copyWithin":
		o.mutable = true
		return localSet(o), true
	case "reverse", "toReversed":
		if c.key == "reverse" && !j.temporary(o, c) {
			o.mutable = true
		}
		return j.reversed(o, i), true
	case "map", "flatMap":
		s := j.each(o, a, i)
		if c.key == "flatMap" {
			s = j.union(s, j.elements(s, i))
		}
		return j.arrayOf(i, 6, s), true
	case "reduce", "reduceRight":
		return j.reduce(o, a, i), true
	case "join", "toString":
		return j.joined(o, a), true
	case "keys":
		return j.arrayOf(i, 6, kindSet(jsAnyNumber)), true
	case "entries":
		pair := j.objectFor(i, 7)
		pair.array = true
		j.add(pair.prop("0"), kindSet(jsAnyNumber))
		j.add(pair.prop("1"), j.all(o))
		return j.arrayOf(i, 6, localSet(pair)), true
	case "includes", "indexOf", "lastIndexOf":
		return kindSet(jsUnknown), true
	}
	return nil, false
}

// arraySubset is what filter, sort, slice and concat return.
func (j *jsWalk) arraySubset(o *jsEntity, c jsCallee, a jsArgs, i int) jsSet {
	s := j.all(o)
	switch c.key {
	case "filter":
		j.each(o, a, i)
	case "sort", "toSorted":
		o.mutable = true
		j.callback(a.get(0), i, s, s)
	case "slice":
		if t, ok := j.sliced(o, a, i); ok {
			return t
		}
	case "concat", "with", "toSpliced":
		for n := range a.sets {
			s = j.union(s, a.sets[n])
			s = j.union(s, j.elements(a.sets[n], i))
		}
	case "flat":
		s = j.union(s, j.elements(s, i))
	}
	return j.arrayOf(i, 6, s)
}

// sliced is slice of an array whose elements are known one by one.
func (j *jsWalk) sliced(o *jsEntity, a jsArgs, i int) (jsSet, bool) {
	if !o.listed() {
		return nil, false
	}
	from, to, ok := sliceBounds(len(o.keys), a)
	if !ok {
		return nil, false
	}
	out := j.objectFor(i, 9)
	out.array = true
	for k := from; k < to; k++ {
		j.add(out.prop(formatNumber(float64(k-from))), *o.props[o.keys[k]])
	}
	return localSet(out), true
}

func (j *jsWalk) reversed(o *jsEntity, i int) jsSet {
	n := len(o.keys)
	if !o.listed() {
		return j.arrayOf(i, 6, j.all(o))
	}
	out := j.objectFor(i, 9)
	out.array = true
	for k := range n {
		j.add(out.prop(formatNumber(float64(k))), *o.props[o.keys[n-1-k]])
	}
	return localSet(out)
}

// temporary is true for an array that was made by the very expression that is
// the receiver of a call: nothing else has it when the call changes it.
func (j *jsWalk) temporary(o *jsEntity, c jsCallee) bool {
	t := j.tree
	i := t.Child(c.node, jsObjectField)
	for i != analyze.NoNode && t.Kind(i) == jsParenthesizedExpression {
		i = t.FirstNamed(i)
	}
	return i != analyze.NoNode && i == o.node
}

func (j *jsWalk) reduce(o *jsEntity, a jsArgs, i int) jsSet {
	s := j.all(o)
	acc := a.get(1)
	if len(a.sets) < 2 {
		acc = s
	}
	held := j.objectFor(i, 6)
	j.add(&held.rest, acc)
	r := j.callback(a.get(0), i, held.rest, s, kindSet(jsAnyNumber), localSet(o))
	j.add(&held.rest, r)
	return held.rest
}

// methodOfCollection calls a method of a Map or Set.
func (j *jsWalk) methodOfCollection(o *jsEntity, c jsCallee, a jsArgs, i int) (jsSet, bool) {
	switch c.key {
	case "get":
		return j.union(o.rest, unknownSet()), true
	case "set":
		j.add(&o.mapKeys, a.get(0))
		j.add(&o.rest, a.get(1))
		return localSet(o), true
	case "add":
		j.add(&o.rest, a.get(0))
		return localSet(o), true
	case "has", "delete", "clear":
		return kindSet(jsUnknown), true
	case "forEach":
		j.callback(a.get(0), i, o.rest, o.indexes(), localSet(o))
		return kindSet(jsUnknown), true
	case "values":
		return j.arrayOf(i, 6, o.rest), true
	case "keys":
		return j.arrayOf(i, 6, o.indexes()), true
	case "entries":
		return j.arrayOf(i, 6, localSet(j.pairOf(o, i))), true
	}
	return nil, false
}

// indexes are the keys of a Map; a Set is its own.
func (o *jsEntity) indexes() jsSet {
	if o.array {
		return o.rest
	}
	return o.mapKeys
}

// pairOf is what iterating over the entries of a Map or Set yields.
func (j *jsWalk) pairOf(o *jsEntity, i int) *jsEntity {
	pair := j.objectFor(i, 7)
	pair.array = true
	j.add(pair.prop("0"), o.indexes())
	j.add(pair.prop("1"), o.rest)
	return pair
}
