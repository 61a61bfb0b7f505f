package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policy"
)

type testFlags struct {
	format      string
	snippets    []string
	minCoverage float64
}

func policyTestCommand(a *app) *cobra.Command {
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

Lines below it name requests that the program would send, and what the rules
about requests should make of them:

  # request: deny acme/no-post POST https://api.example/v1/x

Overrides and exceptions of sallyport.yaml do not count here.`,
		Example: `  sallyport policy test acme
  sallyport policy test --min-coverage 95 --pack strict
  sallyport policy test --snippets corpus/ acme`,
		Args: wants(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return testPolicy(cmd.Context(), a, f, args)
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

// testPolicy tests the policies in force, and those in dirs.
func testPolicy(ctx context.Context, a *app, f testFlags, dirs []string) error {
	setup, err := a.setup(func(o *install.Options) { o.Policies = slices.Concat(o.Policies, dirs) })
	if err != nil {
		return err
	}
	own := &setup.Config.Policy
	own.Dirs, own.Bundles, own.Overrides, own.Exceptions = nil, nil, nil, nil
	doc, err := tested(ctx, a.in, setup, append(slices.Clone(dirs), f.snippets...))
	if err != nil {
		return err
	}
	doc.Passed = doc.passed(f.minCoverage)
	if f.format == "json" {
		err = answer.WriteJSON(a.tell.stdout, doc)
	} else {
		err = writeTest(a.tell, doc, f)
	}
	if err == nil && !doc.Passed {
		err = shown{errPolicy}
	}
	return err
}

// tested runs the tests of policies, and judges the labelled programs below
// paths by them.
func tested(ctx context.Context, in input, setup *install.Setup, paths []string) (testDocument, error) {
	doc := testDocument{Version: "policy-test/v1", Snippets: []snippetResult{}}
	opts, err := setup.PolicyOptions()
	if err != nil {
		return doc, err
	}
	if doc.TestReport, err = policy.Test(ctx, opts); err != nil {
		return doc, fmt.Errorf("loading policy: %w", err)
	}
	s, err := setup.Look()
	if err != nil {
		return doc, err
	}
	defer s.Close()
	if len(paths) > 0 {
		doc.Snippets, doc.Unlabeled, err = judgeSnippets(ctx, judging{in: in, gate: s.Gate}, paths)
	}
	return doc, err
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

func writeTest(tell *speech, doc testDocument, f testFlags) error {
	r := tell.answer()
	bad, skipped, odd := 0, 0, 0
	for _, t := range doc.Results {
		testLine(r, tell.verbose, !failed(t), fmt.Sprintf("%s:%d %s", t.File, t.Line, t.Name), t.Detail)
		switch {
		case failed(t):
			bad++
		case t.Skipped:
			skipped++
		}
	}
	for _, s := range doc.Snippets {
		testLine(r, tell.verbose, s.Passed, s.Name, s.Detail)
		if !s.Passed {
			odd++
		}
	}
	r.Printf("tests: %d passed, %d failed", len(doc.Results)-bad-skipped, bad)
	if skipped > 0 {
		r.Printf(", %d to do", skipped)
	}
	r.Printf("\nsnippets: %d as labelled, %d not", len(doc.Snippets)-odd, odd)
	if doc.Unlabeled > 0 {
		r.Printf(", %d without a label", doc.Unlabeled)
	}
	r.Printf("\n")
	coverage(r, doc.TestReport)
	switch {
	case len(doc.Results)+len(doc.Snippets) == 0:
		r.Printf("nothing was tested\n")
	case doc.Coverage < f.minCoverage:
		r.Printf("coverage is below %g%%\n", f.minCoverage)
	}
	return r.Err()
}

// testLine writes the line of one test: always when it failed, else on demand.
func testLine(r *report.Text, verbose, passed bool, name, detail string) {
	if passed && !verbose {
		return
	}
	word := r.Paint(report.Green, "ok  ")
	if !passed {
		word = r.Paint(report.Red, "FAIL")
	}
	below := ""
	if strings.Contains(detail, "\n") {
		below = "\n     " + strings.ReplaceAll(detail, "\n", "\n     ")
	} else if detail != "" {
		name += ": " + answer.OneLine(detail)
	}
	r.Printf("%s %s%s\n", word, name, report.Lines(below))
}

func coverage(r *report.Text, t policy.TestReport) {
	r.Printf("coverage: %.1f%% of lines\n", t.Coverage)
	for _, c := range t.Files {
		if len(c.Missing) > 0 {
			lines := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Missing), " ", ", "), "[]")
			r.Printf("  %s: no test reaches line %s\n", c.File, lines)
		}
	}
}
