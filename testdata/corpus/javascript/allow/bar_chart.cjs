const data = { apples: 5, pears: 12, plums: 8 };
const max = Math.max(...Object.values(data)), pad = Math.max(...Object.keys(data).map(k => k.length));
for (const [k, v] of Object.entries(data)) console.log(`${k.padEnd(pad)} | ${'█'.repeat(Math.round(v / max * 20))} ${v}`);
