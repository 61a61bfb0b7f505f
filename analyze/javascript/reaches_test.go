package javascript

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptReaches holds the rows of reaches.txt: strict denies what may reach something
// that it denies, and no ordinary program like it.
func TestJavaScriptReaches(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/reaches.txt")
	if err != nil {
		t.Fatal(err)
	}
	const texts = unknownKey + "const u = s => { let t = ''; for (const p of JSON.parse('[\"' + s + '\",\"\"]').map(x => x)) t += p; return t };\n"
	rows := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		rows[fields[0]+fields[1]]++
		f := analyzetest.Facts(t, Reader(), texts+fields[2])
		denied := deniedByStrict(f) || slices.Contains(f.Names, "node:fs.openSync") || slices.ContainsFunc([]string{"environment", "process", "filesystem.write"}, func(c string) bool { return shows(f, c) })
		if denied != (fields[1] == "denied") {
			t.Errorf("%s, %s: dynamic %v, attributes %v, names %v:\n%s", fields[0], fields[1], f.Dynamic, f.Attrs, f.Names, fields[2])
		}
	}
	for kind, n := range rows {
		if strings.HasSuffix(kind, "denied") && n < 2 || rows[strings.Replace(kind, "denied", "passes", 1)] == 0 {
			t.Errorf("%s: only %d ways", kind, n)
		}
	}
}

// TestJavaScriptInstanceTold holds that what is asked whether it is an instance is not only compared where a class of the
// program may be told it.
func TestJavaScriptInstanceTold(t *testing.T) {
	t.Parallel()
	const function = "globalThis.Function"
	if f := analyzetest.Facts(t, Reader(), "class K { static [Symbol.hasInstance](x) { x('1') } } (class { }).constructor instanceof K"); !slices.Contains(f.Names, function) {
		t.Errorf("names %v", f.Names)
	}
	if f := analyzetest.Facts(t, Reader(), "class K { } console.log((class { }).constructor instanceof K)"); slices.Contains(f.Names, function) {
		t.Errorf("names %v, though it is only compared", f.Names)
	}
}
