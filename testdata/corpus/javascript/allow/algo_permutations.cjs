function* permutations(xs) {
  if (xs.length < 2) { yield xs; return; }
  for (let i = 0; i < xs.length; i++)
    for (const rest of permutations([...xs.slice(0, i), ...xs.slice(i + 1)])) yield [xs[i], ...rest];
}
for (const p of permutations(['a', 'b', 'c'])) console.log(p.join(''));
