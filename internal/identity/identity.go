// Package identity verifies who sends a request to a service: by a token that
// an OpenID provider signed, by a static token, or by a client's certificate.
//
// Nothing that it cannot verify has a principal: a request brings exactly one
// proof, and one that does not hold is an error, never somebody else.
package identity

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sallyport/config"
	"sallyport/gate"
)

// Verifier verifies requests. It is safe for concurrent use.
type Verifier struct {
	issuers map[string]*issuer
	tokens  []*tokenFile
	scopes  []string // of certificates
}

// Reloaded puts on record that a part of what a tenant's requests are verified by was
// read again: the digest of what is in force of it now, "" for nothing, and why it was
// refused. What cannot be recorded does not come into force.
type Reloaded func(tenant, part, sha256 string, refused error) error

// New returns a Verifier of what the operator configured. Audience is that of
// issuers that name none; now is the clock.
func New(c config.Serve, audience string, now func() time.Time, record Reloaded) (*Verifier, error) {
	v := &Verifier{issuers: map[string]*issuer{}, scopes: c.Certificates.Scopes}
	for _, i := range c.Issuers {
		if i.Audience == "" {
			i.Audience = audience
		}
		v.issuers[i.URL] = newIssuer(i, now, record)
	}
	files := map[string]string{"": c.Tokens}
	for name, t := range c.Tenants {
		files[name] = t.Tokens
	}
	for tenant, path := range files {
		if path == "" {
			continue
		}
		f := &tokenFile{path: path, tenant: tenant, now: now, record: record}
		if _, err := f.read(); err != nil {
			return nil, err
		}
		v.tokens = append(v.tokens, f)
	}
	if len(v.issuers) == 0 && len(v.tokens) == 0 && c.TLS.ClientCA == "" {
		return nil, errors.New("nobody can be identified: neither issuers nor tokens nor client certificates are configured")
	}
	return v, nil
}

// InForce are the digests of a tenant's files of tokens that were read, by part.
func (v *Verifier) InForce(tenant string) map[string]string {
	out := map[string]string{}
	for _, f := range v.tokens {
		if f.tenant == tenant {
			out[tokensPart] = f.digest()
		}
	}
	return out
}

// Issuers are those that a client can ask for a token.
func (v *Verifier) Issuers() []string {
	var out []string
	for url := range v.issuers {
		out = append(out, url)
	}
	return out
}

var (
	// ErrNone is returned for a request that brings no proof.
	ErrNone = errors.New("no proof of identity")

	// ErrProof is what a Refusal wraps.
	ErrProof = errors.New("the proof of identity does not hold")

	// ErrUnavailable is wrapped when a proof cannot be verified now: its issuer's
	// keys are not to be had.
	ErrUnavailable = errors.New("identity cannot be verified now")
)

// Refusal is the error of a request whose proof does not hold.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return ErrProof.Error() + ": " + r.Why }

// Unwrap returns ErrProof.
func (r *Refusal) Unwrap() error { return ErrProof }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

const maxToken = 16 << 10

// Verify says whose a request is.
func (v *Verifier) Verify(ctx context.Context, r *http.Request) (gate.Principal, error) {
	given := r.Header.Values("Authorization")
	certified := r.TLS != nil && len(r.TLS.VerifiedChains) > 0
	switch {
	case len(given) == 0 && certified:
		return v.certificate(r.TLS.VerifiedChains[0][0])
	case len(given) == 0:
		return gate.Principal{}, ErrNone
	case len(given) > 1:
		return gate.Principal{}, refuse("more than one Authorization")
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return gate.Principal{}, refuse("the scheme is not Bearer")
	case len(token) > maxToken:
		return gate.Principal{}, refuse("the token is too long")
	case strings.HasPrefix(token, tokenPrefix):
		return v.static(token)
	}
	return v.oauth(ctx, token)
}

// certificate is the principal of a machine: its first URI, else its common
// name, by an authority that the TLS handshake has verified.
func (v *Verifier) certificate(c *x509.Certificate) (gate.Principal, error) {
	subject := c.Subject.CommonName
	if len(c.URIs) > 0 {
		subject = c.URIs[0].String()
	}
	if subject == "" {
		return gate.Principal{}, refuse("the certificate names nobody")
	}
	return gate.Principal{Issuer: "certificate", Subject: subject, Name: subject, Scopes: v.scopes, How: "certificate"}, nil
}
