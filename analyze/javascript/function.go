package javascript

import "sallyport/analyze"

// object evaluates an object literal.
func (j *jsWalk) object(i int) jsSet {
	t, o := j.tree, j.objectAt(i)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case jsPair:
			j.pair(o, c)
		case jsMethodDefinition:
			j.method(o, c)
		case jsShorthandPropertyIdentifier:
			j.put(o, j.identifierText(c), j.expr(c))
		case jsSpreadElement:
			j.spreadInto(o, j.expr(t.FirstNamed(c)), c)
		}
	}
	return localSet(o)
}

// put stores a value in an object; a function stored there is called with the
// object as receiver.
func (j *jsWalk) put(o *jsEntity, key string, s jsSet) {
	j.add(o.prop(key), s)
	for _, v := range s {
		if v.kind == jsLocal && v.obj.code != nil && !v.obj.code.arrow {
			j.add(&v.obj.code.this, localSet(o))
		}
	}
}

// putAny is put for a set of keys.
func (j *jsWalk) putAny(o *jsEntity, keys, s jsSet) {
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			j.put(o, key, s)
			continue
		}
		j.add(&o.rest, s)
	}
	if len(keys) == 0 {
		j.add(&o.rest, s)
	}
}

func (j *jsWalk) pair(o *jsEntity, i int) {
	t := j.tree
	key, value := t.Child(i, jsKeyField), t.Child(i, jsValueField)
	if key == analyze.NoNode || value == analyze.NoNode {
		return
	}
	if t.Kind(key) == jsComputedPropertyName {
		keys := j.expr(t.FirstNamed(key))
		j.putAny(o, keys, j.expr(value))
		return
	}
	name, s := j.keyText(key), j.expr(value)
	if name == "__proto__" {
		j.property(name, key)
		j.add(&o.proto, s)
	}
	j.put(o, name, s)
}

// method evaluates a method of an object literal.
func (j *jsWalk) method(o *jsEntity, i int) {
	keys := j.methodKeys(i)
	outer := j.super
	j.super = o.proto
	f := j.functionValue(i)
	j.super = outer
	prefix := j.accessor(i)
	if prefix != "" {
		keys = prefixed(prefix, keys)
	}
	j.putAny(o, keys, f)
}

// methodKeys evaluates the name of a method.
func (j *jsWalk) methodKeys(i int) jsSet {
	t := j.tree
	name := t.Child(i, jsNameField)
	if name == analyze.NoNode {
		return nil
	}
	if t.Kind(name) == jsComputedPropertyName {
		return j.expr(t.FirstNamed(name))
	}
	return stringSet(j.keyText(name))
}

// accessor returns "get " or "set " for an accessor: its function is kept
// under a name that no property has.
func (j *jsWalk) accessor(i int) string {
	switch {
	case hasWord(j.tree, i, "get"), hasWord(j.tree, i, "static get"):
		return "get "
	case hasWord(j.tree, i, "set"):
		return "set "
	}
	return ""
}

func prefixed(prefix string, keys jsSet) jsSet {
	var out jsSet
	for _, k := range keys {
		if key, ok := propertyKey(k); ok {
			out = append(out, jsValue{kind: jsConstString, text: prefix + key})
		} else {
			out = append(out, k)
		}
	}
	return out
}

// spreadInto copies the members of s into o.
func (j *jsWalk) spreadInto(o *jsEntity, s jsSet, at int) {
	for _, v := range s {
		if v.kind != jsLocal {
			j.escape(oneOf(v), at)
			if v.kind == jsUnknown || v.kind == jsSymbol {
				j.add(&o.rest, unknownSet())
			}
			continue
		}
		if v.obj == o || !j.work(len(v.obj.keys)) {
			continue
		}
		for _, k := range v.obj.keys {
			j.add(o.prop(k), *v.obj.props[k])
		}
		j.add(&o.rest, v.obj.rest)
		if v.obj.escaped {
			j.add(&o.rest, unknownSet())
		}
	}
}

// maxIndexed bounds the elements of an array that are told apart.
const maxIndexed = 1024

// array evaluates an array literal.
func (j *jsWalk) array(i int) jsSet {
	t, o := j.tree, j.objectAt(i)
	o.array = true
	n := 0
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch {
		case !t.Named(c):
			if t.Source(c) == "," {
				n++
			}
		case t.Kind(c) == jsComment:
		case t.Kind(c) == jsSpreadElement:
			s := j.expr(t.FirstNamed(c))
			if l := s.local(); l != nil && l.listed() && t.Next(c) != analyze.NoNode && n+len(l.keys) < maxIndexed {
				for k := range l.keys {
					j.add(o.prop(formatNumber(float64(n+k))), *l.props[l.keys[k]])
				}
				n += len(l.keys) - 1
				continue
			}
			o.mutable = true
			j.add(&o.rest, j.elements(s, c))
		default:
			s := j.expr(c)
			if n < maxIndexed && !o.mutable {
				j.add(o.prop(formatNumber(float64(n))), s)
			} else {
				o.mutable = true
				j.add(&o.rest, s)
			}
		}
	}
	return localSet(o)
}

// listed is true for an array whose elements are known one by one.
func (o *jsEntity) listed() bool {
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

// jsContext is what changes from function to function.
type jsContext struct {
	function    *jsFunction
	this, super jsSet
	class       *jsEntity
	path        string
	strict      bool
}

func (j *jsWalk) save() jsContext {
	return jsContext{j.function, j.this, j.super, j.class, j.path, j.strict}
}

func (j *jsWalk) restore(c jsContext) {
	j.function, j.this, j.super, j.class, j.path, j.strict = c.function, c.this, c.super, c.class, c.path, c.strict
}

// functionValue evaluates a function and walks its body.
func (j *jsWalk) functionValue(i int) jsSet {
	t, o := j.tree, j.objectAt(i)
	if o.code == nil {
		o.code = &jsFunction{node: i, arrow: t.Kind(i) == jsArrowFunction}
		o.code.generator = hasWord(t, i, "*")
		o.code.method = t.Kind(i) == jsMethodDefinition
	}
	f := o.code
	old := j.save()
	f.outer = old.function
	j.function = f
	body := t.Child(i, jsBodyField)
	if body != analyze.NoNode && t.Kind(body) == jsStatementBlock && !j.strict {
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
		if t.Kind(body) == jsStatementBlock {
			j.statements(body)
		} else {
			j.add(&f.ret, j.expr(body))
		}
	}
	if f.outside {
		j.escape(f.ret, i)
	}
	j.restore(old)
	return localSet(o)
}

// thisOf returns what "this" is in a function that is no arrow function.
func (j *jsWalk) thisOf(o *jsEntity, outer jsContext) jsSet {
	f := o.code
	s := f.this
	if f.method && outer.class != nil {
		s = j.union(s, outer.this)
	}
	if f.instance != nil {
		s = j.union(s, localSet(f.instance))
	}
	if f.outside {
		s = j.union(s, unknownSet())
	}
	if f.plain && !f.strict && !f.method {
		s = j.union(s, symbolSet("globalThis"))
	}
	if len(s) == 0 {
		return unknownSet()
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
func (j *jsWalk) functionName(i int) string {
	t := j.tree
	if name := t.Child(i, jsNameField); name != analyze.NoNode && t.Kind(name) != jsComputedPropertyName {
		return j.keyText(name)
	}
	p := t.Parent(i)
	for _, f := range []analyze.Field{jsNameField, jsKeyField, jsLeftField, jsPropertyField} {
		if name := t.Child(p, f); name != analyze.NoNode && (t.Kind(name) == jsIdentifier || t.Kind(name) == jsPropertyIdentifier) {
			return j.identifierText(name)
		}
	}
	return "<anonymous>"
}

// parameters binds the parameters to what the callers pass.
func (j *jsWalk) parameters(f *jsFunction) {
	t := j.tree
	if p := t.Child(f.node, jsParameterField); p != analyze.NoNode {
		j.bindPattern(p, j.parameter(f, 0), p)
		return
	}
	list, n := t.Child(f.node, jsParametersField), 0
	if list == analyze.NoNode {
		return
	}
	for p := t.FirstNamed(list); p != analyze.NoNode; p = t.NextNamed(p) {
		if t.Kind(p) != jsRestPattern {
			j.bindPattern(p, j.parameter(f, n), p)
			n++
			continue
		}
		rest := j.objectFor(p, 0)
		rest.array, rest.mutable = true, true
		j.add(&rest.rest, f.all)
		if f.outside {
			j.add(&rest.rest, unknownSet())
		}
		if e := t.FirstNamed(p); e != analyze.NoNode {
			j.bindPattern(e, localSet(rest), p)
		}
	}
}

func (j *jsWalk) parameter(f *jsFunction, n int) jsSet {
	var s jsSet
	if n < len(f.params) {
		s = f.params[n]
	}
	if f.outside {
		s = j.union(s, unknownSet())
	}
	return s
}

// classValue evaluates a class and walks its body. Its instances and its
// prototype are one object.
func (j *jsWalk) classValue(i int) jsSet {
	t, o := j.tree, j.objectAt(i)
	instance := j.instanceOf(o)
	if o.class == nil {
		o.class = &jsClassParts{instance: instance}
	}
	old := j.save()
	j.strict = true
	heritage := j.heritage(i, o)
	if name := t.Child(i, jsNameField); name != analyze.NoNode {
		j.declareValue(int(j.scopeOf[i]), name, localSet(o))
	}
	if j.emit {
		j.path = joinScope(j.path, j.functionName(i))
	}
	j.class = o
	body := t.Child(i, jsBodyField)
	if body != analyze.NoNode {
		for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
			static := hasWord(t, c, "static") || hasWord(t, c, "static get")
			holder := instance
			j.super = j.prototypes(heritage)
			if static || t.Kind(c) == jsClassStaticBlock {
				holder, j.super = o, heritage
			}
			j.classMember(o, holder, c, static)
		}
	}
	j.restore(old)
	return localSet(o)
}

func (j *jsWalk) heritage(i int, o *jsEntity) jsSet {
	t := j.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != jsClassHeritage {
			continue
		}
		s := j.expr(t.FirstNamed(c))
		j.add(&o.class.super, s)
		j.add(&o.proto, s)
		j.add(&o.class.instance.proto, j.prototypes(s))
		return s
	}
	return nil
}

// prototypes returns what instances of the classes in s inherit from.
func (j *jsWalk) prototypes(s jsSet) jsSet {
	var out jsSet
	for _, v := range s {
		switch v.kind {
		case jsSymbol:
			out = j.union(out, symbolSet(v.text+".prototype"))
		case jsLocal:
			if v.obj.code != nil || v.obj.class != nil {
				out = j.union(out, localSet(j.instanceOf(v.obj)))
			}
		case jsConstNull:
		default:
			out = j.union(out, unknownSet())
		}
	}
	return out
}

// instanceOf returns the object that stands for the instances of a class.
func (j *jsWalk) instanceOf(o *jsEntity) *jsEntity {
	if o.class != nil {
		return o.class.instance
	}
	instance := j.objectFor(o.node, 4)
	instance.instanceOf = o
	instance.mutable = true
	return instance
}

func (j *jsWalk) classMember(class, holder *jsEntity, i int, static bool) {
	t := j.tree
	outer := j.this
	j.this = localSet(holder)
	defer func() { j.this = outer }()
	switch t.Kind(i) {
	case jsMethodDefinition:
		j.this = outer
		keys := j.methodKeys(i)
		j.this = localSet(holder)
		f := j.functionValue(i)
		if key, ok := keys.str(); ok && key == "constructor" && !static {
			class.constructor = f[0].obj
			return
		}
		if prefix := j.accessor(i); prefix != "" {
			keys = prefixed(prefix, keys)
		}
		j.putAny(holder, keys, f)
	case jsFieldDefinition:
		keys := kindSet(jsUnknown)
		if p := t.Child(i, jsPropertyField); p != analyze.NoNode {
			if t.Kind(p) == jsComputedPropertyName {
				j.this = outer
				keys = j.expr(t.FirstNamed(p))
				j.this = localSet(holder)
			} else {
				keys = stringSet(j.keyText(p))
			}
		}
		if v := t.Child(i, jsValueField); v != analyze.NoNode {
			j.putAny(holder, keys, j.expr(v))
		}
	case jsClassStaticBlock:
		if b := t.Child(i, jsBodyField); b != analyze.NoNode {
			j.statements(b)
		}
	}
}
