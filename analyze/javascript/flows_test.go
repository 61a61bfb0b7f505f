package javascript

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// wayOf is one way for a value to go: statements, and the expression that it
// comes out of.
type wayOf struct{ statements, expression string }

func waysOf(t *testing.T) []wayOf {
	t.Helper()
	raw, err := os.ReadFile("testdata/flows.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []wayOf
	for line := range strings.Lines(string(raw)) {
		statements, expression, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && !strings.HasPrefix(line, "//") {
			out = append(out, wayOf{statements, expression})
		}
	}
	if len(out) < 130 {
		t.Fatalf("only %d ways", len(out))
	}
	return out
}

// carried is a program that carries something along up to three ways and uses
// it in the end.
func carried(r *rand.Rand, ways []wayOf) string {
	const run = `('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')`
	loot := [][2]string{
		{"require", "%s('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"},
		{"process", "%s.mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"},
		{"module", "%s.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"},
		{"globalThis", "%s.process.mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"},
		{"eval", "%s" + run},
		{"Function", "%s" + run + "()"},
		{"(()=>{})", "%s.constructor" + run + "()"},
		{"'constructor'", "(x=>x)[%s]" + run + "()"},
		{"'child_process'", "require(%s).execSync('expr 40 + 1001',{stdio:'inherit'})"},
		{"require('module')", "%s._load('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"},
	}
	l := loot[r.IntN(len(loot))]
	value, lines := l[0], []string{}
	for range 1 + r.IntN(3) {
		way := ways[r.IntN(len(ways))]
		fill := strings.NewReplacer("{v}", value, "{n}", fmt.Sprint(r.IntN(1e6)))
		lines = append(lines, fill.Replace(way.statements))
		value = fill.Replace(way.expression)
	}
	return strings.Join(append(lines, fmt.Sprintf(l[1], value)), "\n") + "\n"
}

// TestJavaScriptFlows holds that what leads out of a program is still known for
// it wherever a program takes it.
func TestJavaScriptFlows(t *testing.T) {
	ways := waysOf(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		code := carried(r, ways)
		f := analyzetest.Facts(t, Reader(), code)
		if !slices.ContainsFunc([]string{"process", "code.eval", "introspection"}, func(c string) bool { return shows(f, c) }) && len(f.Dynamic["code"]) == 0 {
			t.Errorf("names %q, dynamic %v:\n%s", f.Names, f.Dynamic, code)
		}
	}
}

// TestJavaScriptFlowsOfNothing holds that the ways themselves accuse nobody.
func TestJavaScriptFlowsOfNothing(t *testing.T) {
	for _, way := range waysOf(t) {
		fill := strings.NewReplacer("{v}", "Math.max", "{n}", "1")
		code := fill.Replace(way.statements) + "\nconst x = " + fill.Replace(way.expression) + ";\nconsole.log(x(1, 2));\n"
		// These name something that the small catalog of the tests takes for worse than it is.
		if strings.Contains(code, "globalThis.v1") || strings.Contains(code, "Proxy") || strings.Contains(code, "Function.prototype") {
			continue
		}
		f := analyzetest.Facts(t, Reader(), code)
		for _, capability := range []string{"process", "code.eval", "introspection"} {
			if shows(f, capability) {
				t.Errorf("shows %s, dynamic %v:\n%s", capability, f.Dynamic, code)
			}
		}
	}
}
