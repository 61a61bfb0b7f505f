// Evaluates expressions. One line of JSON in, an array of them; one line out, an array
// of what each is as JSON, null where it throws.
'use strict';
const vm = require('vm');
const context = vm.createContext({ Buffer, atob, btoa });

function evaluate(text) {
  try {
    const v = vm.runInContext(`(${text})`, context, { timeout: 1000 });
    switch (typeof v) {
      case 'bigint': return `"${v}n"`;
      case 'undefined': return 'null';
      case 'number': return Number.isFinite(v) ? Object.is(v, -0) ? '-0' : String(v) : `"${v}"`;
      case 'string': return JSON.stringify(v);
      case 'boolean': return String(v);
      default: return v === null ? 'null' : JSON.stringify(v) ?? 'null';
    }
  } catch { return null; }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', chunk => {
  rest += chunk;
  for (let i; (i = rest.indexOf('\n')) >= 0; rest = rest.slice(i + 1)) {
    process.stdout.write(JSON.stringify(JSON.parse(rest.slice(0, i)).map(evaluate)) + '\n');
  }
});
