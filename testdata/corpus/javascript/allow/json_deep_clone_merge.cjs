function merge(target, source) {
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      target[key] = merge(target[key] || {}, value);
    } else {
      target[key] = value;
    }
  }
  return target;
}
console.log(merge({ a: { b: 1 } }, { a: { c: 2 }, d: [3] }), structuredClone({ x: [1] }));
