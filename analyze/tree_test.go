package analyze_test

import (
	"context"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	treepython "github.com/smacker/go-tree-sitter/python"

	"sallyport/analyze"
	"sallyport/analyze/python"
)

// read is the tree of a Python text within the limits, or why there is none. Its kinds
// are the places of names in kinds.
func read(t *testing.T, text string, limits analyze.Limits, kinds []string) (*analyze.Tree, []analyze.Problem) {
	t.Helper()
	var tree *analyze.Tree
	reader := *python.Reader()
	reader.Grammar, reader.Regroup = analyze.NewGrammar(treepython.GetLanguage(), kinds, nil), nil
	reader.Walk = func(w *analyze.Walk) { tree = w.Tree }
	a := analyze.NewLimited(limits, &reader)
	src, err := a.Canonical(analyze.Python, "", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := a.Facts(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return tree, facts.Syntax
}

// TestNodeLayout fails when the binding's Node no longer starts with its
// TSNode, or when the flattened tree differs from what the binding says.
func TestNodeLayout(t *testing.T) {
	t.Parallel()
	text := "import os as o\nfor i in range(3):\n    o.system(f'{i}')\n"
	language := treepython.GetLanguage()
	kinds := []string{""}
	for s := range language.SymbolCount() {
		name := language.SymbolName(sitter.Symbol(s))
		if language.SymbolType(sitter.Symbol(s)) == sitter.SymbolTypeAnonymous {
			name = "'" + name
		}
		kinds = append(kinds, name)
	}
	p := sitter.NewParser()
	p.SetLanguage(language)
	want, err := p.ParseCtx(context.Background(), nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got, problems := read(t, text, analyze.DefaultLimits(), kinds)
	if got == nil {
		t.Fatal(problems)
	}
	i := 0
	var walk func(w *sitter.Node, parent int)
	walk = func(w *sitter.Node, parent int) {
		if i >= got.Len() {
			t.Fatalf("there are %d nodes, the binding has more", got.Len())
		}
		self, kind := i, w.Type()
		if !w.IsNamed() {
			kind = "'" + kind
		}
		if got.Start(i) != int(w.StartByte()) || got.End(i) != int(w.EndByte()) || kinds[got.Kind(i)] != kind || got.Parent(i) != parent {
			t.Fatalf("node %d is %s %d-%d under %d, want %s %d-%d under %d", i, kinds[got.Kind(i)], got.Start(i), got.End(i), got.Parent(i), kind, w.StartByte(), w.EndByte(), parent)
		}
		i++
		for c := range int(w.ChildCount()) {
			walk(w.Child(c), self)
		}
		if got.After(self) != i {
			t.Fatalf("what is in node %d ends before %d, want %d", self, got.After(self), i)
		}
	}
	walk(want.RootNode(), -1)
	if i != got.Len() {
		t.Fatalf("there are %d nodes, the binding has %d", got.Len(), i)
	}
	few, flat := analyze.DefaultLimits(), analyze.DefaultLimits()
	few.Nodes, flat.Depth = 10, 3
	if tree, problems := read(t, text, few, kinds); tree != nil || len(problems) != 1 || problems[0].Code != analyze.ProblemNodes {
		t.Errorf("into 10 nodes: %v", problems)
	}
	if tree, problems := read(t, text, flat, kinds); tree != nil || len(problems) != 1 || problems[0].Code != analyze.ProblemDepth {
		t.Errorf("to a depth of 3: %v", problems)
	}
}

func TestColumnsCountCodePoints(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", 100) + "\n日本x"
	tree, problems := read(t, text, analyze.DefaultLimits(), nil)
	if tree == nil {
		t.Fatal(problems)
	}
	if got, want := tree.Between(len(text)-1, len(text)), (analyze.Span{Line: 2, Column: 3, EndLine: 2, EndColumn: 4}); got != want {
		t.Errorf("span %v, want %v", got, want)
	}
	if got := tree.Between(198, 200); got.Column != 100 {
		t.Errorf("column %d, want 100", got.Column)
	}
}
