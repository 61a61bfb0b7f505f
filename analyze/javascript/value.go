package javascript

import (
	"slices"

	"sallyport/analyze"
)

// jsValue is one thing an expression may evaluate to, as far as policy cares.
// It is comparable; what cannot be told apart is jsUnknown.
type jsValue struct {
	kind jsValueKind
	text string // of a constant, or the qualified name of a symbol
	num  float64
	obj  *jsEntity
}

type jsValueKind uint8

const (
	jsUnknown     jsValueKind = iota // anything that is not an outside symbol by name
	jsSymbol                         // text is the qualified name of an outside symbol
	jsConstString                    // text
	jsConstNumber                    // num; never NaN
	jsConstBool                      // num is 0 or 1
	jsConstNull
	jsConstUndefined
	jsConstBytes  // text holds the bytes of a Buffer
	jsAnyString   // some string
	jsAnyNumber   // some number
	jsLocal       // obj: an object, array, function or class of the program itself
	jsNative      // a built-in function that only matters for its constructor
	jsConstructor // the constructor of something unknown
	jsComputed    // num unknown keys deep inside something; like jsUnknown otherwise
)

// jsSet is what an expression may evaluate to. The empty set is an expression
// that was not seen to yield anything yet. Sets are immutable.
type jsSet []jsValue

// maxSet bounds a set, and maxConsts the constants in it; more collapse into
// one unknown.
const (
	maxSet    = 24
	maxConsts = 12
)

func oneOf(v jsValue) jsSet        { return jsSet{v} }
func symbolSet(name string) jsSet  { return jsSet{{kind: jsSymbol, text: name}} }
func stringSet(s string) jsSet     { return jsSet{{kind: jsConstString, text: s}} }
func numberSet(n float64) jsSet    { return jsSet{numberValue(n)} }
func localSet(o *jsEntity) jsSet   { return jsSet{{kind: jsLocal, obj: o}} }
func kindSet(k jsValueKind) jsSet  { return jsSet{{kind: k}} }
func unknownSet() jsSet            { return jsSet{{}} }
func (s jsSet) has(v jsValue) bool { return slices.Contains(s, v) }
func (v jsValue) constant() bool   { return v.kind >= jsConstString && v.kind <= jsConstBytes }
func (s jsSet) single() bool       { return len(s) == 1 }
func (s jsSet) hasSymbol() bool    { return s.any(jsSymbol) }
func (s jsSet) any(k jsValueKind) bool {
	for i := range s {
		if s[i].kind == k {
			return true
		}
	}
	return false
}

func numberValue(n float64) jsValue {
	if n != n {
		return jsValue{kind: jsAnyNumber}
	}
	return jsValue{kind: jsConstNumber, num: n + 0} // -0 is 0
}

func boolSet(b bool) jsSet {
	v := jsValue{kind: jsConstBool}
	if b {
		v.num = 1
	}
	return jsSet{v}
}

// str returns the one constant string that s is.
func (s jsSet) str() (string, bool) {
	if len(s) == 1 && s[0].kind == jsConstString {
		return s[0].text, true
	}
	return "", false
}

// local returns the one local object that s is, or nil.
func (s jsSet) local() *jsEntity {
	if len(s) == 1 {
		return s[0].obj
	}
	return nil
}

// union returns a set with the values of both.
func (j *jsWalk) union(a, b jsSet) jsSet {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	for i, v := range b {
		if !a.covers(v) {
			out := make(jsSet, len(a), len(a)+len(b)-i)
			copy(out, a)
			out = append(out, v)
			for _, v := range b[i+1:] {
				if !out.covers(v) {
					out = append(out, v)
				}
			}
			return j.collapse(out)
		}
	}
	return a
}

// covers is true when adding v to s says nothing new.
func (s jsSet) covers(v jsValue) bool {
	for i := range s {
		switch k := s[i].kind; {
		case s[i] == v,
			k == jsAnyNumber && v.kind == jsConstNumber,
			k == jsAnyString && s[i].num != 0 && v.kind == jsConstString,
			k == jsUnknown && v.kind >= jsConstBool && v.kind <= jsConstUndefined:
			return true
		}
	}
	return false
}

// collapse holds the bounds of a set.
func (j *jsWalk) collapse(s jsSet) jsSet {
	if len(s) <= maxConsts {
		return s
	}
	if len(s) > maxSet {
		j.escape(s, j.here)
		return unknownSet()
	}
	consts := 0
	for _, v := range s {
		if v.constant() {
			consts++
		}
	}
	if consts <= maxConsts {
		return s
	}
	return j.widen(s)
}

// widen replaces the constants of s by what kind of thing they are.
func (j *jsWalk) widen(s jsSet) jsSet {
	var out jsSet
	for _, v := range s {
		switch {
		case v.kind == jsConstNumber:
			v = jsValue{kind: jsAnyNumber}
		case v.kind == jsConstString:
			v = jsValue{kind: jsAnyString, num: 1} // and all constants with it
		case v.constant():
			v = jsValue{}
		}
		if !out.has(v) {
			out = append(out, v)
		}
	}
	return out
}

// add adds values to a set that lives across passes.
func (j *jsWalk) add(to *jsSet, s jsSet) {
	if len(s) == 0 {
		return
	}
	for _, v := range s {
		if !to.covers(v) {
			n := j.union(*to, s)
			switch {
			case j.pass >= widenPass:
				n = j.widen(n)
			case j.pass >= widenNumbers:
				n = j.widenNumbers(n)
			}
			if !subset(n, *to) {
				j.changed = true
				*to = n
			}
			return
		}
	}
}

// widenNumbers is widen for numbers alone.
func (j *jsWalk) widenNumbers(s jsSet) jsSet {
	if !s.any(jsConstNumber) || s.any(jsAnyNumber) {
		return s
	}
	out := slices.DeleteFunc(slices.Clone(s), func(v jsValue) bool { return v.kind == jsConstNumber })
	return append(out, jsValue{kind: jsAnyNumber})
}

func subset(a, b jsSet) bool {
	for _, v := range a {
		if !b.covers(v) {
			return false
		}
	}
	return true
}

// jsEntity is an object that the program makes, named by the node that makes
// it: every run of that node makes "the same" object.
type jsEntity struct {
	node     int
	array    bool
	props    map[string]*jsSet
	keys     []string // of props, in order of appearance
	rest     jsSet    // what unknown keys and array pushes hold
	proto    jsSet    // where a missing member is looked up
	mutable  bool     // written to after it was made: nothing in it folds
	escaped  bool     // code that is not seen has it
	reported int      // the pass that has reported what escapes with it
	code     *jsFunction
	class    *jsClassParts

	bound      jsSet // of a bound function: what is called, with what
	boundArgs  jsArgs
	boundThis  jsCallee
	raw        string // of a tagged template without substitutions: as written
	proxied    bool   // a Proxy
	collection bool   // a Map or Set
	mapKeys    jsSet  // of a Map
	iterator   bool   // what a generator returns

	constructor *jsEntity // of a class: the function that new calls
	instanceOf  *jsEntity // of an instance: its class or constructor
}

func (o *jsEntity) prop(key string) *jsSet {
	if p := o.props[key]; p != nil {
		return p
	}
	if o.props == nil {
		o.props = map[string]*jsSet{}
	}
	p := new(jsSet)
	o.props[key] = p
	o.keys = append(o.keys, key)
	return p
}

// jsFunction is a function of the program.
type jsFunction struct {
	node      int
	outer     *jsFunction
	params    []jsSet // what the callers pass, by position
	all       jsSet   // what they pass at any position
	ret       jsSet
	this      jsSet
	arrow     bool
	generator bool
	strict    bool
	method    bool
	outside   bool // code that is not seen calls it
	plain     bool // it is called without a receiver
	instance  *jsEntity
}

// jsClassParts is a class of the program.
type jsClassParts struct {
	super    jsSet
	instance *jsEntity
}

// objectAt returns the object that node i makes.
func (j *jsWalk) objectAt(i int) *jsEntity { return j.objectFor(i, 0) }

// objectFor returns the object number n that node i makes.
func (j *jsWalk) objectFor(i, n int) *jsEntity {
	key := [2]int{i, n}
	o := j.objects[key]
	if o == nil {
		o = &jsEntity{node: i}
		j.objects[key] = o
		j.changed = true
	}
	return o
}

// escape says that code which is not seen gets hold of the values.
func (j *jsWalk) escape(s jsSet, at int) {
	for _, v := range s {
		switch v.kind {
		case jsSymbol:
			if isNamespace(v.text) {
				j.unresolved(analyze.DynamicMember, at)
			}
		case jsConstructor:
			j.unresolved(analyze.DynamicSubclass, at)
		case jsLocal:
			if f := v.obj.code; f != nil && !f.plain {
				f.plain, j.changed = true, true
			}
			j.escapeObject(v.obj, at)
		}
	}
}

func (j *jsWalk) escapeObject(o *jsEntity, at int) {
	if o.escaped && (!j.emit || o.reported == j.pass) {
		return
	}
	if !o.escaped {
		o.escaped, j.changed = true, true
		if o.code != nil {
			o.code.outside = true
		}
	}
	o.reported = j.pass
	for _, k := range o.keys {
		j.escapeHeld(*o.props[k], at)
	}
	j.escapeHeld(o.rest, at)
}

// escapeHeld is escape for what an escaping object holds: its functions are
// called as methods then.
func (j *jsWalk) escapeHeld(s jsSet, at int) {
	for _, v := range s {
		switch {
		case v.kind == jsLocal:
			j.escapeObject(v.obj, at)
		case v.kind == jsSymbol && isNamespace(v.text):
			j.unresolved(analyze.DynamicMember, at)
		}
	}
}
