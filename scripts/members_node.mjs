// What Node's objects have besides what is documented: a method that nobody is told of may do what no catalog says.
//
// Usage: NODE_PATH=… node scripts/members_node.mjs [NODE…] (make members)
//
// Each NODE makes one of most things that its modules give, and has them call a function, and says by which names these,
// what that is called of and given, and what they lead to, have functions, objects and accessors. A name that no type of @types/node or of the language has is to be looked at: what it
// does, and whether the analysis knows it. scripts/members_node.txt has those that were; any other is a difference.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);
const require = createRequire(import.meta.url);

// ---- inside of a Node ----

// What leads away from the program is denied as a module.
const away = /^(internal|_|repl|inspector|cluster|trace|wasi|child_process|net|tls|http|dgram|dns|vm|v8|worker_threads|module|domain)/;
const failed = (f) => { try { f(); } catch (e) { return e; } return undefined; };
const made = (fs, zlib, crypto, perf, hooks) => ({
	directory: () => fs.opendirSync('.'), reads: () => fs.createReadStream(here), watcher: () => fs.watch('.'), stats: () => fs.statSync('.'),
	entry: () => fs.readdirSync('.', { withFileTypes: true })[0], statWatcher: () => fs.watchFile(here, () => {}), file: () => fs.promises.open(here), laterDirectory: () => fs.promises.opendir('.'),
	lines: () => require('readline').createInterface({ input: process.stdin }), laterLines: () => require('readline/promises').createInterface({ input: process.stdin }),
	gzip: () => zlib.createGzip(), brotli: () => zlib.createBrotliCompress(), hash: () => crypto.createHash('sha1'), hmac: () => crypto.createHmac('sha1', 'x'),
	cipher: () => crypto.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)), key: () => crypto.createSecretKey(Buffer.alloc(1)), curve: () => crypto.createECDH('secp256k1'),
	signs: () => crypto.createSign('sha1'), subtle: () => crypto.webcrypto.subtle, histogram: () => perf.createHistogram(), observer: () => new perf.PerformanceObserver(() => {}),
	delay: () => perf.monitorEventLoopDelay(), mark: () => perf.performance.mark('x'), store: () => new hooks.AsyncLocalStorage(), resource: () => new hooks.AsyncResource('x'), hook: () => hooks.createHook({}),
	port: () => new MessageChannel().port1, signal: () => new AbortController().signal, blob: () => new Blob(['a']), url: () => new URL('http://a'), reader: () => new ReadableStream().getReader(),
	writer: () => new WritableStream().getWriter(), transforms: () => new TransformStream(), compresses: () => new CompressionStream('gzip'), form: () => new FormData(), headers: () => new Headers(),
	request: () => new Request('http://a'), response: () => new Response('x'), timer: () => setTimeout(() => {}, 1), immediate: () => setImmediate(() => {}), decoder: () => new TextDecoder(),
	console: () => console, output: () => process.stdout, input: () => process.stdin, channel: () => require('diagnostics_channel').channel('x'), tracing: () => require('diagnostics_channel').tracingChannel?.('x'),
	failed: () => failed(() => fs.openSync('/none')), asserted: () => failed(() => require('assert')(0)), mock: () => require('node:test').mock, reference: () => new WeakRef({}),
	database: () => new (require('node:sqlite').DatabaseSync)(':memory:'),
});

// These are given a function at each place, and change nothing.
const calling = { fs: /^(access|exists|glob|l?stat|opendir|read(dir|File|link)|realpath|statfs|watch(File)?)$/, crypto: /^(check|generate)Prime$|^(hkdf|pbkdf2|random(Bytes|Fill|Int|UUID)|scrypt)$/, zlib: /^[a-z]+(?<!Sync)$/i, timers: /^set/ };
const methods = { directory: ['close', 'read'], gzip: ['_flush', 'flush', 'end', 'close', 'once'], lines: ['question', 'once'], reads: ['once', 'close'], watcher: ['once'], output: ['once'] };

// called is what the function that they are given is called of, and with, by who calls it.
const called = async (objects) => {
	const found = new Map();
	const asks = (name, key, make) => {
		for (const before of [[], ['/none'], ['newListener'], [here, 'utf8'], [Buffer.from('a'), {}], ['a', 'b', 1], ['a', 'b', 1, 1], ['a', 'b', 1, 1, 'sha1']]) {
			failed(() => {
				const self = make(), probe = function (...args) { for (const thing of [this, ...args]) if (thing !== self && thing !== probe && !found.has(thing)) found.set(thing, name); };
				self[key](...before, probe);
			});
		}
	};
	for (const [module, names] of Object.entries(calling)) for (const name of Object.keys(require(module))) if (names.test(name)) asks(`${module}.${name}`, name, () => require(module));
	for (const [object, names] of Object.entries(methods)) for (const name of names) asks(`${object}.${name}`, name, objects[object]);
	process.once('warning', (warning) => found.set(warning, 'warning'));
	process.setMaxListeners(1).on('none', () => {}).on('none', () => {});
	await new Promise((done) => setTimeout(done, 500));
	return found;
};

const list = async () => {
	for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, () => {}); // of what is asked for out of turn
	const seen = new Set(), found = {};
	const visit = (o, at, depth) => {
		if (o === null || typeof o !== 'object' && typeof o !== 'function' || seen.has(o) || depth > 6) return;
		seen.add(o);
		for (const key of Object.getOwnPropertyNames(o)) {
			if (!/^[A-Za-z$_][\w$]*$/.test(key)) continue;
			const { get, value } = Object.getOwnPropertyDescriptor(o, key);
			let member = value;
			if (get) failed(() => { member = get.call(o); });
			if (get || typeof member === 'function' || typeof member === 'object' && member !== null) found[key] ??= at;
			visit(member, `${at}.${key}`, depth + 1);
		}
		visit(Object.getPrototypeOf(o), at, depth + 1);
	};
	for (const module of require('module').builtinModules.filter((name) => !away.test(name))) {
		for (const [name, f] of Object.entries(require(module))) if (typeof f === 'function') visit(f.prototype, `${module}.${name}`, 0);
	}
	for (const name of Object.getOwnPropertyNames(globalThis)) {
		const f = Object.getOwnPropertyDescriptor(globalThis, name).value;
		if (typeof f === 'function') visit(f.prototype, name, 0);
	}
	const objects = made(...['fs', 'zlib', 'crypto', 'perf_hooks', 'async_hooks'].map((module) => require(module)));
	for (const [thing, name] of await called(objects)) {
		const kind = typeof thing === 'object' ? thing?.constructor?.name : undefined; // a class that is to be had nowhere else
		if (kind) found[kind] ??= `what ${name} calls functions of, or with`;
		visit(thing, `what ${name} calls functions of, or with`, 0);
	}
	for (const [name, make] of Object.entries(objects)) {
		try { visit(await make(), name, 0); } catch {} // which this Node lacks
	}
	console.log(JSON.stringify({ version: process.version, found }));
	process.exit(0);
};

// ---- beside it ----

// documented are the names that types have for members, functions and classes.
const documented = () => {
	const ts = require('typescript'), names = new Set(), K = ts.SyntaxKind;
	const kinds = new Set([K.PropertySignature, K.MethodSignature, K.PropertyDeclaration, K.MethodDeclaration, K.GetAccessor, K.SetAccessor, K.FunctionDeclaration,
		K.VariableDeclaration, K.ClassDeclaration, K.EnumMember, K.ModuleDeclaration]);
	const look = (node) => { if (kinds.has(node.kind) && node.name?.text) names.add(node.name.text); ts.forEachChild(node, look); };
	const types = (dir) => readdirSync(dir, { recursive: true }).filter((f) => f.endsWith('.d.ts')).map((f) => join(dir, f));
	const ofLanguage = dirname(require.resolve('typescript'));
	const files = [...types(dirname(require.resolve('@types/node/package.json'))), ...types(dirname(require.resolve('undici-types/package.json'))),
		...readdirSync(ofLanguage).filter((f) => /^lib\.(es.*|dom(\.(async)?iterable)?)\.d\.ts$/.test(f)).map((f) => join(ofLanguage, f))];
	for (const file of files) look(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest));
	return names;
};

const main = (nodes) => {
	const names = documented(), was = new Set(readFileSync(new URL('members_node.txt', import.meta.url), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')));
	const differences = new Set();
	for (const node of nodes.length ? nodes : [process.execPath]) {
		const { version, found } = JSON.parse(execFileSync(node, ['--no-warnings', here, '--list'], { stdio: ['ignore', 'pipe', 'ignore'] }));
		const beside = Object.keys(found).filter((name) => !names.has(name));
		for (const name of beside) if (!was.has(name)) differences.add(`${name}\t${found[name]}\t${version}`);
		console.error(`${version}: ${Object.keys(found).length} names, ${beside.length} of which no type tells`);
	}
	for (const line of [...differences].sort()) console.log(line);
	process.exitCode = differences.size ? 1 : 0;
};

if (process.argv[2] === '--list') await list();
else main(process.argv.slice(2));
