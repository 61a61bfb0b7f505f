package docker

import (
	"context"
	"errors"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/live"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/internal/supervised"
)

// maxIdle is how long a container may wait for a program. It bounds how long
// one can outlive an instance on another machine that died without a word.
const maxIdle = time.Hour

// Warm starts the waiting containers for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	return b.boxes.Wait(ctx, supervised.Kind(s))
}

func (b *Backend) startWarm(ctx context.Context, name string) (*box, error) {
	s, err := supervised.OfKind(name)
	if err != nil {
		return nil, err
	}
	c, err := b.startReady(ctx, s, maxIdle, b.askWaiting)
	if err != nil {
		return nil, err
	}
	c.born = time.Now()
	return c, nil
}

// askWaiting asks for a container whose interpreter prepares while it waits.
func (b *Backend) askWaiting(s sandbox.Spec, p posture) asked {
	a := ask(s, p)
	a.start.Env = append(a.start.Env, runner.Preload(s))
	return a
}

// startReady starts a container and waits for its interpreter.
func (b *Backend) startReady(ctx context.Context, s sandbox.Spec, idle time.Duration, ask asking) (*box, error) {
	until := time.Now().Add(live.StartLimit + idle + s.Limits.WithDefaults().Wall)
	c, err := b.start(ctx, s, until, ask)
	if err != nil {
		return nil, err
	}
	if err := c.Ready(ctx, live.Ready(s)); err != nil {
		return nil, errors.Join(err, c.remove(ctx))
	}
	b.remember(c, start(s, posture{}).Argv[0])
	return c, nil
}

// Healthy implements live.Box.
func (c *box) Healthy() bool { return !c.Ended() && time.Since(c.born) < maxIdle }

// Settle implements live.Box.
func (c *box) Settle() error { return c.Close() }

// Close implements live.Box. A container that cannot be removed now, because
// the engine is away, is tried again later: Backend.Close has the last word.
func (c *box) Close() error { return c.remove(context.Background()) }
