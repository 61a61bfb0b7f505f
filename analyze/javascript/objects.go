package javascript

import (
	"strings"

	"sallyport/analyze"
)

// object evaluates an object literal.
func (j *javascript) object(i int) value {
	t, o, copies := j.tree, j.objectAt(i), false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindPair:
			j.pair(o, c)
		case kindMethodDefinition:
			j.method(o, c)
		case kindShorthandPropertyIdentifier:
			j.put(o, j.identifierText(c), j.load(c))
		case kindSpreadElement:
			copies = true
			o.losesOrder()
			j.spreadInto(o, j.load(t.FirstNamed(c)), c, func(key string, s value) { j.put(o, key, s) })
		}
	}
	if copies && o.accessors { // which V8 puts behind what comes after them
		j.unlist(o)
	}
	return objectValue(o)
}

// losesOrder says that some keys of an object are those of another, or are worked out: they may be learned behind the
// others, whatever stands first.
func (o *object) losesOrder() { o.unordered = true }

// put stores a value in an object.
func (j *javascript) put(o *object, key string, s value) {
	if isInside(key) {
		j.property(strings.TrimPrefix(strings.TrimPrefix(key, getPrefix), setPrefix), j.here)
	}
	j.grow(&o.readBy, o.prop(key), s)
	j.names(key, s)
	if key == "undefined" { // the name of whatever is not there
		j.grow(&o.readBy, &o.rest, s)
	}
	if key == prototypeKey && o.code != nil {
		j.derive(j.instanceOf(o), s)
		j.movesBelow(j.instanceOf(o))
	}
	j.receive(o, s, isAsked(key))
	if isConverter(key) || o.array && key == "join" {
		j.convertsBy(o, s)
		for _, v := range s {
			if v.kind == atomNative {
				j.changesReceiver(v.text, callee{member: true, receiver: objectValue(o)}, j.here)
			}
		}
	}
	j.asked(key, s)
	if isAsked(key) || isConverter(key) {
		j.initializesHolder(o, s)
	}
	if name, getter := strings.CutPrefix(key, getPrefix); getter && (isAsked(name) || isConverter(name)) {
		gives := j.returns(s)
		if isAsked(name) {
			j.receive(o, gives, true)
		} else {
			j.convertsBy(o, gives)
		}
		j.asked(name, gives)
		j.initializesHolder(o, gives)
	}
}

// convertsBy says that the language calls functions in s of an object, to make a text or a number of it: one that is not known
// may change it.
func (j *javascript) convertsBy(o *object, s value) {
	j.invoke(s.functions(), objectValue(o))
	if s.uncertain() {
		j.escapeObject(o, j.here)
	}
}

// asked looks at what is put under a name that the language, or the library, calls by itself: on an object of the
// program's, and on one that is not known.
func (j *javascript) asked(key string, s value) {
	if isAsked(key) || key == "handleEvent" {
		j.givenToCall(s, j.here)
	} else if isHandler(key) || isConverter(key) {
		j.givenToCall(s, j.here)
		if s.putToCall() {
			j.dynamicAt(analyze.DynamicClass, j.here)
		}
	}
}

// putLoose stores a value under a key that is not known.
func (j *javascript) putLoose(o *object, s value, numeric bool) {
	if !numeric || !o.array { // where it stands is not told apart from names
		s = s.faint()
	}
	j.grow(&o.readBy, &o.rest, s)
	if s.hasResult() && !numeric && j.reports() && (o.instanceOf != nil || o.class != nil) {
		if _, above := j.lineage(o); above.hasSymbol() { // a class of the library calls the methods of one below it
			j.dynamicAt(analyze.DynamicClass, j.here)
		}
	}
	if (o.array || o.collection) && !numeric {
		j.grow(&o.readBy, &o.loose, s)
	}
	if o.code != nil && !numeric {
		j.derive(j.instanceOf(o), s.objects())
	}
	j.receive(o, s, !numeric)
}

// mayInherit says that the key under which something was assigned to a member of an object may
// be __proto__. Of functions, which registries assign so, only what calling their members gives
// is followed.
func (j *javascript) mayInherit(o *object, s value) {
	for _, v := range s {
		if o.class != nil && len(o.class.super) > 0 && (v.kind == atomComputed || v.kind == atomSymbol) { // super calls it
			j.grow(&o.readBy, &o.class.super, one(v))
		}
		switch {
		case v.kind == atomSymbol && isNamespace(v.text):
			j.derive(o, one(v))
		case v.kind == atomSymbol, v.kind == atomNative, v.kind == atomObject && (v.obj.callable() || v.obj.bound != nil):
			if !o.functions {
				o.functions = true
				j.learned(&o.readBy)
			}
		}
	}
}

// receive says that a function stored in an object is called with the object as
// receiver and, where it is asked for by the language, with what the program chose.
func (j *javascript) receive(o *object, s value, asked bool) {
	for _, v := range s {
		if v.kind != atomObject {
			if asked && (v.kind == atomUnknown || v.kind == atomComputed || v.kind == atomNative && mayChange(v.text)) {
				j.escapeObject(o, j.here)
			}
			continue
		}
		if asked {
			j.escape(j.calledByOthers(v.obj, j.here), j.here)
		}
		if v.obj.code == nil {
			continue
		}
		if asked {
			j.askFor(v.obj.code)
		}
		if !v.obj.code.arrow {
			j.grow(&v.obj.code.given, &v.obj.code.this, objectValue(o))
		}
	}
}

// isConverter is true for the name of a method that the language calls, with nothing, of an object that
// becomes a text or a number.
func isConverter(key string) bool {
	switch key {
	case "toISOString", "toLocaleString", "toString", "valueOf":
		return true
	}
	return false
}

// isAsked is true for the name of a method that the language calls by itself.
func isAsked(key string) bool {
	switch key {
	case "next", "return", "then", "throw", "toJSON", "toLocaleString":
		return true
	}
	return strings.HasPrefix(key, symbolPrefix)
}

// objects returns the objects in s that are no functions, bytes as well.
func (s value) objects() value {
	var out value
	for _, v := range s {
		if v.kind == atomBytes || v.kind == atomObject && v.obj.code == nil && v.obj.class == nil {
			out = append(out, v)
		}
	}
	return out
}

// putAny is put for a set of keys.
func (j *javascript) putAny(o *object, keys, s value) {
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			if len(keys) > 1 {
				s = j.maybe(s)
				j.unlist(o)
			}
			j.put(o, key, s)
			continue
		}
		j.namesAny(k, s)
		j.putLoose(o, s, k.numeric())
	}
	if j.unseen(keys) {
		j.namesAny(atom{}, s)
		j.putLoose(o, s, false)
	}
}

func (j *javascript) pair(o *object, i int) {
	t := j.tree
	key, value := t.Child(i, keyField), t.Child(i, valueField)
	if key == analyze.NoNode || value == analyze.NoNode {
		return
	}
	if t.Kind(key) == kindComputedPropertyName {
		o.losesOrder()
		keys := j.load(t.FirstNamed(key))
		j.putAny(o, keys, j.load(value))
		return
	}
	name, s := j.keyText(key), j.load(value)
	if name == "__proto__" {
		j.property(name, key)
		j.derive(o, s)
	}
	j.put(o, name, s)
}

// method evaluates a method of an object literal.
func (j *javascript) method(o *object, i int) {
	if j.hasComputedName(i) {
		o.losesOrder()
	}
	keys := j.methodKeys(i)
	outer := j.super
	j.super = o.proto
	f := j.definition(i)
	j.super = outer
	j.putMethod(o, keys, f, j.accessor(i))
}

// putMethod stores a method, or an accessor.
func (j *javascript) putMethod(o *object, keys, f value, prefix string) {
	if prefix == "" {
		j.putAny(o, keys, f)
		return
	}
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			j.put(o, prefix+key, f)
			if len(keys) > 1 { // it has perhaps another
				j.unlist(o)
				if prefix == getPrefix {
					j.put(o, key, ofKind(atomUndefined))
				}
			}
			continue
		}
		j.put(o, prefix+anyKey, f)
		if prefix == getPrefix {
			j.putLoose(o, j.invoke(f, objectValue(o)), false)
		}
	}
}

// anyKey stands for a key that is not known in the name of an accessor.
const anyKey = "*"

// methodKeys evaluates the name of a method.
func (j *javascript) methodKeys(i int) value {
	t := j.tree
	name := t.Child(i, nameField)
	if name == analyze.NoNode {
		return nil
	}
	if j.hasComputedName(i) {
		return j.load(t.FirstNamed(name))
	}
	return stringValue(j.memberKey(name))
}

// hasComputedName tells whether the name of a method stands in brackets: then none is the constructor.
func (j *javascript) hasComputedName(i int) bool {
	name := j.tree.Child(i, nameField)
	return name != analyze.NoNode && j.tree.Kind(name) == kindComputedPropertyName
}

// accessor returns what the name begins with that the function of an accessor is kept under.
func (j *javascript) accessor(i int) string {
	switch {
	case hasWord(j.tree, i, "get"), hasWord(j.tree, i, "static get"):
		return getPrefix
	case hasWord(j.tree, i, "set"):
		return setPrefix
	}
	return ""
}

// spreadInto copies the members of s into o: what accessors give, not those.
func (j *javascript) spreadInto(o *object, s value, at int, put func(key string, s value)) {
	if surely := put; len(s) > 1 { // it may be another
		j.unlist(o)
		put = func(key string, s value) { surely(key, j.maybe(s)) }
	}
	for _, v := range s {
		if v.kind != atomObject {
			j.escape(one(v), at)
			j.opensInside(v, false, at)
			switch {
			case v.kind == atomUnknown || v.kind == atomSymbol || v.kind == atomNative || v.kind == atomConstructor || v.kind == atomOnce || v.kind == atomComputed && v != tableAtom:
				j.putLoose(o, j.join(anything(), j.known(&j.timed)), false)
			case v.kind == atomString && isASCII(v.text) && len(v.text) <= maxIndexed:
				for n := range len(v.text) {
					put(formatNumber(float64(n)), stringValue(v.text[n:n+1]))
				}
			case v.kind == atomString, v.kind == atomAnyString:
				j.putLoose(o, ofKind(atomAnyString), true)
			case v.kind == atomBytes:
				j.putLoose(o, ofKind(atomAnyNumber), true)
				if j.written { // which may have got other members
					j.putLoose(o, anything(), false)
				}
			}
			j.givesKeys(objectValue(o), v.kind < atomString || v.kind > atomAnyNumber)
			continue
		}
		j.givesKeys(objectValue(o), j.hasForeignKeys(v))
		put, line := put, j.made(v.obj)
		j.reads(&v.obj.readBy)
		if !j.listsKeys(v.obj) { // what is its prototype's is left out
			surely := put
			j.unlist(o)
			put = func(key string, s value) { surely(key, j.maybe(s)) }
		}
		if v.obj.mutable || v.obj.array { // what it gets later, or has no more, or where nothing stands, the copy lacks
			j.unlist(o)
		}
		if v.obj.array { // of which nobody lists how many there are
			surely, shrinks := put, v.obj.shrinks
			put = func(key string, s value) {
				if shrinks || key == "length" {
					s = j.maybe(s)
				}
				surely(key, s)
			}
		}
		for _, from := range line {
			if from == o || !j.work(len(from.keys)) {
				continue
			}
			for _, k := range from.keys {
				name, getter := strings.CutPrefix(k, getPrefix)
				only, setter := strings.CutPrefix(k, setPrefix)
				switch {
				case getter && name != anyKey:
					put(name, j.invoke(*from.props[k], one(v)))
				case setter && only != anyKey && from.props[getPrefix+only] == nil: // which gives nothing
					put(only, ofKind(atomUndefined))
				case !getter && !setter:
					put(k, *from.props[k])
				}
			}
			j.putLoose(o, from.rest, from.array)
			j.putLoose(o, from.loose, false)
			if from.escaped {
				j.putLoose(o, anything(), false)
			}
		}
	}
}

// made returns what stands for the own members of an object: to an instance the classes above give fields.
func (j *javascript) made(o *object) []*object {
	if o.instanceOf == nil {
		return o.alone[:]
	}
	line, _ := j.lineage(o)
	return line
}

// maxIndexed bounds the elements of an array that are told apart.
const maxIndexed = 1024

// array evaluates an array literal.
func (j *javascript) array(i int) value {
	t, o := j.tree, j.objectAt(i)
	o.array = true
	n := 0
	hole := true // nothing stands between two commas
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch {
		case !t.Named(c):
			if t.Source(c) != "," {
				continue
			}
			if hole {
				j.element(o, n, j.join(ofKind(atomUndefined), j.shared(formatNumber(float64(n)))))
			}
			hole = true
			n++
		case t.Kind(c) == kindComment:
		case t.Kind(c) == kindSpreadElement:
			hole = false
			s := j.load(t.FirstNamed(c))
			if l := s.taken(); l != nil && j.listed(l) && !j.iteratesOtherwise() && t.Next(c) != analyze.NoNode && n+len(l.keys) < maxIndexed {
				for k := range l.keys {
					j.grow(&o.readBy, o.prop(formatNumber(float64(n+k))), *l.props[l.keys[k]])
				}
				n += len(l.keys) - 1
				continue
			}
			j.mutates(o)
			j.grow(&o.readBy, &o.rest, j.elements(s, c))
		default:
			hole = false
			j.element(o, n, j.load(c))
		}
	}
	return objectValue(o)
}

// element is number n of an array literal.
func (j *javascript) element(o *object, n int, s value) {
	if n < maxIndexed && !o.mutable {
		j.grow(&o.readBy, o.prop(formatNumber(float64(n))), s)
	} else {
		j.mutates(o)
		j.grow(&o.readBy, &o.rest, s)
	}
}

// listed is true for an array whose elements are known one by one.
func (j *javascript) listed(o *object) bool {
	j.reads(&o.readBy)
	return o.listed()
}

func (o *object) listed() bool {
	if !o.array || o.arguments || o.mutable || o.escaped || len(o.rest) > 0 {
		return false
	}
	for k := range o.keys {
		if o.keys[k] != formatNumber(float64(k)) {
			return false
		}
	}
	return true
}

// isList is true for an array, as opposed to what only stands for one: a collection, an iterator.
func (o *object) isList() bool {
	return o.array && !o.collection && !o.iterator && len(o.noList) == 0
}
