package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

// box is one container, from its start to its removal.
type box struct {
	*supervised.Conversation // nil until it is attached

	b     *Backend
	id    string
	base  string // ID of the operator's image
	born  time.Time
	stuck bool // the engine did not answer when it was to be killed

	demuxing sync.WaitGroup
}

// start starts a container whose interpreter will wait for a job. until is
// when its run must be over.
func (b *Backend) start(ctx context.Context, s sandbox.Spec, until time.Time, ask asking) (*box, error) {
	if _, _, err := b.image(ctx, s); err != nil { // it may take its time
		return nil, b.trouble(err)
	}
	ctx, cancel := context.WithTimeout(ctx, live.StartLimit)
	defer cancel()
	c, st, err := b.create(ctx, s, until, ask)
	if cerrdefs.IsNotFound(err) {
		// Somebody removed an image since it was prepared.
		b.forget()
		c, st, err = b.create(ctx, s, until, ask)
	}
	if err != nil {
		return nil, b.trouble(err)
	}
	if err := c.begin(ctx, s, st); err != nil {
		return nil, errors.Join(b.trouble(err), c.remove(ctx))
	}
	return c, nil
}

// begin attaches to the container, starts it and has the interpreter started.
func (c *box) begin(ctx context.Context, s sandbox.Spec, st wire.Start) error {
	api := c.b.api
	conn, err := api.ContainerAttach(ctx, c.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return fmt.Errorf("attaching to a container: %w", err)
	}
	complaint := new(supervised.Complaint)
	c.Conversation = supervised.Open(c.demux(conn, complaint), c, supervised.Options{
		Limits: s.Limits, Backend: c.b.Describe(), Complaint: complaint, Egress: s.Egress != nil,
		Interpreter: c.b.known(c.base, st.Argv[0]), SHA256: strings.TrimPrefix(c.base, "sha256:"),
	})
	if err := api.ContainerStart(ctx, c.id, container.StartOptions{}); err != nil {
		return fmt.Errorf("starting a container: %w", err)
	}
	return c.Start(st)
}

// link is an attached connection: what goes in as it is, and stdout of the two
// streams that come out in one.
type link struct {
	io.Reader
	types.HijackedResponse
}

func (l link) Read(p []byte) (int, error)  { return l.Reader.Read(p) }
func (l link) Write(p []byte) (int, error) { return l.Conn.Write(p) }

func (l link) Close() error { return l.Conn.Close() }

func (c *box) demux(conn types.HijackedResponse, complaint io.Writer) link {
	frames, in := io.Pipe()
	c.demuxing.Go(func() {
		_, err := stdcopy.StdCopy(in, complaint, conn.Reader)
		in.CloseWithError(err)
	})
	return link{frames, conn}
}

// create makes a container and returns, too, what its supervisor is to be told.
func (b *Backend) create(ctx context.Context, s sandbox.Spec, until time.Time, ask asking) (*box, wire.Start, error) {
	image, base, err := b.image(ctx, s)
	if err != nil {
		return nil, wire.Start{}, err
	}
	p := b.posture(image)
	p.Labels = b.self.labels(until)
	a := ask(s, p)
	made, err := b.createContainer(ctx, a.config, a.host)
	if err != nil {
		return nil, wire.Start{}, err
	}
	if dropped := droppedControls(made.Warnings); dropped != "" {
		err := b.unavailable(hint.New(nil, "enable what it misses on the host, or use another backend", "the engine would leave out a control: %s", dropped))
		return nil, wire.Start{}, errors.Join(err, b.remove(ctx, made.ID))
	}
	return &box{b: b, id: made.ID, base: base}, a.start, nil
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), live.StartLimit)
	defer cancel()
	return b.api.ContainerCreate(ctx, c, h, nil, nil, b.name())
}

func (b *Backend) posture(image string) posture {
	return posture{
		Image: image, Runtime: b.eng.runtime, Gvisor: b.eng.gvisor, Podman: b.eng.podman, CPUs: b.opts.CPUs,
		CgroupMemory: b.eng.memory, CgroupPids: b.eng.pids, CgroupCPU: b.eng.cpu,
	}
}

// Kill implements supervised.Sandbox, through the engine.
func (c *box) Kill(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer cancel()
	// Removal kills again, and says so if it cannot; but an engine that does
	// not answer now is not waited for twice.
	err := c.b.api.ContainerKill(ctx, c.id, "SIGKILL")
	c.stuck = errors.Is(err, context.DeadlineExceeded)
}

// remove kills and removes the container and ends what reads from it.
func (c *box) remove(ctx context.Context) error {
	var err error
	if c.stuck {
		err = c.b.leave(c.id, context.DeadlineExceeded)
	} else {
		err = c.b.remove(ctx, c.id)
	}
	if c.Conversation != nil {
		c.Conversation.Close()
		c.demuxing.Wait()
	}
	return err
}

// OutOfMemory implements supervised.Sandbox by the engine's word, which it has of a
// container that has ended. One that says nothing any more is of no use alive.
func (c *box) OutOfMemory(ctx context.Context) bool {
	c.Kill(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
	defer cancel()
	ended, failed := c.b.api.ContainerWait(ctx, c.id, container.WaitConditionNotRunning)
	select {
	case <-ended:
	case <-failed: // what can be told is asked for all the same
	}
	in, err := c.b.api.ContainerInspect(ctx, c.id)
	return err == nil && in.ContainerJSONBase != nil && in.State != nil && in.State.OOMKilled
}

// Lost implements supervised.Sandbox.
func (c *box) Lost(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
	defer cancel()
	if _, err := c.b.api.Ping(ctx); err != nil {
		return c.b.unavailable(fmt.Errorf("the engine went away during the run: %w", c.b.explain(err)))
	}
	return nil
}
