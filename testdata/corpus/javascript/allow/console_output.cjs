console.table([{ a: 1, b: 'x' }, { a: 2, b: 'y' }]);
console.group('part'); console.info('in'); console.warn('careful'); console.groupEnd();
console.time('t'); console.timeEnd('t'); console.assert(1 === 1); console.dir({ a: { b: 1 } }, { depth: 1 }); console.error('err %s', 'x'); console.count();
