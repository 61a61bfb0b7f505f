package python

import (
	"os"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestPythonChanges holds that a constant in a list counts as one only as long as
// nobody may have changed the list: in each of the ways of testdata/changes.txt
// somebody has.
func TestPythonChanges(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	const list, use = "l = ['__name__']\n", "\ndef f(): pass\ngetattr(f, l[0])\n"
	fill := strings.NewReplacer("NEW", "'__globals__'", "OLD", "'__name__'", `\n`, "\n")
	rows := 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		if f := analyzetest.Facts(t, Reader(), list+fill.Replace(line)+use); !reported(f) {
			t.Errorf("seen by nobody: %s", line)
		}
	}
	if rows < 250 {
		t.Errorf("only %d ways", rows)
	}
	for _, way := range []string{
		"", "print(l, len(l))", "m = l + ['a']", "if 'a' in l or l == ['a']: pass", "for x in sorted(l): print(x)",
		"if input() in l: print(1)", "print(l.index('__name__'), l.count('a'))", "x, = l", "d = {'a': 1}\nprint(d['a'], l[0:1])",
	} {
		if f := analyzetest.Facts(t, Reader(), list+way+use); reported(f) {
			t.Errorf("nothing changes the list, dynamic %v: %s", f.Dynamic, way)
		}
	}
}
