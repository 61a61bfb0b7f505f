package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Purge deletes the segments that hold only records from before the given
// time, and returns their names. First it records that it does so, with the
// hash the oldest record kept is chained to: a log that begins later than its
// first record without such a note does not verify. The newest segment stays.
func (l *Log) Purge(ctx context.Context, before time.Time) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return nil, l.broken
	}
	var old []string
	err := l.locked(ctx, func() error {
		if err := l.tail.catchUp(); err != nil {
			return l.breaks(err)
		}
		names, err := segments(l.opts.Dir)
		if err != nil {
			return err
		}
		n, err := countBefore(l.opts.Dir, names, before)
		if err != nil || n == 0 {
			return err
		}
		old = names[:n]
		return l.purge(old, names[n])
	})
	if err != nil {
		return nil, fmt.Errorf("purging %q: %v", l.opts.Dir, err)
	}
	return old, nil
}

// countBefore says how many of the segments end before t: those whose
// successor begins before it.
func countBefore(dir string, names []string, t time.Time) (int, error) {
	for i := 1; i < len(names); i++ {
		f, err := openFile(filepath.Join(dir, names[i]))
		if err != nil {
			return 0, err
		}
		started, err := firstTime(f)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %v", names[i], err)
		}
		if !started.Before(t) {
			return i - 1, nil
		}
	}
	return max(0, len(names)-1), nil
}

// purge records and then does it.
func (l *Log) purge(old []string, first string) error {
	head, err := firstLink(filepath.Join(l.opts.Dir, first))
	if err != nil {
		return fmt.Errorf("%s: %v", first, err)
	}
	p := &pending{rec: note(l.opts, Change{Kind: ChangePurged, Segment: old[len(old)-1], Next: first, Prev: head.prev})}
	if err := l.tail.append([]*pending{p}, l.opts); err != nil {
		return err
	}
	if p.err != nil {
		return p.err
	}
	if err := l.sync(l.tail.file); err != nil {
		return l.breaks(err)
	}
	l.wrote = l.tail.last.seq
	for _, name := range old {
		if err := os.Remove(filepath.Join(l.opts.Dir, name)); err != nil {
			return err
		}
	}
	return syncDir(l.opts.Dir)
}

// firstLink reads the chain members of a segment's first record.
func firstLink(path string) (link, error) {
	f, err := openFile(path)
	if err != nil {
		return link{}, err
	}
	defer f.Close()
	line, err := readLine(newLineReader(f))
	if err != nil {
		return link{}, err
	}
	return parseLink(line)
}
