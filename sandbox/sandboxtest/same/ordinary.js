{
console.log(require.main === module, module.id, module.children.length, module.parent, require("path").basename(__filename))
}
{
console.log(this === module.exports, typeof require, typeof exports, arguments.length)
}
{
console.log("hello")
}
{
console.log(process.argv.slice(2), process.argv.length, require("path").basename(process.argv[1]))
}
{
console.log(process.execArgv, process.exitCode)
}
{
new Error("message", { cause: new Error("cause") }).cause.message === "cause" && console.log(new Error("x").stack.split("\n")[1].replace(/\(.*\//, "("))
}
{
console.error("to stderr"); console.log("to stdout")
}
{
console.log({ a: [1, { b: { c: {} } }], s: new Set([1]), m: new Map([[1, 2]]), f() {}, d: new Date(0), r: /x/g, n: null, u: undefined, y: Symbol("q"), big: 10n })
}
{
console.table([{ a: 1, b: 2 }]); console.group("g"); console.log("in"); console.groupEnd(); console.dir([1])
}
{
console.trace("here")
}
{
console.log("é ü 漢字 🎉", "%s", "x", "%d%%", 5)
}
{
setTimeout(() => {}, 1e6).unref(); console.log("unref")
}
{
require("fs").writeFileSync("out.txt", "x"); console.log(require("fs").readdirSync(".").length)
}
{
console.log(require("crypto").createHash("sha256").update("x").digest("hex"))
}
{
console.log(require("util").inspect({ a: 1n, [Symbol("s")]: 1 }), require("util").format("%o", [1]))
}
{
console.log(new Intl.NumberFormat("en-US").format(1234567.891), new Date(0).toISOString(), "ä".localeCompare("z", "de"))
}
{
console.log([3, 1, 2].sort(), [1, [2, [3]]].flat(Infinity), Object.entries({ a: 1 }), structuredClone({ d: new Date(0) }))
}
{
class A { #p = 1; static s = 2; get v() { return this.#p } static { this.t = 3 } } console.log(new A().v, A.s, A.t)
}
{
label: for (const i of [1, 2]) for (const j of [1, 2]) { if (j === 2) continue label; console.log(i, j) }
}
{
function* g() { yield* [1, 2]; return 3 } console.log([...g()], Array.from({ length: 3 }, (_, i) => i * i))
}
{
const p = new Proxy({}, { get: (_, k) => k.toString() }); console.log(p.anything, Reflect.ownKeys({ a: 1 }))
}
{
console.log(eval("1 + 1"), new Function("a", "return a * 2")(21))
}
{
try { (function f() { f() })() } catch (e) { console.log(e instanceof RangeError) }
}
{
console.log(Object.keys(process.env).filter(k => k !== "PATH").sort())
}
{
console.log(process.title === "node" || process.title.length > 0, process.version.startsWith("v"), process.platform, typeof process.memoryUsage().rss)
}
{
console.log(performance.now() > 0, typeof fetch, typeof URL, new URL("http://a/b?c=d").searchParams.get("c"), typeof globalThis.gc)
}
{
undeclared = 1; console.log(undeclared, delete globalThis.undeclared)
}
{
const a = require("assert"); try { a.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (e) { console.log(e.message) }
}
(async () => {
await require("fs").promises.readFile("nosuch").catch(e => console.log(e.code, e.syscall))
await new Promise(r => { const { Worker } = require("worker_threads"); new Worker("throw new Error('in worker')", { eval: true }).on("error", e => console.log(e.message)).on("exit", c => r(console.log(c))) })
await import("fs").then(m => console.log(typeof m.readFileSync, typeof m.default))
await import("data:text/javascript,export default 5").then(m => console.log(m.default))
await new Promise(r => require("zlib").gzip("x".repeat(100), (e, b) => r(console.log(b.length < 50))))
{ const { EventEmitter, once } = require("events"); const e = new EventEmitter(); const said = once(e, "x").then(console.log); e.emit("x", 1); await said }
await new Promise(r => { const t = setInterval(() => { console.log("interval"); clearInterval(t); r() }, 1) })
const { pipeline, Readable, Transform } = require("stream"); pipeline(Readable.from(["a", "b"]), new Transform({ transform(c, _, n) { n(null, String(c).toUpperCase()) } }), process.stdout, () => {})
})()
