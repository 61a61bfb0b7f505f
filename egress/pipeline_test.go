package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/net/http2"
)

// TestAtRandom breaks the record and the judge by chance, many requests at a
// time: what is dialled is on record.
func TestAtRandom(t *testing.T) {
	var allowed atomic.Int64
	r := newRig(t, func(c *config) {
		c.Judge = func(context.Context, Request) (Verdict, error) {
			return Verdict{Allow: rand.IntN(2) == 0}, []error{nil, nil, errors.New("broken")}[rand.IntN(3)]
		}
		c.Record = func(_ context.Context, e Event) error {
			if rand.IntN(3) == 0 {
				return errors.New("broken")
			}
			if e.Allowed {
				allowed.Add(1)
			}
			return nil
		}
	})
	client := r.client(t)
	done := make(chan error)
	for range 8 {
		go func() {
			for range 25 {
				res, err := client.Get(r.url("/v1/x"))
				if err != nil {
					done <- err
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
			done <- nil
		}()
	}
	for range 8 {
		check(t, <-done)
	}
	_ = r.Close()
	if hits := r.h.hits.Load(); hits == 0 || hits != allowed.Load() {
		t.Errorf("%d requests arrived, %d are on record as allowed", hits, allowed.Load())
	}
}

// TestOnceEach: a host that goes away in the middle gets no request twice.
func TestOnceEach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	var arrived atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for n := 0; ; n++ {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					arrived.Add(1)
					if n == 1 {
						return // the second one on a connection is never answered
					}
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			}()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	r := newRig(t, func(c *config) { c.Rules[0].Ports = []int{port} })
	client := r.client(t)
	client.Transport.(*http.Transport).DisableKeepAlives = true
	for range 4 {
		res, err := client.Get(fmt.Sprintf("http://%s:%d/v1/x", apiHost, port))
		check(t, err)
		res.Body.Close()
	}
	allowed := int64(0)
	for _, e := range r.recorded(t) {
		if e.Allowed {
			allowed++
		}
	}
	if allowed != 4 || arrived.Load() != 4 {
		t.Errorf("%d on record, %d arrived", allowed, arrived.Load())
	}
}

func TestLimits(t *testing.T) {
	over := func(t *testing.T, r *rig, want string) {
		t.Helper()
		for range 3 {
			if status, _, body := r.do(t, "GET", "/v1/beyond", nil); status != 429 || !strings.Contains(body, want) {
				t.Errorf("%d %s", status, body)
			}
		}
		n := 0
		for _, e := range r.recorded(t) {
			if strings.Contains(e.Reason, want) {
				n++
			}
		}
		if arrived := r.h.beyond.Load(); n != 1 || arrived > 0 {
			t.Errorf("%d on record of %q, %d arrived", n, want, arrived)
		}
	}
	t.Run("requests", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Limits.Requests = 2 })
		for range 2 {
			r.do(t, "GET", "/v1/x", nil)
		}
		over(t, r, "requests")
	})
	t.Run("nonsense counts", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Limits.Requests = 2 })
		for range 5 {
			exchangeRaw(r.dial(t, 80), "nonsense\r\n\r\n")
		}
		r.await(t, func() bool { return len(r.events) == 2 }) // it counts once its connection is closed
		over(t, r, "requests")
		if len(r.events) != 3 {
			t.Errorf("%d records", len(r.events))
		}
	})
	t.Run("received", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Limits.Received = 64 << 10 })
		if res, err := r.client(t).Get(r.url("/v1/big?n=1048576")); err == nil { // else it was broken off before anything came
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if len(body) > 64<<10 {
				t.Errorf("%d bytes came through", len(body))
			}
		}
		over(t, r, "received")
	})
	t.Run("sent", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Limits.Sent = 64 << 10 })
		if res, err := r.client(t).Post(r.url("/v1/upload"), "", io.LimitReader(zeros{}, 1<<20)); err == nil && res.StatusCode == 200 {
			t.Error("it arrived")
		}
		over(t, r, "sent")
	})
	t.Run("connections", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Limits.Connections = 2 })
		for range 2 {
			c := r.dial(t, r.h.plain)
			_, err := io.WriteString(c, "GET /v1/x HTTP/1.1\r\nHost: "+apiHost+"\r\n\r\n")
			check(t, err)
			if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
				t.Fatal(err)
			}
		}
		over(t, r, "connections")
	})
}

// TestFlood has thousands of connections that say little.
func TestFlood(t *testing.T) {
	r := newRig(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 5000 {
		c, err := r.box.OpenStream()
		check(t, err)
		_, _ = c.Write([]byte{127, 53, 0, 1, 0, 80, 'G'})
	}
	runtime.ReadMemStats(&after)
	if n := r.open.Load(); n > 2*r.proxy.limits.Connections+1 {
		t.Errorf("%d connections are open", n)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("heap grew by %d MB", grown>>20)
	}
}

func TestSlowHeaders(t *testing.T) {
	r := newRig(t)
	if r.server.ReadHeaderTimeout != headerLimit || r.server.IdleTimeout != idleLimit {
		t.Errorf("%s, %s", r.server.ReadHeaderTimeout, r.server.IdleTimeout)
	}
	r.server.ReadHeaderTimeout = 50 * time.Millisecond
	c := r.dial(t, r.h.plain)
	_, err := io.WriteString(c, "GET /v1/x HTTP/1.1\r\nHost: ")
	check(t, err)
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("it was not closed: %v", err)
	}
}

// TestLyingHosts plays hosts that answer what they should not.
func TestLyingHosts(t *testing.T) {
	for name, tt := range map[string]struct{ send, want string }{
		"trailing bytes":   {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "200 ok"},
		"two lengths":      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", "502"},
		"101":              {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nevil", "502"},
		"long header":      {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", "502"},
		"header in header": {"HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: b\r\nContent-Length: 2\r\n\r\nok", "502|200 ok"},
		"other service":    {"HTTP/1.1 200 OK\r\nAlt-Svc: h3=\":443\"\r\nContent-Length: 2\r\n\r\nok", "200 ok"},
		"length, chunks":   {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "200 ok"},
		"short":            {"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", "200 cut"},
		"no HTTP":          {"220 smtp ready\r\n", "502"},
		"early hints":      {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5000) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "502|200 ok"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			check(t, err)
			defer l.Close()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = http.ReadRequest(bufio.NewReader(c))
					_, _ = io.WriteString(c, tt.send)
					_ = c.(*net.TCPConn).CloseWrite()
					_, _ = io.Copy(io.Discard, c)
					c.Close()
				}
			}()
			port := l.Addr().(*net.TCPAddr).Port
			r := newRig(t, func(c *config) { c.Rules[0].Ports = []int{port} })
			res, err := r.client(t).Get(fmt.Sprintf("http://%s:%d/v1/x", apiHost, port))
			check(t, err)
			body, err := io.ReadAll(res.Body)
			got := fmt.Sprint(res.StatusCode)
			if res.StatusCode == 200 {
				got += " " + string(body)
				if err != nil {
					got = "200 cut"
				}
			}
			if !slices.Contains(strings.Split(tt.want, "|"), got) || res.Header.Get("Alt-Svc") != "" {
				t.Errorf("%q, want %q; %v", got, tt.want, res.Header)
			}
			events := r.recorded(t)
			if last := events[len(events)-1]; !last.Ended || (last.Failure != "") != (got != "200 ok") {
				t.Errorf("%+v", last)
			} else if name == "101" && last.Failure != errUpgrade.Error() { // net/http's proxy would refuse this one, too
				t.Errorf("%+v", last)
			}
		})
	}
}

// TestInside: no name leads inside of the network, unless the operator says so.
func TestInside(t *testing.T) {
	g := newGuard([]Rule{{Name: "x", Host: "inside.example", Addresses: []netip.Addr{netip.MustParseAddr("10.1.2.3")}}})
	for answers, ok := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true, "2606:4700::1111%lo": false,
		"8.8.8.8 127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false, "fd00::1": false, "::1": false, "": false,
		"0.0.0.0": false, "100.64.0.1": false, "127.1.2.3": false, "169.254.169.254": false, "172.16.0.1": false, "192.0.0.1": false, "192.0.2.1": false,
		"192.88.99.1": false, "192.168.0.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "240.0.0.1": false,
		"255.255.255.255": false, "168.63.129.16": false, "2002:a00:1::": false, "2001:0:a00:1::": false, "2001:db8::1": false, "3fff::1": false,
		"fe80::1%lo": false, "ff02::1": false, "4000::1": false, "10.1.2.3": false,
	} {
		g.lookup = func(context.Context, string, string) (found []netip.Addr, err error) {
			for _, a := range strings.Fields(answers) {
				found = append(found, netip.MustParseAddr(a))
			}
			return found, nil
		}
		if _, err := g.addresses(t.Context(), "x.example", 443); (err == nil) != ok {
			t.Errorf("%s: %v", answers, err)
		}
	}
	if found, err := g.addresses(t.Context(), "inside.example", 443); err != nil || len(found) != 1 {
		t.Error(found, err)
	}
	if found, err := g.addresses(t.Context(), "inside.example", 444); err == nil && slices.Contains(found, netip.MustParseAddr("10.1.2.3")) && len(g.named("inside.example", 444)) > 0 {
		t.Error(found, err)
	}
	g.own = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(8, 8, 4, 4), Mask: net.CIDRMask(24, 32)}}, nil
	}
	if g.check(netip.MustParseAddr("8.8.4.4")) == nil || g.check(netip.MustParseAddr("8.8.4.5")) != nil {
		t.Error("this host's own address")
	}
}

// TestRebinding: a name that led outside when it was looked up leads nowhere
// else when it is dialled.
func TestRebinding(t *testing.T) {
	h := newHosts(t)
	g := newGuard(nil)
	answers := 0
	g.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		answers++
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	if _, err := g.dial(t.Context(), "x.example", h.plain); !errors.Is(err, errInside) || h.dialled(t) > 0 || answers != 1 {
		t.Error(err, answers)
	}
	// The last look is at the address that is dialled.
	g.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.4.4")}, nil
	}
	looks := 0
	g.own = func() ([]net.Addr, error) {
		if looks++; looks == 1 {
			return nil, nil
		}
		return []net.Addr{&net.IPNet{IP: net.IPv4(8, 8, 4, 4), Mask: net.CIDRMask(24, 32)}}, nil
	}
	if _, err := g.dial(t.Context(), "x.example", 443); !errors.Is(err, errInside) || looks != 2 {
		t.Error(err, looks)
	}
	r := newRig(t, func(c *config) { c.Rules[0].Addresses = nil })
	r.proxy.guard.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	if status, _, body := r.do(t, "GET", "/v1/x", nil); status != 403 || !strings.Contains(body, "inside of the network") {
		t.Errorf("%d %s", status, body)
	}
	if refused, _ := r.Refused(); r.h.dialled(t) > 0 || len(refused) != 1 {
		t.Errorf("%d dials, %+v", r.h.dialled(t), refused)
	}
}

// proxies is a proxy of an organisation: it makes tunnels to loopback, whatever
// the name, and keeps what it was asked for.
type proxies struct {
	address string
	answer  string // in place of a tunnel
	login   string // that it wants to be told, as user:password
	mu      sync.Mutex
	asked   []string
}

func newProxies(t *testing.T, answer string, secure *tls.Config) *proxies {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	p := &proxies{address: l.Addr().String(), answer: answer}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxies) serve(c net.Conn) {
	defer c.Close()
	q, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, q.Method+" "+q.RequestURI)
	p.mu.Unlock()
	if p.login != "" && q.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(p.login)) {
		_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 4\r\n\r\nevil")
		return
	}
	if p.answer != "" {
		_, _ = io.WriteString(c, p.answer)
		return
	}
	_, port, _ := net.SplitHostPort(q.RequestURI)
	host, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		return
	}
	defer host.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(host, c) }()
	_, _ = io.Copy(c, host)
}

// TestUpstream reaches hosts through a proxy of the operator's.
func TestUpstream(t *testing.T) {
	t.Parallel()
	far := func(g *guard) { g.lookup = answering("8.8.8.8") }
	noAddress := func(c *config) { c.Rules[0].Addresses = nil }
	for name, tt := range map[string]struct {
		answer string // of the proxy
		edit   func(*config)
		after  func(*guard)
		want   int
		asked  int
		reason string
	}{
		"through":                 {"", noAddress, far, 200, 1, ""},
		"unknown here":            {"", noAddress, func(g *guard) { g.lookup = answering() }, 200, 1, ""},
		"inside as seen here":     {"", noAddress, func(g *guard) { g.lookup = answering("8.8.8.8", "10.0.0.1") }, 403, 0, "inside of the network"},
		"this host":               {"", noAddress, func(g *guard) { g.lookup = answering("127.0.0.1") }, 403, 0, "inside of the network"},
		"with addresses":          {"", func(*config) {}, far, 200, 0, ""},
		"refused":                 {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\n\r\nevil", noAddress, far, 502, 1, "cannot be reached"},
		"refused in one line":     {"HTTP/1.1 403 Forbidden\r\n\r\n", noAddress, far, 502, 1, "cannot be reached"},
		"no HTTP":                 {"220 smtp ready\r\n", noAddress, far, 502, 1, "cannot be reached"},
		"speaks for the host":     {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", noAddress, far, 502, 1, "cannot be reached"},
		"long answer":             {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", noAddress, far, 502, 1, "cannot be reached"},
		"another host for itself": {"", func(c *config) { c.Rules[0].Addresses, c.Roots = nil, x509.NewCertPool() }, far, 502, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := newProxies(t, tt.answer, nil)
			r := newRig(t, func(c *config) {
				tt.edit(c)
				c.Upstream = &url.URL{Scheme: "http", Host: up.address}
			})
			tt.after(&r.proxy.guard)
			status, _, body := r.do(t, "GET", "/v1/x", nil)
			if status != tt.want || !strings.Contains(body, tt.reason) || strings.Contains(body, "evil") {
				t.Errorf("%d %s, want %d", status, body, tt.want)
			}
			events := r.recorded(t)
			if len(events) != 2 || !events[0].Allowed || !events[1].Ended || status == 200 && tt.asked > 0 != (events[1].Address == up.address) {
				t.Errorf("%+v", events)
			}
			up.mu.Lock()
			defer up.mu.Unlock()
			if len(up.asked) != tt.asked || tt.asked > 0 && up.asked[0] != fmt.Sprintf("CONNECT %s:%d", apiHost, r.h.secure) {
				t.Errorf("the proxy was asked for %q", up.asked)
			}
		})
	}
	t.Run("TLS", func(t *testing.T) {
		t.Parallel()
		own := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate, which is that of an address
		t.Cleanup(own.Close)
		up := newProxies(t, "", &tls.Config{Certificates: own.TLS.Certificates})
		for _, trusted := range []bool{true, false} {
			r := newRig(t, func(c *config) {
				noAddress(c)
				c.Upstream = &url.URL{Scheme: "https", Host: up.address}
				if trusted {
					c.Roots.AddCert(own.Certificate())
				}
			})
			far(&r.proxy.guard)
			if status, _, body := r.do(t, "GET", "/v1/x", nil); (status == 200) != trusted || status != 200 && status != 502 {
				t.Errorf("%v: %d %s", trusted, status, body)
			}
		}
	})
	for name, tt := range map[string]struct {
		user    *url.Userinfo
		status  int
		failure string
	}{
		"user":           {url.UserPassword(`corp\me`, "se cret:1/é"), 200, ""},
		"nobody":         {nil, 502, "it wants a user and a password"},
		"wrong password": {url.UserPassword(`corp\me`, "secret"), 502, "it refuses the user and the password"},
	} {
		t.Run("login/"+name, func(t *testing.T) {
			t.Parallel()
			up := newProxies(t, "", nil)
			up.login = `corp\me:se cret:1/é`
			r := newRig(t, func(c *config) {
				noAddress(c)
				c.Upstream = &url.URL{Scheme: "http", User: tt.user, Host: up.address}
			})
			far(&r.proxy.guard)
			status, header, body := r.do(t, "GET", "/v1/echo", nil)
			events := r.recorded(t)
			if status != tt.status || len(events) != 2 || !strings.HasSuffix(events[1].Failure, tt.failure) || (events[1].Failure == "") != (tt.failure == "") {
				t.Errorf("%d %s, %+v", status, body, events)
			}
			all := fmt.Sprintf("%+v %v %s", events, header, body)
			for _, secret := range []string{"se cret", "corp", "evil", "Proxy-Auth", base64.StdEncoding.EncodeToString([]byte(up.login))} {
				if strings.Contains(all, secret) {
					t.Errorf("%q came out: %s", secret, all)
				}
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, func(c *config) {
			noAddress(c)
			c.Upstream = &url.URL{Scheme: "http", User: url.UserPassword("me", "secret"), Host: "127.0.0.9:1"}
		})
		far(&r.proxy.guard)
		if status, _, body := r.do(t, "GET", "/v1/x", nil); status != 502 || r.h.dialled(t) > 0 {
			t.Errorf("%d %s", status, body)
		}
		if events := r.recorded(t); len(events) != 2 || events[1].Failure == "" || strings.Contains(fmt.Sprintf("%+v", events), "secret") {
			t.Errorf("%+v", events)
		}
	})
	for _, text := range []string{
		"socks5://proxy.example:1080", "http://", "//proxy.example", "http://proxy.example/path",
		"http://user@proxy.example", "http://:secret@proxy.example", "http://us%3Aer:secret@proxy.example", "http://user:secret%0d%0aX:@proxy.example",
	} {
		u, err := url.Parse(text)
		check(t, err)
		if _, err := New(Options{Upstream: u}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// answering looks names up: without an address there is none.
func answering(addresses ...string) func(context.Context, string, string) ([]netip.Addr, error) {
	return func(context.Context, string, string) (found []netip.Addr, err error) {
		for _, a := range addresses {
			found = append(found, netip.MustParseAddr(a))
		}
		if len(found) == 0 {
			err = &net.DNSError{Err: "no such host", IsNotFound: true}
		}
		return found, err
	}
}

func TestSecret(t *testing.T) {
	sentinel := func(r *rig) string { return r.proxy.Sentinels()["KEY"] }
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	r := newRig(t, withSecret)
	for name, auth := range map[string]string{"bearer": "Bearer " + sentinel(r), "basic": basic("user:" + sentinel(r))} {
		status, header, body := r.do(t, "GET", "/v1/echo", http.Header{"Authorization": {auth}})
		if status != 200 || strings.Contains(body, theValue) || strings.Contains(body, basic("user:"+theValue)) || strings.Contains(header.Get("X-Auth"), theValue) {
			t.Errorf("%s: %d %s %v", name, status, body, header)
		}
	}
	for _, path := range []string{"/v1/trailers", "/v1/hints"} {
		c, err := r.dialTLS(t, apiHost)
		check(t, err)
		_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: "+apiHost+"\r\nAuthorization: "+sentinel(r)+"\r\nTE: trailers\r\nConnection: close, te\r\n\r\n")
		check(t, err)
		all, _ := io.ReadAll(c)
		if !strings.Contains(string(all), "bod\r\n1\r\ny") || strings.Contains(string(all), theValue) {
			t.Errorf("%s: %s", path, all)
		}
	}
	// What is packed nobody could search.
	if status, _, body := r.do(t, "GET", "/v1/packed", http.Header{"Authorization": {sentinel(r)}, "Accept-Encoding": {"gzip"}}); status != 502 ||
		r.h.last.Load().Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("packed: %d %q, the host was asked for %v", status, body, r.h.last.Load().Header)
	}
	for _, e := range r.recorded(t) {
		if e.Allowed && !slices.Equal(e.Secrets, []string{"KEY"}) || strings.Contains(fmt.Sprintf("%+v", e), theValue) {
			t.Errorf("%+v", e)
		}
	}

	for name, tt := range map[string]struct {
		path   string
		header func(sentinel string) http.Header
	}{
		"another header":   {"/v1/echo", func(s string) http.Header { return http.Header{"X-Title": {s}} }},
		"another one, too": {"/v1/echo", func(s string) http.Header { return http.Header{"Authorization": {s}, "Cookie": {"a=" + s}} }},
		"range":            {"/v1/echo", func(s string) http.Header { return http.Header{"Authorization": {s}, "Range": {"bytes=0-5"}} }},
		"query":            {"/v1/echo?k=SENTINEL", func(string) http.Header { return nil }},
		"path":             {"/v1/SENTINEL", func(string) http.Header { return nil }},
	} {
		r := newRig(t, withSecret)
		status, _, body := r.do(t, "GET", strings.ReplaceAll(tt.path, "SENTINEL", sentinel(r)), tt.header(sentinel(r)))
		if status != 403 || !strings.Contains(body, "KEY") || r.h.hits.Load() > 0 {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	r = newRig(t, withSecret)
	if got := exchangeRaw(r.dial(t, r.h.plain), "GET /v1/echo HTTP/1.1\r\nHost: "+apiHost+"\r\nAuthorization: "+sentinel(r)+"\r\n\r\n"); got != "403" {
		t.Error("in clear text:", got)
	}
	// In a body it is nothing but text.
	c, err := r.client(t).Post(r.url("/v1/echo"), "", strings.NewReader(sentinel(r)))
	check(t, err)
	if body, _ := io.ReadAll(c.Body); !strings.Contains(string(body), sentinel(r)) {
		t.Errorf("%s", body)
	}
}

func TestScrubbing(t *testing.T) {
	s := &secret{Secret: Secret{Name: "KEY", Value: theValue}, sentinel: "sallyport-0"}
	var scrub scrubbing
	scrub.add(substitution{secret: s})
	std := base64.StdEncoding.EncodeToString
	for name, text := range map[string]string{
		"whole": "x" + theValue + "y", "twice": theValue + theValue, "hex": hex.EncodeToString([]byte(theValue)), "base64": std([]byte(theValue)),
		"base64 in front": std([]byte("a:" + theValue)), "base64 in the middle": std([]byte("ab:" + theValue + "\r\n")), "base64 later": std([]byte("abc:" + theValue + "zz")),
		"begins again": theValue[:10] + theValue,
	} {
		for size := 1; size <= len(text); size++ {
			body := scrub.body(io.NopCloser(&steps{text, size}))
			got, err := io.ReadAll(iotest.OneByteReader(body))
			check(t, err)
			for _, form := range scrub.pairs {
				if strings.Contains(string(got), string(form.form)) {
					t.Fatalf("%s in steps of %d: %s", name, size, got)
				}
			}
			if !strings.Contains(string(got), s.sentinel) {
				t.Fatalf("%s in steps of %d: %s", name, size, got)
			}
		}
	}
	body := scrub.body(io.NopCloser(strings.NewReader("data: no secret\n\n")))
	if n, err := body.Read(make([]byte, 100)); n != 17 || err != nil {
		t.Error("what is clean waits:", n, err)
	}
}

// steps is a stream that comes in pieces.
type steps struct {
	rest string
	size int
}

func (s *steps) Read(p []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, s.rest[:min(s.size, len(s.rest))])
	s.rest = s.rest[n:]
	return n, nil
}

func TestNew(t *testing.T) {
	rule := Rule{Name: "api", Host: apiHost}
	good := Secret{Name: "KEY", Value: theValue, Rule: "api"}
	if _, err := New(Options{Rules: []Rule{rule}, Secrets: []Secret{good}}); err != nil {
		t.Fatal(err)
	}
	for want, edit := range map[string]func(r *Rule, s *Secret){
		"has no name":         func(r *Rule, _ *Secret) { r.Name = "" },
		"is an address":       func(r *Rule, _ *Secret) { r.Host = "10.0.0.1" },
		"not a host name":     func(r *Rule, _ *Secret) { r.Host = "API.example" },
		"not a host name in":  func(r *Rule, _ *Secret) { r.Host = "*" },
		"is not a host name":  func(r *Rule, _ *Secret) { r.Host = "a..example" },
		"is not a port":       func(r *Rule, _ *Secret) { r.Ports = []int{0} },
		"is not one of":       func(r *Rule, _ *Secret) { r.Methods = []string{"get"} },
		"begin with /":        func(r *Rule, _ *Secret) { r.Paths = []string{"v1"} },
		"at its end only":     func(r *Rule, _ *Secret) { r.Paths = []string{"/*/x"} },
		"there is no rule":    func(_ *Rule, s *Secret) { s.Rule = "other" },
		"more than one host":  func(r *Rule, _ *Secret) { r.Host = "*.test.example" },
		"less than 8 bytes":   func(_ *Rule, s *Secret) { s.Value = "short" },
		"stand in a header":   func(_ *Rule, s *Secret) { s.Value = "with a line\nend" },
		"normal form":         func(r *Rule, _ *Secret) { r.Paths = []string{"/a/../b"} },
		"in lower case":       func(r *Rule, _ *Secret) { r.Host = "a.example." },
		"is an address: give": func(r *Rule, _ *Secret) { r.Host = "::1" },
	} {
		r, s := rule, good
		edit(&r, &s)
		if _, err := New(Options{Rules: []Rule{r}, Secrets: []Secret{s}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestRules(t *testing.T) {
	rules := []Rule{
		{Name: "exact", Host: "a.example", Paths: []string{"/v1/*", "/x"}},
		{Name: "below", Host: "*.b.example", Methods: []string{"POST"}, Ports: []int{80, 8443}},
	}
	for request, want := range map[string]string{
		"GET https a.example 443 /v1/": "exact", "HEAD https a.example 443 /x": "exact", "GET https a.example 443 /xy": "path is not allowed",
		"GET https a.example 443 /v1": "path is not allowed", "POST https a.example 443 /x": "method is not allowed", "GET https a.example 80 /x": "port is not allowed",
		"GET http a.example 443 /x": "port 443 is for https", "GET https b.a.example 443 /x": "host is not allowed",
		"POST http x.b.example 80 /": "below", "POST https y.x.b.example 8443 /": "below", "POST http b.example 80 /": "host is not allowed", "POST http xb.example 80 /": "host is not allowed",
	} {
		var q Request
		_, err := fmt.Sscan(request, &q.Method, &q.Scheme, &q.Host, &q.Port, &q.Path)
		check(t, err)
		r, missing := find(rules, q)
		if r != nil {
			missing = r.Name
		}
		if missing != want {
			t.Errorf("%s: %s, want %s", request, missing, want)
		}
	}
}

// TestOnceEachHTTP2 plays a host that says of each request that it can be sent
// again, which net/http does for those without a body.
func TestOnceEachHTTP2(t *testing.T) {
	t.Parallel()
	refuse := map[string]func(f *http2.Framer, stream uint32) error{
		"refused": func(f *http2.Framer, stream uint32) error {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		},
		"goes away": func(f *http2.Framer, stream uint32) error {
			return f.WriteGoAway(stream-1, http2.ErrCodeNo, nil)
		},
	}
	for name, refuse := range refuse {
		for _, method := range []string{"GET", "POST"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				authority, err := newCA()
				check(t, err)
				l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: authority.certificate, NextProtos: []string{"h2", "http/1.1"}})
				check(t, err)
				defer l.Close()
				var arrived, old atomic.Int64
				go func() {
					for {
						c, err := l.Accept()
						if err != nil {
							return
						}
						go func() {
							defer c.Close()
							in := bufio.NewReader(c)
							if c.(*tls.Conn).Handshake() != nil {
								return
							}
							if c.(*tls.Conn).ConnectionState().NegotiatedProtocol != "h2" {
								if _, err := http.ReadRequest(in); err == nil {
									old.Add(1)
								}
								return
							}
							_, _ = io.ReadFull(in, make([]byte, len(http2.ClientPreface)))
							f := http2.NewFramer(c, in)
							_ = f.WriteSettings()
							for {
								frame, err := f.ReadFrame()
								if err != nil {
									return
								}
								if frame.Header().Type == http2.FrameHeaders {
									arrived.Add(1)
									_ = refuse(f, frame.Header().StreamID)
								}
							}
						}()
					}
				}()
				port := l.Addr().(*net.TCPAddr).Port
				r := newRig(t, func(c *config) {
					c.Rules[0].Ports = []int{port}
					c.Roots = x509.NewCertPool()
					c.Roots.AppendCertsFromPEM(authority.pem)
				})
				q, err := http.NewRequest(method, fmt.Sprintf("https://%s:%d/v1/x", apiHost, port), nil)
				check(t, err)
				res, err := r.client(t).Do(q)
				check(t, err)
				res.Body.Close()
				if res.StatusCode != http.StatusBadGateway || arrived.Load()+old.Load() != 1 || method == "GET" && old.Load() > 0 {
					t.Errorf("%d, and %d requests arrived over HTTP/2, %d over HTTP/1.1", res.StatusCode, arrived.Load(), old.Load())
				}
			})
		}
	}
}
