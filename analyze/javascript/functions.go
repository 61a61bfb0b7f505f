package javascript

import (
	"slices"
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
			j.spreadInto(o, j.load(t.FirstNamed(c)), c, func(key string, s value) { j.put(o, key, s) })
		}
	}
	if copies && o.accessors { // which V8 puts behind what comes after them
		j.unlist(o)
	}
	return objectValue(o)
}

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
		j.invoke(s.functions(), objectValue(o))
	}
	j.asked(key, s)
	if isAsked(key) || isConverter(key) {
		j.initializesHolder(o, s)
	}
	if name, getter := strings.CutPrefix(key, getPrefix); getter && isAsked(name) {
		j.receive(o, j.returns(s), true)
		j.initializesHolder(o, j.returns(s))
	} else if getter && isConverter(name) {
		j.invoke(j.returns(s).functions(), objectValue(o))
		j.initializesHolder(o, j.returns(s))
	}
}

// asked looks at what is put under a name that the language, or the library, calls by itself: on an object of the
// program's, and on one that is not known.
func (j *javascript) asked(key string, s value) {
	if isAsked(key) || key == "handleEvent" {
		j.givenToCall(s, j.here)
	} else if isHandler(key) {
		j.mayBeCalled(s, j.here)
	}
}

// putLoose stores a value under a key that is not known.
func (j *javascript) putLoose(o *object, s value, numeric bool) {
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
			if asked && (v.kind == atomUnknown || v.kind == atomComputed) {
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
		j.givesKeys(objectValue(o), j.hasForeignKeys(v.obj))
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

// enclosing is what changes from function to function.
type enclosing struct {
	function    *function
	this, super value
	class       *object
	path        string
	strict      bool
}

func (j *javascript) save() enclosing {
	return enclosing{j.function, j.this, j.super, j.class, j.path, j.strict}
}

func (j *javascript) restore(c enclosing) {
	j.function, j.this, j.super, j.class, j.path, j.strict = c.function, c.this, c.super, c.class, c.path, c.strict
}

// definition evaluates a function and walks its body.
func (j *javascript) definition(i int) value {
	t, o := j.tree, j.objectAt(i)
	if o.code == nil {
		o.code = &function{node: i, arrow: t.Kind(i) == kindArrowFunction}
		o.code.generator = hasWord(t, i, "*")
		o.code.async = hasWord(t, i, "async")
		o.code.method = t.Kind(i) == kindMethodDefinition
	}
	f := o.code
	old := j.save()
	f.outer = old.function
	j.function = f
	body := t.Child(i, bodyField)
	if body != analyze.NoNode && t.Kind(body) == kindStatementBlock && !j.strict {
		j.strict = j.directive(body)
	}
	f.strict = j.strict
	if j.walksAgain(f, old) {
		j.body(o, old)
		j.leave()
	}
	j.restore(old)
	return objectValue(o)
}

// walksAgain begins to walk the body of a function; it is false where that can be left out.
func (j *javascript) walksAgain(f *function, around enclosing) bool {
	u := &f.unit
	if len(j.with) > 0 || !slices.Equal(u.this, around.this) || !slices.Equal(u.super, around.super) {
		u.stale = true
	}
	u.this, u.super = around.this, around.super
	return j.enter(u)
}

// body walks the body of a function.
func (j *javascript) body(o *object, around enclosing) {
	t, f := j.tree, o.code
	i := f.node
	body := t.Child(i, bodyField)
	if !f.arrow {
		waits := j.unit.waits
		j.this = j.thisOf(o, around)
		if len(j.receiversWithin(i, t.After(i))) == 0 { // nobody asks for it
			j.unit.waits = waits
		}
	}
	if j.emit {
		if f.path == "" {
			f.path = analyze.Path(j.path, j.functionName(i))
		}
		j.path = f.path
	}
	f.arity = j.arity(i)
	j.parameters(f)
	if body != analyze.NoNode {
		if t.Kind(body) == kindStatementBlock {
			j.statements(body)
			f.bare = f.bare || !j.leaves(body)
			if f.bare && !f.generator {
				j.grow(&f.gives, &f.ret, ofKind(atomUndefined))
			}
		} else {
			j.grow(&f.gives, &f.ret, j.load(body))
		}
	}
	j.reads(&f.given)
	if f.outside {
		j.reads(&f.gives)
		j.escape(f.ret, i)
		if j.asksArguments && f.showsArguments() {
			j.escape(f.all, i)
		}
	}
}

// leaves tells whether what comes after a statement is never reached.
func (j *javascript) leaves(i int) bool {
	t := j.tree
	switch t.Kind(i) {
	case kindReturnStatement, kindThrowStatement:
		return true
	case kindStatementBlock, kindElseClause, kindFinallyClause, kindCatchClause:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if j.leaves(c) {
				return true
			}
		}
	case kindIfStatement:
		then, otherwise := t.Child(i, consequenceField), t.Child(i, alternativeField)
		return then != analyze.NoNode && otherwise != analyze.NoNode && j.leaves(then) && j.leaves(otherwise)
	case kindTryStatement:
		all := true
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch ends := j.leaves(c); {
			case t.Kind(c) == kindFinallyClause && ends:
				return true
			case t.Kind(c) != kindFinallyClause && t.Kind(c) != kindComment:
				all = all && ends
			}
		}
		return all
	case kindSwitchStatement:
		return j.switchLeaves(i)
	case kindWhileStatement, kindDoStatement:
		c := t.Child(i, conditionField)
		return c != analyze.NoNode && strings.Trim(t.Source(c), "() ") == "true" && !j.breaks(i)
	case kindForStatement:
		c := t.Child(i, conditionField)
		return (c == analyze.NoNode || t.Kind(c) == kindEmptyStatement) && !j.breaks(i)
	}
	return false
}

// switchLeaves is leaves of a switch: it has a default, ends in what leaves, and has no break.
func (j *javascript) switchLeaves(i int) bool {
	t := j.tree
	body, last, fallback := t.Child(i, bodyField), analyze.NoNode, false
	if body == analyze.NoNode || j.breaks(i) {
		return false
	}
	for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindSwitchCase, kindSwitchDefault:
			last, fallback = c, fallback || t.Kind(c) == kindSwitchDefault
		}
	}
	if !fallback || last == analyze.NoNode {
		return false
	}
	for c := t.FirstNamed(last); c != analyze.NoNode; c = t.NextNamed(c) {
		if j.leaves(c) {
			return true
		}
	}
	return false
}

// breaks tells whether there is a break in node i, wherever it leads.
func (j *javascript) breaks(i int) bool {
	for k := i + 1; k < j.tree.After(i); k++ {
		if j.tree.Kind(k) == kindBreakStatement {
			return true
		}
	}
	return false
}

// thisOf returns what "this" is in a function that is no arrow function.
func (j *javascript) thisOf(o *object, outer enclosing) value {
	f := o.code
	j.reads(&f.given)
	s := f.this
	if f.method && outer.class != nil {
		s = j.join(s, outer.this)
	}
	if f.instance != nil {
		s = j.join(s, objectValue(f.instance))
	}
	if f.outside {
		s = j.join(s, j.join(anything(), j.known(&j.hearing)))
	}
	// Who calls without a receiver, or is the library, gives a function that is not
	// strict the global object. What a class holds is strict.
	if f.plain && f.strict {
		s = j.maybe(s)
	} else if f.plain {
		s = j.join(s, symbol("globalThis"))
	}
	if j.unseen(s) {
		return anything()
	}
	if !f.strict {
		s = j.boxed(s, f.node)
	}
	return j.withHeirs(s)
}

// functionName returns the name that a reader would give a function.
func (j *javascript) functionName(i int) string {
	t := j.tree
	if name := t.Child(i, nameField); name != analyze.NoNode && t.Kind(name) != kindComputedPropertyName {
		return shown(j.keyText(name))
	}
	p := t.Parent(i)
	for _, f := range []analyze.Field{nameField, keyField, leftField, propertyField} {
		if name := t.Child(p, f); name != analyze.NoNode && (t.Kind(name) == kindIdentifier || t.Kind(name) == kindPropertyIdentifier) {
			return j.identifierText(name)
		}
	}
	return "<anonymous>"
}

// parameters binds the parameters to what the callers pass.
func (j *javascript) parameters(f *function) {
	t := j.tree
	if p := t.Child(f.node, parameterField); p != analyze.NoNode {
		j.bindPattern(p, j.parameter(f, 0), p)
		return
	}
	list, n := t.Child(f.node, parametersField), 0
	if list == analyze.NoNode {
		return
	}
	for p := t.FirstNamed(list); p != analyze.NoNode; p = t.NextNamed(p) {
		if t.Kind(p) != kindRestPattern {
			j.bindPattern(p, j.parameter(f, n), p)
			n++
			continue
		}
		rest := j.objectFor(p, 0)
		rest.array, rest.mutable = true, true
		j.grow(&rest.readBy, &rest.rest, f.all)
		if f.outside || f.asked {
			j.grow(&rest.readBy, &rest.rest, anything())
		}
		if e := t.FirstNamed(p); e != analyze.NoNode {
			j.bindPattern(e, objectValue(rest), p)
		}
	}
}

func (j *javascript) parameter(f *function, n int) value {
	j.reads(&f.given)
	var s value
	if n < len(f.params) {
		s = f.params[n]
	}
	if f.outside || f.asked {
		s = j.join(s, anything())
	}
	return s
}

// arity is the number of parameters of the function at node i.
func (j *javascript) arity(i int) int {
	if j.tree.Child(i, parameterField) != analyze.NoNode {
		return 1
	}
	n := 0
	if list := j.tree.Child(i, parametersField); list != analyze.NoNode {
		for p := j.tree.FirstNamed(list); p != analyze.NoNode; p = j.tree.NextNamed(p) {
			n++
		}
	}
	return n
}

// classDefinition evaluates a class and walks its body. Its instances and its
// prototype are one object.
func (j *javascript) classDefinition(i int) value {
	t, o := j.tree, j.objectAt(i)
	instance := j.instanceOf(o)
	if o.class == nil {
		o.class = &class{instance: instance}
	}
	old := j.save()
	j.strict = true
	heritage := j.heritage(i, o)
	if name := t.Child(i, nameField); name != analyze.NoNode {
		j.declareValue(int(j.scopeOf[i]), name, objectValue(o))
	}
	if j.emit {
		j.path = analyze.Path(j.path, j.functionName(i))
	}
	j.class = o
	replaced := j.replaced(heritage)
	body := t.Child(i, bodyField)
	if body != analyze.NoNode {
		for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
			static := hasWord(t, c, "static") || hasWord(t, c, "static get")
			holder := instance
			j.super = j.prototypes(heritage)
			if static || t.Kind(c) == kindClassStaticBlock {
				holder, j.super = o, heritage
			}
			if holder == o {
				j.classMember(o, o, nil, c, static)
			} else {
				j.classMember(o, holder, replaced, c, static)
			}
		}
	}
	j.restore(old)
	return objectValue(o)
}

// madeAgain says that the language calls a constructor with what it chooses, where what that makes is below a class
// whose methods make another object like the one that they are called of.
func (j *javascript) madeAgain(class, constructor *object) {
	_, above := j.lineage(j.instanceOf(class))
	if slices.ContainsFunc(above, func(v atom) bool { return v.kind != atomSymbol || makesLike(v.text) }) {
		j.askFor(constructor.code)
	}
}

// makesLike tells whether methods of a class make an object with the class of the one that they are called of.
func makesLike(prototype string) bool {
	class, _ := prototypeOwner(prototype)
	switch class {
	case "globalThis.ArrayBuffer", "globalThis.Buffer", "globalThis.Promise", "globalThis.RegExp", "globalThis.SharedArrayBuffer", "node:buffer.Buffer":
		return true
	}
	return strings.HasPrefix(class, "globalThis.") && strings.HasSuffix(class, "Array")
}

func (j *javascript) heritage(i int, o *object) value {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindClassHeritage {
			continue
		}
		s := j.load(t.FirstNamed(c))
		j.grow(&o.readBy, &o.class.super, s)
		j.derive(o, s)
		j.derive(o.class.instance, j.prototypes(s))
		for _, v := range s {
			if v.kind == atomObject && v.obj.bound != nil {
				j.derive(o, v.obj.bound)
			}
		}
		return s
	}
	return nil
}

// prototypes returns what instances of the classes in s inherit from.
func (j *javascript) prototypes(s value) value {
	var out value
	for _, v := range s {
		switch v.kind {
		case atomSymbol:
			out = j.join(out, symbol(v.text+".prototype"))
		case atomObject:
			if v.obj.callable() {
				out = j.join(out, objectValue(j.instanceOf(v.obj)))
			} else if j.reads(&v.obj.readBy); v.obj.bound != nil { // which has one only where the program gives it one
				out = j.join(out, j.join(j.own(v.obj, prototypeKey), v.obj.rest.objects()))
			}
		case atomNull, atomUndefined:
		default:
			out = j.join(out, anything())
		}
	}
	return out
}

// instanceOf returns the object that stands for the instances of a class.
func (j *javascript) instanceOf(o *object) *object {
	if o.class != nil {
		return o.class.instance
	}
	instance := j.objectFor(o.node, 4)
	instance.instanceOf = o
	instance.mutable = true
	return instance
}

// replaced returns what constructors of the classes in s return in place of the
// object that new makes: the fields of a class below them are put on that.
func (j *javascript) replaced(s value) value {
	var out, above value
	held, seen := slices.Clip(s), map[*object]bool{}
	for n := 0; n < len(held) && j.step(); n++ {
		f := held[n].obj
		if held[n].kind != atomObject || seen[f] {
			continue
		}
		seen[f] = true
		j.reads(&f.readBy)
		switch {
		case f.bound != nil:
			above = f.bound
		case f.class != nil:
			above = f.class.super
			f = f.constructor
		default:
			above = nil
		}
		held = append(held, above...)
		if f == nil || f.code == nil {
			continue
		}
		j.reads(&f.code.gives)
		for _, r := range f.code.ret {
			if r.kind == atomObject {
				j.mutates(r.obj)
			}
		}
		out = j.inPlace(out, f.code.ret)
	}
	return out
}

// inPlace adds to out what a constructor that returns s gives in the place of what new makes. Bytes
// are an object, too, to which whoever makes it may write.
func (j *javascript) inPlace(out, s value) value {
	for _, r := range s {
		if r.kind == atomBytes {
			j.writes()
		}
		if !r.constant() || r.kind == atomBytes {
			out = j.add(out, r)
		}
	}
	return out
}

// classMember evaluates a member of a class, which its holder has, and where it is a field what
// constructors above give in the place of that.
func (j *javascript) classMember(class, holder *object, replaced value, i int, static bool) {
	t := j.tree
	outer, this := j.this, j.withHeirs(j.join(objectValue(holder), replaced))
	j.this = this
	defer func() { j.this = outer }()
	switch t.Kind(i) {
	case kindMethodDefinition:
		j.this = outer
		keys := j.methodKeys(i)
		j.this = this
		f := j.definition(i)
		if key, ok := keys.str(); ok && key == "constructor" && !static && !j.hasComputedName(i) {
			class.constructor = f[0].obj
			j.madeAgain(class, class.constructor)
			return
		}
		j.definesLength(objectValue(holder), keys, i)
		j.putMethod(holder, keys, f, j.accessor(i))
	case kindFieldDefinition:
		keys := ofKind(atomUnknown)
		if p := t.Child(i, propertyField); p != analyze.NoNode {
			if t.Kind(p) == kindComputedPropertyName {
				j.this = outer
				keys = j.load(t.FirstNamed(p))
				j.this = this
			} else {
				keys = stringValue(j.memberKey(p))
			}
		}
		j.definesLength(j.join(objectValue(holder), replaced), keys, i)
		if v := t.Child(i, valueField); v != analyze.NoNode {
			s := j.load(v)
			if key, ok := keys.str(); ok && !s.any(atomUnknown) && j.fieldAskedBefore(class, holder, key, i) {
				s = j.maybe(s)
			}
			j.putAny(holder, keys, s)
			for _, h := range replaced {
				if h.obj != nil { // which nobody may have given yet
					j.putAny(h.obj, keys, j.maybe(s))
				} else {
					j.assignMember(one(h), keys, s, i)
				}
			}
			if !static && class.class.super.any(atomUnknown) { // whose constructor may return anything
				j.prepared(keys, s, i)
			}
		} else {
			j.putAny(holder, keys, ofKind(atomUndefined))
			for _, h := range replaced {
				if h.obj != nil {
					j.putAny(h.obj, keys, ofKind(atomUndefined))
				}
			}
		}
	case kindClassStaticBlock:
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statements(b)
		}
	}
}
