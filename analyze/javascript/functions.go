package javascript

import (
	"strings"

	"sallyport/analyze"
)

// object evaluates an object literal.
func (j *javascript) object(i int) value {
	t, o := j.tree, j.objectAt(i)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindPair:
			j.pair(o, c)
		case kindMethodDefinition:
			j.method(o, c)
		case kindShorthandPropertyIdentifier:
			j.put(o, j.identifierText(c), j.load(c))
		case kindSpreadElement:
			j.spreadInto(o, j.load(t.FirstNamed(c)), c)
		}
	}
	return objectValue(o)
}

// put stores a value in an object; a function stored there is called with the
// object as receiver.
func (j *javascript) put(o *object, key string, s value) {
	if isInside(key) {
		j.property(strings.TrimPrefix(strings.TrimPrefix(key, "get "), "set "), j.here)
	}
	j.grow(o.prop(key), s)
	if j.newTarget && (o.code != nil || o.class != nil) {
		j.handBack(s, j.here) // new.target may be any of them
	}
	for _, v := range s {
		if v.kind == atomObject && v.obj.code != nil && !v.obj.code.arrow {
			j.grow(&v.obj.code.this, objectValue(o))
		}
	}
}

// putAny is put for a set of keys.
func (j *javascript) putAny(o *object, keys, s value) {
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			j.put(o, key, s)
			continue
		}
		j.grow(&o.rest, s)
	}
	if len(keys) == 0 {
		j.grow(&o.rest, s)
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
		j.grow(&o.proto, s)
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
	prefix := j.accessor(i)
	if prefix != "" {
		keys = prefixed(prefix, keys)
	}
	j.putAny(o, keys, f)
}

// methodKeys evaluates the name of a method.
func (j *javascript) methodKeys(i int) value {
	t := j.tree
	name := t.Child(i, nameField)
	if name == analyze.NoNode {
		return nil
	}
	if t.Kind(name) == kindComputedPropertyName {
		return j.load(t.FirstNamed(name))
	}
	return stringValue(j.keyText(name))
}

// accessor returns "get " or "set " for an accessor: its function is kept
// under a name that no property has.
func (j *javascript) accessor(i int) string {
	switch {
	case hasWord(j.tree, i, "get"), hasWord(j.tree, i, "static get"):
		return "get "
	case hasWord(j.tree, i, "set"):
		return "set "
	}
	return ""
}

func prefixed(prefix string, keys value) value {
	var out value
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			out = append(out, atom{kind: atomString, text: prefix + key})
		} else {
			out = append(out, k)
		}
	}
	return out
}

// spreadInto copies the members of s into o.
func (j *javascript) spreadInto(o *object, s value, at int) {
	for _, v := range s {
		if v.kind != atomObject {
			j.escape(one(v), at)
			if v.kind == atomUnknown || v.kind == atomSymbol {
				j.grow(&o.rest, anything())
			}
			continue
		}
		if v.obj == o || !j.work(len(v.obj.keys)) {
			continue
		}
		for _, k := range v.obj.keys {
			j.grow(o.prop(k), *v.obj.props[k])
		}
		j.grow(&o.rest, v.obj.rest)
		if v.obj.escaped {
			j.grow(&o.rest, anything())
		}
		if j.newTarget && (o.code != nil || o.class != nil) {
			j.handBack(one(v), at)
		}
	}
}

// maxIndexed bounds the elements of an array that are told apart.
const maxIndexed = 1024

// array evaluates an array literal.
func (j *javascript) array(i int) value {
	t, o := j.tree, j.objectAt(i)
	o.array = true
	n := 0
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch {
		case !t.Named(c):
			if t.Source(c) == "," {
				n++
			}
		case t.Kind(c) == kindComment:
		case t.Kind(c) == kindSpreadElement:
			s := j.load(t.FirstNamed(c))
			if l := s.local(); l != nil && l.listed() && t.Next(c) != analyze.NoNode && n+len(l.keys) < maxIndexed {
				for k := range l.keys {
					j.grow(o.prop(formatNumber(float64(n+k))), *l.props[l.keys[k]])
				}
				n += len(l.keys) - 1
				continue
			}
			o.mutable = true
			j.grow(&o.rest, j.elements(s, c))
		default:
			s := j.load(c)
			if n < maxIndexed && !o.mutable {
				j.grow(o.prop(formatNumber(float64(n))), s)
			} else {
				o.mutable = true
				j.grow(&o.rest, s)
			}
		}
	}
	return objectValue(o)
}

// listed is true for an array whose elements are known one by one.
func (o *object) listed() bool {
	if !o.array || o.mutable || o.escaped || len(o.rest) > 0 {
		return false
	}
	for k := range o.keys {
		if o.keys[k] != formatNumber(float64(k)) {
			return false
		}
	}
	return true
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
	if !f.arrow {
		j.this = j.thisOf(o, old)
	}
	if j.emit {
		j.path = joinScope(j.path, j.functionName(i))
	}
	j.parameters(f)
	if body != analyze.NoNode {
		if t.Kind(body) == kindStatementBlock {
			j.statements(body)
		} else {
			j.grow(&f.ret, j.load(body))
		}
	}
	if f.outside {
		j.escape(f.ret, i)
	}
	j.restore(old)
	return objectValue(o)
}

// thisOf returns what "this" is in a function that is no arrow function.
func (j *javascript) thisOf(o *object, outer enclosing) value {
	f := o.code
	s := f.this
	if f.method && outer.class != nil {
		s = j.join(s, outer.this)
	}
	if f.instance != nil {
		s = j.join(s, objectValue(f.instance))
	}
	if f.outside {
		s = j.join(s, anything())
	}
	if f.plain && !f.strict && !f.method {
		s = j.join(s, symbol("globalThis"))
	}
	if len(s) == 0 {
		return anything()
	}
	return s
}

func joinScope(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// functionName returns the name that a reader would give a function.
func (j *javascript) functionName(i int) string {
	t := j.tree
	if name := t.Child(i, nameField); name != analyze.NoNode && t.Kind(name) != kindComputedPropertyName {
		return j.keyText(name)
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
		j.grow(&rest.rest, f.all)
		if f.outside {
			j.grow(&rest.rest, anything())
		}
		if e := t.FirstNamed(p); e != analyze.NoNode {
			j.bindPattern(e, objectValue(rest), p)
		}
	}
}

func (j *javascript) parameter(f *function, n int) value {
	var s value
	if n < len(f.params) {
		s = f.params[n]
	}
	if f.outside {
		s = j.join(s, anything())
	}
	return s
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
		j.path = joinScope(j.path, j.functionName(i))
	}
	j.class = o
	replaced := j.replaced(heritage, 0)
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
				j.classMember(o, objectValue(o), c, static)
			} else {
				j.classMember(o, j.join(objectValue(holder), replaced), c, static)
			}
		}
	}
	j.restore(old)
	return objectValue(o)
}

func (j *javascript) heritage(i int, o *object) value {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindClassHeritage {
			continue
		}
		s := j.load(t.FirstNamed(c))
		j.grow(&o.class.super, s)
		j.grow(&o.proto, s)
		j.grow(&o.class.instance.proto, j.prototypes(s))
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
			if v.obj.code != nil || v.obj.class != nil {
				out = j.join(out, objectValue(j.instanceOf(v.obj)))
			}
		case atomNull:
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
func (j *javascript) replaced(s value, depth int) value {
	const deepest = 8
	var out value
	for _, v := range s {
		if v.kind != atomObject || depth > deepest {
			continue
		}
		f := v.obj
		switch {
		case f.bound != nil:
			out = j.join(out, j.replaced(f.bound, depth+1))
		case f.class != nil:
			out = j.join(out, j.replaced(f.class.super, depth+1))
			f = f.constructor
		}
		if f == nil || f.code == nil {
			continue
		}
		for _, r := range f.code.ret {
			if r.kind == atomObject {
				r.obj.mutable = true
				out = j.join(out, one(r))
			}
		}
	}
	return out
}

// classMember evaluates a member of a class, which each of the holders has.
func (j *javascript) classMember(class *object, holders value, i int, static bool) {
	t := j.tree
	outer := j.this
	j.this = holders
	defer func() { j.this = outer }()
	switch t.Kind(i) {
	case kindMethodDefinition:
		j.this = outer
		keys := j.methodKeys(i)
		j.this = holders
		f := j.definition(i)
		if key, ok := keys.str(); ok && key == "constructor" && !static {
			class.constructor = f[0].obj
			return
		}
		if prefix := j.accessor(i); prefix != "" {
			keys = prefixed(prefix, keys)
		}
		j.putAny(holders[0].obj, keys, f)
	case kindFieldDefinition:
		keys := ofKind(atomUnknown)
		if p := t.Child(i, propertyField); p != analyze.NoNode {
			if t.Kind(p) == kindComputedPropertyName {
				j.this = outer
				keys = j.load(t.FirstNamed(p))
				j.this = holders
			} else {
				keys = stringValue(j.keyText(p))
			}
		}
		if v := t.Child(i, valueField); v != analyze.NoNode {
			s := j.load(v)
			for _, h := range holders {
				j.putAny(h.obj, keys, s)
			}
		}
	case kindClassStaticBlock:
		if b := t.Child(i, bodyField); b != analyze.NoNode {
			j.statements(b)
		}
	}
}
