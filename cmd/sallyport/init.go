package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/internal/agents"
	"sallyport/internal/hint"
	"sallyport/internal/install"
)

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
` + strings.Replace(strings.Join(agents.Names(), ", "), ", windsurf", ",\nwindsurf", 1) + `.

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
			if n := cmd.ArgsLenAtDash(); n != 0 && len(args) > 0 {
				fix := "flags of sallyport mcp stand after --"
				if best := hint.Nearest(args[0], agents.Names()); best != "" {
					fix = "did you mean: sallyport init --client " + best
				}
				return hint.With(hint.Usage("sallyport init takes no argument before --, and there is %q", args[0]), "%s", fix)
			}
			if err := served(cmd.Root(), args); err != nil {
				return err
			}
			return initClient(a.tell.stdout, a.env, f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.client, "client", "", "the `CLIENT`: one of "+strings.Join(agents.Names(), ", "))
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
	if !agents.IsName(f.name) {
		return hint.With(hint.Usage("--name %q is not a name", f.name), "use letters, digits, - and _")
	}
	if f.write && f.print {
		return hint.Usage("--write and --print exclude each other")
	}
	self, err := os.Executable()
	if err != nil {
		return hint.While(err, "finding this program")
	}
	command, before, err := agents.Start(self)
	if err != nil {
		return err
	}
	entry := agents.Entry{Name: f.name, Command: command, Args: append(append(before, "mcp"), args...)}
	if f.client == "" && f.print {
		fmt.Fprint(out, agents.Generic().Fragment(entry))
		return nil
	}
	if f.client == "" {
		return hint.With(hint.Usage("which client? name it with --client"), "one of %s; for others: sallyport init --print", strings.Join(agents.Names(), ", "))
	}
	c, ok := agents.ByName(f.client)
	if !ok {
		others := "one of " + strings.Join(agents.Names(), ", ") + "; for others: sallyport init --print"
		return hint.With(hint.Usage("--client %q is not known", f.client), "%s", hint.DidYouMean(f.client, agents.Names(), others))
	}
	if f.print {
		fmt.Fprint(out, c.Fragment(entry))
		return nil
	}
	path, err := c.UserFile(env)
	if f.project {
		if command == self {
			entry.Command = byName(env, self)
		}
		var dir string
		if dir, err = os.Getwd(); err == nil {
			path, err = c.ProjectFile(dir)
		}
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

// editClient shows or makes the change of one client's configuration.
func editClient(out io.Writer, path string, c agents.Client, entry agents.Entry, write bool) error {
	change, err := c.Change(path, entry)
	if err != nil {
		return err
	}
	if change.None() {
		fmt.Fprintf(out, "%s: sallyport is there already, nothing to change\n", path)
		return nil
	}
	fmt.Fprintf(out, "%s\n%s", path, change.Diff())
	if !write {
		fmt.Fprintf(out, "\nNothing was changed. To do it: add --write\n")
		return nil
	}
	backup, err := change.Write(time.Now())
	if err != nil {
		return err
	}
	if backup != "" {
		fmt.Fprintf(out, "\nWritten; the old file is %s\n", backup)
	} else {
		fmt.Fprintf(out, "\nWritten\n")
	}
	fmt.Fprintf(out, "%s\n", c.After)
	return nil
}
