package cluster

import (
	"bufio"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	databasePort = "9379" // of the node

	// asksAboutChance is a policy of an operator's.
	asksAboutChance = `# METADATA
# title: Own
# description: Asks about chance.
package sallyport.rules.own

# METADATA
# title: Uses chance
# description: For tests.
# custom:
#   id: own/chance
#   severity: low
#   remediation: Use a fixed value.
ask contains {"rule": "own/chance", "message": "random is used"} if "random" in input.source.imports
`
)

// TestApprovals: what a policy of the operator's asks at one replica is approved at
// another and runs at a third, once, also when the first one is gone. They share a
// real database, over TLS and with a password.
func TestApprovals(t *testing.T) {
	const replicas = 3
	s := prepare(t, replicas)
	password := rand.Text()
	s.database(password)
	kubectl(t, "create", "secret", "generic", "redis", "--from-literal", "password="+password)
	kubectl(t, "create", "secret", "generic", "handles", "--from-literal", "keys="+base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text())[:32]))
	s.file("own.rego", asksAboutChance)
	kubectl(t, "create", "configmap", "policies", "--from-file", s.dir+"/own.rego")
	s.start(replicas, "handleKeys=handles", "sharedPassword=redis", "config.serve.shared.url=rediss://"+bridge+":"+databasePort,
		"files.own.configMap=policies", "files.own.keys[0]=own.rego", "config.policy.dirs[0]=/etc/sallyport/own", "config.ask.by[0]=scope:approve")

	run := func(pod string, want int) (id string) {
		t.Helper()
		a, text := s.post(t, pod, s.token, "/v1/run", `{"language": "python", "code": "import random\nprint(6*7)"}`)
		var got struct{ Approval struct{ ID string } }
		if err := json.Unmarshal([]byte(text), &got); err != nil || a.StatusCode != want {
			t.Fatalf("at %s: %s %s, want %d", pod, a.Status, text, want)
		}
		return got.Approval.ID
	}
	id := run("sallyport-0", http.StatusAccepted)
	gone := kubectl(t, "get", "pod", "sallyport-0", "-o", "jsonpath={.metadata.uid}")
	kubectl(t, "delete", "pod", "sallyport-0", "--grace-period", "1", "--wait=false")
	waitFor(t, "the replica that asked is gone", func() bool {
		out, err := exec.Command("kubectl", "--namespace", namespace, "get", "pod", "sallyport-0", "-o", "jsonpath={.metadata.uid}").Output()
		return err != nil || string(out) != gone
	})
	if a, text := s.post(t, "sallyport-1", s.token, "/v1/approvals/"+id, `{"answer": "approve"}`); a.StatusCode != http.StatusForbidden {
		t.Errorf("who asked approves: %s %s", a.Status, text)
	}
	if a, text := s.post(t, "sallyport-1", s.approver, "/v1/approvals/"+id, `{"answer": "approve", "reason": "as agreed"}`); a.StatusCode != http.StatusOK {
		t.Fatalf("approving at another replica: %s %s", a.Status, text)
	}
	if used := run("sallyport-2", http.StatusOK); used != id {
		t.Errorf("it runs by %s, and %s was approved", used, id)
	}
	if next := run("sallyport-2", http.StatusAccepted); next == id || run("sallyport-1", http.StatusAccepted) != next {
		t.Error("one yes for two runs, or two questions for one call")
	}
	kubectl(t, "rollout", "status", "statefulset/sallyport", "--timeout", "15m")
	verified(t, replicas)
}

// file writes a file beside the certificate.
func (s *installed) file(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// database starts a real one on the node that keeps nothing.
func (s *installed) database(password string) {
	s.t.Helper()
	s.file("redis.conf", strings.Join([]string{
		"port 0", "tls-port " + databasePort, "bind 0.0.0.0", "tls-auth-clients no", "tls-cert-file " + s.dir + "/tls.crt", "tls-key-file " + s.dir + "/tls.key",
		"requirepass " + password, `save ""`, "appendonly no", "dir " + s.dir, "",
	}, "\n"))
	cmd := exec.Command("redis-server", s.dir+"/redis.conf")
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			return
		}
		said.WriteString(lines.Text() + "\n")
	}
	s.t.Fatalf("redis-server does not start:\n%s", &said)
}
