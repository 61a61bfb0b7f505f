package gate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/policy"
	"sallyport/sandbox"
)

// seen is what facts say that a program reaches: the files that it names where it uses or
// writes them, and the modules of Node that it imports. While the program runs, its hooks
// hold what it does against that.
func seen(by *policy.Engine, f analyze.Facts) (s sandbox.Seen) {
	unnamed := false
	for name, uses := range f.Uses {
		can, _ := by.Classify(string(f.Language), name)
		writes := slices.Contains(can, "filesystem.write") || name == "numpy.memmap" // which opens both ways, as strict says
		if !writes && !slices.Contains(can, "filesystem.read") {
			continue
		}
		for _, u := range uses {
			u = ofPaths(name, u)
			s.Paths = append(s.Paths, placesOf(pathsOf(u))...)
			if writes && !onlyReads(name, u) {
				named := pathsOf(withoutModes(name, u))
				s.Writes = append(s.Writes, writesOf(name, named)...)
				unnamed = unnamed || u.How != "import" && (len(named) == 0 || len(named) == 1 && takesTwo.MatchString(name))
			}
		}
	}
	for _, module := range f.Imports {
		if path.IsAbs(module) {
			s.Paths = append(s.Paths, placesOf([]string{module})...)
		}
		if name, ok := strings.CutPrefix(module, "node:"); ok {
			s.Modules = append(s.Modules, name)
		}
	}
	s = join(s, sandbox.Seen{})
	size := 0
	for _, name := range s.Writes {
		size += len(name)
	}
	if len(s.Writes) > manyWrites || size > longWrites || unnamed && f.Language == analyze.JavaScript {
		s.Writes = []string{"/"} // more than the hooks are told, or where paths are put together (strict lets none of these pass): any of them
	}
	return s
}

// What the hooks have room for: names, and bytes of them.
const manyWrites, longWrites = 1000, 32 << 10

// ofPaths leaves out what a use writes, which names nothing (as file-outside of baseline does).
func ofPaths(name string, u analyze.Use) analyze.Use {
	switch {
	case writesSecond.MatchString(name):
		u.Args = u.Args[:min(1, len(u.Args))]
	case name == "pathlib.Path.write_text" || name == "pathlib.Path.write_bytes":
		u.Args = nil
	}
	return u
}

// onlyReads tells whether a use of what opens files either way plainly opens one to read it.
func onlyReads(name string, u analyze.Use) bool {
	if !opensEither.MatchString(name) || u.How != "call" || u.Splat {
		return false
	}
	for i, a := range u.Args {
		text, _ := a.Value.(string)
		if isFile := i == 0 && (a.Name == "" || a.Name == "file" || a.Name == "path"); !isFile && (!a.Known || writing.MatchString(text)) {
			return false
		}
	}
	return true
}

// withoutModes leaves out how a file is opened, which is no path of another one.
func withoutModes(name string, u analyze.Use) analyze.Use {
	if takesTwo.MatchString(name) {
		return u
	}
	modeFirst := strings.HasSuffix(name, ".Path.open")
	var args []analyze.Arg
	for i, a := range u.Args {
		text, _ := a.Value.(string)
		opens := a.Name == "mode" || a.Name == "" && (i > 0 || modeFirst)
		if !opens || !mode.MatchString(text) {
			args = append(args, a)
		}
	}
	u.Args = args
	return u
}

var (
	takesTwo = regexp.MustCompile(`(?i)copy|move|rename|replace|link|\.cp`)
	mode     = regexp.MustCompile(`^[rwax][bt+]*$`)
	writing  = regexp.MustCompile(`^[rbts]*[wax+][rwxabts+]*$`)
	// What reads where nothing else is said.
	opensEither = regexp.MustCompile(`^(builtins|io|codecs|gzip|bz2|lzma)\.open$|^node:fs(/promises|\.promises)?\.readFile(Sync)?$`)
)

var writesSecond = regexp.MustCompile(`^node:fs(/promises|\.promises)?\.(write|append)File(Sync)?$`)

// pathsOf are the paths that a use names, whatever it does with them.
func pathsOf(u analyze.Use) (named []string) {
	all := []string{u.Path}
	for _, a := range u.Args {
		text, _ := a.Value.(string)
		all = append(all, text, a.Path)
	}
	for _, p := range all {
		if p != "" && len(p) <= longestPath && !strings.Contains(p, "\x00") {
			named = append(named, p)
		}
	}
	return named
}

// placesOf are the files that are named, but for those that the program can write.
func placesOf(named []string) (places []string) {
	for _, p := range named {
		// What comes behind a star could be anything.
		known, _, open := strings.Cut(fromWork(p), "*")
		place := path.Clean(known)
		if open && strings.HasSuffix(known, "/") && place != "/" {
			place += "/"
		}
		if open {
			place += "*"
		}
		if !strings.HasPrefix(place, sandbox.WorkDir+"/") {
			places = append(places, place)
		}
	}
	return places
}

func fromWork(p string) string {
	if path.IsAbs(p) {
		return p
	}
	return sandbox.WorkDir + "/" + p
}

// writesOf is how the paths begin that are written where such are named: what is made of a
// name begins with it. A star stands for signs that are not known, two for any directories.
func writesOf(symbol string, named []string) (begin []string) {
	makes := strings.HasPrefix(symbol, "tempfile.") // files of new names, also below what it is told
	if makes {
		begin = append(begin, scratch[0]+"/tmp")
	}
	for _, p := range named {
		if below, temporary := strings.CutPrefix(p, "<temporary>"); temporary && (below == "" || below[0] == '/') {
			begin = append(begin, scratch[0]+"/tmp")
			continue
		}
		all := []string{fromWork(p)}
		if makes {
			all = append(all, scratch[0]+"/"+p, fromWork(p)+"/tmp")
		}
		if uri, ok := strings.CutPrefix(p, "file:"); ok {
			uri, _, _ = strings.Cut(uri, "?")
			all = append(all, fromWork(uri))
		}
		for _, p := range all {
			p, _, _ = strings.Cut(p, "**")
			if p = path.Clean(p); inScratch(p) {
				begin = append(begin, p)
			}
		}
	}
	return begin
}

// scratch is where a program can write besides its work directory; first, where its
// libraries make files of new names.
var scratch = []string{"/tmp", "/var/tmp", "/dev/shm"}

func inScratch(p string) bool {
	return slices.ContainsFunc(append([]string{sandbox.WorkDir}, scratch...), func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}

const longestPath = 4095 // bytes, as the kernel takes it

// join is what is in either, each once.
func join(a, b sandbox.Seen) sandbox.Seen {
	both := func(a, b []string) []string { return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))) }
	return sandbox.Seen{Paths: both(a.Paths, b.Paths), Writes: both(a.Writes, b.Writes), Modules: both(a.Modules, b.Modules)}
}
