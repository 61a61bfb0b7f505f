// Package analyze turns untrusted Python and JavaScript into facts that a
// policy can judge. It never runs the source and never trusts it: input is
// bounded before it is read, and what cannot be understood is refused or
// reported, never skipped.
//
// The way of a source is Canonical, then Facts:
//
//	a := analyze.New()
//	src, err := a.Canonical(analyze.Python, "", raw) // *Refusal when there is no single reading
//	facts, err := a.Facts(ctx, src)
package analyze

import (
	"context"
	"fmt"
)

// Analyzer holds the grammars and a pool of parsers. Make one with New and
// share it; it is safe for concurrent use.
type Analyzer struct {
	languages map[Language]*language
	limits    limits
}

// language is the seam between the core and a language: the core bounds,
// parses, flattens and collects, the language reads the tree. A language is
// immutable once made.
type language struct {
	grammar *grammar

	// canonical refuses what the language's own rules make ambiguous and
	// normalises what they make equal. The core has already checked that text
	// is bounded UTF-8 without control characters, bidirectional controls or
	// lone carriage returns, and with "\n" line ends and no byte order mark.
	// The goal is the caller's and may be "".
	canonical func(goal Goal, text string) (string, Goal, *Refusal)

	// walk reads the tree into the collector. It reports what it cannot read
	// with collector.problem and never panics on any tree, also one with ERROR
	// and MISSING nodes, which the core has reported by then.
	walk func(w *walk)
}

// walk is one reading of one tree: what a language's walk function gets.
type walk struct {
	*collector
	tree   *tree
	source Source
	limits limits

	// parse parses text that the program itself would parse as code: the
	// argument of eval, say. The caller bounds the nesting.
	parse func(text string) (*tree, *Problem)
}

// New returns an Analyzer for every language there is.
func New() *Analyzer {
	return &Analyzer{
		languages: map[Language]*language{
			Python:     newPython(),
			JavaScript: newJavaScript(),
		},
		limits: defaultLimits(),
	}
}

// Facts reads a source into facts. Everything about the source itself, also
// that it is no program at all, is in the facts, with Complete false and the
// reason in Syntax. The error is non-nil only when ctx is done or the
// analysis itself is broken; the facts are then worthless.
func (a *Analyzer) Facts(ctx context.Context, src Source) (facts Facts, err error) {
	defer func() {
		// No source is known to do this. Should one, it must end in a denial
		// and not take the process along.
		if r := recover(); r != nil {
			facts, err = Facts{}, fmt.Errorf("analyzing source: %v", r)
		}
	}()
	lang := a.languages[src.language]
	if lang == nil {
		return Facts{}, fmt.Errorf("analyzing source: no language %q", src.language)
	}
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	c := newCollector(a.limits)
	parse := func(text string) (*tree, *Problem) { return lang.grammar.parse(ctx, text, a.limits) }
	t, problem := parse(src.text)
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	if problem != nil {
		c.problem(problem.Code, problem.Message, problem.Span)
		return c.facts(src), nil
	}
	c.lines = t.lines
	t.reportErrors(c)
	lang.walk(&walk{collector: c, tree: t, source: src, limits: a.limits, parse: parse})
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	return c.facts(src), nil
}
