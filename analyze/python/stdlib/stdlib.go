// Package stdlib knows what the standard library of Python has: its modules, what they
// bind and share, and the private names of its classes. Scripts beside it made the texts
// that it reads, from the library itself.
package stdlib

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// stdlibText is made by generate.py, which says what a line is.
//
//go:embed python.txt
var stdlibText string

// startsText is made by prefixes.py, which says what a line is.
//
//go:embed prefixes.txt
var startsText string

// privatesText is made by privates.py, which says what a line is.
//
//go:embed privates.txt
var privatesText string

// lentText is made by lent.py, which says what a line is.
//
//go:embed lent.txt
var lentText string

// stdlib knows the modules of the standard library, for all versions
// of Python that sallyport supports taken together. It is immutable.
type Library struct {
	Modules  map[string]bool
	exports  map[string]string   // module: the names a star import binds, between spaces
	Leaks    map[string]string   // "random._os": "os"
	Leads    map[string]bool     // modules that lead to all the others
	Uses     map[string][]string // first part of a module: those of the modules that it and those below it have among their names
	Builtins map[string]bool
	Starts   map[string]bool     // "create_", because there is create_subprocess_exec
	Inner    map[string]string   // class: its private attributes, between spaces
	Private  map[string][]string // each of them: the first parts of the modules that have it
	Lent     map[string]string   // module: the methods of its classes that do what an object says, between spaces
}

// theStdlib is the one stdlib of a process: to read the texts takes longer than most programs.
var Names = sync.OnceValue(newLibrary)

func newLibrary() *Library {
	s := &Library{
		Modules:  make(map[string]bool, 800),
		exports:  make(map[string]string, 800),
		Leaks:    make(map[string]string, 3000),
		Leads:    map[string]bool{"builtins": true, "importlib": true, "os": true, "posix": true, "sys": true},
		Uses:     make(map[string][]string, 200),
		Builtins: make(map[string]bool, 200),
		Starts:   make(map[string]bool, 4000),
		Inner:    make(map[string]string, 400),
		Private:  make(map[string][]string, 1500),
		Lent:     make(map[string]string, 8),
	}
	for line := range strings.Lines(stdlibText) {
		module, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names, leaks, _ := strings.Cut(rest, "\t")
		s.Modules[module] = true
		s.exports[module] = " " + names + " "
		for pair := range strings.FieldsSeq(leaks) {
			attr, target, _ := strings.Cut(pair, "=")
			s.Leaks[module+"."+attr] = target
		}
	}
	s.aliased("os.path", "posixpath")
	for start := range strings.FieldsSeq(startsText) {
		s.Starts[start] = true
	}
	for line := range strings.Lines(privatesText) {
		class, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.Inner[class] = " " + names + " "
		for name := range strings.FieldsSeq(names) {
			if top, _, _ := strings.Cut(class, "."); !slices.Contains(s.Private[name], top) {
				s.Private[name] = append(s.Private[name], top)
			}
		}
	}
	for line := range strings.Lines(lentText) {
		module, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.Lent[module] = " " + names + " "
	}
	for name := range strings.FieldsSeq(s.exports["builtins"]) {
		s.Builtins[name] = true
	}
	for _, name := range []string{"__import__", "__build_class__", "__loader__", "__spec__", "__builtins__"} {
		s.Builtins[name] = true
	}
	for _, name := range []string{"True", "False", "None", "__name__", "__doc__", "__package__", "__debug__"} {
		delete(s.Builtins, name)
	}
	s.leading()
	s.using()
	return s
}

// aliased notes a module that no file has the name of.
func (s *Library) aliased(module, file string) {
	s.Modules[module] = true
	s.exports[module] = s.exports[file]
	for full, target := range s.Leaks {
		if attr, ok := strings.CutPrefix(full, file+"."); ok {
			s.Leaks[module+"."+attr] = target
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
func (s *Library) Exported(module, name string) bool {
	return strings.Contains(s.exports[module], " "+name+" ")
}

// has tells whether module is known to have the attribute attr: an exported
// name, a module below it, or another module that it imports.
func (s *Library) Has(module, attr string) bool {
	full := module + "." + attr
	return s.Modules[full] || s.Leaks[full] != "" || s.Exported(module, attr)
}

// member returns the qualified name of attribute attr of the symbol owner.
// Where that is another module, or a function at home in one, it is the name
// it has at home: random._os is os.
func (s *Library) Member(owner, attr string) string {
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
	if target, ok := s.Leaks[full]; ok {
		return target
	}
	if s.Modules[full] {
		return full
	}
	if s.Modules[owner] {
		// Versions and platforms that were not measured leak in the same way.
		if s.Exported(owner, attr) {
			return full
		}
		if s.Modules[attr] {
			return attr
		}
		if plain := strings.TrimLeft(attr, "_"); plain != attr && s.Modules[plain] {
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
func (s *Library) Of(symbol string) bool {
	top, _, _ := strings.Cut(symbol, ".")
	return s.Modules[top]
}

// inside tells whether a symbol is a private member of a module of the library.
func (s *Library) Inside(symbol string) bool {
	dot := strings.LastIndexByte(symbol, '.')
	return dot > 0 && strings.HasPrefix(symbol[dot+1:], "_") && !strings.HasPrefix(symbol[dot+1:], "__") && s.Modules[symbol[:dot]]
}

// moduleOf returns the module that a symbol is defined in.
func (s *Library) ModuleOf(symbol string) string {
	for m := symbol; ; {
		if s.Modules[m] {
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
func (s *Library) leading() {
	for again := true; again; {
		again = false
		for name, to := range s.Leaks {
			if module := name[:strings.LastIndexByte(name, '.')]; s.Leads[to] && s.Modules[module] && !s.Leads[module] {
				s.Leads[module], again = true, true
			}
		}
	}
}

// using notes which modules each has among its names, by their first parts. A module that is
// run, and not imported with the others, is left out.
func (s *Library) using() {
	for name, to := range s.Leaks {
		module := name[:strings.LastIndexByte(name, '.')]
		top, _, _ := strings.Cut(module, ".")
		used, _, _ := strings.Cut(to, ".")
		if module != "json.tool" && used != top && !slices.Contains(s.Uses[top], used) {
			s.Uses[top] = append(s.Uses[top], used)
		}
	}
}
