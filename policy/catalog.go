package policy

import (
	"fmt"
	"hash"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
)

// catalogDir holds the tables, beside the packs or below a policy.
const catalogDir = "catalog"

// Capabilities that catalogs use without being a capability of their own.
const (
	capBenign  = "benign"  // known, and able to do nothing that a rule is about
	capUnknown = "unknown" // not in the catalog

	// What has network has one of the other two. A catalog says network.http of
	// clients of HTTP, and network of the rest.
	capNetwork = "network"
	capHTTP    = "network.http"
	capSocket  = "network.socket"
)

// capabilityNames are the capabilities that rules can ask for.
var capabilityNames = []string{
	"code.eval", "code.load", "deserialize", "environment", "filesystem.read", "filesystem.write",
	"introspection", "native", capNetwork, capHTTP, capSocket, "process", "signals", "thread", capUnknown,
}

// catalog says what symbols and modules are able to do, by language.
type catalog struct {
	languages map[string]table
}

// table maps a pattern to capabilities. A pattern is a qualified name, which
// also covers what is below it; one that ends in ".*" covers a module and
// those of its members that no longer pattern names; one that ends in "." is a
// module alone, so that a member which is not listed is unknown; one that starts
// with "." is an attribute of any object. In a file, a.{b,c} stands for a.b and a.c.
type table map[string][]string

// loadCatalogs reads catalog/LANGUAGE.txt and catalog/LANGUAGE-*.txt.
func loadCatalogs(fsys fs.FS, sum hash.Hash) (*catalog, error) {
	c := &catalog{languages: map[string]table{}}
	if fsys == nil {
		return c, nil
	}
	names, err := fs.Glob(fsys, catalogDir+"/*.txt")
	if err != nil {
		return nil, fmt.Errorf("reading the capability catalog: %v", err)
	}
	for _, name := range names {
		f, err := readFile(fsys, name, "")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%s %d\n%s", f.name, len(f.text), f.text)
		if err := parseCatalog(c.table(f.name), f); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// table returns the table that a file is for: python.txt, python-science.txt.
func (c *catalog) table(name string) table {
	lang, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".txt"), "-")
	if c.languages[lang] == nil {
		c.languages[lang] = table{}
	}
	return c.languages[lang]
}

// extend adds an operator's table. A line that takes a capability away from a
// symbol is allowed, and returned so that it shows.
func (c *catalog) extend(f file, sum hash.Hash) ([]string, error) {
	fmt.Fprintf(sum, "%s %d\n%s", f.name, len(f.text), f.text)
	own, known := table{}, c.table(f.name)
	if err := parseCatalog(own, f); err != nil {
		return nil, err
	}
	var loosened []string
	for _, pattern := range slices.Sorted(maps.Keys(own)) {
		old, _ := known.lookup(strings.TrimSuffix(pattern, ".*"))
		for _, capability := range old {
			if capability != capBenign && capability != capUnknown && !slices.Contains(own[pattern], capability) {
				loosened = append(loosened, fmt.Sprintf("catalog: %s is not %s", pattern, capability))
			}
		}
	}
	maps.Copy(known, own)
	return loosened, nil
}

// parseCatalog adds the lines "pattern capability[,capability]"; # starts a comment.
func parseCatalog(t table, f file) error {
	line := 0
	for l := range strings.Lines(f.text) {
		line++
		l, _, _ = strings.Cut(l, "#")
		pattern, caps, _ := strings.Cut(strings.TrimSpace(l), " ")
		if pattern == "" {
			continue
		}
		caps = strings.TrimSpace(caps)
		if caps == "" || strings.ContainsAny(caps, " \t") {
			return &LoadError{Issues: []Issue{{File: f.name, Line: line, Message: "want \"symbol capability[,capability]\""}}}
		}
		list := networks(strings.Split(caps, ","))
		for name := range names(pattern) {
			if _, ok := t[name]; ok {
				return &LoadError{Issues: []Issue{{File: f.name, Line: line, Message: name + " is listed twice"}}}
			}
			t[name] = list
		}
	}
	return nil
}

// networks completes the capabilities of a line: network is the union of
// network.http and network.socket, and the latter where nothing else is said.
func networks(caps []string) []string {
	http, union := slices.Contains(caps, capHTTP), slices.Contains(caps, capNetwork)
	switch {
	case (http || slices.Contains(caps, capSocket)) && !union:
		caps = append(caps, capNetwork)
	case union && !http && !slices.Contains(caps, capSocket):
		caps = append(caps, capSocket)
	}
	return caps
}

// names yields the patterns that one pattern of a file stands for.
func names(pattern string) iter.Seq[string] {
	return func(yield func(string) bool) {
		owner, members, ok := strings.Cut(strings.TrimSuffix(pattern, "}"), ".{")
		if !ok {
			yield(pattern)
			return
		}
		for member := range strings.SplitSeq(members, ",") {
			if !yield(owner + "." + member) {
				return
			}
		}
	}
}

// lookup returns the capabilities of a qualified name by its longest pattern,
// and false when no pattern covers it.
func (t table) lookup(name string) ([]string, bool) {
	if caps, ok := t[name+"."]; ok {
		return caps, true
	}
	for prefix := name; ; {
		if prefix != name || t[name] == nil {
			if caps, ok := t[prefix+".*"]; ok {
				return caps, true
			}
		}
		if caps, ok := t[prefix]; ok {
			return caps, true
		}
		dot := strings.LastIndexByte(prefix, '.')
		if dot < 0 {
			return nil, false
		}
		prefix = prefix[:dot]
	}
}

// classify says what a source mentions, by what it is able to do. Each
// capability has an entry, also an empty one.
func (c *catalog) classify(src Source) map[string][]string {
	out := c.languages[src.Language].classify(src)
	for _, name := range capabilityNames {
		if _, ok := out[name]; !ok {
			out[name] = nil
		}
	}
	return out
}

// classify sorts what a source mentions by what it is able to do. Attributes
// keep their dot. A module is listed when no member of it says the same.
func (t table) classify(src Source) map[string][]string {
	out := map[string][]string{}
	said := map[[2]string]bool{} // a capability, and what a name that has it is below
	add := func(name string, caps []string) {
		for _, c := range caps {
			if c == capBenign {
				continue
			}
			out[c] = append(out[c], name)
			for owner := range owners(name) {
				said[[2]string{c, owner}] = true
			}
		}
	}
	unlisted := map[string]bool{} // modules that are unknown themselves: their names need not be
	for _, module := range src.Imports {
		if _, ok := t.lookup(module); !ok {
			unlisted[module] = true
		}
	}
	for _, name := range src.Names {
		if caps, ok := t.lookup(name); ok {
			add(name, caps)
		} else if !below(name, unlisted) {
			add(name, []string{capUnknown})
		}
	}
	for _, module := range src.Imports {
		caps, ok := t.lookup(module)
		if !ok {
			caps = []string{capUnknown}
		}
		for _, c := range caps {
			if !said[[2]string{c, module}] {
				add(module, []string{c})
			}
		}
	}
	for _, attr := range src.Attrs {
		add("."+attr, t["."+attr])
	}
	for c := range out {
		slices.Sort(out[c])
		out[c] = slices.Compact(out[c])
	}
	return out
}

// below reports whether name is one of the modules, or a member of one.
func below(name string, modules map[string]bool) bool {
	for owner := range owners(name) {
		if modules[owner] {
			return true
		}
	}
	return modules[name]
}

// owners yields what a qualified name is below, the nearest first.
func owners(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dot := strings.LastIndexByte(name, '.'); dot >= 0; dot = strings.LastIndexByte(name, '.') {
			name = name[:dot]
			if !yield(name) {
				return
			}
		}
	}
}

// Classify returns what the catalogs say that a qualified name, a module or,
// with a leading dot, an attribute is able to do. It returns false for what
// they do not know.
func (e *Engine) Classify(language, name string) ([]string, bool) {
	caps, ok := e.catalog.languages[language].lookup(name)
	return slices.Clone(caps), ok
}
