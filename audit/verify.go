package audit

import (
	"bufio"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxProblems bounds the report of a log that is damaged all over.
const maxProblems = 1000

// Report is what Verify found.
type Report struct {
	Dir         string    `json:"dir"`
	Segments    int       `json:"segments"`
	Records     uint64    `json:"records"`
	Bytes       int64     `json:"bytes"`
	First       uint64    `json:"first"`            // number of the first record
	Last        uint64    `json:"last"`             // number of the last record
	Head        string    `json:"head"`             // hash of the last record
	Purged      bool      `json:"purged,omitempty"` // older records were deleted, and a record says so
	Checkpoints int       `json:"checkpoints"`      // how many fit the records
	Signed      uint64    `json:"signed"`           // the last record that a trusted key vouches for
	Torn        []Change  `json:"torn,omitempty"`
	Warnings    []string  `json:"warnings,omitempty"`
	Problems    []Problem `json:"problems,omitempty"`
	Found       int       `json:"found"` // how many problems, also those not listed
}

// OK reports whether nothing is wrong. A torn tail is no proof of anything
// wrong when a record tells of it or when it ends the last segment.
func (r Report) OK() bool { return r.Found == 0 }

// Problem is one place where the log is not what was written.
type Problem struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"` // from 1; 0: the segment as a whole
	Offset  int64  `json:"offset"`
	Detail  string `json:"detail"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.Segment, p.Detail)
	}
	return fmt.Sprintf("%s:%d (byte %d): %s", p.Segment, p.Line, p.Offset, p.Detail)
}

// Trust is what a log is held against besides itself.
type Trust struct {
	// Keys are those whose checkpoints count. Without any, checkpoints are
	// compared with the records but their signatures are not checked.
	Keys []ed25519.PublicKey
	// Checkpoints are those that were kept elsewhere.
	Checkpoints []Checkpoint
}

// Verify is VerifyAgainst with nothing to hold the log against.
func Verify(dir string) (Report, error) { return VerifyAgainst(dir, Trust{}) }

// VerifyAgainst reads the whole log in dir and reports every record that was
// changed, removed, reordered, inserted or duplicated, every run that ended
// without an earlier decision, and every checkpoint, of the log's own file and
// of trust, that does not fit. The chain alone cannot show that its newest
// records are missing; a checkpoint kept elsewhere does. The error says that the
// log could not be read.
//
// It needs no write access, and takes the lock for a moment only where it meets
// what may be half written. Records that are added meanwhile may be left out.
func VerifyAgainst(dir string, trust Trust) (Report, error) {
	r, _, err := verifyAgainst(dir, trust)
	return r, err
}

// verifyAgainst also returns the hash of the first record.
func verifyAgainst(dir string, trust Trust) (Report, string, error) {
	v := verifier{report: Report{Dir: dir}, open: map[string]bool{}}
	err := v.verify(dir, trust)
	if err != nil {
		err = fmt.Errorf("verifying %q: %v", dir, err)
	}
	return v.report, v.begin.hash, err
}

// verifier carries the chain from line to line and from segment to segment.
type verifier struct {
	report  Report
	last    link
	next    string          // the segment announced by the last one
	torn    *Change         // what the last one ends in, until a record tells of it
	begin   link            // the first record
	purged  bool            // a record explains begin
	open    map[string]bool // decisions whose run may still end
	signed  []Checkpoint    // those to come, in the order of records
	trusted bool            // their signatures were checked
}

func (v *verifier) verify(dir string, trust Trust) error {
	if err := v.gather(dir, trust); err != nil {
		return err
	}
	names, err := segments(dir)
	if err != nil {
		return err
	}
	for i, name := range names {
		if err := v.segment(dir, name, i == len(names)-1); err != nil {
			return err
		}
	}
	// What was begun while we were reading is the next verification's matter.
	if v.next != "" && !appears(dir, v.next) {
		v.problem(names[len(names)-1], 0, 0, "the segment %s that its last record announces is missing", v.next)
	}
	if v.begin.seq > 1 && !v.purged {
		v.problem(names[0], 1, 0, "the log begins with record %d: those before it are missing", v.begin.seq)
	}
	v.report.Purged = v.purged
	for _, c := range v.signed {
		v.problem(checkpointName, 0, 0, "the log ends with record %d and had record %d at %s: its end was cut off", v.report.Last, c.Seq, c.Time)
	}
	return nil
}

// gather collects the checkpoints, and judges their signatures.
func (v *verifier) gather(dir string, trust Trust) error {
	own, bad, err := LoadCheckpoints(filepath.Join(dir, checkpointName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if bad > 0 {
		v.report.Warnings = append(v.report.Warnings, fmt.Sprintf("%d lines of %s are no checkpoint: cut short by a crash, or damaged", bad, checkpointName))
	}
	for _, c := range append(own, trust.Checkpoints...) {
		if len(trust.Keys) > 0 {
			if err := c.Verify(trust.Keys); err != nil {
				v.problem(checkpointName, 0, 0, "%v", err)
				continue
			}
		}
		v.signed = append(v.signed, c)
	}
	if len(trust.Keys) > 0 && len(own)+len(trust.Checkpoints) == 0 {
		v.report.Warnings = append(v.report.Warnings, "there is no checkpoint: the keys vouch for nothing, and the end of the log may be missing")
	}
	if len(trust.Keys) == 0 && len(v.signed) > 0 {
		v.report.Warnings = append(v.report.Warnings, "no key was given: the signatures of the checkpoints were not checked")
	}
	slices.SortStableFunc(v.signed, func(a, b Checkpoint) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return 0
	})
	v.trusted = len(trust.Keys) > 0
	return nil
}

func (v *verifier) problem(name string, line int, offset int64, format string, args ...any) {
	v.report.Found++
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, Problem{name, line, offset, fmt.Sprintf(format, args...)})
	}
}

// segment reads one segment up to the size it has now, or a little later.
func (v *verifier) segment(dir, name string, isLast bool) error {
	f, err := openFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	v.report.Segments++
	v.report.Bytes += info.Size()
	if v.next != "" && v.next != name {
		v.problem(name, 0, 0, "the segment %s that the one before announces is missing", v.next)
	}
	v.next = ""
	end, err := v.lines(f, name, info.Size())
	if err != nil {
		return err
	}
	if v.torn == nil && v.next == "" && !isLast {
		v.problem(name, 0, end, "records are missing at the end: the segment was not closed")
	}
	return nil
}

// lines reads the records of a segment and returns the offset behind the last.
func (v *verifier) lines(f *os.File, name string, size int64) (int64, error) {
	in := newLineReader(io.LimitReader(f, size))
	for at := (place{segment: name, line: 1}); ; {
		line, err := readLine(in)
		switch {
		case err == nil:
			v.record(at, line)
			at.line++
			at.offset += int64(len(line)) + 1
			continue
		case !errors.Is(err, io.EOF):
			return 0, fmt.Errorf("%s:%d: %v", name, at.line, err)
		case len(line) == 0:
			return at.offset, nil
		}
		settle(filepath.Dir(f.Name()))
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		if info.Size() <= size {
			v.tornTail(at, line)
			return at.offset, nil
		}
		size = info.Size()
		in = newLineReader(io.NewSectionReader(f, at.offset, size-at.offset))
	}
}

// settle waits until no process is in the middle of a write: what looks half
// written after that is.
func settle(dir string) {
	f, err := openFile(filepath.Join(dir, lockName))
	if err != nil {
		return // a copy, without the lock file: nobody writes there
	}
	defer f.Close() // and with it the lock
	for range 1000 {
		if ok, err := tryLock(f); ok || err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// appears tells whether a segment that was announced is there.
func appears(dir, name string) bool {
	settle(dir)
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func newLineReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 256<<10) }

// readLine returns the next line without its newline, valid until the next
// call; io.EOF comes with what is behind the last newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := slices.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
			line, err = in.ReadSlice('\n')
			long = append(long, line...)
		}
		if len(long) > maxLine {
			return nil, errTooLong
		}
		line = long
	}
	if err != nil {
		return line, err
	}
	return line[:len(line)-1], nil
}

func (v *verifier) tornTail(at place, rest []byte) {
	sum := sha256.Sum256(rest)
	c := Change{Kind: ChangeTorn, Segment: at.segment, Offset: at.offset, Bytes: int64(len(rest)), SHA256: hex.EncodeToString(sum[:])}
	v.torn = &c
	v.report.Torn = append(v.report.Torn, c)
}
