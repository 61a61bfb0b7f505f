package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Policy chooses what code is judged by.
type Policy struct {
	Packs      []string                     `yaml:"packs"`      // built-in packs by name; empty means baseline
	Dirs       []string                     `yaml:"dirs"`       // directories with the operator's own Rego
	Bundles    []string                     `yaml:"bundles"`    // OPA bundles, tar.gz
	Signing    Signing                      `yaml:"signing"`    // of bundles
	Overrides  map[string]string            `yaml:"overrides"`  // rule id to action
	Exceptions []Exception                  `yaml:"exceptions"` // narrow cases in which a rule does not decide
	Catalog    map[string]map[string]string `yaml:"catalog"`    // by language, symbol pattern to capabilities
	Runtime    string                       `yaml:"runtime"`    // what comes of a running program that does what is denied: stop (empty), observe or require
}

// Signing says who may make policies. With Keys, every bundle must be signed
// by one of them.
type Signing struct {
	Required  bool              `yaml:"required"`  // also refuse directories, which cannot be signed
	Algorithm string            `yaml:"algorithm"` // such as RS256; empty means ES256
	Keys      map[string]string `yaml:"keys"`      // key id to the path of a PEM public key
}

// Exception lets one rule pass in a narrow case, for a time. ID, Rule, Owner,
// Reason and Expires are required; the lists narrow it further.
type Exception struct {
	ID           string   `yaml:"id"`
	Rule         string   `yaml:"rule"`
	Owner        string   `yaml:"owner"`
	Reason       string   `yaml:"reason"`
	Expires      Date     `yaml:"expires"` // from then on the rule decides again
	Symbols      []string `yaml:"symbols"`
	SHA256       []string `yaml:"sha256"`
	Languages    []string `yaml:"languages"`
	Clients      []string `yaml:"clients"`
	Users        []string `yaml:"users"`
	Groups       []string `yaml:"groups"`
	Environments []string `yaml:"environments"`
}

// Date is a day, written 2027-01-31, or a moment in RFC 3339. A day stands for
// its first moment in UTC.
type Date time.Time

// UnmarshalYAML reads a date.
func (d *Date) UnmarshalYAML(n *yaml.Node) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, n.Value); err == nil {
			*d = Date(t)
			return nil
		}
	}
	return fmt.Errorf("line %d: %q is not a date such as 2027-01-31", n.Line, n.Value)
}

// actions that an override may give a rule.
var actions = []string{"deny", "ask", "warn", "log"}

// runtimes are what may come of a running program that does what is denied.
var runtimes = []string{"stop", "observe", "require"}

// algorithms that bundles may be signed with: all with a public key, because a
// secret that verifies could also sign.
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

func (p Policy) validate() error {
	for _, id := range slices.Sorted(maps.Keys(p.Overrides)) {
		if !slices.Contains(actions, p.Overrides[id]) {
			return bad("policy.overrides."+id, "%q is not one of %s", p.Overrides[id], strings.Join(actions, ", "))
		}
	}
	if p.Runtime != "" && !slices.Contains(runtimes, p.Runtime) {
		return bad("policy.runtime", "%q is not one of %s", p.Runtime, strings.Join(runtimes, ", "))
	}
	seen := map[string]bool{}
	for i, x := range p.Exceptions {
		if err := x.validate(); err != nil {
			return bad(fmt.Sprintf("policy.exceptions[%d]", i), "%w", err)
		}
		if seen[x.ID] {
			return bad(fmt.Sprintf("policy.exceptions[%d]", i), "the id %q is used twice", x.ID)
		}
		seen[x.ID] = true
	}
	for _, lang := range slices.Sorted(maps.Keys(p.Catalog)) {
		if lang != "python" && lang != "javascript" {
			return bad("policy.catalog."+lang, "%q is not one of python, javascript", lang)
		}
	}
	return p.Signing.validate()
}

func (x Exception) validate() error {
	for _, f := range []struct{ name, value string }{
		{"id", x.ID}, {"rule", x.Rule}, {"owner", x.Owner}, {"reason", x.Reason},
	} {
		if strings.TrimSpace(f.value) == "" {
			return fmt.Errorf("an exception needs %s: it must be clear who lets what pass, and why", f.name)
		}
	}
	if time.Time(x.Expires).IsZero() {
		return errors.New("an exception needs expires, the date from which the rule decides again")
	}
	return nil
}

func (s Signing) validate() error {
	if s.Required && len(s.Keys) == 0 {
		return bad("policy.signing", "required without keys: name the public keys that may sign")
	}
	if s.Algorithm != "" && !slices.Contains(algorithms, s.Algorithm) {
		return bad("policy.signing.algorithm", "%q is not one of %s", s.Algorithm, strings.Join(algorithms, ", "))
	}
	return nil
}

// resolve makes the paths absolute.
func (p *Policy) resolve(abs func(*string)) {
	for i := range p.Dirs {
		abs(&p.Dirs[i])
	}
	for i := range p.Bundles {
		abs(&p.Bundles[i])
	}
	for id, path := range p.Signing.Keys {
		abs(&path)
		p.Signing.Keys[id] = path
	}
}
