function observable(target, notify) { const out = {}; for (const key of Object.keys(target)) { let value = target[key]; Object.defineProperty(out, key, { enumerable: true, get: () => value, set: v => { notify(key, value, v); value = v; } }); } return out; }
const o = observable({ a: 1 }, (...x) => console.log(...x)); o.a = 2;
