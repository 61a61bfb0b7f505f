package python

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPythonSpelledOtherwise holds that programs whose names are all written with letters
// of full width, which Python reads as the plain ones, say what they said before.
func TestPythonSpelledOtherwise(t *testing.T) {
	t.Parallel()
	wide := func(name string) string {
		if c := name[0]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return string(rune(c)-'a'+'ａ') + name[1:]
		}
		return name
	}
	step := 8
	if os.Getenv("ORACLE_ALL") == "1" {
		step = 1
	}
	respelled := filepath.Join(t.TempDir(), "respelled.py")
	for _, dir := range []string{"allow", "deny", "escapes"} {
		for n, file := range pythonFiles(t, dir) {
			if n%step > 0 {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			other, ok := analyzetest.Respelled(t, Reader(), string(raw), []analyze.Kind{kindIdentifier}, wide)
			if !ok {
				continue
			}
			if err := os.WriteFile(respelled, []byte(other), 0o600); err != nil {
				t.Fatal(err)
			}
			a := analyze.New(Reader())
			if diff := cmp.Diff(analyzetest.Said(fileFacts(t, a, file)), analyzetest.Said(fileFacts(t, a, respelled))); diff != "" {
				t.Errorf("%s says something else in another spelling (-plain +wide):\n%s", file, diff)
			}
		}
	}
}
