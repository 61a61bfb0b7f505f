package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// elements evaluates what iterating over s yields.
func (j *javascript) elements(s value, at int) value {
	var out value
	for _, v := range s.present() {
		switch {
		case v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil): // what hangs on it
			j.converts(v)
			s, _ := j.iterated(v.obj, at)
			out = j.join(j.join(out, s), j.join(j.indexed(v.obj), v.obj.rest))
		case v.kind == atomObject:
			j.converts(v)
			o := v.obj
			s, ok := j.iterated(o, at)
			out = j.join(out, s)
			if _, above := j.lineage(o); ok && !o.array && !o.collection && len(above) == 0 { // others may be iterated over by the language's own
				continue
			}
			next := j.own(o, "next")
			if o.iterator {
				next = j.ownOrLoose(o, "next")
			}
			if len(next) > 0 && j.applying <= 10 { // in the place of the language's own
				j.applying++
				out = j.join(out, j.memberOf(j.invoke(next, one(v)), "value", at))
				j.applying--
			}
			if o.collection && !o.array {
				out = j.join(out, objectValue(j.pairOf(o, at)))
				continue
			}
			if read := j.own(o, "read"); o.instanceOf != nil && len(read) > 0 && j.applying <= 10 { // of a stream
				j.applying++
				out = j.join(out, j.invoke(read, one(v)))
				j.applying--
			}
			out = j.join(out, o.rest)
			if o.array && j.work(len(o.keys)) {
				for _, k := range o.keys {
					out = j.join(out, *o.props[k])
				}
			}
			if !o.array {
				out = j.join(out, j.indexed(o))
			}
			if o.escaped || j.unseen(out) {
				out = j.join(out, anything())
			}
		case v == tableAtom: // of which nothing can be iterated over
		case v.kind == atomString, v.kind == atomAnyString:
			out = j.join(out, ofKind(atomAnyString))
		case v == perhapsGlobal: // of which nothing can be iterated over
			j.dynamicAt(analyze.DynamicClass, at)
		case v.kind == atomSymbol && isNamespace(v.text):
			j.dynamicAt(analyze.DynamicMember, at)
			if v.text == "globalThis.arguments" {
				out = j.join(out, symbol("globalThis.require"))
			}
			out = j.join(out, anything())
		case v.kind == atomSymbol && v.text == "globalThis.require.cache":
			out = j.join(out, symbol("globalThis.module"))
		default:
			out = j.join(out, anything())
		}
	}
	if j.unseen(out) {
		return anything()
	}
	return j.iteratedOr(out)
}

// indexed is what an object has that is only like an array.
func (j *javascript) indexed(o *object) value {
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		if !j.work(len(from.keys)) {
			return anything()
		}
		for _, k := range from.keys {
			name, getter := strings.CutPrefix(k, getPrefix)
			switch {
			case !isIndex(name):
			case getter:
				out = j.join(out, j.invoke(*from.props[k], objectValue(o)))
			default:
				out = j.join(out, *from.props[k])
			}
		}
	}
	return out
}

// iterated evaluates iterating over an object that has an iterator of its own, and tells
// whether it has one: a function under a key that is not known may be one, too.
func (j *javascript) iterated(o *object, at int) (out value, found bool) {
	if j.applying > 10 {
		return nil, false
	}
	j.applying++
	defer func() { j.applying-- }()
	for _, key := range [...]string{symbolPrefix + "iterator", symbolPrefix + "asyncIterator"} {
		if f := j.own(o, key); len(f) > 0 {
			found = true
			out = j.join(out, j.iteratedBy(o, j.invoke(f, objectValue(o)), at))
		}
	}
	if loose := j.looseFunctions(o); len(loose) > 0 {
		iterators := slices.DeleteFunc(slices.Clone(j.gives(loose)), func(v atom) bool { return v.kind != atomObject || !j.isIterator(v.obj) })
		out = j.join(j.join(out, anything()), j.iteratedBy(o, iterators, at))
	}
	if found {
		out = j.join(out, anything())
	}
	return out, found
}

// isIterator tells whether an object may be what gives elements one by one.
func (j *javascript) isIterator(o *object) bool {
	return o.iterator || o.array || len(j.ownOrLoose(o, "next")) > 0
}

// iteratedBy evaluates iterating over o by one of the iterators.
func (j *javascript) iteratedBy(o *object, iterators value, at int) value {
	var out value
	for _, v := range iterators {
		if v.kind == atomObject {
			j.converts(v)
			if next := j.ownOrLoose(v.obj, "next"); len(next) > 0 {
				out = j.join(out, j.memberOf(j.invoke(next, one(v)), "value", at))
				continue
			}
		}
		if v.obj != o {
			out = j.join(out, j.elements(one(v), at))
		}
	}
	return out
}
