const tree = { v: 1, kids: [{ v: 2, kids: [] }, { v: 3, kids: [{ v: 4, kids: [] }] }] };
function* walk({ v, kids }, depth = 0) { yield [v, depth]; for (const k of kids) yield* walk(k, depth + 1); }
for (const [v, d] of walk(tree)) console.log(' '.repeat(d) + v);
