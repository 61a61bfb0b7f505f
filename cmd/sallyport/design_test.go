package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// sourceFile is one parsed Go file of ours that is not a test.
type sourceFile struct {
	path string
	ast  *ast.File
}

// packagesOfOurs parses every package of the program, by directory. Packages
// that exist for tests alone, by their name, are tests too.
func packagesOfOurs(t *testing.T) (*token.FileSet, map[string][]sourceFile) {
	t.Helper()
	fset := token.NewFileSet()
	pkgs := map[string][]sourceFile{}
	for file := range allImports(t, "../..") {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join("../..", file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkgs[path.Dir(file)] = append(pkgs[path.Dir(file)], sourceFile{file, f})
	}
	if len(pkgs) < 6 {
		t.Fatalf("found %d packages: the test looks at the wrong place", len(pkgs))
	}
	return fset, pkgs
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestNoMutableGlobals holds that no package-level variable is written outside
// its declaration, and that there is no init function of ours.
func TestNoMutableGlobals(t *testing.T) {
	fset, pkgs := packagesOfOurs(t)
	for dir, files := range pkgs {
		var asts []*ast.File
		for _, f := range files {
			asts = append(asts, f.ast)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: noImporter{}, FakeImportC: true, Error: func(error) {}}
		pkg, _ := conf.Check(dir, fset, asts, info) // imports stay unknown; our own names resolve
		global := func(e ast.Expr) (*ast.Ident, bool) {
			for {
				switch x := e.(type) {
				case *ast.Ident:
					v, ok := info.Uses[x].(*types.Var)
					return x, ok && v.Parent() == pkg.Scope()
				case *ast.SelectorExpr:
					e = x.X
				case *ast.IndexExpr:
					e = x.X
				case *ast.StarExpr:
					e = x.X
				case *ast.ParenExpr:
					e = x.X
				default:
					return nil, false
				}
			}
		}
		report := func(e ast.Expr) {
			if id, ok := global(e); ok {
				t.Errorf("%s: package-level variable %s is written", fset.Position(id.Pos()), id.Name)
			}
		}
		for _, f := range asts {
			ast.Inspect(f, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.FuncDecl:
					if x.Recv == nil && x.Name.Name == "init" {
						t.Errorf("%s: init function", fset.Position(x.Pos()))
					}
				case *ast.AssignStmt:
					for _, l := range x.Lhs {
						report(l)
					}
				case *ast.IncDecStmt:
					report(x.X)
				case *ast.UnaryExpr:
					if x.Op == token.AND {
						report(x.X)
					}
				case *ast.CallExpr:
					if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(x.Args) > 0 {
						report(x.Args[0])
					}
				}
				return true
			})
		}
	}
}

// TestOneWayIntoTheSandbox holds that unjudged code cannot be run: a Spec with
// a Permit, without which every backend refuses it, is made in one function,
// which takes the Permit, and only policy makes permits.
func TestOneWayIntoTheSandbox(t *testing.T) {
	fset, pkgs := packagesOfOurs(t)
	specs := 0
	for dir, files := range pkgs {
		for _, f := range files {
			for _, decl := range f.ast.Decls {
				fn, _ := decl.(*ast.FuncDecl)
				ast.Inspect(decl, func(n ast.Node) bool {
					switch x := n.(type) {
					case *ast.CompositeLit:
						if !isSelector(x.Type, "sandbox", "Spec") || !sets(x, "Permit") && !sets(x, "Code") {
							return true
						}
						specs++
						if dir != "gate" || fn == nil || !takesPermit(fn) {
							t.Errorf("%s: a sandbox.Spec is made outside the function of gate that takes a permit", fset.Position(x.Pos()))
						}
					case *ast.AssignStmt:
						for _, l := range x.Lhs {
							if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == "Permit" {
								t.Errorf("%s: a permit is put into something else than a new sandbox.Spec", fset.Position(x.Pos()))
							}
						}
					}
					return true
				})
				if fn != nil && fn.Recv != nil && fn.Name.Name == "Permits" && dir != "policy" {
					t.Errorf("%s: a second implementation of sandbox.Permit", fset.Position(fn.Pos()))
				}
			}
		}
	}
	if specs != 1 {
		t.Errorf("%d places make a sandbox.Spec that can run, want exactly 1", specs)
	}
}

// sets reports whether a composite literal gives a field; one without names
// gives all of them.
func sets(lit *ast.CompositeLit, field string) bool {
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if id, ok := kv.Key.(*ast.Ident); ok && id.Name == field {
			return true
		}
	}
	return false
}

func takesPermit(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if isSelector(p.Type, "policy", "Permit") {
			return true
		}
	}
	return false
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// TestStdoutBelongsToCmd holds that nothing below cmd writes to the process's
// own standard output, which carries the protocol when agents are served, or
// reads its environment.
func TestStdoutBelongsToCmd(t *testing.T) {
	fset, pkgs := packagesOfOurs(t)
	for dir, files := range pkgs {
		if strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "examples/") || strings.HasPrefix(dir, "testdata/") {
			continue
		}
		for _, f := range files {
			if f.ast.Name.Name == "main" {
				continue // a program of its own, such as the one inside containers
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				for _, banned := range [][2]string{
					{"fmt", "Print"}, {"fmt", "Println"}, {"fmt", "Printf"},
					{"os", "Stdout"}, {"os", "Exit"}, {"os", "Getenv"}, {"os", "LookupEnv"}, {"os", "Environ"},
				} {
					if isSelector(s, banned[0], banned[1]) {
						t.Errorf("%s: %s.%s outside cmd", fset.Position(s.Pos()), banned[0], banned[1])
					}
				}
				return true
			})
		}
	}
}
