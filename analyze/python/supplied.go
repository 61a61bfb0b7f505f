package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Modules of the library that are in Python do more with what they are supplied with than call its methods: they make
// another object of the class of an element, tell a handler the class of what they were told of, and put a text before a
// name and get the attribute that this comes to. What the program makes answers there in the place of numbers,
// exceptions and text. Each way is here.

// answersBehind tells whether something of the program may answer what a text, or a number, and itself come to, where it
// stands behind.
func (p *python) answersBehind() bool {
	return p.own["__radd__"] || p.renamesMembers
}

// joinsAsText tells whether a text of the program may answer so, or what is the name of a class.
func (p *python) joinsAsText() bool {
	return slices.ContainsFunc(p.classes, func(c class) bool {
		n := c.scope.owner
		return p.mayBeText(c) && (p.answersBehind() || p.isBelow(n, func(class string) bool {
			return class == "collections.UserString" || class == "collections.UserList"
		}))
	}) || p.answersBehind() && (p.own["__name__"] || slices.Contains(p.madeBases, "builtins.str"))
}

// mayBeText tells whether objects of a class of the program may be text.
func (p *python) mayBeText(c class) bool {
	return c.bases.open() || p.isBelow(c.scope.owner, func(class string) bool { return class == "builtins.str" || class == "enum.StrEnum" })
}

// namesByClass tells whether what has a name in the library gets attributes by what a text and the name of a class come to.
func namesByClass(name string) bool {
	if method, ok := strings.CutPrefix(name, "ast."); ok {
		class, _, _ := strings.Cut(method, ".")
		return class == "NodeVisitor" || class == "NodeTransformer" || class == "unparse"
	}
	return strings.HasPrefix(name, "reprlib.") && name != "reprlib.recursive_repr"
}

// supplies looks at what is named at i and does such things with what it is given.
func (p *python) supplies(i int, name string, u usage) {
	switch {
	case namesByClass(name):
		if p.joinsAsText() {
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case name == sectionProxy || strings.HasPrefix(name, sectionProxy+"."):
		p.converts(i)
	case strings.HasPrefix(name, "configparser."):
		if p.own["converters"] || u.args != nil && (u.args.spread || slices.ContainsFunc(u.args.named, func(v namedValue) bool { return v.name == "converters" })) {
			p.converts(i)
		}
	case strings.HasPrefix(name, "argparse."):
		// What is done about a conflict has a name that is put into a text.
		if p.own["__rmod__"] && slices.ContainsFunc(p.classes, p.mayBeText) {
			p.dynamicAt(analyze.DynamicMember, i)
		}
	case strings.HasPrefix(name, "statistics."):
		// An element says by itself what it is as a fraction, and sums of these answer what the class of the element is called with.
		if p.answersBehind() && (p.own["as_integer_ratio"] || p.own["denominator"] || p.spread) {
			p.dynamicAt(analyze.DynamicClass, i)
		}
	}
}

const sectionProxy = "configparser.SectionProxy"

// converts looks at names of converters of a configuration: a section gets attributes of its parser by what a text and
// such a name come to.
func (p *python) converts(i int) {
	if p.answersBehind() && p.quiet == 0 {
		p.dynamicAt(analyze.DynamicMember, i)
	}
}

// asksSupplied looks at an attribute that is read at i: one by which such things are done.
func (p *python) asksSupplied(i int, name string) {
	switch name {
	case "converters":
		if p.atHand("configparser") {
			p.converts(i)
		}
	case "call_exception_handler", "default_exception_handler":
		if p.atHand("asyncio") && p.quiet == 0 && p.toldOfErrors() {
			p.letGo() // the class of what is said to have happened
		}
	}
}

// toldOfErrors tells whether something of the program may be told what else logging is told of.
func (p *python) toldOfErrors() bool {
	return p.recordsSeen() || p.answers() || slices.ContainsFunc([]string{"error", "_log", "log", "makeRecord", "formatException"}, func(name string) bool { return p.own[name] })
}
