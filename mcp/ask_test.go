package mcp

import (
	"testing/fstest"
)

// askPack is a policy that asks about the module random and allows the rest.
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
`)}}
}
