package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/sandbox/gvisor"
)

//go:embed VERSION
var versionFile string

func version() string { return strings.TrimSpace(versionFile) }

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of sallyport and of its runsc helper",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(a.stdout, "sallyport %s\n", version())
			cfg, err := a.config()
			if err != nil {
				return err
			}
			path, where, err := a.findRunsc(cfg)
			if err != nil {
				fmt.Fprintln(a.stdout, "runsc     not found")
				return nil
			}
			v, err := gvisor.Version(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "runsc     gVisor %s (%s, %s)\n", v, where, path)
			return nil
		},
	}
}
