package mcp

import (
	"testing/fstest"

	"sallyport/policy/policytest"
)

// askPack is a policy that asks about the module random, denies os.system and
// eval, and allows the rest.
func askPack() fstest.MapFS {
	pack := policytest.Asking("random is used")
	pack["asking/denying.rego"] = &fstest.MapFile{Data: []byte(`package sallyport.rules.asking

# METADATA
# title: Starts a process
# description: For tests.
# custom:
#   id: test-deny
#   severity: critical
#   remediation: Do the work in the language itself.
deny contains {"rule": "test-deny", "symbol": name, "message": sprintf("%s is not allowed", [name])} if {
	some name in {"os.system", "globalThis.eval"}
	name in input.source.names
}
`)}
	return pack
}
