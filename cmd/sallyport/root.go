package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sallyport/gate"
)

// app is one invocation: where it reads and writes, and the flags that every
// verb shares.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)

	session string // ties the records of one invocation together

	configPath string
	backendIs  string

	environmentIs string // the environment that a run names
	packs         []string
	policies      []string
	noRecord      bool // of decisions that run nothing

	inject func(*gate.Options) // nothing, but in the tests that break a part

	serves bool // one that stays, and can be scraped

	warm int // sandboxes that wait for each kind of run; a server keeps some
}

// run is the whole program but for the exit.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	// A closed pipe must end in an error that we handle, with the sandbox
	// cleaned up, and not in a silent death.
	signal.Ignore(syscall.SIGPIPE)
	limitMemory(env)
	if err := harden(); err != nil {
		report(stderr, err)
		return exitCode(err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	out := &outWriter{w: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, env: env, session: rand.Text()}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the answer: %w", out.err)
	}
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("%w", errInterrupted)
	}
	report(stderr, err)
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sallyport",
		Short: "Judge code by policy, then run it in a sandbox",
		Long: `sallyport runs code that an AI agent wrote: first it is judged by policy, then
it runs in a sandbox without network, within hard limits. No code runs that
policy did not allow, and no allowed code runs outside the sandbox.`,
		Example: `  sallyport run hello.py                    # judge and run a program
  echo 'print(6*7)' | sallyport run -l python -
  sallyport check src/*.py                  # judge only; nothing runs
  sallyport mcp                             # serve an agent over STDIO`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	pf := root.PersistentFlags()
	pf.StringVar(&a.configPath, "config", "", "read `FILE` instead of the user's or the system's sallyport.yaml")
	pf.StringVar(&a.backendIs, "backend", "", "run in `NAME`: gvisor, docker or podman (default: as configured, else gvisor)")
	pf.StringSliceVar(&a.packs, "pack", nil, "judge by the policy pack `NAME`; may be repeated (default: baseline)")
	pf.StringArrayVar(&a.policies, "policy", nil, "judge by the rules in `DIR` or bundle.tar.gz, too; may be repeated")
	root.AddCommand(
		a.runCommand(),
		a.checkCommand(),
		a.factsCommand(),
		a.explainCommand(),
		a.policyCommand(),
		a.configCommand(),
		a.mcpCommand(),
		a.initCommand(),
		a.auditCommand(),
		a.envCommand(),
		a.doctorCommand(),
		a.versionCommand(),
		a.manCommand(),
	)
	root.AddCommand(newTopics()...)
	a.completeFlags(root)
	wrapArgErrors(root)
	return root
}

// wrapArgErrors turns cobra's complaints about arguments into usage errors.
func wrapArgErrors(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			hint := c.CommandPath() + " --help"
			if c.HasSubCommands() && len(args) > 0 {
				if s := c.SuggestionsFor(args[0]); len(s) > 0 {
					hint = "did you mean: " + c.CommandPath() + " " + strings.Join(s, ", "+c.CommandPath()+" ")
				}
			}
			return withHint(usagef("%v", err), "%s", hint)
		}
	}
	for _, c := range cmd.Commands() {
		wrapArgErrors(c)
	}
}

// outWriter remembers the first error of standard output, so that a command
// cannot end in success when its answer did not arrive.
type outWriter struct {
	w      io.Writer
	err    error
	before func() // called before each write, when not nil
}

func (o *outWriter) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.before != nil {
		o.before()
	}
	n, err := o.w.Write(p)
	if err != nil {
		var perr *os.PathError
		if errors.As(err, &perr) {
			err = perr.Err
		}
		o.err = err
	}
	return n, o.err
}
