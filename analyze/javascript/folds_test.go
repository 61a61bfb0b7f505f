package javascript

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// folds.js evaluates expressions.
//
//go:embed testdata/folds.js
var foldsScript string

// Pieces that engines, libraries of Go and people read differently.
var (
	foldedTexts = []string{`""`, `"a"`, `"constructor"`, `"ABC def"`, `"\u00855"`, `" 12 "`, `"0x1f"`, `"1e3"`, `"5e-7"`, `"-0"`, `"+5"`, `"٣"`, `"\ud83d"`, `"\ude00"`, `"😀"`, `"é"`, `"ẞß"`, `"İI"`, `"\ufeff7"`,
		`"%23"`, `"%41%zz"`, `"%u0041"`, `"YQ=="`, `"YQ==YQ=="`, `"Y Q"`, `"-_8"`, `"6a"`, `"6a7"`, `"\x1c x\x1f"`, `"a,b,,c"`, `"null"`, `"1,2"`, "`x${1}y`", `"$&"`, `"12abc"`, `"Infinity"`, `"9007199254740993"`, `"{\"z\":1,\"2\":[0,-0],\"z\":2}"`, `"[1,\"\\ud83d\"]"`}
	foldedNumbers = []string{`0`, `-0`, `1`, `-1`, `2`, `3`, `1.5`, `5e-7`, `1e21`, `123456789012345680000`, `0.1`, `4294967296`, `2147483648`, `9007199254740993`, `3n`, `9007199254740993n`, `010`, `0b11`, `1_000`, `NaN`, `Infinity`, `true`, `null`, `undefined`, `300`, `16`, `36`}
	foldedUnary   = []string{"+%s", "-%s", "!%s", "~%s", "typeof %s", "String(%s)", "Number(%s)", "parseInt(%s)", "parseFloat(%s)", "`${%s}`", "[%s].join()", "[%s,,2].join('-')", "({[%s]:1,b:2,1:3})", "1/(%s)", "!!%s", "String.fromCharCode(%s)", "decodeURI(%s)", "decodeURIComponent(%s)", "unescape(%s)", "atob(%s)", "btoa(%s)", "JSON.parse(%s)", "Object.keys(JSON.parse(%s))", "Buffer.from(%s).toString()", "Buffer.from([%s,1]).toString('hex')", "new String(%s).length"}
	foldedBinary  = []string{"%s+%s", "%s-%s", "%s*%s", "%s/(%s)", "%s%%(%s)", "(%s)**(%s)", "%s&%s", "%s|%s", "%s^%s", "%s<<%s", "%s>>%s", "%s>>>%s", "%s<%s", "%s==%s", "%s===%s", "parseInt(%s,%s)", "[%s,%s]", "[%s,%s].join()", "Buffer.from(%s,%s).toString()", "Buffer.from(%s,'utf16le').toString(%s)", "Buffer.from(%s,'latin1').toString(%s)", "Buffer.from(%s,'base64').toString(%s)", "Buffer.from(%s).toString(%s)"}
	foldedMethods = []string{"trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "split", "replace", "replaceAll", "repeat", "charAt", "at", "slice", "substring", "substr", "charCodeAt", "codePointAt", "indexOf", "concat", "normalize", "toString", "valueOf", "padStart", "lastIndexOf", "includes", "startsWith", "toFixed", "toPrecision"}
)

// Pieces that only come inside of a template, where what is not there is a text, too.
var (
	foldedLists = []string{"[]", "[,]", "[,1]", "[1,,2]", "[undefined]", "[null,'x']", "[['a',['b',[null]]]]", "Array(2)", "Array(2,'a')", "new Array('3')", "['b','a',10,9,,undefined]", "[...'a😀']", "[...[1,,2]]",
		"Array.from('ab')", "Array.from({length:2})", "Array.from({length:2,0:'a'})", "Array.of(3)", "'a b'.split(' ')", "'ab'.split('')", "'a1b'.split(/\\d/)", "'a-b-c'.split('-',2)", "Object.keys({b:1,2:1,a:1})", "Object.values({b:1,2:'c',a:1})", "Object.entries({b:1,1:2})", "JSON.parse('[1,[null],{\"a\":\"b\"}]')", "[1,2,3]", "[%s]", "[%s,%s]", "[,%s,]", "[...[%s],...[,%s]]", "[[%s],%s]"}
	foldedListMethods = []string{"join", "slice", "concat", "flat", "reverse", "toReversed", "at", "indexOf", "lastIndexOf", "includes", "pop", "shift", "push", "unshift", "with", "fill", "copyWithin", "sort", "toSorted", "splice", "toSpliced", "toString", "toLocaleString", "map(x=>x).join", "filter(Boolean).at", "reverse().at", "find(x=>x).concat", "flatMap(x=>x).at", "concat([,1]).at", "slice(1).concat", "slice(-2,-1).join", "findLast(x=>1).concat", "reduce((a,b)=>a+b)?.concat", "keys().next().value.toString", "entries().next().value.join", "values().next().value.concat", "hasOwnProperty"}
	foldedPrograms    = []string{
		"let v = %s; v ??= %s; return v", "let v = %s; v ||= %s; return v", "let v = %s; v &&= %s; return v", "let v = %s; v += %s; return v", "let v = %s; return [v++, ++v, v--]", "let v = %s; v **= 2; return v", "return (%s, %s)", "return %s ?? %s", "return %s || %s", "return %s && %s", "return %s ? %s : 'n'",
		"const [a = %s, b] = [%s]; return a + b", "const [a, ...b] = [%s, %s]; return b", "const { a = %s, ...r } = { a: %s, b: 1 }; return a + r.b + r.a", "const { length: a, 0: b } = %s; return a + b", "const [a, b] = '' + %s; return a + b", "const { a: { b = %s } = {} } = { a: %s }; return b",
		"const f = (a = %s, b = a) => a + b; return f(%s)", "const f = (...l) => l.length + l.join(); return f(...[%s, , %s])", "function f(a, b) { arguments[0] = 'z'; return a + b } return f(%s)", "function f() { return arguments.length + arguments[1] } return f(%s)", "function f(a, a) { return a } return f(%s, %s)", "const f = ({ a, b = 'c' } = {}) => a + b; return f({ a: %s })", "return f(); function f() { return typeof v } var v = %s", "var a = %s; { var a = %s } return a", "let a = %s; { let a = %s } return a", "var f = %s; function f() {} return f",
		"const o = { a: %s, get b() { return this.a } }; o.a = %s; return o.b", "const o = { a: %s }; const p = o; p.a = %s; return o.a", "const o = { a: %s }; delete o.a; return o.a", "const o = { a: 1 }; o[%s] = %s; return Object.keys(o)", "const o = { ['a' + %s]: %s }; return Object.entries(o)", "const o = { a: 1, __proto__: { b: %s } }; return o.b + Object.keys(o)", "const o = { __proto__: null, a: %s }; return o.a", "const o = Object.assign({}, { a: %s }, %s); return o.a", "const o = { ...%s, a: 1 }; return o[0] + o.a", "const o = { toString: () => %s }; return o + 'x'", "const o = { valueOf: () => %s, toString: () => 's' }; return o + 'x'", "const o = { toString() { return 'a' }, valueOf() { return 1 } }; return `${o}` + o", "const o = { a: %s }; return 'a' in o", "const d = Object.create({ a: %s }); return d.a + Object.keys(d)", "const o = Object.freeze({ a: %s }); o.a = %s; return o.a",
		"let v = ''; l: for (const a of [1, 2, 3]) { for (;;) { if (a === 2) continue l; v += a; break } } return v + %s", "let v = ''; for (const k in { b: 1, 1: %s, a: 1 }) v += k; return v", "let v = ''; for (const x of %s) v += x; return v", "let v = ''; for (let i = 0; i < 3; i++) v += i + %s; return v", "let v = %s; do { v += 'a' } while (v.length < 3); return v", "let v = ''; for (const k in %s) v += k; return v", "let v = 'a'; for (v of [%s, , %s]) ; return v", "let v = 'a'; for (var i in [%s, , 1]) v += i; return v + i", "let v; switch (%s) { case 1: v = 'one'; case 2: v += 'two'; break; default: v = %s } return v",
		"try { return %s } finally { %s }", "try { return %s } finally { return %s }", "try { throw %s } catch (e) { return e }", "try { null.a } catch { return %s }", "let v = %s; try { v = null.a } catch { } return v", "l: { break l; } return %s", "let v = 'a'; l: { v = %s; if (v) break l; v = 'c' } return v", "if (%s) return 'y'; return 'n'",
		"const t = (s, ...v) => s.raw.join('|') + s.join('|') + v; return t`a\\n${%s}\\x41`", "return String.raw`a\\n${%s}\\u0041`", "return String.raw({ raw: 'abc' }, %s, %s)", "return String.raw`\\${%s}`", "const t = s => s[0]; return t`\r\na`", "return `a\r\nb`.length", "const t = s => s.raw[0]; return t`\\\r\na`", "return ((s) => s.length + s.raw.length)`${%s}${%s}`",
		"class A { a = %s; b = this.a } return new A().b", "class A { static a = %s; static b = A.a + 'x' } return A.b", "class A { static b = A.a; static a = %s } return A.b", "class A { b = this.a; a = %s } return new A().b", "class A { get a() { return %s } } return new A().a", "class A { constructor(a = %s) { this.a = a } } class B extends A {} return new B(%s).a", "class A { static [%s] = 'v' } return Object.keys(A)", "class A {} A.prototype.a = %s; const o = new A(); o.a = %s; return o.a + new A().a", "function F() { this.a = %s } F.prototype.b = %s; return new F().b + new F().a", "class A { a() { return 1 } } return Object.keys(new A()) + new A().a.name + A.name", "class A { #a = %s; get() { return this.#a + this['#a'] } } return new A().get()", "class A { a } return new A().a + Object.keys(new A())", "return (function f(a, b) {}).length + (() => {}).name + (class Q {}).name",
		"let n = 0; const f = () => ++n; f(); f(); return n", "let n = %s; const f = () => n; n = %s; return f()", "const l = [%s]; const m = l; m.push(%s); return l.join()", "const l = [1, 2, 3]; l.length = 1; return l", "const l = []; l[2] = %s; return l.join() + l.length", "const l = [3, 1, 2]; const s = l.sort(); return l.join() + (s === l)", "const l = ['a']; l.a = %s; return l.length + l.a", "const l = ['a', 'b']; delete l[0]; return l.join() + l.length", "const l = [[1, 2], [3]]; return l.flat().join() + l", "const l = ['a', 'b']; const [x] = l.splice(0, 1, %s); return x + l", "const l = ['a', 'b']; l.reverse(); return l[0]", "const l = Array(3).fill(%s); return l.join()", "const l = [...Array(2).keys()]; return l.join()", "const m = new Map([[%s, 'v']]); return m.get(%s)", "const s = new Set([%s, %s]); return [...s].join() + s.size",
		"return JSON.stringify({ a: %s, b: [%s] })", "return JSON.stringify([%s, , undefined])", "return JSON.parse(JSON.stringify({ a: %s })).a", "return JSON.parse('{\"__proto__\":1,\"a\":2}').a", "return JSON.parse('{\"a\":1,\"a\":2}').a", "return JSON.parse('[1]', (k, v) => k === '0' ? 'r' : v)", "return Object.entries({ a: %s }).flat().join()", "return Object.fromEntries([['a', %s], ['a', %s]]).a", "return [%s, %s].map(String).join()", "return ['1', '2', '3'].map(parseInt).join()", "return ['a', 'b'].map((x, i) => x + i + %s).join()", "return [%s, 'b'].reduce((a, b) => a + b, %s)", "return ['a', 'b'].reduceRight((a, b) => a + b)", "return 'a-b'.replace('-', %s)", "return 'a-b'.replace('-', '$&$$$`$\\'')", "return 'a-b-c'.replaceAll('-', x => %s)", "return 'aXb'.replace(/x/i, %s)", "return 'a.b'.replace('.', '$0$1')", "return 'abc'.replace('', %s)", "return 'aaa'.replaceAll('', %s)", "return 'a-b'.split('-', %s).join('+')", "return 'abc'.at(%s) + 'abc'.charAt(%s)", "return 'abc'.substring(%s, %s)", "return 'abc'.substr(%s, %s)", "return 'abc'.slice(%s, %s)", "return 'ab'.padStart(%s, %s)", "return 'ab'.padEnd(%s, %s)", "return 'ab'.repeat(%s)", "return 'abc'[%s]", "return ' a '.trim(%s).concat(%s, %s)", "return (25).toString(%s)", "return (-255).toString(%s)", "return (%s).toString(%s)", "return Number(%s).toFixed(%s)", "return parseInt(%s, %s) + parseFloat(%s)", "return void %s", "return typeof %s + typeof undefinedName", "return -%s + +%s", "return [%s] + {}", "return [%s] == %s", "return new String(%s) + 'x'", "return new Number(%s) + 1", "return Object(%s) + 'x'", "return Boolean(%s) + 'x'", "return (%s)?.length", "return (%s)?.[0]?.[0]", "return (%s)?.a.b", "return encodeURIComponent(%s) + escape(%s)", "return Buffer.from(%s, %s).toString(%s)", "return Buffer.from(%s).toString('utf8', 1)", "return Buffer.concat([Buffer.from(%s), Buffer.from('b')]).toString()", "return String(Buffer.from(%s).slice(1))", "const b = Buffer.from('abc'); b[0] = 120; return b.toString()", "const b = Buffer.from('abc'); b.fill(%s); return '' + b", "return new URL('a/../b', 'http://h/c/').href", "return String(Symbol(%s).description)", "return (function () { return typeof this })()", "return (function () { 'use strict'; return this })()", "return (function () { return this + 'x' }).call(%s)", "return [].concat(%s, [%s]).join()", "return Math.max(%s, %s)", "return Math.max() + Math.round(-0.5) + Math.min(%s)",
		"function* g() { yield %s; yield %s } return [...g()].join()", "function* g() { const x = yield 'a'; yield x } const i = g(); i.next(); return i.next(%s).value", "function* g() { return %s } return [...g()].join() + g().next().value", "function* g() { yield* [%s, , 'b'] } const [a, b] = g(); return a + b", "const i = ['a'][Symbol.iterator](); return i.next().value + i.next().value", "const o = { *[Symbol.iterator]() { yield %s } }; return [...o] + o[0]",
	}
)

// foldedTemplate is a template with what only comes inside of one.
func foldedTemplate(r *rand.Rand) string {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	fill := func(s string) string {
		for strings.Contains(s, "%s") {
			in := "(" + foldedExpression(r, r.IntN(2)) + ")"
			if r.IntN(3) == 0 {
				in = strings.ReplaceAll(pick(foldedLists), "%s", pick(foldedTexts))
			}
			s = strings.Replace(s, "%s", strings.ReplaceAll(in, "%", "\x25"), 1)
		}
		return s
	}
	if r.IntN(3) > 0 {
		return "`${(() => { " + fill(pick(foldedPrograms)) + " })()}`"
	}
	args := make([]string, r.IntN(4))
	for i := range args {
		args[i] = fill("%s")
	}
	return fmt.Sprintf("`${%s.%s(%s)}`", fill(pick(foldedLists)), pick(foldedListMethods), strings.Join(args, ","))
}

// foldedExpression makes one of depth.
func foldedExpression(r *rand.Rand, depth int) string {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	if depth == 0 {
		if r.IntN(2) == 0 {
			return pick(foldedTexts)
		}
		return pick(foldedNumbers)
	}
	in := func() string { return "(" + foldedExpression(r, r.IntN(depth)) + ")" }
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf(pick(foldedUnary), in())
	case 1:
		return fmt.Sprintf(pick(foldedBinary), in(), in())
	case 2:
		return fmt.Sprintf("%s[%s]", in(), in())
	}
	args := make([]string, r.IntN(3))
	for i := range args {
		args[i] = in()
	}
	return fmt.Sprintf("%s.%s(%s)", in(), pick(foldedMethods), strings.Join(args, ","))
}

// TestFoldsAreNodes makes expressions of constants: what the analysis takes one for is
// what Node makes of it. FUZZ_PROGRAMS=100000 makes it a long search; SEED repeats one.
func TestFoldsAreNodes(t *testing.T) {
	node := analyzetest.StartScript(t, foldsScript)
	a := analyze.New(Reader())
	seed := environmentNumber(t, "SEED", 1)
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	known := 0
	for round := environmentNumber(t, "FUZZ_PROGRAMS", 4000) / 200; round > 0; round-- {
		expressions := make([]string, 200)
		for i := range expressions {
			switch expressions[i] = foldedExpression(r, 1+r.IntN(3)); i % 4 {
			case 0:
				expressions[i] = "`${" + expressions[i] + "}`"
			case 1, 2:
				expressions[i] = foldedTemplate(r)
			}
		}
		line, err := json.Marshal(expressions)
		if err != nil {
			t.Fatal(err)
		}
		var answers []*string
		if err := json.Unmarshal(node.Tell(t, line), &answers); err != nil {
			t.Fatal(err)
		}
		for i, e := range expressions {
			if answers[i] == nil || len(*answers[i]) > 1000 {
				continue // it throws, or is cut in the facts
			}
			if i%4 == 3 && slices.Contains([]string{"null", "true", "false"}, *answers[i]) {
				continue // which facts leave out beside others, because they name nothing
			}
			src, err := a.Canonical(analyze.JavaScript, analyze.Script, []byte("fetch("+e+")"))
			if err != nil {
				continue
			}
			f, err := a.Facts(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range f.Uses["globalThis.fetch"] {
				if len(u.Args) == 0 || !u.Args[0].Known {
					continue
				}
				known++
				var value strings.Builder
				encoder := json.NewEncoder(&value)
				encoder.SetEscapeHTML(false)
				if err := encoder.Encode(u.Args[0].Value); err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(value.String()); got != *answers[i] && !slices.Contains([]string{"-0", "0"}, *answers[i]) {
					t.Errorf("%s is %s, not %s", e, *answers[i], got)
				}
			}
		}
	}
	if known < 100 {
		t.Errorf("only %d were known", known)
	}
	t.Logf("%d known", known)
}
