package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/policy"
)

type testFlags struct {
	format      string
	snippets    []string
	minCoverage float64
}

func (a *app) policyTestCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [DIR]",
		Short: "Run the tests and labelled snippets of a policy, with coverage",
		Long: `Run the tests of a policy: the rules named test_… in *_test.rego, and its
labelled snippets, which are judged as any program is, by the policy beside the
packs that are in force. Without DIR, run those of the packs.

A snippet is a program below DIR or --snippets that says on its first line what
should become of it, or whose directory is named allow, deny, ask or warn:

  # expect: deny acme/no-pandas
  // expect: allow

Overrides and exceptions of sallyport.yaml do not count here.`,
		Example: `  sallyport policy test acme
  sallyport policy test --min-coverage 95 --pack strict
  sallyport policy test --snippets corpus/ acme`,
		Args: wants(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.testPolicy(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	formatFlag(cmd, &f.format, "text", "json")
	fl.StringArrayVar(&f.snippets, "snippets", nil, "also judge the labelled programs below `DIR`; may be repeated")
	fl.Float64Var(&f.minCoverage, "min-coverage", 0, "fail when the tests reach less than this `PERCENT` of the lines")
	return cmd
}

// testDocument is what policy test prints as JSON.
type testDocument struct {
	Version string `json:"version"`
	Passed  bool   `json:"passed"`
	policy.TestReport
	Snippets  []snippetResult `json:"snippets"`
	Unlabeled int             `json:"unlabeled"` // programs that say nothing about themselves
}

func (a *app) testPolicy(ctx context.Context, f testFlags, dirs []string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	cfg.Policy.Dirs, cfg.Policy.Bundles = nil, nil
	cfg.Policy.Overrides, cfg.Policy.Exceptions = nil, nil
	a.policies, a.noRecord = append(a.policies, dirs...), true
	opts, err := a.policyOptions(cfg)
	if err != nil {
		return err
	}
	report, err := policy.Test(ctx, opts)
	if err != nil {
		return fmt.Errorf("loading policy: %w", err)
	}
	s, err := a.open(cfg, false)
	if err != nil {
		return err
	}
	doc := testDocument{Version: "policy-test/v1", TestReport: report, Snippets: []snippetResult{}}
	if paths := append(slices.Clone(dirs), f.snippets...); len(paths) > 0 {
		if doc.Snippets, doc.Unlabeled, err = a.judgeSnippets(ctx, s.gate, paths); err != nil {
			return err
		}
	}
	doc.Passed = doc.passed(f.minCoverage)
	if f.format == "json" {
		err = writeJSON(a.stdout, doc)
	} else {
		err = a.writeTest(doc, f)
	}
	if err == nil && !doc.Passed {
		err = shown{errPolicy}
	}
	return err
}

// passed wants something to have been tested, nothing to have failed, and the
// coverage that was asked for.
func (d testDocument) passed(minCoverage float64) bool {
	if len(d.Results)+len(d.Snippets) == 0 || d.Coverage < minCoverage {
		return false
	}
	return !slices.ContainsFunc(d.Results, failed) && !slices.ContainsFunc(d.Snippets, func(s snippetResult) bool { return !s.Passed })
}

func failed(t policy.TestResult) bool { return !t.Passed && !t.Skipped }

func (a *app) writeTest(doc testDocument, f testFlags) error {
	r := a.renderer(a.stdout)
	bad, skipped, odd := 0, 0, 0
	for _, t := range doc.Results {
		r.tested(a.verbose, !failed(t), fmt.Sprintf("%s:%d %s", t.File, t.Line, t.Name), t.Detail)
		switch {
		case failed(t):
			bad++
		case t.Skipped:
			skipped++
		}
	}
	for _, s := range doc.Snippets {
		r.tested(a.verbose, s.Passed, s.Name, s.Detail)
		if !s.Passed {
			odd++
		}
	}
	r.printf("tests: %d passed, %d failed", len(doc.Results)-bad-skipped, bad)
	if skipped > 0 {
		r.printf(", %d to do", skipped)
	}
	r.printf("\nsnippets: %d as labelled, %d not", len(doc.Snippets)-odd, odd)
	if doc.Unlabeled > 0 {
		r.printf(", %d without a label", doc.Unlabeled)
	}
	r.printf("\n")
	r.coverage(doc.TestReport)
	switch {
	case len(doc.Results)+len(doc.Snippets) == 0:
		r.printf("nothing was tested\n")
	case doc.Coverage < f.minCoverage:
		r.printf("coverage is below %g%%\n", f.minCoverage)
	}
	return r.err
}

// tested writes the line of one test: always when it failed, else on demand.
func (r *renderer) tested(verbose, passed bool, name, detail string) {
	if passed && !verbose {
		return
	}
	word := r.paint(green, "ok  ")
	if !passed {
		word = r.paint(red, "FAIL")
	}
	if detail != "" {
		name += ": " + oneLine(detail)
	}
	r.printf("%s %s\n", word, safe(name))
}

func (r *renderer) coverage(t policy.TestReport) {
	r.printf("coverage: %.1f%% of lines\n", t.Coverage)
	for _, c := range t.Files {
		if len(c.Missing) > 0 {
			lines := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Missing), " ", ", "), "[]")
			r.printf("  %s: no test reaches line %s\n", safe(c.File), lines)
		}
	}
}
