package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// assignName assigns to the name at node i.
func (j *javascript) assignName(i int, s value) {
	j.assignWith(i, s)
	found, global := j.resolve(i)
	if len(found) > 0 {
		for _, b := range found {
			j.grow(&b.readBy, &b.values, s)
		}
		if !global || !j.cells {
			return
		}
	}
	name := j.identifierText(i)
	if global && (isBuiltinGlobal(name) || isModuleVariable(name)) {
		j.mention("globalThis."+name, i, analyze.HowAssign, true, nil, false)
		j.dynamicAt(analyze.DynamicPatch, i)
		j.escape(s, i)
	}
	j.assignGlobal(name, s)
}

// assignWith assigns to the name at node i where it is that of a member of what a with statement names: let, const and their
// like declare another.
func (j *javascript) assignWith(i int, s value) {
	t := j.tree
	if len(j.with) == 0 || t.Kind(t.Parent(t.Parent(i))) == kindLexicalDeclaration {
		return
	}
	for _, o := range j.with {
		j.assignMember(o, stringValue(j.identifierText(i)), j.maybe(s), i)
	}
}

// assignGlobal assigns to a global that the program makes so.
func (j *javascript) assignGlobal(name string, s value) {
	p := j.implicit[name]
	if p == nil {
		p = new(kept)
		j.implicit[name] = p
		j.learned(nil)
	}
	j.learnedOf(p, s)
}

// assign assigns to an expression: a name, a member or a pattern.
func (j *javascript) assign(i int, s value) {
	t := j.tree
	switch t.Kind(i) {
	case kindParenthesizedExpression:
		if e := t.FirstNamed(i); e != analyze.NoNode {
			j.assign(e, s)
		}
	case kindMemberExpression:
		o, p := t.Child(i, objectField), t.Child(i, propertyField)
		if o == analyze.NoNode || p == analyze.NoNode {
			return
		}
		key := j.memberKey(p)
		if !isPrivate(key) {
			j.property(key, p)
		}
		j.assignMember(j.assigned(o, stringValue(key), s), stringValue(key), s, i)
	case kindSubscriptExpression:
		o, x := t.Child(i, objectField), t.Child(i, indexField)
		if o == analyze.NoNode || x == analyze.NoNode {
			return
		}
		owner := j.objectOf(o)
		keys := j.load(x)
		j.keyProperties(keys, x)
		if t.Kind(o) == kindSuper {
			owner = j.assigned(o, keys, s)
		}
		j.assignMember(owner, keys, s, i)
	case kindIdentifier, kindUndefined, kindShorthandPropertyIdentifierPattern, kindAssignmentPattern, kindObjectAssignmentPattern,
		kindObjectPattern, kindArrayPattern, kindRestPattern:
		j.bindPattern(i, s, i)
	default:
		j.statement(i)
		j.escape(s, i)
	}
}

// assigned evaluates the object o, to whose members s is assigned: those of super are
// members of this, but for what setters make of it.
func (j *javascript) assigned(o int, keys, s value) value {
	owner := j.objectOf(o)
	if j.tree.Kind(o) != kindSuper {
		return owner
	}
	for _, v := range j.super {
		for _, k := range keys {
			if key, ok := propertyKey(k); ok && v.kind == atomObject {
				j.invoke(j.setters(v.obj, key, true), j.this, s)
			}
		}
	}
	return j.join(j.this, owner)
}

// assignMember assigns to members of what an expression yields.
func (j *javascript) assignMember(owner, keys, s value, at int) {
	if !j.work(max(len(owner)*len(keys)*len(s)-64, 0) / 8) { // which takes none where few are assigned to few
		return
	}
	j.convertsAll(keys)
	if keys.has(tableAtom) {
		for _, o := range owner {
			for _, name := range j.namedAsInherited(o) {
				keys = j.add(keys, atom{kind: atomString, text: name})
			}
		}
	}
	either := len(keys) > 1 || owner.several() && !j.ofThis(at)
	for _, o := range owner.present() {
		if mayBeShared(o) {
			j.assignShared(keys, s, at)
		}
		if o == tableAtom {
			continue
		}
		switch o.kind {
		case atomSymbol:
			j.assignSymbol(o, keys, s, at, owner.single())
		case atomObject:
			j.mutates(o.obj)
			for _, k := range keys {
				key, ok := propertyKey(k)
				j.invoke(j.setters(o.obj, key, ok), objectValue(o.obj), s)
				if !ok {
					j.namesAny(k, s)
					j.putLoose(o.obj, s, k.numeric())
					if o.obj.leavesHole("length", nil) {
						j.grow(&o.obj.readBy, &o.obj.rest, ofKind(atomUndefined))
					}
					if !k.numeric() {
						j.mayInherit(o.obj, s)
					}
					continue
				}
				if !s.any(atomUnknown) && (j.mayLack(o.obj, key, either, at) || j.mayBeFrozen(o.obj, at)) {
					s = j.maybe(s)
				}
				if key == "length" && o.obj.array {
					j.shrinks(o.obj)
				}
				j.reads(&o.obj.readBy)
				if o.obj.leavesHole(key, s) {
					j.grow(&o.obj.readBy, &o.obj.rest, ofKind(atomUndefined))
				}
				j.put(o.obj, key, s)
				if key == "__proto__" {
					j.reparent(o.obj, s)
				}
			}
			if j.unseen(keys) {
				j.invoke(j.setters(o.obj, "", false), objectValue(o.obj), s)
				j.putLoose(o.obj, s, false)
			}
			if j.belowOthers(o.obj) { // which may have an accessor for it
				j.escape(s, at)
			}
		default:
			if o.kind == atomBytes {
				j.writes()
			}
			j.mayPatch(o, at)
			j.reopened(keys, at)
			j.prepared(keys, s, at)
			j.store(keys, s)
			if j.cameBack(o) && !slices.ContainsFunc(keys, func(k atom) bool { _, ok := propertyKey(k); return !ok }) {
				j.shareAll(keys, s) // what is copied from object to object comes under names that are not known
			}
			j.escape(s, at)
		}
	}
	if j.unseen(owner) {
		j.reopened(keys, at)
		j.prepared(keys, s, at)
		j.store(keys, s)
		j.escape(s, at)
	}
}

// leavesHole tells whether assigning to a key makes an array longer by more than what is assigned.
func (o *object) leavesHole(key string, s value) bool {
	if !o.array || o.collection {
		return false
	}
	if key == "length" {
		return !s.single() || s[0] != numberAtom(0)
	}
	n, ok := indexOf(key)
	return ok && n > 0 && (o.shrinks || o.props[key] == nil && o.props[formatNumber(float64(n-1))] == nil)
}

// mayBeShared tells whether a value, a member whose name is not known, may be what all objects inherit
// from, or Object.
func mayBeShared(v atom) bool {
	return v.kind == atomComputed && (v.text == "" || v.text == ofTable)
}

// cameBack tells whether a value of which nothing is known may be what all objects inherit from, because
// that went where it is not followed.
func (j *javascript) cameBack(v atom) bool { return v.kind == atomUnknown && j.carried }

// setters returns the setters that assigning to a key calls, or to any key when it is not known.
func (j *javascript) setters(o *object, key string, known bool) value {
	if known {
		return j.join(j.own(o, setPrefix+key), j.own(o, setPrefix+anyKey))
	}
	var out value
	line, _ := j.lineage(o)
	for _, from := range line {
		if !from.accessors {
			continue
		}
		for _, k := range from.keys {
			if strings.HasPrefix(k, setPrefix) {
				out = j.join(out, *from.props[k])
			}
		}
	}
	return out
}

// inherit is store for what an object that is not the program's own is made to
// inherit from.
func (j *javascript) inherit(v atom) {
	if v.kind != atomObject {
		return
	}
	j.reads(&v.obj.readBy)
	for _, k := range v.obj.keys {
		if name, getter := strings.CutPrefix(k, getPrefix); getter {
			j.putAt(name, j.invoke(*v.obj.props[k], one(v)))
		} else {
			j.putAt(k, *v.obj.props[k])
		}
	}
	j.putAt(anyKey, v.obj.rest)
}

// assignEach assigns what the objects in s hold, each by its key.
func (j *javascript) assignEach(s value, at int, assign func(keys, s value)) {
	others := j.objectFor(at, 12) // of names that are not known
	for _, v := range s {
		if v.kind != atomObject {
			j.grow(&others.readBy, &others.rest, anything())
		}
		j.spreadInto(others, one(v), at, func(key string, s value) { assign(stringValue(key), s) })
	}
	if len(others.rest) > 0 {
		assign(ofKind(atomAnyString), others.rest)
	}
}

// assignSymbol assigns to members of an outside object.
func (j *javascript) assignSymbol(to atom, keys, s value, at int, sure bool) {
	owner := to.text
	for _, k := range keys {
		key, ok := propertyKey(k)
		if !ok {
			if to == perhapsGlobal {
				j.dynamicAt(analyze.DynamicClass, at)
				j.escape(s, at)
				continue
			}
			j.mention(owner, at, analyze.HowAssign, false, nil, false)
			if isNamespace(owner) || isPatch(owner, "prepareStackTrace") && owner != "globalThis.process.env" {
				j.dynamicAt(analyze.DynamicPatch, at)
			}
			j.escape(s, at)
			continue
		}
		if owner == "globalThis.module" && key == "exports" {
			j.learnedOf(&j.exports, s)
			continue
		}
		if owner == "globalThis" && !isBuiltinGlobal(key) {
			j.assignGlobal(key, s)
			if b := j.bindings[scopedName{1, key}]; j.cells && b != nil {
				j.grow(&b.readBy, &b.values, s)
			}
			continue
		}
		name := memberSymbol(owner, key)
		j.names(key, s)
		j.mention(owner+"."+key, at, analyze.HowAssign, sure && keys.single(), nil, false)
		switch {
		case !isPatch(owner, key):
		case (isAddition(owner, key) || j.isFilledIn(owner, key, at)) && !leadsElsewhere(s.without(name)):
			j.dynamicAt(analyze.DynamicClass, at)
			j.share(k, s)
			j.ofFunctions(owner, s)
		default:
			j.dynamicAt(analyze.DynamicPatch, at)
		}
		p := j.patched[name]
		if p == nil {
			p = new(kept)
			j.patched[name] = p
			j.outdates(nil) // nobody has read it yet
		}
		j.learnedOf(p, s)
		j.escape(s, at)
	}
}

// ofFunctions says that what the program puts on a class of the language, or on the prototype of functions, is called of
// functions.
func (j *javascript) ofFunctions(owner string, s value) {
	if owner != prototypeOfFunctions && !isFunction(owner) {
		return
	}
	for _, v := range s.functions() {
		if v.obj.code != nil {
			j.grow(&v.obj.code.given, &v.obj.code.this, j.native("call"))
		}
	}
}

// without returns s without the symbol of a name.
func (s value) without(name string) value {
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v.kind == atomSymbol && v.text == name })
}

// leadsElsewhere tells whether s may be something from outside of the program, or what makes code.
func leadsElsewhere(s value) bool {
	return s.putToCall() || slices.ContainsFunc(s, func(v atom) bool {
		return v.kind == atomSymbol || v.kind == atomNative || v.kind == atomConstructor
	})
}
