package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"sallyport/config"
	"sallyport/gate"
)

// provider is an issuer on loopback, with real keys and real metadata.
type provider struct {
	*httptest.Server
	key     jwk.Key
	meta    map[string]any
	down    atomic.Bool
	fetched atomic.Int64                  // how often its keys were
	wait    atomic.Pointer[chan struct{}] // until which it gives none; nil: at once
}

func newKey(t *testing.T, kid string) jwk.Key {
	t.Helper()
	raw, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k, err := jwk.Import(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Set(jwk.KeyIDKey, kid); err != nil {
		t.Fatal(err)
	}
	return k
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{key: newKey(t, "k1")}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(p.meta)
	})
	mux.HandleFunc("/jwks", func(w http.ResponseWriter, _ *http.Request) {
		p.fetched.Add(1)
		if wait := p.wait.Load(); wait != nil {
			<-*wait
		}
		public, err := p.key.PublicKey()
		if err != nil {
			t.Error(err)
		}
		secret, err := jwk.Import([]byte("0123456789abcdef0123456789abcdef"))
		if err == nil {
			err = secret.Set(jwk.KeyIDKey, "secret")
		}
		if err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []jwk.Key{public, secret}})
	})
	mux.HandleFunc("/elsewhere/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/.well-known/openid-configuration", http.StatusFound)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	p.meta = map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/jwks"}
	return p
}

// unheard is for tests that look at no record.
func unheard(string, string, string, error) error { return nil }

const audience = "https://sandbox.example/mcp"

// clock is a time that a test moves.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000+c.Load(), 0) }
func (c *clock) advance(d time.Duration) { c.Add(int64(d / time.Second)) }

// token is one that is valid but for the edits.
type token struct {
	claims  map[string]any
	headers map[string]any
	key     jwk.Key
	alg     jwa.SignatureAlgorithm
}

func (p *provider) token(t *testing.T, now time.Time, edit func(*token)) string {
	t.Helper()
	k := token{
		claims: map[string]any{
			"iss": p.URL, "aud": audience, "sub": "u-17", "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(),
			"preferred_username": "ada", "scope": "openid sp:run sp:check", "groups": []string{"quants", "approvers"}, "org": "acme",
		},
		headers: map[string]any{"typ": "at+jwt", "kid": "k1"}, key: p.key, alg: jwa.ES256(),
	}
	if edit != nil {
		edit(&k)
	}
	tok := jwt.New()
	for name, v := range k.claims {
		if err := tok.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	h := jws.NewHeaders()
	for name, v := range k.headers {
		if err := h.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.key.Remove(jwk.KeyIDKey); err != nil { // the header alone names it
		t.Fatal(err)
	}
	signed, err := jwt.Sign(tok, jwt.WithKey(k.alg, k.key, jws.WithProtectedHeaders(h)))
	if err != nil {
		t.Fatal(err)
	}
	if k.key == p.key {
		if err := p.key.Set(jwk.KeyIDKey, "k1"); err != nil {
			t.Fatal(err)
		}
	}
	return string(signed)
}

func (p *provider) verifier(t *testing.T, c *clock, edit func(*config.Issuer)) *Verifier {
	t.Helper()
	i := config.Issuer{URL: p.URL, GroupsClaim: "groups", TenantClaim: "org", ScopePrefix: "sp:"}
	if edit != nil {
		edit(&i)
	}
	v, err := New(config.Serve{Issuers: []config.Issuer{i}}, audience, c.now, unheard)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func bearer(token string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func TestAccessToken(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	got, err := p.verifier(t, c, nil).Verify(t.Context(), bearer(p.token(t, c.now(), nil)))
	want := gate.Principal{
		Issuer: p.URL, Subject: "u-17", Name: "ada", Groups: []string{"quants", "approvers"}, Tenant: "acme",
		Scopes: []string{"run", "check"}, How: "oauth",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// An issuer speaks for its own tenants: not for another's, whatever it signs.
func TestIssuersOfTenants(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	for name, tt := range map[string]struct {
		claim   string
		tenants []string
		want    string // "" is refused
	}{
		"its own":            {"org", []string{"globex", "acme"}, "acme"},
		"another's":          {"org", []string{"globex"}, ""},
		"without a claim":    {"", []string{"globex"}, "globex"},
		"any, where it says": {"org", nil, "acme"},
	} {
		v := p.verifier(t, c, func(i *config.Issuer) { i.TenantClaim, i.Tenants = tt.claim, tt.tenants })
		got, err := v.Verify(t.Context(), bearer(p.token(t, c.now(), nil)))
		if got.Tenant != tt.want || errors.Is(err, ErrProof) != (tt.want == "") {
			t.Errorf("%s: %q, %v; want %q", name, got.Tenant, err, tt.want)
		}
	}
}

// Each row starts from a token that is accepted and changes one thing.
func TestTokensThatProveNothing(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	v := p.verifier(t, c, nil)
	claim := func(name string, value any) func(*token) { return func(k *token) { k.claims[name] = value } }
	without := func(name string) func(*token) { return func(k *token) { delete(k.claims, name) } }
	header := func(name string, value any) func(*token) { return func(k *token) { k.headers[name] = value } }
	for name, edit := range map[string]func(*token){
		"expired":             claim("exp", c.now().Add(-time.Minute).Unix()),
		"no end":              without("exp"),
		"not yet":             claim("nbf", c.now().Add(time.Hour).Unix()),
		"another audience":    claim("aud", "https://other.example/mcp"),
		"audience by prefix":  claim("aud", audience+"/more"),
		"no audience":         without("aud"),
		"another issuer":      claim("iss", "https://evil.example"),
		"issuer by prefix":    func(k *token) { k.claims["iss"] = p.URL + "/" },
		"no issuer":           without("iss"),
		"no subject":          without("sub"),
		"an empty subject":    claim("sub", ""),
		"no tenant":           without("org"),
		"a tenant of no text": claim("org", []string{"acme"}),
		"an id token":         header("typ", "JWT"),
		"another type":        header("typ", "logout+jwt"),
		"for others alone":    header("crit", []string{"binding"}),
		"an unknown key":      header("kid", "k2"),
		"another's key":       func(k *token) { k.key = newKey(t, "k1") },
		"no key named":        func(k *token) { delete(k.headers, "kid") },
		"another algorithm": func(k *token) {
			raw, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			if k.key, err = jwk.Import(raw); err != nil {
				t.Fatal(err)
			}
			k.alg = jwa.ES384()
		},
		"a secret of the issuer's": func(k *token) {
			secret, err := jwk.Import([]byte("0123456789abcdef0123456789abcdef"))
			if err != nil {
				t.Fatal(err)
			}
			k.key, k.alg, k.headers["kid"] = secret, jwa.HS256(), "secret"
		},
	} {
		if got, err := v.Verify(t.Context(), bearer(p.token(t, c.now(), edit))); !errors.Is(err, ErrProof) || got.How != "" {
			t.Errorf("%s: %+v, %v; want ErrProof", name, got, err)
		}
	}
	good := p.token(t, c.now(), nil)
	head, rest, _ := strings.Cut(good, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt","kid":"k1"}`))
	other := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"` + p.URL + `","aud":"` + audience + `","sub":"root","exp":9999999999,"org":"acme"}`))
	for name, token := range map[string]string{
		"algorithm none":     none + "." + payload + ".",
		"none, but signed":   none + "." + payload + "." + signature,
		"another payload":    head + "." + other + "." + signature,
		"no signature":       head + "." + payload + ".",
		"two parts":          head + "." + payload,
		"no token":           "x",
		"too long":           good + strings.Repeat("A", maxToken),
		"a static token":     tokenPrefix + "ABC",
		"a token and a word": good + " x",
	} {
		if got, err := v.Verify(t.Context(), bearer(token)); !errors.Is(err, ErrProof) || got.How != "" {
			t.Errorf("%s: %+v, %v; want ErrProof", name, got, err)
		}
	}
	if _, err := v.Verify(t.Context(), bearer("")); !errors.Is(err, ErrNone) {
		t.Errorf("no token: %v", err)
	}
	twice := bearer(good)
	twice.Header.Add("Authorization", "Bearer "+good)
	if _, err := v.Verify(t.Context(), twice); !errors.Is(err, ErrProof) {
		t.Errorf("two tokens: %v", err)
	}
	basic := bearer("")
	basic.Header.Set("Authorization", "Basic "+good)
	if _, err := v.Verify(t.Context(), basic); !errors.Is(err, ErrProof) {
		t.Errorf("another scheme: %v", err)
	}
	if _, err := v.Verify(t.Context(), bearer(good)); err != nil {
		t.Errorf("the token that all of these began with: %v", err)
	}
}

// Forged keys do not have the issuer asked again and again, and a new one of
// its own is found.
func TestKeysAreFetchedSeldom(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	v := p.verifier(t, c, nil)
	if _, err := v.Verify(t.Context(), bearer(p.token(t, c.now(), nil))); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		_, _ = v.Verify(t.Context(), bearer(p.token(t, c.now(), func(k *token) { k.headers["kid"] = "forged" })))
	}
	if n := p.fetched.Load(); n != 1 {
		t.Errorf("50 forged keys had the keys fetched %d times", n)
	}
	p.key = newKey(t, "k1")
	c.advance(keysFresh + time.Second)
	rotated := p.token(t, c.now(), nil)
	if _, err := v.Verify(t.Context(), bearer(rotated)); err != nil {
		t.Errorf("a new key: %v", err)
	}
	p.down.Store(true)
	c.advance(keysFresh + time.Second)
	if _, err := v.Verify(t.Context(), bearer(p.token(t, c.now(), nil))); err != nil {
		t.Errorf("an issuer that is away for a while: %v", err)
	}
}

// Who names a key that nobody knows keeps nobody waiting whose key is known, however long
// the issuer takes.
func TestForgedKeysKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	v := p.verifier(t, c, nil)
	good := p.token(t, c.now(), nil)
	forged := p.token(t, c.now(), func(k *token) { k.headers["kid"] = "forged" })
	if _, err := v.Verify(t.Context(), bearer(good)); err != nil {
		t.Fatal(err)
	}
	c.advance(refetchAfter)
	wait := make(chan struct{})
	p.wait.Store(&wait)
	ended := make(chan error)
	go func() {
		_, err := v.Verify(t.Context(), bearer(forged))
		ended <- err
	}()
	for p.fetched.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	if _, err := v.Verify(t.Context(), bearer(good)); err != nil || time.Since(began) > fetchTime/2 {
		t.Errorf("it took %v: %v", time.Since(began), err)
	}
	close(wait)
	if err := <-ended; !errors.Is(err, ErrProof) {
		t.Errorf("a forged key: %v", err)
	}
}

// What cannot be verified now is neither a yes nor somebody's fault.
func TestIssuerThatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*provider, *config.Issuer){
		"down":             func(p *provider, _ *config.Issuer) { p.down.Store(true) },
		"another's":        func(p *provider, _ *config.Issuer) { p.meta["issuer"] = "https://other.example" },
		"elsewhere":        func(p *provider, i *config.Issuer) { i.URL = p.URL + "/elsewhere" },
		"no keys":          func(p *provider, _ *config.Issuer) { p.meta["jwks_uri"] = p.URL + "/none" },
		"keys of a file's": func(p *provider, _ *config.Issuer) { p.meta["jwks_uri"] = "file:///etc/passwd" },
	} {
		p, c := newProvider(t), &clock{}
		var issuer string
		v := p.verifier(t, c, func(i *config.Issuer) { edit(p, i); issuer = i.URL })
		got, err := v.Verify(t.Context(), bearer(p.token(t, c.now(), func(k *token) { k.claims["iss"] = issuer })))
		if !errors.Is(err, ErrUnavailable) || got.How != "" {
			t.Errorf("%s: %+v, %v; want ErrUnavailable", name, got, err)
		}
	}
}

func TestPlainTypeIsOptIn(t *testing.T) {
	t.Parallel()
	p, c := newProvider(t), &clock{}
	v := p.verifier(t, c, func(i *config.Issuer) { i.PlainType = true })
	plain := p.token(t, c.now(), func(k *token) { k.headers["typ"] = "JWT" })
	if _, err := v.Verify(t.Context(), bearer(plain)); err != nil {
		t.Error(err)
	}
}

func TestStaticTokens(t *testing.T) {
	t.Parallel()
	c := &clock{}
	file := filepath.Join(t.TempDir(), "tokens")
	ci, ciLine := NewToken("ci", []string{"check"})
	old, oldLine := NewToken("old", []string{"run"}, "approvers")
	bob, bobLine := NewToken("bob", []string{"approve"}, "approvers", "ops")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("# ours\n" + ciLine + strings.TrimSpace(oldLine) + " 2020-01-31\n" + strings.TrimSpace(bobLine) + " 2099-01-31\n")
	v, err := New(config.Serve{Tokens: file}, audience, c.now, unheard)
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.Verify(t.Context(), bearer(ci))
	if err != nil || p.ID() != "token|ci" || !slices.Equal(p.Scopes, []string{"check"}) || !p.May("check") || p.May("run") {
		t.Errorf("%+v, %v", p, err)
	}
	if len(p.Groups) > 0 {
		t.Errorf("a token without groups is in %q", p.Groups)
	}
	if p, err := v.Verify(t.Context(), bearer(bob)); err != nil || !slices.Equal(p.Groups, []string{"approvers", "ops"}) || !p.May("approve") {
		t.Errorf("%+v, %v", p, err)
	}
	for name, token := range map[string]string{"expired": old, "forged": ci + "A", "a hash": hash(ci), "a hash as a token": tokenPrefix + hash(ci), "the prefix": tokenPrefix} {
		if p, err := v.Verify(t.Context(), bearer(token)); !errors.Is(err, ErrProof) || p.How != "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	put("# nobody\n")
	if _, err := v.Verify(t.Context(), bearer(ci)); !errors.Is(err, ErrProof) {
		t.Errorf("a token that was taken out: %v", err)
	}
	for name, text := range map[string]string{"no hash": "ci x run\n", "twice": ciLine + ciLine, "no scopes": "ci " + hash(ci) + "\n",
		"a group without a name": strings.TrimSpace(ciLine) + " groups=a,\n", "groups twice": strings.TrimSpace(ciLine) + " groups=a groups=b\n",
		"a word too many": strings.TrimSpace(ciLine) + " groups=a 2099-01-31 x\n", "groups after the end": strings.TrimSpace(ciLine) + " 2099-01-31 groups=a\n"} {
		put(text)
		if _, err := v.Verify(t.Context(), bearer(ci)); !errors.Is(err, ErrUnavailable) {
			t.Errorf("a file with %s: %v", name, err)
		}
		if _, err := New(config.Serve{Tokens: file}, audience, c.now, unheard); err == nil {
			t.Errorf("a service begins with a file with %s", name)
		}
	}
	put(ciLine)
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), bearer(ci)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a file that everybody can write: %v", err)
	}
	if err := errors.Join(os.Chmod(file, 0o600), os.Chmod(filepath.Dir(file), 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), bearer(ci)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a file that everybody can put another in the place of: %v", err)
	}
	if _, err := New(config.Serve{}, audience, c.now, unheard); err == nil {
		t.Error("a service begins that knows nobody")
	}
}

// What is read again is on record before it counts, once, and so is what is refused.
func TestReloadsAreOnRecord(t *testing.T) {
	t.Parallel()
	c, p := &clock{}, newProvider(t)
	var heard []string
	var full error
	record := func(tenant, part, sha256 string, refused error) error {
		if full == nil {
			heard = append(heard, fmt.Sprint(tenant, " ", part, " ", sha256, " ", refused != nil))
		}
		return full
	}
	hears := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(heard, want) {
			t.Errorf("%s: on record are %q, want %q", what, heard, want)
		}
		heard = nil
	}
	file := filepath.Join(t.TempDir(), "tokens")
	ci, ciLine := NewToken("ci", []string{"check"})
	bob, bobLine := NewToken("bob", []string{"check"})
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(ciLine)
	v, err := New(config.Serve{
		Issuers: []config.Issuer{{URL: p.URL}}, Tenants: map[string]config.Tenant{"acme": {Tokens: file}},
	}, audience, c.now, record)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(token string, want error) {
		t.Helper()
		for range 2 {
			if _, err := v.Verify(t.Context(), bearer(token)); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	if got := v.InForce("acme"); !maps.Equal(got, map[string]string{"tokens": hash(ciLine)}) || len(v.InForce("")) > 0 {
		t.Errorf("in force at the start: %v", got)
	}
	verify(ci, nil)
	hears("the start")
	put(ciLine + bobLine)
	full = errors.New("the disk is full")
	verify(bob, ErrUnavailable)
	full = nil
	verify(bob, nil)
	hears("one more", "acme tokens "+hash(ciLine+bobLine)+" false")
	put("ci x run\n")
	verify(ci, ErrUnavailable)
	hears("a broken file", "acme tokens  true")
	put(ciLine + bobLine)
	verify(ci, nil)
	hears("the one before", "acme tokens "+hash(ciLine+bobLine)+" false")

	full = errors.New("the disk is full")
	signed := p.token(t, c.now(), nil)
	verify(signed, ErrUnavailable)
	full = nil
	c.advance(refetchAfter)
	verify(p.token(t, c.now(), nil), nil)
	if len(heard) != 1 || !strings.HasPrefix(heard[0], " keys "+p.URL+" ") || !strings.HasSuffix(heard[0], " false") {
		t.Errorf("the first keys: on record are %q", heard)
	}
	keys := heard[0]
	heard = nil
	c.advance(keysFresh + time.Second)
	verify(p.token(t, c.now(), nil), nil)
	hears("the same keys")
	p.down.Store(true)
	for range 2 {
		c.advance(keysFresh + time.Second)
		verify(p.token(t, c.now(), nil), nil)
	}
	hears("no keys", strings.Replace(keys, " false", " true", 1))
}
