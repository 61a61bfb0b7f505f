package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// statement walks a statement, or any node that holds statements.
func (p *python) statement(i int) {
	t := p.unit.tree
	if p.tangled {
		return // it is not judged
	}
	switch t.Kind(i) {
	case kindFunctionDefinition:
		p.defines(i, p.definition(i))
	case kindClassDefinition:
		p.defines(i, p.class(i))
	case kindDecoratedDefinition:
		p.decorated(i)
	case kindImportStatement:
		p.importNames(i)
	case kindImportFromStatement:
		p.importFrom(i)
	case kindFutureImportStatement:
		p.importModuleAt("__future__", i)
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if id := p.unit.vars[t.FirstNamed(c)]; t.Kind(c) == kindDottedName && id >= 0 {
				p.assign(int(id), anything())
			}
		}
	case kindForStatement:
		p.bind(t.Child(i, leftField), p.elements(p.load(t.Child(i, rightField))))
		p.statements(i, leftField, rightField)
	case kindReturnStatement:
		v := one(atom{kind: atomNone})
		if t.FirstNamed(i) != analyze.NoNode {
			v = p.loadFirst(i)
		}
		p.givesClass(i, v)
		p.returns(v)
	case kindDeleteStatement:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.remove(c)
		}
	case kindExceptClause, kindExceptGroupClause:
		p.except(i)
	case kindMatchStatement:
		p.match(i)
	case kindTypeAliasStatement:
		p.typeAlias(i)
	case kindGlobalStatement, kindNonlocalStatement, kindComment, kindPassStatement, kindBreakStatement, kindContinueStatement:
	case kindPrintStatement:
		p.printStatement(i)
	case kindAssertStatement:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if v := p.load(c); c != t.FirstNamed(i) {
				p.escape(v) // the exception has it
			}
		}
	default:
		if p.isExpression(i) {
			p.load(i)
			return
		}
		p.statements(i, 0, 0)
	}
}

// statements walks the children of i except those in the fields named.
func (p *python) statements(i int, skip, skip2 analyze.Field) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if f := t.Field(c); f == 0 || f != skip && f != skip2 {
			p.statement(c)
		}
	}
}

// isExpression tells whether eval knows node i.
func (p *python) isExpression(i int) bool {
	switch p.unit.tree.Kind(i) {
	case kindModule, kindBlock, kindExpressionStatement, kindIfStatement, kindElifClause, kindElseClause, kindWhileStatement, kindTryStatement,
		kindFinallyClause, kindWithStatement, kindWithClause, kindWithItem, kindAssertStatement, kindRaiseStatement, kindExecStatement, kindCaseClause,
		kindAsPatternTarget, kindChevron, 0:
		return false
	}
	return true
}

// defines binds the name of definition i.
func (p *python) defines(i int, v value) {
	n := p.unit.tree.Child(i, nameField)
	if n == analyze.NoNode || p.unit.vars[n] < 0 {
		return
	}
	id := int(p.unit.vars[n])
	p.takesDefined(i, v)
	p.shades(i, id)
	p.assign(id, v)
}

// within runs f in another scope.
func (p *python) within(s *scope, f func()) {
	before := p.scope
	p.scope = s
	f()
	p.scope = before
}

// definition walks a function or lambda and returns it.
func (p *python) definition(i int) value {
	t := p.unit.tree
	inner := p.unit.scopes[i]
	if inner == nil {
		return anything()
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Field(c) {
		case nameField:
		case parametersField:
			p.parameters(c, p.typesAt(i), inner)
		case typeParametersField:
			p.within(p.typesAt(i), func() { p.typeParameters(c) })
		case returnTypeField:
			p.within(p.typesAt(i), func() { p.typeOf(c) })
		case bodyField:
			p.within(inner, func() {
				if t.Kind(i) == kindLambda {
					v := p.load(c)
					p.givesClass(c, v)
					p.returns(v)
				} else {
					p.statement(c)
					if f := &p.functions[inner.owner]; !f.generator && !p.leaves(c) {
						p.grow(&f.result, one(atom{kind: atomNone}))
					}
				}
			})
		}
	}
	return one(atom{kind: atomFunction, n: int64(inner.owner)})
}

// leaves tells whether the function around statement i returns or raises there for sure, so that
// nothing behind i is come to. What is entered by with may take an exception for its own.
func (p *python) leaves(i int) bool {
	t := p.unit.tree
	if i == analyze.NoNode {
		return false
	}
	parts := func(ends func(c int) bool) (all, otherwise bool) {
		all = true
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			otherwise = otherwise || t.Kind(c) == kindElseClause
			all = all && ends(c)
		}
		return all, otherwise
	}
	switch t.Kind(i) {
	case kindReturnStatement, kindRaiseStatement:
		return true
	case kindBlock, kindElseClause, kindElifClause, kindExceptClause, kindExceptGroupClause, kindFinallyClause:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if p.leaves(c) {
				return true
			}
		}
	case kindIfStatement:
		all, otherwise := parts(func(c int) bool { return t.Field(c) == conditionField || p.leaves(c) })
		return all && otherwise
	case kindTryStatement:
		body := p.leaves(t.Child(i, bodyField))
		last := p.lastNamed(i)
		if t.Kind(last) == kindFinallyClause && p.leaves(last) {
			return true
		}
		all, _ := parts(func(c int) bool {
			k := t.Kind(c)
			return k == kindFinallyClause || t.Field(c) == bodyField || k == kindElseClause && body || p.leaves(c)
		})
		_, otherwise := parts(func(int) bool { return true })
		return all && (body || otherwise)
	case kindWhileStatement:
		for c := i; c < t.After(i); c++ {
			if t.Kind(c) == kindBreakStatement {
				return false
			}
		}
		on := t.Child(i, conditionField)
		return on != analyze.NoNode && (t.Kind(on) == kindTrue || t.Source(on) == "1")
	}
	return false
}

// parameters evaluates defaults and annotations and binds parameters: anybody
// may call the function, so each is open until somebody asks who does.
func (p *python) parameters(i int, types, inner *scope) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		target, form := p.parameter(c)
		if target == analyze.NoNode {
			continue
		}
		if typ := t.Child(c, typeField); typ != analyze.NoNode {
			p.within(types, func() { p.typeOf(typ) })
		}
		v := notSeen(inner.owner)
		if def := t.Child(c, valueField); def != analyze.NoNode {
			v = v.join(p.load(def))
		}
		if form == plainParameter {
			p.within(inner, func() { p.bind(target, v) })
		} else {
			p.assign(int(p.unit.vars[target]), v)
		}
	}
}

// returns adds to what the function around returns. The interpreter itself
// may call it, as __getattr__ say, so a module in v escapes; an object that does something does
// where not every call is seen.
func (p *python) returns(v value) {
	for s := p.scope; s != nil; s = s.parent {
		if s.kind == functionScope {
			lost := v
			lost.flags &^= strange // who calls it asked for that
			if p.allSeen(int64(s.owner)) {
				lost.atoms = slices.DeleteFunc(slices.Clone(v.atoms), func(a atom) bool { return a.kind == atomInstance && p.tables.doers[a.text] != nil })
			}
			p.escape(lost)
			p.grow(&p.functions[s.owner].result, v)
			return
		}
	}
}

// class walks a class definition and returns the class.
func (p *python) class(i int) value {
	t := p.unit.tree
	inner := p.unit.scopes[i]
	if inner == nil {
		return anything()
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Field(c) {
		case typeParametersField:
			p.within(p.typesAt(i), func() { p.typeParameters(c) })
		case superclassesField:
			var args *arguments
			p.asType = asBase
			p.within(p.typesAt(i), func() { args = p.arguments(c) })
			p.asType = asValue
			for _, v := range args.all() { // who makes the class has its bases, and __init_subclass__ the others
				p.meets(v, anything())
				p.goesAstray(v.flags & strange)
			}
			for _, base := range args.positional {
				p.growBases(inner.owner, base)
				for _, a := range base.atoms {
					if a.kind == atomSymbol && (a.text == "unittest.main" || strings.HasSuffix(a.text, ".TestProgram")) {
						p.mention(c, symbol("unittest.TestProgram.parseArgs"), usage{how: analyze.HowReference})
					}
				}
			}
			p.hidesBases(inner.owner, args)
			if p.isBelow(inner.owner, loadsOwn) {
				p.dynamicAt(analyze.DynamicAttribute, c)
			}
			if !p.layered && p.quiet == 0 && p.isBelow(inner.owner, func(class string) bool { return p.tables.overMemory[class] > 0 }) {
				p.layered, p.changed = true, true
			}
			for _, name := range p.ruledAbove(inner.owner) {
				if p.quiet == 0 && !slices.Contains(p.above, name) {
					p.above, p.changed = append(p.above, name), true
				}
			}
			if p.holdsClass(args) {
				p.dynamicAt(analyze.DynamicClass, c)
			}
			if meta, ok := args.get(-1, "metaclass"); ok {
				p.grow(&p.classes[inner.owner].meta, meta)
				p.madeBy(c, meta)
				p.prepares(c, meta)
			}
			if p.handsBases(inner.owner) {
				for _, base := range args.positional {
					p.mention(c, base, usage{how: analyze.HowReference})
				}
			}
		case bodyField:
			p.within(inner, func() { p.statement(c) })
		}
	}
	p.passesForText(i, inner.owner)
	for _, id := range inner.ids {
		p.namesSpecial(i, p.vars[id].name)
		p.rewrites(i, p.vars[id].name, p.vars[id].value)
		p.optionAbove(i, inner.owner, p.vars[id].name, p.vars[id].value)
		p.setField(p.vars[id].name, p.vars[id].value)
		p.givenClass(inner.owner, p.vars[id].name, p.vars[id].value)
		p.within(inner, func() { p.overridden(i, p.vars[id].name, p.vars[id].value) })
	}
	p.takesByMeta(inner.owner)
	p.tellsDoer(inner.owner)
	p.fieldsOf(i, inner.owner)
	p.mixes(i, inner.owner)
	return one(atom{kind: atomClass, n: int64(inner.owner)})
}

// decorated walks a decorated definition. A decorator is a call.
func (p *python) decorated(i int) {
	t := p.unit.tree
	def := t.Child(i, definitionField)
	if def == analyze.NoNode {
		return
	}
	var v value
	if t.Kind(def) == kindClassDefinition {
		v = p.class(def)
	} else {
		v = p.definition(def)
	}
	var decorators []int // the last one is called first
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindDecorator && t.FirstNamed(c) != analyze.NoNode {
			decorators = append(decorators, c)
		}
	}
	for _, c := range slices.Backward(decorators) {
		e := t.FirstNamed(c)
		args := &arguments{positional: []value{v}}
		decorator := p.eval(e, usage{how: analyze.HowDecorator, args: args})
		if t.Kind(e) == kindAttribute {
			p.registered(c, p.identifier(t.Child(e, attributeField)), args, true)
		}
		p.takesDecorated(e, decorator, v)
		p.decoratedBy(c, decorator, v)
		made := p.call(c, decorator, args)
		p.decoratesClass(e, v, made)
		v = v.join(made)
	}
	p.defines(def, v)
}

// decoratesClass notes what the decorator at e gives in the place of a class, v.
func (p *python) decoratesClass(e int, v, made value) {
	t := p.unit.tree
	if t.Kind(e) == kindCall {
		e = t.Child(e, functionField)
	}
	ofLibrary := e != analyze.NoNode && p.symbolAt(e) != ""
	other := made.flags&^given != 0 || slices.ContainsFunc(made.atoms, func(a atom) bool { return a.kind != atomClass && a.kind != atomGiven })
	for _, a := range v.atoms {
		if a.kind == atomClass {
			p.marks(&p.classes[a.n].byLibrary, ofLibrary)
			p.marks(&p.classes[a.n].disguised, !ofLibrary && other)
		}
	}
}

func (p *python) importModuleAt(name string, i int) {
	if p.quiet > 0 {
		return
	}
	p.ImportModule(name, p.span(i), p.early(i))
	top, _, _ := strings.Cut(name, ".")
	for _, module := range []string{top, name} {
		if !p.imported[module] {
			p.imported[module], p.changed = true, true
		}
	}
	for _, module := range slices.Concat(p.stdlib.Uses[top], p.tables.lenders[top]) {
		if !p.brought[module] {
			p.brought[module], p.changed = true, true
		}
	}
}

// moduleAt is the name of a module that stands at i.
func (p *python) moduleAt(i int) string { return p.ModuleName(p.dotted(i), p.span(i)) }

// atHand tells whether objects and functions of a module may be at hand: it is imported, or
// one that is has it among its own names, and may give out what it made with that.
func (p *python) atHand(module string) bool {
	return p.imported[module] || p.brought[module]
}

// importNames walks "import a, b.c as d".
func (p *python) importNames(i int) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindAliasedImport:
			module := p.moduleAt(t.Child(c, nameField))
			p.importModuleAt(module, c)
			p.bindImport(c, t.Child(c, aliasField), symbol(module))
		case kindDottedName:
			module := p.moduleAt(c)
			p.importModuleAt(module, c)
			top, _, _ := strings.Cut(module, ".")
			p.bindImport(c, t.FirstNamed(c), symbol(top))
		}
	}
}

// importFrom walks "from a import b as c, d" and "from a import *".
func (p *python) importFrom(i int) {
	t := p.unit.tree
	m := t.Child(i, moduleNameField)
	if m == analyze.NoNode {
		return
	}
	module := p.moduleAt(m)
	p.importModuleAt(module, m)
	if strings.HasPrefix(module, ".") && !p.keepsPackage() {
		p.dynamicAt(analyze.DynamicImport, m)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch {
		case c == m:
		case t.Kind(c) == kindWildcardImport:
			p.importStar(module, c)
		case t.Kind(c) == kindAliasedImport:
			p.importMember(module, t.Child(c, nameField), t.Child(c, aliasField))
		case t.Kind(c) == kindDottedName:
			p.importMember(module, c, t.FirstNamed(c))
		}
	}
}

func (p *python) importMember(module string, name, target int) {
	if name == analyze.NoNode || target == analyze.NoNode {
		return
	}
	v := p.memberOf(module, p.dotted(name))
	p.mention(name, v, usage{how: analyze.HowImport})
	p.bindImport(name, target, v)
}

// bindImport binds what is imported at i to the name at target. What a class has is there for all who
// ask it, and for what runs the program: it is put away.
func (p *python) bindImport(i, target int, v value) {
	if target != analyze.NoNode && p.vars[p.variableAt(target)].scope.kind == classScope {
		p.mention(i, v, usage{how: analyze.HowReference})
	}
	p.bind(target, v)
}

func (p *python) importStar(module string, i int) {
	for _, s := range p.stars {
		if s == module {
			return
		}
	}
	p.stars = append(p.stars, module)
	p.Identifier("*") // a module is asked for all that it has
	p.changed = true
	if !p.stdlib.Modules[module] {
		p.dynamicAt(analyze.DynamicStar, i)
	}
}

// dotted returns the text of a dotted or relative module name.
func (p *python) dotted(i int) string {
	t := p.unit.tree
	if i == analyze.NoNode {
		return ""
	}
	var b strings.Builder
	for c := i; c < t.After(i); c++ {
		switch t.Kind(c) {
		case kindIdentifier:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), ".") {
				b.WriteByte('.')
			}
			b.WriteString(p.identifier(c))
		case kindImportPrefix:
			b.WriteString(strings.Repeat(".", strings.Count(t.Source(c), ".")))
		}
	}
	return b.String()
}

// except walks an except clause: what it binds is an exception.
func (p *python) except(i int) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindAsPattern {
			p.statement(c)
			continue
		}
		if e := t.FirstNamed(c); e != analyze.NoNode {
			p.load(e)
		}
		p.asked["as"] = true
		p.bind(t.Child(c, aliasField), one(atom{kind: atomException}).with(caught))
	}
}

// typeAlias walks "type X = …".
func (p *python) typeAlias(i int) {
	t := p.unit.tree
	name := t.FirstNamed(i)
	if name == analyze.NoNode {
		return
	}
	var v value
	for c := t.NextNamed(name); c != analyze.NoNode; c = t.NextNamed(c) {
		v = v.join(p.shown(c))
	}
	if first := t.FirstNamed(name); !p.namesAlias(name) {
		id := p.lookup("type", p.scope)
		bound := p.vars[id].value
		if p.vars[id].scope.kind == classScope {
			id = p.variableIn("type", p.module)
			bound = bound.join(p.vars[id].value)
		}
		p.mention(name, bound.join(p.free(id, name)), usage{how: analyze.HowReference})
		p.escape(bound) // it is called, or changed
		p.load(name)
		p.escape(v)
		if first != analyze.NoNode && t.Kind(first) == kindAttribute { // "type (x).y = z" is an assignment
			p.setAttribute(first, anything(), p.identifier(t.Child(first, attributeField)), v)
		}
	}
	for c := name; c < t.After(name); c++ {
		if t.Kind(c) == kindTypeParameter {
			p.typeParameters(c)
		}
		if t.Kind(c) == kindIdentifier {
			if p.unit.vars[c] >= 0 {
				p.assign(int(p.unit.vars[c]), anything())
			} else {
				p.load(c)
			}
		}
	}
}

func (p *python) typeParameters(i int) {
	t := p.unit.tree
	for c := i; c < t.After(i); c++ {
		if t.Kind(c) == kindIdentifier && p.unit.vars[c] >= 0 {
			p.assign(int(p.unit.vars[c]), anything())
		}
	}
	for c := i; c < t.After(i); c++ {
		if t.Kind(c) == kindType {
			p.escape(p.load(c)) // a bound is there at run time
		}
	}
}

// printStatement walks "print >>f, x", which Python 3 reads as a tuple.
func (p *python) printStatement(i int) {
	t := p.unit.tree
	p.Identifier("print")
	p.mention(i, symbol("builtins.print"), usage{how: analyze.HowReference})
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindChevron {
			p.loadFirst(c)
		} else {
			p.load(c)
		}
	}
}

// bind assigns v to a target: a name, a pattern, an attribute or a subscript.
func (p *python) bind(i int, v value) {
	if i == analyze.NoNode {
		return
	}
	t := p.unit.tree
	switch t.Kind(i) {
	case kindIdentifier:
		id := int(p.unit.vars[i])
		if id < 0 {
			id = p.variableAt(i)
		}
		if name := p.vars[id].name; name == "__doc__" || name == "__test__" {
			p.documented(i, v)
		}
		p.stored(i, p.vars[id].name, v)
		p.shades(i, id)
		p.keepsClass(i, v)
		if p.vars[id].scope == p.module && boundByModule(p.vars[id].name) {
			p.escape(v) // who annotates or warns there puts something into it
		}
		p.assign(id, v)
	case kindAttribute:
		p.setAttribute(i, p.eval(t.Child(i, objectField), usage{}), p.identifier(t.Child(i, attributeField)), v)
	case kindSubscript:
		p.listsWhile(i, v)
		p.setItem(i, v)
	case kindPatternList, kindTuplePattern, kindListPattern, kindTuple, kindList, kindExpressionList:
		p.bindPattern(i, v)
	case kindAsPatternTarget, kindParenthesizedExpression:
		p.bind(t.FirstNamed(i), v)
	case kindListSplatPattern, kindListSplat:
		p.bind(t.FirstNamed(i), p.bag(i, v))
	default:
		p.load(i)
	}
}

// shades looks at a name that the program binds. Functions made under a __builtins__ of
// its own find what is built in there, and what imports for them, which is given the
// names of the whole program. Classes are said to be of the module that __name__ names, which a library
// may load when it copies an object of one.
func (p *python) shades(i, id int) {
	switch v := p.vars[id]; {
	case v.name == "__builtins__":
		p.dynamicAt(analyze.DynamicPatch, i)
	case v.name == "__name__" && v.scope == p.module && p.beyond():
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// bindPattern takes a sequence apart.
func (p *python) bindPattern(i int, v value) {
	t := p.unit.tree
	n, splat := 0, false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		n++
		splat = splat || t.Kind(c) == kindListSplatPattern || t.Kind(c) == kindListSplat
	}
	items, exact := p.sequence(v)
	exact = exact && !splat && len(items) == n
	all := p.elements(v)
	for c, k := t.FirstNamed(i), 0; c != analyze.NoNode; c, k = t.NextNamed(c), k+1 {
		switch {
		case exact:
			p.bind(c, items[k])
		default:
			p.bind(c, all)
		}
	}
}

// remove walks the target of a del statement.
func (p *python) remove(i int) {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindIdentifier:
	case kindExpressionList, kindTuple, kindParenthesizedExpression, kindList:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.remove(c)
		}
	case kindAttribute:
		p.setAttribute(i, p.eval(t.Child(i, objectField), usage{}), p.identifier(t.Child(i, attributeField)), value{})
	case kindSubscript:
		for _, a := range p.look(t.Child(i, valueField)).atoms {
			if a.kind == atomContainer {
				p.shift(int(a.n))
			}
		}
		p.setItem(i, value{})
	default:
		p.load(i)
	}
}

// match walks a match statement. Patterns read attributes and compare with
// values, and every capture may be any part of the subject.
func (p *python) match(i int) {
	t := p.unit.tree
	var subject value
	tuple := p.hasComma(i)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Field(c) != subjectField {
			continue
		}
		v := p.load(c)
		if tuple && p.splatted(c) {
			v = p.elements(v)
		}
		subject = subject.join(v)
	}
	if tuple {
		subject = p.bag(i, subject)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Field(c) != subjectField {
			p.matchIn(c, subject)
		}
	}
}

// hasComma tells whether node i has several parts, or one with a comma behind it.
func (p *python) hasComma(i int) bool {
	t := p.unit.tree
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Source(c) == "," {
			return true
		}
	}
	return false
}

func (p *python) matchIn(i int, subject value) {
	t := p.unit.tree
	if t.Kind(i) == kindCaseClause && p.hasComma(i) {
		subject = subject.join(p.elements(subject)) // one of several patterns is for each
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindCaseClause, kindBlock:
			if t.Kind(c) == kindBlock && t.Kind(i) == kindCaseClause {
				p.statement(c)
			} else {
				p.matchIn(c, subject)
			}
		case kindCasePattern:
			p.pattern(c, subject)
		default:
			p.statement(c)
		}
	}
}

// pattern binds what a pattern captures of v.
func (p *python) pattern(i int, v value) {
	t := p.unit.tree
	if i == analyze.NoNode {
		return
	}
	switch t.Kind(i) {
	case kindDottedName:
		if c := t.FirstNamed(i); t.NextNamed(c) == analyze.NoNode && p.unit.vars[c] >= 0 {
			p.bind(c, v)
		} else {
			p.compares(v, p.load(i))
		}
	case kindClassPattern:
		c := t.FirstNamed(i)
		class := p.load(c)
		p.meets(v, class)
		for c = t.NextNamed(c); c != analyze.NoNode; c = t.NextNamed(c) {
			if k := t.FirstNamed(c); t.Kind(c) == kindCasePattern && k != analyze.NoNode && t.Kind(k) == kindKeywordPattern {
				p.pattern(c, v)
			} else {
				p.pattern(c, p.positional(c, class, v, p.isTuple(t.FirstNamed(i))))
			}
		}
	case kindKeywordPattern:
		name := t.FirstNamed(i)
		p.pattern(t.NextNamed(name), p.captured(name, v, p.identifier(name)))
	case kindListPattern, kindTuplePattern:
		all := v.join(p.elements(v))
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.pattern(c, all)
		}
	case kindDictPattern:
		all := v.join(p.values(v))
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Field(c) == keyField {
				key := p.load(c)
				p.keyed(v, key)
				p.escape(key) // to the subject, which is asked for it
			} else {
				p.pattern(c, all)
			}
		}
	case kindSplatPattern:
		switch c := t.FirstNamed(i); {
		case c == analyze.NoNode:
		case t.Kind(t.Parent(i)) == kindDictPattern || t.Kind(t.Parent(t.Parent(i))) == kindDictPattern:
			n := p.containerAt(i, mapping)
			p.putRest(n, v.with(open), p.elements(v).with(open))
			p.bind(c, containerValue(n))
		default:
			p.bind(c, p.bag(i, v.with(open)))
		}
	case kindAsPattern:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindIdentifier {
				p.bind(c, v)
			} else {
				p.pattern(c, v)
			}
		}
	case kindCasePattern, kindUnionPattern:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.pattern(c, v)
		}
	default:
		p.load(i)
	}
}

// positional evaluates what a positional pattern of a class looks at: the
// attributes that __match_args__ names, or the subject itself. A named tuple is no class that
// is not known.
func (p *python) positional(i int, class, subject value, tuple bool) value {
	v := subject.join(p.capturesFields(i, class, subject))
	matched := p.patterns()
	for _, name := range matched.names {
		v = v.join(p.attribute(i, subject, name))
	}
	unknown := class.open() && !tuple || matched.unknown
	for _, a := range class.atoms {
		if a.kind == atomClass {
			unknown = matched.unknown // a decorator may return anything, and returns the class
		}
	}
	if unknown {
		p.dynamicAt(analyze.DynamicMember, i)
	}
	return v.with(open)
}

// matchArgs is what positional patterns of classes can read.
type matchArgs struct {
	round   int
	names   []string // of those attributes that lead somewhere
	fields  []string // of classes for which __match_args__ is written
	unknown bool     // and more
}

// patterns is matchArgs, once in a round.
func (p *python) patterns() *matchArgs {
	if p.matched == nil || p.matched.round != p.round {
		p.matched = p.matchArgs()
	}
	return p.matched
}

// matchArgs collects what the classes of the program let patterns read: what
// __match_args__ names, and the fields of dataclasses.
func (p *python) matchArgs() *matchArgs {
	m := &matchArgs{round: p.round, fields: p.allFields(), unknown: p.spread && slices.ContainsFunc(p.classes, func(c class) bool { return c.bases.open() })}
	add := func(name string) {
		leads := p.tables.attributes[name] != "" || ofWith(name) || p.fields[name].flags&ofObject != 0 || !p.special(name).nothing() || !p.escapedMember(name).nothing()
		if leads && !slices.Contains(m.names, name) {
			m.names = append(m.names, name)
		}
	}
	for _, c := range p.classes {
		for _, a := range c.meta.atoms {
			m.unknown = m.unknown || a.kind == atomClass
		}
		for _, id := range c.scope.ids {
			if name := p.vars[id].name; name != "__match_args__" {
				add(name)
				continue
			}
			names := p.elements(p.vars[id].value)
			for _, a := range names.atoms {
				if a.kind == atomString {
					add(a.text)
				}
				if a.kind == atomString && p.isPrivate(a.text) && p.libraryHas(a.text) && !slices.Contains(m.names, a.text) {
					m.names = append(m.names, a.text)
				}
			}
			m.unknown = m.unknown || names.open() || p.vars[id].value.open()
		}
	}
	return m
}
