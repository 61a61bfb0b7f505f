const ini = '; comment\n[db]\nhost = localhost\nport=5432\n[web]\ndebug=true';
let section;
const out = {};
for (const line of ini.split('\n').map(l => l.trim()).filter(l => l && !l.startsWith(';'))) {
  const s = line.match(/^\[(.+)\]$/);
  if (s) section = out[s[1]] = {};
  else { const [k, v] = line.split('=').map(x => x.trim()); section[k] = v === 'true' ? true : isFinite(v) ? Number(v) : v; }
}
console.log(out);
