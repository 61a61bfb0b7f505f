package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
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
					if dir == "." && banned[1] == "LookupEnv" {
						continue // Open finds what the command finds
					}
					if isSelector(s, banned[0], banned[1]) {
						t.Errorf("%s: %s.%s outside cmd", fset.Position(s.Pos()), banned[0], banned[1])
					}
				}
				return true
			})
		}
	}
}

// walks are types whose methods are the cases of one recursion over a syntax
// tree, in which every case calls every other: there is nothing to take apart.
var walks = map[string]string{
	"analyze/javascript.javascript": "what each construct of the language does",
	"analyze/python.python":         "what each construct of the language does",
}

// TestNoTypeIsABag holds that no type has more methods than a reader keeps in
// mind. A function that takes the whole of an invocation counts as one of its
// methods, unless it makes a command: a verb's work takes what it needs.
func TestNoTypeIsABag(t *testing.T) {
	const most = 40
	_, pkgs := packagesOfOurs(t)
	methods := map[string]map[string]bool{} // by name: files for other systems have the same ones
	add := func(of ast.Expr, dir, name string) {
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if generic, ok := of.(*ast.IndexExpr); ok {
			of = generic.X
		}
		if id, ok := of.(*ast.Ident); ok {
			of := dir + "." + id.Name
			if methods[of] == nil {
				methods[of] = map[string]bool{}
			}
			methods[of][name] = true
		}
	}
	for dir, files := range pkgs {
		for _, f := range files {
			for _, decl := range f.ast.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				switch {
				case !ok:
				case fn.Recv != nil:
					add(fn.Recv.List[0].Type, dir, fn.Name.Name)
				case dir == "cmd/sallyport" && !makesCommand(fn):
					for _, p := range fn.Type.Params.List {
						if star, ok := p.Type.(*ast.StarExpr); ok {
							add(star, dir, fn.Name.Name)
						}
					}
				}
			}
		}
	}
	for of, names := range methods {
		if len(names) > most && walks[of] == "" {
			t.Errorf("%s has %d methods, at most %d: take out what needs only a part of it", of, len(names), most)
		}
	}
	for of := range walks {
		if len(methods[of]) <= most {
			t.Errorf("%s is no exception any more: it has %d methods", of, len(methods[of]))
		}
	}
	if n := len(methods["cmd/sallyport.app"]); n == 0 || n > most/2 {
		t.Errorf("%d functions take the whole of an invocation, at most %d", n, most/2)
	}
}

func makesCommand(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
		return false
	}
	star, ok := fn.Type.Results.List[0].Type.(*ast.StarExpr)
	return ok && isSelector(star.X, "cobra", "Command")
}

// TestNoVerbGrowsInCmd holds that cmd stays what reads flags and calls.
func TestNoVerbGrowsInCmd(t *testing.T) {
	const files, lines = 40, 6500
	all, err := filepath.Glob("*.go")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	sum := 0
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += strings.Count(string(text), "\n")
	}
	if n := len(all); n > files || sum > lines {
		t.Errorf("%d files and %d lines, at most %d and %d: what is no flag and no call belongs below internal", n, sum, files, lines)
	}
}

// readsText names the files that read what others said in their own words,
// or look for secrets in it.
var readsText = []string{
	"sandbox/docker/connect.go", // the client of an engine has no values for what the engine and the system told it
	"sandbox/oci/probe.go",      // what a runtime printed
	"gate/redact.go",            // which text has a secret in it
}

// TestNoErrorIsReadByItsText holds that nobody looks into the text of an error
// to find out what it is: errors are values.
func TestNoErrorIsReadByItsText(t *testing.T) {
	fset, pkgs := packagesOfOurs(t)
	seen := map[string]bool{}
	for _, files := range pkgs {
		for _, f := range files {
			reads := func(e ast.Expr) (found bool) {
				ast.Inspect(e, func(n ast.Node) bool {
					s, ok := n.(*ast.SelectorExpr)
					found = found || ok && s.Sel.Name == "Error" && !isSelector(s, "http", "Error") && !isSelector(s, "hint", "Error")
					return !found
				})
				return found
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				var parts []ast.Expr
				switch x := n.(type) {
				case *ast.CallExpr:
					if s, ok := x.Fun.(*ast.SelectorExpr); ok && (isPackage(s.X, "strings") || isPackage(s.X, "regexp")) {
						parts = x.Args
					}
				case *ast.BinaryExpr:
					if id, ok := x.Y.(*ast.Ident); (x.Op == token.EQL || x.Op == token.NEQ) && !(ok && id.Name == "nil") {
						parts = []ast.Expr{x.X, x.Y}
					}
				}
				for _, p := range parts {
					if call, ok := p.(*ast.CallExpr); !ok || !reads(call.Fun) {
						continue
					}
					if seen[f.path] = true; !slices.Contains(readsText, f.path) {
						t.Errorf("%s: the text of an error is read: make it a value", fset.Position(p.Pos()))
					}
				}
				return true
			})
		}
	}
	for _, path := range readsText {
		if !seen[path] {
			t.Errorf("%s is no exception any more", path)
		}
	}
}

func isPackage(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
