const xs = [3, 1, 4, 1, 5, 9, 2, 6];
const mean = xs.reduce((a, b) => a + b, 0) / xs.length;
const sorted = [...xs].sort((a, b) => a - b);
const median = (sorted[3] + sorted[4]) / 2;
const variance = xs.map(x => (x - mean) ** 2).reduce((a, b) => a + b) / xs.length;
console.log({ mean, median, stddev: Math.sqrt(variance).toFixed(3) });
