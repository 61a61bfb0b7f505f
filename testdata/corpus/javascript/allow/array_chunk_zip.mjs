export const chunk = (xs, n) => xs.length ? [xs.slice(0, n), ...chunk(xs.slice(n), n)] : [];
export const zip = (...lists) => lists[0].map((_, i) => lists.map(l => l[i]));
console.log(chunk([1, 2, 3, 4, 5], 2), zip([1, 2], ['a', 'b']));
