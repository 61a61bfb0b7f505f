let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
function f() { return this.process.env.HOME } console.log(typeof f.call(['a'].find(y => y === k)));
