package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The files of a log directory. A segment is named after the number of its
// first record, so that names sort as records do; it appears under its name
// with its first records already in it.
const (
	lockName   = "lock"
	segmentExt = ".jsonl"
	tempExt    = ".new"
	segmentFmt = "%020d" + segmentExt
)

// syncError is a failure after which nobody knows what is on the disk.
type syncError struct{ error }

// segments lists the segments of dir in order.
func segments(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries { // sorted by ReadDir
		if strings.HasSuffix(e.Name(), segmentExt) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// tail is the end of the chain as this process last saw it. It is only looked
// at under the lock.
type tail struct {
	dir     string
	file    *os.File // the last segment; nil while there is none
	name    string
	started time.Time // of its first record
	size    int64     // of the file when last looked at
	end     int64     // behind the last record
	last    link      // the last record; zero before the first
	closed  bool      // the last record says that the segment ends here
	torn    *Change   // the bytes between end and size, when there are any
}

func (t *tail) close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// catchUp moves t to the end of the chain. An error means that the log is not
// as an appender leaves it, and that nothing must be added to it.
func (t *tail) catchUp() error {
	for {
		if t.file == nil {
			names, err := segments(t.dir)
			if err != nil || len(names) == 0 {
				return err
			}
			if err := t.open(names[len(names)-1]); err != nil {
				return err
			}
		}
		if err := t.look(); err != nil {
			return fmt.Errorf("%s: %v", t.name, err)
		}
		if !t.closed && t.torn == nil {
			return nil
		}
		// Another process may have begun the next segment already.
		names, err := segments(t.dir)
		if err != nil {
			return err
		}
		newest := names[len(names)-1]
		if newest == t.name {
			return nil
		}
		if err := t.open(newest); err != nil {
			return err
		}
	}
}

// open makes the segment of this name the current one.
func (t *tail) open(name string) error {
	if err := t.close(); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(t.dir, name), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	*t = tail{dir: t.dir, file: f, name: name}
	t.started, err = firstTime(f)
	if err != nil {
		return fmt.Errorf("%s: %v", name, err)
	}
	return nil
}

// look reads what was added to the current segment since the last look.
func (t *tail) look() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(filepath.Join(t.dir, t.name))
	if err != nil || !os.SameFile(info, named) {
		return errors.New("the segment was removed or replaced")
	}
	switch {
	case info.Size() == t.size:
		return nil
	case info.Size() < t.size:
		return fmt.Errorf("the segment was cut from %d to %d bytes", t.size, info.Size())
	}
	line, start, rest, err := lastLine(t.file, t.end, info.Size())
	if err != nil {
		return err
	}
	t.size = info.Size()
	if line != nil {
		l, err := parseLink(line)
		if err != nil {
			return fmt.Errorf("the last record, at byte %d: %v", start, err)
		}
		t.last, t.end = l, start+int64(len(line))+1
		t.closed = isRotation(line)
	} else if t.end == 0 {
		return errors.New("the segment holds no record")
	}
	t.torn = nil
	if len(rest) > 0 {
		sum := sha256.Sum256(rest)
		t.torn = &Change{Kind: ChangeTorn, Segment: t.name, Offset: t.end, Bytes: int64(len(rest)), SHA256: hex.EncodeToString(sum[:])}
	}
	return nil
}

// lastLine returns the last complete line of f between from and size, where it
// starts, and the bytes behind it. The line is nil when there is none.
func lastLine(f *os.File, from, size int64) (line []byte, start int64, rest []byte, err error) {
	for window := int64(64 << 10); ; window *= 2 {
		at := max(from, size-window)
		buf := make([]byte, size-at)
		if _, err := f.ReadAt(buf, at); err != nil {
			return nil, 0, nil, err
		}
		if last := bytes.LastIndexByte(buf, '\n'); last >= 0 {
			first := bytes.LastIndexByte(buf[:last], '\n') + 1
			if first > 0 || at == from {
				return buf[first:last], at + int64(first), buf[last+1:], nil
			}
		} else if at == from {
			return nil, 0, buf, nil
		}
		if window > 2*maxLine {
			return nil, 0, nil, errTooLong
		}
	}
}

// isRotation tells whether a line that was written by us closes its segment.
func isRotation(line []byte) bool {
	return bytes.Contains(line, []byte(`"change":{"kind":"`+ChangeRotated+`"`))
}

// firstTime reads the time of a segment's first record.
func firstTime(f *os.File) (time.Time, error) {
	var buf [512]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return time.Time{}, err
	}
	_, after, ok1 := bytes.Cut(buf[:n], []byte(`,"time":"`))
	text, _, ok2 := bytes.Cut(after, []byte{'"'})
	if !ok1 || !ok2 {
		return time.Time{}, errForm
	}
	return time.Parse(time.RFC3339Nano, string(text))
}

// append writes the batch behind the last record, opening a new segment when
// it is time to or when the current one ends in torn bytes: those stay where
// they are, and the first record of the next segment tells of them.
func (t *tail) append(batch []*pending, opts Options) error {
	if t.file != nil && t.torn == nil && !t.closed && t.due(opts) {
		if err := t.closeSegment(opts); err != nil {
			return err
		}
	}
	var w writer
	w.last = t.last
	if t.torn != nil {
		if _, err := w.add(note(opts, *t.torn)); err != nil {
			return err
		}
	}
	for _, p := range batch {
		if p.err == nil {
			p.rec, p.err = w.add(p.rec)
		}
	}
	if t.file == nil || t.torn != nil || t.closed {
		return t.begin(w, opts)
	}
	return t.write(w)
}

func (t *tail) due(opts Options) bool {
	return t.end >= opts.MaxBytes || opts.Now().Sub(t.started) >= opts.MaxAge
}

// closeSegment ends the current segment with a record that names the next, so
// that a missing segment shows.
func (t *tail) closeSegment(opts Options) error {
	w := writer{last: t.last}
	next := fmt.Sprintf(segmentFmt, t.last.seq+2)
	if _, err := w.add(note(opts, Change{Kind: ChangeRotated, Segment: t.name, Next: next})); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	t.closed = true
	return nil
}

// write appends what w holds to the current segment. When it fails, t stays
// where it was, and the next look finds what did get written.
func (t *tail) write(w writer) error {
	if _, err := t.file.Write(w.buf); err != nil {
		return err
	}
	t.last = w.last
	t.end += int64(len(w.buf))
	t.size = t.end
	return nil
}

// begin makes the next segment with what w holds in it.
func (t *tail) begin(w writer, opts Options) (err error) {
	if len(w.buf) == 0 {
		return nil
	}
	if t.file != nil {
		// What follows must not be durable before what it is chained to.
		if err := t.file.Sync(); err != nil {
			return syncError{fmt.Errorf("fsync of %s: %v", t.name, err)}
		}
	}
	name := fmt.Sprintf(segmentFmt, t.last.seq+1)
	path := filepath.Join(t.dir, name)
	temp := path + tempExt
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) { // of a process that died here
		return err
	}
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := fill(f, w.buf, temp, path); err != nil {
		return errors.Join(err, f.Close(), os.Remove(temp))
	}
	if err := syncDir(t.dir); err != nil {
		return syncError{errors.Join(fmt.Errorf("fsync of %s: %v", t.dir, err), f.Close())}
	}
	if err := t.close(); err != nil {
		return errors.Join(err, f.Close())
	}
	*t = tail{dir: t.dir, file: f, name: name, started: opts.Now(), last: w.last, end: int64(len(w.buf)), size: int64(len(w.buf))}
	return nil
}

func fill(f *os.File, b []byte, temp, path string) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// writer strings records together.
type writer struct {
	last link
	buf  []byte
}

func (w *writer) add(rec Record) (Record, error) {
	rec.Seq = w.last.seq + 1
	rec, line, err := encode(rec, w.last.hash)
	if err != nil {
		return Record{}, err
	}
	w.last = link{seq: rec.Seq, prev: rec.Prev, hash: rec.Hash}
	w.buf = append(w.buf, line...)
	return rec, nil
}

// note is the record of a change to the log itself.
func note(opts Options, c Change) Record {
	rec := Record{
		Event: EventNote, Change: &c,
		ID:   uuid.Must(uuid.NewV7()).String(),
		Time: opts.Now().UTC().Truncate(time.Microsecond),
	}
	switch c.Kind {
	case ChangeRotated:
		rec.Note = fmt.Sprintf("segment %s is full; the log goes on in %s", c.Segment, c.Next)
	case ChangeTorn:
		rec.Note = fmt.Sprintf("segment %s ends in %d bytes that are no record, left by a crash or a full disk; they stay there", c.Segment, c.Bytes)
	case ChangePurged:
		rec.Note = fmt.Sprintf("segments up to %s were deleted; the log begins with %s", c.Segment, c.Next)
	}
	return rec
}
