package config

import (
	"strings"
	"testing"
)

func TestErrorsArePlain(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"polcy: {}\n", `line 1: there is no key "polcy" here`},
		{"policy:\n  pack: [strict]\n", `line 2: there is no key "pack" here`},
		{"limits:\n  memory_mb: [1]\n", "line 2: a list stands where a whole number belongs"},
		{"limits:\n  memory_mb: much\n", "line 2: text `much` stands where a whole number belongs"},
		{"policy: 7\n", "line 1: a whole number `7` stands where a map of keys belongs"},
		{"policy: [\n", "line 1:"},
	} {
		_, err := Parse(strings.NewReader(tt.yaml))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v, want %q", tt.yaml, err, tt.want)
			continue
		}
		for _, word := range []string{"unmarshal", "config.", "yaml:", "!!"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("Parse(%q) = %v: %q is the reader's word", tt.yaml, err, word)
			}
		}
	}
}
