package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/internal/install"
)

func envCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "env",
		Short: "List the environments of programs, and install their packages",
		Long: `Environments are defined in sallyport.yaml by the operator; a caller may only
choose one by its name. One that names a lock file is built once, with network:

  environments:
    data:
      description: numpy and pandas
      python: {lock: data.lock}              # pip requirements, with hashes
      javascript: {lock: web/package-lock.json}
      secrets: {API_KEY: {env: MY_API_KEY}}  # kept out of every output

One that names an image runs in that root file system instead of this machine's:

  environments:
    boxed:
      # or docker-archive:, oci-layout:, dir:
      python: {image: "registry.example/python@sha256:…"}

Packages are installed without running any code of theirs: wheels only for
Python, no install scripts for JavaScript.`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(envListCommand(a), envLockCommand(a), envBuildCommand(a), envLayerCommand(a), envPruneCommand(a))
	return cmd
}

func envListCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the environments and whether they can be used",
		Example: "  sallyport env list\n  sallyport env list --format json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return listEnvironments(a.tell.stdout, setup, format)
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func envBuildCommand(a *app) *cobra.Command {
	var shared bool
	cmd := &cobra.Command{
		Use:   "build NAME...",
		Short: "Install the packages of environments and fetch their images",
		Long: `Install the packages that the lock files of environments name, have them build
in the sandbox what they build at first use, and fetch images; needs a network.
What is there already is left as it is, and what is interrupted leaves nothing
behind.

Packages are the user's own, below XDG_DATA_HOME. With --shared they are for all
users of the machine, below the first of XDG_DATA_DIRS (/usr/local/share), where
the administrator alone writes; who has none of their own uses those.`,
		Example:           "  sallyport env build data",
		Args:              wants(1, -1),
		ValidArgsFunction: completeEnvironments(a.setup),
		RunE: func(cmd *cobra.Command, names []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return setup.Build(cmd.Context(), names, shared)
		},
	}
	cmd.Flags().BoolVar(&shared, "shared", false, "install for all users of this machine")
	return cmd
}

func envLockCommand(a *app) *cobra.Command {
	var language string
	var requirements []string
	cmd := &cobra.Command{
		Use:   "lock NAME",
		Short: "Make the lock file of an environment from a list of packages",
		Long: `Write the lock file that the configuration names for an environment: the
packages that are required and what they need, each with its version and its
hash, as the index has them for this Python and this machine. Needs a network;
no code of a package runs. Without --require, lock anew what was required
before.`,
		Example:           "  sallyport env lock data --require pandas --require 'matplotlib>=3.9'\n  sallyport env lock data",
		Args:              wants(1, 1),
		ValidArgsFunction: completeEnvironments(a.setup),
		RunE: func(cmd *cobra.Command, names []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return setup.Lock(cmd.Context(), names[0], analyze.Language(language), requirements)
		},
	}
	cmd.Flags().StringArrayVar(&requirements, "require", nil, "a `PACKAGE`, with the versions that will do; may be repeated")
	cmd.Flags().VarP(newChoice(&language, "python", "javascript"), "language", "l", "lock the packages of `LANGUAGE`: python or javascript")
	return cmd
}

func envLayerCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "layer",
		Short: "Write what prepares an image for the backend kubernetes",
		Long: `Write a tar file to standard output with what an image needs, besides an
interpreter, to run programs in pods: sallyport's supervisor and its runner. In
a Dockerfile, "ADD layer.tar /" puts it there. Each version of sallyport has its
own and starts no image of another.`,
		Example: "  sallyport env layer > layer.tar",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			layer, err := install.Layer(setup.Config.Sandbox)
			if err == nil {
				_, err = a.tell.stdout.Write(layer)
			}
			return err
		},
	}
}

func envPruneCommand(a *app) *cobra.Command {
	var shared bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove the packages and images that no environment names any more",
		Long: `Remove the packages that were installed for a lock file as it was before, and
the unpacked images that no environment names and nobody uses. With docker or
podman as the backend, remove instead of those what sallyport made there from
your images, as far as no container uses it; your images stay.

A server that was started before the lock file changed still uses the packages
of then: start it anew first.`,
		Example: "  sallyport env prune",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			setup, err := a.setup()
			if err != nil {
				return err
			}
			return prune(cmd.Context(), a.tell.stdout, setup, shared)
		},
	}
	cmd.Flags().BoolVar(&shared, "shared", false, "remove packages that were installed for all users, and nothing else")
	return cmd
}

func prune(ctx context.Context, out io.Writer, setup *install.Setup, shared bool) error {
	removed, err := setup.Prune(ctx, shared)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	var sum int64
	for _, i := range removed {
		if sum += i.Bytes; i.Bytes > 0 {
			fmt.Fprint(w, install.Megabytes(i.Bytes))
		}
		fmt.Fprintf(w, "\t  %.19s  %s\n", i.ID, answer.Visible(i.Source))
	}
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	fmt.Fprintf(out, "removed: %d, %s\n", len(removed), install.Megabytes(sum))
	return nil
}

// environmentState is one line of env list.
type environmentState struct {
	Name        string   `json:"name"`
	Ready       bool     `json:"ready"`
	Problem     string   `json:"problem,omitempty"` // why it is not, and what to do
	Description string   `json:"description"`
	Packages    []string `json:"packages"`
}

func listEnvironments(out io.Writer, setup *install.Setup, format string) error {
	list := []environmentState{}
	for _, name := range slices.Sorted(maps.Keys(setup.Config.Environments)) {
		e := environmentState{Name: name, Ready: true, Description: setup.Config.Environments[name].Description, Packages: []string{}}
		env, err := setup.Environment(name)
		if err != nil {
			what, fix := inWords(err)
			e.Ready, e.Problem = false, strings.TrimSuffix(what+": "+fix, ": ")
		}
		e.Packages = append(e.Packages, env.Packages...)
		list = append(list, e)
	}
	if format == "json" {
		return answer.WriteJSON(out, struct {
			Version      string             `json:"version"`
			Environments []environmentState `json:"environments"`
		}{"environments/v1", list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "no environments are defined; programs run with the host's interpreters")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Name, answer.Visible(cmp.Or(e.Problem, "ready")), answer.Visible(e.Description), answer.Visible(strings.Join(e.Packages, " ")))
	}
	return w.Flush()
}
