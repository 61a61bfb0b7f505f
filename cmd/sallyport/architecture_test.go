package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/internal/golden"
)

// TestArchitecture holds that the graph of imports in docs/architecture.md is
// the one that the code has.
func TestArchitecture(t *testing.T) {
	const begin, end = "```imports\n", "```\n"
	file := filepath.Join("..", "..", "docs", "architecture.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s shows no graph of imports", file)
	}
	golden.Hold(t, file, before+begin+importGraph(t)+end+after)
}

// importGraph is a line for each package that is no test's: what it imports of
// ours.
func importGraph(t *testing.T) string {
	t.Helper()
	graph := map[string]map[string]bool{}
	skip := func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test") || strings.HasPrefix(file, "examples/") || strings.HasPrefix(file, "test/")
	}
	for file := range allImports(t, "../..") {
		if !skip(file) {
			graph[path.Dir(file)] = map[string]bool{}
		}
	}
	for file, imports := range ourImports(t, "../..") {
		for _, imp := range imports {
			if !skip(file) {
				graph[path.Dir(file)][imp] = true
			}
		}
	}
	var b strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(graph)) {
		what := strings.Join(slices.Sorted(maps.Keys(graph[pkg])), " ")
		if what == "" {
			what = "-"
		}
		fmt.Fprintf(&b, "%-20s %s\n", pkg, what)
	}
	return b.String()
}
