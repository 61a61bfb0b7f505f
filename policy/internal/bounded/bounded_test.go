package bounded

import (
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// TestCapabilities holds what rules may call, by what they must not.
func TestCapabilities(t *testing.T) {
	for _, b := range Capabilities().Builtins {
		for _, bad := range []string{"http.", "net.lookup", "opa.", "rand.", "io.jwt", "uuid.rfc4122", "providers.", "graphql", "crypto.x509", "rego.parse", "trace"} {
			if strings.HasPrefix(b.Name, bad) {
				t.Errorf("rules may call %s", b.Name)
			}
		}
	}
	if n := len(Capabilities().Builtins); n < 100 {
		t.Errorf("only %d built-ins are left", n)
	}
}

// Whoever lets rules call another built-in decides whether it needs a bound:
// none is called under its own name that has one, and none is in both lists.
func TestEveryBuiltinIsDecided(t *testing.T) {
	bounds := byName()
	for _, name := range strings.Fields(plain) {
		if bounds[name] != nil {
			t.Errorf("%s is plain and bounded", name)
		}
		if ast.BuiltinMap[name] == nil {
			t.Errorf("%s is no built-in", name)
		}
	}
	for name := range bounds {
		if ast.BuiltinMap[name] == nil || topdown.GetBuiltin(name) == nil {
			t.Errorf("%s is no built-in that can be bounded", name)
		}
	}
}
