package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNothingWeakensAControl holds that what a sandbox is made from comes of the
// code alone: no struct of a backend has a field for a function that somebody
// could set to another one. Tests that take a control away start a box
// themselves, from what the backend asks for but for that.
func TestNothingWeakensAControl(t *testing.T) {
	harmless := []string{
		"docker.Options.Progress", // hears how fetching goes
		"docker.owner.alive",      // says whether a process lives
		"docker.owner.now",        // says what time it is
		"gvisor.cgroups.mkdir",    // makes a group; one that is not there is found out
		"gvisor.output.emit",      // hears what the program prints
		"gvisor.output.flood",     // ends a program that prints too much
		"gvisor.watch.timers",     // end what waits for a time
	}
	var found []string
	for _, backend := range []string{"docker", "gvisor", "oci"} {
		found = append(found, functionFields(t, backend)...)
	}
	for _, f := range found {
		if !slices.Contains(harmless, f) {
			t.Errorf("%s is a function that somebody could replace, and with it a control", f)
		}
	}
	for _, f := range harmless {
		if !slices.Contains(found, f) {
			t.Errorf("%s is not there any more: take it from the list", f)
		}
	}
}

// functionFields returns the fields of the structs of a backend that hold
// functions, also those of a type that has a name there.
func functionFields(t *testing.T, backend string) (found []string) {
	files, err := filepath.Glob("../../sandbox/" + backend + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", backend, err)
	}
	var types []*ast.TypeSpec
	functions := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				types = append(types, spec)
				if _, ok := spec.Type.(*ast.FuncType); ok {
					functions[spec.Name.Name] = true
				}
			}
			return true
		})
	}
	for _, spec := range types {
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range s.Fields.List {
			holds := false
			ast.Inspect(field.Type, func(n ast.Node) bool { // of a list or a map of them, too
				switch n := n.(type) {
				case *ast.InterfaceType:
					return false
				case *ast.FuncType:
					holds = true
				case *ast.Ident:
					holds = holds || functions[n.Name]
				}
				return true
			})
			for _, name := range field.Names {
				if holds {
					found = append(found, backend+"."+spec.Name.Name+"."+name.Name)
				}
			}
		}
	}
	return found
}
