package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sallyport/gate"
	"sallyport/mcp"
	"sallyport/telemetry"
)

// What was asked for, refused and decided is counted, for each tenant, and nobody
// is named.
func TestMetrics(t *testing.T) {
	t.Parallel()
	all, tokens := map[string]*telemetry.Telemetry{}, map[string]string{}
	f := startWith(t, func(t *testing.T, name string, log *memoryLog) Tenant {
		tel, err := telemetry.New(telemetry.Options{Counts: true, Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = tel
		made := tenant(t, gate.Options{Log: log, Observe: tel.Observe}, mcp.Options{ObserveQueue: tel.ObserveQueue})
		made.Telemetry = tel
		return made
	}, bySome(t, tokens, "check"))
	page := func() string {
		w := httptest.NewRecorder()
		telemetry.Scrape(w, all)
		return w.Body.String()
	}
	// A replica that nobody has called is one with no calls, and not an unknown.
	for _, want := range []string{`sallyport_queue_waiting{queue="runs"} 0`, `sallyport_queue_running{queue="runs",tenant="acme"} 0`} {
		if !strings.Contains(page(), want+"\n") {
			t.Errorf("before any call there is no %s", want)
		}
	}
	f.send()
	f.send(header("Authorization", "Bearer "+tokens["acme"]))
	f.send(header("Authorization", "Bearer spt_EVIL"))
	f.send(header("Authorization", "Bearer "+f.idle))
	f.send(func(r *http.Request) { r.URL.Path = "/evil/ada" })
	f.send(func(r *http.Request) { r.Host = "evil.example" })
	wants := []string{
		`sallyport_build_info{version="test"} 1`,
		`sallyport_http_answers_total{asked="/v1/check",status="200"} 2`,
		`sallyport_http_answers_total{asked="/v1/check",status="401"} 1`,
		`sallyport_http_answers_total{asked="/v1/check",status="403"} 1`,
		`sallyport_http_answers_total{asked="",status="404"} 1`,
		`sallyport_http_answers_total{asked="",status="421"} 1`,
		`sallyport_requests_total{tool="check",language="python",effect="allow",reason="policy"} 1`,
		`sallyport_requests_total{tool="check",language="python",effect="allow",reason="policy",tenant="acme"} 1`,
		`sallyport_queue_running{queue="checks",tenant="acme"} 0`,
	}
	missing := func() (lines []string) {
		for _, want := range wants {
			if !strings.Contains(page(), want+"\n") {
				lines = append(lines, want)
			}
		}
		return lines
	}
	for began := time.Now(); len(missing()) > 0; time.Sleep(time.Millisecond) { // an answer is counted when it was given
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("not counted: %s\nin\n%s", strings.Join(missing(), "\n"), page())
		}
	}
	text := page()
	for _, name := range []string{"evil", "EVIL", "ada", "ci\"", "127.0.0.1"} {
		if strings.Contains(text, name) {
			t.Errorf("%q is in\n%s", name, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# TYPE") && strings.Count(text, line) != 1 {
			t.Errorf("said twice: %s", line)
		}
	}
}

// A page whose name was made to resolve to this machine reads nothing.
func TestMetricsOfThisMachine(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Tenants: map[string]Tenant{"": judging(t, &memoryLog{})}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		at, host string
		want     int
	}{
		{"127.0.0.1", "127.0.0.1:8444", 200}, {"127.0.0.1", "localhost:8444", 200}, {"127.0.0.1", "[::1]:8444", 200},
		{"127.0.0.1", "evil.example:8444", 403}, {"::1", "evil.example:8444", 403}, {"192.0.2.1", "prometheus.example:8444", 200},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = row.host
		if s.metrics(&net.TCPAddr{IP: net.ParseIP(row.at), Port: 8444})(w, r); w.Code != row.want {
			t.Errorf("%s asked as %s: %d, want %d", row.at, row.host, w.Code, row.want)
		}
	}
}
