package docker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// TestFromEnvironment: the engine is found where Docker's and Podman's own
// clients find theirs.
func TestFromEnvironment(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, ".docker")
	addContext(t, config, "remote", `{"Endpoints":{"docker":{"Host":"tcp://10.0.0.5:2376"}}}`, true)
	addContext(t, config, "local", `{"Endpoints":{"docker":{"Host":"unix:///run/local.sock"}}}`, false)
	addContext(t, config, "careless", `{"Endpoints":{"docker":{"Host":"tcp://10.0.0.5:2376","SkipTLSVerify":true}}}`, true)
	addContext(t, config, "empty", `{"Endpoints":{"kubernetes":{"Host":"x"}}}`, false)
	addContext(t, config, "broken", `{`, false)
	current := t.TempDir()
	addContext(t, current, "chosen", `{"Endpoints":{"docker":{"Host":"unix:///run/chosen.sock"}}}`, false)
	write(t, filepath.Join(current, "config.json"), `{"currentContext":"chosen"}`)
	damaged := t.TempDir()
	write(t, filepath.Join(damaged, "config.json"), `{`)
	runtimeDir := t.TempDir()
	write(t, filepath.Join(runtimeDir, "podman", "podman.sock"), "")

	for _, tt := range []struct {
		name    string
		engine  string
		host    string // given
		context string
		env     map[string]string
		want    string // host
		certs   string // directory
		err     string
	}{
		{name: "nothing said", want: ""},
		{name: "given", host: "unix:///a", context: "remote", env: map[string]string{"DOCKER_HOST": "unix:///b"}, want: "unix:///a"},
		{name: "DOCKER_HOST", env: map[string]string{"DOCKER_HOST": "unix:///b", "DOCKER_CONTEXT": "local"}, want: "unix:///b"},
		{name: "DOCKER_CONTEXT", env: map[string]string{"DOCKER_CONTEXT": "local"}, want: "unix:///run/local.sock"},
		{name: "context default", env: map[string]string{"DOCKER_CONTEXT": "default"}, want: ""},
		{name: "configured context comes first", context: "local", env: map[string]string{"DOCKER_HOST": "unix:///b"}, want: "unix:///run/local.sock"},
		{name: "current context", env: map[string]string{"DOCKER_CONFIG": current}, want: "unix:///run/chosen.sock"},
		{name: "DOCKER_CONTEXT against the current one", env: map[string]string{"DOCKER_CONFIG": current, "DOCKER_CONTEXT": "default"}, want: ""},
		{name: "context with certificates", context: "remote", want: "tcp://10.0.0.5:2376", certs: filepath.Join(config, "contexts", "tls", contextID("remote"), "docker")},
		{name: "certificates", env: map[string]string{"DOCKER_HOST": "tcp://10.0.0.5:2376", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": "/certs"}, want: "tcp://10.0.0.5:2376", certs: "/certs"},
		{name: "certificates at the usual place", env: map[string]string{"DOCKER_HOST": "tcp://10.0.0.5:2376", "DOCKER_TLS_VERIFY": "1"}, want: "tcp://10.0.0.5:2376", certs: config},
		{name: "certificates that nobody asked for", env: map[string]string{"DOCKER_HOST": "unix:///b", "DOCKER_CERT_PATH": "/certs"}, want: "unix:///b"},
		{name: "no such context", context: "nowhere", err: `docker context "nowhere"`},
		{name: "context that verifies nothing", context: "careless", err: "does not verify"},
		{name: "context of something else", context: "empty", err: "no docker endpoint"},
		{name: "broken context", context: "broken", err: `docker context "broken"`},
		{name: "broken config.json", env: map[string]string{"DOCKER_CONFIG": damaged}, err: "config.json"},
		{name: "podman", engine: "podman", env: map[string]string{"DOCKER_HOST": "unix:///b"}, want: "unix:///run/podman/podman.sock"},
		{name: "podman of a user", engine: "podman", env: map[string]string{"XDG_RUNTIME_DIR": runtimeDir}, want: "unix://" + runtimeDir + "/podman/podman.sock"},
		{name: "CONTAINER_HOST", engine: "podman", env: map[string]string{"CONTAINER_HOST": "unix:///p", "XDG_RUNTIME_DIR": runtimeDir}, want: "unix:///p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lookup := func(name string) (string, bool) {
				if name == "HOME" {
					return home, true
				}
				v, ok := tt.env[name]
				return v, ok
			}
			o, err := FromEnvironment(Options{Engine: tt.engine, Host: tt.host}, tt.context, lookup)
			if tt.err != "" {
				if err == nil || !strings.Contains(hint.Text(err), tt.err) {
					t.Errorf("error %v, want one that says %q", err, tt.err)
				}
				return
			}
			var certs TLS
			if tt.certs != "" {
				certs = certificates(tt.certs)
			}
			if err != nil || o.Host != tt.want || o.TLS != certs {
				t.Errorf("host %q, TLS %+v, error %v; want %q, %+v", o.Host, o.TLS, err, tt.want, certs)
			}
		})
	}
}

func contextID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

func addContext(t *testing.T, dir, name, meta string, certs bool) {
	t.Helper()
	write(t, filepath.Join(dir, "contexts", "meta", contextID(name), "meta.json"), meta)
	if certs {
		write(t, filepath.Join(dir, "contexts", "tls", contextID(name), "docker", "ca.pem"), "x")
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestStrangers: whatever else answers at the address is told apart, and
// the error says what to do.
func TestStrangers(t *testing.T) {
	t.Parallel()
	silent := listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	closing := listen(t, func(net.Conn) {})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello</html>") }))
	t.Cleanup(web.Close)
	broken := fakeEngine(t, "1.41", http.StatusInternalServerError)
	for _, tt := range []struct{ name, host, want string }{
		{"nothing there", "tcp://127.0.0.1:1", "start it with"},
		{"no such socket", "unix:///nowhere/docker.sock", "start it with"},
		{"a file", "unix://" + guest, "start it with"},
		{"silent", "tcp://" + silent, "does not answer"},
		{"closing", "tcp://" + closing, "127.0.0.1"},
		{"a web server", strings.Replace(web.URL, "http", "tcp", 1), "no container engine"},
		{"an engine in trouble", broken, "no container engine"},
		{"too old", fakeEngine(t, "1.40", 0), "update it"},
		{"much too old", fakeEngine(t, "1.24", 0), "update it"},
		{"without a version", fakeEngine(t, "", 0), "update it"},
		{"newer than this client", fakeEngine(t, "9.99", http.StatusBadRequest), "update sallyport"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, err := New(Options{Host: tt.host, Guest: guest})
			if err == nil {
				b.Close()
			}
			if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), tt.want) {
				t.Errorf("got %v, want one that wraps ErrUnavailable and says %q", err, tt.want)
			}
		})
	}
}

// TestEngineIsWhatItIs: nobody is called Podman, or Docker, who is not.
func TestEngineIsWhatItIs(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{Engine: "podman", Host: fakeEngine(t, "1.41", 0), Guest: guest}); err == nil || !strings.Contains(hint.Text(err), "is Docker, not Podman") {
		t.Errorf("Docker taken for Podman: %v", err)
	}
	o := requirePodman(t)
	o.Engine = ""
	if got := open(t, o).Describe().Name; got != "podman" {
		t.Errorf("a Podman at Docker's address is called %q", got)
	}
}

// TestNegotiation: engines of any version from 20.10 on are spoken to in the
// newest that both sides know.
func TestNegotiation(t *testing.T) {
	for engine, want := range map[string]string{"1.41": "1.41", "1.43": "1.43", "1.99": "1.51"} {
		t.Run(engine, func(t *testing.T) {
			b := open(t, Options{Host: fakeEngine(t, engine, 0), Guest: guest})
			if got := b.api.ClientVersion(); got != want {
				t.Errorf("spoke %s, want %s", got, want)
			}
		})
	}
}

// fakeEngine answers what New asks, as an engine whose newest version of the
// API this is. With a status it answers every question with that.
func fakeEngine(t *testing.T, version string, status int) (host string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if version != "" {
			w.Header().Set("API-Version", version)
		}
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/_ping"):
			fmt.Fprint(w, "OK")
		case status == http.StatusBadRequest:
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message":"client version 1.51 is too old. Minimum supported API version is 9.98, please upgrade your client"}`)
		case status != 0:
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message":"in trouble"}`)
		case strings.HasSuffix(path, "/info"):
			fmt.Fprint(w, `{"ServerVersion":"fake","OSType":"linux","Architecture":"x86_64","CgroupVersion":"2","MemoryLimit":true,"SwapLimit":true,"PidsLimit":true,"DefaultRuntime":"runc"}`)
		default:
			fmt.Fprint(w, `[]`)
		}
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http", "tcp", 1)
}

// listen serves connections on loopback until the test is over.
func listen(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accept(t, l, serve)
	return l.Addr().String()
}

func accept(t *testing.T, l net.Listener, serve func(net.Conn)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			all.Go(func() { defer c.Close(); serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
}

// TestTLS: an engine behind TLS is used with the certificates that Docker's
// variables name, and no other way.
func TestTLS(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	ours, theirs := newAuthority(t), newAuthority(t)
	files := certificates(ours.issue(t, "server"))
	server, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{server}, ClientCAs: ours.pool, ClientAuth: tls.RequireAndVerifyClientCert})
	if err != nil {
		t.Fatal(err)
	}
	accept(t, l, func(c net.Conn) { forward(c, strings.TrimPrefix(o.Host, "unix://")) })

	stranger := theirs.issue(t, "stranger") // knows our authority, is not known to it
	if err := os.Rename(filepath.Join(ours.issue(t, "x"), "ca.pem"), filepath.Join(stranger, "ca.pem")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, certs, want string
	}{
		{"good", ours.issue(t, "client"), ""},
		{"unknown client", stranger, "no trust between"},
		{"unknown server", theirs.issue(t, "client"), "no trust between"},
		{"no certificates", "", "no engine answers at"},
		{"missing files", t.TempDir(), "ca.pem"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"DOCKER_HOST": "tcp://" + l.Addr().String(), "DOCKER_CERT_PATH": tt.certs}
			if tt.certs != "" {
				env["DOCKER_TLS_VERIFY"] = "1"
			}
			found, err := FromEnvironment(Options{Guest: guest, Images: testImages()}, "", func(name string) (string, bool) { v, ok := env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if r := run(t, open(t, found), sandboxtest.Spec("python", "print(6*7)")); string(r.Stdout) != "42\n" {
					t.Errorf("%s %q %s", r.Reason, r.Stdout, r.Stderr)
				}
				return
			}
			b, err := New(found)
			if err == nil {
				b.Close()
			}
			if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(hint.Text(err), tt.want) {
				t.Errorf("got %v, want one that wraps ErrUnavailable and says %q", err, tt.want)
			}
		})
	}
}

// forward passes a connection on to a socket, both ways, half-closes included.
func forward(c net.Conn, socket string) {
	engine, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer engine.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(engine, c)
		_ = engine.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(c, engine)
	c.Close()
	<-done
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := authority{key: key, pool: x509.NewCertPool(), cert: &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign}}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	return a
}

// issue makes a directory as DOCKER_CERT_PATH names one.
func (a authority) issue(t *testing.T, name string) (dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), name)
	for file, block := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: a.cert.Raw}, "cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		write(t, filepath.Join(dir, file), string(pem.EncodeToMemory(block)))
	}
	return dir
}

// TestNoPermission: somebody who may not use the socket is told how to.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	o := requireDocker(t)
	if os.Getenv("ACT_AS_NOBODY") == "1" {
		_, err := New(Options{Host: o.Host, Guest: os.Getenv("ACT_GUEST")})
		fmt.Println(hint.Text(err))
		return
	}
	requireRoot(t)
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// Where the engine's own directories let nobody through, that is no
	// permission, too.
	test, supervisor := filepath.Join(dir, "test"), filepath.Join(dir, "guest")
	sandboxtest.CopyProgram(t, os.Args[0], test)
	sandboxtest.CopyProgram(t, guest, supervisor)
	cmd := exec.Command(test, "-test.run=^TestNoPermission$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACT_AS_NOBODY=1", "ACT_GUEST="+supervisor, "SALLYPORT_TEST_GUEST="+supervisor)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no permission on") || !strings.Contains(string(out), "usermod -aG docker") {
		t.Errorf("%v: %s", err, out)
	}
}
