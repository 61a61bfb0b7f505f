function sum() { let n = 0; for (let i = 0; i < arguments.length; i++) n += arguments[i]; return n; }
function rest(...xs) { return xs.length; }
console.log(sum(1, 2, 3), rest(1, 2), sum.apply(null, [4, 5]));
