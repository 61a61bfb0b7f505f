package python

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// atomKind says what an atom stands for. The constants come last.
type atomKind uint8

const (
	atomSymbol    atomKind = iota + 1 // the outside symbol text
	atomInstance                      // an object of the outside type text
	atomNamespace                     // the dictionary of the module text; "" is this program
	atomFunction                      // function n of this program
	atomClass                         // class n of this program
	atomContainer                     // container n
	atomGetter                        // what operator.attrgetter made: getter n
	atomException                     // a caught exception
	atomGiven                         // what calls of function n give to a parameter, where they are not seen (given.go)
	atomString
	atomPrefix // a string that starts with text and goes on in an unknown way, of which n may say more (given.go, fstrings.go)
	atomBytes
	atomInt   // n
	atomBig   // text, in decimal
	atomFloat // the bits in n
	atomBool  // n is 0 or 1
	atomNone
)

// atom is one thing that an expression can be. Atoms are compared with ==.
type atom struct {
	kind atomKind
	text string
	n    int64
}

func (a atom) constant() bool { return a.kind >= atomString }
func (a atom) number() bool   { return a.kind == atomInt || a.kind == atomBig || a.kind == atomFloat }

// value is the set of what an expression can be, over all ways of running the
// program. The zero value is nothing at all: an expression never reached. It
// only grows while a program is analysed, and it is bounded: too many
// constants of a kind become "some constant".
type value struct {
	atoms []atom // shared between values, never written to
	flags valueFlags
}

type valueFlags uint16

const (
	temporaryText valueFlags = 1 << iota // and more: paths below a directory that tempfile made
	manyStrings                          // so many strings that none is listed
	manyNumbers
	manyAtoms // so many of everything that nothing is listed
	reached   // an attribute whose name is not known led here
	walked    // two of them did, one after the other
	elsewhere
	ofObject // the class of an object that is not known
	lent     // what super gave where it is not on an object
	missed   // the object of which an exception says that it lacks an attribute: it may be any module

	// What is listed was worked out as the library would: it says what a program may
	// reach, and never that this is all.
	worked

	given  // and what an atomGiven says
	aClass // and what may be a class of the program: the interpreter gives it to methods of some names
	caught // and more, of an exception that was caught

	strange // a call of something walked to gave it, or what has it

	open = temporaryText | elsewhere // and more that is not known
)

const (
	maxStrings = 8
	maxNumbers = 1  // a second number means a counter, which folding cannot follow
	maxAtoms   = 24 // in what a name or an attribute is bound to
)

func anything() value                   { return value{flags: open} }
func symbol(name string) value          { return value{atoms: []atom{{kind: atomSymbol, text: name}}} }
func one(a atom) value                  { return value{atoms: []atom{a}} }
func stringValue(s string) value        { return one(atom{kind: atomString, text: s}) }
func intValue(n int64) value            { return one(atom{kind: atomInt, n: n}) }
func floatValue(f float64) value        { return one(atom{kind: atomFloat, n: int64(math.Float64bits(f))}) }
func (v value) open() bool              { return v.flags != 0 }
func (v value) nothing() bool           { return len(v.atoms) == 0 && v.flags == 0 }
func (v value) with(f valueFlags) value { v.flags |= f; return v }

func boolValue(b bool) value {
	if b {
		return one(atom{kind: atomBool, n: 1})
	}
	return one(atom{kind: atomBool})
}

// has tells whether v lists a.
func (v value) has(a atom) bool {
	for i := range v.atoms {
		if v.atoms[i] == a {
			return true
		}
	}
	return false
}

// join returns the union of v and w. The result shares memory with v when w
// adds nothing.
func (v value) join(w value) value {
	if v.nothing() {
		return w
	}
	flags := v.flags | w.flags
	atoms := v.atoms
	for _, a := range w.atoms {
		if !v.has(a) {
			atoms = append(atoms[:len(atoms):len(atoms)], a)
		}
	}
	if flags == v.flags && len(atoms) == len(v.atoms) {
		return v
	}
	return value{atoms, flags}.bounded()
}

// bounded replaces too many constants by the fact that there are many.
func (v value) bounded() value {
	text, numbers := 0, 0
	for _, a := range v.atoms {
		switch {
		case a.kind == atomString || a.kind == atomPrefix || a.kind == atomBytes:
			text++
		case a.number():
			numbers++
		}
	}
	if text > maxStrings {
		v.flags |= manyStrings
	}
	if numbers > maxNumbers {
		v.flags |= manyNumbers
	}
	if (text == 0 || v.flags&manyStrings == 0) && (numbers == 0 || v.flags&manyNumbers == 0) {
		return v
	}
	kept := make([]atom, 0, len(v.atoms))
	for _, a := range v.atoms {
		switch {
		case v.flags&manyStrings != 0 && (a.kind == atomString || a.kind == atomPrefix || a.kind == atomBytes):
		case v.flags&manyNumbers != 0 && a.number():
		default:
			kept = append(kept, a)
		}
	}
	v.atoms = kept
	return v
}

// numeric tells whether v is nothing but numbers.
func (v value) numeric() bool {
	return v.flags&^(manyNumbers|worked) == 0 && !v.nothing() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.number() && a.kind != atomBool })
}

// single returns the one thing that v is, if it is exactly one.
func (v value) single() (atom, bool) {
	if len(v.atoms) == 1 && v.flags&^worked == 0 {
		return v.atoms[0], true
	}
	return atom{}, false
}

// isOnly tells whether v is nothing but some of these.
func (v value) isOnly(these ...atom) bool {
	return v.flags&^worked == 0 && len(v.atoms) > 0 && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !slices.Contains(these, a) })
}

// isNone tells whether v is None and nothing else: an argument that is given as good as not.
func (v value) isNone() bool { return v.isOnly(atom{kind: atomNone}) }

// isCaught tells whether v is nothing but exceptions that were caught.
func (v value) isCaught() bool {
	return v.flags&^caught == 0 && len(v.atoms) == 1 && v.atoms[0].kind == atomException
}

// constant returns the one constant that v is.
func (v value) constant() (atom, bool) {
	a, ok := v.single()
	return a, ok && a.constant() && a.kind != atomPrefix
}

// str returns the one string that v is.
func (v value) str() (string, bool) {
	a, ok := v.single()
	return a.text, ok && a.kind == atomString
}

// integer returns the one small integer that v is.
func (v value) integer() (int64, bool) {
	a, ok := v.single()
	return a.n, ok && (a.kind == atomInt || a.kind == atomBool)
}

// bigInt returns an integer atom as a big one.
func (a atom) bigInt() (*big.Int, bool) {
	switch a.kind {
	case atomInt, atomBool:
		return big.NewInt(a.n), true
	case atomBig:
		return new(big.Int).SetString(a.text, 10)
	}
	return nil, false
}

func bigValue(n *big.Int) value {
	if n.IsInt64() {
		return intValue(n.Int64())
	}
	return one(atom{kind: atomBig, text: n.String()})
}

func (a atom) float() float64 { return math.Float64frombits(uint64(a.n)) }

// pythonStr returns what str(a) gives.
func (a atom) pythonStr() (string, bool) {
	switch a.kind {
	case atomString, atomBig:
		return a.text, true
	case atomInt:
		return strconv.FormatInt(a.n, 10), true
	case atomBool:
		if a.n != 0 {
			return "True", true
		}
		return "False", true
	case atomNone:
		return "None", true
	}
	return "", false
}

// plain returns a constant as plain data for Arg.Value.
func (a atom) plain() (any, bool) {
	switch a.kind {
	case atomString:
		return a.text, true
	case atomInt:
		return float64(a.n), true
	case atomFloat:
		if f := a.float(); !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f, true
		}
	case atomBool:
		return a.n != 0, true
	case atomNone:
		return nil, true
	case atomBytes:
		if strings.ToValidUTF8(a.text, "") == a.text {
			return a.text, true
		}
	}
	return nil, false
}

// container is a list, tuple, set, dictionary or iterator made at one place of
// the program. Like a value it only grows.
type container struct {
	list    []value        // by position, as written
	dict    map[atom]value // by constant key
	keyed   []atom         // the keys of dict, in the order of the program
	sure    map[atom]bool  // those that it was made with whatever happens
	rest    value          // whatever else is put in
	keys    value          // unknown keys and the elements of sets
	all     value          // the union of list, dict and rest
	moved   bool           // positions do not hold: sorted, popped, changed elsewhere
	loose   bool           // made of what list has, in an order or number of its own: positions do not hold
	filled  bool           // what is made of elements that are known was made before
	escaped bool           // outside code has it
	tuple   bool           // a tuple that stands in the program: who has it takes what is in it, and puts nothing there
	code    bool           // it holds text that others evaluate
	kind    containerKind
	round   int // in which it was made: one that is still longer in the next grows without end
}

type containerKind uint8

const (
	sequence containerKind = iota
	mapping
)

const maxElements = 4096

// get returns what a subscript with key can find.
func (c *container) get(key value) value {
	a, exact := key.constant()
	if !exact || key.flags&worked != 0 {
		return c.all
	}
	if c.kind == mapping {
		if slices.ContainsFunc(c.keyed, a.mayEqual) {
			return c.all
		}
		return c.dict[a].join(c.rest)
	}
	if a.kind == atomInt && !c.moved {
		i := a.n
		if i < 0 && !c.rest.nothing() {
			return c.all // more may stand behind those whose places are known
		}
		if i < 0 {
			i += int64(len(c.list))
		}
		if i >= 0 && i < int64(len(c.list)) {
			return c.list[i].join(c.rest)
		}
		return c.rest
	}
	return c.all
}

// mayEqual tells whether b is another number, or of another kind, that is the same key.
func (a atom) mayEqual(b atom) bool {
	number := func(a atom) bool {
		return a.kind == atomBool || a.kind == atomInt || a.kind == atomBig || a.kind == atomFloat
	}
	return number(a) && number(b) && (a.kind != b.kind || a.kind == atomFloat)
}

// items returns the elements in order when they are known exactly.
func (c *container) items() ([]value, bool) {
	if c.kind != sequence || c.moved || !c.rest.nothing() {
		return nil, false
	}
	return c.list, true
}
