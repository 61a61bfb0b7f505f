package egress

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/xtaci/smux"
)

// BenchmarkBig fetches 10 MB over TLS, directly and through everything, in
// turns: with a plain answer, with one that is searched for a secret, and where
// nobody looks.
func BenchmarkBig(b *testing.B) {
	const size = 10 << 20
	for name, edit := range map[string]func(*config){
		"plain": func(*config) {}, "secret": withSecret, "opaque": opaque,
	} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, edit, func(c *config) { c.Limits.Received = 1 << 40; c.Limits.Requests = 1 << 40 })
			through := r.carried(b)
			if name == "opaque" {
				through.TLSClientConfig.RootCAs = r.h.roots
			}
			direct := &http.Transport{
				DialContext:     dialer(func() (net.Conn, error) { return net.Dial("tcp", fmt.Sprint("127.0.0.1:", r.h.secure)) }),
				TLSClientConfig: &tls.Config{RootCAs: r.h.roots}, DisableCompression: true,
			}
			defer direct.CloseIdleConnections()
			took, busy := map[*http.Transport]time.Duration{}, map[*http.Transport]time.Duration{}
			buffer := make([]byte, 256<<10)
			for b.Loop() {
				for _, way := range []*http.Transport{direct, through} {
					q, err := http.NewRequest("GET", r.url(fmt.Sprint("/v1/big?n=", size)), nil)
					check(b, err)
					if s := r.proxy.Sentinels()["KEY"]; s != "" {
						q.Header.Set("Authorization", "Bearer "+s)
					}
					began, used := time.Now(), processor(b)
					res, err := way.RoundTrip(q)
					check(b, err)
					n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, res.Body, buffer)
					check(b, err)
					res.Body.Close()
					if n != size {
						b.Fatalf("%d %d bytes", res.StatusCode, n)
					}
					took[way] += time.Since(began)
					busy[way] += processor(b) - used
				}
			}
			b.ReportMetric(size*float64(b.N)/1e6/took[through].Seconds(), "MB/s")
			b.ReportMetric(size*float64(b.N)/1e6/took[direct].Seconds(), "direct-MB/s")
			b.ReportMetric(size*float64(b.N)/1e6/busy[through].Seconds(), "MB/cpu-s")
			b.ReportMetric(busy[through].Seconds()/busy[direct].Seconds(), "cpu-of-direct")
			b.ReportMetric(took[through].Seconds()/took[direct].Seconds(), "of-direct")
		})
	}
}

// carried are connections as a sandbox carries them: over one socket.
func (r *rig) carried(tb testing.TB) *http.Transport {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(tb, err)
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "pair")
		ends[i], err = net.FileConn(f)
		check(tb, err)
		f.Close()
	}
	c := mux()
	c.MaxStreamBuffer, c.MaxReceiveBuffer = 256<<10, 32<<20
	far, err := smux.Server(ends[0], c)
	check(tb, err)
	go func() {
		for {
			c, err := far.AcceptStream()
			if err != nil {
				return
			}
			r.Accept(c)
		}
	}()
	box, err := smux.Client(ends[1], c)
	check(tb, err)
	t := &http.Transport{
		DialContext: dialer(func() (net.Conn, error) {
			s, err := box.OpenStream()
			if err == nil {
				_, err = s.Write([]byte{127, 53, 0, 1, byte(r.h.secure >> 8), byte(r.h.secure)})
			}
			return s, err
		}),
		TLSClientConfig: &tls.Config{RootCAs: r.trust}, DisableCompression: true,
	}
	tb.Cleanup(func() {
		t.CloseIdleConnections()
		_ = r.Close()
		box.Close()
		far.Close()
	})
	return t
}

// processor is the time that this process has computed: beside load it says more
// than a clock.
func processor(tb testing.TB) time.Duration {
	var u syscall.Rusage
	check(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func dialer(dial func() (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return dial() }
}
