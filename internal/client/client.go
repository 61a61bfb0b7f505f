// Package client asks a service of sallyport over HTTP.
//
// What a service answers is not trusted further than it has to be: its words are
// made fit to be shown, its size is bounded, and a redirection is not followed,
// because it would take the token and the program elsewhere.
package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"sallyport/answer"
	"sallyport/internal/hint"
)

const (
	tokenVariable = "SALLYPORT_TOKEN"
	maxAnswer     = 512 << 20 // of the service's, whole
	maxRefusal    = 64 << 10
	maxFile       = 1 << 20 // a token, or authorities
)

// Options says which service is asked, and with which proof.
type Options struct {
	Server    string // its address, as people write it
	TokenFile string // "" is the variable SALLYPORT_TOKEN
	CA        string // file of the authorities that vouch for it; "" are those of this machine
	Version   string // of the program that asks

	Env func(string) (string, bool) // as os.LookupEnv
}

// Client asks one service. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	agent string
	http  *http.Client
	most  int64 // bytes of an answer
	after func(time.Duration) <-chan time.Time
}

// New returns a Client, or says what is wrong with the options.
func New(o Options) (*Client, error) {
	c := &Client{agent: "sallyport/" + o.Version, most: maxAnswer, after: time.After}
	var err error
	if c.base, err = address(o.Server); err != nil {
		return nil, err
	}
	if c.token, err = o.token(); err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: time.Minute,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if o.CA != "" {
		pem, err := readSmall(o.CA)
		if err != nil {
			return nil, hint.While(err, "--ca")
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, hint.With(hint.Usage("--ca: %s holds no certificate", o.CA), "a file of certificates in PEM, such as the authority's ca.pem")
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// address reads where a service is. A token goes over TLS, or does not leave this
// machine.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, hint.With(hint.Usage("--server: %q is no address of a service", text), "such as https://sandbox.example")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, hint.With(hint.Usage("--server: an address has no password, no ? and no #"), "the token is in $%s, or in the file of --token-file", tokenVariable)
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, hint.With(hint.Usage("--server: %s is another machine, and its address is without TLS: everybody on the way could read the token", u.Host), "https://%s", u.Host)
	}
	return u, nil
}

func (o Options) token() (string, error) {
	text, from := "", "$"+tokenVariable
	if o.TokenFile != "" {
		b, err := readSmall(o.TokenFile)
		if err != nil {
			return "", hint.While(err, "--token-file")
		}
		text, from = string(b), o.TokenFile
	} else if o.Env != nil {
		text, _ = o.Env(tokenVariable)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && o.TokenFile == "":
		return "", hint.With(hint.Usage("there is no token for --server"), "put it in $%s, or name its file with --token-file", tokenVariable)
	case text == "" || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return "", hint.With(hint.Usage("%s holds no token", from), "one line, as the provider, or sallyport serve token, gave it")
	}
	return text, nil
}

func readSmall(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, hint.Usage("cannot read %s: %s", name, hint.Reason(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil || len(b) > maxFile {
		return nil, hint.Usage("cannot read %s: it is no file of at most %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// Do sends what in is as JSON, nil for nothing, and reads the answer into out.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, method, path, "application/json", in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(http.MaxBytesReader(nil, resp.Body, c.most)).Decode(out); err != nil {
		return c.unreadable(err)
	}
	return nil
}

// Events sends what in is as JSON, and hands over each event of the answer until
// on returns an error, or there are no more. An answer that is no stream is one
// event, of the kind "answer".
func (c *Client) Events(ctx context.Context, path string, in any, on func(kind string, data []byte) error) error {
	resp, err := c.send(ctx, http.MethodPost, path, "text/event-stream, application/json;q=0.5", in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := http.MaxBytesReader(nil, resp.Body, c.most)
	if mediaType(resp) != "text/event-stream" {
		data, err := io.ReadAll(body)
		if err != nil {
			return c.unreadable(err)
		}
		return on("answer", data)
	}
	kind, data, r := "", []byte(nil), bufio.NewReader(body)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return c.unreadable(err)
		}
		line = bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case string(field) == "event":
			kind = string(value)
		case string(field) == "data" && data == nil:
			data = value
		case string(field) == "data":
			data = append(append(data, '\n'), value...)
		case len(line) == 0 && data != nil:
			if err := on(kind, data); err != nil {
				return err
			}
			kind, data = "", nil
		}
	}
}

func mediaType(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// send makes a request, and returns an answer that is no refusal.
func (c *Client) send(ctx context.Context, method, path, accept string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept", accept)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, c.refused(resp)
	}
	return resp, nil
}

// unreachable is the error of a service that did not answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	fix := "is sallyport serve running there?"
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		fix = "--ca FILE names the authority that vouches for it"
	case errors.As(err, &name):
		fix = "call it by a name that its certificate is for"
	case errors.As(err, &invalid):
		fix = "its operator renews the certificate"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		fix = "it speaks no TLS: is its address http://" + c.base.Host + "?"
	}
	return hint.New(shown(err.Error()), fix, "cannot reach %s", c.base)
}

func (c *Client) unreadable(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Errorf("the answer of %s is larger than %d MiB", c.base, large.Limit>>20)
	}
	return hint.New(shown(err.Error()), "sallyport audit search there says what came of it", "the answer of %s did not come whole", c.base)
}

// Refused is the error of a service that does not do what it was asked for.
type Refused struct {
	Status int
	Reason string        // a word, such as "quota"; "" where no service of ours answered
	Detail string        // a sentence of the service's, fit to be shown
	Wait   time.Duration // until it is worth trying again; 0: nobody knows
}

func (r *Refused) Error() string {
	if r.Detail == "" {
		return strconv.Itoa(r.Status) + " " + http.StatusText(r.Status)
	}
	return r.Detail
}

// refusal is the error of a refusal's status and body, with what to do about it.
func (c *Client) refusal(r *Refused) error {
	later := "try again later"
	if r.Wait > 0 {
		later = "try again in " + r.Wait.String()
	}
	switch {
	case r.Reason == "" && r.Status/100 == 3:
		return hint.New(r, "its address is another one", "%s sends on to somewhere else, and nothing follows", c.base)
	case r.Reason == "":
		return hint.New(r, "is it the address of a sallyport serve?", "%s does not answer as a service of sallyport does", c.base)
	case r.Status == http.StatusBadRequest, r.Status == http.StatusNotFound:
		return hint.Usage("%s: %w", c.base, r)
	case r.Status == http.StatusUnauthorized:
		return hint.New(r, "it may have ended, or be of another service; sallyport serve token makes static ones", "%s does not take the token", c.base)
	case r.Reason == "insufficient_scope":
		return hint.New(r, "get a token with that scope; sallyport serve token NAME --scope SCOPES makes one", "%s", c.base)
	case r.Status == http.StatusRequestEntityTooLarge:
		return hint.New(r, "send less; serve.limits.body_mb is its operator's", "%s", c.base)
	case r.Status == http.StatusMisdirectedRequest:
		return hint.New(r, "call it by the name in its serve.url, or one of serve.hosts", "%s", c.base)
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable:
		return hint.New(r, later, "%s", c.base)
	}
	return hint.New(r, "its operator's log says more", "%s", c.base)
}

func (c *Client) refused(resp *http.Response) error {
	b, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what is missing is not said
	r := &Refused{Status: resp.StatusCode}
	if mediaType(resp) == "application/json" {
		r.read(b)
	}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		r.Wait = time.Duration(n) * time.Second
	}
	return c.refusal(r)
}

// read takes what a service says of a refusal.
func (r *Refused) read(b []byte) {
	var said struct{ Error, Detail string }
	if json.Unmarshal(b, &said) == nil {
		r.Reason, r.Detail = string(shown(said.Error)), string(shown(said.Detail))
	}
}

// shown is somebody else's text, fit to be shown.
func shown(s string) text { return text(answer.Visible(answer.Clip(answer.OneLine(s), 1000))) }

type text string

func (t text) Error() string { return string(t) }
