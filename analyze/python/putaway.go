package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// What was put away, and means something by the names of its keywords: whoever has it may call it with names that nobody sees.

// spreadInto looks at keywords whose names are not known, for what is one of the classes.
func (p *python) spreadInto(i int, is func(one func(class string) bool) bool) {
	if is(namesAttributes) || is(remakesFields) && p.hasBelow(namespaceLike) {
		p.spreads()
		if p.asksByName() {
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
	if is(func(class string) bool {
		return class == "builtins.ImportError" || class == "builtins.ModuleNotFoundError"
	}) {
		p.dynamicAt(analyze.DynamicImport, i) // name_from
	}
	if is(func(class string) bool {
		return strings.HasPrefix(class, "unittest.") && (strings.HasSuffix(class, "TestRunner") || strings.HasSuffix(class, "TestProgram") || strings.HasSuffix(class, ".main"))
	}) {
		p.dynamicAt(analyze.DynamicFrame, i) // tb_locals
	}
}

// putsAway notes what is read without being called and means something by the names of
// its keywords: whoever has it may call it with names that nobody sees.
func (p *python) putsAway(i int, v value) {
	if p.quiet > 0 || p.namesType() || p.catches(i) {
		return
	}
	for _, a := range v.atoms {
		p.putsMaker(i, a)
		p.keptAside(i, a)
		switch a.kind {
		case atomSymbol:
			if class := initOf(a.text); takesNames(class) {
				p.putsNames(i, class)
			}
		case atomClass:
			p.isBelow(int(a.n), func(class string) bool {
				if takesNames(class) {
					p.putsNames(i, class)
				}
				return false
			})
		}
	}
}

func (p *python) putAway(name string) {
	if p.quiet == 0 && !slices.Contains(p.away, name) {
		p.away, p.changed = append(p.away, name), true
	}
}

// putsLogger notes a method of a logger that is read without being called.
func (p *python) putsLogger(name string) {
	switch name {
	case "debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log":
		p.putAway(ofLogger)
	}
}

// ofLogger stands for a method of a logger.
const ofLogger = "logging.Logger.log"

// takesNames tells whether spreadInto looks at a class.
func takesNames(class string) bool {
	return namesAttributes(class) || remakesFields(class) || class == "builtins.ImportError" || class == "builtins.ModuleNotFoundError" ||
		strings.HasPrefix(class, "unittest.") && strings.HasSuffix(class, "TestRunner")
}

// catches tells whether what is read at i is what an except clause catches.
func (p *python) catches(i int) bool {
	t := p.unit.tree
	up := t.Parent(i)
	for k := t.Kind(up); k == kindTuple || k == kindAsPattern || k == kindParenthesizedExpression; k = t.Kind(up) {
		up = t.Parent(up)
	}
	return t.Kind(up) == kindExceptClause
}

// spreadUnseen looks at keywords whose names are not known, for what is not known either: it
// may be anything that was put away.
func (p *python) spreadUnseen(i int, args *arguments) {
	if args.spread && len(p.away) > 0 {
		p.spreadInto(i, func(one func(class string) bool) bool { return slices.ContainsFunc(p.away, one) })
		if p.atHand("logging") && slices.Contains(p.away, ofLogger) && (p.answers() || p.records) { // exc_info, or extra
			p.dynamicAt(analyze.DynamicFrame, i)
		}
	}
}
