package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"sallyport/internal/hint"
)

// manCommand writes the manual pages, for packagers.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a directory",
		Example: "  sallyport man man/",
		Args:    wants(1, 1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return hint.While(err, "making a directory for manual pages")
			}
			if err := writeManual(cmd.Root(), args[0]); err != nil {
				return hint.While(err, "writing the manual pages")
			}
			return nil
		},
	}
}

// writeManual writes a page for each verb, in section 1, and for each topic of
// help, in section 7. The same commit gives the same bytes.
func writeManual(root *cobra.Command, dir string) error {
	date := time.Unix(0, 0).UTC()
	if _, d, ok := strings.Cut(commit, " "); ok {
		date, _ = time.Parse(time.RFC3339, d) // the build made it
	}
	header := doc.GenManHeader{Date: &date, Source: "sallyport " + version(), Manual: "sallyport"}
	root.DisableAutoGenTag = true
	root.InitDefaultHelpFlag()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Hidden = true // packages bring its scripts, and not a page about them
		}
	}
	asMarkdown(root)
	root.Long += "\n# EXIT STATUS\n" + markdownText(exitCodesText()) + "\n# FILES\n" + markdownText(filesText)
	err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: &header, Path: dir, CommandSeparator: "-"})
	for _, topic := range root.Commands() {
		if err != nil || !topic.IsAdditionalHelpTopicCommand() {
			continue
		}
		// The library would call it a command.
		name := "sallyport-" + topic.Name()
		page := fmt.Sprintf("%% %q \"7\" %q %q \"sallyport\"\n# NAME\n%s - %s\n\n# DESCRIPTION\n%s\n# SEE ALSO\n**sallyport(1)**\n",
			strings.ToUpper(name), date.Format("Jan 2006"), header.Source, name, topic.Short, topic.Long)
		err = os.WriteFile(filepath.Join(dir, name+".7"), md2man.Render([]byte(page)), 0o644)
	}
	return err
}

const filesText = `  $XDG_CONFIG_HOME/sallyport/sallyport.yaml   the user's configuration
  /etc/sallyport/sallyport.yaml               the system's, when the user has none
  $XDG_STATE_HOME/sallyport                   audit log, environments, sandboxes`

// asMarkdown makes what help says of a command and those below it fit for the
// library, which reads Markdown.
func asMarkdown(c *cobra.Command) {
	if c.Long == "" {
		c.Long = c.Short + "."
	}
	c.Long = markdownText(c.Long)
	for _, sub := range c.Commands() {
		asMarkdown(sub)
	}
}

// markdownText takes the text of help as it stands: indented lines are shown
// line by line, and no character means anything.
func markdownText(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			inside = indented
			b.WriteString("\n```\n")
		}
		if !inside {
			line = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`").Replace(line)
		}
		b.WriteString(line)
	}
	if inside {
		b.WriteString("```\n")
	}
	return b.String()
}
