package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Collector builds Facts: it removes doubles, holds the caps and sorts, so
// that the same source gives the same facts whatever the order of the walk.
// It is not safe for concurrent use.
type Collector struct {
	limits Limits
	lines  lines // of the source itself
	Goal   Goal  // settled by the walk when the source leaves it open

	// Fixed, when not nil, is where everything is reported: the place in the
	// source of a string that is itself being read as code.
	Fixed *Span

	problems    map[Problem]bool
	hygiene     map[Problem]bool
	uses        map[string][]Use
	imports     map[string]map[Span]bool
	late        map[string]bool // imports that are not all early
	attrs       map[string]Span
	strings     map[string]bool
	dynamics    map[string]map[Span]bool
	identifiers map[string]bool
	count       int
	full        bool
}

func newCollector(lim Limits) *Collector {
	return &Collector{
		limits:      lim,
		problems:    map[Problem]bool{},
		hygiene:     map[Problem]bool{},
		uses:        map[string][]Use{},
		imports:     map[string]map[Span]bool{},
		late:        map[string]bool{},
		attrs:       map[string]Span{},
		strings:     map[string]bool{},
		dynamics:    map[string]map[Span]bool{},
		identifiers: map[string]bool{},
	}
}

// At returns the span to report for node i of t: its own, or the place of the
// string that t was parsed from.
func (c *Collector) At(t *Tree, i int) Span {
	if c.Fixed != nil {
		return *c.Fixed
	}
	return t.Span(i)
}

// room counts one more entry; it is false when the cap is hit, which makes the
// facts incomplete.
func (c *Collector) room() bool {
	if c.count >= c.limits.Facts {
		if !c.full {
			c.full = true
			c.problems[Problem{Code: ProblemFacts, Message: fmt.Sprintf("the code yields more than %d facts", c.limits.Facts)}] = true
		}
		return false
	}
	c.count++
	return true
}

// Problem reports something that makes the facts incomplete.
func (c *Collector) Problem(code, message string, at Span) {
	if p := (Problem{code, message, at}); !c.problems[p] && c.room() {
		c.problems[p] = true
	}
}

// maxExplained bounds the text in which a cause is looked for, and so the time.
const maxExplained = 128 << 10

// explain puts the likely cause of a syntax error in the place of what the parser
// stumbled over. Without one, what it stumbled over first stays: the rest comes
// of that.
func (c *Collector) explain(t *Tree, src Source, explain func(string, int) *Cause) {
	broken := func(p Problem) bool {
		return p.Code == ProblemSyntax || p.Code == ProblemMissing || p.Code == ProblemUnknown
	}
	var first *Problem
	for p := range c.problems {
		if broken(p) && (first == nil || compareSpans(p.Span, first.Span) < 0) {
			first = &p
		}
	}
	if first == nil {
		return
	}
	from, to := src.cellAt(t.lines.starts[max(first.Span.Line-1, 0)])
	var cause *Cause
	if to-from <= maxExplained {
		cause = explain(t.Text[:to], from)
	}
	if cause != nil {
		first = &Problem{ProblemSyntax, cause.Message, t.Between(cause.Start, cause.End)}
	}
	maps.DeleteFunc(c.problems, func(p Problem, _ bool) bool { return broken(p) || p.Code == ProblemHidden && cause != nil })
	c.problems[*first] = true
}

// odd reports something legal that a reader should know of.
func (c *Collector) odd(code, message string, at Span) {
	if p := (Problem{code, message, at}); !c.hygiene[p] && c.room() {
		c.hygiene[p] = true
	}
}

// Use reports one mention of an outside symbol.
func (c *Collector) Use(name string, u Use) {
	if !c.room() {
		return
	}
	if u.Args == nil {
		u.Args = []Arg{}
	}
	c.uses[name] = append(c.uses[name], u)
}

// MaxName bounds names: of modules and of what they have, which begin each other, and identifiers.
const MaxName = 1 << 10

// ModuleName is the name of a module. One that no system could load is cut off, and makes the facts
// incomplete.
func (c *Collector) ModuleName(name string, at Span) string {
	if len(name) <= MaxName {
		return name
	}
	c.Problem(ProblemName, fmt.Sprintf("the name of this module is longer than %d bytes", MaxName), at)
	return name[:MaxName]
}

// Clip cuts a text that facts show to what no name of a file is longer than. Each use of it is a
// copy for those who judge.
func Clip(s string) string { return s[:min(len(s), 4*MaxName)] }

// Path is the dotted path of what is called name inside of outer. What stands outside is left
// out where it gets too long.
func Path(outer, name string) string {
	switch {
	case outer == "":
		return name
	case len(outer)+len(name) >= 2*MaxName:
		return "…." + name
	}
	return outer + "." + name
}

// ImportModule reports that a module is loaded, and whether this comes before
// anything else that the program does.
func (c *Collector) ImportModule(name string, at Span, early bool) {
	addSpan(c, c.imports, name, at)
	c.late[name] = c.late[name] || !early
}

// early returns the modules that no late import loads.
func (c *Collector) early() map[string]map[Span]bool {
	out := maps.Clone(c.imports)
	maps.DeleteFunc(out, func(name string, _ map[Span]bool) bool { return c.late[name] })
	return out
}

// Dynamic reports something of kind (a Dynamic constant) that cannot be
// resolved.
func (c *Collector) Dynamic(kind string, at Span) { addSpan(c, c.dynamics, kind, at) }

func addSpan(c *Collector, set map[string]map[Span]bool, key string, at Span) {
	if set[key][at] || !c.room() {
		return
	}
	if set[key] == nil {
		set[key] = map[Span]bool{}
	}
	set[key][at] = true
}

// Attr reports an attribute or property name; the first place counts.
func (c *Collector) Attr(name string, at Span) {
	old, ok := c.attrs[name]
	if !ok && !c.room() {
		return
	}
	if !ok || compareSpans(at, old) < 0 {
		c.attrs[name] = at
	}
}

// Str reports a string constant. Strings over the cap are left out without
// making the facts incomplete: they are evidence for policy, not its basis.
func (c *Collector) Str(s string) {
	const longest = 4 << 10
	if len(s) > longest {
		s = s[:longest]
	}
	if len(c.strings) < c.limits.Strings {
		c.strings[s] = true
	}
}

// Identifier reports an identifier of the source, or of a text that it runs as
// code, normalised.
func (c *Collector) Identifier(name string) { c.identifiers[name] = true }

// facts returns what was collected.
func (c *Collector) facts(src Source) Facts {
	f := Facts{
		Version:      FactsVersion,
		Language:     src.language,
		Goal:         cmp.Or(src.goal, c.Goal, Script),
		SHA256:       src.sha256,
		Bytes:        len(src.text),
		Lines:        newLines(src.text).count(),
		Complete:     len(c.problems) == 0,
		Syntax:       sortedProblems(c.problems),
		Hygiene:      sortedProblems(c.hygiene),
		Names:        sortedKeys(c.uses),
		Uses:         make(map[string][]Use, len(c.uses)),
		Imports:      sortedKeys(c.imports),
		EarlyImports: sortedKeys(c.early()),
		ImportSpans:  sortedSpans(c.imports),
		Attrs:        sortedKeys(c.attrs),
		AttrSpans:    c.attrs,
		Strings:      sortedKeys(c.strings),
		Dynamic:      sortedSpans(c.dynamics),
		Identifiers:  sortedKeys(c.identifiers),
	}
	for name, uses := range c.uses {
		slices.SortStableFunc(uses, compareUses)
		f.Uses[name] = slices.CompactFunc(uses, func(a, b Use) bool {
			return compareUses(a, b) == 0 && a.Path == b.Path && len(a.Args) == 0 && len(b.Args) == 0 && len(a.Named) == 0 && len(b.Named) == 0
		})
	}
	f.URLs, f.Hosts = urls(f.Uses)
	return f
}

func compareUses(a, b Use) int {
	return cmp.Or(compareSpans(a.Span, b.Span), cmp.Compare(a.How, b.How), cmp.Compare(a.Certainty, b.Certainty), cmp.Compare(a.Scope, b.Scope))
}

func compareSpans(a, b Span) int {
	return cmp.Or(a.Line-b.Line, a.Column-b.Column, a.EndLine-b.EndLine, a.EndColumn-b.EndColumn)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortedSpans(m map[string]map[Span]bool) map[string][]Span {
	out := make(map[string][]Span, len(m))
	for k, set := range m {
		out[k] = slices.SortedFunc(maps.Keys(set), compareSpans)
	}
	return out
}

func sortedProblems(m map[Problem]bool) []Problem {
	out := make([]Problem, 0, len(m))
	for p := range m {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Problem) int {
		return cmp.Or(compareSpans(a.Span, b.Span), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return out
}
