package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

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
