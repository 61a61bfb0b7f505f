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
		"const s = Object('b'); s.toString = () => 'a';	s	a",
		"const s = new Object('b'); s.valueOf = () => 'a';	s + ''	a",
		"const s = new String('b'); s[Symbol.toPrimitive] = () => 'a';	`${s}`	a",
		"const s = Object(1); s.toString = () => 'a';	s	a",
		"const s = Object.assign('b', { toString: () => 'a' });	s	a",
		"const s = (function () { this.toString = () => 'a'; return this }).call('b');	s	a",
		"const s = Object('q'); s[Symbol.replace] = () => 'a';	'bq'.replace(s, '')	a",
		"const s = Object('q'); s[Symbol.split] = () => ['a'];	'bq'.split(s)[0]	a",
		"const s = Object.assign(Buffer.from('b'), { valueOf: () => 'a' });	s + ''	a",
		"const s = Object.assign(Buffer.from('b'), { toString: () => 'a' });	`${s}`	a",
		"const s = Object.assign(Buffer.from('b'), [97]);	s + ''	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2 } L.prototype.r = [].reverse; const o = new L(); o.r();	o[0]	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2; #r = [].reverse; r() { this.#r() } } const o = new L(); o.r();	o[0]	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2; get r() { return [].sort } } const o = new L(); o.r();	o[0]	a",
		"class L { 0 = 'b'; length = 1 } const o = new L(); Array.prototype.unshift.apply(o, ['a']);	o[0]	a",
		"class L { 0 = 'b'; length = 1 } const o = new L(); Object.defineProperty(o, 's', { set: [].unshift }); o.s = 'a';	o[0]	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2; [Symbol.iterator] = [].reverse } const o = new L(); try { [...o] } catch {}	o[0]	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2; valueOf = [].reverse } const o = new L(); try { +o } catch {}	o[0]	a",
		"class L { 0 = 'b'; 1 = 'a'; length = 2; r = new Map([[1, [].reverse]]).get(1) } const o = new L(); o.r();	o[0]	a",
		"class L { o = { p: 'b' }; 0 = 1; length = 1; r = [].map } const o = new L(); o.r((v, i, t) => { t.o.p = 'a' });	o.o.p	a",
		"class L { p = 'b' } const o = new L(); Object.prototype.__defineGetter__.call(o, 'p', () => 'a');	o.p	a",
		"class L { static 0 = 'b'; static 1 = 'a'; constructor(a, b) {} static { Array.prototype.reverse.call(this) } }	L[0]	a",
		"const f = (a, b) => 1; f[0] = 'b'; f[1] = 'a'; f.r = [].reverse; f.r();	f[0]	a",
		"const { mock } = require('node:test'); class L { o = { p: 'b' }; f = mock.fn() } const o = new L(); o.f(); o.f.mock.calls[0].this.o.p = 'a';	o.o.p	a",
		"const f = x => ({ ...x, b: 1 });	Object.keys(f({ a: 1 }))[0]	a",
		"const f = x => ({ [x]: 1, b: 1 });	Object.keys(f('a'))[0]	a",
		"const f = x => ({ get [x]() { return 1 }, b: 1 });	Object.keys(f('a'))[0]	a",
		"const f = x => ({ [x]() {}, b: 1 });	Object.keys(f('a'))[0]	a",
		"const f = () => ({ [n]: 1, b: 1 }), n = 'a';	Object.keys(f())[0]	a",
		"const f = ({ z, ...r }) => ({ ...r, b: 1 });	Object.keys(f({ z: 1, a: 1 }))[0]	a",
		"const f = o => { const p = { ...o }; return { ...p, b: 1 } };	Object.keys(f({ a: 1 })).slice(0, 1).join()	a",
		"function b() {} delete b[[...'name'].join('')];	'a' + b.name	a",
		"class b { static { delete this[[...'name'].join('')] } }	'a' + b.name	a",
		"function b() {} b.prototype = b; delete b[[...'name'].join('')];	'a' + new b().name	a",
		"class C { static keys() { return ['b'] } } delete C.prototype[k];	new C().constructor.keys({ a: 1 })[0]	a",
		"function C() {} C.keys = () => ['b']; delete C.prototype[k];	new C().constructor.keys({ a: 1 })[0]	a",
		"const T = { b: 1 }; T[[...'__proto__'].join('')][5] = 'a';	'b'[5] ?? 'b'	a",
		"const T = { b: 1 }; T[[...'__proto__'].join('')][[...'5'].join('')] = 'a'; const { 5: v = 'b' } = 'b';	v	a",
		"const T = { b: 1 }; T[[...'__proto__'].join('')].undefined = 'a';	Map.undefined ?? 'b'	a",

		"const e = new (require('node:events'))(); const l = ['b']; e.on('x', (o, g) => { o.reduce = g }); e.emit('x', l, () => 'a');	l.reduce(c => c, 'b')	a",
		"const e = new (require('node:events'))(); const l = ['b']; e.on('x', (o, g) => { o.reduce = g }); e.emit('x', l, c => c('a'));	l.reduce(c => c, 'b')	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', () => 'a'); const l = []; l.reduceRight = f;	l.reduceRight(c => c, 'b')	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', () => ['a']); const l = ['b']; Object.assign(l, { fill: f });	l.fill('b')[0]	a",
		"const e = new (require('node:events'))(); const l = new Set(), o = { p: 'b' }; e.on('x', (o, g) => { o.forEach = g }); e.emit('x', l, o => { o.p = 'a' }); l.forEach(o);	o.p	a",
		"const e = new (require('node:events'))(); const o = { p: 'b' }, h = c => c; e.on('x', (o, g) => { o.toString = g }); e.emit('x', h, o => { o.p = 'a' }); h.toString(o);	o.p	a",
		"const e = new (require('node:events'))(); function* g() { yield 'b' } const i = g(); e.on('x', (o, g) => { o.next = g }); e.emit('x', i, () => ({ value: 'a' }));	i.next().value	a",
		"const e = new (require('node:events'))(); const h = () => 'b'; e.on('x', (o, g) => { o.call = g }); e.emit('x', h, () => 'a');	h.call()	a",
		"const e = new (require('node:events'))(); const h = () => 'b'; e.on('x', (o, g) => { o.bind = g }); e.emit('x', h, () => () => 'a');	h.bind()()	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', () => 'a'); const h = () => 'b'; h.call = f;	h.call.call(h)	a",
		"const e = new (require('node:events'))(); e.on('x', (o, g) => { o.call = g }); e.emit('x', String, () => 'a');	String.call(null, 'b')	a",
		"const e = new (require('node:events'))(); e.on('x', (o, g) => { o.apply = g }); e.emit('x', Object.keys, () => ['a']);	Object.keys.apply(null, [{ b: 1 }])[0]	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', function () { this.p = 'a' }); const o = { p: 'b', valueOf: f }; +o;	o.p	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', function () { this.p = 'a' }); const o = { p: 'b', toString: f }; `${[o]}`;	o.p	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', function () { this.p = 'a' }); class A { p = 'b'; constructor() { this.valueOf = f } } const o = new A(); o < 1;	o.p	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', function () { this.p = 'a'; return 1 }); const o = { p: 'b', get valueOf() { return f } }; isNaN(o);	o.p	a",
		"const e = new (require('node:events'))(); let f; e.on('x', g => { f = g }); e.emit('x', function () { this.p = 'a' }); class A {} A.toString = f; class B extends A { static p = 'b' } try { B + '' } catch {}	B.p	a",
		"const e = new (require('node:events'))(); let h = 'b'; class A { constructor(c = 'b') { h = c } } const u = ['constr', 'uctor'].map(c => c).join(''); e.on('x', o => { new o[u]('a') }); e.emit('x', new A());	h	a",
		"const e = new (require('node:events'))(); let h = 'b'; class A { static s(c) { h = c } } A.s('b'); const u = ['constr', 'uctor'].map(c => c).join(''); e.on('x', o => { o[u].s('a') }); e.emit('x', new A());	h	a",

		"	!Object('')	false",
		"	!new String('')	false",
		"	!Object(null)	false",
		"	!Object(0)	false",

		"	!Math.nope	true",
		"	!process.exitCode	true",
		"	!Map.length	true",
		"	!Number.NaN	true",
		"	'x' + (Map.length && 'a')	x0",
		"	'x' + (JSON.parse(['0'].map(x => x)[0]) && 'a')	x0",
		"	'x' + (JSON.parse(['null'].map(x => x)[0]) && 'a')	xnull",
		"class A {} A.name = 'b';	A.name	A",
		"	({ '\\ud83d\\\n\\ude00': 'a' })['\U0001f600']	a",

		"	['a', , ].join('b')	ab",
		"	['a', , ] + ''	a,",
		"	+[, , ]	NaN",
		"	'x' + [1, 2, , ].reverse()[1]	x2",

		"const b = process.argv.length ? 1 : 'q';	b + 2	3",
		"const b = process.argv.length ? 'q' : 2;	1 + b	3",
		"const b = process.argv.length ? null : 'q', c = process.argv.length ? 1 : 'w';	b + c	1",

		"	({ 0: 'b', ...'a' })[0]	a",
		"	Object.assign({ 0: 'b' }, 'a')[0]	a",
		"	({ 0: 'b', ...Buffer.from('a') })[0]	97",

		"	JSON.parse('[' + '\"b\",'.repeat(1024) + '\"a\"]').at(-1)	a",

		"	String.prototype.at.call(['b', 'a'], 1)	,",
		"	String.prototype.slice.call(['b', 'a'], 1) + ''	,a",
		"	Array.prototype.slice.call('ab', 0, 2)	a,b",
		"	Uint8Array.prototype.toString.call(Buffer.from('b'))	98",

		"const l = ['b', 'b']; let h = 'b'; l.length = 0; l[1] = 'b'; for (const c of l) h = h && c;	'x' + h	xundefined",
		"const l = ['b', 'b']; let h = 'b'; l.pop(); l.pop(); l[1] = 'b'; for (const c of l) h = h && c;	'x' + h	xundefined",
		"const l = ['b', 'b']; let h = 'b'; l.splice(0); l[1] = 'b'; new Set(l).forEach(c => { h = h && c });	'x' + h	xundefined",
		"const l = ['b', 'b']; let h = 'b'; l.shift(); l.shift(); Object.assign(l, { 1: 'b' }); l.find(c => { h = h && c });	'x' + h	xundefined",
		"let h = 'b'; for (const c of [, 'b'].map(() => 'b')) h = h && c;	'x' + h	xundefined",
		"const g = s => s.split('-')[1]; g('c-b');	'x' + g('c')	xundefined",
		"const g = l => l.slice(0)[1]; g(['c', 'b']);	'x' + g(['c'])	xundefined",
		"const g = l => l.slice(0)[0]; g([]); g(['b']);	'x' + g([])	xundefined",
		"const o = {}; let h = 'b'; h = o.g?.('c');	'x' + h	xundefined",
		"if (k === '') function h() {}	'x' + (h && 'b')	xundefined",
		"	['a', 'b'].join(k ? undefined : 'x')	axb",
		"	['a', 'b'].join(k ? 'undefined' : undefined)	a,b",
		"	'x' + [k ? 'undefined' : undefined].join()	x",
		"	'x' + [k ? 'null' : null]	x",

		"	Object.keys({ ...{ set a(c) {} }, b: 1 })[0]	a",
		"	'x' + { p: 'b', ...{ set p(c) {} } }.p	xundefined",
		"	'x' + Object.assign({ p: 'b' }, { set p(c) {} }).p	xundefined",
		"	'x' + { ...{ p: 'b', set p(c) {} } }.p	xundefined",
		"	Object.keys({ ...'', get a() {}, b: 1 })[0]	b",
		"	Object.keys({ ...[, 1], b: 1 })[1]	b",
		"	Object.keys({ ...{}, set a(c) {}, b() {} })[0]	b",
		"const [h] = JSON.parse('[\"b\", \"a\"]').copyWithin(0, 1);	h	a",
		"const { c, ...o } = { set a(d) {}, b: 1 };	Object.keys(o)[0]	a",
		"const p = {}, o = { ...p, b: 1 }; p.a = 1;	Object.keys(o)[0]	b",

		"let h = 'b'; class A { constructor(p) { h = p } static s = new A('b'); ['constructor'](p) {} } new A('a');	h	a",
		"let h = 'b'; class A { constructor(p) { h = p } static s = new A('b'); get ['constructor']() {} } new A('a');	h	a",
		"let h = 'b'; class A { constructor(p = 'b') { h = p } } new A(); Array.of.call(A, 1);	h	1",
		"let h = 'b'; function A(p = 'b') { h = p } A(); Array.from.call(A, { length: 2 });	h	2",
		"let h = 'b'; class A extends Array { constructor(p = 'b') { super(); h = p } } new A().map(c => c);	h	0",
		"let h = 'b'; class B extends Array {} class A extends B { constructor(p = 'b') { super(); h = p } } A.of(1);	h	1",
		"let h = 'b'; class A extends Uint8Array { constructor(p, q = 'b') { super(8); h = q } } new A(8).subarray(1);	h	1",
		"let h = 'b'; class A extends Promise { constructor(p, q) { super(p); h = q } } new A(c => c(), 'b').then(() => 1);	'x' + h	xundefined",
		"let h = 'b'; class A extends RegExp { constructor(p, q) { super('c', 'g'); h = q } } 'c'.matchAll(new A('c', 'b'));	h	g",
		"let h = 'b'; class A { p = 'b'; s() { h = this.p } } const o = new A(); o.s(); setTimeout(o.s).p = 'a';	h	a",
		"let h = 'b'; class A { p = 'b'; s() { h = this.p } } const o = new A(); o.s(); setImmediate(o.s);	'x' + h	xundefined",
		"let h = 'b'; const o = { toLocaleString(p) { h = p || h } }; o.toLocaleString('b'); [[o]].toLocaleString('a');	h	a",
		"let h = 'b'; JSON.parse('[1]', (c, d, p = 'b') => { h = p });	h	[object Object]",
		"const o = {}; 'ba'.replace(/a/, c => { o.h = c });	o.h	a",
		"const o = {}; 'ba'.replaceAll('a', c => { o.h = c });	o.h	a",
		"const o = {}; 'baa'.replace(/(a)(?!a)/g, function (c) { o.h = c });	o.h	a",

		"function* g() { yield 1 }	g().next().done	false",
		"function* g() { yield 1 } const { value, ...r } = g().return();	r.done	true",
		"const s = new Set(['b']); s[0] = 'b'; s.clear(); const [h] = s;	'x' + h	xundefined",
		"const s = ['b'].values(); s[0] = 'b'; for (const c of s) ; const [h] = s;	'x' + h	xundefined",
		"const s = Object.assign((function* () { yield 'b' })(), { 0: 'b' }); for (const c of s) ; const [h] = s;	'x' + h	xundefined",
		"const l = Object.create(['b']); l.length = 0; const [h] = l;	'x' + h	xundefined",
		"const l = ['b', 'b']; l.pop();	'x' + { ...l }[1]	xundefined",
		"const l = ['b']; l.length = 0; const { ...r } = l;	'x' + r[0]	xundefined",
		"const l = ['b'], o = Object.create(l); l.pop();	'x' + o[0]	xundefined",
		"let h = 'b'; for (const c of ['b'].with()) h = c;	'x' + h	xundefined",
		"const l = ['b', 'b']; l[Symbol.isConcatSpreadable] = 0;	l.concat().at(0) || 'b'	b,b",
		"let h = 'b'; queueMicrotask(c => { h = c }, 'b');	'x' + h	xundefined",
		"let h = 'b'; queueMicrotask.call(null, c => { h = c }, 'b');	'x' + h	xundefined",
		"let h = 'b'; Promise.all([['b']]).finally(c => { h = `${c}` });	'x' + h	xundefined",
		"	'x' + Promise.race(['b'])	x[object Promise]",
		"	'x' + [Promise.any([['b']])]	x[object Promise]",
		"	'x' + Promise.all(['b'])[0]	xundefined",

		"let h = 'b'; for (const c of Array.prototype.concat.call(new Set(['b']))) h = `${c}`;	h	[object Set]",
		"let h = 'b'; function f() { for (const c of Array.prototype.concat.call(arguments)) h = `${c}` } f('b');	h	[object Arguments]",
		"let h = 'b'; const s = new Set(['b']); s.length = 1; for (const c of Array.prototype.values.call(s)) h = c;	'x' + h	xundefined",
		"let h = 'b'; function* g() { yield 'b' } g.prototype.length = 1; Array.prototype.find.call(g(), c => { h = c });	'x' + h	xundefined",
		"let h = 'b'; const s = new Set(['b']); s.length = 1; s[0] = 'a'; s.forEach = [].forEach; s.forEach(c => { h = c });	h	a",
		"let h = 'b'; const s = new Map([['c', 'b']]); s.length = 1; s[0] = 'a'; s.values = Array.prototype.values; for (const c of s.values()) h = c;	h	a",

		"class A { p = 'b'; s() { return this.p } } new A();	'x' + A.prototype.s()	xundefined",
		"class A { constructor() { this.p = 'b' } s() { return this.p } } new A(); const n = 's';	'x' + A.prototype[n]()	xundefined",
		"class A { p = 'b'; get s() { return { h: this.p } } } new A();	'x' + A.prototype.s.h	xundefined",
		"let h = 'b'; class A { p = 'b'; set s(c) { h = this.p } } new A(); A.prototype.s = 1;	'x' + h	xundefined",
		"let h = 'b'; class A { p = 'b'; toString() { h = this.p } } new A(); A.prototype.toString();	'x' + h	xundefined",
		"let h = 'b'; class A { p = 'b'; get [Symbol.toStringTag]() { h = this.p } } new A(); A.prototype.toString();	'x' + h	xundefined",

		"const f = [].at; f.p = 'a';	'x' + { ...f }.p	xa",
		"const f = ''.at; Object.assign(f, { p: 'a' });	Object.assign({}, f).p || 'b'	a",
		"const s = Symbol(), o = Object(s); o.p = 'a';	'x' + { ...o }.p	xa",
		"const f = () => 1;	'x' + (f.prototype && 'b')	xundefined",
		"function f() {}	'x' + (f.arguments && 'b')	xnull",
		"async function f() {}	!f.prototype	true",
		"const { f } = { f() {} };	'x' + (f.prototype && 'b')	xundefined",
		"function F() {} F.prototype = 'b';	'x' + new F()[0]	xundefined",
		"const F = Object.assign(function () {}, { prototype: 'b' });	'x' + new F().length	xundefined",
		"function a() {} const o = Object.create(a); o.name = 'b';	o.name	a",
		"const o = Object.create(class a {}); o.name = 'b';	o.name	a",
		"const o = Object.create((() => 1).bind()); o.name = 'b';	o.name	bound ",
		"const o = Object.create(Object.freeze(['b'])); o.length = 'b';	o.length	1",

		"const o = { a: 'b' };	o[k] || 'b'	function Object() { [native code] }",
		"const o = { a: 'b' };	'x' + (o[k] ?? 'b')	xfunction Object() { [native code] }",
		"const o = { a: 1 };	(o[k] || 1) + 1	function Object() { [native code] }1",
		"const o = { a: 'b' };	(o[k] || 'b').toString()	function Object() { [native code] }",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: { p: 'b' } };	'x' + o[u].p	xundefined",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: { name: 'b' } };	o[u].name + ''	Object",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: { freeze: c => 'b' } };	o[u].freeze('a')	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: () => 'b' };	o[u]('a')	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: c => 1 }, p = { h: 'b' }; o[u](p).h = 'a';	p.h	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''); let h = 'b'; const o = { a: ['b'] }; for (const c of o[u].values(['a'])) h = c;	h	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: 'c' }, p = { c: 'b', 'function Object() { [native code] }': 'a' };	p[o[u]]	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: 'c' }, p = { c: 'b' }; p[o[u]] = 'a';	p['function Object() { [native code] }']	a",
		"const u = ['constr', 'uctor'].map(c => c).join(''), o = { a: { name: 'c' } }, p = { c: 'b', Object: 'a' };	p[o[u].name]	a",
		"const o = { 'function c() { [native code] }'() {} };	Object.keys(o)[0]	function c() { [native code] }",
		"	({ 'function c() { [native code] }'() {} })['function c() { [native code] }'].name	function c() { [native code] }",

		"const b = Buffer.from('b'); class A { constructor() { return b } } new A()[0] = 97;	b + ''	a",
		"const b = Buffer.from('b'); function A() { return b } new A().fill(97);	b.toString()	a",
		"const b = Buffer.from('b'); class A { constructor() { return b } } class C extends A {} new C().write('a');	b + ''	a",
		"const b = Buffer.from('b'); class A { constructor() { return b } } class C extends A { 0 = 97 } new C();	b + ''	a",
		"const b = Buffer.from('b'); class A { constructor() { return b } } class C extends A { constructor() { super()[0] = 97 } } new C();	b + ''	a",
		"const b = Buffer.from('b'); class A { constructor() { return b } } A.from = Array.from; try { A.from([97]) } catch {}	b + ''	a",
		"const b = Buffer.from('b'); Uint8Array.of.call(function () { return b }, 97);	b + ''	a",
		"const b = Buffer.from('b'); Uint8Array.from.call(function () { return b }.bind(), [97]);	b + ''	a",
		"const b = Buffer.from('b'); let on; class A extends Uint8Array { constructor(n) { super(n); return on ? b : this } } const c = new A([97]); on = true; c.slice();	b + ''	a",
		"const b = Buffer.from('b'), u = ['constr', 'uctor'].map(c => c).join(''), t = { f: c => 1 }; t[u](b)[0] = 97;	b + ''	a",
		"const b = Buffer.from('b'), u = ['constr', 'uctor'].map(c => c).join(''), t = { f(c) {} }, { [u]: f } = t; f(b).fill(97);	b + ''	a",
		"let h; const o = { 0: 'b' }; function C() { return o } Array.fromAsync.call(C, ['a']).then(() => { h = o[0] });	o[0]	a",
		"const o = { length: 'b' }; Array.of.call(function () { return o });	o.length	0",
		"const o = { lastIndex: 'b', exec() { return null } }; let on; class A extends RegExp { constructor(c, d) { super(c, d); return on ? o : this } } const c = new A('c'); on = true; 'c'.split(c);	o.lastIndex	0",
		"const o = { lastIndex: 'b', exec() { return null } }; let on; class A extends RegExp { constructor(c, d) { super(c, d); return on ? o : this } } const c = new A('c', 'g'); on = true; 'c'.matchAll(c);	o.lastIndex	0",

		"const o = { encoding: 'b' }; require('string_decoder').StringDecoder.call(o, 'hex');	o.encoding	hex",
		"const o = { b: 1 }; require('events').call(o);	Object.keys(o).at(-1)	_maxListeners",
		"const o = { b: 1 }; require('events').init.call(o);	Object.keys(o).join()	b,_events,_eventsCount,_maxListeners",
		"const o = { b: 1, toJSON: require('events') }; JSON.stringify(o);	Object.keys(o).at(-1)	_maxListeners",
		"const o = { b: 1, then: require('events') }; Promise.resolve(o);	Object.keys(o).at(-1)	_maxListeners",
		"const o = { b: 1, get toJSON() { return require('stream').Stream } }; JSON.stringify(o);	Object.keys(o).at(-1)	_maxListeners",
		"const o = { b: 1 }, { Stream } = require('stream'); [o].forEach(x => { Stream.call(x) });	Object.keys(o)[1]	_events",
		"const o = { encoding: 'b' }, { StringDecoder: S } = require('string_decoder'), f = S.bind(o); f('hex');	o.encoding	hex",
		"const o = { encoding: 'b' }; o.f = require('string_decoder').StringDecoder; o.f('hex');	o.encoding	hex",
		"const o = { host: 'b' }; require('url').Url.call(o);	'x' + o.host	xnull",
		"const o = { host: 'b', toJSON: require('url').Url }; JSON.stringify(o);	'x' + o.host	xnull",
		"const o = { host: 'b', then: require('url').Url }; Promise.resolve(o);	'x' + o.host	xnull",
		"const o = { host: 'b', [Symbol.toPrimitive]: require('url').Url }; +o;	'x' + o.host	xnull",
		"const o = Object.assign(Object.create({ toJSON: require('url').Url }), { host: 'b' }); JSON.stringify(o);	'x' + o.host	xnull",
		"const o = { host: 'b', get toJSON() { return require('url').Url } }; JSON.stringify(o);	'x' + o.host	xnull",
		"const o = { length: 'b' }; require('stream').Readable.ReadableState.call(o);	'x' + o.length	x0",
		"const o = { allowHalfOpen: 'b' }; require('stream').Duplex.call(o);	'x' + o.allowHalfOpen	xtrue",
	} {
		fields := strings.Split(way, "\t")
		code := unknownKey + fields[0] + "\nconst m = { '" + fields[2] + "': process }; const x = m[" + fields[1] + "]; console.log(x.env)"
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "globalThis.process.env") && !deniedByStrict(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, program := range []string{ // which go on in an asynchronous function, whose result is the key
		"const s = Object('b'); s.then = r => r('a'); return await s",
		"const s = Buffer.from('b'); s.then = r => r('a'); return (await s) + ''",
		"for await (const o of [{ b: 'b', then(r) { r({ b: 'a' }) } }]) return o.b",
		"async function* g() { yield { b: 'b', then(r) { r({ b: 'a' }) } } } for await (const o of g()) return o.b",
	} {
		code := "(async () => { " + program + " })().then(s => { const m = { a: process }; const x = m[s]; console.log(x.env) })"
		if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "globalThis.process.env") && !deniedByStrict(f) {
			t.Errorf("seen by nobody:\n%s", code)
		}
	}
	for _, options := range []string{
		"const o = Object('utf8'); o.flag = 'w+';",
		"const o = Buffer.from('a'); o.flag = 'w+';",
		"const o = Object.assign(Buffer.from('a'), { flag: 'w+' });",
		"const z = ['q', 'w'].map(x => x).join(''), o = { ...JSON.parse(['{}'].map(x => x)[0])[z] };",
		"const e = new (require('node:events'))(), o = { encoding: 'utf8' }; e.on('x', x => { x.flag = 'w+' }); e.emit('x', o);",
		"const e = new (require('node:events'))(), o = { encoding: 'utf8' }; e.on('x', x => { Object.assign(x, { flag: 'w+' }) }); e.emit('x', o);",
		"const e = new (require('node:events'))(), o = { encoding: 'utf8' }; e.on('x', x => { x[k] = k }); e.emit('x', { o });",
		"const o = { encoding: 'utf8' }, x = new Map([[o, 1]]).keys().next().value; x.flag = 'w+';",
	} {
		f := analyzetest.Facts(t, Reader(), unknownKey+options+" require('fs').readFileSync('a', o)")
		if !slices.Contains(f.Names, "node:fs.openSync") && !deniedByStrict(f) {
			t.Errorf("nobody sees that the file is opened to write: %s", options)
		}
	}
	for _, code := range []string{ // which are ordinary
		"const s = new String('a'); console.log(s.length, s + 'b', s.toUpperCase(), [...s])",
		"const e = new (require('node:events'))(), l = [x => x], t = { a: x => x }; e.on('x', (o, f) => { o.each = f; o.n = f }); e.emit('x', l, x => x); const i = l.push(x => 1) - 1; l.forEach((f, n) => { l[n] = f }); console.log(l[i](1), t[['a'].reduce((a, b) => b, 'a')](1))",
		"class A { constructor(n) { this.n = n } toString() { return 'A' + this.n } valueOf() { return this.n } } const o = new A(1); console.log(`${o}`, o + 1, [o].join(), { a: x => x }['a'.slice(o - 1)](1))",
		"Object.keys(Object('ab')).forEach(n => console.log(n)); console.log({ ...'ab' }, Object(1) + 1, new Number(1).toFixed())",
		"console.log('a'.concat('b'), [].slice.call('ab').join(), Array.prototype.map.call('ab', x => x + x))",
		"const n = process.argv.length ? 1 : 'q'; console.log([1, 2, 3][n + 1], process.exitCode || 0, !process.stdout.isTTY)",
		"const rows = Array.from({ length: 3 }, (_, n) => new Array(3).fill(n)); rows[1][2] = 5; for (const r of rows) console.log(r.map(x => x + 1).join())",
		"const { a, ...rest } = { a: 1, b: 2, go() { return this.b } }; console.log(a, rest.go(), Object.keys(rest))",
		"class A { n = 1; go() { return this.n } } const p = A.prototype; const o = Object.create(p); o.n = 2; console.log(o.go(), p.go.call(o), { ...o })",
		"const o = Object.freeze({ n: [1] }); o.n.push(2); console.log(o.n, Object.isFrozen(o))",
		"const t = { a: x => x + 1, b: x => x - 1 }, names = { c: 'a' }; console.log(t[k](1), t[names[k]](2), `${names[k] || 'none'}`.length)",
		"const s = new Set([1, 2]), [first] = s; console.log(first + 1, [...s].map(x => x + first)); function f() { return Array.prototype.slice.call(arguments).join() } f(1)",
		"const { '\\ud800': a, '\\ufffd': b } = { '\\ud800': 1, '\\ufffd': 2 }; console.log(a, b)",
		"const { EventEmitter } = require('node:events'); function A() { EventEmitter.call(this); this.go = () => 1; this.on('x', () => this.go()) } A.prototype = Object.create(EventEmitter.prototype); new A().emit('x')",
		"const { Readable } = require('node:stream'); function A(o) { Readable.call(this, o); this.rows = [1, 2] } A.prototype = Object.create(Readable.prototype); A.prototype._read = function () { this.push(this.rows.pop()) }; new A({ objectMode: true })",
		"const lib = { decoder: require('node:string_decoder').StringDecoder, join: require('node:path').join }; console.log(new lib.decoder('utf8').end(Buffer.from('a')), lib.join('a', 'b'))",
		"class A extends Uint8Array { sum() { return this.reduce((m, n) => m + n) } } console.log(A.of(1, 2).sum(), A.from([3]).sum())",
		"const t = { add: b => b.length, text: b => b.toString() }; for (const n of process.argv) if (t[n]) console.log(t[n](Buffer.from('a')))",
		"class R extends RegExp { go(s) { return s.split(this).map(w => w + 1) } } console.log(new R('a').go('bab'))",
		"const e = new (require('node:events'))(); e.on('x', x => { x.flag = 'w+'; x[process.version] = 1 }); e.emit('x', {}); require('fs').readFileSync('a', { encoding: 'utf8' })",
	} {
		if f := analyzetest.Facts(t, Reader(), code); deniedByStrict(f) {
			t.Errorf("dynamic %v, attributes %v: %s", f.Dynamic, f.Attrs, code)
		}
	}
}
