package policy

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// allowedBuiltins are what rules may call: pure functions of their arguments.
// Whatever reaches the network, the host, randomness or keys is not here, nor
// is what a later OPA adds. time.now_ns is the time of the request, and print
// is compiled away outside of tests.
const allowedBuiltins = `
abs array.concat array.reverse array.slice assign
base64.decode base64.encode base64.is_valid base64url.decode base64url.encode base64url.encode_no_pad
bits.and bits.lsh bits.negate bits.or bits.rsh bits.xor
ceil concat contains count crypto.sha256 div endswith eq equal floor format_int
glob.match glob.quote_meta graph.reachable graph.reachable_paths gt gte hex.decode hex.encode
indexof indexof_n internal.member_2 internal.member_3 internal.print internal.template_string internal.test_case intersection
is_array is_boolean is_null is_number is_object is_set is_string
json.filter json.is_valid json.marshal json.patch json.remove json.unmarshal
lower lt lte max min minus mul neq
net.cidr_contains net.cidr_contains_matches net.cidr_intersects net.cidr_is_valid
numbers.range numbers.range_step
object.filter object.get object.keys object.remove object.subset object.union object.union_n
or and plus print product
regex.find_all_string_submatch_n regex.find_n regex.is_valid regex.match regex.replace regex.split
rego.metadata.chain rego.metadata.rule rem replace round
semver.compare semver.is_valid sort split sprintf startswith
strings.any_prefix_match strings.any_suffix_match strings.count strings.replace_n strings.reverse
substring sum
time.add_date time.clock time.date time.diff time.format time.now_ns time.parse_duration_ns time.parse_ns time.parse_rfc3339_ns time.weekday
to_number trim trim_left trim_prefix trim_right trim_space trim_suffix type_name
union units.parse units.parse_bytes upper urlquery.decode urlquery.decode_object urlquery.encode
walk
`

// capabilities returns what OPA may offer to rules.
func capabilities() *ast.Capabilities {
	allowed := map[string]bool{}
	for _, name := range strings.Fields(allowedBuiltins) {
		allowed[name] = true
	}
	all := ast.CapabilitiesForThisVersion(ast.CapabilitiesRegoVersion(ast.RegoV1))
	caps := &ast.Capabilities{
		FutureKeywords: all.FutureKeywords,
		Features:       all.Features,
		AllowNet:       []string{}, // no remote $ref in a schema either
	}
	for _, b := range all.Builtins {
		if allowed[b.Name] {
			caps.Builtins = append(caps.Builtins, b)
		}
	}
	return caps
}
