const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]);
const union = new Set([...a, ...b]), both = new Set([...a].filter(x => b.has(x))), diff = [...a].filter(x => !b.has(x));
const index = new Map(Object.entries({ x: 1, y: 2 }));
for (const [k, v] of index) console.log(k, v);
index.forEach((v, k) => console.log(k, v));
console.log(union.size, both, diff, new WeakMap([[{}, 1]]) instanceof WeakMap);
