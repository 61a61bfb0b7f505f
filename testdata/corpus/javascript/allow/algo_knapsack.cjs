const items = [{ w: 1, v: 1 }, { w: 3, v: 4 }, { w: 4, v: 5 }, { w: 5, v: 7 }];
const best = new Array(8).fill(0);
for (const { w, v } of items) for (let c = 7; c >= w; c--) best[c] = Math.max(best[c], best[c - w] + v);
console.log(best[7]);
