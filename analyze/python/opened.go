package python

import (
	"slices"

	"sallyport/analyze"
)

// openedPath is what stands for the path of what is open already: a file in memory, or one that was
// judged where it was opened. No constant of a program is taken for it.
const openedPath = "<opened>"

// workbookPath is the same for a pandas.ExcelWriter, which answers who asks for its path with whatever the
// file has for a name: nobody but what writes tables into it may be given one.
const workbookPath = "<workbook>"

const excelWriter = "pandas.ExcelWriter"

// isOpener is true for the classes of which such objects are, and for none below them.
func isOpener(class string) bool {
	return class == "io.BytesIO" || class == "io.StringIO" || class == excelWriter
}

func (a atom) isOpened() bool { return a.kind == atomInstance && isOpener(a.text) }

// opener evaluates a call of such a class, which makes what has been put in its place, if
// anything has.
func opener(class string) intrinsic {
	return func(p *python, _ int, _ *arguments) value {
		made := one(atom{kind: atomInstance, text: class})
		if p.replaced[class] {
			return made.with(open)
		}
		return made
	}
}

// opened says what v is if it can be nothing but what is open already, as a parameter too. Who asks such
// an object for the number of its file is told what the program says, if it says anything.
func (p *python) opened(v value) string {
	v, _ = p.settled(v)
	switch {
	case !v.opened() || p.disguised || p.own["fileno"]:
		return ""
	case !v.has(atom{kind: atomInstance, text: excelWriter}):
		return openedPath
	case len(v.atoms) == 1:
		return workbookPath
	}
	return ""
}

func (v value) opened() bool {
	return v.flags == 0 && len(v.atoms) > 0 && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.isOpened() })
}

// disguises notes that an object may answer otherwise than a file in memory does: by an attribute
// of its own, in the place of the class's.
func (p *python) disguises(name string) {
	switch name {
	case "fileno", "__dict__", "__setstate__":
		if !p.disguised {
			p.disguised, p.changed = true, true
		}
	}
}

// replaces notes that something else may stand where a class or function is looked for, of which
// objects are taken for what it makes.
func (p *python) replaces(name string, how analyze.How) {
	if how == analyze.HowCall || how == analyze.HowImport || p.replaced[name] || name != sqliteConnect && !isOpener(name) {
		return
	}
	p.replaced[name], p.changed = true, true
}
