package kubernetes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"sallyport/internal/golden"
	"sallyport/internal/hint"
	"sallyport/sandbox"
	"sallyport/sandbox/sandboxtest"
)

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
			s.Limits = sandbox.Limits{}
			p := posture{Name: "sallyport-1", Owner: "sallyport-2", Image: "example/python@sha256:0123", Guest: "/.sallyport/guest-45", RuntimeClass: "gvisor", MilliCPUs: 1000, Deadline: time.Minute}
			edit(&s, &p)
			golden.HoldJSON(t, filepath.Join("testdata", name+".json"), object{"pod": pod(s, p), "start": start(s)})
		})
	}
	t.Run("template", func(t *testing.T) {
		golden.HoldJSON(t, filepath.Join("testdata", "template.json"), template("sallyport-1", object{"spec": object{"the": "pod's"}}))
	})
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

// What a cluster adds to a pod that loosens it is found, wherever that is.
func TestUnaltered(t *testing.T) {
	asked := pod(sandboxtest.Spec("python", "print()"), posture{Name: "sallyport-1", Owner: "sallyport-2", Image: "i", Guest: "/g", MilliCPUs: 1000, Deadline: time.Minute})
	for _, row := range []struct {
		name, want string
		edit       func(pod, spec, container object)
	}{
		{"as asked", "", func(_, _, _ object) {}},
		{"what an API server adds", "", func(_, s, c object) {
			s["schedulerName"], s["tolerations"], s["nodeSelector"] = "default", []any{object{"key": "x"}}, object{"sandbox": "gvisor"}
			c["imagePullPolicy"] = "Always" // by the admission plugin AlwaysPullImages
			c["terminationMessagePolicy"], c["resources"] = "File", object{"limits": object{"cpu": "1"}}
			delete(s, "hostNetwork") // false is left out
			delete(c, "tty")
		}},
		{"another container", "spec.containers is not", func(_, s, c object) { s["containers"] = []any{c, object{"name": "mesh"}} }},
		{"one before it", "spec.initContainers", func(_, s, _ object) { s["initContainers"] = []any{object{"name": "mesh"}} }},
		{"a capability", "securityContext.capabilities.add", func(_, _, c object) {
			c["securityContext"].(object)["capabilities"].(object)["add"] = []any{"NET_RAW"}
		}},
		{"privilege", "securityContext.privileged", func(_, _, c object) { c["securityContext"].(object)["privileged"] = true }},
		{"a token", "spec.automountServiceAccountToken", func(_, s, _ object) { s["automountServiceAccountToken"] = true }},
		{"a volume", "spec.volumes is not", func(_, s, _ object) { s["volumes"] = append(s["volumes"].([]any), object{"name": "token"}) }},
		{"a volume on disk", "spec.volumes[0].emptyDir.medium", func(_, s, _ object) { delete(s["volumes"].([]any)[0].(object)["emptyDir"].(object), "medium") }},
		{"a volume without end", "spec.volumes[2].emptyDir.sizeLimit", func(_, s, _ object) {
			delete(s["volumes"].([]any)[2].(object)["emptyDir"].(object), "sizeLimit")
		}},
		{"an environment", "spec.containers[0].envFrom", func(_, _, c object) { c["envFrom"] = []any{} }},
		{"another image", "spec.containers[0].image", func(_, _, c object) { c["image"] = "other" }},
		{"another kernel", "spec.runtimeClassName", func(_, s, _ object) { s["runtimeClassName"] = "other" }},
		{"no filter", "spec.securityContext.seccompProfile", func(_, s, _ object) { delete(s["securityContext"].(object), "seccompProfile") }},
		{"the node's network", "spec.hostNetwork", func(_, s, _ object) { s["hostNetwork"] = true }},
		{"no deadline", "spec.activeDeadlineSeconds", func(_, s, _ object) { delete(s, "activeDeadlineSeconds") }},
		{"somebody else's", "metadata.labels", func(p, _, _ object) { delete(p["metadata"].(object), "labels") }},
		{"nothing", "spec.", func(p, _, _ object) { delete(p, "spec") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, err := json.Marshal(asked)
			if err != nil {
				t.Fatal(err)
			}
			var got object
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			s := got["spec"].(object)
			row.edit(got, s, s["containers"].([]any)[0].(object))
			err = unaltered(asked, got)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("%v; want %q", err, row.want)
			}
		})
	}
}

// The chart's Role has every right that is needed, and one to say more: that of who
// makes pods, and that of who claims them.
func TestRole(t *testing.T) {
	text, err := os.ReadFile("../../deploy/helm/sallyport/templates/sandboxes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "{{- if ((.Values.config.sandbox).kubernetes).claim }}")
	claiming, rest, _ := strings.Cut(rest, "{{- else }}")
	making, rest, _ := strings.Cut(rest, "{{- end }}")
	for claim, own := range map[string]string{"": making, AgentSandbox: claiming} {
		holdRole(t, before+own+rest, rights(claim))
	}
}

func holdRole(t *testing.T, text string, needed []right) {
	t.Helper()
	var has []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "apiGroups:") {
			continue
		}
		var rules []struct {
			APIGroups []string `yaml:"apiGroups"`
			Resources []string
			Verbs     []string
		}
		if err := yaml.Unmarshal([]byte(strings.TrimSpace(line)), &rules); err != nil {
			t.Fatal(err)
		}
		for _, verb := range rules[0].Verbs {
			has = append(has, rules[0].APIGroups[0]+" "+verb+" "+rules[0].Resources[0])
		}
	}
	want := []string{" list events"}
	for _, r := range needed {
		want = append(want, r.group+" "+r.String())
	}
	slices.Sort(has)
	slices.Sort(want)
	if diff := cmp.Diff(want, has); diff != "" {
		t.Error(diff)
	}
}

// What a pod waits for that does not start is said in the cluster's words.
func TestSlow(t *testing.T) {
	var now, full state
	now.Status.Phase = "Pending"
	full.Status.Conditions = []struct{ Type, Status, Reason, Message string }{{"PodScheduled", "False", "Unschedulable", "0/1 nodes: Insufficient cpu"}}
	for _, row := range []struct {
		now        state
		said, want string
	}{
		{now, "", "its phase is Pending"},
		{now, `FailedCreatePodSandBox: no runtime for "kata" is configured`, `no runtime for "kata" is configured`},
		{full, "FailedScheduling: x", "no node has room for the pod: 0/1 nodes: Insufficient cpu"},
	} {
		if err := slow(row.now, row.said); !strings.Contains(err.Error(), row.want) || hint.Fix(err) == "" {
			t.Errorf("%v (%s); want %q", err, hint.Fix(err), row.want)
		}
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
	type ips = []struct{ IP string }
	here.Status.HostIPs, peer.Status.HostIPs, peer.Status.PodIPs = ips{{"10.0.0.1"}}, ips{{"10.0.0.2"}}, ips{{"10.1.0.7"}, {"fd00::7"}}
	got := b.targets(peer, 4711, here)
	for _, want := range []string{"10.1.0.7:4711", "[fd00::7]:4711", "10.0.0.1:10250", "10.0.0.2:10250", "192.0.2.1:6443", "169.254.169.254:80", "[fd00:ec2::254]:80", "1.1.1.1:443", "10.96.0.10:53"} {
		if !strings.Contains(" "+strings.Join(got.TCP, " ")+" ", " "+want+" ") {
			t.Errorf("%s is not tried: %q", want, got.TCP)
		}
	}
	if len(got.DNS) != 1 {
		t.Errorf("name servers tried: %q", got.DNS)
	}
}
