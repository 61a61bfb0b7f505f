function* adder() { let total = 0; while (true) { const x = yield total; if (x === undefined) return total; total += x; } }
const it = adder(); it.next(); it.next(5); console.log(it.next(6).value, it.next().done);
