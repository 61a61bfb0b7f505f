const nested = [1, [2, [3, [2, 1]]]];
const flat = nested.flat(Infinity);
const unique = [...new Set(flat)];
console.log(unique.includes(3), unique.indexOf(2), flat.some(n => n > 2), flat.every(Number.isInteger));
