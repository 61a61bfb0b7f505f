// Writes policies/catalog/javascript-library.txt: every public name of Node's own modules by itself, for
// those of which catalog/javascript.txt lists single names only where they can do more than compute.
//
// Usage: node scripts/catalog_node.mjs [NODE…] > policies/catalog/javascript-library.txt
//
// Each NODE lists the names of its modules, and the lists are united. A name that a newer one adds is unknown
// until this was run with it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';

const catalog = new URL('../policies/catalog/', import.meta.url);
const require = createRequire(import.meta.url);

if (process.argv[2] === '--list') {
	const names = {};
	for (const module of builtinModules) {
		if (module.startsWith('node:')) continue;
		try {
			names['node:' + module] = Object.keys(require('node:' + module)).filter(n => /^[A-Za-z$][\w$]*$/.test(n));
		} catch {
			// A module that this Node was built without.
		}
	}
	for (const module of ['test', 'test/reporters']) names['node:' + module] = Object.keys(require('node:' + module)).filter(n => /^[A-Za-z$][\w$]*$/.test(n));
	console.log(JSON.stringify(names));
	process.exit(0);
}

// Which modules are listed here, and which names javascript.txt has by themselves.
const single = new Set();
for (const line of readFileSync(new URL('javascript.txt', catalog), 'utf8').split('\n')) {
	const [pattern] = line.split('#')[0].trim().split(/\s+/);
	if (pattern) single.add(pattern);
}
const benign = readFileSync(new URL('catalog_node.txt', import.meta.url), 'utf8').split('\n').filter(l => l && !l.startsWith('#'));

const united = new Map(benign.map(module => [module, new Set()]));
for (const node of process.argv.length > 2 ? process.argv.slice(2) : [process.execPath]) {
	const listed = JSON.parse(execFileSync(node, [new URL(import.meta.url).pathname, '--list'], { stdio: ['ignore', 'pipe', 'ignore'] }));
	for (const module of benign) for (const name of listed[module] ?? []) united.get(module).add(name);
}
console.log("# Written by scripts/catalog_node.mjs: every public name of Node's modules by itself. A line that ends in a\n# dot is the module alone.\n");
for (const [module, names] of united) {
	const rest = [...names].filter(n => !single.has(`${module}.${n}`) && !single.has(`${module}.${n}.*`)).sort();
	console.log(`${module}. benign`);
	if (rest.length) console.log(`${module}.{${rest.join(',')}} benign`);
}
