package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEmbeddingNamesTheSandbox holds that what package sandbox exports is what
// docs/embedding.md says of it, no more and no less: types, with their methods,
// functions and errors. A constant belongs to its type, and what makes an error of
// one goes without saying.
func TestEmbeddingNamesTheSandbox(t *testing.T) {
	page, err := os.ReadFile("../../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## What package sandbox has\n")
	if !found {
		t.Fatal("docs/embedding.md has no section on package sandbox")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var named []string
	for _, row := range regexp.MustCompile(`(?m)^\|([^|\n]*)\|`).FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, name[1])
		}
	}
	exported := exportedBy(t, "../../sandbox")
	for _, name := range exported {
		if !slices.Contains(named, name) {
			t.Errorf("sandbox.%s is not on the page: name it there, or do not export it", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(exported, name) {
			t.Errorf("the page names sandbox.%s, which is not exported", name)
		}
	}
}

// exportedBy returns what go doc lists of a package.
func exportedBy(t *testing.T, dir string) (names []string) {
	set := token.NewFileSet()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, dir+"/"+e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, "sallyport/sandbox")
	if err != nil {
		t.Fatal(err)
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					names = append(names, name)
				}
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	for _, f := range p.Funcs {
		names = append(names, f.Name)
	}
	for _, typ := range p.Types {
		names = append(names, typ.Name)
		for _, f := range typ.Funcs {
			names = append(names, f.Name)
		}
		for _, m := range typ.Methods {
			if !slices.Contains([]string{"Error", "Is", "Unwrap"}, m.Name) { // every error has them
				names = append(names, typ.Name+"."+m.Name)
			}
		}
	}
	return names
}
