package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sallyport/gate"
	"sallyport/policy"
	"sallyport/sandbox"
)

// maxStdin bounds what a program gets on its standard input.
const maxStdin = 64 << 20

type runFlags struct {
	language string
	timeout  time.Duration
	memoryMB int64
	stdin    string
	files    []string
	output   string
	format   string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE|- [-- ARG...]",
		Short: "Judge a program and, if policy allows it, run it in the sandbox",
		Long: `Judge a program and, if policy allows it, run it in the sandbox.

The program has no network, no files of this machine but its interpreter, and
hard limits on time, memory, processes and output. Its output is sallyport's
output; what sallyport has to say goes to standard error. The decision is on
disk before the program starts.

Exit codes:
` + exitCodesText(),
		Example: `  sallyport run hello.py
  sallyport run --timeout 5s --memory 256 job.js -- --verbose
  sallyport run --stdin data.csv report.py
  sallyport run --file sales.csv --output plots plot.py
  echo 'print(6*7)' | sallyport run --language python -`,
		Args: wants(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runProgram(cmd.Context(), f, args[0], args[1:])
		},
	}
	fl := cmd.Flags()
	languageFlag(cmd, &f.language, "")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop the program after this long; can only tighten what is configured")
	fl.Int64Var(&f.memoryMB, "memory", 0, "let the program have this many MiB of memory; can only tighten")
	fl.StringVar(&a.environmentIs, "environment", "", "run in the operator's environment `NAME` (see sallyport env list)")
	fl.StringVar(&f.stdin, "stdin", "", "give the program `FILE`, or - for this standard input (default: empty)")
	fl.StringArrayVar(&f.files, "file", nil, "put `PATH[=NAME]` into the program's work directory; may be repeated")
	outputFlag(cmd, &f.output, "keep the files that the program leaves in `DIR`; nothing there is overwritten")
	formatFlag(cmd, &f.format, "text", "json")
	return cmd
}

func (a *app) runProgram(ctx context.Context, f runFlags, name string, args []string) error {
	req, err := a.runRequest(ctx, f, name, args)
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	s, err := a.open(cfg, true)
	if err != nil {
		return err
	}
	defer s.close(a)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &live{a: a, cancel: cancel}
	if f.format == "text" {
		req.Output = out.write
	}
	ans, err := s.gate.Run(ctx, req)
	if f.format == "json" {
		if werr := writeJSON(a.stdout, runJSON(ans, err)); werr != nil {
			return werr
		}
	}
	if err != nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errOutputGone) {
		return cause
	}
	if f.format == "text" {
		a.explainEnd(f, ans, string(req.Source), out.openLine())
		if ans.Result == nil {
			a.pointOn(s.engine, name, ans.Decision)
		}
	}
	if f.output != "" && ans.Result != nil {
		if err := keep(f.output, ans.Result.Artifacts); err != nil {
			return err
		}
	}
	return outcome(ans)
}

// runRequest reads everything that a run needs from this machine.
func (a *app) runRequest(ctx context.Context, f runFlags, name string, args []string) (gate.Request, error) {
	if err := f.validate(name); err != nil {
		return gate.Request{}, err
	}
	req, err := a.readSource(ctx, name, f.language)
	if err != nil {
		return req, err
	}
	if len(req.Source) == 0 {
		return req, withHint(usagef("%s is empty: nothing to run", req.Name), "give it a program: sallyport run FILE, or on standard input")
	}
	req.Tool, req.Args, req.Environment, req.Session = "run", args, a.environmentIs, a.session
	req.Limits = sandbox.Limits{Wall: f.timeout, Memory: f.memoryMB << 20}
	if req.Stdin, err = a.readStdin(ctx, f.stdin); err != nil {
		return req, err
	}
	req.Files, err = inputFiles(f.files)
	return req, err
}

var errOutputGone = errors.New("writing the program's output")

// live passes output on as it comes and stops the run when nobody reads it.
type live struct {
	a      *app
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	last byte // written to either stream
}

func (l *live) write(stream sandbox.Stream, chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.a.stdout
	if stream == sandbox.Stderr {
		w = l.a.stderr
	}
	if _, err := w.Write(chunk); err != nil {
		l.cancel(fmt.Errorf("%w: %v", errOutputGone, err))
	}
	if len(chunk) > 0 {
		l.last = chunk[len(chunk)-1]
	}
}

// openLine reports whether the program left a line without its end, behind
// which nothing of ours should stand.
func (l *live) openLine() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last != 0 && l.last != '\n'
}

func (f runFlags) validate(name string) error {
	if f.timeout < 0 || f.memoryMB < 0 {
		return withHint(usagef("a limit cannot be negative"), "leave the flag out to have what is configured")
	}
	if name == "-" && f.stdin == "-" {
		return withHint(usagef("standard input cannot be both the program and its input"), "give one of them as a file")
	}
	return nil
}

// readStdin reads what the program gets on its standard input.
func (a *app) readStdin(ctx context.Context, name string) (b []byte, err error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		if isTerminal(a.stdin) {
			a.say("reading the program's input from this terminal; Ctrl-D ends it")
		}
		b, err = readAll(ctx, a.stdin, maxStdin+1)
	default:
		b, err = readFile(name, "an input", maxStdin+1)
	}
	if err != nil {
		return nil, fmt.Errorf("--stdin: %w", err)
	}
	if len(b) > maxStdin {
		return nil, usagef("--stdin: more than %d MiB", maxStdin>>20)
	}
	return b, nil
}

// explainEnd says on standard error what the program's own output does not.
func (a *app) explainEnd(f runFlags, ans gate.Answer, source string, openLine bool) {
	r := a.renderer(a.stderr)
	r.openLine = openLine
	if ans.Result == nil {
		r.decision(ans, source)
		return
	}
	for _, w := range ans.Decision.Findings {
		if w.Action == policy.ActionWarn {
			r.finding(ans.Name, source, w)
		}
	}
	r.end(ans)
	if f.stdin == "" && ans.Result.Exit != 0 && bytes.Contains(ans.Result.Stderr, []byte("EOFError: EOF when reading a line")) {
		a.hint("its standard input is empty: --stdin FILE gives it a file, --stdin - this standard input")
	}
	if n := len(ans.Result.Artifacts); n > 0 && f.output == "" {
		r.printf("sallyport: the program left %s, such as %s; --output DIR keeps them\n", count(n, "file"), safe(ans.Result.Artifacts[0].Path))
	}
	if n := ans.Result.ArtifactsDropped; n > 0 {
		r.printf("sallyport: %s dropped: too many, too large, or no regular files\n", count(n, "more file was", "more files were"))
	}
	if ans.Result.ArtifactsMissing && ans.Result.Reason != sandbox.Cancelled {
		r.printf("sallyport: the run ended before all files that it left could be collected\n")
	}
}

// outcome is the error, and so the exit code, of an answer that was shown.
func outcome(ans gate.Answer) error {
	switch {
	case ans.Result == nil:
		return shown{errDenied}
	case ans.Result.Reason == sandbox.Exited && ans.Result.Exit == 0:
		return nil
	case ans.Result.Reason == sandbox.Mismatch:
		return shown{errDenied}
	}
	return shown{errGuest}
}
