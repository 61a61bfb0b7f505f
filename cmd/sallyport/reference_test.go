package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"sallyport/internal/golden"
)

// TestReference holds that docs/cli.md is what the commands say themselves.
func TestReference(t *testing.T) {
	a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, func(string) (string, bool) { return "", false })
	got := reference(rootCommand(a))
	golden.Hold(t, filepath.Join("..", "..", "docs", "cli.md"), got)
	for _, verb := range []string{"run", "check", "mcp", "policy test", "explain"} {
		if !strings.Contains(got, "\n## sallyport "+verb+"\n") {
			t.Errorf("the reference lacks %q", verb)
		}
	}
}

// reference renders a tree of commands as Markdown.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command line\n\n")
	b.WriteString("Written from the commands' own help by `go test ./cmd/sallyport -run TestReference -update`.\n\n")
	b.WriteString(paragraphs(root.Long) + "\n")
	codeBlock(&b, "sh", root.Example)
	b.WriteString("\nThese flags belong to every command:\n")
	codeBlock(&b, "", root.PersistentFlags().FlagUsagesWrapped(100))
	b.WriteString("\nThe shell completes commands, flags, packs, environments and rule ids after `sallyport completion bash|zsh|fish --help`.\n")
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
				describe(&b, sub)
				visit(sub)
			}
		}
	}
	visit(root)
	return b.String()
}

func describe(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	b.WriteString(paragraphs(text) + "\n")
	if c.Runnable() && !c.HasSubCommands() {
		codeBlock(b, "", c.UseLine())
	}
	codeBlock(b, "", c.LocalNonPersistentFlags().FlagUsagesWrapped(100))
	codeBlock(b, "sh", c.Example)
}

// paragraphs turns help into Markdown: indented lines become code.
func paragraphs(text string) string {
	var out []string
	code := false
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != code {
			if indented && len(out) > 0 && out[len(out)-1] != "" {
				out = append(out, "")
			}
			out = append(out, "```")
			if !indented && line != "" {
				out = append(out, "")
			}
			code = indented
		}
		if !code {
			line = strings.NewReplacer("*", "\\*", "<", "&lt;").Replace(line)
		}
		out = append(out, line)
	}
	if code {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}

// codeBlock writes text as a block of a language; TestDocs runs those of "sh".
func codeBlock(b *strings.Builder, language, text string) {
	if text = strings.TrimRight(text, " \n"); text != "" {
		fmt.Fprintf(b, "\n```%s\n%s\n```\n", language, text)
	}
}
