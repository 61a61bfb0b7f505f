package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Serve is what only the service for many needs.
type Serve struct {
	Listen  string   `yaml:"listen"`  // address and port; empty: 127.0.0.1:8443
	URL     string   `yaml:"url"`     // as clients know it; empty: http:// and Listen
	Hosts   []string `yaml:"hosts"`   // that requests may name besides that of URL
	Origins []string `yaml:"origins"` // of pages that may call; none: that of URL alone
	Proxies []string `yaml:"proxies"` // addresses of reverse proxies, which say who calls; none: callers come by themselves
	Health  string   `yaml:"health"`  // address and port of /healthz, /readyz and /metrics; empty: none

	TLS          ServeTLS     `yaml:"tls"`
	Issuers      []Issuer     `yaml:"issuers"`
	Tokens       string       `yaml:"tokens"` // file with the hashes of static tokens
	Certificates Certificates `yaml:"certificates"`
	HandleKeys   string       `yaml:"handle_keys"` // file of the keys that all replicas sign handles with
	Shared       Shared       `yaml:"shared"`      // what replicas count together; zero: each by itself
	Limits       ServeLimits  `yaml:"limits"`

	Quota   Quota             `yaml:"quota"`   // of each tenant, and of all principals without one
	Tenants map[string]Tenant `yaml:"tenants"` // by the name that issuers give

	Delay Duration `yaml:"delay"` // not ready for this long before connections are refused; 0: none
	Drain Duration `yaml:"drain"` // for calls that are open then; 0: 30s
}

// ServeTLS names the files of the service's own certificate. They are read
// again when they change.
type ServeTLS struct {
	Cert     string `yaml:"cert"`
	Key      string `yaml:"key"`
	ClientCA string `yaml:"client_ca"` // who may vouch for machines by certificate
}

// Shared is a database, Redis or Valkey, that the replicas of a service have together.
type Shared struct {
	URL          string `yaml:"url"`           // rediss://[USER@]HOST[:PORT][/NUMBER]; empty: none
	Name         string `yaml:"name"`          // of the service, among those that have the database; empty: sallyport
	PasswordFile string `yaml:"password_file"` // empty: none
	CA           string `yaml:"ca"`            // file of who may vouch for the database; empty: whom the system trusts
}

// validate holds that nobody between here and the database can change a count.
func (s Shared) validate() error {
	if s == (Shared{}) {
		return nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "redis" && u.Scheme != "rediss" || !databaseNumber.MatchString(u.Path):
		return bad("serve.shared.url", "is not an address such as rediss://redis.example.com:6379/0")
	case passwordIn(u):
		return bad("serve.shared.url", "has a password, which belongs into the file of password_file")
	case u.Scheme == "redis" && !loopback(net.JoinHostPort(u.Hostname(), "0")):
		return bad("serve.shared.url", "%q is not rediss, which everything but a loopback address needs", s.URL)
	case s.CA != "" && u.Scheme == "redis":
		return bad("serve.shared.ca", "%q is not rediss: nobody has to vouch for it", s.URL)
	case s.Name != "" && !tenantName.MatchString(s.Name):
		return bad("serve.shared.name", "%q is no name for a service: small letters, digits and -, at most 63", s.Name)
	}
	return nil
}

func passwordIn(u *url.URL) bool {
	_, has := u.User.Password()
	return has
}

var databaseNumber = regexp.MustCompile(`^(/[0-9]{0,3})?$`)

// Tenant is a part of the service with everything of its own: policy,
// environments, limits, log.
type Tenant struct {
	Dir    string `yaml:"dir"`    // with its sallyport.yaml, and its log unless that says where
	Tokens string `yaml:"tokens"` // file with the hashes of its static tokens
	Quota  Quota  `yaml:"quota"`  // of this one; no more than serve.quota lets each have
}

// Quota is what a tenant may use at most. Zero is no bound of its own.
type Quota struct {
	CallsPerMinute   int64 `yaml:"calls_per_minute"`    // of all its principals
	Parallel         int64 `yaml:"parallel"`            // runs at a time
	ParallelEach     int64 `yaml:"parallel_each"`       // runs at a time of one principal
	Queue            int64 `yaml:"queue"`               // calls that wait for a run
	CPUSecondsPerDay int64 `yaml:"cpu_seconds_per_day"` // of its runs; a day of UTC
}

// fields are those of q by their keys.
func (q *Quota) fields() map[string]*int64 {
	return map[string]*int64{
		"calls_per_minute": &q.CallsPerMinute, "parallel": &q.Parallel, "parallel_each": &q.ParallelEach,
		"queue": &q.Queue, "cpu_seconds_per_day": &q.CPUSecondsPerDay,
	}
}

// QuotaOf is what a tenant may use; "" names those who have none.
func (s Serve) QuotaOf(tenant string) Quota {
	q, own := s.Quota, s.Tenants[tenant].Quota
	for name, v := range own.fields() {
		if *v > 0 {
			*q.fields()[name] = *v
		}
	}
	return q
}

// validateQuotas holds what tenants may use against what each may.
func (s Serve) validateQuotas() error {
	check := func(key string, q Quota) error {
		fields, most := q.fields(), s.Quota.fields()
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			switch v := *fields[name]; {
			case v < 0 || v > maxQuota:
				return bad(key+"."+name, "%d is not between 0 and %d", v, maxQuota)
			case *most[name] > 0 && v > *most[name]:
				return bad(key+"."+name, "%d is more than serve.quota lets each tenant have, %d", v, *most[name])
			}
		}
		return nil
	}
	if err := check("serve.quota", s.Quota); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tenants)) {
		if err := check("serve.tenants."+name+".quota", s.Tenants[name].Quota); err != nil {
			return err
		}
	}
	return nil
}

const maxQuota = 1 << 30

// Issuer vouches for people and machines: an OpenID provider.
type Issuer struct {
	URL         string   `yaml:"url"`
	Audience    string   `yaml:"audience"`     // of its tokens; empty: URL of the service and /mcp
	Algorithms  []string `yaml:"algorithms"`   // that it signs with; empty: ES256, RS256, PS256, EdDSA
	NameClaim   string   `yaml:"name_claim"`   // empty: preferred_username
	GroupsClaim string   `yaml:"groups_claim"` // empty: its groups count for nothing
	TenantClaim string   `yaml:"tenant_claim"` // empty: its principals are of the one in Tenants, or of none
	Tenants     []string `yaml:"tenants"`      // that it may speak for; empty: any, where no other issuer has a claim
	ScopePrefix string   `yaml:"scope_prefix"` // in front of each of our scopes
	PlainType   bool     `yaml:"plain_type"`   // its access tokens say typ JWT and not at+jwt
}

// Certificates says what machines with a certificate of client_ca may ask for.
type Certificates struct {
	Scopes []string `yaml:"scopes"`
}

// ServeLimits bound what the service takes in. Zero means the default.
type ServeLimits struct {
	BodyMB         int64 `yaml:"body_mb"`          // 32
	Connections    int64 `yaml:"connections"`      // 1024
	Streams        int64 `yaml:"streams"`          // requests at a time; 256
	StreamsEach    int64 `yaml:"streams_each"`     // of one principal; 32
	CallsPerMinute int64 `yaml:"calls_per_minute"` // of one principal; 600
	SessionsEach   int64 `yaml:"sessions_each"`    // open at a time of one principal; 1
}

// serveScopes are what a principal may be allowed to ask for.
var serveScopes = []string{"check", "run", "sessions", "approve"}

// Empty reports whether nothing is said of the service.
func (s Serve) Empty() bool { return reflect.DeepEqual(s, Serve{}) }

func (s Serve) validate() error {
	for _, a := range []struct{ key, value string }{{"listen", s.Listen}, {"health", s.Health}} {
		if a.value == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(a.value); err != nil {
			return bad("serve."+a.key, "%q is not an address and a port, such as 127.0.0.1:8443", a.value)
		}
	}
	if (s.TLS.Cert == "") != (s.TLS.Key == "") {
		return bad("serve.tls", "cert and key go together")
	}
	if s.TLS.ClientCA != "" && s.TLS.Cert == "" {
		return bad("serve.tls.client_ca", "certificates of clients need cert and key of the service")
	}
	if s.TLS.Cert == "" && s.Listen != "" && !loopback(s.Listen) {
		return bad("serve.listen", "%q can be reached by others than this machine, and so needs serve.tls", s.Listen)
	}
	for i, p := range s.Proxies {
		if _, err := netip.ParseAddr(p); err != nil {
			return bad(fmt.Sprintf("serve.proxies[%d]", i), "%q is not an address, such as 127.0.0.1", p)
		}
	}
	if s.URL != "" {
		if err := plainURL(s.URL); err != nil {
			return bad("serve.url", "%w", err)
		}
	}
	if len(s.Certificates.Scopes) > 0 && s.TLS.ClientCA == "" {
		return bad("serve.certificates", "serve.tls.client_ca says whose certificates count, and is missing")
	}
	if err := knownScopes("serve.certificates.scopes", s.Certificates.Scopes); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, x := range s.Issuers {
		if err := plainURL(x.URL); err != nil {
			return bad(fmt.Sprintf("serve.issuers[%d].url", i), "%w", err)
		}
		if seen[x.URL] {
			return bad(fmt.Sprintf("serve.issuers[%d]", i), "%s is there twice", x.URL)
		}
		seen[x.URL] = true
		for _, alg := range x.Algorithms {
			if !slices.Contains(algorithms, alg) {
				return bad(fmt.Sprintf("serve.issuers[%d].algorithms", i), "%q is not one of %s", alg, strings.Join(algorithms, ", "))
			}
		}
	}
	if err := s.speakForTenants(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tenants)) {
		if !tenantName.MatchString(name) {
			return bad("serve.tenants."+name, "%q is no name for a tenant: small letters, digits and -, at most 63", name)
		}
		if s.Tenants[name].Dir == "" {
			return bad("serve.tenants."+name+".dir", "is missing: it holds the tenant's sallyport.yaml")
		}
	}
	if err := s.validateQuotas(); err != nil {
		return err
	}
	if err := s.Shared.validate(); err != nil {
		return err
	}
	limits := map[string]int64{
		"body_mb": s.Limits.BodyMB, "connections": s.Limits.Connections, "streams": s.Limits.Streams,
		"streams_each": s.Limits.StreamsEach, "calls_per_minute": s.Limits.CallsPerMinute, "sessions_each": s.Limits.SessionsEach,
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if v := limits[name]; v < 0 || v > 1<<20 {
			return bad("serve.limits."+name, "%d is not between 0 and %d", v, 1<<20)
		}
	}
	return nil
}

// speakForTenants holds the issuers to what they may vouch for: one of them must
// not name another's tenant.
func (s Serve) speakForTenants() error {
	claims := 0
	for _, x := range s.Issuers {
		if x.TenantClaim != "" {
			claims++
		}
	}
	for i, x := range s.Issuers {
		at := fmt.Sprintf("serve.issuers[%d].tenants", i)
		for _, name := range x.Tenants {
			if _, ok := s.Tenants[name]; !ok {
				return bad(at, "there is no tenant %q in serve.tenants", name)
			}
		}
		switch {
		case x.TenantClaim == "" && len(x.Tenants) > 1:
			return bad(at, "without tenant_claim nobody knows which of them a token is of: name one")
		case x.TenantClaim != "" && len(x.Tenants) == 0 && claims > 1:
			return bad(at, "is missing: with more than one issuer each says which tenants it may speak for")
		}
	}
	return nil
}

// WithDefaults fills in what the operator left open.
func (c Serve) WithDefaults() Serve {
	set := func(n *int64, value int64) {
		if *n == 0 {
			*n = value
		}
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8443"
	}
	set(&c.Limits.BodyMB, 32)
	set(&c.Limits.Connections, 1024)
	set(&c.Limits.Streams, 256)
	set(&c.Limits.StreamsEach, 32)
	set(&c.Limits.CallsPerMinute, 600)
	c.Shared.Name = cmp.Or(c.Shared.Name, "sallyport")
	if c.Drain == 0 {
		c.Drain = Duration(30 * time.Second)
	}
	return c
}

var tenantName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func knownScopes(key string, scopes []string) error {
	for _, s := range scopes {
		if !slices.Contains(serveScopes, s) {
			return bad(key, "%q is not one of %s", s, strings.Join(serveScopes, ", "))
		}
	}
	return nil
}

// plainURL refuses an address that could be read in two ways, or that speaks in
// the clear to another machine.
func plainURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(text, "| "):
		return fmt.Errorf("%q is not a plain address, such as https://login.example.com", text)
	case u.Scheme == "https", u.Scheme == "http" && loopback(net.JoinHostPort(u.Hostname(), "0")):
		return nil
	}
	return fmt.Errorf("%q is not https, which everything but a loopback address needs", text)
}

// loopback reports whether an address can be reached from this machine alone.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

func (s *Serve) resolve(abs func(*string)) {
	for _, p := range []*string{&s.TLS.Cert, &s.TLS.Key, &s.TLS.ClientCA, &s.Tokens, &s.HandleKeys, &s.Shared.PasswordFile, &s.Shared.CA} {
		abs(p)
	}
	for name, t := range s.Tenants {
		abs(&t.Dir)
		abs(&t.Tokens)
		s.Tenants[name] = t
	}
}
