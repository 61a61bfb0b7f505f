package javascript

import (
	"slices"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestJavaScriptLosesNothing hands a module around in ways that hide it. The
// call at the end must be named, or the place where it got out of sight be
// reported.
func TestJavaScriptLosesNothing(t *testing.T) {
	const read = ".readFileSync('/etc/hostname')"
	for _, code := range []string{
		"[1].map(function () { return this" + read + " }, require('fs'))",
		"const it = {[Symbol.iterator]() { return {next: () => ({value: require('fs'), done: false})} }}; for (const f of it) f" + read,
		"const it = {*[Symbol.iterator]() { yield require('fs') }}; const [f] = it; f" + read,
		"function* g() { yield* [require('fs')] } for (const f of g()) f" + read,
		"function* g() { const f = yield; f" + read + " } const i = g(); i.next(); i.next(require('fs'))",
		"const o = {set x(v) { v" + read + " }}; o.x = require('fs')",
		"class A { set x(v) { v" + read + " } } new A().x = require('fs')",
		"require('fs') instanceof {[Symbol.hasInstance](f) { f" + read + " }}",
		"JSON.stringify({a: require('fs')}, (k, v) => v" + read + ")",
		"new Error('x', {cause: require('fs')}).cause" + read,
		"new WeakRef(require('fs')).deref()" + read,
		"Promise.allSettled([require('fs')]).then(([r]) => r.value" + read + ")",
		"Array.prototype.map.call([require('fs')], f => f" + read + ")",
		"[].map.call([require('fs')], f => f" + read + ")",
		"Array.prototype.forEach.apply([require('fs')], [f => f" + read + "])",
		"({__proto__: {f: require('fs')}, m() { return super.f" + read + " }}).m()",
		"const [f] = new Set([require('fs')]); f" + read,
		"const [[, f]] = new Map([[1, require('fs')]]); f" + read,
		"new Map([[1, require('fs')]])[Symbol.iterator]().next().value[1]" + read,
		"const o = {}; o.__defineGetter__('f', () => require('fs')); o.f" + read,
		"Object.create({}, {f: {value: require('fs')}}).f" + read,
		"Object.defineProperties({}, {f: {get: () => require('fs')}}).f" + read,
		"Object.values({get f() { return require('fs') }})[0]" + read,
		"Object.entries({f: require('fs')})[0][1]" + read,
		"const {f} = {get f() { return require('fs') }}; f" + read,
		"const {...r} = {f: require('fs')}; r.f" + read,
		"new Promise(done => done(require('fs'))).then(f => f" + read + ")",
		"(async () => { const f = await {then(done) { done(require('fs')) }}; f" + read + " })()",
		"const p = new Proxy({}, {get: (t, k) => Reflect.get(require('fs'), k)}); p" + read,
		"const p = new Proxy(() => {}, {apply: (t, s, [f]) => f" + read + "}); p(require('fs'))",
		"const {apply} = Reflect; apply(require, null, ['fs'])" + read,
		"Function.prototype.call.call(require, null, 'fs')" + read,
		"['fs'].map(require)[0]" + read,
		"const f = require.bind(null).bind(null, 'fs'); f()" + read,
		"let f; [f = require('fs')] = []; f" + read,
		"let f; ({f = require('fs')} = {}); f" + read,
		"let f; ({x: f} = {x: require('fs')}); f" + read,
		"let o = {}; [o.f] = [require('fs')]; o.f" + read,
		"for (const {f} of [{f: require('fs')}]) f" + read,
		"const o = {}; for (o.f of [require('fs')]); o.f" + read,
		"const o = {f: null}; o.f ||= require('fs'); o.f" + read,
		"const f = (() => { try { throw require('fs') } catch (e) { return e } })(); f" + read,
		"class A { static #f = require('fs'); static go() { return A.#f" + read + " } } A.go()",
		"class A { f = this.load(); load() { return require('fs') } } new A().f" + read,
		"class A { constructor() { return require('fs') } } new A()" + read,
		"class A {} class B extends A { constructor(f) { super(); Object.assign(this, {f}) } } new B(require('fs')).f" + read,
		"const mix = B => class extends B { f = require('fs') }; new (mix(Object))().f" + read,
		"function F(f) { this.f = f } F.prototype.go = function () { return this.f" + read + " }; new F(require('fs')).go()",
		"const o = {f: require('fs'), go() { return (() => this.f)()" + read + " }}; o.go()",
		"module.exports.f = require('fs'); exports.f" + read + "; this.f" + read,
		"var {f = require('fs')} = {}, g = f; (() => { g" + read + " })()",
		"const pick = (o, k) => o[k]; pick({f: require('fs')}, 'f')" + read,
		"const pick = o => Object.values(o)[0]; pick({f: require('fs')})" + read,
		"const id = x => x; id(id)(id(require('fs')))" + read,
		"const a = []; a[a.length] = require('fs'); a[0]" + read,
		"const a = [require('fs')].filter(Boolean).slice().concat([]).reverse(); a.pop()" + read,
		"const m = new Map(); m.set('a', {f: require('fs')}); for (const [, {f}] of m) f" + read,
		"const s = [require('fs')].reduce((a, f) => ({...a, f}), {}); s.f" + read,
		"const all = {...{f: require('fs')}}; all.f" + read,
		"label: { var f = require('fs'); break label } f" + read,
		"(f => { f" + read + " })(...[require('fs')])",
		"((...[f]) => f" + read + ")(require('fs'))",
		"(({length}, f = require('fs')) => f" + read + ")('')",
		"new (class { go(f) { f" + read + " } })().go(require('fs'))",
		"(function f(n, m) { return n ? f(n - 1, require('fs')) : m" + read + " })(1)",
		"structuredClone({f: 1}); const g = globalThis; g.f = require('fs'); f" + read,
		"void import('fs').then(m => m.default" + read + ")",
		"queueMicrotask(() => { shared" + read + " }); var shared = require('fs')",
		"const k = Symbol('f'); const o = {[k]: require('fs')}; o[Object.getOwnPropertySymbols(o)[0]]" + read,
		"const w = new WeakMap(), k = {}; w.set(k, require('fs')); w.get(k)" + read,
		"const { f } = Object.fromEntries([['f', require('fs')]]); f" + read,
		"Array.from([require('fs')], f => f" + read + ")",
		"[require('fs')].entries().next().value[1]" + read,
		"const i = [require('fs')][Symbol.iterator](); i.next().value" + read,
		"const i = [require('fs')].values(); i.next().value" + read,
		"String.raw`x`; (s => s)`${require('fs')}`; ((s, f) => f" + read + ")`${require('fs')}`",
		"setTimeout((f) => f" + read + ", 0, require('fs'))",
		"process.on('x', f => f" + read + "); process.emit('x', require('fs'))",
		"const e = new (require('events'))(); e.on('x', f => f" + read + "); e.emit('x', require('fs'))",
		"const {EventEmitter} = require('events'); class E extends EventEmitter {} const e = new E(); e.on('x', f => f" + read + "); e.emit('x', require('fs'))",
	} {
		f := analyzetest.Facts(t, Reader(), code)
		if !slices.Contains(f.Names, "node:fs.readFileSync") && len(f.Dynamic[analyze.DynamicMember]) == 0 {
			t.Errorf("%s:\n  names %q", code, f.Names)
		}
		if !slices.Contains(f.Imports, "node:fs") {
			t.Errorf("%s: imports %q", code, f.Imports)
		}
	}
}
