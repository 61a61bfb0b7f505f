package main

import (
	"context"

	"github.com/spf13/cobra"

	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policy"
)

type explainFlags struct {
	language string
	format   string
	trace    bool
	all      bool
	rule     string
	request  string

	environment string
}

func explainCommand(a *app) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE|-",
		Short: "Say which rules fired or almost fired on a program, and on what",
		Long: `Judge a program and say for each rule whether it fired, on which fact, or which
of its conditions was the first that did not hold. Nothing is run or recorded.
The exit code is that of check.

With --request, judge a request that the program would send, by the rules of the
environment and those about requests.`,
		Example: `  sallyport explain job.py
  sallyport explain --request "DELETE https://api.example/v1/x" job.py
  sallyport explain --rule network --trace job.py`,
		Args: wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.looking(func(s *install.Opened) error { return explain(cmd.Context(), a.tell, a.in, s, f, args[0]) },
				func(o *install.Options) { o.Environment = f.environment })
		},
	}
	fl := cmd.Flags()
	labelFlag(cmd, &a.in.labels, labelUsage)
	languageFlag(cmd, &f.language, "")
	environmentFlag(cmd, &f.environment, judgedIn)
	formatFlag(cmd, &f.format, "text", "json")
	fl.BoolVar(&f.trace, "trace", false, "add what the evaluation of the rules did, step by step")
	fl.BoolVar(&f.all, "all", false, "also name the rules that did not come near")
	fl.StringVar(&f.rule, "rule", "", "explain `RULE` alone")
	fl.StringVar(&f.request, "request", "", "explain what would become of the request `METHOD URL`")
	return cmd
}

func explain(ctx context.Context, tell *speech, in input, s *install.Opened, f explainFlags, name string) error {
	if f.rule != "" {
		if _, err := s.Engine.Rule(f.rule); err != nil {
			return hint.Usage("%v", err)
		}
	}
	req, err := in.program(ctx, name, f.language)
	if err != nil {
		return err
	}
	req.Tool, req.Environment = "check", f.environment
	if f.request != "" {
		return explainRequest(ctx, tell, s, f, req)
	}
	explained, err := gate.Explain(ctx, s.Gate, req, f.trace)
	if err != nil {
		return refusal(req.Name, err)
	}
	e := report.Explanation{Version: "explain/v1", Name: req.Name, Explained: explained}
	if f.rule != "" {
		e.Rules = onlyRule(e.Rules, f.rule)
	}
	err = tell.show(f.format, e, func(t *report.Text) { t.Explanation(e, string(req.Source), f.all, f.rule != "") })
	if err == nil && e.Decision.Effect != policy.Allow {
		err = shown{errDenied}
	}
	return err
}

func explainRequest(ctx context.Context, tell *speech, s *install.Opened, f explainFlags, req gate.Request) error {
	q, err := gate.ParseRequest(f.request)
	if err != nil {
		return hint.Usage("--request: %v", err)
	}
	a, err := s.Gate.ExplainRequest(ctx, req, q, f.trace)
	if err != nil {
		return refusal(req.Name, err)
	}
	if f.rule != "" {
		a.Rules = onlyRule(a.Rules, f.rule)
	}
	e := report.RequestExplanation{Version: "explain-request/v1", Name: req.Name, RequestAnswer: a}
	err = tell.show(f.format, e, func(t *report.Text) { t.RequestExplanation(e, f.all || f.rule != "") })
	if err == nil && (a.Refused != "" || a.Decision.Effect != policy.Allow) {
		err = shown{errDenied}
	}
	return err
}

func onlyRule(rules []policy.RuleExplanation, id string) []policy.RuleExplanation {
	for i, r := range rules {
		if r.ID == id {
			return rules[i : i+1]
		}
	}
	return nil
}
