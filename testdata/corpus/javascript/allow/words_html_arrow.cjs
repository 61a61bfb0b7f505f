let n = 3;
while (n-- > 0) console.log(n);
const a = 5, b = 3;
console.log(a<! --n ? 1 : 2, '<!-- text -->', `-->`, /<!--/.test('<!--'));
