// Check the catalog of JavaScript by execution: call every callable of Node and see what it does.
//
// Usage: node scripts/oracle_node.mjs [--write docs/oracle-node.md] [--modules a,b] [NODE…]
//
// Each NODE calls each public function, class and method of its modules, and of what programs have
// without a module, with tracers: text that is no program, a file, a file that is a module, functions, lists and options.
// What Node's own parts in C++ are asked for is seen and stopped there. What a callable did and its
// line in policies/catalog does not say is a difference, unless scripts/oracle_node.tsv says what
// else tells it. Each is called in a process of its own.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MARK = 'tracer_mark';
// V8 says that this is no program, whoever has it read as one.
const CODE = `${MARK} ${MARK}`;
const MOST_CALLS = 40, MILLISECONDS = 3000, AT_A_TIME = 4;
const here = fileURLToPath(import.meta.url);
const catalogs = new URL('../policies/catalog/', import.meta.url);

// What strict denies whatever else a line says.
const DENIED = new Set(['unknown', 'process', 'network', 'network.http', 'network.socket', 'native', 'introspection', 'deserialize', 'code.eval', 'code.load', 'environment']);

const catalog = () => {
	const table = new Map();
	for (const file of readdirSync(catalogs).filter((name) => name.startsWith('javascript'))) {
		for (const line of readFileSync(new URL(file, catalogs), 'utf8').split('\n')) {
			const fields = line.split('#')[0].trim().split(/\s+/);
			if (fields.length !== 2) continue;
			const [pattern, says] = fields, [owner, members] = pattern.endsWith('}') ? pattern.slice(0, -1).split('.{') : [];
			if (members === undefined) table.set(pattern, says.split(','));
			else for (const member of members.split(',')) table.set(`${owner}.${member}`, says.split(','));
		}
	}
	return table;
};

// lookup does as policy/catalog.go does.
const lookup = (table, name) => {
	if (table.has(`${name}.`)) return table.get(`${name}.`);
	for (let prefix = name; ; prefix = prefix.slice(0, prefix.lastIndexOf('.'))) {
		if ((prefix !== name || !table.has(name)) && table.has(`${prefix}.*`)) return table.get(`${prefix}.*`);
		if (table.has(prefix)) return table.get(prefix);
		if (!prefix.includes('.')) return ['unknown'];
	}
};

// ---- what there is to call ----

// Whose point is to end, to wait for a person, or to talk about another process.
const SKIPPED = new Set(['node:repl', 'node:test', 'node:test/reporters', 'node:wasi', 'node:sea', 'node:sqlite']);
const isName = (key) => /^[A-Za-z$_][\w$]*$/.test(key);
const own = (holder) => Object.getOwnPropertyNames(holder).filter(isName);
const valueOf = (holder, key) => { try { return holder[key]; } catch { return undefined; } };

// callables yields names and functions: those of holder, methods of its classes, and of objects in it.
function* callables(name, holder, deeper = true) {
	for (const key of own(holder)) {
		const value = valueOf(holder, key), path = `${name}.${key}`;
		if (typeof value === 'function') {
			if (['prototype', 'caller', 'arguments', 'constructor', 'super_'].includes(key)) continue;
			yield [path, value];
			for (const method of isClass(value) ? own(value.prototype) : []) {
				const how = Object.getOwnPropertyDescriptor(value.prototype, method);
				if (method !== 'constructor' && typeof how.value === 'function') yield [`${path}.${method}`, method, value];
			}
			if (isClass(value)) for (const still of own(value)) if (typeof valueOf(value, still) === 'function' && still !== 'prototype' && still !== 'super_') yield [`${path}.${still}`, value[still], undefined, value];
		} else if (deeper && typeof value === 'object' && value !== null && !Array.isArray(value) && value !== globalThis && key !== 'env') {
			yield* callables(path, value, false);
		}
	}
}
const isClass = (f) => typeof f.prototype === 'object' && f.prototype !== null && (/^class/.test(Function.prototype.toString.call(f)) || own(f.prototype).length > 1 || /^[A-Z]/.test(f.name));

const modules = (require) => ['globalThis', ...require('module').builtinModules.map((m) => `node:${m.replace(/^node:/, '')}`).filter((m) => !SKIPPED.has(m))];
const callablesOf = function* (require, module) {
	let exports = globalThis;
	try { if (module !== 'globalThis') exports = require(module); } catch { return; }
	if (typeof exports === 'function') yield [module, exports];
	yield* callables(module, exports);
};

// ---- inside of a Node of its own ----

const inside = async (name, home) => {
	process.chdir(home);
	const require = createRequire(import.meta.url);
	const effects = new Set();
	class Stopped extends Error {}
	const stop = (effect) => { effects.add(effect); throw new Stopped(effect); };
	let watching = false;
	const about = (v) => { const text = String(v instanceof Uint8Array ? Buffer.from(v) : v); return text.includes(MARK) || text.startsWith(home); };
	watch(require, (effect, path) => { if (watching && (path === undefined || about(path))) stop(effect); }, () => watching);
	const [, f, type, self] = [...callablesOf(require, name.split('.')[0])].find(([path]) => path === name);
	const tracers = {
		text: () => CODE, path: () => join(home, `${MARK}.txt`), module: () => join(home, `${MARK}.cjs`), number: () => 1, function: () => function called() {}, list: () => [CODE],
		options: () => ({ eval: true, path: join(home, `${MARK}.txt`), filename: join(home, `${MARK}.txt`), file: CODE, host: '127.0.0.1', port: 1, recursive: true }), bytes: () => Buffer.from(CODE), none: () => undefined,
		url: () => new URL(`file://${home}/${MARK}.txt`), address: () => 'http://127.0.0.1:1/', object: () => Object.create(null),
	};
	let ran = 0;
	const errors = {};
	const tell = () => require('fs').writeSync(3, `${JSON.stringify([[...effects], ran, errors])}\n`);
	const failed = (e) => {
		if (e instanceof Stopped) return;
		if (e?.name === 'SyntaxError' && e.message.startsWith('Unexpected identifier')) { effects.add('code.eval'); return; }
		errors[e?.code ?? e?.name] = (errors[e?.code ?? e?.name] ?? 0) + 1;
	};
	process.on('uncaughtException', failed);
	process.on('unhandledRejection', failed);
	process.on(MARK, () => effects.add('code.load'));
	const kinds = Object.keys(tracers), lists = [[]];
	const length = typeof f === 'string' ? type.prototype[f].length : f.length;
	for (const n of new Set([Math.max(length, 1), length + 1])) for (const kind of kinds) lists.push(Array(n).fill(kind));
	for (const first of ['path', 'text', 'options', 'module', 'number', 'address']) for (const second of ['options', 'function', 'text', 'path']) lists.push([first, second, ...(length > 2 ? Array(length - 2).fill('function') : [])]);
	for (const list of lists.slice(0, MOST_CALLS)) {
		const args = list.map((kind) => tracers[kind]());
		watching = true;
		try {
			let result;
			if (typeof f === 'string') result = made(type, tracers)[f](...args);
			else if (isClass(f) || /^class/.test(Function.prototype.toString.call(f))) result = new f(...args);
			else result = f.apply(self ?? holderOf(require, name), args);
			ran++;
			if (typeof result?.then === 'function') result.then(undefined, failed);
			if (typeof result?.on === 'function') result.on('error', failed);
			if (typeof result?.next === 'function') { const step = result.next(); step?.then?.(undefined, failed); }
		} catch (e) {
			if (e instanceof Stopped) ran++;
			failed(e);
		}
		await new Promise((done) => setImmediate(done));
		watching = false;
		tell();
	}
	watching = true;
	await new Promise((done) => setTimeout(done, 30));
	watching = false;
	for (const file of require('fs').readdirSync(home)) if (!file.startsWith(MARK)) effects.add('filesystem.write'); // written below what is watched
	tell();
	process.reallyExit(0);
};

const holderOf = (require, name) => {
	const [module, ...path] = name.split('.');
	return path.slice(0, -1).reduce((holder, key) => holder?.[key], module === 'globalThis' ? globalThis : require(module));
};

// made is an object of a class, made of what it takes first.
const made = (type, tracers) => {
	let last;
	for (const kinds of [[], ['options'], ['text'], ['path'], ['number'], ['function'], ['text', 'options']]) {
		try { return new type(...kinds.map((kind) => tracers[kind]())); } catch (e) { last = e; }
	}
	throw last;
};

// watch calls seen with what Node's parts in C++ are asked for, and the path that it is about.
const watch = (require, seen, watching) => {
	const { internalBinding } = require('internal/test/binding');
	const wrap = (holder, name, look) => {
		const target = holder?.[name];
		if (typeof target !== 'function') return;
		holder[name] = new Proxy(target, { apply: (f, self, args) => { look(args); return Reflect.apply(f, self, args); }, construct: (f, args, to) => { look(args); return Reflect.construct(f, args, to); } });
	};
	const part = (name) => { try { return internalBinding(name); } catch { return {}; } };
	const all = (holder, names, effect) => { for (const name of names) wrap(holder, name, () => seen(effect)); };
	all(part('process_wrap').Process?.prototype, ['spawn'], 'process');
	all(part('spawn_sync'), ['spawn'], 'process');
	for (const kind of ['TCP', 'Pipe', 'UDP']) all(part(`${kind.toLowerCase()}_wrap`)[kind]?.prototype, ['connect', 'connect6', 'bind', 'bind6', 'listen', 'send', 'send6'], 'network');
	all(part('cares_wrap'), ['getaddrinfo', 'getnameinfo'], 'network');
	const channel = part('cares_wrap').ChannelWrap?.prototype;
	if (channel) all(channel, own(channel).filter((name) => /^query|^getHostByAddr/.test(name)), 'network');
	all(part('worker').Worker?.prototype, ['startThread'], 'thread');
	all(part('inspector'), ['Connection', 'MainThreadConnection', 'open'], 'code.eval');
	all(part('v8'), ['setFlagsFromString'], 'code.eval');
	all(process, ['dlopen'], 'native');
	all(process, ['_kill', '_debugProcess'], 'signals');
	all(part('process_wrap').Process?.prototype, ['kill'], 'signals'); // of a process that was not started it would be our group
	const fs = part('fs'), O_WRITES = 1 | 2 | 64 | 512 | 1024;
	// What is done to an open file, too: the tracer 1 is the output, which may be a device that all have.
	const writes = /^(mkdir|mkdtemp|rename|rmdir|rm|rmSync|unlink|symlink|link|[fl]?chmod|[fl]?chown|[fl]?utimes|ftruncate|copyFile|writeFileUtf8|cpSync\w*)$/;
	const reads = /^(readFileUtf8|readdir|opendir|opendirSync|readlink|realpath|stat|lstat|statfs|access|existsSync|internalModuleReadJSON)$/;
	for (const name of own(fs)) {
		if (name === 'open' || name === 'openFileHandle') wrap(fs, name, (args) => seen(args[1] & O_WRITES ? 'filesystem.write' : 'filesystem.read', args[0]));
		else if (writes.test(name)) wrap(fs, name, () => seen('filesystem.write'));
		else if (reads.test(name)) wrap(fs, name, (args) => seen('filesystem.read', args[0]));
	}
	const env = process.env;
	process.env = new Proxy(env, {
		set(_, name, value) { if (watching()) seen('environment'); env[name] = value; return true; },
		deleteProperty(_, name) { if (watching()) seen('environment'); return delete env[name]; },
	});
};

// ---- outside ----

const call = (node, name) => new Promise((done) => {
	const home = mkdtempSync(join(tmpdir(), 'oracle-'));
	writeFileSync(join(home, `${MARK}.txt`), CODE);
	writeFileSync(join(home, `${MARK}.cjs`), `process.emit('${MARK}')`);
	const child = spawn(node, ['--expose-internals', '--no-warnings', here, '--inside', name, home], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: { PATH: '/usr/bin:/bin', HOME: home } });
	let text = '';
	child.stdio[3].on('data', (part) => { text += part; });
	const late = setTimeout(() => child.kill('SIGKILL'), MILLISECONDS);
	child.on('close', () => {
		clearTimeout(late);
		rmSync(home, { recursive: true, force: true });
		const lines = text.trim().split('\n'), [effects, ran, errors] = lines[0] ? JSON.parse(lines.at(-1)) : [[], 0, undefined];
		const types = errors && Object.keys(errors).every((name) => ['TypeError', 'ERR_INVALID_ARG_TYPE', 'ERR_ILLEGAL_CONSTRUCTOR', 'ERR_INVALID_THIS', 'ERR_MISSING_ARGS'].includes(name));
		done({ effects, outcome: effects.length ? 'effect' : ran ? 'ran' : errors === undefined ? 'ended' : types ? 'not called' : 'refused' });
	});
});

const reviewed = () => {
	const path = new URL('oracle_node.tsv', import.meta.url), rows = new Map();
	for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
		if (!line.trim() || line.startsWith('#')) continue;
		const [name, effect, why] = line.split('\t');
		rows.set(`${name}\t${effect}`, why);
	}
	return rows;
};

const answerOf = (node, ...args) => new Promise((done, fail) => {
	const child = spawn(node, ['--no-warnings', here, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
	let text = '';
	child.stdout.on('data', (part) => { text += part; });
	child.on('close', (status) => (status === 0 ? done(JSON.parse(text)) : fail(new Error(`${node} ${args} ended with ${status}`))));
});

const main = async (args) => {
	let write, only;
	if (args[0] === '--write') [, write, ...args] = args;
	if (args[0] === '--modules') [only, args] = [args[1].split(','), args.slice(2)];
	const table = catalog(), excused = reviewed(), used = new Set(), versions = [], differences = [], leftover = new Map();
	for (const node of args.length ? args : [process.execPath]) {
		const { version, names } = await answerOf(node, '--list');
		const wanted = names.filter((name) => !only || only.some((module) => name === module || name.startsWith(`${module}.`)));
		const counts = {}, capable = {}, found = new Map(), todo = [...wanted];
		await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
			for (let name; (name = todo.shift()) !== undefined;) found.set(name, await call(node, name));
		}));
		for (const name of wanted) {
			const { effects, outcome } = found.get(name), says = lookup(table, name), owner = name.slice(0, name.lastIndexOf('.'));
			counts[outcome] = (counts[outcome] ?? 0) + 1;
			if (outcome === 'not called') leftover.set(owner, (leftover.get(owner) ?? 0) + 1);
			for (const effect of effects) {
				capable[effect] = (capable[effect] ?? 0) + 1;
				if (says.includes(effect) || says.some((s) => DENIED.has(s)) || effect === 'filesystem.read' && says.includes('filesystem.write')) continue;
				if (found.get(owner)?.effects.includes(effect)) continue; // the making of the object did it
				if (excused.has(`${name}\t${effect}`)) used.add(`${name}\t${effect}`);
				else differences.push([version, name, effect, says.join(',')]);
			}
		}
		versions.push({ version, total: wanted.length, counts, capable });
		console.error(version, counts, capable);
	}
	for (const [version, name, effect, says] of differences) console.log(`${version}\t${name}\tdid ${effect}\tthe catalog says ${says}`);
	if (write) writeFileSync(write, page(versions, excused, leftover));
	if (!only) for (const row of excused.keys()) if (!used.has(row)) console.error('scripts/oracle_node.tsv: nothing did', row);
	process.exitCode = differences.length ? 1 : 0;
};

const page = (versions, excused, leftover) => {
	const effects = [...new Set(versions.flatMap((v) => Object.keys(v.capable)))].sort(), outcomes = ['effect', 'ran', 'refused', 'ended', 'not called'];
	const row = (cells) => `| ${cells.join(' | ')} |`;
	return [
		'# What Node does when it is called', '',
		'Written by `scripts/oracle_node.mjs --write docs/oracle-node.md` (`make oracle-calls`). Each public function, class and method of Node\'s modules, and of',
		'what programs have without a module, was called with tracers (text that is no program, a file, a module, functions, options), and what Node\'s parts in C++ were',
		'then asked for compared with what its line in `policies/catalog` says. *Effect*: a capability was seen. *Ran*: it returned, and none was seen. *Refused*: it threw',
		'an error of its own. *Not called*: nothing but complaints about types, which proves nothing. *Ended*: the process was gone before it had told anything.', '',
		row(['Node', 'callables', ...outcomes]), row(Array(2 + outcomes.length).fill('---')),
		...versions.map((v) => row([v.version, v.total, ...outcomes.map((o) => v.counts[o] ?? 0)])),
		'', '## What was seen', '', row(['Node', ...effects]), row(Array(1 + effects.length).fill('---')),
		...versions.map((v) => row([v.version, ...effects.map((e) => v.capable[e] ?? 0)])),
		'', '## What something other than a line of the catalog tells', '', row(['callable', 'did', 'what tells it']), row(['---', '---', '---']),
		...[...excused].map(([key, why]) => { const [name, effect] = key.split('\t'); return row([`\`${name}\``, effect, why]); }),
		'', '## Where most were not called', '', 'An object of the class could not be made, or takes what no tracer is.', '', row(['class or module', 'callables']), row(['---', '---']),
		...[...leftover].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 25).map(([owner, n]) => row([`\`${owner}\``, n])),
		'', 'Not seen, and so not compared: prototypes and other introspection, reading the environment, WebAssembly, and timers. `node:repl`, `node:test`, `node:wasi`, `node:sea` and',
		'`node:sqlite` were left out. Compared by reading alone: names that begin with an underscore where a catalog does not list them, which are `unknown`.', '',
	].join('\n');
};

if (process.argv[2] === '--inside') await inside(process.argv[3], process.argv[4]);
else if (process.argv[2] === '--list') {
	const require = createRequire(import.meta.url);
	console.log(JSON.stringify({ version: process.version, names: [...new Set(modules(require).flatMap((module) => [...callablesOf(require, module)].map(([name]) => name)))] }));
}
else await main(process.argv.slice(2));
