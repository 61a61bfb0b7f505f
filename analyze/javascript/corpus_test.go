package javascript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
)

const javascriptCorpus = "../../testdata/corpus/javascript"

// capabilityNames says by which symbols and modules a capability shows. It is
// a yardstick for the corpus, much coarser than the catalog of a policy.
func capabilityNames() map[string][]string {
	return map[string][]string{
		"process":          {"node:child_process", "globalThis.process.binding", "globalThis.process.execve", "node:cluster"},
		"network":          {"globalThis.fetch", "globalThis.WebSocket", "node:http", "node:https", "node:http2", "node:net", "node:tls", "node:dgram", "node:dns", "globalThis.process.stdin.connect"},
		"filesystem.read":  {"node:fs.read", "node:fs/promises.read", "node:fs.open", "node:fs.createReadStream", "globalThis.require.resolve"},
		"filesystem.write": {"node:fs.write", "node:fs.append", "node:fs.unlink", "node:fs/promises.rm", "node:fs/promises.write", "node:fs.createWrite", "node:fs.mkdtemp", "node:fs.symlink", "node:fs/promises.chmod"},
		"environment":      {"globalThis.process.env"},
		"code.eval":        {"globalThis.eval", "globalThis.Function", "node:vm", "node:repl"},
		"thread":           {"node:worker_threads.Worker"},
		"native":           {"globalThis.WebAssembly", "globalThis.process.dlopen", "node:wasi"},
		"introspection": {"globalThis.process.binding", "globalThis.Error.prepareStackTrace", "globalThis.require.cache", "node:module._load",
			"node:module.createRequire", "node:inspector", "globalThis.process.mainModule", "globalThis.module.parent", "globalThis.module.__proto__", "node:module"},
		"deserialize": {"node:v8.deserialize"},
		"signals":     {"globalThis.process.kill"},
	}
}

// introspects says which unresolved places lead to what the program does not name.
func introspects() []string {
	return []string{analyze.DynamicFrame, analyze.DynamicSubclass, analyze.DynamicMember, analyze.DynamicImport, analyze.DynamicComputed, analyze.DynamicPatch}
}

// shows is true when the facts name something of a capability.
func shows(f analyze.Facts, capability string) bool {
	if capability == "introspection" && slices.ContainsFunc(introspects(), func(kind string) bool { return len(f.Dynamic[kind]) > 0 }) {
		return true
	}
	for _, prefix := range capabilityNames()[capability] {
		starts := func(s string) bool { return strings.HasPrefix(s, prefix) }
		if slices.ContainsFunc(f.Names, starts) || slices.ContainsFunc(f.Imports, starts) {
			return true
		}
	}
	return false
}

// readCorpusFile returns the facts of a file, or refused.
func readCorpusFile(t *testing.T, path string) (f analyze.Facts, refused bool) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, goal := analyze.LanguageOf(path, raw)
	a := analyze.New(Reader())
	src, err := a.Canonical(analyze.JavaScript, goal, raw)
	if err != nil {
		return analyze.Facts{}, true
	}
	f, err = a.Facts(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return f, false
}

func javascriptLabels(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(javascriptCorpus, "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for line := range bytes.Lines(raw) {
		file, capability, ok := strings.Cut(strings.TrimSpace(string(line)), "\t")
		if !ok || labels[file] != "" {
			t.Fatalf("labels.tsv: %q", line)
		}
		labels[file] = capability
	}
	return labels
}

// hiddenBy says how the files whose capability has no name in the facts are
// denied instead: what no reading can name must be reported as unreadable.
func hiddenBy() map[string]string {
	return map[string]string{
		"await_ident.cjs":                           analyze.DynamicAwait,
		"differential_arrow_body_regex.cjs":         ProblemSemicolon,
		"differential_await_div_sloppy.cjs":         analyze.DynamicAwait,
		"differential_await_in_nonasync_fn.cjs":     analyze.DynamicAwait,
		"differential_await_paren_sloppy.cjs":       analyze.DynamicAwait,
		"differential_nested_await_arrow_param.cjs": analyze.DynamicAwait,
		"differential_yield_div_sloppy.cjs":         analyze.DynamicAwait,
		"differential_yield_ident_call.cjs":         analyze.DynamicAwait,
		"differential_yield_in_nested_fn.cjs":       analyze.DynamicAwait,
		"differential_nl_nbsp_div.cjs":              ProblemSpace,
		"eval_computed_twice.cjs":                   analyze.DynamicComputed,
		"eval_settimeout_string.cjs":                analyze.DynamicCode,
		"process_charcodes_map.cjs":                 analyze.DynamicImport,
		"process_in_place_reverse.cjs":              analyze.DynamicImport,
		"process_plus_equals.cjs":                   analyze.DynamicImport,
		"process_pushed.cjs":                        analyze.DynamicImport,
		"tagged_template_constructor.cjs":           ProblemSemicolon,
		"eval_unknown_ctor.cjs":                     analyze.DynamicSubclass,
	}
}

func TestJavaScriptDenyCorpus(t *testing.T) {
	labels := javascriptLabels(t)
	if len(labels) < 200 {
		t.Errorf("%d deny cases", len(labels))
	}
	for _, path := range corpusFiles(t, "deny") {
		file := filepath.Base(path)
		capability := labels[file]
		if capabilityNames()[capability] == nil {
			t.Errorf("%s: label %q", file, capability)
		}
		f, refused := readCorpusFile(t, path)
		if refused || shows(f, capability) {
			continue
		}
		marker := hiddenBy()[file]
		syntax := slices.ContainsFunc(f.Syntax, func(p analyze.Problem) bool { return p.Code == marker })
		if marker == "" || len(f.Dynamic[marker]) == 0 && !syntax {
			t.Errorf("%s: no %s in names %q, imports %q, dynamic %v, syntax %v", file, capability, f.Names, f.Imports, f.Dynamic, f.Syntax)
		}
	}
}

func TestJavaScriptAllowCorpus(t *testing.T) {
	files := corpusFiles(t, "allow")
	if len(files) < 120 {
		t.Errorf("%d allow cases", len(files))
	}
	for _, path := range files {
		f, refused := readCorpusFile(t, path)
		if refused || !f.Complete || len(f.Dynamic) > 0 {
			t.Errorf("%s: refused %v, syntax %v, dynamic %v", path, refused, f.Syntax, f.Dynamic)
		}
		for capability := range capabilityNames() {
			if shows(f, capability) {
				t.Errorf("%s: shows %s in names %q, imports %q", path, capability, f.Names, f.Imports)
			}
		}
		if slices.Contains(f.Attrs, "constructor") {
			t.Errorf("%s: a harmless constructor is reported", path)
		}
	}
}

func corpusFiles(t testing.TB, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(javascriptCorpus, kind, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s corpus: %v", kind, err)
	}
	return files
}
