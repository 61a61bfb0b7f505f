package main

import (
	"context"
	"fmt"
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
	quiet    bool
	verbose  bool
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
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.language, "language", "l", "", "python or javascript (default: from the extension or the shebang line); in directories, take only this one's files")
	fl.StringVar(&f.format, "format", "text", "text, json, sarif, junit or github")
	fl.StringVar(&f.failOn, "fail-on", "ask", "the mildest finding that fails: deny, ask (deny or ask) or warn (any of them)")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "say only what fails")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "also name every allowed file and every logged finding")
	fl.BoolVar(&f.noRecord, "no-record", false, "keep no record of these decisions")
	return cmd
}

func (f *checkFlags) validate() error {
	if err := oneOf("--format", f.format, "text", "json", "sarif", "junit", "github"); err != nil {
		return err
	}
	if err := oneOf("--fail-on", f.failOn, "deny", "ask", "warn"); err != nil {
		return err
	}
	if f.quiet && f.verbose {
		return usagef("--quiet and --verbose cannot go together")
	}
	lang, err := languageFlag(f.language)
	f.language = string(lang)
	return err
}

// checked is the outcome of one target: an answer, or why there is none.
type checked struct {
	target
	answer gate.Answer
	source string
	broken bool // err says that sallyport failed, not the file
}

func (a *app) check(ctx context.Context, f checkFlags, args []string) error {
	if err := f.validate(); err != nil {
		return err
	}
	found, err := collect(args, f.language)
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
	defer s.close(a.stderr)
	return a.checkAll(ctx, f, found, s)
}

// checkAll judges the programs in parallel and reports them in order.
func (a *app) checkAll(ctx context.Context, f checkFlags, found targets, s session) error {
	rep := a.reporter(f, s.engine.Rules())
	sum := checkSummary{Empty: found.empty, SkippedDirs: found.skipped, many: found.walked || len(found.list) > 1}
	bar := a.newProgress(len(found.list), f.quiet)
	defer bar.clear()
	emit := func(c checked) error {
		if c.broken {
			return c.err
		}
		sum.count(c, f.failOn)
		if c.err != nil {
			bar.clear()
			report(a.stderr, c.err)
		}
		if err := rep.file(c); err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
		bar.step(time.Now())
		return nil
	}
	judge := func(ctx context.Context, t target) checked { return a.judgeTarget(ctx, s.gate, t, f.language) }
	if err := inOrder(ctx, found.list, runtime.GOMAXPROCS(0), judge, emit); err != nil {
		return err
	}
	bar.clear()
	if err := rep.end(sum); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return sum.outcome()
}

// judgeTarget reads and judges one program.
func (a *app) judgeTarget(ctx context.Context, g *gate.Gate, t target, language string) checked {
	c := checked{target: t}
	if c.err != nil {
		return c
	}
	req, err := a.readSource(t.name, language)
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
