const merge = xs => xs.sort((a, b) => a[0] - b[0]).reduce((out, [s, e]) => { const last = out.at(-1); if (last && s <= last[1]) last[1] = Math.max(last[1], e); else out.push([s, e]); return out; }, []);
console.log(merge([[1, 3], [8, 10], [2, 6], [15, 18]]));
