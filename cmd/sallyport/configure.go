package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/config"
)

func (a *app) configCommand() *cobra.Command {
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
				a.configPath = args[0]
			}
			return a.checkConfig(time.Now())
		},
	}, &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of sallyport.yaml, for editors",
		Example: "  sallyport config schema > ~/.config/sallyport/sallyport.v1.json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(config.Schema())
			return err
		},
	})
	return cmd
}

// checkConfig loads everything that judging would load and says what is in
// force.
func (a *app) checkConfig(now time.Time) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	e, err := a.engine(cfg)
	if err != nil {
		return err
	}
	if _, err := auditOptions(cfg.Audit, "checked only"); err != nil {
		return err
	}
	if _, err := a.telemetryOptions(cfg.Telemetry); err != nil {
		return err
	}
	s := e.Summary()
	path := cfg.Path
	if path == "" {
		path = "none, so built-in defaults"
	}
	fmt.Fprintf(a.stdout, "configuration: %s\n", safe(path))
	fmt.Fprintf(a.stdout, "policy: %s, %d rules, %s\n", safe(strings.Join(s.Packs, " + ")), s.Rules, s.Digest)
	for _, l := range s.Loosened {
		fmt.Fprintf(a.stdout, "loosened: %s\n", safe(l))
	}
	for _, x := range cfg.Policy.Exceptions {
		state := "until " + time.Time(x.Expires).Format(time.DateOnly)
		if !now.Before(time.Time(x.Expires)) {
			state = "EXPIRED on " + time.Time(x.Expires).Format(time.DateOnly)
		}
		fmt.Fprintf(a.stdout, "exception: %s lets rule %s pass %s; %s, %s\n", safe(x.ID), safe(x.Rule), state, safe(x.Owner), safe(x.Reason))
	}
	return nil
}
