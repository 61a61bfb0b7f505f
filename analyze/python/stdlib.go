package python

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// stdlibText is made by stdlib/generate.py, which says what a line is.
//
//go:embed stdlib/python.txt
var stdlibText string

// startsText is made by stdlib/prefixes.py, which says what a line is.
//
//go:embed stdlib/prefixes.txt
var startsText string

// privatesText is made by stdlib/privates.py, which says what a line is.
//
//go:embed stdlib/privates.txt
var privatesText string

// lentText is made by stdlib/lent.py, which says what a line is.
//
//go:embed stdlib/lent.txt
var lentText string

// stdlib knows the modules of the standard library, for all versions
// of Python that sallyport supports taken together. It is immutable.
type stdlib struct {
	modules  map[string]bool
	exports  map[string]string   // module: the names a star import binds, between spaces
	leaks    map[string]string   // "random._os": "os"
	leads    map[string]bool     // modules that lead to all the others
	uses     map[string][]string // first part of a module: those of the modules that it and those below it have among their names
	builtins map[string]bool
	starts   map[string]bool     // "create_", because there is create_subprocess_exec
	inner    map[string]string   // class: its private attributes, between spaces
	private  map[string][]string // each of them: the first parts of the modules that have it
	lent     map[string]string   // module: the methods of its classes that do what an object says, between spaces
}

// theStdlib is the one stdlib of a process: to read the texts takes longer than most programs.
var theStdlib = sync.OnceValue(newStdlib)

func newStdlib() *stdlib {
	s := &stdlib{
		modules:  make(map[string]bool, 800),
		exports:  make(map[string]string, 800),
		leaks:    make(map[string]string, 3000),
		leads:    setOf("builtins", "importlib", "os", "posix", "sys"),
		uses:     make(map[string][]string, 200),
		builtins: make(map[string]bool, 200),
		starts:   make(map[string]bool, 4000),
		inner:    make(map[string]string, 400),
		private:  make(map[string][]string, 1500),
		lent:     make(map[string]string, 8),
	}
	for line := range strings.Lines(stdlibText) {
		module, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names, leaks, _ := strings.Cut(rest, "\t")
		s.modules[module] = true
		s.exports[module] = " " + names + " "
		for pair := range strings.FieldsSeq(leaks) {
			attr, target, _ := strings.Cut(pair, "=")
			s.leaks[module+"."+attr] = target
		}
	}
	s.aliased("os.path", "posixpath")
	for start := range strings.FieldsSeq(startsText) {
		s.starts[start] = true
	}
	for line := range strings.Lines(privatesText) {
		class, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.inner[class] = " " + names + " "
		for name := range strings.FieldsSeq(names) {
			if top, _, _ := strings.Cut(class, "."); !slices.Contains(s.private[name], top) {
				s.private[name] = append(s.private[name], top)
			}
		}
	}
	for line := range strings.Lines(lentText) {
		module, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.lent[module] = " " + names + " "
	}
	for name := range strings.FieldsSeq(s.exports["builtins"]) {
		s.builtins[name] = true
	}
	for _, name := range []string{"__import__", "__build_class__", "__loader__", "__spec__", "__builtins__"} {
		s.builtins[name] = true
	}
	for _, name := range []string{"True", "False", "None", "__name__", "__doc__", "__package__", "__debug__"} {
		delete(s.builtins, name)
	}
	s.leading()
	s.using()
	return s
}

// aliased notes a module that no file has the name of.
func (s *stdlib) aliased(module, file string) {
	s.modules[module] = true
	s.exports[module] = s.exports[file]
	for full, target := range s.leaks {
		if attr, ok := strings.CutPrefix(full, file+"."); ok {
			s.leaks[module+"."+attr] = target
		}
	}
}

// Standard tells whether the standard library has a module, in any version of Python
// that sallyport supports. Interpreters differ in which of them they have built in.
func Standard(module string) bool {
	return strings.HasPrefix(stdlibText, module+"\t") || strings.Contains(stdlibText, "\n"+module+"\t")
}

// BuiltIn tells whether a module of the standard library is in C and may be a part
// of the interpreter's own executable, in which case no file is there for it.
func BuiltIn(module string) bool {
	const public = " array atexit binascii builtins cmath crypt errno faulthandler fcntl gc grp itertools marshal math mmap" +
		" posix pwd pyexpat readline resource select spwd sys syslog termios time unicodedata zlib "
	return Standard(module) && !strings.Contains(module, ".") && (strings.HasPrefix(module, "_") || strings.Contains(public, " "+module+" "))
}

// exported tells whether a star import of module binds name.
func (s *stdlib) exported(module, name string) bool {
	return strings.Contains(s.exports[module], " "+name+" ")
}

// has tells whether module is known to have the attribute attr: an exported
// name, a module below it, or another module that it imports.
func (s *stdlib) has(module, attr string) bool {
	full := module + "." + attr
	return s.modules[full] || s.leaks[full] != "" || s.exported(module, attr)
}

// member returns the qualified name of attribute attr of the symbol owner.
// Where that is another module, or a function at home in one, it is the name
// it has at home: random._os is os.
func (s *stdlib) member(owner, attr string) string {
	switch owner { // the same in C, and the other way round
	case "_operator", "_functools", "_pickle":
		owner = owner[1:]
	case "_frozen_importlib":
		owner = "importlib._bootstrap"
	case "_frozen_importlib_external":
		owner = "importlib._bootstrap_external"
	case "_pyio":
		owner = "io"
	}
	full := strings.TrimSuffix(owner, ".") + "." + attr // a relative import may be of "."
	if strings.HasSuffix(owner, "..") {
		full = owner + attr
	}
	if target, ok := s.leaks[full]; ok {
		return target
	}
	if s.modules[full] {
		return full
	}
	if s.modules[owner] {
		// Versions and platforms that were not measured leak in the same way.
		if s.exported(owner, attr) {
			return full
		}
		if s.modules[attr] {
			return attr
		}
		if plain := strings.TrimLeft(attr, "_"); plain != attr && s.modules[plain] {
			return plain
		}
		return full
	}
	switch plain := strings.TrimLeft(attr, "_"); plain {
	case "os", "sys", "subprocess", "builtins", "importlib", "ctypes", "shutil", "socket", "marshal", "pty", "posix":
		// No package has a member of its own by these names.
		return plain
	}
	return full
}

// of tells whether a symbol is one of the standard library.
func (s *stdlib) of(symbol string) bool {
	top, _, _ := strings.Cut(symbol, ".")
	return s.modules[top]
}

// inside tells whether a symbol is a private member of a module of the library.
func (s *stdlib) inside(symbol string) bool {
	dot := strings.LastIndexByte(symbol, '.')
	return dot > 0 && strings.HasPrefix(symbol[dot+1:], "_") && !strings.HasPrefix(symbol[dot+1:], "__") && s.modules[symbol[:dot]]
}

// moduleOf returns the module that a symbol is defined in.
func (s *stdlib) moduleOf(symbol string) string {
	for m := symbol; ; {
		if s.modules[m] {
			return m
		}
		dot := strings.LastIndexByte(m, '.')
		if dot < 0 {
			break
		}
		m = m[:dot]
	}
	if dot := strings.LastIndexByte(symbol, '.'); dot > 0 {
		return symbol[:dot]
	}
	return symbol
}

// leading notes the modules that have one among their names which leads to all the others.
func (s *stdlib) leading() {
	for again := true; again; {
		again = false
		for name, to := range s.leaks {
			if module := name[:strings.LastIndexByte(name, '.')]; s.leads[to] && s.modules[module] && !s.leads[module] {
				s.leads[module], again = true, true
			}
		}
	}
}

// using notes which modules each has among its names, by their first parts. A module that is
// run, and not imported with the others, is left out.
func (s *stdlib) using() {
	for name, to := range s.leaks {
		module := name[:strings.LastIndexByte(name, '.')]
		top, _, _ := strings.Cut(module, ".")
		used, _, _ := strings.Cut(to, ".")
		if module != "json.tool" && used != top && !slices.Contains(s.uses[top], used) {
			s.uses[top] = append(s.uses[top], used)
		}
	}
}
