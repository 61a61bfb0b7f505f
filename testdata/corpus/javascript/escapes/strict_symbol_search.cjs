let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const code = ["console.lo", "g(1041)"].join("");
const o = {[Symbol.search]: () => k}; (() => 1)["x".search(o)](code)();
