// Reads TypeScript with its own compiler, and JavaScript with the acorn that Node
// bundles. One line of JSON in, an array of {name, text, ours}; one line out, an array
// of {ok, more, ours, differs}. Run with NODE_PATH where typescript is installed.
'use strict';
const ts = require('typescript');
const acorn = require('internal/deps/acorn/acorn/dist/acorn');

// What the signs of a program mean: a printer adds semicolons, parentheses and commas, and chooses quotes.
function signs(text) {
  for (const sourceType of ['module', 'script']) {
    try {
      const found = [];
      const onToken = t => {
        const word = t.value === undefined ? t.type.label : typeof t.value === 'object' ? t.value.pattern : String(t.value);
        if (!/^[;(),]$/.test(t.type.label) && t.type.label !== 'eof') found.push(word);
      };
      acorn.parse(text, { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, onToken });
      // The compiler says of a module without a name to export that it is one.
      return found.slice(-3).join(' ') === 'export { }' ? found.slice(0, -3) : found;
    } catch { }
  }
}

const K = ts.SyntaxKind;
const fields = ts.ModifierFlags.ParameterPropertyModifier;

// What is more than a type is written in other words than the compiler's.
function more(node) {
  switch (node.kind) {
    case K.EnumDeclaration: case K.ModuleDeclaration: case K.Decorator: case K.ImportEqualsDeclaration: case K.ExportAssignment: return true;
    case K.Parameter: if (ts.getCombinedModifierFlags(node) & fields) return true;
  }
  return ts.forEachChild(node, more) || false;
}

function read({ text, ours }) {
  const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, useDefineForClassFields: true, removeComments: true };
  const { outputText, diagnostics } = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true, fileName: 'a.ts' });
  if (diagnostics.length > 0) return { ok: false };
  const theirs = signs(outputText);
  if (!theirs) return { ok: false };
  const answer = { ok: true, more: more(ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext, true)) };
  if (ours === null) return answer;
  const mine = signs(ours);
  if (!mine) return { ...answer, differs: 'no JavaScript' };
  const at = mine.findIndex((s, i) => s !== theirs[i]);
  if (at >= 0 || mine.length !== theirs.length) {
    const i = at < 0 ? mine.length : at;
    answer.differs = `${mine.slice(Math.max(0, i - 3), i + 5).join(' ')} | ${theirs.slice(Math.max(0, i - 3), i + 5).join(' ')}`;
  }
  return answer;
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', chunk => {
  rest += chunk;
  for (let i; (i = rest.indexOf('\n')) >= 0; rest = rest.slice(i + 1)) {
    process.stdout.write(JSON.stringify(JSON.parse(rest.slice(0, i)).map(read)) + '\n');
  }
});
