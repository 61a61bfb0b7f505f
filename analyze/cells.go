package analyze

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// ProblemSeam is the code of a cell that an earlier one would run into.
const ProblemSeam = "seam"

// Cell makes raw the next cell of an interpreter session: a program that runs
// in the interpreter that has run the cells of earlier, in their order. It
// returns the cell by itself, and all of them as the one source that has to be
// judged before the cell runs: what a name stands for may have been said in
// any cell. Earlier is the joined source of the accepted cells, zero for none.
//
// Both are scripts. A line end is added to a cell that has none, and an empty
// statement to one in JavaScript, so that no cell goes on in the next one. Any
// cell may have stopped half-way: the analysis counts on no binding of
// another one. A JavaScript cell runs at the top of a script and may wait: its
// this is the global object, and what it declares may be found there.
//
// The error is a *Refusal, also when the cells are too large together.
func (a *Analyzer) Cell(earlier Source, lang Language, raw []byte) (cell, joined Source, err error) {
	if earlier.text != "" && earlier.language != lang.Runs() {
		return Source{}, Source{}, &Refusal{Code: RefusedLanguage, Message: fmt.Sprintf("the cells before are %s", earlier.language)}
	}
	src, err := a.Canonical(lang, Script, raw)
	if err != nil {
		return Source{}, Source{}, err
	}
	text := strings.TrimRight(src.text, "\n") + "\n"
	if src.language == JavaScript {
		text += ";\n"
	}
	if len(earlier.text)+len(text) > MaxSourceBytes {
		return Source{}, Source{}, &Refusal{Code: RefusedSize, Message: fmt.Sprintf("the cells of the session together are larger than %d bytes", MaxSourceBytes)}
	}
	cell = newSource(src.language, Script, text)
	cell.cells, cell.original = &[]int{0}, src.original
	joined = newSource(src.language, Script, earlier.text+text)
	joined.original = src.original
	starts := append(earlier.Cells(), len(earlier.text))
	joined.cells = &starts
	return cell, joined, nil
}

// Cells returns where the cells of a session or a notebook begin in Text, nil for
// a program that has none.
func (s Source) Cells() []int {
	if s.cells == nil {
		return nil
	}
	return slices.Clone(*s.cells)
}

// checkSeams reports a cell that the parser reads as going on in the next one:
// the interpreter reads each by itself.
func (t *Tree) checkSeams(c *Collector, cells []int) {
	for i := t.First(0); i != NoNode; i = t.Next(i) {
		k := sort.SearchInts(cells, t.Start(i)+1) // the first cell that begins behind the node's start
		if k == len(cells) || t.End(i) <= cells[k] {
			continue
		}
		for n := i; n < t.After(i); n++ {
			leaf := t.After(n) == n+1 && t.End(n) > t.Start(n)
			if leaf && t.End(n) > cells[k] && !t.Extra(n) && strings.TrimSpace(t.Source(n)) != "" {
				c.Problem(ProblemSeam, "the end of the cell before would change how this is read", t.Span(n))
				return
			}
		}
	}
}

// SameCell is true when nothing of another cell lies between two offsets. In a
// program without cells it is always true.
func (s Source) SameCell(a, b int) bool {
	return s.cells == nil || sort.SearchInts(*s.cells, a+1) == sort.SearchInts(*s.cells, b+1)
}
