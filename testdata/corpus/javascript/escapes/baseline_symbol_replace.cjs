let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const code = ["console.lo", "g(1041)"].join("");
const o = {[Symbol.replace]: () => (() => 1)}; "x".replace(o).constructor(code)();
