package main

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/config"
	"sallyport/internal/install"
	"sallyport/internal/report"
)

func configCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check sallyport.yaml, show what is in force, or print its schema",
		Long: `sallyport reads one configuration: the file of --config, else the user's
($XDG_CONFIG_HOME/sallyport/sallyport.yaml), else /etc/sallyport/sallyport.yaml.
It never reads one from the working directory, which may be the agent's.`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(configShow(a), &cobra.Command{
		Use:     "check [FILE]",
		Short:   "Check a configuration and every policy that it names",
		Example: "  sallyport config check\n  sallyport config check new.yaml",
		Args:    wants(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				a.flags.File = args[0]
			}
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return checkConfig(a.tell.answer(), setup, time.Now())
		},
	}, &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of sallyport.yaml, for editors",
		Example: "  sallyport config schema > ~/.config/sallyport/sallyport.v1.json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.tell.stdout.Write(config.Schema())
			return err
		},
	})
	return cmd
}

func configShow(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print what is in force, and where each value comes from",
		Long: `Print what is in force: each value with the line of the configuration, the
variable of the environment or the flag that it comes from, or that it is a
default. Values that may be secrets are hidden.`,
		Example: "  sallyport config show\n  sallyport config show --config new.yaml --format json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			in := setup.InForce()
			return a.tell.show(format, in, func(t *report.Text) { showInForce(t, in) })
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func showInForce(t *report.Text, in install.InForce) {
	width := 0
	for _, s := range in.Settings {
		width = max(width, len(s.Key))
	}
	t.Printf("configuration: %s\n", cmp.Or(in.File, noFile))
	for _, s := range in.Settings {
		t.Printf("%-*s  %v  (%s)\n", width, s.Key, s.Value, strings.TrimSpace(strings.TrimPrefix(s.Source+" "+s.Place, "file ")))
	}
}

// noFile stands for a configuration where there is none.
const noFile = "none, so built-in defaults"

// checkConfig loads everything that judging would load and says what is in
// force.
func checkConfig(out *report.Text, setup *install.Setup, now time.Time) error {
	e, err := setup.Check()
	if err != nil {
		return err
	}
	cfg := setup.Config
	s := e.Summary()
	out.Printf("configuration: %s\n", cmp.Or(cfg.Path, noFile))
	out.Printf("policy: %s, %d rules, %s\n", strings.Join(s.Packs, " + "), s.Rules, s.Digest)
	for _, l := range s.Loosened {
		out.Printf("loosened: %s\n", l)
	}
	for _, x := range cfg.Policy.Exceptions {
		state := "until " + time.Time(x.Expires).Format(time.DateOnly)
		if !now.Before(time.Time(x.Expires)) {
			state = "EXPIRED on " + time.Time(x.Expires).Format(time.DateOnly)
		}
		out.Printf("exception: %s lets rule %s pass %s; %s, %s\n", x.ID, x.Rule, state, x.Owner, x.Reason)
	}
	return out.Err()
}
