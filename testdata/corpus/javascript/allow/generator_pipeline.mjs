const map = f => function* (it) { for (const x of it) yield f(x); };
const keep = p => function* (it) { for (const x of it) if (p(x)) yield x; };
const pipe = (...fs) => x => fs.reduce((v, f) => f(v), x);
console.log([...pipe(keep(n => n % 2 === 0), map(n => n * n))([1, 2, 3, 4])]);
