package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Objects of the library that do something in methods that others call.

// strays notes that an object of a class went where it is not followed, which does what
// its attributes say, or what methods of it do that others call.
func (p *python) strays(class string) {
	switch class {
	case "contextlib.redirect_stdout", "contextlib.redirect_stderr", "shlex.shlex", "tempfile.TemporaryDirectory", pathClass:
	default:
		if p.tables.doers[class] == nil {
			return
		}
	}
	if !slices.Contains(p.strayed, class) {
		p.strayed, p.changed = append(p.strayed, class), true
	}
}

// doers are the classes of the library whose objects do what rules are about in methods of
// such names as the library calls on what it is given: print calls write, readers call read.
func doers() map[string][]string {
	reads := []string{"read"}
	return map[string][]string{
		xmlTree:                         {"write", "write_c14n", "parse"},
		configParser:                    reads,
		"configparser.RawConfigParser":  reads,
		"configparser.SafeConfigParser": reads,
		"mimetypes.MimeTypes":           {"read", "readfp"},
	}
}

const configParser = "configparser.ConfigParser"

// dumps looks at what writes a tree to the standard output and is named at i: where the program put
// something else there, that may be a text, which is then the name of a file.
func (p *python) dumps(i int, name string, how analyze.How) {
	to := p.members["sys.stdout"]
	if name != "xml.etree.ElementTree.dump" || to.nothing() || how == analyze.HowImport {
		return
	}
	p.mention(i, symbol(xmlTree+".write"), usage{how: analyze.HowCall, args: &arguments{positional: []value{to}}})
}

// does looks at what gives an object of such a class, and is named at i. Where one went where it
// is not followed, whoever has it may call those methods; and it does where the class itself goes.
func (p *python) does(i int, name string, how analyze.How) {
	class := p.tables.returns[name]
	if p.tables.doers[class] == nil {
		return
	}
	if how == analyze.HowReference && !p.namesType() {
		p.strays(class)
	}
	if slices.Contains(p.strayed, class) {
		for _, method := range p.tables.doers[class] {
			p.mention(i, symbol(class+"."+method), usage{how: analyze.HowReference})
		}
	}
}

// tellsDoer tells the methods of class n of the program that their object is one of those, and those
// that replace values of a configuration that they are given one.
func (p *python) tellsDoer(n int) {
	object, at := p.doerAbove(n), 0
	if p.isBelow(n, func(class string) bool {
		return strings.HasPrefix(class, "configparser.") && strings.HasSuffix(class, "Interpolation")
	}) {
		object, at = one(atom{kind: atomInstance, text: configParser}), 1
	}
	if object.nothing() {
		return
	}
	for _, id := range p.classes[n].scope.ids {
		for _, a := range p.vars[id].value.atoms {
			if a.kind == atomFunction && at < len(p.functions[a.n].params) {
				p.assign(p.functions[a.n].params[at].variable, object)
			}
		}
	}
}

// doerAbove is what an object of class n of the program is, too, of those that do something.
func (p *python) doerAbove(n int) value {
	object := p.typesAbove(n)
	object.atoms = slices.DeleteFunc(object.atoms, func(a atom) bool { return p.tables.doers[a.text] == nil })
	return object
}

// typesAbove is what an object of class n of the program is, too: one of each class of the library
// above that the analysis knows.
func (p *python) typesAbove(n int) value {
	var object value
	p.isBelow(n, func(class string) bool {
		if a := (atom{kind: atomInstance, text: p.tables.returns[class]}); a.text != "" && !object.has(a) {
			object.atoms = append(object.atoms, a)
		}
		return false
	})
	return object
}
