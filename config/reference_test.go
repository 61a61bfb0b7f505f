package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/internal/golden"
)

// TestReference holds that docs/configuration.md is what the schema says, and
// that its example is a configuration.
func TestReference(t *testing.T) {
	example, err := os.ReadFile(filepath.Join("schema", "example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(strings.NewReader(string(example))); err != nil {
		t.Errorf("the example does not parse: %v", err)
	}
	root := readSchema(t)
	if wrong := root.check(root, "", document(t, string(example))); wrong != "" {
		t.Errorf("the schema refuses the example: %s", wrong)
	}
	golden.Hold(t, filepath.Join("..", "docs", "configuration.md"), reference(root, string(example)))
}

// reference renders the schema as Markdown: one table for each part.
func reference(root *node, example string) string {
	var b strings.Builder
	b.WriteString(`# Configuration

Written from config/schema/sallyport.v1.json by ` + "`go test ./config -run TestReference -update`" + `.

sallyport reads one file: that of ` + "`--config`" + `, else ` + "`$XDG_CONFIG_HOME/sallyport/sallyport.yaml`" + ` (or
` + "`~/.config/sallyport/sallyport.yaml`" + `), else ` + "`/etc/sallyport/sallyport.yaml`" + `. It never reads one from the
working directory, which may be the agent's. A file that everybody may write, an unknown key, a wrong type or a
second document is an error, and a configuration that is wrong is never replaced by the defaults.

` + "`sallyport config check`" + ` checks a configuration and every policy that it names, with the line of what is wrong;
` + "`sallyport config show`" + ` prints what is in force and where each value comes from, without secrets; ` + "`sallyport config schema`" + ` prints the JSON Schema, which editors use to complete and check:

` + "```yaml\n# yaml-language-server: $schema=sallyport.v1.json\n" + example + "```\n")
	for _, part := range []string{"policy", "sandbox", "limits", "audit", "files", "inbox", "outbox", "mcp", "serve", "ask", "telemetry"} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | type | |\n|---|---|---|\n", part, root.Properties[part].Description)
		n, prefix := root.Properties[part], ""
		if named := n.AdditionalProperties; named != nil && named.node != nil {
			n, prefix = named.node, "NAME."
		}
		rows(&b, root, n, prefix)
	}
	return b.String()
}

func rows(b *strings.Builder, root, n *node, prefix string) {
	keys := make([]string, 0, len(n.Properties))
	for k := range n.Properties {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		sub := n.Properties[k]
		target := sub.resolve(root)
		text := sub.Description
		if text == "" {
			text = target.Description
		}
		if target.Enum != nil {
			text += " One of " + strings.Join(target.Enum, ", ") + "."
		}
		if slices.Contains(n.Required, k) {
			text += " Required."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, k, typeName(target, root), strings.TrimSpace(strings.ReplaceAll(text, "|", "\\|")))
		switch {
		case target.Type == "array" && target.Items.resolve(root).Type == "object":
			rows(b, root, target.Items.resolve(root), prefix+k+"[].")
		case target.Type == "object":
			rows(b, root, target, prefix+k+".")
		}
	}
}

func typeName(n, root *node) string {
	switch n.Type {
	case "array":
		return "list of " + typeName(n.Items.resolve(root), root)
	case "object":
		if n.AdditionalProperties != nil && n.AdditionalProperties.node != nil {
			return "map to " + typeName(n.AdditionalProperties.resolve(root), root)
		}
		return "object"
	case "string":
		if strings.Contains(n.Pattern, "ns|us|ms") {
			return "duration"
		}
		return "text"
	}
	return n.Type
}
