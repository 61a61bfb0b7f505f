package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/rego"
)

// validate checks a document against a schema, with OPA's own validator.
func validate(t *testing.T, document, schema []byte) {
	t.Helper()
	rs, err := rego.New(
		rego.Query("json.match_schema(input.document, input.schema)"),
		rego.Input(map[string]any{"document": string(document), "schema": string(schema)}),
	).Eval(ctx)
	if err != nil {
		t.Fatal(err)
	}
	result := rs[0].Expressions[0].Value.([]any)
	if result[0] != true {
		t.Errorf("%v\n%s", result[1], document)
	}
}

// fullInput has something in every part.
func fullInput() Input {
	in := mentions(validInput(), "os.system")
	span := Span{Line: 1, Column: 2, EndLine: 3, EndColumn: 4}
	in.Source.Uses["os.system"][0].Args = []Arg{{Name: "a", Value: 1.5, Known: true}, {Value: true, Known: true}, {}}
	in.Source.Hygiene = []Problem{{Code: "c", Message: "m", Span: span}}
	in.Source.Imports, in.Source.ImportSpans = []string{"os"}, map[string][]Span{"os": {span}}
	in.Source.Attrs, in.Source.AttrSpans = []string{"a"}, map[string]Span{"a": span}
	in.Source.Strings, in.Source.Dynamic = []string{"s"}, map[string][]Span{"code": {span}}
	in.Request = Request{Tool: "t", Principal: Principal{Groups: []string{"g"}, Scopes: []string{"s"}}, Labels: map[string]string{"k": "v"}, Files: []File{{Path: "p", Bytes: 1, SHA256: "s"}}, Packages: []string{"x"}, Limits: Limits{WallMillis: 1}}
	in.Sandbox = Sandbox{Backend: "b", Capabilities: []string{"c"}}
	return in
}

func TestInputMatchesSchema(t *testing.T) {
	for _, in := range []Input{validInput(), fullInput()} {
		text, err := newEngine(t, ruleSystem).InputJSON(in)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, text, InputSchema())
	}
}

func TestDecisionMatchesSchema(t *testing.T) {
	e, err := New(Options{
		FS: packFS(ruleSystem), Packs: []string{"p"}, Limits: Limits{WallMillis: 1},
		Overrides: map[string]Action{"system": ActionAsk}, Exceptions: []Exception{validException()},
	})
	if err != nil {
		t.Fatal(err)
	}
	asks := fullInput()
	asks.Time = validException().Expires
	incomplete := validInput()
	incomplete.Source.Complete, incomplete.Source.Syntax = false, []Problem{{Code: "c", Message: "m"}}
	for _, d := range []Decision{
		e.Decide(ctx, validInput()), e.Decide(ctx, fullInput()), e.Decide(ctx, asks), e.Decide(ctx, asks).Approve(true),
		e.Decide(ctx, incomplete), e.Decide(ctx, Input{}),
	} {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, text, DecisionSchema())
	}
}

// TestSchemaKnowsEveryField fails when a field, a reason or a capability is
// added to the code and not to the schema that is published.
func TestSchemaKnowsEveryField(t *testing.T) {
	var s struct {
		Properties  map[string]any `json:"properties"`
		Definitions map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"definitions"`
	}
	if err := json.Unmarshal(decisionSchema, &s); err != nil {
		t.Fatal(err)
	}
	for typ, properties := range map[reflect.Type]map[string]any{
		reflect.TypeFor[Decision](): s.Properties,
		reflect.TypeFor[Finding]():  s.Definitions["finding"].Properties,
		reflect.TypeFor[Limits]():   s.Definitions["limits"].Properties,
	} {
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if _, ok := properties[name]; f.IsExported() && !ok {
				t.Errorf("%s.%s is not in the schema", typ.Name(), f.Name)
			}
		}
	}
	in, err := readSchema(aboutPrograms)
	if err != nil {
		t.Fatal(err)
	}
	definitions := in["definitions"].(map[string]any)
	known := definitions["capabilities"].(map[string]any)["properties"].(map[string]any)
	for _, c := range capabilityNames {
		if _, ok := known[c]; !ok {
			t.Errorf("capability %s is not in the schema", c)
		}
	}
	if len(known) != len(capabilityNames) || !slices.IsSorted(capabilityNames[:len(capabilityNames)-1]) {
		t.Errorf("the schema has %d capabilities, the code %d", len(known), len(capabilityNames))
	}
}

// TestConcurrent holds that decisions are the same whoever else is deciding.
func TestConcurrent(t *testing.T) {
	e := newEngine(t, rulesExplained)
	inputs := []Input{validInput(), mentions(validInput(), "os.system", "os.path.join"), {}}
	var want []string
	for _, in := range inputs {
		want = append(want, fmt.Sprintf("%+v", e.Decide(ctx, in)))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 60 {
				if diff := cmp.Diff(want[i%3], fmt.Sprintf("%+v", e.Decide(ctx, inputs[i%3]))); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	wg.Wait()
}
