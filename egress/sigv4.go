package egress

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SigV4 is how a secret key of AWS is used: requests are signed with it, and it
// is put into none. What the program has signed with the sentinel is signed
// again.
type SigV4 struct {
	ID       string   // name of the secret with the ID of the access key
	Token    string   // name of the one with the session token, "" for none
	Regions  []string // that may be signed for
	Services []string
}

const (
	algorithm  = "AWS4-HMAC-SHA256"
	stampForm  = "20060102T150405Z"
	stampLimit = 15 * time.Minute // as AWS has it
	hashHeader = "X-Amz-Content-Sha256"

	// maxHeld bounds the bodies of a run that have to be looked at before they
	// are sent, because no header says their hash.
	maxHeld = 16 << 20
)

// pair finds the secrets that belong to one that signs. They go into signed
// requests alone.
func (p *Proxy) pair(s *secret) error {
	fail := func(format string, v ...any) error {
		return fmt.Errorf("secret %s: %w", s.Name, fmt.Errorf(format, v...))
	}
	if len(s.Headers) > 0 || s.Basic {
		return fail("it signs requests, and stands in no header")
	}
	if len(s.Sign.Regions) == 0 || len(s.Sign.Services) == 0 {
		return fail("regions and services have to say what it may sign for")
	}
	for _, part := range []struct{ name, header string }{{s.Sign.ID, "Authorization"}, {s.Sign.Token, "X-Amz-Security-Token"}} {
		if part.name == "" && part.header != "Authorization" {
			continue
		}
		i := slices.IndexFunc(p.secrets, func(o secret) bool { return o.Name == part.name && o.Sign == nil && o.signer == "" })
		switch {
		case i < 0:
			return fail("the ID of its access key and its token have to be secrets with a broker of their own; %q is none", part.name)
		case p.secrets[i].Rule != s.Rule:
			return fail("secret %s is for another rule", part.name)
		case len(p.secrets[i].Headers) > 0 || p.secrets[i].Basic:
			return fail("secret %s belongs to it, and stands in no header of its own choice", part.name)
		}
		p.secrets[i].signer, p.secrets[i].headers = s.Name, []string{part.header}
	}
	return nil
}

// signed is the signature of a request.
type signed struct {
	key                    *secret // made with its sentinel, and again with its value
	id                     string  // of the key, as the program has it
	date, region, service  string
	stamp, hash, signature string
	headers                []string // in lower case, sorted
}

// unsign finds the secret that is to sign a request in place of the program, and
// holds what the program has signed against its sentinel. A request without any
// is none of its business.
func (o *Outlet) unsign(r *http.Request, x *exchange) *refusal {
	i := slices.IndexFunc(x.put, func(p substitution) bool { return p.secret.signer != "" })
	if i < 0 {
		return nil
	}
	name := x.put[i].secret.signer
	key := slices.IndexFunc(o.proxy.secrets, func(s secret) bool { return s.Name == name })
	s, err := readSignature(r.Header)
	if err == nil {
		s.key = &o.proxy.secrets[key]
		err = s.belongs(o.proxy, r, time.Now())
	}
	if err != nil {
		return refuse(http.StatusForbidden, "secret "+name+": "+err.Error())
	}
	if s.hash == "" {
		var no *refusal
		if s.hash, no = o.hold(r, x); no != nil {
			return no
		}
	}
	if !hmac.Equal([]byte(s.sign(r, r.Host, s.key.sentinel)), []byte(s.signature)) {
		return refuse(http.StatusForbidden, "secret "+name+": the request is not signed with it")
	}
	x.signed = s
	return nil
}

var errSignature = errors.New("a request that has its key has to be signed with " + algorithm + " in the header Authorization")

// readSignature reads the header Authorization.
func readSignature(h http.Header) (*signed, error) {
	auth := h["Authorization"]
	if len(auth) != 1 {
		return nil, errSignature
	}
	text, ok := strings.CutPrefix(auth[0], algorithm+" ")
	parts := strings.Split(text, ",")
	if !ok || len(parts) != 3 {
		return nil, errSignature
	}
	said := map[string]string{}
	for _, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		said[name] = value
	}
	scope := strings.Split(said["Credential"], "/")
	s := &signed{headers: strings.Split(said["SignedHeaders"], ";"), signature: said["Signature"], stamp: h.Get("X-Amz-Date"), hash: h.Get(hashHeader)}
	if len(said) != 3 || len(scope) != 5 || scope[4] != "aws4_request" || s.signature == "" {
		return nil, errSignature
	}
	s.id, s.date, s.region, s.service = scope[0], scope[1], scope[2], scope[3]
	return s, nil
}

// notPassedOn are headers between two neighbours: a signature over one is lost.
var notPassedOn = []string{"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}

// belongs says why a request cannot be signed again.
func (s *signed) belongs(p *Proxy, r *http.Request, now time.Time) error {
	id := slices.IndexFunc(p.secrets, func(o secret) bool { return o.Name == s.key.Sign.ID })
	at, err := time.Parse(stampForm, s.stamp)
	switch {
	case s.id != p.secrets[id].sentinel:
		return errors.New("the request is signed with another access key")
	case !slices.Contains(s.key.Sign.Regions, s.region):
		return errors.New("it does not sign for this region")
	case !slices.Contains(s.key.Sign.Services, s.service):
		return errors.New("it does not sign for this service")
	case err != nil || !strings.HasPrefix(s.stamp, s.date+"T") || now.Sub(at).Abs() > stampLimit:
		return errors.New("X-Amz-Date is missing, or not the time")
	case strings.HasPrefix(s.hash, "STREAMING-") && s.hash != "STREAMING-UNSIGNED-PAYLOAD-TRAILER":
		return errors.New("a signature over chunks of a body cannot be replaced: sign the body as a whole, or leave it unsigned")
	case !slices.Contains(s.headers, "host") || !slices.IsSorted(s.headers):
		return errSignature
	}
	for _, name := range s.headers {
		_, there := r.Header[http.CanonicalHeaderKey(name)]
		if name != strings.ToLower(name) || slices.Contains(notPassedOn, name) || !there && name != "host" && name != "content-length" {
			return errors.New("it is signed over a header that is not passed on")
		}
	}
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(s.headers, name) {
			return errors.New("a header X-Amz-… is not signed")
		}
	}
	return nil
}

// hold reads the body of a request and returns its hash.
func (o *Outlet) hold(r *http.Request, x *exchange) (string, *refusal) {
	var body bytes.Buffer
	for chunk := make([]byte, 32<<10); ; {
		n, err := r.Body.Read(chunk)
		x.held += int64(n)
		if o.held.Add(int64(n)) > maxHeld {
			return "", refuse(http.StatusRequestEntityTooLarge, "bodies without "+hashHeader+" are too large to be looked at")
		}
		body.Write(chunk[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", refuse(http.StatusBadRequest, "the body breaks off")
		}
	}
	r.Body = io.NopCloser(&body)
	return hexSum(body.Bytes()), nil
}

// again signs a request with the secret's value, as it goes out.
func (s *signed) again(r *http.Request, p *Proxy) (signature string) {
	id := slices.IndexFunc(p.secrets, func(o secret) bool { return o.Name == s.key.Sign.ID })
	signature = s.sign(r, r.Host, s.key.Value)
	r.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s/%s/%s/aws4_request, SignedHeaders=%s, Signature=%s",
		algorithm, p.secrets[id].Value, s.date, s.region, s.service, strings.Join(s.headers, ";"), signature))
	return signature
}

// sign computes the signature of a request.
func (s *signed) sign(r *http.Request, host, key string) string {
	text := strings.Join([]string{
		algorithm, s.stamp, s.date + "/" + s.region + "/" + s.service + "/aws4_request", hexSum([]byte(s.canonical(r, host))),
	}, "\n")
	sum := []byte("AWS4" + key)
	for _, part := range []string{s.date, s.region, s.service, "aws4_request", text} {
		h := hmac.New(sha256.New, sum)
		h.Write([]byte(part))
		sum = h.Sum(nil)
	}
	return hex.EncodeToString(sum)
}

// onceEncoded are the services whose path is encoded once, and not twice.
var onceEncoded = []string{"s3", "s3express", "s3-object-lambda", "s3-outposts"}

// canonical is the form of a request that is signed.
func (s *signed) canonical(r *http.Request, host string) string {
	path := escape(r.URL.Path, "/")
	if !slices.Contains(onceEncoded, s.service) {
		path = escape(path, "/")
	}
	lines := []string{r.Method, path, canonicalQuery(r.URL.RawQuery)}
	for _, name := range s.headers {
		value := host
		switch {
		case name == "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		case name != "host":
			values := slices.Clone(r.Header[http.CanonicalHeaderKey(name)])
			for i, v := range values {
				values[i] = strings.Join(strings.Fields(v), " ")
			}
			value = strings.Join(values, ",")
		}
		lines = append(lines, name+":"+value)
	}
	return strings.Join(append(lines, "", strings.Join(s.headers, ";"), s.hash), "\n")
}

func canonicalQuery(query string) string {
	if query == "" {
		return ""
	}
	var all [][2]string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		var pair [2]string
		for i, text := range []string{name, value} {
			plain, err := url.PathUnescape(text) // + is no space here
			if err != nil {
				plain = text
			}
			pair[i] = escape(plain, "")
		}
		all = append(all, pair)
	}
	slices.SortFunc(all, func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	parts := make([]string, len(all))
	for i, pair := range all {
		parts[i] = pair[0] + "=" + pair[1]
	}
	return strings.Join(parts, "&")
}

// escape encodes all but what RFC 3986 calls unreserved, and what is safe.
func escape(text, safe string) string {
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~"+safe, c) >= 0:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
