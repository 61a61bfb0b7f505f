package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/config"
)

func (a *app) envCommand() *cobra.Command {
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
	cmd.AddCommand(a.envListCommand(), a.envBuildCommand(), a.envPruneCommand())
	return cmd
}

func (a *app) envListCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the environments and whether they can be used",
		Example: "  sallyport env list\n  sallyport env list --format json",
		Args:    wants(0, 0),
		RunE:    func(*cobra.Command, []string) error { return a.listEnvironments(format) },
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func (a *app) envBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build NAME...",
		Short: "Install the packages of environments and fetch their images",
		Long: `Install the packages that the lock files of environments name, and fetch their
images; needs a network. What is there already is left as it is, and what is
interrupted leaves nothing behind.`,
		Example:           "  sallyport env build data",
		Args:              wants(1, -1),
		ValidArgsFunction: a.completeEnvironments,
		RunE:              func(cmd *cobra.Command, names []string) error { return a.buildEnvironments(cmd.Context(), names) },
	}
}

func (a *app) envPruneCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prune",
		Short: "Remove the images that sallyport made and nobody needs",
		Long: `Remove the unpacked images that no environment names and nobody uses. With
docker or podman as the backend, remove instead what sallyport made there from
your images, as far as no container uses it; your images stay.`,
		Example: "  sallyport env prune",
		Args:    wants(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.prune(cmd.Context()) },
	}
}

// removedImage is a line of env prune.
type removedImage struct {
	bytes      int64 // 0 where nearly all of it is shared with an image that stays
	id, source string
}

func (a *app) prune(ctx context.Context) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	var removed []removedImage
	switch name := a.backendName(cfg); name {
	case "docker", "podman":
		removed, err = a.prunePrepared(ctx, cfg.Sandbox.Engine, name)
	default:
		removed, err = a.pruneImages(ctx, cfg)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	var sum int64
	for _, i := range removed {
		if sum += i.bytes; i.bytes > 0 {
			fmt.Fprint(w, megabytes(i.bytes))
		}
		fmt.Fprintf(w, "\t  %.19s  %s\n", i.id, safe(i.source))
	}
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "removed: %d, %s\n", len(removed), megabytes(sum))
	return nil
}

// prunePrepared removes what an engine keeps for sallyport alone.
func (a *app) prunePrepared(ctx context.Context, e config.Engine, name string) ([]removedImage, error) {
	b, err := a.engineBackend(e, name)
	if err != nil {
		return nil, err
	}
	var removed []removedImage
	found, err := b.Prune(ctx)
	for _, i := range found {
		removed = append(removed, removedImage{0, i.ID, i.Name})
	}
	return removed, errors.Join(err, b.Close())
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// environmentState is one line of env list.
type environmentState struct {
	Name        string   `json:"name"`
	Ready       bool     `json:"ready"`
	Problem     string   `json:"problem,omitempty"` // why it is not, and what to do
	Description string   `json:"description"`
	Packages    []string `json:"packages"`
}

func (a *app) listEnvironments(format string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	list := []environmentState{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Environments)) {
		e := environmentState{Name: name, Ready: true, Description: cfg.Environments[name].Description, Packages: []string{}}
		env, err := a.environment(cfg, name)
		if err != nil {
			what, fix := mended(err)
			e.Ready, e.Problem = false, strings.TrimSuffix(what+": "+fix, ": ")
		}
		e.Packages = append(e.Packages, env.Packages...)
		list = append(list, e)
	}
	if format == "json" {
		return writeJSON(a.stdout, struct {
			Version      string             `json:"version"`
			Environments []environmentState `json:"environments"`
		}{"environments/v1", list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.stdout, "no environments are defined; programs run with the host's interpreters")
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Name, safe(firstOf(e.Problem, "ready")), safe(e.Description), safe(strings.Join(e.Packages, " ")))
	}
	return w.Flush()
}

func (a *app) buildEnvironments(ctx context.Context, names []string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	for _, name := range names {
		c, ok := cfg.Environments[name]
		if !ok {
			return unknownEnvironment(cfg, name)
		}
		built := 0
		for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
			t := toolchains(c)[lang]
			fetched, err := a.fetchImage(ctx, cfg, name, lang, t.Image)
			if err != nil {
				return fmt.Errorf("building environment %s: %w", name, err)
			}
			if fetched {
				built++
			}
			if t.Lock == "" {
				continue
			}
			if err := a.buildOne(ctx, cfg, name, lang, t); err != nil {
				return fmt.Errorf("building environment %s: %w", name, err)
			}
			built++
		}
		if built == 0 {
			a.say("environment %s names no lock file and no image: there is nothing to do", name)
		}
	}
	return nil
}

// buildOne installs into a directory that appears under its name whole or not
// at all.
func (a *app) buildOne(ctx context.Context, cfg config.Config, name string, lang analyze.Language, t config.Toolchain) (err error) {
	in, err := a.installation(name, lang, t)
	if err != nil {
		return err
	}
	if _, err := os.Stat(in.dir); err == nil {
		a.say("%s %s is built already", name, lang)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(in.dir), 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(in.dir), ".build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	a.say("installing %s for %s %s", count(len(in.packages), "package"), name, lang)
	if lang == analyze.Python {
		err = a.installPython(ctx, cfg, tmp, t.Lock)
	} else {
		err = a.installJavaScript(ctx, tmp, t.Lock)
	}
	if err != nil {
		return err
	}
	// Programs are another user inside of the sandbox; what is above this
	// directory stays closed to others.
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp, in.dir); err != nil {
		return err
	}
	a.say("%s %s is ready", name, lang)
	return nil
}

// installPython makes a virtual environment. Wheels only: building a source
// distribution would run its code here, outside of any sandbox.
func (a *app) installPython(ctx context.Context, cfg config.Config, dir, lock string) error {
	python := cmp.Or(cfg.Sandbox.Python, "python3")
	if err := a.tool(ctx, dir, python, "-I", "-m", "venv", "--without-pip", dir); err != nil {
		return withHint(err, "Debian has venv and pip in packages of their own: apt-get install -y python3-venv python3-pip")
	}
	site, err := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages"))
	if err != nil || len(site) != 1 {
		return fmt.Errorf("the virtual environment has no site-packages")
	}
	err = a.tool(ctx, dir, python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--root-user-action", "ignore",
		"--quiet", "--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile", "--target", site[0], "--requirement", lock)
	if err != nil {
		return withHint(err, "each requirement needs its version and its hashes: pip-compile --generate-hashes, or uv pip compile --generate-hashes")
	}
	return nil
}

// installJavaScript installs what a package-lock.json names, which carries the
// hashes. Install scripts would run here, outside of any sandbox: none runs.
func (a *app) installJavaScript(ctx context.Context, dir, lock string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(lock), name))
		if err != nil {
			return withHint(err, "package.json must stand beside %s", filepath.Base(lock))
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return a.tool(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--silent")
}

// tool runs an installer of the operator's machine; what it prints goes to
// standard error.
func (a *app) tool(ctx context.Context, dir, name string, args ...string) error {
	path := name
	if !filepath.IsAbs(name) {
		var err error
		if path, err = lookPath(a.searchPath(), name); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	killGroup(cmd)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = a.stderr, a.stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s %s: %w", filepath.Base(name), args[min(2, len(args)-1)], err)
	}
	return nil
}

// npmPackages lists the packages of a package-lock.json.
func npmPackages(lock []byte) []string {
	var l struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(lock, &l); err != nil {
		return nil // npm itself will say what is wrong
	}
	var out []string
	for p, v := range l.Packages {
		if name, ok := strings.CutPrefix(p, "node_modules/"); ok && !v.Dev {
			out = append(out, name+"@"+v.Version)
		}
	}
	slices.Sort(out)
	return out
}
