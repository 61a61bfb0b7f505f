package kubernetes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path"
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
		for _, ns := range []string{"closed", "open", "small", "poor", "meddling"} {
			for account, claim := range map[string]string{"sallyport": "", "claimant": AgentSandbox} {
				run(t, run(t, "", "helm", "template", account, "../../deploy/helm/sallyport", "--namespace", ns,
					"--set", "tls=pair,kubernetes.enabled=true,kubernetes.namespace="+ns+",config.sandbox.kubernetes.claim="+claim,
					"--show-only", "templates/sandboxes.yaml"), "kubectl", "apply", "--namespace", ns, "-f", "-")
			}
		}
		run(t, `[{"op": "replace", "path": "/rules/0/verbs", "value": [create, get, list, watch]}]`,
			"kubectl", "--namespace", "poor", "patch", "role", "sallyport", "--type", "json", "--patch-file", "/dev/stdin")
	})
	return as(t, "sallyport", namespace)
}

// as returns options for pods in a namespace, as one of its service accounts.
func as(t testing.TB, account, namespace string) Options {
	t.Helper()
	ca := run(t, "", "kubectl", "config", "view", "--raw", "-o", "jsonpath={.clusters[0].cluster.certificate-authority}")
	token := run(t, "", "kubectl", "--namespace", namespace, "create", "token", account, "--duration", "2h")
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{current-context: c, clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", certificate-authority: %s}}],
 users: [{name: u, user: {token: %s}}], contexts: [{name: c, context: {cluster: c, user: u, namespace: %s}}]}`, ca, token, namespace)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	image := image("prepared")
	return Options{
		Kubeconfig: path, SharedKernel: true, Images: map[string]string{"python": image, "javascript": image},
		Guest: os.Getenv("SALLYPORT_TEST_GUEST"), MilliCPUs: 200, Outside: []string{listen(t)},
	}
}

// image is the reference of an image that scripts/cluster imported.
func image(name string) string {
	return "docker.io/sallyport/" + name + ":" + cmp.Or(os.Getenv("SALLYPORT_TEST_TAG"), "test")
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

// podsOf are the pods of an instance, or its claims of them, by the administrator's word.
func podsOf(t testing.TB, b *Backend) string {
	t.Helper()
	ours := run(t, "", "kubectl", "--namespace", b.api.namespace, "get", path.Base(b.kind()), "-l", labelOwner+"="+b.self,
		"-o", "go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}")
	return ours
}

// kernels are the RuntimeClasses of the cluster, by what programs meet: the node's
// kernel, or gVisor's.
var kernels = map[string]string{"runc": "", "gvisor": "gvisor"}

func onEach(t *testing.T, test func(t *testing.T, o Options)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		t.Run(name, func(t *testing.T) {
			o := require(t, "closed")
			o.RuntimeClass, o.SharedKernel = kernels[name], kernels[name] == ""
			test(t, o)
		})
	}
}

func TestConformance(t *testing.T) {
	onEach(t, func(t *testing.T, o Options) {
		b := begin(t, o)
		t.Log(b.Describe())
		conforms(t, b, o)
	})
}

// conforms runs the suite that every backend passes on pods of this one.
func conforms(t *testing.T, b sandbox.Backend, o Options) {
	t.Helper()
	// A pod has an interface, and mounts in memory without noexec; what is written
	// there Landlock refuses to start, which gVisor has not: docs/kubernetes.md.
	except := []string{"interfaces", "mount options"}
	if o.RuntimeClass == "gvisor" {
		except = append(except, "written program")
	}
	sandboxtest.Run(t, func(*testing.T) sandbox.Backend { return b }, sandboxtest.Options{
		Without: []sandbox.Control{sandbox.ControlEgress}, // TestRefusedByName
		Except:  except,
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
		{"no such image", "closed", func(o *Options) { o.Images["python"] = "127.0.0.1:1/nowhere:test" }, "the cluster has no image 127.0.0.1:1/nowhere:test: "},
		{"no image by that name", "closed", func(o *Options) { o.Images["python"] = "docker.io/UPPER:test" }, "the cluster has no image docker.io/UPPER:test: "},
		{"an image without the layer", "closed", func(o *Options) { o.Images["python"] = image("unprepared") }, "was not prepared for this version"},
		{"no such RuntimeClass", "closed", func(o *Options) { o.RuntimeClass = "nonexistent" }, "kubectl get runtimeclass"},
		{"a RuntimeClass that the node has not", "closed", func(o *Options) { o.RuntimeClass = "elsewhere" }, `no runtime for "elsewhere" is configured`},
		{"no room by quota", "small", func(*Options) {}, "raise the namespace's ResourceQuota"},
		{"no right in the namespace", "closed", func(o *Options) { o.Namespace = "kube-system" }, "may not do in namespace kube-system what it needs: create leases, create pods, "},
		{"a right too few", "poor", func(*Options) {}, "may not do in namespace poor what it needs: delete pods. "},
		{"no such namespace", "closed", func(o *Options) { o.Kubeconfig, o.Namespace = os.Getenv("KUBECONFIG"), "nonexistent" }, "there is no namespace for the pods of runs"},
		{"a pod that the cluster changes", "meddling", func(*Options) {}, "the cluster changed the pod of a run: spec.containers[0].env is not what was asked for"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := require(t, row.namespace)
			row.edit(&o)
			b, err := New(o)
			if err == nil {
				b.Close()
				t.Fatal("it was taken")
			}
			if text := fmt.Sprintf("%v. %s", err, hint.Fix(err)); !strings.Contains(text, row.want) {
				t.Errorf("%q is not in: %s", row.want, text)
			}
		})
	}
}

// The examination of an installation, from outside of the cluster and from a pod
// with its service account's token: it works, each control is said to be held by
// something, and no try to get out succeeds.
func TestDoctor(t *testing.T) {
	o := require(t, "closed")
	const config = `{"sandbox": {"backend": "kubernetes", "kubernetes": {"shared_kernel": true, "namespace": "closed", "kubeconfig": %q, "millicpus": 300, "outside": ["10.234.0.1:10250"], "images": {"python": %q, "javascript": %[2]q}}}}`
	t.Run("outside", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sallyport.yaml")
		if err := os.WriteFile(path, fmt.Appendf(nil, config, o.Kubeconfig, image("prepared")), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sallyport", "--config", path, "doctor", "--format", "json")
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.Output()
		healthy(t, out, err)
	})
	// Its pod is on the node's network, where alone this cluster's API server is.
	t.Run("inside", func(t *testing.T) {
		run(t, run(t, "", "helm", "template", "doctor", "../../deploy/helm/sallyport", "--namespace", "doctor", "--set", "tls=pair,kubernetes.enabled=true,kubernetes.namespace=closed",
			"--show-only", "templates/sandboxes.yaml"), "kubectl", "apply", "-f", "-")
		run(t, "", "kubectl", "--namespace", "doctor", "delete", "pod,configmap", "doctor", "--ignore-not-found")
		run(t, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: doctor, namespace: doctor}, data: {sallyport.yaml: %q}}
---
{apiVersion: v1, kind: Pod, metadata: {name: doctor, namespace: doctor}, spec: {restartPolicy: Never, hostNetwork: true, serviceAccountName: doctor, securityContext: {fsGroup: 65534},
 containers: [{name: doctor, image: %q, imagePullPolicy: Never, args: [--config, /etc/sallyport/sallyport.yaml, doctor, --format, json],
  env: [{name: HOME, value: /tmp}, {name: KUBERNETES_SERVICE_HOST, value: 127.0.0.1}, {name: KUBERNETES_SERVICE_PORT, value: "6443"}],
  volumeMounts: [{name: tmp, mountPath: /tmp}, {name: config, mountPath: /etc/sallyport/sallyport.yaml, subPath: sallyport.yaml}]}],
 volumes: [{name: tmp, emptyDir: {medium: Memory}}, {name: config, configMap: {name: doctor}}]}}`,
			fmt.Sprintf(config, "", image("prepared")), image("server")), "kubectl", "apply", "-f", "-")
		t.Cleanup(func() {
			run(t, "", "kubectl", "--namespace", "doctor", "delete", "pod", "doctor", "--ignore-not-found")
		})
		run(t, "", "kubectl", "--namespace", "doctor", "wait", "pod/doctor", "--for", "jsonpath={.status.containerStatuses[0].state.terminated}", "--timeout", "5m")
		healthy(t, []byte(run(t, "", "kubectl", "--namespace", "doctor", "logs", "doctor")), nil)
	})
}

// healthy reads what doctor says.
func healthy(t *testing.T, out []byte, err error) {
	t.Helper()
	var x struct {
		Backends []struct {
			Name          string
			Chosen, Works bool
			Detail        string
		}
		Findings []struct{ Check, Status, Detail string }
	}
	if jerr := json.Unmarshal(out, &x); jerr != nil || err != nil {
		t.Fatalf("%v %v: %s", err, jerr, out)
	}
	works := false
	for _, b := range x.Backends {
		works = works || b.Name == "kubernetes" && b.Chosen && b.Works
	}
	held := map[string]string{}
	for _, f := range x.Findings {
		if f.Status != "ok" {
			t.Errorf("%+v", f)
		}
		held[f.Check] = f.Detail
	}
	if !works {
		t.Errorf("the backend does not work: %+v", x.Backends)
	}
	for what, how := range map[string]string{
		"control: network": "by a probe's word", "control: hostfiles": "no token", "control: readonly": "read-only root", "control: kernel": "the node's kernel behind two seccomp profiles",
		"escape: link-local metadata address": "", "escape: new namespaces": "", "escape: host loopback": "",
	} {
		if said, there := held[what]; !there || !strings.Contains(said, how) {
			t.Errorf("%s: %q; want %q", what, said, how)
		}
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

// An instance that was away for so long that another took its lease has one again,
// and with it its pods stay.
func TestLeaseAgain(t *testing.T) {
	o := require(t, "closed")
	o.Warm = 1
	b := begin(t, o)
	run(t, "", "kubectl", "--namespace", "closed", "delete", "lease", b.self)
	if err := b.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Warm(t.Context(), sandboxtest.Spec("python", "")); err != nil {
		t.Fatal(err)
	}
	begin(t, o)
	if podsOf(t, b) == "" {
		t.Error("the pod of a live instance was removed")
	}
}

// A pod that waits is handed over once, and another one waits then.
func TestWaiting(t *testing.T) {
	o := require(t, "closed")
	o.Warm = 2
	b := begin(t, o)
	s := sandboxtest.Spec("python", "import os, socket\nprint(socket.gethostname(), os.path.exists('/tmp/was'))\nopen('/tmp/was', 'w')")
	for range 5 {
		if err := b.Warm(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(t.Context(), s)
		if err != nil || r.Exit != 0 || !r.Warm || string(r.Stdout) != "sandbox False\n" {
			t.Fatalf("%v, %+v", err, r)
		}
	}
}

// How long a run takes that finds a waiting pod, and one that finds none:
//
//	scripts/cluster test -test.run '^$' -test.bench Waiting -test.benchtime 50x
//	scripts/cluster test -test.run '^$' -test.bench Cold -test.benchtime 10x
func BenchmarkWaiting(b *testing.B) { measure(b, 2, require(b, "closed")) }

func BenchmarkCold(b *testing.B) { measure(b, 0, require(b, "closed")) }

func measure(b *testing.B, warm int, o Options) {
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		b.Run(name, func(b *testing.B) {
			o.RuntimeClass, o.SharedKernel, o.Warm, o.MilliCPUs = kernels[name], kernels[name] == "", warm, 500
			k := begin(b, o)
			if o.Claim != "" { // the pool, which stays, leaves no room for another on the small node
				b.Cleanup(func() { withoutPools(b) })
			}
			s := sandboxtest.Spec("python", "print(sum(range(100)))")
			var took, first []time.Duration
			for b.Loop() {
				if warm > 0 {
					if err := k.Warm(b.Context(), s); err != nil {
						b.Fatal(err)
					}
				}
				begun := time.Now()
				s.Output = func(sandbox.Stream, []byte) { first = append(first, time.Since(begun)) }
				if r, err := k.Run(context.Background(), s); err != nil || string(r.Stdout) != "4950\n" || r.Warm != (warm > 0) {
					b.Fatalf("%v, %+v", err, r)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			slices.Sort(first)
			b.ReportMetric(float64(first[len(first)/2].Microseconds())/1000, "output-p50-ms")
			for name, part := range map[string]int{"p50-ms": 50, "p95-ms": 95, "max-ms": 100} {
				b.ReportMetric(float64(took[min(len(took)*part/100, len(took)-1)].Microseconds())/1000, name)
			}
		})
	}
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
