// Package live is the life of a sandbox, which is the same on every backend: a
// box is taken from those that wait, or started; it gets its program; and it is
// destroyed behind it. A backend says how its boxes start, run and go.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/pool"
)

// What every backend allows a box.
const (
	StartLimit = 30 * time.Second // up to an interpreter that waits
	WaitLimit  = 3 * time.Minute  // the same where it imports what an operator chose

	Inodes = 20000 // files in each writable mount: those without content are files, too

	// SentryMemory is what gVisor needs for itself in a control group that counts
	// its kernel together with the program.
	SentryMemory = 96 << 20

	// preloaded is how many boxes that wait count for one that has imported what an
	// operator chose: one takes about 25 MB, as gvisor's BenchmarkIdle measures it,
	// and pandas alone 100 more.
	preloaded = 5
)

// Ready is how long a box may take until the interpreter of s waits.
func Ready(s sandbox.Spec) time.Duration {
	if len(s.Runtime.Preload) > 0 {
		return WaitLimit
	}
	return StartLimit
}

// kinds is how many kinds of boxes wait where nobody says how many.
const kinds = 4

// Box is one live sandbox, whose interpreter waits for its program.
type Box interface {
	// Healthy reports, at once, whether it still waits.
	Healthy() bool

	// Run hands the program over and returns when it has ended, and everything
	// that it started. It is called once.
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)

	// Settle is Close for a box whose program ended by itself: it may take its
	// time, since nobody waits.
	Settle() error

	// Close kills what is left of the box and returns when nothing is.
	Close() error
}

// Keeper keeps the boxes of a backend. It is safe for concurrent use.
type Keeper[B Box] struct {
	pool     *pool.Pool[B]
	once     bool
	settling sync.WaitGroup

	mu   sync.Mutex // guards what follows
	errs []error    // of boxes that nobody waited for
}

// Options says which boxes wait.
type Options[B Box] struct {
	Start func(ctx context.Context, kind string) (B, error) // a box that will wait
	Warm  int                                               // of each kind, at least
	Once  bool                                              // in place of Warm: one of a kind that Keep names, and no more
	Kinds int                                               // zero means four
	Most  int                                               // of all kinds together, when programs come in bursts; zero keeps to Warm
	Heavy func(kind string) bool                            // has imported what an operator chose
	Plain func(kind string) string                          // what prepares less, for callers that find none waiting; nil is none
	Pause time.Duration                                     // between a program and the start of the next box
}

// New returns a keeper, which the caller closes.
func New[B Box](o Options[B]) *Keeper[B] {
	weigh := func(kind string) int {
		if o.Heavy(kind) {
			return preloaded
		}
		return 1
	}
	return &Keeper[B]{once: o.Once, pool: pool.New(pool.Options[B]{Start: o.Start, PerKind: o.Warm, Once: o.Once, Kinds: cmp.Or(o.Kinds, kinds), Most: o.Most, Plain: o.Plain, Weigh: weigh, Pause: o.Pause})}
}

// Keep has boxes of a kind wait from now on.
func (k *Keeper[B]) Keep(kind string) { k.pool.Keep(kind) }

// Wait has boxes of a kind wait from now on, and returns when they do.
func (k *Keeper[B]) Wait(ctx context.Context, kind string) error { return k.pool.Wait(ctx, kind) }

// Run runs a program in a box of a kind that waits, or in a fresh one. No box
// waits of the kind "".
func (k *Keeper[B]) Run(ctx context.Context, s sandbox.Spec, kind string, fresh func(context.Context) (B, error)) (sandbox.Result, error) {
	box, waited, err := k.Take(ctx, kind, fresh)
	if err != nil {
		if ctx.Err() != nil {
			return sandbox.Result{Reason: sandbox.Cancelled}, nil
		}
		return sandbox.Result{}, err
	}
	res, err := box.Run(ctx, s)
	if res.Warm = waited; waited {
		res.Preloaded = s.Runtime.Preload
	}
	if err == nil && res.Reason == sandbox.Exited {
		// The program and all that it started are gone, by the word of who
		// watched over it. The empty box need not be waited for.
		k.Later(box.Settle)
		if metFileLimit(s, res) {
			res.Reason = sandbox.Disk // it failed, and that is the likely cause
		}
		return res, nil
	}
	cerr := box.Close()
	if cerr != nil {
		err = errors.Join(err, fmt.Errorf("removing a sandbox: %w", cerr))
	}
	if cerr != nil || errors.Is(err, sandbox.ErrUnavailable) { // now: it was handed the program before
		err = fmt.Errorf("%w: %w", sandbox.ErrUnreadable, err)
	}
	return res, err
}

// tooLarge is what Python says last, and Node in its last words, of a file that
// cannot grow.
var tooLarge = regexp.MustCompile(`(?m)^(?:OSError: \[Errno 27\] .*\n?\z|Error: EFBIG: )`)

// metFileLimit says of a program that failed whether it filled a file to the limit
// of one: the kernel refuses what goes beyond, and tells nobody else.
func metFileLimit(s sandbox.Spec, r sandbox.Result) bool {
	limit := s.Limits.WithDefaults().FileBytes
	return r.Exit != 0 && (tooLarge.Match(r.Stderr) ||
		slices.ContainsFunc(r.Artifacts, func(f sandbox.File) bool { return int64(len(f.Data)) == limit }))
}

// Take returns a box, which is the caller's to close, and whether it waited: one that
// was begun for this run alone did not.
func (k *Keeper[B]) Take(ctx context.Context, kind string, fresh func(context.Context) (B, error)) (box B, waited bool, err error) {
	if kind != "" {
		if box, ok := k.pool.Take(ctx, kind); ok {
			return box, !k.once, nil
		}
	}
	box, err = fresh(ctx)
	return box, false, err
}

// Later does something that nobody waits for until Close, which returns its
// error.
func (k *Keeper[B]) Later(do func() error) {
	k.settling.Go(func() {
		if err := do(); err != nil {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.errs = append(k.errs, err)
		}
	})
}

// Settled returns when nothing is under way that nobody waits for.
func (k *Keeper[B]) Settled() { k.settling.Wait() }

// Close destroys the boxes that wait and returns when none is left. No Run may
// be under way.
func (k *Keeper[B]) Close() error {
	err := k.pool.Close()
	k.settling.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return errors.Join(err, errors.Join(k.errs...))
}
