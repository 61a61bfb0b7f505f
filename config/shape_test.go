package config

import (
	"strings"
	"testing"
)

// TestShape holds that what is not misshapen can be decoded, in every form that
// the decoder takes.
func TestShape(t *testing.T) {
	for _, doc := range []string{
		"", "# nothing\n", "policy:\n", "limits: &l {pids: 7}\n", "limits: {pids: 0x10, timeout: 5s}\n",
		"environments:\n  a: &a {description: one, env: {N: 1, T: true}}\n  b: {<<: *a, description: two}\n",
		"policy: {packs: &p [strict], dirs: *p}\n", "policy: {overrides: {network: warn}}\n",
	} {
		if _, err := Parse(strings.NewReader(doc)); err != nil {
			t.Errorf("Parse(%q) = %v", doc, err)
		}
	}
}

func TestErrorsArePlain(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"polcy: {}\n", `line 1: there is no key "polcy" here`},
		{"policy:\n  pack: [strict]\n", `line 2: there is no key "pack" here`},
		{"limits:\n  memory_mb: [1]\n", "line 2: a list stands where a whole number belongs"},
		{"limits:\n  memory_mb: much\n", "line 2: text `much` stands where a whole number belongs"},
		{"policy: 7\n", "line 1: a whole number `7` stands where a map of keys belongs"},
		{"policy: [\n", "line 1:"},
		{"policy: &p {dirs: *p}\n", "line"},
		{"policy: {}\npolicy: {}\n", `line 2: mapping key "policy" already defined at line 1`},
		{"limits: {memory_mb: 99999999999999999999}\n", "stands where a whole number belongs"},
		{"policy: {packs: [[strict]]}\n", "line 1: a list stands where text belongs"},
		{"environments: {x: {mounts: [{sorce: /a}]}}\n", `line 1: there is no key "sorce" here`},
		{"polcy: {}\nlimits: []\n", `line 1: there is no key "polcy" here; line 2: a list stands where a map of keys belongs`},
	} {
		_, err := Parse(strings.NewReader(tt.yaml))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v, want %q", tt.yaml, err, tt.want)
			continue
		}
		for _, word := range []string{"unmarshal", "config.", "!!"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("Parse(%q) = %v: %q is the reader's word", tt.yaml, err, word)
			}
		}
	}
}
