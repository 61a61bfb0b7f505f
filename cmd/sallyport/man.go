package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages, for packagers.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a directory",
		Example: "  sallyport man man/",
		Args:    wants(1, 1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("making a directory for manual pages: %w", err)
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
}

// writeManual writes the page of a command and those of its children.
func writeManual(c *cobra.Command, dir string) error {
	if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
		return nil
	}
	section := "1"
	if !c.Runnable() { // a topic of help
		section = "7"
	}
	name := filepath.Join(dir, manualName(c)+"."+section)
	if err := os.WriteFile(name, []byte(manual(c, section)), 0o644); err != nil {
		return fmt.Errorf("writing a manual page: %w", err)
	}
	for _, sub := range c.Commands() {
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manual is the manual page of a command.
func manual(c *cobra.Command, section string) string {
	var b strings.Builder
	date, version := "", "sallyport "+version()
	if _, d, ok := strings.Cut(commit, " "); ok {
		date, _, _ = strings.Cut(d, "T")
	}
	fmt.Fprintf(&b, ".TH %q %q %q %q %q\n", strings.ToUpper(manualName(c)), section, date, version, "sallyport")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manualName(c)), roff(strings.ToLower(c.Short[:1])+c.Short[1:]))
	if c.Runnable() {
		use := c.UseLine()
		if c.HasSubCommands() {
			use = c.CommandPath() + " [command]"
		}
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(use))
	}
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n")
	manualText(&b, text)
	manualFlags(&b, "OPTIONS", c.LocalNonPersistentFlags())
	manualFlags(&b, "COMMON OPTIONS", c.Root().PersistentFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manualText(&b, c.Example)
	}
	if !c.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		manualText(&b, exitCodesText())
		b.WriteString(".SH FILES\n")
		manualText(&b, filesText)
	}
	manualSeeAlso(&b, c)
	return b.String()
}

const filesText = `  $XDG_CONFIG_HOME/sallyport/sallyport.yaml   the user's configuration
  /etc/sallyport/sallyport.yaml               the system's, when the user has none
  $XDG_STATE_HOME/sallyport                   audit log, environments, sandboxes`

// manualText writes help text; indented lines stay as they are.
func manualText(b *strings.Builder, text string) {
	code := false
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !code:
			b.WriteString(".PP\n.nf\n")
		case !indented && code:
			b.WriteString(".fi\n.PP\n")
		case line == "" && !code:
			line = ".PP"
		}
		code = indented
		if line == ".PP" {
			b.WriteString(".PP\n")
		} else if line != "" {
			b.WriteString(roff(line) + "\n")
		}
	}
	if code {
		b.WriteString(".fi\n")
	}
}

func manualFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s", roff(name))
		if value != "" {
			fmt.Fprintf(b, " %s", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(oneLine(usage)))
	})
}

func manualSeeAlso(b *strings.Builder, c *cobra.Command) {
	var names []string
	add := func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			return
		}
		section := "1"
		if !c.Runnable() {
			section = "7"
		}
		names = append(names, fmt.Sprintf(".BR %s (%s)", roff(manualName(c)), section))
	}
	if c.HasParent() {
		add(c.Parent())
	}
	for _, sub := range c.Commands() {
		add(sub)
	}
	if len(names) > 0 {
		fmt.Fprintf(b, ".SH SEE ALSO\n%s\n", strings.Join(names, ",\n"))
	}
}

// roff escapes what the formatter would take for its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
