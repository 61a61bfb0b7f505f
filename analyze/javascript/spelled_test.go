package javascript

import (
	"fmt"
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestJavaScriptSpelledOtherwise holds that programs whose names are all written with
// an escape for the first letter say what they said before.
func TestJavaScriptSpelledOtherwise(t *testing.T) {
	t.Parallel()
	kinds := []analyze.Kind{kindIdentifier, kindPropertyIdentifier, kindShorthandPropertyIdentifier, kindShorthandPropertyIdentifierPattern,
		kindStatementIdentifier, kindPrivatePropertyIdentifier}
	escaped := func(name string) string {
		hash := ""
		if name[0] == '#' {
			hash, name = name[:1], name[1:]
		}
		if name[0] == '\\' || name[0] >= 0x80 {
			return hash + name
		}
		return fmt.Sprintf(`%s\u%04x%s`, hash, name[0], name[1:])
	}
	saySame(t, func(code string) string { return analyzetest.Respelled(t, Reader(), code, kinds, escaped) })
}

// TestJavaScriptSetApart holds the same of programs with a comment between any two words.
func TestJavaScriptSetApart(t *testing.T) {
	t.Parallel()
	saySame(t, func(code string) string {
		return analyzetest.SetApart(t, Reader(), code, " /* a */ ", kindString, kindTemplateString, kindRegex, kindHashBangLine, kindComment)
	})
}

func saySame(t *testing.T, write func(code string) string) {
	t.Helper()
	read := func(file string) (analyze.Facts, bool) {
		f, refused := readCorpusFile(t, file)
		return f, !refused
	}
	analyzetest.SaySame(t, slices.Concat(corpusFiles(t, "allow"), corpusFiles(t, "deny"), corpusFiles(t, "escapes")), read, write)
}
