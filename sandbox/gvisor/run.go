package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/rootfs"
	"sallyport/sandbox/runner"
)

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := b.check(s); err != nil {
		return sandbox.Result{}, err
	}
	in, err := b.interpreter(ctx, s)
	if err != nil {
		return sandbox.Result{}, err
	}
	g, err := b.guest(ctx, in, s)
	if err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, nil
		}
		return sandbox.Result{}, fmt.Errorf("starting a sandbox: %w", err)
	}
	res, err := g.run(ctx, s)
	if err == nil && res.Reason == sandbox.Exited {
		// The program and everything it started are gone, gVisor's kernel says
		// so; the empty sandbox need not be waited for.
		b.settling.Go(func() { b.note(g.settle()) })
	} else if rerr := g.remove(); rerr != nil {
		err = errors.Join(err, fmt.Errorf("removing a sandbox: %w", rerr))
	}
	res.Enforced, res.Warm = b.Describe().Controls, g.waited
	res.Runtime = sandbox.RuntimeUsed{Interpreter: in.Executable, Version: in.Version, SHA256: in.SHA256}
	return res, err
}

// Warm starts the waiting sandboxes for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	in, err := b.interpreter(ctx, s)
	if err != nil {
		return err
	}
	config, err := b.config(in, s, true)
	if err != nil {
		return err
	}
	return b.pool.Wait(ctx, config)
}

func (b *Backend) interpreter(ctx context.Context, s sandbox.Spec) (rootfs.Interpreter, error) {
	return b.roots.Find(ctx, s, !runner.DeniesProcess(s))
}

// config is the OCI configuration of a run. It is also the name of its kind
// in the pool, so that a waiting sandbox is exactly the one the run asks for.
func (b *Backend) config(in rootfs.Interpreter, s sandbox.Spec, warm bool) (string, error) {
	oci := ociSpec(in, s)
	if warm {
		oci.Process.Env = append(oci.Process.Env, runner.Preload(s.Language, b.opts.Preload))
	}
	if b.without.spec != nil {
		b.without.spec(oci)
	}
	return marshal(oci)
}

func marshal(oci *specs.Spec) (string, error) {
	data, err := json.Marshal(oci)
	return string(data), err
}

// guest returns a sandbox whose interpreter waits for a job, which is the
// caller's to remove.
func (b *Backend) guest(ctx context.Context, in rootfs.Interpreter, s sandbox.Spec) (*guest, error) {
	copies, s, err := b.copies(s)
	if err != nil {
		return nil, err
	}
	if b.opts.Warm > 0 && copies == "" { // a copy is made when it is asked for
		config, err := b.config(in, s, true)
		if err != nil {
			return nil, err
		}
		if g, ok := b.pool.TakeNext(ctx, config); ok {
			g.waited = true
			return g, nil
		}
	}
	config, err := b.config(in, s, false)
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

func (b *Backend) startReady(ctx context.Context, config string) (*guest, error) {
	g, err := b.start(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := g.ready(ctx); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// note keeps the error of something that nobody waits for until Close.
func (b *Backend) note(err error) {
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.errs = append(b.errs, err)
	}
}

func (b *Backend) check(s sandbox.Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	return b.checkAsked(s)
}

// checkAsked refuses what this backend does not do.
func (b *Backend) checkAsked(s sandbox.Spec) error {
	if err := s.CheckControls(b.Describe()); err != nil {
		return err
	}
	for _, m := range s.Runtime.Mounts {
		if err := rootfs.CheckMount(m); err != nil {
			return fmt.Errorf("%w: mount of %q at %q: %v", sandbox.ErrRefused, m.Source, m.Target, err)
		}
	}
	return runner.CheckFiles(s)
}

// run hands the job over and watches the program until it has ended.
func (g *guest) run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	limits := s.Limits.WithDefaults()
	if g.b.without.limits != nil {
		g.b.without.limits(&limits)
	}
	if g.b.without.job != nil {
		g.b.without.job(&s)
	}
	w := g.watch(ctx, limits)
	out, errOut := w.outputs(s, limits)
	var left, seen sandbox.Artifacts
	var streams sync.WaitGroup
	streams.Go(func() { out.copy(g.stdout) })
	streams.Go(func() { errOut.copy(g.stderr) })
	streams.Go(func() { left = g.collect(limits) })
	ended := make(chan syscall.WaitStatus, 1)
	streams.Go(func() { seen = g.hear(ended, withInputs(limits, s)) })
	streams.Go(func() { feed(g.stdin, s.Stdin) })
	job := runner.SendingJob
	if g.b.own {
		job = runner.Job
	}
	streams.Go(func() { feed(g.job, job(s)) })
	answer, answerErr := runner.ReadAnswer(g.report)
	status, waitErr := g.wait(ended)
	reason, usage := w.finish()
	var err error
	if reason != "" || answerErr != nil || waitErr != nil {
		err = g.kill()
	}
	g.endStreams()
	streams.Wait()
	left = together(left, seen, s, limits)

	res := sandbox.Result{
		Reason: reason,
		Stdout: out.data, StdoutTruncated: out.truncated,
		Stderr: errOut.data, StderrTruncated: errOut.truncated,
		Artifacts: left.Files, ArtifactsDropped: left.Dropped, ArtifactsMissing: !left.Complete,
		Violations: left.Violations,
		Usage:      usage,
	}
	mismatch, unknown, badAnswer := runner.Verdict(answer)
	switch {
	case err != nil:
		return sandbox.Result{}, err
	case reason != "":
		return res, nil
	case (answerErr != nil || waitErr != nil || status.Signaled()) && g.group != nil && g.group.exceeded():
		res.Reason = sandbox.Memory
		return res, nil
	case answerErr != nil:
		return sandbox.Result{}, fmt.Errorf("%w: the runner did not answer: %v%s", sandbox.ErrUnreadable, answerErr, g.complaint())
	case badAnswer != nil:
		return sandbox.Result{}, fmt.Errorf("%w: %v", sandbox.ErrUnreadable, badAnswer)
	case mismatch:
		res.Reason, res.UnknownIdentifiers = sandbox.Mismatch, unknown
		res.Artifacts, res.ArtifactsDropped, res.ArtifactsMissing = nil, 0, false
	case waitErr != nil:
		return sandbox.Result{}, fmt.Errorf("the sandbox broke down: %v%s", waitErr, g.complaint())
	case status.Signaled():
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
		if outOfHeap(s, limits, res) {
			res.Reason = sandbox.Memory
		} else if status.Signal() == unix.SIGXFSZ {
			res.Reason = sandbox.Disk
		}
	default:
		res.Reason, res.Exit = sandbox.Exited, status.ExitStatus()
		if res.Exit != 0 && len(left.Held) > 0 {
			res.Reason = left.Held[0] // it failed, and that is the likely cause
		}
	}
	return res, nil
}

// outOfHeap tells V8's end at its heap limit, which is below that of the
// sandbox, from a program that aborted for a reason of its own.
func outOfHeap(s sandbox.Spec, l sandbox.Limits, r sandbox.Result) bool {
	return s.Language == "javascript" && r.Signal == 6 && r.Usage.PeakMemory > l.Memory/2
}

// endStreams ends what still reads or writes for a program that has ended.
func (g *guest) endStreams() {
	_ = g.stdin.Close()
	_ = g.job.Close()
	g.endOutputs()
}

// feed writes data to a program that may not want it, and closes.
func feed(f *os.File, data []byte) {
	_, _ = f.Write(data)
	_ = f.Close()
}
