package serve

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/identity"
	"sallyport/mcp"
	"sallyport/policies"
	"sallyport/policy"
)

// memoryLog keeps records in their order.
type memoryLog struct {
	now func() time.Time // of the gate that it is of; nil is time.Now

	mu      sync.Mutex
	records []audit.Record
}

func (l *memoryLog) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.ID = fmt.Sprint(len(l.records) + 1)
	l.records = append(l.records, r)
	return r, nil
}

// all are those of requests; inForce those of what the service works by.
func (l *memoryLog) all() []audit.Record { return l.of(false) }

func (l *memoryLog) inForce() []audit.Record { return l.of(true) }

func (l *memoryLog) of(config bool) (out []audit.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if (r.Event == audit.EventConfig) == config {
			out = append(out, r)
		}
	}
	return out
}

// fixture is a service that listens on loopback, whose gate judges and has no
// sandbox, with a token that may check and one that may do nothing.
type fixture struct {
	t      *testing.T
	log    *memoryLog
	logs   map[string]*memoryLog // by tenant
	cfg    config.Serve
	at     string
	ci     string
	idle   string
	now    atomic.Int64 // the service's clock, which the test alone moves
	end    func()
	done   chan error
	client *http.Client
}

func start(t *testing.T, edits ...func(*config.Serve)) *fixture {
	t.Helper()
	return startWith(t, func(t *testing.T, _ string, log *memoryLog) Tenant { return judging(t, log) }, edits...)
}

// startWith is start with tenants that answer otherwise.
func startWith(t *testing.T, answers func(t *testing.T, name string, log *memoryLog) Tenant, edits ...func(*config.Serve)) *fixture {
	t.Helper()
	f := &fixture{t: t, log: &memoryLog{}, done: make(chan error, 1), client: &http.Client{Transport: described{&http.Transport{}, t}}}
	var ciLine, idleLine string
	f.ci, ciLine = identity.NewToken("ci", []string{"check"})
	f.idle, idleLine = identity.NewToken("idle", []string{"audit"})
	f.cfg = config.Serve{Listen: "127.0.0.1:0", Tokens: filepath.Join(t.TempDir(), "tokens")}
	if err := os.WriteFile(f.cfg.Tokens, []byte(ciLine+idleLine), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, edit := range edits {
		edit(&f.cfg)
	}
	tenants := map[string]Tenant{}
	f.logs = map[string]*memoryLog{"": f.log, "acme": {}, "globex": {}}
	f.now.Store(time.Now().UnixNano())
	clock := func() time.Time { return time.Unix(0, f.now.Load()) }
	for name, log := range f.logs {
		log.now = clock
		tenants[name] = answers(t, name, log)
	}
	s, err := New(Options{Config: f.cfg, Tenants: tenants, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen(t.Context(), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	f.at = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	f.end = sync.OnceFunc(func() {
		cancel()
		f.client.CloseIdleConnections()
		if err := <-f.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	go func() { f.done <- s.Serve(ctx, l) }()
	t.Cleanup(f.end)
	return f
}

// judging is a tenant whose gate judges and has no sandbox.
func judging(t *testing.T, log *memoryLog) Tenant {
	t.Helper()
	return tenant(t, gate.Options{Log: log}, mcp.Options{})
}

// tenant is one whose gate judges by the real rules.
func tenant(t *testing.T, gates gate.Options, servers mcp.Options) Tenant {
	t.Helper()
	engine, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}})
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := gates.Log.(*memoryLog); ok {
		gates.Now = l.now
	}
	gates.Analyzer, gates.Remote = analyze.New(python.Reader(), javascript.Reader()), true
	if gates.Policy == nil {
		gates.Policy = engine
	}
	g, err := gate.New(gates)
	if err != nil {
		t.Fatal(err)
	}
	servers.Gate, servers.Version = g, "test"
	m, err := mcp.New(servers)
	if err != nil {
		t.Fatal(err)
	}
	return Tenant{Gate: g, MCP: m, InForce: gate.NewInForce(g, "", nil, nil)}
}

const aCheck = `{"language":"python","code":"print(1)"}`

// send makes a request that is a good one but for the edits.
func (f *fixture) send(edits ...func(*http.Request)) (int, http.Header, string) {
	f.t.Helper()
	scheme := "http://"
	if f.cfg.TLS.Cert != "" {
		scheme = "https://"
	}
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, scheme+f.at+"/v1/check", strings.NewReader(aCheck))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.ci)
	r.Header.Set("Content-Type", "application/json")
	for _, edit := range edits {
		edit(r)
	}
	resp, err := f.client.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func body(text string) func(*http.Request) {
	return func(r *http.Request) {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(text))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	f := start(t)
	for code, effect := range map[string]string{"print(1)": "allow", "import os; os.system('x')": "deny"} {
		text, err := json.Marshal(map[string]string{"language": "python", "code": code})
		if err != nil {
			t.Fatal(err)
		}
		status, _, got := f.send(body(string(text)))
		var a struct {
			Version  string
			Decision struct{ Effect string }
		}
		if err := json.Unmarshal([]byte(got), &a); err != nil || status != 200 || a.Version != "answer/v1" || a.Decision.Effect != effect {
			t.Errorf("%s: %d %s, %v", code, status, got, err)
		}
	}
	for _, r := range f.log.all() {
		if r.Caller.User != "token|ci" || r.Caller.Principal.How != "token" {
			t.Errorf("the record names %+v", r.Caller)
		}
	}
}

// bySome has a token in each of two tenants, and the path that it is for.
func bySome(t *testing.T, tokens map[string]string, scopes ...string) func(*config.Serve) {
	t.Helper()
	return func(c *config.Serve) {
		c.Tenants = map[string]config.Tenant{}
		for _, name := range []string{"acme", "globex"} {
			token, line := identity.NewToken("ci", scopes)
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			tokens[name], c.Tenants[name] = token, config.Tenant{Dir: "/none", Tokens: file}
		}
	}
}

// Each row changes one thing of a request that is answered. Nothing of it is
// judged.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := start(t, func(c *config.Serve) {
		c.Origins, c.Limits.BodyMB = []string{"https://app.example"}, 1
	})
	path := func(p string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = p } }
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	for name, row := range map[string]struct {
		edit   func(*http.Request)
		status int
	}{
		"no token":          {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token":     {header("Authorization", "Bearer spt_ABC"), 401},
		"another scheme":    {header("Authorization", "Basic YTpi"), 401},
		"a signed token":    {header("Authorization", "Bearer eyJhbGciOiJub25lIn0.e30."), 401},
		"two tokens":        {func(r *http.Request) { r.Header.Add("Authorization", r.Header.Get("Authorization")) }, 401},
		"another's scope":   {header("Authorization", "Bearer "+f.idle), 403},
		"no scope to run":   {path("/v1/run"), 403},
		"rebinding":         {host("evil.example"), 421},
		"rebinding by port": {host("127.0.0.1:1"), 421},
		"no host":           {host("."), 421},
		"another origin":    {header("Origin", "https://evil.example"), 403},
		"an origin of null": {header("Origin", "null"), 403},
		"origin by prefix":  {header("Origin", "https://app.example.evil"), 403},
		"a form":            {header("Content-Type", "application/x-www-form-urlencoded"), 415},
		"no type":           {func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		"too large":         {body(`{"language":"python","code":"` + strings.Repeat("#", 1<<20) + `"}`), 413},
		"too large, unsaid": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", 1<<20+1))), -1
		}, 413},
		"no JSON":             {body("{"), 400},
		"an unknown argument": {body(`{"language":"python","code":"1","user":"root"}`), 400},
		"another method":      {func(r *http.Request) { r.Method = http.MethodGet }, 405},
		"another path":        {path("/v1/other"), 404},
		"a path that climbs":  {path("/v1/../v1/check"), 307},
	} {
		f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		if status, _, text := f.send(row.edit); status != row.status {
			t.Errorf("%s: %d, want %d: %s", name, status, row.status, text)
		}
	}
	for name, edit := range map[string]func(*http.Request){
		"its own origin": header("Origin", "http://"+f.at), "an origin that may": header("Origin", "https://app.example"), "localhost": host("localhost" + f.at[strings.LastIndex(f.at, ":"):]),
	} {
		if status, _, text := f.send(edit); status != 200 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	refused := 0
	for _, r := range f.log.all() {
		switch r.Event {
		case audit.EventAccess:
			refused++
			if r.Caller.Address != "127.0.0.1" || r.Note == "" || strings.Contains(r.Note, "spt_") {
				t.Errorf("a refusal: %+v, %q", r.Caller, r.Note)
			}
			if strings.HasPrefix(r.Note, "scope") != (r.Caller.Principal != nil) {
				t.Errorf("%q: of %+v", r.Note, r.Caller.Principal)
			}
		case audit.EventDecision:
			if r.Source.SHA256 == "" {
				t.Error("a decision about nothing")
			}
		}
	}
	if decisions := len(f.log.all()) - refused; refused != 6 || decisions != 3 {
		t.Errorf("%d refusals, %d decisions are on record, want 6 and 3", refused, decisions)
	}
}

// What one tenant asks is answered and recorded by its own part, and never by
// another's; a tenant that there is not gets nothing.
func TestTenants(t *testing.T) {
	t.Parallel()
	tokens := map[string]string{}
	f := start(t, func(c *config.Serve) {
		c.Tenants = map[string]config.Tenant{}
		for _, name := range []string{"acme", "globex", "gone"} {
			token, line := identity.NewToken("ci", []string{"check"}) // the same name in each
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			tokens[name], c.Tenants[name] = token, config.Tenant{Dir: "/none", Tokens: file}
		}
	})
	for name, want := range map[string]int{"acme": 200, "globex": 200, "gone": 403} {
		for _, claim := range []string{"", "globex"} { // what a request says of itself is nothing to go by
			if status, _, text := f.send(header("Authorization", "Bearer "+tokens[name]), header("X-Tenant", claim)); status != want {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
	}
	f.send()
	for name, log := range f.logs {
		want := map[string]string{"": "access access decision", "acme": "decision decision", "globex": "decision decision"}[name]
		var got []string
		for _, r := range log.all() {
			got = append(got, string(r.Event))
			if r.Event == audit.EventDecision && r.Caller.Principal.Tenant != name {
				t.Errorf("the log of %q has a decision of %q", name, r.Caller.Principal.Tenant)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("the log of %q has %v, want %s", name, got, want)
		}
	}
}

// The challenge leads a client to where tokens come from.
func TestChallenge(t *testing.T) {
	t.Parallel()
	f := start(t, func(c *config.Serve) {
		c.URL = "https://sandbox.example"
		c.Issuers = []config.Issuer{{URL: "https://idp.example", ScopePrefix: "sp:"}}
	})
	_, h, _ := f.send(func(r *http.Request) { r.Header.Del("Authorization") })
	want := `Bearer resource_metadata="https://sandbox.example/.well-known/oauth-protected-resource/mcp", scope="sp:check sp:run"`
	if got := h.Get("WWW-Authenticate"); got != want {
		t.Errorf("challenge %s, want %s", got, want)
	}
	_, h, _ = f.send(header("Authorization", "Bearer "+f.idle))
	if got := h.Get("WWW-Authenticate"); !strings.Contains(got, `error="insufficient_scope", scope="sp:check"`) {
		t.Errorf("challenge %s", got)
	}
	status, _, text := f.send(func(r *http.Request) {
		r.Method, r.URL.Path, r.Host = http.MethodGet, metadata+mcpPath, "sandbox.example"
		r.Header.Del("Authorization")
	}, body(""))
	if status != 200 || !strings.Contains(text, `"resource":"https://sandbox.example/mcp"`) || !strings.Contains(text, `"authorization_servers":["https://idp.example"]`) {
		t.Errorf("metadata: %d %s", status, text)
	}
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	f := start(t, func(c *config.Serve) { c.Limits.CallsPerMinute = 1 })
	if status, _, _ := f.send(); status != 200 {
		t.Fatalf("the first call: %d", status)
	}
	status, h, _ := f.send()
	if status != http.StatusTooManyRequests || h.Get("Retry-After") == "" {
		t.Errorf("the second call: %d, retry after %q", status, h.Get("Retry-After"))
	}
	if status, _, _ = f.send(header("Authorization", "Bearer "+f.idle)); status != 403 {
		t.Errorf("another one's call: %d", status)
	}
}

// halfSent is a connection whose request has begun, and does not come.
func (f *fixture) halfSent(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", f.at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "POST /v1/check HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", f.at, f.ci)
	// The service asks for the body: it holds a stream for this request.
	said := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(c, said); err != nil || !strings.Contains(string(said), "100 Continue") {
		t.Fatalf("%q, %v", said, err)
	}
	return c
}

// What is slow takes a place, and no more: the next one is told so at once.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	each := start(t, func(c *config.Serve) { c.Limits.StreamsEach = 1 })
	slow := each.halfSent(t)
	if status, h, _ := each.send(); status != http.StatusTooManyRequests || h.Get("Retry-After") == "" {
		t.Errorf("beside a principal's own slow one: %d", status)
	}
	slow.Close()
	all := start(t, func(c *config.Serve) { c.Limits.Streams = 1 })
	all.halfSent(t)
	if status, h, _ := all.send(); status != http.StatusServiceUnavailable || h.Get("Retry-After") == "" {
		t.Errorf("beside anybody's slow one: %d", status)
	}
}

// Guesses cannot fill the disk: beyond a number they are counted.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	f := start(t)
	const atOne = 100 // of the gate
	for range atOne + 50 {
		f.send(header("Authorization", "Bearer spt_GUESS"))
	}
	if n := len(f.log.all()); n != atOne {
		t.Errorf("%d guesses left %d records, want %d", atOne+50, n, atOne)
	}
	f.now.Add(int64(time.Second))
	f.send(header("Authorization", "Bearer spt_GUESS"))
	if all := f.log.all(); len(all) != atOne+1 || !strings.Contains(all[atOne].Note, "and 50 more refusals") {
		t.Errorf("a later guess: %d records, the last one %q", len(all), all[len(all)-1].Note)
	}
}

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (a *authority) issue(t *testing.T, name, dir, file string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		tmpl.IsCA, tmpl.BasicConstraintsValid, tmpl.KeyUsage = true, true, x509.KeyUsageCertSign
		parent, signer = tmpl, key
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert == nil {
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
		a.key = key
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert, text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	for name, b := range map[string][]byte{file + ".pem": cert, file + ".key": text} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(cert, text)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func TestTLSAndCertificates(t *testing.T) {
	t.Parallel()
	dir, ours, theirs := t.TempDir(), &authority{}, &authority{}
	ours.issue(t, "ours", dir, "ca")
	theirs.issue(t, "theirs", dir, "their-ca")
	first := ours.issue(t, "service", dir, "service")
	machine, stranger := ours.issue(t, "builder", dir, "builder"), theirs.issue(t, "builder", dir, "stranger")
	f := start(t, func(c *config.Serve) {
		c.TLS = config.ServeTLS{Cert: filepath.Join(dir, "service.pem"), Key: filepath.Join(dir, "service.key"), ClientCA: filepath.Join(dir, "ca.pem")}
		c.Certificates.Scopes = []string{"check"}
	})
	pool := x509.NewCertPool()
	pool.AddCert(ours.cert)
	use := func(version uint16, certs ...tls.Certificate) *http.Transport {
		return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certs, MaxVersion: version}, ForceAttemptHTTP2: true}
	}
	bare := func(r *http.Request) { r.Header.Del("Authorization") }
	f.client.Transport = use(tls.VersionTLS13, machine)
	if status, _, text := f.send(bare); status != 200 {
		t.Errorf("a machine with a certificate: %d %s", status, text)
	}
	if got := f.log.all()[0].Caller.User; got != "certificate|builder" {
		t.Errorf("the record names %q", got)
	}
	f.client.Transport = use(tls.VersionTLS12)
	if status, _, _ := f.send(bare); status != 401 {
		t.Errorf("nobody, over TLS 1.2: %d", status)
	}
	if status, _, _ := f.send(); status != 200 {
		t.Errorf("a token over TLS 1.2: %d", status)
	}
	for name, transport := range map[string]*http.Transport{"another authority's": use(tls.VersionTLS13, stranger), "TLS 1.1": use(tls.VersionTLS11)} {
		c := &http.Client{Transport: transport}
		if resp, err := c.Post("https://"+f.at+"/v1/check", "application/json", strings.NewReader(aCheck)); err == nil {
			resp.Body.Close()
			if resp.StatusCode == 200 {
				t.Errorf("%s: answered", name)
			}
		}
	}
	// A new certificate is in force without a restart; what is none leaves the old one.
	served := func() string {
		c, err := tls.Dial("tcp", f.at, &tls.Config{RootCAs: pool})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	old := served()
	if leaf, err := x509.ParseCertificate(first.Certificate[0]); err != nil || leaf.SerialNumber.String() != old {
		t.Fatalf("another certificate is served: %v", err)
	}
	second := ours.issue(t, "service", dir, "service")
	leaf, err := x509.ParseCertificate(second.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	if f.now.Add(int64(lookAfter)); served() != leaf.SerialNumber.String() {
		t.Fatal("the new certificate is not served")
	}
	if err := os.WriteFile(f.cfg.TLS.Cert, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.now.Add(int64(lookAfter))
	if served() != leaf.SerialNumber.String() {
		t.Error("a broken file took the certificate away")
	}
	served() // does not look at the same file again
	files := certFiles{cfg: config.ServeTLS{Cert: filepath.Join(dir, "builder.pem"), Key: filepath.Join(dir, "builder.key"), ClientCA: filepath.Join(dir, "ca.pem")}}
	if _, _, err := files.load(); err != nil {
		t.Errorf("authorities that are the user's: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.load(); err == nil || !strings.Contains(err.Error(), "everybody can write") {
		t.Errorf("authorities that everybody can put others in the place of: %v", err)
	}
	all := f.log.inForce()
	if len(all) != 3 {
		t.Fatalf("%d records say what was in force, want the start, the new one and the broken one", len(all))
	}
	was, fresh := digest(first.Certificate[0]), digest(second.Certificate[0])
	for i, want := range []audit.InForce{
		{How: "start", SHA256: map[string]string{"certificate": was}},
		{How: "reload", Part: "certificate", SHA256: map[string]string{"certificate": fresh}, Before: map[string]string{"certificate": was}},
		{How: "refused", Part: "certificate", SHA256: map[string]string{"certificate": fresh}},
	} {
		got := all[i].InForce
		if got.How != want.How || got.Part != want.Part || got.SHA256["certificate"] != want.SHA256["certificate"] || got.Before["certificate"] != want.Before["certificate"] && i > 0 || got.SHA256["client_ca"] == "" {
			t.Errorf("on record is %+v, want %+v", got, want)
		}
	}
}

// A service that ends says so first, lets open calls end, and takes no more.
func TestShutdown(t *testing.T) {
	t.Parallel()
	f := start(t, func(c *config.Serve) { c.Drain = config.Duration(5 * time.Minute) })
	slow := f.halfSent(t)
	go f.end()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", f.at)
		if err != nil {
			break
		}
		c.Close()
		if time.Since(began) > 5*time.Minute {
			t.Fatal("connections are still taken")
		}
	}
	text := aCheck + strings.Repeat(" ", 100-len(aCheck))
	if _, err := io.WriteString(slow, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(slow), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("a call that was open: %v, %v", resp, err)
	}
	f.end()
}
