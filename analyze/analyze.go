// Package analyze turns untrusted Python and JavaScript into facts that a
// policy can judge. It never runs the source and never trusts it: input is
// bounded before it is read, and what cannot be understood is refused or
// reported, never skipped.
//
// The way of a source is Canonical, then Facts:
//
//	a := analyze.New(python.Reader(), javascript.Reader())
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
	readers map[Language]*Reader
	limits  Limits

	// Hung, when not nil, is called when the reading of a source goes on long after it was
	// given up.
	Hung func()
}

// Reader is the seam between the core and a language, which is a package below
// this one: the core bounds, parses, flattens and collects, the reader reads
// the tree. It is immutable once made.
type Reader struct {
	Language Language
	Grammar  *Grammar

	// Canonical refuses what the language's own rules make ambiguous and
	// normalises what they make equal. The core has already checked that text
	// is bounded UTF-8 without control characters, bidirectional controls or
	// lone carriage returns, and with "\n" line ends and no byte order mark.
	// The goal is the caller's and may be "".
	Canonical func(goal Goal, text string) (string, Goal, *Refusal)

	// Regroup mends a tree where the grammar groups otherwise than the language. Nil leaves it as it is.
	Regroup func(t *Tree)

	// Walk reads the tree into the collector. It reports what it cannot read
	// with Collector.Problem and never panics on any tree, also one with ERROR
	// and MISSING nodes, which the core has reported by then.
	Walk func(w *Walk)

	// Misread returns the signs for which the grammar reads a text otherwise than the language:
	// with a sign of a name in the place of each it reads as the language does. Nil finds none.
	Misread func(t *Tree) []int

	// Erase makes JavaScript of a tree without mistakes. Nil leaves a text as it
	// is; a reader that has it has no Walk.
	Erase func(t *Tree) (string, *Refusal)

	// Cells reads the cells of a notebook, and makes the language of them that
	// they are run in. A reader that has it has neither Canonical nor Walk.
	Cells func(raw []byte) (Language, []NotebookCell, *Refusal)

	// Explain names the likely cause of a text that the grammar could not read,
	// from an offset on; nil when it sees none.
	Explain func(text string, from int) *Cause
}

// Cause is why a text is no program, and where: by bytes, End exclusive.
type Cause struct {
	Start, End int
	Message    string
}

// Walk is one reading of one tree: what a language's walk function gets.
type Walk struct {
	*Collector
	Tree   *Tree
	Source Source
	Limits Limits

	// Parse parses text that the program itself would parse as code: the
	// argument of eval, say. The caller bounds the nesting.
	Parse func(text string) (*Tree, *Problem)
}

// New returns an Analyzer of the languages that the readers read.
func New(readers ...*Reader) *Analyzer { return NewLimited(DefaultLimits(), readers...) }

// NewLimited is New with limits of the caller's.
func NewLimited(lim Limits, readers ...*Reader) *Analyzer {
	a := &Analyzer{readers: map[Language]*Reader{}, limits: lim}
	for _, r := range readers {
		a.readers[r.Language] = r
	}
	return a
}

// Facts reads a source into facts. Everything about the source itself, also
// that it is no program at all, is in the facts, with Complete false and the
// reason in Syntax. The error is non-nil only when ctx is done or the
// analysis itself is broken; the facts are then worthless.
func (a *Analyzer) Facts(ctx context.Context, src Source) (Facts, error) {
	return a.watched(ctx, src, func() (Facts, error) { return a.read(ctx, src) })
}

func (a *Analyzer) read(ctx context.Context, src Source) (facts Facts, err error) {
	defer func() {
		// No source is known to do this. Should one, it must end in a denial
		// and not take the process along.
		if r := recover(); r != nil {
			facts, err = Facts{}, fmt.Errorf("analyzing source: %v", r)
		}
	}()
	r := a.readers[src.language]
	if r == nil {
		return Facts{}, fmt.Errorf("analyzing source: no language %q", src.language)
	}
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	c := newCollector(a.limits)
	parse := func(text string) (*Tree, *Problem) { return a.parse(ctx, r, text) }
	t, problem := parse(src.text)
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	if problem != nil {
		c.Problem(problem.Code, problem.Message, problem.Span)
		return c.facts(src), nil
	}
	c.lines = t.lines
	t.reportErrors(c)
	t.checkSeams(c, src.Cells())
	r.Walk(&Walk{Collector: c, Tree: t, Source: src, Limits: a.limits, Parse: parse})
	c.explain(t, src, r.Explain)
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	return c.facts(src), nil
}

// maxReadings bounds how often a text is parsed. A type that is a function's, within a
// function's, takes one more for each, and so does a format within a format.
const maxReadings = 8

// parse parses a text: with other signs, once more, where it was misread.
func (a *Analyzer) parse(ctx context.Context, r *Reader, text string) (*Tree, *Problem) {
	reading := text
	for range maxReadings {
		t, problem := r.Grammar.parse(ctx, reading, a.limits)
		if problem != nil {
			return nil, problem
		}
		var signs []int
		if r.Misread != nil {
			signs = r.Misread(t)
		}
		if len(signs) == 0 {
			t.Text = text
			if r.Regroup != nil {
				r.Regroup(t)
			}
			return t, nil
		}
		other := []byte(reading)
		for _, at := range signs {
			other[at] = '_'
		}
		reading = string(other)
	}
	return nil, &Problem{Code: ProblemDepth, Message: "this is nested too deep to be read: write a name for a part of it"}
}
