package docker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sallyport/sandbox"
)

// maxIdle is how long a container may wait for a program. It bounds how long
// one can outlive an instance on another machine that died without a word.
const maxIdle = time.Hour

// kind is everything of a spec that a container is made from before it gets
// its program.
type kind struct {
	Language string
	Runtime  sandbox.Runtime
	Limits   sandbox.Limits
	Deny     []string
}

func kindOf(s sandbox.Spec) string {
	name, err := json.Marshal(kind{Language: s.Language, Runtime: s.Runtime, Limits: s.Limits.WithDefaults(), Deny: s.Deny})
	if err != nil {
		panic(err) // it holds nothing that has no JSON
	}
	return string(name)
}

// Warm starts the waiting containers for runs like s and returns when they
// wait. Run does the same by itself, after the first run of a kind.
func (b *Backend) Warm(ctx context.Context, s sandbox.Spec) error {
	return b.pool.Wait(ctx, kindOf(s))
}

// session returns a container whose interpreter waits for a job, which is the
// caller's to remove.
func (b *Backend) session(ctx context.Context, s sandbox.Spec) (*session, error) {
	if b.opts.Warm > 0 {
		if c, ok := b.pool.Take(kindOf(s)); ok {
			return c, nil
		}
	}
	return b.startReady(ctx, s, 0, nil)
}

func (b *Backend) startWarm(ctx context.Context, name string) (*session, error) {
	var k kind
	if err := json.Unmarshal([]byte(name), &k); err != nil {
		return nil, err
	}
	s := sandbox.Spec{Language: k.Language, Runtime: k.Runtime, Limits: k.Limits, Deny: k.Deny}
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
