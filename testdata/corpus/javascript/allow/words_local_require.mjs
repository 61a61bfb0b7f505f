const require = (cond, message) => { if (!cond) throw new Error(message); };
require(1 + 1 === 2, 'arithmetic');
console.log('ok');
