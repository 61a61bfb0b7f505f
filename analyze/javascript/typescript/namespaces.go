package typescript

import (
	"fmt"
	"slices"
	"strings"

	"sallyport/analyze"
)

// namespace writes one with code: a function that is called at once, and puts what is
// exported into an object. What an earlier block of it exported has its name here, too.
func (e *eraser) namespace(i int) {
	t := e.t
	body, name := e.child(i, typeBlock), e.child(i, typeIdentifier, typeNested)
	if body == analyze.NoNode || name == analyze.NoNode || strings.ContainsAny(t.Source(name), " \t\n/") {
		e.refuse(i, "this namespace cannot be read: write an object, or a module")
		return
	}
	parts := strings.Split(t.Source(name), ".")
	open, shut := e.opening(i, parts[0])
	for n, part := range parts[1:] {
		open += fmt.Sprintf(" let %s; (function (%s) {", part, part)
		shut = fmt.Sprintf("})(%s = %s.%s || (%s.%s = {})); ", part, parts[n], part, parts[n], part) + shut
	}
	path := strings.Join(e.around(i), ".")
	for _, part := range parts {
		e.exports(path, part)
		path = strings.TrimPrefix(path+"."+part, ".")
	}
	own, here := parts[len(parts)-1], e.declaresIn(body)
	if here[own] {
		e.refuse(i, "this namespace declares its own name: give one of the two another")
		return
	}
	earlier := e.earlier(path, body, here)
	if slices.ContainsFunc(earlier, func(name string) bool { return e.changes[path+"."+name] }) {
		e.refuse(i, "this asks for a variable that changes in another block of the namespace: put both into one")
		return
	}
	if len(earlier) > 0 {
		open += fmt.Sprintf(" const {%s} = %s;", strings.Join(earlier, ", "), own)
	}
	e.put(t.Start(i), t.Start(body)+1, open)
	changing := e.changing(body)
	for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
		if names := e.exported(c); len(names) > 0 {
			e.member(path, c, names, changing)
		} else if t.Kind(c) == typeExport && !e.has(c, wordType, typeInterface, typeAlias, typeAmbient, typeSignature, typeNamespace, typeModule) {
			e.refuse(c, "this export of a namespace is not turned into JavaScript: write an object, or a module")
		} else {
			e.walk(c)
		}
	}
	e.put(t.End(body)-1, t.End(body), shut)
	for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
		e.exports(path, e.exported(c)...)
	}
}

// exports says that a namespace has exported names.
func (e *eraser) exports(path string, names ...string) {
	if e.blocks[path] == nil {
		e.blocks[path] = map[string]bool{}
	}
	for _, name := range names {
		e.blocks[path][name] = true
	}
}

// opening is what stands before the body of a namespace, and behind it. A block behind the
// first, or one that adds to a class, a function or an enum, declares nothing.
func (e *eraser) opening(i int, name string) (open, shut string) {
	t := e.t
	statement := i
	if k := t.Kind(t.Parent(i)); k == typeExport || k == typeExpression {
		statement = t.Parent(i)
	}
	exported, list := t.Kind(statement) == typeExport, t.Parent(statement)
	declared := e.declared(list)[name]
	e.declared(list)[name] = true
	inside := e.around(i)
	switch {
	case len(inside) > 0 && exported:
		outer := inside[len(inside)-1]
		e.blank(t.First(statement))
		shut = fmt.Sprintf("})(%s = %s.%s || (%s.%s = {}));", name, outer, name, outer, name)
	case exported && declared:
		e.blank(t.First(statement))
		fallthrough
	default:
		shut = fmt.Sprintf("})(%s || (%s = {}));", name, name)
	}
	open = fmt.Sprintf(";(function (%s) {", name)
	if !declared {
		word := "var"
		if len(inside) > 0 {
			word = "let"
		}
		open = fmt.Sprintf("%s %s; (function (%s) {", word, name, name)
	}
	return open, shut
}

// declared returns the names that the statements of a list declare, but for namespaces: of these
// those that were written already.
func (e *eraser) declared(list int) map[string]bool {
	if e.lists[list] == nil {
		names := map[string]bool{}
		for c := e.t.FirstNamed(list); c != analyze.NoNode; c = e.t.NextNamed(c) {
			said := c
			if k := e.t.Kind(c); k == typeExport || k == typeExpression {
				said = e.t.FirstNamed(c)
			}
			if said == analyze.NoNode || e.t.Kind(said) == typeNamespace || e.t.Kind(said) == typeModule {
				continue
			}
			for _, name := range e.declares(c) {
				names[name] = true
			}
		}
		e.lists[list] = names
	}
	return e.lists[list]
}

// around returns the names of the namespaces that node i stands in, from the outermost.
func (e *eraser) around(i int) []string {
	var names []string
	for p := e.t.Parent(i); p > 0; p = e.t.Parent(p) {
		if k := e.t.Kind(p); k == typeNamespace || k == typeModule {
			names = slices.Concat(e.parts(p), names)
		}
	}
	return names
}

// member writes a declaration that a namespace exports: what it declares is put into the
// object. A variable that changes later is read, and set, where it is.
func (e *eraser) member(path string, statement int, names []string, changing map[string]bool) {
	t := e.t
	object := path[strings.LastIndex(path, ".")+1:]
	said := t.FirstNamed(statement)
	if k := t.Kind(said); k == typeNamespace || k == typeModule {
		e.walk(said)
		return
	}
	e.blank(t.First(statement))
	e.walk(said)
	var b strings.Builder
	for _, name := range names {
		if changing[name] {
			e.changes[path+"."+name] = true
			fmt.Fprintf(&b, "; Object.defineProperty(%s, %q, { get: () => %s, set: value => { %s = value; }, enumerable: true })", object, name, name, name)
		} else {
			fmt.Fprintf(&b, "; %s.%s = %s", object, name, name)
		}
	}
	e.put(t.End(statement), t.End(statement), b.String()+";")
}

// parts returns the name of a declaration: of a namespace each part.
func (e *eraser) parts(i int) []string {
	name := e.child(i, typeIdentifier, typeTypeIdentifier, typeNested)
	if name == analyze.NoNode {
		return nil
	}
	return strings.Split(e.t.Source(name), ".")
}

// exported returns the names that an export declares: none where it is a type's, or no declaration.
func (e *eraser) exported(statement int) []string {
	if e.t.Kind(statement) != typeExport || e.t.FirstNamed(statement) == analyze.NoNode {
		return nil
	}
	return e.declares(statement)
}

// declares returns the names of values that a statement declares.
func (e *eraser) declares(statement int) []string {
	t := e.t
	switch k := t.Kind(statement); k {
	case typeExport, typeExpression:
		if said := t.FirstNamed(statement); said != analyze.NoNode && !e.has(statement, signEquals, wordDefault) {
			return e.declares(said)
		}
	case typeFunction, typeGenerator, typeEnum, typeClass, typeClassDeclaration:
		return e.parts(statement)
	case typeNamespace, typeModule:
		if parts := e.parts(statement); len(parts) > 0 && !e.typesAlone(statement) {
			return parts[:1]
		}
	case typeLexical, typeVariable:
		var names []string
		for d := t.FirstNamed(statement); d != analyze.NoNode; d = t.NextNamed(d) {
			if t.Kind(d) == typeDeclarator {
				names = append(names, e.bound(t.FirstNamed(d))...)
			}
		}
		return names
	}
	return nil
}

// bound returns the names that a pattern gives values to.
func (e *eraser) bound(pattern int) []string {
	t := e.t
	var names []string
	switch t.Kind(pattern) {
	case typeIdentifier, typeShorthandPattern:
		return []string{t.Source(pattern)}
	case typeDefault, typeObjectDefault:
		return e.bound(t.FirstNamed(pattern))
	case typePair:
		return e.bound(t.NextNamed(t.FirstNamed(pattern)))
	case typeObjectPattern, typeArrayPattern, typeRest:
		for c := t.FirstNamed(pattern); c != analyze.NoNode; c = t.NextNamed(c) {
			names = append(names, e.bound(c)...)
		}
	}
	return names
}

// earlier returns the names among those that earlier blocks of a namespace exported which
// this block asks for, and does not declare itself.
func (e *eraser) earlier(path string, body int, here map[string]bool) []string {
	var names []string
	seen := map[string]bool{}
	for n := body; n < e.t.After(body) && len(e.blocks[path]) > 0; n++ {
		if k := e.t.Kind(n); k != typeIdentifier && k != typeShorthand {
			continue
		}
		if name := e.t.Source(n); e.blocks[path][name] && !here[name] && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// declaresIn returns the names of values that the statements of a block declare.
func (e *eraser) declaresIn(body int) map[string]bool {
	names := map[string]bool{}
	for c := e.t.FirstNamed(body); c != analyze.NoNode; c = e.t.NextNamed(c) {
		for _, name := range e.declares(c) {
			names[name] = true
		}
	}
	return names
}

// changing returns the names that something in a block gives another value.
func (e *eraser) changing(body int) map[string]bool {
	t := e.t
	names := map[string]bool{}
	for n := body; n < t.After(body); n++ {
		if k := t.Kind(n); k != typeAssign && k != typeAugmented && k != typeUpdate || t.FirstNamed(n) == analyze.NoNode {
			continue
		}
		for _, name := range e.bound(t.FirstNamed(n)) {
			names[name] = true
		}
	}
	return names
}

// alias writes a name for a member of a namespace, or erases it where only types ask for it.
func (e *eraser) alias(i int) {
	t := e.t
	name := t.FirstNamed(i)
	if t.Kind(t.Parent(i)) == typeExport {
		e.refuse(i, "this export of a namespace is not turned into JavaScript: write an object, or a module")
		return
	}
	if e.values()[t.Source(name)] {
		e.put(t.Start(i), t.Start(name), "var ")
		return
	}
	e.statement(i)
}

// values returns the names that the program asks for otherwise than in types.
func (e *eraser) values() map[string]bool {
	if e.asked == nil {
		e.asked = map[string]bool{}
		for n := range e.t.Len() {
			if k := e.t.Kind(n); (k == typeIdentifier || k == typeShorthand) && !e.isType(n) {
				e.asked[e.t.Source(n)] = true
			}
		}
	}
	return e.asked
}

// isType tells whether a node stands in a type.
func (e *eraser) isType(i int) bool {
	t := e.t
	for p := t.Parent(i); p >= 0; i, p = p, t.Parent(p) {
		switch t.Kind(p) {
		case typeAnnotation, typePredicate, typeAsserts, typeParameters, typeArguments, typeImplements, typeInterface, typeAlias, typeAmbient,
			typeSignature, typeMethodSignature, typeAbstractSignature, typeIndexSignature, typeImportAlias:
			return true
		case typeAs, typeSatisfies:
			if i != t.First(p) {
				return true
			}
		}
		if p == 0 {
			return false
		}
	}
	return false
}

// require writes `import x = require('y')`: with the words of the program's other imports and
// exports, or a call where it has none.
func (e *eraser) require(i, clause int) {
	t := e.t
	name, module := t.FirstNamed(clause), e.child(clause, typeString)
	if name == analyze.NoNode || module == analyze.NoNode || t.Kind(t.First(i)) == wordExport {
		e.refuse(i, "this import is not turned into JavaScript: write require(…)")
		return
	}
	if e.has(i, wordType) {
		e.statement(i)
		return
	}
	text := fmt.Sprintf("const %s = require(%s);", t.Source(name), t.Source(module))
	for c := t.FirstNamed(0); c != analyze.NoNode; c = t.NextNamed(c) {
		if k := t.Kind(c); (k == typeImport || k == typeExport) && !e.has(c, wordType, typeInterface, typeAlias, typeAmbient, typeSignature, typeImportRequire, signEquals) {
			text = fmt.Sprintf("import %s from %s;", t.Source(name), t.Source(module))
		}
	}
	e.put(t.Start(i), t.End(i), text)
}
