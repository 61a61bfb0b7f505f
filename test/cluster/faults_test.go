package cluster

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a program of the cluster, by its name.
func process(t *testing.T, name string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if comm, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(comm)) == name {
			pid, err := strconv.Atoi(strings.Split(file, "/")[2])
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	return 0
}

func restarts(t *testing.T) string {
	t.Helper()
	return kubectl(t, "get", "pods", "-o", "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.status.containerStatuses[0].restartCount}{\"\\n\"}{end}")
}

// TestClusterFails: what callers meet when the cluster around replicas fails.
func TestClusterFails(t *testing.T) {
	const replicas = 2
	s := install(t, replicas, "service.affinity=None")
	before := restarts(t)

	t.Run("the API server is restarted", func(t *testing.T) {
		calling := s.calling(t, 4, time.Second)
		waitFor(t, "every caller is calling", func() bool { return calling.answered() >= 4 })
		old := process(t, "kube-apiserver")
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "another one answers", func() bool {
			now := process(t, "kube-apiserver")
			return now != 0 && now != old && exec.Command("kubectl", "get", "--raw", "/readyz").Run() == nil
		})
		after := calling.answered()
		waitFor(t, "callers go on afterwards", func() bool { return calling.answered() > after+8 || t.Failed() })
		calling.end()
		t.Logf("meanwhile: %s", calling.since(0))
	})

	// A kubelet that hangs, or whose node cannot be reached, looks the same to the
	// rest of the cluster.
	t.Run("the kubelet stops", func(t *testing.T) {
		ready := func(want string) func() bool {
			return func() bool {
				return kubectl(t, "get", "endpointslices", "-l", "kubernetes.io/service-name=sallyport", "-o", "jsonpath={.items[*].endpoints[*].conditions.ready}") == want
			}
		}
		open := s.client(nil)
		long := make(chan error, 1)
		kubelet := process(t, "kubelet")
		if err := syscall.Kill(kubelet, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		goOn := func() { _ = syscall.Kill(kubelet, syscall.SIGCONT) }
		defer goOn()
		go func() {
			_, err := python(t.Context(), open, "import time\ntime.sleep(75)")
			long <- err
		}()
		calling := s.calling(t, 1, time.Second) // by a connection that stays
		waitFor(t, "the cluster gives the node up", ready("false false"))
		waitFor(t, "the Service takes no connection", func() bool {
			c, err := net.DialTimeout("tcp", host+":443", 2*time.Second)
			if err == nil {
				c.Close()
			}
			return err != nil
		})
		at := calling.answered()
		waitFor(t, "calls of open connections go on", func() bool { return calling.answered() > at+3 || t.Failed() })
		if err := <-long; err != nil {
			t.Errorf("a call that was under way: %v", err)
		}
		goOn()
		waitFor(t, "replicas are ready again", ready("true true"))
		calling.end()
		waitFor(t, "the Service takes connections", func() bool {
			c, err := s.connect(t, s.token, nil)
			if err != nil {
				return false
			}
			out, err := python(t.Context(), c, "print(6*7)")
			return err == nil && strings.Contains(out, "42")
		})
		t.Logf("meanwhile: %s", calling.since(0))
	})

	if after := restarts(t); after != before {
		t.Errorf("replicas were started again\n%s\n%s", before, after)
	}
	verified(t, replicas)
}

// TestMemory: what takes all memory that it gets is ended alone. Its neighbour in
// the pod, and the pod, go on.
func TestMemory(t *testing.T) {
	s := install(t, 1)
	before := restarts(t)
	for name, greedy := range map[string]string{
		"at once":          "x = b'x' * (8 << 30)",
		"little by little": "x = []\nwhile True: x.append(b'x' * (1 << 20))",
		"in the kernel":    "import io\nf = [open(f'/tmp/{i}', 'wb') for i in range(8)]\nwhile True:\n    for one in f: one.write(b'x' * (1 << 20))",
	} {
		t.Run(name, func(t *testing.T) {
			// Two run at a time: first one beside a neighbour, then two of them.
			neighbour := make(chan error, 1)
			go func() {
				out, err := python(t.Context(), s.client(nil), "import time\ntime.sleep(8)\nprint(6*7)")
				if err == nil && !strings.Contains(out, "42") {
					err = fmt.Errorf("it said %q", out)
				}
				neighbour <- err
			}()
			ended := func() {
				out, err := python(t.Context(), s.client(nil), greedy)
				if all := strings.ToLower(fmt.Sprint(out, err)); !strings.Contains(all, "memory") && !strings.Contains(all, "space") {
					t.Errorf("it ended with %q %v", out, err)
				}
			}
			ended()
			if err := <-neighbour; err != nil {
				t.Errorf("its neighbour: %v", err)
			}
			both := make(chan struct{})
			go func() { defer close(both); ended() }()
			ended()
			<-both
		})
	}
	if after := restarts(t); after != before {
		t.Errorf("the replica was started again\n%s\n%s", before, after)
	}
	t.Logf("most memory of the pod: %s", kubectl(t, "exec", "sallyport-0", "--", "/bin/sh", "-c", "cat /sys/fs/cgroup/memory/memory.max_usage_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.peak"))
	verified(t, 1)
}

// TestNeverReady: what a user is told by whom when no replica gets ready.
func TestNeverReady(t *testing.T) {
	for _, row := range []struct{ name, values, quota, want string }{
		{"no such image", "image.tag=none,image.pullPolicy=IfNotPresent", "", "Failed to pull image"},
		{"no room by quota", "", "pods: 0", "exceeded quota"},
		{"no profile on the node", "seccomp.install=false,seccomp.profile=profiles/none.json", "", "cannot load seccomp profile"},
		{"no Secret", "tls=absent", "", `secret "absent" not found`},
		{"a configuration that means nothing", "config.nonsense=1", "", "nonsense"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := prepare(t, 1)
			if row.quota != "" {
				run(t, fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: %s}, spec: {hard: {%s}}}", namespace, row.quota), "kubectl", "apply", "-f", "-")
			}
			s.chart("install", 1, row.values)
			waitFor(t, row.want, func() bool {
				// The two commands of the chart's notes.
				events := kubectl(t, "get", "events", "--field-selector", "type=Warning")
				logs, _ := exec.Command("kubectl", "--namespace", namespace, "logs", "-l", "app.kubernetes.io/instance=sallyport").CombinedOutput()
				return strings.Contains(events+string(logs), row.want)
			})
			if out, err := exec.Command("kubectl", "--namespace", namespace, "rollout", "status", "statefulset/sallyport", "--timeout", "1s").CombinedOutput(); err == nil {
				t.Errorf("it is rolled out: %s", out)
			}
		})
	}
}
