// Package egress lets a program that was judged reach what an operator allows,
// and nothing else. Each request is judged, put on record and only then sent;
// a program that uses a brokered secret never has it.
//
//	connection of the program → TLS ends here → normal form → rules and judge → record →
//	secrets → addresses that are allowed → host → answer without secrets → record of the end
//
// A Proxy is what all runs of one environment share; an Outlet serves one run.
// Whoever can hand a connection to an Outlet is that run: there is no token.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a Proxy. The zero value reaches nothing.
type Options struct {
	Rules   []Rule
	Secrets []Secret
	Limits  Limits

	// Roots vouch for the hosts, and for Upstream. Nil: the system's.
	Roots *x509.CertPool

	// Trust is what vouches for hosts with a rule that is opaque, in PEM: programs
	// see their certificates.
	Trust []byte

	// Upstream is a proxy through which hosts are reached that have no addresses
	// in their rule. It is http or https, with a user and a password or without, and
	// nil for none.
	Upstream *url.URL
}

// Limits bounds a run. Zero means the default; there is no "unlimited".
type Limits struct {
	Requests    int64 // in all, those refused included
	Connections int64 // at a time
	Sent        int64 // bytes of requests
	Received    int64 // bytes of answers
}

var defaultLimits = Limits{Requests: 1000, Connections: 64, Sent: 16 << 20, Received: 256 << 20}

// WithDefaults fills in what is zero.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Requests:    cmp.Or(l.Requests, defaultLimits.Requests),
		Connections: cmp.Or(l.Connections, defaultLimits.Connections),
		Sent:        cmp.Or(l.Sent, defaultLimits.Sent),
		Received:    cmp.Or(l.Received, defaultLimits.Received),
	}
}

// How long a program may take for what costs it nothing.
const (
	firstByteLimit = 10 * time.Second
	headerLimit    = 10 * time.Second
	idleLimit      = 60 * time.Second
	maxHeader      = 32 << 10
)

// What a host may take. Connections are kept for a moment only: one that the
// host closed in the meantime fails a request, which is never sent again.
const (
	hostHandshakeLimit = 10 * time.Second
	hostHeaderLimit    = 120 * time.Second
	hostIdleLimit      = 4 * time.Second
	maxHostHeader      = 64 << 10
)

// Proxy is what the runs of one environment have in common. It is safe for
// concurrent use.
type Proxy struct {
	rules   []Rule
	secrets []secret
	limits  Limits
	guard   guard
	ca      *ca
	demands []demand
	pieces  pieces
	trust   []byte      // besides, in PEM
	tls     *tls.Config // towards hosts
}

// New returns a proxy with a certificate authority of its own, whose key is in
// this process's memory alone. The error says which rule or secret is wrong.
func New(o Options) (*Proxy, error) {
	p := &Proxy{rules: o.Rules, limits: o.Limits.WithDefaults(), demands: demands(), tls: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}}
	for _, r := range o.Rules {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	if err := checkOpaque(o.Rules); err != nil {
		return nil, err
	}
	for _, s := range o.Secrets {
		kept, err := s.prepare(o.Rules)
		if err != nil {
			return nil, err
		}
		p.secrets = append(p.secrets, kept)
	}
	for i := range p.secrets {
		if p.secrets[i].Sign == nil {
			continue
		}
		if err := p.pair(&p.secrets[i]); err != nil {
			return nil, err
		}
	}
	p.guard = newGuard(o.Rules)
	var err error
	if p.guard.proxy, err = newUpstream(o.Upstream, p.tls); err != nil {
		return nil, err
	}
	if p.ca, err = newCA(); err == nil && slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Opaque }) {
		p.trust = o.Trust
	}
	return p, err
}

// CA is what programs have to trust, in PEM.
func (p *Proxy) CA() []byte { return append(slices.Clone(p.ca.pem), p.trust...) }

// Allowed says what can be reached, a line for each rule.
func (p *Proxy) Allowed() []string {
	var all []string
	for _, r := range p.rules {
		all = append(all, r.String())
	}
	return all
}

// Ports are those on which programs may ask: the rules', and those of HTTP, on
// which what is not allowed is told so.
func (p *Proxy) Ports() []int {
	all := []int{80, 443}
	for _, r := range p.rules {
		all = append(all, r.ports()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Hosts are those that can be reached, by rule: exact, or *. and a name for
// everything below it.
func (p *Proxy) Hosts() []string { return Hosts(p.rules) }

// Hosts are those of rules.
func Hosts(rules []Rule) []string {
	var all []string
	for _, r := range rules {
		if !slices.Contains(all, r.Host) {
			all = append(all, r.Host)
		}
	}
	return all
}

// Sentinels are what programs get in place of secrets, by name. They are worth
// nothing anywhere but in a request that this proxy sends.
func (p *Proxy) Sentinels() map[string]string {
	all := map[string]string{}
	for _, s := range p.secrets {
		all[s.Name] = s.sentinel
	}
	return all
}

// Run is what an outlet needs to know of the run that it serves.
type Run struct {
	// Judge decides about a request that a rule allows. Nil: the rules decide.
	Judge func(context.Context, Request) (Verdict, error)

	// Record returns once the event is durable. There is no outlet without.
	Record func(context.Context, Event) error
}

// Verdict is what a judge says. The zero value denies.
type Verdict struct {
	Allow  bool
	Reason string

	Rules  []string // that found something, for the record
	Answer string   // of a person who was asked, for the record
}

// Event is what goes on record: a request before it is sent, or refused, and
// how one that was sent has ended.
type Event struct {
	Request Request
	Status  int  // that the program is answered; 0: that is not known yet
	Ended   bool // it was sent before; the next five are about its end

	Sent, Received int64
	Took           time.Duration
	Address        string // that was dialled last
	Failure        string

	Allowed bool     // it will be sent
	Reason  string   // why it was refused, "" when it was not
	Secrets []string // names of those put in
	Verdict Verdict  // of the judge
}

// Outlet serves one run. It is safe for concurrent use.
type Outlet struct {
	proxy *Proxy
	run   Run

	ctx    context.Context
	cancel context.CancelFunc
	conns  *connections
	server *http.Server
	host   once
	pass   *httputil.ReverseProxy

	serving  sync.WaitGroup // the server's own loop
	handlers sync.WaitGroup

	requests, open, sent, received atomic.Int64
	held                           atomic.Int64 // bytes of bodies in memory

	mu      sync.Mutex // guards what follows
	closed  bool
	full    map[string]bool // limits that were put on record
	told    []Refused
	dropped int
	err     error
}

// Refused is a request that was not sent.
type Refused struct {
	Request Request
	Reason  string
}

// String says what was refused and why: "GET https://host/…: host is not allowed".
func (r Refused) String() string {
	q := r.Request
	if q.Host == "" {
		return r.Reason
	}
	text := q.authority()
	if q.Method == "" {
		return text + ": " + r.Reason
	}
	if q.Path != "/" && q.Method != http.MethodConnect {
		text += "/…" // what follows are the program's words
	} else {
		text += q.Path
	}
	return q.Method + " " + q.Scheme + "://" + text + ": " + r.Reason
}

func (q Request) authority() string {
	if q.Port == 443 || q.Port == 80 {
		return q.Host
	}
	return q.Host + ":" + strconv.Itoa(q.Port)
}

// URL is the address of a request, without its query.
func (q Request) URL() string { return q.Scheme + "://" + q.authority() + q.Path }

// maxRefused bounds what an outlet remembers of refused requests.
const maxRefused = 32

// Open begins to serve a run; its caller closes it.
func (p *Proxy) Open(run Run) (*Outlet, error) {
	if run.Record == nil {
		return nil, errors.New("egress: nothing is sent without a record")
	}
	o := &Outlet{proxy: p, run: run, conns: newConnections(), full: map[string]bool{}}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	o.host = once{o.transport(true), o.transport(false)}
	o.pass = o.reverse()
	o.server = o.front()
	o.serving.Go(func() { _ = o.server.Serve(o.conns) })
	return o, nil
}

// Close ends all connections and returns when every request that was sent has
// the record of its end. The error is that of records which could not be
// written.
func (o *Outlet) Close() error {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.cancel()
	_ = o.server.Close()
	o.serving.Wait()
	o.conns.open.Wait()
	o.handlers.Wait()
	o.host.http2.CloseIdleConnections()
	o.host.http1.CloseIdleConnections()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Refused returns the requests that were not sent, and how many more there
// were than are remembered.
func (o *Outlet) Refused() (first []Refused, more int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.told, o.dropped
}

// record puts an event on record, whatever became of who asked.
func (o *Outlet) record(e Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the record panicked")
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if err != nil && o.err == nil {
			o.err = err
		}
	}()
	if !e.Ended && !e.Allowed {
		o.remember(e)
	}
	return o.run.Record(context.WithoutCancel(o.ctx), e)
}

func (o *Outlet) remember(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.told) == maxRefused {
		o.dropped++
		return
	}
	o.told = append(o.told, Refused{e.Request, e.Reason})
}
