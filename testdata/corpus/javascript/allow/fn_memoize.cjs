const memoize = (fn, key = JSON.stringify) => { const cache = new Map(); return (...a) => { const k = key(a); if (!cache.has(k)) cache.set(k, fn(...a)); return cache.get(k); }; };
const slow = memoize(n => n < 2 ? n : slow(n - 1) + slow(n - 2));
console.log(slow(50));
