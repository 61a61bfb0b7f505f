package python

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sallyport/analyze"
)

// method evaluates a method call on things that the analysis models itself:
// constants, containers and the dictionaries of modules. For anything else it
// is nothing, and the call is judged by its name alone.
func (p *python) method(i int, receiver value, name string, args *arguments) value {
	var out value
	p.registered(i, name, args, false)
	p.parsedInto(i, name, args)
	p.handlesEnds(i, name, args)
	p.enters(i, name, args)
	p.tellsOfEnd(i, name, args)
	p.fillsAnother(i, name)
	if name == "__set_name__" && !p.superMethod(i) {
		p.dynamicAt(analyze.DynamicAttribute, i) // of a descriptor, which then means another attribute
	}
	if (name == "add_argument" || name == "add_subparsers") && p.atHand("argparse") {
		out = one(action).with(open)
		p.fills(i, args)
		p.collects(args)
	}
	p.namedAnew(i, receiver, name, args)
	p.beginsWith(name, args)
	p.handedUp(i, name, args)
	p.reported(i, name, args)
	p.setsFormatter(i, name, args)
	if name == "addFilter" {
		p.givesRecord(i, args.arg(0))
	}
	switch {
	case name != "__setattr__":
	case len(args.positional) > 2: // of a class
		p.setattr(i, args)
	case args.splat:
		p.dynamicAt(analyze.DynamicAttribute, i)
	case len(args.positional) == 2 && !p.ofSuper(i):
		p.setattr(i, &arguments{positional: append([]value{receiver}, args.positional...)})
	}
	if receiver.open() && !slices.ContainsFunc(receiver.atoms, atom.isPath) {
		p.moved(i, name, args)
	}
	p.looksUpClass(name, args)
	if name == "format" || name == "format_map" {
		p.checkFormatted(i, receiver, args)
	}
	if (name == "format" || name == "format_index") && receiver.open() {
		p.formatsCells(i, args)
	}
	for _, a := range receiver.atoms {
		switch {
		case a.constant():
			out = out.join(p.constantMethod(i, a, name, args))
		case a.kind == atomContainer:
			out = out.join(p.containerMethod(i, int(a.n), name, args))
		case a.kind == atomNamespace:
			out = out.join(p.namespaceMethod(i, a.text, name, args))
		case a == behindName:
			out = out.join(p.namespaceMethod(i, "builtins", name, args))
		case a.kind == atomSymbol && a.text == "sys.modules":
			out = out.join(p.namespaceLike(i, name, args))
		case a.kind == atomInstance && a.n == 0:
			if typ := p.tables.returns[a.text+"."+name]; typ != "" {
				out = out.join(one(atom{kind: atomInstance, text: typ})).with(open)
			}
		}
	}
	if receiver.open() && (name == "__getattribute__" || name == "__getattr__") {
		if len(args.positional) > 1 {
			out = out.join(p.getattr(i, args.arg(0), args.arg(1)))
		} else {
			out = out.join(p.getattr(i, receiver, args.arg(0)))
		}
	}
	if receiver.open() && (name == "load_module" || name == "import_module") {
		out = out.join(p.importNamed(i, args.arg(0), analyze.DynamicImport)).with(open)
	}
	return out
}

// namespaceLike evaluates the methods of sys.modules.
func (p *python) namespaceLike(i int, name string, args *arguments) value {
	switch name {
	case "get", "pop", "__getitem__":
		return p.importNamed(i, args.arg(0), analyze.DynamicNamespace).with(open)
	case "keys", "__contains__", "copy":
		return anything()
	case "setdefault", "update", "__setitem__", "clear", "popitem":
		p.dynamicAt(analyze.DynamicPatch, i)
	default:
		p.dynamicAt(analyze.DynamicNamespace, i)
	}
	return anything()
}

// namespaceMethod evaluates the methods of a module's dictionary.
func (p *python) namespaceMethod(i int, module, name string, args *arguments) value {
	switch name {
	case "get", "pop", "__getitem__", "setdefault":
		if name == "pop" {
			p.dynamicAt(analyze.DynamicPatch, i) // what is gone may have hidden a builtin
		}
		v := p.namespaceItem(i, module, args.arg(0))
		if def, ok := args.get(1, ""); ok {
			v = v.join(def)
			if name == "setdefault" {
				p.setNamespace(i, module, args.arg(0), def)
			}
		}
		return v
	case "keys", "__contains__", "__len__":
		return anything()
	case "__setitem__":
		p.setNamespace(i, module, args.arg(0), args.arg(1))
	case "update", "clear", "popitem":
		p.dynamicAt(analyze.DynamicPatch, i)
		for _, v := range args.named {
			p.setNamespace(i, module, stringValue(v.name), v.value)
		}
	default:
		if module == "builtins" && p.stdlib.Builtins[name] {
			return value{} // __builtins__ is the module too
		}
		p.namespaceAsData(i, atom{kind: atomNamespace, text: module})
		if name != "items" && name != "values" && name != "copy" {
			p.givesNames(atom{kind: atomNamespace, text: module})
		}
	}
	return anything()
}

// containerMethod evaluates the methods of lists and dictionaries.
func (p *python) containerMethod(i, n int, name string, args *arguments) value {
	if args.splat { // of which nobody sees what is what
		p.escape(containerValue(n))
		p.escape(args.rest)
		return p.containerMethod(i, n, name, args.seen()).with(open)
	}
	c := &p.containers[n]
	key := args.arg(0)
	switch name {
	case "popitem":
		p.shift(n)
		return p.pair(i, n)
	case "get", "pop", "setdefault", "__getitem__", "popleft":
		v := c.all.with(p.leaky(n))
		if len(args.positional) > 0 {
			v = p.element(i, atom{kind: atomContainer, n: int64(n)}, key).with(p.leaky(n))
		}
		def, ok := args.get(1, "")
		if !ok && (name == "get" || name == "setdefault") {
			def = one(atom{kind: atomNone})
		}
		v = v.join(def)
		if name == "setdefault" {
			p.putKey(n, key, def)
		}
		if name == "pop" || name == "popleft" {
			p.shift(n)
		}
		return v
	case "__setitem__":
		p.setKey(i, containerValue(n), key, args.arg(1))
	case "append", "add", "appendleft", "insert":
		if name == "insert" || name == "appendleft" {
			p.shift(n)
		}
		last := key
		if len(args.positional) > 1 {
			last = args.positional[len(args.positional)-1]
		}
		p.put(n, -1, last)
	case "extend", "update", "extendleft":
		if name == "extendleft" {
			p.shift(n)
		}
		for _, v := range args.positional {
			p.appendAll(containerValue(n), v)
			if p.containers[n].kind == mapping { // pairs, if it is none itself
				pairs := p.elements(p.elements(v))
				p.putRest(n, pairs, pairs)
			}
		}
		for _, v := range args.named {
			p.putKey(n, stringValue(v.name), v.value)
		}
	case "copy", "__iter__":
		return containerValue(n)
	case "keys":
		return p.bag(i, p.elements(containerValue(n)))
	case "values":
		return p.bag(i, c.all.with(p.leaky(n)))
	case "items":
		return p.bag(i, p.pair(i, n))
	case "reverse", "sort", "remove", "clear", "rotate":
		p.shift(n)
		each := p.elements(containerValue(n))
		if by, ok := args.get(-1, "key"); ok && !by.isNone() {
			p.escape(each) // the function is given each
		}
		p.meets(each, each)
		p.compares(each, key)
	case "index", "count", "__contains__":
		p.compares(p.elements(containerValue(n)), key)
		return anything()
	case "__len__":
		return anything()
	default:
		p.escape(containerValue(n)) // it may be changed, and what comes of it may hold the same
		for _, v := range args.all() {
			p.escape(v)
		}
		return anything()
	}
	return one(atom{kind: atomNone})
}

// compares looks at two values of which either may be given to a method of the other.
func (p *python) compares(v, w value) {
	p.meets(v, w)
	p.meets(w, v)
}

// shift notes that what container n holds stands in other places from now on.
func (p *python) shift(n int) {
	if c := &p.containers[n]; !c.moved {
		c.moved, p.changed = true, true
	}
}

// pair returns an item of dictionary n, made by node i.
func (p *python) pair(i, n int) value {
	return p.tuple(i, p.elements(containerValue(n)), p.containers[n].all.with(p.leaky(n)))
}

// tuple returns a tuple of what node i gives more than one of.
func (p *python) tuple(i int, items ...value) value { return p.sequenceOf(beside(1, i), items) }

// bag returns a sequence made by node i that holds v in an unknown order.
func (p *python) bag(i int, v value) value {
	n := p.containerAt(i, sequence)
	p.put(n, -1, v)
	return containerValue(n)
}

// constantMethod folds a method of a constant for every combination of
// constant arguments, of which there are few.
func (p *python) constantMethod(i int, a atom, name string, args *arguments) value {
	if a.kind == atomPrefix {
		return anything()
	}
	if name == "format" && a.kind == atomString {
		return p.formatMethod(i, a.text, args)
	}
	if name == "join" {
		return p.join(a, args.arg(0))
	}
	constants := make([]atom, 0, 4)
	for _, v := range args.positional {
		c, ok := v.constant()
		if !ok {
			return anything()
		}
		constants = append(constants, c)
	}
	for _, v := range args.named {
		c, ok := v.value.constant()
		if !ok || name != "to_bytes" && name != "encode" && name != "decode" {
			return anything()
		}
		constants = append(constants, c)
	}
	if args.splat || !p.step(1+len(a.text)/64) {
		return anything()
	}
	switch name {
	case "split", "rsplit", "splitlines", "partition", "rpartition":
		parts, ok := splitConstant(a, name, constants)
		if !ok {
			return anything()
		}
		items := make([]value, len(parts))
		for k, part := range parts {
			items[k] = one(part).with(worked)
		}
		return p.sequenceOf(i, items)
	}
	folded, ok := foldMethod(a, name, constants)
	if !ok {
		return anything()
	}
	return p.folded(folded).with(worked)
}

// folded bounds a folded constant, and shows it to the policy.
func (p *python) folded(a atom) value {
	if len(a.text) > p.Limits.Fold || !p.step(1+len(a.text)/64) {
		return anything()
	}
	if a.kind == atomString && a.text != "" {
		p.Str(a.text)
	}
	return one(a)
}

// join folds separator.join(sequence).
func (p *python) join(separator atom, v value) value {
	items, exact, _ := p.workable(v)
	if !exact {
		return anything()
	}
	var b strings.Builder
	var how valueFlags
	for k, item := range items {
		c, ok := item.constant()
		if !ok || c.kind != separator.kind || b.Len() > p.Limits.Fold || !p.step(1) {
			if k > 0 && separator.kind == atomString {
				return one(atom{kind: atomPrefix, text: b.String()}).with(how)
			}
			return anything()
		}
		if k > 0 {
			b.WriteString(separator.text)
		}
		b.WriteString(c.text)
		how |= item.flags
	}
	return p.folded(atom{kind: separator.kind, text: b.String()}).with(worked)
}

// formatMethod folds "…".format(…) and reports fields that walk attributes.
func (p *python) formatMethod(i int, format string, args *arguments) value {
	fields, whole := parseFormat(format)
	var b strings.Builder
	var how valueFlags
	known := whole
	for _, f := range fields {
		b.WriteString(f.before)
		if !f.present {
			continue
		}
		v := p.formatArgument(f, args)
		p.checkField(i, f, v)
		if c, ok := v.constant(); ok && f.plain() && known {
			s, ok := c.pythonStr()
			known = ok
			how |= v.flags
			b.WriteString(s)
			continue
		}
		if known {
			known = false
			return one(atom{kind: atomPrefix, text: b.String()}).with(how)
		}
	}
	if !known {
		return anything()
	}
	return p.folded(atom{kind: atomString, text: b.String()}).with(worked)
}

func (p *python) formatArgument(f formatField, args *arguments) value {
	n, small := smallNumber(f.name)
	switch {
	case f.name == "":
		return args.arg(f.number)
	case small && isNumber(f.name):
		return args.arg(n)
	case isIdentifier(f.name):
		v, _ := args.get(-1, f.name)
		return v
	}
	var any value // digits of other scripts are numbers, and signs are names
	for _, v := range args.all() {
		any = any.join(v)
	}
	return any
}

// checkField evaluates what a replacement field reads of its argument.
func (p *python) checkField(i int, f formatField, v value) {
	for _, read := range f.reads {
		if read.element {
			v = p.item(i, v, elementKey(read.name))
			continue
		}
		v = p.attribute(i, v, read.name)
		p.mention(i, v, usage{how: analyze.HowReference})
		if strings.HasPrefix(read.name, "_") {
			p.dynamicAt(analyze.DynamicFormat, i)
		}
	}
}

// elementKey is what a name in brackets asks for: an element by its number, or by its name.
func elementKey(name string) value {
	if n, ok := smallNumber(name); ok && isNumber(name) {
		return intValue(int64(n))
	}
	for _, r := range name {
		if r >= utf8.RuneSelf {
			return anything() // digits of other scripts are numbers, too
		}
	}
	if isNumber(name) {
		return anything()
	}
	return stringValue(name)
}

// checkFormatted reports a format string that is not known when what it
// formats are objects with a way out rather than data.
func (p *python) checkFormatted(i int, receiver value, args *arguments) {
	if p.formatsRecord(i, args) {
		return
	}
	for _, a := range receiver.atoms {
		if a.kind == atomString {
			fields, _ := parseFormat(a.text)
			for _, f := range fields {
				if f.present {
					p.checkField(i, f, p.formatArgument(f, args))
				}
			}
		}
	}
	if !receiver.open() && !hasPrefixAtom(receiver) {
		return
	}
	for _, v := range args.all() {
		if v.open() {
			p.dynamicAt(analyze.DynamicTemplate, i)
		}
		for _, a := range v.atoms {
			switch a.kind {
			case atomFunction, atomClass, atomSymbol, atomException, atomNamespace:
				p.dynamicAt(analyze.DynamicFormat, i)
			case atomContainer, atomInstance, atomGetter:
				p.dynamicAt(analyze.DynamicTemplate, i)
			}
		}
	}
}

// formatAsValue looks at a method that formats and is handed on instead of being
// called: what it will format is not known.
func (p *python) formatAsValue(i int, receiver value, name string) {
	if name != "format" && name != "format_map" {
		return
	}
	p.formatsAnything(i, receiver)
}

// formatsAnything looks at format text that objects which are not known come to.
func (p *python) formatsAnything(i int, text value) {
	for _, a := range text.atoms {
		if a.kind == atomPrefix {
			p.dynamicAt(analyze.DynamicTemplate, i)
		}
		if a.kind != atomString {
			continue
		}
		fields, ok := parseFormat(a.text)
		for _, f := range fields {
			p.checkField(i, f, anything())
			ok = ok && len(f.reads) == 0
		}
		if !ok {
			p.dynamicAt(analyze.DynamicTemplate, i)
		}
	}
}

// formatter evaluates string.Formatter().format(text, …).
func (p *python) formatter(i int, args *arguments) value {
	p.checkFormatted(i, args.arg(0), args.after(1))
	p.formatsAnything(i, args.arg(0))
	if args.arg(0).open() {
		p.dynamicAt(analyze.DynamicTemplate, i)
	}
	return anything()
}

// logFormat looks at the text by which logging formats records, which with the
// style { walks attributes.
func (p *python) logFormat(i int, args *arguments, position int, keyword string, braces bool) {
	style, given := args.get(position+2, "style")
	if !braces && (!given || style.isOnly(atom{kind: atomString, text: "%"})) {
		return
	}
	text, _ := args.get(position, keyword)
	p.formatsAnything(i, text)
	if text.open() {
		p.dynamicAt(analyze.DynamicTemplate, i)
	}
}

// logFormatter is the class of what formats the records of logging. Its handlers call format of
// whatever they are given for one, and text has that, too.
const logFormatter = "logging.Formatter"

// formatsRecords looks at what handlers of logging are given to format records with.
func (p *python) formatsRecords(i int, v value) {
	v, waits := p.settled(v)
	if waits {
		return
	}
	p.formatsAnything(i, v)
	plain := func(a atom) bool {
		return a.kind == atomString || a.kind == atomNone || a.kind == atomInstance && a.text == logFormatter
	}
	if v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return !plain(a) }) {
		p.dynamicAt(analyze.DynamicTemplate, i)
	}
}

// setsFormatter looks at a method of anything that may give a handler of logging its formatter.
func (p *python) setsFormatter(i int, name string, args *arguments) {
	if v, given := args.get(0, "fmt"); given && name == "setFormatter" && p.imported["logging"] {
		p.formatsRecords(i, v)
	}
}

// keepsFormatter looks at an attribute that is the formatter of a handler. What the program keeps
// so in objects of its own is none, unless their class may be below one of logging.
func (p *python) keepsFormatter(i int, v value) {
	if !p.imported["logging"] {
		return
	}
	t := p.unit.tree
	own := p.unit.scopes[i] != nil || t.Kind(i) == kindAttribute && p.ofSelf(t.Child(i, attributeField), "formatter")
	if !own || slices.ContainsFunc(p.classes, func(c class) bool {
		return p.isBelow(c.scope.owner, func(class string) bool {
			return strings.HasPrefix(class, "logging.") && strings.HasSuffix(class, "Handler")
		})
	}) {
		p.formatsRecords(i, v)
	}
}

func hasPrefixAtom(v value) bool {
	for _, a := range v.atoms {
		if a.kind == atomPrefix {
			return true
		}
	}
	return false
}
