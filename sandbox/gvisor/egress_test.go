package gvisor

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// outside plays what is behind a sandbox's way out: it answers every connection
// with where it was to go.
type outside struct {
	mu  sync.Mutex // guards what follows
	met []string
}

func (o *outside) accept(c net.Conn) {
	go func() {
		defer c.Close()
		var head [6]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		to := fmt.Sprintf("%s:%d", net.IP(head[:4]), binary.BigEndian.Uint16(head[4:]))
		o.mu.Lock()
		o.met = append(o.met, to)
		o.mu.Unlock()
		_, _ = io.WriteString(c, to)
	}()
}

func letOut(s sandbox.Spec, o *outside) sandbox.Spec {
	s.Grant = append(slices.Clone(s.Grant), sandbox.CapabilityNetwork)
	s.Egress = &sandbox.Egress{CA: []byte("no certificate\n"), Accept: o.accept}
	return s
}

// TestEgress: programs that reach hosts reach those of their rules.
func TestEgress(t *testing.T) {
	t.Parallel()
	sandboxtest.Egress(t, newTestBackend(t), sandboxtest.Options{Share: beside(sandboxtest.WayInKernel.Share, 0, 1)}, sandboxtest.WayInKernel)
}

const connects = `
import socket
def ask(host, port):
    try:
        with socket.create_connection((host, port), 10) as c:
            c.sendall(b"x")
            return c.recv(100).decode()
    except OSError as e:
        return type(e).__name__ + " " + str(e.errno)
`

func TestWayOut(t *testing.T) {
	for _, tt := range []struct{ name, ask, want string }{
		{"name", `ask("x.example", 443)`, "127.53.0.1:443"},
		{"another port", `ask("x.example", 8443)`, "127.53.0.1:8443"},
		{"address", `ask("169.254.169.254", 80)`, "169.254.169.254:80"},
		{"address of ssh", `ask("10.0.0.1", 22)`, "10.0.0.1:22"},
		{"its own loopback", `ask("127.0.0.1", 80)`, "ConnectionRefusedError 111"},
		{"IPv6", `ask("::1", 80)`, "PermissionError 1"},
		{"IPv6 outside", `ask("2606:4700::1111", 443)`, "PermissionError 1"},
		{"trusts", `open("/etc/ssl/certs/ca-certificates.crt").read().strip()`, "no certificate"},
		{"raw", `[kind for kind in (socket.SOCK_RAW, socket.SOCK_RAW | socket.SOCK_CLOEXEC) if not refused(socket.AF_INET, kind)]`, "[]"},
		{"families", `[f for f in (socket.AF_UNIX, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40) if not refused(f, socket.SOCK_STREAM)]`, "[]"},
		{"other records", `[socket.getaddrinfo("x.example", 1, socket.AF_INET)[0][4], resolves(socket.AF_INET6)]`, "[('127.53.0.1', 1), False]"},
		{"datagrams", `udp()`, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTestBackend(t)
			var o outside
			res, err := b.Run(t.Context(), letOut(sandboxtest.Spec("python", connects+`
def refused(*how):
    try:
        socket.socket(*how).close()
        return False
    except PermissionError:
        return True
def resolves(family):
    try:
        return bool(socket.getaddrinfo("x.example", 1, family))
    except OSError:
        return False
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    try:
        s.connect(("8.8.8.8", 53))
        s.send(b"x")
        return s.recv(100)
    except OSError:
        return "nothing"
print(`+tt.ask+`)
`), &o))
			if err != nil || strings.TrimSpace(string(res.Stdout)) != tt.want {
				t.Errorf("%q, want %q; %s, %v", res.Stdout, tt.want, res.Stderr, err)
			}
			if res.Enforced[sandbox.ControlEgress] == "" || res.Enforced[sandbox.ControlNetwork] != "" {
				t.Errorf("%v", res.Enforced)
			}
		})
	}
}

// TestNoWayOut: without one nothing of it is in the sandbox.
func TestNoWayOut(t *testing.T) {
	b := newTestBackend(t)
	s := sandboxtest.Spec("python", connects+`
import os
print(ask("127.53.0.1", 443), ask("10.0.0.1", 443))
print([p for p in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt") if os.path.exists(p)])
print([v for v in os.environ if "SSL" in v or "CERT" in v or "CA_" in v])
print("dns" in open("/etc/nsswitch.conf").read())
`)
	s.Observe = true // what is below the hooks is looked at
	res, err := b.Run(t.Context(), s)
	if want := "PermissionError 1 PermissionError 1\n[]\n[]\nFalse\n"; err != nil || string(res.Stdout) != want {
		t.Errorf("%q, want %q; %s, %v", res.Stdout, want, res.Stderr, err)
	}
	if res.Enforced[sandbox.ControlEgress] != "" || res.Enforced[sandbox.ControlNetwork] == "" {
		t.Errorf("%v", res.Enforced)
	}
	s = sandboxtest.Spec("python", "print(1)")
	s.Egress = &sandbox.Egress{}
	if _, err := b.Run(t.Context(), s); err == nil {
		t.Error("a way out without a grant")
	}
	s.Grant, s.Egress = append(s.Grant, sandbox.CapabilityNetwork), nil
	if _, err := b.Run(t.Context(), s); err == nil {
		t.Error("a grant without a way out")
	}
}

// TestWayOutOfAWaitingSandbox: one that waits for a program has the forwarder
// already, and lets nothing out before.
func TestWayOutOfAWaitingSandbox(t *testing.T) {
	b := newBackendWith(t, func(o *Options) { o.Warm = 1 })
	var o outside
	s := letOut(sandboxtest.Spec("python", connects+`print(ask("x.example", 443))`), &o)
	if err := b.Warm(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	res, err := b.Run(t.Context(), s)
	if err != nil || !res.Warm || string(res.Stdout) != "127.53.0.1:443\n" {
		t.Errorf("warm %t, %q %s, %v", res.Warm, res.Stdout, res.Stderr, err)
	}
	if len(o.met) != 1 {
		t.Errorf("%q", o.met)
	}
	// What is not let out does not get a sandbox with a way out.
	s = sandboxtest.Spec("python", connects+`print(ask("127.53.0.1", 443))`)
	s.Observe = true // what is below the hooks is looked at
	res, err = b.Run(t.Context(), s)
	if err != nil || string(res.Stdout) != "PermissionError 1\n" {
		t.Errorf("%q %s, %v", res.Stdout, res.Stderr, err)
	}
}

// TestWayOutOfASession: each cell has its own way out, and no other one's.
func TestWayOutOfASession(t *testing.T) {
	b := newTestBackend(t)
	c := sandboxtest.Converse(t, b, "python")
	for i := range 3 {
		var o outside
		c.Edit = func(s *sandbox.Spec) { *s = letOut(*s, &o) }
		res, err := c.Try(c.Spec(connects + fmt.Sprintf("print(ask('x.example', %d))", 80+i)))
		if want := fmt.Sprintf("127.53.0.1:%d", 80+i); err != nil || string(res.Stdout) != want+"\n" || len(o.met) != 1 {
			t.Errorf("cell %d: %q %s, %q, %v", i, res.Stdout, res.Stderr, o.met, err)
		}
	}
	c.Edit = nil
	if _, err := c.Try(c.Spec("print(1)")); err == nil {
		t.Error("a cell without a way out in a sandbox that has one")
	}
}

// TestWayOutMachineCode: with a way out V8 has WebAssembly, for the parser of
// Node's own client. Nobody else gets it by having Node call it.
func TestWayOutMachineCode(t *testing.T) {
	t.Parallel()
	var o outside
	res, err := newTestBackend(t).Run(t.Context(), letOut(sandboxtest.Spec("javascript", `require("util").promisify(WebAssembly.compile)(Buffer.from([0, 97, 115, 109, 1, 0, 0, 0])).then(console.log)`), &o))
	if v, _ := res.Stopped(); err != nil || v.Detail != "WebAssembly" || len(res.Stdout) > 0 {
		t.Errorf("%v, %q, %v", v, res.Stdout, err)
	}
}

// TestWayOutRootless tries the way out as an ordinary user.
func TestWayOutRootless(t *testing.T) {
	unprivileged(t, "^(TestEgress|TestWayOut|TestNoWayOut|TestWayOutOfAWaitingSandbox)$")
}
