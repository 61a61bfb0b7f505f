// Package telemetrytest has an OTLP collector for tests: it listens on
// loopback, decodes what arrives by the published protocol, and keeps it.
package telemetrytest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	metricspb "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	metric "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector takes both protocols of OTLP. It is safe for concurrent use.
type Collector struct {
	URL string

	mu      sync.Mutex // guards the fields below
	raw     bytes.Buffer
	traces  []*tracepb.ExportTraceServiceRequest
	metrics []*metricspb.ExportMetricsServiceRequest
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(c.serve))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	grpc := r.Header.Get("Content-Type") == "application/grpc"
	message := body
	if grpc {
		if r.ProtoMajor != 2 || r.Header.Get("Te") != "trailers" || len(body) < 5 || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 {
			http.Error(w, "not gRPC", http.StatusBadRequest)
			return
		}
		message = body[5:]
	}
	if err := c.keep(r, body, message); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if grpc {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = w.Write([]byte{0, 0, 0, 0, 0}) // an empty answer
		w.Header().Set("Grpc-Status", "0")
	}
}

func (c *Collector) keep(r *http.Request, body, message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.WriteString(r.URL.String() + "\n")
	if err := r.Header.Write(&c.raw); err != nil {
		return err
	}
	c.raw.Write(body)
	if strings.HasSuffix(r.URL.Path, "traces") || strings.Contains(r.URL.Path, "TraceService") {
		m := &tracepb.ExportTraceServiceRequest{}
		c.traces = append(c.traces, m)
		return proto.Unmarshal(message, m)
	}
	m := &metricspb.ExportMetricsServiceRequest{}
	c.metrics = append(c.metrics, m)
	return proto.Unmarshal(message, m)
}

// Raw is every byte that arrived, headers included.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.raw.Bytes())
}

// Spans are those that arrived, in order.
func (c *Collector) Spans() []*trace.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*trace.Span
	for _, t := range c.traces {
		for _, r := range t.ResourceSpans {
			for _, s := range r.ScopeSpans {
				out = append(out, s.Spans...)
			}
		}
	}
	return out
}

// Metric is the newest state of a metric by its name, nil when none arrived.
func (c *Collector) Metric(name string) *metric.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *metric.Metric
	for _, m := range c.metrics {
		for _, r := range m.ResourceMetrics {
			for _, s := range r.ScopeMetrics {
				for _, x := range s.Metrics {
					if x.Name == name {
						found = x
					}
				}
			}
		}
	}
	return found
}

// Resource is what the newest export says of its sender.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]string{}
	for _, m := range c.metrics {
		for _, r := range m.ResourceMetrics {
			for _, a := range r.Resource.Attributes {
				out[a.Key] = a.Value.GetStringValue()
			}
		}
	}
	return out
}
