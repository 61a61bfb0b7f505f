package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports is the direction in which packages of ours may import each
// other. A package that is not listed may import none of ours but
// internal/hint, which imports none. Test files may
// import what their package may, and what is in allowedTestImports.
var allowedImports = map[string][]string{
	"cmd/sallyport":                 {"analyze", "analyze/javascript", "analyze/javascript/typescript", "analyze/python", "analyze/python/notebook", "answer", "audit", "audit/export", "config", "gate", "internal/agents", "internal/approvals", "internal/client", "internal/identity", "internal/install", "internal/replace", "internal/report", "internal/serve", "internal/shared", "mcp", "policies", "policy", "sandbox", "telemetry"},
	"internal/agents":               {"internal/replace"},
	"internal/identity":             {"config", "gate", "internal/trust"},
	"internal/client":               {"answer", "gate", "sandbox"},
	"internal/approvals":            {"answer", "config", "gate", "internal/shared", "policy"},
	"internal/shared":               {"gate"},
	"internal/serve":                {"answer", "config", "gate", "internal/approvals", "internal/identity", "internal/shared", "internal/trust", "internal/turns", "mcp", "policy", "telemetry"},
	"internal/turns":                {"telemetry"},
	"internal/install":              {"analyze", "analyze/javascript", "analyze/javascript/typescript", "analyze/python", "analyze/python/notebook", "analyze/python/stdlib", "answer", "audit", "config", "egress", "gate", "internal/replace", "internal/shared", "internal/trust", "policies", "policy", "sandbox", "sandbox/docker", "sandbox/gvisor", "sandbox/image", "sandbox/kubernetes", "sandbox/oci", "telemetry"},
	".":                             {"config", "gate", "internal/install"},
	"examples/embed":                {"analyze", "config", "gate"}, // as any program that embeds it
	"answer":                        {"gate", "policy", "sandbox"},
	"internal/report":               {"answer", "audit", "gate", "policy"},
	"mcp":                           {"answer", "gate", "internal/replace", "internal/turns", "policy", "sandbox", "analyze", "telemetry"},
	"gate":                          {"analyze", "audit", "egress", "policy", "sandbox", "telemetry"},
	"audit/export":                  {"audit"},
	"policy":                        {"policy/internal/bounded"},
	"analyze/javascript":            {"analyze", "analyze/codec", "analyze/javascript/mistake"},
	"analyze/javascript/mistake":    {"analyze"},
	"analyze/javascript/typescript": {"analyze", "analyze/javascript", "analyze/javascript/mistake"},
	"analyze/python":                {"analyze", "analyze/codec", "analyze/python/mistake", "analyze/python/stdlib"},
	"analyze/python/mistake":        {"analyze"},
	"analyze/python/notebook":       {"analyze"},
	"analyze/analyzetest":           {"analyze"},
	"sandbox/sandboxtest":           {"egress", "egress/egresstest"}, // what is really behind a way out
}

var allowedTestImports = map[string][]string{
	".":                             {"analyze"},
	"cmd/sallyport":                 {"egress/egresstest", "internal/shared/sharedtest", "sandbox/sandboxtest", "telemetry/telemetrytest"},
	"egress":                        {"egress/egresstest"},
	"analyze":                       {"analyze/analyzetest", "analyze/javascript", "analyze/python"},
	"analyze/javascript":            {"analyze/analyzetest"},
	"analyze/javascript/mistake":    {"analyze/analyzetest", "analyze/javascript"},
	"analyze/javascript/typescript": {"analyze/analyzetest"},
	"analyze/python":                {"analyze/analyzetest"},
	"analyze/python/mistake":        {"analyze/analyzetest", "analyze/python"},
	"analyze/python/notebook":       {"analyze/python"},
	"internal/approvals":            {"analyze", "analyze/python", "audit", "internal/shared/sharedtest", "sandbox"},
	"internal/shared":               {"internal/shared/sharedtest"},
	"internal/serve":                {"analyze", "analyze/javascript", "analyze/python", "audit", "internal/shared/sharedtest", "policies", "policy", "sandbox"},
	"mcp":                           {"analyze/javascript", "analyze/javascript/typescript", "analyze/python", "audit", "policies", "sandbox/gvisor"},
	"gate":                          {"analyze/javascript", "analyze/javascript/typescript", "analyze/python", "analyze/python/notebook", "policies", "sandbox/gvisor", "telemetry/telemetrytest"},
	"telemetry":                     {"telemetry/telemetrytest"},
	"policies":                      {"policy"},
	"policy":                        {"policies"},
}

// inside says which packages below a package may be imported from its family:
// backends and the conformance suite build on the sandbox contract.
func inside(importer, imported string) bool {
	family, _, _ := strings.Cut(importer, "/")
	return family == "sandbox" && (imported == "sandbox" || strings.HasPrefix(imported, "sandbox/"))
}

// forTests are packages that any test may import.
var forTests = []string{"internal/executable", "internal/golden", "internal/yardstick", "policy/policytest"}

func TestImportDirection(t *testing.T) {
	seen := 0
	for file, imports := range ourImports(t, "../..") {
		dir := path.Dir(file)
		test := strings.HasSuffix(file, "_test.go")
		for _, imp := range imports {
			seen++
			ok := imp == "internal/hint" || slices.Contains(allowedImports[dir], imp) || inside(dir, imp) || test && (imp == dir || slices.Contains(allowedTestImports[dir], imp) || slices.Contains(forTests, imp))
			if !ok {
				t.Errorf("%s imports %s: not in the direction of the design", file, imp)
			}
		}
	}
	if seen == 0 {
		t.Fatal("found no import of ours: the test looks at nothing")
	}
}

// One package behind each library that may be replaced one day.
func TestLibrariesStayBehindOnePackage(t *testing.T) {
	homes := map[string][]string{
		"github.com/smacker/go-tree-sitter":      {"analyze", "analyze/javascript", "analyze/javascript/typescript", "analyze/python"},
		"github.com/open-policy-agent/opa":       {"policy", "policy/internal/bounded", "policies"},
		"github.com/docker/docker":               {"sandbox/docker"},
		"github.com/mark3labs/mcp-go":            {"mcp"},
		"gopkg.in/yaml.v3":                       {"config", "internal/agents", "sandbox/kubernetes"},
		"github.com/gorilla/websocket":           {"sandbox/kubernetes"},
		"go.opentelemetry.io/proto/slim":         {"telemetry", "telemetry/telemetrytest"},
		"google.golang.org/protobuf":             {"telemetry", "telemetry/telemetrytest"},
		"github.com/google/go-containerregistry": {"sandbox/image"},
		"github.com/lestrrat-go/jwx":             {"internal/identity"},
		"github.com/docker/cli":                  {"sandbox/image"},
		"github.com/redis/go-redis":              {"internal/shared", "internal/shared/sharedtest"},
	}
	for file, imports := range allImports(t, "../..") {
		for _, imp := range imports {
			for lib, dirs := range homes {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(dirs, path.Dir(file)) {
					t.Errorf("%s imports %s, which belongs behind %v", file, imp, dirs)
				}
			}
		}
	}
}

func ourImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	ours := map[string][]string{}
	for file, imports := range allImports(t, root) {
		for _, imp := range imports {
			if name, ok := strings.CutPrefix(imp, "sallyport/"); ok {
				ours[file] = append(ours[file], name)
			}
		}
	}
	return ours
}

// allImports returns the imports of every Go file of the module by its path.
func allImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", ".cache", "dist", "testdata", "tools", "runsc", "bin"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		for _, s := range f.Imports {
			imp, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return err
			}
			out[filepath.ToSlash(rel)] = append(out[filepath.ToSlash(rel)], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
