const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
async function retry(fn, times = 3) {
  for (let i = 1; ; i++) {
    try { return await fn(i); } catch (e) { if (i === times) throw e; await sleep(1); }
  }
}
console.log(await retry(async n => { if (n < 3) throw new Error('again'); return n; }));
