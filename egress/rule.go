package egress

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Rule allows requests. Hosts, ports, methods and paths all have to fit.
type Rule struct {
	Name      string
	Host      string       // a name, or *. and a name: everything below it, not itself
	Ports     []int        // none: 443; port 443 is https alone
	Methods   []string     // none: GET and HEAD
	Paths     []string     // exact, or with a final * for everything that begins so; none: all
	Addresses []netip.Addr // of the host, which then is not looked up; they may be inside of the network
	Opaque    bool         // TLS is carried to the host, and nobody looks into it: no methods, paths and secrets
}

// RuleError is an error about a rule.
type RuleError struct {
	Rule string // its name
	err  error
}

func (e *RuleError) Error() string { return e.err.Error() }
func (e *RuleError) Unwrap() error { return e.err }

// check says what is wrong with a rule: a *RuleError.
func (r Rule) check() error {
	fail := func(format string, v ...any) error {
		return &RuleError{r.Name, fmt.Errorf("egress rule %q: %w", r.Name, fmt.Errorf(format, v...))}
	}
	if r.Name == "" {
		return &RuleError{"", fmt.Errorf("egress rule for host %q has no name", r.Host)}
	}
	host := strings.TrimPrefix(r.Host, "*.")
	if _, err := netip.ParseAddr(host); err == nil {
		return fail("host %q is an address: give it a name, and the address under addresses", r.Host)
	}
	if plain, err := hostName(host); err != nil || plain != host {
		return fail("host %q is not a host name in lower case", r.Host)
	}
	for _, port := range r.Ports {
		if port < 1 || port > 65535 {
			return fail("%d is not a port", port)
		}
	}
	if r.Opaque && len(r.Methods)+len(r.Paths) > 0 {
		return fail("it is opaque: nobody sees methods and paths")
	}
	for _, m := range r.Methods {
		if !slices.Contains(methods, m) {
			return fail("method %q is not one of %s", m, strings.Join(methods, ", "))
		}
	}
	for _, p := range r.Paths {
		if err := checkPath(p); err != nil {
			return fail("path %q: %w", p, err)
		}
	}
	return nil
}

// checkOpaque says which rule is for the same host and port as an opaque one:
// there is no telling which of them a connection is for.
func checkOpaque(rules []Rule) error {
	for i, r := range rules {
		for _, other := range rules[:i] {
			both := r.Opaque != other.Opaque && (r.hasHost(other.below()) || other.hasHost(r.below()))
			if both && slices.ContainsFunc(r.ports(), func(port int) bool { return slices.Contains(other.ports(), port) }) {
				return &RuleError{r.Name, fmt.Errorf("egress rule %q: rule %q is for the same host, and one of the two is opaque", r.Name, other.Name)}
			}
		}
	}
	return nil
}

// methods are those that a rule can allow; no other one passes.
var methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

func checkPath(pattern string) error {
	exact := strings.TrimSuffix(pattern, "*")
	if strings.Contains(exact, "*") {
		return errors.New("a * can stand at its end only")
	}
	if !plainPath(exact, exact) {
		return errors.New("it has to begin with / and be in normal form")
	}
	return nil
}

func (r Rule) ports() []int {
	if len(r.Ports) == 0 {
		return []int{443}
	}
	return r.Ports
}

func (r Rule) methods() []string {
	if len(r.Methods) == 0 {
		return []string{"GET", "HEAD"}
	}
	return r.Methods
}

func (r Rule) hasHost(host string) bool {
	if below, wild := strings.CutPrefix(r.Host, "*"); wild {
		return len(host) > len(below) && strings.HasSuffix(host, below)
	}
	return host == r.Host
}

// below is a host of the rule.
func (r Rule) below() string { return strings.Replace(r.Host, "*", "x", 1) }

func (r Rule) hasPath(path string) bool {
	return len(r.Paths) == 0 || slices.ContainsFunc(r.Paths, func(pattern string) bool {
		begin, open := strings.CutSuffix(pattern, "*")
		return path == pattern || open && strings.HasPrefix(path, begin)
	})
}

// find returns the first rule that allows a request, or what no rule has.
func find(rules []Rule, q Request) (*Rule, string) {
	missing := "host is not allowed"
	for i := range rules {
		r := &rules[i]
		switch {
		case !r.hasHost(q.Host):
		case !slices.Contains(r.ports(), q.Port):
			missing = "port is not allowed"
		case q.Scheme == "http" && q.Port == 443:
			missing = "port 443 is for https"
		case r.Opaque && q.Method != http.MethodConnect:
			missing = "only TLS is let through, unseen: CONNECT tls://" + q.authority()
		case r.Opaque:
			return r, ""
		case !slices.Contains(r.methods(), q.Method):
			missing = "method is not allowed"
		case !r.hasPath(q.Path):
			missing = "path is not allowed"
		default:
			return r, ""
		}
	}
	return nil, missing
}

// Find names the first rule that allows a request, or says what no rule has.
func Find(rules []Rule, q Request) (rule, missing string) {
	r, missing := find(rules, q)
	if r == nil {
		return "", missing
	}
	return r.Name, ""
}

// String says what a rule allows, in one line.
func (r Rule) String() string {
	var out strings.Builder
	methods := strings.Join(r.methods(), ",")
	if r.Opaque {
		methods = "TLS, unseen,"
	}
	fmt.Fprintf(&out, "%s %s", methods, r.Host)
	if ports := r.ports(); !slices.Equal(ports, []int{443}) {
		out.WriteString(":" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ports)), ","), "[]"))
	}
	if len(r.Paths) > 0 {
		out.WriteString(" " + strings.Join(r.Paths, " "))
	}
	return out.String()
}
