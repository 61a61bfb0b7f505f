package egress

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// front is the server that programs meet.
func (o *Outlet) front() *http.Server {
	return &http.Server{
		Handler:        http.HandlerFunc(o.serve),
		TLSConfig:      &tls.Config{GetCertificate: o.proxy.ca.certificate, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}},
		MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit,
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 64, CountError: func(string) { o.nonsense(Request{Scheme: "https"}, noRequest) }},
		ConnState: o.watch, BaseContext: func(net.Listener) context.Context { return o.ctx },
		ConnContext: func(ctx context.Context, served net.Conn) context.Context {
			c, _, _ := under(served)
			return context.WithValue(ctx, connKey{}, c)
		},
		ErrorLog: log.New(io.Discard, "", 0), // everything that matters is on record
	}
}

type (
	connKey     struct{}
	exchangeKey struct{}
)

// exchange is one request on its way.
type exchange struct {
	request Request
	started time.Time
	verdict Verdict
	put     []substitution
	signed  *signed // nil: nothing is to be signed
	held    int64   // bytes of its body in memory
	scrub   scrubbing

	status         atomic.Int64
	sent, received atomic.Int64
	address        atomic.Value // string
	failure        atomic.Value // error
}

// shown reports whether the host is shown a secret that is worth something
// without another one.
func (x *exchange) shown() bool {
	return slices.ContainsFunc(x.put, func(p substitution) bool { return p.secret.signer == "" })
}

// serve takes one request through everything. It is the only function that
// sends one.
func (o *Outlet) serve(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		panic(http.ErrAbortHandler) // no answer
	}
	o.handlers.Add(1)
	o.mu.Unlock()
	defer o.handlers.Done()

	c := r.Context().Value(connKey{}).(*conn)
	c.read.Add(1)
	q, no := read(o.proxy.demands, r, int(c.to.Port()))
	q.Nth, q.BytesSent = o.requests.Add(1), o.sent.Load()
	x := &exchange{request: q, started: time.Now()}
	defer func() { o.held.Add(-x.held) }()
	if no == nil {
		no = o.decide(r, c, x)
	}
	if no != nil {
		o.deny(w, x, no)
		return
	}
	names := make([]string, 0, len(x.put))
	for _, p := range x.put {
		names = append(names, p.secret.Name)
	}
	if x.signed != nil {
		names = append(names, x.signed.key.Name)
	}
	if o.record(Event{Request: x.request, Allowed: true, Secrets: names, Verdict: x.verdict}) != nil {
		answer(w, refuse(http.StatusServiceUnavailable, "the request cannot be put on record"), nil)
		return
	}
	defer o.ended(x)
	o.send(w, r, x)
}

// decide says why a request is not sent, or nil, and which secrets it takes.
func (o *Outlet) decide(r *http.Request, c *conn, x *exchange) *refusal {
	if no := o.limit(c, x.request, weight(r)); no != nil {
		return no
	}
	rule, missing := find(o.proxy.rules, x.request)
	if rule == nil {
		return refuse(http.StatusForbidden, missing)
	}
	x.request.Rule = rule.Name
	if no := o.ask(r.Context(), x); no != nil {
		return no
	}
	var no *refusal
	if x.put, no = o.proxy.substitutions(r, x.request); no != nil {
		return no
	}
	return o.unsign(r, x)
}

// limit refuses what is over a limit of the run.
func (o *Outlet) limit(c *conn, q Request, weight int64) *refusal {
	l := o.proxy.limits
	for _, over := range []struct {
		limit string
		is    bool
	}{
		{"connections", c.over},
		{"requests", q.Nth > l.Requests},
		{"sent", o.sent.Add(weight) > l.Sent},
		{"received", o.received.Load() > l.Received},
	} {
		if over.is {
			return refuse(http.StatusTooManyRequests, "over the run's limit of "+over.limit)
		}
	}
	return nil
}

func (o *Outlet) ask(ctx context.Context, x *exchange) (no *refusal) {
	if o.run.Judge == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			no = refuse(http.StatusForbidden, "the policy failed")
		}
	}()
	v, err := o.run.Judge(ctx, x.request)
	x.verdict = v
	switch {
	case err != nil:
		return refuse(http.StatusForbidden, "the policy failed")
	case !v.Allow && v.Reason == "":
		return refuse(http.StatusForbidden, "policy does not allow it")
	case !v.Allow:
		return refuse(http.StatusForbidden, v.Reason)
	}
	return nil
}

// deny answers a request that is not sent, once that is on record. Of those
// over one limit the first goes on record: it stands for all that follow.
func (o *Outlet) deny(w http.ResponseWriter, x *exchange, no *refusal) {
	answer(w, o.refused(x, no), o.proxy.Allowed())
}

func (o *Outlet) refused(x *exchange, no *refusal) *refusal {
	o.mu.Lock()
	skip := no.status == http.StatusTooManyRequests && o.full[no.reason]
	if no.status == http.StatusTooManyRequests {
		o.full[no.reason] = true
	}
	o.mu.Unlock()
	if !skip && o.record(Event{Request: x.request, Status: no.status, Reason: no.reason, Verdict: x.verdict}) != nil {
		return refuse(http.StatusServiceUnavailable, "the request cannot be put on record")
	}
	return no
}

// Denial is the body of an answer that is sallyport's own.
type Denial struct {
	Denied  bool     `json:"denied"` // by whom runs the program; false: it could not be sent
	Reason  string   `json:"reason"`
	Allowed []string `json:"allowed,omitempty"` // what can be reached
	Hint    string   `json:"hint,omitempty"`
}

func answer(w http.ResponseWriter, no *refusal, allowed []string) {
	d := Denial{Denied: no.status < 500, Reason: no.reason}
	if no.status == http.StatusForbidden {
		d.Hint = "this is a decision of the operator: do not try again or another way"
		d.Allowed = allowed
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Sallyport", "refused")
	w.Header().Set("Connection", "close")
	w.WriteHeader(no.status)
	_ = json.NewEncoder(w).Encode(d)
}

// send passes a request on, and its answer back.
func (o *Outlet) send(w http.ResponseWriter, r *http.Request, x *exchange) {
	for _, p := range x.put {
		p.apply(r.Header)
		x.scrub.add(p)
	}
	r = r.WithContext(httptrace.WithClientTrace(context.WithValue(r.Context(), exchangeKey{}, x), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { x.address.Store(i.Conn.RemoteAddr().String()) },
	}))
	r.Body = &counted{r.Body, x, &x.sent, &o.sent, o.proxy.limits.Sent}
	// A host may answer before it has the whole request, or before its end was seen
	// here: net/http would take the rest of it away, and break off the answer. HTTP/2
	// knows no other way.
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		x.failure.CompareAndSwap(nil, failure{err})
	}
	o.pass.ServeHTTP(&final{w}, r)
}

// ended records how a request that was sent ended, also one that panicked: so
// net/http ends an answer in its middle.
func (o *Outlet) ended(x *exchange) {
	e := Event{Request: x.request, Ended: true, Status: int(x.status.Load()), Sent: x.sent.Load(), Received: x.received.Load(), Took: time.Since(x.started)}
	e.Address, _ = x.address.Load().(string)
	if err, ok := x.failure.Load().(error); ok {
		e.Failure = err.Error()
		if errors.Is(err, errInside) {
			o.remember(Event{Request: x.request, Reason: errInside.Error()})
		}
	}
	_ = o.record(e)
}

var errLimit = errors.New("over a limit of the run")

// counted is a body whose bytes are counted, those of the exchange and those of
// the run, up to a limit.
type counted struct {
	io.ReadCloser
	x         *exchange // that fails where it breaks off; nil: none
	mine, all *atomic.Int64
	limit     int64
}

func (b *counted) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mine.Add(int64(n))
	if b.all.Add(int64(n)) > b.limit {
		n, err = 0, errLimit
	}
	if err != nil && err != io.EOF && b.x != nil {
		b.x.failure.CompareAndSwap(nil, failure{err})
	}
	return n, err
}

// final is an answer without those before it: early hints would pass by what
// takes secrets out.
type final struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *final) WriteHeader(status int) {
	if status >= 200 {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Unwrap is for http.ResponseController.
func (w *final) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// reverse is what passes requests on.
func (o *Outlet) reverse() *httputil.ReverseProxy {
	of := func(r *http.Request) *exchange { return r.Context().Value(exchangeKey{}).(*exchange) }
	return &httputil.ReverseProxy{
		Transport:     o.host,
		BufferPool:    &o.proxy.pieces,
		FlushInterval: -1, // events come one by one
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			x := of(r.In)
			r.Out.URL.Scheme, r.Out.URL.Host = x.request.Scheme, net.JoinHostPort(x.request.Host, strconv.Itoa(x.request.Port))
			r.Out.Host = r.Out.URL.Host
			if x.request.Scheme == "https" && x.request.Port == 443 || x.request.Scheme == "http" && x.request.Port == 80 {
				r.Out.Host = x.request.Host
			}
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it was judged: net/http leaves out what it cannot read
			if repeatable(r.Out) {
				// net/http sends such a request again on another connection,
				// unless it has a body which cannot be had again: what is on
				// record once happens once.
				r.Out.Body, r.Out.GetBody = r.In.Body, nil
			}
			if len(x.put) > 0 {
				r.Out.Header.Set("Accept-Encoding", "identity") // nothing is found in what is packed
			}
			if x.signed != nil { // last, over what goes out
				x.scrub.same(x.signed.again(r.Out, o.proxy), x.signed.signature)
				x.scrub.same(x.signed.key.Value, x.signed.key.sentinel)
			}
		},
		ModifyResponse: func(res *http.Response) error { return o.clean(res, of(res.Request)) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			x := of(r)
			x.failure.Store(failure{err})
			no := refuse(http.StatusBadGateway, "the host did not answer as HTTP wants it")
			var op *net.OpError
			switch {
			case errors.Is(err, errInside):
				no = refuse(http.StatusForbidden, errInside.Error())
			case errors.Is(err, errLimit):
				no = refuse(http.StatusTooManyRequests, "over the run's limit of bytes")
			case errors.As(err, &op):
				no = refuse(http.StatusBadGateway, "the host cannot be reached")
			}
			x.status.Store(int64(no.status))
			answer(w, no, o.proxy.Allowed())
		},
	}
}

// pieces are the buffers of answers on their way. Small ones cost: each piece is
// encrypted, and handed on, by itself.
type pieces struct{ pool sync.Pool }

const pieceLen = 128 << 10

// Get implements httputil.BufferPool.
func (p *pieces) Get() []byte {
	if b, ok := p.pool.Get().(*[pieceLen]byte); ok {
		return b[:]
	}
	return make([]byte, pieceLen)
}

// Put implements httputil.BufferPool.
func (p *pieces) Put(b []byte) { p.pool.Put((*[pieceLen]byte)(b)) }

// repeatable reports whether net/http takes a request for one that does no harm
// twice.
func repeatable(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != ""
}

// failure has one type for every error, as atomic.Value wants it.
type failure struct{ error }

// Unwrap is for errors.Is.
func (f failure) Unwrap() error { return f.error }

var (
	errUpgrade = errors.New("the host changed the protocol")
	errPacked  = errors.New("the answer to a request with a secret is packed")
)

// clean takes out of an answer what must not reach the program.
func (o *Outlet) clean(res *http.Response, x *exchange) error {
	x.status.Store(int64(res.StatusCode))
	if res.StatusCode == http.StatusSwitchingProtocols {
		return errUpgrade
	}
	res.Header.Del("Alt-Svc") // leads to HTTP/3
	res.Header.Del("Strict-Transport-Security")
	res.Body = &counted{res.Body, x, &x.received, &o.received, o.proxy.limits.Received}
	if len(x.put) == 0 {
		return nil
	}
	if packed := res.Header.Get("Content-Encoding"); packed != "" && packed != "identity" && x.shown() {
		return errPacked
	}
	x.scrub.header(res.Header)
	body := x.scrub.body(res.Body)
	body.end = func() { res.Trailer = nil } // trailers would pass by
	res.Trailer = nil
	res.Body = body
	if res.Request.Method != http.MethodHead && x.shown() {
		res.Header.Del("Content-Length")
		res.ContentLength = -1
	}
	return nil
}

// once sends each request once. net/http's HTTP/2 sends one without a body again
// when the host says that it has not looked at it, HTTP/1.1 does not.
type once struct{ http2, http1 *http.Transport }

// RoundTrip implements http.RoundTripper.
func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return o.http1.RoundTrip(r)
	}
	return o.http2.RoundTrip(r)
}

// transport is what hosts meet.
func (o *Outlet) transport(http2 bool) *http.Transport {
	var speaks http.Protocols
	speaks.SetHTTP1(true)
	speaks.SetHTTP2(http2)
	return &http.Transport{
		Proxy: nil, // nothing of the environment: the operator's is the guard's
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			host, p, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			port, err := strconv.Atoi(p)
			if err != nil {
				return nil, err
			}
			return o.proxy.guard.dial(ctx, host, port)
		},
		TLSClientConfig: o.proxy.tls.Clone(), Protocols: &speaks, DisableCompression: true,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: hostIdleLimit,
		TLSHandshakeTimeout: hostHandshakeLimit, ResponseHeaderTimeout: hostHeaderLimit, MaxResponseHeaderBytes: maxHostHeader,
	}
}
