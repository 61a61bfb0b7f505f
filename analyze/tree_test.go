package analyze

import (
	"context"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	treepython "github.com/smacker/go-tree-sitter/python"
)

// TestNodeLayout fails when the binding's Node no longer starts with its
// TSNode, or when the flattened tree differs from what the binding says.
func TestNodeLayout(t *testing.T) {
	src := []byte("import os as o\nfor i in range(3):\n    o.system(f'{i}')\n")
	p := sitter.NewParser()
	p.SetLanguage(treepython.GetLanguage())
	tree, err := p.ParseCtx(context.Background(), nil, src)
	if err != nil {
		t.Fatal(err)
	}
	nodes, problem := flatten(tree.RootNode(), 1000, 100)
	if problem != 0 {
		t.Fatalf("flatten = %d", problem)
	}
	i, n := 0, len(nodes)
	var walk func(w *sitter.Node, parent int)
	walk = func(w *sitter.Node, parent int) {
		if i >= n {
			t.Fatalf("flatten gave %d nodes, the binding has more", n)
		}
		got, self := nodes[i], i
		if uint32(got.start) != w.StartByte() || uint32(got.end) != w.EndByte() || uint16(got.symbol) != uint16(w.Symbol()) || int(got.parent) != parent {
			t.Fatalf("node %d: got %+v, want %s %d-%d under %d", i, got, w.Type(), w.StartByte(), w.EndByte(), parent)
		}
		i++
		for c := 0; c < int(w.ChildCount()); c++ {
			walk(w.Child(c), self)
		}
		if int(nodes[self].next) != i {
			t.Fatalf("node %d: next is %d, want %d", self, nodes[self].next, i)
		}
	}
	walk(tree.RootNode(), -1)
	if i != n {
		t.Fatalf("flatten gave %d nodes, the binding has %d", n, i)
	}
	if _, got := flatten(tree.RootNode(), 10, 100); got != flattenTooMany {
		t.Errorf("flatten into 10 nodes = %d, want %d", got, flattenTooMany)
	}
	if _, got := flatten(tree.RootNode(), 1000, 3); got != flattenTooDeep {
		t.Errorf("flatten to depth 3 = %d, want %d", got, flattenTooDeep)
	}
}

func TestColumnsCountCodePoints(t *testing.T) {
	text := strings.Repeat("é", 100) + "\n日本x"
	if got, want := newLines(text).span(len(text)-1, len(text)), (Span{2, 3, 2, 4}); got != want {
		t.Errorf("span %v, want %v", got, want)
	}
	if _, column := newLines(text).position(198); column != 100 {
		t.Errorf("column %d, want 100", column)
	}
}
