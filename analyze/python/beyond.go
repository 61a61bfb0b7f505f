package python

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// Libraries beyond the standard one call the class of an object that they are given, hand out attributes by names that it has
// for them, and take a text for what they have seen of it before. Who gives them other objects and texts is seen here.

// askedParameters is the method by which sklearn takes an object for an estimator, of which it calls the class. Objects of a
// class that defines it are of that class.
const askedParameters = "get_params"

// lentByLibrary tells whether a method of a class of a library calls the class of the object that it is of, hands that out, or
// gets attributes of another object by names that this has. Class methods do no such thing.
func lentByLibrary(class, name string) bool {
	switch {
	case name == "get_params" || name == "set_params":
		return strings.HasPrefix(class, "sklearn.")
	case name == "identical":
		return strings.HasPrefix(class, "pandas.")
	}
	return remakesSelf(class) && !slices.Contains([]string{"basis", "basis_name", "cast", "domain", "fit", "fromroots", "identity", "maxpower", "window"}, name)
}

// remakesSelf tells whether most methods of a class of a library make another object of the class of theirs.
func remakesSelf(class string) bool {
	series, ok := strings.CutPrefix(class, "numpy.polynomial.")
	return ok && !strings.Contains(series, ".") && strings.ToLower(series) != series || strings.HasPrefix(class, "numpy.ma.MaskedArray")
}

// namesNumpy looks at what a method of pandas is given, by a text of which that looks for a method, and where there is none
// for a function of numpy. Under a name stands a column before the text.
func (p *python) namesNumpy(i int, args *arguments) {
	for _, v := range append(slices.Clone(args.positional), args.rest) {
		p.ofNumpy(i, v, 2)
	}
	for _, given := range args.named {
		v := given.value
		if a, ok := v.single(); ok && a.kind == atomContainer && given.name != "func" && len(p.containers[a.n].list) == 2 {
			v = p.containers[a.n].list[1]
		}
		p.ofNumpy(i, v, 2)
	}
}

// ofNumpy looks at texts in v for functions of numpy that do more than compute, however they are called.
func (p *python) ofNumpy(i int, v value, depth int) {
	for _, a := range v.atoms {
		switch {
		case a.kind == atomContainer && depth > 0:
			p.ofNumpy(i, p.containers[a.n].all, depth-1)
		case a.kind == atomString && slices.Contains(doingOfNumpy, a.text) && p.quiet == 0:
			p.dynamicAt(analyze.DynamicAttribute, i)
		}
	}
}

var doingOfNumpy = []string{
	"bmat", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap", "ndarray", "recarray", "save", "savetxt", "savez", "savez_compressed", "test",
}

// getsByText tells whether what has a name in a library gets an attribute by what a text and something that it is given come to.
func getsByText(name string) bool {
	return name == "matplotlib.pyplot.getp" || name == "matplotlib.pyplot.get"
}

// looksUpText tells whether what has a name in a library may be given a text, and then looks up what that says among the names of
// who calls it.
func (p *python) looksUpText(name string, u usage) bool {
	if name != "numpy.bmat" || u.how == analyze.HowImport {
		return false
	}
	if u.how != analyze.HowCall || u.args == nil || u.args.splat || u.args.spread {
		return true
	}
	v, _ := u.args.get(0, "obj")
	return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return a.kind != atomContainer })
}

// passesForText looks at class n of the program, at i: objects of it are texts and answer otherwise than these. Libraries check a
// text, and then take it for what they have seen, in names of attributes and in what they make code of.
func (p *python) passesForText(i, n int) {
	if p.beyond() && p.mayBeText(p.classes[n]) && (p.isBelow(n, addsItself) || slices.ContainsFunc(methodsOfText, func(name string) bool { return p.has(n, name) })) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// answersAsText looks at an attribute that is assigned to at i, which may be a method that a text of the program has then.
func (p *python) answersAsText(i int, name string) {
	if slices.Contains(methodsOfText, name) && p.beyond() && slices.ContainsFunc(p.classes, p.mayBeText) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// methodsOfText are those by which a text is checked, compared and taken apart.
var methodsOfText = []string{
	"__add__", "__contains__", "__eq__", "__getitem__", "__hash__", "__iter__", "__len__", "__mod__", "__ne__", "__radd__",
	"casefold", "encode", "endswith", "find", "isascii", "isdigit", "isidentifier", "join", "lower", "lstrip", "partition", "removeprefix",
	"removesuffix", "replace", "rfind", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "translate", "upper",
}
