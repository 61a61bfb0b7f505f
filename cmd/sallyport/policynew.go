package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/internal/hint"
	"sallyport/internal/report"
	"sallyport/policies"
	"sallyport/policy"
)

// starter is a small policy that works, with NAME where its name goes.
//
//go:embed all:starter
var starter embed.FS

var policyName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func policyNewCommand(a *app) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Write a small policy that works, with its tests",
		Long: `Write a small policy that works into a new directory: a rule with its data, a
test of it, and snippets that say what should become of them.`,
		Example: "  sallyport policy new mybank && sallyport policy test mybank",
		Args:    wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return newPolicy(a.tell.stdout, args[0], name)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the policy's `NAME` in rule ids and packages (default: from the directory)")
	return cmd
}

func policyLearnCommand(a *app) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "learn",
		Short: "Propose what programs may reach, from what they asked for",
		Long: `Propose rules of egress.allow that would let through what programs asked of
hosts, sent or refused, as YAML with counts. Nothing is applied: programs chose
what stands there, and a person takes out what they are not to reach.`,
		Example: "  sallyport policy learn --since 7d > proposed.yaml",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, records, err := f.selected(cmd.Context(), a.setup)
			if err != nil {
				return err
			}
			if err := report.Learn(a.tell.stdout, records); err != nil {
				return hint.While(err, "reading the log")
			}
			return cmd.Context().Err()
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.dirs, "dir", nil, "the log in `DIR`, or those in its directories, instead of the configured one; may be repeated")
	fl.StringVar(&f.since, "since", "", "from `TIME` on: 2026-05-04, 2026-05-04T10:00:00Z, or 24h or 7d ago")
	fl.StringSliceVar(&f.environments, "environment", nil, "in the operator's environment `NAME`; default is that of callers who choose none")
	return cmd
}

func newPolicy(out io.Writer, dir, name string) error {
	if name == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		name = strings.ToLower(strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(filepath.Base(abs)))
	}
	if !policyName.MatchString(name) {
		return hint.With(hint.Usage("%q cannot be the name of a policy", name), "give one of letters, digits and underscores: --name acme")
	}
	packs, err := policy.Packs(policies.FS)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(packs, func(p policy.PackInfo) bool { return p.Name == name }) {
		return hint.With(hint.Usage("%q is the name of a built-in pack", name), "give another: --name acme")
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return hint.With(hint.Usage("%s is not empty", dir), "name a directory that does not exist yet")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hint.Usage("%v", err)
	}
	if err := writeStarter(dir, name); err != nil {
		return hint.While(err, "writing the policy")
	}
	fmt.Fprintf(out, `wrote the policy %s into %s
  sallyport policy test %[2]s          run its tests and snippets
  sallyport check --policy %[2]s FILE  judge by it, too
`, name, answer.Visible(dir))
	return nil
}

func writeStarter(dir, name string) error {
	return fs.WalkDir(starter, "starter", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("starter", filepath.FromSlash(at))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.ReplaceAll(rel, "rules", name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(starter, at)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(strings.ReplaceAll(string(text), "NAME", name))
		return errors.Join(err, f.Close())
	})
}
