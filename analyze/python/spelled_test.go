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
	saySame(t, func(code string) string {
		return analyzetest.Respelled(t, Reader(), code, []analyze.Kind{kindIdentifier}, wide)
	})
}

// TestPythonSetApart holds the same of programs in which each word stands on a line of its own.
func TestPythonSetApart(t *testing.T) {
	t.Parallel()
	saySame(t, func(code string) string {
		return analyzetest.SetApart(t, Reader(), code, " \\\n ", kindString, kindComment)
	})
}

// saySame holds that programs of the corpus say the same when they are written otherwise.
func saySame(t *testing.T, write func(code string) string) {
	t.Helper()
	step := 8
	if os.Getenv("ORACLE_ALL") == "1" {
		step = 1
	}
	otherwise := filepath.Join(t.TempDir(), "otherwise.py")
	for _, dir := range []string{"allow", "deny", "escapes"} {
		for n, file := range pythonFiles(t, dir) {
			if n%step > 0 {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(otherwise, []byte(write(string(raw))), 0o600); err != nil {
				t.Fatal(err)
			}
			a := analyze.New(Reader())
			if diff := cmp.Diff(analyzetest.Said(fileFacts(t, a, file)), analyzetest.Said(fileFacts(t, a, otherwise))); diff != "" {
				t.Errorf("%s says something else written otherwise (-plain +otherwise):\n%s", file, diff)
			}
		}
	}
}
