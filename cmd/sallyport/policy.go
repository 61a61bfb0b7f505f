package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policies"
	"sallyport/policy"
)

func policyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Look at policies, write, test, compare and ship them",
		Args:  wants(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		policyListCommand(a),
		policyShowCommand(a),
		policyDocsCommand(a),
		policyNewCommand(a),
		policyLearnCommand(a),
		policyTestCommand(a),
		policyLintCommand(a),
		policyDiffCommand(a),
		policyBundleCommand(a),
		policyVerifyCommand(a),
	)
	return cmd
}

func policyListCommand(a *app) *cobra.Command {
	var format string
	var packs bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules that are in force, or the packs that there are",
		Example: `  sallyport policy list
  sallyport policy list --pack strict --policy rules
  sallyport policy list --packs`,
		Args: wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if packs {
				return listPacks(a.tell, format)
			}
			return a.looking(func(s *install.Opened) error { return listRules(a.tell, s.Engine, format) })
		},
	}
	formatFlag(cmd, &format, "text", "json")
	cmd.Flags().BoolVar(&packs, "packs", false, "list the built-in packs instead")
	return cmd
}

func listPacks(tell *speech, format string) error {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return err
	}
	return tell.show(format, packs, func(t *report.Text) {
		for _, p := range packs {
			t.Printf("%-14s %s\n", p.Name, answer.OneLine(cmp.Or(p.Description, p.Title)))
		}
	})
}

func listRules(tell *speech, e *policy.Engine, format string) error {
	doc := struct {
		Version string `json:"version"`
		policy.Summary
		List []policy.RuleInfo `json:"list"`
	}{"policy/v1", e.Summary(), e.Rules()}
	return tell.show(format, doc, func(t *report.Text) {
		width := 0
		for _, r := range doc.List {
			width = max(width, len(r.ID))
		}
		for _, r := range doc.List {
			t.Printf("%-4s  %-8s  %-*s  %s\n", r.Effective, r.Severity, width, r.ID, r.Title)
		}
		t.Printf("%d rules of %s, %s\n", doc.Rules, strings.Join(doc.Packs, " + "), doc.Digest)
		for _, l := range doc.Loosened {
			t.Printf("loosened: %s\n", l)
		}
	})
}

func policyShowCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "show RULE|PACK",
		Short:   "Show what a rule or pack says about itself and what it does here",
		Example: "  sallyport policy show process\n  sallyport policy show strict",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return show(a.tell, setup, args[0], format)
		},
		ValidArgsFunction: completeRules(a.setup),
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

// show shows a rule, of those in force if it can be, or a pack.
func show(tell *speech, setup *install.Setup, name, format string) error {
	s, err := setup.Look()
	if err != nil {
		return err
	}
	defer s.Close()
	note := ""
	r, err := s.Engine.Rule(name)
	if err != nil {
		if done, err := showPack(tell, name, format); done || err != nil {
			return err
		}
		if r, err = anyRule(setup, name); err != nil {
			return err
		}
		note = "not in force here: it belongs to a pack that is not chosen"
	}
	if format == "json" {
		return answer.WriteJSON(tell.stdout, r)
	}
	return writeRule(tell.answer(), r, note)
}

// anyRule finds a rule of any pack.
func anyRule(setup *install.Setup, id string) (policy.RuleInfo, error) {
	all, err := setup.EveryRule()
	if err != nil {
		return policy.RuleInfo{}, err
	}
	r, err := all.Rule(id)
	if err != nil {
		return r, hint.With(hint.Usage("%v", err), "sallyport policy list names the rules, sallyport policy list --packs the packs")
	}
	return r, nil
}

func writeRule(out *report.Text, r policy.RuleInfo, note string) error {
	out.Printf("%s: %s\n", out.Paint(report.Bold, r.ID), r.Title)
	if r.Description != "" {
		out.Printf("\n%s\n\n", indent(r.Description))
	}
	byItself := string(r.Action)
	if r.Effective == r.Action {
		byItself = ""
	}
	for _, row := range []struct{ name, value string }{
		{"action", string(r.Effective)},
		{"by itself", byItself},
		{"severity", r.Severity},
		{"capability", r.Capability},
		{"cwe", r.CWE},
		{"controls", strings.Join(r.Controls, ", ")},
		{"instead", answer.OneLine(r.Remediation)},
		{"pack", r.Pack},
		{"written in", fmt.Sprintf("%s:%d", r.File, r.Line)},
		{"note", note},
	} {
		if row.value != "" {
			out.Printf("  %-12s %s\n", row.name, row.value)
		}
	}
	return out.Err()
}

// showPack shows a built-in pack, if there is one of that name.
func showPack(tell *speech, name, format string) (bool, error) {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(packs, func(p policy.PackInfo) bool { return p.Name == name })
	if at < 0 {
		return false, nil
	}
	p := packs[at]
	if format == "json" {
		return true, answer.WriteJSON(tell.stdout, p)
	}
	e, err := install.NewEngine(policy.Options{FS: policies.FS, Packs: []string{name}})
	if err != nil {
		return false, err
	}
	out := tell.answer()
	out.Printf("%s: %s\n\n%s\n\n", out.Paint(report.Bold, name), p.Title, indent(p.Description))
	for _, r := range e.Rules() {
		out.Printf("  %-4s  %-20s  %s\n", r.Effective, r.ID, r.Title)
	}
	return true, out.Err()
}

// indent keeps the lines of a text, made fit for a terminal.
func indent(text string) report.Ready {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight("  "+answer.Visible(lines[i]), " ")
	}
	return report.Ready(strings.Join(lines, "\n"))
}

func policyDocsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "docs",
		Short: "Print the rule reference as Markdown",
		Long: `Print the reference of all rules as Markdown, from what they say about
themselves: those of --pack and --policy, or of every built-in pack.`,
		Example: "  sallyport policy docs --policy rules > RULES.md",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			engine := setup.EveryRule
			if len(a.flags.Packs) > 0 {
				engine = setup.Engine
			}
			e, err := engine()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.tell.stdout, ruleReference(e.Rules()))
			return err
		},
	}
}

// ruleReference renders rules by pack, in Markdown.
func ruleReference(rules []policy.RuleInfo) string {
	byPack := map[string][]policy.RuleInfo{}
	var packs []string
	for _, r := range rules {
		if byPack[r.Pack] == nil {
			packs = append(packs, r.Pack)
		}
		byPack[r.Pack] = append(byPack[r.Pack], r)
	}
	slices.Sort(packs)
	var b strings.Builder
	b.WriteString("# Rules\n")
	for _, pack := range packs {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | action | severity | CWE | |\n|---|---|---|---|---|\n", markdown(pack))
		for _, r := range byPack[pack] {
			fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", markdown(r.ID), anchor(r.ID), r.Action, r.Severity, markdown(r.CWE), markdown(r.Title))
		}
		for _, r := range byPack[pack] {
			fmt.Fprintf(&b, "\n### %s\n\n**%s.**", markdown(r.ID), markdown(r.Title))
			if r.Description != "" {
				fmt.Fprintf(&b, " %s", markdown(answer.OneLine(r.Description)))
			}
			b.WriteString("\n")
			if r.Remediation != "" {
				fmt.Fprintf(&b, "\nInstead: %s\n", markdown(answer.OneLine(r.Remediation)))
			}
			if len(r.Controls) > 0 {
				fmt.Fprintf(&b, "\nControls: %s\n", markdown(strings.Join(r.Controls, ", ")))
			}
		}
	}
	return b.String()
}

// markdown keeps a text from being read as markup or as another column.
func markdown(s string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]").Replace(answer.Visible(s))
}

// anchor is where a heading can be linked to.
func anchor(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
