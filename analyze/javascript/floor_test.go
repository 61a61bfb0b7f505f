package javascript

import (
	"os"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptFloor holds the rows of floor.txt: what leads to all else is used where it stands, or moved.
func TestJavaScriptFloor(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/floor.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		rule, want, code := fields[0], fields[1], fields[2]
		rows[rule]++
		rows[rule+" "+want]++
		if f := analyzetest.Facts(t, Reader(), code); (want == "moved") != isMoved(t, code) || !f.Complete {
			t.Errorf("%s, %s: syntax %v: %s", rule, want, f.Syntax, code)
		}
	}
	for rule := range rows {
		if rule, ok := strings.CutSuffix(rule, " moved"); ok && (rows[rule+" moved"] < 2 || rows[rule+" passes"] == 0) {
			t.Errorf("%s: only %d rows that are moved, and %d that pass", rule, rows[rule+" moved"], rows[rule+" passes"])
		}
	}
}

func isMoved(t *testing.T, code string) bool {
	t.Helper()
	return len(analyzetest.Floor(t, Reader(), code)) > 0
}

// TestJavaScriptFloorStopsCarriers puts what leads to all else into all carriers: the floor stops
// each, and knows nothing of them.
func TestJavaScriptFloorStopsCarriers(t *testing.T) {
	t.Parallel()
	stopped := 0
	for _, c := range carriers(t) {
		for _, v := range []string{"process", "globalThis", "require", "module", "Function", "eval", "[require('fs')]", "(() => 1)[k]"} {
			code := unknownKey + strings.NewReplacer("{v}", v, "{use}", "console.log(x)").Replace(c.program)
			if !isMoved(t, code) {
				t.Errorf("%s, %s: not moved:\n%s", c.name, v, code)
			}
			stopped++
		}
	}
	if stopped < 3000 {
		t.Errorf("only %d programs", stopped)
	}
}

// TestJavaScriptFloorInTexts holds that the floor reads texts which are run as code, too, and that what
// such a text ends with is given to whoever runs it.
func TestJavaScriptFloorInTexts(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"eval('f(process)')":             true,
		"eval('process')":                true,
		"new Function('return process')": true,
		"eval('process.argv')":           false,
		"process":                        false,
	} {
		if isMoved(t, code) != want {
			t.Errorf("moved is not %v: %s", want, code)
		}
	}
}
