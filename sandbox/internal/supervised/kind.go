package supervised

import (
	"encoding/json"

	"sallyport/sandbox"
)

// kind is everything of a spec that a sandbox is made from before it gets its
// program.
type kind struct {
	Language string
	Runtime  sandbox.Runtime
	Limits   sandbox.Limits
	Grant    sandbox.Grant
}

// Kind names what a sandbox has to be for s, for a pool of waiting ones.
func Kind(s sandbox.Spec) string {
	return string(mustJSON(kind{Language: s.Language, Runtime: s.Runtime, Limits: s.Limits.WithDefaults(), Grant: s.Grant}))
}

// OfKind is what is known of the runs of a kind: a spec without a program.
func OfKind(name string) (sandbox.Spec, error) {
	var k kind
	err := json.Unmarshal([]byte(name), &k)
	return sandbox.Spec{Language: k.Language, Runtime: k.Runtime, Limits: k.Limits, Grant: k.Grant}, err
}
