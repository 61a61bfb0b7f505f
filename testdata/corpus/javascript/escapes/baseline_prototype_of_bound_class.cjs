let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const B = (class {}).bind(); B.prototype = { x: (() => 1)[k] }; class A extends B {} const x = new A().x; const y = x(S); y();
