const fib = n => { let [a, b] = [0n, 1n]; while (n-- > 0) [a, b] = [b, a + b]; return a; };
console.log(fib(100).toString(), BigInt.asUintN(64, fib(100)));
