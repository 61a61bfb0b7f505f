package python

import (
	"path"
	"slices"
	"strings"

	"sallyport/analyze"
)

// Which file a program means is followed through the objects of pathlib, through
// os.path.join, and below the directories that tempfile makes. The path of an
// object is text in p.paths, and n of its atom is where, counted from one; zero is
// a path that is not known. A method that is bound to the object has the same n. The
// texts are as pathlib keeps them.

const (
	pathClass = "pathlib.Path"

	// temporaryPath is what lies below a directory that tempfile made. No constant
	// of a program is taken for it.
	temporaryPath = "<temporary>"

	// Where paths begin that are not relative and whose beginning is not known: in the work
	// directory, and in a home directory, of which a name may follow. No text of a program
	// begins so, because that is valid UTF-8.
	workPath = "\xffwork"
	homePath = "\xffhome"

	// pathGave is the n of a text that a path gave. It names that file for sure and is
	// worked out, so that it clears nothing else.
	pathGave = 1

	maxPaths   = 512
	maxPathLen = 512
	maxJoined  = 8
)

// pathValue is an object of pathlib that stands for one of the paths.
func (p *python) pathValue(paths []string) value {
	var out value
	for _, s := range paths {
		s = withStars(s)
		normal := normalPath(s)
		n := p.pathIndex(normal)
		if n == 0 || climbs(s) || strings.HasPrefix(normal, temporaryPath) != strings.HasPrefix(s, temporaryPath) {
			return somePath()
		}
		out = out.join(one(atom{kind: atomInstance, text: pathClass, n: n}))
	}
	return out
}

// normalPath is a path as pathlib keeps it.
func normalPath(s string) string {
	root := ""
	switch rest := strings.TrimLeft(s, "/"); len(s) - len(rest) {
	case 0:
	case 2:
		root = "//"
	default:
		root = "/"
	}
	parts := slices.DeleteFunc(strings.Split(s, "/"), func(part string) bool { return part == "" || part == "." })
	if root == "" && len(parts) == 0 {
		return "."
	}
	return root + strings.Join(parts, "/")
}

// beginsAnew tells whether what is joined to a path takes the place of it.
func beginsAnew(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, temporaryPath) || strings.HasPrefix(s, workPath) || strings.HasPrefix(s, homePath)
}

// shownPath is a path as policies see it.
func shownPath(s string) string {
	if rest, ok := strings.CutPrefix(s, workPath); ok {
		s = normalPath(strings.TrimPrefix(rest, "/"))
	}
	if s == openedPath || s == workbookPath {
		return ""
	}
	if rest, ok := strings.CutPrefix(s, homePath); ok {
		return "~" + rest
	}
	return s
}

// parentPath is the directory of a path as pathlib keeps it, false where it is not known: a
// part ** is any number of them, and .. leads elsewhere.
func parentPath(s string) (string, bool) {
	dir, _, below := cutLast(s)
	switch {
	case strings.Contains(s, "..") || strings.Contains(s, "**") || strings.HasPrefix(s, temporaryPath) || strings.Trim(s, "./") == "":
		return "", false
	case !below && beginsAnew(s):
		return "", false
	case !below:
		return ".", true
	}
	return dir, true
}

// cutLast splits a path as pathlib keeps it before its last part.
func cutLast(s string) (dir, file string, below bool) {
	dir, file = path.Split(s)
	if strings.Trim(dir, "/") != "" {
		dir = strings.TrimSuffix(dir, "/")
	}
	return dir, file, dir != ""
}

// climbs tells whether a path may lead out of a directory that tempfile made: its parts
// that are not known do not say how deep it lies.
func climbs(s string) bool { return strings.HasPrefix(s, temporaryPath) && strings.Contains(s, "..") }

// somePath is an object of pathlib whose path is not known.
func somePath() value { return one(atom{kind: atomInstance, text: pathClass}).with(open) }

func (a atom) isPath() bool { return a.kind == atomInstance && a.text == pathClass }

func (p *python) pathIndex(s string) int64 {
	if n, ok := p.pathOf[s]; ok {
		return n
	}
	if len(p.paths) >= maxPaths || len(s) > maxPathLen {
		return 0
	}
	p.paths = append(p.paths, s)
	p.pathOf[s] = int64(len(p.paths))
	return p.pathOf[s]
}

// pathText returns the path of a method or an object of pathlib, or "".
func (p *python) pathText(a atom) string {
	if a.n == 0 || a.kind != atomSymbol && (a.kind != atomInstance || a.text != pathClass) {
		return ""
	}
	return p.paths[a.n-1]
}

// temporary tells whether v is a path below a directory that tempfile made.
func (v value) temporary() bool { return len(v.atoms) == 0 && v.flags == temporaryText }

// pathsOf returns the paths that v can be as an argument, when all are known.
func (p *python) pathsOf(v value) ([]string, bool) {
	if v.temporary() {
		return []string{temporaryPath + "/*"}, true
	}
	if v.flags&^worked != 0 || len(v.atoms) == 0 || len(v.atoms) > maxJoined {
		return nil, false
	}
	out := make([]string, 0, len(v.atoms))
	for _, a := range v.atoms {
		switch s := p.pathText(a); {
		case s != "" && a.kind == atomInstance:
			out = append(out, s)
		case a.kind == atomString && !strings.HasPrefix(a.text, temporaryPath) && (v.flags == 0 || a.n == pathGave):
			out = append(out, a.text)
		case a.gapped() && !strings.HasPrefix(a.text, temporaryPath) && v.flags == 0:
			out = append(out, p.gaps[a.n-1])
		default:
			return nil, false
		}
	}
	return out, true
}

// argumentPath says which file an argument names that is no constant text, or that is what all
// calls of a function give to it.
func (p *python) argumentPath(v value) string {
	if path := p.opened(v); path != "" {
		return path
	}
	calls := v.flags&given != 0
	v, waits := p.settled(v)
	if waits || !v.temporary() && (len(v.atoms) != 1 || v.atoms[0].kind != atomInstance && !v.atoms[0].ofPath() && !v.atoms[0].gapped() && !calls) {
		return ""
	}
	if paths, ok := p.pathsOf(v); ok && len(paths) == 1 {
		return shownPath(withStars(paths[0]))
	}
	return ""
}

// withStars has a star in a path wherever a number stands that is one of many.
func withStars(s string) string { return strings.ReplaceAll(s, gap, "*") }

// ofPath tells whether a is text that a path gave.
func (a atom) ofPath() bool { return a.kind == atomString && a.n == pathGave }

// likePath is the text out, which is made of parts of which nothing else is known but that
// they are constants or given by paths.
func likePath(out value, parts ...value) value {
	whole := func(v value) bool {
		return exact(v) || v.flags == worked && !slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.ofPath() })
	}
	if out.flags != worked || slices.ContainsFunc(parts, func(v value) bool { return !whole(v) }) {
		return out
	}
	atoms := slices.Clone(out.atoms)
	for k := range atoms {
		if atoms[k].kind == atomString && beginsWhole(atoms[k].text) {
			atoms[k].n = pathGave
		}
	}
	return value{atoms: atoms, flags: out.flags}
}

// beginsWhole tells whether the work directory or a home directory stands in a text at most
// where it begins, and with the whole of its name.
func beginsWhole(s string) bool {
	rest, work := strings.CutPrefix(s, workPath)
	return strings.LastIndexByte(s, workPath[0]) <= 0 && (!work || rest == "" || rest[0] == '/')
}

// mayBe is where the file may lie that a text names which is not wholly known: by
// how it begins, or as one of several, also of a list. One that lies outside comes first.
func (p *python) mayBe(v value) string {
	if _, whole := v.constant(); whole && v.flags&worked == 0 || p.argumentPath(v) != "" {
		return ""
	}
	found := ""
	for _, a := range slices.Concat(v.atoms, p.heldInLists(v)) {
		s, text := shownPath(p.pathText(a)), shownPath(a.text)
		switch a.kind {
		case atomString:
			if len(text) > 1 && strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "../") {
				s = text
			}
		case atomPrefix:
			s = analyze.PathBeginning(text)
		}
		if len(s) <= maxPathLen && (found == "" || ownPlace(found) && !ownPlace(s)) {
			found = s
		}
	}
	return found
}

// heldInLists are the values that lists among v hold.
func (p *python) heldInLists(v value) (out []atom) {
	for _, a := range v.atoms {
		if a.kind == atomContainer && p.containers[a.n].kind != mapping {
			out = append(out, p.containers[a.n].all.atoms...)
		}
	}
	return out
}

// ownPlace tells whether a path is one of the sandbox's own, or relative.
func ownPlace(s string) bool {
	for _, own := range []string{"/tmp/", "/workspace/", "/dev/", temporaryPath} {
		if strings.HasPrefix(s, own) {
			return true
		}
	}
	return !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~") && !strings.HasPrefix(s, "../")
}

// joined returns every way to join one path of each of the values.
func (p *python) joined(values []value) ([]string, bool) {
	out := []string{""}
	for _, v := range values {
		next, ok := p.pathsOf(v)
		if !ok || len(out)*len(next) > maxJoined || !p.step(1) {
			return nil, false
		}
		var all []string
		for _, before := range out {
			for _, s := range next {
				all = append(all, joinPath(before, s))
			}
		}
		out = all
	}
	return out, true
}

// joinPath joins as os.path.join does.
func joinPath(before, s string) string {
	switch {
	case before == "" || beginsAnew(s):
		return s
	case strings.HasSuffix(before, "/"):
		return before + s
	}
	return before + "/" + s
}

// newPath evaluates pathlib.Path(…).
func (p *python) newPath(i int, args *arguments) value {
	for _, v := range args.all() {
		p.escape(v)
	}
	if args.splat || len(args.named) > 0 {
		return somePath()
	}
	if len(args.positional) == 0 {
		return p.pathValue([]string{"."})
	}
	paths, ok := p.joined(args.positional)
	if !ok {
		return somePath()
	}
	return p.pathValue(paths)
}

// dividedPath evaluates the operator / where one side is an object of pathlib.
func (p *python) dividedPath(left, right value) value {
	paths, ok := p.joined([]value{left, right})
	if !ok {
		return somePath()
	}
	return p.pathValue(paths)
}

// pathProperty evaluates an attribute of an object of pathlib that is another one.
func (p *python) pathProperty(a atom, name string) (value, bool) {
	if a.text != pathClass || name != "parent" && name != "parents" {
		return value{}, false
	}
	dir, ok := parentPath(p.pathText(a))
	if name == "parents" || !ok {
		return somePath(), true
	}
	return p.pathValue([]string{dir}), true
}

// pathMethod evaluates a method of an object of pathlib whose path is s, where it
// gives other such objects. What it does not give is judged as any function.
func (p *python) pathMethod(i int, name, s string, args *arguments) (value, bool) {
	bound := p.pathValue([]string{s})
	switch strings.TrimPrefix(name, pathClass+".") {
	case "joinpath":
		return p.newPath(i, &arguments{positional: append([]value{bound}, args.positional...), splat: args.splat, named: args.named}), true
	case "absolute", "resolve":
		return p.pathValue([]string{joinPath(workPath, s)}), true
	case "expanduser":
		if !strings.ContainsAny(s[:1], "~*?[") {
			return bound, true
		}
		p.mention(i, symbol(pathClass+".home"), usage{how: analyze.HowCall, args: &arguments{}})
		if rest, ok := strings.CutPrefix(s, "~"); ok {
			return p.pathValue([]string{homePath + rest}), true
		}
		return somePath(), true
	case "rename", "replace":
		return p.newPath(i, args.first(1)), true
	case "with_name", "with_suffix", "with_stem":
		return p.renamed(strings.TrimPrefix(name, pathClass+".with_"), s, args), true
	case "iterdir":
		return p.bag(i, p.pathValue([]string{joinPath(s, "*")})), true
	case "glob", "rglob":
		pattern, ok := args.arg(0).str()
		if !ok || args.arg(0).open() || len(args.positional) != 1 || strings.Contains(pattern, "..") || beginsAnew(pattern) {
			return p.bag(i, somePath()), true
		}
		if strings.HasSuffix(name, ".rglob") {
			pattern = "**/" + pattern
		}
		return p.bag(i, p.pathValue([]string{joinPath(s, anySigns(pattern))})), true
	case "as_posix", "__str__", "__fspath__":
		return p.pathAsText(s), true
	}
	return value{}, false
}

// anySigns is a pattern with a star wherever it says that a sign may be one of several.
func anySigns(pattern string) string {
	var b strings.Builder
	for len(pattern) > 0 {
		end := 1
		switch pattern[0] {
		case '?', '*':
		case '[':
			set := strings.TrimPrefix(pattern[1:], "!")
			set = strings.TrimPrefix(set, "]")
			if n := strings.IndexByte(set, ']'); n >= 0 {
				end = len(pattern) - len(set) + n + 1
			}
		default:
			b.WriteByte(pattern[0])
			pattern = pattern[1:]
			continue
		}
		if pattern[0] == '*' || !strings.HasSuffix(b.String(), "*") {
			b.WriteByte('*')
		}
		pattern = pattern[end:]
	}
	return b.String()
}

// namesFiles looks at calls that name files by more than their first path. What is not
// known of these is a use of its own, of a path that is not known.
func (p *python) namesFiles(i int, name string, args *arguments) {
	from := 0
	switch name {
	case "pathlib.Path.glob", "pathlib.Path.rglob", "pathlib.Path.samefile":
	case "os.path.samefile", "posixpath.samefile", "ntpath.samefile", "glob.glob0", "glob.glob1":
		from = 1
	default:
		if module, ok := strings.CutSuffix(name, ".main"); ok && p.stdlib.Modules[module] && module != "unittest" { // sys.argv names them
			p.mention(i, symbol(name), usage{how: analyze.HowCall, args: &arguments{positional: []value{anything()}}})
		}
		return
	}
	for k, v := range args.positional {
		if _, known := p.pathsOf(v); k >= from && !known {
			p.mention(i, symbol(name), usage{how: analyze.HowCall, args: &arguments{positional: []value{v}}})
		}
	}
	for _, v := range args.named {
		if _, known := p.pathsOf(v.value); !known && (v.name == "pattern" || v.name == "other_path" || v.name == "f2") {
			p.mention(i, symbol(name), usage{how: analyze.HowCall, args: &arguments{positional: []value{v.value}}})
		}
	}
}

// renamed evaluates with_name, with_suffix and with_stem.
func (p *python) renamed(what, s string, args *arguments) value {
	to, ok := args.arg(0).str()
	if !ok || args.arg(0).open() || climbs(s+to) || strings.ContainsAny(s, "*?[") {
		return somePath()
	}
	if s, ok = renamedPath(what, s, to); !ok {
		return somePath()
	}
	return p.pathValue([]string{s})
}

// renamedPath is a path with another name, suffix or stem; false where it is not known. What
// the suffix is of a name that begins with two dots, or ends with one, has changed with time.
func renamedPath(what, s, to string) (string, bool) {
	dir, file, below := cutLast(s)
	suffix := ""
	if dot := strings.LastIndexByte(file, '.'); dot > 0 {
		suffix = file[dot:]
	}
	switch {
	case file == "" || file == "." || strings.HasPrefix(file, "..") || strings.HasSuffix(file, ".") || !below && beginsAnew(s):
		return "", false // the work directory, say, which has another name once it is absolute
	case what == "suffix":
		to = strings.TrimSuffix(file, suffix) + to
	case what == "stem":
		to += suffix
	}
	if to == "" || to == "." || strings.Contains(to, "/") || beginsAnew(to) {
		return "", false
	}
	return joinPath(dir, to), true
}

// pathAsText is the text of a path.
func (p *python) pathAsText(s string) value {
	switch {
	case strings.HasPrefix(s, temporaryPath) && !climbs(s):
		return value{flags: temporaryText}
	case climbs(s) || strings.ContainsAny(s, "*?["):
		return anything()
	}
	if !beginsAnew(s) || s[0] == '/' {
		p.Str(s)
	}
	return one(atom{kind: atomString, text: s, n: pathGave}).with(worked)
}

// foldPath folds functions that make one path of others.
func (p *python) foldPath(name string, args *arguments) (value, bool) {
	if args.splat || len(args.named) > 0 || len(args.positional) == 0 {
		return value{}, false
	}
	first := args.positional[0]
	switch name {
	case "os.path.join":
		if len(first.atoms) == 1 && first.atoms[0].kind == atomPrefix && analyze.PathBeginning(first.atoms[0].text) != "" {
			return first.with(open), true // what follows may begin anew
		}
	case "os.path.expanduser":
		s, ok := first.str()
		switch {
		case !ok || len(args.positional) > 1:
			return value{}, false
		case !strings.HasPrefix(s, "~"):
			return first, true
		case !strings.Contains(s, "/"):
			s += "/"
		}
		return one(atom{kind: atomPrefix, text: s}).with(open), true // of which the home directory is not known
	case "builtins.str", "os.fspath":
		if p.argumentPath(first) == "" {
			return value{}, false
		}
	case "os.path.abspath", "os.path.realpath", "os.path.normpath":
		if !first.temporary() {
			return value{}, false
		}
	default:
		return value{}, false
	}
	paths, ok := p.joined(args.positional)
	if !ok {
		return value{}, false
	}
	exact := !slices.ContainsFunc(args.positional, func(v value) bool {
		return v.open() || slices.ContainsFunc(v.atoms, func(a atom) bool { return !a.isText() })
	})
	var out value
	for _, s := range paths {
		if exact {
			out = out.join(p.folded(p.withGap(s)))
		} else {
			out = out.join(p.pathAsText(s))
		}
	}
	return out, true
}

// temporaryDirectory evaluates what makes a directory with a name that is new.
func temporaryDirectory(entered bool) intrinsic {
	return func(p *python, i int, args *arguments) value {
		for _, v := range args.all() {
			p.escape(v)
		}
		named := func(v namedValue) bool {
			text, ok := v.value.str()
			return !(v.name == "ignore_cleanup_errors" || v.name == "delete" || (v.name == "suffix" || v.name == "prefix") && ok && !v.value.open() && !strings.ContainsAny(text, "/."))
		}
		switch {
		case args.splat || len(args.positional) > 0 || slices.ContainsFunc(args.named, named):
			return anything()
		case entered:
			return value{flags: temporaryText}
		}
		return one(atom{kind: atomInstance, text: "tempfile.TemporaryDirectory"})
	}
}

// entered is what "with v as x" binds x to.
func (p *python) entered(v value) value {
	if a, ok := v.single(); ok && a == (atom{kind: atomInstance, text: "tempfile.TemporaryDirectory"}) {
		return value{flags: temporaryText}
	}
	if v.sqlite() || v.opened() {
		return v
	}
	if i := slices.IndexFunc(v.atoms, func(a atom) bool {
		return a.kind == atomInstance && strings.HasPrefix(a.text, "contextlib.redirect_std")
	}); i >= 0 { // what it redirects to, not itself
		v.atoms = slices.Delete(slices.Clone(v.atoms), i, i+1)
	}
	return v.with(open)
}
