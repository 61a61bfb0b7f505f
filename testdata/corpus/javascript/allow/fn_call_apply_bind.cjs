const max = Math.max.apply(null, [1, 5, 3]);
const slice = Array.prototype.slice.call({ 0: 'a', 1: 'b', length: 2 });
const bound = ''.concat.bind('x-');
console.log(max, slice, bound('y'), [].map.call('abc', c => c.toUpperCase()), Object.prototype.toString.call([]), {}.hasOwnProperty.call({ a: 1 }, 'a'));
