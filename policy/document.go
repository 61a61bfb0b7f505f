package policy

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// MarshalJSON writes the facts as rules see them, in input.source.
func (s Source) MarshalJSON() ([]byte, error) { return marshal(s.value(nil)) }

// InputJSON returns the whole document that rules see for an input, for people
// who write rules.
func (e *Engine) InputJSON(in Input) ([]byte, error) { return marshal(e.inputValue(in)) }

func marshal(v ast.Value) ([]byte, error) {
	plain, err := ast.JSON(whole(v))
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// whole builds what a lazy value has not built yet.
func whole(v ast.Value) ast.Value {
	o, ok := v.(ast.Object)
	if !ok {
		return v
	}
	items := make([][2]*ast.Term, 0, o.Len())
	o.Foreach(func(key, value *ast.Term) {
		items = append(items, [2]*ast.Term{key, ast.NewTerm(whole(value.Value))})
	})
	return ast.NewObject(items...)
}

// InputSchema returns the JSON Schema of the input.
func InputSchema() []byte { return bytes.Clone(inputSchema) }

// FactsSchema returns the JSON Schema of the facts alone, input.source.
func FactsSchema() ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(inputSchema, &schema); err != nil {
		return nil, fmt.Errorf("reading the input schema: %v", err)
	}
	return json.Marshal(map[string]any{
		"$schema":     schema["$schema"],
		"title":       FactsVersion,
		"$ref":        "#/definitions/source",
		"definitions": schema["definitions"],
	})
}

//go:embed schema/decision.v1.json
var decisionSchema []byte

// DecisionSchema returns the JSON Schema of a Decision.
func DecisionSchema() []byte { return bytes.Clone(decisionSchema) }
