let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const f = () => 1; f[Symbol.iterator] = function* () { yield (() => 1)[k] }; const [x] = f; const y = x(S); y();
