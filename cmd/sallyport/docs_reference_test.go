package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/internal/golden"
	"sallyport/policy"
)

// TestReferenceTools and TestReferenceInput hold that docs/tools.md is what the
// server tells its clients, and docs/input.md what the schemas say.
func TestReferenceTools(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docsRoot, "mcp", "testdata", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Name        string
			Description string
			InputSchema jsonSchema
			Annotations map[string]any
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# MCP tools\n\nWritten from what the server answers to `tools/list`, by `go test ./cmd/sallyport -run TestReference -update`. ")
	b.WriteString("How it\nbehaves around them is in [mcp.md](mcp.md). Limits are the defaults; the operator's appear in their place.\n")
	if len(list.Tools) != 3 {
		t.Errorf("there are %d tools, want 3", len(list.Tools))
	}
	for _, tool := range list.Tools {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", tool.Name, tool.Description)
		for _, hint := range sortedKeys(tool.Annotations) {
			if hint == "title" {
				continue
			}
			fmt.Fprintf(&b, "- %s: %v\n", hint, tool.Annotations[hint])
		}
		b.WriteString("\n### Arguments of " + tool.Name + "\n")
		tool.InputSchema.table(&b, "")
	}
	golden.Hold(t, filepath.Join(docsRoot, "docs", "tools.md"), b.String())
}

func TestReferenceInput(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Input and decision\n\nWritten from the JSON Schemas by `go test ./cmd/sallyport -run TestReference -update`. The schemas themselves:\n")
	b.WriteString("[input.v1.json](../policy/schema/input.v1.json), [decision.v1.json](../policy/schema/decision.v1.json). `sallyport facts --input FILE`\n")
	b.WriteString("prints the input of a program. How to write rules on it is in [policy.md](policy.md).\n")
	for _, part := range []struct {
		name   string
		schema []byte
	}{{"input", policy.InputSchema()}, {"decision", policy.DecisionSchema()}} {
		var s jsonSchema
		if err := json.Unmarshal(part.schema, &s); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", part.name, s.Description)
		s.table(&b, part.name)
		for _, name := range sortedKeys(s.Definitions) {
			if d := s.Definitions[name]; d.Type == "object" {
				fmt.Fprintf(&b, "\n### %s: %s\n", part.name, name)
				if d.Description != "" {
					b.WriteString("\n" + d.Description + "\n")
				}
				d.table(&b, part.name)
			}
		}
	}
	if n := strings.Count(b.String(), "\n| `"); n < 90 {
		t.Errorf("the reference has only %d rows", n)
	}
	golden.Hold(t, filepath.Join(docsRoot, "docs", "input.md"), b.String())
}

// jsonSchema is as much of JSON Schema as ours use.
type jsonSchema struct {
	Type        string
	Description string
	Ref         string `json:"$ref"`
	Const       string
	Enum        []string
	Required    []string
	Default     any
	Minimum     *float64
	MaxItems    int
	Items       *jsonSchema
	Properties  map[string]*jsonSchema
	Additional  json.RawMessage `json:"additionalProperties"`
	Definitions map[string]*jsonSchema
}

// table writes a row for each property, those of objects within included.
// References lead to headings that begin with the prefix.
func (s *jsonSchema) table(b *strings.Builder, prefix string) {
	if len(s.Properties) == 0 {
		return
	}
	b.WriteString("\n| name | type | |\n|---|---|---|\n")
	s.rows(b, "", prefix)
}

func (s *jsonSchema) rows(b *strings.Builder, path, prefix string) {
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		text := strings.ReplaceAll(p.Description, "|", "\\|")
		if len(p.Enum) > 0 {
			text += " One of `" + strings.Join(p.Enum, "`, `") + "`."
		}
		if p.Const != "" {
			text += " Always `" + p.Const + "`."
		}
		if p.Default != nil {
			text += fmt.Sprintf(" Default: `%v`.", p.Default)
		}
		if slices.Contains(s.Required, name) {
			text += " Required."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", path, name, p.kind(prefix), strings.TrimSpace(text))
		if p.Items != nil {
			p.Items.rows(b, path+name+"[].", prefix)
		}
		p.rows(b, path+name+".", prefix)
	}
}

// kind names a type; that of a definition leads to its table.
func (s *jsonSchema) kind(prefix string) string {
	switch {
	case s.Ref != "":
		switch name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]; name {
		case "texts":
			return "list of text"
		case "spans", "problems":
			return fmt.Sprintf("list of [%s](#%s-%s)", name[:len(name)-1], prefix, name[:len(name)-1])
		default:
			return fmt.Sprintf("[%s](#%s-%s)", name, prefix, name)
		}
	case s.Items != nil:
		return "list of " + s.Items.kind(prefix)
	case s.Type == "object" && len(s.Properties) == 0 && len(s.Additional) > 0:
		var of jsonSchema
		if json.Unmarshal(s.Additional, &of) == nil {
			return "map to " + of.kind(prefix)
		}
		return "map"
	case s.Type == "string" || s.Const != "" || len(s.Enum) > 0:
		return "text"
	case s.Type == "":
		return "any"
	}
	return s.Type
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
