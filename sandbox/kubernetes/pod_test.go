package kubernetes

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPosture pins everything that the API server and the supervisor are asked
// for. A change of these files is a change of the isolation.
func TestPosture(t *testing.T) {
	for name, edit := range map[string]func(*sandbox.Spec, *posture){
		"python":     func(*sandbox.Spec, *posture) {},
		"javascript": func(s *sandbox.Spec, _ *posture) { s.Language = "javascript" },
		"shared":     func(_ *sandbox.Spec, p *posture) { p.RuntimeClass = "" },
		"limits": func(s *sandbox.Spec, p *posture) {
			p.MilliCPUs = 250
			s.Limits = sandbox.Limits{Wall: time.Second, CPU: 2 * time.Second, Memory: 64 << 20, Pids: 7, OutputBytes: 8, FileBytes: 9, DiskBytes: 1 << 20, ArtifactBytes: 11, ArtifactCount: 12}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandboxtest.Spec("python", "print()")
			p := posture{Name: "sallyport-1", Owner: "sallyport-2", Image: "example/python@sha256:0123", Guest: "/.sallyport/guest-45", RuntimeClass: "gvisor", MilliCPUs: 1000, Deadline: time.Minute}
			edit(&s, &p)
			got, err := json.MarshalIndent(object{"pod": pod(s, p), "start": start(s)}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a pod's status says of one that will never run, in the words for who has
// to mend it.
func TestNeverRuns(t *testing.T) {
	const begin = `{"status":{"phase":"Pending","containerStatuses":[{"state":`
	for _, row := range []struct{ name, status, want string }{
		{"starting", begin + `{"waiting":{"reason":"ContainerCreating"}}}]}}`, ""},
		{"no status yet", `{"status":{"phase":"Pending"}}`, ""},
		{"no image", begin + `{"waiting":{"reason":"ErrImageNeverPull","message":"not present"}}}]}}`, "the cluster has no image i: not present"},
		{"another version's image", begin + `{"terminated":{"reason":"StartError","message":"exec: \"/.sallyport/guest-1\": stat: no such file or directory","exitCode":128}}}]}}`, "was not prepared for this version"},
		{"another version's image, waiting", begin + `{"waiting":{"reason":"RunContainerError","message":"exec: no such file or directory"}}}]}}`, "was not prepared for this version"},
		{"a wrong configuration", begin + `{"waiting":{"reason":"CreateContainerConfigError","message":"why"}}}]}}`, "the pod does not start: CreateContainerConfigError: why"},
		{"evicted", `{"status":{"phase":"Failed","reason":"Evicted","message":"memory"}}`, "the pod ended before it began: Evicted memory"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var now state
			if err := json.Unmarshal([]byte(row.status), &now); err != nil {
				t.Fatal(err)
			}
			up, err := running(now, "i")
			if up || row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%t, %v; want %q", up, err, row.want)
			}
		})
	}
}

// A namespace is tried at everything around it.
func TestTargets(t *testing.T) {
	c, err := fromFile(write(t, kubeconfigOf("server: https://192.0.2.1:6443", "token: x")), "")
	if err != nil {
		t.Fatal(err)
	}
	b := &Backend{api: newClient(c), opts: Options{Outside: outside[:], Resolvers: []string{"10.96.0.10:53"}}}
	var here, peer state
	here.Status.HostIP, peer.Status.HostIP, peer.Status.PodIP = "10.0.0.1", "10.0.0.2", "10.1.0.7"
	got := b.targets(peer, 4711, here)
	for _, want := range []string{"10.1.0.7:4711", "10.0.0.1:10250", "10.0.0.2:10250", "192.0.2.1:6443", "169.254.169.254:80", "[fd00:ec2::254]:80", "1.1.1.1:443", "10.96.0.10:53"} {
		if !strings.Contains(" "+strings.Join(got.TCP, " ")+" ", " "+want+" ") {
			t.Errorf("%s is not tried: %q", want, got.TCP)
		}
	}
	if len(got.DNS) != 1 {
		t.Errorf("name servers tried: %q", got.DNS)
	}
}
