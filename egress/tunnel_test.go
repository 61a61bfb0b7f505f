package egress

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func opaque(c *config) { c.Rules[0].Opaque, c.Rules[0].Methods, c.Rules[0].Paths = true, nil, nil }

// through speaks TLS with the host itself, whose certificate it verifies.
func (r *rig) through(t *testing.T, c net.Conn, edit ...func(*tls.Config)) (*tls.Conn, error) {
	config := &tls.Config{RootCAs: r.h.roots, ServerName: apiHost}
	for _, e := range edit {
		e(config)
	}
	s := tls.Client(c, config)
	return s, s.Handshake()
}

const getX = "GET /v1/x HTTP/1.1\r\nHost: " + apiHost + "\r\nConnection: close\r\n\r\n"

// TestTunnel: TLS to a host with an opaque rule is the program's own, also where
// its first message comes byte by byte, and on record with what can be seen.
func TestTunnel(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"whole": func(c net.Conn) net.Conn { return c }, "byte by byte": func(c net.Conn) net.Conn { return bytewise{c} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var judged Request
			r := newRig(t, opaque, func(c *config) {
				c.Judge = func(_ context.Context, q Request) (Verdict, error) {
					judged = q
					return Verdict{Allow: true, Rules: []string{"log x"}}, nil
				}
			})
			c, err := r.through(t, wrap(r.dial(t, r.h.secure)))
			check(t, err)
			if got := exchangeRaw(c, getX); got != "200" {
				t.Error(got)
			}
			events := r.recorded(t)
			if len(events) != 2 {
				t.Fatalf("%+v", events)
			}
			want := Request{Rule: "api", Scheme: "tls", Method: "CONNECT", Host: apiHost, Port: r.h.secure, Length: -1, Nth: 1}
			for _, q := range []Request{judged, events[0].Request, events[1].Request} {
				if q.Headers = nil; fmt.Sprint(q) != fmt.Sprint(want) {
					t.Errorf("%+v, want %+v", q, want)
				}
			}
			if e := events[0]; !e.Allowed || e.Ended || !slices.Equal(e.Verdict.Rules, []string{"log x"}) {
				t.Errorf("%+v", e)
			}
			if e := events[1]; !e.Ended || e.Sent < 200 || e.Received < 500 || e.Address == "" || e.Failure != "" || e.Status != 0 || e.Took <= 0 {
				t.Errorf("%+v", e)
			}
		})
	}
}

type bytewise struct{ net.Conn }

func (b bytewise) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := b.Conn.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// TestTunnelRefused: what is not the TLS of an opaque rule's host is judged as
// ever, and what is refused is on record and dials nothing.
func TestTunnelRefused(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	inside := func(c *config) { c.Rules[0].Addresses = nil }
	for name, tt := range map[string]struct {
		edit    func(*config)
		try     func(*testing.T, *rig) error
		reason  string // on record; "": nothing is
		allowed bool   // it is on record before, and fails then
	}{
		"another host": {func(*config) {}, func(t *testing.T, r *rig) error {
			if c, err := r.dialTLS(t, "evil.example"); err == nil {
				return errors.New(exchangeRaw(c, strings.ReplaceAll(getX, apiHost, "evil.example")))
			}
			return nil
		}, "host is not allowed", false},
		"another host, trusted itself": {func(*config) {}, func(t *testing.T, r *rig) error {
			_, err := r.through(t, r.dial(t, r.h.secure), func(c *tls.Config) { c.ServerName = "evil.example" })
			return err
		}, "TLS handshake failed", false},
		"no name": {func(*config) {}, func(t *testing.T, r *rig) error {
			_, err := r.through(t, r.dial(t, r.h.secure), func(c *tls.Config) { c.ServerName, c.InsecureSkipVerify = "", true })
			return err
		}, "TLS without a server name", false},
		"another port": {func(*config) {}, func(t *testing.T, r *rig) error {
			_, err := r.through(t, r.dial(t, 1))
			return err
		}, "TLS handshake failed", false},
		"hidden name": {func(*config) {}, func(t *testing.T, r *rig) error {
			_, err := r.through(t, r.dial(t, r.h.secure), func(c *tls.Config) {
				c.ServerName, c.MinVersion = "evil.example", tls.VersionTLS13
				c.EncryptedClientHelloConfigList = hiding(t, apiHost)
			})
			return err
		}, "TLS hides its host", false},
		"clear text": {func(*config) {}, func(t *testing.T, r *rig) error {
			return errors.New(exchangeRaw(r.dial(t, r.h.plain), getX))
		}, "only TLS is let through", false},
		"CONNECT in clear text": {func(*config) {}, func(t *testing.T, r *rig) error {
			return errors.New(exchangeRaw(r.dial(t, r.h.plain), "CONNECT "+apiHost+":443 HTTP/1.1\r\nHost: "+apiHost+":443\r\n\r\n"))
		}, "CONNECT has no meaning here", false},
		"no TLS at all": {func(*config) {}, func(t *testing.T, r *rig) error {
			return errors.New(exchangeRaw(r.dial(t, r.h.secure), "SSH-2.0-x\r\n\r\n"))
		}, noRequest, false},
		"the policy": {func(c *config) {
			c.Judge = func(context.Context, Request) (Verdict, error) { return Verdict{Reason: "rule x"}, nil }
		}, nil, "rule x", false},
		"the policy fails": {func(c *config) {
			c.Judge = func(context.Context, Request) (Verdict, error) { return Verdict{Allow: true}, broken }
		}, nil, "the policy failed", false},
		"no record": {func(c *config) { c.Record = func(context.Context, Event) error { return broken } }, nil, "", false},
		"requests":  {func(c *config) { c.Limits.Requests = 1 }, nil, "limit of requests", false},
		"inside":    {inside, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, opaque, tt.edit)
			r.proxy.guard.lookup = answering("10.0.0.1")
			if tt.try == nil {
				tt.try = func(t *testing.T, r *rig) error {
					_, err := r.through(t, r.dial(t, r.h.secure))
					return err
				}
				if r.proxy.limits.Requests == 1 {
					r.requests.Add(1)
				}
			}
			err := tt.try(t, r)
			if err == nil || err.Error() == "200" || r.h.dialled(t) > 0 {
				t.Errorf("%v, %d dials", err, r.h.dialled(t))
			}
			_ = r.Close()
			var on []string
			for _, e := range r.events {
				on = append(on, e.Reason)
				if e.Allowed != (tt.allowed && !e.Ended) {
					t.Errorf("%+v", e)
				}
			}
			if tt.reason != "" && (len(on) != 1 || !strings.Contains(on[0], tt.reason)) || tt.reason == "" && len(on) != map[bool]int{true: 2}[tt.allowed] {
				t.Errorf("on record: %q, want %q", on, tt.reason)
			}
			if refused, _ := r.Refused(); len(refused) == 0 && name != "no record" {
				t.Error("the run is not told")
			}
		})
	}
}

// hiding is a configuration with which a client names another host than the
// one that is seen.
func hiding(t *testing.T, public string) []byte {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	check(t, err)
	sized := func(b []byte) []byte { return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...) }
	body := append([]byte{1, 0, 0x20}, sized(key.PublicKey().Bytes())...)
	body = append(body, sized([]byte{0, 1, 0, 1})...) // HKDF-SHA256, AES-128-GCM
	body = append(body, 32, byte(len(public)))
	body = append(body, public...)
	body = append(body, 0, 0)
	return sized(append([]byte{0xfe, 0x0d}, sized(body)...))
}

// TestTunnelLimits cuts what is over a limit of bytes.
func TestTunnelLimits(t *testing.T) {
	t.Parallel()
	const big = "GET /v1/big?n=4194304 HTTP/1.1\r\nHost: " + apiHost + "\r\n\r\n"
	for name, tt := range map[string]struct {
		limits Limits
		send   string
	}{
		"received": {Limits{Received: 1 << 20}, big},
		"sent":     {Limits{Sent: 64 << 10}, "POST /v1/upload HTTP/1.1\r\nHost: " + apiHost + "\r\nContent-Length: 9999999\r\n\r\n" + strings.Repeat("x", 256<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, opaque, func(c *config) { c.Limits = tt.limits })
			c, err := r.through(t, r.dial(t, r.h.secure))
			check(t, err)
			go func() { _, _ = io.WriteString(c, tt.send) }()
			if n, err := io.Copy(io.Discard, c); n > 1<<20 {
				t.Errorf("%d bytes, %v", n, err)
			}
			events := r.recorded(t)
			if len(events) != 2 || !strings.Contains(events[1].Failure, "limit") {
				t.Errorf("%+v", events)
			}
		})
	}
}

// TestTunnelEnds: a tunnel ends with the run, on record, whoever else is still
// there.
func TestTunnelEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, opaque)
	c, err := r.through(t, r.dial(t, r.h.secure))
	check(t, err)
	if events := r.recorded(t); len(events) != 2 || !events[1].Ended {
		t.Errorf("%+v", events)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("it goes on")
	}
}

func TestTunnelThroughUpstream(t *testing.T) {
	t.Parallel()
	up := newProxies(t, "", nil)
	r := newRig(t, opaque, func(c *config) {
		c.Rules[0].Addresses = nil
		c.Upstream = &url.URL{Scheme: "http", Host: up.address}
	})
	r.proxy.guard.lookup = answering("8.8.8.8")
	c, err := r.through(t, r.dial(t, r.h.secure))
	check(t, err)
	if got := exchangeRaw(c, getX); got != "200" {
		t.Error(got)
	}
	if e := r.recorded(t); len(e) != 2 || e[1].Address != up.address {
		t.Errorf("%+v", e)
	}
}

func TestOpaqueRules(t *testing.T) {
	rule := Rule{Name: "api", Host: apiHost, Opaque: true}
	if _, err := New(Options{Rules: []Rule{rule, {Name: "b", Host: apiHost, Ports: []int{8443}}, {Name: "c", Host: "*." + apiHost}}}); err != nil {
		t.Fatal(err)
	}
	for want, rules := range map[string][]Rule{
		"nobody sees methods":  {{Name: "a", Host: apiHost, Opaque: true, Methods: []string{"GET"}}},
		"nobody sees methods ": {{Name: "a", Host: apiHost, Opaque: true, Paths: []string{"/x"}}},
		"the same host":        {rule, {Name: "b", Host: apiHost}},
		"the same host, ":      {rule, {Name: "b", Host: "*.test.example"}},
		"the same host, and":   {{Name: "a", Host: "*.example", Opaque: true}, {Name: "b", Host: "*.test.example"}},
	} {
		if _, err := New(Options{Rules: rules}); err == nil || !strings.Contains(err.Error(), strings.TrimRight(want, ", ")) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := New(Options{Rules: []Rule{rule}, Secrets: []Secret{{Name: "KEY", Value: theValue, Rule: "api"}}}); err == nil || !strings.Contains(err.Error(), "opaque") {
		t.Errorf("a secret: %v", err)
	}
	p, err := New(Options{Rules: []Rule{rule}, Trust: []byte("more\n")})
	check(t, err)
	if !strings.HasSuffix(string(p.CA()), "more\n") || p.Allowed()[0] != "TLS, unseen, "+apiHost {
		t.Errorf("%s %q", p.CA(), p.Allowed())
	}
	if p, err = New(Options{Rules: []Rule{{Name: "a", Host: apiHost}}, Trust: []byte("more\n")}); err != nil || strings.Contains(string(p.CA()), "more") {
		t.Error("without an opaque rule programs trust sallyport alone", err)
	}
	q, err := Parse("CONNECT tls://" + apiHost)
	if err != nil || q.Port != 443 || q.Scheme != "tls" {
		t.Errorf("%+v %v", q, err)
	}
	if name, _ := Find([]Rule{rule}, q); name != "api" {
		t.Error("no rule")
	}
	for _, text := range []string{"CONNECT https://" + apiHost, "CONNECT tls://" + apiHost + "/x", "GET tls://" + apiHost, "CONNECT tls://10.0.0.1x"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s is a request", text)
		}
	}
}
