package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sallyport/telemetry/telemetrytest"
)

// invoke runs sallyport in this process with a configuration and exactly these
// variables, beside a state directory of its own.
func invoke(t *testing.T, config string, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sallyport.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return invokeAt(t, path, env, args...)
}

func invokeAt(t *testing.T, config string, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"HOME": dir, "XDG_STATE_HOME": dir}
	for k, v := range env {
		all[k] = v
	}
	var out, errs bytes.Buffer
	code = run(context.Background(), append([]string{"--config", config}, args...), strings.NewReader(""), &out, &errs,
		func(name string) (string, bool) { v, ok := all[name]; return v, ok })
	return code, out.String(), errs.String()
}

func program(t *testing.T, name, code string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Variables of the environment send nothing anywhere, unless the operator says
// that they count.
func TestTelemetryAndTheEnvironment(t *testing.T) {
	const leak = "zq9secret1234"
	path := program(t, leak+".py", "import os\nos.system('"+leak+"')\n")
	for _, tt := range []struct {
		name, config                     string
		configured, fromEnv, withHeaders bool
	}{
		{"off", "", false, false, false},
		{"configured", "telemetry: {otlp: {endpoint: %q}}", true, false, false},
		{"configured, and variables for what is open", "telemetry: {otlp: {endpoint: %q, environment: true}}", true, false, true},
		{"variables alone", "telemetry: {otlp: {environment: true}} # %q", false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mine, theirs := telemetrytest.New(t), telemetrytest.New(t)
			config := tt.config
			if config != "" {
				config = fmt.Sprintf(config, mine.URL)
			}
			code, _, stderr := invoke(t, config, map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": theirs.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b",
				"OTEL_SERVICE_NAME": "gatehouse", "HTTP_PROXY": theirs.URL,
			}, "check", path)
			if code != 3 || strings.Contains(stderr, "telemetry") {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			for _, c := range []struct {
				*telemetrytest.Collector
				want bool
			}{{mine, tt.configured}, {theirs, tt.fromEnv}} {
				raw := c.Raw()
				if got := len(c.Spans()) > 0; got != c.want || !c.want && len(raw) > 0 {
					t.Errorf("%d spans, %d bytes; wanted: %v", len(c.Spans()), len(raw), c.want)
				}
				if c.want && bytes.Contains(raw, []byte("X-Key: a b")) != tt.withHeaders {
					t.Errorf("header arrived: %v, want %v", !tt.withHeaders, tt.withHeaders)
				}
				if bytes.Contains(raw, []byte(leak)) {
					t.Error("the code or the name of its file arrived")
				}
			}
		})
	}
}

func TestTelemetryConfiguration(t *testing.T) {
	dir := t.TempDir()
	open, closed := filepath.Join(dir, "open"), filepath.Join(dir, "closed")
	for path, mode := range map[string]os.FileMode{open: 0o644, closed: 0o600} {
		if err := os.WriteFile(path, []byte("# of the collector\nAuthorization: Bearer t0ken\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := program(t, "a.py", "print(1)\n")
	for _, tt := range []struct{ name, config, want string }{
		{"everybody may scrape", "prometheus: {listen: '0.0.0.0:9464'}", "not a loopback address"},
		{"no collector", "otlp: {endpoint: 'collector:4318'}", "URL of a collector"},
		{"headers that others can read", "otlp: {endpoint: 'http://127.0.0.1:1', headers_file: " + open + "}", "chmod 600 " + open},
		{"no headers", "otlp: {endpoint: 'http://127.0.0.1:1', headers_file: " + broken + "}", "line 1 is not of the form"},
		{"no CA", "otlp: {endpoint: 'https://127.0.0.1:1', ca: " + closed + "}", "no certificate"},
	} {
		for _, verb := range [][]string{{"check", path}, {"config", "check"}} {
			code, _, stderr := invoke(t, "telemetry: {"+tt.config+"}", nil, verb...)
			if code != 1 || !strings.Contains(stderr, tt.want) || strings.Contains(stderr, "hunter2") {
				t.Errorf("%s, %s: exit %d, %s", tt.name, verb[0], code, stderr)
			}
		}
	}
	c := telemetrytest.New(t)
	code, _, stderr := invoke(t, fmt.Sprintf("telemetry: {otlp: {endpoint: %q, protocol: grpc, headers_file: %s}}", c.URL, closed), nil, "check", path)
	if code != 0 || stderr != "" || len(c.Spans()) == 0 || !bytes.Contains(c.Raw(), []byte("Bearer t0ken")) {
		t.Errorf("exit %d, %s; %d spans", code, stderr, len(c.Spans()))
	}
}

// A collector that is gone costs a warning, and not the answer.
func TestCollectorIsGone(t *testing.T) {
	code, out, stderr := invoke(t, "telemetry: {otlp: {endpoint: 'http://127.0.0.1:1'}}", nil, "check", "-v", program(t, "a.py", "print(1)\n"))
	if code != 0 || !strings.Contains(out, "allowed") || !strings.Contains(stderr, "warning: telemetry is being lost") {
		t.Errorf("exit %d\n%s%s", code, out, stderr)
	}
}

// TestNothingStaysOpen holds that a verb closes what it opened, on every way
// out: its files, and telemetry, which each of them starts. It looks at the
// whole process, so that it runs alone.
func TestNothingStaysOpen(t *testing.T) {
	path := program(t, "a.py", "print(1)\n")
	denied := program(t, "b.py", "import os\nos.system('id')\n")
	rules := filepath.Join(t.TempDir(), "acme")
	if code, _, errs := invoke(t, "", nil, "policy", "new", rules); code != 0 {
		t.Fatal(errs)
	}
	if err := os.WriteFile(filepath.Join(rules, "odd.py"), []byte("# expect: nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configured := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(configured, []byte("telemetry: {otlp: {endpoint: 'http://127.0.0.1:1'}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, key := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "key")
	if code, _, errs := invoke(t, "", nil, "audit", "keygen", key); code != 0 {
		t.Fatal(errs)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere", "file")
	for _, verb := range [][]string{
		{"check", path}, {"check", denied}, {"check", nowhere}, {"check", "-o", nowhere, path}, {"check", "--policy", "nowhere", path},
		{"check", "--no-record", path}, {"check", "--no-record", "-o", nowhere, path},
		{"explain", path}, {"explain", denied}, {"explain", "--rule", "nowhere", path}, {"explain", nowhere},
		{"facts", "--input", path}, {"facts", "--input", nowhere}, {"facts", "--input", program(t, "c.py", "(")},
		{"policy", "list"}, {"policy", "list", "--pack", "nowhere"},
		{"policy", "show", "process"}, {"policy", "show", "strict"}, {"policy", "show", "nowhere"},
		{"policy", "docs", "--pack", "strict"}, {"policy", "test", rules},
		{"policy", "diff", "baseline", "strict", denied}, {"policy", "diff", "baseline", "nowhere", path}, {"policy", "diff", "baseline", "strict", nowhere},
		{"policy", "diff", configured, "strict", path}, {"policy", "diff", "strict", configured, path}, {"policy", "diff", configured, "nowhere", path},
		{"config", "check"}, {"env", "list"}, {"run", "--backend", "docker", path}, {"run", "--environment", "nowhere", path},
		{"audit", "stats"}, {"audit", "checkpoint"}, {"audit", "checkpoint", "--sign-with", key}, {"audit", "purge", "--before", "1d"}, {"mcp", "--backend", "docker"},
		{"mcp", "--warm", "0"}, {"run", path}, {"run", denied}, {"run", "--file", nowhere, path}, {"run", "--output", filepath.Join(path, "d"), path},
	} {
		invoke(t, "telemetry: {otlp: {endpoint: 'http://127.0.0.1:1'}}\naudit: {dir: "+log+"}\n", map[string]string{"PATH": os.Getenv("PATH")}, verb...)
		if left := stillOpen(t); left != nil {
			t.Fatalf("sallyport %s left open: %s", strings.Join(verb, " "), left)
		}
	}
}

// stillOpen is what this process holds: files of tests, and telemetry, as far
// as its goroutine has begun; what one verb leaves is seen behind the next.
func stillOpen(t *testing.T) (held []string) {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, filepath.Dir(t.TempDir())) {
			held = append(held, to)
		}
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if bytes.Contains(stacks, []byte("sallyport/telemetry.")) {
		held = append(held, "telemetry")
	}
	return held
}
