package python

import (
	"maps"
	"slices"
	"strings"

	"sallyport/analyze"
)

// The library asks objects which of their attributes to read, which file to open, and
// where a traceback has been. Who answers may be the program: in an attribute that it
// sets, in the body of a class, by a property. Each is here, and where the answer is not
// plainly harmless, it is reported.

// meaning says what the library makes of an attribute.
type meaning struct {
	symbol string   // what assigning to it is, in the catalogs
	makers []string // what gives out the objects that have it; none: whatever the module has
	read   bool     // reading it is what counts

	argument bool // an argument of that name, of whatever is called, is it, too
}

func meant() map[string]meaning {
	stacks := []string{"traceback.extract_tb", "traceback.extract_stack", "traceback.TracebackException", "traceback.StackSummary", "asyncio.format_helpers.extract_stack",
		// What handles exceptions in an event loop is told where it all began.
		"asyncio.AbstractEventLoop.get_exception_handler", "asyncio.BaseEventLoop", "asyncio.SelectorEventLoop", "asyncio.EventLoop", "asyncio.base_events", "asyncio.events", "asyncio.unix_events"}
	for _, name := range tellsContext() {
		stacks = append(stacks, loop+"."+name)
	}
	return map[string]meaning{
		"source":                {symbol: "shlex.shlex.source"},
		"fromfile_prefix_chars": {symbol: "argparse.ArgumentParser.fromfile_prefix_chars", argument: true},
		"filename":              {symbol: "traceback.FrameSummary.filename", makers: stacks},
		"name":                  {symbol: "dataclasses.Field.name", makers: []string{"dataclasses.Field", "dataclasses.field", "dataclasses.fields"}},
		"evaluate":              {symbol: "typing.ForwardRef.evaluate", makers: []string{"typing.get_args"}, read: true},
		"extract":               {symbol: "traceback.StackSummary.extract", makers: stacks, read: true},
	}
}

// loop is the class of the loops of asyncio.
const loop = "asyncio.AbstractEventLoop"

// tellsContext are the methods of one by which a program is told of exceptions, and where the
// loop was.
func tellsContext() []string {
	return []string{"set_exception_handler", "call_exception_handler", "default_exception_handler"}
}

// makersOf are all makers of the meanings.
func makersOf(meant map[string]meaning) map[string]bool {
	out := map[string]bool{}
	for _, m := range meant {
		for _, maker := range m.makers {
			out[maker] = true
		}
	}
	return out
}

// handedOut notes who gives out objects with attributes that mean something.
func (p *python) handedOut(name string) {
	for m := name; ; {
		if p.tables.makers[m] && !p.made[m] {
			p.made[m], p.changed = true, true
		}
		dot := strings.LastIndexByte(m, '.')
		if dot < 0 {
			return
		}
		m = m[:dot]
	}
}

// isDefaultOfField tells whether the function of dataclasses that is called at i makes a field of the class around, which its
// decorator then takes off: nobody has it but who asks dataclasses for the fields of a class.
func (p *python) isDefaultOfField(i int) bool {
	t := p.unit.tree
	call := t.Parent(i)
	set := t.Parent(call)
	if p.scope.kind != classScope || t.Kind(call) != kindCall || t.Child(call, functionField) != i || t.Kind(set) != kindAssignment || t.Child(set, rightField) != call {
		return false
	}
	left, class := t.Child(set, leftField), t.Parent(set)
	for class != analyze.NoNode && t.Kind(class) != kindClassDefinition {
		class = t.Parent(class)
	}
	if class == analyze.NoNode || t.Child(set, typeField) == analyze.NoNode || t.Kind(left) != kindIdentifier || p.own["__init_subclass__"] || p.own["__set_name__"] || !p.isMadeDataclass(class) {
		return false
	}
	return p.keepsFields(t.Child(set, typeField)) && !slices.ContainsFunc(p.chain(p.scope.owner), func(k int) bool { return p.classes[k].bases.open() || !p.classes[k].meta.nothing() }) &&
		!p.isBelow(p.scope.owner, func(class string) bool {
			return class != "builtins.object" && class != "typing.Generic" && class != "abc.ABC" && class != "typing.Protocol"
		}) && p.namesBelow(class)[p.identifier(left)] == 1
}

// keepsFields tells whether nothing in the program may have a field of the class around, of the type at i: before it is taken off,
// where something asks the class for it, as long as it says that what follows has a keyword, or by what gives all a class has.
func (p *python) keepsFields(i int) bool {
	if p.own["__get__"] || p.classByName || p.asked["__subclasses__"] || strings.Contains(p.unit.tree.Source(i), "KW_ONLY") {
		return false
	}
	return !slices.ContainsFunc(p.units, func(u *unit) bool {
		m := p.mentionsIn(u)
		return m.any || m.early
	})
}

// isMadeDataclass tells whether the first that gets the class at i is what makes a dataclass of it.
func (p *python) isMadeDataclass(i int) bool {
	t := p.unit.tree
	up, first := t.Parent(i), analyze.NoNode
	if up == analyze.NoNode || t.Kind(up) != kindDecoratedDefinition {
		return false
	}
	for c := t.FirstNamed(up); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindDecorator {
			first = t.FirstNamed(c)
		}
	}
	if first != analyze.NoNode && t.Kind(first) == kindCall {
		first = t.Child(first, functionField)
	}
	return first != analyze.NoNode && p.symbolAt(first) == "dataclasses.dataclass"
}

// namesBelow counts how often names stand in the body of the class at i where they may mean what is bound there, which they
// do in no function below; none is counted where all may be asked for together.
func (p *python) namesBelow(i int) map[string]int {
	key := unitNode{p.unit, i}
	if counts, ok := p.namedBelow[key]; ok {
		return counts
	}
	t, counts := p.unit.tree, map[string]int{}
	for c := i; c < t.After(i); c++ {
		up := t.Parent(c)
		if k := t.Kind(up); t.Field(c) == bodyField && (k == kindFunctionDefinition || k == kindLambda) {
			c = t.After(c) - 1
			continue
		}
		if t.Kind(c) != kindIdentifier || t.Field(c) == attributeField || t.Kind(up) == kindParameters || t.Kind(up) == kindKeywordArgument && t.Field(c) == nameField {
			continue
		}
		name := p.identifier(c)
		switch name {
		case "locals", "globals", "vars", "dir", "eval", "exec":
			counts = nil
		}
		if counts == nil {
			break
		}
		counts[name]++
	}
	p.namedBelow[key] = counts
	return counts
}

// means returns what the library makes of an attribute of what is not known: the object
// may be one that has it, whatever way it went.
func (p *python) means(name string) string {
	m, ok := p.tables.meant[name]
	if !ok {
		return ""
	}
	module, _, _ := strings.Cut(m.symbol, ".")
	there := len(m.makers) == 0 && p.atHand(module) || slices.ContainsFunc(m.makers, func(s string) bool { return p.made[s] })
	if !there {
		return ""
	}
	return m.symbol
}

// offered looks at an attribute that a class gives to its objects, where it may come from
// the one that the library asks for it.
func (p *python) offered(i int, name string, v value) {
	s := p.means(name)
	owner := s[:max(strings.LastIndexByte(s, '.'), 0)]
	if s != "" && !p.tables.meant[name].read && (len(p.tables.meant[name].makers) == 0 || p.made[owner]) && !(s == "dataclasses.Field.name" && p.plainField(v)) {
		p.mention(i, symbol(s), usage{how: analyze.HowAssign})
	}
}

// given looks at an attribute that is assigned to on what is not known.
func (p *python) given(i int, name string, v value) {
	if p.lent && name == "name" { // what is removed when it is closed
		p.mention(i, symbol("tempfile.TemporaryDirectory.name"), usage{how: analyze.HowAssign})
	}
	symbolOf := p.means(name)
	if symbolOf == "" || p.tables.meant[name].read || symbolOf == "dataclasses.Field.name" && (p.plainField(v) || p.namesOwn(i, name)) {
		return
	}
	p.mention(i, symbol(symbolOf), usage{how: analyze.HowAssign})
}

// namesOwn tells whether a method of a class of the program gives self the attribute at i, where nobody has the class of what
// that means something for: an object of the program may come from none of it.
func (p *python) namesOwn(i int, name string) bool {
	t := p.unit.tree
	if p.made["dataclasses.Field"] || t.Kind(i) != kindAttribute {
		return false
	}
	at := t.Child(i, attributeField)
	if !p.asksOwn(at, p.ofOwn(at, name)) {
		return false
	}
	n := p.vars[p.variableAt(t.Child(i, objectField))].scope.owner
	f := p.functions[n]
	own := identifierText(f.unit.tree.Source(f.unit.tree.Child(f.node, nameField)))
	if p.readOff(n) || p.classByName || p.madeOfOthers || slices.ContainsFunc(p.units, func(u *unit) bool {
		m := p.mentionsIn(u)
		return m.any || m.reached || m.texts[own]
	}) {
		return false
	}
	return !slices.ContainsFunc(p.classes, func(c class) bool {
		_, slots := c.scope.vars["__slots__"] // as fields have, which may pass for its objects
		return (c.bases.open() || slots) && slices.Contains(p.chain(c.scope.owner), f.scope.parent.owner)
	})
}

// namesKept looks at an attribute that is assigned to on what a name led to which is not known: it may be a field that its class keeps.
func (p *python) namesKept(i int, name string, v value) {
	if name == "name" && p.keptFields && !p.plainField(v) {
		p.mention(i, symbol("dataclasses.Field.name"), usage{how: analyze.HowAssign})
	}
}

// plainField tells whether v is nothing but text that may name a field: no name under which the library has something.
func (p *python) plainField(v value) bool {
	return plainNames(v) && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return p.isPrivate(a.text) && p.libraryHas(a.text) || p.tables.attributes[a.text] != ""
	})
}

// plainNames tells whether v is nothing but text that names one thing, which is not
// private to the interpreter.
func plainNames(v value) bool {
	return !v.open() && !v.nothing() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a.kind != atomString || !isIdentifier(a.text) || strings.HasPrefix(a.text, "__")
	})
}

// granting is an argument of a function or class of the library which gives a capability
// that the rest of it has not: with it the symbol counts as used, and so it does where
// the call cannot be seen whole.
type granting struct {
	keyword  string
	position int // -1 when it has none
	symbol   string
}

func grantings() map[string]granting {
	return map[string]granting{
		"argparse.ArgumentParser": {"fromfile_prefix_chars", 7, "argparse.ArgumentParser.fromfile_prefix_chars"},
		"logging.basicConfig":     {"filename", -1, "logging.FileHandler"},
	}
}

// granted looks at a call of what name is.
func (p *python) granted(i int, name string, args *arguments) {
	if name == astParse {
		p.namesSource(i, args)
	}
	if strings.HasPrefix(name, "argparse.") && strings.HasSuffix(name, "Action") && len(args.positional) > 1 {
		p.destined(i, args.positional[1])
	}
	if begin := args.after(6).positional; name == "argparse.ArgumentParser" && len(begin) > 0 {
		p.beginsOptions(i, begin[0])
	}
	g, ok := p.tables.granting[name]
	if !ok {
		return
	}
	_, named := (&arguments{named: args.named}).get(-1, g.keyword)
	if named || args.splat || g.position >= 0 && len(args.positional) > g.position {
		p.mention(i, symbol(g.symbol), usage{how: analyze.HowAssign})
	}
}

// astParse is given the name of a file. Where the text is no program it shows a line of that.
const astParse = "ast.parse"

// namesSource looks at a call of it.
func (p *python) namesSource(i int, args *arguments) {
	name, given := args.get(1, "filename")
	if text, ok := name.str(); !given || ok && !name.open() && strings.HasPrefix(text, "<") {
		return
	}
	p.mention(i, symbol(astParse+".filename"), usage{how: analyze.HowCall, args: &arguments{positional: []value{name}}})
}

// givesNoName tells whether the function that is read at i is bound to a name, which is
// followed, or handed to map, which is given no more than one list besides.
func (p *python) givesNoName(i int) bool {
	t := p.unit.tree
	switch up := t.Parent(i); t.Kind(up) {
	case kindAssignment:
		left := t.Child(up, leftField)
		return left != analyze.NoNode && t.Kind(left) == kindIdentifier && p.scope.kind != classScope
	case kindArgumentList:
		last := t.NextNamed(i)
		return p.isBuiltin(t.Child(t.Parent(up), functionField), "map") && last != analyze.NoNode && t.Kind(last) != kindListSplat && t.NextNamed(last) == analyze.NoNode
	}
	return false
}

// ruled tells whether class of the library is judged by what its objects are made of.
func (p *python) ruled(class string) bool {
	_, ok := p.tables.granting[class]
	return ok || p.tables.references[class] != ""
}

// ruledAbove returns the classes of that kind above class n of the program; all there
// are where n is below more than is looked at.
func (p *python) ruledAbove(n int) (names []string) {
	if p.isBelow(n, func(class string) bool {
		if p.ruled(class) {
			names = append(names, class)
		}
		return false
	}) {
		return slices.Concat(slices.Sorted(maps.Keys(p.tables.granting)), slices.Sorted(maps.Keys(p.tables.references)))
	}
	return names
}

// madeUnseen looks at a call of what is not known. Where the program has a class below
// one that is judged by what it is made of, it may be that class, in any of the ways in
// which a class finds itself and what is above it.
func (p *python) madeUnseen(i int, args *arguments) {
	if len(p.above) == 0 || p.quiet > 0 || !p.handed && p.ofDecorator(i) {
		return
	}
	for _, name := range p.above {
		p.callSymbol(i, name, args)
	}
}

// ofDecorator tells whether the call at i is that of the function which a decorator was
// given: of a parameter of the function around, which is used for nothing but calls, and
// which itself is used as nothing but a decorator.
func (p *python) ofDecorator(i int) bool {
	const most = 2000 // nodes of the function around
	t := p.unit.tree
	if t.Kind(i) != kindCall || t.Kind(t.Child(i, functionField)) != kindIdentifier {
		return false
	}
	id := p.variableAt(t.Child(i, functionField))
	s := p.vars[id].scope
	if s.kind != functionScope || s.parent == nil || s.parent.kind == classScope || s == p.scope {
		return false
	}
	f := p.functions[s.owner]
	if f.unit != p.unit || t.After(f.node)-f.node > most || !slices.ContainsFunc(f.params, func(q parameter) bool { return q.variable == id && q.form == plainParameter }) {
		return false
	}
	for j := f.node; j < t.After(f.node); j++ {
		if t.Kind(j) != kindIdentifier || p.identifier(j) != p.vars[id].name {
			continue
		}
		switch t.Kind(t.Parent(j)) {
		case kindCall, kindArgumentList, kindParameters:
		default:
			return false
		}
	}
	return p.decorates(t.Child(f.node, nameField))
}

// decorates tells whether the function whose name stands at i is used as nothing but a
// decorator.
func (p *python) decorates(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode {
		return false
	}
	if p.unit.otherwise == nil {
		p.unit.otherwise = map[string]bool{}
		for j := range t.Len() {
			if t.Kind(j) != kindIdentifier {
				continue
			}
			parent := t.Parent(j)
			if t.Kind(parent) != kindDecorator && !(t.Kind(parent) == kindFunctionDefinition && t.Child(parent, nameField) == j) {
				p.unit.otherwise[p.identifier(j)] = true
			}
		}
	}
	return !p.unit.otherwise[p.identifier(i)]
}

// handsTo looks at what is put into a class or an object of one: a function that stands
// elsewhere is called with the class then, as is what makes methods of functions.
func (p *python) handsTo(v value) {
	if p.handed || p.quiet > 0 {
		return
	}
	elsewhere := v.open()
	for _, a := range v.atoms {
		s := (*scope)(nil)
		if a.kind == atomFunction {
			s = p.functions[a.n].scope.parent
		}
		elsewhere = elsewhere || a.kind == atomGetter || a.kind == atomFunction && (s == nil || s.kind != classScope)
	}
	if elsewhere {
		p.handed, p.changed = true, true
	}
}

// handedUp looks at add_parser, which makes a parser of a class that nobody names, and at groups of
// arguments, which may say by what options begin.
func (p *python) handedUp(i int, name string, args *arguments) {
	if name == "add_argument_group" && args.spread {
		p.beginsOptions(i, anything())
	}
	if name == "add_parser" && p.atHand("argparse") {
		p.granted(i, "argparse.ArgumentParser", &arguments{named: args.named, splat: args.splat})
	}
}

// naming says as what a class is read that is not called where it stands.
type naming uint8

const (
	asValue      naming = iota
	asAnnotation        // of a function, which can be read
	asBase              // or as what an object is compared with
)

// asksClass returns how the arguments of a function are read that is called.
func (p *python) asksClass(fn int) naming {
	if fn != analyze.NoNode && p.unit.tree.Kind(fn) == kindIdentifier {
		if a, ok := p.variable(fn).single(); ok && a.kind == atomSymbol && (a.text == "builtins.isinstance" || a.text == "builtins.issubclass") {
			return asBase
		}
	}
	return asValue
}

// namesType tells whether what is read is named as a type, by which nobody gets hold of it.
func (p *python) namesType() bool {
	return p.asType == asBase || p.asType == asAnnotation && p.annotationsMade == 0 && !p.dispatches
}

// namesWithin tells whether what stands at i is still named as a type, as what is around it
// is: not what comes to a value of its own, and what is given to somebody.
func (p *python) namesWithin(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	if k := t.Kind(up); k == kindListSplat || k == kindArgumentList && t.Kind(t.Parent(up)) == kindCall && t.FirstNamed(up) == i {
		return false // the object that is asked for its class
	}
	switch t.Kind(i) {
	case kindIdentifier, kindAttribute, kindMemberType, kindSubscript, kindTuple, kindParenthesizedExpression, kindType, kindGenericType, kindTypeParameter:
		return true
	case kindList: // of the arguments of a function
		return p.asType == asAnnotation
	case kindBinaryOperator:
		return p.operator(i) == kindPipe && !p.own["__or__"] && !p.own["__ror__"]
	case kindUnionType:
		return !p.own["__or__"] && !p.own["__ror__"]
	}
	return false
}

// keysOf has what stands in the brackets behind receiver read as values, unless it is an
// annotation and receiver nothing but classes which have no such method of the program's. It
// returns how the rest is read.
func (p *python) keysOf(receiver value) naming {
	as := p.asType
	own := p.own["__class_getitem__"] || p.own["__getitem__"]
	if as == asBase || receiver.open() || slices.ContainsFunc(receiver.atoms, func(a atom) bool { return a.kind != atomSymbol && (a.kind != atomClass || own) }) {
		p.asType = asValue
	}
	return as
}

// handsBases tells whether somebody of the program's is given the bases of class n: who makes
// it, or another base.
func (p *python) handsBases(n int) bool {
	return p.own["__mro_entries__"] || slices.ContainsFunc(p.chain(n), func(k int) bool {
		meta := p.classes[k].meta
		return meta.open() || slices.ContainsFunc(meta.atoms, func(a atom) bool { return a.kind != atomSymbol })
	})
}

// grantsLater looks at what is read and not called on the spot: who gets it may call it
// with anything.
func (p *python) grantsLater(i int, v value) {
	for _, a := range v.atoms {
		if a.kind == atomClass {
			p.marks(&p.classes[a.n].typed, p.asType == asAnnotation)
			p.marks(&p.classes[a.n].given, p.asType == asValue)
			p.marks(&p.classes[a.n].handed, p.asType == asValue && p.unit.tree.Kind(p.unit.tree.Parent(i)) != kindArgumentList)
		}
	}
	if p.namesType() {
		return
	}
	for _, a := range v.atoms {
		if a == (atom{kind: atomSymbol, text: astParse}) && !p.givesNoName(i) {
			p.mention(i, symbol(astParse+".filename"), usage{how: analyze.HowAssign})
		}
		if a.kind == atomSymbol {
			p.calledLater(i, a.text)
		}
		if g, ok := p.tables.granting[a.text]; ok && a.kind == atomSymbol {
			p.mention(i, symbol(g.symbol), usage{how: analyze.HowAssign})
		}
		if a.kind != atomClass {
			continue
		}
		for _, name := range p.ruledAbove(int(a.n)) {
			if g, ok := p.tables.granting[name]; ok {
				p.mention(i, symbol(g.symbol), usage{how: analyze.HowAssign})
			} else {
				p.dynamicAt(p.tables.references[name], i)
			}
		}
	}
}

// tells looks at a value under a name by which an object says what others find in it.
func (p *python) tells(i int, name string, v value) {
	if s := p.means(name); s != "" && p.tables.meant[name].argument {
		p.mention(i, symbol(s), usage{how: analyze.HowAssign})
	}
	p.telling(i, name)
	switch name {
	case "extra":
		p.recordsOf(i, v)
	case "dest":
		if p.atHand("argparse") {
			p.destined(i, v)
		}
	case "dispatch":
		p.asksForImpl(i, v)
	case "prefix_chars":
		p.beginsOptions(i, v)
	case "capture_locals", "tb_locals": // whose text shows what the library has at hand, as the environment
		if a, ok := v.constant(); (p.atHand("traceback") || p.atHand("unittest")) && (!ok || a != atom{kind: atomBool} && a.kind != atomNone) {
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	case "_fields", "_attributes": // which attributes functions of ast read
		if !p.readsTrees() || p.quiet > 0 {
			return
		}
		for _, a := range v.atoms {
			if a.kind != atomContainer {
				p.dynamicAt(analyze.DynamicMember, i)
				return
			}
		}
		for _, a := range v.atoms {
			p.getsFromAnything(i, []value{{atoms: p.containers[a.n].all.texts().atoms}})
		}
		if p.assignsTuple(i) { // which nobody changes
			for _, a := range v.atoms {
				if a.kind == atomContainer && !p.containers[a.n].all.nothing() && !plainNames(p.containers[a.n].all) {
					p.dynamicAt(analyze.DynamicMember, i)
				}
			}
			return
		}
		each := p.elements(v)
		if v.open() || !each.nothing() && !plainNames(each) {
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case "__traceback__":
		if !traces(v) {
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	case "exc_info":
		if !p.isWhatHappened(v) {
			p.dynamicAt(p.kindOfShown(v), i)
		}
	}
}

// assignsTuple tells whether what is assigned at i, and nothing else, is a tuple as written.
func (p *python) assignsTuple(i int) bool {
	t := p.unit.tree
	parent := t.Parent(i)
	if t.Kind(parent) != kindAssignment || t.Child(parent, leftField) != i {
		return false
	}
	right := t.Child(parent, rightField)
	return right != analyze.NoNode && (t.Kind(right) == kindTuple || t.Kind(right) == kindExpressionList)
}

// traces tells whether v is a traceback of the interpreter's own, or none.
func traces(v value) bool {
	return v.flags == 0 && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		return a != traceback && a.kind != atomNone
	})
}

// traceback is what the interpreter made of where an exception has been.
var traceback = atom{kind: atomInstance, text: "types.TracebackType"}

// isWhatHappened tells whether v is what logging takes for an exception: that, or three
// things, of which the last is a traceback.
func (p *python) isWhatHappened(v value) bool {
	for _, a := range v.atoms {
		switch a.kind {
		case atomBool, atomInt, atomNone, atomException:
		case atomContainer:
			c := p.containers[a.n] // a tuple, or it is not looked at
			if c.kind != sequence || !c.rest.nothing() || !c.keys.nothing() || len(c.list) != 3 || !traces(c.list[2]) {
				return false
			}
		default:
			return false
		}
	}
	return v.flags&^caught == 0
}

// shows evaluates what prints the lines of files where an exception has been: one
// that the program made up names any file.
func shows(exception, position int, keyword string) intrinsic {
	return func(p *python, i int, args *arguments) value {
		if v, ok := args.get(position, keyword); ok && !traces(v) || args.splat {
			p.dynamicAt(p.kindOfShown(v), i)
		}
		v, ok := args.get(exception, "value")
		if !ok {
			v, ok = args.get(-1, "exc_value")
		}
		if ok && exception >= 0 && p.answers() && !v.isCaught() {
			p.dynamicAt(p.kindOfShown(v), i) // it may have any traceback
		}
		for _, v := range args.all() {
			p.escape(v)
		}
		return anything()
	}
}

// kindOfShown is what v may be where it is shown as what happened and is not known: frames that the program made up. These
// have attributes that are reported where they are named, so that v is only looked at where the program says what it is,
// or has objects that answer any name.
func (p *python) kindOfShown(v value) string {
	saysWhat := slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomGiven && a.kind != atomException && !a.constant() })
	if saysWhat || p.answers() || p.mocks() {
		return analyze.DynamicFrame
	}
	return analyze.DynamicAttribute
}

// recorded evaluates what keeps what happened, to be printed later.
func recorded(position int) intrinsic {
	return func(p *python, i int, args *arguments) value {
		if v, ok := args.get(position, ""); ok && !p.isWhatHappened(v) || args.splat {
			p.dynamicAt(analyze.DynamicFrame, i)
		}
		for _, v := range args.all() {
			p.escape(v)
		}
		return anything()
	}
}

// reported looks at methods of the library that print where an exception has been.
func (p *python) reported(i int, name string, args *arguments) {
	at, keyword := -1, ""
	p.contextual(i, name, args)
	if p.atHand("logging") && p.answers() && (name == "handle" || name == "emit" || name == "callHandlers") {
		p.dynamicAt(analyze.DynamicFrame, i) // the record may be the program's
	}
	switch name {
	case "debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log":
		if args.spread && p.atHand("logging") && (p.answers() || p.records) { // exc_info, or extra
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	case "set_defaults":
		if args.spread && p.atHand("argparse") {
			p.spreads()
			if p.readsTrees() {
				p.dynamicAt(analyze.DynamicAttribute, i) // as _fields
			}
		}
		for _, v := range args.named {
			p.begins(v.value)
		}
		if args.spread {
			p.begins(anything())
		}
	case "parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args":
		if v, ok := args.get(1, "namespace"); ok {
			p.begins(v)
		}
		if args.splat || args.spread {
			p.begins(anything())
		}
	case "makeRecord":
		if p.atHand("logging") {
			extra := args.arg(8).join(args.arg(9)) // of the class, with an object in front
			p.recordsOf(i, value{atoms: slices.DeleteFunc(slices.Clone(extra.atoms), atom.constant), flags: extra.flags})
		}
		if p.atHand("logging") {
			at, keyword = 6, "exc_info"
		}
	case "formatException":
		if p.atHand("logging") {
			at, keyword = 0, "ei"
		}
	case "addError", "addFailure", "addExpectedFailure":
		if p.atHand("unittest") {
			at, keyword = 1, "err"
		}
	case "addSubTest":
		if p.atHand("unittest") {
			at, keyword = 2, "err"
		}
	}
	if at < 0 {
		return
	}
	if v, ok := args.get(at, keyword); ok && !p.isWhatHappened(v) || args.splat {
		p.dynamicAt(p.kindOfShown(v), i)
	}
	if v := args.after(at + 1).arg(0); !p.isWhatHappened(value{atoms: slices.DeleteFunc(slices.Clone(v.atoms), atom.constant), flags: v.flags}) {
		p.dynamicAt(p.kindOfShown(v), i) // of the class, with an object in front
	}
}

// formatOfAnything is the method of what is not known, and may be text.
var formatOfAnything = atom{kind: atomInstance, text: "builtins.str.format"}

// keepsFormat looks at a place where the method format of what is not known is read and
// not called: unless it stays where it is followed, or is data like an option of that
// name, somebody else calls it with anything.
func (p *python) keepsFormat(i int, v value) {
	if v.has(formatOfAnything) && (p.formats || !p.readAsData(i)) {
		p.dynamicAt(analyze.DynamicTemplate, i)
	}
}

// readAsData tells whether what is read at i is bound to a name, which is followed, or
// used as nothing but data.
func (p *python) readAsData(i int) bool {
	t := p.unit.tree
	for parent := t.Parent(i); parent != analyze.NoNode; i, parent = parent, t.Parent(parent) {
		switch t.Kind(parent) {
		case kindParenthesizedExpression, kindConditionalExpression, kindBooleanOperator:
		case kindNamedExpression:
			if p.scope.kind == classScope {
				return false
			}
		case kindAssignment:
			left := t.Child(parent, leftField)
			if left == analyze.NoNode || t.Kind(left) != kindIdentifier || p.scope.kind == classScope {
				return false
			}
		case kindInterpolation, kindFormatExpression, kindExpressionStatement, kindIfStatement, kindElifClause, kindWhileStatement, kindAssertStatement, kindNotOperator:
			return true
		case kindComparisonOperator:
			return p.constantsBut(parent, i)
		case kindBinaryOperator:
			left := t.Child(parent, leftField)
			return left != i && t.Kind(left) == kindString
		case kindSubscript:
			return t.Child(parent, valueField) != i && p.isOfProgram(t.Child(parent, valueField), atomContainer)
		case kindKeywordArgument:
		case kindArgumentList:
			return p.isOfProgram(t.Child(t.Parent(parent), functionField), atomFunction)
		default:
			return false
		}
	}
	return true
}

// constantsBut tells whether all operands of a comparison but one are written out.
func (p *python) constantsBut(comparison, i int) bool {
	t := p.unit.tree
	for n := comparison + 1; n < t.After(comparison); n++ {
		if n == i {
			n = t.After(i) - 1
			continue
		}
		switch t.Kind(n) {
		case kindIdentifier, kindCall, kindSubscript, kindAttribute, kindInterpolation:
			return false
		}
	}
	return true
}

// isOfProgram tells whether the name at i is sure to be something of this program, or a
// builtin that keeps nothing. A function has parameters that are followed one by one.
func (p *python) isOfProgram(i int, kind atomKind) bool {
	t := p.unit.tree
	if i == analyze.NoNode || t.Kind(i) != kindIdentifier {
		return false
	}
	v := p.variable(i)
	return !v.open() && !v.nothing() && !slices.ContainsFunc(v.atoms, func(a atom) bool {
		switch a.text {
		case "builtins.print", "builtins.str", "builtins.repr", "builtins.len", "builtins.bool":
			return a.kind != atomSymbol || kind != atomFunction
		}
		return a.kind != kind || kind == atomFunction && slices.ContainsFunc(p.functions[a.n].params, func(param parameter) bool {
			return param.form != plainParameter
		})
	})
}

// happened evaluates sys.exc_info.
func happened(p *python, i int, _ *arguments) value {
	return p.sequenceOf(i, []value{anything(), one(atom{kind: atomException}).with(caught), one(traceback)})
}

// formatsRecord tells whether the call at i is super().format(record) of a class below
// logging.Formatter, for the record that logging gave: nothing that logging would not do.
func (p *python) formatsRecord(i int, args *arguments) bool {
	return p.handsRecord(i, args) && !p.functions[p.scope.owner].called && !p.own["__getattr__"] && !p.own["__getattribute__"]
}

// handsRecord tells whether the call at i is that, whoever called the function around it.
func (p *python) handsRecord(i int, args *arguments) bool {
	t, s := p.unit.tree, p.scope
	if t.Kind(i) != kindCall || s.kind != functionScope || s.parent == nil || s.parent.kind != classScope || len(args.positional) != 1 || len(args.named) > 0 || args.splat {
		return false
	}
	fn, f := t.Child(i, functionField), p.functions[s.owner]
	if t.Kind(fn) != kindAttribute || !p.ofSuper(t.Child(fn, attributeField)) || t.FirstNamed(t.Child(t.Child(fn, objectField), argumentsField)) != analyze.NoNode {
		return false
	}
	name := t.Child(f.node, nameField)
	given := t.FirstNamed(t.Child(i, argumentsField))
	return f.unit == p.unit && name != analyze.NoNode && p.identifier(name) == "format" && len(f.params) == 2 &&
		t.Kind(given) == kindIdentifier && p.variableAt(given) == f.params[1].variable &&
		p.onlyRead(f.node, f.params[1].variable) && p.isFormatter(s.parent.owner, 16)
}

// onlyRead tells whether the parameter of function node is used for nothing but its
// attributes and as an argument.
func (p *python) onlyRead(node, parameter int) bool {
	t := p.unit.tree
	for j := node; j < t.After(node); j++ {
		if t.Kind(j) != kindIdentifier || p.identifier(j) != p.vars[parameter].name {
			continue
		}
		switch t.Kind(t.Parent(j)) {
		case kindParameters, kindTypedParameter, kindAttribute, kindArgumentList, kindInterpolation:
		default:
			return false
		}
	}
	return true
}

// isFormatter tells whether class n of the program comes from logging.Formatter and from
// nothing else.
func (p *python) isFormatter(n, deep int) bool {
	c := p.classes[n]
	return deep > 0 && c.meta.nothing() && c.bases.flags == 0 && len(c.bases.atoms) > 0 && !slices.ContainsFunc(c.bases.atoms, func(a atom) bool {
		return !(a.kind == atomSymbol && a.text == "logging.Formatter" || a.kind == atomClass && p.isFormatter(int(a.n), deep-1))
	})
}
