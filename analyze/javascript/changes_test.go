package javascript

import (
	"os"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptChanges holds that a constant counts as one only as long as nothing
// changes it: the ways of testdata/changes.txt make another name of each.
func TestJavaScriptChanges(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	const constants = "let o = { k: {old} }, a = [{old}], bytes = Buffer.from({old});\n"
	fill := strings.NewReplacer("{v}", "'constructor'", "{old}", "'length'")
	rows := 0
	for line := range strings.Lines(string(raw)) {
		read, way, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		rows++
		f := analyzetest.Facts(t, Reader(), fill.Replace(constants+way+"(() => 1)["+read+"]('1')();\n"))
		if !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", way)
		}
		plain := analyzetest.Facts(t, Reader(), fill.Replace(constants+way+"console.log("+read+");\n"))
		if deniedByStrict(plain) && !strings.Contains(way, "['fi' + 'll']") {
			t.Errorf("dynamic %v, attributes %v: %s", plain.Dynamic, plain.Attrs, way)
		}
	}
	if rows < 60 {
		t.Errorf("only %d ways", rows)
	}
	for _, read := range []string{"o.k", "a[0]", "bytes.toString()"} {
		f := analyzetest.Facts(t, Reader(), fill.Replace(constants+"(() => 1)["+read+"];\n"))
		if deniedByStrict(f) {
			t.Errorf("nothing changes %s: dynamic %v", read, f.Dynamic)
		}
	}
}
