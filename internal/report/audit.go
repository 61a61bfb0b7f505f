package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sallyport/answer"
	"sallyport/audit"
)

// RecordLine shows one record in a line.
func (t *Text) RecordLine(e audit.Entry) {
	rec := e.Record
	words := []any{shortID(cmp.Or(rec.Decision, rec.ID))}
	switch rec.Event {
	case audit.EventDecision:
		words = append(words, t.effect(rec.Verdict))
		if rec.Source != nil {
			words = append(words, rec.Source.Language, rec.Source.Name)
		}
		words = append(words, strings.Join(stopping(rec.Verdict), ","))
	case audit.EventApproval:
		words = append(words, "answer", rec.Answer)
	case audit.EventEnd:
		words = append(words, "end")
		if rec.Run != nil {
			for _, w := range ended(rec.Run) {
				words = append(words, w)
			}
			words = append(words, took(rec.Run.WallMicros))
		}
	case audit.EventEgress, audit.EventEgressEnd:
		for _, w := range egress(rec) {
			words = append(words, w)
		}
	default:
		words = append(words, string(rec.Event), rec.Note)
	}
	words = append(words, rec.Caller.Client, rec.Caller.User)
	line := t.Paint(Dim, e.Time.UTC().Format(time.RFC3339))
	for _, w := range words {
		if w != "" {
			line += Format("  %s", w)
		}
	}
	t.Printf("%s\n", line)
}

// ended says how a run came to its end, with the exit code of one that had any.
func ended(x *audit.Run) []string {
	if x.Exited() {
		return []string{x.Reason, fmt.Sprintf("exit %d", x.Exit)}
	}
	return []string{x.Reason}
}

// egress says in words what a program asked a host for, or how that ended.
func egress(rec audit.Record) []string {
	words, x := []string{string(rec.Event)}, rec.Egress
	if x == nil {
		return words
	}
	words = append(words, fmt.Sprint(x.Number))
	if x.Host != "" {
		words = append(words, x.Method, fmt.Sprintf("%s://%s:%d", x.Scheme, x.Host, x.Port))
	}
	switch {
	case rec.Event == audit.EventEgress && !x.Allowed:
		words = append(words, "refused:", x.Reason)
	case rec.Event == audit.EventEgressEnd:
		if x.Status != 0 {
			words = append(words, fmt.Sprintf("status %d", x.Status))
		}
		words = append(words, took(x.Micros))
	}
	return words
}

// RequestLine says in a line what became of a request of a program to a host, ""
// while that is not known.
func RequestLine(rec audit.Record) string {
	x := rec.Egress
	if x == nil || rec.Event == audit.EventEgress && x.Allowed {
		return ""
	}
	text := fmt.Sprintf("request %d: ", x.Number)
	if x.Host != "" {
		text += strings.TrimSpace(x.Method+" "+x.URL()) + ": "
	}
	if rec.Event == audit.EventEgress {
		return text + "refused, " + x.Reason
	}
	if x.Status != 0 {
		text += fmt.Sprintf("status %d, ", x.Status)
	}
	text += fmt.Sprintf("%d bytes sent, %d received, %s, by rule %s", x.SentBytes, x.ReceivedBytes, took(x.Micros), x.Rule)
	if x.Error != "" {
		text += ": " + x.Error
	}
	return text
}

func took(micros int64) string {
	return (time.Duration(micros) * time.Microsecond).Round(100 * time.Microsecond).String()
}

// shortID is the end of an id: the part that differs between neighbours.
func shortID(id string) string {
	const length = 12
	return id[max(0, len(id)-length):]
}

func (t *Text) effect(v *audit.Verdict) Ready {
	if v == nil {
		return "?"
	}
	style := Red
	switch v.Effect {
	case "allow":
		style = Green
	case "ask":
		style = Yellow
	}
	return t.Paint(style, v.Effect)
}

// stopping lists the rules that denied or asked, else the reason of a denial.
func stopping(v *audit.Verdict) []string {
	if v == nil || v.Effect == "allow" {
		return nil
	}
	var list []string
	for _, f := range v.Findings {
		if f.Action == "deny" || f.Action == "ask" {
			list = append(list, f.Rule)
		}
	}
	if len(list) == 0 {
		list = append(list, v.Reason)
	}
	return list
}

// Record shows everything that one record says, a line for each thing.
func (t *Text) Record(e audit.Entry) {
	t.Printf("%s %s\n", t.Paint(Bold, e.Event), e.ID)
	line := func(name, format string, values ...any) {
		if text := strings.TrimSpace(fmt.Sprintf(format, values...)); text != "" {
			t.Printf("  %-9s %s\n", name, text)
		}
	}
	line("time", "%s", e.Time.UTC().Format(time.RFC3339Nano))
	line("place", "%s:%d, record %d, hash %.16s", e.Segment, e.Line, e.Seq, e.Hash)
	c := e.Caller
	line("caller", "%s %s %s %s", c.Client, c.Tool, c.User, c.Host)
	if p := c.Principal; p != nil {
		line("principal", "%s", strings.Join(append([]string{p.Name, p.Issuer, p.Subject, p.Tenant, p.How}, p.Scopes...), " "))
	}
	line("runs in", "%s", c.Environment)
	line("labels", "%s", strings.Join(c.LabelList(), " "))
	line("session", "%s", c.Session)
	if s := e.Source; s != nil {
		line("source", "%s %s, %d bytes, sha256 %s", s.Language, s.Name, s.Bytes, s.SHA256)
	}
	if v := e.Verdict; v != nil {
		line("effect", "%s (%s) %s", v.Effect, v.Reason, v.Detail)
		line("policy", "%s %.16s %s", strings.Join(v.Packs, "+"), v.PolicyDigest, v.Revision)
		for _, f := range v.Findings {
			line("finding", "%s %s, line %d: %s", f.Action, f.Rule, f.Line, f.Message)
		}
		line("excepted", "%s", strings.Join(v.Exceptions, ", "))
		line("loosened", "%s", strings.Join(v.Loosened, ", "))
	}
	line("answer", "%s", e.Answer)
	if x := e.Run; x != nil {
		line("run", "%s, %s wall, %s CPU, %d bytes of memory", strings.Join(ended(x), ", "),
			time.Duration(x.WallMicros)*time.Microsecond, time.Duration(x.CPUMicros)*time.Microsecond, x.PeakMemory)
		line("sandbox", "%s %s, %s %s", x.Backend, x.BackendVersion, x.Interpreter, x.InterpreterVersion)
		line("violated", "%s", strings.Join(x.Violations, ", "))
		line("error", "%s", x.Error)
	}
	if x := e.Egress; x != nil {
		line("request", "%s", strings.Join(egress(e.Record), " "))
		line("rule", "%s", x.Rule)
		line("path", "%s", x.Path)
		line("secrets", "%s", strings.Join(x.Secrets, ", "))
		line("policy", "%s", strings.Join(x.Policy, ", "))
		line("answer", "%s", x.Answer)
		if e.Event == audit.EventEgressEnd {
			line("bytes", "%d sent, %d received, with %s", x.SentBytes, x.ReceivedBytes, x.Address)
		}
		line("error", "%s", x.Error)
	}
	if f := e.InForce; f != nil {
		for _, part := range slices.Sorted(maps.Keys(f.SHA256)) {
			line("in force", "%s %s", part, f.SHA256[part])
		}
		for _, part := range slices.Sorted(maps.Keys(f.Before)) {
			line("before", "%s %s", part, cmp.Or(f.Before[part], "none"))
		}
	}
	line("note", "%s", e.Note)
	line("masked", "%s", strings.Join(e.Masked, ", "))
	if e.Source != nil && e.Source.Code != "" {
		t.Printf("  code\n")
		for l := range strings.Lines(e.Source.Code) {
			t.Printf("    | %s\n", strings.TrimRight(l, "\r\n"))
		}
	}
}

// Stats shows what was counted in a log.
func (t *Text) Stats(s audit.Stats) {
	t.Printf("%s, %s", answer.Count(s.Records, "record"), answer.Count(s.Decisions, "decision"))
	if s.Records > 0 {
		t.Printf(", %s to %s", s.From.UTC().Format(time.RFC3339), s.To.UTC().Format(time.RFC3339))
	}
	t.Printf("\n")
	for _, part := range []struct {
		name   string
		counts []audit.Count
	}{{"effect", s.Effects}, {"denied because", s.Reasons}, {"rule", s.Rules}, {"client", s.Clients}, {"language", s.Languages}, {"answer", s.Answers}, {"run", s.Runs}, {"refused access", s.Access}, {"in force by", s.InForce}} {
		for _, c := range part.counts {
			t.Printf("  %-15s %7d  %s\n", part.name, c.Count, c.Name)
		}
	}
	if r := s.Requests; r.Sent+r.Refused > 0 {
		t.Printf("%s to hosts, %d refused, %d bytes sent, %d received\n", answer.Count(r.Sent+r.Refused, "request"), r.Refused, r.SentBytes, r.ReceivedBytes)
		for _, part := range []struct {
			name   string
			counts []audit.Count
		}{{"host", r.Hosts}, {"method", r.Methods}, {"refused because", r.Reasons}} {
			for _, b := range bars(part.counts) {
				t.Printf("  %-15s %7d  %s\n", part.name, b.Count, b.Name)
			}
		}
	}
	if s.Unended > 0 {
		t.Printf("%d allowed without the end of a run: only checked, still running, or killed\n", s.Unended)
	}
	if s.Blind > 0 {
		t.Printf("%s tried what policy denies although it had allowed them: sallyport audit search --blind-spot\n", answer.Count(s.Blind, "run"))
	}
	if s.Decisions > 0 {
		t.Printf("judging: p50 %d µs, p95 %d µs, p99 %d µs, max %d µs\n", s.JudgeUS.P50, s.JudgeUS.P95, s.JudgeUS.P99, s.JudgeUS.Max)
	}
	if len(s.Runs) > 0 {
		t.Printf("running: p50 %d µs, p95 %d µs, p99 %d µs, max %d µs\n", s.RunUS.P50, s.RunUS.P95, s.RunUS.P99, s.RunUS.Max)
	}
	if s.Unread > 0 {
		t.Printf("%s could not be read: sallyport audit verify says more\n", answer.Count(s.Unread, "line"))
	}
}

// Verified shows what came of verifying logs.
func (t *Text) Verified(s audit.Set) {
	if len(s.Logs) == 1 {
		t.verified(s.Logs[0])
		return
	}
	for _, r := range s.Logs {
		t.Printf("%s:\n", r.Dir)
		t.verified(r)
	}
	state := "intact"
	if !s.OK() {
		state = answer.Count(s.Found, "problem")
	}
	t.Printf("%s in %s: %s\n", answer.Count(int(s.Records), "record"), answer.Count(len(s.Logs), "log"), state)
}

func (t *Text) verified(r audit.Report) {
	for _, problem := range r.Problems {
		t.Printf("%s\n", problem)
	}
	if r.Found > len(r.Problems) {
		t.Printf("… and %d more\n", r.Found-len(r.Problems))
	}
	for _, c := range r.Torn {
		t.Printf("torn tail: %s ends in %d bytes that are no record (at byte %d), left by a crash or a full disk\n", c.Segment, c.Bytes, c.Offset)
	}
	for _, warning := range r.Warnings {
		t.Printf("warning: %s\n", warning)
	}
	state := "intact"
	if !r.OK() {
		state = answer.Count(r.Found, "problem")
	}
	t.Printf("%s (%d to %d) in %s: %s\n", answer.Count(int(r.Records), "record"), r.First, r.Last, answer.Count(r.Segments, "segment"), state)
	if r.Purged {
		t.Printf("records before %d were purged, which is on record\n", r.First)
	}
	if r.Checkpoints > 0 {
		t.Printf("%s fit", answer.Count(r.Checkpoints, "checkpoint"))
		if r.Signed > 0 {
			t.Printf("; trusted signatures vouch for the records up to %d", r.Signed)
		}
		t.Printf("\n")
	}
	if r.Head != "" {
		t.Printf("head %s\n", r.Head)
	}
}
