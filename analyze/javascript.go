package analyze

import (
	"strings"

	"github.com/smacker/go-tree-sitter/javascript"
)

func newJavaScript() *language {
	return &language{
		grammar:   newGrammar(javascript.GetLanguage(), javascriptKinds(), javascriptFields()),
		canonical: canonicalJavaScript,
		walk:      walkJavaScript,
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

// jsWalk reads one JavaScript tree. It is an abstract interpreter that walks
// every node once a pass, whatever branch it stands in, and joins what it
// finds: a name holds everything that is ever assigned to it. The last pass
// reports.
type jsWalk struct {
	*walk
	tree  *tree
	mode  jsMode
	depth int // of code in strings
	goal  Goal

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
	with      []jsSet // objects of the with statements around

	codes []jsCode
}

// jsCode is a constant string that the program runs as code.
type jsCode struct {
	text string
	mode jsMode
	at   Span
}

func walkJavaScript(w *walk) {
	j := newJSWalk(w, w.tree, jsProgramCode, 0)
	j.goal = w.source.goal
	if j.goal == "" {
		j.goal = j.detectGoal()
	}
	w.collector.goal = j.goal
	j.checkText()
	j.collectIdentifiers()
	j.run()
}

func newJSWalk(w *walk, t *tree, mode jsMode, depth int) *jsWalk {
	j := &jsWalk{
		walk: w, tree: t, mode: mode, depth: depth, goal: Script,
		declared: map[string]bool{}, implicit: map[string]*jsSet{}, objects: map[[2]int]*jsEntity{}, symbols: map[[2]string]jsMember{},
	}
	if mode == jsModuleCode {
		j.goal = Module
	}
	return j
}

// run resolves the tree and reports what it mentions: it walks until a whole
// pass learns nothing, and what that pass saw is what counts.
func (j *jsWalk) run() {
	j.declare()
	j.resolutions = make([]jsResolution, 0, len(j.tree.nodes)/4)
	j.exports = localSet(j.objectFor(0, 1))
	j.topStrict = j.goal == Module || j.directive(0)
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
		j.dynamic(DynamicMember, j.at(j.tree, 0))
	}
	j.readCodes()
}

// jsEvent is something to report once the tree is resolved.
type jsEvent struct {
	kind      jsEventKind
	at        int
	name      string
	path      string
	how       How
	certainty Certainty
	args      []Arg
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
	for i := range j.events {
		switch e := &j.events[i]; e.kind {
		case jsEventUse:
			j.use(e.name, Use{How: e.how, Certainty: e.certainty, Args: e.args, Splat: e.splat, Span: j.at(j.tree, e.at), Scope: e.path})
		case jsEventAttr:
			j.attr(e.name, j.at(j.tree, e.at))
		case jsEventString:
			j.str(e.name)
		case jsEventDynamic:
			j.dynamic(e.name, j.at(j.tree, e.at))
		case jsEventImport:
			j.importModule(e.name, j.at(j.tree, e.at))
		}
	}
	j.events = nil
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
	case j.goal == Module:
		j.this = kindSet(jsConstUndefined)
	case j.mode == jsProgramCode:
		j.this = j.exports
	default:
		j.this = symbolSet("globalThis")
	}
	j.statements(0)
}

// readCodes reads the constant strings that the program runs as code.
func (j *jsWalk) readCodes() {
	for _, code := range j.codes {
		if j.depth >= j.limits.nested {
			j.collector.dynamic(DynamicCode, code.at)
			continue
		}
		t, problem := j.parse(code.text)
		if problem != nil || hasErrors(t) {
			j.collector.dynamic(DynamicCode, code.at)
			continue
		}
		old := j.fixed
		j.fixed = &code.at
		nested := newJSWalk(j.walk, t, code.mode, j.depth+1)
		nested.checkAwait()
		nested.run()
		j.fixed = old
	}
}

func hasErrors(t *tree) bool {
	for i := range t.nodes {
		if t.nodes[i].flags&(flagError|flagMissing) != 0 {
			return true
		}
	}
	return false
}

// detectGoal settles an open goal as Node does: import, export, import.meta
// and a top-level await make a module.
func (j *jsWalk) detectGoal() Goal {
	t := j.tree
	for i := range t.nodes {
		switch t.kind(i) {
		case jsImportStatement, jsExportStatement:
			return Module
		case jsMetaProperty:
			if strings.HasPrefix(t.source(i), "import") {
				return Module
			}
		case jsMemberExpression: // the grammar may read import.meta as a member
			if o := t.child(i, jsObjectField); o != noNode && t.kind(o) == jsImport && t.source(i) != "import" {
				return Module
			}
		case jsAwaitExpression:
			if j.functionAround(i) == noNode {
				return Module
			}
		case jsForInStatement:
			if isForAwait(t, i) && j.functionAround(i) == noNode {
				return Module
			}
		}
	}
	return Script
}

func isForAwait(t *tree, i int) bool {
	for c := t.first(i); c != noNode; c = t.next(c) {
		if !t.named(c) && t.source(c) == "await" {
			return true
		}
	}
	return false
}

// functionAround returns the function, field or static block whose code node i
// is part of, or noNode at the top.
func (j *jsWalk) functionAround(i int) int {
	t := j.tree
	for p := t.parent(i); p != noNode; i, p = p, t.parent(p) {
		switch k := t.kind(p); {
		case isJSFunction(k), k == jsFieldDefinition:
			if !isKeyOf(t, i, p) {
				return p
			}
		case k == jsClassStaticBlock:
			return p
		}
	}
	return noNode
}

// hasWord is true when function i is async, say: the word stands before its
// name and parameters.
func hasWord(t *tree, i int, word string) bool {
	for c := t.first(i); c != noNode; c = t.next(c) {
		switch t.field(c) {
		case jsNameField, jsParametersField, jsParameterField, jsBodyField, jsPropertyField:
			return false
		}
		if !t.named(c) && t.source(c) == word {
			return true
		}
	}
	return false
}

// collectIdentifiers reports every identifier of the source.
func (j *jsWalk) collectIdentifiers() {
	t := j.tree
	for i := range t.nodes {
		switch t.kind(i) {
		case jsIdentifier, jsPropertyIdentifier, jsShorthandPropertyIdentifier, jsShorthandPropertyIdentifierPattern,
			jsStatementIdentifier, jsUndefined, jsImport:
			j.identifier(j.identifierText(i))
		case jsPrivatePropertyIdentifier:
			j.identifier(strings.TrimPrefix(j.identifierText(i), "#"))
		case jsMetaProperty:
			before, after, _ := strings.Cut(t.source(i), ".")
			j.identifier(strings.TrimSpace(before))
			j.identifier(strings.TrimSpace(after))
		}
	}
	// Words that are identifiers in some places only: parsers disagree about
	// which of them to report, so all are there as soon as one is.
	for i := range t.nodes {
		if t.nodes[i].flags&flagNamed == 0 && t.nodes[i].symbol != 0 && isWordToken(t.text[t.start(i):t.end(i)]) {
			j.identifier(t.source(i))
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
	if j.steps > j.limits.steps {
		return false
	}
	if j.steps += n; j.steps > j.limits.steps {
		j.problem(ProblemSteps, "resolving names takes too long", j.at(j.tree, 0))
		return false
	}
	return true
}

// unresolved reports something that cannot be seen through, in the last pass.
func (j *jsWalk) unresolved(kind string, at int) {
	j.event(jsEventDynamic, kind, at)
}

// mention reports one mention of a symbol, in the last pass.
func (j *jsWalk) mention(name string, at int, how How, sure bool, args []Arg, splat bool) {
	if !j.emit {
		return
	}
	certainty := Possible
	if sure {
		certainty = Exact
	}
	j.events = append(j.events, jsEvent{
		kind: jsEventUse, name: name, at: at, path: j.path, how: how, certainty: certainty, args: args, splat: splat,
	})
}

// mentionSet reports every symbol of s as mentioned at node i.
func (j *jsWalk) mentionSet(s jsSet, i int, how How) {
	for _, v := range s {
		if v.kind == jsSymbol {
			j.mention(v.text, i, how, s.single(), nil, false)
			if v.text == "globalThis" {
				j.unresolved(DynamicNamespace, i)
			}
		}
	}
}
