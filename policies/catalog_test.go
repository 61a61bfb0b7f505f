package policies_test

import (
	"encoding/json"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/policies"
	"sallyport/policy"
)

// requireTool returns the path of an interpreter. Without one the test is
// skipped, unless the variable says that it must be there.
func requireTool(t *testing.T, name, variable string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv(variable) == "1" {
			t.Fatalf("%s is not installed: %v", name, err)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

// listed runs an interpreter that prints names by module as JSON.
func listed(t *testing.T, tool, variable string, args ...string) map[string][]string {
	t.Helper()
	out, err := exec.Command(requireTool(t, tool, variable), args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var names map[string][]string
	if err := json.Unmarshal(out, &names); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return names
}

func baseline(t *testing.T) *policy.Engine {
	t.Helper()
	e, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPythonLibraryIsClassified walks the installed standard library: each
// module, and each member of those modules that are classified one by one.
func TestPythonLibraryIsClassified(t *testing.T) {
	const walk = `
import sys, json, os, builtins, ntpath, posixpath
members = {m: [n for n in dir(sys.modules[m]) if not n.startswith("_")] for m in ("os", "sys", "builtins")}
members["modules"] = sorted(n for n in sys.stdlib_module_names)
print(json.dumps(members))`
	checkClassified(t, "python", listed(t, "python3", "REQUIRE_PYTHON", "-I", "-c", walk), func(module string) string { return module })
}

// TestNodeLibraryIsClassified does the same for Node.
func TestNodeLibraryIsClassified(t *testing.T) {
	const walk = `
const { builtinModules } = require('module');
const names = { modules: builtinModules.filter(m => !m.startsWith('node:')) };
for (const m of ['fs', 'fs/promises']) names['node:' + m] = Object.keys(require(m)).filter(n => !n.startsWith('_'));
names['globalThis.process'] = Object.getOwnPropertyNames(process);
names['globalThis'] = Object.getOwnPropertyNames(globalThis).filter(n => !builtinModules.includes(n));
console.log(JSON.stringify(names));`
	checkClassified(t, "javascript", listed(t, "node", "REQUIRE_NODE", "-e", walk), func(module string) string { return "node:" + module })
}

func checkClassified(t *testing.T, language string, names map[string][]string, module func(string) string) {
	e := baseline(t)
	if len(names["modules"]) < 40 {
		t.Fatalf("only %d modules found", len(names["modules"]))
	}
	for _, m := range names["modules"] {
		if caps, ok := e.Classify(language, module(m)); !ok || slices.Contains(caps, "unknown") {
			t.Errorf("module %s is in no catalog line", m)
		}
	}
	for owner, members := range names {
		for _, n := range members {
			if owner == "modules" {
				continue
			}
			if listedUnknown(t, language, owner+"."+n) {
				continue
			}
			if caps, ok := e.Classify(language, owner+"."+n); !ok || slices.Contains(caps, "unknown") {
				t.Errorf("%s.%s is in no catalog line", owner, n)
			}
		}
	}
}

// listedUnknown reports whether a catalog lists a name as one of which nobody can
// say what it does.
func listedUnknown(t *testing.T, language, name string) bool {
	t.Helper()
	text, err := os.ReadFile("catalog/" + language + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name && f[1] == "unknown" {
			return true
		}
	}
	return false
}

// TestCatalogSize holds that the catalogs classify what they promise to, and
// use only capabilities that rules can ask for.
func TestCatalogSize(t *testing.T) {
	input := policy.InputSchema()
	var schema struct {
		Definitions struct {
			Capabilities struct {
				Properties map[string]any `json:"properties"`
			} `json:"capabilities"`
		} `json:"definitions"`
	}
	if err := json.Unmarshal(input, &schema); err != nil {
		t.Fatal(err)
	}
	capable := map[string]int{}
	files, err := fs.Glob(policies.FS, "catalog/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		name = strings.TrimPrefix(name, "catalog/")
		for symbol, capabilities := range catalog(t, name) {
			for _, c := range strings.Split(capabilities, ",") {
				if c == "benign" {
					continue
				}
				if _, ok := schema.Definitions.Capabilities.Properties[c]; !ok {
					t.Errorf("%s: %s has the capability %q, which no rule can ask for", name, symbol, c)
				}
				language, _, _ := strings.Cut(strings.TrimSuffix(name, ".txt"), "-")
				capable[language]++
			}
		}
	}
	if capable["python"] < 400 || capable["javascript"] < 250 {
		t.Errorf("symbols with a capability: %v, want 400 for Python and 250 for JavaScript", capable)
	}
	t.Log(capable)
}

// catalog is the lines of a catalog: symbols, and what each can do.
func catalog(t *testing.T, name string) iter.Seq2[string, string] {
	t.Helper()
	text, err := fs.ReadFile(policies.FS, "catalog/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(symbol, capabilities string) bool) {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) == 2 && fields[0] != "#" && !yield(fields[0], fields[1]) {
				return
			}
		}
	}
}

// TestNoNameOfTheLibraryByWildcard holds that no line says of a whole module of a
// standard library that it is benign: a name that nobody has listed is unknown.
func TestNoNameOfTheLibraryByWildcard(t *testing.T) {
	for _, name := range []string{"python.txt", "python-library.txt", "javascript.txt", "javascript-library.txt"} {
		for symbol, capabilities := range catalog(t, name) {
			if strings.HasSuffix(symbol, ".*") && capabilities == "benign" {
				t.Errorf("%s: %s %s", name, symbol, capabilities)
			}
		}
	}
	e := baseline(t)
	for language, names := range map[string][]string{
		"python":     {"functools.no_such_name", "dataclasses.no_such_name", "unittest.no_such_name", "platform._syscmd_file", "asyncio.AbstractEventLoop.no_such_name", "asyncio.SelectorEventLoop.no_such_name", "logging.no_such_name", "builtins.no_such_name"},
		"javascript": {"node:util.noSuchName", "node:events.noSuchName", "node:stream.noSuchName"},
	} {
		for _, name := range names {
			if caps, ok := e.Classify(language, name); ok && slices.Contains(caps, "benign") {
				t.Errorf("%s is %v", name, caps)
			}
		}
	}
	for _, name := range []string{"functools", "functools.cache", "logging.Logger.info", "unittest.TestCase.assertEqual", "json.loads", "collections.abc.Mapping"} {
		if caps, ok := e.Classify("python", name); !ok || !slices.Equal(caps, []string{"benign"}) {
			t.Errorf("%s is %v", name, caps)
		}
	}
}

// TestLibraryNamesAreListed asks the interpreters at hand for the public names of
// some modules that python-library.txt and javascript-library.txt list.
func TestLibraryNamesAreListed(t *testing.T) {
	const walk = `
import json, importlib
members = {"modules": list(__import__("sys").stdlib_module_names)}
for m in "functools dataclasses unittest platform logging collections itertools json re string typing statistics contextlib asyncio argparse".split():
    members[m] = [n for n in vars(importlib.import_module(m)) if not n.startswith("_") and not isinstance(getattr(importlib.import_module(m), n), type(json))]
print(json.dumps(members))`
	checkClassified(t, "python", listed(t, "python3", "REQUIRE_PYTHON", "-I", "-c", walk), func(module string) string { return module })
	const node = `
const { builtinModules } = require('module');
const names = { modules: builtinModules.filter(m => !m.startsWith('node:')) };
for (const m of ['util', 'events', 'stream', 'url', 'path', 'zlib', 'readline', 'assert']) names['node:' + m] = Object.keys(require(m)).filter(n => /^[A-Za-z$][\w$]*$/.test(n));
console.log(JSON.stringify(names));`
	checkClassified(t, "javascript", listed(t, "node", "REQUIRE_NODE", "-e", node), func(module string) string { return "node:" + module })
}

// TestRelativesAreJudgedAlike holds that what is said of a method of one class is said of it on
// those above and below that class, too: no line that says benign of a whole class covers it.
func TestRelativesAreJudgedAlike(t *testing.T) {
	const walk = `
import sys, json, importlib, warnings
warnings.simplefilter("ignore")
def find(name):
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            o = importlib.import_module(".".join(parts[:k]))
        except BaseException:
            continue
        for n in parts[k:]:
            o = getattr(o, n, None)
        return o
classes, methods = {}, []
for name, capable in json.load(open(sys.argv[1])).items():
    owner, _, last = name.rpartition(".")
    o = find(name) if last[:1].isupper() else None
    if isinstance(o, type):
        classes[name] = o
    if capable and owner.rpartition(".")[2][:1].isupper() and isinstance(find(owner), type):
        methods.append((find(owner), name.partition(".")[0] + ".", last))
found = {c + "." + m for k, top, m in methods for c, o in classes.items() if c.startswith(top) and hasattr(o, m) and (issubclass(o, k) or issubclass(k, o))}
json.dump({"relatives": sorted(found)}, sys.__stdout__)`
	list, err := json.Marshal(namesOfPython(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "names.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	found := listed(t, "python3", "REQUIRE_PYTHON", "-I", "-c", walk, file)["relatives"]
	if len(found) < 100 {
		t.Fatalf("only %d methods found", len(found))
	}
	e := baseline(t)
	for _, name := range found {
		switch {
		case strings.HasPrefix(name, "asyncio.") && strings.Contains(name, "Protocol."), name == "logging.Handler.emit", name == "logging.Handler.handle":
			continue // which does nothing by itself
		}
		if caps, ok := e.Classify("python", name); ok && slices.Contains(caps, "benign") {
			t.Errorf("%s is %v", name, caps)
		}
	}
}

// namesOfPython are the names in its catalogs, and of each whether it can do anything.
func namesOfPython(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, name := range []string{"python.txt", "python-library.txt"} {
		for symbol, capabilities := range catalog(t, name) {
			owner, members, several := strings.Cut(strings.TrimSuffix(symbol, "}"), ".{")
			if !several {
				owner, members = "", strings.TrimRight(symbol, ".*")
			}
			for member := range strings.SplitSeq(members, ",") {
				names[strings.TrimPrefix(owner+"."+member, ".")] = capabilities != "benign"
			}
		}
	}
	return names
}
