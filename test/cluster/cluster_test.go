package cluster

import (
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
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	namespace = "agents"
	host      = "sallyport.agents.svc" // of the Service
	volumes   = "/var/lib/volumes"     // of the node, one directory for each replica's log
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
	t     *testing.T
	token string
	roots *x509.CertPool
	next  atomic.Int64 // turns of the Service
}

func install(t *testing.T, replicas int) *installed {
	t.Helper()
	if os.Getenv("CLUSTER") != "1" {
		t.Skip("no cluster: make cluster-test")
	}
	s := &installed{t: t, roots: x509.NewCertPool()}
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

	dir := t.TempDir()
	s.certificate(dir)
	kubectl(t, "create", "secret", "tls", "pair", "--cert", dir+"/tls.crt", "--key", dir+"/tls.key")
	var line, token bytes.Buffer
	cmd := exec.Command("sallyport", "serve", "token", "agent")
	cmd.Stdout, cmd.Stderr = &line, &token
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(token.String())
	if err := os.WriteFile(dir+"/tokens", line.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "create", "secret", "generic", "tokens", "--from-file", dir+"/tokens")
	if out, err := helm(t, "install", "sallyport", chart, "--namespace", namespace, "--set", fmt.Sprintf(
		"replicas=%d,tls=pair,tokens=tokens,image.tag=test,image.pullPolicy=Never,seccomp.install=true,log.size=1Gi,resources.requests.cpu=50m,config.limits.timeout=15m,"+
			"config.serve.limits.calls_per_minute=100000", replicas)); err != nil {
		t.Fatal(out)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, args := range [][]string{{"get", "pods,pvc,events", "-A", "-o", "wide"}, {"describe", "pods"}, {"logs", "-l", "app.kubernetes.io/name=sallyport", "--tail", "50", "--prefix"}} {
				out, _ := exec.Command("kubectl", append([]string{"--namespace", namespace}, args...)...).CombinedOutput()
				t.Logf("kubectl %s\n%s", strings.Join(args, " "), out)
			}
		}
	})
	kubectl(t, "rollout", "status", "statefulset/sallyport", "--timeout", "15m")
	return s
}

// certificate makes the service's certificate, which vouches for itself.
func (s *installed) certificate(dir string) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour)}
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

// dial stands in for kube-proxy, which this cluster has not: a connection to the
// Service goes to one of the addresses that its EndpointSlice calls ready, in
// turn.
func (s *installed) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address != host+":443" {
		return nil, fmt.Errorf("%s is not the service", address)
	}
	out, err := exec.CommandContext(ctx, "kubectl", "--namespace", namespace, "get", "endpointslices", "-l", "kubernetes.io/service-name=sallyport", "-o",
		`jsonpath={range .items[*].endpoints[?(@.conditions.ready==true)]}{.addresses[0]}{"\n"}{end}`).Output()
	if err != nil {
		return nil, err
	}
	ready := strings.Fields(string(out))
	err = errors.New("no replica is ready")
	for range ready {
		var c net.Conn
		if c, err = new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(ready[int(s.next.Add(1))%len(ready)], "8443")); err == nil {
			return c, nil
		}
	}
	return nil, err
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

// client is an MCP client with a connection of its own.
func (s *installed) client(dial func(context.Context, string, string) (net.Conn, error)) *mcp.ClientSession {
	s.t.Helper()
	transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: s.roots}, ForceAttemptHTTP2: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "cluster-test", Version: "1"}, nil).Connect(s.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "https://" + host + "/mcp", HTTPClient: &http.Client{Transport: bearer{s.token, transport}}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err != nil {
		s.t.Fatalf("connecting: %v", err)
	}
	return c
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
	if out := run(t, "", args...); !strings.Contains(out, fmt.Sprintf("in %d logs: intact", replicas)) {
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

	t.Run("through the Service", func(t *testing.T) {
		for i := range 2 * replicas {
			if out, err := python(t.Context(), s.client(s.dial), fmt.Sprintf("print(%d*7)", i)); err != nil || !strings.Contains(out, fmt.Sprint(i*7)) {
				t.Fatalf("call %d: %q %v", i, out, err)
			}
		}
		for i := range replicas {
			if got := records(t, logOf(t, fmt.Sprintf("sallyport-%d", i)), "cluster-test"); got["decision"] == 0 || got["decision"] != got["end"] {
				t.Errorf("on record of replica %d are %v", i, got)
			}
		}
	})

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
		ctx, stop := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		var answered atomic.Int64
		for i := range replicas + 1 {
			callers.Go(func() {
				c := s.client(s.dial)
				for n := 0; ctx.Err() == nil; n++ {
					// Not ctx: what is begun is finished.
					out, err := python(t.Context(), c, fmt.Sprintf("import time\ntime.sleep(1)\nprint(%d)", n))
					if err != nil || !strings.Contains(out, fmt.Sprint(n)) {
						t.Errorf("caller %d lost call %d: %q %v", i, n, out, err)
						return
					}
					answered.Add(1)
				}
			})
		}
		waitFor(t, "every caller is calling", func() bool { return answered.Load() > replicas })
		kubectl(t, "rollout", "restart", "statefulset/sallyport")
		kubectl(t, "rollout", "status", "statefulset/sallyport", "--timeout", "15m")
		after := answered.Load()
		waitFor(t, "callers go on afterwards", func() bool { return answered.Load() > after+replicas || t.Failed() })
		stop()
		callers.Wait()
		ends := 0
		for pod, n := range before {
			ends += records(t, logOf(t, pod), "")["end"] - n
		}
		if int64(ends) != answered.Load() {
			t.Errorf("%d calls were answered, and the ends of %d are on record", answered.Load(), ends)
		}
		t.Logf("%d calls answered while each of %d replicas was replaced", answered.Load(), replicas)
		verified(t, replicas)
	})
}

// openRuns are the decisions of a log that let a program run whose end is not on
// record.
func openRuns(t *testing.T, log string) map[string]bool {
	t.Helper()
	open := map[string]bool{}
	for line := range strings.Lines(run(t, "", "sallyport", "audit", "search", "--dir", log, "--format", "json")) {
		var r struct{ Event, ID, Decision string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch r.Event {
		case "decision":
			open[r.ID] = true
		case "end":
			delete(open, r.Decision)
		}
	}
	return open
}
