package config

import (
	"strings"
	"testing"

	"sallyport/internal/hint"
)

// TestMisplacedKeys: a key that stands elsewhere is told where.
func TestMisplacedKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"egress: {allow: []}\n":      "its place is environments.NAME.egress",
		"packs: [strict]\n":          "its place is policy.packs",
		"policy: {environments: {}}": "its place is environments",
		"memori_mb: 5\n":             "did you mean memory_mb?",
	} {
		_, err := Parse(strings.NewReader(text))
		if got := hint.Fix(err); err == nil || got != want {
			t.Errorf("%q: %v, hint %q, want %q", text, err, got, want)
		}
	}
}
