package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
)

// ocsfSchema is what testdata/ocsf-1.2.0.json says of the classes and objects
// that the export uses.
type ocsfSchema struct {
	Classes map[string]ocsfType
	Objects map[string]ocsfType
}

type ocsfType struct {
	CategoryUID float64                  `json:"category_uid"`
	ClassUID    float64                  `json:"class_uid"`
	Attributes  map[string]ocsfAttribute `json:"attributes"`
	Constraints map[string][]string      `json:"constraints"`
}

type ocsfAttribute struct {
	Type     string    `json:"type"`
	Array    bool      `json:"array"`
	Required bool      `json:"required"`
	Profile  string    `json:"profile"` // belongs to events of this profile only
	Enum     []float64 `json:"enum"`
}

func loadSchema(t *testing.T) ocsfSchema {
	t.Helper()
	b, err := os.ReadFile("testdata/ocsf-1.2.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var s ocsfSchema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// validate lists what is wrong with an event.
func (s ocsfSchema) validate(e map[string]any) []string {
	class, ok := s.Classes[fmt.Sprint(e["class_uid"])]
	if !ok {
		return []string{fmt.Sprintf("unknown class %v", e["class_uid"])}
	}
	profiles := map[string]bool{"": true}
	if meta, ok := e["metadata"].(map[string]any); ok {
		if list, ok := meta["profiles"].([]any); ok {
			for _, p := range list {
				profiles[fmt.Sprint(p)] = true
			}
		}
	}
	problems := s.object("event", class, e, profiles)
	activity, _ := e["activity_id"].(float64)
	if e["category_uid"] != class.CategoryUID || e["type_uid"] != class.ClassUID*100+activity {
		problems = append(problems, fmt.Sprintf("category %v or type %v does not fit class %v", e["category_uid"], e["type_uid"], class.ClassUID))
	}
	return problems
}

func (s ocsfSchema) object(at string, typ ocsfType, v map[string]any, profiles map[string]bool) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(typ.Attributes)) {
		a := typ.Attributes[name]
		if _, there := v[name]; a.Required && !there && profiles[a.Profile] {
			problems = append(problems, fmt.Sprintf("%s.%s is required", at, name))
		}
	}
	if any := typ.Constraints["at_least_one"]; len(any) > 0 && !slices.ContainsFunc(any, func(n string) bool { return v[n] != nil }) {
		problems = append(problems, fmt.Sprintf("%s has none of %v", at, any))
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		a, ok := typ.Attributes[name]
		if !ok || !profiles[a.Profile] {
			problems = append(problems, fmt.Sprintf("%s.%s is not in the schema", at, name))
			continue
		}
		problems = append(problems, s.attribute(at+"."+name, a, v[name], profiles)...)
	}
	return problems
}

func (s ocsfSchema) attribute(at string, a ocsfAttribute, v any, profiles map[string]bool) []string {
	list := []any{v}
	if a.Array {
		var ok bool
		if list, ok = v.([]any); !ok {
			return []string{at + " is not a list"}
		}
	}
	var problems []string
	for _, item := range list {
		problems = append(problems, s.value(at, a, item, profiles)...)
	}
	return problems
}

func (s ocsfSchema) value(at string, a ocsfAttribute, v any, profiles map[string]bool) []string {
	ok := false
	switch a.Type {
	case "integer_t", "long_t", "port_t", "timestamp_t":
		n, isNumber := v.(float64)
		ok = isNumber && n == math.Trunc(n)
	case "boolean_t":
		_, ok = v.(bool)
	case "object":
		_, ok = v.(map[string]any)
	default:
		if typ, isObject := s.Objects[a.Type]; isObject {
			m, isMap := v.(map[string]any)
			if !isMap {
				return []string{at + " is not an object"}
			}
			return s.object(at, typ, m, profiles)
		}
		_, ok = v.(string) // string_t and its kinds
	}
	if !ok {
		return []string{fmt.Sprintf("%s: %v is no %s", at, v, a.Type)}
	}
	if n, isNumber := v.(float64); isNumber && len(a.Enum) > 0 && !slices.Contains(a.Enum, n) {
		return []string{fmt.Sprintf("%s: %v is not one of %v", at, v, a.Enum)}
	}
	return nil
}
