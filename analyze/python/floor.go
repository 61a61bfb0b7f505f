package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// The floor is what holds where the rounds follow a value wrongly. Few things lead to all
// others: some builtins, modules, the class of an object, names given as text. The floor
// looks at how they are written, and follows nothing. Where one is used otherwise than on
// the spot (handed on, put away, given a name that does not stand there), it reports the
// place as moved, whatever the rounds make of it.
type floor struct {
	*python
	t       *analyze.Tree
	modules map[int]bool   // variables that an import binds to a module that leads to others
	imports map[int]string // variables that an import binds: to what
	classes map[int]bool   // variables that a class statement binds
	written map[int]*scope // of those, variables of such as a decorator may write methods for
	bases   []int          // what stands behind the names of classes
	caught  map[int]bool   // variables that hold what was caught
	texts   map[int]int    // variables that an assignment or a loop binds: to what, or over what
	opens   bool           // objects of the program may be of a class that opens files, or leads further
	stars   bool           // a star import may bind any name
	asked   bool           // a class of the program may be asked what its objects are
	answers bool           // an object of the program may be asked what a text and it come to
}

// onTheSpot are the builtins that are called where they are named, or not at all.
func onTheSpot() map[string]bool {
	return setOf("getattr", "setattr", "delattr", "eval", "exec", "compile", "__import__", "open", "vars", "globals", "locals", "super", "breakpoint",
		"__build_class__", "__builtins__", "__loader__", "__spec__")
}

// leading are attributes that lead to all others, on whatever object.
func leading() map[string]bool {
	return setOf("os", "sys", "builtins", "importlib", "subprocess", "ctypes", "posix", "marshal", "pty", "_os", "_sys", "_module", "_evaluate", "_getframe", "_importlib")
}

// makesNothing are the modules of which no class opens, finds or calls anything by what it is made with.
func makesNothing() map[string]bool {
	return setOf("__future__", "abc", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "copy", "dataclasses", "datetime", "decimal", "enum",
		"fractions", "functools", "hashlib", "heapq", "hmac", "itertools", "json", "keyword", "math", "numbers", "random", "re", "secrets", "statistics", "struct",
		"textwrap", "time", "typing", "unicodedata", "uuid", "zlib")
}

// stand reports what is moved in the program.
func (p *python) stand() {
	f := &floor{python: p, t: p.unit.tree, modules: map[int]bool{}, imports: map[int]string{}, classes: map[int]bool{}, written: map[int]*scope{}, caught: map[int]bool{}, texts: map[int]int{}}
	for i := range f.t.Len() {
		f.bound(i)
	}
	f.answers = f.answers || f.belowForeign()
	f.walk(0, p.module)
}

// belowForeign tells whether a class of the program may be below one of a library beyond the
// standard one.
func (f *floor) belowForeign() bool {
	foreign := map[string]bool{}
	for id, name := range f.imports {
		if id != noVariable && !f.stdlib.Of(name) {
			foreign[f.vars[id].name] = true
		}
	}
	return len(foreign) > 0 && slices.ContainsFunc(f.bases, func(i int) bool {
		for i != analyze.NoNode && f.t.Kind(i) == kindAttribute {
			i = f.bare(f.t.Child(i, objectField))
		}
		return i == analyze.NoNode || f.t.Kind(i) != kindIdentifier || foreign[f.identifier(i)]
	})
}

// bound notes what node i binds.
func (f *floor) bound(i int) {
	t := f.t
	switch t.Kind(i) {
	case kindImportStatement:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if t.Kind(c) == kindAliasedImport {
				f.loads(t.Child(c, aliasField), f.dotted(t.Child(c, nameField)), "")
			} else {
				f.loads(t.FirstNamed(c), f.identifier(t.FirstNamed(c)), "")
			}
		}
	case kindImportFromStatement:
		module := t.Child(i, moduleNameField)
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch {
			case c == module:
			case t.Kind(c) == kindAliasedImport:
				f.loads(t.Child(c, aliasField), f.dotted(module), f.dotted(t.Child(c, nameField)))
			case t.Kind(c) == kindDottedName:
				f.loads(t.FirstNamed(c), f.dotted(module), f.dotted(c))
			}
		}
	case kindWildcardImport:
		f.stars = true
	case kindIdentifier, kindString:
		f.opens = f.opens || f.identifier(i) == "open"
		f.answers = f.answers || spellsAnswer(f.identifier(i))
		f.asked = f.asked || strings.Contains(f.identifier(i), "__instancecheck__")
	case kindClassDefinition:
		f.classes[f.binds(t.Child(i, nameField))] = true
		if t.Kind(t.Parent(i)) == kindDecoratedDefinition {
			f.written[f.binds(t.Child(i, nameField))] = f.unit.scopes[i]
		}
		f.bases = append(f.bases, f.arguments(t.Child(i, superclassesField))...)
	case kindAsPattern:
		if k := t.Kind(t.Parent(i)); k == kindExceptClause || k == kindExceptGroupClause {
			f.caught[f.binds(t.FirstNamed(t.Child(i, aliasField)))] = true
		}
	case kindAssignment:
		if right := t.Child(i, rightField); right != analyze.NoNode {
			f.texts[f.binds(t.Child(i, leftField))] = right
		}
	case kindForStatement, kindForInClause:
		if right := f.bare(t.Child(i, rightField)); right != analyze.NoNode && (t.Kind(right) == kindTuple || t.Kind(right) == kindList) {
			f.texts[f.binds(t.Child(i, leftField))] = right
		}
	}
}

// binds is the variable that the name at i is bound as, -1 where no name stands there.
func (f *floor) binds(i int) int {
	if i == analyze.NoNode || f.t.Kind(i) != kindIdentifier {
		return noVariable
	}
	return int(f.unit.vars[i])
}

// loads notes that the name at i is bound to a module, or to what from gives of it.
func (f *floor) loads(i int, module, from string) {
	top, _, _ := strings.Cut(module, ".")
	f.opens = f.opens || !f.tables.makesNothing[top]
	full, id := module, f.binds(i)
	if from != "" {
		full = module + "." + from
	}
	f.imports[id] = full
	ours := !f.stdlib.Modules[module] && (from == "" || strings.HasPrefix(module, "."))
	if f.stdlib.Leads[full] || f.stdlib.Leads[f.stdlib.Leaks[full]] || ours {
		f.modules[id] = true
		if id != noVariable && f.vars[id].scope.kind == classScope {
			f.moved(i)
		}
	}
}

// around is what stands around i and the brackets that i is in, and the part of it that i is.
func (f *floor) around(i int) (outer, part int) {
	part = f.t.Bracketed(i, kindParenthesizedExpression)
	return f.t.Parent(part), part
}

// walk looks at node i, whose names are read in s.
func (f *floor) walk(i int, s *scope) {
	t := f.t
	switch t.Kind(i) {
	case kindImportStatement, kindImportFromStatement, kindFutureImportStatement, kindGlobalStatement, kindNonlocalStatement:
		return
	case kindIdentifier:
		f.name(i, s)
	case kindAttribute, kindMemberType:
		name := t.Child(i, attributeField)
		f.attribute(name)
		if name != analyze.NoNode && f.identifier(name) == "__class__" && f.opens && !f.classPlain(i, f.bare(t.Child(i, objectField)), s) {
			f.moved(i)
		}
		if f.movesWritten(i, s) {
			f.moved(i)
		}
	case kindDottedName:
		first := t.FirstNamed(i)
		f.name(first, s)
		for c := t.NextNamed(first); c != analyze.NoNode; c = t.NextNamed(c) {
			f.attribute(c)
		}
		return
	case kindKeywordPattern:
		f.attribute(t.FirstNamed(i))
		f.walkFrom(t.NextNamed(t.FirstNamed(i)), s)
		return
	case kindCall:
		f.call(i, s)
	case kindFunctionDefinition, kindLambda, kindClassDefinition:
		inner := f.unit.scopes[i]
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			switch t.Field(c) {
			case bodyField:
				f.walk(c, inner)
			case typeParametersField:
				f.walk(c, f.unit.scopes[c])
			case nameField:
			default:
				f.walk(c, s)
			}
		}
		return
	case kindListComprehension, kindSetComprehension, kindDictionaryComprehension, kindGeneratorExpression:
		f.comprehension(i, s)
		return
	}
	f.walkFrom(t.FirstNamed(i), s)
}

// walkFrom looks at i and at what stands behind it, next to it.
func (f *floor) walkFrom(i int, s *scope) {
	for ; i != analyze.NoNode; i = f.t.NextNamed(i) {
		f.walk(i, s)
	}
}

// comprehension looks at one. What is iterated over first is read outside of it.
func (f *floor) comprehension(i int, s *scope) {
	t, inner, first := f.t, f.unit.scopes[i], true
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if t.Kind(c) != kindForInClause || !first {
			f.walk(c, inner)
			continue
		}
		first = false
		for d := t.FirstNamed(c); d != analyze.NoNode; d = t.NextNamed(d) {
			if t.Field(d) == rightField {
				f.walk(d, s)
			} else {
				f.walk(d, inner)
			}
		}
	}
}

func (f *floor) moved(i int) { f.Dynamic(analyze.DynamicMoved, f.span(i)) }

// attribute looks at an attribute named at i.
func (f *floor) attribute(i int) {
	if i != analyze.NoNode && f.tables.leading[f.identifier(i)] {
		f.moved(i)
	}
}

// movesWritten tells whether attribute i is a method that a decorator wrote for a class, which is
// handed on, or gets something else than the object of the method around.
func (f *floor) movesWritten(i int, s *scope) bool {
	t := f.t
	object, name := f.bare(t.Child(i, objectField)), t.Child(i, attributeField)
	if object == analyze.NoNode || name == analyze.NoNode || t.Kind(object) != kindIdentifier || !f.tables.written[f.identifier(name)] {
		return false
	}
	class := f.written[f.lookup(f.identifier(object), s)]
	if class == nil {
		return false
	}
	if _, own := class.vars[f.identifier(name)]; own {
		return false
	}
	outer, part := f.around(i)
	switch t.Kind(outer) {
	case kindAttribute:
		return false // of the method
	case kindAssignment:
		return s.kind != classScope
	case kindComparisonOperator:
		return !f.compares(outer, s)
	case kindCall:
		args := f.arguments(t.Child(outer, argumentsField))
		return t.Field(part) != functionField || len(args) == 0 || args[0] == analyze.NoNode || !f.isSelf(args[0], s)
	}
	return true
}

// builtin is the name of the builtin that the name at i may mean; "" where it is a name of
// a function or comprehension, which is no builtin at any time, or surely bound by then.
func (f *floor) builtin(i int, s *scope) string {
	if i == analyze.NoNode || f.t.Kind(i) != kindIdentifier {
		return ""
	}
	name := f.identifier(i)
	id := f.lookup(name, s)
	f.scope = s
	if k := f.vars[id].scope.kind; k == functionScope || k == comprehensionScope || k == moduleScope && f.definite(id, i) {
		return ""
	}
	return name
}

// means is the builtin or the function of a module that stands at i; "" where it is neither.
func (f *floor) means(i int, s *scope) string {
	t := f.t
	switch {
	case i == analyze.NoNode:
	case t.Kind(i) == kindAttribute && t.Kind(f.bare(t.Child(i, objectField))) == kindIdentifier:
		if module := f.imported(f.bare(t.Child(i, objectField)), s); module != "" {
			return module + "." + f.identifier(t.Child(i, attributeField))
		}
	case t.Kind(i) == kindIdentifier:
		if name := f.imported(i, s); name != "" {
			return name
		}
		return f.builtin(i, s)
	}
	return ""
}

// imported is what an import may bind the name at i to.
func (f *floor) imported(i int, s *scope) string {
	id := f.lookup(f.identifier(i), s)
	if name := f.imports[id]; name != "" {
		return name
	}
	return f.imports[f.outside(id)]
}

// name looks at the name at i, which is read.
func (f *floor) name(i int, s *scope) {
	t := f.t
	if i == analyze.NoNode || f.unit.vars[i] != noVariable && !f.operates(i) || t.Field(i) == attributeField || t.Kind(t.Parent(i)) == kindKeywordArgument && t.Field(i) == nameField {
		return
	}
	outer, part := f.around(i)
	of := t.Kind(outer) == kindAttribute || t.Kind(outer) == kindMemberType || t.Kind(outer) == kindDottedName
	called := t.Kind(outer) == kindCall && t.Field(part) == functionField
	if f.isModule(i, s) && !of {
		f.moved(i)
	}
	switch name := f.builtin(i, s); {
	case f.tables.onTheSpot[name] && !called:
		f.moved(i)
	case name == "type" && f.opens && !called && !f.typeNamed(i, s):
		f.moved(i)
	case name == "str" && of && f.formats(outer):
		f.moved(i)
	}
}

// operates tells whether the name at i is bound by "i += x", which reads it first: x may say what comes of both.
func (f *floor) operates(i int) bool {
	outer, part := f.around(i)
	return f.t.Kind(outer) == kindAugmentedAssignment && f.t.Field(part) == leftField
}

// isModule tells whether the name at i may be that of a module that leads to others.
func (f *floor) isModule(i int, s *scope) bool {
	id := f.lookup(f.identifier(i), s)
	return f.modules[id] || f.modules[f.outside(id)]
}

// outside is the variable that a name of a class means until the class binds it; any other is itself.
func (f *floor) outside(id int) int {
	if v := f.vars[id]; v.scope.kind == classScope {
		return f.variableIn(outOfClass(v.name, v.scope), f.module)
	}
	return id
}

// alone tells whether a name is bound at one place, and means nothing else before.
func (f *floor) alone(id int) bool {
	return !f.vars[id].again && f.vars[id].scope.kind != classScope && !(f.vars[id].scope == f.module && boundByModule(f.vars[id].name))
}

// formats tells whether the method format of texts is read at attribute i without being called.
func (f *floor) formats(i int) bool {
	outer, part := f.around(i)
	name := f.t.Child(i, attributeField)
	return name != analyze.NoNode && strings.HasPrefix(f.identifier(name), "format") && (f.t.Kind(outer) != kindCall || f.t.Field(part) != functionField)
}

// typeNamed tells whether the class type, at i, is only named: in an annotation, as what a
// metaclass is below, as what isinstance asks for, or where classes are compared.
func (f *floor) typeNamed(i int, s *scope) bool {
	t := f.t
	outer, part := f.around(i)
	switch t.Kind(outer) {
	case kindTuple, kindList, kindUnionType:
		return f.typeNamed(outer, s)
	case kindBinaryOperator: // int | type
		return f.isOutside(f.bare(t.Child(outer, leftField)), s) && f.isOutside(f.bare(t.Child(outer, rightField)), s) && f.typeNamed(outer, s)
	case kindComparisonOperator:
		return f.compares(outer, s)
	case kindType:
		up := t.Parent(outer)
		return t.Kind(up) != kindTypeParameter || f.isOutside(t.FirstNamed(t.Parent(up)), s) // C[type] asks C
	case kindGenericType, kindSubscript: // type[int]
		return t.FirstNamed(outer) == part
	case kindArgumentList:
		up := t.Parent(outer)
		if t.Kind(up) == kindClassDefinition {
			return true
		}
		name := f.surely(t.Child(up, functionField), s)
		return name == "isinstance" || name == "issubclass"
	}
	return false
}

// call looks at a call of what finds or makes things by what it is given.
func (f *floor) call(i int, s *scope) {
	t := f.t
	fn := f.bare(t.Child(i, functionField))
	args := f.arguments(t.Child(i, argumentsField))
	switch f.means(fn, s) {
	case "operator.attrgetter", "operator.methodcaller":
		if len(args) == 0 || args[0] == analyze.NoNode || !f.nameStands(args[0], s) {
			f.moved(i)
		}
	case "getattr", "setattr", "delattr":
		if len(args) < 2 || args[0] == analyze.NoNode || args[1] == analyze.NoNode || !f.isSelf(args[0], s) && !f.nameStands(args[1], s) {
			f.moved(i)
		}
	case "type":
		makes := len(args) == 3 && args[1] != analyze.NoNode && f.isClass(args[1], s) // a class, below others that are named
		if f.opens && !makes && (len(args) != 1 || args[0] == analyze.NoNode || !f.classPlain(i, args[0], s)) {
			f.moved(i)
		}
	}
}

// arguments are the positional arguments in a list of them; NoNode stands for others.
func (f *floor) arguments(list int) (args []int) {
	t := f.t
	if list == analyze.NoNode {
		return nil
	}
	for c := t.FirstNamed(list); c != analyze.NoNode; c = t.NextNamed(c) {
		switch t.Kind(c) {
		case kindListSplat, kindDictionarySplat, kindKeywordArgument, kindParenthesizedListSplat:
			args = append(args, analyze.NoNode)
		default:
			args = append(args, f.bare(c))
		}
	}
	return args
}

// nameStands tells whether a name given as text stands at i, or begins there, and leads nowhere.
func (f *floor) nameStands(i int, s *scope) bool {
	switch f.t.Kind(i) {
	case kindIdentifier:
		id := f.lookup(f.identifier(i), s)
		right, ok := f.texts[id]
		return ok && f.alone(id) && !f.stars && f.textsStand(right)
	case kindBinaryOperator:
		return f.begins(i)
	}
	return f.textStands(i) || f.begins(i)
}

// textStands tells whether a literal text stands at i that leads nowhere.
func (f *floor) textStands(i int) bool {
	if k := f.t.Kind(i); k != kindString && k != kindConcatenatedString || strings.Contains(f.t.Source(i), "{") {
		return false
	}
	a, ok := f.literal(i).single()
	return ok && !f.tables.leading[a.text]
}

// textsStand tells whether such a text, or a display of such texts, stands at i.
func (f *floor) textsStand(i int) bool {
	t := f.t
	i = f.bare(i)
	if k := t.Kind(i); k != kindTuple && k != kindList {
		return f.textStands(i)
	}
	for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
		if !f.textStands(c) {
			return false
		}
	}
	return true
}

// begins tells whether the text at i begins with one that stands there and is the program's own.
func (f *floor) begins(i int) bool {
	t := f.t
	for t.Kind(i) == kindBinaryOperator {
		if k := t.Kind(t.Child(i, operatorField)); k != kindPlus && k != kindPercent || f.answers {
			return false
		}
		i = f.bare(t.Child(i, leftField))
	}
	if t.Kind(i) != kindString {
		return false
	}
	text, _, _ := strings.Cut(strings.Trim(strings.TrimLeft(t.Source(i), "fFrRuU"), `"'`), "{")
	text, _, _ = strings.Cut(text, "%")
	return strings.HasSuffix(text, "_") && text[0] != '_' && !strings.ContainsAny(text, `\"'`) && !f.stdlib.Starts[text] && !f.tables.starts[text]
}

// classPlain tells whether the class of x, which stands at i, is only named, shown or compared there.
func (f *floor) classPlain(i, x int, s *scope) bool {
	t := f.t
	if t.Kind(x) == kindIdentifier {
		if id := f.lookup(f.identifier(x), s); f.caught[id] && f.alone(id) {
			return true // classes of exceptions lead nowhere
		}
	}
	outer, part := f.around(i)
	switch t.Kind(outer) {
	case kindAttribute:
		name := f.identifier(t.Child(outer, attributeField))
		return name == "__name__" || name == "__qualname__" || f.isSelf(x, s)
	case kindInterpolation, kindExpressionStatement:
		return true
	case kindComparisonOperator:
		return f.compares(outer, s)
	case kindCall:
		return t.Field(part) == functionField && f.isSelf(x, s)
	case kindArgumentList:
		switch f.surely(t.Child(t.Parent(outer), functionField), s) {
		case "isinstance":
			return !f.asked || t.FirstNamed(outer) != part // a class that is asked gets it as an object
		case "print", "str", "repr", "issubclass", "format", "len", "id", "hash", "callable":
			return true
		}
	}
	return false
}

// compares tells whether a comparison asks no object of the program: it is one of classes
// alone, for being the same, or of which object is which.
func (f *floor) compares(i int, s *scope) bool {
	t := f.t
	same, classes, in := true, true, false
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Field(c) == operatorsField {
			operator := t.Source(c)
			in = strings.HasSuffix(operator, "in")
			same = same && strings.HasPrefix(operator, "is")
			classes = classes && operator[0] != '<' && operator[0] != '>'
		} else if t.Named(c) {
			k := t.Kind(f.bare(c))
			classes = classes && f.isClass(f.bare(c), s) && (!in || k == kindTuple || k == kindList || k == kindSet)
		}
	}
	return same || classes
}

// isClass tells whether what stands at i is plainly a class, or a display of classes.
func (f *floor) isClass(i int, s *scope) bool {
	t := f.t
	switch t.Kind(i) {
	case kindNone:
		return true
	case kindCall:
		return f.surely(f.bare(t.Child(i, functionField)), s) == "type"
	case kindAttribute:
		return f.identifier(t.Child(i, attributeField)) == "__class__" || f.isOutside(f.bare(t.Child(i, objectField)), s)
	case kindTuple, kindList, kindSet:
		for c := t.FirstNamed(i); c != analyze.NoNode; c = t.NextNamed(c) {
			if !f.isClass(f.bare(c), s) {
				return false
			}
		}
		return true
	case kindIdentifier:
		id := f.lookup(f.identifier(i), s)
		return f.isOutside(i, s) || f.classes[id] && f.alone(id) && !f.stars
	}
	return false
}

// isOutside tells whether the name at i is nothing but a builtin's or an import's.
func (f *floor) isOutside(i int, s *scope) bool {
	if i == analyze.NoNode || f.t.Kind(i) != kindIdentifier || f.stars {
		return false
	}
	id := f.lookup(f.identifier(i), s)
	return !f.vars[id].bound || f.imports[id] != "" && f.alone(id)
}

// surely is the name of the builtin that stands at i; "" where it may be anything else.
func (f *floor) surely(i int, s *scope) string {
	if !f.isOutside(i, s) || f.imports[f.lookup(f.identifier(i), s)] != "" {
		return ""
	}
	return f.identifier(i)
}

// isSelf tells whether the name at i is what a method gets first, and nothing else.
func (f *floor) isSelf(i int, s *scope) bool {
	if f.t.Kind(i) != kindIdentifier {
		return false
	}
	id := f.lookup(f.identifier(i), s)
	n, ok := f.methodWith(id)
	return ok && !f.vars[id].again && f.functions[n].params[0].variable == id
}
