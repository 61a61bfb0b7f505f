package main

import (
	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/internal/install"
	"sallyport/internal/report"
)

func policyLintCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "lint DIR",
		Short: "Say what is wrong with a policy, or could be better",
		Long: `Say what keeps a policy from loading and, when nothing does, what makes it slow,
blind to a misspelt path, untested or hard to understand for who is denied.`,
		Example: "  sallyport policy lint acme",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return lintPolicy(a.tell, setup, args[0], format)
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

func lintPolicy(tell *speech, setup *install.Setup, dir, format string) error {
	p, opts, err := setup.Alone(dir)
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
	err = tell.show(format, issues, func(t *report.Text) {
		for _, i := range issues {
			t.Printf("%s:%d:%d: %s\n", i.File, max(1, i.Line), max(1, i.Column), answer.OneLine(i.Message))
			if i.Hint != "" {
				t.Printf("      instead: %s\n", answer.OneLine(i.Hint))
			}
		}
		t.Printf("%s: %d to mend\n", dir, len(issues))
	})
	if err != nil {
		return err
	}
	if len(issues) > 0 {
		return shown{errPolicy}
	}
	return nil
}
