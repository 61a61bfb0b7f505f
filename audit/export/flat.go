package export

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"sallyport/audit"
)

// cefLine is one event in ArcSight's Common Event Format.
func cefLine(rec audit.Record) string {
	head := []string{"CEF:0", "sallyport", "sallyport", version(rec), cefClass(rec), summary(rec), strconv.Itoa(cefSeverity(rec))}
	for i, h := range head[1:] {
		head[i+1] = cefHeader(h)
	}
	var ext []string
	add := func(key, value string) {
		if value != "" {
			ext = append(ext, key+"="+cefValue(value))
		}
	}
	c := rec.Caller
	add("rt", strconv.FormatInt(rec.Time.UnixMilli(), 10))
	add("externalId", rec.ID)
	add("dvchost", c.Host)
	add("suser", c.User)
	add("app", c.Client)
	add("act", c.Tool)
	add("cn1Label", "sequence")
	add("cn1", strconv.FormatUint(rec.Seq, 10))
	add("cs1Label", "recordHash")
	add("cs1", rec.Hash)
	add("cs2Label", "decision")
	add("cs2", cmp.Or(rec.Decision, rec.ID))
	if s := rec.Source; s != nil {
		add("fileHash", s.SHA256)
		add("fname", s.Name)
		add("fsize", strconv.Itoa(s.Bytes))
		add("fileType", s.Language)
	}
	if v := rec.Verdict; v != nil {
		add("outcome", v.Effect)
		add("reason", v.Reason)
		add("cs3Label", "rules")
		add("cs3", strings.Join(rules(v), " "))
		add("cs4Label", "policyDigest")
		add("cs4", v.PolicyDigest)
	}
	if r := rec.Run; r != nil {
		add("outcome", r.Reason)
		add("reason", r.Error)
		add("cn2Label", "exit")
		add("cn2", strconv.Itoa(r.Exit))
	}
	if x := rec.Egress; x != nil {
		cefRequest(rec.Event, *x, add)
	}
	add("msg", summary(rec))
	return strings.Join(head, "|") + "|" + strings.Join(ext, " ")
}

func cefRequest(event audit.Event, x audit.Egress, add func(key, value string)) {
	add("request", x.URL())
	add("requestMethod", x.Method)
	add("dhost", x.Host)
	if x.Host != "" {
		add("dpt", strconv.Itoa(x.Port))
	}
	add("reason", x.Reason+x.Error)
	switch {
	case event == audit.EventEgressEnd:
		if x.Status != 0 {
			add("outcome", strconv.Itoa(x.Status))
		}
		add("out", strconv.FormatInt(x.SentBytes, 10))
		add("in", strconv.FormatInt(x.ReceivedBytes, 10))
	case x.Allowed:
		add("outcome", "sent")
	default:
		add("outcome", "refused")
	}
}

func cefClass(rec audit.Record) string {
	if rec.Verdict != nil {
		return string(rec.Event) + "." + rec.Verdict.Effect
	}
	return string(rec.Event)
}

// cefSeverity is 0 to 10.
func cefSeverity(rec audit.Record) int {
	if rec.Verdict == nil || rec.Verdict.Effect == "allow" {
		return 1
	}
	worst := 5
	for _, f := range rec.Verdict.Findings {
		worst = max(worst, 2*ocsfSeverity(f.Severity))
	}
	return worst
}

func cefHeader(s string) string {
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, "\n", " ", "\r", " ").Replace(s)
}

func cefValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `=`, `\=`, "\n", `\n`, "\r", `\r`).Replace(s)
}

func rules(v *audit.Verdict) []string {
	var list []string
	for _, f := range v.Findings {
		list = append(list, f.Rule)
	}
	return list
}

// table writes CSV.
type table struct{ w *csv.Writer }

func newTable(w io.Writer) table {
	t := table{csv.NewWriter(w)}
	t.write("seq", "time", "event", "id", "decision", "user", "host", "client", "session", "tool",
		"language", "name", "bytes", "sha256", "effect", "reason", "rules", "policy_digest",
		"run_reason", "exit", "wall_us", "answer", "note", "hash",
		"request", "refused", "status", "sent_bytes", "received_bytes")
	t.w.Flush()
	return t
}

func (t table) write(cells ...string) {
	for i, c := range cells {
		cells[i] = cell(c)
	}
	_ = t.w.Write(cells) // csv.Writer keeps the error for row
}

// cell keeps a spreadsheet from taking what a caller named something for a
// formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func (t table) row(e audit.Entry) error {
	var src audit.Source
	if e.Source != nil {
		src = *e.Source
	}
	var v audit.Verdict
	if e.Verdict != nil {
		v = *e.Verdict
	}
	runReason, exit, wall := "", "", ""
	if e.Run != nil {
		runReason, exit, wall = e.Run.Reason, strconv.Itoa(e.Run.Exit), strconv.FormatInt(e.Run.WallMicros, 10)
	}
	request := make([]string, 5)
	if x := e.Egress; x != nil {
		request = []string{strings.TrimSpace(x.Method + " " + x.URL()), x.Reason, strconv.Itoa(x.Status), strconv.FormatInt(x.SentBytes, 10), strconv.FormatInt(x.ReceivedBytes, 10)}
	}
	c := e.Caller
	t.write(append([]string{fmt.Sprint(e.Seq), e.Time.Format(time.RFC3339Nano), string(e.Event), e.ID, e.Decision,
		c.User, c.Host, c.Client, c.Session, c.Tool,
		src.Language, src.Name, strconv.Itoa(src.Bytes), src.SHA256,
		v.Effect, v.Reason, strings.Join(rules(&v), " "), v.PolicyDigest,
		runReason, exit, wall, e.Answer, e.Note, e.Hash}, request...)...)
	t.w.Flush()
	return t.w.Error()
}
