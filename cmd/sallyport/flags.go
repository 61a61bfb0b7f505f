package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/client"
	"sallyport/internal/hint"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	value *string
	words []string
	short map[string]string // other ways to write them
}

// newChoice takes one of the words, the first when nobody says anything.
func newChoice(value *string, words ...string) *choice {
	*value = words[0]
	return &choice{value: value, words: words}
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Set(word string) error {
	if full, ok := c.short[word]; ok {
		word = full
	}
	if !slices.Contains(c.words, word) {
		return errUnknownWord
	}
	*c.value = word
	return nil
}

// Type lets the help show a default as it does for text.
func (c *choice) Type() string { return "string" }

// formatFlag adds --format, whose first word is what happens without it.
func formatFlag(cmd *cobra.Command, format *string, words ...string) {
	cmd.Flags().Var(newChoice(format, words...), "format", "answer in `FORM`: "+alternatives(words))
}

// languageFlag adds --language; "" leaves the language to the name.
func languageFlag(cmd *cobra.Command, language *string, more string) {
	c := &choice{value: language, words: []string{"python", "javascript", "typescript", "notebook"}, short: map[string]string{"py": "python", "js": "javascript", "ts": "typescript", "ipynb": "notebook"}}
	cmd.Flags().VarP(c, "language", "l", "the program's `LANGUAGE`: python, javascript, typescript or notebook (default: from the extension or the shebang line)"+more)
}

func environmentFlag(cmd *cobra.Command, environment *string, what string) {
	cmd.Flags().StringVar(environment, "environment", "", what+" the operator's environment `NAME` (see sallyport env list)")
}

// judgedIn says what --environment does where nothing runs.
const judgedIn = "judge as for a run in"

// labelUsage says what --label gives a program.
const labelUsage = "say what this is for, as `KEY=VALUE`: for rules and the audit log; may be repeated"

// labelled is the value of --label, which may be repeated.
type labelled struct {
	labels *map[string]string
	given  []string
}

func labelFlag(cmd *cobra.Command, labels *map[string]string, usage string) {
	cmd.Flags().Var(&labelled{labels: labels}, "label", usage)
}

func (l *labelled) String() string { return strings.Join(l.given, " ") }
func (l *labelled) Type() string   { return "string" }

func (l *labelled) Set(text string) (err error) {
	l.given = append(l.given, text)
	*l.labels, err = gate.ParseLabels(l.given)
	return err
}

// alternatives lists words as a sentence does: "a, b or c".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// outputFlag adds -o, the place of what a verb makes.
func outputFlag(cmd *cobra.Command, output *string, usage string) {
	cmd.Flags().StringVarP(output, "output", "o", "", usage)
}

// serverFlags adds what says which service does the work.
func serverFlags(cmd *cobra.Command, o *client.Options) {
	fl := cmd.Flags()
	fl.StringVar(&o.Server, "server", "", "have the sallyport serve at `URL` do it, by its policy")
	fl.StringVar(&o.TokenFile, "token-file", "", "with --server, read the token from `FILE` (default: from $SALLYPORT_TOKEN)")
	fl.StringVar(&o.CA, "ca", "", "with --server, trust the authorities in `FILE` (default: those of this machine)")
}

// service is the one that the flags name, nil for none.
func (a *app) service(o client.Options) (*client.Client, error) {
	f := a.flags
	switch {
	case o.Server == "" && o.TokenFile+o.CA == "":
		return nil, nil
	case o.Server == "":
		return nil, hint.With(hint.Usage("--token-file and --ca are about a service, and none is named"), "--server URL names it")
	case f.File+f.Backend != "" || len(f.Packs)+len(f.Policies) > 0:
		return nil, hint.With(hint.Usage("--config, --backend, --pack and --policy are for this machine, and --server has another one do it"), "leave them out: the service's own configuration says")
	}
	o.Env, o.Version = a.env, version()
	return client.New(o)
}

// errUnknownWord is the error of a choice; flagError knows which words it has.
var errUnknownWord = errors.New("not one of its words")

// flagError is a complaint about a flag, and what was meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		return unknownFlag(cmd, unknown.GetSpecifiedName())
	case errors.As(err, &missing):
		return hint.With(hint.Usage("--%s needs a value", missing.GetFlag().Name), "%s --help", cmd.CommandPath())
	case errors.As(err, &value):
		return badValue(value)
	}
	return hint.With(hint.Usage("%v", err), "%s --help", cmd.CommandPath())
}

func unknownFlag(cmd *cobra.Command, name string) error {
	var names []string
	note := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(note)
	cmd.InheritedFlags().VisitAll(note)
	fix := cmd.CommandPath() + " --help"
	if best := hint.Nearest(name, names); best != "" {
		fix = "did you mean --" + best + "?"
	}
	return hint.With(hint.Usage("unknown flag: --%s", name), "%s", fix)
}

// badValue says what a flag takes instead.
func badValue(err *pflag.InvalidValueError) error {
	f := err.GetFlag()
	if errors.Is(err, gate.ErrLabels) {
		return hint.Usage("--label: %w", err.Unwrap())
	}
	if c, ok := f.Value.(*choice); ok {
		return unknownWord("--"+f.Name, err.GetValue(), c.words)
	}
	what, such := "what --"+f.Name+" takes", err.Unwrap().Error()
	switch kind := f.Value.Type(); {
	case kind == "duration":
		what, such = "a duration", "a number and its unit, such as 500ms, 30s or 2m"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "float"):
		what, such = "a number", "such as 5"
		if value, _ := pflag.UnquoteUsage(f); value == "MB" || value == "MiB" {
			what, such = "a number of "+value, "such as 256, without a unit"
		}
	case kind == "bool":
		what, such = "true or false", "--"+f.Name+" alone is enough"
	}
	return hint.With(hint.Usage("--%s: %q is not %s", f.Name, err.GetValue(), what), "%s", such)
}

// unknownWord is the error of a word that is none of a few.
func unknownWord(of, word string, words []string) error {
	return hint.With(hint.Usage("unknown value %q for %s", word, of), "%s", hint.DidYouMean(word, words, "one of "+strings.Join(words, ", ")))
}

// wants checks the number of arguments; a negative most is no limit. A word
// too much after a verb that has verbs of its own is one of them, misspelt.
func wants(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		_, takes, _ := strings.Cut(c.Use, " ")
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		example, _, _ = strings.Cut(example, "  #")
		switch {
		case len(args) < least:
			return hint.With(hint.Usage("%s needs an argument: %s", c.CommandPath(), takes), "for instance: %s", cmp.Or(strings.TrimSpace(example), c.CommandPath()+" --help"))
		case most < 0 || len(args) <= most:
			return nil
		case c.HasSubCommands():
			return unknownVerb(c, args[0])
		case most == 0:
			return hint.With(hint.Usage("%s takes no argument, and there is %q", c.CommandPath(), args[0]), "%s --help", c.CommandPath())
		}
		return hint.With(hint.Usage("%s takes no more than %s, and there is %q", c.CommandPath(), takes, args[most]), "%s --help", c.CommandPath())
	}
}

// unknownVerb is the error of a word that is no verb below c.
func unknownVerb(c *cobra.Command, word string) error {
	fix := c.CommandPath() + " --help"
	if best := hint.Nearest(word, verbs(c)); best != "" {
		fix = "did you mean: " + c.CommandPath() + " " + best
	} else if language, _ := analyze.LanguageOf(word, nil); language != "" && !c.HasParent() {
		fix = "did you mean: " + c.CommandPath() + " run " + answer.OneLine(word)
	}
	return hint.With(hint.Usage("unknown command %q for %q", word, c.CommandPath()), "%s", fix)
}

// verbs are the names below c, topics of help among them.
func verbs(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}
