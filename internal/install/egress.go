package install

import (
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"time"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/egress"
	"sallyport/internal/hint"
	"sallyport/internal/trust"
	"sallyport/policy"
	"sallyport/telemetry"
)

// proxy makes the way out of an environment, with those secrets that it puts
// into requests.
func proxy(env lookup, c config.Environment, read func(lookup, config.Secret) (string, error)) (*egress.Proxy, error) {
	brokered, err := brokered(env, c, read)
	if err != nil {
		return nil, err
	}
	const mb = 1 << 20
	l := c.Egress.Limits
	o := egress.Options{Limits: egress.Limits{Requests: l.Requests, Connections: l.Connections, Sent: l.SentMB * mb, Received: l.ReceivedMB * mb}}
	if o.Rules, err = egressRules(c); err != nil {
		return nil, err
	}
	for _, v := range slices.Sorted(maps.Keys(brokered)) {
		b := c.Secrets[v].Broker
		secret := egress.Secret{Name: v, Value: brokered[v], Rule: b.Rule, Headers: b.Headers, Basic: b.Basic}
		if b.Sign != "" {
			secret.Sign = &egress.SigV4{ID: b.ID, Token: b.Token, Regions: b.Regions, Services: b.Services}
		}
		o.Secrets = append(o.Secrets, secret)
	}
	if c.Egress.CA != "" {
		const what = "egress: the certificates of hosts"
		if err := trust.Path(what, c.Egress.CA); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(c.Egress.CA)
		if err != nil {
			return nil, fmt.Errorf(what+": %w", err)
		}
		o.Roots = x509.NewCertPool()
		if !o.Roots.AppendCertsFromPEM(text) {
			return nil, errors.New(what + ": there is none in " + c.Egress.CA)
		}
		o.Trust = text
	} else {
		o.Trust = systemRoots()
	}
	if o.Upstream, err = upstream(env, c.Egress, read); err != nil {
		return nil, err
	}
	return egress.New(o)
}

// upstream is the operator's proxy, and what it is told of us. Nil: there is none.
func upstream(env lookup, e *config.Egress, read func(lookup, config.Secret) (string, error)) (*url.URL, error) {
	if e.Proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(e.Proxy)
	if err != nil {
		return nil, errors.New("egress proxy: it is no URL") // the error would show a password
	}
	if _, written := u.User.Password(); written {
		return nil, hint.With(errors.New("egress proxy: its password does not stand in a configuration"), "say proxy_password: {env: …}, {file: …} or {exec: […]}, and leave the user alone in proxy")
	}
	if e.ProxyPassword == nil {
		return u, nil
	}
	password, err := read(env, e.ProxyPassword.Secret())
	if err != nil {
		return nil, hint.While(err, "password of the egress proxy")
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u, nil
}

// systemRoots are the certificates that this machine trusts, as far as they
// are in one file.
func systemRoots() []byte {
	for _, path := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"} {
		if text, err := os.ReadFile(path); err == nil {
			return text
		}
	}
	return nil
}

func egressRules(c config.Environment) (all []egress.Rule, err error) {
	for _, r := range c.Egress.Allow {
		rule := egress.Rule{Name: r.Name, Host: r.Host, Ports: r.Ports, Methods: r.Methods, Paths: r.Paths, Opaque: r.Opaque}
		for _, text := range r.Addresses {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("egress rule %q: %q is not an address", r.Name, text)
			}
			rule.Addresses = append(rule.Addresses, address)
		}
		all = append(all, rule)
	}
	return all, nil
}

// checkEnvironments refuses commands for secrets that are not there, and a way
// out that cannot work.
func (s *Setup) checkEnvironments(e *policy.Engine) error {
	for _, name := range slices.Sorted(maps.Keys(s.Config.Environments)) {
		c := s.Config.Environments[name]
		for _, v := range slices.Sorted(maps.Keys(c.Secrets)) {
			if len(c.Secrets[v].Exec) == 0 {
				continue
			}
			if _, err := program(s.opts.Env, c.Secrets[v]); err != nil {
				return hint.While(err, "environment %s: secret %s", name, v)
			}
		}
		if c.Egress == nil {
			continue
		}
		if err := checkOut(s, e, c); err != nil {
			return s.places().egress(name, hint.While(err, "environment %s", name))
		}
	}
	return nil
}

func checkOut(s *Setup, e *policy.Engine, c config.Environment) error {
	for _, r := range e.Rules() {
		if r.Capability == "network" && r.Effective == policy.ActionDeny && r.Unless == "" {
			return hint.With(fmt.Errorf("rule %s denies the network, so that nothing could be reached", r.ID), "let programs use it with policy.overrides: {%s: warn}; what they reach is still what egress allows", r.ID)
		}
	}
	_, err := proxy(s.opts.Env, c, unread)
	return err
}

// brokered has the secrets read that the proxy puts into requests. Programs do
// not get them.
func brokered(env lookup, c config.Environment, read func(lookup, config.Secret) (string, error)) (map[string]string, error) {
	values := map[string]string{}
	for v, from := range c.Secrets {
		if from.Broker == nil {
			continue
		}
		value, err := read(env, from)
		if err != nil {
			return nil, hint.While(err, "secret %s", v)
		}
		values[v] = value
	}
	return values, nil
}

// exchange is what telemetry may know of a request that has ended, or was
// refused.
func exchange(rec audit.Record) (telemetry.Exchange, bool) {
	x := rec.Egress
	if x == nil || rec.Event == audit.EventEgress && x.Allowed {
		return telemetry.Exchange{}, false
	}
	e := telemetry.Exchange{Rule: x.Rule, Outcome: "refused"}
	if rec.Event == audit.EventEgressEnd {
		e.Sent, e.Received, e.Took = x.SentBytes, x.ReceivedBytes, time.Duration(x.Micros)*time.Microsecond
		e.Outcome = fmt.Sprintf("%dxx", x.Status/100)
		if x.Status == 0 {
			e.Outcome = "unseen"
		}
		if x.Error != "" {
			e.Outcome = "failed"
		}
	}
	return e, true
}
