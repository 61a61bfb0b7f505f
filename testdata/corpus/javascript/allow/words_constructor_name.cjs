const describe = v => v === null || v === undefined ? String(v) : v.constructor.name;
console.log([1, 'a', [], {}, new Map(), null, () => 1, /x/].map(describe), (5).constructor === Number, [].constructor === Array);
