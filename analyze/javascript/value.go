package javascript

import (
	"slices"
	"strings"
)

// atom is one thing an expression may evaluate to, as far as policy cares.
// It is comparable; what cannot be told apart is atomUnknown.
type atom struct {
	kind atomKind
	text string // of a constant, or the qualified name of a symbol
	num  float64
	obj  *object
}

type atomKind uint8

const (
	atomUnknown atomKind = iota // anything that is not an outside symbol by name
	atomSymbol                  // text is the qualified name of an outside symbol
	atomString                  // text
	atomNumber                  // num; never NaN
	atomBool                    // num is 0 or 1
	atomNull
	atomUndefined
	atomBytes       // text holds the bytes of a Buffer
	atomAnyString   // some string
	atomAnyNumber   // some number
	atomObject      // obj: an object, array, function or class of the program itself
	atomNative      // a built-in function: text is the name that the language has it under
	atomConstructor // the constructor of something unknown
	atomComputed    // num unknown keys deep inside something; like atomUnknown otherwise; text says of what
	atomOnce        // a symbol of the program's own that is made once; text is the name that members are kept under by it
)

// What an atomComputed, or an atomConstructor, may be of besides.
const (
	ofCall      = "call"      // what calling one gave
	ofMember    = "member"    // a member of such a member: table[row][column], mostly
	ofLeak      = "leak"      // one only if such a one came back from where it is not followed
	ofLeakCall  = "leak call" // what calling that gave
	ofFunction  = "function"  // a member of a function of the library, as Number[key]: mostly a harmless one
	ofStream    = "stream"    // a member of a standard stream that went where it is not followed
	ofTable     = "table"     // what an object has under a key that is not known besides its own: what all objects inherit; of two keys what that has
	ofListeners = "listeners" // the method of an emitter that lists the handlers of an event
	ofThis      = "this"      // of an atomConstructor: the class of what a function is called of, which hardly is a function
)

// withInside is what Node gives that has a member of this name, which leads to files or into machine code. It is not known
// otherwise. contextAtom is what a test is given.
func withInside(name string) atom { return atom{kind: atomUnknown, text: name} }

var contextAtom = withInside(assertOfTest)

// perhapsGlobal is the global object as what a function is called of that went where it is not followed: nobody was
// seen to call it without a receiver. Its members are what they are; where it goes, strict alone judges.
var perhapsGlobal = atom{kind: atomSymbol, text: "globalThis", num: 1}

// streamAtom is a member of the console whose name is not known: one of its streams, perhaps.
var streamAtom = withInside(connectOfStream)

// resultAtom is what calling a member gave whose name is not known.
var resultAtom = atom{kind: atomComputed, num: 1, text: ofCall}

// leakedResult is resultAtom of a member that may be one or not.
var leakedResult = atom{kind: atomComputed, num: 1, text: ofLeakCall}

// faint returns s as what comes out of where many things may be: what would make code is what may, which strict
// alone judges.
func (s value) faint() value {
	at := slices.Index(s, resultAtom)
	if at < 0 {
		return s
	}
	s = slices.Clone(s)
	s[at] = leakedResult
	return s
}

// hasResult tells whether s may be what calling a member gave whose name is not known.
func (s value) hasResult() bool { return s.has(resultAtom) || s.has(leakedResult) }

// tableAtom is ofTable: it is no more than that. A text or number is hardly made of it.
var tableAtom = atom{kind: atomComputed, num: 1, text: ofTable}

// value is what an expression may evaluate to. The empty set is an expression
// that was not seen to yield anything yet. Sets are immutable.
type value []atom

// maxAtoms bounds a set, and maxConsts the constants in it; more collapse into one unknown. So do
// more than maxBeside that are no objects, where the set may be anything anyway.
const (
	maxAtoms  = 24
	maxConsts = 12
	maxBeside = 8
)

func one(v atom) value            { return value{v} }
func symbol(name string) value    { return value{{kind: atomSymbol, text: name}} }
func stringValue(s string) value  { return value{{kind: atomString, text: s}} }
func numberValue(n float64) value { return value{numberAtom(n)} }
func objectValue(o *object) value { return o.itself[:] }
func ofKind(k atomKind) value     { return kinds[k] }
func anything() value             { return kinds[atomUnknown] }
func (s value) has(v atom) bool   { return slices.Contains(s, v) }
func (v atom) constant() bool     { return v.kind >= atomString && v.kind <= atomBytes }
func (s value) single() bool      { return len(s) == 1 }
func (s value) hasSymbol() bool   { return s.any(atomSymbol) }
func (s value) any(k atomKind) bool {
	for i := range s {
		if s[i].kind == k {
			return true
		}
	}
	return false
}

// inert is true for what can't be called: that is an error.
func (v atom) inert() bool {
	switch v.kind {
	case atomUndefined, atomNull, atomString, atomNumber, atomBool, atomAnyString, atomAnyNumber, atomOnce:
		return true
	}
	return false
}

// uncallable is true for what can't be called, and for an object that is neither a function nor may be a class.
func (v atom) uncallable() bool {
	if v.kind != atomObject {
		return v.inert()
	}
	o := v.obj
	return o.bound == nil && o.code == nil && o.class == nil && !o.proxied && o.instanceOf == nil && len(o.proto) == 0
}

// kinds are the values that are no more than a kind.
var kinds = func() (all [atomComputed + 1]value) {
	for k := range all {
		all[k] = value{{kind: atomKind(k)}}
	}
	return all
}()

func numberAtom(n float64) atom {
	if n != n {
		return atom{kind: atomAnyNumber}
	}
	return atom{kind: atomNumber, num: n + 0} // -0 is 0
}

var (
	trueValue  = value{{kind: atomBool, num: 1}}
	falseValue = value{{kind: atomBool}}
)

func boolValue(b bool) value {
	if b {
		return trueValue
	}
	return falseValue
}

// str returns the one constant string that s is.
func (s value) str() (string, bool) {
	if len(s) == 1 && s[0].kind == atomString {
		return s[0].text, true
	}
	return "", false
}

// taken returns the one local object that s is, or nil, where nothing is taken out of undefined or null:
// that is an error.
func (s value) taken() *object { return s.present().local() }

// present returns s without undefined and null, unless it is nothing else: of these no member is read.
func (s value) present() value {
	if len(s) < 2 || !s.any(atomUndefined) && !s.any(atomNull) {
		return s
	}
	there := slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v.kind == atomUndefined || v.kind == atomNull })
	if len(there) == 0 {
		return s[:1]
	}
	return there
}

// naming returns s without undefined, null and truth, where it may be something else: who is
// given one of these for the name of a file or module has an error.
func (s value) naming() value {
	if len(s) < 2 || !slices.ContainsFunc(s, atom.noName) || !slices.ContainsFunc(s, func(v atom) bool { return !v.noName() }) {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), atom.noName)
}

func (v atom) noName() bool {
	return v == tableAtom || v.kind == atomUndefined || v.kind == atomNull || v.kind == atomBool
}

// unshared returns s without what all objects inherit, where it may be something else.
func (s value) unshared() value {
	if len(s) < 2 || !s.has(tableAtom) {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v == tableAtom })
}

// maybe returns s, which may not be there.
func (j *javascript) maybe(s value) value {
	if len(s) == 0 {
		return nil
	}
	return j.join(s, ofKind(atomUndefined))
}

// local returns the one local object that s is, or nil.
func (s value) local() *object {
	if len(s) == 1 {
		return s[0].obj
	}
	return nil
}

// join returns a value with the values of both.
func (j *javascript) join(a, b value) value {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	for i, v := range b {
		if !a.covers(v) {
			if len(a)+len(b)-i > maxConsts && (a.has(atom{}) || b.has(atom{})) {
				return j.joinLarge(a, b[i:])
			}
			out := append(j.extend(a, len(b)-i), v)
			for _, v := range b[i+1:] {
				if !out.covers(v) {
					out = append(out, v)
				}
			}
			return j.collapse(j.keep(out))
		}
	}
	return a
}

// joinLarge is join where there may be no room for objects: it puts both together where nothing
// keeps them, and makes only what is left.
func (j *javascript) joinLarge(a, b value) value {
	from := len(j.large)
	j.large = append(j.large, a...)
	for _, v := range b {
		if !j.large[from:].covers(v) {
			j.large = append(j.large, v)
		}
	}
	kept, lost := j.bounded(j.large[from:])
	j.escape(lost, j.here)
	out := anything()
	if !kept.same(out) {
		out = append(j.extend(nil, len(kept)), kept...)
	}
	j.large = j.large[:from]
	return out
}

// add is join of one atom.
func (j *javascript) add(s value, v atom) value {
	if s.covers(v) {
		return s
	}
	if len(s) >= maxConsts && (v == atom{} || s.has(atom{})) {
		return j.joinLarge(s, value{v})
	}
	return j.collapse(j.keep(append(j.extend(s, 1), v)))
}

// extend returns s with room for n more atoms behind it, in a piece that many values share:
// they are many and small, and live until the analysis is over. What was made last need not
// be copied, because it stays what it is when a longer one begins as it does. What is then
// appended is kept before anything else is extended.
func (j *javascript) extend(s value, n int) value {
	const piece = 256
	if from := j.used - len(s); from >= 0 && j.used+n <= len(j.atoms) && len(s) > 0 && &j.atoms[from] == &s[0] {
		j.used += n
		return j.atoms[from : from+len(s) : j.used]
	}
	n += len(s)
	if j.used+n > len(j.atoms) {
		j.atoms, j.used = make(value, max(n, piece)), 0
	}
	j.used += n
	return append(j.atoms[j.used-n:j.used-n:j.used], s...)
}

// keep gives back the room that s was extended by and has not taken.
func (j *javascript) keep(s value) value {
	j.used -= cap(s) - len(s)
	return slices.Clip(s)
}

// places is room for the values of n arguments.
func (j *javascript) places(n int) []value {
	const piece = 64
	if len(j.values) < n {
		j.values = make([]value, max(n, piece))
	}
	out := j.values[:0:n]
	j.values = j.values[n:]
	return out
}

// same tells whether two values are one, which is cheaper to see than that they are equal.
func (s value) same(t value) bool {
	return len(s) == len(t) && (len(s) == 0 || &s[0] == &t[0])
}

// covers is true when adding v to s says nothing new.
func (s value) covers(v atom) bool {
	if v.kind == atomObject { // which nothing else says
		for i := range s {
			if s[i].obj == v.obj {
				return true
			}
		}
		return false
	}
	for i := range s {
		switch k := s[i].kind; {
		case k == v.kind && s[i] == v,
			k == atomAnyNumber && v.kind == atomNumber,
			k == atomAnyString && s[i].num != 0 && v.kind == atomString,
			k == atomUnknown && v.kind >= atomBool && v.kind <= atomUndefined:
			return true
		}
	}
	return false
}

// collapse holds the bounds of a set. What it has no room for goes where it is not followed.
func (j *javascript) collapse(s value) value {
	s, lost := j.bounded(s)
	j.escape(lost, j.here)
	return s
}

// bounded returns as much of a set as its bounds allow, and what is lost. In a large one that may
// be anything, objects are part of that: sets grow together, and a program takes the square of
// their size. Such a one has to be its caller's own: its objects come to stand behind the rest.
func (j *javascript) bounded(s value) (kept, lost value) {
	if len(s) <= maxConsts {
		return s, nil
	}
	most := maxAtoms
	if s.has(atom{}) {
		most = maxBeside
		n := 0
		for i, v := range s {
			if v.kind != atomObject {
				copy(s[n+1:i+1], s[n:i])
				s[n] = v
				n++
			}
		}
		s, lost = s[:n], s[n:]
	}
	if len(s) > most {
		return anything(), s[:len(s)+len(lost)]
	}
	consts := 0
	for _, v := range s {
		if v.constant() {
			consts++
		}
	}
	if consts <= maxConsts {
		return s, lost
	}
	return j.widen(s), lost
}

// widen replaces the constants of s by what kind of thing they are.
func (j *javascript) widen(s value) value {
	var out value
	for _, v := range s {
		switch {
		case v.kind == atomNumber:
			v = atom{kind: atomAnyNumber}
		case v.kind == atomString:
			v = atom{kind: atomAnyString, num: 1} // and all constants with it
		case v.kind == atomBytes:
			j.writes()
			v = atom{}
		}
		if !out.has(v) {
			out = append(out, v)
		}
	}
	return out
}

// grow adds to a value that lives across rounds, and tells whether that is more now.
func (j *javascript) grow(of *readBy, to *value, s value) bool {
	if len(s) > 0 {
		j.givesTo(of)
	}
	for _, v := range s {
		if !to.covers(v) {
			n := j.join(*to, s)
			switch {
			case j.round >= widenRound:
				n = j.widen(n)
			case j.round >= widenNumbers:
				n = j.widenNumbers(n)
			}
			if subset(n, *to) {
				return false
			}
			if !subset(*to, n) {
				j.lost(of)
			}
			*to = n
			j.learned(of)
			return true
		}
	}
	return false
}

// widenNumbers is widen for numbers alone.
func (j *javascript) widenNumbers(s value) value {
	if !s.any(atomNumber) || s.any(atomAnyNumber) {
		return s
	}
	out := slices.DeleteFunc(slices.Clone(s), func(v atom) bool { return v.kind == atomNumber })
	return append(out, atom{kind: atomAnyNumber})
}

func subset(a, b value) bool {
	if a.same(b) {
		return true
	}
	for _, v := range a {
		if !b.covers(v) {
			return false
		}
	}
	return true
}

// object is an object that the program makes, named by the node that makes
// it: every run of that node makes "the same" object.
type object struct {
	node      int
	number    int   // among those that the node makes
	before    int32 // what madeAt was before it
	array     bool
	props     map[string]*value
	keys      []string       // of props, in order of appearance
	accessors bool           // some of them are accessors
	rest      value          // what unknown keys and array pushes hold
	loose     value          // what keys that are no index may hold besides, of arrays and collections
	proto     value          // where a missing member is looked up
	heirs     []*object      // whose proto this may be
	mutable   bool           // written to after it was made: nothing in it folds
	shrinks   bool           // an array that may get shorter
	elements  int            // how many list made it of
	escaped   bool           // code that is not seen has it
	frozenAt  int            // the first node, but for one, that says that it gets no more members, or frozenSomewhere
	firstSet  map[string]int // the nodes that assigned its members first
	moved     bool           // it has inherited from something else before, or will
	unordered bool           // what stands there does not tell in which order it got its members
	unlisted  bool           // it has members that nobody lists perhaps: it was said so of them, or they are not there
	bare      bool           // it stands for a prototype, too, which has no fields of instances
	reported  int            // the walk that has reported what escapes with it
	behind    int            // the walk that has looked at what it leads to
	lentAt    int            // the walk in which what it holds went away with an heir
	asked     int            // the walk that has looked at what the library asks of it
	hearers   value          // what calls the functions that it holds
	heard     int            // the walk that has told them so
	code      *function
	class     *class

	bound      value    // of a bound function: what is called, with what
	boundTo    *binding // what it was bound to, when something is bound
	raw        string   // of a tagged template without substitutions: as written
	proxied    bool     // a Proxy
	streams    bool     // the options that streams are made with
	foreign    bool     // the library may have given it keys of its own
	functions  bool     // it has functions under keys that are not known: one of them may be what it inherits from
	collection bool     // a Map or Set
	mapKeys    value    // of a Map
	iterator   bool     // what a generator returns
	promises   bool     // an iterator that gives promises
	noList     value    // undefined, where it may be an iterator of the language's: what its methods call gets no list
	arguments  bool     // of a function

	constructor *object // of a class: the function that new calls
	instanceOf  *object // of an instance: its class or constructor

	itself [1]atom    // the value that is o
	alone  [1]*object // o, the line of most objects

	lineage lineage
	readBy  readBy
}

// What the names begin with that accessors and members by a symbol are kept under: no text of a
// program has that byte.
const (
	getPrefix     = reserved + "get "
	setPrefix     = reserved + "set "
	symbolPrefix  = reserved + "@@"
	privatePrefix = reserved + "#"
	reserved      = "\xff"
)

// binding is what bind makes a function of: its receiver, and its first arguments.
type binding struct {
	this callee
	args arguments
}

func newObject(node int, proto value) *object {
	o := &object{node: node, proto: proto}
	o.itself, o.alone = [1]atom{{kind: atomObject, obj: o}}, [1]*object{o}
	return o
}

func (o *object) prop(key string) *value {
	if p := o.props[key]; p != nil {
		return p
	}
	if o.props == nil {
		o.props = map[string]*value{}
	}
	p := new(value)
	o.props[key] = p
	o.keys = append(o.keys, key)
	o.accessors = o.accessors || strings.HasPrefix(key, getPrefix) || strings.HasPrefix(key, setPrefix)
	return p
}

// below says that what o has not itself is looked up in s. Nobody inherits from a text, a number or a truth.
func (j *javascript) below(o *object, s value) {
	if slices.ContainsFunc(s, atom.leavesPrototype) {
		s = slices.DeleteFunc(slices.Clone(s), atom.leavesPrototype)
	}
	if j.grow(&o.readBy, &o.proto, s) {
		j.descents++
	}
}

// movesBelow says that what an object inherits from is not the same all the time.
func (j *javascript) movesBelow(o *object) {
	if !o.moved {
		o.moved = true
		j.learned(&o.readBy)
	}
}

// leavesPrototype is true for what an object that is to inherit from it does not.
func (v atom) leavesPrototype() bool {
	return v.primitive() && v.kind != atomNull && v.kind != atomUndefined
}

// derive is below, and tells what is in s of its heir. Of several it inherits from one alone. What is not known
// has its heir.
func (j *javascript) derive(o *object, s value) {
	j.below(o, s)
	if len(s) > 1 || len(o.proto) > 1 {
		j.movesBelow(o)
	}
	for _, v := range s {
		if v.kind == atomObject && v.obj != o && !slices.Contains(v.obj.heirs, o) {
			v.obj.heirs = append(v.obj.heirs, o)
			j.learned(&v.obj.readBy)
		}
		if v.kind == atomUnknown || v.kind == atomComputed { // the language calls its methods of o
			j.escapeObject(o, j.here)
		}
	}
}

// reparent says that o inherits from what is in s from here on, and where o is a class, that it calls that
// for what it makes.
func (j *javascript) reparent(o *object, s value) {
	j.derive(o, s)
	j.movesBelow(o)
	if o.class != nil {
		j.grow(&o.readBy, &o.class.super, s)
		j.derive(o.class.instance, j.prototypes(s))
		j.movesBelow(o.class.instance)
	}
}

// lineage is what an object inherits from, as of so many changes of what any object does.
type lineage struct {
	of     int
	line   []*object
	others value
}

// lineage returns o and all objects of the program that it may inherit from, and
// what else it may.
func (j *javascript) lineage(o *object) (line []*object, others value) {
	if len(o.proto) == 0 {
		j.reads(&o.readBy)
		return o.alone[:], nil
	}
	if o.lineage.of == j.descents && j.work(len(o.lineage.line)) {
		for _, from := range o.lineage.line {
			j.reads(&from.readBy)
		}
		return o.lineage.line, o.lineage.others
	}
	line = o.alone[:]
	for n := 0; n < len(line) && j.step(); n++ {
		j.reads(&line[n].readBy)
		for _, v := range line[n].proto {
			if v.kind != atomObject {
				others = j.add(others, v)
			} else if !slices.Contains(line, v.obj) {
				line = append(line, v.obj)
			}
		}
	}
	line, others = slices.Clip(line), slices.Clip(others)
	o.lineage = lineage{of: j.descents, line: line, others: others}
	return line, others
}

// belowOthers tells whether others had an object, or something that it inherits from.
func (j *javascript) belowOthers(o *object) bool {
	line, _ := j.lineage(o)
	return slices.ContainsFunc(line, func(o *object) bool { return o.escaped })
}

// withHeirs adds to s what inherits from its objects: their methods are called on
// those, too.
func (j *javascript) withHeirs(s value) value {
	var held []*object
	for _, v := range s {
		if v.kind == atomObject {
			j.reads(&v.obj.readBy)
			if len(v.obj.heirs) > 0 {
				held = append(held, v.obj)
			}
		}
	}
	for n := 0; n < len(held) && j.step(); n++ {
		j.reads(&held[n].readBy)
		for _, heir := range held[n].heirs {
			s = j.join(s, objectValue(heir))
			if !slices.Contains(held, heir) {
				held = append(held, heir)
			}
		}
	}
	return s
}

// function is a function of the program.
type function struct {
	node      int
	outer     *function
	params    []value // what the callers pass, by position
	all       value   // what they pass at any position
	ret       value
	this      value
	arrow     bool
	generator bool
	async     bool
	strict    bool
	method    bool
	outside   bool   // code that is not seen calls it
	asked     bool   // the language may call it, with what the program chose
	called    bool   // somebody was seen to call it
	arity     int    // its parameters
	path      string // Use.Scope of what is in it
	plain     bool   // it is called without a receiver
	away      bool   // code that is not seen has it, and may call it so
	bare      bool   // it may return nothing
	instance  *object

	unit  unit   // its body
	given readBy // of what callers pass, and of how it may be called
	gives readBy // of what it returns
}

// class is a class of the program.
type class struct {
	super    value
	instance *object
}

// objectAt returns the object that node i makes.
func (j *javascript) objectAt(i int) *object { return j.objectFor(i, 0) }

// objectFor returns the object number n that node i makes.
func (j *javascript) objectFor(i, n int) *object {
	for at := j.madeAt[i]; at > 0; at = j.objects[at-1].before {
		if o := j.objects[at-1]; o.number == n {
			return o
		}
	}
	o := newObject(i, nil)
	o.number, o.before = n, j.madeAt[i]
	j.objects = append(j.objects, o)
	j.madeAt[i] = int32(len(j.objects))
	j.changed = true
	return o
}
