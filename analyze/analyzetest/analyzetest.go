// Package analyzetest helps the tests of every language alike.
package analyzetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sallyport/analyze"
)

// Facts canonicalises and reads code in r's language, which must not be
// refused. What the floor reports is left out, so that a test of the rounds holds
// them alone; Floor returns it.
func Facts(t testing.TB, r *analyze.Reader, code string) analyze.Facts {
	t.Helper()
	f := facts(t, r, code)
	delete(f.Dynamic, analyze.DynamicMoved)
	return f
}

// Floor returns where code in r's language uses what leads to all else otherwise than on
// the spot, whatever the rounds make of it.
func Floor(t testing.TB, r *analyze.Reader, code string) []analyze.Span {
	t.Helper()
	return facts(t, r, code).Dynamic[analyze.DynamicMoved]
}

func facts(t testing.TB, r *analyze.Reader, code string) analyze.Facts {
	t.Helper()
	a := analyze.New(r)
	src, err := a.Canonical(r.Language, "", []byte(code))
	if err != nil {
		t.Fatalf("Canonical(%q): %v", code, err)
	}
	f, err := a.Facts(context.Background(), src)
	if err != nil {
		t.Fatalf("Facts(%q): %v", code, err)
	}
	return f
}

// Ordinary returns about size bytes of programs of the corpus in a directory, each in a function of its own.
func Ordinary(t testing.TB, corpus string, language analyze.Language, size int) []byte {
	t.Helper()
	pattern := map[analyze.Language]string{analyze.Python: "python/allow/*.py", analyze.JavaScript: "javascript/allow/*.cjs"}[language]
	files, err := filepath.Glob(filepath.Join(corpus, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var all []byte
	for n := 0; len(all) < size; n++ {
		text, err := os.ReadFile(files[n%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		program := inFunction(language, n, string(text))
		if len(all)+len(program) > analyze.MaxSourceBytes {
			break
		}
		all = append(all, program...)
	}
	return all
}

// inFunction is a program in a function; nothing where it is another one there, or none.
func inFunction(language analyze.Language, n int, text string) string {
	if strings.HasPrefix(text, "#!") {
		return ""
	}
	if language == analyze.JavaScript {
		return fmt.Sprintf("function program%d() {\n%s}\n", n, text)
	}
	for _, word := range []string{"from __future__", "import *", `"""`, "'''"} {
		if strings.Contains(text, word) {
			return ""
		}
	}
	return fmt.Sprintf("def program%d():\n    %s\n", n, strings.ReplaceAll(text, "\n", "\n    "))
}

// Encode returns facts as JSON.
func Encode(t testing.TB, f analyze.Facts) string {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Validate holds JSON against the published schema of facts.
func Validate(t testing.TB, raw string) error {
	t.Helper()
	schema, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// schema is what Validate asks, read once.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "facts.v1.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(analyze.Schema()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// Respelled returns code with each name of some kinds written in another way.
func Respelled(t testing.TB, r *analyze.Reader, code string, kinds []analyze.Kind, spell func(name string) string) string {
	t.Helper()
	return rewritten(t, r, code, func(tree *analyze.Tree, i int, before string) (string, bool) {
		if !slices.Contains(kinds, tree.Kind(i)) {
			return "", false
		}
		return before + spell(tree.Source(i)), true
	})
}

// SetApart returns code with more between any two words or signs of a line, but within nodes of
// the kinds whole and before comments, whose kind is the last of these.
func SetApart(t testing.TB, r *analyze.Reader, code, more string, whole ...analyze.Kind) string {
	t.Helper()
	return rewritten(t, r, code, func(tree *analyze.Tree, i int, before string) (string, bool) {
		start, kind := tree.Start(i), tree.Kind(i)
		if start > len(before) && strings.Trim(before, " \t") == "" && tree.Text[start-len(before)-1] != '\n' && kind != whole[len(whole)-1] {
			before = more
		}
		return before + tree.Source(i), tree.Start(i) < tree.End(i) && (slices.Contains(whole, kind) || tree.First(i) == analyze.NoNode)
	})
}

// rewritten returns code with nodes written otherwise, from the first to the last and none within
// another: write says how, with what stands before a node since the one before it, and whether.
func rewritten(t testing.TB, r *analyze.Reader, code string, write func(tree *analyze.Tree, i int, before string) (string, bool)) (other string) {
	t.Helper()
	reader := *r
	reader.Walk = func(w *analyze.Walk) {
		end := 0
		for i := range w.Tree.Len() {
			if w.Tree.Start(i) < end {
				continue
			}
			if text, ok := write(w.Tree, i, w.Tree.Text[end:w.Tree.Start(i)]); ok {
				other, end = other+text, w.Tree.End(i)
			}
		}
		other += w.Tree.Text[end:]
	}
	facts(t, &reader, code)
	return other
}

// SaySame holds that every eighth of files, with ORACLE_ALL=1 all, say the same when they are
// written otherwise. Read returns the facts of a file, and false where it is refused.
func SaySame(t *testing.T, files []string, read func(file string) (analyze.Facts, bool), write func(code string) string) {
	t.Helper()
	step := 8
	if os.Getenv("ORACLE_ALL") == "1" {
		step = 1
	}
	dir := t.TempDir()
	for n := 0; n < len(files); n += step {
		plain, ok := read(files[n])
		if !ok {
			continue
		}
		raw, err := os.ReadFile(files[n])
		if err != nil {
			t.Fatal(err)
		}
		otherwise := filepath.Join(dir, filepath.Base(files[n]))
		if err := os.WriteFile(otherwise, []byte(write(string(raw))), 0o600); err != nil {
			t.Fatal(err)
		}
		other, ok := read(otherwise)
		if diff := cmp.Diff(said(plain), said(other)); diff != "" || !ok {
			t.Errorf("%s says something else written otherwise (-plain +otherwise):\n%s", files[n], diff)
		}
	}
}

// said is what facts say, but for where in the text.
func said(f analyze.Facts) map[string][]string {
	dynamic := []string{}
	for kind, all := range f.Dynamic {
		dynamic = append(dynamic, fmt.Sprint(kind, " ", len(all)))
	}
	slices.Sort(dynamic)
	return map[string][]string{
		"names": f.Names, "imports": f.Imports, "early imports": f.EarlyImports, "attributes": f.Attrs, "hosts": f.Hosts,
		"identifiers": f.Identifiers, "strings": f.Strings, "dynamic": dynamic,
	}
}
