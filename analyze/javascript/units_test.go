package javascript

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestPartialRounds holds that a partial round leaves out nothing that would learn something: the facts,
// and the number of the round that learns nothing, are those of rounds that walk all of a program.
func TestPartialRounds(t *testing.T) {
	t.Parallel()
	programs := map[string][]byte{"ordinary programs": ordinaryJavaScript(t, 100<<10)}
	files, err := filepath.Glob(javascriptCorpus + "/*/*.?js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs[file] = text
	}
	for seed := range uint64(150) {
		programs[fmt.Sprintf("composed with seed %d", seed)] = []byte(fullSets(rand.New(rand.NewPCG(1, seed))))
	}
	partial, whole := newTables(), newTables()
	whole.whole = true
	for name, text := range programs {
		facts, round := roundsOf(t, partial, text)
		wholeFacts, wholeRound := roundsOf(t, whole, text)
		if facts != wholeFacts || round != wholeRound {
			t.Errorf("%s: partial rounds end with round %d, whole ones with %d; the same facts: %v", name, round, wholeRound, facts == wholeFacts)
		}
	}
}

// fullSets is a program whose functions are called with so much that sets come to their bounds.
func fullSets(random *rand.Rand) string {
	given := []string{
		"u", "u[u]", "u[u][u]", "{}", "[]", "() => u", "'a'.at", "'a'.trim", "'a'.big", "true", "1", "'s'", "null", "undefined", "o", "o[u]", "f0", "f1", "f2()", "f3()",
		"u[u]()", "f0.bind(u, o)", "f1.bind(o)", "process", "console", "u.constructor", "Buffer.from('a')", "`${u}`", "+u",
	}
	var b strings.Builder
	b.WriteString("const u = g(), o = {};\n")
	for i := range 4 {
		fmt.Fprintf(&b, "function f%d(a, b) { o.m%d = a; o[u] = b; return o.m%d; }\n", i, random.IntN(4), random.IntN(4))
	}
	for range 10 + random.IntN(30) {
		fmt.Fprintf(&b, "f%d(%s, %s);\n", random.IntN(4), given[random.IntN(len(given))], given[random.IntN(len(given))])
	}
	return b.String()
}

// TestSteps holds how much work ordinary programs are: what a walk is, and how often rounds walk what they need not.
func TestSteps(t *testing.T) {
	t.Parallel()
	text, steps := ordinaryJavaScript(t, 300<<10), 0
	r := Reader()
	r.Walk = func(w *analyze.Walk) { steps = read(w, newTables()).steps }
	if f := analyseJavaScript(t, analyze.New(r), text); len(f.Syntax) > 0 {
		t.Errorf("300 KiB of ordinary programs: %v", f.Syntax)
	}
	const most = 3.1
	if per := float64(steps) / float64(len(text)); per > most {
		t.Errorf("300 KiB of ordinary programs take %.2f steps a byte, more than %v", per, most)
	}
}

// roundsOf reads a program, and tells which round was the last.
func roundsOf(t *testing.T, tables *tables, text []byte) (facts string, round int) {
	t.Helper()
	r := Reader()
	r.Walk = func(w *analyze.Walk) { round = read(w, tables).round }
	a := analyze.New(r)
	src, err := a.Canonical(analyze.JavaScript, "", text)
	if err != nil {
		return err.Error(), 0
	}
	f, err := a.Facts(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return analyzetest.Encode(t, f), round
}
