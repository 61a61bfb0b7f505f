const isObject = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);
function deepMerge(a, b) {
  for (const k in b) a[k] = isObject(b[k]) ? deepMerge(a[k] || {}, b[k]) : b[k];
  return a;
}
const get = (o, path) => path.split('.').reduce((o, k) => o?.[k], o);
const config = deepMerge({ a: { b: { c: 1 } } }, { a: { b: { d: 2 } }, e: [1, 2] });
console.log(get(config, 'a.b.c'), get(config, 'a.b.d'), JSON.stringify(config));
