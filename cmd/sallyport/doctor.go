package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

//go:embed doctor_probe.py
var doctorProbe []byte

// examination is what doctor found: one versioned shape, text is made from it.
type examination struct {
	Version  string      `json:"version"`
	Program  string      `json:"program"`
	Backends []candidate `json:"backends"` // every one there is, chosen or not
	Findings []diagnosis `json:"findings"` // of the chosen one
}

// diagnosis is one thing that was looked at.
type diagnosis struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warn, fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

func (x *examination) add(status, check, detail, fix string) {
	x.Findings = append(x.Findings, diagnosis{check, status, detail, fix})
}

// check notes err as a failure of check, with the hint that it carries.
func (x *examination) check(check, detail string, err error) bool {
	if err == nil {
		x.add(statusOK, check, detail, "")
		return true
	}
	what, fix := inWords(err)
	x.add(statusFail, check, what, fix)
	return false
}

// count is how many findings have a status.
func (x *examination) count(status string) (n int) {
	for _, d := range x.Findings {
		if d.Status == status {
			n++
		}
	}
	return n
}

func doctorCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine this installation and try to escape from its sandbox",
		Long: `Examine this installation: which backends work here, and what keeps the others
from it; configuration, policy, audit log, sandbox, and which control is
enforced how. Then run a program inside the chosen sandbox that tries to get
out of it (network, host files, privileged calls); each try must fail.

Exits with 1 when something does not work that is chosen; each finding names
its fix.`,
		Example: "  sallyport doctor\n  sallyport doctor --format json",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := examine(cmd.Context(), a.setup)
			if err := cmd.Context().Err(); err != nil {
				return err // half an examination says nothing
			}
			if format == "json" {
				if err := answer.WriteJSON(a.tell.stdout, x); err != nil {
					return err
				}
			} else {
				writeExamination(a.tell.answer(), x)
			}
			if x.count(statusFail) > 0 {
				return shown{errors.New("something does not work")}
			}
			return nil
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func examine(ctx context.Context, configure configured) *examination {
	x := &examination{Version: "doctor/v1", Program: "sallyport " + version()}
	setup, err := configure()
	from := "none; the built-in defaults are in force"
	if err == nil && setup.Config.Path != "" {
		from = setup.Config.Path
	}
	if !x.check("configuration", from, err) {
		return x
	}
	x.Backends = candidates(ctx, configure, setup)
	engine, err := setup.Engine()
	if x.check("policy", "", err) {
		d := engine.Decide(ctx, policy.Input{})
		x.Findings[len(x.Findings)-1].Detail = fmt.Sprintf("%s, %d rules, digest %.19s", strings.Join(d.Packs, "+"), len(engine.Rules()), d.Policy)
	}
	examineShared(ctx, x, setup)
	if setup.BackendName() == "gvisor" {
		path, where, err := setup.FindRunsc()
		if !x.check("runsc", fmt.Sprintf("%s (%s)", path, where), err) {
			return x
		}
	}
	examineSandbox(ctx, x, setup)
	return x
}

// examineShared asks the database that replicas of a service share, if there is one.
func examineShared(ctx context.Context, x *examination, setup *install.Setup) {
	if setup.Config.Serve.Shared.URL == "" {
		return
	}
	own, err := replicaOf(setup, func(string, ...any) {})
	if err == nil && setup.Config.Ask.Others() {
		_, err = own.notes("")
	}
	if err != nil {
		x.check("shared database", "", err)
		return
	}
	defer own.close()
	about, err := own.shared.Ping(ctx)
	if err != nil {
		err = hint.With(err, "see that serve.shared names it, that it runs, and that this machine may reach it: until then sallyport serve refuses every call")
	}
	x.check("shared database", about, err)
}

// examineSandbox runs the probe behind the audit log and the backend that a
// run would have, judged by the pack that denies nothing: what is on trial is
// the second door alone.
func examineSandbox(ctx context.Context, x *examination, setup *install.Setup) {
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"observe"}})
	if err != nil {
		x.check("self-test", "", err)
		return
	}
	var backend sandbox.Backend
	s, err := setup.Run(func(o *gate.Options) { o.Policy, backend = engine, o.Backend })
	if !x.check("audit log and sandbox", "open", err) {
		return
	}
	defer s.Close()
	d := backend.Describe()
	x.add(statusOK, "backend", strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Name, d.Version, d.Mode)), "")
	probe(ctx, x, s)
	examineLanguage(ctx, x, s, analyze.JavaScript, "")
	examineEnvironments(ctx, x, s, setup)
}

// examineEnvironments starts each interpreter of the operator's environments.
func examineEnvironments(ctx context.Context, x *examination, s *install.Opened, setup *install.Setup) {
	for _, name := range slices.Sorted(maps.Keys(setup.Config.Environments)) {
		env, err := setup.Environment(name)
		if err != nil {
			x.check("environment "+name, "", err)
			continue
		}
		for _, lang := range []analyze.Language{analyze.Python, analyze.JavaScript} {
			if rt := env.Runtimes[lang]; rt.Image != "" || rt.Interpreter != "" {
				examineLanguage(ctx, x, s, lang, name)
			}
		}
	}
}

// probe starts the program that tries to escape.
func probe(ctx context.Context, x *examination, s *install.Opened) {
	bait, err := newBait()
	if err != nil {
		x.check("self-test", "", err)
		return
	}
	defer bait.close()
	ans, err := s.Gate.Run(ctx, gate.Request{
		Name: "doctor_probe.py", Language: analyze.Python, Source: doctorProbe, Tool: "doctor", Client: "cli",
		Args:   []string{strconv.Itoa(bait.port), bait.canary},
		Limits: sandbox.Limits{Wall: 30 * time.Second},
	})
	if !ran(x, "python", ans, err) {
		return
	}
	x.hooks("python", analyze.Python, ans.Result)
	for _, c := range controls(ans.Result.Enforced) {
		x.add(statusOK, "control: "+c, ans.Result.Enforced[sandbox.Control(c)], "")
	}
	x.escapes(ans.Result, bait)
}

// forwarded are the tries that end at the forwarder where programs have egress:
// it resolves every name and takes every connection, and dials nothing that no
// rule allows.
var forwarded = []string{"link-local metadata address", "name lookup"}

// escapes notes what the probe's own report says of its tries.
func (x *examination) escapes(res *sandbox.Result, bait *bait) {
	var report struct {
		Results map[string]struct {
			Escaped bool   `json:"escaped"`
			Detail  string `json:"detail"`
		} `json:"results"`
		Environ []string `json:"environ"`
	}
	if err := json.Unmarshal(res.Stdout, &report); err != nil || len(report.Results) == 0 {
		x.add(statusFail, "self-test", "the probe gave no report: "+answer.OneLine(string(res.Stderr)), "")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(report.Results)) {
		r := report.Results[name]
		status, detail := statusOK, answer.Visible(r.Detail)
		switch {
		case r.Escaped && res.Enforced[sandbox.ControlEgress] != "" && slices.Contains(forwarded, name):
			detail = "answered by the forwarder: programs have egress here"
		case r.Escaped:
			status = statusFail
		}
		x.add(status, "escape: "+name, detail, "")
	}
	leaked := "nothing of this environment is visible inside"
	status := statusOK
	if i := slices.IndexFunc(report.Environ, bait.isOurs); i >= 0 {
		status, leaked = statusFail, "a value of this process's environment is visible inside"
	}
	x.add(status, "escape: environment", leaked, "")
}

// examineLanguage runs a small program in an environment, "" for that of
// callers who choose none.
func examineLanguage(ctx context.Context, x *examination, s *install.Opened, lang analyze.Language, env string) {
	source, what := "print(6*7)\n", string(lang)
	if lang == analyze.JavaScript {
		source = "console.log(6*7)\n"
	}
	if env != "" {
		what = fmt.Sprintf("environment %s, %s", env, lang)
	}
	ans, err := s.Gate.Run(ctx, gate.Request{Name: "doctor", Language: lang, Source: []byte(source), Environment: env, Tool: "doctor", Client: "cli"})
	if ran(x, what, ans, err) {
		x.hooks(what, lang, ans.Result)
	}
}

// hooks notes what those of an interpreter can stop.
func (x *examination) hooks(what string, lang analyze.Language, res *sandbox.Result) {
	version := res.Runtime.Version
	x.add(statusOK, fmt.Sprintf("hooks: %s, %s", what, version), reach(lang, version), "")
}

// reach says of each capability how the hooks of an interpreter stop it.
func reach(lang analyze.Language, version string) string {
	const byEvent = "code.eval, code.load, deserialize, filesystem.read, filesystem.write, native, network, process, signals: stopped by event; "
	switch {
	case lang == analyze.JavaScript:
		return "code.eval, code.load, environment, filesystem.read, filesystem.write, introspection, native, network, process, signals: stopped by hook; deserialize: there is none; " +
			"not stoppable: /proc/self/environ as a file"
	case strings.HasPrefix(version, "3.7") || strings.HasPrefix(version, "3.6"):
		return "not stoppable: Python has no audit events before 3.8; the kernel still refuses network and process"
	default:
		return byEvent + "environment: stopped by event, removed (posix.environ); introspection: stopped by event (frames, __code__, __globals__, __closure__, __subclasses__, gc, tracing), " +
			"not stoppable: __bases__, modules that are there already, os.stat"
	}
}

// ran notes whether a program of one language ran to its end.
func ran(x *examination, what string, ans gate.Answer, err error) bool {
	if err != nil {
		return x.check(what, "", err)
	}
	if ans.Result == nil {
		x.add(statusFail, what, fmt.Sprintf("denied: %s %s", ans.Decision.Reason, ans.Decision.Detail), "")
		return false
	}
	if r := ans.Result; r.Reason != sandbox.Exited || r.Exit != 0 {
		x.add(statusFail, what, fmt.Sprintf("ended with %s, exit %d: %s", r.Reason, r.Exit, answer.OneLine(string(r.Stderr))), "")
		return false
	}
	rt := ans.Result.Runtime
	x.add(statusOK, what, fmt.Sprintf("%s %s, %s from cold", rt.Interpreter, rt.Version, ans.Durations.Run.Round(time.Millisecond)), "")
	return true
}

func controls(enforced map[sandbox.Control]string) []string {
	out := make([]string, 0, len(enforced))
	for c := range enforced {
		out = append(out, string(c))
	}
	slices.Sort(out)
	return out
}

// bait is what the probe tries to reach: a listener on the host's loopback
// and a file that everybody on the host can read.
type bait struct {
	listener net.Listener
	port     int
	dir      string
	canary   string
	ours     map[string]bool
}

func newBait() (*bait, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening on loopback: %w", err)
	}
	b := &bait{listener: l, port: l.Addr().(*net.TCPAddr).Port, ours: map[string]bool{}}
	go func() { // ends when the listener is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	if b.dir, err = os.MkdirTemp("", "sallyport-doctor-"); err != nil {
		return nil, errors.Join(hint.While(err, "making the bait"), l.Close())
	}
	b.canary = filepath.Join(b.dir, "canary")
	if err := errors.Join(os.Chmod(b.dir, 0o755), os.WriteFile(b.canary, []byte("reached\n"), 0o644)); err != nil {
		b.close()
		return nil, hint.While(err, "making the bait")
	}
	for _, kv := range os.Environ() {
		if _, v, _ := strings.Cut(kv, "="); len(v) > 8 {
			b.ours[v] = true
		}
	}
	return b, nil
}

// isOurs reports whether a value of the program's environment is one of this
// process's. The search path and the place of certificates are the same on most
// machines and say nothing.
func (b *bait) isOurs(v string) bool {
	return b.ours[v] && !strings.Contains(v, "/bin") && !strings.HasPrefix(v, "/etc/ssl/certs/")
}

func (b *bait) close() {
	b.listener.Close()
	os.RemoveAll(b.dir)
}

func writeExamination(r *report.Text, x *examination) {
	r.Printf("%s\n", x.Program)
	writeCandidates(r, x.Backends)
	for _, d := range x.Findings {
		style := report.Green
		switch d.Status {
		case statusWarn:
			style = report.Yellow
		case statusFail:
			style = report.Red
		}
		r.Printf("%s %s: %s\n", r.Paint(style, fmt.Sprintf("%-4s", d.Status)), d.Check, d.Detail)
		if d.Fix != "" {
			r.Printf("     %s %s\n", r.Paint(report.Dim, "fix:"), d.Fix)
		}
	}
	bad, odd := x.count(statusFail), x.count(statusWarn)
	all := answer.Count(len(x.Findings), "check")
	switch {
	case bad > 0:
		r.Printf("%s failed of %s\n", answer.Count(bad, "check"), all)
	case odd > 0:
		r.Printf("%s, none failed; %s\n", all, answer.Count(odd, "warning"))
	default:
		r.Printf("%s, and all is well; next: sallyport run FILE, or sallyport init for an agent\n", all)
	}
}
