package javascript

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestJavaScriptMembers holds that what is not what it was seen to be is not known: a
// member behind an accessor, one of a prototype that was replaced, an own one that hides
// another or no longer does, a parameter that nobody was seen to pass, a number that was
// counted on, what is made further down, a key that is no constant, an object that new gives in place of another,
// one that a member leads to whose name is not known.
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
	for _, kind := range []string{"accessor", "prototype", "own member", "parameter", "order", "counter", "later", "replacement", "key", "behind", "collection", "others", "iterator"} {
		if rows[kind] < 4 {
			t.Errorf("%s: only %d ways", kind, rows[kind])
		}
	}
}

// TestJavaScriptNumbers holds that a key which is a number, however it is handed on, names no
// member, and that one which may be text does.
func TestJavaScriptNumbers(t *testing.T) {
	t.Parallel()
	programs := []string{
		"const cells = [[x => x, x => x], [x => x]];\nfill([{key}, {key}]);\n" +
			"function fill(at) { if (inside(at)) around(at).forEach(fill); paint(at) }\n" +
			"function inside(at) { return at[0] < cells.length && at[1] < cells[0].length }\n" +
			"function around(at) { return [[at[0] - 1, at[1] - 1]] }\n" +
			"function paint(at) { cells[at[0]][at[1]] = cells[at[0]][at[1]]('return 42') }",
		"sort([x => 1, x => 2]);\nfunction sort(list) {\n" +
			"const swap = (i, l) => { const one = list[i]; list[i] = list[l]; list[l] = one }\n" +
			"quick({key}, list.length);\n" +
			"function quick(from, to) { if (to <= from) return; const middle = cut(from, to); quick(from, middle); quick(middle + 1, to) }\n" +
			"function cut(from, to) { let low = from; while (list[low][from]('return 42') < 1) low++; swap(low, to - 1); return low }\n}",
	}
	for key, number := range map[string]bool{
		"1": true, "k - 1": true, "k * 1": true, "k / 2": true, "k % 2": true, "k ** 2": true, "k | 0": true, "k >> 1": true, "~k": true, "-k": true, "+k": true,
		"(() => { let n = k; return n++ })()": true, "(() => { const o = { n: 1 }; o.n += 1; return o.n })()": true,
		"k.length": true, "[k].length": true, "Math.floor(k)": true, "Number(k)": true, "parseInt(k)": true, "k.charCodeAt(0)": true, "k.indexOf('x')": true,
		"[k].indexOf(k)": true, "[k].findIndex(x => x)": true, "true + 1": true, "later() + 1": true,

		"k": false, "k + 1": false, "1 + k": false, "1 - 1 + k": false, "[k][0]": false, "(1, k)": false, "1 && k": false, "k || 1": false, "k - 1 || k": false,
		"{ toString: () => k }": false, "String(k)": false, "k.at(0)": false, "k.charAt(0)": false, "[1, k].at(1)": false, "(n => n)(k)": false,
		"(() => { const o = { n: 1 }; o.n += k; return o.n })()": false, "(() => { const o = { n: 1 }; o.n = k; return o.n })()": false,
		"(() => { const o = { n: k }; o.n += ''; return o.n })()": false, "(() => { let n = 1; n = k; return n })()": false,
		"{ length: k }.length": false, "JSON.parse(k).length": false, "[1, k].find(x => x)": false, "text() + 1": false, "JSON.parse(k).indexOf(k)": false,
		"(() => { const a = [k]; Promise.resolve(a).then(b => { b.indexOf = () => k }); return a.indexOf(k) })()":                                                                                     false,
		"(() => { const a = [k]; a.indexOf = () => k; return a.indexOf(k) })()":                                                                                                                       false,
		"(() => { const a = [k]; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.push = g }); e.emit('x', a, () => k); return a.push(k) })()":                                       false,
		"(() => { const a = [k]; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.unshift = g }); e.emit('x', a, () => k); return a.unshift(k) })()":                                 false,
		"(() => { const a = [k]; let h = 1; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.forEach = g }); e.emit('x', a, () => k); a.forEach((v, i) => { h = i }); return h })()": false,
		"(() => { const a = [k]; let h = 1; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.keys = g }); e.emit('x', a, () => k); for (h of a.keys()) ; return h })()":              false,
		"(() => { const f = () => 1; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.call = g }); e.emit('x', f, () => k); return f.call() })()":                                    false,
		"(() => { const e = new (require('node:events'))(); e.on('x', (o, g) => { o.apply = g }); e.emit('x', Math.max, () => k); return Math.max.apply(null, [1]) })()":                              false,
		"(() => { const a = [k]; const e = new (require('node:events'))(); e.on('x', (o, g) => { o.other = g }); e.emit('x', a, () => k); return a.push(k) })()":                                      true,
	} {
		for _, p := range programs {
			if strings.HasPrefix(key, "{") {
				key = "(" + key + ")"
			}
			code := unknownKey + strings.ReplaceAll(p, "{key}", key) + "\nfunction later() { return 1 }\nfunction text() { return k }\n"
			if f := analyzetest.Facts(t, Reader(), code); deniedByStrict(f) == number {
				t.Errorf("%s: a number: %v, dynamic %v, attributes %v:\n%s", key, number, f.Dynamic, f.Attrs, code)
			}
		}
	}
}

// TestJavaScriptShown holds that what is printed in place of an object, or with it, is seen:
// all of what the process is has its environment.
func TestJavaScriptShown(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		"console.log(new Map([[{v}, 1]]))",
		"const m = new Map(); m.set({v}, 1); console.log(m)",
		"class M extends Map {} const m = new M(); m.set({v}, 1); console.log(m)",
		"throw new Map([[[{v}], 1]])",
		"class M extends Map { constructor(pairs) { super(pairs) } } console.log(new M([[{v}, 1]]))",
		"class S extends Set { constructor() { super([{v}]) } } console.log(new S())",
		"console.log(new Map([[{v}, 1]])[Symbol.iterator]())",
		"const e = new Error('x'); e.m = new Map([[{v}, 1]]); throw e",
		"console.log(JSON.stringify({ get toJSON() { return () => {v} } }))",
		"Promise.reject(new Map([[{v}, 1]]))",
		"console.log(JSON.stringify({ toJSON() { return {v} } }))",
		"console.log(JSON.stringify({ a: [{ toJSON: () => ({ b: {v} }) }] }))",
		"console.log(JSON.stringify({ toJSON: function () { return this.v }.bind({ v: {v} }) }))",
		"console.log(JSON.stringify({ toJSON: (v => v).bind(null, {v}) }))",
		"console.log('%j', { toJSON() { return {v} } })",
		"class A { toJSON() { return {v} } } class B extends A {} console.log(JSON.stringify(new B()))",
		"console.log(JSON.stringify(Object.create({ toJSON() { return {v} } })))",
		"console.log(JSON.stringify({ get a() { return {v} } }))",
		"class D extends Date { toISOString() { return {v} } } console.log(JSON.stringify(new D(0)))",
		"console.log(JSON.stringify([{ get a() { return { b: {v} } } }]))",
		"const o = {}; Object.defineProperty(o, 'a', { enumerable: true, get() { return {v} } }); console.log(JSON.stringify(o))",
		"console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { return {v} } })",
		"const o = {}; o[Symbol.for('nodejs.util.inspect.custom')] = () => {v}; console.log(o)",
		"const { inspect } = require('util'); console.log(inspect({ [inspect.custom]: () => ({ a: {v} }) }))",
		"const util = require('util'); class A { [util.inspect.custom]() { return {v} } } console.log(new A())",
		"const util = require('util'); console.log(util.inspect(new Map([[{v}, 1]])))",
		"class A { constructor() { return {v} } } class B extends A {} console.log([new B()])",
		"class A { constructor() { return {v} } } class B extends A { constructor() { super(); console.log(this) } } new B()",
	} {
		code := strings.ReplaceAll(program, "{v}", "process")
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "globalThis.process.env") && !deniedByStrict(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
		code = strings.ReplaceAll(program, "{v}", "process.title")
		if f := analyzetest.Facts(t, Reader(), code); slices.Contains(f.Names, "globalThis.process.env") || deniedByStrict(f) {
			t.Errorf("dynamic %v, names %v:\n%s", f.Dynamic, f.Names, code)
		}
	}
}

// TestJavaScriptSymbolsMadeOnce holds that a symbol which is made at the top of a program is a key that
// stands there, and that one which may be made again, or may be another's, is none.
func TestJavaScriptSymbolsMadeOnce(t *testing.T) {
	t.Parallel()
	const class = "class P extends require('minipass') {\n  constructor(o, ...s) { if (isStream(o)) {} }\n  [link](s) { s.reduce((a, b) => {}); stream.on('error', e => this[fail](stream, e)) }\n" +
		"  write(c) { this[head].end(c) }\n}\nmodule.exports = P"
	for made, known := range map[string]bool{
		"const fail = Symbol('fail'), head = Symbol(), link = Symbol('link')\n":                              true,
		"var fail = Symbol('fail'), head = Symbol('head')\nlet link = Symbol('link')\n":                      true,
		"const keys = { fail: Symbol(), head: Symbol(), link: Symbol() }, { fail, head, link } = keys\n":     true,
		"const make = n => Symbol(n), fail = make('f'), head = make('h'), link = make('l')\n":                false,
		"let fail, head, link\nfor (const n of ['a', 'b']) { head = fail; fail = link; link = Symbol(n) }\n": false,
		"const link = Symbol('link'), { head, fail } = require('./symbols')\n":                               false,
	} {
		f := analyzetest.Facts(t, Reader(), made+class)
		if got := len(f.Dynamic[analyze.DynamicClass]) == 0; got != known {
			t.Errorf("a key that stands there: %v, want %v:\n%s", got, known, made)
		}
	}
	for _, code := range []string{
		"const k = Symbol('a'), o = {[k]: require}\no[Object.getOwnPropertySymbols(o)[0]]('child_process')",
		"const k = Symbol('a'), o = {[k]: require}\nconst p = {...o}\np[k]('child_process')",
		"const k = Symbol('a'), l = Symbol('a'), o = {[k]: 'path', [l]: 'child_process'}\nrequire(o[l])",
		"const k = Symbol('fs'), o = {}\no[k.description] = 1\nrequire(Object.keys(o)[0])",
		"const k = Symbol('a'), t = JSON.stringify({[k]: 1, fs: 1})\nrequire(t.slice(2, 4))",
		"const k = Symbol('a'), {[k]: r, ...rest} = {[k]: require}\nr('child_process')",
	} {
		if f := analyzetest.Facts(t, Reader(), code); !deniedByStrict(f) && !slices.Contains(f.Imports, "node:child_process") && !slices.Contains(f.Imports, "node:fs") {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
}

// TestJavaScriptCopiedMembers holds that a member which a loop over the keys of an object copies goes under the
// name that it had: what all objects inherit does not come under another by that. TypeScript's compiler writes so.
func TestJavaScriptCopiedMembers(t *testing.T) {
	program := func(copied string) string {
		return "var __assign = Object.assign || function (t, s) { " + copied + " return t };\n" +
			"var f = function () { return __assign.apply(null, arguments) };\nconsole.log(f(f({}, { b: 1 }), { c: 2 }));\n"
	}
	for _, copied := range []string{
		"for (var p in s) t[p] = s[p];",
		"for (let p in s) { if (Object.prototype.hasOwnProperty.call(s, p)) t[p] = (s)[p] }",
		"var n, p; for (p in s) { t[p] = s[p] } for (n in s) { t[n] = s[n] }",
		"for (var i = 1, n = arguments.length; i < n; i++) { s = arguments[i]; for (var p in s) if (p !== 'a') t[p] = s[p] }",
	} {
		if f := analyzetest.Facts(t, Reader(), program(copied)); deniedByStrict(f) {
			t.Errorf("dynamic %v: %s", f.Dynamic, copied)
		}
	}
	const helper = "\"use strict\";\nvar __assign = (this && this.__assign) || function () {\n  __assign = Object.assign || function (t) {\n" +
		"    for (var s, i = 1, n = arguments.length; i < n; i++) {\n      s = arguments[i];\n" +
		"      for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p)) t[p] = s[p];\n    }\n    return t;\n  };\n" +
		"  return __assign.apply(this, arguments);\n};\nvar a = __assign({}, { b: 1 });\nconsole.log(__assign(__assign({}, a), { c: 2 }));\n"
	if f := analyzetest.Facts(t, Reader(), helper); deniedByStrict(f) {
		t.Errorf("dynamic %v: %s", f.Dynamic, helper)
	}
	for _, copied := range []string{
		"for (var p in s) { var q = p; t[q] = s[p] }",
		"for (var p of s) t[p] = s[p];",
		"for (var p in s) { p = q; t[p] = s[p] }",
		"for (var p in s) { p += q; t[p] = s[p] }",
		"for (var p in s) { [p] = q; t[p] = s[p] }",
		"for (var p in s) { (() => { p = q })(); t[p] = s[p] }",
		"for (var p in s) { p++; t[p] = s[p] }",
		"for (q in s) t[q] = s[q];",
		"var p = q; for (p in s) t[p] = s[p];",
		"for (var p in s) { var { p } = q; t[p] = s[p] }",
		"(function (p) { for (p in s) t[p] = s[p] })();",
		"var p; (() => { for (p in s) t[p] = s[p] })();",
		"for (var p in s) { with (q) t[p] = s[p] }",
	} {
		if f := analyzetest.Facts(t, Reader(), "var q;\n"+program(copied)); !deniedByStrict(f) {
			t.Errorf("nobody sees it: %s", copied)
		}
	}
}

// TestJavaScriptListsMadeHere holds that a list which the expression itself makes has no method of the
// program's, also where the program puts what is not known on it later, and that others may have.
func TestJavaScriptListsMadeHere(t *testing.T) {
	t.Parallel()
	const later = "\nfunction put(a, b) { l[l[a]] = l[b]; l[a] = l[b][a] }"
	for code, plain := range map[string]bool{
		"const l = new Array(3).fill(0).map((_, i) => i)" + later:                                                                  true,
		"class L { constructor(n) { this.l = Array(n).fill(1) } put(a, b) { this.l[a] = this.l[b] } }":                             true,
		"const l = [1, 2].fill(0)" + later:                                                                                         true,
		"const n = [].push(1), l = [n]" + later + "\nn.toFixed(1)":                                                                 true,
		"const k = JSON.parse(input), l = [1, 2]; l[k] = l[k][k]; l.fill('code')":                                                  false,
		"const k = JSON.parse(input), m = [1]; m[k] = m[k][k]; const l = m.fill(0); l.fill('code')":                                false,
		"const k = JSON.parse(input); class A extends Array { put() { this[k] = this[k][k] } }; const a = new A(); a.fill('code')": false,
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if got := len(f.Dynamic[analyze.DynamicClass]) == 0; got != plain {
			t.Errorf("only methods of the language: %v, want %v:\n%s", got, plain, code)
		}
	}
}

// TestJavaScriptNumbersOfTheLanguage holds that the constants of Number and Math are numbers: what is put on them
// changes nothing that others have.
func TestJavaScriptNumbersOfTheLanguage(t *testing.T) {
	t.Parallel()
	const matrix = "function f(g) { const d = []; for (let i = 0; i < g.length; i++) { d[i] = []; for (let j = 0; j < g.length; j++) d[i][j] = {v} } return d }"
	for value, number := range map[string]bool{
		"Number.MAX_SAFE_INTEGER": true, "Math.PI": true, "Number['NEGATIVE_INFINITY']": true,
		"Number.prototype": false, "Math": false, "Math.max": false, "Number[g]": false,
	} {
		f := analyzetest.Facts(t, Reader(), strings.ReplaceAll(matrix, "{v}", value))
		if got := len(f.Dynamic[analyze.DynamicPatch]) == 0; got != number {
			t.Errorf("%s is a number: %v, want %v", value, got, number)
		}
	}
	f := analyzetest.Facts(t, Reader(), "globalThis.Math = { PI: 'child_process' }; require(Math.PI)")
	if !deniedByStrict(f) || len(f.Dynamic[analyze.DynamicPatch]) == 0 {
		t.Errorf("another Math: dynamic %v", f.Dynamic)
	}
}

// TestJavaScriptNothingInNull holds that nothing is asked of null, and nothing put on it, where something may be
// something else as well: that is an error.
func TestJavaScriptNothingInNull(t *testing.T) {
	t.Parallel()
	const tree = "class T { constructor(v) { this.v = v; this.left = this.right = {none}; }\n" +
		"  rotate(o) { const p = this[o]; this[o] = p.left; p.left = this; return p } }\n" +
		"const t = new T(5); t.right = new T(6); t.rotate('right')"
	for code, plain := range map[string]bool{
		strings.ReplaceAll(tree, "{none}", "null"):                                         true,
		strings.ReplaceAll(tree, "{none}", "undefined"):                                    true,
		strings.ReplaceAll(tree, "{none}", "JSON.parse(input)[input]"):                     false,
		"let n = null; if (input) n = { f() {} }; n.f('code')":                             true,
		"let n = null; if (input) n = JSON.parse(input)[input][input]; n('code')":          false,
		"let n = null; try { n.x = 1 } catch (e) { n = e[input][input] } n('code')":        false,
		"let n = null; for (n of [x => x[input][input]]); n(() => 1)('code')":              false,
		"let n = null; n ??= (() => 1)[input]; n[input]('code')":                           false,
		"const o = { n: null }; Object.assign(o, { n: (() => 1)[input] }); o.n('code')":    false,
		"class A { n = null } A.prototype.n = (() => 1)[input]; new A().n('code')":         false,
		"function f(n) { arguments[0] = (() => 1)[input]; n('code') } f(null)":             false,
		"const l = [null]; l.splice(0, 1, (() => 1)[input]); l[0]('code')":                 false,
		"const o = Object.create({ n: (() => 1)[input] }); o.n = null; delete o.n; o.n(1)": false,
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if got := !deniedByStrict(f); got != plain {
			t.Errorf("plain: %v, want %v:\n%s", got, plain, code)
		}
	}
}

// TestJavaScriptThisInParentheses holds that parentheses around this change nothing.
func TestJavaScriptThisInParentheses(t *testing.T) {
	t.Parallel()
	for code, hardly := range map[string]bool{
		"g(function (text) { return new this.constructor(text) })":                true,
		"g(function (text) { return new ((this)).constructor(text) })":            true,
		"g(function (text) { const C = (this).constructor; return new C(text) })": true,
		"g(function (text, o) { return new (o).constructor(text) })":              false,
		"g(function (text, o) { return new (0, o).constructor(text) })":           false,
		"g(function (text, o) { return new (this || o).constructor(text) })":      false,
		"g(function (text, o) { return new (this.x).constructor(text) })":         false,
		"g((text, o) => { const C = (o).constructor; return C(text) })":           false,
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if got := len(f.Dynamic[analyze.DynamicSubclass]) == 0; got != hardly || len(f.Dynamic[analyze.DynamicClass]) == 0 && hardly {
			t.Errorf("hardly a function's: %v, want %v: dynamic %v\n%s", got, hardly, f.Dynamic, code)
		}
	}
}

// TestJavaScriptCalledOfThis holds that a method of a list calls a function of the object that stands behind it, and
// that what else has a method of that name may call it of nothing.
func TestJavaScriptCalledOfThis(t *testing.T) {
	t.Parallel()
	const program = "class L { constructor() { this.items = [1] }\n  each(f) { {call} } }\nnew L().each(function () { this.fetch('x') })"
	for call, plain := range map[string]bool{
		"this.items.forEach(f, this)":                                   true,
		"[2].map(f, (this))":                                            true,
		"this.items.forEach(f, this.x)":                                 false,
		"this.items.forEach(f)":                                         false,
		"this.items.forEach(f, this); [2].some(f)":                      false,
		"this.items.values().forEach(f, this)":                          false,
		"new Map([[1, 2]]).keys().find(f, this)":                        false,
		"(f.x ? [1] : [1].values()).every(f, this)":                     false,
		"this.items.reduce(f, this)":                                    false,
		"this.items.sort(f, this)":                                      false,
		"const l = [1]; l.map = (g, t) => g(); l.map(f, this)":          false,
		"class A extends Array { map(g) { g() } } new A().map(f, this)": false,
		"[f].forEach(g => g(), this)":                                   false,
		"[1].forEach(f, ...[undefined], this)":                          false,
		"[].forEach.call([1], f, undefined)":                            false,
	} {
		f := analyzetest.Facts(t, Reader(), strings.ReplaceAll(program, "{call}", call))
		if got := !slices.Contains(f.Names, "globalThis.fetch"); got != plain {
			t.Errorf("never of the global object: %v, want %v: %s", got, plain, call)
		}
	}
}
