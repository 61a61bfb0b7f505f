package gate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sallyport/audit"
	"sallyport/egress"
	"sallyport/sandbox"
)

// BenchmarkRequest is the proxy's own share of a request: 1 KB over TLS, judged
// under baseline, with its two records, beside the same without a proxy, in turns.
// "recorded" has records synced to disk.
func BenchmarkRequest(b *testing.B) {
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1024)) }))
	defer host.Close()
	address := host.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	n, err := strconv.Atoi(port)
	if err != nil {
		b.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(host.Certificate())
	rule := egress.Rule{Name: "api", Host: "example.com", Ports: []int{n}, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	proxy, err := egress.New(egress.Options{Rules: []egress.Rule{rule}, Roots: roots, Limits: egress.Limits{Requests: 1 << 40, Sent: 1 << 40, Received: 1 << 40}})
	if err != nil {
		b.Fatal(err)
	}
	log, err := audit.Open(audit.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(proxy.CA())
	for _, bb := range []struct {
		name string
		log  Recorder
	}{{"judged", nil}, {"recorded", log}} {
		b.Run(bb.name, func(b *testing.B) {
			f := newFixture(b)
			opts := f.gate.opts
			if opts.Environments = map[string]Environment{"default": {Egress: proxy}}; bb.log != nil {
				opts.Log = bb.log
			}
			g, err := New(opts)
			if err != nil {
				b.Fatal(err)
			}
			f.backend.edit = func(s *sandbox.Spec) {
				direct := askingOver(roots, func() (net.Conn, error) { return net.Dial("tcp", address) })
				through := askingOver(trust, func() (net.Conn, error) { return connected(s, n) })
				defer direct.CloseIdleConnections()
				defer through.CloseIdleConnections()
				url := "https://example.com:" + port + "/v1/x"
				var waits, bare []time.Duration
				var busy time.Duration
				for b.Loop() {
					bare = append(bare, asked(b, direct, url))
					before := computed(b)
					waits = append(waits, asked(b, through, url))
					busy += computed(b) - before
				}
				slices.Sort(waits)
				slices.Sort(bare)
				us := func(all []time.Duration) float64 { return float64(all[len(all)/2].Nanoseconds()) / 1e6 }
				b.ReportMetric(us(waits), "p50-ms")
				b.ReportMetric(us(bare), "bare-p50-ms")
				b.ReportMetric(us(waits)-us(bare), "share-ms")
				b.ReportMetric(busy.Seconds()*1e3/float64(len(waits)), "cpu-ms/request")
			}
			if _, err := g.Run(context.Background(), py("print(1)\n")); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// connected is a connection of the program, over a socket as a sandbox has it.
func connected(s *sandbox.Spec, port int) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	theirs, err := l.Accept()
	if err != nil {
		return nil, err
	}
	s.Egress.Accept(theirs)
	_, err = c.Write(binary.BigEndian.AppendUint16([]byte{127, 53, 0, 1}, uint16(port)))
	return c, err
}

func askingOver(roots *x509.CertPool, dial func() (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return dial() },
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true,
	}
}

func asked(b *testing.B, way *http.Transport, url string) time.Duration {
	q, err := http.NewRequest("GET", url, nil)
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	res, err := way.RoundTrip(q)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); err != nil || n != 1024 || res.StatusCode != 200 {
		b.Fatal(fmt.Errorf("%d, %d bytes: %v", res.StatusCode, n, err))
	}
	return time.Since(began)
}

// computed is the processor time that this process took.
func computed(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
