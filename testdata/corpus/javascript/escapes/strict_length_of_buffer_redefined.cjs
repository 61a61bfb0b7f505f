let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const code = ["console.lo", "g(1041)"].join("");
const b = Buffer.from("x"); Object.defineProperty(b, "length", {value: k}); (() => 1)[b.length](code)();
