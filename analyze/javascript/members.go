package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// members evaluates a member with a computed key.
func (j *javascript) members(owner, keys value, at int) value {
	j.convertsAll(keys)
	var out value
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			out = j.join(out, j.memberOf(owner, key, at))
			if k == tableAtom {
				for _, o := range owner {
					for _, name := range j.namedAsInherited(o) {
						out = j.join(out, j.memberOf(one(o), name, at))
					}
				}
			}
		} else {
			out = j.join(out, j.anyMember(owner, k.numeric(), at))
		}
	}
	if j.unseen(keys) {
		out = j.anyMember(owner, false, at)
	}
	return out
}

// memberOf evaluates a member with a known key.
func (j *javascript) memberOf(owner value, key string, at int) value {
	var out value
	for _, v := range owner.present() {
		out = j.join(out, j.memberOfValue(v, key, at))
	}
	if j.unseen(owner) {
		return j.memberOfValue(atom{}, key, at)
	}
	return out
}

func (j *javascript) memberOfValue(v atom, key string, at int) value {
	switch v.kind {
	case atomSymbol:
		if key == "undefined" && v.text != "globalThis" {
			return j.join(ofKind(atomUndefined), j.shared(key))
		}
		if key == "arrayBuffer" { // of a prototype
			j.hasMemory()
		}
		if v == perhapsGlobal && !isNodeGlobal(key) && j.implicit[key] == nil && j.declaredGlobal(key) == nil {
			return anything()
		}
		return j.symbolMember(v.text, key, at)
	case atomObject:
		return j.localMember(v.obj, key, objectValue(v.obj), at)
	case atomString, atomAnyString:
		if v.kind == atomString {
			if s, ok := stringMember(v.text, key); ok {
				if s.any(atomUndefined) { // behind its end it has what all objects have
					return j.join(s, j.shared(key))
				}
				return s
			}
		}
		if key == "length" {
			return ofKind(atomAnyNumber)
		}
		return j.builtinMember("globalThis.String", key)
	case atomNumber, atomAnyNumber:
		return j.builtinMember("globalThis.Number", key)
	case atomBool:
		return j.builtinMember("globalThis.Boolean", key)
	case atomOnce:
		return j.builtinMember("globalThis.Symbol", key)
	case atomBytes:
		if !readsBytes(key) {
			j.writes()
		}
		return j.builtinMember("globalThis.Buffer", key)
	case atomNative:
		return j.builtinMember("globalThis.Function", key)
	case atomConstructor:
		switch key {
		case "name":
			return ofKind(atomAnyString)
		case "constructor":
			return symbol("globalThis.Function")
		case "call", "apply", "bind":
			j.madeByClass(v, at)
		}
		return ofKind(atomUnknown)
	}
	switch {
	case v.kind == atomComputed && v.num == 1 && slices.Contains(changers[:], key): // of Object, which is the constructor of most
		return j.join(ofKind(atomUnknown), symbol("globalThis.Object."+key))
	case v == tableAtom && strings.HasPrefix(key, "__define"):
		j.dynamicAt(analyze.DynamicClass, at)
		return nil
	case v == tableAtom && key == prototypeKey: // of Object
		return one(v)
	case v == tableAtom && key != "constructor":
		return j.inheritedMember(key)
	}
	switch key {
	case "constructor":
		if j.isOfThis(at) {
			return one(atom{kind: atomConstructor, text: ofThis})
		}
		return ofKind(atomConstructor)
	case "prepareStackTrace", "getThis", "getFunction":
		j.dynamicAt(analyze.DynamicFrame, at)
	case "listeners", "rawListeners":
		return value{{}, {kind: atomComputed, text: ofListeners}}
	case "historyManager", "setupHistoryManager":
		if j.lines {
			j.mention(historyOfLines, at, analyze.HowReference, false, nil, false)
		}
	case "engine": // of what zlib gives with its stream
		if v == withInside(handleOfZlib) {
			return value{{}, v}
		}
	case "connect":
		switch {
		case j.standard, v == streamAtom:
			j.connects(at)
		case j.consoles:
			j.dynamicAt(analyze.DynamicClass, at)
		}
	case "arguments":
		if !j.asksArguments {
			j.asksArguments = true
			j.learned(nil)
		}
	}
	for _, inside := range j.insides {
		if leadsInside(inside, key) {
			j.perhaps(inside, at, analyze.HowReference)
		}
	}
	j.showsMemory(key)
	j.takesMemory(key, at)
	return ofKind(atomUnknown)
}

// inheritedMember is a member of what all objects inherit: of Object mostly, or of a function.
func (j *javascript) inheritedMember(key string) value {
	switch key {
	case "length", "name":
		return one(tableAtom)
	case "create", "entries", "freeze", "fromEntries", "getOwnPropertyNames", "groupBy", "hasOwn", "is", "isExtensible", "isFrozen", "isSealed", "keys",
		"preventExtensions", "seal", "values":
		return symbol("globalThis.Object." + key)
	case "apply", "bind", "call", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf":
		return j.native(key)
	}
	return ofKind(atomUndefined)
}

// namedAsInherited returns the names of members of an object that functions have which all objects inherit.
func (j *javascript) namedAsInherited(v atom) (names []string) {
	if v.kind != atomObject {
		return nil
	}
	line, _ := j.lineage(v.obj)
	for _, name := range [...]string{"Object", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "hasOwnProperty", "isPrototypeOf",
		"propertyIsEnumerable", "toLocaleString", "toString", "valueOf"} {
		if slices.ContainsFunc(line, func(from *object) bool { return from.props[name] != nil }) {
			names = append(names, name)
		}
	}
	return names
}

// writes notes that something may write into Buffers: from then on none is what it
// was made of alone.
func (j *javascript) writes() {
	if !j.written {
		j.written = true
		j.learned(nil)
	}
}

// readsBytes is true for members of a Buffer that leave it as it is.
func readsBytes(key string) bool {
	switch key {
	case "toString", "length", "byteLength", "equals", "compare", "includes", "indexOf", "lastIndexOf", "toJSON", "at", "join", "constructor":
		return true
	}
	return strings.HasPrefix(key, "read") || isIndex(key)
}

// builtinMember is a member of a value that class makes, or what the program has
// put there instead.
func (j *javascript) builtinMember(class, key string) value {
	return j.join(j.memberOrStored(j.ownMember(class, key), key), j.shared(key))
}

// memberOrStored joins a member of the language and what the program has put under its name, anew
// when there is more.
func (j *javascript) memberOrStored(own value, key string) value {
	stored := j.stored(key)
	p := j.place(key)
	if len(own)+len(stored) > maxConsts {
		return j.join(own, stored)
	}
	if !p.member.same(own) || !p.beside.same(stored) {
		p.member, p.beside, p.joined = own, stored, j.join(own, stored)
	}
	return p.joined
}

// ownMember is a member of a value that class makes.
func (j *javascript) ownMember(class, key string) value {
	switch key {
	case "constructor":
		return symbol(class)
	case "length", "byteLength":
		return ofKind(atomAnyNumber)
	case "__proto__", prototypeKey:
		return symbol(class + ".prototype")
	case "name":
		return ofKind(atomAnyString)
	}
	if isIndex(key) { // which may not be there
		return anything()
	}
	return j.native(key)
}

// isOfThis tells whether node i asks this for a member, in a function.
func (j *javascript) isOfThis(i int) bool {
	return j.function != nil && j.tree.Kind(i) == kindMemberExpression && j.tree.Kind(j.bare(j.tree.Child(i, objectField))) == kindThis
}

// madeByClass notes that the class of something that is not known is called, or goes where it is not followed: that of
// a function makes code.
func (j *javascript) madeByClass(v atom, at int) {
	if v.text == ofThis {
		j.dynamicAt(analyze.DynamicClass, at)
	} else {
		j.dynamicAt(analyze.DynamicSubclass, at)
	}
}

// native is a method of the language, made once for each name.
func (j *javascript) native(key string) value {
	s := j.natives[key]
	if s == nil {
		s = value{{kind: atomNative, text: key}}
		j.natives[key] = s
	}
	return s
}

// symbolMember evaluates a member of an outside symbol. Where the same thing
// has another name, both count as mentioned.
func (j *javascript) symbolMember(owner, key string, at int) value {
	if class, ok := prototypeOwner(owner); ok && key == "constructor" {
		return symbol(class)
	}
	if key == "constructor" && owner != "globalThis.module" {
		if isNamespace(owner) || isPlainObject(owner) || isModule(owner) {
			return ofKind(atomConstructor)
		}
		return symbol("globalThis.Function") // most symbols are functions
	}
	if (isModule(owner) || owner == "globalThis.console") && (key == "then" || key == "catch" || key == "finally") {
		return j.native(key) // of the promise that import() yields
	}
	if owner == "globalThis.Symbol" && key == "hasInstance" && !j.hasInstances {
		j.hasInstances = true
		j.learned(nil)
	}
	if owner == "globalThis" {
		switch key {
		case "undefined", "NaN", "Infinity":
			return ofKind(atomUnknown)
		}
		if p := j.implicit[key]; p != nil && !isBuiltinGlobal(key) {
			return j.join(j.declaredGlobal(key), j.join(j.known(p), anything()))
		}
		if s := j.declaredGlobal(key); s != nil && !isBuiltinGlobal(key) {
			return j.join(s, anything())
		}
	}
	if len(owner)+len(key) > analyze.MaxName {
		return anything()
	}
	m, ok := j.symbols[[2]string{owner, key}]
	if !ok {
		m = member{raw: owner + "." + key, name: memberSymbol(owner, key)}
		m.set = symbol(m.name)
		j.symbols[[2]string{owner, key}] = m
	}
	s, name := m.set, m.name
	switch {
	case isPrivate(key), isIndex(key) && prototypeOf(owner): // which the prototype of lists, or texts, has not
		s = anything()
	case isNumber(owner, key):
		s = ofKind(atomAnyNumber)
	}
	if m.raw != name {
		j.mention(m.raw, at, analyze.HowReference, true, nil, false)
	}
	if name == "globalThis.module.exports" {
		return j.known(&j.exports)
	}
	if owner == "globalThis.arguments" && key == "1" {
		j.mention("globalThis.arguments", at, analyze.HowReference, true, nil, false)
		return symbol("globalThis.require")
	}
	if p := j.patched[name]; p != nil {
		s = j.join(s, j.known(p))
	}
	if j.isLent(owner) {
		s = j.join(s, j.stored(key))
	}
	if shared := j.sharedAt(key); len(shared) > 0 {
		s = j.join(s, slices.DeleteFunc(slices.Clone(shared), func(v atom) bool { return v.kind == atomUnknown }))
	}
	return s
}

// isNumber tells whether a member of the global object's Number or Math is a number, which nobody can replace.
func isNumber(owner, key string) bool {
	switch owner {
	case "globalThis.Number":
		switch key {
		case "EPSILON", "MAX_SAFE_INTEGER", "MAX_VALUE", "MIN_SAFE_INTEGER", "MIN_VALUE", "NEGATIVE_INFINITY", "NaN", "POSITIVE_INFINITY":
			return true
		}
	case "globalThis.Math":
		switch key {
		case "E", "LN10", "LN2", "LOG10E", "LOG2E", "PI", "SQRT1_2", "SQRT2":
			return true
		}
	}
	return false
}

// declaredGlobal is what a cell of a session has declared under a name, which
// makes it a property of the global object.
func (j *javascript) declaredGlobal(name string) value {
	if b := j.bindings[scopedName{1, name}]; j.cells && b != nil {
		j.reads(&b.readBy)
		return b.values
	}
	return nil
}

// member is a member of an outside symbol: as written, and what it is.
type member struct {
	raw, name string
	set       value
}

// prototypeOwner returns the class that a symbol is the prototype of.
func prototypeOwner(name string) (string, bool) {
	const suffix = ".prototype"
	if n := len(name) - len(suffix); n > 0 && name[n:] == suffix {
		return name[:n], true
	}
	return "", false
}

// localMember evaluates a member of an object of the program, of which a getter is
// told that it was asked of this. An own member may not be there yet, or no longer: then
// it is what any of the objects has that this one inherits from.
func (j *javascript) localMember(o *object, key string, this value, at int) value {
	if !j.step() {
		return anything()
	}
	var out value
	line, others := j.lineage(o)
	found, perhaps := false, false
	for _, from := range line {
		if p := from.props[key]; p != nil {
			out, found = j.join(out, *p), true
		}
		if g := from.getter(key); g != nil {
			out, found = j.join(out, j.invoke(*g, this)), true
		} else if from.accessors && (from.props[setPrefix+key] != nil || from.props[setPrefix+anyKey] != nil) {
			perhaps = true // only a setter gets it, and hides what is behind it
		}
		if from.bare {
			out = j.maybe(out)
		}
		perhaps = perhaps || from.moved && !found
		if !from.collection && !from.array || isIndex(key) {
			out = j.join(out, from.rest)
		}
		if key != "length" {
			out = j.join(out, from.loosely(key))
		}
		if from.escaped {
			out = j.join(out, anything())
		}
	}
	if perhaps || key == objectText {
		out = j.maybe(out)
	}
	found = found && len(out) > 0
	if isIndex(key) && slices.ContainsFunc(line, func(from *object) bool { return from.shrinks }) {
		out = j.maybe(out)
	}
	for _, v := range others {
		if v.kind == atomNull || v.kind == atomUndefined {
			continue
		}
		if !found {
			out = j.join(out, j.memberOfValue(v, key, at))
			if j.leaked > 0 { // which the library may have put there
				out = j.join(out, anything())
			}
		} else if v != (atom{kind: atomSymbol, text: "globalThis.Object.prototype"}) {
			out = j.join(out, anything()) // what the library puts there by itself
		}
	}
	if !found {
		for _, from := range line {
			if len(from.proto) == 0 || len(out) == 0 {
				out = j.join(out, j.inherited(from, key))
			}
		}
		out = j.join(out, j.shared(key))
	} else if j.pinned || out.any(atomUndefined) { // what was assigned may not have been put
		out = j.join(out, j.shared(key))
	}
	if found {
		for _, from := range line { // which may keep what is below it from getting such a member
			if from == o && out.any(atomUndefined) || from.hides(key) {
				out = j.join(out, j.builtin(from, key))
			}
		}
	}
	if key == prototypeKey && o.class != nil { // which nobody replaces, and no class above it hides
		out = j.join(out, objectValue(o.class.instance))
	}
	if key == prototypeKey && !j.extends(out, at) {
		j.isPrototype(out)
	}
	return out
}

// isPrototype says that the objects in s are asked for as prototypes: those that stand for the
// instances of a class, too, have not all that these have.
func (j *javascript) isPrototype(s value) {
	for _, v := range s {
		if v.kind == atomObject && v.obj.instanceOf != nil && !v.obj.bare {
			v.obj.bare = true
			j.learned(&v.obj.readBy)
		}
	}
}

// extends tells whether the prototype that node i yields, one of s, gets a member, or one of its methods is
// handed on: nobody is called of it.
func (j *javascript) extends(s value, i int) bool {
	t := j.tree
	p := t.Parent(i)
	if k := t.Kind(p); k != kindMemberExpression && k != kindSubscriptExpression || t.Field(i) != objectField {
		return false
	}
	key := anyKey
	if name := t.Child(p, propertyField); name != analyze.NoNode {
		key = j.memberKey(name)
	}
	switch of := t.Parent(p); t.Kind(of) {
	case kindAssignmentExpression:
		return t.Field(p) == leftField && !j.hasAccessor(s, setPrefix, key)
	case kindMemberExpression:
		return t.Field(p) == objectField && !j.hasAccessor(s, getPrefix, key)
	case kindCallExpression:
		return t.Field(p) == functionField && isHarmlessMethod(key) && !j.hasAccessor(s, getPrefix, anyKey) && !slices.ContainsFunc(s, func(v atom) bool {
			return v.kind == atomObject && (len(j.own(v.obj, key)) > 0 || len(j.own(v.obj, "toString")) > 0)
		})
	}
	return false
}

// hasAccessor tells whether one of the objects in s may have an accessor under a key.
func (j *javascript) hasAccessor(s value, prefix, key string) bool {
	return slices.ContainsFunc(s, func(v atom) bool {
		if v.kind != atomObject {
			return false
		}
		line, _ := j.lineage(v.obj)
		return slices.ContainsFunc(line, func(from *object) bool {
			return from.accessors && (key == anyKey || from.props[prefix+key] != nil || from.props[prefix+anyKey] != nil)
		})
	})
}

// getter returns the functions that are called when a member is read, or nil.
func (o *object) getter(key string) *value {
	if !o.accessors {
		return nil
	}
	return o.props[getPrefix+key]
}

// loosely is what an array or a collection may have under a key that is no index,
// because somebody wrote to keys that are not known: to elements, mostly.
func (o *object) loosely(key string) value {
	if o.props[key] != nil {
		return o.loose
	}
	var out value
	for _, v := range o.loose {
		switch v.kind {
		case atomComputed, atomConstructor, atomSymbol, atomObject:
			out = append(out, v)
		}
	}
	return out
}

// hides tells whether what the program puts under a key is there beside a method that
// the language has for such objects.
func (o *object) hides(key string) bool {
	return (o.array || o.collection || o.iterator) && !isIndex(key) || (o.callable() || o.bound != nil) && isFunctionKey(key)
}

// callable is true for a function or class of the program.
func (o *object) callable() bool { return o.code != nil || o.class != nil }

// makes is true for a class or function that has a prototype: arrow functions, methods and asynchronous functions have
// none.
func (o *object) makes() bool {
	f := o.code
	return f == nil || f.generator || !f.arrow && !f.method && !f.async
}

// isFunctionKey is true for what every function has.
func isFunctionKey(key string) bool {
	switch key {
	case "apply", "arguments", "bind", "call", "caller", "length", "name", "toString":
		return true
	}
	return false
}

// isIndex is true for a key of an element, or another that a number may be.
func isIndex(key string) bool {
	return key != "" && (key[0] >= '0' && key[0] <= '9' || key[0] == '-') || key == "NaN" || key == "Infinity"
}

// inherited is what an object has from the class that it is of.
func (j *javascript) inherited(o *object, key string) value {
	switch {
	case o.instanceOf != nil:
		if key == "constructor" {
			if o.mayHaveLost() { // then it is that of what all objects inherit from
				j.dynamicAt(analyze.DynamicClass, j.here)
			}
			return objectValue(o.instanceOf)
		}
		return anything()
	case o.bound != nil:
		return j.builtinMember("globalThis.Function", key)
	case o.callable():
		switch key {
		case prototypeKey:
			if !o.makes() {
				return ofKind(atomUndefined)
			}
			return objectValue(j.instanceOf(o))
		case "name":
			if n := j.tree.Child(o.node, nameField); n != analyze.NoNode && !o.mayHaveLost() && j.tree.Kind(n) != kindComputedPropertyName {
				if name := j.keyText(n); name != objectText {
					return literal(name)
				}
			}
		}
		if key == "arguments" && o.code.showsArguments() { // while it runs, and else null
			return j.join(j.argumentsOf(o.code), ofKind(atomNull))
		}
		return j.builtinMember("globalThis.Function", key)
	}
	if s := j.builtin(o, key); len(s) > 0 {
		return s
	}
	if len(o.rest) == 0 && !o.escaped && !o.proxied && !o.collection {
		return ofKind(atomUndefined)
	}
	return anything()
}

// mayHaveLost tells whether a member of an object was deleted, perhaps, of which the name is not known: also one that the
// language has put there, as the name of a function.
func (o *object) mayHaveLost() bool { return o.rest.any(atomUndefined) }

// builtin is what the language itself gives an object under a key.
func (j *javascript) builtin(o *object, key string) value {
	switch {
	case (o.callable() || o.bound != nil) && (isFunctionKey(key) || key == "constructor" || key == "__proto__"):
		return j.builtinMember("globalThis.Function", key)
	case o.array:
		return j.builtinMember("globalThis.Array", key)
	case o.collection || o.iterator:
		return j.join(j.native(key), j.shared(key))
	}
	switch key {
	case "constructor":
		return symbol("globalThis.Object")
	case "__proto__":
		return symbol("globalThis.Object.prototype")
	case "hasOwnProperty", "toString", "valueOf", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__":
		return j.native(key)
	}
	return nil
}

// underUnknown is what an object has under keys that are not known, of a list or collection
// without its elements.
func (o *object) underUnknown() value {
	if o.array || o.collection {
		return o.loose
	}
	return o.rest
}

// looseFunctions are the functions that an object has, or inherits, under keys that are not
// known: the language may ask for any of them by a name of its own.
func (j *javascript) looseFunctions(o *object) value {
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		out = j.join(out, from.underUnknown().functions())
	}
	return out
}

// gives is what calling functions of the program yields, which nobody was seen to call: of a
// generator what iterates over what it yields.
func (j *javascript) gives(functions value) value {
	var out value
	for n, held := 0, slices.Clip(functions); n < len(held) && n < maxAtoms; n++ {
		v := held[n]
		if v.kind != atomObject { // more than are told apart
			out = j.join(out, anything())
			continue
		}
		j.reads(&v.obj.readBy)
		held = append(held, v.obj.bound.functions()...)
		if v.obj.code != nil && v.obj.code.generator {
			out = j.join(out, j.callFunction(v.obj, callee{node: j.here, member: true}, arguments{at: j.here, splat: true, rest: anything()}))
		} else {
			out = j.join(out, j.returns(one(v)))
		}
	}
	return out
}

// ownOrLoose is own, and the functions under keys that are not known.
func (j *javascript) ownOrLoose(o *object, key string) value {
	return j.join(j.own(o, key), j.looseFunctions(o))
}

// own returns what the program put under a key of an object or of what it
// inherits from, also what an accessor gives.
func (j *javascript) own(o *object, key string) value {
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		if p := from.props[key]; p != nil {
			out = j.join(out, *p)
		}
		if g := from.getter(key); g != nil {
			out = j.join(out, j.invoke(*g, objectValue(o)))
		}
	}
	return out
}
