const counters = [];
for (var i = 0; i < 3; i++) counters.push((function (n) { return () => n++; })(i));
console.log(counters.map(c => (c(), c())));
