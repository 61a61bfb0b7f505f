package egress

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// hello is what TLS begins with.
type hello struct {
	name      string // of the host, in the one form that is judged
	encrypted bool   // the name may be another one inside
}

// encryptedHello is the extension of TLS with which a client names a host that
// nobody on the way sees.
const encryptedHello = 0xfe0d

var errSeen = errors.New("the hello was seen")

// opaque returns the rule that lets a connection through unseen, if there is
// one, by the host that its TLS names. The connection is as it was.
func (o *Outlet) opaque(c *conn) (*Rule, hello) {
	if !slices.ContainsFunc(o.proxy.rules, func(r Rule) bool { return r.Opaque }) {
		return nil, hello{}
	}
	var seen bytes.Buffer
	var said hello
	peek := &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name, err := hostName(h.ServerName)
		if err == nil {
			said = hello{name, slices.Contains(h.Extensions, encryptedHello)}
		}
		return nil, errSeen
	}}
	_ = tls.Server(listening{c, io.TeeReader(c.in, &seen)}, peek).Handshake()
	c.in = io.MultiReader(&seen, c.in)
	rule, _ := find(o.proxy.rules, tunnelled(said.name, int(c.to.Port()), 0, 0))
	return rule, said
}

// listening is a connection to which nothing is said.
type listening struct {
	net.Conn
	in io.Reader
}

func (l listening) Read(p []byte) (int, error)  { return l.in.Read(p) }
func (l listening) Write(p []byte) (int, error) { return len(p), nil }

// tunnelled is a connection that nobody looks into, as far as it is a request.
func tunnelled(host string, port int, nth, sent int64) Request {
	return Request{Scheme: "tls", Method: http.MethodConnect, Host: host, Port: port, Headers: []string{}, Length: -1, Nth: nth, BytesSent: sent}
}

// accessDenied is the alert of TLS with which a connection is refused.
var accessDenied = []byte{0x15, 3, 1, 0, 2, 2, 49}

// tunnel takes one connection through everything that can be seen of it. Like a
// request it is judged, and on record before the host is dialled.
func (o *Outlet) tunnel(c *conn, rule *Rule, to hello) {
	defer c.Close()
	_ = c.SetDeadline(time.Time{})
	q := tunnelled(to.name, int(c.to.Port()), o.requests.Add(1), o.sent.Load())
	q.Rule = rule.Name
	x := &exchange{request: q, started: time.Now()}
	no := o.limit(c, q, 0)
	if no == nil && to.encrypted {
		no = refuse(http.StatusForbidden, "TLS hides its host")
	}
	if no == nil {
		no = o.ask(o.ctx, x)
	}
	if no != nil {
		o.refused(x, no)
		_, _ = c.Write(accessDenied)
		return
	}
	if o.record(Event{Request: q, Allowed: true, Verdict: x.verdict}) != nil {
		_, _ = c.Write(accessDenied)
		return
	}
	defer o.ended(x)
	host, err := o.proxy.guard.dial(o.ctx, q.Host, q.Port)
	if err != nil {
		x.failure.Store(failure{err})
		_, _ = c.Write(accessDenied)
		return
	}
	x.address.Store(host.RemoteAddr().String())
	o.carry(c, host, x)
}

// carry passes on what the two say until one of them has ended.
func (o *Outlet) carry(c *conn, host net.Conn, x *exchange) {
	l := o.proxy.limits
	pass := func(to io.WriteCloser, from io.ReadCloser, mine, all *atomic.Int64, limit int64) {
		defer to.Close() // who says no more hears no more
		if _, err := io.Copy(to, &counted{from, nil, mine, all, limit}); errors.Is(err, errLimit) {
			x.failure.CompareAndSwap(nil, failure{err})
		}
	}
	var sending sync.WaitGroup
	sending.Go(func() { pass(host, c, &x.sent, &o.sent, l.Sent) })
	pass(c, host, &x.received, &o.received, l.Received)
	sending.Wait()
}
