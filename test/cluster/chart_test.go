// Package cluster tries the chart: what it renders, and what becomes of it on a
// real Kubernetes of one node. It is a module of its own: nothing of the product
// imports it, or what it imports.
package cluster

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const chart = "../../deploy/helm/sallyport"

var update = flag.Bool("update", false, "write testdata anew")

// helm runs helm, or skips the test where there is none and nobody requires it.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("helm"); err != nil {
		if os.Getenv("REQUIRE_HELM") == "1" {
			t.Fatal(err)
		}
		t.Skip("no helm on PATH: scripts/cluster chart builds it")
	}
	out, err := exec.Command("helm", args...).CombinedOutput()
	return string(out), err
}

// What the chart renders, word for word, is its whole posture: a change of it is
// reviewed as one.
func TestChart(t *testing.T) {
	for name, values := range map[string][]string{
		"replicas":    {"--set", "tls=pair,tokens=tokens"},
		"everything":  {"--set", "tls=pair,trust=authorities,handleKeys=handles,sharedPassword=redis,config.serve.shared.url=rediss://redis.example,url=https://sandbox.example,seccomp.install=true,autoscaling.enabled=true,networkPolicy.operators[0].podSelector.matchLabels.app=prometheus,service.port=8443,log.storageClass=fast,config.limits.timeout=60s,config.serve.limits.streams=64", "--set", "files.own.configMap=policies,files.own.keys={a.rego,b.rego},files.bundle.secret=key,files.bundle.keys={public.pem}", "--set", "image.digest=sha256:" + strings.Repeat("0", 64)},
		"no-policies": {"--set", "tls=pair,networkPolicy.enabled=false"},
		"claims":      {"--set", "tls=pair,networkPolicy.enabled=false,kubernetes.enabled=true,config.sandbox.backend=kubernetes,config.sandbox.kubernetes.claim=agent-sandbox"},
	} {
		t.Run(name, func(t *testing.T) {
			if said, err := helm(t, append([]string{"lint", "--strict", chart}, values...)...); err != nil {
				t.Fatal(said)
			}
			got, err := helm(t, append([]string{"template", "sallyport", chart, "--namespace", "agents"}, values...)...)
			if err != nil {
				t.Fatal(got)
			}
			golden := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what the chart renders; go test -run TestChart -update writes it anew, to be reviewed\n%s", golden, got)
			}
		})
	}
}

// Values that would undo what the chart is for, or that nobody reads.
func TestChartRefuses(t *testing.T) {
	for _, row := range []struct{ name, values, want string }{
		{"no certificate", "tls=", "tls"},
		{"a word that means nothing", "tls=pair,replica=2", "replica"},
		{"listening elsewhere", "tls=pair,config.serve.listen=0.0.0.0:80", "serve"},
		{"keys of handles elsewhere", "tls=pair,config.serve.handle_keys=/tmp/keys", "serve"},
		{"a password elsewhere", "tls=pair,config.serve.shared.password_file=/tmp/password", "serve"},
		{"a log elsewhere", "tls=pair,config.audit.dir=/tmp/audit", "audit"},
		{"clients in the clear", "tls=pair,url=http://sandbox.example", "url"},
		{"more runs than memory", "tls=pair,parallel=3", "resources.limits.memory: 2560Mi is less than the 2944Mi"},
		{"larger runs than memory", "tls=pair,config.limits.memory_mb=700", "resources.limits.memory: 2560Mi is less than the 2680Mi"},
		{"runs past the count", "tls=pair,args={--parallel=9}", "args"},
		{"memory without a limit", "tls=pair,resources.limits=null", "resources"},
		{"no time to drain", "tls=pair,drainSeconds=0", "drainSeconds"},
		{"files in the place of others", "tls=pair,files.trust.configMap=own,files.trust.keys={own.rego}", "files"},
		{"files that go elsewhere", "tls=pair,files.own.configMap=own,files.own.keys={../../passwd}", "keys"},
		{"files of two", "tls=pair,files.own.configMap=own,files.own.secret=own,files.own.keys={own.rego}", "own"},
		{"no files at all", "tls=pair,files.own.configMap=own", "own"},
		{"a profile outside of its directory", "tls=pair,seccomp.profile=../sallyport.json", "profile"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if out, err := helm(t, "template", "sallyport", chart, "--set", row.values); err == nil || !strings.Contains(out, row.want) {
				t.Errorf("%s is taken, or not named: %s", row.values, out)
			}
		})
	}
	if out, err := helm(t, "template", "sallyport", chart, "--set", "tls=pair"); err != nil {
		t.Errorf("what each row changes is refused itself: %s", out)
	}
}
