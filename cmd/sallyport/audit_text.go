package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"sallyport/audit"
)

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// recordWriter returns what shows one record: a line of text, or the line of
// the log as it is.
func (a *app) recordWriter(format string) func(audit.Entry) error {
	if format == "json" {
		return func(e audit.Entry) error {
			_, err := fmt.Fprintf(a.stdout, "%s\n", e.Raw)
			return err
		}
	}
	r := a.renderer(a.stdout)
	return func(e audit.Entry) error {
		r.printf("%s  %s\n", r.paint(dim, e.Time.UTC().Format("2006-01-02 15:04:05")), recordLine(r, e.Record))
		return r.err
	}
}

// recordLine is one record in a line.
func recordLine(r *renderer, rec audit.Record) string {
	words := []string{shortID(cmp.Or(rec.Decision, rec.ID))}
	switch rec.Event {
	case audit.EventDecision:
		words = append(words, effectWord(r, rec.Verdict))
		if rec.Source != nil {
			words = append(words, safe(rec.Source.Language), safe(rec.Source.Name))
		}
		words = append(words, strings.Join(stopping(rec.Verdict), ","))
	case audit.EventApproval:
		words = append(words, "answer", safe(rec.Answer))
	case audit.EventEnd:
		words = append(words, "end")
		if rec.Run != nil {
			words = append(words, safe(rec.Run.Reason), fmt.Sprintf("exit %d", rec.Run.Exit), (time.Duration(rec.Run.WallMicros) * time.Microsecond).Round(100*time.Microsecond).String())
		}
	default:
		words = append(words, safe(string(rec.Event)), safe(rec.Note))
	}
	words = append(words, safe(rec.Caller.Client), safe(rec.Caller.User))
	var kept []string
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, "  ")
}

// shortID is the end of an id: the part that differs between neighbours.
func shortID(id string) string {
	const length = 12
	return safe(id[max(0, len(id)-length):])
}

func effectWord(r *renderer, v *audit.Verdict) string {
	if v == nil {
		return "?"
	}
	style := red
	switch v.Effect {
	case "allow":
		style = green
	case "ask":
		style = yellow
	}
	return r.paint(style, safe(v.Effect))
}

// stopping lists the rules that denied or asked, else the reason of a denial.
func stopping(v *audit.Verdict) []string {
	if v == nil || v.Effect == "allow" {
		return nil
	}
	var list []string
	for _, f := range v.Findings {
		if f.Action == "deny" || f.Action == "ask" {
			list = append(list, safe(f.Rule))
		}
	}
	if len(list) == 0 {
		list = append(list, safe(v.Reason))
	}
	return list
}

// writeRecords shows the records of one request in full.
func (a *app) writeRecords(format string, entries []audit.Entry) error {
	if format == "json" {
		list := make([]audit.Record, len(entries))
		for i, e := range entries {
			list[i] = e.Record
		}
		return writeJSON(a.stdout, list)
	}
	r := a.renderer(a.stdout)
	for i, e := range entries {
		if i > 0 {
			r.printf("\n")
		}
		r.record(e)
	}
	return r.err
}

// record shows everything that one record says, a line for each thing.
func (r *renderer) record(e audit.Entry) {
	r.printf("%s %s\n", r.paint(bold, string(e.Event)), safe(e.ID))
	line := func(name, format string, args ...any) {
		if text := strings.TrimSpace(fmt.Sprintf(format, args...)); text != "" {
			r.printf("  %-9s %s\n", name, safe(text))
		}
	}
	line("time", "%s", e.Time.UTC().Format(time.RFC3339Nano))
	line("place", "%s:%d, record %d, hash %.16s", e.Segment, e.Line, e.Seq, e.Hash)
	c := e.Caller
	line("caller", "%s %s %s %s", c.Client, c.Tool, c.User, c.Host)
	line("runs in", "%s", c.Environment)
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
		line("run", "%s, exit %d, %s wall, %s CPU, %d bytes of memory", x.Reason, x.Exit,
			time.Duration(x.WallMicros)*time.Microsecond, time.Duration(x.CPUMicros)*time.Microsecond, x.PeakMemory)
		line("sandbox", "%s %s, %s %s", x.Backend, x.BackendVersion, x.Interpreter, x.InterpreterVersion)
		line("violated", "%s", strings.Join(x.Violations, ", "))
		line("error", "%s", x.Error)
	}
	line("note", "%s", e.Note)
	line("masked", "%s", strings.Join(e.Masked, ", "))
	if e.Source != nil && e.Source.Code != "" {
		r.printf("  code\n")
		for l := range strings.Lines(e.Source.Code) {
			r.printf("    | %s\n", safe(strings.TrimRight(l, "\r\n")))
		}
	}
}

func (a *app) writeStats(format string, s audit.Stats) error {
	if format == "json" {
		return writeJSON(a.stdout, s)
	}
	p := printer{w: a.stdout}
	p.printf("%s, %s", count(s.Records, "record"), count(s.Decisions, "decision"))
	if s.Records > 0 {
		p.printf(", %s to %s", s.From.UTC().Format(time.RFC3339), s.To.UTC().Format(time.RFC3339))
	}
	p.printf("\n")
	for _, part := range []struct {
		name   string
		counts []audit.Count
	}{{"effect", s.Effects}, {"denied because", s.Reasons}, {"rule", s.Rules}, {"client", s.Clients}, {"language", s.Languages}, {"answer", s.Answers}, {"run", s.Runs}} {
		for _, c := range part.counts {
			p.printf("  %-15s %7d  %s\n", part.name, c.Count, safe(c.Name))
		}
	}
	if s.Unended > 0 {
		p.printf("%d allowed without the end of a run: only checked, still running, or killed\n", s.Unended)
	}
	if s.Decisions > 0 {
		p.printf("judging: p50 %d µs, p95 %d µs, p99 %d µs, max %d µs\n", s.JudgeUS.P50, s.JudgeUS.P95, s.JudgeUS.P99, s.JudgeUS.Max)
	}
	if len(s.Runs) > 0 {
		p.printf("running: p50 %d µs, p95 %d µs, p99 %d µs, max %d µs\n", s.RunUS.P50, s.RunUS.P95, s.RunUS.P99, s.RunUS.Max)
	}
	if s.Unread > 0 {
		p.printf("%s could not be read: sallyport audit verify says more\n", count(s.Unread, "line"))
	}
	return p.err
}
