package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sallyport/internal/hint"
)

// everyCommand visits all verbs and topics that people see.
func everyCommand(t *testing.T, visit func(*cobra.Command)) {
	t.Helper()
	a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, func(string) (string, bool) { return "", false })
	n := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "completion" {
			return // cobra's own words
		}
		n++
		visit(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand(a))
	if n < 35 {
		t.Fatalf("saw %d commands", n)
	}
}

// TestHelp holds that the help of every command fits a terminal of 80 columns
// and shows how the command is used.
func TestHelp(t *testing.T) {
	everyCommand(t, func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		for line := range strings.Lines(c.Short + "\n" + c.Long + "\n" + c.UsageString()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s --help: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		if c.Runnable() && !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s --help shows no example", c.CommandPath())
		}
	})
}

// TestPackageComment holds that what go doc says are the verbs and the exit codes
// that there are.
func TestPackageComment(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\npackage main\n")
	everyCommand(t, func(c *cobra.Command) {
		if c.HasParent() && !c.Parent().HasParent() && c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			if want := fmt.Sprintf("//\t%-11s %s\n", c.Name(), c.Short); !strings.Contains(comment, want) {
				t.Errorf("main.go does not say %q", want)
			}
		}
	})
	for line := range strings.Lines(exitCodesText()) {
		if want := "//\t" + strings.TrimPrefix(line, "  "); !strings.Contains(comment+"\n", want) {
			t.Errorf("main.go does not say %q", want)
		}
	}
}

// TestFlagsAgree holds that a flag of one name means the same in every verb: it
// takes one kind of thing and has one short form.
func TestFlagsAgree(t *testing.T) {
	type form struct{ short, value string }
	known := map[string]form{}
	// What a verb makes goes to --output: a file, or for a run a directory. A key
	// is a file, with the id that bundles name it by where there may be several.
	differ := []string{"output", "key"}
	everyCommand(t, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			is := form{f.Shorthand, value}
			if slices.Contains(differ, f.Name) {
				is.value = ""
			}
			if was, ok := known[f.Name]; ok && was != is {
				t.Errorf("%s --%s is %+v, elsewhere %+v", c.CommandPath(), f.Name, is, was)
			}
			known[f.Name] = is
		})
	})
}

// TestWrongArguments holds that every verb says so as wrong usage.
func TestWrongArguments(t *testing.T) {
	everyCommand(t, func(c *cobra.Command) {
		if c.Args == nil {
			if c.Runnable() && c.Name() != "help" && c.Name() != "init" {
				t.Errorf("%s takes any argument", c.CommandPath())
			}
			return
		}
		for n := range 9 {
			err := c.Args(c, slices.Repeat([]string{"x"}, n))
			if err != nil && (!errors.Is(err, hint.ErrUsage) || hint.Fix(err) == "") {
				t.Errorf("%s with %d arguments: %v is no wrong usage with a hint", c.CommandPath(), n, err)
			}
		}
	})
}
