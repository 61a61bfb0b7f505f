package identity

import (
	"context"
	"crypto"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"sallyport/config"
	"sallyport/gate"
)

const (
	skew         = 30 * time.Second // between an issuer's clock and ours
	fetchTime    = 5 * time.Second
	maxFetched   = 1 << 20
	keysFresh    = 15 * time.Minute
	refetchAfter = 30 * time.Second // at the earliest, however many unknown keys are named
	maxGroups    = 256
)

// issuer is an OpenID provider whose tokens count.
type issuer struct {
	config.Issuer
	client *http.Client
	now    func() time.Time
	record Reloaded

	mu       sync.Mutex // guards the fields below
	keys     jwk.Set
	sha256   string // of them
	refused  bool   // that others were is on record
	fetched  time.Time
	tried    time.Time
	failed   error         // why the last try brought none
	fetching chan struct{} // closed when the keys that are fetched now are there; nil: none are
}

func newIssuer(c config.Issuer, now func() time.Time, record Reloaded) *issuer {
	if len(c.Algorithms) == 0 {
		c.Algorithms = []string{"ES256", "RS256", "PS256", "EdDSA"}
	}
	if c.NameClaim == "" {
		c.NameClaim = "preferred_username"
	}
	return &issuer{Issuer: c, now: now, record: record, client: &http.Client{
		Timeout:       fetchTime,
		Transport:     &http.Transport{TLSHandshakeTimeout: fetchTime},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects") },
	}}
}

// oauth is the principal of an access token as RFC 9068 has them.
func (v *Verifier) oauth(ctx context.Context, token string) (gate.Principal, error) {
	nobody := gate.Principal{}
	msg, err := jws.Parse([]byte(token), jws.WithCompact())
	if err != nil || len(msg.Signatures()) != 1 {
		return nobody, refuse("it is no signed token")
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(msg.Payload(), &claims) != nil {
		return nobody, refuse("it is no token")
	}
	iss, ok := v.issuers[claims.Issuer]
	if !ok {
		return nobody, refuse("its issuer is not one of ours")
	}
	h := msg.Signatures()[0].ProtectedHeaders()
	if alg, ok := h.Algorithm(); !ok || !slices.Contains(iss.Algorithms, alg.String()) {
		return nobody, refuse("it is signed with another algorithm")
	}
	if typ, _ := h.Type(); !iss.accepts(typ) {
		return nobody, refuse("its type is not that of access tokens")
	}
	if _, ok := h.Critical(); ok { // RFC 7515, 4.1.11
		return nobody, refuse("it is only for who understands more than this service does")
	}
	kid, _ := h.KeyID()
	if kid == "" {
		return nobody, refuse("it names no key")
	}
	keys, err := iss.keysWith(ctx, kid)
	if err != nil {
		return gate.Principal{}, err
	}
	tok, err := jwt.Parse([]byte(token),
		jwt.WithKeySet(keys, jws.WithInferAlgorithmFromKey(true), jws.WithRequireKid(true)),
		jwt.WithIssuer(iss.URL), jwt.WithAudience(iss.Audience),
		jwt.WithRequiredClaim("exp"), jwt.WithRequiredClaim("sub"),
		jwt.WithAcceptableSkew(skew), jwt.WithClock(jwt.ClockFunc(iss.now)))
	switch {
	case errors.Is(err, jwt.TokenExpiredError()):
		return nobody, refuse("it has expired")
	case errors.Is(err, jwt.InvalidAudienceError()):
		return nobody, refuse("it is for another audience")
	case err != nil:
		return nobody, refuse("its signature or its claims are not valid")
	}
	return iss.principal(tok)
}

// accepts reports whether a header's typ is that of an access token. One of
// another kind, such as an id token, proves nothing to us.
func (i *issuer) accepts(typ string) bool {
	typ = strings.TrimPrefix(strings.ToLower(typ), "application/")
	return typ == "at+jwt" || i.PlainType && typ == "jwt"
}

func (i *issuer) principal(tok jwt.Token) (gate.Principal, error) {
	p := gate.Principal{Issuer: i.URL, How: "oauth"}
	p.Subject, _ = tok.Subject()
	if p.Subject == "" {
		return gate.Principal{}, refuse("it names no subject")
	}
	_ = tok.Get(i.NameClaim, &p.Name) // what is no text names nobody
	if p.Name == "" {
		p.Name = p.Subject
	}
	var scope string
	_ = tok.Get("scope", &scope)
	for s := range strings.FieldsSeq(scope) {
		if s, ok := strings.CutPrefix(s, i.ScopePrefix); ok {
			p.Scopes = append(p.Scopes, s)
		}
	}
	if i.GroupsClaim != "" {
		var groups []any
		_ = tok.Get(i.GroupsClaim, &groups)
		for _, g := range groups {
			if name, ok := g.(string); ok && len(p.Groups) < maxGroups {
				p.Groups = append(p.Groups, name)
			}
		}
	}
	switch {
	case i.TenantClaim != "":
		if err := tok.Get(i.TenantClaim, &p.Tenant); err != nil || p.Tenant == "" {
			return gate.Principal{}, refuse("it names no tenant")
		}
		if len(i.Tenants) > 0 && !slices.Contains(i.Tenants, p.Tenant) {
			return gate.Principal{}, refuse("it names a tenant that its issuer may not speak for")
		}
	case len(i.Tenants) == 1:
		p.Tenant = i.Tenants[0]
	}
	return p, nil
}

// keysWith are the issuer's keys, among them the one that is named if there is
// one: for a name that is not known they are fetched again, but not often. Who
// names one that is known waits for nobody who names another.
func (i *issuer) keysWith(ctx context.Context, kid string) (jwk.Set, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	known := false
	if i.keys != nil {
		_, known = i.keys.LookupKeyID(kid)
	}
	if now := i.now(); !known || now.Sub(i.fetched) > keysFresh {
		i.renew(ctx, now)
	}
	if i.keys == nil {
		return nil, fmt.Errorf("%w: the keys of %s are not to be had: %v", ErrUnavailable, i.URL, i.failed)
	}
	return i.keys, nil
}

// renew fetches the keys, or waits until they are there where somebody fetches them.
// The lock, which its caller has, is let go meanwhile.
func (i *issuer) renew(ctx context.Context, now time.Time) {
	if done := i.fetching; done != nil {
		i.mu.Unlock()
		defer i.mu.Lock()
		select {
		case <-done:
		case <-ctx.Done():
		}
		return
	}
	if !i.tried.IsZero() && now.Sub(i.tried) < refetchAfter {
		return
	}
	done := make(chan struct{})
	i.tried, i.fetching = now, done
	defer func() { i.fetching = nil; close(done) }()
	keys, err := func() (jwk.Set, error) {
		i.mu.Unlock()
		defer i.mu.Lock()
		return i.fetch(context.WithoutCancel(ctx)) // for everybody, and not for this request alone
	}()
	if i.failed = i.recorded(keys, err); i.failed == nil {
		i.keys, i.fetched = keys, now
	}
}

// recorded puts on record that keys come into force, where they are others, or that
// none could be fetched; it returns why keys do not.
func (i *issuer) recorded(keys jwk.Set, err error) error {
	part := "keys " + i.URL
	if err != nil {
		i.refused = i.refused || i.record("", part, i.sha256, err) == nil
		return err
	}
	var all []string
	for n := range keys.Len() {
		k, _ := keys.Key(n)
		sum, err := k.Thumbprint(crypto.SHA256)
		if err != nil {
			return errors.New("its keys cannot be told apart")
		}
		id, _ := k.KeyID()
		all = append(all, id+" "+hex.EncodeToString(sum))
	}
	slices.Sort(all)
	sum := hash(strings.Join(all, "\n"))
	if sum != i.sha256 {
		if err := i.record("", part, sum, nil); err != nil {
			return err
		}
	}
	i.sha256, i.refused = sum, false
	return nil
}

// fetch gets the keys from where the issuer's metadata says that they are.
func (i *issuer) fetch(ctx context.Context) (jwk.Set, error) {
	var meta struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	text, err := i.get(ctx, strings.TrimSuffix(i.URL, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &meta); err != nil {
		return nil, errors.New("its metadata is no JSON")
	}
	if meta.Issuer != i.URL {
		return nil, fmt.Errorf("its metadata is that of %q", meta.Issuer)
	}
	if strings.HasPrefix(i.URL, "https:") && !strings.HasPrefix(meta.Keys, "https:") {
		return nil, errors.New("its keys are not at an https address")
	}
	if text, err = i.get(ctx, meta.Keys); err != nil {
		return nil, err
	}
	all, err := jwk.Parse(text)
	if err != nil {
		return nil, errors.New("its keys cannot be read")
	}
	public := jwk.NewSet()
	for n := range all.Len() {
		// A secret that verifies could also sign.
		if k, ok := all.Key(n); ok && k.KeyType() != jwa.OctetSeq() {
			if err := public.AddKey(k); err != nil {
				return nil, err
			}
		}
	}
	return public, nil
}

func (i *issuer) get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := i.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxFetched+1))
	if err == nil && len(b) > maxFetched {
		err = fmt.Errorf("%s answers with more than %d bytes", url, maxFetched)
	}
	return b, err
}
