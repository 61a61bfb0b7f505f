package config

import (
	"strings"
	"testing"
)

// Each row is refused for one thing alone.
func TestServeRefuses(t *testing.T) {
	const two = "tenants: {acme: {dir: a}, globex: {dir: g}}, "
	for serve, want := range map[string]string{
		"listen: nowhere":                                                 "not an address and a port",
		"listen: '0.0.0.0:8443'":                                          "needs serve.tls",
		"tls: {cert: a.pem}":                                              "cert and key go together",
		"tls: {client_ca: a.pem}":                                         "need cert and key",
		"url: 'http://sandbox.example'":                                   "is not https",
		"certificates: {scopes: [run]}":                                   "client_ca says whose certificates count",
		"issuers: [{url: 'https://a.example/?x'}]":                        "is not a plain address",
		"issuers: [{url: 'https://a'}, {url: 'https://a'}]":               "is there twice",
		"tenants: {Acme: {dir: a}}":                                       "is no name for a tenant",
		"tenants: {acme: {}}":                                             "dir: is missing",
		"proxies: [proxy.example]":                                        "serve.proxies[0]: \"proxy.example\" is not an address",
		"quota: {parallel: -1}":                                           "serve.quota.parallel: -1 is not between",
		"tenants: {acme: {dir: a, quota: {cpu_seconds_per_day: -1}}}":     "is not between",
		"quota: {queue: 2}, tenants: {acme: {dir: a, quota: {queue: 3}}}": "serve.tenants.acme.quota.queue: 3 is more than",
		"limits: {streams: -1}":                                           "is not between",
		"issuers: [{url: 'https://a', tenants: [acme]}]":                  `there is no tenant "acme"`,
		"shared: {name: a}":                                               "serve.shared.url: is not an address",
		"shared: {url: 'redis://redis.example'}":                          "is not rediss",
		"shared: {url: 'rediss://:sesame@redis.example'}":                 "password_file",
		"shared: {url: 'rediss://redis.example?read_timeout=9h'}":         "is not an address such as",
		"shared: {url: 'rediss://redis.example/one'}":                     "is not an address such as",
		"shared: {url: 'https://redis.example'}":                          "is not an address such as",
		"shared: {url: 'rediss://redis.example', name: 'a:b'}":            "is no name for a service",
		"shared: {url: 'redis://127.0.0.1', ca: a.pem}":                   "nobody has to vouch",
		two + "issuers: [{url: 'https://a', tenants: [acme, globex]}]":    "without tenant_claim nobody knows",
		two + "issuers: [{url: 'https://a', tenant_claim: org, tenants: [acme]}, {url: 'https://b', tenant_claim: org}]": "issuers[1].tenants: is missing",
	} {
		if _, err := Parse(strings.NewReader("serve: {" + serve + "}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", serve, err, want)
		}
	}
	for _, serve := range []string{
		"listen: '127.0.0.1:0'", "shared: {url: 'redis://localhost:6380/1'}",
		"shared: {url: 'rediss://user@redis.example', name: one, password_file: p, ca: a.pem}",
		"url: 'https://sandbox.example'",
		two + "issuers: [{url: 'https://a', tenant_claim: org}, {url: 'https://b'}]",
		two + "issuers: [{url: 'https://a', tenant_claim: org, tenants: [acme]}, {url: 'https://b', tenants: [globex]}]",
	} {
		if _, err := Parse(strings.NewReader("serve: {" + serve + "}\n")); err != nil {
			t.Errorf("%s: %v", serve, err)
		}
	}
}

// A tenant has what each has, and what it has of its own where that is less.
func TestQuotaOf(t *testing.T) {
	c, err := Parse(strings.NewReader("serve: {quota: {parallel: 4, queue: 9}, tenants: {acme: {dir: a, quota: {parallel: 2, parallel_each: 1}}, globex: {dir: g}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Quota{"": {Parallel: 4, Queue: 9}, "globex": {Parallel: 4, Queue: 9}, "acme": {Parallel: 2, ParallelEach: 1, Queue: 9}} {
		if got := c.Serve.QuotaOf(name); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

// Who answers what a rule asks is said so that it can be held against people.
func TestAsk(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{by: [group:approvers, \"principal:https://login.example|7\", scope:approve], not: requester, within: 24h}": "",
		"{}":                           "",
		"{within: 1m}":                 "ask.by",
		"{not: requester}":             "ask.by",
		"{by: [approvers]}":            "ask.by",
		"{by: [\"group:\"]}":           "ask.by",
		"{by: [user:bob]}":             "ask.by",
		"{by: [group:a], not: nobody}": "ask.not",
		"{by: [group:a], within: 25h}": "ask.within",
		"{by: group:a}":                "a list",

		"{by: [group:a], webhook: {url: 'https://hooks.example/x', secret_file: s}}":   "",
		"{by: [group:a], webhook: {url: 'http://127.0.0.1:9', secret_file: s}}":        "",
		"{webhook: {url: 'https://hooks.example', secret_file: s}}":                    "ask.by",
		"{by: [group:a], webhook: {url: 'https://hooks.example'}}":                     "ask.webhook.secret_file",
		"{by: [group:a], webhook: {secret_file: s}}":                                   "ask.webhook.url",
		"{by: [group:a], webhook: {url: 'http://hooks.example', secret_file: s}}":      "is not https",
		"{by: [group:a], webhook: {url: 'https://a:b@hooks.example', secret_file: s}}": "is not a plain address",
		"{by: [group:a], webhook: {url: 'file:///etc/passwd', secret_file: s}}":        "is not a plain address",
	} {
		_, err := Parse(strings.NewReader("ask: " + text + "\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
