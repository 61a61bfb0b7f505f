package cluster

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
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	namespace = "agents"
	host      = "sallyport.agents.svc" // of the Service
	volumes   = "/var/lib/volumes"     // of the node, one directory for each replica's log
	bridge    = "10.233.0.1"           // the node, as pods reach it
	issuer    = "https://" + bridge + ":9443"
)

// run runs a command and returns what it printed.
func run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, &errs)
	}
	return string(out)
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, "", append([]string{"kubectl", "--namespace", namespace}, args...)...)
}

// installed is a release of the chart in a namespace that enforces Pod Security
// "restricted", on volumes of the node.
type installed struct {
	t        *testing.T
	token    string // of who runs programs
	approver string // of who approves of them
	dir      string // with tls.crt, which vouches for itself, and tls.key
	roots    *x509.CertPool
}

func install(t *testing.T, replicas int, more ...string) *installed {
	t.Helper()
	s := prepare(t, replicas)
	s.start(replicas, more...)
	return s
}

// start installs the chart and waits until its replicas are ready.
func (s *installed) start(replicas int, more ...string) {
	t := s.t
	t.Helper()
	s.chart("install", replicas, more...)
	t.Cleanup(func() {
		if t.Failed() {
			for _, args := range [][]string{{"get", "pods,pvc,events", "-A", "-o", "wide"}, {"describe", "pods"}, {"logs", "-l", "app.kubernetes.io/name=sallyport", "--tail", "50", "--prefix"}} {
				out, _ := exec.Command("kubectl", append([]string{"--namespace", namespace}, args...)...).CombinedOutput()
				t.Logf("kubectl %s\n%s", strings.Join(args, " "), out)
			}
		}
	})
	kubectl(t, "rollout", "status", "statefulset/sallyport", "--timeout", "15m")
	// In place of DNS, which this cluster has not.
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(hosts), "\n"), func(l string) bool { return l == "" || strings.HasSuffix(l, " "+host) })
	lines = append(lines, kubectl(t, "get", "service", "sallyport", "-o", "jsonpath={.spec.clusterIP}")+" "+host, "")
	if err := os.WriteFile("/etc/hosts", []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// chart has helm install or upgrade the release.
func (s *installed) chart(verb string, replicas int, more ...string) {
	s.t.Helper()
	values := append([]string{fmt.Sprint("replicas=", replicas), "tls=pair", "tokens=tokens", "trust=authorities", "image.tag=test", "image.pullPolicy=Never", "seccomp.install=true", "log.size=1Gi",
		"resources.requests.cpu=50m", "resources.requests.memory=256Mi", "config.limits.timeout=15m", "config.serve.limits.calls_per_minute=100000", "config.serve.issuers[0].url=" + issuer}, more...)
	if out, err := helm(s.t, verb, "sallyport", chart, "--namespace", namespace, "--set", strings.Join(values, ",")); err != nil {
		s.t.Fatal(out)
	}
}

// prepare makes what an installation needs: the namespace, volumes, Secrets.
func prepare(t *testing.T, replicas int) *installed {
	t.Helper()
	if os.Getenv("CLUSTER") != "1" {
		t.Skip("no cluster: make cluster-test")
	}
	s := &installed{t: t, dir: t.TempDir(), roots: x509.NewCertPool()}
	// What an earlier test left for whoever looks at it.
	_, _ = helm(t, "uninstall", "sallyport", "--namespace", namespace, "--wait")
	run(t, "", "kubectl", "delete", "namespace", namespace, "--ignore-not-found", "--timeout", "10m")
	run(t, "", "kubectl", "delete", "persistentvolume", "--all", "--timeout", "10m")
	if err := os.RemoveAll(volumes); err != nil {
		t.Fatal(err)
	}
	var objects strings.Builder
	fmt.Fprintf(&objects, "{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {pod-security.kubernetes.io/enforce: restricted}}}\n", namespace)
	for i := range replicas {
		dir := filepath.Join(volumes, fmt.Sprint(i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&objects, `---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: log-%d}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: %s},
 nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node]}]}]}}}}
`, i, dir)
	}
	run(t, objects.String(), "kubectl", "apply", "-f", "-")

	dir := s.dir
	s.certificate(dir)
	kubectl(t, "create", "configmap", "authorities", "--from-file", dir+"/tls.crt")
	kubectl(t, "create", "secret", "tls", "pair", "--cert", dir+"/tls.crt", "--key", dir+"/tls.key")
	var lines bytes.Buffer
	for _, who := range []struct {
		name, scopes string
		token        *string
	}{{"agent", "run,check", &s.token}, {"approver", "approve", &s.approver}} {
		var shown bytes.Buffer
		cmd := exec.Command("sallyport", "serve", "token", who.name, "--scope", who.scopes)
		cmd.Stdout, cmd.Stderr = &lines, &shown
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		*who.token = strings.TrimSpace(shown.String())
	}
	if err := os.WriteFile(dir+"/tokens", lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "create", "secret", "generic", "tokens", "--from-file", dir+"/tokens")
	return s
}

// certificate makes the certificate of the service and of the provider, which
// vouches for itself.
func (s *installed) certificate(dir string) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, IPAddresses: []net.IP{net.ParseIP(bridge)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: der}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		s.t.Fatal(err)
	}
	s.roots.AddCert(leaf)
}

// to dials one replica, whatever the Service says.
func (s *installed) to(pod string) func(context.Context, string, string) (net.Conn, error) {
	ip := kubectl(s.t, "get", "pod", pod, "-o", "jsonpath={.status.podIP}")
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(ip, "8443"))
	}
}

// bearer adds the token.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// client is an MCP client with a connection of its own: through the Service, or
// to where dial gets.
func (s *installed) client(dial func(context.Context, string, string) (net.Conn, error)) *mcp.ClientSession {
	s.t.Helper()
	return s.clientWith(s.token, dial)
}

func (s *installed) clientWith(token string, dial func(context.Context, string, string) (net.Conn, error)) *mcp.ClientSession {
	s.t.Helper()
	c, err := s.connect(s.t, token, dial)
	if err != nil {
		s.t.Fatalf("connecting: %v", err)
	}
	return c
}

func (s *installed) connect(t *testing.T, token string, dial func(context.Context, string, string) (net.Conn, error)) (*mcp.ClientSession, error) {
	transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: s.roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return mcp.NewClient(&mcp.Implementation{Name: "cluster-test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "https://" + host + "/mcp", HTTPClient: &http.Client{Transport: bearer{token, transport}}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
}

// python runs a program and returns what was said.
func python(ctx context.Context, c *mcp.ClientSession, code string) (string, error) {
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run_python_code", Arguments: map[string]any{"code": code}})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, one := range r.Content {
		if one, ok := one.(*mcp.TextContent); ok {
			text.WriteString(one.Text)
		}
	}
	if r.IsError {
		return text.String(), errors.New(text.String())
	}
	return text.String(), nil
}

// records counts the records of a log in which a text is, by event.
func records(t *testing.T, log, text string) map[string]int {
	t.Helper()
	events := map[string]int{}
	out := run(t, "", "sallyport", "audit", "search", "--dir", log, "--format", "json")
	ids := map[string]bool{}
	for line := range strings.Lines(out) {
		var r struct{ Event, ID, Decision string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, text) {
			ids[r.ID] = true
		}
		if ids[r.ID] || ids[r.Decision] {
			events[r.Event]++
		}
	}
	return events
}

// logOf is the directory of a replica's log on the node.
func logOf(t *testing.T, pod string) string {
	t.Helper()
	volume := kubectl(t, "get", "pvc", "log-"+pod, "-o", "jsonpath={.spec.volumeName}")
	return filepath.Join(volumes, strings.TrimPrefix(volume, "log-"), "audit")
}

// verified holds all logs, as one set, against what was written.
func verified(t *testing.T, replicas int) {
	t.Helper()
	args := []string{"sallyport", "audit", "verify"}
	for i := range replicas {
		args = append(args, "--dir", logOf(t, fmt.Sprintf("sallyport-%d", i)))
	}
	if out := run(t, "", args...); !strings.Contains(out, ": intact") || replicas > 1 && !strings.Contains(out, fmt.Sprintf("in %d logs", replicas)) {
		t.Errorf("the logs of all replicas: %s", out)
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// TestReplicas: the chart as it is, where Pod Security "restricted" is enforced,
// serves a real MCP client through its Service; a replica that is killed takes its
// own calls along and nothing else; one that is ended loses none.
func TestReplicas(t *testing.T) {
	const replicas = 3
	s := install(t, replicas)

	t.Run("nothing to take", func(t *testing.T) {
		out, err := exec.Command("kubectl", "--namespace", namespace, "run", "root", "--image", "sallyport/server:test", "--dry-run=server").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "violates PodSecurity") {
			t.Errorf("the namespace takes any pod, so that it proves nothing: %s", out)
		}
		in := kubectl(t, "exec", "sallyport-0", "--", "/bin/sh", "-c", `id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\t'; ls /var/run/secrets/kubernetes.io 2>&1 || echo no token; touch /usr/x 2>/dev/null || echo read-only; stat -c %A /state/audit | tr S -`)
		for _, fact := range []string{"65534\n", "CapEff:0000000000000000\n", "CapBnd:0000000000000000\n", "NoNewPrivs:1\n", "Seccomp:2\n", "no token\n", "read-only\n", "drwx------\n"} {
			if !strings.Contains(in, fact) {
				t.Errorf("in a replica is not %q, but\n%s", fact, in)
			}
		}
	})

	t.Run("a login at a real provider", s.login)
	t.Run("the provider's tokens at every replica", func(t *testing.T) { s.tokens(t, replicas) })

	t.Run("a replica is killed in mid-call", func(t *testing.T) {
		const victim = "sallyport-1"
		log := logOf(t, victim)
		hit, other := s.client(s.to(victim)), s.client(s.to("sallyport-0"))
		failed := make(chan error, 1)
		go func() {
			_, err := python(t.Context(), hit, "import time\ntime.sleep(800)")
			failed <- err
		}()
		status := `jsonpath={.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}`
		container, _, _ := strings.Cut(strings.TrimPrefix(kubectl(t, "get", "pod", victim, "-o", status), "containerd://"), " ")
		inside := func() []string {
			return strings.Fields(run(t, "", "ctr", "--namespace", "k8s.io", "tasks", "ps", container))
		}
		waitFor(t, "the record of the start is on the volume", func() bool { return len(openRuns(t, log)) == 1 })
		if len(inside()) < 8 {
			t.Fatalf("nothing runs in it: %v", inside())
		}
		run(t, "", "ctr", "--namespace", "k8s.io", "tasks", "kill", "--signal", "KILL", container)
		if err := <-failed; err == nil {
			t.Error("the call of the killed replica is answered as if nothing had been")
		}
		if out, err := python(t.Context(), other, "print(6*7)"); err != nil || !strings.Contains(out, "42") {
			t.Errorf("a call to another replica: %q %v", out, err)
		}
		waitFor(t, "it is started again", func() bool { return strings.HasSuffix(kubectl(t, "get", "pod", victim, "-o", status), " 1") })
		if out, err := exec.Command("ctr", "--namespace", "k8s.io", "tasks", "ps", container).CombinedOutput(); err == nil && len(strings.Fields(string(out))) > 2 {
			t.Errorf("left of the killed one: %s", out)
		}
		kubectl(t, "wait", "--for", "condition=Ready", "pod/"+victim, "--timeout", "10m")
		if open := openRuns(t, log); len(open) != 1 {
			t.Errorf("begun and not ended on its volume are %v, want the one call", open)
		}
		if out, err := python(t.Context(), s.client(s.to(victim)), "print(6*7)"); err != nil || !strings.Contains(out, "42") {
			t.Errorf("a call to the one that was started again: %q %v", out, err)
		}
		verified(t, replicas)
	})

	t.Run("a rollout loses no call", func(t *testing.T) {
		before := map[string]int{}
		for i := range replicas {
			pod := fmt.Sprintf("sallyport-%d", i)
			before[pod] = records(t, logOf(t, pod), "")["end"]
		}
		calling := s.calling(t, replicas+1, time.Second)
		waitFor(t, "every caller is calling", func() bool { return calling.answered() > replicas })
		kubectl(t, "rollout", "restart", "statefulset/sallyport")
		kubectl(t, "rollout", "status", "statefulset/sallyport", "--timeout", "15m")
		after := calling.answered()
		waitFor(t, "callers go on afterwards", func() bool { return calling.answered() > after+replicas || t.Failed() })
		calling.end()
		ends := 0
		for pod, n := range before {
			ends += records(t, logOf(t, pod), "")["end"] - n
		}
		if ends != calling.answered() {
			t.Errorf("%d calls were answered, and the ends of %d are on record", calling.answered(), ends)
		}
		t.Logf("%d calls answered while each of %d replicas was replaced", calling.answered(), replicas)
		verified(t, replicas)
	})
}

// callers call through the Service until they are ended; a call that is lost fails
// the test. Every other one makes a new connection for each call.
type callers struct {
	stop  context.CancelFunc
	group sync.WaitGroup
	mu    sync.Mutex
	took  []time.Duration
}

func (s *installed) calling(t *testing.T, n int, each time.Duration) *callers {
	ctx, stop := context.WithCancel(t.Context())
	c := &callers{stop: stop}
	for i := range n {
		c.group.Go(func() {
			var client *mcp.ClientSession
			for k := 0; ctx.Err() == nil && !t.Failed(); k++ {
				begun := time.Now()
				var err error
				if client == nil || i%2 == 1 {
					if client, err = s.connect(t, s.token, nil); err != nil {
						t.Errorf("caller %d does not get to call %d: %v", i, k, err)
						return
					}
				}
				// Not ctx: what is begun is finished.
				out, err := python(t.Context(), client, fmt.Sprintf("import time\ntime.sleep(%g)\nprint(%d)", each.Seconds(), k))
				if err != nil || !strings.Contains(out, fmt.Sprint(k)) {
					t.Errorf("caller %d lost call %d: %q %v", i, k, out, err)
					return
				}
				c.mu.Lock()
				c.took = append(c.took, time.Since(begun))
				c.mu.Unlock()
			}
		})
	}
	return c
}

func (c *callers) answered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.took)
}

// since says how long the calls took that ended after the first n.
func (c *callers) since(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return spread(c.took[n:])
}

func spread(took []time.Duration) string {
	if len(took) == 0 {
		return "no calls"
	}
	took = slices.Sorted(slices.Values(took))
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d calls, p50 %v, p95 %v, longest %v", len(took), at(0.5), at(0.95), at(1))
}

func (c *callers) end() {
	c.stop()
	c.group.Wait()
}

// provided runs one of the programs of scripts/clients, which begins a provider
// on the node.
func (s *installed) provided(ctx context.Context, program string) *exec.Cmd {
	provider := os.Getenv("PROVIDER")
	cmd := exec.CommandContext(ctx, filepath.Join(provider, "node_modules/.bin/node"), filepath.Join(provider, program))
	cmd.Env = append(os.Environ(), "AT=https://"+host, "ISSUER="+issuer, "TLS_CERT="+s.dir+"/tls.crt", "TLS_KEY="+s.dir+"/tls.key", "NODE_EXTRA_CA_CERTS="+s.dir+"/tls.crt")
	return cmd
}

// login has the TypeScript SDK find the provider by the service's own words, log
// in there and work with the service, which keeps it at one replica (ClientIP); what
// the provider gives for another service, or for less, opens nothing.
func (s *installed) login(t *testing.T) {
	out, err := s.provided(t.Context(), "login.mjs").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "three tokens opened nothing") {
		t.Errorf("%v\n%s", err, out)
	}
}

// tokens has clients with the provider's token call until each replica had one,
// whereupon each refuses what is no token for it.
func (s *installed) tokens(t *testing.T, replicas int) {
	cmd := s.provided(t.Context(), "service.mjs")
	end, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // it ends with its input
		end.Close()
		_ = cmd.Wait()
	}()
	var given struct{ Token, Elsewhere string }
	lines := bufio.NewScanner(out)
	for given.Token == "" && lines.Scan() { // the provider says things of its own before
		_ = json.Unmarshal(lines.Bytes(), &given)
	}
	if given.Token == "" {
		t.Fatalf("the provider gave no token: %v", lines.Err())
	}
	s.chart("upgrade", replicas, "service.affinity=None")
	waitFor(t, "each replica had a call through the Service", func() bool {
		if out, err := python(t.Context(), s.clientWith(given.Token, nil), "print(6*7)"); err != nil || !strings.Contains(out, "42") {
			t.Fatalf("a call: %q %v", out, err)
		}
		for i := range replicas {
			if got := records(t, logOf(t, fmt.Sprintf("sallyport-%d", i)), "cluster-test"); got["decision"] == 0 || got["decision"] != got["end"] {
				return false
			}
		}
		return true
	})
	for i := range replicas {
		pod := fmt.Sprintf("sallyport-%d", i)
		for name, row := range map[string]struct {
			token string
			want  int
		}{"for it": {given.Token, 200}, "none": {"", 401}, "for another service": {given.Elsewhere, 401}, "changed": {given.Token + "x", 401}} {
			a, _ := s.post(t, pod, row.token, "/v1/run", `{"language": "python", "code": "print(6*7)"}`)
			if a.StatusCode != row.want || row.want == 401 && !strings.Contains(a.Header.Get("WWW-Authenticate"), "resource_metadata=\"https://"+host) {
				t.Errorf("%s, with a token %s: %s %q", pod, name, a.Status, a.Header.Get("WWW-Authenticate"))
			}
		}
	}
}

// post asks one replica, and returns what it answered.
func (s *installed) post(t *testing.T, pod, token, path, body string) (*http.Response, string) {
	t.Helper()
	transport := &http.Transport{DialContext: s.to(pod), TLSClientConfig: &tls.Config{RootCAs: s.roots}}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+host+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(text)
}

// openRuns are the decisions of a log that let a program run whose end is not on
// record.
func openRuns(t *testing.T, log string) map[string]bool {
	t.Helper()
	open := map[string]bool{}
	for line := range strings.Lines(run(t, "", "sallyport", "audit", "search", "--dir", log, "--format", "json")) {
		var r struct {
			Event, ID, Decision string
			Verdict             struct{ Effect string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Event == "decision" && r.Verdict.Effect == "allow":
			open[r.ID] = true
		case r.Event == "end":
			delete(open, r.Decision)
		}
	}
	return open
}
