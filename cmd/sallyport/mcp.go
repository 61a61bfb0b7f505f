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
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sallyport/analyze"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/mcp"
)

type mcpFlags struct {
	passEnv  []string
	parallel int
	queue    int
	warm     int
	sessions bool
}

func (a *app) mcpCommand() *cobra.Command {
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
			return a.serveMCP(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.passEnv, "pass-through-env", nil, "give programs these `NAMES` of the server's environment, as secrets")
	fl.IntVar(&f.parallel, "parallel", 0, "run this many programs at a time (default: twice the processors)")
	fl.IntVar(&f.queue, "queue", 0, "let this many calls wait for a run (default: 256)")
	fl.BoolVar(&f.sessions, "sessions", false, "let calls build on each other in one interpreter, as mcp.sessions.enabled does")
	fl.IntVar(&f.warm, "warm", 1, "keep this many sandboxes of each kind ready; each takes about 40 MB")
	return cmd
}

func (a *app) serveMCP(ctx context.Context, f mcpFlags) error {
	out, err := takeStdout(a.stdout)
	if err != nil {
		return fmt.Errorf("moving standard output away: %w", err)
	}
	if f.parallel < 0 || f.queue < 0 || f.warm < 0 {
		return usagef("--parallel, --queue and --warm cannot be negative")
	}
	a.warm, a.serves = f.warm, true
	secrets, err := a.passedEnv(f.passEnv)
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	var environments []mcp.Environment
	s, err := a.open(cfg, true, func(o *gate.Options) {
		o.Approve = mcp.Approve
		o.Sessions = sessionLimits(cfg.MCP.Sessions, f.sessions)
		o.Environments = withSecrets(o.Environments, secrets)
		environments = mcpEnvironments(o.Environments)
	})
	if err != nil {
		return err
	}
	defer s.close(a)
	opts := a.mcpOptions(cfg, f, s)
	opts.Environments = slices.DeleteFunc(environments, func(e mcp.Environment) bool { return e.Name == "default" })
	srv, err := mcp.New(opts)
	if err != nil {
		return err
	}
	if f, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.say("serving MCP on this terminal; an agent's client is meant to start this (sallyport init), Ctrl-D ends it")
	}
	ctx, stop := whileRead(ctx, out)
	defer stop()
	if err := srv.Serve(ctx, a.stdin, out); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// sessionLimits are those of interpreter sessions, nil when the operator has
// not asked for any.
func sessionLimits(s config.Sessions, flag bool) *gate.SessionLimits {
	if !s.Enabled && !flag {
		return nil
	}
	return &gate.SessionLimits{Idle: time.Duration(s.Idle), Total: time.Duration(s.Total), Max: int(s.Max)}
}

func (a *app) mcpOptions(cfg config.Config, f mcpFlags, s session) mcp.Options {
	return mcp.Options{
		ObserveQueue: s.telemetry.ObserveQueue,

		Gate:     s.gate,
		Version:  version(),
		Rules:    s.engine.Rules(),
		Limits:   ceilings(cfg.Limits),
		Parallel: f.parallel,
		Queue:    f.queue,
		Warm:     []analyze.Language{analyze.Python, analyze.JavaScript},
		Log: func(format string, args ...any) {
			fmt.Fprintf(a.stderr, "%s sallyport: mcp: %s\n", time.Now().UTC().Format(time.RFC3339), oneLine(fmt.Sprintf(format, args...)))
		},
	}
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// passedEnv reads the variables that programs shall have, from the flag and
// from PASSTHROUGH_ENV. One that is not set is left out, with a word about it.
func (a *app) passedEnv(names []string) (map[string]string, error) {
	if more, ok := a.env("PASSTHROUGH_ENV"); ok {
		names = append(slices.Clone(names), strings.Split(more, ",")...)
	}
	secrets := map[string]string{}
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !envName.MatchString(name) {
			return nil, withHint(usagef("%q is not the name of an environment variable", name), "--pass-through-env takes names, not values: A,B")
		}
		if config.Steers(name) {
			return nil, usagef("%s cannot be passed through: it changes how programs are loaded", name)
		}
		value, ok := a.env(name)
		if !ok {
			a.warn("%s is not set, so programs will not have it", name)
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
