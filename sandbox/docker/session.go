package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"sallyport/sandbox"
	"sallyport/sandbox/docker/wire"
	"sallyport/sandbox/runner"
)

const (
	maxAnswer    = 1 << 20
	maxFinal     = 1 << 20
	maxComplaint = 4 << 10 // of what the supervisor says on its stderr
)

// session is one container, from its start to its removal.
type session struct {
	b      *Backend
	id     string
	base   string // ID of the operator's image
	conn   types.HijackedResponse
	limits sandbox.Limits
	emit   atomic.Pointer[func(sandbox.Stream, []byte)] // nil before the job
	warm   bool                                         // from the pool
	born   time.Time                                    // of a warm one

	writing sync.Mutex // serialises frames to the supervisor
	reading sync.WaitGroup

	answers chan string   // of the runner, in order; closed at the end
	ended   chan struct{} // closed when nothing more comes

	// What came, read after ended.
	stdout, stderr []byte
	artifacts      []sandbox.File
	final          *wire.Final
	err            error
	complaint      capped

	stuck bool // the engine did not answer when it was to be killed

	// interpreter is what runs the program; known when it has said "ready".
	interpreter wire.Interpreter
}

// start starts a container whose interpreter will wait for a job. until is
// when its run must be over.
func (b *Backend) start(ctx context.Context, s sandbox.Spec, until time.Time, warm bool, preload []string) (*session, error) {
	if _, _, err := b.image(ctx, s); err != nil { // it may take its time
		return nil, b.trouble(err)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	c, err := b.create(ctx, s, until)
	if cerrdefs.IsNotFound(err) {
		// Somebody removed an image since it was prepared.
		b.forget()
		c, err = b.create(ctx, s, until)
	}
	if err != nil {
		return nil, b.trouble(err)
	}
	st := start(s, b.posture(""))
	c.interpreter, st.Identify = b.identity(c.base, st.Argv[0])
	if warm {
		st.Env = append(st.Env, runner.Preload(s.Language, preload))
	}
	if b.loosen != nil {
		b.loosen(&container.Config{}, &container.HostConfig{}, &st)
	}
	if err := c.begin(ctx, st); err != nil {
		return nil, errors.Join(b.trouble(err), c.remove(ctx))
	}
	return c, nil
}

// begin attaches to the container, starts it and has the interpreter started.
func (c *session) begin(ctx context.Context, st wire.Start) (err error) {
	api := c.b.api
	if c.conn, err = api.ContainerAttach(ctx, c.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true}); err != nil {
		return fmt.Errorf("attaching to a container: %w", err)
	}
	c.reading.Go(c.read)
	if err := api.ContainerStart(ctx, c.id, container.StartOptions{}); err != nil {
		return fmt.Errorf("starting a container: %w", err)
	}
	return c.write(wire.Setup, mustJSON(st))
}

func (b *Backend) create(ctx context.Context, s sandbox.Spec, until time.Time) (*session, error) {
	image, base, err := b.image(ctx, s)
	if err != nil {
		return nil, err
	}
	p := b.posture(image)
	p.Labels = b.self.labels(until)
	conf, host := config(p), hostConfig(s, p)
	if b.loosen != nil {
		b.loosen(conf, host, &wire.Start{})
	}
	made, err := b.createContainer(ctx, conf, host)
	if err != nil {
		return nil, err
	}
	if dropped := droppedControls(made.Warnings); dropped != "" {
		err := b.unavailable(fault(nil, "enable what it misses on the host, or use another backend", "the engine would leave out a control: %s", dropped))
		return nil, errors.Join(err, b.remove(ctx, made.ID))
	}
	return &session{
		b: b, id: made.ID, base: base, limits: s.Limits.WithDefaults(),
		answers: make(chan string, 8), ended: make(chan struct{}),
	}, nil
}

// droppedControls is what an engine says of limits that it was given and will
// not set.
func droppedControls(warnings []string) string {
	var dropped []string
	for _, w := range warnings {
		if strings.Contains(w, "discarded") || strings.Contains(w, "not support") {
			dropped = append(dropped, w)
		}
	}
	return strings.Join(dropped, "; ")
}

// createContainer is not cancelled half way: the engine would go on, and nobody
// would know the container's ID.
func (b *Backend) createContainer(ctx context.Context, c *container.Config, h *container.HostConfig) (container.CreateResponse, error) {
	if err := ctx.Err(); err != nil {
		return container.CreateResponse{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startLimit)
	defer cancel()
	return b.api.ContainerCreate(ctx, c, h, nil, nil, b.name())
}

func (b *Backend) posture(image string) posture {
	return posture{
		Image: image, Runtime: b.eng.runtime, Gvisor: b.eng.gvisor, Podman: b.eng.podman, CPUs: b.opts.CPUs,
		CgroupMemory: b.eng.memory, CgroupPids: b.eng.pids, CgroupCPU: b.eng.cpu,
	}
}

// mustJSON encodes a value of ours that has no way to fail.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (c *session) write(k wire.Kind, payload []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return wire.Write(c.conn.Conn, k, payload)
}

// read takes in everything the supervisor sends, until its stream ends.
func (c *session) read() {
	defer close(c.ended)
	defer close(c.answers)
	frames, demux := io.Pipe()
	c.reading.Go(func() {
		_, err := stdcopy.StdCopy(demux, &c.complaint, c.conn.Reader)
		demux.CloseWithError(err)
	})
	// Whatever stops the frames, the stream is read to its end: an engine
	// that cannot get rid of its output cannot end the container.
	defer c.reading.Go(func() { _, _ = io.Copy(io.Discard, frames) })
	for c.final == nil {
		kind, n, err := wire.ReadHeader(frames)
		if err == nil {
			err = c.take(kind, n, frames)
		}
		if err != nil {
			c.err = err
			return
		}
	}
}

// take is strict: the supervisor is ours, but what it sends was made next to
// hostile code.
func (c *session) take(kind wire.Kind, n int64, r io.Reader) error {
	switch kind {
	case wire.Stdout:
		return c.output(sandbox.Stdout, &c.stdout, n, r)
	case wire.Stderr:
		return c.output(sandbox.Stderr, &c.stderr, n, r)
	case wire.Report:
		body, err := wire.ReadPayload(r, n, maxAnswer)
		if err != nil {
			return err
		}
		select {
		case c.answers <- string(body):
			return nil
		default:
			return errors.New("more answers than there are questions")
		}
	case wire.Artifact:
		return c.artifact(n, r)
	case wire.Identity:
		return c.identified(n, r)
	case wire.End:
		body, err := wire.ReadPayload(r, n, maxFinal)
		if err != nil {
			return err
		}
		final := new(wire.Final)
		if err := json.Unmarshal(body, final); err != nil {
			return err
		}
		c.final = final
		return nil
	}
	return fmt.Errorf("unexpected frame %q", kind)
}

func (c *session) output(stream sandbox.Stream, to *[]byte, n int64, r io.Reader) error {
	chunk, err := wire.ReadPayload(r, n, c.limits.OutputBytes-int64(len(*to)))
	if err != nil {
		return err
	}
	*to = append(*to, chunk...)
	if emit := c.emit.Load(); emit != nil && len(chunk) > 0 {
		(*emit)(stream, chunk)
	}
	return nil
}

func (c *session) artifact(n int64, r io.Reader) error {
	room := c.limits.ArtifactBytes
	for _, a := range c.artifacts {
		room -= int64(len(a.Data))
	}
	const maxName = 4096
	body, err := wire.ReadPayload(r, n, room+maxName+1)
	if err != nil {
		return err
	}
	name, data, ok := bytes.Cut(body, []byte{0})
	if !ok || int64(len(data)) > room || int64(len(c.artifacts)) >= c.limits.ArtifactCount || sandbox.CheckPath(string(name)) != nil {
		return fmt.Errorf("artifact %.100q is against the rules", name)
	}
	c.artifacts = append(c.artifacts, sandbox.File{Path: string(name), Data: data, MediaType: sandbox.MediaType(string(name), data)})
	return nil
}

// run hands the job over and waits for the end of the program.
func (c *session) run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if s.Output != nil {
		c.emit.Store(&s.Output)
	}
	begin := time.Now()
	var sending sync.WaitGroup
	sending.Go(func() {
		if c.write(wire.Rules, mustJSON(rules(s))) == nil && c.write(wire.Job, runner.Job(s)) == nil {
			_ = c.write(wire.Stdin, s.Stdin)
		}
	})
	reason := c.wait(ctx)
	wall := time.Since(begin)
	c.conn.Close() // lets go of what may still be sent
	sending.Wait()
	return c.result(ctx, s, reason, wall)
}

// answer waits for the runner's next answer.
func (c *session) answer(ctx context.Context, limit time.Duration) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a, ok := <-c.answers:
		if !ok {
			return "", errors.New("it ended first")
		}
		return a, nil
	case <-timer.C:
		return "", fmt.Errorf("no answer in %s", limit)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// wait returns when the run is over, and why if that was not its own doing.
func (c *session) wait(ctx context.Context) (reason sandbox.Reason) {
	timer := time.NewTimer(c.limits.Wall)
	defer timer.Stop()
	select {
	case <-c.ended:
		return ""
	case <-timer.C:
		reason = sandbox.TimedOut
	case <-ctx.Done():
		reason = sandbox.Cancelled
	}
	// The supervisor ends the run and can still say what it used; when it
	// does not, the engine kills them all.
	go c.write(wire.Kill, nil) // ends with the connection, at the latest
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-c.ended:
	case <-grace.C:
		c.kill(ctx)
	}
	return reason
}

// kill ends the container through the engine and waits for the end of its
// stream.
func (c *session) kill(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer cancel()
	// Removal kills again, and says so if it cannot; but an engine that does
	// not answer now is not waited for twice.
	err := c.b.api.ContainerKill(ctx, c.id, "SIGKILL")
	c.stuck = errors.Is(err, context.DeadlineExceeded)
	select {
	case <-c.ended:
	case <-time.After(endGrace):
		c.conn.Close()
		<-c.ended
	}
}

// remove kills and removes the container and ends what reads from it.
func (c *session) remove(ctx context.Context) error {
	var err error
	if c.stuck {
		err = c.b.leave(c.id, context.DeadlineExceeded)
	} else {
		err = c.b.remove(ctx, c.id)
	}
	if c.conn.Conn != nil {
		c.conn.Close()
		c.reading.Wait()
	}
	return err
}

// result puts together what came. reason is why we ended the run, "" if we
// did not.
func (c *session) result(ctx context.Context, s sandbox.Spec, reason sandbox.Reason, wall time.Duration) (sandbox.Result, error) {
	if c.final == nil && reason == "" {
		if c.outOfMemory(ctx) {
			reason = sandbox.Memory
		} else {
			return sandbox.Result{}, c.broken(ctx, fmt.Errorf("the run broke off: %v", c.err))
		}
	}
	f := wire.Final{}
	if c.final != nil {
		f = *c.final
	}
	if f.Error != "" {
		return sandbox.Result{}, fmt.Errorf("the sandbox failed: %s", f.Error)
	}
	mismatch, unknown, err := false, []string(nil), error(nil)
	if answer, ok := <-c.answers; ok {
		mismatch, unknown, err = runner.Verdict(answer)
	} else if reason == "" && f.OOMKills == 0 && f.Limit == "" {
		err = errors.New("the runner gave no verdict")
	}
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("%w: %s", err, firstLine(c.stderr))
	}
	res := sandbox.Result{
		Reason: reason,
		Stdout: c.stdout, StdoutTruncated: f.StdoutBytes > int64(len(c.stdout)),
		Stderr: c.stderr, StderrTruncated: f.StderrBytes > int64(len(c.stderr)),
		Artifacts: c.artifacts, ArtifactsDropped: f.Dropped, ArtifactsMissing: c.final == nil,
		Usage:    sandbox.Usage{Wall: wall, CPU: time.Duration(f.CPUMicros) * time.Microsecond, PeakMemory: f.PeakMemory},
		Enforced: c.enforced(f),
		Runtime:  c.runtime(),
	}
	for _, v := range f.Violations {
		res.Violations = append(res.Violations, sandbox.Violation(v))
	}
	switch {
	case mismatch:
		res.Reason, res.UnknownIdentifiers = sandbox.Mismatch, unknown
	case reason == "":
		res.Reason, res.Exit, res.Signal = ending(f, c.limits, s.Language)
	}
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

// outOfMemory asks the engine about a container that ended without a word: the
// kernel may have picked the supervisor too.
func (c *session) outOfMemory(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
	defer cancel()
	in, err := c.b.api.ContainerInspect(ctx, c.id)
	return err == nil && in.ContainerJSONBase != nil && in.State != nil && in.State.OOMKilled
}

// broken says what is known about a container that failed as a sandbox.
func (c *session) broken(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
	defer cancel()
	for range 10 { // an engine that is being stopped ends its containers first
		if _, perr := c.b.api.Ping(ctx); perr != nil {
			return c.b.unavailable(fmt.Errorf("the engine went away during the run: %w", c.b.explain(perr)))
		}
		pause(ctx, 100*time.Millisecond)
	}
	c.kill(ctx)
	if text := firstLine(c.complaint.bytes()); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	} else if text := firstLine(c.stderr); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

func (c *session) enforced(f wire.Final) map[sandbox.Control]string {
	e := c.b.eng.controls()
	if !f.Listener {
		e[sandbox.ControlProcess] += "; attempts are refused unseen"
	}
	return e
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line[:min(len(line), 500)]
}

// capped keeps the first maxComplaint bytes and drops the rest.
type capped struct {
	mu  sync.Mutex
	buf []byte
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(c.buf, p[:min(len(p), maxComplaint-len(c.buf))]...)
	return len(p), nil
}

func (c *capped) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf
}
