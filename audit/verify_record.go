package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// place is where a line stands.
type place struct {
	segment string
	line    int
	offset  int64
}

func (v *verifier) wrong(at place, format string, args ...any) {
	v.problem(at.segment, at.line, at.offset, format, args...)
}

// record checks one line against everything before it.
func (v *verifier) record(at place, line []byte) {
	l, err := parseLink(line)
	if err == nil && !json.Valid(line) {
		err = errForm
	}
	if err != nil {
		v.wrong(at, "%v", err)
	}
	if errors.Is(err, errForm) {
		// Where it stood is lost; the next record is taken as it comes.
		v.last = link{}
		return
	}
	v.report.Records++
	v.chain(at, l)
	v.report.Last, v.report.Head, v.last = l.seq, l.hash, l
	if at.line == 1 && fmt.Sprintf(segmentFmt, l.seq) != at.segment {
		v.wrong(at, "the segment begins with record %d", l.seq)
	}
	v.checkpoints(at, l)
	v.runs(at, line)
	v.changes(at, line)
}

// chain checks that l follows the last record.
func (v *verifier) chain(at place, l link) {
	last := v.last
	switch {
	case v.report.First == 0:
		v.report.First = l.seq
		v.begin = l
		if l.seq == 1 && l.prev != "" {
			v.wrong(at, "record 1 is chained to another before it")
		}
	case last == link{}: // already reported
	case l.seq == last.seq:
		v.wrong(at, "record %d is there twice", l.seq)
	case l.seq < last.seq:
		v.wrong(at, "record %d follows record %d: duplicated, moved or inserted", l.seq, last.seq)
	case l.seq > last.seq+1:
		v.wrong(at, "record %d follows record %d: those between are missing", l.seq, last.seq)
	case l.prev != last.hash:
		v.wrong(at, "record %d is not chained to record %d as it is here: one of them was replaced", l.seq, last.seq)
	}
}

// checkpoints holds l against the statements about its number.
func (v *verifier) checkpoints(at place, l link) {
	for len(v.signed) > 0 && v.signed[0].Seq <= l.seq {
		c := v.signed[0]
		v.signed = v.signed[1:]
		switch {
		case c.Seq < v.report.First: // of a record that was purged
		case c.Seq < l.seq:
			v.wrong(at, "record %d, for which there is a checkpoint of %s, is missing", c.Seq, c.Time)
		case c.Hash != l.hash:
			v.wrong(at, "record %d is not the one that the checkpoint of %s signed", l.seq, c.Time)
		default:
			v.report.Checkpoints++
			if v.trusted {
				v.report.Signed = l.seq
			}
		}
	}
}

// What precedes the variable part of a line, in the order of Record's fields.
var (
	idKey       = []byte(`,"id":"`)
	eventKey    = []byte(`","event":"`)
	decisionKey = []byte(`","decision":"`)
	denied      = []byte(`,"verdict":{"effect":"deny"`)
	verdict     = []byte(`,"verdict":{`)
	elsewhere   = []byte(`,"asked":{"replica":"`)
)

// runs checks that nothing ended, was approved or asked a host that was not
// decided before.
// A text in a record cannot pass for one of the keys: its quotes are escaped.
func (v *verifier) runs(at place, line []byte) {
	_, rest, _ := bytes.Cut(line, idKey)
	id, rest, _ := bytes.Cut(rest, eventKey)
	event, rest, _ := bytes.Cut(rest, []byte{'"'})
	switch Event(event) {
	case EventDecision:
		if !bytes.Contains(rest, denied) {
			v.open[string(id)] = true
		}
	case EventEnd, EventApproval, EventEgress, EventEgressEnd:
		_, rest, found := bytes.Cut(rest, decisionKey)
		decision, _, _ := bytes.Cut(rest, []byte{'"'})
		if !found && Event(event) == EventApproval && bytes.Contains(line, elsewhere) && !bytes.Contains(line, verdict) {
			return // to another replica, which has the decision; it lets nothing run here
		}
		if !found || !v.open[string(decision)] && v.report.First == 1 {
			v.wrong(at, "an %s without an earlier decision that did not deny: %q", event, decision)
		}
		if Event(event) == EventEnd {
			delete(v.open, string(decision))
		}
	}
}

// changes follows what the log says about its own files.
func (v *verifier) changes(at place, line []byte) {
	if v.next != "" {
		v.wrong(at, "there is a record behind the one that closed the segment")
		v.next = ""
	}
	if v.torn == nil && !bytes.Contains(line, []byte(`,"change":{"kind":"`)) {
		return
	}
	var rec Record
	if err := json.Unmarshal(line, &rec); err != nil {
		v.wrong(at, "%v", err)
		return
	}
	change := Change{}
	if rec.Event == EventNote && rec.Change != nil {
		change = *rec.Change
	}
	if v.torn != nil {
		if change != *v.torn {
			v.wrong(at, "the %d bytes behind the last record of %s are not the ones the log recorded", v.torn.Bytes, v.torn.Segment)
		}
		v.torn = nil
		return
	}
	switch change.Kind {
	case ChangeRotated:
		v.next = change.Next
	case ChangePurged:
		v.explain(at, change)
	case ChangeTorn:
		v.wrong(at, "the torn bytes of %s that the log recorded are gone", change.Segment)
	}
}

// explain takes a purge as the reason why the log does not begin with record
// 1. One that was interrupted leaves more than it announced.
func (v *verifier) explain(at place, c Change) {
	var first uint64
	if _, err := fmt.Sscanf(c.Next, segmentFmt, &first); err != nil {
		v.wrong(at, "the purge names no segment: %q", c.Next)
		return
	}
	if v.begin.seq > first {
		return // not far enough; a later one may be
	}
	if v.begin.seq == first && v.begin.prev != c.Prev {
		v.wrong(at, "record %d is not the one that was kept when those before it were purged", first)
	}
	v.purged = v.begin.seq > 1
}
