let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const code = ["console.lo", "g(1041)"].join("");
const h = f => f[k]; new Promise(r => r(h(() => 1))).then(c => c(code)());
