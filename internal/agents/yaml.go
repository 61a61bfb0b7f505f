package agents

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

var errNoBlock = errors.New("extensions is not written as a block of lines, so it is not edited")

// editYAML sets the server among the extensions, as Goose writes it: a block of
// lines below its name. What is written in another way is not edited, and every
// other line stays as it is.
func editYAML(old []byte, e Entry) ([]byte, error) {
	edited, err := placeYAML(old, e)
	if err != nil {
		return nil, err
	}
	var before, after map[string]any
	if yaml.Unmarshal(old, &before) != nil || yaml.Unmarshal(edited, &after) != nil {
		return nil, errNoBlock
	}
	for _, doc := range []map[string]any{before, after} {
		if all, ok := doc["extensions"].(map[string]any); ok {
			delete(all, e.Name)
		}
	}
	if before == nil {
		before = map[string]any{}
	}
	if all, _ := before["extensions"].(map[string]any); all == nil {
		before["extensions"] = map[string]any{}
	}
	if !reflect.DeepEqual(before, after) {
		return nil, errNoBlock // lines that are not where they seem to be
	}
	return edited, nil
}

// placeYAML puts the lines of the entry where they belong.
func placeYAML(old []byte, e Entry) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(old, &doc); err != nil {
		return nil, errors.New("not YAML, so it is not edited")
	}
	lines := bytes.SplitAfter(old, []byte("\n"))
	if n := len(lines) - 1; len(lines[n]) > 0 {
		lines[n] = append(slices.Clone(lines[n]), '\n')
	} else {
		lines = lines[:n]
	}
	put := func(from, to int, text string) []byte {
		return slices.Concat(bytes.Join(lines[:from], nil), []byte(text), bytes.Join(lines[to:], nil))
	}
	if len(doc.Content) == 0 {
		return put(len(lines), len(lines), "extensions:\n"+yamlEntry(e, "  ")), nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, errNoBlock
	}
	at, end := yamlKey(root, "extensions", len(lines))
	if at < 0 {
		return put(len(lines), len(lines), "extensions:\n"+yamlEntry(e, "  ")), nil
	}
	all := root.Content[at+1]
	switch {
	case all.Kind == yaml.ScalarNode && all.Tag == "!!null" && all.Value == "":
		line := root.Content[at].Line
		return put(line, line, yamlEntry(e, "  ")), nil
	case all.Kind != yaml.MappingNode || all.Style&yaml.FlowStyle != 0 || all.Anchor != "":
		return nil, errNoBlock
	}
	unit := strings.Repeat(" ", all.Content[0].Column-1)
	at, last := yamlKey(all, e.Name, end)
	if at < 0 {
		return put(last, last, yamlEntry(e, unit)), nil
	}
	if all.Content[at+1].Anchor != "" {
		return nil, errNoBlock // somebody refers to it
	}
	return put(all.Content[at].Line-1, last, yamlEntry(e, unit)), nil
}

// yamlKey finds a key of a mapping whose lines end before end, and where the lines
// of its value end; of a key that is not there, where the mapping does. The comment
// above the next key is that one's.
func yamlKey(m *yaml.Node, name string, end int) (at, last int) {
	at, last = -1, end
	var deepest func(n *yaml.Node) int
	deepest = func(n *yaml.Node) int {
		line := n.Line + strings.Count(n.Value, "\n")
		for _, c := range n.Content {
			line = max(line, deepest(c))
		}
		return line
	}
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return i, min(end, deepest(m.Content[i+1]))
		}
	}
	return at, min(end, deepest(m))
}

// yamlExtension is a server as Goose has it.
type yamlExtension struct {
	Enabled bool              `yaml:"enabled"`
	Type    string            `yaml:"type"`
	Name    string            `yaml:"name"`
	Cmd     string            `yaml:"cmd"`
	Args    []string          `yaml:"args"`
	Envs    map[string]string `yaml:"envs"`
	Timeout int               `yaml:"timeout"` // seconds
}

func yamlEntry(e Entry, unit string) string {
	var out, lines strings.Builder
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if enc.Encode(map[string]yamlExtension{e.Name: {true, "stdio", e.Name, e.Command, e.Args, map[string]string{}, 300}}) != nil {
		return "" // plain texts are no error
	}
	for line := range strings.Lines(out.String()) {
		lines.WriteString(unit + line)
	}
	return lines.String()
}
