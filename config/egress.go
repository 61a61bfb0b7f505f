package config

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
)

// Egress is what the programs of an environment may reach. Without it they
// have no network.
type Egress struct {
	Limits EgressLimits `yaml:"limits"`
	Allow  []EgressRule `yaml:"allow"`
	CA     string       `yaml:"ca"`    // certificates in PEM that vouch for hosts; empty: those of this machine
	Proxy  string       `yaml:"proxy"` // URL of one through which hosts are reached; empty: none

	ProxyPassword *Password `yaml:"proxy_password"` // of the user in Proxy; nil: there is none
}

// Password is a Secret of which programs have nothing.
type Password struct {
	Env  string   `yaml:"env"`
	File string   `yaml:"file"`
	Exec []string `yaml:"exec"`
}

// Secret says where the password comes from.
func (p Password) Secret() Secret { return Secret{Env: p.Env, File: p.File, Exec: p.Exec} }

// EgressLimits bounds one run. Zero means the default.
type EgressLimits struct {
	Requests    int64 `yaml:"requests"`
	Connections int64 `yaml:"connections"` // at a time
	SentMB      int64 `yaml:"sent_mb"`
	ReceivedMB  int64 `yaml:"received_mb"`
}

// EgressRule allows requests.
type EgressRule struct {
	Name      string   `yaml:"name"`
	Host      string   `yaml:"host"`      // exact, or *. and a name for everything below it
	Ports     []int    `yaml:"ports"`     // empty: 443
	Methods   []string `yaml:"methods"`   // empty: GET and HEAD
	Paths     []string `yaml:"paths"`     // exact, or with a final *; empty: all
	Addresses []string `yaml:"addresses"` // of the host, which is not looked up then; the only way to one inside of the network
	Opaque    bool     `yaml:"opaque"`    // TLS to the host is carried, and nobody looks into it
}

// Broker says where a secret may be used that programs never get.
type Broker struct {
	Rule    string   `yaml:"rule"`    // name of an egress rule
	Headers []string `yaml:"headers"` // that it may stand in; empty: Authorization
	Basic   bool     `yaml:"basic"`   // it may be a part of Basic authorization

	// Sign is "sigv4" where requests are signed with the value in place of all that.
	Sign     string   `yaml:"sign"`
	ID       string   `yaml:"id"`       // the secret with the ID of the access key
	Token    string   `yaml:"token"`    // the one with its session token; empty: none
	Regions  []string `yaml:"regions"`  // that may be signed for
	Services []string `yaml:"services"` // likewise
}

// validateEgress says what is wrong with what an environment may reach, and
// with its secrets in view of that. Rules themselves are package egress's.
func (e Environment) validateEgress(at string) error {
	if e.Egress == nil {
		for _, v := range slices.Sorted(maps.Keys(e.Secrets)) {
			if e.Secrets[v].Broker != nil {
				return bad(at+".secrets."+v, "broker needs egress in the same environment: without it programs reach nothing")
			}
		}
		return nil
	}
	l := e.Egress.Limits
	for _, limit := range []struct {
		name  string
		value int64
	}{{"requests", l.Requests}, {"connections", l.Connections}, {"sent_mb", l.SentMB}, {"received_mb", l.ReceivedMB}} {
		if limit.value < 0 || limit.value > maxLimit {
			return bad(at+".egress.limits."+limit.name, "%d is not between 0 and %d", limit.value, maxLimit)
		}
	}
	if p := e.Egress.ProxyPassword; p != nil {
		switch {
		case !p.Secret().oneSource():
			return bad(at+".egress.proxy_password", "needs one of env, file and exec")
		case e.Egress.Proxy == "":
			return bad(at+".egress.proxy_password", "there is no proxy that it is for")
		}
	}
	if len(e.Egress.Allow) == 0 {
		return bad(at+".egress", "allow is empty, so that nothing could be reached: give it a rule, or leave egress out")
	}
	seen := map[string]bool{}
	for i, r := range e.Egress.Allow {
		rule := fmt.Sprintf("%s.egress.allow[%d]", at, i)
		if seen[r.Name] {
			return bad(rule, "there are two rules %q", r.Name)
		}
		seen[r.Name] = true
		for _, a := range r.Addresses {
			if _, err := netip.ParseAddr(a); err != nil {
				return bad(rule, "rule %q: %q is not an address", r.Name, a)
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(e.Secrets)) {
		switch s := e.Secrets[v]; {
		case s.Broker == nil && !s.Exposed:
			return bad(at+".secrets."+v, "programs could send its value to every host that they reach: give it a broker, or say exposed: true")
		case s.Broker != nil && s.Exposed:
			return bad(at+".secrets."+v, "broker and exposed exclude each other")
		case s.Broker != nil && !seen[s.Broker.Rule]:
			return bad(at+".secrets."+v+".broker", "there is no rule %q in egress.allow", s.Broker.Rule)
		case s.Broker != nil && s.Broker.Sign != "" && s.Broker.Sign != "sigv4":
			return bad(at+".secrets."+v+".broker.sign", "%q is no way to sign: there is sigv4", s.Broker.Sign)
		case s.Broker != nil && s.Broker.Sign == "" && (s.Broker.ID != "" || s.Broker.Token != "" || len(s.Broker.Regions)+len(s.Broker.Services) > 0):
			return bad(at+".secrets."+v+".broker", "id, token, regions and services are for sign: sigv4")
		}
	}
	return nil
}
