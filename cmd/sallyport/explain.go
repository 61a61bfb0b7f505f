package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/policy"
)

type explainFlags struct {
	language string
	format   string
	trace    bool
	all      bool
	rule     string
}

func (a *app) explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain FILE|-",
		Short: "Say which rules fired or almost fired on a program, and on what",
		Long: `Judge a program and say for each rule whether it fired, on which fact, or which
of its conditions was the first that did not hold. Nothing is run or recorded.
The exit code is that of check.`,
		Example: `  sallyport explain job.py
  sallyport explain --rule network --trace job.py`,
		Args: wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.explain(cmd.Context(), f, args[0])
		},
	}
	fl := cmd.Flags()
	languageFlag(cmd, &f.language, "")
	formatFlag(cmd, &f.format, "text", "json")
	fl.BoolVar(&f.trace, "trace", false, "add what the evaluation of the rules did, step by step")
	fl.BoolVar(&f.all, "all", false, "also name the rules that did not come near")
	fl.StringVar(&f.rule, "rule", "", "explain `RULE` alone")
	return cmd
}

// explanation is what explain prints as JSON.
type explanation struct {
	Version string `json:"version"`
	Name    string `json:"name"`
	policy.Explanation
}

func (a *app) explain(ctx context.Context, f explainFlags, name string) error {
	s, err := a.openForTools()
	if err != nil {
		return err
	}
	if f.rule != "" {
		if _, err := s.engine.Rule(f.rule); err != nil {
			return usagef("%v", err)
		}
	}
	req, err := a.readSource(ctx, name, f.language)
	if err != nil {
		return err
	}
	req.Tool = "check"
	in, err := s.gate.Input(ctx, req)
	if err != nil {
		return refusal(req.Name, err)
	}
	e := explanation{"explain/v1", req.Name, s.engine.Explain(ctx, in, f.trace)}
	if f.rule != "" {
		e.Rules = onlyRule(e.Rules, f.rule)
	}
	if f.format == "json" {
		err = writeJSON(a.stdout, e)
	} else {
		err = a.writeExplanation(e, string(req.Source), f)
	}
	if err == nil && e.Decision.Effect != policy.Allow {
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

func (a *app) writeExplanation(e explanation, source string, f explainFlags) error {
	r := a.renderer(a.stdout)
	for _, finding := range e.Decision.Findings {
		// What the analysis itself found belongs to no rule of a policy.
		if f.rule == "" && !slices.ContainsFunc(e.Rules, func(x policy.RuleExplanation) bool { return x.ID == finding.Rule }) {
			r.finding(e.Name, source, finding)
		}
	}
	silent := 0
	for _, x := range e.Rules {
		if !r.ruleOutcome(e.Name, source, x, f.all || f.rule != "") {
			silent++
		}
	}
	if silent > 0 {
		r.printf("%s did not come near; --all names them\n", count(silent, "rule"))
	}
	for _, id := range e.Decision.Exceptions {
		r.printf("exception %s was used\n", safe(id))
	}
	for _, l := range e.Decision.Loosened {
		r.printf("loosened: %s\n", safe(l))
	}
	r.decisionLine(e.Name, e.Decision)
	if e.Trace != "" && r.err == nil {
		_, r.err = fmt.Fprint(a.stdout, "\n", safeLines(e.Trace))
	}
	return r.err
}

// ruleOutcome says how far a rule came; false when that was not worth a word.
func (r *renderer) ruleOutcome(name, source string, x policy.RuleExplanation, all bool) bool {
	switch x.Outcome {
	case policy.OutcomeFired:
		for _, finding := range x.Findings {
			r.finding(name, source, finding)
		}
		r.printf("      %s %s:%d%s\n", r.paint(dim, "written in"), safe(x.File), x.Line, capabilityNote(x))
		if why := standsFor(x); why != "" {
			r.printf("      %s %s\n", r.paint(dim, "control:"), safe(why))
		}
	case policy.OutcomeAlmost:
		r.printf("%s almost: %s:%d did not hold: %s\n", r.paint(bold, safe(x.ID)), safe(x.StopFile), x.StopLine, safe(oneLine(x.Condition)))
	default:
		if !all {
			return false
		}
		r.printf("%s did not come near: %s:%d\n", safe(x.ID), safe(x.File), x.Line)
	}
	return true
}

// capabilityNote names the class of symbols that a rule looks for.
func capabilityNote(x policy.RuleExplanation) string {
	if x.Capability == "" {
		return ""
	}
	return ", on what the catalog calls " + safe(x.Capability)
}

// standsFor names the weakness and the controls that a rule stands for.
func standsFor(x policy.RuleExplanation) string {
	all := append([]string{x.CWE}, x.Controls...)
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
}
