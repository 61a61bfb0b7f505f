package main

import (
	"debug/buildinfo"
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
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
			fmt.Fprintf(a.stdout, "runsc     %s (%s, %s)\n", runscVersion(path), where, path)
			return nil
		},
	}
}

// runscVersion reads the version out of the binary without running it.
func runscVersion(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "unknown version"
	}
	for _, d := range info.Deps {
		if d.Path == "gvisor.dev/gvisor" {
			return "gvisor " + d.Version
		}
	}
	return "unknown version"
}
