package egress

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Secret is one that requests use and programs do not have. They get a
// sentinel, in place of which the value is put into requests.
type Secret struct {
	Name    string
	Value   string
	Rule    string   // the allow rule whose requests may use it
	Headers []string // that it may stand in; none: Authorization
	Basic   bool     // it may be a part of Basic authorization, too
	Sign    *SigV4   // nil, or how requests are signed with it in place of all of that
}

// minSecret is the shortest value that is brokered: a shorter one occurs by
// chance in answers, and would be replaced there.
const minSecret = 8

// secret is a Secret with its sentinel.
type secret struct {
	Secret
	sentinel string
	headers  []string // canonical
	signer   string   // name of the secret that signs those requests which it is put into, "" for none
}

func (s Secret) prepare(rules []Rule) (secret, error) {
	fail := func(format string, v ...any) (secret, error) {
		return secret{}, fmt.Errorf("secret %s: %w", s.Name, fmt.Errorf(format, v...))
	}
	if len(s.Value) < minSecret {
		return fail("a value of less than %d bytes cannot be told from other text in answers", minSecret)
	}
	if strings.ContainsFunc(s.Value, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return fail("its value cannot stand in a header")
	}
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == s.Rule })
	if i < 0 {
		return fail("there is no rule %q", s.Rule)
	}
	if strings.HasPrefix(rules[i].Host, "*.") {
		return fail("rule %q is for more than one host", s.Rule)
	}
	if rules[i].Opaque {
		return fail("rule %q is opaque: nobody looks into its requests, and nothing can be put into them", s.Rule)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return secret{}, err
	}
	kept := secret{Secret: s, sentinel: "sallyport-" + hex.EncodeToString(random)}
	for _, h := range s.Headers {
		kept.headers = append(kept.headers, http.CanonicalHeaderKey(h))
	}
	if len(kept.headers) == 0 {
		kept.headers = []string{"Authorization"}
	}
	return kept, nil
}

// substitution is a secret's way into a request.
type substitution struct {
	secret *secret
	places []place
}

// place is a header's value with the secret in it.
type place struct {
	header string
	index  int
	value  string
	basic  string // what follows "Basic ", "" for another scheme
}

func (p substitution) apply(h http.Header) {
	for _, at := range p.places {
		h[at.header][at.index] = at.value
	}
}

// substitutions finds the sentinels in a request. One where it does not belong
// is a refusal: the program, or who wrote it, wants the secret elsewhere.
func (p *Proxy) substitutions(r *http.Request, q Request) ([]substitution, *refusal) {
	var all []substitution
	for i := range p.secrets {
		s := &p.secrets[i]
		places, elsewhere := s.find(r)
		switch {
		case elsewhere && s.signer != "" && strings.Contains(r.URL.RawQuery, s.sentinel):
			return nil, refuse(http.StatusForbidden, "secret "+s.signer+": a signature in the query cannot be replaced")
		case elsewhere:
			return nil, refuse(http.StatusForbidden, "secret "+s.Name+" stands where it may not")
		case len(places) == 0:
			continue
		case q.Rule != s.Rule:
			return nil, refuse(http.StatusForbidden, "secret "+s.Name+" is not for this request")
		case q.Scheme != "https":
			return nil, refuse(http.StatusForbidden, "secret "+s.Name+" is for https alone")
		case r.Header.Get("Range") != "" && s.signer == "":
			return nil, refuse(http.StatusForbidden, "secret "+s.Name+" cannot be used with Range")
		}
		for _, done := range all {
			for _, at := range done.places {
				if slices.ContainsFunc(places, func(p place) bool { return p.header == at.header && p.index == at.index }) {
					return nil, refuse(http.StatusForbidden, "two secrets stand in one header")
				}
			}
		}
		all = append(all, substitution{s, places})
	}
	return all, nil
}

// find returns where a secret is to stand, and whether it is wanted elsewhere.
func (s *secret) find(r *http.Request) (places []place, elsewhere bool) {
	for name, values := range r.Header {
		for i, v := range values {
			at, found := s.in(v)
			if !found {
				continue
			}
			at.header, at.index = name, i
			if s.Sign != nil || !slices.Contains(s.headers, name) && !(at.basic != "" && name == "Authorization") {
				return nil, true
			}
			places = append(places, at)
		}
	}
	return places, strings.Contains(r.URL.Path, s.sentinel) || strings.Contains(r.URL.RawQuery, s.sentinel)
}

// in returns a header's value with the secret put in.
func (s *secret) in(value string) (at place, found bool) {
	if strings.Contains(value, s.sentinel) {
		return place{value: strings.ReplaceAll(value, s.sentinel, s.Value)}, true
	}
	scheme, packed, ok := strings.Cut(value, " ")
	if !s.Basic || !ok || !strings.EqualFold(scheme, "Basic") {
		return place{}, false
	}
	plain, err := base64.StdEncoding.DecodeString(packed)
	if err != nil || !strings.Contains(string(plain), s.sentinel) {
		return place{}, false
	}
	packed = base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(string(plain), s.sentinel, s.Value)))
	return place{value: "Basic " + packed, basic: packed}, true
}
