package egress

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVectors signs requests that AWS published with their signatures: those of
// its suite for Signature Version 4, and those of the manual of S3.
func TestVectors(t *testing.T) {
	t.Parallel()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	suite := signed{date: "20150830", stamp: "20150830T123600Z", region: "us-east-1", service: "service", hash: empty}
	s3 := signed{date: "20130524", stamp: "20130524T000000Z", region: "us-east-1", service: "s3", hash: empty}
	for _, tt := range []struct {
		signed
		method, url, headers, hash, want string
	}{
		{suite, "GET", "https://example.amazonaws.com/", "", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{suite, "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "", "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{suite, "POST", "https://example.amazonaws.com/", "Content-Type: application/x-www-form-urlencoded", hexSum([]byte("Param1=value1")), "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
		{s3, "GET", "https://examplebucket.s3.amazonaws.com/test.txt", "Range: bytes=0-9|X-Amz-Content-Sha256: " + empty, "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{s3, "PUT", "https://examplebucket.s3.amazonaws.com/test%24file.text", "Date: Fri, 24 May 2013 00:00:00 GMT|X-Amz-Storage-Class: REDUCED_REDUNDANCY|X-Amz-Content-Sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{s3, "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle", "X-Amz-Content-Sha256: " + empty, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{s3, "GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "X-Amz-Content-Sha256: " + empty, "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		r, err := http.NewRequest(tt.method, tt.url, nil)
		check(t, err)
		s := tt.signed
		r.Header.Set("X-Amz-Date", s.stamp)
		for line := range strings.SplitSeq(tt.headers, "|") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		s.headers = []string{"host"}
		for name := range r.Header {
			s.headers = append(s.headers, strings.ToLower(name))
		}
		slices.Sort(s.headers)
		if tt.hash != "" {
			s.hash = tt.hash
		}
		key := "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
		if s.service == "s3" {
			key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
		}
		if got := s.sign(r, r.Host, key); got != tt.want {
			t.Errorf("%s %s: %s, want %s of\n%s", tt.method, tt.url, got, tt.want, s.canonical(r, r.Host))
		}
	}
	// Paths are encoded twice for all but S3 (botocore's signature).
	r, err := http.NewRequest("GET", "https://example.amazonaws.com/example%20space/", nil)
	check(t, err)
	r.Header.Set("X-Amz-Date", suite.stamp)
	suite.headers = []string{"host", "x-amz-date"}
	if got := suite.sign(r, r.Host, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"); got != "446b817944c553435b35e813c261ff4e161fff982d1bacdef1c87f6785dd1662" {
		t.Errorf("with a space: %s", got)
	}
}

const (
	realID    = "AKIAREALREALREALREAL"
	realKey   = "real/secret+key/0123456789abcdefghijklmn"
	realToken = "real-session-token-0123456789-0123456789-0123456789"
)

func withAWS(c *config) {
	c.Rules[0].Methods = []string{"GET", "PUT", "POST"}
	c.Secrets = []Secret{
		{Name: "ID", Value: realID, Rule: "api"},
		{Name: "SECRET", Value: realKey, Rule: "api", Sign: &SigV4{ID: "ID", Token: "TOKEN", Regions: []string{"eu-central-1"}, Services: []string{"s3", "dynamodb"}}},
		{Name: "TOKEN", Value: realToken, Rule: "api"},
	}
}

// request is one that a program signs, and what an attack changes of it.
type request struct {
	*http.Request
	signed
	id, key string
	body    []byte
	after   func(*http.Request) // it was signed
}

func (r *rig) signedRequest(t *testing.T, edit func(*request)) *http.Request {
	t.Helper()
	now, sentinels := time.Now().UTC(), r.proxy.Sentinels()
	q := &request{id: sentinels["ID"], key: sentinels["SECRET"], body: []byte("body"), after: func(*http.Request) {}}
	q.signed = signed{region: "eu-central-1", service: "s3", stamp: now.Format(stampForm), hash: hexSum(q.body)}
	var err error
	q.Request, err = http.NewRequest("PUT", r.url("/v1/echo?b=2&a=1%20x"), nil)
	check(t, err)
	q.Header.Set("X-Amz-Security-Token", sentinels["TOKEN"])
	edit(q)
	q.Header.Set("X-Amz-Date", q.stamp)
	q.date = q.stamp[:8]
	if q.hash != "" {
		q.Header.Set(hashHeader, q.hash)
	}
	if q.headers == nil {
		q.headers = []string{"host"}
		for name := range q.Header {
			q.headers = append(q.headers, strings.ToLower(name))
		}
		slices.Sort(q.headers)
	}
	s := q.signed
	if s.hash == "" {
		s.hash = hexSum(q.body)
	}
	q.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s/%s/%s/aws4_request, SignedHeaders=%s, Signature=%s",
		algorithm, q.id, q.date, q.region, q.service, strings.Join(q.headers, ";"), s.sign(q.Request, q.Host, q.key)))
	q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(q.body)), int64(len(q.body))
	q.after(q.Request)
	return q.Request
}

var aSignature = regexp.MustCompile(`Signature=([0-9a-f]{64})`)

// TestSigV4 has requests signed again that the program signed with the sentinels.
func TestSigV4(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*request){
		"hashed":           func(*request) {},
		"unsigned":         func(q *request) { q.hash = "UNSIGNED-PAYLOAD" },
		"chunks, unsigned": func(q *request) { q.hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER" },
		"without a hash":   func(q *request) { q.hash, q.service = "", "dynamodb" },
		"range": func(q *request) {
			q.Method, q.body, q.hash = "GET", nil, hexSum(nil)
			q.Header.Set("Range", "bytes=0-3")
		},
		"encoding is signed":   func(q *request) { q.Header.Set("Accept-Encoding", "gzip") },
		"path to be encoded":   func(q *request) { q.URL.Path = "/v1/echo" },
		"header with spaces":   func(q *request) { q.Header.Set("X-Amz-Meta-A", "a   b") },
		"two lines of a thing": func(q *request) { q.Header["X-Amz-Meta-A"] = []string{"a", "b"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, withAWS)
			q := r.signedRequest(t, edit)
			before := aSignature.FindStringSubmatch(q.Header.Get("Authorization"))[1]
			res, err := r.client(t).Do(q)
			check(t, err)
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != 200 {
				t.Fatalf("%d %s", res.StatusCode, body)
			}
			last := r.h.last.Load()
			s, err := readSignature(last.Header)
			check(t, err)
			if s.hash == "" {
				s.hash = hexSum([]byte("body"))
			}
			if s.id != realID || s.sign(last, last.Host, realKey) != s.signature || last.Header.Get("X-Amz-Security-Token") != realToken {
				t.Errorf("the host cannot verify %v", last.Header)
			}
			for what, text := range map[string]string{"id": realID, "key": realKey, "token": realToken, "signature": s.signature} {
				if strings.Contains(string(body), text) || strings.Contains(res.Header.Get("X-Auth"), text) {
					t.Errorf("the program sees the %s: %s", what, body)
				}
			}
			if !strings.Contains(res.Header.Get("X-Auth"), before) {
				t.Errorf("the program does not see its own signature: %v", res.Header)
			}
			if res.ContentLength != int64(len(body)) {
				t.Errorf("length %d of %d bytes", res.ContentLength, len(body))
			}
			for _, e := range r.recorded(t) {
				if e.Allowed && !slices.Equal(e.Secrets, []string{"ID", "TOKEN", "SECRET"}) {
					t.Errorf("on record: %q", e.Secrets)
				}
			}
		})
	}
}

// TestSigV4Attacks: what the sentinels do not sign, or not for what is allowed,
// is not signed again, and nothing is dialled.
func TestSigV4Attacks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		edit func(*request)
		want string
	}{
		"another key":            {func(q *request) { q.key = "guessed" }, "is not signed with it"},
		"the value as a guess":   {func(q *request) { q.key = realKey }, "is not signed with it"},
		"another region":         {func(q *request) { q.region = "us-east-1" }, "this region"},
		"another service":        {func(q *request) { q.service = "sts" }, "this service"},
		"tomorrow":               {func(q *request) { q.stamp = time.Now().UTC().Add(24 * time.Hour).Format(stampForm) }, "not the time"},
		"no date":                {func(q *request) { q.after = func(r *http.Request) { r.Header.Del("X-Amz-Date") } }, "not the time"},
		"signed chunks":          {func(q *request) { q.hash = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" }, "over chunks"},
		"signed chunks, trailer": {func(q *request) { q.hash = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" }, "over chunks"},
		"another path":           {func(q *request) { q.after = func(r *http.Request) { r.URL.Path = "/v1/other" } }, "is not signed with it"},
		"another query":          {func(q *request) { q.after = func(r *http.Request) { r.URL.RawQuery = "a=2" } }, "is not signed with it"},
		"another method":         {func(q *request) { q.after = func(r *http.Request) { r.Method = "POST" } }, "is not signed with it"},
		"a header more":          {func(q *request) { q.after = func(r *http.Request) { r.Header.Set("X-Amz-Acl", "public-read") } }, "X-Amz-… is not signed"},
		"host not signed":        {func(q *request) { q.headers = []string{"x-amz-content-sha256", "x-amz-date"} }, "has to be signed with"},
		"not there":              {func(q *request) { q.headers = []string{"host", "x-other"} }, "not passed on"},
		"other body": {func(q *request) {
			q.hash, q.service = "", "dynamodb"
			q.after = func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("evil")) }
		}, "is not signed with it"},
		"too large to be held": {func(q *request) { q.hash, q.service, q.body = "", "dynamodb", make([]byte, maxHeld+1) }, "too large"},
		"presigned": {func(q *request) {
			q.after = func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "X-Amz-Credential=" + q.id }
		}, "signature in the query"},
		"another algorithm": {func(q *request) {
			q.after = func(r *http.Request) {
				r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), algorithm, "AWS4-ECDSA-P256-SHA256", 1))
			}
		}, "has to be signed with"},
		"the ID as a password": {func(q *request) { q.after = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+q.id) } }, "has to be signed with"},
		"the key as a password": {func(q *request) {
			q.after = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+q.key) }
		}, "SECRET stands where it may not"},
		"the key beside a signature": {func(q *request) { q.Header.Set("X-Amz-Meta-Key", q.key) }, "SECRET stands where it may not"},
		"the token alone":            {func(q *request) { q.after = func(r *http.Request) { r.Header.Del("Authorization") } }, "has to be signed with"},
		"the token elsewhere":        {func(q *request) { q.Header.Set("X-Amz-Meta-Key", q.Header.Get("X-Amz-Security-Token")) }, "TOKEN stands where it may not"},
		"an ID of its own":           {func(q *request) { q.id = "AKIAOTHER" }, "another access key"},
		"the ID in a comment": {func(q *request) {
			id := q.id
			q.id = "AKIAOTHER" + id
		}, "another access key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, withAWS)
			res, err := r.client(t).Do(r.signedRequest(t, tt.edit))
			check(t, err)
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != 403 && res.StatusCode != 413 || !strings.Contains(string(body), tt.want) || r.h.dialled(t) > 0 {
				t.Errorf("%d %s, %d dials; want %q", res.StatusCode, body, r.h.dialled(t), tt.want)
			}
			if r.recorded(t); r.held.Load() != 0 {
				t.Errorf("%d bytes are still held", r.held.Load())
			}
		})
	}
}

// TestSigV4Neighbours: a header between two neighbours is not passed on, so that
// a signature over it is none behind the proxy.
func TestSigV4Neighbours(t *testing.T) {
	t.Parallel()
	r := newRig(t, withAWS)
	for name, refused := range map[string]bool{"X-Other": false, "Connection": true, "Te": true} {
		q := r.signedRequest(t, func(q *request) { q.Header.Set(name, "trailers") })
		s, err := readSignature(q.Header)
		check(t, err)
		s.key = &r.proxy.secrets[slices.IndexFunc(r.proxy.secrets, func(s secret) bool { return s.Name == "SECRET" })]
		if err := s.belongs(r.proxy, q, time.Now()); (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSigV4Options: each case changes one thing of what is valid.
func TestSigV4Options(t *testing.T) {
	for want, edit := range map[string]func(s []Secret){
		"what it may sign for":      func(s []Secret) { s[1].Sign.Regions = nil },
		"may sign for":              func(s []Secret) { s[1].Sign.Services = nil },
		"\"NONE\" is none":          func(s []Secret) { s[1].Sign.ID = "NONE" },
		"\"\" is none":              func(s []Secret) { s[1].Sign.ID = "" },
		"\"OTHER\" is none":         func(s []Secret) { s[1].Sign.Token = "OTHER" },
		"\"SECRET\" is none":        func(s []Secret) { s[1].Sign.Token = "SECRET" },
		"\"ID\" is none":            func(s []Secret) { s[1].Sign.Token = "ID" },
		"stands in no header":       func(s []Secret) { s[1].Headers = []string{"X"} },
		"of its own choice":         func(s []Secret) { s[0].Headers = []string{"X"} },
		"TOKEN is for another rule": func(s []Secret) { s[2].Rule = "other" },
	} {
		c := config{Options: Options{Rules: []Rule{{Name: "api", Host: apiHost}, {Name: "other", Host: "other.example"}}}}
		withAWS(&c)
		if _, err := New(c.Options); err != nil {
			t.Fatal(err)
		}
		edit(c.Secrets)
		if _, err := New(c.Options); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), realKey) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
