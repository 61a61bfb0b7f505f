package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) policyLintCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "lint DIR",
		Short: "Say what is wrong with a policy, or could be better",
		Long: `Say what keeps a policy from loading and, when nothing does, what makes it slow,
blind to a misspelt path, untested or hard to understand for who is denied.`,
		Example: "  sallyport policy lint acme",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.lintPolicy(args[0], format)
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

type lintIssue struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (a *app) lintPolicy(dir, format string) error {
	p, opts, err := a.alone(dir)
	if err != nil {
		return err
	}
	found, err := p.Lint(opts)
	if err != nil {
		return err
	}
	issues := make([]lintIssue, len(found))
	for i, f := range found {
		issues[i] = lintIssue(f)
	}
	if format == "json" {
		err = writeJSON(a.stdout, issues)
	} else {
		for _, i := range issues {
			fmt.Fprintf(a.stdout, "%s:%d:%d: %s\n", safe(i.File), max(1, i.Line), max(1, i.Column), safe(oneLine(i.Message)))
			if i.Hint != "" {
				fmt.Fprintf(a.stdout, "      instead: %s\n", safe(oneLine(i.Hint)))
			}
		}
		_, err = fmt.Fprintf(a.stdout, "%s: %d to mend\n", safe(dir), len(issues))
	}
	if err != nil {
		return err
	}
	if len(issues) > 0 {
		return shown{errPolicy}
	}
	return nil
}
