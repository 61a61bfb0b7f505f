package analyze

import (
	"context"
	"fmt"
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
	ProblemSteps   = "limit-steps"   // too much to resolve
	ProblemNesting = "limit-nesting" // code in strings in strings
	ProblemHidden  = "hidden"        // text that is in no token
	ProblemIndent  = "indentation"   // parsers disagree about this indentation
)

// kind and field say what a node is and which part of its parent. Each
// language has its own constants; zero is a kind or field it does not name.
type (
	kind  uint16
	field uint16
)

// grammar is a tree-sitter grammar with its node types and field names as
// small integers, and a pool of parsers for it.
type grammar struct {
	language *sitter.Language
	kinds    []kind  // by tree-sitter symbol
	fields   []field // by tree-sitter field id
	parsers  *sync.Pool
}

// parser is a tree-sitter parser with the buffer its trees are flattened into.
type parser struct {
	sitter *sitter.Parser
	buf    []node
}

// newGrammar numbers the node types and field names of lang: kinds[k] is the
// name of kind k, with a quote before the name of an anonymous token ("'print"
// is the word, "print" would be a named node).
func newGrammar(lang *sitter.Language, kinds, fields []string) *grammar {
	g := &grammar{language: lang, fields: []field{0}}
	byName := make(map[string]kind, len(kinds))
	for k, name := range kinds {
		if name != "" {
			byName[name] = kind(k)
		}
	}
	for s := range lang.SymbolCount() {
		name := lang.SymbolName(sitter.Symbol(s))
		if lang.SymbolType(sitter.Symbol(s)) == sitter.SymbolTypeAnonymous {
			name = "'" + name
		}
		g.kinds = append(g.kinds, byName[name])
	}
	fieldByName := make(map[string]field, len(fields))
	for f, name := range fields {
		if name != "" {
			fieldByName[name] = field(f)
		}
	}
	for id := 1; lang.FieldName(id) != ""; id++ {
		g.fields = append(g.fields, fieldByName[lang.FieldName(id)])
	}
	g.parsers = &sync.Pool{New: func() any {
		p := sitter.NewParser()
		p.SetLanguage(lang)
		return &parser{sitter: p}
	}}
	return g
}

// parse parses text within the limits. It returns a tree, or the problem that
// there is none.
func (g *grammar) parse(ctx context.Context, text string, lim limits) (*tree, *Problem) {
	limit := lim.parse
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(min(limit, time.Until(deadline)), time.Millisecond)
	}
	p := g.parsers.Get().(*parser)
	defer g.parsers.Put(p)
	// The limit, not the context, stops the parser: the binding watches a
	// context with a goroutine that may still cancel the parser's next run.
	p.sitter.SetOperationLimit(int(limit.Microseconds()))
	st, err := p.sitter.ParseCtx(context.Background(), nil, []byte(text))
	if err != nil {
		p.sitter.Reset()
		return nil, &Problem{Code: ProblemTime, Message: fmt.Sprintf("parsing took longer than %v", limit.Round(time.Millisecond))}
	}
	defer st.Close()
	return g.flatten(p, st, text, lim)
}

// flatten copies a parsed tree out of tree-sitter's memory.
func (g *grammar) flatten(p *parser, st *sitter.Tree, text string, lim limits) (*tree, *Problem) {
	size := max(len(p.buf), min(256+len(text)/2, lim.nodes))
	for {
		if len(p.buf) < size {
			p.buf = make([]node, size)
		}
		switch n := flatten(st.RootNode(), p.buf, lim.depth); {
		case n == flattenTooDeep:
			return nil, &Problem{Code: ProblemDepth, Message: fmt.Sprintf("the code is nested more than %d levels deep", lim.depth)}
		case n == flattenTooMany && size >= lim.nodes:
			return nil, &Problem{Code: ProblemNodes, Message: fmt.Sprintf("the code has more than %d syntax nodes", lim.nodes)}
		case n == flattenTooMany:
			size = min(2*size, lim.nodes)
		default:
			t := &tree{grammar: g, text: text, nodes: make([]node, n), lines: newLines(text)}
			copy(t.nodes, p.buf[:n])
			if len(p.buf) > 1<<18 {
				p.buf = nil // one huge source must not pin memory
			}
			return t, nil
		}
	}
}

// tree is a syntax tree as a slice of nodes in preorder. A node is named by
// its index; the root is 0 and noNode is none.
type tree struct {
	grammar *grammar
	text    string
	nodes   []node
	lines   lines
}

const noNode = -1

func (t *tree) field(i int) field   { return t.grammar.fields[t.nodes[i].field] }
func (t *tree) start(i int) int     { return int(t.nodes[i].start) }
func (t *tree) end(i int) int       { return int(t.nodes[i].end) }
func (t *tree) parent(i int) int    { return int(t.nodes[i].parent) }
func (t *tree) source(i int) string { return t.text[t.nodes[i].start:t.nodes[i].end] }
func (t *tree) named(i int) bool    { return t.nodes[i].flags&flagNamed != 0 }

// kind returns what node i is; an ERROR node has no kind.
func (t *tree) kind(i int) kind {
	if s := int(t.nodes[i].symbol); s < len(t.grammar.kinds) {
		return t.grammar.kinds[s]
	}
	return 0
}

// first returns the first child of i, or noNode.
func (t *tree) first(i int) int {
	if c := i + 1; c < int(t.nodes[i].next) {
		return c
	}
	return noNode
}

// next returns the sibling after i, or noNode.
func (t *tree) next(i int) int {
	n := int(t.nodes[i].next)
	if n < len(t.nodes) && t.nodes[n].parent == t.nodes[i].parent {
		return n
	}
	return noNode
}

// firstNamed and nextNamed are first and next without punctuation and comments.
func (t *tree) firstNamed(i int) int { return t.skip(t.first(i)) }
func (t *tree) nextNamed(i int) int  { return t.skip(t.next(i)) }

func (t *tree) skip(i int) int {
	for i != noNode && t.nodes[i].flags&(flagNamed|flagExtra) != flagNamed {
		i = t.next(i)
	}
	return i
}

// child returns the first child of i in field f, or noNode.
func (t *tree) child(i int, f field) int {
	for c := t.first(i); c != noNode; c = t.next(c) {
		if t.field(c) == f {
			return c
		}
	}
	return noNode
}

// span places node i.
func (t *tree) span(i int) Span { return t.lines.span(t.start(i), t.end(i)) }

// reportErrors reports every outermost ERROR and MISSING node, and node types
// that the language does not know.
func (t *tree) reportErrors(c *collector) {
	for i := 0; i < len(t.nodes); i++ {
		switch n := &t.nodes[i]; {
		case n.flags&flagError != 0:
			c.problem(ProblemSyntax, "this is not valid here", t.span(i))
			i = int(n.next) - 1
		case n.flags&flagMissing != 0:
			name := t.grammar.language.SymbolName(sitter.Symbol(n.symbol))
			c.problem(ProblemMissing, fmt.Sprintf("%q is missing here", strings.TrimPrefix(name, "_")), t.span(i))
		case n.flags&flagNamed != 0 && t.kind(i) == 0:
			c.problem(ProblemUnknown, fmt.Sprintf("%q is not understood", t.grammar.language.SymbolName(sitter.Symbol(n.symbol))), t.span(i))
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
