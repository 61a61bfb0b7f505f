package runner_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sallyport/sandbox"
	"sallyport/sandbox/internal/runner"
	"sallyport/sandbox/sandboxtest"
)

// attacks are programs that go around the hooks in JavaScript, or make them
// blind before they do what is denied. One that gets there prints "reached".
var attacks = []struct {
	name   string
	denied sandbox.Capability
	event  string
	code   string
}{
	{"collections that are the program's", "code.eval", "eval", `
for (const c of [Set, Map, WeakMap, WeakSet]) for (const name of ["has", "get"]) c.prototype[name] = () => false;
Array.prototype[Symbol.iterator] = function* () {};
for (const name of ["includes", "indexOf", "find", "some", "filter", "push"]) Array.prototype[name] = () => undefined;
for (const name of ["startsWith", "slice", "match", "indexOf"]) String.prototype[name] = () => "";
eval(text)`},
	{"what every object inherits", "code.eval", "Function", `
process.stdout;
for (const name of ["on", "observe", "eval", "Function", "code.eval", "configurable", "get", "set", "value", "writable"]) {
  try { Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get() { return undefined; }, set() {} }); } catch {}
}
(() => 1).constructor(text)()`},
	{"no call is as it was", "code.eval", "Function", `
const none = () => undefined;
process.stdout;
Reflect.apply = Reflect.construct = Function.prototype.call = Function.prototype.apply = none;
process.kill = process.reallyExit = process._kill = process.exit = process.abort = none;
require("fs").writeSync = none;
new Function(text)()`},
	{"a stack without frames", "environment", "process.env", `
Object.defineProperty(Error, "stackTraceLimit", { value: 0, writable: false, configurable: false });
Object.defineProperty(Error, "prepareStackTrace", { value: () => [], writable: false, configurable: false });
if (process.env.PATH) console.log("reached")`},
	{"a stack of somebody else's", "environment", "process.env", `
const site = Object.getPrototypeOf((() => { Error.prepareStackTrace = (_, s) => s; return new Error().stack[0]; })());
site.getFileName = () => "node:internal/util"; site.getLineNumber = () => 1;
Error.prepareStackTrace = () => [site];
if (process.env.PATH) console.log("reached")`},
	{"printing the environment", "environment", "process.env", `console.log(process.env); console.log("reached")`},
	{"having node compare the environment", "environment", "process.env", `
try { require("assert").deepEqual(process.env, {}); } catch (e) { if (/PATH/.test(e.message)) console.log("reached") }`},
	{"having node list the environment", "environment", "process.env", `if (/PATH/.test(require("querystring").stringify(process.env))) console.log("reached")`},
	{"the environment in a report", "environment", "process.report", `if (process.report.getReport().environmentVariables) console.log("reached")`},
	{"the constructor of scripts", "code.eval", "vm", `new (require("vm").Script.prototype.constructor)(text).runInThisContext()`},
	{"what scripts are made of", "code.eval", "vm", `
const base = Object.getPrototypeOf(require("vm").Script);
const s = new base(text, "x", 0, 0, undefined, false, undefined, Symbol("x")); require("vm").Script.prototype.runInThisContext.call(s)`},
	{"what the constructors of functions are made of", "code.eval", "Function", `
const made = Object.getPrototypeOf(Object.getPrototypeOf(async () => 1).constructor); made(text)()`},
	{"a function from another realm", "code.eval", "vm", `
const { MessageChannel, moveMessagePortToContext } = require("worker_threads");
const port = moveMessagePortToContext(new MessageChannel().port1, require("vm").createContext({}));
const made = port.constructor.constructor; made("f", "f()")(() => console.log("reached")); process.exit()`},
	{"a prompt that reads text", "code.eval", "vm", `
const { PassThrough } = require("stream"), input = new PassThrough();
require("repl").start({ input, output: new PassThrough(), useGlobal: true }); input.end(text + "\n"); setTimeout(() => {}, 500)`},
	{"what is put around a module", "code.eval", "Module._compile", `
const m = require("module"); m.wrap = () => "(function () {" + text + "})"; require(__filename.replace("main.js", "main.js"));
delete require.cache[__filename]; require(__filename)`},
	{"a module's own way to compile", "code.eval", "Module._compile", `
const m = new (require("module"))("/usr/x.js"); m.filename = "/usr/x.js"; m._compile(text, m.filename)`},
	{"a file that the loader is told to read otherwise", "code.eval", "reached not", `
require("fs").readFileSync = () => text; delete require.cache[__filename]; if (!globalThis.again) { globalThis.again = 1; require(__filename) }`},
	{"a way of its own to load", "code.eval", "Module._compile", `
const m = require("module"); m._extensions[".js"] = (module, file) => module._compile(text, file); delete require.cache[__filename]; require(__filename)`},
	{"the constructor of a worker", "code.eval", "Worker.eval", `
const { Worker } = require("worker_threads"); new Worker.prototype.constructor(text, { eval: true })`},
	{"a worker without the hooks", "code.eval", "eval", `
const t = require("worker_threads");
if (t.isMainThread) new t.Worker(__filename, { execArgv: [], env: { NODE_OPTIONS: "--expose-internals" } }).on("exit", () => {}); else eval(text)`},
	{"a worker that is told another policy", "code.eval", "eval", `
const t = require("worker_threads");
if (t.isMainThread) new t.Worker(__filename, { get argv() { t.setEnvironmentData("sallyport", undefined); return []; }, workerData: {} }); else eval(text)`},
	{"a worker that changes what it was told", "code.eval", "eval", `
const t = require("worker_threads");
if (t.isMainThread) {
  const told = t.getEnvironmentData("sallyport"); if (told) told.denied.length = 0;
  new t.Worker(__filename);
} else eval(text)`},
	{"a worker, asked for as node:", "code.eval", "Worker.eval", `
new (require("node:worker_threads").Worker)(text, { eval: true })`},
	{"a worker by import", "code.eval", "Worker.eval", `
import("worker_threads").then(({ Worker }) => new Worker(text, { eval: true }))`},
	{"a worker by import of all", "code.eval", "Worker.eval", `
import("node:worker_threads").then((t) => new t.default.Worker(text, { eval: true }))`},
	{"a worker by getBuiltinModule", "code.eval", "Worker.eval", `
new ((process.getBuiltinModule ?? require)("worker_threads").Worker)(text, { eval: true })`},
	{"a worker by createRequire", "code.eval", "Worker.eval", `
new (require("module").createRequire("/x/")("worker_threads").Worker)(text, { eval: true })`},
	{"a worker by the loader", "code.eval", "Worker.eval", `
new (module.constructor._load("worker_threads", null, false).Worker)(text, { eval: true })`},
	{"a worker by the main module", "code.eval", "Worker.eval", `
new (process.mainModule.require("worker_threads").Worker)(text, { eval: true })`},
	{"a worker by what resolves modules", "code.eval", "Worker.eval", `
module.constructor._resolveFilename = () => "worker_threads"; new (require("./x").Worker)(text, { eval: true })`},
	{"a worker by what resolves modules, and another loader", "code.eval", "Worker.eval", `
process.getBuiltinModule = () => ({}); module.constructor._load = new Proxy(module.constructor._load, {}); require("module").syncBuiltinESMExports = () => {};
import("worker_threads").then(({ Worker }) => new Worker(text, { eval: true }))`},
	{"a worker of a worker", "code.eval", "Worker.eval", `
const t = require("worker_threads"); if (t.isMainThread) new t.Worker(__filename); else new (require("node:worker_threads").Worker)(text, { eval: true })`},
	{"a worker from nearby", "code.load", "Worker", `
const fs = require("fs"); fs.writeFileSync("x.js", text); process.cwd = () => "/usr"; new (require("worker_threads").Worker)("/proc/self/cwd/x.js")`},
	{"the signal caught", "code.eval", "eval", `process.on("SIGSYS", () => {}); try { eval(text) } catch {} setTimeout(() => {}, 500)`},
	{"code that node's own bindings compile", "code.eval", "vm", `
const { ContextifyScript } = process.binding("contextify"); if (ContextifyScript) console.log("reached")`},
	{"a loader's hook", "code.eval", "module.register", `
require("module").register("data:text/javascript,"); console.log("reached")`},
	{"machine code by another name", "native", "WebAssembly", `
const m = Object.getPrototypeOf(Object.create(WebAssembly.Module.prototype)).constructor;
new m(Buffer.from([0, 97, 115, 109, 1, 0, 0, 0])); console.log("reached")`},
	{"built-in objects of the hooks' own realm", "code.eval", "eval", `
const spoil = (e) => {
  const O = Object.getPrototypeOf(Object.getPrototypeOf(Object.getPrototypeOf(e)));
  try { O.constructor.defineProperty = () => {}; } catch {}
  for (const name of ["on", "observe", "denied", "lifted"]) try { O[name] = {}; } catch {}
};
let deep = 0;
(function down() { deep++; try { down(); } catch (e) { spoil(e); try { process.report.getReport; new URL("file:///tmp/x").protocol; process.env.A; } catch (f) { spoil(f); } } })();
eval(text)`},
	{"what the hooks call, by what calls functions", "environment", "process.env", `
const { apply } = Reflect, { call } = Function.prototype; let found;
Function.prototype.call = function (self, ...rest) { if (this.name.endsWith("binding")) found = this; return apply(this, self, rest); };
console.log(1); Function.prototype.call = call;
if (found === undefined) process.env.PATH; console.log("reached")`},
	{"a wrapper of node's around a function", "introspection", "process.binding", `if (require("util").deprecate(process.binding, "x")("fs")) console.log("reached")`},
	{"a stream that calls a bound function", "introspection", "process.binding", `
require("stream").Readable.from([0]).map(process.binding.bind(process, "fs")).toArray().then((all) => { if (all.length) console.log("reached") })`},
	{"a name of a binding that is another one when it is asked again", "code.eval", "vm", `
let asked = 0; process.binding({ toString: () => (asked++ ? "contextify" : "fs") }); console.log("reached")`},
	{"a wrapper of node's that lists the environment", "environment", "process.env", `
if (/PATH/.test(require("util").deprecate(JSON.stringify, "x")(process.env, ["PATH"]))) console.log("reached")`},
	{"a member of the environment that node reads of what it is given", "environment", "process.env", `
const told = require("events").prototype.listeners.call({ _events: process.env }, "PATH"); if (told[0] || told.length) console.log("reached")`},
	{"a member of process that node reads of what it is given", "environment", "process.env", `
const [env] = require("events").prototype.listeners.call({ _events: process }, "env"); if (require("util").deprecate(JSON.stringify, "x")(env ?? process.env, ["PATH"])) console.log("reached")`},
	{"what gives the environment, called by node", "environment", "process.env", `
const { get, value } = Object.getOwnPropertyDescriptor(process, "env"); const env = get ? require("util").deprecate(get, "x").call(process) : value;
if (env.PATH) console.log("reached")`},
	{"the environment by import", "environment", "process.env", `import("node:process").then(({ env }) => { if (env.PATH) console.log("reached") })`},
	{"who runs it, called by node", "environment", "process.getuid", `require("util").deprecate(process["get" + "uid"], "x")(); console.log("reached")`},
	{"who runs it, called by the language", "environment", "process.getuid", `[1].forEach(process["get" + "egid"]); console.log("reached")`},
	{"setting a variable", "environment", "process.env", `process.env.TZ = "Asia/Tokyo"; if (new Date(0).getHours() === 9) console.log("reached")`},
	{"defining a variable", "environment", "process.env", `
Object.defineProperty(process.env, "TZ", { value: "Asia/Tokyo", configurable: true, enumerable: true, writable: true }); console.log("reached")`},
	{"taking a variable away", "environment", "process.env", `delete process.env.PATH; console.log("reached")`},
	{"asking while a stack is told", "environment", "process.env", `
Error.prepareStackTrace = () => { try { return process.env.PATH } catch { return "" } };
if (new Error().stack !== undefined) console.log("reached")`},
	{"code from text while a stack is told", "code.eval", "vm", `
Error.prepareStackTrace = () => { try { return require("vm").runInThisContext(text) } catch {} }; new Error().stack`},
	{"a binding while a stack is told", "introspection", "process.binding", `
Error.prepareStackTrace = () => { try { return process.binding("fs") } catch { return "held" } };
if (new Error().stack) console.log("reached")`},
	{"a report that a signal makes", "environment", "process.report", `
process.report.reportOnSignal = true; if (process.report.reportOnSignal) console.log("reached"); process.report.reportOnSignal = false`},
	{"a report that an exception makes", "environment", "process.report", `
Object.getOwnPropertyDescriptor(process.report, "reportOnUncaughtException").set.call(process.report, true); console.log("reached")`},
	{"a name of node's own function", "code.eval", "vm", `
const run = require("util").deprecate(require("vm").runInThisContext, "x"); Object.defineProperty(run, "name", { value: "getInternalGlobal" }); run(text)`},
	{"a name of node's own function, for the class of scripts", "code.eval", "vm", `
const S = require("util").deprecate(require("vm").Script, "x"); Object.defineProperty(S, "name", { value: "getInternalGlobal" }); new S(text); console.log("reached")`},
	{"the texts of node's own modules", "code.eval", "vm", `
const natives = process.binding("natives");
natives["internal/util"] = natives["internal/util"].replaceAll("ReflectApply(fn,", "runInThisContext(");
require("util").deprecate(require("vm").runInThisContext, "x")(text)`},
	{"a worker while one is made", "code.eval", "vm", `
const t = require("worker_threads");
if (t.isMainThread) new t.Worker(__filename, { argv: [{ toString() { new t.Worker(__filename, { argv: ["idle"] }); return "go" } }] });
else if (process.argv[2] === "go") require("vm").runInThisContext(text)`},
	{"a worker while its data is copied", "code.eval", "vm", `
const t = require("worker_threads");
if (t.isMainThread) new t.Worker(__filename, { workerData: { get go() { new t.Worker(__filename); return true } } });
else if (t.workerData?.go) require("vm").runInThisContext(text)`},
	{"what node tells a worker", "code.eval", "vm", `
const t = require("worker_threads"), { postMessage } = t.MessagePort.prototype;
t.MessagePort.prototype.postMessage = function (m, l) { if (m?.environmentData) m.environmentData = new Map(); return postMessage.call(this, m, l) };
if (t.isMainThread) new t.Worker(__filename); else require("vm").runInThisContext(text)`},
	{"a text that node tells a worker to run", "code.eval", "Worker.eval", `
const t = require("worker_threads"), p = t.MessagePort.prototype, { postMessage } = p;
p.postMessage = function (m, l) { if (m?.doEval === false) { m.doEval = "module"; m.filename = text } return postMessage.call(this, m, l) };
if (t.isMainThread) new t.Worker(__filename)`},
	{"an option that is set while a worker is made", "code.eval", "vm", `
const t = require("worker_threads"), fs = require("fs");
if (t.isMainThread) {
  fs.writeFileSync("x.js", "require('vm').runInThisContext(\"console.log('reached')\")");
  new t.Worker(__filename, { argv: [{ toString() { process.env.NODE_OPTIONS = "--require=" + __dirname + "/x.js"; return "x" } }] });
} else require("vm").runInThisContext(text)`},
	{"what node makes threads of", "code.load", "Worker", `
const t = require("worker_threads");
if (t.isMainThread) {
  const w = new t.Worker(__filename), handle = w[Object.getOwnPropertySymbols(w).find((s) => s.description === "kHandle")];
  try { new handle.constructor(null, null, [], new Float64Array(4), false, false, ""); } catch {}
  console.log("reached"); process.exit();
}`},
	{"a text on what every object inherits, for a module", "code.eval", "import.data", `
require("fs").writeFileSync("x.mjs", "export {}"); Object.prototype.source = text; import("./x.mjs").catch(() => {})`},
	{"a text on what every object inherits, that is there once", "code.eval", "import.data", `
try { Object.defineProperty(Object.prototype, "source", { configurable: true, get() { delete Object.prototype.source; return text } }) } catch { Object.prototype.source = text }
require("fs").writeFileSync("x.mjs", "export {}"); import("./x.mjs").catch(() => {})`},
	{"files that nothing can be asked of", "code.load", "import", `
const fs = require("fs"), m = require("module"); fs.writeFileSync("y.js", text);
let on = false;
Object.defineProperty(Object.prototype, "protocol", { configurable: true, get() { return "file:" } });
Object.defineProperty(Object.prototype, "href", { configurable: true, set(value) { Object.defineProperty(this, "href", { value }) }, get() { return on && /deviceOf|placeOf|stat \(|real/.test(new Error().stack) ? "x" : undefined } });
m._resolveFilename = () => "/proc/self/cwd/y.js"; on = true; require("path")`},
	{"files that are said to be elsewhere", "code.load", "import", `
const fs = require("fs"), m = require("module"); fs.writeFileSync("y.js", text);
const lie = (name) => Object.defineProperty(Object.prototype, name, { configurable: true, set() { Object.defineProperty(this, name, { value: 1n, writable: true }) } });
try { lie("dev"); lie("ino") } catch {}
require("./y.js")`},
	{"maps of texts", "code.load", "reached not", `
process.setSourceMapsEnabled(true);
const fs = require("fs"), m = require("module");
const map = { version: 3, sources: [__filename], names: [], mappings: "AAAA" };
m.prototype._compile.call(Object.assign(new m(__filename), { filename: __filename }), fs.readFileSync(__filename, "utf8").slice(0, 0) + "", __filename);
if (m.findSourceMap && process.sourceMapsEnabled) console.log("reached"); `},
	{"a handle of a stream, with memory of the program's", "native", "handle", `
require("zlib").createDeflate()._handle.init(15, 6, 8, 0, new Uint32Array(2), () => {}, undefined); console.log("reached")`},
	{"a handle of a stream, by a function of node's", "native", "handle", `
const { _handle } = require("zlib").createDeflate();
require("util").deprecate(_handle.init, "x").call(_handle, 15, 6, 8, 0, new Uint32Array(2), () => {}, undefined); console.log("reached")`},
	{"a handle that a hook is shown", "native", "handle", `
require("async_hooks").createHook({ init(id, type, trigger, handle) { if (type === "ZLIB") setImmediate(() => { handle.init(15, 6, 8, 0, new Uint32Array(2), () => {}, undefined); console.log("reached") }) } }).enable();
require("zlib").createDeflate()`},
	{"memory for a stream's input", "native", "handle", `process.stdout._handle.useUserBuffer(Buffer.alloc(8)); console.log("reached")`},
	{"a parser of node's", "native", "handle", `require("_http_common").parsers.alloc().initialize(1, {}); console.log("reached")`},
	{"a parser of node's, by import", "native", "handle", `
import("_http_common").then((m) => { m.parsers.alloc().initialize(1, {}); console.log("reached") })`},
	{"a parser of node's, that a hook is shown", "native", "handle", `
require("async_hooks").createHook({ init(id, type, trigger, handle) { if (type === "HTTPINCOMINGMESSAGE") setImmediate(() => { (handle.socket?.parser ?? require("_http_common").parsers.alloc()).initialize(1, {}); console.log("reached"); process.exit() }) } }).enable();
const s = require("http").createServer(() => {}).listen("\0parser" + process.pid, () => require("net").connect("\0parser" + process.pid).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))`},
	{"what a handle of TLS passes on", "native", "handle", `
const { writeSync } = require("fs");
new (require("tls").TLSSocket)(process.stdout)._handle.setBlocking({}); writeSync(1, "reached\n")`},
	{"the class of a handle", "native", "handle", `new process.stdout._handle.constructor(0, {}); console.log("reached")`},
	{"memory that is too short, or gets so, which node hands on", "native", "handle", `
class Z extends require("zlib").Deflate { get _writeState() { return new Uint32Array(parseInt(process.versions.node) < 20 ? 0 : new ArrayBuffer(8, { maxByteLength: 16 })) } set _writeState(v) {} }
new Z(); console.log("reached")`},
	{"a buffer that a thread may write to", "native", "reached not", `
const z = require("zlib").createDeflate(); require("v8").setFlagsFromString("--expose-gc");
const gc = require("vm").runInNewContext("gc");
z.resume().write("x", () => setTimeout(() => {
  const held = new WeakRef(z._outBuffer); z._outBuffer = Buffer.alloc(16384);
  setTimeout(() => { gc(); setTimeout(() => { gc(); if (!held.deref()) console.log("reached") }, 50) }, 50) }, 20))`},
	{"a list of buffers that is emptied while a thread waits to read into them", "native", "reached not", lost + `
work(); const list = [Buffer.alloc(500)]; lose(list[0]); fs.readv(fs.openSync(__filename, "r"), list, 0, ends); list.length = 0`},
	{"such a list, of a file by promises", "native", "reached not", lost + `
fs.promises.open(__filename).then((f) => { work(); const list = [Buffer.alloc(500)]; lose(list[0]); f.readv(list, 0).then(ends); list.length = 0 })`},
	{"such a list, which a stream writes", "native", "reached not", lost + `
const s = require("net").createServer({ pauseOnConnect: true }, () => {}).listen("\0list" + process.pid, () => { const c = require("net").connect("\0list" + process.pid, () => {
  const list = [{ chunk: Buffer.alloc(1 << 24) }, { chunk: Buffer.alloc(500) }]; list.allBuffers = true;
  lose(list[1].chunk); c._writev(list, ends); list.length = 0 }) })`},
	{"a buffer that only what a hook is shown has held", "native", "reached not", lost + `
require("async_hooks").createHook({ init(id, type, trigger, request) { if (type === "FSREQCALLBACK") setImmediate(() => { request.oncomplete = ends }) } }).enable();
work(); (() => { const b = Buffer.alloc(500); lose(b); fs.read(fs.openSync(__filename, "r"), b, 0, 500, 0, ends) })()`},
	{"a buffer that a stream wrote to at once, and writes to when it gets other parameters", "native", "reached not", lost + `
const z = require("zlib").createDeflate(), h = z._handle; z._handle = Object.create(h, { writeSync: { value: h.writeSync.bind(h) }, close: { value() {} } });
z._processChunk(Buffer.alloc(20000, "abcd"), 0); lose(z._outBuffer); z._outBuffer = null; setTimeout(() => h.getAsyncId(), 500)`},
	{"a stream that begins anew while a thread works on it", "native", "handle", `
const z = require("zlib").createDeflate(); z.write("x"); try { z.reset() } catch {} console.log("reached")`},
	{"a stream that gets other parameters while a thread works on it", "native", "handle", `
const z = require("zlib").createDeflate({ level: 7 }).resume(); z.write("x"); z.params(9, 0, () => console.log("reached")); z.write("y")`},
	{"a key that says it is longer than it is", "native", "handle", keys + "key.algorithm.name = 'AES-CTR'; key.algorithm.length = 256; " + encrypted},
	{"a key with another algorithm", "native", "handle", keys + "Object.defineProperty(key, 'algorithm', { value: { name: 'AES-CTR', length: 256 } }); " + encrypted},
	{"what inherits from a key", "native", "handle", keys + "key = Object.create(key, { algorithm: { value: { name: 'AES-CTR', length: 256 } }, usages: { value: ['encrypt'] } }); " + encrypted},
	{"what a decoder counts by", "native", "reached not", `
const d = new (require("string_decoder").StringDecoder)("utf8"); d.lastChar[3] = 9; if (d.lastChar[3] === 9) console.log("reached")`},
	{"what a key is known by, copied", "native", "reached not", copies + `copied(require("crypto").createSecretKey(Buffer.alloc(8)))`},
	{"what a key is known by that was made without a module", "native", "reached not", copies + `
if (!globalThis.crypto) copied(require("crypto").createSecretKey(Buffer.alloc(8)));
else crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-1" }, true, ["sign"]).then((key) => copied(require("crypto").KeyObject.from(key)))`},
	{"a job of crypto, by what is told of its end", "native", "reached not", jobs + `
crypto.randomFill(Buffer.alloc(8), told); crypto.randomBytes(8, told); crypto.scrypt("a", "b", 8, told)`},
	{"a job of crypto, by import", "native", "reached not", jobs + `
import("crypto").then((m) => { m.pbkdf2("a", "b", 1, 8, "sha1", told); m.default.hkdf("sha1", "a", "b", "c", 8, told) })`},
	{"the inspector by its prototype", "code.eval", "inspector.Session", `
const s = new (require("inspector").Session.prototype.constructor)(); s.connect(); s.post("Runtime.evaluate", { expression: text })`},
}

// copies has what tells whether something of a key can be copied. From Node 24 on there is none, and
// what a decoder counts by is looked at in its place.
const copies = `
const d = new (require("string_decoder").StringDecoder)("utf8"); d.lastChar[3] = 9;
const copied = (key) => { if (Object.getOwnPropertySymbols({ ...key }).length > 0 || parseInt(process.versions.node) >= 24 && d.lastChar[3] === 9) console.log("reached") };
`

// keys makes a key that is shorter than it will say, and encrypted uses it. Node 18 and 24 refuse some
// of that themselves; in the latter a stream's handle stands for it.
const (
	keys = `
if (parseInt(process.versions.node) >= 24) require("zlib").createDeflate()._handle.init(15, 6, 8, 0, new Uint32Array(2), () => {}, undefined);
const { subtle } = require("crypto").webcrypto;
subtle.importKey("raw", Buffer.alloc(31), { name: "HMAC", hash: "SHA-256" }, true, ["sign"]).then((key) => { key.usages[0] = "encrypt"; `
	encrypted = `
subtle.encrypt({ name: "AES-CTR", counter: Buffer.alloc(16), length: 64 }, key, Buffer.alloc(16)).then(() => console.log("reached"), () => { if (![20, 22].includes(parseInt(process.versions.node))) console.log("reached") }) })`
)

// lost has what tells whether a buffer is gone before what uses it has ended. Threads are busy with something else, for
// seconds: process.exit would wait for them.
const lost = `
const fs = require("fs"), { pbkdf2 } = require("crypto"); require("v8").setFlagsFromString("--expose-gc");
const gc = require("vm").runInNewContext("gc"), work = () => { for (let i = 0; i < 4; i++) pbkdf2("a", "b", 5e6, 32, "sha256", () => process.exit()) };
let ended = false; const ends = () => { ended = true };
const lose = (b) => { const held = new WeakRef(b); setTimeout(() => { gc(); setTimeout(() => { gc(); if (!held.deref() && !ended) console.log("reached"); process.kill(process.pid, "SIGKILL") }, 50) }, 50) };
`

// jobs has what tells whether a function is called of a job.
const jobs = `
const crypto = require("crypto"), told = function () { "use strict"; if (typeof this?.run === "function") console.log("reached") };
`

// text is what each attack has run, by code that it makes of it.
const text = "const text = \"console.log('reached')\";\n"

func attackSpec(code string, denied ...sandbox.Capability) sandbox.Spec {
	s := sandboxtest.Spec("javascript", text+code)
	s.Grant = slices.DeleteFunc(sandbox.Capabilities(), func(c sandbox.Capability) bool { return slices.Contains(denied, c) })
	return s
}

// TestHooksHold attacks the hooks in JavaScript, and runs each attack without
// the denial: it must then come to what it wants.
func TestHooksHold(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	b.hooks = true
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			res := b.run(t, attackSpec(a.code, a.denied))
			if strings.Contains(string(res.Stdout), "reached") {
				t.Errorf("reached: %q, %v", res.Stdout, res.Violations)
			}
			if v, _ := res.Stopped(); a.event != "reached not" && (v.Capability != string(a.denied) || v.Detail != a.event) {
				t.Errorf("ended with %s %d (signal %d) for %v, want %s: %s; stderr %.500s", res.Reason, res.Exit, res.Signal, v, a.denied, a.event, res.Stderr)
			}
			off := attackSpec(a.code)
			off.Observe = true
			if res := b.run(t, off); !strings.Contains(string(res.Stdout), "reached") {
				t.Errorf("does not come to what it wants without the hooks either: %s %d, %q, %.500s", res.Reason, res.Exit, res.Stdout, res.Stderr)
			}
		})
	}
}

// TestHooksLeaveAlone runs what an honest program may do beside the hooks.
func TestHooksLeaveAlone(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	for _, tt := range []struct {
		name, code string
		denied     []sandbox.Capability
		observe    bool
	}{
		{"eval that sees the names around it", "console.log((() => { const held = 'held'; return eval('held') })())", []sandbox.Capability{"process", "network", "code.load"}, false},
		{"eval that is looked upon", "console.log((() => { const held = 'held'; return eval('held') })())", sandbox.Capabilities(), true},
		{"what is asked of built-in functions", `
const a = async () => 1, F = Function;
console.log((() => 1) instanceof F && a instanceof F && F.prototype.constructor === F && F.name === "Function" && typeof eval === "function" && eval.length === 1 &&
  Object.getPrototypeOf(a.constructor) === F && new (require("vm").Script.prototype.constructor.name === "Script" ? Object : Error)() ? "held" : "changed")`, sandbox.Capabilities(), false},
		{"what node asks of the environment by itself", `require("os").tmpdir(); require("util").inspect({}, { colors: true }); require("tty").WriteStream.prototype.getColorDepth(); console.log("held")`, sandbox.Capabilities(), false},
		{"a variable that it sets itself", `process.env.MINE = 1; delete process.env.MINE; console.log("held")`, sandbox.Capabilities(), true},
		{"what node does with its own objects", `
const zlib = require("zlib"), http = require("http"), fs = require("fs"), dgram = require("dgram"), socketPath = "\0held" + process.pid;
process.stdout._handle.setBlocking(true);
const all = [zlib.brotliDecompressSync(zlib.brotliCompressSync("brotli")), new Promise((done) => zlib.gzip("x", (_, z) => zlib.gunzip(z, (_, x) => done(x)))),
  fs.promises.open(__filename).then(async (f) => { for await (const line of f.readLines()) return line }),
  new Promise((done) => { const s = http.createServer((q, r) => { r.write("a"); r.end("b") }).listen(socketPath, () => http.get({ socketPath }, (r) => r.on("data", () => {}).on("end", () => { s.close(); done(r.statusCode) }))) }),
  new Promise((done) => { const u = dgram.createSocket("udp4").bind(0, "127.0.0.1", () => u.on("message", (m) => { u.close(); done(m) }).send("hi", u.address().port, "127.0.0.1")) })];
const z = zlib.createDeflate(); structuredClone(new ArrayBuffer(8), { transfer: [new ArrayBuffer(8)] });
Promise.all(all).then((got) => console.log(got.map(String).join() === "brotli,x," + text.replace(/.*/, 'const text = "console.log(\'reached\')";') + ",200,hi" ? "held" : got.map(String)))`, []sandbox.Capability{"native"}, false},
		{"keys that encrypt", `
const { subtle } = require("crypto").webcrypto, plain = Buffer.from("held"), iv = Buffer.alloc(16), used = ["encrypt", "decrypt", "wrapKey", "unwrapKey"];
(async () => {
  const all = [];
  for (const [name, how] of [["AES-CTR", { counter: iv, length: 64 }], ["AES-GCM", { iv }], ["AES-CBC", { iv }]]) {
    const key = await subtle.generateKey({ name, length: 256 }, true, used);
    for (let i = 0; i < 2; i++) all.push(String(Buffer.from(await subtle.decrypt({ name, ...how }, key, await subtle.encrypt({ name, ...how }, key, plain)))));
    const wrapped = await subtle.wrapKey("raw", key, key, { name, ...how }), same = await subtle.unwrapKey("raw", wrapped, key, { name, ...how }, key.algorithm, true, used);
    all.push(String(same.algorithm.length === 256 && "held"));
  }
  const { publicKey, privateKey } = await subtle.generateKey({ name: "RSA-OAEP", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, used);
  all.push(String(Buffer.from(await subtle.decrypt("RSA-OAEP", privateKey, await subtle.encrypt("RSA-OAEP", publicKey, plain)))));
  console.log(all.every((a) => a === "held") ? "held" : all);
})()`, sandbox.Capabilities(), false},
		{"a worker", `
const t = require("worker_threads");
if (t.isMainThread) new t.Worker(__filename, { workerData: 1, name: "x", env: { A: 1 } }).on("message", (m) => console.log(m));
else t.parentPort.postMessage(t.workerData === 1 ? "held" : "lost")`, sandbox.Capabilities(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := attackSpec(tt.code, tt.denied...)
			s.Observe = tt.observe
			if res := b.run(t, s); string(res.Stdout) != "held\n" {
				t.Errorf("%s %d, %q, %v, %.800s", res.Reason, res.Exit, res.Stdout, res.Violations, res.Stderr)
			}
		})
	}
}

// TestNodeAlone runs what Node's own parser does with no WebAssembly there.
func TestNodeAlone(t *testing.T) {
	t.Parallel()
	b := newBare(t, nil)
	res := b.run(t, attackSpec(`new Response("held").text().then(console.log)`, sandbox.Capabilities()...))
	if res.Exit != 0 || string(res.Stdout) != "held\n" {
		t.Errorf("%s %d, %q, %v, %.800s", res.Reason, res.Exit, res.Stdout, res.Violations, res.Stderr)
	}
}

// TestLibraryAlone runs a library of the operator's, which may have what it names in its
// own text, and a program that hands it what it may not have.
func TestLibraryAlone(t *testing.T) {
	t.Parallel()
	b := newBare(t, func(files map[string]string) {
		guard := files["guard.cjs"]
		for _, edit := range [][2]string{{"scratch = ['/tmp', ", "scratch = ["}, {"|| writable.has(dev)", "|| false"}} { // where this test has it
			if !strings.Contains(guard, edit[0]) {
				t.Fatalf("guard.cjs has no %s", edit[0])
			}
			guard = strings.Replace(guard, edit[0], edit[1], 1)
		}
		files["guard.cjs"] = guard
		files["library.cjs"] = `
const { env } = process, copy = { ...process.env };
exports.known = [env.PATH, copy.PATH, Object.assign({}, process['env']).PATH, process?.env.PATH, 'PATH' in process.env && 1, JSON.stringify(copy)].every(Boolean);
exports.natives = process.binding('natives').os.length > 0;
exports.users = [process.getuid(), process?.geteuid(), process.getgid?.(), process['getgroups']()].every((n) => n !== undefined) && Array.isArray(process._getActiveHandles());
exports.get = (o, k) => o[k];
exports.call = (f, ...given) => f(...given);
process.env.MINE = '1';
delete process.env.MINE;`
		files["library.mjs"] = `
import process, { env } from 'node:process';
export const known = [process.env.PATH, env.PATH].every(Boolean);`
	})
	b.hooks = true
	load := "const l = require(" + strconv.Quote(b.dir+"/library.cjs") + ");"
	for _, tt := range []struct{ name, code, want string }{
		{"its own", load + `console.log(l.known && l.natives && l.users ? "held" : "lost")`, "held\n"},
		{"its own as a module", "import(" + strconv.Quote(b.dir+"/library.mjs") + `).then((l) => console.log(l.known ? "held" : "lost"))`, "held\n"},
		{"a variable that it is told", load + `l.get(process.env, "PATH"); console.log("reached")`, "process.env"},
		{"the environment that it is told", load + `l.get(l.get(process, "env"), "PATH"); console.log("reached")`, "process.env"},
		{"a function that it is given", load + `l.call(process.binding, "fs"); console.log("reached")`, "process.binding"},
		{"a function that makes code", load + `l.call(require("vm").runInThisContext, text)`, "vm"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := attackSpec(tt.code, sandbox.Capabilities()...)
			s.Seen.Paths = []string{b.dir}
			res := b.run(t, s)
			if v, _ := res.Stopped(); string(res.Stdout) != tt.want && (v.Detail != tt.want || len(res.Stdout) > 0) {
				t.Errorf("%s %d, %q, %v, %.800s", res.Reason, res.Exit, res.Stdout, res.Violations, res.Stderr)
			}
		})
	}
}

// TestSwitches has V8 itself refuse what the hooks would have stopped: they are
// taken out.
func TestSwitches(t *testing.T) {
	t.Parallel()
	b := newBare(t, func(files map[string]string) {
		files["guard.cjs"] = strings.Replace(files["guard.cjs"], "const denies = (", "const denies = () => false;\nconst unused = (", 1)
	})
	for _, tt := range []struct{ name, code string }{
		{"text", `try { eval(text) } catch (e) { console.log(e.name) }`},
		{"a function", `try { (async () => 1).constructor(text)() } catch (e) { console.log(e.name) }`},
		{"machine code", `try { new WebAssembly.Module(Buffer.from([0, 97, 115, 109, 1, 0, 0, 0])); console.log("reached") } catch (e) { console.log("EvalError") }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := *b
			for _, want := range []string{"EvalError\n", "reached\n"} {
				if res := b.run(t, attackSpec(tt.code, "code.eval", "native", "network")); string(res.Stdout) != want {
					t.Errorf("%s, %q, want %q; %.500s", res.Reason, res.Stdout, want, res.Stderr)
				}
				b.hooks = true // and nothing of V8's
			}
		})
	}
}

// TestSwitchesHold: the switches of V8's that the runner takes back for itself hold for
// the program, and for a thread of it, with no hook to help them.
func TestSwitchesHold(t *testing.T) {
	t.Parallel()
	const program = `const t = require('worker_threads'), { getHeapStatistics } = require('v8');
const tried = [() => new Function('return 1')(), () => (0, eval)('1')].map((f) => {
  try { return f(); } catch (e) { return e.constructor.name; }
});
const told = [t.isMainThread ? 'program' : 'thread', ...tried, getHeapStatistics().heap_size_limit].join(' ');
if (t.isMainThread) console.log(told), new t.Worker(__filename).on('message', console.log);
else t.parentPort.postMessage(told);`
	for _, waited := range []bool{false, true} {
		b := newBare(t, nil)
		b.job = func(s *sandbox.Spec) {
			s.Grant = append(s.Grant, sandbox.CapabilityCodeEval, sandbox.CapabilityCodeLoad)
		}
		s := sandboxtest.Spec("javascript", program)
		s.Limits.Memory = 256 << 20
		if waited {
			b.env = []string{runner.Preload(s)}
		}
		res := b.run(t, s)
		// How much more than a heap V8 counts depends on its version: as much as where nobody takes anything back.
		limit, err := exec.Command(requireInterpreter(t, "javascript"), runner.Argv("", s)[1], "-p", "v8.getHeapStatistics().heap_size_limit").Output()
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("program EvalError EvalError %[1]sthread EvalError EvalError %[1]s", limit)
		if string(res.Stdout) != want {
			t.Errorf("waited %v: %q, want %q; %s", waited, res.Stdout, want, res.Stderr)
		}
	}
}
