package javascript

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// TestJavaScriptTexts holds that what is no constant, or another than it looks like, is not taken
// for one: whoever is asked for by it is seen.
func TestJavaScriptTexts(t *testing.T) {
	t.Parallel()
	for _, way := range []string{ // statements, a tab, an expression, a tab, and what that is as a text
		"	JSON.parse('[' + '\"b\",'.repeat(1024) + '\"a\"]').at(-1)	a",
	} {
		fields := strings.Split(way, "\t")
		code := unknownKey + fields[0] + "\nconst m = { '" + fields[2] + "': process }; const x = m[" + fields[1] + "]; console.log(x.env)"
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "globalThis.process.env") && !deniedByStrict(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, code := range []string{ // which are ordinary
		"const s = new String('a'); console.log(s.length, s + 'b', s.toUpperCase(), [...s])",
		"Object.keys(Object('ab')).forEach(n => console.log(n)); console.log({ ...'ab' }, Object(1) + 1, new Number(1).toFixed())",
		"console.log('a'.concat('b'), [].slice.call('ab').join(), Array.prototype.map.call('ab', x => x + x))",
		"const n = process.argv.length ? 1 : 'q'; console.log([1, 2, 3][n + 1], process.exitCode || 0, !process.stdout.isTTY)",
		"const rows = Array.from({ length: 3 }, (_, n) => new Array(3).fill(n)); rows[1][2] = 5; for (const r of rows) console.log(r.map(x => x + 1).join())",
		"const { a, ...rest } = { a: 1, b: 2, go() { return this.b } }; console.log(a, rest.go(), Object.keys(rest))",
		"class A { n = 1; go() { return this.n } } const p = A.prototype; const o = Object.create(p); o.n = 2; console.log(o.go(), p.go.call(o), { ...o })",
		"const o = Object.freeze({ n: [1] }); o.n.push(2); console.log(o.n, Object.isFrozen(o))",
	} {
		if f := analyzetest.Facts(t, Reader(), code); deniedByStrict(f) {
			t.Errorf("dynamic %v, attributes %v: %s", f.Dynamic, f.Attrs, code)
		}
	}
}
