package python

import (
	"slices"
	"testing"

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

func saySame(t *testing.T, write func(code string) string) {
	t.Helper()
	a := analyze.New(Reader())
	read := func(file string) (analyze.Facts, bool) { return fileFacts(t, a, file), true }
	analyzetest.SaySame(t, slices.Concat(pythonFiles(t, "allow"), pythonFiles(t, "deny"), pythonFiles(t, "escapes")), read, write)
}
