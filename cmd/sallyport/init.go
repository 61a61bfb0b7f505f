package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/internal/hint"
	"sallyport/internal/install"
)

// maxClientConfig bounds what is read of a client's configuration.
const maxClientConfig = 64 << 20

type initFlags struct {
	client string
	name   string
	write  bool
	print  bool

	project bool
}

func initCommand(a *app) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init --client NAME [-- MCP-FLAG...]",
		Short: "Add sallyport to the configuration of an AI agent's client",
		Long: `Add sallyport as an MCP server to the configuration of an AI agent's client:
` + strings.Replace(strings.Join(clientNames(), ", "), ", windsurf", ",\nwindsurf", 1) + `.

Without --write nothing is changed: the file and the change are shown. With it
the file is edited in place, everything else in it stays as it is, and a copy
of the old file is put beside it. With --project the file is that of the project
in the working directory, for everybody who works in it. --print prints what to
add, for clients that are not in the list. Flags after -- are given to
"sallyport mcp".`,
		Example: `  sallyport init --client claude-code
  sallyport init --client cursor --write
  sallyport init --client codex --write -- --pack strict
  sallyport init --client vscode --project --write
  sallyport init --print`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := served(cmd.Root(), args); err != nil {
				return err
			}
			return initClient(a.tell.stdout, a.env, f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.client, "client", "", "the `CLIENT`: one of "+strings.Join(clientNames(), ", "))
	fl.StringVar(&f.name, "name", "sallyport", "`NAME` of the server in the client")
	fl.BoolVar(&f.write, "write", false, "make the change, and keep a copy of the old file")
	fl.BoolVar(&f.project, "project", false, "add it to the project in the working directory, not for this user")
	fl.BoolVar(&f.print, "print", false, "print only what to add")
	return cmd
}

// served refuses what "sallyport mcp" would refuse: a client starts it where
// nobody sees its complaint.
func served(root *cobra.Command, args []string) error {
	mcp, _, err := root.Find([]string{"mcp"})
	if err == nil {
		err = mcp.ParseFlags(args)
	}
	if err != nil {
		return flagError(mcp, err)
	}
	return mcp.ValidateArgs(mcp.Flags().Args())
}

func initClient(out io.Writer, env lookup, f initFlags, args []string) error {
	if !serverName.MatchString(f.name) {
		return hint.With(hint.Usage("--name %q is not a name", f.name), "use letters, digits, - and _")
	}
	if f.write && f.print {
		return hint.Usage("--write and --print exclude each other")
	}
	self, err := os.Executable()
	if err != nil {
		return hint.While(err, "finding this program")
	}
	entry := serverEntry{name: f.name, command: self, args: append([]string{"mcp"}, args...)}
	if f.client == "" && f.print {
		fmt.Fprint(out, genericClient().fragment(entry))
		return nil
	}
	if f.client == "" {
		return hint.With(hint.Usage("which client? name it with --client"), "one of %s; for others: sallyport init --print", strings.Join(clientNames(), ", "))
	}
	c, ok := clientByName(f.client)
	if !ok {
		others := "one of " + strings.Join(clientNames(), ", ") + "; for others: sallyport init --print"
		return hint.With(hint.Usage("--client %q is not known", f.client), "%s", hint.DidYouMean(f.client, clientNames(), others))
	}
	if f.print {
		fmt.Fprint(out, c.fragment(entry))
		return nil
	}
	path, err := clientFile(env, c)
	if f.project {
		entry.command = byName(env, self)
		path, err = projectFile(c)
	}
	if err != nil {
		return err
	}
	return editClient(out, path, c, entry, f.write)
}

// byName is this program as everybody has it on PATH, or where it is.
func byName(env lookup, self string) string {
	path, _ := env("PATH")
	if found, err := install.LookPath(path, "sallyport"); err == nil && sameFile(found, self) {
		return "sallyport"
	}
	return self
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// projectFile is where the client has the configuration of the project in the
// working directory.
func projectFile(c client) (string, error) {
	if c.project == "" {
		return "", hint.With(hint.Usage("%s has no configuration of a project", c.name), "leave --project out, to add it for this user")
	}
	dir, err := os.Getwd()
	return orCommented(filepath.Join(dir, filepath.FromSlash(c.project))), err
}

// orCommented is the file, or the one beside it whose name says that it has comments.
func orCommented(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path + "c"); err == nil {
			return path + "c"
		}
	}
	return path
}

// editClient shows or makes the change of one client's configuration.
func editClient(out io.Writer, path string, c client, entry serverEntry, write bool) error {
	old, mode, err := readClientFile(path)
	if err != nil {
		return err
	}
	edited, err := c.edit(old, entry)
	if err != nil {
		return hint.With(fmt.Errorf("%s: %w", path, err), "add it by hand: sallyport init --client %s --print", c.name)
	}
	if bytes.Equal(old, edited) {
		fmt.Fprintf(out, "%s: sallyport is there already, nothing to change\n", path)
		return nil
	}
	fmt.Fprintf(out, "%s\n%s", path, lineDiff(string(old), string(edited)))
	if !write {
		fmt.Fprintf(out, "\nNothing was changed. To do it: add --write\n")
		return nil
	}
	backup, err := replaceFile(path, old, edited, mode, time.Now())
	if err != nil {
		return err
	}
	if backup != "" {
		fmt.Fprintf(out, "\nWritten; the old file is %s\n", backup)
	} else {
		fmt.Fprintf(out, "\nWritten\n")
	}
	fmt.Fprintf(out, "%s\n", c.after)
	return nil
}

// clientFile is where the client has its configuration for this user.
func clientFile(env lookup, c client) (string, error) {
	if c.homeEnv != "" {
		if dir, ok := env(c.homeEnv); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.Base(c.file)), nil
		}
	}
	home, ok := env("HOME")
	if !ok || !filepath.IsAbs(home) {
		return "", hint.Usage("HOME is not set, so the place of the configuration is not known")
	}
	base := home
	switch {
	case c.application:
		base = applicationDir(home, env)
	case c.config:
		base = configDir(home, env)
	}
	return orCommented(filepath.Join(base, filepath.FromSlash(c.file))), nil
}

// readClientFile reads a configuration; none is an empty one.
func readClientFile(path string) ([]byte, fs.FileMode, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case err != nil:
		return nil, 0, hint.While(err, "reading the client's configuration")
	case !st.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	case st.Size() > maxClientConfig:
		return nil, 0, fmt.Errorf("%s is larger than %d MiB", path, maxClientConfig>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, hint.While(err, "reading the client's configuration")
	}
	return b, st.Mode().Perm(), nil
}

// replaceFile puts new content in the place of a file in one step and keeps
// the old content beside it. A link stays a link: its target is replaced.
func replaceFile(path string, old, edited []byte, mode fs.FileMode, now time.Time) (backup string, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", hint.While(err, "making the directory of the client's configuration")
	}
	if old != nil {
		backup = path + ".before-sallyport-" + now.UTC().Format("20060102T150405.000")
		if err := writeNew(backup, old, mode); err != nil {
			return "", hint.While(err, "keeping the old file")
		}
	}
	return backup, writeFile(path, mode, func(w io.Writer) error { _, err := w.Write(edited); return err })
}

func writeNew(path string, b []byte, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// lineDiff shows what lies between the beginning and the end that two texts
// have in common, with two lines around it.
func lineDiff(old, edited string) string {
	a, b := splitLines(old), splitLines(edited)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	show := func(sign string, lines []string) {
		for _, l := range lines {
			fmt.Fprintf(&out, "  %s %s\n", sign, l)
		}
	}
	show(" ", a[max(0, head-2):head])
	show("-", a[head:len(a)-tail])
	show("+", b[head:len(b)-tail])
	show(" ", a[len(a)-tail:min(len(a), len(a)-tail+2)])
	return out.String()
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
