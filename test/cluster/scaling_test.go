package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// adapted has the adapter serve the custom metrics API, on the node.
func adapted(t *testing.T) {
	t.Helper()
	file := os.Getenv("KUBECONFIG")
	var said bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "adapter", "--bind-address", bridge, "--secure-port", "6444", "--cert-dir", t.TempDir(),
		"--authentication-kubeconfig", file, "--authorization-kubeconfig", file, "--lister-kubeconfig", file)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	objects := fmt.Sprintf(`{apiVersion: v1, kind: Service, metadata: {name: adapter, namespace: kube-system}, spec: {ports: [{port: 443, targetPort: 6444}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: adapter, namespace: kube-system, labels: {kubernetes.io/service-name: adapter}},
 addressType: IPv4, ports: [{port: 6444}], endpoints: [{addresses: [%s], conditions: {ready: true}}]}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1beta2.custom.metrics.k8s.io}, spec: {group: custom.metrics.k8s.io, version: v1beta2,
 groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: adapter, namespace: kube-system}}}
`, bridge)
	run(t, objects, "kubectl", "apply", "-f", "-")
	t.Cleanup(func() {
		cmd := exec.Command("kubectl", "delete", "--ignore-not-found", "-f", "-")
		cmd.Stdin = strings.NewReader(objects)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		stop()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("adapter\n%s", &said)
		}
	})
	waitFor(t, "the custom metrics API says how many calls wait", func() bool {
		out, err := exec.Command("kubectl", "get", "--raw", "/apis/custom.metrics.k8s.io/v1beta2/namespaces/"+namespace+"/pods/*/sallyport_queue_waiting").CombinedOutput()
		return err == nil && strings.Contains(string(out), `"sallyport-0"`)
	})
}

// TestScaling: calls that wait make replicas, and their end takes them away again,
// without a call being lost. How long calls take meanwhile is told, not judged.
func TestScaling(t *testing.T) {
	const most = 3
	s := install(t, most, "service.affinity=None", "parallel=1", "autoscaling.enabled=true", "autoscaling.min=1", fmt.Sprint("autoscaling.max=", most), "autoscaling.downAfterSeconds=15")
	adapted(t)
	replicas := func() string {
		return kubectl(t, "get", "statefulset", "sallyport", "-o", "jsonpath={.status.replicas} {.status.readyReplicas}")
	}
	if got := replicas(); got != "1 1" {
		t.Fatalf("it begins with %s", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	watching.Go(func() { // what the autoscaler sees and does
		for was, begun := "", time.Now(); ctx.Err() == nil; time.Sleep(time.Second) {
			out, _ := exec.CommandContext(ctx, "kubectl", "--namespace", namespace, "get", "horizontalpodautoscaler", "sallyport", "-o",
				"jsonpath={.status.currentMetrics[0].pods.current.averageValue} waiting, {.status.currentReplicas} replicas, wants {.status.desiredReplicas}").Output()
			if now := string(out); now != was && ctx.Err() == nil {
				t.Logf("%3.0f s: %s", time.Since(begun).Seconds(), now)
				was = now
			}
		}
	})
	few := s.calling(t, 2, time.Second)
	waitFor(t, "few are served", func() bool { return few.answered() >= 6 })
	t.Logf("two callers, one replica: %s", few.since(0))
	begun := time.Now()
	mark := few.answered()
	many := s.calling(t, 12, time.Second)
	waitFor(t, "all replicas are ready", func() bool { return replicas() == "3 3" || t.Failed() })
	t.Logf("fourteen callers, until three replicas were ready after %v: %s; %s", time.Since(begun).Round(time.Second), many.since(0), few.since(mark))
	mark = many.answered()
	waitFor(t, "they serve many", func() bool { return many.answered() > mark+60 || t.Failed() })
	t.Logf("three replicas: %s", many.since(mark))
	many.end()
	begun, mark = time.Now(), few.answered()
	waitFor(t, "one is left", func() bool { return replicas() == "1 1" || t.Failed() })
	t.Logf("two callers, until one replica was left after %v: %s", time.Since(begun).Round(time.Second), few.since(mark))
	mark = few.answered()
	waitFor(t, "it serves", func() bool { return few.answered() > mark+4 || t.Failed() })
	few.end()
	ends := 0
	for i := range most {
		n := records(t, logOf(t, fmt.Sprintf("sallyport-%d", i)), "")["end"]
		t.Logf("replica %d answered %d", i, n)
		ends += n
	}
	if answered := few.answered() + many.answered(); ends != answered {
		t.Errorf("%d calls were answered, and the ends of %d are on record", answered, ends)
	}
	verified(t, most)
}

// TestWarmCall measures, in turns, a call through the Service to three replicas and
// one over STDIO in the container of one of them, whose log is on the same volume.
func TestWarmCall(t *testing.T) {
	s := install(t, 3)
	container := strings.TrimPrefix(kubectl(t, "get", "pod", "sallyport-0", "-o", "jsonpath={.status.containerStatuses[0].containerID}"), "containerd://")
	stdio := exec.Command("ctr", "--namespace", "k8s.io", "tasks", "exec", "--exec-id", "stdio", container, "/usr/bin/env", "XDG_STATE_HOME=/state/stdio", "sallyport", "mcp")
	local, err := mcp.NewClient(&mcp.Implementation{Name: "cluster-test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: stdio}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	remote := s.client(nil)
	took := map[*mcp.ClientSession][]time.Duration{}
	for i := range 60 {
		for _, c := range []*mcp.ClientSession{local, remote} {
			begun := time.Now()
			if out, err := python(t.Context(), c, "print(6*7)"); err != nil || !strings.Contains(out, "42") {
				t.Fatalf("%q %v", out, err)
			}
			if i >= 10 {
				took[c] = append(took[c], time.Since(begun))
			}
			time.Sleep(time.Second) // the next sandbox waits by then: what is measured is a warm call
		}
	}
	median := func(c *mcp.ClientSession) float64 {
		return slices.Sorted(slices.Values(took[c]))[(len(took[c])-1)/2].Seconds()
	}
	t.Logf("over STDIO: %s", spread(took[local]))
	t.Logf("through the Service: %s", spread(took[remote]))
	t.Logf("ratio of medians %.2f", median(remote)/median(local))
}
