// Package supervised is what the backends share whose sandboxes begin with a
// supervisor (the program below, guest): the host's side of the conversation
// with it, what it is told to hold, and how a run ended by its word.
//
// A backend brings the sandbox up with the supervisor as its first process and
// with a stream to it; everything else about a run is here.
package supervised

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/evidence"
	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised/wire"
)

const (
	maxFinal    = 1 << 20
	maxIdentity = 4 << 10               // what may be said of an interpreter
	countEvery  = 20 * time.Millisecond // where the kernel's counts are looked at from here
	endGrace    = 2 * time.Second       // for a sandbox to end that nobody wants to hear of any more
)

// Sandbox is what a backend can do to the box at the other end. Its methods do
// their work also when their context has ended; they take the values from it.
type Sandbox interface {
	// Kill ends every process of it, as far as the backend can.
	Kill(ctx context.Context)

	// OutOfMemory reports whether the kernel killed for want of memory in one
	// that ended without a word: it may have picked the supervisor.
	OutOfMemory(ctx context.Context) bool

	// Lost says why one that broke off or was stopped was let go of by who runs it
	// (an engine that is away); nil when that is not the reason.
	Lost(ctx context.Context) error
}

// Options is what a conversation is about.
type Options struct {
	Limits  sandbox.Limits
	Backend sandbox.Description // of whose sandbox it is, for the result

	// Interpreter is what runs the program, where that is known already; else
	// the supervisor is asked. SHA256 is of it, or of its image.
	Interpreter wire.Interpreter
	SHA256      string

	// Counts is what the kernel counted, where the supervisor cannot see it: how
	// many processes it killed for want of memory, how often it denied one more.
	Counts func() (oomKills, forksDenied int64)

	// Egress says that the program may reach hosts.
	Egress bool

	// Complaint is where what the supervisor writes on its stderr goes.
	Complaint *Complaint
}

// Conversation is the host's side of one, from the start of the sandbox to its
// end. It serves one run.
type Conversation struct {
	link io.ReadWriteCloser
	box  Sandbox
	o    Options
	ask  bool // for the interpreter

	limits sandbox.Limits                               // with defaults
	emit   atomic.Pointer[func(sandbox.Stream, []byte)] // nil before the job

	way *wayOut // nil where there is none

	writing sync.Mutex // serialises frames to the supervisor
	reading sync.WaitGroup

	answers chan string   // of the runner, in order; closed at the end
	ended   chan struct{} // closed when nothing more comes

	// What came, read after ended.
	stdout, stderr []byte
	files          *evidence.Files
	final          *wire.Final
	err            error

	interpreter wire.Interpreter // known when it has said "ready"
}

// Open begins a conversation over link, whose Read must end when the sandbox
// is gone and whose Close must let go of a Read and a Write under way. The
// caller closes the conversation.
func Open(link io.ReadWriteCloser, box Sandbox, o Options) *Conversation {
	c := &Conversation{
		link: link, box: box, o: o, limits: o.Limits.WithDefaults(), files: evidence.NewFiles(o.Limits.WithDefaults()),
		interpreter: o.Interpreter, ask: o.Interpreter == wire.Interpreter{},
		answers: make(chan string, 8), ended: make(chan struct{}),
	}
	if o.Egress {
		c.way = c.openWay()
	}
	c.reading.Go(c.read)
	return c
}

// Close ends the conversation and returns when nothing reads from the link any
// more. It does not end the sandbox.
func (c *Conversation) Close() {
	_ = c.link.Close() // what it may say of the other end is of no use now
	c.way.Close()
	c.reading.Wait()
}

// Start has the supervisor start the interpreter.
func (c *Conversation) Start(st wire.Start) error {
	st.Identify = c.ask
	return c.write(wire.Setup, mustJSON(st))
}

// Ready waits until the interpreter waits for its job.
func (c *Conversation) Ready(ctx context.Context, limit time.Duration) error {
	if answer, err := c.answer(ctx, limit); err != nil || answer != "ready" {
		return c.broken(ctx, fmt.Errorf("the interpreter did not start: %v", err))
	}
	if c.interpreter.Path == "" {
		return errors.New("the supervisor did not say what runs the program")
	}
	return nil
}

// Interpreter is what runs the program. It is known when it is ready.
func (c *Conversation) Interpreter() wire.Interpreter { return c.interpreter }

// Ended reports whether the sandbox has nothing more to say.
func (c *Conversation) Ended() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
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

func (c *Conversation) write(tag byte, payload []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return frame.Write(c.link, tag, payload)
}

// read takes in everything the supervisor sends, until its stream ends.
func (c *Conversation) read() {
	defer close(c.ended)
	defer close(c.answers)
	// Whatever stops the frames, the stream is read to its end: who runs the
	// sandbox cannot end it before its output is gone.
	defer c.reading.Go(func() { _, _ = io.Copy(io.Discard, c.link) })
	for c.final == nil {
		tag, n, err := frame.Header(c.link)
		if err == nil {
			err = c.take(tag, n, c.link)
		}
		if err != nil {
			c.err = err
			return
		}
	}
}

// take is strict: the supervisor is ours, but what it sends was made next to
// hostile code.
func (c *Conversation) take(tag byte, n int64, r io.Reader) error {
	switch tag {
	case wire.Stdout:
		return c.output(sandbox.Stdout, &c.stdout, n, r)
	case wire.Stderr:
		return c.output(sandbox.Stderr, &c.stderr, n, r)
	case wire.Report:
		body, err := frame.Payload(r, n, runner.MaxAnswer)
		if err != nil {
			return err
		}
		select {
		case c.answers <- string(body):
			return nil
		default:
			return errors.New("more answers than there are questions")
		}
	case wire.Path:
		return c.files.Path(r, n)
	case wire.Data:
		return c.files.Data(r, n)
	case wire.Tunnel:
		return c.way.take(n, r)
	case wire.Identity:
		return c.identified(n, r)
	case wire.End:
		body, err := frame.Payload(r, n, maxFinal)
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
	return fmt.Errorf("unexpected frame %q", tag)
}

func (c *Conversation) output(stream sandbox.Stream, to *[]byte, n int64, r io.Reader) error {
	chunk, err := frame.Payload(r, n, c.limits.OutputBytes-int64(len(*to)))
	if err != nil {
		return err
	}
	*to = append(*to, chunk...)
	if emit := c.emit.Load(); emit != nil && len(chunk) > 0 {
		(*emit)(stream, chunk)
	}
	return nil
}

// Run hands the job over and waits for the end of the program, and of
// everything that it started where the supervisor could say so.
func (c *Conversation) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if s.Output != nil {
		c.emit.Store(&s.Output)
	}
	defer c.way.letOut(s.Egress)()
	begin := time.Now()
	var sending sync.WaitGroup
	sending.Go(func() {
		if c.write(wire.Rules, mustJSON(Rules(s))) == nil && c.write(wire.Job, runner.Job(s)) == nil {
			_ = c.write(wire.Stdin, s.Stdin)
		}
	})
	reason := c.wait(ctx)
	wall := time.Since(begin)
	_ = c.link.Close() // lets go of what may still be sent
	sending.Wait()
	return c.result(ctx, s, reason, wall)
}

// answer waits for the runner's next answer.
func (c *Conversation) answer(ctx context.Context, limit time.Duration) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a, ok := <-c.answers:
		if !ok {
			return "", c.early()
		}
		return a, nil
	case <-timer.C:
		return "", fmt.Errorf("no answer in %s", limit)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// early says how a sandbox ended that was to answer yet, as far as it could say so.
func (c *Conversation) early() error {
	switch f := c.final; {
	case f == nil:
		return fmt.Errorf("its supervisor ended without a word: %v", c.err)
	case f.Error != "":
		return errors.New(f.Error)
	case f.Signal != 0:
		return fmt.Errorf("it was killed by signal %d", f.Signal)
	default:
		return fmt.Errorf("it ended with exit code %d", f.Exit)
	}
}

// wait returns when the run is over, and why if that was not its own doing.
func (c *Conversation) wait(ctx context.Context) (reason sandbox.Reason) {
	if reason = c.watch(ctx); reason == "" {
		return ""
	}
	c.way.Close() // nothing of it is in the way of the end
	// The supervisor ends the run and can still say what it used; when it
	// does not, its backend kills them all.
	go c.write(wire.Kill, nil) // ends with the connection, at the latest
	limit := evidence.Grace
	if reason == sandbox.Cancelled {
		limit = endGrace
	}
	grace := time.NewTimer(limit)
	defer grace.Stop()
	select {
	case <-c.ended:
	case <-grace.C:
		c.kill(ctx)
	}
	return reason
}

// watch returns when the run is over, "", or why it has to be ended.
func (c *Conversation) watch(ctx context.Context) sandbox.Reason {
	timer := time.NewTimer(c.limits.Wall)
	defer timer.Stop()
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return ""
		case <-timer.C:
			return sandbox.TimedOut
		case <-ctx.Done():
			return sandbox.Cancelled
		case <-tick.C:
			if c.o.Counts == nil {
				tick.Stop()
			} else if kills, _ := c.o.Counts(); kills > 0 { // whichever of its processes the kernel picked
				return sandbox.Memory
			}
		}
	}
}

// kill ends the sandbox through its backend and waits for the end of its
// stream.
func (c *Conversation) kill(ctx context.Context) {
	c.box.Kill(ctx)
	select {
	case <-c.ended:
	case <-time.After(endGrace):
		_ = c.link.Close()
		<-c.ended
	}
}
