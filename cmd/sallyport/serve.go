package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/approvals"
	"sallyport/internal/hint"
	"sallyport/internal/identity"
	"sallyport/internal/install"
	"sallyport/internal/serve"
	"sallyport/internal/shared"
	"sallyport/mcp"
)

func serveCommand(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve many over HTTP, each by a verified identity",
		Long: `Serve many agents and programs over HTTP: the Model Context Protocol at /mcp,
and a plain API at /v1/check and /v1/run.

Who asks is verified: by a token of an OpenID provider, a static token, or a
certificate. "serve" in sallyport.yaml says where to listen and who vouches for
whom. Without TLS the service can be reached from this machine alone. It ends on
a signal: calls that are open get their time, and nothing is left running.`,
		Example: `  sallyport serve
  sallyport serve token ci --scope run,check >> tokens`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMany(cmd.Context(), a, f) },
	}
	fl := cmd.Flags()
	fl.IntVar(&f.parallel, "parallel", 0, "run `NUMBER` programs at a time, of all tenants (default: twice the processors)")
	fl.IntVar(&f.queue, "queue", 0, "let `NUMBER` calls of a tenant wait for a run (default: 256)")
	f.addWarm(fl)
	cmd.AddCommand(serveToken(a), &cobra.Command{
		Use:     "openapi",
		Short:   "Print the description of the plain API, by OpenAPI 3.1",
		Example: "  sallyport serve openapi > openapi.json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b, err := serve.OpenAPI("/")
			if err == nil {
				_, err = a.tell.stdout.Write(b)
			}
			return err
		},
	})
	return cmd
}

func serveToken(a *app) *cobra.Command {
	var scopes, groups []string
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Make a static token, and its line for the file of tokens",
		Long: `Make a static token for a machine. The token is shown once, on standard error;
on standard output is its line for the file that serve.tokens names, with its
hash and not the token. A line that is taken out of the file ends its token.`,
		Example: `  sallyport serve token ci --scope run,check >> tokens
  sallyport serve token release --scope approve --group approvers >> tokens`,
		Args: wants(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, s := range scopes {
				if known := []string{mcp.ScopeCheck, mcp.ScopeRun, mcp.ScopeSessions, mcp.ScopeApprove}; !strings.Contains(" "+strings.Join(known, " ")+" ", " "+s+" ") {
					return unknownWord("--scope", s, known)
				}
			}
			if strings.ContainsAny(args[0], " \t\r\n|#") || args[0] == "" {
				return hint.With(hint.Usage("%q is no name for a token", args[0]), "a word without |, # and blanks, such as ci")
			}
			for _, g := range groups {
				if g == "" || strings.ContainsFunc(g, unicode.IsSpace) || strings.Contains(g, ",") {
					return hint.With(hint.Usage("--group: %q is no name for a group", g), "a word without commas and blanks, such as approvers")
				}
			}
			token, line := identity.NewToken(args[0], scopes, groups...)
			fmt.Fprintln(a.tell.stderr, token)
			_, err := io.WriteString(a.tell.stdout, line)
			return err
		},
	}
	cmd.Flags().StringSliceVar(&scopes, "scope", []string{mcp.ScopeCheck, mcp.ScopeRun}, "what it may be used for: `SCOPES` of check, run, sessions, approve")
	cmd.Flags().StringSliceVar(&groups, "group", nil, "be one of these `GROUPS`, as policies, exceptions and ask.by name them")
	return cmd
}

func serveMany(ctx context.Context, a *app, f mcpFlags) error {
	if err := f.counts(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	serves := f.install(func() { stop(errHung) })
	counts := func(o *install.Options) { serves(o); o.Counts = true }
	setup, err := a.setup(counts)
	if err != nil {
		return err
	}
	if c := setup.Config.Serve; len(c.Issuers) == 0 && c.Tokens == "" && c.TLS.ClientCA == "" && len(c.Tenants) == 0 {
		return hint.With(hint.Usage("nobody can be identified: the configuration names neither serve.issuers nor serve.tokens nor serve.tls.client_ca"),
			"sallyport serve token NAME >> tokens makes a static token; serve: {tokens: tokens} names the file")
	}
	own, err := replicaOf(setup, a.tell.served)
	if err != nil {
		return err
	}
	defer own.close()
	all := setup.Config.Serve.Tenants
	tenants, turns := map[string]serve.Tenant{}, serve.NewTurns(f.parallel)
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(all))...) {
		each := setup
		if name != "" {
			if each, err = a.setup(counts, func(o *install.Options) {
				o.File, o.Packs, o.Policies = filepath.Join(all[name].Dir, "sallyport.yaml"), nil, nil
			}); err != nil {
				return fmt.Errorf("tenant %s: %w", name, err)
			}
			if !each.Config.Serve.Empty() {
				return fmt.Errorf("tenant %s: %w", name, hint.New(nil, "serve.tenants and serve.quota of the service's own configuration say what a tenant may use", "serve: is not a tenant's to say"))
			}
			if each.Config.Audit.Dir == "" {
				each.Config.Audit.Dir = filepath.Join(all[name].Dir, "audit")
			}
		}
		t, end, err := openTenant(ctx, a, f, each, setup.Config.Serve, name, turns, own)
		if err != nil {
			if name != "" {
				err = fmt.Errorf("tenant %s: %w", name, err)
			}
			return err
		}
		defer end()
		tenants[name] = t
	}
	service, err := serve.New(serve.Options{Config: setup.Config.Serve, Tenants: tenants, Shared: own.shared, Log: a.tell.served})
	if err != nil {
		return err
	}
	l, err := service.Listen(ctx, a.env)
	if err != nil {
		return err
	}
	if err := service.Serve(ctx, l); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	if cause := context.Cause(ctx); cause == errHung {
		return errHung
	}
	return nil
}

// served tells the operator what happens while a service runs.
func (s *speech) served(format string, args ...any) {
	fmt.Fprintf(s.stderr, "%s sallyport: serve: %s\n", time.Now().UTC().Format(time.RFC3339), answer.OneLine(fmt.Sprintf(format, args...)))
}

// errHung ends a server in which a rule, or the analysis of a program, could not be stopped.
var errHung = hint.New(nil, "the record of the last decision says for which program; sallyport check shows the rule", "a rule of the policy, or the analysis of a program, could not be stopped, so this server ends")

// replica is what this one has that others of the service know, or have, too; the
// zero one is alone.
type replica struct {
	name    string // of its host
	handles *mcp.Handles
	shared  *shared.Database
}

// replicaOf is this replica of a service.
func replicaOf(setup *install.Setup, log func(string, ...any)) (r replica, err error) {
	keys, err := install.HandleKeys(setup)
	if err != nil {
		return r, err
	}
	o, together, err := install.SharedOptions(setup)
	if err != nil || keys == nil && !together {
		return r, err
	}
	if r.name, err = os.Hostname(); err != nil {
		return r, fmt.Errorf("naming this replica: %w", err)
	}
	if keys != nil {
		if r.handles, err = mcp.NewHandles(r.name, keys); err != nil {
			return r, hint.New(err, "openssl rand -base64 32 > FILE makes one", "serve.handle_keys")
		}
	}
	if !together {
		return r, nil
	}
	o.Log = log
	if r.shared, err = shared.Open(o); err != nil {
		return r, hint.While(err, "serve.shared")
	}
	return r, nil
}

func (r replica) close() {
	if r.shared != nil {
		_ = r.shared.Close() // what it holds there ends by itself
	}
}

// spent is the CPUTogether of a tenant's gate. What this replica has used is known by
// its log, of which there may be several on one host.
func (r replica) spent(tenant, log string) func(context.Context, time.Time, time.Duration) (time.Duration, error) {
	if r.shared == nil {
		return nil
	}
	return func(ctx context.Context, day time.Time, own time.Duration) (time.Duration, error) {
		return r.shared.Spent(ctx, tenant, r.name+":"+log, day, own)
	}
}

// notes are where the questions of a tenant wait for all replicas; nil where this one
// is alone.
func (r replica) notes(tenant string) (*approvals.Notes, error) {
	if r.shared == nil {
		return nil, nil
	}
	if r.handles == nil {
		return nil, hint.New(nil, "openssl rand -base64 32 > FILE makes one for all replicas, and serve.handle_keys names it: the database must not be able to say yes",
			"ask.by with serve.shared needs serve.handle_keys: approvals wait in the shared database, sealed")
	}
	keys, err := r.handles.Keys("approvals")
	if err != nil {
		return nil, err
	}
	return r.shared.Notes(tenant, "approvals", keys)
}

// names are of the sessions of a tenant at all replicas; nil where this one is alone,
// or where they have nothing to seal with.
func (r replica) names(tenant string) (mcp.Names, error) {
	if r.shared == nil || r.handles == nil {
		return nil, nil
	}
	keys, err := r.handles.Keys("sessions")
	if err != nil {
		return nil, err
	}
	return r.shared.Held(tenant, "sessions", r.name, keys)
}

// openTenant opens what requests of one tenant are answered by.
func openTenant(ctx context.Context, a *app, f mcpFlags, setup *install.Setup, service config.Serve, name string, turns serve.Turns, own replica) (t serve.Tenant, end func(), err error) {
	cfg, quota := setup.Config, service.QuotaOf(name)
	var environments answer.Environments
	spent, err := install.SpentToday(setup, quota)
	if err != nil {
		return t, nil, err
	}
	was, err := install.WasInForce(setup)
	if err != nil {
		return t, nil, err
	}
	log, err := setup.AuditDir()
	if err != nil {
		return t, nil, err
	}
	var notes *approvals.Notes
	if cfg.Ask.Others() {
		if notes, err = own.notes(name); err != nil {
			return t, nil, err
		}
	}
	names, err := own.names(name)
	if err != nil {
		return t, nil, err
	}
	var queue *approvals.Queue
	var opened *install.Opened
	hook, err := webhook(setup, service, name, a.tell.served, func(ctx context.Context, decision string, ap gate.Approval) (string, error) {
		return opened.Gate.Answered(ctx, decision, ap)
	})
	if err != nil {
		return t, nil, err
	}
	opened, err = setup.Run(func(o *gate.Options) {
		o.Remote, o.Approve = true, mcp.Approve
		if cfg.Ask.Others() {
			queue = approvals.New(approvals.Options{Ask: cfg.Ask, Tell: hook.Tell, Notes: notes, Replica: own.name, Log: a.tell.served})
			o.Approve = queue.Approve
		}
		o.CPUPerDay, o.CPUSpent, o.CPUTogether = time.Duration(quota.CPUSecondsPerDay)*time.Second, spent, own.spent(name, log)
		o.Sessions = sessionLimits(cfg.MCP.Sessions, false)
		environments = answer.NewEnvironments(o.Environments)
	}, a.inject)
	if err != nil {
		return t, nil, err
	}
	opts := mcpOptions(a.tell.stderr, cfg, f, opened)
	opts.Environments, opts.SessionsEach = environments, max(int(service.Limits.SessionsEach), 1)
	turns.Share(&opts, quota, own.shared, name)
	opts.Handles = own.handles
	opts.Names = names
	opts.Interpreters = interpreters(ctx, opened.Gate)
	opts.Warm = slices.DeleteFunc(opts.Warm, func(l analyze.Language) bool { return f.warm == 0 || opts.Interpreters[l] == "" })
	srv, err := mcp.New(opts)
	if err != nil {
		queue.Close()
		return t, nil, errors.Join(err, opened.Close())
	}
	inForce := map[string]string{"policy": opened.Engine.Summary().Digest}
	if cfg.SHA256 != "" {
		inForce["configuration"] = cfg.SHA256
	}
	return serve.Tenant{Gate: opened.Gate, MCP: srv, Approvals: queue, Telemetry: opened.Telemetry, InForce: gate.NewInForce(opened.Gate, name, inForce, was)}, func() { queue.Close(); hook.Close(); _ = opened.Close() }, nil
}

// webhook is who is told what waits in a tenant; nil tells nobody.
func webhook(setup *install.Setup, service config.Serve, tenant string, log func(string, ...any), record approvals.Record) (*approvals.Webhook, error) {
	o := approvals.WebhookOptions{URL: setup.Config.Ask.Webhook.URL, Tenant: tenant, Record: record, Log: log}
	if o.URL == "" {
		return nil, nil
	}
	if service.URL != "" {
		o.Link = strings.TrimSuffix(service.URL, "/") + "/v1/approvals"
	}
	var err error
	if o.Secret, err = install.WebhookSecret(setup); err != nil {
		return nil, err
	}
	hook, err := approvals.NewWebhook(o)
	if err != nil {
		return nil, hint.New(err, `(echo -n whsec_; openssl rand -base64 32) > FILE makes one`, "ask.webhook.secret_file")
	}
	return hook, nil
}
