package mcp

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
)

// minSecret is the shortest text that is taken for a secret: shorter ones
// occur by chance, and replacing them would garble every output.
const minSecret = 4

// redactor replaces the values of secrets. It catches a value that is printed,
// not one that a program was told to disguise.
type redactor []redaction

type redaction struct{ value, label []byte }

func newRedactor(secrets map[string]string) redactor {
	var r redactor
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		value := secrets[name]
		r = r.add(name, value, minSecret)
		if strings.Contains(value, "\n") { // a key file may be printed line by line
			for _, line := range strings.Split(value, "\n") {
				r = r.add(name, strings.TrimSpace(line), 4*minSecret)
			}
		}
	}
	// Longest first: a secret may contain another one.
	slices.SortStableFunc(r, func(a, b redaction) int { return cmp.Compare(len(b.value), len(a.value)) })
	return r
}

func (r redactor) add(name, value string, least int) redactor {
	if len(value) < least {
		return r
	}
	return append(r, redaction{[]byte(value), []byte("[secret " + name + "]")})
}

// hide returns b with every secret replaced; b itself is not changed.
func (r redactor) hide(b []byte) []byte {
	for _, x := range r {
		b = bytes.ReplaceAll(b, x.value, x.label)
	}
	return b
}
