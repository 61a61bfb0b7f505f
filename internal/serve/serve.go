// Package serve is the service for many: MCP over HTTP, and a plain API beside
// it, for whoever can be identified and may ask.
//
// Each request goes through the same steps: is it for this host and from a page
// that may call, whose is it, does it come too often, is it small enough, may
// its principal ask for that. Only then package mcp sees it. What is refused on
// the way is on record.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/approvals"
	"sallyport/internal/identity"
	"sallyport/internal/shared"
	"sallyport/mcp"
	"sallyport/telemetry"
)

// Tenant is what requests of one tenant are answered by, and of nobody else.
type Tenant struct {
	Gate *gate.Gate
	MCP  *mcp.Server

	Telemetry *telemetry.Telemetry // nil counts nothing
	Approvals *approvals.Queue     // nil: other people approve nothing
	InForce   *gate.InForce        // what it works by, on record
}

// Options is what a Service is made of.
type Options struct {
	Config  config.Serve
	Tenants map[string]Tenant // that of principals without a tenant is "", and must be there

	Shared *shared.Database // by which calls are counted; nil: this replica counts its own

	Log func(format string, args ...any) // for the operator
	Now func() time.Time                 // nil means time.Now
}

// Service answers over HTTP.
type Service struct {
	opts    Options
	cfg     config.Serve
	who     *identity.Verifier
	base    *url.URL // as clients know it
	hosts   []string
	origins []string
	proxies []netip.Addr
	ready   atomic.Bool
	cold    atomic.Int32 // tenants whose first sandboxes do not wait yet
	notify  string       // systemd's socket, "" for none
	streams streams
	callers callers
	calls   map[string]*rate.Limiter // of tenants that have a quota of them
}

const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	idleTime   = time.Minute
	maxHeaders = 32 << 10
	mcpPath    = "/mcp"
	metadata   = "/.well-known/oauth-protected-resource"
	recordTime = 10 * time.Second
	warmAgain  = 5 * time.Second // after a sandbox that did not start
)

// New returns a Service, or why there can be none.
func New(o Options) (*Service, error) {
	if _, ok := o.Tenants[""]; !ok {
		return nil, errors.New("serve: nothing for principals without a tenant")
	}
	for name, t := range o.Tenants {
		if t.Gate == nil || t.MCP == nil || t.InForce == nil {
			return nil, fmt.Errorf("serve: tenant %q: no gate, no server, or no record of what is in force", name)
		}
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := o.Config.WithDefaults()
	s := &Service{opts: o, cfg: c, streams: streams{open: map[string]int{}}, calls: map[string]*rate.Limiter{}}
	s.streams.kept = int(c.Limits.Streams) / 2 / len(o.Tenants)
	s.streams.rest = int(c.Limits.Streams) - s.streams.kept*len(o.Tenants)
	for _, p := range c.Proxies {
		a, err := netip.ParseAddr(p)
		if err != nil {
			return nil, err
		}
		s.proxies = append(s.proxies, a.Unmap())
	}
	for _, t := range o.Tenants {
		t.Approvals.Hold(s.streams.kept / 2)
	}
	s.cold.Store(int32(len(o.Tenants)))
	s.callers = callers{most: int(c.Limits.StreamsEach)}
	if o.Shared != nil {
		return s, nil
	}
	s.callers.perMinute = c.Limits.CallsPerMinute
	for name := range o.Tenants {
		if n := c.QuotaOf(name).CallsPerMinute; n > 0 {
			s.calls[name] = perMinute(n)
		}
	}
	return s, nil
}

// Serve answers on l until ctx ends: then it says that it is not ready, refuses
// connections, gives open calls their time, and cancels what is left. It returns
// when every sandbox is gone.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	if err := s.know(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	var err error
	if s.who, err = identity.New(s.cfg, s.base.JoinPath(mcpPath).String(), s.opts.Now, s.reloaded); err != nil {
		return errors.Join(err, l.Close())
	}
	calls, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	srv := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders,
		BaseContext: func(net.Listener) context.Context { return calls },
		ErrorLog:    log.New(lines{s.opts.Log}, "", 0),
	}
	l = netutil.LimitListener(l, int(s.cfg.Limits.Connections))
	var files *certFiles
	if s.cfg.TLS.Cert != "" {
		files = &certFiles{cfg: s.cfg.TLS, log: s.opts.Log, now: s.opts.Now, record: func(part, sha256 string, refused error) error { return s.reloaded("", part, sha256, refused) }}
		if srv.TLSConfig, err = files.config(); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	if err := s.started(ctx, files); err != nil {
		return errors.Join(err, l.Close())
	}
	health, err := s.health(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer health()
	ended := make(chan error, 1)
	go func() {
		if srv.TLSConfig != nil {
			ended <- srv.ServeTLS(l, "", "")
		} else {
			ended <- srv.Serve(l)
		}
	}()
	var tenants sync.WaitGroup
	for _, t := range s.opts.Tenants {
		tenants.Go(func() { s.warm(calls, t) })
	}
	s.ready.Store(true)
	s.opts.Log("serving %s at %s", s.base, l.Addr())
	s.tell("READY=1")
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = s.shutdown(srv, end)
	}
	end()
	tenants.Wait()
	for _, t := range s.opts.Tenants {
		t.MCP.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// lines has the service log what net/http says of connections.
type lines struct {
	log func(format string, args ...any)
}

// Write implements io.Writer; it is called once for each line.
func (l lines) Write(b []byte) (int, error) {
	l.log("%s", bytes.TrimRight(b, "\n"))
	return len(b), nil
}

// started puts on record of each tenant what is in force, before anything is answered.
func (s *Service) started(ctx context.Context, files *certFiles) error {
	for name, t := range s.opts.Tenants {
		parts := s.who.InForce(name)
		if name == "" && files != nil {
			maps.Copy(parts, files.sha256)
		}
		if err := t.InForce.Started(ctx, parts); err != nil {
			return fmt.Errorf("what is in force could not be recorded: %w", err)
		}
	}
	return nil
}

// reloaded puts on record that something was read again, in the log of whom it concerns.
func (s *Service) reloaded(tenant, part, sha256 string, refused error) error {
	t, ok := s.opts.Tenants[tenant]
	if !ok {
		t = s.opts.Tenants[""]
	}
	return t.InForce.Reloaded(context.Background(), part, sha256, refused)
}

// warm has a tenant's sandboxes wait; one that does not start is tried again.
func (s *Service) warm(ctx context.Context, t Tenant) {
	for t.MCP.Warm(ctx) != nil {
		select {
		case <-time.After(warmAgain):
		case <-ctx.Done():
			return
		}
	}
	s.cold.Add(-1)
}

func (s *Service) shutdown(srv *http.Server, end func()) error {
	s.ready.Store(false)
	s.tell("STOPPING=1")
	time.Sleep(time.Duration(s.cfg.Delay)) // for whoever balances load to see it
	drain, cancel := context.WithTimeout(context.Background(), time.Duration(s.cfg.Drain))
	defer cancel()
	if err := srv.Shutdown(drain); err == nil {
		return nil
	}
	end() // what is still open is cancelled, and ends soon
	last, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	if err := srv.Shutdown(last); err != nil {
		return errors.Join(err, srv.Close())
	}
	return nil
}

// know settles by what names the service is known.
func (s *Service) know(at net.Addr) (err error) {
	text := s.cfg.URL
	if text == "" {
		text = "http://" + at.String()
		if s.cfg.TLS.Cert != "" {
			text = "https://" + at.String()
		}
	}
	if s.base, err = url.Parse(strings.TrimSuffix(text, "/")); err != nil {
		return err
	}
	s.hosts = append([]string{s.base.Host}, s.cfg.Hosts...)
	s.origins = append([]string{s.base.Scheme + "://" + s.base.Host}, s.cfg.Origins...)
	if host, port, err := net.SplitHostPort(at.String()); err == nil && net.ParseIP(host).IsLoopback() {
		for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
			name = net.JoinHostPort(name, port)
			s.hosts = append(s.hosts, name)
			s.origins = append(s.origins, s.base.Scheme+"://"+name)
		}
	}
	return nil
}

// health serves who looks after the process, on an address of its own.
func (s *Service) health(ctx context.Context) (end func(), err error) {
	if s.cfg.Health == "" {
		return func() {}, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.Health)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /metrics", s.metrics(l.Addr()))
	srv := &http.Server{Handler: mux, ReadTimeout: headerTime, WriteTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := srv.Serve(netutil.LimitListener(l, 64)); !errors.Is(err, http.ErrServerClosed) {
			s.opts.Log("health: %v", err)
		}
	}()
	s.opts.Log("health at http://%s/readyz", l.Addr())
	return func() { _ = srv.Close(); <-done }, nil
}

// readyz says whether a call that comes now finds a sandbox.
func (s *Service) readyz(w http.ResponseWriter, _ *http.Request) {
	switch {
	case !s.ready.Load():
		http.Error(w, "not ready", http.StatusServiceUnavailable)
	case s.cold.Load() > 0:
		http.Error(w, "not ready: no sandbox waits yet", http.StatusServiceUnavailable)
	default:
		_, _ = io.WriteString(w, "ready\n")
	}
}

func (s *Service) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range s.routes() {
		mux.HandleFunc(pattern, h)
	}
	return s.counted(prompt(s.known(mux)))
}

// routes are all that can be asked for.
func (s *Service) routes() map[string]http.HandlerFunc {
	only := func(scope string) func([]byte) []string { return func([]byte) []string { return []string{scope} } }
	return map[string]http.HandlerFunc{
		"GET " + metadata:           s.metadata,
		"GET " + metadata + mcpPath: s.metadata,
		"GET " + openAPIPath:        s.openAPI,
		mcpPath:                     s.answer(mcp.Needs, func(t Tenant) handler { return t.MCP.HTTP }),
		"POST /v1/check":            s.answer(only(mcp.ScopeCheck), func(t Tenant) handler { return mcp.NewAPI(t.MCP).Check }),
		"POST /v1/run":              s.answer(only(mcp.ScopeRun), func(t Tenant) handler { return mcp.NewAPI(t.MCP).Run }),

		"GET " + approvalsPath:            s.answer(only(mcp.ScopeApprove), s.listApprovals),
		"GET " + approvalsPath + "/{id}":  s.answer(only(mcp.ScopeApprove), s.showApproval),
		"POST " + approvalsPath + "/{id}": s.answer(only(mcp.ScopeApprove), s.answerApproval),
	}
}

// known refuses requests for other hosts, and from pages that may not call: a
// page of somebody's can have a browser send them.
func (s *Service) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, ok := s.proxied(w, r)
		if !ok {
			return
		}
		if !slices.Contains(s.hosts, r.Host) {
			fail(w, http.StatusMisdirectedRequest, "host", "this service is not known by that name")
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !slices.Contains(s.origins, origin) {
				fail(w, http.StatusForbidden, "origin", "pages of this origin may not call")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// proxied is a request with the address of who made it, which the service's proxies
// say. Where it has proxies it answers nobody else, and elsewhere what a request
// says of its address is nothing.
func (s *Service) proxied(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if len(s.proxies) == 0 {
		return r, true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !slices.Contains(s.proxies, peer.Addr().Unmap()) {
		fail(w, http.StatusForbidden, "proxy", "this service answers its proxies only")
		return r, false
	}
	said := r.Header.Values("X-Forwarded-For")
	if len(said) != 1 {
		said = []string{""}
	}
	from, err := netip.ParseAddr(said[0])
	if err != nil || from.Zone() != "" {
		fail(w, http.StatusBadRequest, "proxy", "the proxy has to say in X-Forwarded-For which one address calls")
		return r, false
	}
	out := r.WithContext(r.Context())
	out.RemoteAddr = netip.AddrPortFrom(from, 0).String()
	return out, true
}

// metadata says where tokens for this service come from (RFC 9728).
func (s *Service) metadata(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"resource":                 s.base.JoinPath(mcpPath).String(),
		"authorization_servers":    append([]string{}, s.who.Issuers()...),
		"scopes_supported":         s.scopes(mcp.ScopeCheck, mcp.ScopeRun, mcp.ScopeSessions, mcp.ScopeApprove),
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "sallyport",
	})
}

// scopes are ours as the issuer has them, if there is one.
func (s *Service) scopes(ours ...string) []string {
	out := slices.Clone(ours)
	if len(s.cfg.Issuers) > 0 {
		for i := range out {
			out[i] = s.cfg.Issuers[0].ScopePrefix + out[i]
		}
	}
	return out
}

type handler func(w http.ResponseWriter, r *http.Request, who gate.Principal, body []byte)

// answer lets a request through to next once it is known whose it is and that
// they may ask.
func (s *Service) answer(needs func(body []byte) []string, next func(Tenant) handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.identify(w, r)
		if !ok {
			return
		}
		tenant, ok := s.opts.Tenants[who.Tenant]
		if !ok {
			s.refused(r, who, "tenant refused: there is none of this name")
			fail(w, http.StatusForbidden, "tenant", "this service has nothing for that tenant")
			return
		}
		leave, wait, ok := s.callers.enter(who, s.opts.Now())
		if !ok {
			s.turnAway(w, r, tenant, who, http.StatusTooManyRequests, wait, "too_many", "too many calls")
			return
		}
		defer leave()
		if s.opts.Shared != nil && !s.countTogether(w, r, tenant, who) {
			return
		}
		if wait := reserve(s.calls[who.Tenant], s.opts.Now()); wait > 0 {
			s.turnAway(w, r, tenant, who, http.StatusTooManyRequests, wait, "quota", "too many calls of this tenant")
			return
		}
		if !s.streams.enter(who.Tenant) {
			s.turnAway(w, r, tenant, who, http.StatusServiceUnavailable, 0, "busy", "too many calls are being served")
			return
		}
		defer s.streams.leave(who.Tenant)
		body, ok := s.body(w, r)
		if !ok {
			return
		}
		for _, scope := range needs(body) {
			if !who.May(scope) {
				s.refused(r, who, "scope refused: "+scope)
				s.challenge(w, http.StatusForbidden, "insufficient_scope", scope)
				return
			}
		}
		next(tenant)(w, r, who, body)
	}
}

// countTogether counts a call with those that other replicas have, or answers why it
// is none.
func (s *Service) countTogether(w http.ResponseWriter, r *http.Request, t Tenant, who gate.Principal) bool {
	of, wait, err := s.opts.Shared.Call(r.Context(), who.Tenant,
		shared.Calls{Of: who.ID(), PerMinute: s.cfg.Limits.CallsPerMinute}, shared.Calls{PerMinute: s.cfg.QuotaOf(who.Tenant).CallsPerMinute})
	switch {
	case err != nil:
		s.turnAway(w, r, t, who, http.StatusServiceUnavailable, mcp.AwayFor, "away", gate.ErrAway.Error())
	case wait > 0 && of == 0:
		s.turnAway(w, r, t, who, http.StatusTooManyRequests, wait, "too_many", "too many calls")
	case wait > 0:
		s.turnAway(w, r, t, who, http.StatusTooManyRequests, wait, "quota", "too many calls of this tenant")
	}
	return err == nil && wait == 0
}

// identify says whose a request is, or answers that nobody knows.
func (s *Service) identify(w http.ResponseWriter, r *http.Request) (gate.Principal, bool) {
	who, err := s.who.Verify(r.Context(), r)
	var refusal *identity.Refusal
	switch {
	case err == nil:
		return who, true
	case errors.Is(err, identity.ErrNone):
		s.challenge(w, http.StatusUnauthorized, "", mcp.ScopeCheck, mcp.ScopeRun)
	case errors.As(err, &refusal):
		s.refused(r, gate.Principal{}, "login refused: "+refusal.Why)
		s.challenge(w, http.StatusUnauthorized, "invalid_token", mcp.ScopeCheck, mcp.ScopeRun)
	default:
		s.opts.Log("%v", err)
		w.Header().Set("Retry-After", "30")
		fail(w, http.StatusServiceUnavailable, "identity", "identity cannot be verified now")
	}
	return gate.Principal{}, false
}

// challenge says what proof would do (RFC 6750, RFC 9728).
func (s *Service) challenge(w http.ResponseWriter, code int, reason string, scopes ...string) {
	scope := strings.Join(s.scopes(scopes...), " ")
	parts := []string{fmt.Sprintf("resource_metadata=%q", s.base.JoinPath(metadata, mcpPath))}
	if reason != "" {
		parts = append(parts, fmt.Sprintf("error=%q", reason))
	}
	parts = append(parts, fmt.Sprintf("scope=%q", scope))
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(parts, ", "))
	if reason == "" {
		reason = "unauthorized"
	}
	fail(w, code, reason, "this needs a token with the scope "+scope)
}

// body reads what a request brings, within limits of size and time.
func (s *Service) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if r.Method != http.MethodPost {
		return nil, true
	}
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(t), "application/json") {
		fail(w, http.StatusUnsupportedMediaType, "content_type", "send application/json")
		return nil, false
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.Limits.BodyMB<<20))
	if err == nil { // else its time is over also for what is still to come
		_ = control.SetReadDeadline(time.Time{})
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("a message has at most %d MiB", s.cfg.Limits.BodyMB))
	case err != nil:
		fail(w, http.StatusRequestTimeout, "body", "the message did not come")
	}
	return b, err == nil
}

// refused puts a refusal on record.
func (s *Service) refused(r *http.Request, who gate.Principal, why string) {
	t, ok := s.opts.Tenants[who.Tenant]
	if !ok {
		t = s.opts.Tenants[""]
	}
	s.record(t.Gate.Refused, r, who, why)
}

func (s *Service) record(append func(ctx context.Context, who gate.Principal, address, asked, why string) error, r *http.Request, who gate.Principal, why string) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if err := append(r.Context(), who, host, r.URL.Path, why); err != nil {
		s.opts.Log("a refusal could not be recorded: %v", err)
	}
}

// turnAway answers a call that is one too many, on record.
func (s *Service) turnAway(w http.ResponseWriter, r *http.Request, t Tenant, who gate.Principal, code int, wait time.Duration, reason, text string) {
	s.record(t.MCP.TurnedAway, r, who, reason+": "+text)
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	fail(w, code, reason, text)
}

// fail answers with an error as JSON.
func fail(w http.ResponseWriter, code int, reason, text string) {
	reply(w, code, mcp.Problem{Error: reason, Detail: text})
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // whoever does not read it does not know it
}
