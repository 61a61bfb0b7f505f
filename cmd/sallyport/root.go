package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/signal"
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

	speech
	verb string // that runs, with those above it

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
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	out := &outWriter{w: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, env: env, session: rand.Text()}
	root := a.root()
	root.SetArgs(args)
	err := harden()
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		err = a.unread(out.err)
	}
	if ctx.Err() != nil && err != nil && !errors.Is(err, errInterrupted) {
		err = errInterrupted
	}
	a.report(a.withLastHint(err))
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
		Args:          wants(0, 0),
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(a.stdout, firstWords)
			return err
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	a.speechFlags(root)
	pf := root.PersistentFlags()
	pf.StringVar(&a.configPath, "config", "", "read `FILE` instead of the user's or the system's sallyport.yaml")
	pf.Var(&choice{value: &a.backendIs, words: backendNames()}, "backend", "run in `NAME`: "+alternatives(backendNames())+" (default: as configured, else "+defaultBackend+")")
	pf.StringSliceVar(&a.packs, "pack", nil, "judge by the policy pack `NAME`; may be repeated (default: baseline)")
	pf.StringArrayVar(&a.policies, "policy", nil, "judge by the rules in `DIR` or bundle.tar.gz, too; may be repeated")
	a.addVerbs(root)
	root.AddCommand(newTopics()...)
	root.SetHelpCommand(a.helpCommand())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			prepareCompletion(c)
		}
	}
	a.completeFlags(root)
	return root
}

// addVerbs adds the verbs, in the groups in which the help shows them.
func (a *app) addVerbs(root *cobra.Command) {
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Judge and run programs:", []*cobra.Command{a.runCommand(), a.checkCommand(), a.explainCommand(), a.factsCommand()}},
		{"Serve agents:", []*cobra.Command{a.mcpCommand(), a.initCommand()}},
		{"Decide what may run, and where:", []*cobra.Command{a.policyCommand(), a.configCommand(), a.envCommand()}},
		{"Look after an installation:", []*cobra.Command{a.auditCommand(), a.doctorCommand(), a.versionCommand(), a.manCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.title
			root.AddCommand(verb)
		}
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
