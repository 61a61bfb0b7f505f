package javascript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
	"sallyport/internal/yardstick"
)

// TestJavaScriptResolves attacks the resolution one step at a time: what each
// program mentions, and only that, must come out.
func TestJavaScriptResolves(t *testing.T) {
	for _, tt := range []struct {
		code string
		want string // names without console, space separated
		miss string // a name that must not be there
	}{
		{"const {a: {b: c = 1} = {}} = require('fs')", "node:fs.a node:fs.a.b", ""},
		{"require('fs').promises.readFile", "node:fs.promises node:fs/promises.readFile", ""},
		{"require('path').posix.join()", "node:path.posix node:path/posix.join", ""},
		{"require('./lib').go(); require('lodash/fp').map()", "./lib.go lodash/fp.map", ""},
		{"import d, {x as y} from 'pkg'; d.run(y)", "pkg.run pkg.x", "pkg"},
		{"export {run as walk} from 'pkg'", "pkg.run", ""},
		{"process.env.HOME", "globalThis.process.env globalThis.process.env.HOME", "globalThis.process"},
		{"const p = process; p.env", "globalThis.process globalThis.process.env", ""},
		{"throw {a: [process]}", "globalThis.process globalThis.process.env", ""},
		{"Promise.reject({process})", "globalThis.Promise.reject globalThis.process globalThis.process.env", ""},
		{"const f = () => 1; f.a = process; console.log(f)", "globalThis.process globalThis.process.env", ""},
		{"console.log({a: {b: {c: {d: {e: {f: process}}}}}})", "globalThis.process globalThis.process.env", ""},
		{"console.log([new Map([[1, process]])])", "globalThis.Map globalThis.process globalThis.process.env", ""},
		{"throw {a: [process.pid]}", "globalThis.process.pid", "globalThis.process.env"},
		{"new Function('return 1')", "globalThis.Function", ""},
		{"eval?.('1')", "globalThis.eval", ""},
		{"typeof eval; typeof process", "", "globalThis.eval"},
		{"x instanceof Function", "globalThis.x", "globalThis.Function"},
		{"require.main === module", "globalThis.require.main", "globalThis.module"},
		{"function eval(x) { return x } eval('1')", "", "globalThis.eval"},
		{"const fetch = u => u; fetch('x')", "", "globalThis.fetch"},
		{"(function (process) { process.kill() })({kill() {}})", "", "globalThis.process.kill"},
		{"class A { eval() {} go() { this.eval() } } new A().go()", "", "globalThis.eval"},
		{"const db = {exec() {}}; db.exec('select')", "", "node:child_process.exec"},
		{"var require; require('fs').rmSync('x')", "node:fs.rmSync", ""},
		{"let require = s => s; require('fs')", "", "node:fs"},
		{"'use strict'; { function eval() {} } eval('1')", "globalThis.eval", ""},
		{"(function (a = eval('1')) { var eval = 1 })()", "globalThis.eval", ""},
		{"class A { [eval('1')](eval) {} }", "globalThis.eval", ""},
		{"label: for (;;) { break label }", "", "globalThis.label"},
		{"(() => this)().x", "", "globalThis.x"},
		{"(function () { return this })().process.kill(1)", "globalThis globalThis.process.kill", ""},
		{"const o = {f() { return this.g }, g: require('fs').rmSync}; o.f()()", "node:fs.rmSync", ""},
		{"const s = 'e' + 'val'; globalThis[s]('1')", "globalThis.eval", ""},
		{"with (Math) { max(1) }", "globalThis.Math.max globalThis.max", ""},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		names := slices.DeleteFunc(slices.Clone(f.Names), func(s string) bool { return strings.HasPrefix(s, "globalThis.console") })
		if got := strings.Join(names, " "); got != tt.want && (tt.want != "" || tt.miss == "") {
			t.Errorf("%s:\n got %s\nwant %s", tt.code, got, tt.want)
		}
		if tt.miss != "" && slices.Contains(f.Names, tt.miss) {
			t.Errorf("%s: %s is not mentioned", tt.code, tt.miss)
		}
	}
}

// TestJavaScriptFolds: each expression names the module that is loaded.
func TestJavaScriptFolds(t *testing.T) {
	for _, expression := range []string{
		`'child' + "_process"`, "`child_${'process'}`", `'\x63hild\u005fprocess'`, `'\u{63}hild\137process'`, "'child_\\\nprocess'",
		`['child', 'process'].join('_')`, `'ssecorp_dlihc'.split('').reverse().join('')`, `[...'ssecorp_dlihc'].reverse().join('') && 'child_process'`,
		`atob('Y2hpbGRfcHJvY2Vzcw==')`, `Buffer.from('6368696c645f70726f63657373', 'hex').toString()`, `String(Buffer.from('Y2hpbGRfcHJvY2Vzcw', 'base64'))`,
		`String.fromCharCode(99, 104, 105, 108, 100) + '_process'`, `decodeURIComponent('%63hild_process')`, `'CHILD_PROCESS'.toLowerCase()`,
		`'xchild_processx'.slice(1, -1)`, `'xchild_process'.substring(1)`, `'child-process'.replace('-', '_')`, `'chilXd_process'.replace(/X/, '')`,
		`'child_process'.concat('')`, `'child_' + 'process'.trim()`, `JSON.parse('"child_process"')`, `(0, 'child_process')`, `(true ? 'child_process' : '')`,
		`'child_' + ['process']`, `Object.keys({child_process: 1})[0]`, `/child_process/.source`, `'child_proces' + (28).toString(36)`,
		`['a', 'child_process'].at(-1)`, `((a, b) => a + b)('child_', 'process')`, `(x => x)('child_process')`, `[0x63].map(c => 1) && 'child_process'`,
		`'child_process'[0] + 'hild_process'`, `(![] + [])[1] && 'child_process'`, `String.raw` + "`child_process`", `'a_child_process'.split('a_')[1]`,
	} {
		f := analyzetest.Facts(t, Reader(), "require("+expression+")")
		if !slices.Contains(f.Imports, "node:child_process") {
			t.Errorf("%s: imports %q, dynamic %v", expression, f.Imports, f.Dynamic)
		}
	}
}

func TestJavaScriptDynamic(t *testing.T) {
	for _, tt := range []struct{ code, kind string }{
		{"require(process.argv[2])", analyze.DynamicImport},
		{"import(x)", analyze.DynamicImport},
		{"let s = 'a'; s = s + s; require(s + x)", analyze.DynamicImport},
		{"eval(x)", analyze.DynamicCode},
		{"new Function(x)", analyze.DynamicCode},
		{"setTimeout('x()', 1)", analyze.DynamicCode},
		{"require('vm').runInThisContext(x)", analyze.DynamicCode},
		{"eval('eval(\"eval(\\'eval(`1`)\\')\")')", analyze.DynamicCode},
		{"require('fs')[x]()", analyze.DynamicMember},
		{"for (const k in require('fs')) require('fs')[k]", analyze.DynamicMember},
		{"globalThis[x]", analyze.DynamicMember},
		{"Object.values(require('child_process'))", analyze.DynamicMember},
		{"unknown(require('fs'))", analyze.DynamicMember},
		{"({...process})", analyze.DynamicMember},
		{"x => x.constructor('return 1')()", analyze.DynamicSubclass},
		{"({constructor: c}) => c('1')", analyze.DynamicSubclass},
		{"x => x.constructor.call(0, 'code')", analyze.DynamicSubclass},
		{"x[a][b]('code')()", analyze.DynamicComputed},
		{"(() => 1)[a]('code')()", analyze.DynamicComputed},
		{"const f = x[a][b]('code'); setTimeout(f)", analyze.DynamicComputed},
		{"x[a][b]('code')", analyze.DynamicClass},
		{"x[a]('y')('code')", analyze.DynamicClass},
		{"(o => { o[k] = x[a][b]('code'); o[l]() })({})", analyze.DynamicClass},
		{"with (x) { y }", analyze.DynamicNamespace},
		{"const f = function () { return this }; f()", analyze.DynamicNamespace},
		{"Array.prototype.map = 1", analyze.DynamicPatch},
		{"require('fs').readFileSync = 1", analyze.DynamicPatch},
		{"JSON = 1", analyze.DynamicPatch},
		{"delete require.cache[x]", analyze.DynamicPatch},
		{"Object.defineProperty(Object.prototype, 'x', {value: 1})", analyze.DynamicPatch},
		{"Error.prepareStackTrace = 1", analyze.DynamicPatch},
		{"export * from 'fs'", analyze.DynamicStar},
		{"var await = 1, g; await /x/g", analyze.DynamicAwait},
		{"function f() { var yield_; yield /x/g }", analyze.DynamicAwait},
		{"class A { x = await /x/g }", analyze.DynamicAwait},
		{"async function f() { return () => await /x/g }", analyze.DynamicAwait},
	} {
		f := readScript(t, tt.code)
		if len(f.Dynamic[tt.kind]) == 0 {
			t.Errorf("%s: dynamic %v, want %s", tt.code, f.Dynamic, tt.kind)
		}
	}
}

// TestJavaScriptGuesses holds that a call of something unknown counts as one of a member by two
// unknown names where a member of a function went away, and as no more than a guess, which
// strict alone denies, where a member of other things did: classes keep what they call under
// symbols, and functions have tables.
func TestJavaScriptGuesses(t *testing.T) {
	const calls = "module.exports = (store, f) => { store(%s); f(1)(2) }"
	for _, tt := range []struct {
		code   string
		surely bool
	}{
		{"(() => 1)[k]", true},
		{"Object.assign(() => 1, { a: f })[k]", false},
		{"table[row][column]", false},
		{"this[kFlush]", false},
		{"items[name]", false},
	} {
		f := readScript(t, fmt.Sprintf(calls, tt.code))
		if surely := len(f.Dynamic[analyze.DynamicComputed]) > 0; surely != tt.surely || len(f.Dynamic[analyze.DynamicClass]) == 0 && !surely {
			t.Errorf("%s: dynamic %v", tt.code, f.Dynamic)
		}
	}
}

// TestJavaScriptEnds holds that the rounds come to an end with steps to spare where a program is
// ordinary, if long, and where it follows a member of something from the outside.
func TestJavaScriptEnds(t *testing.T) {
	if f := analyseJavaScript(t, analyze.New(Reader()), ordinaryJavaScript(t, 250<<10)); !f.Complete {
		t.Errorf("250 KB of ordinary programs: %v", f.Syntax)
	}
	branches := strings.Repeat("if ("+strings.Repeat("f && ", 200)+"f) ", 60) // each of which is asked once what it sees missing
	if f := readScript(t, "const f = x => x; "+branches+"{ "+strings.Repeat("Map.at = f; ", 3000)+"}"); len(f.Dynamic[analyze.DynamicPatch]) != 3000 {
		t.Errorf("%d of 3000 methods that are replaced", len(f.Dynamic[analyze.DynamicPatch]))
	}
	f := readScript(t, "let x = process.first; for (;;) { x = x.next; x = x.last }")
	for _, name := range f.Names {
		if strings.Count(name, ".next") > 3 {
			t.Errorf("a name that goes on: %s", name)
		}
	}
}

// readScript is facts with the goal Script.
func readScript(t *testing.T, code string) analyze.Facts {
	t.Helper()
	_, f, ok := readable(t, analyze.New(Reader()), analyze.Script, []byte(code))
	if !ok {
		t.Errorf("%s: %v", code, f.Syntax)
	}
	return f
}

// TestJavaScriptStaticAccessor holds that an accessor stays one whose words stand on lines of
// their own, where the grammar has a token for them.
func TestJavaScriptStaticAccessor(t *testing.T) {
	for _, code := range []string{"class A { static get x() { return process } } A.x.env", "class A { static\nget\nx() { return process } } A.x.env"} {
		if f := analyzetest.Facts(t, Reader(), code); f.Complete && !slices.Contains(f.Names, "globalThis.process.env") {
			t.Errorf("names %v: %q", f.Names, code)
		}
	}
}

func TestJavaScriptRefused(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"a\n\u00a0/b/g", ProblemSpace},
		{"a\u3000= 1", ProblemSpace},
		{"a\u200b = 1", ProblemSpace},
		{"var \u3164 = 1", ProblemSpace},
		{"<!-- x", ProblemHTMLComment},
		{"a<!--b", ProblemHTMLComment},
		{"a\n--> b", ProblemHTMLComment},
		{"/* \n */ --> b", ProblemHTMLComment},
		{"a\n`b`", ProblemSemicolon},
		{"f = a => {}\n/b//x\n/1/g", ProblemSemicolon},
		{"f = a => {}\n(b)", ProblemSemicolon},
		{"class A { get\nx() {} }", ProblemSemicolon},
		{"class A { set // a\nx(v) {} }", ProblemSemicolon},
		{"class A { static\nx = 1 }", ProblemSemicolon},
		{"class A { static\n#x() {} }", ProblemSemicolon},
		{"class A { static get /*\n*/ x() {} }", ProblemSemicolon},
		{"a++\n(b)", ProblemSemicolon},
		{"a.b--\n[c]", ProblemSemicolon},
		{"a++ /* b */ /*\n*/ (c)", ProblemSemicolon},
		{"of--/*\n*/`a`", ProblemSemicolon},
		{"{ a: 1 } (b)(c)", ProblemSemicolon},
		{"{ a: b /*\n*/ } `c`", ProblemSemicolon},
		{"async/*\n*/a => a", ProblemSemicolon},
		{"async /* b */ /*\n*/ /* c */ a => a", ProblemSemicolon},
		{"a()/*\n*/++\nb", ProblemSemicolon},
		{"/a//*\n*/b(c)", ProblemSemicolon},
		{"/ /*a(b)*/.c/", ProblemSemicolon},
		{"if (a) let\nb = 1", ProblemSemicolon},
		{"while (a) let/*\n*/ b = 1", ProblemSemicolon},
		{"for (;;) let\nb = 1", ProblemSemicolon},
		{"let\na = 1", ProblemSemicolon},
		{"for (var a\nof\nb) c", ProblemSemicolon},
		{"for (a // b\nof // c\nd) e", ProblemSemicolon},
		{"for (a; b\nc) d", ProblemSemicolon},
		{"export default function () {}\n(a)(b)", ProblemSemicolon},
		{"export default async function () {}\n/a/g", ProblemSemicolon},
		{"export default class {}\n[a]", ProblemSemicolon},
		{"export\ndefault (a, b)", ProblemSemicolon},
		{"function f() { return\n(a) }", ProblemSemicolon},
		{"function f() { return\n+a }", ProblemSemicolon},
		{"() => { return\nin_ }", ProblemSemicolon},
		{"function* f() { a = yield\n[b] }", ProblemSemicolon},
		{"in_: for (;;) { break\nin_ }", ProblemSemicolon},
		{"in1: for (;;) { continue\nin1 }", ProblemSemicolon},
		{"class A { async\n[b]() {} }", ProblemSemicolon},
		{"async\nin_ => a", ProblemSemicolon},
		{"class A { static get\n*b() {} }", ProblemSemicolon},
		{"new new a().b()", ProblemTag},
		{"new new a(b)[c]", ProblemTag},
		{"new a`b`", ProblemTag},
		{"new a.b`c`.d()", ProblemTag},
		{"let a; 010.\na = 1", ProblemNumber},
		{"function f() { 07.\nreturn\na }", ProblemNumber},
		{"a(-07.e1)", ProblemNumber},
		{"a = 0777.E-1", ProblemNumber},
		{"a = 01. in\nb", ProblemNumber},
		{"07. /* b\n */ c", ProblemNumber},
		{"class A { b = 01.\nc }", ProblemNumber},
		{"@d class A {}", ProblemDecorator},
		{"x = <a>b</a>", analyze.ProblemSyntax},
		{"\\u{20}a", ProblemEscape},
		{"if (", analyze.ProblemSyntax},
		{"a || b ?? c", analyze.ProblemSyntax},
		{"a ?? b && c", analyze.ProblemSyntax},
		{"-a ** b", analyze.ProblemSyntax},
		{"async () => await a ** b", analyze.ProblemSyntax},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		if f.Complete || !slices.ContainsFunc(f.Syntax, func(p analyze.Problem) bool { return p.Code == tt.want }) {
			t.Errorf("%q: complete %v, %v, want %s", tt.code, f.Complete, f.Syntax, tt.want)
		}
	}
	for _, code := range []string{
		"'\u00a0\u3000\u200b'", "`\u00a0${1}\u200d`", "// \u00a0 x", "/\u00a0/", "'<!--'; `-->`; /<!--/", "while (n --> 0) n", "a = 1 // -->", "/* <!-- */ a", "a = `\n-->`",
		"#!/usr/bin/env node\na", "x = {}\n;`t`", "a\n= b", "return\n`x`", "(a => {})(b)", "a => a / b", "class A { get; set; static; x() {} }",
		"a++\n;(b)", "a++\n--b", "a++ / b", "a-- ? b : c", "({ a: 1 }.b)", "a => ({})", "new a()`b`", "new (a`b`)", "a(/* b\n */ c, /* d\n */\n e /* f\n */)", "a // b\n/* c\n */ b",
		"/**\n * a\n */ function b() {}", "a = [ // b\n /* c\n */ d]", "/[/*]*/ /a", "if (a) b; else for (let c of d) c", "for (let a = 1;;) { let b = 2 }", "for (;;\n) a", "for (let a\n= 1 // b\n;\na\n; // c\na++) b", "for (const a of\nb) c", "export default function () {}\na", "export default class {}", "export default async function* a() {}\na", "export default (function () {}).name", "export default functions(a)", "const a = 1; export { a as default, a as if }; export { default } from 'fs'; export * as in from 'fs'; import { default as b, in as c } from 'fs'", "({ default: a, in: b }).in", "for (a /* b */; c /* d */; e) f", "({ let: 1 }).let", "a /* b\n */;",
		"class A { get = 1\nx() {} get\n}", "class A { async\nx() {} }", "class A { static get x() {} get y() {} static z }", "(() => {}) / a",
		"() => { return /* b */ a }", "() => { return\n; }", "function* f() { yield\n; yield*\na; yield }", "for (;;) { break\n; }", "class A { static async *x() {} async y() {} static get\nz() {} *\nw() {} }",
		"new new a()()", "new a.b().c", "new (new a().b)()",
		"a = [-(b ** 2), (-b) ** 2, 2 ** -b, b-- ** 2, (b ?? c) || d, b ?? (c && d), b ?? c ?? d]",
		"a = [010, 0, 0.5, 0., 0e1, 08.5, 09.e1, 019.\n, 0x1e1, 0o7, 1.e1, 10.5, 010\n.b, 00.e1, 1_0.5]", "0.\na = 1",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !f.Complete {
			t.Errorf("%q: %v", code, f.Syntax)
		}
	}
}

func TestJavaScriptGoal(t *testing.T) {
	for _, tt := range []struct {
		code string
		want analyze.Goal
	}{
		{"require('fs')", analyze.Script},
		{"await 1", analyze.Module},
		{"for await (const x of y) {}", analyze.Module},
		{"import.meta.url", analyze.Module},
		{"export const x = 1", analyze.Module},
		{"import 'fs'", analyze.Module},
		{"import('fs')", analyze.Script},
		{"async () => await 1", analyze.Script},
		{"class A { static { async () => await 1 } }", analyze.Script},
		{"'await 1; import x'", analyze.Script},
	} {
		if got := analyzetest.Facts(t, Reader(), tt.code).Goal; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.code, got, tt.want)
		}
	}
}

func TestJavaScriptUses(t *testing.T) {
	f := analyzetest.Facts(t, Reader(), "const {exec: run} = require('child_process');\nclass A { go() { run('ls', 5, null, x, ...y) } }\nnew A().go()")
	uses := f.Uses["node:child_process.exec"]
	if len(uses) != 2 {
		t.Fatalf("%+v", uses)
	}
	u := uses[1]
	if u.How != analyze.HowCall || u.Certainty != analyze.Exact || u.Scope != "A.go" || u.Span.Line != 2 || !u.Splat {
		t.Errorf("%+v", u)
	}
	want := []analyze.Arg{{Value: "ls", Known: true}, {Value: 5.0, Known: true}, {Known: true}, {}}
	if !slices.Equal(u.Args, want) {
		t.Errorf("args %+v, want %+v", u.Args, want)
	}
}

// TestJavaScriptBounds: hostile shapes end in facts or a refusal.
func TestJavaScriptBounds(t *testing.T) {
	const size = 200 << 10
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var spread strings.Builder
	spread.WriteString("var a={};")
	for i := range 3000 {
		fmt.Fprintf(&spread, "a={...a,k%d:()=>a[x]()};", i)
	}
	for name, code := range map[string]string{
		"parentheses": repeat("("), "members": "a" + repeat(".a"), "sum": `"x"` + repeat(`+"x"`), "brackets": repeat("["), "blocks": repeat("{"),
		"functions": repeat("function f(){"), "templates": repeat("`${"), "calls": "f" + repeat("()"), "arrows": repeat("a=>"), "unary": repeat("!") + "a",
		"concat": "let s='x';" + repeat("s+=s;"), "repeat": repeat("'x'.repeat(1e9).repeat(1e9);"), "classes": repeat("class A extends A{x=A}"),
		"spread": spread.String(), "objects": "x=[" + repeat("{a:1,b:f},") + "]", "switch": repeat("case 1:"), "regex": "/" + repeat("[") + "/",
		"many of a name": repeat("{let a;a=b;function f(){a()}}"), "many functions": "x=[" + repeat("()=>x,") + "]", "many methods": "class A{" + repeat("['m'](){}") + "}", "many parameters": "function f(" + repeat("{a},") + "){}f()",
		"copied members": "var k;" + strings.Repeat("for(k in o)o[k]=p[k];", 25_000),
	} {
		src, err := analyze.New(Reader()).Canonical(analyze.JavaScript, analyze.Script, []byte(code))
		if err != nil {
			continue
		}
		var f analyze.Facts
		yardstick.Within(t, 15*time.Second, name, func() { f, err = analyze.New(Reader()).Facts(t.Context(), src) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !f.Complete && len(f.Syntax) == 0 {
			t.Errorf("%s: incomplete without a reason", name)
		}
	}
}

// TestJavaScriptManyBound holds that a call counts for as many steps as there is to do, whatever calls it: functions that are
// bound to each other lead to millions of calls.
func TestJavaScriptManyBound(t *testing.T) {
	repeat := func(s string) string { return strings.Repeat(s, 300) }
	for name, code := range map[string]string{
		"called":      "let a=x=>x,b=x=>x,c=x=>x;" + repeat("a=a.bind(b,c);b=b.bind(a,a);c=c.bind(b,a);a(c);"),
		"constructed": "let a=x=>x,b=x=>x,c=x=>x;" + repeat("a=a.bind(b,c);b=b.bind(a,a);c=c.bind(b,a);new a(b);new b(c);"),
		"reflected":   "let a=x=>x,b=x=>x,c=x=>x,e;" + repeat("a=a.bind(b,c);b=Reflect.construct(a,[b]);c=b.bind(a,a);e=Reflect.construct(c,[a,b]);"),
	} {
		src, err := analyze.New(Reader()).Canonical(analyze.JavaScript, analyze.Script, []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		yardstick.Within(t, 5*time.Second, name, func() {
			if _, err := analyze.New(Reader()).Facts(t.Context(), src); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestJavaScriptHygiene(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"x = 1 // eslint-disable-line", analyze.OddSuppression},
		{"x = '" + strings.Repeat("word ", 300) + "'", analyze.OddLine},
		{"p\u0430yload = 1", analyze.OddScripts},
		{"a.p\u0430yload = 1", analyze.OddScripts},
		{`\u0061bc = 1`, analyze.OddSpelling},
		{"x = 'a\u200bb'", analyze.OddInvisible},
		{"/* a\u2060b */ x = 1", analyze.OddInvisible},
		{"x = `a\u200bb${y}`", analyze.OddInvisible},
		{"x = '" + strings.Repeat("QUJD", 80) + "'", analyze.OddBlob},
		{"x = `" + strings.Repeat("QUJD", 80) + "`", analyze.OddBlob},
	} {
		f := analyzetest.Facts(t, Reader(), tt.code)
		if !slices.ContainsFunc(f.Hygiene, func(p analyze.Problem) bool { return p.Code == tt.want && p.Span.Line > 0 }) {
			t.Errorf("%q: hygiene %v, want %s", tt.code, f.Hygiene, tt.want)
		}
		if !f.Complete {
			t.Errorf("%q: %v", tt.code, f.Syntax)
		}
	}
	for _, code := range []string{"größe = 1 // a comment", "имя = 'привет'", "x = '" + strings.Repeat("word ", 100) + "'", "x = `${'" + strings.Repeat("a b ", 90) + "'}`"} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Hygiene) > 0 {
			t.Errorf("%q: hygiene %v, want none", code, f.Hygiene)
		}
	}
}

// TestJavaScriptVariableOf holds that a variable of a loop may be called of, and is followed as any other.
func TestJavaScriptVariableOf(t *testing.T) {
	t.Parallel()
	for code, evaluates := range map[string]bool{
		"for (let of of [1]) console.log(of)":                         false,
		"for (const of of ['let of of', `var of of ${1}`]) of.trim()": false,
		"let of\nof = 1":                                                 false,
		"for (let of of [eval]) of('1')":                                 true,
		"for (var of of [(0, eval)]); of('1')":                           true,
		"for (const of of [2]); // let of of\neval('1')":                 true,
		"(async () => { for await (const of of [eval]) { of('1') } })()": true,
	} {
		f := readScript(t, code)
		if got := slices.Contains(f.Names, "globalThis.eval"); got != evaluates || !f.Complete {
			t.Errorf("evaluates %v, want %v, complete %v: %s", got, evaluates, f.Complete, code)
		}
	}
}
