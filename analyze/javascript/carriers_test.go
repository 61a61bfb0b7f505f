package javascript

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// carrier is a way for a value to go through code that the analysis does not see.
type carrier struct{ name, program string }

func carriers(t *testing.T) []carrier {
	t.Helper()
	raw, err := os.ReadFile("testdata/carriers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []carrier
	for line := range strings.Lines(string(raw)) {
		if name, program, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && !strings.HasPrefix(line, "//") {
			out = append(out, carrier{name, program})
		}
	}
	for _, way := range waysOf(t) {
		fill := strings.NewReplacer("{n}", "1")
		out = append(out, carrier{way.expression, fill.Replace(way.statements) + "\nconst x = " + fill.Replace(way.expression) + ";\n{use}"})
	}
	return out
}

// deniedByStrict are the kinds of Dynamic that pack strict denies, but for what the floor finds:
// that stops most of these programs whatever the rounds know, and floor_test.go is about it.
func deniedByStrict(f analyze.Facts) bool {
	for kind, spans := range f.Dynamic {
		if len(spans) > 0 && kind != analyze.DynamicMoved {
			return true
		}
	}
	return slices.ContainsFunc(f.Names, func(n string) bool {
		return n == "globalThis.Function" || strings.HasPrefix(n, "globalThis.Reflect") || n == "globalThis.Proxy" || n == "globalThis.WeakRef"
	}) || slices.ContainsFunc(f.Attrs, func(a string) bool {
		return slices.Contains([]string{"constructor", "__proto__", "defineProperties", "getPrototypeOf", "setPrototypeOf", "getOwnPropertyDescriptor", "species"}, a)
	})
}

// unknownKey is a program's beginning that makes a key of which nothing is known.
const unknownKey = "let k = ''; for (const p of JSON.parse('[\"con\",\"structor\"]').map(x => x)) k += p;\n"

// TestJavaScriptCarriers composes what is not fully known, where it goes and what
// is done with it, each with each: a program that does all three is denied by
// strict. The carriers are all the ways of flows.txt and carriers.txt.
func TestJavaScriptCarriers(t *testing.T) {
	sources := map[string]string{
		"member of a function":        "(() => 1)[k]",
		"member of a built-in":        "[].map[k]",
		"member of a member":          "''[k][k]",
		"member by a helper":          "(h => h[k])(() => 1)",
		"member destructured":         "(({ [k]: w }) => w)(() => 1)",
		"member of what nobody knows": "JSON.parse('[]')[k][k]",
	}
	sinks := map[string]string{
		"called":           "x('1')()",
		"constructed":      "new x('1')()",
		"by call":          "x.call(null, '1')()",
		"by apply":         "x.apply(null, ['1'])()",
		"by bind":          "x.bind(null, '1')()()",
		"as a callback":    "['1'].map(x)[0]()",
		"as a tag":         "x`1`()",
		"result scheduled": "setTimeout(x('1'))",
	}
	ledOutBy := map[string]string{ // what the program is handed, and how it leads out
		"process":       "console.log(x.env)",
		"globalThis":    "console.log(x.process.env)",
		"require":       "x('child_process').execSync('id')",
		"module":        "x.require('child_process').execSync('id')",
		"require('fs')": "x.writeFileSync('a', 'b')",
	}
	p := programs{t: t, analyzer: analyze.New(Reader())}
	for _, c := range carriers(t) {
		for from, v := range sources {
			for done, use := range sinks {
				p.judge(c, from, v, done, use)
			}
		}
		p.judge(c, "object that holds it", "({ held: (() => 1)[k] })", "member called", "x.held('1')()")
		p.judge(c, "key", "k", "as a name", "(() => 1)[x]('1')()")
		p.judge(c, "key", "k", "as a pattern", "(({ [x]: f }) => f('1')())(() => 1)")
		p.judge(c, "key", "k", "as a module", "require(x)")
		p.judge(c, "text", "k", "as code", "globalThis.setTimeout(`${x}`)")
		for v, use := range ledOutBy {
			p.judge(c, v, v, "used", use)
		}
	}
	t.Logf("%d programs", p.made)
}

// programs judges programs, each spelled in another way than the one before.
type programs struct {
	t        *testing.T
	analyzer *analyze.Analyzer
	made     int
}

func (p *programs) judge(c carrier, from, v, done, use string) {
	p.t.Helper()
	spellings := []string{"%s", "{ const y = x; %s }", "{ const [y] = [x]; %s }", "{ const { y } = { y: x }; %s }", "(y => { %s })(x)"}
	spelling := spellings[p.made%len(spellings)]
	p.made++
	if strings.Contains(spelling, "y") {
		use = regexp.MustCompile(`\bx\b`).ReplaceAllString(use, "y")
	}
	code := unknownKey + strings.NewReplacer("{v}", v, "{use}", strings.Replace(spelling, "%s", use, 1)).Replace(c.program)
	src, err := p.analyzer.Canonical(analyze.JavaScript, analyze.Script, []byte(code))
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", c.name, err, code)
	}
	f, err := p.analyzer.Facts(p.t.Context(), src)
	if err != nil {
		p.t.Fatal(err)
	}
	if !f.Complete {
		p.t.Errorf("%s: not complete: %v\n%s", c.name, f.Syntax, code)
	} else if !deniedByStrict(f) && !slices.ContainsFunc([]string{"environment", "process", "filesystem.write"}, func(c string) bool { return shows(f, c) }) {
		p.t.Errorf("%s, %s, %s is seen by nobody:\n%s", from, c.name, done, code)
	}
}

// TestJavaScriptCarriersOfNothing holds that the carriers accuse nobody.
func TestJavaScriptCarriersOfNothing(t *testing.T) {
	raw, err := os.ReadFile("testdata/carriers.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		name, program, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "//") || strings.Contains(line, "Object.defineProperty") {
			continue
		}
		code := strings.NewReplacer("{v}", "'text'", "{use}", "console.log(x.length)").Replace(program)
		if f := analyzetest.Facts(t, Reader(), code); deniedByStrict(f) {
			t.Errorf("%s: dynamic %v, attributes %v\n%s", name, f.Dynamic, f.Attrs, code)
		}
	}
}

// TestJavaScriptStreams holds that a standard stream which went where it is not followed
// is not told to connect by a member of which the name is not known: called on the spot,
// or kept and called later.
func TestJavaScriptStreams(t *testing.T) {
	connects := func(code string) bool {
		f := analyzetest.Facts(t, Reader(), unknownKey+"Promise.resolve(process.stdin).then(s => { s.destroy();\n"+code+"\n});")
		return slices.Contains(f.Names, "globalThis.process.stdin.connect")
	}
	for _, code := range []string{
		"s[k](80)",
		"s?.[k](80)",
		"const f = s[k]; f.call(s, 80)",
		"const f = s[k]; f.apply(s, [80])",
		"const f = s[k].bind(s); f(80)",
		"setTimeout(s[k].bind(s), 1, 80)",
		"const { [k]: f } = s; f.call(s, 80)",
		"const h = { f: s[k] }; h.f.call(s, 80)",
		"s.go = s[k]; s.go(80)",
		"const o = { __proto__: s, go: s[k] }; o.go(80)",
		"[80].forEach(s[k], s)",
		"[80].map(p => s[k].call(s, p))",
		"const e = new (require('events'))(); e.on('a', f => f.call(s, 80)); e.emit('a', s[k])",
		"Promise.resolve(s[k]).then(f => f.call(s, 80))",
		"class A { f = s[k] } new A().f.call(s, 80)",
		"Object.assign(s, { go: s[k] }); s.go(80)",
		"require('util').promisify(s[k]).call(s, 80)",
		"const m = new Map([[1, s[k]]]); m.get(1).call(s, 80)",
		"function* g() { yield s[k] } for (const f of g()) f.call(s, 80)",
		"let f; for (f of [s[k]]); queueMicrotask(() => f.call(s, 80))",
	} {
		if !connects(code) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const data = JSON.parse('{}'); console.log(data[k])",
		"const data = JSON.parse('{}'); const x = data[k]; console.log(x + 1)",
		"class A { constructor(h) { this.h = h } run(l) { const h = this.h[l]; if (h) h(1) } } new A({ a: () => 1 }).run(k)",
		"const h = { a: () => 1 }; module.exports = h; const f = h[k]; f(1); f.call(null, 1)",
		"function debounce(f) { return (...a) => f.apply(this, a) } const data = JSON.parse('{}'); console.log(data[k]); debounce(x => x)(1)",
		"const table = JSON.parse('{}'), row = table[k]; row.forEach(x => console.log(x[k]))",
		"s.on('data', d => console.log(String(d)))",
	} {
		if connects(code) {
			t.Errorf("connects: %s", code)
		}
	}
}

// TestJavaScriptStreamsOfConsole holds that a member of the console whose name is not known is seen to be one of its
// streams, which may be a socket, wherever it goes; and that it logs.
func TestJavaScriptStreamsOfConsole(t *testing.T) {
	t.Parallel()
	streams := func(code string) bool {
		f := analyzetest.Facts(t, Reader(), unknownKey+code)
		return len(f.Dynamic[analyze.DynamicClass]) > 0 || slices.ContainsFunc(f.Names, func(name string) bool {
			return strings.HasPrefix(name, "globalThis.process.std") && (strings.HasSuffix(name, ".connect") || strings.HasSuffix(name, "._writev"))
		})
	}
	for _, code := range []string{
		"console[k].connect(80)",
		"console[k]._writev([], () => 1)",
		"const { [k]: s } = console; s.connect(80)",
		"const { connect } = console[k]; connect.call(console[k], 80)",
		"console[k].on('error', () => 1).connect(80)",
		"const f = (o, n) => o[n]; f(console, k).connect(80)",
		"class A { constructor(c) { this.c = c } f(n) { return this.c[n] } } new A(console).f(k).connect(80)",
		"Object.create(console)[k].connect(80)",
		"Promise.resolve(console[k]).then(s => s.connect(80))",
		"const e = new (require('events'))(); e.on('a', c => c[k].connect(80)); e.emit('a', console)",
		"require('console')[k].connect(80)",
		"import('console').then(c => c[k].connect(80))",
		"import('console').then(({ _stdout: s }) => s.connect(80))",
		"import('console').then(c => c.default._stderr.connect(80))",
		"import('console').finally(() => 1).then(c => c.default.console._stderr.connect(80))",
		"(async () => { const { default: c } = await import('node:console'); c._stdout.connect(80) })()",
	} {
		if !streams(code) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"console[k]('a'); const log = console[k].bind(console); log('b'); ['c'].forEach(console[k])",
		"const o = JSON.parse(k); console[o.level](o.text); o.list.forEach(x => console[x.level](x.text))",
		"class Db { connect() { return 1 } } const db = new Db(); console[k](db.connect())",
		"class Db { async connect() { return this } } (async () => { const db = await new Db().connect(); console[k](db) })()",
		"import('console').then(c => c.log(1)); import('console').then(({ log }) => log(k)).catch(console.error)",
	} {
		if streams(code) {
			t.Errorf("seen: %s", code)
		}
	}
	f := analyzetest.Facts(t, Reader(), unknownKey+"const { Client } = require('pg'); const db = new Client(); db.connect().then(() => console[k](db), console.error)")
	if slices.Contains(f.Names, connectOfStream) { // which baseline denies
		t.Errorf("a database: %v", f.Names)
	}
}

// TestJavaScriptMembersOfMembers holds that a member of which the name is not known, of what an
// object of objects has under such a name, counts as what makes code.
func TestJavaScriptMembersOfMembers(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"const o = { a: { b: 1 } }; o[k][k]('1')",
		"const o = { a: { b: { c: 1 } } }; const { [k]: { [k]: f } } = o; new f('1')",
		"const o = { a: { b: [] } }, f = o[k]; setTimeout(() => f[k]('1'))",
		"const o = { a: { b() { return 1 } } }; o[k][k]`1`",
		"const o = { a: /a/ }; o[k][k]('1')",
		"class A { a = { b: 1 } } new A()[k][k].call(null, '1')",
		"const s = structuredClone([1]); class A { length = 0; go = s[k] } new A().go()",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody, dynamic %v: %s", f.Dynamic, code)
		}
	}
	for _, code := range []string{
		"const o = { a: { b: 1 } }; console.log(o[k][k] + 1, o[k].b, Object.keys(o[k]))",
		"const o = { a: { b: 'c' } }; module.exports = { text: (l, n) => o[l][n] }; module.exports.each = (l, f) => l.map(y => f(y))",
		"const o = { a: { run: y => y } }; console.log(o[k].run(1)); Promise.resolve(o[k]).then(h => h.run(1))",
		"const o = { a: { run() { return this.n }, n: 1 } }; o[k].run(); o[k].n = 2; Object.assign(o[k], { m: 1 })",
		"const o = { a: { name: 'node:path' } }; require(o[k].name)",
		"const o = { a: [[1, 2]], b: new Map() }; for (const l of o[k]) for (const n of l) console.log(n)",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); deniedByStrict(f) {
			t.Errorf("dynamic %v, attributes %v: %s", f.Dynamic, f.Attrs, code)
		}
	}
}

// TestJavaScriptMembersOfFunctions holds that a member of a function of which the name is not
// known counts as what makes code, and that what is no function keeps its members.
func TestJavaScriptMembersOfFunctions(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"Math.floor[k]('1')",
		"new Number[k]('1')",
		"Math.floor[k]`1`",
		"Math.floor[k].call(null, '1')",
		"const { [k]: f } = parseInt; f('1')",
		"require('assert')[k]('1')",
		"require('events')[k]('1')",
		"require('path').join[k]('1')",
		"class A extends Math.floor[k] {} new A('1')",
		"Reflect.construct(Math.floor[k], ['1'])",
		"[1].map(['1'].map(Math.floor[k])[0])",
		"const o = {}; o[k + 'a'] = () => 1; +{ valueOf: o[k]('1') }",
		"class B { constructor() { return () => 1 } } class A extends B {} A[k + 'a'] = (() => 1)[k]; new A('1')()",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody, dynamic %v: %s", f.Dynamic, code)
		}
	}
	for _, code := range []string{
		"console.log(Number[k])",
		"console.log(Math[k](1), JSON[k]('1'), 'a'[k](1), [1][k](1))",
		"console[k]('a'); require('path')[k]('a'); require('util').types",
		"const o = { [k]: x => x }; console.log(o[k](1), o[k + 'a'](1))",
		"const i = [1].indexOf(1); console.log(Number[i], process.argv[i])",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
}

// TestJavaScriptFilesOpened holds that a member of which the name is not known, called where there
// are streams that read files, counts as the class of such a stream.
func TestJavaScriptFilesOpened(t *testing.T) {
	t.Parallel()
	opens := func(code string) bool {
		f := analyzetest.Facts(t, Reader(), unknownKey+"const s = require('fs').createReadStream('a');\n"+code)
		return slices.ContainsFunc(f.Uses["node:fs.ReadStream"], func(u analyze.Use) bool { return u.Splat })
	}
	for _, code := range []string{
		"new s[k]('b')",
		"s[k]('b')",
		"const C = s[k]; C('b')",
		"const { [k]: C } = s; new C('b')",
		"class R extends s[k] {} new R('b')",
		"s.once('open', function () { new this[k]('b') })",
		"Promise.resolve(s).then(o => new o[k]('b'))",
		"Promise.resolve(s[k]).then(C => new C('b'))",
	} {
		if !opens(code) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"s.on('data', d => console.log(String(d)))",
		"const h = { a: x => x }; s.on('data', d => h[k](d))",
		"const list = []; s.on('data', d => list.push(d)).on('end', () => console.log(list[list.length - 1]))",
	} {
		if opens(code) {
			t.Errorf("any file: %s", code)
		}
	}
}

// TestJavaScriptMayInherit holds that what is assigned to a member of which the name is not known
// may be what the object inherits from.
func TestJavaScriptMayInherit(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"const o = {}; o[k] = process; Object.keys(o.env)",
		"const o = { on: 1 }; o[k] = process; const { env } = o; Object.keys(env)",
		"class A { constructor() { this[k] = process } get() { return this.env } } Object.keys(new A().get())",
		"const o = {}; for (o[k] of [globalThis]); Object.keys(o.process.env)",
		"const o = Object.assign({}, { [k]: process }); Object.keys(o.env)",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !shows(f, "environment") {
			t.Errorf("seen by nobody: %s", code)
		}
	}
}

// TestJavaScriptResultsHandedOn holds that what a function gives that may be the one which
// makes code goes to nothing that is seen to call it.
func TestJavaScriptResultsHandedOn(t *testing.T) {
	facts := func(code string) analyze.Facts {
		return analyzetest.Facts(t, Reader(), unknownKey+"const e = new (require('events'))(); e.on('a', o => {\n"+code+"\n}); e.emit('a', { f: (() => 1)[k] });")
	}
	for _, code := range []string{
		"JSON.stringify({ toJSON: o.f('1') })",
		"const h = {}; h.toJSON = o.f('1'); JSON.stringify([h])",
		"console.log(`${{ [Symbol.toPrimitive]: o.f('1') }}`)",
		"new Promise(o.f('1'))",
		"'a'.replace('a', o.f('1'))",
		"JSON.stringify({ toJSON: (() => 1).call.call(o.f, null, '1') })",
		"JSON.stringify({ toJSON: (() => 1).call.bind(o.f)(null, '1') })",
		"new EventTarget().addEventListener('x', o.f('1'))",
		"new EventTarget().addEventListener('x', { handleEvent: o.f('1') })",
		"new (require('events'))().once('x', o.f('1')).emit('x')",
		"o[0] = o.f('1'); o[0]()",
		"o[0] = o.f('1'); const i = 0; o[i]()",
		"o.f('1')",
		"e.on('b', h => h.g('1')); e.on('c', ({ f }) => e.emit('b', { get g() { return f } })); e.emit('c', o)",
		"AbortSignal.abort(o).reason('1')",
		"Promise.allSettled([o]).then(l => { for (const s of l) s.value('1') })",
	} {
		if !deniedByStrict(facts(code)) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	if f := facts("console.log(o[0], o.list[1])"); deniedByStrict(f) {
		t.Errorf("dynamic %v", f.Dynamic)
	}
}

// TestJavaScriptResults holds the rows of results.txt, and that what they deny beyond calls of
// what two unknown keys lead to is denied by strict alone.
func TestJavaScriptResults(t *testing.T) {
	raw, err := os.ReadFile("testdata/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	bases := map[string]string{ // of which the first puts what may make code under a name that nobody knows
		"denied": "let n = ''; for (const p of JSON.parse('[\"m\",\"ap\"]').map(y => y)) n += p;\n" +
			"const e = new (require('events'))(), o = {}; o[n] = (() => 1)[k]; e.emit('a', o); e.on('a', o => { const r = o.map('1');\n",
		"passes": "const e = new (require('events'))(); e.emit('a', { f: y => y, h: (() => 1)[k] }); e.on('a', o => { const r = o.f('1');\n",
	}
	for line := range strings.Lines(string(raw)) {
		want, code, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "//") {
			continue
		}
		f := analyzetest.Facts(t, Reader(), unknownKey+bases[want]+code+"\n});")
		if deniedByStrict(f) != (want == "denied") {
			t.Errorf("is to be %s, dynamic %v: %s", want, f.Dynamic, code)
		}
	}
}

// TestJavaScriptAssignedByObject holds that Object.assign to what the language has is
// what assigning to each of its members is.
func TestJavaScriptAssignedByObject(t *testing.T) {
	for _, code := range []string{
		"Object.assign(Math, { floor: () => k })",
		"Object.assign(Math, { get floor() { return () => k } })",
		"Object.assign(Math, JSON.parse(process.argv[2]))",
		"Object.assign(Array.prototype, { indexOf: () => k })",
		"Math[k] = () => k",
		"console[k] = () => k",
		"Object[k](JSON, { parse: () => k })",
		"Object[k](String.prototype, 'trim', { value: () => k })",
		"Object[k].x = k",
		"String[k].trim = () => k",
		"Object.assign(Array[k], { indexOf: () => k })",
		"[Map[k]].forEach(p => { p.get = () => k })",
		"const { [k]: set } = Object; set(JSON, { parse: () => k })",
		"JSON.parse('{}')[k].assign(Error, { [k]: y => y })",
		"const { [k]: { assign } } = {}; assign(Error, { [k]: y => y })",
		"const o = { a: { b: 1 } }; o[k].defineProperty(Error, k, { value: y => y })",
		"const e = new (require('events'))(); e.on('a', o => Object.assign(o, { [k]: y => y })); e.emit('a', Error)",
		"const e = new (require('events'))(); e.on('a', o => Object.assign(o, Object.fromEntries([[k, y => y]]))); e.emit('a', Error)",
		"const e = new (require('events'))(); e.on('a', B => new (class extends B { [k] = y => y })()); e.emit('a', class { constructor() { return Error } })",
		"Promise.resolve(Object).then(o => o.assign(JSON, { parse: () => k }))",
		"Promise.resolve(Object).then(o => o.defineProperty(JSON, 'parse', { value: () => k }))",
		"Array.prototype.push.call(Object.prototype, k)",
		"[].push.call(Object.prototype, k)",
		"[].splice.apply(String.prototype, [0, 0, k])",
	} {
		f := analyzetest.Facts(t, Reader(), unknownKey+code)
		if len(f.Dynamic[analyze.DynamicPatch]) == 0 {
			t.Errorf("no patch: %s", code)
		}
	}
	for _, code := range []string{ // by whoever got both
		"const e = new (require('events'))(); e.on('a', Object.assign); e.emit('a', JSON, { parse: () => k })",
		"const e = new (require('events'))(); e.on('a', (O, E) => O.assign(E, { [k]: y => y })); e.emit('a', Object, Error)",
		"[Object].values().next().value.assign(Error, { [k]: y => y })",
		"performance.timerify(Object.defineProperty)(String.prototype, 'trim', { value: () => k })",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"Object.assign({}, Math)",
		"Object.assign(process, { exitCode: 1, title: 'a' })",
		"Object.assign(process.env, { NAME: 'a' })",
		"process.env[k] = 'a'",
		"Object.assign(module.exports, { floor: () => k })",
		"class A {} Object.assign(A.prototype, { floor: () => k })",
		"console.log(Object[k]({ a: 1 }))",
		"Promise.resolve({}).then(o => Object.assign(o, { parse: () => k })).then(o => o.assign({}, { a: 1 }))",
		"[].push.apply([], [k]); Array.prototype.push.call({}, k); [1].map(Math.floor)",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); len(f.Dynamic[analyze.DynamicPatch]) > 0 {
			t.Errorf("a patch: %s", code)
		}
	}
}

// TestJavaScriptTimed holds that what a timer calls is called with anything where a member of
// the timer is, of which the name is not known.
func TestJavaScriptTimed(t *testing.T) {
	reads := func(code string) bool {
		f := analyzetest.Facts(t, Reader(), unknownKey+"const fs = require('fs');\n"+code)
		return slices.ContainsFunc(f.Uses["node:fs.readFileSync"], func(u analyze.Use) bool {
			return u.How == analyze.HowCall && (len(u.Args) == 0 || !u.Args[0].Known)
		})
	}
	for _, code := range []string{
		"const t = setTimeout(p => fs.readFileSync(p), 1, 'a'); t[k](process.argv[2])",
		"const t = setInterval(function () { fs.readFileSync(arguments[0]) }, 1, 'a'); t[k](process.argv[2])",
		"const t = setImmediate((...p) => fs.readFileSync(p[0]), 'a'); const { [k]: f } = t; f(process.argv[2])",
		"const t = setTimeout(p => fs.readFileSync(p), 1, 'a'); Object.values(t).find(f => f.call)(process.argv[2])",
		"const t = setTimeout(p => fs.readFileSync(p), 1, 'a'); for (const n in t) t[n](process.argv[2])",
		"const t = { ...setTimeout(p => fs.readFileSync(p), 1, 'a') }; t[k](process.argv[2])",
		"const t = setTimeout((p => fs.readFileSync(p)).bind(null), 1, 'a'); t[k](process.argv[2])",
	} {
		if !reads(code) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const t = setTimeout(p => fs.readFileSync(p), 1, 'a'); clearTimeout(t)",
		"const t = setTimeout(p => fs.readFileSync(p), 1, 'a'); const o = JSON.parse('{}'); console.log(o.name, o[0])",
		"setTimeout(() => fs.readFileSync('a'), 1); const o = JSON.parse('{}'); o[k](process.argv[2])",
	} {
		if reads(code) {
			t.Errorf("any file: %s", code)
		}
	}
}

// TestJavaScriptSymbolKeys holds that keys are listed of objects that have only what the
// program put there; that strict alone judges those of what is not known; and that all do
// where that may be a stream of files, or where the object is one of the library's.
func TestJavaScriptSymbolKeys(t *testing.T) {
	kinds := func(code string) string {
		f := analyzetest.Facts(t, Reader(), code)
		return fmt.Sprint(len(f.Dynamic[analyze.DynamicMember]) > 0, len(f.Dynamic[analyze.DynamicAttribute]) > 0)
	}
	const ofLibrary, unknown, plain = "true false", "false true", "false false"
	lists := func(code, object, want string) {
		t.Helper()
		for _, by := range []string{"Reflect.ownKeys", "Object.getOwnPropertySymbols"} {
			if code := code + by + "(" + object + ")"; kinds(code) != want {
				t.Errorf("%s: %s, not %s", code, kinds(code), want)
			}
		}
	}
	for _, object := range []string{
		"process.stdin", "new (class extends require('events') {})()", "Map", "Blob.prototype", "(o => o)(process)",
	} {
		lists("", object, ofLibrary)
	}
	for _, object := range []string{
		"JSON.parse(process.argv[2])", "new (require('events'))()", "{ ...new (require('stream').Readable)() }",
		"Object.assign({}, setTimeout(() => 1))", "{ ...{ ...setTimeout(() => 1) } }",
		"Object.getOwnPropertyDescriptors(setTimeout(() => 1))", "Object.defineProperties({}, Object.getOwnPropertyDescriptors(setTimeout(() => 1)))",
		"(o => { require('events').call(o); return o })({})", "new Proxy(setTimeout(() => 1), {})", "(o => { require('events').once(o, 'a'); return o })({})",
	} {
		lists("", object, unknown)
		lists("require('fs');", object, ofLibrary)
	}
	for _, object := range []string{
		"{}", "{ [Symbol()]: 1 }", "{ [Symbol('a')]: 1, b: 2 }", "{ ...{ [Symbol()]: 1 }, ...undefined }", "Object.assign({}, { a: 1 })", "[1, 2]",
		"(o => { o[Symbol()] = 1; o.b = 2; return o })({})", "new (class { [Symbol()] = 1 })()", "Object.create(null)", "class { static [Symbol()] = 1 }",
	} {
		lists("", object, plain)
		lists("require('fs');", object, plain)
	}
}

// TestJavaScriptStreamMethods holds that what a stream takes for its methods is called as
// that, also in a script that is not strict, and what others take may be called without.
func TestJavaScriptStreamMethods(t *testing.T) {
	global := func(code string) bool {
		f := analyzetest.Facts(t, Reader(), "const stream = require('stream');\n"+code)
		return slices.ContainsFunc(f.Names, func(n string) bool { return n == "globalThis.push" || n == "globalThis.process.env" })
	}
	for _, code := range []string{
		"new stream.Readable({ read() { this.push(null) } })",
		"stream.Readable({ read: function () { this.push(null) } })",
		"new stream.Transform({ transform(c, e, cb) { this.push(c); cb() }, flush(cb) { this.push('a'); cb() } })",
		"new stream.Writable({ write(c, e, cb) { this.push = c; cb() }, final(cb) { this.push; cb() } })",
	} {
		if global(code) {
			t.Errorf("the global object: %s", code)
		}
	}
	for _, code := range []string{
		"new stream.Readable({ other() { this.process.env } })",
		"new stream.Readable().emit('a', { read() { this.process.env } })",
		"const read = function () { this.process.env }; new stream.Readable({ read }); read()",
		"const read = function () { this.process.env }; new stream.Readable({ read }); [1].map(read)",
		"const size = function () { this.process.env }; new stream.Readable({ read: size }); new ReadableStream({}, { size })",
		"new ReadableStream({}, { size() { this.process.env } })",
		"new stream.Readable({ read() { (function () { this.process.env })() } })",
		"const o = { read() { this.process.env } }; const { read } = o; new stream.Readable(o); read()",
	} {
		if !global(code) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
}

// TestJavaScriptListeners holds that what lists the handlers of an event is known for it
// wherever it goes: an object of the program's own may say which event is which.
func TestJavaScriptListeners(t *testing.T) {
	const emitter = "const e = new (require('node:events'))(); e[k] = () => 1;\n"
	for _, code := range []string{
		"e.listeners(k)[0]('return 42')()",
		"e.rawListeners.call(e, k)[0]('return 42')()",
		"const l = e.listeners.bind(e); for (const f of l(k)) f('return 42')()",
		"const { listeners } = e; for (const f of listeners.call(e, k)) f('return 42')()",
		"const l = e.listeners; const [f] = l.apply(e, [k]); f('return 42')()",
		"Promise.resolve(e.listeners).then(l => l.call(e, k)[0]('return 42')())",
		"const h = { l: e.rawListeners.bind(e) }; h.l(k).forEach(f => f('return 42')())",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+emitter+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"console.log(e.listeners('a').length)",
		"class S { constructor() { this.listeners = {} } on(n, f) { (this.listeners[n] ||= []).push(f) } emit(n, x) { for (const f of this.listeners[n] || []) f(x) } } const s = new S(); s.on('a', x => console.log(x)); s.emit('a', 1)",
		"const store = JSON.parse('{}'); store.listeners.push(1); console.log(store.listeners.length)",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+"const e = new (require('node:events'))();\n"+code); deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
}

// TestJavaScriptThis holds that a function which is given to the process or to a standard stream
// is called of it, and that a stream which pipes is handed to who listens for that.
func TestJavaScriptThis(t *testing.T) {
	for _, code := range []string{
		"process.on('exit', function () { {use} })",
		"process.once('a', function () { {use} }).emit('a')",
		"const on = process.on.bind(process); on('exit', function () { {use} })",
		"process.prependListener(...['exit', function () { {use} }])",
		"require('events').EventEmitter.prototype.on.call(process, 'exit', function () { {use} })",
		"class C { constructor() { process.on('exit', this.done) } done() { {use} } } new C()",
		"const e = new (require('events'))(); e.on('a', f => { process.on('exit', f) }); e.emit('a', function () { {use} })",
		"const e = new (require('events'))(); e.on('a', o => { process.on('exit', o.f) }); e.emit('a', { f() { {use} } })",
		"class A { f() { {use} } } class B extends A { g() { super['f']() } } process.on('exit', new B().g)",
		"const k = ['f']; class A { static f() { {use} } } class B extends A { static g() { super[k[0]]?.() } } process.on('exit', B.g)",
		"class A { get f() { {use} } } class B extends A { g() { super['f'].a } } process.on('exit', new B().g)",
		"const k = String(process.argv[2]); class A { get f() { {use} } } class B extends A { g() { super[k] } } process.on('exit', new B().g)",
	} {
		if f := analyzetest.Facts(t, Reader(), "'use strict';\n"+strings.Replace(code, "{use}", "const { env } = this; console.log(env)", 1)); !slices.Contains(f.Names, "globalThis.process.env") {
			t.Errorf("seen by nobody: %s", code)
		}
		if f := analyzetest.Facts(t, Reader(), "'use strict';\n"+strings.Replace(code, "{use}", "console.log(this.exitCode)", 1)); slices.Contains(f.Names, "globalThis.process.env") || deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
	for code, want := range map[string]bool{ // whether the listener may hand on or remember what it is called of
		"process.on('a', ''.replace)":                                                                                            true,
		"process.once('a', String.prototype.split)":                                                                              true,
		"process.on('a', [].push); process.on('b', [].forEach)":                                                                  true,
		"process.on('a', new Map([[1, ''.match]]).get(1))":                                                                       true,
		"process.on('a', ''[String(process.argv[2])])":                                                                           true,
		"process.on('a', new (require('stream').PassThrough)().pipe)":                                                            true,
		"process.on('a', require('util').deprecate(''.replace, 'b'))":                                                            true,
		"process.on('a', require('perf_hooks').performance.timerify([].concat))":                                                 true,
		"Promise.resolve(''.search).then(f => { process.addListener('a', f) })":                                                  true,
		"const { mock } = require('node:test'); process.on('a', mock.fn())":                                                      true,
		"require('node:test').test('b', t => { process.on('a', t.mock.fn()) })":                                                  true,
		"process.on('a', new (require('assert').CallTracker)().calls())":                                                         true,
		"process.on('exit', console.log).on('a', process.exit).on('b', () => 1)":                                                 false,
		"const f = JSON.parse(process.argv[2]); process.on('exit', f).on('a', f.g)":                                              false,
		"const { mock } = require('node:test'); mock.fn()(''.replace('a', 'b'), [1].map(f)); function f() {} process.on('a', f)": false,
	} {
		if f := analyzetest.Facts(t, Reader(), code); len(f.Dynamic[analyze.DynamicAttribute]) > 0 != want {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
	const streams = "'use strict'; const { PassThrough, Writable } = require('stream'); const w = new PassThrough();\n"
	for _, code := range []string{
		"process.stdin.on('data', function () { this.connect(80) })",
		"process.stdout.on('a', ''.replace).emit('a', { [Symbol.replace](s) { s.connect(80) } })",
		"const f = require('node:test').mock.fn(); process.stderr.on('a', f); f.mock.calls[0].this.connect(80)",
		"w.on('pipe', s => s.connect(80)); process.stdin.pipe(w)",
		"w.on('unpipe', ({ connect }) => connect.call(w, 80)); process.stdin.unpipe(w)",
		"class W extends Writable { emit(n, s) { if (n === 'pipe') s.connect(80); return super.emit(n, s) } } process.stdin.pipe(new W())",
		"require('events').once(w, 'pipe').then(([s]) => s.connect(80)); process.stdin.pipe(w)",
	} {
		if f := analyzetest.Facts(t, Reader(), streams+code); !slices.Contains(f.Names, "globalThis.process.stdin.connect") {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"process.stdin.on('data', function (d) { console.log(String(d)); this.pause() })",
		"const db = { connect: () => 1 }; process.stdin.pipe(w); w.on('data', d => console.log(String(d))); db.connect()",
		"process.stdin.setEncoding('utf8').on('data', d => console.log(d)); w.on('pipe', s => s.connect(80))",
	} {
		if f := analyzetest.Facts(t, Reader(), streams+code); slices.Contains(f.Names, "globalThis.process.stdin.connect") || deniedByStrict(f) {
			t.Errorf("names %v, dynamic %v: %s", f.Names, f.Dynamic, code)
		}
	}
}

// TestJavaScriptCalledLater holds that what newer objects of the language and Node's tests are given to call is called.
func TestJavaScriptCalledLater(t *testing.T) {
	for _, code := range []string{
		"new DisposableStack().adopt('1', JSON.parse(k)[k][k])",
		"new AsyncDisposableStack().defer(JSON.parse(k)[k][k])",
		"require('node:test')(t => t.waitFor(JSON.parse(k)[k][k]))",
		"process.finalization.register({}, JSON.parse(k)[k][k])",
		"require('events').once({ once: JSON.parse(k)[k][k] }, 'a')",
		"require('querystring').stringify({ a: 1 }, '&', '=', { encodeURIComponent: JSON.parse(k)[k][k] })",
		"require('util').styleText('red', 'a', { stream: { getColorDepth: JSON.parse(k)[k][k] } })",
		"new console.Console({ stdout: { listenerCount: JSON.parse(k)[k][k] } }).log('a')",
		"new (require('stream').PassThrough)().pipe({ on: JSON.parse(k)[k][k] })",
		"process.stdin.pipe({ once: JSON.parse(k)[k][k] })",
		"console.log({ [require('util').inspect.custom]: JSON.parse('{}')[k][k] })",
		"const h = {}; h[require('util').inspect.custom] = JSON.parse('{}')[k][k]; console.log(h)",
		"Promise.resolve({ get then() { return JSON.parse(k)[k][k] } })",
		"class A { get then() { return JSON.parse(k)[k][k] } } (async () => { await new A() })()",
		"JSON.stringify({ a: { get toJSON() { return JSON.parse(k)[k][k] } } })",
		"[{ get toString() { return JSON.parse('{}')[k][k] } }].join()",
		"Math.max({ valueOf: JSON.parse('{}')[k][k] })",
		"Date.prototype.toJSON.call({ valueOf() { return 1 }, toISOString: JSON.parse('{}')[k][k] })",
		"class P extends Promise { static resolve = JSON.parse('{}')[k][k] } P.race(['a'])",
		"class P extends Promise { static get resolve() { return JSON.parse('{}')[k][k] } } P.all(['a'])",
		"class A extends JSON.parse('{}')[k][k] {} Promise.resolve.call(A, 'a')",
		"const e = new (require('events'))({ captureRejections: true }); e[Symbol.for('nodejs.rejection')] = JSON.parse('{}')[k][k]",
		"class E extends require('events') { [Symbol.for('nodejs.rejection')] = JSON.parse('{}')[k][k] }",
		"process.stdin[Symbol.asyncIterator].call({ on: JSON.parse('{}')[k][k] })",
		"new Set(['a']).isSubsetOf({ size: 9, has: JSON.parse(k)[k][k], keys() {} })",
		"new Set(['a']).union({ size: 9, has() {}, keys: JSON.parse(k)[k][k] })",
		"const m = new Map(); m.has = JSON.parse(k)[k][k]; new Set(['a']).difference(m)",
		"new Set(['a']).intersection({ size: 9, get has() { return JSON.parse(k)[k][k] }, keys() {} })",
		"Array.of.call((() => 1)[k], 'a')",
		"Array.from.call(JSON.parse(k)[k][k], { length: 3 })",
		"Promise.all.apply(JSON.parse(k)[k][k], [[]])",
		"Uint8Array.of.call((() => 1)[k], 1)",
		"const f = Promise.resolve.bind((() => 1)[k]); f(1)",
		"[1].map(Array.of, (() => 1)[k])",
		"const { call } = Array.of, c = JSON.parse(k)[k][k]; call.call(Array.of, c, 'a')",
		"const c = JSON.parse(k)[k][k], f = Array.from.call.bind(Array.from); f(c, [1])",
		"Promise.try(({})[k][k], 'a')",
		"Promise.try.call(Promise, JSON.parse('{}')[k][k], 'a')",
		"require('assert').equal('a', 'b', JSON.parse(k)[k][k])",
		"require('assert')(0, JSON.parse(k)[k][k])",
		"const { strict: { ok, match } } = require('assert'); ok(0, JSON.parse(k)[k][k])",
		"require('assert/strict').match('a', /b/, JSON.parse(k)[k][k])",
		"console.dir({ b: 1, a: 2 }, { sorted: JSON.parse(k)[k][k] })",
		"new console.Console(process.stdout).dir({ b: 1, a: 2 }, { sorted: JSON.parse(k)[k][k] })",
		"require('util').formatWithOptions({ sorted: JSON.parse(k)[k][k] }, '%o', { b: 1, a: 2 })",
		"process.setUncaughtExceptionCaptureCallback(JSON.parse(k)[k][k])",
		"Promise.try(...[({})[k][k], 'a'])",
		"Promise.try((f, a) => f(a), ({})[k][k], 'a')",
		"require('querystring').parse('a', '&', '=', { get decodeURIComponent() { return ({})[k][k] } })",
		"require('querystring').parse('a', '&', '=', { [k]: ({})[k][k] })",
		"require('querystring').parse('a', '&', '=', { get [k]() { return ({})[k][k] } })",
		"require('querystring').parse('a', '&', '=', Object.create({ decodeURIComponent: ({})[k][k] }))",
		"require('querystring').parse('a', '&', '=', Object.fromEntries([['decodeURIComponent', ({})[k][k]]]))",
		"class A { decodeURIComponent = ({})[k][k] } class B extends A {} require('querystring').parse('a', '&', '=', new B())",
		"class A { get decodeURIComponent() { return this.a } a = ({})[k][k] } require('querystring').parse('a', '&', '=', new A())",
		"class A { static get decodeURIComponent() { return ({})[k][k] } } require('querystring').parse('a', '&', '=', A)",
		"const o = {}; Object.defineProperty(o, k, { get: () => ({})[k][k] }); require('querystring').parse('a', '&', '=', o)",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const s = new DisposableStack(); s.adopt(k, x => console.log(x)); s.defer(() => console.log(1)); s.dispose()",
		"const t = JSON.parse(k), assert = require('assert'); assert.deepEqual(t[k][k + 1], t[k + 1][k], 'a ' + k); assert(t[k][k], k); console.dir(t[k][k], { depth: 3 })",
		"const texts = { a: { b: 'c' } }; require('readline').createInterface({ input: process.stdin, prompt: texts[k][k + 1] })",
		"const o = JSON.parse(k); require('zlib').gzipSync('a', { level: o.levels[k] })",
		"const t = JSON.parse(k); class E extends Error { name = t[k][k + 1]; size = t[k][k] } class P extends Promise { static kind = t[k][k] } P.all([new E('a').message]); console.log('a'.replace('a', t[k][k]))",
		"const t = JSON.parse(k); console.log(String({ get toString() { return () => t[k][k] } })); Promise.resolve({ get then() { return undefined }, a: t[k][k] }); process.stdin.on('data', d => console.log(d, t[k][k]))",
		"const seen = new Set(JSON.parse(k)); console.log(seen.isSubsetOf(new Set(['a'])), seen.union({ size: 1, has: x => x === k, keys: () => [k].values() }).size)",
		"const kinds = { a: Array, b: Uint8Array }, C = kinds[k]; console.log(Array.from.call(C, [1]), C.from([2]), [1].map(Array.of, kinds), Promise.resolve.call(Promise, k))",
		"Promise.try(JSON.parse, '{}').then(o => console.log(o[k])); Promise.try(async n => n + 1, k).catch(e => console.log(e))",
		"class Query { constructor(o) { this.o = o } get max() { return this.o.max } get(n) { return this.o[n] } } require('querystring').parse('a', '&', '=', { get maxKeys() { return new Query({ max: 3 }).max } })",
		"const o = {}; for (const n of JSON.parse(k)) o[n] = n.length; require('querystring').parse('a', '&', '=', o); require('util').inspect({ a: 1 }, { ...o, depth: o[k] })",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
}

// TestJavaScriptTimers holds that what a timer calls may come back by the timer.
func TestJavaScriptTimers(t *testing.T) {
	for _, code := range []string{
		"const x = Object.values(setImmediate(require, 'fs')).find(f => f); x('child_process')",
		"const x = Object.values(setTimeout((() => 1)[k], 1)); x[0]('1')()",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const t = setTimeout(process.exit, 10, 1); t.unref(); clearTimeout(t)",
		"const timers = {}; timers[k] = setInterval(() => console.log(1), 10); clearInterval(timers[k])",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, code)
		}
	}
}

// TestJavaScriptTestsOfTests holds that what leads from a function of node:test to another, or
// to the module itself, is known.
func TestJavaScriptTestsOfTests(t *testing.T) {
	for code, name := range map[string]string{
		"const { it } = require('node:test'); it.run({ files: ['a'] })":                             "node:test.run",
		"const { mock } = require('node:test').test; mock.module('a')":                              "node:test.mock.module",
		"const t = require('node:test').it.describe.test.it; t.mock.method(process.stdin, 'a')":     "node:test.mock.method",
		"import { suite } from 'node:test'; suite.it('a', () => suite.mock.method(console, 'log'))": "node:test.mock.method",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, name) {
			t.Errorf("names %v: %s", f.Names, code)
		}
	}
	for _, code := range []string{
		"it.mock.method(() => 1, k)('return 42')()",
		"it.mock.method(Object.create(() => 1), k)('return 42')",
		"const { mock: m } = it; m.method.call(m, () => 1, k)('return 42')()",
		"const o = { ...it }; o.run({ files: ['a'] })",
		"const o = Object.assign({}, it); o[k]({ files: ['a'] })",
		"new Error('a', { cause: it }).cause.run({ files: ['a'] })",
		"function* g() { (yield).run({ files: ['a'] }) } const i = g(); i.next(); i.next(it)",
		"it[k].setResolveSnapshotPath(() => 'a')",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+"const { it } = require('node:test');\n"+code); !deniedByStrict(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	if f := analyzetest.Facts(t, Reader(), "const { it } = require('node:test'); it('a', t => { const f = t.mock.fn(() => 1); console.log(f(), f.mock.calls.length) }); it.skip('b')"); deniedByStrict(f) {
		t.Errorf("dynamic %v", f.Dynamic)
	}
}

// TestJavaScriptContextsOfTests holds that a member whose name is not known is seen to be what a test has to
// compare with, wherever what node:test gives a test has gone.
func TestJavaScriptContextsOfTests(t *testing.T) {
	t.Parallel()
	const modules = unknownKey + "const test = require('node:test'), { it, mock } = test;\n"
	for _, code := range []string{
		"test('a', t => t[k].fileSnapshot('a', '/b'))",
		"test(({ [k]: { snapshot } }) => snapshot('a'))",
		"test('a', function () { this[k].snapshot('a') })",
		"test('a', {}, t => Object.values(t[k])[20]('a', '/b'))",
		"it.only('a', (...l) => l[0][k].snapshot('a'))",
		"test.before(t => t[k].snapshot('a'))",
		"test('a', t => t.test('b', u => u[k].snapshot('a')))",
		"test('a', t => t.test.bind(t)(u => u[k].snapshot('a')))",
		"test('a', t => { t[k]('b', u => u[k].snapshot('a')) })",
		"it('a', (t => t[k].snapshot('a')).bind(null))",
		"it.call(null, 'a', t => t[k].snapshot('a'))",
		"test.apply(null, ['a', t => t[k].snapshot('a')])",
		"[t => t[k].snapshot('a')].forEach(it)",
		"setTimeout(it, 1, t => t[k].snapshot('a'))",
		"it('a', mock.fn(t => t[k].snapshot('a')))",
		"const f = mock.fn(); it('a', f); it('b', () => f.mock.calls[0].arguments[0][k].snapshot('a'))",
		"new Promise(r => it('a', r)).then(t => t[k].snapshot('a'))",
		"new Promise(r => it('a', t => r({ t }))).then(({ t }) => t[k].snapshot('a'))",
		"const l = []; it('a', t => { l.push(t) }); it('b', () => l[0][k].snapshot('a'))",
		"it('a', t => new Set([t]).values().next().value[k].snapshot('a'))",
		"it('a', t => new Error('b', { cause: t }).cause[k].snapshot('a'))",
		"it('a', t => { try { require('assert').equal(t, 1) } catch (e) { e.actual[k].snapshot('a') } })",
		"const e = new (require('events'))(); e.on('b', t => t[k].snapshot('a')); it('a', e.emit.bind(e, 'b'))",
	} {
		if f := analyzetest.Facts(t, Reader(), modules+code); !slices.Contains(f.Names, assertOfTest) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const cases = JSON.parse(k); for (const n in cases) it(n, t => { t.diagnostic(n); t.plan(cases[n].plan) })",
		"const check = (t, o, n) => { t.diagnostic(o[n]) }; it('a', t => { check(t, { a: 1 }, k); check(t, JSON.parse(k), 'b') })",
		"it('a', async t => { for (const n of JSON.parse(k)) await t.test('a' + n, (t, done) => { t.mock.fn(() => n)(); done() }) })",
		"const o = {}; it.beforeEach(t => { o.t = t; o[k] = 1 }); it('a', t => { o.t.diagnostic(o[k]); t.after(() => { delete o[k] }) })",
		"class S { #m = new Map(); snapshot() { return this.#m } } it('a', t => { const s = { [k]: new S() }; t.after(() => s[k].snapshot()) })",
	} {
		if f := analyzetest.Facts(t, Reader(), modules+code); slices.Contains(f.Names, assertOfTest) {
			t.Errorf("seen: %s", code)
		}
	}
}

// TestJavaScriptInsides holds that a member whose name is not known is seen to be what leads inside of an object of
// Node's: to the history of lines, which writes a file, to machine code, which watches any, or to the class of a directory,
// which lists any. So it is of what a method gives back, and of what came back from where nobody follows it, by what is asked
// of what is inside.
func TestJavaScriptInsides(t *testing.T) {
	t.Parallel()
	const modules = unknownKey + "const readline = require('readline'), zlib = require('zlib'), fs = require('fs'), { Interface } = readline;\n"
	seen := func(f analyze.Facts) bool {
		return slices.ContainsFunc(f.Names, func(name string) bool {
			return name == classOfDirectory || name == contextOfRead || name == emitterOfWarning || name == searchOfGlob || strings.HasSuffix(name, ".prototype._handle") || strings.HasSuffix(name, ".prototype.historyManager") || strings.HasSuffix(name, ".prototype.setupHistoryManager")
		})
	}
	for _, code := range []string{
		"readline.createInterface(k).historyManager.initialize(() => 1)",
		"readline.createInterface(k).setupHistoryManager({ filePath: 'a' })",
		"Promise.resolve(readline.createInterface(k)).then(({ historyManager: h }) => h.initialize(() => 1))",
		"readline.createInterface(k)[k].initialize(() => 1)",
		"readline.promises.createInterface(k)[k]({ filePath: 'a', onHistoryFileLoaded: 1 })",
		"const { [k]: h } = new Interface(k); h.initialize(() => 1)",
		"for (const h of Object.values(Interface(k))) h?.initialize?.(() => 1)",
		"Object.entries(readline.createInterface(k)).forEach(([n, h]) => h?.initialize?.(() => 1))",
		"const o = { ...readline.createInterface(k) }; o[k].initialize(() => 1)",
		"readline.createInterface(k).on('line', function () { this[k].initialize(() => 1) })",
		"class R extends Interface { f() { this.historyManager.initialize(() => 1) } } new R(k).f()",
		"class R extends Interface { f() { this[k].initialize(() => 1) } } new R(k).f()",
		"class R extends Interface { pause() {} } new R({ filePath: 'a', onHistoryFileLoaded: 1 })",
		"class R extends Interface { get input() { return k } } new R({ filePath: 'a', onHistoryFileLoaded: 1 })",
		"function R(s) { Interface.call(this, s) } R.prototype = Object.create(Interface.prototype); R.prototype.pause = () => 1; new R(k)",
		"Interface.prototype[k].call({ pause() {} }, { filePath: 'a', onHistoryFileLoaded: 1 })",
		"fs.watch('a')[k].start('/b', true, false, 'utf8')",
		"fs.watchFile('a', () => 1)[k].start('/b', 9)",
		"zlib.createGzip()[k].close()",
		"class Z extends zlib.Gunzip { f() { return this[k] } } new Z().f().close()",
		"fs.watch('a').on('change', () => 1)[k].start('/b')",
		"const w = fs.watch('a').unref(); Object.values(w)[0].start('/b')",
		"const { on } = fs.watch('a'); on.call(fs.watch('a'), 'x', () => 1)[k].start('/b')",
		"require('events').prototype.once.call(fs.watch('a'), 'x', () => 1)[k].start('/b')",
		"class W { f() { this[k].start('/b') } } fs.watch('a', W.prototype.f)",
		"import('fs').then(f => f.watch('a').ref()[k].start('/b'))",
		"const e = new (require('events'))(); e.on('a', w => w[k].start('/b')); e.emit('a', fs.watch('a'))",
		"require('util').promisify(f => f(null, fs.watch('a')))().then(w => w[k].start('/b'))",
		"new Promise(r => r(['a'].map(fs.watch))).then(([w]) => w[k].start('/b'))",
		"zlib.createGzip().on('data', () => 1)[k].close()",
		"fs.createReadStream('a').pipe(zlib.createGzip())[k].close()",
		"require('stream').pipeline(process.stdin, zlib.createGzip(), () => 1)[k].close()",
		"require('stream').pipeline(process.stdin, zlib.createGzip(), s => { s[k].writeSync(1) }, () => 1)",
		"const w = new (require('stream').PassThrough)(); w.on('pipe', s => s[k].writeSync(1)); zlib.createGzip().pipe(w)",
		"zlib.gzipSync('a', { info: true }).engine[k].close()",
		"zlib.gzip('a', JSON.parse(k), (e, { engine }) => engine[k].init(1))",
		"zlib.gzip('a', { [k]: 1 }, function () { this[k].close() })",
		"readline.createInterface(k).on('line', () => 1)[k].initialize(() => 1)",
		"readline.createInterface(k).on('line', () => 1).once('close', () => 1)[k]({ filePath: 'a' })",
		"new Error('a', { cause: readline.createInterface(k) }).cause[k].initialize(() => 1)",
		"new (fs.opendirSync('.')[k])({}, '/', { recursive: true })",
		"const { [k]: D } = fs.opendirSync('.'); new D({}, '/', { recursive: true })",
		"fs.opendir('.', (e, d) => { class D extends d[k] {} new D({}, '/', { recursive: true }) })",
		"fs.opendir.call(fs, '.', (e, d) => { new (d[k])({}, '/', { recursive: true }) })",
		"(async () => { const d = await fs.promises.opendir('.'), D = d[k]; new D({}, '/', { recursive: true }) })()",
		"require('fs/promises').opendir('.').then(d => new (d[k])({}, '/', { recursive: true }))",
		"require('util').promisify(fs.opendir)('.').then(d => new (d[k])({}, '/', { recursive: true }))",
		"fs.opendirSync('.').readSyncRecursive({ parentPath: '/', path: '/', name: 'etc' })",
		"const { readSyncRecursive: f } = fs.opendirSync('.'); f.call(fs.opendirSync('.'), { path: '/', name: 'etc' })",
		"fs.opendir('.', { recursive: true }, (e, d) => { d['process' + 'ReadResult']('/', ['etc', 2]); d.read() })",
		"(async () => { for (const d of [await fs.promises.opendir('.')]) d.processReadResult('/etc', ['passwd', 0]) })()",
		"class W { f(d) { d.readSyncRecursive({ path: k, name: '.' }) } } require('fs/promises').opendir('.').then(new W().f)",
		"class R extends Interface { get paused() { return true } } new R({ filePath: 'a', onHistoryFileLoaded: 1 })",
		"class R extends Interface { paused = true } new R({ filePath: 'a', onHistoryFileLoaded: 1 })",
		"function R(s) { this.paused = true; Interface.call(this, s) } R.prototype = Object.create(Interface.prototype); new R(k)",
		"'use strict'; fs.readFile('a', function () { this.fd = 0; this.read() })",
		"class A { f() { this.close() } } fs.readFile('a', new A().f)",
		"'use strict'; fs.readFile.call(fs, 'a', 'utf8', { f() { return [this] } }.f)",
		"'use strict'; fs.readFile('a', function () { (() => { this.read() })() })",
		"'use strict'; function g() { this.read() } fs.readFile('a', function (e) { g.call(this, e) })",
		"'use strict'; const e = new (require('events'))(); e.on('a', f => fs.readFile('a', f)); e.emit('a', function () { this.read() })",
		"'use strict'; fs.globSync('{**,q/*}', { exclude() { this.matchers[0].set[1][0] = '..' } })",
		"'use strict'; const o = { withFileTypes: false }; o.exclude = function () { return this.matchers }; fs.glob('**', o, () => 1)",
		"'use strict'; fs.globSync('{**,q/*}', { get exclude() { return function () { return this.matchers } } })",
		"'use strict'; fs.opendirSync('.').close(function () { this.asyncReset({}) })",
		"const f = require('node:test').mock.fn(); fs.readFile('a', 'utf8', f); f.mock.calls[0].this.read()",
		"const t = new (require('assert').CallTracker)(), f = t.calls(); fs.readFile('a', null, f); t.getCalls(f)[0].thisArg.read()",
		"fs.globSync('*', { exclude: require('node:test').mock.fn() })",
		"zlib.createGzip()._flush(require('node:test').mock.fn())",
		"'use strict'; const g = zlib.createDeflate(); g._transform(Buffer.from('a'), '', function () { this.close() })",
		"process.on('warning', w => w.emitter.abort())",
		"process.once('warning', ({ emitter: { abort } }) => abort())",
		"process.on('warning', function () { for (const v of Object.values(arguments[0])) v.abort() })",
		"process.prependListener('warning', w => { w[k].abort() })",
		"const l = []; process.on('warning', l.push.bind(l)); setTimeout(() => l[0].emitter.abort(), 9)",
		"process.on('warning', w => JSON.stringify(w, (n, v) => v.abort()))",
		"process.on('warning', (...w) => ({ ...w[0] }).emitter.abort())",
		"while (k.length < 99) process.on('exit', () => k += 1); process.on('warning', w => JSON.stringify(w))",
		"const f = () => process.on('exit', f); f(); process.on('warning', w => console.log([w]))",
		"process.on('warning', ({ ...w }) => console.error({ w })).setMaxListeners(1).on('exit', () => 1)",
		"require('events').setMaxListeners(1); process.on('warning', function () { console.dir(arguments[0]) })",
		"process.on('warning', console.log)" + strings.Repeat(".on('exit', () => 1)", 11),
	} {
		if f := analyzetest.Facts(t, Reader(), modules+code); !seen(f) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"const rl = readline.createInterface({ input: process.stdin }), o = JSON.parse(k); rl.on('line', l => { o[l](rl.history) }); require('events').once(rl, 'close').then(() => o[k])",
		"class R extends Interface { f() { return super.getPrompt() } } const r = new R({ input: process.stdin }); r.on('line', l => console.log(r.f()))",
		"class A { initialize() { this.rl = readline.createInterface(process.stdin); this.seen = {} } f() { this.seen[k] = this.rl.line } } const a = new A(); a.initialize(); a.f()",
		"const g = zlib.createGzip(), o = JSON.parse(k); g.on('data', c => { o[k](c) }); fs.watch('a', (e, n) => o[n](e)).close()",
		"const o = { a: console }, w = fs.watch('a').on('change', (e, n) => o[n].log(e)); w.ref().unref().close()",
		"const outs = {}; outs[k] = zlib.createGzip(); outs[k].write('a'); outs[k].on('data', c => console.log(c)).end()",
		"const o = JSON.parse(k); console.log(zlib.gzipSync(k, { level: 9 }).toString('base64'), o[k]); zlib.gzip(k, (e, r) => { o[k](r) })",
		"const sizes = {}; for (const e of fs.opendirSync('.')) sizes[e.name] = (sizes[e.name] || 0) + 1; fs.opendir('.', async (e, d) => { for await (const f of d) console.log(f.name) })",
		"const walk = { readSyncRecursive(p) { return fs.readdirSync(p) } }; walk.readSyncRecursive('.'); for (const e of fs.opendirSync('.', { recursive: true })) console.log(e.parentPath)",
		"class A { f() { fs.readFile('a', (e, t) => this.g(t)); fs.readFile('a', function (e, t) { console.log(t) }); fs.glob('*', { exclude: n => this.has(n) }, () => 1) } g() { return this } has() { return this.g } } new A().f()",
		"class R extends Interface { f() { this.pause(); return this.line } } new R({ input: process.stdin }).f()",
		"process.on('warning', w => console.warn(w.name, w.message, w)).once('warning', console.warn).on('exit', () => 1)",
		"if (k) { process.on('warning', console.warn) } else { process.on('warning', w => console.warn(w)) }",
		"const f = () => process.on('exit', () => 1); f(); process.on('warning', w => console.warn(w.name, w.message, `${w.stack}`))",
		"const o = { emitter: { abort() {} } }; process.on('exit', e => { o.emitter.abort(); ({ e })[k] })",
		"function load(f) { fs.readFile('a', 'utf8', f) } load((e, t) => t); require('node:test').test('a', () => load(e => e))",
		"const d = fs.opendirSync('.'), kinds = { a: class { start() { return 1 } } }, o = new (kinds[k] || kinds.a)(d.readSync().name); o.start()",
	} {
		if f := analyzetest.Facts(t, Reader(), modules+code); seen(f) {
			t.Errorf("seen: %s", code)
		}
	}
}

// TestJavaScriptClassesOfNothing holds that classes which have one of the library above them, or
// are handed on, may hold modules as long as they keep them.
func TestJavaScriptClassesOfNothing(t *testing.T) {
	const modules = "const fs = require('fs'), { EventEmitter } = require('events'), { Transform } = require('stream'), Stream = require('stream');\n"
	for _, code := range []string{
		"class L extends EventEmitter { constructor() { super(); this.fs = fs } run() { this.emit('x', 1); return this } } new L().on('x', n => console.log(n)).run()",
		"class L extends EventEmitter { constructor() { super(); this.fs = fs } on(n, f) { super.on(n, f); return this } get ready() { return true } } new L().on('x', () => 1).emit('x')",
		"class L extends EventEmitter { files() { return fs } } new L().on('x', () => 1).emit('x')",
		"class T extends Transform { constructor() { super(); this.fs = fs } _transform(c, e, cb) { this.push(String(c)); cb() } } const s = new T(); s.on('data', d => console.log(d)); s.end('a')",
		"class R { constructor() { this.fs = fs } size() { return 1 } } module.exports = { R }; console.log(new R().size())",
		"class S { constructor(f) { this.f = f } } console.log([S].map(C => new C(fs)).length)",
		"class X extends Stream { get() { return 1 } } Promise.resolve(X).then(C => console.log(new C().get()))",
		"class M extends Map { get(k) { return super.get(k) ?? 0 } set(k, v) { return super.set(k, v) } } console.log([...new M([['a', 1]]).set('b', 2).entries()])",
		"const { inherits } = require('util'); function W() {} inherits(W, EventEmitter); W.held = fs; new W().on('x', () => 1)",
		"class Q extends EventEmitter { fs = fs } new Q().on('x', function () { console.log(this.listenerCount('x')) }).once('x', () => 1).emit('x')",
		"class M extends Map { fs = fs } new M([['a', 1]]).forEach((n, k, m) => console.log(k, n, m.size))",
		"console.log(JSON.parse('{\"a\":[1,2]}', function (k, x) { return Array.isArray(this) ? x + 1 : x }).a[0], JSON.parse(String(fs.readFileSync('a')), (k, x) => k === 'at' ? new Date(x) : x).at)",
		"const { inspect } = require('util'); class P { x = 1; [inspect.custom](depth, options) { return options.stylize(inspect(this.x, options), 'special') } } console.log(inspect(new P(), { depth: 3, colors: true }))",
		"const range = { from: 1, get [Symbol.iterator]() { const { from } = this; return function* () { yield from } } }; function* g() { const x = yield* range; console.log(x) } console.log([...g()], [].concat(range, 1).length, range.valueOf().from)",
		"const files = { get [Symbol.toStringTag]() { return 'Files' }, held: fs }; console.log(String(files), 'a-b'.split({ [Symbol.split]: s => s.split('-') }))",
		"class A extends Array { first() { return this[0] } } console.log(new A(1, 2).slice(0).first(), A.from([1]).map(x => x + 1).first())",
	} {
		if f := analyzetest.Facts(t, Reader(), modules+code); deniedByStrict(f) {
			t.Errorf("dynamic %v, attributes %v: %s", f.Dynamic, f.Attrs, code)
		}
	}
}
