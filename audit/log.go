package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// ErrNotRecorded is wrapped by every error of Open and Append: the record is
// not durable, and nothing may happen that depends on it.
var ErrNotRecorded = errors.New("audit record not written")

// Options says where the log is and how it is kept. Only Dir is needed.
type Options struct {
	Dir         string        // made with mode 0700 when missing
	MaxBytes    int64         // a segment that reached this size is closed; 0: 64 MiB
	MaxAge      time.Duration // a segment this old is closed; 0: 7 days
	LockTimeout time.Duration // how long to wait for other processes; 0: 10 s

	Mask []MaskRule // applied before a record is hashed

	// Key signs a checkpoint every CheckpointEvery records (0: 1000) and when
	// the log is closed, into the file Checkpoints ("": in Dir). Nil signs none.
	Key             ed25519.PrivateKey
	CheckpointEvery uint64
	Checkpoints     string

	Now func() time.Time // nil: time.Now
}

// WithDefaults fills in what is zero.
func (o Options) WithDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	if o.MaxAge <= 0 {
		o.MaxAge = 7 * 24 * time.Hour
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = 10 * time.Second
	}
	if o.CheckpointEvery == 0 {
		o.CheckpointEvery = 1000
	}
	if o.Checkpoints == "" {
		o.Checkpoints = filepath.Join(o.Dir, checkpointName)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Validate says what is wrong with o, without touching any file.
func (o Options) Validate() error {
	if o.Dir == "" {
		return errors.New("no directory given")
	}
	for _, m := range o.Mask {
		if _, err := m.parse(); err != nil {
			return err
		}
	}
	return nil
}

// Log appends to the one chain of a directory. It is safe for concurrent use,
// and any number of processes may have the same directory open: a lock file
// orders their writes, and concurrent appends share one fsync.
type Log struct {
	opts Options

	queueMu sync.Mutex // guards the next two
	queue   []*pending
	leading bool          // somebody writes, or waits for others to write with
	arrived chan struct{} // a sign that the queue grew; it may be late or lost

	mu     sync.Mutex    // held while a batch is written; guards what follows
	last   int           // records in the last batch
	took   time.Duration // how long it took to become durable
	lock   *os.File
	tail   tail
	wrote  uint64 // number of the last record this process added
	signed uint64 // number of the last record this process signed
	broken error  // why the log refuses to go on

	sync func(*os.File) error // (*os.File).Sync, but for tests
}

// maxGather bounds how long a batch waits for callers who are likely to come.
const maxGather = 2 * time.Millisecond

// pending is one Append that waits for its batch.
type pending struct {
	rec  Record
	err  error
	turn chan bool // true: write the next batch; false: the record is settled
}

// Open opens the log in opts.Dir, and makes it when there is none. It looks at
// the last record only; Verify looks at all of them.
func Open(opts Options) (*Log, error) {
	l, err := open(opts.WithDefaults())
	if err != nil {
		return nil, fmt.Errorf("%w: opening the log in %q: %v", ErrNotRecorded, opts.Dir, err)
	}
	return l, nil
}

func open(opts Options) (*Log, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := checkOwned(opts.Dir, info); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(opts.Dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Log{opts: opts, lock: lock, tail: tail{dir: opts.Dir}, sync: (*os.File).Sync, arrived: make(chan struct{}, 1)}
	err = l.locked(context.Background(), l.tail.catchUp)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.signed = l.tail.last.seq
	return l, nil
}

// Close signs a checkpoint when there is a key and something new to sign, and
// releases the files. Appends after it fail.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.broken == nil && l.opts.Key != nil && l.wrote > l.signed {
		_, err = l.checkpoint()
	}
	l.broken = errors.New("the log is closed")
	return errors.Join(err, l.close())
}

func (l *Log) close() error {
	err := l.tail.close()
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
		l.lock = nil
	}
	return err
}

// Append completes rec, makes it durable and returns it. Every error wraps
// ErrNotRecorded. After a failed fsync, a lost lock or a tail that is not what
// this Log left there, it refuses everything until the log is opened again;
// after a full disk it goes on once there is room.
func (l *Log) Append(ctx context.Context, rec Record) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, fmt.Errorf("%w: %v", ErrNotRecorded, err)
	}
	p := &pending{rec: rec, turn: make(chan bool, 1)}
	l.queueMu.Lock()
	l.queue = append(l.queue, p)
	lead := !l.leading
	l.leading = true
	l.queueMu.Unlock()
	select {
	case l.arrived <- struct{}{}:
	default:
	}
	if lead || <-p.turn {
		l.lead(context.WithoutCancel(ctx), p)
	}
	if p.err != nil {
		return Record{}, fmt.Errorf("%w: %v", ErrNotRecorded, p.err)
	}
	return p.rec, nil
}

// lead writes what is queued, which includes the leader's own record, tells
// everybody in the batch, and hands the lead on to the first who came since.
func (l *Log) lead(ctx context.Context, own *pending) {
	l.mu.Lock()
	batch := l.gather()
	l.commit(ctx, batch)
	l.mu.Unlock()
	for _, p := range batch {
		if p != own {
			p.turn <- false
		}
	}
	l.queueMu.Lock()
	defer l.queueMu.Unlock()
	if l.leading = len(l.queue) > 0; l.leading {
		l.queue[0].turn <- true
	}
}

// gather takes the queue. Callers who were in the last batch are likely to be
// back in a moment, so it waits for as many, but no longer than half of what a
// batch costs: eight callers pay for one fsync, and one alone never waits.
func (l *Log) gather() []*pending {
	until := time.After(min(l.took/2, maxGather))
	for {
		l.queueMu.Lock()
		if len(l.queue) >= l.last {
			break
		}
		l.queueMu.Unlock()
		select {
		case <-l.arrived:
			continue
		case <-until:
		}
		l.queueMu.Lock()
		break
	}
	defer l.queueMu.Unlock()
	batch := l.queue
	l.queue = nil
	return batch
}

// commit writes a batch and settles each of its members.
func (l *Log) commit(ctx context.Context, batch []*pending) {
	started := time.Now()
	err := l.broken
	if err == nil {
		err = l.write(ctx, batch)
	}
	l.last, l.took = len(batch), time.Since(started)
	for _, p := range batch {
		if p.err == nil {
			p.err = err
		}
	}
}

// write holds the lock while it writes and not while it syncs: what others
// append meanwhile is behind our bytes in the same file, so one journal commit
// of the kernel serves all processes that wait.
func (l *Log) write(ctx context.Context, batch []*pending) error {
	err := l.locked(ctx, func() error {
		if err := l.tail.catchUp(); err != nil {
			return l.breaks(err)
		}
		for _, p := range batch {
			p.rec, p.err = l.complete(p.rec)
		}
		err := l.tail.append(batch, l.opts)
		if errors.As(err, new(syncError)) {
			return l.breaks(err)
		}
		return err
	})
	if err != nil {
		return err
	}
	if l.tail.file == nil { // nothing in the batch could be encoded
		return nil
	}
	if err := l.sync(l.tail.file); err != nil {
		return l.breaks(fmt.Errorf("fsync of %s: %v", l.tail.name, err))
	}
	l.wrote = l.tail.last.seq
	if l.opts.Key != nil && l.wrote-l.signed >= l.opts.CheckpointEvery {
		if _, err := l.checkpoint(); err != nil {
			return err
		}
	}
	return nil
}

// breaks makes the log refuse everything from now on.
func (l *Log) breaks(err error) error {
	l.broken = err
	return err
}

// complete fills in what the caller leaves to the log, apart from the chain.
func (l *Log) complete(rec Record) (Record, error) {
	if !slices.Contains(Events(), string(rec.Event)) {
		return rec, fmt.Errorf("unknown event %q", rec.Event)
	}
	if rec.Time.IsZero() {
		rec.Time = l.opts.Now()
	}
	rec.Time = rec.Time.UTC().Truncate(time.Microsecond)
	if rec.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return rec, err
		}
		rec.ID = id.String()
	}
	return mask(rec, l.opts.Mask)
}

// locked runs f while this process alone may write.
func (l *Log) locked(ctx context.Context, f func() error) (err error) {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer func() {
		if uerr := unlock(l.lock); uerr != nil {
			err = errors.Join(err, l.breaks(fmt.Errorf("releasing the lock: %v", uerr)))
		}
	}()
	// A lock file that was removed or replaced locks out nobody.
	mine, err := l.lock.Stat()
	if err != nil {
		return l.breaks(err)
	}
	theirs, err := os.Stat(l.lock.Name())
	if err != nil || !os.SameFile(mine, theirs) {
		return l.breaks(fmt.Errorf("lock lost: %s was removed or replaced", l.lock.Name()))
	}
	return f()
}

// acquire polls: a blocking lock could not be given up at a deadline.
func (l *Log) acquire(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.opts.LockTimeout)
	defer cancel()
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		ok, err := tryLock(l.lock)
		if err != nil {
			return l.breaks(fmt.Errorf("locking %s: %v", l.lock.Name(), err))
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the lock %s: %v", l.lock.Name(), ctx.Err())
		case <-time.After(wait):
		}
	}
}
