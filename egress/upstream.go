package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// upstream is the proxy of an organisation, through which hosts are reached. It
// looks their names up by itself.
type upstream struct {
	address string
	tls     *tls.Config // to the proxy itself; nil: none
	login   string      // a header's line that says who asks, or ""
}

// lookupLimit is for the look at a name that the proxy looks up anyway.
const lookupLimit = 2 * time.Second

func newUpstream(u *url.URL, t *tls.Config) (*upstream, error) {
	if u == nil {
		return nil, nil
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	switch {
	case port == "" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("egress proxy: write http://host:port or https://host:port")
	case u.Port() != "":
		port = u.Port()
	}
	login, err := login(u.User)
	if err != nil {
		return nil, err
	}
	p := &upstream{address: net.JoinHostPort(u.Hostname(), port), login: login}
	if u.Scheme == "https" {
		p.tls = t.Clone()
		p.tls.ServerName = u.Hostname()
	}
	return p, nil
}

// login is how a proxy is told who asks. An error has nothing of the password.
func login(user *url.Userinfo) (string, error) {
	password, set := user.Password()
	switch {
	case user == nil:
		return "", nil
	case user.Username() == "":
		return "", errors.New("egress proxy: a password needs a user: write http://user@host:port")
	case !set || password == "":
		return "", errors.New("egress proxy: a user needs a password")
	case strings.Contains(user.Username(), ":") || strings.ContainsFunc(user.Username()+password, unicode.IsControl):
		return "", errors.New("egress proxy: its user or its password cannot be sent as Basic")
	}
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)) + "\r\n", nil
}

// through connects to a host by way of the proxy. A name that leads inside of
// the network as seen from here is refused; what is not known here is the proxy's
// to judge.
func (g guard) through(ctx context.Context, host string, port int) (net.Conn, error) {
	look, cancel := context.WithTimeout(ctx, lookupLimit)
	found, _ := g.lookup(look, "ip", host)
	cancel()
	for _, a := range found {
		if err := g.check(a); err != nil {
			return nil, err
		}
	}
	ctx, cancel = context.WithTimeout(ctx, dialLimit)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", g.proxy.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	tunnel, err := g.proxy.connect(c, net.JoinHostPort(host, strconv.Itoa(port)))
	if !stop() || err != nil {
		_ = c.Close()
		return nil, &net.OpError{Op: "proxy", Net: "tcp", Err: errors.Join(err, ctx.Err())}
	}
	return tunnel, nil
}

// connect asks the proxy for a tunnel.
func (p *upstream) connect(c net.Conn, target string) (net.Conn, error) {
	if p.tls != nil {
		c = tls.Client(c, p.tls)
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, target, p.login); err != nil {
		return nil, err
	}
	in := bufio.NewReader(io.LimitReader(c, maxHostHeader))
	res, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect})
	switch {
	case err != nil:
		return nil, errors.New("it does not answer as HTTP wants it")
	case res.StatusCode == http.StatusProxyAuthRequired && p.login == "":
		return nil, errors.New("it wants a user and a password")
	case res.StatusCode == http.StatusProxyAuthRequired:
		return nil, errors.New("it refuses the user and the password")
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers %d", res.StatusCode)
	case in.Buffered() > 0:
		return nil, errors.New("it speaks before the host is asked")
	}
	return c, nil
}
