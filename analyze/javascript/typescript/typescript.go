// Package typescript reads TypeScript and makes JavaScript of it.
package typescript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	treetypescript "github.com/smacker/go-tree-sitter/typescript/typescript"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/mistake"
)

// Reader returns the reader of TypeScript, which makes JavaScript of it:
// each type becomes spaces, so that every line and column stays what it is. What
// is more than a type, an enum and the parameters of a constructor that are
// fields, is written in JavaScript on its own lines.
func Reader() *analyze.Reader {
	return &analyze.Reader{
		Language:  analyze.TypeScript,
		Grammar:   analyze.NewGrammar(treetypescript.GetLanguage(), typeKinds, nil),
		Canonical: javascript.Canonical,
		Explain:   mistake.Broken,
		Misread:   misread,
		Erase: func(t *analyze.Tree) (string, *analyze.Refusal) {
			e := &eraser{t: t, blocks: map[string]map[string]bool{}, changes: map[string]bool{}, lists: map[int]map[string]bool{}}
			for i := t.First(0); i != analyze.NoNode; i = t.Next(i) {
				e.walk(i)
			}
			return e.text(), e.refusal
		},
	}
}

// Kinds of node of TypeScript's grammar that JavaScript's does not have, or that
// hold a word of it.
const (
	typeAnnotation analyze.Kind = iota + 1
	typePredicate
	typeAsserts
	typeParameters
	typeArguments
	typeImplements
	typeAccessibility
	typeOverride
	typeInterface
	typeAlias
	typeAmbient
	typeSignature
	typeMethodSignature
	typeAbstractSignature
	typeIndexSignature
	typeAs
	typeSatisfies
	typeNonNull
	typeAssertion
	typeEnum
	typeNamespace
	typeModule
	typeImportAlias
	typeImportRequire
	typeRequired
	typeOptional
	typeField
	typeMethod
	typeDeclarator
	typeClass
	typeImport
	typeExport
	typeImportSpecifier
	typeExportSpecifier
	typeBlock
	typeParametersList
	typeEnumAssignment
	typeEnumBody
	typeThis
	typeExpression
	typeLexical
	typeVariable
	typeReturn
	typeThrow
	typeHeritage
	typeExtends
	typeClassBody
	typeIdentifier
	typeCall
	typeSuper
	typeComment
	typeArrow
	typeMember
	typeInstance
	typeNested
	typeFunction
	typeGenerator
	typeClassDeclaration
	typeTypeIdentifier
	typeShorthand
	typeShorthandPattern
	typeAssign
	typeAugmented
	typeUpdate
	typeDefault
	typeObjectDefault
	typePair
	typeObjectPattern
	typeArrayPattern
	typeRest
	typeString
	typeProperty
	typePrivate
	wordDefault
	wordStatic
	wordAccessor
	wordType
	wordReadonly
	wordDeclare
	wordAbstract
	wordAs
	wordSatisfies
	wordConst
	wordExport
	signQuestion
	signNot
	signComma
	signEquals
	signDot
	signOpen
	signShut
)

var typeKinds = []string{
	typeAnnotation: "type_annotation", typePredicate: "type_predicate_annotation", typeAsserts: "asserts_annotation", typeParameters: "type_parameters",
	typeArguments: "type_arguments", typeImplements: "implements_clause", typeAccessibility: "accessibility_modifier", typeOverride: "override_modifier",
	typeInterface: "interface_declaration", typeAlias: "type_alias_declaration", typeAmbient: "ambient_declaration", typeSignature: "function_signature",
	typeMethodSignature: "method_signature", typeAbstractSignature: "abstract_method_signature", typeIndexSignature: "index_signature",
	typeAs: "as_expression", typeSatisfies: "satisfies_expression", typeNonNull: "non_null_expression", typeAssertion: "type_assertion",
	typeEnum: "enum_declaration", typeNamespace: "internal_module", typeModule: "module", typeImportAlias: "import_alias", typeImportRequire: "import_require_clause",
	typeRequired: "required_parameter", typeOptional: "optional_parameter", typeField: "public_field_definition", typeMethod: "method_definition",
	typeDeclarator: "variable_declarator", typeClass: "abstract_class_declaration", typeImport: "import_statement", typeExport: "export_statement",
	typeImportSpecifier: "import_specifier", typeExportSpecifier: "export_specifier", typeBlock: "statement_block", typeParametersList: "formal_parameters",
	typeEnumAssignment: "enum_assignment", typeEnumBody: "enum_body", typeThis: "this", typeExpression: "expression_statement", typeLexical: "lexical_declaration",
	typeVariable: "variable_declaration", typeReturn: "return_statement", typeThrow: "throw_statement", typeHeritage: "class_heritage", typeExtends: "extends_clause",
	typeClassBody: "class_body", typeIdentifier: "identifier", typeCall: "call_expression", typeSuper: "super", typeComment: "comment", typeArrow: "arrow_function", typeMember: "member_expression", typeInstance: "instantiation_expression",
	typeNested: "nested_identifier", typeFunction: "function_declaration", typeGenerator: "generator_function_declaration", typeClassDeclaration: "class_declaration",
	typeTypeIdentifier: "type_identifier", typeShorthand: "shorthand_property_identifier", typeShorthandPattern: "shorthand_property_identifier_pattern",
	typeAssign: "assignment_expression", typeAugmented: "augmented_assignment_expression", typeUpdate: "update_expression", typeDefault: "assignment_pattern", typeObjectDefault: "object_assignment_pattern",
	typePair: "pair_pattern", typeObjectPattern: "object_pattern", typeArrayPattern: "array_pattern", typeRest: "rest_pattern", typeString: "string", typeProperty: "property_identifier", typePrivate: "private_property_identifier", wordDefault: "'default", wordStatic: "'static", wordAccessor: "'accessor",
	wordType: "'type", wordReadonly: "'readonly", wordDeclare: "'declare", wordAbstract: "'abstract", wordAs: "'as", wordSatisfies: "'satisfies",
	wordConst: "'const", wordExport: "'export", signQuestion: "'?", signNot: "'!", signComma: "',", signEquals: "'=",
	signDot: "'.", signOpen: "'(", signShut: "')",
}

// eraser makes the JavaScript of a tree without mistakes.
type eraser struct {
	t       *analyze.Tree
	edits   []edit // in order, apart from each other
	refusal *analyze.Refusal
	blocks  map[string]map[string]bool // what each namespace has exported so far, by its whole name
	changes map[string]bool            // what is exported and changes, by its whole name
	lists   map[int]map[string]bool    // what statements declare, by the node around them
	asked   map[string]bool            // what values finds
}

// edit puts a text in the place of a piece of the program: "" stands for spaces.
type edit struct {
	start, end int
	text       string
}

func (e *eraser) put(start, end int, text string) { e.edits = append(e.edits, edit{start, end, text}) }
func (e *eraser) blank(i int)                     { e.put(e.t.Start(i), e.t.End(i), "") }

func (e *eraser) refuse(i int, message string) {
	if e.refusal == nil {
		e.refusal = &analyze.Refusal{Code: analyze.RefusedTypeScript, Message: message, Span: e.t.Span(i)}
	}
}

// statement blanks one, and leaves a semicolon: the line before may have none.
func (e *eraser) statement(i int) {
	e.put(e.t.Start(i), e.t.Start(i)+1, ";")
	e.put(e.t.Start(i)+1, e.t.End(i), "")
}

func (e *eraser) child(i int, kinds ...analyze.Kind) int {
	for c := e.t.First(i); c != analyze.NoNode; c = e.t.Next(c) {
		if slices.Contains(kinds, e.t.Kind(c)) {
			return c
		}
	}
	return analyze.NoNode
}

func (e *eraser) has(i int, kinds ...analyze.Kind) bool {
	return e.child(i, kinds...) != analyze.NoNode
}

// withComma blanks one of a list, and the comma behind it.
func (e *eraser) withComma(i int) {
	e.blank(i)
	next := e.t.Next(i)
	for next != analyze.NoNode && e.t.Kind(next) == typeComment {
		next = e.t.Next(next)
	}
	if next != analyze.NoNode && e.t.Kind(next) == signComma {
		e.blank(next)
	}
}

func (e *eraser) walk(i int) {
	t := e.t
	switch t.Kind(i) {
	case typeAnnotation, typePredicate, typeAsserts, typeParameters, typeArguments, typeImplements, typeAccessibility, typeOverride, wordReadonly, wordDeclare, wordAbstract:
		e.blank(i)
		return
	case typeInterface, typeClass, typeAmbient, typeInstance, typeNamespace, typeModule:
		e.unlikeCompiler(i)
	}
	switch k := t.Kind(i); k {
	case typeInterface, typeAlias, typeAmbient, typeSignature, typeMethodSignature, typeAbstractSignature, typeIndexSignature:
		e.statement(i)
		return
	case typeExport, typeImport:
		if e.has(i, wordType, typeInterface, typeAlias, typeAmbient, typeSignature) || e.typesAlone(e.child(i, typeNamespace, typeModule)) {
			e.statement(i)
			return
		}
		if r := e.child(i, typeImportRequire); r != analyze.NoNode {
			e.require(i, r)
			return
		}
		if k == typeExport && e.has(i, signEquals) {
			e.refuse(i, "export by '=' is CommonJS's in TypeScript: write module.exports")
			return
		}
	case typeImportSpecifier, typeExportSpecifier:
		if e.has(i, wordType) {
			e.withComma(i)
			return
		}
	case typeNamespace, typeModule:
		if e.typesAlone(i) {
			e.statement(i)
		} else {
			e.namespace(i)
		}
		return
	case typeImportAlias:
		e.alias(i)
		return
	case typeRequired, typeOptional:
		if t.Kind(t.First(i)) == typeThis {
			e.withComma(i)
			return
		}
	case typeExpression:
		if allTypes.MatchString(t.Source(i)) {
			e.statement(i)
			return
		}
	case typeField:
		if e.has(i, wordDeclare, wordAbstract) {
			e.statement(i)
			return
		}
		if word := e.child(i, wordAccessor); word != analyze.NoNode {
			e.readAndSet(i, word)
			return
		}
	case typeEnum:
		e.enum(i)
		return
	case typeMethod:
		e.fields(i)
		return
	case typeArrow:
		e.arrow(i)
		return
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		e.inside(i, c)
	}
	e.ending(i)
}

// typesAlone tells whether node i is a namespace that has nothing but types: of such a one nothing is left.
func (e *eraser) typesAlone(i int) bool {
	body := analyze.NoNode
	if i != analyze.NoNode {
		body = e.child(i, typeBlock)
	}
	if body == analyze.NoNode {
		return false
	}
	for c := e.t.FirstNamed(body); c != analyze.NoNode; c = e.t.NextNamed(c) {
		if e.t.Kind(c) == typeComment {
			continue
		}
		said := c
		if k := e.t.Kind(c); k == typeExport || k == typeExpression {
			said = e.t.FirstNamed(c)
		}
		if k := e.t.Kind(said); k != typeInterface && k != typeAlias && !e.typesAlone(said) || aloneOnLine.MatchString(e.t.Source(said)) {
			return false
		}
	}
	return true
}

// inside walks a child, and blanks signs and words that belong to a type.
func (e *eraser) inside(i, c int) {
	t := e.t
	switch k := t.Kind(c); {
	case k == signQuestion && slices.Contains([]analyze.Kind{typeOptional, typeField, typeMethod}, t.Kind(i)),
		k == signNot && slices.Contains([]analyze.Kind{typeField, typeDeclarator, typeNonNull}, t.Kind(i)):
		e.blank(c)
	case t.Kind(i) == typeAs && k == wordAs, t.Kind(i) == typeSatisfies && k == wordSatisfies:
		e.put(t.Start(c), t.End(i), "")
		rest := t.Text[t.End(i):]
		if next := strings.TrimLeft(rest, " \t\n"); next != "" && strings.ContainsAny(next[:1], "([`") && strings.Contains(rest[:len(rest)-len(next)], "\n") {
			e.close(";") // TypeScript ends the statement here
		}
	case (t.Kind(i) == typeAs || t.Kind(i) == typeSatisfies) && c != t.First(i):
	default:
		e.walk(c)
	}
}

// unlikeCompiler refuses what the compiler reads as expressions: a word that is not on the
// line of what it declares, and `f<T>` before what goes on with it.
func (e *eraser) unlikeCompiler(i int) {
	t := e.t
	if t.Kind(i) == typeInstance {
		if next := strings.TrimLeft(t.Text[t.End(i):], " \t"); next != "" && strings.ContainsAny(next[:1], "[+-") {
			e.refuse(i, "TypeScript compares here: put what has types in parentheses")
		}
		return
	}
	if aloneOnLine.MatchString(t.Source(i)) {
		e.refuse(i, "TypeScript ends a statement behind this word: write it on the line of what it declares")
	}
}

// aloneOnLine is a line that ends with a word that says what is declared behind it.
var aloneOnLine = regexp.MustCompile(`^(?:(?:declare|abstract|interface|module|namespace|type)[ \t]+)*(?:declare|abstract|interface|module|namespace|type)[ \t]*\n`)

// arrow walks a function. No line may end before its parameters, where a statement would
// end, nor before its arrow: a parenthesis stands where a type of several lines begins, or ends.
func (e *eraser) arrow(i int) {
	t := e.t
	generics, params, result := e.child(i, typeParameters), e.child(i, typeParametersList), e.child(i, typeAnnotation, typePredicate, typeAsserts)
	early := generics != analyze.NoNode && strings.Contains(t.Text[t.Start(generics):t.Start(params)], "\n")
	late := result != analyze.NoNode && strings.Contains(t.Text[t.End(params):t.End(result)], "\n")
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch {
		case c == generics && early:
			e.put(t.Start(c), t.Start(c)+1, "(")
			e.put(t.Start(c)+1, t.End(c), "")
		case c == params:
			for p := t.First(c); p != analyze.NoNode; p = t.Next(p) {
				if early && t.Kind(p) == signOpen || late && t.Kind(p) == signShut {
					e.blank(p)
				} else {
					e.inside(c, p)
				}
			}
		case c == result && late:
			e.blank(c)
			e.close(")")
		default:
			e.inside(i, c)
		}
	}
}

// nameLikeType matches a word with which a type may begin where it is a name.
var nameLikeType = regexp.MustCompile(`^(?:abstract|infer|keyof|never|unique|unknown)\s*[.)\];,?:!&|+\-*/%=}]`)

// misread returns the dots behind what `as` and its kin end with, which are of the type:
// nothing can follow there without parentheses. And what makes a name of signs that the
// grammar does not know (unknownSigns).
func misread(t *analyze.Tree) []int {
	var signs []int
	last, whole := "", t.IsWhole()
	for i := 0; i < t.Len(); i++ {
		if !whole && t.First(i) == analyze.NoNode {
			signs = append(signs, unknownSigns(t, i, last)...)
			last = t.Source(i)
		}
		if t.Kind(i) != typeMember {
			continue
		}
		if k := t.Kind(t.First(i)); k != typeAs && k != typeSatisfies {
			continue
		}
		for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
			if t.Kind(c) == signDot {
				signs = append(signs, t.Start(c))
			}
		}
	}
	return signs
}

var (
	// variance matches what says how a parameter of a type is used, before its name.
	variance = regexp.MustCompile(`^(?:const[ \t]+)?(?:in[ \t]+out|in|out)([ \t]+)[\pL_$]`)
	// moduleOfType matches the module of a type.
	moduleOfType = regexp.MustCompile(`^import[ \t]*\([ \t]*(?:"[^"\\\n]*"|'[^'\\\n]*')[ \t]*\)`)
	// allTypes matches a statement that exports all types of a module.
	allTypes = regexp.MustCompile(`^export[ \t]+type[ \t]+\*[ \t]*(?:as[ \t]+[\pL_$][\pL\pN_$]*[ \t]+)?from[ \t]*(?:"[^"\\\n]*"|'[^'\\\n]*')`)
)

// unknownSigns returns the signs that make a name of what the grammar does not know, which
// begins with sign i, behind another: a word with which a type begins, behind `<`, where what
// follows goes on with a name (`i < unique.length`); `in` and `out` of a parameter of a type;
// the module of a type; a statement that exports types.
func unknownSigns(t *analyze.Tree, i int, last string) []int {
	from := t.Start(i)
	rest := t.Text[from:]
	switch word := t.Source(i); {
	case last == "<" && nameLikeType.MatchString(rest):
		return []int{from}
	case last == "<" || last == ",":
		if m := variance.FindStringSubmatchIndex(rest); m != nil {
			return blanks(rest[:m[3]], from)
		}
	case word == "import":
		return all(moduleOfType.FindString(rest), from)
	case word == "export":
		return all(allTypes.FindString(rest), from)
	}
	return nil
}

// all returns the places of all signs of a text that begins at a place.
func all(text string, from int) []int {
	var signs []int
	for i := range len(text) {
		signs = append(signs, from+i)
	}
	return signs
}

// blanks returns those of its blanks.
func blanks(text string, from int) []int {
	return slices.DeleteFunc(all(text, from), func(at int) bool { return !strings.Contains(" \t", text[at-from:at-from+1]) })
}

// ending keeps a statement that ends with a type from going on in the next line.
func (e *eraser) ending(i int) {
	switch e.t.Kind(i) {
	case typeExpression, typeLexical, typeVariable, typeReturn, typeThrow, typeField:
	default:
		return
	}
	if n := len(e.edits); n > 0 && e.edits[n-1].text == "" && e.edits[n-1].end == e.t.End(i) {
		e.close(";")
	}
}

// close puts a sign at the end of what was blanked last.
func (e *eraser) close(sign string) {
	last := &e.edits[len(e.edits)-1]
	end := last.end
	for last.end--; !utf8.RuneStart(e.t.Text[last.end]); {
		last.end--
	}
	e.put(last.end, end, sign)
}

// enum writes one: an object that knows names by values, too.
func (e *eraser) enum(i int) {
	t := e.t
	name, body := "", analyze.NoNode
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch t.Kind(c) {
		case typeIdentifier:
			name = t.Source(c)
		case typeEnumBody:
			body = c
		}
	}
	if name == "" || body == analyze.NoNode {
		e.refuse(i, "this enum cannot be read")
		return
	}
	e.put(t.Start(i), t.Start(body)+1, fmt.Sprintf("var %s; (function (%s) {", name, name))
	next, known, members := 0, true, []string{}
	for c := t.FirstNamed(body); c != analyze.NoNode; c = t.NextNamed(c) {
		key, value := c, analyze.NoNode
		if t.Kind(c) == typeEnumAssignment {
			key = t.FirstNamed(c)
			value = t.NextNamed(key)
		}
		quoted := t.Source(key)
		if !strings.ContainsAny(quoted[:1], "\"'") {
			quoted = strconv.Quote(quoted)
		}
		quoted = strings.ReplaceAll(quoted, "\\\n", "") // it comes twice, and no line may
		end := t.End(c)
		for n := t.Next(c); n != analyze.NoNode && (t.Kind(n) == typeComment || t.Kind(n) == signComma); n = t.Next(n) {
			if t.Kind(n) == signComma {
				e.put(t.Start(n), t.End(n), ";")
			}
		}
		text := ""
		switch {
		case value == analyze.NoNode && !known:
			e.refuse(c, "this member of an enum needs a value: the one before it is no plain number")
			return
		case value == analyze.NoNode:
			text = strconv.Itoa(next)
		default:
			text = e.enumValue(value, name, members)
		}
		isText := value != analyze.NoNode && strings.ContainsAny(text[:1], "\"'`")
		number, err := strconv.Atoi(text)
		if known = err == nil; known {
			next = number + 1
		}
		members = append(members, t.Source(key))
		if isText {
			e.insert(t.Start(c), end, fmt.Sprintf("%s[%s] = %s", name, quoted, text))
		} else {
			e.insert(t.Start(c), end, fmt.Sprintf("%s[%s[%s] = %s] = %s", name, name, quoted, text, quoted))
		}
	}
	e.put(t.End(i)-1, t.End(i), fmt.Sprintf("})(%s || (%s = {}));", name, name))
}

// insert puts a member in place, in order with the comma that has been put behind it.
func (e *eraser) insert(start, end int, text string) {
	at := len(e.edits)
	for at > 0 && e.edits[at-1].start >= end {
		at--
	}
	e.edits = slices.Insert(e.edits, at, edit{start, end, text})
}

// enumValue is the value of a member without its types, in which other members stand by
// their names.
func (e *eraser) enumValue(value int, name string, members []string) string {
	t := e.t
	v := &eraser{t: t, refusal: e.refusal}
	v.walk(value)
	e.refusal = v.refusal
	for n := value; n < t.After(value); n++ {
		if t.Kind(n) == typeIdentifier && slices.Contains(members, t.Source(n)) {
			v.put(t.Start(n), t.End(n), name+"."+t.Source(n))
		}
	}
	slices.SortStableFunc(v.edits, func(a, b edit) int { return a.start - b.start })
	return strings.TrimSpace(v.between(t.Start(value), t.End(value)))
}

// readAndSet writes a field that is read and set by functions: a private one, and the two.
func (e *eraser) readAndSet(i, word int) {
	t := e.t
	name := e.child(i, typeProperty, typePrivate)
	if name == analyze.NoNode {
		e.refuse(i, "an accessor without a name that stands there is not turned into JavaScript: write get and set")
		return
	}
	kept, object, static := "#accessor_"+strings.Replace(t.Source(name), "#", "_", 1), "this", ""
	if e.has(i, wordStatic) {
		static = "static "
		if class := e.child(t.Parent(t.Parent(i)), typeTypeIdentifier); class != analyze.NoNode {
			object = t.Source(class)
		}
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		switch c {
		case word:
			e.blank(c)
		case name:
			e.put(t.Start(c), t.End(c), kept)
		default:
			e.inside(i, c)
		}
	}
	e.put(t.End(i), t.End(i), fmt.Sprintf("; %sget %s() { return %s.%s; } %sset %s(value) { %s.%s = value; }",
		static, t.Source(name), object, kept, static, t.Source(name), object, kept))
}

// fields walks a method, and makes fields of parameters that are said to be.
func (e *eraser) fields(i int) {
	t := e.t
	var fields []string
	if list := e.child(i, typeParametersList); list != analyze.NoNode {
		for p := t.FirstNamed(list); p != analyze.NoNode; p = t.NextNamed(p) {
			if !e.has(p, typeAccessibility, wordReadonly, typeOverride) {
				continue
			}
			if name := e.child(p, typeIdentifier); name != analyze.NoNode {
				fields = append(fields, fmt.Sprintf(" this.%s = %s;", t.Source(name), t.Source(name)))
			}
		}
	}
	for c := t.First(i); c != analyze.NoNode; c = t.Next(c) {
		if t.Kind(c) != typeBlock || len(fields) == 0 {
			e.inside(i, c)
			continue
		}
		e.body(c, strings.Join(fields, ""))
	}
}

// body walks the body of a constructor that sets fields first, or behind super.
func (e *eraser) body(block int, fields string) {
	t := e.t
	super := analyze.NoNode
	for s := t.FirstNamed(block); s != analyze.NoNode && super == analyze.NoNode; s = t.NextNamed(s) {
		if c := e.child(s, typeCall); t.Kind(s) == typeExpression && c != analyze.NoNode && e.has(c, typeSuper) {
			super = s
		}
	}
	if super == analyze.NoNode {
		e.put(t.Start(block), t.Start(block)+1, "{"+fields)
	}
	for c := t.First(block); c != analyze.NoNode; c = t.Next(c) {
		e.walk(c)
		if c == super {
			e.put(t.End(c), t.End(c), ";"+fields)
		}
	}
}

// text is the program with all edits made.
func (e *eraser) text() string { return e.between(0, len(e.t.Text)) }

// between is a piece of the program with all edits made, which are inside of it.
func (e *eraser) between(at, end int) string {
	var b strings.Builder
	text := e.t.Text
	for _, d := range e.edits {
		if d.start < at {
			continue // inside of what is gone
		}
		b.WriteString(text[at:d.start])
		at = d.end
		if d.text != "" {
			b.WriteString(d.text)
			b.WriteString(strings.Repeat("\n", strings.Count(text[d.start:d.end], "\n")-strings.Count(d.text, "\n")))
			continue
		}
		for _, c := range text[d.start:d.end] {
			if c != '\n' {
				c = ' '
			}
			b.WriteRune(c)
		}
	}
	return b.String() + text[at:end]
}
