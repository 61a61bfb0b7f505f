package python

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"sallyport/analyze"
)

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	functionScope
	classScope
	comprehensionScope
	textScope // of a string that is run as code: reads as its place does, binds in the module
)

// scope is one of Python's scopes. Names are resolved before values are: a
// name bound anywhere in a function is local to all of it.
type scope struct {
	kind   scopeKind
	parent *scope
	path   string          // dotted names of the enclosing functions and classes
	vars   map[string]int  // names bound here
	ids    []int           // the same variables, in the order of the source
	outer  map[string]bool // names declared global or nonlocal here
	owner  int             // function or class number, or -1
	locals int             // the dictionary that locals() is in it, counted from 1
	unseen value           // in the body of a class: what was put there under names that nobody sees
	types  bool            // it is that of the type parameters of a definition, which sees the names of a class around
}

// variable is a name in a scope and everything that is ever bound to it.
type variable struct {
	name  string
	scope *scope
	value value
	bound bool // something in the program binds it
	again bool // and something else, too

	shared bool // a function binds it that is inside of the one it is of, or a function a name of the module

	// boundAt is the end of the first statement at the top of the program that
	// binds the name whatever happens; -1 when there is none.
	boundAt int
}

// unit is one tree to walk: the source, or a constant string that the program
// runs as code.
type unit struct {
	tree    *analyze.Tree
	root    *scope
	depth   int           // of strings in strings
	fixed   *analyze.Span // where to report; nil in the source itself
	vars    []int32       // by node: the variable an identifier is, or -1
	binding map[int]bool  // by node: an identifier that binds one
	scopes  map[int]*scope
	made    map[int]int    // by node: the function, class, container or getter it makes
	text    map[int]string // decoded string literals that have escapes
	result  value          // of the expression it ends with
	among   string         // the module of the library that runs it among its own names

	otherwise map[string]bool  // names that are read, but as decorators; nil until somebody asks
	assigned  map[string][]int // by name: what is assigned to it anywhere; nil until somebody asks
	mentions  *mentions        // what may take a method out of its class; nil until somebody asks
}

// identifierText returns the name of an identifier as the interpreter knows it.
func identifierText(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return norm.NFKC.String(s)
		}
	}
	return s
}

// identifier returns the name at i as the interpreter knows it: what is compared with a name must
// not be as it is written, which may be in another spelling.
func (p *python) identifier(i int) string { return identifierText(p.unit.tree.Source(i)) }

// declare finds the scopes of a unit and the names that they bind.
func (p *python) declare(u *unit) {
	p.unit = u
	p.declareIn(0, u.root, true)
	for _, n := range p.nonlocals { // all functions around have their names by now
		id := p.lookup(n.name, n.scope)
		u.vars[n.node] = int32(id)
		p.vars[id].again = p.vars[id].bound
		p.vars[id].bound, p.vars[id].shared = true, true
	}
	p.nonlocals = nil
}

// nonlocalName is a place where a function binds a name of one around it.
type nonlocalName struct {
	node  int
	name  string
	scope *scope
}

// declareIn declares what node i binds in s. top is true for the statements
// that run whatever happens.
func (p *python) declareIn(i int, s *scope, top bool) {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindIdentifier:
		p.note(p.identifier(i), s)
		return
	case kindModule:
		for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
			p.declareIn(c, s, true)
		}
		return
	case kindExpressionStatement, kindAssignment, kindImportStatement, kindImportFromStatement, kindDecoratedDefinition, kindWithStatement:
	case kindFunctionDefinition, kindClassDefinition:
		p.bindName(t.Child(i, nameField), s, top)
		p.declareDefinition(i, s)
		return
	case kindLambda:
		p.declareDefinition(i, s)
		return
	case kindListComprehension, kindSetComprehension, kindDictionaryComprehension, kindGeneratorExpression:
		p.declareComprehension(i, s)
		return
	default:
		top = false
	}
	p.declareBindings(i, s, top)
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		p.declareIn(c, s, top)
	}
}

// declareBindings declares the names that a node binds itself.
func (p *python) declareBindings(i int, s *scope, top bool) {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindAssignment, kindAugmentedAssignment, kindForStatement, kindForInClause:
		if t.Child(i, typeField) != analyze.NoNode && t.Child(i, rightField) == analyze.NoNode && t.Kind(t.Child(i, leftField)) != kindIdentifier {
			return // a name in brackets that has a type and no value is not bound
		}
		p.bindTarget(t.Child(i, leftField), s, top && t.Kind(i) == kindAssignment && t.Child(i, rightField) != analyze.NoNode)
	case kindNamedExpression:
		for s.kind == comprehensionScope {
			s = s.parent
		}
		p.bindTarget(t.Child(i, nameField), s, false)
	case kindAsPatternTarget, kindDeleteStatement:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.bindTarget(c, s, false)
			if t.Kind(i) == kindDeleteStatement {
				p.unbind(c, s)
			}
		}
	case kindAsPattern:
		if t.Child(i, aliasField) == analyze.NoNode { // case … as name
			p.bindTarget(p.lastNamed(i), s, false)
		}
		if k := t.Kind(t.Parent(i)); k == kindExceptClause || k == kindExceptGroupClause { // behind the clause its name is gone
			for c := t.FirstNamed(t.Child(i, aliasField)); c != analyze.NoNode; c = t.NextNamed(c) {
				p.unbind(c, s)
			}
		}
	case kindCasePattern, kindSplatPattern:
		p.bindCapture(i, s)
	case kindKeywordPattern:
		if c := p.lastNamed(i); t.Kind(c) == kindDottedName {
			p.bindDotted(c, s)
		}
	case kindImportStatement, kindImportFromStatement, kindFutureImportStatement:
		p.bindImports(i, s, top)
	case kindGlobalStatement, kindNonlocalStatement:
		p.declareOuter(i, s)
	case kindTypeAliasStatement:
		p.Identifier("type")
		if c := t.FirstNamed(i); c != analyze.NoNode && p.namesAlias(c) {
			p.bindFirstIdentifier(c, s)
		}
	}
}

// namesAlias tells whether the name of a type stands at i: "type [x] = y" is an assignment to an element of
// the builtin, and "type (x).y = z" one to an attribute.
func (p *python) namesAlias(i int) bool {
	t := p.unit.tree
	first := t.FirstNamed(i)
	return first != analyze.NoNode && (t.Kind(first) == kindIdentifier || t.Kind(first) == kindGenericType)
}

func (p *python) lastNamed(i int) int {
	last := analyze.NoNode
	for c := p.unit.tree.FirstNamed(i); c != analyze.NoNode; c = p.unit.tree.NextNamed(c) {
		last = c
	}
	return last
}

// bindCapture declares the names that a match pattern captures.
func (p *python) bindCapture(i int, s *scope) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch {
		case t.Kind(c) == kindDottedName:
			p.bindDotted(c, s)
		case t.Kind(c) == kindIdentifier && t.Kind(i) == kindSplatPattern:
			p.bindName(c, s, false)
		}
	}
}

// bindDotted declares a dotted name in a pattern when it is a capture, which
// it is without a dot.
func (p *python) bindDotted(i int, s *scope) {
	t := p.unit.tree
	if c := t.FirstNamed(i); c != analyze.NoNode && t.NextNamed(c) == analyze.NoNode {
		p.bindName(c, s, false)
	}
}

func (p *python) bindFirstIdentifier(i int, s *scope) {
	t := p.unit.tree
	for c := i; c != analyze.NoNode; c = t.FirstNamed(c) {
		if t.Kind(c) == kindIdentifier {
			p.bindName(c, s, false)
			return
		}
	}
}

func (p *python) bindImports(i int, s *scope, top bool) {
	t := p.unit.tree
	if t.Kind(i) == kindFutureImportStatement {
		p.Identifier("__future__")
	}
	module := t.Child(i, moduleNameField)
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		switch {
		case c == module:
		case t.Kind(c) == kindAliasedImport:
			p.bindName(t.Child(c, aliasField), s, top)
		case t.Kind(c) == kindDottedName:
			p.bindName(t.FirstNamed(c), s, top)
		}
	}
}

func (p *python) declareOuter(i int, s *scope) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		name := inClass(p.identifier(c), s)
		if s == p.module || s.kind == textScope { // legal there, and says nothing
			continue
		}
		if s.outer == nil {
			s.outer = map[string]bool{}
		}
		s.outer[name] = t.Kind(i) == kindGlobalStatement
		delete(s.vars, name) // illegal after a use, but then nothing runs
		if t.Kind(i) == kindGlobalStatement {
			p.lookup(outOfClass(name, s), p.module)
		}
	}
}

// declareDefinition makes the scope of a function, lambda or class.
func (p *python) declareDefinition(i int, s *scope) {
	t := p.unit.tree
	name := "<lambda>"
	if n := t.Child(i, nameField); n != analyze.NoNode {
		name = p.identifier(n)
	}
	inner := &scope{kind: functionScope, parent: s, path: analyze.Path(s.path, name), vars: map[string]int{}}
	if t.Kind(i) == kindClassDefinition {
		inner.kind = classScope
		inner.owner = len(p.classes)
		p.unit.made[i] = inner.owner
		p.classes = append(p.classes, class{scope: inner})
	} else {
		inner.owner = len(p.functions)
		p.unit.made[i] = inner.owner
		p.functions = append(p.functions, function{unit: p.unit, node: i, scope: inner, async: t.Kind(t.First(i)) == kindWordAsync})
	}
	p.unit.scopes[i] = inner
	types := s
	if c := t.Child(i, typeParametersField); c != analyze.NoNode {
		types = p.declareTypes(c, s, inner)
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch t.Field(c) {
		case nameField, typeParametersField:
		case parametersField:
			p.declareParameters(c, s, types, inner)
		case bodyField:
			p.declareIn(c, inner, false)
		default: // bases, return annotation, comments
			p.declareIn(c, types, false)
		}
	}
}

// declareTypes makes the scope of a type parameter list, in which bounds, bases and annotations are evaluated, too.
// What stands in a class sees its names through it; a function has them for its own.
func (p *python) declareTypes(i int, s, inner *scope) *scope {
	types := &scope{kind: comprehensionScope, parent: s, path: s.path, vars: map[string]int{}, owner: -1, types: true}
	p.unit.scopes[i] = types
	if inner.kind == classScope {
		inner.parent = types
		p.declareTypeParameters(i, types, types)
		return types
	}
	p.declareTypeParameters(i, inner, types)
	for name, id := range inner.vars {
		types.vars[name] = id
	}
	return types
}

// typesAt is the scope in which bases and annotations of definition i are evaluated.
func (p *python) typesAt(i int) *scope {
	if c := p.unit.tree.Child(i, typeParametersField); c != analyze.NoNode {
		return p.unit.scopes[c]
	}
	return p.scope
}

// declareTypeParameters binds every name in a type parameter list inside, and declares bounds where types are: at
// worst a bound's name is taken as unknown.
func (p *python) declareTypeParameters(i int, inner, types *scope) {
	t := p.unit.tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		p.bindFirstIdentifier(c, inner)
		if n := t.FirstNamed(c); n != analyze.NoNode && t.Kind(n) == kindConstrainedType {
			p.bindFirstIdentifier(n, inner)
		}
		p.declareIn(c, types, false)
	}
}

// declareParameters binds parameters inside, and declares what their defaults
// bind outside, and annotations where types are.
func (p *python) declareParameters(i int, outer, types, inner *scope) {
	t := p.unit.tree
	f := &p.functions[inner.owner]
	keywordOnly := false
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		target, form := p.parameter(c)
		if target == analyze.NoNode {
			keywordOnly = keywordOnly || t.Kind(c) == kindKeywordSeparator
			continue
		}
		if t.Kind(target) == kindIdentifier {
			p.bindName(target, inner, false)
			if form == plainParameter && keywordOnly {
				form = keywordParameter
			}
			f.params = append(f.params, parameter{name: p.identifier(target), variable: int(p.unit.vars[target]), form: form, filled: t.Child(c, valueField) != analyze.NoNode})
		} else {
			p.bindTarget(target, inner, false)
		}
		keywordOnly = keywordOnly || form == listParameter
		for d := t.FirstNamed(c); d != analyze.NoNode && c != target; d = t.NextNamed(d) {
			if d != target && !(t.Kind(d) == kindListSplatPattern || t.Kind(d) == kindDictionarySplatPattern) {
				in := outer
				if t.Field(d) == typeField {
					in = types
				}
				p.declareIn(d, in, false)
			}
		}
	}
}

// parameter returns the name of a parameter node and its form.
func (p *python) parameter(i int) (target int, form parameterForm) {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindIdentifier, kindTuplePattern:
		return i, plainParameter
	case kindDefaultParameter, kindTypedDefaultParameter:
		return t.Child(i, nameField), plainParameter
	case kindTypedParameter:
		return p.parameter(t.FirstNamed(i))
	case kindListSplatPattern:
		return t.FirstNamed(i), listParameter
	case kindDictionarySplatPattern:
		return t.FirstNamed(i), dictionaryParameter
	}
	return analyze.NoNode, plainParameter
}

func (p *python) declareComprehension(i int, s *scope) {
	t := p.unit.tree
	inner := &scope{kind: comprehensionScope, parent: s, path: s.path, vars: map[string]int{}}
	p.unit.scopes[i] = inner
	first := true // what is iterated over first is evaluated outside
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindForInClause || !first {
			p.declareIn(c, inner, false)
			continue
		}
		first = false
		p.declareBindings(c, inner, false)
		for d := t.First(c); d != analyze.NoNode; d = t.Next(d) {
			if t.Field(d) == rightField {
				p.declareIn(d, s, false)
			} else {
				p.declareIn(d, inner, false)
			}
		}
	}
}

// bindTarget declares every name in an assignment target.
func (p *python) bindTarget(i int, s *scope, top bool) {
	if i == analyze.NoNode {
		return
	}
	t := p.unit.tree
	switch t.Kind(i) {
	case kindIdentifier:
		p.bindName(i, s, top)
	case kindPatternList, kindTuplePattern, kindListPattern, kindTuple, kindList, kindExpressionList, kindListSplatPattern, kindListSplat, kindParenthesizedExpression:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.bindTarget(c, s, top)
		}
	}
}

// binds notes that identifier i binds a variable.
func (u *unit) binds(i int) {
	if u.binding == nil {
		u.binding = map[int]bool{}
	}
	u.binding[i] = true
}

// bindName makes identifier i a name of s.
func (p *python) bindName(i int, s *scope, top bool) {
	if i == analyze.NoNode {
		return
	}
	name := p.identifier(i)
	p.note(name, s)
	if global, ok := s.outer[inClass(name, s)]; ok && !global {
		p.nonlocals = append(p.nonlocals, nonlocalName{i, name, s})
		return
	}
	id := p.variableIn(inClass(name, s), s)
	p.unit.vars[i] = int32(id)
	p.unit.binds(i)
	p.vars[id].again = p.vars[id].bound
	p.vars[id].bound = true
	if v := &p.vars[id]; top && s == p.module && p.unit.fixed == nil && v.boundAt == unbound {
		end := p.statementEnd(i)
		v.boundAt = end
	}
}

// note records an identifier, and also the mangled form that the interpreter
// gives a private name in a class.
func (p *python) note(name string, s *scope) {
	p.Identifier(name)
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return
	}
	if class := classAround(s); class != "" {
		p.Identifier("_" + class + name)
	}
}

const (
	unbound = -1 // no unconditional binding seen yet
	deleted = -2 // a del statement may undo it
)

// unbind notes that a name may be deleted again.
func (p *python) unbind(i int, s *scope) {
	t := p.unit.tree
	switch t.Kind(i) {
	case kindExpressionList, kindTuple, kindList, kindParenthesizedExpression:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			p.bindTarget(c, s, false)
			p.unbind(c, s)
		}
	case kindIdentifier:
		p.vars[p.variableIn(inClass(p.identifier(i), s), s)].boundAt = deleted
	}
}

// The interpreter gives a name such as __n in a class C the form _C__n. Inside of the
// class we keep it as it is written, in both forms, and outside in the other one.

// inClass is a name as it is kept in s.
func inClass(name string, s *scope) string {
	if !strings.HasPrefix(name, "_") {
		return name
	}
	if class := classAround(s); class != "" && strings.HasPrefix(name, "_"+class+"__") && !strings.HasSuffix(name, "__") {
		return name[1+len(class):]
	}
	return name
}

// outOfClass is a name of s as it is kept outside of the class around it.
func outOfClass(name string, s *scope) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	if class := classAround(s); class != "" {
		return "_" + class + name
	}
	return name
}

// classAround is the name of the innermost class, as it stands in such names.
func classAround(s *scope) string {
	if s = s.class(); s == nil {
		return ""
	}
	return strings.TrimLeft(s.path[strings.LastIndexByte(s.path, '.')+1:], "_")
}

// class is the scope of the innermost class that s is in, or is; nil outside of all.
func (s *scope) class() *scope {
	for s != nil && s.kind != classScope {
		s = s.parent
	}
	return s
}

// statementEnd returns where the top-level statement around i ends.
func (p *python) statementEnd(i int) int {
	t := p.unit.tree
	for t.Parent(i) > 0 {
		i = t.Parent(i)
	}
	return t.End(i)
}

// statementStart returns where the top-level statement around i starts.
func (p *python) statementStart(i int) int {
	t := p.unit.tree
	for t.Parent(i) > 0 {
		i = t.Parent(i)
	}
	return t.Start(i)
}

// variableIn returns the variable that binding name in s binds.
func (p *python) variableIn(name string, s *scope) int {
	if s.kind == textScope {
		s = p.module
	}
	if global, ok := s.outer[name]; ok {
		if global {
			return p.lookup(outOfClass(name, s), p.module)
		}
		return p.lookup(name, s)
	}
	if id, ok := s.vars[name]; ok {
		return id
	}
	id := len(p.vars)
	p.vars = append(p.vars, variable{name: name, scope: s, boundAt: unbound})
	s.vars[name] = id
	s.ids = append(s.ids, id)
	return id
}

// lookup returns the variable that name means when it is read in s. A name
// that nothing binds is a variable of the module. A name that is private to a class around
// s is sought as the interpreter knows it, because scopes in between may be in other classes.
func (p *python) lookup(name string, s *scope) int {
	known, from := outOfClass(inClass(name, s), s), s
	for from.types {
		from = from.parent
	}
	for ; s != nil && s != p.module; s = s.parent {
		if s.kind == classScope && s != from {
			continue // functions in a class do not see its names
		}
		kept := inClass(known, s)
		if global, ok := s.outer[kept]; ok && global {
			break
		}
		if id, ok := s.vars[kept]; ok {
			return id
		}
	}
	return p.variableIn(known, p.module)
}
