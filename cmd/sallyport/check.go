package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"sallyport/gate"
	"sallyport/policy"
)

type checkFlags struct {
	language string
	format   string
	failOn   string
	output   string
	noRecord bool
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check PATH...|-",
		Short: "Judge programs by policy; nothing runs",
		Long: `Judge programs by policy. Nothing runs, and no sandbox is needed.

A directory is searched for *.py, *.pyw, *.js, *.mjs and *.cjs; links, hidden
directories, node_modules, virtual environments and empty files are skipped. A
file that cannot be read does not hide the others. Each denial names the rule,
the place and what to do instead. Every decision is recorded like that of a run,
unless --no-record asks for a pure dry run.

Exit codes, whatever the format:
` + exitCodesText(),
		Example: `  sallyport check hello.py
  sallyport check --pack strict src/
  sallyport check --format sarif . > sallyport.sarif
  git show HEAD:job.py | sallyport check --language python -`,
		Args: wants(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), f, args)
		},
	}
	languageFlag(cmd, &f.language, "; in directories, take only this one's files")
	formatFlag(cmd, &f.format, "text", "json", "sarif", "junit", "github")
	outputFlag(cmd, &f.output, "write the report to `FILE`, whole or not at all (default: standard output)")
	fl := cmd.Flags()
	fl.Var(newChoice(&f.failOn, "ask", "deny", "warn"), "fail-on", "the mildest `FINDING` that fails: deny, ask (deny or ask) or warn (any of them)")
	fl.BoolVar(&f.noRecord, "no-record", false, "keep no record of these decisions")
	return cmd
}

// checked is the outcome of one target: an answer, or why there is none.
type checked struct {
	target
	answer gate.Answer
	source string
	broken bool // err says that sallyport failed, not the file
}

func (a *app) check(ctx context.Context, f checkFlags, args []string) error {
	found, err := collect(ctx, args, f.language)
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	a.noRecord = f.noRecord
	s, err := a.open(cfg, false)
	if err != nil {
		return err
	}
	defer s.close(a)
	a.note("%s to judge, %d at a time", count(len(found.list), "file"), runtime.GOMAXPROCS(0))
	var sum checkSummary
	err = a.writeTo(f.output, 0o644, func(w io.Writer) (err error) {
		sum, err = a.checkAll(ctx, a.reporter(w, f, s.engine.Rules()), f, found, s)
		return err
	})
	if err != nil {
		return err
	}
	if f.output != "" && f.output != "-" {
		a.say("wrote %s: %s", f.output, sum.text())
	}
	return sum.outcome()
}

// checkAll judges the programs in parallel and reports them in order. What is
// interrupted ends in an error that says how far it came, and in no report.
func (a *app) checkAll(ctx context.Context, rep reporter, f checkFlags, found targets, s session) (checkSummary, error) {
	var denied *checked // the first, as an example
	sum := checkSummary{Empty: found.empty, SkippedDirs: found.skipped, many: found.walked || len(found.list) > 1}
	bar := a.newProgress(len(found.list))
	defer bar.clear()
	start := time.Now()
	emit := func(c checked) error {
		if c.broken {
			return c.err
		}
		sum.count(c, f.failOn)
		if denied == nil && c.err == nil && c.answer.Decision.Effect != policy.Allow {
			denied = &checked{target: c.target, answer: c.answer}
		}
		if c.err != nil {
			bar.clear()
			a.report(c.err)
		}
		if err := rep.file(c); err != nil {
			return err
		}
		bar.step(time.Now())
		return nil
	}
	judge := func(ctx context.Context, t target) checked { return a.judgeTarget(ctx, s.gate, t, f.language) }
	err := inOrder(ctx, found.list, runtime.GOMAXPROCS(0), judge, emit)
	if ctx.Err() != nil && len(found.list) > 1 {
		return sum, fmt.Errorf("%w after %d of %d files: %s", errInterrupted, sum.Checked+sum.Unreadable, len(found.list), sum.text())
	}
	if err != nil {
		return sum, err
	}
	bar.clear()
	a.note("judged %s in %s", count(sum.Checked, "file"), since(start))
	if err := rep.end(sum); err != nil {
		return sum, err
	}
	if denied != nil && f.format == "text" {
		a.pointOn(s.engine, denied.target.name, denied.answer.Decision)
	}
	return sum, nil
}

// judgeTarget reads and judges one program.
func (a *app) judgeTarget(ctx context.Context, g *gate.Gate, t target, language string) checked {
	c := checked{target: t}
	if c.err != nil {
		return c
	}
	req, err := a.readSource(ctx, t.name, language)
	if err != nil {
		c.err = err
		return c
	}
	req.Tool, req.Session = "check", a.session
	c.name, c.source = req.Name, string(req.Source)
	if c.answer, err = g.Check(ctx, req); err != nil {
		c.err, c.broken = fmt.Errorf("%s: %w", req.Name, err), true
	}
	return c
}

// checkSummary counts the outcomes of a check.
type checkSummary struct {
	Checked     int `json:"checked"`
	Allowed     int `json:"allowed"`
	Denied      int `json:"denied"`
	Ask         int `json:"ask"`
	Warned      int `json:"warned"` // of the allowed, those with a warning
	Unreadable  int `json:"unreadable"`
	Empty       int `json:"empty"`
	SkippedDirs int `json:"skipped_directories"`
	Failed      int `json:"failed"` // what --fail-on makes fail

	many     bool // a summary line is worth while
	firstErr error
}

func (s *checkSummary) count(c checked, failOn string) {
	if c.err != nil {
		s.Unreadable++
		if s.firstErr == nil {
			s.firstErr = c.err
		}
		return
	}
	s.Checked++
	switch c.answer.Decision.Effect {
	case policy.Allow:
		s.Allowed++
		if warned(c.answer.Decision) {
			s.Warned++
		}
	case policy.Ask:
		s.Ask++
	default:
		s.Denied++
	}
	if fails(c.answer.Decision, failOn) {
		s.Failed++
	}
}

// fails reports whether a decision is one that --fail-on is about. A denial
// always is.
func fails(d policy.Decision, failOn string) bool {
	switch d.Effect {
	case policy.Allow:
		return failOn == "warn" && warned(d)
	case policy.Ask:
		return failOn != "deny"
	}
	return true
}

func warned(d policy.Decision) bool {
	for _, f := range d.Findings {
		if f.Action == policy.ActionWarn {
			return true
		}
	}
	return false
}

// outcome is the error, and so the exit code: a denial counts more than a file
// that could not be read.
func (s *checkSummary) outcome() error {
	switch {
	case s.Failed > 0:
		return shown{errDenied}
	case s.firstErr != nil:
		return shown{s.firstErr}
	}
	return nil
}

// text is the summary as a line for people.
func (s *checkSummary) text() string {
	line := fmt.Sprintf("%d checked, %d allowed, %d denied", s.Checked, s.Allowed, s.Denied)
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Ask, "to be approved"},
		{s.Warned, "with warnings"},
		{s.Unreadable, "could not be read"},
		{s.Empty, "empty"},
	} {
		if part.n > 0 {
			line += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return line
}
