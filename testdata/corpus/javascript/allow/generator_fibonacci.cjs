function* fib() { let [a, b] = [0, 1]; while (true) { yield a; [a, b] = [b, a + b]; } }
const take = function* (it, n) { for (const x of it) { if (n-- <= 0) return; yield x; } };
console.log([...take(fib(), 10)]);
