package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/internal/identity"
)

// requireNginx is the path of nginx, or "" where there is none, unless
// REQUIRE_NGINX says that this is a failure.
func requireNginx(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("REQUIRE_NGINX") != "" {
		t.Fatal("REQUIRE_NGINX is set and there is no nginx: scripts/need proxy")
	}
	return ""
}

// nginxAt starts nginx with the example in front of a service, and says where. It is
// given the socket that it listens on, so that nobody else can have the port.
func nginxAt(t *testing.T, nginx, service string) (at string, trusted *x509.CertPool) {
	t.Helper()
	socket, at := handedSocket(t, "127.0.0.1:0")
	defer socket.Close()
	dir := t.TempDir()
	trusted = certified(t, dir, "sandbox.corp.example")
	site := example(t, "examples/nginx.conf")
	for _, of := range [][2]string{
		{"listen 443 ssl", "listen " + at + " ssl"}, {"/etc/ssl/private/sandbox.key", filepath.Join(dir, "key")},
		{"/etc/ssl/sandbox.pem", filepath.Join(dir, "cert")}, {"http://127.0.0.1:8443;", "http://" + service + ";"},
	} {
		if !strings.Contains(site, of[0]) {
			t.Fatalf("the example has no %q", of[0])
		}
		site = strings.Replace(site, of[0], of[1], 1)
	}
	around := "worker_processes 1;\ndaemon off;\nerror_log stderr;\npid " + dir + "/pid;\n"
	if os.Geteuid() == 0 {
		around += "user root;\n"
	}
	around += "events { worker_connections 768; }\nhttp {\naccess_log off;\n" // as Debian has it
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		around += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
	}
	write(t, filepath.Join(dir, "nginx.conf"), around+site+"}\n")
	cmd := exec.Command(nginx, "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	var said bytes.Buffer
	cmd.Stderr, cmd.ExtraFiles, cmd.Env = &said, []*os.File{socket}, append(os.Environ(), "NGINX=3;")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx says\n%s", &said)
		}
	})
	return at, trusted
}

// certified puts a certificate for a host and its key into dir.
func certified(t *testing.T, dir, host string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{host}}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(dir, "cert"), string(cert))
	write(t, filepath.Join(dir, "key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

// TestNginx: the shipped service behind the real nginx with the example that the
// documentation shows. Its callers are told of output while a program runs, are
// known by what they prove and by the address that nginx saw, have the limits of
// each, and end their programs by going away.
func TestNginx(t *testing.T) {
	t.Parallel()
	nginx := requireNginx(t)
	if nginx == "" || !requireRunsc(t) {
		t.Skip("no nginx or no runsc on PATH")
	}
	if page := example(t, "docs/serve.md"); !strings.Contains(page, "```nginx\n"+example(t, "examples/nginx.conf")+"```\n") {
		t.Error("docs/serve.md does not show examples/nginx.conf word for word")
	}
	const callers = 200
	s, dir := newService(t)
	lines, tokens := "", make([]string, callers)
	for i := range tokens {
		token, line := identity.NewToken(fmt.Sprintf("agent%d", i), []string{"check", "run"})
		tokens[i], lines = token, lines+line
	}
	write(t, filepath.Join(dir, "tokens"), lines)
	write(t, s.file, `serve:
  listen: 127.0.0.1:0
  url: https://sandbox.corp.example
  proxies: [127.0.0.1]
  tokens: tokens
  limits: {streams_each: 1}
limits: {timeout: 1h}
`)
	s.start()
	at, trusted := nginxAt(t, nginx, s.at)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}} // which is not the proxy's
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, at)
		},
	}}
	defer client.CloseIdleConnections()
	ask := func(ctx context.Context, token, path, body string, headers ...string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://sandbox.corp.example"+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return client.Do(r)
	}

	// What a program printed comes while it goes on, for as long as it is listened to:
	// also what comes after the answer's beginning, which nginx never holds back.
	ctx, goAway := context.WithCancel(t.Context())
	defer goAway()
	resp, err := ask(ctx, tokens[0], "/v1/run", `{"language":"python","code":"import time\nprint('begun', flush=True)\ntime.sleep(1)\nprint('here', flush=True)\ntime.sleep(3600)","timeout_seconds":3600}`, "Accept", "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	heard, events := "", bufio.NewScanner(resp.Body)
	for !strings.Contains(heard, "here") && events.Scan() {
		heard += events.Text() + "\n"
	}
	if resp.StatusCode != http.StatusOK || !strings.Contains(heard, "event: output") {
		t.Fatalf("%d, and while the program runs\n%s", resp.StatusCode, heard)
	}

	// Meanwhile each of the others is served, and the same one no more than their share.
	const judged = `{"language":"python","code":"print(6*7)"}`
	var all sync.WaitGroup
	said := make([]string, callers)
	for i, token := range tokens {
		all.Go(func() {
			resp, err := ask(t.Context(), token, "/v1/check", judged)
			if err != nil {
				said[i] = err.Error()
				return
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			said[i] = fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Retry-After") != "", " ", string(text))
		})
	}
	all.Wait()
	for i, got := range said {
		want := "200 false "
		if i == 0 {
			want = "429 true "
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("caller %d is answered %s, want %s", i, got, want)
		}
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	resp, err = ask(t.Context(), tokens[1], "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_code","arguments":{"language":"python","code":"print(6*7)"},`+meta+`}}`,
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "check_code")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"result"`) {
		t.Errorf("an agent asks: %d %s", resp.StatusCode, text)
	}

	// What a caller says of its address or host is not what counts.
	for _, headers := range [][]string{{"X-Forwarded-For", "203.0.113.9"}, {"Forwarded", "for=203.0.113.9"}, {"X-Real-IP", "203.0.113.9"}} {
		resp, err := ask(t.Context(), "spt_GUESS", "/v1/check", judged, headers...)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("with %v nobody is answered %d", headers, resp.StatusCode)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://sandbox.corp.example/v1/check", strings.NewReader(judged))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example"
	r.Header.Set("X-Forwarded-Host", "sandbox.corp.example")
	if resp, err = client.Do(r); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("by another name the service answers %d", resp.StatusCode)
	}
	addresses := map[string]int{}
	records, _ := s.sallyport("--config", s.file, "audit", "search", "--text", "refused", "--format", "json")
	for line := range strings.Lines(records) {
		var r struct{ Caller struct{ Address string } }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		addresses[r.Caller.Address]++
	}
	if fmt.Sprint(addresses) != "map[127.0.0.2:3]" {
		t.Errorf("on record are logins refused from %v, want three from where the caller is", addresses)
	}

	if sandboxesUp(t, s.state) == 0 {
		t.Error("the program has ended while its caller listened")
	}
	goAway()
	waitFor(t, "the program of who went away ends", func() bool { return len(sandboxesOf(t, s.state)) == 0 })
}
