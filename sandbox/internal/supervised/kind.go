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
	Egress   *egress
}

// egress is what of a way out is in the sandbox before the program.
type egress struct {
	CA    []byte
	Ports []int
}

// Kind names what a sandbox has to be for s, for a pool of waiting ones.
func Kind(s sandbox.Spec) string {
	k := kind{Language: s.Language, Runtime: s.Runtime, Limits: s.Limits.WithDefaults(), Grant: s.Grant}
	if e := s.Egress; e != nil {
		k.Egress = &egress{e.CA, e.Ports}
	}
	return string(mustJSON(k))
}

// Preloads reports whether boxes of a kind import what an operator chose.
func Preloads(name string) bool {
	s, err := OfKind(name)
	return err == nil && len(s.Runtime.Preload) > 0
}

// OfKind is what is known of the runs of a kind: a spec without a program.
func OfKind(name string) (sandbox.Spec, error) {
	var k kind
	err := json.Unmarshal([]byte(name), &k)
	s := sandbox.Spec{Language: k.Language, Runtime: k.Runtime, Limits: k.Limits, Grant: k.Grant}
	if e := k.Egress; e != nil {
		s.Egress = &sandbox.Egress{CA: e.CA, Ports: e.Ports}
	}
	return s, err
}
