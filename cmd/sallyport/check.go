package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sallyport/gate"
	"sallyport/policy"
)

type checkFlags struct {
	language string
	format   string
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE...|-",
		Short: "Judge programs by policy; nothing runs",
		Long: `Judge programs by policy. Nothing runs, and no sandbox is needed.

Each denial names the rule, the place and what to do instead. Every decision is
recorded like that of a run.

Exit codes:
` + exitCodesText(),
		Example: `  sallyport check hello.py
  sallyport check --pack strict --format json src/*.js
  git show HEAD:job.py | sallyport check --language python -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.language, "language", "l", "", "python or javascript (default: from the extension or the shebang line)")
	fl.StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

func (a *app) check(ctx context.Context, f checkFlags, names []string) error {
	if err := oneOf("--format", f.format, "text", "json"); err != nil {
		return err
	}
	reqs := make([]gate.Request, len(names))
	for i, name := range names {
		req, err := a.readSource(name, f.language)
		if err != nil {
			return err
		}
		req.Tool = "check"
		reqs[i] = req
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	s, err := a.open(cfg, false)
	if err != nil {
		return err
	}
	defer s.close(a.stderr)
	answers := make([]gate.Answer, len(reqs))
	for i, req := range reqs {
		if answers[i], err = s.gate.Check(ctx, req); err != nil {
			return fmt.Errorf("%s: %w", req.Name, err)
		}
	}
	if err := a.writeCheck(f.format, answers, reqs); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	for _, ans := range answers {
		if ans.Decision.Effect != policy.Allow {
			return shown{errDenied}
		}
	}
	return nil
}

func (a *app) writeCheck(format string, answers []gate.Answer, reqs []gate.Request) error {
	if format == "json" {
		return writeJSON(a.stdout, checkJSON(answers))
	}
	r := newRenderer(a.stdout, a.env)
	for i, ans := range answers {
		r.decision(ans, string(reqs[i].Source))
	}
	if len(answers) > 1 {
		r.summary(answers)
	}
	return r.err
}
