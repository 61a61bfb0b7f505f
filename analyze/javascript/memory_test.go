package javascript

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/analyzetest"
)

// TestJavaScriptMemory holds that what takes the memory of a buffer away is named, however it is
// asked for, and that what is called the same elsewhere is not.
func TestJavaScriptMemory(t *testing.T) {
	t.Parallel()
	const buffers = "const { StringDecoder } = require('string_decoder'); const { port1 } = new MessageChannel(); const b = new ArrayBuffer(8, { maxByteLength: 16 });\n"
	const prototype = ".prototype."
	for name, codes := range map[string][]string{
		"globalThis.ArrayBuffer" + prototype + "resize": {
			"b.resize(0)", "const { resize } = b; resize.call(b, 0)", "b['re' + 'size'](0)", "[b].forEach(x => x.resize(0))", "const f = b.resize.bind(b, 0); f()",
			"class A extends ArrayBuffer { f() { this.resize(0) } } new A(8, { maxByteLength: 16 }).f()", "class A extends ArrayBuffer { f() { super.resize(0) } } new A(8).f()",
			"ArrayBuffer.prototype.resize.call(b, 0)", "Promise.resolve(b).then(x => x.resize(0))",
		},
		"globalThis.ArrayBuffer" + prototype + "transfer":              {"Buffer.alloc(8).buffer.transfer()", "const { buffer: { transfer } } = new Uint8Array(8); transfer.call(b)", "port1[k](0, [b])", "const { [k]: f } = port1; f.call(port1, 0, [b])"},
		"globalThis.ArrayBuffer" + prototype + "transferToFixedLength": {"b.transferToFixedLength(4)"},
		"globalThis.MessagePort" + prototype + "postMessage": {
			"port1.postMessage(0, [b])", "port1.postMessage(0, { transfer: [b] })", "port1.postMessage(...[0, [b]])", "const f = port1.postMessage; f.call(port1, 0, [b])",
			"port1.postMessage.apply(port1, [0, [b]])", "MessagePort.prototype.postMessage.call(port1, 0, [b])", "port1.postMessage.bind(port1, 0)([b])",
		},
		"globalThis.ReadableStream" + prototype + "getReader": {
			"new Blob(['a']).stream().getReader({ mode: 'byob' }).read(new Uint8Array(b))", "const { getReader } = new Blob(['a']).stream(); getReader.call(0)", "new Blob(['a']).stream().getReader(...[{ mode: 'byob' }])",
		},
		"globalThis.ReadableByteStreamController": {
			"new ReadableStream({ type: 'bytes' })", "const o = {}; o.type = 'by' + 'tes'; new ReadableStream(o)", "new ReadableStream({ get type() { return 'bytes' } })",
			"class S { type = 'bytes' } new ReadableStream(new S())", "class S { static type = 'bytes' } new ReadableStream(S)", "class S { get type() { return 'bytes' } } new ReadableStream(new S())",
			"new ReadableStream({ ...{ type: 'bytes' } })", "new ReadableStream(Object.create({ type: 'bytes' }))", "new ReadableStream(Object.fromEntries([['type', 'bytes']]))",
			"new ReadableStream(...[{ type: 'bytes' }])", "new ReadableStream(JSON.parse(k))", "class R extends ReadableStream { } new R({ type: 'bytes' })",
			"class R extends ReadableStream { constructor() { super({ type: 'bytes' }) } } new R()", "const o = {}; o[k] = 'bytes'; new ReadableStream(o)",
			"const o = { q: {} }; o[k][k] = 'bytes'; new ReadableStream({ start(c) { c.enqueue(b) } })",
			"new (ReadableStream.bind(null, { type: 'bytes' }))()", "const R = ReadableStream.bind(null).bind(null); new R({ type: 'bytes' })",
			"b.slice = () => b; new Response(b)", "class B extends ArrayBuffer { slice() { return this } } new Response(new B(8))", "const u = new Uint8Array(8); u.buffer.slice = () => u.buffer; new Response(u)",
			"const f = new File([], 'a'); f.stream = async function* () { yield b }; const d = new FormData(); d.append('a', f); new Response(d)", "new Response(...[b])", "new (Response.bind(null, b))()",
			"new Request('http://a', { body: b })", "const o = {}; o.body = b; new Request('http://a', o)", "new Request('http://a', { get body() { return b } })", "new Request('http://a', Object.create({ body: b }))", "new Request('http://a', JSON.parse(k))",
		},
		"node:stream.Readable.toWeb": {
			"const o = { ...require('stream').Readable }; o.toWeb(k, { type: 'bytes' })", "const o = { toWeb() { }, ...require('stream').Readable }; o.toWeb(k, { type: 'bytes' })", "const { toWeb } = Object.assign({}, require('stream').Readable); toWeb(k, { type: 'bytes' })",
			"[require('stream').Readable].map(R => R.toWeb(R.from([b]), { type: 'bytes' }))", "Promise.resolve(require('stream').Readable).then(({ toWeb }) => toWeb(k, { type: 'bytes' }))", "class A extends require('stream').Readable { static { this.toWeb(k, { type: 'bytes' }) } }",
		},
		"node:string_decoder.StringDecoder" + prototype + "lastChar": {
			"new StringDecoder('utf8').lastChar.fill(1)", "const { lastChar: { buffer } } = new StringDecoder('utf8')", "class D extends StringDecoder { f() { return this.lastChar } } new D('utf8').f()",
			"require('crypto').createHash('md5')._decoder.lastChar", "console.log(new StringDecoder('utf8')['last' + 'Char'])",
		},
	} {
		for _, code := range codes {
			if f := analyzetest.Facts(t, Reader(), unknownKey+buffers+code); !slices.Contains(f.Names, name) {
				t.Errorf("%s is not named: %s", name, code)
			}
		}
	}
	for name, codes := range map[string][]string{ // what Node believes, or uses again
		"globalThis.Uint8Array" + prototype + "byteLength": {
			"class U extends Uint8Array { get byteLength() { return 9 } }", "class U extends Buffer { byteLength = 9 }", "class U extends DataView { ['byte' + 'Length'] = 9 }", "class U extends Uint8Array { get [k]() { return 9 } }",
			"class U extends Uint8Array { [k] = 9 }", "class T extends Float64Array { } class U extends T { get byteLength() { return 9 } }", "class T extends Float64Array { get byteLength() { return 9 } } class U extends T { }",
			"const mix = B => class extends B { get byteLength() { return 9 } }; new (mix(Uint8Array))(1)", "[Uint8Array].map(B => class extends B { get byteLength() { return 9 } })",
			"const e = new (require('events'))(); e.on('a', B => class extends B { get byteLength() { return 9 } }); e.emit('a', Uint8Array)",
			"class U extends Uint8Array { } require('util').inherits(U, { prototype: { get byteLength() { return 9 } } })", "class U extends Uint8Array { } class T { get [k]() { return 9 } } require('util').inherits(U, T)",
			"Object.defineProperty(new Uint8Array(1), 'byteLength', { value: 9 })", "Object.defineProperty(Buffer.from('a'), 'byteLength', { get: () => 9 })", "Object.defineProperty(new Uint8Array(1), k, { value: 9 })", "Object.defineProperty(Buffer.from('a'), k, { value: 9 })",
			"['byteLength'].forEach(n => Object.defineProperty(new Uint8Array(1), n, { value: 9 }))", "class U extends Uint8Array { } Object.defineProperty(U.prototype, k, { value: 9 })", "class U extends Uint8Array { constructor() { super(1); Object.defineProperty(this, 'byteLength', { value: 9 }) } }",
			"const u = new Uint8Array(1); class A { constructor() { return u } } class B extends A { byteLength = 9 }", "const u = Buffer.from('a'); class A { constructor() { return u } } class B extends A { [k] = 9 }",
			"require('node:test').mock.getter(new Uint8Array(1), 'byteLength', () => 9)", "require('node:test').mock.property(new Uint8Array(1), 'byteLength', 9)", "require('node:test')(t => t.mock.property(new Uint8Array(1), 'byteLength', 9))",
			"require('node:test')(({ mock: { property: p } }) => p.call({}, new Uint8Array(1), 'byteLength', 9))", "require('node:test')(t => t.mock.getter.apply(t.mock, [new Uint8Array(1), 'byteLength', () => 9]))",
			"require('node:test')(t => { const f = t.mock.property.bind(t.mock); f(new Uint8Array(1), 'byteLength', 9) })", "require('node:test')(t => t.mock.property(new Uint8Array(1), k, 9))", "require('node:test')(t => [['byteLength', 9]].forEach(a => t.mock.property(new Uint8Array(1), ...a)))",
		},
		"node:zlib.Deflate" + prototype + "reset": {
			"require('zlib').createBrotliCompress().reset()", "const z = require('zlib').createDeflate(), { reset } = z; reset.call(z)", "new (require('zlib').Gzip)()['re' + 'set']()", "const z = require('zlib').createDeflate(); z[k]()",
			"[require('zlib').createGzip].map(f => f().reset())", "Promise.resolve(require('zlib').createGzip).then(f => f().reset())",
		},
		"node:zlib.Deflate" + prototype + "params": {
			"require('zlib').createDeflate().params(1, 1, () => { })", "const { params } = require('zlib').createGzip()", "const e = new (require('events'))(); e.on('a', z => z.params(1, 1)); e.emit('a', require('zlib').createGzip())",
			"module.exports = z => z.params.call(z, 1, 1); require('zlib').createGzip()",
		},
		"globalThis.process.stdout._writev": {
			"process.stdout._writev([])", "const { _writev } = process.stdout", "process.stdout['_wri' + 'tev']([])", "console._stdout._writev([])", "new Map([[1, process.stdout]]).get(1)._writev([])",
			"process.stdout.on('pipe', function () { this._writev([]) })", "const f = (o, n) => o[n]([]); f({ _writev() { } }, '_writev'); f(process.stdout, '_writev')",
			"class W { constructor(s) { this.to = s } go(l) { this.to._writev(l) } } module.exports = W; new W(process.stdout).go([])",
		},
		"globalThis.process.stdout._write":        {"process.stdout._write('a', 'utf8', function () { this.handle.bind('x') })", "console._stdout._write('a', 'utf8', f => f)", "module.exports = s => s._write('a', 'utf8', k); module.exports(process.stdout)"},
		"globalThis.process.stdout._final":        {"process.stdout._final(function () { this.handle.close() })", "module.exports = s => s._final(k); module.exports(process.stdout)"},
		"globalThis.process.stdout._writeGeneric": {"process.stdout._writeGeneric(true, [])", "module.exports = s => s._writeGeneric(true, []); module.exports(process.stdout)"},
		"globalThis.CryptoKey" + prototype + "algorithm": {
			"module.exports = k => { k.algorithm.length = 256 }", "module.exports = k => { const a = k.algorithm; a.length = 256 }", "module.exports = ({ algorithm }) => { algorithm.length = 256 }", "module.exports = k => Object.assign(k.algorithm, { length: 256 })",
			"module.exports = k => k.algorithm.length++", "module.exports = k => { k['algo' + 'rithm'].length *= 2 }",
		},
		"node:crypto.Job" + prototype + "run": {
			"require('crypto').randomFill(Buffer.alloc(8), function () { this.run() })", "require('crypto').pbkdf2('a', 'b', 1, 8, 'sha1', function () { const { run } = this; run.call(this) })", "function f() { this['r' + 'un']() } require('crypto').randomBytes(8, f)",
			"require('crypto').scrypt('a', 'b', 8, function () { this[k]() })", "require('crypto').randomBytes(8, function () { queueMicrotask(() => this.run()) })", "setTimeout(require('crypto').randomBytes, 1, 8, function () { this.run() })",
			"const e = new (require('events'))(); e.on('a', require('crypto').randomBytes); e.emit('a', 8, function () { this.run() })", "const e = new (require('events'))(); e.on('a', f => require('crypto').randomBytes(8, f)); e.emit('a', function () { this.run() })",
			"const f = require('util').promisify(require('crypto').randomBytes); f(8, function () { this.run() })", "class A { f() { this.run() } } require('crypto').randomBytes(8, A.prototype.f)", "require('crypto').randomBytes.bind(null, 8)(function () { this.run() })",
		},
	} {
		for _, code := range codes {
			if f := analyzetest.Facts(t, Reader(), "'use strict';"+unknownKey+code); !slices.Contains(f.Names, name) {
				t.Errorf("%s is not named: %s", name, code)
			}
		}
	}
	for _, code := range []string{
		"class U extends Uint8Array { sum() { return this.byteLength } get [Symbol.toStringTag]() { return 'U' } n = 1 } console.log(new U(8).sum())", "class V { get byteLength() { return this.u.byteLength } u = new Uint8Array(8); f(k) { this[k] = 1 } }",
		"const o = { byteLength: Buffer.alloc(8).byteLength }; console.log({ ...o, length: 1 })", "Object.defineProperty({}, k, { value: 1 }); Object.defineProperty(new Uint8Array(8), 'name', { value: 'a' })",
		"class T { reset() { } } new T().reset(); const z = require('zlib').createGzip(); z.end('a'); console.log(require('zlib').gzipSync('a'))", "module.exports = t => { t.reset(); t.run() }",
		"class T { run() { } } new T().run(); require('crypto').randomBytes(8, (e, b) => console.log(b)); require('crypto').createHash('md5').update('a', 'utf8').digest('hex')",
		"class W extends require('stream').Writable { _writev(l, f) { f() } _write(c, e, f) { this._writev([c], f) } } module.exports = [new W(), process.stdout]", "module.exports = s => s._writev([])",
		"const z = require('zlib').createGzip(); module.exports = q => console.log(q.params.id)", "module.exports = z => z.params(1, 1)", "module.exports = k => { console.log(k.algorithm, k.algorithm.name, JSON.stringify(k.algorithm)); return k.algorithm.length === 256 }",
		"const f = require('util').promisify(require('crypto').scrypt); f('a', 'b', 8).then(b => console.log(b)); module.exports = t => t.run()", "require('crypto').timingSafeEqual(Buffer.from('a'), Buffer.from('b')); module.exports = t => t.run()",
	} {
		f := analyzetest.Facts(t, Reader(), unknownKey+code)
		for _, name := range f.Names {
			defined := slices.ContainsFunc(f.Uses[name], func(u analyze.Use) bool { return u.How == analyze.HowAssign })
			if strings.HasSuffix(name, prototype+"reset") || strings.HasSuffix(name, prototype+"run") || strings.HasSuffix(name, "._writev") || strings.HasSuffix(name, prototype+"params") || strings.HasSuffix(name, prototype+"algorithm") || strings.HasSuffix(name, prototype+"byteLength") && defined {
				t.Errorf("%s is named: %s", name, code)
			}
		}
	}
	for _, code := range []string{"new Uint8Array(8).buffer[k](0)", "new Blob(['a']).arrayBuffer().then(b => b[k](0))", "require('crypto').hkdfSync('md5', 'a', '', '', 8).transfer()", "crypto.subtle.digest('SHA-1', new Uint8Array(8)).then(b => b.transfer())", "const o = [new ArrayBuffer(8)]; o[0][k](0)",
		"class U extends Uint8Array { f() { return super.buffer } } new U(8).f().transfer()", "class U extends Uint8Array { f() { return (() => super.buffer)() } } new U(8).f().transfer()", "class B extends Blob { f() { return super.arrayBuffer() } } new B(['a']).f().then(b => b.transfer())",
		"Blob.prototype.arrayBuffer.call(new Blob(['a'])).then(b => b.transfer())", "class R extends Response { } R.prototype.arrayBuffer.call(new R('a')).then(b => b.transfer())",
		"const e = new (require('events'))(); e.on('a', A => new A(8).transfer()); e.emit('a', ArrayBuffer)", "require('util').promisify(f => f(null, ArrayBuffer.bind(null, 8)))().then(A => new A().transfer())", "const { port1 } = new MessageChannel(); port1[k](0, [1])"} {
		if f := analyzetest.Facts(t, Reader(), unknownKey+code); !slices.Contains(f.Names, "globalThis.ArrayBuffer"+prototype+"transfer") {
			t.Errorf("seen by nobody: %s", code)
		}
	}
	if f := analyzetest.Facts(t, Reader(), "module.exports = (from, to) => { from.transfer(to, 5); to.resize() }"); strings.Contains(strings.Join(f.Names, " "), prototype) {
		t.Errorf("names %v, where nothing has memory", f.Names)
	}
	for _, code := range []string{
		"const h = { a: () => 1, b: () => 2 }; for (const k of Object.keys(h)) console.log(h[k](new Uint8Array(8).buffer))",
		"class Account { transfer(to) { to.resize(1) } resize() { } } new Account().transfer(new Account())", "const o = { lastChar: 'a', resize: () => 1 }; console.log(o.lastChar, o.resize())",
		"port1.postMessage({ a: 1 }); port1.onmessage = ({ data }) => console.log(data)", "new Blob(['a']).stream().getReader().read()",
		"new ReadableStream({ start(c) { c.enqueue('a'); c.close() }, async pull() { } }, { highWaterMark: 1 })", "class S { start(c) { c.close() } } new ReadableStream(new S())", "new ReadableStream()",
		"const o = {}; o.start = () => { }; new ReadableStream(o)", "new Response('a', { status: 200 }).text(); new Response(); new Response(null); new Request('http://a', { method: 'POST', body: 'a' }); new Request('http://a', { headers: {} })",
		"Promise.resolve(require('stream').Readable).then(R => R.toWeb(R.from(['a'])))", "console.log(new StringDecoder('utf8').write(Buffer.from('a')))",
	} {
		f := analyzetest.Facts(t, Reader(), strings.Replace(buffers, "const b = new ArrayBuffer(8, { maxByteLength: 16 });", "", 1)+code)
		for _, name := range f.Names {
			if name == "globalThis.ReadableByteStreamController" || strings.Contains(name, prototype) {
				t.Errorf("%s is named: %s", name, code)
			}
		}
	}
}
