package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/config"
	"sallyport/gate"
	"sallyport/policies"
	"sallyport/policy"
)

func (a *app) policyDiffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff A B PATH...",
		Short: "Judge programs by two policies and show what differs",
		Long: `Judge programs by two policies, A and B, and show every decision that differs:
the effect, and what the rules find. Nothing is run or recorded. A policy is a
pack, a directory, a bundle, several of these joined by "+", or a
sallyport.yaml. A directory or bundle without a pack stands beside the packs
that are in force.`,
		Example: `  sallyport policy diff baseline strict src/
  sallyport policy diff baseline baseline+acme corpus/
  sallyport policy diff ~/.config/sallyport/sallyport.yaml new.yaml src/`,
		Args: wants(3, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diffPolicies(cmd.Context(), format, args[0], args[1], args[2:])
		},
		ValidArgsFunction: a.completePacksThenFiles(2),
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

// policyDiff is what policy diff prints as JSON.
type policyDiff struct {
	Version  string         `json:"version"`
	Programs int            `json:"programs"`
	Changed  []decisionDiff `json:"changed"`
	Errors   []fileError    `json:"errors"`
}

// decisionDiff is one program about which two policies differ.
type decisionDiff struct {
	Name    string           `json:"name"`
	From    policy.Effect    `json:"from"`
	To      policy.Effect    `json:"to"`
	Added   []policy.Finding `json:"added"`
	Removed []policy.Finding `json:"removed"`
}

func (a *app) diffPolicies(ctx context.Context, format, from, to string, paths []string) error {
	found, err := collect(ctx, paths, "")
	if err != nil {
		return err
	}
	now := time.Now() // the same for both: they must differ in nothing else
	old, err := a.gateOf(from, now)
	if err != nil {
		return fmt.Errorf("policy %s: %w", from, err)
	}
	new, err := a.gateOf(to, now)
	if err != nil {
		return fmt.Errorf("policy %s: %w", to, err)
	}
	doc := policyDiff{Version: "policy-diff/v1", Changed: []decisionDiff{}, Errors: []fileError{}}
	judge := func(ctx context.Context, t target) twice { return a.judgeTwice(ctx, old, new, t) }
	emit := func(p twice) error {
		if p.err != nil {
			a.report(p.err)
			doc.Errors = append(doc.Errors, fileError{p.name, p.err.Error()})
			return nil
		}
		doc.Programs++
		if d, ok := diffDecisions(p.old, p.new); ok {
			doc.Changed = append(doc.Changed, d)
		}
		return nil
	}
	if err := inOrder(ctx, found.list, runtime.GOMAXPROCS(0), judge, emit); err != nil {
		return err
	}
	if format == "json" {
		err = writeJSON(a.stdout, doc)
	} else {
		err = a.writeDiff(doc)
	}
	if err == nil && len(doc.Errors) > 0 {
		err = shown{errUsage}
	}
	return err
}

// twice is one program judged by two policies.
type twice struct {
	name     string
	old, new gate.Answer
	err      error
}

func (a *app) judgeTwice(ctx context.Context, old, new *gate.Gate, t target) twice {
	out := twice{name: t.name, err: t.err}
	if out.err != nil {
		return out
	}
	req, err := a.readSource(ctx, t.name, "")
	if err == nil {
		req.Tool = "check"
		out.name = req.Name
		out.old, err = old.Check(ctx, req)
	}
	if err == nil {
		out.new, err = new.Check(ctx, req)
	}
	out.err = err
	return out
}

// gateOf makes a gate that judges by the policy that a text names.
func (a *app) gateOf(spec string, now time.Time) (*gate.Gate, error) {
	cfg, packs, own := config.Config{}, []string(nil), []string(nil)
	var err error
	if ext := filepath.Ext(spec); ext == ".yaml" || ext == ".yml" {
		if _, err := os.Stat(spec); err != nil {
			return nil, usagef("no configuration at %s", spec)
		}
		cfg, err = config.Load(spec)
	} else {
		packs, own, err = splitSpec(spec)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Path == "" {
		base, err := a.config()
		if err != nil {
			return nil, err
		}
		cfg.Policy = config.Policy{Packs: base.Policy.Packs, Signing: base.Policy.Signing}
		if len(a.packs) > 0 {
			cfg.Policy.Packs = a.packs
		}
	}
	b := app{env: a.env, speech: a.speech, packs: packs, policies: own, stderr: a.stderr, noRecord: true}
	s, err := b.open(cfg, false, func(o *gate.Options) { o.Now = func() time.Time { return now } })
	return s.gate, err
}

// splitSpec sorts the parts of "baseline+rules" into packs and paths.
func splitSpec(spec string) (packs, own []string, err error) {
	known, err := policy.Packs(policies.FS)
	if err != nil {
		return nil, nil, err
	}
	for part := range strings.SplitSeq(spec, "+") {
		_, statErr := os.Stat(part)
		switch {
		case slices.ContainsFunc(known, func(p policy.PackInfo) bool { return p.Name == part }):
			packs = append(packs, part)
		case statErr == nil:
			own = append(own, part)
		default:
			packs = append(packs, part) // unknown: loading it says what was meant
		}
	}
	return packs, own, nil
}

// diffDecisions compares two answers about one program.
func diffDecisions(old, new gate.Answer) (decisionDiff, bool) {
	d := decisionDiff{
		Name: old.Name, From: old.Decision.Effect, To: new.Decision.Effect,
		Added:   without(reasons(new.Decision), reasons(old.Decision)),
		Removed: without(reasons(old.Decision), reasons(new.Decision)),
	}
	return d, d.From != d.To || len(d.Added)+len(d.Removed) > 0
}

// without returns the findings of a that b does not have.
func without(a, b []policy.Finding) []policy.Finding {
	out := []policy.Finding{}
	for _, f := range a {
		same := func(g policy.Finding) bool {
			return f.Rule == g.Rule && f.Action == g.Action && f.Span == g.Span && f.Symbol == g.Symbol
		}
		if !slices.ContainsFunc(b, same) {
			out = append(out, f)
		}
	}
	return out
}

func (a *app) writeDiff(doc policyDiff) error {
	r := a.renderer(a.stdout)
	effects := 0
	for _, d := range doc.Changed {
		change := string(d.From)
		if d.From != d.To {
			effects++
			change = fmt.Sprintf("%s -> %s", d.From, d.To)
		}
		r.printf("%s: %s\n", r.paint(bold, safe(d.Name)), change)
		for _, f := range d.Removed {
			r.printf("  %s %s\n", r.paint(green, "-"), findingLine(f))
		}
		for _, f := range d.Added {
			r.printf("  %s %s\n", r.paint(red, "+"), findingLine(f))
		}
	}
	r.printf("%s, %s change, %d keep their effect with other findings\n", count(doc.Programs, "program"), count(effects, "decision"), len(doc.Changed)-effects)
	return r.err
}

func findingLine(f policy.Finding) string {
	place := ""
	if f.Span.Line > 0 {
		place = fmt.Sprintf("%d:%d: ", f.Span.Line, f.Span.Column)
	}
	return safe(fmt.Sprintf("%s%s %s: %s", place, f.Action, f.Rule, f.Message))
}
