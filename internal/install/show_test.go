package install

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sallyport/config"
)

// shown reads a configuration and returns what is in force, by key.
func shown(t *testing.T, text string, env map[string]string, edit ...func(*Options)) (map[string]Setting, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sallyport.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{File: path, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	for _, e := range edit {
		e(&o)
	}
	s, err := Read(o)
	if err != nil {
		t.Fatal(err)
	}
	in := s.InForce()
	out := map[string]Setting{}
	for _, x := range in.Settings {
		if _, twice := out[x.Key]; twice {
			t.Errorf("%s is there twice", x.Key)
		}
		x.Place = strings.ReplaceAll(x.Place, path, "FILE")
		out[x.Key] = x
	}
	all, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(all)
}

// TestInForce holds where values are said to come from.
func TestInForce(t *testing.T) {
	t.Parallel()
	const text = `policy:
  packs: [strict, observe]
  overrides: {network: warn}
limits:
  timeout: 90s
  pids: 0
sandbox: {backend: oci}
mcp:
  sessions: {enabled: true, max: 2}
environments:
  web:
    egress: {allow: [{name: a, host: a.example}]}
telemetry:
  otlp: {environment: true, protocol: grpc}
serve:
  limits: {streams: 7}
`
	env := map[string]string{
		"XDG_STATE_HOME": "/state", "HOME": "/home/ada",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_SERVICE_NAME": "s", "OTEL_RESOURCE_ATTRIBUTES": "a=b",
	}
	rules := t.TempDir()
	for _, tt := range []struct {
		edit func(*Options)
		want map[string]string
	}{
		{func(*Options) {}, map[string]string{
			"policy.packs[0]":                          "strict file FILE:2",
			"policy.packs[1]":                          "observe file FILE:2",
			"policy.overrides.network":                 "warn file FILE:3",
			"policy.runtime":                           "stop default ",
			"limits.timeout":                           "1m30s file FILE:5",
			"limits.pids":                              "64 default ",
			"limits.memory_mb":                         "512 default ",
			"sandbox.backend":                          "oci file FILE:7",
			"mcp.sessions.enabled":                     "true file FILE:9",
			"mcp.sessions.max":                         "2 file FILE:9",
			"mcp.sessions.idle":                        "10m default ",
			"mcp.shown_kb":                             "25000 bytes default ",
			"environments.web.egress.allow[0].host":    "a.example file FILE:12",
			"environments.web.egress.limits.requests":  "1000 default ",
			"environments.web.egress.limits.sent_mb":   "16 default ",
			"audit.dir":                                "/state/sallyport/audit environment XDG_STATE_HOME",
			"audit.rotate_after":                       "168h default ",
			"telemetry.otlp.endpoint":                  "https://otel.example environment OTEL_EXPORTER_OTLP_ENDPOINT",
			"telemetry.otlp.protocol":                  "grpc file FILE:14",
			"telemetry.otlp.resource.service.name":     "s environment OTEL_SERVICE_NAME",
			"telemetry.otlp.resource.a":                "b environment OTEL_RESOURCE_ATTRIBUTES",
			"serve.limits.streams":                     "7 file FILE:16",
			"serve.limits.body_mb":                     "32 default ",
			"serve.listen":                             "127.0.0.1:8443 default ",
			"environments.web.egress.allow[0].methods": "", // nothing is said of what is not set
			"audit.checkpoints":                        "",
		}},
		{func(o *Options) {
			o.Packs, o.Backend, o.Policies = []string{"baseline"}, "docker", []string{rules, "/b.tar.gz"}
		}, map[string]string{
			"policy.packs[0]":   "baseline flag --pack",
			"policy.packs[1]":   "",
			"sandbox.backend":   "docker flag --backend",
			"policy.dirs[0]":    rules + " flag --policy",
			"policy.bundles[0]": "/b.tar.gz flag --policy",
		}},
	} {
		got, _ := shown(t, text, env, tt.edit)
		for _, key := range slices.Sorted(maps.Keys(tt.want)) {
			x, ok := got[key]
			if text := fmt.Sprintf("%v %s %s", x.Value, x.Source, x.Place); ok && text != tt.want[key] || ok != (tt.want[key] != "") {
				t.Errorf("%s is %q, want %q", key, text, tt.want[key])
			}
		}
	}
	if got, _ := shown(t, "{}", map[string]string{"HOME": "/home/ada"}); got["audit.dir"].Place != "HOME" || got["serve.listen"].Key != "" || got["mcp.sessions.idle"].Key != "" {
		t.Errorf("of an empty configuration: %v", got)
	}
}

// TestInForceHidesSecrets puts one wherever a configuration and the variables of
// the environment can have one.
func TestInForceHidesSecrets(t *testing.T) {
	t.Parallel()
	const secret = "xq7sVhA0secret"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	got, all := shown(t, `sandbox: {engine: {host: "tcp://joe:p@`+secret+`@engine.example:2376"}}
environments:
  default:
    env: {TOKEN: `+secret+`}
    secrets: {A: {env: API_KEY}, B: {file: `+file+`}}
telemetry:
  otlp: {environment: true, headers_file: `+file+`}
`, map[string]string{
		"HOME": "/home/ada", "API_KEY": secret, "DOCKER_HOST": "tcp://" + secret + "@h", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=" + secret,
		"OTEL_EXPORTER_OTLP_ENDPOINT": "https://u:" + secret + "@otel.example/v1?token=" + secret + "#" + secret,
	}, func(o *Options) { o.Backend = "docker" })
	if strings.Contains(all, secret) {
		t.Errorf("a secret is shown: %s", all)
	}
	for key, want := range map[string]any{
		"environments.default.env.TOKEN":     hidden,
		"environments.default.secrets.A.env": "API_KEY",
		"sandbox.engine.host":                "tcp://" + hidden + "@engine.example:2376",
		"telemetry.otlp.endpoint":            "https://" + hidden + "@otel.example/v1?" + hidden,
		"telemetry.otlp.headers":             hidden,
	} {
		if got[key].Value != want {
			t.Errorf("%s is %v, want %v", key, got[key].Value, want)
		}
	}
	for text, want := range map[string]string{"://%zz": hidden, "https://a b/": hidden, "plain": "plain", "unix:///run/x.sock": "unix:///run/x.sock"} {
		if got := withoutPassword(text); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestInForceShowsEveryKey fails for a key of the configuration that could not be
// shown: each is set, and looked for.
func TestInForceShowsEveryKey(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	fill(reflect.ValueOf(&cfg).Elem())
	cfg.Path, cfg.Lines = "f", nil
	seen := map[string]bool{}
	for _, s := range With(cfg, Options{}).InForce().Settings {
		seen[s.Key] = true
	}
	leaves("", reflect.ValueOf(cfg), false, func(key string, v any) {
		if !seen[key] {
			t.Errorf("%s is not shown", key)
		}
		delete(seen, key)
	})
	if len(seen) > 20 {
		t.Errorf("there is more than was set: %v", seen)
	}
}

// fill sets everything below v to something.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), value)
	}
}
