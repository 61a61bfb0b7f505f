let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
new Promise(() => { throw [[[[[[(() => 1)[k]]]]]]] }).catch(([[[[[[x]]]]]]) => { const y = x(S); y() });
