let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const o = { f: (() => 1)[k] }; const x = (o.f ||= 0); const y = x(S); y();
