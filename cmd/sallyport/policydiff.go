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

	"sallyport/answer"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policies"
	"sallyport/policy"
)

func policyDiffCommand(a *app) *cobra.Command {
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
			return diffPolicies(cmd.Context(), a, format, args[0], args[1], args[2:])
		},
		ValidArgsFunction: completePacksThenFiles(2),
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

// policyDiff is what policy diff prints as JSON.
type policyDiff struct {
	Version  string             `json:"version"`
	Programs int                `json:"programs"`
	Changed  []decisionDiff     `json:"changed"`
	Errors   []report.FileError `json:"errors"`
}

// decisionDiff is one program about which two policies differ.
type decisionDiff struct {
	Name    string           `json:"name"`
	From    policy.Effect    `json:"from"`
	To      policy.Effect    `json:"to"`
	Added   []policy.Finding `json:"added"`
	Removed []policy.Finding `json:"removed"`
}

// diffPolicies compares two policies on programs.
func diffPolicies(ctx context.Context, a *app, format, from, to string, paths []string) error {
	found, err := collect(ctx, paths, "")
	if err != nil {
		return err
	}
	now := time.Now() // the same for both: they must differ in nothing else
	open := func(spec string) (*install.Opened, error) {
		setup, err := byPolicy(spec, a.setup, a.options())
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", spec, err)
		}
		o, err := setup.Look(func(o *gate.Options) { o.Now = func() time.Time { return now } })
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", spec, err)
		}
		return o, nil
	}
	old, err := open(from)
	if err != nil {
		return err
	}
	defer old.Close()
	new, err := open(to)
	if err != nil {
		return err
	}
	defer new.Close()
	judge := func(ctx context.Context, t target) twice { return judgeTwice(ctx, a.in, old.Gate, new.Gate, t) }
	doc, err := diffAll(ctx, found.list, judge, func(err error) { a.tell.report(err) })
	if err != nil {
		return err
	}
	if format == "json" {
		err = answer.WriteJSON(a.tell.stdout, doc)
	} else {
		err = writeDiff(a.tell.answer(), doc)
	}
	if err == nil && len(doc.Errors) > 0 {
		err = shown{hint.ErrUsage}
	}
	return err
}

// diffAll judges programs in parallel and keeps what differs, in their order.
func diffAll(ctx context.Context, programs []target, judge func(context.Context, target) twice, complain func(error)) (policyDiff, error) {
	doc := policyDiff{Version: "policy-diff/v1", Changed: []decisionDiff{}, Errors: []report.FileError{}}
	err := inOrder(ctx, programs, runtime.GOMAXPROCS(0), judge, func(p twice) error {
		if p.err != nil {
			complain(p.err)
			doc.Errors = append(doc.Errors, report.FileError{Name: p.name, Error: p.err.Error()})
			return nil
		}
		doc.Programs++
		if d, ok := diffDecisions(p.old, p.new); ok {
			doc.Changed = append(doc.Changed, d)
		}
		return nil
	})
	return doc, err
}

// twice is one program judged by two policies.
type twice struct {
	name     string
	old, new gate.Answer
	err      error
}

func judgeTwice(ctx context.Context, in input, old, new *gate.Gate, t target) twice {
	out := twice{name: t.name, err: t.err}
	if out.err != nil {
		return out
	}
	req, err := in.program(ctx, t.name, "")
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

// byPolicy makes the setup for the policy that spec names. Flags and
// configuration say the rest.
func byPolicy(spec string, configure configured, said install.Options) (*install.Setup, error) {
	var cfg config.Config
	flags := said.Packs
	said.Packs, said.Policies = nil, nil
	var err error
	if ext := filepath.Ext(spec); ext == ".yaml" || ext == ".yml" {
		if _, err := os.Stat(spec); err != nil {
			return nil, hint.Usage("no configuration at %s", spec)
		}
		cfg, err = config.Load(spec)
	} else {
		said.Packs, said.Policies, err = splitSpec(spec)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Path == "" {
		setup, err := configure()
		if err != nil {
			return nil, err
		}
		base := setup.Config.Policy
		cfg.Policy = config.Policy{Packs: base.Packs, Signing: base.Signing}
		if len(flags) > 0 {
			cfg.Policy.Packs = flags
		}
	}
	return install.With(cfg, said), nil
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
		Added:   without(report.Reasons(new.Decision), report.Reasons(old.Decision)),
		Removed: without(report.Reasons(old.Decision), report.Reasons(new.Decision)),
	}
	return d, d.From != d.To || len(d.Added)+len(d.Removed) > 0
}

// without returns the findings of a that b does not have.
func without(a, b []policy.Finding) []policy.Finding {
	out := []policy.Finding{}
	for _, f := range a {
		same := func(g policy.Finding) bool {
			return f.Rule == g.Rule && f.Action == g.Action && f.Span == g.Span && f.Cell == g.Cell && f.Symbol == g.Symbol
		}
		if !slices.ContainsFunc(b, same) {
			out = append(out, f)
		}
	}
	return out
}

func writeDiff(r *report.Text, doc policyDiff) error {
	effects := 0
	for _, d := range doc.Changed {
		change := string(d.From)
		if d.From != d.To {
			effects++
			change = fmt.Sprintf("%s -> %s", d.From, d.To)
		}
		r.Printf("%s: %s\n", r.Paint(report.Bold, d.Name), change)
		for _, f := range d.Removed {
			r.Printf("  %s %s\n", r.Paint(report.Green, "-"), findingLine(f))
		}
		for _, f := range d.Added {
			r.Printf("  %s %s\n", r.Paint(report.Red, "+"), findingLine(f))
		}
	}
	r.Printf("%s, %s change, %d keep their effect with other findings\n", answer.Count(doc.Programs, "program"), answer.Count(effects, "decision"), len(doc.Changed)-effects)
	return r.Err()
}

func findingLine(f policy.Finding) string {
	place := strings.TrimPrefix(answer.Place("", f), ":")
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s %s: %s", place, f.Action, f.Rule, f.Message)
}
