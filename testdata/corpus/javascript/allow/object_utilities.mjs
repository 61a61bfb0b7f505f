const pick = (o, ...ks) => Object.fromEntries(ks.filter(k => k in o).map(k => [k, o[k]]));
const omit = (o, ...ks) => Object.fromEntries(Object.entries(o).filter(([k]) => !ks.includes(k)));
const mapValues = (o, f) => Object.fromEntries(Object.entries(o).map(([k, v]) => [k, f(v, k)]));
const invert = o => Object.fromEntries(Object.entries(o).map(e => e.reverse()));
console.log(pick({ a: 1, b: 2 }, 'a'), omit({ a: 1, b: 2 }, 'a'), mapValues({ a: 1 }, v => v + 1), invert({ x: 'y' }), Object.assign({}, { q: 1 }), Object.hasOwn({ z: 1 }, 'z'));
