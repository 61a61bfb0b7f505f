const table = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
const roman = n => table.reduce((s, [v, r]) => { while (n >= v) { s += r; n -= v; } return s; }, '');
console.log([1994, 2024, 49].map(roman));
