package kubernetes

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sallyport/internal/hint"
	"sallyport/sandbox/sandboxtest"
)

// The tests below are for the cluster of cluster_test.go, with the resources and the
// controller of kubernetes-sigs/agent-sandbox, which scripts/cluster builds.

// claimable returns options for claimed pods in a namespace, as a service account with
// the chart's Role for that and nothing else.
func claimable(t testing.TB, namespace string) Options {
	t.Helper()
	require(t, namespace)
	o := as(t, "claimant", namespace)
	o.Claim = AgentSandbox
	return o
}

// withAgentSandbox has its resources and its controller be there until the test's end.
func withAgentSandbox(t testing.TB) {
	t.Helper()
	program, err := exec.LookPath("agent-sandbox-controller")
	if err != nil {
		t.Fatal(err)
	}
	resources := filepath.Join(filepath.Dir(program), "crds")
	run(t, "", "kubectl", "apply", "--server-side", "-f", resources)
	t.Cleanup(func() { run(t, "", "kubectl", "delete", "-f", resources, "--timeout", "5m") })
	for _, kind := range []string{"sandboxes.agents.x-k8s.io", "sandboxtemplates.extensions.agents.x-k8s.io", "sandboxwarmpools.extensions.agents.x-k8s.io", "sandboxclaims.extensions.agents.x-k8s.io"} {
		run(t, "", "kubectl", "wait", "crd/"+kind, "--for", "condition=Established", "--timeout", "5m")
	}
	// Its webhook translates between versions, of which one is used here.
	controller := exec.Command(program, "--extensions", "--leader-elect=false", "--enable-webhook=false", "--metrics-bind-address=0", "--health-probe-bind-address=0")
	log, err := os.Create(filepath.Join(t.TempDir(), "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	controller.Stdout, controller.Stderr = log, log
	if err := controller.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		withoutPools(t)
		_ = controller.Process.Kill()
		_ = controller.Wait()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the controller: %s", text[max(0, len(text)-8<<10):])
		}
	})
}

// withoutPools removes all pools, which stay for whoever is next and take of the node.
func withoutPools(t testing.TB) {
	t.Helper()
	for _, kind := range []string{"sandboxclaims", "sandboxwarmpools", "sandboxtemplates"} {
		run(t, "", "kubectl", "delete", kind, "--all", "--all-namespaces", "--timeout", "5m")
	}
	waitFor(t, "the last pod is gone", func() bool { return run(t, "", "kubectl", "--namespace", "closed", "get", "pods", "-o", "name") == "" })
}

// Without agent-sandbox nothing is claimed, and nothing made in its place.
func TestClaimsNotInstalled(t *testing.T) {
	b, err := New(claimable(t, "closed"))
	if err == nil {
		b.Close()
		t.Fatal("it was taken")
	}
	if text := fmt.Sprintf("%v. %s", err, hint.Fix(err)); !strings.Contains(text, "has no SandboxClaims of agent-sandbox") || !strings.Contains(text, "install it") {
		t.Error(text)
	}
}

// Pods that its controller makes and hands out hold what ours do.
func TestClaims(t *testing.T) {
	o := claimable(t, "closed")
	withAgentSandbox(t)
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		t.Run(name, func(t *testing.T) {
			of := o
			of.RuntimeClass, of.SharedKernel, of.Warm = kernels[name], kernels[name] == "", 1
			t.Cleanup(func() { withoutPools(t) })
			claimedOnce(t, of)
			of.Warm = 2
			conforms(t, begin(t, of), of)
		})
	}
	t.Run("a pod that the cluster changes", func(t *testing.T) {
		o := claimable(t, "meddling")
		b, err := New(o)
		if err == nil {
			b.Close()
			t.Fatal("it was taken")
		}
		if want := "the cluster changed the pod of a run: spec.containers[0].env is not what was asked for"; !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if left := run(t, "", "kubectl", "--namespace", "meddling", "get", "sandboxclaims", "-o", "name"); left != "" {
			t.Errorf("claims are left: %s", left)
		}
	})
	t.Run("no room by its quota", func(t *testing.T) {
		b, err := New(claimable(t, "small"))
		if err == nil {
			b.Close()
			t.Fatal("it was taken")
		}
		if text := fmt.Sprintf("%v. %s", err, hint.Fix(err)); !strings.Contains(text, "raise the namespace's ResourceQuota") {
			t.Error(text)
		}
	})
	t.Run("doctor", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sallyport.yaml")
		config := fmt.Sprintf(`{"sandbox": {"backend": "kubernetes", "kubernetes": {"claim": "agent-sandbox", "shared_kernel": true, "namespace": "closed", "kubeconfig": %q, "millicpus": 300, "outside": ["10.234.0.1:10250"], "images": {"python": %q, "javascript": %[2]q}}}}`, o.Kubeconfig, image("prepared"))
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sallyport", "--config", path, "doctor", "--format", "json")
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.Output()
		healthy(t, out, err)
		if !strings.Contains(string(out), "claimed from the warm pools of agent-sandbox") {
			t.Errorf("it does not say whose pods they are: %s", out)
		}
	})
}

// claimedOnce holds an instance to pods that waited in the cluster, each for one run; to
// a pool that stays for the next instance; and to claims that do not stay, its own and
// those of a dead one.
func claimedOnce(t *testing.T, o Options) {
	s := sandboxtest.Spec("python", "import os, socket\nprint(socket.gethostname(), os.path.exists('/tmp/was'))\nopen('/tmp/was', 'w')")
	dead := begin(t, o)
	for range 3 {
		if err := dead.Warm(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		r, err := dead.Run(t.Context(), s)
		if err != nil || r.Exit != 0 || !r.Warm || string(r.Stdout) != "sandbox False\n" {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	c, err := dead.startReady(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	left := c.made
	dead.closing() // it renews nothing more
	dead.leasing.Wait()
	run(t, "", "kubectl", "--namespace", "closed", "patch", "lease", dead.self, "--type", "merge", "-p", `{"spec":{"renewTime":"2020-01-01T00:00:00.000000Z"}}`)
	next := begin(t, o)
	if claims := run(t, "", "kubectl", "--namespace", "closed", "get", "sandboxclaims", "-o", "name"); strings.Contains(claims, left) {
		t.Errorf("the claim of a dead instance: %s", claims)
	}
	c.Conversation.Close()
	c.reading.Wait()
	if err := next.Warm(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if r, err := next.Run(t.Context(), s); err != nil || !r.Warm {
		t.Errorf("%v, %+v", err, r)
	}
	if pools := strings.Fields(run(t, "", "kubectl", "--namespace", "closed", "get", "sandboxwarmpools", "-o", `jsonpath={.items[?(@.spec.replicas==1)].metadata.name}`)); len(pools) == 0 {
		t.Error("no pool is there")
	}
}

// What a run takes that claims a pod which waits in the cluster, and one that claims
// where none waits:
//
//	scripts/cluster test -test.run '^$' -test.bench Claimed -test.benchtime 10x
func BenchmarkClaimed(b *testing.B) {
	o := claimable(b, "closed")
	withAgentSandbox(b)
	measure(b, 2, o)
}

func BenchmarkClaimedCold(b *testing.B) {
	o := claimable(b, "closed")
	withAgentSandbox(b)
	measure(b, 0, o)
}
