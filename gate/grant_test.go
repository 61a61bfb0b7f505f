package gate

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/egress"
	"sallyport/policies"
	"sallyport/policy"
	"sallyport/sandbox"
)

// TestGrant holds that what policy denies is what the sandbox is not to let
// through, for a decision of every kind.
func TestGrant(t *testing.T) {
	all := sandbox.Grant(sandbox.Capabilities())
	var most []string
	for _, c := range all {
		most = append(most, string(c))
	}
	for _, tt := range []struct {
		name string
		deny []string
		want []sandbox.Capability // denied in the sandbox
	}{
		{"nothing", nil, []sandbox.Capability{sandbox.CapabilityNetwork}},
		{"process", []string{"process"}, []sandbox.Capability{sandbox.CapabilityNetwork, sandbox.CapabilityProcess}},
		{"what no sandbox holds", []string{"thread"}, []sandbox.Capability{sandbox.CapabilityNetwork}},
		{"everything", most, all},
	} {
		if diff := cmp.Diff(tt.want, grant(policy.Decision{Deny: tt.deny}, Environment{}).Denied()); diff != "" {
			t.Errorf("%s is denied: %s", tt.name, diff)
		}
	}
	out := Environment{Egress: &egress.Proxy{}}
	if g := grant(policy.Decision{}, out); !g.Has(sandbox.CapabilityNetwork) {
		t.Error("an environment with a way out: the network is denied")
	}
	if g := grant(policy.Decision{Deny: []string{"network"}}, out); g.Has(sandbox.CapabilityNetwork) {
		t.Error("policy denies the network, and it is let through")
	}
	f := newFixture(t)
	if _, err := f.gate.Run(context.Background(), py("print(1)\n")); err != nil {
		t.Fatal(err)
	}
	if g := f.backend.specs[0].Grant; g.Has(sandbox.CapabilityProcess) || g.Has(sandbox.CapabilityNetwork) {
		t.Errorf("baseline denies processes and the network, the sandbox is told to let %v through", g)
	}
}

// TestStrictGrantsNothing holds that strict denies while a program runs whatever a
// sandbox can hold back.
func TestStrictGrantsNothing(t *testing.T) {
	ans, err := checker(t, "strict").Check(context.Background(), py("print(1)\n"))
	if err != nil || ans.Decision.Effect != policy.Allow {
		t.Fatalf("%v, %+v", err, ans.Decision)
	}
	if g := grant(ans.Decision, Environment{Egress: &egress.Proxy{}}); len(g) > 0 {
		t.Errorf("strict lets %v through", g)
	}
}

// TestCapabilitiesAreThoseOfPolicy holds that the two leaves speak of the same.
func TestCapabilitiesAreThoseOfPolicy(t *testing.T) {
	for _, c := range sandbox.Capabilities() {
		_, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}, Catalog: map[string]map[string]string{"python": {"mine": string(c)}}})
		if err != nil {
			t.Errorf("policy has no capability %q: %v", c, err)
		}
	}
	_, err := policy.New(policy.Options{FS: policies.FS, Packs: []string{"baseline"}, Catalog: map[string]map[string]string{"python": {"mine": "none.such"}}})
	if err == nil || !strings.Contains(err.Error(), "unknown capability") {
		t.Errorf("an unknown capability: %v", err)
	}
}
