package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sallyport/gate"
	"sallyport/internal/install"
)

// app is one invocation: what it is given, and what the flags say that every
// verb shares. A verb's command takes from it what the work needs, which is a
// function of that alone.
type app struct {
	in    input
	tell  *speech
	env   lookup
	verb  string          // that runs, with those above it
	flags install.Options // what the flags of every verb say

	session string // ties the records of one invocation together

	inject func(*gate.Options) // nothing, but in the tests that break a part
}

// lookup is a variable of the environment, as os.LookupEnv has it.
type lookup = func(string) (string, bool)

// configured reads the configuration, as app.setup does.
type configured = func(own ...func(*install.Options)) (*install.Setup, error)

func newApp(stdin io.Reader, stdout, stderr io.Writer, env lookup) *app {
	tell := &speech{stdout: stdout, stderr: stderr, env: env}
	return &app{in: input{r: stdin, tell: tell}, tell: tell, env: env, session: rand.Text()}
}

// run is the whole program but for the exit.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env lookup) int {
	// A closed pipe must end in an error that we handle, with the sandbox
	// cleaned up, and not in a silent death.
	signal.Ignore(syscall.SIGPIPE)
	// net/http says there what a host has sent that nobody asked for, secrets and all.
	log.SetOutput(io.Discard)
	limitMemory(env)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	out := &outWriter{w: stdout}
	a := newApp(stdin, out, stderr, env)
	root := rootCommand(a)
	root.SetArgs(args)
	err := harden()
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		err = unread(a.verb, out.err)
	}
	if ctx.Err() != nil && err != nil && !errors.Is(err, errInterrupted) {
		err = errInterrupted
	}
	a.tell.report(err, lastHint(a.verb, err))
	return exitCode(err)
}

// setup reads the configuration, and stands for it beside what the flags say,
// those of all verbs and those of this one.
func (a *app) setup(own ...func(*install.Options)) (*install.Setup, error) {
	return install.Read(a.options(own...))
}

func (a *app) options(own ...func(*install.Options)) install.Options {
	o := a.flags
	o.Version, o.Env, o.Output = version(), a.env, a.tell.stderr
	o.Speech = install.Speech{Say: a.tell.say, Note: a.tell.note, Warn: a.tell.warn}
	if a.tell.verbose {
		o.Observe, o.Requested = a.tell.noteRequest, a.tell.noteExchange
	}
	for _, f := range own {
		f(&o)
	}
	return o
}

// looking lets a verb look at what is in force, with a gate that judges and
// keeps no record, and closes what that opens.
func (a *app) looking(look func(*install.Opened) error, own ...func(*install.Options)) error {
	setup, err := a.setup(own...)
	if err != nil {
		return err
	}
	o, err := setup.Look()
	if err != nil {
		return err
	}
	defer o.Close()
	return look(o)
}

func rootCommand(a *app) *cobra.Command {
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
			_, err := io.WriteString(a.tell.stdout, firstWords)
			return err
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetIn(a.in.r)
	root.SetOut(a.tell.stdout)
	root.SetErr(a.tell.stderr)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.verb = cmd.CommandPath()
		return a.tell.agree()
	}
	pf := root.PersistentFlags()
	a.tell.flags(pf)
	pf.StringVar(&a.flags.File, "config", "", "read `FILE` instead of the user's or the system's sallyport.yaml")
	pf.Var(&choice{value: &a.flags.Backend, words: install.BackendNames()}, "backend", "run in `NAME`: "+alternatives(install.BackendNames())+" (default: as configured, else "+install.DefaultBackend+")")
	pf.StringSliceVar(&a.flags.Packs, "pack", nil, "judge by the policy pack `NAME`; may be repeated (default: baseline)")
	pf.StringArrayVar(&a.flags.Policies, "policy", nil, "judge by the rules in `DIR` or bundle.tar.gz, too; may be repeated")
	addVerbs(a, root)
	root.AddCommand(newTopics()...)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			prepareCompletion(c)
		}
	}
	completeFlags(a.setup, root)
	return root
}

// addVerbs adds the verbs, in the groups in which the help shows them.
func addVerbs(a *app, root *cobra.Command) {
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Judge and run programs:", []*cobra.Command{runCommand(a), checkCommand(a), explainCommand(a), factsCommand(a)}},
		{"Serve agents:", []*cobra.Command{mcpCommand(a), serveCommand(a), approvalsCommand(a), initCommand(a)}},
		{"Decide what may run, and where:", []*cobra.Command{policyCommand(a), configCommand(a), envCommand(a)}},
		{"Look after an installation:", []*cobra.Command{auditCommand(a), doctorCommand(a), versionCommand(a), manCommand()}},
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
