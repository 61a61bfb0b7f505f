const text = `It was the best of times, it was the worst of times`;
const counts = new Map();
for (const [word] of text.toLowerCase().matchAll(/\b[a-z']+\b/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
console.table([...counts].sort((a, b) => b[1] - a[1]).slice(0, 3));
