// Package policytest has a policy for tests: what they rely on does not change with
// the packs.
package policytest

import (
	"strconv"
	"testing/fstest"
)

// Asking is the pack "asking", which asks about the module random, says message of
// it, and allows the rest. Another message is another revision.
func Asking(message string) fstest.MapFS {
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
ask contains {"rule": "test-ask", "message": ` + strconv.Quote(message) + `, "span": span} if {
	"random" in input.source.imports
	some span in input.source.import_spans["random"]
}
`)}}
}
