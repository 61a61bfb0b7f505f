package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/internal/hint"
)

const valid = `policy:
  packs: [strict]
  dirs: [rules, /srv/rules]
  bundles: [acme.tar.gz]
  signing:
    required: true
    algorithm: ES256
    keys: {acme: acme.pem}
  overrides: {network: warn}
  exceptions:
    - id: EX-1
      rule: process
      owner: jane@acme.example
      reason: nightly report
      expires: 2027-01-31
      symbols: [subprocess.run]
  catalog:
    python: {acme.net: network}
sandbox:
  backend: gvisor
limits:
  timeout: 10s
  memory_mb: 256
audit:
  keep_code: denied
mcp:
  sessions: {enabled: true, idle: 5m, max: 2}
`

func TestParse(t *testing.T) {
	got, err := Parse(strings.NewReader(valid))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Policy: Policy{
			Packs: []string{"strict"}, Dirs: []string{"rules", "/srv/rules"}, Bundles: []string{"acme.tar.gz"},
			Signing:   Signing{Required: true, Algorithm: "ES256", Keys: map[string]string{"acme": "acme.pem"}},
			Overrides: map[string]string{"network": "warn"},
			Exceptions: []Exception{{
				ID: "EX-1", Rule: "process", Owner: "jane@acme.example", Reason: "nightly report",
				Expires: Date(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)), Symbols: []string{"subprocess.run"},
			}},
			Catalog: map[string]map[string]string{"python": {"acme.net": "network"}},
		},
		Sandbox: Sandbox{Backend: "gvisor"},
		Limits:  Limits{Timeout: Duration(10 * time.Second), MemoryMB: 256},
		Audit:   Audit{KeepCode: "denied"},
		MCP:     MCP{Sessions: Sessions{Enabled: true, Idle: Duration(5 * time.Minute), Max: 2}},
	}
	if line := got.Lines.Of("policy.exceptions[0].symbols[0]"); line != 16 {
		t.Errorf("a symbol stands on line %d, want 16", line)
	}
	if len(got.SHA256) != 64 {
		t.Errorf("its digest is %q", got.SHA256)
	}
	got.Lines, got.SHA256 = nil, ""
	sameDate := cmp.Comparer(func(a, b Date) bool { return time.Time(a).Equal(time.Time(b)) })
	if d := cmp.Diff(want, got, sameDate); d != "" {
		t.Error(d)
	}
}

// Each case changes one thing of a configuration that is valid.
func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown key", "policy:", "polcy:", `line 1: there is no key "polcy" here`},
		{"too many sessions", "max: 2", "max: 257", "mcp.sessions.max: 257"},
		{"sessions for no time", "idle: 5m", "idle: -5m", "not a duration"},
		{"unknown nested key", "packs", "pack", `there is no key "pack" here`},
		{"unknown backend", "backend: gvisor", "backend: none", `"none" is not one of`},
		{"bare duration", "timeout: 10s", "timeout: 10", "line 22"},
		{"unknown language of an image", "backend: gvisor", "engine: {images: {perl: x}}", `"perl" is not one of`},
		{"negative duration", "timeout: 10s", "timeout: -1s", "not a duration"},
		{"negative limit", "memory_mb: 256", "memory_mb: -1", "not between"},
		{"limit that overflows", "memory_mb: 256", "memory_mb: 99999999999999", "not between"},
		{"memory that nothing starts in", "memory_mb: 256", "memory_mb: 1", "not between 16 and"},
		{"memory that no machine has", "memory_mb: 256", "memory_mb: 1048577", "not between"},
		{"processes", "memory_mb: 256", "pids: 65537", "not between"},
		{"output", "memory_mb: 256", "output_kb: 1048577", "not between"},
		{"a file", "memory_mb: 256", "file_mb: 1048577", "not between"},
		{"a disk", "memory_mb: 256", "disk_mb: 1048577", "not between"},
		{"files", "memory_mb: 256", "artifacts: 65537", "not between"},
		{"files that come back", "memory_mb: 256", "artifacts_mb: 1048577", "not between"},
		{"time", "memory_mb: 256", "cpu: 1000h", "1000h0m0s is more than 24h0m0s"},
		{"unknown action", "{network: warn}", "{network: allow}", "policy.overrides.network: \"allow\" is not one of"},
		{"nobody's exception", "owner: jane@acme.example", "owner: ' '", "needs owner"},
		{"baseless exception", "reason: nightly report", "reason:", "needs reason"},
		{"endless exception", "expires: 2027-01-31", "languages: [python]", "needs expires"},
		{"odd date", "2027-01-31", "31.1.2027", "is not a date such as"},
		{"misspelt exception key", "symbols:", "symbol:", `there is no key "symbol" here`},
		{"unknown language", "python: {acme", "perl: {acme", "\"perl\" is not one of"},
		{"signing without keys", "keys: {acme: acme.pem}", "keys: {}", "required without keys"},
		{"shared secret", "ES256", "HS256", "signing.algorithm"},
		{"unknown retention", "keep_code: denied", "keep_code: some", "keep_code"},
		{"negative rotation", "keep_code: denied", "rotate_mb: -1", "rotate_mb"},
		{"unknown member of a mask", "keep_code: denied", "mask: [{path: /caller/user, with: x}]", "with"},
		{"two inboxes", "audit:", "inbox: {path: in}\nfiles: {inbox: {path: other}}\naudit:", "files.inbox: this name is that of the inbox"},
		{"second document", "audit:", "---\naudit:", "more than one"},
		{"duplicate key", "audit:", "limits: {}\naudit:", "already defined"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(strings.Replace(valid, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse() = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	p := filepath.Join(dir, "sallyport.yaml")
	if c, err := Load(p); err != nil || c.Path != "" {
		t.Errorf("Load of a missing file = %+v, %v; want the zero Config", c, err)
	}
	if err := os.WriteFile(p, []byte(valid), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(filepath.Join(dir, "missing.yaml"), p)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "rules"), "/srv/rules"}; !cmp.Equal(c.Policy.Dirs, want) || c.Path != p {
		t.Errorf("dirs %v from %s, want %v from %s", c.Policy.Dirs, c.Path, want, p)
	}
	if b, k := c.Policy.Bundles[0], c.Policy.Signing.Keys["acme"]; b != filepath.Join(dir, "acme.tar.gz") || k != filepath.Join(dir, "acme.pem") {
		t.Errorf("bundle %s, key %s: not beside the configuration", b, k)
	}
	if err := os.Chmod(p, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(p); err == nil || !strings.Contains(hint.Fix(err), "chmod o-w") {
		t.Errorf("Load of a world-writable file = %v, want a refusal with its mend", err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("Load of a directory: no error")
	}
}
