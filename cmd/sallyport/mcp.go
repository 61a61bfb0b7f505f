package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/mcp"
)

type mcpFlags struct {
	passEnv  []string
	parallel int
	queue    int
	warm     int
	warmMB   int
	sessions bool
}

func mcpCommand(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an AI agent over STDIO (Model Context Protocol)",
		Long: `Serve an AI agent over STDIO, by the Model Context Protocol.

The agent's client starts this command and gets the tools run_python_code,
run_javascript_code and check_code. "sallyport init --client NAME" writes the
client's configuration. Nothing needs to be configured here.

Standard output carries the protocol and nothing else. The server ends with its
input, when the client is gone, or on a signal; nothing is left running.

--pass-through-env A,B gives programs the variables A and B of this server, as
does PASSTHROUGH_ENV=A,B. Their values are replaced in all that is sent back.`,
		Example: `  sallyport mcp
  sallyport mcp --pack strict
  API_KEY=… sallyport mcp --pass-through-env API_KEY`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveMCP(cmd.Context(), a, f)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.passEnv, "pass-through-env", nil, "give programs these `NAMES` of the server's environment, as secrets")
	fl.IntVar(&f.parallel, "parallel", 0, "run `NUMBER` programs at a time (default: twice the processors)")
	fl.IntVar(&f.queue, "queue", 0, "let `NUMBER` calls wait for a run (default: 256)")
	fl.BoolVar(&f.sessions, "sessions", false, "let calls build on each other in one interpreter, as mcp.sessions.enabled does")
	f.addWarm(fl)
	return cmd
}

func (f *mcpFlags) addWarm(fl *pflag.FlagSet) {
	fl.IntVar(&f.warm, "warm", 1, "keep at least `NUMBER` sandboxes of each kind ready; each takes about 25 MB, and what its environment preloads")
	fl.IntVar(&f.warmMB, "warm-mb", 512, "keep as many ready as calls come at once, in up to this many `MB`, of which one takes 25, and 125 where its environment preloads")
}

// counts refuses numbers below zero.
func (f *mcpFlags) counts() error {
	if min(f.parallel, f.queue, f.warm, f.warmMB) < 0 {
		return hint.Usage("--parallel, --queue, --warm and --warm-mb cannot be negative")
	}
	return nil
}

// install says which sandboxes wait, and who hears of what hangs.
func (f *mcpFlags) install(hung func()) func(*install.Options) {
	const waiting = 25 // MB, of one sandbox; package live counts five for one that preloads
	return func(o *install.Options) { o.Warm, o.WarmMost, o.Serves, o.Hung = f.warm, f.warmMB/waiting, true, hung }
}

func serveMCP(ctx context.Context, a *app, f mcpFlags) error {
	out, err := takeStdout(a.tell.stdout)
	if err != nil {
		return fmt.Errorf("moving standard output away: %w", err)
	}
	if err := f.counts(); err != nil {
		return err
	}
	hung := make(chan struct{})
	secrets, err := passedEnv(a.env, a.tell.warn, f.passEnv)
	if err != nil {
		return err
	}
	setup, err := a.setup(f.install(sync.OnceFunc(func() { close(hung) })))
	if err != nil {
		return err
	}
	cfg := setup.Config
	var environments answer.Environments
	s, err := setup.Run(func(o *gate.Options) {
		if !cfg.Ask.Others() { // else there is nobody here who may
			o.Approve = mcp.Approve
		}
		o.Sessions = sessionLimits(cfg.MCP.Sessions, f.sessions)
		o.Environments = withSecrets(o.Environments, secrets)
		environments = answer.NewEnvironments(o.Environments)
	}, a.inject)
	if err != nil {
		return err
	}
	defer s.Close()
	opts := mcpOptions(a.tell.stderr, cfg, f, s)
	opts.Environments = environments
	opts.Interpreters = interpreters(ctx, s.Gate)
	opts.Stop = hung
	srv, err := mcp.New(opts)
	if err != nil {
		return err
	}
	if f, ok := a.in.r.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.tell.say("serving MCP on this terminal; an agent's client is meant to start this (sallyport init), Ctrl-D ends it")
	}
	ctx, stop := whileRead(ctx, out)
	defer stop()
	if err := srv.Serve(ctx, a.in.r, out); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	select {
	case <-hung:
		return errHung
	default:
		return nil
	}
}

// interpreters are the versions of those of the default environment.
func interpreters(ctx context.Context, g *gate.Gate) map[analyze.Language]string {
	out := map[analyze.Language]string{}
	for language, name := range map[analyze.Language]string{analyze.Python: "Python %s", analyze.JavaScript: "JavaScript (Node.js %s)"} {
		if v := g.Version(ctx, language); v != "" {
			out[language] = fmt.Sprintf(name, strings.TrimPrefix(v, "v"))
		}
	}
	return out
}

// sessionLimits are those of interpreter sessions, nil when the operator has
// not asked for any.
func sessionLimits(s config.Sessions, flag bool) *gate.SessionLimits {
	if !s.Enabled && !flag {
		return nil
	}
	return &gate.SessionLimits{Idle: time.Duration(s.Idle), Total: time.Duration(s.Total), Max: int(s.Max)}
}

func mcpOptions(stderr io.Writer, cfg config.Config, f mcpFlags, s *install.Opened) mcp.Options {
	return mcp.Options{
		ObserveQueue: s.Telemetry.ObserveQueue,

		Gate:    s.Gate,
		Version: version(),
		Rules:   s.Engine.Rules(),
		Limits:  install.Ceilings(cfg.Limits),

		Shown:       cfg.MCP.Shown(),
		Outbox:      cfg.Outbox.Path,
		Directories: slices.Sorted(maps.Keys(cfg.Directories())),

		Parallel: f.parallel,
		Queue:    f.queue,
		Warm:     []analyze.Language{analyze.Python, analyze.JavaScript},
		Log: func(format string, args ...any) {
			fmt.Fprintf(stderr, "%s sallyport: mcp: %s\n", time.Now().UTC().Format(time.RFC3339), answer.OneLine(fmt.Sprintf(format, args...)))
		},
	}
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// passedEnv reads the variables that programs shall have, from the flag and
// from PASSTHROUGH_ENV. One that is not set is left out, with a word about it.
func passedEnv(env lookup, warn func(string, ...any), names []string) (map[string]string, error) {
	if more, ok := env("PASSTHROUGH_ENV"); ok {
		names = append(slices.Clone(names), strings.Split(more, ",")...)
	}
	secrets := map[string]string{}
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !envName.MatchString(name) {
			return nil, hint.With(hint.Usage("%q is not the name of an environment variable", name), "--pass-through-env takes names, not values: A,B")
		}
		if config.Steers(name) {
			return nil, hint.Usage("%s cannot be passed through: it changes how programs are loaded", name)
		}
		value, ok := env(name)
		if !ok {
			warn("%s is not set, so programs will not have it", name)
			continue
		}
		secrets[name] = value
	}
	return secrets, nil
}

// withSecrets adds secrets to every environment, also to the default one.
func withSecrets(envs map[string]gate.Environment, secrets map[string]string) map[string]gate.Environment {
	out := map[string]gate.Environment{"default": {}}
	maps.Copy(out, envs)
	for name, env := range out {
		all := maps.Clone(secrets)
		maps.Copy(all, env.Secrets)
		env.Secrets = all
		out[name] = env
	}
	return out
}

// fileOf returns the file behind a writer of ours, if there is one.
func fileOf[F any](w io.Writer) (F, bool) {
	if o, ok := w.(*outWriter); ok {
		w = o.w
	}
	f, ok := w.(F)
	return f, ok
}
