// Who asks for something: Node, a library of the operator's, or the program.

// The stack is that of this realm's Error, whose way of telling no program can change,
// and whose limit is set whenever it is asked.
const most = 30;
Error.stackTraceLimit = most;
Error.prepareStackTrace = (_, sites) => sites;
const site = getPrototypeOf(new Error().stack[0]);
const { getFileName, getLineNumber, getColumnNumber, getPosition } = site;
const fileOf = (s) => s && apply(getFileName, s, []);
const ownFiles = new Set([fileOf(new Error().stack[0]), runner, given.inside]);
const lineOf = (s) => apply(getLineNumber, s, []);

// frames are those of the program's stack, without our own. V8 gives none, but a
// text, while somebody's prepareStackTrace runs: then nobody can tell who asks.
const frames = (limit = most) => {
  Error.stackTraceLimit = limit;
  const sites = new Error().stack;
  if (typeof sites !== 'object') throw null;
  const all = [];
  for (let i = 0; i < sites.length; i++) if (!ownFiles.has(fileOf(sites[i]))) all.push(sites[i]);
  return all;
};

const scratch = ['/tmp', '/var/tmp', '/dev/shm']; // where a program can write besides its own directory
const written = (file) => file.startsWith(`${top}/`) || scratch.some((place) => file.startsWith(`${place}/`));
const ours = (file) => file.startsWith(`${top}/`) || file.startsWith(`file://${top}/`);

// asker is the file that asks. What V8 itself does on the way, without a line,
// is nobody's.
const asker = () => fileOf(frames().find((s) => fileOf(s) || lineOf(s) != null)) || '';

// asked says whether no part of node, and no library of the operator's, asks.
const program = (file) => file === '' || ours(file) || written(file);
const asked = () => program(asker());
// caller is the first of them: of ours there are fewer above it.
const caller = () => frames(12)[0];
const loads = (part) => (fileOf(caller()) ?? '').startsWith(`node:internal/modules/${part}`);
const mayLoad = (part) => { try { return loads(part); } catch { return true; } };

// spelled says whether Node itself asks, or a library of the operator's, and not on
// behalf of the program: its text has, at the very place that asks, the name of what it
// asks for. What calls a function, or reads a member, that somebody gave it does
// not: nor does V8, whose frames have no file.
const spelled = (names, s = caller()) => names.includes(nameAt(s));
const nameAt = (s) => { // undefined of the program's
  const file = fileOf(s) ?? '';
  if (program(file)) return undefined;
  const row = lineOf(s), column = apply(getColumnNumber, s, []), place = `${file}:${row}:${column}`;
  if (!places.has(place)) places.set(place, spelling(sourceOf(file), row, column));
  return places.get(place);
};
const places = new Map(); // the name at each place that asked

// placeAt is the line and the column of a place in a text.
const placeAt = (text, at) => {
  let row = 1, from = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', from)) { from = end + 1; row++; }
  return [row, at - from];
};

// spelling is the name that is written at a place: of a, a[, 'a', new a and new b.a, and
// where V8 says where the call begins, before that: of a?.( and ['a'](.
const spelling = (text, row, column) => {
  let at = 0;
  for (let i = 1; i < row && at >= 0; i++) at = text.indexOf('\n', at) + 1 || -1;
  if (at < 0) return '';
  const from = at + column - 1;
  const found = text[from] === '('
    ? /([\w$]+)(?:['"]\])?(?:\?\.)?$/.exec(text.slice(from > 100 ? from - 100 : 0, from))
    : /^(?:\?\.|\[?['"]|new (?:[\w$]+\.)*)?([\w$]+)/.exec(text.slice(from, from + 100));
  return found?.[1] ?? '';
};

// sourceOf is the text of what a frame is in, where that is what its name says.
const sourceOf = (file) => {
  if (file.startsWith('node:')) return given.natives[file.slice('node:'.length)] ?? '';
  const place = file.startsWith('file:') ? fileURLToPath(file) : file;
  return placeOf(place) === place ? stripped(textOf(place)) ?? '' : '';
};

// ofUtil says whether vm makes the realm that Node itself wants when the first
// stream has come to its end.
const ofUtil = () => {
  const s = frames().find((s) => fileOf(s) !== 'node:vm');
  return fileOf(s) === 'node:internal/util' && spelled(makers, s);
};
const makers = ['Script', 'createScript', 'compileFunction', 'createContext', 'runInContext', 'runInNewContext', 'runInThisContext', 'SourceTextModule'];

// parses says whether who asks is the parser of a client of HTTP: that of Node,
// or of the same package where the operator has it beside.
const parses = () => {
  const file = fileOf(caller()) ?? '';
  return (file.startsWith('node:internal/deps/') || file.endsWith('/node_modules/undici/lib/dispatcher/client-h1.js')) && spelled(wasm);
};
const wasm = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming', 'Module', 'Instance', 'Memory', 'Table', 'Global'];

const line = () => {
  try {
    return lineOf(frames().find((s) => ours(fileOf(s) ?? ''))) ?? 0;
  } catch {
    return 0;
  }
};
