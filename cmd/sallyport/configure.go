package main

import (
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
		Short: "Check sallyport.yaml, or print its schema",
		Long: `sallyport reads one configuration: the file of --config, else the user's
($XDG_CONFIG_HOME/sallyport/sallyport.yaml), else /etc/sallyport/sallyport.yaml.
It never reads one from the working directory, which may be the agent's.`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
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

// checkConfig loads everything that judging would load and says what is in
// force.
func checkConfig(out *report.Text, setup *install.Setup, now time.Time) error {
	e, err := setup.Check()
	if err != nil {
		return err
	}
	cfg := setup.Config
	s := e.Summary()
	path := cfg.Path
	if path == "" {
		path = "none, so built-in defaults"
	}
	out.Printf("configuration: %s\n", path)
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
