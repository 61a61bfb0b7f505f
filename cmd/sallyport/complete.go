package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sallyport/answer"
	"sallyport/internal/agents"
	"sallyport/policies"
	"sallyport/policy"
)

// completion returns the words for the shell.
type completion = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// prepareCompletion lets cobra's own verb behave like ours.
func prepareCompletion(c *cobra.Command) {
	c.Short = "Write the script that completes words for a shell"
	c.Args, c.RunE = wants(0, 0), func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, shell := range c.Commands() {
		shell.Args = wants(0, 0)
	}
}

// completePacks offers the built-in packs.
func completePacks(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	out := make([]cobra.Completion, len(packs))
	for i, p := range packs {
		out[i] = cobra.CompletionWithDesc(p.Name, answer.OneLine(p.Title))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completePacksThenFiles offers packs and paths for the first n arguments and
// paths for the others.
func completePacksThenFiles(n int) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveDefault
		}
		out, _ := completePacks(cmd, args, word)
		return out, cobra.ShellCompDirectiveDefault
	}
}

// completeRules offers the ids of rules, also of packs that are not in force.
func completeRules(setup configured) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		s, err := setup()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		e, err := s.EveryRule()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, r := range e.Rules() {
			out = append(out, cobra.CompletionWithDesc(r.ID, answer.OneLine(r.Title)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeEnvironments offers the operator's environments.
func completeEnvironments(setup configured) completion {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		s, err := setup()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var out []cobra.Completion
		for _, name := range slices.Sorted(maps.Keys(s.Config.Environments)) {
			out = append(out, cobra.CompletionWithDesc(name, answer.OneLine(s.Config.Environments[name].Description)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeWords offers a fixed set of words.
func completeWords(words ...string) completion {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.Clone(words), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags gives every flag with known words its completion.
func completeFlags(setup configured, cmd *cobra.Command) {
	named := map[string]completion{
		"pack":        completePacks,
		"rule":        completeRules(setup),
		"environment": completeEnvironments(setup),
		"client":      completeWords(agents.Names()...),
		"effect":      completeWords("allow", "deny", "ask"),
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		words, ok := named[f.Name]
		if c, is := f.Value.(*choice); is {
			words, ok = completeWords(c.words...), true
		}
		if !ok {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, words); err != nil {
			panic(err) // the flag is there and has no completion yet
		}
	})
	for _, c := range cmd.Commands() {
		completeFlags(setup, c)
	}
}
