package egress

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Request is what is judged and recorded: a request in its normal form. Fields
// are empty as far as a request could not be read.
type Request struct {
	Rule      string   `json:"rule"`
	Scheme    string   `json:"scheme"`
	Method    string   `json:"method"`
	Host      string   `json:"host"`
	Port      int      `json:"port"`
	Path      string   `json:"path"` // decoded: in its normal form there is one way to encode it
	Query     string   `json:"query"`
	Headers   []string `json:"headers"` // names, in lower case, sorted
	Length    int64    `json:"length"`  // of the body, -1 when it is not known
	Nth       int64    `json:"nth"`     // request of the run, from 1
	BytesSent int64    `json:"bytes_sent"`
}

// refusal is the answer to a request that is not sent.
type refusal struct {
	status int
	reason string
}

func refuse(status int, reason string) *refusal { return &refusal{status, reason} }

// demand is one thing that every request has to meet. It may fill in what it has read.
type demand struct {
	name   string
	refuse func(r *http.Request, q *Request) *refusal
}

// demands are those on every request, in order.
func demands() []demand {
	return []demand{
		{"method", wrongMethod}, {"form", wrongForm}, {"host", noHost}, {"one host", twoHosts}, {"port", wrongPort},
		{"name of the TLS", wrongName}, {"path", oddPath}, {"upgrade", upgrades}, {"headers", oddHeaders},
	}
}

// read brings a request into the one form that is judged. What other servers
// could read as another request is refused.
func read(all []demand, r *http.Request, port int) (Request, *refusal) {
	q := Request{Scheme: "http", Method: r.Method, Port: port, Length: r.ContentLength}
	if r.TLS != nil {
		q.Scheme = "https"
	}
	for name := range r.Header {
		q.Headers = append(q.Headers, strings.ToLower(name))
	}
	slices.Sort(q.Headers)
	for _, c := range all {
		if no := c.refuse(r, &q); no != nil {
			return q, no
		}
	}
	return q, nil
}

func wrongMethod(r *http.Request, q *Request) *refusal {
	if slices.Contains(methods, r.Method) {
		return nil
	}
	q.Method = ""
	if r.Method == http.MethodConnect {
		return refuse(http.StatusBadRequest, "CONNECT has no meaning here")
	}
	return refuse(http.StatusBadRequest, "method is not allowed anywhere")
}

// wrongForm: net/http has put the host of an absolute URI over that of the header.
func wrongForm(r *http.Request, _ *Request) *refusal {
	if r.URL.IsAbs() && (r.TLS != nil || r.URL.Scheme != "http" || r.URL.User != nil) {
		return refuse(http.StatusBadRequest, "form of the request")
	}
	return nil
}

func noHost(r *http.Request, q *Request) *refusal {
	host, _, err := splitHost(r.Host, q.Port)
	if err != nil {
		return refuse(http.StatusBadRequest, "host is no host name")
	}
	q.Host = host
	return nil
}

// twoHosts: HTTP/2 has room for two.
func twoHosts(r *http.Request, _ *Request) *refusal {
	if slices.ContainsFunc(r.Header["Host"], func(h string) bool { return h != r.Host }) {
		return refuse(http.StatusBadRequest, "two hosts")
	}
	return nil
}

func wrongPort(r *http.Request, q *Request) *refusal {
	if _, named, err := splitHost(r.Host, q.Port); err != nil || named != q.Port {
		return refuse(http.StatusMisdirectedRequest, "port is not that of the connection")
	}
	return nil
}

func wrongName(r *http.Request, q *Request) *refusal {
	if r.TLS == nil {
		return nil
	}
	if sni, err := hostName(r.TLS.ServerName); err != nil || sni != q.Host {
		return refuse(http.StatusMisdirectedRequest, "host is not that of the connection")
	}
	return nil
}

func oddPath(r *http.Request, q *Request) *refusal {
	q.Path, q.Query = r.URL.Path, r.URL.RawQuery
	if !plainPath(r.URL.EscapedPath(), r.URL.Path) {
		q.Path, q.Query = "", ""
		return refuse(http.StatusBadRequest, "path is not in its normal form")
	}
	return nil
}

func upgrades(r *http.Request, _ *Request) *refusal {
	if r.Header.Get("Upgrade") != "" {
		return refuse(http.StatusNotImplemented, "upgrades are not supported")
	}
	return nil
}

func oddHeaders(r *http.Request, _ *Request) *refusal {
	if reason := oddHeader(r); reason != "" {
		return refuse(http.StatusBadRequest, reason)
	}
	return nil
}

// Parse reads a request as people write one: METHOD URL.
func Parse(text string) (Request, error) {
	method, address, _ := strings.Cut(strings.TrimSpace(text), " ")
	r, err := http.NewRequest(method, strings.TrimSpace(address), nil)
	if err == nil && method == http.MethodConnect && r.URL.Scheme == "tls" {
		host, port, err := splitHost(r.Host, 443)
		if err != nil || r.URL.User != nil || r.URL.Path != "" || r.URL.RawQuery != "" {
			return Request{}, fmt.Errorf("%q is no tunnel; write for instance: CONNECT tls://host:443", text)
		}
		return tunnelled(host, port, 1, 0), nil
	}
	if err != nil || r.Host == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.User != nil {
		return Request{}, fmt.Errorf("%q is no request; write for instance: GET https://host/path", text)
	}
	port := map[string]int{"http": 80, "https": 443}[r.URL.Scheme]
	host, port, err := splitHost(r.Host, port)
	if err != nil {
		return Request{}, fmt.Errorf("%q: host is no host name", text)
	}
	if r.URL.Scheme == "https" {
		r.TLS = &tls.ConnectionState{ServerName: host}
	}
	if r.URL.Path == "" {
		r.URL.Path = "/"
	}
	r.URL.Scheme, r.URL.Host = "", "" // as it comes in
	q, no := read(demands(), r, port)
	if no != nil {
		return Request{}, fmt.Errorf("%q: %s", text, no.reason)
	}
	q.Nth, q.Headers = 1, []string{}
	return q, nil
}

// splitHost returns the name and the port of a Host header.
func splitHost(hostport string, port int) (string, int, error) {
	host := hostport
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return "", 0, err
		}
		host, port = h, int(n)
	}
	host, err := hostName(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return host, port, err
}

var errHost = errors.New("no host name")

// hostName returns a host in the one form that is judged: lower case, A-labels
// and no final dot, or an address.
func hostName(host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil && a.Zone() == "" {
		return a.Unmap().String(), nil
	}
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil || host == "" || len(host) > 253 || strings.Contains(host, "..") {
		return "", errHost
	}
	// A name whose last label is a number is an address to some (WHATWG URL, 3.5).
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] >= '0' && last[0] <= '9' {
		return "", errHost
	}
	return host, nil
}

// plainPath reports whether every server reads a path as we do.
func plainPath(escaped, path string) bool {
	if path == "" || path[0] != '/' || strings.Contains(path, "//") || strings.ContainsAny(path, "%?#\\") {
		return false // what is left of these after decoding is decoded again by some
	}
	for segment := range strings.SplitSeq(path, "/") {
		name, _, _ := strings.Cut(segment, ";")
		if name != "" && strings.Trim(name, ". ") == "" { // some leave out spaces and points at the end of a name
			return false
		}
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) {
		return false
	}
	return !strings.Contains(strings.ToLower(escaped), "%2f")
}

// overrides are headers with which servers see another request than the one
// that is judged.
var overrides = []string{"x-method-override", "x-host", "x-real-ip", "forwarded", "proxy-authorization", "proxy-connection"}

// overridesBegin is how others of them begin, which are many.
var overridesBegin = []string{"x-forwarded-", "x-original-", "x-rewrite-", "x-http-", "x-envoy-original-"}

// oddHeader says what is wrong with the headers of a request.
func oddHeader(r *http.Request) string {
	for _, value := range r.Header["Connection"] {
		for option := range strings.SplitSeq(value, ",") {
			switch strings.ToLower(strings.TrimSpace(option)) {
			case "", "close", "keep-alive", "te":
			default:
				return "Connection names a header"
			}
		}
	}
	if len(r.Trailer) > 0 {
		return "trailers are not supported"
	}
	for name := range r.Header {
		plain := strings.ToLower(name)
		switch {
		case strings.Contains(plain, "_"):
			return "a header with _ in its name is read in two ways"
		case slices.Contains(overrides, plain), slices.ContainsFunc(overridesBegin, func(begin string) bool { return strings.HasPrefix(plain, begin) }):
			return "a header that makes another request of it"
		}
	}
	return ""
}

// weight is what a request's head takes, without its framing.
func weight(r *http.Request) int64 {
	n := len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return int64(n)
}
