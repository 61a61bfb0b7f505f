const a = 10, b = 2, g = 5;
const half = a / b / g, list = 'a/b/c'.split('/'), re = /[/\]]+/g;
console.log(half, list, 'x/]y'.replace(re, '-'), a /b/ g);
