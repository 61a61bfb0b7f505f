function sieve(n) {
  const mark = new Uint8Array(n + 1), out = [];
  for (let i = 2; i <= n; i++) {
    if (mark[i]) continue;
    out.push(i);
    for (let j = i * i; j <= n; j += i) mark[j] = 1;
  }
  return out;
}
console.log(sieve(50));
