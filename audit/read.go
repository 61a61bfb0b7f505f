package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is a record and where it stands. Reading does not verify: it shows
// what is there.
type Entry struct {
	Record
	Segment string
	Line    int
	Raw     []byte // the line as it is, without its newline; the reader may keep it
}

// Filter selects records. The zero Filter selects all. Within a field any value
// will do; the fields that are set must all fit. An approval or the end of a
// run counts as what its decision is.
type Filter struct {
	Since, Until time.Time // Since inclusive, Until exclusive; zero: open
	Effects      []string  // allow, deny, ask
	Rules        []string  // ids of rules with a finding; a * at the end stands for anything
	Clients      []string  // clients, compared up to the first /: claude-code is any version of it
	Principals   []string  // who asked: name, subject, or issuer|subject
	Tenants      []string
	Environments []string          // the operator's; default is that of callers who choose none
	Reasons      []string          // of a decision, or of the end of a run
	Labels       map[string]string // of a decision, which has all of these
	BlindSpots   bool              // runs that tried what policy denies although it had allowed them
	Events       []string          // what the records themselves are about
	Text         string            // somewhere in the record, not regarding case
}

// byDecision reports whether f asks for what only a decision says.
func (f Filter) byDecision() bool {
	return len(f.Effects) > 0 || len(f.Rules) > 0 || len(f.Clients) > 0 || len(f.Principals) > 0 || len(f.Tenants) > 0 || len(f.Environments) > 0 || len(f.Reasons) > 0 || len(f.Labels) > 0 || f.BlindSpots || f.Text != ""
}

func (f Filter) inTime(t time.Time) bool {
	return (f.Since.IsZero() || !t.Before(f.Since)) && (f.Until.IsZero() || t.Before(f.Until))
}

func (f Filter) match(e Entry) bool {
	if f.BlindSpots && (e.Run == nil || len(e.Run.Violations) == 0) {
		return false
	}
	if len(f.Clients) > 0 {
		name, _, _ := strings.Cut(e.Caller.Client, "/")
		if !slices.Contains(f.Clients, name) && !slices.Contains(f.Clients, e.Caller.Client) {
			return false
		}
	}
	if !f.asked(e.Caller) || !f.ended(e) || !f.labelled(e.Caller) {
		return false
	}
	if len(f.Environments) > 0 && !slices.Contains(f.Environments, cmp.Or(e.Caller.Environment, "default")) {
		return false
	}
	if f.Text != "" && !containsFold(e.Record, f.Text) {
		return false
	}
	if len(f.Effects) == 0 && len(f.Rules) == 0 {
		return true
	}
	if e.Verdict == nil {
		return false
	}
	if len(f.Effects) > 0 && !slices.Contains(f.Effects, e.Verdict.Effect) {
		return false
	}
	return len(f.Rules) == 0 || slices.ContainsFunc(e.Verdict.Findings, func(x Finding) bool {
		return slices.ContainsFunc(f.Rules, func(r string) bool { return ruleMatches(r, x.Rule) })
	})
}

// labelled reports whether a caller gave all of the labels.
func (f Filter) labelled(c Caller) bool {
	for key, want := range f.Labels {
		if got, ok := c.Labels[key]; !ok || got != want {
			return false
		}
	}
	return true
}

// ended reports whether a decision or a run has one of the reasons.
func (f Filter) ended(e Entry) bool {
	return len(f.Reasons) == 0 ||
		e.Verdict != nil && slices.Contains(f.Reasons, e.Verdict.Reason) ||
		e.Run != nil && slices.Contains(f.Reasons, e.Run.Reason)
}

// asked reports whether one of those whom f names asked.
func (f Filter) asked(c Caller) bool {
	var p Principal
	if c.Principal != nil {
		p = *c.Principal
	}
	among := func(names []string, own ...string) bool {
		return len(names) == 0 || slices.ContainsFunc(own, func(o string) bool { return o != "" && slices.Contains(names, o) })
	}
	return among(f.Principals, c.User, p.Name, p.Subject) && among(f.Tenants, p.Tenant)
}

func ruleMatches(pattern, rule string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(rule, prefix)
	}
	return pattern == rule
}

// containsFold looks for text in what a record says, not in how it is written.
func containsFold(rec Record, text string) bool {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(rec) != nil {
		return false
	}
	record := strings.ToLower(b.String())
	b.Reset()
	if enc.Encode(strings.ToLower(text)) != nil {
		return false
	}
	return strings.Contains(record, strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n"))
}

// Select reads the log in dir from its beginning and yields the records that
// fit, in order. A line that is no record, or a file that cannot be read, is
// yielded as an error, and reading goes on behind it.
func Select(dir string, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		names, err := segments(dir)
		if err == nil {
			names, err = since(dir, names, f.Since)
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		decided := map[string]bool{} // that fit, and may have more records
		for _, name := range names {
			for e, err := range readSegment(dir, name) {
				if err == nil && !f.selects(e, decided) {
					continue
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// selects reports whether e fits, itself or by its decision.
func (f Filter) selects(e Entry, decided map[string]bool) bool {
	return f.fits(e, decided) && (len(f.Events) == 0 || slices.Contains(f.Events, string(e.Event)))
}

func (f Filter) fits(e Entry, decided map[string]bool) bool {
	if !f.inTime(e.Time) {
		return false
	}
	if !f.byDecision() {
		return true
	}
	if e.Decision != "" && decided[e.Decision] {
		return true
	}
	if !f.match(e) {
		return false
	}
	if e.Event == EventDecision {
		decided[e.ID] = true
	}
	return true
}

// since leaves out the segments that end before t.
func since(dir string, names []string, t time.Time) ([]string, error) {
	if t.IsZero() {
		return names, nil
	}
	n, err := countBefore(dir, names, t)
	if err != nil {
		return nil, err
	}
	return names[n:], nil
}

// openFile opens a file to read. In a copy that somebody else made may be what has no
// end, or waits for somebody to write.
func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// readSegment yields the records of one segment; torn bytes at its end are
// left to Verify.
func readSegment(dir, name string) iter.Seq2[Entry, error] {
	return readWanted(dir, name, func([]byte) bool { return true })
}

// readWanted is readSegment of the lines that are wanted; others are not parsed.
func readWanted(dir, name string, wanted func(line []byte) bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := openFile(filepath.Join(dir, name))
		if err != nil {
			yield(Entry{Segment: name}, err)
			return
		}
		defer f.Close()
		in := newLineReader(f)
		for n := 1; ; n++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && !wanted(line) {
				continue
			}
			e := Entry{Segment: name, Line: n}
			if err == nil {
				e, err = parseEntry(e, line)
			}
			if err != nil {
				err = fmt.Errorf("%s:%d: %v", name, n, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func parseEntry(e Entry, line []byte) (Entry, error) {
	e.Raw = slices.Clone(line)
	if err := json.Unmarshal(line, &e.Record); err != nil {
		return e, fmt.Errorf("not a record: %v", err)
	}
	return e, nil
}

// Last returns the newest n records that fit, the oldest of them first. It
// reads no more segments than it must, so an end whose decision stands in an
// older segment counts by what it says itself.
func Last(dir string, f Filter, n int) ([]Entry, error) {
	names, err := segments(dir)
	if err != nil {
		return nil, err
	}
	var found []Entry
	for i := len(names) - 1; i >= 0 && len(found) < n; i-- {
		decided := map[string]bool{}
		var here []Entry
		for e, err := range readSegment(dir, names[i]) {
			if err != nil {
				return nil, err
			}
			if f.selects(e, decided) {
				here = append(here, e)
			}
		}
		found = append(here, found...)
	}
	return found[max(0, len(found)-n):], nil
}

// Newest returns the newest record of an event, and whether there is one. It parses no
// other, because it may have to look through a whole log.
func Newest(dir string, event Event) (newest Entry, found bool, err error) {
	names, err := segments(dir)
	if err != nil {
		return newest, false, err
	}
	// Within a string its quotation marks would be escaped.
	mark := fmt.Appendf(nil, `"event":%q`, event)
	for i := len(names) - 1; i >= 0 && !found; i-- {
		for e, err := range readWanted(dir, names[i], func(line []byte) bool { return bytes.Contains(line, mark) }) {
			if err != nil {
				return e, false, err
			}
			newest, found = e, true
		}
	}
	return newest, found, nil
}

// Find returns the records of one request by the ID of its decision, or of any
// record, or by enough of its beginning or end to be the only one.
func Find(dir, id string) ([]Entry, error) {
	const enough = 6
	if len(id) < enough {
		return nil, fmt.Errorf("%q is too short: give at least %d characters of an id", id, enough)
	}
	fits := func(s string) bool { return s != "" && (strings.HasPrefix(s, id) || strings.HasSuffix(s, id)) }
	decision := ""
	for e, err := range Select(dir, Filter{}) {
		if err != nil {
			return nil, err
		}
		if !fits(e.ID) {
			continue
		}
		request := e.ID
		if e.Decision != "" {
			request = e.Decision
		}
		if decision != "" && decision != request {
			return nil, fmt.Errorf("%q fits more than one record: give more of the id", id)
		}
		decision = request
	}
	var found []Entry
	if decision == "" {
		return nil, nil
	}
	for e, err := range Select(dir, Filter{}) {
		if err != nil {
			return nil, err
		}
		if e.ID == decision || e.Decision == decision {
			found = append(found, e)
		}
	}
	return found, nil
}

// followEvery is how often Follow looks for new records.
const followEvery = 200 * time.Millisecond

// Follow calls f with every record behind number after that fits, those there
// are and those that will be written, until ctx is done or f returns an error.
func Follow(ctx context.Context, dir string, after uint64, filter Filter, f func(Entry) error) error {
	names, err := segments(dir)
	if err != nil {
		return err
	}
	var name string // the segment that is read, and how far
	var at int64
	for _, n := range names {
		if n <= fmt.Sprintf(segmentFmt, after+1) {
			name = n
		}
	}
	decided := map[string]bool{}
	show := func(e Entry) error {
		if e.Seq <= after || !filter.selects(e, decided) {
			return nil
		}
		return f(e)
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		for _, n := range names {
			if n < name {
				continue
			}
			if n != name {
				name, at = n, 0
			}
			if at, err = readFrom(dir, name, at, show); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if names, err = segments(dir); err != nil {
			return err
		}
	}
}

// readFrom calls f with the complete records behind an offset and returns the
// offset behind the last of them.
func readFrom(dir, name string, at int64, f func(Entry) error) (int64, error) {
	file, err := openFile(filepath.Join(dir, name))
	if err != nil {
		return at, err
	}
	defer file.Close()
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return at, err
	}
	in := newLineReader(file)
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		at += int64(len(line)) + 1
		e, err := parseEntry(Entry{Segment: name}, line)
		if err != nil {
			continue // Verify's business
		}
		if err := f(e); err != nil {
			return at, err
		}
	}
}
