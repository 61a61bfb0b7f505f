package runner_test

import (
	"slices"
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
	{"the inspector by its prototype", "code.eval", "inspector.Session", `
const s = new (require("inspector").Session.prototype.constructor)(); s.connect(); s.post("Runtime.evaluate", { expression: text })`},
}

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
		{"a variable that it sets itself", `process.env.MINE = 1; delete process.env.MINE; console.log("held")`, sandbox.Capabilities(), false},
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
const told = [t.isMainThread ? 'program' : 'thread', ...tried, getHeapStatistics().heap_size_limit < 300 * 2 ** 20].join(' ');
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
		want := "program EvalError EvalError true\nthread EvalError EvalError true\n"
		if string(res.Stdout) != want {
			t.Errorf("waited %v: %q, want %q; %s", waited, res.Stdout, want, res.Stderr)
		}
	}
}
