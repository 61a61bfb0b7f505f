// Package analyzetest helps the tests of every language alike.
package analyzetest

import (
	"bytes"
	"context"
	"encoding/json"
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
