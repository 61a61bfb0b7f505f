async function* ticks(n) { for (let i = 0; i < n; i++) { await null; yield i; } }
async function* filter(it, p) { for await (const x of it) if (p(x)) yield x; }
for await (const x of filter(ticks(6), n => n % 2)) console.log(x);
