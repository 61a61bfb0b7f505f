const docs = { d1: 'red fish blue fish', d2: 'blue sky' };
const index = new Map();
for (const [id, text] of Object.entries(docs)) for (const w of new Set(text.split(' '))) index.set(w, [...(index.get(w) || []), id]);
console.log(Object.fromEntries([...index].sort()));
