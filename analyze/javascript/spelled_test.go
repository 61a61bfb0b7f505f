package javascript

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// saySame holds that programs of the corpus say the same when they are written otherwise.
func saySame(t *testing.T, write func(code string) string) {
	t.Helper()
	step := 8
	if os.Getenv("ORACLE_ALL") == "1" {
		step = 1
	}
	for _, kind := range []string{"allow", "deny", "escapes"} {
		for n, file := range corpusFiles(t, kind) {
			if n%step > 0 {
				continue
			}
			plain, refused := readCorpusFile(t, file)
			if refused {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			otherwise := filepath.Join(t.TempDir(), filepath.Base(file))
			if err := os.WriteFile(otherwise, []byte(write(string(raw))), 0o600); err != nil {
				t.Fatal(err)
			}
			said, refused := readCorpusFile(t, otherwise)
			if diff := cmp.Diff(analyzetest.Said(plain), analyzetest.Said(said)); diff != "" || refused {
				t.Errorf("%s says something else written otherwise (-plain +otherwise):\n%s", file, diff)
			}
		}
	}
}
