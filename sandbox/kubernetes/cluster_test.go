package kubernetes

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

// The tests below are for a cluster that scripts/cluster brought up: it runs them
// with its kubeconfig, that of the administrator.

const node = "10.234.0.1" // address of the cluster's one node

func run(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

var prepared sync.Once

// require returns options for pods in a namespace, as a service account with the
// chart's Role there and nothing else.
func require(t testing.TB, namespace string) Options {
	t.Helper()
	if os.Getenv("REQUIRE_CLUSTER") != "1" {
		t.Skip("no cluster: make cluster-test")
	}
	prepared.Do(func() {
		run(t, "", "kubectl", "apply", "-f", "../../test/cluster/sandboxes.yaml")
		for _, ns := range []string{"closed", "open", "small"} {
			run(t, run(t, "", "helm", "template", "sallyport", "../../deploy/helm/sallyport", "--namespace", ns,
				"--set", "tls=pair,kubernetes.enabled=true,kubernetes.namespace="+ns, "--show-only", "templates/sandboxes.yaml"), "kubectl", "apply", "-f", "-")
		}
	})
	ca := run(t, "", "kubectl", "config", "view", "--raw", "-o", "jsonpath={.clusters[0].cluster.certificate-authority}")
	token := run(t, "", "kubectl", "--namespace", namespace, "create", "token", "sallyport", "--duration", "2h")
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{current-context: c, clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", certificate-authority: %s}}],
 users: [{name: u, user: {token: %s}}], contexts: [{name: c, context: {cluster: c, user: u, namespace: %s}}]}`, ca, token, namespace)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	image := "docker.io/sallyport/prepared:test"
	return Options{
		Kubeconfig: path, SharedKernel: true, Images: map[string]string{"python": image, "javascript": image},
		Guest: os.Getenv("SALLYPORT_TEST_GUEST"), MilliCPUs: 200, Outside: []string{listen(t)},
	}
}

// listen is an address of the node's that answers.
func listen(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", node+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func begin(t testing.TB, o Options) *Backend {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left := podsOf(t, b); left != "" {
			t.Errorf("pods are left: %s", left)
		}
	})
	return b
}

// podsOf are the pods of an instance, by the administrator's word.
func podsOf(t testing.TB, b *Backend) string {
	t.Helper()
	ours := run(t, "", "kubectl", "--namespace", b.api.namespace, "get", "pods", "-l", labelOwner+"="+b.self,
		"-o", "go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}")
	return ours
}

func TestConformance(t *testing.T) {
	b := begin(t, require(t, "closed"))
	t.Log(b.Describe())
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{
		Without: []sandbox.Control{sandbox.ControlEgress}, // TestRefusedByName
		// A pod has an interface, and mounts in memory without noexec: docs/kubernetes.md.
		Except: []string{"interfaces", "signals and mount options", "written program"},
	})
}

// What a pod cannot have is refused before anything starts, by its name.
func TestRefusedByName(t *testing.T) {
	b := begin(t, require(t, "closed"))
	for name, edit := range map[string]func(*sandbox.Spec){
		"mount":                    func(s *sandbox.Spec) { s.Runtime.Mounts = []sandbox.Mount{{Source: "/usr", Target: "/opt"}} },
		"let programs reach hosts": func(s *sandbox.Spec) { s.Grant, s.Egress = sandbox.Grant{sandbox.CapabilityNetwork}, &sandbox.Egress{} },
		`cannot enforce "egress"`:  func(s *sandbox.Spec) { s.Require = []sandbox.Control{sandbox.ControlEgress} },
	} {
		s := sandboxtest.Spec("python", "print(1)")
		edit(&s)
		if _, err := b.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A namespace whose network lets something through gets no program, whatever its
// policies say.
func TestOpenNamespaceRefused(t *testing.T) {
	o := require(t, "open")
	run(t, `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: deny, namespace: open}, spec: {podSelector: {}, policyTypes: [Ingress, Egress]}}`,
		"kubectl", "apply", "-f", "-")
	b, err := New(o)
	if err == nil {
		b.Close()
		t.Fatal("an open network was taken for a closed one")
	}
	for _, want := range []string{"the network of namespace open is open", "tcp 10.233."} { // a peer
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if left := run(t, "", "kubectl", "--namespace", "open", "get", "leases", "-o", "name"); left != "" {
		t.Errorf("leases are left: %s", left)
	}
}

// What the cluster refuses is said in the words of who can mend it.
func TestClusterRefuses(t *testing.T) {
	for _, row := range []struct {
		name, namespace string
		edit            func(*Options)
		want            string
	}{
		{"no such image", "closed", func(o *Options) { o.Images["python"] = "docker.io/sallyport/nowhere:test" }, "the cluster has no image"},
		{"an image without the layer", "closed", func(o *Options) { o.Images["python"] = "docker.io/sallyport/unprepared:test" }, "was not prepared for this version"},
		{"no such RuntimeClass", "closed", func(o *Options) { o.RuntimeClass = "nonexistent" }, "the cluster does not take a pod"},
		{"no room by quota", "small", func(*Options) {}, "exceeded quota"},
		{"no right in the namespace", "closed", func(o *Options) { o.Namespace = "kube-system" }, "the Role of the chart"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := require(t, row.namespace)
			row.edit(&o)
			b, err := New(o)
			if err == nil {
				b.Close()
				t.Fatal("it was taken")
			}
			if text := fmt.Sprintf("%v %s", err, hint.Fix(err)); !strings.Contains(text, row.want) {
				t.Errorf("%q is not in: %s", row.want, text)
			}
		})
	}
}

// The pods of an instance whose lease ran out are removed by the next; those of a
// live one are not.
func TestOrphans(t *testing.T) {
	o := require(t, "closed")
	o.Warm = 1
	live, dead := begin(t, o), begin(t, o)
	for _, b := range []*Backend{live, dead} {
		if err := b.Warm(t.Context(), sandboxtest.Spec("python", "")); err != nil {
			t.Fatal(err)
		}
	}
	dead.closing() // it renews nothing more
	dead.leasing.Wait()
	run(t, "", "kubectl", "--namespace", "closed", "patch", "lease", dead.self, "--type", "merge", "-p", `{"spec":{"renewTime":"2020-01-01T00:00:00.000000Z"}}`)
	next := begin(t, o)
	if left := podsOf(t, dead); left != "" {
		t.Errorf("pods of a dead instance: %s", left)
	}
	if podsOf(t, live) == "" {
		t.Error("the pod of a live instance was removed")
	}
	leases := run(t, "", "kubectl", "--namespace", "closed", "get", "leases", "-o", "name")
	if strings.Contains(leases, dead.self) || !strings.Contains(leases, live.self) || !strings.Contains(leases, next.self) {
		t.Errorf("leases: %s", leases)
	}
}

// A pod that waits is handed over once. How long runs take is said, not judged.
func TestWaiting(t *testing.T) {
	o := require(t, "closed")
	o.Warm, o.MilliCPUs = 2, 400
	b := begin(t, o)
	s := sandboxtest.Spec("python", "import socket\nprint(socket.gethostname())")
	var warm, cold []time.Duration
	for range 8 {
		if err := b.Warm(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		r, err := b.Run(t.Context(), s)
		if err != nil || r.Exit != 0 || !r.Warm {
			t.Fatalf("%v, %+v", err, r)
		}
		warm = append(warm, time.Since(begin))
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	o.Warm = 0
	b = begin(t, o)
	for range 5 {
		begin := time.Now()
		if _, err := b.Run(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		cold = append(cold, time.Since(begin))
	}
	slices.Sort(warm)
	slices.Sort(cold)
	t.Logf("from a waiting pod: %v; from none: %v", warm, cold)
}

// What goes in does not have to fit into one message.
func TestLargeProgram(t *testing.T) {
	b := begin(t, require(t, "closed"))
	s := sandboxtest.Spec("python", "print(1)\n#"+strings.Repeat("x", 300<<10)+"\nprint(2)")
	s.Limits.Wall = 20 * time.Second
	r, err := b.Run(t.Context(), s)
	if err != nil || string(r.Stdout) != "1\n2\n" {
		t.Errorf("%v, %+v", err, r)
	}
}
