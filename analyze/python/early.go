package python

import "sallyport/analyze"

// What runs before anything else of the program can have happened: names that are bound by then mean what they are
// bound to.

// definite tells whether name id is bound for sure when identifier i is read,
// so that it cannot mean the builtin.
func (p *python) definite(id, i int) bool {
	bound := p.vars[id].boundAt
	if bound < 0 || p.unit.fixed != nil {
		return false
	}
	t := p.unit.tree
	if !p.Source.SameCell(bound-1, t.Start(i)) {
		return false // the cell that binds it may have stopped before
	}
	if p.scope == p.module {
		return bound <= t.Start(i)
	}
	return bound <= p.statementStart(i) || p.Source.Cells() == nil && (p.isBefore(bound) || p.ofItself(i, bound))
}

// ofItself tells whether i stands in the function or class that is bound at bound, which
// does nothing that could call it before it has its name.
func (p *python) ofItself(i, bound int) bool {
	t := p.unit.tree
	for t.Parent(i) > 0 {
		i = t.Parent(i)
	}
	return t.End(i) == bound && (t.Kind(i) == kindFunctionDefinition || t.Kind(i) == kindClassDefinition) && p.firstAct(i) == t.After(i)
}

// isBefore tells whether an offset comes before all that may do more than bind names and
// load modules: nothing of the program is there by then that could call a function. Later a
// thread may, a signal, and the end of an object, which comes when the collector of garbage runs.
func (p *python) isBefore(offset int) bool {
	t := p.units[0].tree
	return p.opens >= t.Len() || offset <= t.Start(p.opens)
}

// firstAct returns the first node of a statement that is not known to be inert, and
// what comes after the statement when there is none. Operators, conditions and class
// definitions with bases may call a function defined before, through methods.
func (p *python) firstAct(statement int) int {
	t := p.units[0].tree
	for n := statement; n < t.After(statement); n++ {
		if !t.Named(n) {
			continue
		}
		switch k := t.Kind(n); k {
		case kindCall:
			if !p.compiles(n) {
				return n
			}
			n = t.After(n) - 1
		case kindBlock, kindLambda:
			if k == kindLambda || t.Kind(t.Parent(n)) == kindFunctionDefinition {
				n = t.After(n) - 1
			}
		case kindFunctionDefinition, kindClassDefinition, kindParameters, kindDefaultParameter, kindTypedParameter, kindTypedDefaultParameter, kindListSplatPattern,
			kindDictionarySplatPattern, kindPositionalSeparator, kindKeywordSeparator, kindType, kindExpressionStatement, kindAssignment, kindIdentifier, kindString,
			kindStringStart, kindStringContent, kindStringEnd, kindEscapeSequence, kindInteger, kindFloat, kindTrue, kindFalse, kindNone, kindEllipsis, kindList, kindTuple,
			kindImportStatement, kindImportFromStatement, kindFutureImportStatement, kindDottedName, kindAliasedImport, kindRelativeImport, kindImportPrefix,
			kindTryStatement, kindExceptClause, kindElseClause, kindFinallyClause, kindPassStatement:
		default:
			if !t.Extra(n) {
				return n
			}
		}
	}
	return t.After(statement)
}

// compiles tells whether the call at i makes a regular expression of what is written out.
func (p *python) compiles(i int) bool {
	t := p.units[0].tree
	id, ok := p.module.vars["re"]
	for up := t.Parent(i); up > 0; up = t.Parent(up) {
		if t.Kind(up) == kindClassDefinition { // which may have a name of its own
			return false
		}
	}
	if !ok || p.vars[id].again || identifierText(t.Source(t.Child(i, functionField))) != "re.compile" {
		return false
	}
	for c := t.FirstNamed(0); c != analyze.NoNode && t.End(c) <= p.vars[id].boundAt; c = t.NextNamed(c) {
		if t.End(c) == p.vars[id].boundAt && (t.Kind(c) != kindImportStatement || p.importsAs(c)) {
			return false
		}
	}
	for n := i + 1; n < t.After(i); n++ {
		switch t.Kind(n) {
		case kindIdentifier:
			if identifierText(t.Source(n)) != "re" && t.Field(n) != attributeField {
				return false
			}
		case kindCall, kindInterpolation, kindLambda, kindNamedExpression, kindSubscript:
			return false
		}
	}
	return p.vars[id].boundAt >= 0
}

// importsAs tells whether the import at i gives a module another name.
func (p *python) importsAs(i int) bool {
	t := p.units[0].tree
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) == kindAliasedImport {
			return true
		}
	}
	return false
}

// opening returns the first node of the source that may do more than bind names
// and load modules. Python 3.15 puts off loading what __lazy_modules__ names.
func (p *python) opening() int {
	t := p.units[0].tree
	for c := t.FirstNamed(0); c != analyze.NoNode; c = t.NextNamed(c) {
		end := p.firstAct(c)
		for n := c; n < end; n++ {
			if t.Kind(n) == kindIdentifier && identifierText(t.Source(n)) == "__lazy_modules__" {
				return n
			}
		}
		if end < t.After(c) {
			return end
		}
	}
	return t.Len()
}

// early tells whether what is loaded at node i is loaded before the program does
// anything. The cells of a notebook are run in any order, and again.
func (p *python) early(i int) bool {
	if p.unit != p.units[0] || i >= p.opens || p.Source.FromNotebook() {
		return false
	}
	t := p.unit.tree
	for n := i; n != analyze.NoNode; n = t.Parent(n) {
		if k := t.Kind(n); k == kindFunctionDefinition || k == kindLambda {
			return false
		}
	}
	return true
}
