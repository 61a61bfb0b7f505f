package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// headLen is the length of what each connection begins with: the IPv4 address
// and the port, big-endian, that the program connected to.
const headLen = 6

// tlsRecord is the first byte of a TLS handshake. No HTTP request begins so.
const tlsRecord = 0x16

// conn is one connection of the program.
type conn struct {
	net.Conn
	outlet *Outlet
	in     io.Reader
	to     netip.AddrPort // that the program connected to
	over   bool           // there were too many already

	begun, read atomic.Int64 // requests of which something came, and those that could be read
	once        sync.Once
}

func (c *conn) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() { c.outlet.open.Add(-1) })
	return c.Conn.Close()
}

// Accept takes a connection of the program, which it closes. It does not wait.
// Connections that are a few too many are told so; many too many are closed.
func (o *Outlet) Accept(from net.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.open.Add(1)
	c := &conn{Conn: from, outlet: o, in: from, over: n > o.proxy.limits.Connections}
	if o.closed || n > 2*o.proxy.limits.Connections {
		_ = c.Close()
		return
	}
	o.conns.open.Go(func() { o.begin(c) })
}

// begin looks at the first bytes of a connection and hands it to the server.
func (o *Outlet) begin(c *conn) {
	defer context.AfterFunc(o.ctx, func() { _ = c.Close() })()
	_ = c.SetDeadline(time.Now().Add(firstByteLimit))
	var head [headLen]byte
	in := bufio.NewReader(c.Conn)
	c.in = in
	if _, err := io.ReadFull(in, head[:]); err != nil {
		_ = c.Close()
		return
	}
	c.to = netip.AddrPortFrom(netip.AddrFrom4([4]byte(head[:4])), binary.BigEndian.Uint16(head[4:]))
	first, err := in.Peek(1)
	if err != nil {
		_ = c.Close() // nothing was said
		return
	}
	var served net.Conn = c
	if first[0] == tlsRecord {
		if rule, host := o.opaque(c); rule != nil {
			o.tunnel(c, rule, host)
			return
		}
		t := tls.Server(c, o.server.TLSConfig)
		if err := t.Handshake(); err != nil {
			o.unread(c, "https", handshakeFailure(err))
			_ = c.Close()
			return
		}
		served = t
	}
	_ = c.SetDeadline(time.Time{})
	o.conns.put(served)
}

// handshakeFailure says what went wrong, in words that are not the program's.
func handshakeFailure(err error) string {
	var alert tls.AlertError
	switch {
	case errors.Is(err, errNoName):
		return "TLS without a server name"
	case errors.As(err, &alert):
		return "TLS handshake failed: " + alert.Error()
	}
	return "TLS handshake failed"
}

// unread records that a connection brought something that is no request.
func (o *Outlet) unread(c *conn, scheme, reason string) {
	q := Request{Scheme: scheme, Port: int(c.to.Port())}
	if a := c.to.Addr(); !a.IsLoopback() {
		q.Host = a.String()
	}
	o.nonsense(q, reason)
}

// nonsense records what is no request. It counts as one.
func (o *Outlet) nonsense(q Request, reason string) {
	if q.Nth = o.requests.Add(1); q.Nth <= o.proxy.limits.Requests {
		_ = o.record(Event{Request: q, Reason: reason})
	}
}

const noRequest = "what came is no HTTP request"

// watch is the server's ConnState. It sees the connections which end with
// something that the server could not read and answered by itself.
func (o *Outlet) watch(served net.Conn, state http.ConnState) {
	c, scheme, many := under(served)
	switch state {
	case http.StateActive:
		c.begun.Add(1)
	case http.StateClosed:
		begun, read := c.begun.Load(), c.read.Load()
		if begun == 0 && many || begun > 0 && (read == 0 || !many && read < begun) { // HTTP/2 begins with its preface
			o.unread(c, scheme, noRequest)
		}
		_ = c.Close()
		o.conns.open.Done()
	}
}

// under is the connection below what the server was given, and whether it
// carries many requests at a time.
func under(served net.Conn) (c *conn, scheme string, many bool) {
	if t, ok := served.(*tls.Conn); ok {
		return t.NetConn().(*conn), "https", t.ConnectionState().NegotiatedProtocol == "h2"
	}
	return served.(*conn), "http", false
}

// connections is the listener of an outlet's server.
type connections struct {
	next chan net.Conn
	done chan struct{}
	once sync.Once
	open sync.WaitGroup // those being looked at, and those that the server has
}

func newConnections() *connections {
	return &connections{next: make(chan net.Conn), done: make(chan struct{})}
}

// put hands a connection to the server, which has it until its state is closed.
func (l *connections) put(c net.Conn) {
	l.open.Add(1)
	select {
	case l.next <- c:
	case <-l.done:
		_ = c.Close()
		l.open.Done()
	}
}

// Accept implements net.Listener.
func (l *connections) Accept() (net.Conn, error) {
	select {
	case c := <-l.next:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *connections) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (*connections) Addr() net.Addr { return &net.TCPAddr{} }
