package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/client"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/internal/report"
	"sallyport/policy"
)

type checkFlags struct {
	language    string
	environment string
	format      string
	failOn      string
	output      string
	noRecord    bool
	server      client.Options
}

func checkCommand(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check PATH...|-",
		Short: "Judge programs by policy; nothing runs",
		Long: `Judge programs by policy. Nothing runs, and no sandbox is needed.

A directory is searched for *.py, *.pyw, *.js, *.mjs, *.cjs, *.ts, *.mts and
*.ipynb; links, hidden directories, node_modules, virtual environments and empty
files are skipped. The cells of a notebook are judged as one program. A file
that cannot be read does not hide the others. Each denial names the rule, the
place and what to do instead. Every decision is recorded like that of a run,
unless --no-record asks for a pure dry run.

Exit codes, whatever the format:
` + exitCodesText(),
		Example: `  sallyport check hello.py
  sallyport check --pack strict src/
  sallyport check --format sarif . > sallyport.sarif
  git show HEAD:job.py | sallyport check --language python -`,
		Args: wants(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), a, f, args)
		},
	}
	labelFlag(cmd, &a.in.labels, labelUsage)
	languageFlag(cmd, &f.language, "; in directories, take only this one's files")
	environmentFlag(cmd, &f.environment, judgedIn)
	formatFlag(cmd, &f.format, report.Formats()...)
	outputFlag(cmd, &f.output, "write the report to `FILE`, whole or not at all (default: standard output)")
	fl := cmd.Flags()
	fl.Var(newChoice(&f.failOn, "ask", "deny", "warn"), "fail-on", "the mildest `FINDING` that fails: deny, ask (deny or ask) or warn (any of them)")
	fl.BoolVar(&f.noRecord, "no-record", false, "keep no record of these decisions")
	serverFlags(cmd, &f.server)
	return cmd
}

// checked is the outcome of one target.
type checked struct {
	request gate.Request
	report.File
	given  string // the target's name, as the caller wrote it
	broken bool   // Err says that sallyport failed, not the file
}

// total is what a check comes to.
type total struct {
	report.Summary
	firstErr error // of a file that could not be read
}

func check(ctx context.Context, a *app, f checkFlags, args []string) error {
	found, err := collect(ctx, args, f.language)
	if err != nil {
		return err
	}
	asked, err := a.service(f.server)
	if err != nil {
		return err
	}
	by := judging{in: a.in, service: asked, session: a.session, language: f.language, environment: f.environment}
	var s *install.Opened // here, where no service is asked
	var rules []policy.RuleInfo
	switch {
	case asked == nil:
		if s, err = a.judge(f.noRecord, f.environment); err != nil {
			return err
		}
		defer s.Close()
		by.gate, by.known, rules = s.Gate, s.Known, s.Engine.Rules()
	case f.noRecord:
		return hint.With(hint.Usage("--no-record: a service records what it decides"), "leave it out, or --server")
	}
	a.tell.note("%s to judge, %d at a time", answer.Count(len(found.list), "file"), runtime.GOMAXPROCS(0))
	var sum total
	var denied *checked
	err = writeTo(a.tell.stdout, f.output, 0o644, func(w io.Writer) error {
		rep, err := report.New(f.format, w, report.Options{
			FailOn: report.FailOn(f.failOn), Quiet: a.tell.quiet, Verbose: a.tell.verbose,
			Version: version(), Rules: rules, Style: a.tell.style(w),
		})
		if err == nil {
			sum, denied, err = checkAll(ctx, a.tell, by, rep, report.FailOn(f.failOn), found)
		}
		return err
	})
	if err != nil {
		return err
	}
	if denied != nil && f.format == "text" && s != nil {
		a.tell.pointOn(s.Engine, judgedBy(a.flags), f.environment, denied.given, denied.Answer.Decision)
	}
	if denied != nil && f.format == "text" {
		a.tell.hint(denied.Answer.Hint)
	}
	if f.output != "" && f.output != "-" {
		a.tell.say("wrote %s: %s", f.output, sum)
	}
	return sum.outcome()
}

// judge opens what judges here.
func (a *app) judge(noRecord bool, environment string) (*install.Opened, error) {
	setup, err := a.setup(func(o *install.Options) { o.Environment = environment })
	if err != nil {
		return nil, err
	}
	if noRecord {
		return setup.Look(a.inject)
	}
	return setup.Judge(a.inject)
}

// checkAll judges the programs in parallel and reports them in order. It returns
// the first that is denied, as an example. An interruption ends in an error that
// says how far it came, and in no report.
func checkAll(ctx context.Context, tell *speech, by judging, rep report.Handler, fails report.FailOn, found targets) (sum total, denied *checked, err error) {
	sum = total{Summary: report.Summary{Empty: found.empty, SkippedDirs: found.skipped, Many: found.walked || len(found.list) > 1}}
	bar := tell.newProgress(len(found.list))
	defer bar.clear()
	start := time.Now()
	emit := func(c checked) error {
		if c.broken {
			return c.Err
		}
		sum.Add(c.File, fails)
		if denied == nil && c.Err == nil && c.Answer.Decision.Effect != policy.Allow {
			denied = &checked{given: c.given, File: report.File{Answer: c.Answer}}
		}
		if c.Err != nil {
			bar.clear()
			tell.report(c.Err)
			sum.firstErr = cmp.Or(sum.firstErr, c.Err)
		}
		if err := rep.File(c.File); err != nil {
			return err
		}
		bar.step(time.Now())
		return nil
	}
	err = inOrder(ctx, found.list, runtime.GOMAXPROCS(0), by.program, emit)
	if ctx.Err() != nil && len(found.list) > 1 {
		return sum, nil, fmt.Errorf("%w after %d of %d files: %s", errInterrupted, sum.Checked+sum.Unreadable, len(found.list), sum)
	}
	if err != nil {
		return sum, nil, err
	}
	bar.clear()
	tell.note("judged %s in %s", answer.Count(sum.Checked, "file"), since(start))
	return sum, denied, rep.End(sum.Summary)
}

// judging holds what it takes to judge a program.
type judging struct {
	in       input
	gate     *gate.Gate
	known    func() answer.Environments
	service  *client.Client // judges in the place of gate, when not nil
	session  string
	language string // of all of them; "": as each says

	environment string // where they would run
}

// program reads and judges one program.
func (j judging) program(ctx context.Context, t target) checked {
	c := checked{given: t.name, File: report.File{Name: t.name, Named: t.named, Err: t.err}}
	if c.Err != nil {
		return c
	}
	req, err := j.in.program(ctx, t.name, j.language)
	if err != nil {
		c.Err = err
		return c
	}
	req.Tool, req.Session, req.Environment = "check", j.session, j.environment
	c.Name, c.Source, c.request = req.Name, string(req.Source), req
	if j.service != nil && req.Language == analyze.Notebook {
		c.Err = hint.With(hint.Usage("--server: %s is a notebook, which a service does not judge", req.Name), "judge it here, without --server")
		return c
	}
	if j.service != nil {
		c.Answer, err = j.service.Check(ctx, req)
	} else {
		var judged gate.Answer
		judged, err = j.gate.Check(ctx, req)
		c.Answer = answer.New(judged, nil)
		c.Answer.Advise(j.known, c.Source)
		if req.Language == analyze.Notebook { // findings have cells of their own; labels stand in the first
			c.Source = strings.TrimSpace(strings.Join(judged.Notebook, "\n"))
		}
	}
	if errors.Is(err, gate.ErrEnvironment) {
		err = hint.Usage("%v", err)
	}
	if err != nil {
		c.Err, c.broken = fmt.Errorf("%s: %w", req.Name, err), !errors.Is(err, hint.ErrUsage)
	}
	return c
}

// outcome is the error, and so the exit code: a denial counts more than a file
// that could not be read.
func (t total) outcome() error {
	switch {
	case t.Failed > 0:
		return shown{errDenied}
	case t.firstErr != nil:
		return shown{t.firstErr}
	}
	return nil
}
