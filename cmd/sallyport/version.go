package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sallyport/answer"
	"sallyport/internal/install"
)

//go:embed VERSION
var versionFile string

// commit is what was built, as "HASH DATE" with "+changes" behind the hash of a
// tree that was not clean. The linker sets it (-X main.commit); both parts are
// the commit's own, so that the same commit gives the same bytes.
var commit string

func version() string { return strings.TrimSpace(versionFile) }

// versions is what this program is made of: one versioned shape, text is made
// from it.
type versions struct {
	Version string `json:"version"`
	Program string `json:"program"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the commit
	Go      string `json:"go"`
	System  string `json:"system"`
	OPA     string `json:"opa,omitempty"`
	Runsc   string `json:"runsc,omitempty"`
	Found   string `json:"runsc_path,omitempty"` // and how it was found
}

func versionCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of sallyport and of what it is made of",
		Example: "  sallyport version --format json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			v, err := versionsOf(setup)
			if err != nil {
				return err
			}
			if format == "json" {
				return answer.WriteJSON(a.tell.stdout, v)
			}
			return writeVersions(a.tell.stdout, v)
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func versionsOf(setup *install.Setup) (versions, error) {
	v := versions{Version: "version/v1", Program: version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	v.Commit, v.Date, _ = strings.Cut(commit, " ")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/open-policy-agent/opa" {
				v.OPA = dep.Version
			}
		}
	}
	path, where, err := setup.FindRunsc()
	if err != nil {
		return v, nil // doctor says what to do about it
	}
	if v.Runsc, err = install.GvisorVersion(path); err != nil {
		return v, err
	}
	v.Found = where + ", " + path
	return v, nil
}

func writeVersions(out io.Writer, v versions) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "sallyport\t%s\n", v.Program)
	if v.Commit != "" {
		fmt.Fprintf(w, "commit\t%.12s%s, %s\n", v.Commit, changes(v.Commit), v.Date)
	}
	fmt.Fprintf(w, "go\t%s, %s\n", v.Go, v.System)
	if v.OPA != "" {
		fmt.Fprintf(w, "opa\t%s\n", v.OPA)
	}
	if v.Runsc == "" {
		fmt.Fprintf(w, "runsc\tnot found\n")
	} else {
		fmt.Fprintf(w, "runsc\tgVisor %s (%s)\n", v.Runsc, v.Found)
	}
	return w.Flush()
}

func changes(commit string) string {
	if strings.HasSuffix(commit, "+changes") {
		return " and changes"
	}
	return ""
}
