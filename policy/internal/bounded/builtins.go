package bounded

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"
)

// plain are what rules may call as it is: pure functions of their
// arguments, whose time and result are within those. Whatever reaches the
// network, the host, randomness or keys is not here, nor is what a later OPA
// adds. time.now_ns is the time of the request, and print is compiled away
// outside of tests.
const plain = `
array.slice assign
base64.is_valid contains count endswith eq equal
graph.reachable gt gte
indexof internal.member_2 internal.member_3 internal.print internal.test_case
is_array is_boolean is_null is_number is_object is_set is_string
lt lte max min neq
net.cidr_contains net.cidr_intersects net.cidr_is_valid
object.get object.keys object.subset
print rego.metadata.chain rego.metadata.rule
semver.compare semver.is_valid sort startswith
strings.any_prefix_match strings.any_suffix_match strings.count
substring
time.clock time.date time.diff time.now_ns time.weekday
trim trim_left trim_prefix trim_right trim_space trim_suffix type_name
walk
`

// byName are the others that rules may call, each with its bound.
func byName() map[string]bound {
	out := map[string]bound{
		"bits.lsh": shift, "bits.rsh": shift,
		"numbers.range": span, "numbers.range_step": span,
		"sum": listed, "product": listed,
		"split": pieces, "indexof_n": pieces,
		"concat": join, "sprintf": formatted, "replace": replace, "strings.replace_n": replaceAll,
		"glob.match":                       wildcards,
		"regex.match":                      pattern(0, 1),
		"regex.find_n":                     pattern(0, 1),
		"regex.split":                      pattern(0, 1),
		"regex.is_valid":                   pattern(0, -1),
		"regex.replace":                    pattern(1, 0, 2),
		"json.patch":                       patch,
		"net.cidr_contains_matches":        pairs,
		"regex.find_all_string_submatch_n": pattern(0, 1),
	}
	for _, name := range strings.Fields(`abs bits.and bits.negate bits.or bits.xor ceil div floor format_int minus mul plus rem round`) {
		out[name] = numbers
	}
	for _, name := range strings.Fields(`
		and array.concat array.reverse base64.decode base64.encode base64url.decode base64url.encode base64url.encode_no_pad
		crypto.sha256 glob.quote_meta hex.decode hex.encode internal.template_string intersection
		json.filter json.is_valid json.marshal json.remove json.unmarshal lower
		object.filter object.remove object.union object.union_n or strings.reverse
		time.add_date time.format time.parse_duration_ns time.parse_ns time.parse_rfc3339_ns
		to_number union units.parse units.parse_bytes upper urlquery.decode urlquery.decode_object urlquery.encode`) {
		out[name] = all
	}
	return out
}

// Builtins are those of byName and what a decision passes.
func Builtins() []*tester.Builtin {
	out := []*tester.Builtin{result()}
	bounds := byName()
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		out = append(out, builtin(ast.BuiltinMap[name], bounds[name]))
	}
	return out
}

// Capabilities returns what OPA may offer to rules.
func Capabilities() *ast.Capabilities {
	allowed := map[string]bool{}
	for _, name := range strings.Fields(plain) {
		allowed[name] = true
	}
	for name := range byName() {
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
