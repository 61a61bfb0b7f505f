// Package javascript reads JavaScript into facts. It is an abstract interpreter
// that walks the tree pass by pass until nothing new is learned: a name holds
// everything that is ever assigned to it, whatever the order and the branch.
package javascript

import (
	"strings"

	"github.com/smacker/go-tree-sitter/javascript"

	"sallyport/analyze"
)

// Reader returns the reader of JavaScript.
func Reader() *analyze.Reader {
	return &analyze.Reader{
		Language:  analyze.JavaScript,
		Grammar:   analyze.NewGrammar(javascript.GetLanguage(), kindNames(), fieldNames()),
		Canonical: canonical,
		Walk:      read,
	}
}

// jsMode says where the code that is read came from.
type jsMode uint8

const (
	jsProgramCode jsMode = iota // the source itself
	jsStringCode                // a string given to eval, Function or the like
	jsModuleCode                // the text of a data: module
)

// Passes over the tree: names are resolved without regard to order, so what
// one pass learns late, the next one uses. From widenPass on, constants that
// still grow are given up, numbers sooner, because they count; after maxPasses
// the rest is reported as unresolved.
const (
	widenNumbers = 2
	widenPass    = 3
	maxPasses    = 20
)

// jsWalk reads one tree. A pass walks every node once, whatever branch it
// stands in, and joins what it finds. The last pass reports.
type jsWalk struct {
	*analyze.Walk
	tree  *analyze.Tree
	mode  jsMode
	cells bool // the source is cells of a session, which run at the top of a script
	depth int  // of code in strings
	goal  analyze.Goal

	scopes      []jsScope
	scopeIn     []int32 // by node: the scope it is evaluated in
	scopeOf     []int32 // by node: the scope it opens, or 0
	bindings    map[jsName]*jsBinding
	declared    map[string]bool
	resolvedAt  []int32
	resolutions []jsResolution
	symbols     map[[2]string]jsMember
	implicit    map[string]*jsSet // globals that the program makes by assigning

	objects map[[2]int]*jsEntity
	exports jsSet // module.exports

	pass     int
	changed  bool
	emit     bool // this may be the last pass
	events   []jsEvent
	steps    int
	applying int // nesting of calls made by calls
	joining  int // nesting of arrays being joined
	here     int // the node being evaluated

	function  *jsFunction // nil at the top
	this      jsSet
	super     jsSet
	class     *jsEntity
	path      string // Use.Scope
	strict    bool
	topStrict bool

	anyOfFunction bool    // a function was asked for a member whose name is not known
	with          []jsSet // objects of the with statements around

	codes []jsCode
}

// jsCode is a constant string that the program runs as code.
type jsCode struct {
	text string
	mode jsMode
	at   analyze.Span
}

func read(w *analyze.Walk) {
	j := newWalk(w, w.Tree, jsProgramCode, 0)
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
}

func newWalk(w *analyze.Walk, t *analyze.Tree, mode jsMode, depth int) *jsWalk {
	j := &jsWalk{
		Walk: w, tree: t, mode: mode, depth: depth, goal: analyze.Script,
		declared: map[string]bool{}, implicit: map[string]*jsSet{}, objects: map[[2]int]*jsEntity{}, symbols: map[[2]string]jsMember{},
	}
	if mode == jsModuleCode {
		j.goal = analyze.Module
	}
	return j
}

// run resolves the tree and reports what it mentions: it walks until a whole
// pass learns nothing, and what that pass saw is what counts.
func (j *jsWalk) run() {
	j.declare()
	j.resolutions = make([]jsResolution, 0, j.tree.Len()/4)
	j.exports = localSet(j.objectFor(0, 1))
	j.topStrict = j.goal == analyze.Module || !j.cells && j.directive(0)
	for j.pass = 1; j.pass <= maxPasses; j.pass++ {
		j.changed = false
		j.emit = j.pass > 1
		j.events = j.events[:0]
		j.codes = j.codes[:0]
		j.program()
		if j.emit && !j.changed {
			break
		}
	}
	j.flush()
	if j.changed {
		j.Dynamic(analyze.DynamicMember, j.At(j.tree, 0))
	}
	j.readCodes()
}

// jsEvent is something to report once the tree is resolved.
type jsEvent struct {
	kind      jsEventKind
	at        int
	name      string
	path      string
	how       analyze.How
	certainty analyze.Certainty
	args      []analyze.Arg
	splat     bool
}

type jsEventKind uint8

const (
	jsEventUse jsEventKind = iota
	jsEventAttr
	jsEventString
	jsEventDynamic
	jsEventImport
)

// flush reports what the last pass saw.
func (j *jsWalk) flush() {
	j.reportCallers()
	for i := range j.events {
		switch e := &j.events[i]; e.kind {
		case jsEventUse:
			j.Use(e.name, analyze.Use{How: e.how, Certainty: e.certainty, Args: e.args, Splat: e.splat, Span: j.At(j.tree, e.at), Scope: e.path})
		case jsEventAttr:
			j.Attr(e.name, j.At(j.tree, e.at))
		case jsEventString:
			j.Str(e.name)
		case jsEventDynamic:
			j.Dynamic(e.name, j.At(j.tree, e.at))
		case jsEventImport:
			j.ImportModule(e.name, j.At(j.tree, e.at))
		}
	}
	j.events = nil
}

// reportCallers reports a walk from a function to the one that called it and
// on to its arguments: at the top that is Node's wrapper, which was given
// require.
func (j *jsWalk) reportCallers() {
	caller, arguments := j.anyOfFunction, -1
	for i := range j.events {
		switch e := &j.events[i]; {
		case e.kind == jsEventAttr && e.name == "caller":
			caller = true
		case e.kind == jsEventAttr && e.name == "arguments":
			arguments = e.at
		}
	}
	if caller && arguments >= 0 && j.goal != analyze.Module {
		j.event(jsEventDynamic, analyze.DynamicFrame, arguments)
	}
}

func (j *jsWalk) event(kind jsEventKind, name string, at int) {
	if j.emit {
		j.events = append(j.events, jsEvent{kind: kind, name: name, at: at})
	}
}

// program walks the whole tree once.
func (j *jsWalk) program() {
	j.function, j.class, j.path, j.with, j.super, j.strict = nil, nil, "", nil, nil, j.topStrict
	switch {
	case j.goal == analyze.Module:
		j.this = kindSet(jsConstUndefined)
	case j.mode == jsProgramCode && !j.cells:
		j.this = j.exports
	default:
		j.this = symbolSet("globalThis")
	}
	j.statements(0)
}

// readCodes reads the constant strings that the program runs as code.
func (j *jsWalk) readCodes() {
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
		nested := newWalk(j.Walk, t, code.mode, j.depth+1)
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
func (j *jsWalk) detectGoal() analyze.Goal {
	t := j.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case jsImportStatement, jsExportStatement:
			return analyze.Module
		case jsMetaProperty:
			if strings.HasPrefix(t.Source(i), "import") {
				return analyze.Module
			}
		case jsMemberExpression: // the grammar may read import.meta as a member
			if o := t.Child(i, jsObjectField); o != analyze.NoNode && t.Kind(o) == jsImport && t.Source(i) != "import" {
				return analyze.Module
			}
		case jsAwaitExpression:
			if j.functionAround(i) == analyze.NoNode {
				return analyze.Module
			}
		case jsForInStatement:
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
func (j *jsWalk) functionAround(i int) int {
	t := j.tree
	for p := t.Parent(i); p != analyze.NoNode; i, p = p, t.Parent(p) {
		switch k := t.Kind(p); {
		case isFunctionKind(k), k == jsFieldDefinition:
			if !isKeyOf(t, i, p) {
				return p
			}
		case k == jsClassStaticBlock:
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
		case jsNameField, jsParametersField, jsParameterField, jsBodyField, jsPropertyField:
			return false
		}
		if !t.Named(c) && t.Source(c) == word {
			return true
		}
	}
	return false
}

// collectIdentifiers reports every identifier of the source.
func (j *jsWalk) collectIdentifiers() {
	t := j.tree
	for i := range t.Len() {
		switch t.Kind(i) {
		case jsIdentifier, jsPropertyIdentifier, jsShorthandPropertyIdentifier, jsShorthandPropertyIdentifierPattern,
			jsStatementIdentifier, jsUndefined, jsImport:
			j.Identifier(j.identifierText(i))
		case jsPrivatePropertyIdentifier:
			j.Identifier(strings.TrimPrefix(j.identifierText(i), "#"))
		case jsMetaProperty:
			before, after, _ := strings.Cut(t.Source(i), ".")
			j.Identifier(strings.TrimSpace(before))
			j.Identifier(strings.TrimSpace(after))
		}
	}
	// Words that are identifiers in some places only: parsers disagree about
	// which of them to report, so all are there as soon as one is.
	for i := range t.Len() {
		if !t.Named(i) && !t.IsEnd(i) && isWordToken(t.Text[t.Start(i):t.End(i)]) {
			j.Identifier(t.Source(i))
		}
	}
}

// noteOddities reports what is legal but odd in the source itself.
func (j *jsWalk) noteOddities() {
	t := j.tree
	j.OddLines(t)
	for i := range t.Len() {
		at := func() analyze.Span { return t.Span(i) }
		switch t.Kind(i) {
		case jsIdentifier, jsPropertyIdentifier, jsShorthandPropertyIdentifier, jsShorthandPropertyIdentifierPattern,
			jsStatementIdentifier, jsPrivatePropertyIdentifier:
			j.OddName(t.Source(i), j.identifierText(i), at)
		case jsComment:
			j.OddComment(t.Source(i), at)
			j.OddText(t.Source(i), at)
		case jsStringFragment, jsTemplateString, jsRegexPattern:
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
func (j *jsWalk) step() bool { return j.work(1) }

// work counts n steps at once.
func (j *jsWalk) work(n int) bool {
	if j.steps > j.Limits.Steps {
		return false
	}
	if j.steps += n; j.steps > j.Limits.Steps {
		j.Problem(analyze.ProblemSteps, "resolving names takes too long", j.At(j.tree, 0))
		return false
	}
	return true
}

// unresolved reports something that cannot be seen through, in the last pass.
func (j *jsWalk) unresolved(kind string, at int) {
	j.event(jsEventDynamic, kind, at)
}

// mention reports one mention of a symbol, in the last pass.
func (j *jsWalk) mention(name string, at int, how analyze.How, sure bool, args []analyze.Arg, splat bool) {
	if !j.emit {
		return
	}
	certainty := analyze.Possible
	if sure {
		certainty = analyze.Exact
	}
	j.events = append(j.events, jsEvent{
		kind: jsEventUse, name: name, at: at, path: j.path, how: how, certainty: certainty, args: args, splat: splat,
	})
}

// mentionSet reports every symbol of s as mentioned at node i.
func (j *jsWalk) mentionSet(s jsSet, i int, how analyze.How) {
	for _, v := range s {
		if v.kind == jsSymbol {
			j.mention(v.text, i, how, s.single(), nil, false)
			if v.text == "globalThis" {
				j.unresolved(analyze.DynamicNamespace, i)
			}
		}
	}
}
