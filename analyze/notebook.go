package analyze

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// MaxNotebookBytes bounds a notebook, whose outputs may be pictures. What its
// cells come to is bounded as every source is.
const MaxNotebookBytes = 32 << 20

// RefusedNotebook is the code of a notebook that cannot be read, or of which no
// program is made.
const RefusedNotebook = "notebook"

// NotebookCell is a cell of code.
type NotebookCell struct {
	Number  int          // among all cells, from 1
	Written string       // as it stands in the notebook
	Text    string       // as the language has it, line by line
	Changed map[int]bool // lines, from 1, that Text has in other words
}

// notebook is where the text of a Source came from. It is never written to.
type notebook struct {
	cells []NotebookCell
	lines []int // of the Source before each cell
}

// join makes one Source of the cells of a notebook. Each is canonical by itself,
// and none goes on in the next one: see Cells.
func (a *Analyzer) join(r *Reader, raw []byte) (Source, error) {
	if len(raw) > MaxNotebookBytes {
		return Source{}, &Refusal{Code: RefusedSize, Message: fmt.Sprintf("the notebook is larger than %d bytes", MaxNotebookBytes)}
	}
	lang, cells, refusal := r.Cells(raw)
	if refusal != nil {
		return Source{}, refusal
	}
	var text strings.Builder
	var starts []int
	n, line := &notebook{}, 0
	for _, c := range cells {
		if strings.TrimSpace(c.Text) == "" {
			continue
		}
		src, err := a.Canonical(lang, Script, []byte(c.Text))
		if err != nil {
			return Source{}, inCell(c, err)
		}
		one := strings.TrimRight(src.text, "\n") + "\n"
		if text.Len()+len(one) > MaxSourceBytes {
			return Source{}, &Refusal{Code: RefusedSize, Message: fmt.Sprintf("the cells of the notebook together are larger than %d bytes", MaxSourceBytes)}
		}
		starts = append(starts, text.Len())
		n.cells, n.lines = append(n.cells, c), append(n.lines, line)
		text.WriteString(one)
		line += strings.Count(one, "\n")
	}
	if text.Len() == 0 {
		return Source{}, &Refusal{Code: RefusedEmpty, Message: "the notebook has no code"}
	}
	src := newSource(lang, Script, text.String())
	src.cells, src.notebook = &starts, n
	src.original = digest(string(raw))
	return src, nil
}

func inCell(c NotebookCell, err error) error {
	r, ok := err.(*Refusal)
	if !ok {
		return err
	}
	in := *r
	in.Cell = c.Number
	return &in
}

// Place says where something of a notebook was written: in which cell, and where
// in that. The cell is 0 for what is no notebook.
func (s Source) Place(at Span) (cell int, in Span) {
	if s.notebook == nil || at.Line == 0 {
		return 0, at
	}
	i := max(sort.SearchInts(s.notebook.lines, at.Line)-1, 0)
	c, before := s.notebook.cells[i], s.notebook.lines[i]
	in = Span{at.Line - before, at.Column, at.EndLine - before, at.EndColumn}
	if c.Changed[in.Line] {
		line := lineOf(c.Written, in.Line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		in = Span{in.Line, 1 + indent, in.Line, 1 + utf8.RuneCountInString(strings.TrimRight(line, " \t"))}
	}
	return c.Number, in
}

func lineOf(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	if n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

// FromNotebook says whether the source is what the cells of a notebook come to.
func (s Source) FromNotebook() bool { return s.notebook != nil }

// Written returns the cells of a notebook by their numbers, as they stand in it,
// nil for what is no notebook. Index 0 is nobody's.
func (s Source) Written() []string {
	if s.notebook == nil {
		return nil
	}
	cells := s.notebook.cells
	out := make([]string, cells[len(cells)-1].Number+1)
	for _, c := range cells {
		out[c.Number] = c.Written
	}
	return out
}

// cellAt is where the cell begins and ends that an offset is in.
func (s Source) cellAt(offset int) (from, to int) {
	starts := s.Cells()
	i := sort.SearchInts(starts, offset+1)
	from, to = 0, len(s.text)
	if i > 0 {
		from = starts[i-1]
	}
	if i < len(starts) {
		to = starts[i]
	}
	return from, to
}
