// Package javascript reads JavaScript into facts. It is an abstract interpreter
// that walks the tree round by round until nothing new is learned: a name holds
// everything that is ever assigned to it, whatever the order and the branch.
package javascript

import (
	"regexp"
	"slices"
	"strings"

	treejavascript "github.com/smacker/go-tree-sitter/javascript"

	"sallyport/analyze"
	"sallyport/analyze/javascript/mistake"
)

// Reader returns the reader of JavaScript.
func Reader() *analyze.Reader {
	tables := newTables()
	return &analyze.Reader{
		Language:  analyze.JavaScript,
		Grammar:   analyze.NewGrammar(treejavascript.GetLanguage(), kindNames(), fieldNames()),
		Canonical: Canonical,
		Misread:   misread,
		Walk:      func(w *analyze.Walk) { read(w, tables) },
		Explain:   mistake.Explain,
	}
}

// ofItself matches a loop over a variable that is called `of`.
var ofItself = regexp.MustCompile(`^(?:const|let|var)\s+(of)\s+of\b`)

// misread returns the first sign of the name of such a variable, which the grammar takes for the word.
func misread(t *analyze.Tree) []int {
	var signs []int
	for i := range t.Len() {
		if t.First(i) != analyze.NoNode || t.Start(i) == t.End(i) {
			continue
		}
		if m := ofItself.FindStringSubmatchIndex(t.Text[t.Start(i):]); m != nil {
			signs = append(signs, t.Start(i)+m[2])
		}
	}
	return signs
}

// mode says where the code that is read came from.
type mode uint8

const (
	programCode mode = iota // the source itself
	stringCode              // a string given to eval, Function or the like
	moduleCode              // the text of a data: module
)

// Rounds over the tree: names are resolved without regard to order, so what
// one round learns late, the next one uses. From widenRound on, constants that
// still grow are given up, numbers sooner, because they count. From settleRound on, if not
// sooner, what was not seen to yield anything may be anything; after maxRounds
// the rest is reported as unresolved.
const (
	widenNumbers = 2
	widenRound   = 3
	settleRound  = 16
	maxRounds    = 32
)

// javascript reads one tree. A round walks every node once, whatever branch it
// stands in, and joins what it finds. The last round reports.
type javascript struct {
	*analyze.Walk
	tables *tables
	tree   *analyze.Tree
	mode   mode
	cells  bool // the source is cells of a session, which run at the top of a script
	depth  int  // of code in strings
	goal   analyze.Goal

	scopes      []scope
	scopeIn     []int32 // by node: the scope it is evaluated in
	scopeOf     []int32 // by node: the scope it opens, or 0
	bindings    map[scopedName]*variable
	declared    map[string]bool
	resolvedAt  []int32
	resolutions []resolution
	symbols     map[[2]string]member
	natives     map[string]value
	atoms       value              // what extend cuts from
	used        int                // of atoms
	large       value              // where joinLarge puts sets together
	values      []value            // what places cuts from
	optionals   bool               // there is a ?. somewhere
	identifiers map[string][]int32 // where names stand, once somebody asks
	receivers   []int32            // the nodes of this and super, once somebody asks
	firstCalls  map[int]int        // what calledFrom found
	loopKeys    map[loopKey]bool   // what isLoopKey found
	leaving     map[int][]int32    // where functions may end or wait, once somebody asks
	missing     map[ifMissing]bool // what reachedIfMissing found
	implicit    map[string]*kept   // globals that the program makes by assigning
	shares      map[string]*kept   // what it puts on what all objects may inherit from, by the key
	patched     map[string]*kept   // what it puts on outside objects, by the name of the member
	placed      map[string]*place  // what it puts on objects that are not its own, by the key
	thrown      kept

	objects []*object // all, in the order in which they came up
	madeAt  []int32   // by node: one more than the index of the last that it made, or 0
	exports kept      // module.exports

	descents int // how often it was learned what an object inherits from, and one more

	round    int
	walked   int // how often the tree was walked, wholly or in part
	changed  bool
	settled  bool // a round has learned nothing: what was not seen to yield anything may be anything
	emit     bool // this may be the last round
	partial  bool // units are left out that read nothing new
	events   []event
	uses     []use          // of the events that are mentions
	unsure   map[string]int // by symbol: how many of them say that something which is not known may be it
	steps    int
	applying int       // nesting of calls made by calls
	joining  int       // nesting of arrays being joined
	storing  []storing // calls of what is stored that are being made
	gave     []given   // what is stored, to the outermost of them
	here     int       // the node being evaluated

	unit    *unit   // the one being walked
	units   []*unit // all
	top     []*unit // the statements of the program
	changes int     // of what every unit may read

	function  *function // nil at the top
	this      value
	super     value
	class     *object
	path      string // Use.Scope
	strict    bool
	topStrict bool
	losesThis bool // a function hands on a this that may be the global object

	written       bool             // something may write into a Buffer, so that none holds what it was made of
	leaked        float64          // how many unknown keys deep the deepest computed member is that escaped
	surely        bool             // one was a member of a function that has none of its own
	named         map[string]bool  // names under which the program put what is not known; anyKey, under any
	anyOfFunction bool             // a function was asked for a member whose name is not known
	streams       bool             // files are read as streams
	memory        bool             // it has the memory of buffers, or a port that takes such
	compresses    bool             // it has a stream of zlib
	jobs          bool             // a function may be called of a job of crypto
	lent          map[string]*kept // what outside went where it is not followed, and can be changed there
	asksArguments bool             // of a function that is not known
	hasInstances  bool             // Symbol.hasInstance is named: what instanceof asks about may be told to something of the program's
	tests         bool             // the test runner is loaded, whose mocks go by names
	files         bool             // the module of files is loaded
	lines         bool             // something reads lines
	insides       []string         // members that lead inside of something of Node's that the program has
	consoles      bool             // a member of the console whose name is not known, or the console itself, is somewhere: its streams may be sockets
	contexts      bool             // what it gives a test went where it is not followed
	pinned        bool             // what all objects inherit may have members that keep them from getting their own by assigning
	went          bool             // a function went where it is not followed
	listening     []int            // where listeners are added to the process
	overflowing   bool             // there may be so many of them that a warning has the process
	remembers     bool             // a function that is not known may change what it is called of, or remember it
	carried       bool             // what all objects inherit may have gone where it is not followed
	reachesBehind bool             // members are assigned of members of which the name is not known
	changer       bool             // a function that puts members on what it is given went where it is not followed
	standard      bool             // a standard stream, which may be a socket, went where it is not followed
	connector     bool             // so did a member of one, of which the name is not known
	timed         kept             // functions that a timer may be asked for by a name that is not known
	hearing       kept             // what functions that are not known are called of, as listeners are of an emitter
	with          []value          // objects of the with statements around

	codes []code
}

// code is a constant string that the program runs as code.
type code struct {
	text string
	mode mode
	at   analyze.Span
}

func read(w *analyze.Walk, tables *tables) *javascript {
	j := newJavaScript(w, tables, w.Tree, programCode, 0)
	j.cells = w.Source.Cells() != nil
	j.goal = w.Source.Goal()
	if j.goal == "" {
		j.goal = j.detectGoal()
	}
	w.Collector.Goal = j.goal
	j.checkText()
	j.collectIdentifiers()
	j.noteOddities()
	j.run()
	return j
}

func newJavaScript(w *analyze.Walk, tables *tables, t *analyze.Tree, mode mode, depth int) *javascript {
	j := &javascript{
		Walk: w, tables: tables, tree: t, mode: mode, depth: depth, goal: analyze.Script,
		declared: map[string]bool{}, unsure: map[string]int{}, implicit: map[string]*kept{}, patched: map[string]*kept{}, placed: map[string]*place{}, symbols: map[[2]string]member{}, natives: map[string]value{}, lent: map[string]*kept{}, descents: 1,
	}
	if mode == moduleCode {
		j.goal = analyze.Module
	}
	return j
}

// run resolves the tree and reports what it mentions: it walks until a whole
// round learns nothing, and what that round saw is what counts.
func (j *javascript) run() {
	j.declare()
	j.resolutions = make([]resolution, 0, j.tree.Len()/4)
	j.exports.values = objectValue(j.objectFor(0, 1))
	j.topStrict = j.goal == analyze.Module || !j.cells && j.directive(0)
	j.reportMoved()
	for j.round = 1; j.round <= maxRounds; j.round++ {
		j.walk(j.round > widenRound && j.round < maxRounds && !j.tables.whole)
		if j.partial && j.ends() {
			j.walk(false)
		}
		if j.ends() {
			break
		}
		if j.emit && !j.changed || j.round == settleRound {
			j.settle()
		}
	}
	j.mentionToWeb()
	j.mentionLengths()
	j.flush()
	if j.changed {
		j.Dynamic(analyze.DynamicMember, j.At(j.tree, 0))
	}
	j.readCodes()
}

// walk walks the tree, or the units that are stale.
func (j *javascript) walk(partial bool) {
	j.changed, j.partial = false, partial
	j.walked++
	j.emit = j.round > 1
	j.events, j.uses = j.events[:0], j.uses[:0]
	clear(j.unsure)
	j.codes = j.codes[:0]
	j.program()
}

// ends tells whether there is nothing more to learn.
func (j *javascript) ends() bool {
	if j.emit && !j.changed {
		j.uncalled()
	}
	return j.emit && !j.changed && (j.settled || !j.waiting())
}

// waiting tells whether something was met that may be anything once the rounds learn nothing.
func (j *javascript) waiting() bool {
	return slices.ContainsFunc(j.units, func(u *unit) bool { return u.waits })
}

// settle says that what was not seen to yield anything may be anything.
func (j *javascript) settle() {
	j.settled, j.changed = true, true
	for _, u := range j.units {
		if u.waits {
			u.outdated()
		}
	}
}

// unseen tells whether a value may be anything, because nothing was seen to yield one. As
// long as there is more to learn it is none: what is wrongly said to be unknown stays so.
func (j *javascript) unseen(s value) bool {
	if len(s) == 0 {
		j.unit.waits = true
	}
	return len(s) == 0 && j.settled
}

// uncalled says of functions that nobody was seen to call that the language may.
func (j *javascript) uncalled() {
	for _, o := range j.objects {
		if f := o.code; f != nil && !f.called && !f.asked && f.arity > 0 {
			f.asked = true
			j.learned(&f.given)
		}
	}
}

// event is something to report once the tree is resolved.
type event struct {
	kind eventKind
	at   int32
	use  int32 // of an eventUse: which of the uses it is
	name string
}

// use is how an outside symbol is mentioned.
type use struct {
	path  string
	how   analyze.How
	sure  bool
	splat bool
	args  []analyze.Arg
	named []analyze.Named
}

type eventKind uint8

const (
	eventUse eventKind = iota
	eventAttr
	eventString
	eventDynamic
	eventImport
	eventHeld // a member of this name was called of what is not known
)

// flush reports what the last round saw.
func (j *javascript) flush() {
	j.reportCallers()
	for i := range j.events {
		e := &j.events[i]
		at := int(e.at)
		switch e.kind {
		case eventUse:
			u, certainty := &j.uses[e.use], analyze.Possible
			if u.sure {
				certainty = analyze.Exact
			}
			j.Use(shown(e.name), analyze.Use{How: u.how, Certainty: certainty, Args: u.args, Splat: u.splat, Named: u.named, Span: j.At(j.tree, at), Scope: u.path})
		case eventAttr:
			j.Attr(shown(e.name), j.At(j.tree, at))
		case eventString:
			j.Str(e.name)
		case eventDynamic:
			j.Dynamic(e.name, j.At(j.tree, at))
		case eventHeld:
			if j.mayHold(e.name) {
				j.Dynamic(analyze.DynamicClass, j.At(j.tree, at))
			}
		case eventImport:
			hoisted := j.Fixed == nil && j.tree.Field(at) == sourceField
			j.ImportModule(e.name, j.At(j.tree, at), hoisted)
		}
	}
	j.events, j.uses = nil, nil
}

// reportCallers reports a walk from a function to the one that called it and
// on to its arguments: at the top that is Node's wrapper, which was given
// require.
func (j *javascript) reportCallers() {
	caller, arguments := j.anyOfFunction, -1
	for i := range j.events {
		switch e := &j.events[i]; {
		case e.kind == eventAttr && e.name == "caller":
			caller = true
		case e.kind == eventAttr && e.name == "arguments":
			arguments = int(e.at)
		}
	}
	if caller && arguments >= 0 && j.goal != analyze.Module {
		j.event(eventDynamic, analyze.DynamicFrame, arguments)
	}
}

// reports tells whether what this round sees may be reported: it is not the last once it has
// learned something.
func (j *javascript) reports() bool {
	return j.emit && !j.partial && (!j.changed || j.round == maxRounds)
}

func (j *javascript) event(kind eventKind, name string, at int) {
	if j.reports() {
		j.events = append(j.events, event{kind: kind, name: name, at: int32(at)})
	}
}

// program walks the whole tree once.
func (j *javascript) program() {
	j.function, j.class, j.path, j.with, j.super, j.strict = nil, nil, "", nil, nil, j.topStrict
	switch {
	case j.goal == analyze.Module:
		j.this = ofKind(atomUndefined)
	case j.mode == programCode && !j.cells:
		j.this = objectValue(j.objectFor(0, 1))
	default:
		j.this = symbol("globalThis")
	}
	j.topUnits()
}

// readCodes reads the constant strings that the program runs as code.
func (j *javascript) readCodes() {
	for _, code := range j.codes {
		if j.depth >= j.Limits.Nested {
			j.Collector.Dynamic(analyze.DynamicCode, code.at)
			continue
		}
		t, problem := j.Parse(code.text)
		if problem != nil || hasErrors(t) {
			j.Collector.Dynamic(analyze.DynamicCode, code.at)
			continue
		}
		old := j.Fixed
		j.Fixed = &code.at
		nested := newJavaScript(j.Walk, j.tables, t, code.mode, j.depth+1)
		nested.checkAwait()
		nested.run()
		j.Fixed = old
	}
}

func hasErrors(t *analyze.Tree) bool {
	for i := range t.Len() {
		if t.Broken(i) {
			return true
		}
	}
	return false
}

// detectGoal settles an open goal as Node does: import, export, import.meta
// and a top-level await make a module.
func (j *javascript) detectGoal() analyze.Goal {
	t := j.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindImportStatement, kindExportStatement:
			return analyze.Module
		case kindMetaProperty:
			if strings.HasPrefix(t.Source(i), "import") {
				return analyze.Module
			}
		case kindMemberExpression: // the grammar may read import.meta as a member
			if o := t.Child(i, objectField); o != analyze.NoNode && t.Kind(o) == kindImport && !imports(t, i) {
				return analyze.Module
			}
		case kindAwaitExpression:
			if j.functionAround(i) == analyze.NoNode {
				return analyze.Module
			}
		case kindForInStatement:
			if isForAwait(t, i) && j.functionAround(i) == analyze.NoNode {
				return analyze.Module
			}
		}
	}
	return analyze.Script
}

func isForAwait(t *analyze.Tree, i int) bool {
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if !t.Named(c) && t.Source(c) == "await" {
			return true
		}
	}
	return false
}

// functionAround returns the function, field or static block whose code node i
// is part of, or NoNode at the top.
func (j *javascript) functionAround(i int) int {
	t := j.tree
	for p := t.Parent(i); p != analyze.NoNode; i, p = p, t.Parent(p) {
		switch k := t.Kind(p); {
		case isFunctionKind(k), k == kindFieldDefinition:
			if !isKeyOf(t, i, p) {
				return p
			}
		case k == kindClassStaticBlock:
			return p
		}
	}
	return analyze.NoNode
}

// hasWord is true when function i is async, say: the word stands before its
// name and parameters.
func hasWord(t *analyze.Tree, i int, word string) bool {
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch t.Field(c) {
		case nameField, parametersField, parameterField, bodyField, propertyField:
			return false
		}
		if !t.Named(c) && strings.Join(strings.Fields(t.Source(c)), " ") == word { // the grammar has one of two lines
			return true
		}
	}
	return false
}

// collectIdentifiers reports every identifier of the source.
func (j *javascript) collectIdentifiers() {
	t := j.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindIdentifier, kindPropertyIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern,
			kindStatementIdentifier, kindUndefined, kindImport:
			j.Identifier(j.identifierText(i))
		case kindPrivatePropertyIdentifier:
			j.Identifier(strings.TrimPrefix(j.identifierText(i), "#"))
		case kindMetaProperty:
			for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
				if word := t.Source(c); isIdentifierText(word) {
					j.Identifier(word)
				}
			}
		}
		// Words that are identifiers in some places only: parsers disagree about
		// which of them to report, so all are there as soon as one is.
		if !t.Named(i) && !t.IsEnd(i) && isWordToken(t.Text[t.Start(i):t.End(i)]) {
			j.Identifier(t.Source(i))
		}
	}
}

// noteOddities reports what is legal but odd in the source itself.
func (j *javascript) noteOddities() {
	t := j.tree
	j.OddLines(t)
	for i := range t.Len() {
		at := func() analyze.Span { return t.Span(i) }
		switch t.Kind(i) {
		case kindIdentifier, kindPropertyIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern,
			kindStatementIdentifier, kindPrivatePropertyIdentifier:
			j.OddName(t.Source(i), j.identifierText(i), at)
		case kindComment:
			j.OddComment(t.Source(i), at)
			j.OddText(t.Source(i), at)
		case kindStringFragment, kindTemplateString, kindRegexPattern:
			j.OddText(t.Source(i), at)
		}
	}
}

// isWordToken is true for the words that some place allows as a name.
func isWordToken(s string) bool {
	switch s {
	case "as", "async", "await", "default", "from", "get", "let", "meta", "of", "set", "static", "target", "yield":
		return true
	}
	return false
}

// step counts the work; it is false when there was too much.
func (j *javascript) step() bool { return j.work(1) }

// work counts n steps at once.
func (j *javascript) work(n int) bool {
	if j.steps > j.Limits.Steps {
		return false
	}
	if j.steps += n; j.steps > j.Limits.Steps {
		j.Problem(analyze.ProblemSteps, "resolving names takes too long", j.At(j.tree, 0))
		return false
	}
	return true
}

// dynamicAt reports something that cannot be seen through, in the last round.
func (j *javascript) dynamicAt(kind string, at int) {
	j.event(eventDynamic, kind, at)
}

// mention reports one mention of a symbol, in the last round.
func (j *javascript) mention(name string, at int, how analyze.How, sure bool, args []analyze.Arg, splat bool, named ...analyze.Named) {
	if j.reports() {
		j.noteUse(name, at, how, sure, args, splat, named...)
	}
}

func (j *javascript) noteUse(name string, at int, how analyze.How, sure bool, args []analyze.Arg, splat bool, named ...analyze.Named) {
	j.events = append(j.events, event{kind: eventUse, at: int32(at), use: int32(len(j.uses)), name: name})
	j.uses = append(j.uses, use{path: j.path, how: how, sure: sure, splat: splat, args: args, named: named})
}

// maxPerhaps bounds the places at which something that is not known may be a certain symbol: there are as many of
// them as of calls and members that are not known.
const maxPerhaps = 16

// perhaps is mention of what something that is not known may be.
func (j *javascript) perhaps(name string, at int, how analyze.How) {
	if j.reports() && j.unsure[name] < maxPerhaps {
		j.unsure[name]++
		j.noteUse(name, at, how, false, nil, how == analyze.HowCall)
	}
}

// mentionAll reports every symbol of s as mentioned at node i.
func (j *javascript) mentionAll(s value, i int, how analyze.How) {
	if !j.reports() {
		return
	}
	for _, v := range s {
		if v == perhapsGlobal {
			j.dynamicAt(analyze.DynamicClass, i)
		} else if v.kind == atomSymbol {
			j.mention(v.text, i, how, s.single(), nil, false)
			if v.text == "globalThis" {
				j.dynamicAt(analyze.DynamicNamespace, i)
			}
		}
	}
}
