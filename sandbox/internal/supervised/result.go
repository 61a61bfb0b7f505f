package supervised

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised/wire"
)

// result puts together what came. reason is why we ended the run, "" if we
// did not.
func (c *Conversation) result(ctx context.Context, s sandbox.Spec, reason sandbox.Reason, wall time.Duration) (sandbox.Result, error) {
	if c.final == nil && reason == "" {
		if c.box.OutOfMemory(ctx) {
			reason = sandbox.Memory
		} else {
			why := c.err
			if errors.Is(why, io.EOF) || errors.Is(why, io.ErrUnexpectedEOF) {
				why = errors.New("the sandbox ended before it said how the program did")
			}
			return sandbox.Result{}, c.broken(ctx, fmt.Errorf("the run broke off: %v", why))
		}
	}
	f := wire.Final{}
	if c.final != nil {
		f = *c.final
	}
	if c.o.Counts != nil {
		f.OOMKills, f.ForksDenied = c.o.Counts()
	}
	if f.Limit == wire.Stopped && reason == "" {
		return sandbox.Result{}, c.stopped(ctx)
	}
	if f.Error != "" {
		return sandbox.Result{}, fmt.Errorf("the sandbox failed: %s", f.Error)
	}
	mismatch, unknown, hooked, err := false, []string(nil), "", error(nil)
	if answer, ok := <-c.answers; ok {
		hooked = runner.Hooked(answer)
		mismatch, unknown, err = runner.Verdict(answer)
	} else if reason == "" && f.OOMKills == 0 && f.Limit == "" {
		err = errors.New("the runner gave no verdict")
	}
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("%w: %s", err, FirstLine(c.stderr))
	}
	c.files.Leave()
	res := sandbox.Result{
		Reason: reason,
		Stdout: c.stdout, StdoutTruncated: f.StdoutBytes > int64(len(c.stdout)),
		Stderr: c.stderr, StderrTruncated: f.StderrBytes > int64(len(c.stderr)),
		Artifacts: c.files.Taken, ArtifactsDropped: c.files.Dropped + f.Dropped, ArtifactsLeft: c.files.Left, ArtifactsMissing: c.final == nil,
		Usage:    sandbox.Usage{Wall: wall, CPU: time.Duration(f.CPUMicros) * time.Microsecond, PeakMemory: f.PeakMemory},
		Enforced: c.enforced(s.Grant, f),
		Runtime:  c.Used(),
	}
	res.HookedBy(hooked, s)
	res.Violations = evidence.Read(bytes.NewReader(f.Told), sandbox.Limits{}).Violations
	for _, v := range f.Violations {
		res.Violations = append(res.Violations, sandbox.Violation{Capability: v.Capability, Detail: v.Detail})
	}
	res.Violations = evidence.Meant(res.Violations, s.Egress)
	switch {
	case mismatch:
		res.Reason, res.UnknownIdentifiers = sandbox.Mismatch, unknown
	case reason == "":
		res.Reason, res.Exit, res.Signal = ending(f, c.limits, s.Language)
	}
	res.SettleViolations()
	return res, nil
}

// ending reads how a program ended by itself, or by a limit inside.
func ending(f wire.Final, l sandbox.Limits, language string) (reason sandbox.Reason, exit, signal int) {
	const sigabrt, sigkill, sigxcpu = 6, 9, 24
	cpu := time.Duration(f.CPUMicros) * time.Microsecond
	switch {
	case f.Limit != "":
		return sandbox.Reason(f.Limit), 0, 0
	case f.Signal == sigkill && f.OOMKills > 0:
		return sandbox.Memory, 0, 0
	case (f.Signal == sigxcpu || f.Signal == sigkill) && cpu >= l.CPU:
		return sandbox.CPU, 0, 0
	case f.Signal == sigabrt && language == "javascript" && f.PeakMemory > l.Memory/2:
		return sandbox.Memory, 0, 0 // V8 gives up at its heap's limit, which is below the run's
	case f.Signal != 0:
		return sandbox.Killed, 0, f.Signal
	case f.Exit != 0 && f.ForksDenied > 0:
		return sandbox.Pids, f.Exit, 0
	}
	return sandbox.Exited, f.Exit, 0
}

// broken says what is known about a sandbox that failed as one.
func (c *Conversation) broken(ctx context.Context, err error) error {
	if lost := c.box.Lost(ctx); lost != nil {
		return lost
	}
	c.kill(ctx)
	if text := c.o.Complaint.FirstLine(); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	} else if text := FirstLine(c.stderr); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// stopped says that who runs the sandbox ended it, and why as far as it tells.
func (c *Conversation) stopped(ctx context.Context) error {
	if lost := c.box.Lost(ctx); lost != nil {
		return lost
	}
	return &sandbox.Unavailable{Backend: c.o.Backend.Name, Cause: errors.New("what runs the sandbox stopped it during the run")}
}

// enforced is how each control was enforced in a run with this grant.
func (c *Conversation) enforced(g sandbox.Grant, f wire.Final) map[sandbox.Control]string {
	held := c.o.Backend.Enforced(g)
	if how := held[sandbox.ControlProcess]; how != "" && !f.Listener {
		held[sandbox.ControlProcess] = how + "; attempts are refused unseen"
	}
	if f.Startable {
		held[sandbox.ControlReadOnly] += "; what the program wrote it could start, since this kernel has no Landlock"
	}
	return held
}

// identified takes in what the supervisor says of the interpreter. That comes
// before the program, and only once.
func (c *Conversation) identified(n int64, r io.Reader) error {
	body, err := frame.Payload(r, n, maxIdentity)
	if err != nil {
		return err
	}
	if c.interpreter != (wire.Interpreter{}) {
		return errors.New("the interpreter is known already")
	}
	return json.Unmarshal(body, &c.interpreter)
}

// Used identifies what executes the code, for the record. It is known when the
// interpreter is ready.
func (c *Conversation) Used() sandbox.RuntimeUsed {
	return sandbox.RuntimeUsed{
		Interpreter: c.interpreter.Path,
		Version:     plainVersion(c.interpreter.Version),
		SHA256:      c.o.SHA256,
	}
}

// plainVersion is the number in what Python ("Python 3.11.2") and Node
// ("v18.19.0") say.
func plainVersion(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "Python "), "v")
}

// FirstLine is the beginning of what a program said, for an error.
func FirstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line[:min(len(line), 500)]
}

// maxComplaint bounds what is kept of what a supervisor says on its stderr.
const maxComplaint = 4 << 10

// Complaint keeps the beginning of what is written to it and drops the rest. A
// nil one has heard nothing.
type Complaint struct {
	mu  sync.Mutex
	buf []byte
}

func (c *Complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(c.buf, p[:min(len(p), maxComplaint-len(c.buf))]...)
	return len(p), nil
}

// FirstLine is the beginning of it, for an error.
func (c *Complaint) FirstLine() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return FirstLine(c.buf)
}
