// Reads sources with the acorn that Node bundles. One line of JSON in, an array
// of {goal, text}; one line out, an array of {ok, identifiers, imports}.
'use strict';
const acorn = require('internal/deps/acorn/acorn/dist/acorn');

function parse({ goal, text }) {
  const common = { ecmaVersion: 'latest', allowHashBang: true };
  if (goal === 'module') return acorn.parse(text, { ...common, sourceType: 'module' });
  return acorn.parse(text, { ...common, sourceType: 'script', allowReturnOutsideFunction: true });
}

// visit calls f with every node below n.
function visit(n, f) {
  const stack = [n];
  while (stack.length) {
    const o = stack.pop();
    if (Array.isArray(o)) { stack.push(...o); continue; }
    if (!o || typeof o !== 'object') continue;
    if (typeof o.type === 'string') f(o);
    for (const k of Object.keys(o)) if (o[k] && typeof o[k] === 'object' && k !== 'regex') stack.push(o[k]);
  }
}

function read(question) {
  let tree;
  try { tree = parse(question); } catch { return { ok: false }; }
  // Node itself must accept it too: acorn has been wrong before.
  if (question.goal !== 'module') {
    try { new (require('vm').Script)(`(function(){${question.text.replace(/^#!.*/, '')}\n})`); } catch { return { ok: false }; }
  }
  const identifiers = new Set(), imports = new Set();
  visit(tree, n => {
    if (n.type === 'Identifier' || n.type === 'PrivateIdentifier') identifiers.add(n.name);
    const source = n.source || (n.type === 'CallExpression' && n.callee.name === 'require' && n.arguments.length === 1 && n.arguments[0]);
    if (source && source.type === 'Literal' && typeof source.value === 'string') imports.add(source.value);
  });
  return { ok: true, identifiers: [...identifiers].sort(), imports: [...imports].sort() };
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', chunk => {
  rest += chunk;
  for (let i; (i = rest.indexOf('\n')) >= 0; rest = rest.slice(i + 1)) {
    process.stdout.write(JSON.stringify(JSON.parse(rest.slice(0, i)).map(read)) + '\n');
  }
});
