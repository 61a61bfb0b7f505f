package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/rootfs"
	"sallyport/sandbox/runner"
)

// session is a sandbox with one interpreter that runs cell after cell. Between
// cells gVisor's kernel stops every thread inside.
type session struct {
	b       *Backend
	g       *guest
	in      rootfs.Interpreter
	first   sandbox.Spec // of the first cell: what the sandbox is
	history string       // the code of all cells so far

	gone    chan struct{} // closed when the interpreter has ended; then:
	status  syscall.WaitStatus
	waitErr error

	mu      sync.Mutex // guards what follows
	running *watch     // of the cell that runs
	idle    *sync.Cond // signalled when none does
	over    bool
}

var _ sandbox.Sessions = (*Backend)(nil)

// leaveLimit is how long an interpreter that no longer answers may take to be
// gone before it is killed.
const leaveLimit = time.Second

// Begin implements sandbox.Sessions.
func (b *Backend) Begin(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	if err := errors.Join(spec.CheckCell(""), b.checkAsked(spec)); err != nil {
		return nil, err
	}
	in, err := b.interpreter(ctx, spec)
	if err != nil {
		return nil, err
	}
	g, err := b.sessionGuest(ctx, in, spec)
	if err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	s := &session{b: b, g: g, in: in, first: spec, gone: make(chan struct{})}
	s.idle = sync.NewCond(&s.mu)
	go func() {
		defer close(s.gone)
		w := <-g.ctl.answer
		s.status, s.waitErr = w.status, w.err
	}()
	if err := s.still(true); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// sessionGuest starts a sandbox whose interpreter waits for cells.
func (b *Backend) sessionGuest(ctx context.Context, in rootfs.Interpreter, spec sandbox.Spec) (*guest, error) {
	copies, spec, err := b.copies(spec)
	if err != nil {
		return nil, err
	}
	oci := ociSpec(in, spec)
	oci.Process.Args, oci.Process.Env = runner.SessionArgv(in.Executable, spec), runner.SessionEnv(spec)
	if b.without.spec != nil {
		b.without.spec(oci)
	}
	config, err := marshal(oci)
	if err != nil {
		return nil, err
	}
	g, err := b.startReady(ctx, config)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(copies))
	}
	g.own = copies
	return g, nil
}

// still stops everything inside, or lets it go on.
func (s *session) still(stop bool) error {
	method := "containerManager.Resume"
	if stop {
		method = "containerManager.Pause"
	}
	ctx, cancel := context.WithTimeout(context.Background(), goneLimit)
	defer cancel()
	c, err := dialControl(ctx, s.b.runscRoot(), s.g.id)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.conn.SetDeadline(time.Now().Add(goneLimit)); err != nil {
		return err
	}
	return c.call(method, struct{}{}, nil)
}

// Ended implements sandbox.Session.
func (s *session) Ended() bool {
	select {
	case <-s.gone:
		return true
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// Close implements sandbox.Session.
func (s *session) Close() error {
	s.mu.Lock()
	s.over = true
	for s.running != nil {
		s.running.stop(sandbox.Cancelled)
		s.idle.Wait()
	}
	s.mu.Unlock()
	err := s.g.remove()
	<-s.gone
	return err
}

// Run implements sandbox.Session.
func (s *session) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if err := s.check(spec); err != nil {
		return sandbox.Result{}, err
	}
	limits := spec.Limits.WithDefaults()
	limits.Memory = min(limits.Memory, s.first.Limits.WithDefaults().Memory)
	res, fine, err := s.b.opinion(ctx, s.in, spec, limits)
	switch {
	case err == nil && fine:
		res, err = s.cell(ctx, spec, limits)
	case err != nil, res.Reason != sandbox.Exited && res.Reason != sandbox.Mismatch:
		s.end(true)
	case res.Reason == sandbox.Exited: // it does not compile, and is a cell like others
		s.history = spec.Code
	}
	res.Enforced = s.b.Describe().Controls
	res.Runtime = sandbox.RuntimeUsed{Interpreter: s.in.Executable, Version: s.in.Version, SHA256: s.in.SHA256}
	return res, err
}

// check refuses what is not the next cell, or what this sandbox, which is what
// the first cell needed, does not enforce.
func (s *session) check(spec sandbox.Spec) error {
	if err := errors.Join(spec.CheckCell(s.history), s.b.checkAsked(spec)); err != nil {
		return err
	}
	if s.Ended() {
		return fmt.Errorf("%w: the session has ended", sandbox.ErrRefused)
	}
	if spec.Language != s.first.Language {
		return fmt.Errorf("%w: the session speaks %s", sandbox.ErrRefused, s.first.Language)
	}
	for _, c := range spec.Deny {
		if !slices.Contains(s.first.Deny, c) {
			return fmt.Errorf("%w: %q is denied now and was not when the session began", sandbox.ErrRefused, c)
		}
	}
	return nil
}

// opinion has the interpreter's own parser look at the cell, in a sandbox that
// serves for nothing else: the session's interpreter is in the hands of the
// cells before. Fine means that the cell may be handed over; otherwise the
// result says why nothing ran.
func (b *Backend) opinion(ctx context.Context, in rootfs.Interpreter, spec sandbox.Spec, limits sandbox.Limits) (res sandbox.Result, fine bool, err error) {
	if writable(spec) {
		spec.Runtime.Mounts = nil // need not be copied for this
	}
	g, err := b.guest(ctx, in, spec)
	if err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, false, nil
		}
		return res, false, fmt.Errorf("starting a sandbox: %w", err)
	}
	w := g.watch(ctx, limits)
	var fed sync.WaitGroup
	fed.Go(func() { feed(g.job, runner.OpinionJob(spec)) })
	ended := make(chan syscall.WaitStatus, 1)
	fed.Go(func() { g.hear(ended, limits) })
	answer, answerErr := runner.ReadAnswer(g.report)
	_, _ = g.wait(ended)
	reason, usage := w.finish()
	g.endStreams()
	fed.Wait()
	if answerErr != nil {
		err = g.remove()
	} else {
		b.settling.Go(func() { b.note(g.settle()) })
	}
	if err != nil || reason != "" {
		return sandbox.Result{Reason: reason, Usage: usage}, false, err
	}
	if answerErr != nil {
		return res, false, fmt.Errorf("the parser did not answer: %v", answerErr)
	}
	mismatch, unknown, syntax, err := runner.Opinion(answer)
	switch {
	case err != nil:
		return res, false, err
	case mismatch:
		return sandbox.Result{Reason: sandbox.Mismatch, UnknownIdentifiers: unknown, Usage: usage}, false, nil
	case syntax != "":
		return sandbox.Result{Reason: sandbox.Exited, Exit: 1, Stderr: []byte("SyntaxError: " + syntax + "\n"), Usage: usage}, false, nil
	}
	return res, true, nil
}

// begin notes that a cell runs; false when the session is over.
func (s *session) begin(ctx context.Context, limits sandbox.Limits) (*watch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	s.g.sandbox.idle = s.g.sandbox.total() // each cell has its own processor time
	s.running = s.g.watch(ctx, limits)
	return s.running, true
}

// end notes that no cell runs any more, and whether that was the last one.
func (s *session) end(over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = nil
	s.over = s.over || over
	s.idle.Broadcast()
}

// cell hands a cell over and watches it until it has ended.
func (s *session) cell(ctx context.Context, spec sandbox.Spec, limits sandbox.Limits) (sandbox.Result, error) {
	w, ok := s.begin(ctx, limits)
	if !ok {
		return sandbox.Result{Reason: sandbox.Cancelled}, nil
	}
	s.history = spec.Code
	g := s.g
	out, errOut := w.outputs(spec, limits)
	var left, seen sandbox.Artifacts
	var streams sync.WaitGroup
	streams.Go(func() { out.copy(g.stdout) })
	streams.Go(func() { errOut.copy(g.stderr) })
	streams.Go(func() { left = g.collect(limits) })
	streams.Go(func() { seen = sandbox.ReadArtifacts(&pipe{f: g.witness}, withInputs(limits, spec)) })
	streams.Go(func() { _, _ = g.job.Write(runner.CellJob(spec)) })
	answer, answerErr := s.answer()
	if answerErr == nil {
		answerErr = s.still(true) // what goes on inside does not go on now
	}
	reason, usage := w.finish()
	_ = g.job.SetWriteDeadline(time.Now())
	g.endOutputs()
	streams.Wait()
	left = together(left, seen, spec, limits)
	res := sandbox.Result{
		Reason: reason, Usage: usage,
		Stdout: out.data, StdoutTruncated: out.truncated,
		Stderr: errOut.data, StderrTruncated: errOut.truncated,
		Artifacts: left.Files, ArtifactsDropped: left.Dropped, ArtifactsMissing: !left.Complete,
		Violations: left.Violations,
	}
	err := s.settle(&res, answer, answerErr)
	drain(g.report, func([]byte) {})
	_ = g.job.SetWriteDeadline(time.Time{})
	s.end(err != nil || answerErr != nil || res.Reason != sandbox.Exited)
	return res, err
}

// answer lets the guest go on and returns what it says about the cell, or an
// error when it is gone.
func (s *session) answer() (string, error) {
	if err := s.still(false); err != nil {
		return "", err
	}
	told := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-s.gone: // a process that the cell left may keep the pipe open
			_ = s.g.report.SetReadDeadline(time.Now())
		case <-told:
		}
	})
	answer, err := runner.ReadAnswer(s.g.report)
	close(told)
	watching.Wait()
	return answer, err
}

// settle says how the cell ended. The exit status of a cell is the guest's
// word; that the interpreter itself has ended is gVisor's.
func (s *session) settle(res *sandbox.Result, answer string, answerErr error) error {
	if res.Reason != "" {
		return s.g.kill()
	}
	if answerErr == nil {
		exit, err := runner.CellEnd(answer)
		if err == nil {
			res.Reason, res.Exit = sandbox.Exited, exit
			return nil
		}
		res.Reason, res.Signal = sandbox.Killed, int(syscall.SIGKILL) // it no longer speaks our language
		return s.g.kill()
	}
	select {
	case <-s.gone:
	case <-time.After(leaveLimit): // it lives, and has closed its ears
		res.Reason, res.Signal = sandbox.Killed, int(syscall.SIGKILL)
		return s.g.kill()
	}
	status, err := s.status, s.waitErr
	if s.g.group != nil && s.g.group.exceeded() {
		res.Reason = sandbox.Memory
		return s.g.kill()
	}
	if err != nil {
		status, err = s.g.lastWord(err)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the session broke down: %v%s", err, s.g.complaint())
	case status.Signaled():
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
	default:
		res.Reason, res.Exit = sandbox.Exited, status.ExitStatus()
	}
	return s.g.kill()
}

// outputs takes in what the program prints, within its limits.
func (w *watch) outputs(spec sandbox.Spec, l sandbox.Limits) (out, errOut *output) {
	flood := func() { w.stop(sandbox.Output) }
	return &output{stream: sandbox.Stdout, limit: l.OutputBytes, emit: spec.Output, flood: flood},
		&output{stream: sandbox.Stderr, limit: l.OutputBytes, emit: spec.Output, flood: flood}
}

// collect takes in the files that the program leaves; after the end mark
// nothing counts.
func (g *guest) collect(l sandbox.Limits) sandbox.Artifacts {
	p := &pipe{f: g.artifacts}
	left := sandbox.ReadArtifacts(p, l)
	if !p.ended {
		(&output{flood: func() {}}).copy(g.artifacts)
	}
	return left
}

// endOutputs ends what reads from a program that has ended, or stands still.
func (g *guest) endOutputs() {
	for _, f := range []*os.File{g.stdout, g.stderr, g.artifacts, g.witness} {
		_ = f.SetReadDeadline(time.Now())
	}
}
