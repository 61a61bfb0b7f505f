package javascript

import (
	"os"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptMembers holds that what is not what it was seen to be is not known: a
// member behind an accessor, one of a prototype that was replaced, an own one that hides
// another or no longer does, a parameter that nobody was seen to pass.
func TestJavaScriptMembers(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/members.txt")
	if err != nil {
		t.Fatal(err)
	}
	const texts = unknownKey + "let q = ''; for (const p of JSON.parse('[\"x\",\"\"]').map(x => x)) q += p;\n" +
		"const u = s => { let t = ''; for (const p of JSON.parse('[\"' + s + '\",\"\"]').map(x => x)) t += p; return t };\n"
	program := func(statements, v, use string) string {
		code := strings.ReplaceAll(statements, "{v}", v)
		if strings.Contains(code, "{use}") {
			return texts + strings.ReplaceAll(code, "{use}", use)
		}
		return texts + code + "\n" + use
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		kind, statements, read := fields[0], fields[1], fields[2]
		rows[kind]++
		asName := program(statements, "k", "const X = "+read+"; (() => 1)[X]('return 42')();")
		called := program(statements, "(() => 1)[k]", "const X = "+read+"; X('return 42')();")
		if seen := deniedByStrict(analyzetest.Facts(t, Reader(), asName)); !seen {
			t.Errorf("seen by nobody:\n%s", asName)
		}
		if !strings.Contains(statements, "[k]: ") && !deniedByStrict(analyzetest.Facts(t, Reader(), called)) {
			t.Errorf("seen by nobody:\n%s", called)
		}
		plain := program(statements, "'text'", "console.log("+read+");")
		if f := analyzetest.Facts(t, Reader(), plain); deniedByStrict(f) {
			t.Errorf("dynamic %v, attributes %v:\n%s", f.Dynamic, f.Attrs, plain)
		}
	}
	for _, kind := range []string{"accessor", "prototype", "own member", "parameter", "order"} {
		if rows[kind] < 4 {
			t.Errorf("%s: only %d ways", kind, rows[kind])
		}
	}
}
