package config

import (
	"strings"
	"testing"
)

// Each row is refused for one thing alone.
func TestServeRefuses(t *testing.T) {
	const two = "tenants: {acme: {dir: a}, globex: {dir: g}}, "
	for serve, want := range map[string]string{
		"listen: nowhere":                                              "not an address and a port",
		"listen: '0.0.0.0:8443'":                                       "needs serve.tls",
		"tls: {cert: a.pem}":                                           "cert and key go together",
		"tls: {client_ca: a.pem}":                                      "need cert and key",
		"url: 'http://sandbox.example'":                                "is not https",
		"certificates: {scopes: [run]}":                                "client_ca says whose certificates count",
		"issuers: [{url: 'https://a.example/?x'}]":                     "is not a plain address",
		"issuers: [{url: 'https://a'}, {url: 'https://a'}]":            "is there twice",
		"tenants: {Acme: {dir: a}}":                                    "is no name for a tenant",
		"tenants: {acme: {}}":                                          "dir: is missing",
		"limits: {streams: -1}":                                        "is not between",
		"issuers: [{url: 'https://a', tenants: [acme]}]":               `there is no tenant "acme"`,
		two + "issuers: [{url: 'https://a', tenants: [acme, globex]}]": "without tenant_claim nobody knows",
		two + "issuers: [{url: 'https://a', tenant_claim: org, tenants: [acme]}, {url: 'https://b', tenant_claim: org}]": "issuers[1].tenants: is missing",
	} {
		if _, err := Parse(strings.NewReader("serve: {" + serve + "}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", serve, err, want)
		}
	}
	for _, serve := range []string{
		"listen: '127.0.0.1:0'", "url: 'https://sandbox.example'",
		two + "issuers: [{url: 'https://a', tenant_claim: org}, {url: 'https://b'}]",
		two + "issuers: [{url: 'https://a', tenant_claim: org, tenants: [acme]}, {url: 'https://b', tenants: [globex]}]",
	} {
		if _, err := Parse(strings.NewReader("serve: {" + serve + "}\n")); err != nil {
			t.Errorf("%s: %v", serve, err)
		}
	}
}
