const [first, , third = 'none', ...rest] = 'a,b,c,d,e'.split(',');
const { length, [0]: head } = rest;
let a = 1, b = 2;
[a, b] = [b, a];
console.log(first, third, rest, length, head, a, b);
