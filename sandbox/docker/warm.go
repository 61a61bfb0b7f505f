package docker

import (
	"context"
	"errors"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/supervised"
)

// maxIdle is how long a container may wait for a program. It bounds how long
// one can outlive an instance on another machine that died without a word.
const maxIdle = time.Hour

// Warm starts the waiting containers for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	return b.pool.Wait(ctx, supervised.Kind(s))
}

// session returns a container whose interpreter waits for a job, which is the
// caller's to remove.
func (b *Backend) session(ctx context.Context, s sandbox.Spec) (*session, error) {
	if b.opts.Warm > 0 {
		if c, ok := b.pool.Take(supervised.Kind(s)); ok {
			return c, nil
		}
	}
	return b.startReady(ctx, s, 0, nil)
}

func (b *Backend) startWarm(ctx context.Context, name string) (*session, error) {
	s, err := supervised.OfKind(name)
	if err != nil {
		return nil, err
	}
	c, err := b.startReady(ctx, s, maxIdle, b.opts.Preload)
	if err != nil {
		return nil, err
	}
	c.warm, c.born = true, time.Now()
	return c, nil
}

// startReady starts a container and waits for its interpreter.
func (b *Backend) startReady(ctx context.Context, s sandbox.Spec, idle time.Duration, preload []string) (*session, error) {
	until := time.Now().Add(startLimit + idle + s.Limits.WithDefaults().Wall)
	c, err := b.start(ctx, s, until, idle > 0, preload)
	if err != nil {
		return nil, err
	}
	if err := c.Ready(ctx, startLimit); err != nil {
		return nil, errors.Join(err, c.remove(ctx))
	}
	b.remember(c, start(s, posture{}).Argv[0])
	return c, nil
}

// Healthy implements pool.Item.
func (c *session) Healthy() bool { return !c.Ended() && time.Since(c.born) < maxIdle }

// Close implements pool.Item. A container that cannot be removed now, because
// the engine is away, is tried again later: Backend.Close has the last word.
func (c *session) Close() error {
	_ = c.remove(context.Background())
	return nil
}
