let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const c = structuredClone; const w = new WeakRef((() => 1)[k]); w.deref()("console.log(1041)")();
