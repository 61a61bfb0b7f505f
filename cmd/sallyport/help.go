package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/internal/hint"
)

// newTopics are pages of help that belong to no verb.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		newExitCodesHelp(),
		{Use: "policies", Short: "What decides whether a program may run", Long: policiesTopic},
		{Use: "environments", Short: "What programs may bring along and find inside", Long: environmentsTopic},
	}
}

// firstWords is what somebody sees who types the name alone.
const firstWords = `sallyport judges code by policy and runs what is allowed in a sandbox.

  sallyport doctor                   does it work on this machine?
  sallyport run hello.py             judge a program, and run it
  sallyport check src/               judge a directory; nothing runs
  sallyport explain hello.py         why it was judged so
  sallyport init --client NAME       give it to an AI agent: claude-code, cursor …

Nothing has to be configured. sallyport --help names every command, and
sallyport help policies says what decides.
`

// usageTemplate is cobra's, for 80 columns, and with the flags that every verb
// has told apart from its own.
const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$all := .Commands}}{{if .Groups}}{{range $group := .Groups}}

{{$group.Title}}{{range $all}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name 11}} {{.Short}}{{end}}{{end}}{{end}}

Other commands:{{range $all}}{{if and (eq .GroupID "") (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name 11}} {{.Short}}{{end}}{{end}}{{else}}

Commands:{{range $all}}{{if .IsAvailableCommand}}
  {{rpad .Name 11}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasHelpSubCommands}}

Topics of help:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad .Name 12}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} COMMAND --help" says more about a command.{{end}}
`

// helpCommand is "sallyport help": about a verb, of any depth, or a topic.
func helpCommand() *cobra.Command {
	find := func(c *cobra.Command, words []string) (*cobra.Command, error) {
		at := c.Root()
		for _, w := range words {
			i := slices.IndexFunc(at.Commands(), func(sub *cobra.Command) bool { return sub.Name() == w })
			if i < 0 {
				fix := at.CommandPath() + " --help"
				if best := hint.Nearest(w, verbs(at)); best != "" {
					said := append(strings.Fields(at.CommandPath())[1:], best)
					fix = "did you mean: sallyport help " + strings.Join(said, " ")
				}
				return nil, hint.With(hint.Usage("there is no help about %q", strings.Join(words, " ")), "%s", fix)
			}
			at = at.Commands()[i]
		}
		return at, nil
	}
	return &cobra.Command{
		Use:     "help [COMMAND|TOPIC]",
		Short:   "Help about a command or a topic",
		Example: "  sallyport help run\n  sallyport help exit-codes",
		RunE: func(c *cobra.Command, words []string) error {
			about, err := find(c, words)
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			at, err := find(c, words)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []cobra.Completion
			for _, sub := range at.Commands() {
				if !sub.Hidden {
					out = append(out, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

const policiesTopic = `A program is parsed into facts, and rules in Rego judge the facts. The strictest
finding decides: deny, ask, warn or log. Whatever goes wrong on the way denies.

Packs are built in; --pack or policy.packs of sallyport.yaml names those in
force:

  baseline      the default: no processes, network, native code, hidden code
  strict        baseline, and only listed modules, fixed paths, nothing dynamic
  data-science  baseline, and of libraries only those that data work needs
  observe       denies nothing, and records what strict would have found

Policies of your own add rules beside the packs and can only tighten:

  sallyport policy new acme            a rule, its test and labelled programs
  sallyport policy test acme           run them, with coverage
  sallyport check --policy acme x.py   judge by it, too

Loosening is the operator's, in sallyport.yaml alone, and shows in every record:
policy.overrides gives a rule a milder action, policy.exceptions lets named code
pass until a day. "sallyport explain FILE" says why a program is judged so, and
"sallyport policy show RULE" what a rule is for.`

const environmentsTopic = `An environment is what a program finds beside its interpreter: packages,
secrets, files, an image. The operator defines environments in sallyport.yaml:

  environments:
    data:
      description: numpy and pandas
      python: {lock: data.lock}

  sallyport env build data                   install its packages, once
  sallyport run --environment data plot.py   run in it
  sallyport env list                         which there are, and are ready

A caller, a model too, only chooses one by its name; it cannot add a package, a
mount or an image. Without environments programs run with this machine's own
python3 and node and see nothing else of it, or, with the backends docker and
podman, in the engine's images. Files go in with --file and come
out with --output.`
