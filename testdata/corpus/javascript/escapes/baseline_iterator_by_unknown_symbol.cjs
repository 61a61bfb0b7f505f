let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const i = ['it', 'erator'].map(x => x).join(''); const o = { *[Symbol[i]]() { yield (() => 1)[k] } }; const [x] = o; const y = x(S); y();
