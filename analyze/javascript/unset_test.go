package javascript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestJavaScriptUnset holds that what may be undefined is known for it: a function that is called
// of it has the global object, and in a text it is a text.
func TestJavaScriptUnset(t *testing.T) {
	for _, way := range []string{ // statements, a tab, and an expression that is undefined or 'a'
		"const l = ['a']; l.pop();	l.pop()",
		"const l = ['a']; l.shift();	l.shift()",
		"	['a'].at(3)",
		"	['a'].find(() => 0)",
		"const l = ['a']; l.splice(0);	l[0]",
		"const l = ['a']; l.length = 0;	l[0]",
		"	['a'][k.length]",
		"	({ a: 'a' })[k]",
		"function g(c) { if (c) return 'a' }	g(0)",
		"function g(c) { if (!c) return; return 'a' }	g(0)",
		"const g = c => { switch (c) { case 1: return 'a' } };	g(0)",
		"const o = { g(c) { for (const y of c) return 'a' } };	o.g([])",
		"class O { g(c) { try { if (c) return 'a' } catch {} } }	new O().g(0)",
		"function g(c) { do { if (!c) break; return 'a' } while (true) }	g(0)",
		"let v; if (k === '') v = 'a';	v",
		"let v; const s = () => { v = 'a' };	v",
		"let w, v; if (k === '') v = 'a'; w = v;	w",
		"const w = v; var v = 'a';	w",
		"if (k === '') { var v = 'a' }	v",
		"class A { s(c) { if (c) this.p = 'a'; return this } }	new A().s(0).p",
		"class A { p; s() { this.p = 'a' } }	new A().p",
		"const o = {}; if (k === '') o.p = 'a';	o.p",
		"const o = {}; function s() { o.p = 'a' }	o.p",
		"function o() {} if (k === '') o.p = 'a';	o.p",
		"const o = {}; if (k === '') Object.assign(o, { p: 'a' });	o.p",
		"function A() {} if (k === '') A.prototype.p = 'a';	new A().p",
		"function* g() { yield 'a' } const i = g(); i.next();	i.next().value",
		"let o; if (k === '') o = { p: 'a' };	o?.p",
		"let o; if (k === '') o = { p: { q: 'a' } };	o?.p.q",
		"let o; if (k === '') o = ['a'];	o?.[0]",
		"let o; if (k === '') o = { g: () => 'a' };	o?.g()",
		"let g; if (k === '') g = () => 'a';	g?.()",
		"const o = { ...(k === '' && { p: 'a' }) };	o.p",

		"for (var v of ['a'].filter(() => 0)) ;	v",
		"const w = g(); var v = 'a'; function g() { return v }	w",
		"const [w] = [1].map(g); var [v] = ['a']; function g() { return (() => v)() }	w",
		"const w = v; for (var v of ['a']) ;	w",
		"for (var [v] of [['a']].filter(() => 0)) ;	v",
		"for (var { v = 'a' } of [{}].filter(() => 0)) ;	v",
		"for (var { w: [v] } of [{ w: ['a'] }].filter(() => 0)) ;	v",
		"if (k === '') var v = 'a';	v",
		"if (k === '') var { v } = { v: 'a' };	v",
		"if (k === '') { var [, { w: v = 'a' }] = [1, {}] }	v",
		"try { k.p.q } catch (v) { var v = 'a' } const w = k ? v : 'a';	w",
		"try { k.p.q } catch (v) { var v } const w = k ? v : 'a';	w",
		"try { k.p.q } catch (v) { for (var v in { a: 1 }) ; } const w = k ? v : 'a';	w",
		"try { k.p.q } catch (v) { { var [{ v }] = [{ v: 'a' }] } } const w = k ? v : 'a';	w",
		"var v = (() => v)(); const w = k ? v : 'a';	w",
		"var v = g(); function g() { return v } const w = k ? v : 'a';	w",
		"for (var v of [g()]) ; function g() { return v } const w = k ? v : 'a';	w",
		"function g() { const w = undefined; var undefined = 'a'; return w }	g()",
		"function g() { const w = h(); var undefined = 'a'; return w; function h() { return undefined } }	g()",
		"const o = Object.create({}, Object.defineProperty({}, 'p', { value: { value: 'a' } }));	o.p",
		"const d = {}; if (k === '') d.p = { value: 'a' }; const o = Object.create({}, d);	o.p",
		"const w = v; var { v } = { v: 'a' };	w",
		"if (k === '') { var v; v = 'a' }	v",
		"const w = v; var v; v = 'a';	w",
		"let w = 'a', v; v = (w = v, 'a');	w",
		"l: { break l; var v; v = 'a' }	v",
		"if (k === '') { function s() {} }	(s && 'a')",
		"switch (k) { case '': function s() {} }	(s && 'a')",

		"class A { constructor() { return; this.p = 'a' } }	new A().p",
		"class A { constructor() { if (k) return; this.p = 'a' } }	new A().p",
		"function s() { const o = {}; if (k) return o; o.p = 'a'; return o }	s().p",
		"const o = {}; let c = 1; c ||= (o.p = 'a');	o.p",
		"const o = {}; let c = null; c ??= Object.assign(o, { p: 'a' });	o.p",
		"const o = {}, { c = (o.p = 'a') } = { c: 1 };	o.p",
		"const o = {}, [c = (o.p = 'a')] = [1];	o.p",
		"class A { constructor(c = (this.p = 'a')) {} }	new A(1).p",
		"const o = {}; null?.(o.p = 'a');	o.p",
		"const o = {}; k.q?.[o.p = 'a'];	o.p",
		"const o = {}; l: { break l; o.p = 'a' }	o.p",
		"const o = {}; l: { { break l } o.p = 'a' }	o.p",
		"let h; function* g() { const o = {}; h = o; yield o; o.p = 'a' } g().next();	h.p",
		"let h; function s() { const o = h = {}; if (k) return o; o.p = 'a' } s();	h.p",
		"let h; async function g() { const o = {}; h = o; await 0; o.p = 'a' } g();	h.p",
		"const w = F.p; function F() {} F.p = 'a';	w",

		"const { p, ...r } = { p: 'a' };	r.p",
		"const { 'p': q, ...r } = { p: 'a', x: 1 };	r.p",
		"let p, r; ({ p = 1, ...r } = { p: 'a' });	r.p",
		"const f = ({ p, ...r }) => r.p;	f({ p: 'a' })",
		"const { [k]: q, ...r } = { p: 'a' };	r.p",
		"class A { get p() { return 'a' } } const { ...r } = new A();	r.p",
		"const { ...r } = Object.create({ p: 'a' });	r.p",
		"const { ...r } = 'b';	(r.length && 'a')",
		"const { sep, ...r } = require('path');	(r.sep && 'a')",

		"class A { p = 'a' }	A.prototype.p",
		"class A { p = 'a' }	Object.create(A.prototype).p",
		"class A { p = 'a' } const q = A.prototype;	q.p",
		"class A { p = 'a' } const { prototype: q } = A;	q.p",
		"class A { get p() { return 'a' } }	({ ...new A() }).p",
		"class A { p() {} }	(({ ...new A() }).p && 'a')",
		"	({ .../a/ }).source",

		"const o = { set p(v) {} }; o.p = 'a';	o.p",
		"const o = Object.create({ set p(v) {} }); o.p = 'a';	o.p",
		"const o = { p: 'a', set p(v) {} };	o.p",
		"const o = Object.freeze({}); o.p = 'a';	o.p",
		"const o = {}; Object.seal(o); o.p = 'a';	o.p",
		"const o = {}; Object.preventExtensions(o); Object.assign(o, { p: 'a' });	o.p",
		"function o() {} Object.freeze(o); o.p = 'a';	o.p",
		"class A { constructor() { Object.freeze(this); this.p = 'a' } }	new A().p",

		"let v = 'a'; for (const x of ['a', , ]) v = x;	v",
		"let v = 'a'; [, 'a'].find((x, n) => { if (!n) v = x });	v",
		"let v = 'a'; for (v of ['a', ...[, ]]) ;	v",
		"const l = ['a']; l.push(...[, ]); let v = 'a'; for (v of l) ;	v",
		"let v = 'a'; for (v of Array.from({ length: 1, 0: 'a' })) ;	v",
		"const l = ['a']; l.fill(); let v = 'a'; for (v of l) ;	v",
		"let v = 'a'; for (const [, x] of ['a', , ].entries()) v = x;	v",
		"const l = ['a']; l.length = 2; let v = 'a'; for (v of l) ;	v",
		"const l = ['a']; l[2] = 'a'; let v = 'a'; l.findLast(x => { v = x });	v",
		"const l = ['a']; l[k.length] = 'a'; let v = 'a'; l.findLast(x => { v = x });	v",
		"	['a', , ].reverse()[0]",
		"	[...['a', , ], 1][1]",
		"let v = 'a'; for (v of [...Array(1)]) ;	v",
		"let v = 'a'; for (v of new Set(['a']).add()) ;	v",
		"let v = 'a'; new Map([[1, 'a']]).set(2).forEach(x => { v = x });	v",

		"const o = Object.defineProperty({}, 'p', { value: 'a' });	({ ...o }).p",
		"const o = {}; Object.defineProperty(o, 'p', { value: 'a', enumerable: false }); const { ...r } = o;	r.p",
		"const o = Object.create({}, { p: { value: 'a' } });	({ ...o }).p",
		"const o = {}; Object.defineProperty(o, 'p', { get() { return 'a' } });	({ ...o }).p",

		"function F() {} const o = new F(); F.prototype = { p: 'a' };	o.p",
		"function F() {} F.prototype = { p: 'a' }; F.prototype = { q: 1 };	new F().p",
		"function F() {} const o = new F(); F.prototype = { get p() { return 'a' } };	o.p",
		"function F() {} F.prototype = { p: 'a' }; Object.assign(F, { prototype: {} });	new F().p",

		"class B { get p() { return 'a' } } class A extends B { set p(v) {} }	new A().p",
		"class B { static get p() { return 'a' } } class A extends B { static set p(v) {} }	A.p",
		"class B { p() {} } class A extends B { set p(v) {} }	(new A().p && 'a')",
		"class B { get p() { return 'a' } } class A extends B { set ['p'](v) {} } class C extends A {}	new C().p",
		"class B { get p() { return 'a' } } class A extends B { set p(v) {} m() { const { p } = this; return p } }	new A().m()",

		"const p = { q: 'a' }, o = Object.create(k ? p : null);	o.q",
		"const p = { q: 'a' }, o = Object.create(k ? p : {});	o.q",
		"class B { static q = 'a' } class C {} class A extends (k ? B : C) {}	A.q",
		"class B { q = 'a' } class C {} class A extends (k ? B : C) {}	new A().q",
		"let C = class { get q() { return 'a' } }; C = class {}; class A extends C {}	new A().q",

		"class B { q = 'a' } class A extends B {} Object.setPrototypeOf(A, class {});	new A().q",
		"class B { q = 'a' } class A extends B {} class C extends A {} Object.assign(A, { ['__proto__']: class {} });	new C().q",
		"class B { q = 'a' } class A extends B { static { this.__proto__ = class {} } }	new A().q",

		"const o = { q: 'a' }; class B { constructor() { return o } } class A extends B { q } new A();	o.q",
		"class B { constructor(o) { return o } } class A extends B { ['q'] } class C { static q = 'a' } new A(C);	C.q",
		"const o = {}; class B { constructor() { return o } } class A extends B { q = 'a' }	o.q",
		"function f() {} class B { constructor() { return f } } class A extends B { q = 'a'; constructor() { super() } }	f.q",

		"let c = 'a'; var v = (() => { c = v; return 'a' })();	c",
		"let c = 'a'; var v = { get p() { c = v; return 'a' } }.p;	c",
		"let c = 'a'; var v = [1].map(() => { c = v }) && 'a';	c",
		"let c = 'a'; for (var v of [(() => { c = v; return 'a' })()]) ;	c",
		"let c = 'a'; var v = new (class { constructor() { c = v; this.p = 'a' } })().p;	c",
		"let c = 'a'; var v = (class { static { c = v } static p = 'a' }).p;	c",

		"const { '\\ud800': v } = { '\\ufffd': 'a' };	v",
		"const g = ({ '\\ud800': v }) => v;	g({ '\\ufffd': 'a' })",
		"class A { '\\ud800' = 'a' } const { '\\ufffd': v } = new A();	v",

		"const t = { 'é': 'a' };	t[Buffer.from('c3', 'hex') + Buffer.from('a9', 'hex')]",
		"const t = { 'é': 'a' };	t[`${Buffer.from([195])}${Buffer.from([169])}`]",
		"const t = { 'é': 'a' };	t[[Buffer.from('c3', 'hex'), Buffer.from('a9', 'hex')].join('')]",

		"class A { p = 'a'; [k] }	new A().p",
		"class A { static p = 'a'; static [k] }	A.p",
		"class A { p = 'a' } class B extends A { [k] }	new B().p",

		"class A { #p = 'a' }	new A()['#p']",
		"class A { #p = 'a'; g() { return this['#p'] } }	new A().g()",
		"class A { static #p = 'a' }	A['#p']",
		"class A { get #p() { return 'a' } }	new A()['#p']",
		"class A { #p() {} }	(new A()['#p'] && 'a')",
		"class A { #p = 'a' } const { '#p': v } = new A();	v",

		"const o = {}; late(); o.p = 'a'; function late() { Object.freeze(o) }	o.p",
		"const o = {}; [1].forEach(late); o.p = 'a'; function late() { Object.freeze(o) }	o.p",
		"const o = {}; new L(); o.p = 'a'; function L() { Object.seal(o) }	o.p",

		"let v = 'a'; const o = { valueOf(x) { v = x; return 1 } }; o.valueOf('a'); +o;	v",
		"let v = 'a'; const l = []; l.join = x => { v = x; return '' }; l.join('a'); '' + l;	v",
		"let v = 'a'; const o = { toLocaleString(x) { v = x; return '' } }; o.toLocaleString('a'); [o].toLocaleString();	v",
		"let v = 'a'; const o = { toString(x) { v = x; return '' } }; o.toString('a'); ({})[o];	v",
		"let v = 'a'; const o = { get toString() { return x => { v = x; return '' } } }; o.toString('a'); `${o}`;	v",
		"let v = 'a'; class A { valueOf(x) { v = x; return 1 } } new A().valueOf('a'); new A() * 1;	v",
		"let v = 'a'; const f = x => { v = x; return 1 }; f('a'); const o = { valueOf: f }; o - 1;	v",
		"let v = 'a'; const f = x => { v = x; return 1 }, o = {}; f('a'); o.valueOf = f.bind(null); o - 1;	v",

		"const a = {}, b = {}; (k === '' ? a : b).p = 'a';	a.p",
		"const o = {}; o[k === '' ? 'q' : 'p'] = 'a';	o.p",
		"const o = { [k === '' ? 'q' : 'p']: 'a' };	o.p",
		"const o = { get [k === '' ? 'q' : 'p']() { return 'a' } };	o.p",
		"class A { static [k === '' ? 'q' : 'p'] = 'a' }	A.p",
		"const a = {}, b = {}; Object.assign(k === '' ? a : b, { p: 'a' });	a.p",
		"const a = {}, b = {}; Object.defineProperty(k === '' ? a : b, 'p', { value: 'a' });	a.p",
		"const a = {}, b = {}; Reflect.set(k === '' ? a : b, 'p', 'a');	a.p",
		"const a = {}, g = c => c ? a : {}; const b = g(0); b.p = 'a';	a.p",

		"let v = 'a'; v = (() => {})();	v",
		"let v = 'a'; function g() { return } v = g();	v",
		"let v = 'a'; class A { g() {} } v = new A().g();	v",
		"let v = 'a'; v = ((function () {}).call(1));	v",
		"let v = 'a'; v = (() => { 1 })`b`;	v",
		"const o = { p: 'a', b: { get p() {} } }; Object.assign(o, o.b);	o.p",
		"const o = { p: 'a' }; Object.defineProperty(o, 'p', { get() {} });	o.p",
		"let v = 'a'; (async () => { v = await (async () => {})() })();	v",
		"let v = 'a'; function* g() {} v = g().next().value;	v",
		"let v = 'a'; v = [].find(() => 1);	v",

		"module.exports = {}; exports.p = 'a';	module.exports.p",
		"module.exports = {}; this.p = 'a';	module.exports.p",
		"const e = exports; module.exports = {}; e.p = 'a';	module.exports.p",
		"module.exports = {}; module.exports.p = 'a';	exports.p",
		"const o = {}; class X { z = (o.p = 'a') }	o.p",
		"const o = {}; function f() { class X { static { o.p = 'a' } } }	o.p",
		"const o = {}; function f() { class X { static z = (o.p = 'a') } }	o.p",
		"class A {} class X { z = (A.p = 'a') }	A.p",
		"class A {} A.prototype = 'a';	A.prototype",
		"class A { static prototype2 = 1 } Object.assign(A, { prototype: 'a' });	A.prototype",
		"function o() {} o.arguments = 'a';	o.arguments",
		"function o() {} o.caller = 'a';	o.caller",
		"const o = (x => x)`b`; o[1] = 'a';	o[1]",
		"const o = (x => x)`b`; o.p = 'a';	o.p",

		"const o = {}; const c = { ...o }; o.p = 'a';	c.p",
		"const o = {}; const { ...c } = o; o.p = 'a';	c.p",
		"const o = {}; const c = Object.assign({}, o); o.p = 'a';	c.p",
		"const o = {}; const c = (x => x.p)(o); o.p = 'a';	c",
		"const o = {}; const c = o.p; o.p = 'a';	c",
		"const o = { g() { return this.p } }; o.c = o.g(); o.p = 'a';	o.c",
		"const o = { get g() { return this.p } }; const c = o.g; o.p = 'a';	c",
		"let c; const o = { set g(x) { c = this.p } }; o.g = 1; o.p = 'a';	c",
		"const o = {}; const f = () => o.p; const c = f(); o.p = 'a';	c",
		"const o = {}; const c = f(); o.p = 'a'; function f() { return o.p }	c",
		"const f = () => f.p; f.c = f(); f.p = 'a';	f.c",
		"class A { constructor() { this.c = (x => x.p)(this); this.p = 'a' } }	new A().c",
		"class A { constructor() { this.c = this.g(); this.p = 'a' } g() { return this.p } }	new A().c",
		"class A { c = this.g(); p = 'a'; g() { return this.p } }	new A().c",
		"class A { c = this.g(); constructor() { this.p = 'a' } g() { return this.p } }	new A().c",
		"class A { constructor(c = this.g()) { this.c = c; this.p = 'a' } g() { return this.p } }	new A().c",
		"class A { static c = (x => x.p)(this); static p = 'a' }	A.c",
		"class A { static c = A.g(); static p = 'a'; static g() { return this.p } }	A.c",
		"class A { static { this.c = this.g(); this.p = 'a' } static g() { return this.p } }	A.c",
		"class B { constructor() { this.c = this.g() } } class A extends B { p = 'a'; g() { return this.p } }	new A().c",
		"class B { constructor() { this.c = this.g() } } class A extends B { constructor() { super(); this.p = 'a' } g() { return this.p } }	new A().c",
		"function A() { this.c = this.g(); this.p = 'a' } A.prototype.g = function () { return this.p };	new A().c",
		"const c = (x => x.p)(exports); exports.p = 'a';	c",

		"const f = () => o.p; const o = {}; const c = f(); o.p = 'a';	c",
		"let c = 'a'; const f = () => { c = o.p }, e = { get q() { f() }, p: 'a' }; const o = {}; Object.assign(o, e);	c",
		"let c = 'a'; const f = () => { c = o.p }, e = { get value() { f(); return 'a' } }; const o = {}; Object.defineProperty(o, 'p', e);	c",
		"function f() { return o.p } const o = {}; const c = f(); o.p = 'a';	c",
		"class F { static g() { return o.p } } const o = {}; const c = F.g(); o.p = 'a';	c",
		"const f = () => o; const o = {}; const { p: c } = f(); o.p = 'a';	c",
		"const f = () => o.p; const o = () => 1; const c = f(); o.p = 'a';	c",
		"const f = () => o.p; class O {} const o = O; const c = f(); o.p = 'a';	c",
		"const f = () => o.p; class o {} const c = f(); o.p = 'a';	c",
		"class o {} const c = f(); o.p = 'a'; function f() { return o.p }	c",
		"class o {} const c = (x => x.p)(o); Object.assign(o, { p: 'a' });	c",
		"const f = () => o[0]; const o = []; const c = f(); o[0] = 'a';	c",
		"let c = 'a'; const e = { set g(v) { c = o.p } }; const o = {}; e.g = 1; o.p = 'a';	c",
		"let c = 'a'; const e = { toString() { c = o.p; return '' } }; const o = {}; `${e}`; o.p = 'a';	c",
		"let c = 'a'; const e = { *[Symbol.iterator]() { c = o.p } }; const o = {}; [...e]; o.p = 'a';	c",
		"const o = {}; const c = f(); o.p = 'a'; function g() { return o.p } function f() { return g() }	c",
		"var v; const c = f(); v = 'a'; function f() { return v }	c",
		"let v; const c = f(); v = 'a'; function f() { return v }	c",
		"let c = 'a', v; v = f(); function f() { c = v; return 'a' }	c",
		"let c = 'a'; var v = f(); function f() { c = v; return 'a' }	c",
		"let c = 'a'; for (var v of [f()]); function f() { c = v; return 'a' }	c",
		"function f() { return v } let v; const c = f(); v = 'a';	c",
		"const f = () => v; let v; const c = f(); v = 'a';	c",
		"const f = () => v, s = () => { v = 'a' }; let v; const c = f(); s();	c",
		"class F { static g() { return v } } let v; const c = F.g(); v = 'a';	c",
		"function g() { let v; const c = f(); v = 'a'; return c; function f() { return v } }	g()",
		"function g() { const c = f(); var v = 'a'; return c; function f() { return v } }	g()",
		"function g() { const o = {}; const c = f(); o.p = 'a'; return c; function f() { return o.p } }	g()",
		"const c = f(); exports.p = 'a'; function f() { return exports.p }	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; o.g += 1; o.p = 'a';	c",
		"let c = 'a'; const g = () => { c = o.p }, o = {}; Object.assign(o, { get p() { g(); return 'a' } });	c",
		"let c = 'a'; const g = () => { c = o.p }, o = () => 1; Object.defineProperty(o, 'p', { get value() { g(); return 'a' } });	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; Object.assign(o, { g: 1, p: 'a' });	c",
		"let c = 'a'; Object.assign({ set g(x) { c = this.p } }, { g: 1, p: 'a' });	c",
		"let c = 'a'; const o = { set q(x) { c = x.p } }; (o.q = {}).p = 'a';	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; o.g++; o.p = 'a';	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; o.g ??= 1; o.p = 'a';	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; [o.g] = [1]; o.p = 'a';	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; ({ x: o.g = 1 } = {}); o.p = 'a';	c",
		"let c = 'a'; const o = { set g(x) { c = this.p } }; for (o.g of [1]); o.p = 'a';	c",
		"let c = 'a'; class B { constructor() { [this.g] = [1]; this.p = 'a' } set g(v) { c = this.p } } new B();	c",
		"let c = 'a'; class B { constructor() { this.g += 1 } } class A extends B { p = 'a'; set g(v) { c = this.p } } new A();	c",
		"let c = 'a'; class B { q = this.g; p = 'a' } class A extends B { get g() { c = this.p } } new A();	c",
		"let c = 'a'; class B { q = (this.g = 1); p = 'a' } class A extends B { set g(v) { c = this.p } } new A();	c",

		"	(Math.nope && 'a')",
		"	('b'.nope && 'a')",
		"	(process.exitCode && 'a')",
		"	(globalThis.require && 'a')",
		"	(require('path').default && 'a')",
		"const f = l => l[0]; let v;	(f`\\01` && 'a')",
	} {
		statements, expression, _ := strings.Cut(way, "\t")
		for _, use := range []string{
			"function f() { return this.process.env } f.call({x})",
			"function f() { return this.process.env } f.bind({x})()",
			"const m = { xa: {}, xundefined: process }; const e = {x}; const x = m['x' + e]; console.log(x.env)",
			"const m = { xa: {}, xundefined: process }; const e = {x}; const x = m[`x${e}`]; console.log(x.env)",
			"const m = { false: {}, true: process }; const x = m[!{x}]; console.log(x.env)",
		} {
			code := unknownKey + statements + "\n" + strings.ReplaceAll(use, "{x}", expression)
			if f := analyzetest.Facts(t, Reader(), code); !slices.Contains(f.Names, "globalThis.process.env") && !deniedByStrict(f) {
				t.Errorf("seen by nobody:\n%s", code)
			}
		}
	}
	for _, code := range []string{ // which file is read is known
		"let p; p = 'a.txt'; fs.readFileSync('d/' + p)",
		"var p = 'a.txt'; fs.readFileSync('d/' + p)",
		"var p = ['a', 'txt'].join('.'), o = { p, get() { return o.p } }, g = () => p + g; fs.readFileSync('d/' + p); console.log(o, g)",
		"for (var i = 0, p = 'a.txt'; i < 2; i++) fs.readFileSync('d/' + p); console.log(i)",
		"const o = {}; o.p = 'a.txt'; fs.readFileSync('d/' + o.p)",
		"class A { constructor() { this.p = 'a.txt' } get() { return fs.readFileSync('d/' + this.p) } } new A().get()",
		"class A { p = 'a.txt'; get() { return fs.readFileSync('d/' + this.p) } } new A().get()",
		"class A { static { this.p = 'a.txt' } static get() { return fs.readFileSync('d/' + this.p) } } A.get()",
		"function F() { this.p = 'a.txt' } F.prototype.get = function () { return fs.readFileSync('d/' + this.p) }; new F().get()",
		"function g(n) { if (n) { return 'a.txt' } else { throw n } } fs.readFileSync('d/' + g(1))",
		"function g(n) { switch (n) { case 1: return 'a.txt'; default: throw n } } fs.readFileSync('d/' + g(1))",
		"function g(n) { try { return 'a.txt' } finally { n() } } fs.readFileSync('d/' + g(() => 1))",
		"function g(n) { for (;;) { if (n()) return 'a.txt' } } fs.readFileSync('d/' + g(() => 1))",
		"const l = ['d/a.txt']; for (let i = 0; i < l.length; i++) fs.readFileSync(l[i])",
		"const l = ['d/a.txt']; fs.readFileSync(l.pop())",
		"let p; if (k) p = 'd/a.txt'; fs.readFileSync(p)",
		"for (const p of ['a.txt']) fs.readFileSync('d/' + p)",
		"exports.p = 'a.txt'; fs.readFileSync('d/' + exports.p)",
		"for (var p of ['a.txt']) fs.readFileSync('d/' + p)",
		"for (var { p } of [{ p: 'a.txt' }]) { fs.readFileSync('d/' + p) }",
		"var { p } = { p: 'a.txt' }; fs.readFileSync('d/' + p)",
		"export var p = 'a.txt'; fs.readFileSync('d/' + p)",
		"if (k) { var p; p = 'a.txt'; fs.readFileSync('d/' + p) }",
		"class A { constructor(n) { if (!n) throw new Error(n); [this.n, this.p] = [n, 'a.txt'] } get() { return fs.readFileSync('d/' + this.p) } } new A(1).get()",
		"function o() { if (k) return 1; const o = {}; o.p = 'a.txt'; return o } const { p } = { p: 'a.txt' }; fs.readFileSync('d/' + p)",
		"const { n, ...r } = { n: 1, p: 'a.txt' }; fs.readFileSync('d/' + r.p)",
		"class A { constructor() { this.p = 'a.txt'; Object.freeze(this) } get() { return fs.readFileSync('d/' + this.p) } } new A().get()",
		"const o = Object.freeze({ p: 'a.txt' }); fs.readFileSync('d/' + o.p)",
		"class A { p = 'a.txt'; get() { return fs.readFileSync('d/' + this.p) } } A.prototype.set = function () {}; A.prototype.get.call(new A())",
		"const l = ['a.txt', ]; fs.readFileSync('d/' + l.join(''))",
		"var p = 'a.txt'; function g() { return fs.readFileSync('d/' + p) } g()",
		"function F() { this.p = 'a.txt' } F.prototype = {}; fs.readFileSync('d/' + new F().p)",
		"class A { #p = 'a.txt'; get() { return fs.readFileSync('d/' + this.#p) } } new A().get()",
		"class B { get p() { return 'a.txt' } } class A extends B { set q(v) {} } fs.readFileSync('d/' + new A().p)",
		"const o = {}; o.p = 'a.txt'; Object.freeze(o); fs.readFileSync('d/' + o.p)",
		"const o = { valueOf(x) { return x } }; fs.readFileSync(`d/${['a.txt']}`); +o",
		"function g() { return fs.readFileSync('d/' + o.p) } const o = {}; o.n = [1, { m: () => g() }]; o.p = 'a.txt'; g()",
		"const g = () => fs.readFileSync('d/' + p); let p; const n = /x/; p = 'a.txt'; g(n)",
		"const g = () => fs.readFileSync('d/' + o.p); const o = () => 1; Object.assign(o, { p: 'a.txt' }); g()",
		"let p; p = 'a.txt'; g(); function g() { return fs.readFileSync('d/' + p) }",
		"let o; (o = {}).p = 'a.txt'; fs.readFileSync('d/' + o.p)",
		"const o = Object.assign({ get n() { return 1 } }, { p: 'a.txt' }); fs.readFileSync('d/' + o.p)",
		"const o = {}; o.p = 'a.txt'; h(); function g() { return fs.readFileSync('d/' + o.p) } function h() { return g() }",
		"for (var p = 'a.txt'; k;) break; fs.readFileSync('d/' + p)",
		"l: for (var p = 'a.txt'; 0;) ; fs.readFileSync('d/' + p)",
		"if (k) for (var p = 'a.txt'; k;) fs.readFileSync('d/' + p)",
		"const n = 1; function f() { const g = () => fs.readFileSync('d/' + o.p), o = {}; o.n = n; o.p = 'a.txt'; g() } f()",
		"const n = 1, f = () => { const g = () => fs.readFileSync('d/' + o.p), o = {}; o.n = n; o.l = []; o.p = 'a.txt'; g() }; f()",
		"const g = () => fs.readFileSync('d/' + p); let n, p; n = require; p = 'a.txt'; g()",
		"class B {} class A extends B { constructor() { super(); this.p = 'a.txt' } } fs.readFileSync('d/' + new A().p)",
	} {
		f := analyzetest.Facts(t, Reader(), unknownKey+"const fs = require('fs');\n"+code)
		if deniedByStrict(f) || !slices.ContainsFunc(f.Uses["node:fs.readFileSync"], func(u analyze.Use) bool {
			return u.How == analyze.HowCall && len(u.Args) == 1 && u.Args[0].Value == "d/a.txt"
		}) {
			t.Errorf("the file is not known, dynamic %v: %s", f.Dynamic, code)
		}
	}
	for _, code := range []string{ // which file is read is not known: a name or member is undefined there
		"let p = {}; const o = Object.create(p); p = { q: 'a.txt' }; fs.readFileSync('d/' + o.q)",
		"const g = p => Object.create(p), o = g({}); g({ q: 'a.txt' }); fs.readFileSync('d/' + o.q)",
		"const g = B => class extends B {}, A = g(class {}); g(class { static q = 'a.txt' }); fs.readFileSync('d/' + A.q)",
		"const p = { q: 'a.txt' }, o = {}; fs.readFileSync('d/' + o.q); Object.setPrototypeOf(o, p)",
		"const p = { q: 'a.txt' }, o = Object.create(p); o.__proto__ = {}; fs.readFileSync('d/' + o.q)",
		"class B { get q() { return 'a.txt' } } function A() {} fs.readFileSync('d/' + new A().q); require('util').inherits(A, B)",
		"class B { q = 'a.txt' } function A() {} require('util').inherits(A, B); fs.readFileSync('d/' + new A().q)",
		"var { v = 'a.txt' } = (() => { fs.readFileSync('d/' + v); return {} })()",
		"class A extends Object { m() { this.q = 'a.txt' } } const o = {}; A.prototype.m.call(o); fs.readFileSync('d/' + o.q)",
		"class B extends Map {} class A extends B { m() { return o } } const o = {}; A.prototype.m().q = 'a.txt'; fs.readFileSync('d/' + o.q)",
		"let p = 'b.txt'; class A extends Object { get m() { p = 'a.txt' } } A.prototype.m; fs.readFileSync('d/' + p)",
		"const o = { p: 'a.txt' }; Reflect.set(o, 'p'); fs.readFileSync('d/' + o.p)",
		"let p = 'a.txt'; p = Object.freeze(); fs.readFileSync('d/' + p)",
		"let p = 'a.txt'; const l = []; p = Object.seal(...l); fs.readFileSync('d/' + p)",
		"const e = new (require('node:events'))(), o = { p: 'a.txt' }; e.on('x', p => { Object.setPrototypeOf([], p).push(o); fs.readFileSync('d/' + o.p) }); e.emit('x', { __proto__: Array.prototype, set 0(v) { v.p = 'b.txt' } })",
		"const o = { p: 'a.txt' }; Reflect.set({}, 'p', 'b.txt', o); fs.readFileSync('d/' + o.p)",
		"const o = { p: 'a.txt' }; Reflect.set({ set q(v) { this.p = v } }, 'q', 'b.txt', o); fs.readFileSync('d/' + o.p)",
		"const o = { p: 'a.txt' }; Reflect.get({ get q() { this.p = 'b.txt' } }, 'q', o); fs.readFileSync('d/' + o.p)",
		"let p = 'a.txt'; const f = v => { p = v }; f(p); new WeakRef(Function.prototype.call.bind(f)).deref()(null, 'b.txt'); fs.readFileSync('d/' + p)",
		"class A { static { g(); f.p = 'a.txt'; function f() {} function g() { fs.readFileSync('d/' + f.p) } } }",
		"class A { set g(x) { fs.readFileSync('d/' + this.p) } constructor() { Object.assign(this, { g: 1, p: 'a.txt' }) } } new A()",
		"const g = o => { fs.readFileSync('d/' + o.p); return o }; g({}).p = 'a.txt'",
		"const g = o => { fs.readFileSync('d/' + o.p); return o }; Object.assign(g(() => 1), { p: 'a.txt' })",
		"var o; const g = () => fs.readFileSync('d/' + o.p); (o = {}).p = (g(), 'a.txt')",
		"var o; const g = () => fs.readFileSync('d/' + o.p); Object.assign(o = {}, { get q() { g() }, p: 'a.txt' })",
		"const o = {}, g = () => fs.readFileSync('d/' + o.q.p); (o.q = {})[(g(), 'p')] = 'a.txt'",
		"const g = o => { const { c, ...r } = o; return r }; g({ p: 'a' }); fs.readFileSync(`${g({}).p}`)",
		"let g; const c = 1; function f() { g = () => fs.readFileSync('d/' + v); let v; c = 2; v = 'a.txt' } try { f() } catch {} g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + v); let v; undefined = 1; v = 'a.txt' } try { f() } catch {} g()",
		"let g; const f = function f() { g = () => fs.readFileSync('d/' + v); let v; f = 1; v = 'a.txt' }; try { f() } catch {} g()",
		"let g; class A { static f() { g = () => fs.readFileSync('d/' + v); let v; A = 1; v = 'a.txt' } } try { A.f() } catch {} g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); const o = {}; o.q = y; o.p = 'a.txt'; let y } try { f() } catch {} g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); const o = {}; o.q = nope; o.p = 'a.txt' } try { f() } catch {} g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); class o {} o.q = A; o.p = 'a.txt'; class A {} } try { f() } catch {} g()",
		"let g; try { f() } catch {} let y = 1; function f() { g = () => fs.readFileSync('d/' + v); let v; y = 2; v = 'a.txt' } g()",
		"let g; function f(n) { switch (n) { case 0: let y = 1; case 1: { g = () => fs.readFileSync('d/' + v); let v; y = 2; v = 'a.txt' } } } try { f(1) } catch {} g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); try { f() } catch {} const o = {}; o.q = [1, 2]; o.p = 'a.txt' } f(); g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); try { f() } catch {} const o = {}; o.q = /a/; o.p = 'a.txt' } f(); g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); try { f() } catch {} const o = {}; o.q = process; o.p = 'a.txt' } f(); g()",
		"let g; function f() { g = () => fs.readFileSync('d/' + o.p); try { f() } catch {} const o = {}; Object.assign(o, { p: 'a.txt' }) } f(); g()",
		"let o; function f() { (o = {}).p = y; let y = 'a.txt' } try { f() } catch {} fs.readFileSync('d/' + o.p)",
		"let g; for (const y of [() => { g = () => fs.readFileSync('d/' + o.p); const o = {}; o.q = y; o.p = 'a.txt' }]) try { y() } catch {} g()",
		"let g; function f(a = (() => { g = () => fs.readFileSync('d/' + o.p); const o = {}; o.q = b; o.p = 'a.txt' })(), b) {} try { f() } catch {} g()",
		"let g; try { class A { [(() => { g = () => fs.readFileSync('d/' + o.p); const o = {}; o.q = A; o.p = 'a.txt' })()]() {} } } catch {} g()",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = {}; o.q = Worker; o.p = 'a.txt'",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = {}; o.q = y; o.p = 'a.txt'; let y",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = () => 1; Object.assign(o, { name: 1, p: 'a.txt' })",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); class o {} Object.assign(o, { prototype() {}, p: 'a.txt' })",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = { get q() { return 1 } }; Object.assign(o, { q: 1, p: 'a.txt' })",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = Object.create(Object.freeze({ q: 1 })); Object.assign(o, { q: 1, p: 'a.txt' })",
		"process.on('exit', () => fs.readFileSync('d/' + o.p)); const o = {}; Object.defineProperty(o, 'p', { value: 'a.txt', get: 1 })",
		"class B {} class A extends B { constructor() { f(super()); this.p = 'a.txt' } } function f(o) { fs.readFileSync('d/' + o.p) } new A()",
		"let o; class B {} class A extends B { constructor() { o = super(); o.q.r; this.p = 'a.txt' } } try { new A() } catch {} fs.readFileSync('d/' + o.p)",
		"let o; class B {} class A extends B { constructor() { (() => o = super())(); this.q.r; this.p = 'a.txt' } } try { new A() } catch {} fs.readFileSync('d/' + o.p)",
		"for (; 0;) var p = 'a.txt'; fs.readFileSync('d/' + p)",
		"if (0) var p = 'a.txt'; else fs.readFileSync('d/' + p)",
		"if (0) for (var p = 'a.txt'; 0;) ; else fs.readFileSync('d/' + p)",
		"for (var p; 0;) p = 'a.txt'; fs.readFileSync('d/' + p)",
	} {
		f := analyzetest.Facts(t, Reader(), "const fs = require('fs');\n"+code)
		if slices.ContainsFunc(f.Uses["node:fs.readFileSync"], func(u analyze.Use) bool { return len(u.Args) == 1 && u.Args[0].Known }) {
			t.Errorf("the file counts as known: %s", code)
		}
	}
	for _, code := range []string{ // nothing is asked of undefined
		"const l = [{ n: 1 }]; let o; for (const p of l) o = p; console.log(o.n, o[k], { ...o }, l.pop().constructor.name)",
		"class A { go() { return this.n } } let a; if (k) a = new A(); a.n = 1; console.log(a.go(), [a].find(b => b.n).go())",
		"const handlers = { a: x => x + 1, b: x => x - 1 }; console.log(handlers[k](1))",
		"let log; if (k) log = 'log'; else log = 'warn'; console[log]('a'); process.stdout[k ? 'write' : 'end']('a')",
		"let timer; function stop() { clearTimeout(timer) } timer = setTimeout(stop, 1); let done; new Promise(r => { done = r }).then(console.log); done(1)",
		"const stack = [{ n: 1, next: [] }]; while (stack.length) { const { n, next } = stack.pop(); for (const o of next) stack.push(o); console.log(n) }",
	} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); deniedByStrict(f) || slices.ContainsFunc(f.Names, func(n string) bool { return strings.Contains(n, "undefined") }) {
			t.Errorf("names %v, dynamic %v: %s", f.Names, f.Dynamic, code)
		}
	}
}

// TestJavaScriptHandedReceivers holds that a function may have the global object as this where what it is
// called of was handed over, whatever that was seen to be.
func TestJavaScriptHandedReceivers(t *testing.T) {
	for _, code := range []string{
		"f.call(e)",
		"f.call('a')",
		"f.call(e.p)",
		"f.call(k ? {} : e)",
		"f.apply(e, [])",
		"f.bind(e)()",
		"const g = f.bind(e); [1].map(x => g(x))",
		"f.call.call(f, e)",
		"f.call(...[e])",
		"const o = { m: f }; o.m.call(e)",
		"class A { static m() { f.call(this) } } const { m } = A; m()",
		"class A { static m() { f.call(this) } } A.m.call(e)",
		"[1].forEach(f, e)",
		"const m = new (require('node:events'))(); m.on('x', h => h()()); m.emit('x', (() => f).bind())",
		"const m = new (require('node:events'))(); class A { constructor() { return f } } m.on('x', C => new C()()); m.emit('x', A)",
	} {
		facts := analyzetest.Facts(t, Reader(), unknownKey+"const e = { p: {} }; function f() { return this.process.env }\n"+code)
		if !slices.Contains(facts.Names, "globalThis.process.env") && !deniedByStrict(facts) {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	for _, code := range []string{
		"f.call({ process: e })",
		"f.apply(new A(), [])",
		"class B { constructor() { f.call(this) } } new B()",
		"new A().m()",
	} {
		facts := analyzetest.Facts(t, Reader(), "const e = { p: {} }; class A { m() { return f.call(this) } } function f() { return this.process.env }\n"+code)
		if slices.Contains(facts.Names, "globalThis.process.env") || deniedByStrict(facts) {
			t.Errorf("names %v, dynamic %v: %s", facts.Names, facts.Dynamic, code)
		}
	}
}

// TestJavaScriptManyLooseFunctions has an object with more functions under keys that are not
// known, its own and those that it inherits, than are told apart where the language may ask for
// any of them.
func TestJavaScriptManyLooseFunctions(t *testing.T) {
	var b strings.Builder
	b.WriteString(unknownKey + "const p = {}, o = Object.create(p);\n")
	for n := range maxAtoms - 4 {
		fmt.Fprintf(&b, "o[k + %d] = function () { return %d };\np[k + %d] = function () { return %d };\n", n, n, n, n)
	}
	b.WriteString("for (const x of o) console.log(x, `${o}`, 'a'.replace(o, 'b'), o instanceof o);\n")
	if f := analyzetest.Facts(t, Reader(), b.String()); !f.Complete {
		t.Errorf("not read whole: %v", f.Syntax)
	}
}

// TestJavaScriptManyReplacements has a class above that gives other objects in the place of its own,
// around as many as are told apart: methods are the class's all the same.
func TestJavaScriptManyReplacements(t *testing.T) {
	for n := maxAtoms - 3; n < maxAtoms+3; n++ {
		var b strings.Builder
		b.WriteString("class A {\n  constructor(k) {\n")
		for i := range n {
			fmt.Fprintf(&b, "    if (k === %d) return { a: %d };\n", i, i)
		}
		b.WriteString("  }\n}\nclass B extends A { f = 1; e; m() { return require('child_process'); } get g() { return this.m(); } }\nnew B(2).g.exec('id');\n")
		if f := analyzetest.Facts(t, Reader(), b.String()); !slices.Contains(f.Names, "node:child_process.exec") && !slices.Contains(f.Imports, "node:child_process") {
			t.Errorf("%d objects: names %v, imports %v", n, f.Names, f.Imports)
		}
	}
}
