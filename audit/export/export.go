// Package export writes the records of an audit log in the forms that other
// systems read. An export is a copy for reading: only the log itself can be
// verified.
package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"sallyport/audit"
)

// Format names an output format.
type Format string

const (
	JSONL Format = "jsonl" // the lines as they are in the log; these do verify
	OCSF  Format = "ocsf"  // Open Cybersecurity Schema Framework, one event a line
	OPA   Format = "opa"   // decisions as OPA's decision log has them, one a line
	CEF   Format = "cef"   // ArcSight's Common Event Format, one event a line
	CSV   Format = "csv"
)

// Formats lists the formats of Write.
func Formats() []Format { return []Format{JSONL, OCSF, OPA, CEF, CSV} }

// Write writes the records to w in the given format. It stops at the first
// record that cannot be read.
func Write(w io.Writer, format Format, entries iter.Seq2[audit.Entry, error]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var write func(audit.Entry) error
	switch format {
	case JSONL:
		write = func(e audit.Entry) error {
			if _, err := out.Write(e.Raw); err != nil {
				return err
			}
			return out.WriteByte('\n')
		}
	case OCSF:
		write = lines(out, ocsfEvent)
	case OPA:
		write = lines(out, opaEvent)
	case CEF:
		write = func(e audit.Entry) error {
			_, err := out.WriteString(cefLine(e.Record) + "\n")
			return err
		}
	case CSV:
		write = newTable(out).row
	default:
		return fmt.Errorf("unknown export format %q", format)
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := write(e); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lines writes one JSON object a line, and nothing for a nil one.
func lines(w io.Writer, event func(audit.Record) any) func(audit.Entry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(e audit.Entry) error {
		v := event(e.Record)
		if v == nil {
			return nil
		}
		return enc.Encode(v)
	}
}

// version is sallyport's own, as the writer of the record gave it.
func version(rec audit.Record) string {
	const prefix = "sallyport/"
	if v := rec.Caller.Program; len(v) > len(prefix) && v[:len(prefix)] == prefix {
		return v[len(prefix):]
	}
	return "unknown"
}

// summary says in one line what a record is about.
func summary(rec audit.Record) string {
	switch rec.Event {
	case audit.EventDecision:
		return decided(rec)
	case audit.EventApproval:
		return "a person was asked: " + rec.Answer
	case audit.EventEnd:
		if rec.Run == nil {
			return "a run ended"
		}
		if !rec.Run.Exited() {
			return "a run ended: " + rec.Run.Reason
		}
		return fmt.Sprintf("a run ended: exited, exit %d", rec.Run.Exit)
	case audit.EventEgress, audit.EventEgressEnd:
		return requested(rec)
	}
	return rec.Note
}

// requested says what a program asked a host for, or how that ended.
func requested(rec audit.Record) string {
	x := rec.Egress
	if x == nil {
		return "a program asked a host"
	}
	what := "something that is no request"
	if x.Host != "" {
		what = strings.TrimSpace(x.Method + " " + x.URL())
	}
	switch {
	case rec.Event == audit.EventEgressEnd && x.Status == 0:
		return what + ": ended"
	case rec.Event == audit.EventEgressEnd:
		return fmt.Sprintf("%s: status %d", what, x.Status)
	case x.Allowed:
		return what + ": sent"
	}
	return what + ": refused, " + x.Reason
}

func decided(rec audit.Record) string {
	language := "a program"
	if rec.Source != nil && rec.Source.Language != "" {
		language = rec.Source.Language + " code"
	}
	if rec.Verdict == nil {
		return language + " was judged"
	}
	text := fmt.Sprintf("%s: %s", language, rec.Verdict.Effect)
	for _, f := range rec.Verdict.Findings {
		if f.Action == "deny" || f.Action == "ask" {
			return fmt.Sprintf("%s by %s: %s", text, f.Rule, f.Message)
		}
	}
	if rec.Verdict.Effect != "allow" {
		return text + ": " + rec.Verdict.Reason
	}
	return text
}
