package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/install"
	"sallyport/sandbox/sandboxtest"
)

// recordedFields are what must be known of every decision and every end of a
// run, by JSON pointer, with what the value looks like.
var recordedFields = map[audit.Event]map[string]string{
	audit.EventDecision: {
		"/id":                        uuid7,
		"/time":                      timestamp,
		"/seq":                       `^\d+$`,
		"/caller/user":               `.`,
		"/caller/host":               `.`,
		"/caller/pid":                `^\d+$`,
		"/caller/client":             `.`,
		"/caller/client_version":     `.`,
		"/caller/session":            `.`,
		"/caller/tool":               `.`,
		"/caller/program":            `^sallyport/`,
		"/caller/environment":        `^science$`,
		"/source/language":           `^python$`,
		"/source/goal":               `.`,
		"/source/sha256":             sha256Hex,
		"/source/bytes":              `^\d+$`,
		"/source/facts_sha256":       sha256Hex,
		"/source/code":               `pandas`,
		"/verdict/effect":            `^allow$`,
		"/verdict/reason":            `^policy$`,
		"/verdict/findings/0/rule":   `^acme/no-pandas$`,
		"/verdict/findings/0/action": `^log$`,
		"/verdict/findings/0/line":   `^2$`,
		"/verdict/packs/0":           `^baseline$`,
		"/verdict/policy_digest":     `^sha256:[0-9a-f]{64}$`,
		"/verdict/policy_revision":   `^r7$`,
		"/verdict/exceptions/0":      `^EX-1$`,
		"/verdict/us":                `^\d+$`,
		"/prev":                      `^[0-9a-f]*$`,
		"/hash":                      sha256Hex,
	},
	audit.EventEnd: {
		"/id":                      uuid7,
		"/decision":                uuid7,
		"/time":                    timestamp,
		"/caller/client":           `.`,
		"/run/backend":             `^gvisor$`,
		"/run/backend_version":     `.`,
		"/run/interpreter":         `^/`,
		"/run/interpreter_version": `^3\.`,
		"/run/runtime_sha256":      sha256Hex,
		"/run/controls/network":    `.`,
		"/run/limits/wall_ms":      `^\d+$`,
		"/run/reason":              `^exited$`,
		"/run/exit":                `^7$`,
		"/run/start":               `^(cold|warm)$`,
		"/run/wall_us":             `^[1-9]`,
		"/run/cpu_us":              `^([1-9]\d*)?$`, // a quick program is gone before anybody looks
		"/run/peak_memory":         `^[1-9]`,
		"/run/stdout_bytes":        `^3$`,
		"/run/stdout_sha256":       sha256Hex,
		"/run/artifacts/0/path":    `^out\.txt$`,
		"/run/artifacts/0/sha256":  sha256Hex,
		"/prev":                    sha256Hex,
		"/hash":                    sha256Hex,
	},
}

const (
	uuid7     = `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	timestamp = `^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`
	sha256Hex = `^[0-9a-f]{64}$`
)

const recordedProgram = `import sys
if len(sys.argv) > 99: import pandas
open("out.txt", "w").write("x")
print("hi")
sys.exit(7)
`

// evidenceConfig has everything in it that a record can tell of: a bundle with
// a revision, an exception that is used, an environment.
func evidenceConfig(t *testing.T, state string) string {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules")
	if err := os.Mkdir(rules, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(rules, "a.rego"), []byte(ownRule), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(dir, "acme.tar.gz")
	if code, _, stderr := invoke(t, "", nil, "policy", "bundle", "--revision", "r7", "-o", bundle, rules); code != 0 {
		t.Fatalf("making a bundle: exit %d, %s", code, stderr)
	}
	path := filepath.Join(dir, "sallyport.yaml")
	text := fmt.Sprintf(`policy:
  packs: [baseline]
  bundles: [%s]
  exceptions: [{id: EX-1, rule: acme/no-pandas, owner: o, reason: r, expires: 2100-01-01}]
audit: {keep_code: all, dir: %s}
environments: {science: {env: {A: b}}}
`, bundle, filepath.Join(state, "audit"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every field is in the records of a run, whichever way it came in.
func TestRecordsAreComplete(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc on PATH")
	}
	for name, do := range map[string]func(t *testing.T, state, config string){
		"run": recordByRun, "mcp": recordByMCP, "Go": recordByGo,
	} {
		t.Run(name, func(t *testing.T) {
			state := sandboxtest.ShortDir(t)
			do(t, state, evidenceConfig(t, state))
			seen := map[audit.Event]bool{}
			for e, err := range audit.Select(filepath.Join(state, "audit"), audit.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				seen[e.Event] = true
				b, err := json.Marshal(e.Record)
				if err != nil {
					t.Fatal(err)
				}
				var doc any
				if err := json.Unmarshal(b, &doc); err != nil {
					t.Fatal(err)
				}
				for pointer, want := range recordedFields[e.Event] {
					if got := at(doc, pointer); !regexp.MustCompile(want).MatchString(got) {
						t.Errorf("%s %s is %q, want %s", e.Event, pointer, got, want)
					}
				}
			}
			if !seen[audit.EventDecision] || !seen[audit.EventEnd] {
				t.Errorf("records of %v, want a decision and an end", seen)
			}
		})
	}
}

// at returns what a JSON pointer points to, "" for nothing.
func at(doc any, pointer string) string {
	for _, part := range strings.Split(pointer, "/")[1:] {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(v) {
				return ""
			}
			doc = v[n]
		default:
			return ""
		}
	}
	if doc == nil {
		return ""
	}
	if f, ok := doc.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(doc)
}

func recordByRun(t *testing.T, state, config string) {
	env := map[string]string{"XDG_STATE_HOME": state, "PATH": os.Getenv("PATH")}
	code, _, stderr := invokeAt(t, config, env, "run", "--environment", "science", program(t, "a.py", recordedProgram))
	if code != 4 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
}

func recordByMCP(t *testing.T, state, config string) {
	cmd, in, out := startServer(t, state, "--config", config)
	fmt.Fprintln(in, mcpInitialize)
	readJSON(t, out)
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "run_python_code", "arguments": map[string]any{"code": recordedProgram, "environment": "science"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, "%s\n", call)
	readJSON(t, out)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// recordByGo embeds the gate, as a program of somebody else's would.
func recordByGo(t *testing.T, state, path string) {
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"XDG_STATE_HOME": state, "PATH": os.Getenv("PATH"), "HOME": state}
	s, err := install.With(cfg, install.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}).Run()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ans, err := s.Gate.Run(t.Context(), gate.Request{
		Language: analyze.Python, Source: []byte(recordedProgram), Environment: "science",
		Tool: "night-job", Client: "acme-scheduler", ClientVersion: "4.2", Session: "2026-11-21",
	})
	if err != nil || ans.Result == nil || ans.Result.Exit != 7 {
		t.Fatalf("Run() = %+v, %v", ans, err)
	}
}
