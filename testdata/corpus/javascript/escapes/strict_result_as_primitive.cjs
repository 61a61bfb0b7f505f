let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const F = ({ a: 1 })[k][k], o = {}; o[['value', 'Of'].map(x => x).join('')] = F(S); +o;
