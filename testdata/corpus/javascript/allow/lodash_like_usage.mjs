const _ = { sum: xs => xs.reduce((a, b) => a + b, 0), uniq: xs => [...new Set(xs)], groupBy: (xs, f) => xs.reduce((g, x) => { (g[f(x)] ||= []).push(x); return g; }, {}) };
console.log(_.sum([1, 2]), _.uniq([1, 1]), _.groupBy(['one', 'two', 'three'], s => s.length));
