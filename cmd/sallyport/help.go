package main

import (
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newTopics are pages of help that belong to no verb.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		newExitCodesHelp(),
		{Use: "policies", Short: "What decides whether a program may run", Long: policiesTopic},
		{Use: "environments", Short: "What programs may bring along and find inside", Long: environmentsTopic},
	}
}

const policiesTopic = `A program is parsed into facts, and rules in Rego judge the facts. The strictest
finding decides: deny, ask, warn or log. Whatever goes wrong on the way denies.

Packs are built in; --pack or policy.packs of sallyport.yaml names those in force:

  baseline      the default: no processes, network, native code, hidden code
  strict        baseline, and only listed modules, constant paths, nothing dynamic
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

const environmentsTopic = `An environment is what a program finds beside its interpreter: packages, secrets,
files, an image. The operator defines environments in sallyport.yaml:

  environments:
    data:
      description: numpy and pandas
      python: {lock: data.lock}

  sallyport env build data                   install what its lock file names, once
  sallyport run --environment data plot.py   run in it
  sallyport env list                         which there are, and whether they are ready

A caller, a model too, only chooses one by its name; it cannot add a package, a
mount or an image. Without environments programs run with this machine's own
python3 and node and see nothing else of it. Files go in with --file and come
out with --out.`

// nearest returns the candidate that a misspelt word was meant to be, or "".
func nearest(word string, candidates []string) string {
	best, distance := "", len(word)/3+2
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(word, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// didYouMean is the hint about a misspelt word, or else the other one.
func didYouMean(word string, candidates []string, otherwise string) string {
	if best := nearest(word, candidates); best != "" {
		return "did you mean " + best + "?"
	}
	return otherwise
}

// flagError is a complaint about a flag, with the one that was meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	if word, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		var names []string
		note := func(f *pflag.Flag) { names = append(names, f.Name) }
		cmd.Flags().VisitAll(note)
		cmd.InheritedFlags().VisitAll(note)
		if best := nearest(word, names); best != "" {
			hint = "did you mean --" + best + "?"
		}
	}
	return withHint(usagef("%v", err), "%s", hint)
}
