package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sallyport/audit"
)

// busyLog is a month of decisions, some of them hostile to whoever reads of
// them.
func busyLog(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	now := time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)
	l, err := audit.Open(audit.Options{Dir: dir, Now: func() time.Time { return now }, MaxAge: 1000 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hostile := "\"></code></pre><script>document.title='pwned'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>\u202e\x1b[31m"
	rules := []string{"py.process", "py.network", "py.native", "acme.pii.no-customer-table", hostile}
	for i := range 300 {
		now = now.Add(time.Duration(1+i*37%5) * 50 * time.Minute)
		v := &audit.Verdict{Effect: "allow", Reason: "policy", Packs: []string{"baseline"}, Findings: []audit.Finding{}, Micros: int64(300 + i)}
		src := &audit.Source{Name: "report.py", Language: "python", SHA256: strings.Repeat("ab", 32), Bytes: 120}
		switch {
		case i%4 == 0 || i == 299:
			rule := rules[i/4%len(rules)]
			if i == 299 {
				rule = hostile
			}
			v.Effect = "deny"
			v.Findings = []audit.Finding{{Rule: rule, Action: "deny", Severity: "high", Message: "starts another program: " + hostile, Line: 3, Column: 1}}
			src.Code = "import os\n# " + hostile + "\nos.system(\"id\" + " + strings.Repeat("'x', ", 60) + ")\nprint(1)\n"
		case i%31 == 0:
			v.Effect = "ask"
			v.Findings = []audit.Finding{{Rule: "acme.write", Action: "ask", Message: "writes to the workspace", Line: 1}}
		}
		rec, err := l.Append(t.Context(), audit.Record{Event: audit.EventDecision, Source: src, Verdict: v,
			Caller: audit.Caller{User: "ana", Client: []string{"claude-code/2.1", "gemini/1.0", "cli"}[i%3], Tool: "run_python_code", Program: "sallyport/1.2.3"}})
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect == "allow" {
			if i == 1 {
				requests(t, l, rec.ID, hostile)
			}
			reason := []string{"exited", "exited", "exited", "timeout", "memory"}[i%5]
			if _, err := l.Append(t.Context(), audit.Record{Event: audit.EventEnd, Decision: rec.ID, Run: &audit.Run{Reason: reason, WallMicros: 9000}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// requests are those of a run to hosts.
func requests(t *testing.T, l *audit.Log, decision, hostile string) {
	t.Helper()
	for i, x := range []audit.Egress{
		{Number: 1, Method: "GET", Scheme: "https", Host: "api.test.example", Port: 443, Path: "/" + hostile, Allowed: true},
		{Number: 2, Method: "POST", Scheme: "https", Host: "evil.test.example", Port: 443, Path: "/", Reason: "host is not allowed " + hostile},
		{Number: 1, Method: "GET", Scheme: "https", Host: "api.test.example", Port: 443, Allowed: true, Status: 200, SentBytes: 1_500_000, ReceivedBytes: 2_600_000},
	} {
		event := []audit.Event{audit.EventEgress, audit.EventEgress, audit.EventEgressEnd}[i]
		if _, err := l.Append(t.Context(), audit.Record{Event: event, Decision: decision, Egress: &x}); err != nil {
			t.Fatal(err)
		}
	}
}

func page(t *testing.T, dir string) string {
	t.Helper()
	verified, err := audit.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = Page(&b, audit.Select(dir, audit.Filter{}), PageOptions{Now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Verified: []audit.Report{verified}, Denials: 30})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageEscapes(t *testing.T) {
	text := page(t, busyLog(t))
	for _, bad := range []string{"<script", "<img", "http://", "https://", "\u202e", "\x1b", "src=", "url("} {
		// The hostile text may be shown, but escaped: never as it was given.
		if i := strings.Index(text, bad); i >= 0 && !strings.Contains(text[max(0, i-40):i], "&#34;&gt;") && !strings.Contains(text[max(0, i-80):i], "&lt;") {
			t.Errorf("the page contains %q: …%s…", bad, text[max(0, i-80):min(len(text), i+80)])
		}
	}
	for _, good := range []string{"The log verifies.", "py.network", "Decisions by ", "newest 30 of ", "Requests to hosts", "evil.test.example", "sent 1<", "refused 1<", "1.5 MB sent", "2.6 MB received", "host is not allowed &#34;", "&lt;script&gt;", "&lt;U&#43;202E&gt;", "&lt;U&#43;001B&gt;", "os.system(&#34;id&#34;", `class="here"`} {
		if !strings.Contains(text, good) {
			t.Errorf("the page lacks %q", good)
		}
	}
}

func TestPageOfNothing(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := Page(&b, audit.Select(dir, audit.Filter{}), PageOptions{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"No records", "not verified", "None."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPageOfADamagedLog(t *testing.T) {
	dir := busyLog(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], bytes.Replace(b, []byte(`"effect":"deny"`), []byte(`"effect":"okay"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := page(t, dir); !strings.Contains(text, "does not verify: 1 problems") {
		t.Error("the page does not say that the log was changed")
	}
}

// A real browser shows the page: in light and dark, wide and narrow, nothing
// runs over the edge, no script runs and nothing is fetched. Set
// SCREENSHOT_DIR to keep the pictures.
func TestPageInABrowser(t *testing.T) {
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(page(t, busyLog(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	b.call("Network.enable", nil)
	b.call("Page.enable", nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + file})
	b.await("Page.loadEventFired")
	background := map[string]string{}
	for _, width := range []int{1280, 375} {
		for _, mode := range []string{"light", "dark"} {
			b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": width < 500})
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": mode}}})
			if got := b.eval("document.documentElement.scrollWidth"); got != fmt.Sprint(width) {
				t.Errorf("%d wide, %s: the page is %s wide", width, mode, got)
			}
			background[mode] = b.eval("getComputedStyle(document.body).backgroundColor")
			if chart := b.eval("document.querySelector('.chart svg').getBoundingClientRect().width > innerWidth * 0.6"); chart != "true" {
				t.Errorf("%d wide: the chart is too small", width)
			}
			b.screenshot(fmt.Sprintf("report-%s-%d.png", mode, width))
		}
	}
	if background["light"] == background["dark"] {
		t.Errorf("light and dark look the same: %v", background)
	}
	if title := b.eval("document.title"); title != "sallyport audit report" {
		t.Errorf("a script ran: the title is %q", title)
	}
	if bars := b.eval("document.querySelectorAll('.chart rect').length"); bars == "0" {
		t.Error("the chart is empty")
	}
	for _, url := range b.requested {
		if url != "file://"+file {
			t.Errorf("the page fetched %s", url)
		}
	}
	if len(b.requested) == 0 {
		t.Error("no request was seen, not even for the page")
	}
}
