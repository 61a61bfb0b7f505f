package analyze

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	sitter "github.com/smacker/go-tree-sitter"
)

// Codes of a Problem in Facts.Syntax that are common to all languages.
const (
	ProblemSyntax  = "syntax"        // the parser could not read this
	ProblemMissing = "missing"       // the parser had to invent a token here
	ProblemUnknown = "unknown-node"  // the grammar knows something that the analysis does not
	ProblemNodes   = "limit-nodes"   // too many syntax nodes
	ProblemDepth   = "limit-depth"   // nested too deeply
	ProblemTime    = "limit-time"    // parsing took too long
	ProblemFacts   = "limit-facts"   // too many facts
	ProblemName    = "limit-name"    // too long a name
	ProblemSteps   = "limit-steps"   // too much to resolve
	ProblemNesting = "limit-nesting" // code in strings in strings
	ProblemHidden  = "hidden"        // text that is in no token
	ProblemIndent  = "indentation"   // parsers disagree about this indentation
)

// kind and field say what a node is and which part of its parent. Each
// language has its own constants; zero is a kind or field it does not name.
type (
	Kind  uint16
	Field uint16
)

// Grammar is a tree-sitter grammar with its node types and field names as
// small integers, and a pool of parsers for it.
type Grammar struct {
	language *sitter.Language
	kinds    []Kind   // by tree-sitter symbol
	fields   []Field  // by tree-sitter field id
	shares   []uint16 // by Field: the bit of node.below that is its
	parsers  *sync.Pool
}

// NewGrammar numbers the node types and field names of lang: kinds[k] is the
// name of kind k, with a quote before the name of an anonymous token ("'print"
// is the word, "print" would be a named node).
func NewGrammar(lang *sitter.Language, kinds, fields []string) *Grammar {
	g := &Grammar{language: lang, fields: []Field{0}}
	byName := make(map[string]Kind, len(kinds))
	for k, name := range kinds {
		if name != "" {
			byName[name] = Kind(k)
		}
	}
	for s := range lang.SymbolCount() {
		name := lang.SymbolName(sitter.Symbol(s))
		if lang.SymbolType(sitter.Symbol(s)) == sitter.SymbolTypeAnonymous {
			name = "'" + name
		}
		g.kinds = append(g.kinds, byName[name])
	}
	fieldByName := make(map[string]Field, len(fields))
	for f, name := range fields {
		if name != "" {
			fieldByName[name] = Field(f)
		}
	}
	g.shares = make([]uint16, max(len(fields), 1))
	for id := 1; lang.FieldName(id) != ""; id++ {
		f := fieldByName[lang.FieldName(id)]
		g.fields = append(g.fields, f)
		g.shares[f] = 1 << (id & 15)
	}
	g.parsers = &sync.Pool{New: func() any {
		p := sitter.NewParser()
		p.SetLanguage(lang)
		return p
	}}
	return g
}

// HasKind and HasField tell whether the grammar has the node type of kind k and
// the field f, for tests of a language's names.
func (g *Grammar) HasKind(k Kind) bool   { return slices.Contains(g.kinds, k) }
func (g *Grammar) HasField(f Field) bool { return slices.Contains(g.fields, f) }

// parse parses text within the limits. It returns a tree, or the problem that
// there is none.
func (g *Grammar) parse(ctx context.Context, text string, lim Limits) (*Tree, *Problem) {
	limit := lim.Parse
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(min(limit, time.Until(deadline)), time.Millisecond)
	}
	p := g.parsers.Get().(*sitter.Parser)
	defer g.parsers.Put(p)
	// The limit, not the context, stops the parser: the binding watches a
	// context with a goroutine that may still cancel the parser's next run.
	p.SetOperationLimit(int(limit.Microseconds()))
	var st *sitter.Tree
	var err error
	deep(func() {
		if st, err = p.ParseCtx(context.Background(), nil, []byte(text)); err != nil {
			p.Reset()
		}
	})
	if err != nil {
		return nil, &Problem{Code: ProblemTime, Message: fmt.Sprintf("parsing took longer than %v", limit.Round(time.Millisecond))}
	}
	defer st.Close()
	return g.flatten(st, text, lim)
}

// flatten copies a parsed tree out of tree-sitter's memory.
func (g *Grammar) flatten(st *sitter.Tree, text string, lim Limits) (*Tree, *Problem) {
	nodes, problem := flatten(st.RootNode(), lim.Nodes, lim.Depth)
	switch problem {
	case flattenTooDeep:
		return nil, &Problem{Code: ProblemDepth, Message: fmt.Sprintf("the code is nested more than %d levels deep", lim.Depth)}
	case flattenTooMany:
		return nil, &Problem{Code: ProblemNodes, Message: fmt.Sprintf("the code has more than %d syntax nodes", lim.Nodes)}
	}
	t := &Tree{grammar: g, kinds: g.kinds, shares: g.shares, Text: text, nodes: nodes, lines: newLines(text)}
	for i := range nodes {
		if nodes[i].end-nodes[i].start > MaxName && t.First(i) == NoNode && strings.HasSuffix(g.language.SymbolName(sitter.Symbol(nodes[i].symbol)), "identifier") {
			return nil, &Problem{Code: ProblemName, Message: fmt.Sprintf("a name is longer than %d bytes", MaxName), Span: t.Span(i)}
		}
	}
	return t, nil
}

// Tree is a syntax tree as a slice of nodes in preorder. A node is named by
// its index; the root is 0 and NoNode is none.
type Tree struct {
	grammar *Grammar
	kinds   []Kind   // of the grammar
	shares  []uint16 // and these
	Text    string
	nodes   []node
	lines   lines
}

// NoNode is the index of no node.
const NoNode = -1

// What there is to know about node i. Source is its text; Named is false for
// punctuation and key words.
func (t *Tree) Field(i int) Field   { return t.grammar.fields[t.nodes[i].field] }
func (t *Tree) Start(i int) int     { return int(t.nodes[i].start) }
func (t *Tree) End(i int) int       { return int(t.nodes[i].end) }
func (t *Tree) Parent(i int) int    { return int(t.nodes[i].parent) }
func (t *Tree) Source(i int) string { return t.Text[t.nodes[i].start:t.nodes[i].end] }
func (t *Tree) Named(i int) bool    { return t.nodes[i].flags&flagNamed != 0 }

// Extra is true for what may stand anywhere: a comment.
func (t *Tree) Extra(i int) bool { return t.nodes[i].flags&flagExtra != 0 }

// IsError is true for a node that the parser could not read, Broken also for
// one that it had to invent.
func (t *Tree) IsError(i int) bool { return t.nodes[i].flags&flagError != 0 }
func (t *Tree) Broken(i int) bool  { return t.nodes[i].flags&(flagError|flagMissing) != 0 }

// IsWhole tells whether the parser could read all of the text.
func (t *Tree) IsWhole() bool {
	return !slices.ContainsFunc(t.nodes, func(n node) bool { return n.flags&(flagError|flagMissing) != 0 })
}

// IsEnd is true for the token that stands for the end of the text.
func (t *Tree) IsEnd(i int) bool { return t.nodes[i].symbol == 0 }

// Len returns the number of nodes, After the index behind node i and
// everything in it.
func (t *Tree) Len() int        { return len(t.nodes) }
func (t *Tree) After(i int) int { return int(t.nodes[i].next) }

// Kind returns what node i is; an ERROR node has no kind.
func (t *Tree) Kind(i int) Kind {
	if s := int(t.nodes[i].symbol); s < len(t.kinds) {
		return t.kinds[s]
	}
	return 0
}

// First returns the first child of i, or NoNode.
func (t *Tree) First(i int) int {
	if c := i + 1; c < int(t.nodes[i].next) {
		return c
	}
	return NoNode
}

// Next returns the sibling after i, or NoNode.
func (t *Tree) Next(i int) int {
	n := int(t.nodes[i].next)
	if n < len(t.nodes) && t.nodes[n].parent == t.nodes[i].parent {
		return n
	}
	return NoNode
}

// FirstNamed and NextNamed are First and Next without punctuation and comments.
func (t *Tree) FirstNamed(i int) int { return t.skip(t.First(i)) }
func (t *Tree) NextNamed(i int) int  { return t.skip(t.Next(i)) }

func (t *Tree) skip(i int) int {
	for i != NoNode && t.nodes[i].flags&(flagNamed|flagExtra) != flagNamed {
		i = t.Next(i)
	}
	return i
}

// Child returns the first child of i in field f, or NoNode. It goes through the children
// only where there may be one: a list of very many has no fields.
func (t *Tree) Child(i int, f Field) int {
	if uint16(t.nodes[i].below)&t.shares[f] == 0 {
		return NoNode
	}
	for c := t.First(i); c != NoNode; c = t.Next(c) {
		if t.Field(c) == f {
			return c
		}
	}
	return NoNode
}

// Bare returns what stands at i without the brackets around it, which are nodes of kind k, Bracketed
// the outermost pair that is around i, or i.
func (t *Tree) Bare(i int, k Kind) int {
	for i != NoNode && t.Kind(i) == k {
		i = t.FirstNamed(i)
	}
	return i
}

func (t *Tree) Bracketed(i int, k Kind) int {
	for p := t.Parent(i); p != NoNode && t.Kind(p) == k; p = t.Parent(i) {
		i = p
	}
	return i
}

// Span places node i, Between a piece of the text given by its bytes.
func (t *Tree) Span(i int) Span             { return t.lines.span(t.Start(i), t.End(i)) }
func (t *Tree) Between(start, end int) Span { return t.lines.span(start, end) }

// LineStart returns the offset at which the line of offset starts.
func (t *Tree) LineStart(offset int) int { return t.lines.lineStart(offset) }

// reportErrors reports every outermost ERROR and MISSING node, and node types
// that the language does not know.
func (t *Tree) reportErrors(c *Collector) { t.report(c, true) }

// reportMistakes is reportErrors for a language of which not every kind of node
// has a number.
func (t *Tree) reportMistakes(c *Collector) { t.report(c, false) }

func (t *Tree) report(c *Collector, known bool) {
	for i := 0; i < len(t.nodes); i++ {
		switch n := &t.nodes[i]; {
		case n.flags&flagError != 0:
			c.Problem(ProblemSyntax, "this is not valid here", t.Span(i))
			i = int(n.next) - 1
		case n.flags&flagMissing != 0:
			name := t.grammar.language.SymbolName(sitter.Symbol(n.symbol))
			c.Problem(ProblemMissing, fmt.Sprintf("%q is missing here", strings.TrimPrefix(name, "_")), t.Span(i))
		case known && n.flags&flagNamed != 0 && t.Kind(i) == 0:
			c.Problem(ProblemUnknown, fmt.Sprintf("%q is not understood", t.grammar.language.SymbolName(sitter.Symbol(n.symbol))), t.Span(i))
		}
	}
}

// lines turns byte offsets of a text into lines and columns.
type lines struct {
	text   string
	starts []int
	runes  []int // code points before every block of bytes; nil for ASCII
}

const runeBlock = 64

func newLines(text string) lines {
	l := lines{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	ascii := true
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			l.starts = append(l.starts, i+1)
		case text[i] >= utf8.RuneSelf:
			ascii = false
		}
	}
	if ascii {
		return l
	}
	for i, n := 0, 0; i <= len(text); i += runeBlock {
		l.runes = append(l.runes, n)
		n += runeStarts(text[i:min(i+runeBlock, len(text))])
	}
	return l
}

// runeStarts counts the code points that start in s.
func runeStarts(s string) (n int) {
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

func (l lines) span(start, end int) Span {
	var s Span
	s.Line, s.Column = l.position(start)
	s.EndLine, s.EndColumn = l.position(end)
	return s
}

func (l lines) position(offset int) (line, column int) {
	line = sort.SearchInts(l.starts, offset+1)
	return line, l.before(offset) - l.before(l.starts[line-1]) + 1
}

// lineStart returns the offset at which the line of offset starts.
func (l lines) lineStart(offset int) int { return l.starts[sort.SearchInts(l.starts, offset+1)-1] }

// before returns the number of code points before a byte offset.
func (l lines) before(offset int) int {
	if l.runes == nil {
		return offset
	}
	block := offset / runeBlock
	return l.runes[block] + runeStarts(l.text[block*runeBlock:offset])
}

// count returns the number of lines, not counting an empty one at the end.
func (l lines) count() int {
	if n := len(l.starts); l.starts[n-1] == len(l.text) {
		return n - 1
	}
	return len(l.starts)
}
