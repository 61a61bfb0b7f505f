package policy

import (
	"fmt"
	"hash"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Capabilities that catalogs use without being a capability of their own.
const (
	capBenign  = "benign"  // known, and able to do nothing that a rule is about
	capUnknown = "unknown" // not in the catalog
)

// capabilityNames are the capabilities that rules can ask for.
var capabilityNames = []string{
	"code.eval", "deserialize", "environment", "filesystem.read", "filesystem.write",
	"introspection", "native", "network", "process", "signals", "thread", capUnknown,
}

// catalog says what symbols and modules are able to do, by language.
type catalog struct {
	languages map[string]table
}

// table maps a pattern to capabilities. A pattern is a qualified name, or one
// that ends in ".*" and stands for everything below it.
type table map[string][]string

// loadCatalog reads catalog/LANGUAGE.txt and catalog/LANGUAGE-*.txt.
func loadCatalog(fsys fs.FS, sum hash.Hash) (*catalog, error) {
	names, err := fs.Glob(fsys, "catalog/*.txt")
	if err != nil {
		return nil, fmt.Errorf("reading the capability catalog: %v", err)
	}
	c := &catalog{languages: map[string]table{}}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading the capability catalog: %v", err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		lang, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".txt"), "-")
		if c.languages[lang] == nil {
			c.languages[lang] = table{}
		}
		if err := c.languages[lang].parse(name, string(text)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// parse adds the lines "pattern capability[,capability]"; # starts a comment.
func (t table) parse(name, text string) error {
	line := 0
	for l := range strings.Lines(text) {
		line++
		l, _, _ = strings.Cut(l, "#")
		pattern, caps, _ := strings.Cut(strings.TrimSpace(l), " ")
		if pattern == "" {
			continue
		}
		caps = strings.TrimSpace(caps)
		if caps == "" || strings.ContainsAny(caps, " \t") {
			return fmt.Errorf("%s:%d: want \"symbol capability[,capability]\"", name, line)
		}
		if _, ok := t[pattern]; ok {
			return fmt.Errorf("%s:%d: %s is listed twice", name, line, pattern)
		}
		t[pattern] = strings.Split(caps, ",")
	}
	return nil
}

// lookup returns the capabilities of a qualified name by its longest pattern,
// and false when no pattern covers it.
func (t table) lookup(name string) ([]string, bool) {
	if caps, ok := t[name]; ok {
		return caps, true
	}
	for prefix := name; ; {
		if caps, ok := t[prefix+".*"]; ok {
			return caps, true
		}
		dot := strings.LastIndexByte(prefix, '.')
		if dot < 0 {
			return nil, false
		}
		prefix = prefix[:dot]
	}
}

// classify sorts names and modules by what they are able to do.
func (t table) classify(names, imports []string) map[string][]string {
	out := map[string][]string{}
	for _, name := range append(slices.Clone(names), imports...) {
		caps, ok := t.lookup(name)
		if !ok {
			caps = []string{capUnknown}
		}
		for _, c := range caps {
			if c != capBenign {
				out[c] = append(out[c], name)
			}
		}
	}
	for c := range out {
		slices.Sort(out[c])
		out[c] = slices.Compact(out[c])
	}
	return out
}

// value is input.capabilities: by capability, the names that have it. Each
// capability has an entry, so that a rule can be checked for a misspelt one.
func (c *catalog) value(src Source) ast.Value {
	classes := c.languages[src.Language].classify(src.Names, src.Imports)
	for _, name := range capabilityNames {
		if _, ok := classes[name]; !ok {
			classes[name] = nil
		}
	}
	return dict(classes, strs)
}
