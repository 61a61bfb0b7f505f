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

// Respelled returns code with each name of a kind written in another way, and whether there
// was one.
func Respelled(t testing.TB, r *analyze.Reader, code string, kinds []analyze.Kind, spell func(name string) string) (other string, ok bool) {
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
			end, ok = w.Tree.End(i), true
		}
		other = b.String() + w.Tree.Text[end:]
	}
	facts(t, &reader, code)
	return other, ok
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
