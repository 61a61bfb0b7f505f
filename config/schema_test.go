package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// node is the part of JSON Schema that ours is written in. Any other keyword
// makes decoding fail, so that the validator below cannot overlook one.
type node struct {
	Schema               string           `json:"$schema"`
	Ref                  string           `json:"$ref"`
	Title                string           `json:"title"`
	Description          string           `json:"description"`
	Type                 string           `json:"type"`
	Properties           map[string]*node `json:"properties"`
	AdditionalProperties *closedOr        `json:"additionalProperties"`
	Required             []string         `json:"required"`
	Items                *node            `json:"items"`
	Enum                 []string         `json:"enum"`
	Pattern              string           `json:"pattern"`
	Minimum              *int64           `json:"minimum"`
	Maximum              *int64           `json:"maximum"`
	Definitions          map[string]*node `json:"definitions"`
}

// closedOr is additionalProperties: false, or a schema.
type closedOr struct{ *node }

func (c *closedOr) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	return strict(b, &c.node)
}

func strict(b []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func readSchema(t *testing.T) *node {
	t.Helper()
	var root *node
	if err := strict(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func (n *node) resolve(root *node) *node {
	if n.Ref == "" {
		return n
	}
	return root.Definitions[strings.TrimPrefix(n.Ref, "#/definitions/")]
}

// check returns what is wrong with a value, or "".
func (n *node) check(root *node, at string, v any) string {
	n = n.resolve(root)
	switch v := v.(type) {
	case map[string]any:
		return n.checkObject(root, at, v)
	case []any:
		if n.Type != "array" {
			return at + ": a list"
		}
		for i, x := range v {
			if wrong := n.Items.check(root, fmt.Sprintf("%s[%d]", at, i), x); wrong != "" {
				return wrong
			}
		}
	case string:
		if n.Type != "string" || n.Enum != nil && !slices.Contains(n.Enum, v) || !regexp.MustCompile(n.Pattern).MatchString(v) {
			return fmt.Sprintf("%s: %q", at, v)
		}
	case int:
		if n.Type != "integer" || int64(v) < *n.Minimum || int64(v) > *n.Maximum {
			return fmt.Sprintf("%s: %d", at, v)
		}
	case bool:
		if n.Type != "boolean" {
			return at + ": a boolean"
		}
	default:
		return fmt.Sprintf("%s: %T", at, v)
	}
	return ""
}

func (n *node) checkObject(root *node, at string, v map[string]any) string {
	if n.Type != "object" {
		return at + ": an object"
	}
	for _, k := range n.Required {
		if _, ok := v[k]; !ok {
			return at + ": no " + k
		}
	}
	for k, x := range v {
		sub := n.Properties[k]
		if sub == nil && n.AdditionalProperties != nil {
			sub = n.AdditionalProperties.node
		}
		if sub == nil {
			return at + ": unknown key " + k
		}
		if wrong := sub.check(root, at+"."+k, x); wrong != "" {
			return wrong
		}
	}
	return ""
}

func document(t *testing.T, text string) any {
	t.Helper()
	// Dates are texts to an editor's validator.
	text = strings.ReplaceAll(text, "2027-01-31", `"2027-01-31"`)
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// What the program accepts the schema accepts, and what one refuses, the other
// does.
func TestSchemaAgreesWithParse(t *testing.T) {
	root := readSchema(t)
	if wrong := root.check(root, "", document(t, valid)); wrong != "" {
		t.Errorf("the schema refuses a valid configuration: %s", wrong)
	}
	for _, tt := range []struct{ name, old, new string }{
		{"unknown key", "policy:", "polcy:"},
		{"unknown nested key", "packs", "pack"},
		{"unknown backend", "backend: gvisor", "backend: none"},
		{"image of an unknown language", "backend: gvisor", "engine: {images: {perl: x}}"},
		{"bare duration", "timeout: 10s", "timeout: 10"},
		{"negative duration", "timeout: 10s", "timeout: -1s"},
		{"negative limit", "memory_mb: 256", "memory_mb: -1"},
		{"unknown action", "{network: warn}", "{network: allow}"},
		{"misspelt exception key", "symbols:", "symbol:"},
		{"exception without an owner", "owner: jane@acme.example", "users: [jane]"},
		{"unknown language", "python: {acme", "perl: {acme"},
		{"text for a list", "packs: [strict]", "packs: strict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(valid, tt.old, tt.new, 1)
			if _, err := Parse(strings.NewReader(text)); err == nil {
				t.Error("Parse accepts it")
			}
			if root.check(root, "", document(t, text)) == "" {
				t.Error("the schema accepts it")
			}
		})
	}
}

// Every key of Config stands in the schema with its type, and no other.
func TestSchemaCoversConfig(t *testing.T) {
	root := readSchema(t)
	compare(t, root, root, reflect.TypeFor[Config](), "")
}

func compare(t *testing.T, root, n *node, typ reflect.Type, at string) {
	t.Helper()
	n = n.resolve(root)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	want := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer",
		reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object",
	}[typ.Kind()]
	if typ == reflect.TypeFor[Duration]() || typ == reflect.TypeFor[Date]() {
		want = "string"
	}
	if n == nil || n.Type != want {
		t.Errorf("%s is %v in Go, in the schema %+v", at, typ, n)
		return
	}
	switch {
	case want == "array":
		compare(t, root, n.Items, typ.Elem(), at+"[]")
	case typ.Kind() == reflect.Map && n.AdditionalProperties.node != nil:
		compare(t, root, n.AdditionalProperties.node, typ.Elem(), at+".*")
	case typ.Kind() == reflect.Map:
		for k, sub := range n.Properties {
			compare(t, root, sub, typ.Elem(), at+"."+k)
		}
	case want == "object":
		compareStruct(t, root, n, typ, at)
	}
}

func compareStruct(t *testing.T, root, n *node, typ reflect.Type, at string) {
	t.Helper()
	var keys []string
	for i := range typ.NumField() {
		key := typ.Field(i).Tag.Get("yaml")
		if key == "-" {
			continue
		}
		keys = append(keys, key)
		if n.Properties[key] == nil {
			t.Errorf("the schema has no %s.%s", at, key)
			continue
		}
		compare(t, root, n.Properties[key], typ.Field(i).Type, at+"."+key)
	}
	for k := range n.Properties {
		if !slices.Contains(keys, k) {
			t.Errorf("Config has no %s.%s", at, k)
		}
	}
	if n.AdditionalProperties == nil || n.AdditionalProperties.node != nil {
		t.Errorf("%s is open for unknown keys", at)
	}
}

func TestSchemaEnums(t *testing.T) {
	p := readSchema(t).Properties["policy"].Properties
	if got := p["overrides"].AdditionalProperties.Enum; !slices.Equal(got, actions) {
		t.Errorf("actions %v, want %v", got, actions)
	}
	if got := p["signing"].Properties["algorithm"].Enum; !slices.Equal(got, algorithms) {
		t.Errorf("algorithms %v, want %v", got, algorithms)
	}
}
