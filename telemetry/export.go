package telemetry

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
)

// OTLP says how a collector is reached. With an empty Endpoint nothing is
// sent. Nothing is taken from the process's environment: no proxy, no header.
type OTLP struct {
	Endpoint string            // http://host:4318 or https://…
	Protocol string            // "http/protobuf" or "grpc"; "" means the first
	Headers  map[string]string // such as a token
	CA       []byte            // PEM of who may have signed the collector's certificate; nil: the system's
	Resource map[string]string // what the operator adds to every export

	Timeout  time.Duration // of one export; 0 means 10 s
	Interval time.Duration // between exports of metrics; 0 means 60 s
}

const (
	batchSize  = 512             // requests in one export
	batchDelay = 5 * time.Second // for a batch to fill
	maxAnswer  = 64 << 10        // of a collector, which is read only to find an error
)

// paths of the two signals, by protocol.
const (
	httpTraces  = "/v1/traces"
	httpMetrics = "/v1/metrics"
	grpcTraces  = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	grpcMetrics = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
)

// sender sends messages to one collector.
type sender struct {
	opts   OTLP
	base   string
	grpc   bool
	client *http.Client
}

func newSender(o OTLP) (*sender, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the URL of a collector, such as http://127.0.0.1:4318", o.Endpoint)
	}
	s := &sender{opts: o, base: strings.TrimSuffix(u.String(), "/"), grpc: o.Protocol == "grpc"}
	if o.Protocol != "" && o.Protocol != "grpc" && o.Protocol != "http/protobuf" {
		return nil, fmt.Errorf("%q is not one of http/protobuf, grpc", o.Protocol)
	}
	if s.opts.Timeout <= 0 {
		s.opts.Timeout = 10 * time.Second
	}
	if s.opts.Interval <= 0 {
		s.opts.Interval = time.Minute
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: s.opts.Timeout,
		MaxIdleConns:        2,
		IdleConnTimeout:     2 * s.opts.Interval,
	}
	if s.grpc { // gRPC is HTTP/2 from the first byte, also without TLS
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	if o.CA != nil {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("the collector's CA holds no certificate in PEM")
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	s.client = &http.Client{
		Transport: transport,
		// Headers hold secrets, which belong to the collector that was named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// send delivers one message and waits for the collector's word for it.
func (s *sender) send(ctx context.Context, httpPath, grpcPath string, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	path, kind := httpPath, "application/x-protobuf"
	if s.grpc {
		path, kind = grpcPath, "application/grpc"
		body = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for k, v := range s.opts.Headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "sallyport")
	if s.grpc {
		req.Header.Set("TE", "trailers")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the collector answered %s", resp.Status)
	}
	if s.grpc {
		return grpcStatus(resp)
	}
	return nil
}

// grpcStatus reads how a call ended: in the trailer, or, when there is no
// answer, in the header.
func grpcStatus(resp *http.Response) error {
	h := resp.Trailer
	if h.Get("Grpc-Status") == "" {
		h = resp.Header
	}
	if status := h.Get("Grpc-Status"); status != "0" {
		return fmt.Errorf("the collector answered gRPC status %q", status)
	}
	return nil
}

// export sends traces when a batch is full or old and metrics now and then,
// until it is told to stop; then it sends the rest. What is under way then, and
// the rest, have the time that the closer gives, and no more.
func (t *Telemetry) export() {
	defer t.sender.client.CloseIdleConnections()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last := make(chan context.Context, 1)
	t.done.Go(func() {
		c := <-t.stop
		last <- c
		select {
		case <-c.Done():
			cancel()
		case <-ctx.Done():
		}
	})
	metrics, traces := time.NewTicker(t.sender.opts.Interval), time.NewTicker(batchDelay)
	defer metrics.Stop()
	defer traces.Stop()
	e := &exporter{Telemetry: t}
	for {
		select {
		case r := <-t.queue:
			if e.batch = append(e.batch, r); len(e.batch) >= batchSize {
				e.sendTraces(ctx)
			}
		case <-traces.C:
			e.sendTraces(ctx)
		case <-metrics.C:
			e.sendMetrics(ctx)
		case c := <-last:
			e.finish(c)
			return
		}
	}
}

// exporter is what the exporting goroutine alone works with.
type exporter struct {
	*Telemetry
	batch   []Request
	trouble bool // the last export failed, and that was said
}

// finish sends what is there, within the time that the closer gives.
func (e *exporter) finish(ctx context.Context) {
	for {
		select {
		case r := <-e.queue:
			e.batch = append(e.batch, r)
			continue
		default:
		}
		break
	}
	e.sendTraces(ctx)
	e.sendMetrics(ctx)
}

func (e *exporter) sendTraces(ctx context.Context) {
	if len(e.batch) == 0 {
		return
	}
	err := e.sender.send(ctx, httpTraces, grpcTraces, e.who.traces(e.batch))
	if err != nil {
		e.metrics.add(dropped, float64(len(e.batch)), label{"signal", "traces"})
	}
	e.say(ctx, err)
	e.batch = nil
}

func (e *exporter) sendMetrics(ctx context.Context) {
	all := e.metrics.snapshot()
	if len(all) == 0 {
		return
	}
	err := e.sender.send(ctx, httpMetrics, grpcMetrics, e.who.metrics(all, time.Now()))
	if err != nil {
		e.metrics.add(dropped, 1, label{"signal", "metrics"})
	}
	e.say(ctx, err)
}

// say logs trouble when it begins and when it is over, and not in between.
func (e *exporter) say(ctx context.Context, err error) {
	switch {
	case err != nil && ctx.Err() == nil && !e.trouble:
		e.trouble = true
		e.log("telemetry is being lost: %v", err)
	case err == nil && e.trouble:
		e.trouble = false
		e.log("the telemetry collector takes exports again")
	}
}
