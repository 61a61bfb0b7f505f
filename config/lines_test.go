package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestErrorsNameTheLine makes each value wrong that a configuration can have
// wrong, and looks for its line.
func TestErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		line int
	}{
		{"limits:\n  timeout: 1s\n  pids: -1\n", 3},
		{"sandbox:\n  backend: none\n", 2},
		{"sandbox:\n  engine:\n    images:\n      python: x\n      perl: x\n", 5},
		{"policy:\n  overrides:\n    a: deny\n    b: allow\n", 4},
		{"policy:\n  exceptions:\n    - id: a\n      rule: b\n    - {id: c}\n", 3},
		{"policy:\n  exceptions:\n  - {id: a, rule: b, owner: c, reason: d, expires: 2027-01-31}\n  - {id: a, rule: b, owner: c, reason: d, expires: 2027-01-31}\n", 4},
		{"policy:\n  catalog:\n    python: {}\n    perl: {}\n", 4},
		{"policy:\n  signing:\n    algorithm: HS256\n", 3},
		{"files:\n  ok: {path: /srv}\n  none: {mode: read}\n", 3},
		{"files:\n  ok: {path: /srv}\n  'a b': {path: /srv}\n", 3},
		{"environments:\n  a.b:\n    env:\n      A: x\n      PATH: x\n", 5},
		{"environments:\n  a:\n    mounts:\n      - {source: /srv, target: /data}\n      - {source: /srv, target: /etc}\n", 5},
		{"environments:\n  a:\n    secrets:\n      A: {}\n", 4},
		{"environments:\n  a:\n    egress:\n      allow:\n        - {name: a, host: a.example}\n        - {name: a, host: b.example}\n", 6},
		{"environments:\n  a:\n    egress:\n      limits:\n        sent_mb: -1\n      allow: []\n", 5},
		{"serve:\n  listen: nowhere\n", 2},
		{"serve:\n  issuers:\n    - url: https://a.example\n    - url: http://a.example\n", 4},
		{"serve:\n  tenants:\n    ok: {dir: /srv}\n    none: {}\n", 4},
		{"serve:\n  limits:\n    streams: -1\n", 3},
		{"telemetry:\n  otlp:\n    protocol: smoke\n", 3},
		{"mcp:\n  shown_kb: -1\n", 2},
		{"limits: &l\n  pids: -1\n", 2},
	} {
		if _, err := Parse(strings.NewReader(tt.text)); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", tt.line)) {
			t.Errorf("%s\n%v, want line %d", tt.text, err, tt.line)
		}
	}
}

// Keys that come by an alias or a merge have the line where they are written.
func TestLines(t *testing.T) {
	t.Parallel()
	c, err := Parse(strings.NewReader("environments:\n  a: &a\n    description: x\n    env: {B: x}\n  b:\n    <<: *a\n    description: y\n  c: *a\n"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{
		"environments.a.description": 3, "environments.b.description": 7, "environments.b.env.B": 4, "environments.c": 8, "environments.c.env.B": 4,
		"environments.a.mounts": 2, "environments.none": 1, "limits.pids": 0, "": 0,
	} {
		if got := c.Lines.Of(key); got != want {
			t.Errorf("%s stands on line %d, want %d", key, got, want)
		}
	}
}
