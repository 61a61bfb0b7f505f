const isFn = f => f instanceof Function || typeof f === 'function';
const callAll = fs => fs.filter(isFn).map(f => f());
console.log(callAll([() => 1, 2, () => 3]));
