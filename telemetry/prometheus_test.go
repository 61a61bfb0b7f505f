package telemetry

import (
	"bufio"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func pemOf(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func scrape(t *testing.T, tel *Telemetry) string {
	t.Helper()
	resp, err := http.Get("http://" + tel.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s, %v: %s", resp.Status, err, b)
	}
	return string(b)
}

func TestPrometheus(t *testing.T) {
	tel, _ := start(t, Options{Version: `1"\2`, Prometheus: "127.0.0.1:0"})
	tel.Observe(denied(time.Now()))
	tel.Observe(ran(time.Now()))
	tel.ObserveQueue(Queue{Name: "runs", Waiting: 3, Running: 2})
	page := scrape(t, tel)
	for _, want := range []string{
		`sallyport_build_info{version="1\"\\2"} 1`,
		"# TYPE sallyport_denials_total counter\nsallyport_denials_total{rule=\"acme/no-pandas\"} 1\n",
		`sallyport_runs_total{backend="gvisor",language="python",reason="timeout"} 1`,
		`sallyport_sandbox_starts_total{backend="gvisor",start="warm"} 1`,
		"# TYPE sallyport_decision_duration_seconds histogram\n",
		`sallyport_decision_duration_seconds_bucket{language="python",effect="deny",le="0.001"} 0`,
		`sallyport_decision_duration_seconds_bucket{language="python",effect="deny",le="0.0025"} 1`,
		`sallyport_decision_duration_seconds_bucket{language="python",effect="deny",le="+Inf"} 1`,
		`sallyport_decision_duration_seconds_sum{language="python",effect="deny"} 0.002`,
		`sallyport_decision_duration_seconds_count{language="python",effect="deny"} 1`,
		`sallyport_queue_waiting{queue="runs"} 3`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "# TYPE sallyport_decision_duration_seconds "); n != 1 {
		t.Errorf("a metric is described %d times", n)
	}
}

func TestScrapeRefuses(t *testing.T) {
	tel, _ := start(t, Options{Prometheus: "127.0.0.1:0"})
	for _, tt := range []struct {
		name, method, path, host string
		want                     int
	}{
		{"a page whose name was made to resolve to us", "GET", "/metrics", "evil.example:9464", 403},
		{"writing", "POST", "/metrics", "", 405},
		{"anything else", "GET", "/debug/pprof/", "", 404},
	} {
		req, err := http.NewRequest(tt.method, "http://"+tel.Address()+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			req.Host = tt.host
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, resp.StatusCode, tt.want)
		}
	}
}

// A second server on the same machine goes on without its metrics.
func TestPortIsTaken(t *testing.T) {
	first, _ := start(t, Options{Prometheus: "127.0.0.1:0"})
	second, l := start(t, Options{Prometheus: first.Address()})
	second.Observe(denied(time.Now()))
	if second.Address() != "" || !strings.Contains(l.text(), "in use") {
		t.Errorf("address %q, log %q", second.Address(), l.text())
	}
}

// Whoever opens connections on this machine cannot take our descriptors: while as
// many as may be are open, the next one gets no answer.
func TestScrapersAreBounded(t *testing.T) {
	tel, _ := start(t, Options{Prometheus: "127.0.0.1:0"})
	answered := 0
	for range 3 * maxScrapers {
		c, err := net.Dial("tcp", tel.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err = io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: "+tel.Address()+"\r\n\r\n"); err == nil {
			_, err = http.ReadResponse(bufio.NewReader(c), nil)
		}
		if err == nil {
			answered++
		}
	}
	if answered == 0 || answered > 2*maxScrapers {
		t.Errorf("%d of %d connections were answered at once, want %d", answered, 3*maxScrapers, maxScrapers)
	}
}
