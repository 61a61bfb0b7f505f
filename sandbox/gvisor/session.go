package gvisor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

// session is a sandbox with one interpreter that runs cell after cell. Between
// cells gVisor's kernel stops every thread inside.
type session struct {
	b       *Backend
	c       *box
	in      rootfs.Interpreter
	first   sandbox.Spec // of the first cell: what the sandbox is
	history string       // the code of all cells so far
	left    left         // what came out of them

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
	c, err := b.sessionBox(ctx, in, spec)
	if err != nil {
		return nil, err
	}
	s := &session{b: b, c: c, in: in, first: spec, gone: make(chan struct{})}
	s.idle = sync.NewCond(&s.mu)
	go func() {
		defer close(s.gone)
		w := <-c.ctl.answer
		s.status, s.waitErr = w.status, w.err
	}()
	if err := s.still(true); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// sessionBox starts a box whose interpreter waits for cells.
func (b *Backend) sessionBox(ctx context.Context, in rootfs.Interpreter, spec sandbox.Spec) (*box, error) {
	return b.startWith(ctx, spec, func(spec sandbox.Spec) (string, error) {
		oci := ociSpec(in, spec)
		if err := b.wayOut(oci, spec.Egress); err != nil {
			return "", err
		}
		oci.Process.Args, oci.Process.Env = runner.SessionArgv(in.Executable, spec), runner.SessionEnv(spec)
		return marshal(oci)
	})
}

// still stops everything inside, or lets it go on.
func (s *session) still(stop bool) error {
	method := "containerManager.Resume"
	if stop {
		method = "containerManager.Pause"
	}
	ctx, cancel := context.WithTimeout(context.Background(), proc.GoneLimit)
	defer cancel()
	ctl, err := dialControl(ctx, s.b.runscRoot(), s.c.id)
	if err != nil {
		return err
	}
	defer ctl.close()
	if err := ctl.conn.SetDeadline(time.Now().Add(proc.GoneLimit)); err != nil {
		return err
	}
	return ctl.call(method, struct{}{}, nil)
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
	err := s.c.Close()
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
	hooked := res.Enforced[sandbox.ControlHook]
	switch {
	case err == nil && fine:
		res, err = s.cell(ctx, spec, limits)
	case err != nil, res.Reason != sandbox.Exited && res.Reason != sandbox.Mismatch:
		s.end(true)
	case res.Reason == sandbox.Exited: // it does not compile, and is a cell like others
		s.history = spec.Code
	}
	res.Artifacts = s.left.news(res.Artifacts, res.Reason != sandbox.Exited)
	res.Enforced = s.b.Describe().Enforced(s.first.Grant)
	res.HookedBy(hooked, s.first)
	res.SettleViolations()
	res.Runtime = sandbox.RuntimeUsed{Interpreter: s.in.Executable, Version: s.in.Version, SHA256: s.in.SHA256}
	return res, err
}

// left knows files that came out, by their paths and hashes.
type left map[string][sha256.Size]byte

// news returns the files of a cell. The runner says what a cell has written; of one
// that was stopped the kernel brings out all that is there, of which those are left
// out that came out before as they are.
func (l *left) news(files []sandbox.File, stopped bool) []sandbox.File {
	if *l == nil {
		*l = left{}
	}
	return slices.DeleteFunc(files, func(f sandbox.File) bool {
		sum := sha256.Sum256(f.Data)
		was, ok := (*l)[f.Path]
		(*l)[f.Path] = sum
		return stopped && ok && was == sum
	})
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
	if slices.ContainsFunc(spec.References, isDirectory) {
		return fmt.Errorf("%w: a session reads no directories of a caller", sandbox.ErrRefused)
	}
	if spec.Language != s.first.Language {
		return fmt.Errorf("%w: the session speaks %s", sandbox.ErrRefused, s.first.Language)
	}
	for _, c := range s.first.Grant {
		if !spec.Grant.Has(c) {
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
	spec.Runtime.Preload = nil // what nobody runs need not wait for imports
	spec.Egress, spec.Grant = nil, slices.DeleteFunc(slices.Clone(spec.Grant), func(c sandbox.Capability) bool { return c == sandbox.CapabilityNetwork })
	kind, err := b.kind(in, spec)
	if err != nil {
		return res, false, err
	}
	c, _, err := b.boxes.Take(ctx, kind, func(ctx context.Context) (*box, error) { return b.fresh(ctx, in, spec) })
	if err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, false, nil
		}
		return res, false, err
	}
	var (
		answer    string
		answerErr error
		reason    sandbox.Reason
		usage     sandbox.Usage
	)
	w := c.watch(ctx, limits)
	c.exchange(w, spec, func() { c.give(runner.OpinionJob(spec), nil) }, func(ended <-chan syscall.WaitStatus) {
		answer, answerErr = runner.ReadAnswer(c.report)
		_, _ = c.wait(ended)
		reason, usage = w.finish()
		c.endInput()
	})
	if answerErr != nil {
		err = c.Close()
	} else {
		b.boxes.Later(c.Settle)
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
	res.HookedBy(runner.Hooked(answer), spec)
	return res, true, nil
}

// begin notes that a cell runs; false when the session is over.
func (s *session) begin(ctx context.Context, limits sandbox.Limits) (*watch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	s.c.sandbox.idle = s.c.sandbox.total() // each cell has its own processor time
	s.running = s.c.watch(ctx, limits)
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
	c := s.c
	var (
		answer    string
		answerErr error
		reason    sandbox.Reason
		usage     sandbox.Usage
	)
	res, _ := c.exchange(w, spec, func() { _, _ = c.job.Write(runner.CellJob(spec)) }, func(<-chan syscall.WaitStatus) {
		answer, answerErr = s.answer()
		if answerErr == nil {
			answerErr = s.still(true) // what goes on inside does not go on now
		}
		reason, usage = w.finish()
		_ = c.job.SetWriteDeadline(time.Now())
	})
	res.Reason, res.Usage = reason, usage
	err := s.settle(&res, answer, answerErr)
	drain(c.report, func([]byte) {})
	_ = c.job.SetWriteDeadline(time.Time{})
	s.end(err != nil || answerErr != nil || res.Reason != sandbox.Exited)
	return res, err
}

// answer lets the interpreter go on and returns what it says about the cell, or an
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
			_ = s.c.report.SetReadDeadline(time.Now())
		case <-told:
		}
	})
	answer, err := runner.ReadAnswer(s.c.report)
	close(told)
	watching.Wait()
	return answer, err
}

// settle says how the cell ended. The exit status of a cell is the interpreter's
// word; that the interpreter itself has ended is gVisor's.
func (s *session) settle(res *sandbox.Result, answer string, answerErr error) error {
	if res.Reason != "" {
		return s.c.kill()
	}
	if answerErr == nil {
		exit, err := runner.CellEnd(answer)
		if err == nil {
			res.Reason, res.Exit = sandbox.Exited, exit
			return nil
		}
		res.Reason, res.Signal = sandbox.Killed, int(syscall.SIGKILL) // it no longer speaks our language
		return s.c.kill()
	}
	select {
	case <-s.gone:
	case <-time.After(leaveLimit): // it lives, and has closed its ears
		res.Reason, res.Signal = sandbox.Killed, int(syscall.SIGKILL)
		return s.c.kill()
	}
	status, err := s.status, s.waitErr
	if s.c.group != nil && s.c.group.exceeded() {
		res.Reason = sandbox.Memory
		return s.c.kill()
	}
	if err != nil {
		status, err = s.c.lastWord(err)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the session broke down: %v%s", err, s.c.complaint())
	case status.Signaled():
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
	default:
		res.Reason, res.Exit = sandbox.Exited, status.ExitStatus()
	}
	return s.c.kill()
}
