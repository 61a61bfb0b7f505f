// Package analyzetest helps the tests of every language alike.
package analyzetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(analyze.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("facts.v1.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("facts.v1.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// Respelled returns code with each name of some kinds written in another way.
func Respelled(t testing.TB, r *analyze.Reader, code string, kinds []analyze.Kind, spell func(name string) string) (other string) {
	t.Helper()
	reader := *r
	reader.Walk = func(w *analyze.Walk) {
		var b strings.Builder
		end := 0
		for i := range w.Tree.Len() {
			if !slices.Contains(kinds, w.Tree.Kind(i)) || w.Tree.Start(i) < end {
				continue
			}
			b.WriteString(w.Tree.Text[end:w.Tree.Start(i)])
			b.WriteString(spell(w.Tree.Source(i)))
			end = w.Tree.End(i)
		}
		other = b.String() + w.Tree.Text[end:]
	}
	facts(t, &reader, code)
	return other
}

// SetApart returns code with more between any two words or signs of a line, but within nodes of
// these kinds and before the last kind, which is that of comments.
func SetApart(t testing.TB, r *analyze.Reader, code string, more string, whole ...analyze.Kind) (other string) {
	t.Helper()
	reader := *r
	reader.Walk = func(w *analyze.Walk) {
		var b strings.Builder
		end := 0
		for i := range w.Tree.Len() {
			start := w.Tree.Start(i)
			kept := slices.Contains(whole, w.Tree.Kind(i))
			if !kept && w.Tree.First(i) != analyze.NoNode || start < end || w.Tree.End(i) == start {
				continue
			}
			gap := w.Tree.Text[end:start]
			if end > 0 && strings.Trim(gap, " \t") == "" && w.Tree.Text[end-1] != '\n' && w.Tree.Kind(i) != whole[len(whole)-1] {
				gap = more
			}
			b.WriteString(gap + w.Tree.Source(i))
			end = w.Tree.End(i)
		}
		other = b.String() + w.Tree.Text[end:]
	}
	facts(t, &reader, code)
	return other
}

// Said is what facts say, but for where in the text.
func Said(f analyze.Facts) map[string][]string {
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
