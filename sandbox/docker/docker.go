// Package docker runs code in containers of a Docker Engine or of Podman,
// through the engine's API socket.
//
// A container runs one supervisor, a small static binary, which starts the
// interpreter under a system call filter of its own and passes its output on
// in frames. The code goes in over the attached stream, artifacts come out of
// it: there is no host mount, no shell and no copy to the engine's disk.
package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/docker/docker/client"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
	"sallyport/sandbox/internal/supervised/wire"
)

const (
	connectLimit = 15 * time.Second // first words with the engine
	pullLimit    = 30 * time.Minute // fetching an image
	stallLimit   = time.Minute      // without a word of the registry's
	killLimit    = 20 * time.Second // removal of a container, whatever its state
	answerLimit  = 5 * time.Second  // for an engine that is to kill, after a run's time is up
)

// Options says which engine, and what it runs. The zero value is the Docker
// Engine at its usual socket, with no image: every run is refused.
type Options struct {
	// Engine is what to look for: "docker", the default, or "podman". A Podman
	// at Docker's address is taken, and called what it is.
	Engine string

	// Host is the engine's API, unix:///path or tcp://host:port; "" is the
	// engine's usual socket. See FromEnvironment for contexts.
	Host string
	TLS  TLS // for tcp hosts

	// Runtime is the OCI runtime to run containers with, as the engine knows
	// it (runsc, kata); "" is the engine's default. With RequireRuntime an
	// engine that does not have it is not used at all; without, its default
	// runtime stands in and Describe says so.
	Runtime        string
	RequireRuntime bool

	// Images are the images by language, as references that the engine can
	// resolve; a digest or an ID never changes its meaning, a tag does.
	Images map[string]string
	// Pull lets the engine fetch an image that it does not have, if its
	// reference has a digest: a tag may mean another image tomorrow.
	Pull bool
	// Progress, when not nil, is told in lines how the fetching goes.
	Progress func(line string)

	// Guest is the path of the supervisor, a static binary for the engine's
	// architecture.
	Guest string

	// Warm is how many containers with a started interpreter wait for each
	// kind of run at least; zero, for a process that runs one program, keeps
	// none. WarmKinds bounds the kinds, the one not asked for the longest goes
	// first; zero means 4. Of all kinds together WarmMost wait when calls come
	// in bursts; zero keeps to Warm.
	Warm, WarmKinds, WarmMost int

	// CPUs bounds how many processors a run may use at a time; 0 means 1.
	CPUs float64
}

// TLS are the files of a client certificate, as Docker names them.
type TLS struct {
	CA, Cert, Key string
}

// Backend is a sandbox.Backend. It is safe for concurrent use; Close ends it.
type Backend struct {
	opts  Options
	api   *client.Client
	eng   engine
	guest supervised.Guest
	self  owner
	stall time.Duration // how long an engine may be silent while it fetches an image
	boxes *live.Keeper[*box]

	mu           sync.Mutex
	images       map[wanted]*prepared
	interpreters map[string]wire.Interpreter // by ID of the image and command
	debris       map[string]bool             // containers whose removal failed
}

var _ sandbox.Backend = (*Backend)(nil)

// New connects to the engine and removes what dead instances left there. An
// error wraps sandbox.ErrUnavailable and says what would mend it.
func New(o Options) (*Backend, error) { return connected(o, connectLimit) }

// connected is New for an engine that has so long for its first words.
func connected(o Options, limit time.Duration) (*Backend, error) {
	o.Images = maps.Clone(o.Images)
	if o.Engine == "" {
		o.Engine = "docker"
	}
	if o.CPUs == 0 {
		o.CPUs = 1
	}
	b := &Backend{opts: o, stall: stallLimit, images: map[wanted]*prepared{}, interpreters: map[string]wire.Interpreter{}, debris: map[string]bool{}, self: thisProcess()}
	var err error
	if b.guest, err = supervised.ReadGuest(o.Guest); err != nil {
		return nil, b.unavailable(err)
	}
	if b.api, err = connect(o); err != nil {
		return nil, b.unavailable(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if b.eng, err = b.examine(ctx); err != nil {
		return nil, errors.Join(b.unavailable(err), b.api.Close())
	}
	if b.eng.podman { // by whatever name it was asked for
		b.opts.Engine = "podman"
	}
	if err := b.reap(ctx); err != nil {
		return nil, errors.Join(b.unavailable(fmt.Errorf("removing what dead instances left: %v", b.explain(err))), b.api.Close())
	}
	b.boxes = live.New(live.Options[*box]{Start: b.startWarm, Warm: o.Warm, Kinds: o.WarmKinds, Most: o.WarmMost, Heavy: supervised.Preloads})
	return b, nil
}

// Close removes the containers that wait, and what an earlier fault of the
// engine kept this instance from removing. No Run may be under way.
func (b *Backend) Close() error {
	_ = b.boxes.Close() // what could not be removed then is now, or said here
	return errors.Join(b.clearDebris(context.Background(), killLimit), b.api.Close())
}

// Describe implements sandbox.Backend.
func (b *Backend) Describe() sandbox.Description {
	return sandbox.Description{
		Name: b.opts.Engine, Version: b.eng.version, Mode: b.eng.mode(), Copies: true, Controls: runner.Controls(b.eng.controls()),
	}
}

// Runtimes are the OCI runtimes that the engine knows, by name.
func (b *Backend) Runtimes() []string { return slices.Clone(b.eng.runtimes) }

// Run implements sandbox.Backend.
func (b *Backend) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s, err := runner.Copied(s)
	if err == nil {
		err = b.check(s)
	}
	if err != nil {
		return sandbox.Result{}, err
	}
	_ = b.clearDebris(ctx, answerLimit) // what cannot be removed now is tried again, at the latest by the next instance
	return b.boxes.Run(ctx, s, supervised.Kind(s), func(ctx context.Context) (*box, error) { return b.startReady(ctx, s, 0, ask) })
}

func (b *Backend) check(s sandbox.Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.CheckControls(b.Describe()); err != nil {
		return err
	}
	for _, m := range s.Runtime.Mounts {
		if m.Writable {
			return fmt.Errorf("%w: mount %s: %s gives read-only mounts only, a writable copy is what gvisor can make", sandbox.ErrRefused, m.Target, b.opts.Engine)
		}
	}
	return nil
}

func (b *Backend) unavailable(err error) error {
	return &sandbox.Unavailable{Backend: b.opts.Engine, Cause: err}
}

// known is what is known of the interpreter that an image starts for a
// command; nothing where it has to be asked for.
func (b *Backend) known(image, command string) wire.Interpreter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.interpreters[image+" "+command]
}

// remember keeps what a box that is ready has learnt.
func (b *Backend) remember(c *box, command string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.interpreters[c.base+" "+command] = c.Interpreter()
}
