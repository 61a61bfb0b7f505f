package sandboxtest

import (
	"fmt"
	"strings"

	"sallyport/sandbox"
)

// hookRows are programs of which the analysis has seen nothing that policy
// denies. The hooks of the interpreter end each one at what it does, and the
// result says at what; what it printed before is there, and nothing after.
func hookRows() []Row {
	var rows []Row
	add := func(name, language string, c sandbox.Capability, detail, code string) {
		mark := map[string]string{"python": "print('before')\n", "javascript": "console.log('before');\n"}[language]
		after := map[string]string{"python": "\nprint('after')", "javascript": "\nconsole.log('after')"}[language]
		rows = append(rows, Row{
			Name: fmt.Sprintf("hook: %s, %s", name, language), Control: sandbox.Control(c), Language: language, Hooked: true, Within: true,
			Code: mark + code + after, Want: stoppedAt(c, detail),
			Edit: func(s *sandbox.Spec) {
				s.Stdin = []byte("__import__('os').getpid()\n")
				if c == sandbox.CapabilityWrites {
					s.Seen.Writes = []string{sandbox.WorkDir + "/named"}
				}
				if c != sandbox.CapabilityFiles {
					s.Grant = sandbox.Grant{sandbox.CapabilityFiles} // for what is reached by a file
				}
			},
		})
	}
	const py, js = "python", "javascript"
	inC := func(name, language string, c sandbox.Capability, detail, code string) {
		add(name, language, c, detail, code)
		rows[len(rows)-1].InC = true
	}
	add("process", py, sandbox.CapabilityProcess, "os.system", "import os\nos.system('true')")
	add("process behind a library", py, sandbox.CapabilityProcess, "subprocess.Popen", "import subprocess\ntry:\n  subprocess.run(['true'])\nexcept BaseException: pass")
	add("process in a thread without a frame", py, sandbox.CapabilityProcess, "os.system", "import os, _thread, time\n_thread.start_new_thread(os.system, ('echo > ended',))\nwhile not os.path.exists('ended'): time.sleep(0.01)")
	add("network", py, sandbox.CapabilityNetwork, "socket.__new__", "import socket\ntry:\n  socket.socket()\nexcept OSError: pass")
	add("native", py, sandbox.CapabilityNative, "ctypes.dlopen", "import ctypes\nctypes.CDLL('libc.so.6')")
	add("deserialize", py, sandbox.CapabilityDeserialize, "pickle.find_class", "import pickle\npickle.loads(b'cos\\ngetpid\\n(tR.')")
	add("marshal", py, sandbox.CapabilityDeserialize, "marshal.loads", "import marshal\nmarshal.loads(b'N')")
	add("frames", py, sandbox.CapabilityIntrospection, "object.__getattr__", "try:\n  1/0\nexcept Exception as e:\n  getattr(e.__traceback__, 'tb_' + 'frame')")
	add("frames, by a library that gives them away", py, sandbox.CapabilityIntrospection, "sys._getframe", "import inspect\ninspect.currentframe()")
	add("all frames, by a library that gives them away", py, sandbox.CapabilityIntrospection, "sys._getframe", "from inspect import stack as s\nlist(map(lambda f: f(), [s]))")
	inC("what a function can see, by a format", py, sandbox.CapabilityIntrospection, "object.__getattr__", "def f(): pass\n'{0.__globals__}'.format(f)")
	inC("what a function can see, by a library", py, sandbox.CapabilityIntrospection, "object.__getattr__", "def f(): pass\nimport operator, functools\nclass A: p = functools.cached_property(operator.attrgetter('f.__glo' + 'bals__'))\nA.f = f\nA().p")
	inC("the module of a function in C", py, sandbox.CapabilityIntrospection, "object.__getattr__", "getattr(len, '__self__')")
	inC("all classes", py, sandbox.CapabilityIntrospection, "object.__getattr__", "type.__subclasses__(object)")
	inC("variables of a frame that a library gives away", py, sandbox.CapabilityIntrospection, "object.__getattr__", "import traceback\ntry:\n  1/0\nexcept Exception as e:\n  next(traceback.walk_tb(e.__traceback__))[0].f_globals")
	add("objects", py, sandbox.CapabilityIntrospection, "gc.get_objects", "import gc\ngc.get_objects()")
	inC("the names of a module", py, sandbox.CapabilityIntrospection, "object.__getattr__", "import math\nprint(('{0.__di' + 'ct__}').format(math))")
	inC("what is global, by a name that nobody saw", py, sandbox.CapabilityIntrospection, "builtins.lookup", "import builtins\ngetattr(builtins, 'glo' + 'bals')()")
	inC("a handler of a signal", py, sandbox.CapabilitySignals, "signal.signal", "import signal\nsignal.signal(signal.SIGUSR1, print)")
	inC("a timer", py, sandbox.CapabilitySignals, "signal.timer", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 9)")
	inC("a signal to itself", py, sandbox.CapabilitySignals, "signal.raise", "import signal\nsignal.raise_signal(signal.SIGUSR1)")
	inC("an end by a signal", py, sandbox.CapabilitySignals, "os.abort", "import os\nos.abort()")
	inC("a pipe with a name", py, sandbox.CapabilityWrites, "os.mkfifo", "import os\nos.mkfifo('made')")
	add("text as code", py, sandbox.CapabilityCodeEval, "compile", "eval(input())")
	add("a debugger", py, sandbox.CapabilityCodeEval, "builtins.breakpoint", "import sys\nsys.breakpointhook = print\nbreakpoint()")
	add("text as code, behind a library", py, sandbox.CapabilityCodeEval, "exec", "import inspect\ndef f(x): pass\nf.__annotations__ = {'x': input()}\nimport typing\ntyping.get_type_hints(f)")
	add("text as a name of a field", py, sandbox.CapabilityCodeEval, "exec", "import dataclasses\n@dataclasses.dataclass(init=False, eq=False)\nclass X:\n  __annotations__ = {'\"+str(' + input() + ')+\"': int}\nrepr(X())")
	add("text as code, by a library that is made for it", py, sandbox.CapabilityCodeEval, "exec", "import code\ncode.InteractiveInterpreter().runsource(input())")
	add("a module that the program wrote", py, sandbox.CapabilityCodeLoad, "exec.module", "import sys\nopen('made.py', 'w').write('x = 1')\nimport made")
	add("a module of a name that nobody saw", py, sandbox.CapabilityCodeLoad, "import", "__import__(''.join(['w', 'ave']))")
	add("a module of a name that nobody saw, by importlib", py, sandbox.CapabilityCodeLoad, "import", "import importlib\nimportlib.import_module(''.join(['w', 'ave']))")
	add("a module of a name that nobody saw, by what is below importlib", py, sandbox.CapabilityCodeLoad, "import", "import importlib._bootstrap\nimportlib._bootstrap._gcd_import(''.join(['w', 'ave']))")
	add("a module of a name that nobody saw, by a library", py, sandbox.CapabilityCodeLoad, "import", "import pydoc\npydoc.locate(''.join(['w', 'ave']))")
	add("a part of a package of a name that nobody saw", py, sandbox.CapabilityCodeLoad, "import", "import importlib\nimportlib.import_module(''.join(['wsgi', 'ref.', 'util']))")
	add("a module in machine code of a name that nobody saw", py, sandbox.CapabilityCodeLoad, "import", "import importlib\nimportlib.import_module(''.join(['mm', 'ap']))")
	add("environment", py, sandbox.CapabilityEnvironment, "sallyport.environ", "import os\nos.environ['PATH']")
	add("environment as a file", py, sandbox.CapabilityEnvironment, "open.environ", "open('/proc/self/environ', 'rb')")
	add("environment as a file, by another spelling", py, sandbox.CapabilityEnvironment, "open.environ", "open('//proc/self/environ')")
	add("environment as a file, by a way back", py, sandbox.CapabilityEnvironment, "open.environ", "import os\nos.open('/dev/fd/../environ', os.O_RDONLY)")
	add("environment as a file, by a link of the program's", py, sandbox.CapabilityEnvironment, "open.environ", "import os\nos.symlink('/proc/self', 'here')\nopen('here/environ')")
	add("environment as a file, from where the program is", py, sandbox.CapabilityEnvironment, "open.environ", "import os\nos.chdir('/proc/self')\nopen(b'environ')")
	add("environment as a file, by a text of the program's making", py, sandbox.CapabilityEnvironment, "open.environ", "class P(str): pass\nopen(P('/proc/thread-self/environ'))")
	add("memory as a file", py, sandbox.CapabilityNative, "open.memory", "open('/proc/self/task/../mem', 'r+b', 0)")

	add("a file that nobody named", py, sandbox.CapabilityFiles, "open.file", "open('/proc/self/status')")
	add("a file that nobody named, by another spelling", py, sandbox.CapabilityFiles, "open.file", "open(b'//usr/../proc/self/task/../status')")
	add("a file that nobody named, by a link of the program's", py, sandbox.CapabilityFiles, "open.file", "import os\nos.symlink('/proc/self', 'here')\nopen('here/status')")
	add("a file that nobody named, below a directory that is open", py, sandbox.CapabilityFiles, "open.file", "import os\nos.makedirs('a/b/c/d')\nos.chdir('a/b/c/d')\nos.open('../../proc/self/status', os.O_RDONLY, dir_fd=os.open('/usr/lib', os.O_RDONLY))")
	add("a file that nobody named, by an object", py, sandbox.CapabilityFiles, "open.file", "import io\nclass P:\n  def __fspath__(self): return '/proc/self/status'\nio.FileIO(P())")
	add("a directory that nobody named", py, sandbox.CapabilityFiles, "os.listdir", "import os, pathlib\nos.listdir(pathlib.Path('.')); os.listdir(pathlib.Path('/'))")
	add("a directory of the interpreter's that nobody named", py, sandbox.CapabilityFiles, "os.listdir", "import json, os\nopen(json.__file__).close(); os.listdir(os.path.dirname(json.__file__))")
	add("a directory that nobody named, from where the program is", py, sandbox.CapabilityFiles, "os.scandir", "import os\nos.chdir('/proc/self')\nos.scandir()")
	add("a database that nobody named", py, sandbox.CapabilityFiles, "sqlite3.connect", "import sqlite3\nsqlite3.connect('file:/pro%63/self/status?mode=ro', uri=True)")
	add("a signal", py, sandbox.CapabilitySignals, "os.kill", "import os\nos.kill(os.getpid(), 0)")
	add("a signal to a group", py, sandbox.CapabilitySignals, "os.killpg", "import os\nos.killpg(os.getpgid(0), 0)")
	add("a signal to a thread", py, sandbox.CapabilitySignals, "signal.pthread_kill", "import signal, threading\nsignal.pthread_kill(threading.get_ident(), 0)")

	add("process", js, sandbox.CapabilityProcess, "child_process.spawnSync", "try { require('child_process').execSync('true') } catch {}")
	add("network", js, sandbox.CapabilityNetwork, "tcp.bind", "require('net').createServer().on('error', () => {}).listen(0, '127.0.0.1', function () { this.close(); console.log('after') })\nif (false)")
	add("text as code", js, sandbox.CapabilityCodeEval, "eval", "try { eval('1') } catch {}")
	add("text as code by a constructor", js, sandbox.CapabilityCodeEval, "Function", "try { (() => 1)['constr' + 'uctor']('return 1')() } catch {}")
	add("text as code by a constructor of generators", js, sandbox.CapabilityCodeEval, "Function", "try { Object.getPrototypeOf(function* () {}).constructor('yield 1')() } catch {}")
	add("text as code by vm", js, sandbox.CapabilityCodeEval, "vm", "try { new (require('vm').Script)('1') } catch {}")
	add("text as code by vm, called by node", js, sandbox.CapabilityCodeEval, "vm", "require('util').promisify(require('vm').runInNewContext)('1').catch(() => {})")
	add("text as code by _compile", js, sandbox.CapabilityCodeEval, "Module._compile", "module._compile('1', '/usr/x.js')")
	add("text as code in a worker", js, sandbox.CapabilityCodeEval, "Worker.eval", "new (require('worker_threads').Worker)('1', { eval: true })")
	add("switches", js, sandbox.CapabilityCodeEval, "v8.setFlagsFromString", "require('v8').setFlagsFromString('--expose-gc')")
	add("a module that the program wrote", js, sandbox.CapabilityCodeLoad, "import", "require('fs').writeFileSync('made.txt', '1'); require('./made.txt')")
	add("a handle of Node's own", js, sandbox.CapabilityNative, "handle", "require('zlib').createDeflate()._handle.init(15, 6, 8, 0, new Uint32Array(0), () => {}, undefined)")
	add("machine code", js, sandbox.CapabilityNative, "WebAssembly", "try { new WebAssembly.Module(Buffer.from([0, 97, 115, 109, 1, 0, 0, 0])) } catch {}")
	add("bindings", js, sandbox.CapabilityIntrospection, "process.binding", "try { process.binding('fs') } catch {}")
	add("environment", js, sandbox.CapabilityEnvironment, "process.env", "process.env.PATH")
	add("who runs it", js, sandbox.CapabilityEnvironment, "process.getuid", "process['getgroups']()")
	add("what is at work", js, sandbox.CapabilityIntrospection, "process._getActiveHandles", "process['_getActiveHandles']()")

	add("a file that nobody named", js, sandbox.CapabilityFiles, "fs.open", "require('fs').readFileSync('/proc/self/status', 'utf8')")
	add("a file that nobody named, by a promise", js, sandbox.CapabilityFiles, "fs.open", "require('fs').promises.readFile('//usr/../proc/self/status')")
	add("a file that nobody named, by a link of the program's", js, sandbox.CapabilityFiles, "fs.open", "require('fs').symlinkSync('/proc/self', 'here'); require('fs').openSync('here/status')")
	add("a directory that nobody named", js, sandbox.CapabilityFiles, "fs.readdir", "require('fs').readdirSync('/')")
	add("a directory that nobody named, opened", js, sandbox.CapabilityFiles, "fs.readdir", "require('fs').opendirSync('/').closeSync()")
	add("whether a file is there that nobody named", js, sandbox.CapabilityFiles, "fs.stat", "require('fs').existsSync('/proc/self/status')")
	add("whether a file is there that nobody named, by its name alone", js, sandbox.CapabilityFiles, "fs.stat", "require('fs').lstatSync('/proc/self/exe')")
	add("whether a file is there that nobody named, by a promise", js, sandbox.CapabilityFiles, "fs.stat", "require('fs').promises.access('/proc/self/status')")
	add("whether a directory is there that nobody named, by making it", js, sandbox.CapabilityFiles, "fs.stat", "try { require('fs').mkdirSync('/proc/self/none') } catch {}")
	add("a module of Node that nobody named", js, sandbox.CapabilityCodeLoad, "require", "require('o' + 's')")
	add("a module of Node that nobody named, by its whole name", js, sandbox.CapabilityCodeLoad, "require", "module.constructor._load('no' + 'de:o' + 's')")
	add("a module of Node that nobody named, where the loader says so", js, sandbox.CapabilityCodeLoad, "require", "module.constructor._cache = { __proto__: null }; module.constructor._resolveFilename = () => 'o' + 's'; require('./x')")
	add("a signal", js, sandbox.CapabilitySignals, "process.kill", "process.kill(process.pid, 0)")
	add("a signal that is answered", js, sandbox.CapabilitySignals, "process.on", "process['on'](['SIG', 'TERM'].join(''), () => {})")
	add("a signal by what is below", js, sandbox.CapabilitySignals, "process.kill", "process._kill(process.pid, 0)")

	add("a file written that nobody named", py, sandbox.CapabilityWrites, "open.write", "open('named', 'w').close(); open('made', 'w')")
	add("a file written that nobody named, by another spelling", py, sandbox.CapabilityWrites, "open.write", "import os\nos.mkdir('named')\nopen(b'.//named/../made', 'ab')")
	add("a file written that nobody named, by a link", py, sandbox.CapabilityWrites, "open.write", "import os\nos.symlink('made', 'named')\nopen('named', 'w')")
	add("a file written that nobody named, below a directory that is open", py, sandbox.CapabilityWrites, "open.write", "import os\nos.open('made', os.O_WRONLY | os.O_CREAT, dir_fd=os.open('.', os.O_RDONLY))")
	add("a file written that nobody named, where nothing comes out", py, sandbox.CapabilityWrites, "open.write", "import os\nf = '/tmp/named%d' % os.getpid()\nopen(f, 'w').close()\nos.remove(f)")
	add("a file written that nobody named, by an object", py, sandbox.CapabilityWrites, "open.write", "import io\nclass P:\n  def __fspath__(self): return 'named'\nio.FileIO(P(), 'w')")
	add("a directory made that nobody named", py, sandbox.CapabilityWrites, "os.mkdir", "import os\nos.makedirs('nam/ed')")
	add("a file under a name that nobody named", py, sandbox.CapabilityWrites, "os.rename", "import os\nopen('named', 'w').close()\nos.rename('named', 'made')")
	add("a second name of a file that nobody named", py, sandbox.CapabilityWrites, "os.link.made", "import os\nos.link('main.py', 'made')")
	add("a file that nobody named, by a second name", py, sandbox.CapabilityWrites, "os.link.made", "import os\nos.link('main.py', 'named')\nopen('named', 'w')")
	add("a database that nobody named, by a directory that is not there", py, sandbox.CapabilityWrites, "open.write", "import sqlite3\nsqlite3.connect('none/../made').execute('create table t(a)')")
	add("a link that nobody named", py, sandbox.CapabilityWrites, "os.symlink", "import os\nos.symlink('named', 'made')")
	add("a file taken away that nobody named", py, sandbox.CapabilityWrites, "os.remove", "import os\nos.remove('main.py')")
	add("a database that nobody named, made", py, sandbox.CapabilityWrites, "open.write", "import sqlite3\nsqlite3.connect(':memory:'); sqlite3.connect('named.db'); sqlite3.connect('made.db')")
	add("a file written that nobody named", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'); fs.writeFileSync('named', ''); fs.writeFileSync('made', '')")
	add("a file written that nobody named, by a promise", js, sandbox.CapabilityWrites, "fs.write", "require('fs').promises.writeFile('made', '')")
	add("a file written that nobody named, by a link", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'); fs.symlinkSync('made', 'named'); fs.writeFileSync('named', '')")
	add("a file written that nobody named, where nothing comes out", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'), f = `/tmp/named${process.pid}`; fs.openSync(f, 'w'); fs.unlinkSync(f)")
	add("a directory made that nobody named", js, sandbox.CapabilityWrites, "fs.write", "require('fs').mkdirSync('nam/ed', { recursive: true })")
	add("a file under a name that nobody named", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'); fs.writeFileSync('named', ''); fs.renameSync('named', 'made')")
	add("a file that nobody named, by a second name", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'); fs.linkSync('main.js', 'named'); fs.writeFileSync('named', '')")
	add("a file that nobody named, copied to by a link", js, sandbox.CapabilityWrites, "fs.write", "const fs = require('fs'); fs.mkdirSync('named/a', { recursive: true }); fs.mkdirSync('named/b'); fs.writeFileSync('named/a/x', ''); fs.symlinkSync('../../made', 'named/b/x'); fs.cpSync('named/a', 'named/b', { recursive: true }); if (!fs.existsSync('made')) fs.writeFileSync('made', '') // where the link was taken away")
	add("a file taken away that nobody named", js, sandbox.CapabilityWrites, "fs.write", "require('fs').unlinkSync('main.js')")

	for _, only := range []struct{ language, symbol, code, stopped string }{
		{py, "os.system", "import os, subprocess\nprint('before')\nos.system('true')\nsubprocess.run(['true'])", "subprocess.Popen"},
		{js, "child_process.execFileSync", "console.log('before'); const c = require('child_process'); try { c.execFileSync('true') } catch {}; try { c.exec('true') } catch {}", "child_process.spawn"},
	} {
		rows = append(rows, Row{
			Name: "hook: let through for one symbol, " + only.language, Language: only.language, Hooked: true, Within: true, Code: only.code,
			Edit: func(s *sandbox.Spec) {
				s.Grant, s.Only = sandbox.Grant{sandbox.CapabilityProcess}, map[sandbox.Capability][]string{sandbox.CapabilityProcess: {only.symbol}}
			},
			Want: func(r sandbox.Result) []string {
				bad := stoppedAt(sandbox.CapabilityProcess, only.stopped)(r)
				if held := r.Enforced[sandbox.Control(sandbox.CapabilityProcess)]; !strings.HasSuffix(held, ", but for "+only.symbol) {
					bad = append(bad, fmt.Sprintf("the result says that processes were held back by %q", held))
				}
				return bad
			},
		})
	}
	rows = append(rows,
		Row{Name: "hook: what modules do by themselves, javascript", Language: js, Hooked: true, Within: true, Code: `
const util = require("util"), os = require("os"), { Worker } = require("worker_threads"), zlib = require("zlib");
console.error(util.inspect({ a: new Map() }, { colors: true }));
zlib.gunzipSync(zlib.gzipSync("x"));
(async () => {
  for await (const text of new Blob(["x"]).stream().pipeThrough(new TextDecoderStream())) console.error(text);
  console.log((() => 1) instanceof Function && typeof Function === "function" ? "held" : "another Function");
})();`},
		Row{Name: "hook: data as a module, javascript", Control: sandbox.Control(sandbox.CapabilityCodeEval), Language: js, Hooked: true, Within: true,
			Code: "console.log('before'); await import('data:text/javascript,console.log(1)')", Want: stoppedAt(sandbox.CapabilityCodeEval, "import.data")}.module(),
		Row{Name: "hook: a module of Node that nobody named, imported, javascript", Control: sandbox.Control(sandbox.CapabilityCodeLoad), Language: js, Hooked: true, Within: true,
			Code: "console.log('before'); await import('node:o' + 's'); console.log('after')", Want: stoppedAt(sandbox.CapabilityCodeLoad, "import")}.module(),
		Row{Name: "hook: what the text of a program names, python", Language: py, Hooked: true, Within: true, Code: `
import os, pathlib
assert open("/proc/self/status").read() and os.listdir("/proc/self/task") and os.listdir(pathlib.Path("/proc/self/task"))
assert os.listdir("/usr/lib") and os.listdir() == ["main.py"]
print("held")`, Edit: func(s *sandbox.Spec) { s.Seen.Paths = []string{"/proc/self/stat*", "/proc/self/task", "/usr/lib"} }},
		Row{Name: "hook: what the text of a program names, javascript", Language: js, Hooked: true, Within: true, Code: `
const fs = require("fs"), { sep } = require("path/posix");
console.log(fs.readFileSync("/proc/self/status").length > 0 && fs.readdirSync("/proc/self/task").length > 0 && fs.readdirSync(".")[0] === "main.js" && sep === "/" ? "held" : "lost")`,
			Edit: func(s *sandbox.Spec) { s.Seen.Paths = []string{"/proc/self/stat*", "/proc/self/task"} }},
		Row{Name: "hook: what the text of a program names to write, python", Language: py, Hooked: true, Within: true, Code: `
import os, pathlib, shutil, sqlite3, tempfile
open("a.txt", "w").close(); open("a.txt.bak", "x").close(); os.makedirs("b/c/d", exist_ok=True); os.makedirs(".", exist_ok=True)
pathlib.Path("b/c/d/e").write_text("x"); shutil.copytree("b/c/d", "b/c/d2"); shutil.rmtree("b/c/d"); os.rename("a.txt", "a.txt2")
for i in range(3): open(f"row{i}.csv", "w").close(); os.makedirs(f"t{i}/u", exist_ok=True); os.removedirs(f"t{i}/u")
os.symlink("a.txt3", "a.txt4"); open("a.txt4", "w").close(); sqlite3.connect(":memory:"); sqlite3.connect("a.txt.db").execute("create table t(a)")
with tempfile.TemporaryDirectory() as d, tempfile.TemporaryFile() as f, tempfile.NamedTemporaryFile() as g: open(os.path.join(d, "x"), "w").close()
r, w = os.pipe(); open(w, "w").close(); open("/dev/null", "w").close()
os.link("a.txt2", "a.txt5"); os.fchmod(os.open("a.txt2", os.O_RDONLY), 0o600); sqlite3.connect("b/../a.txt.db").execute("select * from t")
with tempfile.TemporaryFile() as f: os.fchmod(f.fileno(), 0o600)
print("held")`, Edit: func(s *sandbox.Spec) {
			s.Seen.Writes = []string{"/tmp/tmp", "/workspace/a.txt", "/workspace/b/c/d", "/workspace/row*.csv", "/workspace/t*/u"}
		}},
		Row{Name: "hook: what the text of a program names to write, javascript", Language: js, Hooked: true, Within: true, Code: `
const fs = require("fs"), path = require("path");
fs.writeFileSync("a.txt", ""); fs.appendFileSync(Buffer.from("./a.txt.bak"), ""); fs.mkdirSync("b/c/d", { recursive: true }); fs.mkdirSync(".", { recursive: true });
fs.mkdirSync("t1"); fs.mkdirSync("t1/u"); fs.writeFileSync("row1.csv", "x"); fs.truncateSync("row1.csv"); fs.renameSync("a.txt", "a.txt2"); fs.copyFileSync("main.js", "a.txt3");
fs.symlinkSync("a.txt4", "a.txt5"); fs.writeFileSync("a.txt5", ""); fs.rmdirSync(fs.mkdtempSync("a.txt")); fs.writeFileSync("/dev/null", ""); fs.linkSync("a.txt2", "a.txt6"); fs.fchmodSync(fs.openSync("a.txt2"), 0o600); fs.cpSync("b/c", "b/c/d/e", { recursive: true, filter: () => false });
fs.promises.writeFile(path.resolve("b/c/d/f"), "").then(() => fs.promises.rm("b/c/d", { recursive: true })).then(() => console.log("held"));`,
			Edit: func(s *sandbox.Spec) {
				s.Seen.Writes = []string{"/workspace/a.txt", "/workspace/b/c/d", "/workspace/row*.csv", "/workspace/t*/u"}
			}},
		Row{Name: "hook: what libraries do by themselves, python", Language: py, Hooked: true, Within: true, Code: `
import asyncio, collections, dataclasses, doctest, enum, functools, inspect, typing, logging, traceback, platform, decimal, tokenize, threading, timeit
@dataclasses.dataclass(order=True)
class A:
    x: int
    y: "str" = "a"
class B(enum.IntFlag):
    p = 1
class N(typing.NamedTuple):
    n: "typing.List[int]" = None
P = collections.namedtuple("P", "left right")
@functools.singledispatch
def f(v): return v
@f.register
def g(v: int):
    """
    >>> g(1)
    2
    """
    return v + 1
doctest.testmod(raise_on_error=True)
typing.get_type_hints(A), inspect.signature(f), repr(A(1)), P(1, 2), N()
timeit.timeit(lambda: f(1), lambda: f(2), number=1), timeit.Timer("g(1)", "g = f = abs").repeat(1, 1)
asyncio.run(asyncio.sleep(0))
t = threading.Thread(target=f, args=(1,))
t.start(); t.join()
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("as it should")
class D:
    def __del__(self): raise ValueError(f(1))
D()
never, last = asyncio.sleep(0), D() # of which the interpreter tells when it ends
print("held")`},
		Row{Name: "hook: a data class of so many fields that its text is joined, python", Language: py, Hooked: true, Within: true, Code: `
import dataclasses
@dataclasses.dataclass
class W:
    a: int = 0; b: int = 0; c: int = 0; d: int = 0; e: int = 0; f: int = 0; g: int = 0; h: int = 0; i: int = 0; j: int = 0; k: int = 0; l: int = 0; m: int = 0; n: int = 0; o: int = 0; p: int = 0
print(repr(W()).count("=0"), "held")`, Want: prints("16 held\n")},
		Row{Name: "hook: a name that a module lacks, of which nobody catches the error, python", Language: py, Hooked: true, Within: true, Code: `
import collections, logging, math, threading, traceback
t = threading.Thread(target=lambda: math.squrt(2))
t.start(); t.join()
try:
    math.squrt
except AttributeError:
    traceback.print_exc(); logging.exception("as it should")
print("before")
try:
    class A(collections.Sequence): pass
except AttributeError as e:
    raise ValueError from e`, Want: func(r sandbox.Result) (bad []string) {
			if r.Reason != sandbox.Exited || r.Exit != 1 || len(r.Violations) > 0 || string(r.Stdout) != "before\n" || !strings.Contains(string(r.Stderr), "'Sequence'") {
				bad = append(bad, fmt.Sprintf("ended with %s, exit %d, for %v: %q, %.2000s", r.Reason, r.Exit, r.Violations, r.Stdout, r.Stderr))
			}
			return bad
		}},
		Row{Name: "hook: an example that the program made, python", Control: sandbox.Control(sandbox.CapabilityCodeEval), Language: py, Hooked: true, Within: true, Code: `
import doctest
print("before")
def f(): pass
f.__doc__ = ">>> sor" + "ted([1])"
doctest.run_docstring_examples(f, {})`, Want: stoppedAt(sandbox.CapabilityCodeEval, "exec")},
		Row{Name: "hook: a statement that the program made, which is timed, python", Control: sandbox.Control(sandbox.CapabilityCodeEval), Language: py, Hooked: true, Within: true, Code: `
import timeit
print("before")
timeit.timeit("sor" + "ted([1])", number=1)`, Want: stoppedAt(sandbox.CapabilityCodeEval, "exec")},
		Row{Name: "hook: what a library tries by itself, python", Language: py, Hooked: true, Code: `
import platform
print(platform.system(), platform.platform() != "")`, Want: func(r sandbox.Result) []string {
			bad := prints("Linux True\n")(r)
			if len(r.Violations) != 1 || !r.Violations[0].Library || !told(r, sandbox.CapabilityProcess, "subprocess.Popen") {
				bad = append(bad, fmt.Sprintf("told %+v, want subprocess.Popen of a library and nothing of the program", r.Violations))
			}
			return bad
		}},
		Row{Name: "hook: observing stops nothing, python", Within: true, Language: py, Code: "print(eval('6 * 7'))", Want: func(r sandbox.Result) []string {
			bad := prints("42\n")(r)
			if !told(r, sandbox.CapabilityCodeEval, "compile") {
				bad = append(bad, fmt.Sprintf("what was observed: %v", r.Violations))
			}
			return bad
		}},
		// Nothing of this is told to a hook, or not in time: the kernel refuses it.
		Row{Name: "hook: its own memory and environment, by other ways, python", Language: py, Hooked: true, Within: true, Code: `
import os, io, sqlite3
class P:
    def __init__(self, path): self.path = path
    def __fspath__(self): return self.path
me = os.open("/proc/self", os.O_RDONLY)
for name in ("environ", "mem"):
    for f in (lambda: os.open(name, os.O_RDONLY, dir_fd=me), lambda: io.FileIO(P("/proc/self/" + name)), lambda: io.FileIO(P("/proc/thread-self/" + name))):
        try:
            print("opened", name, f())
        except PermissionError:
            pass
try:
    sqlite3.connect(":memory:").execute("attach '/proc/self/environ' as its").execute("select * from its.sqlite_master")
except sqlite3.OperationalError:
    print("held" if "Name:" in open("/proc/self/status").read() and os.listdir("/proc/self/fd") else "lost")`,
			Edit: func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityFiles} }, Want: func(r sandbox.Result) []string {
				// A hook that may list what is open sees it all the same.
				if v, stopped := r.Stopped(); stopped && v.Capability == string(sandbox.CapabilityEnvironment) && len(r.Stdout) == 0 {
					return nil
				}
				return held(r)
			}},
		Row{Name: "hook: its own memory and environment, javascript", Language: js, Hooked: true, Within: true, Code: `
const fs = require("fs");
for (const name of ["/proc/self/environ", "/dev/fd/../environ", "/proc/thread-self/mem"]) {
  try { console.log("opened", name, fs.openSync(name, "r")); } catch (e) { if (e.code !== "EACCES") console.log(e); }
}
console.log(fs.readdirSync("/proc/self/fd").length > 0 ? "held" : "lost");`,
			Edit: func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityFiles} }},
		Row{Name: "hook: a program that closes its ears, python", Control: sandbox.Control(sandbox.CapabilityCodeEval), Language: py, Hooked: true,
			Edit: func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilitySignals} },
			Code: "import os, signal\nsignal.signal(signal.SIGSYS, signal.SIG_IGN)\nos.closerange(3, 200)\neval('print(1)')", Want: func(r sandbox.Result) []string {
				if v, ok := r.Stopped(); r.Reason != sandbox.Policy || !ok || len(r.Stdout) > 0 {
					return []string{fmt.Sprintf("ended with %q for %v, stdout %q", r.Reason, v, r.Stdout)}
				}
				return nil
			}},
		Row{Name: "hook: a word of the program's own, python", Language: py, Hooked: true, Code: forgesPython + "print('held')", Want: toldNothing},
		Row{Name: "hook: a word of the program's own, javascript", Language: js, Hooked: true, Within: true, Code: forgesJavaScript + "console.log('held')", Want: toldNothing},
		// The kernel keeps what is told over, whoever tries to be rid of it.
		Row{Name: "hook: the end of what it tells over, python", Hooked: true, Within: true, Language: py, Code: "print('before')\n" + forgesPython + `
import os, signal, threading
signal.signal(signal.SIGSYS, signal.SIG_IGN)
os.closerange(3, 200)
for rid in (lambda: os.close(102), lambda: os.dup2(1, 102), lambda: os.dup2(os.open('x', os.O_RDWR | os.O_CREAT), 102, False)):
    try:
        rid()
        print('rid of it')
    except OSError: pass
for read in (lambda: os.read(os.open('/proc/self/fd/102', os.O_RDONLY | os.O_NONBLOCK), 1), lambda: os.read(102, 1)):
    try: print('read', read()) if os.set_blocking(102, False) is None else 0
    except OSError: pass
def flood():
    while True:
        try: os.write(102, b'x' * 50000)
        except OSError: pass
threading.Thread(target=flood, daemon=True).start()
eval('print(1)')`, Edit: func(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityFiles, sandbox.CapabilitySignals} }, Want: stoppedAt(sandbox.CapabilityCodeEval, "compile")},
		Row{Name: "hook: the end of what it tells over, javascript", Hooked: true, Within: true, Language: js, Code: "console.log('before');\n" + forgesJavaScript + `
const { Worker } = require('worker_threads'), net = require('net');
for (const rid of [() => fs.closeSync(102), () => { fs.createReadStream('', { fd: 102 }).on('error', () => {}).destroy(); }, () => { new net.Socket({ fd: 102 }).on('error', () => {}).destroy(); }]) try { rid(); } catch {}
try { console.log('read', fs.readSync(fs.openSync('/proc/self/fd/102', 'r'), Buffer.alloc(1))); } catch {}
setTimeout(() => process.env.PATH, 300);`, Edit: grantsFiles, Want: stoppedAt(sandbox.CapabilityEnvironment, "process.env")},
	)
	return rows
}

// What a program writes to where the hooks tell: what none of them has told, the end of
// all, and a length that would swallow what comes next.
const (
	forgesPython = `
import os, struct
for tag, t in (b's', b'process run this at once!'), (b'v', b'money bank'), (b'v', b'process os.system 4'), (b's', b'process os.system 4'), (b'k', b'\xff' * 16):
    os.write(102, tag + struct.pack('>I', len(t)) + t + t + tag + struct.pack('>I', len(t)) + t)
os.write(102, b'z\0\0\0\x010d\x3f\xff\xff\xff')
`
	forgesJavaScript = `
const fs = require('fs'), frame = (tag, t) => Buffer.concat([Buffer.from([tag.charCodeAt(0), 0, 0, 0, t.length]), Buffer.from(t, 'latin1')]);
for (const [tag, t] of [['s', 'process run this at once!'], ['v', 'money bank'], ['v', 'native process.dlopen 4'], ['s', 'native process.dlopen 4'], ['k', '\xff'.repeat(16)]]) {
  fs.writeSync(102, Buffer.concat([frame(tag, t), Buffer.from(t, 'latin1'), frame(tag, t)]));
}
fs.writeSync(102, Buffer.concat([frame('z', '0'), Buffer.from([100, 0x3f, 255, 255, 255])]));
`
)

// toldNothing wants a run of which no attempt is on record.
func toldNothing(r sandbox.Result) []string {
	bad := held(r)
	if len(r.Violations) > 0 {
		bad = append(bad, fmt.Sprintf("the program says %v", r.Violations))
	}
	return bad
}

func grantsFiles(s *sandbox.Spec) { s.Grant = sandbox.Grant{sandbox.CapabilityFiles} }

func told(r sandbox.Result, c sandbox.Capability, detail string) bool {
	for _, v := range r.Violations {
		if v.Capability == string(c) && v.Detail == detail {
			return true
		}
	}
	return false
}

// stoppedAt wants a run that ended where the program did this.
func stoppedAt(c sandbox.Capability, detail string) func(sandbox.Result) []string {
	return func(r sandbox.Result) (bad []string) {
		v, _ := r.Stopped()
		if r.Reason != sandbox.Policy || v.Capability != string(c) || v.Detail != detail {
			bad = append(bad, fmt.Sprintf("ended with %q, exit %d, signal %d for %v, want policy, %s: %s; stderr %.600s", r.Reason, r.Exit, r.Signal, v, c, detail, r.Stderr))
		}
		if got := string(r.Stdout); got != "before\n" {
			bad = append(bad, fmt.Sprintf("stdout %q", got))
		}
		if r.Enforced[sandbox.Control(c)] == "" {
			bad = append(bad, fmt.Sprintf("the result does not say that %q was enforced: %v", c, r.Enforced))
		}
		return bad
	}
}
