package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"golang.org/x/sys/unix"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/rootfs"
	"sallyport/sandbox/internal/runner"
)

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s, err := b.inPlace(s)
	if err == nil {
		err = b.check(s)
	}
	if err != nil {
		return sandbox.Result{}, err
	}
	in, err := b.interpreter(ctx, s)
	if err != nil {
		return sandbox.Result{}, err
	}
	kind, err := b.kind(in, s)
	if err != nil {
		return sandbox.Result{}, err
	}
	res, err := b.boxes.Run(ctx, s, kind, func(ctx context.Context) (*box, error) { return b.fresh(ctx, in, s) })
	res.SettleViolations()
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
	return b.boxes.Wait(ctx, config)
}

// Ahead starts the sandbox for a run like s, and does not wait for it. What comes of
// it is for Run to say.
func (b *Backend) Ahead(ctx context.Context, s sandbox.Spec) error {
	in, err := b.interpreter(ctx, s)
	if err != nil {
		return err
	}
	kind, err := b.kind(in, s)
	if kind != "" {
		b.boxes.Keep(kind)
	}
	return err
}

// Interpreter says what runs programs like that of s, of an image only when
// one has run.
func (b *Backend) Interpreter(ctx context.Context, s sandbox.Spec) (sandbox.RuntimeUsed, error) {
	if s.Runtime.Image != "" {
		return sandbox.RuntimeUsed{}, nil
	}
	in, err := b.find(ctx, s) // an image of it is made when somebody runs something
	return sandbox.RuntimeUsed{Interpreter: in.Executable, Version: in.Version, SHA256: in.SHA256}, err
}

func (b *Backend) find(ctx context.Context, s sandbox.Spec) (rootfs.Interpreter, error) {
	return b.roots.Find(ctx, s, s.Grant.Has(sandbox.CapabilityProcess))
}

func (b *Backend) interpreter(ctx context.Context, s sandbox.Spec) (rootfs.Interpreter, error) {
	in, err := b.find(ctx, s)
	if err != nil || !b.packs(s) {
		return in, err
	}
	return b.roots.Pack(ctx, in, b.opts.Warm > 0), nil
}

// packs reports whether the interpreter is all that a run sees of the host: then
// nothing has to be mounted. A program that may start others, or load libraries of
// any name, sees where they are.
func (b *Backend) packs(s sandbox.Spec) bool {
	return b.own && !s.Observe && s.Egress == nil && len(s.Runtime.Mounts) == 0 && !s.Grant.Has(sandbox.CapabilityProcess) && !s.Grant.Has(sandbox.CapabilityNative)
}

// config is the OCI configuration of a run. It is also the name of its kind
// in the pool, so that a waiting sandbox is exactly the one the run asks for.
func (b *Backend) config(in rootfs.Interpreter, s sandbox.Spec, warm bool) (string, error) {
	oci, err := b.asked(in, s, warm)
	if err != nil {
		return "", err
	}
	return marshal(oci)
}

// asked is what runsc is asked for.
func (b *Backend) asked(in rootfs.Interpreter, s sandbox.Spec, warm bool) (*specs.Spec, error) {
	oci := ociSpec(in, s)
	if warm {
		oci.Process.Env = append(oci.Process.Env, runner.Preload(s))
	}
	return oci, b.wayOut(oci, s.Egress)
}

func marshal(oci *specs.Spec) (string, error) {
	data, err := json.Marshal(oci)
	return string(data), err
}

// kind is the configuration of a box that may wait for s, "" where none does: a
// copy of a directory is made when it is asked for, and that of a user is mounted
// then.
func (b *Backend) kind(in rootfs.Interpreter, s sandbox.Spec) (string, error) {
	if b.opts.Warm == 0 && !b.opts.Ahead || writable(s) || slices.ContainsFunc(s.References, isDirectory) {
		return "", nil
	}
	return b.config(in, s, b.opts.Warm > 0)
}

// fresh starts a box whose interpreter waits for a job.
func (b *Backend) fresh(ctx context.Context, in rootfs.Interpreter, s sandbox.Spec) (*box, error) {
	return b.startWith(ctx, s, func(s sandbox.Spec) (string, error) { return b.config(in, s, false) })
}

// startWith starts a box with copies of the directories that are writable in s.
func (b *Backend) startWith(ctx context.Context, s sandbox.Spec, config func(sandbox.Spec) (string, error)) (*box, error) {
	copies, s, err := b.copies(s)
	if err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	text, err := config(s)
	if err == nil {
		var c *box
		if c, err = b.startReady(ctx, text, live.StartLimit); err == nil {
			c.own = copies
			return c, nil
		}
	}
	return nil, fmt.Errorf("starting a sandbox: %w", errors.Join(err, os.RemoveAll(copies)))
}

func (b *Backend) startReady(ctx context.Context, config string, limit time.Duration) (*box, error) {
	c, err := b.start(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := c.ready(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// startWaiting starts a box that will wait for a program.
func (b *Backend) startWaiting(ctx context.Context, config string) (*box, error) {
	return b.startReady(ctx, config, live.WaitLimit)
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
	return nil
}

// Run implements live.Box: it hands the job over and watches the program until
// it has ended.
func (c *box) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	limits := s.Limits.WithDefaults()
	job := runner.SendingJob
	if c.b.own {
		job = runner.Job
	}
	var (
		answer                  string
		status                  syscall.WaitStatus
		answerErr, waitErr, err error
		reason                  sandbox.Reason
		usage                   sandbox.Usage
	)
	if err := c.donate(s.References); err != nil {
		return sandbox.Result{}, err
	}
	w := c.watch(ctx, limits)
	res, held := c.exchange(w, s, func() { c.give(job(s), s.Stdin) }, func(ended <-chan syscall.WaitStatus) {
		answer, answerErr = runner.ReadAnswer(c.report)
		status, waitErr = c.wait(ended)
		reason, usage = w.finish()
		if reason != "" || answerErr != nil || waitErr != nil {
			err = c.kill()
		}
		c.endInput()
	})
	res.Reason, res.Usage = reason, usage
	res.Enforced = c.b.Describe().Enforced(s.Grant)
	res.HookedBy(runner.Hooked(answer), s)
	mismatch, unknown, badAnswer := runner.Verdict(answer)
	switch {
	case err != nil:
		return sandbox.Result{}, err
	case reason != "":
		return res, nil
	case (answerErr != nil || waitErr != nil || status.Signaled()) && c.group != nil && c.group.exceeded():
		res.Reason = sandbox.Memory
		return res, nil
	case answerErr != nil:
		return sandbox.Result{}, fmt.Errorf("%w: the runner did not answer: %v%s", sandbox.ErrUnreadable, answerErr, c.complaint())
	case badAnswer != nil:
		if errors.Is(badAnswer, sandbox.ErrRefused) {
			return sandbox.Result{}, badAnswer
		}
		return sandbox.Result{}, fmt.Errorf("%w: %v", sandbox.ErrUnreadable, badAnswer)
	case mismatch:
		res.Reason, res.UnknownIdentifiers = sandbox.Mismatch, unknown
		res.Artifacts, res.ArtifactsDropped, res.ArtifactsLeft, res.ArtifactsMissing = nil, 0, nil, false
	case waitErr != nil:
		return sandbox.Result{}, fmt.Errorf("the sandbox broke down: %v%s", waitErr, c.complaint())
	case status.Signaled():
		res.Reason, res.Signal = sandbox.Killed, int(status.Signal())
		if outOfHeap(s, limits, res) {
			res.Reason = sandbox.Memory
		} else if status.Signal() == unix.SIGXFSZ {
			res.Reason = sandbox.Disk
		}
	default:
		res.Reason, res.Exit = sandbox.Exited, status.ExitStatus()
		if res.Exit != 0 && len(held) > 0 {
			res.Reason = held[0] // it failed, and that is the likely cause
		}
	}
	return res, nil
}

// outOfHeap tells V8's end at its heap limit, which is below that of the
// sandbox, from a program that aborted for a reason of its own.
func outOfHeap(s sandbox.Spec, l sandbox.Limits, r sandbox.Result) bool {
	return s.Language == "javascript" && r.Signal == 6 && r.Usage.PeakMemory > l.Memory/2
}
