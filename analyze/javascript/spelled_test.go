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
			other, ok := analyzetest.Respelled(t, Reader(), string(raw), kinds, escaped)
			if !ok {
				continue
			}
			respelled := filepath.Join(t.TempDir(), filepath.Base(file))
			if err := os.WriteFile(respelled, []byte(other), 0o600); err != nil {
				t.Fatal(err)
			}
			said, refused := readCorpusFile(t, respelled)
			if diff := cmp.Diff(analyzetest.Said(plain), analyzetest.Said(said)); diff != "" || refused {
				t.Errorf("%s says something else in another spelling (-plain +escaped):\n%s", file, diff)
			}
		}
	}
}
