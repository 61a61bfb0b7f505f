package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxProblems bounds the report of a log that is damaged all over.
const maxProblems = 100

// Report is what Verify found.
type Report struct {
	Dir      string    `json:"dir"`
	Segments int       `json:"segments"`
	Records  uint64    `json:"records"`
	Bytes    int64     `json:"bytes"`
	First    uint64    `json:"first"` // number of the first record
	Last     uint64    `json:"last"`  // number of the last record
	Head     string    `json:"head"`  // hash of the last record
	Torn     []Change  `json:"torn,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	Found    int       `json:"found"` // how many problems, also those not listed
}

// OK reports whether nothing is wrong. Torn tails that the log itself recorded,
// or that end the last segment, are no proof of anything wrong.
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

// Verify reads the whole log in dir and reports every record that was changed,
// removed, reordered, inserted or duplicated. It needs no write access. The
// chain alone cannot show that its newest records are missing; a checkpoint
// that was kept elsewhere does. The error says that the log could not be read.
func Verify(dir string) (Report, error) {
	names, err := segments(dir)
	if err != nil {
		return Report{}, fmt.Errorf("verifying %q: %v", dir, err)
	}
	v := verifier{report: Report{Dir: dir}}
	for i, name := range names {
		if err := v.segment(dir, name, i == len(names)-1); err != nil {
			return v.report, fmt.Errorf("verifying %q: %v", dir, err)
		}
	}
	if v.next != "" {
		v.problem(names[len(names)-1], 0, 0, "the segment %s that its last record announces is missing", v.next)
	}
	return v.report, nil
}

// verifier carries the chain from line to line and from segment to segment.
type verifier struct {
	report Report
	last   link
	next   string  // the segment announced by the last one
	torn   *Change // what the last one ends in, until a record tells of it
}

func (v *verifier) problem(name string, line int, offset int64, format string, args ...any) {
	v.report.Found++
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, Problem{name, line, offset, fmt.Sprintf(format, args...)})
	}
}

// segment reads one segment up to the size it has now.
func (v *verifier) segment(dir, name string, isLast bool) error {
	f, err := os.Open(filepath.Join(dir, name))
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
	v.enter(name)
	in := bufio.NewReaderSize(io.LimitReader(f, info.Size()), 1<<20)
	var offset int64
	for n := 1; ; n++ {
		line, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0:
			v.tornTail(name, offset, line)
		case errors.Is(err, io.EOF):
		case err != nil:
			return fmt.Errorf("%s:%d: %v", name, n, err)
		default:
			v.line(name, n, offset, line)
			offset += int64(len(line)) + 1
			continue
		}
		break
	}
	if v.torn == nil && v.next == "" && !isLast {
		v.problem(name, 0, offset, "records are missing at the end: the segment was not closed")
	}
	return nil
}

// readLine returns the next line without its newline, valid until the next
// call; io.EOF comes with what is behind the last newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append([]byte(nil), line...)
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

// enter checks that the segment is the one that must come here.
func (v *verifier) enter(name string) {
	if v.next != "" && v.next != name {
		v.problem(name, 0, 0, "the segment %s that the one before announces is missing", v.next)
	}
	v.next = ""
}

func (v *verifier) tornTail(name string, offset int64, rest []byte) {
	sum := sha256.Sum256(rest)
	c := Change{Kind: ChangeTorn, Segment: name, Offset: offset, Bytes: int64(len(rest)), SHA256: hex.EncodeToString(sum[:])}
	v.torn = &c
	v.report.Torn = append(v.report.Torn, c)
}

// line checks one record against the one before it.
func (v *verifier) line(name string, n int, offset int64, line []byte) {
	l, err := parseLink(line)
	if err == nil && !json.Valid(line) {
		err = errForm
	}
	if err != nil {
		v.problem(name, n, offset, "%v", err)
	}
	if errors.Is(err, errForm) {
		// Where it stood is lost; take the next record as it comes.
		v.last = link{}
		return
	}
	v.report.Records++
	v.chain(name, n, offset, l)
	if v.report.First == 0 {
		v.report.First = l.seq
	}
	v.report.Last, v.report.Head, v.last = l.seq, l.hash, l
	if n == 1 && fmt.Sprintf(segmentFmt, l.seq) != name {
		v.problem(name, n, offset, "the segment begins with record %d", l.seq)
	}
	v.changes(name, n, offset, line)
}

// chain checks that l follows the last record.
func (v *verifier) chain(name string, n int, offset int64, l link) {
	switch {
	case v.last == link{} && v.report.Records == 1:
		if l.seq != 1 || l.prev != "" {
			v.problem(name, n, offset, "the log begins with record %d: those before it are missing", l.seq)
		}
	case v.last == link{}:
	case l.seq == v.last.seq:
		v.problem(name, n, offset, "record %d is there twice", l.seq)
	case l.seq < v.last.seq:
		v.problem(name, n, offset, "record %d follows record %d: duplicated, moved or inserted", l.seq, v.last.seq)
	case l.seq > v.last.seq+1:
		v.problem(name, n, offset, "record %d follows record %d: those between are missing", l.seq, v.last.seq)
	case l.prev != v.last.hash:
		v.problem(name, n, offset, "record %d is not chained to record %d as it is here: one of them was replaced", l.seq, v.last.seq)
	}
}

// changes follows what the log says about its own files.
func (v *verifier) changes(name string, n int, offset int64, line []byte) {
	if v.next != "" {
		v.problem(name, n, offset, "there is a record behind the one that closed the segment")
		v.next = ""
	}
	if v.torn == nil && !isRotation(line) {
		return
	}
	var rec Record
	if err := json.Unmarshal(line, &rec); err != nil {
		v.problem(name, n, offset, "%v", err)
		return
	}
	if v.torn != nil {
		if rec.Event != EventNote || rec.Change == nil || *rec.Change != *v.torn {
			v.problem(name, n, offset, "the %d bytes behind the last record of %s are not the ones the log recorded", v.torn.Bytes, v.torn.Segment)
		}
		v.torn = nil
	}
	if rec.Event == EventNote && rec.Change != nil && rec.Change.Kind == ChangeRotated {
		v.next = rec.Change.Next
	}
}
