package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

func (p *python) evalAttribute(i int, u usage) value {
	t := p.unit.tree
	object, name := t.Child(i, objectField), t.Child(i, attributeField)
	if t.Kind(i) == kindMemberType {
		object, name = t.FirstNamed(i), p.lastNamed(i)
	}
	if object == analyze.NoNode || name == analyze.NoNode {
		return anything()
	}
	return p.memberRead(i, name, p.eval(object, usage{}), u)
}

// evalDotted evaluates a dotted name in a pattern.
func (p *python) evalDotted(i int, u usage) value {
	t := p.unit.tree
	c := t.FirstNamed(i)
	if c == analyze.NoNode {
		return anything()
	}
	v := p.variable(c)
	if t.NextNamed(c) == analyze.NoNode {
		p.mention(i, v, u)
	}
	for name := t.NextNamed(c); name != analyze.NoNode; name = t.NextNamed(name) {
		use := u
		if t.NextNamed(name) != analyze.NoNode {
			use = usage{}
		}
		v = p.memberRead(name, name, v, use)
	}
	return v
}

// memberRead evaluates the attribute named at name of receiver, which is read at i.
func (p *python) memberRead(i, name int, receiver value, u usage) value {
	t := p.unit.tree
	v := p.attribute(name, receiver, p.identifier(name))
	p.mention(i, v, u)
	p.checkNamespaceUse(i, v)
	for _, a := range receiver.atoms {
		if _, path := p.pathProperty(a, p.identifier(name)); path && a.kind == atomInstance && p.pathText(a) != "" {
			continue // it is a path that is known, or open already
		}
		if a.constant() || a.kind == atomContainer || a.kind == atomNamespace || a.kind == atomInstance {
			if a.kind == atomNamespace && t.Field(i) != functionField {
				p.namespaceAsData(i, a)
				p.givesNames(a)
			}
			v = v.with(open)
		}
	}
	p.methodAsValue(receiver)
	p.formatAsValue(i, receiver, p.identifier(name))
	if u.how == analyze.HowReference {
		p.readAside(i, p.identifier(name))
	}
	return v
}

// readAside looks at a method of anything that is read at i and not called there: whoever
// has it calls it with what is not seen.
func (p *python) readAside(i int, name string) {
	p.makesActions(name)
	p.putsLogger(name)
	p.handedUp(i, name, &arguments{splat: true})
	p.parsedInto(i, name, &arguments{splat: true})
	p.contextual(i, name, &arguments{splat: true, rest: anything()})
	p.reported(i, name, &arguments{splat: true, rest: anything()})
	p.setsFormatter(i, name, &arguments{splat: true, rest: anything()})
	p.moved(i, name, &arguments{splat: true, rest: anything()})
	p.looksUpClass(name, &arguments{splat: true})
	if p.dispatches && name == "register" {
		p.dynamicAt(analyze.DynamicCode, i)
	}
}

// methodAsValue notes that a method of v is not called on the spot: whoever
// gets it may put anything into a container.
func (p *python) methodAsValue(v value) {
	for _, a := range v.atoms {
		if a.kind == atomContainer {
			p.escape(one(a))
		}
	}
}

// attribute evaluates attribute name of v; i is where it is named.
func (p *python) attribute(i int, v value, name string) value {
	p.noteAttribute(i, name, v)
	p.unwrapped(name)
	p.registersAs(name, v)
	if name == annotations {
		return p.annotationsOf(i)
	}
	if name == "__traceback__" && (v.isCaught() || !p.own["__getattr__"]) {
		return one(traceback)
	}
	if name == "__name__" {
		if names, ok := p.namesOf(v); ok {
			return names
		}
	}
	var out value
	unknown := v.open()
	p.rebuilt(i, name, v)
	p.handsNames(i, name, v)
	p.keepsSignals(i, name, v)
	if name == "__class__" {
		out = p.classOf(v)
	}
	for _, a := range v.atoms {
		switch a.kind {
		case atomSymbol:
			p.borrows(i, a.text, name)
			p.readsMaker(i, a.text, name)
			out = out.join(p.member(i, a.text, name))
			p.privateOf(i, a.text, name)
		case atomInstance:
			if a == action && name == "__call__" {
				p.dynamicAt(analyze.DynamicAttribute, i)
			}
			if to, ok := p.pathProperty(a, name); ok {
				if name == "parents" {
					to = p.bag(i, to)
				}
				out = out.join(to)
				break
			}
			if name == "tb_next" && a == traceback {
				out = out.join(one(traceback))
				break
			}
			if name == "name" && a.text == "tempfile.TemporaryDirectory" {
				out = out.join(p.entered(one(a)))
				break
			}
			if a.isOpened() {
				p.disguises(name)
				unknown = unknown || a.text == excelWriter // which hands out what does more than compute
			}
			out = out.join(one(atom{kind: atomSymbol, text: a.text + "." + name, n: a.n})).join(p.fields[name]).join(p.escapedMember(name))
			p.privateOf(i, a.text, name)
			p.private(i, name)
		case atomFunction, atomException, atomClass, atomGetter:
			unknown = true
			if a.kind == atomClass {
				p.lendsOwn(i, int(a.n), name)
				p.lendsWritten(i, int(a.n), name)
			}
		}
		if a.kind == atomException && name == "obj" {
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	}
	out = out.with(v.flags & (reached | walked | strange))
	if name == "__class__" { // which a call of it is reported for
		out.flags &^= walked
	}
	if v.flags&missed != 0 {
		out = out.join(p.memberOfImported(name))
	}
	if name == "obj" && unknown && !p.asksOwn(i, p.ofOwn(i, name)) {
		out = out.with(missed)
	}
	if v.flags&ofObject != 0 && ofWith(name) {
		p.dynamicAt(analyze.DynamicAttribute, i) // of whatever it is given in the place of the object
	}
	if v.flags&ofObject != 0 {
		p.borrowsUnseen(i, name)
	}
	p.remadeFlag(i, v, name)
	p.keepsSetter(i, name)
	p.lendsSuper(i, v, name)
	if name == "parser" && unknown && p.imported["configparser"] { // of a section
		out = out.join(one(atom{kind: atomInstance, text: configParser}))
	}
	if name == "parser" && unknown && p.imported["pathlib"] && p.asksSystem(i) { // of a class of paths
		out = out.join(symbol("os.path"))
	}
	if unknown && len(p.askers) > 0 {
		p.offClass(i, name, v)
	}
	if v.open() {
		p.offWritten(i, name, v)
	}
	if name == "__call__" {
		out = out.with(v.flags & ofObject)
	}
	if unknown {
		p.lentFile(i, name)
		p.handMember(name)
		p.private(i, name)
		p.keepsEnter(i, name)
		if name == "__aexit__" && !p.isCalled(i) {
			p.tellsOfEnd(i, name, &arguments{splat: true, rest: anything()})
		}
		p.remadeUnseen(i, name)
		if name == "format" || name == "format_map" {
			out = out.join(one(formatOfAnything))
		}
		out = out.join(p.fields[name]).join(p.special(name)).join(p.escapedMember(name)).join(p.methodOf(i, name)).with(open)
	}
	return out
}

// asksSystem tells whether what is read at i is asked on the spot for a function of os.path that looks
// at more than text.
func (p *python) asksSystem(i int) bool {
	t, of := p.unit.tree, p.attributeNamed(i)
	if of == analyze.NoNode {
		return false
	}
	asked := t.Parent(of)
	if asked == analyze.NoNode || t.Kind(asked) != kindAttribute || t.Child(asked, objectField) != of {
		return false
	}
	switch p.identifier(t.Child(asked, attributeField)) {
	case "exists", "expanduser", "expandvars", "getatime", "getctime", "getmtime", "getsize", "isdevdrive", "isdir", "isfile",
		"isjunction", "islink", "ismount", "lexists", "realpath", "samefile":
		return true
	}
	return false
}

// methodOf evaluates a method that an object of an imported module is likely
// to be asked for, wherever the object came from.
func (p *python) methodOf(i int, name string) value {
	if s := p.means(name); s != "" && p.tables.meant[name].read {
		return symbol(s)
	}
	var out value
	switch name {
	case "write", "write_c14n", "parse":
		if slices.Contains(p.strayed, xmlTree) {
			out = symbol(xmlTree + "." + name)
		}
	case "home": // which objects of the program may have, as data
		if slices.Contains(p.strayed, pathClass) && (p.isCalled(i) || p.fields[name].nothing()) {
			out = symbol(pathClass + "." + name)
		}
	case "owner", "walk", "resolve":
		if slices.Contains(p.strayed, pathClass) {
			out = symbol(pathClass + "." + name)
		}
	case "group": // which a match of re has, too
		if slices.Contains(p.strayed, pathClass) && !p.imported["re"] {
			out = symbol(pathClass + "." + name)
		}
	}
	full, ok := p.tables.methods[name]
	if module, _, _ := strings.Cut(full, "."); !ok || !p.atHand(module) {
		return out
	}
	return out.join(symbol(full))
}

// noteAttribute records an attribute name of v, and what kind of door it is.
func (p *python) noteAttribute(i int, name string, v value) {
	if p.quiet > 0 || name == "" {
		return
	}
	p.Attr(name, p.span(i))
	if name == "copy" || name == "decode" || name == "encode" || name == "run_in_executor" || name == "addFilter" || name == "default_factory" || name == "groupby" || name == "__subclasses__" {
		p.asked[name] = true
	}
	if name == "style" && v.open() && p.atHand("pandas") {
		p.lends(styleOfTable)
	}
	p.marks(&p.framed, name == "set_output")
	p.marks(&p.putsUnseen, name == "__dict__" && p.putsAttributes(i))
	p.seesRecords(name)
	p.asksSupplied(i, name)
	p.marks(&p.slotsRead, name == "__slots__")
	if name == "__dataclass_fields__" {
		p.handedOut("dataclasses.fields")
	}
	p.marks(&p.refilled, name == "__defaults__" || name == "__kwdefaults__")
	if name == "__setitem__" && !p.ofSuper(i) {
		p.setsItems(i)
	}
	p.asked["%"] = p.asked["%"] || name == "__mod__" || name == "mod" || name == "imod"
	if kind := p.tables.attributes[name]; kind != "" {
		if p.listsOwnClasses(i, name, v) || leadsUp[name] && p.asksAbove(i, v) {
			kind = analyze.DynamicClass
		}
		if name == "__getattribute__" && p.asksPlainly(i, v) || name == "tb_next" && p.readsNext(i) || name == "__code__" && p.readsSignature(i) {
			kind = analyze.DynamicAttribute
		}
		p.dynamicAt(kind, i)
	}
}

// readsNext tells whether the attribute at i is read where it stands: from one place of a traceback to the next nobody gets
// at more than the number of the line. Its frame has a name of its own.
func (p *python) readsNext(i int) bool {
	of := p.attributeNamed(i)
	return of != analyze.NoNode && !isPut(p.unit.tree, of)
}

// readsSignature tells whether nobody gets hold of the code that is read at i: a name of it is asked for on the spot that
// says what the function is called and what it takes. What a class of the program has under that name may be anything.
func (p *python) readsSignature(i int) bool {
	t, of := p.unit.tree, p.attributeNamed(i)
	if of == analyze.NoNode || p.own["__code__"] {
		return false
	}
	asked := t.Parent(of)
	return asked != analyze.NoNode && t.Kind(asked) == kindAttribute && t.Child(asked, objectField) == of && !isPut(t, asked) &&
		ofSignature[p.identifier(t.Child(asked, attributeField))]
}

// isPut tells whether something is put where attribute i stands, or taken away.
func isPut(t *analyze.Tree, i int) bool {
	i = t.Bracketed(i, kindParenthesizedExpression)
	switch t.Kind(t.Parent(i)) {
	case kindAssignment, kindAugmentedAssignment, kindForStatement, kindForInClause:
		return t.Field(i) == leftField
	case kindPatternList, kindTuplePattern, kindListPattern, kindDeleteStatement, kindAsPatternTarget, kindListSplatPattern:
		return true
	case kindExpressionList:
		return t.Kind(t.Parent(t.Parent(i))) == kindDeleteStatement
	}
	return false
}

// ofSignature are the attributes of code that are numbers and names.
var ofSignature = setOf("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_varnames", "co_name", "co_qualname", "co_firstlineno", "co_nlocals", "co_flags", "co_freevars", "co_cellvars")

// asksPlainly tells whether __getattribute__ of v is called on the spot in one of the two ways in which a class that
// answers for its attributes itself gets at one: both are read as getattr of the object.
func (p *python) asksPlainly(i int, v value) bool {
	if !p.isCalled(i) {
		return false
	}
	t := p.unit.tree
	args := t.Child(t.Parent(t.Bracketed(t.Parent(i), kindParenthesizedExpression)), argumentsField)
	given := 0
	for c := t.FirstNamed(args); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindComment:
		case kindKeywordArgument, kindListSplat, kindDictionarySplat:
			return false
		default:
			given++
		}
	}
	a, ok := v.single()
	return given == 1 && p.ofSuper(i) && t.FirstNamed(t.Child(t.Child(t.Parent(i), objectField), argumentsField)) == analyze.NoNode || given == 2 && ok && a == atom{kind: atomSymbol, text: "builtins.object"}
}

// leadsUp are attributes of a class that lead, where they are read, to those it comes from: each of them does
// less than the class, and the last is named object.
var leadsUp = setOf("__mro__", "__bases__", "__base__", "mro")

// asksAbove tells whether the attribute at i is read of a class, and not of that of something which stands there,
// such as (): who wants to know what that comes from writes its name.
func (p *python) asksAbove(i int, v value) bool {
	t := p.unit.tree
	of := t.Parent(i)
	if v.nothing() {
		return false
	}
	if of != analyze.NoNode && t.Kind(of) == kindAttribute {
		of = t.Child(of, objectField)
	}
	of = t.Bare(of, kindParenthesizedExpression)
	if of == analyze.NoNode || t.Kind(of) != kindAttribute || p.identifier(t.Child(of, attributeField)) != "__class__" {
		return true
	}
	switch t.Kind(t.Child(of, objectField)) {
	case kindIdentifier, kindAttribute, kindCall, kindSubscript:
		return true
	}
	return false
}

// listsOwnClasses tells whether attribute name of v is called for the classes below a class of
// the program, which has made them all. A class that comes from type has the method of all
// classes, which is then called with one of them.
func (p *python) listsOwnClasses(i int, name string, v value) bool {
	if name != "__subclasses__" || !p.isCalled(i) || !p.isClassAsWritten() || !p.isOwnClass(i, v) {
		return false
	}
	t := p.unit.tree
	call := t.Parent(t.Bracketed(t.Parent(i), kindParenthesizedExpression))
	return t.FirstNamed(t.Child(call, argumentsField)) == analyze.NoNode
}

// isOwnClass tells whether v, of which the attribute at i is read, is nothing but classes of the program: known ones,
// those that such a class lists as below it, or what a class method is called with.
func (p *python) isOwnClass(i int, v value) bool {
	v, waits := p.settled(v)
	if waits {
		return true
	}
	if v.flags&^aClass == 0 && !v.nothing() && !slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomClass }) {
		return true
	}
	t := p.unit.tree
	of := t.Child(t.Parent(i), objectField)
	if !p.isClassOfMethod(of) {
		return false
	}
	n, _ := p.methodWith(p.variableAt(of))
	return p.staysInClass(n)
}

// staysInClass tells whether class method n is nowhere but behind its own name, and that is only called: who has the
// method has the function as well, and may call that with any class.
func (p *python) staysInClass(n int) bool {
	f := p.functions[n]
	t := f.unit.tree
	own, up := t.Child(f.node, nameField), t.Parent(f.node)
	if t.Kind(t.NextNamed(t.FirstNamed(up))) == kindDecorator { // another
		return false
	}
	name, class := identifierText(t.Source(own)), t.Parent(up)
	return !slices.ContainsFunc(p.units, func(u *unit) bool {
		m := p.mentionsIn(u)
		if m.any || m.taken[name] {
			return true
		}
		if u != f.unit {
			return false
		}
		k, _ := slices.BinarySearch(m.alone[name], class)
		for ; k < len(m.alone[name]) && m.alone[name][k] < t.After(class); k++ {
			if m.alone[name][k] != own {
				return true
			}
		}
		return false
	})
}

// mentions are what in a unit may take a method out of its class.
type mentions struct {
	any     bool             // something gives what a class has by any name, or finds the function behind a method
	reached bool             // the function behind a method is asked for by its name
	early   bool             // something may ask a class for what it has before it is done, or has the names that are bound there
	texts   map[string]bool  // texts that stand there
	taken   map[string]bool  // names that stand as a text, or as an attribute that is not called
	alone   map[string][]int // where a name stands by itself and is not called, which in the body of a class is what that has
}

// onlyDecorates tells whether the name at i is the one decorator of a function.
func onlyDecorates(t *analyze.Tree, i int) bool {
	up := t.Parent(i)
	if t.Kind(up) != kindDecorator {
		return false
	}
	first := t.FirstNamed(t.Parent(up))
	return first == up && t.Kind(t.NextNamed(up)) != kindDecorator
}

// mentionsIn returns those of unit u, which is read for them once.
func (p *python) mentionsIn(u *unit) *mentions {
	if u.mentions != nil {
		return u.mentions
	}
	t, m := u.tree, &mentions{texts: map[string]bool{}, taken: map[string]bool{}, alone: map[string][]int{}}
	u.mentions = m
	ofSelf := func(i int) bool { return i != analyze.NoNode && t.Kind(i) == kindIdentifier && t.Source(i) == "self" }
	for i := range t.Len() {
		switch t.Kind(i) {
		case kindStringContent:
			m.taken[t.Source(i)], m.texts[t.Source(i)] = true, true
		case kindIdentifier:
			over, text := t.Parent(i), identifierText(t.Source(i))
			called := t.Kind(over) == kindCall && t.Child(over, functionField) == i
			switch text {
			case "unwrap", "getmembers", "getmembers_static", "getattr_static", "classify_class_attrs":
				m.any = true
			case "__func__":
				m.reached = true
			case "KW_ONLY", "partialmethod", "abstractclassmethod":
				m.early = true
			case "classmethod":
				m.early = m.early || !onlyDecorates(t, i)
			case "locals", "vars", "globals":
				m.early = m.early || !called
			}
			switch {
			case t.Kind(over) == kindAttribute && t.Child(over, attributeField) == i:
				if !(t.Kind(t.Parent(over)) == kindCall && t.Child(t.Parent(over), functionField) == over) {
					m.taken[text] = true
				}
				m.any = m.any || text == "__dict__" && !ofSelf(t.Child(over, objectField))
			case text == "vars" && called:
				m.any = m.any || !ofSelf(t.FirstNamed(t.Child(over, argumentsField)))
			case !called:
				m.alone[text] = append(m.alone[text], i)
			}
		}
	}
	return m
}

// special evaluates attributes that lead out of any object.
func (p *python) special(name string) value {
	switch name {
	case "__builtins__":
		return p.builtin(name)
	case "f_builtins":
		return one(atom{kind: atomNamespace, text: "builtins"})
	case "f_globals", "f_locals", "__globals__", "gi_globals":
		return one(atom{kind: atomNamespace})
	case "__import__":
		return symbol("builtins.__import__")
	case "__self__":
		return symbol("builtins") // where the method is a function of the interpreter
	}
	return value{}
}

// isClassAsWritten tells whether what the name of a class is bound to is that class: no metaclass, of
// the program or not known, may have made something else in its place or have such a name for something
// else, and no test put something else there by its name.
func (p *python) isClassAsWritten() bool {
	if p.mocks() || p.imported["pytest"] || p.imported["__main__"] {
		return false
	}
	return !slices.ContainsFunc(p.classes, func(c class) bool {
		return c.bases.open() || c.meta.open() || slices.ContainsFunc(c.meta.atoms, func(a atom) bool { return a.kind != atomSymbol })
	})
}

// member evaluates a member of an outside symbol and notes a module that is
// reached that way. The classes that a class comes from begin with the class itself.
func (p *python) member(i int, owner, name string) value {
	v := p.memberOf(owner, name)
	if leadsUp[name] && name != "mro" { // which is called first
		p.mention(i, symbol(owner), usage{how: analyze.HowReference})
		if v = v.join(symbol(owner)); name != "__base__" {
			v = p.bag(i, v)
		}
		return v
	}
	for _, a := range v.atoms {
		if a.kind == atomSymbol && a.text != owner+"."+name && a.text != owner && p.stdlib.Modules[a.text] {
			p.importModuleAt(a.text, i)
		}
	}
	return v
}

// memberOf evaluates a member of an outside symbol.
func (p *python) memberOf(owner, name string) value {
	switch name {
	case "__dict__":
		return one(atom{kind: atomNamespace, text: owner})
	case "__builtins__":
		return p.builtin(name)
	case "__call__", "__wrapped__", "__func__":
		return symbol(owner)
	case "__self__":
		return symbol(p.stdlib.ModuleOf(owner))
	case "__globals__":
		return one(atom{kind: atomNamespace, text: p.stdlib.ModuleOf(owner)})
	case "__class__", "__base__", "__bases__", "__mro__":
		return anything().with(ofObject)
	}
	if len(owner)+len(name) > analyze.MaxName {
		return anything()
	}
	full := p.stdlib.Member(owner, name)
	if strings.Count(full, ".") > maxDots {
		return anything()
	}
	if same := p.sameAs(owner, name); same != "" {
		return symbol(same).join(p.members[full])
	}
	if v := p.ofProgram(owner, name); !v.nothing() {
		return v.join(p.members[full])
	}
	return symbol(full).join(p.members[full])
}

// maxDots bounds a qualified name: x = x.next in a loop makes longer and
// longer ones.
const maxDots = 7

// setField adds to the attribute name of the objects of this program. Reading
// one is never exact, so its constants do not matter.
func (p *python) setField(name string, v value) {
	p.ownName(name)
	if v.open() && p.quiet == 0 && !p.unknownOwn[name] {
		p.unknownOwn[name], p.changed = true, true
	}
	kept := value{atoms: v.atoms, flags: v.flags & (ofObject | missed | aClass | strange)}
	for k, a := range v.atoms {
		if a.constant() {
			kept.atoms = slices.DeleteFunc(append(v.atoms[:k:k], v.atoms[k:]...), atom.constant)
			break
		}
	}
	p.escape(kept)
	p.handsTo(value{atoms: v.atoms})
	old := p.fields[name]
	if len(kept.atoms) == 0 && kept.flags == 0 || p.quiet > 0 {
		return
	}
	p.grow(&old, kept)
	p.fields[name] = old
}

// ownName notes that the program itself defines an attribute of that name.
func (p *python) ownName(name string) {
	p.marks(&p.sums, name == "__radd__")
	if p.owns(name) {
		p.handedOut(p.tables.methods[name]) // what the library then calls in the place of its own
	}
}

// owns notes that something of the program has an attribute of that name, and tells whether that is new.
func (p *python) owns(name string) bool {
	if p.own[name] || p.quiet > 0 {
		return false
	}
	p.own[name], p.changed = true, true
	return true
}

// setAttribute assigns v to an attribute.
func (p *python) setAttribute(i int, object value, name string, v value) {
	p.noteAttribute(i, name, value{})
	p.stored(i, name, v)
	p.optionOf(i, name, v)
	p.answersAsText(i, name)
	p.textual(i, name, v)
	p.hooks(i, name, v)
	p.putsTaker(i, name)
	p.putsOnClass(i, object, v)
	p.keepsPlace(i, object, name, v)
	p.keepsMeasure(i, name)
	p.keepsWeak(i, name)
	if object.open() || len(object.atoms) > 0 {
		p.puts(i, object, name)
	}
	switch name {
	case "default":
		p.begins(v)
	case "parse", "exceptions": // as if the class had it
		if name == "parse" && p.formatting && object.open() || slices.ContainsFunc(p.classes, func(c class) bool {
			return p.isBelow(c.scope.owner, func(class string) bool {
				return name == "parse" && class == "string.Formatter" || name == "exceptions" && strings.HasSuffix(class, "ExceptionGroup")
			})
		}) {
			p.dynamicAt(analyze.DynamicFormat, i)
		}
	case "dest":
		p.destinedAnew(i, object, v)
	case "__match_args__":
		p.dynamicAt(analyze.DynamicMember, i) // which attributes patterns read
	case "__doc__", "__test__":
		p.documented(i, v)
	}
	for _, a := range object.atoms {
		switch a.kind {
		case atomSymbol:
			p.setMember(i, a.text, name, v)
		case atomInstance:
			p.mention(i, symbol(a.text+"."+name), usage{how: analyze.HowAssign})
		case atomClass: // as if it stood in its body
			p.rewrites(i, name, v)
		}
	}
	if object.open() {
		p.lentFile(i, name)
		if object.flags&(reached|walked) != 0 { // which may be what a class has its fields in
			p.namesKept(i, name, v)
		}
		p.given(i, name, v)
	}
	if object.open() || len(object.atoms) > 0 {
		p.setField(name, v)
		p.overridden(i, name, v)
	}
}

// setMember assigns v to a member of an outside symbol: of a module it changes
// what other code finds there.
func (p *python) setMember(i int, owner, name string, v value) {
	full := p.stdlib.Member(owner, name)
	p.mention(i, symbol(full), usage{how: analyze.HowAssign})
	top, _, _ := strings.Cut(owner, ".")
	module := p.stdlib.Modules[owner] || !p.stdlib.Modules[top] && owner == top
	if module && !p.tables.assignable[full] {
		p.dynamicAt(analyze.DynamicPatch, i)
	}
	p.escape(v) // which the interpreter calls, perhaps
	p.putMember(full, v)
}

// putMember adds to what a member of the library may be.
func (p *python) putMember(full string, v value) {
	old := p.members[full]
	p.grow(&old, v)
	if p.quiet == 0 {
		p.members[full] = old
	}
}
