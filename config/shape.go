package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"sallyport/internal/hint"
)

// misshapen says where a document has another shape than t: a key that is not
// there, one that stands twice, a value of another kind. It is nil for one that
// can be decoded. The decoder finds the same, and says it in the words of Go.
func misshapen(doc *yaml.Node, t reflect.Type) error {
	s := shape{keys: keysOf(t)}
	s.look(doc, t)
	if len(s.wrong) == 0 {
		return nil
	}
	fix := hint.DidYouMean(s.unknown, s.keys, schemaHint)
	if path := placeOf(t, s.unknown); path != "" {
		fix = "its place is " + path
	}
	return hint.New(nil, fix, "%s", strings.Join(s.wrong, "; "))
}

// schemaHint is what to do where nothing nearer is known.
const schemaHint = "sallyport config schema prints what may stand where"

type shape struct {
	keys    []string // that there are, at any depth
	wrong   []string
	unknown string // the first key that is not there
}

func (s *shape) complain(n *yaml.Node, format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf("line %d: %s", n.Line, fmt.Sprintf(format, args...)))
}

func (s *shape) look(n *yaml.Node, t reflect.Type) {
	switch {
	case n.Kind == yaml.DocumentNode:
		s.look(n.Content[0], t)
	case n.Kind == yaml.AliasNode:
		s.look(n.Alias, t)
	case n.Tag == "!!null", reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()):
		// nothing, or what reads itself
	case t.Kind() == reflect.Pointer:
		s.look(n, t.Elem())
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			s.look(item, t.Elem())
		}
	case (t.Kind() == reflect.Map || t.Kind() == reflect.Struct) && n.Kind == yaml.MappingNode:
		s.members(n, t)
	case n.Kind != yaml.ScalarNode:
		s.complain(n, "%s stands where %s belongs", nodeKind(n), typeKind(t))
	case n.Decode(reflect.New(t).Interface()) != nil:
		s.complain(n, "%s `%s` stands where %s belongs", nodeKind(n), n.Value, typeKind(t))
	}
}

func (s *shape) members(n *yaml.Node, t reflect.Type) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			s.look(value, t)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			s.complain(key, "mapping key %q already defined at line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		of, ok := memberType(t, key.Value)
		if !ok {
			if s.unknown == "" {
				s.unknown = key.Value
			}
			s.complain(key, "there is no key %q here", key.Value)
			continue
		}
		s.look(value, of)
	}
}

// memberType is the type of what stands behind a key.
func memberType(t reflect.Type, key string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("yaml") == key && key != "-" {
			return f.Type, true
		}
	}
	return nil, false
}

// keysOf are the keys of a type, at any depth.
func keysOf(t reflect.Type) (keys []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keys = keysOf(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if key := t.Field(i).Tag.Get("yaml"); key != "-" && key != "" {
				keys = append(append(keys, key), keysOf(t.Field(i).Type)...)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// placeOf is where a key stands, "" for one that stands nowhere.
func placeOf(t reflect.Type, key string) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return placeOf(t.Elem(), key)
	case reflect.Map:
		if path := placeOf(t.Elem(), key); path != "" {
			return "NAME." + path
		}
	case reflect.Struct:
		if _, ok := memberType(t, key); ok {
			return key
		}
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
				if path := placeOf(t.Field(i).Type, key); path != "" {
					return name + "." + path
				}
			}
		}
	}
	return ""
}

// nodeKind names a kind of value.
func nodeKind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "a map of keys"
	case n.Tag == "!!bool":
		return "true or false"
	case n.Tag == "!!int":
		return "a whole number"
	case n.Tag == "!!float":
		return "a number"
	}
	return "text"
}

// typeKind names the kind of value that a type takes.
func typeKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a map of keys"
}
