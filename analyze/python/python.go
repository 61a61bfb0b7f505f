// Package python reads Python into facts: every name in a scope stands for the
// set of everything that is ever bound to it, whatever the order and the branch
// (scope.go, value.go). The program is walked again and again, statements
// (statements.go) binding what expressions (expressions.go, calls.go) evaluate
// to, until no set grows any more. What the last round mentions are the facts.
// Strings that are run as code become further trees that take part in the
// rounds.
package python

import (
	treepython "github.com/smacker/go-tree-sitter/python"

	"sallyport/analyze"
	"sallyport/analyze/python/mistake"
	"sallyport/analyze/python/stdlib"
)

const (
	maxRounds = 40 // of one walk over the program each; ordinary code needs three
	maxUnits  = 64 // strings that are read as code
)

// Reader returns the reader of Python.
func Reader() *analyze.Reader {
	library := stdlib.Names()
	tables := newTables()
	return &analyze.Reader{
		Language:  analyze.Python,
		Grammar:   analyze.NewGrammar(treepython.GetLanguage(), kindNames(), fieldNames()),
		Canonical: canonical,
		Misread:   misread,
		Regroup:   regroup,
		Walk: func(w *analyze.Walk) {
			p := &python{Walk: w, stdlib: library, tables: tables, tuples: map[int]bool{}, typeNames: map[int]bool{}, paramSpecs: map[int]bool{}, namedBelow: map[unitNode]map[string]int{}}
			p.run()
		},
		Explain: mistake.Explain,
	}
}

// python is the analysis of one source.
type python struct {
	*analyze.Walk
	stdlib *stdlib.Library
	tables *tables

	module         *scope
	vars           []variable
	functions      []function
	classes        []class
	basesGrown     int  // how often a class got more bases
	fromAnys       int  // how many classes may come from any other
	tangled        bool // they are too many
	containers     []container
	getters        []getter
	getterOf       map[unitNode]int // by the node that makes it
	fields         map[string]value // attributes of objects of this program, by name alone
	members        map[string]value // what the program assigns to members of outside modules
	stars          []string         // modules that are star-imported
	escaped        map[string]bool  // modules that any value may be
	imported       map[string]bool  // every module that is imported, and the first part of its name
	brought        map[string]bool  // see leads
	appends        bool             // a parser of arguments collects values, and copies what is there before
	begun          bool             // what is there before may be any object
	recorded       bool             // see recordsSeen
	copiesItself   bool             // collections.UserDict is used, of which objects below it make copies
	renamesMembers bool             // what makes classes puts members into them under names that nobody sees
	sums           bool             // the program says by __radd__ what something and an object of it come to
	asking         bool             // what copies objects or reads fields is used
	slotsRead      bool             // __slots__ is read as an attribute
	trees          bool             // ast, or a function of it, is named
	refilled       bool             // __defaults__ is an attribute somewhere: what a function needs may change
	layered        bool             // the program has a class below one of tables.overMemory
	units          []*unit
	byText         map[unitKey]*unit
	among          string // the module among whose names text runs that is being looked at
	opens          int    // see opening

	annotationsMade   int                         // the dictionary behind every __annotations__, counted from 1
	dispatches        bool                        // functools.singledispatch is used
	dispatchesMethods bool                        // functools.singledispatchmethod is
	made              map[string]bool             // makers of tables.meant that the program names
	above             []string                    // classes of the library that are judged by what their objects are made of, and below which the program has one
	lenders           []int                       // classes of the program that come from one of the library that lends its methods
	handed            bool                        // a function that stands outside of classes is in one
	lent              bool                        // a directory of tempfile went where it is not followed
	replaced          map[string]bool             // what may be something else than the library's (see replaces)
	disguised         bool                        // a file in memory may have attributes of its own
	framed            bool                        // a library beyond pandas gives tables of it
	laidOver          bool                        // numpy lays an array over a file
	lending           map[string]bool             // functions that the program names, of which objects hand out files (see lentFiles)
	formats           bool                        // so did the method format of text that is not known
	spread            bool                        // objects of the program have attributes that are not seen (unseen.go)
	askers            []int                       // methods that ask self for what only an object of the program's is trusted with
	makerAway         bool                        // what makes classes was read without being called
	remakes           bool                        // a class whose methods make another object was read without being called
	unwraps           bool                        // the program reads what a decorated method is made of
	unpacks           bool                        // the program reads what a property or its like is made of
	keptFields        bool                        // a class keeps fields that nobody else has
	classByName       bool                        // a class of the program, or what is as far away, is asked for a member without a name
	madeOfOthers      bool                        // a call makes a class that comes from one of the program and from others that are not known
	askedOfSelf       map[string]bool             // private names that methods ask self for, and the library has
	rebased           bool                        // what makes classes gives them other bases than stand there
	classStrays       bool                        // what may be any class of the program went where it is not followed
	strayed           []string                    // classes of objects that went where they are not followed
	away              []string                    // what takes names as keywords and was read without being called
	slices            bool                        // builtins.slice is used
	formatting        bool                        // string.Formatter is used
	missing           bool                        // the program has an ImportError of its own
	acts              bool                        // an action of argparse may be anywhere
	records           bool                        // the program says what a record of logging is
	arguedWith        bool                        // the program changes sys.argv in place
	privates          []privateName               // read in this round
	own               map[string]bool             // attribute names that the program itself defines
	loose             bool                        // any value may be a function of the interpreter
	escapedMembers    map[string]value            // what escapedMember has found by name
	matched           *matchArgs                  // what matchArgs has found in this round
	gaps              []string                    // texts with gaps (fstrings.go)
	waited, late      bool                        // see settled
	namesAway         bool                        // the program's namespace went where it is not followed
	surveyed          bool                        // the program's names are reached in ways that are not seen
	readsWritten      bool                        // see readsFields
	fieldsMade        []string                    // fields of classes that calls make
	tuples            map[int]bool                // variables that stand for a named tuple of fields that are known, and for nothing else
	unknownOwn        map[string]bool             // those of them that may be anything
	asked             map[string]bool             // names of attributes that the program reads, of those that remembered.go and still.go look for
	laid              bool                        // see laysOut
	laidIn            int                         // the round of it, from one
	lists             *bool                       // see runsWhileListed
	stepped           []analyze.Span              // assignments to parts of lists by what may run the program, in this round
	keptCalls         []keptCall                  // calls of generators of the program that may be kept (endings.go)
	iterators         []analyze.Span              // what goes through elements and may be somewhere else, in this round
	places            []analyze.Span              // where places of errors are assigned, in this round
	finalizers        []int                       // functions that are called when an object is gone
	madeBases         []string                    // classes of the library below which calls make classes
	signals           []analyze.Span              // where flags and traps of decimal are asked in this round
	typeNames         map[int]bool                // variables that stand for a type (typetexts.go)
	namedBelow        map[unitNode]map[string]int // see namesBelow
	paramSpecs        map[int]bool                // those of them that typing.ParamSpec has made
	typingAway        bool                        // a name of typing went where it is not followed
	typesAsked        bool                        // something compiles annotations that are text
	admits            bool                        // a class may take objects of others for its own
	renames           bool                        // the program names what gives the name of one object to another
	typedElsewhere    bool                        // a function or a class says that it was made in another module
	strangeAway       bool                        // what a call of something walked to gave went where it is not followed
	classesAnnotated  bool                        // a class or a function may have got annotations under a name that nobody sees
	putsUnseen        bool                        // attributes are put somewhere under names that nobody sees

	paths  []string         // see paths.go
	pathOf map[string]int64 // where in paths, from one

	nonlocals []nonlocalName // while names are declared

	unit      *unit
	scope     *scope
	round     int
	changed   bool // a set has grown in this round
	quiet     int  // evaluating on trial: report and bind nothing
	asType    naming
	classGone bool // the class of an object that is not known may be any value
	depth     int  // of getters that call getters
	steps     int  // of folding
	mentions  []mention
}

// function is a function or lambda of the program.
type function struct {
	unit      *unit
	node      int
	scope     *scope
	params    []parameter
	result    value
	generator bool
	async     bool
	called    bool // by the program, as far as the analysis saw
	strayed   bool // it went where it is not followed
	handed    bool // it is somewhere else than where it is called by its name (given.go)
	ofClass   bool // it is called with a class where a method has its object
	taken     bool // somebody may have the method without an object (taken.go)
	wrapped   bool // it has a decorator
	read      bool // it is read from its class, which gives it without an object

	inProperty bool // something in the body of its class has it: a property, which gives it
}

type parameterForm uint8

const (
	plainParameter parameterForm = iota
	keywordParameter
	listParameter
	dictionaryParameter
)

type parameter struct {
	name     string
	variable int
	form     parameterForm
	filled   bool // who calls need not give it: it has a default
}

// class is a class of the program.
type class struct {
	scope *scope
	bases value
	meta  value // its metaclass

	basesGrown int      // how often it got more bases
	lineage    *lineage // what it comes from, or nil; see lineageOf
	fromAny    bool     // it may come from any other

	annotated []string // names in its body that have an annotation
	fields    []string // those of them that methods read which are written for it (generated.go)
	written   bool     // it has such methods
	puts      []string // private names that its methods assign to on what they are called with
	byLibrary bool     // the library decorates it, and nothing else
	disguised bool     // what decorates it may have put something else in its place
	asks      bool     // a method of it asks self for what only an object of the program's is trusted with
	handed    bool     // it is read as a value, and is no argument
	given     bool     // it is read as a value
	typed     bool     // an annotation names it
	strayed   bool     // it went where it is not followed
	strayedIn int      // the last round in which it did, from one
	lentTo    int      // how many classes have it in lending
	lending   []int    // it and classes below it that come from one of the library that lends its methods
}

// getter is what operator.attrgetter, methodcaller or itemgetter return.
type getter struct {
	kind  getterKind
	names []value
	args  *arguments

	entered bool // it is being called
}

type getterKind uint8

const (
	getAttribute getterKind = iota
	callMethod
	getItem
	callPartial
)

// unitNode is a node of one of the trees.
type unitNode struct {
	unit *unit
	node int
}

type unitKey struct {
	text  string
	scope *scope
}

// mention is a Use in the making; it becomes one when the round was the last.
type mention struct {
	name      string
	how       analyze.How
	certainty analyze.Certainty
	args      *arguments
	span      analyze.Span
	scope     string
	path      string // of the object of pathlib that it is a method of
}

// run analyses the source.
func (p *python) run() {
	p.fields = map[string]value{}
	p.replaced = map[string]bool{}
	p.lending = map[string]bool{}
	p.members = map[string]value{}
	p.pathOf = map[string]int64{}
	p.escaped = map[string]bool{}
	p.imported = map[string]bool{}
	p.brought = map[string]bool{}
	p.layered = false
	p.own = map[string]bool{}
	p.unknownOwn, p.asked, p.askedOfSelf = map[string]bool{}, map[string]bool{}, map[string]bool{}
	p.made = map[string]bool{}
	p.escapedMembers = map[string]value{}
	p.byText = map[unitKey]*unit{}
	p.getterOf = map[unitNode]int{}
	p.module = &scope{kind: moduleScope, vars: map[string]int{}, owner: -1}
	p.checkTokens()
	p.unit = p.addUnit(p.Tree, p.module, 0, nil)
	p.opens = p.opening()
	p.stand()
	for ; ; p.round++ {
		p.changed, p.waited = false, false
		p.mentions, p.privates, p.signals = p.mentions[:0], p.privates[:0], p.signals[:0]
		p.stepped, p.iterators, p.places, p.keptCalls = p.stepped[:0], p.iterators[:0], p.places[:0], p.keptCalls[:0]
		for n := 0; n < len(p.units); n++ { // a round may add units
			p.unit = p.units[n]
			p.scope = p.unit.root
			p.statement(0)
			p.grow(&p.unit.result, p.lastResult())
		}
		if !p.changed && p.waited && !p.late {
			p.late = true
		} else if !p.changed {
			break
		}
		if p.round == maxRounds {
			p.Problem(analyze.ProblemSteps, "too much depends on too much in this code", analyze.Span{})
			break
		}
	}
	p.report()
}

// addUnit makes a tree part of the analysis.
func (p *python) addUnit(t *analyze.Tree, root *scope, depth int, fixed *analyze.Span) *unit {
	u := &unit{tree: t, root: root, depth: depth, fixed: fixed, vars: make([]int32, t.Len()),
		scopes: map[int]*scope{}, made: map[int]int{}, text: map[int]string{}}
	for i := range u.vars {
		u.vars[i] = noVariable
		p.asked["::"] = p.asked["::"] || t.Kind(i) == kindSlice && hasStep(t, i)
	}
	before := p.unit
	p.Collector.Fixed = fixed
	p.declare(u)
	p.Collector.Fixed = nil
	p.unit = before
	p.units = append(p.units, u)
	p.changed = true
	return u
}

const noVariable = -1

// span places a node of the current unit.
func (p *python) span(i int) analyze.Span {
	if p.unit.fixed != nil {
		return *p.unit.fixed
	}
	return p.unit.tree.Span(i)
}

// lastResult evaluates the expression that a unit other than the source ends
// with: what eval returns.
func (p *python) lastResult() value {
	last := p.lastNamed(0)
	if p.unit.fixed == nil || last == analyze.NoNode || p.unit.tree.Kind(last) != kindExpressionStatement {
		return value{}
	}
	p.quiet++
	v := p.loadFirst(last)
	p.quiet--
	return v
}

// report turns the mentions of the last round into uses.
func (p *python) report() {
	for _, m := range p.mentions {
		u := analyze.Use{How: m.how, Certainty: m.certainty, Span: m.span, Scope: m.scope, Path: m.path}
		if m.args == nil {
			p.Use(m.name, u)
			continue
		}
		u.Named = m.args.beginnings()
		for _, args := range m.args.ways(p) {
			u.Args, u.Splat = args.facts(p)
			p.Use(m.name, u)
		}
	}
	p.overwrites()
	for _, m := range p.privates {
		if m.taken || !p.own[m.name] {
			p.Dynamic(analyze.DynamicAttribute, m.span)
		}
	}
}

// dynamicAt reports a place that cannot be resolved.
func (p *python) dynamicAt(kind string, i int) {
	if p.quiet > 0 {
		return
	}
	p.Dynamic(kind, p.span(i))
	if kind == analyze.DynamicAttribute || kind == analyze.DynamicNamespace { // of the others there is nothing that a policy lets pass and that leads to a function
		p.survey()
	}
}

// assign binds v to a variable.
func (p *python) assign(id int, v value) {
	if p.quiet > 0 || id < 0 {
		return
	}
	if p.scope != nil && p.scope.kind == classScope {
		p.handsTo(v)
	}
	p.grow(&p.vars[id].value, v)
}

// grow adds v to a set. A set of too many things becomes an unknown one: the
// functions in it are mentioned where they were named, and the modules escape.
func (p *python) grow(set *value, v value) {
	if p.quiet > 0 {
		return
	}
	if set.flags&manyAtoms != 0 {
		p.escape(v)
		return
	}
	joined := set.join(v)
	if joined.flags == set.flags && len(joined.atoms) == len(set.atoms) {
		return
	}
	if len(joined.atoms) > maxAtoms {
		p.escape(joined)
		joined = value{flags: open | manyStrings | manyNumbers | manyAtoms}
	}
	*set = joined
	p.changed = true
}
