package policy

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInputJSON holds that the document for people is what rules see, whole.
func TestInputJSON(t *testing.T) {
	in := mentions(validInput(), "os.system", "os.path.join")
	in.Source.Uses["os.system"][0].Args = []Arg{{Value: "id", Known: true}, {Name: "n"}}
	in.Source.Imports, in.Source.ImportSpans = []string{"os"}, map[string][]Span{"os": {{Line: 1, Column: 8, EndLine: 1, EndColumn: 10}}}
	text, err := newEngine(t, ruleSystem).InputJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version      string              `json:"version"`
		Time         string              `json:"time"`
		Capabilities map[string][]string `json:"capabilities"`
		Source       struct {
			Names       []string          `json:"names"`
			Uses        map[string][]Use  `json:"uses"`
			ImportSpans map[string][]Span `json:"import_spans"`
			Attrs       []string          `json:"attrs"`
		} `json:"source"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != InputVersion || doc.Time != "2026-01-02T03:04:05Z" {
		t.Errorf("version %q, time %q", doc.Version, doc.Time)
	}
	if diff := cmp.Diff(in.Source.Names, doc.Source.Names); diff != "" {
		t.Error(diff)
	}
	want := map[string][]Use{
		"os.system":    {{How: "call", Certainty: "exact", Args: in.Source.Uses["os.system"][0].Args, Span: in.Source.Uses["os.system"][0].Span}},
		"os.path.join": {{How: "call", Certainty: "exact", Args: []Arg{}, Span: Span{Line: 2, Column: 1, EndLine: 2, EndColumn: 5}}},
	}
	if diff := cmp.Diff(want, doc.Source.Uses); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(in.Source.ImportSpans, doc.Source.ImportSpans); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"os.system"}, doc.Capabilities["process"]); diff != "" {
		t.Error(diff)
	}
	if len(doc.Capabilities) != len(capabilityNames) || doc.Source.Attrs == nil {
		t.Errorf("something is missing: %s", text)
	}
}
