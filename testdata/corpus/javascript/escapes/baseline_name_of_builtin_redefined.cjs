let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const code = ["console.lo", "g(1041)"].join("");
const m = [].map; Object.defineProperty(m, "name", {value: () => 1}); m.name.constructor(code)();
