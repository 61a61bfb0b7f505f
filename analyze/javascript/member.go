package javascript

import (
	"strings"

	"sallyport/analyze"
)

// members evaluates a member with a computed key.
func (j *jsWalk) members(owner, keys jsSet, at int) jsSet {
	var out jsSet
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			out = j.union(out, j.memberOf(owner, key, at))
		} else {
			out = j.union(out, j.anyMember(owner, k.numeric(), at))
		}
	}
	if len(keys) == 0 {
		out = j.anyMember(owner, false, at)
	}
	return out
}

// memberOf evaluates a member with a known key.
func (j *jsWalk) memberOf(owner jsSet, key string, at int) jsSet {
	var out jsSet
	for _, v := range owner {
		out = j.union(out, j.memberOfValue(v, key, at))
	}
	if len(owner) == 0 {
		return j.memberOfValue(jsValue{}, key, at)
	}
	return out
}

func (j *jsWalk) memberOfValue(v jsValue, key string, at int) jsSet {
	switch v.kind {
	case jsSymbol:
		return j.symbolMember(v.text, key, at)
	case jsLocal:
		return j.localMember(v.obj, key, at, 0)
	case jsConstString, jsAnyString:
		if v.kind == jsConstString {
			if s, ok := stringMember(v.text, key); ok {
				return s
			}
		}
		if key == "length" {
			return kindSet(jsAnyNumber)
		}
		return builtinMember("globalThis.String", key)
	case jsConstNumber, jsAnyNumber:
		return builtinMember("globalThis.Number", key)
	case jsConstBool:
		return builtinMember("globalThis.Boolean", key)
	case jsConstBytes:
		return builtinMember("globalThis.Buffer", key)
	case jsNative:
		return builtinMember("globalThis.Function", key)
	case jsConstructor:
		switch key {
		case "name":
			return kindSet(jsAnyString)
		case "constructor":
			return symbolSet("globalThis.Function")
		case "call", "apply", "bind":
			j.unresolved(analyze.DynamicSubclass, at)
		}
		return kindSet(jsUnknown)
	}
	switch key {
	case "constructor":
		return kindSet(jsConstructor)
	case "prepareStackTrace", "getThis":
		j.unresolved(analyze.DynamicFrame, at)
	}
	return kindSet(jsUnknown)
}

// builtinMember is a member of a value that class makes.
func builtinMember(class, key string) jsSet {
	switch key {
	case "constructor":
		return symbolSet(class)
	case "length", "byteLength":
		return kindSet(jsAnyNumber)
	case "__proto__", "prototype":
		return symbolSet(class + ".prototype")
	case "name":
		return kindSet(jsAnyString)
	}
	return kindSet(jsNative)
}

// symbolMember evaluates a member of an outside symbol. Where the same thing
// has another name, both count as mentioned.
func (j *jsWalk) symbolMember(owner, key string, at int) jsSet {
	if class, ok := prototypeOwner(owner); ok && key == "constructor" {
		return symbolSet(class)
	}
	if key == "constructor" && owner != "globalThis.module" {
		if isNamespace(owner) || isPlainObject(owner) || isModule(owner) {
			return kindSet(jsConstructor)
		}
		return symbolSet("globalThis.Function") // most symbols are functions
	}
	if isModule(owner) && (key == "then" || key == "catch" || key == "finally") {
		return kindSet(jsNative) // of the promise that import() yields
	}
	if owner == "globalThis" {
		switch key {
		case "undefined", "NaN", "Infinity":
			return kindSet(jsUnknown)
		}
		if p := j.implicit[key]; p != nil && !isBuiltinGlobal(key) {
			return j.union(j.declaredGlobal(key), j.union(*p, unknownSet()))
		}
		if s := j.declaredGlobal(key); s != nil && !isBuiltinGlobal(key) {
			return j.union(s, unknownSet())
		}
	}
	m, ok := j.symbols[[2]string{owner, key}]
	if !ok {
		m = jsMember{raw: owner + "." + key, name: memberSymbol(owner, key)}
		m.set = symbolSet(m.name)
		j.symbols[[2]string{owner, key}] = m
	}
	s, name := m.set, m.name
	if m.raw != name {
		j.mention(m.raw, at, analyze.HowReference, true, nil, false)
	}
	if name == "globalThis.module.exports" {
		return j.exports
	}
	if owner == "globalThis.arguments" && key == "1" {
		j.mention("globalThis.arguments", at, analyze.HowReference, true, nil, false)
		return symbolSet("globalThis.require")
	}
	if p := j.implicit[" "+name]; p != nil {
		s = j.union(s, *p)
	}
	return s
}

// declaredGlobal is what a cell of a session has declared under a name, which
// makes it a property of the global object.
func (j *jsWalk) declaredGlobal(name string) jsSet {
	if b := j.bindings[jsName{1, name}]; j.cells && b != nil {
		return b.values
	}
	return nil
}

// jsMember is a member of an outside symbol: as written, and what it is.
type jsMember struct {
	raw, name string
	set       jsSet
}

// prototypeOwner returns the class that a symbol is the prototype of.
func prototypeOwner(name string) (string, bool) {
	const suffix = ".prototype"
	if n := len(name) - len(suffix); n > 0 && name[n:] == suffix {
		return name[:n], true
	}
	return "", false
}

// localMember evaluates a member of an object of the program.
func (j *jsWalk) localMember(o *jsEntity, key string, at, depth int) jsSet {
	if depth > 8 || !j.step() {
		return unknownSet()
	}
	var out jsSet
	p := o.props[key]
	if p != nil {
		out = *p
	}
	if g := o.props["get "+key]; g != nil {
		out = j.union(out, j.returns(*g, localSet(o)))
		p = g
	}
	if !o.collection && (!o.array || isIndex(key)) {
		out = j.union(out, o.rest)
	}
	if o.escaped {
		out = j.union(out, unknownSet())
	}
	if p != nil && len(out) > 0 {
		return out
	}
	for _, v := range o.proto {
		if v.kind == jsLocal {
			out = j.union(out, j.localMember(v.obj, key, at, depth+1))
		} else {
			out = j.union(out, j.memberOfValue(v, key, at))
		}
	}
	if len(o.proto) == 0 || len(out) == 0 {
		out = j.union(out, j.inherited(o, key))
	}
	return out
}

// isIndex is true for a key of an element.
func isIndex(key string) bool { return key != "" && key[0] >= '0' && key[0] <= '9' }

// inherited is what an object has from the class that it is of.
func (j *jsWalk) inherited(o *jsEntity, key string) jsSet {
	switch {
	case o.instanceOf != nil:
		if key == "constructor" {
			return localSet(o.instanceOf)
		}
		return unknownSet()
	case o.bound != nil:
		return builtinMember("globalThis.Function", key)
	case o.code != nil || o.class != nil:
		switch key {
		case "prototype":
			return localSet(j.instanceOf(o))
		case "name":
			if n := j.tree.Child(o.node, jsNameField); n != analyze.NoNode {
				return stringSet(j.identifierText(n))
			}
		}
		return builtinMember("globalThis.Function", key)
	case o.array:
		return builtinMember("globalThis.Array", key)
	}
	switch key {
	case "constructor":
		return symbolSet("globalThis.Object")
	case "__proto__":
		return symbolSet("globalThis.Object.prototype")
	case "hasOwnProperty", "toString", "valueOf", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__":
		return kindSet(jsNative)
	}
	if len(o.rest) == 0 && !o.escaped && !o.proxied && !o.collection {
		return kindSet(jsConstUndefined)
	}
	return unknownSet()
}

// anyMember evaluates a member whose key is not known.
func (j *jsWalk) anyMember(owner jsSet, numeric bool, at int) jsSet {
	var out jsSet
	for _, v := range owner {
		switch v.kind {
		case jsSymbol:
			if v.text == "globalThis.require.cache" {
				out = j.union(out, symbolSet("globalThis.module"))
			}
			if isNamespace(v.text) && (!numeric || v.text == "globalThis.arguments") {
				j.mention(v.text, at, analyze.HowReference, owner.single(), nil, false)
				j.unresolved(analyze.DynamicMember, at)
				if v.text == "globalThis.arguments" {
					out = j.union(out, symbolSet("globalThis.require"))
				}
			} else {
				j.mention(v.text, at, analyze.HowReference, owner.single(), nil, false)
			}
			out = j.union(out, computed(1, numeric))
		case jsLocal:
			out = j.union(out, j.anyLocalMember(v.obj, numeric, at))
		case jsConstString, jsAnyString:
			out = j.union(out, j.union(kindSet(jsAnyString), computed(1, numeric)))
		case jsNative, jsConstructor:
			out = j.union(out, computed(2, numeric))
		case jsComputed:
			out = j.union(out, computed(int(v.num)+1, numeric))
		default:
			out = j.union(out, computed(1, numeric))
		}
	}
	if len(owner) == 0 {
		return computed(1, numeric)
	}
	return out
}

// computed is what an unknown key yields: after two of them it may be Function.
func computed(depth int, numeric bool) jsSet {
	if numeric {
		return kindSet(jsUnknown)
	}
	return jsSet{{kind: jsComputed, num: float64(min(depth, 2))}}
}

func (j *jsWalk) anyLocalMember(o *jsEntity, numeric bool, at int) jsSet {
	out := j.held(o)
	for _, v := range o.proto {
		if v.kind == jsLocal && v.obj != o {
			out = j.union(out, j.held(v.obj))
		}
	}
	depth := 1
	if o.code != nil || o.class != nil {
		depth = 2
		j.anyOfFunction = j.anyOfFunction || o.class == nil && !numeric
	}
	if o.array && !numeric || len(out) == 0 || o.escaped || depth == 2 {
		out = j.union(out, computed(depth, numeric))
	}
	return out
}

// elements evaluates what iterating over s yields.
func (j *jsWalk) elements(s jsSet, at int) jsSet {
	var out jsSet
	for _, v := range s {
		switch {
		case v.kind == jsLocal && v.obj.code == nil:
			o := v.obj
			if s, ok := j.iterated(o, at); ok {
				out = j.union(out, s)
				continue
			}
			if o.collection && !o.array {
				out = j.union(out, localSet(j.pairOf(o, at)))
				continue
			}
			out = j.union(out, o.rest)
			if o.array && j.work(len(o.keys)) {
				for _, k := range o.keys {
					out = j.union(out, *o.props[k])
				}
			}
			if o.escaped || len(out) == 0 {
				out = j.union(out, unknownSet())
			}
		case v.kind == jsConstString, v.kind == jsAnyString:
			out = j.union(out, kindSet(jsAnyString))
		case v.kind == jsSymbol && isNamespace(v.text):
			j.unresolved(analyze.DynamicMember, at)
			if v.text == "globalThis.arguments" {
				out = j.union(out, symbolSet("globalThis.require"))
			}
			out = j.union(out, unknownSet())
		case v.kind == jsSymbol && v.text == "globalThis.require.cache":
			out = j.union(out, symbolSet("globalThis.module"))
		default:
			out = j.union(out, unknownSet())
		}
	}
	if len(out) == 0 {
		return unknownSet()
	}
	return out
}

// iterated evaluates iterating over an object that has an iterator of its own.
func (j *jsWalk) iterated(o *jsEntity, at int) (jsSet, bool) {
	var out jsSet
	found := false
	for _, key := range []string{"@@iterator", "@@asyncIterator"} {
		f := j.own(o, key, 0)
		if len(f) == 0 || j.applying > 10 {
			continue
		}
		found = true
		j.applying++
		for _, v := range j.returns(f, localSet(o)) {
			if v.kind == jsLocal {
				if next := j.own(v.obj, "next", 0); len(next) > 0 {
					out = j.union(out, j.memberOf(j.returns(next, oneOf(v)), "value", at))
					continue
				}
			}
			if v.obj != o {
				out = j.union(out, j.elements(oneOf(v), at))
			}
		}
		j.applying--
	}
	return j.union(out, unknownSet()), found
}

// own returns what the program put under a key of an object or of what it
// inherits from.
func (j *jsWalk) own(o *jsEntity, key string, depth int) jsSet {
	if p := o.props[key]; p != nil {
		return *p
	}
	if depth < 8 {
		for _, v := range o.proto {
			if v.kind == jsLocal {
				if s := j.own(v.obj, key, depth+1); len(s) > 0 {
					return s
				}
			}
		}
	}
	return nil
}

// held returns everything that an object holds, also behind accessors.
func (j *jsWalk) held(o *jsEntity) jsSet {
	out := o.rest
	if !j.work(len(o.keys)) {
		return unknownSet()
	}
	for _, k := range o.keys {
		if strings.HasPrefix(k, "get ") {
			out = j.union(out, j.returns(*o.props[k], localSet(o)))
		} else {
			out = j.union(out, *o.props[k])
		}
	}
	return out
}

// keysOf returns the property names of s as constants, where they are known.
func (j *jsWalk) keysOf(s jsSet) jsSet {
	o := s.local()
	if o == nil || o.mutable || o.escaped || len(o.keys) > maxConsts || len(o.rest) > 0 {
		return kindSet(jsAnyString)
	}
	var out jsSet
	for _, k := range o.keys {
		out = append(out, jsValue{kind: jsConstString, text: k})
	}
	return out
}
