package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/policies"
	"sallyport/policy"
)

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Look at policies, write, test, compare and ship them",
		Args:  wants(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.policyListCommand(),
		a.policyShowCommand(),
		a.policyDocsCommand(),
		a.policyNewCommand(),
		a.policyTestCommand(),
		a.policyLintCommand(),
		a.policyDiffCommand(),
		a.policyBundleCommand(),
		a.policyVerifyCommand(),
	)
	return cmd
}

func (a *app) policyListCommand() *cobra.Command {
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
				return a.listPacks(format)
			}
			return a.listRules(format)
		},
	}
	formatFlag(cmd, &format, "text", "json")
	cmd.Flags().BoolVar(&packs, "packs", false, "list the built-in packs instead")
	return cmd
}

func (a *app) listPacks(format string) error {
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return err
	}
	if format == "json" {
		return writeJSON(a.stdout, packs)
	}
	for _, p := range packs {
		fmt.Fprintf(a.stdout, "%-14s %s\n", p.Name, oneLine(firstOf(p.Description, p.Title)))
	}
	return nil
}

func (a *app) listRules(format string) error {
	s, err := a.openForTools()
	if err != nil {
		return err
	}
	rules := s.engine.Rules()
	if format == "json" {
		return writeJSON(a.stdout, struct {
			Version string `json:"version"`
			policy.Summary
			List []policy.RuleInfo `json:"list"`
		}{"policy/v1", s.engine.Summary(), rules})
	}
	width := 0
	for _, r := range rules {
		width = max(width, len(r.ID))
	}
	for _, r := range rules {
		fmt.Fprintf(a.stdout, "%-4s  %-8s  %-*s  %s\n", r.Effective, r.Severity, width, safe(r.ID), safe(r.Title))
	}
	sum := s.engine.Summary()
	fmt.Fprintf(a.stdout, "%d rules of %s, %s\n", sum.Rules, safe(strings.Join(sum.Packs, " + ")), sum.Digest)
	for _, l := range sum.Loosened {
		fmt.Fprintf(a.stdout, "loosened: %s\n", safe(l))
	}
	return nil
}

func (a *app) policyShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "show RULE|PACK",
		Short:   "Show what a rule or pack says about itself and what it does here",
		Example: "  sallyport policy show process\n  sallyport policy show strict",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.showRule(args[0], format)
		},
		ValidArgsFunction: a.completeRules,
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func (a *app) showRule(id, format string) error {
	s, err := a.openForTools()
	if err != nil {
		return err
	}
	note := ""
	r, err := s.engine.Rule(id)
	if err != nil {
		if done, err := a.showPack(id, format); done || err != nil {
			return err
		}
		all, err := a.everyRule()
		if err != nil {
			return err
		}
		if r, err = all.Rule(id); err != nil {
			return withHint(usagef("%v", err), "sallyport policy list names the rules, sallyport policy list --packs the packs")
		}
		note = "not in force here: it belongs to a pack that is not chosen"
	}
	if format == "json" {
		return writeJSON(a.stdout, r)
	}
	return a.writeRule(r, note)
}

func (a *app) writeRule(r policy.RuleInfo, note string) error {
	out := a.renderer(a.stdout)
	out.printf("%s: %s\n", out.paint(bold, safe(r.ID)), safe(r.Title))
	if r.Description != "" {
		out.printf("\n%s\n\n", indent(r.Description))
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
		{"instead", oneLine(r.Remediation)},
		{"pack", r.Pack},
		{"written in", fmt.Sprintf("%s:%d", r.File, r.Line)},
		{"note", note},
	} {
		if row.value != "" {
			out.printf("  %-12s %s\n", row.name, safe(row.value))
		}
	}
	return out.err
}

// showPack shows a built-in pack, if there is one of that name.
func (a *app) showPack(name, format string) (bool, error) {
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
		return true, writeJSON(a.stdout, p)
	}
	e, err := newEngine(policy.Options{FS: policies.FS, Packs: []string{name}})
	if err != nil {
		return false, err
	}
	out := a.renderer(a.stdout)
	out.printf("%s: %s\n\n%s\n\n", out.paint(bold, name), p.Title, indent(p.Description))
	for _, r := range e.Rules() {
		out.printf("  %-4s  %-20s  %s\n", r.Effective, r.ID, r.Title)
	}
	return true, out.err
}

// indent keeps the lines of a text, made safe for a terminal.
func indent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight("  "+safe(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

// everyRule is an engine with all built-in packs, beside what flags and
// configuration add.
func (a *app) everyRule() (*policy.Engine, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	opts, err := a.policyOptions(cfg)
	if err != nil {
		return nil, err
	}
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		opts.Packs = append(opts.Packs, p.Name)
	}
	return newEngine(opts)
}

func (a *app) policyDocsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "docs",
		Short: "Print the rule reference as Markdown",
		Long: `Print the reference of all rules as Markdown, from what they say about
themselves: those of --pack and --policy, or of every built-in pack.`,
		Example: "  sallyport policy docs --policy rules > RULES.md",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			var e *policy.Engine
			if len(a.packs) == 0 {
				var err error
				if e, err = a.everyRule(); err != nil {
					return err
				}
			} else {
				s, err := a.openForTools()
				if err != nil {
					return err
				}
				e = s.engine
			}
			_, err := fmt.Fprint(a.stdout, ruleReference(e.Rules()))
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
				fmt.Fprintf(&b, " %s", markdown(oneLine(r.Description)))
			}
			b.WriteString("\n")
			if r.Remediation != "" {
				fmt.Fprintf(&b, "\nInstead: %s\n", markdown(oneLine(r.Remediation)))
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
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]").Replace(safe(s))
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
