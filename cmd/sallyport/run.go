package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/client"
	"sallyport/internal/hint"
	"sallyport/internal/install"
	"sallyport/policy"
	"sallyport/sandbox"
)

// maxStdin bounds what a program gets on its standard input.
const maxStdin = 64 << 20

type runFlags struct {
	language    string
	environment string
	timeout     time.Duration
	memoryMB    int64
	stdin       string
	files       []string
	mounts      []string
	output      string
	anyName     bool
	format      string
	server      client.Options
}

func runCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE|- [-- ARG...]",
		Short: "Judge a program and, if policy allows it, run it in the sandbox",
		Long: `Judge a program and, if policy allows it, run it in the sandbox.

The program has no network, no files of this machine but its interpreter, and
hard limits on time, memory, processes and output. Its output is sallyport's
output, with <packages> and <python> where Python's libraries are; what
sallyport has to say goes to standard error. The decision is on disk before the
program starts.

Exit codes:
` + exitCodesText(),
		Example: `  sallyport run hello.py
  sallyport run --timeout 5s --memory 256 job.js -- --verbose
  sallyport run --stdin data.csv report.py
  sallyport run --file sales.csv --output plots plot.py
  sallyport run --mount data=sales plot.py
  echo 'print(6*7)' | sallyport run --language python -`,
		Args: wants(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProgram(cmd.Context(), a, f, args[0], args[1:])
		},
	}
	fl := cmd.Flags()
	labelFlag(cmd, &a.in.labels, labelUsage)
	languageFlag(cmd, &f.language, "")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop the program after this long; can only tighten what is configured")
	fl.Int64Var(&f.memoryMB, "memory", 0, "let the program have this many `MiB` of memory; can only tighten")
	environmentFlag(cmd, &f.environment, "run in")
	fl.StringVar(&f.stdin, "stdin", "", "give the program `FILE`, or - for this standard input (default: empty)")
	fl.StringArrayVar(&f.files, "file", nil, "put `PATH[=NAME]` into the program's work directory; one over 16 MiB is read where it is, and read-only; may be repeated")
	fl.StringArrayVar(&f.mounts, "mount", nil, "let the program read what is in a directory, read-only and as data: `NAME=DIR`, where NAME is in its work directory; may be repeated")
	fl.BoolVar(&f.anyName, "any-name", false, "with --output, also keep files whose names begin with . or - or do not show")
	outputFlag(cmd, &f.output, "keep the files that the program leaves in `DIR`; nothing there is overwritten")
	formatFlag(cmd, &f.format, "text", "json")
	serverFlags(cmd, &f.server)
	return cmd
}

func runProgram(ctx context.Context, a *app, f runFlags, name string, args []string) error {
	req, err := f.request(ctx, a.in, name, args)
	if err != nil {
		return err
	}
	req.Session = a.session
	opened, err := inputFiles(&req, f.files)
	defer closeAll(opened)
	if err != nil {
		return err
	}
	if err := inputDirectories(&req, f.mounts); err != nil {
		return err
	}
	asked, err := a.service(f.server)
	if err != nil {
		return err
	}
	var s *install.Opened // here, where no service is asked
	if asked == nil {
		setup, err := a.setup(func(o *install.Options) {
			o.Environment, o.Sole = f.environment, true
			if len(f.mounts) == 0 { // a sandbox with one is made for it
				o.One = &install.One{Language: req.Language.Runs(), Limits: req.Limits}
			}
		})
		if err != nil {
			return err
		}
		if s, err = setup.Run(a.inject); err != nil {
			return err
		}
		defer s.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &live{stdout: a.tell.stdout, stderr: a.tell.stderr, cancel: cancel}
	if f.format == "text" {
		req.Output = out.write
	}
	var ans answer.Answer
	if asked != nil {
		ans, err = asked.Run(ctx, req)
	} else {
		var ran gate.Answer
		ran, err = s.Gate.Run(ctx, req)
		ans = answer.New(ran, err)
		ans.Advise(s.Known, string(req.Source))
	}
	if cause := context.Cause(ctx); errors.Is(cause, errOutputGone) {
		return cause
	}
	if f.format == "json" {
		if werr := answer.WriteJSON(a.tell.stdout, ans); werr != nil {
			return werr
		}
	}
	if err != nil {
		return err
	}
	if f.format == "text" {
		explainEnd(a.tell, f, ans, string(req.Source), out.openLine())
		if ans.Result == nil && s != nil {
			a.tell.pointOn(s.Engine, judgedBy(a.flags), f.environment, name, ans.Decision)
		}
		a.tell.hint(ans.Hint)
	}
	if f.output != "" && ans.Result != nil {
		files, n := unfinished(ans)
		if n > 0 {
			a.tell.say("%s may be half of what it was to be: kept as NAME%s", answer.Count(n, "file"), incomplete)
		}
		left, err := keep(f.output, files, f.anyName)
		if err != nil {
			return err
		}
		if left > 0 {
			a.tell.say("%s with names that begin with . or - or do not show were left out; --any-name keeps them", answer.Count(left, "file"))
		}
	}
	return outcome(ans)
}

// request reads everything that a run needs from this machine.
func (f runFlags) request(ctx context.Context, in input, name string, args []string) (gate.Request, error) {
	if err := f.validate(name); err != nil {
		return gate.Request{}, err
	}
	req, err := in.program(ctx, name, f.language)
	if err != nil {
		return req, err
	}
	if req.Language == analyze.Notebook {
		return req, hint.With(hint.Usage("%s is a notebook, which is judged and not run", req.Name), "judge it: sallyport check %s; run a program of it: jupyter nbconvert --to script", req.Name)
	}
	if len(req.Source) == 0 {
		return req, hint.With(hint.Usage("%s is empty: nothing to run", req.Name), "give it a program: sallyport run FILE, or on standard input")
	}
	req.Tool, req.Args, req.Environment = "run", args, f.environment
	req.Limits = sandbox.Limits{Wall: f.timeout, Memory: f.memoryMB << 20}
	if req.Stdin, err = in.stdin(ctx, f.stdin); err != nil {
		return req, err
	}
	return req, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // read only
	}
}

// incomplete ends the names of files that nobody should take for whole.
const incomplete = ".incomplete"

// unfinished are the files of a program, those by other names that may be half, and
// how many these are: all of a program that was stopped.
func unfinished(ans answer.Answer) (files []answer.Artifact, n int) {
	files = slices.Clone(ans.Result.Artifacts)
	for i, f := range files {
		if f.AtLimit || ans.Ending().Status == answer.Stopped {
			files[i].Path += incomplete
			n++
		}
	}
	return files, n
}

var errOutputGone = errors.New("writing the program's output")

// live passes output on as it comes and stops the run when nobody reads it.
type live struct {
	stdout, stderr io.Writer
	cancel         context.CancelCauseFunc

	mu   sync.Mutex
	last byte // written to either stream
}

func (l *live) write(stream sandbox.Stream, chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.stdout
	if stream == sandbox.Stderr {
		w = l.stderr
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
		return hint.With(hint.Usage("a limit cannot be negative"), "leave the flag out to have what is configured")
	}
	if name == "-" && f.stdin == "-" {
		return hint.With(hint.Usage("standard input cannot be both the program and its input"), "give one of them as a file")
	}
	return nil
}

// stdin reads what the program gets on its standard input.
func (in input) stdin(ctx context.Context, name string) (b []byte, err error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		if isTerminal(in.r) {
			in.tell.say("reading the program's input from this terminal; Ctrl-D ends it")
		}
		b, err = readAll(ctx, in.r, maxStdin+1)
	default:
		b, err = install.ReadFile(name, "an input", maxStdin+1)
	}
	if err != nil {
		return nil, hint.While(err, "--stdin")
	}
	if len(b) > maxStdin {
		return nil, hint.Usage("--stdin: more than %d MiB", maxStdin>>20)
	}
	return b, nil
}

// explainEnd says on standard error what the program's own output does not.
func explainEnd(tell *speech, f runFlags, ans answer.Answer, source string, openLine bool) {
	r := tell.text(tell.stderr)
	if openLine {
		r.OpenLine()
	}
	if ans.Result == nil {
		r.Findings(ans, source, false)
		r.Verdict(ans.Name, ans.Decision)
		return
	}
	for _, w := range ans.Decision.Findings {
		if w.Action == policy.ActionWarn {
			r.Finding(ans.Name, source, w)
		}
	}
	r.Ran(ans)
	if ans.Result.Reason == string(sandbox.Policy) {
		tell.hint("sallyport audit search --blind-spot lists such runs; policy.runtime: observe records what was tried, and stops nothing")
	}
	if n := len(ans.Result.Artifacts); n > 0 && f.output == "" {
		r.Say("the program left %s, such as %s; --output DIR keeps them", answer.Count(n, "file"), ans.Result.Artifacts[0].Path)
	}
	for _, lost := range ans.Result.Lost() {
		r.Say("%s", lost)
	}
}

// outcome is the error, and so the exit code, of an answer that was shown.
func outcome(ans answer.Answer) error {
	if ans.Result == nil {
		return shown{errDenied}
	}
	switch ans.Ending().Status {
	case answer.OK:
		return nil
	case answer.Denied:
		return shown{errDenied}
	}
	return shown{errGuest}
}
