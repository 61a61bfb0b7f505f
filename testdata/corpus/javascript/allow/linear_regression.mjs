const xs = [1, 2, 3, 4, 5], ys = [2.1, 3.9, 6.2, 7.8, 10.1], n = xs.length;
const sum = a => a.reduce((p, c) => p + c, 0);
const sx = sum(xs), sy = sum(ys), sxy = sum(xs.map((x, i) => x * ys[i])), sxx = sum(xs.map(x => x * x));
const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), icept = (sy - slope * sx) / n;
console.log(slope.toFixed(2), icept.toFixed(2));
