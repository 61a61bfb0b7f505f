function mergeSort(a) {
  if (a.length < 2) return a;
  const mid = a.length >> 1, l = mergeSort(a.slice(0, mid)), r = mergeSort(a.slice(mid)), out = [];
  let i = 0, j = 0;
  while (i < l.length && j < r.length) out.push(l[i] <= r[j] ? l[i++] : r[j++]);
  return out.concat(l.slice(i), r.slice(j));
}
console.log(mergeSort([5, 2, 9, 1, 5, 6]).join(' '));
