package mcp

import (
	"testing/fstest"
)

// askPack is a policy that asks about the module random, denies os.system and
// eval, and allows the rest: what tests rely on does not change with the packs.
func askPack() fstest.MapFS {
	return fstest.MapFS{"asking/asking.rego": {Data: []byte(`# METADATA
# title: Asking
# description: Asks about chance.
package sallyport.rules.asking

# METADATA
# title: Uses chance
# description: For tests.
# custom:
#   id: test-ask
#   severity: low
#   remediation: Use a fixed value.
ask contains {"rule": "test-ask", "message": "random is used", "span": span} if {
	"random" in input.source.imports
	some span in input.source.import_spans["random"]
}

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
`)}}
}
