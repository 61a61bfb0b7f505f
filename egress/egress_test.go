package egress

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xtaci/smux"
	"golang.org/x/net/http2"

	"sallyport/egress/egresstest"
)

// hang is what nobody waits for but where something hangs.
const hang = 5 * time.Minute

const (
	apiHost  = "api.test.example"
	theValue = "real-value-0123456789-abcdef"
)

// hosts are real servers on loopback that play the host api.test.example.
type hosts struct {
	plain, secure int
	roots         *x509.CertPool
	hits          atomic.Int64                 // requests that arrived
	beyond        atomic.Int64                 // those for /v1/beyond among them
	last          atomic.Pointer[http.Request] // without its body
	taken
}

// taken are the connections that came in, by where they came from.
type taken struct {
	mu   sync.Mutex
	more sync.Cond
	from map[string]bool
}

func (t *taken) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.from)
}

// takes is a listener whose connections are counted.
type takes struct {
	net.Listener
	*taken
}

func (l takes) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.from[c.RemoteAddr().String()] = true
		l.more.Broadcast()
		l.mu.Unlock()
	}
	return c, err
}

// dialled is how many connections were made to the hosts, those included that
// nobody has taken yet: one of its own is taken after them.
func (h *hosts) dialled(tb testing.TB) int {
	tb.Helper()
	for _, port := range []int{h.plain, h.secure} {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		check(tb, err)
		own := c.LocalAddr().String()
		h.mu.Lock()
		for !h.from[own] {
			h.more.Wait()
		}
		delete(h.from, own)
		h.mu.Unlock()
		c.Close()
	}
	return h.count()
}

func newHosts(tb testing.TB) *hosts {
	h := &hosts{roots: x509.NewCertPool()}
	h.from, h.more.L = map[string]bool{}, &h.mu
	authority, err := newCA()
	check(tb, err)
	h.roots.AppendCertsFromPEM(authority.pem)
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Auth", r.Header.Get("Authorization"))
		check(tb, json.NewEncoder(w).Encode(map[string]any{"host": r.Host, "path": r.URL.Path, "headers": r.Header, "body": string(body), "length": r.ContentLength, "proto": r.Proto}))
	})
	mux.HandleFunc("/v1/query", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.RawQuery) })
	mux.HandleFunc("/v1/big", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		_, _ = w.Write(bytes.Repeat([]byte("abcdefgh"), n/8))
	})
	mux.HandleFunc("/v1/upload", func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err == nil)
	})
	mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		for line := range strings.Lines("data: 1\ndata: 2\n") {
			_, _ = io.WriteString(w, line)
			w.(http.Flusher).Flush()
			<-r.Context().Done() // the second one never comes
		}
	})
	mux.HandleFunc("/v1/both", func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex() // HTTP/2 knows no other way
		_, _ = io.WriteString(w, "begun\n")
		_ = c.Flush()
		_, _ = io.Copy(w, r.Body)
	})
	mux.HandleFunc("/v1/packed", func(w http.ResponseWriter, r *http.Request) { // whatever it is asked for
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, "it is "+r.Header.Get("Authorization"))
		check(tb, packed.Close())
	})
	mux.HandleFunc("/v1/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Late")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Late", r.Header.Get("Authorization"))
	})
	mux.HandleFunc("/v1/hints", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "body")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.URL.Path) })
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.hits.Add(1)
		if r.URL.Path == "/v1/beyond" {
			h.beyond.Add(1)
		}
		h.last.Store(r.Clone(context.Background()))
		mux.ServeHTTP(w, r)
	})
	for port, secure := range map[*int]bool{&h.plain: false, &h.secure: true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(tb, err)
		*port = l.Addr().(*net.TCPAddr).Port
		l = takes{l, &h.taken}
		s := &http.Server{Handler: counted, TLSConfig: &tls.Config{GetCertificate: authority.certificate}, ErrorLog: log.New(io.Discard, "", 0)}
		if secure {
			go s.ServeTLS(l, "", "")
		} else {
			go s.Serve(l)
		}
		tb.Cleanup(func() { s.Close() })
	}
	return h
}

// rig is an outlet and the sandbox's end of its connection.
type rig struct {
	*Outlet
	h     *hosts
	box   *smux.Session
	trust *x509.CertPool

	mu     sync.Mutex
	events []Event
}

// config is what a test changes of an ordinary rig.
type config struct {
	Options
	Run
}

func newRig(tb testing.TB, edit ...func(*config)) *rig {
	tb.Helper()
	h := newHosts(tb)
	r := &rig{h: h, trust: x509.NewCertPool()}
	c := config{
		Options{
			Rules: []Rule{{Name: "api", Host: apiHost, Ports: []int{h.plain, h.secure}, Methods: []string{"GET", "POST"}, Paths: []string{"/v1/*"}, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}},
			Roots: h.roots,
		},
		Run{Record: func(_ context.Context, e Event) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
			return nil
		}},
	}
	for _, e := range edit {
		e(&c)
	}
	p, err := New(c.Options)
	check(tb, err)
	r.trust.AppendCertsFromPEM(p.CA())
	r.Outlet, err = p.Open(c.Run)
	check(tb, err)
	ours, theirs := net.Pipe()
	far, err := smux.Server(ours, mux())
	check(tb, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := far.AcceptStream()
			if err != nil {
				return
			}
			r.Accept(c)
		}
	}()
	r.box, err = smux.Client(theirs, mux())
	check(tb, err)
	tb.Cleanup(func() {
		_ = r.Close()
		r.box.Close()
		far.Close()
		<-done
	})
	return r
}

// mux is how sandboxes carry the connections of programs.
func mux() *smux.Config {
	c := smux.DefaultConfig()
	c.Version, c.KeepAliveDisabled = 2, true
	return c
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func withSecret(c *config) {
	c.Secrets = append(c.Secrets, Secret{Name: "KEY", Value: theValue, Rule: "api", Basic: true})
}

// dial is a connection of the program to a port of some name.
func (r *rig) dial(tb testing.TB, port int) net.Conn {
	tb.Helper()
	return r.dialTo(tb, netip.AddrPortFrom(netip.MustParseAddr("127.53.0.1"), uint16(port)))
}

func (r *rig) dialTo(tb testing.TB, to netip.AddrPort) net.Conn {
	tb.Helper()
	c, err := r.box.OpenStream()
	check(tb, err)
	tb.Cleanup(func() { c.Close() })
	check(tb, c.SetDeadline(time.Now().Add(hang)))
	ip := to.Addr().As4()
	_, err = c.Write(binary.BigEndian.AppendUint16(ip[:], to.Port()))
	check(tb, err)
	return c
}

func (r *rig) dialTLS(tb testing.TB, name string, protocols ...string) (*tls.Conn, error) {
	c := tls.Client(r.dial(tb, r.h.secure), &tls.Config{RootCAs: r.trust, ServerName: name, NextProtos: protocols, InsecureSkipVerify: name == ""})
	return c, c.Handshake()
}

// client is an ordinary one, which knows nothing of a proxy.
func (r *rig) client(tb testing.TB) *http.Client {
	t := &http.Transport{
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			n, _ := strconv.Atoi(port)
			return r.dial(tb, n), nil
		},
		TLSClientConfig: &tls.Config{RootCAs: r.trust}, ForceAttemptHTTP2: true,
	}
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

func (r *rig) url(path string) string {
	return fmt.Sprintf("https://%s:%d%s", apiHost, r.h.secure, path)
}

// do sends a request with an ordinary client.
func (r *rig) do(tb testing.TB, method, path string, header http.Header) (int, http.Header, string) {
	tb.Helper()
	q, err := http.NewRequest(method, r.url(path), nil)
	check(tb, err)
	for name, values := range header {
		q.Header[name] = values
	}
	res, err := r.client(tb).Do(q)
	check(tb, err)
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(body)
}

// recorded returns what is on record once the outlet is closed.
func (r *rig) recorded(tb testing.TB) []Event {
	tb.Helper()
	check(tb, r.Close())
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

var statusLine = regexp.MustCompile(`HTTP/1\.[01] (\d{3})`)

// exchange sends bytes and returns the codes that come back.
func exchangeRaw(c net.Conn, text string) string {
	go func() { _, _ = io.WriteString(c, text) }()
	all, _ := io.ReadAll(c)
	var codes []string
	for _, m := range statusLine.FindAllSubmatch(all, -1) {
		codes = append(codes, string(m[1]))
	}
	if len(codes) == 0 {
		return "closed"
	}
	return strings.Join(codes, ",")
}

func TestOrdinaryRequests(t *testing.T) {
	r := newRig(t)
	client := r.client(t)
	for range 3 {
		res, err := client.Get(r.url("/v1/x?a=1"))
		check(t, err)
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 200 || string(body) != "hello /v1/x" || res.ProtoMajor != 2 {
			t.Errorf("%s %d %q", res.Proto, res.StatusCode, body)
		}
	}
	if status, _, body := r.do(t, "GET", "/admin", nil); status != 403 || !strings.Contains(body, "path is not allowed") || !strings.Contains(body, apiHost) {
		t.Errorf("%d %s", status, body)
	}
	if got := exchangeRaw(r.dial(t, r.h.plain), "POST /v1/echo HTTP/1.1\r\nHost: "+apiHost+"\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"); got != "200" {
		t.Error(got)
	}
	var ended, allowed int
	for _, e := range r.recorded(t) {
		if e.Ended {
			ended++
			if e.Status != 200 || e.Took <= 0 || e.Address == "" || e.Received == 0 {
				t.Errorf("%+v", e)
			}
		} else if e.Allowed {
			allowed++
		} else if e.Request.Path != "/admin" || e.Reason != "path is not allowed" {
			t.Errorf("%+v", e)
		}
	}
	if allowed != 4 || ended != 4 {
		t.Errorf("%d allowed, %d ended", allowed, ended)
	}
	if refused, _ := r.Refused(); len(refused) != 1 {
		t.Errorf("%+v", refused)
	}
}

// TestQueries holds that a host is asked what was judged, also where net/http makes nothing
// of it.
func TestQueries(t *testing.T) {
	r := newRig(t)
	client := r.client(t)
	for _, query := range []string{"a=1&a=2", "data=[out:json];node(1);out;", "a=1;b=2&c=3", "share=50%", "a=%zz&b", "?"} {
		res, err := client.Get(r.url("/v1/query?" + query))
		check(t, err)
		body, err := io.ReadAll(res.Body)
		check(t, err)
		res.Body.Close()
		if string(body) != query {
			t.Errorf("%q became %q", query, body)
		}
	}
}

func TestStreams(t *testing.T) {
	r := newRig(t)
	res, err := r.client(t).Get(r.url("/v1/events"))
	check(t, err)
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "data: 1\n" {
		t.Errorf("%q, %v", line, err)
	}
	res.Body.Close()
	const size = 8 << 20
	res, err = r.client(t).Get(r.url("/v1/big?n=" + strconv.Itoa(size)))
	check(t, err)
	if n, err := io.Copy(io.Discard, res.Body); err != nil || n != size {
		t.Error(n, err)
	}
	res, err = r.client(t).Post(r.url("/v1/upload"), "", io.LimitReader(zeros{}, size))
	check(t, err)
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != strconv.Itoa(size)+" true" {
		t.Errorf("%s %v", body, err)
	}
}

// TestAnswersBegin holds that a host may begin to answer before the program has sent
// all of its request, as it does where the end of the request is seen late.
func TestAnswersBegin(t *testing.T) {
	r := newRig(t)
	c := r.dial(t, r.h.plain)
	_, err := fmt.Fprintf(c, "POST /v1/both HTTP/1.1\r\nHost: %s:%d\r\nContent-Length: 6\r\n\r\nabc", apiHost, r.h.plain)
	check(t, err)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	check(t, err)
	in := bufio.NewReader(res.Body)
	if line, err := in.ReadString('\n'); err != nil || line != "begun\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = io.WriteString(c, "def")
	check(t, err)
	if rest, err := io.ReadAll(in); err != nil || string(rest) != "abcdef" {
		t.Errorf("%q, %v", rest, err)
	}
	for _, e := range r.recorded(t) {
		if e.Failure != "" {
			t.Errorf("%+v", e)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAttacks is what a program may send over a connection of its own.
func TestAttacks(t *testing.T) {
	attacks, err := egresstest.Attacks(apiHost)
	check(t, err)
	for _, tt := range attacks {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			if wrong := held(t, newRig(t), tt); wrong != "" {
				t.Errorf("%s, want %s", wrong, tt.Want)
			}
		})
	}
}

// attacker is a connection as an attack wants it.
func (r *rig) attacker(tb testing.TB, a egresstest.Attack) net.Conn {
	if !a.TLS {
		return r.dial(tb, r.h.plain)
	}
	c := &tls.Config{RootCAs: r.trust, ServerName: cmp.Or(a.SNI, apiHost)}
	if a.SNI == "-" {
		c.ServerName, c.InsecureSkipVerify = "", true
	}
	if a.ALPN != "" {
		c.NextProtos = []string{a.ALPN}
	}
	if a.Lone {
		c.RootCAs = x509.NewCertPool()
	}
	return tls.Client(r.dial(tb, r.h.secure), c)
}

// TestTLS is what a program may do before there is a request.
func TestTLS(t *testing.T) {
	for name, tt := range map[string]struct {
		attempt func(r *rig) error
		reason  string
	}{
		"no server name": {func(r *rig) error { _, err := r.dialTLS(t, ""); return err }, "TLS without a server name"},
		"old version": {func(r *rig) error {
			return tls.Client(r.dial(t, r.h.secure), &tls.Config{RootCAs: r.trust, ServerName: apiHost, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}).Handshake()
		}, "TLS handshake failed"},
		"distrust": {func(r *rig) error {
			return tls.Client(r.dial(t, r.h.secure), &tls.Config{RootCAs: x509.NewCertPool(), ServerName: apiHost}).Handshake()
		}, "TLS handshake failed"},
		"nonsense": {func(r *rig) error {
			_, err := io.WriteString(r.dial(t, r.h.secure), "\x16\x03\x01\x00\x05abcde")
			return errors.Join(err, errors.New("no handshake"))
		}, "TLS handshake failed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if tt.attempt(r) == nil {
				t.Error("it worked")
			}
			r.await(t, func() bool { return len(r.events) > 0 })
			events := r.recorded(t)
			if len(events) != 1 || !strings.HasPrefix(events[0].Reason, tt.reason) || events[0].Request.Port != r.h.secure || r.h.dialled(t) > 0 {
				t.Errorf("%+v", events)
			}
		})
	}
}

// await waits until the records are as they have to be.
func (r *rig) await(tb testing.TB, as func() bool) {
	tb.Helper()
	deadline := time.Now().Add(hang)
	for {
		r.mu.Lock()
		done := as()
		r.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("it does not come: %+v", r.events)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestHTTP2(t *testing.T) {
	for host, want := range map[string]int{apiHost: 200, "evil.example": 421} {
		r := newRig(t)
		c, err := r.dialTLS(t, apiHost, "h2")
		check(t, err)
		over, err := (&http.Transport{
			DialTLSContext:    func(context.Context, string, string) (net.Conn, error) { return c, nil },
			ForceAttemptHTTP2: true,
		}).NewClientConn(t.Context(), "https", apiHost+":443")
		check(t, err)
		q, err := http.NewRequest("GET", "https://"+host+"/v1/x", nil)
		check(t, err)
		res, err := over.RoundTrip(q)
		check(t, err)
		if res.StatusCode != want {
			t.Errorf("%s: %d", host, res.StatusCode)
		}
	}
	r := newRig(t)
	c, err := r.dialTLS(t, apiHost, "h2")
	check(t, err)
	_, _ = io.WriteString(c, http2.ClientPreface)
	f := http2.NewFramer(c, c)
	check(t, f.WriteSettings())
	check(t, f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x82, 0x87}, EndStream: true, EndHeaders: true})) // no path
	r.await(t, func() bool { return len(r.events) > 0 })
	if e := r.recorded(t)[0]; e.Allowed || e.Reason != noRequest {
		t.Errorf("%+v", e)
	}
}

// TestLiteralAddress: who connects to an address is told that it is refused,
// and the address is on record, also where no HTTP is spoken.
func TestLiteralAddress(t *testing.T) {
	r := newRig(t)
	metadata := netip.MustParseAddrPort("169.254.169.254:80")
	if got := exchangeRaw(r.dialTo(t, metadata), "GET /latest HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n"); got != "403" {
		t.Error(got)
	}
	if got := exchangeRaw(r.dialTo(t, netip.MustParseAddrPort("10.0.0.1:22")), "SSH-2.0-x\r\n\r\n"); got != "400" {
		t.Error(got)
	}
	events := r.recorded(t)
	if len(events) != 2 || events[0].Request.Host != "169.254.169.254" || events[1].Request.Host != "10.0.0.1" || events[1].Request.Port != 22 {
		t.Errorf("%+v", events)
	}
}
